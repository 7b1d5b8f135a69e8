"""The rule that publishes runs nothing else, whatever is missing."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_publishing_is_one_job():
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "1", "--configfile", "config/paper.yaml"]
    done = subprocess.run([*command, "--", "publish"], cwd=ROOT, capture_output=True, text=True, check=True)
    said = done.stdout + done.stderr
    jobs = said.partition("Job stats:")[2].partition("\n\n")[0]
    assert [line.split() for line in jobs.splitlines()[3:]] == [["publish", "1"], ["total", "1"]]

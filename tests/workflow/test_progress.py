"""The line of progress: what is left by the forecast, what is said of runs and failures."""

from __future__ import annotations

import logging
import re
from types import SimpleNamespace

import pytest

pytest.importorskip("snakemake")

from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_fedatlas import LogHandler
from snakemake_logger_plugin_fedatlas.forecast import Forecast, in_words


class Clock:
    """A clock that goes when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_left_shrinks_with_the_work_and_is_shared_by_what_runs_at_once():
    clock = Clock()
    forecast = Forecast({1: 100, 2: 100, 3: 50, 4: 50}, at_once=2, clock=clock)
    assert forecast.seconds_left == pytest.approx(150)
    forecast.start(1)
    clock.now = 40
    assert forecast.seconds_left == pytest.approx(130)
    clock.now = 100
    forecast.finish(1)
    assert forecast.seconds_left == pytest.approx(100)


def test_a_slower_machine_is_noticed():
    clock = Clock()
    forecast = Forecast({1: 1000, 2: 1000}, at_once=1, clock=clock)
    forecast.start(1)
    clock.now = 2000
    forecast.finish(1)
    assert 1800 < forecast.seconds_left < 2000


def test_small_jobs_that_take_longer_say_little_about_hours_of_others():
    clock = Clock()
    forecast = Forecast({**dict.fromkeys(range(50), 1), 50: 20_000}, at_once=1, clock=clock)
    for job in range(50):
        forecast.start(job)
        clock.now += 5
        forecast.finish(job)
    assert 20_000 < forecast.seconds_left < 25_000


def test_it_is_not_done_before_its_longest_job():
    assert Forecast({1: 300, 2: 10}, at_once=8).seconds_left == 300


def test_a_job_that_takes_longer_than_foretold_counts_for_nothing_more():
    clock = Clock()
    forecast = Forecast({1: 10}, at_once=1, clock=clock)
    forecast.start(1)
    clock.now = 60
    assert forecast.seconds_left == 0


@pytest.mark.parametrize(("seconds", "words"), [(0, "5 s"), (38, "40 s"), (100, "2 min"), (5400, "1.5 h")])
def test_times_are_said_as_people_say_them(seconds, words):
    assert in_words(seconds) == words


SETTINGS = dict.fromkeys(("dryrun", "verbose", "printshellcmds", "debug_dag", "nocolor", "stdout"), False)


@pytest.fixture
def screen(capsys):
    """What has been printed when it is called."""
    printed = []

    def read() -> str:
        printed.append(capsys.readouterr().err)
        return "".join(printed)

    return read


def handler(**changes: bool) -> LogHandler:
    return LogHandler(SimpleNamespace(**{**SETTINGS, "quiet": set(), "show_failed_logs": True, **changes}), None)


def tell(to: LogHandler, event: LogEvent | None, message: str = "", level: int = logging.INFO, **fields) -> None:
    record = logging.LogRecord("snakemake", level, "", 0, message, None, None)
    vars(record).update(fields, event=event)
    to.emit(record)


def start(to: LogHandler, number: int, rule: str, message: str, log: str = "", output: str = "x") -> None:
    tell(
        to, LogEvent.JOB_INFO, jobid=number, rule_name=rule, rule_msg=message, log=[log] if log else [], output=[output]
    )


def test_the_line_counts_runs_and_says_how_far_they_are(screen, tmp_path):
    log = tmp_path / "run.log"
    log.write_text("fco/lasso_I:  10%|#  | 10/100\rfco/lasso_I:  45%|####  | 45/100 [00:20<00:30]")
    shown = handler()
    tell(shown, LogEvent.RUN_INFO, stats={"train": 3, "partition": 2, "all": 1, "total": 6})
    shown.expect({1: 60.0, 2: 60.0, 3: 60.0, 4: 1.0, 5: 1.0}, 2, "3 runs and 2 other steps")
    start(shown, 1, "train", "fco/lasso_I fedmid (seed 0)")
    tell(shown, LogEvent.JOB_FINISHED, job_id=1)
    start(shown, 2, "train", "fco/lasso_II fedmid (seed 0)", str(log))
    assert "3 runs and 2 other steps: about 2 min on this machine." in screen()
    said = r"fedatlas: 1 of 3 runs done, about \d+ (s|min) left; now: fco/lasso_II fedmid \(seed 0\) 45 %"
    assert re.fullmatch(said, shown.line())
    shown.close()
    assert "1 steps done, 1 of them runs" in screen()


def test_what_failed_is_told_at_once_with_its_log_and_again_at_the_end(screen, tmp_path):
    log = tmp_path / "store.log"
    log.write_text("fedatlas: the disk is full.\n")
    shown = handler()
    start(shown, 7, "partition", "Client store lasso", str(log))
    for _ in range(2):  # Snakemake tells it twice
        tell(shown, LogEvent.JOB_ERROR, "Error in rule partition", logging.ERROR, jobid=7)
    shown.close()
    assert screen().count("    fedatlas: the disk is full.") == 1
    assert f"failed: Client store lasso (log: {log})" in screen()
    assert "open " not in screen()


def test_it_ends_with_the_page_to_open(screen):
    shown = handler()
    start(shown, 1, "report", "The pages", output="reports/index.html")
    tell(shown, LogEvent.JOB_FINISHED, job_id=1)
    shown.close()
    assert screen().endswith("fedatlas: open reports/index.html.\n")


def test_warnings_and_an_idle_call_are_told_and_chatter_is_not(screen):
    shown = handler()
    tell(shown, None, "Using shell: /usr/bin/bash")
    tell(shown, None, "Nothing to be done (all requested files are present and up to date).")
    tell(shown, None, "a warning", logging.WARNING)
    shown.close()
    assert screen().splitlines() == [
        "Nothing to be done (all requested files are present and up to date).",
        "a warning",
    ]


def test_a_silent_call_tells_failures_alone(screen):
    shown = handler(quiet={Quietness.ALL})
    shown.expect({1: 60.0}, 2, "1 run")
    start(shown, 1, "train", "fco/lasso_I fedmid (seed 0)")
    start(shown, 2, "report", "The pages", output="reports/index.html")
    tell(shown, None, "Nothing to be done")
    tell(shown, LogEvent.JOB_FINISHED, job_id=2)
    assert screen() == ""
    tell(shown, LogEvent.JOB_ERROR, jobid=1)
    shown.close()
    assert "failed: fco/lasso_I fedmid (seed 0)" in screen()


def test_a_dry_run_looks_as_ever(screen):
    shown = handler(dryrun=True)
    tell(shown, None, "This was a dry-run (flag -n).")
    assert "This was a dry-run" in screen()

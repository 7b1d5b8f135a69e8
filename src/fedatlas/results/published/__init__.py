"""Results that are kept in git: the same type as runs on disk, with less of their tables.

reports/published/<paper>/<experiment>/
    claims.json     the verdicts, as in reports/claims/<paper>.json
    metrics.csv     every metric and cost of the selected configurations, by algorithm, seed and round
    sweep.csv       the score of every configuration of the sweep, by seed if several have one; empty where it diverged
    clients.csv     what single clients have at the end, where that was recorded
    dots.csv        what a scatter shows of every configuration, where a figure of the paper is one; by seed likewise
    manifest.json   configuration, data hashes, versions, commits, seconds, peak memory
    *.svg           the pictures of the figures that show the runs
reports/published/SHA256SUMS
    the sha256 of every file; what differs from it is refused
"""

from fedatlas.results.published.read import Published, load_published, read_verdicts
from fedatlas.results.published.sums import check, edited, seal

__all__ = ["Published", "check", "edited", "load_published", "read_verdicts", "seal"]

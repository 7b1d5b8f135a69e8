"""Snakemake's progress for people: one line that says how many runs are done, how long it will take and what runs now.

`snakemake --logger fedatlas`, as profiles/default says. What Snakemake itself would print is in its log file.
"""

from __future__ import annotations

import re
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from logging import WARNING, LogRecord
from pathlib import Path

from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_fedatlas.forecast import Forecast, in_words

RUN = "train"  # the rule that is counted as runs
ON_TERMINAL, ELSEWHERE = 1.0, 30.0  # seconds between two lines of progress
NOTHING = "Nothing to be done"


@dataclass(frozen=True)
class Job:
    """What is said of a job: its rule, its message, its log file and its first output."""

    rule: str
    message: str
    log: str | None
    outputs: tuple[str, ...]

    @property
    def tail(self) -> list[str]:
        """The last lines of its log."""
        if not (self.log and Path(self.log).is_file()):
            return []
        text = Path(self.log).read_text(encoding="utf-8", errors="replace")[-4000:]
        return [line.strip() for line in re.split("[\r\n]", text) if line.strip()]

    def now(self) -> str:
        """Its message, and how far it is if its log ends with a progress bar."""
        percent = re.search(r"(\d+)%\|", self.tail[-1]) if self.tail else None
        return f"{self.message} {percent[1]} %" if percent else self.message


class LogHandler(LogHandlerBase):
    """Snakemake's events as a line of progress; a dry run and a verbose one look as ever."""

    def __post_init__(self) -> None:
        self._stream = sys.stderr
        self._terminal = self._stream.isatty()
        self._jobs: dict[int, Job] = {}
        self._running: dict[int, Job] = {}
        self._failed: list[Job] = []
        self._page: str | None = None
        self._stopped = False
        self._due: Mapping[str, int] = {}
        self._done: dict[str, int] = {}
        self._forecast, self._begun = Forecast({}, 1), time.monotonic()
        self._writing, self._ended = threading.RLock(), threading.Event()
        settings = self.common_settings
        self._plain = settings.dryrun or settings.verbose or settings.printshellcmds or settings.debug_dag
        self._usual = self._as_usual()
        self._silent = Quietness.ALL in (settings.quiet or ())

    writes_to_stream = property(lambda self: True)
    writes_to_file = property(lambda self: False)
    has_filter = property(lambda self: True)
    has_formatter = property(lambda self: True)
    needs_rulegraph = property(lambda self: False)

    def _as_usual(self) -> ColorizingTextHandler:
        settings = self.common_settings
        usual = ColorizingTextHandler(nocolor=settings.nocolor, stream=self._stream)
        chosen = (settings.quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds)
        usual.addFilter(DefaultFilter(*chosen))
        usual.setFormatter(DefaultFormatter(settings.quiet, settings.show_failed_logs))
        return usual

    def expect(self, seconds: Mapping[int, float], cores: int, what: str) -> None:
        """Takes the foretold seconds of all jobs by number, and says what is to be done and how long it will take."""
        self._forecast = Forecast(seconds, cores)
        if not self._silent:
            self._say(f"fedatlas: {what}: about {in_words(self._forecast.seconds_left)} on this machine.")

    def stop(self) -> None:
        """Takes what fails from here on as ended by the user."""
        self._stopped = True

    def emit(self, record: LogRecord) -> None:
        if self._plain:
            self._usual.handle(record)
            return
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO:
                self._begin(record.stats)
            case LogEvent.JOB_INFO:
                self._start(record)
            case LogEvent.JOB_FINISHED:
                self._finish(record.job_id)
            case LogEvent.JOB_ERROR:
                self._fail(record.jobid)
            case _ if self._stopped:
                pass
            case _ if record.levelno >= WARNING or (NOTHING in record.getMessage() and not self._silent):
                self._say(record.getMessage())

    def _begin(self, stats: Mapping[str, int]) -> None:
        self._due = {rule: count for rule, count in stats.items() if rule not in ("total", "all")}
        if not self._silent:
            threading.Thread(target=self._tick, name="progress", daemon=True).start()

    def _start(self, record: LogRecord) -> None:
        message = (record.rule_msg or record.rule_name).strip()
        job = Job(record.rule_name, message, next(iter(record.log), None), tuple(record.output))
        with self._writing:  # the line of progress reads these in a thread of its own
            self._jobs[record.jobid] = self._running[record.jobid] = job
            self._forecast.start(record.jobid)

    def _finish(self, number: int) -> None:
        with self._writing:
            self._forecast.finish(number)
            if job := self._running.pop(number, None):
                self._done[job.rule] = self._done.get(job.rule, 0) + 1
                self._page = next((page for page in job.outputs if page.endswith("index.html")), self._page)

    def _fail(self, number: int) -> None:
        with self._writing:
            job = self._running.pop(number, None)
        if job is None or self._stopped:  # told before, or meant
            return
        self._failed.append(job)
        self._say("\n".join([f"fedatlas: failed: {job.message}", *(f"    {line}" for line in job.tail[-5:])]))

    def _tick(self) -> None:
        while not self._ended.wait(ON_TERMINAL if self._terminal else ELSEWHERE):
            with self._writing:
                if self._terminal:
                    width = shutil.get_terminal_size().columns
                    self._stream.write(f"\r\033[K{self.line()[: width - 1]}")
                else:
                    self._stream.write(f"{self.line()}\n")
                self._stream.flush()

    def line(self) -> str:
        """'fedatlas: 57 of 190 runs done, about 8 min left; now: fco/lasso_I fedmid (seed 0) 45 %'."""
        if runs := self._due.get(RUN, 0):
            done = f"{self._done.get(RUN, 0)} of {runs} runs done"
        else:
            done = f"{sum(self._done.values())} of {sum(self._due.values())} steps done"
        now = ", ".join(job.now() for job in self._running.values()) or "nothing"
        return f"fedatlas: {done}, about {in_words(self._forecast.seconds_left)} left; now: {now}"

    def _say(self, text: str) -> None:
        with self._writing:
            self._stream.write(("\r\033[K" if self._terminal else "") + text + "\n")
            self._stream.flush()

    def close(self) -> None:
        """Says how it ended: what is done, and every job that failed with its log."""
        if not self._ended.is_set() and not self._plain and self._jobs:
            self._ended.set()
            done, took = sum(self._done.values()), in_words(time.monotonic() - self._begun)
            runs = f", {self._done[RUN]} of them runs" if self._done.get(RUN) else ""
            if not self._silent:
                self._say(f"fedatlas: {done} steps done{runs}, in {took}.")
            for job in self._failed:
                self._say(f"fedatlas: failed: {job.message} (log: {job.log})")
            if self._stopped:
                self._say("fedatlas: stopped: what is done stays done; run the same command again to go on.")
            elif self._failed:
                self._say("fedatlas: mend what the logs say and run the same command again: what is done stays done.")
            elif self._page and not self._silent:
                self._say(f"fedatlas: open {self._page}.")
        super().close()

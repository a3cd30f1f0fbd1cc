# SPDX-License-Identifier: Apache-2.0
"""Scenarios: how they are declared, run, counted and reported.

A scenario is a function that takes a `Bench` and returns a sentence of figures, or raises: `CheckFailed` when the
program broke a promise, `BenchError` when the bench did not work, which fails it too, `CannotRun` when something is
missing on this machine, which is a skip and is reported with its reason. Scenarios that share a virtual machine form a
group.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .errors import BenchError, CannotRun, CheckFailed, HostTooSlow

PASSED, FAILED, SKIPPED, REPEATED = "passed", "FAILED", "skipped", "again"
"""A scenario that failed and is tried `again` has another outcome after that one."""


@dataclass(frozen=True)
class Outcome:
    """How one scenario ended."""

    name: str
    status: str
    words: str
    seconds: float


@dataclass
class Report:
    """Collects outcomes, and prints each as it comes."""

    outcomes: list[Outcome] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, outcome: Outcome) -> None:
        with self._lock:
            self.outcomes.append(outcome)
            print(f"{outcome.status:8}{outcome.name}: {outcome.words} ({outcome.seconds:.1f} s)", flush=True)

    def count(self, status: str) -> int:
        return sum(outcome.status == status for outcome in self.outcomes)

    def summary(self) -> str:
        """The last lines of a run: skips, failures and what failed only at first once more, and the counts."""
        lines = [
            f"{outcome.status} {outcome.name}: {outcome.words}" for outcome in self.outcomes if outcome.status != PASSED]
        skipped = f", {self.count(SKIPPED)} skipped" if self.count(SKIPPED) else ""
        repeated = f", {self.count(REPEATED)} failed at first" if self.count(REPEATED) else ""
        lines.append(f"{self.count(PASSED)} passed, {self.count(FAILED)} failed{skipped}{repeated}")
        return "\n".join(lines)


@dataclass
class Group:
    """Scenarios that share a guest, and may be tried twice.

    Those that measure times: an emulated processor is late when the host has something else to do, and that may look
    like a fault. A scenario that fails `first` is tried `again`, in another guest, and that result counts. The summary
    lists first failures, and their traces are kept. Lateness at the second attempt too, as the program or the guest
    reports it, is a skip with that reason; anything that is wrong, and not late, fails.
    """

    name: str
    scenarios: Callable[[Group], None]
    """Calls `run` for each of them."""
    report: Report
    is_chosen: Callable[[str], bool] = lambda name: True
    """Whether a scenario of that name is in the sample."""
    _tries_left: int | None = None
    """How often a failure is tried again; `None` where no times are measured."""
    _outcomes: list[Outcome] = field(default_factory=list)
    _done: frozenset[str] = frozenset()
    """Scenarios that are not tried again."""

    # Running them.

    def once(self) -> None:
        """Runs all of them; failures are final."""
        start = time.monotonic()
        try:
            self.scenarios(self)
        except CannotRun as error:
            self._add(self.name, SKIPPED, str(error), start)
        except Exception as error:
            # Scenarios report for themselves; that the group breaks off is a failure of its own.
            traceback.print_exc(file=sys.stderr)
            self._add(self.name, self._failed(), f"broke off: {type(error).__name__}: {error}", start)

    def first(self) -> None:
        """Runs all of them, before `again`."""
        self._tries_left = 1
        self.once()

    def again(self, traces: Path) -> None:
        """Runs those that failed; `traces` are the guest's."""
        self._tries_left = 0
        self._done = frozenset(outcome.name for outcome in self._outcomes if outcome.status != REPEATED)
        failed = [outcome.name for outcome in self._outcomes if outcome.status == REPEATED]
        if not failed:
            return
        first = traces.with_name(f"{traces.name}-first")
        shutil.rmtree(first, ignore_errors=True)
        if traces.is_dir():
            shutil.move(traces, first)
        count = len(self._outcomes)
        self.once()
        tried = {outcome.name for outcome in self._outcomes[count:]}
        for name in failed:
            if name not in tried and name != self.name:
                self._add(name, FAILED, "was not tried again", time.monotonic())

    # What scenarios call.

    def wants(self, *names: str) -> bool:
        """Whether one of these scenarios is still to be run: nothing is done for one that is not."""
        return any(name not in self._done and self.is_chosen(name) for name in names)

    def run(self, name: str, scenario: Callable[[], str]) -> None:
        """Runs a scenario, if it is wanted."""
        if not self.wants(name):
            return
        start = time.monotonic()
        try:
            status, words = PASSED, scenario()
        except CannotRun as error:
            status, words = SKIPPED, str(error)
        except HostTooSlow as error:
            status, words = self._failed(), str(error)
            if self._tries_left == 0:
                status, words = SKIPPED, f"this machine is too slow for it now: {error}"
        except CheckFailed as error:
            status, words = self._failed(), str(error)
        except BenchError as error:
            status, words = self._failed(), f"the bench failed: {error}"
        except Exception as error:
            status, words = self._failed(), f"the bench failed: {type(error).__name__}: {error}"
            traceback.print_exc(file=sys.stderr)
        self._add(name, status, words, start)

    def _add(self, name: str, status: str, words: str, start: float) -> None:
        outcome = Outcome(name, status, words, time.monotonic() - start)
        self._outcomes.append(outcome)
        self.report.add(outcome)

    def _failed(self) -> str:
        """How a failure is counted."""
        return REPEATED if self._tries_left else FAILED

"""Scenarios: how they are declared, run, counted and told.

A scenario is a function that takes a `Bench` and returns a sentence of figures, or raises: `CheckFailed` when the
program broke a promise, `BenchError` when the bench did not work, which fails it too, `CannotRun` when something is
missing on this machine, which is a skip and is told with its reason. Several scenarios may share a virtual machine;
then they form a group.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from .errors import BenchError, CannotRun, CheckFailed, HostTooSlow, NoAnswer

LOST_BUS = b"is not a head!"
"""What the guest's kernel says when it gets an answer for which it no longer waits, after which it takes no other."""
PASSED, FAILED, SKIPPED, REPEATED = "passed", "FAILED", "skipped", "again"


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
    _second_try: Path | None = None
    """The traces of a group that is tried once more."""
    _is_timed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, outcome: Outcome) -> None:
        with self._lock:
            self.outcomes.append(outcome)
            print(f"{outcome.status:8}{outcome.name}: {outcome.words} ({outcome.seconds:.1f} s)", flush=True)

    def run(self, name: str, scenario: Callable[[], str]) -> bool:
        """Runs a scenario; whether it passed."""
        start = time.monotonic()
        try:
            status, words = PASSED, scenario()
        except CannotRun as error:
            status, words = SKIPPED, str(error)
        except CheckFailed as error:
            excuse = self._excuse(error)
            status, words = (SKIPPED, f"{excuse}: {error}") if excuse else (FAILED, str(error))
        except BenchError as error:
            status, words = FAILED, f"the bench failed: {error}"
        except (OSError, ValueError, LookupError, TypeError) as error:
            status, words = FAILED, f"the bench failed: {type(error).__name__}: {error}"
            traceback.print_exc(file=sys.stderr)
        self.add(Outcome(name, status, words, time.monotonic() - start))
        return status == PASSED

    def run_group(self, name: str, group: Callable[[], None]) -> None:
        """Runs a group of scenarios, which report for themselves; one that breaks off counts as a failed scenario."""
        start = time.monotonic()
        try:
            group()
        except CannotRun as error:
            self.add(Outcome(name, SKIPPED, str(error), time.monotonic() - start))
        except (BenchError, CheckFailed, OSError, ValueError, LookupError) as error:
            traceback.print_exc(file=sys.stderr)
            words = f"broke off: {type(error).__name__}: {error}"
            self.add(Outcome(name, FAILED, words, time.monotonic() - start))

    def run_timed_group(self, name: str, group: Callable[[], None], traces: Path) -> None:
        """Runs a group whose scenarios measure times. What an emulated processor was late for because the host had
        something else to do is no fault of the program's: what the program told to be late, and so often that nothing
        more can be checked, is skipped with that reason. Lateness may also look like a fault: if something fails, the
        whole group is run once more, in another guest, and that counts. The summary tells what failed at first; `traces`
        are kept. What then gets no answer because the guest's kernel has lost the bus is skipped too; whatever is
        wrong, and not late, fails."""
        begin = len(self.outcomes)
        self._is_timed = True
        self.run_group(name, group)
        self._is_timed = False
        first = self.outcomes[begin:]
        if all(outcome.status != FAILED for outcome in first):
            return
        print(f"        {name}: something failed, so all of it is tried once more", flush=True)
        if traces.is_dir():
            shutil.move(traces, traces.with_name(f"{traces.name}-first"))
        self.outcomes[begin:] = [replace(outcome, status=REPEATED) for outcome in first if outcome.status == FAILED]
        self._second_try, self._is_timed = traces, True
        self.run_group(name, group)
        self._second_try, self._is_timed = None, False

    def _excuse(self, error: CheckFailed) -> str | None:
        """Why what failed says nothing about the program; `None` when it does."""
        if self._is_timed and isinstance(error, HostTooSlow):
            return "this machine is too slow for it now"
        if self._second_try is None:
            return None
        console = self._second_try / "console"
        if isinstance(error, NoAnswer) and console.is_file() and LOST_BUS in console.read_bytes():
            return "the guest's virtio-i2c driver gave its bus up, because an answer took a second"
        return None

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

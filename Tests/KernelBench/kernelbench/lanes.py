# SPDX-License-Identifier: Apache-2.0
"""Several things done in one guest at once, each in its own lane.

A lane is a generator. It yields conditions, and goes on when the last one holds; commands in the guest take their time
meanwhile, as those of the other lanes do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable

from .errors import BenchError
from .machine import Machine, Result

Lane = Generator[Callable[[], bool], None, None]
LOOK = 0.03
"""Seconds between two looks at conditions."""


def drive(machine: Machine, lanes: Iterable[Lane], seconds: float) -> None:
    """Runs all lanes to their ends, for which there are so many seconds."""
    deadline = time.monotonic() + seconds
    waiting = {lane: next(lane, None) for lane in lanes}
    while waiting := {lane: condition for lane, condition in waiting.items() if condition}:
        if time.monotonic() > deadline:
            raise BenchError(f"{len(waiting)} of the lanes did not come to an end in {seconds:.0f} s")
        machine.listen(LOOK)
        for lane, condition in waiting.items():
            if condition():
                waiting[lane] = next(lane, None)


def command(machine: Machine, words: str) -> Generator[Callable[[], bool], None, Result]:
    """Runs a command, to be used with `yield from`."""
    name = machine.start(words)
    yield lambda: machine.has_ended(name)
    return machine.finish(name, words)

# SPDX-License-Identifier: Apache-2.0
"""How a guest's clocks and the host's belong together, with limits that are proved; see guest/clockmap.c.

    guest   CLOCK_REALTIME ── real ── CLOCK_MONOTONIC ── raw ── CLOCK_MONOTONIC_RAW
                                                                        │ offset
    host                                               CLOCK_MONOTONIC ─┘

All four run from QEMU's virtual clock, which is the host's, so each distance is a constant. Each is measured as the
narrowest interval in which it must lie, and what is computed with them is an interval too.
"""

from __future__ import annotations

import calendar
import time
from dataclasses import dataclass

from .bench import Guest
from .errors import BenchError, HostTooSlow, check

MILLISECONDS = 150
WIDEST = 10_000
"""Nanoseconds in which the distance of guest and host has to be known."""
TRIES = 5
PAIR = 5_000
"""Nanoseconds by which the two clocks of a recording's pair may be of different moments: three clock reads of an emulated
guest take 5 to 8 µs, and the pair has the middle."""


@dataclass(frozen=True)
class Span:
    """An interval of nanoseconds."""

    low: int
    high: int

    def __add__(self, other: Span) -> Span:
        return Span(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Span) -> Span:
        return Span(self.low - other.high, self.high - other.low)

    def joined(self, other: Span) -> Span:
        """The least interval that has both."""
        return Span(min(self.low, other.low), max(self.high, other.high))

    @property
    def width(self) -> int:
        return self.high - self.low


@dataclass(frozen=True)
class ClockMap:
    """Distances between clocks."""

    offset: Span
    """The guest's CLOCK_MONOTONIC_RAW minus the host's clock."""
    raw: Span
    """CLOCK_MONOTONIC - CLOCK_MONOTONIC_RAW."""
    real: Span
    """CLOCK_REALTIME - CLOCK_MONOTONIC."""

    def joined(self, other: ClockMap) -> ClockMap:
        """What holds if a distance moved from this measurement to the other."""
        return ClockMap(
            self.offset.joined(other.offset), self.raw.joined(other.raw), self.real.joined(other.real))

    def start(self, document: dict) -> Span:
        """Tick 0 of a recording by the host's clock, from the pairs of clocks that were exported with it."""
        pairs = [wall_ns(pair["wall"]) - pair["t_ns"] for pair in document["clock"]["pairs"]]
        check(max(pairs) - min(pairs) < 2 * PAIR, f"the pairs of clocks differ by {max(pairs) - min(pairs)} ns")
        middle = sum(pairs) // len(pairs)
        return Span(middle - PAIR, middle + PAIR) - self.real - self.raw - self.offset


def wall_ns(text: str) -> int:
    """Nanoseconds since 1970 of an instant such as 2026-11-23T10:03:13.604956703Z."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) * 1_000_000_000 + int(fraction.ljust(9, "0") or 0)


def measure(guest: Guest) -> ClockMap:
    """Compares the clocks of a guest with the host's; again when the two did not run at the same time."""
    for _ in range(TRIES):
        clocks = compare(guest)
        if clocks.offset.width <= WIDEST:
            return clocks
    raise HostTooSlow(f"guest and host hardly run at the same time: their clocks are known to {clocks.offset.width} ns")


def compare(guest: Guest) -> ClockMap:
    """One comparison."""
    machine = guest.machine
    file = machine.share / "clockmap"
    file.unlink(missing_ok=True)
    command = f"rm -f /tmp/clockmap; clockmap /tmp/clockmap {MILLISECONDS} & while [ ! -s /tmp/clockmap ]; do usleep 5000; done;" \
        " cp /tmp/clockmap /host/clockmap; wait"
    started = machine.start(command)
    deadline = time.monotonic() + 10
    while not file.is_file() or not file.read_text().endswith("\n"):
        if time.monotonic() > deadline:
            raise BenchError("clockmap does not give the address of its page")
        time.sleep(0.01)
    least = int(guest.chips.tell("clocks", int(file.read_text()), MILLISECONDS / 1000))
    ended = machine.finish(started, command)
    if not ended.output:
        raise BenchError(f"clockmap failed: {ended.errors}")
    most, *others = map(int, ended.output.split())
    offset, raw, real = Span(least, most), Span(*others[0:2]), Span(*others[2:4])
    if min(offset.width, raw.width, real.width) < 0:
        raise BenchError(f"the clocks contradict each other: {offset}, {raw}, {real}")
    return ClockMap(offset, raw, real)

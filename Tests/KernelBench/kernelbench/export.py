# SPDX-License-Identifier: Apache-2.0
"""What imulog exported: the JSON document, checked for what must hold in any."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .chips.signal import CHANNELS
from .errors import check

MILLISECOND = 1_000_000


@dataclass(frozen=True)
class Sample:
    """An exported sample; values in the units that were asked for."""

    time: int
    values: tuple[float, ...]


@dataclass(frozen=True)
class Gap:
    """Ticks without a sample, and why."""

    first: int
    count: int
    cause: str
    errno: int

    @property
    def end(self) -> int:
        """The tick after the last one."""
        return self.first + self.count


@dataclass(frozen=True)
class Take:
    """An exported recording."""

    document: dict
    samples: list[Sample]
    gaps: list[Gap]

    @property
    def period(self) -> float:
        """Nanoseconds a tick."""
        return 1e9 / self.document["rate_hz"]

    @property
    def scheduled(self) -> int:
        return self.document["ticks"]["scheduled"]

    def tick(self, sample: Sample) -> int:
        """The tick of a sample."""
        return int(sample.time // self.period)

    def lost(self, *causes: str) -> int:
        """Ticks lost to any of the causes, as the gaps have it."""
        return sum(gap.count for gap in self.gaps if gap.cause in causes)


CAUSES = ("missed", "busError", "ringFull", "stale", "reinitialising", "frozen")
"""Causes of gaps, which are the names of their counts under `ticks` too."""


def listed(output: str) -> list[dict]:
    """The recordings of a page of `imulog list --json`; none when nothing was printed."""
    return json.loads(output)["recordings"] if output else []


def read_take(path: Path) -> Take:
    """Reads an export and checks that its account of the ticks is right, and that samples and gaps fill the grid."""
    take = read_account(path)
    covered: set[int] = set()
    for gap in take.gaps:
        covered.update(range(gap.first, gap.end))
    for sample in take.samples:
        covered.add(take.tick(sample))
    check(
        len(covered) == take.scheduled and covered == set(range(take.scheduled)),
        f"of {take.scheduled} ticks {len(covered)} have a sample or a gap")
    return take


def read_account(path: Path) -> Take:
    """Reads an export, also of a chip that keeps the time, and checks that its account of the ticks is right."""
    document = json.loads(path.read_text(encoding="utf-8"))
    samples = [
        Sample(sample["t_ns"], tuple(sample.get(channel, 0) for channel in CHANNELS)) for sample in document["samples"]]
    gaps = [Gap(gap["tick"], gap["count"], gap["cause"], gap.get("errno", 0)) for gap in document["gaps"]]
    take = Take(document, samples, gaps)
    ticks = document["ticks"]
    check(
        sum(count for name, count in ticks.items() if name != "scheduled") == ticks["scheduled"],
        f"the ticks do not add up: {ticks}")
    check(ticks["sampled"] == len(samples), f"{len(samples)} samples, but the ledger says {ticks}")
    for cause in CAUSES:
        check(take.lost(cause) == ticks.get(cause, 0), f"gaps of cause {cause} hold {take.lost(cause)} ticks, the ledger {ticks}")
    check(all(a.time < b.time for a, b in zip(samples, samples[1:])), "samples are not in order")
    return take

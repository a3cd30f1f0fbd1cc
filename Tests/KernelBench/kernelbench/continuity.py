# SPDX-License-Identifier: Apache-2.0
"""A recording of a chip that keeps the time against the truth file: complete to the sample, and each sample dated.

    truth     41 42 43 44 45 46 47 48 49      numbers: nothing that the program says of itself is needed
    export    41 42 ── gap of 4 ── 47 48      4 are missing: the gap has to have as many ticks

The times are compared through the clocks' map, so they have no free constant, and the comparison knows how sure it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from .chips.truth import Truth, TrueSample
from .clockmap import Span
from .compare import match_samples
from .errors import check
from .export import Gap, Take

TEMPERATURE_LAG = 4000
"""Samples: where the FIFO has no temperature, a register is read once in a second or two, and what is drained next has it."""
TEMPERATURE_LEAD = 500


@dataclass(frozen=True)
class Hole:
    """A place between two samples of a take at which the chip made others, or the take has a gap."""

    time: int
    """When the chip made the last sample before, by the host's clock."""
    end: int
    """When it made the first one after."""
    missing: int
    """Samples that it made between them."""
    gaps: tuple[Gap, ...]
    least: int | None
    """What the take says is proved of their number; `None` when that is nothing."""
    most: int | None

    @property
    def ticks(self) -> int:
        """The take's idea of `missing`."""
        return sum(gap.count for gap in self.gaps)

    @property
    def is_right(self) -> bool:
        """Whether the number is right, as far as the take says that it is known."""
        if self.least is None:
            return self.missing == self.ticks
        return self.least <= self.missing <= self.most and self.least <= self.ticks <= self.most

    def __str__(self) -> str:
        causes = " and ".join(dict.fromkeys(gap.cause for gap in self.gaps)) or "no gap"
        proved = "not proved" if self.least is None else f"proved {self.least} to {self.most}"
        return f"{self.missing} missing, {self.ticks} ticks of {causes}, {proved}"


@dataclass(frozen=True)
class Dated:
    """A sample of a take and the one that the chip made."""

    error: int
    """Nanoseconds by which its time is late."""
    inside: int | None
    """Nanoseconds from when it was made to the nearer end of its interval; negative when it was made outside; `None` when
    there is no interval."""
    truth: TrueSample


@dataclass(frozen=True)
class Judgement:
    """A take that was compared with the truth."""

    take: Take
    truth: Truth
    dated: list[Dated]
    holes: list[Hole]
    start: int
    """Tick 0 by the host's clock."""
    doubt: int
    """Nanoseconds by which all errors may be off together: half of the clocks' map."""

    def errors(self, *outside: Span) -> Errors:
        """The errors but of the samples that were made inside of these spans."""
        signed = [
            dated.error for dated in self.dated
            if not any(span.low <= dated.truth.time <= span.high for span in outside)]
        middle = part(sorted(signed), 0.5)
        return Errors(middle, sorted(abs(error - middle) for error in signed))


@dataclass(frozen=True)
class Errors:
    """Errors of times, in nanoseconds."""

    middle: int
    """By which half of them are late at most: where the count is not latched in the middle of its transfer, the likely
    times of all samples are off by that, on any computer."""
    others: list[int]
    """How far each is from there, in order."""

    @property
    def percentile99(self) -> int:
        return part(self.others, 0.99)

    def __str__(self) -> str:
        return (
            f"times late by {self.middle / 1e3:.0f} µs, about which p50 {part(self.others, 0.5) / 1e3:.0f} p99"
            f" {self.percentile99 / 1e3:.0f} max {self.others[-1] / 1e3:.0f} µs")


def judge(take: Take, truth: Truth, chip: str, start: Span, bounds: Sequence[tuple[int | None, int | None]]) -> Judgement:
    """Compares; fails for samples that were never made, mixed, repeated, or out of order.

    `start`: tick 0 by the host's clock. `bounds`: the earliest and latest time of each sample, as exported.
    """
    matches = match_samples(take, truth, chip, lag=TEMPERATURE_LAG, lead=TEMPERATURE_LEAD)
    middle = (start.low + start.high) // 2
    dated = []
    for sample, match, (low, high) in zip(take.samples, matches, bounds, strict=True):
        made = match.time - middle
        inside = None if low is None or high is None else min(made - low, high - made)
        dated.append(Dated(sample.time - made, inside, match))
    return Judgement(take, truth, dated, find_holes(take, matches), middle, start.width // 2)


def find_holes(take: Take, matches: list[TrueSample]) -> list[Hole]:
    """Every place where samples or ticks are missing, but before the first sample and after the last."""
    gaps: dict[int, list[Gap]] = defaultdict(list)
    skipped = 0
    for gap in take.gaps:
        gaps[gap.first - skipped].append(gap)
        skipped += gap.count
    epochs = take.document.get("chipTimes", {}).get("epochs", ())
    holes = []
    for index, (before, after) in enumerate(zip(matches, matches[1:]), 1):
        missing = after.number - before.number - 1
        if missing or index in gaps:
            holes.append(Hole(before.time, after.time, missing, tuple(gaps[index]), *find_proof(gaps[index], epochs)))
    return holes


def find_proof(gaps: list[Gap], epochs: Sequence[dict]) -> tuple[int | None, int | None]:
    """The least and the greatest number of samples that an epoch in these gaps says are missing, with its void ones."""
    for epoch in epochs:
        if gaps and epoch["least"] is not None and gaps[0].first < epoch["tick"] <= gaps[-1].end:
            void = gaps[-1].end - epoch["tick"]
            return epoch["least"] + void, epoch["most"] + void
    return None, None


def check_inside(judgement: Judgement) -> str:
    """Checks that each sample was made in its interval, as far as the clocks' map can say."""
    proved = [dated.inside for dated in judgement.dated if dated.inside is not None]
    check(len(proved) > 0.99 * len(judgement.dated), f"only {len(proved)} of {len(judgement.dated)} samples have an interval")
    outside = [inside for inside in proved if inside < -judgement.doubt]
    check(
        not outside, f"{len(outside)} of {len(proved)} samples were made outside of their interval, the worst by"
        f" {-min(proved) / 1e3:.1f} µs")
    return f"{len(proved)} samples made in their intervals, {min(proved) / 1e3:+.1f} µs from an end at least"


def part(ordered: list[int], share: float) -> int:
    """The value that a share of the values does not exceed."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

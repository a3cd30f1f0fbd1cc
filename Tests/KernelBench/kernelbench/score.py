# SPDX-License-Identifier: Apache-2.0
"""What a log is worth, by the truth: its rows, and the losses that it names, are compared with what the chip made.

    due         samples from the first row, of a chip that has settled, to the end: those that the chip made, where it
                makes as many as were asked for, else one in each period that was asked for
    lost        no row is there for it
    unnamed     nor does the log say so
    doubled     the row is a sample that an earlier one has
    torn        the row is not a sample of the chip: axes or bytes of several, or values that were never made
    mis-scaled  the sample is right but for a factor
    late        the time is off by more than a period

Samples are recognised by their counts (chips/signal.py): those of the accelerometer and those of the gyroscope each give
the sample's number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from math import inf
from statistics import median

from .chips.truth import TrueSample
from .loggers import Log, Loss

FACTORS = 1, 2, 1 / 2, 4, 1 / 4, 8, 1 / 8
"""Between two ranges of a chip."""
SAME_SCALE, SAME_RATE = 0.01, 0.05
"""Errors that do not matter: the scales of kernel and data sheet differ by 0.1 %."""
BEHIND = 0.95
"""Periods by which a row may come after its turn before a sample counts as lost."""


@dataclass
class Score:
    """Counts of samples."""

    due: int = 0
    lost: int = 0
    late: int = 0
    doubled: int = 0
    torn: int = 0
    misscaled: int = 0
    unnamed: int = 0
    errors: list[int] = field(default_factory=list)  # of times, in nanoseconds

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def words(self) -> str:
        errors = sorted(self.errors)
        within = f"; 99 % of times within {errors[len(errors) * 99 // 100] / 1e6:.2f} ms" if errors else ""
        return (
            f"of {self.due} due {self.lost} lost, {self.unnamed} of them unnamed; {self.late} late, {self.doubled} doubled,"
            f" {self.torn} torn, {self.misscaled} mis-scaled{within}")


def judge(
    log: Log, made: Sequence[TrueSample], begin: int, end: int, rate: float, scale: tuple[float, float]
) -> Score:
    """Compares a log, its times by the clock of the truth, with the samples that the chip made.

    `begin`: when the first row is due if there is none. `end`: when the logger was told to stop.
    """
    rows, losses = log
    period = 1e9 / rate
    intervals = [after.time - before.time for before, after in zip(made, made[1:])]
    if intervals and abs(median(intervals) / period - 1) < SAME_RATE:
        period = median(intervals)
    score, seen, places = Score(), set(), []
    ready = next((sample.time for sample in made if sample.settled), end)
    accelerations = {sample.counts[:3]: sample for sample in made}
    rotations = {sample.counts[3:6]: sample for sample in made}
    for row in rows:
        acceleration, is_right = find(row.values[:3], scale[0], accelerations, 0)
        rotation, is_right_too = find(row.values[3:], scale[1], rotations, 1)
        sample = acceleration if acceleration is rotation else None
        place = sample.time if sample else row.time
        if not ready <= place <= end:
            continue
        if sample and sample.number in seen:
            score.doubled += 1
            continue
        places.append(place)
        if not sample:
            score.torn += 1
            continue
        seen.add(sample.number)
        error = abs(row.time - sample.time)
        score.errors.append(error)
        score.late += error > period
        score.misscaled += not (is_right and is_right_too)
    places = sorted(places) or [begin]
    score.due = max(0, round((end - places[0]) / period))
    named = [place for loss in losses for place in spread(loss, end, period) if places[0] < place < end]
    score.lost, score.unnamed = missing(places, end, period), missing(sorted([*places, *named]), end, period)
    return score


def find(values: tuple[float, ...], unit: float, made: dict, sensor: int) -> tuple[TrueSample | None, bool]:
    """The sample that has these values in some range, and whether it is the right one."""
    for factor in FACTORS:
        if sample := made.get(tuple(round(value / (unit * factor)) for value in values)):
            return sample, abs(unit * factor / sample.scale[sensor] - 1) < SAME_SCALE
    return None, False


def missing(places: list[int], end: int, period: float) -> int:
    """How many more would be due at these instants and until the end. A logger that is slower than it should be is behind by a
    part of a sample with each row; a row that is early, or one too many, counts for no more than half of a later one."""
    count, debt = 0, 0.0
    for before, after in zip(places, [*places[1:], end]):
        debt = max(debt + (after - before) / period - 1, -0.5)
        if debt >= BEHIND:
            count += int(debt + 1 - BEHIND)
            debt -= int(debt + 1 - BEHIND)
    return count


def spread(loss: Loss, end: int, period: float) -> Sequence[int]:
    """The instants of samples that a log says are missing."""
    if loss.count == inf:
        return range(loss.first, end, round(period))
    return [loss.first + index * (loss.last - loss.first) // int(loss.count) for index in range(int(loss.count))]

# SPDX-License-Identifier: Apache-2.0
"""Exported samples against the truth file: every one was made by the chip, at that time, in that scale, and once.

The two clocks differ by an unknown constant. A polled sample is up to one period of the chip older than its
read, so the differences

    time in the export  -  time in the truth     (nanoseconds)

lie in a band; its middle is taken for the constant, and no difference may be farther from it than TOLERANCE. A clock
that drifts, a sample that was dated wrongly, or one that waited somewhere, widens the band and fails.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass

from .chips.signal import CHANNELS
from .chips.truth import Truth, TrueSample
from .errors import HostTooSlow, check
from .export import MILLISECOND, Take

TOLERANCE = 2 * MILLISECOND
GRAVITY = 9.80665
RADIANS_PER_DEGREE = 0.017453292519943295
AXES = 6
TEMPERATURE_LAG = 24
"""A temperature that changes by itself may be of an earlier sample than the axes of the same read."""
FIFO_TEMPERATURE_LAG = 2000
"""Where the axes come from a FIFO, it is read beside them: every 0.5 s, at the latest after 0.9 s."""


@dataclass(frozen=True)
class Comparison:
    """The figures of a comparison."""

    matches: list[TrueSample | None]
    """For each exported sample the one that the chip made; `None` for one that was damaged on the wire."""
    offset: int
    """Export minus truth, the middle of the band."""
    worst: int
    """The largest distance from it."""
    lag: list[int]

    def summary(self) -> str:
        return f"{sum(match is not None for match in self.matches)} samples true, times within {self.worst / 1e6:.2f} ms"


def compare(
    take: Take, truth: Truth, chip: str, damaged: int = 0, repeated: int = 0, tolerance: int = TOLERANCE
) -> Comparison:
    """Checks a take in raw counts; its times are of one instant with the truth's, but for a constant."""
    lag = FIFO_TEMPERATURE_LAG if chip.startswith("lsm6ds") else TEMPERATURE_LAG
    matches = match_samples(take, truth, chip, damaged, repeated, lag)
    numbers = Counter(match.number for match in matches if match)
    twice = {number for number, count in numbers.items() if count > 1}
    return _compare_times(take, matches, twice, tolerance)


def match_samples(
    take: Take, truth: Truth, chip: str, damaged: int = 0, repeated: int = 0, lag: int = TEMPERATURE_LAG, lead: int = 0
) -> list[TrueSample | None]:
    """For each sample of a take in raw counts the one that the chip made; `None` for one that was damaged on the wire.

    `damaged`: samples that may be none of the chip's, because bytes were damaged on the wire where nothing guards
    them. `repeated`: samples that may be equal to the one before, because the chip said that they are new. `lag` and
    `lead`: how many samples a temperature may be older or newer than its sample.
    """
    made = {sample.counts[:AXES]: sample for sample in truth.samples.get(chip, ())}
    check(len(made) > 0, f"the truth file has no samples of {chip}")
    in_order = truth.samples[chip]
    places = {sample.number: place for place, sample in enumerate(in_order)}
    temperatures: dict[int, list[int]] = defaultdict(list)
    for place, sample in enumerate(in_order):
        temperatures[sample.counts.temp].append(place)
    matches: list[TrueSample | None] = []
    for sample in take.samples:
        match = made.get(tuple(int(value) for value in sample.values[:AXES]))
        if match:
            same, place = temperatures[int(sample.values[AXES])], places[match.number]
            latest = bisect_right(same, place + lead) - 1
            if latest < 0 or same[latest] < place - lag:
                match = None
        matches.append(match)
    strangers = [take.samples[index] for index, match in enumerate(matches) if match is None]
    check(
        len(strangers) <= damaged,
        f"{len(strangers)} exported samples were never made by the chip, first {strangers[:1]}"
        f"{_explain(strangers[:1], made)}")
    known = [match for match in matches if match]
    scales = Counter(match.scale for match in known)
    check(
        len(scales) <= 1,
        f"the chip made {sum(scales.values()) - max(scales.values(), default=0)} of the samples with other ranges than the"
        f" rest: {dict(scales)}")
    unsettled = [match.number for match in known if not match.settled]
    check(not unsettled, f"samples {unsettled[:5]} are from before the chip had settled")
    twice = [number for number, count in Counter(match.number for match in known).items() if count > 1]
    extra = len(known) - len({match.number for match in known})
    check(extra <= repeated, f"{extra} samples were exported again though {repeated} may be, first numbers {twice[:5]}")
    check(
        all(a.number <= b.number for a, b in zip(known, known[1:])), "samples are not in the order in which they were made")
    return matches


def _compare_times(
    take: Take, matches: list[TrueSample | None], excepted: set[int], tolerance: int
) -> Comparison:
    lags = [
        sample.time - match.time for sample, match in zip(take.samples, matches)
        if match and match.number not in excepted]
    check(len(lags) > 0, "no exported sample can be dated")
    ordered = sorted(lags)
    # The middle of the band, not of its outliers: the check is for those.
    low, high = ordered[len(ordered) // 100], ordered[-1 - len(ordered) // 100]
    offset = (low + high) // 2
    worst = max(lags, key=lambda lag: abs(lag - offset))
    outside = sum(abs(lag - offset) > tolerance for lag in lags)
    message = (
        f"{outside} of {len(lags)} samples are not within {tolerance / 1e6:g} ms of the truth; the worst is"
        f" {(worst - offset) / 1e6:+.3f} ms off, sample {lags.index(worst)}")
    if 0 < outside <= max(1, len(lags) // 100) and abs(worst - offset) <= 3 * tolerance:
        # The host, between the guest's time stamp and the chip's answer, may delay a single read.
        raise HostTooSlow(message)
    check(outside == 0, message)
    return Comparison(matches, offset, abs(worst - offset), lags)


def _explain(strangers: list, made: dict[tuple[int, ...], TrueSample]) -> str:
    """The samples that a stranger's values come from."""
    if not strangers:
        return ""
    parts = []
    for axis in range(AXES):
        numbers = [sample.number for counts, sample in made.items() if counts[axis] == strangers[0].values[axis]]
        parts.append(f"{CHANNELS[axis]} of {numbers[:4]}")
    return ": " + ", ".join(parts)


def compare_scale(si: Take, raw: Take, comparison: Comparison) -> None:
    """Checks that the values in SI units are the counts times the scale that the chip was set to when it made them."""
    check(len(si.samples) == len(raw.samples), "the exports in two units differ in length")
    for in_si, in_counts, match in zip(si.samples, raw.samples, comparison.matches):
        if match is None:
            continue
        for axis in range(AXES):
            unit = (
                match.scale.g_per_count * GRAVITY if axis < 3 else match.scale.dps_per_count * RADIANS_PER_DEGREE)
            expected = in_counts.values[axis] * unit
            check(
                abs(in_si.values[axis] - expected) <= 1e-4 * abs(expected) + 1e-4,
                f"sample {match.number}: {CHANNELS[axis]} is exported as {in_si.values[axis]}, and the chip, which was"
                f" set to {match.scale}, meant {expected:.5f}")

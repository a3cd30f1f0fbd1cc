# SPDX-License-Identifier: Apache-2.0
"""The checks themselves: each gets a recording with one error, and has to find it. Needs no guest."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..chips.signal import CHANNELS, Scale, recognisable
from ..chips.truth import Truth, TrueSample, read_truth
from ..clockmap import Span
from ..compare import GRAVITY, RADIANS_PER_DEGREE, Comparison, compare, compare_scale
from ..continuity import check_inside, judge
from ..errors import CheckFailed
from ..export import Gap, Sample, Take, read_take
from ..machine import Result
from ..scenario import Group
from . import chip, faults, scorer
from .specimens import Examined, Specimen, fail

CHIP = "mpu6050"
SCALE = Scale(1 / 8192, 1 / 65.5)
OFFSET = 7_000_000_123


def run(directory: Path, group: Group) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    group.run("the checks find what is wrong", lambda: all_of_them(directory))
    group.run("the torture test's scorer counts what is wrong", lambda: scorer.count_all(random.randrange(1 << 32)))


def truth() -> Truth:
    """A second of a chip that makes 1000 samples a second."""
    made = [
        TrueSample(number, OFFSET + number * 1_000_000, SCALE, True, recognisable(number, number * 37 & 0x0FFF))
        for number in range(1, 1001)]
    return Truth({CHIP: made}, [(OFFSET, "brownout mpu6050")])


def take(made: Truth) -> Take:
    """100 ticks a second, each with the latest sample."""
    samples = [Sample(sample.time - OFFSET + 300_000, tuple(sample.counts)) for sample in made.samples[CHIP][9::10]]
    return Take({"rate_hz": 100, "ticks": {"scheduled": 100}}, samples, [])


def with_sample(recorded: Take, index: int, sample: Sample) -> Take:
    return replace(recorded, samples=[*recorded.samples[:index], sample, *recorded.samples[index + 1 :]])


def all_of_them(directory: Path) -> str:
    """Runs every case; a sentence with their number."""
    made = truth()
    good = take(made)
    compared = compare(good, made, CHIP)
    compare_scale(in_si(good), good, compared)
    ledger(directory, {})()
    gap("reinitialising", 150, 10)()
    hole(3, 3)()
    interval(0, 20_000)()
    certified()()
    cases = [
        ("a sample that was never made", broken(good, made, 50, values=(1, 2, 3, 4, 5, 6, 7))),
        ("a sample mixed from two", broken(good, made, 50, values=good.samples[49].values[:3] + good.samples[50].values[3:])),
        ("one bit turned", broken(good, made, 50, values=(int(good.samples[50].values[0]) ^ 16, *good.samples[50].values[1:]))),
        ("the temperature of another sample", broken(good, made, 50, values=(*good.samples[50].values[:6], 30000))),
        ("a sample twice", broken(good, made, 50, values=good.samples[49].values)),
        ("two samples exchanged", exchanged(good, made)),
        ("a sample dated 3 ms early", broken(good, made, 50, time=good.samples[50].time - 3_000_000)),
        ("a clock that drifts by 5 ms", drifting(good, made)),
        ("samples from before the chip had settled", unsettled(good)),
        ("samples of other ranges", other_ranges(good)),
        ("a range that is not the exported one", lambda: compare_scale(in_si(good, 2), good, compared)),
        ("ticks that do not add up", ledger(directory, {"missed": 1})),
        ("a gap that the ledger does not know", ledger(directory, {}, [{"tick": 3, "count": 1, "cause": "stale"}])),
        ("a gap of the wrong cause", gap("missed", 150, 4)),
        ("a gap that is too long", gap("reinitialising", 0, 100)),
        ("no gap", lambda: faults.check_gaps(brown_out(), with_gaps(), 0, 0)),
        ("a truth file that is damaged", damaged_truth(directory)),
        ("a gap that is too short for the samples that are missing", hole(3, 2)),
        ("samples that are missing without a gap", hole(1, 0)),
        ("a gap where nothing is missing", hole(0, 1)),
        ("a sample from before its interval", interval(25_000, 0)),
        ("a sample from after its interval", interval(-25_000, 0)),
        ("a dead axis that is not named", certified(zero=("pass", "none"))),
        ("a dead axis that is named by another one", certified(zero=("fail", "gy"))),
        ("a good axis that is named beside it", certified(stuck=("fail", "az at 3"))),
        ("a chip that was never seen still", certified(still=("unknown", "never"))),
        ("a bad chip and the status of a good one", certified(0)),
        ("a self-test that never ran", certified(1, (0x1B, 0x08), (0x1B, 0x00))),
        ("a self-test that is left on", certified(1, (0x1B, 0xE8), (0x1B, 0xE0))),
        ("a register that the self-test left changed", certified(1, (0x1A, 0x02), (0x1B, 0xE8), (0x1B, 0x00))),
    ]
    for name, case in cases:
        must_fail(name, case)
    return f"{len(cases)} kinds of damage found"


def must_fail(name: str, case: Callable[[], object]) -> None:
    try:
        case()
    except (CheckFailed, ValueError):
        return
    raise CheckFailed(f"{name} was not found")


def broken(good: Take, made: Truth, index: int, **changes) -> Callable[[], Comparison]:
    return lambda: compare(with_sample(good, index, replace(good.samples[index], **changes)), made, CHIP)


def exchanged(good: Take, made: Truth) -> Callable[[], Comparison]:
    first, second = good.samples[50], good.samples[51]
    taken = with_sample(good, 50, replace(first, values=second.values))
    return lambda: compare(with_sample(taken, 51, replace(second, values=first.values)), made, CHIP)


def drifting(good: Take, made: Truth) -> Callable[[], Comparison]:
    samples = [replace(sample, time=sample.time + sample.time // 200) for sample in good.samples]
    return lambda: compare(replace(good, samples=samples), made, CHIP)


def unsettled(good: Take) -> Callable[[], Comparison]:
    made = Truth({CHIP: [replace(sample, settled=sample.number > 40) for sample in truth().samples[CHIP]]})
    return lambda: compare(good, made, CHIP)


def other_ranges(good: Take) -> Callable[[], Comparison]:
    made = Truth({CHIP: [
        replace(sample, scale=SCALE if sample.number < 900 else Scale(1 / 16384, 1 / 131)) for sample in truth().samples[CHIP]]})
    return lambda: compare(good, made, CHIP)


def in_si(good: Take, factor: float = 1) -> Take:
    units = [SCALE.g_per_count * GRAVITY * factor] * 3 + [SCALE.dps_per_count * RADIANS_PER_DEGREE] * 3
    samples = [
        replace(sample, values=(*(value * unit for value, unit in zip(sample.values, units)), 0))
        for sample in good.samples]
    return replace(good, samples=samples)


def ledger(directory: Path, changes: dict, gaps: list | None = None) -> Callable[[], Take]:
    """An exported document of 5 ticks at 100 Hz with something changed in its account."""
    names = ("missed", "busError", "ringFull", "stale", "reinitialising")
    document = {
        "rate_hz": 100, "gaps": gaps or [],
        "ticks": {"scheduled": 5, "sampled": 5, **dict.fromkeys(names, 0), **changes},
        "samples": [{"t_ns": tick * 10_000_000, **dict.fromkeys(CHANNELS, 0)} for tick in range(5)]}
    path = directory / "document.json"

    def read() -> Take:
        path.write_text(json.dumps(document))
        return read_take(path)

    return read


def brown_out() -> faults.Fault:
    return next(fault for fault in faults.FAULTS if "brown-out" in fault.name)


def gap(cause: str, first: int, count: int) -> Callable[[], None]:
    struck = 150 * 20_000_000
    return lambda: faults.check_gaps(brown_out(), with_gaps(Gap(first, count, cause, 0)), struck, struck)


def with_gaps(*gaps: Gap) -> Take:
    """A take of 225 ticks at 50 Hz."""
    return Take({"rate_hz": faults.RATE, "ticks": {"scheduled": 225}}, [], list(gaps))


def every(made: Truth, error: int = 0) -> Take:
    """All samples of a chip that keeps the time, each dated `error` nanoseconds late."""
    samples = [Sample(sample.time - OFFSET + error, tuple(sample.counts)) for sample in made.samples[CHIP]]
    return Take({"rate_hz": 1000}, samples, [])


def hole(missing: int, ticks: int) -> Callable[[], None]:
    """So many samples are missing after the 500th, and the gap there has so many ticks."""
    made = truth()
    recorded = every(made)
    gaps = [Gap(500, ticks, "missed", 0)] if ticks else []
    recorded = replace(recorded, samples=recorded.samples[:500] + recorded.samples[500 + missing :], gaps=gaps)
    return lambda: chip.check_right(judge(recorded, made, CHIP, Span(OFFSET, OFFSET), [(None, None)] * len(recorded.samples)).holes)


def interval(error: int, doubt: int) -> Callable[[], str]:
    """Intervals of 20 µs to both sides of times that are so late, by clocks that are as sure as this."""
    made = truth()
    recorded = every(made, error)
    bounds = [(sample.time - 20_000, sample.time + 20_000) for sample in recorded.samples]
    start = Span(OFFSET - doubt, OFFSET + doubt)
    return lambda: check_inside(judge(recorded, made, CHIP, start, bounds))


def damaged_truth(directory: Path) -> Callable[[], Truth]:
    path = directory / "damaged.truth"

    def read() -> Truth:
        path.write_text("sample mpu6050 1 2 3\n")
        return read_truth(path)

    return read


def certified(status: int = 1, *writes: tuple[int, int], **changes: tuple[str, str]) -> Callable[[], str]:
    """What `certify` says of an MPU-6050 whose gx is dead, with something changed in it."""
    lines = {"still": ("pass", "3 s from 0 s"), "zero": ("fail", "gx"), "stuck": ("pass", "none"), **changes}
    findings = [{"name": name, "verdict": verdict, "value": value} for name, (verdict, value) in lines.items()]
    found = Examined(
        certified=Result("certify", status, json.dumps({"findings": findings}), ""), registers=bytes(128),
        writes=[*(writes or ((0x1B, 0xE8), (0x1B, 0x00))), (0x6B, 0x80), (0x1B, 0x08)])
    return lambda: Specimen("a dead axis", "mpu6050@0x68", certified={"zero": fail("gx")}).judge(found)

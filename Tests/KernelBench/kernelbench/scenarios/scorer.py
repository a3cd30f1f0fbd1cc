# SPDX-License-Identifier: Apache-2.0
"""The torture test's scorer itself: it has to count the faults of broken loggers, and none of a good one. Needs no guest."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from math import inf

from ..chips.signal import Scale, recognisable
from ..chips.truth import TrueSample
from ..errors import check
from ..loggers import Loss, Row
from ..score import Score, judge

RATE, COUNT, PERIOD = 100, 2000, 10_000_000
UNITS = Scale(1 / 4096, 1 / 32.8)
FAULTS = 20
"""Places where something is wrong, far enough from each other to be told apart."""
Case = tuple[str, Callable[[list[Row], int], Sequence[Row]], dict[str, int]]
"""What a broken logger does, the rows that it has in place of one, and the counts."""
CASES: tuple[Case, ...] = (
    ("a good logger", lambda rows, at: [rows[at]], {}),
    ("a sample lost", lambda rows, at: [], {"lost": 1, "unnamed": 1}),
    ("a sample twice", lambda rows, at: [rows[at], rows[at]], {"doubled": 1}),
    ("a sample in place of the next", lambda rows, at: [replace(rows[at], values=rows[at - 1].values)],
        {"doubled": 1, "lost": 1, "unnamed": 1}),
    ("the gyroscope's axes of the next sample",
        lambda rows, at: [replace(rows[at], values=rows[at].values[:3] + rows[at + 1].values[3:])], {"torn": 1}),
    ("values that were never made", lambda rows, at: [replace(rows[at], values=(0.0,) * 6)], {"torn": 1}),
    ("another range than the logger takes it for",
        lambda rows, at: [replace(rows[at], values=(*(4 * value for value in rows[at].values[:3]), *rows[at].values[3:]))],
        {"misscaled": 1}),
    ("a time that is off by two periods", lambda rows, at: [replace(rows[at], time=rows[at].time + 2 * PERIOD)], {"late": 1}),
)


def count_all(seed: int) -> str:
    """Each fault alone, then all of them in one broken logger; losses that are named; a logger that is too slow."""
    chance = random.Random(seed)
    first = chance.randrange(1, 1 << 20)
    made = [
        TrueSample(first + index, index * PERIOD + 7_000_000_123, UNITS, True, recognisable(first + index, 0))
        for index in range(COUNT)]
    good = [
        Row(sample.time + 300_000, tuple(round(count * UNITS[axis // 3], 6) for axis, count in enumerate(sample.counts[:6])))
        for sample in made]
    places = sorted(chance.sample(range(10, COUNT - 10, 8), FAULTS))

    def expect(name: str, rows: list[Row], losses: list[Loss], expected: dict[str, int]) -> None:
        score = judge((rows, losses), made, made[0].time, made[-1].time + PERIOD // 2, RATE, UNITS)
        found = {each.name: getattr(score, each.name) for each in fields(Score)[1:-1] if getattr(score, each.name)}
        check(found == expected, f"{name}, seed {seed}: {found} and not {expected}")

    def broken(cases: Sequence[Case]) -> tuple[list[Row], dict[str, int]]:
        spoiled = {at: cases[index % len(cases)] for index, at in enumerate(places)}
        rows = [row for at in range(COUNT) for row in (spoiled[at][1](good, at) if at in spoiled else [good[at]])]
        return rows, dict(sum((Counter(case[2]) for case in spoiled.values()), Counter()))

    for case in CASES:
        rows, expected = broken([case])
        expect(case[0], rows, [], expected)
        names = [Loss(made[at].time, made[at].time, 1) for at in places[1:]]
        expect(f"{case[0]}, named but for one", rows, names, {**expected, **({"unnamed": 1} if "lost" in expected else {})})
    expect("a broken logger", broken(CASES)[0], [], broken(CASES)[1])
    names = [Loss(made[places[5]].time, made[-1].time, inf)]
    expect("named from the sixth on", broken(CASES[1:2])[0], names, {"lost": FAULTS, "unnamed": 5})
    expect("a slow logger", good[::2], [], {"lost": COUNT // 2 - 1, "unnamed": COUNT // 2 - 1})
    return f"{2 * len(CASES) + 3} logs scored, seed {seed}"

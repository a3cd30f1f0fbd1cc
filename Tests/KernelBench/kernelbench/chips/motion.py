# SPDX-License-Identifier: Apache-2.0
"""How the board moves that a chip is soldered to: gravity and angular rate, which belong together.

    numbers   no board at all: samples by which they can be recognised
    rest      it lies face up
    shaken    it is pushed to and fro along x and y, and rocks about x
    turned    it is turned about one axis after the other, always a level one, so that gravity shows every turn:

              up   z ── about x ──► y ── about z ──► x ── about y ──► z
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin
from typing import NamedTuple

Vector = tuple[float, float, float]


class Sensed(NamedTuple):
    """What acts on a chip: specific force in g, and angular rate in degrees a second."""

    acceleration: Vector
    rate: Vector


FACE_UP = Sensed((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
SHAKES = 3.0
"""Hertz."""
PUSH, SWING = 0.2, 30.0
"""Of a board that is shaken, in g and degrees a second."""
QUARTER = 0.6
"""Seconds in which a board that is turned makes a quarter of a turn, at 150 degrees a second."""
LEGS = ((0, 2, 1), (2, 1, 0), (1, 0, 2))
"""Axes: about which it is turned, and which is up before and after that."""


class Motion:
    """A board that moves in one of these ways from `now` on, face up at first."""

    def __init__(self, kind: str, now: int) -> None:
        self._sensed = KINDS[kind]
        self._since = now

    def at(self, time: int) -> Sensed | None:
        """What the chip senses; `None` for numbers."""
        return self._sensed((time - self._since) / 1e9)


def shaken(seconds: float) -> Sensed:
    push = PUSH * sin(2 * pi * SHAKES * seconds)
    return Sensed((push, push / 2, 1.0), (SWING * cos(2 * pi * SHAKES * seconds), 0.0, 0.0))


def turned(seconds: float) -> Sensed:
    """A chip that turns one way sees gravity turn the other way."""
    leg, part = divmod(seconds / QUARTER, 1)
    about, before, after = LEGS[int(leg) % len(LEGS)]
    acceleration, rate = [0.0] * 3, [0.0] * 3
    acceleration[before], acceleration[after] = cos(part * pi / 2), sin(part * pi / 2)
    rate[about] = 90 / QUARTER
    return Sensed((*acceleration,), (*rate,))


KINDS: dict[str, Callable[[float], Sensed | None]] = {
    "numbers": lambda _: None, "rest": lambda _: FACE_UP, "shaken": shaken, "turned": turned}

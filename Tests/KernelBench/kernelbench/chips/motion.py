# SPDX-License-Identifier: Apache-2.0
"""How the board moves that a chip is soldered to: gravity and angular rate, which belong together.

    numbers   no board at all: samples by which they can be recognised
    rest      it lies face up
    shaken    it is pushed to and fro along x and y, and rocks about x
    turned    it is turned about all three axes, and nothing else pushes it
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, radians, sin, sqrt
from typing import NamedTuple

Vector = tuple[float, float, float]

SHAKES, SWINGS = (3.0, 0.2), (3.0, 30.0)
"""Hertz, and g or degrees a second, of a board that is shaken."""
TURNS = ((1.7, 0.3), (2.3, 2.1), (2.9, 4.0))
"""Seconds and phase of the turns about x, y and z; they never come together again."""
FASTEST_TURN = 140.0
"""Degrees a second about each axis."""


class Sensed(NamedTuple):
    """What acts on a chip: specific force in g, and angular rate in degrees a second."""

    acceleration: Vector
    rate: Vector


FACE_UP = (0.0, 0.0, 1.0)


class Motion:
    """A board that moves in one of these ways from `now` on, face up at first."""

    def __init__(self, kind: str, now: int) -> None:
        kinds: dict[str, Callable[[float], Sensed] | None] = {
            "numbers": None, "rest": lambda _: Sensed(FACE_UP, (0.0, 0.0, 0.0)), "shaken": shaken, "turned": self._turned}
        self._sense = kinds[kind]
        self._since = now
        self._up: Vector = FACE_UP
        self._turned_until = 0.0

    def at(self, time: int) -> Sensed | None:
        """What the chip senses; `None` for numbers. Times never go back."""
        return self._sense((time - self._since) / 1e9) if self._sense else None

    def _turned(self, seconds: float) -> Sensed:
        """The chip turns one way, and gravity the other way in it; one step for a sample, by the rate in its middle."""
        step = max(0.0, seconds - self._turned_until)
        middle = turning(seconds - step / 2)
        self._up = rotated(self._up, tuple(-radians(rate) * step for rate in middle))
        self._turned_until = max(seconds, self._turned_until)
        return Sensed(self._up, turning(seconds))


def shaken(seconds: float) -> Sensed:
    push = SHAKES[1] * sin(2 * pi * SHAKES[0] * seconds)
    return Sensed((push, push / 2, 1.0), (SWINGS[1] * cos(2 * pi * SWINGS[0] * seconds), 0.0, 0.0))


def turning(seconds: float) -> Vector:
    x, y, z = (FASTEST_TURN * sin(2 * pi * seconds / period + phase) for period, phase in TURNS)
    return x, y, z


def rotated(vector: Vector, angle: tuple[float, ...]) -> Vector:
    """A vector after a rotation by `angle`, in radians about each axis at once (Rodrigues)."""
    size = sqrt(sum(part * part for part in angle))
    if size == 0:
        return vector
    k = tuple(part / size for part in angle)
    along = sum(a * b for a, b in zip(k, vector)) * (1 - cos(size))
    across = (
        k[1] * vector[2] - k[2] * vector[1], k[2] * vector[0] - k[0] * vector[2], k[0] * vector[1] - k[1] * vector[0])
    x, y, z = (v * cos(size) + c * sin(size) + a * along for v, c, a in zip(vector, across, k))
    return x, y, z

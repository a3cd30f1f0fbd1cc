# SPDX-License-Identifier: Apache-2.0
"""The self-test of a chip: electrodes push its masses, and the outputs change by an answer that this specimen has.

    on         ┌──────────────────┐
    electrodes ┘                  └────────
                  ____________
    output     __╱            ╲____________    takes `settling` to follow
"""

from __future__ import annotations

from collections.abc import Iterable

AXES = 6


class Electrodes:
    """Those of all axes: x, y, z of the accelerometer, then of the gyroscope.

    `answers` are in g and degrees a second, `settling` is that of the two sensors in nanoseconds.
    """

    def __init__(self, answers: Iterable[float], settling: tuple[int, int]) -> None:
        self._answers = list(answers)
        self._settling = settling
        self.release()

    def release(self) -> None:
        """No mass is pushed or moves, as after a reset."""
        self._pushes = [(0.0, 0.0, 0)] * AXES  # from, to, since

    def disconnect(self, axis: int) -> None:
        """This axis has no answer."""
        self._answers[axis] = 0.0

    def push(self, axis: int, direction: int, now: int) -> None:
        """A register has a direction, 1, -1 or 0, for an axis; the same one again changes nothing."""
        if self._pushes[axis][1] != direction:
            self._pushes[axis] = (self._level(axis, now), direction, now)

    def _level(self, axis: int, time: int) -> float:
        before, after, since = self._pushes[axis]
        return after + (before - after) * max(0.0, 1 - (time - since) / self._settling[axis // 3])

    def at(self, time: int) -> list[float]:
        """What the electrodes add to each axis, in g and degrees a second."""
        return [answer * self._level(axis, time) for axis, answer in enumerate(self._answers)]

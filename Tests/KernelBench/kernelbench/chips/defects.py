# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a specimen of a chip, and shows in its counts.

    zero AXIS             it is always 0
    held AXIS COUNT       it always has this count
    copy AXIS OTHER       it has the counts of the other one
    swap AXIS OTHER       they are exchanged
    scale SENSOR FACTOR   the counts of a sensor, a or g, are so many times what they should be
"""

from __future__ import annotations

from collections.abc import Callable

from .signal import CHANNELS, Counts, count

Axes = list[int]


def zero(axis: str) -> Callable[[Axes], None]:
    return held(axis, "0")


def held(axis: str, value: str) -> Callable[[Axes], None]:
    place, number = CHANNELS.index(axis), int(value)

    def spoil(axes: Axes) -> None:
        axes[place] = number

    return spoil


def copy(axis: str, other: str) -> Callable[[Axes], None]:
    place, source = CHANNELS.index(axis), CHANNELS.index(other)

    def spoil(axes: Axes) -> None:
        axes[place] = axes[source]

    return spoil


def swap(axis: str, other: str) -> Callable[[Axes], None]:
    one, two = CHANNELS.index(axis), CHANNELS.index(other)

    def spoil(axes: Axes) -> None:
        axes[one], axes[two] = axes[two], axes[one]

    return spoil


def scale(sensor: str, factor: str) -> Callable[[Axes], None]:
    first, times = {"a": 0, "g": 3}[sensor], float(factor)

    def spoil(axes: Axes) -> None:
        axes[first : first + 3] = [count(value * times) for value in axes[first : first + 3]]

    return spoil


KINDS = {"zero": zero, "held": held, "copy": copy, "swap": swap, "scale": scale}


class Defects:
    """Those of one specimen, in the order in which they were added; none at first."""

    def __init__(self) -> None:
        self._spoilers: list[Callable[[Axes], None]] = []

    def add(self, kind: str, *words: str) -> None:
        self._spoilers.append(KINDS[kind](*words))

    def of(self, counts: Counts) -> Counts:
        """The sample that such a specimen makes where a sound one makes `counts`."""
        if not self._spoilers:
            return counts
        axes = list(counts[:6])
        for spoil in self._spoilers:
            spoil(axes)
        return Counts(*axes, counts.temp)

# SPDX-License-Identifier: Apache-2.0
"""The counts of samples: numbers by which every one can be recognised, or what a chip measures."""

from __future__ import annotations

import random
from typing import NamedTuple

CHANNELS = ("ax", "ay", "az", "gx", "gy", "gz", "temp")


class Counts(NamedTuple):
    """One sample as the chip's output registers hold it."""

    ax: int
    ay: int
    az: int
    gx: int
    gy: int
    gz: int
    temp: int


class Scale(NamedTuple):
    """The data sheet's scale of a count, written to the truth file with every sample."""

    g_per_count: float
    dps_per_count: float


def recognisable(number: int, temperature: int) -> Counts:
    """A sample whose number follows nearly from each value alone, and surely from all of them.

    Each axis is a linear congruence of the number with a multiplier of its own, 16 bits of it: a sample that mixes
    two, or that has one bit turned, is then no sample that was ever made.
    """
    axes = [((number + 1) * multiplier >> 12 & 0xFFFF) - 0x8000 for multiplier in _MULTIPLIERS]
    # The ends of the range mean "saturated" or "not settled" to some programs.
    return Counts(*(max(-32000, min(32000, value)) for value in axes), temperature)


_MULTIPLIERS = (2654435761, 2246822519, 3266489917, 668265263, 374761393, 2869860233)


def count(value: float) -> int:
    """The count that a register of 16 bits has for a value in counts."""
    return max(-0x8000, min(0x7FFF, round(value)))


def measured(
    sensed: list[float], scale: Scale, noise: tuple[float, float], temperature: int, chance: random.Random
) -> Counts:
    """The sample of a chip that senses so much on each axis, in g and degrees a second, with its noise, which a coarse
    range may hide."""
    units = [scale.g_per_count] * 3 + [scale.dps_per_count] * 3
    deviations = [noise[0]] * 3 + [noise[1]] * 3
    axes = (
        count(chance.gauss(value, deviation) / unit) for value, deviation, unit in zip(sensed, deviations, units))
    return Counts(*axes, temperature)

# SPDX-License-Identifier: Apache-2.0
"""What the chips sense: numbers by which every sample can be recognised, or a board at rest."""

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


def at_rest(scale: Scale, noise: tuple[float, float], temperature: int, chance: random.Random) -> Counts:
    """A board at rest, face up: 1 g on z, no rotation, and the chip's noise, which a coarse range may hide."""
    accelerometer, gyroscope = noise[0] / scale.g_per_count, noise[1] / scale.dps_per_count
    gauss = chance.gauss
    return Counts(
        round(gauss(0, accelerometer)), round(gauss(0, accelerometer)),
        round(1 / scale.g_per_count + gauss(0, accelerometer)),
        round(gauss(0, gyroscope)), round(gauss(0, gyroscope)), round(gauss(0, gyroscope)), temperature)

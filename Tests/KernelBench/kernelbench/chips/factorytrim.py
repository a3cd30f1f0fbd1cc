# SPDX-License-Identifier: Apache-2.0
"""An MPU-6050's factory trim (RM-MPU-6000A 4.1): the answers of its self-test as the factory measured them on this
specimen, in four registers that no reset clears.

    0D   XA[4:2] XG[4:0]
    0E   YA[4:2] YG[4:0]
    0F   ZA[4:2] ZG[4:0]
    10   - - XA[1:0] YA[1:0] ZA[1:0]

A code n stands for 4096·0.34·(0.92/0.34)^((n-1)/30) counts of acceleration in the range of 8 g, of 4096 counts a g, and for
25·131·1.046^(n-1) counts of angular rate in the range of 250 °/s, of 131 counts a degree a second, in Y negative. A code of
0 stands for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

SELF_TEST_X = 0x0D
CODES = (5, 16, 28, 9, 17, 25)
"""Of x, y, z of the accelerometer and of the gyroscope: all different, so that no axis passes for another one."""
AGEING = (1.09, 0.90, 1.04, 0.89, 1.10, 0.95)
"""What the answers are today, as parts of the trim: 14 % off is a broken chip."""


def registers(codes: Sequence[int]) -> bytes:
    """The contents of 0D to 10."""
    upper = [codes[axis] >> 2 << 5 | codes[axis + 3] for axis in range(3)]
    return bytes([*upper, (codes[0] & 3) << 4 | (codes[1] & 3) << 2 | codes[2] & 3])


def answers(codes: Sequence[int]) -> list[float]:
    """What the codes stand for, in g and degrees a second."""
    acceleration = [0.34 * (0.92 / 0.34) ** ((code - 1) / 30) if code else 0.0 for code in codes[:3]]
    rate = [sign * 25 * 1.046 ** (code - 1) if code else 0.0 for sign, code in zip((1, -1, 1), codes[3:])]
    return acceleration + rate

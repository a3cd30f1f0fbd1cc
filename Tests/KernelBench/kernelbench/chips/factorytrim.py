# SPDX-License-Identifier: Apache-2.0
"""The factory trim of the MPU-6050 and of its successors: the answers of the self-test as the factory measured them on this
specimen, as codes in registers that no reset clears. A code of 0 stands for nothing.

MPU-6050 (RM-MPU-6000A 4.1), codes up to 31:

    0D   XA[4:2] XG[4:0]
    0E   YA[4:2] YG[4:0]
    0F   ZA[4:2] ZG[4:0]
    10   - - XA[1:0] YA[1:0] ZA[1:0]

    4096·0.34·(0.92/0.34)^((n-1)/30) counts of acceleration at 8 g, of 4096 counts a g
    25·131·1.046^(n-1) counts of angular rate at 250 °/s, of 131 counts a degree a second, in Y negative

Successors, codes up to 255, in the finest ranges, of 16384 and 131 counts; no document has it, and all drivers do:

    00 01 02   XG YG ZG        2620·1.01^(n-1) counts of either sensor
    0D 0E 0F   XA YA ZA
"""

from __future__ import annotations

from collections.abc import Sequence

CODES = (5, 16, 28, 9, 17, 25)
"""Of x, y, z of the accelerometer and of the gyroscope: all different, so that no axis passes for another one."""
SUCCESSOR_CODES = (92, 118, 61, 78, 107, 140)
AGEING = (1.09, 0.90, 1.04, 0.89, 1.10, 0.95)
"""What the answers are today, as parts of the trim: 14 % off is a broken MPU-6050."""


def registers(codes: Sequence[int]) -> dict[int, int]:
    """What an MPU-6050's registers hold."""
    upper = {0x0D + axis: codes[axis] >> 2 << 5 | codes[axis + 3] for axis in range(3)}
    return {**upper, 0x10: (codes[0] & 3) << 4 | (codes[1] & 3) << 2 | codes[2] & 3}


def answers(codes: Sequence[int]) -> list[float]:
    """The answers of an MPU-6050 today, in g and degrees a second."""
    trim = [0.34 * (0.92 / 0.34) ** ((code - 1) / 30) for code in codes[:3]]
    trim += [sign * 25 * 1.046 ** (code - 1) for sign, code in zip((1, -1, 1), codes[3:])]
    return [part * answer for part, answer in zip(AGEING, trim)]


def successor_registers(codes: Sequence[int]) -> dict[int, int]:
    """What a successor's registers hold."""
    return dict(zip((0x0D, 0x0E, 0x0F, 0x00, 0x01, 0x02), codes))


def successor_answers(codes: Sequence[int]) -> list[float]:
    """The answers of a successor today, in g and degrees a second."""
    counts = [2620 * 1.01 ** (code - 1) for code in codes]
    return [part * count / unit for part, count, unit in zip(AGEING, counts, [16384] * 3 + [131] * 3)]

# SPDX-License-Identifier: Apache-2.0
"""An LSM6DSL or LSM6DS3TR-C at register level, written from the latter's data sheet (DocID030071) and AN5130: what it has in
common with the LSM6DSO, and the FIFO without tags.

Not emulated: third data set, temperature in the FIFO, embedded functions, sensor hub.
"""

from __future__ import annotations

from .lsm6dso import CTRL3_C, FIFO_STATUS1, FIFO_STATUS2, LSM6DSO, OUTZ_H_A, STATUS_REG, TIMESTAMP0, TIMESTAMP2, WHO_AM_I
from .patternfifo import PatternFIFO
from .taggedfifo import TIMESTAMP

FIFO_CTRL1, FIFO_CTRL5, DRDY_PULSE_CFG = 0x06, 0x0A, 0x0B
FIFO_STATUS3, FIFO_STATUS4, FIFO_DATA_OUT_L, FIFO_DATA_OUT_H = 0x3C, 0x3D, 0x3E, 0x3F
WAKE_UP_DUR, TIMER_HR = 0x5C, 0x10


class LSM6DSL(LSM6DSO):
    """The chip with SA0 low."""

    name, own_identity = "lsm6dsl", 0x6A
    reset_values = {CTRL3_C: 0x04}
    read_only = {WHO_AM_I, *range(STATUS_REG, OUTZ_H_A + 1), *range(FIFO_STATUS1, TIMESTAMP2 + 1)}
    fifo_registers = set(range(FIFO_STATUS1, FIFO_DATA_OUT_H + 1))
    timestamp_registers = range(TIMESTAMP0, TIMESTAMP2 + 1)
    pulse_register = DRDY_PULSE_CFG
    has_two_range_bits = True
    settling = (100_000_000, 50_000_000)
    densities = (90e-6, 130e-6, 90e-6, 90e-6), 5e-3

    def make_fifo(self) -> PatternFIFO:
        return PatternFIFO()

    def following(self, register: int) -> int:
        return FIFO_DATA_OUT_L if register == FIFO_DATA_OUT_H else (register + 1) & 0xFF

    def read_fifo(self, register: int, now: int) -> int:
        if register == FIFO_STATUS1:
            return self.fifo.count(now) & 0xFF
        if register == FIFO_STATUS2:
            return self.fifo.flags(now) | self.fifo.count(now) >> 8
        if register == FIFO_STATUS3:
            return self.fifo.index() & 0xFF
        if register == FIFO_STATUS4:
            return self.fifo.index() >> 8
        return self.fifo.low(now) if register == FIFO_DATA_OUT_L else self.fifo.take_high(now)

    def configure_fifo(self, register: int) -> None:
        if FIFO_CTRL1 <= register <= FIFO_CTRL5:
            self.fifo.configure(self.registers[FIFO_CTRL1 : FIFO_CTRL5 + 1])

    def word(self, tag: int, time: int) -> bytes:
        if tag != TIMESTAMP:
            return super().word(tag, time)
        stamp = self.timestamp(time)
        return bytes([stamp >> 8 & 0xFF, stamp >> 16 & 0xFF, 0, stamp & 0xFF, 0, 0])

    def timestamp(self, now: int) -> int:
        """24 bits, of 25 µs or of 6.4 ms."""
        stamp = super().timestamp(now)
        return (stamp if self.registers[WAKE_UP_DUR] & TIMER_HR else stamp >> 8) & 0xFFFFFF

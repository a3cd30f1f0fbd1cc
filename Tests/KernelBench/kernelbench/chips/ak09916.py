# SPDX-License-Identifier: Apache-2.0
"""An AK09916, the magnetometer in an ICM-20948, at register level, written from that chip's data sheet (DS-000189
rev. 1.3, sections 12 and 13).

    ICM-20948 ── connected while INT_PIN_CFG has BYPASS_EN and USER_CTRL not I2C_MST_EN ──► 0C

Emulated: identity, power-down, continuous modes, soft reset, the order of registers in a burst, DRDY, DOR, and that the
data stand still from their first byte that is read until ST2 is read. A mode is left only for power-down, and that only
after 100 µs. Not emulated: single measurements, overflow, the self-test.

The truth file has the counts of a measurement as those of an accelerometer.
"""

from __future__ import annotations

from .chip import Chip
from .icm20948 import ICM20948
from .signal import Counts, Scale, recognisable
from .truth import TruthWriter

WIA1, WIA2, ST1, HXL, ST2, CNTL2, CNTL3 = 0x00, 0x01, 0x10, 0x11, 0x18, 0x31, 0x32
DRDY, DOR, SRST = 0x01, 0x02, 0x01
IDENTITY = {WIA1: 0x48, WIA2: 0x09}
AFTER = {0x03: 0x10, ST2: 0x00, CNTL3: 0x30}
"""The registers that are not followed by the next number."""
PERIODS = {0x02: 100_000_000, 0x04: 50_000_000, 0x06: 20_000_000, 0x08: 10_000_000}
"""Nanoseconds from one measurement to the next, by mode."""
POWER_DOWN_TIME = 100_000


class AK09916(Chip):
    """The chip behind an ICM-20948."""

    name, address, boot_time = "ak09916", 0x0C, 1_000_000
    noise = (0.0, 0.0)

    def __init__(self, host: ICM20948, truth: TruthWriter, now: int) -> None:
        self._host = host
        super().__init__(truth, now)

    def reset(self, now: int) -> None:
        self._mode, self._status, self._is_held = 0, 0, False
        self._next: int | None = None
        self._is_off_from = now
        self._data = bytes(ST2 - HXL + 1)

    # The bus.

    def is_answering(self, now: int) -> bool:
        return super().is_answering(now) and self._host.is_bypassed

    def read(self, now: int) -> int:
        self.advance(now)
        register = self._move_on()
        if register == ST1:
            return self._status
        if HXL <= register <= ST2:
            self._status, self._is_held = 0, register != ST2
            return self._data[register - HXL]
        return self._mode if register == CNTL2 else IDENTITY.get(register, 0)

    def write(self, value: int, now: int) -> None:
        self.advance(now)
        register = self._move_on()
        if register == CNTL3 and value & SRST:
            self.reset(now)
        elif register == CNTL2 and value == 0:
            self._mode, self._next, self._is_off_from = 0, None, now
        elif register == CNTL2 and self._mode == 0 and now - self._is_off_from >= POWER_DOWN_TIME:
            self._mode = value & 0x1F
            if self._mode in PERIODS:
                self.clock.restart(now)
                self._next = self.clock.next(PERIODS[self._mode])

    def _move_on(self) -> int:
        register = self.pointer
        self.pointer = AFTER.get(register, register + 1) & 0xFF
        return register

    # Samples.

    def advance(self, now: int) -> None:
        while self._next is not None and self._next <= now:
            time, self._next = self._next, self.clock.next(PERIODS[self._mode])
            self.number += 1
            # A quarter, so that the three together are in its range.
            axes = [axis >> 2 for axis in recognisable(self.number, 0)[:3]]
            self.truth.sample(self.name, self.number, time, Scale(0.15, 0.0), True, Counts(*axes, 0, 0, 0, 0))
            if self._is_held or self._status & DRDY:
                self._status |= DOR
            if not self._is_held:
                self._status |= DRDY
                self._data = b"".join(axis.to_bytes(2, "little", signed=True) for axis in axes) + bytes(2)

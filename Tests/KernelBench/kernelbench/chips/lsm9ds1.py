# SPDX-License-Identifier: Apache-2.0
"""The accelerometer and gyroscope of an LSM9DS1 at register level, written from its data sheet (DocID025715 rev. 2).

Emulated: identity, reset, boot, data rates of both sensors, ranges, both copies of the status, block data update,
temperature, and automatic increment with its jump: after 1D, the last byte of angular rate, at 28 with acceleration,
and after 2D at 18, and self-test. Not emulated: FIFO (its count is 0), interrupts, filters, the magnetometer.

With the gyroscope on, both sensors have its data rate. The output registers have no shadow set: a sample that comes
while they are read is seen from the next byte on, except that block data update holds a two-byte value whose lower byte
was read until its upper byte was read.
"""

from __future__ import annotations

from .chip import Chip
from .signal import Counts, Scale

WHO_AM_I, CTRL_REG1_G, OUT_TEMP_L, STATUS_REG = 0x0F, 0x10, 0x15, 0x17
OUT_X_L_G, OUT_Z_H_G, CTRL_REG4, CTRL_REG5_XL, CTRL_REG6_XL = 0x18, 0x1D, 0x1E, 0x1F, 0x20
CTRL_REG8, CTRL_REG9, CTRL_REG10, STATUS_REG_2 = 0x22, 0x23, 0x24, 0x27
OUT_X_L_XL, OUT_Z_H_XL, FIFO_SRC = 0x28, 0x2D, 0x2F

RESET_VALUES = {CTRL_REG4: 0x38, CTRL_REG5_XL: 0x38, CTRL_REG8: 0x04}
BOOT, BDU, IF_ADD_INC, SW_RESET = 0x80, 0x40, 0x04, 0x01
I2C_DISABLE = 0x04
XLDA, GDA, TDA = 1, 2, 4
READ_ONLY = {WHO_AM_I, FIFO_SRC, STATUS_REG, STATUS_REG_2, OUT_TEMP_L, OUT_TEMP_L + 1,
             *range(OUT_X_L_G, OUT_Z_H_G + 1), *range(OUT_X_L_XL, OUT_Z_H_XL + 1)}

BOOT_TIME = 20_000_000
RESET_TIME = 5_000_000
GYROSCOPE_HERTZ = (0, 14.9, 59.5, 119, 238, 476, 952, 0)
ACCELEROMETER_HERTZ = (0, 10, 50, 119, 238, 476, 952, 0)
"""By code; the accelerometer's hold while the gyroscope is off."""
GYROSCOPE_DISCARDS = (0, 13, 13, 13, 14, 15, 18, 0)
"""Samples until the gyroscope's filters have settled, by code, with LPF2."""
ACCELEROMETER_DISCARDS = 14
ST_XL, ST_G = 0x01, 0x04
"""Of CTRL_REG10."""


class LSM9DS1(Chip):
    """The chip with SDO_A/G low."""

    name, address, boot_time = "lsm9ds1", 0x6A, BOOT_TIME
    answers = (0.31, -0.47, 0.93, 260.0, 390.0, -640.0)
    """Within the data sheet's 70 to 1500 mg, and its 200 to 800 degrees a second at 2000."""
    settling = (200_000_000, 800_000_000)
    """As long as ST's example waits."""

    def reset(self, now: int) -> None:
        self.is_frozen = False
        self.electrodes.release()
        self.registers = bytearray(128)
        for register, value in RESET_VALUES.items():
            self.registers[register] = value
        self._reset_until = 0
        self._status = 0
        self._held: dict[int, int] = {}
        self._clock_from, self._ticks = now, 0
        self._temperature, self._temperature_ticks = 0, 0
        if now >= self.frozen_until:
            self.counts = Counts(0, 0, 0, 0, 0, 0, 0)
            self._outputs = bytearray(14)

    # The bus.

    def is_answering(self, now: int) -> bool:
        return super().is_answering(now) and not self.registers[CTRL_REG9] & I2C_DISABLE

    def read(self, now: int) -> int:
        self.advance(now)
        register = self.pointer
        self._move_on()
        if register == WHO_AM_I:
            return 0x68 if self.identity is None else self.identity
        if register == CTRL_REG8:
            return self.registers[CTRL_REG8] | (SW_RESET if now < self._reset_until else 0)
        if register in (STATUS_REG, STATUS_REG_2):
            return self._status
        if OUT_TEMP_L <= register <= OUT_TEMP_L + 1:
            return self._read_output(register - OUT_TEMP_L, TDA)
        if OUT_X_L_G <= register <= OUT_Z_H_G:
            return self._read_output(register - OUT_X_L_G + 2, GDA)
        if OUT_X_L_XL <= register <= OUT_Z_H_XL:
            return self._read_output(register - OUT_X_L_XL + 8, XLDA)
        return self.registers[register]

    def _move_on(self) -> None:
        if not self.registers[CTRL_REG8] & IF_ADD_INC:
            return
        turns = self._gyroscope_code() != 0
        if self.pointer == OUT_Z_H_G and turns:
            self.pointer = OUT_X_L_XL
        elif self.pointer == OUT_Z_H_XL:
            self.pointer = OUT_X_L_G if turns else OUT_X_L_XL
        else:
            self.pointer = (self.pointer + 1) & 0x7F

    def _read_output(self, index: int, flag: int) -> int:
        """A byte of an output; its upper byte clears the flag of its sensor."""
        if index % 2 == 0:
            if self.registers[CTRL_REG8] & BDU:
                self._held[index + 1] = self._outputs[index + 1]
            return self._outputs[index]
        self._status &= ~flag
        return self._held.pop(index, self._outputs[index])

    def write(self, value: int, now: int) -> None:
        self.advance(now)
        register = self.pointer
        self._move_on()
        if now < self._reset_until:
            return
        if register == CTRL_REG8 and value & SW_RESET:
            self.reset(now)
            self._reset_until = now + RESET_TIME
        elif register == CTRL_REG8 and value & BOOT:
            self.registers[CTRL_REG8] = value & ~BOOT
            self._answers_from = now + BOOT_TIME
        elif register not in READ_ONLY:
            before = self._hertz()
            self.registers[register] = value
            if register == CTRL_REG10:
                for axis in range(6):
                    self.electrodes.push(axis, 1 if value & (ST_XL if axis < 3 else ST_G) else 0, now)
            if self._hertz() != before:
                self._clock_from, self._ticks, self._temperature_ticks = now, 0, 0

    # Samples.

    def _gyroscope_code(self) -> int:
        return self.registers[CTRL_REG1_G] >> 5

    def _hertz(self) -> float:
        """Samples a second of the sensors that are on."""
        return GYROSCOPE_HERTZ[self._gyroscope_code()] or ACCELEROMETER_HERTZ[self.registers[CTRL_REG6_XL] >> 5]

    def advance(self, now: int) -> None:
        hertz = self._hertz()
        if hertz == 0:
            return
        due = int((now - self._clock_from) * hertz / 1e9)
        while self._ticks < due:
            self._ticks += 1
            self._take(self._clock_from + int(self._ticks * 1e9 / hertz))

    def _take(self, time: int) -> None:
        if (time - self._clock_from) * 50 // 1_000_000_000 > self._temperature_ticks:
            self._temperature_ticks = (time - self._clock_from) * 50 // 1_000_000_000
            self._temperature = (self.number * 11 & 0x01FF) - 0x0100
            self._status |= TDA
        code = self._gyroscope_code()
        settled = self._ticks > max(GYROSCOPE_DISCARDS[code], ACCELEROMETER_DISCARDS)
        before = self.counts
        if self.make(time, self.scale, settled, self._temperature):
            if code == 0:
                self.counts = Counts(*self.counts[0:3], *before[3:6], self.counts.temp)
            # The chip's own X is against that of a right-handed frame, in both sensors.
            ax, ay, az, gx, gy, gz, temperature = self.counts
            values = (temperature, min(-gx, 0x7FFF), gy, gz, min(-ax, 0x7FFF), ay, az)
            self._outputs[:] = b"".join(value.to_bytes(2, "little", signed=True) for value in values)
        self._status |= XLDA | (GDA if code else 0)

    @property
    def noise(self) -> tuple[float, float]:
        """120 µg/√Hz and 8 m°/s/√Hz; the data sheet gives none. The filter of acceleration at its widest."""
        return 120e-6 * 408 ** 0.5, 8e-3 * 100 ** 0.5

    @property
    def scale(self) -> Scale:
        milli_g = (0.061, 0.732, 0.122, 0.244)[self.registers[CTRL_REG6_XL] >> 3 & 3]
        milli_dps = (8.75, 17.5, 17.5, 70.0)[self.registers[CTRL_REG1_G] >> 3 & 3]
        return Scale(milli_g / 1000, milli_dps / 1000)

# SPDX-License-Identifier: Apache-2.0
"""An ICM-20948 at register level, written from its data sheet (DS-000189 rev. 1.3); its magnetometer is an AK09916.

    REG_BANK_SEL 7F, in every bank     0: data, FIFO, power     1: factory trim     2: rates, ranges, filters

Emulated: identity, reset into sleep, banks, both dividers of 1125 Hz, ranges, the output registers, INT_STATUS_1, which a read
clears, the FIFO, the self-test, and the bypass to the bus behind it. Not emulated: bank 3 and that bus's controller, the
motion processor, duty cycles, the interrupt output, the FIFO's snapshot mode.

A burst is one sample, as in the MPU-6050: the data sheet does not say so. The FIFO has the data sheet's 512 bytes.
"""

from __future__ import annotations

from . import factorytrim
from .bytefifo import ByteFIFO
from .chip import Chip
from .signal import Counts, Scale
from .truth import TruthWriter

WHO_AM_I, USER_CTRL, LP_CONFIG, PWR_MGMT_1 = 0x00, 0x03, 0x05, 0x06
INT_PIN_CFG, INT_ENABLE_1, INT_STATUS_1, ACCEL_XOUT_H, TEMP_OUT_L = 0x0F, 0x11, 0x1A, 0x2D, 0x3A
FIFO_EN_2, FIFO_RST, FIFO_COUNTH, FIFO_COUNTL, FIFO_R_W, REG_BANK_SEL = 0x67, 0x68, 0x70, 0x71, 0x72, 0x7F
SELF_TEST_X_GYRO, SELF_TEST_X_ACCEL = 0x02, 0x0E
GYRO_SMPLRT_DIV, GYRO_CONFIG_1, GYRO_CONFIG_2, ACCEL_SMPLRT_DIV_1, ACCEL_CONFIG, ACCEL_CONFIG_2 = (
    0x00, 0x01, 0x02, 0x10, 0x14, 0x15)
READ_ONLY = {WHO_AM_I, *range(0x17, 0x1D), *range(ACCEL_XOUT_H, 0x53), *range(FIFO_COUNTH, 0x73)}
"""Of bank 0."""
I2C_MST_EN, BYPASS_EN = 0x20, 0x02
DEVICE_RESET, SLEEP, FIFO_ON, READY, FILTERED = 0x80, 0x40, 0x40, 0x01, 0x01
IN_FIFO = ((0x10, 0, 6), (0x02, 6, 8), (0x04, 8, 10), (0x08, 10, 12), (0x01, 12, 14))
"""Bits of FIFO_EN_2 and the output bytes that they put into the FIFO, in ascending order."""
GYROSCOPE_BANDWIDTHS = (196.6, 151.8, 119.5, 51.2, 23.9, 11.6, 5.7, 361.4)
ACCELEROMETER_BANDWIDTHS = (246.0, 246.0, 111.4, 50.4, 23.9, 11.5, 5.7, 473.0)
BASE = 1e9 / 1125
"""Nanoseconds from one filtered sample to the next, undivided."""
RESET_TIME = 5_000_000
START_UP = 35_000_000
"""Of the gyroscope, from sleep."""


class ICM20948(Chip):
    """The chip with AD0 high, as boards have it."""

    name, address, boot_time = "icm20948", 0x69, 20_000_000
    codes = (83, 126, 104, 97, 72, 118)
    answers = factorytrim.successor_answers(codes)
    settling = (200_000_000, 200_000_000)

    def __init__(self, truth: TruthWriter, now: int) -> None:
        self._fifo = ByteFIFO(512)
        super().__init__(truth, now)

    def reset(self, now: int) -> None:
        self.is_frozen = False
        self.electrodes.release()
        self._banks = [bytearray(128) for _ in range(4)]
        self._banks[0][PWR_MGMT_1], self._banks[0][LP_CONFIG] = SLEEP | 0x01, 0x40
        self._banks[2][GYRO_CONFIG_1] = self._banks[2][ACCEL_CONFIG] = FILTERED
        for axis in range(3):
            self._banks[1][SELF_TEST_X_ACCEL + axis] = self.codes[axis]
            self._banks[1][SELF_TEST_X_GYRO + axis] = self.codes[axis + 3]
        self._bank, self._status, self._count, self._reset_until = 0, 0, 0, 0
        self._empty_fifo()
        self._restart_clock(now)
        self._settled_from = now + START_UP
        if now >= self.frozen_until:
            self.counts = Counts(0, 0, 0, 0, 0, 0, 0)
        self._load()

    @property
    def registers(self) -> bytes:
        """Bank 0, then the lower halves of banks 2 and 1."""
        banks = self._banks
        return bytes(banks[0][:REG_BANK_SEL]) + bytes([self._bank << 4]) + bytes(banks[2][:64] + banks[1][:64])

    @property
    def place(self) -> int:
        if self.pointer == REG_BANK_SEL or self._bank == 0:
            return self.pointer
        return {2: 0x80, 1: 0xC0}.get(self._bank, 0) | self.pointer & 0x3F

    @property
    def is_bypassed(self) -> bool:
        """Whether the bus behind the chip is connected with its own."""
        user = self._banks[0]
        return bool(user[INT_PIN_CFG] & BYPASS_EN) and not user[USER_CTRL] & I2C_MST_EN

    # The bus.

    def read(self, now: int) -> int:
        register = self.pointer
        if self._bank == 0 and register == FIFO_R_W:
            self.advance(now)
            return self._fifo.pop()
        self.pointer = (register + 1) & 0x7F
        if register == REG_BANK_SEL:
            return self._bank << 4
        if self._bank != 0:
            return self._banks[self._bank][register]
        if register == WHO_AM_I:
            return 0xEA if self.identity is None else self.identity
        if register == FIFO_COUNTH:
            self.advance(now)
            self._count = len(self._fifo)
            return self._count >> 8
        if register == FIFO_COUNTL:
            return self._count & 0xFF
        if register == PWR_MGMT_1 and now < self._reset_until:
            return DEVICE_RESET | self._banks[0][PWR_MGMT_1]
        if register == INT_STATUS_1:
            status, self._status = self._status, 0
            return status
        return self._banks[0][register]

    def write(self, value: int, now: int) -> None:
        self.advance(now)
        register = self.pointer
        self.pointer = (register + 1) & 0x7F
        if now < self._reset_until:
            return
        if register == REG_BANK_SEL:
            self._bank = value >> 4 & 3
        elif self._bank == 0:
            self._write_user(register, value, now)
        elif self._bank == 2:
            self._banks[2][register] = value
            if register in (GYRO_SMPLRT_DIV, GYRO_CONFIG_1):
                self._restart_clock(now)
            elif register in (GYRO_CONFIG_2, ACCEL_CONFIG_2):
                first, bit = (3, 0x20) if register == GYRO_CONFIG_2 else (0, 0x10)
                for axis in range(3):
                    self.electrodes.push(first + axis, 1 if value & bit >> axis else 0, now)

    def _write_user(self, register: int, value: int, now: int) -> None:
        if register in READ_ONLY:
            return
        if register == PWR_MGMT_1 and value & DEVICE_RESET:
            self.reset(now)
            self._reset_until = now + RESET_TIME
            return
        was_asleep = self._banks[0][PWR_MGMT_1] & SLEEP
        self._banks[0][register] = value
        if register == PWR_MGMT_1 and was_asleep and not value & SLEEP:
            self._settled_from = now + START_UP
            self._restart_clock(now)
        elif register == FIFO_RST and value:
            self._empty_fifo()
            self.truth.event(now, f"fifo {self.name} reset after {self.number}")

    def _empty_fifo(self) -> None:
        self._fifo.clear()
        self._is_misaligned = False

    # Samples.

    def advance(self, now: int) -> None:
        """Makes what is due; called at the beginning of a burst and, but for the FIFO, not in it: a burst is one sample."""
        while self._next <= now and not self._banks[0][PWR_MGMT_1] & SLEEP:
            time, self._next = self._next, self.clock.next(self._period)
            temperature = (self.number * 29 & 0x1FFF) - 0x1000
            if self.make(time, self.scale, time >= self._settled_from, temperature):
                self._load()
            user = self._banks[0]
            if user[USER_CTRL] & FIFO_ON and not user[FIFO_RST]:
                self._fill(time)
            self._status |= READY & user[INT_ENABLE_1]

    def _fill(self, time: int) -> None:
        outputs = self._banks[0][ACCEL_XOUT_H : TEMP_OUT_L + 1]
        enabled = self._banks[0][FIFO_EN_2]
        data = b"".join(outputs[first:last] for bit, first, last in IN_FIFO if enabled & bit)
        if self._fifo.push(data) and not self._is_misaligned:
            self._is_misaligned = True
            self.truth.event(time, f"fifo {self.name} overflow at {self.number}")

    @property
    def _period(self) -> float:
        """Nanoseconds a sample of the gyroscope; the host could not follow the 9 kHz of one without its filter."""
        return BASE * (1 + self._banks[2][GYRO_SMPLRT_DIV])

    @property
    def noise(self) -> tuple[float, float]:
        """230 µg/√Hz and 15 m°/s/√Hz."""
        motion = self._banks[2]
        widths = (ACCELEROMETER_BANDWIDTHS[motion[ACCEL_CONFIG] >> 3 & 7],
                  GYROSCOPE_BANDWIDTHS[motion[GYRO_CONFIG_1] >> 3 & 7])
        return 230e-6 * widths[0] ** 0.5, 15e-3 * widths[1] ** 0.5

    @property
    def scale(self) -> Scale:
        motion = self._banks[2]
        accelerometer, gyroscope = motion[ACCEL_CONFIG] >> 1 & 3, motion[GYRO_CONFIG_1] >> 1 & 3
        return Scale(1 / (16384 >> accelerometer), 1 / (131.0, 65.5, 32.8, 16.4)[gyroscope])

    def _restart_clock(self, now: int) -> None:
        self.clock.restart(now)
        self._next = self.clock.next(self._period)

    def _load(self) -> None:
        self._banks[0][ACCEL_XOUT_H : TEMP_OUT_L + 1] = b"".join(
            value.to_bytes(2, "big", signed=True) for value in self.counts)

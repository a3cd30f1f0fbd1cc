"""An MPU-6050 at register level, written from its data sheet (RM-MPU-6000A rev. 4.2, PS-MPU-6000A rev. 3.4), and its
successors MPU-6500, 9250 and 9255 (RM-MPU-9250A rev. 1.4), which are awake after a reset.

Emulated: identity, reset, sleep, sample rate, both ranges, the output registers with their shadow set, and the
interrupt status, which a read clears. Not emulated: FIFO, motion processor, second I2C bus, self-test.
"""

from __future__ import annotations

from .chip import Chip
from .signal import Counts, Scale
from .truth import TruthWriter

SMPLRT_DIV, CONFIG, GYRO_CONFIG, ACCEL_CONFIG = 0x19, 0x1A, 0x1B, 0x1C
INT_STATUS, ACCEL_XOUT_H, GYRO_ZOUT_L = 0x3A, 0x3B, 0x48
USER_CTRL, PWR_MGMT_1, WHO_AM_I = 0x6A, 0x6B, 0x75

DATA_READY = 0x01
DEVICE_RESET, SLEEP = 0x80, 0x40

BANDWIDTHS = (256, 188, 98, 42, 20, 10, 5, 256)
"""Hertz of the gyroscope's filter, by its code; the accelerometer's are about the same."""

RESET_TIME = 2_000_000
START_UP = 60_000_000
"""From wake-up until the gyroscope's values are valid."""


class MPU6050(Chip):
    """The chip with AD0 low."""

    name, address, boot_time = "mpu6050", 0x68, 20_000_000
    own_identity = 0x68
    power_after_reset = SLEEP
    unfiltered_period = 125_000
    """Nanoseconds from one sample of the unfiltered gyroscope to the next."""

    def __init__(self, truth: TruthWriter, now: int) -> None:
        self._clock_from = now
        self._made = 0
        super().__init__(truth, now)

    def reset(self, now: int) -> None:
        self.is_frozen = False
        self.registers = bytearray(128)
        self.registers[PWR_MGMT_1] = self.power_after_reset
        self._reset_until = 0
        self._status = 0
        self._restart_clock(now)
        self._settled_from = now + START_UP
        if now >= self.frozen_until:
            self.counts = Counts(0, 0, 0, 0, 0, 0, 0)
        self._load()

    def read(self, now: int) -> int:
        register = self.pointer
        self.pointer = (register + 1) & 0x7F
        if register == WHO_AM_I:
            return self.own_identity if self.identity is None else self.identity
        if register == PWR_MGMT_1 and now < self._reset_until:
            return DEVICE_RESET | self.power_after_reset
        if register == INT_STATUS:
            status, self._status = self._status, 0
            return status
        return self.registers[register]

    def write(self, value: int, now: int) -> None:
        self.advance(now)
        register = self.pointer
        self.pointer = (register + 1) & 0x7F
        if now < self._reset_until:
            return
        if register == PWR_MGMT_1 and value & DEVICE_RESET:
            self.reset(now)
            self._reset_until = now + RESET_TIME
            return
        if INT_STATUS <= register <= GYRO_ZOUT_L or register == WHO_AM_I:
            return
        if register == USER_CTRL:
            value &= ~0x0F  # the resets of its lower half clear themselves
        was_asleep = self.registers[PWR_MGMT_1] & SLEEP
        self.registers[register] = value
        if register == PWR_MGMT_1 and was_asleep and not value & SLEEP:
            self._settled_from = now + START_UP
            self._restart_clock(now)
        elif register in (SMPLRT_DIV, CONFIG):
            self._restart_clock(now)

    def advance(self, now: int) -> None:
        """Makes what is due; called at the beginning of a burst and not in it, so that a burst is one sample.

        That is the shadow set: while the chip is read, its output registers stand still.
        """
        if self.registers[PWR_MGMT_1] & SLEEP:
            self._restart_clock(now)
            return
        due = (now - self._clock_from) // self.period
        while self._made < due:
            self._made += 1
            time = self._clock_from + self._made * self.period
            temperature = (self.number * 37 & 0x1FFF) - 0x1800
            if self.make(time, self.scale, time >= self._settled_from, temperature):
                self._load()
            self._status |= DATA_READY

    @property
    def period(self) -> int:
        """Nanoseconds a sample."""
        is_unfiltered = self.registers[CONFIG] & 7 in (0, 7)
        return (self.unfiltered_period if is_unfiltered else 1_000_000) * (1 + self.registers[SMPLRT_DIV])

    @property
    def noise(self) -> tuple[float, float]:
        """400 µg/√Hz and 0.005 °/s/√Hz."""
        bandwidth = BANDWIDTHS[self.registers[CONFIG] & 7] ** 0.5
        return 400e-6 * bandwidth, 5e-3 * bandwidth

    @property
    def scale(self) -> Scale:
        accelerometer, gyroscope = self.registers[ACCEL_CONFIG] >> 3 & 3, self.registers[GYRO_CONFIG] >> 3 & 3
        return Scale(1 / (16384 >> accelerometer), 1 / (131.0, 65.5, 32.8, 16.4)[gyroscope])

    def _restart_clock(self, now: int) -> None:
        self._clock_from, self._made = now, 0

    def _load(self) -> None:
        ax, ay, az, gx, gy, gz, temperature = self.counts
        values = (ax, ay, az, temperature, gx, gy, gz)
        self.registers[ACCEL_XOUT_H : GYRO_ZOUT_L + 1] = b"".join(value.to_bytes(2, "big", signed=True) for value in values)


class MPU6500(MPU6050):
    """Awake after a reset: it makes samples at once, in the finest ranges."""

    name, own_identity = "mpu6500", 0x70
    power_after_reset = 0x01
    unfiltered_period = 1_000_000
    """The gyroscope's 8 kHz would be too much for the host; the accelerometer has 1 kHz, and changes every sample."""


class MPU9250(MPU6500):
    """The same with a magnetometer, which is not there."""

    name, own_identity = "mpu9250", 0x71


class MPU9255(MPU6500):
    """Like the MPU-9250."""

    name, own_identity = "mpu9255", 0x73

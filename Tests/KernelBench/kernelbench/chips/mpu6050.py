# SPDX-License-Identifier: Apache-2.0
"""An MPU-6050 at register level, written from its data sheet (RM-MPU-6000A rev. 4.2, PS-MPU-6000A rev. 3.4), and its
successors MPU-6500, 9250 and 9255 (RM-MPU-9250A rev. 1.4), which are awake after a reset.

Emulated: identity, reset, sleep, sample rate, both ranges, the output registers with their shadow set, the interrupt
status, which a read clears, the interrupt output, the FIFO, and the self-test. Not emulated: motion processor, second I2C
bus.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import factorytrim
from .bytefifo import ByteFIFO
from .chip import Chip
from .pin import Pin
from .signal import Counts, Scale
from .truth import TruthWriter

XG_OFFS_TC, SMPLRT_DIV, CONFIG, GYRO_CONFIG, ACCEL_CONFIG, FIFO_EN = 0x00, 0x19, 0x1A, 0x1B, 0x1C, 0x23
INT_PIN_CFG, INT_ENABLE, INT_STATUS, ACCEL_XOUT_H, GYRO_ZOUT_L = 0x37, 0x38, 0x3A, 0x3B, 0x48
USER_CTRL, PWR_MGMT_1, FIFO_COUNT_H, FIFO_COUNT_L, FIFO_R_W, WHO_AM_I = 0x6A, 0x6B, 0x72, 0x73, 0x74, 0x75

DATA_READY, FIFO_OVERFLOW = 0x01, 0x10
DEVICE_RESET, SLEEP = 0x80, 0x40
OTP_VALID = 0x01
"""Of XG_OFFS_TC, which the register map does not describe: the chip has its trim values. Linux 6.1.192 takes this register
for the interrupt status, and streams only because of this bit."""
FIFO_ON, FIFO_RESET = 0x40, 0x04
IN_FIFO = ((0x08, 0, 6), (0x80, 6, 8), (0x40, 8, 10), (0x20, 10, 12), (0x10, 12, 14))
"""Bits of FIFO_EN and the output bytes that they put into the FIFO: in ascending order, whatever the order of the bits."""
STOPS_WHEN_FULL = 0x40
"""Of CONFIG, in the successors alone."""
ACTIVE_LOW, LATCHED, ANY_READ_CLEARS = 0x80, 0x20, 0x10
PULSE = 50_000
SELF_TEST_BITS = (0x80, 0x40, 0x20)
"""Of ACCEL_CONFIG and GYRO_CONFIG, for x, y and z."""

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
    fifo_size, can_stop = 1024, False
    trim_register = OTP_VALID
    codes: Sequence[int] = factorytrim.CODES
    factory_trim = staticmethod(factorytrim.registers)
    answers: Sequence[float] = factorytrim.answers(codes)
    settling = (200_000_000, 200_000_000)
    """No document says it: as long as the most patient of drivers waits."""
    densities = 400e-6, 5e-3
    """Noise in g/√Hz and degrees a second/√Hz."""

    def __init__(self, truth: TruthWriter, now: int) -> None:
        self._fifo = ByteFIFO(self.fifo_size)
        self._interrupt = Pin()
        super().__init__(truth, now)

    @property
    def pins(self) -> dict[str, Pin]:
        return {"int": self._interrupt}

    def reset(self, now: int) -> None:
        self.is_frozen = False
        self.registers = bytearray(128)
        self.registers[XG_OFFS_TC] = self.trim_register
        for register, code in self.factory_trim(self.codes).items():
            self.registers[register] = code
        self.electrodes.release()
        self.registers[PWR_MGMT_1] = self.power_after_reset
        self._reset_until = 0
        self._status = 0
        self._empty_fifo()
        self._count = 0
        self._interrupt.invert(False, now)
        self._interrupt.set(False, now)
        self._restart_clock(now)
        self._settled_from = now + START_UP
        if now >= self.frozen_until:
            self.counts = Counts(0, 0, 0, 0, 0, 0, 0)
        self._load()

    def read(self, now: int) -> int:
        if self.identity == 0:
            return 0  # A data line at ground, whatever the register.
        register = self.pointer
        if self.registers[INT_PIN_CFG] & ANY_READ_CLEARS and register != INT_STATUS:
            self._clear_status(now)
        if register == FIFO_R_W:
            self.advance(now)
            return self._fifo.pop()
        self.pointer = (register + 1) & 0x7F
        if register == FIFO_COUNT_H:
            self.advance(now)
            self._count = len(self._fifo)
            return self._count >> 8
        if register == FIFO_COUNT_L:
            return self._count & 0xFF
        if register == WHO_AM_I:
            return self.own_identity if self.identity is None else self.identity
        if register == PWR_MGMT_1 and now < self._reset_until:
            return DEVICE_RESET | self.power_after_reset
        if register == INT_STATUS:
            return self._clear_status(now)
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
        if INT_STATUS <= register <= GYRO_ZOUT_L or FIFO_COUNT_H <= register <= WHO_AM_I:
            return
        if register == USER_CTRL:
            self._control_fifo(value, now)
            value &= ~0x0F  # the resets of its lower half clear themselves
        was_asleep = self.registers[PWR_MGMT_1] & SLEEP
        self.registers[register] = value
        if register == PWR_MGMT_1 and was_asleep and not value & SLEEP:
            self._settled_from = now + START_UP
            self._restart_clock(now)
        elif register in (SMPLRT_DIV, CONFIG):
            self._restart_clock(now)
        elif register in (ACCEL_CONFIG, GYRO_CONFIG):
            for axis, bit in enumerate(SELF_TEST_BITS):
                self.electrodes.push(axis + (3 if register == GYRO_CONFIG else 0), 1 if value & bit else 0, now)
        elif register == INT_PIN_CFG:
            self._interrupt.invert(value & ACTIVE_LOW != 0, now)

    def _control_fifo(self, value: int, now: int) -> None:
        """A reset is ignored while the FIFO is on."""
        if value & FIFO_RESET and not (value | self.registers[USER_CTRL]) & FIFO_ON:
            self._empty_fifo()
            self.truth.event(now, f"fifo {self.name} reset after {self.number}")

    def _empty_fifo(self) -> None:
        self._fifo.clear()
        self._is_misaligned = False

    def _clear_status(self, now: int) -> int:
        """The interrupt status; its flags are gone, and a latched output with them."""
        status, self._status = self._status, 0
        self._interrupt.set(False, now)
        return status

    def advance(self, now: int) -> None:
        """Makes what is due; called at the beginning of a burst and, but for the FIFO, not in it: a burst is one sample.

        That is the shadow set: while the chip is read, its output registers stand still.
        """
        while self._next <= now and not self.registers[PWR_MGMT_1] & SLEEP:
            time, self._next = self._next, self.clock.next(self.period)
            temperature = (self.number * 37 & 0x1FFF) - 0x1800
            if self.make(time, self.scale, time >= self._settled_from, temperature):
                self._load()
            if self.registers[USER_CTRL] & FIFO_ON:
                self._fill(time)
            self._raise(DATA_READY, time)

    def _fill(self, time: int) -> None:
        """The sample goes into the FIFO."""
        outputs = self.registers[ACCEL_XOUT_H : GYRO_ZOUT_L + 1]
        enabled = self.registers[FIFO_EN]
        data = b"".join(outputs[first:last] for bit, first, last in IN_FIFO if enabled & bit)
        if self.can_stop and self.registers[CONFIG] & STOPS_WHEN_FULL and not self._fifo.has_room(len(data)):
            self._raise(FIFO_OVERFLOW, time)
        elif self._fifo.push(data):
            if not self._is_misaligned:
                self._is_misaligned = True
                self.truth.event(time, f"fifo {self.name} overflow at {self.number}")
            self._raise(FIFO_OVERFLOW, time)

    def _raise(self, flag: int, time: int) -> None:
        """Sets a flag of the interrupt status, and the output if that is enabled."""
        self._status |= flag
        if self.registers[INT_ENABLE] & flag:
            if self.registers[INT_PIN_CFG] & LATCHED:
                self._interrupt.set(True, time)
            else:
                self._interrupt.pulse(time, PULSE)

    def due(self) -> int | None:
        return None if self.registers[PWR_MGMT_1] & SLEEP else self._next

    @property
    def period(self) -> int:
        """Nanoseconds a sample."""
        is_unfiltered = self.registers[CONFIG] & 7 in (0, 7)
        return (self.unfiltered_period if is_unfiltered else 1_000_000) * (1 + self.registers[SMPLRT_DIV])

    @property
    def noise(self) -> tuple[float, float]:
        bandwidth = BANDWIDTHS[self.registers[CONFIG] & 7] ** 0.5
        return self.densities[0] * bandwidth, self.densities[1] * bandwidth

    @property
    def scale(self) -> Scale:
        accelerometer, gyroscope = self.registers[ACCEL_CONFIG] >> 3 & 3, self.registers[GYRO_CONFIG] >> 3 & 3
        return Scale(1 / (16384 >> accelerometer), 1 / (131.0, 65.5, 32.8, 16.4)[gyroscope])

    def _restart_clock(self, now: int) -> None:
        self.clock.restart(now)
        self._next = self.clock.next(self.period)

    def _load(self) -> None:
        ax, ay, az, gx, gy, gz, temperature = self.counts
        values = (ax, ay, az, temperature, gx, gy, gz)
        self.registers[ACCEL_XOUT_H : GYRO_ZOUT_L + 1] = b"".join(value.to_bytes(2, "big", signed=True) for value in values)


class MPU6500(MPU6050):
    """Awake after a reset: it makes samples at once, in the finest ranges."""

    name, own_identity = "mpu6500", 0x70
    power_after_reset = 0x01
    fifo_size, can_stop = 512, True
    trim_register = 0
    codes = factorytrim.SUCCESSOR_CODES
    factory_trim = staticmethod(factorytrim.successor_registers)
    answers = factorytrim.successor_answers(codes)
    densities = 300e-6, 10e-3
    unfiltered_period = 1_000_000
    """The gyroscope's 8 kHz would be too much for the host; the accelerometer has 1 kHz, and changes every sample."""


class MPU9250(MPU6500):
    """The same with a magnetometer, which is not there."""

    name, own_identity = "mpu9250", 0x71


class MPU9255(MPU6500):
    """Like the MPU-9250."""

    name, own_identity = "mpu9255", 0x73

# SPDX-License-Identifier: Apache-2.0
"""An LSM6DSV at register level, written from the data sheet of the LSM6DSV16X.

Emulated: identity, boot, resets, register banks, data rates and turn-on of both sensors, ranges, status, block data
update, temperature at 60 Hz, automatic increment, the kernel's sensor-hub handshake as far as registers go. Not
emulated: FIFO (its count is 0), interrupts, timestamps, filters, embedded functions, a sensor on the hub.

The output registers have no shadow set: a sample that comes while they are read is seen from the next byte on, except
that block data update holds a two-byte value whose lower byte was read until its upper byte was read.
"""

from __future__ import annotations

from .chip import Chip
from .signal import Counts, Scale

FUNC_CFG_ACCESS, PIN_CTRL, IF_CFG, WHO_AM_I = 0x01, 0x02, 0x03, 0x0F
CTRL1, CTRL2, CTRL3, CTRL6, CTRL8, FIFO_STATUS1, FIFO_STATUS2 = 0x10, 0x11, 0x12, 0x15, 0x17, 0x1B, 0x1C
STATUS_REG, OUT_TEMP_L, OUTX_L_G, OUTX_L_A, OUTZ_H_A = 0x1E, 0x20, 0x22, 0x28, 0x2D
INTERNAL_FREQ_FINE, DEN, INACTIVITY_DUR, FIFO_DATA_OUT_TAG, FIFO_DATA_OUT_Z_H = 0x4F, 0x51, 0x54, 0x78, 0x7E

RESET_VALUES = {PIN_CTRL: 0x23, CTRL3: 0x44, DEN: 0x0E, INACTIVITY_DUR: 0x04}
BOOT, BDU, IF_INC, SW_RESET = 0x80, 0x40, 0x04, 0x01
SW_POR, BANKS = 0x04, 0xC0
I2C_I3C_DISABLE = 0x01
XLDA, GDA, TDA = 1, 2, 4
READ_ONLY = {WHO_AM_I, FIFO_STATUS1, FIFO_STATUS2, INTERNAL_FREQ_FINE,
             *range(STATUS_REG, OUTZ_H_A + 1), *range(FIFO_DATA_OUT_TAG, FIFO_DATA_OUT_Z_H + 1)}

BOOT_TIME = 10_000_000
POR_TIME = 30_000_000
RESET_TIME = 150_000
TURN_ON = {CTRL1: 10_000_000, CTRL2: 30_000_000}
SETTLING = 3
"""Samples of either sensor after its turn-on that are not yet valid."""
FASTEST = 7680
"""Samples a second of data rate code 12; each code below halves it."""


class LSM6DSV(Chip):
    """The chip with SA0 low."""

    name, address, boot_time = "lsm6dsv", 0x6A, BOOT_TIME

    def reset(self, now: int) -> None:
        self.is_frozen = False
        self.registers = bytearray(256)
        for register, value in RESET_VALUES.items():
            self.registers[register] = value
        self._banks = {bank: bytearray(256) for bank in (0x40, 0x80, 0xC0)}
        self._reset_until = 0
        self._status = 0
        self._held: dict[int, int] = {}
        self._settled_from = {CTRL1: now, CTRL2: now}
        self._clock_from, self._ticks = now, 0
        self._temperature, self._temperature_ticks = 0, 0
        if now >= self.frozen_until:
            self.counts = Counts(0, 0, 0, 0, 0, 0, 0)
            self._outputs = bytearray(14)

    # The bus.

    def is_answering(self, now: int) -> bool:
        return super().is_answering(now) and not self.registers[IF_CFG] & I2C_I3C_DISABLE

    def _bank(self, register: int) -> bytearray | None:
        """Another bank's registers, if one is selected; FUNC_CFG_ACCESS is in all of them."""
        bank = self.registers[FUNC_CFG_ACCESS] & BANKS
        return self._banks[bank] if bank and register != FUNC_CFG_ACCESS else None

    def _move_on(self) -> None:
        if self.registers[CTRL3] & IF_INC:
            at_end = self.pointer == FIFO_DATA_OUT_Z_H
            self.pointer = FIFO_DATA_OUT_TAG if at_end else (self.pointer + 1) & 0xFF

    def read(self, now: int) -> int:
        self.advance(now)
        register = self.pointer
        self._move_on()
        bank = self._bank(register)
        if bank is not None:
            return bank[register]
        if register == WHO_AM_I:
            return 0x70 if self.identity is None else self.identity
        if register == CTRL3:
            return self.registers[CTRL3] | (SW_RESET if now < self._reset_until else 0)
        if register == STATUS_REG:
            return self._status
        if OUT_TEMP_L <= register <= OUTZ_H_A:
            return self._read_output(register)
        return self.registers[register]

    def _read_output(self, register: int) -> int:
        """A byte of an output; its upper byte clears the flag of its sensor."""
        index = register - OUT_TEMP_L
        if index % 2 == 0:
            if self.registers[CTRL3] & BDU:
                self._held[index + 1] = self._outputs[index + 1]
            return self._outputs[index]
        self._status &= ~(TDA if register < OUTX_L_G else GDA if register < OUTX_L_A else XLDA)
        return self._held.pop(index, self._outputs[index])

    def write(self, value: int, now: int) -> None:
        self.advance(now)
        register = self.pointer
        self._move_on()
        if now < self._reset_until:
            return
        bank = self._bank(register)
        if bank is not None:
            bank[register] = value
        elif register == FUNC_CFG_ACCESS and value & SW_POR:
            self.reset(now)
            self._answers_from = now + POR_TIME
        elif register == CTRL3 and value & (SW_RESET | BOOT):
            self._restart(value, now)
        elif register not in READ_ONLY:
            before = self._code(register) if register in TURN_ON else 0
            self.registers[register] = value
            if register in TURN_ON and before != self._code(register):
                self._change_rate(register, was_on=before != 0, now=now)

    def _restart(self, value: int, now: int) -> None:
        if value & SW_RESET:
            kept = self.registers[PIN_CTRL], self.registers[IF_CFG]
            self.reset(now)
            self.registers[PIN_CTRL], self.registers[IF_CFG] = kept
            self._reset_until = now + RESET_TIME
        else:
            self.registers[CTRL3] = value & ~BOOT
            self._answers_from = now + BOOT_TIME

    # Samples.

    def _code(self, register: int) -> int:
        """The data rate of CTRL1 or CTRL2; code 1, which only low power has, is taken for the slowest other one."""
        code = self.registers[register] & 0x0F
        return max(2, min(12, code)) if code else 0

    def _change_rate(self, register: int, was_on: bool, now: int) -> None:
        period = (1 << (12 - (self._code(register) or 12))) * 1_000_000_000 // FASTEST
        self._settled_from[register] = now + (0 if was_on else TURN_ON[register]) + SETTLING * period
        self._clock_from, self._ticks, self._temperature_ticks = now, 0, 0

    def advance(self, now: int) -> None:
        """Makes what is due. Both sensors share a clock, whose tick is that of the faster one."""
        codes = {register: self._code(register) for register in TURN_ON}
        fastest = max(codes.values())
        if fastest == 0:
            return
        divisor = 1 << (12 - fastest)
        due = (now - self._clock_from) * FASTEST // (1_000_000_000 * divisor)
        while self._ticks < due:
            self._ticks += 1
            time = self._clock_from + self._ticks * 1_000_000_000 * divisor // FASTEST
            ready = 0
            for register, flag in ((CTRL1, XLDA), (CTRL2, GDA)):
                if codes[register] and self._ticks % (1 << (fastest - codes[register])) == 0:
                    ready |= flag
            self._take(time, ready, codes)

    def _take(self, time: int, ready: int, codes: dict[int, int]) -> None:
        if (time - self._clock_from) * 60 // 1_000_000_000 > self._temperature_ticks:
            self._temperature_ticks = (time - self._clock_from) * 60 // 1_000_000_000
            self._temperature = (self.number * 11 & 0x0FFF) - 0x0800
            self._status |= TDA
        settled = all(time >= self._settled_from[register] for register, code in codes.items() if code)
        before = self.counts
        if self.make(time, self.scale, settled, self._temperature):
            self._keep_others(before, ready)
        self._status |= ready

    def _keep_others(self, before: Counts, ready: int) -> None:
        """A sensor that is off, or slower, keeps its last sample."""
        now = self.counts
        gyroscope = now if ready & GDA else before
        accelerometer = now if ready & XLDA else before
        self.counts = Counts(*accelerometer[0:3], *gyroscope[3:6], now.temp)
        values = (now.temp, *self.counts[3:6], *self.counts[0:3])
        self._outputs[:] = b"".join(value.to_bytes(2, "little", signed=True) for value in values)

    @property
    def noise(self) -> tuple[float, float]:
        """60 µg/√Hz and 2.8 m°/s/√Hz, at half the data rate."""
        bandwidth = (FASTEST / (1 << (12 - (max(map(self._code, TURN_ON)) or 2))) / 2) ** 0.5
        return 60e-6 * bandwidth, 2.8e-3 * bandwidth

    @property
    def scale(self) -> Scale:
        milli_g = (0.061, 0.122, 0.244, 0.488)[self.registers[CTRL8] & 3]
        milli_dps = {1: 8.75, 2: 17.5, 3: 35.0, 4: 70.0, 12: 140.0}.get(self.registers[CTRL6] & 0x0F, 4.375)
        return Scale(milli_g / 1000, milli_dps / 1000)

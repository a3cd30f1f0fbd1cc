"""An LSM6DSO at register level, written from its data sheet (DS12140) and application notes.

Emulated: identity, boot, reset, register banks, data rates and turn-on of both sensors, ranges, status, block
data update, temperature at 52 Hz, automatic increment. Not emulated: FIFO, interrupts, timestamps, embedded functions,
sensor hub (its registers can be written and read, and nothing answers on its bus).

The output registers have no shadow set: a sample that comes while they are read is seen from the next byte on, except
that block data update holds a two-byte value whose lower byte was read until its upper byte was read.
"""

from __future__ import annotations

from .chip import Chip
from .signal import Counts, Scale
from .truth import TruthWriter

FUNC_CFG_ACCESS, PIN_CTRL, WHO_AM_I = 0x01, 0x02, 0x0F
CTRL1_XL, CTRL2_G, CTRL3_C, CTRL4_C, CTRL8_XL, CTRL9_XL = 0x10, 0x11, 0x12, 0x13, 0x17, 0x18
STATUS_REG, OUT_TEMP_L, OUTX_L_G, OUTX_L_A, OUTZ_H_A = 0x1E, 0x20, 0x22, 0x28, 0x2D

RESET_VALUES = {PIN_CTRL: 0x3F, CTRL3_C: 0x04, CTRL9_XL: 0xE0}
BOOT, BDU, IF_INC, SW_RESET = 0x80, 0x40, 0x04, 0x01
I2C_DISABLE = 0x04
XLDA, GDA, TDA = 1, 2, 4

BOOT_TIME = 15_000_000
RESET_TIME = 50_000
TURN_ON = {CTRL1_XL: 35_000_000, CTRL2_G: 70_000_000}
FASTEST = 6667
"""Samples a second of data rate code 10; each code below halves it."""


class LSM6DSO(Chip):
    """The chip with SA0 low."""

    name, address, boot_time = "lsm6dso", 0x6A, BOOT_TIME

    def __init__(self, truth: TruthWriter, now: int) -> None:
        super().__init__(truth, now)

    def reset(self, now: int) -> None:
        self.is_frozen = False
        self.registers = bytearray(256)
        for register, value in RESET_VALUES.items():
            self.registers[register] = value
        self._banks = {0x40: bytearray(256), 0x80: bytearray(256), 0xC0: bytearray(256)}
        self._reset_until = 0
        self._status = 0
        self._held: dict[int, int] = {}
        self._settled_from = {CTRL1_XL: now, CTRL2_G: now}
        self._clock_from, self._ticks = now, 0
        self._temperature_ticks = 0
        self._temperature = 0
        if now >= self.frozen_until:
            self.counts = Counts(0, 0, 0, 0, 0, 0, 0)
            self._outputs = bytearray(14)

    # The bus.

    def is_answering(self, now: int) -> bool:
        return super().is_answering(now) and not self.registers[CTRL4_C] & I2C_DISABLE

    def read(self, now: int) -> int:
        self.advance(now)
        register = self.pointer
        if self.registers[CTRL3_C] & IF_INC:
            self.pointer = (register + 1) & 0xFF
        bank = self.registers[FUNC_CFG_ACCESS] & 0xC0
        if bank and register != FUNC_CFG_ACCESS:
            return self._banks[bank][register]
        if register == WHO_AM_I:
            return 0x6C if self.identity is None else self.identity
        if register == CTRL3_C:
            return self.registers[CTRL3_C] | (SW_RESET if now < self._reset_until else 0)
        if register == STATUS_REG:
            return self._status
        if OUT_TEMP_L <= register <= OUTZ_H_A:
            return self._read_output(register)
        return self.registers[register]

    def _read_output(self, register: int) -> int:
        """A byte of an output; its upper byte clears the flag of its sensor."""
        index = register - OUT_TEMP_L
        if index % 2 == 0:
            if self.registers[CTRL3_C] & BDU:
                self._held[index + 1] = self._outputs[index + 1]
            return self._outputs[index]
        self._status &= ~(TDA if register < OUTX_L_G else GDA if register < OUTX_L_A else XLDA)
        return self._held.pop(index, self._outputs[index])

    def write(self, value: int, now: int) -> None:
        self.advance(now)
        register = self.pointer
        if self.registers[CTRL3_C] & IF_INC:
            self.pointer = (register + 1) & 0xFF
        if now < self._reset_until:
            return
        bank = self.registers[FUNC_CFG_ACCESS] & 0xC0
        if bank and register != FUNC_CFG_ACCESS:
            self._banks[bank][register] = value
        elif register == CTRL3_C and value & (SW_RESET | BOOT):
            self._restart(value, now)
        elif not (register == WHO_AM_I or STATUS_REG <= register <= OUTZ_H_A):
            before = self.registers[register]
            self.registers[register] = value
            if register in TURN_ON and before >> 4 != value >> 4:
                self._change_rate(register, was_on=before >> 4 != 0, now=now)

    def _restart(self, value: int, now: int) -> None:
        if value & SW_RESET:
            self.reset(now)
            self._reset_until = now + RESET_TIME
        else:
            self.registers[CTRL3_C] = value & ~BOOT
            self._answers_from = now + BOOT_TIME

    # Samples.

    def _change_rate(self, register: int, was_on: bool, now: int) -> None:
        if not was_on:
            self._settled_from[register] = now + TURN_ON[register]
        self._clock_from, self._ticks, self._temperature_ticks = now, 0, 0

    def _code(self, register: int) -> int:
        code = self.registers[register] >> 4
        return code if code <= 10 else 1  # code 11: the accelerometer's low power, 12.5 Hz otherwise

    def advance(self, now: int) -> None:
        """Makes what is due. Both sensors share a clock, whose tick is that of the faster one."""
        codes = {register: self._code(register) for register in TURN_ON}
        fastest = max(codes.values())
        if fastest == 0:
            return
        divisor = 1 << (10 - fastest)
        due = (now - self._clock_from) * FASTEST // (1_000_000_000 * divisor)
        while self._ticks < due:
            self._ticks += 1
            time = self._clock_from + self._ticks * 1_000_000_000 * divisor // FASTEST
            ready = 0
            for register, flag in ((CTRL1_XL, XLDA), (CTRL2_G, GDA)):
                if codes[register] and self._ticks % (1 << (fastest - codes[register])) == 0:
                    ready |= flag
            self._take(time, ready, codes)

    def _take(self, time: int, ready: int, codes: dict[int, int]) -> None:
        if (time - self._clock_from) * 52 // 1_000_000_000 > self._temperature_ticks:
            self._temperature_ticks = (time - self._clock_from) * 52 // 1_000_000_000
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
        """110 µg/√Hz and 3.8 m°/s/√Hz, at half the data rate."""
        bandwidth = (FASTEST / (1 << (10 - (max(map(self._code, TURN_ON)) or 1))) / 2) ** 0.5
        return 110e-6 * bandwidth, 3.8e-3 * bandwidth

    @property
    def scale(self) -> Scale:
        code = self.registers[CTRL1_XL] >> 2 & 3
        if code == 1 and self.registers[CTRL8_XL] & 2:
            code = 0
        milli_g = (0.061, 0.488, 0.122, 0.244)[code]
        full_scale = self.registers[CTRL2_G] >> 1 & 7
        milli_dps = 4.375 if full_scale & 1 else (8.75, 17.5, 35.0, 70.0)[full_scale >> 1]
        return Scale(milli_g / 1000, milli_dps / 1000)

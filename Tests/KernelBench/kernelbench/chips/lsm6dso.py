# SPDX-License-Identifier: Apache-2.0
"""An LSM6DSO at register level, written from its data sheet (DS12140) and application notes.

Emulated: identity, boot, reset, register banks, data rates and turn-on of both sensors, ranges, status, block
data update, temperature at 52 Hz, automatic increment, FIFO, time stamps, both interrupt outputs for data-ready and the
FIFO, and self-test. Not emulated: compression, embedded functions, sensor hub (its registers can be written and read, and nothing answers
on its bus).

The output registers have no shadow set: a sample that comes while they are read is seen from the next byte on, except
that block data update holds a two-byte value whose lower byte was read until its upper byte was read.
"""

from __future__ import annotations

from .chip import Chip
from .pin import Pin
from .signal import Counts, Scale
from .taggedfifo import (
    FULL, GYROSCOPE, INVALID, OVERRUN, TEMPERATURE, TIMESTAMP, WORD_TIME, TaggedFIFO)
from .truth import TruthWriter

FUNC_CFG_ACCESS, PIN_CTRL, WHO_AM_I = 0x01, 0x02, 0x0F
FIFO_CTRL1, FIFO_CTRL2, FIFO_CTRL3, FIFO_CTRL4, COUNTER_BDR_REG1 = 0x07, 0x08, 0x09, 0x0A, 0x0B
INT1_CTRL, INT2_CTRL = 0x0D, 0x0E
CTRL1_XL, CTRL2_G, CTRL3_C, CTRL4_C, CTRL5_C, CTRL8_XL, CTRL9_XL = 0x10, 0x11, 0x12, 0x13, 0x14, 0x17, 0x18
CTRL10_C, STATUS_REG, OUT_TEMP_L, OUTX_L_G, OUTX_L_A, OUTZ_H_A = 0x19, 0x1E, 0x20, 0x22, 0x28, 0x2D
FIFO_STATUS1, FIFO_STATUS2, TIMESTAMP0, TIMESTAMP2, TIMESTAMP3 = 0x3A, 0x3B, 0x40, 0x42, 0x43
INTERNAL_FREQ_FINE, FIFO_DATA_OUT_TAG, FIFO_DATA_OUT_Z_H = 0x63, 0x78, 0x7E

BOOT, BDU, IF_INC, SW_RESET = 0x80, 0x40, 0x04, 0x01
I2C_DISABLE = 0x04
XLDA, GDA, TDA = 1, 2, 4

BOOT_TIME = 15_000_000
RESET_TIME = 50_000
TURN_ON = {CTRL1_XL: 35_000_000, CTRL2_G: 70_000_000}
INVERTED = 0x20
"""Of CTRL3_C: outputs are low when active."""
DRDY_MASK = 0x08
TIMESTAMP_ON, TIMESTAMP_RESET, TIMESTAMP_UNIT = 0x20, 0xAA, 25_000
DRDY_PULSED, PULSE = 0x80, 75_000
ON_READY, ON_WATERMARK, ON_OVERRUN, ON_FULL = 0x03, 0x08, 0x10, 0x20
"""Bits of INT1_CTRL and INT2_CTRL; those of data-ready are the ones of STATUS_REG."""
PUSHES = {0: {1: 1, 2: -1}, 2: {1: 1, 3: -1}}
"""Of CTRL5_C: which way the masses are pushed, by the lowest bit of a field of two and its contents. ST_XL is for the
accelerometer, ST_G for the gyroscope."""
FASTEST = 1e9 / (6 * TIMESTAMP_UNIT)
"""Samples a second of data rate code 10, one in six ticks of the counter: 6.67 kHz; each code below halves it."""


class LSM6DSO(Chip):
    """The chip with SA0 low."""

    name, address, boot_time = "lsm6dso", 0x6A, BOOT_TIME
    own_identity = 0x6C
    reset_values = {PIN_CTRL: 0x3F, CTRL3_C: 0x04, CTRL9_XL: 0xE0}
    fifo_registers = {FIFO_STATUS1, FIFO_STATUS2, *range(FIFO_DATA_OUT_TAG, FIFO_DATA_OUT_Z_H + 1)}
    timestamp_registers = range(TIMESTAMP0, TIMESTAMP3 + 1)
    pulse_register = COUNTER_BDR_REG1
    answers = (0.23, 0.41, 0.77, 240.0, -330.0, 610.0)
    """Within the data sheet's 50 to 1700 mg, which hold in all ranges, and its 150 to 700 degrees a second at 2000."""
    settling = (100_000_000, 100_000_000)
    """As long as ST's example waits."""
    densities = (70e-6, 110e-6, 75e-6, 80e-6), 3.8e-3
    """Noise in g/√Hz by FS_XL, and in degrees a second/√Hz."""
    has_two_range_bits = False
    """Whether no bit of CTRL8_XL changes what FS_XL means."""
    read_only = {WHO_AM_I, *range(STATUS_REG, OUTZ_H_A + 1), FIFO_STATUS1, FIFO_STATUS2,
                 *range(TIMESTAMP0, TIMESTAMP3 + 1), INTERNAL_FREQ_FINE, *range(FIFO_DATA_OUT_TAG, FIFO_DATA_OUT_Z_H + 1)}

    def __init__(self, truth: TruthWriter, now: int) -> None:
        self._interrupts = Pin(), Pin()
        self.fifo = self.make_fifo()
        super().__init__(truth, now)

    def make_fifo(self) -> TaggedFIFO:
        """An empty one."""
        return TaggedFIFO(512, has_parity=True, temperature_codes=(-2, 1, 3))

    @property
    def pins(self) -> dict[str, Pin]:
        return dict(zip(("int1", "int2"), self._interrupts))

    def reset(self, now: int) -> None:
        self.is_frozen = False
        self.electrodes.release()
        self.registers = bytearray(256)
        for register, value in self.reset_values.items():
            self.registers[register] = value
        self.fifo = self.make_fifo()
        self._timestamp_zero = 0.0
        self._banks = {0x40: bytearray(256), 0x80: bytearray(256), 0xC0: bytearray(256)}
        self._reset_until = 0
        self._status = 0
        self._held: dict[int, int] = {}
        self._settled_from = {CTRL1_XL: now, CTRL2_G: now}
        self._restart_clock(now)
        self._temperature = 0
        if now >= self.frozen_until:
            self.counts = Counts(0, 0, 0, 0, 0, 0, 0)
            self._outputs = bytearray(14)
        for pin in self._interrupts:
            pin.invert(False, now)
        self._show(now)

    # The bus.

    def is_answering(self, now: int) -> bool:
        return super().is_answering(now) and not self.registers[CTRL4_C] & I2C_DISABLE

    def read(self, now: int) -> int:
        self.advance(now)
        register = self.pointer
        if self.registers[CTRL3_C] & IF_INC:
            self.pointer = self.following(register)
        bank = self.registers[FUNC_CFG_ACCESS] & 0xC0
        if bank and register != FUNC_CFG_ACCESS:
            return self._banks[bank][register]
        if register in self.fifo_registers:
            value = self.read_fifo(register, now)
            self._show(now)
            return value
        if register == WHO_AM_I:
            return self.own_identity if self.identity is None else self.identity
        if register == CTRL3_C:
            return self.registers[CTRL3_C] | (SW_RESET if now < self._reset_until else 0)
        if register == STATUS_REG:
            return self._status
        if OUT_TEMP_L <= register <= OUTZ_H_A:
            value = self._read_output(register)
            self._show(now)
            return value
        if register in self.timestamp_registers:
            return self.timestamp(now) >> 8 * (register - TIMESTAMP0) & 0xFF
        if register == INTERNAL_FREQ_FINE and register in self.read_only:
            return self.trim & 0xFF
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

    def following(self, register: int) -> int:
        """The register that a burst reads next."""
        return FIFO_DATA_OUT_TAG if register == FIFO_DATA_OUT_Z_H else (register + 1) & 0xFF

    def write(self, value: int, now: int) -> None:
        self.advance(now)
        register = self.pointer
        if self.registers[CTRL3_C] & IF_INC:
            self.pointer = self.following(register)
        if now < self._reset_until:
            return
        bank = self.registers[FUNC_CFG_ACCESS] & 0xC0
        if bank and register != FUNC_CFG_ACCESS:
            self._banks[bank][register] = value
        elif register == CTRL3_C and value & (SW_RESET | BOOT):
            self._restart(value, now)
        elif register == TIMESTAMP2 and value == TIMESTAMP_RESET:
            self._timestamp_zero = self.clock.elapsed(now)
        elif register not in self.read_only:
            before = self.registers[register]
            self.registers[register] = value
            if register in TURN_ON and before >> 4 != value >> 4:
                self._change_rate(register, was_on=before >> 4 != 0, now=now)
            if register == CTRL5_C:
                self._push(value, now)
            self.configure_fifo(register)
            for pin in self._interrupts:
                pin.invert(self.registers[CTRL3_C] & INVERTED != 0, now)
            self._show(now)

    def _restart(self, value: int, now: int) -> None:
        if value & SW_RESET:
            self.reset(now)
            self._reset_until = now + RESET_TIME
        else:
            self.registers[CTRL3_C] = value & ~BOOT
            self._answers_from = now + BOOT_TIME

    def _push(self, value: int, now: int) -> None:
        for field, directions in PUSHES.items():
            for axis in range(0 if field == 0 else 3, 3 if field == 0 else 6):
                self.electrodes.push(axis, directions.get(value >> field & 3, 0), now)

    # Samples.

    def pushes(self, time: int) -> list[float]:
        """At 250 degrees a second the data sheet has 20 to 80 for the gyroscope, so it is not pushed as hard there."""
        accelerometer, gyroscope = self.electrodes.at(time)[:3], self.electrodes.at(time)[3:]
        is_widest = self.registers[CTRL2_G] >> 1 & 7 == 6
        return accelerometer + [push if is_widest else push / 8 for push in gyroscope]

    def _change_rate(self, register: int, was_on: bool, now: int) -> None:
        if not was_on:
            self._settled_from[register] = now + TURN_ON[register]
        self._restart_clock(now)

    def _restart_clock(self, now: int) -> None:
        self.clock.restart(now)
        self._clock_from, self._ticks, self._temperature_ticks = now, 0, 0
        self._next: int | None = None

    def _code(self, register: int) -> int:
        code = self.registers[register] >> 4
        return code if code <= 10 else 1  # code 11: the accelerometer's low power, 12.5 Hz otherwise

    def advance(self, now: int) -> None:
        """Makes what is due. Both sensors share a clock, whose tick is that of the faster one."""
        while (due := self.due()) is not None and due <= now:
            codes = {register: self._code(register) for register in TURN_ON}
            fastest = max(codes.values())
            self._ticks += 1
            self._next = None
            ready = 0
            for register, flag in ((CTRL1_XL, XLDA), (CTRL2_G, GDA)):
                if codes[register] and self._ticks % (1 << (fastest - codes[register])) == 0:
                    ready |= flag
            self._take(due, ready, codes)

    def due(self) -> int | None:
        if self._next is None and (fastest := max(map(self._code, TURN_ON))):
            self._next = self.clock.next(1e9 * (1 << (10 - fastest)) / FASTEST)
        return self._next

    def _take(self, time: int, ready: int, codes: dict[int, int]) -> None:
        if (time - self._clock_from) * 52 // 1_000_000_000 > self._temperature_ticks:
            self._temperature_ticks = (time - self._clock_from) * 52 // 1_000_000_000
            self._temperature = (self.number * 11 & 0x0FFF) - 0x0800
            self._status |= TDA
        settled = all(time >= self._settled_from[register] for register, code in codes.items() if code)
        before = self.counts
        batched = self.fifo.due(self._ticks, max(codes.values()))
        whole = time + max(0, len(batched) - 1) * WORD_TIME
        if self.make(whole, self.scale, settled, self._temperature):
            self._keep_others(before, ready)
        self._status |= ready
        if self.registers[self.pulse_register] & DRDY_PULSED:
            for pin, control in zip(self._interrupts, (INT1_CTRL, INT2_CTRL)):
                if self.registers[control] & ready:
                    pin.pulse(time, PULSE)
        if batched and self.fifo.put([(tag, self.word(tag, time)) for tag in batched], time):
            self.truth.event(time, f"fifo {self.name} overflow at {self.number}")
        self._show(time)

    def _keep_others(self, before: Counts, ready: int) -> None:
        """A sensor that is off, or slower, keeps its last sample."""
        now = self.counts
        gyroscope = now if ready & GDA else before
        accelerometer = now if ready & XLDA else before
        self.counts = Counts(*accelerometer[0:3], *gyroscope[3:6], now.temp)
        values = (now.temp, *self.counts[3:6], *self.counts[0:3])
        self._outputs[:] = b"".join(value.to_bytes(2, "little", signed=True) for value in values)

    # The FIFO and the outputs.

    def read_fifo(self, register: int, now: int) -> int:
        """A byte of one of `fifo_registers`."""
        if register == FIFO_STATUS1:
            return self.fifo.count(now) & 0xFF
        if register == FIFO_STATUS2:
            return self.fifo.flags(now) | self.fifo.take_latched() | self.fifo.count(now) >> 8
        if register == FIFO_DATA_OUT_TAG:
            return self.fifo.take_tag(now)
        return self.fifo.byte(register - FIFO_DATA_OUT_TAG - 1)

    def configure_fifo(self, register: int) -> None:
        """A register has a new value."""
        if FIFO_CTRL1 <= register <= FIFO_CTRL4:
            self.fifo.configure(self.registers[FIFO_CTRL1 : FIFO_CTRL4 + 1])

    def word(self, tag: int, time: int) -> bytes:
        """What goes into the FIFO."""
        if tag == TIMESTAMP:
            return self.timestamp(time).to_bytes(4, "little") + bytes(2)
        if tag == TEMPERATURE:
            return bytes(self._outputs[0:2]) + bytes(4)
        if tag == GYROSCOPE:
            return self._batched(CTRL2_G, time, self._outputs[2:8])
        return self._batched(CTRL1_XL, time, self._outputs[8:14])

    def _batched(self, register: int, time: int, outputs: bytes) -> bytes:
        """What of a sensor goes into the FIFO."""
        if self.registers[CTRL4_C] & DRDY_MASK and time < self._settled_from[register]:
            return b"".join(value.to_bytes(2, "little") for value in INVALID)
        return bytes(outputs)

    def timestamp(self, now: int) -> int:
        """The hardware's time stamp."""
        if not self.registers[CTRL10_C] & TIMESTAMP_ON:
            return 0
        return int((self.clock.elapsed(now) - self._timestamp_zero) / TIMESTAMP_UNIT) & 0xFFFFFFFF

    def _show(self, now: int) -> None:
        """The outputs follow the conditions that they are to show."""
        controls = self.registers[INT1_CTRL], self.registers[INT2_CTRL]
        if not any(controls) and not any(pin.is_active for pin in self._interrupts):
            return
        holds = 0 if self.registers[self.pulse_register] & DRDY_PULSED else self._status & ON_READY
        since = now
        flags = self.fifo.flags(now)
        holds |= (ON_OVERRUN if flags & OVERRUN else 0) | (ON_FULL if flags & FULL else 0)
        reached = self.fifo.watermark_time()
        if reached is not None:
            holds |= ON_WATERMARK
            since = max(now, reached)
        for pin, control in zip(self._interrupts, controls):
            pin.set(control & holds != 0, since)

    @property
    def noise(self) -> tuple[float, float]:
        """At half the data rate; filters are not emulated."""
        bandwidth = (FASTEST / (1 << (10 - (max(map(self._code, TURN_ON)) or 1))) / 2) ** 0.5
        acceleration, rate = self.densities
        return acceleration[self.registers[CTRL1_XL] >> 2 & 3] * bandwidth, rate * bandwidth

    @property
    def scale(self) -> Scale:
        code = self.registers[CTRL1_XL] >> 2 & 3
        if code == 1 and self.registers[CTRL8_XL] & 2 and not self.has_two_range_bits:
            code = 0
        milli_g = (0.061, 0.488, 0.122, 0.244)[code]
        full_scale = self.registers[CTRL2_G] >> 1 & 7
        milli_dps = 4.375 if full_scale & 1 else (8.75, 17.5, 35.0, 70.0)[full_scale >> 1]
        return Scale(milli_g / 1000, milli_dps / 1000)

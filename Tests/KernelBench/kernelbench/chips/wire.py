# SPDX-License-Identifier: Apache-2.0
"""The I2C bus between the adapter and the chips: when each byte passes, and what goes wrong on the way.

A transfer begins when the bus is free and each of its bytes takes nine bit times, so that a chip whose output changes
in the middle of a burst is read as on a real bus: what a register holds when its byte begins is sent. Times are the
host's monotonic clock in nanoseconds.

    S addr+W | register | Sr addr+R | data ... | P
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, field
from typing import NamedTuple

from .chip import Chip
from .multiplexer import Multiplexer
from .truth import TruthWriter


@dataclass
class Fault:
    """A fault in the next transfers to a chip.

    nack      the address is not acknowledged
    nackmid   the transfer breaks off after `at` bytes
    timeout   nothing happens for `seconds`, then the adapter gives up
    corrupt   one bit of the byte number `at` of a read is turned
    ones      the chip is gone, and the adapter does not see it: reads give ones, writes go nowhere
    dip       the supply dips in the middle of a sample's burst, once for each of `dips`
    """

    kind: str
    count: int
    errno: int = errno.EREMOTEIO
    at: int = 0
    length: int = 0
    """The length of the reads that are struck; 0 for any."""
    seconds: float = 0.0
    """How long a time-out takes; for dips, the least time between two."""
    dips: list[Dip] = field(default_factory=list)
    not_before: int = 0


class Dip(NamedTuple):
    """A dip of the supply in the middle of a burst."""

    at: int
    """The first byte after it; a negative number counts from the burst's end."""
    is_released: bool
    """Whether the chip releases the data line, so that the adapter reads ones, or continues with what the registers hold
    after the reset."""


BURST = 12
"""The shortest read, in bytes, that returns a sample of both sensors."""


class Wire:
    """Carries messages to chips, byte by byte."""

    def __init__(self, chips: list[Chip], truth: TruthWriter, hertz: int) -> None:
        self.chips = {chip.address: chip for chip in chips}
        self.multiplexers: dict[int, Multiplexer] = {}
        self.faults: dict[int, Fault] = {}
        self.bursts: dict[int, int] = {}
        """When a chip's address was first read a burst from, since this was emptied."""
        self.byte_time = 9 * 1_000_000_000 // hertz
        self.time = 0
        self._truth = truth
        self._writes: dict[int, list[str]] = {}

    def all_chips(self) -> list[Chip]:
        """Those on the bus, and those behind multiplexers."""
        return [*self.chips.values(), *(chip for one in self.multiplexers.values() for chip in one.chips())]

    def _at(self, address: int) -> Chip | None:
        """The chip that is at an address now."""
        chip = self.chips.get(address)
        if chip and chip.is_plugged:
            return chip
        connected = (one.connected(address) for one in self.multiplexers.values())
        return next((one for one in connected if one), chip)

    def begin(self, now: int) -> None:
        """The bus is free at `now`: a transfer begins."""
        self.time = max(now, self.time)

    def message(self, address: int, written: bytes, wanted: int) -> tuple[int, bytes]:
        """One message: bytes to write, or a number of bytes to read; an errno, 0 for success, and what was read."""
        self.time += self.byte_time
        if multiplexer := self.multiplexers.get(address):
            self.time += self.byte_time * (wanted or len(written))
            return 0, multiplexer.message(written, wanted)
        chip = self._at(address)
        fault = self._due(address, is_read=wanted > 0, length=wanted or len(written))
        if fault and fault.kind == "nack":
            return fault.errno, b""
        if fault and fault.kind == "timeout":
            self.time += int(fault.seconds * 1e9)
            return errno.ETIMEDOUT, b""
        if fault and fault.kind == "ones":
            self.time += self.byte_time * (wanted or len(written))
            return 0, b"\xFF" * wanted
        if chip is None or not chip.is_answering(self.time):
            return errno.EREMOTEIO, b""
        if wanted:
            if wanted >= BURST:
                self.bursts.setdefault(address, self.time)
            return self._read(chip, wanted, fault)
        if len(written) > 1:
            self._truth.event(self.time, f"written {chip.name} {written.hex(' ')}")
        return self._write(chip, written, fault), b""

    def _write(self, chip: Chip, written: bytes, fault: Fault | None) -> int:
        for index, value in enumerate(written):
            if fault and fault.kind == "nackmid" and index >= fault.at:
                return errno.EREMOTEIO
            self.time += self.byte_time
            if index == 0:
                chip.pointer = value
            else:
                self._writes.setdefault(chip.address, []).append(f"{chip.place:02x}={value:02x}")
                chip.write(value, self.time)
        return 0

    def take_writes(self, address: int) -> list[str]:
        """REGISTER=VALUE for each byte that was written there since this was last asked for."""
        return self._writes.pop(address, [])

    def _read(self, chip: Chip, wanted: int, fault: Fault | None) -> tuple[int, bytes]:
        data = bytearray()
        chip.begin_read(self.time)
        dip = fault.dips.pop(0) if fault and fault.kind == "dip" else None
        for index in range(wanted):
            if dip and index == dip.at % wanted:
                chip.power_up(self.time, is_silent=True)
                if dip.is_released:
                    self.time += self.byte_time * (wanted - index)
                    return 0, bytes(data) + b"\xFF" * (wanted - index)
            if fault and fault.kind == "nackmid" and index >= fault.at:
                return errno.EREMOTEIO, bytes(data)
            value = chip.read(self.time)
            self.time += self.byte_time
            if fault and fault.kind == "corrupt" and index == fault.at:
                value ^= 0x10
            data.append(value)
        return 0, bytes(data)

    def _due(self, address: int, is_read: bool, length: int) -> Fault | None:
        """The fault of this message, if any. Faults inside a burst wait for one that is long enough."""
        fault = self.faults.get(address)
        if fault is None or fault.kind in ("nackmid", "corrupt") and not (is_read and length > fault.at):
            return None
        if fault.length not in (0, length):
            return None
        if fault.kind == "dip":
            if not is_read or length < BURST or self.time < fault.not_before:
                return None
            fault.not_before = self.time + int(fault.seconds * 1e9)
        fault.count -= 1
        if fault.count == 0:
            del self.faults[address]
        name = self.chips[address].name if address in self.chips else f"{address:#x}"
        self._truth.event(self.time, f"struck {name} {fault.kind}" + (f" {fault.dips[0]}" if fault.dips else ""))
        return fault

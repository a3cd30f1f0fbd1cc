# SPDX-License-Identifier: Apache-2.0
"""The process that simulates the chips and lines of one guest: `python3 -m kernelbench.chips.server DIR`.

In DIR it makes the sockets `i2c` and `gpio` for QEMU and `control` for the bench. A command is a line on the control
socket, its answer one line, `ok` or `error ...`. CHIP is `lsm6dso`, `lsm6dso32`, `lsm6dsl`, `lsm6dsv`, `lsm9ds1`,
`icm20948`, `mpu6050`, or one of the latter's successors; with `@` and an address after it, a specimen of its own;
`mpu6050@0x68/3` is one on channel 3 of a multiplexer, which must be there.

    truth PATH | truth -           begin a truth file, end it
    nack CHIP COUNT [ERRNO]        the next COUNT messages are not acknowledged
    nackmid CHIP AT COUNT          the next COUNT reads of more than AT bytes break off after AT bytes
    timeout CHIP SECONDS COUNT     the next COUNT messages time out
    corrupt CHIP AT COUNT [LENGTH] in the next COUNT reads, or those of LENGTH bytes, a bit of byte AT is turned
    ones CHIP                      reads give ones and nothing is written, though all is acknowledged
    dip CHIP SECONDS DIP...        the supply dips in the middle of a sample's burst, once for each DIP and SECONDS apart
                                   at least; DIP is `ones:AT` or `zeros:AT`, what the rest of the burst is,
                                   counted from its end when AT is negative
    healthy CHIP                   no more of these
    solder CHIP                    this chip takes the place of the one that has its address, and is powered up; one with
                                   an `@` is a new specimen, of which nothing was said yet
    multiplexer ADDRESS            a PCA9548A is on the bus, with nothing selected; the supply of one that is there dips
    burst CHIP                     the answer is `ok` and when the first burst of a sample was read since the truth file
                                   was begun, 0 when there was none
    unplug CHIP | plug CHIP        the wires come off; they are back, and the chip boots
    brownout CHIP                  the supply dips: registers are reset, nothing else shows it
    clock CHIP PPM [DRIFT [JITTER]]
                                   the chip's clock is fast by so much from now on, by DRIFT ppm more each second, and its
                                   samples are up to JITTER microseconds off
    trim CHIP VALUE                the value of the register by which the chip says how wrong its clock is
    route CHIP PIN NUMBER | route CHIP PIN -
                                   an interrupt output of the chip is wired to a GPIO line; the wire comes off
    freeze CHIP [SECONDS]          the values stand still, the flags do not, until the chip is reset, or for SECONDS
                                   whatever is done to it
    motion CHIP KIND               the chip senses how a board moves (motion.py), and not `numbers`
    defect CHIP KIND WORDS...      one more thing is wrong with this specimen (defects.py)
    disconnect CHIP AXIS...        these axes do not answer the self-test, or `all`
    codes CHIP CODE...             the factory's trim of the MPU-6050's kind (factorytrim.py)
    registers CHIP                 the answer is `ok` and what they hold, in hexadecimal
    writes CHIP                    the answer is `ok` and REGISTER=VALUE, in hexadecimal, for each byte that was written
                                   since the last such command
    identity CHIP VALUE|own        the value of WHO_AM_I; an mpu6050's 0 is that of all registers, as of a line at ground
    absent CHIP | present CHIP     the chip was never there; it is
    way-back MICROSECONDS          answers to transfers are sent so much early
    stall | release                the controller hangs; it continues
    gone | back                    the controller is gone: every transfer fails with ENODEV; it is back
    line NUMBER LEVEL              a GPIO line is pulled up or down
    train NUMBER DELAY...          a line changes its level now and again after each delay in microseconds, as contacts
                                   do that bounce; the answer is `ok FIRST LAST`, when the changes are due
    output NUMBER                  the answer is `ok` and the level that the guest drives a line to
    changes NUMBER                 the answer is `ok` and TIME:LEVEL for each change of a line since the last such command
    late                           the answer is `ok` and by how many nanoseconds a change of a train was late at most
                                   since the last such command
    time                           the answer is `ok` and the monotonic time in nanoseconds
    clocks ADDRESS SECONDS         compares clocks with guest/clockmap.c, whose page is at this address of the guest's
                                   memory; the answer is `ok` and the least difference that the guest's clock minus the
                                   host's can have, in nanoseconds. Nothing else is done meanwhile
"""

from __future__ import annotations

import ctypes
import errno
import select
import socket
import sys
import time
from pathlib import Path

from .adapter import Adapter
from .ak09916 import AK09916
from .chip import Chip
from .electrodes import AXES
from .icm20948 import ICM20948
from .lines import Lines
from .lsm6dsl import LSM6DSL
from .lsm6dso import LSM6DSO
from .lsm6dso32 import LSM6DSO32
from .lsm6dsv import LSM6DSV
from .lsm9ds1 import LSM9DS1
from .motion import Motion
from .multiplexer import Multiplexer
from .mpu6050 import MPU6050, MPU6500, MPU9250, MPU9255
from .signal import CHANNELS
from .truth import TruthWriter
from .wire import Dip, Fault, Wire

KINDS = (MPU6050, LSM6DSO, LSM6DSO32, MPU6500, MPU9250, MPU9255, LSM9DS1, LSM6DSL, LSM6DSV, ICM20948)
BUS_HERTZ = 400_000
FOR_EVER = 1 << 60
BREATH = 0.02
"""Seconds between looks at chips that no program reads, so that the truth file has all that they make."""


class Server:
    """Chips, lines, and the sockets to them."""

    def __init__(self, directory: Path) -> None:
        self.truth = TruthWriter()
        now = time.monotonic_ns()
        self.chips: dict[str, Chip] = {kind.name: kind(self.truth, now) for kind in KINDS}
        self.chips["ak09916"] = AK09916(self.chips["icm20948"], self.truth, now)
        self.wire = Wire([self.chips["mpu6050"], self.chips["lsm6dso"]], self.truth, BUS_HERTZ)
        self.adapter = Adapter(str(directory / "i2c"), self.wire)
        self.lines = Lines(str(directory / "gpio"))
        self._control = socket.socket(socket.AF_UNIX)
        self._control.bind(str(directory / "control"))
        self._control.listen(8)
        self._clients: dict[socket.socket, bytes] = {}

    def run(self) -> None:
        """Serves until it is killed."""
        while True:
            devices = {source: device for device in (self.adapter, self.lines) for source in device.readers()}
            sources = [*devices, self._control, *self._clients]
            readable, _, _ = select.select(sources, [], [], self._wait())
            self.lines.proceed()
            for source in readable:
                if source in devices:
                    devices[source].is_ready(source)
                elif source is self._control:
                    self._clients[self._control.accept()[0]] = b""
                else:
                    self._listen(source)
            self._advance()
            self.adapter.finish(before=self.lines.due)
            self._advance()

    def _advance(self) -> None:
        """Chips make what is due, and their outputs go to the lines; one that is on the wire is ahead of that."""
        now = time.monotonic_ns()
        for chip in self.wire.all_chips():
            chip.advance(now)
            for pin in chip.pins.values():
                for line, due, level in pin.take():
                    self.lines.plan(line, due, level)

    def _wait(self) -> float:
        """Seconds until something has to be done that nobody announces."""
        dues = [self.adapter.due, self.lines.due]
        # A sample that no output shows can be made later.
        dues += [
            chip.due() for chip in self.wire.all_chips() if any(pin.line is not None for pin in chip.pins.values())]
        first = min((due for due in dues if due is not None), default=FOR_EVER)
        return min(BREATH, max(0.0, (first - time.monotonic_ns()) / 1e9))

    def _listen(self, client: socket.socket) -> None:
        data = client.recv(4096)
        if not data:
            client.close()
            del self._clients[client]
            return
        *lines, self._clients[client] = (self._clients[client] + data).split(b"\n")
        for line in lines:
            words = line.decode().split()
            try:
                answer = self.command(words)
            except (LookupError, TypeError, ValueError, OSError) as error:
                answer = f"error {' '.join(words)}: {type(error).__name__}: {error}"
            client.sendall(f"{answer}\n".encode())

    def command(self, words: list[str]) -> str:
        """Executes a line of the control socket."""
        name, *rest = words
        now = max(time.monotonic_ns(), self.wire.time)
        if name == "time":
            return f"ok {time.monotonic_ns()}"
        if name == "clocks":
            return f"ok {compare_clocks(self.adapter.memory(int(rest[0]), 16), float(rest[1]))}"
        if name == "late":
            return f"ok {self.lines.late()}"
        if name == "truth":
            self.truth.close() if rest == ["-"] else self.truth.open(*rest)
            self.wire.bursts = {}
            return "ok"
        if name == "burst":
            return f"ok {self.wire.bursts.get(self.chips[rest[0]].address, 0)}"
        if name == "output":
            return f"ok {self.lines.outputs[int(rest[0])]}"
        if name == "changes":
            return " ".join(["ok", *(f"{at}:{level}" for at, level in self.lines.changes(int(rest[0])))])
        if name == "registers":
            return f"ok {self.chips[rest[0]].registers.hex()}"
        if name == "writes":
            return " ".join(["ok", *self.wire.take_writes(self.chips[rest[0]].address)])
        self.truth.event(now, " ".join(words))
        if name in ("stall", "release"):
            getattr(self.adapter, name)()
        elif name in ("gone", "back"):
            self.adapter.errno = errno.ENODEV if name == "gone" else 0
        elif name == "way-back":
            self.adapter.way_back = int(float(rest[0]) * 1000)
        elif name == "multiplexer":
            self.wire.multiplexers.setdefault(int(rest[0], 0), Multiplexer()).mask = 0
        elif name == "line":
            self.lines.set(*map(int, rest))
        elif name == "train":
            line, *delays = map(int, rest)
            return "ok {} {}".format(*self.lines.play(line, delays))
        else:
            if name == "solder" and "@" in rest[0]:
                self.chips[rest[0]] = self._specimen(rest[0], now)
            self._to_chip(name, self.chips[rest[0]], rest[1:], now)
        return "ok"

    def _specimen(self, name: str, now: int) -> Chip:
        """A new chip of the kind and at the address that its name has."""
        kind, place = name.split("@")
        address = place.partition("/")[0]
        chip = next(one for one in KINDS if one.name == kind)(self.truth, now)
        chip.name, chip.address = name, int(address, 0)
        return chip

    def _to_chip(self, name: str, chip: Chip, rest: list[str], now: int) -> None:
        if name == "solder":
            channel = chip.name.partition("/")[2]
            chips = self.wire.chips
            if channel:
                chips = next(iter(self.wire.multiplexers.values())).channels[int(channel)]
            chips[chip.address] = chip
            chip.power_up(now, is_silent=True)
            return
        chip.advance(now)
        if name == "nack":
            self._strike(chip, Fault("nack", int(rest[0]), *map(int, rest[1:])))
        elif name in ("nackmid", "corrupt"):
            self._strike(chip, Fault(name, at=int(rest[0]), count=int(rest[1]), length=int((rest[2:] or [0])[0])))
        elif name == "timeout":
            self._strike(chip, Fault(name, seconds=float(rest[0]), count=int(rest[1])))
        elif name == "ones":
            self._strike(chip, Fault(name, count=FOR_EVER))
        elif name == "dip":
            dips = [Dip(int(at), kind == "ones") for kind, at in (word.split(":") for word in rest[1:])]
            self._strike(chip, Fault(name, count=len(dips), seconds=float(rest[0]), dips=dips))
        elif name == "healthy":
            self.wire.faults.pop(chip.address, None)
        elif name in ("unplug", "absent"):
            chip.is_plugged = False
        elif name in ("plug", "present"):
            chip.is_plugged = True
            chip.power_up(now, is_silent=name == "present")
        elif name == "brownout":
            chip.power_up(now, is_silent=True)
        elif name == "clock":
            ppm, drift, jitter = map(float, [*rest, "0", "0"][:3])
            chip.clock.set(ppm, drift, jitter, now)
        elif name == "trim":
            chip.trim = int(rest[0])
        elif name == "route":
            pin = chip.pins[rest[0]]
            pin.line = None if rest[1] == "-" else int(rest[1])
            if pin.line is not None:
                self.lines.set(pin.line, pin.level)
        elif name == "freeze":
            chip.is_frozen = not rest
            chip.frozen_until = now + int(float(rest[0]) * 1e9) if rest else now
        elif name == "motion":
            chip.motion = Motion(*rest, now)
        elif name == "defect":
            chip.defects.add(*rest)
        elif name == "disconnect":
            for axis in range(AXES) if rest == ["all"] else map(CHANNELS.index, rest):
                chip.electrodes.disconnect(axis)
        elif name == "codes":
            chip.codes = tuple(map(int, rest))
            chip.power_up(now, is_silent=True)
        elif name == "identity":
            chip.identity = None if rest == ["own"] else int(rest[0], 0)
        else:
            raise ValueError("no such command")

    def _strike(self, chip: Chip, fault: Fault) -> None:
        self.wire.faults[chip.address] = fault


def compare_clocks(page: memoryview, seconds: float) -> int:
    """The host's part of guest/clockmap.c: stores its time in the page, and sees the guest's there."""
    cells = page.cast("q")
    least = -FOR_EVER
    end = time.monotonic_ns() + int(seconds * 1e9)
    while (now := time.monotonic_ns()) < end:
        cells[0] = now
        if guest := cells[1]:
            least = max(least, guest - time.monotonic_ns())
    return least


def sleep_precisely() -> None:
    """Asks the kernel to wake this process when it asked for, and not 50 µs later."""
    pr_set_timerslack = 29
    ctypes.CDLL(None).prctl(pr_set_timerslack, 1, 0, 0, 0)


if __name__ == "__main__":
    sleep_precisely()
    try:
        Server(Path(sys.argv[1])).run()
    except KeyboardInterrupt:
        sys.exit(130)

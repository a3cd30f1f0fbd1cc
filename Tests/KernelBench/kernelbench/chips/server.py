"""The process that simulates the chips and lines of one guest: `python3 -m kernelbench.chips.server DIR`.

In DIR it makes the sockets `i2c` and `gpio` for QEMU and `control` for the bench. A command is a line on the control
socket, its answer one line, `ok` or `error ...`. CHIP is `lsm6dso`, `lsm6dsv`, `lsm9ds1`, `mpu6050`,
or one of the latter's successors.

    truth PATH | truth -           begin a truth file, end it
    nack CHIP COUNT [ERRNO]        the next COUNT messages are not acknowledged
    nackmid CHIP AT COUNT          the next COUNT reads of more than AT bytes break off after AT bytes
    timeout CHIP SECONDS COUNT     the next COUNT messages time out
    corrupt CHIP AT COUNT          in the next COUNT reads a bit of byte AT is turned
    ones CHIP                      reads give ones and nothing is written, though all is acknowledged
    dip CHIP SECONDS DIP...        the supply dips in the middle of a sample's burst, once for each DIP and SECONDS apart
                                   at least; DIP is `ones:AT` or `zeros:AT`, what the rest of the burst is,
                                   counted from its end when AT is negative
    healthy CHIP                   no more of these
    solder CHIP                    this chip takes the place of the one that has its address, and is powered up
    burst CHIP                     the answer is `ok` and when the first burst of a sample was read since the truth file
                                   was begun, 0 when there was none
    unplug CHIP | plug CHIP        the wires come off; they are back, and the chip boots
    brownout CHIP                  the supply dips: registers are reset, nothing else shows it
    freeze CHIP [SECONDS]          the values stand still, the flags do not, until the chip is reset, or for SECONDS
                                   whatever is done to it
    rest CHIP on|off               a board that lies still instead of numbers that can be recognised
    identity CHIP VALUE|own        the value of WHO_AM_I
    absent CHIP | present CHIP     the chip was never there; it is
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
from .chip import Chip
from .lines import Lines
from .lsm6dso import LSM6DSO
from .lsm6dsv import LSM6DSV
from .lsm9ds1 import LSM9DS1
from .mpu6050 import MPU6050, MPU6500, MPU9250, MPU9255
from .truth import TruthWriter
from .wire import Dip, Fault, Wire

BUS_HERTZ = 400_000
FOR_EVER = 1 << 60
BREATH = 0.02
"""Seconds between looks at chips that no program reads, so that the truth file has all that they make."""


class Server:
    """Chips, lines, and the sockets to them."""

    def __init__(self, directory: Path) -> None:
        self.truth = TruthWriter()
        now = time.monotonic_ns()
        kinds = (MPU6050, LSM6DSO, MPU6500, MPU9250, MPU9255, LSM9DS1, LSM6DSV)
        self.chips: dict[str, Chip] = {kind.name: kind(self.truth, now) for kind in kinds}
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
            waits = [wait for wait in (self.adapter.wait(), self.lines.wait()) if wait is not None]
            readable, _, _ = select.select(sources, [], [], min(BREATH, *waits) if waits else BREATH)
            self.lines.proceed()
            for source in readable:
                if source in devices:
                    devices[source].is_ready(source)
                elif source is self._control:
                    self._clients[self._control.accept()[0]] = b""
                else:
                    self._listen(source)
            self.adapter.finish()
            now = time.monotonic_ns()
            if now > self.wire.time:
                for chip in self.wire.chips.values():
                    chip.advance(now)

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
        self.truth.event(now, " ".join(words))
        if name in ("stall", "release"):
            getattr(self.adapter, name)()
        elif name in ("gone", "back"):
            self.adapter.errno = errno.ENODEV if name == "gone" else 0
        elif name == "line":
            self.lines.set(*map(int, rest))
        elif name == "train":
            line, *delays = map(int, rest)
            return "ok {} {}".format(*self.lines.play(line, delays))
        else:
            self._to_chip(name, self.chips[rest[0]], rest[1:], now)
        return "ok"

    def _to_chip(self, name: str, chip: Chip, rest: list[str], now: int) -> None:
        if name == "solder":
            self.wire.chips[chip.address] = chip
            chip.power_up(now, is_silent=True)
            return
        chip.advance(now)
        if name == "nack":
            self._strike(chip, Fault("nack", int(rest[0]), *map(int, rest[1:])))
        elif name in ("nackmid", "corrupt"):
            self._strike(chip, Fault(name, at=int(rest[0]), count=int(rest[1])))
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
        elif name == "freeze":
            chip.is_frozen = not rest
            chip.frozen_until = now + int(float(rest[0]) * 1e9) if rest else now
        elif name == "rest":
            chip.is_at_rest = rest == ["on"]
        elif name == "identity":
            chip.identity = None if rest == ["own"] else int(rest[0], 0)
        else:
            raise ValueError("no such command")

    def _strike(self, chip: Chip, fault: Fault) -> None:
        self.wire.faults[chip.address] = fault


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

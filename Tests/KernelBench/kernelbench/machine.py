# SPDX-License-Identifier: Apache-2.0
"""A virtual machine: QEMU with Debian's kernel, the emulated I2C and GPIO devices, a folder shared with the host, and a
port over which commands go in.

    host                                   guest
    chips (i2c, gpio sockets) ──────────── /dev/i2c-0, /dev/gpiochip0
    directory/share ────────────────────── /host
    directory/agent ────────────────────── the agent's port
    disks ──────────────────────────────── /dev/vda ...

The guest's clocks run from QEMU's virtual clock, which is the host's monotonic clock at another zero: on x86 by the
HPET, whose 100 MHz are exact, and not by the time stamp counter, whose frequency the kernel only estimates; on ARM by
the architectural timer. So guest and host times differ by one constant.
"""

from __future__ import annotations

import ctypes
import select
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from .errors import BenchError
from .rights import prefer

MEMORY = "256M"
BOOT_SECONDS = 90
ARGUMENTS = "panic=-1 quiet mitigations=off random.trust_cpu=on rcupdate.rcu_expedited=1"


@dataclass(frozen=True)
class Platform:
    """What is needed to boot one architecture."""

    name: str
    kernel: Path
    initramfs: Path
    accelerator: str = "tcg"

    def command(self) -> list[str]:
        """The QEMU command without devices."""
        memory = ["-m", MEMORY, "-object", f"memory-backend-memfd,id=mem,size={MEMORY},share=on"]
        common = ["-nodefaults", "-display", "none", "-no-reboot", "-smp", "1", "-initrd", str(self.initramfs),
            "-name", "guest,debug-threads=on"]
        if self.name == "arm64":
            return [
                "qemu-system-aarch64", "-M", "virt,memory-backend=mem", "-cpu", "cortex-a53", *memory, *common,
                "-kernel", str(self.kernel), "-append", f"console=ttyAMA0 {ARGUMENTS}"]
        return [
            "qemu-system-x86_64", "-M", f"q35,memory-backend=mem,accel={self.accelerator}", "-cpu", "max", *memory,
            *common, "-no-user-config", "-kernel", str(self.kernel), "-append",
            f"console=ttyS0 clocksource=hpet tsc=reliable no_timer_check {ARGUMENTS}"]


def end_with_bench() -> None:
    """In a session of its own QEMU would outlive a bench that is killed."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)


@dataclass
class Result:
    """How a command in the guest ended."""

    command: str
    status: int
    output: str
    errors: str


@dataclass
class Machine:
    """A running guest. `directory` is created, and keeps all that the guest leaves."""

    platform: Platform
    directory: Path
    chips: Path | None = None
    disks: list[str] = field(default_factory=list)
    is_first: bool = True
    is_busy: bool = False

    def __post_init__(self) -> None:
        self.share = self.directory / "share"
        self.share.mkdir(parents=True, exist_ok=True)
        self._number = 0
        self._ended: dict[str, int] = {}
        self._received = b""
        self._console = open(self.directory / "console", "wb")
        self._start()

    # Switching on and off.

    def _start(self) -> None:
        port = self.directory / "agent"
        port.unlink(missing_ok=True)
        devices = [
            "-serial", "stdio", "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={port},server=on,wait=off", "-device",
            "virtserialport,chardev=agent,name=bench",
            "-fsdev", f"local,id=share,path={self.share},security_model=none",
            "-device", "virtio-9p-pci,fsdev=share,mount_tag=host"]
        if self.chips:
            for kind in ("i2c", "gpio"):
                devices += [
                    "-chardev", f"socket,id={kind},path={self.chips / kind}",
                    "-device", f"vhost-user-{kind}-pci,chardev={kind},event_idx=off"]
        for index, disk in enumerate(self.disks):
            devices += [
                "-drive", f"if=none,id=disk{index},format=raw,file={disk},cache=writeback",
                "-device", f"virtio-blk-pci,drive=disk{index}"]
        self._process = subprocess.Popen(
            [*self.platform.command(), *devices], stdin=subprocess.DEVNULL, stdout=self._console,
            stderr=subprocess.STDOUT, start_new_session=self.is_busy,
            preexec_fn=end_with_bench if self.is_busy else None)
        try:
            self._socket = self._connect(port)
            self._wait_for("ready", BOOT_SECONDS)
        except BaseException:
            # No caller has this machine, so none could switch it off.
            self._process.kill()
            self._process.wait()
            raise
        if self.is_first:
            prefer(self._process.pid, self.is_busy)

    def _connect(self, port: Path) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        for _ in range(200):
            try:
                connection.connect(str(port))
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                if self._process.poll() is not None:
                    break
                time.sleep(0.05)
        raise BenchError(f"QEMU did not start:\n{self._tail()}")

    def cut(self) -> None:
        """The power fails: whatever QEMU has not yet given to the host is lost."""
        if self._process.poll() is not None and self._console.closed:
            return
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._socket.close()
        self._console.close()

    # Commands.

    def start(self, command: str) -> str:
        """Starts a command in the guest and gives it a name."""
        self._number += 1
        name = f"{self._number:03}"
        self._socket.sendall(f"{name} {command}\n".encode())
        return name

    def finish(self, name: str, command: str = "", seconds: float = 60) -> Result:
        """Waits for a command to end."""
        self._wait_for(name, seconds, command)
        out, err = (
            (self.share / f"{name}.{kind}").read_text(encoding="utf-8", errors="replace") for kind in ("out", "err"))
        return Result(command, self._ended[name], out, err)

    def run(self, command: str, seconds: float = 60) -> Result:
        """Runs a command to its end."""
        return self.finish(self.start(command), command, seconds)

    def check(self, command: str, seconds: float = 60) -> str:
        """Runs a command that has to succeed; returns its output."""
        result = self.run(command, seconds)
        if result.status != 0:
            raise BenchError(f"in the guest, '{command}' ended with {result.status}: {result.errors or result.output}")
        return result.output

    def _wait_for(self, name: str, seconds: float, command: str = "") -> None:
        deadline = time.monotonic() + seconds
        while name not in self._ended:
            left = deadline - time.monotonic()
            if left <= 0:
                what = f"'{command}' did not end" if command else "the guest did not come up"
                raise BenchError(f"{what} in {seconds:.0f} s; its console:\n{self._tail()}")
            self.listen(left)

    def listen(self, seconds: float) -> None:
        """Waits until the guest says that commands ended, or for so long."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return
        data = self._socket.recv(4096)
        if not data:
            raise BenchError(f"the virtual machine ended; its console:\n{self._tail()}")
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            words = line.decode().split()
            if words:
                self._ended[words[0]] = int(words[1]) if len(words) > 1 else 0

    def has_ended(self, name: str) -> bool:
        """Whether a command is known to have ended."""
        return name in self._ended

    def _tail(self) -> str:
        text = (self.directory / "console").read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-12:])


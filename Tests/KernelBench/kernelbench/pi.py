# SPDX-License-Identifier: Apache-2.0
"""A Raspberry Pi 3 by QEMU: its own I2C controllers and GPIO chip, and Debian's kernel with the board's device tree.

It has neither virtio nor a shared folder. Commands and answers go over its serial console; see ../guest/pi-init.
"""

from __future__ import annotations

import base64
import os
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import BenchError
from .machine import Machine, Platform
from .setup import SETUP, run_script

ARGUMENTS = "console=ttyS1,115200 maxcpus=1 quiet panic=-1 mitigations=off rcupdate.rcu_expedited=1"
HEADER = "i2c-bus.1"
"""QEMU's name for the bus of the board's pins."""


class Tree:
    """A flattened device tree, in which values may be replaced by others of the same length."""

    def __init__(self, file: Path) -> None:
        self.bytes = bytearray(file.read_bytes())
        self.nodes: dict[str, dict[str, slice]] = {}
        """Where values are, by node and property; the root is ''."""
        begin_node, end_node, prop, nop = 1, 2, 3, 4
        at, strings = struct.unpack_from(">2I", self.bytes, 8)
        path: list[str] = []
        while (token := self._word(at)) in (begin_node, end_node, prop, nop):
            at += 4
            if token == begin_node:
                path.append(self._text(at))
                self.nodes["/".join(path)] = {}
                at += len(path[-1]) + 4 & ~3
            elif token == end_node:
                path.pop()
            elif token == prop:
                length, name = self._word(at), self._text(strings + self._word(at + 4))
                self.nodes["/".join(path)][name] = slice(at + 8, at + 8 + length)
                at += 8 + (length + 3 & ~3)

    def _word(self, at: int) -> int:
        return struct.unpack_from(">I", self.bytes, at)[0]

    def _text(self, at: int) -> str:
        return self.bytes[at:self.bytes.index(0, at)].decode()

    def value(self, node: str, name: str) -> bytes:
        """A property's value; nothing where there is none."""
        place = self.nodes.get(node, {}).get(name)
        return bytes(self.bytes[place]) if place else b""

    def replace(self, node: str, name: str, value: bytes) -> None:
        place = self.nodes[node][name]
        if place.stop - place.start != len(value):
            raise BenchError(f"{name} of {node} has another length than {value!r}")
        self.bytes[place] = value


@dataclass(frozen=True)
class Kit:
    """What boards are made of."""

    kernel: Path
    initramfs: Path
    unpacked: Path
    """The guest's root with the program's package as a file, and with the files in it."""
    qemu: Path
    trees: dict[str, Path]
    """The device trees of all Raspberry Pis that the kernel knows, by name."""


def prepare(program: Path, directory: Path) -> Kit:
    """Fetches what is missing, and puts the program's package into the guest's roots."""
    initramfs = directory / "pi.cpio"
    home = Path(run_script(SETUP / "pi.sh", str(program), str(initramfs)))
    files = sorted((home / "kernel").glob("usr/lib/linux-image-*/broadcom/bcm2*.dtb"))
    kernel = next((home / "kernel/boot").glob("vmlinuz-*"))
    return Kit(kernel, initramfs, initramfs.with_suffix(".cpio.unpacked"), home / "qemu/usr", {file.stem: file for file in files})


def memory(bus: str, address: int) -> list[str]:
    """An EEPROM in the place of a chip: 256 registers that keep what is written to them, and do nothing."""
    return ["-device", f"at24c-eeprom,bus={bus},address={address},rom-size=256"]


class Pi(Machine):
    """A running board. `devices` are QEMU's options for what hangs on its buses."""

    def __init__(self, kit: Kit, tree: Tree, directory: Path, devices: list[str], is_unpacked: bool) -> None:
        self._kit, self._tree, self._devices = kit, tree, devices
        super().__init__(Platform("pi", kit.kernel, kit.unpacked if is_unpacked else kit.initramfs), directory, is_first=False)

    def _start(self) -> None:
        port = self.directory / "serial"
        port.unlink(missing_ok=True)
        tree = self.directory / "board.dtb"
        tree.write_bytes(self._tree.bytes)
        root = self._kit.qemu
        # Not installed, so its libraries and files are named; modules of another QEMU are not for it.
        command = [
            root / "lib64/ld-linux-x86-64.so.2", "--library-path", root / "lib/x86_64-linux-gnu",
            root / "bin/qemu-system-aarch64", "-L", root / "share/qemu", "-M", "raspi3b", "-nodefaults", "-display",
            "none", "-no-reboot", "-kernel", self.platform.kernel, "-initrd", self.platform.initramfs, "-dtb", tree,
            "-append", ARGUMENTS, "-serial", "null", "-chardev", f"socket,id=serial,path={port},server=on,wait=off",
            "-serial", "chardev:serial", *self._devices]
        self._process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=self._console, stderr=subprocess.STDOUT,
            env={**os.environ, "QEMU_MODULE_DIR": "/nonexistent"})
        try:
            self._socket = self._connect(port)
            self._wait_for("ready", 300)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def listen(self, seconds: float) -> None:
        """Takes what comes over the console: answers, and what the kernel says before it is up."""
        self._socket.settimeout(seconds)
        try:
            data = self._socket.recv(65536)
        except TimeoutError:
            return
        except ConnectionError:
            data = b""
        if not data:
            raise BenchError(f"the virtual machine ended; its console:\n{self._tail()}")
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            if not line.startswith(b"="):
                self._console.write(line + b"\n")
                self._console.flush()
                continue
            name, status, *texts = line[1:].decode().split()
            for kind, text in zip(("out", "err"), texts):
                (self.share / f"{name}.{kind}").write_bytes(base64.b64decode(text.rstrip("-")))
            self._ended[name] = int(status)

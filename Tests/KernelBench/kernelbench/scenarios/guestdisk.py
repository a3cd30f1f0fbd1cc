# SPDX-License-Identifier: Apache-2.0
"""A disk for a guest: its image, the process that serves it (../disk.py), and how it is made, mounted and repaired."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from ..bench import Guest
from ..errors import BenchError

MEGABYTE = 1 << 20
FILE_SYSTEMS = {
    "ext4": (64, ["mkfs.ext4", "-q", "-F"], ["e2fsck", "-p"]),
    "f2fs": (96, ["mkfs.f2fs", "-q", "-f"], ["fsck.f2fs", "-a"]),
    "vfat": (64, ["mkfs.vfat"], ["fsck.vfat", "-a"]),
}
"""Size in MB, the command that makes it, and the one that a board runs on it at each start. The kernel's module has the
same name."""
BY_HAND = {"ext4": ["e2fsck", "-f", "-y"]}
"""An owner's repair when that gives up: ext4's superblock spans two sectors, and its checksum fails when it is torn."""


class Disk:
    """A disk image and the process that serves it."""

    def __init__(self, directory: Path, file_system: str) -> None:
        self.file_system = file_system
        self.image, self.socket = directory / "disk.img", directory / "disk.sock"
        size, command, _ = FILE_SYSTEMS[file_system]
        directory.mkdir(parents=True, exist_ok=True)
        with open(self.image, "wb") as image:
            image.truncate(size * MEGABYTE)
        made = self._run(command)
        if made.returncode != 0:
            raise BenchError(f"{command[0]} ended with {made.returncode}: {made.stderr.strip()}")
        self._process = subprocess.Popen(
            [sys.executable, "-B", "-m", "kernelbench.disk", str(self.image), str(self.socket)],
            cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._process.stdout.readline()

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Runs a command on the image."""
        return subprocess.run(
            [*command, str(self.image)], env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace")

    def cut(self, seed: int) -> bool:
        """The supply fails, and comes back: the file system is checked as at any start. Returns its success."""
        self.tell("cut", seed)
        checked = self._run(FILE_SYSTEMS[self.file_system][2])
        is_enough = checked.returncode in (0, 1)
        if not is_enough:
            by_hand = BY_HAND.get(self.file_system)
            repaired = self._run(by_hand) if by_hand else checked
            if repaired.returncode not in (0, 1):
                raise BenchError(f"the file system cannot be repaired: {checked.stdout.strip()}\n{repaired.stdout.strip()}")
        self.tell("fresh")
        return is_enough

    def tell(self, *words: object) -> str:
        self._process.stdin.write(f"{' '.join(map(str, words))}\n")
        return self._process.stdout.readline().strip()

    def stop(self) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self.image.unlink()


def fresh(directory: Path) -> Path:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


def mount(guest: Guest, file_system: str) -> None:
    machine = guest.machine
    machine.check("load virtio_blk")
    for module in ("nls_cp437", "nls_iso8859_1", "nls_ascii") if file_system == "vfat" else ("crc32c_generic",):
        machine.check(f"load {module}")
    machine.check(f"load {file_system} && mount -t {file_system} /dev/vda /disk")
    # The kernel writes back often, so that a cut finds writes which no flush has followed yet.
    machine.check("echo 10 >/proc/sys/vm/dirty_writeback_centisecs; echo 5 >/proc/sys/vm/dirty_expire_centisecs")

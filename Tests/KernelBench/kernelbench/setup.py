# SPDX-License-Identifier: Apache-2.0
"""Prepares the parts of guests, by the scripts in ../setup, and finds out how QEMU can run here."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .errors import BenchError, CannotRun
from .machine import Platform

HERE = Path(__file__).parents[1]
SETUP = HERE / "setup"
CROSS = HERE.parents[1] / ".ci" / "cross"
CANNOT_RUN = 77
KVM_SECONDS = 6


def cache_directory() -> Path:
    """Where downloads and builds are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("KERNELBENCH_CACHE") or f"{base}/imulog-kernelbench")


def run_script(script: Path, *arguments: str, is_idle: bool = False) -> str:
    """Runs a script and returns its last line. An idle one leaves the processors to all others."""
    command = [*(["chrt", "--idle", "0"] if is_idle else []), str(script), *arguments]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = ended.stdout.splitlines()
    errors = ended.stderr.strip()
    if ended.returncode == CANNOT_RUN:
        raise CannotRun(errors.splitlines()[-1].partition("cannot run here: ")[2] if errors else script.name)
    if ended.returncode != 0:
        raise BenchError(f"{script.name} ended with {ended.returncode}:\n{errors}")
    return lines[-1] if lines else ""


def prepare(architecture: str, program: Path, directory: Path) -> Platform:
    """The kernel, and an initramfs with the program."""
    directory.mkdir(parents=True, exist_ok=True)
    run_script(SETUP / "tools.sh", architecture)
    kernel = Path(run_script(SETUP / "kernel.sh", architecture))
    initramfs = directory / f"{architecture}.cpio"
    run_script(SETUP / "initramfs.sh", architecture, str(kernel), str(program), str(initramfs))
    version = (kernel / "version").read_text().strip()
    image = kernel / "boot" / ("vmlinux" if architecture == "amd64" else f"vmlinuz-{version}")
    platform = Platform(architecture, image, initramfs)
    if architecture == "amd64" and kvm_works(platform, directory):
        platform = Platform(architecture, image, initramfs, "kvm")
    return platform


def kvm_works(platform: Platform, directory: Path) -> bool:
    """Whether a guest gets anywhere with KVM: a /dev/kvm that can be opened says little inside of a virtual machine.

    The result is kept for as long as kernel and QEMU are the same.
    """
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    version = subprocess.run([platform.command()[0], "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    question = f"{os.uname().release} {os.uname().version} {version}"
    known = cache_directory() / "kvm"
    if known.exists():
        asked, _, answer = known.read_text().rpartition("\n")
        if asked == question:
            return answer == "works"
    works = boots_with_kvm(platform, directory)
    known.write_text(f"{question}\n{'works' if works else 'does not work'}")
    return works


def boots_with_kvm(platform: Platform, directory: Path) -> bool:
    """Boots a guest that has no devices, and looks whether its first process says so."""
    accelerated = Platform(platform.name, platform.kernel, platform.initramfs, "kvm")
    with open(directory / "kvm-probe", "wb") as console:
        probe = subprocess.Popen(
            [*accelerated.command(), "-serial", "stdio"], stdin=subprocess.DEVNULL, stdout=console,
            stderr=subprocess.STDOUT)
        try:
            probe.wait(KVM_SECONDS)
        except subprocess.TimeoutExpired:
            probe.kill()
            probe.wait()
    return b"guest:" in (directory / "kvm-probe").read_bytes()

# SPDX-License-Identifier: Apache-2.0
"""The program as it runs on a Raspberry Pi's processor: built with Debian 13's Swift, on Debian's kernel for arm64."""

from __future__ import annotations

from pathlib import Path

from ..bench import CHIPS, Bench, Guest, Recording, check_recording
from ..scenario import Group
from ..setup import CROSS, prepare, run_script
from . import faults
from .takes import account

FAULT = next(fault for fault in faults.FAULTS if fault.name == "silent brown-out")


def build(directory: Path) -> Path:
    """Cross-builds the program, when nothing else wants a processor."""
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / "imulog-arm64"
    run_script(CROSS, "arm64", str(program), is_idle=True)
    return program


def run(bench: Bench, group: Group, program: Path) -> None:
    """A take of each chip, and one fault."""
    platform = prepare("arm64", program, bench.directory)
    guest = bench.boot("arm64", platform)
    try:
        for chip in CHIPS:
            group.run(f"arm64: 5 s at 100 Hz from {chip}", lambda: take(guest, chip))
        names = {chip: f"arm64: {FAULT.name}, {chip}" for chip in CHIPS}
        if group.wants(*names.values()):
            recordings = faults.strike(guest, FAULT, CHIPS, "fault")
            truth = guest.machine.directory / "fault.truth"
            for recording in recordings:
                group.run(names[recording.chip], lambda: faults.check_fault(FAULT, recording, truth))
    finally:
        guest.stop()


def take(guest: Guest, chip: str) -> str:
    truth = guest.machine.directory / f"{chip}.truth"
    guest.chips.tell("truth", truth)
    recording = Recording(guest, chip, "--rate 100 --for 5s", f"take-{chip}")
    recording.finish()
    guest.chips.tell("truth", "-")
    checked = check_recording(recording, truth)
    return account(checked.take, 500, 0.7, checked.comparison.summary())

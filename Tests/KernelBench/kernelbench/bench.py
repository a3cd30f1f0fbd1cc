# SPDX-License-Identifier: Apache-2.0
"""The environment of scenarios: prepared platforms, a folder for the run, guests, and imulog in them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from .compare import Comparison, compare, compare_scale
from .control import Chips
from .chips.truth import Truth, read_truth
from .errors import BenchError, check
from .export import Take, read_take
from .machine import Machine, Platform, Result

CHIPS = ("mpu6050", "lsm6dso")


@dataclass
class Guest:
    """A virtual machine with its chips."""

    machine: Machine
    chips: Chips

    def stop(self) -> None:
        self.machine.cut()
        self.chips.stop()


class Bench:
    """One run of the bench. All its files are under `directory`."""

    def __init__(self, directory: Path, platform: Platform, program: Path) -> None:
        self.directory = directory
        self.platform = platform
        self.program = program

    def boot(
        self, name: str, platform: Platform | None = None, disks: list[str] | None = None, is_first: bool = True,
        is_busy: bool = False,
    ) -> Guest:
        """Starts chips and a guest of their own; `is_first` raises their priority on the host, but not that of a
        processor that `is_busy`."""
        directory = self.directory / name
        shutil.rmtree(directory, ignore_errors=True)
        chips = Chips(directory / "chips", is_first)
        try:
            machine = Machine(platform or self.platform, directory, chips.directory, disks or [], is_first, is_busy)
        except BenchError:
            chips.stop()
            raise
        return Guest(machine, chips)


class Recording:
    """imulog records in a guest while a scenario does things to the chip."""

    def __init__(self, guest: Guest, chip: str, options: str, name: str) -> None:
        self.guest, self.chip, self.name = guest, chip, name
        self._store = f"/tmp/{name}"
        self._command = f"imulog --store {self._store} record --bus 0 --sensor {chip} {options}"
        self._started = guest.machine.start(self._command)

    def finish(self, seconds: float = 120) -> Result:
        """Waits for the take to end."""
        return self.guest.machine.finish(self._started, self._command, seconds)

    def export(self, units: str = "raw") -> Take:
        """imulog's export of the take."""
        return read_export(self.guest.machine, self._store, self.name, units)


def read_export(machine: Machine, store: str, name: str, units: str) -> Take:
    """The latest recording of a store, exported by the guest's imulog after it has checked every byte of it."""
    file = f"{name}-{units}.json"
    machine.check(f"imulog --store {store} verify latest")
    machine.check(f"imulog --store {store} export latest --units {units} -o /host/{file}")
    return read_take(machine.share / file)


@dataclass(frozen=True)
class Checked:
    """A take that was compared with the truth."""

    take: Take
    comparison: Comparison
    truth: Truth


def check_recording(
    recording: Recording, truth_file: Path, damaged: int = 0, repeated: int = 0
) -> Checked:
    """Exports a take that has ended, in counts and in SI units, and compares it with the truth."""
    ended = recording.finish()
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    truth = read_truth(truth_file)
    raw = recording.export()
    check(raw.document["complete"] is True, "the take is not complete")
    comparison = compare(raw, truth, recording.chip, damaged, repeated)
    compare_scale(recording.export("si"), raw, comparison)
    return Checked(raw, comparison, truth)

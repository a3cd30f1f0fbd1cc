# SPDX-License-Identifier: Apache-2.0
"""Faults while recording: the recording continues, the gap has the right cause and length, samples after it are right.

Both chips record at once and both are struck, so that each fault takes its time only once. When a fault began and
ended is read from the truth file and brought to the export's time by the constant that comparing the samples gave.

            began            ended   back
    samples   │  gap           │  .  │  samples
    ──────────┴────────────────┴─────┴──────────
              └ no sample in here    └ at most `recovery` after the end
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..bench import CHIPS, Bench, Checked, Guest, Recording, check_recording
from ..errors import ETIMEDOUT, HostTooSlow, check
from ..export import MILLISECOND, Gap, Take
from ..scenario import Group

RATE = 50
BEGIN = 1.5
"""Seconds from the start of the command to the fault: bring-up and half a second of samples."""
SLACK = 60 * MILLISECOND
"""Between an entry of the truth file and a tick that reads it: three periods."""
LATE = 0.3
"""Part of a take's ticks that an emulated processor may be too late for; imulog reports them as missed or stale."""
EREMOTEIO, ENXIO = 121, 6


@dataclass(frozen=True)
class Fault:
    """A fault, and the traces that it must leave in a recording."""

    name: str
    seconds: float
    """Length of the take."""
    begin: tuple[str, ...]
    """Commands to the chips; CHIP stands for each of them."""
    end: tuple[str, ...] = ()
    after: float = 0.0
    """Seconds from begin to end."""
    causes: tuple[str, ...] = ()
    """Causes that the gap may have; the first one has to be there, and has to explain most of it."""
    errno: int = 0
    lasts: float = 0.0
    """Seconds that the chip cannot be read."""
    recovery: float = 0.3
    """Seconds after that until samples have to come again."""
    damaged: int = 0
    repeated: int = 0
    is_alone: bool = False
    """Whether the other chip would notice it too: then only one chip records at a time."""
    event: str = ""
    """The fault that the program has to report."""


FAULTS = (
    Fault(
        "burst of 40 NACKs", 3.5, ("nack CHIP 40 121",), causes=("busError",), errno=EREMOTEIO, lasts=0.2),
    Fault(
        "burst of 40 NACKs as other adapters report them", 3.5, ("nack CHIP 40 6",), causes=("busError",), errno=ENXIO,
        lasts=0.2),
    Fault(
        "30 NACKs in mid-transfer", 3.5, ("nackmid CHIP 5 30",), causes=("busError",), errno=EREMOTEIO, lasts=0.15),
    Fault(
        "three time-outs of 1 s", 8.0, ("timeout CHIP 1.0 3",), causes=("busError", "reinitialising"), errno=ETIMEDOUT,
        lasts=3.0, recovery=2.5, is_alone=True),
    Fault(
        "unplugged for 5 s", 9.5, ("unplug CHIP",), ("plug CHIP",), 5.0, ("busError", "reinitialising"), EREMOTEIO, 5.0,
        1.5, event="bus"),
    Fault(
        "silent brown-out", 4.5, ("brownout CHIP",), causes=("reinitialising", "stale"), recovery=1.0,
        event="configurationLost"),
    Fault(
        "frozen data", 4.5, ("freeze CHIP",), causes=("frozen", "reinitialising"), recovery=1.3, event="frozen"),
    Fault("a byte corrupted in each of 5 reads", 3.5, ("corrupt CHIP 6 5",), damaged=5, recovery=0.0),
    Fault(
        "controller stalled for 3 s", 7.5, ("stall",), ("release",), 3.0, ("busError", "reinitialising"), ETIMEDOUT,
        3.0, 1.5),
)


def run(bench: Bench, group: Group) -> None:
    """All of them, in one guest."""
    guest = bench.boot("faults")
    try:
        for number, fault in enumerate(FAULTS, 1):
            for chips in ([chip] for chip in CHIPS) if fault.is_alone else (CHIPS,):
                name = f"fault{number}-{'-'.join(chips)}"
                if not group.wants(*(f"{fault.name}, {chip}" for chip in chips)):
                    continue
                recordings = strike(guest, fault, chips, name)
                truth = guest.machine.directory / f"{name}.truth"
                for recording in recordings:
                    group.run(f"{fault.name}, {recording.chip}", lambda: check_fault(fault, recording, truth))
    finally:
        guest.stop()


def strike(guest: Guest, fault: Fault, chips: Sequence[str], name: str) -> list[Recording]:
    """Records from the chips and lets the fault happen to them."""
    guest.chips.tell("truth", guest.machine.directory / f"{name}.truth")
    options = f"--rate {RATE} --for {fault.seconds}s"
    recordings = [Recording(guest, chip, options, f"{name}-of-{chip}") for chip in chips]
    time.sleep(BEGIN)
    tell_each(guest, fault.begin, chips)
    if fault.end:
        time.sleep(fault.after)
        tell_each(guest, fault.end, chips)
    for recording in recordings:
        recording.finish()
    guest.chips.tell("truth", "-")
    return recordings


def tell_each(guest: Guest, commands: Sequence[str], chips: Sequence[str]) -> None:
    """Gives commands to the chips' process; one that names CHIP for each of the chips."""
    for command in commands:
        for chip in chips if "CHIP" in command else chips[:1]:
            guest.chips.tell(command.replace("CHIP", chip))


def check_fault(fault: Fault, recording: Recording, truth: Path) -> str:
    """Checks the recording after the fault."""
    checked = check_recording(recording, truth, fault.damaged, fault.repeated)
    take, offset = checked.take, checked.comparison.offset
    began, ended = struck(fault, recording.chip, checked)
    began, ended = began + offset, ended + offset
    inside = [sample for sample in take.samples if began + SLACK < sample.time < ended - SLACK]
    check(not inside or fault.lasts == 0, f"{len(inside)} samples are from a time at which there were none")
    after = [sample for sample in take.samples if sample.time > ended + fault.recovery * 1e9]
    check(len(after) > RATE // 5, "no samples came after the fault")
    check_gaps(fault, take, began, ended)
    if fault.event:
        kinds = [(event["kind"], event["fault"]) for event in take.document["sensorEvents"]]
        check(("lost", fault.event) in kinds and kinds[-1][0] == "back", f"the events are {kinds}")
    if fault.damaged:
        damaged = checked.comparison.matches.count(None)
        return f"{len(take.samples)} samples, {damaged} with the corrupted byte, which nothing can notice"
    return f"{checked.comparison.summary()}; lost {', '.join(describe(gap) for gap in take.gaps if gap.count > 1)}"


def struck(fault: Fault, chip: str, checked: Checked) -> tuple[int, int]:
    """When the chip could not be read: from the first to the last strike, or from one command to the other."""
    strikes = [when for when, words in checked.truth.events if words.startswith(f"struck {chip} ")]
    if strikes:
        return strikes[0], max(strikes[-1], strikes[0] + int(fault.lasts * 1e9))
    began = checked.truth.time_of(fault.begin[0].replace("CHIP", chip))
    return began, checked.truth.time_of(fault.end[0].replace("CHIP", chip)) if fault.end else began


def check_gaps(fault: Fault, take: Take, began: int, ended: int) -> None:
    """The gap has the right cause and length, and there are no others."""
    gaps, period, scheduled = take.gaps, take.period, take.scheduled
    first, last = (began - SLACK) / period, (ended + fault.recovery * 1e9) / period
    ours = [gap for gap in gaps if gap.end > first and gap.first <= last]
    others = [gap for gap in gaps if gap not in ours]
    message = f"gaps that have nothing to do with the fault: {others}"
    if any(gap.cause == "busError" and gap.errno == ETIMEDOUT for gap in others):
        raise HostTooSlow(message)
    check(all(gap.cause in ("missed", "stale") for gap in others), message)
    if sum(gap.count for gap in others) > LATE * scheduled:
        raise HostTooSlow(message)
    if not fault.causes:
        return
    told = f"{[describe(gap) for gap in ours]}, ticks {first:.0f} to {last:.0f}"
    right = [gap for gap in ours if gap.cause == fault.causes[0]]
    check(bool(right), f"no gap of cause {fault.causes[0]}: {told}")
    if fault.errno:
        check(any(gap.errno == fault.errno for gap in right), f"no gap with errno {fault.errno}: {told}")
    strange = sum(gap.count for gap in ours if gap.cause not in (*fault.causes, "missed", "stale"))
    check(strange == 0, f"{strange} ticks have another cause than {' and '.join(fault.causes)}: {told}")
    late = sum(gap.count for gap in ours if gap.cause not in fault.causes)
    if late > LATE * scheduled:
        raise HostTooSlow(f"{late} ticks were missed or stale besides: {told}")
    length = sum(gap.count for gap in ours if gap.cause in fault.causes)
    least = max(1, fault.lasts * 1e9 / period - 3)
    most = (ended - began + fault.recovery * 1e9) / period + 3
    check(least <= length <= most, f"the gap has {length} ticks and not {least:.0f} to {most:.0f}: {told}")
    check(max(gap.end for gap in ours if gap.cause in fault.causes) <= last + 1, f"samples came back too late: {told}")
    if max(gap.end for gap in ours) > last + 1:
        raise HostTooSlow(f"samples came back too late, because ticks were missed: {told}")


def describe(gap: Gap) -> str:
    code = f" {gap.errno}" if gap.errno else ""
    return f"{gap.count} {gap.cause}{code}"

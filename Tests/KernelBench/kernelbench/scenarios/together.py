# SPDX-License-Identifier: Apache-2.0
"""Several chips, each with a clock of its own, beside two loops that keep the guest's processor busy: nothing is lost, and
the times of any two samples differ by what the truth says, within the bound that the export states.

    left   ──┬──────┬──────┬──     t_lo … t_hi of each sample
    right  ───┬──────┬──────┬─     a pair: a sample, and the next one of the following sensor
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import clockmap
from ..bench import Bench, Guest
from ..chips.truth import read_truth
from ..continuity import Judgement, check_inside, part
from ..errors import HostTooSlow, check
from ..scenario import Group
from .chip import busy_loops, check_right, fetch_store, judge_recording
from .sensors import MULTIPLEXER, declare, place

SHORT = 10.0
"""Seconds without `--chip-minutes`."""
CLOCKS = ("35000 2 3", "-30000 3 2", "12000 -2 3", "-8000 1 4", "21000 -1 2")
"""Of each chip: its error in ppm, drift in ppm a second, jitter in microseconds."""


@dataclass(frozen=True)
class Together:
    """Chips of one kind with one rate."""

    rate: str
    chips: tuple[str, ...]
    """As the simulation names them."""

    @property
    def kind(self) -> str:
        return self.chips[0].partition("@")[0]

    @property
    def name(self) -> str:
        return f"{len(self.chips)} {self.kind} at {self.rate} Hz, each by its own clock"

    @property
    def sensors(self) -> dict[str, str]:
        """The chips by the names of the sensors."""
        return dict(zip("abcde", self.chips))


TAKES = (
    Together("416", tuple(f"lsm6dso@0x6a/{channel}" for channel in range(5))),
    Together("1000", ("mpu6050", "mpu6050@0x69")),
)


def run(bench: Bench, group: Group, minutes: float) -> None:
    """All of them, in one guest, for so many minutes."""
    guest = bench.boot("together", is_busy=True)
    try:
        guest.chips.tell("way-back", 0)
        # One on the bus itself would answer on each channel.
        guest.chips.tell("absent", "lsm6dso")
        guest.chips.tell("multiplexer", MULTIPLEXER)
        declare(guest)
        for take in TAKES:
            group.run(take.name, lambda: record(bench, guest, take, minutes * 60 or SHORT))
    finally:
        guest.stop()


def record(bench: Bench, guest: Guest, take: Together, seconds: float) -> str:
    """Records, and judges each recording and each pair."""
    machine, name = guest.machine, f"together-{take.kind}"
    for chip, clock in zip(take.sensors.values(), CLOCKS):
        guest.chips.tell("solder", chip)
        guest.chips.tell("clock", chip, *clock.split())
    truth_file = machine.directory / f"{name}.truth"
    before = clockmap.measure(guest)
    guest.chips.tell("truth", truth_file)
    words = " ".join(f"--sensor '{sensor}={place(chip)}'" for sensor, chip in take.sensors.items())
    command = f"imulog --store /tmp/{name} record --bus 0 --clock chip --rate {take.rate} --for {seconds}s {words}"
    with busy_loops(machine):
        ended = machine.finish(machine.start(command), command, seconds + 60)
    guest.chips.tell("truth", "-")
    for chip in take.sensors.values():
        guest.chips.tell("absent", chip)
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    clocks = before.joined(clockmap.measure(guest))
    (store, truth) = (fetch_store(guest, name), read_truth(truth_file))
    intervals: list[list[tuple[int, int, int]]] = []
    samples = lost = 0
    for number, chip in enumerate(take.sensors.values(), 1):
        judgement = judge_recording(bench, guest, store, str(number), chip, clocks, truth)
        check_inside(judgement)
        check_right(judgement.holes)
        lost += sum(hole.missing for hole in judgement.holes)
        samples += len(judgement.dated)
        intervals.append(proved(judgement))
    pairs = judge_pairs(intervals)
    if lost:
        raise HostTooSlow(f"{lost} of {samples + lost} samples were lost, each in a gap with its cause; {pairs}")
    return f"{samples} samples true and in their intervals, 0 exchanged, 0 lost; {pairs}"


def proved(judgement: Judgement) -> list[tuple[int, int, int]]:
    """When each sample was made, and its interval, by the host's clock and in order."""
    samples = judgement.take.document["samples"]
    return [
        (dated.truth.time, judgement.start + sample["t_lo_ns"], judgement.start + sample["t_hi_ns"])
        for dated, sample in zip(judgement.dated, samples) if dated.inside is not None]


def judge_pairs(intervals: list[list[tuple[int, int, int]]]) -> str:
    """Each sample with the next one of the following sensor: the true difference is within what the two intervals say.

    The constant distance of the guest's clock and the host's is in both, so the difference has no doubt from it; the first
    ticks of two recordings do, by the pairs of clocks in their headers.
    """
    halves: list[int] = []
    for one, other in zip(intervals, intervals[1:] + intervals[:1]):
        index = 0
        for made, low, high in one:
            while index < len(other) and other[index][0] < made:
                index += 1
            if index == len(other):
                break
            made_then, low_then, high_then = other[index]
            least, most = low_then - high, high_then - low
            apart = made_then - made
            doubt = 2 * clockmap.PAIR
            check(least - doubt <= apart <= most + doubt, f"two samples are {apart} ns apart, and said to be {least} to {most}")
            halves.append((most - least) // 2)
    halves.sort()
    half, most = part(halves, 0.5) / 1e6, part(halves, 0.99) / 1e6
    return f"{len(halves)} pairs apart as stated, within ±{half:.3f} ms for half of them and ±{most:.3f} ms for 99 %"

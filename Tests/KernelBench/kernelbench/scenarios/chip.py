# SPDX-License-Identifier: Apache-2.0
"""The chip keeps the time: recordings from a FIFO, beside two loops that keep the guest's processor busy.

    chip's clock   ││││││││││││││││││││││││││││││     off by percent, drifts, jitters, steps
    FIFO           ─drain──drain──── stall ──────drain──drain
    export         41 42 43 44 ── gap of n ── 45+n …          n has to be exact: the samples' numbers say so

A take has one thing done to it every few seconds, and each is a scenario. The recording is exported by the host.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from .. import clockmap
from ..bench import Bench, Guest, Recording
from ..chips.truth import Truth, read_truth
from ..clockmap import Span
from ..continuity import Hole, Judgement, check_inside, judge
from ..errors import BenchError, HostTooSlow, check
from ..export import MILLISECOND, read_account
from ..machine import Machine
from ..scenario import Group

BEGIN = 3.0
"""Seconds from the start of the command to the first act: bring-up, and two seconds in which the readings are dense."""
ERROR = 60_000
"""Nanoseconds: what 99 % of the times are not off by more than, about their middle."""
WIDE = 260_000
"""Half of the interval that most samples have at most, in nanoseconds, where the host is quick enough for that: reads of the
fill that take longer say less."""
FOUND = 200 * MILLISECOND
"""Between the readings that prove a step of the chip's clock."""
NEAR = 300 * MILLISECOND
"""Around an act."""


@dataclass(frozen=True)
class Act:
    """Something that is done to a chip or its bus; CHIP in a command stands for the chip."""

    name: str
    begin: str
    end: str = ""
    lasts: float = 0.0
    """Seconds from begin to end."""
    hole: bool = True
    """Whether samples are lost by it."""
    is_known: bool = True
    """Whether something can be known of their number."""
    is_exact: bool = True
    """Whether it is known exactly: not where reads of the bench take longer than a sample."""
    pause: float = 2.0
    """Seconds until the next one begins."""
    finding: str = ""
    """What the readings have to prove, and within FOUND."""


def stall(milliseconds: int) -> Act:
    return Act(f"a stall of {milliseconds} ms", "stall", "release", milliseconds / 1000)


COUNT = 2
"""Bytes of a read of the fill."""
MPU_ACTS = (
    stall(150), stall(400),
    Act("a burst that breaks off", "nackmid CHIP 100 1"),
    Act("a count with a bit turned", f"corrupt CHIP 1 1 {COUNT}", hole=False, pause=1.5),
    Act("the chip's clock steps by 20,000 ppm", "clock CHIP 55000 2 3", hole=False, pause=3,
        finding="rateChanged"),
    Act("a brown-out", "brownout CHIP", is_known=False),
)


BROKEN_BURST = Act("a burst that breaks off", "nackmid CHIP 100 1", is_exact=False)
TAGGED_ACTS = (stall(400), BROKEN_BURST)
"""The tags of a FIFO that has overrun count what is missing, modulo 4."""
PATTERN_ACTS = (replace(stall(400), is_exact=False), BROKEN_BURST)


@dataclass(frozen=True)
class Take:
    """A recording and what is done meanwhile."""

    chip: str
    rate: str
    clock: str
    """Error in ppm, drift in ppm a second, jitter in microseconds."""
    acts: tuple[Act, ...] = ()
    seconds: float = 10
    is_stamped: bool = False
    """Whether the chip stamps its samples."""
    is_long_only: bool = False
    """Whether it is left out of the short form."""

    @property
    def name(self) -> str:
        return f"{self.chip} at {self.rate} Hz" + (" with time stamps" if self.is_stamped else "")

    def named(self, act: Act) -> str:
        """The name of a scenario."""
        return f"{self.name}: {act.name}"

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the scenarios that are no acts: what is recorded, and when it was made."""
        if self.acts:
            return f"{self.name}: nothing else is missing", f"{self.name}: intervals beside all that"
        return f"{self.name}: complete beside two busy loops", f"{self.name}: intervals", f"{self.name}: times"

    @property
    def length(self) -> float:
        """Seconds."""
        return BEGIN + sum(act.lasts + act.pause for act in self.acts) if self.acts else self.seconds


TAKES = (
    Take("mpu6050", "1000", "35000 2 3"),
    Take("mpu6050", "1000", "35000 2 3", MPU_ACTS),
    Take("lsm6dso", "1666", "-30000 2 3", is_long_only=True),
    Take("lsm6dso", "1666", "-30000 2 3", TAGGED_ACTS),
    Take("lsm6dsl", "1666", "20000 2 3", PATTERN_ACTS),
    Take("lsm6dso", "104", "40000 2 3", is_stamped=True),
    Take("lsm6dsl", "208", "-20000 2 3", is_stamped=True),
)


def run(bench: Bench, group: Group, minutes: float) -> None:
    """All of them, in one guest; takes to which nothing is done are so long, unless it is 0."""
    guest = bench.boot("chip", is_busy=True)
    try:
        # An answer that comes early would say that a sample was made before it was.
        guest.chips.tell("way-back", 0)
        for take in TAKES:
            if take.is_long_only and not minutes:
                continue
            if minutes and not take.acts and not take.is_stamped:
                take = replace(take, seconds=minutes * 60)
            if not group.wants(*take.others, *map(take.named, take.acts)):
                continue
            judgement = Once(lambda: record(bench, guest, take))
            for name, scenario in zip(take.others, (whole, intervals, dates)):
                group.run(name, lambda: scenario(take, judgement()))
            for act in take.acts:
                group.run(take.named(act), lambda: after(take, act, judgement()))
    finally:
        guest.stop()


class Once:
    """A value that is made when it is first asked for; an error is kept too."""

    def __init__(self, make) -> None:
        self._make, self._made, self._error = make, None, None

    def __call__(self) -> Judgement:
        if self._error:
            raise self._error
        if self._made is None:
            try:
                self._made = self._make()
            except Exception as error:
                self._error = error
                raise
        return self._made


# Recording.

def record(bench: Bench, guest: Guest, take: Take) -> Judgement:
    """Records beside busy loops, does the acts, and compares the export with the truth."""
    chips, machine = guest.chips, guest.machine
    name = f"{take.chip}-{'acts' if take.acts else 'stamped' if take.is_stamped else 'clean'}"
    options = f"--clock chip --rate {take.rate}" + (" --time-stamps" if take.is_stamped else "")
    chips.tell("solder", take.chip)
    chips.tell("clock", take.chip, *take.clock.split())
    truth = machine.directory / f"{name}.truth"
    before = clockmap.measure(guest)
    chips.tell("truth", truth)
    with busy_loops(machine):
        recording = Recording(guest, take.chip, f"{options} --for {take.length}s", name)
        if take.acts:
            time.sleep(BEGIN)
        for act in take.acts:
            chips.tell(*act.begin.replace("CHIP", take.chip).split())
            if act.end:
                time.sleep(act.lasts)
                chips.tell(*act.end.replace("CHIP", take.chip).split())
            time.sleep(act.pause)
        ended = recording.finish(take.length + 60)
    chips.tell("truth", "-")
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    clocks = before.joined(clockmap.measure(guest))
    (machine.directory / f"{name}.clocks").write_text(f"{clocks}\n")
    return judge_recording(bench, guest, fetch_store(guest, name), "latest", take.chip, clocks, read_truth(truth))


@contextmanager
def busy_loops(machine: Machine) -> Iterator[None]:
    """Two processes that want all of the guest's processor."""
    loops = [machine.start(f"echo $$ >/tmp/busy{number}; while :; do :; done") for number in (1, 2)]
    try:
        yield
    finally:
        machine.check("kill $(cat /tmp/busy1 /tmp/busy2)")
        for loop in loops:
            machine.finish(loop)


def fetch_store(guest: Guest, name: str) -> Path:
    """Moves a store of the guest to the host."""
    guest.machine.check(f"cp -r /tmp/{name} /host/{name} && rm -r /tmp/{name}")
    return guest.machine.share / name


def judge_recording(
    bench: Bench, guest: Guest, store: Path, number: str, chip: str, clocks: clockmap.ClockMap, truth: Truth
) -> Judgement:
    """Compares a recording of a store with the truth of its chip."""
    imulog(bench.program, store, "verify", number)
    file = guest.machine.directory / f"{store.name}-{number}.json"
    imulog(bench.program, store, "export", number, "--units", "raw", "--uncertainty", "-o", str(file))
    exported = read_account(file)
    check(exported.document["complete"] is True, "the take is not complete")
    bounds = [(sample["t_lo_ns"], sample["t_hi_ns"]) for sample in exported.document["samples"]]
    return judge(exported, truth, chip, clocks.start(exported.document), bounds)


def imulog(program: Path, store: Path, *words: str) -> str:
    """Runs the program on the host."""
    ended = subprocess.run([program, "--store", store, *words], capture_output=True, text=True)
    if ended.returncode != 0:
        raise BenchError(f"imulog {' '.join(words)} ended with {ended.returncode}: {ended.stderr or ended.stdout}")
    return ended.stdout


# Judging.

def whole(take: Take, judgement: Judgement) -> str:
    """Outside of the acts nothing is missing."""
    spans = [span(take, act, judgement) for act in take.acts]
    others = [hole for hole in judgement.holes if not any(near.low <= hole.time <= near.high for near in spans)]
    check_right(others)
    if others:
        raise HostTooSlow(f"holes that nothing was done for, of the right size: {'; '.join(map(str, others))}")
    return f"{len(judgement.dated)} samples true and in order, 0 lost, 0 repeated"


def intervals(take: Take, judgement: Judgement) -> str:
    """Each sample was made in its interval."""
    stamps = judgement.take.document["chipTimes"]["stampCount"]
    least = take.seconds if take.is_stamped else 0
    check((stamps > 0) == take.is_stamped and stamps >= least, f"{stamps} readings of the chip's counter")
    return f"{check_inside(judgement)}, by clocks that are known to ±{judgement.doubt / 1e3:.1f} µs"


def dates(take: Take, judgement: Judgement) -> str:
    """The likely times are near the truth, where the reads are short enough for that."""
    errors = judgement.errors()
    if errors.percentile99 > ERROR:
        fail_unless_slow(judgement, f"1 % of the times are off by too much: {errors}")
    return f"{errors}, by clocks that are known to ±{judgement.doubt / 1e3:.1f} µs"


def fail_unless_slow(judgement: Judgement, message: str) -> None:
    """Fails, or reports that the reads took so long that nothing better can be expected."""
    width = judgement.take.document["chipTimes"]["halfWidth"]["median_ns"]
    message += f", within intervals of ±{width / 1e3:.0f} µs"
    check(width > WIDE, message)
    raise HostTooSlow(message)


def after(take: Take, act: Act, judgement: Judgement) -> str:
    """What an act leaves: one hole with the right number, or none."""
    near = span(take, act, judgement)
    holes = [hole for hole in judgement.holes if near.low <= hole.time <= near.high]
    errors = judgement.errors(Span(0, near.low), Span(near.high, 1 << 62))
    check_right(holes if act.is_known else [])
    if not act.hole:
        if holes:
            raise HostTooSlow(f"a hole where there need not be one: {'; '.join(map(str, holes))}")
        return f"{errors}{found(act, judgement, near.low + NEAR)}"
    check(len(holes) == 1, f"not one hole: {'; '.join(map(str, holes)) or 'none'}")
    check(holes[0].ticks > 0, f"the hole has no gap: {holes[0]}")
    if act.is_known and act.is_exact and holes[0].least != holes[0].most:
        fail_unless_slow(judgement, f"the number is not exact: {holes[0]}")
    return f"{holes[0]}; {errors}"


def found(act: Act, judgement: Judgement, instant: int) -> str:
    """Checks that the readings prove what an act at this instant of the host's clock did."""
    if not act.finding:
        return ""
    at = instant - judgement.start
    findings = [finding for finding in judgement.take.document["chipTimes"]["findings"] if finding["kind"] == act.finding]
    near = [finding for finding in findings if finding["from_ns"] - FOUND < at < finding["to_ns"] + FOUND]
    check(len(findings) == len(near) == 1, f"not one finding '{act.finding}' at {at}: {findings}")
    width = near[0]["to_ns"] - near[0]["from_ns"]
    if width > FOUND:
        fail_unless_slow(judgement, f"the finding is only known to {width / 1e6:.0f} ms")
    return f"; found to {width / 1e6:.0f} ms, {near[0]['change_ppm']:+.0f} ppm"


def check_right(holes: list[Hole]) -> None:
    """Each gap has as many ticks as samples are missing, or as many as the take says are possible."""
    wrong = [hole for hole in holes if not hole.is_right]
    check(not wrong, f"not the number of samples that are missing: {'; '.join(map(str, wrong))}")


def span(take: Take, act: Act, judgement: Judgement) -> Span:
    """From a little before an act to a while after."""
    index = [other.begin for other in take.acts[: take.acts.index(act)]].count(act.begin)
    words = act.begin.replace("CHIP", take.chip)
    times = [when for when, text in judgement.truth.events if text == words]
    return Span(times[index] - NEAR, times[index] + int(act.lasts * 1e9) + 4 * NEAR)

# SPDX-License-Identifier: Apache-2.0
"""Chips that forget their set-up, lie or stand still while they are recorded: nothing of it is exported as a sample.

Two chips record at once, at RATE, and each take has several faults, dated from the chip's first burst:

    take       │ ten brown-outs ──────────────── x │   the last one just before the end
    take       │ brown-outs in mid-burst, at each of some bytes
    take       │ frozen 1 s │ frozen 2 s │
    take       │ gone for 1 s │ gone for 0.5 s and powered up │   the adapter acknowledges, and reads ones
    take       │ two brown-outs │ another chip's identity 1 s │ two brown-outs │
    take       │ a board at rest whose noise the range hides │

The MPU-6050 is asleep after a brown-out, the LSM6DSO powered down; the MPU-6500, 9250 and 9255 give samples of other
ranges at once. What a chip made, when, and with which ranges, is in the truth file, as are all bytes written to it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from .. import stalls
from ..bench import Bench, Checked, Guest, Recording, check_recording
from ..chips.truth import Truth
from ..errors import BenchError, HostTooSlow, check
from ..export import MILLISECOND, Gap
from ..scenario import Group
from .faults import describe

RATE = 100
PERIOD = 1000 // RATE * MILLISECOND
LSM = "lsm6dso"
Plan = Sequence[tuple[float, str]]
"""Seconds from the chip's first burst, and a command; CHIP stands for the chip."""

END = 7.0
TEN = (
    (0.7, "brownout CHIP"), (1.47, "brownout CHIP"), (2.3, "brownout CHIP"), (2.33, "brownout CHIP"),
    (3.3, "brownout CHIP"), (3.39, "brownout CHIP"), (4.404, "brownout CHIP"), (5.2, "brownout CHIP"),
    (6.009, "brownout CHIP"), (END - 0.12, "brownout CHIP"))
"""Ten of them, two times two in a row, and one in the last 0.3 s."""
LAST = 300 * MILLISECOND

PLACES = (0, 1, 2, 4, 5, 6, 7, 8, 10, 11, -3, -2, -1)
"""Bytes of a burst: between values, inside of them, and near the end."""
OTHERS = (1, 2, 3, 7, 9, -3, -2)
PAUSE = 0.3
LEAST_DIPS = 0.7
"""Part of the brown-outs in mid-burst that have to come about in a take: the next one is when there are samples again."""


def dips(first: str, second: str, places: Sequence[int] = PLACES) -> str:
    """A command: the supply dips at all those places, and the rest reads in the one way and in the other by turns."""
    kinds = (first, second)
    return f"dip CHIP {PAUSE} " + " ".join(f"{kinds[index % 2]}:{place}" for index, place in enumerate(places))


FREEZES = ((0.7, "freeze CHIP 1"), (2.9, "freeze CHIP 2"))
GONE = (
    (0.7, "ones CHIP"), (1.7, "healthy CHIP"), (3.0, "ones CHIP"), (3.5, "brownout CHIP"), (3.5, "healthy CHIP"))
AGAIN = (
    (0.7, "brownout CHIP"), (0.79, "brownout CHIP"),
    (2.2, "identity CHIP 0x19"), (2.2, "brownout CHIP"), (3.2, "identity CHIP own"),
    (4.6, "brownout CHIP"), (4.63, "brownout CHIP"))
COARSE = "--rate 10 --channels gyro --gyro-range 2000dps"
WAITS = {
    # 100 ms after a reset (RM-MPU-6000A 4.28), 10 ms after wake-up, 60 ms of the gyroscope (inv_mpu6050).
    "mpu6050": 170 * MILLISECOND,
    # 15 ms of booting, 70 ms of the gyroscope and five samples at 104 Hz (AN5130 table 15). Then the limited FIFO has to
    # be seen to replace a sample, which takes two or three samples and some ten transfers of a millisecond here.
    LSM: (133 + 60) * MILLISECOND,
}
"""The data sheets' time from the first write until a sample."""
BEYOND = 20 * MILLISECOND
"""The additional time that setting up may take."""
NOTICED = 1200 * MILLISECOND
"""From a fault until setting up begins."""
MISSED = 0.3
"""Part of a take's ticks that an emulated processor may be too late for."""


def run(bench: Bench, group: Group) -> None:
    """All of them, in one guest."""
    guest = bench.boot("resets")
    try:
        stalls.watch(guest)
        take = lambda *rest: several(guest, group, *rest)
        take("ten brown-outs", "mpu6500", END, TEN, check_ten)
        take("brown-outs in mid-burst", "mpu9250", 8.0, [(0.7, dips("ones", "zeros"))], check_dips)
        take("brown-outs in mid-burst, other bytes", "mpu6050", 5.0, [(0.7, dips("zeros", "ones", OTHERS))], check_dips)
        take("frozen", "mpu9255", 6.5, FREEZES, check_frozen)
        take("gone unnoticed by the adapter", "mpu9255", 5.0, GONE, check_gone)
        take("set up again", "mpu6050", 6.0, AGAIN, check_again)
        take("a board at rest, coarse ranges", "mpu6050", 20.0, [], check_rest, COARSE)
    finally:
        guest.stop()


def several(
    guest: Guest, group: Group, name: str, mpu: str, seconds: float, plan: Plan, judge, options: str = f"--rate {RATE}"
) -> None:
    """Records from a chip of the MPU-6050's kind and from the LSM6DSO at once, and judges each."""
    chips = (mpu, LSM)
    if not group.wants(*(f"{name}, {chip}" for chip in chips)):
        return
    file = name.replace(" ", "-").replace(",", "")
    truth = guest.machine.directory / f"{file}.truth"
    guest.chips.tell("solder", mpu)
    stalls.since_last(guest)
    guest.chips.tell("truth", truth)
    for chip in chips:
        guest.chips.tell("motion", chip, "numbers" if plan else "rest")
    recordings = [Recording(guest, chip, f"{options} --for {seconds}s", f"{file}-of-{chip}") for chip in chips]
    strike(guest, plan, chips)
    for recording in recordings:
        recording.finish()
    guest.chips.tell("truth", "-")
    for chip in chips:
        guest.chips.tell("healthy", chip)
        guest.chips.tell("identity", chip, "own")
    stalled = stalls.since_last(guest)
    for recording in recordings:
        group.run(f"{name}, {recording.chip}", lambda: judge(recording, truth, stalled))


def strike(guest: Guest, plan: Plan, chips: Sequence[str]) -> None:
    """Gives each chip the commands of the plan when they are due."""
    due: list[tuple[int, int, str]] = []
    for chip in chips if plan else ():
        deadline = time.monotonic() + 10
        while (first := int(guest.chips.tell("burst", chip))) == 0:
            if time.monotonic() > deadline:
                raise BenchError(f"no program reads samples from the {chip}")
            time.sleep(0.01)
        due += [
            (first + int(after * 1e9), index, command.replace("CHIP", chip)) for index, (after, command) in enumerate(plan)]
    for when, _, command in sorted(due):
        time.sleep(max(0, when - time.monotonic_ns()) / 1e9)
        guest.chips.tell(command)


# Judging.


def check_ten(recording: Recording, truth: Path, stalled: list[int]) -> str:
    checked = check_recording(recording, truth)
    times = events(checked.truth, f"brownout {recording.chip}")
    check(len(times) == len(TEN), f"{len(times)} brown-outs, and not {len(TEN)}")
    end = checked.take.scheduled * PERIOD - checked.comparison.offset
    if not 0 < end - times[-1] < LAST:
        raise HostTooSlow(f"the last brown-out came {(end - times[-1]) / 1e6:.0f} ms before the end")
    told = check_gaps(checked)
    took = [check_set_up(checked, recording.chip, group, stalled) for group in in_rows(times[:-1])]
    return f"{told}; set up again in at most {max(took) / 1e6:.0f} ms, the last {(end - times[-1]) / 1e6:.0f} ms before the end"


def check_dips(recording: Recording, truth: Path, stalled: list[int]) -> str:
    checked = check_recording(recording, truth)
    hit = len(events(checked.truth, f"struck {recording.chip} dip"))
    planned = len(PLACES if checked.take.scheduled == 8 * RATE else OTHERS)
    check(hit >= LEAST_DIPS * planned, f"only {hit} of {planned} bursts were hit: samples come back too late")
    return f"{check_gaps(checked)}; {hit} bursts hit"


def check_frozen(recording: Recording, truth: Path, stalled: list[int]) -> str:
    """No sample is exported twice, or comparing would have failed; and the cause is reported."""
    checked = check_recording(recording, truth)
    told = check_gaps(checked)
    for seconds in (1, 2):
        (began,) = events(checked.truth, f"freeze {recording.chip} {seconds}")
        ours = between(checked, began, began + int(seconds * 1e9))
        words = [describe(gap) for gap in ours]
        # The program may try to set up a chip that it takes for frozen for as long as it is.
        causes = [gap.cause for gap in ours if gap.cause not in ("missed", "stale")]
        check(
            causes[:1] == ["frozen"] and {*causes} <= {"frozen", "reinitialising"},
            f"frozen for {seconds} s, and that is reported as {words}")
    return told


def check_gone(recording: Recording, truth: Path, stalled: list[int]) -> str:
    """A bus without a chip gave no sample, or comparing would have failed."""
    checked = check_recording(recording, truth)
    told = check_gaps(checked)
    took = [first_after(checked, back) - back for back in events(checked.truth, f"healthy {recording.chip}")]
    for each in took:
        check_length("until samples came when the chip was back", each, NOTICED, stalled)
    return f"{told}; samples {', '.join(f'{each / 1e6:.0f}' for each in took)} ms after the chip"


def check_again(recording: Recording, truth: Path, stalled: list[int]) -> str:
    checked = check_recording(recording, truth)
    told = check_gaps(checked)
    chip, made = recording.chip, checked.truth
    brownouts = events(made, f"brownout {chip}")
    pairs = [check_set_up(checked, chip, pair, stalled) for pair in (brownouts[:2], brownouts[3:])]
    (own,) = events(made, f"identity {chip} own")
    foreign = first_after(checked, own) - own
    check_length("setting up after another identity for 1 s", foreign, WAITS[chip] + BEYOND, stalled)
    return f"{told}; two brown-outs {pairs[0] / 1e6:.0f} and {pairs[1] / 1e6:.0f} ms, another identity {foreign / 1e6:.0f} ms"


def check_rest(recording: Recording, truth: Path, stalled: list[int]) -> str:
    """Many samples are equal to the ones before, and all are as good as others."""
    ended = recording.finish()
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    take = recording.export()
    alarms = [event for event in take.document["sensorEvents"] if event["kind"] != "ready"]
    check(not alarms, f"a chip at rest was taken for a faulty one: {alarms}")
    strange = [describe(gap) for gap in take.gaps if gap.cause not in ("missed", "stale")]
    check(not strange, f"a chip at rest gave the gaps {strange}")
    if len(take.samples) < 0.9 * take.scheduled:
        raise HostTooSlow(f"only {len(take.samples)} of {take.scheduled} ticks have a sample: {take.document['ticks']}")
    equal = sum(a.values == b.values for a, b in zip(take.samples, take.samples[1:]))
    return f"{len(take.samples)} samples, {equal} of them equal to the ones before"


# What the truth and the gaps say.


def events(truth: Truth, words: str) -> list[int]:
    """When events whose words begin so happened."""
    return [when for when, text in truth.events if f"{text} ".startswith(f"{words} ")]


def in_rows(times: Sequence[int]) -> list[list[int]]:
    """Strikes that follow each other so closely that the second one may hit the setting-up."""
    rows: list[list[int]] = []
    for when in times:
        if rows and when - rows[-1][-1] < 250 * MILLISECOND:
            rows[-1].append(when)
        else:
            rows.append([when])
    return rows


def first_after(checked: Checked, when: int) -> int:
    """When the first sample after `when` that was exported was made."""
    return min((match.time for match in checked.comparison.matches if match and match.time > when), default=1 << 62)


def between(checked: Checked, begin: int, end: int) -> list[Gap]:
    """Gaps that have a tick between two times of the truth."""
    first, last = ((when + checked.comparison.offset) / PERIOD for when in (begin, end))
    return [gap for gap in checked.take.gaps if gap.end > first and gap.first <= last]


def check_gaps(checked: Checked) -> str:
    """The processor was not too slow to say anything; what was lost in a few words."""
    take = checked.take
    missed = take.lost("missed")
    if missed > MISSED * take.scheduled:
        raise HostTooSlow(f"{missed} of {take.scheduled} ticks were missed")
    causes = sorted({gap.cause for gap in take.gaps})
    return f"{checked.comparison.summary()}; lost {', '.join(f'{take.lost(cause)} {cause}' for cause in causes)}"


def check_set_up(checked: Checked, chip: str, strikes: Sequence[int], stalled: list[int]) -> int:
    """How long setting up took that followed the strikes, each of which may have spoiled one that had begun."""
    written = [when for when in events(checked.truth, f"written {chip}") if when > strikes[0]]
    back = first_after(checked, strikes[-1])
    check(bool(written) and back < 1 << 62, f"the {chip} was not set up after the brown-out")
    check_length("noticing", written[0] - strikes[0], NOTICED, stalled)
    took = back - written[0]
    family = LSM if chip == LSM else "mpu6050"
    check_length(
        f"setting up after {len(strikes)} brown-outs", took, len(strikes) * (WAITS[family] + BEYOND), stalled)
    return took


def check_length(what: str, took: int, limit: int, stalled: list[int]) -> None:
    """Checks a length of time; the sample that ends it may wait for its tick."""
    if took <= limit + PERIOD:
        return
    message = f"{what} took {took / 1e6:.0f} ms, and not {limit / 1e6:.0f} at most"
    if took <= limit + PERIOD + sum(stalled):
        raise HostTooSlow(f"{message}; meanwhile the guest stood still for {sum(stalled) / 1e6:.0f} ms")
    check(False, message)

# SPDX-License-Identifier: Apache-2.0
"""The service with a button and a light, on the kernel's own GPIO lines.

Each scenario has a service of its own, all of them one guest. Times of takes are compared with those of presses through
the truth file: time 0 of an export is the first tick, and the samples show when that was.

    host     down ── 20 ms debounce, up to 4 ms of the kernel's ticks ──► stamp ── up to a period ──► first tick
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from .. import stalls
from ..bench import CHIPS, Bench, Guest
from ..chips.truth import read_truth
from ..compare import compare
from ..errors import HostTooSlow, Untimely, check, check_timely
from ..export import MILLISECOND, Take
from ..scenario import Group
from ..service import (
    BUTTON, DEBOUNCE, KERNEL_TICK, LONG, SHORT, VERY_LONG, Press, Service, begin, begin_armed)
from . import bounces

RATE = 50
PERIOD = 1000 // RATE * MILLISECOND
TRY_AGAIN = 75
SLACK = 12 * MILLISECOND
"""The error that an emulated processor may add to a stamp, and the sample's age to a date."""
UNSEEN = 10 * MILLISECOND
"""A stall that guest/stallwatch.c does not note."""


def run(bench: Bench, group: Group, trains: int, takes: int, seed: int) -> None:
    """All of them, in one guest."""
    guest = bench.boot("button")
    try:
        guest.machine.check("load gpio-virtio")
        stalls.watch(guest)
        for name, scenario in SCENARIOS.items():
            group.run(name, lambda: alone(guest, scenario))
        group.run(
            f"{trains} bounce trains, seed {seed}",
            lambda: alone(guest, lambda guest: bounces.bounce(guest, trains, random.Random(seed))))
        group.run(f"{takes} takes by the button", lambda: alone(guest, lambda guest: bounces.soak(guest, takes)))
    finally:
        guest.stop()


def alone(guest: Guest, scenario: Callable[[Guest], str]) -> str:
    """Runs a scenario, and leaves no service, no pressed button and no chip without wires to the next one."""
    longest_stall(guest)
    try:
        return scenario(guest)
    except Untimely as error:
        stall = longest_stall(guest)
        if stall < error.excess:
            raise
        raise HostTooSlow(f"{error}; meanwhile everything stood still for {stall / 1e6:.0f} ms") from error
    finally:
        guest.machine.run("killall -9 imulog")
        guest.chips.tell("line", BUTTON, 1)
        for chip in CHIPS:
            guest.chips.tell("plug", chip)


def longest_stall(guest: Guest) -> int:
    """For how long the guest or the contacts stood still at most since the last call; 0 if they did not."""
    return max([int(guest.chips.tell("late")), *stalls.since_last(guest)])


# Times.


def begin_with_truth(guest: Guest, name: str, **settings: object) -> Service:
    """A service that samples at RATE, and a truth file from its first sample on."""
    guest.chips.tell("truth", guest.machine.directory / f"{name}.truth")
    return begin_armed(guest, name, rate=RATE, **settings)


def start_of(service: Service, take: Take) -> int:
    """The time of the take's tick 0."""
    service.guest.chips.tell("truth", "-")
    truth = read_truth(service.guest.machine.directory / f"{service.name}.truth")
    comparison = compare(take, truth, "mpu6050")
    # A sample is up to a period of the chip older than its read: its age is half of that in the middle of the band.
    return -comparison.offset


def check_between(what: str, value: float, low: float, high: float) -> None:
    """Checks a length of time."""
    message = f"{what} is {value / 1e6:.1f} ms, and not {low / 1e6:.1f} to {high / 1e6:.1f} ms"
    excess = max(low - value, value - high)
    if excess > UNSEEN:
        raise Untimely(message, excess)
    if excess > 0:
        raise HostTooSlow(message)


def check_begins(take_start: int, press: Press) -> float:
    """A take's first tick is the first one from the press's stamp on."""
    delay = take_start - press.down
    check_between("from the press to the first tick", delay, DEBOUNCE - SLACK, DEBOUNCE + KERNEL_TICK + PERIOD + SLACK)
    return delay


def check_complete(take: Take, reason: str = "button") -> None:
    check(take.document["complete"] is True, "the take is not complete")
    check(take.document["stopReason"] == reason, f"the take was ended by {take.document['stopReason']}, not {reason}")


# Gestures.


def short(guest: Guest) -> str:
    service = begin_with_truth(guest, "short")
    (first,) = service.press(SHORT)
    service.wait("recording")
    time.sleep(2)
    (last,) = service.press(SHORT)
    service.wait("armed")
    take = service.export()
    check_complete(take)
    start = start_of(service, take)
    begun = check_begins(start, first)
    end = start + int((take.scheduled - 1) * PERIOD) - last.down
    check_between("from the second press to the last tick", end, DEBOUNCE - PERIOD - SLACK, DEBOUNCE + KERNEL_TICK + SLACK)
    check_timely([recording["number"] for recording in service.recordings()] == [1], "there is not one recording")
    service.stop()
    return f"first tick {begun / 1e6:.1f} ms after the contact, last one {end / 1e6:+.1f} ms from the second"


def pre_trigger(guest: Guest) -> str:
    service = begin_with_truth(guest, "before", pre_trigger="2s")
    time.sleep(3)
    (first,) = service.press(SHORT)
    service.wait("recording")
    time.sleep(0.5)
    service.press(SHORT)
    service.wait("armed")
    take = service.export()
    check_complete(take)
    before = first.down - start_of(service, take)
    check_between("what is in front of the press", before, 2e9 - DEBOUNCE - KERNEL_TICK - PERIOD - SLACK, 2e9 + SLACK)
    service.stop()
    return f"{before / 1e6:.1f} ms in front of the press, {take.scheduled} ticks"


def length(guest: Guest) -> str:
    service = begin_armed(guest, "length", rate=RATE, length="2s")
    for number in (1, 2):
        service.press(SHORT)
        service.wait("recording", "saving")
        service.wait("armed")
        take = service.export()
        check_complete(take, "completed")
        check(take.scheduled == 2 * RATE, f"{take.scheduled} ticks were scheduled and not {2 * RATE}")
        check(take.document["number"] == number, f"the take has number {take.document['number']}, not {number}")
    service.stop()
    return f"{take.scheduled} ticks, twice"


def double(guest: Guest) -> str:
    service = begin_with_truth(guest, "double")
    service.press(SHORT)
    service.wait("recording")
    time.sleep(1)
    first, _ = service.press(SHORT, SHORT)
    time.sleep(1)
    check_timely(service.status()["state"] == "recording", "the take did not continue")
    service.press(SHORT)
    service.wait("armed")
    take = service.export()
    check_complete(take)
    marks = take.document["marks"]
    check_timely(len(marks) == 1, f"there are {len(marks)} marks")
    delay = start_of(service, take) + marks[0]["t_ns"] - first.down
    check_between("from the first press to the mark", delay, DEBOUNCE - SLACK, DEBOUNCE + KERNEL_TICK + SLACK)
    service.stop()
    return f"the mark is {delay / 1e6:.1f} ms after the first contact"


def discard(guest: Guest) -> str:
    service = begin_with_truth(guest, "discard")
    service.press(SHORT)
    service.wait("recording")
    time.sleep(1)
    (anew,) = service.press(LONG)
    service.wait("recording")
    time.sleep(1)
    service.press(SHORT)
    service.wait("armed")
    recordings = service.recordings()
    check_timely(len(recordings) == 1, f"there are {len(recordings)} recordings, and not the second one alone")
    take = service.export()
    check_complete(take)
    begun = check_begins(start_of(service, take), anew)
    service.stop()
    return f"the new take begins {begun / 1e6:.1f} ms after the contact, as recording {recordings[0]['number']}"


def keep(guest: Guest) -> str:
    service = begin_with_truth(guest, "keep")
    time.sleep(3)
    (pressed,) = service.press(LONG)
    service.wait("armed")
    deadline = time.monotonic() + 10
    while not service.recordings() and time.monotonic() < deadline:
        time.sleep(0.1)
    take = service.export()
    check_complete(take)
    start = start_of(service, take)
    check_between("the history", pressed.down - start, 2.5e9, 30e9)
    end = start + (take.scheduled - 1) * PERIOD - pressed.down
    check_between("from the press to the last tick", end, DEBOUNCE - PERIOD - SLACK, LONG * 1e9 + 100 * MILLISECOND)
    service.stop()
    return f"{(pressed.down - start) / 1e9:.1f} s from before the press, the last tick {end / 1e6:.1f} ms after it"


def very_long(guest: Guest) -> str:
    service = begin_armed(guest, "end", rate=RATE)
    service.press(SHORT)
    service.wait("recording")
    time.sleep(1)
    service.press(VERY_LONG)
    ended = service.finish()
    check(ended.status == 0, f"the service ended with {ended.status}: {ended.errors.strip()}")
    take = service.export()
    check(take.document["complete"] is True, "the take is not complete")
    check(not service.is_lit(), "the light was left on")
    return f"{len(take.samples)} samples kept, ended by {take.document['stopReason']}"


def held(guest: Guest) -> str:
    guest.chips.tell("line", BUTTON, 0)
    service = begin_armed(guest, "held")
    time.sleep(7)
    check(service.status()["state"] == "armed", "a button held at the start did something")
    guest.chips.tell("line", BUTTON, 1)
    time.sleep(1)
    check(service.status()["state"] == "armed", "its release did something")
    service.press(SHORT)
    service.wait("recording")
    service.stop()
    check(len(service.recordings()) == 1, "the take that SIGTERM ended is not there")
    return "neither hold nor release; the next press does"


def asleep(guest: Guest) -> str:
    service = begin_with_truth(guest, "asleep", state="asleep", while_idle="sleep")
    check(not service.light(), "the light of a sleeping service changes")
    (first,) = service.press(SHORT)
    service.wait("recording")
    time.sleep(1)
    service.press(SHORT)
    service.wait("asleep")
    take = service.export()
    check_complete(take)
    delay = start_of(service, take) - first.up
    service.stop()
    return f"first tick {delay / 1e6:.0f} ms after the release, {len(take.samples)} samples"


# Ownership.


def busy(guest: Guest) -> str:
    other = guest.machine.start(f"button GPIO{BUTTON} 4")
    time.sleep(0.5)
    ended = begin(guest, "busy").finish()
    guest.machine.finish(other, "button", 10)
    told = ended.errors.strip()
    check(ended.status != 0, "the service began without its button")
    check("bench" in told and f"GPIO{BUTTON}" in told, f"the message does not name the line's user: {told}")
    return f"status {ended.status}: {told}"


def second(guest: Guest) -> str:
    service = begin_armed(guest, "first")
    process = service.process()
    again = begin(guest, "second", button="none", light="none")
    beside = service.run("record --bus 0 --sensor mpu6050 --for 1s")
    for what, ended in (("daemon", again.finish()), ("record", beside)):
        check(ended.status == TRY_AGAIN, f"{what} ended with {ended.status}: {ended.errors.strip()}")
        check(f"process {process}" in ended.errors, f"{what} does not name process {process}: {ended.errors.strip()}")
    check(service.status()["state"] == "armed", "the service was disturbed")
    # A power cut leaves a socket and a lock file that no process holds.
    service.signal("KILL")
    service.finish()
    after = begin_armed(guest, "after")
    after.stop()
    return beside.errors.strip()


# The light.


def lights(guest: Guest) -> str:
    service = begin_armed(guest, "light")
    armed = watch(service, 6.5)
    check_flashes("armed", armed, 50, 1950)
    for chip in CHIPS:
        guest.chips.tell("unplug", chip)
    # 2 s of silence, and up to 1 s until the writer looks.
    time.sleep(4)
    silent = watch(service, 6)
    check_flashes("a silent sensor", silent, 200, 1200)
    check(service.status()["problem"] is not None, "status does not report the silence")
    for chip in CHIPS:
        guest.chips.tell("plug", chip)
    service.wait_well()
    # Until the rhythm of before is over.
    time.sleep(2.5)
    check_flashes("armed again", watch(service, 6.5), 50, 1950)
    service.press(SHORT)
    service.wait("recording")
    time.sleep(0.5)
    check(service.is_lit() and not watch(service, 2), "the light of a recording service is not on all the time")
    service.press(SHORT)
    service.wait("armed")
    service.stop()
    check(not service.is_lit(), "the light of a service that ended is on")
    for chip in CHIPS:
        guest.chips.tell("absent", chip)
    try:
        service = begin_armed(guest, "dark", "waking")
        time.sleep(1)
        problem = watch(service, 6)
        check_flashes("a missing sensor", problem, 200, 1200)
        check(service.status()["problem"] is not None, "status does not report the problem")
    finally:
        for chip in CHIPS:
            guest.chips.tell("present", chip)
    service.wait("armed")
    service.stop()
    return f"{len(armed) // 2} flashes armed, {len(silent) // 2} with a silent sensor, {len(problem) // 2} without one, steady while recording"


def watch(service: Service, seconds: float) -> list[tuple[int, int]]:
    """Whole flashes of the light in so many seconds."""
    service.light()
    time.sleep(seconds)
    changes = service.light()
    while changes and changes[0][1] == 0:
        changes.pop(0)
    return changes


def check_flashes(what: str, changes: list[tuple[int, int]], on: int, off: int) -> None:
    """Checks a rhythm of one flash, in milliseconds; an emulated processor may be late."""
    check_timely(len(changes) >= 4, f"{what}: the light changed {len(changes)} times")
    check(all(a[1] != b[1] for a, b in zip(changes, changes[1:])), f"{what}: the changes do not alternate")
    for (begun, level), (ended, _) in zip(changes, changes[1:]):
        expected = on if level else off
        check_between(
            f"{what}: the light {'on' if level else 'off'}", ended - begun, (expected - 30) * MILLISECOND,
            (expected + 60) * MILLISECOND)


SCENARIOS = {
    "a short press begins a take, the next one ends it": short,
    "the seconds before the press are in front": pre_trigger,
    "a take ends at its length, and the service is ready again": length,
    "two short presses mark, and the take continues": double,
    "a long press starts a new take": discard,
    "a long press while idle keeps what just happened": keep,
    "6 s end the service and keep the take": very_long,
    "a button held at the start means nothing": held,
    "a press wakes a sensor that sleeps": asleep,
    "a line in use names its user": busy,
    "a second service and a take beside it give way": second,
    "the light shows each state": lights,
}
"""In the order in which they run."""

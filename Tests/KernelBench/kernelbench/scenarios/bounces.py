# SPDX-License-Identifier: Apache-2.0
"""Many presses: bouncing contacts, many takes, and how fast the light follows."""

from __future__ import annotations

import random
import time

from ..bench import Guest
from ..errors import HostTooSlow, check, check_timely
from ..export import MILLISECOND
from ..service import BUTTON, DEBOUNCE, KERNEL_TICK, PAUSE, SHORT, Service, begin_armed, read_changes

SPIKES = 5
"""One in this many double presses is followed by a spike, which is no press."""
QUICK = 20 * MILLISECOND
"""From the end of the debouncing to the light."""
WARM = 5
"""Takes after which memory and descriptors have to stay as they are."""
GROWTH = 256
"""Kilobytes that the resident memory may still grow: pages of the allocator touched for the first time."""


def bounce(guest: Guest, trains: int, chance: random.Random) -> str:
    """Pairs of presses with random contacts, each of which has to be one mark, at its time; no press is lost, none is
    counted twice."""
    service = begin_armed(guest, "bounce", length="until-stopped")
    service.press(SHORT, chance=chance)
    service.wait("recording")
    # A press so soon after it would make a double one with it.
    time.sleep(0.6)
    pressed: list[int] = []
    spikes = 0
    for number in range((trains + 1) // 2):
        first, _ = service.press(chance.uniform(0.07, 0.25), chance.uniform(0.07, 0.25), pause=PAUSE, chance=chance)
        pressed.append(first.down)
        time.sleep(0.6)
        if number % SPIKES == 0:
            spikes += 1
            read_changes(guest, BUTTON)
            guest.chips.tell("train", BUTTON, chance.randrange(50, 8000))
            contacts: list[tuple[int, int]] = []
            while len(contacts) < 2:
                time.sleep(0.1)
                contacts += read_changes(guest, BUTTON)
            (down, _), (up, _) = contacts
            if up - down >= DEBOUNCE:
                raise HostTooSlow(f"a spike, which the host held up, lasted {(up - down) / 1e6:.1f} ms and was a press")
    check_timely(service.status()["state"] == "recording", "a press was taken for one alone and ended the take")
    service.press(SHORT, chance=chance)
    service.wait("armed")
    takes = len(service.recordings())
    marks = [mark["t_ns"] for mark in service.export().document["marks"]]
    service.stop()
    check_timely(takes == 1, f"a press was lost or doubled, and ended the take: there are {takes}")
    check_timely(len(marks) == len(pressed), f"{len(pressed)} double presses made {len(marks)} marks")
    # The two clocks differ by a constant.
    lags = sorted(mark - press for mark, press in zip(marks, pressed))
    spread = lags[-1] - lags[0]
    typical = lags[len(lags) // 2]
    far = sum(abs(lag - typical) > 10 * MILLISECOND for lag in lags)
    message = f"{far} of {len(lags)} marks and presses differ by more than a constant, by {spread / 1e6:.1f} ms"
    check(far <= len(lags) // 2, message)
    # A change of a contact may wait for the host on its way to the guest, now and then.
    if far > max(1, len(lags) // 20):
        raise HostTooSlow(message)
    return f"{2 * len(pressed)} presses, {len(marks)} marks, times within {spread / 2e6:.1f} ms, {spikes} spikes unheard"


def soak(guest: Guest, takes: int) -> str:
    """Takes of a second, each begun and ended by a press: numbers without holes, all complete, nothing that grows."""
    service = begin_armed(guest, "soak", rate=50)
    delays: list[int] = []
    warm = service.resources()
    for number in range(1, takes + 1):
        service.flash()
        delays.append(_follow(service, is_lit=True))
        time.sleep(0.7)
        delays.append(_follow(service, is_lit=False))
        service.wait("armed")
        if number == WARM:
            warm = service.resources()
    last = service.resources()
    recordings = service.recordings()
    service.stop()
    numbers = [recording["number"] for recording in recordings]
    check(numbers == list(range(1, takes + 1)), f"the numbers are {numbers}")
    broken = [recording["number"] for recording in recordings if not recording["complete"] or not recording["sampleCount"]]
    check(not broken, f"recordings {broken} are not complete")
    check(last[1] <= warm[1], f"descriptors went from {warm[1]} to {last[1]}")
    check(last[0] <= warm[0] + GROWTH, f"memory went from {warm[0]} kB to {last[0]} kB")
    # Of an emulated processor some are late; a board's would be late each time or never.
    delays.sort()
    typical, worst = delays[len(delays) // 2], delays[-1]
    late = sum(delay > QUICK for delay in delays)
    message = f"{late} of {len(delays)} changes of the light took more than 20 ms, up to {worst / 1e6:.1f} ms"
    check(typical <= QUICK, message)
    if late > len(delays) // 20:
        raise HostTooSlow(message)
    return (
        f"{takes} takes; the light follows {typical / 1e6:.1f} ms after the debouncing, {worst / 1e6:.1f} ms at most;"
        f" {last[0]} kB and {last[1]} descriptors, {last[0] - warm[0]:+} kB and {last[1] - warm[1]:+}")


def _follow(service: Service, is_lit: bool) -> int:
    """Presses, and returns how long after the end of the debouncing of the release the light changed. Up to a tick of
    the kernel's belongs to the debouncing."""
    service.light()
    (press,) = service.press(SHORT)
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        for at, level in service.light():
            if at > press.up and bool(level) == is_lit:
                return max(0, at - press.up - DEBOUNCE - KERNEL_TICK)
        time.sleep(0.02)
    check_timely(False, f"the light did not go {'on' if is_lit else 'off'}")
    return 0

# SPDX-License-Identifier: Apache-2.0
"""A card that stalls while the service is ended: the take is still whole, and the service manager does not
have to kill anything.

    daemon     records ─────────────── TERM ····································· ends, status 0
    card       answers ── stalls ─────────────────────────── answers
    samples    on the card ─┴─ in memory ───────┘  written    ┘
"""

from __future__ import annotations

import json
import time

from ..bench import Bench
from ..errors import check
from ..export import listed
from ..service import begin_armed
from .guestdisk import Disk, fresh, mount

STORE = "/disk/recordings"
RATE = 100
STALL = 8.0
"""Seconds. The SD specification allows half a one for a write; cards near their end take more."""
BEFORE, AFTER = 2.0, 2.0
"""Seconds of recording until the card stalls, and from then to the end that is asked for."""
STOP_TIMEOUT = 30.0
"""Seconds that the installed unit gives the service to end (TimeoutStopSec)."""


def run(bench: Bench) -> str:
    """The scenario."""
    directory = fresh(bench.directory / "stall")
    disk = Disk(directory, "ext4")
    try:
        guest = bench.boot("stall/life", disks=[f"nbd:unix:{disk.socket}"], is_first=False)
        try:
            mount(guest, "ext4")
            service = begin_armed(
                guest, "stall", rate=RATE, length="until-stopped", store=STORE, button="none", light="none")
            guest.machine.check("imulog start")
            service.wait("recording")
            time.sleep(BEFORE)
            disk.tell("stall", STALL)
            stalled = time.monotonic()
            time.sleep(AFTER)
            service.signal("TERM")
            asked = time.monotonic()
            ended = service.finish(60)
            took = time.monotonic() - asked
            check(ended.status == 0, f"the service ended with {ended.status}: {ended.errors.strip()}")
            check(asked + took > stalled + STALL, "the card did not stall")
            check(took < STOP_TIMEOUT, f"the service took {took:.1f} s to end; it is killed after {STOP_TIMEOUT:.0f} s")
            (take,) = listed(guest.machine.check(f"imulog --store {STORE} list --json"))
            check(take["complete"] is True, f"the take is not complete: {take}")
            guest.machine.check(f"imulog --store {STORE} verify latest")
            exported = json.loads(guest.machine.check(f"imulog --store {STORE} export latest"))
            ticks = exported["ticks"]
            check(ticks["ringFull"] == 0, f"samples were lost: {ticks}")
            least = RATE * (BEFORE + AFTER) * 0.9
            check(ticks["scheduled"] > least, f"the take ends when the card stalled, and not when it should: {ticks}")
            # Half of the take is in the stall: a sampler that waited for the card would have missed that.
            check(ticks["sampled"] > 0.7 * ticks["scheduled"], f"the sampler was held up: {ticks}")
        finally:
            guest.stop()
    finally:
        disk.stop()
    return (
        f"ended {took:.1f} s after SIGTERM, {asked + took - stalled - STALL:.1f} s after the card; of"
        f" {ticks['scheduled']} ticks {ticks['sampled']} have a sample, none was lost")

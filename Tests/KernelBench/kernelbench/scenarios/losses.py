# SPDX-License-Identifier: Apache-2.0
"""Things that disappear under a running program: the bus, its answers, the store of recordings.

    the bus's node      records ── adapter pulled out ── gone ── plugged in again ── records, after a gap
    its answers         looks for sensors ── nothing answers ── a sentence
    the store           the service records ── deleted, or replaced ── a sentence ── the next take has a store again
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from pathlib import Path

from ..bench import CHIPS, Bench, Guest, Recording, check_recording, read_export
from ..errors import HostTooSlow, check
from ..export import MILLISECOND, listed
from ..scenario import Group
from ..service import Service, begin_armed
from .faults import describe

RATE = 50
BEGIN, AWAY = 1.5, 2.5
"""Seconds until the adapter is pulled out, and until it is plugged in again."""
OPENED_ANEW, SET_UP = 2.0, 1.0
"""Seconds between attempts to open the bus, and from then to samples."""
SLACK = 60 * MILLISECOND
PATIENCE = 5.0
"""Seconds until a bus that hangs has to be reported."""
NO_SENSOR, STORAGE, TRY_AGAIN = 69, (73, 74), 75
MISSED = 0.3
"""Part of a take's ticks that an emulated processor may be too late for."""


def run(bench: Bench, group: Group) -> None:
    """All of them, in one guest."""
    guest = bench.boot("losses")
    try:
        names = {chip: f"the bus is pulled out and plugged in again, {chip}" for chip in CHIPS}
        if group.wants(*names.values()):
            recordings = pull_out(guest)
            for recording in recordings:
                group.run(names[recording.chip], lambda: check_plugged(recording))
        group.run("a bus that hangs while sensors are looked for", lambda: hang(guest))
        for way, command in LOSSES.items():
            group.run(f"the store is {way} while the service records", lambda: lose(guest, way, command))
            guest.machine.run("killall -9 imulog")
            group.run(f"the store is {way} during a take", lambda: lose_take(guest, way, command))
    finally:
        guest.stop()


# The bus.


def pull_out(guest: Guest) -> list[Recording]:
    """Records while the adapter goes away, as one on USB does: transfers fail, the node vanishes, and the driver is gone
    for good when no program has the node open any more."""
    driver = guest.machine.check("ls -d /sys/bus/virtio/drivers/*i2c*").strip()
    device = guest.machine.check(f"cd {driver} && ls -d virtio*").strip()
    guest.chips.tell("truth", truth_file(guest))
    recordings = [Recording(guest, chip, f"--rate {RATE} --for 8s", f"node-of-{chip}") for chip in CHIPS]
    time.sleep(BEGIN)
    guest.chips.tell("gone")
    unbind = f"echo {device} >{driver}/unbind"
    unbound = guest.machine.start(unbind)
    time.sleep(AWAY)
    bind = f"echo {device} >{driver}/bind"
    bound = guest.machine.start(bind)
    guest.machine.finish(bound, bind, 20)
    guest.chips.tell("back")
    for recording in recordings:
        recording.finish()
    guest.chips.tell("truth", "-")
    guest.machine.finish(unbound, unbind, 20)
    return recordings


def truth_file(guest: Guest) -> Path:
    return guest.machine.directory / "node.truth"


def check_plugged(recording: Recording) -> str:
    checked = check_recording(recording, truth_file(recording.guest))
    take, offset = checked.take, checked.comparison.offset
    gone, back = (checked.truth.time_of(word) + offset for word in ("gone", "back"))
    inside = [sample for sample in take.samples if gone + SLACK < sample.time < back - SLACK]
    check(not inside, f"{len(inside)} samples are from a time at which there was no bus")
    lost = [gap for gap in take.gaps if gap.cause not in ("missed", "stale")]
    told = ", ".join(map(describe, lost))
    check(any((gap.cause, gap.errno) == ("busError", errno.ENODEV) for gap in lost), f"ENODEV is not reported: {told}")
    strange = [gap for gap in lost if gap.cause not in ("busError", "reinitialising")]
    check(not strange, f"ticks have another cause: {told}")
    after = [sample.time for sample in take.samples if sample.time > back - SLACK]
    check(len(after) > RATE // 2, f"no samples came when the bus was back: {told}")
    took = (after[0] - back) / 1e9
    check(took < OPENED_ANEW + SET_UP, f"samples came {took:.1f} s after the bus; lost {told}")
    if take.lost("missed") > MISSED * take.scheduled:
        raise HostTooSlow(f"{take.lost('missed')} of {take.scheduled} ticks were missed")
    return f"{checked.comparison.summary()}; lost {told}; samples {took:.2f} s after the bus"


def hang(guest: Guest) -> str:
    """No transfer ends. The program must print a message before one does."""
    command = "imulog --store /tmp/hang record --for 1s --bus 0"
    guest.chips.tell("stall")
    try:
        name = guest.machine.start(command)
        words = guest.machine.share / f"{name}.err"
        began = time.monotonic()
        while not (words.exists() and words.read_text().strip()):
            check(time.monotonic() < began + PATIENCE, f"not a word in {PATIENCE:.0f} s")
            time.sleep(0.05)
        took = time.monotonic() - began
    finally:
        guest.chips.tell("release")
        ended = guest.machine.finish(name, command, 20)
    told = ended.errors.strip()
    check(ended.status in (NO_SENSOR, TRY_AGAIN), f"record ended with {ended.status}: {told}")
    check(len(told.splitlines()) <= 2, f"the message is not one sentence: {told}")
    check("i2c-0" in told, f"the message does not name the bus: {told}")
    return f"after {took:.1f} s: {told}"


# The store.

LOSSES = {"deleted": "rm -r {0}", "replaced": "mv {0} {0}.old && mkdir {0}"}


def lose(guest: Guest, way: str, command: str) -> str:
    """The take says that its store is gone, and the next one has one."""
    service = begin_armed(
        guest, f"store-{way}", rate=RATE, length="until-stopped", button="none", light="none")
    start(service, 1.0)
    guest.machine.check(command.format(service.store))
    time.sleep(1.5)
    problem = service.status()["problem"]
    stopped = guest.machine.run("imulog stop")
    said = wait_for(lambda: [line for line in words_of(service).splitlines() if service.store in line])
    check(
        stopped.status != 0 or problem is not None,
        f"the store was {way}: stop ended with {stopped.status}, and the service reports no problem")
    service.wait("armed")
    check(bool(said), f"the store was {way}, and the service says nothing of {service.store}: {words_of(service)!r}")
    start(service, 1.0)
    guest.machine.check("imulog stop")
    service.wait("armed")
    service.wait_well()
    takes = listed(service.run("list --json").output)
    check(len(takes) == 1 and takes[0]["complete"] is True, f"in the new store are {takes}")
    take = read_export(guest.machine, service.store, service.name, "raw")
    check(len(take.samples) > RATE * (1 - MISSED), f"the next take has {len(take.samples)} samples")
    service.stop()
    return f"said `{said[0].strip()}`; the next take has number {takes[0]['number']} and {len(take.samples)} samples"


def lose_take(guest: Guest, way: str, command: str) -> str:
    """A take without a service ends with the sentence that its store is gone."""
    store = f"/tmp/take-{way}"
    take = f"imulog --store {store} record --bus 0 --sensor lsm6dso --rate {RATE} --for 4s"
    started = guest.machine.start(take)
    time.sleep(1.5)
    guest.machine.check(command.format(store))
    ended = guest.machine.finish(started, take, 20)
    told = ended.errors.strip()
    check(ended.status in STORAGE, f"the store was {way}, and record ended with {ended.status}: {told}")
    said = [line for line in told.splitlines() if store in line]
    check(bool(said), f"the store was {way}, and nothing is said of {store}: {told}")
    return said[0]


def start(service: Service, seconds: float) -> None:
    """Begins a take and lets it run for so long."""
    service.guest.machine.check("imulog start")
    service.wait("recording")
    time.sleep(seconds)


def words_of(service: Service) -> str:
    """The service's messages."""
    return (service.guest.machine.share / f"{service.started}.err").read_text(encoding="utf-8", errors="replace")


def wait_for(question: Callable[[], list[str]], seconds: float = 5) -> list[str]:
    """Asks until there is an answer."""
    deadline = time.monotonic() + seconds
    while not (answer := question()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return answer

# SPDX-License-Identifier: Apache-2.0
"""Plain polled recordings: 60 s at 10 Hz of both chips at once, then 10 s at 500 Hz of each alone, which need a whole
processor."""

from __future__ import annotations

from ..bench import CHIPS, Bench, Guest, Recording, check_recording
from ..errors import ETIMEDOUT, HostTooSlow, check
from ..scenario import Group

SLOW, FAST = "--rate 10 --for 60s", "--clock grid --rate 500 --for 10s"


def run(bench: Bench, group: Group) -> None:
    """All of them, in one guest."""
    guest = bench.boot("takes")
    try:
        slow = {f"60 s at 10 Hz from {chip}": chip for chip in CHIPS}
        if group.wants(*slow):
            takes = record_slow(guest)
            for name, chip in slow.items():
                group.run(name, lambda: check_slow(guest, takes[chip]))
        for chip in CHIPS:
            group.run(f"10 s at 500 Hz from {chip}", lambda: fast(guest, chip))
    finally:
        guest.stop()


def fast(guest: Guest, chip: str) -> str:
    truth = guest.machine.directory / f"fast-{chip}.truth"
    guest.chips.tell("truth", truth)
    recording = Recording(guest, chip, FAST, f"fast-{chip}")
    recording.finish()
    guest.chips.tell("truth", "-")
    checked = check_recording(recording, truth)
    return account(checked.take, 5000, 0.6, checked.comparison.summary())


def record_slow(guest: Guest) -> dict[str, Recording]:
    guest.chips.tell("truth", guest.machine.directory / "slow.truth")
    recordings = {chip: Recording(guest, chip, SLOW, f"slow-{chip}") for chip in CHIPS}
    for recording in recordings.values():
        recording.finish()
    guest.chips.tell("truth", "-")
    return recordings


def check_slow(guest: Guest, recording: Recording) -> str:
    checked = check_recording(recording, guest.machine.directory / "slow.truth")
    return account(checked.take, 600, 0.97, checked.comparison.summary())


def account(take, scheduled: int, least: float, summary: str) -> str:
    """Checks the account of the ticks. An emulated processor is late at times, and says so: some may be missed."""
    check(take.scheduled == scheduled, f"{take.scheduled} ticks were scheduled, and not {scheduled}")
    errors = {gap.errno for gap in take.gaps if gap.cause == "busError"}
    if errors == {ETIMEDOUT}:
        raise HostTooSlow(f"an answer took more than a second: {take.document['ticks']}")
    check(not errors, f"a healthy chip gave {take.document['ticks']}, errno {errors}")
    check(take.lost("ringFull", "reinitialising") == 0, f"a healthy chip gave {take.document['ticks']}")
    if len(take.samples) < least * scheduled:
        raise HostTooSlow(f"only {len(take.samples)} of {scheduled} ticks have a sample: {take.document['ticks']}")
    return f"{summary}; {take.lost('missed')} ticks missed, {take.lost('stale')} stale"

# SPDX-License-Identifier: Apache-2.0
"""Plain polled recordings: 60 s at 10 Hz of both chips at once, then 10 s at 500 Hz of each alone, which need a whole
processor; and an ICM-20948 with its magnetometer."""

from __future__ import annotations

from ..bench import CHIPS, Bench, Checked, Guest, Recording, check_recording
from ..compare import TOLERANCE
from ..errors import ETIMEDOUT, HostTooSlow, check
from ..scenario import Group

SLOW, FAST = "--rate 10 --for 60s", "--clock grid --rate 500 --for 10s"
FIELD = "--clock grid --rate 50 --field 20 --for 20s"


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
        group.run("20 s at 50 Hz from an ICM-20948, and its magnetometer at 20 Hz", lambda: with_field(guest))
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


def with_field(guest: Guest) -> str:
    for chip in ("icm20948", "ak09916"):
        guest.chips.tell("solder", chip)
    guest.chips.tell("clock", "ak09916", 15_000)
    truth = guest.machine.directory / "field.truth"
    guest.chips.tell("truth", truth)
    recording = Recording(guest, "icm20948", FIELD, "field")
    recording.finish()
    guest.chips.tell("truth", "-")
    checked = check_recording(recording, truth)
    return account(checked.take, 1000, 0.9, f"{checked.comparison.summary()}, {check_field(checked)}")


def check_field(checked: Checked) -> str:
    """Checks that the chip made each of the magnetometer's values, within its interval, in order, and none twice."""
    made = {sample.counts[:3]: sample for sample in checked.truth.samples["ak09916"]}
    values = checked.take.document["field"]["values"]
    widths, last = [], 0
    for value in values:
        # The die is turned by half a turn about X.
        axes = (value["mx_ut"], -value["my_ut"], -value["mz_ut"])
        sample = made.get(tuple(round(axis / 0.15) for axis in axes))
        check(sample is not None, f"the magnetometer never made {value}")
        begin, end = (value[key] - checked.comparison.offset for key in ("t_lo_ns", "t_hi_ns"))
        check(begin - TOLERANCE <= sample.time <= end + TOLERANCE, f"{value} was made at {sample.time}, not {begin} to {end}")
        check(sample.number > last, f"{value} has number {sample.number}, after {last}")
        last = sample.number
        widths.append((end - begin) / 1e6)
    if len(values) < 0.8 * 20 * 20:
        raise HostTooSlow(f"only {len(values)} values of the magnetometer were read")
    return f"{len(values)} values of the magnetometer true, dated to {sorted(widths)[len(widths) // 2]:.1f} ms"


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

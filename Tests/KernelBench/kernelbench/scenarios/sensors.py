# SPDX-License-Identifier: Apache-2.0
"""Four chips on one bus, recorded in one take: each log has its own chip's samples and no other's, on one clock."""

from __future__ import annotations

from pathlib import Path

from ..bench import Bench, Guest
from ..compare import TOLERANCE, compare, match_samples
from ..continuity import TEMPERATURE_LAG, TEMPERATURE_LEAD, find_holes
from ..chips.truth import read_truth
from ..errors import HostTooSlow, check
from ..export import read_account, read_take
from ..scenario import Group

SENSORS = {"left": "mpu6050", "right": "mpu6050@0x69", "hip": "lsm6dso", "head": "lsm6dso@0x6b"}
"""Names in the take, and those of the simulated chips, which are at 0x68 and 0x6a without an address."""
POLLED, BY_CHIP = "--clock grid --rate 10 --for 20s", "--clock chip --rate 50 --for 20s"
RATES = {"hip": 52, "head": 52}


def run(bench: Bench, group: Group) -> None:
    """All of them, in one guest."""
    guest = bench.boot("sensors")
    try:
        for chip in SENSORS.values():
            if "@" in chip:
                guest.chips.tell("solder", chip)
        group.run("20 s at 10 Hz from four chips in one take", lambda: record(guest, POLLED, "polled"))
        group.run("20 s by the clocks of four chips in one take", lambda: record(guest, BY_CHIP, "chip", RATES))
    finally:
        guest.stop()


def record(guest: Guest, options: str, name: str, rates: dict[str, int] | None = None) -> str:
    truth_file = guest.machine.directory / f"{name}.truth"
    guest.chips.tell("truth", truth_file)
    store = f"/tmp/take-{name}"
    words = []
    for sensor, chip in SENSORS.items():
        own = f" rate={rates[sensor]}" if rates and sensor in rates else ""
        words.append(f"--sensor '{sensor}={chip}{own}'")
    command = f"imulog --store {store} record --bus 0 {options} {' '.join(words)}"
    ended = guest.machine.finish(guest.machine.start(command), command, 120)
    guest.chips.tell("truth", "-")
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    truth = read_truth(truth_file)
    # The ticks of a chip's clock are on no grid.
    read = read_take if rates is None else read_account
    takes = {
        sensor: read(export(guest, store, number, name)) for number, sensor in enumerate(SENSORS, 1)}
    places = {sensor: take.document["take"] for sensor, take in takes.items()}
    check(len({place["id"] for place in places.values()}) == 1, f"the logs are of several takes: {places}")
    check([place["index"] for place in places.values()] == [0, 1, 2, 3], f"the logs' places are {places}")
    offsets, samples, missing = {}, 0, 0
    for sensor, take in takes.items():
        check(take.document["sensorName"] == sensor, f"the log of {sensor} is named {take.document['sensorName']}")
        check(take.document["complete"] is True, f"the log of {sensor} is not complete")
        check(take.lost("ringFull", "reinitialising") == 0, f"healthy chips gave {take.document['ticks']}")
        if len(take.samples) < 0.8 * take.scheduled:
            raise HostTooSlow(f"only {len(take.samples)} of {take.scheduled} ticks have a sample")
        samples += len(take.samples)
        missing += take.scheduled - len(take.samples)
        if rates is None:
            offsets[sensor] = compare(take, truth, SENSORS[sensor]).offset
            continue
        matches = match_samples(take, truth, SENSORS[sensor], lag=TEMPERATURE_LAG, lead=TEMPERATURE_LEAD)
        unnamed = [hole for hole in find_holes(take, matches) if not hole.gaps]
        check(not unnamed, f"the log of {sensor} has holes without a gap: {unnamed[:2]}")
    if rates is not None:
        return f"{samples} samples true, 0 exchanged, {missing} ticks missing"
    apart = max(offsets.values()) - min(offsets.values())
    check(apart <= TOLERANCE, f"the logs' clocks are apart by {apart / 1e6:.2f} ms: {offsets}")
    return f"{samples} samples true, 0 exchanged, {missing} ticks missing, the logs' clocks within {apart / 1e6:.2f} ms"


def export(guest: Guest, store: str, number: int, name: str) -> Path:
    file = f"{name}-{number}.json"
    guest.machine.check(f"imulog --store {store} verify {number}")
    guest.machine.check(f"imulog --store {store} export {number} --units raw -o /host/{file}")
    return guest.machine.share / file

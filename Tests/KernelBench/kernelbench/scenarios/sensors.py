# SPDX-License-Identifier: Apache-2.0
"""Four chips on one bus, and eight behind a multiplexer that the kernel drives, recorded in one take: each log has its own
chip's samples and no other's, on one clock. A chip before the multiplexer is refused; when the multiplexer's supply dips,
the recording goes on."""

from __future__ import annotations

import time
from pathlib import Path

from ..bench import Bench, Guest
from ..compare import TOLERANCE, compare, match_samples
from ..continuity import TEMPERATURE_LAG, TEMPERATURE_LEAD, find_holes
from ..chips.truth import read_truth
from ..errors import HostTooSlow, check
from ..export import Take, read_account, read_take
from ..scenario import Group
from .adapters import start_stub

SENSORS = {"left": "mpu6050", "right": "mpu6050@0x69", "hip": "lsm6dso", "head": "lsm6dso@0x6b"}
"""Names in the take, and those of the simulated chips, which are at 0x68 and 0x6a without an address."""
POLLED, BY_CHIP = "--clock grid --rate 10 --for 20s", "--clock chip --rate 50 --for 20s"
RATES = {"hip": 52, "head": 52}
CHANNELS = {name: f"mpu6050@0x68/{number}" for number, name in enumerate("abcdefgh")}
"""The chips behind the multiplexer, all with one address."""
TWO = {"low": "mpu6050@0x68/3", "high": "mpu6050@0x69/3"}
BEHIND = sorted({*CHANNELS.values(), *TWO.values()})
MULTIPLEXER = "0x70"
DEVICES = "/sys/bus/i2c/devices"
CURED = 6_000_000_000
"""Nanoseconds within which a multiplexer is selected anew: at the next of the looks 2 s apart, and the chips set up."""


def run(bench: Bench, group: Group) -> None:
    """All of them, in one guest."""
    guest = bench.boot("sensors")
    try:
        for chip in SENSORS.values():
            if "@" in chip:
                guest.chips.tell("solder", chip)
        group.run("20 s at 10 Hz from four chips in one take", lambda: record(guest, POLLED, "polled"))
        group.run("20 s by the clocks of four chips in one take", lambda: record(guest, BY_CHIP, "chip", RATES))
        group.run("one of two buses hangs for 3 s", lambda: hang(guest))
    finally:
        guest.stop()
    guest = bench.boot("multiplexer")
    try:
        for chip in ("mpu6050", "lsm6dso"):
            guest.chips.tell("absent", chip)
        guest.chips.tell("multiplexer", MULTIPLEXER)
        for chip in BEHIND:
            guest.chips.tell("solder", chip)
        group.run("a multiplexer that the kernel does not know is refused", lambda: miss(guest))
        declare(guest)
        group.run("the chips behind a multiplexer are drawn", lambda: draw(guest))
        group.run("20 s at 10 Hz from eight chips behind a multiplexer", lambda: record(guest, POLLED, "eight", None, CHANNELS))
        group.run(
            "20 s by the clocks of eight chips behind a multiplexer",
            lambda: record(guest, BY_CHIP, "eight-chip", {}, CHANNELS))
        group.run("a scan beside a recording on another channel reads nothing", lambda: scan_beside(guest))
        group.run("doctor looks at eight chips behind a multiplexer", lambda: diagnose(guest))
        group.run("a multiplexer whose supply dips is selected anew", lambda: dip(guest))
        group.run("a chip before the multiplexer is refused", lambda: refuse(guest))
    finally:
        guest.stop()


def place(chip: str) -> str:
    """A chip as `--sensor` names it."""
    kind, _, rest = chip.partition("@")
    address, _, channel = rest.partition("/")
    return f"{kind}@i2c-0/mux@70/{channel}/{address}" if channel else chip


def miss(guest: Guest) -> str:
    command = f"imulog record --for 1s --sensor 'a={place('mpu6050@0x68/0')}'"
    refused = guest.machine.run(command)
    check(refused.status == 69 and "no multiplexer at 0x70" in refused.errors, f"it was not refused: {refused.errors}")
    return refused.errors.strip()


def declare(guest: Guest) -> None:
    """The kernel gets the multiplexer as the refusal says."""
    guest.machine.check("load i2c-mux-pca954x")
    guest.machine.check(f"echo pca9548 {MULTIPLEXER} > {DEVICES}/i2c-0/new_device")
    adapters = guest.machine.check(f"ls -l {DEVICES}/0-0070/")
    check("channel-7 -> ../i2c-" in adapters, f"the kernel made no channels: {adapters}")


def draw(guest: Guest) -> str:
    drawn = guest.machine.check("imulog boards --scan").splitlines()
    at = drawn.index("  i2c-0/mux@70/3  pca9548") if "  i2c-0/mux@70/3  pca9548" in drawn else 0
    check(drawn[at + 1 :] == ["    0x69  MPU-6050"], f"the chip of one channel is not drawn: {drawn}")
    check(sum("0x68" in line for line in drawn) == 1, f"one address of all channels is not one line: {drawn}")
    return " / ".join(line.strip() for line in drawn)


def scan_beside(guest: Guest) -> str:
    """The bus and the other channels share the wires of the channel that is recorded."""
    command = f"imulog --store /tmp/beside record --rate 10 --for 8s --sensor 'a={place('mpu6050@0x68/5')}'"
    started = guest.machine.start(command)
    time.sleep(4)
    drawn = guest.machine.check("imulog boards --scan").splitlines()
    ended = guest.machine.finish(started, command, 60)
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    check(len(drawn) == 2 and "records on these wires: not read" in drawn[1], f"it was read: {drawn}")
    return " / ".join(line.strip() for line in drawn)


def diagnose(guest: Guest) -> str:
    """The sensors of a service's configuration: all are found, and none at a second address."""
    lines = "".join(f"sensor.{name} = {place(chip)}\\n" for name, chip in CHANNELS.items() if name != "d")
    guest.machine.check(f"mkdir -p /etc/imulog && printf '{lines}' > /etc/imulog/imulog.conf")
    found = guest.machine.run("imulog doctor --bus 0", 120).output
    for name in CHANNELS:
        chip = next((line for line in found.splitlines() if line.split()[1:3] == ["chip", name]), "")
        check(name == "d" or chip.startswith("ok") and "MPU-6050 at 0x68" in chip, f"{name} was not found: {found}")
    for words in ("each of 7 has an address of its own", "of the time that there is for it"):
        check(words in found, f"'{words}' is not in {found}")
    check("other address" not in found, f"a second address was found: {found}")
    return next(line for line in found.splitlines() if "bus time" in line)


def dip(guest: Guest) -> str:
    """Two chips of one channel are recorded, so that the kernel never selects another one by itself."""
    sensors = " ".join(f"--sensor '{name}={place(chip)}'" for name, chip in TWO.items())
    command = f"imulog --store /tmp/dip record --clock grid --rate 10 --for 20s {sensors}"
    started = guest.machine.start(command)
    time.sleep(8)
    guest.chips.tell("multiplexer", MULTIPLEXER)
    ended = guest.machine.finish(started, command, 120)
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    longest = 0
    for number, name in enumerate(TWO, 1):
        take = read_take(export(guest, "/tmp/dip", number, "dip"))
        check(take.lost("busError") > 0, f"{name} missed nothing: {take.document['ticks']}")
        hole = longest_hole(take)
        check(hole <= CURED, f"{name} had no sample for {hole / 1e9:.1f} s")
        longest = max(longest, hole)
    return f"no sample for {longest / 1e9:.1f} s, then all"


def hang(guest: Guest) -> str:
    """The sensor on the other bus has its samples meanwhile, each true."""
    bus = start_stub(guest.machine)
    command = "imulog --store /tmp/hang record --clock grid --rate 50 --for 10s" \
        f" --sensor left=mpu6050@i2c-0/0x68 --sensor right=mpu6050@{bus}/0x68"
    started = guest.machine.start(command)
    time.sleep(4)
    guest.chips.tell("stall")
    time.sleep(3)
    guest.chips.tell("release")
    ended = guest.machine.finish(started, command, 60)
    guest.machine.check("killall stubchip")
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    left, right = (read_take(export(guest, "/tmp/hang", number, "hang")) for number in (1, 2))
    check(longest_hole(left) > 2_000_000_000, f"the bus did not hang: {left.document['ticks']}")
    if longest_hole(right) > 200_000_000:
        raise HostTooSlow(f"the other bus waited {longest_hole(right) / 1e9:.1f} s: {right.document['ticks']}")
    truth = read_truth(guest.machine.share / "stub.truth")
    match_samples(right, truth, "mpu6050", repeated=len(right.samples))
    return f"left had no sample for {longest_hole(left) / 1e9:.1f} s, right none for {longest_hole(right) / 1e9:.3f} s at most"


def longest_hole(take: Take) -> int:
    """The most nanoseconds between two samples."""
    times = [sample.time for sample in take.samples]
    return max(later - earlier for earlier, later in zip(times, times[1:]))


def refuse(guest: Guest) -> str:
    """All channels seem to have the chip that is before the multiplexer."""
    for chip in BEHIND:
        guest.chips.tell("absent", chip)
    guest.chips.tell("present", "mpu6050")
    command = f"imulog --store /tmp/refuse record --for 1s --sensor 'a={place('mpu6050@0x68/2')}'"
    refused = guest.machine.run(command)
    check(refused.status == 78 and "answers on each channel" in refused.errors, f"it was not refused: {refused.errors}")
    return refused.errors.strip()


def record(
    guest: Guest, options: str, name: str, rates: dict[str, int] | None = None, sensors: dict[str, str] = SENSORS
) -> str:
    truth_file = guest.machine.directory / f"{name}.truth"
    guest.chips.tell("truth", truth_file)
    store = f"/tmp/take-{name}"
    words = []
    for sensor, chip in sensors.items():
        own = f" rate={rates[sensor]}" if rates and sensor in rates else ""
        words.append(f"--sensor '{sensor}={place(chip)}{own}'")
    command = f"imulog --store {store} record --bus 0 {options} {' '.join(words)}"
    ended = guest.machine.finish(guest.machine.start(command), command, 120)
    guest.chips.tell("truth", "-")
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    truth = read_truth(truth_file)
    # The ticks of a chip's clock are on no grid.
    read = read_take if rates is None else read_account
    takes = {
        sensor: read(export(guest, store, number, name)) for number, sensor in enumerate(sensors, 1)}
    places = {sensor: take.document["take"] for sensor, take in takes.items()}
    check(len({one["id"] for one in places.values()}) == 1, f"the logs are of several takes: {places}")
    check([one["index"] for one in places.values()] == [*range(len(sensors))], f"the logs' places are {places}")
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
            offsets[sensor] = compare(take, truth, sensors[sensor]).offset
            continue
        matches = match_samples(take, truth, sensors[sensor], lag=TEMPERATURE_LAG, lead=TEMPERATURE_LEAD)
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

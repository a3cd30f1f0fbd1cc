# SPDX-License-Identifier: Apache-2.0
"""Buses without the chip that was asked for: its kernel driver, another chip, no chip, SMBus alone."""

from __future__ import annotations

import time

from ..bench import Bench, Guest, read_export
from ..chips.truth import read_truth
from ..compare import compare, compare_scale
from ..errors import HostTooSlow, check
from ..machine import Machine, Result
from ..scenario import Group
from . import doctor, drivers

NO_SENSOR = 69
STORE = "/tmp/adapters"
STUB_TOLERANCE = 20_000_000


def run(bench: Bench, group: Group) -> None:
    """All of them, in one guest, and the proof that the chips are true ones."""
    guest = bench.boot("adapters")
    try:
        group.run("unknown chip at 0x68", lambda: unknown(guest))
        group.run("a clock chip at 0x68", lambda: clock(guest))
        group.run("no chip there", lambda: no_chip(guest))
        group.run("another chip than the one that is named", lambda: another(guest))
        group.run("two sensors and none is named", lambda: two(guest))
        group.run("SMBus-only adapter through libi2c", lambda: smbus(guest))
        doctor.run(guest, group)
        drivers.run(guest, group)
        for chip in drivers.DRIVERS:
            group.run(f"{chip.name} held by the kernel's {chip.driver}", lambda: held(guest, chip))
        group.run("a magnetometer held by a kernel driver", lambda: held_field(guest))
    finally:
        guest.stop()


def record(guest: Guest, options: str) -> Result:
    return guest.machine.run(f"imulog --store {STORE} record --for 1s {options}")


def refused(guest: Guest, options: str, status: int, *words: str) -> str:
    """Checks that a take is refused with the right status, one sentence that has all `words`, and nothing left."""
    ended = record(guest, options)
    told = ended.errors.strip()
    check(ended.status == status, f"record ended with {ended.status} and not {status}: {told or ended.output}")
    for word in words:
        check(word.lower() in told.lower(), f"the message does not say '{word}': {told}")
    check(len(told.splitlines()) <= 2, f"the message is not one sentence: {told}")
    left = guest.machine.run(f"ls -A {STORE}").output
    check(left == "", f"something is left in the store: {left}")
    return told


def unknown(guest: Guest) -> str:
    """Something answers whose identity no supported chip has: nothing is written to it, and the program reports it."""
    guest.chips.tell("absent", "lsm6dso")
    guest.chips.tell("identity", "mpu6050", "0x19")
    try:
        return refused(guest, "--bus 0", NO_SENSOR, "0x68", "0x19")
    finally:
        guest.chips.tell("identity", "mpu6050", "own")
        guest.chips.tell("present", "lsm6dso")


def clock(guest: Guest) -> str:
    """A clock chip of the DS1307's kind has the same address; most of its registers read 0."""
    guest.chips.tell("absent", "lsm6dso")
    guest.chips.tell("identity", "mpu6050", "0x00")
    try:
        return refused(guest, "--bus 0", NO_SENSOR, "0x68")
    finally:
        guest.chips.tell("identity", "mpu6050", "own")
        guest.chips.tell("present", "lsm6dso")


def no_chip(guest: Guest) -> str:
    for chip in ("mpu6050", "lsm6dso"):
        guest.chips.tell("absent", chip)
    try:
        refused(guest, "--bus 0 --sensor mpu6050", NO_SENSOR, "0x68")
        return refused(guest, "--bus 0", NO_SENSOR)
    finally:
        for chip in ("mpu6050", "lsm6dso"):
            guest.chips.tell("present", chip)


def another(guest: Guest) -> str:
    """A chip whose registers mean other things is refused, with both names: only an unknown one may be forced."""
    return refused(guest, "--bus 0 --sensor mpu6500", NO_SENSOR, "MPU-6500", "MPU-6050")


def two(guest: Guest) -> str:
    """One is used, and the program says how to choose the other."""
    ended = record(guest, "--bus 0")
    told = [line for line in ended.errors.splitlines() if "MPU-6050" in line and "LSM6DSO" in line]
    guest.machine.check(f"rm -r {STORE}")
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    check(bool(told) and "--sensor" in told[0], f"it is not said that there are two: {ended.errors.strip()}")
    return told[0]


def start_stub(machine: Machine) -> str:
    """A second bus, of i2c-stub, on which a process is an MPU-6050 at 0x68; its truth is `stub.truth` of the share."""
    machine.check("load i2c-stub chip_addr=0x68")
    bus = machine.check("for a in /sys/class/i2c-dev/*; do grep -q stub $a/name && basename $a; done").strip()
    check(bus.startswith("i2c-"), f"i2c-stub made no adapter: {bus!r}")
    machine.start(f"stubchip /dev/{bus} /host/stub.truth")
    time.sleep(0.3)
    return bus


def smbus(guest: Guest) -> str:
    """A take over i2c-stub: no plain I2C there, so the program has to use libi2c's block reads."""
    machine = guest.machine
    bus = start_stub(machine)
    take = f"imulog --store /tmp/smbus record --bus {bus[4:]} --sensor mpu6050"
    ended = machine.run(f"{take} --rate 50 --for 4s")
    machine.check("killall stubchip")
    check(ended.status == 0, f"record ended with {ended.status}: {ended.errors.strip()}")
    truth = read_truth(machine.share / "stub.truth")
    raw = read_export(machine, "/tmp/smbus", "smbus", "raw")
    # The stub's chip is a process in the guest: when it is delayed, the truth is late and not the program.
    times = [sample.time for sample in truth.samples["mpu6050"]]
    without_new = sum(int((after - before) / raw.period + 0.1) for before, after in zip(times, times[1:]))
    comparison = compare(raw, truth, "mpu6050", repeated=without_new, tolerance=STUB_TOLERANCE)
    compare_scale(read_export(machine, "/tmp/smbus", "smbus", "si"), raw, comparison)
    if len(raw.samples) < 180:
        raise HostTooSlow(f"only {len(raw.samples)} of 200 samples: {raw.document['ticks']}")
    return comparison.summary()


def held(guest: Guest, chip: drivers.Driver) -> str:
    """The driver is bound: the program names it and the command that frees the chip; the command works."""
    guest.chips.tell("solder", chip.chip)
    machine = guest.machine
    drivers.bind(machine, chip)
    options = f"--bus 0 --sensor {chip.chip}"
    told = refused(guest, options, NO_SENSOR, chip.driver, "unbind")
    doctor.held(guest, chip)
    machine.check(f"echo {chip.device} >/sys/bus/i2c/drivers/{chip.driver}/bind")
    command = told[told.index("echo") :].split("`")[0]
    machine.check(command.replace("sudo ", ""))
    machine.check(f"imulog --store /tmp/freed record --for 1s {options}")
    drivers.remove(machine, chip)
    return f"`{command}` freed it"


def held_field(guest: Guest) -> str:
    """The kernel has a driver that binds to any address, so that nobody else uses it."""
    for chip in ("icm20948", "ak09916"):
        guest.chips.tell("solder", chip)
    devices, options = "/sys/bus/i2c/devices/i2c-0", "--bus 0 --sensor icm20948 --clock grid --rate 50"
    guest.machine.check(f"echo dummy 0x0c >{devices}/new_device")
    try:
        told = refused(guest, f"{options} --field 20", NO_SENSOR, "0x0c", "driver dummy holds the chip", "unbind")
    finally:
        guest.machine.check(f"echo 0x0c >{devices}/delete_device")
    guest.machine.check(f"imulog --store /tmp/free-field record --for 1s {options} --field 20")
    return told

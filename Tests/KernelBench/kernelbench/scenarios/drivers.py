# SPDX-License-Identifier: Apache-2.0
"""Mainline's own drivers bind to the emulated chips and read plausible values, which proves the emulations."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..bench import Guest, Recording, check_recording
from ..errors import CannotRun, check
from ..machine import Machine
from ..scenario import Group


@dataclass(frozen=True)
class Driver:
    """A kernel driver and the chip that it is for."""

    name: str
    """The chip, by the kernel's name."""
    address: int
    module: str
    driver: str
    accelerometer: str
    gyroscope: str
    """Names of the IIO devices."""
    bench_name: str = ""
    """The bench's name for the chip, where it is another one."""

    @property
    def chip(self) -> str:
        return self.bench_name or self.name

    @property
    def device(self) -> str:
        return f"0-{self.address:04x}"


DRIVERS = (
    Driver("mpu6050", 0x68, "inv-mpu6050-i2c", "inv-mpu6050-i2c", "mpu6050", "mpu6050"),
    Driver("lsm6dso", 0x6A, "st_lsm6dsx_i2c", "st_lsm6dsx_i2c", "lsm6dso_accel", "lsm6dso_gyro"),
    Driver("lsm9ds1-imu", 0x6A, "st_lsm6dsx_i2c", "st_lsm6dsx_i2c", "lsm9ds1-imu_accel", "lsm9ds1-imu_gyro", "lsm9ds1"),
    Driver("lsm6dsv", 0x6A, "st_lsm6dsx_i2c", "st_lsm6dsx_i2c", "lsm6dsv_accel", "lsm6dsv_gyro"),
)


def run(guest: Guest, group: Group) -> None:
    for chip in DRIVERS:
        group.run(f"mainline's {chip.driver} reads the {chip.name}", lambda: read(guest, chip))
    group.run("10 s at 100 Hz from lsm6dsv", lambda: take(guest, "lsm6dsv"))
    group.run("a button press on a GPIO line", lambda: press(guest))


def bind(machine: Machine, chip: Driver) -> None:
    """Loads the driver and announces the chip to the kernel; skips the scenario when the kernel is older than the chip."""
    if machine.run(f"grep -q {chip.name} /modules/{chip.module}.ko").status != 0:
        raise CannotRun(f"{chip.driver} of Linux {machine.check('uname -r').strip()} does not know the {chip.name}")
    machine.check(f"load {chip.module}")
    machine.check(f"echo {chip.name} {chip.address:#x} >/sys/bus/i2c/devices/i2c-0/new_device")
    for _ in range(50):
        if machine.run(f"[ -e /sys/bus/i2c/devices/{chip.device}/driver ]").status == 0:
            return
        time.sleep(0.1)
    check(False, f"{chip.driver} did not bind: {machine.run('dmesg | tail -n 5').output}")


def remove(machine: Machine, chip: Driver) -> None:
    machine.check(f"echo {chip.address:#x} >/sys/bus/i2c/devices/i2c-0/delete_device")


def read(guest: Guest, chip: Driver) -> str:
    """A board at rest: 1 g upwards, no rotation, in the units of the kernel's drivers (m/s² and rad/s)."""
    guest.chips.tell("solder", chip.chip)
    guest.chips.tell("motion", chip.chip, "rest")
    try:
        bind(guest.machine, chip)
        try:
            acceleration = vector(guest.machine, chip.accelerometer, "accel")
            rotation = vector(guest.machine, chip.gyroscope, "anglvel")
        finally:
            remove(guest.machine, chip)
    finally:
        # Samples of a chip at rest are equal by chance, so no other scenario can recognise them.
        guest.chips.tell("motion", chip.chip, "numbers")
    told = f"{[round(value, 3) for value in acceleration]} m/s², {[round(value, 4) for value in rotation]} rad/s"
    check(all(abs(value) < 0.05 for value in acceleration[:2]), f"not level: {told}")
    check(abs(acceleration[2] - 9.80665) < 0.1, f"not 1 g: {told}")
    check(all(abs(value) < 0.02 for value in rotation), f"turning: {told}")
    return told


def take(guest: Guest, chip: str) -> str:
    """imulog records the chip that Linux 6.1 does not know, so that its emulation is checked too."""
    guest.chips.tell("solder", chip)
    truth = guest.machine.directory / f"{chip}.truth"
    guest.chips.tell("truth", truth)
    recording = Recording(guest, chip, "--rate 100 --for 10s", chip)
    recording.finish()
    guest.chips.tell("truth", "-")
    return check_recording(recording, truth).comparison.summary()


def vector(machine: Machine, device: str, kind: str) -> list[float]:
    """Three axes of an IIO device, each the mean of a few."""
    script = (
        f"d=$(dirname $(grep -lx {device} /sys/bus/iio/devices/*/name)); cat $d/in_{kind}_scale;"
        f" for k in 1 2 3 4; do for a in x y z; do cat $d/in_{kind}_${{a}}_raw; done; done")
    scale, *counts = map(float, machine.check(script).split())
    return [scale * sum(counts[axis::3]) / (len(counts) / 3) for axis in range(3)]


def press(guest: Guest) -> str:
    """A line is pulled down for 200 ms, and the kernel gives the edges with their times."""
    machine = guest.machine
    machine.check("load gpio-virtio")
    name = machine.start("button GPIO17 1")
    for level, pause in ((0, 0.2), (1, 0.0)):
        time.sleep(0.4 if level == 0 else 0.0)
        guest.chips.tell("line", 17, level)
        time.sleep(pause)
    edges = [line.split() for line in machine.finish(name, "button", 10).output.splitlines()[1:]]
    check([edge[0] for edge in edges] == ["fall", "rise"], f"the edges are {edges}")
    length = (int(edges[1][1]) - int(edges[0][1])) / 1e6
    check(150 < length < 400, f"200 ms are {length:.1f} ms in the kernel's time")
    return f"pressed for {length:.1f} ms"

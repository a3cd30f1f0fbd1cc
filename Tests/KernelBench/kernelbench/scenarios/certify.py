# SPDX-License-Identifier: Apache-2.0
"""Bad sensors are named, by `imulog certify` and by the certificate of a recording.

Four chips are on the bus at once. Each address has its list of cases, one after the other, and all addresses are busy at
the same time:

    0x68   ├── a good MPU-6050 ──┼── ... ──┤
    0x69   ├── a dead axis ──┼── ... ──────────┤
    0x6a   ├── a good LSM6DSO ──┼── ... ──┤
    0x6b   ├── a good LSM6DSL ──┼── ... ────┤
"""

from __future__ import annotations

from collections.abc import Iterable

from ..bench import Bench, Guest
from ..chips.signal import CHANNELS
from ..lanes import Lane, drive
from ..scenario import Group
from .interruptions import Interrupted, Interruption
from .specimens import MOVED, NEVER, Examined, Finding, Specimen, fail, passes, warn

SECONDS = 150
"""The most that a lane may take."""
AXES = CHANNELS[:6]
RATED = "--clock chip --rate {} --for 5.7s"
"""Longer than the chip's rate takes, 5 s."""
SHORT = "--clock chip --rate {} --for 3.7s"
"""Longer than a still stretch, 3 s."""
POLLED = "--clock grid --rate 50 --for 4.3s"
LONG = "--clock grid --rate 50 --for 18s"
"""Longer than a quiet gyroscope's axis can rest in one count by chance."""

HALF = fail("half: the chip has twice the range it is driven with")
TWICE = fail("twice: the chip has half the range it is driven with")
DEAD = {
    "zero": fail("gx"), "stuck": fail("gz at 40"), "equal": fail("ay = ax"), "noise-density-gx": fail("0"),
    "noise-density-gz": fail("0")}
SHARED_IDENTITY = {"identity": passes("0x6c LSM6DSO, or LSM6DSOX, LSM6DSO32, which answer the same")}
COPIED_IDENTITY = {"identity": warn("0x42, driven as MPU-6050"), "clone": warn("identity")}

LANES: tuple[tuple[Specimen | Interruption, ...], ...] = (
    (
        Specimen("a good MPU-6050", "mpu6050@0x68", recording=RATED.format(100), status=0),
        Specimen(
            "a copy of an MPU-6050, by its factory trim", "mpu6050@0x68", ("codes CHIP 0 0 0 0 0 0", "disconnect CHIP all"),
            certified={"clone": warn("self-test"), **{f"self-test-{axis}": warn("its trim code is 0") for axis in AXES}}),
        Specimen(
            "an accelerometer whose x and y are exchanged", "mpu6050@0x68", ("defect CHIP swap ax ay",),
            recording=SHORT.format(100), recorded_motion="turned",
            recorded={"axes": fail("the accelerometer's are y, x, z"), "still": NEVER},
            certified={"self-test-ax": fail(), "self-test-ay": fail()}),
        Specimen(
            "an MPU-6500 on a board that was sold as an MPU-6050", "mpu6500@0x68", driven_as="auto", status=0,
            certified={"identity": passes("0x70 MPU-6500, which boards sold as MPU-6050 have too")}),
        Interruption("Ctrl-C in the midst of the self-test", "mpu6050@0x68", "INT", 130),
    ),
    (
        Specimen(
            "a copy of an MPU-6050, by its identity", "mpu6050@0x69", ("identity CHIP 0x42",), recording=POLLED,
            recorded=COPIED_IDENTITY, certified=COPIED_IDENTITY),
        Specimen(
            "an axis that is dead, one that is stuck, and one that copies another", "mpu6050@0x69",
            ("defect CHIP zero gx", "defect CHIP held gz 40", "defect CHIP copy ay ax"), recording=LONG, recorded=DEAD,
            certified={**DEAD, "self-test-gx": fail("0 °/s"), "self-test-gz": fail("0 °/s"), "self-test-ay": fail()}),
        Specimen(
            "one axis that does not answer the self-test", "mpu6050@0x69", ("disconnect CHIP gy",),
            certified={"self-test-gy": fail("0 % of the factory's trim")}),
        Specimen("a good ICM-20948", "icm20948@0x69", recording=RATED.format(112.5), status=0),
        Specimen(
            "a chip that is moved", "mpu6050@0x69", motion="shaken", status=MOVED,
            certified={"self-test": Finding("unknown", ("moved by",)), "still": NEVER}),
        Interruption("SIGKILL in the midst of the self-test, then a recording", "mpu6050@0x69", "KILL", 137, POLLED),
    ),
    (
        Specimen(
            "a good LSM6DSO", "lsm6dso@0x6a", recording=RATED.format(104), recorded=SHARED_IDENTITY,
            certified=SHARED_IDENTITY, status=0),
        Specimen(
            "an LSM6DSO32 that is driven as an LSM6DSO", "lsm6dso32@0x6a", driven_as="lsm6dso", recording=SHORT.format(104),
            recorded={"gravity": HALF}, certified={"gravity": HALF}),
        Specimen("a good LSM9DS1", "lsm9ds1@0x6a", recording=POLLED, status=0),
    ),
    (
        Specimen("a good LSM6DSL", "lsm6dsl@0x6b", recording=RATED.format(104), status=0),
        Specimen(
            "an LSM6DSO that is driven as an LSM6DSO32", "lsm6dso@0x6b", driven_as="lsm6dso32", recording=SHORT.format(104),
            recorded={"gravity": TWICE}, certified={"gravity": TWICE}),
        Specimen(
            "an accelerometer that shows 1.32 g at rest", "lsm6dso@0x6b", ("defect CHIP scale a 1.32",),
            certified={"gravity": fail("1.32 g")}),
        Specimen(
            "no axis that answers the self-test", "lsm6dso@0x6b", ("disconnect CHIP all",),
            certified={f"self-test-{axis}": fail() for axis in AXES}),
        Interruption("SIGTERM in the midst of the self-test", "lsm6dso@0x6b", "TERM", 143),
    ),
)


def run(bench: Bench, group: Group) -> None:
    """All of them, in one guest."""
    lists = [[case for case in cases if group.wants(case.name)] for cases in LANES]
    if not any(lists):
        return
    guest = bench.boot("certify")
    try:
        found: dict[str, Examined | Interrupted] = {}
        drive(guest.machine, [examine(guest, cases, found) for cases in lists], SECONDS)
        for case in (case for cases in lists for case in cases):
            group.run(case.name, lambda: case.judge(found[case.name]))
    finally:
        guest.stop()


def examine(
    guest: Guest, cases: Iterable[Specimen | Interruption], found: dict[str, Examined | Interrupted]
) -> Lane:
    """One case after the other at one address."""
    for case in cases:
        found[case.name] = yield from case.examine(guest)

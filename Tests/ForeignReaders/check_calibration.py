#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares calibrations with those of other programs from the same samples, and with the errors that were simulated.

    Tests/ForeignReaders/check_calibration.py [PROGRAM]

PROGRAM is .build/release/imulog when not given. `imucal` has six faces and three turns, as Ferraris and others; actipy
has the still windows of a long recording, as van Hees and others. Status 77: a judge cannot be installed.
"""

import json
import os
import random
import subprocess
import sys
import warnings

sys.dont_write_bytecode = True

import foreign  # noqa: E402

program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(foreign.ROOT, ".build/release/imulog")
store = foreign.Store(program)
foreign.need("actipy", "imucal", "pandas", "numpy")
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from imucal import FerrarisCalibration, FerrarisSignalRegions  # noqa: E402

SEED = random.randrange(1 << 32)
print("seed", SEED)
noise = np.random.default_rng(SEED)
OFFSET = np.array([0.031, -0.052, 0.12])
SCALE = np.array([1.02, 0.97, 1.05])
RATE_OFFSET = np.array([-1.2, 0.4, 2.7])
RATE_SCALE = np.array([1.01, 0.985, 1.02])


def counts(truth, rates, temperature, slope=0):
    """Counts of an MPU-6050 at 4 g and 500 °/s that has these errors."""
    a = truth / SCALE + OFFSET + (temperature[:, None] - 27) * slope + noise.normal(size=truth.shape) * 0.002
    g = rates / RATE_SCALE + RATE_OFFSET + noise.normal(size=truth.shape) * 0.05
    t = (temperature - 36.53) * 340
    return np.hstack([np.rint(a * 8192), np.rint(g * 65.5), np.rint(t)[:, None]]).astype(int)


def record(name, table, hertz):
    """Has the simulator play the counts."""
    path = os.path.join(store.folder.name, name + ".csv")
    with open(path, "w") as file:
        file.write("t_us,ax,ay,az,gx,gy,gz,temp\n")
        for index, row in enumerate(table):
            file.write("%d,%s\n" % (round(index * 1e6 / hertz), ",".join(map(str, row))))
    output = store.run("record", "--board", "simulator", "--motion", path, "--rate", str(hertz), "--virtual-time",
                       "--for", "%dms" % round(len(table) * 1000 / hertz))
    store.numbers[name] = output.split()[-1].decode()


def calibration(name):
    """What the program finds, whatever it leaves undetermined."""
    ran = subprocess.run([program, "--store", os.path.join(store.folder.name, "store"), "calibrate",
                          store.numbers[name], "--json"], capture_output=True)
    assert ran.returncode in (0, 1), ran.stderr.decode()
    return json.loads(ran.stdout)


def table(name):
    lines = store.run("export", store.numbers[name], "--format", "csv", "--units", "g-dps")
    path = os.path.join(store.folder.name, name + ".g.csv")
    with open(path, "wb") as file:
        file.write(lines)
    return pd.read_csv(path)


def check_ferraris():
    """Six faces and a turn about each axis, against imucal and the truth."""
    hertz, parts, truth, rates = 100, {}, [], []

    def add(name, direction, turn=None):
        count = 4 * hertz
        parts[name] = (len(truth), len(truth) + count)
        for index in range(count):
            shaken = 0.03 * noise.normal(size=3) if turn is not None else 0
            truth.append(direction + shaken)
            rate = np.zeros(3)
            if turn is not None:
                # Against the clock: it begins and ends at rest.
                rate[turn] = 90 * (1 - np.cos(2 * np.pi * (index + 0.5) / count))
            rates.append(rate)

    def move():
        for _ in range(hertz):
            truth.append(noise.normal(size=3) * 0.4)
            rates.append(noise.normal(size=3) * 40)

    for axis, letter in enumerate("xyz"):
        for sign, suffix in ((1, "p"), (-1, "a")):
            direction = np.zeros(3)
            direction[axis] = sign
            add(f"{letter}_{suffix}", direction)
            move()
        direction = np.zeros(3)
        direction[axis] = 1
        add(f"{letter}_before", direction)
        add(f"{letter}_rot", direction, axis)
        add(f"{letter}_after", direction)
        move()
    record("faces", counts(np.array(truth), np.array(rates), np.full(len(truth), 25.0)), hertz)
    ours = calibration("faces")["calibration"]
    data = table("faces")
    acc, gyr = data[["ax", "ay", "az"]].to_numpy(), data[["gx", "gy", "gz"]].to_numpy()
    assert len(acc) == len(truth), (len(acc), len(truth))

    def cut(of, name):
        begin, end = parts[name]
        # The chip's filter is late: what comes before a rest is still in its first samples.
        inside = 0 if name.endswith("rot") else hertz // 2
        return of[begin + inside:end - inside]

    regions = {}
    for letter in "xyz":
        for suffix in "pa":
            regions[f"acc_{letter}_{suffix}"] = cut(acc, f"{letter}_{suffix}")
            regions[f"gyr_{letter}_{suffix}"] = cut(gyr, f"{letter}_{suffix}")
        regions[f"acc_{letter}_rot"] = cut(acc, f"{letter}_rot")
        regions[f"gyr_{letter}_rot"] = cut(gyr, f"{letter}_rot")
    theirs = FerrarisCalibration(grav=1, expected_angle=360).compute(
        FerrarisSignalRegions(**regions), hertz, from_acc_unit="g", from_gyr_unit="deg/s")
    found = ours["accelerometer"]
    scale = np.diag(np.array(found["matrix"]))
    worst = {
        "offset, g": np.abs(np.array(found["offset_g"]) - theirs.b_a).max(),
        "scale": np.abs(scale - 1 / np.diag(theirs.K_a @ theirs.R_a)).max(),
        "rate at rest, °/s": np.abs(np.array(ours["gyroscope"]["offset_dps"]) - theirs.b_g).max(),
        "rate's scale": np.abs(np.array(ours["gyroscope"]["scale"]) - 1 / np.diag(theirs.K_g @ theirs.R_g)).max(),
    }
    print("imucal:", {key: "%.2g" % value for key, value in worst.items()})
    assert worst["offset, g"] < 1e-3 and worst["scale"] < 1e-3 and worst["rate's scale"] < 1e-3, worst
    assert worst["rate at rest, °/s"] < 0.05, worst
    assert np.abs(np.array(found["offset_g"]) - OFFSET).max() < 0.0005
    assert np.abs(scale - SCALE).max() < 0.001
    assert np.abs(np.array(ours["gyroscope"]["offset_dps"]) - RATE_OFFSET).max() < 0.05
    assert np.abs(np.array(ours["gyroscope"]["scale"]) - RATE_SCALE).max() < 0.001


def check_windows(slope):
    """Fifty minutes in many directions, against actipy: another solution from the same windows.

    It sways by 0.9 °/s as on a chest that breathes: no pose is at rest, and a window of 10 s is as both count it.
    """
    import actipy.processing

    hertz, windows = 100, 150
    directions = noise.normal(size=(windows, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    truth = np.repeat(directions, 20 * hertz, axis=0)
    # The second window in a direction is a move, but for its beginning: the chip's start takes some samples.
    moves = np.arange(len(truth)) % (20 * hertz) >= 11 * hertz
    truth += noise.normal(size=truth.shape) * 0.1 * moves[:, None]
    temperature = np.repeat(20 + 15 * noise.random(windows), 20 * hertz)
    if not np.any(slope):
        temperature[:] = 25
    name = "warm" if np.any(slope) else "windows"
    rates = np.zeros(truth.shape)
    rates[:, 1] = 0.9 * np.sin(2 * np.pi * 0.5 * np.arange(len(truth)) / hertz)
    record(name, counts(truth, rates, temperature, slope), hertz)
    ours = calibration(name)
    assert ours["method"] == "windows" and ours["windows"] == windows, ours
    found = ours["calibration"]["accelerometer"]
    data = table(name)
    frame = pd.DataFrame({"x": data.ax, "y": data.ay, "z": data.az})
    if np.any(slope):
        frame["temperature"] = data.temp
    frame.index = pd.to_datetime(data.t_ns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, info = actipy.processing.calibrate_gravity(frame)
    assert info["CalibOK"] == 1, info
    axes = "xyz"
    scale = np.diag(np.array(found["matrix"]))
    theirs = np.array([info[f"Calib{axis}Slope"] for axis in axes])
    drift = found["drift"]
    reference = drift["reference_c"] if drift else 0
    slopes = -scale * np.array([line[0] for line in drift["coefficients_g"]]) if drift else np.zeros(3)
    intercept = -scale * np.array(found["offset_g"]) - slopes * reference
    worst = {
        "scale": np.abs(scale - theirs).max(),
        "intercept, g": np.abs(intercept - [info[f"Calib{axis}Intercept"] for axis in axes]).max(),
    }
    if drift:
        worst["slope, g/°C"] = np.abs(slopes - [info[f"Calib{axis}SlopeT"] for axis in axes]).max()
    print("actipy, %s:" % name, {key: "%.2g" % value for key, value in worst.items()})
    # Ours is a root mean square, theirs a mean: of normal errors that is 1.25 times as much.
    ratio = found["residualAfter_g"] * 1000 / info["CalibErrorAfter(mg)"]
    print("the error: %.2f times theirs; the scale's distance from the truth: %.1e, theirs: %.1e" % (
        ratio, np.abs(scale - SCALE).max(), np.abs(theirs - SCALE).max()))
    assert 1.1 < ratio < 1.4, ratio
    # 150 windows with the chip's noise: actipy is as far from the truth.
    assert np.abs(scale - SCALE).max() < 1e-4 and np.abs(slopes + SCALE * slope).max() < 1e-5, (scale, slopes)
    assert np.abs(np.array(found["offset_g"]) - OFFSET - (reference - 27 if drift else 0) * slope).max() < 1e-4, found
    assert max(worst.values()) < 1.5e-4, worst
    assert worst.get("slope, g/°C", 0) < 5e-6, worst


check_ferraris()
check_windows(np.zeros(3))
check_windows(np.array([0.0004, -0.0006, 0.0009]))
print("calibrations agree")

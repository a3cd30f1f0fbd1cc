#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares exported orientations and accelerations without gravity with those of vqf, the program of the method's authors.

    Tests/ForeignReaders/check_orientation.py [PROGRAM [FOLDER]]

PROGRAM is .build/release/imulog when not given; each CSV of FOLDER is imported and judged too. vqf gets the exported counts
of each stretch between long gaps, with the sample before a short gap once more for each missing tick, and must have the same
orientation within a microradian; with a magnetometer within 5 mrad, as it judges the field by its real-time orientation. The
simulated field says where north is: in the mean it must be there within half a degree. Status 77: the packages cannot be installed.
"""

import csv
import json
import math
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True

import foreign  # noqa: E402

program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(foreign.ROOT, ".build/release/imulog")
foreign.need("vqf==2.1.2", "numpy", "pyarrow", "mcap==1.6.0", "mcap-ros2-support==0.6.0")
import numpy as np  # noqa: E402
import pyarrow.parquet  # noqa: E402
from mcap.reader import make_reader  # noqa: E402
from mcap_ros2.decoder import DecoderFactory  # noqa: E402
from vqf import offlineVQF  # noqa: E402

LIMIT = 1e-6
seed = int(os.environ.get("SEED", random.randrange(1_000_000)))
generator = np.random.default_rng(seed)
print("seed %d" % seed)

store = foreign.usual_recordings(program, sys.argv[2] if len(sys.argv) > 2 else None)
store.record("chip", "--rate", "200", "--for", "20s", "--clock", "chip")
store.gaps()


def product(a, b):
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def to_sensor(q, vectors):
    """Vectors of the earth in the frame of a sensor that lies so."""
    w, axis = q[:, :1], -q[:, 1:]
    twice = 2 * np.cross(axis, vectors)
    return vectors + w * twice + np.cross(axis, twice)


def motion(name, rate, seconds, speed, bias):
    """A body that turns and is pushed at random, rests in between, and is recorded with short and long gaps."""
    count = int(rate * seconds)
    smooth = np.exp(-1 / (0.5 * rate))
    noise = generator.normal(0, speed * math.sqrt(1 - smooth ** 2), (count, 3))
    rates = np.zeros((count, 3))
    for row in range(1, count):
        rates[row] = rates[row - 1] * smooth + noise[row]
    rests = (np.arange(count) // int(4 * rate)) % 3 == 1
    rates[rests] = 0
    q = np.zeros((count, 4))
    q[0] = generator.normal(0, 1, 4)
    q[0] /= np.linalg.norm(q[0])
    for row in range(1, count):
        angle = np.radians(rates[row]) / rate
        size = np.linalg.norm(angle)
        step = np.array([math.cos(size / 2), *(angle * (math.sin(size / 2) / size if size else 0.5))])
        q[row] = product(q[row - 1], step)
    force = to_sensor(q, np.tile([0, 0, 1.0], (count, 1))) + generator.normal(0, 0.1, (count, 3)) * ~rests[:, None]
    counts = np.concatenate([force * 8192, (rates + bias) * 16.4], axis=1) + generator.normal(0, 2, (count, 6))
    counts = np.clip(np.rint(counts), -32768, 32767).astype(int)
    path = os.path.join(store.folder.name, name)
    short, long = count // 3, 2 * count // 3
    with open(path, "w") as file:
        file.write("t_us,ax,ay,az,gx,gy,gz\n")
        for row in range(count):
            if not short < row <= short + int(0.06 * rate) and not long < row <= long + int(0.5 * rate):
                file.write("%d,%d,%d,%d,%d,%d,%d\n" % (round(row * 1e6 / rate), *counts[row]))
    store.numbers[name] = store.run(
        "import", path, "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "16.4").split()[-1].decode()


for rate, seconds, speed in [(10, 300, 20), (50, 120, 90), (100, 90, 200), (400, 30, 400), (1000, 20, 60)]:
    motion("random %d Hz" % rate, rate, seconds, speed, generator.uniform(-1.5, 1.5, 3))


def stretches(rows, rate):
    """Rows as the program's manual says that they are taken together: counts, times, which are no repetitions."""
    parts, missing = [], None
    for row in rows:
        if row["gap"]:
            missing = (missing or 0) + int(row["gap_ticks"])
            continue
        values = [int(row[axis]) for axis in ("ax", "ay", "az", "gx", "gy", "gz")]
        if not parts or missing and missing * 10 > rate:
            parts.append(([], [], []))
        counts, times, own = parts[-1]
        for _ in range(missing or 0 if counts else 0):
            counts.append(counts[-1])
            own.append(False)
        counts.append(values)
        own.append(True)
        times.append(int(row["t_ns"]))
        missing = None
    return parts


def angles(p, q):
    """Between orientations, radians."""
    w = (p * q).sum(axis=1)
    axis = p[:, :1] * q[:, 1:] - q[:, :1] * p[:, 1:] - np.cross(p[:, 1:], q[:, 1:])
    return 2 * np.arctan2(np.linalg.norm(axis, axis=1), np.abs(w))


def judge(name):
    facts = store.facts(name)
    sensor = facts["sensor"]
    path = store.export(name, "take.csv", "--units", "raw", "--gaps", "rows", "--orientation", "--linear")
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    parts = stretches(rows, facts["rate_hz"])
    samples = [row for row in rows if not row["gap"]]
    found = np.array([[float(row[c]) for c in ("qw", "qx", "qy", "qz")] for row in samples])
    linear = np.array([[float(row[c]) for c in ("lx", "ly", "lz")] for row in samples])
    acceleration = sensor["accelerometerScale_g"][0] / sensor["accelerometerScale_g"][1] * 9.80665
    turn = math.radians(sensor["gyroscopeScale_dps"][0] / sensor["gyroscopeScale_dps"][1])
    has_own_times = sensor["model"] == "imported" or facts["chipTimes"]
    place, worst, repeated = 0, 0.0, 0
    for counts, times, own in parts:
        counts = np.array(counts, dtype=float)
        period = 1 / facts["rate_hz"]
        if has_own_times and len(counts) > 1:
            period = (times[-1] - times[0]) / (len(counts) - 1) / 1e9
        force = np.ascontiguousarray(counts[:, :3] * acceleration)
        wanted = offlineVQF(np.ascontiguousarray(counts[:, 3:] * turn), force, None, period)["quat6D"]
        own = np.array(own)
        wanted, force = wanted[own], force[own]
        mine = found[place:place + len(wanted)]
        worst = max(worst, angles(mine, wanted).max())
        gravity = to_sensor(wanted, np.tile([0, 0, 9.80665], (len(wanted), 1)))
        rest = np.abs(linear[place:place + len(wanted)] - (force - gravity)).max()
        assert rest < 1e-5, (name, "acceleration without gravity", rest)
        place += len(wanted)
        repeated += int((~own).sum())
    assert place == len(found), (name, place, len(found))
    assert worst < LIMIT, (name, "orientation", worst)
    document = store.run("export", store.numbers[name], "--orientation", "--to", "1h")
    said = json.loads(document)["orientation"]
    assert (said["stretches"], said["repeatedTicks"]) == (len(parts), repeated), (name, said, len(parts), repeated)
    print("%s: %d samples in %d stretches, %d ticks repeated: within %.1e rad of vqf" % (
        name, len(found), len(parts), repeated, worst))


def judge_north():
    """Turned and resting in a known field, with the calibration that the turning gives, and with iron that it takes away."""
    chip = ("--board", "simulator", "--sensor", "icm20948", "--field", "50", "--rate", "50", "--virtual-time")
    for name, move, length in [("north", "turn", "150s"), ("still north", "still", "60s")]:
        store.numbers[name] = store.run("record", *chip, "--motion", move, "--for", length).split()[-1].decode()
    found = os.path.join(store.folder.name, "found.cal")
    ran = subprocess.run([program, "--store", os.path.join(store.folder.name, "store"), "calibrate",
                          store.numbers["north"], "-o", found], capture_output=True)
    assert ran.returncode == 1, ran
    # As if iron had been there: what it takes away is exported alike for every judge.
    iron = os.path.join(store.folder.name, "iron.cal")
    with open(found) as file, open(iron, "w") as other:
        for line in file:
            other.write("field-offset 6 -3 4\n" if line.startswith("field-offset") else line)
    for name, calibration in [("north", found), ("still north", found), ("north", iron)]:
        document = json.loads(store.run("export", store.numbers[name], "--units", "si", "--orientation", "--calibration",
                                        calibration))
        rows, values = document["samples"], document["field"]["values"]
        mine, rate, force = (np.array([[row[c] for c in columns] for row in rows])
                             for columns in (["qw", "qx", "qy", "qz"], ["gx", "gy", "gz"], ["ax", "ay", "az"]))
        # vqf takes the field at the samples.
        middles = [(value["t_lo_ns"] + value["t_hi_ns"]) / 2 for value in values]
        field = np.stack([np.interp([row["t_ns"] for row in rows], middles, [value["m%s_ut" % axis] for value in values])
                          for axis in "xyz"], axis=1)
        wanted = offlineVQF(rate, force, np.ascontiguousarray(field), 1 / 50)["quat9D"]
        off = angles(mine, wanted)
        print("%s, %s: within %.1e rad of vqf" % (name, os.path.basename(calibration), off.max()))
        assert off.max() < 5e-3, (name, calibration, off.max(), off.argmax())
        if calibration == iron:
            continue
        back = mine * np.array([1, -1, -1, -1])
        east, north, up = to_sensor(back, field).T
        heading = np.degrees(np.arctan2(east, north))
        print("%s: north within %.2f° and %.2f° in the mean, dip %.1f°" % (
            name, np.abs(heading).max(), heading.mean(), np.degrees(np.arctan2(-up, north)).mean()))
        assert abs(heading.mean()) < 0.5 and np.abs(heading).max() < (2.5 if name == "still north" else 5), (name, heading)
        if name == "still north":
            # The simulated field is (23, -7, -43) µT, so that X points to the left of north.
            x = to_sensor(back, np.tile([1.0, 0, 0], (len(back), 1))).mean(axis=0)
            assert np.abs(x - np.array([-7, 23, 0]) / math.hypot(7, 23)).max() < 0.03, x
    judge_others("north", "9D", "--calibration", found)


def judge_others(name, kind="6D", *options):
    """pyarrow and mcap read the numbers of the table."""
    with open(store.export(name, "take.csv", "--orientation", "--linear", *options), newline="") as file:
        rows = list(csv.DictReader(file))
    table = pyarrow.parquet.read_table(
        store.export(name, "take.parquet", "--orientation", "--linear", "--units", "si", *options))
    assert table.schema.metadata[b"imulog.orientation.method"] == b"VQF %s offline" % kind.encode()
    for column, step in [(c, 1e-9) for c in ("qw", "qx", "qy", "qz")] + [(c, 1e-6) for c in ("lx", "ly", "lz")]:
        read = table[column].to_pylist()
        assert len(read) == len(rows)
        assert all(abs(value - float(row[column])) <= 0.51 * step for value, row in zip(read, rows)), (name, column)
    path = store.export(name, "take.mcap", "--orientation", *options)
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        read = [found[3] for found in reader.iter_decoded_messages(topics=["/imu"])]
    assert len(read) == len(rows)
    for message, row in zip(read, rows):
        assert list(message.orientation_covariance) == [0] * 9, (name, message)
        for part in "wxyz":
            assert abs(getattr(message.orientation, part) - float(row["q" + part])) <= 0.51e-9, (name, message, row)
    print("%s: pyarrow and mcap read what CSV has" % name)


judge_others("both")
judge_north()
for recording in store.numbers:
    if {"ax", "gx"} <= set(store.facts(recording)["sensor"]["channels"]):
        judge(recording)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what actipy, scikit-digital-health and cwa-reader-rs read of CWA exports with the samples of NDJSON.

    Tests/ForeignReaders/check_cwa.py [PROGRAM [FOLDER]]

PROGRAM is .build/release/imulog when not given; each CSV of FOLDER is imported. Each sample must be in a row no farther from
its time than the export says, within half a count of CWA; rows beside these repeat the one before. Where the rate is none of
CWA's, each row between samples must have the value that numpy makes of them, and no sample may be without rows. actipy needs Java, and is left out where there is none. Status 77: the packages cannot be installed.
"""

import calendar
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import foreign  # noqa: E402

# Local time is what the format has: an odd zone shows mistakes.
os.environ["TZ"] = "XYZ-5:45"
AHEAD = 5 * 3600 + 45 * 60
RATES = [6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600, 3200]

program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(foreign.ROOT, ".build/release/imulog")
store = foreign.usual_recordings(program, sys.argv[2] if len(sys.argv) > 2 else None)
store.record("slow", "--rate", "6.25", "--for", "60s", "--accel-range", "2g", "--gyro-range", "250dps")
store.record("chip", "--rate", "200", "--for", "20s", "--clock", "chip")
store.record("LSM6DSO", "--sensor", "LSM6DSO", "--rate", "100", "--for", "5s", "--clock", "grid")
store.gaps()
# Pauses below a second and above, an end in the middle of a sector, both ends of the counts, no date.
table = os.path.join(store.folder.name, "pauses.csv")
with open(table, "w") as file:
    file.write("t_us,ax,ay,az,gx,gy,gz\n")
    for row in range(1013):
        pause = 370_000 * (row >= 300) + 3_210_000 * (row >= 700) + 990_000 * (row >= 800)
        sign = 1 if row % 2 else -1
        file.write("%d,%d,%d,%d,%d,%d,%d\n" % (
            row * 10_000 + pause, row, -row, 32767 * sign, -32768 if row == 5 else row, sign, -17 * row))
store.numbers["pauses"] = store.run(
    "import", table, "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "16.4", "--anyway").split()[-1].decode()

# Other rates: lower and higher ones, with gaps, and two samples of which one is late.
store.record("odd", "--rate", "30", "--for", "20s",)
for rate, name in (104, "pauses 104"), (6900, "pauses 6900"):
    with open(table, "w") as file:
        file.write("t_us,ax,ay,az,gx,gy,gz\n")
        for row in range(20 * rate):
            if row % rate in (9, 10) or 5 * rate <= row < 8 * rate or row == 9 * rate + 1:
                continue
            late = 300_000 // rate if row % 7 == 3 else 0
            turn = 2 * math.pi * row / rate
            file.write("%d,%d,%d,%d,%d,%d,%d\n" % (
                row * 1_000_000 // rate + late, 9000 * math.sin(3.3 * turn), row % 4000 - 2000, 8192 if row % 2 else 8000,
                3000 * math.cos(0.7 * turn), -55, row % 17))
    store.numbers[name] = store.run(
        "import", table, "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "16.4", "--rate", str(rate)).split()[-1].decode()

foreign.need("scikit-digital-health==0.17.18", "cwa-reader-rs==0.5.0")
import cwa_reader_rs  # noqa: E402
import numpy  # noqa: E402
import skdh.io  # noqa: E402

HAS_JAVA = shutil.which("java") is not None
if HAS_JAVA:
    foreign.need("actipy==3.8.3")
    import actipy  # noqa: E402


def by_skdh(path):
    read = skdh.io.ReadCwa().predict(file=path)
    columns = [read["accel"]] + ([read["gyro"]] if "gyro" in read else [])
    return list(read["time"]), [tuple(float(x) for part in columns for x in part[row]) for row in range(len(read["time"]))]


def by_actipy(path):
    frame, _ = actipy.read_device(path, lowpass_hz=None, calibrate_gravity=False, detect_nonwear=False,
                                  resample_hz=None, verbose=False)
    names = ["x", "y", "z"] + (["gyro_x", "gyro_y", "gyro_z"] if "gyro_x" in frame.columns else [])
    times = frame.index.values.astype("datetime64[us]").astype("int64")
    return [t / 1e6 for t in times], [tuple(map(float, row)) for row in frame[names].to_numpy()]


def by_rust(path):
    read = cwa_reader_rs.read_cwa_file(path)
    names = ["acc_x", "acc_y", "acc_z"] + (["gyro_x", "gyro_y", "gyro_z"] if "gyro_x" in read else [])
    return None, [tuple(map(float, row)) for row in zip(*(read[name] for name in names))]


def seconds(text):
    begin, fraction = re.fullmatch(r"(.*?)(\.\d+)?Z", text).groups()
    return calendar.timegm(time.strptime(begin, "%Y-%m-%dT%H:%M:%S")) + float(fraction or 0)


def steps(path):
    """The file's own size of a count of accelerometer and gyroscope, from its first sector."""
    with open(path, "rb") as file:
        head = file.read(1024 + 512)
    scales = int.from_bytes(head[1024 + 18:1024 + 20], "little")
    return 1 / 2 ** (8 + (scales >> 13)), 8000 / 2 ** (scales >> 10 & 7) / 32768


def judge(name, reader, path, samples, start, rate, filled, tolerance, away):
    times, rows = reader(path)
    axes = [axis for axis in ("ax", "ay", "az", "gx", "gy", "gz") if axis in samples[0]]
    acceleration, turn = steps(path)
    at, slack = None, 0.001 * rate if reader is by_actipy else 0.001
    if times is not None:
        at = {round((t - times[0]) * rate): row for t, row in zip(times, rows)}
        assert len(at) == len(rows), (name, reader.__name__, "two rows at one time")
    assert len(rows) == len(samples) + filled, (name, reader.__name__, len(rows), len(samples), filled)

    # Readers have floats of 32 bits.
    def is_same(row, sample):
        return all(abs(value - sample[axis]) <= (acceleration if axis[0] == "a" else turn) * tolerance + 2e-6 + 2e-7 * abs(value)
                   for axis, value in zip(axes, row))

    # Without times, the samples in their order with rows beside them.
    place = 0
    for sample in samples:
        if at is None:
            while not is_same(rows[place], sample):
                place += 1
            place += 1
            continue
        exact = (start + sample["t"] / 1e9 - times[0]) * rate
        # As near as the program says, and a reader's milliseconds.
        slots = [slot for slot in range(round(exact) - 2, round(exact) + 3) if abs(slot - exact) <= away * rate + slack]
        assert any(slot in at and is_same(at[slot], sample) for slot in slots), (name, reader.__name__, sample, exact)


def cwa_rate(rate):
    """The lowest rate of CWA that is at least 95 % of a recording's, or the highest."""
    return next((held for held in RATES if held >= 0.95 * rate), RATES[-1])


def runs_of(samples, facts, rate):
    """Samples between which nothing is missing, as arrays of times in seconds and of values by axis."""
    ends, limit = [], max(1.0, 2 / rate) if facts["sensor"]["model"] == "imported" else 2 / rate
    gaps = sorted((gap["t_ns"] for gap in facts["gaps"]))
    for index in range(1, len(samples)):
        before, after = samples[index - 1]["t"], samples[index]["t"]
        is_gap = after - before > limit * 1e9 or any(before < gap < after for gap in gaps)
        if is_gap:
            ends.append(index)
    axes = [axis for axis in ("ax", "ay", "az", "gx", "gy", "gz") if axis in samples[0]]
    return [(numpy.array([s["t"] / 1e9 for s in part]), numpy.array([[s[axis] for axis in axes] for s in part], float))
            for part in (samples[a:b] for a, b in zip([0] + ends, ends + [len(samples)]))]


def value(at, times, values, old, new, edge):
    """The stated method: a sinc in a Kaiser window, or through four neighbours where times are uneven or samples are few.

    A row at a sample's time may be on either side of it by the `edge`.
    """
    right = int(numpy.searchsorted(times, at + edge, side="right"))
    left = max(right - 1, 0)
    if right == len(times):
        return values[left]
    is_filter = old > 1.001 * new
    stretch = old / new / 0.9 if is_filter else 1
    half = math.ceil(20 * stretch)
    sides = min(half, left + 1, len(times) - left - 1)
    around = slice(left - sides + 1, left + sides + 1)
    is_even = is_filter or not (numpy.abs(numpy.diff(times[around], 2)) * old > 1 / 256).any()
    if is_even and sides >= 4 * stretch:
        distance = numpy.arange(1 - sides, sides + 1) - (at - times[left]) / (times[left + 1] - times[left])
        part = numpy.minimum(numpy.abs(distance) / (sides if sides < half else 20 * stretch), 1)
        weights = numpy.sinc(distance / stretch) * numpy.i0(7.5 * numpy.sqrt(1 - part ** 2)) * (part < 1)
        return weights @ values[around] / weights.sum()
    start = max(0, min(left - 1, len(times) - 4))
    near = slice(start, start + 4)
    steps = numpy.diff(times[near]) * old
    if min(steps) <= 0.5 or max(steps) >= 1.5:
        return [numpy.interp(at, times[left:left + 2], column[left:left + 2]) for column in values.T]
    # Solved as equations, as the program does not.
    return numpy.linalg.solve(numpy.vander((times[near] - at) * old, increasing=True), values[near])[0]


def judge_resampled(name, reader, path, samples, facts, start, fraction, unit):
    """Compares rows with what numpy makes of the samples; returns how many. `start` is whole seconds, `fraction` the rest."""
    old, new = facts["rate_hz"], cwa_rate(facts["rate_hz"])
    times, rows = reader(path)
    if times is None or reader is by_actipy and new > 400:
        # actipy has whole milliseconds, and leaves out rows of times that it takes for the same.
        others = iter(by_skdh(path)[1])
        assert len(rows) > 0 and all(
            any(numpy.allclose(row, other, rtol=1e-6, atol=2e-6) for other in others) for row in rows), (name, reader.__name__)
        return 0
    acceleration, turn = steps(path)
    runs = runs_of(samples, facts, old)
    assert min(numpy.diff(times)) > 0.5 / new, (name, reader.__name__, "two rows at one time")
    # A reader's milliseconds: rows are at whole periods of the second.
    slots = numpy.round((numpy.array(times) - start) * new).astype("int64")
    assert numpy.abs((numpy.array(times) - start) * new - slots).max() < 0.001 * new + 0.01, (name, reader.__name__)
    by_slot = dict(zip(slots.tolist(), rows))
    seen = 0
    limits = [(acceleration * 0.5 + unit["a"] * 0.5 if axis < 3 else turn * 0.5 + unit["g"] * 0.5) for axis in range(6)]
    for run_times, values in runs:
        first = math.ceil((run_times[0] + fraction) * new - 1e-6)
        last = math.floor((run_times[-1] + fraction) * new + 1e-6)
        # Every sample's motion is in rows, as far as a row is between samples.
        for slot in range(first, last + 1):
            assert slot in by_slot, (name, reader.__name__, "no row", slot)
            at = min(max(slot / new - fraction, run_times[0]), run_times[-1])
            wanted = [value(at, run_times, values, old, new, edge) for edge in (1e-10, -1e-10)]
            for axis, found in enumerate(by_slot[slot]):
                assert any(abs(found - exact) <= limits[axis] * 1.01 + 2e-5 + 1e-6 * abs(exact)
                           for exact in (one[axis] for one in wanted)), (
                    name, reader.__name__, slot, axis, found, [one[axis] for one in wanted])
            seen += 1
    return seen


for name in store.numbers:
    facts = store.facts(name)
    channels = facts["sensor"]["channels"]
    grid = ["--grid"] if facts["chipTimes"] else []
    words = ["export", store.numbers[name], "--format", "cwa", *grid]
    path = os.path.join(store.folder.name, "take.cwa")
    ran = subprocess.run([store.program, "--store", os.path.join(store.folder.name, "store"), *words, "-o", path],
                         capture_output=True, text=True)
    if "ax" not in channels:
        assert ran.returncode == 64 and "needs x, y and z" in ran.stderr, (name, ran)
        print("%s: refused: %s" % (name, ran.stderr.strip()))
        continue
    assert ran.returncode == 0, (name, ran.stderr)
    if facts["rate_hz"] not in RATES:
        # Resampled once, from the samples of a chip too.
        grid = []
    lines = store.run("export", store.numbers[name], "--format", "ndjson", "--units", "g-dps", *grid).splitlines()
    samples = [json.loads(line) for line in lines]
    for sample in samples:
        sample["t"] = sample["t_grid_ns" if grid else "t_ns"]
    started = facts["started"]
    start = seconds(started) + AHEAD if started else calendar.timegm((2000, 1, 1, 0, 0, 0))
    readers = [by_skdh, by_rust] + ([by_actipy] if HAS_JAVA else [])
    if facts["rate_hz"] not in RATES:
        assert "resampled from" in ran.stderr, (name, ran.stderr)
        with open(path, "rb") as file:
            assert b"resampled+from" in file.read(512), name
        scales = facts["sensor"]
        said = re.search(r"\.\d+", started or "")
        fraction = float(said[0]) if said else 0.0
        start = round(start - fraction)
        # Seconds of the slow rates that begin a period are counted from 2000.
        odd = (start - calendar.timegm((2000, 1, 1, 0, 0, 0))) % 16
        start, fraction = start - odd, fraction + odd
        unit = {"a": scales["accelerometerScale_g"], "g": scales.get("gyroscopeScale_dps") or [1, 1]}
        unit = {key: abs(above / below) for key, (above, below) in unit.items()}
        counts = [judge_resampled(name, reader, path, samples, facts, start, fraction, unit) for reader in readers]
        print("%s: %d samples at %g Hz, %s rows at %g Hz between them as numpy makes them, by %s" % (
            name, len(samples), facts["rate_hz"], max(counts), cwa_rate(facts["rate_hz"]),
            ", ".join(reader.__name__[3:] for reader in readers)))
        continue
    said = re.search(r"(\d+) rows? repeats?", ran.stderr)
    filled = int(said[1]) if said else 0
    said = re.search(r"up to ([\d.]+) ms from", ran.stderr)
    away = (float(said[1]) / 1000 if said else 0) + 2e-6
    # A held-up program reads up to a period after the tick, which itself is up to half a period from a row.
    assert away <= (1.5 if name == "gaps" else 0.5) / facts["rate_hz"] + 3e-6, (name, away)
    # A value of the grid is rounded to a count of the chip before, which is no larger here.
    tolerance = 1.0001 if grid else 0.5001
    for reader in readers:
        judge(name, reader, path, samples, start, facts["rate_hz"], filled, tolerance, away)
    print("%s: %d samples and %d rows beside them read by %s" % (
        name, len(samples), filled, ", ".join(reader.__name__[3:] for reader in readers)))
print("CWA was read as NDJSON has it" + ("" if HAS_JAVA else "; actipy was left out, as there is no Java"))

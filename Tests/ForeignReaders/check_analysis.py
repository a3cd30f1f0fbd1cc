#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `imulog analyze --json` computes with numpy, scipy and allantools, from the samples of an export.

    Tests/ForeignReaders/check_analysis.py [PROGRAM]

PROGRAM is .build/release/imulog when not given. Spectra, velocities and bands equal scipy's to 1e-6 relative, the Allan
deviation allantools' to 1e-9. Status 77: the packages cannot be installed.
"""

import json
import math
import os
import sys

sys.dont_write_bytecode = True

import foreign  # noqa: E402

foreign.need("numpy", "scipy", "allantools")
import allantools  # noqa: E402
import numpy  # noqa: E402
import scipy.integrate  # noqa: E402
import scipy.signal  # noqa: E402
import scipy.stats  # noqa: E402

program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(foreign.ROOT, ".build/release/imulog")
store = foreign.Store(program)
store.record("tumble", "--rate", "100", "--for", "200s", "--clock", "grid")
store.record("fast", "--rate", "1000", "--for", "20s", "--clock", "grid", "--accel-range", "16g")
store.record("accelerometer", "--rate", "50", "--for", "30s", "--channels", "accel", "--clock", "grid")
store.numbers["rest"] = store.run(
    "record", "--board", "simulator", "--virtual-time", "--rate", "100", "--for", "600s", "--clock", "grid"
).split()[-1].decode()
store.numbers["chip"] = store.run(
    "record", "--board", "simulator", "--virtual-time", "--rate", "500", "--for", "60s", "--clock", "chip"
).split()[-1].decode()
# Random walks and a vibration with harmonics and shocks, with both ends of the counts.
generator = numpy.random.default_rng(20261125)
rows = 120_000
walk = numpy.cumsum(generator.normal(0, 3, (rows, 6)), axis=0) + generator.normal(0, 60, (rows, 6))
time = numpy.arange(rows) / 800
walk[:, 0] += 9000 * numpy.sin(2 * math.pi * 49.7 * time) + 1200 * numpy.sin(2 * math.pi * 99.4 * time + 1)
walk[::977, 2] += 15_000
walk[5, 4], walk[6, 4] = 1e6, -1e6
counts = numpy.clip(numpy.rint(walk), -32768, 32767).astype(int)
table = os.path.join(store.folder.name, "made.csv")
with open(table, "w") as file:
    file.write("t_us,ax,ay,az,gx,gy,gz\n")
    for row in range(rows):
        file.write("%d,%s\n" % (row * 1250, ",".join(map(str, counts[row]))))
store.numbers["made"] = store.run(
    "import", table, "--accel-lsb-per-g", "4096", "--gyro-lsb-per-dps", "32.8").split()[-1].decode()
# Gaps: pools of segments.
gaps = os.path.join(store.folder.name, "gaps.csv")
with open(gaps, "w") as file:
    file.write("t_us,ax,ay,az,gx,gy,gz\n")
    for row in range(20_000):
        pause = 730_000 * (row >= 7000) + 90_000 * (row >= 7030) + 1_010_000 * (row >= 12_345)
        file.write("%d,%s\n" % (row * 1250 + pause, ",".join(map(str, counts[row]))))
store.numbers["gaps"] = store.run(
    "import", gaps, "--accel-lsb-per-g", "4096", "--gyro-lsb-per-dps", "32.8").split()[-1].decode()


def near(name, value, expected, tolerance, floor=0.0):
    assert abs(value - expected) <= tolerance * abs(expected) + floor, (name, value, expected)


def pooled(parts, rate, length):
    """scipy's density of each part, weighed by its windows."""
    total, windows = None, 0
    for part in parts:
        if len(part) < length:
            continue
        number = (len(part) - length) // (length // 2) + 1
        frequencies, density = scipy.signal.welch(part, rate, nperseg=length)
        total = density * number if total is None else total + density * number
        windows += number
    return frequencies, total / windows, windows


for name, number in store.numbers.items():
    found = json.loads(store.run("analyze", number, "--json", "--band", "2..20", "--band", "15..45.5"))
    samples = store.samples(name, "--units", "g-dps")
    raw = store.samples(name, "--units", "raw")
    facts = store.facts(name)
    rate, length = found["rate_hz"], found["windows"]["length"]
    times = numpy.array([sample["t_ns"] for sample in samples])
    period = 1e9 / facts["rate_hz"]
    breaks = [0] + [int(i) + 1 for i in numpy.nonzero(numpy.diff(times) > 1.5 * period)[0]] + [len(samples)]
    parts = [(a, b) for a, b in zip(breaks, breaks[1:]) if b - a >= 64]
    assert found["segmentCount"] == len(parts), (name, parts)
    assert found["sampleCount"] == sum(b - a for a, b in parts), name
    assert found["leftOutCount"] == len(samples) - found["sampleCount"], name
    if facts["chipTimes"] is None and name not in ("made", "gaps"):
        assert rate == facts["rate_hz"], name
    else:
        spans = sum(times[b - 1] - times[a] for a, b in parts)
        near(name, rate, sum(b - a - 1 for a, b in parts) / spans * 1e9, 1e-12)
    velocities = []
    for axis in found["accelerometer"] + found["gyroscope"]:
        channel, unit = axis["channel"], "g" if axis["channel"][0] == "a" else "dps"
        scale = facts["sensor"]["accelerometerScale_g" if unit == "g" else "gyroscopeScale_dps"]
        scale = abs(scale[0] / scale[1])
        runs = [numpy.array([sample[channel] for sample in raw[a:b]], dtype=float) * scale for a, b in parts]
        whole = numpy.concatenate(runs)
        place = (name, channel)
        near(place, axis["mean_" + unit], whole.mean(), 1e-9, 1e-12)
        near(place, axis["rms_" + unit], whole.std(), 1e-9)
        near(place, axis["peak_" + unit], numpy.abs(whole - whole.mean()).max(), 1e-9)
        near(place, axis["kurtosis"], scipy.stats.kurtosis(whole, fisher=False), 1e-6)
        frequencies, density, windows = pooled(runs, rate, length)
        assert windows == found["windows"]["windowCount"], place
        mine = numpy.array(axis["density_%s2_hz" % unit])
        # What the detrend leaves at 0 is rounding.
        assert numpy.allclose(mine[1:], density[1:], rtol=1e-6, atol=1e-12 * density.max()), place
        step = frequencies[1]
        for band, value in zip(found["bands"], axis["bandRMS_" + unit]):
            if value is not None:
                inside = (frequencies >= band["from_hz"] - 1e-9 * step) & (frequencies < band["to_hz"] - 1e-9 * step)
                near(place, value, math.sqrt(density[inside].sum() * step), 1e-6)
        if unit == "g":
            inside = (frequencies >= 10 - 1e-9 * step) & (frequencies < 1000 - 1e-9 * step)
            speed = math.sqrt((density[inside] / (2 * math.pi * frequencies[inside]) ** 2).sum() * step) * 9806.65
            near(place, axis["velocity_mm_s"], speed, 1e-6)
            velocities.append(speed)
        if len(runs) == 1:
            factors = [2 ** octave for octave in range(len(axis["allan"]))]
            taus, deviations, _, _ = allantools.oadev(
                runs[0], rate=rate, data_type="freq", taus=[factor / rate for factor in factors])
            assert len(taus) == len(factors), (place, taus)
            for point, tau, deviation in zip(axis["allan"], taus, deviations):
                near(place, point["tau_s"], tau, 1e-9)
                near(place, point["deviation_" + unit], deviation, 1e-9)
    if len(velocities) == 3:
        near(name, found["velocity_mm_s"], math.sqrt(sum(v * v for v in velocities)), 1e-6)
    if name == "made":
        peak = found["accelerometer"][0]["peaks"][0]
        near(name, peak["frequency_hz"], 49.7, 2e-5)
        near(name, peak["rms_g"], 9000 / 4096 / math.sqrt(2), 2e-3)
    print("%s: %d samples in %d segments, %d windows of %d: as scipy and allantools have them" % (
        name, found["sampleCount"], found["segmentCount"], found["windows"]["windowCount"], length))
print("analyses are those of numpy, scipy and allantools")

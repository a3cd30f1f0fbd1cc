#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads exported miniSEED with ObsPy and pymseed (libmseed), and compares counts and times with those of NDJSON.

    Tests/ForeignReaders/check_mseed.py [PROGRAM] [--also FOLDER]

PROGRAM is .build/release/imulog when not given; --also checks imports of the CSV files in a folder, too. Status 77: the
readers cannot be installed. Every count must be equal; the time of every sample, in records and in joined traces, may
differ by what the export itself reports.
"""

import argparse
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

import foreign  # noqa: E402

CHANNELS = {"N1": "ax", "N2": "ay", "N3": "az", "J1": "gx", "J2": "gy", "J3": "gz", "KI": "temp"}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program", nargs="?", default=os.path.join(foreign.ROOT, ".build/release/imulog"))
parser.add_argument("--also", metavar="FOLDER", default=None)
arguments = parser.parse_args()
store = foreign.usual_recordings(arguments.program, arguments.also)
store.record("slow", "--rate", "6.25", "--for", "60s")
store.record("chip", "--rate", "200", "--for", "20s", "--clock", "chip")
store.gaps()
# Differences of every width and both signs, pauses, no date.
table = os.path.join(store.folder.name, "widths.csv")
with open(table, "w") as file:
    file.write("t_us,ax,ay,az,gx,gy,gz\n")
    for row in range(20000):
        value = (1 if row % 2 else -1) * ((1 << row // 40 % 16) - 1 + row % 3) // 2
        pause = 370_000 * (row >= 300) + 3_210_000 * (row >= 701) + 990_000 * (row >= 15000)
        file.write("%d,%d,%d,%d,%d,%d,%d\n" % (
            row * 10_000 + pause, value, -value, 32767 if row % 7 == 0 else -32768, 0, row % 2, row))
store.numbers["widths"] = store.run(
    "import", table, "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "16.4", "--anyway").split()[-1].decode()
foreign.need("obspy==1.5.1", "pymseed==1.0.1", "setuptools<81")
import obspy  # noqa: E402
import pymseed  # noqa: E402

samples = 0
worst = {}
for name in store.numbers:
    path = os.path.join(store.folder.name, "take.mseed")
    ran = subprocess.run([store.program, "--store", os.path.join(store.folder.name, "store"), "export",
                          store.numbers[name], "-o", path], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    said = re.search(r"differ by at most ([\d.]+) ms(?:, and by at most ([\d.]+) ms where)?", ran.stderr)
    # In nanoseconds; without a remark it is a microsecond, the format's step. A trace of joined records has a remark of its
    # own where it is a microsecond worse or more. Half a microsecond is for the readers' own arithmetic.
    stated = float(said.group(1)) * 1e6 if said else 1000
    in_record = stated + 500
    in_trace = (float(said.group(2)) * 1e6 if said and said.group(2) else stated + 1000) + 500
    rows = store.samples(name, "--units", "raw")
    start = store.facts(name)["started"]
    zero = obspy.UTCDateTime(start).ns if start else 0
    times = [row["t_ns"] + zero for row in rows]
    # Traces of ObsPy, which joins records.
    found = {}
    for trace in sorted(obspy.read(path), key=lambda trace: trace.stats.starttime.ns):
        key = CHANNELS[trace.stats.channel[1:]]
        values = found.setdefault(key, [])
        for place in range(len(trace.data)):
            # Whole numbers first: a time since 1970 as a floating-point number is off by up to 128 ns.
            away = trace.stats.starttime.ns - times[len(values) + place] + place * 1e9 / trace.stats.sampling_rate
            assert abs(away) <= in_trace, (name, key, len(values) + place, away, in_trace)
            worst[name] = max(worst.get(name, 0), abs(away))
        values += trace.data.tolist()
    assert set(found) == set(rows[0]) - {"t_ns"}, (name, set(found))
    for key, values in found.items():
        assert values == [row[key] for row in rows], (name, key)
    # Records of libmseed, another decoder.
    others = {}
    for record in pymseed.MS3Record.from_file(path, unpack_data=True):
        values = others.setdefault(CHANNELS[record.sourceid.replace("_", "")[-2:]], [])
        data = list(record.datasamples)
        for place in range(len(data)):
            away = record.starttime - times[len(values) + place] + place * 1e9 / record.samprate
            assert abs(away) <= in_record, (name, record.sourceid, len(values) + place, away, in_record)
        values.extend(data)
    assert found == others, name
    samples += len(rows)
    print("%s: a sample is %.3f ms from its place in a trace at most" % (name, worst[name] / 1e6))
print("%d recordings, %d samples are the same in ObsPy and libmseed" % (len(store.numbers), samples))

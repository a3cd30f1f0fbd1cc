#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads exported miniSEED with ObsPy and pymseed (libmseed), and compares counts and times with those of NDJSON.

    Tests/ForeignReaders/check_mseed.py [PROGRAM] [--also FOLDER]

PROGRAM is .build/release/imulog when not given; --also checks imports of the CSV files in a folder, too. Status 77: the
readers cannot be installed. Every count must be equal; times may differ by what the export itself reports.
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
    "import", table, "--accel-lsb-per-g", "8192", "--gyro-lsb-per-dps", "16.4").split()[-1].decode()
foreign.need("obspy==1.5.1", "pymseed==1.0.1", "setuptools<81")
import obspy  # noqa: E402
import pymseed  # noqa: E402

samples = 0
for name in store.numbers:
    path = os.path.join(store.folder.name, "take.mseed")
    ran = subprocess.run([store.program, "--store", os.path.join(store.folder.name, "store"), "export",
                          store.numbers[name], "-o", path], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    said = re.search(r"differ by at most ([\d.]+) ms", ran.stderr)
    # A microsecond is the format's step; a rate in single precision is that much beside itself after some seconds.
    room = (float(said.group(1)) / 1000 if said else 1e-6) + 6e-6
    rows = store.samples(name, "--units", "raw")
    start = store.facts(name)["started"]
    zero = obspy.UTCDateTime(start) if start else obspy.UTCDateTime(0)
    stream = obspy.read(path)
    found = {}
    for trace in sorted(stream, key=lambda trace: trace.stats.starttime.ns):
        key = CHANNELS[trace.stats.channel[1:]]
        values, times = found.setdefault(key, ([], []))
        values += trace.data.tolist()
        times.append((trace.stats.starttime - zero, len(trace.data)))
    assert set(found) == set(rows[0]) - {"t_ns"}, (name, set(found))
    for key, (values, parts) in found.items():
        assert values == [row[key] for row in rows], (name, key)
        first = 0
        for time, count in parts:
            assert abs(time - rows[first]["t_ns"] / 1e9) <= room, (name, key, first, time, rows[first]["t_ns"], room)
            first += count
    # libmseed, another decoder.
    others = {}
    for record in pymseed.MS3Record.from_file(path, unpack_data=True):
        others.setdefault(CHANNELS[record.sourceid.replace("_", "")[-2:]], []).extend(list(record.datasamples))
    assert {key: values for key, (values, _) in found.items()} == others, name
    samples += len(rows)
print("%d recordings, %d samples are the same in ObsPy and libmseed" % (len(store.numbers), samples))

# SPDX-License-Identifier: Apache-2.0
"""The recordings that sizes and speeds are measured on, in the forms that the measurements need."""

import csv
import math
import os
import pathlib
import shutil
import struct

from .common import Skip, run

AXES = ("ax", "ay", "az", "gx", "gy", "gz")
# Of the simulator, when no others are given: chip, motion, rate in hertz.
OWN = (("mpu6050", "tumble", 10), ("mpu6050", "tumble", 100), ("lsm6dso", "tumble", 400), ("mpu6050", "still", 100))
LIMIT = 20000


class Recording:
    """One recording: its counts as bytes for other coders, and its logs.

    `log` has all samples at the times of the file. `regular` has the first 20 000 at times without jitter, for
    comparison with coders that keep no times. Temperature is left out of both.
    """

    def __init__(self, name, rows, folder, imulog):
        self.name, self.count = name, len(rows)
        counts = [[int(row[axis]) for axis in AXES] for row in rows]
        times = [int(row["t_us"]) for row in rows]
        self.rows = list(zip(times, counts))
        self.payload = folder / f"{name}.raw"
        self.payload.write_bytes(b"".join(struct.pack("<6h", *row) for row in counts[:LIMIT]))
        self.csv = write_csv(folder / f"{name}.csv", times, counts)
        regular = write_csv(folder / f"{name}-regular.csv", range(0, 1000 * min(LIMIT, len(rows)), 1000), counts)
        self.log = imported(imulog, self.csv, folder / f"{name}-store")
        self.regular = imported(imulog, regular, folder / f"{name}-regular-store", "--rate", 1000)

    @property
    def regular_count(self):
        return min(LIMIT, self.count)

    def distance(self, rate):
        """How far its rate is from another one: the logarithm of their ratio."""
        (first, _), (last, _) = self.rows[0], self.rows[-1]
        return abs(math.log((self.count - 1) * 1e6 / max(last - first, 1) / rate))


def write_csv(path, times, counts):
    with open(path, "w") as file:
        file.write("t_us," + ",".join(AXES) + "\n")
        for time, row in zip(times, counts):
            file.write(f"{time},{','.join(map(str, row))}\n")
    return path


def imported(imulog, path, store, *options):
    """The log that importing a table of counts makes."""
    run(imulog, "--store", store, "import", "--units", "raw", "--anyway", *options, path)
    (log,) = store.glob("*.imulog")
    return log


def load(folder, imulog):
    """The recordings of the directory IMULOG_RECORDINGS, or our own, and a sentence that says which they are."""
    given = os.environ.get("IMULOG_RECORDINGS")
    if given:
        paths = sorted(pathlib.Path(given).glob("*.csv"))
        if not paths:
            raise Skip(f"IMULOG_RECORDINGS={given} has no CSV files; give a directory of tables t_us,ax,…,gz")
        says = f"{len(paths)} recordings of IMULOG_RECORDINGS: " + ", ".join(path.stem for path in paths)
    else:
        paths = [simulated(folder, imulog, *take) for take in OWN]
        says = "simulated takes (IMULOG_RECORDINGS is not set): " + ", ".join(path.stem for path in paths)
    recordings = []
    for path in paths:
        with open(path, newline="") as file:
            recordings.append(Recording(path.stem, list(csv.DictReader(file)), folder, imulog))
    return recordings, says


def simulated(folder, imulog, chip, motion, rate):
    """A table of counts of a simulated take of 6000 samples."""
    store = folder / "simulated"
    run(imulog, "--store", store, "record", "--board", "simulator", "--sensor", chip, "--motion", motion,
        "--virtual-time", "--rate", rate, "--for", f"{6000 / rate:g}s")
    path = folder / f"{chip}_{motion}_{rate}hz.csv"
    text = run(imulog, "--store", store, "export", "latest", "--format", "csv", "--units", "raw")
    lines = text.splitlines()
    rows = [line.split(",") for line in lines[1:]]
    write_csv(path, [int(row[0]) // 1000 for row in rows], [list(map(int, row[1:7])) for row in rows])
    shutil.rmtree(store)
    return path

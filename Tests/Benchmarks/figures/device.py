# SPDX-License-Identifier: Apache-2.0
"""Bytes that reach a block device, the file system's own included, against writers of text and of rows.

Each writer gets an ext4 of its own on a loop device and takes a minute of real time, with a sync each second. All
sectors are counted from a synced, empty file system to an unmounted one: data, journal and metadata. Blocks are of
4 KiB, as on any card; mkfs makes smaller ones on a disk as small as these. The values are those of the recording
whose rate is nearest.
"""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import threading
import time

from .common import Figure, Skip, run

RATES, SECONDS, MEGABYTES = (10, 100, 1000), 60, 256


class Disk:
    """A small ext4, freshly made."""

    def __init__(self, folder, name):
        self.image, self.place = folder / f"{name}.image", folder / f"{name}.mount"
        with open(self.image, "wb") as file:
            file.truncate(MEGABYTES << 20)
        run("mkfs.ext4", "-q", "-F", "-b", 4096, "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image)
        self.place.mkdir()
        self.device = run("losetup", "--find", "--show", self.image).strip()
        try:
            run("mount", "-o", "noatime", self.device, self.place)
        except Skip:
            run("losetup", "--detach", self.device)
            raise
        self.is_mounted = True
        os.sync()
        self.begin = self.written()

    def written(self):
        """Bytes written to the device since it was attached."""
        stat = pathlib.Path("/sys/block", pathlib.Path(self.device).name, "stat")
        return 512 * int(stat.read_text().split()[6])

    def unmount(self):
        if self.is_mounted:
            run("umount", self.place)
            self.is_mounted = False

    def close(self):
        self.unmount()
        run("losetup", "--detach", self.device)
        self.image.unlink()


def ours(bench, disk, rate, rows):
    motion = bench.folder / f"motion-{rate}.csv"
    with open(motion, "w") as file:
        file.write("t_us,ax,ay,az,gx,gy,gz\n")
        for index, row in enumerate(rows):
            file.write(f"{index * 1_000_000 // rate},{','.join(map(str, row))}\n")
    run(bench.imulog, "--store", disk.place / "recordings", "record", "--board", "simulator", "--rate", rate, "--for",
        f"{SECONDS}s", "--sync-every", "1s", "--motion", motion)


def each_second(rows, rate, write):
    """Calls `write` with the rows of each second when it is over."""
    begin = time.monotonic()
    for second in range(SECONDS):
        time.sleep(max(0, begin + second + 1 - time.monotonic()))
        first = second * rate
        write([(index * 1_000_000 // rate, *rows[index]) for index in range(first, first + rate)])


def text(bench, disk, rate, rows):
    file = os.open(disk.place / "take.csv", os.O_WRONLY | os.O_CREAT)
    def write(part):
        os.write(file, "".join(",".join(map(str, row)) + "\n" for row in part).encode())
        os.fdatasync(file)
    each_second(rows, rate, write)
    os.fsync(file)
    os.close(file)


def database(bench, disk, rate, rows):
    base = sqlite3.connect(disk.place / "take.db", check_same_thread=False, isolation_level=None)
    base.execute("pragma journal_mode=wal")
    base.execute("pragma synchronous=full")
    base.execute("create table samples (t integer primary key, ax, ay, az, gx, gy, gz)")
    def write(part):
        base.execute("begin")
        base.executemany("insert into samples values (?,?,?,?,?,?,?)", part)
        base.execute("commit")
    each_second(rows, rate, write)
    base.close()


WRITERS = {"imulog": ours, "csv": text, "sqlite": database}


def device(bench):
    if os.geteuid() != 0:
        raise Skip("mounting needs root")
    for tool in ("mkfs.ext4", "losetup", "mount"):
        if not shutil.which(tool):
            raise Skip(f"{tool} is not installed")
    sources = {rate: min(bench.recordings, key=lambda recording: recording.distance(rate)) for rate in RATES}
    disks, failures = {}, []

    def work(name, rate):
        counts = [row for _, row in sources[rate].rows]
        rows = [counts[index % len(counts)] for index in range(SECONDS * rate)]
        try:
            WRITERS[name](bench, disks[name, rate], rate, rows)
        except (Skip, OSError, sqlite3.Error) as error:
            failures.append(f"{name} at {rate} Hz: {error}")

    try:
        for name in WRITERS:
            for rate in RATES:
                disks[name, rate] = Disk(bench.folder, f"{name}-{rate}")
        threads = [threading.Thread(target=work, args=key) for key in disks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise Skip("; ".join(failures))
        bytes_a_sample = {}
        for (name, rate), disk in disks.items():
            disk.unmount()
            bytes_a_sample[name, rate] = (disk.written() - disk.begin) / (SECONDS * rate)
    finally:
        for disk in disks.values():
            disk.close()
    return [line(rate, sources[rate].name, *(bytes_a_sample[name, rate] for name in WRITERS)) for rate in RATES]


def line(rate, motion, imulog, csv, sqlite):
    return Figure(
        f"device-{rate}", f"device bytes a sample at {rate} Hz, sync each second ÷ CSV with fdatasync", f"{imulog:.1f} B",
        imulog / csv, f"{csv:.1f} B",
        f"{SECONDS} s of {motion}; SQLite in WAL, synchronous=full: {sqlite:.1f} B, ratio {imulog / sqlite:.3f}")

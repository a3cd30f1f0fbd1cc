# SPDX-License-Identifier: Apache-2.0
"""How late the sampler wakes, against cyclictest; both hold the processors awake."""

import json
import re
import shutil
import statistics
import subprocess

from .common import Figure, Skip, interleaved, median_ratio, run

PRIORITY, INTERVAL, SECONDS = 80, 1000, 4


def cyclictest():
    """Its median lateness and 99th percentile in microseconds, from its histogram in nanoseconds."""
    done = subprocess.run(
        ["cyclictest", "-q", "-m", "-N", "-t1", f"-p{PRIORITY}", f"-i{INTERVAL}", f"-l{SECONDS * 10**6 // INTERVAL}",
         "-h1000000"], capture_output=True, text=True)
    bins = [(int(late), int(count)) for late, count in re.findall(r"^(\d+)\s+(\d+)$", done.stdout, re.MULTILINE)]
    if done.returncode != 0 or not bins:
        raise Skip(f"cyclictest failed: {(done.stderr or done.stdout).strip()[-200:]}")
    return percentile(bins, 50), percentile(bins, 99)


def percentile(bins, percent):
    """In microseconds."""
    total, seen = sum(count for _, count in bins), 0
    for late, count in bins:
        seen += count
        if 100 * seen >= percent * total > 0:
            return late / 1000
    raise Skip(f"cyclictest's {percent}th percentile is beyond a millisecond: the machine is too busy")


def imulog(bench):
    """The same of a recording of the simulator in real time, as it reports them, in microseconds."""
    done = subprocess.run(
        [str(bench.imulog), "--store", str(bench.folder / "wake"), "record", "--board", "simulator", "--rate",
         str(10**6 // INTERVAL), "--for", f"{SECONDS}s", "--json"], capture_output=True, text=True)
    if "not permitted" in done.stderr or done.returncode != 0:
        raise Skip(f"no real-time class here: {done.stderr.strip()}")
    # cyclictest holds /dev/cpu_dma_latency too: where the program may not, they are not alike.
    if "holding wake-ups" in done.stderr:
        raise Skip(f"no right to hold the processors awake here: {done.stderr.strip()}")
    lateness = json.loads(done.stdout)["lateness"]
    return lateness["median_ns"] / 1000, lateness["p99_ns"] / 1000


def wake(bench):
    if not shutil.which("cyclictest"):
        raise Skip("cyclictest is not installed; apt-get install rt-tests")
    pairs = interleaved(max(5, bench.rounds), lambda: imulog(bench), cyclictest)
    figures = []
    for key, name, index in (("wake", "median", 0), ("wake-99", "99th percentile", 1)):
        ours, peer = ([figure[index] for figure in side] for side in pairs)
        rounds = ", ".join(f"{a:.1f}/{b:.1f}" for a, b in zip(ours, peer))
        figures.append(Figure(
            key, f"wake-up lateness, {name}, FIFO {PRIORITY}, each {INTERVAL} µs ÷ cyclictest",
            f"{statistics.median(ours):.1f} µs", median_ratio(ours, peer), f"{statistics.median(peer):.1f} µs",
            f"rounds {rounds} µs"))
    return figures

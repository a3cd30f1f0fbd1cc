"""How late the sampler wakes, against cyclictest."""

import json
import re
import shutil
import statistics
import subprocess

from .common import Figure, Skip, interleaved, median_ratio, run

PRIORITY, INTERVAL, SECONDS = 80, 1000, 4


def cyclictest():
    """Its median lateness in microseconds, from its histogram in nanoseconds."""
    done = subprocess.run(
        ["cyclictest", "-q", "-m", "-N", "-t1", f"-p{PRIORITY}", f"-i{INTERVAL}", f"-l{SECONDS * 10**6 // INTERVAL}",
         "-h1000000"], capture_output=True, text=True)
    bins = [(int(late), int(count)) for late, count in re.findall(r"^(\d+)\s+(\d+)$", done.stdout, re.MULTILINE)]
    total = sum(count for _, count in bins)
    if done.returncode != 0 or total == 0:
        raise Skip(f"cyclictest failed: {(done.stderr or done.stdout).strip()[-200:]}")
    seen = 0
    for late, count in bins:
        seen += count
        if 2 * seen >= total:
            return late / 1000
    raise Skip("cyclictest's median is beyond a millisecond: the machine is too busy")


def imulog(bench):
    """The median of the lateness that a recording of the simulator in real time reports, in microseconds."""
    done = subprocess.run(
        [str(bench.imulog), "--store", str(bench.folder / "wake"), "record", "--board", "simulator", "--rate",
         str(10**6 // INTERVAL), "--for", f"{SECONDS}s", "--json"], capture_output=True, text=True)
    if "not permitted" in done.stderr or done.returncode != 0:
        raise Skip(f"no real-time class here: {done.stderr.strip()}")
    return json.loads(done.stdout)["lateness_ns"]["median"] / 1000


def wake(bench):
    if not shutil.which("cyclictest"):
        raise Skip("cyclictest is not installed; apt-get install rt-tests")
    ours, peer = interleaved(max(5, bench.rounds), lambda: imulog(bench), cyclictest)
    pairs = ", ".join(f"{a:.1f}/{b:.1f}" for a, b in zip(ours, peer))
    return [Figure(
        "wake", f"wake-up lateness, median, FIFO {PRIORITY}, each {INTERVAL} µs ÷ cyclictest",
        f"{statistics.median(ours):.1f} µs", median_ratio(ours, peer), f"{statistics.median(peer):.1f} µs",
        f"rounds {pairs} µs")]

# SPDX-License-Identifier: Apache-2.0
"""A hub over a thousand machines: an idle round, machines that are dead, the first round's files."""

import concurrent.futures
import glob
import os
import pathlib
import statistics
import subprocess
import time

from .common import Figure, Skip, run, si

HOSTS = 1000
RECORDINGS = 10
# Of a long recording whose files are made.
SAMPLES = 3_000_000

# The far end without SSH; a dead machine never answers.
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
machine=$2
shift 2
case $machine in dead-*) exec sleep 600 ;; esac
export SSH_ORIGINAL_COMMAND="$*"
exec %s --store %s/$machine serve --log /dev/null
"""


def record(bench, store, rate, span):
    run(bench.imulog, "--store", store, "record", "--board", "simulator", "--virtual-time", "--motion", "tumble",
        "--rate", rate, "--for", span)


def machines(bench, folder, names):
    def fill(name):
        for _ in range(RECORDINGS):
            record(bench, folder / name, 100, "2s")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, names))


def watched(bench, folder, hub, hosts, *more):
    """Seconds of a round, the most KiB that it holds, the most descriptors, and its status."""
    file = folder / f"{hub}.hosts"
    file.write_text("".join(f"{name}\n" for name in hosts))
    begin, size, files = time.monotonic(), 0, 0
    process = subprocess.Popen(
        [str(bench.imulog), "hub", str(folder / hub), "--hosts", str(file), *more], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "IMULOG_SSH": str(folder / "ssh")})
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            files = max(files, len(os.listdir(f"/proc/{process.pid}/fd")))
        except OSError:
            continue
        size = max([size, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))])
        time.sleep(0.005)
    return time.monotonic() - begin, size, files, process.returncode


def rounds(bench, folder):
    names = [f"m{index:04}" for index in range(HOSTS)]
    machines(bench, folder, names)
    few = names[:HOSTS // 10]
    for hub, hosts in (("all", names), ("few", few)):
        seconds, size, _, status = watched(bench, folder, hub, hosts)
        if status != 0:
            raise Skip(f"the first round ends with {status}")
        if hub == "all":
            first = f"the first round, of {HOSTS * RECORDINGS} recordings: {seconds:.1f} s, {size} KiB"
    dead = names[:-HOSTS // 100] + [f"dead-{index}" for index in range(HOSTS // 100)]
    idle, flat, late, sizes, most = [], [], [], [], []
    for _ in range(min(3, bench.rounds)):
        seconds, size, files, status = watched(bench, folder, "all", names)
        if status != 0:
            raise Skip(f"an idle round ends with {status}")
        tenth = watched(bench, folder, "few", few)[0]
        slow = watched(bench, folder, "all", dead, "--timeout", "5s")[0]
        idle.append(seconds)
        flat.append(seconds / tenth / 10)
        late.append(slow - seconds)
        sizes.append(size)
        most.append(files)
    return [
        Figure("fleet-idle", f"an idle round of a hub over {HOSTS} hosts, without SSH, in s",
               f"{statistics.median(idle):.1f} s", statistics.median(idle), note=f"the far ends included; {first}"),
        Figure("fleet-flat", f"of it a host's part ÷ that of {HOSTS // 10} hosts", f"{statistics.median(flat):.2f}",
               statistics.median(flat)),
        Figure("fleet-dead", f"seconds more with {HOSTS // 100} of them dead, `--timeout 5s`",
               f"{statistics.median(late):.1f} s", statistics.median(late)),
        Figure("fleet-memory", "peak memory of an idle round, in KiB", f"{max(sizes)} KiB", max(sizes)),
        Figure("fleet-files", "most descriptors of an idle round", f"{max(most)}", max(most)),
    ]


def files(bench, folder):
    """What a hub makes of a long recording."""
    record(bench, folder / "long", 1000, f"{SAMPLES // 1000}s")
    seconds, size, _, status = watched(bench, folder, "one", ["long"])
    if status != 0:
        raise Skip(f"the round of a long recording ends with {status}")
    (log,) = glob.glob(str(folder / "long" / "*.imulog"))

    def parts(table):
        pattern = str(folder / "one" / table / "**" / "*.parquet")
        return sum(os.path.getsize(path) for path in glob.glob(pattern, recursive=True))

    share = parts("samples") / os.path.getsize(log)
    return [
        Figure("fleet-samples", "a hub's first round of a long recording: fetched, proved, samples and features",
               si(SAMPLES / seconds, "samples/s"), SAMPLES / seconds,
               note=f"{SAMPLES} samples at 1000 Hz in {seconds:.2f} s, {size} KiB"),
        Figure("fleet-size", "samples in Parquet ÷ the log, bytes", f"{share:.3f}", share,
               note=f"features ÷ the log {parts('features') / os.path.getsize(log):.3f}"),
    ]


def fleet(bench):
    folder = bench.folder / "fleet"
    folder.mkdir()
    script = folder / "ssh"
    script.write_text(SSH % (bench.imulog, folder))
    script.chmod(0o755)
    return [*rounds(bench, folder), *files(bench, folder)]

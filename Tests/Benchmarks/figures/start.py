# SPDX-License-Identifier: Apache-2.0
"""Processor time and wall time of a short command, against an interpreter that does nothing."""

import os
import pathlib
import statistics
import sys
import time

from .common import Figure, median_ratio, run

PAIRS = 40


def spawn(*command):
    """Seconds of processor time and of wall time that a program takes, start and end included."""
    silent = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_WRONLY, 0) for number in (1, 2)]
    begin = time.monotonic()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, usage = os.wait4(process, 0)
    wall = time.monotonic() - begin
    assert status == 0, command
    return usage.ru_utime + usage.ru_stime, wall


def start(bench):
    store = bench.folder / "ten"
    for _ in range(10):
        run(bench.imulog, "--store", store, "record", "--board", "simulator", "--virtual-time")
    # Not a wrapper script that chooses among interpreters.
    system = pathlib.Path("/usr/bin/python3")
    python = str(system if system.exists() else pathlib.Path(sys.executable).resolve())
    ours, peer = [], []
    for _ in range(PAIRS * bench.rounds):
        ours.append(spawn(str(bench.imulog), "--store", str(store), "list"))
        peer.append(spawn(python, "-c", "pass"))
    version = run(python, "--version").strip()
    figures = []
    for index, (key, name) in enumerate((("start", "processor time"), ("start-wall", "wall time"))):
        mine, theirs = ([pair[index] for pair in pairs] for pairs in (ours, peer))
        figures.append(Figure(
            key, f"`imulog list` of ten recordings ÷ `python3 -c pass`, {name}", f"{statistics.median(mine) * 1e3:.2f} ms",
            median_ratio(mine, theirs), f"{statistics.median(theirs) * 1e3:.2f} ms", version))
    return figures

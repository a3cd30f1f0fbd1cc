# SPDX-License-Identifier: Apache-2.0
"""Instructions of a push and a pop, against the same ring in C."""

import re
import shutil
import subprocess

from .common import Figure, Skip, run

PAIRS = 200_000


def ring(bench):
    count, tool = counter(bench)
    ours, peer = (slope(count, name) for name in ("ring", "ring-c"))
    return [Figure(
        "ring", "ring, push and pop of a record, instructions ÷ the same in C", f"{ours:.2f}", ours / peer,
        f"{peer:.2f}", f"by {tool}; building the record and adding up its fields included on both sides")]


def slope(count, name):
    """Instructions a pair, without what the program costs besides."""
    return (count(name, 2 * PAIRS) - count(name, PAIRS)) / PAIRS


def counter(bench):
    """A function that counts the instructions of a run, and its name."""
    if shutil.which("perf"):
        def by_perf(*arguments):
            done = subprocess.run(
                ["perf", "stat", "-x", ",", "-e", "instructions:u", str(bench.program), *map(str, arguments)],
                capture_output=True, text=True)
            found = re.search(r"^(\d+),", done.stderr, re.MULTILINE)
            return int(found[1]) if found else None
        if by_perf("ring", PAIRS):
            return by_perf, "perf"
    if not shutil.which("valgrind"):
        raise Skip("perf counts no instructions here and valgrind is not installed; apt-get install valgrind")
    # Without debug information, which valgrind may be too old for.
    stripped = bench.folder / "benchmarks-stripped"
    run("strip", "-o", stripped, bench.program)

    def by_valgrind(*arguments):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(stripped), *map(str, arguments)],
            capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if not found:
            raise Skip(f"valgrind failed: {done.stderr.strip().splitlines()[-1:]}")
        return int(found[1])
    return by_valgrind, "valgrind"

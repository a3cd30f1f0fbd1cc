# SPDX-License-Identifier: Apache-2.0
"""Samples a second on one core, by processor time, over all recordings."""

import json
import statistics
import subprocess
import sys
import venv

from .common import Figure, Skip, interleaved, median_ratio, run, si

# Reads the rows of a log's NDJSON, and prints samples and the nanoseconds that orjson needs to write them again.
ORJSON = """
import orjson, sys, time
rows = [[orjson.loads(line) for line in open(path, "rb")] for path in sys.argv[1:]]
samples = spent = 0
for row in rows: orjson.dumps(row)
while spent < 500_000_000:
    for row in rows:
        begin = time.thread_time_ns()
        orjson.dumps(row)
        spent += time.thread_time_ns() - begin
        samples += len(row)
print(f'{{"samples":{samples},"nanoseconds":{spent}}}')
"""


def rate(output):
    measured = json.loads(output)
    return measured["samples"] / measured["nanoseconds"] * 1e9


def logs(bench):
    return [recording.log for recording in bench.recordings]


def alone(bench, key, what):
    (rates,) = interleaved(bench.rounds, lambda: rate(run(bench.program, key, *logs(bench))))
    middle = statistics.median(rates)
    return [Figure(key, what, si(middle, "samples/s"), middle, note=f"{si(min(rates), '')} to {si(max(rates), '')}")]


def encode(bench):
    return alone(bench, "encode", "encode, one core")


def decode(bench):
    return alone(bench, "decode", "decode and check, one core")


def python_with_orjson(bench):
    """A Python that has orjson: the newest, in an environment beside the build, else what is installed."""
    python = bench.build / "python/bin/python"
    try:
        run(python, "-c", "import orjson")
        return python
    except (Skip, OSError):
        pass
    try:
        venv.create(bench.build / "python", with_pip=True)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "orjson")
        return python
    except (Skip, OSError, subprocess.CalledProcessError):
        pass
    try:
        run(sys.executable, "-c", "import orjson")
        return sys.executable
    except Skip as reason:
        raise Skip(f"orjson is not installed and pip cannot install it: {reason}")


def ndjson(bench):
    python = python_with_orjson(bench)
    texts = []
    for recording in bench.recordings:
        texts.append(bench.folder / f"{recording.name}.ndjson")
        run(bench.imulog, "--store", recording.log.parent, "export", "latest", "--format", "ndjson", "--units", "raw",
            "-o", texts[-1])
    ours, peer = interleaved(
        bench.rounds, lambda: rate(run(bench.program, "ndjson", *logs(bench))),
        lambda: rate(run(python, "-c", ORJSON, *texts)))
    version = run(python, "-c", "import orjson; print(orjson.__version__)").strip()
    return [Figure(
        "ndjson", "log to NDJSON of counts ÷ orjson.dumps of ready dicts", si(statistics.median(ours), "samples/s"),
        median_ratio(ours, peer), si(statistics.median(peer), "samples/s"), f"orjson {version}")]

# SPDX-License-Identifier: Apache-2.0
"""What `analyze` costs of a long recording."""

import statistics

from .chip import peak
from .common import Figure, run
from .start import spawn

SAMPLES = 10_000_000


def analyze(bench):
    store = bench.folder / "analyze"
    run(bench.imulog, "--store", store, "record", "--board", "simulator", "--virtual-time", "--motion", "tumble",
        "--rate", 1000, "--for", f"{SAMPLES // 1000}s")
    words = [str(bench.imulog), "--store", str(store), "analyze", "latest"]
    seconds = statistics.median(spawn(*words)[1] for _ in range(min(3, bench.rounds)))
    size = peak(words)
    return [
        Figure("analyze-time", f"`analyze` of {SAMPLES // 1_000_000} million samples, in s", f"{seconds:.2f} s", seconds),
        Figure("analyze-memory", "peak memory of it, in KiB", f"{size} KiB", size),
    ]

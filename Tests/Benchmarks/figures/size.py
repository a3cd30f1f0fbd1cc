# SPDX-License-Identifier: Apache-2.0
"""Bytes: the log against FLAC and against plain samples, and what small flushes cost."""

import json
import math
import shutil
import statistics

from .common import Figure, Skip, run

BLOCKS = (256, 576, 1024)


def flac_size(recording, folder):
    """The smallest of FLAC's files at level 8; six channels of 16 bits and no times."""
    sizes = []
    for block in BLOCKS:
        coded = folder / "peer.flac"
        run("flac", "-8", "--lax", "-b", block, "--no-padding", "--no-seektable", "--force-raw-format",
            "--endian=little", "--sign=signed", "--channels=6", "--bps=16", "--sample-rate=8000", "-f", "-s", "-o",
            coded, recording.payload)
        sizes.append(coded.stat().st_size)
    return min(sizes)


def against_flac(bench):
    if not shutil.which("flac"):
        raise Skip("flac is not installed; apt-get install flac")
    lines, logs = [], []
    for recording in bench.recordings:
        ours, peer = recording.regular.stat().st_size, flac_size(recording, bench.folder)
        logs.append((recording, ours / recording.regular_count, peer / recording.regular_count, ours / peer))
        lines.append(f"{recording.name} {ours / peer:.3f}")
    ratio = math.exp(statistics.mean(math.log(log[3]) for log in logs))
    return [Figure(
        "flac", "payload ÷ FLAC-8, whole files, geometric mean", f"{statistics.mean(log[1] for log in logs):.3f} B",
        ratio, f"{statistics.mean(log[2] for log in logs):.3f} B", ", ".join(lines))]


def against_plain(bench):
    sizes = [(recording.name, recording.log.stat().st_size / recording.count) for recording in bench.recordings]
    mean = statistics.mean(size for _, size in sizes)
    return [Figure(
        "log", "whole log, times included ÷ 20 B a sample, mean", f"{mean:.3f} B", mean / 20, "20 B",
        ", ".join(f"{name} {size / 20:.3f}" for name, size in sizes))]


def of_flushes(bench):
    logs = json.loads(run(bench.program, "flush", *(recording.regular for recording in bench.recordings)))
    sizes = [log["bytes"] / log["samples"] for log in logs]
    names = [recording.name for recording in bench.recordings]
    return [Figure(
        "flush", "bytes a sample when each 10 are flushed, mean", f"{statistics.mean(sizes):.3f} B",
        statistics.mean(sizes), note=", ".join(f"{name} {size:.2f}" for name, size in zip(names, sizes)))]

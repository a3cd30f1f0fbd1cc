# SPDX-License-Identifier: Apache-2.0
"""Loggers that the torture test can run, each described by a file of a few lines in ../loggers or anywhere else.

Such a file begins with the logger's name, as its documentation string, and has

    command     what starts it in the guest, to record 100 samples a second from the MPU-6050's kind on bus 0 at ±8 g and
                ±1000 °/s until SIGINT; {chip} is the chip, {folder} a folder of its own on the card, and the working
                directory; its output goes to `log`, and errors to `errors`
    read        optional: what a user finds in a copy of that folder: rows, and the losses that it names; else `log` is
                read as lines of `time ax ay az gx gy gz`, in seconds, g and °/s, in which one without values names a loss
    clock       optional: the clock of its times, "realtime" or "monotonic"; else the first
    before      optional: commands that prepare the guest; and `after`, that clean up
    wires       optional: the chip's outputs and lines, such as ("route {chip} int 22",)
    scale       optional: g and °/s a count as the logger has them at these ranges; else the data sheet's

In the guest, this folder's `programs` are in /host; one of them runs those of others.
"""

from __future__ import annotations

import json
import runpy
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from math import inf, isfinite, nan
from pathlib import Path

FOLDER, RIVAL = Path(__file__).parents[1] / "loggers", "/host/programs/rival "
SHEET = 1 / 4096, 1 / 32.8


@dataclass(frozen=True)
class Row:
    """A sample in a log: nanoseconds by the logger's clock; g and degrees a second."""

    time: int
    values: tuple[float, ...]


@dataclass(frozen=True)
class Loss:
    """Samples that a log says are missing, between two times."""

    first: int
    last: int
    count: float


Log = tuple[list[Row], list[Loss]]


def number(word: str) -> float:
    """A decimal number, or one such as 0x7f; NaN for another word, as a power cut leaves them."""
    with suppress(ValueError):
        return float(word)
    with suppress(ValueError):
        return int(word, 0)
    return nan


def lines(path: Path) -> Iterator[tuple[int, list[float]]]:
    """Lines that begin with seconds: nanoseconds, and the other words; all other lines are talk."""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        first, *others = map(number, line.replace(",", " ").split() or [""])
        if isfinite(first):
            yield round(first * 1e9), others


def read_lines(folder: Path, program: Path) -> Log:
    """Rows of text."""
    rows, losses = [], []
    for time, values in lines(folder / "log"):
        is_whole = len(values) == 6 and all(map(isfinite, values))
        rows.append(Row(time, tuple(values))) if is_whole else losses.append(Loss(time, time, 1))
    return rows, losses


def exported(folder: Path, program: Path) -> Log:
    """The latest recording of imulog; its gaps, and a missing end, are what it names."""
    command = [str(program), "--store", str(folder), "export", "latest", "--units", "g-dps"]
    document = json.loads(subprocess.run(command, capture_output=True, text=True).stdout or '{"samples": []}')
    if len(document["samples"]) < 2:
        return [], []
    start, axes = document["origin"]["monotonic_ns"], ("ax", "ay", "az", "gx", "gy", "gz")
    rows = [Row(start + sample["t_ns"], tuple(sample[axis] for axis in axes)) for sample in document["samples"]]
    period = 1e9 / ((document.get("chipTimes") or {}).get("mean_hz") or document["rate_hz"])
    gaps = [(start + gap["t_ns"], gap["count"]) for gap in document["gaps"]]
    losses = [Loss(first, first + int(count * period), count) for first, count in gaps]
    if not document["complete"]:
        losses.append(Loss(rows[-1].time, 1 << 63, inf))
    return rows, losses


@dataclass(frozen=True)
class Logger:
    """What a file says."""

    name: str
    command: str
    read: Callable[[Path, Path], Log] = read_lines
    clock: str = "realtime"
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    wires: tuple[str, ...] = ()
    scale: tuple[float, float] = SHEET


def load(path: Path) -> Logger:
    """Reads a file."""
    said = runpy.run_path(str(path))
    return Logger(said["__doc__"].strip(), **{each.name: said[each.name] for each in fields(Logger)[1:] if each.name in said})

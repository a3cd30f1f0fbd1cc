# SPDX-License-Identifier: Apache-2.0
"""The truth file: every sample that a chip made, and everything that was done to it. Text, one line each:

    sample CHIP NUMBER T_NS G_PER_COUNT DPS_PER_COUNT STATE AX AY AZ GX GY GZ TEMP
    event T_NS WORDS...

T_NS is the host's monotonic clock. NUMBER never repeats for a chip, not after a reset either. STATE is `settled`, or
`settling` while the chip's data sheet does not promise its values, as after power-up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TextIO

from .signal import Counts, Scale

BATCH = 500
"""Lines that are written at once."""


class TruthWriter:
    """Writes to the file that is open, or nowhere: between scenarios nothing is recorded.

    A thread does the writing, because a disk that is busy holds a write up for as much as a second, and the chips
    cannot wait that long.
    """

    def __init__(self) -> None:
        self._thread: Thread | None = None

    def open(self, path: str) -> None:
        """Begins a file."""
        self.close()
        file = open(path, "w", encoding="ascii")
        self._lines: list[str] = []
        self._batches: SimpleQueue[str | None] = SimpleQueue()
        self._error: OSError | None = None
        self._thread = Thread(target=self._write, args=(file,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the file; it is complete on return."""
        if self._thread:
            self._hand_over()
            self._batches.put(None)
            self._thread.join()
            self._thread = None
            if self._error:
                raise self._error

    def _write(self, file: TextIO) -> None:
        try:
            with file:
                while (batch := self._batches.get()) is not None:
                    file.write(batch)
        except OSError as error:
            self._error = error

    def _hand_over(self) -> None:
        self._batches.put("".join(self._lines))
        self._lines = []

    def _line(self, line: str) -> None:
        self._lines.append(line)
        if len(self._lines) >= BATCH:
            self._hand_over()

    def sample(self, chip: str, number: int, time: int, scale: Scale, settled: bool, counts: Counts) -> None:
        """A chip put a sample into its output registers."""
        if self._thread:
            state = "settled" if settled else "settling"
            self._line(
                f"sample {chip} {number} {time} {scale.g_per_count!r} {scale.dps_per_count!r} {state}"
                f" {' '.join(map(str, counts))}\n")

    def event(self, time: int, words: str) -> None:
        """Something was done to the bus or to a chip."""
        if self._thread:
            self._line(f"event {time} {words}\n")


@dataclass(frozen=True)
class TrueSample:
    """A sample that a chip made."""

    number: int
    time: int
    scale: Scale
    settled: bool
    counts: Counts


@dataclass
class Truth:
    """A truth file that was read: samples by chip, in order; events in order."""

    samples: dict[str, list[TrueSample]] = field(default_factory=dict)
    events: list[tuple[int, str]] = field(default_factory=list)

    def time_of(self, words: str) -> int:
        """The time of the first event whose words begin so."""
        for time, text in self.events:
            if text.startswith(words):
                return time
        raise ValueError(f"the truth file has no event '{words}'; events: {[text for _, text in self.events]}")


def read_truth(path: Path) -> Truth:
    """Reads a truth file, and refuses one that is damaged."""
    truth = Truth()
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split()
            if words[:1] == ["event"] and len(words) > 2:
                truth.events.append((int(words[1]), " ".join(words[2:])))
            elif words[:1] == ["sample"] and len(words) == 14:
                sample = TrueSample(
                    int(words[2]), int(words[3]), Scale(float(words[4]), float(words[5])), words[6] == "settled",
                    Counts(*map(int, words[7:])))
                truth.samples.setdefault(words[1], []).append(sample)
            else:
                raise ValueError(f"{path}:{number}: not a line of a truth file: {line.strip()!r}")
    return truth

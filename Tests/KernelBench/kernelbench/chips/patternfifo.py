# SPDX-License-Identifier: Apache-2.0
"""The FIFO of the LSM6DSL and LSM6DS3TR-C (DocID030071, AN5130 chapter 8): 16-bit words without any mark, in data sets of
three. Which sets a time slot has follows from their decimation, so that the words repeat a pattern:

    gyroscope at 208 Hz, accelerometer at 104 Hz      slot 1: G A   slot 2: G   slot 3: G A   ...
    index of the next word in the pattern             0 1 2 3 4 5   6 7 8       0 1 2 3 4 5

In continuous mode new words take the place of the oldest ones when the FIFO is full. From then until a word is read a flag
says so, and the count of words reads 0. When it is empty, what is read is not defined; here it is all ones.
"""

from __future__ import annotations

from collections import deque
from math import lcm

from .taggedfifo import (
    ACCELEROMETER, BYPASS, FULL, GYROSCOPE, OVERRUN, STOPS_WHEN_FULL, TIMESTAMP, WATERMARK, WORD_TIME)

SIZE = 2048
"""Words."""
EMPTY = 0x10
DECIMATIONS = (0, 1, 2, 3, 4, 8, 16, 32)
STOP_ON_WATERMARK = 0x80
"""Of FIFO_CTRL4."""


class PatternFIFO:
    """Words in the order of their making."""

    def __init__(self) -> None:
        self._words: deque[tuple[int, bytes]] = deque()
        self.configure(bytes(5))

    def configure(self, control: bytes) -> None:
        """FIFO_CTRL1 to 5 have new values."""
        self._watermark = (control[0] | control[1] << 8) & (SIZE - 1)
        self._depth = self._watermark if control[3] & STOP_ON_WATERMARK and self._watermark else SIZE
        decimations = {
            GYROSCOPE: DECIMATIONS[control[2] >> 3 & 7], ACCELEROMETER: DECIMATIONS[control[2] & 7],
            TIMESTAMP: DECIMATIONS[control[3] >> 3 & 7] if control[1] & 0x80 else 0}
        self._decimations = {tag: every for tag, every in decimations.items() if every}
        period = lcm(*self._decimations.values())
        self._pattern = sum(3 * period // every for every in self._decimations.values())
        self._code = control[4] >> 3 & 0x0F
        self._mode = control[4] & 7
        if self._mode == BYPASS:
            self._words.clear()
            self._slots, self._index, self._is_overrun = 0, 0, False

    def due(self, tick: int, fastest: int) -> list[int]:
        """The data sets that a tick of the faster sensor's rate puts in. Rates are codes; each doubles the one below."""
        if self._mode == BYPASS or not self._code or tick % (1 << (fastest - min(self._code, fastest))) != 0:
            return []
        return [tag for tag, every in self._decimations.items() if self._slots % every == 0]

    def put(self, sets: list[tuple[int, bytes]], time: int) -> bool:
        """A slot of data sets of which the first one is there at `time`; whether words are lost to it for the first time."""
        was_overrun = self._is_overrun
        for place, (_, data) in enumerate(sets):
            for at in range(0, 6, 2):
                if len(self._words) >= self._depth:
                    if self._mode == STOPS_WHEN_FULL or self._depth < SIZE:
                        continue
                    self._words.popleft()
                    self._index += 1
                    self._is_overrun = True
                self._words.append((time + place * WORD_TIME, data[at : at + 2]))
        self._slots += 1
        return self._is_overrun and not was_overrun

    def _there(self, now: int) -> int:
        count = len(self._words)
        while count and self._words[count - 1][0] > now:
            count -= 1
        return count

    def count(self, now: int) -> int:
        """The words that the status registers say are there."""
        return 0 if self._is_overrun else self._there(now) & (SIZE - 1)

    def index(self) -> int:
        """The place of the next word in the pattern."""
        return self._index % self._pattern if self._pattern else 0

    def flags(self, now: int) -> int:
        """The flags of FIFO_STATUS2."""
        count = self._there(now)
        flags = WATERMARK if 0 < self._watermark <= count else 0
        if self._is_overrun:
            flags |= OVERRUN
        if count >= SIZE - 3:
            flags |= FULL
        return flags if count else flags | EMPTY

    def watermark_time(self) -> int | None:
        """When the watermark was or will be reached by the words that were put in; `None` when it is not."""
        if not 0 < self._watermark <= len(self._words):
            return None
        return self._words[self._watermark - 1][0]

    def low(self, now: int) -> int:
        """The lower byte of the oldest word."""
        return self._words[0][1][0] if self._there(now) else 0xFF

    def take_high(self, now: int) -> int:
        """Takes the oldest word out: its upper byte."""
        if not self._there(now):
            return 0xFF
        self._is_overrun = False
        self._index += 1
        return self._words.popleft()[1][1]

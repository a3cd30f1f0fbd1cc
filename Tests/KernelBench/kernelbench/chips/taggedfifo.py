# SPDX-License-Identifier: Apache-2.0
"""The FIFO of the LSM6DSO and LSM6DSV (DS12140, FIFO_CTRL1 to 4, FIFO_STATUS1 and 2, FIFO_DATA_OUT): words of six bytes, each
with a tag that says what it is and, by a count of two bits, to which time slot it belongs.

    slot    TS G A   TS G A   TS G A          one word comes after the other, WORD_TIME apart; the truth file has the time
    count   0 0 0    1 1 1    2 2 2           of the last one

In continuous mode a word that comes when the FIFO is full takes the place of the oldest word, and two flags say so, also
when STOP_ON_WTM limits its size, as AN5130 (figure 35) has it of the predecessors; the LSM6DSL's FIFO here then stops. The
data sheet promises nothing for the two bytes of the count: they are read one after the other, as they are then. A word is
out of the FIFO when its tag was read.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

GYROSCOPE, ACCELEROMETER, TEMPERATURE, TIMESTAMP = 0x01, 0x02, 0x03, 0x04
BYPASS, STOPS_WHEN_FULL = 0, 1
WORD_TIME = 4_000
"""Nanoseconds; no data sheet says how long it is."""
STOP_ON_WATERMARK = 0x80
"""Of FIFO_CTRL2."""
WATERMARK, OVERRUN, FULL, LATCHED_OVERRUN = 0x80, 0x40, 0x20, 0x08
"""Flags of FIFO_STATUS2."""
INVALID = (0x7FFF, 0x7FFE, 0x7FFD)
"""What is batched for a sensor that has not settled, with DRDY_MASK."""


class Word(NamedTuple):
    """A word, and from when on it is there."""

    time: int
    tag: int
    data: bytes


class TaggedFIFO:
    """Words in the order of their making."""

    def __init__(self, size: int, has_parity: bool, temperature_codes: tuple[int, int, int]) -> None:
        self.size = size
        self._has_parity = has_parity
        self._temperature_codes = temperature_codes
        self._words: deque[Word] = deque()
        self._slots = 0
        self._data = bytes(6)
        self.configure(bytes(4))

    def configure(self, control: bytes) -> None:
        """FIFO_CTRL1 to 4 have new values."""
        self._watermark = (control[0] | control[1] << 8) & (self.size - 1)
        stops = control[1] & STOP_ON_WATERMARK
        self._depth = self._watermark if stops and self._watermark else self.size
        self._codes = {GYROSCOPE: control[2] >> 4, ACCELEROMETER: control[2] & 0x0F}
        self._timestamp_every = (0, 1, 8, 32)[control[3] >> 6]
        self._temperature_code = ((None, *self._temperature_codes)[control[3] >> 4 & 3])
        self._mode = control[3] & 7
        if self._mode == BYPASS:
            self._words.clear()
            self._overran = self._is_overrun = False

    def due(self, tick: int, fastest: int) -> list[int]:
        """The words that a tick of the faster sensor's rate puts in, by tag. Rates are codes; each doubles the one below."""
        def is_due(code: int) -> bool:
            return tick % (1 << (fastest - min(code, fastest))) == 0

        if self._mode == BYPASS or not any(self._codes.values()):
            return []
        if not is_due(max(self._codes.values())):
            return []
        tags = [TIMESTAMP] if self._timestamp_every and self._slots % self._timestamp_every == 0 else []
        tags += [tag for tag, code in self._codes.items() if code and is_due(code)]
        if self._temperature_code is not None and is_due(self._temperature_code):
            tags.append(TEMPERATURE)
        return tags

    def put(self, words: list[tuple[int, bytes]], time: int) -> bool:
        """A slot of words of which the first one is there at `time`; whether a word is lost to it for the first time."""
        is_over, was_overrun = False, self._is_overrun
        for place, (tag, data) in enumerate(words):
            if len(self._words) >= self._depth:
                if self._mode == STOPS_WHEN_FULL:
                    is_over = is_over or self._depth == self.size
                    continue
                is_over = True
                self._words.popleft()
            byte = tag << 3 | (self._slots & 3) << 1
            if self._has_parity:
                byte |= byte.bit_count() & 1
            self._words.append(Word(time + place * WORD_TIME, byte, data))
        self._slots += 1
        self._overran = self._overran or is_over
        self._is_overrun = self._is_overrun or is_over
        return is_over and not was_overrun and self._depth == self.size

    def count(self, now: int) -> int:
        """Words that are there."""
        count = len(self._words)
        while count and self._words[count - 1].time > now:
            count -= 1
        return count

    def flags(self, now: int) -> int:
        """The flags of FIFO_STATUS2 but the latched one."""
        count = self.count(now)
        flags = WATERMARK if 0 < self._watermark <= count else 0
        if self._is_overrun or count == self._depth:
            flags |= OVERRUN
        if count >= self._depth - 3:
            flags |= FULL
        return flags

    def take_latched(self) -> int:
        """The latched flag of FIFO_STATUS2, which a read clears."""
        flag, self._overran = LATCHED_OVERRUN if self._overran else 0, False
        return flag

    def take_tag(self, now: int) -> int:
        """Takes the oldest word out: its tag, 0 when there is none."""
        if not self._words or self._words[0].time > now:
            self._data = bytes(6)
            return 0
        word = self._words.popleft()
        self._data = word.data
        self._is_overrun = False
        return word.tag

    def byte(self, index: int) -> int:
        """A byte of the word that was taken out last."""
        return self._data[index]

    def watermark_time(self) -> int | None:
        """When the watermark was or will be reached by the words that were put in; `None` when it is not."""
        if not 0 < self._watermark <= len(self._words):
            return None
        return self._words[self._watermark - 1].time

# SPDX-License-Identifier: Apache-2.0
"""The FIFO of the MPU-6050 family (RM-MPU-6000A 4.2, registers 23, 6A, 72 to 74): bytes without any mark.

When it is full, a new sample takes the place of the oldest bytes and not of the oldest sample: 12 and 14 bytes do not
divide its size, so what is read from then on begins in the middle of a sample, until it is reset. Reading it while it
is empty gives the last byte again.
"""

from __future__ import annotations

from collections import deque


class ByteFIFO:
    """Bytes in the order of their making."""

    def __init__(self, size: int) -> None:
        self._bytes: deque[int] = deque(maxlen=size)
        self._last = 0

    def __len__(self) -> int:
        return len(self._bytes)

    def clear(self) -> None:
        """All bytes go."""
        self._bytes.clear()

    def has_room(self, count: int) -> bool:
        return len(self._bytes) + count <= self._bytes.maxlen

    def push(self, data: bytes) -> bool:
        """Puts a sample in; whether others lost bytes to it."""
        is_over = not self.has_room(len(data))
        self._bytes.extend(data)
        return is_over

    def pop(self) -> int:
        """The oldest byte."""
        if self._bytes:
            self._last = self._bytes.popleft()
        return self._last

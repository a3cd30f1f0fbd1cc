# SPDX-License-Identifier: Apache-2.0
"""The GPIO lines that the guest's gpio-virtio driver sees (virtio 1.2, section 5.17): buttons that can be pressed, and
lights that can be watched.

    queue 0   type:2 line:2 value:4  ►  status:1 value:1 (or the names)
    queue 1   line:2                 ►  status:1, answered when the line has an edge that was asked for
"""

from __future__ import annotations

import heapq
import struct
import time

from .vhost import Slice, VhostDevice

IRQ_FEATURE = 1
GET_LINE_NAMES, GET_DIRECTION, SET_DIRECTION, GET_VALUE, SET_VALUE, IRQ_TYPE = 1, 2, 3, 4, 5, 6
OUTPUT = 1
RISING, FALLING = 1, 2
COUNT = 32
CHANGES_KEPT = 10_000


class Lines(VhostDevice):
    """Lines GPIO0 to GPIO31, pulled up."""

    FEATURES, QUEUES = IRQ_FEATURE, 2

    def __init__(self, path: str) -> None:
        self._names = b"".join(f"GPIO{number}\0".encode() for number in range(COUNT))
        self.disconnected()
        super().__init__(path)

    def disconnected(self) -> None:
        self.levels = [1] * COUNT
        self.outputs = [0] * COUNT
        self._directions = [0] * COUNT
        self._edges = [0] * COUNT
        self._armed: dict[int, tuple[int, Slice]] = {}
        self._missed: set[int] = set()
        self._planned: list[tuple[int, int, int]] = []
        self._changes: dict[int, list[tuple[int, int]]] = {}
        self._late = 0

    def config(self) -> bytes:
        return struct.pack("<HHI", COUNT, 0, len(self._names))

    def handle(self, queue: int, head: int, readable: list[Slice], writable: list[Slice]) -> None:
        if queue == 1:
            line = struct.unpack("<H", readable[0].bytes()[:2])[0]
            self._armed[line] = (head, writable[0])
            if line in self._missed:
                self._interrupt(line)
            return
        kind, line, value = struct.unpack("<HHI", readable[0].bytes()[:8])
        answer = self._answer(kind, line, value)
        writable[0].put(answer)
        self.complete(0, head, len(answer))

    def _answer(self, kind: int, line: int, value: int) -> bytes:
        if kind == GET_LINE_NAMES:
            return b"\0" + self._names
        if line >= COUNT:
            return b"\1\0"
        result = 0
        if kind == GET_DIRECTION:
            result = self._directions[line]
        elif kind == SET_DIRECTION:
            self._directions[line] = value
        elif kind == GET_VALUE:
            result = self.outputs[line] if self._directions[line] == OUTPUT else self.levels[line]
        elif kind == SET_VALUE:
            if self.outputs[line] != value & 1:
                self.outputs[line] = value & 1
                self._note(line, value & 1)
        elif kind == IRQ_TYPE:
            self._edges[line] = value
            if value == 0:
                self._missed.discard(line)
                self._give_back(line, 0)
        return bytes([0, result])

    def set(self, line: int, level: int) -> None:
        """A line is driven to a level from outside."""
        if self.levels[line] != level:
            self.levels[line] = level
            self._note(line, level)
            if self._edges[line] & (RISING if level else FALLING):
                self._interrupt(line)

    def play(self, line: int, delays: list[int]) -> tuple[int, int]:
        """A line is to change its level now, and again after each of the delays in microseconds, as contacts do.

        Returns when the first and the last change are due, in nanoseconds of the host's monotonic clock.
        """
        first = due = time.monotonic_ns()
        level = self.levels[line]
        for delay in [0, *delays]:
            level = 1 - level
            due += delay * 1000
            heapq.heappush(self._planned, (due, line, level))
        return first, due

    def plan(self, line: int, due: int, level: int) -> None:
        """A line is to be driven to a level from outside at a time of the host's monotonic clock."""
        heapq.heappush(self._planned, (due, line, level))

    @property
    def due(self) -> int | None:
        """When the next planned change is due; `None` without one."""
        return self._planned[0][0] if self._planned else None

    def proceed(self) -> None:
        """Makes the changes that are due."""
        while self._planned and self._planned[0][0] <= time.monotonic_ns():
            due, line, level = heapq.heappop(self._planned)
            self._late = max(self._late, time.monotonic_ns() - due)
            self.set(line, level)

    def late(self) -> int:
        """The worst lateness of a planned change since the last call, in nanoseconds."""
        late, self._late = self._late, 0
        return late

    def changes(self, line: int) -> list[tuple[int, int]]:
        """Changes of a line since the last call, by either side: when, and to which level."""
        return self._changes.pop(line, [])

    def _note(self, line: int, level: int) -> None:
        changes = self._changes.setdefault(line, [])
        changes.append((time.monotonic_ns(), level))
        del changes[:-CHANGES_KEPT]

    def _interrupt(self, line: int) -> None:
        if line in self._armed:
            self._missed.discard(line)
            self._give_back(line, 1)
        else:
            self._missed.add(line)

    def _give_back(self, line: int, status: int) -> None:
        if line in self._armed:
            head, answer = self._armed.pop(line)
            answer.put(bytes([status]))
            self.complete(1, head, 1)

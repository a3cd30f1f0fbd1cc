"""The GPIO lines that the guest's gpio-virtio driver sees (virtio 1.2, section 5.17): buttons that can be pressed.

    queue 0   type:2 line:2 value:4  ►  status:1 value:1 (or the names)
    queue 1   line:2                 ►  status:1, answered when the line has an edge that was asked for
"""

from __future__ import annotations

import struct

from .vhost import Slice, VhostDevice

IRQ_FEATURE = 1
GET_LINE_NAMES, GET_DIRECTION, SET_DIRECTION, GET_VALUE, SET_VALUE, IRQ_TYPE = 1, 2, 3, 4, 5, 6
OUTPUT = 1
RISING, FALLING = 1, 2
COUNT = 32


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
            self.outputs[line] = value & 1
        elif kind == IRQ_TYPE:
            self._edges[line] = value
            if value == 0:
                self._missed.discard(line)
                self._give_back(line, 0)
        return bytes([0, result])

    def set(self, line: int, level: int) -> None:
        """A line is pulled to a level from outside."""
        if self.levels[line] != level:
            self.levels[line] = level
            if self._edges[line] & (RISING if level else FALLING):
                self._interrupt(line)

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

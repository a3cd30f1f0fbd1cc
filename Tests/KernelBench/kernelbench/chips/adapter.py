# SPDX-License-Identifier: Apache-2.0
"""The I2C adapter that the guest's i2c-virtio driver sees (virtio 1.2, section 5.18).

A transfer of the guest is one or more requests, all but the last with the flag FAIL_NEXT:

    request   address<<1:2 padding:2 flags:4 | bytes to write      readable
    answer    bytes that were read | status:1                      writable

The status is an errno; the guest's driver is patched to hand it on. A transfer is answered when it would have ended on
a real bus, less the extra time that an emulated guest needs. The adapter can be stalled: then nothing is
answered until it is released. It can be gone: then every transfer fails at once with the errno that says so.
"""

from __future__ import annotations

import struct
import time

from .vhost import Slice, VhostDevice
from .wire import Wire

ZERO_LENGTH_REQUEST = 1
FAIL_NEXT = 1
NEARLY, WAKE_UP = 2_000_000, 100_000
"""Nanoseconds: how far ahead an end is waited for, and the longest wake-up."""
WAY_BACK = 400_000
"""Nanoseconds by which an answer is sent before its transfer ends on the wire: it is at least as long on its way into an
emulated guest and back with the next transfer (300 to 600 µs were measured), where a board has an interrupt after some
microseconds. The next transfer begins when the wire is free. Who proves from the times of a transfer when a sample was
made needs 0 here."""


class Adapter(VhostDevice):
    """An I2C controller with a wire to its chips."""

    FEATURES, QUEUES = ZERO_LENGTH_REQUEST, 1

    def __init__(self, path: str, wire: Wire) -> None:
        self.wire = wire
        self.is_stalled = False
        self.way_back = WAY_BACK
        self.errno = 0
        """The errno with which every transfer fails; 0 for none."""
        self._is_inside = False
        self._status = 0
        self._waiting: tuple[int, int] | None = None
        super().__init__(path)

    def disconnected(self) -> None:
        self._is_inside, self._waiting, self._status = False, None, 0

    def may_proceed(self) -> bool:
        return not self.is_stalled and self._waiting is None

    def stall(self) -> None:
        """The controller hangs."""
        self.is_stalled = True

    def release(self) -> None:
        """The controller continues."""
        self.is_stalled = False
        self.drain(0)

    def handle(self, queue: int, head: int, readable: list[Slice], writable: list[Slice]) -> None:
        address, _, flags = struct.unpack("<HHI", readable[0].bytes()[:8])
        if not self._is_inside:
            self.wire.begin(time.monotonic_ns())
            self._status = self.errno
        self._is_inside = bool(flags & FAIL_NEXT)
        answer = writable[-1]
        wanted = sum(piece.length for piece in writable[:-1])
        if self._status == 0:
            written = b"".join(piece.bytes() for piece in readable[1:])
            self._status, data = self.wire.message(address >> 1, written, wanted)
            for piece in writable[:-1]:
                piece.put(data[: piece.length])
                data = data[piece.length :]
        answer.put(bytes([self._status]))
        if self._is_inside:
            # The guest waits for the whole transfer.
            self.complete(queue, head, wanted + 1, is_told=False)
        else:
            self._waiting = (head, wanted + 1)

    @property
    def due(self) -> int | None:
        """When the transfer that is on the wire is to be answered; `None` when there is none."""
        return None if self._waiting is None else self.wire.time - self.way_back

    def finish(self, before: int | None = None) -> None:
        """Answers the transfer if it has ended, or waits for one that is about to end, the last microseconds without sleep.

        It does not wait when something else has to be done `before` then.
        """
        due = self.due
        if due is None or before is not None and before < due:
            return
        left = due - time.monotonic_ns()
        if left > NEARLY:
            return
        if left > WAKE_UP:
            time.sleep((left - WAKE_UP) / 1e9)
        while time.monotonic_ns() < due:
            pass
        (head, written), self._waiting = self._waiting, None
        self.complete(0, head, written)
        self.drain(0)

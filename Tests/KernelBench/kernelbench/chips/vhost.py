# SPDX-License-Identifier: Apache-2.0
"""The part of vhost-user that a small device needs: QEMU hands the guest's memory and queues over a UNIX socket.

    QEMU ── messages, file descriptors ──► VhostDevice.message
    guest driver ── kick ──► VhostDevice.drain ──► handle(queue, head, readable, writable) ──► complete ── call ──► guest

A virtqueue (virtio 1.1, section 2.6) is three tables in the guest's memory:

    descriptors  address:8 length:4 flags:2 next:2    chained by `next`
    available    flags:2 index:2 heads:2...           written by the guest
    used         flags:2 index:2 (head:4 length:4)... written by us

The device outlives the virtual machine: QEMU may be killed and started again on the same socket.
"""

from __future__ import annotations

import array
import mmap
import os
import socket
import struct
from dataclasses import dataclass
from pathlib import Path

GET_FEATURES, SET_MEM_TABLE, SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_BASE, GET_VRING_BASE = 1, 5, 8, 9, 10, 11
SET_VRING_KICK, SET_VRING_CALL, GET_PROTOCOL_FEATURES, GET_QUEUE_NUM, GET_CONFIG = 12, 13, 15, 17, 24
INDIRECT_DESCRIPTORS, PROTOCOL_FEATURES, VERSION_1 = 1 << 28, 1 << 30, 1 << 32
PROTOCOL_REPLY_ACK, PROTOCOL_CONFIG = 1 << 3, 1 << 9
NEXT, WRITE, INDIRECT = 1, 2, 4
GUEST_ADDRESS, QEMU_ADDRESS = 0, 1


@dataclass
class Slice:
    """A piece of the guest's memory."""

    memory: mmap.mmap
    offset: int
    length: int

    def bytes(self) -> bytes:
        return self.memory[self.offset : self.offset + self.length]

    def put(self, data: bytes, at: int = 0) -> None:
        self.memory[self.offset + at : self.offset + at + len(data)] = data


@dataclass
class Region:
    """The guest's memory as QEMU shares it: its addresses for the guest, for QEMU and for us."""

    starts: tuple[int, int]
    length: int
    memory: mmap.mmap
    offset: int


@dataclass
class Queue:
    """One virtqueue and how far it has been processed."""

    kick: int | None = None
    call: int | None = None
    last: int = 0
    announced: int = 0
    """How many requests were available at the guest's last kick."""
    size: int = 0
    tables: tuple[Slice, Slice, Slice] | None = None


class VhostDevice:
    """A device on a socket of its own. Subclasses set FEATURES and QUEUES and give `handle` and `config`."""

    FEATURES = 0
    QUEUES = 1

    def __init__(self, path: str) -> None:
        Path(path).unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(1)
        self._connection: socket.socket | None = None
        self.queues = [Queue() for _ in range(self.QUEUES)]
        self._regions: list[Region] = []

    # What subclasses provide.

    def connected(self) -> None:
        """A virtual machine was switched on."""

    def config(self) -> bytes:
        """The device's configuration space."""
        return b""

    def may_proceed(self) -> bool:
        """Whether the next request may be taken from a queue."""
        return True

    def handle(self, queue: int, head: int, readable: list[Slice], writable: list[Slice]) -> None:
        """A request of the guest; answer it with `complete`, now or later."""
        raise NotImplementedError

    # The event loop.

    def readers(self) -> list[socket.socket | int]:
        """What to wait for."""
        return [self._connection or self._listener] + [queue.kick for queue in self.queues if queue.kick is not None]

    def is_ready(self, source: socket.socket | int) -> None:
        """One of `readers` can be read."""
        if source is self._listener:
            self._connection, _ = self._listener.accept()
            self.connected()
        elif source is self._connection:
            if not self._message():
                self._disconnect()
        else:
            for index, queue in enumerate(self.queues):
                if queue.kick == source:
                    os.read(queue.kick, 8)
                    if queue.tables:
                        queue.announced = self._available(queue)
                    self.drain(index)

    def _disconnect(self) -> None:
        """The virtual machine has ended, in whatever way."""
        self._connection.close()
        self._connection = None
        for queue in self.queues:
            for descriptor in (queue.kick, queue.call):
                if descriptor is not None:
                    os.close(descriptor)
        self.queues = [Queue() for _ in range(self.QUEUES)]
        self._regions = []
        self.disconnected()

    def disconnected(self) -> None:
        """A virtual machine was switched off or killed."""

    # Messages.

    def _message(self) -> bool:
        """Takes one message from QEMU; false when there will be no more."""
        try:
            header, ancillary, _, _ = self._connection.recvmsg(12, socket.CMSG_SPACE(8 * 4))
            if len(header) < 12:
                return False
            descriptors = array.array("i")
            for level, kind, data in ancillary:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    descriptors.frombytes(data[: len(data) - len(data) % 4])
            request, flags, size = struct.unpack("<III", header)
            payload = b""
            while len(payload) < size:
                payload += self._connection.recv(size - len(payload))
            unused = list(descriptors)
            reply = self._obey(request, payload, unused)
            for descriptor in unused:
                os.close(descriptor)
            if reply is None and flags & 8:
                reply = bytes(8)
            if reply is not None:
                self._connection.sendall(struct.pack("<III", request, 5, len(reply)) + reply)
        except (ConnectionError, BrokenPipeError):
            return False
        return True

    def _obey(self, request: int, payload: bytes, descriptors: list[int]) -> bytes | None:
        if request == GET_FEATURES:
            return struct.pack("<Q", self.FEATURES | VERSION_1 | PROTOCOL_FEATURES | INDIRECT_DESCRIPTORS)
        if request == GET_PROTOCOL_FEATURES:
            return struct.pack("<Q", PROTOCOL_REPLY_ACK | (PROTOCOL_CONFIG if self.config() else 0))
        if request == GET_QUEUE_NUM:
            return struct.pack("<Q", self.QUEUES)
        if request == GET_CONFIG:
            offset, size, _ = struct.unpack_from("<III", payload)
            return payload[:12] + (self.config() + bytes(256))[offset : offset + size]
        if request == SET_MEM_TABLE:
            self._regions = []
            for index in range(struct.unpack_from("<I", payload)[0]):
                guest, length, qemu, offset = struct.unpack_from("<4Q", payload, 8 + 32 * index)
                memory = mmap.mmap(descriptors[index], length + offset)
                self._regions.append(Region((guest, qemu), length, memory, offset))
        elif request == SET_VRING_NUM:
            index, self.queues[struct.unpack("<II", payload)[0]].size = struct.unpack("<II", payload)
        elif request == SET_VRING_ADDR:
            index, _, table, used, available, _ = struct.unpack("<II4Q", payload)
            self.queues[index].tables = tuple(self._at(address, QEMU_ADDRESS) for address in (table, available, used))
        elif request == SET_VRING_BASE:
            index, last = struct.unpack("<II", payload)
            self.queues[index].last = self.queues[index].announced = last
        elif request == GET_VRING_BASE:
            index = struct.unpack("<II", payload)[0]
            self._set_descriptor(index, "kick", None)
            return struct.pack("<II", index, self.queues[index].last)
        elif request in (SET_VRING_KICK, SET_VRING_CALL):
            value = struct.unpack("<Q", payload[:8])[0]
            descriptor = None if value & 0x100 else descriptors.pop(0)
            self._set_descriptor(value & 0xFF, "kick" if request == SET_VRING_KICK else "call", descriptor)
        return None

    def _set_descriptor(self, index: int, name: str, descriptor: int | None) -> None:
        old = getattr(self.queues[index], name)
        if old is not None:
            os.close(old)
        setattr(self.queues[index], name, descriptor)

    # Queues.

    def _at(self, address: int, space: int, length: int = 0) -> Slice:
        for region in self._regions:
            inside = address - region.starts[space]
            if 0 <= inside < region.length:
                return Slice(region.memory, region.offset + inside, length)
        raise ValueError(f"address {address:#x} is outside of the guest's memory")

    def memory(self, address: int, length: int) -> memoryview:
        """A piece of the guest's memory, by its physical address."""
        piece = self._at(address, GUEST_ADDRESS, length)
        return memoryview(piece.memory)[piece.offset : piece.offset + length]

    @staticmethod
    def _available(queue: Queue) -> int:
        """How far the guest has made requests available."""
        available = queue.tables[1]
        return memoryview(available.memory)[available.offset + 2 : available.offset + 4].cast("H")[0]

    def drain(self, index: int) -> None:
        """Handles what the guest made available before it kicked, and no more.

        Linux's i2c-virtio puts the messages of one transfer into the queue one by one, and takes no lock against its
        own interrupt. An answer to the first message while it puts in the second one would spoil the queue for good.
        """
        queue = self.queues[index]
        while queue.tables and queue.kick is not None and self.may_proceed():
            table, available, _ = queue.tables
            if queue.last == queue.announced:
                return
            slot = available.offset + 4 + 2 * (queue.last % queue.size)
            head = struct.unpack_from("<H", available.memory, slot)[0]
            queue.last = (queue.last + 1) & 0xFFFF
            readable: list[Slice] = []
            writable: list[Slice] = []
            self._walk(table, head, readable, writable)
            self.handle(index, head, readable, writable)

    def _walk(self, table: Slice, number: int, readable: list[Slice], writable: list[Slice]) -> None:
        while True:
            address, length, flags, following = struct.unpack_from("<QIHH", table.memory, table.offset + 16 * number)
            piece = self._at(address, GUEST_ADDRESS, length)
            if flags & INDIRECT:
                table, number = piece, 0
                continue
            (writable if flags & WRITE else readable).append(piece)
            if not flags & NEXT:
                return
            number = following

    def complete(self, index: int, head: int, written: int, is_told: bool = True) -> None:
        """Gives a request back to the guest and interrupts it, or lets it see that at the next interrupt."""
        queue = self.queues[index]
        if queue.tables is None:
            return  # the machine was switched off meanwhile
        used = queue.tables[2]
        count = struct.unpack_from("<H", used.memory, used.offset + 2)[0]
        struct.pack_into("<II", used.memory, used.offset + 4 + 8 * (count % queue.size), head, written)
        # One store, because the guest may look at any time: struct would write zeros first, and the guest then take an
        # old entry for a new one, and say `is not a head!`.
        memoryview(used.memory)[used.offset + 2 : used.offset + 4].cast("H")[0] = (count + 1) & 0xFFFF
        if is_told and queue.call is not None:
            os.write(queue.call, struct.pack("<Q", 1))

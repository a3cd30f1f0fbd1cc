# SPDX-License-Identifier: Apache-2.0
"""A disk with a volatile write cache that loses power: `python3 -m kernelbench.disk IMAGE SOCKET`, spoken to by NBD.

The guest's writes are visible to its later reads, but reach IMAGE only when the guest flushes:

    write ──► view (this process's memory) ──┐
         └──► pending, in order ── flush ──► IMAGE
                      └── cut ──► some of them, some of those only in part ──► IMAGE

Commands are lines on stdin, each answered with one line:

    cut SEED      the supply fails: of what was written since the last flush a random half reaches the image, some of it
                  only up to a sector
    fresh         the image was changed from outside: the next client sees what is on it
    lie           from now on a flush is acknowledged and ignored, as by a bad card
    stall SECONDS nothing is answered for that long, as by a card that is busy with housekeeping
"""

from __future__ import annotations

import mmap
import os
import random
import select
import socket
import struct
import sys
import time
from pathlib import Path

SECTOR = 512
READ, WRITE, DISCONNECT, FLUSH, TRIM, WRITE_ZEROES = 0, 1, 2, 3, 4, 6
HAS_FLAGS, SEND_FLUSH, SEND_TRIM, SEND_WRITE_ZEROES = 1, 4, 32, 64
FLAGS = HAS_FLAGS | SEND_FLUSH | SEND_TRIM | SEND_WRITE_ZEROES
NO_ZEROES = 2
EXPORT_NAME, INFO, GO = 1, 6, 7
REPLY_ACK, REPLY_INFO, REPLY_UNSUPPORTED = 1, 3, 0x80000001


class VolatileDisk:
    """The image, the guest's view of it, and the writes not yet on it."""

    def __init__(self, image: Path) -> None:
        self._file = open(image, "r+b")
        self.size = os.path.getsize(image)
        self.is_lying = False
        self.refresh()

    def refresh(self) -> None:
        """Shows the image, and forgets the writes not on it."""
        self.view = mmap.mmap(self._file.fileno(), self.size, access=mmap.ACCESS_COPY)
        self.pending: list[tuple[int, bytes]] = []

    def write(self, offset: int, data: bytes) -> None:
        self.view[offset : offset + len(data)] = data
        self.pending.append((offset, data))

    def flush(self) -> None:
        if not self.is_lying:
            self._commit(self.pending)
            self.pending = []

    def _commit(self, writes: list[tuple[int, bytes]]) -> None:
        for offset, data in writes:
            os.pwrite(self._file.fileno(), data, offset)

    def cut(self, seed: int) -> str:
        """The supply fails."""
        chance = random.Random(seed)
        kept = []
        for offset, data in self.pending:
            if chance.random() < 0.5:
                continue
            if len(data) > SECTOR and chance.random() < 0.5:
                data = data[: SECTOR * chance.randrange(1, len(data) // SECTOR)]
            kept.append((offset, data))
        told = f"{len(self.pending)} writes not flushed, {len(kept)} of them kept"
        self._commit([] if self.is_lying else kept)
        self.refresh()
        return told


class Server:
    """Serves one client at a time, and the next when it has gone."""

    def __init__(self, disk: VolatileDisk, path: Path) -> None:
        self.disk = disk
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(4)
        self._client: socket.socket | None = None
        self._stalled_until = 0.0

    def run(self) -> None:
        print("ready", flush=True)
        while True:
            stall = self._stalled_until - time.monotonic()
            sources = [sys.stdin] if stall > 0 else [sys.stdin, self._client or self._listener]
            readable, _, _ = select.select(sources, [], [], stall if stall > 0 else None)
            if not readable:
                continue
            if sys.stdin in readable:
                words = sys.stdin.readline().split()
                if not words:
                    return
                print(self._command(words), flush=True)
            elif self._client is None:
                self._client, _ = self._listener.accept()
                self._attempt(self._negotiate)
            else:
                self._attempt(self._serve)

    def _attempt(self, step) -> None:
        """Takes a step with the client, which may be gone."""
        try:
            step()
        except (EOFError, ConnectionError):
            self._client.close()
            self._client = None

    def _command(self, words: list[str]) -> str:
        if words[0] == "cut":
            # Data that the guest sent before it was cut off are in the disk's cache.
            while self._client and select.select([self._client], [], [], 0)[0]:
                self._attempt(self._serve)
            return self.disk.cut(int(words[1]))
        if words[0] == "fresh":
            self.disk.refresh()
            return "ok"
        if words[0] == "lie":
            self.disk.is_lying = True
            return "ok"
        if words[0] == "stall":
            self._stalled_until = time.monotonic() + float(words[1])
            return "ok"
        return f"no such command: {words[0]}"

    def _receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self._client.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def _negotiate(self) -> None:
        """Fixed newstyle negotiation, as far as QEMU uses it."""
        self._client.sendall(b"NBDMAGIC" b"IHAVEOPT" + struct.pack(">H", 3))
        client_flags = struct.unpack(">I", self._receive(4))[0]
        while True:
            _, option, length = struct.unpack(">QII", self._receive(16))
            self._receive(length)
            if option == EXPORT_NAME:
                padding = b"" if client_flags & NO_ZEROES else bytes(124)
                self._client.sendall(struct.pack(">QH", self.disk.size, FLAGS) + padding)
                return
            if option not in (INFO, GO):
                self._reply(option, REPLY_UNSUPPORTED)
                continue
            self._reply(option, REPLY_INFO, struct.pack(">HQH", 0, self.disk.size, FLAGS))
            self._reply(option, REPLY_ACK)
            if option == GO:
                return

    def _reply(self, option: int, kind: int, data: bytes = b"") -> None:
        self._client.sendall(struct.pack(">QIII", 0x3E889045565A9, option, kind, len(data)) + data)

    def _serve(self) -> None:
        _, _, kind, handle, offset, length = struct.unpack(">IHHQQI", self._receive(28))
        answer = b""
        if kind == READ:
            answer = self.disk.view[offset : offset + length]
        elif kind == WRITE:
            self.disk.write(offset, self._receive(length))
        elif kind in (TRIM, WRITE_ZEROES):
            self.disk.write(offset, bytes(length))
        elif kind == FLUSH:
            self.disk.flush()
        elif kind == DISCONNECT:
            raise EOFError
        self._client.sendall(struct.pack(">IIQ", 0x67446698, 0, handle) + answer)


if __name__ == "__main__":
    Server(VolatileDisk(Path(sys.argv[1])), Path(sys.argv[2])).run()

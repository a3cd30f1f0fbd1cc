#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports archives that Python's zipfile and zlib packed in every way, and compares the export with what was packed.

    Tests/ForeignReaders/check_zip.py [PROGRAM [SEED]]

PROGRAM is .build/release/imulog when not given. Blocks of deflate are stored, have fixed codes or codes of their own, follow
each other (flushes), and have matches up to 32 KiB back; sizes are before the data or after them.
"""

import io
import os
import random
import sys
import zipfile
import zlib

sys.dont_write_bytecode = True

import foreign  # noqa: E402

program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(foreign.ROOT, ".build/release/imulog")
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
print("seed", seed)
chance = random.Random(seed)
store = foreign.Store(program)


class Packer:
    """What zipfile packs with: a strategy and a level of zlib, and flushes between blocks."""

    def __init__(self, level, strategy, flush):
        self.packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
        self.how = flush

    def compress(self, data):
        if self.how is None:
            return self.packer.compress(data)
        packed = b""
        while data:
            size = chance.randrange(1, 70000)
            packed += self.packer.compress(data[:size]) + self.packer.flush(self.how)
            data = data[size:]
        return packed

    def flush(self):
        return self.packer.flush()


class Stream(io.RawIOBase):
    """An output without a way back, so that zipfile writes sizes after the data."""

    def __init__(self):
        self.bytes = b""

    def writable(self):
        return True

    def write(self, data):
        self.bytes += bytes(data)
        return len(data)


def table(rows):
    """Counts at 1 kHz: still for a while, then any."""
    lines = ["t_ns,ax,ay,az"]
    for row in range(rows):
        axes = [0, 0, 16384] if row % 3000 < 1000 else [chance.randrange(-32768, 32768) for _ in range(3)]
        lines.append("%d,%d,%d,%d" % (row * 1000000, *axes))
    return ("\n".join(lines) + "\n").encode()


count = 0
strategies = [zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED]
flushes = [None, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_PARTIAL_FLUSH]
for strategy in strategies:
    for level in [0, 1, 6, 9]:
        for flush in flushes:
            zipfile._get_compressor = lambda *_: Packer(level, strategy, flush)
            text = table(chance.choice([3, 40, 9000]))
            output = Stream() if chance.random() < 0.5 else io.BytesIO()
            with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("notes.txt", "no table")
                archive.writestr("walk.csv", text)
            packed = output.bytes if isinstance(output, Stream) else output.getvalue()
            path = os.path.join(store.folder.name, "walk.zip")
            with open(path, "wb") as file:
                file.write(packed)
            number = store.run("import", path, "--units", "raw", "--anyway").split()[-1].decode()
            assert store.run("export", number, "--format", "csv", "--units", "raw") == text, (strategy, level, flush)
            count += 1
print(count, "archives agree")

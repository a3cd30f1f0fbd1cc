# SPDX-License-Identifier: Apache-2.0
"""Pages and chunks, intact or damaged ("Reading damaged logs")."""

import struct
from collections import namedtuple

from . import records
from .basics import PAGE_SIZE, FormatError, crc32c
from .header import parse_header
from .samples import SamplesDecoder

HEADER_SIZE = 32
MARK = b"\x89IM"

PageHeader = namedtuple("PageHeader", "recording sequence tick time check")


class LaterVersion(FormatError):
    """A page header with a right check and a version not known here."""


class Refusal(Exception):
    """The file cannot be decoded at all; the text says why."""


def _page_header(page, index):
    """Section "Page header", and point 2 of "Reading damaged logs"."""
    if len(page) < HEADER_SIZE:
        raise FormatError("the file ends within the page's header", 2)
    if page[:3] != MARK:
        raise FormatError("the page's mark is wrong", 2)
    check = crc32c(page[:HEADER_SIZE - 4])
    version, *fields = struct.unpack_from("<3xB4sIQqI", page)
    header = PageHeader(*fields)
    if check != header.check:
        raise FormatError("the check of the page's header is wrong", 2)
    if version != 1:
        raise LaterVersion(f"version {version} needs a later reader", 2)
    if header.sequence != index:
        raise FormatError(f"the page is number {header.sequence}", 2)
    return header


def _chunk(page, offset, before):
    """Kind, body, check and end of the chunk there, or None ("Chunks")."""
    if len(page) - offset < 2:
        return None
    head = int.from_bytes(page[offset:offset + 2], "little")
    if head == 0:
        return None
    kind, length = divmod(head, 4096)
    body_end = offset + 2 + length
    end = body_end + 4
    if end > PAGE_SIZE:
        raise FormatError("a chunk ends beyond its page", 4)
    if end > len(page):
        raise FormatError("a chunk ends beyond the file", 4)
    check = crc32c(page[offset:body_end], before)
    if check != int.from_bytes(page[body_end:end], "little"):
        raise FormatError("the check of a chunk is wrong", 4)
    if kind == 0:
        raise FormatError("a chunk of kind 0 has a length")
    return kind, page[offset + 2:body_end], check, end


def _description(page, index):
    """The header chunk with which pages 0 and 1 begin ("Header")."""
    header = _page_header(page, index)
    chunk = _chunk(page, HEADER_SIZE, header.check)
    if chunk is None or chunk[0] != 7:
        raise FormatError("the page does not begin with a header chunk")
    description = parse_header(chunk[1])
    if description.recording != header.recording:
        raise FormatError("its id is not that of the page header")
    return description


class Log:
    """A log that is read from a binary file, a page at a time."""

    def __init__(self, file):
        """Reads up to two pages for the description, or raises a Refusal."""
        self._file = file
        self._read = [file.read(PAGE_SIZE)]
        self._next_tick = self._next_sample_tick = 0
        self._after_damage = False
        if not self._read[0]:
            raise Refusal("the file is empty")
        try:
            self.description = _description(self._read[0], 0)
        except LaterVersion as error:
            raise Refusal(f"page 0 cannot be read: {error}") from None
        except FormatError as error:
            self._read.append(file.read(PAGE_SIZE))
            self.description = self._copied_description(error)

    def _copied_description(self, reason):
        """The description in page 1 where that in page 0 is lost."""
        try:
            return _description(self._read[1], 1)
        except FormatError:
            raise Refusal(
                f"neither page 0 nor page 1 has a header: {reason}") from None

    def _pages(self):
        """All pages from the first one on."""
        yield from (page for page in self._read if page)
        while page := self._file.read(PAGE_SIZE):
            yield page

    def records(self):
        """All records in their order, damage among them, as dictionaries."""
        unwritten = 0
        for index, page in enumerate(self._pages()):
            if any(page):
                if unwritten:
                    yield self._damage(
                        index - unwritten, 0, unwritten * PAGE_SIZE,
                        FormatError("nothing was written here", 1))
                yield from self._written_page(page, index)
                unwritten = 0
            else:
                unwritten += 1

    def _written_page(self, page, index):
        """A page with bytes other than 0: points 1 and 2, then the chunks."""
        try:
            header = _page_header(page, index)
            if header.recording != self.description.recording:
                raise FormatError("the page is of another recording", 2)
        except FormatError as error:
            yield self._damage(index, 0, len(page), error)
            return
        if self._after_damage and header.tick > self._next_tick:
            yield {"record": "lost-ticks", "first": self._next_tick,
                   "last": header.tick - 1}
        self._after_damage = False
        yield from self._chunks(page, index, header, HEADER_SIZE,
                                header.check)

    def _chunks(self, page, index, header, offset, check):
        """The records of a page's chunks: points 3 to 5."""
        decoder = SamplesDecoder(self.description, header.tick, header.time)
        try:
            while chunk := _chunk(page, offset, check):
                kind, body, check, end = chunk
                if kind == 7 and offset == HEADER_SIZE and index <= 1:
                    offset = end
                    continue
                for record in self._decode(kind, body, header, decoder):
                    self._note(record)
                    yield {**record, "page": index,
                           "offset": index * PAGE_SIZE + offset}
                offset = end
        except FormatError as error:
            yield self._damage(index, offset, len(page) - offset, error)
            return
        if any(page[offset:]):
            yield self._damage(index, offset, len(page) - offset, FormatError(
                "bytes other than 0 follow the last chunk", 3))

    def _decode(self, kind, body, header, decoder):
        """The records of one chunk with a right check."""
        if kind == 1:
            samples = decoder.decode(body)
            if samples[0][0] < self._next_sample_tick:
                raise FormatError("a tick does not rise")
            return [{"record": "samples", "samples": samples}]
        if kind in records.DECODERS:
            return records.DECODERS[kind](body, header.tick)
        return records.unused(kind)

    def _note(self, record):
        """Keeps the tick that is accounted for, and whether the log ended."""
        if record["record"] == "samples":
            last = record["samples"][-1][0]
            self._next_sample_tick = last + 1
            self._next_tick = max(self._next_tick, last + 1)
        elif record["record"] == "gap":
            self._next_tick = max(self._next_tick,
                                  record["first"] + record["ticks"])

    def _damage(self, index, offset, length, error):
        self._after_damage = True
        return {"record": "damage", "page": index,
                "offset": index * PAGE_SIZE + offset, "bytes": length,
                "point": error.point, "why": str(error)}

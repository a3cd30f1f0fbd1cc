# SPDX-License-Identifier: Apache-2.0
"""Numbers and checks that all parts share ("Overview", "Checks", "Chunks")."""

PAGE_SIZE = 4096


class FormatError(Exception):
    """Content that breaks a rule of the specification; the text says which.

    The point is the one of "Reading damaged logs" that applies.
    """

    def __init__(self, text, point=5):
        super().__init__(text)
        self.point = point


def _crc_table():
    table = []
    for register in range(256):
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
        table.append(register)
    return table


_CRC_TABLE = _crc_table()


def crc32c(data, before=0):
    """CRC-32C of data, continuing from the check before it ("Checks")."""
    register = before ^ 0xFFFFFFFF
    for byte in data:
        register = register >> 8 ^ _CRC_TABLE[(register ^ byte) & 0xFF]
    return register ^ 0xFFFFFFFF


def unfold(number):
    """The signed number whose folded form is the argument ("Chunks")."""
    return -(number + 1 >> 1) if number & 1 else number >> 1


def wrap(number, width):
    """The number modulo 2^width, signed ("Streams")."""
    half = 1 << width - 1
    return (number + half & (half << 1) - 1) - half


def within_limit(time):
    """The time of a record, which must be within 2^62 ns ("Times")."""
    if abs(time) >= 1 << 62:
        raise FormatError("a time is not within 2^62 ns")
    return time


class Fields:
    """Reads the byte-wise fields of a chunk's body ("Chunks")."""

    def __init__(self, body):
        self._body = body
        self._at = 0

    def take(self, length):
        """The next bytes; it is an error if the body has fewer."""
        end = self._at + length
        if end > len(self._body):
            raise FormatError("the body ends within a field")
        taken = self._body[self._at:end]
        self._at = end
        return taken

    def left(self):
        """How many bytes are still to be taken."""
        return len(self._body) - self._at

    def u8(self):
        """An unsigned byte."""
        return self.take(1)[0]

    def i64(self):
        """A little-endian two's complement number of 64 bits."""
        return int.from_bytes(self.take(8), "little", signed=True)

    def varint(self):
        """A varint, perhaps in more bytes than it needs."""
        number = 0
        for index in range(10):
            byte = self.u8()
            number |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                if number >> 64:
                    raise FormatError("a varint has more than 64 bits")
                return number
        raise FormatError("a varint is longer than ten bytes")

    def signed_varint(self):
        """A varint of the folded number."""
        return unfold(self.varint())

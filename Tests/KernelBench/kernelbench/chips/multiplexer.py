# SPDX-License-Identifier: Apache-2.0
"""A PCA9548A: its one register has a bit for each channel, and the chips of those that are set are on the wire.

Nothing is set after its supply comes, or when it comes back.
"""

from __future__ import annotations

from .chip import Chip

CHANNELS = 8


class Multiplexer:
    """The multiplexer and the chips behind it."""

    def __init__(self) -> None:
        self.mask = 0
        self.channels: list[dict[int, Chip]] = [{} for _ in range(CHANNELS)]

    def chips(self) -> list[Chip]:
        """All chips behind it."""
        return [chip for channel in self.channels for chip in channel.values()]

    def connected(self, address: int) -> Chip | None:
        """The chip at an address of the channels that are set; of several the first."""
        for number, channel in enumerate(self.channels):
            if self.mask >> number & 1 and address in channel:
                return channel[address]
        return None

    def message(self, written: bytes, wanted: int) -> bytes:
        """The last byte that is written counts; a read gives the register."""
        if written:
            self.mask = written[-1]
        return bytes([self.mask] * wanted)

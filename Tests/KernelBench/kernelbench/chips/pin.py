# SPDX-License-Identifier: Apache-2.0
"""A chip's interrupt output."""

from __future__ import annotations

from typing import NamedTuple


class Change(NamedTuple):
    """A line's change, in nanoseconds of the host's monotonic clock: it may lie ahead."""

    line: int
    time: int
    level: int


class Pin:
    """An output that follows a condition or pulses. Changes are kept for the line that it is wired to, if there is one."""

    def __init__(self) -> None:
        self.line: int | None = None
        self.is_active = False
        self._is_low = False
        self._changes: list[Change] = []

    @property
    def level(self) -> int:
        return int(self.is_active != self._is_low)

    def invert(self, is_low: bool, time: int) -> None:
        """Whether active means low."""
        if self._is_low != is_low:
            self._is_low = is_low
            self._note(time)

    def set(self, is_active: bool, time: int) -> None:
        """The condition holds, or no longer does."""
        if self.is_active != is_active:
            self.is_active = is_active
            self._note(time)

    def pulse(self, time: int, length: int) -> None:
        """The output is active for a moment; a longer one that is already going on swallows it."""
        if not self.is_active:
            self.set(True, time)
            self.set(False, time + length)

    def take(self) -> list[Change]:
        """The changes since the last call."""
        changes, self._changes = self._changes, []
        return changes

    def _note(self, time: int) -> None:
        if self.line is not None:
            self._changes.append(Change(self.line, time, self.level))

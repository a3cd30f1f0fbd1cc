# SPDX-License-Identifier: Apache-2.0
"""The common part of all emulated chips: a register pointer, a supply, and a clock of their own.

Time is given to a chip with every access, in nanoseconds of the host's monotonic clock, and never goes back. Between
accesses nothing runs: `advance` makes the samples that fell due since, at the times at which they fell due.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod

from .oscillator import Oscillator
from .pin import Pin
from .signal import Counts, Scale, at_rest, recognisable
from .truth import TruthWriter


class Chip(ABC):
    """A chip at register level. Subclasses define the register map and when samples are made."""

    name: str
    address: int
    boot_time: int
    """From power-up until the registers answer, in nanoseconds."""
    trim = 0
    """What the factory found the clock's error to be, as the chip's register has it."""

    def __init__(self, truth: TruthWriter, now: int) -> None:
        self.truth = truth
        self.is_plugged = True
        self.is_at_rest = False
        self.is_frozen = False
        self.frozen_until = now
        self.identity: int | None = None
        self.pointer = 0
        self.number = 0
        self.counts = Counts(0, 0, 0, 0, 0, 0, 0)
        self._noise = random.Random(self.name)
        self.clock = Oscillator(self.name, now)
        self._answers_from = now
        self.power_up(now, is_silent=True)

    # The supply.

    def power_up(self, now: int, is_silent: bool = False) -> None:
        """The supply comes back: registers have their reset values. Silent: no time passes for booting."""
        self._answers_from = now if is_silent else now + self.boot_time
        self.reset(now)

    def is_answering(self, now: int) -> bool:
        """Whether the chip acknowledges its address."""
        return self.is_plugged and now >= self._answers_from

    @abstractmethod
    def reset(self, now: int) -> None:
        """All registers get their reset values, and sampling stops accordingly."""

    # The bus.

    def begin_read(self, now: int) -> None:
        """The chip is addressed for reading."""
        self.advance(now)

    @abstractmethod
    def read(self, now: int) -> int:
        """The byte that the pointer stands at; the pointer moves on."""

    @abstractmethod
    def write(self, value: int, now: int) -> None:
        """A byte for the register that the pointer stands at; the pointer moves on."""

    # Interrupts.

    @property
    def pins(self) -> dict[str, Pin]:
        """The interrupt outputs by name."""
        return {}

    def due(self) -> int | None:
        """When `advance` has to be called next for the outputs to change in time; `None` for never."""
        return None

    # Samples.

    @property
    @abstractmethod
    def noise(self) -> tuple[float, float]:
        """Standard deviations of both sensors at rest, in g and degrees a second."""

    @abstractmethod
    def advance(self, now: int) -> None:
        """Makes the samples that are due."""

    def make(self, time: int, scale: Scale, settled: bool, temperature: int) -> bool:
        """Makes a sample, unless the chip is frozen; whether it did."""
        self.number += 1
        if self.is_frozen or time < self.frozen_until:
            return False
        if self.is_at_rest:
            self.counts = at_rest(scale, self.noise, temperature, self._noise)
        else:
            self.counts = recognisable(self.number, temperature)
        self.truth.sample(self.name, self.number, time, scale, settled, self.counts)
        return True

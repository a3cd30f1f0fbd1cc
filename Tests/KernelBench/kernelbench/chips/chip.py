# SPDX-License-Identifier: Apache-2.0
"""The common part of all emulated chips: a register pointer, a supply, and a clock of their own.

Time is given to a chip with every access, in nanoseconds of the host's monotonic clock, and never goes back. Between
accesses nothing runs: `advance` makes the samples that fell due since, at the times at which they fell due.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from .defects import Defects
from .electrodes import AXES, Electrodes
from .motion import Motion
from .oscillator import Oscillator
from .pin import Pin
from .signal import Counts, Scale, measured, recognisable
from .truth import TruthWriter


class Chip(ABC):
    """A chip at register level. Subclasses define the register map and when samples are made."""

    name: str
    address: int
    boot_time: int
    """From power-up until the registers answer, in nanoseconds."""
    trim = 0
    """What the factory found the clock's error to be, as the chip's register has it."""
    answers: Sequence[float] = (0.0,) * AXES
    """Of the self-test, in g and degrees a second; none where the emulation has no self-test."""
    settling = (1, 1)
    """Nanoseconds until the outputs of both sensors have followed the self-test."""

    def __init__(self, truth: TruthWriter, now: int) -> None:
        self.truth = truth
        self.is_plugged = True
        self.motion = Motion("numbers", now)
        self.defects = Defects()
        self.electrodes = Electrodes(self.answers, self.settling)
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

    @property
    def place(self) -> int:
        """Where the register that the pointer stands at is among `registers`."""
        return self.pointer

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

    def pushes(self, time: int) -> Iterable[float]:
        """What the self-test adds to each axis, in g and degrees a second."""
        return self.electrodes.at(time)

    @abstractmethod
    def advance(self, now: int) -> None:
        """Makes the samples that are due."""

    def make(self, time: int, scale: Scale, settled: bool, temperature: int) -> bool:
        """Makes a sample, unless the chip is frozen; whether it did."""
        self.number += 1
        if self.is_frozen or time < self.frozen_until:
            return False
        sensed = self.motion.at(time)
        if sensed is None:
            self.counts = recognisable(self.number, temperature)
        else:
            axes = [outside + push for outside, push in zip((*sensed.acceleration, *sensed.rate), self.pushes(time))]
            self.counts = self.defects.of(measured(axes, scale, self.noise, temperature, self._noise))
        self.truth.sample(self.name, self.number, time, scale, settled, self.counts)
        return True

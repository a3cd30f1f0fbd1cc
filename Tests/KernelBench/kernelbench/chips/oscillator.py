# SPDX-License-Identifier: Apache-2.0
"""A chip's own clock, which is never quite right: it sets when samples are made."""

from __future__ import annotations

import random


class Oscillator:
    """Gives the instants of samples, in nanoseconds of the host's monotonic clock.

        phase     |------p------|------p------|          p = nominal / (1 + error), smooth
        samples   |-------------->|---------->|          each off by the jitter, which does not add up
    """

    def __init__(self, seed: str, now: int) -> None:
        self._chance = random.Random(seed)
        self._error = 0.0
        self._drift = 0.0
        self._jitter = 0.0
        self._set_at = now
        self._base = now
        """Phases are counted from here, so that a float holds them to less than a nanosecond."""
        self._phase = 0.0
        self._nominal = 0.0

    def set(self, ppm: float, drift: float, jitter: float, now: int) -> None:
        """From the next period on the clock is fast by `ppm`, and by `drift` more with each second; samples are up to
        `jitter` microseconds from their phase."""
        self._error, self._drift, self._jitter, self._set_at = ppm, drift, jitter * 1000, now

    def rate(self, now: int) -> float:
        """Seconds of this clock in a second."""
        return 1 + (self._error + self._drift * (now - self._set_at) / 1e9) / 1e6

    @property
    def trim(self) -> float:
        """The error that a factory would have found."""
        return self._error

    def restart(self, now: int) -> None:
        """Periods are counted from now on; the clock's own time goes on."""
        self._nominal = self.elapsed(now)
        self._base, self._phase = now, 0.0

    def next(self, nominal: float) -> int:
        """The instant of the sample that follows the latest one after a nominal period in nanoseconds."""
        self._phase += nominal / self.rate(self._base + int(self._phase))
        self._nominal += nominal
        off = self._chance.uniform(-self._jitter, self._jitter) if self._jitter else 0.0
        return self._base + round(self._phase + off)

    def elapsed(self, now: int) -> float:
        """Nanoseconds by this clock since it was made."""
        return self._nominal + (now - self._base - self._phase) * self.rate(now)

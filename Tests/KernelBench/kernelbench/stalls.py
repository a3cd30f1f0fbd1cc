# SPDX-License-Identifier: Apache-2.0
"""How long a guest's processor did not run; see guest/stallwatch.c."""

from __future__ import annotations

from .bench import Guest
from .export import MILLISECOND

FILE = "/tmp/stalls"


def watch(guest: Guest) -> None:
    """Starts recording stalls."""
    guest.machine.start(f"stallwatch {FILE}")


def since_last(guest: Guest) -> list[int]:
    """Nanoseconds of each stall since the last call."""
    told = guest.machine.check(f"pidof stallwatch >/dev/null && cat {FILE} && : >{FILE}").split()
    return [int(milliseconds) * MILLISECOND for milliseconds in told]

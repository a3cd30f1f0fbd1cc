"""Priorities of processes on the host.

A guest's recording is compared with its chips' samples to 2 ms, and a bus whose answers are late is not the bus that
it emulates. The chips' process and the virtual machine therefore have priority over everything else on the machine, as
far as the user's rights allow; while a guest records they are idle most of the time.
"""

from __future__ import annotations

import os
from pathlib import Path


def prefer(process: int) -> bool:
    """Raises the priority of all threads of a process; returns whether that is permitted."""
    for thread in Path(f"/proc/{process}/task").iterdir():
        try:
            os.sched_setscheduler(int(thread.name), os.SCHED_RR, os.sched_param(1))
        except ProcessLookupError:
            continue  # it has just ended
        except PermissionError:
            return False
    return True

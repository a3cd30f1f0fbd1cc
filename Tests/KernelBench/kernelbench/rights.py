# SPDX-License-Identifier: Apache-2.0
"""Priorities of processes on the host.

A guest's recording is compared with its chips' samples to 2 ms, and a bus whose answers are late is not the bus that
it emulates. The chips' process and the virtual machine therefore have priority over everything else on the machine, as
far as the user's rights allow; while a guest records they are idle most of the time.
"""

from __future__ import annotations

import os
from pathlib import Path

PROCESSOR = "CPU "
"""The names of QEMU's threads that are the guest's processors begin so."""
BEST = -20


def prefer(process: int, is_busy: bool = False) -> bool:
    """Raises the priority of all threads of a process; returns whether that is permitted.

    A guest whose processor is always busy would take one of the host's for itself, and the kernel's guard against that
    stops it for 50 ms a second. Its processor has the best ordinary priority instead, and so has its session among others.
    """
    for thread in Path(f"/proc/{process}/task").iterdir():
        try:
            if is_busy and (thread / "comm").read_text().startswith(PROCESSOR):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), BEST)
            else:
                os.sched_setscheduler(int(thread.name), os.SCHED_RR, os.sched_param(1))
        except (ProcessLookupError, FileNotFoundError):
            continue  # it has just ended
        except PermissionError:
            return False
    session = Path(f"/proc/{process}/autogroup")
    if is_busy and session.exists():  # not in every kernel
        session.write_text(str(BEST))
    return True

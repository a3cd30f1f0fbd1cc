"""Which processes come first on the host's processors.

What a guest records is compared with what its chips made to 2 ms, and a bus whose answers are late is not the bus that
it plays. The chips' process and the virtual machine therefore go before everything else on the machine, as far as the
user may arrange that; while a guest records they are idle most of the time.
"""

from __future__ import annotations

import os
from pathlib import Path


def prefer(process: int, is_first: bool = True) -> bool:
    """Lets all threads of a process go before other processes, or no longer; whether that is permitted."""
    policy, priority = (os.SCHED_RR, 1) if is_first else (os.SCHED_OTHER, 0)
    for thread in Path(f"/proc/{process}/task").iterdir():
        try:
            os.sched_setscheduler(int(thread.name), policy, os.sched_param(priority))
        except ProcessLookupError:
            continue  # it has just ended
        except PermissionError:
            return False
    return True

# SPDX-License-Identifier: Apache-2.0
"""The errors of scenarios and of the bench."""


ETIMEDOUT = 110
"""The errno that imulog reports for an answer that took more than a second."""


class BenchError(Exception):
    """The bench itself, or the guest, did not do what a scenario needs."""


class CheckFailed(Exception):
    """The program broke a promise."""


class HostTooSlow(CheckFailed):
    """The program reported lateness, as it should, but too often to check more; or the guest or its
    contacts stood still for long enough to explain what failed."""


class Untimely(CheckFailed):
    """A press, a state or a date that is not as it should be: by the program's fault, unless everything stood still for
    as long as `excess` meanwhile, in nanoseconds."""

    def __init__(self, message: str, excess: float) -> None:
        super().__init__(message)
        self.excess = excess


class CannotRun(Exception):
    """This machine or its network lacks something; nothing was run."""


STALL = 40_000_000
"""Nanoseconds. A press that is over before the guest continues is none, and two that come late do not belong together."""


def check_timely(condition: bool, message: str) -> None:
    """Like `check`, of what a stall may change: how many presses there were, what they did, and when."""
    if not condition:
        raise Untimely(message, STALL)


def check(condition: bool, message: str) -> None:
    """Fails the scenario with `message` unless `condition` holds."""
    if not condition:
        raise CheckFailed(message)

"""How a scenario says that it failed, and how the bench says that it cannot run."""


ETIMEDOUT = 110
"""What the guest's bus says when an answer takes a second."""


class BenchError(Exception):
    """The bench itself, or the guest, did not do what a scenario needs."""


class CheckFailed(Exception):
    """The program did not keep its promise."""


class HostTooSlow(CheckFailed):
    """The program told that it was late, as it should, but so often that nothing more can be checked."""


class CannotRun(Exception):
    """This machine or its network lacks something; nothing was tried."""


def check(condition: bool, message: str) -> None:
    """Fails the scenario with `message` unless `condition` holds."""
    if not condition:
        raise CheckFailed(message)

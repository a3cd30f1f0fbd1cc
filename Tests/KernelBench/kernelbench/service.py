# SPDX-License-Identifier: Apache-2.0
"""imulog's service in a guest, with a button to press and a light to watch.

A press is played by the chips' process, with bouncing contacts, so its times are exact and those of the light are known
there too. All times are nanoseconds of the host's monotonic clock.

    press        ┌┐┌───────────┐┌┐          what the contacts do (down, up)
            ─────┘└┘           └┘└─────
    kernel            ┌───────────────┐     what the program is given, 20 ms after the last bounce
            ──────────┘               └──
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass

from .bench import Guest, read_export
from .errors import BenchError, STALL, Untimely, check
from .export import MILLISECOND, Take, listed
from .machine import Result

BUTTON, LIGHT = 17, 27
SHORT, PAUSE, LONG, VERY_LONG = 0.1, 0.15, 2.0, 6.5
"""Seconds: a short press, the time between two that belong together, a press of more than 1.5 s, one of more than 6 s."""
DEBOUNCE = 20 * MILLISECOND
LIST_PAGE = 10
"""Recordings that `imulog list` shows at a time."""
KERNEL_TICK = 4 * MILLISECOND
"""Debian's kernel counts the debounce period in ticks of 1/250 s, and begins in the middle of one."""


@dataclass(frozen=True)
class Press:
    """A planned press."""

    down: int
    """Its last bounce when pressed."""
    up: int
    """Its last bounce when released."""


@dataclass
class Service:
    """A running `imulog daemon`."""

    guest: Guest
    name: str
    started: str
    _command: str

    @property
    def store(self) -> str:
        return f"/tmp/{self.name}"

    # The process.

    def run(self, command: str, seconds: float = 60) -> Result:
        """Runs imulog with the service's store."""
        return self.guest.machine.run(f"imulog --store {self.store} {command}", seconds)

    def process(self) -> int:
        """The service's process."""
        return int(self.guest.machine.check(f"cat /tmp/{self.name}.pid"))

    def signal(self, name: str) -> None:
        self.guest.machine.check(f"kill -{name} {self.process()}")

    def finish(self, seconds: float = 30) -> Result:
        """Waits for the service to end."""
        return self.guest.machine.finish(self.started, self._command, seconds)

    def stop(self) -> Result:
        """Ends the service as a service manager does, and checks its status."""
        self.signal("TERM")
        ended = self.finish()
        check(ended.status == 0, f"the service ended with {ended.status}: {ended.errors.strip()}")
        return ended

    def resources(self) -> tuple[int, int]:
        """Resident memory in kilobytes, and open descriptors."""
        process = self.process()
        words = self.guest.machine.check(
            f"grep VmRSS /proc/{process}/status | tr -dc 0-9; echo; ls /proc/{process}/fd | wc -l").split()
        return int(words[0]), int(words[1])

    # What it says.

    def status(self) -> dict:
        """The answer to `imulog status --json`."""
        answer = json.loads(self.guest.machine.check("imulog status --json"))
        check(answer["ok"] is True, f"status answered {answer}")
        return answer

    def wait(self, *states: str, seconds: float = 15) -> dict:
        """Waits until the service is in one of the states."""
        deadline = time.monotonic() + seconds
        while True:
            answer = self.status()
            if answer["state"] in states:
                return answer
            if time.monotonic() > deadline:
                raise Untimely(f"the service did not get {' or '.join(states)}: {answer}", STALL)
            time.sleep(0.05)

    def wait_well(self, seconds: float = 15) -> None:
        """Waits until the service reports no problem."""
        deadline = time.monotonic() + seconds
        while (answer := self.status())["problem"] is not None:
            if time.monotonic() > deadline:
                raise Untimely(f"the service still reports a problem: {answer}", STALL)
            time.sleep(0.05)

    def recordings(self) -> list[dict]:
        """The pages of `imulog list`, oldest first."""
        recordings: list[dict] = []
        while len(recordings) % LIST_PAGE == 0:
            page = listed(self.run(f"list --json --page {len(recordings) // LIST_PAGE + 1}").output)
            if not page:
                break
            recordings += page
        return sorted(recordings, key=lambda recording: recording["number"])

    def export(self) -> Take:
        """The latest recording, in raw counts."""
        return read_export(self.guest.machine, self.store, self.name, "raw")

    # Button and light.

    def press(self, *lengths: float, pause: float = PAUSE, chance: random.Random | None = None) -> list[Press]:
        """Presses the button for so many seconds each, with clean contacts or with bouncing ones, and waits until that
        is done."""
        delays: list[int] = []
        ends: list[int] = []
        for index, length in enumerate(lengths):
            if index:
                delays.append(int(pause * 1e6))
            delays += bounces(chance)
            ends.append(sum(delays))
            delays.append(int(length * 1e6))
            delays += bounces(chance)
            ends.append(sum(delays))
        first, last = map(int, self.guest.chips.tell("train", BUTTON, *delays).split())
        time.sleep(max(0.0, (last - time.monotonic_ns()) / 1e9))
        times = [first + 1000 * end for end in ends]
        return [Press(down, up) for down, up in zip(times[::2], times[1::2])]

    def light(self) -> list[tuple[int, int]]:
        """The changes of the light since the last call: when, and on (1) or off (0)."""
        return read_changes(self.guest, LIGHT)

    def is_lit(self) -> bool:
        return self.guest.chips.tell("output", LIGHT) == "1"

    def flash(self, seconds: float = 10) -> None:
        """Waits until a flash of the armed light has just ended: it is dark for almost 2 s from then on."""
        deadline = time.monotonic() + seconds
        self.light()
        while time.monotonic() < deadline:
            changes = self.light()
            if changes and changes[-1][1] == 0 and time.monotonic_ns() - changes[-1][0] < 200 * MILLISECOND:
                return
            time.sleep(0.02)
        raise BenchError("the light did not flash")


def bounces(chance: random.Random | None) -> list[int]:
    """Microseconds between an even count of changes, so that the level in the end is that of the first one."""
    if chance is None:
        return []
    count = 2 * chance.randrange(0, 8)
    return [chance.choice((chance.randrange(60, 400), chance.randrange(200, 2500))) for _ in range(count)]


def read_changes(guest: Guest, line: int) -> list[tuple[int, int]]:
    """Changes of a line since this was asked last."""
    words = guest.chips.tell("changes", line).split()
    return [(int(at), int(level)) for at, level in (word.split(":") for word in words)]


def begin(guest: Guest, name: str, **settings: object) -> Service:
    """Starts a service; `settings` are keys of its configuration with `_` for `-`. A store of its own by its name."""
    all_settings = {
        "bus": 0, "sensor": "mpu6050", "rate": 10, "length": "60s", "store": f"/tmp/{name}", "button": f"GPIO{BUTTON}",
        "light": f"GPIO{LIGHT}", "reserve": "1MB", **settings}
    text = "".join(f"{key.replace('_', '-')} = {value}\n" for key, value in all_settings.items())
    (guest.machine.share / f"{name}.conf").write_text(text, encoding="utf-8")
    command = (
        f"mkdir -p /run/imulog && echo $$ >/tmp/{name}.pid && RUNTIME_DIRECTORY=/run/imulog"
        f" exec imulog daemon --config /host/{name}.conf")
    read_changes(guest, LIGHT)
    return Service(guest, name, guest.machine.start(command), command)


def begin_armed(guest: Guest, name: str, state: str = "armed", **settings: object) -> Service:
    """Starts a service and waits until it is ready."""
    service = begin(guest, name, **settings)
    deadline = time.monotonic() + 20
    while guest.machine.run("imulog status --json").status != 0:
        check(time.monotonic() < deadline, "the service does not answer")
        time.sleep(0.1)
    service.wait(state)
    return service

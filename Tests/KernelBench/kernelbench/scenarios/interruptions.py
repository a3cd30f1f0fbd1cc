# SPDX-License-Identifier: Apache-2.0
"""Signals in the midst of a chip's self-test.

    certify     ── set-up ── off ──┐ on ┌── off ── ...
    signal                         └─▲──┘
    bits        ___________________██████________     SIGINT, SIGTERM: cleared when the program has ended
                ___________________███████████████    SIGKILL: left, and cleared by the reset of the next recording

A self-test that stays on adds its answer to each sample of a recording, with nothing in the samples that says so.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from ..bench import Guest
from ..errors import check
from ..export import Take, read_account
from ..lanes import command
from ..machine import Result
from .specimens import RESETS, SELF_TESTS, registers, writes

PROMPT = 4.0
"""Seconds to the program's end: the rest of the self-test, and nothing of the samples that `certify` would look at for 5 s."""
G_PER_COUNT = 1 / 8192
"""Of an MPU-6050 in the recording's range of 4 g."""


@dataclass
class Interrupted:
    """What became of a program and its chip."""

    ended: Result | None = None
    seconds: float = 0.0
    """From the signal to the program's end."""
    before: bytes = b""
    """Registers in the midst of the self-test."""
    after: bytes = b""
    """Registers when the program had ended."""
    recorded: Result | None = None
    info: Result | None = None
    exported: Result | None = None
    take: Take | None = None
    writes: list[tuple[int, int]] = field(default_factory=list)
    """While it recorded."""


@dataclass(frozen=True)
class Interruption:
    """A signal that comes in the midst of the self-test of a good chip."""

    name: str
    chip: str
    signal: str
    status: int
    recording: str = ""
    """Options of a recording after it; none is made where this is empty."""

    def examine(self, guest: Guest) -> Generator[Callable[[], bool], None, Interrupted]:
        machine, chips, found = guest.machine, guest.chips, Interrupted()
        chips.tell("solder", self.chip)
        chips.tell("motion", self.chip, "rest")
        options = f"--bus 0 --sensor {self.chip}"
        process = f"/tmp/certify-{self.signal}"
        certify = f"echo $$ >{process}; exec foreground imulog certify {options}"
        name = machine.start(certify)
        yield lambda: self._is_on(registers(guest, self.chip)) or machine.has_ended(name)
        found.before = registers(guest, self.chip)
        start = time.monotonic()
        machine.start(f"kill -{self.signal} $(cat {process})")
        yield lambda: machine.has_ended(name)
        found.seconds = time.monotonic() - start
        found.ended = machine.finish(name, certify)
        found.after = registers(guest, self.chip)
        if self.recording:
            store = f"/tmp/after-{self.signal}"
            file = f"after-{self.signal}.json"
            chips.tell("writes", self.chip)
            found.recorded = yield from command(machine, f"imulog --store {store} record {options} {self.recording}")
            found.writes = writes(guest, self.chip)
            found.info = yield from command(machine, f"imulog --store {store} info latest --json")
            found.exported = yield from command(
                machine, f"imulog --store {store} export latest --units raw -o /host/{file}")
            if found.exported.status == 0:
                found.take = read_account(machine.share / file)
        return found

    def judge(self, found: Interrupted) -> str:
        check(self._is_on(found.before), f"the self-test was not on when the signal was sent: {found.ended.errors.strip()}")
        ended = found.ended
        check(ended.status == self.status, f"certify ended with {ended.status} and not {self.status}: {ended.errors.strip()}")
        told = f"status {ended.status} after {found.seconds:.1f} s"
        check(found.seconds < PROMPT, f"the program did not end at once: {told}")
        if not self.recording:
            check(not self._is_on(found.after), f"the self-test is still on: {told}")
            return told
        check(self._is_on(found.after), f"the signal was too late, the self-test is over: {told}")
        return f"{told}; {self._judge_recording(found)}"

    def _judge_recording(self, found: Interrupted) -> str:
        """It begins from a reset, and no sample has an answer of the self-test in it."""
        check(found.recorded.status == 0, f"record ended with {found.recorded.status}: {found.recorded.errors.strip()}")
        check(found.exported.status == 0, f"export ended with {found.exported.status}: {found.exported.errors.strip()}")
        kind = self.chip.split("@")[0]
        register, bit = RESETS[kind]
        resets = [place for place, (to, value) in enumerate(found.writes) if to == register and value & bit]
        check(bool(resets), f"the chip was not reset before the recording: {found.writes}")
        bits = SELF_TESTS[kind]
        again = [(to, value) for to, value in found.writes[resets[0] :] if value & bits.get(to, 0)]
        check(not again, f"the self-test was on again after the reset: {again}")
        sizes = [sum(value * value for value in sample.values[:3]) ** 0.5 * G_PER_COUNT for sample in found.take.samples]
        check(len(sizes) > 0, "the recording has no samples")
        off = max(abs(size - 1) for size in sizes)
        check(off < 0.03, f"samples are off by {off:.3f} g, as if the self-test were on")
        certificate = json.loads(found.info.output)["certificate"]
        bad = [line for line in certificate["findings"] if line["verdict"] in ("warn", "fail")]
        check(not bad, f"the certificate says {bad}")
        return f"then {len(sizes)} samples within {off * 1000:.0f} mg of gravity"

    def _is_on(self, registers: bytes) -> bool:
        bits = SELF_TESTS[self.chip.split("@")[0]]
        return any(registers[register] & mask for register, mask in bits.items())

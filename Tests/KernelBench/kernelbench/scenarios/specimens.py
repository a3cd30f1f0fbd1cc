# SPDX-License-Identifier: Apache-2.0
"""A specimen of a chip, good or bad, that makes a recording and then is certified.

    solder ─► record ─► info --json ─► certify --json

The recording leaves the chip set up. What is written to it during `certify` shows that its self-test ran, and that there
was a moment after it in which all registers held what they had held before; what follows is the set-up of `certify`'s
stretch of samples, which begins with a reset.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from ..bench import Guest
from ..errors import HostTooSlow, check
from ..lanes import command
from ..machine import Result

SELF_TESTS = {
    "mpu6050": {0x1B: 0xE0, 0x1C: 0xE0}, "mpu6500": {0x1B: 0xE0, 0x1C: 0xE0}, "lsm6dso": {0x14: 0x0F},
    "lsm6dso32": {0x14: 0x0F}, "lsm6dsl": {0x14: 0x0F}, "lsm9ds1": {0x24: 0x05},
    "icm20948": {0x82: 0x38, 0x95: 0x1C}}
"""Registers of each kind, and their bits that switch the self-test on."""
RESETS = {
    "mpu6050": (0x6B, 0x80), "mpu6500": (0x6B, 0x80), "lsm6dso": (0x12, 0x01), "lsm6dso32": (0x12, 0x01),
    "lsm6dsl": (0x12, 0x01), "lsm9ds1": (0x22, 0x01), "icm20948": (0x06, 0x80)}
"""The register and its bit that reset each kind."""
MOVED = 75
"""The status of `certify` for a chip that moved."""
NEEDED = {"identity", "registers", "gravity", "zero", "stuck"}
"""Findings without which a chip does not pass."""


@dataclass(frozen=True)
class Finding:
    """A line of a certificate."""

    verdict: str
    words: tuple[str, ...] = ()
    """Which the line's value has to have."""


def passes(*words: str) -> Finding:
    return Finding("pass", words)


def fail(*words: str) -> Finding:
    return Finding("fail", words)


def warn(*words: str) -> Finding:
    return Finding("warn", words)


NEVER = Finding("unknown", ("never",))
"""Of `still`, where the chip moves all the time."""


@dataclass
class Examined:
    """What the program said of a specimen."""

    recorded: Result | None = None
    info: Result | None = None
    certified: Result | None = None
    registers: bytes = b""
    """Before it was certified."""
    writes: list[tuple[int, int]] = field(default_factory=list)
    """Registers and what was written to them, while it was certified."""


@dataclass(frozen=True)
class Specimen:
    """A chip of a kind, what is wrong with it, and what has to be said of it.

    No other finding may be bad: what is all right is not named beside what is wrong.
    """

    name: str
    chip: str
    """The bench's name for it, with its address."""
    commands: tuple[str, ...] = ()
    """Commands to the chips that make it bad; CHIP stands for it."""
    driven_as: str = ""
    """The model that the program is given, where it is another one, or `auto`."""
    recording: str = ""
    """Options of the recording; none is made where this is empty."""
    recorded_motion: str = "rest"
    """How the board moves while it records."""
    recorded: dict[str, Finding] = field(default_factory=dict)
    """What the recording's certificate has to say."""
    motion: str = "rest"
    """How the board moves while it is certified."""
    certified: dict[str, Finding] = field(default_factory=dict)
    """What `certify` has to say."""
    status: int = 1
    """Of `certify`."""

    def examine(self, guest: Guest) -> Generator[Callable[[], bool], None, Examined]:
        """Lets the program look at it; what it says is judged later."""
        machine, chips, found = guest.machine, guest.chips, Examined()
        chips.tell("solder", self.chip)
        for words in self.commands:
            chips.tell(*words.replace("CHIP", self.chip).split())
        kind, address = self.chip.split("@")
        options = f"--bus 0 --sensor {self.driven_as or kind}@{address}"
        if self.recording:
            chips.tell("motion", self.chip, self.recorded_motion)
            store = f"/tmp/certify-{address}"
            found.recorded = yield from command(machine, f"imulog --store {store} record {options} {self.recording}")
            found.info = yield from command(machine, f"imulog --store {store} info latest --json")
        chips.tell("motion", self.chip, self.motion)
        found.registers = registers(guest, self.chip)
        chips.tell("writes", self.chip)
        found.certified = yield from command(machine, f"imulog certify {options} --json")
        found.writes = writes(guest, self.chip)
        return found

    def judge(self, found: Examined) -> str:
        told = self._judge_certified(found)
        return f"{self._judge_recording(found)}; {told}" if self.recording else told

    def _judge_recording(self, found: Examined) -> str:
        check(found.recorded.status == 0, f"record ended with {found.recorded.status}: {found.recorded.errors.strip()}")
        check(found.info.status == 0, f"info ended with {found.info.status}: {found.info.errors.strip()}")
        document = json.loads(found.info.output)
        ticks = document["ticks"]
        lines = document["certificate"]["findings"]
        is_late = ticks["sampled"] < ticks["scheduled"]
        told = f"recorded: {self._compare(lines, self.recorded, is_late)}"
        verdicts = {line["verdict"] for line in lines}
        is_open = any(line["verdict"] == "unknown" for line in lines if line["name"] in NEEDED)
        worst = next((verdict for verdict in ("fail", "warn") if verdict in verdicts), "unknown" if is_open else "pass")
        check(document["certificate"]["verdict"] == worst, f"the verdict is {document['certificate']['verdict']}, {told}")
        return told

    def _judge_certified(self, found: Examined) -> str:
        ended = found.certified
        check(ended.status in (0, 1, MOVED), f"certify ended with {ended.status}: {ended.errors.strip()}")
        lines = json.loads(ended.output)["findings"]
        is_late = any(line["name"] == "samples" and line["value"].endswith(" missing") for line in lines)
        told = self._compare(lines, self.certified, is_late)
        check(ended.status == self.status, f"certify ended with {ended.status} and not {self.status}: {told}")
        return f"certified, {ended.status}: {told}; {self._judge_registers(found)} registers as before"

    def _compare(self, lines: list[dict[str, str]], expected: dict[str, Finding], is_late: bool) -> str:
        """Every finding that is expected is there, with its words, and no other one is bad.

        `is_late`: samples are missing, so that something may not have been measured.
        """
        by_name = {line["name"]: line for line in lines}
        bad = {name: line for name, line in by_name.items() if line["verdict"] in ("warn", "fail")}
        told = ", ".join(f"{name} {line['verdict']} {line['value']}" for name, line in bad.items()) or "nothing is bad"
        wanted = {"still": passes(), **expected}
        unmeasured = [
            name for name, finding in wanted.items()
            if finding.verdict != "unknown" and by_name.get(name, {}).get("verdict") == "unknown"]
        if is_late and (unmeasured or "samples" in bad):
            raise HostTooSlow(f"samples are missing, and {', '.join(unmeasured) or 'the rest'} was not measured: {told}")
        strange = sorted(set(bad) - set(expected))
        check(not strange, f"nothing is wrong with {', '.join(strange)}: {told}")
        for name, finding in wanted.items():
            line = by_name.get(name)
            check(line is not None, f"there is no {name}: {told}")
            check(line["verdict"] == finding.verdict, f"{name} is {line['verdict']} and not {finding.verdict}: {told}")
            for words in finding.words:
                # No part of a longer word or number: 0x42 is not in 0x420, nor 0 % in 10 %.
                is_said = re.search(rf"(?<![\w.−-]){re.escape(words)}(?!\w|\.\d)", line["value"])
                check(is_said is not None, f"{name} does not say '{words}': {told}")
        return told

    def _judge_registers(self, found: Examined) -> int:
        """The self-test ran, and after it all registers held what they held before; returns how many were written."""
        kind = self.chip.split("@")[0]
        bits, (reset, reset_bit) = SELF_TESTS[kind], RESETS[kind]
        image, written = bytearray(found.registers), set()
        is_on, is_restored = False, False
        for register, value in found.writes:
            if register == reset and value & reset_bit:
                break
            written.add(register)
            image[register] = value
            is_on |= register in bits and value & bits[register] != 0
            is_restored |= (is_on or self.status == MOVED) and image == found.registers
        check(is_on or self.status == MOVED, f"the self-test was never on: {found.writes}")
        check(is_restored, f"the registers were never as before after the self-test: {found.writes}")
        return len(written)


def registers(guest: Guest, chip: str) -> bytes:
    return bytes.fromhex(guest.chips.tell("registers", chip))


def writes(guest: Guest, chip: str) -> list[tuple[int, int]]:
    """Registers and what was written to them since the last such question."""
    pairs = [pair.split("=") for pair in guest.chips.tell("writes", chip).split()]
    return [(int(register, 16), int(value, 16)) for register, value in pairs]

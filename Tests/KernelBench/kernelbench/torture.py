# SPDX-License-Identifier: Apache-2.0
"""The torture test: any logger by its own command, on this bench's kernel, chip and card, scored by what it leaves.

Each logger has a guest and a card of its own, and goes through the same scenarios, with the same seed. score.py says what is
counted, loggers.py how a logger is described. Exit status: 0 when there is a table, whatever its scores, 1 when the bench
failed, 77 when nothing could be run, 64 for a wrong command line.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from . import clockmap, loggers, score, stalls
from .bench import Bench, Guest
from .chips.truth import read_truth
from .errors import BenchError, CannotRun
from .loggers import Logger, Loss, Row
from .scenarios.guestdisk import Disk, fresh, mount
from .score import Score
from .setup import CANNOT_RUN, HERE, SETUP, prepare, run_script

RATE, FOLDER = 100, "/disk/take"
BRING_UP, UNDER_WAY = 3_000_000_000, 100_000_000
"""Nanoseconds from the command to the first sample that is due of a logger that has none, and before the end in which one
may still be on its way."""


@dataclass(frozen=True)
class Scenario:
    """What happens during a take."""

    name: str
    acts: tuple[tuple[float, str, str], ...] = ()
    """When, as a share of the take; who is told, `chips`, `card` or `guest`; and what."""
    chip: str = "mpu6050"
    is_cut: bool = False
    """Whether the power fails at the end."""


SCENARIOS = (
    Scenario("steady"),
    Scenario("busy", ((0.0, "guest", "timeout {seconds} sh -c 'while :; do :; done'"),) * 2),
    Scenario("bus faults", (
        (0.2, "chips", "nack {chip} 10"), (0.35, "chips", "nackmid {chip} 5 5"), (0.5, "chips", "timeout {chip} 1.0 1"),
        (0.7, "chips", "stall"), (0.8, "chips", "release"))),
    Scenario("brown-out", ((0.4, "chips", "brownout {chip}"),)),
    Scenario("brown-out of an MPU-6500", ((0.4, "chips", "brownout {chip}"),), "mpu6500"),
    Scenario("card stalls for 5 s", ((0.3, "card", "stall 5"),)),
    Scenario("card is full for a while", (
        (0.25, "guest", "dd if=/dev/zero of=/disk/fill bs=1M"), (0.6, "guest", "rm /disk/fill"))),
    Scenario("power cut", is_cut=True),
)
"""A power cut is the last one, as a guest has one life."""
WOBBLE = 0.04
"""Share of the take by which the seed moves each act."""


class Torture:
    """A logger in its guest."""

    def __init__(self, bench: Bench, logger: Logger, seed: int, seconds: float, rivals: list[str]) -> None:
        self.bench, self.logger, self.seed, self.seconds, self.rivals = bench, logger, seed, seconds, rivals
        self.name = "".join(letter if letter.isalnum() else "-" for letter in logger.name)
        self.directory = fresh(bench.directory / self.name)
        self.disk = Disk(self.directory, "ext4")
        self.clock = random.Random(seed).uniform(-10_000, 10_000)  # ppm: the data sheet allows 1 %

    def run(self, scenarios: list[Scenario]) -> list[Score]:
        self.guest = self.boot("life")
        try:
            clocks = clockmap.compare(self.guest)
            monotonic = clocks.raw + clocks.offset
            self.ahead = {"monotonic": monotonic, "realtime": clocks.real + monotonic}
            return [self.play(scenario) for scenario in scenarios]
        finally:
            self.guest.stop()
            self.disk.stop()

    def boot(self, life: str) -> Guest:
        """A guest with the card, and with the programs of others."""
        guest = self.bench.boot(f"{self.name}/{life}", disks=[f"nbd:unix:{self.disk.socket}", *self.rivals], is_busy=True)
        mount(guest, "ext4")
        shutil.copytree(loggers.FOLDER / "programs", guest.machine.share / "programs")
        guest.chips.tell("absent", "lsm6dso")
        stalls.watch(guest)
        return guest

    def play(self, scenario: Scenario) -> Score:
        """Runs the logger through a scenario, and judges what it leaves."""
        machine, chips, chip = self.guest.machine, self.guest.chips, scenario.chip
        name = scenario.name.replace(" ", "-")
        fill = lambda words: words.format(chip=chip, folder=FOLDER, seconds=int(self.seconds))
        for words in ("healthy {chip}", "solder {chip}", f"clock {{chip}} {self.clock}", *self.logger.wires):
            chips.tell(fill(words))
        truth = self.directory / f"{name}.truth"
        chips.tell("truth", truth)
        for words in self.logger.before:
            machine.check(fill(words))
        stalls.since_last(self.guest)
        begin = time.monotonic_ns()
        started = machine.start(
            f"mkdir -p {FOLDER}; cd {FOLDER}; echo $$ >/tmp/logger; exec foreground {fill(self.logger.command)} >log 2>errors")
        self.act(scenario, fill)
        still = sum(stalls.since_last(self.guest)) / 1e9
        status = machine.finish(started).status if machine.has_ended(started) else 0
        end = time.monotonic_ns()
        if scenario.is_cut:
            machine.cut()
        else:
            self.stop(started)
        chips.tell("truth", "-")
        if scenario.is_cut:
            self.guest.stop()
            self.disk.cut(self.seed)
            self.guest = self.boot("second-life")
            machine = self.guest.machine
        else:
            for words in self.logger.after:
                machine.check(fill(words))
        machine.check(f"[ ! -e {FOLDER} ] || cp -r {FOLDER} /host/{name}; rm -rf {FOLDER}; sync")
        rows, losses = self.log(machine.share / name)
        losses += [Loss(max([row.time for row in rows], default=0), 1 << 63, float("inf"))] * bool(status)
        made = read_truth(truth).samples.get(chip, [])
        result = score.judge((rows, losses), made, begin + BRING_UP, end - UNDER_WAY, RATE, self.logger.scale)
        ending = f"; ended by itself with {status}" if status else ""
        print(f"  {scenario.name}: {result.words()}{ending}; the guest stood still for {still:.2f} s", flush=True)
        return result

    def act(self, scenario: Scenario, fill: Callable[[str], str]) -> None:
        """Does what happens in a take of the scenario, which is over then."""
        chance, begin = random.Random(f"{self.seed} {scenario.name}"), time.monotonic()
        for share, who, words in scenario.acts:
            due = begin + self.seconds * (share and share + chance.uniform(0, WOBBLE))
            time.sleep(max(0.0, due - time.monotonic()))
            tell = {"chips": self.guest.chips.tell, "card": self.disk.tell, "guest": self.guest.machine.start}[who]
            tell(fill(words))
        length = self.seconds * (1 - chance.uniform(0, WOBBLE))
        time.sleep(max(0.0, begin + length - time.monotonic()))

    def stop(self, started: str) -> None:
        """Ends the logger as Ctrl-C does, or by force."""
        for signal in ("INT", "KILL"):
            self.guest.machine.run(f"kill -{signal} $(cat /tmp/logger)")
            with suppress(BenchError):
                self.guest.machine.finish(started, self.logger.command, 40)
                return
            print(f"  did not end within 40 s of SIG{signal}", flush=True)

    def log(self, folder: Path) -> loggers.Log:
        """What the logger left, by the host's clock."""
        rows, losses = self.logger.read(folder, self.bench.program) if (folder / "log").exists() else ([], [])
        ahead = sum(astuple(self.ahead[self.logger.clock])) // 2
        return (
            [Row(row.time - ahead, row.values) for row in rows],
            [Loss(loss.first - ahead, loss.last - ahead, loss.count) for loss in losses])


def main() -> int:
    options = parse()
    program = Path(options.program).resolve()
    files = [Path(name) if "/" in name else loggers.FOLDER / f"{name}.py" for name in options.loggers]
    chosen = [scenario for scenario in SCENARIOS if options.only in scenario.name]
    missing = [f"no file at {path}" for path in (program, *files) if not path.is_file()]
    if missing or not chosen:
        print(f"torture: {[*missing, 'no such scenario'][0]}", file=sys.stderr)
        return 64
    keep = Path(options.keep or tempfile.mkdtemp(prefix="torture-")).resolve()
    bench = Bench(keep, prepare("amd64", program, keep), program)
    print(f"torture: --seed {options.seed} --seconds {options.seconds:g} ({bench.platform.accelerator}), logs in {keep}", flush=True)
    table = ["| logger | lost | unnamed | late | doubled | torn | mis-scaled |", "|---|---|---|---|---|---|---|"]
    for logger in map(loggers.load, files):
        print(f"{logger.name}:", flush=True)
        try:
            rivals = [run_script(SETUP / "rivals.sh")] if logger.command.startswith(loggers.RIVAL) else []
            total = sum(Torture(bench, logger, options.seed, options.seconds, rivals).run(chosen), Score())
        except (BenchError, CannotRun) as error:
            table.append(f"| {logger.name} | not run: {str(error).splitlines()[0]} | | | | | |")
            continue
        table.append(
            f"| {logger.name} | {total.lost} of {total.due} | {total.unnamed} | {total.late} | {total.doubled} | {total.torn} |"
            f" {total.misscaled} |")
    print("\n".join(table))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="torture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = sorted(path.stem for path in loggers.FOLDER.glob("*.py"))
    parser.add_argument(
        "loggers", nargs="*", metavar="LOGGER", default=known, help=f"of {', '.join(known)}, or a file that describes one; all")
    parser.add_argument("--only", default="", metavar="WORDS", help="scenarios whose name has these words; all")
    parser.add_argument("--seconds", type=float, default=20, metavar="N", help="of each take; 20")
    parser.add_argument("--program", default=str(HERE / "../../.build/release/imulog"), help="imulog, static; .build/release/imulog")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(1 << 32), help="of the chip's clock and the acts' moments; a random one")
    parser.add_argument("--keep", metavar="DIR", help="where logs, truth files and consoles go; else a temporary folder")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BenchError, CannotRun) as error:
        print(f"torture: {error}", file=sys.stderr)
        sys.exit(CANNOT_RUN if isinstance(error, CannotRun) else 1)

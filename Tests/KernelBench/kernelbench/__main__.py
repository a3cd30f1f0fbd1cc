# SPDX-License-Identifier: Apache-2.0
"""The command: prepares, runs the scenarios, prints the summary.

Exit status: 0 when all scenarios that ran passed, 1 when one failed, 77 when nothing could be tried, 64 for a wrong
command line.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .bench import Bench
from .errors import BenchError, CannotRun
from .scenario import FAILED, REPEATED, Group, Report
from .scenarios import (
    adapters, arm64, button, certify, checks, chip, faults, fifo, losses, pi, powercuts, resets, sensors, takes, together)
from .setup import CANNOT_RUN, HERE, prepare

GROUPS = (
    "takes", "faults", "resets", "losses", "adapters", "fifo", "certify", "chip", "together", "button", "sensors", "cuts", "pi",
    "arm64")
SAMPLED_GROUPS, SAMPLED_SHARE = 4, 0.5
"""What a sample has: so many groups and the last one, and this share of their scenarios."""


def main() -> int:
    options = parse()
    program = Path(options.program).resolve()
    if not program.is_file():
        print(f"kernelbench: no program at {program}; build it as README.md says, or name one with --program",
              file=sys.stderr)
        return 64
    keep = Path(options.keep or tempfile.mkdtemp(prefix="kernelbench-"))
    report = Report()
    try:
        bench = Bench(keep, prepare("amd64", program, keep), program)
    except CannotRun as error:
        print(f"kernelbench: cannot run here: {error}")
        return CANNOT_RUN
    except BenchError as error:
        print(f"kernelbench: {error}", file=sys.stderr)
        return 1
    print(f"kernelbench: guests run by {bench.platform.accelerator}, traces are in {keep}", flush=True)
    run(bench, report, options)
    print(report.summary())
    if report.count(FAILED):
        return 1
    if not options.keep and not report.count(REPEATED):
        shutil.rmtree(keep)
    return 0


def run(bench: Bench, report: Report, options: argparse.Namespace) -> None:
    """Runs the requested scenarios, in this order:

        faults, takes, losses, fifo, ║ one guest a processor: they mostly wait
        certify                      ║
        button, sensors, adapters,   ║
        resets                       ║
        arm64's program is built     ║ when nothing else wants a processor
        what failed of these         one by one
        chip, together               alone: their guests are busy
        cuts                         on both processors
        pi
        arm64
    """
    asked = options.groups or GROUPS
    is_chosen = lambda name: True
    if options.sample:
        chance = random.Random(options.seed)
        asked = [*chance.sample(GROUPS[:-1], SAMPLED_GROUPS), GROUPS[-1]]
        is_chosen = lambda name: random.Random(f"{options.seed} {name}").random() < SAMPLED_SHARE
        print(f"kernelbench: half of {', '.join(asked)}, --sample --seed {options.seed}", flush=True)
    scenarios = {
        "takes": lambda group: takes.run(bench, group),
        "faults": lambda group: faults.run(bench, group),
        "resets": lambda group: resets.run(bench, group),
        "losses": lambda group: losses.run(bench, group),
        "adapters": lambda group: adapters.run(bench, group),
        "certify": lambda group: certify.run(bench, group),
        "fifo": lambda group: fifo.run(bench, group),
        "chip": lambda group: chip.run(bench, group, options.chip_minutes),
        "together": lambda group: together.run(bench, group, options.chip_minutes),
        "sensors": lambda group: sensors.run(bench, group),
        "button": lambda group: button.run(bench, group, options.trains, options.button_takes, options.seed),
        "cuts": lambda group: powercuts.run(bench, group, options.cuts, options.seed),
        "pi": lambda group: pi.run(bench, group, arm64_program.result(), not options.sample),
        "arm64": lambda group: arm64.run(bench, group, arm64_program.result())}
    groups = {name: Group(name, scenarios[name], report, is_chosen) for name in GROUPS if name in asked}

    def try_first(*names: str) -> None:
        for name in names:
            if name in groups:
                groups[name].first()

    def try_again(*names: str) -> None:
        for name in names:
            if name in groups:
                groups[name].again(bench.directory / name)

    Group("checks", lambda group: checks.run(bench.directory, group), report).once()
    with ThreadPoolExecutor() as pool:
        if "arm64" in asked or "pi" in asked:
            arm64_program = pool.submit(lambda: options.arm64_program or arm64.build(bench.directory))
        lanes = (("faults", "takes", "losses", "fifo", "certify"), ("button", "sensors", "adapters", "resets"))
        for lane in [pool.submit(try_first, *names) for names in lanes]:
            lane.result()
        for names in lanes:
            try_again(*names)
        for name in ("chip", "together"):
            try_first(name)
            try_again(name)
        if "cuts" in groups:
            groups["cuts"].once()
        if "pi" in groups:
            groups["pi"].once()
        try_first("arm64")
        try_again("arm64")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", choices=[[], *GROUPS], help=f"of {', '.join(GROUPS)}; all")
    parser.add_argument(
        "--program", default=str(HERE / "../../.build/release/imulog"), help="the static binary; .build/release/imulog")
    parser.add_argument(
        "--arm64-program", type=Path, metavar="FILE", help="the binary for arm64; built by .ci/cross")
    parser.add_argument("--sample", action="store_true", help="four groups by the seed and arm64, and half of their scenarios")
    parser.add_argument("--cuts", type=int, metavar="N", help="power cuts on each file system; 10, in a sample 2")
    parser.add_argument(
        "--chip-minutes", type=float, default=0, metavar="N", help="takes by the chip's clock, without a fault; 10 s")
    parser.add_argument("--trains", type=int, default=40, metavar="N", help="presses with bouncing contacts; 40")
    parser.add_argument("--button-takes", type=int, default=10, metavar="N", help="takes begun and ended by the button; 10")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(1 << 32), help="of the cuts' moments and the contacts; a random one")
    parser.add_argument(
        "--keep", metavar="DIR",
        help="where consoles, truth files and exports go; else a temporary folder that is removed when nothing failed, not"
        " even at first")
    options = parser.parse_args()
    if options.cuts is None:
        options.cuts = 2 if options.sample else 10
    return options


if __name__ == "__main__":
    sys.exit(main())

"""The command: prepares, runs the scenarios, prints the summary.

Exit status: 0 when all that ran passed, 1 when a scenario failed, 77 when nothing could be tried, 64 for a wrong
command line.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

from .bench import Bench
from .errors import BenchError, CannotRun
from .scenario import FAILED, Report
from .scenarios import adapters, arm64, button, checks, faults, powercuts, takes
from .setup import CANNOT_RUN, HERE, prepare

GROUPS = ("takes", "faults", "adapters", "button", "cuts", "arm64")


def main() -> int:
    options = parse()
    program = Path(options.program).resolve()
    if not program.is_file():
        print(f"kernelbench: no program at {program}; build it as README.md says, or name one with --program",
              file=sys.stderr)
        return 64
    keep = options.keep or tempfile.mkdtemp(prefix="kernelbench-")
    report = Report()
    try:
        bench = Bench(Path(keep), prepare("amd64", program, Path(keep)), program)
    except CannotRun as error:
        print(f"kernelbench: cannot run here: {error}")
        return CANNOT_RUN
    except BenchError as error:
        print(f"kernelbench: {error}", file=sys.stderr)
        return 1
    print(f"kernelbench: guests run by {bench.platform.accelerator}, traces are in {keep}", flush=True)
    groups = options.groups or GROUPS
    checks.run(Path(keep), report)
    for name, group in (("takes", takes), ("faults", faults), ("adapters", adapters)):
        if name in groups:
            report.run_timed_group(name, lambda: group.run(bench, report), Path(keep, name))
    if "button" in groups:
        report.run_timed_group(
            "button", lambda: button.run(bench, report, options.trains, options.button_takes, options.seed),
            Path(keep, "button"))
    if "cuts" in groups:
        report.run_group("cuts", lambda: powercuts.run(bench, report, options.cuts, options.seed))
    if "arm64" in groups:
        report.run_timed_group(
            "arm64", lambda: arm64.run(bench, report, options.arm64_program), Path(keep, "arm64"))
    print(report.summary())
    if report.count(FAILED):
        return 1
    if not options.keep:
        shutil.rmtree(keep)
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", choices=[[], *GROUPS], help=f"of {', '.join(GROUPS)}; all")
    parser.add_argument(
        "--program", default=str(HERE / "../../.build/release/imulog"), help="the static binary; .build/release/imulog")
    parser.add_argument(
        "--arm64-program", type=Path, metavar="FILE", help="the binary for arm64; built by setup/cross-arm64.sh")
    parser.add_argument("--cuts", type=int, default=10, metavar="N", help="power cuts on each file system; 10")
    parser.add_argument("--trains", type=int, default=40, metavar="N", help="presses with bouncing contacts; 40")
    parser.add_argument("--button-takes", type=int, default=10, metavar="N", help="takes begun and ended by the button; 10")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(1 << 32), help="of the cuts' moments and the contacts; a random one")
    parser.add_argument("--keep", metavar="DIR", help="where consoles, truth files and exports go; else a temporary folder that a run without failures removes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Decodes every golden log of the tests and compares it with its JSON twin.

The exit status is 0 when all agree, else 1 after a sentence for each that
does not.
"""

import argparse
import json
import sys
from pathlib import Path

from imulog import records
from imulog.log import Log, Refusal

GOLDEN = Path(__file__).parent.parent / "LogFormatTests" / "Golden"


def _number(names, name):
    return next(number for number, known in names.items() if known == name)


def _plain(record):
    """Records as the twins have them; none for ticks that are lost."""
    kind = record["record"]
    if kind == "samples":
        return [["sample", tick, time, *channels]
                for tick, time, channels in record["samples"]]
    if kind == "gap":
        return [["gap", record["first"], record["ticks"],
                 _number(records.CAUSES, record["cause"]), record["code"]]]
    if kind == "mark":
        return [["mark", record["time"], record["label"]]]
    if kind == "reading":
        return [["reading", record["epoch"],
                 _number(records.EPOCH_CAUSES, record["cause"]),
                 record["first-tick"], record["count-before"],
                 record["count"], record["before"], record["length"],
                 record["clock-offset"], int(record["drained"])]
                + ([] if record["ticks"] is None
                   else [record["ticks"], record["ticks-per-slot"]])]
    if kind == "clock-pair":
        return [["clock", record["time"], record["wall"],
                 int(record["synchronised"]),
                 _number(records.PAIR_REASONS, record["reason"]),
                 *record["others"]]]
    if kind == "bus-clock":
        return [["bus", record["time"], *record["clocks"]]]
    if kind == "field":
        return [["field", record["time"], record["width"], *record["counts"],
                 record["flags"]]]
    if kind == "sensor-event":
        return [["sensor", record["tick"],
                 _number(records.EVENT_KINDS, record["kind"]),
                 _number(records.FAULTS, record["fault"])]]
    if kind == "end":
        return [["end", _number(records.END_REASONS, record["reason"]),
                 *(record["ledger"][name] for name in records.LEDGER),
                 *record["lateness"].values(),
                 *(count for name, count in record["ledger"].items()
                   if name not in records.LEDGER)]]
    if kind == "certificate":
        return [["certificate", *sum(record["findings"], [])]]
    if kind == "skipped":
        return [["unknown", record["kind"]]]
    return []


def _parts(plain):
    """Lists and others apart: twins keep the order of each."""
    lists = ("sample", "reading", "field")
    return (*([record for record in plain if record[0] == name]
              for name in lists),
            [record for record in plain if record[0] not in (*lists, "flush")])


def disagreement(path):
    """What differs between a log and its twin, or None."""
    twin = json.loads(path.with_suffix(".json").read_text("utf-8"))
    with path.open("rb") as file:
        try:
            log = Log(file)
        except Refusal as refusal:
            return None if twin.get("refused") else str(refusal)
        if twin.get("refused"):
            return "it is to be refused, and is not"
        found = list(log.records())
    plain = [part for record in found for part in _plain(record)]
    damage = [[record["page"], record["offset"] % 4096, record["point"]]
              for record in found if record["record"] == "damage"]
    for what, here, there in zip(
            ("samples", "readings", "the field", "other records"), _parts(plain),
            _parts(twin["records"])):
        if here != there:
            return f"{what} differ"
    if damage != twin.get("damage", []):
        return f"what is passed over is {damage}"
    fields = log.description.fields
    for key, value in twin["header"].items():
        here = fields.get(key, "")
        here = " ".join(here) if key == "channels" else str(here)
        if here != value:
            return f"header key {key} is {here!r}"
    return None


def main():
    """Checks the logs in a folder, the tests' own unless one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=GOLDEN)
    folder = parser.parse_args().folder
    paths = sorted(folder.glob("*.imulog"))
    if len(paths) != len(list(folder.glob("*.json"))) or not paths:
        sys.exit(f"{folder} has no logs, or not as many twins.")
    failed = 0
    for path in paths:
        if why := disagreement(path):
            print(f"{path.name}: {why}.", file=sys.stderr)
            failed += 1
    if failed:
        sys.exit(f"{failed} of {len(paths)} golden logs disagree.")
    print(f"{len(paths)} golden logs decode to their twins.")


if __name__ == "__main__":
    main()

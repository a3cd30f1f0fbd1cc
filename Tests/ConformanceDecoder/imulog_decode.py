# SPDX-License-Identifier: Apache-2.0
"""Prints the JSON twin of an imulog log, or its samples as CSV.

The exit status is 0 for an intact log, 65 for a damaged one or another file,
66 for a file that cannot be opened and 74 for one that cannot be read on.
"""

import argparse
import json
import os
import sys
from collections import Counter

from imulog.log import Log, Refusal

STATUS_INTACT = 0
STATUS_DAMAGED = 65
STATUS_NO_INPUT = 66
STATUS_IO_ERROR = 74


def print_json(log):
    """One record a line; returns the damages found."""
    header = {**log.description.fields,
              "skipped-keys": log.description.skipped_keys}
    print(f'{{"header": {json.dumps(header, indent=1)},\n"records": [')
    counts = Counter()
    lost_bytes = 0
    for number, record in enumerate(log.records()):
        counts[record["record"]] += 1
        if record["record"] == "samples":
            counts["sample"] += len(record["samples"])
        elif record["record"] == "damage":
            lost_bytes += record["bytes"]
        print("," * (number > 0) + json.dumps(record))
    summary = {
        "samples": counts["sample"], "gaps": counts["gap"],
        "marks": counts["mark"], "clock-pairs": counts["clock-pair"],
        "sensor-events": counts["sensor-event"],
        "skipped": counts["skipped"], "damages": counts["damage"],
        "damaged-bytes": lost_bytes, "has-end": counts["end"] > 0,
        "whole": counts["end"] > 0 and counts["damage"] == 0}
    print(f'],\n"summary": {json.dumps(summary)}}}')
    return counts["damage"]


def print_csv(log):
    """A line for each sample, damage as sentences on standard error."""
    print(",".join(["tick", "time", *log.description.channels]))
    damages = 0
    for record in log.records():
        if record["record"] == "samples":
            print("\n".join(f"{tick},{time},{','.join(map(str, channels))}"
                            for tick, time, channels in record["samples"]))
        elif record["record"] == "damage":
            damages += 1
            print("page {page}, byte {offset}: {why}; {bytes} bytes "
                  "passed over.".format(**record), file=sys.stderr)
    return damages


def decode(path, printer):
    """Decodes the file at the path; returns the exit status."""
    try:
        file = open(path, "rb")
    except (OSError, ValueError) as error:
        print(f"{path!a} cannot be opened: {error}.", file=sys.stderr)
        return STATUS_NO_INPUT
    with file:
        try:
            return STATUS_DAMAGED if printer(Log(file)) else STATUS_INTACT
        except Refusal as refusal:
            print(f"{path!a}: {refusal}.", file=sys.stderr)
            return STATUS_DAMAGED


def main():
    """The command; see --help."""
    parser = argparse.ArgumentParser(description="Decodes an imulog log.")
    parser.add_argument("file", help="the log")
    parser.add_argument("--samples-csv", action="store_true",
                        help="print the samples as CSV instead of JSON")
    arguments = parser.parse_args()
    printer = print_csv if arguments.samples_csv else print_json
    try:
        status = decode(arguments.file, printer)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"Input or output failed: {error}.", file=sys.stderr)
        status = STATUS_IO_ERROR
    sys.exit(status)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The times of a chip's samples against the simulated chip's own, beside what other loggers make of the same readings."""

import json

from .common import Figure, run

RATES = 104, 416, 1000, 1666
METHODS = {
    "chipClock": "imulog", "regression": "exponential regression of time and count, 5 s",
    "countOverTime": "count ÷ time over the whole recording", "kernelFilter": "Linux's filter, without a line",
    "nominal": "the nominal rate from the first sample",
}


def length(microseconds):
    """Such as `13.9 µs`, `8.4 ms` or `6.7 s`."""
    for factor, unit in ((1e6, "s"), (1e3, "ms"), (1, "µs")):
        if microseconds >= factor:
            return f"{microseconds / factor:.3g} {unit}"
    return f"{microseconds:.2g} µs"


def lengths(values):
    return " / ".join(length(value) for value in values)


def clock(bench):
    found = {rate: json.loads(run(bench.program, "clock", rate)) for rate in RATES}
    first = found[RATES[0]]
    lines = [[name, *(lengths(found[rate]["errors"][method]) for rate in RATES)] for method, name in METHODS.items()]
    lines.append(["imulog, half of the proved interval", *(lengths(found[rate]["halfWidth"]) for rate in RATES)])
    lines.append(["imulog, samples outside of it",
                  *(f"{found[rate]['outside']} of {found[rate]['samples']:,}" for rate in RATES)])
    table = ("Times by the chip's clock: error p50 / p99 / max", ["method", *(f"{rate} Hz" for rate in RATES)], lines)
    note = (f"{first['seconds']:.0f} s of simulated chips 5 % slow, 3 % fast and 7 % fast, a reading each 20 ms; seeds "
            + ", ".join(str(seed) for seed in first["seeds"]))
    figures = []
    for rate in RATES:
        ours, peer = (found[rate]["errors"][method] for method in ("chipClock", "regression"))
        figures.append(Figure(
            f"clock-{rate}", f"error of a sample's time at {rate} Hz, p99 ÷ exponential regression", length(ours[1]),
            ours[1] / peer[1], length(peer[1]), note, table if rate == RATES[0] else None))
        note = ""
    outside = sum(found[rate]["outside"] for rate in RATES)
    figures.append(Figure(
        "clock-outside", "samples outside of their proved interval, of "
        + f"{sum(found[rate]['samples'] for rate in RATES):,}", str(outside), outside))
    return figures

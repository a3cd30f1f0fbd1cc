# SPDX-License-Identifier: Apache-2.0
"""The common parts of the measurements: results, reasons to skip, programs to run."""

import statistics
import subprocess


class Skip(Exception):
    """A figure that cannot be measured here, and why."""


class Figure:
    """One line of the table. `value` is what is judged: a ratio to the peer if there is one, else the figure.

    `table`, if any, is shown in full below: its title, headings, and lines of texts.
    """

    def __init__(self, key, what, ours, value, peer="", note="", table=None):
        self.key, self.what, self.ours, self.value, self.peer, self.note = key, what, ours, value, peer, note
        self.table = table


def run(*command, **options):
    """The output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        told = done.stderr.strip().splitlines()
        raise Skip(f"{command[0]} failed ({done.returncode}): {told[-1] if told else 'it said nothing'}")
    return done.stdout


def interleaved(rounds, *measurements):
    """Runs the measurements in turn, `rounds` times, and returns the list of values of each."""
    values = [[] for _ in measurements]
    for _ in range(rounds):
        for column, measure in zip(values, measurements):
            column.append(measure())
    return values


def median_ratio(ours, theirs):
    """The median of the ratios of neighbours: a disturbance hits both."""
    return statistics.median(a / b for a, b in zip(ours, theirs))


def si(number, unit):
    """Such as `1.67 M/s`."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= factor:
            return f"{number / factor:.3g} {prefix}{unit}"
    return f"{number:.3g} {unit}"

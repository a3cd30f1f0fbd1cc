# SPDX-License-Identifier: Apache-2.0
"""Judges figures by thresholds.json and prints them."""

import datetime
import json

HEADINGS = ("figure", "ours", "peer", "ratio", "must", "aim", "verdict")
MISSED = "MISSED"


class Thresholds:
    def __init__(self, path):
        self.entries = {entry["key"]: entry for entry in json.loads(path.read_text())}

    def verdict(self, figure):
        """How a figure stands: a threshold missed by less than the slack is noise, not a failure."""
        entry = self.entries[figure.key]
        sign = 1 if entry["better"] == "higher" else -1
        slack = 1 - sign * entry["slack"]
        if sign * figure.value >= sign * entry["aim"]:
            return "aim reached"
        if sign * figure.value >= sign * entry["must"]:
            return "reached"
        if sign * figure.value >= sign * entry["must"] * slack:
            return "within noise of must"
        return MISSED


def number(value):
    return f"{value / 1e6:g} M" if value >= 1e5 else f"{value:g}"


def rows(figures, thresholds):
    """The table, each line a list of texts."""
    table = []
    for figure in figures:
        entry = thresholds.entries[figure.key]
        ratio = f"{figure.value:.3f}" if figure.peer else "–"
        table.append([figure.what, figure.ours, figure.peer or "–", ratio, number(entry["must"]),
                      number(entry["aim"]), thresholds.verdict(figure)])
    return table


def markdown(table, headings=HEADINGS):
    lines = [headings, ["---"] * len(headings), *table]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def page(figures, skipped, thresholds, machine, recordings):
    """The page of results, as Markdown."""
    parts = [
        "# Results of the benchmarks",
        "Made by `Tests/Benchmarks/measure --write`, not by hand. Must and aim are in `thresholds.json`. Times differ from\n"
        "machine to machine, so read the ratios: ours and peer were measured in turn on the same machine.",
        "\n".join(["| machine | |", "|---|---|", *(f"| {name} | {value} |" for name, value in machine),
                   f"| day | {datetime.date.today()} |", f"| recordings | {recordings} |"]),
        markdown(rows(figures, thresholds)),
    ]
    if skipped:
        parts.append("Not measured:\n\n" + "\n".join(f"- {name}: {reason}" for name, reason in skipped))
    for title, headings, lines in (figure.table for figure in figures if figure.table):
        parts.append(f"## {title}\n\n{markdown(lines, headings)}")
    notes = [f"- **{figure.what}.** {figure.note}." for figure in figures if figure.note]
    if notes:
        parts.append("## Notes\n\n" + "\n".join(notes))
    return "\n\n".join(parts) + "\n"

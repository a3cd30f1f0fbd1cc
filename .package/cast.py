# SPDX-License-Identifier: Apache-2.0
"""Draws the terminal's live view of a simulated recording, as tmux shows it, for README.md:

    python3 .package/cast.py .build/release/imulog Sources/imulog/imulog.docc/Resources/live.svg

Needs tmux, and as many seconds as SECONDS. No font decides how the graph looks: the dots of Braille are drawn, and each
word has its width.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from xml.sax.saxutils import escape

COLUMNS, ROWS, SECONDS = 92, 26, 9
RECORD = ["record", "--board", "simulator", "--motion", "tumble", "--rate", "100", "--for", "10s", "--note", "first try"]
WIDTH, HEIGHT, MARGIN = 8, 17, 12  # of a cell, and around all
PAPER, INK = "#14181d", "#d5dae0"
PALETTE = ["#14181d", "#e5534b", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#d5dae0",
           "#768390", "#ff7b72", "#6bc46d", "#e3b341", "#6cb6ff", "#dcbdfb", "#56d4dd", "#ffffff"]
# Bits of a Braille character by column and row.
DOTS = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]


def capture(program):
    """The rows of the screen after SECONDS of a recording, with their escape sequences."""
    with tempfile.TemporaryDirectory() as folder:
        tmux = ["tmux", "-S", f"{folder}/socket", "-f", "/dev/null"]
        environment = os.environ | {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "IMULOG_STORE": f"{folder}/store"}
        command = f"COLORFGBG='15;0' exec '{os.path.abspath(program)}' " + " ".join(f"'{word}'" for word in RECORD)
        subprocess.run([*tmux, "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), command],
                       env=environment, check=True)
        try:
            time.sleep(SECONDS)
            return subprocess.run([*tmux, "capture-pane", "-e", "-p"], env=environment, check=True,
                                  stdout=subprocess.PIPE).stdout.decode().splitlines()
        finally:
            subprocess.run([*tmux, "kill-server"], env=environment, check=True)


def colour(codes):
    """The colour that begins at the first of these codes, which is 38 or 48, and takes the others that it needs."""
    kind = codes.pop(0)
    if kind == 2:
        return "#%02x%02x%02x" % tuple(codes.pop(0) for _ in range(3))
    index = codes.pop(0)
    if index < 16:
        return PALETTE[index]
    if index >= 232:
        return "#" + "%02x" % (8 + 10 * (index - 232)) * 3
    steps = [0, 95, 135, 175, 215, 255]
    return "#" + "".join("%02x" % steps[(index - 16) // part % 6] for part in (36, 6, 1))


def change(style, codes):
    """The style after an escape sequence with these codes."""
    codes = codes or [0]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = {}
        elif code in (38, 48):
            style = style | {"ink" if code == 38 else "paper": colour(codes)}
        elif code in (39, 49):
            style = style | {"ink" if code == 39 else "paper": None}
        elif code in (22, 27):
            style = style | ({"bold": False, "dim": False} if code == 22 else {"reverse": False})
        elif code in (1, 2, 7):
            style = style | {{1: "bold", 2: "dim", 7: "reverse"}[code]: True}
        elif (code // 10) in (3, 9):
            style = style | {"ink": PALETTE[code % 10 + (8 if code >= 90 else 0)]}
        elif (code // 10) in (4, 10):
            style = style | {"paper": PALETTE[code % 10 + (8 if code >= 100 else 0)]}
    return style


def cells(rows):
    """Each character with its column, row and style; tmux carries a style over to the next row."""
    style = {}
    for y, row in enumerate(rows):
        x = 0
        for part in re.split(r"(\x1b\[[0-9;]*m)", row):
            if part.startswith("\x1b"):
                style = change(style, [int(code or 0) for code in part[2:-1].split(";")])
                continue
            for character in part:
                yield x, y, character, style
                x += 1


def draw(rows):
    """The picture."""
    dots, papers, words = {}, [], []
    for x, y, character, style in cells(rows):
        ink, paper = style.get("ink") or INK, style.get("paper")
        if style.get("reverse"):
            ink, paper = paper or PAPER, ink
        look = (ink, style.get("bold", False), style.get("dim", False))
        left, top = MARGIN + x * WIDTH, MARGIN + y * HEIGHT
        if paper and paper != PAPER:
            papers.append(f'<path d="M{left} {top}h{WIDTH}v{HEIGHT}h-{WIDTH}z" fill="{paper}"/>')
        if 0x2800 <= ord(character) < 0x2900:
            for bit, (column, row) in enumerate(DOTS):
                if ord(character) >> bit & 1:
                    dots.setdefault(look, []).append(f"M{left + 1 + 4 * column} {top + 1 + 4 * row}h2.4v2.4h-2.4z")
        elif character != " ":
            if words and words[-1][:2] == (y, look) and words[-1][2] + len(words[-1][3]) == x:
                words[-1] = (*words[-1][:3], words[-1][3] + character)
            else:
                words.append((y, look, x, character))
    width, height = 2 * MARGIN + COLUMNS * WIDTH, 2 * MARGIN + ROWS * HEIGHT
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
           'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">',
           "<title>imulog record, on a terminal</title>", f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>']
    out += papers
    for look, parts in dots.items():
        out.append(f'<path {attributes(look)} d="{"".join(parts)}"/>')
    for y, look, x, text in words:
        out.append(f'<text x="{MARGIN + x * WIDTH}" y="{MARGIN + y * HEIGHT + 13}" textLength="{len(text) * WIDTH}" '
                   f'lengthAdjust="spacingAndGlyphs" {attributes(look)}>{escape(text)}</text>')
    return "\n".join(out + ["</svg>", ""])


def attributes(look):
    ink, isBold, isDim = look
    return f'fill="{ink}"' + ' font-weight="bold"' * isBold + ' opacity="0.6"' * isDim


def main():
    _, program, target = sys.argv
    picture = draw(capture(program))
    with open(target, "w", encoding="utf-8") as file:
        file.write(picture)
    print(f"{target}: {len(picture.encode())} bytes")


main()

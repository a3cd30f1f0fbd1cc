# SPDX-License-Identifier: Apache-2.0
"""Opens exported pages in a headless Chromium and uses them: rendered, zoomed, played, dark, on a phone.

    Tests/BrowserPage/check_page.py [PROGRAM] [--screenshots FOLDER]

PROGRAM is .build/release/imulog when not given. Needs Debian's package chromium; without one it says so and ends
with status 77, having checked that the drawing for papers is well-formed XML. Takes some 40 s.
"""

import argparse
import base64
import os
import re
import shutil
import sys
import tempfile
import time
import xml.dom.minidom

sys.dont_write_bytecode = True

import browser  # noqa: E402
from access import Access  # noqa: E402
from field import Field  # noqa: E402
from odd_pages import OddPages  # noqa: E402
from recordings import WORDS, Recordings  # noqa: E402
from snippets import CLEAR, PIXELS, WHEEL  # noqa: E402
from takes import Takes  # noqa: E402
from turned import Turned  # noqa: E402

COLOURS = {
    False: {"x": (192, 74, 0), "y": (0, 103, 173), "z": (0, 122, 85), "page": (255, 255, 255)},
    True: {"x": (255, 148, 87), "y": (98, 189, 245), "z": (69, 211, 162), "page": (20, 23, 28)},
}


class Check:
    def __init__(self, page, screenshots):
        self.page = page
        self.screenshots = screenshots

    def that(self, condition, words):
        if not condition:
            if self.screenshots:
                self.shoot("failed")
            raise AssertionError(words)

    def shoot(self, name, whole=False):
        if self.screenshots:
            self.page.shoot(os.path.join(self.screenshots, name + ".png"), whole)

    def clock(self):
        """The seconds that the page's clock shows."""
        text = self.page.evaluate("document.getElementById('clock').firstChild.textContent")
        place = text.split(" · ")[1] if text.startswith("Gap") else text
        minutes, _, seconds = place.split(" ")[0].rpartition(":")
        return float(minutes or 0) * 60 + float(seconds)

    def key(self, key, shift=False):
        """Presses a key on the first graph."""
        self.page.evaluate("document.querySelector('.panel canvas').focus({ preventScroll: true })")
        self.page.key(key, shift)

    def download(self, button):
        """The text of the file that a button saves."""
        folder = tempfile.mkdtemp(prefix="imulog-saved-")
        try:
            self.page.send("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.page.evaluate(f"document.getElementById('{button}').click()")
            for _ in range(100):
                names = [name for name in os.listdir(folder) if not name.endswith(".crdownload")]
                if names:
                    with open(os.path.join(folder, names[0]), encoding="utf-8") as file:
                        return file.read()
                time.sleep(0.05)
            self.that(False, f"{button} saves nothing")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def pixels(self, panel, names, dark=False):
        """How many pixels of a panel have the colour of each of some lines."""
        return self.page.evaluate(PIXELS % (panel, [list(COLOURS[dark][name]) for name in names]))

    def lines(self, dark=False):
        """Whether all three lines of both panels are drawn in their colours."""
        counts = [self.pixels(panel, "xyz", dark) for panel in (0, 1)]
        self.that(all(count > 20 for panel in counts for count in panel), f"lines are missing: {counts}")

    def quiet(self):
        self.page.settle()
        self.that(not self.page.complaints(), self.page.complaints())

    def rendered(self, path):
        self.page.screen(1200, 900)
        self.page.open(path)
        self.page.settle()
        self.lines()
        title = self.page.evaluate("document.title")
        self.that(title.endswith(WORDS), f"the note did not stay text: {title}")
        marks = self.page.evaluate("[...document.querySelectorAll('#marks li')].map(li => li.textContent)")
        self.that(len(marks) == 2 and all(WORDS in mark for mark in marks), marks)
        labels = self.page.evaluate("[...document.querySelectorAll('#labels li')].map(li => li.textContent)")
        self.that(len(labels) == 1 and WORDS in labels[0], labels)
        gaps = self.page.evaluate("[...document.querySelectorAll('#gaps li')].map(li => li.textContent)")
        self.that(len(gaps) >= 2 and any("woken too late" in gap for gap in gaps), gaps)
        self.that(self.page.evaluate("document.querySelectorAll('dl div').length") >= 8, "facts are missing")
        self.shoot("whole", whole=True)
        self.quiet()

    def used(self):
        """Hover, zoom, pan and keys change what they should."""
        page = self.page
        box = page.evaluate("(({ x, y, width, height }) => ({ x, y, width, height }))"
                            "(document.querySelector('.panel canvas').getBoundingClientRect())")
        middle = box["y"] + box["height"] / 2
        page.mouse("mouseMoved", box["x"] + 200, middle)
        page.settle()
        values = page.evaluate("[...document.querySelectorAll('.legend output')].map(o => o.textContent)")
        self.that(len(values) == 8 and "–" not in values, f"no values under the mouse: {values}")
        self.shoot("hover")
        pointed = self.clock()
        page.mouse("mouseMoved", box["x"] + 400, middle)
        page.settle()
        self.that(self.clock() > pointed, "the cursor does not follow the mouse")

        view = "document.querySelector('.panel canvas').toDataURL()"
        whole = page.evaluate(view)
        page.drag(box["x"] + 300, box["x"] + 500, middle)
        dragged = page.evaluate(view)
        self.that(dragged != whole, "dragging does not zoom")
        self.shoot("zoomed")
        before = self.clock()
        self.key("ArrowRight")
        self.that(0.005 < self.clock() - before < 0.02 or self.clock() != before, "a key does not step")
        page.drag(box["x"] + 500, box["x"] + 300, middle, modifiers=8)
        self.that(page.evaluate(view) != dragged, "dragging with Shift does not move")
        self.key("0")
        self.key("Home")
        self.that(self.clock() == 0, "Home does not go to the beginning")
        self.key("m")
        self.that(self.clock() > 0.5, "m does not go to the first mark")
        self.key("g", shift=True)
        self.that("Gap" in page.evaluate("document.getElementById('clock').textContent"), "g finds no gap")
        self.shoot("gap")
        spoken = page.evaluate("document.getElementById('spoken').textContent")
        self.that("gap" in spoken, f"nothing is said of a gap: {spoken}")
        page.key("Tab")
        ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle + document.activeElement.tagName")
        self.that(ring.startswith("solid") and not ring.endswith("BODY"), f"focus is not visible: {ring}")
        unnamed = page.evaluate("[...document.querySelectorAll('button, canvas, select')].filter(e => "
                                "!(e.getAttribute('aria-label') || e.textContent.trim())).length")
        self.that(unnamed == 0, "controls have no names")
        self.quiet()

    def played(self):
        """It runs at the recorded times, pauses, stops at the end by itself and begins again."""
        page = self.page
        self.key("Home")
        begin = time.monotonic()
        self.key(" ")
        time.sleep(0.6)
        at, passed = self.clock(), time.monotonic() - begin
        self.that(0.2 < at < passed + 0.1, f"after {passed:.2f} s the replay is at {at}")
        self.key(" ")
        paused = self.clock()
        time.sleep(0.2)
        self.that(self.clock() == paused, "it does not pause")
        for _ in range(6):
            self.key(".")
        self.key(" ")
        for _ in range(100):
            time.sleep(0.05)
            if page.evaluate("document.getElementById('play').textContent") == "Play":
                break
        end = self.clock()
        self.that(page.evaluate("document.getElementById('play').textContent") == "Play", "it does not stop at the end")
        self.that(end > 2, f"it stopped at {end}")
        self.key(",")
        self.key(" ")
        self.that(self.clock() < end, "played again it does not begin anew")
        self.key(" ")
        self.quiet()

    def facts(self):
        """Beside the title: verdict, sensor with ranges, rate, missing samples."""
        words = self.page.evaluate("document.querySelector('header p').textContent")
        for wanted in ("flawed", "±", " Hz", "missing in"):
            self.that(wanted in words, f"no {wanted} in: {words}")

    def figures(self):
        """The table of the part between A and B: a row's numbers by its name."""
        groups = self.page.evaluate("[...document.querySelectorAll('#stretch tbody')].map(body => "
                                    "[...body.rows].map(row => [...row.cells].map(cell => cell.textContent)))")
        figures = {}
        for (title,), *rows in groups:
            name, unit = title.split(" in ")
            for line, *cells in rows:
                figures[f"{name} {line}, {unit}"] = [float(cell.replace("−", "-")) for cell in cells]
        return figures

    def measured(self, path, recordings):
        """Two cursors give the figures that the exported samples have; units and magnitudes follow."""
        page = self.page
        page.screen(1200, 900)
        page.open(path)
        page.settle()
        self.facts()
        box = page.evaluate("(({ x, y, width, height }) => ({ x, y, width, height }))"
                            "(document.querySelector('.panel canvas').getBoundingClientRect())")
        middle = box["y"] + box["height"] / 2
        for place in (800, 300):
            page.drag(box["x"] + place, box["x"] + place, middle)
        heading = page.evaluate("document.querySelector('#stretch h2').textContent")
        found = re.match(r"A ([\d.]+), B ([\d.]+): Δt ([\d.]+) s, (\d+) samples", heading)
        self.that(found, f"no figures of the part: {heading}")
        late, early, length = (float(text) for text in found.groups()[:3])
        # The first click set A, the second, to its left, B.
        self.that(late > early, heading)
        begin, end = early, late
        self.that(abs(end - begin - length) < 0.02 and length > 0.1, heading)
        table = self.figures()
        self.that(len(table) == 8, f"rows: {list(table)}")
        # As the exported table has them; the heading's times are rounded, and a sample at an end may be either's.
        rows = recordings.rows(begin, end)
        self.that(abs(len(rows) - int(found.group(4))) <= 2, f"{len(rows)} rows, and {heading}")
        for name, column in (("Acceleration x, g", 0), ("Angular rate z, °/s", 5)):
            values = [row[column] for row in rows]
            mean = sum(values) / len(values)
            wanted = [min(values), max(values), mean, (sum(v * v for v in values) / len(values)) ** 0.5,
                      max(map(abs, values))]
            room = 0.02 * max(abs(value) for value in wanted) + 0.002
            self.that(all(abs(a - b) < room for a, b in zip(table[name], wanted)), f"{name}: {table[name]}, not {wanted}")
        lengths = [sum(row[i] ** 2 for i in range(3)) ** 0.5 for row in rows]
        magnitude = table["Acceleration |v|, g"]
        self.that(abs(magnitude[1] - max(lengths)) < 0.02, f"magnitude: {magnitude}, not {max(lengths)}")
        page.evaluate("document.getElementById('name').value = \"left 'foot'\"")
        page.evaluate("document.getElementById('name').dispatchEvent(new Event('input'))")
        command = page.evaluate("document.querySelector('#label code').textContent")
        label = [line for line in recordings.label(command) if line.endswith(" left 'foot'")]
        stretch = re.match(r"([\d.]+m?s)\.\.([\d.]+m?s) ", label[0])
        ends = [float(end[:-2]) / 1000 if end.endswith("ms") else float(end[:-1]) for end in stretch.groups()]
        self.that(abs(ends[0] - begin) < 0.02 and abs(ends[1] - end) < 0.02, f"{command} made {label}, not {heading}")
        self.shoot("measured")

        pixels = PIXELS % (0, [[107, 114, 128]])
        before = page.evaluate(pixels)[0]
        page.evaluate("document.querySelectorAll('.legend button')[3].click()")
        page.settle()
        self.that(page.evaluate(pixels)[0] > before + 100, "no magnitude is drawn")
        self.key("u")
        si = self.figures()
        self.that(abs(si["Acceleration x, m/s²"][1] / table["Acceleration x, g"][1] - 9.80665) < 0.1, f"units: {si}")
        self.that(abs(si["Angular rate z, rad/s"][4] / table["Angular rate z, °/s"][4] - 0.0174533) < 0.001, f"{si}")
        title = page.evaluate("document.querySelector('.legend h2').textContent")
        self.that(title == "Acceleration in m/s²", title)
        self.key("u")
        # A cursor is dragged; the other one stays.
        page.drag(box["x"] + 300, box["x"] + 500, middle)
        moved = page.evaluate("document.querySelector('#stretch h2').textContent")
        (a, b), (still, other) = (text.split(": ")[0].split(", ") for text in (heading, moved))
        self.that(a == still and b != other, f"dragging B changes {heading} to {moved}")
        self.key("Escape")
        self.that(page.evaluate("document.getElementById('stretch').hidden"), "Escape does not remove the cursors")
        self.quiet()

    def saved(self, path, recordings):
        """The part is saved as a table with the samples of the recording, and as a picture."""
        page = self.page
        folder = tempfile.mkdtemp(prefix="imulog-saved-")
        try:
            page.send("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.key("Home")
            self.key("a")
            for _ in range(3):
                self.key("ArrowRight")
            self.key("b")
            for button in ("save-csv", "save-png"):
                page.evaluate(f"document.getElementById('{button}').click()")
            for _ in range(100):
                names = sorted(name for name in os.listdir(folder) if not name.endswith(".crdownload"))
                if len(names) == 2:
                    break
                time.sleep(0.05)
            self.that(len(names) == 2 and names[0].endswith(".csv") and names[1].endswith(".png"), f"saved: {names}")
            with open(os.path.join(folder, names[0]), encoding="utf-8") as file:
                lines = [line.strip().split(",") for line in file]
            self.that(lines[0][:3] == ["tick", "t_s", "ax_g"] and "gz_dps" in lines[0], f"header: {lines[0]}")
            rows = recordings.rows(0, float(lines[-1][1]))
            self.that(len(lines) == 5 and abs(len(rows) - 4) <= 1, f"{len(lines)} lines")
            for line, row in zip(lines[1:], rows):
                found = [float(text) for text in line[2:8]]
                self.that(all(abs(a - b) < 0.01 for a, b in zip(found, row)), f"saved {found}, recorded {row}")
            with open(os.path.join(folder, names[1]), "rb") as file:
                picture = file.read()
            self.that(picture[:8] == b"\x89PNG\r\n\x1a\n" and len(picture) > 10_000, "the picture is none")
            data = base64.b64encode(picture).decode()
            clear = page.evaluate(CLEAR % data)
            self.that(clear == 0, f"{clear} pixels of the picture are transparent")
            if self.screenshots:
                shutil.copy(os.path.join(folder, names[1]), os.path.join(self.screenshots, "saved.png"))
            self.key("Escape")
            self.quiet()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def dark(self):
        self.key("0")
        self.page.screen(1200, 900, dark=True)
        self.page.settle()
        background = self.page.evaluate("getComputedStyle(document.body).backgroundColor")
        self.that(background == "rgb(%d, %d, %d)" % COLOURS[True]["page"], f"the page is not dark: {background}")
        self.lines(dark=True)
        self.shoot("dark")
        self.quiet()

    def on_a_phone(self, path, width, height):
        self.page.screen(width, height, is_phone=True)
        self.page.open(path)
        self.page.settle()
        self.lines()
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        self.that(wide <= width, f"the page is {wide} wide on a screen of {width}")
        ends = self.page.evaluate("[...document.querySelectorAll('.panel canvas')].map("
                                  "c => c.getBoundingClientRect().bottom)")
        self.that(len(ends) == 2 and max(ends) <= height, f"graphs end at {ends} on a screen of {height}")
        small = self.page.evaluate("[...document.querySelectorAll('.bar button')].filter(b => "
                                   "b.getBoundingClientRect().height < 36).length")
        self.that(small == 0, "buttons are too small for a finger")
        self.shoot(f"phone-{width}")
        self.quiet()

    def large(self, path):
        self.page.screen(1200, 900)
        seconds = self.page.open(path)
        self.page.settle()
        self.lines()
        self.shoot("large")
        before = self.page.script_seconds()
        frame = self.page.evaluate(WHEEL)
        script = (self.page.script_seconds() - before) / 60 * 1000
        self.quiet()
        self.that(seconds < 5, f"100 000 samples take {seconds:.1f} s to open")
        # What the page does itself; how fast it gets onto the screen without a graphics card is the machine's.
        self.that(script < 40, f"the script takes {script:.0f} ms a frame of 100 000 samples")
        return seconds, script, frame


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/release/imulog")
    parser.add_argument("--screenshots", metavar="FOLDER", help="keep what the page looked like")
    arguments = parser.parse_args()
    if arguments.screenshots:
        os.makedirs(arguments.screenshots, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="imulog-page-")
    try:
        recordings = Recordings(arguments.program, folder)
        marked = recordings.with_mark_and_gaps()
        drawing, _ = recordings.export(marked, "svg")
        xml.dom.minidom.parse(drawing)
        path = browser.find()
        if not path:
            print("no chromium here, so the page was not opened (apt-get install chromium)")
            return 77
        page = browser.Browser(path)
        try:
            check = Check(page, arguments.screenshots)
            document, _ = recordings.export(marked, "html", "--units", "g-dps")
            check.rendered(document)
            check.used()
            check.played()
            check.dark()
            check.measured(document, recordings)
            check.saved(document, recordings)
            check.on_a_phone(document, 390, 844)
            check.on_a_phone(document, 360, 640)
            Access(check).all(document)
            OddPages(check, recordings).all()
            Turned(check, recordings).all(COLOURS[False], document)
            Field(check, recordings).all(document)
            Takes(check, recordings).all()
            long, export_time = recordings.export(recordings.tumble(1000, "100s"), "html")
            size = os.path.getsize(long)
            assert size < 2_500_000, f"100 000 samples are {size} bytes"
            seconds, script, frame = check.large(long)
            page.screen(960, 690)
            page.open(drawing)
            check.shoot("drawing")
        finally:
            page.close()
        print(f"page of 100 000 samples: exported in {export_time * 1000:.0f} ms, {size / 1e6:.2f} MB, "
              f"opened in {seconds * 1000:.0f} ms, {script:.1f} ms of script a frame "
              f"({frame:.0f} ms drawn without a graphics card)")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


sys.exit(main())

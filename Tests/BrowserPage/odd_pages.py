# SPDX-License-Identifier: Apache-2.0
"""Pages of recordings whose times lie on no grid, begin in another century, or last for hours."""

import json
import os
import re

# Texts that were drawn on the first canvas since the last call, with their places: name, left, right and top.
WATCH_TEXTS = """(() => {
  window.drawn = [];
  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const { width } = this.measureText(text);
    const left = this.textAlign === "center" ? x - width / 2 : this.textAlign === "right" ? x - width : x;
    if (this.canvas === document.querySelector(".panel canvas")) {
      window.drawn.push([text, left, left + Math.min(width, rest[0] || Infinity), y, this.textBaseline]);
    }
    return fillText.call(this, text, x, y, ...rest);
  };
})()"""

NANOSECOND = 10**9


class OddPages:
    def __init__(self, check, recordings):
        self.check = check
        self.page = check.page
        self.recordings = recordings

    def all(self):
        self.parts_without_gaps()
        self.length_of_a_chip()
        self.labels_of_hours()
        self.times_of_a_calendar()
        self.one_sample()
        self.gaps_everywhere()
        self.temperature_alone()

    def open(self, path, *screen):
        self.page.screen(*(screen or (1200, 900)))
        self.page.open(path)
        self.page.settle()

    def header(self):
        return self.page.evaluate("document.querySelector('header p').textContent")

    def gaps(self):
        """The missing samples of each gap in the page's list."""
        rows = self.page.evaluate("[...document.querySelectorAll('#gaps li')].map(li => li.textContent)")
        return [int(re.search(r"(\d+) samples?: ", row).group(1)) for row in rows]

    def parts_without_gaps(self):
        """A part has the gaps of its export, whatever its ends cut through."""
        # 1 % slower than its rate, with a gap from 7.07 s on.
        rows = "".join(f"{i * 10_100_000},{i % 100}\n" for i in range(2000) if not 700 <= i < 720)
        number = self.recordings.table("t_ns,ax\n" + rows, "--rate", "100")
        for begin, end in ((3000, 9000), (3003, 8999.4), (2999.1, 9007), (7065, 9001), (7000, 7268),
                           (7100, 7201), (7100, 7150), (0, 7061), (7262, 9000)):
            part = ("--from", f"{begin}ms", "--to", f"{end}ms")
            document, _ = self.recordings.export(number, "json", *part)
            with open(document, encoding="utf-8") as file:
                wanted = [gap["count"] for gap in json.load(file)["gaps"]]
            document, _ = self.recordings.export(number, "html", *part)
            self.open(document)
            self.check.that(self.gaps() == wanted, f"{begin} to {end} ms: gaps {self.gaps()}, exported {wanted}")
            self.check.quiet()

    def length_of_a_chip(self):
        """What a chip recorded is as long as its samples' times are, not as its nominal rate has it."""
        number = self.recordings.tumble(1000, "3s")
        table, _ = self.recordings.export(number, "csv")
        with open(table, encoding="utf-8") as file:
            last = int(file.readlines()[-1].split(",")[0])
        document, _ = self.recordings.export(number, "html")
        self.open(document)
        found = re.search(r" · ([\d.]+) s · ", self.header())
        wanted = (last + 10**6) / NANOSECOND
        self.check.that(found and abs(float(found.group(1)) - wanted) <= 0.0001, f"{self.header()}, not {wanted} s")
        self.check.quiet()

    def labels_of_hours(self):
        """No label of an axis touches another one or its unit at any zoom, and there are always some."""
        times = [second * NANOSECOND + i * 10**6 for second in (0, 39_599) for i in range(50)]
        rows = "".join(f"{time},{i % 9}\n" for i, time in enumerate(times))
        document, _ = self.recordings.export(self.recordings.table("t_ns,ax\n" + rows, "--rate", "1000"), "html")
        page = self.page
        for screen in ((1200, 900), (360, 640, True)):
            self.open(document, *screen)
            page.evaluate(WATCH_TEXTS)
            self.check.key("End")
            for zoom in range(28):
                page.evaluate("drawn = []")
                page.evaluate("document.getElementById('closer').click()")
                page.settle()
                drawn = page.evaluate("drawn")
                times = sorted((left, right, text) for text, left, right, _, line in drawn if line == "top")
                self.check.that(len(times) >= 2, f"zoom {zoom} of {screen}: {times}")
                for one, two in zip(times, times[1:]):
                    self.check.that(two[0] - one[1] >= 4, f"zoom {zoom} of {screen}: {one[2]} touches {two[2]}")
        self.check.quiet()

    def times_of_a_calendar(self):
        """Times since 1970 date a recording; its own times begin at the first sample, and are saved so."""
        begin = 1_700_000_000 * NANOSECOND + 123
        times = [i * 10_000_000 + i * 7919 % 90_000 for i in range(200)]
        number = self.recordings.table("t_ns,ax\n" + "".join(f"{begin + time},{i}\n" for i, time in enumerate(times)),
                                       units="raw,unix")
        document, _ = self.recordings.export(number, "html")
        self.open(document)
        check, page = self.check, self.page
        facts = page.evaluate("document.body.textContent")
        check.that("2023-11-14T22:13:20" in facts, facts[:1000])
        clock = page.evaluate("document.getElementById('clock').textContent")
        check.that(clock.startswith("0.000 of 2.0 s") and "2023" in clock, clock)
        for part in ((), ("--from", "1s")):
            path, _ = self.recordings.export(number, "html", *part)
            self.open(path)
            saved = check.download("save-csv")
            found = [int(line.split(",")[1].replace(".", "")) for line in saved.splitlines()[1:]]
            wanted = times if not part else [time for time in times if time >= NANOSECOND]
            check.that(found == wanted, f"saved {found[:2]}…, recorded {wanted[:2]}…")
        check.quiet()

    def one_sample(self):
        """A single sample has an end that is not 0.0, and three dots on the edge of the graph that can be seen."""
        document, _ = self.recordings.export(self.recordings.table("t_ns,ax,ay,az\n0,1,200,3000\n", "--rate", "100"), "html")
        self.open(document)
        clock = self.page.evaluate("document.getElementById('clock').textContent")
        self.check.that(clock == "0.000 of 0.010 s", clock)
        # Left of the edge, at 58, where nothing else has a colour.
        coloured = self.page.evaluate("(() => { const canvas = document.querySelector('.panel canvas');"
                                  "const { data } = canvas.getContext('2d').getImageData(55, 0, 3, canvas.height);"
                                  "let count = 0; for (let i = 0; i < data.length; i += 4) "
                                  "if (Math.max(data[i], data[i + 1], data[i + 2]) - "
                                  "Math.min(data[i], data[i + 1], data[i + 2]) > 60) count++; return count; })()")
        self.check.that(coloured >= 9, f"{coloured} pixels of three dots are left of the edge")
        self.check.quiet()

    def gaps_everywhere(self):
        """Where every other sample is missing, lines are as strong as elsewhere, and drawing takes no longer."""
        rows = "".join(f"{i}000000,{i % 100},500,700,,\n{i + 1}000000,,,,lost,{1 if (i + 2) % 100 else 3}\n"
                       for i in range(0, 100_000, 2) if i % 100)
        number = self.recordings.table("t_ns,ax,ay,az,gap,gap_ticks\n" + rows, "--rate", "1000")
        document, _ = self.recordings.export(number, "html")
        self.open(document)
        counts = self.check.pixels(0, "yz")
        self.check.that(all(count > 900 for count in counts), f"lines between gaps are faint: {counts}")
        before = self.page.script_seconds()
        for _ in range(20):
            self.check.key("ArrowRight")
        seconds = (self.page.script_seconds() - before) / 20
        self.check.that(seconds < 0.03, f"50 000 gaps take {seconds * 1000:.0f} ms a step")
        self.check.quiet()

    def temperature_alone(self):
        """One unit is no choice; counts have no decimals; and a wheel with nothing left to show scrolls the page."""
        rows = "".join(f"{i * 10**7},{i}\n" for i in range(100))
        document, _ = self.recordings.export(self.recordings.table("t_ns,temp\n" + rows), "html")
        self.open(document)
        page, check = self.page, self.check
        check.that(page.evaluate("document.getElementById('units').checkVisibility()") is False, "°C or °C is a choice")
        turn = ("(deltaY => { const event = new WheelEvent('wheel', { deltaY, clientX: 300, clientY: 200, cancelable: true });"
                "document.querySelector('canvas').dispatchEvent(event); return event.defaultPrevented; })")
        check.that(not page.evaluate(turn + "(120)"), "the wheel does not scroll the page from the whole on")
        check.that(page.evaluate(turn + "(-120)") and page.evaluate(turn + "(120)"), "the wheel does not zoom")
        document, _ = self.recordings.export(self.recordings.tumble(100, "1s"), "html", "--units", "raw")
        self.open(document)
        check.key("Home")
        clock = page.evaluate("document.getElementById('clock').firstChild.textContent")
        check.that(re.search(r" · −?\d+ counts$", clock), clock)
        check.quiet()

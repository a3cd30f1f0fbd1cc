# SPDX-License-Identifier: Apache-2.0
"""The page of a take: all sensors in one graph on one clock, and each with graphs of its own."""

import json
import time

OUTPUTS = "[...document.querySelectorAll('.panel')[0].querySelectorAll('output')].map(o => o.textContent.replace('−', '-'))"
CHOOSE = """(choice => {
  choice.value = %s;
  choice.dispatchEvent(new Event("change"));
})(document.querySelector(".panel select"))"""
CHANNELS = (("0 Acceleration", "ax"), ("1 Angular rate", "gy"), ("2 Acceleration", "az"))


class Takes:
    def __init__(self, check, recordings):
        self.check = check
        self.page = check.page
        self.recordings = recordings

    def all(self):
        # In real time, so that the recordings begin at different instants.
        numbers = self.recordings.run(
            "record", "--board", "simulator", "--for", "2s", "--sensor", "left=mpu6050 rate=100 motion=tumble",
            "--sensor", "right=lsm6dso rate=104 clock=chip motion=tumble").split()
        with open(self.recordings.export(numbers[0], "ndjson", "--take")[0], encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        sensors = {name: [row for row in rows if row["sensor"] == name and "ax" in row] for name in ("left", "right")}
        document, _ = self.recordings.export(numbers[0], "html", "--take")
        self.page.screen(1280, 1200)
        self.page.open(document)
        self.page.settle()
        self.about("left", numbers[0], sensors)
        self.page.evaluate("document.querySelectorAll('#sensors a')[1].click()")
        for _ in range(100):
            if self.page.evaluate("document.title").endswith(numbers[1]):
                break
            time.sleep(0.05)
        self.page.settle()
        self.about("right", numbers[1], sensors)
        for dark in (False, True):
            for width, height in ((1280, 1200), (400, 1000)):
                self.page.screen(width, height, dark=dark)
                self.page.settle()
                wide = self.page.evaluate("document.documentElement.scrollWidth")
                self.check.that(wide <= width, f"the page is {wide} wide on a screen of {width}")
                self.check.shoot(f"take-{width}{'-dark' if dark else ''}", whole=True)
        self.check.quiet()

    def about(self, name, number, sensors):
        """The page is about one sensor, and its first graph has the values of all at the cursor."""
        page, check = self.page, self.check
        check.that(page.evaluate("document.title") == page.evaluate("document.querySelector('h1').textContent")
                   == f"Recording {number}", page.evaluate("document.title"))
        current = page.evaluate("document.querySelector('#sensors [aria-current]').textContent")
        check.that(current.endswith(" " + name), current)
        facts = page.evaluate("[...document.querySelectorAll('script[id^=facts]')].map(e => JSON.parse(e.textContent))")
        delay = next(one["takeDelay_ns"] for one in facts if one["sensorName"] == name)
        saved = check.download("save-csv").splitlines()
        check.that(len(saved) == len(sensors[name]) + 1, f"{len(saved)} lines of {len(sensors[name])} samples")
        box = page.evaluate("(({ x, y, width }) => ({ x, y, width }))(document.querySelector('.panel canvas')"
                            ".getBoundingClientRect())")
        for option, channel in CHANNELS:
            page.evaluate(CHOOSE % json.dumps(option))
            for place in range(120, int(box["width"]) - 90, 97):
                page.mouse("mouseMoved", box["x"] + place, box["y"] + 50)
                page.settle()
                at, shown = check.clock() * 1e9 + delay, page.evaluate(OUTPUTS)
                for text, rows in zip(shown, sensors.values(), strict=True):
                    near = sorted(rows, key=lambda row: abs(row["t_ns"] - at))[:2]
                    values = [row[channel] for row in near]
                    # The clock is rounded, so that in the middle the value may be either's.
                    check.that(any(abs(float(text) - value) < 0.001 for value in values), f"{shown} at {at}, not {values}")

# SPDX-License-Identifier: Apache-2.0
"""The graph of a magnetometer's values, which have times of their own: what the page shows is what JSON has."""

import json
import math
import re

PANEL = "document.querySelectorAll('.panel')[2]"

# Notes where lines and dots of the field's graph are drawn, from now on.
WATCH_LINES = """(canvas => {
  window.points = [];
  window.dots = [];
  for (const [name, list] of [["lineTo", points], ["moveTo", points], ["arc", dots]]) {
    const draw = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (x, y, ...rest) {
      // Those of the grid are thinner.
      if (this.canvas === canvas && this.lineWidth > 1.5) list.push([x, y, rest[0]]);
      return draw.call(this, x, y, ...rest);
    };
  }
})(%s.querySelector("canvas"))""" % PANEL


class Field:
    def __init__(self, check, recordings):
        self.check = check
        self.page = check.page
        self.recordings = recordings

    def all(self, without):
        self.page.open(without)
        self.page.settle()
        self.check.that(self.page.evaluate(f"{PANEL} === undefined"), "a graph of a field that was not recorded")
        # So many values that pixels have several, and so few that each is a dot.
        self.values_of("400", "100", "60s")
        document, values = self.values_of("200", "20", "3s")
        self.missing(document, values)

    def open(self, document):
        self.page.screen(1280, 1200)
        self.page.open(document)
        self.page.settle()

    def shown(self):
        """The values at the cursor: of x, y and z, and the magnitude."""
        texts = self.page.evaluate(f"[...{PANEL}.querySelectorAll('output')].map(o => o.textContent.replace('−', '-'))")
        return [float(text) if text[-1].isdigit() else text for text in texts]

    def values_of(self, rate, field, length):
        """Values under the pointer, the graph in words and its figures are those of the document."""
        number = self.recordings.run(
            "record", "--board", "simulator", "--sensor", "icm20948", "--virtual-time", "--motion", "tumble",
            "--rate", rate, "--field", field, "--for", length).splitlines()[-1]
        with open(self.recordings.export(number, "json")[0], encoding="utf-8") as file:
            wanted = [((value["t_lo_ns"] + value["t_hi_ns"]) / 2e9, [value[f"m{axis}_ut"] for axis in "xyz"])
                      for value in json.load(file)["field"]["values"]]
        document, _ = self.recordings.export(number, "html")
        self.open(document)
        page, check = self.page, self.check
        counts = check.pixels(2, "xyz")
        check.that(all(count > 100 for count in counts), f"lines of the field are missing: {counts}")
        title = page.evaluate(f"{PANEL}.querySelector('h2').textContent")
        check.that(title == "Magnetic field in µT", title)
        self.drawn(wanted, float(length[:-1]))
        columns = list(zip(*(value for _, value in wanted)))
        words = page.evaluate(f"{PANEL}.querySelector('canvas').getAttribute('aria-label')").replace("−", "-")
        ends = [float(text) for text in re.findall(r"[xyz] from (-?[\d.]+) to (-?[\d.]+)", words) for text in text]
        check.that(len(ends) == 6 and all(abs(a - b) < 0.006 for a, b in zip(
            ends, [end(column) for column in columns for end in (min, max)])), words)
        self.pointed(wanted)
        check.key("Home")
        check.key("a")
        check.key("End")
        check.key("b")
        page.settle()
        figures = check.figures()
        for axis, column in zip("xyz", columns):
            mean = sum(column) / len(column)
            rms = math.sqrt(sum(value * value for value in column) / len(column))
            found = figures[f"Magnetic field {axis}, µT"]
            check.that(all(abs(a - b) < 0.0006 for a, b in zip(found, (min(column), max(column), mean, rms))),
                       f"{axis}: {found}, not {min(column), max(column), mean, rms}")
        header = check.download("save-csv").split("\n")[0]
        check.that(header.startswith("tick,t_s,ax_") and "mx" not in header, header)
        check.key("Escape")
        for dark in (False, True):
            for width, height in ((1280, 1200), (400, 1000)):
                page.screen(width, height, dark=dark)
                page.settle()
                wide = page.evaluate("document.documentElement.scrollWidth")
                check.that(wide <= width, f"the page is {wide} wide on a screen of {width}")
                check.shoot(f"field-{field}-{width}{'-dark' if dark else ''}", whole=True)
        check.quiet()
        return document, wanted

    def drawn(self, wanted, length):
        """Dots are at the values' times; where there are too many for dots, the highest peak is at its time."""
        self.page.evaluate(WATCH_LINES)
        self.check.key("0")
        left, right = 58, self.page.evaluate(f"{PANEL}.querySelector('canvas').clientWidth") - 28
        places = [left + time / length * (right - left) for time, _ in wanted]
        dots = sorted(x for x, _, _ in self.page.evaluate("dots"))
        if len(wanted) < 200:
            self.check.that(len(dots) == 3 * len(places) and all(
                abs(a - b) < 0.01 for a, b in zip(dots, sorted(3 * places))), f"dots: {dots}, not {places}")
            self.point(wanted[9][0])
            rings = [x for x, _, radius in self.page.evaluate("dots") if radius == 4]
            self.check.that(rings and all(abs(x - places[9]) < 0.01 for x in rings), f"rings: {rings}, not {places[9]}")
            return
        (top, _, _), peak = min(self.page.evaluate("points"), key=lambda point: point[1]), max(
            max(value) for _, value in wanted)
        highest = [place for place, (_, value) in zip(places, wanted) if max(value) == peak]
        self.check.that(not dots and min(abs(top - place) for place in highest) <= 1, f"{top}, not one of {highest}")

    def pointed(self, wanted):
        """The nearest value is under the pointer, by the middles of the intervals."""
        box = self.page.evaluate(f"(({{ x, y, width }}) => ({{ x, y, width }}))({PANEL}.querySelector('canvas')"
                                 ".getBoundingClientRect())")
        for place in range(62, int(box["width"]) - 32, 13 if len(wanted) < 200 else 61):
            self.page.mouse("mouseMoved", box["x"] + place, box["y"] + 50)
            self.page.settle()
            at, shown = self.check.clock(), self.shown()
            # The clock is rounded, so that in the middle the value may be either's.
            near = sorted(wanted, key=lambda value: abs(value[0] - at))[:2]
            if abs(abs(near[0][0] - at) - abs(near[1][0] - at)) < 0.0003:
                continue
            value = near[0][1]
            self.check.that(all(abs(a - b) < 0.0006 for a, b in zip(shown, value + [math.hypot(*value)])),
                            f"{shown} are shown at {at}, and recorded {near}")

    def missing(self, document, values):
        """Where values were not read, or clipped, there is a gap, no line and no value, and a word for the latter."""
        with open(document, encoding="utf-8") as file:
            head, text, tail = re.split(r'(?<=id="field">)(.*?)(?=</script>)', file.read(), maxsplit=1)
        numbers = json.loads(text)
        rows = [numbers[i:i + 6] for i in range(0, len(numbers), 6)]
        rows[20][2:] = [None, None, None, 1]
        rows[33][0] += rows[30][0] + rows[31][0] + rows[32][0]
        rows[33][5] = 2
        rows[47][0] += rows[45][0] + rows[46][0]
        # Late by less than half a period, but the chip says that one was skipped.
        rows[52][0] += 20_000
        rows[52][5] = 2
        rows[53][0] -= 20_000
        del rows[45:47], rows[30:33]
        with open(document, "w", encoding="utf-8") as file:
            file.write(head + json.dumps([number for row in rows for number in row]) + tail)
        self.open(document)
        red = self.page.evaluate("""((canvas, strip) => {
          const { data } = canvas.getContext("2d").getImageData(0, 1, canvas.width, 1);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) if (data[i] > 150 && data[i + 1] < 80 && data[i + 2] < 80) count++;
          return count;
        })(%s.querySelector('canvas'))""" % PANEL)
        wide = self.page.evaluate(f"{PANEL}.querySelector('canvas').clientWidth") - 86
        self.check.that(abs(red - wide * (6 * 0.05 + 0.02) / 3) < 5, f"{red} pixels of gaps in {wide}")
        for place, shown in ((20, ["clipped"] * 4), (31, ["–"] * 4), (45, ["–"] * 4), (33, values[33][1]), (29, values[29][1])):
            # A gap begins with the first value that is missing.
            self.point(values[place][0] + 0.005)
            found = self.shown()
            self.check.that(found[:len(shown)] == shown, f"{found} at value {place}, not {shown}")
        self.point(values[20][0] + 0.005)
        self.check.shoot("field-clipped")
        self.check.key("End")
        spoken = self.page.evaluate("document.getElementById('spoken').textContent").replace("−", "-")
        self.check.that(f"Magnetic field x {values[-1][1][0]:.2f} y " in spoken and spoken.endswith("µT"), spoken)
        self.check.quiet()

    def point(self, time):
        """Moves the pointer to a time of a recording of 3 s that is shown whole."""
        box = self.page.evaluate(f"(({{ x, y, width }}) => ({{ x, y, width }}))({PANEL}.querySelector('canvas')"
                                 ".getBoundingClientRect())")
        self.page.mouse("mouseMoved", box["x"] + 58 + time / 3 * (box["width"] - 86), box["y"] + 50)
        self.page.settle()

# SPDX-License-Identifier: Apache-2.0
"""The box of a page with orientations: how it lies at the cursor, in words and in the picture."""

import math

# Pixels of the box's picture in the colour of an axis, and their mean place from the middle, right and up.
ARROW = """(() => {
  const canvas = document.querySelector("#turned canvas");
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const wanted = %s;
  let [count, right, up] = [0, 0, 0];
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 200 || wanted.some((part, j) => Math.abs(data[i + j] - part) > 40)) continue;
    count++;
    right += i / 4 %% width - width / 2;
    up += height / 2 - Math.floor(i / 4 / width);
  }
  return [count, right / count, up / count];
})()"""


class Turned:
    def __init__(self, check, recordings):
        self.check = check
        self.page = check.page
        self.recordings = recordings

    def all(self, colours, without):
        """A sensor that lies flat, is rolled by 90°, and lies on its side; then half a second is missing."""
        rows = []
        for tick in range(800):
            if 700 <= tick < 750:
                continue
            roll = math.radians(min(max(tick - 300, 0) * 0.9, 90))
            turning = 90 * 131 if 300 <= tick < 400 else 0
            rows.append(f"{tick * 10_000},0,{round(8192 * math.sin(roll))},{round(8192 * math.cos(roll))},{turning},0,0")
        number = self.recordings.table("t_us,ax,ay,az,gx,gy,gz\n" + "\n".join(rows) + "\n", "--accel-lsb-per-g", "8192",
                                       "--gyro-lsb-per-dps", "131")
        path, _ = self.recordings.export(number, "html", "--orientation")
        self.page.screen(1200, 1000)
        self.page.open(path)
        self.page.settle()
        self.check.key("Home")
        self.says("roll 0°, pitch 0°, heading 0° (no north, drifts)")
        x, y, z = (self.page.evaluate(ARROW % list(colours[name])) for name in "xyz")
        for axis in (x, y, z):
            self.check.that(axis[0] > 20, f"an arrow has {axis[0]} pixels")
        # From the front, a little from the right and above: x points right, z up, y away.
        self.check.that(x[1] > 20 and abs(z[1]) < 10 and z[2] > 20 and y[1] > 0 and y[2] > 0, f"flat: {x} {y} {z}")
        self.check.shoot("flat")
        self.check.key("End")
        self.says("roll 90°, pitch 0°, heading 0° (no north, drifts)")
        x, y, z = (self.page.evaluate(ARROW % list(colours[name])) for name in "xyz")
        self.check.that(x[1] > 20 and abs(y[1]) < 10 and y[2] > 20, f"on its side: {x} {y} {z}")
        self.check.shoot("on-its-side")
        self.check.key("g", shift=True)
        self.says("No sample here")
        self.page.open(without)
        self.page.settle()
        self.check.that(self.page.evaluate("document.getElementById('turned').hidden"), "a box without orientations")

    def says(self, words):
        found = self.page.evaluate("document.querySelector('#turned figcaption').textContent")
        self.check.that(found == words, f"the box says {found}, not {words}")

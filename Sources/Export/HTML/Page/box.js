// SPDX-License-Identifier: Apache-2.0
// A box that lies as the sensor did at the cursor, seen from a little above; its arrows are the sensor's axes.

const box = {
  figure: document.getElementById("turned"),
  canvas: document.querySelector("#turned canvas"),
  words: document.querySelector("#turned figcaption"),
  /** Half of its sides along the sensor's x, y and z. */
  half: [1, 0.7, 0.18],
  /** In the earth's frame: to the right of the picture, up in it, and towards the eye. */
  ...(() => {
    const azimuth = 25 * Math.PI / 180, height = 22 * Math.PI / 180;
    const [s, c] = [Math.sin(azimuth), Math.cos(azimuth)], [t, k] = [Math.sin(height), Math.cos(height)];
    return { right: [c, s, 0], up: [-s * t, c * t, k], eye: [s * k, -c * k, t] };
  })(),

  /** The sample whose orientation is shown: at the cursor, or the first in view; undefined in a gap, and where none is known. */
  sample() {
    const first = lowerBound(samples.times, view.from);
    const index = view.cursor !== undefined ? view.sampleAtCursor() : first < samples.times.length ? first : undefined;
    return samples.turns.some(column => column[index]) ? index : undefined;
  },

  /** The rows of the matrix that turns the sensor's frame to the earth's. */
  turn(index) {
    const parts = samples.turns.map(column => column[index]);
    const length = Math.hypot(...parts) || 1;
    const [w, x, y, z] = parts.map(part => part / length);
    return [
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ];
  },

  /** Roll, pitch and heading in degrees, in whole ones that never say −0. */
  angles([[a, , ], [b, , ], [c, d, e]]) {
    const degrees = radians => Math.round(radians * 180 / Math.PI) + 0;
    return [degrees(Math.atan2(d, e)), degrees(Math.asin(Math.max(-1, Math.min(1, -c)))), degrees(Math.atan2(b, a))];
  },

  draw(colours) {
    if (!samples.turns.length) return;
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const index = this.sample();
    const spoken = index === undefined ? "no sample" : this.describe(this.turn(index));
    this.words.textContent = index === undefined ? "No sample here" : `${spoken} (no north, drifts)`;
    this.canvas.setAttribute("aria-label", `The sensor: ${spoken}`);
    if (index === undefined) return;
    this.drawBox(context, colours, this.turn(index), width, height);
  },

  describe(rows) {
    const [roll, pitch, heading] = this.angles(rows).map(angle => `${number(angle, 0)}°`);
    return `roll ${roll}, pitch ${pitch}, heading ${heading}`;
  },

  drawBox(context, colours, rows, width, height) {
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const scale = Math.min(width, height) / 3.9;
    const earth = vector => rows.map(row => dot(row, vector));
    const place = vector => {
      const there = earth(vector);
      return [width / 2 + scale * dot(there, this.right), height / 2 - scale * dot(there, this.up)];
    };
    const axis = (number, length) => [0, 1, 2].map(other => other === number ? length : 0);
    const isAway = vector => dot(earth(vector), this.eye) < 0;
    const arrows = [0, 1, 2];
    for (const number of arrows) if (isAway(axis(number, 1))) this.drawArrow(context, colours, number, place);
    for (const number of [0, 1, 2]) {
      for (const side of [1, -1]) {
        if (isAway(axis(number, side))) continue;
        const [a, b] = [0, 1, 2].filter(other => other !== number);
        context.beginPath();
        for (const [i, j] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
          const corner = axis(number, side * this.half[number]);
          corner[a] = i * this.half[a];
          corner[b] = j * this.half[b];
          context.lineTo(...place(corner));
        }
        context.closePath();
        context.fillStyle = colours["--face"];
        context.fill();
        context.strokeStyle = colours["--faint"];
        context.lineWidth = 1.25;
        context.stroke();
      }
    }
    for (const number of arrows) if (!isAway(axis(number, 1))) this.drawArrow(context, colours, number, place);
  },

  /** An arrow from a face outwards, with its axis' letter. */
  drawArrow(context, colours, number, place) {
    const name = "xyz"[number];
    const along = length => place([0, 1, 2].map(other => other === number ? length : 0));
    const [from, to, beyond] = [along(this.half[number]), along(this.half[number] + 0.6), along(this.half[number] + 0.85)];
    context.strokeStyle = context.fillStyle = colours["--" + name];
    context.lineWidth = 2.5;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    context.stroke();
    context.font = "600 13px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(name, ...beyond);
  },
};

box.figure.hidden = !samples.turns.length;

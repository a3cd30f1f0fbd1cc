// SPDX-License-Identifier: Apache-2.0
// The part of the recording that is shown, and the cursor.

const panels = facts.panels.filter(panel => panel.name !== "Temperature" || facts.panels.length === 1)
  .map(panel => new Panel(panel));
if (field) panels.push(new Panel(facts.field, field));
if (sensors.length > 1) panels.unshift(new Overlay());
const temperature = facts.panels.length > 1
  ? facts.panels.filter(panel => panel.name === "Temperature").map(panel => new Panel(panel))[0] : undefined;

const view = {
  from: span.from,
  to: span.to,
  /** A time; undefined when there is no cursor. */
  cursor: undefined,
  /** Two times while a part is being chosen. */
  selection: undefined,

  /** First sample, or value of the field, that is shown and the one after the last, with a neighbour on either side. */
  indices({ times }) {
    const from = lowerBound(times, this.from), to = lowerBound(times, this.to);
    return [Math.max(0, from - 1), Math.min(times.length, to + 1)];
  },

  /** Shows a part, within the recording and not below three samples. */
  show(from, to) {
    const least = Math.min(span.to - span.from, 3 * period);
    let length = Math.min(span.to - span.from, Math.max(least, to - from));
    let begin = (from + to - length) / 2;
    begin = Math.min(Math.max(begin, span.from), span.to - length);
    this.from = begin;
    this.to = begin + length;
    requestDrawing();
  },

  zoom(factor, at = this.cursor === undefined ? (this.from + this.to) / 2 : this.cursor) {
    const centre = Math.min(Math.max(at, this.from), this.to);
    this.show(centre - (centre - this.from) * factor, centre + (this.to - centre) * factor);
  },

  move(by) {
    const length = this.to - this.from;
    const from = Math.min(Math.max(this.from + by, span.from), span.to - length);
    this.show(from, from + length);
  },

  get isWhole() { return this.from <= span.from && this.to >= span.to; },

  showWhole() {
    this.show(span.from, span.to);
  },

  /** Moves the cursor there and, if asked, moves the view to contain it. */
  point(time, follow = false) {
    this.cursor = time === undefined ? undefined : Math.min(Math.max(time, span.from), span.to);
    if (follow && (this.cursor < this.from || this.cursor > this.to)) {
      this.move(this.cursor - this.from - (this.to - this.from) / 10);
    }
    requestDrawing();
  },

  /** The sample, or the field's value, nearest to the cursor; undefined in a gap. */
  sampleAtCursor(base = samples) {
    const { times, period } = base;
    if (this.cursor === undefined || !times.length) return undefined;
    const next = lowerBound(times, this.cursor);
    const near = next === times.length || (next > 0 && this.cursor - times[next - 1] < times[next] - this.cursor)
      ? next - 1 : next;
    // The middle of a gap of one sample is half a period from its neighbours.
    return Math.abs(times[near] - this.cursor) > 0.45 * period && holeAt(this.cursor, base) ? undefined : near;
  },

  /** Moves a number of samples on or back. */
  step(by) {
    const { times } = samples;
    if (!times.length) return;
    if (this.cursor === undefined) return this.point(times[lowerBound(times, this.from)], true);
    const here = lowerBound(times, this.cursor - 1e-9);
    this.point(times[Math.min(Math.max(here + by, 0), times.length - 1)], true);
  },

  /** Moves to the next or the previous of some times; returns which, or -1 when there is none. */
  jump(places, direction) {
    const here = this.cursor === undefined ? this.from - 1e-6 : this.cursor;
    const index = direction > 0 ? places.findIndex(time => time > here + 1e-9)
      : places.findLastIndex(time => time < here - 1e-9);
    if (index >= 0) this.point(places[index], true);
    return index;
  },
};

let colours = readColours();
let isDrawingRequested = false;

/** Draws with the browser's next frame, once however often it is asked for. */
function requestDrawing() {
  if (isDrawingRequested) return;
  isDrawingRequested = true;
  requestAnimationFrame(() => {
    isDrawingRequested = false;
    drawAll();
  });
}

const overview = document.getElementById("overview");
const clock = document.getElementById("clock");

function drawAll() {
  for (const panel of panels) {
    panel.draw(colours);
    panel.showValues();
  }
  box.draw(colours);
  drawOverview();
  showClock();
}

function drawOverview() {
  const ratio = window.devicePixelRatio || 1;
  const width = overview.clientWidth, height = overview.clientHeight;
  overview.width = Math.round(width * ratio);
  overview.height = Math.round(height * ratio);
  const context = overview.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const x = time => (time - span.from) / (span.to - span.from) * width;
  context.globalAlpha = 0.7;
  context.strokeStyle = colours["--faint"];
  drawStrength(context, width, height);
  context.fillStyle = colours["--gap"];
  let last = -1;
  for (const hole of holes) {
    const left = x(hole.from), right = Math.max(x(hole.to), left + 1);
    // As in the graphs: thousands within a pixel are drawn once.
    if (right - last < 0.5) continue;
    last = right;
    context.fillRect(left, 0, right - left, height);
  }
  context.fillStyle = colours["--label"];
  for (const { from, to } of labels) context.fillRect(x(from), height - 4, Math.max(1, x(to) - x(from)), 4);
  context.fillStyle = colours["--mark"];
  for (const mark of marks) context.fillRect(x(mark.time) - 1, 0, 2, height);
  context.globalAlpha = 0.18;
  context.fillStyle = colours["--accent"];
  context.fillRect(x(view.from), 0, x(view.to) - x(view.from), height);
  context.globalAlpha = 1;
  context.strokeStyle = colours["--accent"];
  context.lineWidth = 2;
  context.strokeRect(x(view.from) + 1, 1, Math.max(2, x(view.to) - x(view.from) - 2), height - 2);
  context.fillStyle = colours["--accent"];
  for (const end of stretch.ends) if (end !== undefined) context.fillRect(x(end) - 1, 0, 2, height);
  if (view.cursor !== undefined) {
    context.fillStyle = colours["--text"];
    context.fillRect(x(view.cursor) - 0.75, 0, 1.5, height);
  }
}

/** How much the first panel's lines move, pixel by pixel; made once for a width. */
const strength = { width: 0, values: [], most: 1 };

function drawStrength(context, width, height) {
  const panel = panels.find(({ base }) => base === samples);
  if (!panel || !samples.times.length) return;
  if (strength.width !== width) {
    strength.width = width;
    strength.values = [];
    let begin = 0;
    for (let pixel = 0; pixel < width; pixel++) {
      const time = span.from + (pixel + 1) / width * (span.to - span.from);
      const end = Math.max(lowerBound(samples.times, time), Math.min(begin + 1, samples.times.length));
      let value = 0;
      if (end > begin) {
        for (const line of panel.lines) {
          if (line.isMagnitude) continue;
          // The sample before belongs to it: where a pixel has one sample, the movement is the way to it.
          const [a, b] = extent(line.levels, Math.max(0, begin - 1), end);
          value = Math.max(value, b - a);
        }
      }
      if (lowerBound(samples.times, time) > begin) begin = lowerBound(samples.times, time);
      strength.values.push(value);
    }
    strength.most = strength.values.reduce((a, b) => Math.max(a, b), 1);
  }
  context.lineWidth = 1;
  context.beginPath();
  strength.values.forEach((value, pixel) => {
    const half = Math.max(0.5, value / strength.most * (height / 2 - 4));
    context.moveTo(pixel + 0.5, height / 2 - half);
    context.lineTo(pixel + 0.5, height / 2 + half);
  });
  context.stroke();
}

function showClock() {
  const time = view.cursor === undefined ? view.from : view.cursor;
  let text = `${timeText(time, timeDigits, span.to)} of ${endText()}${span.to < 60 ? " s" : ""}`;
  const hole = view.cursor === undefined ? undefined : holeAt(view.cursor);
  if (hole && view.sampleAtCursor() === undefined) {
    text = `Gap: ${hole.count} missing, ${hole.cause} · ${text}`;
  } else if (temperature && view.sampleAtCursor() !== undefined) {
    const value = temperature.lines[0].value(view.sampleAtCursor());
    text += ` · ${number(value, Math.min(1, temperature.digits))} ${temperature.unit}`;
  }
  clock.textContent = text;
  if (facts.started_ms === null) return;
  const date = document.createElement("small");
  date.textContent = new Date(facts.started_ms + time * 1000).toLocaleString(undefined, {
    dateStyle: "medium", timeStyle: "long",
  });
  clock.append(date);
}

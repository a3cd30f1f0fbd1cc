// SPDX-License-Identifier: Apache-2.0
// One graph: legend with values, and a canvas with up to four lines.

/** Colours of the page as it is now, light or dark. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const colours = {};
  for (const name of ["page", "text", "faint", "rule", "face", "accent", "x", "y", "z", "v", "gap", "mark", "label"]) {
    colours["--" + name] = style.getPropertyValue("--" + name).trim();
  }
  return colours;
}

class Panel {
  /** A graph of samples, or of the field. */
  constructor(description, base = samples) {
    this.base = base;
    this.name = description.name;
    this.units = description.units || [description];
    this.lines = description.columns.map(column => {
      const channel = base.names[column];
      return new Line(channel === "temp" ? "temperature" : channel.slice(-1), [column], base);
    });
    if (this.lines.length === 3) this.lines.push(new Line("|v|", description.columns, base));
    for (const line of this.lines) line.take(description);
    this.takeUnit();
    this.margin = { left: 58, right: 28, top: 8, bottom: 24 };
  }

  /** Takes the unit of the lines, and the digits of the finest. */
  takeUnit() {
    const { unit, scale, offset } = this.lines[0];
    const digits = Math.max(...this.lines.map(line => line.digits));
    Object.assign(this, { unit, scale, offset, digits });
    if (!this.title) return;
    this.title.textContent = `${this.name} in ${this.unit}`;
    this.canvas.setAttribute("aria-label", this.description());
  }

  /** Shows values in another system of units. */
  use(system) {
    for (const line of this.lines) line.take(this.units.find(unit => unit.system === system) || this.units[0]);
    this.takeUnit();
  }

  attach(container) {
    const section = document.createElement("section");
    section.className = "panel";
    const legend = document.createElement("div");
    legend.className = "legend";
    this.title = document.createElement("h2");
    this.title.textContent = `${this.name} in ${this.unit}`;
    legend.append(this.title);
    for (const line of this.lines) legend.append(this.makeSwitch(line));
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    // Not an image: a screen reader passes keys to the graph.
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "graph");
    this.canvas.setAttribute("aria-describedby", "keys");
    this.canvas.setAttribute("aria-label", this.description());
    section.append(legend, this.canvas);
    container.append(section);
  }

  makeSwitch(line) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(line.isShown));
    const words = line.isMagnitude ? "the magnitude √(x² + y² + z²)" : line.name;
    button.setAttribute("aria-label", `Show ${words} of ${this.name}`);
    button.title = `Show or hide ${words}`;
    const dash = line.dash.length ? ` stroke-dasharray="${line.dash.join(" ")}"` : "";
    button.innerHTML = `<svg width="30" height="8" aria-hidden="true"><line x1="0" y1="4" x2="30" y2="4" ` +
      `stroke="var(${line.colour})" stroke-width="2.5"${dash}/></svg>`;
    const name = document.createElement("b");
    name.textContent = line.sign === line.name ? line.name : `${line.sign} ${line.name}`;
    line.output = document.createElement("output");
    button.append(name, line.output);
    button.addEventListener("click", () => {
      line.isShown = !line.isShown;
      button.setAttribute("aria-pressed", String(line.isShown));
      requestDrawing();
    });
    return button;
  }

  /** The graph in words, for a user who cannot see it. */
  description() {
    const lines = this.lines.filter(line => line.base.times.length);
    if (!lines.length) return `${this.name}: ${this.base === field ? "no values" : "no samples"}`;
    const ranges = lines.filter(line => !this.base || !line.isMagnitude).map(line => {
      const [a, b] = extent(line.levels, 0, line.base.times.length);
      const values = [a * line.scale + line.offset, b * line.scale + line.offset].sort((p, q) => p - q);
      return `${line.name} from ${number(values[0], 2)} to ${number(values[1], 2)}`;
    });
    return `${this.name} in ${this.unit} over ${number(span.to - span.from, Math.min(3, timeDigits))} seconds: ${ranges.join(", ")}`;
  }

  /** Shows the values at the cursor. */
  showValues() {
    const none = this.base && this.missing() === "clipped" ? "clipped" : "–";
    for (const line of this.lines) {
      const index = view.sampleAtCursor(line.base);
      line.output.textContent = index === undefined ? none : number(line.value(index), this.digits);
    }
  }

  /** Why the cursor has no values. */
  missing() {
    const hole = holeAt(view.cursor, this.base);
    return hole ? hole.cause : "no value";
  }

  /** Fits the canvas to its place on the screen. */
  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context = this.canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  x(time) {
    const { left, right } = this.margin;
    return left + (time - view.from) / (view.to - view.from) * (this.width - left - right);
  }

  time(x) {
    const { left, right } = this.margin;
    return view.from + (x - left) / (this.width - left - right) * (view.to - view.from);
  }

  /** Lowest and highest value in the view, with some room; symmetric room where all are equal. */
  valueRange() {
    let low = Infinity, high = -Infinity;
    for (const line of this.lines) {
      const [from, to] = view.indices(line.base);
      if (!line.isShown || from >= to) continue;
      for (const count of extent(line.levels, from, to)) {
        low = Math.min(low, count * line.scale + line.offset);
        high = Math.max(high, count * line.scale + line.offset);
      }
    }
    if (low > high) return [-1, 1];
    const room = Math.max((high - low) * 0.06, Math.abs(this.scale) * 4);
    return [low - room, high + room];
  }

  draw(colours) {
    const { context, width, height, margin } = this;
    const [low, high] = this.valueRange();
    const bottom = height - margin.bottom;
    const y = value => margin.top + (high - value) / (high - low) * (bottom - margin.top);
    // Filled and not cleared: a saved picture has the page's background, too.
    context.fillStyle = colours["--page"];
    context.fillRect(0, 0, width, height);
    this.drawAxes(colours, low, high, y);
    const clip = room => {
      context.save();
      context.beginPath();
      context.rect(margin.left - room, 0, width - margin.left - margin.right + 2 * room, bottom);
      context.clip();
    };
    clip(0);
    this.drawHoles(colours, bottom);
    context.restore();
    // A first and a last sample are whole dots.
    clip(3);
    for (const line of this.lines) if (line.isShown) this.drawLine(line, colours, y);
    context.restore();
    clip(0);
    this.drawLabels(colours, bottom);
    this.drawMarks(colours, bottom);
    this.drawEnds(colours, bottom);
    if (view.selection) {
      const [a, b] = view.selection.map(time => this.x(time));
      context.globalAlpha = 0.2;
      context.fillStyle = colours["--accent"];
      context.fillRect(Math.min(a, b), 0, Math.abs(b - a), bottom);
    }
    context.restore();
    clip(5);
    if (view.cursor !== undefined) this.drawCursor(colours, bottom, y);
    context.restore();
    this.drawNames(colours, y);
  }

  drawAxes(colours, low, high, y) {
    const { context, width, height, margin } = this;
    context.font = "12px system-ui, sans-serif";
    context.lineWidth = 1;
    context.strokeStyle = colours["--rule"];
    context.fillStyle = colours["--faint"];
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const [value, label] of valueTicks(low, high, Math.max(2, Math.floor(height / 44)))) {
      const place = Math.round(y(value)) + 0.5;
      context.beginPath();
      context.moveTo(margin.left, place);
      context.lineTo(width - margin.right, place);
      context.stroke();
      context.fillText(label, margin.left - 6, place, margin.left - 8);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    const { ticks, unit } = fittingTicks(
      view.from, view.to, width - margin.left - margin.right, 14, label => context.measureText(label).width);
    const unitRoom = context.measureText(unit).width + 8;
    for (const [time, label] of ticks) {
      const place = Math.round(this.x(time)) + 0.5;
      context.beginPath();
      context.moveTo(place, margin.top);
      context.lineTo(place, height - margin.bottom + 4);
      context.stroke();
      const half = context.measureText(label).width / 2;
      if (place + half < width - unitRoom) context.fillText(label, place, height - margin.bottom + 7);
    }
    context.textAlign = "right";
    context.fillText(unit, width - 2, height - margin.bottom + 7);
  }

  drawHoles(colours, bottom) {
    for (const base of new Set(this.lines.map(line => line.base))) this.drawHolesOf(base, colours, bottom);
  }

  drawHolesOf({ holes, holeStarts }, colours, bottom) {
    const { context } = this;
    context.fillStyle = colours["--gap"];
    let last = -1;
    for (let i = Math.max(0, lowerBound(holeStarts, view.from) - 1); i < holes.length; i++) {
      if (holes[i].from > view.to) break;
      if (holes[i].to < view.from) continue;
      const left = this.x(holes[i].from), right = Math.max(this.x(holes[i].to), left + 1);
      // Thousands of gaps narrower than a pixel are drawn once a pixel.
      if (right - last < 0.5) continue;
      last = right;
      context.globalAlpha = 0.16;
      context.fillRect(left, 0, right - left, bottom);
      context.globalAlpha = 0.9;
      context.fillRect(left, 0, right - left, 4);
    }
    context.globalAlpha = 1;
  }

  drawLine(line, colours, y) {
    const { context } = this;
    const { ticks, times } = line.base;
    const [from, to] = view.indices(line.base);
    const column = line.counts;
    const place = count => y(count * line.scale + line.offset);
    context.strokeStyle = context.fillStyle = colours[line.colour];
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.setLineDash(line.dash);
    context.beginPath();
    const pixels = this.width - this.margin.left - this.margin.right;
    if (to - from <= 2 * pixels) {
      for (let i = from; i < to; i++) {
        const x = this.x(times[i]);
        if (i > from && ticks[i] === ticks[i - 1] + 1) context.lineTo(x, place(column[i]));
        else context.moveTo(x, place(column[i]));
      }
      context.stroke();
      context.setLineDash([]);
      const isSparse = pixels / Math.max(1, to - from) > 7;
      for (let i = from; i < to; i++) {
        // A sample between two gaps has no line; it is a dot at any zoom.
        const isAlone = (i === 0 || ticks[i] !== ticks[i - 1] + 1)
          && (i + 1 === times.length || ticks[i + 1] !== ticks[i] + 1);
        if (!isSparse && !isAlone) continue;
        context.beginPath();
        context.arc(this.x(times[i]), place(column[i]), 2.2, 0, 2 * Math.PI);
        context.fill();
      }
      return;
    }
    this.drawPeaks(line, from, to, pixels, place);
    context.setLineDash([]);
  }

  /** A line of more samples than pixels: from the lowest to the highest count in each, so no peak is lost. */
  drawPeaks(line, from, to, pixels, place) {
    const { context } = this;
    const { ticks, times } = line.base;
    const column = line.counts;
    const strokes = [];
    const fine = 1 / (window.devicePixelRatio || 1);
    let begin = from, travel = 0;
    for (let pixel = 0; pixel < pixels && begin < to; pixel += fine) {
      const end = Math.min(to, lowerBound(times, this.time(this.margin.left + pixel + fine)));
      if (end <= begin) continue;
      const [low, high] = extent(line.levels, begin, end).map(place);
      strokes.push({
        x: this.margin.left + pixel + fine / 2, low, high, first: place(column[begin]), last: place(column[end - 1]),
        isJoined: begin > from && ticks[begin] === ticks[begin - 1] + 1,
      });
      travel += Math.abs(low - high);
      begin = end;
    }
    if (travel > 8 * pixels) {
      // Dashes of a line that goes up and down in every pixel would be noise; the letter at its end tells it apart.
      // Boxes are drawn many times faster than a path with as many corners.
      let before;
      for (const { x, low, high, last, isJoined } of strokes) {
        const top = Math.min(low, high, isJoined ? before : Infinity);
        const bottom = Math.max(low, high, isJoined ? before : -Infinity);
        context.fillRect(x - fine / 2, top - 0.5, fine, bottom - top + 1);
        before = last;
      }
      return;
    }
    for (const { x, low, high, first, last, isJoined } of strokes) {
      if (isJoined) context.lineTo(x, first); else context.moveTo(x, first);
      // First to the end that is nearer.
      const isLowFirst = Math.abs(first - low) < Math.abs(first - high);
      context.lineTo(x, isLowFirst ? low : high);
      context.lineTo(x, isLowFirst ? high : low);
      // A path of no length would not be drawn, and a short one of a sample between gaps hardly seen.
      const least = isJoined ? 0.5 : 2.2;
      context.lineTo(x, Math.abs(last - low) + Math.abs(last - high) < least ? last + least : last);
    }
    context.stroke();
  }

  /** Each label is a bar at the bottom with its name above; those that overlap are in rows above each other. */
  drawLabels(colours, bottom) {
    const { context } = this;
    context.fillStyle = colours["--label"];
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "bottom";
    const rows = [];
    for (const label of labels) {
      if (label.to < view.from || label.from > view.to) continue;
      const left = Math.max(this.x(label.from), this.margin.left);
      const right = Math.max(Math.min(this.x(label.to), this.width - this.margin.right), left + 1);
      let row = rows.findIndex(end => end <= left);
      if (row < 0) row = rows.length;
      // More rows would hide the lines.
      if (row > 2) continue;
      const name = this.cut(label.name, right - left - 4);
      rows[row] = right;
      const y = bottom - 20 * row;
      context.globalAlpha = 0.08;
      if (row === 0) context.fillRect(left, 0, right - left, bottom);
      context.globalAlpha = 1;
      context.fillRect(left, y - 3, right - left, 3);
      context.fillText(name, left + 2, y - 4);
    }
  }

  drawMarks(colours, bottom) {
    const { context } = this;
    context.strokeStyle = context.fillStyle = colours["--mark"];
    context.lineWidth = 1.5;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "top";
    let free = -Infinity;
    for (const mark of marks) {
      if (mark.time < view.from || mark.time > view.to) continue;
      const x = this.x(mark.time);
      context.setLineDash([1, 3]);
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, bottom);
      context.stroke();
      context.setLineDash([]);
      context.beginPath();
      context.moveTo(x - 5, 0);
      context.lineTo(x + 5, 0);
      context.lineTo(x, 8);
      context.fill();
      if (x < free) continue;
      // To the right of its mark, or, where it does not fit there and there is more room, to the left.
      const right = this.width - this.margin.right - x - 7, left = x - 7 - Math.max(this.margin.left, free);
      const isLeft = left > right && context.measureText(this.cut(mark.label, Infinity)).width > right;
      const label = this.cut(mark.label, isLeft ? left : right);
      const length = context.measureText(label).width;
      context.fillText(label, isLeft ? x - 7 - length : x + 7, 4);
      free = isLeft ? x + 5 : x + 12 + length;
    }
  }

  /** The first 24 letters of a label, or as many as fit in some pixels, and an ellipsis for others. */
  cut(label, room) {
    const letters = [...label];
    let text = label;
    for (let count = Math.min(24, letters.length); ; count--) {
      text = count < letters.length ? letters.slice(0, Math.max(0, count - 1)).join("") + "…" : label;
      if (count < 2 || this.context.measureText(text).width <= room) return text;
    }
  }

  /** Cursors A and B, and the part between them. */
  drawEnds(colours, bottom) {
    const { context } = this;
    context.fillStyle = context.strokeStyle = colours["--accent"];
    if (stretch.isWhole) {
      const [a, b] = stretch.part.map(time => this.x(time));
      context.globalAlpha = 0.1;
      context.fillRect(a, 0, b - a, bottom);
      context.globalAlpha = 1;
    }
    context.lineWidth = 1.5;
    context.font = "bold 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    stretch.ends.forEach((time, which) => {
      if (time === undefined) return;
      const x = this.x(time);
      context.fillStyle = colours["--accent"];
      context.fillRect(x - 0.75, 0, 1.5, bottom);
      // Whole at the edges, too.
      const flag = Math.min(Math.max(x, this.margin.left + 9), this.width - this.margin.right - 9);
      if (time < view.from || time > view.to) return;
      context.fillRect(flag - 9, bottom - 18, 18, 18);
      context.fillStyle = colours["--page"];
      context.fillText("AB"[which], flag, bottom - 9);
    });
  }

  drawCursor(colours, bottom, y) {
    const { context } = this;
    context.strokeStyle = colours["--text"];
    context.lineWidth = 1;
    const x = this.x(view.cursor);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, bottom);
    context.stroke();
    for (const line of this.lines) {
      const index = view.sampleAtCursor(line.base);
      if (index === undefined || !line.isShown) continue;
      context.fillStyle = colours["--page"];
      context.strokeStyle = colours[line.colour];
      context.lineWidth = 2;
      context.beginPath();
      context.arc(this.x(line.base.times[index]), y(line.value(index)), 4, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  }

  /** A letter at each line's end, which tells lines apart without colour; moved where they would overlap. */
  drawNames(colours, y) {
    const { context } = this;
    if (this.lines.length < 2) return;
    const bottom = this.height - this.margin.bottom;
    const names = this.lines.filter(line => line.isShown).map(line => ({ line, to: view.indices(line.base)[1] }))
      .filter(({ to }) => to > 0)
      .map(({ line, to }) => ({ line, y: y(line.value(to - 1)) })).sort((a, b) => a.y - b.y);
    names.forEach((name, i) => { if (i > 0) name.y = Math.max(name.y, names[i - 1].y + 14); });
    const over = names.length ? names[names.length - 1].y - (bottom - 6) : 0;
    context.font = "bold 13px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const name of names) {
      context.fillStyle = colours[name.line.colour];
      context.fillText(name.line.sign, this.width - this.margin.right + 6, name.y - Math.max(0, over));
    }
  }
}

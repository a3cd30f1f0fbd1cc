// SPDX-License-Identifier: Apache-2.0
// The part between two cursors: its figures, and saving it.

const stretch = {
  /** The times of cursors A and B; undefined while they are not set. */
  ends: [undefined, undefined],

  get isWhole() { return this.ends[0] !== undefined && this.ends[1] !== undefined; },

  /** From the earlier cursor to the later one; what is in view while there are not two. */
  get part() {
    return this.isWhole ? [Math.min(...this.ends), Math.max(...this.ends)] : [view.from, view.to];
  },

  /** First sample, or value of the field, of the part and the one after its last. */
  indices({ times } = samples) {
    const [from, to] = this.part;
    let end = lowerBound(times, to);
    // One at the later end belongs to it.
    while (end < times.length && times[end] <= to) end++;
    return [lowerBound(times, from), end];
  },

  /** Sets cursor A (0) or B (1) at a time. */
  set(which, time) {
    this.ends[which] = Math.min(Math.max(time, span.from), span.to);
    this.show();
  },

  /** Sets the cursor that is missing, or else moves the nearer one; returns which. */
  place(time) {
    const missing = this.ends.indexOf(undefined);
    const isNearerB = this.isWhole && Math.abs(this.ends[1] - time) < Math.abs(this.ends[0] - time);
    const which = missing >= 0 ? missing : isNearerB ? 1 : 0;
    this.set(which, time);
    return which;
  },

  clear() {
    this.ends = [undefined, undefined];
    this.show();
  },

  show() {
    document.getElementById("clear").disabled = this.ends.every(end => end === undefined);
    document.getElementById("part").textContent = this.isWhole ? "A to B" : "what is in view";
    requestDrawing();
    // Once a frame, however fast a cursor is dragged.
    if (!this.isAsked) requestAnimationFrame(() => {
      this.isAsked = false;
      this.showFigures();
    });
    this.isAsked = true;
  },

  /** Says where cursor A (0) or B (1) is now, and what is between the two. */
  tell(which) {
    say(this.isWhole ? this.heading() : `${"AB"[which]} ${timeWords(this.ends[which])}`);
  },

  /** The cursors, the time between them, and the samples there. */
  heading() {
    const [from, to] = this.part;
    const [begin, end] = this.indices();
    const missing = holes.reduce((sum, hole) => {
      const share = Math.max(0, Math.min(hole.to, to) - Math.max(hole.from, from)) / (hole.to - hole.from || 1);
      return sum + Math.round(hole.count * share);
    }, 0);
    return `${this.ends.map((end, which) => `${"AB"[which]} ${timeText(end, timeDigits, span.to)}`).join(", ")}: ` +
      `Δt ${number(to - from, timeDigits)} s, ${end - begin} ${end - begin === 1 ? "sample" : "samples"}` +
      (missing ? `, ${missing} missing` : "");
  },

  showFigures() {
    const section = document.getElementById("stretch");
    section.hidden = !this.isWhole;
    if (section.hidden) return;
    section.querySelector("h2").textContent = this.heading();
    this.showCommand();
    const table = section.querySelector("table");
    for (const body of [...table.tBodies]) body.remove();
    const addName = (row, scope, text) => {
      const name = document.createElement("th");
      name.scope = scope;
      name.textContent = text;
      row.append(name);
      return name;
    };
    for (const panel of panels) {
      const body = table.createTBody();
      addName(body.insertRow(), "rowgroup", `${panel.name} in ${panel.unit}`).colSpan = 6;
      for (const line of panel.lines) {
        const row = body.insertRow();
        addName(row, "row", line.name);
        const [begin, end] = this.indices(line.base);
        const figures = begin < end ? lineFigures(line, begin, end) : undefined;
        for (const key of ["min", "max", "mean", "rms", "peak"]) {
          // Averages lie between two counts.
          const digits = panel.digits + (key === "mean" || key === "rms" ? 1 : 0);
          row.insertCell().textContent = figures ? number(figures[key], digits) : "–";
        }
      }
    }
    this.showHint();
  },

  /** The command that labels the part: a page changes no recording. */
  showCommand() {
    const [from, to] = this.part.map(time => `${recordedTime(time, 9).replace(/\.?0+$/, "")}s`);
    // One word for any shell; names have no quotes of their own but the apostrophe.
    const name = (document.getElementById("name").value.trim() || "NAME").replace(/[;"\\]/g, "");
    const word = /^[\w.,:+-]+$/.test(name) ? name : `'${name.replace(/'/g, "'\\''")}'`;
    const dash = from.startsWith("-") || word.startsWith("-") ? "-- " : "";
    document.querySelector("#label code").textContent =
      `imulog label ${dash}${facts.id.slice(0, 8)} ${from}..${to} ${word}`;
  },

  /** Says so where the table is wider than the screen: values of many digits on a small phone. */
  showHint() {
    const { scrollWidth, clientWidth } = document.querySelector("#stretch .wide");
    document.getElementById("more").hidden = scrollWidth <= clientWidth;
  },
};

/** Lowest, highest and mean value of samples begin..<end, their root mean square, and the greatest magnitude. */
function lineFigures(line, begin, end) {
  const { counts } = line;
  let low = Infinity, high = -Infinity, sum = 0, squares = 0;
  for (let i = begin; i < end; i++) {
    const count = counts[i];
    if (count < low) low = count;
    if (count > high) high = count;
    sum += count;
    squares += count * count;
  }
  const size = end - begin;
  const { scale, offset } = line;
  const mean = sum / size;
  const [min, max] = [low * scale + offset, high * scale + offset].sort((a, b) => a - b);
  return {
    min, max, mean: mean * scale + offset,
    // Of values: (scale · count + offset)², summed.
    rms: Math.sqrt(Math.max(0, scale * scale * squares / size + 2 * scale * offset * mean + offset * offset)),
    peak: Math.max(Math.abs(min), Math.abs(max)),
  };
}

// Saving

/** Units as parts of a column's name. */
const unitNames = { "m/s²": "mps2", "rad/s": "radps", g: "g", "°/s": "dps", "°C": "degC", counts: "count" };

/** Offers some bytes as a file. */
function offer(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  say(`Saved ${name}`);
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** `recording-7-1.25s-3s.csv`. */
function fileName(extension) {
  const title = document.title.split(":")[0].toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const [from, to] = stretch.part.map(time => `${Number(time.toFixed(3))}s`);
  return `${title}-${from}-${to}.${extension}`;
}

/** A time in seconds as the recording has it; so many nanoseconds since 1970 are no exact number of a script. */
function recordedTime(time, digits) {
  const nanoseconds = BigInt(facts.zero_ns) + BigInt(Math.round(time * 1e9));
  const text = String(nanoseconds < 0n ? -nanoseconds : nanoseconds).padStart(10, "0");
  const fraction = text.slice(-9).slice(0, digits);
  return (nanoseconds < 0n ? "-" : "") + text.slice(0, -9) + (fraction && "." + fraction);
}

/**
 * The part's samples as CSV. A missing sample has no row; the ticks show where rows are missing. The field's values have
 * times of their own, and are left out.
 */
function partAsCSV() {
  const [begin, end] = stretch.indices();
  const all = [...panels.filter(panel => panel.base === samples), ...(temperature ? [temperature] : [])];
  const columns = all.flatMap(panel => panel.lines.filter(line => !line.isMagnitude).map(line => ({
    panel, line, name: `${facts.channels[line.columns[0]]}_${unitNames[panel.unit]}`,
    // As many digits as tell two counts apart, and one more.
    digits: panel.offset || panel.scale % 1 ? Math.ceil(Math.max(0, -Math.log10(Math.abs(panel.scale)))) + 1 : 0,
  })));
  const digits = Math.round(9 - Math.log10(facts.timeUnit_ns));
  const parts = [`tick,t_s,${columns.map(column => column.name).join(",")}\n`];
  for (let i = begin; i < end; i++) {
    const values = columns.map(({ line, digits }) => line.value(i).toFixed(digits));
    parts.push(`${samples.ticks[i]},${recordedTime(samples.times[i], digits)},${values.join(",")}\n`);
  }
  return new Blob(parts, { type: "text/csv" });
}

/** The part's graphs as they are shown, without cursors, on one picture with its title. */
function partAsPicture() {
  const before = { from: view.from, to: view.to, cursor: view.cursor };
  const { ends } = stretch;
  const head = 64;
  const { width } = panels[0];
  const height = panels.reduce((sum, panel) => sum + panel.height + 28, head);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = colours["--page"];
  context.fillRect(0, 0, width, height);
  context.fillStyle = colours["--text"];
  context.textBaseline = "top";
  context.font = "600 16px system-ui, sans-serif";
  context.fillText(document.title, 8, 10, width - 16);
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colours["--faint"];
  context.fillText(document.querySelector("header p").textContent, 8, 36, width - 16);
  let top = head;
  [view.from, view.to] = stretch.part;
  [view.cursor, stretch.ends] = [undefined, [undefined, undefined]];
  for (const panel of panels) {
    context.fillStyle = colours["--text"];
    context.font = "600 13px system-ui, sans-serif";
    context.fillText(`${panel.name} in ${panel.unit}`, 8, top + 6);
    const own = panel.context;
    panel.context = context;
    context.save();
    context.translate(0, top + 28);
    panel.draw(colours);
    context.restore();
    panel.context = own;
    top += panel.height + 28;
  }
  Object.assign(view, before);
  stretch.ends = ends;
  return new Promise(done => canvas.toBlob(done, "image/png"));
}

document.getElementById("save-csv").addEventListener("click", () => offer(partAsCSV(), fileName("csv")));
document.getElementById("save-png").addEventListener("click", async () => {
  const name = fileName("png");
  offer(await partAsPicture(), name);
});
for (const [id, which] of [["set-a", 0], ["set-b", 1]]) {
  document.getElementById(id).addEventListener("click", () => {
    setEnd(which, view.cursor === undefined ? (view.from + view.to) / 2 : view.cursor);
  });
}
document.getElementById("name").addEventListener("input", () => stretch.showCommand());
document.getElementById("copy").addEventListener("click", async () => {
  const code = document.querySelector("#label code");
  getSelection().selectAllChildren(code);
  try {
    await navigator.clipboard.writeText(code.textContent);
    say("Copied");
  } catch {
    // A page from a file may not; the command is selected.
    say("Selected; copy it with the browser");
  }
});
document.getElementById("clear").addEventListener("click", clearEnds);

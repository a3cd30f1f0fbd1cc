// SPDX-License-Identifier: Apache-2.0
// Replay: samples at their recorded times, whatever the distance between them.

const playButton = document.getElementById("play");
const speedChoice = document.getElementById("speed");

const player = {
  isPlaying: false,
  /** The page's clock and the recording's time when they were compared last. */
  lastFrame: 0,

  toggle() {
    if (this.isPlaying) this.stop(); else this.start();
  },

  start() {
    if (this.isPlaying || !samples.times.length) return;
    if (view.cursor === undefined || view.cursor >= span.to) view.point(span.from, true);
    this.isPlaying = true;
    playButton.textContent = "Pause";
    say(`Playing at ${speedChoice.value}×`);
    this.lastFrame = performance.now();
    requestAnimationFrame(now => this.frame(now));
  },

  stop() {
    this.isPlaying = false;
    playButton.textContent = "Play";
    tell(view.cursor >= span.to ? "End. " : "Paused. ");
  },

  frame(now) {
    if (!this.isPlaying) return;
    // A tab in the background gets no frames; it does not jump afterwards.
    const passed = Math.min(Math.max(0, now - this.lastFrame), 250) / 1000;
    this.lastFrame = now;
    view.point(view.cursor + passed * Number(speedChoice.value));
    const length = view.to - view.from;
    if (view.cursor > view.from + 0.9 * length && view.to < span.to) view.move(0.8 * length);
    if (view.cursor < view.from) view.move(view.cursor - view.from);
    if (view.cursor >= span.to) return this.stop();
    requestAnimationFrame(next => this.frame(next));
  },

  /** Takes the next speed up or down. */
  changeSpeed(by) {
    const index = speedChoice.selectedIndex + by;
    if (index >= 0 && index < speedChoice.options.length) speedChoice.selectedIndex = index;
    say(`Speed ${speedChoice.value}×`);
  },
};

/** Gives some words to a screen reader. */
function say(words) {
  const element = document.getElementById("spoken");
  // Only a change is spoken: the same words a second time have a space more.
  element.textContent = element.textContent === words ? words + "\u00a0" : words;
}

/** Says the cursor's time and values, or what is missing there. */
function tell(before = "") {
  if (view.cursor === undefined) return;
  const hole = holeAt(view.cursor);
  const values = view.sampleAtCursor() !== undefined ? [] : hole ? [`gap of ${hole.count}, ${hole.cause}`] : ["no sample"];
  for (const panel of panels) {
    // The sensor's own graphs say it.
    if (!panel.base) continue;
    const index = view.sampleAtCursor(panel.base);
    if (index !== undefined) {
      values.push(panel.name, ...panel.lines.filter(line => line.isShown)
        .map(line => `${line.name} ${number(line.value(index), 2)}`), panel.unit);
    } else if (panel.base !== samples) {
      values.push(panel.name, panel.missing());
    }
  }
  say(`${before}${timeWords(view.cursor)}: ${values.join(" ")}`);
}

function tellView() {
  say(`Showing ${timeWords(view.from)} to ${timeWords(view.to)}`);
}

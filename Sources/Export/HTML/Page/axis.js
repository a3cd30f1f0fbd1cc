// SPDX-License-Identifier: Apache-2.0
// Labels of axes: round numbers, as AxisTicks and TimeTicks make them for the other drawings.

/** Values between low and high that are 1, 2 or 5 times a power of ten apart, at most `limit`, with labels. */
function valueTicks(low, high, limit) {
  let step = 10 ** Math.floor(Math.log10((high - low) / (limit + 1)));
  const count = () => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
  for (let i = 0; count() > limit; i++) step *= i % 3 === 1 ? 2.5 : 2;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); i++) {
    ticks.push([i * step, number(i * step, digits)]);
  }
  return ticks;
}

/** A decimal number with a real minus, and without one before zero. */
function number(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

const clockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** Times between low and high with labels, at most `limit`, and the labels' unit. */
function timeTicks(low, high, limit) {
  let step = 10 ** Math.min(0, Math.floor(Math.log10((high - low) / (limit + 1))));
  const count = () => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
  for (let i = 0; count() > limit; i++) {
    if (step < 0.99) step *= i % 3 === 1 ? 2.5 : 2;
    else step = clockSteps.find(other => other > step * 1.01) || step * 2;
  }
  const digits = step > 0.99 ? 0 : Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const largest = Math.max(-low, high);
  const hasSeconds = largest < 3600 || step % 60 !== 0;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); i++) {
    const label = timeText(i * step, digits, largest);
    ticks.push([i * step, hasSeconds ? label : label.slice(0, -3)]);
  }
  return { ticks, unit: largest < 60 ? "s" : largest < 3600 ? "min:s" : hasSeconds ? "h:min:s" : "h:min" };
}

/** The finest ticks whose labels stand `gap` pixels apart in `pixels`; `width` measures a label. */
function fittingTicks(low, high, pixels, gap, width) {
  for (let limit = Math.max(2, Math.floor(pixels / 60)); ; limit--) {
    const axis = timeTicks(low, high, limit);
    const [first, second] = axis.ticks;
    if (!second || limit === 1) return axis;
    const room = (second[0] - first[0]) / (high - low) * pixels - gap;
    if (axis.ticks.every(([, label]) => width(label) <= room)) return axis;
  }
}

/** A time in the form that the largest one beside it needs. */
function timeText(time, digits, largest) {
  if (largest < 60) return number(time, digits);
  // In units of the last digit, so that 59.9996 becomes 1:00 and not 0:60.
  const scale = 10 ** digits;
  const total = Math.round(Math.abs(time) * scale);
  const minutes = Math.floor(total / scale / 60);
  const seconds = ((total - minutes * 60 * scale) / scale).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  const sign = time < 0 && total ? "−" : "";
  if (largest < 3600) return `${sign}${minutes}:${seconds}`;
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}`;
}

/** A time for reading and speaking: with its unit where it has no colon. */
const timeWords = time => timeText(time, timeDigits, span.to) + (span.to < 60 ? " s" : "");

/** The end of the recording, beside such a time. */
const endText = () => timeText(span.to, span.to - span.from < 1 ? timeDigits : 1, span.to);

/** Digits after a second's point that tell samples apart. */
const timeDigits = Math.min(6, Math.max(1, Math.ceil(-Math.log10(period) - 1e-9) + 1));

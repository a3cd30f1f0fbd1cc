// SPDX-License-Identifier: Apache-2.0
// The recording: facts from JSON, samples from base64, a magnetometer's values from JSON. PageBlock.swift has the layouts.

/** The facts of the recording, or of each of a take. The page is about the one whose sensor the address names. */
const recordings = [...document.querySelectorAll('script[id^="facts"]')].map(({ textContent }) => JSON.parse(textContent));
const chosen = Math.max(0, recordings.findIndex(({ sensorName }) => sensorName && location.hash === "#" + sensorName));
const facts = recordings[chosen];

/** What the page has of a recording by an ID, which has the recording's place behind it after the first. */
function elementOf(id, place) {
  return document.getElementById(place ? `${id}-${place}` : id);
}

/**
 * Ticks, times in seconds by the clock of the page's recording, one column of counts a channel, and the orientation's four
 * numbers if the page has them.
 */
function readSamples(place) {
  const facts = recordings[place], delay = place === chosen ? 0 : (facts.takeDelay_ns - recordings[chosen].takeDelay_ns) / 1e9;
  const element = elementOf("samples", place);
  const binary = atob(element.textContent);
  element.remove();
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const ticks = new Float64Array(facts.sampleCount);
  const times = new Float64Array(facts.sampleCount);
  const columns = facts.channels.length + (facts.orientation ? 4 : 0);
  const counts = Array.from({ length: columns }, () => new Int16Array(facts.sampleCount));
  const second = facts.timeUnit_ns / 1e9;
  let at = 0, begin = 0;
  const signed = width => {
    const value = width === 1 ? view.getInt8(at) : width === 2 ? view.getInt16(at, true)
      : width === 4 ? view.getInt32(at, true) : view.getFloat64(at, true);
    at += width;
    return value;
  };
  const unsigned = width => {
    const value = width === 1 ? view.getUint8(at) : width === 2 ? view.getUint16(at, true)
      : width === 4 ? view.getUint32(at, true) : view.getFloat64(at, true);
    at += width;
    return value;
  };
  while (begin < facts.sampleCount) {
    const end = begin + unsigned(2);
    const tickWidth = unsigned(1), timeWidth = unsigned(1);
    ticks[begin] = unsigned(8);
    let time = unsigned(8);
    times[begin] = time * second + delay;
    for (let i = begin + 1; i < end; i++) {
      ticks[i] = ticks[i - 1] + 1 + (tickWidth === 0 ? 0 : unsigned(tickWidth));
    }
    for (let i = begin + 1; i < end; i++) {
      time += signed(timeWidth) + (ticks[i] - ticks[i - 1]) * facts.periodUnits;
      times[i] = time * second + delay;
    }
    for (const column of counts) {
      const width = unsigned(1);
      column[begin] = signed(2);
      // Int16Array wraps, as the differences do.
      for (let i = begin + 1; i < end; i++) column[i] = column[i - 1] + signed(width);
    }
    begin = end;
  }
  const turns = counts.splice(facts.channels.length);
  const period = facts.ticksPerSecond[1] / facts.ticksPerSecond[0];
  return { facts, delay, period, names: facts.channels, ticks, times, turns, counts };
}

/**
 * The magnetometer's values at the middles of their intervals, in the form of samples: those that do not follow each
 * other have ticks that do not. Undefined where the page has none.
 */
function readField() {
  const element = elementOf("field", chosen);
  if (!element) return undefined;
  const numbers = JSON.parse(element.textContent);
  element.remove();
  const period = facts.field.rate[1] / facts.field.rate[0];
  const field = { names: ["mx", "my", "mz"], ticks: [], times: [], counts: [[], [], []], period, holes: [] };
  let end = 0, tick = 0, isClipped = false, due = facts.range_ns[0] / 1e9 + period;
  const miss = to => {
    field.holes.push({ from: Math.min(due, to), to, cause: isClipped ? "clipped" : "no value" });
    isClipped = false;
    tick++;
  };
  for (let i = 0; i < numbers.length; i += 6) {
    const [step, width, x, y, z, flags] = numbers.slice(i, i + 6);
    end += step;
    const time = (end - width / 2) / 1e6;
    // What is clipped has no value, and the one before a skipped one was not read.
    if (flags & 1) {
      if (!isClipped) due = Math.min(due, time);
      isClipped = true;
      continue;
    }
    if (isClipped || (tick > 0 && flags & 2) || time - due > period / 2) miss(time);
    field.ticks.push(tick++);
    field.times.push(time);
    [x, y, z].forEach((value, axis) => field.counts[axis].push(value));
    due = time + period;
  }
  const last = facts.range_ns[1] / 1e9;
  if (isClipped || last - due > period / 2) miss(Math.max(last, due));
  field.counts = field.counts.map(column => Float64Array.from(column));
  return addStarts(field);
}

/** Prepares holes, which are in order, for ``holeAt``. */
function addStarts(base) {
  base.holeStarts = base.holes.map(hole => hole.from);
  return base;
}

/**
 * Lowest and highest counts of 8, 64, 512… neighbours, so that a drawing of any number of samples loses no peak.
 */
function makeLevels(column) {
  const levels = [{ low: column, high: column }];
  while (levels[levels.length - 1].low.length > 64) {
    const { low, high } = levels[levels.length - 1];
    const length = Math.ceil(low.length / 8);
    const lower = new column.constructor(length), higher = new column.constructor(length);
    for (let i = 0; i < length; i++) {
      let a = Infinity, b = -Infinity;
      for (let j = 8 * i; j < Math.min(8 * i + 8, low.length); j++) {
        if (low[j] < a) a = low[j];
        if (high[j] > b) b = high[j];
      }
      lower[i] = a;
      higher[i] = b;
    }
    levels.push({ low: lower, high: higher });
  }
  return levels;
}

/** Lowest and highest count of samples from..<to, which are at least one. */
function extent(levels, from, to) {
  let a = Infinity, b = -Infinity;
  const take = (level, i) => {
    if (levels[level].low[i] < a) a = levels[level].low[i];
    if (levels[level].high[i] > b) b = levels[level].high[i];
  };
  let level = 0;
  while (from < to) {
    if (level + 1 === levels.length) {
      while (from < to) take(level, from++);
      break;
    }
    while (from < to && from % 8 !== 0) take(level, from++);
    while (to > from && to % 8 !== 0) take(level, --to);
    from /= 8;
    to /= 8;
    level++;
  }
  return [a, b];
}

/** The first index whose value is at least `value`. */
function lowerBound(values, value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

/** Of each sensor of a take, or of one. */
const sensors = recordings.map((_, place) => readSamples(place));
const samples = sensors[chosen], field = readField();
const { period } = samples;
const span = {
  from: Math.min(facts.range_ns[0] / 1e9, ...samples.times.slice(0, 1), ...(field ? field.times.slice(0, 1) : [])),
  to: Math.max(facts.range_ns[1] / 1e9, ...samples.times.slice(-1), ...(field ? field.times.slice(-1) : [])),
};
if (span.to <= span.from) span.to = span.from + period;

/**
 * Where ticks are missing: from and to in seconds, the ticks, and the log's cause. The times of an import, and
 * of a chip that keeps the time, lie on no grid: there the samples around a hole show where it is.
 */
function findHoles({ facts, delay, period, ticks, times }, span) {
  const tickTime = tick => tick * facts.ticksPerSecond[1] / facts.ticksPerSecond[0] + delay;
  const last = ticks.length - 1;
  const holes = [];
  const gaps = facts.gaps.sort((a, b) => a.tick - b.tick);
  let next = 0;
  const add = (first, end, from, to) => {
    if (end <= first) return;
    const causes = new Set();
    while (next < gaps.length && gaps[next].tick + gaps[next].count <= first) next++;
    for (let i = next; i < gaps.length && gaps[i].tick < end; i++) causes.add(facts.phrases[gaps[i].cause]);
    // The page has the first of very many gaps.
    const isKnown = facts.gapCount <= gaps.length;
    if (!facts.freeRunning) [from, to] = [tickTime(first), tickTime(end)];
    holes.push({
      from: Math.min(from, to), to, count: end - first,
      cause: causes.size ? [...causes].join(", ") : isKnown ? "damaged, cannot be read" : "gap",
    });
  };
  const [first, end] = facts.ticks;
  add(first, last < 0 ? end : ticks[0], span.from, last < 0 ? span.to : times[0]);
  for (let i = 1; i <= last; i++) {
    if (ticks[i] !== ticks[i - 1] + 1) {
      add(ticks[i - 1] + 1, ticks[i], Math.min(times[i - 1] + period, times[i]), times[i]);
    }
  }
  if (last >= 0) add(ticks[last] + 1, end, times[last] + period, span.to);
  return holes;
}
for (const sensor of sensors) {
  const [from, to] = sensor.facts.range_ns.map(time => time / 1e9 + sensor.delay);
  sensor.holes = findHoles(sensor, sensor === samples ? span : { from, to });
  addStarts(sensor);
}
const { holes } = samples;
const holeMiddles = holes.map(hole => (hole.from + hole.to) / 2);
const marks = facts.marks.map(({ t_ns, label }) => ({ time: t_ns / 1e9, label }));

/** Parts of the recording with names; those that begin before or end after what is here are cut. */
const labels = facts.labels.map(({ from_ns, to_ns, name }) => ({
  from: Math.max(from_ns / 1e9, span.from), to: Math.min(to_ns / 1e9, span.to), name,
}));

/** The hole at a time in the samples, or in the field; undefined when there is none. */
function holeAt(time, { holes, holeStarts } = samples) {
  const hole = holes[lowerBound(holeStarts, time + 1e-9) - 1];
  return hole && time < hole.to ? hole : undefined;
}

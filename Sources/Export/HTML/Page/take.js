// SPDX-License-Identifier: Apache-2.0
// The sensors of a take: one graph of all, and which one the others are of. Only in the page of a take.

/** Of the sensors of a take, in their order. */
const sensorStyles = [...Object.values(styles), ...Object.values(styles).map(({ colour }) => ({ colour, dash: [1, 2] }))];

/** One graph of a channel, or of the length of a vector, of all sensors of a take. */
class Overlay extends Panel {
  constructor() {
    const own = facts.panels[0];
    super({ ...own, columns: own.columns.slice(0, 1) });
    this.base = undefined;
    this.names = [...new Set(recordings.flatMap(({ panels }) => panels.map(panel => panel.name)))];
    this.choose(own.name, 0);
  }

  /** Shows the channel of this place in the panel of this name; the length of all where it has no such channel. */
  choose(name, place) {
    const system = this.system || facts.units;
    const hidden = new Set(this.lines.filter(line => !line.isShown).map(line => line.base));
    this.lines = [];
    for (const [number, base] of sensors.entries()) {
      const panel = base.facts.panels.find(panel => panel.name === name);
      if (!panel) continue;
      const columns = place < panel.columns.length ? [panel.columns[place]] : panel.columns;
      const line = new Line(base.facts.sensorName, columns, base, sensorStyles[number]);
      Object.assign(line, { sign: String(number + 1), isShown: !hidden.has(base), units: panel.units });
      this.lines.push(line);
    }
    this.name = `${name}${this.lines.every(line => line.base.facts.panels.find(panel => panel.name === name).columns.length > 1)
      ? ` ${["x", "y", "z", "|v|"][place]}` : ""} of all`;
    this.use(system);
    if (!this.legend) return;
    for (const button of this.legend.querySelectorAll("button")) button.remove();
    for (const line of this.lines) this.legend.append(this.makeSwitch(line));
  }

  use(system) {
    this.system = system;
    for (const line of this.lines) line.take(line.units.find(unit => unit.system === system) || line.units[0]);
    this.takeUnit();
  }

  attach(container) {
    super.attach(container);
    this.legend = container.lastElementChild.firstElementChild;
    const choice = document.createElement("select");
    choice.setAttribute("aria-label", "What to show of all sensors");
    for (const name of this.names) {
      const counts = recordings.flatMap(({ panels }) => panels.filter(panel => panel.name === name)).map(({ columns }) => columns.length);
      const places = Math.max(...counts) > 1 ? ["x", "y", "z", "|v|"] : [""];
      places.forEach((axis, place) => {
        const option = document.createElement("option");
        option.value = `${place} ${name}`;
        option.textContent = `${name} ${axis}`.trim();
        choice.append(option);
      });
    }
    choice.addEventListener("change", () => {
      this.choose(choice.value.slice(2), Number(choice.value[0]));
      stretch.show();
    });
    this.title.after(choice);
  }
}

/** A row for each sensor of a take: which one the page is about, and a link to the others. */
function fillSensors() {
  const table = document.getElementById("sensors");
  table.hidden = false;
  recordings.forEach(({ sensorName }, place) => {
    const header = (place ? elementOf("about", place).content : document).querySelector("header");
    const row = table.insertRow();
    const name = document.createElement("th");
    name.scope = "row";
    const link = document.createElement("a");
    link.href = "#" + sensorName;
    link.textContent = `${place + 1} ${sensorName}`;
    if (place === chosen) link.setAttribute("aria-current", "true");
    name.append(link);
    row.append(name);
    row.insertCell().textContent = header.querySelector("p").textContent;
  });
  window.addEventListener("hashchange", () => location.reload());
  if (!chosen) return;
  const other = elementOf("about", chosen).content;
  document.title = other.querySelector("h1").textContent;
  document.querySelector("header").replaceWith(other.querySelector("header"));
  document.querySelector("dl").replaceWith(other.querySelector("dl"));
}

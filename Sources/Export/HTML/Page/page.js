// SPDX-License-Identifier: Apache-2.0
// Puts the page together.

/** A list of places to go to: marks, gaps. */
function fillPlaces(id, count, places) {
  const section = document.getElementById(id);
  if (!count) return;
  section.hidden = false;
  section.querySelector("h2").textContent += ` (${count})`;
  const list = section.querySelector("ul");
  for (const { time, words, spoken } of places.slice(0, 1000)) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    const at = document.createElement("time");
    at.textContent = timeWords(time);
    button.append(at, words);
    button.addEventListener("click", () => {
      player.isPlaying = false;
      playButton.textContent = "Play";
      view.point(time, true);
      tell(spoken);
    });
    item.append(button);
    list.append(item);
  }
  if (count > Math.min(places.length, 1000)) {
    const item = document.createElement("li");
    item.textContent = `and ${count - Math.min(places.length, 1000)} more`;
    list.append(item);
  }
}

/** Shows all values in a system of units, or in the next one. */
function changeUnits(system) {
  const choice = document.getElementById("units");
  if (system === undefined) choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
  for (const panel of [...panels, ...(temperature ? [temperature] : [])]) panel.use(choice.value);
  stretch.show();
  say(`Units: ${choice.selectedOptions[0].textContent}`);
}

function fillUnits() {
  const choice = document.getElementById("units");
  const names = new Set();
  const own = panels.filter(panel => panel.base === samples);
  const systems = own.length ? own[0].units : [];
  systems.forEach(({ system }, i) => {
    const option = document.createElement("option");
    option.value = system;
    option.textContent = [...new Set(own.map(panel => panel.units[i].unit))].join(", ");
    names.add(option.textContent);
    choice.append(option);
  });
  // A temperature alone has one unit.
  choice.parentElement.hidden = names.size < 2;
  choice.value = facts.units;
  choice.addEventListener("change", () => changeUnits(choice.value));
}

if (recordings.length > 1) fillSensors();
fillUnits();
for (const panel of panels) {
  panel.attach(document.getElementById("panels"));
  listen(panel);
}
listenToOverview();
fillPlaces("labels", labels.length, labels.map(label => ({
  time: label.from, words: `${label.name}, ${number(label.to - label.from, timeDigits)} s`,
})));
fillPlaces("marks", facts.markCount, marks.map(mark => ({
  time: mark.time, words: mark.label || "(button)", spoken: markWords(mark),
})));
fillPlaces("gaps", holes.length, holes.slice(0, 1000).map(({ count, cause }, i) => ({
  time: holeMiddles[i], words: `${count} ${count === 1 ? "sample" : "samples"}: ${cause}`,
})));
playButton.addEventListener("click", () => player.toggle());
document.getElementById("back").addEventListener("click", moves(() => view.step(-1)));
document.getElementById("on").addEventListener("click", moves(() => view.step(1)));
document.getElementById("closer").addEventListener("click", keys["+"]);
document.getElementById("farther").addEventListener("click", keys["-"]);
document.getElementById("whole").addEventListener("click", keys["0"]);
const resizeAll = () => {
  for (const panel of panels) panel.resize();
  stretch.showHint();
  drawAll();
};
new ResizeObserver(resizeAll).observe(document.getElementById("panels"));
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours = readColours();
  drawAll();
});
resizeAll();

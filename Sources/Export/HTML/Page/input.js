// SPDX-License-Identifier: Apache-2.0
// Mouse, touch, wheel and keys.

/** Lets a panel's canvas be pointed at, dragged, pinched and wheeled. */
function listen(panel) {
  const { canvas } = panel;
  const fingers = new Map();
  let drag;
  /** Cursors A and B before the last click: a double click moves none. */
  let before = [undefined, undefined];
  let clicked = -Infinity;
  const timeAt = event => panel.time(event.clientX - canvas.getBoundingClientRect().left);

  canvas.addEventListener("pointerdown", event => {
    if (event.button > 1) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event.clientX);
    const end = stretch.ends.findIndex(time => time !== undefined
      && Math.abs(panel.x(time) - (event.clientX - canvas.getBoundingClientRect().left))
        < (event.pointerType === "touch" ? 20 : 6));
    const moves = event.pointerType === "touch" || event.shiftKey || event.button === 1;
    drag = { moves, x: event.clientX, time: timeAt(event), from: view.from, isFar: false, end };
    if (fingers.size === 2) drag = { pinch: spread(fingers), centre: timeAt(event), from: view.from, to: view.to };
  });

  canvas.addEventListener("pointermove", event => {
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, event.clientX);
    if (!drag) return view.point(timeAt(event));
    if (drag.pinch) {
      const factor = drag.pinch / Math.max(10, spread(fingers));
      view.show(drag.centre - (drag.centre - drag.from) * factor, drag.centre + (drag.to - drag.centre) * factor);
      return;
    }
    if (Math.abs(event.clientX - drag.x) > 5) drag.isFar = true;
    if (!drag.isFar) return;
    if (drag.end >= 0) {
      stretch.set(drag.end, timeAt(event));
      view.point(timeAt(event));
    } else if (drag.moves) {
      const width = panel.width - panel.margin.left - panel.margin.right;
      view.move(drag.from - view.from - (event.clientX - drag.x) / width * (view.to - view.from));
    } else {
      view.selection = [drag.time, timeAt(event)];
      view.point(timeAt(event));
    }
  });

  const release = event => {
    fingers.delete(event.pointerId);
    if (drag && !drag.pinch && !drag.isFar && event.type === "pointerup") {
      view.point(timeAt(event));
      // A finger's tap only shows values; buttons set its cursors.
      if (event.timeStamp - clicked > 500) before = [...stretch.ends];
      clicked = event.timeStamp;
      if (event.pointerType === "mouse" && drag.end < 0) stretch.tell(stretch.place(timeAt(event)));
      else tell();
    }
    if (drag && drag.isFar && drag.end >= 0) stretch.tell(drag.end);
    if (view.selection && event.type === "pointerup") {
      view.show(...view.selection.sort((a, b) => a - b));
      tellView();
    }
    view.selection = undefined;
    drag = undefined;
    requestDrawing();
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("dblclick", () => {
    stretch.ends = before;
    stretch.show();
    view.showWhole();
    tellView();
  });
  canvas.addEventListener("wheel", event => {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    // There is no more to show, so that the page scrolls.
    if (!isSideways && event.deltaY > 0 && view.isWhole) return;
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (isSideways) {
      view.move(sideways / 1000 * (view.to - view.from));
    } else {
      view.zoom(1.0015 ** Math.max(-400, Math.min(400, event.deltaY)), timeAt(event));
    }
  }, { passive: false });
}

/** Pixels between two fingers. */
function spread(fingers) {
  const [a, b] = [...fingers.values()];
  return Math.max(10, Math.abs(a - b));
}

/** Drags the part that is shown along the overview. */
function listenToOverview() {
  const go = event => {
    const box = overview.getBoundingClientRect();
    const time = span.from + (event.clientX - box.left) / box.width * (span.to - span.from);
    view.point(time);
    view.move(time - (view.from + view.to) / 2);
  };
  overview.addEventListener("pointerdown", event => {
    overview.setPointerCapture(event.pointerId);
    go(event);
  });
  overview.addEventListener("pointermove", event => { if (event.buttons & 1) go(event); });
}

/** An action that moves the cursor, and says where to; during replay that would be too much. */
const moves = action => event => {
  action(event);
  if (!player.isPlaying) tell();
};
/** An action that changes what is in view, and says what is. */
const shows = action => () => {
  action();
  tellView();
};

const keys = {
  " ": () => player.toggle(),
  ArrowLeft: moves(event => event.shiftKey ? view.point(here() - length() / 10, true) : view.step(-1)),
  ArrowRight: moves(event => event.shiftKey ? view.point(here() + length() / 10, true) : view.step(1)),
  "+": shows(() => view.zoom(0.5)),
  "=": shows(() => view.zoom(0.5)),
  "-": shows(() => view.zoom(2)),
  "0": shows(() => view.showWhole()),
  PageUp: shows(() => view.move(-length())),
  PageDown: shows(() => view.move(length())),
  Home: moves(() => view.point(span.from, true)),
  End: moves(() => view.point(span.to, true)),
  m: event => jump("mark", marks.map(mark => mark.time), event.shiftKey ? -1 : 1, i => markWords(marks[i])),
  g: event => jump("gap", holeMiddles, event.shiftKey ? -1 : 1, () => ""),
  a: () => setEnd(0, here()),
  b: () => setEnd(1, here()),
  Escape: () => clearEnds(),
  u: () => changeUnits(),
  ",": () => player.changeSpeed(-1),
  ".": () => player.changeSpeed(1),
};
const here = () => view.cursor === undefined ? view.from : view.cursor;
const length = () => view.to - view.from;
const markWords = ({ label }) => `Mark ${label}. `;

/** Goes to the next or the previous place of a kind, and says what is there. */
function jump(kind, places, direction, words) {
  const index = view.jump(places, direction);
  if (index < 0) say(`No ${kind} ${direction > 0 ? "after" : "before"} the cursor`);
  else if (!player.isPlaying) tell(words(index));
}

function setEnd(which, time) {
  stretch.set(which, time);
  stretch.tell(which);
}

function clearEnds() {
  say(stretch.ends.some(end => end !== undefined) ? "Cursors A and B removed" : "There is no cursor A or B");
  stretch.clear();
}

// On a graph only: elsewhere the same keys scroll the page and press buttons.
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName !== "CANVAS") return;
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action(event);
});

# SPDX-License-Identifier: Apache-2.0
"""What the checks ask of a page, in its own language."""

# How many pixels of a canvas are within a few steps of a colour; the page behind it shows where nothing is drawn.
PIXELS = """(() => {
  const canvas = document.querySelectorAll(".panel canvas")[%d];
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const colours = %s;
  return colours.map(([r, g, b]) => {
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 200 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40) count++;
    }
    return count;
  });
})()"""

# How many pixels of a picture let through what is behind it.
CLEAR = """(async () => {
  const bytes = Uint8Array.from(atob("%s"), c => c.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const copy = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  copy.drawImage(picture, 0, 0);
  const { data } = copy.getImageData(0, 0, picture.width, picture.height);
  let count = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i] < 255) count++;
  return count;
})()"""

# Average milliseconds of a frame while the wheel turns in, out and sideways.
WHEEL = """new Promise(done => {
  const canvas = document.querySelector(".panel canvas");
  const box = canvas.getBoundingClientRect();
  let frames = 0;
  const begin = performance.now();
  const turn = () => {
    if (frames === 60) return done((performance.now() - begin) / frames);
    const deltaY = frames % 60 < 30 ? -120 : 120;
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: box.x + 300, clientY: box.y + 50, cancelable: true }));
    frames++;
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
})"""

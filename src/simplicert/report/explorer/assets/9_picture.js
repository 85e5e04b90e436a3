// The picture: the map on a canvas, and over it axes, names, the box and the point that is dragged.

const PAD = { left: 46, right: 16, top: 16, bottom: 40 };
const SVG = "http://www.w3.org/2000/svg";
const shown = { map: null, key: "", width: 0 }; // the map on the screen, and how wide

function draw(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Pixels of a unit of E0 and of E1: the triangle is as wide as the page allows.
const unit = () => shown.width - PAD.left - PAD.right;
const toScreen = ([e0, e1]) => [PAD.left + e0 * unit(), PAD.top + (0.5 - e1) * unit()];
const fromScreen = (x, y) => [(x - PAD.left) / unit(), 0.5 - (y - PAD.top) / unit()];

function layOut() {
  shown.width = byId("stage").clientWidth;
  const height = unit() / 2 + PAD.top + PAD.bottom;
  byId("stage").style.aspectRatio = `${shown.width} / ${height}`; // on paper it is as wide as the page
  byId("overlay").setAttribute("viewBox", `0 0 ${shown.width} ${height}`);
  const dots = Math.min(devicePixelRatio || 1, 3);
  Object.assign(byId("map"), { width: shown.width * dots, height: height * dots });
  byId("map").getContext("2d").setTransform(dots, 0, 0, dots, 0, 0);
  drawAxes();
  paintMap();
}

function drawAxes() {
  const parts = [];
  const [bottom, left] = [toScreen([0, 0])[1], PAD.left];
  for (const k of [0, 2, 4, 6, 8, 10]) {
    const [x] = toScreen([k / 10, 0]);
    parts.push(draw("line", { x1: x, x2: x, y1: bottom, y2: bottom + 5 }));
    parts.push(draw("text", { x, y: bottom + 19, "text-anchor": "middle" }, String(k / 10)));
  }
  for (const k of [0, 1, 2, 3, 4, 5]) {
    const [, y] = toScreen([0, k / 10]);
    parts.push(draw("line", { x1: left - 5, x2: left, y1: y, y2: y }));
    parts.push(draw("text", { x: left - 9, y: y + 4, "text-anchor": "end" }, String(k / 10)));
  }
  const [top, corner] = [toScreen([0, 0.5])[1], toScreen([1, 0])];
  parts.push(draw("path", { d: `M${left},${top}V${bottom}H${corner[0]}` }));
  const [middle] = toScreen([0.5, 0]);
  parts.push(draw("text", { x: middle, y: bottom + 35, "text-anchor": "middle", class: "name" }, axisName("E0", "first class")));
  const at = `translate(${left + 14},${top + 2}) rotate(-90)`;
  parts.push(draw("text", { transform: at, "text-anchor": "end", class: "name" }, axisName("E1", "second class")));
  byId("axes").replaceChildren(...parts);
}

const axisName = (letter, words) => (unit() < 360 ? letter : `${letter}, ${words}`);

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const channels = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));

const BLACK = "#000000"; // stands for the ink, which is light in the dark

// An opaque mixture with the paper, so that neighbours may overlap without a seam.
function pale(colour, share = 0.42) {
  const hex = (name) => colourOf(name).replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
  const own = colour === BLACK ? hex("--ink") : colour;
  const [one, other] = [channels(own), channels(hex("--paper"))];
  return `rgb(${one.map((c, k) => Math.round(share * c + (1 - share) * other[k])).join(",")})`;
}

const lookOf = (threat, name) => threat.mechanisms.find((one) => one.name === name);

function hatch(context) {
  const tile = Object.assign(document.createElement("canvas"), { width: 8, height: 8 });
  const pen = tile.getContext("2d");
  pen.fillStyle = colourOf("--shade");
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = colourOf("--rim");
  for (const shift of [-8, 0, 8]) {
    pen.moveTo(shift, 8);
    pen.lineTo(shift + 8, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}

function paintMap() {
  const context = byId("map").getContext("2d");
  const outline = [[0, 0], [1, 0], [0.5, 0.5]];
  context.clearRect(0, 0, shown.width, shown.width);
  const trace = (lines, closed) => { // all of a colour at once: one by one they take a second
    context.beginPath();
    for (const points of lines) {
      points.map(toScreen).forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
      if (closed) context.closePath();
    }
  };
  context.lineJoin = "round";
  if (shown.map) {
    context.save();
    trace([outline], true);
    context.clip();
    for (const [name, polygons] of shown.map.polygons) {
      const look = lookOf(threatOf(view), name);
      const plain = look ? pale(look.colour) : colourOf("--shade");
      const paint = name.includes(" = ") ? hatch(context) : plain;
      Object.assign(context, { fillStyle: paint, strokeStyle: paint, lineWidth: 1 });
      trace(polygons, true);
      context.fill();
      context.stroke();
    }
    Object.assign(context, { strokeStyle: colourOf("--ink"), lineWidth: 1.4, lineCap: "round" });
    trace(shown.map.lines, false);
    context.stroke();
    context.restore();
  }
  trace([outline], true);
  Object.assign(context, { strokeStyle: colourOf("--ink"), lineWidth: 1.2 });
  context.stroke();
  nameRegions();
}

// A region's name stands in it, or beside the triangle with a line where there is no room.
function nameRegions() {
  const threat = threatOf(view);
  const parts = [];
  const aside = { left: 0, right: 0 };
  for (const [name, { at, room }] of shown.map?.labels ?? []) {
    const text = regionName(threat, name);
    const wide = text.length * (unit() < 420 ? 6.6 : 7.6);
    const [x, y] = toScreen(at);
    if (room * unit() > wide / 2 + 6) {
      parts.push(draw("text", { x, y: y + 5 }, text));
    } else if (room > 0) {
      const side = at[0] < 0.5 ? "left" : "right";
      const middle = side === "left" ? PAD.left + 34 + wide / 2 : shown.width - PAD.right - wide / 2;
      const below = toScreen([0, 0.44])[1] + 24 * aside[side];
      parts.push(draw("line", { x1: middle, y1: below + 6, x2: x, y2: y }));
      parts.push(draw("text", { x: middle, y: below, class: "aside" }, text));
      aside[side] += 1;
    }
  }
  byId("regions").replaceChildren(...parts);
}

function regionName(threat, name) {
  if (!name) return "none certifies";
  const labels = name.split(" = ").map((one) => lookOf(threat, one).label);
  return labels.length > 1 && unit() < 420 ? "equal" : labels.join(" = ");
}

// What the colours mean; a map of one colour says whose it is.
function noteMap() {
  const threat = threatOf(view);
  const all = list(threat.compared.map((name) => lookOf(threat, name).label));
  const [only, ...others] = shown.map?.polygons.keys() ?? [];
  const one = others.length === 0 && lookOf(threat, only);
  const colours = one
    ? `One colour: ${threat.compared.length > 1 ? `of ${all}, ${one.label} is the largest at every point of the map` : one.label}`
    : `Colours: the largest of ${all}; hatched where several are equal`;
  byId("map-note").textContent = `${colours}. Ring: ${isScored() ? "the mean scores" : "the shares"}. Diamond: what the draws prove.`;
}

// The map of another threat takes a moment: it is made in slices, and painted when it is whole.
function refreshMap() {
  const threat = threatOf(view);
  const key = [threat.noise, threat.norm, threat.kind, ...threat.needs.map((name) => view.numbers[name])].join(" ");
  if (shown.key === key) return;
  Object.assign(shown, { key, map: null });
  delete document.documentElement.dataset.map;
  paintMap();
  const making = makeMap(threat, { ...view.numbers });
  const slice = () => {
    if (shown.key !== key) return;
    const end = performance.now() + 25;
    let step = making.next();
    while (!step.done && performance.now() < end) step = making.next();
    if (!step.done) {
      setTimeout(slice, 0);
      return;
    }
    shown.map = step.value;
    shown.map.labels = [...shown.map.polygons.keys()].map((name) => [name, labelPlace(shown.map, name)]);
    paintMap();
    noteMap();
    document.documentElement.dataset.map = "yes";
  };
  setTimeout(slice, 0);
}

// The ring is what was seen, the diamond what is proved.
function drawPoint(outcome) {
  const [x, y] = toScreen([view.e0, view.e1]);
  byId("handle").setAttribute("transform", `translate(${x},${y})`);
  byId("handle").setAttribute("aria-valuenow", view.e0.toFixed(4));
  byId("handle").setAttribute("aria-valuetext", `first class ${view.e0.toFixed(4)}, second class ${view.e1.toFixed(4)}`);
  const boxed = !isExact();
  byId("box").toggleAttribute("hidden", !boxed);
  byId("corner").toggleAttribute("hidden", !(boxed && outcome.issued));
  document.body.classList.toggle("abstained", !outcome.issued);
  if (!boxed) return;
  const [left, top] = toScreen([Math.min(outcome.e0, view.e0), Math.max(outcome.e1, view.e1)]);
  const size = { x: left, y: top, width: Math.max(x - left, 0), height: Math.max(y - top, 0) };
  for (const [name, value] of Object.entries(size)) byId("box").setAttribute(name, value);
  byId("corner").setAttribute("d", `M${left},${top - 6}l6,6l-6,6l-6,-6z`);
}

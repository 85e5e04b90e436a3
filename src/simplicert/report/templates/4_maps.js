// Maps over the simplex, from the package's radii on a grid; row j holds i = j + 1 .. steps - 1 - j.

const { steps, packed } = page.simplex;
const HUGE = 3; // log2 of a ratio: the colours stop at 8
const NOBODY = 255; // no mechanism certifies
const RISING = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];

const unpacked = {};
function gridOf(name) {
  const at = state.threat.radii[name];
  unpacked[at] ??= new Float32Array(bytesOf(packed[at]).buffer);
  return unpacked[at];
}

function placeOf(i, j) {
  const inside = Math.min(Math.max(i, j + 1), steps - 1 - j); // a cell on the edge is its neighbour
  return j * (steps - j) + inside - j - 1;
}

const gridRadius = (name, i, j) => gridOf(name)[placeOf(i, j)];

function cells(value) {
  const row = (j) => Array.from({ length: steps }, (_, i) => (i < j || i > steps - j ? null : value(i, j)));
  return Array.from({ length: steps / 2 }, (_, j) => row(j));
}

// The size that all but 2 % of the values stay below: the colours end there.
function reach(rows) {
  const sizes = rows.flat().filter((z) => z !== null && Number.isFinite(z)).map(Math.abs);
  return sizes.sort((a, b) => a - b)[Math.floor(0.98 * (sizes.length - 1))] || 1;
}

const MAPS = {
  ratio(first, second) {
    const z = cells((i, j) => {
      const [one, two] = [gridRadius(first, i, j), gridRadius(second, i, j)];
      return one === two ? 0 : Math.log2(one / two); // infinite where only one certifies
    });
    const most = Math.min(Math.max(reach(z), Math.log2(1.1)), HUGE);
    const fine = [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4];
    const coarse = [0.125, 0.25, 0.5, 1, 2, 4, 8];
    return {
      z, zmin: -most, zmax: most, colours: page.diverging,
      words: `${lookOf(first).label} / ${lookOf(second).label}`,
      ticks: (most > 1 ? coarse : fine).map((mark) => [Math.log2(mark), String(mark)]),
    };
  },
  difference(first, second) {
    const z = cells((i, j) => gridRadius(first, i, j) - gridRadius(second, i, j));
    const most = reach(z);
    return { z, zmin: -most, zmax: most, colours: page.diverging, words: `${lookOf(first).label} − ${lookOf(second).label}, ${state.threat.at}` };
  },
  radius(first) {
    const z = cells((i, j) => gridRadius(first, i, j));
    return { z, zmin: 0, zmax: reach(z), colours: RISING, words: `${lookOf(first).label}, ${state.threat.at}` };
  },
};

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

function blend(colours, share) {
  const at = Math.min(Math.max(share, 0), 1) * (colours.length - 1);
  const [one, two] = [colours[Math.floor(at)], colours[Math.ceil(at)]].map(channels);
  return one.map((part, k) => Math.round(part + (two[k] - part) * (at % 1)));
}

// The cells as a picture; a cell outside takes the colour of its neighbour, and the edge cuts it.
function cellsPicture(plot, colourOf, sharp) {
  const canvas = make("canvas", { width: steps, height: steps / 2 });
  const context = canvas.getContext("2d");
  const image = context.createImageData(steps, steps / 2);
  for (let j = 0; j < steps / 2; j += 1) {
    for (let i = 0; i < steps; i += 1) {
      const [r, g, b, a] = colourOf(Math.min(Math.max(i, j), steps - j), j);
      image.data.set([r, g, b, a ?? 255], 4 * ((steps / 2 - 1 - j) * steps + i));
    }
  }
  context.putImageData(image, 0, 0);
  const [left, top] = [plot.x(0), plot.y(0.5)];
  const place = { x: left, y: top, width: plot.x(1) - left, height: plot.y(0) - top };
  const picture = svg("image", { ...place, href: canvas.toDataURL(), preserveAspectRatio: "none" });
  if (sharp) picture.style.imageRendering = "pixelated";
  return picture;
}

function drawColours(plot, { zmin, zmax, colours, words, ticks }) {
  const { left, wide, top, high } = plot.box;
  const [x, y, width] = [left + wide * 0.1, top + high + 66, wide * 0.8];
  const stops = colours.map((colour, k) => svg("stop", { offset: k / (colours.length - 1), "stop-color": colour }));
  plot.over.append(
    svg("defs", {}, svg("linearGradient", { id: "colours" }, ...stops)),
    svg("rect", { x, y, width, height: 12, fill: "url(#colours)" }),
    svg("text", { class: "small", x: x + width / 2, y: y - 6, "text-anchor": "middle" }, words),
  );
  const marks = (ticks ?? ticksOf(zmin, zmax, 5).map((value) => [value, String(value)]));
  for (const [value, text] of marks) {
    if (value < zmin - 1e-9 || value > zmax + 1e-9) continue;
    const at = x + ((value - zmin) / (zmax - zmin)) * width;
    plot.over.append(svg("text", { class: "small", x: at, y: y + 26, "text-anchor": "middle" }, text));
  }
}

// Draw the chosen map into a plot, cut by the triangle; `then` names its parts when the points are in.
function drawMap(plot, map) {
  const edge = `M${plot.x(0)} ${plot.y(0)}L${plot.x(1)} ${plot.y(0)}L${plot.x(0.5)} ${plot.y(0.5)}Z`;
  const clip = `${plot.element.id}-edge`;
  const group = svg("g", { "clip-path": `url(#${clip})` });
  plot.area.append(svg("clipPath", { id: clip }, svg("path", { d: edge })), group);
  let then = () => {};
  if (map === "winner") {
    const drawn = drawWinners(plot, group);
    then = () => labelRegions(plot, drawn);
  } else if (MAPS[map]) {
    const found = MAPS[map](byId("first").value, byId("second").value);
    const share = (z) => (Math.min(Math.max(z, found.zmin), found.zmax) - found.zmin) / (found.zmax - found.zmin);
    group.append(cellsPicture(plot, (i, j) => (found.z[j][i] === null ? [0, 0, 0, 0] : blend(found.colours, share(found.z[j][i]))), false));
    plot.map = found;
    drawColours(plot, found);
  }
  plot.area.append(svg("path", { class: "edge", d: edge }));
  return then;
}

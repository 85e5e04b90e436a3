// Plots as SVG: sharp on every screen and on paper, in the page's own colours, light or dark.
//
// openPlot(id, options) empties an element and gives back a plot: `plot.x` and `plot.y` turn numbers
// into pixels, `plot.area` holds marks (clipped to the axes), `plot.over` what may stand outside.
// Colours are CSS variables or classes of report.css, so that dark mode and print need no redrawing.

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value != null) element.setAttribute(name, value);
  }
  element.append(...children); // a string becomes a text node
  return element;
}

// Round numbers between two ends, about so many.
function ticksOf(low, high, about) {
  const raw = (high - low) / Math.max(about, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((s) => s * power).find((s) => s >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first;
  return Array.from({ length: count + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

function openPlot(id, options) {
  const element = typeof id === "string" ? byId(id) : id;
  const { width = element.clientWidth, x, y, margin = {} } = options;
  const { l = 52, r = 14, t = 12, b = 46 } = margin;
  const height = options.height ?? Math.round(((width - l - r) * (y[1] - y[0])) / (x[1] - x[0])) + t + b;
  const [wide, high] = [Math.max(width - l - r, 1), Math.max(height - t - b, 1)];
  const clip = `${element.id || "plot"}-clip`;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  const plot = {
    element, root, width, height, options,
    box: { left: l, top: t, wide, high },
    x: (value) => l + ((value - x[0]) / (x[1] - x[0])) * wide,
    y: (value) => t + high - ((value - y[0]) / (y[1] - y[0])) * high,
    under: svg("g", { class: "axes" }),
    area: svg("g", { "clip-path": `url(#${clip})` }),
    over: svg("g"),
  };
  const hole = svg("clipPath", { id: clip }, svg("rect", { x: l, y: t, width: wide, height: high }));
  root.append(svg("defs", {}, hole), plot.under, plot.area, plot.over);
  if (options.axes !== false) drawAxes(plot);
  element.replaceChildren(root);
  element.plot = plot;
  return plot;
}

function drawAxes(plot) {
  const { x, y, xTitle = "", yTitle = "", xTicks, yTicks, grid = true } = plot.options;
  const { left, top, wide, high } = plot.box;
  const bottom = top + high;
  for (const value of xTicks ?? ticksOf(...x, wide / 80)) {
    const at = plot.x(value);
    if (grid) plot.under.append(svg("line", { class: "gridline", x1: at, x2: at, y1: top, y2: bottom }));
    plot.under.append(svg("text", { x: at, y: bottom + 17, "text-anchor": "middle" }, String(value)));
  }
  for (const value of yTicks ?? ticksOf(...y, high / 50)) {
    const at = plot.y(value);
    if (grid) plot.under.append(svg("line", { class: "gridline", x1: left, x2: left + wide, y1: at, y2: at }));
    plot.under.append(svg("text", { x: left - 7, y: at + 4, "text-anchor": "end" }, String(value)));
  }
  plot.under.append(svg("line", { class: "baseline", x1: left, x2: left + wide, y1: bottom, y2: bottom }));
  plot.under.append(svg("text", { class: "title", x: left + wide / 2, y: bottom + 36, "text-anchor": "middle" }, xTitle));
  const side = { class: "title", transform: `translate(13 ${top + high / 2}) rotate(-90)`, "text-anchor": "middle" };
  plot.under.append(svg("text", side, yTitle));
}

// One path for many points: a marker of its own for each group, for eyes that see no colours.
const MARKERS = {
  circle: (r) => `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  square: (r) => `m${-0.9 * r} ${-0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`,
  diamond: (r) => `m0 ${-1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
  triangle: (r) => `m0 ${-1.2 * r}l${1.2 * r} ${2.1 * r}h${-2.4 * r}z`,
  down: (r) => `m0 ${1.2 * r}l${1.2 * r} ${-2.1 * r}h${-2.4 * r}z`,
  cross: (r) => `m${-r} ${-r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`,
};
const MARKER_NAMES = ["circle", "square", "triangle", "diamond", "down", "cross"];

function pointsPath(plot, points, marker, size) {
  const mark = MARKERS[marker](size);
  return points.map(([a, b]) => `M${plot.x(a).toFixed(1)} ${plot.y(b).toFixed(1)}${mark}`).join("");
}

const linePath = (plot, points) => points.map(([a, b], k) => `${k ? "L" : "M"}${plot.x(a).toFixed(2)} ${plot.y(b).toFixed(2)}`).join("");

// Where the pointer is, in the numbers of the axes; null outside of them.
function pointerAt(plot, event) {
  const frame = plot.root.getBoundingClientRect();
  const { left, top, wide, high } = plot.box;
  const across = ((event.clientX - frame.left) * plot.width / frame.width - left) / wide;
  const up = 1 - ((event.clientY - frame.top) * plot.height / frame.height - top) / high;
  if (across < 0 || across > 1 || up < 0 || up > 1) return null;
  const { x, y } = plot.options;
  return [x[0] + across * (x[1] - x[0]), y[0] + up * (y[1] - y[0])];
}

// Texts pushed apart so that none covers another; each keeps as near its own height as it can.
function spread(texts, least, low, high) {
  const order = [...texts].sort((a, b) => a.y - b.y);
  let free = low;
  for (const text of order) { text.y = Math.max(text.y, free); free = text.y + least; }
  free = high;
  for (const text of order.reverse()) { text.y = Math.min(text.y, free); free = text.y - least; }
  return texts;
}

// The plot as a picture, always in light colours; styles go with it, as it has no page around it.
function savePlot(id, name, scale = 2) {
  const { root, width, height } = byId(id).plot;
  const copy = root.cloneNode(true);
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("data-theme", "light");
  copy.prepend(svg("style", {}, document.querySelector("style").textContent), svg("rect", { width, height, fill: "#fff" }));
  const picture = new Image();
  picture.onload = () => {
    const canvas = make("canvas", { width: width * scale, height: height * scale });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${name}.png`, blob), "image/png");
  };
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
}

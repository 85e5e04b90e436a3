"use strict";

// Every number on the page was computed by the package: nothing here computes a radius. Text goes
// into the page as text, never as markup.

const page = JSON.parse(document.getElementById("payload").textContent);
const byId = (id) => document.getElementById(id);
const on = (id, event, action) => byId(id)?.addEventListener(event, action);

const state = {
  view: null, // of page.views
  kind: byId("kind").value,
  threat: page.simplex.threats[0],
  sort: "risk",
  falling: false,
  from: 0, // first row on the table's page
  pinned: null, // the row whose card stays
  hovered: null, // the row under the pointer
  opened: null, // the row that is open in the table
  zoom: null, // [x, y] ranges that were dragged open on the simplex
};

// Everything that is drawn anew when the run, the kind or the width changes; see sections.py.
const redrawn = [];
const onRedraw = (draw) => redrawn.push(draw);

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children); // a string becomes a text node
  return element;
}

function swatch(colour) {
  const box = make("span", { className: "swatch" });
  box.style.background = colour;
  return box;
}

const lookOf = (name) => state.threat.looks[name] ?? page.looks[name];
const labelOf = (name) => (name === "radius" ? "best radius" : lookOf(name).label);
const className = (number) => (number == null ? "" : page.classes?.[number] ?? String(number));
const several = () => page.runs.length > 1;
const pageWidth = () => document.documentElement.clientWidth; // a phone's innerWidth grows with what overflows
const narrow = () => pageWidth() < 820;
const finePointer = () => !matchMedia("(pointer: coarse)").matches;
// Of many runs only those that are switched on have a name, a colour and markers; the rest is faint.
const MOST_LINES = 8;
const crowded = () => page.runs.length > MOST_LINES;
const boldRuns = () => switchedOn("shown-runs").map(Number);
const runPlace = (run) => (crowded() ? Math.max(boldRuns().indexOf(run), 0) : run);
const runColour = (run) => `var(--run-${runPlace(run) % 8})`;
// Black is ink: it turns light in the dark.
const inkOf = (colour) => (colour.toLowerCase() === "#000000" ? "var(--ink)" : colour);

// Exact digits, then cut: what is shown is never above the number, and for `up` never below.
const down = (x, digits = 4) => x.toFixed(20).slice(0, digits - 20);
// From whole numbers: 87 of 300 is 0.290, and the float 87 / 300 is below it.
const shareDown = (hits, total) => (Math.floor((1000 * hits) / total) / 1000).toFixed(3);
function up(x, digits = 5) {
  const below = Number(down(x, digits));
  return (below < x ? below + 10 ** -digits : below).toFixed(digits);
}
const radiusText = (x) => (state.threat.scale ? down(x) : String(Math.floor(x)));
const counted = (n) => n.toLocaleString("en");

// Columns as columns.py packs them: bytes of one significance together, all compressed as one.
function bytesOf(text) {
  const signs = atob(text);
  const bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at += 1) bytes[at] = signs.charCodeAt(at);
  return bytes;
}

async function inflate(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function unshuffle(bytes, start, rows, width) {
  const out = new Uint8Array(rows * width);
  for (let place = 0; place < width; place += 1) {
    for (let row = 0; row < rows; row += 1) out[row * width + place] = bytes[start + place * rows + row];
  }
  return out.buffer;
}

const NUMBERS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };
const EMPTY = -(2 ** 31);

function readCell(text) {
  if (text === "") return null;
  return Number.isNaN(Number(text)) ? text : Number(text);
}

// A column's values: numbers, texts, and null where a cell is empty.
function readColumn(column, bytes, start, rows, found) {
  if (column.as === "copy") return found[column.of];
  if (column.as === "words") {
    const values = column.words.map(readCell);
    return Array.from(new NUMBERS[column.width](unshuffle(bytes, start, rows, column.width)), (k) => values[k]);
  }
  if (column.as === "float") {
    const Numbers = column.width === 8 ? Float64Array : Float32Array;
    return Array.from(new Numbers(unshuffle(bytes, start, rows, column.width)), (x) => (Number.isNaN(x) ? null : x));
  }
  let sum = 0;
  return Array.from(new Int32Array(unshuffle(bytes, start, rows, 4)), (step) => {
    sum = (sum + step) | 0;
    return sum === EMPTY ? null : sum;
  });
}

async function unpackView(view) {
  const { rows, columns, packed } = view.table;
  const bytes = await inflate(packed);
  const found = {};
  let start = 0;
  for (const column of columns) {
    found[column.name] = readColumn(column, bytes, start, rows, found);
    start += column.as === "copy" ? 0 : rows * (column.width ?? 4);
  }
  view.values = found;
  view.size = rows;
  if (view.scores) view.scores.heights = await inflate(view.scores.packed);
}

// The rows of a view, made when it is first shown: each reads its cells from the columns.
function rowsOf(view) {
  if (view.rows) return view.rows;
  const common = {};
  const cells = { ...view.values, outcome: outcomesOf(view) };
  for (const [name, values] of Object.entries(cells)) {
    Object.defineProperty(common, name, { get() { return values[this.at]; } });
  }
  view.rows = Array.from({ length: view.size }, (_, at) => Object.assign(Object.create(common), { at }));
  return view.rows;
}

function outcomesOf(view) {
  const { abstained, radius, correct } = view.values;
  const right = view.labelled ? ["wrong", "correct"] : ["certified", "certified"];
  view.outcomes ??= radius.map((size, at) => {
    // A closed radius of 0 still promises the class of the input itself.
    if (view.closed ? abstained[at] === "True" : !(size > 0)) return "abstained";
    return right[Number(view.labelled && correct[at] === "True")];
  });
  return view.outcomes;
}

// A number as the package writes it into a CSV file.
function pythonText(x) {
  const [mantissa, power] = x.toExponential().split("e");
  const place = Number(power);
  if (x !== 0 && (place < -4 || place >= 16)) {
    return `${mantissa}e${place < 0 ? "-" : "+"}${String(Math.abs(place)).padStart(2, "0")}`;
  }
  const text = place < 0 && x !== 0 ? x.toFixed(mantissa.replace(/\D/g, "").length - 1 - place) : String(x);
  return text.includes(".") ? text : `${text}.0`;
}

// The certificates file of a view: the same bytes that `simplicert certify` writes.
function csvOf(view) {
  const columns = view.table.columns.filter(({ name }) => name !== "risk");
  const byName = Object.fromEntries(columns.map((column) => [column.name, column]));
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const writers = columns.map((column) => {
    const { as, words, whole } = column.as === "copy" ? byName[column.of] : column;
    const values = view.values[column.name];
    if (as === "words") {
      const texts = new Map(words.map((text) => [readCell(text), quoted(text)]));
      return (at) => texts.get(values[at]);
    }
    const show = as === "float" && !whole ? pythonText : String;
    return (at) => (values[at] === null ? "" : show(values[at]));
  });
  const lines = Array.from({ length: view.size }, (_, at) => writers.map((write) => write(at)).join(","));
  return `${[columns.map(({ name }) => name).join(","), ...lines].join("\n")}\n`;
}

function fillSelect(select, options, usual = options[0][0]) {
  const before = select.value;
  select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
  select.value = options.some(([value]) => value === before) ? before : usual;
}

function save(name, blob) {
  const url = URL.createObjectURL(blob);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

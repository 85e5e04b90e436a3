"use strict";

// Every number on the page was computed by the package: nothing here computes a radius. Text goes
// into the page as text, never as markup, and into plotly with its markup signs escaped.

const page = JSON.parse(document.getElementById("payload").textContent);
const byId = (id) => document.getElementById(id);
const on = (id, event, action) => byId(id)?.addEventListener(event, action);

const state = {
  view: null, // of page.views; null in the explorer
  kind: byId("kind").value,
  threat: page.simplex.threats[0],
  sort: "risk",
  falling: false,
  from: 0, // first row on the table's page
  pinned: null, // the row whose card stays
  hovered: null, // the row under the pointer
};

const INK = "#1a1a1a";
const PAPER = "#fff";
const LINES = "#e5e5e5";
const FONT = { family: "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif", size: 13, color: INK };
const PLOTLY = { displayModeBar: false, doubleClick: "reset" };

// Everything that is drawn anew when the run, the kind or the width changes; see sections.py.
const redrawn = [];
function onRedraw(draw) {
  redrawn.push(draw);
  draw();
}

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

const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const lookOf = (name) => state.threat.looks[name] ?? page.looks[name];
const className = (number) => (number == null ? "" : page.classes?.[number] ?? String(number));
const several = () => page.runs.length > 1;
const narrow = () => innerWidth < 820;

// Exact digits, then cut: what is shown is never above the number, and for `up` never below.
const down = (x, digits = 4) => x.toFixed(20).slice(0, digits - 20);
// From whole numbers: 87 of 300 is 0.290, and the float 87 / 300 is below it.
const shareDown = (hits, total) => (Math.floor((1000 * hits) / total) / 1000).toFixed(3);
function up(x, digits = 5) {
  const below = Number(down(x, digits));
  return (below < x ? below + 10 ** -digits : below).toFixed(digits);
}

// A line's cells; a text with a comma stands in quotes.
function split(line) {
  if (!line.includes('"')) return line.split(",");
  const quoted = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g;
  return [...line.matchAll(quoted)].map(([, text, bare]) => bare ?? text.replace(/""/g, '"'));
}

function read(cell) {
  if (cell === "") return null;
  return Number.isNaN(Number(cell)) ? cell : Number(cell);
}

// The rows of a view, read from the text of its CSV file.
function rowsOf(view) {
  if (view.rows) return view.rows;
  const [head, ...lines] = view.csv.trimEnd().split("\n");
  const names = split(head);
  view.rows = lines.map((line, at) => {
    const row = { at, risk: view.risk[at] };
    split(line).forEach((cell, k) => { row[names[k]] = read(cell); });
    row.outcome = outcomeOf(row, view);
    return row;
  });
  return view.rows;
}

function outcomeOf(row, view) {
  // A closed radius of 0 still promises the class of the input itself.
  if (view.closed ? row.abstained === "True" : !(row.radius > 0)) return "abstained";
  if (!view.labelled) return "certified";
  return row.correct === "True" ? "correct" : "wrong";
}

// Where the pointer is, in the numbers of the plot's axes; null outside of them.
function pointed(plot, event) {
  const area = plot.querySelector(".nsewdrag")?.getBoundingClientRect();
  if (!area) return null;
  const [x, y] = [event.clientX - area.left, event.clientY - area.top];
  if (x < 0 || y < 0 || x > area.width || y > area.height) return null;
  return [plot._fullLayout.xaxis.p2d(x), plot._fullLayout.yaxis.p2d(y)];
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

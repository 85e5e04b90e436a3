// The table of inputs: sorted, filtered, a page at a time; a row opens in place.

const ROWS = 50;
const inWords = new Intl.Collator("en", { numeric: true }).compare;

// In the order of the table; `keep` says which stay longest where there is little room.
function columnsOf(view) {
  const shown = (show, value) => (value == null ? "" : show(value));
  const number = (key, name, show, keep = 0) => ({ key, name, keep, show: (row) => shown(show, row[key]) });
  const word = (key, show, keep, name = key) => {
    const text = (row) => shown(show, row[key]);
    return { key, name, keep, word: true, show: text, by: text }; // sorted as it reads
  };
  const keeps = { ensemble: 3, two_sided: 2, cdf: 2, [view.base]: 5.5 };
  const radius = (key) => number(key, key === "radius" ? key : lookOf(key).label, (x) => down(x), key === "radius" ? 99 : keeps[key] ?? 1);
  const bounded = view.values.e0 !== undefined;
  const columns = [
    number("risk", "risk", String, 5),
    number("index", "input", String, 98),
    ...(view.labelled ? [word("label", className, 9)] : []),
    word("predicted", className, 10),
    word("outcome", String, 11),
    radius("radius"),
    ...(bounded ? [number("e0", "E0", (x) => down(x, 5), 8), number("e1", "E1", (x) => up(x), 7)] : []),
    ...view.columns.filter((name) => name !== "radius").map(radius),
    ...(view.compares ? [word("winner", (name) => lookOf(name).label, 6, "winner (ensemble)")] : []),
    ...(view.attack.length ? [number("attack", "attack distance", (x) => up(x, 4), 6.5)] : []),
    ...(bounded ? [number("draws", "draws", counted, 4.5)] : []),
  ];
  if (!narrow()) return columns;
  return [...columns].sort((one, two) => (two.key === "radius") - (one.key === "radius")); // a phone shows the first
}

function shownColumns() {
  const columns = columnsOf(state.view);
  if (byId("all-columns").checked) return columns;
  return columns.filter(({ key }) => !state.dropped.includes(key));
}

// Leave out the least important columns until the table fits; the switch shows all of them.
function fitColumns() {
  state.dropped = [];
  const frame = byId("inputs").parentElement;
  const byNeed = columnsOf(state.view).filter(({ keep }) => keep < 98).sort((a, b) => a.keep - b.keep);
  const tooWide = () => byId("inputs").offsetWidth - frame.clientWidth;
  drawTable();
  for (let over = tooWide(); over > 0 && byNeed.length && !byId("all-columns").checked; over = tooWide()) {
    while (over > 0 && byNeed.length) {
      const { key } = byNeed.shift();
      over -= byId("inputs").tHead.querySelector(`[data-key="${key}"]`).offsetWidth;
      state.dropped.push(key);
    }
    drawTable();
  }
  frame.classList.toggle("fits", tooWide() <= 0);
  const left = state.dropped.length;
  const words = left === 1 ? "1 column is" : `${left} columns are`;
  byId("columns-note").textContent = left ? `${words} left out for want of room: open a row, or show all columns.` : "";
}

function sortBy(key) {
  Object.assign(state, { falling: state.sort === key && !state.falling, sort: key, from: 0 });
  drawTable();
}

function setHeadings(columns) {
  const order = state.falling ? "descending" : "ascending";
  const headings = columns.map(({ key, name, word }) => {
    const button = make("button", { type: "button", onclick: () => sortBy(key) }, name);
    const heading = make("th", { scope: "col", className: word ? "word" : "" }, button);
    heading.dataset.key = key;
    heading.setAttribute("aria-sort", key === state.sort ? order : "none");
    explain(button, name);
    return heading;
  });
  const picture = page.sprites ? [make("td", {})] : [];
  byId("inputs").tHead.rows[0].replaceChildren(...picture, ...headings);
}

function setFilters() {
  const rows = rowsOf(state.view);
  const outcomes = [...new Set(rows.map((row) => row.outcome))].sort();
  const labels = state.view.labelled ? [...new Set(rows.map((row) => row.label))].sort((a, b) => a - b) : [];
  fillSelect(byId("outcome"), [["", "all"], ...outcomes.map((text) => [text, text])]);
  fillSelect(byId("label"), [["", "all"], ...labels.map((n) => [String(n), className(n)])]);
  byId("label").closest("label").hidden = !state.view.labelled;
}

function matching() {
  const [outcome, label] = [byId("outcome").value, byId("label").value];
  const wanted = byId("find").value.trim().toLowerCase();
  const has = (number) => className(number).toLowerCase().includes(wanted);
  return rowsOf(state.view).filter((row) =>
    (outcome === "" || row.outcome === outcome) && (label === "" || String(row.label) === label)
    && (wanted === "" || String(row.index) === wanted || has(row.label) || has(row.predicted)));
}

// The rows that match, in their order; found anew only when the filters or the sorting change.
function orderedRows() {
  const { view, sort, falling } = state;
  const asked = [view.run, view.kind, sort, falling, byId("find").value, byId("outcome").value, byId("label").value].join("\n");
  if (state.ordered?.asked === asked) return state.ordered.rows;
  const { key, by } = columnsOf(view).find((column) => column.key === sort);
  const rows = matching();
  const empty = (x) => x == null || x === "";
  const order = (a, b) => (typeof a === "string" ? inWords(a, b) : a - b);
  const sign = falling ? -1 : 1;
  const pairs = rows.map((row) => [by ? by(row) : row[key], row.risk, row]);
  pairs.sort(([a, first], [b, second]) => {
    const found = empty(a) || empty(b) ? empty(a) - empty(b) : sign * order(a, b); // empty: last, always
    return found || first - second;
  });
  state.ordered = { asked, rows: pairs.map(([, , row]) => row) };
  return state.ordered.rows;
}

function drawTable() {
  const rows = orderedRows();
  const shown = rows.slice(state.from, state.from + ROWS);
  const columns = shownColumns();
  setHeadings(columns);
  byId("inputs").tBodies[0].replaceChildren(...shown.flatMap((row) => tableRow(row, columns)));
  const range = `${counted(state.from + 1)} to ${counted(state.from + shown.length)} of ${counted(rows.length)}`;
  byId("page").textContent = rows.length ? range : "no input matches";
  byId("previous").disabled = state.from === 0;
  byId("next").disabled = state.from + ROWS >= rows.length;
  byId("inputs").querySelector(".detail")?.dispatchEvent(new Event("placed"));
}

function tableRow(row, columns) {
  const found = make("tr", { className: row.outcome });
  const open = row === state.opened;
  found.dataset.at = row.at;
  found.classList.toggle("pinned", row === state.pinned);
  found.classList.toggle("open", open);
  found.addEventListener("click", () => { if (!String(getSelection())) toggleRow(row); });
  if (page.sprites) found.append(make("td", {}, ...thumb(row.index, 28)));
  for (const column of columns) {
    const text = column.show(row);
    const button = column.key === "index" && make("button", { type: "button" }, text);
    if (button) button.setAttribute("aria-expanded", String(open));
    found.append(make("td", { className: column.word ? "word" : "" }, button || text));
  }
  return open ? [found, detailRow(row, columns.length + (page.sprites ? 1 : 0))] : [found];
}

function toggleRow(row) {
  state.opened = state.opened === row ? null : row;
  const focused = document.activeElement?.closest("#inputs tbody");
  drawTable();
  pin(state.opened);
  if (focused) document.querySelector(`#inputs tr[data-at="${row.at}"] button`)?.focus({ preventScroll: true });
}

// Open a row that may be on another page of the table, or filtered out.
function openRow(row) {
  if (!matching().includes(row)) {
    for (const id of ["find", "outcome", "label"]) byId(id).value = "";
  }
  state.from = ROWS * Math.floor(orderedRows().indexOf(row) / ROWS);
  state.opened = row;
  drawTable();
  pin(row);
  const shown = document.querySelector(`#inputs tr[data-at="${row.at}"]`);
  shown.scrollIntoView({ block: "center" });
  shown.querySelector("button").focus({ preventScroll: true });
}

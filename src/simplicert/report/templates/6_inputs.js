// The table of inputs: sorted, filtered, a page at a time.

const ROWS = 50;
const inWords = new Intl.Collator("en", { numeric: true }).compare;

function columnsOf(view) {
  const shown = (show, value) => (value == null ? "" : show(value));
  const number = (key, name, show) => ({ key, name, show: (row) => shown(show, row[key]) });
  const word = (key, show, name = key) => {
    const text = (row) => shown(show, row[key]);
    return { key, name, word: true, show: text, by: text }; // sorted as it reads
  };
  const radius = (key) => number(key, key === "radius" ? key : lookOf(key).label, (x) => down(x));
  const bounded = "e0" in rowsOf(view)[0];
  return [
    number("risk", "risk", String),
    number("index", "input", String),
    ...(view.labelled ? [word("label", className)] : []),
    word("predicted", className),
    word("outcome", String),
    radius("radius"),
    ...(bounded ? [number("e0", "E0", (x) => down(x, 5)), number("e1", "E1", (x) => up(x))] : []),
    ...view.columns.filter((name) => name !== "radius").map(radius),
    ...(view.compares ? [word("winner", (name) => lookOf(name).label, "winner (ensemble)")] : []),
    ...(bounded ? [number("draws", "draws", String)] : []),
  ];
}

function sortBy(key) {
  Object.assign(state, { falling: state.sort === key && !state.falling, sort: key, from: 0 });
  drawTable();
}

function setHeadings() {
  const headings = columnsOf(state.view).map(({ key, name, word }) => {
    const button = make("button", { type: "button", onclick: () => sortBy(key) }, name);
    if (key === "risk") button.title = "1 is the riskiest; the order is explained above the table";
    const heading = make("th", { scope: "col", className: word ? "word" : "" }, button);
    heading.dataset.key = key;
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

function sorted(rows) {
  const { key, by } = columnsOf(state.view).find((column) => column.key === state.sort);
  const value = by ?? ((row) => row[key]);
  const empty = (x) => x == null || x === "";
  const order = (a, b) => (typeof a === "string" ? inWords(a, b) : a - b);
  return rows.sort((one, two) => {
    const [a, b] = [value(one), value(two)];
    const sign = state.falling ? -1 : 1;
    const found = empty(a) || empty(b) ? empty(a) - empty(b) : sign * order(a, b); // empty: last, always
    return found || one.risk - two.risk;
  });
}

function drawTable() {
  const rows = sorted(matching());
  const shown = rows.slice(state.from, state.from + ROWS);
  const columns = columnsOf(state.view);
  for (const heading of byId("inputs").tHead.querySelectorAll("th")) {
    const order = state.falling ? "descending" : "ascending";
    heading.setAttribute("aria-sort", heading.dataset.key === state.sort ? order : "none");
  }
  byId("inputs").tBodies[0].replaceChildren(...shown.map((row) => tableRow(row, columns)));
  const range = `${state.from + 1} to ${state.from + shown.length} of ${rows.length}`;
  byId("page").textContent = rows.length ? range : "no input matches";
  byId("previous").disabled = state.from === 0;
  byId("next").disabled = state.from + ROWS >= rows.length;
}

function tableRow(row, columns) {
  const found = make("tr", { className: row.outcome });
  found.dataset.at = row.at;
  found.classList.toggle("pinned", row === state.pinned);
  if (page.sprites) found.append(make("td", {}, ...thumb(row.index, 28)));
  for (const column of columns) {
    const text = column.show(row);
    const button = { type: "button", title: "show beside the simplex", onclick: () => pin(row) };
    const content = column.key === "index" ? make("button", button, text) : text;
    found.append(make("td", { className: column.word ? "word" : "" }, content));
  }
  return found;
}

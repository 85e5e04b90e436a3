// Switching between runs and kinds, and everything that listens.

// A run that did not declare the kind on show is marked wherever it is named.
function nameRuns(kind) {
  const named = (run) => page.views.find((view) => view.run === run && view.kind === kind)?.name ?? page.runs[run];
  for (const option of byId("run").options) option.textContent = named(Number(option.value));
  for (const box of document.querySelectorAll("#shown-runs input")) {
    box.parentElement.lastChild.textContent = named(Number(box.value));
  }
}

function showView(run, kind) {
  const mine = page.views.filter((view) => view.run === run);
  const view = mine.find((one) => one.kind === kind) ?? mine[0];
  state.threat = page.simplex.threats[view.threat];
  Object.assign(state, { view, kind: view.kind, from: 0, pinned: null, hovered: null, opened: null });
  byId("run").value = String(run);
  byId("kind").value = view.kind;
  nameRuns(view.kind);
  for (const block of document.querySelectorAll("[data-kind]")) {
    const other = block.dataset.run !== undefined && block.dataset.run !== String(run);
    block.hidden = other || block.dataset.kind !== view.kind;
  }
  view.values.attack ??= view.values.index.map((index) => attackOf(view, { index })?.found ?? null);
  if (!columnsOf(view).some((column) => column.key === state.sort)) {
    Object.assign(state, { sort: "risk", falling: false });
  }
  if (crowded()) document.querySelector(`#shown-runs input[value="${run}"]`).checked = true; // what is shown stands out
  colourSwitches();
  setSwitches();
  setFilters();
  drawCurves();
  fitColumns();
  drawAttack();
}

function showKind() { // the mechanisms with a proof for the kind, and the map
  const { kinds } = state.threat;
  if (!kinds[state.kind].length) state.kind = Object.keys(kinds).find((kind) => kinds[kind].length);
  byId("kind").value = state.kind;
  const names = kinds[state.kind].map((name) => [name, lookOf(name).label]);
  const usual = (name, other) => (kinds[state.kind].includes(name) ? name : other[0]);
  fillSelect(byId("first"), names, usual("improved_dp", names.at(-1)));
  fillSelect(byId("second"), names, usual("lecuyer", names[0]));
  drawSimplex();
  showCard();
}

function choose() {
  showView(Number(byId("run").value), byId("kind").value);
  showKind();
  redrawn.forEach((draw) => draw());
}

function unpin() {
  pin(null);
}

function filterAnew() {
  state.from = 0;
  drawTable();
}

function turn(rows) {
  state.from = Math.max(0, state.from + rows);
  drawTable();
}

// How far down the headings of a table stick: below the page's own header.
function measureHeader() {
  const high = narrow() ? 0 : document.querySelector("header").offsetHeight;
  document.documentElement.style.setProperty("--header", `${high}px`);
  document.documentElement.dataset.width = pageWidth(); // that everything is drawn for
}

function redraw() {
  drawCurves();
  fitColumns();
  drawAttack();
  drawSimplex();
  redrawn.forEach((draw) => draw());
  measureHeader();
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  byId("theme").setAttribute("aria-pressed", String(!dark));
}

// Drag a window open on the simplex; a click pins the input there.
function listenToSimplex() {
  const simplex = byId("simplex");
  let from = null;
  simplex.addEventListener("pointerdown", (event) => { from = finePointer() ? pointerAt(simplex.plot, event) : null; });
  simplex.addEventListener("pointermove", (event) => {
    const at = pointerAt(simplex.plot, event);
    const near = rowNear(event);
    if (near !== state.hovered && (near || state.hovered)) {
      state.hovered = near;
      if (near || state.pinned) showCard();
    }
    if (at && !state.hovered && !state.pinned) showPoint(...at);
  });
  simplex.addEventListener("pointerup", (event) => {
    const [start, end] = [from, pointerAt(simplex.plot, event)];
    from = null;
    if (!start || !end || Math.abs(start[0] - end[0]) * simplex.plot.box.wide < 12 * (simplex.plot.options.x[1] - simplex.plot.options.x[0])) return;
    const half = Math.abs(start[0] - end[0]) / 4; // the window keeps the shape of the plot
    const middle = (start[1] + end[1]) / 2;
    state.zoom = [[Math.min(start[0], end[0]), Math.max(start[0], end[0])], [middle - half, middle + half]];
    drawSimplex();
  });
  simplex.addEventListener("click", (event) => {
    const row = rowNear(event);
    if (row) pin(row);
  });
  simplex.addEventListener("dblclick", () => { state.zoom = null; drawSimplex(); });
}

function listen() {
  for (const id of ["run", "kind"]) on(id, "change", choose);
  for (const id of ["map", "first", "second", "points"]) on(id, "change", drawSimplex);
  on("window", "change", () => { state.zoom = null; drawSimplex(); });
  for (const id of ["read-e0", "read-e1"]) on(id, "input", unpin);
  on("find", "input", filterAnew);
  for (const id of ["outcome", "label"]) on(id, "change", filterAnew);
  on("all-columns", "change", fitColumns);
  on("previous", "click", () => turn(-ROWS));
  on("next", "click", () => turn(ROWS));
  on("at-radius", "input", readCurves);
  on("curves", "pointermove", followPointer);
  on("theme", "click", switchTheme);
  on("csv", "click", () => save(`${state.view.file}.csv`, new Blob([csvOf(state.view)], { type: "text/csv" })));
  for (const button of document.querySelectorAll(".png")) {
    const { plot } = button.dataset;
    button.addEventListener("click", () => savePlot(plot, `${state.view.file}-${plot}`));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    showTip(null);
    unpin();
  });
  listenToSimplex();
  let [waiting, width] = [0, pageWidth()];
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (pageWidth() !== width) { width = pageWidth(); redraw(); } }, 150);
  });
}

async function start() {
  await Promise.all(page.views.map(unpackView));
  if (page.sprites) {
    document.head.append(make("style", {}, `.thumb { background-image: url("${page.sprites.url}"); }`));
  }
  explainTerms();
  const opening = page.views[page.opening];
  const bold = page.bold.length ? page.bold : [opening.run];
  page.runs.forEach((name, run) => addSwitch(byId("shown-runs"), String(run), name, runColour(run), !crowded() || bold.includes(run)));
  if (crowded()) byId("shown-runs").firstElementChild.textContent = "Runs, the others grey";
  showView(opening.run, opening.kind);
  showKind();
  measureHeader();
  redrawn.forEach((draw) => draw());
  listen();
  document.documentElement.dataset.ready = "yes";
}

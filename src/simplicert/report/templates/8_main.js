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
  Object.assign(state, { view, kind: view.kind, from: 0, pinned: null, hovered: null });
  byId("run").value = String(run);
  byId("kind").value = view.kind;
  nameRuns(view.kind);
  for (const block of document.querySelectorAll("[data-kind]")) {
    const other = block.dataset.run !== undefined && block.dataset.run !== String(run);
    block.hidden = other || block.dataset.kind !== view.kind;
  }
  if (!columnsOf(view).some((column) => column.key === state.sort)) {
    Object.assign(state, { sort: "risk", falling: false });
  }
  setSwitches();
  setHeadings();
  setFilters();
  drawCurves();
  drawTable();
}

function showKind() { // the mechanisms with a proof for the kind, and the map
  const { kinds, scale } = state.threat;
  if (!kinds[state.kind].length) state.kind = Object.keys(kinds).find((kind) => kinds[kind].length);
  byId("kind").value = state.kind;
  const names = kinds[state.kind].map((name) => [name, lookOf(name).label]);
  const usual = (name, other) => (kinds[state.kind].includes(name) ? name : other[0]);
  fillSelect(byId("first"), names, usual("improved_dp", names.at(-1)));
  fillSelect(byId("second"), names, usual("lecuyer", names[0]));
  if (byId("sigma")) {
    byId("sigma").closest("label").hidden = !scale;
    byId("scale-name").textContent = scale ?? "";
  }
  drawSimplex();
  showCard();
}

function choose() {
  state.kind = byId("kind").value;
  state.threat = page.simplex.threats[Number(byId("threat").value)];
  if (state.view) showView(Number(byId("run").value), state.kind);
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

function savePicture(event) {
  const plot = event.target.dataset.plot;
  const filename = state.view ? `${state.view.file}-${plot}` : plot;
  const height = plot === "curves" ? 560 : 640;
  Plotly.downloadImage(plot, { format: "png", scale: 2, width: 1000, height, filename });
}

function redraw() {
  if (state.view) drawCurves();
  drawSimplex();
  redrawn.forEach((draw) => draw());
}

function listen() {
  on("run", "change", choose);
  on("kind", "change", choose);
  on("threat", "change", choose);
  for (const id of ["map", "first", "second", "points", "window"]) on(id, "change", drawSimplex);
  for (const id of ["read-e0", "read-e1", "sigma"]) on(id, "input", unpin);
  on("find", "input", filterAnew);
  for (const id of ["outcome", "label"]) on(id, "change", filterAnew);
  on("previous", "click", () => turn(-ROWS));
  on("next", "click", () => turn(ROWS));
  on("at-radius", "input", readCurves);
  on("curves", "mousemove", followPointer);
  on("csv", "click", () => save(`${state.view.file}.csv`, new Blob([state.view.csv], { type: "text/csv" })));
  for (const button of document.querySelectorAll(".png")) button.addEventListener("click", savePicture);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") unpin(); });

  const simplex = byId("simplex");
  const rowAt = (event) => rowsOf(state.view)[event.points[0].customdata];
  simplex.on("plotly_hover", (event) => { state.hovered = rowAt(event); showCard(); });
  simplex.on("plotly_unhover", () => { state.hovered = null; if (state.pinned) showCard(); });
  simplex.on("plotly_click", (event) => pin(rowAt(event)));
  simplex.addEventListener("mousemove", (event) => {
    const at = pointed(simplex, event);
    if (at && !state.hovered && !state.pinned) showPoint(...at);
  });

  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 150); });
  addEventListener("beforeprint", () => { // paper is narrower than the screen
    for (const plot of document.querySelectorAll(".js-plotly-plot")) Plotly.relayout(plot, { width: 680 });
  });
  addEventListener("afterprint", redraw);
}

if (page.sprites) {
  document.head.append(make("style", {}, `.thumb { background-image: url("${page.sprites.url}"); }`));
}
if (page.views.length) {
  page.runs.forEach((name, run) => addSwitch(byId("shown-runs"), String(run), name, null, true));
  showView(0, page.views[0].kind);
} else {
  byId("map").value = "ratio";
}
showKind();
listen();
document.documentElement.dataset.ready = "yes";

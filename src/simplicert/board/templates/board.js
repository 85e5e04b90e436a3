"use strict";
(() => {
  const { names, rows, radii, pages } = window.BOARD;
  const at = Object.fromEntries(names.map((name, place) => [name, place]));
  const SHOWN = 100;
  const columns = [
    ["log", "log"], ["verdict", "audit"], ["method", "method"], ["data", "data"], ["norm", "norm"],
    ["noise", "noise"], ["sigma", "sigma"], ["draws", "n"], ["alpha_stated", "alpha stated"],
    ["alpha_inferred", "alpha by the cap"], ["inputs", "inputs"], ["abstention_rate", "abstained"],
    ...radii.map((r) => [`acc_${r}`, `at ${r}`]), ["acr_warned", "ACR (see warning)"],
  ];
  const numeric = new Set(["sigma", "draws", "alpha_stated", "alpha_inferred", "inputs",
    "abstention_rate", "acr_warned", ...radii.map((r) => `acc_${r}`)]);
  const order = { disproved: 0, doubtful: 1, remarks: 2, clean: 3 };
  const find = (id) => document.getElementById(id);
  const state = { by: "log", up: true, first: 0 };
  const ticked = new Set();
  const filters = ["data", "norm", "sigma", "verdict"];
  const texts = rows.map((row) => ["log", "method", "data", "norm", "noise", "verdict", "audit"]
    .map((name) => String(row[at[name]] ?? "")).join(" ").toLowerCase());

  const make = (tag, text, name) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (name) node.className = name;
    return node;
  };
  const show = (value) => (value === null || value === undefined ? "" : String(value));

  for (const name of filters) {
    const values = [...new Set(rows.map((row) => row[at[name]]))].filter((v) => v !== null && v !== "");
    values.sort((a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b))));
    for (const value of values) {
      const option = make("option", show(value));
      option.value = show(value);
      find(name).append(option);
    }
    find(name).addEventListener("change", () => { state.first = 0; draw(); });
  }
  find("words").addEventListener("input", () => { state.first = 0; draw(); });

  const heading = document.querySelector("#table thead tr");
  if (pages) heading.append(make("th", "pair"));
  for (const [name, title] of columns) {
    const cell = make("th", undefined, numeric.has(name) ? "number" : "");
    cell.scope = "col";
    cell.dataset.name = name;
    if (name === "acr_warned") cell.textContent = title;
    else {
      const button = make("button", title);
      button.type = "button";
      button.addEventListener("click", () => {
        state.up = state.by === name ? !state.up : !name.startsWith("acc_");
        state.by = name;
        state.first = 0;
        draw();
      });
      cell.append(button);
    }
    heading.append(cell);
  }

  const compare = (x, y) => {
    let [a, b] = [x[at[state.by]], y[at[state.by]]];
    if (state.by === "verdict") [a, b] = [order[a], order[b]];
    const [none, other] = [a === null || a === "", b === null || b === ""];
    if (none || other) return none - other; // what is not stated stands last either way
    const less = typeof a === "number" ? a - b : String(a).localeCompare(String(b));
    return (state.up ? less : -less) || x[at.log].localeCompare(y[at.log]);
  };

  const wanted = () => {
    const words = find("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((row, place) => words.every((word) => texts[place].includes(word))
      && filters.every((name) => !find(name).value || show(row[at[name]]) === find(name).value));
  };

  // What is claimed is rounded down, abstentions and upper limits up; 1e-9 allows for binary digits.
  const down = (value) => (Math.floor(1000 * value + 1e-9) / 10).toFixed(1);
  const up = (value) => (Math.ceil(1000 * value - 1e-9) / 10).toFixed(1);
  const fill = (row, name) => {
    const value = row[at[name]];
    const cell = make("td", undefined, numeric.has(name) ? "number" : name === "log" ? "log" : name === "method" ? "method" : "");
    if (name === "log" && pages) {
      const link = make("a");
      value.split("/").forEach((word, place) => { // a name breaks after its slashes
        if (place) link.append("/", make("wbr"));
        link.append(word);
      });
      link.href = `log.html?log=${row[at.id]}`;
      cell.append(link);
    } else if (name === "verdict") {
      cell.append(make("span", value, value), make("span", row[at.audit], "limits"));
    } else if (name === "abstention_rate") cell.textContent = up(value);
    else if (name.startsWith("acc_")) {
      const r = name.slice(4);
      cell.textContent = down(value);
      cell.append(make("span", `${down(row[at[`low_${r}`]])}–${up(row[at[`high_${r}`]])}`, "limits"));
    } else if (name === "alpha_stated" && row[at.recertified]) {
      cell.textContent = value === null ? "exact" : `${value} (counts)`;
    } else if (name === "acr_warned") cell.textContent = (Math.floor(1000 * value + 1e-9) / 1000).toFixed(3);
    else cell.textContent = show(value);
    return cell;
  };

  const tick = (id, box) => {
    if (box.checked) ticked.add(id);
    else ticked.delete(id);
    if (ticked.size > 2) {
      const oldest = ticked.values().next().value;
      ticked.delete(oldest);
      const other = document.querySelector(`input[data-id="${oldest}"]`);
      if (other) other.checked = false;
    }
    find("compare").disabled = ticked.size !== 2;
  };

  function draw() {
    const found = wanted().sort(compare);
    state.first = Math.max(0, Math.min(state.first, SHOWN * Math.floor((found.length - 1) / SHOWN)));
    const part = found.slice(state.first, state.first + SHOWN);
    const body = document.querySelector("#table tbody");
    body.replaceChildren(...part.map((row) => {
      const line = document.createElement("tr");
      if (pages) {
        const box = document.createElement("input");
        box.type = "checkbox";
        box.dataset.id = row[at.id];
        box.checked = ticked.has(row[at.id]);
        box.setAttribute("aria-label", `compare ${row[at.log]}`);
        box.addEventListener("change", () => tick(row[at.id], box));
        const cell = document.createElement("td");
        cell.append(box);
        line.append(cell);
      }
      line.append(...columns.map(([name]) => fill(row, name)));
      return line;
    }));
    for (const cell of heading.querySelectorAll("[data-name]")) {
      const own = cell.dataset.name === state.by;
      if (own) cell.setAttribute("aria-sort", state.up ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    }
    const last = state.first + part.length;
    find("count").textContent = found.length
      ? `${state.first + 1} to ${last} of ${found.length} logs` : "no log fits";
    find("back").disabled = state.first === 0;
    find("on").disabled = last >= found.length;
  }

  const turn = (pagesOn) => { state.first += pagesOn * SHOWN; draw(); };
  find("back").addEventListener("click", () => turn(-1));
  find("on").addEventListener("click", () => turn(1));
  if (pages) {
    find("compare").addEventListener("click", () => {
      const [a, b] = [...ticked];
      location.href = `compare.html?a=${a}&b=${b}`;
    });
  }
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)
      && event.target.type !== "checkbox";
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { event.preventDefault(); find("words").focus(); }
    if (event.key === "n" && !find("on").disabled) turn(1);
    if (event.key === "p" && !find("back").disabled) turn(-1);
  });
  draw();
})();

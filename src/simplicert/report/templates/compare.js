// Two runs of the same inputs. Radii, shares, bands and p-values are the package's; this script
// compares radii with the one that is chosen, counts inputs and keeps the gallery; compare_pictures.js
// draws.
if (page.extras.compare) {
  const KINDS = page.extras.compare;
  const CARDS = narrow() ? 12 : 24; // of the gallery at a time
  const GRAB = 14; // pixels from the pointer to a point that is meant
  // What is chosen; `both` is the comparison of the kind, `order` the inputs that the filters leave.
  const now = { kind: "", both: null, place: 0, filter: "changed", order: [], input: null, cards: CARDS };
  const { drawLegend, drawCurves, markRadius, drawScatter, drawArrows, ringChosen, radiusNow } = comparisonPictures(now);

  const unpack = (text) => new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const nameOf = (number) => (number < 0 ? "abstained" : className(number));
  const radiusText = (x) => down(x, now.both.whole ? 0 : 4).replace(/\.$/, "");

  function openKind(kind) {
    now.both = KINDS[kind];
    if (!now.both) return false;
    if (!now.both.inputs) {
      const [radii, pairs] = [now.both.radii.map(unpack), now.both.pairs.map(unpack)];
      now.both.inputs = now.both.index.map((index, at) => ({
        index,
        at,
        label: now.both.label?.[at] ?? null,
        classes: now.both.classes.map((list) => list[at]),
        radii: radii.map((list) => list[at]),
        pairs: pairs.map((list) => (Number.isNaN(list[2 * at]) ? null : [list[2 * at], list[2 * at + 1]])),
      }));
      now.both.most = Math.max(...now.both.at, 0);
    }
    return true;
  }

  const countsAt = (input, side, r) =>
    input.classes[side] >= 0 && (input.label === null || input.classes[side] === input.label)
    && (now.both.closed ? input.radii[side] >= r : input.radii[side] > r);
  const isFlipped = ({ classes: [a, b] }) => a >= 0 && b >= 0 && a !== b;
  const isAlone = ({ classes: [a, b] }) => (a < 0) !== (b < 0);

  function groupOf(input) {
    const [a, b] = [0, 1].map((side) => countsAt(input, side, radiusNow()));
    if (a !== b) return b ? "gained" : "lost";
    return isFlipped(input) ? "flipped" : "same";
  }

  const FILTERS = [
    ["changed", "all that change", (input) => input.group !== "same" || isFlipped(input)],
    ["gained", "gained", (input) => input.group === "gained"],
    ["lost", "lost", (input) => input.group === "lost"],
    ["flipped", "flipped", isFlipped],
    ["alone", "abstained in one", isAlone],
    ["all", "all", () => true],
  ];

  function orderInputs() {
    for (const input of now.both.inputs) input.group = groupOf(input);
    const passes = FILTERS.find(([key]) => key === now.filter)[2];
    const label = byId("compare-label").value;
    const wanted = byId("compare-find").value.trim().toLowerCase();
    const has = (number) => number !== null && nameOf(number).toLowerCase().includes(wanted);
    const change = ({ radii: [a, b] }) => b - a;
    const by = {
      change: (one, two) => Math.abs(change(two)) - Math.abs(change(one)),
      rise: (one, two) => change(two) - change(one),
      fall: (one, two) => change(one) - change(two),
      index: () => 0,
    }[byId("compare-order").value];
    now.order = now.both.inputs
      .filter((input) => passes(input) && (label === "" || String(input.label) === label)
        && (wanted === "" || String(input.index) === wanted || has(input.label) || input.classes.some(has)))
      .sort((one, two) => by(one, two) || one.index - two.index);
  }

  const wordOf = (input) => {
    const words = [];
    if (input.group !== "same" && input.group !== "flipped") words.push(`${input.group} at r = ${radiusNow()}`);
    if (isFlipped(input)) words.push("flipped");
    if (isAlone(input)) words.push(`abstained in ${now.both.names[input.classes[0] < 0 ? 0 : 1]}`);
    return words.join(", ") || "no change of class";
  };

  function sideRow(input, side) {
    const bar = make("span", { className: "compare-bar" }, make("span", {}));
    bar.firstChild.style.width = `${now.both.most ? (100 * input.radii[side]) / now.both.most : 0}%`;
    const right = input.label === null || input.classes[side] < 0 ? "" : input.classes[side] === input.label ? " ✓" : " ✗";
    const row = make("span", { className: `compare-side-row ${side ? "run-b" : "run-a"}` },
      make("span", {}, nameOf(input.classes[side]) + right), make("span", {}, radiusText(input.radii[side])), bar);
    row.title = now.both.names[side];
    return row;
  }

  function makeCard(input) {
    const title = `Input ${input.index}${input.label === null ? "" : ` · ${nameOf(input.label)}`}`;
    const text = make("span", { className: "compare-about" }, make("strong", {}, title), sideRow(input, 0), sideRow(input, 1));
    const picture = page.sprites ? thumb(input.index, 48) : [];
    const button = make("button", { type: "button", className: `mark-${input.group}`, onclick: () => choose(input) },
      ...picture, text, make("span", { className: "words note" }, wordOf(input)));
    button.dataset.index = input.index;
    button.setAttribute("aria-pressed", String(input === now.input));
    return make("li", {}, button);
  }

  function drawGallery() {
    byId("compare-gallery").replaceChildren(...now.order.slice(0, now.cards).map(makeCard));
    const shown = Math.min(now.cards, now.order.length);
    byId("compare-count").textContent = now.order.length ? `${shown} of ${now.order.length} inputs; bars are radii, ${now.both.names[0]} above ${now.both.names[1]}.` : "No input matches.";
    byId("compare-more").hidden = shown >= now.order.length;
    for (const button of byId("compare-filter").children) {
      const [key, text, passes] = FILTERS.find(([name]) => name === button.value);
      button.textContent = `${text} ${now.both.inputs.reduce((n, input) => n + passes(input), 0)}`;
      button.setAttribute("aria-pressed", String(key === now.filter));
    }
  }

  function showCard() {
    const input = now.input;
    if (!input) {
      byId("compare-card").replaceChildren(make("p", { className: "note" }, "Choose an input by a click on a mark or a picture, or by the arrow keys, to see it in both runs."));
      return;
    }
    const bounds = (pair) => (pair ? `${down(pair[0], 5)}, ${up(pair[1])}` : "–");
    const cells = [
      ["", ...now.both.names],
      ["class", ...input.classes.map(nameOf)],
      ["radius", ...input.radii.map(radiusText)],
      ["E0, E1", ...input.pairs.map(bounds)],
    ];
    const rows = cells.map(([head, ...texts]) => make("tr", {}, make("th", { scope: "row" }, head), ...texts.map((text) => make("td", {}, text))));
    const label = input.label === null ? [] : [make("p", {}, `Label: ${nameOf(input.label)}`)];
    const picture = page.sprites ? thumb(input.index, 96) : [];
    byId("compare-card").replaceChildren(make("h4", {}, `Input ${input.index}`), ...picture, ...label, make("p", {}, wordOf(input)), make("table", {}, make("tbody", {}, ...rows)));
  }

  function choose(input) {
    now.input = input;
    byId("compare-card").dataset.input = input ? input.index : "";
    for (const button of document.querySelectorAll("#compare-gallery button")) {
      button.setAttribute("aria-pressed", String(Boolean(input) && Number(button.dataset.index) === input.index));
    }
    showCard();
    ringChosen();
  }

  // To the next input of the gallery, or the one before it.
  function step(by) {
    if (!now.order.length) return;
    const at = now.order.indexOf(now.input);
    choose(now.order[at < 0 ? (by > 0 ? 0 : now.order.length - 1) : (at + by + now.order.length) % now.order.length]);
  }

  function readRadius() {
    const [first, second, change, low, high, p] = now.both.texts[now.place];
    const r = radiusNow();
    const counts = (group) => now.both.inputs.reduce((n, input) => n + (input.group === group), 0);
    byId("compare-r").textContent = String(r);
    byId("compare-at").setAttribute("aria-valuetext", `r = ${r}`);
    byId("compare-reading").textContent =
      `At r = ${r}: ${now.both.names[0]} ${first}, ${now.both.names[1]} ${second}; a difference of ${change} points (band ${low} to ${high}). `
      + `${counts("gained")} gained, ${counts("lost")} lost; p = ${p} by McNemar's exact test at this radius by itself.`;
    for (const button of byId("compare-round").children) button.setAttribute("aria-pressed", String(Number(button.value) === r));
  }

  function setRadius(place) {
    now.place = Math.max(0, Math.min(now.both.at.length - 1, place));
    byId("compare-at").value = now.place;
    filterInputs();
    markRadius();
    drawScatter();
    readRadius();
  }

  function filterInputs() {
    now.cards = CARDS;
    orderInputs();
    drawGallery();
    drawArrows();
    showCard();
  }

  const nearestPlace = (r) => now.both.at.reduce((best, value, k) => (Math.abs(value - r) < Math.abs(now.both.at[best] - r) ? k : best), 0);

  function followCurve(event) {
    const at = pointerAt(byId(event.currentTarget.id).plot, event);
    if (at) setRadius(nearestPlace(at[0]));
  }

  function pickPoint(event) {
    const { plot } = byId("compare-scatter");
    const frame = plot.root.getBoundingClientRect();
    const [x, y] = [(event.clientX - frame.left) * plot.width / frame.width, (event.clientY - frame.top) * plot.height / frame.height];
    const far = ({ radii: [a, b] }) => Math.hypot(plot.x(a) - x, plot.y(b) - y);
    const near = now.both.inputs.reduce((best, input) => (best && far(best) <= far(input) ? best : input), null);
    choose(near && far(near) <= GRAB ? near : null);
  }

  function pressKey(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) step(by);
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
  }

  function showKindAnew() {
    for (const block of document.querySelectorAll(".compare-kind")) block.hidden = block.dataset.kind !== now.kind;
    Object.assign(now, { place: 0, input: null });
    byId("compare-at").max = now.both.at.length - 1;
    byId("compare-round").replaceChildren(...now.both.round.map((r) => make("button", { type: "button", value: r, onclick: () => setRadius(now.both.at.indexOf(r)) }, String(r))));
    const labels = now.both.label ? [...new Set(now.both.label)].sort((a, b) => a - b) : [];
    fillSelect(byId("compare-label"), [["", "all"], ...labels.map((n) => [String(n), className(n)])]);
    byId("compare-label").closest("label").hidden = !now.both.label;
    drawLegend();
  }

  function drawComparison() {
    const kind = state.view.kind;
    byId("compare-section").hidden = !openKind(kind);
    if (!now.both) return;
    if (kind !== now.kind) {
      now.kind = kind;
      showKindAnew();
    }
    drawCurves();
    setRadius(now.place);
  }

  byId("compare-filter").replaceChildren(...FILTERS.map(([value]) => make("button", { type: "button", value, onclick: () => { now.filter = value; filterInputs(); } })));
  on("compare-at", "input", () => setRadius(Number(byId("compare-at").value)));
  for (const id of ["compare-label", "compare-order"]) on(id, "change", filterInputs);
  on("compare-find", "input", filterInputs);
  on("compare-window", "change", drawArrows);
  on("compare-more", "click", () => { now.cards += CARDS; drawGallery(); });
  for (const id of ["compare-curves", "compare-strip"]) on(id, "click", followCurve);
  on("compare-scatter", "click", pickPoint);
  on("compare-scatter", "keydown", pressKey);
  on("compare-gallery", "keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const cards = [...document.querySelectorAll("#compare-gallery button")];
    const at = cards.indexOf(document.activeElement);
    if (!by || at < 0) return;
    cards[(at + by + cards.length) % cards.length].focus();
    event.preventDefault();
  });
  onRedraw(drawComparison);
}

// Fields, keys, pointer and address: each changes the view, and `show` draws it.

const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
const STEP = { arrow: 0.01, small: 0.001 };
const RANGES = { // slider -> value, value -> slider
  scale: { read: (x) => Number((2 ** x).toPrecision(3)), write: (x) => Math.log2(x) },
  n: { read: (x) => Number(Math.round(10 ** x).toPrecision(2)), write: (x) => Math.log10(x) },
  alpha: { read: (x) => Number((10 ** x).toPrecision(2)), write: (x) => Math.log10(x) },
  spread: { read: (x) => x, write: (x) => x },
};
const SETTINGS = Object.keys(RANGES);

function complain(id, text) {
  byId(id).textContent = text;
  byId(id).hidden = !text;
}

// A field that is being typed in keeps its text.
function setField(id, value) {
  if (document.activeElement !== byId(id)) byId(id).value = String(value);
}

function show() {
  const threat = threatOf(view);
  const outcome = outcomeOf();
  byId("sentence").textContent = sayOutcome(outcome);
  byId("bounds").textContent = sayBounds(outcome);
  drawBars(outcome);
  drawPoint(outcome);
  setField("e0", Number(view.e0.toFixed(6)));
  setField("e1", Number(view.e1.toPrecision(6)));
  for (const name of SETTINGS) {
    setField(name, view[name]);
    byId(`${name}-slider`).value = RANGES[name].write(view[name]);
  }
  for (const name of ["n", "alpha", "spread"]) for (const id of [name, `${name}-slider`]) byId(id).disabled = isExact();
  byId("exact").checked = isExact();
  byId("exact").disabled = threat.certain;
  refreshMap();
  later(saveAddress);
}

let waiting = 0;
function later(action) { // browsers allow few changes of the address a second
  clearTimeout(waiting);
  waiting = setTimeout(action, 150);
}

function saveAddress() {
  const hash = writeAddress();
  if (hash !== location.hash) history.replaceState(null, "", hash);
}

// The rows that a threat decides: norms, numbers, the name of the scale, words.
function showThreat() {
  const threat = threatOf(view);
  const mine = threats.filter((one) => one.noise === view.noise);
  const norms = [...new Set(mine.map((one) => one.norm))].map((norm) => option(norm, norm));
  byId("noise").value = view.noise;
  byId("norm").replaceChildren(...norms);
  byId("norm").value = view.norm;
  byId("kind").value = threat.kind;
  byId("kind").options[1].disabled = !mine.some((one) => one.norm === view.norm && one.kind === "softmax");
  for (const id of ["spread-row", "score-note"]) byId(id).hidden = threat.kind !== "softmax";
  byId("counts-form").hidden = threat.kind === "softmax";
  const fields = threat.needs.map((name) => {
    const field = Object.assign(document.createElement("input"), { id: name, type: "number", value: view.numbers[name], step: "any" });
    const label = document.createElement("label");
    label.append(catalogue.numbers[name].label, field);
    field.addEventListener("input", () => changeNumber(name, field));
    return label;
  });
  byId("numbers").replaceChildren(...fields);
  const left = threat.missing.length ? ` Without a formula on this page: ${threat.missing.join(", ")}.` : "";
  byId("meaning").textContent = `${capital(threat.title.replace(/[ ,].*/, ""))} noise ${threat.meaning.replace(/`(\w+)`/g, "“$1”")}. It certifies against ${threat.changes}.${left}`;
  byId("scale-row").hidden = !threat.scale;
  byId("scale-name").textContent = threat.scale ?? "";
  byId("scale-slider").setAttribute("aria-label", `${threat.scale}, as a slider`);
  byId("bars-caption").textContent = `Radius by each mechanism, in ${threat.quantity}`;
  noteMap();
  complain("threat-message", "");
}

function changeNumber(name, field) {
  const wrong = complaint(name, field.value);
  field.setAttribute("aria-invalid", String(Boolean(wrong)));
  complain("threat-message", wrong);
  if (wrong) return;
  view.numbers[name] = numberOf(field.value);
  if (name === "size" && view.numbers.keep > view.numbers.size) {
    view.numbers.keep = view.numbers.size;
    if (byId("keep")) byId("keep").value = view.numbers.keep;
  }
  show();
}

// The nearest point of the triangle, a little inside of it.
function insideTriangle(e0, e1, digits) {
  let [x, y] = [e0, e1];
  if (x + y > 1) [x, y] = [x - (x + y - 1) / 2, y - (x + y - 1) / 2];
  if (y > x) [x, y] = [(x + y) / 2, (x + y) / 2];
  const grain = 10 ** -digits;
  y = Math.min(Math.max(y, grain), 0.5 - grain);
  x = Math.min(Math.max(x, y + grain), 1 - y);
  return [x, y].map((z) => Number(z.toFixed(digits)));
}

function movePoint(e0, e1, digits = 4) {
  [view.e0, view.e1] = insideTriangle(e0, e1, digits);
  view.counts = null;
  complain("point-message", "");
  show();
}

function typePoint() {
  const [first, second] = ["e0", "e1"].map((id) => byId(id).value);
  let wrong = complaint("e0", first) || complaint("e1", second);
  const [e0, e1] = [numberOf(first), numberOf(second)];
  if (!wrong && e0 <= e1) wrong = `The first class's share must be above the second's, got ${first} and ${second}.`;
  if (!wrong && e0 + e1 > 1 + 1e-12) wrong = `The two shares must add up to at most 1, got ${first} and ${second}.`;
  complain("point-message", wrong);
  if (wrong) return;
  Object.assign(view, { e0: Math.min(e0, 1 - 1e-12), e1: Math.max(e1, 1e-12), counts: null });
  show();
}

function changeSetting(name, field, value) {
  const wrong = complaint(name, value, name === "scale" ? threatOf(view).scale : name);
  field.setAttribute("aria-invalid", String(Boolean(wrong)));
  complain("settings-message", wrong);
  if (wrong) return;
  view[name] = numberOf(value);
  if (name === "n") view.counts = null; // as if so many draws had given the same shares
  show();
}

function showCounts(event) {
  event.preventDefault();
  const { counts, error } = readCounts(byId("counts").value);
  complain("counts-message", error ?? "");
  byId("counts").setAttribute("aria-invalid", String(Boolean(error)));
  if (error) return;
  if (threatOf(view).certain) {
    complain("counts-message", "Splitting noise has no random draws: move the point to its exact shares.");
    return;
  }
  setCounts(view, counts);
  show();
}

function pointed(event) {
  const area = byId("overlay").getBoundingClientRect();
  return fromScreen(event.clientX - area.left, event.clientY - area.top);
}

// A mouse drags from anywhere; a finger drags the ring and taps elsewhere, so that it can scroll.
function startDrag(event) {
  const onHandle = byId("handle").contains(event.target);
  if (event.button !== 0 || (event.pointerType === "touch" && !onHandle)) return;
  event.preventDefault();
  const overlay = byId("overlay");
  overlay.setPointerCapture(event.pointerId);
  document.body.classList.add("dragging");
  byId("handle").focus({ preventScroll: true });
  const [x, y] = pointed(event);
  const apart = onHandle ? [view.e0 - x, view.e1 - y] : [0, 0]; // where it was gripped
  const move = (moved) => {
    const [a, b] = pointed(moved);
    movePoint(a + apart[0], b + apart[1]);
  };
  if (!onHandle) move(event);
  const stop = () => {
    overlay.removeEventListener("pointermove", move);
    document.body.classList.remove("dragging");
  };
  overlay.addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) overlay.addEventListener(end, stop, { once: true });
}

function pressKey(event) {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  if (!(event.key in moves)) return;
  event.preventDefault();
  const size = event.shiftKey ? STEP.small : STEP.arrow;
  const [x, y] = moves[event.key];
  movePoint(view.e0 + x * size, view.e1 + y * size);
}

async function copyLink() {
  saveAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    byId("copied").textContent = "Copied.";
  } catch {
    byId("copied").textContent = "The address of this page is the link.";
  }
}

function takeAddress() {
  const wrong = readAddress(location.hash);
  document.documentElement.classList.toggle("embedded", view.embedded);
  showThreat();
  byId("counts").value = "";
  for (const id of ["settings-message", "point-message", "counts-message"]) complain(id, "");
  complain("threat-message", wrong.length ? `The address holds no valid ${list(wrong)}: the usual values are shown.` : "");
  show();
}

const TITLES = [...new Map(threats.map(({ noise, title }) => [noise, title]))];
byId("noise").append(...TITLES.map(([noise, title]) => option(noise, title)));
byId("noise").addEventListener("change", () => {
  view.noise = byId("noise").value;
  view.norm = threats.find((one) => one.noise === view.noise).norm;
  showThreat();
  show();
});
byId("kind").append(...Object.entries(KINDS).map(([kind, text]) => option(kind, text)));
byId("kind").addEventListener("change", () => {
  Object.assign(view, { kind: byId("kind").value, counts: null });
  view.n = Math.min(view.n, mostDraws());
  showThreat();
  show();
});
byId("norm").addEventListener("change", () => {
  view.norm = byId("norm").value;
  showThreat();
  show();
});
for (const id of ["e0", "e1"]) byId(id).addEventListener("input", typePoint);
for (const name of SETTINGS) {
  byId(name).addEventListener("input", () => changeSetting(name, byId(name), byId(name).value));
  const slider = byId(`${name}-slider`);
  slider.addEventListener("input", () => changeSetting(name, byId(name), String(RANGES[name].read(Number(slider.value)))));
}
byId("exact").addEventListener("change", () => {
  view.exact = byId("exact").checked;
  show();
});
byId("counts-form").addEventListener("submit", showCounts);
byId("overlay").addEventListener("pointerdown", startDrag);
byId("overlay").addEventListener("click", (event) => {
  if (!byId("handle").contains(event.target)) movePoint(...pointed(event));
});
byId("handle").addEventListener("keydown", pressKey);
byId("copy").addEventListener("click", copyLink);
byId("reset").addEventListener("click", () => {
  location.hash = view.embedded ? "#embed=yes" : "";
  takeAddress();
});
addEventListener("hashchange", () => {
  if (location.hash !== writeAddress()) takeAddress();
});
addEventListener("message", ({ data }) => { // of a page that this one is embedded in
  if (!["light", "dark"].includes(data?.theme)) return;
  document.documentElement.dataset.theme = data.theme;
  paintMap();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintMap);
let screenTheme = null; // paper is light, and the map is painted anew for it
addEventListener("beforeprint", () => {
  screenTheme ??= document.documentElement.dataset.theme ?? "";
  document.documentElement.dataset.theme = "light";
  paintMap();
});
addEventListener("afterprint", () => {
  if (screenTheme) document.documentElement.dataset.theme = screenTheme;
  else if (screenTheme === "") delete document.documentElement.dataset.theme;
  screenTheme = null;
  paintMap();
});
new ResizeObserver(() => {
  if (byId("stage").clientWidth === shown.width) return;
  layOut();
  drawPoint(outcomeOf());
}).observe(byId("stage"));
layOut();
takeAddress();
document.documentElement.dataset.ready = "yes";

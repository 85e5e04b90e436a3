// What is shown: one object, read from the address and written into it, so that a link shares it.

const catalogue = JSON.parse(document.getElementById("catalogue").textContent);
const KINDS = { multinomial: "votes (multinomial)", softmax: "mean scores (softmax)" };

// One entry for each noise, norm and kind that has a mechanism on this page.
const threats = catalogue.threats.flatMap((threat) => Object.keys(KINDS).map((kind) => {
  const proved = threat.mechanisms.filter(({ kinds }) => kinds.includes(kind));
  return {
    ...threat,
    kind,
    missing: proved.filter(({ name }) => !formulasOf(threat)[name]).map(({ label }) => label),
    mechanisms: proved.filter(({ name }) => formulasOf(threat)[name]),
    compared: threat.compared[kind].filter((name) => formulasOf(threat)[name]),
  };
})).filter((threat) => threat.compared.length > 0);
const byId = (id) => document.getElementById(id);

const START = { noise: "gaussian", norm: "l2", kind: "multinomial", e0: 0.75, e1: 0.12, scale: 0.5, n: 1000, alpha: 0.001, spread: 0.3 };
const usualNumbers = () => Object.fromEntries(
  Object.entries(catalogue.numbers).map(([name, { usual }]) => [name, usual]),
);
const startView = () => ({
  ...START, exact: false, counts: null, numbers: usualNumbers(), embedded: false,
});

let view = startView();

// Splitting noise has no mechanism for scores: there votes are shown.
function threatOf({ noise, norm, kind }) {
  const mine = threats.filter((one) => one.noise === noise && one.norm === norm);
  return mine.find((one) => one.kind === kind) ?? mine[0];
}

// A whole number or a fraction as typed; NaN for anything else, also for nothing.
const numberOf = (text) => (/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : NaN);
const isWhole = (x) => Number.isInteger(x);

// One sentence for what is wrong with a number, or "".
const CHECKS = {
  scale: (x, name) => (x > 0 && x <= 1e6 ? "" : `${name} must be a number above 0, at most 1,000,000`),
  n: (x) => (isWhole(x) && x >= 1 && x <= mostDraws() ? "" : `n must be a whole number from 1 to ${mostDraws().toLocaleString("en")}`),
  spread: (x) => (x >= 0 && x <= 1 ? "" : "spread must lie between 0 and 1"),
  alpha: (x) => (x >= 1e-12 && x <= 0.5 ? "" : "alpha must lie between 1e-12 and 0.5"),
  size: (x) => (isWhole(x) && x >= 1 && x <= 1e7 ? "" : "size must be a whole number from 1 to 10,000,000"),
  keep: (x) => (isWhole(x) && x >= 1 && x <= view.numbers.size ? "" : `keep must be a whole number from 1 to size = ${view.numbers.size}`),
  rate: (x) => (x > 0 && x < 1 ? "" : "rate must lie between 0 and 1"),
  e0: (x) => (x > 0 && x <= 1 ? "" : "the first class's share must lie between 0 and 1"),
  e1: (x) => (x >= 0 && x <= 0.5 ? "" : "the second class's share must lie between 0 and 0.5"),
};

function complaint(name, text, said = name) {
  const value = numberOf(text);
  const wrong = Number.isNaN(value) ? CHECKS[name](NaN, said) : CHECKS[name](value, said);
  return wrong && `${wrong[0].toUpperCase()}${wrong.slice(1)}, got ${String(text).trim() || "nothing"}.`;
}

// Counts as people paste them: whole numbers between blanks, commas or brackets.
function readCounts(text) {
  const words = text.split(/[\s,;[\](){}]+/).filter(Boolean);
  const wrong = words.find((word) => !/^\d{1,15}$/.test(word));
  if (words.length === 0) return { error: "Counts must be two or more whole numbers, such as 990 8 2, got nothing." };
  if (wrong !== undefined) return { error: `Counts must be whole numbers that are not negative, got ${wrong.slice(0, 40)}.` };
  if (words.length < 2) return { error: `Counts must be of two classes or more, got ${words[0]} alone.` };
  const counts = words.map(Number).sort((a, b) => b - a);
  const draws = counts.reduce((sum, count) => sum + count, 0);
  if (draws === 0) return { error: "Counts must hold at least one draw, got zeros alone." };
  if (draws > MOST_DRAWS) return { error: `Counts must add up to at most 1,000,000,000, got ${draws.toLocaleString("en")}.` };
  return { counts: { wins: counts[0], rival: counts[1], draws, classes: counts.length } };
}

// The counts that n draws of these shares give, all other classes behind the second.
function expectedCounts({ e0, e1, n }) {
  const wins = Math.min(Math.round(e0 * n), n);
  let rival = Math.min(Math.round(e1 * n), n - wins);
  if (rival === 0 && wins < n) rival = 1;
  return { wins, rival, draws: n, classes: 3 };
}

const isExact = () => view.exact || threatOf(view).certain;
const isScored = () => threatOf(view).kind === "softmax";
const mostDraws = () => (isScored() ? MOST_SCORED : MOST_DRAWS);
const countsShown = () => view.counts ?? expectedCounts(view);

// Votes are drawn by the scores, so their shares are the mean scores.
const scoresShown = () => ({ first: view.e0, second: view.e1, spread: view.spread, votes: expectedCounts(view) });

// Splitting noise has a whole number of offsets.
function scaleShown() {
  const threat = threatOf(view);
  return threat.certain ? Math.max(Math.round(510 * view.scale), 1) / 510 : view.scale;
}

// All that follows from the view: bounds, one word, and every radius.
function outcomeOf() {
  const threat = threatOf(view);
  const known = isExact()
    ? { e0: view.e0, e1: Math.min(view.e1, 1 - view.e0), reason: view.e0 > view.e1 ? "certified" : "tie" }
    : isScored() ? boundScores(scoresShown(), view.alpha) : boundCounts(countsShown(), view.alpha);
  const issued = known.reason === "certified";
  const [e0, e1] = issued ? [known.e0, known.e1] : [0, 0];
  return { ...known, issued, radii: allRadii(threat, e0, e1, view.numbers, scaleShown()) };
}

function writeAddress() {
  const threat = threatOf(view);
  const words = new URLSearchParams({ noise: view.noise, norm: view.norm });
  for (const name of threat.needs) words.set(name, view.numbers[name]);
  if (threat.scale) words.set("scale", view.scale);
  if (isScored()) words.set("kind", threat.kind);
  if (isScored() && !isExact()) words.set("spread", view.spread);
  if (view.counts && !isExact()) {
    for (const [name, value] of Object.entries(view.counts)) words.set(name, value);
  } else {
    words.set("e0", view.e0);
    words.set("e1", view.e1);
    words.set("n", view.exact ? "exact" : view.n);
  }
  words.set("alpha", view.alpha);
  if (view.embedded) words.set("embed", "yes");
  return `#${words}`;
}

// The view of an address; what is missing or wrong stays as it is at the start, and is named.
function readAddress(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const found = startView();
  const wrong = [];
  const take = (name, put, key = name) => {
    if (!words.has(name)) return;
    const text = words.get(name);
    if (CHECKS[key](numberOf(text))) wrong.push(name);
    else put(numberOf(text));
  };
  const named = { noise: words.get("noise") ?? found.noise, norm: words.get("norm") };
  const threat = threats.find((one) => one.noise === named.noise && one.norm === (named.norm ?? one.norm));
  if (threat) Object.assign(found, { noise: threat.noise, norm: threat.norm });
  else wrong.push("noise and norm");
  if (words.has("kind") && !(words.get("kind") in KINDS)) wrong.push("kind");
  else found.kind = words.get("kind") ?? found.kind;
  view = found; // keep is held to its size, n to its kind
  for (const name of ["size", "keep", "rate"]) take(name, (x) => { found.numbers[name] = x; });
  for (const name of ["scale", "alpha", "spread", "e0", "e1"]) take(name, (x) => { found[name] = x; });
  found.exact = words.get("n") === "exact";
  if (!found.exact) take("n", (x) => { found.n = x; });
  const given = ["wins", "rival", "draws", "classes"].map((name) => numberOf(words.get(name) ?? ""));
  if (given.some((x) => !Number.isNaN(x)) && !isScored()) takeCounts(found, given, wrong);
  if (!found.counts && !(found.e0 > found.e1 && found.e0 + found.e1 <= 1 + 1e-12)) {
    Object.assign(found, { e0: START.e0, e1: START.e1 });
    wrong.push("e0 and e1");
  }
  found.embedded = words.get("embed") === "yes";
  view = found;
  return wrong;
}

function takeCounts(found, [wins, rival, draws, classes], wrong) {
  const whole = [wins, rival, draws, classes].every(isWhole);
  const held = whole && wins >= rival && rival >= 0 && wins + rival <= draws && draws >= 1
    && draws <= MOST_DRAWS && classes >= 2 && (classes > 2 || wins + rival === draws);
  if (held) setCounts(found, { wins, rival, draws, classes });
  else wrong.push("wins, rival, draws and classes");
}

function setCounts(target, counts) {
  const { wins, rival, draws } = counts;
  Object.assign(target, { counts, n: draws, e0: wins / draws, e1: rival / draws, exact: false });
}

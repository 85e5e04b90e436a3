// The sentence, the bars and the line of bounds. Numbers are cut toward the side that claims less.

const down = (x, digits = 4) => x.toFixed(20).slice(0, digits - 20);
function up(x, digits = 4) {
  const below = Number(down(x, digits));
  return (below < x ? below + 10 ** -digits : below).toFixed(digits);
}
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const spell = (count) => count.toLocaleString("en");
const list = (words) => (words.length < 2 ? words[0] : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

// With what it is a number of: "0.3567 in l2 distance", "1 edit", "6 features".
function sayReach(threat, x) {
  if (!threat.whole) return `${sayRadius(threat, x)} in ${threat.quantity}`;
  return `${Math.floor(x)} ${Math.floor(x) === 1 ? threat.unit.replace(/s\b/, "") : threat.unit}`;
}

const sayRadius = (threat, x) => (threat.whole ? String(Math.floor(x)) : down(x));

// By how much a radius is above a smaller one, rounded down.
function sayLead(threat, more, less) {
  if (threat.whole) return `${more - less} more`;
  const percent = Math.floor((more / less - 1) * 1000 + 1e-6) / 10;
  if (percent >= 1000) return `more than ${spell(Math.floor(more / less))} times as much`;
  return percent >= 0.1 ? `${percent} % more` : "less than 0.1 % more";
}

function sayAbstention(reason) {
  const { wins, draws } = isScored() ? scoresShown().votes : countsShown();
  if (reason === "tie" && !isExact()) return `Abstained: both classes were given ${spell(wins)} times, so nothing is certified.`;
  if (reason === "tie") return "Nothing is certified: the first class must be ahead of the second.";
  return `Abstained: at alpha ${view.alpha}, ${spell(draws)} draw${draws === 1 ? " does" : "s do"} not tell the first class from the second.`;
}

// One sentence: who wins, by how much, and how far that is from the limit.
function sayOutcome({ reason, issued, radii }) {
  const threat = threatOf(view);
  if (!issued) return sayAbstention(reason);
  const label = (name) => lookOf(threat, name).label;
  const order = [...threat.compared].sort((a, b) => radii[b] - radii[a]);
  const best = radii[order[0]];
  if (!(best > 0)) {
    const limit = radii.two_sided;
    if (limit > 0) return `None of the ensemble certifies anything here; the two-sided radius is ${sayRadius(threat, limit)}.`;
    return threat.whole ? "Nothing is certified: a single change may turn the class." : "Nothing is certified: E0 and E1 are too close.";
  }
  const near = best - (1e-7 + 1e-8 * best) * (threat.whole ? 1 : scaleShown());
  const leaders = order.filter((name) => radii[name] >= near);
  const next = order[leaders.length];
  const value = sayReach(threat, best);
  let said = leaders.length > 1
    ? `${capital(list(leaders.map(label)))} certify the same, ${value}`
    : `${capital(label(leaders[0]))} certifies ${value}`;
  if (next !== undefined) {
    const second = radii[next];
    said += second > 0
      ? `, ${sayLead(threat, best, second)} than ${label(next)} (${sayRadius(threat, second)})`
      : `, where ${label(next)} certifies nothing`;
  }
  return said + sayLimit(threat, leaders, best, radii.two_sided);
}

function sayLimit(threat, leaders, best, limit) {
  if (leaders.includes("two_sided")) {
    return threat.tight ? "; from E0 and E1 alone no radius can be larger." : ".";
  }
  if (!threat.tight) return `; the two-sided radius is ${sayRadius(threat, limit)}.`;
  if (limit <= best * (1 + 1e-6)) return "; from E0 and E1 alone no radius can be larger.";
  return `; the limit of every radius from E0 and E1 is ${sayRadius(threat, limit)}, ${sayLead(threat, limit, best)}.`;
}

function sayBounds({ e0, e1, issued }) {
  const threat = threatOf(view);
  if (threat.certain) return `Every one of the ${Math.round(510 * scaleShown())} draws is made: the shares are exact, and there is no alpha.`;
  if (view.exact) return `The ${isScored() ? "mean scores" : "shares"} are taken as E0 and E1 themselves, as with endless draws.`;
  if (isScored()) return sayScoreBounds(e0, e1, issued);
  const { wins, rival, draws, classes } = countsShown();
  const seen = `${spell(draws)} draw${draws === 1 ? "" : "s"}: ${spell(wins)} for the first class, ${spell(rival)} for the second`;
  const two = view.counts && classes === 2 ? " (two classes)" : "";
  if (!issued) return `${seen}${two}. They prove no bounds at alpha ${view.alpha}.`;
  return `${seen}${two}. At alpha ${view.alpha} they prove E0 ≥ ${down(e0, 5)} and E1 ≤ ${up(e1, 5)}.`;
}

function sayScoreBounds(e0, e1, issued) {
  const seen = `${spell(view.n)} draw${view.n === 1 ? "" : "s"}: mean score ${Number(view.e0.toFixed(6))} of the first class, ${Number(view.e1.toPrecision(6))} of the second, spread ${view.spread}, and votes alike`;
  if (!issued) return `${seen}. They prove no bounds at alpha ${view.alpha}.`;
  return `${seen}. At alpha ${view.alpha} they prove E0 ≥ ${down(e0, 5)} and E1 ≤ ${up(e1, 5)}.`;
}

// One row for each mechanism; lengths are shares of the limit, which is the line on the right.
function drawBars({ radii }) {
  const threat = threatOf(view);
  const limit = radii.two_sided;
  const best = Math.max(...threat.compared.map((name) => radii[name]));
  const rows = threat.mechanisms.map(({ name, label, colour, source }) => {
    const row = document.createElement("tr");
    const head = Object.assign(document.createElement("th"), { scope: "row", textContent: label, title: source });
    const fill = Object.assign(document.createElement("div"), { className: "fill" });
    fill.style.width = limit > 0 ? `${(100 * radii[name]) / limit}%` : "0";
    fill.style.background = colour === BLACK ? "var(--ink)" : colour;
    const track = Object.assign(document.createElement("div"), { className: "track" });
    track.append(fill);
    const bar = document.createElement("td");
    bar.append(track);
    const value = Object.assign(document.createElement("td"), { textContent: sayRadius(threat, radii[name]) });
    row.dataset.name = name;
    row.classList.toggle("best", best > 0 && radii[name] === best && threat.compared.includes(name));
    row.append(head, bar, value);
    return row;
  });
  byId("bars").querySelector("tbody").replaceChildren(...rows);
  byId("bars").className = [!threat.tight && "open", !(limit > 0) && "none"].filter(Boolean).join(" ");
  byId("limit-name").textContent = threat.tight ? "limit ↓" : "two-sided ↓";
}

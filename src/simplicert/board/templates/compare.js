"use strict";
(() => {
  const { names, rows } = window.BOARD;
  const at = Object.fromEntries(names.map((name, place) => [name, place]));
  const LEAST = 1e-99; // smaller p are not told apart: the sum may have been lost in rounding
  const find = (id) => document.getElementById(id);
  const byId = new Map(rows.map((row) => [row[at.id], row]));
  const byLog = new Map(rows.map((row) => [row[at.log], row]));
  for (const row of rows) {
    const option = document.createElement("option");
    option.value = row[at.log];
    find("logs").append(option);
  }

  const load = (id) => new Promise((resolve, reject) => {
    if (window.LOGS && window.LOGS[id]) { resolve(window.LOGS[id]); return; }
    const script = document.createElement("script");
    script.src = `data/${id}.js`;
    script.addEventListener("load", () => resolve(window.LOGS[id]));
    script.addEventListener("error", () => reject(new Error(`no data of ${id}`)));
    document.head.append(script);
  });

  const place = (log, row) => (log.index.list
    ? log.index.list[row] : log.index.start + row * log.index.step);

  // McNemar's exact p: twice the smaller tail of a binomial with 1/2, by logarithms of factorials.
  const exactP = (one, two) => {
    const total = one + two;
    if (total === 0) return 1;
    const logs = new Float64Array(total + 1);
    for (let k = 1; k <= total; k += 1) logs[k] = logs[k - 1] + Math.log(k);
    let sum = 0;
    for (let k = 0; k <= Math.min(one, two); k += 1) {
      sum += Math.exp(logs[total] - logs[k] - logs[total - k] - total * Math.LN2);
    }
    return Math.min(1, 2 * sum);
  };

  const holm = (ps) => {
    const order = ps.map((p, place_) => [p, place_]).sort((a, b) => a[0] - b[0]);
    const out = new Array(ps.length);
    let largest = 0;
    order.forEach(([p, place_], rank) => {
      largest = Math.max(largest, Math.min(1, p * (ps.length - rank)));
      out[place_] = largest;
    });
    return out;
  };

  const pairUp = (first, second) => {
    const codes = new Map();
    for (let row = 0; row < first.codes.length; row += 1) {
      codes.set(place(first, row), first.codes.charCodeAt(row) - 48);
    }
    const pairs = [];
    for (let row = 0; row < second.codes.length; row += 1) {
      const code = codes.get(place(second, row));
      if (code !== undefined) pairs.push([code, second.codes.charCodeAt(row) - 48]);
    }
    return pairs;
  };

  const test = (pairs, radii) => radii.map((radius, rank) => {
    const count = { radius, first: 0, second: 0, onlyFirst: 0, onlySecond: 0 };
    for (const [a, b] of pairs) {
      const [one, two] = [a > rank, b > rank];
      count.first += one;
      count.second += two;
      count.onlyFirst += one && !two;
      count.onlySecond += two && !one;
    }
    count.p = exactP(count.onlyFirst, count.onlySecond);
    return count;
  }).filter((count) => count.first + count.second > 0);

  const say = (...sentences) => {
    find("said").replaceChildren(...sentences.map((sentence) => {
      const line = document.createElement("p");
      line.textContent = sentence;
      return line;
    }));
  };

  async function run() {
    const [one, two] = ["a", "b"].map((id) => byLog.get(find(id).value));
    find("pairs").hidden = true;
    if (!one || !two) { say("Choose two logs of the list."); return; }
    const same = (name) => one[at[name]] === two[at[name]];
    if (!same("norm")) { say(`Radii in ${one[at.norm]} and ${two[at.norm]} are not compared.`); return; }
    if (!same("numbering")) {
      say("These two are not compared: their data differ, or the same number has another label in "
        + "each, so that it is another input.");
      return;
    }
    const loaded = await Promise.all([load(one[at.id]), load(two[at.id])]);
    const pairs = pairUp(...loaded);
    if (!pairs.length) { say("These two share no input."); return; }
    const counts = test(pairs, loaded[0].radii);
    const adjusted = holm(counts.map((count) => count.p));
    const lines = [`${pairs.length} inputs are in both (${loaded[0].codes.length} and ${loaded[1].codes.length} in each).`];
    if (!same("noise")) lines.push(`The noise differs: ${one[at.noise]} and ${two[at.noise]}.`);
    if (!same("sigma")) lines.push(`The strength of the noise differs: sigma ${one[at.sigma]} and ${two[at.sigma]}.`);
    const levels = [one, two].map((row) => row[at.alpha_inferred] ?? row[at.alpha_stated]);
    if (levels[0] !== levels[1]) lines.push(`The levels differ: alpha ${levels[0] ?? "unknown"} and ${levels[1] ?? "unknown"}. A larger alpha makes larger radii.`);
    for (const row of [one, two]) {
      if (["disproved", "doubtful"].includes(row[at.verdict])) lines.push(`The audit of ${row[at.log]} says ${row[at.verdict]}: ${row[at.audit]}.`);
    }
    if (one[at.numbering].endsWith("unlabelled")) lines.push("Neither log has labels: that the same number is the same input is not checked.");
    say(...lines);
    document.querySelector("#pairs tbody").replaceChildren(...counts.map((count, rank) => {
      const line = document.createElement("tr");
      const share = (hits) => `${(Math.floor(1000 * hits / pairs.length + 1e-9) / 10).toFixed(1)} %`;
      const tail = (p) => (p < LEAST ? `< ${LEAST}` : p.toPrecision(3));
      const cells = [count.radius, share(count.first), share(count.second), count.onlyFirst,
        count.onlySecond, tail(count.p), tail(adjusted[rank])];
      line.append(...cells.map((cell) => {
        const node = document.createElement("td");
        node.className = "number";
        node.textContent = String(cell);
        return node;
      }));
      return line;
    }));
    find("pairs").hidden = false;
  }

  const asked = new URLSearchParams(location.search);
  for (const id of ["a", "b"]) {
    const row = byId.get(asked.get(id));
    if (row) find(id).value = row[at.log];
  }
  find("go").addEventListener("click", run);
  for (const id of ["a", "b"]) find(id).addEventListener("change", run);
  if (find("a").value && find("b").value) run();
})();

"use strict";
(() => {
  const { rows, at, byId, load, inputs, make, write, pairs } = window.parts;
  const { every } = window.BOARD;
  const LEAST = 1e-99; // smaller p are not told apart: the sum may have been lost in rounding
  const find = (id) => document.getElementById(id);
  const byLog = new Map(rows.map((row) => [row[at.log], row]));
  for (const row of rows) {
    const option = make("option");
    option.value = row[at.log];
    find("logs").append(option);
  }

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

  // Rounded up, so that it never looks smaller than it is.
  const tail = (p) => {
    if (p < LEAST) return `< ${LEAST}`;
    const near = Number(p.toPrecision(3));
    const unit = 10 ** (Math.floor(Math.log10(p)) - 2);
    return Math.min(1, near >= p * (1 - 1e-9) ? near : near + unit).toPrecision(3);
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
    const codes = new Map(first.index.map((input, row) => [input, first.codes[row]]));
    return second.index.flatMap((input, row) => (codes.has(input)
      ? [[codes.get(input), second.codes[row]]] : []));
  };

  // Counts at each radius: first, second, only first, only second.
  const count = (both) => every.reduce((counts, _, rank) => {
    for (const [a, b] of both) {
      const [one, two] = [a > rank, b > rank];
      [one, two, one && !two, two && !one].forEach((hit, place) => { counts[place][rank] += hit; });
    }
    return counts;
  }, [0, 1, 2, 3].map(() => every.map(() => 0)));

  const test = (counts) => every.slice(0, counts[0].length).map((radius, rank) => {
    const [first, second, onlyFirst, onlySecond] = counts.map((one) => one[rank]);
    return { radius, first, second, onlyFirst, onlySecond, p: exactP(onlyFirst, onlySecond) };
  }).filter((one) => one.first + one.second > 0);

  const say = (...sentences) => {
    find("said").replaceChildren(...sentences.map((sentence) => make("p", sentence)));
  };

  // Pairs that were counted when the board was made, because rows of a log may not be published.
  const counted = (one, two) => {
    const kept = pairs.find(({ a, b }) => (a === one && b === two) || (a === two && b === one));
    if (!kept) return null;
    const { a, shared, among, hits_a: first, hits_b: second, only_a: onlyFirst } = kept;
    const onlySecond = onlyFirst.map((own, rank) => own - first[rank] + second[rank]);
    const counts = a === one ? [first, second, onlyFirst, onlySecond] : [second, first, onlySecond, onlyFirst];
    return { shared, among, counts };
  };

  const offer = (id) => {
    const others = pairs.filter(({ a, b }) => a === id || b === id).map(({ a, b }) => (a === id ? b : a));
    if (!others.length) return;
    const list = make("ul");
    list.append(...others.map((other) => {
      const [line, link] = [make("li"), write(other)];
      link.href = `compare.html?a=${id}&b=${other}`;
      line.append(link);
      return line;
    }));
    find("said").append(make("p", `Compared with ${byId.get(id)[at.log]} here:`), list);
  };

  const withheld = (id) => {
    say("The rows of this log are not published here, and these two were not counted beforehand. The rule stands below.");
    offer(id);
  };

  async function run() {
    const [one, two] = ["a", "b"].map((id) => byLog.get(find(id).value));
    find("counts").hidden = true;
    if (!one || !two) {
      say("Choose two logs of the list.");
      for (const row of [one, two]) if (row) offer(row[at.id]);
      return;
    }
    const same = (name) => one[at[name]] === two[at[name]];
    if (!same("norm")) { say(`Radii in ${one[at.norm]} and ${two[at.norm]} are not compared.`); return; }
    if (!same("numbering")) {
      say("These two are not compared: their data differ, or the same number has another label in "
        + "each, so that it is another input.");
      return;
    }
    let held = counted(one[at.id], two[at.id]);
    if (!held) {
      const loaded = await Promise.all([load(one[at.id]), load(two[at.id])]);
      const shut = loaded.findIndex((log) => !log.codes);
      if (shut >= 0) { withheld([one, two][shut][at.id]); return; }
      const both = pairUp(...loaded.map(inputs));
      held = { shared: both.length, among: 1, counts: count(both) };
    }
    if (!held.shared) { say("These two share no input."); return; }
    const counts = test(held.counts);
    const adjusted = holm(counts.map((own) => own.p));
    const lines = [`${held.shared} inputs are in both (${one[at.inputs]} and ${two[at.inputs]} in each).`];
    if (held.among > 1) lines.push(`One of the two was chosen as the best of ${held.among} logs, by these inputs: p is smaller than it should be.`);
    if (!same("noise")) lines.push(`The noise differs: ${one[at.noise]} and ${two[at.noise]}.`);
    if (!same("sigma")) lines.push(`The strength of the noise differs: sigma ${one[at.sigma]} and ${two[at.sigma]}.`);
    const levels = [one, two].map((row) => row[at.alpha_inferred] ?? row[at.alpha_stated]);
    if (levels[0] !== levels[1]) lines.push(`The levels differ: alpha ${levels[0] ?? "unknown"} and ${levels[1] ?? "unknown"}. A larger alpha makes larger radii.`);
    for (const row of [one, two]) {
      if (["disproved", "doubtful"].includes(row[at.verdict])) lines.push(`The audit of ${row[at.log]} says ${row[at.verdict]}: ${row[at.audit]}.`);
    }
    if (one[at.numbering].endsWith("unlabelled")) lines.push("Neither log has labels: that the same number is the same input is not checked.");
    say(...lines);
    const list = make("ul");
    for (const [word, row] of [["First: ", one], ["Second: ", two]]) {
      const line = make("li", word);
      line.append(write(row[at.id]));
      list.append(line);
    }
    find("said").prepend(list);
    document.querySelector("#pairs tbody").replaceChildren(...counts.map((own, rank) => {
      const line = make("tr");
      const share = (hits) => `${(Math.floor((1000 * hits) / held.shared + 1e-9) / 10).toFixed(1)} %`;
      const cells = [own.radius, share(own.first), share(own.second), own.onlyFirst,
        own.onlySecond, tail(own.p), tail(adjusted[rank])];
      line.append(...cells.map((cell) => make("td", String(cell), "number")));
      return line;
    }));
    find("counts").hidden = false;
  }

  const asked = new URLSearchParams(location.search);
  for (const id of ["a", "b"]) {
    const row = byId.get(asked.get(id));
    if (row) find(id).value = row[at.log];
  }
  find("go").addEventListener("click", run);
  for (const id of ["a", "b"]) find(id).addEventListener("change", run);
  if (find("a").value) run();
})();

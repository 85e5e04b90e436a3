"use strict";
(() => {
  const { at, byId, add, load, make, write, share, digits, pairs } = window.parts;
  const { every } = window.BOARD;
  const find = (id) => document.getElementById(id);
  const asked = new URLSearchParams(location.search).get("log");
  const row = byId.get(asked);
  if (!row) {
    find("said").textContent = asked
      ? "No log of this board has this name. The table leads to all of them."
      : "The table leads to the page of each log.";
    return;
  }
  const get = (name) => row[at[name]];
  const link = (text, href) => { const node = make("a", text); node.href = href; return node; };

  const show = (log) => {
    const total = get("inputs");
    const [hits, low, high] = window.LIMITS[total].map(add);
    const place = new Map(hits.map((hit, number) => [hit, number]));
    const limits = (hit) => [low[place.get(hit)], high[place.get(hit)]];

    find("summary").append("Audit: ", make("span", get("verdict"), get("verdict")),
      `. ${total} inputs in ${log.rows} rows, ${log.abstained} without a certificate. `,
      link("Compare it with another log", `compare.html?a=${asked}`));
    const stated = get("alpha_stated");
    const alpha = get("recertified")
      ? (stated === null ? "exact counts" : `from counts at ${stated}`)
      : (stated === null ? "alpha not stated" : `alpha ${stated} (${log.origin.alpha})`);
    const facts = [["Method", get("method") || "not stated"], ["Data", get("data") || "not stated"],
      ["Noise, norm", `${get("noise")}, ${get("norm")}`],
      ["Sigma", get("sigma") === null ? "not stated" : `${get("sigma")} (${log.origin.sigma || "log"})`],
      ["Draws, alpha", `${get("draws") || "draws not stated"}, ${alpha}`],
      ["Settings that its largest radius fits", log.caps || "no cap seen"],
      ["Average certified radius", `${(Math.floor(1000 * get("acr_warned") + 1e-9) / 1000).toFixed(3)}. ${document.body.dataset.warning}`],
      ["Source of the claims", log.source || "none"], ["Format", log.format], ["SHA-256", log.sha256]];
    find("facts").append(...facts.flatMap(([name, text]) => [make("dt", name), make("dd", text)]));
    const lines = log.findings.map(([code, sentence]) => {
      const line = make("li");
      line.append(make("strong", code), `: ${sentence}`);
      return line;
    });
    find("findings").append(...(lines.length ? lines : [make("li", "Nothing was found.")]));

    const frame = (picture, caption) => {
      const held = make("figure");
      held.append(picture, make("figcaption", caption));
      find("pictures").append(held);
    };
    const { curve, expectations, simplex } = window.pictures;
    frame(curve(log, total, get("norm"), limits), "Certified accuracy, with 95 % limits over inputs at each radius.");
    if (log.e0) frame(expectations(log.e0, total), "E0 of certified inputs: as their label, and (second colour) as another class.");
    if (log.simplex) frame(simplex(log.simplex), "Certified inputs on the simplex, a dot for all in a square; second colour: another class than the label.");
    else find("pictures").after(make("p", "This log bounds the top class alone, so its inputs have no place on the simplex."));

    const reached = add(log.hits); // up to the first radius that no input reaches
    const last = reached.indexOf(0);
    document.querySelector("#accuracies tbody").append(...reached.slice(0, last < 0 ? undefined : last + 1).map((hit, number) => {
      const line = make("tr");
      const [down, up] = limits(hit).map((limit) => (limit / digits).toFixed(4));
      line.append(...[every[number], share(hit, total).toFixed(4), `${down} to ${up}`]
        .map((text) => make("td", text, "number")));
      return line;
    }));
    if (!log.codes) {
      const kept = pairs.filter(({ a, b }) => a === asked || b === asked);
      document.querySelector("#kept ul").append(...kept.map(({ a, b }) => {
        const line = make("li");
        const other = write(a === asked ? b : a);
        other.href = `compare.html?a=${a}&b=${b}`;
        line.append(other);
        return line;
      }));
      find("kept").hidden = false;
    }
    find("said").hidden = true;
    find("page").hidden = false;
  };

  document.title = get("log");
  find("name").replaceChildren(write(asked, "span"));
  load(asked).then(show, (error) => { find("said").textContent = `${error.message}.`; });
})();

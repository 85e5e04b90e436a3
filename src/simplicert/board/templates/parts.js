"use strict";
// What the page of a log and the comparison share: rows by name, and data that are loaded when needed.
window.parts = (() => {
  const { names, rows, signs, digits } = window.BOARD;
  const at = Object.fromEntries(names.map((name, place) => [name, place]));
  const byId = new Map(rows.map((row) => [row[at.id], row]));

  // The first number and the differences after it, as numbers again.
  const add = (gaps) => { let sum = 0; return gaps.map((gap) => { sum += gap; return sum; }); };

  const load = (id) => new Promise((resolve, reject) => {
    const part = byId.get(id)[at.part];
    const held = () => resolve(window.PARTS[part][id]);
    if (window.PARTS && window.PARTS[part]) { held(); return; }
    const script = document.createElement("script");
    script.src = `data/${part}.js`;
    script.addEventListener("load", held);
    script.addEventListener("error", () => reject(new Error(`data/${part}.js cannot be read`)));
    document.head.append(script);
  });

  // How many radii each input reaches, from text with several numbers to a sign.
  const unpack = ({ base, each, text }, count) => {
    const value = new Map([...signs].map((sign, place) => [sign, place]));
    const codes = new Uint8Array(count);
    for (let place = 0; place < count; place += 1) {
      const sign = value.get(text[Math.floor(place / each)]);
      codes[place] = Math.floor(sign / base ** (place % each)) % base;
    }
    return codes;
  };

  const inputs = (log) => {
    const { start, step, count, gaps } = log.index;
    const index = gaps ? add(gaps) : Array.from({ length: count }, (_, row) => start + row * step);
    return { index, codes: unpack(log.codes, index.length) };
  };

  const make = (tag, text, name) => {
    const node = document.createElement(tag);
    if (text !== undefined && text !== null) node.textContent = text;
    if (name) node.className = name;
    return node;
  };

  // The name of a log, with a link to its page if asked for; it may break after each slash.
  const write = (id, tag = "a") => {
    const node = make(tag);
    if (tag === "a") node.href = `log.html?log=${id}`;
    byId.get(id)[at.log].split("/").forEach((word, place) => {
      if (place) node.append("/", make("wbr"));
      node.append(word);
    });
    return node;
  };

  // A share of whole numbers, rounded down.
  const share = (hits, total) => Math.floor((digits * hits) / total + 1e-9) / digits;

  return { rows, at, byId, add, load, inputs, make, write, share, digits, pairs: window.PAIRS };
})();

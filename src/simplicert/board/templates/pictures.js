"use strict";
// The pictures of a log as SVG; colours are classes of the style sheet.
window.pictures = (() => {
  const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [460, 260, 48, 12, 12, 40];
  const { add, share, digits } = window.parts;

  const draw = (tag, marks, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(marks)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const tenth = (value) => Math.round(10 * value) / 10;

  const ticks = (low, high) => {
    const rough = (high - low) / 5;
    const size = 10 ** Math.floor(Math.log10(rough));
    const step = size * [1, 2, 2.5, 5, 10].find((nice) => size * nice >= rough * (1 - 1e-9));
    const first = Math.ceil(low / step - 1e-9);
    const count = Math.floor(high / step + 1e-9) - first + 1;
    return Array.from({ length: count }, (_, place) => Number(((first + place) * step).toPrecision(6)));
  };

  const open = (title, [x0, x1], [y0, y1], xTitle, yTitle) => {
    const picture = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
    const x = (value) => tenth(LEFT + ((value - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT));
    const y = (value) => tenth(HEIGHT - BOTTOM - ((value - y0) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM));
    picture.append(draw("title", {}, title));
    for (const value of ticks(x0, x1)) {
      picture.append(draw("line", { class: "grid", x1: x(value), y1: y(y0), x2: x(value), y2: y(y1) }),
        draw("text", { x: x(value), y: y(y0) + 15, "text-anchor": "middle" }, value));
    }
    for (const value of ticks(y0, y1)) {
      picture.append(draw("line", { class: "grid", x1: x(x0), y1: y(value), x2: x(x1), y2: y(value) }),
        draw("text", { x: x(x0) - 6, y: y(value) + 4, "text-anchor": "end" }, value));
    }
    const [middle, half] = [(LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2];
    picture.append(draw("text", { x: middle, y: HEIGHT - 6, "text-anchor": "middle" }, xTitle),
      draw("text", { transform: `translate(12 ${half}) rotate(-90)`, "text-anchor": "middle" }, yTitle));
    const path = (points, name) => picture.append(draw("path",
      { class: name, d: `M${points.map(([a, b]) => `${x(a)} ${y(b)}`).join("L")}` }));
    return { picture, x, y, path };
  };

  // Between two points the curve is drawn at the lower of them, so that it is nowhere too high.
  const stairs = (at, values) => at.flatMap((radius, place) => (place
    ? [[at[place - 1], values[place]], [radius, values[place]]] : [[radius, values[0]]]));

  const curve = (log, total, norm, limits) => {
    const hits = add(log.curve);
    const at = hits.map((_, place) => (log.to * place) / (hits.length - 1));
    const [low, high] = [0, 1].map((side) => hits.map((hit) => limits(hit)[side] / digits));
    const held = open("Certified accuracy over the radius", [0, log.to], [0, 1],
      `radius (${norm || "l2"})`, "certified accuracy");
    const top = at.flatMap((radius, place) => (place
      ? [[radius, high[place - 1]], [radius, high[place]]] : [[radius, high[0]]]));
    held.path([...top, ...stairs(at, low).reverse()], "band");
    held.path(stairs(at, hits.map((hit) => share(hit, total))), "line");
    return held.picture;
  };

  const expectations = ({ least, right, wrong }, total) => {
    const most = Math.max(...right.map((count, place) => count + wrong[place])) / total;
    const { picture, x, y } = open("Distribution of E0", [least, 1], [0, 1.08 * most],
      "E0, lower bound on the class's probability", "share of inputs");
    right.forEach((count, place) => {
      const edge = (bin) => x(least + ((1 - least) * bin) / right.length);
      const [first, both] = [count / total, (count + wrong[place]) / total];
      for (const [name, from, to] of [["right", 0, first], ["wrong", first, both]]) {
        if (to > from) {
          picture.append(draw("rect", { class: name, x: edge(place), y: y(to),
            width: tenth(edge(place + 1) - edge(place) - 1), height: tenth(y(from) - y(to)) }));
        }
      }
    });
    return picture;
  };

  const BINS = 50; // of the simplex across: a dot stands for the inputs of a square
  const simplex = (squares) => {
    const { picture, x, y, path } = open("Place on the simplex", [0, 1], [0, 0.5], "E0",
      "E1, upper bound on every other class");
    path([[0, 0], [0.5, 0.5], [1, 0], [0, 0]], "frame");
    const most = Math.max(...squares.map(([, , right, wrong]) => Math.max(right, wrong)));
    for (const [across, up, right, wrong] of squares) {
      for (const [name, count] of [["right", right], ["wrong", wrong]]) {
        if (count) {
          picture.append(draw("circle", { class: name, cx: x((across + 0.5) / BINS),
            cy: y((up + 0.5) / BINS), r: tenth(1.6 + 4 * Math.sqrt(count / most)) }));
        }
      }
    }
    return picture;
  };

  return { curve, expectations, simplex };
})();

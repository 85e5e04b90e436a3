// The names of the curves, written beside them where there is room.

const shareAt = (steps, x) => steps[Math.max(0, lastAtMost(steps, x))][1];
function lastAtMost(steps, x) {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle][0] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Of many places along a line, the one where its name covers the fewest lines and names.
function placeLabel(plot, steps, wide, placed) {
  const { left, top, wide: across, high } = plot.box;
  const most = plot.options.x[1];
  let best = { cost: Infinity };
  for (const level of [0.2, 0.12, 0.3, 0.45, 0.6, 0.8, 0.95]) {
    const [at, share] = steps.find(([, y]) => y <= steps[0][1] * level) ?? steps.at(-1);
    for (const rise of [8, 22, 40, 60]) {
      const x = Math.min(plot.x(at) + 10, left + across - wide);
      const y = plot.y(share) - rise;
      if (y < top + 12 || y > top + high - 4 || x < left) continue;
      const covers = (other) => Math.abs(other.y - y) < 16 && x < other.x + other.wide && other.x < x + wide;
      let cost = rise / 30 + 40 * placed.filter(covers).length;
      for (let along = x; along < x + wide; along += 6) {
        const radius = ((along - left) / across) * most;
        for (const curve of plot.curves) {
          const gap = plot.y(shareAt(curve.steps, radius)) - y;
          if (gap > -14 && gap < 5) cost += 1;
        }
      }
      if (cost < best.cost) best = { cost, x, y, wide, from: [plot.x(at), plot.y(share)] };
    }
  }
  return best;
}

// The name of a line beside it: no legend to match colours with.
function labelCurves(plot) {
  const placed = [];
  for (const curve of plot.curves.filter(({ column }) => column === "radius" || !several())) {
    const text = several() ? curve.view.name : labelOf(curve.column);
    const shown = text.length > 26 ? `${text.slice(0, 25)}…` : text;
    const place = placeLabel(plot, curve.steps, 7.4 * shown.length + 6, placed);
    if (place.x === undefined) continue;
    placed.push(place);
    const label = svg("text", { class: "direct", x: place.x, y: place.y }, shown);
    const leader = svg("line", { x1: place.from[0], y1: place.from[1], x2: place.x - 2, y2: place.y - 4, "stroke-width": 1 });
    label.style.fill = curveColour(curve);
    leader.style.stroke = curveColour(curve);
    plot.over.append(leader, label);
  }
}

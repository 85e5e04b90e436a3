// Maps over the simplex, from the package's radii on a grid; row j holds i = j + 1 .. steps - 1 - j.

const { steps, radii, kinds, ensembles } = page.simplex;
const HUGE = 3; // log2 of a ratio: the colours stop at 8

const unpacked = {};
function gridOf(name) {
  unpacked[name] ??= new Float32Array(Uint8Array.from(atob(radii[name]), (c) => c.charCodeAt(0)).buffer);
  return unpacked[name];
}

function gridRadius(name, i, j) {
  const inside = Math.min(Math.max(i, j + 1), steps - 1 - j); // a cell on the edge is its neighbour
  return gridOf(name)[j * (steps - j) + inside - j - 1];
}

function cells(value) {
  const row = (j) => Array.from({ length: steps }, (_, i) => (i < j || i > steps - j ? null : value(i, j)));
  return Array.from({ length: steps / 2 }, (_, j) => row(j));
}

// The size that all but 2 % of the values stay below: the colours end there.
function reach(rows) {
  const sizes = rows.flat().filter((z) => z !== null && Number.isFinite(z)).map(Math.abs);
  return sizes.sort((a, b) => a - b)[Math.floor(0.98 * (sizes.length - 1))] || 1;
}

const diverging = () => page.diverging.map((colour, k) => [k / (page.diverging.length - 1), colour]);

const MAPS = {
  winner() {
    const members = ensembles[state.kind];
    const z = cells((i, j) => {
      const values = members.map((name) => gridRadius(name, i, j));
      const best = Math.max(...values);
      return best > 0 ? values.indexOf(best) : null;
    });
    const share = (k) => k / members.length;
    const pale = (name) => `${lookOf(name).colour}73`; // so that points show on it
    const bands = members.map((name, k) => [share(k), share(k + 1)].map((at) => [at, pale(name)]));
    return {
      trace: { z, zmin: -0.5, zmax: members.length - 0.5, colorscale: bands.flat() },
      words: "largest of the paper's ensemble",
      ticks: members.map((name, k) => [k, lookOf(name).label]),
    };
  },
  ratio(first, second) {
    const z = cells((i, j) => {
      const [one, two] = [gridRadius(first, i, j), gridRadius(second, i, j)];
      return one === two ? 0 : Math.log2(one / two); // infinite where only one certifies
    });
    const most = Math.min(Math.max(reach(z), Math.log2(1.1)), HUGE);
    const fine = [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4];
    const coarse = [0.125, 0.25, 0.5, 1, 2, 4, 8];
    return {
      trace: { z, zmin: -most, zmax: most, colorscale: diverging() },
      words: `${lookOf(first).label} / ${lookOf(second).label}`,
      ticks: (most > 1 ? coarse : fine).map((mark) => [Math.log2(mark), String(mark)]),
    };
  },
  difference(first, second) {
    const z = cells((i, j) => gridRadius(first, i, j) - gridRadius(second, i, j));
    const most = reach(z);
    return {
      trace: { z, zmin: -most, zmax: most, colorscale: diverging() },
      words: `${lookOf(first).label} − ${lookOf(second).label}, at sigma 1`,
    };
  },
  radius(first) {
    const z = cells((i, j) => gridRadius(first, i, j));
    return {
      trace: { z, zmin: 0, zmax: reach(z), colorscale: "Cividis" },
      words: `${lookOf(first).label}, at sigma 1`,
    };
  },
};

function mapTraces() {
  const draw = MAPS[byId("map").value];
  if (!draw) return [];
  const { trace, words, ticks } = draw(byId("first").value, byId("second").value);
  const within = (z) => Math.min(Math.max(z, trace.zmin), trace.zmax);
  const z = trace.z.map((row) => row.map((value) => (value === null ? null : within(value))));
  const bar = { orientation: "h", y: -0.12, yanchor: "top", thickness: 12, len: 0.9 };
  bar.title = { text: words, side: "top" };
  if (ticks) {
    const shown = ticks.filter(([at]) => at >= trace.zmin - 1e-9 && at <= trace.zmax + 1e-9);
    Object.assign(bar, { tickvals: shown.map(([at]) => at), ticktext: shown.map(([, text]) => text) });
  }
  const step = 1 / steps;
  const place = { x0: step / 2, dx: step, y0: step / 2, dy: step };
  return [{ type: "heatmap", ...trace, z, ...place, hoverinfo: "skip", colorbar: bar }];
}

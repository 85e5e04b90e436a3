// Radii under Laplace noise in l1, at scale 1; docs/threats.md has the formulas and the proofs.

// -log(1 - E0 + E1): near a gap of 1 the rounding of the gap would be most of what it leaves.
const logLeft = (e0, e1) => (e0 - e1 < 0.5 ? Math.log1p(-(e0 - e1)) : Math.log(1 - e0 + e1));

const lower1 = (radius) => lowered(radius, radius);

const laplaceOneSided = (e0) => lower1(e0 > 0.5 ? -Math.log(2 * (1 - e0)) : 0);

const pureDp = (e0, e1) => lower1(logRatio(e0, e1) / 2);

const teng = (e0, e1) => Math.max(pureDp(e0, e1), lower1(-logLeft(e0, e1)));

function laplaceTwoSided(e0, e1) {
  if (1 - e0 >= 0.5) return pureDp(e0, e1);
  return lower1(-(Math.log(2 * (1 - e0)) + Math.log(2 * e1)) / 2);
}

// The paper's (NewDP) with Laplace noise's exact delta: L = epsilon - 2 log(1 - g).
function laplaceImprovedDp(e0, e1) {
  const low = Math.max(e1, SMALLEST);
  const most = logRatio(e0, low) / 2;
  const value = (epsilon) => {
    const left = Math.max(e0 - low - Math.expm1(2 * epsilon) * low, 0);
    return epsilon - 2 * Math.log1p(-left / (1 + Math.exp(epsilon)));
  };
  const slope = (epsilon) => {
    const [y, rest] = [Math.exp(-epsilon), 1 - e0];
    return ((rest * y + 3 * rest - 1) * y + 1 - 3 * low) * y - low;
  };
  const cells = 16;
  let best = 0;
  for (let k = 1; k <= cells; k += 1) {
    if (value((k / cells) * most) > value((best / cells) * most)) best = k;
  }
  const [from, to] = [Math.max(best - 1, 0), Math.min(best + 1, cells)];
  let [lo, hi] = [(from / cells) * most, (to / cells) * most];
  for (let step = 0; step < 40; step += 1) {
    const middle = (lo + hi) / 2;
    if (slope(middle) > 0) lo = middle;
    else hi = middle;
  }
  return lower1(Math.max(value(lo), most));
}

// Renyi divergence of order 1 + t at a distance, and its derivative.
function divergence(distance, t) {
  const share = t / (1 + 2 * t);
  const fallen = Math.expm1(-(1 + 2 * t) * distance);
  const total = 1 + share * fallen;
  return [distance + Math.log1p(share * fallen) / t, 1 - (1 + fallen) / total];
}

// About the largest distance of one order, by Newton's method from above.
function divergenceReach(order, e0, e1) {
  const t = Math.exp(order);
  const room = -logOverlap(t, e0, e1)[0];
  let found = room + Math.log1p(t / (1 + t)) / t;
  if (room < 1 / 3) found = Math.min(found, Math.sqrt(3 * Math.max(room, 0)));
  for (let step = 0; step < 14; step += 1) {
    const [value, slope] = divergence(found, t);
    found = Math.max(found - Math.max((value - room) / (slope > 0 ? slope : 1), 0), 0);
  }
  return found;
}

// A distance a little below the root, where the inequality was seen to hold; else 0. Near a tie the
// slope is small, and the rounding of the inequality moves the root by its quotient.
function provedReach(order, e0, e1) {
  const t = Math.exp(order);
  const reach = divergenceReach(order, e0, e1);
  const found = lower1(reach - 1e-14 / Math.max(divergence(reach, t)[1], 1e-14));
  return divergence(found, t)[0] + logOverlap(t, e0, e1)[0] < 0 ? found : 0;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

function laplaceLi(e0, e1) {
  const low = Math.max(e1, SMALLEST);
  const reach = (order) => divergenceReach(order, e0, low);
  const place = (k) => ORDERS[0] + k; // 39 cells of width 1
  let best = 0;
  for (let k = 1, top = reach(place(0)); k <= 39; k += 1) {
    const here = reach(place(k));
    if (here > top) [best, top] = [k, here];
  }
  let [lo, hi] = [place(Math.max(best - 1, 0)), place(Math.min(best + 1, 39))];
  for (let step = 0; step < 30; step += 1) {
    const [left, right] = [hi - GOLDEN * (hi - lo), lo + GOLDEN * (hi - lo)];
    if (reach(left) >= reach(right)) hi = right;
    else lo = left;
  }
  return Math.max(provedReach(lo, e0, low), provedReach(place(best), e0, low));
}

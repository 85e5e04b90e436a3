// Radii under Gaussian noise in l2, at sigma 1, for 0 < E1 < E0 and E0 + E1 <= 1. Formulas, names
// and the ranges of the searches are those of simplicert.mechanisms; docs/method.md has the proofs.

const SMALLEST = 1e-300; // a smaller E1 is raised to it: safe, and nothing overflows

// log(E0 / E1), with all digits near a tie.
const logRatio = (e0, e1) => Math.log1p((e0 - e1) / e1);

function cohen(e0) {
  const z = e0 > 0.5 ? normalQuantile(e0) : 0;
  return lowered(z, z);
}

function twoSided(e0, e1) {
  const [z0, z1] = [normalQuantile(e0), normalQuantile(e1)];
  return lowered((z0 - z1) / 2, Math.abs(z0) + Math.abs(z1));
}

// Paper eq. (NewDP): the largest over epsilon of the difference of two quantiles.
function improvedDp(e0, e1) {
  const low = Math.max(e1, SMALLEST);
  const most = logRatio(e0, low) / 2;
  const pair = (epsilon) => {
    const rest = 1 / (1 + Math.exp(epsilon));
    const gap = (e0 - low) * rest;
    return [normalQuantile(low + gap * (2 - rest)), normalQuantile(low + gap * rest)];
  };
  const slope = (epsilon) => {
    const [u, v] = pair(epsilon);
    return ((v - u) * (v + u)) / 2 - epsilon;
  };
  const [u, v] = pair(turningPoint(slope, 1e-7 * most, most, 32));
  return lowered(u - v, Math.abs(u) + Math.abs(v));
}

// Paper eq. (Lecuyer_bound): the largest over epsilon in (0, 1].
function lecuyer(e0, e1) {
  const ratio = logRatio(e0, e1) / 2;
  const top = Math.min(ratio, 1);
  const left = (epsilon) => e0 - e1 - Math.expm1(2 * epsilon) * e1;
  const cost = (epsilon, rest) => Math.log(1.25 * (1 + Math.exp(epsilon))) - Math.log(rest);
  const value = (epsilon) => {
    const rest = left(epsilon);
    return rest > 0 ? epsilon / Math.sqrt(2 * cost(epsilon, rest)) : 0;
  };
  const slope = (epsilon) => {
    const rest = Math.max(left(epsilon), 1e-20 * e0, LEAST);
    const used = (Math.exp(2 * epsilon) * e1) / rest;
    return 2 * cost(epsilon, rest) - epsilon * (1 / (1 + Math.exp(-epsilon)) + 2 * used);
  };
  const found = value(turningPoint(slope, 1e-9 * top, (1 - 1e-12) * top, 48));
  return lowered(Math.max(found, ratio > 1 ? value(top) : 0), 1);
}

const ORDERS = [-9, 30]; // log(omega - 1), the package's range: every order gives a true radius

function logCosh(x) {
  if (x < 1) return Math.log1p(2 * Math.sinh(x / 2) ** 2);
  return x - Math.LN2 + Math.log1p(Math.exp(-2 * x));
}

// log(1 - E0 - E1 + 2 M) and its derivative in w, M the power mean of exponent -w.
function logOverlap(w, e0, e1) {
  const half = logRatio(e0, e1) / 2;
  const bend = logCosh(w * half) / w;
  const rise = half - bend;
  const fall = (bend - half * Math.tanh(w * half)) / w;
  const mean = e1 * Math.exp(rise);
  const overlap = 1 - e0 - e1 + 2 * mean;
  const gap = e0 - e1 - 2 * e1 * Math.expm1(rise); // 1 - overlap, no digit lost near ties
  return [gap < 0.5 ? Math.log1p(-gap) : Math.log(overlap), (2 * mean * fall) / overlap];
}

// Paper eq. (Li_Bound). The square is lowered before its root is taken: near a tie the rounding of
// the square is what counts.
function li(e0, e1) {
  const low = Math.max(e1, SMALLEST);
  const slope = (order) => {
    const w = Math.exp(order);
    const [log, rate] = logOverlap(w, e0, low);
    return log - (1 + w) * rate;
  };
  const w = Math.exp(turningPoint(slope, ...ORDERS, 48));
  const square = (-2 / (1 + w)) * logOverlap(w, e0, low)[0];
  const root = Math.sqrt(Math.max(square - 1e-14 / (1 + w), 0));
  return lowered(root, root);
}

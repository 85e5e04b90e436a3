// Radii of the noises with a bound on how much any probability changes: uniform noise, ablation,
// deletion and splitting. Those of ablation and deletion are whole numbers; a tie counts against us.

// Where nothing is known of E1: with 1 - E0 in its place, 0 for E0 <= 1/2.
const oneSided = (radius) => (e0, e1, numbers) => (
  e0 > 0.5 ? radius(e0, 1 - e0, numbers) : 0
);

const gapRadius = (e0, e1) => lowered(e0 - e1, 1);

const uniformLinf = (e0, e1, { size }) => (
  lowered(-2 * Math.expm1(Math.log1p(-(e0 - e1) / 2) / size), 1)
);

const STRICTER = 1 - 1e-11; // of a quotient or a gap, before it is compared

// The largest r whose r features are seen with a probability below half the gap: limits of that
// probability for r = 1, 2, ... up to 1/2, rounded up, as in simplicert.mechanisms.ablation.
const seenLimits = new Map();

function limitsOf(size, keep) {
  const key = `${size} ${keep}`;
  if (!seenLimits.has(key)) {
    seenLimits.clear();
    const limits = [];
    let missed = 1;
    for (let r = 0, seen = 0; r < size && seen <= 0.5; r += 1) {
      missed *= Math.max(size - keep - r, 0) / (size - r);
      seen = Math.max(seen, Math.min(1 - missed * (1 - 3 * 2 ** -52 * (r + 1)) + 2 ** -52, 1));
      limits.push(seen);
    }
    seenLimits.set(key, limits);
  }
  return seenLimits.get(key);
}

function ablation(e0, e1, { size, keep }) {
  const half = ((e0 - e1) / 2) * STRICTER;
  const limits = limitsOf(size, keep);
  let [low, high] = [0, limits.length]; // limits before `low` are below half the gap
  while (low < high) {
    const middle = (low + high) >> 1;
    if (limits[middle] < half) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MOST_EDITS = 1e6;

// The largest whole number strictly below room / log(rate), both of them negative.
function wholeBelow(room, rate) {
  const quotient = Math.min((room / Math.log(rate)) * STRICTER, MOST_EDITS);
  return Math.max(Math.ceil(quotient) - 1, 0);
}

const edits = (e0, e1, { rate }) => wholeBelow(Math.log1p(-(e0 - e1) / 2), rate);
const insertions = (e0, e1, { rate }) => wholeBelow(-Math.log1p(e0 - e1), rate);
const deletions = (e0, e1, { rate }) => wholeBelow(logLeft(e0, e1), rate);

// Whole steps of the grid of inputs below a radius at its scale: splitting noise.
function wholeSteps(radius, steps) {
  return Math.max(Math.ceil(radius * steps - 2e-6) - 1, 0) / steps;
}

// From counts to the pair (E0, E1): scheme "gated" of the package, Theorem 2 of docs/method.md, and
// Theorem 1 for two classes. Exact limits by Clopper and Pearson (1934).

const SHRINK = (1 - 1e-4) * (1 - 1e-7); // share of a tail: the package's, and a little less
const SHARES = { pair: 0.45, gate: 0.05, one: 0.9, guard: 0.1 }; // of alpha, as in the package
const LEAST = 2.2250738585072014e-308; // an upper bound of 0 would promise an infinite radius
const MOST_DRAWS = 1e9;
const ROUNDED = 1e-12; // of a limit, outward

// log n! less Stirling's formula (Loader 2000): five terms of its series err by less than 1e-16
// from 16 on; below, the product itself.
function stirlingError(n) {
  if (n >= 16) {
    const s = 1 / (n * n);
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / n;
  }
  if (n === 0) return 0;
  let product = 1;
  for (let k = 2; k <= n; k += 1) product *= k;
  return Math.log(product) - (n + 0.5) * Math.log(n) + n - Math.log(SQRT_2PI);
}

// x log(x / m) + m - x: how far x is from its mean m.
const deviance = (x, m) => (x === 0 ? m : x * Math.log1p((x - m) / m) - (x - m));

// P(Bin(n, p) = k) for 0 < k < n, with q = 1 - p; by Loader's saddle point, without large terms.
function binomialShare(k, n, p, q) {
  const stirling = stirlingError(n) - stirlingError(k) - stirlingError(n - k);
  const apart = deviance(k, n * p) + deviance(n - k, n * q);
  return Math.exp(stirling - apart) * Math.sqrt(n / (k * (n - k))) / SQRT_2PI;
}

// P(Bin(n, p) >= k) for k >= n p, rounded up: falling terms are added one by one, and what is left
// out is at most a geometric series.
function upperBinomialTail(k, n, p, q) {
  if (k === 0) return 1;
  if (k === n) return p > 0.5 ? Math.exp(n * Math.log1p(-q)) : Math.exp(n * Math.log(p));
  const odds = p / q;
  let [term, total] = [1, 1];
  for (let i = k; i < n; i += 1) {
    const ratio = ((n - i) / (i + 1)) * odds;
    term *= ratio;
    total += term;
    if (term < 1e-17 * total * (1 - ratio)) {
      total += (term * ratio) / (1 - ratio);
      break;
    }
  }
  return binomialShare(k, n, p, q) * total * (1 + 1e-9);
}

// The largest p with P(Bin(n, p) >= k) <= tail that was checked, and 1 - p, both rounded outward.
function lowerLimit(k, n, tail) {
  const a = SHRINK * tail;
  if (k === 0) return { p: 0, q: 1 };
  if (k === n) return outward(Math.exp(Math.log(a) / n), -Math.expm1(Math.log(a) / n));
  const shares = (logit) => [1 / (1 + Math.exp(-logit)), 1 / (1 + Math.exp(logit))];
  const safe = (logit) => upperBinomialTail(k, n, ...shares(logit)) <= a;
  let high = Math.log(k / (n - k));
  let step = 1 / Math.sqrt(n);
  let low = high - step;
  while (!safe(low)) {
    step *= 2;
    [high, low] = [low, low - step];
  }
  for (let halving = 0; halving < 60 && high - low > 1e-14 * Math.abs(low); halving += 1) {
    const middle = (low + high) / 2;
    if (safe(middle)) low = middle;
    else high = middle;
  }
  return outward(...shares(low));
}

const outward = (p, q) => ({ p: p * (1 - ROUNDED), q: Math.min(q * (1 + ROUNDED), 1) });

// E0 near 1 is made from 1 - E0, so that subtracting it again loses nothing.
function lowerBound(k, n, tail) {
  const { p, q } = lowerLimit(k, n, tail);
  return { e0: 2 * k <= n ? p : (1 - q) * (1 - 2 ** -52), q };
}

// Did the first beat the second by more than a fair coin would?
function passesSignTest(wins, losses, level) {
  if (wins <= losses) return false;
  return upperBinomialTail(wins, wins + losses, 0.5, 0.5) <= SHRINK * level;
}

// The bounds of counts: E0 and E1, and one word: certified, tie, overlap or gate.
function boundCounts({ wins, rival, draws, classes }, alpha) {
  const two = classes === 2;
  const { e0, q } = lowerBound(wins, draws, (two ? SHARES.one : SHARES.pair) * alpha);
  const other = two ? 1 - e0 : Math.min(lowerLimit(draws - rival, draws, SHARES.pair * alpha).q, q);
  const e1 = Math.max(other, LEAST);
  const gate = two
    ? passesSignTest(wins, draws - wins, SHARES.guard * alpha)
    : passesSignTest(wins, rival, SHARES.gate * alpha);
  if (wins === rival) return { e0, e1, reason: "tie" };
  if (!(e0 > e1)) return { e0, e1, reason: "overlap" };
  return { e0, e1, reason: gate ? "certified" : "gate" };
}

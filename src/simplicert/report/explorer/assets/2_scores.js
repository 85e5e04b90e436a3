// From mean scores to the pair (E0, E1): kind "softmax" of the package by scheme "gated" and method
// "bentkus+betting", without histograms; docs/softmax.md has the proofs. The class is selected by
// votes drawn by the scores, and passes the same sign test.
//
// The spread says how far scores are from their mean: at 0 every draw has the mean itself, at 1 every
// score is 0 or 1. The variance is spread * mean * (1 - mean).

const SCORE_UNIT = 2 ** -40; // of a kept score, which is rounded down
const MOST_SCORED = 1e7; // draws: beyond, a unit would be seen in the radii
const GAMBLERS = 8;
const [BOLDEST, TIMID] = [0.99, 0.5]; // shares of the boldest gambler, and the most of the smallest
const DRAW_ERROR = 2 ** -45; // of the logarithm of a factor, in the package
const TERM_ERROR = 2e-12; // of a term of it here: twenty times what Math.log1p may err by

// log(e^x + e^y + ...), rounded down by far more than it errs.
function logSum(values) {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, x) => sum + Math.exp(x - most), 0)) - 1e-12;
}

// Waudby-Smith and Ramdas (2024), as in simplicert.bounds.betting: a lower limit for a mean, from the
// mean of the scores (at most the true one) and their variance (at least it).
function bettingLower(mean, variance, n, tail) {
  const seen = mean - SCORE_UNIT;
  if (!(seen > 0)) return 0;
  const extra = variance + SCORE_UNIT * (4 + 2 * mean); // of squares, and of the square of the mean
  const square = seen * seen + extra;
  const zeros = Math.min(extra / square, 1);
  const timid = Math.min(Math.sqrt(-Math.log(tail) / n), TIMID);
  const shares = Array.from({ length: GAMBLERS }, (_, k) => timid ** (1 - k / (GAMBLERS - 1)) * BOLDEST ** (k / (GAMBLERS - 1)));
  const wealth = (at) => logSum(shares.map((share) => {
    const lost = zeros * Math.log1p(-share);
    const won = (1 - zeros) * Math.log1p(share * (square / seen / at - 1));
    return n * (lost + won - TERM_ERROR * (Math.abs(lost) + Math.abs(won)));
  })) - Math.log(GAMBLERS);
  const goal = -Math.log(tail) * (1 + 1e-12) + 2 * DRAW_ERROR * n + 2e-12;
  let [low, high] = [0, seen];
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (wealth(middle) >= goal) low = middle;
    else high = middle;
  }
  return low * (1 - ROUNDED / 1000);
}

// Bentkus (2004): Clopper and Pearson at a share 1 / e of the tail; a sum between whole numbers
// counts as the safe one of them.
const sumBelow = (mean, n) => Math.max(Math.floor(n * (mean - SCORE_UNIT)), 0);
const sumAbove = (mean, n) => Math.min(Math.ceil(n * (mean + SCORE_UNIT)), n);

function scoreLower(mean, variance, n, tail) {
  const bySum = lowerBound(sumBelow(mean, n), n, tail / 2 / Math.E).e0;
  return Math.max(bySum, bettingLower(mean, variance, n, tail / 2));
}

function scoreUpper(mean, variance, n, tail) {
  const bySum = lowerLimit(n - sumAbove(mean, n), n, tail / 2 / Math.E).q;
  return Math.min(bySum, 1 - bettingLower(1 - mean, variance, n, tail / 2) + 2 ** -52);
}

// The bounds of mean scores, and the word that boundCounts has too.
function boundScores({ first, second, spread, votes }, alpha) {
  const { wins, rival, draws } = votes;
  const variance = (mean) => spread * mean * (1 - mean);
  const e0 = scoreLower(first, variance(first), draws, SHARES.pair * alpha);
  const other = scoreUpper(second, variance(second), draws, SHARES.pair * alpha);
  const e1 = Math.max(Math.min(other, 1 - e0), LEAST);
  if (e0 > e1 && passesSignTest(wins, rival, SHARES.gate * alpha)) return { e0, e1, reason: "certified" };
  if (wins === rival) return { e0, e1, reason: "tie" };
  return { e0, e1, reason: e0 > e1 ? "gate" : "overlap" };
}

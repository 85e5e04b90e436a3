"use strict";

// The normal distribution, with errors that are proved, and the margin that every radius loses.
//
// The language leaves the last digits of Math.log and its kin to the browser. We assume that they
// are right to 1e-13 of their value, a thousand times worse than any browser is. Every value below
// then errs by less than a tenth of MARGIN, and every radius is lowered by MARGIN times the sum of
// the terms it is made of: it is never above the true one, nor above the package's, which is
// rounded by 1e-12. A search proposes a point; the radius there is true at every point.

const MARGIN = 1e-9;
const SQRT_2PI = Math.sqrt(2 * Math.PI);
const NORMAL_EDGE = 2; // below it a series, above it a continued fraction
const FRACTION_DEPTH = 80; // its error at 2 is below 1e-16 of its value, and smaller beyond

const lowered = (radius, terms = 0) => {
  const safe = radius - MARGIN * (1 + terms);
  return safe > 0 ? safe : 0; // NaN is not above 0 either
};

const density = (x) => Math.exp((-x * x) / 2) / SQRT_2PI;

// Mills' ratio Q(x) / phi(x) for x >= 2, by Laplace's continued fraction: all terms are positive.
function millsRatio(x) {
  let value = x;
  for (let k = FRACTION_DEPTH; k > 0; k -= 1) value = x + k / value;
  return 1 / value;
}

// Q(x) = 1 - Phi(x) for x >= 0. Up to 2 it is 1/2 - phi(x) (x + x^3/3 + x^5/15 + ...), where at
// most a factor of 22 is lost to cancellation.
function upperTail(x) {
  if (x >= NORMAL_EDGE) return density(x) * millsRatio(x);
  let [term, total] = [x, x];
  for (let k = 3; term > total * 1e-17; k += 2) {
    term *= (x * x) / k;
    total += term;
  }
  return 0.5 - density(x) * total;
}

// The x >= 0 with Q(x) = p, for 0 < p <= 1/2, by Halley's method on log Q from a first guess
// (Abramowitz and Stegun 26.2.22). The slope of log Q is below -0.79, so that the residual bounds
// the error: a value with a residual above 1e-11 is refused as NaN.
function tailQuantile(p) {
  const t = Math.sqrt(-2 * Math.log(p));
  let x = Math.max(t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)), 0);
  for (let step = 0; step < 8; step += 1) {
    const tail = upperTail(x);
    const gap = Math.log(tail / p);
    if (Math.abs(gap) < 1e-13) return x;
    const hazard = density(x) / tail;
    const move = gap / hazard / (1 + (gap * (hazard - x)) / (2 * hazard));
    x = Math.max(x + move, 0);
    if (Math.abs(move) < 1e-15 * (1 + x)) break;
  }
  return Math.abs(Math.log(upperTail(x) / p)) < 1e-11 ? x : NaN;
}

// Phi^-1(p); near 1 from 1 - p, which is exact there.
const normalQuantile = (p) => (p > 0.5 ? tailQuantile(1 - p) : -tailQuantile(p));

// The last x in [low, high] with a positive slope, for a function that rises and then falls.
function turningPoint(slope, low, high, halvings) {
  if (slope(high) > 0) return high;
  let [lo, hi] = [low, high];
  for (let step = 0; step < halvings; step += 1) {
    const middle = (lo + hi) / 2;
    if (slope(middle) > 0) lo = middle;
    else hi = middle;
  }
  return lo;
}

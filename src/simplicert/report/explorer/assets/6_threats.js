// The formulas of every threat by (noise, norm), and their evaluation by the package's rules: 0
// unless E0 > E1, E1 at most 1 - E0, nothing above the limit of its threat, no NaN.

const GAUSSIAN_RADII = { cohen, li, lecuyer, improved_dp: improvedDp, two_sided: twoSided };

const GAP_RADII = { one_sided: oneSided(gapRadius), two_sided: gapRadius };

const bothSides = (radius) => ({ one_sided: oneSided(radius), two_sided: radius });

const divided = (radius) => (e0, e1, numbers) => radius(e0, e1) / Math.sqrt(numbers.size);

const RADII = {
  "gaussian l2": GAUSSIAN_RADII,
  "gaussian l1": GAUSSIAN_RADII,
  "gaussian linf": Object.fromEntries(
    Object.entries(GAUSSIAN_RADII).map(([name, radius]) => [name, divided(radius)]),
  ),
  "laplace l1": {
    one_sided: laplaceOneSided,
    lecuyer: pureDp,
    li: laplaceLi,
    teng,
    improved_dp: laplaceImprovedDp,
    two_sided: laplaceTwoSided,
  },
  "uniform l1": GAP_RADII,
  "uniform linf": bothSides(uniformLinf),
  "exponential-linf linf": {
    one_sided: laplaceOneSided, lecuyer: pureDp, two_sided: laplaceTwoSided,
  },
  "splitting l1": GAP_RADII,
  "ablation l0": bothSides(ablation),
  "deletion edits": bothSides(edits),
  "deletion insertions": bothSides(insertions),
  "deletion deletions": bothSides(deletions),
  "brightness brightness": GAUSSIAN_RADII,
  "contrast log contrast": GAUSSIAN_RADII,
  "shift shift": GAUSSIAN_RADII,
};

const formulasOf = (threat) => RADII[`${threat.noise} ${threat.norm}`] ?? {};

// One mechanism's radius at scale 1.
function unitRadius(threat, name, e0, e1, numbers) {
  if (!(e0 > e1 && e1 >= 0 && e0 <= 1)) return 0;
  const rest = Math.max(Math.min(e1, 1 - e0), SMALLEST);
  if (!(e0 > rest)) return 0;
  const formulas = formulasOf(threat);
  const found = formulas[name](e0, rest, numbers);
  return found > 0 ? Math.min(found, formulas.two_sided(e0, rest, numbers)) : 0;
}

// Noise is drawn in single precision: its scale is the smaller of the two. 1e-15 for the product.
function atScale(threat, unit, scale) {
  if (threat.whole) return unit;
  if (threat.steps) return wholeSteps(unit * scale, threat.steps);
  return unit * Math.min(scale, Math.fround(scale)) * (1 - 1e-15);
}

// Every mechanism's radius in units of the input: name -> radius.
function allRadii(threat, e0, e1, numbers, scale) {
  return Object.fromEntries(threat.mechanisms.map(({ name }) => [
    name, atScale(threat, unitRadius(threat, name, e0, e1, numbers), scale),
  ]));
}

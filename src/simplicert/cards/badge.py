"""Draw a badge for a README: how many inputs are certified at which radius, and nothing more.

The number is certified accuracy over all inputs of the run at one radius, rounded down; the title,
which a screen reader reads and a pointer shows, adds the interval, the inputs, alpha and the noise.
A run that does not hold gets a badge that says so. The file is SVG without scripts, fonts or links.
"""

from html import escape

from simplicert.cards.evidence import CardEvidence
from simplicert.metrics.intervals import CONFIDENCE, Rate
from simplicert.metrics.numbers import format_exactly, format_percent_down, format_percent_range
from simplicert.noises.certainty import CERTAINTY
from simplicert.noises.words import NORM_WORDS, describe_reach, name_noise

LEFT = "certified"
GREY, BLUE, RED = "#4a4a4a", "#00588a", "#a3003f"  # each with white text: a contrast above 7 to 1
LETTER, PAD = 6, 8  # pixels: of one letter, and beside a text

BADGE = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" \
viewBox="0 0 {width} 20" role="img" aria-labelledby="title">
<!-- a card by simplicert -->
<title id="title">{title}</title>
<path fill="{grey}" d="M3 0h{left}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z"/>
<path fill="{colour}" d="M{edge} 0h{right}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{edge}z"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{middle}" y="14" textLength="{first_length}">{first}</text>
<text x="{centre}" y="14" textLength="{second_length}">{second}</text>
</g>
</svg>
"""


def describe_badge(evidence: CardEvidence) -> tuple[str, str, bool]:
    """Return the badge's text, its title, and whether the run's certificates may be believed."""
    name, norm = evidence.study.name, evidence.study.measured_in
    curve, lacking = evidence.accuracy, evidence.study.lacking
    if lacking:
        return "incomplete", f"{name}: {lacking}", False
    if not evidence.believable:
        why = "its card says why; do not quote its numbers"
        return "does not hold", f"{name}: verification failed or a level is disproved: {why}", False
    at = f"{format_exactly(evidence.radius)} {norm}"
    if norm in NORM_WORDS:
        at = f"{format_exactly(evidence.radius)} {NORM_WORDS[norm].quantity}"
    if curve is None:
        hits, total = int((~evidence.view.abstained).sum()), len(evidence.view.frame)
        return (
            f"{hits} of {total} inputs",
            f"{name}: {hits} of {total} inputs have a certificate; without labels nothing is said "
            "of accuracy",
            True,
        )
    place = evidence.radii.index(evidence.radius)
    rate = Rate(0.0, 0.0, 1.0, int(curve.hits[place]), curve.total)
    share = format_percent_down(rate)
    low_high = format_percent_range(float(curve.low[place]), float(curve.high[place]))
    reach = describe_reach(norm, format_exactly(evidence.radius), closed=evidence.view.closed)
    title = (
        f"{name}: {rate.hits} of {rate.total} inputs ({share} %, rounded down; "
        f"{100 * CONFIDENCE:g} % interval over the choice of inputs {low_high} %) are certified as "
        f"their label {reach}, by randomised smoothing with "
        f"{name_noise(evidence.study.noise, evidence.study.sigma)}; {_describe_level(evidence)}"
    )
    return f"{share} % at {at}", title, True


def _describe_level(evidence: CardEvidence) -> str:
    """Say how surely one certificate holds."""
    certificates = evidence.view.certificates
    if certificates is None:
        return "radii as a log printed them"
    if certificates.known.certain:
        return f"every certificate {CERTAINTY}"
    return f"each is wrong with probability at most {certificates.known.level:.15g}"


def render_badge(text: str, title: str, *, sound: bool) -> str:
    """Write the badge; every text in it is escaped."""
    first, second = len(LEFT) * LETTER, len(text) * LETTER
    left, right = first + 2 * PAD, second + 2 * PAD
    return BADGE.format(
        width=left + right,
        title=escape(title),
        grey=GREY,
        colour=BLUE if sound else RED,
        left=left - 3,
        edge=left,
        right=right - 3,
        middle=left / 2,
        centre=left + right / 2,
        first=LEFT,
        first_length=first,
        second=escape(text),
        second_length=second,
    )

"""Say in words what a radius measures, what it covers, and how strong the noise was.

Tables, figures, pages and statements take their words from here, so that a radius in one norm is
never read as one in another. Norms that are lengths of a perturbation (l2, l1, linf, scaled or
not) go by their own name; the others count or measure a change of another kind.
"""

from typing import NamedTuple

from simplicert.noises import NOISES, NoiseModel, say_noise

NOT_AFTER = "clipping or rounding to bytes after it is not covered"


class NormWords(NamedTuple):
    """The words of a norm that is no length of a perturbation."""

    quantity: str  # what a radius is a number of: the label of an axis
    changes: str  # what is certified against
    closed: str  # every change up to r, r included, with {r} for the number and {s} for its plural
    open: str  # every change below r


# Norms whose radii are no lengths in units of the input.
NORM_WORDS: dict[str, NormWords] = {
    "l0": NormWords(
        "features changed (l0)",
        "changes of at most r features (of an image: pixels)",
        "whatever becomes of at most {r} feature{s} (of an image: pixels)",
        "whatever becomes of fewer than {r} feature{s} (of an image: pixels)",
    ),
    "edits": NormWords(
        "edits",
        "at most r edits: insertions, deletions and substitutions of tokens",
        "after at most {r} insertion{s}, deletion{s} or substitution{s} of tokens",
        "after fewer than {r} insertion{s}, deletion{s} or substitution{s} of tokens",
    ),
    "insertions": NormWords(
        "tokens inserted",
        "insertions of at most r tokens",
        "after at most {r} insertion{s} of tokens",
        "after fewer than {r} insertion{s} of tokens",
    ),
    "deletions": NormWords(
        "tokens deleted",
        "deletions of at most r tokens",
        "after at most {r} deletion{s} of tokens",
        "after fewer than {r} deletion{s} of tokens",
    ),
    "brightness": NormWords(
        "brightness",
        f"one change of brightness, the same number added to all features ({NOT_AFTER})",
        "after one change of brightness by at most {r}",
        "after one change of brightness by less than {r}",
    ),
    "log contrast": NormWords(
        "log contrast",
        f"one change of contrast, all features multiplied by the same e^k, |k| < r ({NOT_AFTER})",
        "after one change of contrast by a factor e^k with |k| <= {r}",
        "after one change of contrast by a factor e^k with |k| < {r}",
    ),
    "shift": NormWords(
        "shift (pixels)",
        "one shift by whole pixels of an image whose edges wrap around, shorter than r in l2",
        "after one shift by whole pixels (edges wrap around) of length at most {r}",
        "after one shift by whole pixels (edges wrap around) shorter than {r}",
    ),
}


def label_radius(norm: str, what: str = "certified radius") -> str:
    """Return the label of an axis of radii; that of l2 needs no norm.

    >>> label_radius("l2"), label_radius("l1"), label_radius("l0", "median radius")
    ('certified radius', 'certified l1 radius', 'median radius: features changed (l0)')
    """
    if norm == "l2":
        return what
    if norm in NORM_WORDS:
        return f"{what}: {NORM_WORDS[norm].quantity}"
    if norm.startswith("scaled "):
        return f"{what} ({norm})"
    return what.replace("radius", f"{norm} radius")


def describe_units(norm: str, space: str = "the input") -> str:
    """Say what radii are numbers of.

    >>> describe_units("l2"), describe_units("l1"), describe_units("edits")
    ('in units of the input', 'in units of the input, l1 norm', 'counted in edits')
    """
    if norm in NORM_WORDS:
        words = NORM_WORDS[norm].quantity
        return f"in units of {words}" if norm in _MEASURED else f"counted in {words}"
    return f"in units of {space}{'' if norm == 'l2' else f', {norm} norm'}"


_MEASURED = ("brightness", "log contrast", "shift")  # the others of the table are counted


def name_norm(norm: str) -> str:
    """Name the norm of radii among other settings.

    >>> name_norm("l1"), name_norm("log contrast")
    ('l1 norm', 'radii in log contrast')
    """
    if norm in NORM_WORDS and norm != "l0":
        return f"radii in {NORM_WORDS[norm].quantity}"
    return f"{norm} norm"


def describe_changes(norm: str, space: str = "the input") -> str:
    """Say what is certified against.

    >>> describe_changes("l1")
    'l1 perturbations of the input'
    """
    return NORM_WORDS[norm].changes if norm in NORM_WORDS else f"{norm} perturbations of {space}"


def describe_reach(norm: str, radius: str, *, closed: bool = False) -> str:
    """Say for which changes of an input its class is certified at this radius.

    A radius that is no length and is closed covers the changes that are exactly as large.

    >>> describe_reach("l2", "0.5"), describe_reach("l0", "3", closed=True)
    ('everywhere within l2 distance 0.5', 'whatever becomes of at most 3 features ...')
    >>> describe_reach("l1", "0.5", closed=True), describe_reach("deletions", "1", closed=True)
    ('everywhere within l1 distance 0.5 (inclusive)', 'after at most 1 deletion of tokens')
    """
    if norm not in NORM_WORDS:
        return f"everywhere within {norm} distance {radius}{' (inclusive)' if closed else ''}"
    words = NORM_WORDS[norm]
    return (words.closed if closed else words.open).format(r=radius, s="" if radius == "1" else "s")


def strength_of(model: NoiseModel, scale: float) -> tuple[str, float]:
    """Return what the strength of a noise is called, and how much it is.

    >>> strength_of(NoiseModel("laplace"), 0.5), strength_of(NoiseModel("ablation", keep=45), 1)
    (('scale', 0.5), ('keep', 45))
    """
    name = NOISES[model.name].scale
    if name is not None:
        return name, scale
    return next(((own, value) for own, value in model.numbers().items() if own != "size"), ("", 1))


def name_noise(model: NoiseModel, scale: float) -> str:
    """Return noise and strength in a few words, also those of Gaussian noise.

    >>> name_noise(NoiseModel(), 0.5), name_noise(NoiseModel("ablation", size=9, keep=4), 1)
    ('gaussian noise, sigma 0.5', 'ablation noise, size 9, keep 4')
    """
    words = say_noise(model, scale)
    return words if words.startswith(model.name) else f"{model.name} noise, {words}"

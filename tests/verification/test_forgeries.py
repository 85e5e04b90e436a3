"""A forger changes one field after another, with checksums that fit; `verify` must notice.

What it cannot notice is listed here and on the page about verification, and nothing else is missed.
"""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import tomli_w
from verified import certified, checks, forged, fresh

from simplicert.errors import SimplicertError
from simplicert.files import content_checksum
from simplicert.store.manifest import CHECKSUM_LINE, read_manifest
from simplicert.store.parts import read_part, write_part
from simplicert.store.run import Run
from simplicert.types import Tally

PAGE = Path(__file__).parents[2] / "docs" / "verification.md"

# Whatever says nothing about which draws were made, or by which rule they are bounded.
UNNOTICED = {
    "made.began": "when the draws began",
    "made.data": "names of files",
    "made.model": "names of files",
    "made.python": "the version of Python",
    "source.noise": "a sentence about the noise",
    "source.reserve": "the share of alpha kept in reserve",
    "source.autocast": "a precision that this model does not use",
    "id": "the run's own number",
}
# The same of a network, whose Lipschitz constant is proved again whatever is said of the proof.
OF_A_NETWORK = {
    "made.lipschitz_proof": "how a Lipschitz constant was proved",
    "source.compiled": "a compilation that changes no output",
}
# Another kind of machine, which makes the comparison tolerant; settings that were not declared.
SAID = {"made.machine", "made.numpy", "made.processor", "made.torch", "package", "alpha", "scheme"}
SAME = {"plan.offered"}  # raised to the sum of the weights again
# Left out, they mean the same; without a recorded shape, radii in linf need a size of the user.
DEFAULTS = {"kind", "plan.rule", "plan.offered", "source.random", "made.shape"}


NETWORK = """

def network():
    import torch
    torch.manual_seed(2)
    layers = torch.nn.Flatten(), torch.nn.Linear(12, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)
    return torch.nn.Sequential(*layers).eval()
"""


def scaled(place):
    np.save("shares.npy", np.random.default_rng(3).random((3, 4)))
    shares = place[0] / "shares.npy"
    return fresh(place, stop=3, draws=60, pilot=20, scheme="split", noise_scale=shares, alpha=0.2)


def staged(place):
    """A run behind a first stage, of a network whose Lipschitz constant was proved."""
    folder, name = place
    path = folder / f"{name}.py"
    path.write_text(path.read_text() + NETWORK)
    stage = {"sensitivity": 2.0, "lipschitz": True, "kind": "softmax", "scheme": "split"}
    own = {"model": f"{name}:network", "pilot": 20, "alpha": 0.9}
    return fresh(place, stop=3, draws=60, **stage, **own)


@pytest.fixture
def run(place):
    return scaled(place)


def leaves(table, path=()):
    """Yield every value of run.toml under its dotted name; a list is one value."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name), value


def other(value):
    """Return another value of the same type, close by."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list):
        return [other(value[0]), *value[1:]]
    return value + 1 if isinstance(value, int) else value * 0.75


def changed(table, path, value):
    """Return a copy with one value replaced, or left out if it is None."""
    name, *rest = path
    copy = dict(table)
    if rest:
        copy[name] = changed(table[name], rest, value)
    elif value is None:
        del copy[name]
    else:
        copy[name] = value
    return copy


def rewrite(run, table, before):
    """Write run.toml with this content and a new checksum, and make every part belong to it."""
    text = tomli_w.dumps(table).encode()
    (run.folder / "run.toml").write_bytes(
        text + f"{CHECKSUM_LINE}{content_checksum(text)}\n".encode()
    )
    try:
        now = read_manifest(run.folder)
    except SimplicertError:
        return
    for path in run.paths():
        tally = read_part(path, before)
        path.unlink()
        write_part(run.folder / "parts", tally, now)


def noticed(run, path):
    """Return what is wrong or could not be drawn again, and all other lines that are not `ok`."""
    model = run.manifest.made["model"]
    found = checks(run, [path], count=3, model=model, seed=0)
    drawn = sum("come again" in check.says or check.tolerant for check in found)
    return any(check.holds is False for check in found) or drawn < 3, [
        check.says for check in found if check.holds is None
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # of what compiles
@pytest.mark.parametrize("kind, stage", [(scaled, False), (staged, True)])
def test_every_field_of_run_toml(place, kind, stage):
    """A change or omission is noticed, or reported, or listed as one that cannot be noticed."""
    run = kind(place)
    certificates = certified(run)
    table = tomllib.loads((run.folder / "run.toml").read_text())
    before = run.manifest
    wrong, notes = noticed(run, certificates)
    assert not wrong and len(notes) == 1 + stage and "--seed 0 chooses" in notes[-1]
    assert ("the sensitivity 2.0 of a first stage" in notes[0]) == stage
    usual = notes
    hidden = set(UNNOTICED)
    if stage:
        hidden = hidden - {"source.autocast"} | set(OF_A_NETWORK)  # a precision that it does use
    kept = {path: path.read_bytes() for path in [*run.paths(), run.folder / "run.toml"]}
    unnoticed, said, walked = {"other": set(), "none": set()}, set(), 0
    for path, value in leaves(table):
        for how, instead in (("other", other(value)), ("none", None)):
            rewrite(run, changed(table, path, instead), before)
            wrong, notes = noticed(Run(run.folder, before), certificates)
            name = ".".join(path)
            walked += 1
            if not wrong and notes != usual:
                said.add(name)
            elif not wrong:
                unnoticed[how].add(name)
            for each in (run.folder / "parts").iterdir():
                each.unlink()
            for each, content in kept.items():
                each.write_bytes(content)
    assert walked > 60
    assert said == (SAID | {"kind", "source.sensitivity"} if stage else SAID)
    assert unnoticed["other"] - SAME == hidden
    assert unnoticed["none"] - SAID - DEFAULTS <= hidden


@pytest.mark.parametrize("instead", [None, 1e-300, 1e300])
def test_a_first_stage_that_is_dropped_is_refused_or_the_run_s_word(place, instead):
    """Where run.toml alone was changed; of parts and certificates made anew only a note warns."""
    run = fresh(place, stop=3, draws=60, sensitivity=2.0)
    table = tomllib.loads((run.folder / "run.toml").read_text())
    forgery = changed(table, ("source", "sensitivity"), instead)
    kept = {path: path.read_bytes() for path in run.paths()}
    rewrite(run, forgery, run.manifest)
    replaced = Run(run.folder, read_manifest(run.folder))
    wrong, notes = noticed(replaced, certified(replaced))
    assert not wrong
    assert f"{f'sensitivity {instead!r}' if instead else '(sensitivity 1)'}" in notes[0]
    assert "is the run's word, as no draw shows it" in notes[0]
    for path in replaced.paths():
        path.unlink()
    for path, content in kept.items():
        path.write_bytes(content)
    says = "\n".join(check.says for check in checks(replaced) if check.holds is False)
    assert "belongs to another run: its sensitivity is not this run's" in says


def test_what_cannot_be_noticed_is_on_the_page():
    """The page lists them in the same words."""
    text = re.sub(r"\s+", " ", PAGE.read_text())
    for words in (UNNOTICED | OF_A_NETWORK).values():
        assert words in text


def altered(tally, name):
    """Change one field of the tally as little as a valid tally allows."""
    values = np.array(getattr(tally, name))
    if name in WHOLLY:
        return WHOLLY[name](tally, values)
    flat = values.reshape(-1, values.shape[-1])
    rows, top = np.arange(len(flat)), flat.argmax(axis=1)
    flat[rows, top] -= 1
    if name not in ("softmax_sums", "softmax_squares"):
        flat[rows, (top + 1) % flat.shape[1]] += 1
    if name == "softmax_sums":
        return {name: values, "softmax_squares": np.minimum(tally.softmax_squares, values)}
    return {name: values}


def without_class(name):
    """Move one draw or vote from the top class to no class."""

    def change(tally, values):
        counts = np.array(getattr(tally, name))
        counts[np.arange(len(counts)), counts.argmax(axis=1)] -= 1
        return {name: counts, "invalid" if name == "counts" else "votes_invalid": values + 1}

    return change


WHOLLY = {
    "labels": lambda tally, values: {"labels": (values + 1) % tally.classes},
    "index": lambda tally, values: {
        "index": values + 1,
        "segments": tally.segments + np.array([1, 0, 0, 0]),
    },
    "invalid": without_class("counts"),
    "votes_invalid": without_class("votes"),
    "leaders": lambda tally, values: {"leaders": values[:, ::-1]},
    "segments": lambda tally, values: {"segments": values + np.array([0, 1, 0, 0])},
}


@pytest.mark.slow
def test_every_field_of_the_parts(run):
    """A change of one draw, vote or unit of a score is found if every input is drawn again."""
    tally = run.tally()
    arrays = [f.name for f in fields(Tally) if isinstance(getattr(tally, f.name), np.ndarray)]
    named = [name for name in arrays if name != "looks"]  # it follows from the draws
    assert len(named) >= 10
    kept = {path: path.read_bytes() for path in run.paths()}
    for name in named:
        forgery = forged(run, lambda part, name=name: altered(part, name))
        found = checks(forgery, count=3)
        assert any(check.holds is False for check in found), name
        for path in run.paths():
            path.unlink()
        for path, content in kept.items():
            path.write_bytes(content)
    assert not [check for check in checks(run, count=3) if check.holds is False]

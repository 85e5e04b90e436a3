"""Smoothed: certificates, the torch module, save and load, refusals."""

import numpy as np
import pytest
import torch
from linear import Line, line_array, point
from scipy.special import ndtri

import simplicert as sc

SIGMA = 0.5


pytestmark = pytest.mark.usefixtures("one_thread")


def net():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 3))


def test_certificates_are_those_of_the_pipeline():
    x = np.random.default_rng(0).random((2, 3, 2, 2), dtype=np.float32)
    found = sc.Smoothed(net(), SIGMA, 3).certify(x, draws=500, alpha=0.01, seed=4, labels=[0, 1])
    tally = sc.sample(net(), x, SIGMA, 500, seed=4, num_classes=3, labels=[0, 1])
    wanted = sc.certify(sc.bound(tally, 0.01, scheme="joint"))
    assert found.to_frame().equals(wanted.to_frame())


@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
def test_a_known_radius(kind):
    """At p = .95 the radius is below sigma Phi^-1(.95), with probability .999, and near it."""
    found = sc.Smoothed(line_array, SIGMA, kind=kind).certify(point(0.95, SIGMA), 20_000, seed=0)
    assert found.known.kind == kind
    if kind == "multinomial":
        truth = SIGMA * ndtri(0.95)
        assert 0.95 * truth < found.radius[0] <= truth


@pytest.mark.parametrize("kind", ["multinomial", pytest.param("softmax", marks=pytest.mark.slow)])
def test_until_in_words_asks_about_these_certificates(kind):
    """By the alpha, kind and sensitivity of the call, with the share of alpha of each look."""
    x = np.concatenate([point(share, SIGMA) for share in (0.5, 0.9, 0.97)])
    smooth = sc.Smoothed(line_array, SIGMA, kind=kind, sensitivity=2.0)
    found = smooth.certify(x, 3200, alpha=0.01, seed=1, until="atol=0.02")
    scheme = {"multinomial": "joint", "softmax": "gated"}[kind]
    rule = sc.Until("atol=0.02", 0.01, kind, scheme, sensitivity=2.0)
    tally = sc.sample(line_array, x, SIGMA, 3200, seed=1, until=rule)
    np.testing.assert_array_equal(found.known.draws, tally.draws)
    assert len(set(tally.draws.tolist())) > 1
    wanted = sc.certify(sc.bound(tally, 0.01, kind, scheme), sensitivity=2.0)
    assert found.to_frame().equals(wanted.to_frame())
    with pytest.raises(sc.InvalidInput, match="until must be atol=NUMBER"):
        smooth.certify(x, 3200, until="atol=0")
    with pytest.raises(sc.InvalidInput, match="until must be a rule such as"):
        sc.sample(line_array, x, SIGMA, 3200, until="atol=0.02")


def test_without_a_seed_every_certificate_is_drawn_anew():
    """Two counts of 2,000 agree once in fifty; those of eight inputs never do."""
    smooth, x = sc.Smoothed(line_array, SIGMA), np.repeat(point(0.7, SIGMA), 8, axis=0)
    one, other = (smooth.certify(x, draws=2000).known for _ in range(2))
    assert (one.e0 != other.e0).any() and (one.draws == 2000).all()


def test_the_module_is_differentiable_and_soft():
    """The line's mean softmax by 4,000 draws against quadrature; the gradient's sign."""
    module = sc.Smoothed(Line(), SIGMA).module(draws=4000, seed=0)
    x = torch.zeros(2, 4)
    x[1, 0] = 0.3
    x.requires_grad_(True)
    logits = module(x)
    grid = np.linspace(-8, 8, 20_001)
    weight = np.exp(-(grid**2) / 2) / np.exp(-(grid**2) / 2).sum()
    for row, centre in enumerate((0.0, 0.3)):
        truth = (weight / (1 + np.exp(-2 * (centre + SIGMA * grid)))).sum()
        # The score lies in [0, 1]: its mean over 4,000 has a standard error below .008.
        assert logits[row, 0].exp().item() == pytest.approx(truth, abs=0.032)
    torch.testing.assert_close(logits.exp().sum(1), torch.ones(2))
    (gradient,) = torch.autograd.grad(logits[:, 0].sum(), x)
    assert (gradient[:, 0] > 0).all() and (gradient[:, 1:] == 0).all()
    assert torch.equal(module(x), module(x))
    fresh = sc.Smoothed(Line(), SIGMA).module(draws=8)
    assert not torch.equal(fresh(x), fresh(x))


def test_the_module_trains_the_network():
    inner = net()
    module = sc.Smoothed(inner, SIGMA, 3).module(draws=4)
    torch.nn.functional.nll_loss(module(torch.rand(5, 3, 2, 2)), torch.arange(5) % 3).backward()
    assert inner[1].weight.grad is not None and inner[1].weight.grad.abs().sum() > 0


def test_a_network_computes_in_full_precision_unless_it_is_asked_not_to():
    seen = set()

    class Watched(torch.nn.Linear):
        def forward(self, x):
            out = super().forward(x)
            seen.add(out.dtype)
            return out

    x = np.zeros((1, 4), np.float32)
    for options, expected in (({}, torch.float32), ({"autocast": True}, torch.bfloat16)):
        seen.clear()
        sc.Smoothed(Watched(4, 2), SIGMA, 2, device="cpu", **options).predict(x, draws=20, seed=0)
        assert seen == {expected}


@pytest.mark.parametrize(("rows", "exists"), [(1, False), (3, True)])
def test_saved_and_loaded(tmp_path, rows, exists):
    x = np.random.default_rng(0).random((rows, 3, 2, 2), dtype=np.float32)
    scale = np.linspace(0.5, 1, 12).reshape(3, 2, 2)
    before = sc.Smoothed(net().train(), SIGMA, 3, kind="softmax", noise_scale=scale)
    folder = tmp_path / "networks" / "kept"
    if exists:
        folder.mkdir(parents=True)
    before.save(folder, x)
    assert before.classifier.training
    after = sc.Smoothed.load(folder)
    assert (after.sigma, after.kind, after.num_classes) == (SIGMA, "softmax", 3)
    np.testing.assert_array_equal(after.noise_scale, scale)
    many = np.random.default_rng(1).random((5, 3, 2, 2), dtype=np.float32)
    assert (after.predict(many, seed=0).votes == before.predict(many, seed=0).votes).all()


@pytest.mark.slow
def test_sensitivity_is_used_shown_and_kept(tmp_path):
    x = np.random.default_rng(0).random((2, 3, 2, 2), dtype=np.float32)
    plain, behind = sc.Smoothed(net(), SIGMA, 3), sc.Smoothed(net(), SIGMA, 3, sensitivity=4)
    one, other = (each.certify(x, draws=2000, seed=0) for each in (plain, behind))
    np.testing.assert_array_equal(one.radius, other.radius * 4)
    assert "sensitivity=4" in repr(behind) and "sensitivity" not in repr(plain)
    plain.save(tmp_path / "plain", x)
    behind.save(tmp_path / "behind", x)
    assert sc.Smoothed.load(tmp_path / "plain").sensitivity == 1
    assert sc.Smoothed.load(tmp_path / "behind").sensitivity == 4
    with pytest.raises(sc.InvalidInput, match="sensitivity must be a positive finite number"):
        sc.Smoothed(net(), SIGMA, 3, sensitivity=0)


@pytest.mark.slow
def test_what_cannot_be_kept_or_read(tmp_path):
    with pytest.raises(sc.InvalidInput, match="classifier must be a torch module to be saved"):
        sc.Smoothed(line_array, SIGMA).save(tmp_path / "f", point(0.9, SIGMA))
    with pytest.raises(sc.InvalidInput, match=r"must be a folder that Smoothed\.save wrote"):
        sc.Smoothed.load(tmp_path)
    x = np.zeros((2, 3, 2, 2), np.float32)
    for name in ("one", "two"):
        torch.manual_seed(len(name) + (name == "two"))
        inner = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 3))
        sc.Smoothed(inner, SIGMA).save(tmp_path / name, x)
    (tmp_path / "two" / "model.pt2").rename(tmp_path / "one" / "model.pt2")
    with pytest.raises(sc.InvalidInput, match=r"another network than smoothed\.toml speaks of"):
        sc.Smoothed.load(tmp_path / "one")
    (tmp_path / "one" / "smoothed.toml").write_text("format = 7\n")
    with pytest.raises(sc.InvalidInput, match="must be of format 1 or 2 or 3, got 7"):
        sc.Smoothed.load(tmp_path / "one")
    (tmp_path / "one" / "smoothed.toml").write_text("=\n")
    with pytest.raises(sc.InvalidInput, match="cannot be read"):
        sc.Smoothed.load(tmp_path / "one")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sigma": -1.0}, "sigma must"),
        ({"kind": "fuzzy"}, "kind must be one of"),
        ({"kind": "soft", "outputs": "labels", "num_classes": 2}, "kind must be multinomial"),
        ({"noise_scale": [-1.0]}, "noise_scale must hold finite numbers"),
        ({"noise_scale": [1.0, 1e-40]}, "noise_scale must leave each feature a noise"),
    ],
)
def test_refused(options, message):
    with pytest.raises(sc.InvalidInput, match=message):
        sc.Smoothed(line_array, **{"sigma": SIGMA, **options})


class Fitted:
    """Like a fitted scikit-learn model, which is no function."""

    def predict_proba(self, batch):
        """Scores of a batch."""
        return batch


@pytest.mark.parametrize(
    ("classifier", "options", "message"),
    [
        (Fitted(), {}, "got Fitted: give its predict_proba"),
        (net().state_dict(), {}, "got OrderedDict: weights alone are no network"),
        ("net.pt2", {}, r"got 'net.pt2': a file is opened by sc.models.load_model"),
        (net(), {"outputs": "proba"}, "outputs must be one of logits, probabilities, labels"),
        (net(), {"outputs": "labels"}, "num_classes must be given"),
    ],
)
def test_refused_before_anything_is_asked(classifier, options, message):
    with pytest.raises(sc.InvalidInput, match=message):
        sc.Smoothed(classifier, SIGMA, **options)


def test_a_prediction_says_what_the_network_could_not_take():
    smooth = sc.Smoothed(torch.nn.Conv2d(3, 2, 3), SIGMA)
    with pytest.raises(sc.InvalidInput, match=r"8, 6, 3\), and it failed: .* channels seem to"):
        smooth.predict(torch.ones(1, 8, 6, 3))
    with pytest.raises(sc.InvalidInput, match=r"8, 6\), and it failed: .* one is inputs\[None\]"):
        smooth.predict(torch.ones(3, 8, 6))
    for pixels in (np.ones((1, 3), np.uint8), torch.ones((1, 3), dtype=torch.uint8)):
        with pytest.raises(sc.InvalidInput, match="must be floats, got uint8: divide images"):
            smooth.predict(pixels)


def test_a_module_needs_logits():
    with pytest.raises(sc.InvalidInput, match="outputs must be logits"):
        sc.Smoothed(Line(), SIGMA, outputs="probabilities").module()


def test_what_it_says():
    assert repr(sc.Smoothed(Line(), 0.25)) == "Smoothed(Line, sigma=0.25, kind=multinomial)"


def test_the_module_has_the_noise_of_the_smoothed_classifier():
    """A feature without noise stays as it is; precision is the one that was chosen."""
    seen = []

    class Watched(torch.nn.Module):
        """Logits of two features."""

        def forward(self, x):
            """Of a batch."""
            seen.append((x.detach().clone(), torch.is_autocast_enabled("cpu")))
            return x[:, :2]

    scale = np.array([1.0, 0.0, 3.0])
    smooth = sc.Smoothed(Watched(), SIGMA, noise_scale=scale, autocast=True)
    smooth.module(draws=20_000, seed=0)(torch.zeros(1, 3))
    (rows, half) = seen[0]
    assert half and (rows[:, 1] == 0).all()
    # The deviation of 20,000 draws has a standard error of half a percent.
    np.testing.assert_allclose(rows.std(0).numpy(), SIGMA * scale, rtol=0.03)
    with pytest.raises(sc.InvalidInput, match="grid must be None for a module"):
        sc.Smoothed(Watched(), SIGMA, grid=0.25).module()

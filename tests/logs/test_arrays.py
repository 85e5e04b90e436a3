"""Folders of arrays: rs4a's bounds and the exact counts of splitting noise, made up here."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.logs import import_rs4a, import_splitting
from simplicert.noises import NoiseModel
from simplicert.verification import verify_run

COUNTS = np.array([[7, 3, 0], [3, 7, 0], [0, 10, 0], [4, 3, 3], [3, 3, 4]])
STEPS = [2, 1, 4, 0, 0]  # by hand: (7-3)/2, (7-3-1)/2, (10-0-1)/2, (4-3)/2, (4-3-1)/2


def write_arrays(folder, **arrays):
    folder.mkdir(exist_ok=True)
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", np.asarray(values))
    return folder


def splitting_folder(folder, **changed):
    """As Levine and Feizi's code saves them: shares and radii of single precision."""
    arrays = {
        "preds": (COUNTS / np.float32(10)).astype(np.float32).astype(float),
        "labels": np.array([0.0, 1, 1, 2, 2]),
        "predicted_labels": COUNTS.argmax(axis=1).astype(float),
        "radius_l1": (np.array(STEPS) / np.float32(255)).astype(np.float32).astype(float),
        "time": np.array(598.2),
    }
    return write_arrays(folder, **arrays | changed)


def test_exact_counts_are_certified_anew(tmp_path):
    run = import_splitting(splitting_folder(tmp_path / "log"), tmp_path / "run", step=20)
    opened = sc.open_run(tmp_path / "run")
    tally = opened.tally()
    np.testing.assert_array_equal(tally.counts, COUNTS)
    assert tally.inputs.tolist() == [0, 20, 40, 60, 80]
    assert str(tally.noise) == "splitting, offsets 0" and tally.sigma == 10 / 510
    certificates = opened.certify()
    np.testing.assert_array_equal(certificates.radius, np.array(STEPS) / 255)
    assert certificates.correct.tolist() == [True, True, True, False, True]
    assert certificates.known.norm == "l1" and certificates.known.alpha == 0
    assert not certificates.exploratory
    assert [text for text in run.audit if "scale is not stated" not in text] == []
    assert all(check.holds is not False for check in verify_run(run.folder))


def test_a_stated_scale_needs_no_guess(tmp_path):
    folder = splitting_folder(tmp_path / "log")
    run = import_splitting(folder, tmp_path / "run", scale=10 / 510, offsets=3)
    assert run.audit == () and run.tally().noise.offsets == 3
    with pytest.raises(InvalidInput, match="must hold shares of 11 draws"):
        import_splitting(folder, tmp_path / "other", scale=11 / 510)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"radius_l1": np.array([3, 1, 4, 0, 0]) / 255}, "the radius is above that of the counts"),
        ({"radius_l1": np.array([2, 0, 4, 0, 0]) / 255}, "the radius is below that of the counts"),
        ({"radius_l1": np.full(5, np.nan)}, "the radius is below that of the counts in 5 rows"),
        ({"predicted_labels": [1, 1, 1, 0, 2]}, "another class is predicted in 1 row"),
    ],
)
def test_what_differs_from_the_counts_is_found(tmp_path, changed, words):
    folder = splitting_folder(tmp_path / "log", **changed)
    run = import_splitting(folder, tmp_path / "run")
    assert any(words in text for text in run.audit)
    np.testing.assert_array_equal(run.certify().radius, np.array(STEPS) / 255)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"preds": COUNTS / 10.0 + np.pi / 100}, "scale must be given|must hold shares of"),
        ({"preds": np.where(np.arange(5)[:, None] == 2, 0, COUNTS / 10.0)}, "row 2 does not"),
        ({"preds": -COUNTS / 10.0}, "got NaN or a negative number"),
        ({"preds": np.full((5, 3), np.nan)}, "got NaN or a negative number"),
        ({"preds": np.zeros(5)}, "preds.npy must hold a row for each of"),
        ({"labels": [0, 1, 1, 2]}, "labels.npy must hold a number for each of 5 inputs"),
        ({"labels": [0, 1, 1, 2, 3]}, "labels.npy must hold classes in 0..2, got 3 in row 4"),
        ({"labels": [0, 1, 1, 0.5, 2]}, "labels.npy must hold classes in 0..2, got 0.5 in row 3"),
        ({"labels": ["a"] * 5}, "labels.npy must hold a number for each of 5 inputs"),
    ],
)
def test_arrays_that_make_no_sense_are_refused(tmp_path, changed, words):
    with pytest.raises(InvalidInput, match=words):
        import_splitting(splitting_folder(tmp_path / "log", **changed), tmp_path / "run")
    assert not (tmp_path / "run").exists()


# rs4a

BOUNDS = np.array([0.99, 0.8, 0.5, 0.3]).astype(np.float32).astype(float)
UNIFORM = np.float32(2 * 0.5) * (BOUNDS - np.float32(0.5))


def rs4a_folder(folder, radii=UNIFORM, **changed):
    arrays = {
        "preds": np.array([[1, 0, 0], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.4, 0.3, 0.3]]),
        "labels": np.array([0.0, 2, 2, 0]),
        "prob_lb": BOUNDS,
        "preds_nll": np.zeros(4),
        "radius_l1": radii,
        "radius_l2": radii / 55,
        "radius_linf": radii / 3072,
    }
    return write_arrays(folder, **arrays | changed)


def import_uniform(tmp_path, folder, **options):
    options = {"draws": 100_000, **options}
    return import_rs4a(folder, NoiseModel("uniform"), 0.5, tmp_path / "run", **options)


def test_bounds_of_uniform_noise_keep_their_noise_and_norm(tmp_path):
    run = import_uniform(tmp_path, rs4a_folder(tmp_path / "log"))
    opened = sc.open_run(run.folder)
    known = opened.expectations()
    assert (str(known.noise), known.norm, known.sigma) == ("uniform", "l1", 0.5)
    certificates = opened.certify()
    assert set(certificates.radii) == {"one_sided", "two_sided"}
    assert certificates.abstained.tolist() == [False, False, True, True]
    assert certificates.predicted.tolist() == [0, 1, -1, -1]
    np.testing.assert_allclose(certificates.radius, np.maximum(UNIFORM, 0), rtol=1e-5)
    assert (certificates.radius <= np.maximum(UNIFORM, 0)).all()
    assert opened.columns["radius_linf"].tolist() == (UNIFORM / 3072).tolist()
    assert len(run.audit) == 2 and "negative" in run.audit[1] and "4 rows" in run.audit[0]
    assert all(check.holds is not False for check in verify_run(run.folder))
    assert "uniform noise, scale 0.5" in repr(opened)


def test_bounds_of_laplace_noise(tmp_path):
    with np.errstate(divide="ignore"):
        radii = -0.5 * np.log(2 * (1 - BOUNDS))
    folder = rs4a_folder(tmp_path / "log", radii)
    run = import_rs4a(folder, NoiseModel("laplace"), 0.5, tmp_path / "run", draws=100_000)
    found = run.certify().radius
    np.testing.assert_allclose(found, np.maximum(radii, 0), rtol=1e-5, atol=1e-9)
    assert not any("do not fit" in text for text in run.audit)


def test_bounds_of_gaussian_noise_with_a_size_are_certified(tmp_path):
    """A stated size made it a noise without the mechanism of Gaussian noise: nothing certified."""
    folder = write_arrays(
        tmp_path / "log", preds=np.eye(2), labels=[0, 1], prob_lb=np.float32([0.9, 0.8])
    )
    for size in (None, 16):
        run = import_rs4a(
            folder, NoiseModel("gaussian", size=size), 0.5, tmp_path / f"run{size}", draws=1000
        )
        wanted = sc.radius("cohen", [0.9, 0.8], 0.0, 0.5)
        np.testing.assert_allclose(run.certify().radius, wanted, rtol=1e-6)
        boxes = run.certify(norm="linf", size=16)
        np.testing.assert_allclose(boxes.radius, wanted / 4, rtol=1e-6)


def test_another_scale_than_stated_is_disproved(tmp_path):
    run = import_uniform(tmp_path, rs4a_folder(tmp_path / "log", 2 * UNIFORM))
    assert any("do not fit uniform noise of scale 0.5 in l1 in 2 rows" in t for t in run.audit)
    wrong = [check.says for check in verify_run(run.folder) if check.holds is False]
    assert len(wrong) == 1 and "the stated level is disproved" in wrong[0]


def test_a_bound_that_the_draws_cannot_prove_is_disproved(tmp_path):
    run = import_uniform(tmp_path, rs4a_folder(tmp_path / "log"), draws=100)
    assert any("the bound is above 0.93325430 in 1 row" in text for text in run.audit)
    assert any(check.holds is False for check in verify_run(run.folder))


def test_without_draws_the_bounds_are_not_checked_and_the_audit_says_so(tmp_path):
    run = import_uniform(tmp_path, rs4a_folder(tmp_path / "log"), draws=None)
    assert any("draws are not stated" in text for text in run.audit)


def test_radii_in_linf_are_compared_where_the_size_is_stated(tmp_path):
    right = 2 * 0.5 * (1 - (1.5 - BOUNDS) ** (1 / 3072))
    folder = rs4a_folder(tmp_path / "log", radius_linf=right)
    sized = NoiseModel("uniform", size=3072)
    run = import_rs4a(folder, sized, 0.5, tmp_path / "run", draws=100_000)
    assert not any("do not fit" in text for text in run.audit)
    folder = rs4a_folder(tmp_path / "log", radius_linf=2 * right)
    run = import_rs4a(folder, sized, 0.5, tmp_path / "other", draws=100_000)
    assert any("in linf in 2 rows" in text for text in run.audit)
    assert all(check.holds is not False for check in verify_run(run.folder))


def test_rows_without_a_bound_or_a_class_abstain(tmp_path):
    preds = np.array([[1, 0, 0], [0, 0, 0], [0.3, 0.3, 0.4], [0.4, 0.3, 0.3]])
    bounds = np.where(np.arange(4) == 0, np.nan, BOUNDS)
    run = import_uniform(tmp_path, rs4a_folder(tmp_path / "log", preds=preds, prob_lb=bounds))
    assert run.certify().abstained.all()


def test_a_noise_that_is_not_added_is_refused(tmp_path):
    folder = rs4a_folder(tmp_path / "log")
    with pytest.raises(InvalidInput, match="noise must be one that is added to every feature"):
        import_rs4a(folder, NoiseModel("splitting"), 0.5, tmp_path / "run")


def test_commands(tmp_path, command):
    splitting_folder(tmp_path / "exact")
    rs4a_folder(tmp_path / "bounds")
    code, out, err = command("import", "splitting", tmp_path / "exact", "--out", tmp_path / "one")
    assert code == 0 and "splitting noise, scale 0.0196078" in out and "not stated" in err
    words = ("import", "rs4a", tmp_path / "bounds", "--out", tmp_path / "two", "--noise", "uniform")
    code, out, _ = command(*words, "--scale", "0.5")
    assert code == 0 and "uniform noise, scale 0.5" in out
    code, _, err = command(*words, "--sigma", "0.5")
    assert code == 2 and "sigma is not a number of uniform noise" in err


def test_many_folders_become_runs(tmp_path, command):
    """Paths name a standard deviation: the scale of uniform noise is sqrt(3) times as large."""
    logs, deviation = tmp_path / "logs", 0.5 / np.sqrt(3)
    for name in ("mnist_uniform", "cifar_uniform"):
        rs4a_folder(tmp_path / name).rename(_parent(logs / f"{name}_{deviation:.9g}"))
    splitting_folder(tmp_path / "exact").rename(logs / "cifar_split_derandomized_0.15")
    pattern = ("--noise", "uniform", "--draws", 100_000, "--pattern")
    words = ("import", "rs4a", logs, *pattern)
    code, out, err = command(*words, "{data}_uniform_{sigma}", "--out", tmp_path / "a")
    assert code == 0 and "wrote 2 runs into" in out and "1 other file is" in err
    (run,) = [sc.open_run(path) for path in (tmp_path / "a").glob("cifar*")]
    assert run.manifest.label == "cifar" and run.manifest.sigma == pytest.approx(0.5)
    assert run.manifest.noise_model.name == "uniform" and "do not fit" not in str(run.audit)
    one = logs / f"cifar_uniform_{deviation:.9g}"
    assert command(*words[:2], one, *pattern, "*_{scale}", "--out", tmp_path / "b")[0] == 0
    assert sc.open_run(tmp_path / "b").manifest.sigma == pytest.approx(deviation)
    code, out, err = command("import", "splitting", logs, "--out", tmp_path / "c")
    assert code == 0 and "wrote 1 runs" in out and "usual remarks: a scale that is read" in err
    held = tmp_path / "c" / "cifar_split_derandomized_0.15"
    np.testing.assert_array_equal(sc.open_run(held).tally().counts, COUNTS)
    bad = ("--pattern", "*_{sigma}", "--out", tmp_path / "d")
    code, _, err = command("import", "splitting", logs, *bad)
    assert code == 2 and "must name the scale of splitting noise by {scale}" in err


def test_another_noise_in_the_folders_name_is_a_doubt(tmp_path):
    run = import_uniform(tmp_path, rs4a_folder(tmp_path / "cifar_split_0.15"))
    assert "uniform noise is stated, and the folder's name, cifar_split_0.15, names split" in str(
        run.audit
    )
    assert sc.logs.rs4a.check_named_noise(tmp_path / "cifar_uniform_0.15", "uniform") == []
    assert sc.logs.rs4a.check_named_noise(tmp_path / "exponential_1", "exponential-linf") == []


def _parent(path):
    """The path, after its folder was made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path

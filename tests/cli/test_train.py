"""`simplicert train` as a user types it."""

import pytest

from simplicert.models.trained import read_facts

WORDS = ["train", "--data", "digits", "--arch", "mlp", "--sigma", 0.3, "--epochs", 2, "--rate", 0.1]


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.slow
def test_train_then_sample_with_the_folder(command, tmp_path):
    net, run = tmp_path / "net", tmp_path / "run"
    code, out, err = command(*WORDS, "--out", net)
    assert code == 0 and "% of 179 test inputs right at sigma 0.3 (one draw each)" in out
    assert "--sigma 0.3 --start 9 --step 10 ..." in out  # the inputs that were held out
    held = read_facts(net).content["test"]
    assert (held["inputs"], held["last"]) == (len(range(9, 1797, 10)), range(9, 1797, 10)[-1])
    assert "epoch 2: loss" in err and (net / "log.csv").exists()
    words = ["--data", "digits", "--stop", 3, "--sigma", 0.3, "--draws", 200, "--quiet"]
    code, _, err = command("sample", "--model", net, *words, "--out", run)
    assert code == 0, err


@pytest.mark.slow
def test_quiet_says_nothing(command, tmp_path):
    assert command(*WORDS, "--quiet", "--out", tmp_path / "net") == (0, "", "")


@pytest.mark.slow
def test_options_reach_the_training(command, tmp_path):
    words = ["--method", "macer", "--copies", 2, "--lambda", 3, "--gamma", 4, "--beta", 5]
    code, _, err = command(*WORDS, *words, "--quiet", "--out", tmp_path / "net")
    assert code == 0, err
    held = read_facts(tmp_path / "net").content["training"]
    assert [held[name] for name in ("method", "copies", "lam", "gamma", "beta")] == [
        "macer",
        2,
        3.0,
        4.0,
        5.0,
    ]


@pytest.mark.slow
def test_a_denoiser_from_nothing(command, tmp_path, monkeypatch):
    """A network without noise, a denoiser for it, and draws of both together, by their names."""
    monkeypatch.chdir(tmp_path)
    code, out, err = command(*WORDS, "--sigma", 0, "--out", "clean")
    assert code == 0 and "without noise, of which it saw none" in out, err
    words = ["--data", "digits", "--method", "denoiser", "--classifier", "clean", "--sigma", 0.3]
    code, out, err = command("train", *words, "--epochs", 1, "--out", "net")
    assert code == 0 and "`simplicert sample --model denoised:net@clean --sigma 0.3 " in out, err
    words = ["--data", "digits", "--stop", 2, "--sigma", 0.3, "--draws", 100, "--quiet"]
    code, _, err = command("sample", "--model", "denoised:net@clean", *words, "--out", "run")
    assert code == 0, err
    assert command("verify", "run")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sigma", -1], "sigma must"),
        (["--arch", "vgg"], "arch must be one of resnet20"),
        (["--data", "none.npz"], "data must name a file that exists, got none.npz"),
        (
            ["--recipe", "none"],
            "recipe must be one of cifar10-paper, cifar10-small, digits, digits-lipschitz",
        ),
        (["--rate", 1e30], "the loss became"),
        (["--method", "smoothadv", "--epsilon", 0], "epsilon must be a positive finite number"),
        (["--method", "smoothadv", "--steps", 0], "steps must be a whole number of at least 1"),
        (["--method", "smoothadv", "--warm-up", 3], "epsilon_warmup must be at most the 2 epochs"),
        (["--method", "smoothadv", "--sigma", 0], "sigma must be a positive finite number"),
        (["--warm-up", 1], "epsilon_warmup must be left out for method gaussian"),
        (["--classifier", "zoo:cifar10-small-1"], "for method denoiser and for no other"),
        (["--method", "denoiser", "--arch", "small_dncnn"], "classifier must be given for method"),
        (["--method", "denoiser", "--loss", "l1"], "loss must be one of mse, stability"),
        (["--init", "nowhere"], "model nowhere must be a folder written by train"),
    ],
)
def test_bad_input_is_one_sentence(command, tmp_path, words, said):
    code, _, err = command(*WORDS, *words, "--out", tmp_path / "net")
    assert code == 2 and said in err and "Traceback" not in err
    assert len([line for line in err.splitlines() if line.startswith("simplicert:")]) == 1


def test_interrupted_by_ctrl_c(command, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("simplicert.training.job.train_and_test_epoch", interrupted)
    code, _, err = command(*WORDS, "--out", tmp_path / "net")
    assert code == 130 and "the same command continues" in err

"""Many logs at once: a folder becomes a folder of runs, and no comparison misleads in silence."""

import pytest

HEADER = "idx\tlabel\tpredict\tradius\tcorrect\ttime"


def log(path, index, radius="0.4", label=None, digits=3):
    """A log of Cohen's format: one radius, labels by number unless stated."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        f"{i}\t{(i % 10 if label is None else label)}\t{i % 10}\t{radius}\t1\t0:00:10.5"
        for i in index
    ]
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


@pytest.fixture
def folder(tmp_path):
    """Logs of two methods, one of them on more inputs, and a file that is no log."""
    base = tmp_path / "logs"
    log(base / "plain/noise_0.25/sigma_0.25", range(0, 400, 20))
    log(base / "plain/noise_0.50/sigma_0.50", range(0, 400, 20), "0.8")
    log(base / "macer/noise_0.50/sigma_0.50.tsv", range(0, 400, 10), "0.9")
    (base / "README.md").write_text("about these logs\n")
    return base


PATTERN = "{method}/noise_{train}/sigma_{sigma}"
SETTINGS = ("--draws", 100_000)


def test_a_folder_becomes_runs_with_sigma_and_labels_from_its_paths(command, folder, tmp_path):
    out = tmp_path / "runs"
    code, said, err = command(
        "import", "cohen", folder, "--pattern", PATTERN, *SETTINGS, "--out", out
    )
    assert code == 0 and said.splitlines()[-1] == f"wrote 3 runs into {out}"
    names = ["macer-train-0.50-sigma-0.5", "plain-train-0.25-sigma-0.25",
             "plain-train-0.50-sigma-0.5"]  # fmt: skip
    assert sorted(path.name for path in out.iterdir()) == names
    assert err.count("\n") <= 3 and "3 imported logs have the usual remarks: radii rounded" in err
    assert "1 other file is no log of this format, and left out" in err
    code, said, _ = command("table", *sorted(out.iterdir()), "--radii", "0.5")
    assert code == 0 and "unpaired: the runs are on different inputs" in said
    assert "macer train 0.50" in said and "20 inputs are in all of them, and --common" in said
    code, said, _ = command("table", *sorted(out.iterdir()), "--radii", "0.5", "--common")
    assert code == 0 and "20 common inputs alone" in said and "unpaired" not in said


def test_a_log_that_cannot_be_read_is_named_and_the_others_go_on(command, folder, tmp_path):
    log(folder / "odd/noise_x/sigma_high", [0, 20])
    (folder / "plain/noise_0.25/sigma_0.25").write_text(HEADER + "\nzero\tx\tx\tx\tx\tx\n")
    code, said, err = command(
        "import", "cohen", folder, "--pattern", PATTERN, *SETTINGS, "--out", tmp_path / "runs"
    )
    assert code == 1 and "wrote 2 runs" in said
    assert err.count("not imported: ") == 2 and "must be a positive number" in err


def test_two_logs_of_one_name_are_told_apart_from_a_folder_in_use(command, folder, tmp_path):
    words = ("import", "cohen", folder, "--pattern", "sigma_{sigma}", *SETTINGS)
    code, said, err = command(*words, "--out", tmp_path / "runs")
    assert code == 1 and "wrote 2 runs" in said
    assert "by the pattern its run is sigma-0.5, as that of" in err and "macer/noise" in err


def test_settings_come_from_one_place_and_sigma_from_some(command, folder, tmp_path):
    file = folder / "plain/noise_0.25/sigma_0.25"
    words = ["import", "cohen", file, "--out", tmp_path / "run"]
    code, _, err = command(*words)
    assert code == 2 and "sigma must be given, by --sigma or by {sigma} in --pattern" in err
    code, _, err = command(*words, "--sigma", 0.25, "--pattern", "sigma_{sigma}")
    assert code == 2 and "sigma must come from --sigma or from the pattern" in err
    code, _, err = command(*words, "--pattern", "noise_{sigma}")
    assert code == 2 and "does not fit the end of" in err
    code, _, err = command("import", "cohen", folder / "README.md", folder, "--out", tmp_path / "r")
    assert code == 2 and "no log of" in err
    assert not (tmp_path / "run").exists()


def test_another_sigma_in_the_path_stays_a_doubt(command, folder, tmp_path):
    """Also where the pattern takes the noise of training for that of the certificates."""
    file, runs = folder / "plain/noise_0.50/sigma_0.50", tmp_path / "runs"
    code, _, err = command(
        "import", "cohen", file, "--sigma", 0.25, *SETTINGS, "--out", runs / "wrong"
    )
    assert code == 0 and "audit: sigma 0.25 is stated, and its path" in err
    odd = log(folder / "cross/noise_0.25/sigma_0.50", range(0, 400, 20))
    words = ["--pattern", "{method}/noise_{sigma}/sigma_*", *SETTINGS]
    assert "names 0.5" in command("import", "cohen", odd, *words, "--out", runs / "cross")[2]
    _, said, _ = command("table", runs / "wrong", runs / "cross", "--radii", "0.25")
    (line,) = (line for line in said.splitlines() if "sigma is another one" in line)
    assert line.startswith("doubt, by the audit of the log: ") and "wrong (sigma 0.25)" in line


def test_many_doubts_of_a_kind_have_one_line(command, tmp_path):
    """Radii above the cap of the stated draws, in six logs."""
    for k in range(6):
        log(tmp_path / f"logs/m{k}/sigma_0.25", range(0, 200, 20), "1.2")
    code, _, err = command(
        *("import", "cohen", tmp_path / "logs", "--pattern", "{method}/sigma_{sigma}"),
        *(*SETTINGS, "--out", tmp_path / "runs"),
    )
    assert code == 0 and err.count("the stated level is disproved") == 1
    assert "m0 (sigma 0.25), m1 (sigma 0.25), m2 (sigma 0.25), m3 (sigma 0.25) and 2 more: " in err


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (range(20), range(20, 40), "no input is in all of them: a has 20 inputs from 0 to 19"),
        (range(20), "labels", "a and b give 18 of them different labels"),
        (range(20), [0, 0, 1], "b holds 3 rows for 2 inputs"),
    ],
)
def test_what_cannot_be_matched_is_refused(command, tmp_path, first, second, message):
    log(tmp_path / "a", first)
    index = range(20) if second == "labels" else second
    log(tmp_path / "b", index, label=3 if second == "labels" else None)
    for name in "ab":
        words = ["--sigma", 0.25, *SETTINGS, "--out", tmp_path / f"runs/{name}"]
        assert command("import", "cohen", tmp_path / name, *words)[0] == 0
    runs = [tmp_path / "runs/a", tmp_path / "runs/b"]
    for words in (["table"], ["figure", "accuracy-sigmas"], ["report"]):
        out = tmp_path / ("f.svg" if words[0] == "figure" else "r.html")
        more = [] if words[0] == "table" else ["--out", out]
        code, _, err = command(*words, *runs, "--common", *more)
        assert code == 2 and message in err and not out.exists()


def test_rows_of_counts_need_start_and_step_to_be_matched(command, tmp_path):
    (tmp_path / "counts.txt").write_text("".join(f"90 5 5 {i % 3}\n" for i in range(5)))
    words = ["import", "counts", tmp_path / "counts.txt", "--sigma", 0.5]
    assert command(*words, "--out", tmp_path / "rows")[0] == 0
    assert command(*words, "--start", 0, "--step", 20, "--out", tmp_path / "known")[0] == 0
    code, _, err = command("table", tmp_path / "rows", tmp_path / "known", "--common")
    assert code == 2 and "rows has the rows of a file for numbers of inputs" in err
    for option in ("--start", "--step"):
        code, _, err = command(*words, option, -1, "--out", tmp_path / "no")
        assert code == 2 and f"{option[2:]} must be at least" in err


def test_an_unknown_highlight_and_a_lone_common_are_refused(command, folder, tmp_path):
    run = tmp_path / "run"
    file = folder / "plain/noise_0.25/sigma_0.25"
    assert command("import", "cohen", file, "--sigma", 0.25, *SETTINGS, "--out", run)[0] == 0
    words = ["figure", "accuracy-sigmas", run, "--out", tmp_path / "f.svg"]
    code, _, err = command(*words, "--highlight", "nobody")
    assert code == 2 and "highlight must name a run that is given, got 'nobody'" in err
    code, _, err = command(*words, "--common")
    assert code == 2 and "common must come with two runs or more, got 1" in err

"""`simplicert card` as a user types it: forms, files that are not replaced, exit codes."""

import pytest

import simplicert as sc


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tally = sc.Tally([[990, 10]] * 3, 0.5, labels=[0] * 3, plan=sc.Plan((1000,)))
    sc.create_run("mine", sc.Manifest(0.5, 3, 2, plan=tally.plan), tally)
    return tmp_path


def test_markdown_html_and_model_card(command, run):
    code, out, err = command("card", "mine", "--draws", 100)
    assert (code, err) == (0, "") and out.startswith("# Certification card: mine\n")
    for form, name, start in (
        ((), "a.md", "# Certification card: mine"),
        ((), "a.html", "<!doctype html>"),
        (("--format", "model-card"), "README.md", "---\ntags:"),
    ):
        code, out, _ = command("card", "mine", "--draws", 100, *form, "--out", name)
        assert code == 0 and out == f"wrote {name}\n"
        assert (run / name).read_text().lstrip().startswith(start)


def test_a_card_replaces_a_card_and_nothing_else(command, run):
    assert command("card", "mine", "--draws", 100, "--out", "a.md")[0] == 0
    assert command("card", "mine", "--draws", 100, "--out", "a.md", "--name", "b")[0] == 0
    assert "card: b" in (run / "a.md").read_text()
    (run / "README.md").write_text("mine")
    code, _, err = command("card", "mine", "--draws", 100, "--out", "README.md")
    assert code == 2 and "earlier card" in err and (run / "README.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--out", "a.pdf"), "out must end in .md, .html, .svg, got 'a.pdf'"),
        (("--out", "a.md", "--format", "html"), "out must end in .html for format html"),
        (("--out", "mine/a.md"), "out must not lie inside the run"),
        (("--format", "card"), "format must be one of"),
        (("--radius", "nan"), "radius must be a number from 0 on"),
        (("--design", "none.toml"), "none.toml"),
    ],
)
def test_refusals_are_one_sentence(command, run, words, sentence):
    code, _, err = command("card", "mine", "--draws", 100, *words)
    assert code == 2 and sentence in err and err.count("\n") == 1


def test_a_run_that_does_not_hold_has_exit_code_1(command, run):
    toml = run / "mine" / "run.toml"
    toml.write_text(toml.read_text().replace("alpha = 0.001", "alpha = 0.01"))
    code, out, _ = command("card", "mine", "--draws", 100)
    assert code == 1 and "verification failed" in out


def test_a_population_certificate_by_its_design(command, run):
    sc.design_population(0.5, [0.25], 16, 40).write(run / "few.toml")
    tally = sc.Tally([[16, 0]] * 40, 0.5, labels=[0] * 40, plan=sc.Plan((16,)))
    sc.create_run("few", sc.Manifest(0.5, 40, 2, plan=tally.plan), tally)
    wanted = sc.population(sc.open_run("few"), "few.toml").shares[0].sentence
    code, out, _ = command("card", "few", "--design", "few.toml", "--draws", 100)
    assert code == 0 and wanted[:60] in out


def test_the_entry_for_a_board_is_written_and_verified(command, run):
    code, out, _ = command(
        "card", "mine", "--draws", 100, "--out", "a.md", "--claims", "board.toml"
    )
    assert code == 0 and out == "wrote a.md\nwrote board.toml\n"
    code, out, _ = command("verify", "mine", "--claims", "board.toml")
    assert code == 0 and "ok    claims: sigma is 0.5, as claimed" in out


def test_a_log_that_its_own_radii_disprove_has_nothing_to_say(command, run):
    rows = "".join(f"{i}\t3\t3\t0.978\t1\t17\n" for i in range(3))
    (run / "log.tsv").write_text(f"idx\tlabel\tpredict\tradius\tcorrect\ttime\n{rows}")
    for alpha, code in ((0.001, 1), (0.01, 0)):
        words = ("--sigma", 0.25, "--draws", 100_000, "--alpha", alpha, "--out", f"log{code}")
        assert command("import", "cohen", "log.tsv", *words)[0] == 0
        found, out, err = command("card", f"log{code}", "--draws", 100)
        assert (found, "## Sentences to say\n\n- Nothing:" in out) == (code, bool(code)), err
    code, _, err = command("card", "log1", "--format", "model-card")
    assert code == 2 and "must not carry numbers of a run that does not hold" in err

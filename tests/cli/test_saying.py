"""Texts from files reach the screen as text: none can move a cursor or add a line."""

import ast
import tomllib
from pathlib import Path

import pytest
import tomli_w

import simplicert as sc
from simplicert import cli
from simplicert.cli.saying import replace_controls
from simplicert.logs import import_log
from simplicert.store import Manifest
from simplicert.store.run import record_failure

HOSTILE = "x\x1b[2J\x1b]0;title\x07\x9b31m\u202eevil\u2066\u2028\r\nsimplicert: all is well\x00"
LETTERS = HOSTILE.replace("\x00", "\x7f")  # that TOML and a file name may hold
COMMANDS = [
    ("status", "RUN"),
    ("status", "RUN", "--json"),
    ("certify", "RUN"),
    ("certify", "RUN", "--kind", "softmax"),
    ("table", "RUN"),
    ("table", "RUN", "--label", f"RUN={LETTERS}"),
    ("table", "RUN", "--format", "csv"),
    ("table", "RUN", "--format", "md"),
    ("table", "RUN", "--format", "latex"),
    ("figure", "accuracy", "RUN", "--out", "a.png"),
    ("report", "RUN", "--out", "r.html"),
    ("gate", "RUN", "--require", "accuracy@0.1>=0.1"),
    ("gate", "RUN", "--require", LETTERS),
    ("verify", "RUN"),
    ("export", "cohen", "RUN"),
    ("plan", "--serve", "RUN", "--draws", "100"),
    ("plan", "--sigma", ".5", "--draws", "1000", "--run", "RUN"),
    ("attack", "RUN", "--model", "nowhere:go", "--data", "data.npz"),
    ("attack", "RUN"),
    ("sample", "--model", "m:go", "--data", "d", "--sigma", "1", "--draws", "9", "--out", "RUN"),
]  # fmt: skip


@pytest.mark.parametrize(
    "letter", ["\x1b", "\x07", "\r", "\x7f", "\x9b", "\u202e", "\u2028", "\udc80"]
)
def test_what_moves_a_cursor_is_shown_as_a_question_mark(letter):
    assert replace_controls(f"a{letter}b") == "a?b"


def test_text_stays_text():
    for text in ("plain", "two\nlines\tand more", "é ü 漢字 \u00a0 \u2212", "", "a\r\nb"):
        assert replace_controls(text) == text.replace("\r\n", "\n")


def harmless(printed):
    """Check that there is nothing but text, and no line that pretends to be ours."""
    letters = {letter for letter in printed if letter not in "\n" and not letter.isprintable()}
    assert letters == set()
    assert not any(line.startswith("simplicert: all is well") for line in printed.splitlines())


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A run whose every free text is hostile: id, names, classes, failures, its folder."""
    monkeypatch.chdir(tmp_path)
    tally = sc.Tally([[900, 80, 20], [500, 480, 20]], 0.5, labels=[0, 1], plan=sc.Plan((1000,)))
    made = {name: LETTERS for name in ("model", "data", "python", "machine", "processor")}
    made |= {"class_names": [LETTERS, LETTERS + "2", "c"], LETTERS: LETTERS}
    source = {"format": LETTERS, "noise": LETTERS, "model_fingerprint": LETTERS, LETTERS: LETTERS}
    manifest = Manifest(
        0.5, 3, 3, plan=tally.plan, made=made, source=source, id=LETTERS, package=LETTERS
    )
    folder = tmp_path / "run\x1b[2J\nsimplicert: all is well"
    sc.create_run(folder, manifest, tally)
    record_failure(folder, 2, HOSTILE)
    return folder


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:40])
def test_no_command_prints_what_a_run_wants_to_do(command, hostile, words):
    code, out, err = command(*(word.replace("RUN", str(hostile)) for word in words))
    assert code in (0, 1, 2)
    assert out or err
    harmless(out)
    harmless(err)
    assert "Traceback" not in err


def test_failures_are_told_without_what_is_in_them(command, hostile):
    _, out, _ = command("status", hostile)
    assert "input 2 failed: x?[2J?]0;title??31m?evil??" in out


@pytest.mark.slow
def test_findings_of_an_audit(command, tmp_path, monkeypatch):
    """The log was imported, and its run.toml written by a stranger."""
    monkeypatch.chdir(tmp_path)
    Path("log").write_text(
        "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.486\t1\t1\n1\t2\t-1\t0.0\t0\t1\n"
    )
    import_log("cohen", tmp_path / "log", 0.5, tmp_path / "known", draws=1000)
    path = tmp_path / "known" / "run.toml"
    content = tomllib.loads(path.read_text())

    def spoil(value):
        if isinstance(value, str):
            return value + LETTERS
        if isinstance(value, list):
            return [spoil(item) for item in value] or [LETTERS]
        return {k: spoil(v) for k, v in value.items()} if isinstance(value, dict) else value

    for name in ("source", "made", "audit"):
        whole = dict(content)
        if name in whole:
            whole[name] = spoil(whole[name])
        path.write_text(tomli_w.dumps(whole))
        for words in (("certify",), ("status",), ("table",), ("verify",), ("gate",)):
            more = ("--require", "abstained<=1") if words == ("gate",) else ()
            _, out, err = command(*words, "known", *more)
            harmless(out)
            harmless(err)


def test_each_text_alone(command, hostile):
    """One setting at a time is hostile, and is refused by its name."""
    path = hostile / "run.toml"
    whole = path.read_text()
    content = tomllib.loads(whole)
    places = [(content, name) for name in content if isinstance(content[name], str)]
    assert len(places) >= 4
    for table, name in places:
        before, table[name] = table[name], LETTERS
        path.write_text(tomli_w.dumps(content))
        table[name] = before
        for word in ("status", "verify"):
            code, out, err = command(word, hostile)
            assert code in (0, 1, 2)
            harmless(out)
            harmless(err)


def test_nothing_is_printed_elsewhere():
    """No other file of the command line prints; only the signal handler prints one sentence."""
    for path in Path(cli.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                allowed = path.name in ("saying.py", "signals.py")
                assert allowed or name not in ("print", "typer.echo", "typer.secho"), path
                assert not name.startswith(("sys.stdout", "sys.stderr.write")), path

"""Everything of tests/support/strangers.py and named.py is done, by one process of its own each.

A tenth of all pairs, others for each file, is done with the slow tests, so that every file and
every attack is seen; all of them with `make test-all`.
"""

import os
import shutil
from pathlib import Path

import pytest
from named import PLACES, copy_place, variants
from strangers import ATTACKS, READERS, SECRET, attacks_on
from typed import type_commands

pytestmark = pytest.mark.slow  # hundreds of commands, a tenth of a second each

MOST = 3 * 2**20  # kB: what may always be unpacked, and the libraries
SHARE = 10  # the least number of attacks on a file
TIERS = ["tenth", pytest.param("all", marks=pytest.mark.long)]
PROGRESS = ("reading ", "loading ", "note  ", "ok    ", "WRONG ")


def allowed(answer):
    """One sentence and exit code 2, a check that failed and says so, or nothing wrong."""
    return answer.code in (0, 1, 2) and "Traceback" not in answer.said and not answer.reached


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Sound files of each reader, made when they are first asked for."""
    made = {}

    def make(reader):
        if reader.file not in made:
            folder = tmp_path_factory.mktemp("sound") / "here"
            folder.mkdir()
            made[reader.file] = (folder, *reader.make(folder))
        return made[reader.file]

    return make


@pytest.mark.parametrize("tier", TIERS)
def test_every_attack_on_every_file(sound, tmp_path, tier):
    lines, names = [], []
    for row, reader in enumerate(READERS):
        for column, attack in enumerate(attacks_on(reader)):
            if tier == "tenth" and (row + column) % SHARE:
                continue
            here, path, words = sound(reader)
            folder = tmp_path / f"{row}-{column}" / "here"
            shutil.copytree(here, folder)
            moved = [str(word).replace(str(here), str(folder)) for word in words]
            ATTACKS[attack](Path(str(path).replace(str(here), str(folder))))
            lines.append((folder, moved))
            names.append((reader, attack))
    answers = type_commands(lines)
    for (reader, attack), answer, (folder, _) in zip(names, answers, lines, strict=True):
        about = (reader.file, attack, answer)
        assert allowed(answer), about
        refused = answer.code == 2 or "WRONG" in answer.said
        assert refused or not reader.strict(attack), about
        if reader.inside:
            shown = answer.said + "".join(_pages(folder))
            assert SECRET not in shown, about
    assert max(answer.memory for answer in answers) < MOST


def _pages(folder):
    """What a command wrote for people to read."""
    for path in folder.rglob("out*"):
        files = path.rglob("*") if path.is_dir() else [path]
        yield from (one.read_text(errors="replace") for one in files if one.is_file())


@pytest.mark.long
def test_the_files_are_sound_before_anything_is_done_to_them(sound):
    """Otherwise an attack could be refused for another reason."""
    for reader in READERS:
        folder, _, words = sound(reader)
        (answer,) = type_commands([(folder, words)]) if reader.sound else [None]
        assert answer is None or answer.code == 0, (reader.file, answer)


@pytest.mark.parametrize("tier", TIERS)
def test_names_of_code_addresses_and_private_files(sound, tmp_path, tier):
    """Nothing is imported, asked for over the network, or shown."""
    lines, names = [], []
    (tmp_path / "private.npz").write_text(SECRET)
    for row, place in enumerate(PLACES):
        here, path, words = sound(place)
        for column, (where, name, content) in enumerate(variants(place, path)):
            if tier == "tenth" and (row + column) % SHARE:
                continue
            folder = tmp_path / f"{row}-{column}"
            lines.append(copy_place(here, folder, path, words, content))
            names.append((place.file, where, name))
    environment = {**os.environ, "HOME": str(tmp_path), "HF_HOME": str(tmp_path / "hub")}
    answers = type_commands(lines, environment)
    for about, answer, (folder, _) in zip(names, answers, lines, strict=True):
        assert allowed(answer), (about, answer)
        assert not (folder / "ran").exists() and SECRET not in answer.said, (about, answer)
    assert max(answer.memory for answer in answers) < MOST

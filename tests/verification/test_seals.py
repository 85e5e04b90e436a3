"""A seal holds for the files that were signed, and for no others."""

import os
import re
import shutil
import stat
from dataclasses import replace

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import DamagedRun, InvalidInput
from simplicert.files import content_checksum
from simplicert.logs import import_radii
from simplicert.store.compaction import compact_run
from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.store.parts import write_part
from simplicert.store.seals import SEAL, parse_seal, read_seal
from simplicert.verification import verify_run
from simplicert.verification.seals import make_key, seal_checks, seal_run

ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
PLAN = sc.Plan((1000,))


def tally(first, **settings):
    counts = [[990, 10], [10, 990]]
    return sc.Tally(counts, 0.5, labels=[0, 1], index=[first, first + 1], plan=PLAN, **settings)


def make_run(folder):
    manifest = sc.Manifest(0.5, 4, 2, plan=PLAN)
    run = sc.create_run(folder, manifest, tally(0))
    write_part(folder / "parts", tally(2), run.manifest)
    return sc.open_run(folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run of two parts with certificates beside it, sealed, and the keys."""
    place = tmp_path_factory.mktemp("sealed")
    run = make_run(place / "run")
    sc.write_certificates(run.certify(), place / "run.csv")
    make_key(place / "mine.pem")
    seal_run(run.folder, place / "mine.pem")
    return place


@pytest.fixture
def sealed(made, tmp_path):
    """A copy: the run, the private key and the public one."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "run", tmp_path / "mine.pem", tmp_path / "mine.pem.pub"


def said(folder, key):
    """What is said of the seal, and whether all of it holds."""
    found = list(seal_checks(sc.open_run(folder), key))
    return all(one.holds is not False for one in found), " | ".join(one.says for one in found)


def test_a_seal_that_holds(sealed):
    folder, _, public = sealed
    holds, words = said(folder, public)
    assert holds and "2 parts and 2 other files are as key" in words
    names = [one.name for one in read_seal(folder).files]
    assert names[0] == "RUN.csv" and names[-1] == "run.toml" and len(names) == 4
    assert parse_seal((folder / SEAL).read_bytes()) == read_seal(folder)


def test_it_follows_the_folder_under_another_name(sealed, tmp_path):
    folder, _, public = sealed
    folder.rename(tmp_path / "other")
    (tmp_path / "run.csv").rename(tmp_path / "other.csv")
    assert said(tmp_path / "other", public)[0]


def test_without_a_key_it_is_only_mentioned(sealed):
    holds, words = said(sealed[0], None)
    assert holds and "is not checked: --key FILE" in words


def change_byte(path, at):
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def change_label(folder):
    """As a forger would: with a checksum that fits."""
    manifest = read_manifest(folder)
    write_manifest(folder, replace(manifest, alpha=0.01))


def extend(folder):
    manifest = read_manifest(folder)
    write_part(folder / "parts", tally(0), manifest)
    write_part(folder / "parts", tally(4), manifest)


ATTACKS = {
    "no seal": (lambda f: (f / SEAL).unlink(), "never sealed, or its seal was taken away"),
    "a part changed": (lambda f: change_byte(min((f / "parts").iterdir()), 50), "1 part changed"),
    "run.toml changed": (change_label, "1 file changed since it was sealed: run.toml"),
    "certificates changed": (
        lambda f: change_byte(f.with_name("run.csv"), -3), "changed since it was sealed: RUN.csv"
    ),
    "certificates gone": (lambda f: f.with_name("run.csv").unlink(), "taken away .*: RUN.csv"),
    "a part gone": (lambda f: min((f / "parts").iterdir()).unlink(), "1 part taken away"),
    "parts added": (extend, "1 part added since it was sealed.*as sample --extend does"),
    "another letter in the seal": (lambda f: change_byte(f / SEAL, 30), "no seal|does not hold"),
    "another digit signed": (lambda f: change_byte(f / SEAL, -20), "altered|no seal"),
    "a longer seal": (lambda f: (f / SEAL).write_bytes((f / SEAL).read_bytes() + b"\n"), "no seal"),
    "an empty seal": (lambda f: (f / SEAL).write_bytes(b""), "no seal that simplicert wrote"),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_does_not_hold(sealed, attack):
    folder, _, public = sealed
    do, words = ATTACKS[attack]
    do(folder)
    holds, heard = said(folder, public)
    assert not holds and re.search(words, heard), heard


def test_every_line_is_signed(sealed):
    """Lines may be changed so that the text is still a seal; then the signature does not hold."""
    folder, _, public = sealed
    seal = (folder / SEAL).read_text()
    run = read_seal(folder).run
    for old, new in (
        (f"run {run}", "run 0000000000000000"),
        ("time 2", "time 3"),
        ("RUN.csv", "RUN"),
    ):
        (folder / SEAL).write_text(seal.replace(old, new, 1))
        assert said(folder, public) == (
            False, "seal.txt was altered after it was signed: its signature does not hold"
        )  # fmt: skip
    rows = seal.splitlines(keepends=True)
    (folder / SEAL).write_text("".join(rows[:4] + rows[5:]))
    assert "does not hold" in said(folder, public)[1]


def test_another_key(sealed, tmp_path):
    folder, _, public = sealed
    other = make_key(tmp_path / "theirs.pem")
    assert "names another key" in said(folder, other)[1]
    forged = (folder / SEAL).read_text()
    seal_run(folder, tmp_path / "theirs.pem")  # a forger signs by a key of their own
    assert "names another key" in said(folder, public)[1]
    named = read_seal(folder).key
    (folder / SEAL).write_text(
        (folder / SEAL).read_text().replace(named, parse_seal(forged.encode()).key)
    )
    assert "its signature does not hold" in said(folder, public)[1]


def test_the_seal_of_another_run(sealed, tmp_path):
    folder, _, public = sealed
    other = make_run(tmp_path / "other")
    shutil.copy(folder / SEAL, other.folder / SEAL)
    assert f"and this is run {other.manifest.id}" in said(other.folder, public)[1]


def test_files_made_later_are_named_and_not_covered(sealed):
    folder, _, public = sealed
    shutil.copy(folder.with_name("run.csv"), folder / "certificates.csv")
    holds, words = said(folder, public)
    assert holds and "not covered by the seal, made later: certificates.csv" in words


def heard_by_verify(folder, key, **more):
    found = list(verify_run(folder, key=key, **more))
    assert all(one.holds is not False for one in found), found
    return [one.says for one in found if one.about == "seal" and one.holds is None]


def test_certificates_beside_a_link_are_not_covered(sealed, tmp_path):
    """A seal names those beside the folder itself; verify reads those beside the link too."""
    folder, _, public = sealed
    link, beside = tmp_path / "link", tmp_path / "link.csv"
    link.symlink_to(folder)
    assert heard_by_verify(link, public) == []
    shutil.copy(folder.with_name("run.csv"), beside)  # a copy is what was signed
    assert heard_by_verify(link, public) == []
    sc.write_certificates(sc.open_run(folder).certify(alpha=0.01), beside)
    (words,) = heard_by_verify(link, public)
    assert "not covered by the seal" in words and str(beside) in words


def test_certificates_that_are_named_are_not_covered(sealed, tmp_path):
    folder, _, public = sealed
    (tmp_path / "other").mkdir()
    named = tmp_path / "other" / "x.csv"
    sc.write_certificates(sc.open_run(folder).certify(alpha=0.01), named)
    (words,) = heard_by_verify(folder, public, certificates=[named])
    assert "not covered by the seal" in words and str(named) in words
    own = folder.with_name("run.csv")
    assert heard_by_verify(folder, public, certificates=[own]) == []
    shutil.copy(named, folder / "certificates.csv")
    words = heard_by_verify(folder, public, certificates=[own, folder / "certificates.csv"])
    assert words == ["not covered by the seal, made later: certificates.csv"]  # said once


def test_the_table_of_neighbours_is_covered(sealed):
    """It holds certified radii, as certificates do."""
    folder, private, public = sealed
    (folder / "geometry.csv").write_text("index,radius\n0,0.5\n")
    assert "made later: geometry.csv" in said(folder, public)[1]
    seal_run(folder, private)
    assert said(folder, public)[0]
    (folder / "geometry.csv").write_text("index,radius\n0,5.5\n")
    holds, words = said(folder, public)
    assert not holds and "changed since it was sealed: geometry.csv" in words


def test_a_seal_that_is_a_link(sealed, tmp_path):
    folder, _, public = sealed
    (folder / SEAL).rename(tmp_path / "elsewhere.txt")
    (folder / SEAL).symlink_to(tmp_path / "elsewhere.txt")
    assert "must be a plain file, got a link" in said(folder, public)[1]


def test_damaged_files_are_not_sealed(sealed):
    folder, key, _ = sealed
    change_byte(min((folder / "parts").iterdir()), 50)
    with pytest.raises(DamagedRun, match="checksum"):
        seal_run(folder, key)
    change_byte(min((folder / "parts").iterdir()), 50)
    text = (folder / "run.toml").read_text()
    (folder / "run.toml").write_text(text.replace("alpha = 0.001", "alpha = 0.002"))
    with pytest.raises(DamagedRun, match="to be sealed"):
        seal_run(folder, key)


def refuse_to_seal(folder, key, words):
    """Nothing is signed, and the sentence names the file."""
    with pytest.raises(DamagedRun, match=words):
        seal_run(folder, key)
    assert not (folder / SEAL).exists()


def test_another_noise_scale_is_not_sealed(sealed):
    """It stretches every radius; its checksum is in run.toml."""
    folder, key, public = sealed
    (folder / SEAL).unlink()
    scale = np.array([1.0, 0.5])
    manifest = read_manifest(folder)
    kept = {"noise_scale": content_checksum(scale.tobytes())}
    write_manifest(folder, replace(manifest, source={**manifest.source, **kept}))
    refuse_to_seal(folder, key, "noise_scale.npy cannot be used")  # it is not there
    np.save(folder / "noise_scale.npy", 3 * scale)
    refuse_to_seal(folder, key, "noise_scale.npy was altered: it does not match run.toml")
    np.save(folder / "noise_scale.npy", scale)
    seal_run(folder, key)
    assert said(folder, public)[0]


def test_a_changed_table_of_a_log_is_not_sealed(sealed, tmp_path):
    _, key, public = sealed
    log = tmp_path / "log.csv"
    log.write_text("idx,label,predict,radius\n0,3,3,0.5\n1,2,2,0.25\n")
    names = "index=idx,label=label,predict=predict,radius=radius"
    folder = import_radii(log, names, 0.5, tmp_path / "log").folder
    (table,) = folder.glob("known-*")
    change_byte(table, 50)
    refuse_to_seal(folder, key, "its checksum does not match its name")
    change_byte(table, 50)
    manifest = read_manifest(folder)
    write_manifest(folder, replace(manifest, inputs=3))
    refuse_to_seal(folder, key, "holds 2 of 3 inputs")
    write_manifest(folder, manifest)
    seal_run(folder, key)
    assert said(folder, public)[0]


def test_keys(sealed, tmp_path):
    folder, key, public = sealed
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert b"BEGIN PRIVATE KEY" in key.read_bytes() and b"BEGIN PUBLIC KEY" in public.read_bytes()
    with pytest.raises(InvalidInput, match="new-key must be a new file"):
        make_key(key)
    with pytest.raises(InvalidInput, match="of a public Ed25519 key"):
        said(folder, key)
    key.chmod(0o640)
    with pytest.raises(InvalidInput, match="got mode 640: chmod 600"):
        seal_run(folder, key)
    public.chmod(0o600)
    with pytest.raises(InvalidInput, match=r"of a private Ed25519 key$"):
        seal_run(folder, public)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="got a pipe"):
        said(folder, tmp_path / "pipe")


def test_keys_of_other_kinds(sealed, tmp_path):
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric import ec

    folder, _, _ = sealed
    curve = ec.generate_private_key(ec.SECP256R1())
    locked = forms.BestAvailableEncryption(b"word")
    for private, how, says in (
        (curve, forms.NoEncryption(), "must be an Ed25519 key, got"),
        (ed25519.Ed25519PrivateKey.generate(), locked, "without a passphrase"),
    ):
        text = private.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, how)
        (tmp_path / "key").write_bytes(text)
        (tmp_path / "key").chmod(0o600)
        with pytest.raises(InvalidInput, match=says):
            seal_run(folder, tmp_path / "key")


def test_the_commands(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path / "run")
    assert command("seal", "--new-key", "k.pem")[0] == 0
    code, out, _ = command("seal", "run", "--key", "k.pem")
    assert code == 0 and "wrote run/seal.txt: 3 files, signed by key" in " ".join(out.split())
    code, out, _ = command("verify", "run", "--key", "k.pem.pub")
    assert code == 0 and "ok    seal: 2 parts and 1 other file are as key" in out
    extend(tmp_path / "run")
    code, out, _ = command("verify", "run", "--key", "k.pem.pub")
    assert code == 1 and "WRONG seal: 1 part added" in out
    for name in ("", ".", "/"):
        code, _, said = command("seal", "--new-key", name)
        assert code == 2 and "new-key must be the name of a new file, got" in said
    for words in (("run",), ("--key", "k.pem"), ("run", "--key", "k.pem", "--new-key", "x")):
        assert command("seal", *words)[0] == 2


def test_a_sealed_run_is_not_merged_and_a_merged_one_is_sealed(sealed):
    folder, key, public = sealed
    with pytest.raises(InvalidInput, match=r"run must not be sealed.*take seal\.txt away"):
        compact_run(folder)
    assert said(folder, public)[0]
    (folder / SEAL).unlink()
    compact_run(folder)
    seal_run(folder, key)
    assert said(folder, public)[0]

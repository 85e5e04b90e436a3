"""Seal a run by an Ed25519 signature, and check the seal of one.

A checksum finds damage. A forger computes a new one; without the private key nobody can sign it. So
whoever knows the maker's public key can tell whether the files are those that the maker signed.
`seal_run` signs, `seal_checks` compares; keys are PEM files, as OpenSSL writes them. The text that
is signed is `store/seals.py`.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from simplicert.errors import DamagedRun, SimplicertError, require
from simplicert.files import read_file, read_run_file, write_atomically
from simplicert.importing import import_library
from simplicert.machine import current_time
from simplicert.store import open_run
from simplicert.store.imported import ImportedRun
from simplicert.store.manifest import NAME, matches_checksum
from simplicert.store.run import PARTS, Run
from simplicert.store.seals import (
    SEAL,
    Seal,
    SealedFile,
    list_sealed_files,
    list_uncovered,
    parse_seal,
    read_seal,
)
from simplicert.verification.checks import VerificationCheck, file_checks, list_first

ABOUT = "seal"
MOST_KEY = 2**14  # bytes of a key file
PUBLIC = ".pub"  # end of the name of the public key's file


def make_key(path: Path) -> Path:
    """Write a new private key, readable by its owner alone, and the public key beside it."""
    private = _ed25519("a new key").Ed25519PrivateKey.generate()
    forms = _serialization("a new key")
    require(bool(path.name), f"new-key must be the name of a new file, got {str(path)!r}")
    public = path.with_name(path.name + PUBLIC)
    for place in (path, public):
        require(not os.path.lexists(place), f"new-key must be a new file, and {place} is there")
    secret = private.private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
    )
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secret)
    shown = private.public_key().public_bytes(
        forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo
    )
    write_atomically(public, shown, only_if_new=True)
    return public


def seal_run(folder: Path, key: Path) -> Seal:
    """Sign the files of a run as they are now; refuse files that do not match their checksums."""
    private = _read_private_key(key)
    run = open_run(folder)
    _require_sound(run)
    forms = _serialization("seal")
    public = private.public_key().public_bytes(forms.Encoding.Raw, forms.PublicFormat.Raw)
    files = tuple(list_sealed_files(run))
    seal = Seal(run.manifest.id, current_time(), public.hex(), files)
    seal = seal.with_signature(private.sign(seal.signed_text))
    parse_seal(seal.text)  # what could not be read again is not written
    write_atomically(folder / SEAL, seal.text)
    return seal


def seal_checks(
    run: Run | ImportedRun, key: Path | None, certificates: Sequence[Path] = ()
) -> Iterator[VerificationCheck]:
    """Check the seal of a run by a public key; without a key, say that there is a seal.

    `certificates` are files that are checked beside the run: those that are not sealed are named.
    """
    if key is None:
        if os.path.lexists(run.folder / SEAL):
            says = f"{SEAL} is not checked: --key FILE names the public key of whoever signed it"
            yield VerificationCheck(ABOUT, None, says)
        return
    public = _read_public_key(key)
    try:
        seal = read_seal(run.folder)
        _require_signature(seal, key, public)
        require(
            seal.run == run.manifest.id,
            f"{SEAL} is the seal of run {seal.run}, and this is run {run.manifest.id}",
        )
    except FileNotFoundError:
        says = f"there is no {SEAL}: the run was never sealed, or its seal was taken away"
        yield VerificationCheck(ABOUT, False, says)
        return
    except SimplicertError as error:
        yield VerificationCheck(ABOUT, False, str(error))
        return
    yield from _compare_files(run, seal)
    if uncovered := list_uncovered(run.folder, seal, certificates):
        says = f"not covered by the seal, as no sealed file is equal: {list_first(uncovered, 3)}"
        yield VerificationCheck(ABOUT, None, says)


def _compare_files(run: Run | ImportedRun, seal: Seal) -> Iterator[VerificationCheck]:
    """Compare the files that are there with those that were signed."""
    try:
        now = {one.name: one for one in list_sealed_files(run)}
    except (SimplicertError, OSError) as error:
        yield VerificationCheck(ABOUT, False, f"a file cannot be compared: {error}")
        return
    then = {one.name: one for one in seal.files}
    lost = [one for name, one in then.items() if name not in now]
    changed = [one for name, one in then.items() if now.get(name, one) != one]
    added = [one for name, one in now.items() if name not in then]
    later = [one for one in added if one.optional]
    added = [one for one in added if not one.optional]
    found = {
        "changed since it was sealed": changed,
        "taken away since it was sealed": lost,
        "added since it was sealed": added,
    }
    for what, files in found.items():
        if files:
            yield VerificationCheck(ABOUT, False, f"{_count(files)} {what}: {_name_first(files)}")
    if added and not lost:
        says = "draws may have been added, as sample --extend does: whoever drew them seals it anew"
        yield VerificationCheck(ABOUT, None, says)
    if later:
        says = f"not covered by the seal, made later: {_name_first(later)}"
        yield VerificationCheck(ABOUT, None, says)
    if not any(found.values()):
        says = f"{_count(seal.files)} are as key {seal.key[:16]} signed them on {seal.time}"
        yield VerificationCheck(ABOUT, True, says)


def _count(files: Sequence[SealedFile]) -> str:
    """Count parts and other files in words."""
    parts = sum(one.name.startswith(f"{PARTS}/") for one in files)
    others = len(files) - parts
    words = [f"{parts} part{'s' * (parts != 1)}"] if parts else []
    if others:
        words.append(f"{others} {'other ' * bool(parts)}file{'s' * (others != 1)}")
    return " and ".join(words)


def _name_first(files: Sequence[SealedFile]) -> str:
    return list_first([one.name for one in files], 3)


def _require_sound(run: Run | ImportedRun) -> None:
    """Refuse to vouch for files that `verify` would find damaged, by the checks that it makes."""
    if matches_checksum(read_run_file(run.folder / NAME)) is not True:
        raise DamagedRun(f"{run.folder / NAME} must be as it was written to be sealed")
    wrong = [check.says for check in file_checks(run) if check.holds is False]
    if wrong:
        raise DamagedRun(f"{run.folder} must not be damaged to be sealed: {list_first(wrong, 3)}")


def _require_signature(seal: Seal, key: Path, public: Any) -> None:
    """Refuse a seal by another key, and one whose lines are not those that were signed."""
    forms = _serialization("verify --key")
    own = public.public_bytes(forms.Encoding.Raw, forms.PublicFormat.Raw).hex()
    require(
        seal.key == own,
        f"{SEAL} names another key: it says {seal.key[:16]}, and {key.name} is {own[:16]}",
    )
    invalid = import_library("cryptography.exceptions", "seal", "verify --key").InvalidSignature
    try:
        public.verify(bytes.fromhex(seal.signature), seal.signed_text)
    except invalid:
        require(False, f"{SEAL} was altered after it was signed: its signature does not hold")


def _read_private_key(path: Path) -> Any:
    """Read an Ed25519 key from a PEM file that nobody else may read."""
    forms, kinds = _serialization("seal"), _ed25519("seal")
    content = read_file(path, MOST_KEY)
    held = _parse_key(path, "private", lambda: forms.load_pem_private_key(content, None))
    if os.name == "posix":
        mode = stat.S_IMODE(path.stat().st_mode)
        require(
            not mode & 0o077,
            f"key {path} must be readable by you alone, got mode {mode:o}: chmod 600 {path}",
        )
    require(
        isinstance(held, kinds.Ed25519PrivateKey),
        f"key {path} must be an Ed25519 key, got {type(held).__name__}",
    )
    return held


def _read_public_key(path: Path) -> Any:
    """Read an Ed25519 public key from a PEM file."""
    forms, kinds = _serialization("verify --key"), _ed25519("verify --key")
    content = read_file(path, MOST_KEY)
    held = _parse_key(path, "public", lambda: forms.load_pem_public_key(content))
    require(
        isinstance(held, kinds.Ed25519PublicKey),
        f"key {path} must be an Ed25519 key, got {type(held).__name__}",
    )
    return held


def _parse_key(path: Path, kind: str, parse: Any) -> Any:
    """Parse a key; the library's errors become one sentence that shows nothing of the file."""
    try:
        return parse()
    except Exception as error:  # the library's own, of many kinds
        locked = "password" in str(error).lower() or "encrypted" in str(error).lower()
        require(
            False,
            f"key {path} must be the PEM file of a {kind} Ed25519 key"
            + (", without a passphrase" if locked else ""),
        )


def _serialization(purpose: str) -> Any:
    return import_library("cryptography.hazmat.primitives.serialization", "seal", purpose)


def _ed25519(purpose: str) -> Any:
    return import_library("cryptography.hazmat.primitives.asymmetric.ed25519", "seal", purpose)

"""Pin the tested set by hashes in requirements/*.txt, and list it in requirements/sbom.cdx.json.

    python release/lock.py                     write them from this environment (needs uv)
    python release/lock.py --check             compare them with this environment
    python release/lock.py --install WHEEL     install the base by its hashes and try it

`base.txt` is what simplicert itself needs, `tested.txt` what the tests ran with: every extra of the
Makefile but torch. torch stands in `torch.txt` without a hash: where we test it is a build for
CPUs, another file than the one of the same version on the package index. Hashes are of all files of
a version, for every system, as the index lists them.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "requirements"
BASE, TESTED, TORCH, SBOM = (
    FOLDER / name for name in ("base.txt", "tested.txt", "torch.txt", "sbom.cdx.json")
)
PIN = re.compile(r"([a-z0-9-]+)==([0-9A-Za-z.!+]+)( ; [^\\]+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
LONG = 60  # letters of a licence that is a name and not its text
HEAD = """\
# Made by `python release/lock.py`: {what}
# Install it by: python -m pip install --require-hashes --no-deps -r requirements/{name}
"""
WITHOUT_HASH = """\
# The version of torch that is tested, as in constraints.txt. Without a hash: see release/lock.py.
torch=={version}
"""


def main() -> None:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--install", type=Path, metavar="WHEEL")
    asked = parser.parse_args()
    if asked.check:
        faults = list(find_faults())
        print("\n".join(faults) or "the lock files are those of this environment")
        sys.exit(bool(faults))
    if asked.install is not None:
        install_base(asked.install.resolve())
        return
    FOLDER.mkdir(exist_ok=True)
    write_lock(BASE, "what simplicert itself needs", installed_set(()))
    write_lock(TESTED, "all that the tests ran with, but torch", installed_set(tested_extras()))
    TORCH.write_text(WITHOUT_HASH.format(version=pinned_torch()))
    SBOM.write_text(json.dumps(bill_of_materials(), indent=1, sort_keys=True) + "\n")


def tested_extras() -> list[str]:
    """The extras that `make setup` installs."""
    (line,) = re.findall(r"^EXTRAS := (.+)$", (ROOT / "Makefile").read_text(), re.M)
    return line.split(",")


def pinned_torch() -> str:
    """The version in constraints.txt."""
    (version,) = re.findall(r"^torch==(\S+)$", (ROOT / "constraints.txt").read_text(), re.M)
    return version


def wanted(extras: Iterable[str]) -> list[Requirement]:
    """What pyproject.toml asks for, with these extras; an extra may name others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = [Requirement(text) for text in project["dependencies"]]
    waiting, seen = list(extras), set()
    while waiting:
        extra = waiting.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for one in map(Requirement, project["optional-dependencies"][extra]):
            if one.name == project["name"]:
                waiting += sorted(one.extras)
            else:
                found.append(one)
    return found


def installed_set(extras: Iterable[str]) -> dict[str, str]:
    """Name and version of everything that these extras bring here, but torch."""
    found: dict[str, str] = {}
    waiting = [(one, one.extras) for one in wanted(extras)]
    seen = set()
    while waiting:
        one, more = waiting.pop()
        name = canonicalize_name(one.name)
        if (name, frozenset(more)) in seen or not applies(one):
            continue
        seen.add((name, frozenset(more)))
        held = find(one.name)
        if name != "torch":
            found[name] = held.version
        for inner in map(Requirement, held.requires or ()):
            if applies(inner, more):
                waiting.append((inner, inner.extras))
    return dict(sorted(found.items()))


def applies(one: Requirement, extras: Iterable[str] = ()) -> bool:
    """Whether a requirement is meant for this Python and system."""
    marker = one.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def find(name: str) -> Distribution:
    """What is installed under this name."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        raise SystemExit(f"{name} is not installed here: run make setup first") from None


def write_lock(path: Path, what: str, versions: dict[str, str]) -> None:
    """Ask uv for the hashes of these very versions."""
    pins = "".join(f"{name}=={version}\n" for name, version in versions.items())
    python = ".".join(map(str, sys.version_info[:3]))
    options = ["--no-deps", "--generate-hashes", "--no-header", "--no-annotate", "--no-config"]
    uv = ["uv", "pip", "compile", "--quiet", *options, "--python-version", python, "-"]
    done = subprocess.run(uv, input=pins, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"uv: {done.stderr.strip()}")
    path.write_text(HEAD.format(what=what, name=path.name) + done.stdout)
    if read_lock(path) != versions:
        raise SystemExit(f"{path.name} is not what was asked for")


def read_lock(path: Path) -> dict[str, str]:
    """Name and version of every pin; a line that is neither a pin nor a hash is refused."""
    found: dict[str, str] = {}
    hashes = 1
    for line in path.read_text().splitlines():
        if pin := PIN.fullmatch(line):
            if not hashes:
                raise SystemExit(f"{path.name}: a pin without a hash before {line}")
            found[pin[1]], hashes = pin[2], 0
        elif HASH.fullmatch(line):
            hashes += 1
        elif line and not line.startswith("#"):
            raise SystemExit(f"{path.name}: no pin and no hash: {line}")
    return found


def find_faults() -> Iterable[str]:
    """Say where the files differ from this environment."""
    for path, extras in ((BASE, ()), (TESTED, tested_extras())):
        held, here = read_lock(path), installed_set(extras)
        for name in sorted(held.keys() | here):
            if held.get(name) != here.get(name):
                yield f"{path.name}: {name} is {held.get(name)}, and {here.get(name)} here"
    if TORCH.read_text() != WITHOUT_HASH.format(version=pinned_torch()):
        yield f"{TORCH.name} must pin torch {pinned_torch()}, as constraints.txt does"
    if json.loads(SBOM.read_text()) != bill_of_materials():
        yield f"{SBOM.name} is not of this environment"


def bill_of_materials() -> dict[str, Any]:
    """The tested set as CycloneDX 1.6: names, versions, licences, and what needs what."""
    versions = installed_set(tested_extras()) | {"torch": pinned_torch()}
    text = (ROOT / "src" / "simplicert" / "__init__.py").read_text()
    (own,) = re.findall(r'^__version__ = "(.+)"$', text, re.M)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component("simplicert", own, "application")},
        "components": [component(name, versions[name]) for name in sorted(versions)],
        "dependencies": [
            depends("simplicert", own, wanted(tested_extras()), versions),
            *(
                depends(name, versions[name], map(Requirement, find(name).requires or ()), versions)
                for name in sorted(versions)
            ),
        ],
    }


def component(name: str, version: str, kind: str = "library") -> dict[str, Any]:
    """One library, by its address in the package index."""
    url = f"pkg:pypi/{name}@{version}"
    row: dict[str, Any] = {"type": kind, "bom-ref": url, "purl": url}
    row |= {"name": name, "version": version}
    licence = "MIT" if name == "simplicert" else licence_of(find(name))
    return row | ({"licenses": [{"license": {"name": licence}}]} if licence else {})


def licence_of(held: Distribution) -> str:
    """The licence in a library's own words, as short as they are."""
    notes = held.metadata
    said = [notes.get("License-Expression") or ""]
    said += [
        text.rpartition(" :: ")[2]
        for text in notes.get_all("Classifier") or ()
        if text.startswith("License :: OSI")
    ]
    said += [line for line in (notes.get("License") or "").splitlines()[:1] if len(line) < LONG]
    return next((text for text in said if text), "")


def depends(
    name: str, version: str, needed: Iterable[Requirement], versions: dict[str, str]
) -> dict[str, Any]:
    """What one library needs, of the libraries that are here."""
    names = {canonicalize_name(one.name) for one in needed if applies(one)} & versions.keys()
    refs = sorted(f"pkg:pypi/{one}@{versions[one]}" for one in names)
    return {"ref": f"pkg:pypi/{name}@{version}", "dependsOn": refs}


def install_base(wheel: Path) -> None:
    """Install the base by its hashes into an empty environment, then the wheel, and try it."""
    with tempfile.TemporaryDirectory(prefix="simplicert-lock-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder, "bin", "python"))
        pip = [python, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--require-hashes", "-r", str(BASE)], check=True)
        subprocess.run([*pip, str(wheel)], check=True)
        subprocess.run([python, "-m", "pip", "check"], check=True)
        subprocess.run(
            [python, "-m", "simplicert", "radius", "--e0", ".9", "--e1", ".05"], check=True
        )


if __name__ == "__main__":
    main()

"""A new mechanism is one file and one row: the steps of CONTRIBUTING.md, tried on a copy."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import simplicert
from simplicert import mechanisms

ROOT = Path(__file__).parents[2]
PACKAGE = Path(simplicert.__file__).parent
TABLE = Path(mechanisms.__file__).relative_to(PACKAGE)

FILE = '''"""Half of the limit: a smaller radius than a true one is true."""

from simplicert.mechanisms import two_sided
from simplicert.types import Floats


def radius(e0: Floats, e1: Floats) -> Floats:
    """Half of two_sided."""
    return two_sided.radius(e0, e1) / 2
'''
ROW = '    "halved": Mechanism(halved.radius, _BOTH, "half of Cohen et al. 2019, Theorem 1"),\n'
REFERENCE = '''

@mp.workdps(DIGITS)
def halved(e0: float, e1: float) -> mpf:
    """Half of the two-sided radius."""
    return (quantile(mpf(e0)) - quantile(mpf(e1))) / 4
'''

# Whatever lists mechanisms: formulas, columns, looks, pages, tables, commands, the other verifier.
RELATED = [
    "tests/mechanisms/test_mechanisms.py::test_golden_radii",
    "tests/mechanisms/test_mechanisms.py::test_ten_thousand_points_of_reference_arithmetic[0-halved]",
    "tests/mechanisms/test_mechanisms.py::test_a_million_points_are_monotone[halved]",
    "tests/mechanisms/test_mechanisms.py::test_any_shape",
    "tests/mechanisms/test_mechanisms.py::test_kinds_have_proofs",
    "tests/mechanisms/test_enclosures.py::test_extreme_points",
    "tests/mechanisms/test_enclosures.py::test_a_radius_that_is_too_large_is_outside",
    "tests/mechanisms/test_own.py",
    "tests/types/test_certificates.py",
    "tests/test_certification.py",
    "tests/release/test_surface.py",
    "tests/figures/test_style.py",
    "tests/figures/test_trends.py",
    "tests/figures/test_process.py",
    "tests/report/test_payload.py",
    "tests/tables/test_paper1.py",
    "tests/tables/test_paper2.py",
    "tests/metrics/test_growth.py",
    "tests/cli/test_cli.py::test_radius",
    "tests/cli/test_cli.py::test_radius_as_json_is_exact",
    "tests/store/test_certificates.py",
    "tests/test_verify_script.py::test_it_accepts_ours",
    "tests/test_verify_script.py::test_it_accepts_every_scheme",
    "tests/test_verify_script.py::test_older_files_are_what_they_were",
    "tests/test_quickstart.py::test_the_way_in[A table of counts]",
]


@pytest.fixture
def copy(tmp_path):
    """All that the related tests read."""
    made = tmp_path / "copy"
    unwanted = shutil.ignore_patterns("__pycache__", "*.png", "zoo")
    for folder in ("tests", "release", "docs"):
        shutil.copytree(ROOT / folder, made / folder, ignore=unwanted)
    shutil.copytree(PACKAGE, made / "src" / PACKAGE.name, ignore=unwanted)
    for name in ("pyproject.toml", "verify.py"):
        shutil.copy(ROOT / name, made / name)
    return made


def change(path, old, new):
    """Put `new` in place of the only `old`, or of the first."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def add_mechanism(copy):
    """The three steps, and the line of the public interface that they change."""
    table = copy / "src" / PACKAGE.name / TABLE
    (table.parent / "halved.py").write_text(FILE)
    imports = "from simplicert.mechanisms import "
    change(table, imports, f"{imports}halved\n{imports}")
    start, end = table.read_text().split("\nMECHANISMS: ")
    rows, rest = end.split("\n}\n", 1)
    table.write_text(f"{start}\nMECHANISMS: {rows}\n{ROW}}}\n{rest}")
    reference = copy / "tests" / "reference.py"
    reference.write_text(reference.read_text() + REFERENCE)
    add_column(copy / "tests" / "golden_radii.json", reference)
    change(copy / "release" / "surface.txt", "cdf, lipschitz", "cdf, lipschitz, halved")


def add_column(golden, reference):
    """The reference's radii, rounded once."""
    spec = importlib.util.spec_from_file_location("reference_of_the_copy", reference)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = json.loads(golden.read_text())
    for row in rows:
        row["halved"] = float(module.halved(row["E0"], row["E1"]))
    golden.write_text(json.dumps(rows))


@pytest.mark.slow
def test_one_file_one_row_and_one_reference_are_enough(copy):
    add_mechanism(copy)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", *RELATED],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]

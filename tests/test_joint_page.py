"""The figures in docs/joint.md are those of the committed result, and as good as promised."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROMISED = {
    (0.3, 0.1, 10**5): 0.60,
    (0.9, 0.08, 10**5): 0.88,
    (0.05, 0.02, 10**5): 0.52,
    (0.6, 0.05, 10**4): 0.66,
}


@pytest.fixture(scope="module")
def result():
    return json.loads((ROOT / "benchmarks" / "results" / "joint.json").read_text())


def gain_row(row):
    numbers = f"{row['true']:.4f} | {row['gated']:.4f} | {row['joint']:.4f}"
    return (
        f"| {row['p_top']:g}, {row['p_rival']:g}, {row['draws']:,} | {numbers} "
        f"| {row['share_of_draws']:.2f} |"
    )


def grid_row(row):
    return (
        f"| {row['draws']:,} | {row['points']} | {row['certified_by_the_pair']} "
        f"| {row['by_joint_alone']} | {row['smallest_ratio']:.4f} | {row['median_ratio']:.3f} |"
    )


def time_row(row):
    return (
        f"| {row['draws']:,} | {row['milliseconds']:.1f} | {row['plain_milliseconds']:,.0f} "
        f"| {row['times_as_fast']:.0f} | {row['smallest_ratio_of_radii']:.5f} |"
    )


@pytest.mark.parametrize(
    ("part", "line"), [("gain", gain_row), ("grid", grid_row), ("time", time_row)]
)
def test_every_row_is_on_the_page(result, part, line):
    page = (ROOT / "docs" / "joint.md").read_text()
    assert len(result[part]) >= 4
    for row in result[part]:
        assert line(row) in page


def test_as_good_as_promised(result):
    shares = {(r["p_top"], r["p_rival"], r["draws"]): r["share_of_draws"] for r in result["gain"]}
    assert all(shares[point] <= most for point, most in PROMISED.items())
    assert [row["draws"] for row in result["grid"]] == [100, 1000, 10**4, 10**5]
    assert all(row["smallest_ratio"] >= 1 - 2e-3 for row in result["grid"])
    assert all(row["smallest_ratio_of_radii"] >= 1 for row in result["time"])

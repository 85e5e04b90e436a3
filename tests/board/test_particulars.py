"""What pages read of a log is exact or on the safe side, and of some logs totals alone."""

import json
from itertools import combinations

import numpy as np
import pytest

from simplicert.board import make_board, read_board
from simplicert.board.entry import RADII
from simplicert.board.exports import shorten
from simplicert.board.pairs import count_pairs
from simplicert.board.particulars import SIGNS, describe_log, pack_numbers, tabulate_limits
from simplicert.metrics.intervals import CONFIDENCE, rate_limits

SHUT = '[[claim]]\nmatch = "{}/*"\ntotals_only = true\n'


def read_script(path):
    """Return what a script of data assigns."""
    return json.loads(path.read_text().split(" = ", 1)[1].strip().removesuffix(";"))


@pytest.fixture
def folders(tmp_path, write_log):
    """Two logs without a licence in `shut`, and open ones in `a` and `b`."""
    for number, name in enumerate(("shut/x", "shut/y", "a/x", "a/y", "a/z", "b/x")):
        place = tmp_path / "in" / name / "cifar10"
        write_log(place / "sigma_0.50", inputs=60 - 5 * number, seed=number)
        write_log(place / "sigma_1.00", inputs=60, sigma=1.0, seed=100 + number)
    claims = tmp_path / "claims.toml"
    claims.write_text(SHUT.format("shut"))
    return [tmp_path / "in" / name for name in ("shut", "a", "b")], claims


@pytest.mark.parametrize("largest", [0, 1, 3, 8, 17])
def test_packed_numbers_are_all_there(largest):
    values = np.random.default_rng(largest).integers(0, largest + 1, 101)
    values[0] = largest
    packed = pack_numbers(values)
    found = []
    for sign in packed["text"]:
        rest = SIGNS.index(sign)
        for _ in range(packed["each"]):
            rest, number = divmod(rest, packed["base"])
            found.append(number)
    assert found[:101] == values.tolist()
    assert len(packed["text"]) <= 101 / packed["each"] + 1
    assert not set(packed["text"]) & set("\"\\<>&'`")


def test_counts_and_limits_are_those_of_the_log(tmp_path, write_log):
    write_log(tmp_path / "sigma_0.50", inputs=300)
    (entry,) = read_board([tmp_path]).entries
    held = describe_log(entry)
    live = entry.correct & ~entry.abstained
    curve, at = np.cumsum(held["curve"]), np.linspace(0, held["to"], len(held["curve"]))
    assert curve.tolist() == [(live & (entry.radius > radius)).sum() for radius in at]
    assert np.cumsum(held["hits"]).tolist() == entry.accuracy_at(RADII).hits.tolist()
    certified = np.isfinite(entry.e0)
    assert sum(held["e0"]["right"]) == (certified & entry.correct).sum()
    assert sum(held["e0"]["wrong"]) == (certified & ~entry.correct).sum()
    (total,) = tabulate_limits([entry]).items()
    hits, low, high = map(np.cumsum, total[1])
    assert total[0] == "300" and set(curve) <= set(hits)
    exact = rate_limits(hits, 300, CONFIDENCE)
    assert np.all(low / 1e4 <= exact[0]) and np.all(exact[0] < (low + 1) / 1e4)
    assert np.all(high / 1e4 >= exact[1]) and np.all(exact[1] > (high - 1) / 1e4)


def test_numbers_of_tables_claim_no_more_than_they_are():
    for name in ("acc_1", "low_1", "acr_warned", "largest_radius"):
        assert shorten(name, 0.123456) == 0.1234
    for name in ("high_1", "abstention_rate"):
        assert shorten(name, 0.123416) == 0.1235
    assert shorten("acc_1", 87 / 300) == 0.29


def test_a_log_without_a_licence_shows_totals_alone(tmp_path, folders):
    paths, claims = folders
    board = make_board(paths, tmp_path / "out", claims=claims)
    held = read_script(tmp_path / "out" / "data" / "0.js")
    for entry in board.entries:
        shut = entry.source.root.name == "shut"
        assert entry.settings.totals_only == shut
        assert {"index", "codes"} & set(held[entry.source.id]) == (
            set() if shut else {"index", "codes"}
        )
    assert "no row be copied" in (tmp_path / "out" / "compare.html").read_text()
    assert json.loads((tmp_path / "out" / "board.json").read_text())["pairs"]


def test_pairs_are_counted_by_the_rule(folders):
    paths, claims = folders
    entries = read_board(paths, claims=claims).entries
    by_id = {entry.source.id: entry for entry in entries}
    pairs = count_pairs(entries)
    found = {(by_id[one["a"]].source.name, by_id[one["b"]].source.name): one for one in pairs}
    own = [entry for entry in entries if entry.source.root.name == "shut"]
    both = {(a.source.name, b.source.name) for a, b in combinations(own, 2)
            if a.settings.sigma == b.settings.sigma}  # fmt: skip
    assert both <= set(found) and len(pairs) == len(found) == 2 + 4 * 2
    for (first, second), pair in found.items():
        a, b = by_id[pair["a"]], by_id[pair["b"]]
        assert a.settings.sigma == b.settings.sigma
        shared, mine, its = np.intersect1d(a.index, b.index, return_indices=True)
        assert pair["shared"] == len(shared)
        for rank, at in enumerate(RADII[: len(pair["only_a"])]):
            one = (a.correct & ~a.abstained & (a.radius > at))[mine]
            two = (b.correct & ~b.abstained & (b.radius > at))[its]
            assert pair["hits_a"][rank] == one.sum() and pair["hits_b"][rank] == two.sum()
            assert pair["only_a"][rank] == (one & ~two).sum()
        if second.startswith("a/"):
            rivals = [entry for entry in entries if entry.source.root.name == "a"
                      and entry.settings.sigma == a.settings.sigma]  # fmt: skip
            at = np.array([a.settings.sigma])
            assert b.accuracy_at(at).value == max(one.accuracy_at(at).value for one in rivals)
            assert pair["among"] == len(rivals) == 3
        assert first.startswith("shut/")


def test_nothing_is_counted_where_all_rows_may_be_shown(folders):
    assert count_pairs(read_board(folders[0]).entries) == []

"""docs/security.md shows what the fuzzer counted."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text()
RESULT = json.loads((ROOT / "benchmarks" / "results" / "fuzz.json").read_text())


def test_at_least_a_million_inputs_and_no_finding():
    assert RESULT["total"] >= 1_000_000
    assert RESULT["entries"]["command line"]["tried"] >= 3000
    assert all(entry["findings"] == 0 for entry in RESULT["entries"].values())


def test_the_page_has_the_counts_by_entry_point():
    for name, entry in RESULT["entries"].items():
        assert f"| {name} | {entry['tried']:,} | {entry['refused']:,} |" in PAGE
    assert f"{RESULT['total']:,} inputs" in PAGE


def test_every_entry_point_of_the_fuzzer_was_tried(benchmark):
    entries = {entry.name for entry in benchmark("fuzz_entries").ENTRIES}
    assert {*RESULT["entries"]} == entries | {"command line"}

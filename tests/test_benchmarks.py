"""The figures in docs/sampling.md are those of the committed result."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_sampling_figures():
    result = json.loads((ROOT / "benchmarks" / "results" / "sampling.json").read_text())
    page = (ROOT / "docs" / "sampling.md").read_text()
    rates = result["draws_per_second"]
    for name in ("bare", "ours", "ours_counts_only", "ours_compiled", "reference", "all_copies"):
        share = rates[name] / rates["bare"]
        assert f"| `{name}` | {rates[name]:,.0f} | {share:.2f} |" in page
    assert f"{result['ours_compiled_of_reference']:.1f} times the reference" in page
    assert result["ours_of_bare"] > 0.9
    assert result["ours_compiled_of_reference"] > 1.7
    few, many = result["peak_megabytes"]["ours"].values()
    assert many < 1.1 * few

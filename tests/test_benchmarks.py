"""The figures in the pages are those of the committed results."""

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


def test_softmax_figures():
    """And what they must show: most of the radius kept, and more than the means can give."""
    result = json.loads((ROOT / "benchmarks" / "results" / "softmax.json").read_text())
    page = (ROOT / "docs" / "softmax.md").read_text()
    families = result["families"].values()
    sizes = ("1000", "10000", "100000")
    for name in result["families"]["mild"]["share"]["1000"]:
        cells = [f"{family['share'][n][name]:.3f}" for family in families for n in sizes]
        assert f"| {name} | {' | '.join(cells)} |" in page
    for name in result["families"]["mild"]["designs"]:
        cells = [f"{family['designs'][name]:.3f}" for family in families]
        assert f"| {name} | {' | '.join(cells)} |" in page
    levels = result["levels_of_alpha"]
    shown = ("hoeffding", "bentkus+bernstein", "two_sided, with histograms", "cdf")
    for name, row in levels.items():
        assert f"| {name} | {' | '.join(f'{row[m]:.3f}' for m in shown)} |" in page
    assert len(families) == 5
    for family in families:
        share = family["share"]
        assert share["10000"]["bentkus+bernstein"] > 0.86
        assert share["10000"]["two_sided, with histograms"] > 0.86
        assert share["100000"]["cdf"] > 1
        least = min(family["least_cdf_over_two_sided_without_histograms"].values())
        assert least > 0.996
        assert max(family["designs"].values()) < 1.01 * family["designs"]["ours"]
    assert all(value <= 1 for row in levels.values() for value in row.values())


def test_analysis_figures():
    result = json.loads((ROOT / "benchmarks" / "results" / "analysis.json").read_text())
    page = (ROOT / "docs" / "architecture.md").read_text()
    seconds = result["seconds"]
    assert f"took {result['all']:.0f} s in all" in page
    assert f"the report {seconds['report']:.0f} s" in page
    assert f"a page of {result['report_bytes'] / 1e6:.0f} MB" in page
    assert f"softmax radii {seconds['radii, softmax']:.0f} s" in page
    for name in ("our_inputs_per_second", "rival_inputs_per_second"):
        assert f"{result[name]:,}" in page
    assert result["all"] < 60
    sampling = (ROOT / "docs" / "sampling.md").read_text()
    assert f"take {result['many_classes_bytes'] / 1e6:.0f} MB" in sampling
    assert f"open in {result['many_classes_seconds']:.1f} s" in sampling


def test_engine_figures():
    """And what they must show: Ray keeps most of the speed of local processes."""
    result = json.loads((ROOT / "benchmarks" / "results" / "engines.json").read_text())
    page = (ROOT / "docs" / "scaling.md").read_text()
    rates, units = result["draws_per_second"], result["leader_milliseconds_a_unit"]
    assert f"Ray made **{result['ray_of_local']:.2f}** of the draws" in page
    assert f"medians: {result['ray_of_local_median']:.2f}" in page
    assert f"| draws a second, best round | {rates['local']:,.0f} | {rates['ray']:,.0f} |" in page
    assert f"for a unit | {units['local']:.1f} ms | {units['ray']:.1f} ms |" in page
    one, many = result["part"]["one"], result["part"]["many"]
    assert f"{one['bytes']:,} bytes, took {one['write_milliseconds']:.0f} ms to write" in page
    assert f"200 inputs {many['bytes']:,} bytes, {many['write_milliseconds']:.0f} ms" in page
    assert f"{result['cores']} cores" in page
    assert result["rounds"] >= 5
    assert result["ray_of_local"] >= 0.85


def test_resuming_figures():
    """And what they must show: a share costs less than the whole, the whole less than twice."""
    result = json.loads((ROOT / "benchmarks" / "results" / "resuming.json").read_text())
    page = (ROOT / "docs" / "scaling.md").read_text()
    for name, seconds in result["seconds"].items():
        assert f"| {name} | {seconds:.1f} | {result['times_as_fast'][name]:.1f} |" in page
    assert f"{result['inputs']:,} parts of one input each" in page
    times = list(result["times_as_fast"].values())
    assert times == sorted(times, reverse=True) and times[0] > 10


def test_the_resuming_benchmark_reads_what_it_says(benchmark, tmp_path):
    resuming = benchmark("resuming")
    run = resuming.made(tmp_path / "run", 8)
    assert len(run.paths()) == 8
    assert [resuming.ours(run, shares) for shares in (4, 1)] == [2, 8] == [2, resuming.twice(run)]

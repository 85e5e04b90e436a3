"""How fast it is, and what that means for large runs.

Sampling (docs/sampling.md), everything after the draws (docs/architecture.md), engines, parts and
resuming, with what follows for ImageNet (docs/scaling.md).
"""

from typing import Any

from measured import format_table, percent_up, round_down, round_up

Result = dict[str, Any]
SAMPLERS = ("bare", "ours", "ours_counts_only", "ours_compiled", "reference", "all_copies")
INPUTS, DRAWS, RATE = 50_000, 100_000, 2500  # of ImageNet; the rate is a guess for one GPU
UNIT = 15  # seconds of work in a unit of an adaptive run
GPUS = (1, 8, 64, 512)


def tabulate_sampling(sampling: Result) -> str:
    """Draws a second and peak memory, by the way of drawing."""
    rates, rows = sampling["draws_per_second"], []
    for name in SAMPLERS:
        peaks = sampling["peak_megabytes"].get(name, {}).values()
        memory = f"{' and '.join(map(round_up, peaks))} MB" if peaks else ""
        share = round_down(rates[name] / rates["bare"], 2)
        rows.append([f"`{name}`", round_down(rates[name]), share, memory])
    head = ["way", "draws per second", "of `bare`", "peak memory, 1,000 and 4,000 draws"]
    return format_table(head, rows)


def summarise_sampling(sampling: Result) -> str:
    """Against the reference-style loop, and what histograms cost."""
    times = round_down(sampling["ours_compiled_of_reference"], 1)
    left = round_down(sampling["ours_with_histograms_of_bare_without_pilot"], 2)
    return (
        f"Compiled, it was {times} times as fast as the reference-style loop. Histograms leave "
        f"{left} of `bare`, and 32 more draws for each input choose the classes that get one."
    )


def tabulate_questions(batches: Result) -> str:
    """Rows asked for a small question, and the time against the classifier alone."""
    rows = []
    for found in batches["questions"]:
        draws, one = found["draws"], found["seconds_one_by_one"]
        rows.append(
            [
                f"{draws:,}",
                f"{found['rows']:,}",
                f"{round_up(1000 * found['seconds'])} ms",
                f"{round_up(1000 * found['seconds_together'])} ms",
                f"{round_up(1000 * one)} ms",
            ]
        )
    head = [
        "draws",
        "rows asked",
        "`certify`",
        "the network, all at once",
        "the network, row by row",
    ]
    return format_table(head, rows)


def tabulate_batches(batches: Result) -> str:
    """Rows a second of plain functions, by the rows of a batch."""
    rates = batches["rows_per_second"]
    sizes = list(next(iter(rates.values())))
    head = ["", *(f"{int(size):,} rows" for size in sizes)]
    return format_table(
        head,
        [
            [f"`{name}`", *(round_down(found[size]) for size in sizes)]
            for name, found in rates.items()
        ],
    )


def state_run_size(analysis: Result) -> str:
    """The folder of a large run, and the time to open it."""
    size = round_up(analysis["many_classes_bytes"] / 1e6, 1)
    seconds = round_up(analysis["many_classes_seconds"], 1)
    return f"{size} MB and open in {seconds} processor seconds"


def describe_analysis(analysis: Result) -> str:
    """The time after the draws."""
    seconds = analysis["seconds"]
    return (
        f"`python benchmarks/analysis.py`, {analysis['inputs']:,} inputs of ten classes with "
        f"scores and histograms of {analysis['bins']} bins, in processor seconds on "
        f"a machine with a load of {round_down(analysis['load'], 1)}: "
        "certificates of both kinds, three tables and the report took "
        f"{round_up(analysis['all'], 1)} s in all, of which the report "
        f"{round_up(seconds['report'], 1)} s (a page of "
        f"{round_up(analysis['report_bytes'] / 1e6, 1)} MB) and `cdf` with the other softmax radii "
        f"{round_up(seconds['radii, softmax'], 1)} s. "
        "Certificates by every mechanism of the multinomial kind came at "
        f"{analysis['our_inputs_per_second']:,} inputs per second; one after another, as the "
        f"field's code computes them, one radius each, at {analysis['rival_inputs_per_second']:,}."
    )


def describe_engines(engines: Result) -> str:
    """Ray beside local processes."""
    best, median = (round_down(engines[f"ray_of_local{x}"], 2) for x in ("", "_median"))
    return (
        f"On {engines['cores']} cores with little else to do, in {engines['rounds']} rounds of "
        f"each engine in turn, Ray made **{best}** times the draws per second of two local "
        f"processes (best rounds; medians: {median})."
    )


def tabulate_engines(engines: Result) -> str:
    """Rates, and the leader's time for a unit."""
    rates, units = engines["draws_per_second"], engines["leader_milliseconds_a_unit"]
    names = ("local", "ray")
    rows = [
        ["draws per second, best round", *(round_down(rates[name]) for name in names)],
        [
            "processor time of the leader per unit",
            *(f"{round_up(units[name], 1)} ms" for name in names),
        ],
    ]
    return format_table(["", "local processes", "Ray"], rows)


def tabulate_parts(engines: Result) -> str:
    """The files that workers write."""
    rows = []
    for part in engines["part"].values():
        times = [f"{round_up(part[f'{way}_milliseconds'], 1)} ms" for way in ("write", "read")]
        rows.append([part["inputs"], f"{part['bytes']:,}", *times])
    return format_table(["inputs in a part", "bytes", "write and flush", "read"], rows)


def tabulate_imagenet(draws: Result, rules: Result) -> str:
    """Days of GPUs, were nothing lost."""
    imagenet = rules["populations"]["ImageNet, sigma 1"]["rules"]
    tolerance = next(row for row in imagenet if row["rule"] == "atol=0.05")
    published = [row for row in draws["adaptive"] if row["case"].startswith("published")]
    cases = {
        f"fixed, all {INPUTS:,} inputs": 1.0,
        "`--until atol=0.05`": tolerance["draws"] / rules["most"],
        "`--until radius=R`": max(row["share_of_draws"] for row in published),
        "fixed, every 100th input, as the field does": 0.01,
    }
    rows = []
    for name, share in cases.items():
        seconds = INPUTS * DRAWS / RATE * share
        times = [_format_duration(seconds / gpus) for gpus in GPUS]
        rows.append([name, percent_up(share, 0), *times])
    return format_table(["", "draws", "1 GPU", *map(str, GPUS[1:])], rows)


def _format_duration(seconds: float) -> str:
    """In the largest unit of which it has more than one."""
    for unit, length in (("days", 86_400), ("h", 3600)):
        if seconds > length:
            value = seconds / length
            return f"{round_up(value, 1 if value < 10 else 0)} {unit}"
    return f"{round_up(seconds / 60)} min"


def state_time_saved(draws: Result) -> str:
    """Of the saving in draws."""
    return round_down(draws["wall_time"]["ratio"], 2)


def describe_leader(engines: Result) -> str:
    """How many workers one leader can serve."""
    unit = engines["leader_milliseconds_a_unit"]["ray"] / 1000
    fixed, adaptive = (_round_hundreds(work / unit) for work in (DRAWS / RATE, UNIT))
    return (
        f"A fixed unit is one input, {DRAWS / RATE:.0f} s; adaptive ones take about {UNIT} s. With "
        f"{round_up(1000 * unit, 1)} ms of the leader's time per unit, the leader is busy all the "
        f"time at about {fixed} workers (fixed) or {adaptive} (adaptive)."
    )


def describe_writes(engines: Result) -> str:
    """How many workers one disk can serve."""
    write = engines["part"]["one"]["write_milliseconds"] / 1000
    return (
        f"One file takes {round_up(1000 * write, 1)} ms here, so this disk, one write after "
        f"another, would be the limit at about {_round_hundreds(DRAWS / RATE / write)} workers."
    )


def _round_hundreds(value: float) -> str:
    return f"{int(value) // 100 * 100:,}"


def describe_folder(engines: Result, analysis: Result) -> str:
    """The size of a run of ImageNet, in large parts and in small ones."""
    one, many = engines["part"]["one"], engines["part"]["many"]
    own = round_up((one["bytes"] - many["bytes"] / many["inputs"]) / 1000)
    large = round_up(analysis["many_classes_bytes"] / 1e6, 1)
    small = round_up(INPUTS * one["bytes"] / 1e6)
    read = one["read_milliseconds"]
    return (
        f"{INPUTS:,} inputs of 1,000 classes take {large} MB in large parts. But fixed runs at "
        f"{DRAWS:,} draws write one part per input, and a Parquet file has about {own} KB of its "
        f"own: {INPUTS:,} parts are about {small} MB and, at {round_up(read, 1)} ms each, take "
        f"about {round_up(INPUTS * read / 60_000)} minutes to open."
    )


def tabulate_scale(scale: Result) -> str:
    """Seconds and memory of everything that reads a run of many parts, before and after."""
    head = ["seconds, and MB of memory", "before", "now", "now, parts merged"]
    rows = [[name] for name in ("open", "certify", "verify", "table", "report", "compact")]
    for row in rows:
        for code in ("before", "now", "merged"):
            cost = scale["costs"].get(code, {}).get(row[0])
            row.append(f"{round_up(cost['seconds'], 1)}, {cost['megabytes']:.0f}" if cost else "-")
    return format_table(head, rows)


def describe_scale(scale: Result) -> str:
    """What the table is of, and what it shows of files and of verify."""
    files, merged, now = scale["files"], scale["merged_files"], scale["costs"]["now"]
    ratio = round_up(now["verify"]["seconds"] / now["certify"]["seconds"], 1)
    ours = scale["costs"]["merged"]
    after = round_up(ours["verify"]["seconds"] / ours["certify"]["seconds"], 1)
    before = f"*Before* is commit {scale['before']}. " if scale.get("before") else ""
    large, small = (round_up(held["bytes"] / 1e6, 1) for held in (files, merged))
    return (
        f"{scale['inputs']:,} inputs of ten classes, counts alone, in {files['parts']:,} parts of "
        f"{large} MB; merged, {merged['parts']} of {small} MB. {before}`verify` takes {ratio} "
        f"times the time of `certify`, and {after} times with merged parts. Seconds are of a "
        f"processor of a machine with a load of {scale['load']}."
    )


def tabulate_resuming(resuming: Result) -> str:
    """Seconds to resume, by the share that a process draws."""
    rows = [
        [name, round_up(seconds, 1), round_down(resuming["times_as_fast"][name], 1)]
        for name, seconds in resuming["seconds"].items()
    ]
    return format_table([f"{resuming['inputs']:,} parts", "seconds", "times as fast"], rows)

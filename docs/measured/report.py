"""Size and speed of the report (docs/report.md)."""

from typing import Any

from measured import format_table, round_up


def tabulate_report(report: dict[str, Any]) -> str:
    """Each page: what is in it, how large it is and how soon it opens."""
    head = ["inputs", "runs", "kinds", "page", "written in", "opens in", "sorts in", "points drawn"]
    rows = [
        [
            f"{page['inputs']:,}",
            str(page["runs"]),
            str(page["kinds"]),
            f"{round_up(page['megabytes'], 1)} MB",
            f"{round_up(page['seconds_to_write'], 1)} s",
            f"{round_up(page['seconds_to_open'], 1)} s",
            f"{round_up(page['seconds_to_sort'], 1)} s",
            f"{page['points_drawn']:,}",
        ]
        for page in report["pages"].values()
    ]
    loads = [page["load"] for page in report["pages"].values()]
    load = f"The machine has two cores and had a load of {min(loads):g} to {max(loads):g}."
    return f"{format_table(head, rows)}\n\n{load}"

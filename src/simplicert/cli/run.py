"""`simplicert run`: sample, certify and report in one command."""

import inspect
from pathlib import Path
from typing import Any

from simplicert.cli.sample import sample


def run(**options: Any) -> None:
    """Sample, certify by the declared settings into OUT.csv, report into OUT.html.

    The options are `sample`'s. A process that draws one shard of several leaves the rest to the
    one that finds all shards drawn.

    Example: simplicert run --model net.pt2 --data digits --step 100 --sigma .25 --draws 1000
    --out mine
    """
    from simplicert.cli.certify import certify
    from simplicert.cli.report import write_page
    from simplicert.cli.saying import print_warning
    from simplicert.metrics.study import read_studies
    from simplicert.store import open_run

    sample(**options)
    out: Path = options["out"]
    opened = open_run(out)
    if opened.missing:
        print_warning(
            f"{opened.missing} of {opened.manifest.inputs} inputs are missing, those of other "
            f"shards: when all are drawn, `simplicert certify {out} --out {out}.csv` and "
            f"`simplicert report {out}`"
        )
        return
    certify(out, out=out.with_name(out.name + ".csv"))
    page = out.with_name(out.name + ".html")
    write_page(read_studies([out], {}), page, options["data"], quiet=options["quiet"])


# The command has the options of `sample`, written once there.
run.__signature__ = inspect.signature(sample)  # type: ignore[attr-defined]

run.__annotations__ = sample.__annotations__

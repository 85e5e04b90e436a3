"""Several runs in one table."""

from collections.abc import Sequence

from simplicert.analysis.evidence import compares_mechanisms, top_alone_sentence
from simplicert.analysis.metrics import average_radius, certified_accuracy, top1
from simplicert.analysis.report.views import View
from simplicert.analysis.tables import Grid
from simplicert.analysis.tables.draws import number_of_draws
from simplicert.analysis.tables.numbers import share_down
from simplicert.types import Certificates, Kind
from simplicert.types.text import rounded_down


def comparison_tables(views: Sequence[View], radii: Sequence[float]) -> list[tuple[Kind, Grid]]:
    """One table a kind, one row a run; none where no kind has two runs."""
    found = []
    for kind in dict.fromkeys(view.kind for view in views):
        mine = [view for view in views if view.kind == kind and view.certificates is not None]
        if len(mine) > 1:
            found.append((kind, one_table(mine, radii)))
    return found


def one_table(views: Sequence[View], radii: Sequence[float]) -> Grid:
    """Runs against the same radii; accuracies only where all have labels."""
    labelled = all(view.labels is not None for view in views)
    headings = ["run", "sigma", "draws", "certified"]
    if labelled:
        headings += ["top-1", *(f"acc>{radius:g}" for radius in radii)]
    headings += ["mean radius", "of ensemble", "of Cohen"]
    rows = []
    alone: dict[str, list[str]] = {}  # why there is nothing to compare -> runs
    for view in views:
        certificates = view.certificates
        assert certificates is not None
        row = [view.title, f"{view.study.sigma:g}"]
        row.append(number_of_draws(certificates).removeprefix("n = ").removeprefix("n "))
        row.append(f"{int((~view.abstained).sum())} of {len(view.frame)}")
        if labelled:
            rates = [certified_accuracy(certificates, radius) for radius in radii]
            row += [share_down(rate.hits, rate.total) for rate in (top1(certificates), *rates)]
        rows.append((*row, *mean_radii(certificates, labelled)))
        alone.setdefault(top_alone_sentence(certificates), []).append(view.title)
    counted = "a wrong or refused input counts as 0" if labelled else "a refused input counts as 0"
    note = f"acc>r: certified as the label beyond r by the best radius; mean radius: {counted}"
    reasons = [f"{', '.join(names)}: {reason}" for reason, names in alone.items() if reason]
    return Grid("Side by side", tuple(headings), rows, (note, *reasons))


def mean_radii(certificates: Certificates, labelled: bool) -> list[str]:
    """Of the best radius, of the ensemble, of Cohen's; empty where there is no such evidence."""
    cells = []
    held = certificates.columns if compares_mechanisms(certificates) else ()
    for name in ("radius", "ensemble", "cohen"):
        if name not in (*held, "radius"):
            cells.append("")
        elif labelled:
            cells.append(rounded_down(average_radius(certificates, name).value))
        else:
            cells.append(rounded_down(float(certificates.column(name).mean())))
    return cells

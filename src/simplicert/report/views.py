"""Hold one run's certificates of one kind as the page shows them, and rank the inputs by risk.

`View` is the table of one run and kind, and `make_views` makes those of all runs.
`risk_order` says which inputs to look at first, and `describe_risk_order` explains the order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simplicert.metrics.study import Study, columns_to_show, compares_mechanisms
from simplicert.noises import NOISES
from simplicert.store import ImportedRun
from simplicert.types import Bools, Certificates, Floats, Ints, Kind

if TYPE_CHECKING:
    import pandas as pd


NO_CLASS = -1  # the predicted class of an abstention

RISK_ORDER = (
    "Riskiest first: certified as another class than the label, the largest radius first, because "
    "the promise is far-reaching and wrong; then the abstentions; then what is certified as its "
    "label, the smallest radius first."
)

RISK_ORDER_UNLABELLED = "Riskiest first: the abstentions, then the certified ones by rising radius."


@dataclass(frozen=True, eq=False)
class View:
    """The table of one run and kind. A log of bare radii has a table and no certificates."""

    study: Study
    run: int  # the run's place among those of the page
    kind: Kind
    frame: "pd.DataFrame"
    certificates: Certificates | None

    @property
    def csv(self) -> str:
        """The table as `write_certificates` writes it: the page reads this very text."""
        return str(self.frame.to_csv(index=False, lineterminator="\n"))

    @property
    def title(self) -> str:
        """The run's name, marked where it did not declare these settings."""
        marked = self.certificates is not None and self.certificates.exploratory
        return f"{self.study.name} (exploratory)" if marked else self.study.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of radii that can be switched on and off."""
        if self.certificates is None:
            return ("radius",)
        return columns_to_show(self.certificates)

    @property
    def compares(self) -> bool:
        """Whether it is evidence about mechanisms, so that one of them can be the largest."""
        return self.certificates is not None and compares_mechanisms(self.certificates)

    @cached_property
    def index(self) -> Ints:
        """(N,) the numbers of the inputs."""
        return np.asarray(self.frame["index"], dtype=np.int64)

    @cached_property
    def radius(self) -> Floats:
        """(N,) the best radius, 0 where abstained."""
        return np.asarray(self.frame["radius"], dtype=float)

    @cached_property
    def predicted(self) -> Ints:
        """(N,) the certified class; -1 where abstained."""
        return np.asarray(self.frame["predicted"].fillna(NO_CLASS), dtype=np.int64)

    @property
    def abstained(self) -> Bools:
        """(N,) where nothing is promised."""
        if self.certificates is not None:
            return self.certificates.abstained
        return ~(self.radius > 0)

    @property
    def closed(self) -> bool:
        """Whether radii cover changes that are exactly as large, as whole numbers do."""
        return self.certificates is not None and self.certificates.closed

    @property
    def whole(self) -> bool:
        """Whether radii are whole numbers."""
        return NOISES[self.study.noise.name].whole

    @property
    def norm(self) -> str:
        """The norm of the radii."""
        return self.study.measured_in

    @cached_property
    def labels(self) -> Ints | None:
        """(N,) the true classes, where the run has them."""
        column = self.frame["label"]
        return None if column.isna().any() else np.asarray(column, dtype=np.int64)

    @property
    def correct(self) -> Bools:
        """(N,) where the label's class is certified; only where there are labels."""
        return np.asarray(~self.abstained & (self.predicted == self.labels))


def make_views(studies: Sequence[Study]) -> list[View]:
    """Return every kind of every run, the declared kind of the first run first."""
    return [view for place, study in enumerate(studies) for view in _make_run_views(study, place)]


def _make_run_views(study: Study, place: int) -> list[View]:
    """Return a run's views; what cannot be certified anew is shown as its log had it."""
    run = study.run
    if isinstance(run, ImportedRun) and run.holds == "radii":
        frame = run.to_frame()
        if study.only is not None:
            frame = frame[frame["index"].isin(study.only)].sort_values("index", ignore_index=True)
        return [View(study, place, study.kinds[0], frame, None)]
    by_kind = {kind: study.certificates(kind) for kind in study.kinds}
    return [
        View(study, place, kind, certificates.to_frame(), certificates)
        for kind, certificates in by_kind.items()
    ]


def risk_order(view: View) -> Ints:
    """Return (N,) rows, the riskiest first; `describe_risk_order` says how. Ties go by number."""
    if view.labels is None:
        return np.lexsort((view.index, view.radius))
    wrong = ~view.abstained & ~view.correct
    group = np.select([wrong, view.abstained], [0, 1], 2)
    within = np.where(wrong, -view.radius, view.radius)
    return np.lexsort((view.index, within, group))


def describe_risk_order(view: View) -> str:
    """Explain the order to the reader of the page."""
    return RISK_ORDER if view.labels is not None else RISK_ORDER_UNLABELLED

"""Say which inputs runs share, and restrict runs to those that all of them hold.

An input is known by its number in its data set, and the number is believed where the fingerprints
of the data, or else the labels, do not contradict it. `relate_inputs` finds out what runs share,
`share_inputs` keeps the inputs that all of them hold, and `describe_inputs` says what a table,
figure or page of runs on different inputs must say. The row of a file is never a number: a table
of counts without an index numbers its rows, and is matched only if `import --start --step` said
which inputs these rows are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.metrics.study import Study
from simplicert.types import Ints

MOST_NAMED_INPUTS = 10  # listed one by one in a message
MOST_NAMED_RUNS = 4
ROWS = "rows"  # how a run numbers its inputs if its file had no index


@dataclass(frozen=True, eq=False)
class InputRelation:
    """What several runs share: `same` if all hold the same inputs, else `common` to all of them.

    `apart` says why numbers of inputs cannot be matched between the runs at all; "" if they can.

    >>> import numpy as np
    >>> import simplicert as sc
    >>> sc.metrics.InputRelation(same=False, common=np.array([0, 20])).apart
    ''
    """

    same: bool
    common: Ints
    apart: str = ""
    unchecked: tuple[str, ...] = ()  # runs whose numbers neither labels nor a fingerprint confirm


def relate_inputs(studies: Sequence[Study]) -> InputRelation:
    """Find the inputs that all runs hold; refuse a run that holds an input twice.

    >>> import tempfile
    >>> import simplicert as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     studies = []
    ...     for name, index in ("few", [0, 20]), ("more", [0, 10, 20]):
    ...         tally = sc.Tally([[9, 1]] * len(index), 0.5, labels=[0] * len(index), index=index)
    ...         settings = sc.Manifest(sigma=0.5, inputs=len(index), classes=2)
    ...         run = sc.create_run(f"{folder}/{name}", settings, tally)
    ...         studies.append(sc.metrics.Study(name, run))
    ...     sc.metrics.relate_inputs(studies).common
    array([ 0, 20])
    """
    if len(studies) > 1:
        _require_each_input_once(studies)
    held = [np.sort(study.index) for study in studies]
    common = held[0]
    for index in held[1:]:
        common = np.intersect1d(common, index)
    same = all(np.array_equal(held[0], index) for index in held[1:])
    apart = _explain_other_data(studies) or _explain_other_labels(studies)
    if not apart and (not same or _mixes_rows_and_numbers(studies)):
        apart = _explain_row_numbers(studies)
    prints = {study.run.manifest.data_fingerprint for study in studies}
    alone = [] if len(studies) < 2 or (len(prints) == 1 and None not in prints) else studies  # noqa: PLR2004
    return InputRelation(
        same and not apart, common, apart, tuple(one.name for one in alone if _is_unchecked(one))
    )


def share_inputs(studies: Sequence[Study]) -> list[Study]:
    """Return the runs restricted to the inputs that all of them hold; refuse where there are none.

    >>> import tempfile
    >>> import simplicert as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     studies = []
    ...     for name, index in ("few", [0, 20]), ("more", [0, 10, 20]):
    ...         tally = sc.Tally([[9, 1]] * len(index), 0.5, labels=[0] * len(index), index=index)
    ...         settings = sc.Manifest(sigma=0.5, inputs=len(index), classes=2)
    ...         run = sc.create_run(f"{folder}/{name}", settings, tally)
    ...         studies.append(sc.metrics.Study(name, run))
    ...     [len(study.certificates()) for study in sc.metrics.share_inputs(studies)]
    [2, 2]
    """
    found = relate_inputs(studies)
    require(not found.apart, f"runs must have inputs in common, and {found.apart}")
    if found.same:
        return list(studies)
    if not found.common.size:
        raise InvalidInput(
            "runs must have inputs in common, and no input is in all of them: "
            + name_runs([f"{study.name} has {_say_range(study.index)}" for study in studies])
        )
    return [replace(study, parent=study, only=found.common) for study in studies]


def describe_inputs(studies: Sequence[Study]) -> list[str]:
    """Say what readers of runs on different inputs must know; nothing if the inputs are the same.

    The first sentence also says what runs were restricted to.
    """
    if len(studies) < 2:  # noqa: PLR2004
        return []
    found = relate_inputs(studies)
    unsure = (
        [
            f"inputs are matched by their number alone: {name_runs(found.unchecked)} "
            f"{'has' if len(found.unchecked) == 1 else 'have'} no labels that could confirm it"
        ]
        if found.unchecked and not found.apart
        else []
    )
    if any(study.parent is not None for study in studies):
        held = [f"{study.name} ({study.held:,})" for study in studies]
        return [
            f"common: the {len(studies[0].index):,} inputs that all {len(studies)} runs hold, of "
            + name_runs(held),
            *unsure,
        ]
    if found.same:
        return unsure
    if found.apart:
        return [f"unpaired: inputs of the runs cannot be matched, as {found.apart}"]
    numbers = "no input is in all of them"
    if found.common.size:
        numbers = f"{found.common.size:,} inputs are in all of them, and --common keeps those alone"
    return [
        "unpaired: the runs are on different inputs, so a difference between them may be one of "
        f"inputs; {numbers}",
        *unsure,
    ]


def _require_each_input_once(studies: Sequence[Study]) -> None:
    """Refuse runs in which an input stands in several rows."""
    for study in studies:
        rows, inputs = study.index.size, np.unique(study.index).size
        require(
            rows == inputs,
            f"runs must hold each input once to be compared, and {study.name} holds {rows} rows "
            f"for {inputs} inputs",
        )


def _explain_other_data(studies: Sequence[Study]) -> str:
    """Say that runs were drawn from different data; "" if none is known to be."""
    prints: dict[str, Study] = {}
    for study in studies:
        if study.run.manifest.data_fingerprint is not None:
            prints.setdefault(study.run.manifest.data_fingerprint, study)
    if len(prints) < 2:  # noqa: PLR2004
        return ""
    named = [f"{study.name} from {study.data or 'unnamed data'}" for study in prints.values()]
    return f"these were drawn from different data: {name_runs(named)}"


def _explain_other_labels(studies: Sequence[Study]) -> str:
    """Say which two runs give the same number different labels; "" if none do."""
    index, label = np.zeros(0, np.int64), np.zeros(0, np.int64)
    seen: list[Study] = []
    for study in studies:
        if study.labels is None:
            continue
        _, old, new = np.intersect1d(index, study.index, return_indices=True)
        if (label[old] != study.labels[new]).any():
            return _name_label_conflict(seen, study)
        fresh = ~np.isin(study.index, index)
        index = np.concatenate([index, study.index[fresh]])
        label = np.concatenate([label, study.labels[fresh]])
        seen.append(study)
    return ""


def _name_label_conflict(seen: Sequence[Study], study: Study) -> str:
    """Name the first run that contradicts this one, and where."""
    assert study.labels is not None
    for other in seen:
        assert other.labels is not None
        shared, old, new = np.intersect1d(other.index, study.index, return_indices=True)
        differ = shared[other.labels[old] != study.labels[new]]
        if differ.size:
            stands = [one.name for one in (other, study) if _labels_stand_in(one)]
            why = f" (in {' and '.join(stands)} class 0 stands for any label)" if stands else ""
            return (
                f"{other.name} and {study.name} give {differ.size} of them different labels{why}: "
                f"{list_first_inputs(differ)}"
            )
    raise AssertionError("a label was contradicted by no run")


def _mixes_rows_and_numbers(studies: Sequence[Study]) -> bool:
    """Whether rows of a file would be matched with numbers of inputs that no label confirms."""
    rows = [one.run.manifest.source.get("numbered") == ROWS for one in studies]
    return any(rows) and not all(rows) and any(one.labels is None for one in studies)


def _explain_row_numbers(studies: Sequence[Study]) -> str:
    """Name the runs that know the rows of a file and not the numbers of its inputs."""
    named = [one.name for one in studies if one.run.manifest.source.get("numbered") == ROWS]
    if not named:
        return ""
    have = "has" if len(named) == 1 else "have"
    return (
        f"{name_runs(named)} {have} the rows of a file for numbers of inputs: import with --start "
        "and --step says which inputs these are"
    )


def _labels_stand_in(study: Study) -> bool:
    """Whether class 0 stands for the label of every input, as in logs of double sampling."""
    return study.run.manifest.source.get("format") == "dsrs"


def _is_unchecked(study: Study) -> bool:
    """Whether nothing but the number says which input a row is about."""
    return study.labels is None or _labels_stand_in(study)


def _say_range(index: Ints) -> str:
    """Say how many inputs there are, and between which numbers."""
    return f"{index.size:,} inputs from {index.min()} to {index.max()}"


def name_runs(names: Iterable[str], between: str = ", ") -> str:
    """List a few runs and say how many more there are."""
    listed = list(names)
    more = len(listed) - MOST_NAMED_RUNS
    if more < 2:  # noqa: PLR2004
        return between.join(listed)
    return f"{between.join(listed[:MOST_NAMED_RUNS])} and {more} more"


def list_first_inputs(inputs: Ints) -> str:
    """List the numbers of the first inputs, and say how many more there are."""
    more = f" and {inputs.size - MOST_NAMED_INPUTS} more" if inputs.size > MOST_NAMED_INPUTS else ""
    return ", ".join(str(item) for item in inputs[:MOST_NAMED_INPUTS]) + more

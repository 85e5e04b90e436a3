"""Open runs under the names that tables and figures use, and check that they can be compared.

`Study` is one opened run with its certificates, and `read_studies` opens several. The `require_`
functions refuse runs on different inputs, labels or norms.

`compares_mechanisms` says whether certificates are evidence about mechanisms. An imported log of
radii, and the method `one_sided`, bound the top class alone: E1 is 1 - E0 and was never measured.
Then Cohen's radius is the largest that can be proved, two_sided and the ensemble repeat it, and a
table of who wins would compare one number with itself.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from simplicert.errors import DamagedRun, SimplicertError, choose, require
from simplicert.logs.audit import find_disproofs
from simplicert.noises import NoiseModel, default_norm
from simplicert.noises.words import strength_of
from simplicert.store import Run, open_run
from simplicert.store.attacks import AttackRow, attack_path, read_attack
from simplicert.store.imported import ImportedRun
from simplicert.store.label_warning import recorded_label_warning
from simplicert.types import KINDS, Certificates, Ints, Kind, Tally
from simplicert.types.selection import select_certificates
from simplicert.types.tally import select_inputs

ONE_SIDED = "one_sided"  # the method that bounds the top class alone

# Where mechanisms are not compared, the first of these that exists stands for all columns.
FALLBACK_COLUMNS = ("cohen", "one_sided", "two_sided")


@dataclass(frozen=True)
class Study:
    """An opened run under the name that tables and figures give it.

    Certificates are by the settings the run declared. Those of the other kind are too, where the
    run holds the evidence for it, and are then marked exploratory.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = sc.Manifest(sigma=0.5, inputs=2, classes=3)
    ...     study = sc.metrics.Study("mine", sc.create_run(f"{folder}/run", settings, tally))
    ...     study.certificates().radius.round(3), study.kinds
    (array([0.992, 0.   ]), ('multinomial',))
    """

    name: str
    run: Run | ImportedRun
    sensitivity: float | None = None  # of a stage before the noise; None: what the run declares
    norm: str | None = None  # of its radii; None: the usual one of its noise
    size: int | None = None  # features of an input, where the norm needs them and no run knows
    parent: "Study | None" = field(default=None, compare=False)  # of which this is a part
    only: Ints | None = field(default=None, compare=False)  # numbers of the inputs of that part

    @property
    def sigma(self) -> float:
        """The noise's scale, in units of the input: of Gaussian noise its standard deviation."""
        return self.run.manifest.sigma

    @property
    def noise(self) -> NoiseModel:
        """The noise that the run was drawn with."""
        return self.run.manifest.noise_model

    @property
    def strength(self) -> tuple[str, float]:
        """What tells runs of one noise apart, and how much of it: sigma, scale, keep or rate."""
        return strength_of(self.noise, self.sigma)

    @property
    def measured_in(self) -> str:
        """The norm of its radii; "scaled ..." where each feature had its own share of noise."""
        scaled = "scaled " if "noise_scale" in self.run.manifest.source else ""
        return scaled + (self.norm or default_norm(self.noise)).removeprefix("scaled ")

    @property
    def stage(self) -> float:
        """The sensitivity that its certificates are made with."""
        declared = self.run.manifest.sensitivity
        return declared if self.sensitivity is None else self.sensitivity

    @property
    def data(self) -> str:
        """The data set's name as the run recorded it; for an imported log, its file's name."""
        manifest = self.run.manifest
        return str(manifest.made.get("data") or manifest.source.get("file") or "")

    @property
    def class_names(self) -> tuple[str, ...] | None:
        """A name for each class, where the data had names."""
        names = self.run.manifest.made.get("class_names")
        return None if names is None else tuple(str(name) for name in names)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that can be certified from what the run holds, the declared one first."""
        declared = KINDS[self.run.manifest.kind]
        return (declared, *self._other_kinds(declared))

    def _other_kinds(self, declared: Kind) -> list[Kind]:
        found: list[Kind] = []
        for kind in dict.fromkeys(KINDS.values()):
            if kind != declared:
                try:
                    self.certificates(kind)
                except SimplicertError:  # no scores, no votes, or a log: not of this kind
                    continue
                found.append(kind)
        return found

    @cached_property
    def _made(self) -> dict[Kind, Certificates]:
        return {}

    def certificates(self, kind: str | None = None) -> Certificates:
        """Return the certificates of one kind, by default the declared one; computed once."""
        wanted = choose("kind", kind or self.run.manifest.kind, KINDS)
        if self.parent is not None and wanted not in self._made:
            whole = self.parent.certificates(wanted)
            self._made[wanted] = select_certificates(whole, self._rows_of(whole.known.index))
        if wanted not in self._made:
            try:
                self._made[wanted] = self.run.certify(
                    kind=wanted, sensitivity=self.sensitivity, norm=self.norm, size=self.size
                )
            except SimplicertError as error:
                raise type(error)(f"run {self.name}: {error}") from None
        return self._made[wanted]

    def attack(self, kind: str | None = None) -> list[AttackRow]:
        """Return the rows of an attack on the certificates of one kind; [] if there was none."""
        manifest = self.run.manifest
        wanted = choose("kind", kind or manifest.kind, KINDS)
        path = attack_path(self.run.folder, manifest, wanted)
        rows = read_attack(path) if os.path.lexists(path) else []
        if any((row.run, row.kind) != (manifest.id, wanted) for row in rows):
            raise DamagedRun(f"{path} is of another run or kind: it does not belong here")
        if self.only is None:
            return rows
        kept = set(self.only.tolist())
        return [row for row in rows if row.index in kept]

    def _rows_of(self, index: Ints) -> Ints:
        """Return where the inputs of this part stand among all of them."""
        assert self.only is not None
        order = np.argsort(index)
        return np.asarray(order[np.searchsorted(index[order], self.only)])

    @property
    def tally(self) -> Tally:
        """The run's tally; an imported log has none, and the error says why."""
        whole = self.run.tally()
        return whole if self.only is None else select_inputs(whole, self._rows_of(whole.index))

    @property
    def held(self) -> int:
        """How many inputs the run holds, also those that a part leaves out."""
        return len(self.parent.index if self.parent is not None else self.index)

    @property
    def index(self) -> Ints:
        """(N,) numbers of the inputs."""
        index = self.certificates().known.index
        assert index is not None
        return index

    @property
    def labels(self) -> Ints | None:
        """(N,) the true classes, where the run has them."""
        return self.certificates().known.labels

    @property
    def lacking(self) -> str:
        """What an incomplete run still lacks, inputs or draws, in words; "" if it is complete."""
        run, total = self.run, self.run.manifest.inputs
        if not run.missing:
            return ""
        begun = int((run.stopped == "").sum()) if isinstance(run, Run) and run.paths() else 0
        absent = run.missing - begun
        failed = len(run.failed) if isinstance(run, Run) else 0
        also = f", of which {failed} failed" if failed else ""
        words = [f"{absent} of {total} inputs are missing{also}"] if absent else []
        if begun:
            words.append(f"{begun} of {total} inputs may still draw more")
        return " and ".join(words)

    @property
    def disproofs(self) -> tuple[str, ...]:
        """Reasons why the level stated with an imported log cannot be true; usually empty."""
        return find_disproofs(self.run)

    @property
    def label_doubt(self) -> str:
        """Why labels and classes may not match; "" without labels or without a reason for doubt."""
        doubt = recorded_label_warning(self.run.manifest)
        return doubt if doubt and self.labels is not None else ""

    def require_labels(self, purpose: str) -> None:
        """Refuse what needs labels if the run has none, naming the run."""
        require(
            self.labels is not None,
            f"labels are needed for {purpose}, and the run {self.name} has none",
        )


def read_studies(
    folders: Sequence[Path | str],
    labels: Mapping[str, str] | None = None,
    *,
    one_name_per_sigma: bool = False,
    sensitivity: float | None = None,
    norm: str | None = None,
    size: int | None = None,
) -> list[Study]:
    """Open each run; its name is the folder's, or what `labels` gives for the folder as written.

    A run that recorded a label when it was imported has that name, if it tells the runs apart.

    With `one_name_per_sigma`, runs of different sigmas may share a name: one method at each sigma.
    `sensitivity` replaces what each run declares, `norm` the usual one of its noise; `size` is the
    number of features, for runs that did not record it.

    >>> import tempfile
    >>> import simplicert as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, sigma in ("little", 0.25), ("much", 1.0):
    ...         settings = sc.Manifest(sigma=sigma, inputs=1, classes=3)
    ...         _ = sc.create_run(f"{folder}/{name}", settings, sc.Tally([[990, 8, 2]], sigma))
    ...     studies = sc.metrics.read_studies([f"{folder}/little", f"{folder}/much"])
    >>> [(study.name, study.sigma) for study in studies]
    [('little', 0.25), ('much', 1.0)]
    """
    require(len(folders) > 0, "runs must name at least one run folder, got none")
    names = {str(Path(folder)): name for folder, name in (labels or {}).items()}
    unknown = set(names) - {str(Path(folder)) for folder in folders}
    require(not unknown, f"label must name a run that is given, got {', '.join(sorted(unknown))}")
    studies = [
        Study(
            names.get(str(Path(folder))) or run.manifest.label or Path(folder).resolve().name,
            run,
            sensitivity,
            norm,
            size,
        )
        for folder, run in ((folder, open_run(folder)) for folder in folders)
    ]
    studies = _tell_apart(studies, set(names.values()), one_name_per_sigma)
    taken = [(study.name, study.strength if one_name_per_sigma else None) for study in studies]
    twice = sorted({name for name, sigma in taken if taken.count((name, sigma)) > 1})
    at = " at one sigma" if one_name_per_sigma else ""
    require(
        not twice, f"runs must have different names{at}, got {', '.join(twice)} twice: use label"
    )
    return studies


def _tell_apart(studies: list[Study], given: set[str], one_name_per_sigma: bool) -> list[Study]:
    """Add sigma where the labels that runs recorded do not tell them apart, else use folders."""
    for spell in (_name_and_strength, _name_of_folder):
        keys = [(study.name, study.strength if one_name_per_sigma else None) for study in studies]
        studies = [
            replace(study, name=spell(study))
            if keys.count(key) > 1 and study.name not in given and study.run.manifest.label
            else study
            for study, key in zip(studies, keys, strict=True)
        ]
    return studies


def _name_and_strength(study: Study) -> str:
    """Return a run's name with its sigma, or what its noise has for it."""
    return f"{study.name}, {study.strength[0]} {study.strength[1]:g}"


def _name_of_folder(study: Study) -> str:
    """Return the name of a run's folder."""
    return study.run.folder.resolve().name


def compares_mechanisms(certificates: Certificates) -> bool:
    """Whether a second class was bounded too, so that mechanisms can differ."""
    known = certificates.known
    return known.scheme != "imported" and known.method != ONE_SIDED


def columns_to_show(certificates: Certificates) -> tuple[str, ...]:
    """Return the columns of radii to show: all of them, or the one there is evidence for."""
    held = certificates.columns
    if compares_mechanisms(certificates):
        return held
    return tuple(name for name in FALLBACK_COLUMNS if name in held)[:1] or held[:1]


def explain_no_comparison(certificates: Certificates) -> str:
    """Say why mechanisms are not compared; "" where they can be."""
    if compares_mechanisms(certificates):
        return ""
    imported = certificates.known.scheme == "imported"
    who = "the log" if imported else f"method {ONE_SIDED}"
    base = columns_to_show(certificates)[0]
    whose = "Cohen's radius" if base == "cohen" else f"the radius {base}"
    return f"{who} bounds the top class alone, so no mechanism can improve on {whose}"


def require_comparable(several: Iterable[tuple[str, Certificates]], what: str) -> None:
    """Refuse a table or figure about mechanisms if a run is no evidence about them."""
    for name, certificates in several:
        reason = explain_no_comparison(certificates)
        require(not reason, f"{what} compares mechanisms, and run {name} cannot: {reason}")

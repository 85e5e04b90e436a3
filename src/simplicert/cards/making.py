"""Make the card of a run, and keep it as words before it is written in any form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simplicert.cards.badge import describe_badge, render_badge
from simplicert.cards.evidence import DRAWS, CardEvidence, gather_evidence
from simplicert.cards.facts import (
    CardSection,
    abstention_section,
    accuracy_section,
    cost_section,
    hide_folders,
    population_section,
    scope_sections,
    settings_section,
    verification_section,
)
from simplicert.cards.forms import render_html, render_markdown
from simplicert.cards.model_card import make_model_index, render_model_card
from simplicert.cards.sentences import sentences_not_to_say, sentences_to_say
from simplicert.errors import require
from simplicert.metrics.study import Study
from simplicert.report.cautions import view_cautions
from simplicert.store import ImportedRun, Run, open_run


@dataclass(frozen=True, eq=False)
class Card:
    """What may be said of a run and what may not, before it is written.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = sc.Manifest(sigma=0.5, inputs=2, classes=3)
    ...     made = sc.card(sc.create_run(f"{folder}/mine", settings, tally))
    >>> [section.title for section in made.sections][:2]
    ['What is certified', 'What is not certified']
    """

    name: str
    cautions: tuple[str, ...]  # to be read before anything else
    sections: tuple[CardSection, ...]
    model_index: tuple[dict[str, Any], ...]  # results as a Hugging Face model card lists them
    believable: bool  # whether nothing disproves the certificates
    badge: tuple[str, str, bool] = ("", "", False)  # its text, its title, and whether it is sound

    def to_markdown(self) -> str:
        """Return the card as Markdown; text from outside is escaped."""
        return render_markdown(self.name, self.cautions, self.sections)

    def to_html(self) -> str:
        """Return the card as one HTML page without scripts, which calls nothing."""
        return render_html(self.name, self.cautions, self.sections)

    def to_badge(self) -> str:
        """Return the badge as SVG: certified accuracy at the statement's radius, rounded down."""
        text, title, sound = self.badge
        return render_badge(text, title, sound=sound)

    def to_model_card(self) -> str:
        """Return the card as the README.md of a Hugging Face model, with its results on top."""
        require(
            self.believable,
            "a model card must not carry numbers of a run that does not hold: see its card",
        )
        return render_model_card(self.model_index, self.to_markdown())


def card(  # noqa: PLR0913
    run: Run | ImportedRun | Path | str,
    *,
    name: str | None = None,
    attack: Path | str | None = None,
    design: Path | str | None = None,
    certificates: Sequence[Path | str] = (),
    radius: float | None = None,
    radii: Sequence[float] | None = None,
    draws: int = DRAWS,
    sensitivity: float | None = None,
    norm: str | None = None,
    size: int | None = None,
) -> Card:
    """Make the card of a run: verified without drawing again, certified as it declared.

    `attack` is the file of an attack on it (default: the one in its folder), `design` that of its
    population certificate, `certificates` files made from it to be verified. `radius` is that of
    the statement, fixed before the draws; by default half the noise's scale. `radii` are those of
    the table, `draws` those of a served decision.

    >>> import tempfile
    >>> import simplicert as sc
    >>> tally = sc.Tally([[990, 8, 2], [400, 350, 250]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     settings = sc.Manifest(sigma=0.5, inputs=2, classes=3)
    ...     made = sc.card(sc.create_run(f"{folder}/mine", settings, tally))
    >>> print(made.to_markdown().splitlines()[0])
    # Certification card: mine
    """
    opened = run if isinstance(run, Run | ImportedRun) else open_run(run)
    chosen = opened.folder.resolve().name if name is None else name
    require(bool(chosen.strip()), f"name must not be empty, got {chosen!r}")
    evidence = gather_evidence(
        Study(chosen, opened, sensitivity, norm, size),
        attack=None if attack is None else Path(attack),
        design=None if design is None else Path(design),
        certificates=[Path(path) for path in certificates],
        radius=radius,
        radii=radii,
        draws=draws,
    )
    return Card(
        name=chosen,
        cautions=tuple(hide_folders(text) for text in _list_cautions(evidence)),
        sections=(
            *scope_sections(evidence),
            sentences_to_say(evidence),
            sentences_not_to_say(evidence),
            accuracy_section(evidence),
            population_section(evidence),
            abstention_section(evidence),
            cost_section(evidence),
            verification_section(evidence),
            settings_section(evidence),
        ),
        model_index=make_model_index(evidence),
        believable=evidence.believable,
        badge=describe_badge(evidence),
    )


def _list_cautions(evidence: CardEvidence) -> list[str]:
    """List what must be known before a number is believed, the gravest first."""
    failed = [f"verification failed: {check.about}: {check.says}" for check in evidence.failed]
    found = [] if not evidence.attack else _attack_cautions(evidence)
    return [*failed, *found, *view_cautions(evidence.view)]


def _attack_cautions(evidence: CardEvidence) -> list[str]:
    """Say what the attack found, whichever file it came from."""
    rows, view = evidence.attack, evidence.view
    broken = sum(row.broken for row in rows)
    said = []
    if broken:
        said.append(
            f"BROKEN: an attack confirmed another class inside the certified radius of {broken} of "
            f"{len(rows)} inputs"
        )
    if view.study.stage != 1:
        said.append(
            "the attack's radii and distances are those at the noise, behind the first stage: they "
            f"are not divided by the sensitivity of {view.study.stage:g}"
        )
        return said
    now = dict(zip(view.index.tolist(), view.radius.tolist(), strict=True))
    if changed := sum(now.get(row.index) != row.radius for row in rows):
        said.append(
            f"the attack is of other certificates: {changed} of {len(rows)} radii have changed "
            "since, and what is said of it is about the radii of then"
        )
    return said

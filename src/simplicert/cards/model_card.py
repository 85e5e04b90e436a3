"""Write a card as the README.md of a Hugging Face model: its results as YAML on top.

The block `model-index` follows the specification of the Hub (huggingface/hub-docs, modelcard.md):
each result has a task, a data set with type and name, and metrics with type and value. Certified
accuracy has a type of its own, so that nobody ranks it with accuracies on clean inputs. Every text
is written as a JSON string, which YAML reads as the same text whatever is in it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from simplicert.cards.evidence import CardEvidence
from simplicert.cards.facts import hide_folders
from simplicert.noises.words import label_radius
from simplicert.tables.grid import to_one_line

TAGS = ("certified-robustness", "randomized-smoothing", "simplicert")

SCALE = 10_000  # a share has four decimals

IMAGE = 3  # dimensions of an image: channels, height, width


def make_model_index(evidence: CardEvidence) -> tuple[dict[str, Any], ...]:
    """Return the results as `model-index` lists them; none without labels."""
    curve, view = evidence.accuracy, evidence.view
    if curve is None:
        return ()
    sign = ">=" if view.closed else ">"
    metrics = [
        {
            "type": "certified_accuracy",
            "name": f"Certified accuracy at {_name_radius(view.norm)} {sign} {radius:g}",
            "value": _share_down(int(hits), curve.total),
        }
        for radius, hits in zip(evidence.radii, curve.hits, strict=True)
    ]
    metrics.append(
        {
            "type": "abstention_rate",
            "name": "Inputs without a certificate",
            "value": _share_up(int(view.abstained.sum()), curve.total),
        }
    )
    data = to_one_line(hide_folders(evidence.study.data)) or "unknown"
    result = {
        "task": {"type": _task_type(evidence)},
        "dataset": {"type": _data_type(data), "name": data},
        "metrics": metrics,
    }
    return ({"name": to_one_line(evidence.study.name) or "run", "results": [result]},)


def _name_radius(norm: str) -> str:
    """Name the radius with its norm, that of l2 too: a reader of metadata sees nothing else."""
    return "l2 radius" if norm == "l2" else label_radius(norm, "radius")


def _share_down(hits: int, total: int) -> float:
    """Round a claimed share down."""
    return float(hits * SCALE // total) / SCALE


def _share_up(hits: int, total: int) -> float:
    """Round an admitted share up."""
    return float(-(-hits * SCALE // total)) / SCALE


def _task_type(evidence: CardEvidence) -> str:
    """Name the task as the Hub does, by the noise and the shape of an input."""
    if evidence.study.noise.name == "deletion":
        return "text-classification"
    shape = evidence.run.manifest.made.get("shape", ())
    flat = isinstance(shape, list) and 0 < len(shape) < IMAGE
    return "tabular-classification" if flat else "image-classification"


def _data_type(data: str) -> str:
    """Return the data set's name in the letters that a name on the Hub may have."""
    name = data.removeprefix("hf:") if data.startswith("hf:") else data.split(":", maxsplit=1)[0]
    return re.sub(r"[^\w./-]+", "-", name, flags=re.ASCII).strip("-./") or "unknown"


def render_model_card(model_index: Sequence[dict[str, Any]], body: str) -> str:
    """Put the metadata before the card."""
    content = {"tags": list(TAGS), **({"model-index": list(model_index)} if model_index else {})}
    return "\n".join(["---", *_write_yaml(content), "---", "", body])


def _write_yaml(value: dict[str, Any], indent: str = "") -> Iterator[str]:
    """Write tables and lists as YAML blocks, and everything in them as JSON."""
    for name, held in value.items():
        if isinstance(held, dict):
            yield f"{indent}{name}:"
            yield from _write_yaml(held, f"{indent}  ")
        elif isinstance(held, list):
            yield f"{indent}{name}:"
            for item in held:
                lines = (
                    list(_write_yaml(item, f"{indent}  "))
                    if isinstance(item, dict)
                    else [f"{indent}  {_write_scalar(item)}"]
                )
                yield f"{indent}- {lines[0].strip()}"
                yield from lines[1:]
        else:
            yield f"{indent}{name}: {_write_scalar(held)}"


def _write_scalar(value: str | float) -> str:
    """Write one text or number."""
    return json.dumps(value, ensure_ascii=False)

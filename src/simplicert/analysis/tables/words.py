"""What is said of a run in sentences rather than rows."""

from typing import Any

import numpy as np

NAMED = 10  # failed inputs, one by one
SHARES = 6  # of the noise scale, named one by one


def status_lines(name: str, state: dict[str, Any]) -> list[str]:
    """A run's state in words."""
    if "imported" in state:
        return log_lines(name, state)
    rate, left = state["draws_per_second"], state["seconds_left"]
    lines = [
        f"{name}: {state['done']} of {state['inputs']} inputs done, {state['draws']:,} draws "
        f"in {state['parts']} parts",
    ]
    if rate:
        lines.append(f"{rate:,.0f} draws a second of drawing, {state['seconds']:,.0f} s spent")
    if state["missing"] and left:
        word = "about" if state["until"] == "fixed" else f"until {state['until']}: at most"
        at_once = max(state["at_once"] or 1.0, 1.0)
        lines.append(
            f"{word} {left:,.0f} s of drawing left: {left / at_once:,.0f} s if "
            f"{at_once:.1f} workers go on, as of late"
        )
    failed = state["failed"]
    for item, error in list(failed.items())[:NAMED]:
        lines.append(f"input {item} failed: {error}; `simplicert sample` as before tries it again")
    if len(failed) > NAMED:
        lines.append(f"and {len(failed) - NAMED} more inputs failed")
    if state["written"] and state["missing"]:
        lines.append(f"the last part was written {state['written']}")
    if not state["missing"]:
        lines.append("complete")
    return lines


def log_lines(name: str, state: dict[str, Any]) -> list[str]:
    """The state of an imported log in words."""
    held = "bare radii" if state["holds"] == "radii" else state["holds"]
    lines = [
        f"{name}: {state['done']} of {state['inputs']} inputs, {held} imported from "
        f"{state['imported']} ({state['format']}): there is nothing to draw",
    ]
    lines += [f"the stated level is disproved: {text}" for text in state["disproofs"]]
    lines += [f"audit: {text}" for text in state["audit"] if text not in state["disproofs"]]
    return lines + [state["mechanisms"]] * bool(state.get("mechanisms"))


def scaled_norm(scale: np.ndarray) -> str:
    """What a radius means where each feature has its own share of the noise."""
    shares, counts = np.unique(scale, return_counts=True)
    named = ", ".join(
        f"{count} {'feature' if count == 1 else 'features'} "
        + (f"/ {share:g}" if share > 0 else "must not change")
        for share, count in list(zip(shares, counts, strict=True))[:SHARES]
    )
    more = f" and {len(shares) - SHARES} more shares" if len(shares) > SHARES else ""
    return f"radii are in the scaled norm, each change divided by its share: {named}{more}"

"""docs/claims.md: every claim of the paper with its number, ours, a command and a verdict.

    python experiments/claims/claims.py            the whole page
    python experiments/claims/claims.py 12         one claim, printed

Numbers come from committed tallies (through the findings.json of the experiments), from
benchmarks/results and from the simplex, which is computed here; verdicts follow from checks by the
rule that the page states.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import mechanism
import outlook
import results
import theory
from claim import RULE, WORDS, Claim
from evidence import ROOT, Evidence, read_evidence

PAGE = ROOT / "docs" / "claims.md"
PARTS = (theory, mechanism, results, outlook)
OPENING = (Path(__file__).parent / "opening.md").read_text(encoding="utf-8")


def list_claims(held: Evidence) -> list[Claim]:
    """All of them, in the paper's order."""
    return [claim for part in PARTS for claim in part.list_claims(held)]


def write_page(claims: Sequence[Claim]) -> str:
    """The page as text: the rule, a table with all numbers, then each claim with its checks."""
    counts = Counter(claim.verdict for claim in claims)
    rule = "\n".join(f"- **{name}**: {text}." for name, text in RULE.items())
    tally = ", ".join(f"{counts[name]} {name}" for name in RULE)
    head = "| | claim | the paper | ours | verdict |\n|---|---|---|---|---|"
    rows = [
        f"| [{place}](#{place}) | {claim.says} | {claim.paper} | {claim.ours} | {claim.verdict} |"
        for place, claim in enumerate(claims, 1)
    ]
    quantities = (
        "A number is replicated if our 95 % interval contains the paper's or, without an interval, "
        'if ours is within a fifth of it. One counter-example refutes "uniformly" or "only".'
    )
    parts = [
        f"{OPENING}\n{rule}\n\n{quantities} Of {len(claims)} claims: {tally}.\n",
        "\n".join([head, *rows]) + "\n",
        *(write_claim(place, claim) for place, claim in enumerate(claims, 1)),
    ]
    return "\n".join(parts)


def write_claim(place: int, claim: Claim) -> str:
    """One claim with its verdict, checks and command; the table above has its numbers."""
    checks = "\n".join(f"- {WORDS[check.holds]}: {check.text}" for check in claim.checks)
    command = claim.command or f"python experiments/claims/claims.py {place}"
    printed = "" if claim.command == "none" else f"\n```\n{command}\n```\n"
    remark = f"\n{claim.remark}\n" if claim.remark else ""
    verdict = f"**{claim.verdict.capitalize()}.**"
    return f"## {place}\n\n{verdict} {claim.says} ({claim.where})\n\n{checks}\n{remark}{printed}"


def main() -> None:
    """Write the page, or print one claim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("number", type=int, nargs="?", help="of one claim to print")
    number = parser.parse_args().number
    claims = list_claims(read_evidence())
    if number is None:
        PAGE.write_text(write_page(claims), encoding="utf-8")
        print(f"{len(claims)} claims, {PAGE.name}")
    elif 1 <= number <= len(claims):
        claim = claims[number - 1]
        print(f"{write_claim(number, claim)}\nThe paper: {claim.paper}. Ours: {claim.ours}.")
    else:
        sys.exit(f"number must be one of 1 to {len(claims)}, got {number}")


if __name__ == "__main__":
    main()

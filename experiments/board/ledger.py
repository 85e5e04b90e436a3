"""The open ledger: every public log that we found, audited, from local copies of its repositories.

    git clone https://github.com/locuslab/smoothing copies/locuslab+smoothing
    ...                                             (one for each row of REPOSITORIES)
    python experiments/board/ledger.py copies

Writes ledger.json beside this file (how many logs were read, refused and flagged, and how far radii
that we compute from counts and bounds agree with theirs), and the site into docs/board/. No log is
copied: the site has numbers, paths and checksums, and only totals of logs whose licence allows no
more. `--site DIR` also writes it for yourself, with the rows of every log, so that any two are
compared. What the logs do not say is in claims.toml.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.board import Board, read_board
from simplicert.board.entry import Entry
from simplicert.board.site import write_site
from simplicert.bounds import binomial
from simplicert.logs.counts import read_counts
from simplicert.logs.table import printed_intervals
from simplicert.types import Floats

HERE = Path(__file__).resolve().parent
SITE = HERE.parents[1] / "docs" / "board"

# Repository, the commit that was read, and its licence ("" where it has none).
REPOSITORIES = {
    "locuslab/smoothing": ("78a4d949e4f627d000a78908e001f8ca66c92943", ""),
    "Hadisalman/smoothing-adversarial": ("cff781d53ed5fa7df6ba567d3b51df202b6ec14e", "MIT"),
    "jh-jeong/smoothing-consistency": ("a11954aa91adb9924eecf49aaca74051e79bbb86", "MIT"),
    "jh-jeong/smoothmix": ("cb1fd33055a29d0c41bbc429a982fdec709e993c", "MIT"),
    "llylly/DSRS": ("13b15a58b3afef2ee12b49f978950039bd776ded", "BSD-3-Clause"),
    "eth-sri/acr-weakness": ("1c8ea59dc6a6a18b932039cdd8611aa7fda6be4f", ""),
    "alevine0/smoothingSplittingNoise": ("76b17a34d5afbcf7642a4d1db6ddd3604db53326", "its own"),
    "jinyuan-jia/Certify_Topk": ("d44c64ac3ff72fb152df4dcfa8bbf5bd18df3f04", ""),
    "tonyduan/rs4a": ("a02831806ee4a117ef82ce5738fe8c5e8f180b06", ""),
}
SIGMA, TOP, SEARCH = 0.25, 3, 1e-5  # of Certify_Topk's result.txt; its search stops so near
TOPK = "jinyuan-jia+Certify_Topk"


def main() -> None:
    """Read all copies, count, and write ledger.json and the site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("copies", type=Path, help="folder of clones, named owner+name")
    parser.add_argument(
        "--site", type=Path, help="also write it with every row, for yourself, here"
    )
    told = parser.parse_args()
    copies = told.copies.resolve()
    folders = [copies / name.replace("/", "+") for name in REPOSITORIES]
    for name, folder in zip(REPOSITORIES, folders, strict=True):
        _check_commit(name, folder)
    begun, spent = time.monotonic(), time.process_time()
    board = read_board(folders, claims=HERE / "claims.toml")
    seconds = {"wall": time.monotonic() - begun, "processor": time.process_time() - spent}
    ledger = {
        "repositories": [_count_repository(name, board) for name in REPOSITORIES],
        "read": len(board.entries),
        "refused": len(board.refusals),
        "others": board.others,
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
        "audit": dict(board.count_findings().most_common()),
        "verdicts": dict(Counter(entry.verdict for entry in board.entries)),
        "caps": _count_caps(board),
        "reasons": _count_reasons(board),
        "agreement": _compare_radii(board, copies),
    }
    (HERE / "ledger.json").write_text(json.dumps(ledger, indent=1) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        write_site(board, Path(folder, "board"))
        shutil.rmtree(SITE, ignore_errors=True)
        shutil.copytree(Path(folder, "board"), SITE)
    if told.site is not None:
        write_site(_open_rows(board), told.site)
    print(f"{len(board.entries)} logs read, {len(board.refusals)} refused, {board.others} others")


def _open_rows(board: Board) -> Board:
    """Return the board with the rows of every log, which is not for publishing."""
    entries = [
        replace(entry, settings=replace(entry.settings, totals_only=False))
        for entry in board.entries
    ]
    return replace(board, entries=tuple(entries))


def _check_commit(name: str, folder: Path) -> None:
    """Refuse a clone of another commit; a copy without .git goes by its checksums alone."""
    if not folder.is_dir():
        raise SystemExit(f"{folder} must be a copy of github.com/{name}")
    if (folder / ".git").exists():
        told = ["git", "-C", str(folder), "rev-parse", "HEAD"]
        found = subprocess.run(told, check=True, capture_output=True, text=True).stdout.strip()
        if found != REPOSITORIES[name][0]:
            raise SystemExit(f"{folder} must be at {REPOSITORIES[name][0]}, got {found}")


def _of(name: str, log: str) -> bool:
    return log.startswith(name.replace("/", "+") + "/")


def _count_repository(name: str, board: Board) -> dict[str, Any]:
    """Count what became of one repository's files."""
    own = [entry for entry in board.entries if _of(name, entry.source.name)]
    return {
        "repository": f"github.com/{name}",
        "commit": REPOSITORIES[name][0],
        "licence": REPOSITORIES[name][1],
        "read": len(own),
        "refused": sum(_of(name, one.source.name) for one in board.refusals),
        "inputs": sum(len(entry) for entry in own),
        "verdicts": dict(Counter(entry.verdict for entry in own)),
        "audit": dict(
            Counter(code for entry in own for code in {one.code for one in entry.findings})
        ),
    }


def _count_caps(board: Board) -> dict[str, int]:
    """Count the settings that the largest radii of logs fit, among those stated at alpha .001."""
    caps = Counter(
        "; ".join(f"{n} draws at {a:g}" for n, a in entry.inferred) or "no cap seen"
        for entry in board.entries
        if entry.source.format == "cohen"
    )
    return dict(caps.most_common())


def _count_reasons(board: Board) -> dict[str, int]:
    """Count the reasons for refusing, alike ones together."""
    return dict(
        Counter(
            _first_words(one.reason, one.source.path.name) for one in board.refusals
        ).most_common()
    )


def _first_words(reason: str, name: str) -> str:
    """Return what a reason has in common with others of its sort."""
    told = reason.replace(name, "the file") if reason.startswith(f"{name} must") else reason
    return told.split(":")[0].split(";")[0].split(", got")[0].split(", for")[0]


def _compare_radii(board: Board, copies: Path) -> dict[str, Any]:
    """Compare radii that we compute from counts and bounds with those that were published."""
    by_name = {entry.source.name: entry for entry in board.entries}
    return {
        "topk": _compare_topk(copies / TOPK),
        "dsrs": _compare_dsrs(by_name),
        "splitting": _count_agreeing(board, "splitting", {"above_exact", "below_exact", "class"}),
        "uniform": _count_agreeing(board, "rs4a", {"sigma"}, noise="uniform"),
    }


def _compare_topk(folder: Path) -> dict[str, Any]:
    """Their radii for the top three classes, from Clopper-Pearson limits at alpha / classes."""
    tally = read_counts(folder / "cifar0.25.txt", SIGMA)
    lines = (folder / "result.txt").read_text().splitlines()[1:]
    theirs = printed_intervals([line.split()[1] for line in lines])
    rows = np.arange(len(tally))
    tail = np.full(tally.counts.shape, 0.001 / tally.classes)
    draws = np.broadcast_to(tally.draws[:, None], tail.shape)
    low, _ = binomial.clopper_pearson_lower(tally.counts, draws, tail)
    high = binomial.clopper_pearson_upper(tally.counts, draws, tail)
    own = low[rows, tally.labels]
    high = np.minimum(high, 1 - own[:, None])
    high[rows, tally.labels] = -1
    rivals = np.sort(high, axis=1)[:, ::-1][:, :TOP]
    sums = [rivals[:, k:].sum(axis=1) for k in range(TOP)]
    ours = np.max([_topk_radius(own, sums[k], TOP - k) for k in range(TOP)], axis=0)
    agree = (ours >= theirs.lower - SEARCH) & (ours <= theirs.upper + SEARCH)
    apart = np.abs(ours - theirs.value)
    return {"inputs": len(ours), "agree": int(agree.sum()), "largest_gap": float(apart.max())}


def _topk_radius(own: Floats, rivals: Floats, share: int) -> Floats:
    """Largest r with Phi(z_own - r / sigma) >= Phi(z_rivals + r / sigma) / share, by halving."""
    rivals = np.minimum(rivals, 1 - own)
    low, high = np.zeros(len(own)), np.full(len(own), 10.0)
    for _ in range(50):
        middle = (low + high) / 2
        holds = ndtr(ndtri(own) - middle / SIGMA) >= ndtr(ndtri(rivals) + middle / SIGMA) / share
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return np.where(own > rivals / share, low, 0.0)


def _compare_dsrs(by_name: dict[str, Entry]) -> dict[str, Any]:
    """Their Gaussian radii, against those of their bounds in another file."""
    files = inputs = agree = 0
    for name, entry in by_name.items():
        if entry.source.format != "dsrs-bounds":
            continue
        folder, file = name.rsplit("/", 1)
        other = by_name.get(folder.replace("/sampling/", "/orig-radius/") + f"/orig-rad-{file}")
        if other is None:
            continue
        shared, mine, its = np.intersect1d(entry.index, other.index, return_indices=True)
        near = np.isclose(entry.radius[mine], other.radius[its], rtol=1e-3, atol=1e-6)
        files, inputs, agree = files + 1, inputs + len(shared), agree + int(near.sum())
    return {"files": files, "inputs": inputs, "agree": agree}


def _count_agreeing(
    board: Board, form: str, codes: set[str], noise: str | None = None
) -> dict[str, int]:
    """Count the logs of a format, and those that the audit of radii found nothing in."""
    own = [entry for entry in board.entries if entry.source.format == form]
    own = [entry for entry in own if noise in (None, entry.settings.noise)]
    fine = [entry for entry in own if not codes & {one.code for one in entry.findings}]
    return {"logs": len(own), "agree": len(fine), "inputs": sum(len(entry) for entry in own)}


if __name__ == "__main__":
    main()

"""One bit flipped in every file of a run: refused by name, or harmless.

Believed it is only in run.toml, which is text that a user may edit: another alpha there is another
alpha.
"""

import numpy as np
import pandas as pd
from fault_place import Place

import simplicert as sc
from simplicert.errors import SimplicertError

SETTINGS = "run.toml"  # may be edited; `simplicert verify` says whether it was
POSITIONS = 60  # in each file, spread evenly; a random bit at each


def flipped(place: Place, *more):
    """A row a file: how many flips were refused, changed nothing, or changed certificates."""
    place.draw("flips", "--until", "decided", "--draws", "400", *more)
    folder = place.folder / "flips"
    right = (place.tally("flips"), place.frame("flips"), sc.open_run(folder).noise_scale)
    random, rows = np.random.default_rng(0), []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content, seen = path.read_bytes(), []
        for at in np.unique(np.linspace(0, len(content) - 1, POSITIONS).astype(int)):
            broken = bytearray(content)
            broken[at] ^= 1 << int(random.integers(8))
            path.write_bytes(bytes(broken))
            seen.append(read(folder, right))
        path.write_bytes(content)
        name = "parts/*.parquet" if path.suffix == ".parquet" else path.name
        kinds = ("refused", "unchanged", "changed", "unclear")
        rows.append({"file": name, "flips": len(seen)} | {kind: seen.count(kind) for kind in kinds})
    return together(rows)


def read(folder, right):
    """What a reader of the run sees now."""
    try:
        run = sc.open_run(folder)
        now = (run.tally(), run.certify().to_frame(), run.noise_scale)
        missing = run.missing
    except SimplicertError:  # one sentence, exit code 2
        return "refused"
    except Exception:  # what a user would see as a traceback
        return "unclear"
    same = now[0] == right[0] and now[1].equals(right[1]) and np.array_equal(now[2], right[2])
    return "unchanged" if same and missing == 0 else "changed"


def together(rows):
    """Files of one name as one row."""
    frame = pd.DataFrame(rows)
    summed = frame.groupby("file", sort=True).sum()
    files = frame.groupby("file", sort=True).size()
    return [
        {"file": name, "files": int(files[name])}
        | {key: int(value) for key, value in row.items()}
        | {"good": bool(row["unclear"] == 0 and (row["changed"] == 0 or name == SETTINGS))}
        for name, row in summed.iterrows()
    ]

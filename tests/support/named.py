"""Names of code, addresses and private files, in every place where a file holds a text.

`NAMES` are the names. `PLACES` are files of settings, each with commands that read it; a maker puts
sound ones into a folder. `variants` writes one name into one place after another. A payload lies in
the current folder: whoever imports it leaves a file behind.
"""

import csv
import io
import json
import shutil
import tomllib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import tomli_w
from strangers import (
    attack_table,
    digits_weights,
    hub_model,
    make_run,
    recipe,
    stored,
    trained,
)

from simplicert.files import content_checksum
from simplicert.store.manifest import CHECKSUM_LINE

PAYLOAD = "import pathlib\npathlib.Path('ran').touch()\ndef go(*_, **__):\n    return None\n"

CODE = ("payload:go", "payload.go")  # the first in every place
NAMES = {
    "code": (*CODE, "payload", "payload:go@w.safetensors", "denoised:payload:go@payload:go",
             "os:abort", "http.server:test"),
    "addresses": ("http://127.0.0.1:9/x.npz", "https://127.0.0.1:9/x.onnx", "hf://payload/go",
                  "s3://payload/go.parquet", "hf:payload/go", "hf:s3://payload/go", "timm:payload",
                  "file:///etc/passwd", "hf:http://127.0.0.1:9/x"),
    "private files": ("../private.npz", "/etc/passwd", "/dev/zero", "~/private.npz", "folder:/",
                      "folder:../..", "cifar10:/etc", "zoo:../../private", "hf:../..",
                      "private.csv", "mlp@../private.safetensors"),
    "no names": ("", " ", "a\0b", "x" * 100_000, "\u202e", "=1+1", "<script>", "x.pt", "digits:"),
}  # fmt: skip


class Place(NamedTuple):
    """A file of settings: its name on the page, its maker, and which texts take every name."""

    file: str
    make: Callable[[Path], tuple[Path, list[object]]]
    chosen: tuple[str, ...] = ()
    needs: str = "simplicert"
    only: bool = False  # no other texts: another command has tried them


SAME = (*range(1, 10), "machine", "numpy", "processor", "python", "torch")  # never looked at


def drawn_run(*words: str) -> Callable[[Path], tuple[Path, list[object]]]:
    """A run that was drawn here, so that its model and data are looked for."""

    def make(folder: Path) -> tuple[Path, list[object]]:
        from simplicert.drawing import draw_by_settings
        from simplicert.store.settings import parse_settings

        settings = {"model": digits_weights(folder), "data": "digits", "sigma": 1.0, "draws": 9}
        request = {**settings, "stop": 2, "device": "cpu", "out": folder / "run"}
        draw_by_settings(parse_settings(request))
        places = {"RUN": folder / "run", "OUT": folder / "out.html"}
        return folder / "run" / "run.toml", [places.get(word, word) for word in words]

    return make


def board_claims(folder: Path) -> tuple[Path, list[object]]:
    make_run(folder)
    told = {"match": "*", "method": "m", "data": "d", "noise": "gaussian", "norm": "l2"}
    (folder / "board.toml").write_text(tomli_w.dumps({"claim": [{**told, "source": "s"}]}))
    return folder / "board.toml", ["board", folder / "run", "--out", folder / "out"]


def design(folder: Path) -> tuple[Path, list[object]]:
    run = make_run(folder)
    held = {"format": 1, "name": "x", "pilot": {"run": "y"}, "noise": "gaussian", "data": "z"}
    (folder / "design.toml").write_text(tomli_w.dumps(held))
    return folder / "design.toml", [
        "population",
        "certify",
        run,
        "--design",
        folder / "design.toml",
    ]


ALL_PLACES = [
    Place("`run.toml`, replayed", drawn_run("verify", "RUN", "--replay", "1"),
          ("made.model", "made.data")),
    Place("`run.toml`, reported", drawn_run("report", "RUN", "--out", "OUT"), ("made.data",),
          only=True),
    Place("`model.toml`", trained("model.toml"), ("model.arch",)),
    Place("a recipe", recipe, ("settings.arch",)),
    Place("a design", design),
    Place("`board.toml`", board_claims),
    Place("`RUN.csv`", stored(".csv")),
    Place("`attack.csv`", attack_table),
    Place("`config.json` of `hf:`", hub_model("config.json"), needs="transformers"),
]  # fmt: skip
PLACES = [place for place in ALL_PLACES if find_spec(place.needs)]


def variants(place: Place, path: Path) -> Iterator[tuple[str, str, bytes]]:
    """Which text, which name, and the file's new content."""
    if path.suffix == ".csv":
        yield from _table_variants(path)
        return
    load = tomllib.loads if path.suffix == ".toml" else json.loads
    text = path.read_text()
    for where in list(_texts(load(text))):
        own = ".".join(map(str, where)) in place.chosen
        if not own and (place.only or where[-1] in SAME):
            continue
        for name in [one for names in NAMES.values() for one in names] if own else CODE[:1]:
            held = load(text)
            inner = held
            for step in where[:-1]:
                inner = inner[step]
            inner[where[-1]] = name
            yield ".".join(map(str, where)), name, _written(path, held)
    if path.suffix == ".json":  # how a model of the Hub names its own code
        held = load(text) | {"auto_map": dict.fromkeys(AUTO, "payload.go")}
        yield "auto_map", "payload.go", _written(path, held)


AUTO = ("AutoConfig", "AutoModel", "AutoModelForImageClassification")


def _written(path: Path, held: Any) -> bytes:
    if path.suffix == ".json":
        return json.dumps(held).encode()
    text = tomli_w.dumps(held).encode()
    if path.name not in ("run.toml", "design.toml"):
        return text
    return text + f"{CHECKSUM_LINE}{content_checksum(text)}\n".encode()


def _texts(held: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every text inside."""
    items = held.items() if isinstance(held, dict) else enumerate(held)
    for key, value in items:
        if isinstance(value, str):
            yield (*before, key)
        elif isinstance(value, dict | list):
            yield from _texts(value, (*before, key))


def _table_variants(path: Path) -> Iterator[tuple[str, str, bytes]]:
    """A name instead of each column's name, and instead of each word in the first row."""
    rows = list(csv.reader(io.StringIO(path.read_text())))
    for line, row in enumerate(rows[:2]):
        for column, cell in enumerate(row):
            if cell and not cell[0].isdigit():
                changed = [list(one) for one in rows]
                changed[line][column] = CODE[0]
                sink = io.StringIO()
                csv.writer(sink, lineterminator="\n").writerows(changed)
                yield f"{rows[0][column]} in line {line + 1}", CODE[0], sink.getvalue().encode()


def copy_place(sound: Path, folder: Path, path: Path, words: list[object], content: bytes):
    """A copy of a sound folder with one file changed, and the words of its command."""
    shutil.copytree(sound, folder)
    (folder / "payload.py").write_text(PAYLOAD)
    target = Path(str(path).replace(str(sound), str(folder)))
    target.write_bytes(content)
    return folder, [str(word).replace(str(sound), str(folder)) for word in words]

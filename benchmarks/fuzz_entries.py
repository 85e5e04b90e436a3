"""What benchmarks/fuzz.py gives bad input to: readers of files, parsers of words, command lines."""

import io
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

import simplicert as sc
from simplicert.cli.saying import parse_labels
from simplicert.cli.table import parse_radii
from simplicert.data import load_data
from simplicert.data.arrays import NAMES, read_array, read_arrays
from simplicert.errors import InvalidInput
from simplicert.logs import LOGS
from simplicert.logs.counts import read_counts
from simplicert.logs.radii import read_radii
from simplicert.metrics.gate import parse_requirement, read_groups
from simplicert.models import load_model
from simplicert.models.trained import FOLDER as ZOO
from simplicert.models.trained import read_facts
from simplicert.stopping import Until
from simplicert.store import Manifest
from simplicert.store.manifest import read_manifest
from simplicert.store.parsing import parse_grid_step, parse_numbers, parse_shard

Call = Callable[[bytes], object]
Prepared = tuple[Call, list[bytes]]


@dataclass(frozen=True)
class Entry:
    """One entry point: how it is made ready in a folder, and how often it is tried."""

    name: str
    prepare: Callable[[Path], Prepared]
    weight: float
    exists: bool = True  # the sound examples are taken, and not only well written


def words(
    name: str, call: Callable[[str], object], sounds: list[str], weight: float, exists: bool = True
) -> Entry:
    """A parser of text."""

    def prepare(place: Path) -> Prepared:
        return lambda content: call(content.decode("utf-8", "surrogateescape")), [
            text.encode() for text in sounds
        ]

    return Entry(name, prepare, weight, exists)


def files(
    name: str, call: Callable[[Path], object], sounds: Callable[[], list[bytes]], weight: float
) -> Entry:
    """A reader of files: `name` is the file's, which may decide how it is read."""

    def prepare(place: Path) -> Prepared:
        path = place / name

        def written(content: bytes) -> object:
            path.write_bytes(content)
            return call(path)

        return written, sounds()

    return Entry(name, prepare, weight)


def arrays(**fields: object) -> bytes:
    """An npz file."""
    sink = io.BytesIO()
    np.savez_compressed(sink, **fields)
    return sink.getvalue()


def array(values: object) -> bytes:
    """A npy file."""
    sink = io.BytesIO()
    np.save(sink, values)
    return sink.getvalue()


def image(form: str) -> bytes:
    """A small picture."""
    sink = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(sink, form)
    return sink.getvalue()


COHEN = (
    b"idx\tlabel\tpredict\tradius\tcorrect\ttime\n"
    b"0\t3\t3\t0.251\t1\t0:00:01.2\n20\t4\t-1\t0.0\t0\t0:00:01.1\n40\t5\t2\t0.7\t0\t1.5\n"
)
ISS = b"idx\tlabel\tpredict\tradius\tcorrect\tsamplesize\n0\t3\t3\t0.25\t1\t1000\n"
SECOND = b"idx\tlabel\tpredict\tp0_lower\traw_count\tradius\tcorrect\n0\t3\t3\t0.9\t95\t0.2\t1\n"
COUNTS = [
    b"900 80 20 0\n10 970 20 1\n",
    b"a,b,c,label\n900,80,20,0\n# more\n10,970,20,1\n",
    b"0\t0\t[900, 80, 20]\n1\t1\t[10, 970, 20]\n",
]


def manifest(content: bytes, place: Path) -> object:
    """run.toml alone."""
    (place / "run.toml").write_bytes(content)
    return read_manifest(place)


def made_run(place: Path) -> Path:
    """A whole run in a folder of its own."""
    folder = place / "made"
    shutil.rmtree(folder, ignore_errors=True)
    tally = sc.Tally([[900, 80, 20], [10, 970, 20]], 0.5, labels=[0, 1], plan=sc.Plan((1000,)))
    sc.create_run(folder, Manifest(0.5, 2, 3, plan=tally.plan), tally)
    return folder


def run_files(place: Path) -> Prepared:
    """A run whose manifest is altered, opened and certified."""
    folder = made_run(place)
    sound = (folder / "run.toml").read_bytes()

    def opened(content: bytes) -> object:
        (folder / "run.toml").write_bytes(content)
        return sc.open_run(folder).certify()

    return opened, [sound]


def part_files(place: Path) -> Prepared:
    """A run whose part is altered, under the name that its new checksum gives it."""
    from simplicert.store.parts import part_name

    folder = made_run(place)
    (part,) = sc.open_run(folder).paths()
    sound = part.read_bytes()
    part.unlink()

    def opened(content: bytes) -> object:
        path = folder / "parts" / part_name(0, content)
        path.write_bytes(content)
        try:
            return sc.open_run(folder).certify()
        finally:
            path.unlink()

    return opened, [sound]


def model_toml(place: Path) -> Prepared:
    """model.toml of a trained network."""
    folder = place / "net"
    folder.mkdir(exist_ok=True)
    sound = next(ZOO.glob("*/model.toml")).read_bytes()

    def read(content: bytes) -> object:
        (folder / "model.toml").write_bytes(content)
        return read_facts(folder)

    return read, [sound]


def weights(place: Path) -> Prepared:
    """A safetensors file under an architecture's name."""
    from simplicert.models.architectures import ARCHITECTURES
    from simplicert.models.weights import save_weights

    path = place / "w.safetensors"
    save_weights(ARCHITECTURES["mlp"](3, (4,)), path, {"num_classes": 3, "input_shape": (4,)})
    sound = path.read_bytes()

    def read(content: bytes) -> object:
        path.write_bytes(content)
        return load_model(f"mlp@{path}")

    return read, [sound]


def pictures(form: str) -> Callable[[Path], Prepared]:
    """A folder of one image."""

    def prepare(place: Path) -> Prepared:
        folder = place / f"images-{form}" / "a"
        folder.mkdir(parents=True, exist_ok=True)

        def read(content: bytes) -> object:
            (folder / f"0.{form}").write_bytes(content)
            return load_data(f"folder:{folder.parent}").inputs[np.arange(1)]

        return read, [image({"png": "PNG", "jpg": "JPEG", "gif": "GIF"}[form])]

    return prepare


def specs(load: Callable[[str], object]) -> Callable[[str], object]:
    """A spec string that must not import what is not there, nor read what it should not."""

    def read(text: str) -> object:
        if text.startswith(("hf:", "timm:")):  # these ask a library, which may look for a network
            raise InvalidInput("not tried")
        return load(text)

    return read


def read_data(path: Path) -> object:
    """The arrays of a data set."""
    return read_arrays(path, NAMES)


ENTRIES = [
    words("until", Until, ["radius=0.5", "atol=0.01", "rtol=0.05", "decided"], 10),
    words("shard", parse_shard, ["1/4", "3/3"], 10),
    words("grid", parse_grid_step, ["1/255", "0.25"], 10),
    words("mean, std", lambda text: parse_numbers("mean", text), ["0.5,0.5,0.5", "1"], 10),
    words("gate", parse_requirement, ["accuracy@0.5>=0.6", "abstained<=0.1"], 10),
    words("radii", parse_radii, ["0,0.25,0.5", "1"], 8),
    words("labels", lambda text: parse_labels([text], ["runs/a"]), ["runs/a=Cohen", "x=y"], 8),
    words(
        "data spec",
        specs(load_data),
        ["digits", "file.npz", "folder:x", "cifar10:y:test"],
        0.5,
        False,
    ),
    words(
        "model spec", specs(load_model), ["a.onnx", "b.pt2", "c:d", "mlp@w.safetensors"], 2, False
    ),
    files("cohen.tsv", LOGS["cohen"], lambda: [COHEN], 5),
    files("iss.tsv", LOGS["iss"], lambda: [ISS], 3),
    files("second.tsv", LOGS["second-order"], lambda: [SECOND], 3),
    files(
        "radii.csv",
        lambda path: read_radii(path, "index=idx,predict=p,radius=r"),
        lambda: [b"idx,p,r\n0,3,1\n1,-1,0\n"],
        3,
    ),
    files("counts.txt", lambda path: read_counts(path, 0.5), lambda: COUNTS, 5),
    files("counts.npz", lambda path: read_counts(path, 0.5), lambda: [arrays(counts=[[9, 1]])], 3),
    files("data.npz", read_data, lambda: [arrays(images=np.zeros((2, 4, 4)), labels=[0, 1])], 3),
    files("scale.npy", read_array, lambda: [array(np.arange(4.0))], 4),
    files(
        "groups.csv",
        lambda path: read_groups(path, np.arange(3)),
        lambda: [b"index,group\n0,a\n1,b\n"],
        4,
    ),
    Entry("run.toml", run_files, 1.5),
    Entry("parts/*.parquet", part_files, 1.5),
    Entry("model.toml", model_toml, 2),
    Entry("weights.safetensors", weights, 1),
    Entry("image.png", pictures("png"), 1),
    Entry("image.jpg", pictures("jpg"), 1),
    Entry("image.gif", pictures("gif"), 1),
]

OPTIONS = {
    "radius": {"--e0": "0.6", "--e1": "0.3", "--sigma": "0.5"},
    "plan": {"--sigma": "0.5", "--draws": "1000", "--radius": "0.3", "--pa": "0.8"},
    "sample": {
        "--model": "m.onnx",
        "--data": "d.npz",
        "--sigma": "0.5",
        "--draws": "10",
        "--out": "r",
    },
    "certify": {"--alpha": "0.01", "--kind": "hard", "--out": "c.csv"},
    "table": {"--style": "paper1", "--radii": "0,1", "--format": "csv"},
    "gate": {"--require": "accuracy@0.5>=0.5", "--confidence": "0.9"},
    "simplex": {"--ratio": "li:cohen", "--out": "map.png"},
    "status": {},
    "export": {"--column": "cohen"},
    "figure": {"--out": "f.png", "--kind": "soft"},
    "train": {"--data": "d.npz", "--sigma": "0.5", "--arch": "mlp", "--out": "n", "--epochs": "1"},
    "import cohen": {"--sigma": "0.5", "--out": "r", "--draws": "100"},
    "check": {},
}
TAKES = {"certify": ["run"], "table": ["run"], "gate": ["run"], "status": ["run"], "check": ["a:b"]}
TAKES |= {"export": ["cohen", "run"], "figure": ["scatter", "run"], "import cohen": ["log.tsv"]}


def command_lines(draw: random.Random, count: int) -> list[list[str]]:
    """Lines with some options left out, twice, or with a value that is mutated."""
    from fuzz import WORDS, mutated

    lines = []
    for _ in range(count):
        name = draw.choice(list(OPTIONS))
        line = [*name.split(), *TAKES.get(name, [])]
        for option, value in OPTIONS[name].items():
            if draw.random() < 0.15:
                continue
            text = value
            if draw.random() < 0.5:
                text = mutated(value.encode(), draw).decode("utf-8", "replace")
            if draw.random() < 0.1:
                text = draw.choice(WORDS)
            line += [option, text.replace("\x00", "")]
        if draw.random() < 0.1:
            line.insert(draw.randrange(len(line) + 1), draw.choice(WORDS).replace("\x00", ""))
        lines.append(line)
    return lines

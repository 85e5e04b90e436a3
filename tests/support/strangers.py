"""Every file that a command reads, and everything that is done to it: one list of each.

`READERS` names the files. A maker puts sound files into an empty folder and returns the file to
attack and the words of a command that reads it. `ATTACKS` are what is done to a file; each gets its
path. The tests (tests/cli/test_strangers.py) do every attack to every file, and docs/security.md
prints both lists.
"""

import io
import json
import os
import shutil
import stat
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

import simplicert as sc

SECRET = "the secret"
HUGE = 10 * 2**30  # bytes of a file of holes
DRAW = ("--sigma", "1", "--draws", "9", "--device", "cpu", "--quiet")
NET = "zoo:cifar10-small-0.25"
NOISE = np.random.default_rng(0).integers(0, 256, (4, 32, 32, 3), dtype=np.uint8)
COHEN = "idx\tlabel\tpredict\tradius\tcorrect\ttime\n" + "".join(
    f"{row}\t1\t1\t0.3\t1\t0:00:01\n" for row in range(9)
)

SECOND = "idx\tlabel\tpredict\tradius\traw_count\n0\t3\t3\t0.486\t900\n"
ISS = "0\t3\t3\t0.934\t20000\t0.753\t1\t1.204\n"
RADII, NAMED = "i,y,p,r\n0,3,3,0.75\n1,5,5,0.25\n", "index=i,label=y,predict=p,radius=r"
DSRS = "x disttype gaussian\nx std 0.5\nx N 100000\nx alpha 0.001\no 0 0.9 0.91\n"
CLASS_MAP = json.dumps({str(number): number for number in range(4)})


class Reader(NamedTuple):
    """One file: its name on the page, how it is made, and whether a folder brings it along."""

    file: str
    make: Callable[[Path], tuple[Path, list[object]]]
    inside: bool = False  # it lies in a folder that was named, so that a link in its place may lie
    text: bool = True  # deep brackets and long numbers are tried too
    needs: str = "simplicert"
    page: bool = False  # a board is written without what it refuses, and says why
    sound: bool = True  # the command ends well while nothing is done to the file

    def strict(self, attack: str) -> bool:
        """Whether the command must refuse it: a note may be empty, a log may be cut."""
        return attack in STRICT and not self.page


STRICT = (
    *("a pipe", "a socket", "a folder", "a link to /dev/zero", "a link to itself"),
    *("a link to a private file", "the file moved out and a link to it"),
)


# ---------------------------------------------------------------- what is done to a file


def put_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def put_socket(path: Path) -> None:
    path.unlink()
    os.mknod(path, stat.S_IFSOCK | 0o600)


def put_device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def put_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def put_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def put_secret(path: Path) -> None:
    """A link to a private file of another kind: none of its words may be shown."""
    secret = path.parents[1] / "private.txt"
    secret.write_text(f"{SECRET} = {SECRET}\n{SECRET},{SECRET}\n" * 3)
    path.unlink()
    path.symlink_to(secret)


def put_outside(path: Path) -> None:
    """The sound file itself, moved out of the folder: only a link leads to it."""
    outside = Path(f"{path.parents[1]}-outside", path.name)
    outside.parent.mkdir()
    shutil.move(path, outside)
    path.symlink_to(outside)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def fill_with_holes(path: Path) -> None:
    os.truncate(path, HUGE)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def put_bytes(path: Path) -> None:
    """Bytes that are no UTF-8, with zeros among them."""
    path.write_bytes(b"\xff\xfe\x00\x80" * 999)


def put_brackets(path: Path) -> None:
    path.write_text("a = " * (path.suffix == ".toml") + "[" * 50_000)


def put_long_number(path: Path) -> None:
    path.write_text("a = " * (path.suffix == ".toml") + "9" * 5_000 + "\n")


def put_address(path: Path) -> None:
    """What a file holds instead of itself where it was fetched badly."""
    path.write_text("https://127.0.0.1:9/payload\nhf://payload/go\ns3://payload/go\n")


ATTACKS: dict[str, Callable[[Path], None]] = {
    "a pipe": put_pipe,
    "a socket": put_socket,
    "a link to /dev/zero": put_device,
    "a link to itself": put_loop,
    "a link to a private file": put_secret,
    "the file moved out and a link to it": put_outside,
    "a folder": put_folder,
    "0 bytes": empty,
    "10 GiB of holes": fill_with_holes,
    "its first half": cut,
    "no UTF-8": put_bytes,
    "50,000 brackets": put_brackets,
    "5,000 digits": put_long_number,
    "addresses": put_address,
}
ONLY_INSIDE = (
    "the file moved out and a link to it",
)  # a link that the user names is the user's word
ONLY_TEXT = ("50,000 brackets", "5,000 digits", "addresses")


def attacks_on(reader: Reader) -> list[str]:
    """The attacks that are done to this file."""
    left = (() if reader.inside else ONLY_INSIDE) + (() if reader.text else ONLY_TEXT)
    return [attack for attack in ATTACKS if attack not in left]


# ---------------------------------------------------------------- sound files


def make_run(folder: Path, **settings: object) -> Path:
    plan = sc.Plan((1000,))
    tally = sc.Tally([[990, 10], [10, 990]], 0.5, labels=[0, 1], plan=plan, **settings)
    sc.create_run(folder / "run", sc.Manifest(0.5, 2, 2, plan=plan), tally)
    return folder / "run"


def of_run(name: str, *words: object) -> Callable[[Path], tuple[Path, list[object]]]:
    """A file of a run folder, by a pattern; RUN and OUT in the words are places."""

    def make(folder: Path) -> tuple[Path, list[object]]:
        run = make_run(folder)
        places = {"RUN": run, "OUT": folder / "out.html", "CSV": folder / "run.csv"}
        (found,) = run.glob(name)
        return found, [places.get(str(word), word) for word in words]

    return make


def failed_note(folder: Path) -> tuple[Path, list[object]]:
    run = make_run(folder)
    (run / "failed").mkdir()
    (run / "failed" / "00000001.txt").write_text("out of memory\n")
    return run / "failed" / "00000001.txt", ["status", run]


def noise_scale(folder: Path) -> tuple[Path, list[object]]:
    np.save(folder / "scale.npy", np.linspace(0.5, 2, 64).reshape(1, 8, 8))
    scaled = ("--noise-scale", folder / "scale.npy")
    words = ["sample", "--model", digits_weights(folder), "--data", "digits", *DRAW, *scaled]
    return folder / "scale.npy", [*words, "--stop", "2", "--out", folder / "out"]


def digits_weights(folder: Path) -> str:
    import torch
    from safetensors.torch import save_file

    from simplicert.models.architectures import build_network

    with torch.random.fork_rng():
        torch.manual_seed(0)
        state = build_network("mlp", 10, (1, 8, 8)).state_dict()
    notes = {"num_classes": "10", "input_shape": "[1, 8, 8]"}
    save_file(state, folder / "w.safetensors", metadata=notes)
    return f"mlp@{folder / 'w.safetensors'}"


def model_words(folder: Path, model: object, *more: object) -> list[object]:
    words = ["sample", "--model", model, "--data", "digits", "--stop", "2", *DRAW, *more]
    return [*words, "--out", folder / "out"]


def weights(folder: Path) -> tuple[Path, list[object]]:
    spec = digits_weights(folder)
    return folder / "w.safetensors", model_words(folder, spec)


def trained(name: str) -> Callable[[Path], tuple[Path, list[object]]]:
    def make(folder: Path) -> tuple[Path, list[object]]:
        net = Path(sc.__file__).parent / "models" / "zoo" / "cifar10-small-0.25"
        shutil.copytree(net, folder / "net")
        np.savez(folder / "data.npz", images=NOISE)
        words = ["sample", "--model", folder / "net", "--data", folder / "data.npz", *DRAW]
        return folder / "net" / name, [*words, "--out", folder / "out"]

    return make


def exported(folder: Path) -> tuple[Path, list[object]]:
    import torch

    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
    some = torch.zeros(2, 1, 8, 8)
    program = torch.export.export(net, (some,), dynamic_shapes=({0: torch.export.Dim("batch")},))
    torch.export.save(program, folder / "m.pt2")
    return folder / "m.pt2", model_words(folder, folder / "m.pt2")


def script(folder: Path) -> tuple[Path, list[object]]:
    import warnings

    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
        torch.jit.save(torch.jit.script(net), folder / "m.ts")
    return folder / "m.ts", model_words(folder, folder / "m.ts", "--trust")


def onnx_model(folder: Path) -> tuple[Path, list[object]]:
    import onnx

    helper = onnx.helper
    sides = [("inputs", ["b", 1, 8, 8]), ("scores", ["b", 64])]
    begin, end = (helper.make_tensor_value_info(name, 1, shape) for name, shape in sides)
    nodes = [helper.make_node("Flatten", ["inputs"], ["scores"])]
    graph = helper.make_graph(nodes, "g", [begin], [end])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    return folder / "m.onnx", model_words(folder, folder / "m.onnx")


def hub_model(name: str) -> Callable[[Path], tuple[Path, list[object]]]:
    def make(folder: Path) -> tuple[Path, list[object]]:
        import transformers

        config = transformers.ResNetConfig(
            num_channels=1, embedding_size=4, hidden_sizes=[4], depths=[1], layer_type="basic"
        )
        transformers.ResNetForImageClassification(config).save_pretrained(folder / "net")
        notes = {"do_normalize": True, "image_mean": [0.5], "image_std": [0.25]}
        (folder / "net" / "preprocessor_config.json").write_text(json.dumps(notes))
        return folder / "net" / name, model_words(folder, f"hf:{folder / 'net'}")

    return make


def checkpoint(folder: Path) -> tuple[Path, list[object]]:
    """Of nothing but its format: what a training writes takes an epoch to make."""
    import torch

    (folder / "net").mkdir()
    torch.save({"format": 1}, folder / "net" / "checkpoint.pt")
    words = ["train", "--data", "digits", "--arch", "mlp", "--sigma", "1", "--epochs", "1"]
    return folder / "net" / "checkpoint.pt", [*words, "--out", folder / "net"]


def data_words(folder: Path, data: object, *more: object) -> list[object]:
    return ["sample", "--model", NET, "--data", data, *DRAW, *more, "--out", folder / "out"]


def data_npz(folder: Path) -> tuple[Path, list[object]]:
    np.savez(folder / "data.npz", images=NOISE, labels=np.arange(4))
    return folder / "data.npz", data_words(folder, folder / "data.npz")


def data_table(suffix: str) -> Callable[[Path], tuple[Path, list[object]]]:
    def make(folder: Path) -> tuple[Path, list[object]]:
        import pandas as pd

        path = folder / f"data{suffix}"
        frame = pd.DataFrame({"a": [0.5, 1.5], "b": [2.0, 3.0], "label": [0, 1]})
        frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
        return path, data_words(folder, path)

    return make


def texts(folder: Path) -> tuple[Path, list[object]]:
    (folder / "data.jsonl").write_text('{"text": "a b", "label": 0}\n')
    noise = ("--noise", "deletion", "--rate", "0.5", "--draws", "9")
    words = ["sample", "--model", NET, "--data", folder / "data.jsonl", *noise]
    return folder / "data.jsonl", [*words, "--out", folder / "out"]


def pictures(folder: Path) -> tuple[Path, list[object]]:
    from PIL import Image

    for name in ("a", "b"):
        (folder / "data" / name).mkdir(parents=True)
        Image.fromarray(NOISE[0]).save(folder / "data" / name / "1.png")
    return folder / "data" / "b" / "1.png", data_words(folder, f"folder:{folder / 'data'}")


def cifar10(folder: Path) -> tuple[Path, list[object]]:
    (folder / "data").mkdir()
    (folder / "data" / "test_batch.bin").write_bytes(bytes(3073 * 2))
    return folder / "data" / "test_batch.bin", data_words(folder, f"cifar10:{folder / 'data'}")


def saved_table(pattern: str) -> Callable[[Path], tuple[Path, list[object]]]:
    def make(folder: Path) -> tuple[Path, list[object]]:
        from datasets import ClassLabel, Dataset, Features
        from datasets import Image as Pictures
        from PIL import Image

        kinds = Features({"image": Pictures(), "label": ClassLabel(names=["a", "b"])})
        rows = {"image": [Image.fromarray(NOISE[0])] * 2, "label": [0, 1]}
        Dataset.from_dict(rows, features=kinds).save_to_disk(folder / "table")
        (found,) = (folder / "table").glob(pattern)
        return found, data_words(folder, f"hf:{folder / 'table'}")

    return make


def hub_table(folder: Path) -> tuple[Path, list[object]]:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from PIL import Image

    sink = io.BytesIO()
    Image.fromarray(NOISE[0]).save(sink, "PNG")
    cell = {"bytes": sink.getvalue(), "path": "1.png"}
    (folder / "table").mkdir()
    path = folder / "table" / "test-00000-of-00001.parquet"
    pq.write_table(pa.table({"image": [cell] * 2, "label": [0, 1]}), path)
    return path, data_words(folder, f"hf:{folder / 'table'}")


def beside_data(option: str, name: str, text: str) -> Callable[[Path], tuple[Path, list[object]]]:
    def make(folder: Path) -> tuple[Path, list[object]]:
        data_npz(folder)
        (folder / name).write_text(text)
        return folder / name, data_words(folder, folder / "data.npz", option, folder / name)

    return make


def log(form: str, name: str, text: str, *more: object):
    def make(folder: Path) -> tuple[Path, list[object]]:
        (folder / name).write_text(text)
        words = ["import", form, folder / name, "--sigma", "0.5", *more]
        return folder / name, [*words, "--out", folder / "out"]

    return make


def counts_npz(folder: Path) -> tuple[Path, list[object]]:
    np.savez(folder / "counts.npz", counts=np.array([[90, 10], [5, 95]]))
    words = ["import", "counts", folder / "counts.npz", "--sigma", "0.5"]
    return folder / "counts.npz", [*words, "--out", folder / "out"]


def pilot(folder: Path) -> tuple[Path, list[object]]:
    (folder / "counts.txt").write_text("9 1 0\n1 9 1\n")
    (folder / "pilot.txt").write_text("8 1 0\n1 8 1\n")
    words = ["import", "counts", folder / "counts.txt", "--pilot", folder / "pilot.txt"]
    more = ["--sigma", "1", "--scheme", "split", "--out", folder / "out"]
    return folder / "pilot.txt", [*words, *more]


def arrays(folder: Path) -> tuple[Path, list[object]]:
    place = folder / "uniform_0.50"
    place.mkdir()
    held = {"preds": np.eye(3), "labels": np.arange(3), "prob_lb": np.full(3, 0.9)}
    for name, values in (held | {"radius_l1": np.full(3, 0.2)}).items():
        np.save(place / f"{name}.npy", values)
    return place / "prob_lb.npy", ["board", place, "--out", folder / "out"]


def board_log(folder: Path) -> tuple[Path, list[object]]:
    (folder / "logs").mkdir()
    (folder / "logs" / "sigma_0.5").write_text(COHEN)
    return folder / "logs" / "sigma_0.5", ["board", folder / "logs", "--out", folder / "out"]


def board_claims(folder: Path) -> tuple[Path, list[object]]:
    board_log(folder)
    (folder / "logs" / "board.toml").write_text('[[claim]]\nmethod = "m"\n')
    return folder / "logs" / "board.toml", ["board", folder / "logs", "--out", folder / "out"]


def claims(folder: Path) -> tuple[Path, list[object]]:
    run = make_run(folder)
    (folder / "claims.toml").write_text("[[claim]]\nsigma = 0.5\n")
    return folder / "claims.toml", ["verify", run, "--claims", folder / "claims.toml"]


def known(folder: Path) -> tuple[Path, list[object]]:
    from simplicert.store.imported import write_imported_run

    source = {"holds": "radii", "method": "radius"}
    manifest = sc.Manifest(0.5, 2, 2, scheme="imported", source=source)
    columns = {"index": [0, 1], "predicted": [0, 1], "radius": [0.1, 0.2]}
    run = write_imported_run(folder / "run", manifest, columns).folder
    (found,) = run.glob("known-*.parquet")
    return found, ["report", run, "--out", folder / "out.html"]


def neighbours(folder: Path) -> tuple[Path, list[object]]:
    """Of a run that was drawn here: a search for neighbours reads it to go on."""
    from simplicert.drawing import draw_by_settings
    from simplicert.store.neighbours import COLUMNS
    from simplicert.store.settings import parse_settings

    run, model = folder / "run", digits_weights(folder)
    settings = {"model": model, "data": "digits", "sigma": 1.0, "draws": 9, "device": "cpu"}
    draw_by_settings(parse_settings({**settings, "stop": 2, "out": run}))
    (run / "geometry.csv").write_text(",".join(COLUMNS) + "\n")
    little = ("--pilot", "9", "--copies", "2", "--draws", "9", "--quiet")
    return run / "geometry.csv", ["geometry", run, "--model", model, "--data", "digits", *little]


def attack_table(folder: Path) -> tuple[Path, list[object]]:
    from simplicert.store.attacks import COLUMNS

    run = make_run(folder)
    (run / "attack.csv").write_text(",".join(COLUMNS) + "\n")
    return run / "attack.csv", ["report", run, "--out", folder / "out.html"]


def stored(suffix: str, inside: bool = False) -> Callable[[Path], tuple[Path, list[object]]]:
    def make(folder: Path) -> tuple[Path, list[object]]:
        from simplicert.store.certificates import write_certificates

        run = make_run(folder)
        path = run / "certificates.csv" if inside else folder / f"run{suffix}"
        write_certificates(sc.open_run(run).certify(), path)
        return path, ["verify", run]

    return make


def design(folder: Path) -> tuple[Path, list[object]]:
    run = make_run(folder)
    (folder / "design.toml").write_text("format = 1\n")
    return folder / "design.toml", [
        "population",
        "certify",
        run,
        "--design",
        folder / "design.toml",
    ]


def recipe(folder: Path) -> tuple[Path, list[object]]:
    (folder / "own.toml").write_text('[settings]\narch = "mlp"\nsigma = 0.5\nepochs = 1\n')
    words = ["train", "--data", "digits", "--recipe", folder / "own.toml"]
    return folder / "own.toml", [*words, "--out", folder / "out"]


def groups(folder: Path) -> tuple[Path, list[object]]:
    run = make_run(folder)
    (folder / "groups.csv").write_text("index,group\n0,a\n")
    words = ["gate", run, "--require", "accuracy@0.1>=0", "--groups", folder / "groups.csv"]
    return folder / "groups.csv", words


def earlier_card(folder: Path) -> tuple[Path, list[object]]:
    run = make_run(folder)
    (folder / "card.md").write_text("something else\n")
    return folder / "card.md", ["card", run, "--out", folder / "card.md"]


def sealed(name: str) -> Callable[[Path], tuple[Path, list[object]]]:
    def make(folder: Path) -> tuple[Path, list[object]]:
        from simplicert.verification.seals import make_key, seal_run

        run = make_run(folder)
        public = make_key(folder / "key.pem")
        seal_run(run, folder / "key.pem")
        if name == "key.pem":
            return folder / name, ["seal", run, "--key", folder / name]
        return (run / name if name == "seal.txt" else public), ["verify", run, "--key", public]

    return make


def scale_in_run(folder: Path) -> tuple[Path, list[object]]:
    """A run that says it has a noise scale: only its checksum is looked at."""
    from dataclasses import replace

    from simplicert.files import content_checksum
    from simplicert.store.manifest import read_manifest, write_manifest

    run, scale = make_run(folder), np.linspace(0.5, 2, 8)
    np.save(run / "noise_scale.npy", scale)
    manifest = read_manifest(run)
    source = manifest.source | {"noise_scale": content_checksum(scale.tobytes())}
    write_manifest(run, replace(manifest, source=source))
    return run / "noise_scale.npy", ["verify", run]


ALL_READERS = [
    Reader("`run.toml`", of_run("run.toml", "certify", "RUN"), inside=True),
    Reader("a part", of_run("parts/*.parquet", "certify", "RUN"), inside=True, text=False),
    Reader("a note in `failed/`", failed_note, inside=True, text=False),
    Reader("`known-*.parquet`", known, inside=True, text=False),
    Reader("`attack.csv`", attack_table, inside=True),
    Reader("`geometry.csv`", neighbours, inside=True),
    Reader("`certificates.csv` in a run", stored(".csv", inside=True), inside=True),
    Reader("`noise_scale.npy` in a run", scale_in_run, inside=True, text=False, sound=False),
    Reader("`seal.txt`", sealed("seal.txt"), inside=True, needs="cryptography"),
    Reader("a private key", sealed("key.pem"), needs="cryptography"),
    Reader("a public key", sealed("key.pem.pub"), needs="cryptography"),
    Reader("`RUN.csv`", stored(".csv")),
    Reader("`RUN.parquet`", stored(".parquet"), text=False),
    Reader("claims of a run", claims),
    Reader("a design", design, sound=False),
    Reader("a recipe", recipe),
    Reader("groups", groups),
    Reader("an earlier card", earlier_card, sound=False),
    Reader("`board.toml`", board_claims, inside=True, page=True),
    Reader("a log on a board", board_log, inside=True, page=True),
    Reader("arrays of a log", arrays, inside=True, text=False, page=True),
    Reader("log `cohen`", log("cohen", "log.tsv", COHEN)),
    Reader("log `second-order`", log("second-order", "log.tsv", SECOND, "--draws", "1000")),
    Reader("log `iss`", log("iss", "iss.tsv", ISS)),
    Reader("log `radii`", log("radii", "log.csv", RADII, "--columns", NAMED)),
    Reader("log `dsrs`", log("dsrs", "log.txt", DSRS), sound=False),
    Reader("log `counts`", log("counts", "log.txt", "90 10 0\n5 95 0\n")),
    Reader("log `counts` in `.npz`", counts_npz, text=False),
    Reader("a pilot of `counts`", pilot),
    Reader("`model.toml`", trained("model.toml"), inside=True),
    Reader("`weights.safetensors`", trained("weights.safetensors"), inside=True, text=False),
    Reader("`ARCH@weights`", weights, text=False),
    Reader("`.pt2`", exported, text=False),
    Reader("`.ts` with `--trust`", script, text=False),
    Reader("`.onnx`", onnx_model, text=False, needs="onnx"),
    Reader("`config.json` of `hf:`", hub_model("config.json"), inside=True, needs="transformers"),
    Reader(
        "`preprocessor_config.json` of `hf:`",
        hub_model("preprocessor_config.json"),
        inside=True,
        needs="transformers",
    ),
    Reader(
        "`model.safetensors` of `hf:`",
        hub_model("model.safetensors"),
        inside=True,
        text=False,
        needs="transformers",
    ),
    Reader("a checkpoint", checkpoint, inside=True, text=False, sound=False),
    Reader("data `.npz`", data_npz, text=False),
    Reader("data `.csv`", data_table(".csv"), sound=False),
    Reader("data `.parquet`", data_table(".parquet"), text=False, sound=False),
    Reader("data `.jsonl`", texts, sound=False),
    Reader("a picture of `folder:`", pictures, inside=True, text=False),
    Reader("a batch of `cifar10:`", cifar10, inside=True, text=False),
    Reader("`state.json` of `hf:`", saved_table("state.json"), inside=True, needs="datasets"),
    Reader("`.arrow` of `hf:`", saved_table("*.arrow"), inside=True, text=False, needs="datasets"),
    Reader("`.parquet` of `hf:`", hub_table, inside=True, text=False),
    Reader("`--noise-scale`", noise_scale, text=False),
    Reader("`--index-file`", beside_data("--index-file", "index.txt", "0\n1\n")),
    Reader("`--class-map`", beside_data("--class-map", "map.json", CLASS_MAP)),
]  # fmt: skip
READERS = [reader for reader in ALL_READERS if find_spec(reader.needs)]

"""Files made to fill the memory, to be waited for, or to end in a traceback: one maker each.

A maker gets an empty folder and returns the words of a command and what its sentence must say.
"""

import io
import json
import os
import struct
import warnings
import zipfile
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

import simplicert as sc
from simplicert.files import content_checksum
from simplicert.store import Manifest
from simplicert.store.identity import run_identity
from simplicert.store.imported import write_imported_run
from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.store.parts import part_name, write_part

LONG = "9" * 5000
DEEP = "[" * 50_000
SPECIAL = ("pipe", "device", "link")
MODEL = "zoo:cifar10-small-0.25"
PICTURE = {"images": np.zeros((1, 32, 32, 3), np.uint8), "labels": np.array([0])}
NEEDED = {
    "onnx": "onnx",
    "table": "datasets",
}  # libraries that a case needs, by how its name begins


def put_special(path, kind):
    """A pipe, a link to a device that never ends, or a link to a private file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
        return
    secret = path.parent.parent / "private.txt"
    secret.write_text("the secret\n")
    path.symlink_to("/dev/zero" if kind == "device" else secret)


def a_run(folder, inputs=2, classes=2):
    plan = sc.Plan((1000,))
    tally = sc.Tally([[990, 10], [10, 990]], 0.5, labels=[0, 1], plan=plan)
    sc.create_run(folder / "run", Manifest(0.5, 2, 2, plan=plan), tally)
    manifest = replace(read_manifest(folder / "run"), inputs=inputs, classes=classes)
    write_manifest(folder / "run", manifest)
    return folder / "run"


def put_part(run, tables, **metadata):
    """A part of this run, of one row group per table, under the name that its checksum gives it."""
    for path in (run / "parts").iterdir():
        path.unlink()
    sink = io.BytesIO()
    notes = {**run_identity(read_manifest(run)), **{k.encode(): v for k, v in metadata.items()}}
    schema = tables[0].schema.with_metadata(notes)
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)
    content = sink.getvalue()
    (run / "parts" / part_name(0, content)).write_bytes(content)


def counted(index, classes, values):
    """A table of counts: two classes of each input."""
    each = {"counts_class": classes, "counts_value": values}
    return pa.table({"index": index, **{k: pa.array(v) for k, v in each.items()}})


def rows_of_nothing(folder):
    """A hundred thousand times more rows than bytes; run.toml claims that many."""
    run = a_run(folder, inputs=60_000_000)
    million = np.zeros(1_000_000, np.int64)
    put_part(run, [pa.table({"index": million, "labels": million, "invalid": million})] * 60)
    (path,) = (run / "parts").iterdir()
    assert path.stat().st_size < 2**21
    return ["certify", run], "would grow from"


def rows_that_do_not_belong(folder):
    run = a_run(folder)
    million = np.zeros(1_000_000, np.int64)
    put_part(run, [pa.table({"index": million, "labels": million})])
    return ["certify", run], "it has 1,000,000 rows, and at most 100,000 belong there"


def one_endless_list(folder):
    run = a_run(folder)
    values = pa.array(np.zeros(150_000_000, np.int64))
    lists = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
    put_part(run, [pa.table({"index": [0], "segments": lists})])
    return ["status", run], "would grow from"


def classes_without_end(folder):
    run = a_run(folder, inputs=1000, classes=10**7)
    put_part(run, [counted(np.arange(1000), [[0, 1]] * 1000, [[9, 1]] * 1000)])
    return ["table", run], "at most 2,147,483,648 counts, got 1,000 inputs of 10,000,000 classes"


ROWS = 12_345  # in a file that will say ENDLESS instead
ENDLESS = 10**12


def declare_rows(content):
    """A Parquet file whose table of contents claims a million million rows and values."""
    length = struct.unpack("<I", content[-8:-4])[0]
    body, contents = content[: -8 - length], content[-8 - length : -8]
    changed = contents.replace(_signed(ROWS), _signed(ENDLESS))
    assert changed != contents
    return body + changed + struct.pack("<I", len(changed)) + content[-4:]


def _signed(value):
    """A 64-bit field of Thrift's compact protocol: its kind, then seven bits per byte."""
    left, said = 2 * value, bytearray([0x16])
    while left > 127:
        said.append(left & 127 | 128)
        left >>= 7
    return bytes([*said, left])


def endless_part(folder):
    run = a_run(folder, inputs=10**12)
    million = np.zeros(ROWS, np.int64)
    put_part(run, [pa.table({"index": million, "labels": million})])
    (path,) = (run / "parts").iterdir()
    content = declare_rows(path.read_bytes())
    path.unlink()
    (run / "parts" / part_name(0, content)).write_bytes(content)
    return ["certify", run], "would grow from|contradicts itself|more than|at most"


def endless_table(name):
    def make(folder):
        sink = io.BytesIO()
        picture = io.BytesIO()
        Image.new("RGB", (2, 2)).save(picture, "PNG")
        cells = [{"bytes": picture.getvalue(), "path": "a"}] * ROWS
        table = pa.table({"image": cells} if "test" in name else {"a": np.ones(ROWS)})
        pq.write_table(table.append_column("label", [np.zeros(ROWS, np.int64)]), sink)
        (folder / name).write_bytes(declare_rows(sink.getvalue()))
        return folder / name if "test" not in name else f"hf:{folder}"

    return make


def deep_features(folder):
    """A table of the Hub whose words about itself nest without end."""
    table = pa.table({"a": [1.0], "label": [0]})
    table = table.replace_schema_metadata({"huggingface": '{"info": ' + DEEP})
    pq.write_table(table, folder / "test.parquet")
    return f"hf:{folder}"


def texts_in_a_part(folder):
    run = a_run(folder)
    put_part(run, [pa.table({"index": [0], "labels": ["a"]})])
    return ["certify", run], "column labels must hold integers"


def lists_of_lists(folder):
    run = a_run(folder)
    put_part(run, [pa.table({"index": [0], "segments": [[[1], [2]]]})])
    return ["certify", run], "lists of lists"


def columns_without_end(folder):
    run = a_run(folder)
    put_part(run, [pa.table({f"c{n}": [0] for n in range(3000)})])
    return ["certify", run], "it has 3000 columns, more than 200"


def seconds_that_are_none(folder):
    run = a_run(folder)
    table = counted([0, 1], [[0, 1]] * 2, [[990, 10]] * 2).append_column(
        "segments", [[[0, 0, 1000]] * 2]
    )
    put_part(run, [table], seconds=b"nan")
    return ["status", run], "must have taken 0 to 1,000,000,000 s, got nan"


def seconds_of_two_parts(command, seconds, *words):
    """Each is a finite number; their sum, or what it is turned into, is none."""

    def make(folder):
        plan = sc.Plan((1000,))
        manifest = Manifest(0.5, 2, 2, plan=plan)
        for item in (0, 1):
            tally = sc.Tally([[990, 10]], 0.5, labels=[0], index=[item], plan=plan)
            if item == 0:
                sc.create_run(folder / "run", manifest, tally)
                (part,) = (folder / "run" / "parts").iterdir()  # of no seconds
                part.unlink()
            write_part(folder / "run" / "parts", tally, read_manifest(folder / "run"), seconds)
        return [command, *words, folder / "run"], "must have taken 0 to 1,000,000,000 s, got 1e"

    return make


def special_part(kind):
    def make(folder):
        run = a_run(folder)
        put_special(run / "parts" / "00000009-aa.parquet", kind)
        return ["certify", run], "must be a plain file"

    return make


def special_settings(kind):
    def make(folder):
        run = a_run(folder)
        put_special(run / "run.toml", kind)
        return ["certify", run], "plain file|holds no run.toml"

    return make


def settings(change, says):
    def make(folder):
        run = a_run(folder)
        (run / "run.toml").write_text(change((run / "run.toml").read_text()))
        return ["certify", run], says

    return make


def huge_settings(folder):
    run = a_run(folder)
    os.truncate(run / "run.toml", 2**40)  # a file of holes
    return ["status", run], "must have at most 64.0 MiB, got 1.0 TiB"


def special_failure(kind):
    def make(folder):
        run = a_run(folder)
        put_special(run / "failed" / "00000001.txt", kind)
        return ["status", run], "must be a plain file, got a (pipe|link)"

    return make


def failures_elsewhere(folder):
    run = a_run(folder)
    (folder / "other").mkdir()
    (folder / "other" / "00000001.txt").write_text("the secret")
    (run / "failed").symlink_to(folder / "other")
    return ["status", run], "failed must be a folder, got a link"


def a_long_failure(folder):
    run = a_run(folder)
    (run / "failed").mkdir()
    (run / "failed" / "00000001.txt").write_bytes(bytes(2**20 + 1))
    return ["status", run], "must have at most 1.0 MiB"


def a_log_run(folder, rows=2, **columns):
    manifest = Manifest(
        0.5, rows, 2, scheme="imported", source={"holds": "radii", "method": "radius"}
    )
    held = {"index": [0, 1], "predicted": [0, 1], "radius": [0.1, 0.2]} | columns
    return write_imported_run(folder / "run", manifest, held).folder


def settings_no_texts(name, value, *words):
    """An imported run whose run.toml holds something else where a text is read."""

    def make(folder):
        run = a_log_run(folder)
        manifest = read_manifest(run)
        text = (run / "run.toml").read_text()
        kept = f"[source]\n{name} = {value}\n"
        (run / "run.toml").write_text(text.replace("[source]\n", kept))
        assert manifest.source.get(name) is None
        return [*words, run], f"{name} in the table source must be a (list of texts|text), got"

    return make


def put_known(run, tables):
    (path,) = run.glob("known-*.parquet")
    path.unlink()
    sink = io.BytesIO()
    settings = {"compression": "zstd", "dictionary_pagesize_limit": 2**27}
    with pq.ParquetWriter(sink, tables[0].schema, **settings) as writer:
        for table in tables:
            writer.write_table(table)
    (run / f"known-{content_checksum(sink.getvalue())}.parquet").write_bytes(sink.getvalue())


def special_log_run(kind):
    def make(folder):
        run = a_log_run(folder)
        (path,) = run.glob("known-*.parquet")
        put_special(path, kind)
        return [
            "report",
            run,
            "--out",
            folder / "r.html",
        ], "must be a plain file, got a (pipe|link)"

    return make


def a_word_repeated(folder):
    """Ten million signs in the file's dictionary, named in each of ten thousand rows."""
    run = a_log_run(folder, rows=10_000)
    word = pa.DictionaryArray.from_arrays(np.zeros(10_000, np.int32), ["x" * 10**7])
    numbers = np.arange(10_000)
    columns = {"index": numbers, "predicted": numbers, "radius": numbers / 9, "radius_text": word}
    put_known(run, [pa.table(columns)])
    return [
        "report",
        run,
        "--out",
        folder / "r.html",
    ], "column radius_text is refused: it would grow"


def a_log_of_nothing(folder):
    run = a_log_run(folder, rows=100_000_000)
    million = np.zeros(1_000_000, np.int64)
    table = pa.table({"index": million, "predicted": million, "radius": million / 1.0})
    put_known(run, [table] * 60)
    return ["report", run, "--out", folder / "r.html"], "would grow from"


def attack_table(kind):
    def make(folder):
        run = a_run(folder)
        text = "x" * 200_000 + "\n" if kind == "cell" else f"{DEEP}\n"
        (run / "attack.csv").write_text(text)
        return ["report", run, "--out", folder / "r.html"], "table of an attack"

    return make


def groups(text, says):
    def make(folder):
        run = a_run(folder)
        (folder / "groups.csv").write_text(text)
        words = ["gate", run, "--require", "accuracy@0.1>=0", "--groups", folder / "groups.csv"]
        return words, says

    return make


def special_groups(folder):
    run = a_run(folder)
    put_special(folder / "g" / "groups.csv", "pipe")
    words = ["gate", run, "--require", "accuracy@0.1>=0", "--groups", folder / "g" / "groups.csv"]
    return words, "must be a plain file, got a pipe"


def imported(name, text, says, more=()):
    def make(folder):
        path = folder / ("log.txt" if isinstance(text, str) else "log.npz")
        if isinstance(text, str):
            path.write_text(text)
        else:
            text(path)
        return ["import", name, path, "--sigma", "0.5", *more, "--out", folder / "run"], says

    return make


def special_log(name, kind, more=()):
    def make(folder):
        put_special(folder / "log" / "log.txt", kind)
        words = ["import", name, folder / "log" / "log.txt", "--sigma", "0.5", *more]
        return [*words, "--out", folder / "run"], "must be|a plain file"

    return make


def special_pilot(folder):
    (folder / "counts.txt").write_text("9 1 0\n1 9 1\n")
    put_special(folder / "p" / "pilot.txt", "pipe")
    words = ["import", "counts", folder / "counts.txt", "--pilot", folder / "p" / "pilot.txt"]
    return [*words, "--sigma", "1", "--scheme", "split", "--out", folder / "r"], "got a pipe"


def several_bombs(*names):
    """Each array might be unpacked; all of them together are more than a file of this size may."""

    def write(path):
        head = str({"descr": "|u1", "fortran_order": False, "shape": (800_000_000,)}).encode()
        head += b" " * (117 - len(head)) + b"\n"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name in names:
                with archive.open(f"{name}.npy", "w") as member:
                    member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
                    member.write(bytes(10**6))
        content = bytearray(path.read_bytes())
        at = -1
        while (
            at := content.find(b"PK\x01\x02", at + 1)
        ) >= 0:  # what the directory says is believed
            content[at + 24 : at + 28] = struct.pack("<I", 800_000_128)
        path.write_bytes(content)

    return write


def sampled(make_model=None, make_data=None, says="", more=()):
    """The drawing of a run from a hostile model or from hostile data."""

    def make(folder):
        (folder / "in").mkdir()
        model = MODEL if make_model is None else make_model(folder / "in")
        data = "digits" if make_data is None else make_data(folder / "in")
        words = ["sample", "--model", model, "--data", data, "--sigma", "1", "--draws", "9"]
        return [
            *words,
            *(more(folder / "in") if callable(more) else more),
            "--out",
            folder / "r",
        ], says

    return make


def data_npz(**arrays):
    def make(folder):
        np.savez_compressed(folder / "data.npz", **arrays)
        return folder / "data.npz"

    return make


def bombs_npz(folder):
    several_bombs("images", "labels", "classes")(folder / "data.npz")
    return folder / "data.npz"


def image_bomb(folder):
    (folder / "a").mkdir()
    Image.new("1", (20_000, 20_000)).save(folder / "a" / "bomb.png")
    return f"folder:{folder}"


def image_of_a_program(folder):
    """PostScript under an image's name: Pillow would start Ghostscript."""
    (folder / "a").mkdir()
    Image.new("RGB", (32, 32)).save(folder / "a" / "x.eps")
    (folder / "a" / "x.eps").rename(folder / "a" / "x.png")
    return f"folder:{folder}"


def index_file(text):
    def make(folder):
        if text is None:
            put_special(folder / "index.txt", "pipe")
        else:
            (folder / "index.txt").write_text(text)
        return ["--index-file", folder / "index.txt"]

    return make


def weights(**metadata):
    def make(folder):
        import torch
        from safetensors.torch import save_file

        state = {"fc1.weight": torch.zeros(4, 64), "fc.weight": torch.zeros(10, 4)}
        save_file(state, folder / "w.safetensors", metadata=metadata)
        return f"mlp@{folder / 'w.safetensors'}"

    return make


def broken_weights(content):
    def make(folder):
        (folder / "w.safetensors").write_bytes(content)
        return f"mlp@{folder / 'w.safetensors'}"

    return make


def trained(text):
    def make(folder):
        (folder / "net").mkdir()
        if text is None:
            put_special(folder / "net" / "model.toml", "pipe")
        else:
            (folder / "net" / "model.toml").write_text(text)
        weights()(folder)
        (folder / "w.safetensors").rename(folder / "net" / "weights.safetensors")
        return folder / "net"

    return make


FACTS = """format = 1
[model]
arch = "mlp"
num_classes = {}
input_shape = {}
fingerprint = "x"
"""


def recipe(text, says="recipe .* must be a TOML file"):
    def make(folder):
        if text is None:
            put_special(folder / "x" / "own.toml", "pipe")
        else:
            (folder / "x").mkdir()
            (folder / "x" / "own.toml").write_text(text)
        words = ["train", "--data", "digits", "--recipe", folder / "x" / "own.toml"]
        return [*words, "--out", folder / "net"], says

    return make


def saved_table(change):
    def make(folder):
        from datasets import ClassLabel, Dataset, Features
        from datasets import Image as Pictures

        kinds = Features({"image": Pictures(), "label": ClassLabel(names=["a", "b"])})
        rows = {"image": [Image.new("RGB", (32, 32))] * 2, "label": [0, 1]}
        Dataset.from_dict(rows, features=kinds).save_to_disk(folder / "table")
        change(folder / "table")
        return f"hf:{folder / 'table'}"

    return make


def packed_table(folder):
    (path,) = folder.glob("*.arrow")
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_stream(source).read_all()
    content = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(content, table.schema, options=options) as stream:
        stream.write_table(table)
    path.unlink()
    path.write_bytes(content.getvalue())


def onnx_model(place, prepare=lambda folder: None):
    """A linear model with a tensor that no node uses, kept in another file."""

    def make(folder):
        import onnx

        helper = onnx.helper
        shapes = [helper.make_tensor_value_info(n, 1, ["b", 3072]) for n in ("inputs", "scores")]
        unused = onnx.TensorProto(name="unused", data_type=1, dims=[1], data_location=1)
        unused.external_data.add(key="location", value=place)
        nodes = [helper.make_node("Identity", ["inputs"], ["scores"])]
        graph = helper.make_graph(nodes, "g", shapes[:1], shapes[1:], [unused])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        (folder / "m.onnx").write_bytes(model.SerializeToString())
        prepare(folder)
        return folder / "m.onnx"

    return make


def class_map(name, text):
    def make(folder):
        (folder / name).write_text(text)
        return ["--class-map", folder / name]

    return make


def tall_json():
    return json.dumps({"a": 0})[:-1] + f', "b": {LONG}}}'


def script(folder):
    """TorchScript with a member of a hundred million zeros."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), folder / "m.ts")
    with zipfile.ZipFile(folder / "m.ts", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("m/data/9", bytes(10**8))
    return folder / "m.ts"


ALL_CASES = {
    "part: rows of nothing": rows_of_nothing,
    "part: rows that do not belong": rows_that_do_not_belong,
    "part: one endless list": one_endless_list,
    "part: a million million rows": endless_part,
    "data: a million million rows": sampled(
        None, endless_table("data.parquet"), "would grow from|contradicts itself|at most|more than"
    ),
    "data: a million million pictures": sampled(
        None, endless_table("test.parquet"), "would grow from|contradicts itself|at most|more than"
    ),
    "data: deep words about itself": sampled(None, deep_features, "must be a Parquet table"),
    "part: classes without end": classes_without_end,
    "run.toml: audit of numbers": settings_no_texts("audit", "[1]", "status"),
    "run.toml: audit of lists": settings_no_texts("audit", '[["a"]]', "table"),
    "run.toml: an audit that is a number": settings_no_texts("audit", "5", "history"),
    "run.toml: codes that are a number": settings_no_texts("audit_codes", "5", "card"),
    "run.toml: a label that is a list": settings_no_texts("label", '["a"]', "table"),
    "part: texts": texts_in_a_part,
    "part: lists of lists": lists_of_lists,
    "part: columns without end": columns_without_end,
    "part: seconds": seconds_that_are_none,
    "part: seconds without end, for a card": seconds_of_two_parts("card", 1e308),
    "part: seconds without end, for status": seconds_of_two_parts("status", 1e308),
    "part: seconds of the universe": seconds_of_two_parts("export", 1e18, "cohen"),
    **{f"part: {kind}": special_part(kind) for kind in SPECIAL},
    **{f"run.toml: {kind}": special_settings(kind) for kind in SPECIAL},
    "run.toml: 5,000 digits": settings(lambda t: f"format = {LONG}\n{t}", "at most 1000 digits"),
    "run.toml: deep": settings(lambda t: f"made = {DEEP}\n{t}", "cannot be read as TOML"),
    "run.toml: 200 levels": settings(
        lambda t: f"answers = {'[' * 200}{']' * 200}\n{t}", "must nest at most 100 levels"
    ),
    "run.toml: beyond int64": settings(
        lambda t: t.replace("inputs = 2", f"inputs = {2**70}"), "integers of 64 bits"
    ),
    "run.toml: holes": huge_settings,
    **{f"failed: {kind}": special_failure(kind) for kind in SPECIAL},
    "failed: folder": failures_elsewhere,
    "failed: long": a_long_failure,
    **{f"known: {kind}": special_log_run(kind) for kind in SPECIAL},
    "known: a word repeated": a_word_repeated,
    "known: rows of nothing": a_log_of_nothing,
    "attack.csv: a long cell": attack_table("cell"),
    "attack.csv: brackets": attack_table("deep"),
    "groups: 5,000 digits": groups(f"index,group\n{LONG},a\n", "a number and a name"),
    "groups: no digit": groups("index,group\n²,a\n", "a number and a name"),
    "groups: a long cell": groups(f"index,group\n0,{'x' * 200_000}\n", "must be a CSV file"),
    "groups: pipe": special_groups,
    "counts: 5,000 digits": imported("counts", f"{LONG} 1 0\n", "below 2\\^63"),
    "counts: beyond int64": imported("counts", f"{2**70} 1 0\n", "below 2\\^63"),
    "counts: lists of 5,000 digits": imported("counts", f"0\t0\t[{LONG}, 1]\n", "list of counts"),
    "counts: lists beyond int64": imported("counts", f"0\t0\t[{2**70}, 1]\n", "list of counts"),
    "counts: deep lists": imported("counts", f"0\t0\t{DEEP}\n", "list of counts"),
    "counts: pipe": special_log("counts", "pipe"),
    "counts: device": special_log("counts", "device"),
    "counts: pilot that is a pipe": special_pilot,
    "counts.npz: several bombs": imported(
        "counts", several_bombs("counts", "labels", "votes"), "would grow from"
    ),
    "counts.npz: beyond int64": imported(
        "counts",
        lambda path: np.savez(path, counts=np.array([[2**64 - 1, 1]], np.uint64)),
        "counts",
    ),
    "cohen: 5,000 digits": imported(
        "cohen", f"idx\tlabel\tpredict\tradius\n{LONG}\t0\t0\t0.1\n", "at least one row"
    ),
    "cohen: beyond int64": imported(
        "cohen", f"idx\tlabel\tpredict\tradius\n0\t{2**70}\t0\t0.1\n", "label must be an integer"
    ),
    "cohen: a long cell": imported(
        "cohen", f"idx\tlabel\tpredict\tradius\n0\t0\t0\t{'9' * 200_000}\n", "made of cells"
    ),
    "cohen: pipe": special_log("cohen", "pipe"),
    "cohen: device": special_log("cohen", "device"),
    "data: several bombs": sampled(None, bombs_npz, "would grow from"),
    "data: labels without end": sampled(
        None,
        data_npz(**PICTURE | {"labels": np.array([10**15])}),
        "must lie below 10,000,000, got 1000000000000000",
    ),
    "data: labels beyond int64": sampled(
        None,
        data_npz(
            images=np.zeros((1, 32, 32, 3), np.uint8), labels=np.array([2**64 - 1], np.uint64)
        ),
        "labels",
    ),
    "data: an image bomb": sampled(None, image_bomb, "bomb.png"),
    "data: a program as an image": sampled(None, image_of_a_program, "x.png must be an image"),
    "index file: pipe": sampled(more=index_file(None), says="got a pipe"),
    "index file: 5,000 digits": sampled(more=index_file(LONG), says="must hold whole numbers"),
    "index file: beyond int64": sampled(more=index_file(str(2**70)), says="must list inputs in"),
    "table: pipe": sampled(
        None, saved_table(lambda t: put_special(t / "state.json", "pipe")), "got a pipe"
    ),
    "table: deep": sampled(
        None, saved_table(lambda t: (t / "state.json").write_text(DEEP)), "cannot be read as JSON"
    ),
    "table: 5,000 digits": sampled(
        None, saved_table(lambda t: (t / "state.json").write_text(tall_json())), "1000 digits"
    ),
    "table: packed": sampled(None, saved_table(packed_table), "must not be a packed table"),
    "class map: deep": sampled(
        None, data_npz(**PICTURE), "class_map .* cannot be read", class_map("m.json", DEEP)
    ),
    "class map: 5,000 digits": sampled(
        None, data_npz(**PICTURE), "class_map .* cannot be read", class_map("m.toml", f"a = {LONG}")
    ),
    "class map: a long cell": sampled(
        None, data_npz(**PICTURE), "class_map .* cannot be read", class_map("m.csv", "x" * 200_000)
    ),
    "weights: classes without end": sampled(
        weights(num_classes="1000000000", input_shape="[1, 8, 8]"), says="must have shape|lacks"
    ),
    "weights: shape without end": sampled(
        weights(num_classes="10", input_shape="[1000000, 1000000]"), says="input_shape"
    ),
    "weights: infinity": sampled(weights(num_classes="1e400"), says="must be numbers below"),
    "weights: no number": sampled(weights(num_classes="NaN"), says="must be numbers below"),
    "weights: half a class": sampled(weights(num_classes="2.5"), says="must be whole numbers"),
    "weights: negative": sampled(weights(input_shape="[-1, 8]"), says="must be whole numbers"),
    "weights: 5,000 digits": sampled(weights(num_classes=LONG), says="must be numbers below"),
    "weights: deep": sampled(weights(num_classes=DEEP), says="must be numbers below"),
    "weights: a long header": sampled(
        broken_weights(struct.pack("<Q", 2**60) + b"{}"), says="must be a safetensors file"
    ),
    "weights: a header that is deep": sampled(
        broken_weights(struct.pack("<Q", 9 * 10**4) + b'{"a":' * 18_000), says="a safetensors file"
    ),
    "model.toml: pipe": sampled(trained(None), says="must be a folder written by train"),
    "model.toml: 5,000 digits": sampled(trained(FACTS.format(LONG, "[1, 8, 8]")), says="digits"),
    "model.toml: deep": sampled(trained(FACTS.format(10, DEEP)), says="cannot be read as TOML"),
    "model.toml: classes without end": sampled(
        trained(FACTS.format(10**9, "[1, 8, 8]")), says="must have shape|lacks"
    ),
    "model.toml: shape without end": sampled(
        trained(FACTS.format(10, "[1000000000, 8, 1000000000]")), says="input_shape"
    ),
    "recipe: pipe": recipe(None),
    "recipe: 5,000 digits": recipe(f"[settings]\nepochs = {LONG}\n"),
    "recipe: deep": recipe(f"settings = {DEEP}"),
    "recipe: settings that are a list": recipe('settings = ["a"]\n'),
    "recipe: arch is a number": recipe("[settings]\narch = 0\n", "arch must be a name"),
    "onnx: device": sampled(
        onnx_model("w", lambda f: put_special(f / "w", "device")), says="got a link: 'w'"
    ),
    "onnx: link": sampled(
        onnx_model("w", lambda f: put_special(f / "w", "link")), says="got a link: 'w'"
    ),
    "onnx: pipe": sampled(
        onnx_model("w", lambda f: put_special(f / "w", "pipe")), says="a plain file, got a pipe"
    ),
    "onnx: a link on the way": sampled(
        onnx_model("d/w", lambda f: (f / "d").symlink_to("/dev")), says="got a link: 'd/w'"
    ),
    "onnx: outside": sampled(onnx_model("../../private.txt"), says="must keep its weights in its"),
    "onnx: absolute": sampled(onnx_model("/dev/zero"), says="must keep its weights in its folder"),
    "onnx: missing": sampled(onnx_model("w"), says="needs its weights in 'w'"),
    "script: zeros": sampled(script, says="would grow from .* to 95.4 MiB", more=["--trust"]),
}
CASES = {
    name: make
    for name, make in ALL_CASES.items()
    if find_spec(NEEDED.get(name.partition(":")[0], "simplicert"))
}

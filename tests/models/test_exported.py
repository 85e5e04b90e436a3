"""`file.pt2`: what torch.export.save wrote is loaded; what needs more than reading is refused."""

import copy
import io
import json
import shutil
import subprocess
import sys
import zipfile

import pytest
import torch
from torch import nn

from simplicert.errors import InvalidInput
from simplicert.importing import Trust
from simplicert.models import load_model, load_raw_model
from simplicert.models.sizes import is_size

ANY_BATCH = ({0: torch.export.Dim("batch")},)


@pytest.fixture(scope="module")
def exported(untouched_network, images, tmp_path_factory):
    return export(untouched_network, images, tmp_path_factory.mktemp("exported") / "network.pt2")


@pytest.fixture
def path(exported, tmp_path):
    return shutil.copy(exported, tmp_path / "network.pt2")


def export(network, images, path, dynamic_shapes=ANY_BATCH):
    program = torch.export.export(network, (images[:2],), dynamic_shapes=dynamic_shapes)
    torch.export.save(program, path)
    return path


def altered(path, ending, change, name="altered.pt2"):
    """The archive with one member changed."""
    other = path.with_name(name)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        assert any(member.endswith(ending) for member in old.namelist())
        for member in old.namelist():
            content = old.read(member)
            new.writestr(member, change(content) if member.endswith(ending) else content)
    return other


def pickled(thing):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    return buffer.getvalue()


@pytest.mark.slow
def test_same_logits_for_any_batch(network, images, path):
    model = load_model(str(path))
    assert isinstance(model.classifier, nn.Module) and not model.classifier.training
    assert model.name == "network.pt2"
    assert repr(model) == f"Model(network.pt2, {model.fingerprint[:8]})"
    for batch in (images, images[:1]):
        torch.testing.assert_close(model.classifier(batch), network(batch))


def test_behaves_as_a_module(network, images, path):
    """Copied, moved and asked for a mode, as samplers do."""
    loaded = load_model(str(path)).classifier
    assert not loaded.eval().train().training
    module = copy.deepcopy(loaded).to("cpu").to(memory_format=torch.channels_last).eval()
    torch.testing.assert_close(module(images), network(images))


@pytest.mark.slow
def test_in_a_fresh_process(path):
    """Nothing that this file imported is needed, and the fingerprint is the same there."""
    code = "import sys, simplicert.models as m; print(m.load_model(sys.argv[1]).fingerprint)"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True)
    assert done.stdout.decode().strip() == load_model(str(path)).fingerprint


@pytest.mark.slow
def test_fingerprint_is_of_weights_and_code(network, images, path, tmp_path):
    fingerprint = load_model(str(path)).fingerprint
    again = shutil.copy(path, tmp_path / "elsewhere.pt2")
    assert load_model(str(again)).fingerprint == fingerprint
    twice = export(network, images, tmp_path / "twice.pt2")
    assert load_model(str(twice)).fingerprint == fingerprint
    with torch.no_grad():
        network[4].bias[0] += 1e-3
    changed = export(network, images, tmp_path / "changed.pt2")
    assert load_model(str(changed)).fingerprint != fingerprint


@pytest.mark.slow
def test_fingerprint_sees_the_code_and_constants(images, tmp_path):
    class Scaled(nn.Module):
        def __init__(self, factor, constant):
            super().__init__()
            self.factor, self.constant = factor, torch.tensor([constant, 0.0])

        def forward(self, x):
            return x.flatten(1)[:, :2] * self.factor + self.constant

    made = [Scaled(2.0, 1.0), Scaled(3.0, 1.0), Scaled(2.0, 5.0)]
    paths = [export(one, images, tmp_path / f"{i}.pt2") for i, one in enumerate(made)]
    assert len({load_model(str(path)).fingerprint for path in paths}) == 3


def test_wrong_shape_is_one_sentence(path, images):
    classifier = load_model(str(path)).classifier
    with pytest.raises(InvalidInput, match=r"takes batches of any x 1 x 8 x 8, got \(5, 3, 8, 8\)"):
        classifier(images.expand(5, 3, 8, 8))


def test_a_fixed_batch_is_said(network, images, tmp_path):
    path = export(network, images, tmp_path / "fixed.pt2", dynamic_shapes=None)
    classifier = load_model(str(path)).classifier
    assert classifier(images[:2]).shape == (2, 4)
    with pytest.raises(InvalidInput, match=r"takes batches of 2 x 1 x 8 x 8.*batch of any length"):
        classifier(images)


def test_sizes_that_are_expressions_are_accepted(tmp_path):
    """Sizes that depend on each other, as fully convolutional networks have them."""
    dimensions = {0: torch.export.Dim("batch"), 2: torch.export.Dim("height", min=4, max=64)}
    layers = nn.Sequential(nn.Conv2d(1, 2, 3, 2, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()).eval()
    images = torch.zeros(2, 1, 9, 8)
    path = export(layers, images, tmp_path / "sizes.pt2", dynamic_shapes=(dimensions,))
    assert load_model(str(path)).classifier(torch.zeros(3, 1, 16, 8)).shape == (3, 2)


def test_two_inputs_are_refused(tmp_path):
    class Sum(nn.Module):
        def forward(self, x, y):
            return x + y

    torch.export.save(
        torch.export.export(Sum(), (torch.ones(2), torch.ones(2))), tmp_path / "2.pt2"
    )
    with pytest.raises(InvalidInput, match=r"must take one tensor, got \['x', 'y'\]"):
        load_model(str(tmp_path / "2.pt2"))


def test_pickled_example_inputs_are_refused(trap, path):
    """torch.export.load itself would fall back to a full unpickling of these."""
    other = altered(path, "sample_inputs/model.pt", lambda _: pickled(trap))
    with pytest.raises(InvalidInput, match=r"sample_inputs/model.pt is a pickle of more"):
        load_model(str(other))


def test_pickled_weights_are_refused(trap, path):
    def mark(content):
        config = json.loads(content)
        config["config"]["0.weight"]["use_pickle"] = True
        return json.dumps(config)

    other = altered(path, "weights/weight_0", lambda _: pickled(trap), "first.pt2")
    other = altered(other, "model_weights_config.json", mark)
    with pytest.raises(InvalidInput, match=r"0\.weight is pickled"):
        load_model(str(other))


@pytest.mark.slow
def test_texts_that_torch_would_evaluate_are_refused(trap, path):
    evil = f"__import__('pathlib').Path('{trap.mark}').touch()"

    def swap(content):
        text = content.decode()
        start = text.index("Symbol('")
        known = text[start : text.index(")", start) + 1]
        return text.replace(known, evil)

    with pytest.raises(InvalidInput, match="one of its sizes is"):
        load_model(str(altered(path, "models/model.json", swap)))


def test_compiled_code_is_refused(path):
    other = path.with_name("compiled.pt2")
    shutil.copy(path, other)
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr("network/data/aotinductor/model/wrapper.so", b"machine code")
    with pytest.raises(InvalidInput, match=r"holds compiled code \(data/aotinductor/model/wrapper"):
        load_model(str(other))


def test_example_inputs_may_be_missing(network, images, path):
    other = altered(path, "sample_inputs/model.pt", lambda _: b"")
    torch.testing.assert_close(load_model(str(other)).classifier(images), network(images))


def test_functions_that_are_no_operators_are_refused(path):
    def swap(content):
        return content.replace(b"torch.ops.aten.linear.default", b"torch.hub.load")

    with pytest.raises(InvalidInput, match=r"one of its operations is 'torch.hub.load'"):
        load_model(str(altered(path, "models/model.json", swap)))


@pytest.mark.parametrize(
    "text",
    [
        *("", "True", "s77", "2*s0 + 1", "s0**2", "Max(1, s0 - 3)", "FloorDiv(Symbol('s0'), 2)"),
        "Symbol('s77', integer=True, positive=True)",
        "Add(Mul(Integer(-1), Pow(Symbol('s0', integer=True), Integer(2))), Rational(1, 2))",
        "Pow(Symbol('s0'), Integer(-1))",
        "Eq(Mod(Symbol('s0'), Integer(2)), Integer(0))",
        "Float('0.5', precision=53)",
    ],
)
def test_sizes(text):
    assert is_size(text)


@pytest.mark.parametrize(
    "text",
    [
        *("S('x')", "eval(s0)", "Symbol('s0').func", "().__class__", "exec", "__import__"),
        *("9**9**9**9", "Pow(9, Pow(9, 9))", "((((9**9)**9)**9)**9)", "s0**s1", "(s0 + s1)**5000"),
        *("LShift(1, 10000000000)", "PowByNatural(9, 999999999)", "Sum(s0, (s0, 1, 9))"),
        *("9" * 1001, "(" * 900 + "1" + ")" * 900, "-" * 1900 + "1", "s0 + " * 1000 + "1"),
        *("[1]*10", "'a'*9", "Symbol('x y')", "Symbol(s0)", "lambda: 0", "s0 if s1 else s2"),
        *("1.0e400", "Float('9e999999999')", "Integer('9' * 9)", "factorial(99999999)", "f'{s0}'"),
        *(None, 7),
    ],
)
def test_not_sizes(text):
    """Other code, and numbers that sympy would work out for ever."""
    assert not is_size(text)


def test_a_size_that_would_never_be_worked_out(path):
    def swap(content):
        text = content.decode()
        start = text.index("Symbol('")
        return text.replace(text[start : text.index(")", start) + 1], "9**9**9**9")

    with pytest.raises(InvalidInput, match=r"one of its sizes is '9\*\*9\*\*9\*\*9'"):
        load_model(str(altered(path, "models/model.json", swap)))


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, "[" * 10**5, f'{{"a": {"9" * 5000}}}'])
def test_texts_that_nest_or_count_too_far(path, text):
    with pytest.raises(InvalidInput, match=r"its member models/model\.json (must|cannot)"):
        load_model(str(altered(path, "models/model.json", lambda _: text)))


@pytest.mark.slow
def test_members_that_unpack_to_gigabytes(path):
    """Outside, and inside the example inputs, which are an archive of their own."""

    def packed(content, extra):
        sink = io.BytesIO(content)
        with zipfile.ZipFile(sink, "a", zipfile.ZIP_DEFLATED) as archive:
            top = archive.namelist()[0].partition("/")[0]
            archive.writestr(f"{top}/{extra}", bytes(10**8))
        return sink.getvalue()

    outer = path.with_name("outer.pt2")
    outer.write_bytes(packed(path.read_bytes(), "data/weights/bomb"))
    with pytest.raises(InvalidInput, match=r"outer\.pt2 is refused: its .* would grow from .* MiB"):
        load_model(str(outer))
    sample = pickled((torch.zeros(2),))
    other = altered(path, "sample_inputs/model.pt", lambda _: packed(sample, "data/9"))
    with pytest.raises(
        InvalidInput, match=r"sample_inputs/model\.pt, is refused: its .* would grow"
    ):
        load_model(str(other))


def test_an_array_of_any_length_in_the_example_inputs(path):
    """It would be built before any check could say that it is no tensor."""
    other = altered(path, "sample_inputs/model.pt", lambda _: pickled(bytearray(9)))
    with pytest.raises(InvalidInput, match="holds more than tensors"):
        load_model(str(other))


def test_weights_that_repeat_one_number(network, images, path):
    """Strides of zero: four bytes in the file, and as many in memory as the sizes say."""

    def stretch(content):
        config = json.loads(content)
        meta = config["config"]["0.weight"]["tensor_meta"]
        meta["sizes"] = [{"as_int": 10**6}, {"as_int": 10**6}]
        meta["strides"] = [{"as_int": 0}, {"as_int": 0}]
        return json.dumps(config)

    with pytest.raises(InvalidInput, match=r"would grow from .* to 4,000,0"):
        load_model(str(altered(path, "model_weights_config.json", stretch)))


class Copies(nn.Module):
    """Copies its input into new numbers."""

    def forward(self, x):
        """The first numbers, by way of these."""
        return torch.zeros(4).copy_(x.flatten()[:4]) + x.sum()


def overwriting(path, victim):
    """The archive with its new numbers in a file: aten.from_file is one of torch's own."""
    values = (("filename", {"as_string": str(victim)}), ("shared", {"as_bool": True}))

    def change(program):
        nodes = program["graph_module"]["graph"]["nodes"]
        (node,) = [n for n in nodes if n["target"] == "torch.ops.aten.zeros.default"]
        node["target"] = "torch.ops.aten.from_file.default"
        pairs = (*values, ("size", {"as_int": 4}))
        node["inputs"] = [{"name": name, "arg": arg, "kind": 1} for name, arg in pairs]

    return edited(path, change)


def test_a_program_that_overwrites_a_file_is_refused(images, tmp_path):
    """The attack is real: torch itself lets it through."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine" * 4)
    path = export(Copies(), images, tmp_path / "copies.pt2", dynamic_shapes=None)
    other = overwriting(path, victim)
    refused = r"refused: its operation torch\.ops\.aten\.from_file\.default .* --trust"
    with pytest.raises(InvalidInput, match=refused):
        load_model(str(other))
    assert victim.read_bytes() == b"mine" * 4
    torch.export.load(other).module()(images[:2])
    assert victim.read_bytes() != b"mine" * 4


def test_a_user_may_vouch_for_an_operation_off_the_list(tmp_path, images):
    class Digamma(nn.Module):
        def forward(self, x):
            return torch.special.digamma(1 + x.flatten(1)[:, :3])

    path = export(Digamma(), images, tmp_path / "digamma.pt2")
    with pytest.raises(
        InvalidInput, match=r"its operation torch\.ops\.aten\.\w*digamma\.default is"
    ):
        load_model(str(path))
    vouched = load_model(str(path), trust=True).classifier
    torch.testing.assert_close(vouched(images), Digamma()(images))
    for trust in (Trust("run.toml"), Trust("run.toml", vouched=True)):
        with pytest.raises(InvalidInput, match=r"pass --model digamma\.pt2 --trust"):
            load_raw_model(str(path), trust)


def edited(path, change):
    """The archive with its program changed by a function of the parsed JSON."""

    def rewrite(content):
        program = json.loads(content)
        change(program)
        return json.dumps(program)

    return altered(path, "models/model.json", rewrite)


def renamed(path, before, after):
    """The archive with a name of its program replaced wherever it stands."""

    def rewrite(content):
        assert json.dumps(before).encode() in content
        return content.replace(json.dumps(before).encode(), json.dumps(after).encode())

    return altered(path, "models/model.json", rewrite)


def touching(trap):
    return f"__import__('pathlib').Path('{trap.mark}').touch()"


def test_guards_are_code_that_is_not_run(trap, path, network, images):
    """These texts are run by torch as Python when the program is made a module."""

    def guard(program):
        program["guards_code"] = [f"{touching(trap)} is None or True"]

    other = edited(path, guard)
    torch.testing.assert_close(load_model(str(other)).classifier(images), network(images))


@pytest.mark.parametrize("evil", ["x={}", "x, y={}", "x):\n    {}\ndef f(self, x"])
def test_names_that_torch_would_write_into_code_are_refused(trap, path, evil):
    """A Python function is made by torch with the names of the program in it as they stand."""
    with pytest.raises(InvalidInput, match=r"one of its names is .x"):
        load_model(str(renamed(path, "p_0_weight", evil.format(touching(trap)))))


def test_names_of_arguments_are_held_to_the_same_grammar(trap, path):
    def change(program):
        (entry,) = [e for e in program["graph_module"]["module_call_graph"] if e["signature"]]
        entry["signature"]["forward_arg_names"] = [f"x={touching(trap)}"]

    with pytest.raises(InvalidInput, match="one of its names is"):
        load_model(str(edited(path, change)))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("forward_arg_names", 5),
        ("range_constraints", 5),
        ("range_constraints", {"s0\x1b[2J": {"min_val": 2, "max_val": 4}}),
    ],
)
def test_lists_of_names_that_are_none(path, key, value):
    """A symbol that torch does not find is printed as it is, also one that moves the cursor."""
    evil = edited(path, lambda program: program.update({key: value}))
    with pytest.raises(InvalidInput, match="one of its names is"):
        load_model(str(evil))


@pytest.mark.parametrize("value", [[], 5, {"weight": 5}])
def test_lists_of_tensors_that_are_none(path, value):
    evil = altered(path, "weights_config.json", lambda _: json.dumps({"config": value}).encode())
    with pytest.raises(InvalidInput, match="its list of tensors is none"):
        load_model(str(evil))


def test_parameters_by_names_that_are_no_paths(trap, path):
    evil = f'a", {touching(trap)}, "b'
    with pytest.raises(InvalidInput, match="one of its names is"):
        load_model(str(renamed(path, "0.weight", evil)))


ENUM = {"__enum__": True, "fqn": "payload:Colour", "name": "RED"}
FACTORY = {"default_factory_module": "payload", "default_factory_name": "go", "dict_context": []}


@pytest.mark.parametrize(
    ("kind", "context"),
    [("builtins.tuple", ENUM), ("builtins.dict", [ENUM]), ("collections.defaultdict", FACTORY)],
)
def test_forms_of_inputs_that_import_a_module_are_refused(
    path, tmp_path, monkeypatch, kind, context
):
    """The module of an enumeration or a factory that such a form names would be imported."""
    (tmp_path / "payload.py").write_text("import pathlib; pathlib.Path('ran').touch()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def change(program):
        (entry,) = [e for e in program["graph_module"]["module_call_graph"] if e["signature"]]
        text = context if kind == "collections.defaultdict" else json.dumps(context)
        form = {"type": kind, "context": text, "children_spec": []}
        entry["signature"]["in_spec"] = json.dumps([1, form])

    with pytest.raises(InvalidInput, match="the form of its inputs or outputs is"):
        load_model(str(edited(path, change)))
    assert not (tmp_path / "ran").exists()


def test_objects_and_operators_as_arguments_are_refused(path):
    def change(program):
        node = program["graph_module"]["graph"]["nodes"][0]
        node["inputs"][0]["arg"] = {"as_operator": "torch.hub.load"}

    with pytest.raises(InvalidInput, match="it holds objects that are no tensors"):
        load_model(str(edited(path, change)))


def test_an_older_format_in_the_same_file_is_not_tried(trap, path):
    """It was never checked, and torch.export.load falls back to it where the archive fails."""
    broken = edited(path, lambda program: program["graph_module"]["graph"]["outputs"].clear())
    with zipfile.ZipFile(path) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("models/model.json")]
        program = json.loads(archive.read(name))
    program["guards_code"] = [f"{touching(trap)} is None or True"]
    with zipfile.ZipFile(broken, "a") as archive:
        archive.writestr("version", "8.8")
        archive.writestr("serialized_exported_program.json", json.dumps(program))
        archive.writestr("serialized_state_dict.pt", pickled({}))
        archive.writestr("serialized_constants.pt", pickled(trap))
        archive.writestr("serialized_example_inputs.pt", pickled(trap))
    with pytest.raises(InvalidInput, match=r"altered\.pt2"):
        load_model(str(broken))


def test_damaged_and_foreign_archives(path, tmp_path):
    cut = tmp_path / "cut.pt2"
    cut.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(InvalidInput, match=r"cut.pt2"):
        load_model(str(cut))
    with pytest.raises(InvalidInput, match=r"must name a file that exists, got '.*absent\.pt2'"):
        load_model(str(tmp_path / "absent.pt2"))
    broken = altered(path, "models/model.json", lambda _: b"{", "broken.pt2")
    with pytest.raises(
        InvalidInput, match=r"broken\.pt2 .* its member models/model\.json cannot be read as JSON"
    ):
        load_model(str(broken))
    nothing = altered(path, "models/model.json", lambda _: b"{}", "empty.pt2")
    with pytest.raises(InvalidInput, match=r"empty\.pt2"):
        load_model(str(nothing))

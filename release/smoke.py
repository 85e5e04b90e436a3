"""What must work after `pip install simplicert[EXTRA]`, an extra a function."""

import json
import shutil
from collections.abc import Callable
from statistics import NormalDist

from place import Failed, Place, Skipped

NETWORK = """\
import numpy as np

def model():
    weights = np.random.default_rng(0).normal(size=(20, 10))
    return lambda batch: batch @ weights
"""
INPUTS = """\
import numpy as np
random = np.random.default_rng(1)
np.savez("rows.npz", inputs=random.normal(size=(4, 20)).astype("float32"), labels=[0, 1, 2, 3])
pixels = random.integers(0, 256, (3, 32, 32, 3)).astype("uint8")
np.savez("images.npz", images=pixels, labels=[0, 1, 2])
"""
README_NEEDS = """\
import numpy as np
from network import model
network, images = model(), np.random.default_rng(1).normal(size=(4, 20))
"""
README_NEEDS_TORCH = """\
import torch
torch.manual_seed(0)
network, images = torch.nn.Linear(20, 10), torch.randn(4, 20)
"""
ONNX = """\
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
weights = np.random.default_rng(0).normal(size=(20, 10)).astype("float32")
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "weights"], ["logits"])],
    "linear",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 20])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", 10])],
    [numpy_helper.from_array(weights, "weights")],
)
opset = [helper.make_opsetid("", 17)]
onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=10), "linear.onnx")
"""
HUGGING_FACE = """\
import torch
from transformers import ViTConfig, ViTForImageClassification, ViTImageProcessor
torch.manual_seed(0)
sizes = dict(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
config = ViTConfig(image_size=32, patch_size=8, num_labels=5, **sizes)
ViTForImageClassification(config).save_pretrained("vit")
ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained("vit")

import numpy as np
from datasets import ClassLabel, Dataset, Features, Image
from PIL.Image import fromarray
pictures = [fromarray(pixels) for pixels in np.load("images.npz")["images"]]
features = Features(image=Image(), label=ClassLabel(names=list("abcde")))
Dataset.from_dict({"image": pictures, "label": [0, 1, 2]}, features).save_to_disk("pictures")
"""
TIMM = """\
import simplicert as sc, timm, torch
made = timm.create_model
timm.create_model = lambda name, pretrained: made(name, pretrained=False)  # nothing is fetched
model = sc.models.load_model("timm:resnet18")
print(model.classifier(torch.zeros(1, 3, 64, 64)).shape)
"""
DRAWS = ("--sigma", "0.25", "--draws", "200", "--quiet", "--out")


def prepare(place: Place) -> None:
    """Check that the installed package is the one that is tried, and write small inputs."""
    where = place.python("-c", "import simplicert; print(simplicert.__file__)").strip()
    if not where.startswith(str(place.environment)):
        raise Failed(f"simplicert was imported from {where}")
    (place.folder / "network.py").write_text(NETWORK)
    place.python("-c", INPUTS)


def base(place: Place) -> None:
    """Mathematics, importers, sampling from functions and all of the analysis, without an extra."""
    said = place.simplicert("--version").split()
    installed = place.python("-c", "import simplicert; print(simplicert.__version__)").strip()
    if said != ["simplicert", installed]:
        raise Failed(f"--version says {said}, the package {installed}")
    place.simplicert("--help")
    point = json.loads(place.simplicert("radius", "--e0", ".6", "--e1", ".3", "--json"))
    tight = (NormalDist().inv_cdf(0.6) - NormalDist().inv_cdf(0.3)) / 2
    if not tight - 1e-9 < point["radii"]["two_sided"] <= tight + 1e-15:
        raise Failed(f"radius: two_sided is {point['radii']['two_sided']}, not {tight}")
    counts(place)
    place.simplicert("sample", "--model", "network:model", "--data", "rows.npz", *DRAWS, "drawn")
    workers = (*DRAWS, "by-two", "--workers", "2")
    place.simplicert("sample", "--model", "network:model", "--data", "rows.npz", *workers)
    same(place, "drawn", "by-two")
    place.simplicert("attack", "drawn", "--model", "network:model")
    place.python("-c", README_NEEDS + readme(place))


def counts(place: Place) -> None:
    """The example's table of counts, which ships: certificates, table, figure, report."""
    import_counts(place, "counts")
    place.simplicert("certify", "counts", "--out", "certificates.csv")
    place.simplicert("table", "counts", "--style", "paper2")
    place.simplicert("figure", "scatter", "counts", "--out", "scatter.pdf")
    place.simplicert("report", "counts", "--out", "report.html")
    place.simplicert("verify", "counts")
    place.simplicert("gate", "counts", "--require", "accuracy@0>=0")
    place.simplicert("plan", "--sigma", ".5", "--alpha", ".001", "--draws", "10000")
    place.expect("certificates.csv", "scatter.pdf", "report.html")


def import_counts(place: Place, out: str) -> None:
    """The example's table of counts as a run."""
    code = "import simplicert.data as d, pathlib; print(pathlib.Path(d.__file__).parent)"
    shipped = place.python("-c", code).strip() + "/example_counts.txt"
    place.simplicert("import", "counts", shipped, "--sigma", "0.5", "--out", out)


def same(place: Place, one: str, other: str) -> None:
    """Two runs must have the same counts, whoever drew them."""
    code = "import sys, simplicert as sc; print(sc.open_run(sys.argv[1]).tally().counts.tolist())"
    if place.python("-c", code, one) != place.python("-c", code, other):
        raise Failed(f"the counts of {one} and {other} differ")


def readme(place: Place) -> str:
    """The Python lines at the top of the README."""
    return (place.root / "README.md").read_text().split("```python\n")[1].split("```")[0]


def missing(place: Place) -> None:
    """Without extras, what needs one names it."""
    (place.folder / "linear.onnx").touch()
    wanting = {
        "torch": ["--model", "zoo:cifar10-small-0.25", "--data", "images.npz"],
        "onnx": ["--model", "linear.onnx", "--data", "rows.npz"],
        "hf": ["--model", "hf:vit", "--data", "images.npz"],
        "timm": ["--model", "timm:resnet18", "--data", "images.npz"],
        "demo": ["--model", "network:model", "--data", "digits"],
        "ray": ["--model", "network:model", "--data", "rows.npz", "--engine", "ray"],
    }
    for extra, words in wanting.items():
        place.refused("sample", *words, *DRAWS, f"no-{extra}", naming=f"simplicert[{extra}]")
    place.refused("demo", naming="simplicert[demo]")
    training = ("--data", "images.npz", "--sigma", "0.25", "--out", "trained")
    place.refused("train", *training, naming="simplicert[torch]")


def torch(place: Place) -> None:
    """Weights that ship, and the README's lines around a torch module."""
    zoo = ("--model", "zoo:cifar10-small-0.25", "--data", "images.npz")
    place.simplicert("sample", *zoo, *DRAWS, "zoo")
    place.simplicert("certify", "zoo", "--out", "zoo.csv")
    place.expect("zoo.csv")
    place.python("-c", README_NEEDS_TORCH + readme(place))


def demo(place: Place) -> None:
    """Training, draws, certificates and the report in one command."""
    place.simplicert("demo", "--out", "demo", "--draws", "100", "--quiet")
    place.expect("demo/report.html")


def onnx(place: Place) -> None:
    """An ONNX file, with no torch needed."""
    place.python("-c", ONNX)
    place.simplicert("sample", "--model", "linear.onnx", "--data", "rows.npz", *DRAWS, "onnx")


def hf(place: Place) -> None:
    """A folder written by save_pretrained, and a data set written by save_to_disk."""
    place.python("-c", HUGGING_FACE)
    place.simplicert("sample", "--model", "hf:vit", "--data", "hf:pictures", *DRAWS, "hf")


def ray(place: Place) -> None:
    """Drawn by Ray, the same counts."""
    linear = ("--model", "network:model", "--data", "rows.npz")
    place.simplicert("sample", *linear, *DRAWS, "by-one")
    place.simplicert("sample", *linear, *DRAWS, "by-ray", "--engine", "ray", "--workers", "2")
    same(place, "by-one", "by-ray")


def timm(place: Place) -> None:
    """A model of timm with random weights, where timm and torch go together."""
    done = place.run([str(place.environment / "bin" / "python"), "-c", "import timm"])
    if done.returncode:
        why = done.stderr.strip().splitlines()[-1]
        named = ("--model", "timm:resnet18", "--data", "images.npz")
        place.refused("sample", *named, *DRAWS, "timm", naming="timm, which does not import")
        raise Skipped(f"timm does not import here ({why}), which the command says")
    if "1000" not in place.python("-c", TIMM):
        raise Failed("timm:resnet18 has not 1000 logits")


def attacks(place: Place) -> None:
    """The example that attacks with others' toolboxes."""
    place.python(str(place.root / "examples" / "toolbox_attacks.py"))


def docs(place: Place) -> None:
    """The site, from the sdist."""
    shutil.copytree(place.root, place.folder / "sdist")
    config = str(place.folder / "sdist" / "mkdocs.yml")
    place.python("-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", config)
    place.expect("sdist/site/index.html")


def dev(place: Place) -> None:
    """The sdist's tests of bounds and mechanisms, on the installed package."""
    shutil.copytree(place.root / "tests", place.folder / "tests")
    shutil.copy(place.root / "pyproject.toml", place.folder)
    parts = ("tests/bounds", "tests/mechanisms")
    last = place.python("-m", "pytest", "-q", "--no-header", *parts).strip().splitlines()[-1]
    if "passed" not in last:
        raise Failed(f"pytest: {last}")


def seal(place: Place) -> None:
    """A run is signed, and its signature holds."""
    import_counts(place, "signed")
    place.simplicert("seal", "--new-key", "mine.pem")
    place.simplicert("seal", "signed", "--key", "mine.pem")
    place.simplicert("verify", "signed", "--key", "mine.pem.pub")


SMOKES: dict[str, tuple[Callable[[Place], None], ...]] = {
    "base": (base, missing),
    "torch": (torch,),
    "demo": (demo,),
    "onnx": (onnx,),
    "hf": (hf,),
    "ray": (ray,),
    "seal": (seal,),
    "timm": (timm,),
    "attacks": (attacks,),
    "docs": (docs,),
    "dev": (dev,),
    "all": (base, torch, demo, onnx, hf, ray, seal),
}

"""An ONNX file, from the command line.

    python examples/onnx_model.py

Writes a small model.onnx and a data.npz into a temporary folder and certifies them as you would.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

digits = load_digits()
inputs, labels = (digits.data / 16).astype(np.float32), digits.target
fitted = LogisticRegression(max_iter=500).fit(inputs[:1500], labels[:1500])

logits = helper.make_node("Gemm", ["x", "weights", "bias"], ["logits"])
graph = helper.make_graph(
    [logits],
    "digits",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 64])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", 10])],
    [
        numpy_helper.from_array(fitted.coef_.T.astype(np.float32), "weights"),
        numpy_helper.from_array(fitted.intercept_.astype(np.float32), "bias"),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)

with TemporaryDirectory() as place:
    folder = Path(place)
    onnx.save(model, folder / "model.onnx")
    np.savez(folder / "data.npz", inputs=inputs[1500:1520], labels=labels[1500:1520])

    def simplicert(*words: str) -> None:
        """One command, as it is typed."""
        print("$ simplicert", *words, flush=True)
        subprocess.run([sys.executable, "-m", "simplicert", *words], cwd=folder, check=True)

    settings = ["--sigma", "0.25", "--draws", "1000", "--quiet", "--out", "run"]
    simplicert("sample", "--model", "model.onnx", "--data", "data.npz", *settings)
    simplicert("certify", "run", "--out", "certificates.csv")
    simplicert("table", "run", "--radii", "0,0.1,0.25")

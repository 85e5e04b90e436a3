"""`file.onnx`: a tiny graph made here, run by onnxruntime."""

import shutil
import sys

import numpy as np
import pytest

from simplicert.errors import InvalidInput
from simplicert.models import load_model
from simplicert.models.model import check_batch

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

WEIGHTS = np.array([[1, 2, 3], [-1, 0, 1]], dtype=np.float32)  # 2 features, 3 classes
BATCH = np.array([[1, 0], [0, 1], [2, 2], [0.5, -1]], dtype=np.float32)


def write(path, weights=WEIGHTS, batch="batch", outputs=("scores",), outside=None, kind=1):
    """A graph of inputs @ weights, under each name of `outputs`."""
    helper = onnx.helper
    inputs = helper.make_tensor_value_info("inputs", kind, [batch, 2])
    held = onnx.numpy_helper.from_array(weights, "weights")
    nodes = [helper.make_node("MatMul", ["inputs", "weights"], [name]) for name in outputs]
    infos = [helper.make_tensor_value_info(name, kind, [batch, 3]) for name in outputs]
    graph = helper.make_graph(nodes, "linear", [inputs], infos, [held])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    if outside:
        onnx.save_model(model, path, save_as_external_data=True, location=outside, size_threshold=0)
    else:
        onnx.save_model(model, path)
    return path


def test_logits(tmp_path):
    model = load_model(str(write(tmp_path / "linear.onnx")))
    assert model.name == "linear.onnx"
    scores = model.classifier(BATCH)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, BATCH @ WEIGHTS)
    np.testing.assert_allclose(model.classifier(BATCH[::-2]), BATCH[::-2] @ WEIGHTS)


def test_fingerprint_is_of_the_bytes(tmp_path):
    path = write(tmp_path / "linear.onnx")
    fingerprint = load_model(str(path)).fingerprint
    again = shutil.copy(path, tmp_path / "elsewhere.onnx")
    assert load_model(str(again)).fingerprint == fingerprint
    changed = write(tmp_path / "changed.onnx", WEIGHTS + np.float32(1e-3))
    assert load_model(str(changed)).fingerprint != fingerprint


def test_fingerprint_sees_weights_kept_in_another_file(tmp_path):
    path = write(tmp_path / "large.onnx", outside="large.data")
    before = load_model(str(path))
    np.testing.assert_allclose(before.classifier(BATCH), BATCH @ WEIGHTS)
    (tmp_path / "large.data").write_bytes((WEIGHTS * 2).tobytes())
    after = load_model(str(path))
    np.testing.assert_allclose(after.classifier(BATCH), BATCH @ WEIGHTS * 2)
    assert after.fingerprint != before.fingerprint


def test_of_several_outputs_the_logits_are_taken(tmp_path):
    model = load_model(str(write(tmp_path / "two.onnx", outputs=("other", "logits"))))
    np.testing.assert_allclose(model.classifier(BATCH), BATCH @ WEIGHTS)
    with pytest.raises(InvalidInput, match=r"or one called logits, got label: .*, score: "):
        load_model(str(write(tmp_path / "unclear.onnx", outputs=("label", "score"))))


def converted(path, zipped):
    """As scikit-learn's models are converted: the class, and beside it scores or a map of them."""
    helper, kind = onnx.helper, onnx.TensorProto
    inputs = helper.make_tensor_value_info("X", kind.FLOAT, ["batch", 2])
    nodes = [
        helper.make_node("MatMul", ["X", "weights"], ["raw"]),
        helper.make_node("ArgMax", ["raw"], ["label"], axis=1, keepdims=0),
        helper.make_node("Softmax", ["raw"], ["probabilities"], axis=1),
    ]
    infos = [helper.make_tensor_value_info("label", kind.INT64, ["batch"])]
    if zipped:
        ml = {"domain": "ai.onnx.ml", "classlabels_int64s": [0, 1, 2]}
        nodes.append(helper.make_node("ZipMap", ["probabilities"], ["map"], **ml))
        score = helper.make_tensor_type_proto(kind.FLOAT, [])
        entry = helper.make_map_type_proto(kind.INT64, score)
        infos.append(helper.make_value_info("map", helper.make_sequence_type_proto(entry)))
    else:
        infos.append(helper.make_tensor_value_info("probabilities", kind.FLOAT, ["batch", 3]))
    held = onnx.numpy_helper.from_array(WEIGHTS, "weights")
    graph = helper.make_graph(nodes, "linear", [inputs], infos, [held])
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.ml", 2)]
    onnx.save_model(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return str(path)


def test_of_a_class_and_its_scores_the_scores_are_taken(tmp_path):
    scores = load_model(converted(tmp_path / "plain.onnx", zipped=False)).classifier(BATCH)
    assert scores.shape == (4, 3)
    np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-6)
    with pytest.raises(InvalidInput, match=r"got label: .*, map: .*map.*; .* with zipmap=False"):
        load_model(converted(tmp_path / "zipped.onnx", zipped=True))


def test_images_with_their_channels_last(tmp_path):
    """Said of the batch, which has no other shape that could be meant."""
    declared, batch = (None, 3, 8, 8), (4, 8, 8, 3)
    with pytest.raises(InvalidInput, match="the channels seem to come last: give N x C x H x W"):
        check_batch("net.onnx", declared, batch)
    with pytest.raises(InvalidInput, match=r"any length .*, or use its own: --batch-size 2"):
        check_batch("net.onnx", (2, 3, 8, 8), (4, 3, 8, 8))


def test_wrong_shape_is_one_sentence(tmp_path):
    classifier = load_model(str(write(tmp_path / "linear.onnx"))).classifier
    with pytest.raises(InvalidInput, match=r"linear\.onnx takes batches of any x 2, got \(4, 5\)"):
        classifier(np.zeros((4, 5), np.float32))
    fixed = load_model(str(write(tmp_path / "fixed.onnx", batch=1))).classifier
    with pytest.raises(InvalidInput, match=r"takes batches of 1 x 2, got \(4, 2\); save it again"):
        fixed(BATCH)


def test_other_inputs_are_refused(tmp_path):
    path = write(tmp_path / "double.onnx", WEIGHTS.astype(np.float64), kind=11)
    with pytest.raises(InvalidInput, match=r"must take one float32 tensor, got inputs: tensor\(d"):
        load_model(str(path))


def test_damaged(tmp_path):
    path = tmp_path / "damaged.onnx"
    path.write_bytes(b"not a model at all")
    with pytest.raises(InvalidInput, match=r"damaged\.onnx cannot be read as ONNX"):
        load_model(str(path))


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(InvalidInput, match=r"not installed: pip install 'simplicert\[onnx\]'"):
        load_model(str(write(tmp_path / "linear.onnx")))

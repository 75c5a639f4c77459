"""onnxruntime reads what we write, and computes what it says."""

import numpy as np
import onnxruntime
import pytest

from service.adapters.multilingual_e5.onnx_file import MICROSOFT, OnnxFile


def test_a_written_network_computes_what_its_nodes_say():
    file = OnnxFile()
    weights = np.arange(300, dtype=np.float32).reshape(2, 150)  # sizes that need more than seven bits
    product = file.node("MatMul", ["x", file.constant("weights", weights)], ["product"])
    bias = file.constant("bias", np.full(150, -100, np.float32))
    file.node("BiasGelu", [product, bias], ["gelu"], domain=MICROSOFT)
    file.node("LeakyRelu", ["gelu"], ["leaky"], attributes={"alpha": 0.5})
    file.node("ReduceSum", ["leaky", file.constant("axis", np.array([1]))], ["y"], attributes={"keepdims": 0})
    network = file.written(takes=("x", ("rows", 2)), gives=("y", ("rows",)))

    session = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
    (sums,) = session.run(["y"], {"x": np.array([[1, 0], [0, 1]], np.float32)})

    assert sums.tolist() == pytest.approx([sum(range(1, 50)), sum(range(50, 200))], abs=1)

#!/usr/bin/env python3
"""model_onnx.py PROGRAM MODELS: networks in ONNX, converted by models/from_onnx.py, predict what their graphs say; other
graphs are refused in one line.

PROGRAM is model_raw, MODELS the folder models. Ends with status 77 where onnx is not installed.
SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("SKIPPED: onnx is not installed")
    sys.exit(77)
program, models = sys.argv[1:3]

import model_raw  # noqa: E402

HIDDEN, FRAMES = 20, 500
random = numpy.random.default_rng(6)
mean, scale = random.uniform(-3, 3, 40), random.uniform(0.5, 2, 40)
w1, b1 = random.normal(0, 0.2, (HIDDEN, 40)), random.normal(0, 1, HIDDEN)
w2, b2 = random.normal(0, 0.5, (2, HIDDEN)), random.normal(0, 1, 2)
features = random.normal(0, 2, (FRAMES, 40)).astype(numpy.float32)


def wanted(with_scaling, with_softplus):
    z = (features - mean) / scale if with_scaling else features.astype(float)
    y = numpy.maximum(z @ w1.T + b1, 0) @ w2.T + b2
    return numpy.logaddexp(0, y) if with_softplus else y


def chain(*steps, n_features=40, n_out=2):
    """A graph of (operation, constants, attributes): each takes the value before it, then its constants."""
    nodes, constants, value = [], [], "x"
    for i, (operation, values, attributes) in enumerate(steps):
        names = [f"c{i}_{k}" for k in range(len(values))]
        constants += [numpy_helper.from_array(numpy.asarray(v, numpy.float32), name) for v, name in zip(values, names)]
        domain = "ai.onnx.ml" if operation == "Scaler" else ""
        nodes.append(helper.make_node(operation, [value] + names, [f"v{i}"], domain=domain, **attributes))
        value = f"v{i}"
    graph = helper.make_graph(nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", n_features])],
                              [helper.make_tensor_value_info(value, TensorProto.FLOAT, ["n", n_out])], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.ml", 2)])


def convert(folder, model):
    path, out = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.safetensors")
    if isinstance(model, bytes):
        with open(path, "wb") as file:
            file.write(model)
    else:
        onnx.save(model, path)
    return out, subprocess.run([sys.executable, "-B", os.path.join(models, "from_onnx.py"), path, "-o", out], capture_output=True, text=True)


sub_div = (("Sub", [mean], {}), ("Div", [scale], {}))
sub_mul = (("Sub", [mean], {}), ("Mul", [1 / scale], {}))
scaler = (("Scaler", [], {"offset": mean.tolist(), "scale": (1 / scale).tolist()}),)
gemm_1, gemm_2 = ("Gemm", [w1, b1], {"transB": 1}), ("Gemm", [w2, b2], {"transB": 1})
matmul_1, matmul_2 = (("MatMul", [w1.T], {}), ("Add", [b1], {})), (("MatMul", [w2.T], {}), ("Add", [b2], {}))
relu, softplus = ("Relu", [], {}), ("Softplus", [], {})
cast, identity = ("Cast", [], {"to": TensorProto.FLOAT}), ("Identity", [], {})

SOUND = {
    "Sub Div Gemm": (chain(*sub_div, gemm_1, relu, gemm_2), True, False),
    "Sub Mul Gemm Softplus": (chain(*sub_mul, gemm_1, relu, gemm_2, softplus), True, True),
    "Cast Scaler MatMul Add": (chain(cast, *scaler, *matmul_1, relu, *matmul_2, identity), True, False),
    "MatMul Add Softplus": (chain(*matmul_1, relu, identity, *matmul_2, softplus), False, True),
    "Gemm of alpha and beta": (chain(("Gemm", [w1.T / 2, b1 * 4], {"alpha": 2.0, "beta": 0.25}), relu, gemm_2), False, False),
}
REFUSED = {
    "expected Relu, got Tanh": chain(gemm_1, ("Tanh", [], {}), gemm_2),
    "expected Gemm or MatMul, got Relu": chain(relu, gemm_1, relu, gemm_2),
    "expected Div or Mul, got Gemm": chain(("Sub", [mean], {}), gemm_1, relu, gemm_2),
    "expected the graph's output here, got Relu": chain(gemm_1, relu, gemm_2, relu),
    "expected Gemm or MatMul, got the end": chain(gemm_1, relu, n_out=HIDDEN),
    "expected 40 inputs, got 39": chain(("Gemm", [w1[:, :39], b1], {"transB": 1}), relu, gemm_2, n_features=39),
    "first input is transposed": chain(("Gemm", [w1, b1], {"transB": 1, "transA": 1}), relu, gemm_2),
    "output.weight: expected shape (2, 20), got (3, 20)":
        chain(gemm_1, relu, ("Gemm", [numpy.ones((3, HIDDEN)), numpy.ones(3)], {"transB": 1}), n_out=3),
    "mean: expected finite": chain(("Sub", [mean * numpy.nan], {}), ("Div", [scale], {}), gemm_1, relu, gemm_2),
    "scale: expected finite floats above 0": chain(("Sub", [mean], {}), ("Div", [-scale], {}), gemm_1, relu, gemm_2),
    "is no sound ONNX": b"something else",
}


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, (model, with_scaling, with_softplus) in SOUND.items():
            out, done = convert(folder, model)
            if done.returncode != 0:
                good = print(f"{name}: status {done.returncode}: {done.stderr}") or False
                continue
            good &= model_raw.are_near(name, model_raw.predictions(program, out, features), wanted(with_scaling, with_softplus))
        for word, model in REFUSED.items():
            _, done = convert(folder, model)
            if done.returncode != 1 or word not in done.stderr or len(done.stderr.splitlines()) != 1:
                good = print(f"wanted '{word}': status {done.returncode}: {done.stdout}{done.stderr}") or False
    return 0 if good else 1


sys.exit(main())

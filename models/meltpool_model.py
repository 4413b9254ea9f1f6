"""Models of melt-pool features in safetensors files, as docs/formats.md has them.

SPDX-License-Identifier: Apache-2.0
"""
import json
import struct
import sys

try:
    import numpy
except ImportError:
    sys.exit("saccade: this Python has no numpy; Debian's has with python3-numpy: /usr/bin/python3 models/...")

OF_FRAME = (["area", "spatter_area", "spatters", "ratio", "mean"] + [f"sector_{i}" for i in range(6)] +
            [f"hog_{i}" for i in range(9)])
FEATURES = OF_FRAME + ["var_" + name for name in OF_FRAME]
OUTPUTS = ["lof_density", "keyhole_density"]
TENSORS = ["mean", "scale", "hidden.weight", "hidden.bias", "output.weight", "output.bias"]


class Refused(Exception):
    """What is wrong with a file, in one line."""


def check(model, name):
    """Shapes and numbers of a model: a dict of TENSORS, output, description and, where known, parameters."""
    n_hidden = len(model["hidden.bias"])
    shapes = [(40,), (40,), (n_hidden, 40), (n_hidden,), (2, n_hidden), (2,)]
    if not 1 <= n_hidden <= 4096:
        raise Refused(f"{name}: {n_hidden} hidden units: expected 1 to 4096")
    for tensor, shape in zip(TENSORS, shapes):
        values = numpy.asarray(model[tensor], numpy.float32)
        if values.shape != shape:
            raise Refused(f"{name}: {tensor}: expected shape {shape}, got {values.shape}")
        if not numpy.isfinite(values).all() or (tensor == "scale" and (values <= 0).any()):
            raise Refused(f"{name}: {tensor}: expected finite floats" + (" above 0" if tensor == "scale" else ""))


def line(text):
    return " ".join(text.split())


def write(path, model):
    """Writes a model's safetensors file."""
    check(model, path)
    header = {"__metadata__": {
        "format": "saccade meltpool model", "version": "1",
        "features": ",".join(FEATURES), "features_version": "1",
        "hidden": "relu", "output": model["output"],
        "outputs": "lof_density_per_mm2, keyhole_density_per_mm2",
        "description": line(model["description"]), "parameters": line(model.get("parameters", ""))}}
    data = b""
    for name in TENSORS:
        values = numpy.asarray(model[name], "<f4")
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """Reads a model that write() or from_onnx.py has written; saccade itself checks more."""
    with open(path, "rb") as file:
        data = file.read()
    (n,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + n])
    model = {key: header["__metadata__"].get(key, "") for key in ("output", "description", "parameters")}
    for name in TENSORS:
        begin, end = header[name]["data_offsets"]
        model[name] = numpy.frombuffer(data[8 + n + begin:8 + n + end], "<f4").reshape(header[name]["shape"])
    return model


def softplus(y):
    return numpy.logaddexp(0, y)


def predict(model, features):
    """Densities (n, 2) of features (n, 40), in double precision."""
    wide = {name: numpy.asarray(model[name], numpy.float64) for name in TENSORS}
    hidden = (features - wide["mean"]) / wide["scale"] @ wide["hidden.weight"].T + wide["hidden.bias"]
    y = numpy.maximum(hidden, 0) @ wide["output.weight"].T + wide["output.bias"]
    return softplus(y) if model["output"] == "softplus" else y

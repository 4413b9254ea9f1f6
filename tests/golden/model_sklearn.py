#!/usr/bin/env python3
"""model_sklearn.py PROGRAM MODELS: predictions from models that models/train.py writes against scikit-learn's own, and
those of the model that ships against its formula in double precision.

PROGRAM is model_raw, MODELS the folder models. Ends with status 77 where scikit-learn is not installed.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
try:
    import numpy
    import sklearn  # noqa: F401
except ImportError:
    print("SKIPPED: scikit-learn is not installed")
    sys.exit(77)
program, models = sys.argv[1:3]
sys.path[:0] = [models]

import meltpool_model  # noqa: E402
import model_raw  # noqa: E402
import train  # noqa: E402

random = numpy.random.default_rng(5)


def some_frames(n):
    """Features of very unlike sizes, as a pool's are, floats; labels that depend on them, many of them 0."""
    size = 10.0 ** random.uniform(-3, 6, 40)
    z = random.standard_normal((n, 40))
    labels = numpy.maximum(20 * numpy.tanh(z[:, :2] + 0.5 * z[:, 2:4] * z[:, 4:6]) - 5, 0)
    return (size * (z + random.uniform(-3, 3, 40))).astype(numpy.float32), labels


def trained_is_near(folder, output, hidden):
    features, labels = some_frames(6000)
    scaling = train.Scaling(features[:4000].astype(float), labels[:4000], output, 0.1)
    options = argparse.Namespace(hidden=hidden, alpha=1e-3, random_state=3, epochs=8)
    network = train.train(scaling, (features[:4000].astype(float), labels[:4000]), None, options)
    path = os.path.join(folder, f"{output}-{hidden}.safetensors")
    meltpool_model.write(path, {**scaling.model(network), "description": "a test"})
    return model_raw.are_near(f"scikit-learn, {output}, {hidden} hidden", model_raw.predictions(program, path, features),
                              scaling.predict(network, features.astype(float)))


def shipped_is_near():
    path = os.path.join(models, "meltpool-simulated.safetensors")
    model = meltpool_model.read(path)
    features = (model["mean"] + model["scale"] * random.standard_normal((5000, 40))).astype(numpy.float32)
    return model_raw.are_near("the model that ships", model_raw.predictions(program, path, features),
                              meltpool_model.predict(model, features.astype(float)))


def write_csv(path, features, flags, labels):
    heads = ["frame", "flags"] + meltpool_model.FEATURES + ["label_" + name for name in meltpool_model.OUTPUTS]
    rows = numpy.column_stack([numpy.arange(len(flags)), flags, features, labels])
    numpy.savetxt(path, rows, delimiter=",", header=",".join(heads), comments="", fmt="%.9g")


def write_hdf5(path, features, flags, labels):
    import h5py
    with h5py.File(path, "w") as file:
        file.attrs["features"] = ",".join(meltpool_model.FEATURES)
        file["features"], file["flags"], file["labels"] = features, flags.astype("u4"), labels


def command_trains(folder, name, write):
    """train.py as a user meets it: from labelled records to a model that saccade reads."""
    features, labels = some_frames(300)
    labels[7, 0] = numpy.nan  # not labelled
    path, out = os.path.join(folder, name), os.path.join(folder, name + ".safetensors")
    try:
        write(path, features, numpy.arange(300) % 10 == 9, labels)
    except ImportError as error:
        print(f"{name}: left out: {error}")
        return True
    run = [sys.executable, "-B", os.path.join(models, "train.py")]
    done = subprocess.run(run + [path, "-o", out, "--every", "1", "--epochs", "2", "--hidden", "5"], capture_output=True, text=True)
    if done.returncode != 0 or "269 frames of 1 files" not in done.stdout:
        print(f"train.py {name}: status {done.returncode}: {done.stdout}{done.stderr}")
        return False
    model_raw.predictions(program, out, features)
    with open(path, "w", encoding="utf-8") as file:
        file.write("nothing of the kind\n")
    done = subprocess.run(run + [path, "-o", out], capture_output=True, text=True)
    if done.returncode != 1 or len(done.stderr.splitlines()) != 1 or path not in done.stderr:
        print(f"train.py {name}, damaged: status {done.returncode}: {done.stderr}")
        return False
    return True


def main():
    with tempfile.TemporaryDirectory() as folder:
        good = [trained_is_near(folder, "softplus", 164), trained_is_near(folder, "linear", 164),
                trained_is_near(folder, "softplus", 7), trained_is_near(folder, "linear", 400),
                shipped_is_near(), command_trains(folder, "a.csv", write_csv),
                command_trains(folder, "a.h5", write_hdf5)]
    return 0 if all(good) else 1


sys.exit(main())

#!/usr/bin/env python3
"""Trains a model for `saccade meltpool --model` from records with labels, by scikit-learn.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import copy
import os
import sys

import labelled
from meltpool_model import OUTPUTS, Refused, numpy, softplus, write

HELP = """
Labels are densities of pores in 1/mm^2, of lack of fusion and of keyholes, for each frame: what an inspection (a
section, computed tomography) found around the place where the laser was. A frame whose label is not finite (NaN) is
left out.

  HDF5  what `saccade meltpool IN.h5 -o OUT.h5` writes, with a dataset /labels (n, 2) put beside it; without it the
        densities of /truth, which a simulated build has. Python: h5py.File("OUT.h5", "a")["labels"] = labels
  CSV   what `saccade meltpool IN.h5 -o OUT.csv` writes, with columns label_lof_density and label_keyhole_density

Frames in a row are nearly alike, and so are those of one build: validate, and score, on builds that were not trained on.

  saccade meltpool build-1.h5 -o 1.h5 && saccade meltpool build-2.h5 -o 2.h5 && saccade meltpool build-3.h5 -o 3.h5
  models/train.py 1.h5 --validate 2.h5 -o mine.safetensors
  saccade meltpool build-3.h5 -o 3.h5 --model mine.safetensors && models/score.py 3.h5
"""


def load(paths, every):
    parts = [labelled.read(path, "features") for path in paths]
    parameters = sorted({part[2] for part in parts})
    if len(parameters) > 1:
        raise Refused(f"features of different parameters do not go together: {' / '.join(parameters)}")
    features = numpy.concatenate([part[0][::every] for part in parts])
    labels = numpy.concatenate([part[1][::every] for part in parts])
    if len(features) < 2:
        raise Refused(f"{paths[0]}: {len(features)} labelled frames are too few")
    return features, labels, parameters[0]


def inverse_softplus(y, floor):
    """softplus(result) = max(y, floor): no finite number gives a density of 0."""
    y = numpy.maximum(y, floor)
    return y + numpy.log(-numpy.expm1(-y))


class Scaling:
    """Features to z, labels to targets of mean 0 and variance 1; and a network for those to one for these."""

    def __init__(self, features, labels, output, floor):
        self.output, self.floor = output, floor
        self.mean, self.scale = features.mean(axis=0), features.std(axis=0)
        self.scale[self.scale == 0] = 1
        targets = self.before_activation(labels)
        self.target_mean, self.target_scale = targets.mean(axis=0), targets.std(axis=0)
        self.target_scale[self.target_scale == 0] = 1

    def before_activation(self, labels):
        return inverse_softplus(labels, self.floor) if self.output == "softplus" else labels

    def z(self, features):
        return (features - self.mean) / self.scale

    def targets(self, labels):
        return (self.before_activation(labels) - self.target_mean) / self.target_scale

    def predict(self, network, features):
        y = network.predict(self.z(features)) * self.target_scale + self.target_mean
        return softplus(y) if self.output == "softplus" else y

    def model(self, network):
        (hidden, outer), (hidden_bias, outer_bias) = network.coefs_, network.intercepts_
        return {"mean": self.mean, "scale": self.scale, "hidden.weight": hidden.T, "hidden.bias": hidden_bias,
                "output.weight": outer.T * self.target_scale[:, None],
                "output.bias": outer_bias * self.target_scale + self.target_mean,
                "output": self.output}


def train(scaling, data, validation, options):
    """The network of the epoch that is best on the validation files, or of the last one."""
    from sklearn.neural_network import MLPRegressor
    network = MLPRegressor(hidden_layer_sizes=(options.hidden,), activation="relu", alpha=options.alpha, batch_size=min(512, len(data[0])),
                           learning_rate_init=1e-3, random_state=options.random_state)
    z, targets = scaling.z(data[0]), scaling.targets(data[1])
    best, least = network, numpy.inf
    for epoch in range(1, options.epochs + 1):
        network.partial_fit(z, targets)
        if validation is None:
            continue
        errors = scaling.predict(network, validation[0]) - validation[1]
        error = (errors ** 2 / scaling.target_scale ** 2).mean()
        if error < least:
            best, least = copy.deepcopy(network), error
        print(f"epoch {epoch}: loss {network.loss_:.4f}, validation error {error:.4f}", flush=True)
    return best


def parse_arguments():
    parser = argparse.ArgumentParser(description="Trains a model for `saccade meltpool --model` from records with labels.",
                                     epilog=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="RECORDS", help="labelled records to train on (.h5, .csv)")
    parser.add_argument("-o", dest="out", required=True, metavar="MODEL", help="the model, .safetensors")
    parser.add_argument("--validate", nargs="+", default=[], metavar="RECORDS", help="of other builds: the best epoch on these is kept")
    parser.add_argument("--every", type=int, default=12, metavar="N", help="take each N-th frame (default 12)")
    parser.add_argument("--hidden", type=int, default=164, metavar="N", help="hidden units, 1 to 4096 (default 164)")
    parser.add_argument("--output", choices=("softplus", "linear"), default="softplus",
                        help="softplus never predicts a density below 0; linear may (default softplus)")
    parser.add_argument("--floor", type=float, default=0.1, metavar="D",
                        help="for softplus, labels below this count as this (default 0.1 / mm^2)")
    parser.add_argument("--epochs", type=int, default=25, metavar="N", help="passes over the data (default 25)")
    parser.add_argument("--alpha", type=float, default=1e-3, metavar="A", help="L2 penalty (default 1e-3)")
    parser.add_argument("--random-state", type=int, default=1, metavar="N", help="of scikit-learn (default 1)")
    parser.add_argument("--description", default="trained on a user's own labels", metavar="TEXT", help="one line that goes into the file")
    options = parser.parse_args()
    for name, least in (("every", 1), ("hidden", 1), ("epochs", 1), ("random_state", 0)):
        if getattr(options, name) < least:
            parser.error(f"--{name.replace('_', '-')}: expected {least} or more")
    if not 0 < options.floor < numpy.inf:
        parser.error("--floor: expected a density above 0")
    if not 0 <= options.alpha < numpy.inf:
        parser.error("--alpha: expected a penalty of 0 or more")
    folder = os.path.dirname(options.out) or "."
    if not os.path.isdir(folder):  # told before training
        parser.error(f"-o: {folder} is no folder")
    return options


def main():
    options = parse_arguments()
    features, labels, parameters = load(options.files, options.every)
    validation = load(options.validate, options.every) if options.validate else None
    if validation and validation[2] != parameters:
        raise Refused(f"validation has other parameters: {parameters} / {validation[2]}")
    print(f"{len(features)} frames of {len(options.files)} files")
    scaling = Scaling(features, labels, options.output, options.floor)
    network = train(scaling, (features, labels), validation, options)
    write(options.out, {**scaling.model(network), "description": options.description, "parameters": parameters})
    for name, data in (("training", (features, labels)), ("validation", validation)):
        if data:
            errors = ((scaling.predict(network, data[0]) - data[1]) ** 2).mean(axis=0) / data[1].var(axis=0).clip(1e-30)
            print(f"R^2 in {name}: " + ", ".join(f"{what} {1 - error:.3f}" for what, error in zip(OUTPUTS, errors)))
    print(f"wrote {options.out}")


if __name__ == "__main__":
    try:
        main()
    except ImportError as error:
        sys.exit(f"train.py: {error} (Debian and Ubuntu: python3-sklearn python3-h5py)")
    except (Refused, OSError) as error:
        sys.exit(f"train.py: {error}")

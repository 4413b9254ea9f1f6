#!/usr/bin/env python3
"""Scores the predictions in records of `saccade meltpool --model` against their labels.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import sys

import labelled
from meltpool_model import OUTPUTS, Refused, numpy


def r2(predicted, wanted):
    """1 - squared error / variance of the labels; None where those are all alike."""
    variance = wanted.var()
    return 1 - ((predicted - wanted) ** 2).mean() / variance if variance > 0 else None


def auc(predicted, is_above):
    """How often a frame above the limit has a larger prediction than one that is not, ties by half; None where all
    frames are on one side."""
    n_above, n = int(is_above.sum()), len(is_above)
    if n_above in (0, n):
        return None
    _, place, count = numpy.unique(predicted, return_inverse=True, return_counts=True)
    rank = (numpy.cumsum(count) - (count - 1) / 2)[place]
    return (rank[is_above].sum() - n_above * (n_above + 1) / 2) / (n_above * (n - n_above))


def text(value):
    return "    -" if value is None else f"{value:5.3f}"


def report(name, predicted, wanted, limits):
    for i, output in enumerate(OUTPUTS):
        is_above = wanted[:, i] > limits[i]
        print(f"{name:26} {output:16} {text(r2(predicted[:, i], wanted[:, i]))} {text(auc(predicted[:, i], is_above))}"
              f" {100 * is_above.mean():6.1f} % {numpy.abs(predicted[:, i] - wanted[:, i]).mean():8.2f}"
              f" {(predicted[:, i] - wanted[:, i]).mean():+8.2f}")
        name = ""


def by_power(files, simulations):
    """What the laser's power alone would tell of the files' frames: the simulations' mean densities by power, in steps of
    2 W. It is all that makes the pores of a simulated build, but for chance."""
    powers, wanted = (numpy.concatenate(part) for part in list(zip(*(labelled.read(path, "power") for path in simulations)))[:2])
    step, place = numpy.unique(numpy.round(powers[:, 0] / 2), return_inverse=True)
    means = [numpy.bincount(place, wanted[:, i]) / numpy.bincount(place) for i in range(len(OUTPUTS))]
    powers, wanted = (numpy.concatenate(part) for part in list(zip(*(labelled.read(path, "power") for path in files)))[:2])
    return numpy.stack([numpy.interp(powers[:, 0], 2 * step, mean) for mean in means], axis=1), wanted


def main():
    parser = argparse.ArgumentParser(description="Scores the predictions in records of `saccade meltpool --model` against their labels "
                                                 "(train.py --help says which): R^2, AUC of `density above limit`, mean absolute error, bias.")
    parser.add_argument("files", nargs="+", metavar="RECORDS", help="records with predictions and labels (.h5, .csv)")
    parser.add_argument("--limits", nargs=2, type=float, default=(5, 5), metavar=("LOF", "KEYHOLE"),
                        help="densities in 1/mm^2 that AUC tells apart (default 5 5)")
    parser.add_argument("--power", nargs="+", default=[], metavar="RECORDS",
                        help="of simulated builds, not those that are scored: what knowing the laser's power alone would give")
    options = parser.parse_args()
    parts = [labelled.read(path, "prediction") for path in options.files]
    if not all(len(part[0]) for part in parts):
        raise Refused("a file has no labelled frames")
    print(f"{'':26} {'':16}   R^2   AUC    above   |error|     bias")
    for path, (predicted, wanted, _) in zip(options.files, parts):
        report(path.rsplit("/", 1)[-1], predicted, wanted, options.limits)
    report(f"all {sum(len(part[0]) for part in parts)} frames", numpy.concatenate([part[0] for part in parts]),
           numpy.concatenate([part[1] for part in parts]), options.limits)
    if options.power:
        report("all, by the laser's power", *by_power(options.files, options.power), options.limits)


if __name__ == "__main__":
    try:
        main()
    except ImportError as error:
        sys.exit(f"score.py: {error} (Debian and Ubuntu: python3-h5py)")
    except (Refused, OSError) as error:
        sys.exit(f"score.py: {error}")

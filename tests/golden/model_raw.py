"""What the tests of models share: predictions by model_raw, and how near they are.

SPDX-License-Identifier: Apache-2.0
"""
import subprocess
import sys

import numpy

NEAR = 1e-5  # of a density, or of 1/mm^2 where it is smaller


def predictions(program, model, features):
    """(variants, n, 2) of features (n, 40)."""
    done = subprocess.run([program, model], input=numpy.asarray(features, "<f4").tobytes(), capture_output=True)
    if done.returncode == 77:
        print("SKIPPED: " + done.stderr.decode().strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{program} {model}: {done.stderr.decode().strip()}")
    return numpy.frombuffer(done.stdout, "<f4").reshape(-1, len(features), 2)


def are_near(what, got, wanted):
    """Whether every variant's predictions are the wanted ones; says how near."""
    errors = numpy.abs(got - wanted) / numpy.maximum(numpy.abs(wanted), 1)
    print(f"{what}: {len(got)} variants, {wanted.shape[0]} frames, largest error {errors.max():.2g}")
    return bool(errors.max() <= NEAR)

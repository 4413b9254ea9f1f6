#!/usr/bin/env python3
"""label_scipy.py PROGRAM: sac_label against scipy.ndimage.label (4-connected), on random pictures.

PROGRAM is label_raw. Ends with status 77 where SciPy is not installed.
SPDX-License-Identifier: Apache-2.0
"""
import subprocess
import sys

try:
    import numpy
    from scipy import ndimage
except ImportError:
    print("SKIPPED: SciPy is not installed")
    sys.exit(77)


def first_pixels(labels, n):
    """Where each component begins, in raster order; their order is sac_label's numbering."""
    flat = labels.ravel()
    at = numpy.full(n + 1, flat.size)
    numpy.minimum.at(at, flat, numpy.arange(flat.size))
    return at[1:]


def renumbered(labels, n):
    order = numpy.argsort(first_pixels(labels, n), kind="stable")
    number = numpy.zeros(n + 1, dtype=numpy.int32)
    number[order + 1] = numpy.arange(1, n + 1)
    return number[labels]


def pictures(random):
    for w, h in ((1, 1), (7, 1), (1, 9), (40, 40), (63, 31), (64, 64), (65, 130), (96, 96), (333, 217)):
        noise = random.integers(0, 256, (h, w), dtype=numpy.uint8)
        yield "noise", noise
        for sigma in (1, 3):
            smooth = ndimage.gaussian_filter(noise.astype(float), sigma)
            low, high = smooth.min(), smooth.max()
            yield f"smooth {sigma}", (255 * (smooth - low) / max(high - low, 1e-9)).astype(numpy.uint8)
    yield "comb", numpy.where((numpy.arange(200) % 2 == 0) | (numpy.arange(99)[:, None] == 98), 200, 10).astype(numpy.uint8)
    yield "checkerboard", (numpy.indices((77, 129)).sum(axis=0) % 2 * 255).astype(numpy.uint8)


def main():
    random = numpy.random.default_rng(7)
    n_compared = n_differ = 0
    for name, picture in pictures(random):
        for threshold in (0, 60, 128, 256):
            h, w = picture.shape
            got = subprocess.run([sys.argv[1], str(w), str(h), str(threshold)], input=picture.tobytes(),
                                 capture_output=True, check=True).stdout
            got = numpy.frombuffer(got, dtype=numpy.int32)
            wanted, n = ndimage.label(picture.astype(int) >= threshold)
            n_compared += 1
            if got[0] != n or not numpy.array_equal(got[1:].reshape(h, w), renumbered(wanted, n)):
                n_differ += 1
                print(f"{name}, {w} x {h}, threshold {threshold}: wanted {n} components, got {got[0]}")
    print(f"{n_compared} pictures compared with scipy.ndimage.label, {n_differ} differ")
    return 1 if n_differ else 0


sys.exit(main())

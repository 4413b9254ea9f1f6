#!/usr/bin/env python3
"""Delay-and-sum as a sparse matrix product by SciPy beside saccade's, in one run.

usage: beamform_scipy.py SACCADE [--seconds S] [OUT.json]

Configuration A of docs/beamform.md: IQ of one plane wave, 128 elements x 334 samples, 32 frames, 251 x 251 points, f/1, linear
interpolation. The matrix is the one that MUST's and PyMUST's dasmtx build: two complex weights for every point and
element in the aperture. Building it is not counted, nor is saccade's plan; SACCADE is the command, whose ladder times the
kernel and the whole run on the same geometry with one thread, delays computed on the fly. Needs NumPy and SciPy.

SPDX-License-Identifier: Apache-2.0
"""
import json
import statistics
import subprocess
import sys
import time

import numpy
import scipy
import scipy.sparse

N_ELEMENTS, N_SAMPLES, N_FRAMES = 128, 334, 32
FS, FD, C, PITCH, T0 = 6.6667e6, 5e6, 1480.0, 298e-6, 9.95e-6
RUNS = 7


def das_matrix(n_x=251, n_z=251, fs=FS):
    """(n_points, n_elements * n_samples) complex64, CSR; points z slow, x fast."""
    x = numpy.linspace(-12.5e-3, 12.5e-3, n_x)
    z = numpy.linspace(10e-3, 35e-3, n_z)
    zz, xx = (a.ravel() for a in numpy.meshgrid(z, x, indexing="ij"))
    elements = (numpy.arange(N_ELEMENTS) - 0.5 * (N_ELEMENTS - 1)) * PITCH
    rows, columns, weights = [], [], []
    for r, e in enumerate(elements):
        points = numpy.flatnonzero(2 * numpy.abs(xx - e) <= zz)
        tau = (zz[points] + numpy.hypot(xx[points] - e, zz[points])) / C - T0
        s = tau * fs
        first = numpy.floor(s).astype(numpy.int64)
        a = s - first
        turn = numpy.exp(2j * numpy.pi * FD * tau)
        inside = (first >= 0) & (first < N_SAMPLES - 1)
        points, first, a, turn = (v[inside] for v in (points, first, a, turn))
        rows += [points, points]
        columns += [r * N_SAMPLES + first, r * N_SAMPLES + first + 1]
        weights += [(1 - a) * turn, a * turn]
    rows, columns, weights = (numpy.concatenate(v) for v in (rows, columns, weights))
    shape = (x.size * z.size, N_ELEMENTS * N_SAMPLES)
    return scipy.sparse.csr_matrix((weights.astype(numpy.complex64), (rows, columns)), shape)


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    saccade, out, seconds = arguments[0], None, "1"
    for i, argument in enumerate(arguments[1:], 1):
        if argument == "--seconds":
            seconds = arguments[i + 1]
        elif arguments[i - 1] != "--seconds":
            out = argument
    matrix = das_matrix()
    random = numpy.random.default_rng(1)
    data = random.standard_normal((N_ELEMENTS * N_SAMPLES, 2 * N_FRAMES), numpy.float32).view(numpy.complex64)
    took = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        matrix @ data
        took.append(time.perf_counter() - start)
    scipy_ms = 1e3 * statistics.median(took[1:])
    result = None
    for room in ("das_iq_f32", "beamform"):
        ladder = subprocess.run(
            [saccade, "ladder", "beamform", "--task", "A", "--only", room, "--seconds", seconds, "--threads", "1",
             "--json", "-"], check=True, capture_output=True, text=True)
        part = json.loads(ladder.stdout)
        if result:
            result["rows"] += part["rows"]
        result = result or part
    result["rows"].insert(0, {"pipeline": "beamform", "room": "scipy", "rung": scipy.__version__, "threads": 1,
                              "median_ns": 1e6 * scipy_ms, "active_points": matrix.nnz // 2 * N_FRAMES})
    print(f"{'room':16} {'rung':20} {'ms':>8} {'Gpoints/s':>10} {'SciPy is':>10}")
    for row in result["rows"]:
        if not row.get("median_ns"):
            continue
        ms = row["median_ns"] / 1e6
        rate = row.get("active_points", 0) / row["median_ns"]
        print(f"{row['room']:16} {row['rung']:20} {ms:8.2f} {rate:10.3g} {scipy_ms / ms:9.2f}x")
    if out:
        with open(out, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()

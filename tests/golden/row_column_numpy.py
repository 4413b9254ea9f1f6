#!/usr/bin/env python3
"""row_column_numpy.py SACCADE: a simulated row-column recording by `saccade beamform` against a page of NumPy.

The page sums in double what docs/beamform.md, "Row-column arrays", says: a plane wave of the rows on its way (y, z), back to
the columns in (x, z), and the other way round. Ends with status 77 where NumPy is missing.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("SKIPPED: NumPy is not installed")
    sys.exit(77)

AXES = numpy.linspace(-4, 4, 33), numpy.linspace(-3, 5, 33), numpy.linspace(12, 22, 81)
F_NUMBER = 1.47  # with 1.5 some elements are at the very edge


def volume(data, about):
    """(n_z, n_y, n_x) of RF, linearly interpolated, boxcar at F_NUMBER."""
    x, y, z = (axis * 1e-3 for axis in AXES)
    z, y, x = numpy.meshgrid(z, y, x, indexing="ij", sparse=True)
    out = numpy.zeros(numpy.broadcast_shapes(x.shape, y.shape, z.shape))
    for wave, records in zip(about["transmits"], data):
        angle = wave["elevation_rad"] + wave["azimuth_rad"]  # one of them is 0
        for element, receives, record in zip(about["elements"], wave["receives"], records):
            if not receives:
                continue
            column = element["shape"] == "column"
            sent, across = (y, x - element["position_m"][0]) if column else (x, y - element["position_m"][1])
            way = z * numpy.cos(angle) + sent * numpy.sin(angle) + numpy.hypot(z, across)
            at = (way / about["c_m_s"] - wave["t0_s"]) * about["fs_hz"]
            inside = (at >= 0) & (at < len(record) - 1) & (2 * F_NUMBER * numpy.abs(across) <= z)
            at = numpy.where(inside, at, 0)
            first = at.astype(int)
            out += inside * (record[first] + (at - first) * (record[first + 1] - record[first]))
    return out


def main():
    saccade = sys.argv[1]
    grid = ",".join(f"{axis[0]:g}:{axis[-1]:g}:{len(axis)}" for axis in AXES)
    with tempfile.TemporaryDirectory() as folder:
        data, image = (os.path.join(folder, name) for name in ("data.npy", "image.npy"))
        arguments = ["--array", "row-column", "--elements", "48x40", "--transmits", "plane:3:8", "--region", "-2:2,14:20"]
        subprocess.run([saccade, "simulate", "ultrasound", *arguments, "-o", data], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(
            [saccade, "beamform", data, "--grid3", grid, "--f-number", f"{F_NUMBER}", "--apodization", "rect"]
            + ["--demodulate", "no", "--kind", "iq", "-o", image],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with open(os.path.join(folder, "data.json"), encoding="utf-8") as file:
            wanted = volume(numpy.load(data)[0].astype(float), json.load(file))
        came = numpy.load(image)[0]
    error = numpy.linalg.norm(came - wanted) / numpy.linalg.norm(wanted)
    print(f"row-column volume against NumPy's: relative error {error:.2e}, expected at most 1e-6")
    return 0 if error <= 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())

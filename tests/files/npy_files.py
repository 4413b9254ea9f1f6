"""NPY in both orders of axes.

SPDX-License-Identifier: Apache-2.0
"""
import json

from point import *


def npy_fortran_order_is_the_same():
    angles = numpy.array([-0.1, 0.1])
    passes = [POINT @ [numpy.sin(a), 0, numpy.cos(a)] / C for a in angles]
    for fd in (0, FC):
        records = echoes(linear(), passes, [3e-6] * 2, fd)
        frames = numpy.stack([0 * records, 0.5 * records, records])
        about = {"fs_hz": FS, "fc_hz": FC, "c_m_s": C, "pitch_m": PITCH, "t0_s": 3e-6, "phase_origin": "transmit",
                 "transmits": [{"kind": "plane", "azimuth_rad": a} for a in angles]}
        for kind in (["int16", "f4", "f8"] if not fd else ["c8", "c16"]):
            samples = (100 * frames).round().astype(kind) if kind == "int16" else frames.astype(kind)
            images = []
            for order in "CF":
                numpy.save("x.npy", numpy.asarray(samples, order=order))
                with open("x.json", "w", encoding="ascii") as file:
                    json.dump(about, file)
                images += [beamform("x.npy", "--frames", frames)[0] for frames in ("0:3", "1:2")]
                if order == "F" and kind != "int16":
                    shows_the_point("x.npy", 2 * N, *([] if fd else ["--band", "wide"]))
            expect(numpy.array_equal(images[0], images[2]), f"{kind}: another image in Fortran order")
            expect(numpy.array_equal(images[1], images[3]), f"{kind}: another middle frame in Fortran order")


def npy_fortran_order_that_is_cut_is_refused():
    numpy.save("x.npy", numpy.zeros((2, 3, 4, 50), order="F"))
    with open("x.npy", "r+b") as file:
        file.truncate(os.path.getsize("x.npy") - 1)
    refused("x.npy", "truncated", options=["--fs", "20", "--fc", "5", "--pitch", "0.3", "--transmits", "plane:3:1", "--t0", "0"])

"""Images of saccade's own HDF5, polar ones, as other programs may leave them.

SPDX-License-Identifier: Apache-2.0
"""
from point import *
import uff_files


def image_sector_that_is_damaged_is_refused():
    data = echoes(linear(), [POINT[2] / C], [4e-6])
    uff_files.write("x.uff", uff_files.fields(data, [uff_files.wave(uff_files.point(), 0.0)]))
    make = ["beamform", "x.uff", "-o", "s.h5", "--kind", "envelope", "--sector", "-10:10:81,18:24:121"]
    measure = ["measure", "s.h5", "--points", "--at", "2.1,21"]
    expect(run(make).returncode == 0 and run(measure).returncode == 0, "the whole image")
    for change, word in ((lambda file: file.attrs.pop("radius_m"), "radius_m"),
                         (lambda file: file.attrs.modify("radius_m", -1.0), "radius_m"),
                         (lambda file: file.attrs.modify("radius_m", numpy.nan), "radius_m"),
                         (lambda file: file["apex_m"].write_direct(numpy.full(3, numpy.inf)), "apex_m"),
                         (lambda file: file.pop("apex_m"), "apex_m"),
                         (lambda file: file.pop("depth_m"), "depth_m")):
        run(make)
        with h5py.File("s.h5", "r+") as file:
            change(file)
        done = run(measure)
        expect(done.returncode == 1 and done.stderr.count("\n") == 1 and word in done.stderr, f"{word}: {done.stderr}")

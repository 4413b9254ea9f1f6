"""PICMUS: HDF5, group /US/US_DATASET0000, plane waves.

SPDX-License-Identifier: Apache-2.0
"""
from point import *

ANGLES = numpy.array([-0.2, 0.0, 0.1])


def write(path, data, fd=0.0, begins=3e-6, subtype=1, without=None, **changes):
    kinds = h5py.enum_dtype({"STA": 0, "CPW": 1, "VS": 2, "BS": 3}, basetype="i4")
    with h5py.File(path, "w") as file:
        file.attrs["version"] = "v.0.0.40"
        group = file.create_group("US/US_DATASET0000")
        group.attrs["type"] = numpy.array(0, h5py.enum_dtype({"US": 0, "SR": 1}, basetype="i4"))
        group.attrs["subtype"] = numpy.array(subtype, kinds)
        group.attrs["version"] = "v1.96"
        fields = {"data/real": data.real, "data/imag": data.imag if fd else 0 * data.real, "angles": ANGLES,
                  "probe_geometry": linear().T, "sampling_frequency": [FS], "PRF": [100.0], "sound_speed": [C],
                  "initial_time": [begins], "modulation_frequency": [fd], **changes}
        for name, value in fields.items():
            if name != without:
                group[name] = numpy.asarray(value, "f4")


def records(fd, begins):
    passes = [POINT @ [numpy.sin(a), 0, numpy.cos(a)] / C for a in ANGLES]
    return echoes(linear(), passes, [begins] * 3, fd)


def picmus_plane_waves_show_the_point():
    for fd, begins in ((0.0, 3e-6), (0.0, 0.0), (5.208e6, 3.3e-6), (FC, 0.0)):
        write("x.hdf5", records(fd, begins), fd, begins)
        shows_the_point("x.hdf5", 3 * N, *([] if fd else ["--band", "wide"]))
    frames = records(0.0, 3e-6)
    write("x.hdf5", numpy.stack([0 * frames, frames]))
    shows_the_point("x.hdf5", 3 * N, "--band", "wide")


def picmus_without_a_center_frequency_says_what_it_takes():
    write("x.hdf5", records(0.0, 3e-6))
    _, words = beamform("x.hdf5")
    expect("5.208 MHz" in words and "--fc" in words, words)
    _, words = beamform("x.hdf5", "--fc", "5")
    expect(words == "", words)


def picmus_that_lacks_something_is_refused():
    data = numpy.zeros((3, N, 64))
    for name in ("angles", "probe_geometry", "sampling_frequency", "sound_speed", "initial_time", "data/real"):
        write("x.hdf5", data, without=name)
        refused("x.hdf5", "`x.hdf5`: PICMUS: ", f"/US/US_DATASET0000/{name}", "missing")
    write("x.hdf5", data, FC, without="data/imag")
    refused("x.hdf5", "PICMUS", "/US/US_DATASET0000/data/imag")
    write("x.hdf5", data, FC, **{"data/imag": numpy.zeros((3, N, 63))})
    refused("x.hdf5", "PICMUS", "data/imag", "shape")
    write("x.hdf5", data, subtype=0)
    refused("x.hdf5", "PICMUS", "subtype", "CPW")
    write("x.hdf5", data, probe_geometry=linear())
    refused("x.hdf5", "PICMUS", "probe_geometry", "(3, n_elements)")
    write("x.hdf5", data, angles=[0, numpy.nan, 0])
    refused("x.hdf5", "PICMUS", "angles", "finite")
    write("x.hdf5", data, angles=[0, 1])
    refused("x.hdf5", "PICMUS", "samples of 3 transmits, but 2")
    write("x.hdf5", data, initial_time=[numpy.nan])
    refused("x.hdf5", "PICMUS", "initial_time", "NaN")
    with h5py.File("x.hdf5", "w") as file:
        file.create_group("US")
    refused("x.hdf5", "PICMUS", "/US/US_DATASET0000", "missing")

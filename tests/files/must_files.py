"""MUST and PyMUST: MAT files of RF or IQ and the struct `param`.

SPDX-License-Identifier: Apache-2.0
"""
from point import *


def param(**fields):
    return {"fs": FS, "fc": FC, "c": C, "pitch": PITCH, "bandwidth": 60.0, **fields}


def first_arrival(elements, delays):
    """MUST's transmit path: the least of delay + distance / c."""
    return numpy.min(delays + numpy.linalg.norm(POINT - elements, axis=1) / C)


def write(path, name, records, fields):
    """Records (transmits, elements, samples) of one frame as (samples, elements, transmits)."""
    io.savemat(path, {name: numpy.transpose(records, (2, 1, 0)), "param": fields})


def steered(angles):
    """MUST's txdelay of tilted plane waves: none is negative."""
    delays = linear()[:, 0] * numpy.sin(angles)[:, None] / C
    return delays - delays.min(axis=1, keepdims=True)


def must_plane_waves_show_the_point():
    delays = steered(numpy.array([-0.2, 0.0, 0.15]))
    passes = [first_arrival(linear(), d) for d in delays]

    passes = [d[0] + ((POINT - linear()[0]) @ [numpy.sin(a), 0, numpy.cos(a)]) / C
              for d, a in zip(delays, (-0.2, 0.0, 0.15))]
    for name, fd in (("RF", 0), ("IQ", FC)):
        write("x.mat", name, echoes(linear(), passes, [4e-6] * 3, fd), param(t0=4e-6, TXdelay=delays))
        shows_the_point("x.mat", 3 * N, *([] if fd else ["--band", "wide"]))


def must_elements_of_any_form_show_the_point():
    angle = (numpy.arange(N) - (N - 1) / 2) * 0.01
    arc = numpy.stack([20e-3 * numpy.sin(angle), 0 * angle, 20e-3 * (numpy.cos(angle) - 1)], axis=1)
    x, y = numpy.meshgrid((numpy.arange(8) - 3.5) * 6e-4, (numpy.arange(6) - 2.5) * 6e-4)
    matrix = numpy.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    for elements, rows in ((arc, [0, 2]), (matrix, [0, 1, 2])):
        delays = numpy.array([numpy.zeros(N), numpy.linspace(0, 4e-7, N)])
        passes = [first_arrival(elements, d) for d in delays]
        fields = param(t0=2e-6, TXdelay=delays, elements=elements.T[rows], f0=FC)
        del fields["pitch"], fields["fc"]
        for name, fd in (("RF", 0), ("IQ", FC)):
            write("x.mat", name, echoes(elements, passes, [2e-6] * 2, fd), fields)
            shows_the_point("x.mat", 2 * N, *([] if fd else ["--band", "wide"]))


def must_integers_of_every_class_are_read():
    passes = [POINT[2] / C]
    records = echoes(linear(), passes, [1e-6])
    for kind in (numpy.int8, numpy.uint8, numpy.int16, numpy.uint16, numpy.int32, numpy.uint32, numpy.int64, numpy.uint64):
        zero = 0 if numpy.iinfo(kind).min else 100
        write("x.mat", "RF", (100 * records + zero).round().astype(kind), param(t0=1e-6, TXdelay=numpy.zeros((1, N))))
        shows_the_point("x.mat", 100 * N, height=0.6)  # the filter keeps the pulse's band, and no constant


def must_that_lacks_something_is_refused():
    good = param(t0=0.0, TXdelay=numpy.zeros((1, N)), elements=linear().T[[0, 2]])
    records = numpy.zeros((1, N, 64), numpy.int16)
    for change, words in (
        ({"elements": linear().T[:1]}, ["param.elements", "rows of x, z"]),
        ({"elements": linear().T[:, 1:]}, ["param.elements", f"{N} columns"]),
        ({"elements": "abc"}, ["param.elements", "rows of x, z"]),
        ({"elements": numpy.full((2, N), numpy.nan)}, ["param.elements", "finite"]),
        ({"elements": numpy.full((3, N), numpy.inf)}, ["param.elements", "finite"]),
        ({"radius": 0.05}, ["param.elements", "param.radius"]),
        ({"RXdelay": numpy.ones(N)}, ["param.RXdelay"]),
        ({"passive": 1.0}, ["param.passive"]),
        ({"PRP": 0.0}, ["param.PRP"]),
    ):
        write("x.mat", "RF", records, {**good, **change})
        refused("x.mat", "x.mat", *words)

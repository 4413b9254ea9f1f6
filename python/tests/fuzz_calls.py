"""Random calls of everything: fuzz_calls.py [CALLS [SEED]]. Each ends in a result or an exception.

Under the address sanitizer, of a build with -DSACCADE_SANITIZE=address,undefined -DSACCADE_PYTHON=ON:

    LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \\
    ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=build/asan/python \\
        /usr/bin/python3 python/tests/fuzz_calls.py 100000
"""
import collections
import random
import sys
import tempfile
import warnings

import numpy

import saccade
from saccade import _core
from support import Tensor

DTYPES = ["u1"] * 8 + ["u2", "i1", "i2", "i4", "u4", "i8", "f2", "f4", "f4", "f8", "c8", "c16", "?",
                       ">u2", "S3", "O"]
PLANS = [saccade.Equalize, saccade.Heatmap, saccade.Noise, saccade.Denoise, saccade.Adjust,
         saccade.Beamform, saccade.Meltpool,
         saccade.DeltaEncoder, saccade.DeltaDecoder]
ALLOWED = (ValueError, TypeError, RuntimeError, OverflowError, BufferError, saccade.Error, KeyError,
           AttributeError,
           IndexError, StopIteration, UnicodeError)


class Fuzz:
    def __init__(self, seed, folder):
        self.r = random.Random(seed)
        self.folder = folder
        self.plans = []
        self.arrays = [numpy.zeros((8, 9, 3), "u1")]
        self.packets = [b"", b"SDV1 nothing"]

    def shape(self):
        r = self.r
        if r.random() < 0.6:
            return r.choice([(8, 9, 3), (8, 9), (8, 9, 4), (3, 8, 9), (2, 96, 96), (1, 2, 4, 32), (2, 4, 32)])
        return tuple(r.choice([0, 1, 2, 3, 5, 8, 9, 17]) for _ in range(r.randrange(0, 8)))

    def array(self):
        r = self.r
        if r.random() < 0.3:
            return r.choice(self.arrays)
        a = numpy.zeros(self.shape(), r.choice(DTYPES))
        if a.dtype.kind in "uif" and a.size:
            a[...] = numpy.random.default_rng(r.randrange(1 << 30)).integers(0, 100, a.shape)
            if a.dtype.kind == "f" and r.random() < 0.3:
                a.flat[r.randrange(a.size)] = r.choice([numpy.nan, numpy.inf, -numpy.inf, 1e38])
        how = r.randrange(9)
        if how == 0:
            a = numpy.asfortranarray(a)
        elif how == 1 and a.ndim:
            a = a[::-1]
        elif how == 2 and a.ndim > 1:
            a = a[:, ::-2]
        elif how == 3 and a.ndim > 1:
            a = numpy.moveaxis(a, 0, -1)
        elif how == 4:
            a.setflags(write=False)
        elif how == 5 and a.ndim:
            a = numpy.broadcast_to(a[:1], a.shape)
        elif how == 6 and a.dtype.itemsize > 1 and a.size:  # not aligned
            raw = numpy.zeros(a.nbytes + 1, "u1")[1:]
            try:
                a = raw.view(a.dtype).reshape(a.shape)
            except TypeError:
                pass
        self.arrays.append(a)
        if len(self.arrays) > 30:
            self.arrays.pop(0)
        if r.random() < 0.1 and a.dtype.kind in "uifc" and a.dtype.isnative and a.flags.writeable:
            return Tensor(a, r.random() < 0.5)
        return a

    def anything(self):
        r = self.r
        return r.choice([None, 0, 1, -1, 2.5, float("nan"), 1 << 70, "", "x", "cpu", "cuda:0", "8x6", (3, 4),
                         (1,), [], {},
                         b"bytes", bytearray(9), memoryview(b"12345678"), object(), True, lambda *a: True,
                         numpy.float32(3), numpy.zeros(3), type, "\ud800", "a\0b"])

    def value(self, p):
        r = self.r
        if r.random() < 0.15:
            return self.anything()
        kind = p["type"]
        if p["name"] == "threads":
            return r.choice([1, 1, 2, 3])
        if kind in ("int", "float"):
            low, high = max(p["min"], -100), min(p["max"], 100)
            x = r.uniform(low, high)
            return int(x) if kind == "int" else x
        if kind == "choice":
            return r.choice(p["choices"])
        if kind == "bool":
            return r.random() < 0.5
        if kind == "int2":
            return (r.randrange(0, 9), r.randrange(0, 9))
        return r.choice([None, "cpu", "", "plain", "hann", "rect", "tukey:0.5"])

    def options(self, plan):
        r = self.r
        given = {"threads": 1}
        for p in r.sample(_core.parameters(plan.__name__), r.choice([0, 0, 1, 2])):
            given[p["name"].replace("-", "_")] = self.value(p)
        if r.random() < 0.2:
            given[r.choice(["shape", "dtype", "layout", "order", "keep_previous", "stream", "grid",
                            "points_m", "progress",
                            "calibration", "model", "scene_change", "wrong"])] = r.choice(
                [self.anything(), self.shape(), "u2", "planar", "bgr", "frames_inner", self.array()])
        return given

    def transmits(self):
        r = self.r
        odd = saccade.Transmit(r.choice(["element", "plane", "focused", "odd"]),
                               element=r.choice([0, 3, 99, -1]),
                               source_m=(0, 0, r.choice([0, 1e-2, numpy.nan])),
                               receives=r.choice([None, [1, 0, 1, 0], [0] * 4, [2, 1, 1, 1], [numpy.nan] * 4, [1]]))
        return r.choice(["plane:2:5", "sa", "diverging:2", "nothing", [], [odd, odd],
                         [saccade.Transmit("arrivals", arrivals_s=[0.0] * r.choice([1, 8]))],
                         [saccade.Transmit("delays", delays_s=[0, 1e-6, numpy.nan, 0])]])

    def acquisition(self):
        r = self.r
        probe = saccade.Probe.linear(r.choice([4, 4, 4, 0, 1]), r.choice([3e-4, 0, numpy.nan]))
        if r.random() < 0.3:
            probe = saccade.Probe.row_column(2, 2, r.choice([3e-4, 3e-4, 0, numpy.nan]))
            probe.shapes = r.choice([probe.shapes, probe.shapes, [1, 1, 2], [1e300, 0, 0, 0], [2, 1, 0, 1], None])
        fs = r.choice([20e6, 20e6, 0.0, -1.0, numpy.inf])
        return saccade.Acquisition(probe, self.transmits(), fs, r.choice([5e6, 0.0]))

    def grid(self):
        r = self.r
        axis = (r.choice([0, 1e-3, numpy.nan]), r.choice([5e-3, 1e-3]), r.choice([1, 3, 8, 0, -1]))
        return r.choice([None, saccade.Sector(axis, depth=axis), saccade.Grid(z=axis),
                         saccade.Grid(x=axis, z=(1e-3, 5e-3, 8)), self.anything()])

    def open(self):
        kind = self.r.choice(PLANS)
        args = (self.acquisition(), self.grid()) if kind is saccade.Beamform else ()
        self.plans.append(kind(*args, **self.options(kind)))
        if len(self.plans) > 12:
            self.plans.pop(self.r.randrange(12))

    def run(self):
        r = self.r
        if not self.plans:
            return
        plan = r.choice(self.plans)
        if r.random() < 0.05:
            plan.close()
        if isinstance(plan, saccade.DeltaDecoder):
            packet = r.choice(self.packets)
            if packet and r.random() < 0.3:
                packet = bytearray(packet)
                packet[r.randrange(len(packet))] ^= 1 << r.randrange(8)
            plan(packet, r.choice([None, None, self.array()]))
        elif isinstance(plan, saccade.DeltaEncoder):
            self.packets = self.packets[-9:] + [plan(self.array(), r.choice([0, 1, 10**9])).data]
        elif isinstance(plan, saccade.Meltpool):
            x = self.array()
            signals = r.choice([None, numpy.zeros(2, saccade.SIGNALS), numpy.ones((2, 4), "i4"),
                                self.array()])
            plan(x, signals, r.choice([None, numpy.zeros(2, saccade.RECORD), self.array()]))
        else:
            args = [self.array() if r.random() < 0.95 else self.anything() for _ in range(r.choice([1, 1, 1,
                                                                                                    2, 3]))]
            plan(*args, **({"out": self.array()} if r.random() < 0.2 else {}))

    def look(self):
        if self.plans:
            plan = self.r.choice(self.plans)
            for name in ("variant", "counts", "points", "grid", "doubt", "changed", "noise", "wants_key",
                         "frame", "reset",
                         "key"):
                got = getattr(plan, name, None)
                if callable(got):
                    got()

    def stream(self):
        r = self.r
        kept = []
        stream = saccade.Stream(r.choice([lambda f, n: kept.append(f), lambda f, n: None, self.anything()]),
                                r.choice([(4,), (3, 5), self.shape()]), r.choice(["u1", "f4", "S3"]),
                                **r.choice([{}, {"capacity": r.choice([1, 3, 0])}, {"policy": "drop-oldest"},
                                            {"odd": 1}]))
        for _ in range(r.randrange(6)):
            r.choice([stream.slot, stream.send, stream.counts, stream.latency, stream.request_stop,
                      stream.stop,
                      stream.close, lambda: stream.put(r.choice([1, self.array()])),
                      lambda: kept.append(stream.slot())])()
        for frame in kept:
            frame[...] = 1

    def functions(self):
        r, a = self.r, self.array
        path = "%s/%s" % (self.folder, r.choice(["a.pnm", "a.npy", "b.h5", "c.csv", "d.png", "e.sdv", "f.y4m",
                                                 "g.rgb", "", "x\0"]))
        r.choice([
            lambda: saccade.histogram(a(), r.choice([256, 0, 2, -5]), r.choice(["planar", "interleaved", 3])),
            lambda: saccade.measure_difference(a(), a()),
            lambda: saccade.write_picture(path, a(), r.choice([None, "pnm", "x"]), r.choice([95, 0, 101])),
            lambda: saccade.read_picture(path),
            lambda: saccade.read_recording(path, **r.choice([{}, {"c_m_s": 1500.0}, {"n_frames": 99},
                                                             {"first_transmit": 1, "n_transmits": 1},
                                                             {"odd": 1}])),
            lambda: saccade.write_recording(path, a(), self.acquisition(), r.choice([None, a()])),
            lambda: saccade.read_image(path),
            lambda: saccade.write_image(path, a(), self.grid(), r.choice(["bmode", "iq", "odd"])),
            lambda: saccade.read_frames(path, r.choice([0, 1, -1]), r.choice([-1, 1, 1 << 40])),
            lambda: saccade.write_frames(path, a(), r.choice([None, numpy.zeros(2, saccade.SIGNALS)])),
            lambda: saccade.write_records(path, r.choice([a(), numpy.zeros(3, saccade.RECORD)])),
            lambda: saccade.calibrate(a(), r.choice([None, numpy.zeros(2, saccade.SIGNALS)]),
                                      r.choice([60, 0, 300])),
            lambda: saccade.simulate_ultrasound(self.acquisition(), [(0, 0, 1e-2, 1)], r.choice([16, 0, -1]),
                                                threads=1,
                                                out=r.choice([None, a()])),
            lambda: saccade.phantom(r.choice(["points", "cyst", "odd"]), radius_m=r.choice([4e-3, -1.0]),
                                    n_scatterers=r.choice([20, 100])),
            lambda: saccade.measure_point(a(), saccade.Grid(x=(0, 1e-3, 9), z=(0, 1e-3, 8)), (0, 0, 0), 1e-3),
            lambda: saccade.measure_cyst(a(), saccade.Grid(x=(0, 1e-3, 9), z=(0, 1e-3, 8)), (0, 0, 0), 1e-3),
            lambda: list(saccade.VideoReader(path, r.choice([None, "rgb", "odd"]), r.choice([0, 4, 9]),
                                             r.choice([0, 8]))),
            lambda: saccade.VideoWriter(path).write(a()),
            lambda: list(saccade.SdvReader(path)),
            lambda: saccade.SdvWriter(path).write(r.choice(self.packets)),
            lambda: list(saccade.MeltpoolSimulation(n_frames=r.choice([3, 7]), batch=r.choice([2, 5]))),
            lambda: _core.view(a()),
            lambda: saccade.Probe(a()),
            lambda: saccade.Grid.default(self.acquisition(), r.choice([0, 100, -1])),
            lambda: saccade.heatmap(a(), a(), threads=1),
            lambda: saccade.equalize(a(), threads=1),
            self.stream,
        ])()

    def call(self):
        self.r.choice([self.open, self.run, self.run, self.run, self.look, self.functions])()


def main(n=10000, seed=None):
    seed = random.randrange(1 << 30) if seed is None else seed
    print("seed %d" % seed, flush=True)
    ends = collections.Counter()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="saccade-fuzz-") as folder:
        fuzz = Fuzz(seed, folder)
        for _ in range(n):
            try:
                fuzz.call()
                ends["results"] += 1
            except ALLOWED as error:
                ends[type(error).__name__] += 1
    print(", ".join("%s %d" % end for end in ends.most_common()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

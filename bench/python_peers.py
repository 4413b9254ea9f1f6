#!/usr/bin/env python3
"""saccade's Python package beside PyMUST, OpenCV and scikit-image, in one run.

usage: python_peers.py [--only beamform,equalize] [--data FOLDER] [--rounds N] [--small] [--json FILE]

beamform  PWI_disk.mat of MUST (in FOLDER/ultrasound; default: SACCADE_DATA, else ../shared/data) into
          251 x 251 points, f/1, no taper, by the sparse matrix of MUST's and PyMUST's dasmtx (in SciPy, and
          by PyMUST where it is installed) and by saccade; from IQ, and from RF with each one's demodulation.
          Set-up is what is done once for a geometry.
equalize  a picture of 1920 x 1080 by OpenCV, scikit-image and saccade

Entries take turns; times are medians of clock time over the rounds. The results are compared first: the
tables say by how much they differ, and the program fails where that is more than expected. --small takes
little data, for a test. What a call from Python costs beyond C: python_calls.py.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import os
import platform
import statistics
import sys
import time

try:
    import numpy
    import saccade
except ImportError as error:
    if not {"-h", "--help"} & set(sys.argv):
        sys.exit(f"saccade: {sys.argv[0]} needs NumPy and the package saccade: {error}; "
                 "PYTHONPATH=build/release/python has what ./quickstart builds")

CORES = len(os.sched_getaffinity(0))
MISSING = []


def load(name):
    """A module that may not be there."""
    try:
        return __import__(name, fromlist=["_"])
    except ImportError as error:
        MISSING.append(str(error))
        return None


def clock(function):
    start = time.perf_counter_ns()
    result = function()
    return time.perf_counter_ns() - start, result


class Entry:
    """Something to time: setup() gives the function to run."""

    def __init__(self, name, setup, threads=1, once=False):
        self.name, self.setup, self.threads, self.once = name, setup, threads, once
        self.setups, self.runs, self.run = [], [], None

    def prepare(self):
        ns, self.run = clock(self.setup)
        self.setups.append(ns)
        return self.run()

    def row(self, reference, **more):
        setup, run = statistics.median(self.setups), statistics.median(self.runs)
        base = statistics.median(reference.runs)
        first = (setup + run) / (statistics.median(reference.setups) + base)
        return {"entry": self.name, "threads": self.threads, "setup_ns": 0 if self.once else setup,
                "run_ns": run, "ratio": run / base, "first_ratio": first, **more}


def take_turns(entries, rounds, setups=3):
    """Runs the entries one after the other, again and again; a few times with their set-up."""
    for i in range(rounds):
        for entry in entries:
            if 0 < i < setups:
                entry.prepare()
            entry.runs.append(clock(entry.run)[0])


def table(title, rows, columns):
    print("\n### %s\n\n| %s |\n|%s" % (title, " | ".join(columns), "---|" * len(columns)))
    for row in rows:
        print("| %s |" % " | ".join(str(form(row)) for form in columns.values()))


def milliseconds(field):
    return lambda row: "%.3g" % (row[field] / 1e6) if row[field] else "-"


# Beamforming.

FIRST_X, LAST_X, FIRST_Z, LAST_Z = -12.5e-3, 12.5e-3, 10e-3, 35e-3
OPTIONS = {"f_number": 1.0, "apodization": "rect", "kind": "iq"}


def recording(folder, small):
    """PWI_disk.mat, or noise of its shape: name, recording."""
    path = os.path.join(folder, "ultrasound", "PWI_disk.mat")
    if not small:
        try:
            return "PWI_disk.mat", saccade.read_recording(path)
        except saccade.Error as error:
            print("%s; noise of its shape instead" % error, file=sys.stderr)
    probe, wave = saccade.Probe.linear(128, 298e-6, 262e-6), saccade.Transmit(t0_s=9.95e-6)
    acquisition = saccade.Acquisition(probe, [wave], fs_hz=20e6 / 3, fc_hz=5e6, bandwidth=0.15, c_m_s=1480.0)
    rng = numpy.random.default_rng(1)
    samples = (1000 * rng.standard_normal((2 if small else 32, 1, 128, 334))).astype("i2")
    return "noise", saccade.Recording(samples, acquisition)


def demodulate(signal, samples, acquisition):
    """As rf2iq of MUST and PyMUST, but time counts from the first sample. The shape is that of samples."""
    t = numpy.arange(samples.shape[-1]) / acquisition.fs_hz
    b, a = signal.butter(5, acquisition.fc_hz * acquisition.bandwidth / acquisition.fs_hz)
    iq = 2 * signal.filtfilt(b, a, samples * numpy.exp(-2j * numpy.pi * acquisition.fc_hz * t), axis=-1)
    return iq.astype("c8")


def pymust_param(pymust, acquisition):
    param = pymust.utils.Param()
    probe = acquisition.probe.positions_m[:, 0]
    param.fs, param.fc, param.c = acquisition.fs_hz, acquisition.fc_hz, acquisition.c_m_s
    param.pitch, param.width = probe[1] - probe[0], acquisition.probe.elements[0, 6]
    param.Nelements = len(probe)
    param.bandwidth, param.fnumber = 100 * acquisition.bandwidth, 1
    param.t0 = numpy.array([acquisition.transmits[0].t0_s])
    return param


def peers_of_beamform(data, iq, grid, signal, from_rf):
    """Entries that are not saccade's; each run gives (frames, z, x)."""
    samples, acquisition = data.samples, data.acquisition
    n_frames = len(samples)
    scipy_way = load("beamform_scipy")
    pymust = load("pymust")

    def by_matrix():
        matrix = scipy_way.das_matrix(grid.x[2], grid.z[2], acquisition.fs_hz)

        def run():
            given = demodulate(signal, samples, acquisition) if from_rf else iq
            return (matrix @ given.reshape(n_frames, -1).T).T.reshape(n_frames, grid.z[2], grid.x[2])
        return run

    def by_pymust():
        param = pymust_param(pymust, acquisition)
        x, z = numpy.meshgrid(grid.axes[0], grid.axes[2])
        no_delays = numpy.zeros((1, samples.shape[2]))
        matrix = pymust.dasmtx(1j * numpy.array(samples.shape[:1:-1]), x, z, no_delays, param, "linear")
        rf = numpy.moveaxis(samples[:, 0], 0, 2).swapaxes(0, 1).astype(float)  # (samples, elements, frames)
        param_of_rf = pymust_param(pymust, acquisition)
        own = pymust.rf2iq(rf, param_of_rf)

        def run():
            given = pymust.rf2iq(rf, param_of_rf) if from_rf else own
            image = matrix @ given.reshape(-1, n_frames, order="F")
            return numpy.moveaxis(image.reshape(*x.shape, n_frames, order="F"), 2, 0)
        return run

    yield Entry("SciPy, dasmtx's matrix", by_matrix)
    if pymust:
        yield Entry("PyMUST", by_pymust)


def saccades_beamform(given, acquisition, grid):
    def by_plan(threads):
        def setup():
            plan = saccade.Beamform(acquisition, grid, shape=given.shape, dtype=given.dtype.name,
                                    threads=threads, **OPTIONS)
            out = numpy.empty((len(given), grid.z[2], grid.x[2]), "c8")
            return lambda: plan(given, out=out)
        return setup

    def in_one_call():
        return lambda: saccade.beamform(given, acquisition, grid, **OPTIONS)

    yield Entry("saccade.Beamform", by_plan(1))
    yield Entry("saccade.Beamform", by_plan(CORES), CORES)
    yield Entry("saccade.beamform, one call", in_one_call, CORES, once=True)


def bench_beamform(args):
    signal = load("scipy.signal")
    if not signal:
        return []
    name, data = recording(args.data, args.small)
    n = 41 if args.small else 251
    grid = saccade.Grid(x=(FIRST_X, LAST_X, n), z=(FIRST_Z, LAST_Z, n))
    data.acquisition.phase_origin = "record"
    iq = demodulate(signal, data.samples, data.acquisition)
    rows = []
    for what, given in (("IQ", iq), ("RF", data.samples)):
        entries = [*saccades_beamform(given, data.acquisition, grid),
                   *peers_of_beamform(data, iq, grid, signal, what == "RF")]
        images = [entry.prepare().copy() for entry in entries]
        take_turns(entries, args.rounds, 2 if args.small else 3)
        for entry, image in zip(entries, images):
            # IQ is the same for all. Demodulations differ in their filters, and so in what they keep.
            mine, other = abs(images[0]), abs(image)
            l2 = float(numpy.linalg.norm(mine - other) / numpy.linalg.norm(other)) if what == "IQ" else None
            correlation = float(numpy.corrcoef(mine.ravel(), other.ravel())[0, 1])
            rows.append(entry.row(entries[0], part="beamform", task="%s, %s" % (what, name), l2=l2,
                                  correlation=correlation))
            if what == "IQ" and l2 > 2e-3:
                sys.exit("python_peers.py: %s: the envelope is off by %.2g" % (entry.name, l2))
        title = "Beamforming from %s: %s, %d frames, %d x %d points" % (what, name, len(given), n, n)
        table(title, rows[-len(entries):], {
            "entry": lambda r: r["entry"], "threads": lambda r: r["threads"],
            "set-up, ms": milliseconds("setup_ns"), "run, ms": milliseconds("run_ns"),
            "run / saccade's": lambda r: "%.3g" % r["ratio"],
            "set-up and run / saccade's": lambda r: "%.3g" % r["first_ratio"],
            "envelope's L2 difference": lambda r: "-" if r["l2"] is None else "%.2g" % r["l2"],
            "envelope's correlation": lambda r: "%.4f" % r["correlation"]})
    return rows


# Equalization.

def scene(h, w, channels):
    """A dull picture with detail and noise: (h, w[, channels]) of uint8."""
    rng = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:h, 0:w]
    base = 70 + 30 * numpy.sin(x / 97) * numpy.cos(y / 61) + 15 * numpy.sin((x + y) / 23)
    planes = [base * share + rng.normal(0, 4, base.shape) for share in (1, 0.8, 0.6)[:channels]]
    return numpy.stack(planes, 2).clip(0, 255).astype("u1")[..., slice(None) if channels > 1 else 0]


def peers_of_equalize(task, picture):
    """Entries with the largest difference that is expected, in levels; None: the method is another one."""
    cv2, exposure, color = load("cv2"), load("skimage.exposure"), load("skimage.color")
    out = numpy.empty_like(picture)

    def opencv(threads):
        clahe = cv2.createCLAHE(2.0, (8, 8))

        def hsv():
            image = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)
            image[..., 2] = cv2.equalizeHist(image[..., 2])
            return cv2.cvtColor(image, cv2.COLOR_HSV2RGB, out)

        run = {"gray": lambda: cv2.equalizeHist(picture, out), "RGB": hsv,
               "CLAHE": lambda: clahe.apply(picture, out)}[task]

        def with_threads():
            cv2.setNumThreads(threads)
            return run()
        return lambda: with_threads

    def skimage():
        def hsv():
            image = color.rgb2hsv(picture)
            image[..., 2] = exposure.equalize_hist(image[..., 2], nbins=256)
            return color.hsv2rgb(image)

        run = {"gray": lambda: exposure.equalize_hist(picture), "RGB": hsv,
               "CLAHE": lambda: exposure.equalize_adapthist(picture, clip_limit=2 / 256, nbins=256)}[task]
        return run

    if cv2:
        bound = {"gray": 0, "RGB": 8, "CLAHE": 2}[task]
        yield Entry("OpenCV %s" % cv2.__version__, opencv(1)), bound
        yield Entry("OpenCV %s" % cv2.__version__, opencv(CORES), CORES), bound
    if exposure and color:
        yield Entry("scikit-image", skimage), {"gray": 2, "RGB": 8, "CLAHE": None}[task]


def saccades_equalize(task, picture):
    options = {"clahe": "8", "clip": 2.0} if task == "CLAHE" else {}

    def setup(threads):
        def open_plan():
            plan = saccade.Equalize(shape=picture.shape, dtype="uint8", threads=threads, **options)
            out = numpy.empty_like(picture)
            return lambda: plan(picture, out)
        return open_plan

    yield Entry("saccade.Equalize", setup(1)), 0
    yield Entry("saccade.Equalize", setup(CORES), CORES), 0
    def in_one_call():
        return lambda: saccade.equalize(picture, **options)

    yield Entry("saccade.equalize, one call", in_one_call, CORES, once=True), 0


def bench_equalize(args):
    h, w = (96, 128) if args.small else (1080, 1920)
    rows = []
    for task, channels in (("gray", 1), ("RGB", 3), ("CLAHE", 1)):
        picture = scene(h, w, channels)
        entries, bounds = zip(*saccades_equalize(task, picture), *peers_of_equalize(task, picture))
        results = [entry.prepare().copy() for entry in entries]
        take_turns(entries, args.rounds)
        for entry, bound, result in zip(entries, bounds, results):
            scaled = result * 255 if result.dtype.kind == "f" else result.astype(float)  # skimage: 0 to 1
            off = abs(scaled - results[0])
            rows.append(entry.row(entries[0], part="equalize", task=task, largest=float(off.max()),
                                  mean=float(off.mean())))
            if bound is not None and off.max() > bound:
                sys.exit("python_peers.py: %s, %s: off by %g levels" % (task, entry.name, off.max()))
        table("Equalization, %s: %d x %d" % (task, w, h), rows[-len(entries):], {
            "entry": lambda r: r["entry"], "threads": lambda r: r["threads"],
            "run, ms": milliseconds("run_ns"), "run / saccade's": lambda r: "%.3g" % r["ratio"],
            "largest difference": lambda r: "%.2g" % r["largest"],
            "mean difference": lambda r: "%.2g" % r["mean"]})
    return rows


def main():
    parts = {"beamform": bench_beamform, "equalize": bench_equalize}
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0],
                                     description=__doc__.partition("\n\n")[2].partition("\n\n")[2].partition("\n\nSPDX")[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(parts))
    parser.add_argument("--data", default=os.environ.get("SACCADE_DATA", "../shared/data"))
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.rounds = args.rounds or (2 if args.small else 11)
    if set(args.only.split(",")) - set(parts):
        parser.error("--only: expected some of %s" % ", ".join(parts))
    if args.json and args.json != "-":
        try:
            open(args.json, "a", encoding="utf-8").close()  # before the work, not after it
        except OSError as error:
            sys.exit(f"saccade: {args.json}: {error.strerror}")
    info = saccade.info()
    rows = [row for part in args.only.split(",") for row in parts[part](args)]
    load_now = os.getloadavg()[0]
    print("\nsaccade %s, Python %s, %s cores; load of the machine at the end %.1f. Medians of %d rounds."
          % (info["version"], platform.python_version(), CORES, load_now, args.rounds))
    for why in sorted(set(MISSING)):
        print("Left out: %s." % why)
    if args.json:
        with sys.stdout if args.json == "-" else open(args.json, "w", encoding="utf-8") as file:
            json.dump({"info": info, "load": load_now, "rounds": args.rounds, "left_out": MISSING,
                       "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()

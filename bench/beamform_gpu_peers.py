#!/usr/bin/env python3
"""Delay-and-sum on one GPU by saccade, mach and ffdas, on the same data in the same run.

The configurations are rows of bench_beamform (docs/beamform.md, "Other configurations") that the peers can do. Each
program is given white noise in the GPU's memory in the order of axes that it takes, several copies of it in turn so
that no cache serves the next call, and the same elements, points, arrivals and aperture. A call is timed by events
around it; a waiting kernel before the first event hides what the host does until the launch. What is timed:

  saccade  a plan's call, which packs the data, too; in the tiers fp32 and fast, and for B with its LRIs kept
  mach     the sum of one launch a transmit, as it takes one at a time; it then waits for the GPU, which is in its time
  ffdas    a call, which packs the data in ALG2 and ALG4; ALG1, ALG2 and ALG4, each in fp32 and with fp16 storage

`times` is the median against saccade's in tier fp32, `error` the relative L2 difference from its result. A result
that differs by more than 1 % is not faster but wrong: it is marked.

It needs saccade's Python package of a build with CUDA, and CuPy. The peers are mach 0.1.3 (mach-beamform; Guan,
Rockhill and Pinton, BSD) and ffdas 0.1.1 (BrainEchoLab, MIT), which saccade does not have: build them as their own
pages say, for instance in build/peers, which git ignores, and name that folder in PYTHONPATH. One that is not there
is left out, and the table says so.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import fnmatch
import json
import math
import subprocess
import sys
from dataclasses import dataclass

import numpy

L2_BYTES = 256 << 20 # of all copies together: more than any GPU's cache holds
WAIT_NS = 2_000_000 # longer than a call takes the host
WRONG = 1e-2


@dataclass
class Configuration:
    """x, z: from, to and number of points; of a sector x is the angle. No pitch along y: a linear array."""
    frames: int
    transmits: int
    elements: int
    samples: int
    fs_hz: float
    fc_hz: float
    c_m_s: float
    pitch_m: float
    x: tuple
    z: tuple
    y: tuple = (0, 0, 1)
    is_rf: bool = False
    f_number: float = 0
    t0_s: float = 0
    angle_deg: float = 0
    matrix: int = 0
    sector: str = "" # "angle" or "range": which runs fastest


def a(frames, **changes):
    return Configuration(**dict(dict(
        frames=frames, transmits=1, elements=128, samples=334, fs_hz=6.6667e6, fc_hz=5e6, c_m_s=1480, pitch_m=298e-6,
        f_number=1, t0_s=9.95e-6, x=(-12.5e-3, 12.5e-3, 251), z=(10e-3, 35e-3, 251)), **changes))


def b(frames):
    return Configuration(
        frames=frames, transmits=3, elements=128, samples=8192, fs_hz=62.5e6, fc_hz=5e6, c_m_s=1540, pitch_m=300e-6,
        angle_deg=10, is_rf=True, x=(-19.05e-3, 19.05e-3, 256), z=(5e-3, 95e-3, 1024))


def c(frames):
    return Configuration(
        frames=frames, transmits=75, elements=128, samples=2048, fs_hz=20.832e6, fc_hz=5.208e6, c_m_s=1540,
        pitch_m=300e-6, angle_deg=16, f_number=1.75, x=(-18e-3, 18e-3, 387), z=(10e-3, 50e-3, 609))


def phased(fastest):
    return Configuration(
        frames=8, transmits=16, elements=64, samples=1024, fs_hz=8e6, fc_hz=3e6, c_m_s=1540, pitch_m=250e-6,
        angle_deg=30, x=(-math.pi / 4, math.pi / 4, 400), z=(5e-3, 90e-3, 400), sector=fastest)


def matrix(frames, f_number=0):
    return Configuration(
        frames=frames, transmits=1, elements=1024, samples=512, fs_hz=10e6, fc_hz=3e6, c_m_s=1540, pitch_m=300e-6,
        t0_s=10e-6, f_number=f_number, matrix=32, x=(-10e-3, 10e-3, 96), y=(-10e-3, 10e-3, 96), z=(10e-3, 40e-3, 96))


THIN = {"x": (0, 0, 1), "y": (-12.5e-3, 12.5e-3, 251)}
CONFIGURATIONS = {
    "A-8": a(8), "A-32": a(32), "A-33": a(33), "thin-8": a(8, **THIN), "thin-32": a(32, **THIN),
    "B-8": b(8), "B-32": b(32), "C-1": c(1), "C-32": c(32), "phased-angle": phased("angle"),
    "phased-range": phased("range"), "matrix-16": matrix(16), "matrix-16-f1": matrix(16, 1), "matrix-1": matrix(1),
}


def elements_of(k):
    """(elements, 3) m, around the origin, x running fastest."""
    n_x = k.matrix or k.elements
    i = numpy.arange(k.elements)
    x = (i % n_x - (n_x - 1) / 2) * k.pitch_m
    y = (i // n_x - (k.elements // n_x - 1) / 2) * k.pitch_m
    return numpy.stack([x, y, 0 * x], 1)


def points_of(k):
    """(points, 3) m in saccade's order: x running fastest, then y, then z."""
    axes = [numpy.linspace(*axis) for axis in (k.x, k.y, k.z)]
    order = "xyz" if k.sector == "range" else "zyx"
    x, y, z = (v.ravel() for v in numpy.meshgrid(*axes, indexing="ij")) if order == "xyz" else (
        v.ravel() for v in reversed(numpy.meshgrid(*axes[::-1], indexing="ij")))
    if k.sector:
        x, z = z * numpy.sin(x), z * numpy.cos(x)
    return numpy.stack([x, y, z], 1)


def angles_of(k):
    return math.radians(k.angle_deg) * (numpy.linspace(-1, 1, k.transmits) if k.transmits > 1 else numpy.zeros(1))


def source_of(angle):
    return numpy.array([15e-3 * math.sin(angle), 0, -15e-3 * math.cos(angle)])


def arrivals_of(k, points):
    """(transmits, points) seconds from the record's first sample: plane waves', or of a fan of virtual sources."""
    rows = []
    for angle in angles_of(k):
        if k.sector:
            source = source_of(angle)
            path = numpy.linalg.norm(points - source, axis=1) - numpy.linalg.norm(source)
        else:
            path = points[:, 0] * math.sin(angle) + points[:, 2] * math.cos(angle)
        rows.append(path / k.c_m_s - k.t0_s)
    return numpy.stack(rows)


class Clock:
    """Times of calls between events on the default stream."""

    def __init__(self, cupy, runs):
        self.cupy, self.runs = cupy, runs
        code = """extern "C" __global__ void pass_time(unsigned long long ns) {
            unsigned long long begin, now;
            asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
            do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - begin < ns);
        }"""
        self.kernel = cupy.RawKernel(code, "pass_time")

    def time(self, call):
        start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        self.kernel((1,), (1,), (numpy.uint64(WAIT_NS),))
        start.record()
        call()
        end.record()
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, end) * 1e6

    def measure(self, calls_of, n_buffers):
        """Nanoseconds of each run: calls_of(i) makes ready and lists the calls on buffer i, of which a run is."""
        for i in range(min(2, n_buffers)):
            for call in calls_of(i):
                call()
        return sorted(sum(self.time(call) for call in calls_of(i % n_buffers)) for i in range(self.runs))


class Work:
    """A configuration's data and geometry; data is (frames, transmits, elements, samples)."""

    def __init__(self, cupy, k, seed=1):
        self.cupy, self.k = cupy, k
        shape = (k.frames, k.transmits, k.elements, k.samples)
        random = cupy.random.RandomState(seed)
        if k.is_rf:
            self.data = random.uniform(-1, 1, shape, dtype=cupy.float32)
        else:
            self.data = cupy.empty(shape, cupy.complex64)
            for part in (self.data.real, self.data.imag):
                for frame in range(k.frames): # a large one leaves no room for another of its size
                    part[frame] = random.uniform(-1, 1, shape[1:], dtype=cupy.float32)
        self.elements, self.points = elements_of(k), points_of(k)
        self.arrivals = arrivals_of(k, self.points)
        self.n_buffers = min(32, max(1, -(-L2_BYTES // self.data.nbytes)))

    def f32(self, values):
        return self.cupy.asarray(values, dtype=self.cupy.float32)

    def copies(self, axes):
        """The data with its axes in that order, as many copies as are worked on in turn."""
        first = self.cupy.ascontiguousarray(self.data.transpose(axes))
        return [first] + [first.copy() for _ in range(self.n_buffers - 1)]


def saccade_plan(work, tier, lri, device="cuda"):
    import saccade
    k = work.k
    waves = [saccade.Transmit("diverging", source_m=tuple(source_of(v)), t0_s=k.t0_s) if k.sector else
             saccade.Transmit("plane", azimuth_rad=float(v), t0_s=k.t0_s) for v in angles_of(k)]
    probe = (saccade.Probe.matrix(k.matrix, k.elements // k.matrix, k.pitch_m, k.pitch_m) if k.matrix else
             saccade.Probe.linear(k.elements, k.pitch_m))
    acquisition = saccade.Acquisition(probe, waves, fs_hz=k.fs_hz, fc_hz=k.fc_hz, c_m_s=k.c_m_s)
    options = {"f_number": k.f_number, "apodization": "rect", "tier": tier, "lri": lri, "kind": "iq", "device": device}
    if k.is_rf:
        options["demodulate"] = "no"
    if k.sector:
        return saccade.Beamform(acquisition, points_m=work.points, **options)
    return saccade.Beamform(acquisition, saccade.Grid(x=k.x, y=k.y, z=k.z), **options)


def saccade_program(work, tier, lri=False):
    plan = saccade_plan(work, tier, lri)
    data = [work.data] + [work.data.copy() for _ in range(work.n_buffers - 1)]
    out = [plan(x) for x in data]
    result = out[0].reshape(work.k.frames, work.k.transmits if lri else 1, -1).sum(1)
    return result, lambda i: [lambda: plan(data[i], out[i])]


def mach_program(work):
    """It takes one transmit at a time: (elements, samples, frames), and adds to (points, frames)."""
    import mach
    k, cupy = work.k, work.cupy
    data = work.copies((1, 2, 3, 0))
    out = [cupy.zeros((len(work.points), k.frames), data[0].dtype) for _ in data]
    elements, points, arrivals = work.f32(work.elements), work.f32(work.points), work.f32(work.arrivals)
    options = {
        "rx_start_s": 0.0, # the arrivals are from the first sample: the phase then is, too
        "sampling_freq_hz": k.fs_hz, "f_number": k.f_number or 1e-6, "sound_speed_m_s": k.c_m_s,
        "modulation_freq_hz": 0.0 if k.is_rf else k.fc_hz, "tukey_alpha": 0.0}

    def calls(i):
        out[i].fill(0)
        return [lambda t=t: mach.beamform(data[i][t], elements, points, arrivals[t], out[i], **options)
                for t in range(k.transmits)]

    for call in calls(0):
        call()
    return out[0].T.copy(), calls


def ffdas_program(work, algorithm, half):
    """It takes (frames, elements, transmits, samples), lengths in samples' ways, and apertures as cones."""
    from ffdas._core import _ffdas as ffdas_core
    from ffdas._core.library import get_library_handle
    k, cupy = work.k, work.cupy
    data = work.copies((0, 2, 1, 3))
    scale = k.fs_hz / k.c_m_s
    elements, points = work.f32(work.elements * scale), work.f32(work.points * scale)
    offsets = work.f32(work.arrivals * k.fs_hz)
    weights, cones = cupy.ones_like(offsets), None
    if k.f_number:
        cones = work.f32([[0, 0, 1, 1 / math.hypot(1, 0.5 / k.f_number)]] * k.elements)
    out = [cupy.empty((k.frames, len(work.points)), data[0].dtype) for _ in data]
    compute = ffdas_core.ComputeType.FP16 if half else ffdas_core.ComputeType.FP32
    none = numpy.zeros(1, data[0].dtype) # of what is in `out`
    handle, wave = get_library_handle(), 0.0 if k.is_rf else 2 * math.pi * k.fc_hz / k.fs_hz

    def run(i): # what ffdas.das calls, which waits for the GPU before it
        ffdas_core.das(handle, data[i], elements, points, offsets, weights, cones, wave, none, out[i],
                       getattr(ffdas_core.Algorithm, algorithm), compute, False)

    run(0)
    return out[0].copy(), lambda i: [lambda: run(i)]


def programs():
    yield "saccade, fp32", "saccade", lambda w: saccade_program(w, "fp32")
    yield "saccade, fast", "saccade", lambda w: saccade_program(w, "fast")
    yield "saccade, fp32, LRIs kept", "saccade", lambda w: saccade_program(w, "fp32", True) if w.k.is_rf else None
    yield "mach", "mach", mach_program
    for algorithm in ("ALG1", "ALG2", "ALG4"):
        for half in (False, True):
            name = f"ffdas {algorithm}, {'fp16 storage' if half else 'fp32'}"
            yield name, "ffdas", lambda w, a=algorithm, h=half: ffdas_program(w, a, h)


def is_there(module):
    try:
        __import__(module)
        return True
    except ImportError as error:
        print(f"{module} is left out: {error}", file=sys.stderr)
        return False


def difference(cupy, got, want):
    """Relative L2; infinite for what is no number."""
    error = float(cupy.linalg.norm((got - want).ravel()) / cupy.linalg.norm(want.ravel()))
    return error if math.isfinite(error) else math.inf


def rows_of(cupy, clock, name, there, without, begins):
    work, want, usual = Work(cupy, CONFIGURATIONS[name]), None, None
    for program, module, make in programs():
        row = {"configuration": name, "program": program}
        if program in without:
            continue
        begins(program)
        if not there[module]:
            if program in ("mach", "ffdas ALG1, fp32"):
                yield {**row, "program": module, "skipped": "not installed"}
            continue
        try:
            made = make(work)
            if made is None:
                continue
            result, calls = made
            cupy.cuda.Device().synchronize()
            want = result if want is None else want
            ns = clock.measure(calls, work.n_buffers)
            usual = usual or ns[len(ns) // 2]
            row.update(median_ns=ns[len(ns) // 2], p10_ns=ns[len(ns) // 10], p90_ns=ns[-1 - len(ns) // 10],
                       runs=len(ns), times=ns[len(ns) // 2] / usual, error=difference(cupy, result, want))
        except Exception as error: # a program that refuses a configuration does not hold up the others
            row["skipped"] = " ".join(str(error).split())[:80] or type(error).__name__
        made = result = calls = None
        cupy.get_default_memory_pool().free_all_blocks()
        yield row


def line_of(row):
    head = f"{row['configuration']:<14}{row['program']:<28}"
    if "skipped" in row:
        return f"{head}skipped: {row['skipped']}"
    spread = f"{row['p10_ns'] / 1e6:.4g}-{row['p90_ns'] / 1e6:.4g}"
    wrong = "  WRONG" if row["error"] > WRONG else ""
    return f"{head}{row['median_ns'] / 1e6:9.4g} ms {spread:>20} {row['times']:7.2f}x {row['error']:9.2g}{wrong}"


def rows_inside(args, there):
    """The rows of one configuration, a line of JSON each, in a process that a program may take down."""
    import cupy

    def begins(program):
        print(json.dumps({"begins": program}), flush=True)

    for row in rows_of(cupy, Clock(cupy, args.runs), args.inside, there, args.without.split(";"), begins):
        print(json.dumps(row), flush=True)


def rows_outside(args, name):
    """The same by processes that end with what ends them: what was at work is left out of the next one."""
    done, code = [], 1
    while code and len(done) < len(list(programs())):
        command = [sys.executable, __file__, "--inside", name, "--without", ";".join(done[1:]), "--runs", str(args.runs)]
        at_work = None
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            for row in map(json.loads, child.stdout):
                at_work = row.get("begins")
                if not at_work and row["program"] not in done:
                    done.append(row["program"])
                    yield row
        code = child.returncode
        if code:
            yield {"configuration": name, "program": at_work or "?", "skipped": f"it ended its process ({code})"}
        if not at_work or at_work in done:
            return
        done.append(at_work)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", metavar="LIST", help="configurations, with commas between them: A-*,C-1")
    parser.add_argument("--runs", type=int, default=15, metavar="N", help="timed runs of each program (default 15)")
    parser.add_argument("--json", metavar="FILE", help="write the rows as JSON")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--without", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = [n for n in CONFIGURATIONS if any(fnmatch.fnmatch(n, p) for p in args.only.split(","))]
    if not names or args.runs < 3:
        parser.error(f"--only has none of {', '.join(CONFIGURATIONS)}" if not names else "--runs: at least 3")
    there = {module: is_there(module) for module in ("cupy", "saccade", "mach", "ffdas")}
    if not there["cupy"] or not there["saccade"]:
        sys.exit("beamform_gpu_peers: CuPy and saccade are needed (see --help)")
    if args.inside:
        return rows_inside(args, there)
    import cupy
    import saccade
    rows = []
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{device}, saccade {saccade.version}")
    print(f"{'configuration':<14}{'program':<28}{'median':>12} {'p10-p90, ms':>20} {'times':>8} {'error':>9}")
    for name in names:
        for row in rows_outside(args, name):
            rows.append(row)
            print(line_of(row), flush=True)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"device": device, "saccade": saccade.version, "rows": rows}, file, indent=2)
    sys.exit(not all("skipped" in r or r["error"] <= WRONG for r in rows if r["program"].startswith("saccade")))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""disk_must.py SACCADE: PWI_disk.mat by the defaults of `saccade beamform` against MUST's own steps.

MUST (Garcia, rf2iq and dasmtx) mixes down, keeps the pulse's band by a Butterworth filter of order 5 run forwards and
backwards, Wn = bandwidth fc / fs, and sums at f/1 without a window. The pictures, in dB over 30 dB, must correlate.
Ends with status 77 where SciPy or the file is missing.
SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    from scipy import io, signal
except ImportError:
    print("SKIPPED: SciPy is not installed")
    sys.exit(77)

N = 251
WANTED = 0.96
DATA = os.path.join(os.environ.get("SACCADE_DATA", "../shared/data"), "ultrasound", "PWI_disk.mat")


def must(path, n_frames):
    """(n_frames, N, N): the envelopes."""
    mat = io.loadmat(path)
    rf = mat["RF"][:, :, :n_frames].astype(float)
    fs, fc, c, t0, pitch, percent = (
        float(mat["param"][0, 0][name].squeeze()) for name in ("fs", "fc", "c", "t0", "pitch", "bandwidth")
    )
    n_samples, n_elements, _ = rf.shape
    t = t0 + numpy.arange(n_samples) / fs
    b, a = signal.butter(5, percent / 100 * fc / fs)
    iq = 2 * signal.filtfilt(b, a, rf * numpy.exp(-2j * numpy.pi * fc * t)[:, None, None], axis=0)
    x, z = numpy.meshgrid(numpy.linspace(-12.5e-3, 12.5e-3, N), numpy.linspace(10e-3, 35e-3, N))
    sum_ = numpy.zeros((n_frames, N, N), complex)
    for e in range(n_elements):
        dx = x - (e - (n_elements - 1) / 2) * pitch
        tau = (z + numpy.hypot(dx, z)) / c
        at = (tau - t0) * fs
        first = numpy.floor(at).astype(int)
        inside = (first >= 0) & (first < n_samples - 1) & (numpy.abs(dx) <= z / 2)
        first = numpy.where(inside, first, 0)
        turn = numpy.where(inside, numpy.exp(2j * numpy.pi * fc * tau), 0)
        for f in range(n_frames):
            record = iq[:, e, f]
            sum_[f] += turn * ((1 - (at - first)) * record[first] + (at - first) * record[first + 1])
    return numpy.abs(sum_)


def ours(program, path, n_frames, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "disk.npy")
        subprocess.run(
            [program, "beamform", path, "-o", out, "--grid", f"-12.5:12.5:{N},10:35:{N}", "--f-number", "1"]
            + ["--apodization", "rect", "--dynamic-range", "30", "--frames", f"0:{n_frames}", *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return numpy.load(out)


def main():
    if not os.path.exists(DATA):
        print(f"SKIPPED: no {DATA}")
        return 77
    n_frames = 8
    envelope = must(DATA, n_frames)
    peak = envelope.max(axis=(1, 2), keepdims=True)
    wanted = numpy.maximum(20 * numpy.log10(envelope / peak + 1e-30), -30)

    def least(*options):
        pictures = ours(sys.argv[1], DATA, n_frames, *options)
        return min(numpy.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in zip(pictures, wanted))

    default, named, wide = least(), least("--band", "0.75"), least("--band", "wide")
    print(f"correlation with MUST's picture: {default:.4f}; --band 0.75 {named:.4f}; --band wide {wide:.4f}")
    return 0 if default >= WANTED and named == default and wide < default else 1


sys.exit(main())

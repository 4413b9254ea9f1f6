"""What the tests of ultrasound files share: a point's echoes by a format's own conventions, and where saccade shows it.

Nothing of saccade's own code makes the echoes: each test says when the wave passes the point and when its record begins.
SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys

try:
    import h5py
    import numpy
    from scipy import io
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

__all__ = ["h5py", "io", "numpy", "os", "C", "FC", "FS", "N", "PITCH", "POINT", "SAMPLES", "beamform", "echoes", "expect",
           "linear", "refused", "run", "saccade", "shows_the_point"]

C, FC, FS, PITCH = 1540.0, 5e6, 20e6, 3e-4
N, SAMPLES = 48, 1024
POINT = numpy.array([2.1e-3, 0.0, 21e-3])  # m
SIGMA = 0.12e-6  # s: of the pulse's Gaussian envelope

saccade, read_ranges = sys.argv[1], sys.argv[3:]


def linear(n=N, pitch=PITCH):
    """(n, 3): elements along x, centered."""
    x = (numpy.arange(n) - (n - 1) / 2) * pitch
    return numpy.stack([x, 0 * x, 0 * x], axis=1)


def echoes(elements, passes, begins, fd=0.0, fs=FS, n=SAMPLES, point=POINT, c=C):
    """Records (transmits, elements, samples) of a point: the wave passes it at passes[t], the first sample is taken at
    begins[t], both in seconds on one clock. fd: IQ = low-pass(RF exp(-j 2 pi fd t)), t on that clock; 0: RF."""
    back = numpy.linalg.norm(point - elements, axis=1) / c
    arrival = numpy.asarray(passes)[:, None] + back
    t = numpy.asarray(begins)[:, None, None] + numpy.arange(n) / fs
    since = t - arrival[:, :, None]
    envelope = numpy.exp(-0.5 * (since / SIGMA) ** 2)
    if fd == 0:
        return envelope * numpy.cos(2 * numpy.pi * FC * since)
    return envelope * numpy.exp(2j * numpy.pi * (FC * since - fd * t))


def expect(good, what):
    if not good:
        print(f"FAIL: {what}")
        sys.exit(1)


def run(arguments):
    return subprocess.run([saccade, *arguments], capture_output=True, text=True, check=False)


def beamform(path, *options, grid="-1:5:121,18:24:241"):
    done = run(["beamform", path, "-o", "image.npy", "--grid", grid, "--kind", "envelope", "--interp", "cubic", *options])
    expect(done.returncode == 0, f"{path}: {done.stderr}")
    return numpy.load("image.npy"), done.stderr


def shows_the_point(path, n_echoes, *options, height=0.93, point=POINT):
    """All of the n_echoes add up, at the point's own place. Of RF, the pulse's skirts must not be filtered off. Some
    transmits alone are read as they are among all."""
    done = subprocess.run([*read_ranges, path], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, done.stderr)
    image, _ = beamform(path, "--f-number", "0", *options)
    frame = image[-1]
    z, x = numpy.unravel_index(frame.argmax(), frame.shape)
    place = numpy.array([-1e-3 + 5e-5 * x, 18e-3 + 2.5e-5 * z])
    off = numpy.abs(place - point[[0, 2]]).max()
    print(f"{path}: at {1e3 * place} mm, {frame.max() / n_echoes:.3f} of the echoes")
    expect(off < 8e-5, f"{path}: the point is {1e3 * off:.3f} mm off")
    expect(height < frame.max() / n_echoes < 1.02, f"{path}: {frame.max() / n_echoes:.3f} of the echoes add up")


def refused(path, *words, options=()):
    """One line, status 1 (2: an option's fault), each word in it."""
    done = run(["beamform", path, "-o", "image.npy", "--grid", "-1:5:11,18:24:11", *options])
    expect(done.returncode in (1, 2), f"{path} gave {done.returncode}: {done.stderr}")
    expect(done.stderr.count("\n") == 1, f"{path}: not one line: {done.stderr}")
    for word in words:
        expect(word in done.stderr, f"{path}: no `{word}` in: {done.stderr}")

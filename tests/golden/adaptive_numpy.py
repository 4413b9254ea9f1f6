#!/usr/bin/env python3
"""adaptive_numpy.py SACCADE: adaptive weights by `saccade beamform --reduction` against NumPy, and against theory.

Echoes are made here, in closed form: 32 elements, each fires once, all receive; points of a line, or speckle with a
cyst. The signals of the elements are computed in double and reduced by the formulas as they are published. Then what
theory says of the pictures: the width of a point, the coherence factor of speckle (Mallart and Fink 1994: 2/3) and its
short-lag coherence (van Cittert and Zernike: 1 - m/M of the signals), and that each form gains contrast.
Ends with status 77 where SciPy is missing.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy.special import hyp2f1
except ImportError:
    print("SKIPPED: SciPy is not installed")
    sys.exit(77)

C, FC, FS, N, PITCH, N_SAMPLES = 1540.0, 5.208e6, 20.832e6, 32, 0.15e-3, 170
T0 = 2 * 10.2e-3 / C
HALF = 19  # samples of half a pulse
ELEMENTS = (np.arange(N) - (N - 1) / 2) * PITCH
TIMES = T0 + np.arange(N_SAMPLES) / FS
DEPTH = 13e-3
LAMBDA = C / FC
faults = 0


def expect(good, text):
    global faults
    faults += not good
    print(("      " if good else "FAULT ") + text)


def echoes(places, amplitudes):
    """IQ (transmits, elements, samples) of pulses that are Gaussian, 0.4 of fc wide at -6 dB."""
    sigma = 2 * np.sqrt(np.log(2) / 2) / (np.pi * 0.4 * FC)
    iq = np.zeros((N, N, N_SAMPLES), complex)
    for (x, z), a in zip(places, amplitudes):
        one_way = np.hypot(x - ELEMENTS, z) / C
        tau = one_way[:, None] + one_way[None, :]
        first = np.clip(np.rint((tau - T0) * FS).astype(int) - HALF, 0, N_SAMPLES - 2 * HALF - 1)
        at = first[..., None] + np.arange(2 * HALF + 1)
        t = T0 + at / FS - tau[..., None]
        pulse = a * np.exp(-0.5 * (t / sigma) ** 2) * np.exp(-2j * np.pi * FC * (tau[..., None] - T0))
        np.put_along_axis(iq, at, np.take_along_axis(iq, at, 2) + pulse, 2)
    return iq


def signals(iq, x, z):
    """(points, transmits, elements), delayed and rotated; in the aperture of f/0, which is all."""
    one_way = np.hypot(x[:, None] - ELEMENTS, z[:, None]) / C
    out = np.empty((x.size, N, N), complex)
    for t in range(N):
        since = one_way[:, t : t + 1] + one_way - T0
        s = since * FS
        first = np.clip(np.floor(s).astype(int), 0, N_SAMPLES - 2)
        r = np.arange(N)[None, :]
        value = iq[t, r, first] * (1 - (s - first)) + iq[t, r, first + 1] * (s - first)
        out[:, t] = np.where((s >= 0) & (s <= N_SAMPLES - 1), value, 0) * np.exp(2j * np.pi * FC * since)
    return out


def cf(x):
    return np.abs(x.sum(-1)) ** 2 / (x.shape[-1] * (np.abs(x) ** 2).sum(-1)) * x.sum(-1)


def gcf(x, m0=2):
    power = np.abs(np.fft.fft(x, axis=-1)) ** 2
    low = power[..., : m0 + 1].sum(-1) + power[..., -m0:].sum(-1)
    return low / power.sum(-1) * x.sum(-1)


def scf(x):
    def part(y):
        return (1 - np.sqrt(1 - np.sign(y).mean(-1) ** 2)) * y.sum(-1)

    return part(x.real) + 1j * part(x.imag)


def dmas(x):
    y = (np.sqrt(np.abs(x)) * np.exp(1j * np.angle(x))).mean(-1)
    return x.shape[-1] * np.abs(y) ** 2 * np.exp(1j * np.angle(y))


def slsc(x, lags=9):
    u, m = x / np.abs(x), x.shape[-1]
    return sum((u[..., :-k] * u[..., k:].conj()).real.mean(-1) for k in range(1, lags + 1)) / lags


def mv(x, length=12, loading=0.01):
    m = x.shape[-1]
    parts = np.stack([x[..., k : k + length] for k in range(m - length + 1)], -1)
    r = parts @ parts.conj().swapaxes(-1, -2) / parts.shape[-1]
    trace = np.trace(r, axis1=-2, axis2=-1).real[..., None, None]
    w = np.linalg.solve(r + loading / length * trace * np.eye(length), np.ones((*x.shape[:-1], length, 1)))
    w /= w.sum(-2, keepdims=True)
    return m * (w.conj().swapaxes(-1, -2) @ parts.mean(-1, keepdims=True))[..., 0, 0]


FORMS = {
    "cf": (cf, 1e-4),
    "gcf:2": (gcf, 1e-4),
    "scf": (scf, 1e-2),  # signs turn where a signal is as small as its rounding
    "dmas": (dmas, 1e-4),
    "slsc:9": (slsc, 1e-3),
    "mv:12": (mv, 1e-3),
}


class Scene:
    """A recording in `folder`, and the command's pictures of it."""

    def __init__(self, folder, name, iq):
        self.path = os.path.join(folder, name + ".npy")
        np.save(self.path, iq.astype(np.complex64)[None])
        meta = {"fs_hz": FS, "fc_hz": FC, "fd_hz": FC, "c_m_s": C, "pitch_m": PITCH, "transmits": "sa", "t0_s": T0}
        with open(self.path[:-4] + ".json", "w") as f:
            json.dump(meta, f)

    def image(self, grid, *options):
        out = self.path[:-4] + "-out.npy"
        command = [sys.argv[1], "beamform", self.path, "-o", out, "--grid", grid, "--kind", "iq", "--f-number", "0"]
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
        return np.load(out)[0]


def compare(scene, iq):
    """Every form, over each choice of signals, to the formula."""
    x, z = (a.ravel() for a in np.meshgrid(np.linspace(-1.5e-3, 1.5e-3, 13), np.linspace(12e-3, 14e-3, 17)))
    s = signals(iq, x, z)
    for name, (form, bound) in FORMS.items():
        wanted = {"transmit": form(s).sum(1), "compound": form(s.sum(1))}
        if name in ("cf", "scf", "dmas"):
            wanted["all"] = form(s.reshape(x.size, -1))
        for over, want in wanted.items():
            got = scene.image("-1.5:1.5:13,12:14:17", "--reduction", name, "--reduction-over", over).ravel()
            error = np.linalg.norm(got - want) / np.linalg.norm(want)
            expect(error <= bound, f"{name} over {over}: relative error {error:.2g} of NumPy's, at most {bound}")


def width(scene, *options):
    """Of the point's lateral profile at half its magnitude, in mm."""
    profile = np.abs(scene.image("-1.5:1.5:1201,13:13:1", *options)).ravel()
    return 3.0 / 1200 * np.count_nonzero(profile >= profile.max() / 2)


def point(folder):
    scene = Scene(folder, "point", echoes([(0, DEPTH)], [1]))
    ways = ("transmit", "compound")
    das = width(scene)
    wanted = 0.886e3 * LAMBDA * DEPTH / (N * PITCH)  # sinc^2: both apertures
    expect(abs(das / wanted - 1) < 0.05, f"a point is {das:.3f} mm wide, by diffraction {wanted:.3f}")
    for name, most in {"cf": 0.8, "scf": 1, "dmas": 0.9, "mv:12": 0.5}.items():
        for over in ways:
            share = width(scene, "--reduction", name, "--reduction-over", over) / das
            expect(share <= most, f"{name} over {over}: {share:.2f} of that width, at most {most}")


def speckle(folder):
    random = np.random.default_rng(1)
    places = np.stack([random.uniform(-8e-3, 8e-3, 6000), random.uniform(10.8e-3, 15.2e-3, 6000)], 1)
    amplitudes = random.standard_normal(6000)
    amplitudes[np.hypot(places[:, 0] + 1e-3, places[:, 1] - DEPTH) < 0.9e-3] = 0
    iq = echoes(places, amplitudes)
    scene = Scene(folder, "speckle", iq)
    compare(scene, iq)
    grid = "-4:4:161,11.6:14.4:141"
    x, z = np.meshgrid(np.linspace(-4e-3, 4e-3, 161), np.linspace(11.6e-3, 14.4e-3, 141))
    r = np.hypot(x + 1e-3, z - DEPTH)
    inside, outside = r < 0.5e-3, r > 1.3e-3
    sums = scene.image(grid)

    def contrast(image):
        return 10 * np.log10((np.abs(image[inside]) ** 2).mean() / (np.abs(image[outside]) ** 2).mean())

    print(f"      contrast of the cyst: sum {contrast(sums):.1f} dB")
    for name, least in {"cf": 10, "gcf:1": 2, "scf": 10, "dmas": 5, "mv:12": 0}.items():
        gain = contrast(sums) - contrast(scene.image(grid, "--reduction", name, "--reduction-over", "compound"))
        expect(gain >= least, f"{name} gains {gain:.1f} dB of contrast, at least {least}")
    factor = np.abs(scene.image(grid, "--reduction", "cf", "--reduction-over", "compound") / sums)[outside]
    power = np.abs(sums[outside]) ** 2
    mean = power.sum() / (power / factor).sum()
    expect(abs(mean - 2 / 3) < 0.04, f"coherence factor of speckle {mean:.3f}, by theory 2/3")
    # Of signals with a correlation of rho, normalised one by one.
    rho = 1 - np.arange(1, 10) / N
    wanted = (np.pi / 4 * rho * hyp2f1(0.5, 0.5, 2, rho**2)).mean()
    lags = scene.image(grid, "--reduction", "slsc:9", "--reduction-over", "compound").real
    got = lags[outside].mean()
    expect(abs(got - wanted) < 0.03, f"short-lag coherence of speckle {got:.3f}, by theory {wanted:.3f}")
    expect(lags[inside].mean() < 0.5 * got, f"of the cyst {lags[inside].mean():.3f}")


with tempfile.TemporaryDirectory() as temporary:
    point(temporary)
    speckle(temporary)
sys.exit(1 if faults else 0)

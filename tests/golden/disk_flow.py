#!/usr/bin/env python3
"""disk_flow.py SACCADE: color Doppler of PWI_disk.mat, a disk that turns as a solid body.

Velocities are those of MUST's formula (iq2doppler, Garcia), by NumPy of the same images; and along the beam those of
a solid rotation: linear in x, the same at all depths, 0 on the axis. The SVD filter's are those of NumPy's SVD.
Ends with status 77 where NumPy or the file is missing.
SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("SKIPPED: NumPy is not installed")
    sys.exit(77)

N = 126
DATA = os.path.join(os.environ.get("SACCADE_DATA", "../shared/data"), "ultrasound", "PWI_disk.mat")
C, PRF, FC = 1480, 10000, 5e6
faults = 0


def expect(good, what):
    global faults
    print("ok  " if good else "FAIL", what)
    faults += not good


def saccade(out, *command):
    run = [sys.argv[1], *command, "--grid", f"-12.5:12.5:{N},10:35:{N}", "--f-number", "1", "-o", out]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    return numpy.load(out)


def must(iq, lag=1):
    """iq2doppler: velocity and its variance of (frames, z, x)."""
    nyquist = C * PRF / 4 / FC / lag
    ac = (iq[:-lag] * numpy.conj(iq[lag:])).mean(axis=0)
    power = (numpy.abs(iq) ** 2).mean(axis=0)
    velocity = -nyquist * numpy.imag(numpy.log(ac)) / numpy.pi
    return velocity, 2 * (nyquist / numpy.pi) ** 2 * numpy.maximum(1 - numpy.abs(ac) / power, 0)


def without_largest(iq, k):
    casorati = iq.reshape(len(iq), -1).T
    u, s, v = numpy.linalg.svd(casorati, full_matrices=False)
    s[:k] = 0
    return ((u * s) @ v).T.reshape(iq.shape), u


def main():
    if not os.path.exists(DATA):
        print(f"SKIPPED: no {DATA}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "flow.npy")
        flow = lambda *options: saccade(name, "flow", DATA, *options)[0]
        iq = saccade(name, "beamform", DATA, "--kind", "iq").astype(complex)
        for lag in (1, 2):
            velocity, variance = must(iq, lag)
            got = flow("--lag", str(lag))
            expect(numpy.abs(got - velocity).max() < 1e-5, f"lag {lag}: MUST's velocities, {numpy.abs(got - velocity).max():.1e} m/s")
            got = flow("--lag", str(lag), "--kind", "variance")
            expect(numpy.abs(got - variance).max() < 1e-5, f"lag {lag}: MUST's variances")
        power = (numpy.abs(iq) ** 2).mean(axis=0)
        got = flow("--kind", "power", "--dynamic-range", "100")
        expect(numpy.abs(got - 10 * numpy.log10(power / power.max())).max() < 1e-3, "power in dB")

        filtered, _ = without_largest(iq, 3)
        got = flow("--kind", "power", "--scale", "linear", "--filter", "svd:3")
        wanted = (numpy.abs(filtered) ** 2).mean(axis=0)
        expect(numpy.abs(got - wanted).max() < 1e-4 * wanted.max(), "power without the 3 largest components")
        got = flow("--kind", "power", "--scale", "linear", "--filter", "polynomial:2")
        t = numpy.linspace(-1, 1, len(iq))
        q, _ = numpy.linalg.qr(numpy.stack([t**0, t, t**2], axis=1))
        flat = iq.reshape(len(iq), -1)
        wanted = (numpy.abs(flat - q @ (q.T @ flat)) ** 2).mean(axis=0).reshape(power.shape)
        expect(numpy.abs(got - wanted).max() < 1e-4 * wanted.max(), "power without polynomials of order 2")

        velocity = flow("--average", "5")
        x, z = numpy.meshgrid(numpy.linspace(-12.5e-3, 12.5e-3, N), numpy.linspace(10e-3, 35e-3, N))
        inside = (numpy.hypot(x + 0.7e-3, z - 23.5e-3) < 8e-3) & (numpy.abs(velocity) < 0.6)
        fit, residual, *_ = numpy.linalg.lstsq(
            numpy.stack([x[inside], z[inside], numpy.ones(inside.sum())], axis=1), velocity[inside], rcond=None
        )
        deviation = numpy.sqrt(residual[0] / inside.sum())
        print(f"rotation {-fit[0]:.1f} rad/s, of z {fit[1]:.2f} 1/s, deviation {deviation:.4f} m/s, axis at {-1e3 * fit[2] / fit[0]:.2f} mm less z's part")
        expect(-68 < fit[0] < -55, "turns clockwise, at 55 to 68 rad/s")
        expect(abs(fit[1]) < 0.02 * abs(fit[0]), "velocity does not depend on depth")
        expect(deviation < 0.02, "velocity is linear in x")
    return faults > 0


sys.exit(main())

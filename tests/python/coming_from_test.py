"""docs/coming-from.md: every line of Python runs, and results differ by what the page says.

A block ```python NAME and the first column of a table's code are the peer's: they run where it is installed.
SPDX-License-Identifier: Apache-2.0
"""
import importlib
import os
import pathlib
import re
import unittest
import warnings

import numpy as np

import saccade
from left_out import left_out
from support import folder, write_pnm

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
REAL = os.path.join(os.environ.get("SACCADE_DATA", "../shared/data"), "ultrasound", "PWI_disk.mat")


def section(name):
    return re.search(r"^## %s\n(.*?)(?=^## |\Z)" % re.escape(name), PAGE, re.M | re.S)[1]


def blocks(name):
    """The code of a section: (peer or nothing, text)."""
    return re.findall(r"^```python ?(\w*)\n(.*?)^```$", section(name), re.M | re.S)


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        left_out("lines of docs/coming-from.md: %s" % error)
        return None


def run(text, names):
    """Runs statements; the value of the last one, if that is an expression."""
    *before, last = text.split("; ")
    exec("\n".join(before), names)
    return eval(last, names)


def l2(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def scene(shape, shift=0, seed=1):
    y, x = np.mgrid[0:shape[0], 0:shape[1]]
    base = 90 + 50 * np.sin((x - shift) / 37) * np.cos(y / 21)
    planes = [base * share for share in (1, 0.8, 0.6)[:shape[2] if len(shape) == 3 else 1]]
    noise = np.random.default_rng(seed).normal(0, 5, shape)
    return (np.stack(planes, 2).reshape(shape) + noise).clip(0, 255).astype("uint8")


class Tables(unittest.TestCase):
    """OpenCV and scikit-image: a row is a job, its code there and here, and the difference."""

    def compare(self, row, there, here, text):
        if there.dtype.kind == "f" and here.dtype.kind == "u" and here.dtype != np.uint64:
            there = there * np.iinfo(here.dtype).max
        off = abs(there.astype(float) - here)
        if "inside" in text:
            off = off[2:-2, 2:-2]
        bound = re.match(r"none|at most (\d+) level", text)
        if bound:
            self.assertLessEqual(off.max(), float(bound[1] or 0), row)
        else:
            self.assertIn("another method", text)

    def run_tables(self, name, modules):
        with folder() as path:
            write_pnm(path + "/a.ppm", scene((240, 320, 3), seed=3))
            picture = scene((240, 320))
            inputs = {"np": np, "saccade": saccade, "picture": picture, "rgb": scene((240, 320, 3)),
                      "previous": picture, "frame": scene((240, 320), 4, 2), "path": path + "/a.ppm",
                      "picture16": picture.astype("u2") * 200, "out": np.empty((240, 320), "u1")}
            rows = re.findall(r"^\| ([^|]*) \| `([^|]*)` \| `([^|]*)` \| ([^|]*) \|$", section(name), re.M)
            self.assertGreater(len(rows), 5)
            for job, there, here, text in rows:
                with self.subTest(job=job), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = run(here, inputs).copy()
                    if all(modules.values()):
                        self.compare(job, run(there, {**inputs, **modules}), result, text)

    def test_opencv(self):
        self.run_tables("OpenCV", {"cv2": module("cv2")})

    def test_scikit_image(self):
        parts = ("exposure", "color", "filters", "io")
        missing = module("skimage") is None
        modules = {part: None if missing else importlib.import_module("skimage." + part) for part in parts}
        self.run_tables("scikit-image", modules)


def disk(scipy_io, path):
    """PWI_disk.mat: the real one, or noise in its form."""
    if os.path.exists(REAL):
        os.symlink(os.path.abspath(REAL), path)
        return True
    left_out("the real PWI_disk.mat: no %s" % REAL)
    rf = (1000 * np.random.default_rng(1).standard_normal((334, 128, 2))).astype("i2")
    scipy_io.savemat(path, {"RF": rf, "param": {
        "fs": 20e6 / 3, "pitch": 298e-6, "fc": 5e6, "c": 1480.0, "t0": 9.95e-6, "width": 262e-6,
        "Nelements": 128, "TXdelay": np.zeros(128), "bandwidth": 15.0, "PRF": 1e4}})
    return False


def rf2iq(signal, rf, a):
    """PyMUST's formula."""
    t = np.arange(len(rf)) / a.fs_hz + a.transmits[0].t0_s
    low_pass = signal.butter(5, a.fc_hz * a.bandwidth / a.fs_hz)
    return 2 * signal.filtfilt(*low_pass, rf * np.exp(-2j * np.pi * a.fc_hz * t)[:, None, None], axis=0)


class PyMUST(unittest.TestCase):
    def test_lines_run_and_agree(self):
        scipy_io, signal, pymust = module("scipy.io"), module("scipy.signal"), module("pymust")
        if not scipy_io:
            return
        (_, there), (_, here), (_, from_iq), (_, waves) = blocks("PyMUST")
        names = {"np": np, "saccade": saccade, "scipy": importlib.import_module("scipy"), "pymust": pymust}
        with folder() as path:
            real = disk(scipy_io, path + "/PWI_disk.mat")
            there, here = (text.replace("PWI_disk.mat", path + "/PWI_disk.mat") for text in (there, here))
            try:
                saccade.read_recording(path + "/PWI_disk.mat")
            except saccade.UnsupportedError as error:
                left_out(error)
                return
            exec(here, names)
            bf, gray, recording = names["bf"], names["B"], names["recording"]
        self.assertEqual((bf.shape[1:], gray.dtype), ((251, 251), np.uint8))
        rf = recording.samples[:, 0].transpose(2, 1, 0).astype(float)
        names["IQ"] = rf2iq(signal, rf, recording.acquisition)
        if pymust:
            with folder() as path:
                disk(scipy_io, path + "/PWI_disk.mat")
                exec(there.replace(re.search(r'"([^"]*)/PWI_disk', there)[1], path), names)
            self.assertEqual(names["B"].shape, gray.shape[1:])
        exec(from_iq, names)
        if pymust:
            self.assertLess(l2(names["from_iq"], np.moveaxis(names["bf"], 2, 0)), 1e-3)
        if real:
            correlation = np.corrcoef(abs(bf).ravel(), abs(names["from_iq"]).ravel())[0, 1]
            self.assertAlmostEqual(correlation, 0.90, delta=0.005)
        self.check_waves(waves, names)

    def check_waves(self, text, names):
        exec(text, names)
        images = []
        for wave in (names["by_delays"], names["by_angle"]):
            a = saccade.Acquisition(names["probe"], [wave], fs_hz=30e6, fc_hz=7.6e6, bandwidth=0.77)
            if not images:
                rf = saccade.simulate_ultrasound(a, [(0, 0, 20e-3, 1), (5e-3, 0, 25e-3, 1)], 1400)
            grid = saccade.Grid(x=(-8e-3, 8e-3, 161), z=(15e-3, 30e-3, 201))
            images.append(saccade.beamform(rf, a, grid, kind="envelope"))
        self.assertLess(l2(images[1], images[0]), 0.02)
        found = saccade.measure_point(images[1], grid, (5e-3, 0, 25e-3), 1e-3, kind="envelope")
        self.assertLess(found["error_m"], 1e-4)


def mach_formula(data, elements, points, arrivals, fs, fc, f_number, c, alpha):
    """The image of mach's kernel, (points, frames): linear interpolation, Tukey window, rotation."""
    dx, dz = points[:, None, 0] - elements[None, :, 0], points[:, None, 2] - elements[None, :, 2]
    tau = arrivals[:, None] + np.hypot(dx, dz) / c
    u = 2 * f_number * abs(dx) / points[:, None, 2]
    window = np.where(u <= 1 - alpha, 1, 0.5 * (1 + np.cos(np.pi * (u - 1 + alpha) / alpha))) * (u <= 1)
    s = tau * fs
    first = np.floor(s).astype(int)
    part = (s - first)[..., None]
    inside = (first >= 0) & (first < data.shape[1] - 1)
    first = np.where(inside, first, 0)
    r = np.arange(len(elements))[None, :]
    sample = (1 - part) * data[r, first] + part * data[r, first + 1]
    return np.einsum("pr,prf->pf", window * inside * np.exp(2j * np.pi * fc * tau), sample)


class Mach(unittest.TestCase):
    def test_lines_run_and_agree_with_machs_formula(self):
        (peer, there), (_, here) = blocks("mach")
        self.assertEqual(peer, "mach")
        compile(there, "coming-from.md", "exec")  # it needs a GPU to run
        rng = np.random.default_rng(1)
        probe = saccade.Probe.linear(32, 0.3e-3)
        points = np.zeros((400, 3))
        points[:, 0], points[:, 2] = rng.uniform(-5e-3, 5e-3, 400), rng.uniform(5e-3, 20e-3, 400)
        data = rng.standard_normal((32, 200, 6), np.float32).view("complex64")
        arrivals = points[:, 2] / 1540
        names = {"saccade": saccade, "probe": probe, "points": points, "arrivals": arrivals,
                 "channel_data": data}
        exec(here, names)
        want = mach_formula(data, probe.positions_m, points, arrivals, 5e6, 5e6, 1.5, 1540, 0.5)
        self.assertLess(l2(names["image"].T, want), 1e-3)


if __name__ == "__main__":
    unittest.main()

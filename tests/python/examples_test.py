"""Each program of examples/python runs, and gives what the command gives.

SPDX-License-Identifier: Apache-2.0
"""
import importlib.util
import pathlib
import subprocess
import sys
import unittest

import numpy

import saccade
from left_out import left_out
from support import folder, picture, read_pnm, run_command, write_pnm

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


def run(name, *args):
    """What an example prints."""
    words = [sys.executable, EXAMPLES / (name + ".py"), *map(str, args)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError("%s.py: %s" % (name, done.stderr))
    return done.stdout


def clip(path, n=6, h=48, w=64):
    """A still scene and a square that moves, as Y4M with its colors as they are."""
    frames = numpy.full((n, 3, h, w), 90, "u1")
    frames += numpy.random.default_rng(1).integers(0, 9, frames.shape, "u1")
    for i, frame in enumerate(frames):
        frame[:, 10:22, 7 * i:7 * i + 12] = [[[210]], [[100]], [[150]]]
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C444\n" % (w, h))
        for frame in frames:
            file.write(b"FRAME\n" + frame.tobytes())


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = folder()
        self.addCleanup(self.folder.cleanup)

    def at(self, name):
        return "%s/%s" % (self.folder.name, name)

    def test_equalize(self):
        write_pnm(self.at("in.ppm"), picture((48, 64, 3)))
        run("equalize", self.at("in.ppm"), self.at("out.ppm"))
        run_command("equalize", self.at("in.ppm"), "-o", self.at("want.ppm"))
        numpy.testing.assert_array_equal(read_pnm(self.at("out.ppm")), read_pnm(self.at("want.ppm")))

    def test_beamform(self):
        probe = saccade.Probe.linear(16, 0.3e-3)
        acquisition = saccade.Acquisition(probe, "plane:1:0", fs_hz=20e6, fc_hz=5e6, bandwidth=0.6)
        points = saccade.phantom("points", first_m=(-2e-3, 0, 6e-3), last_m=(2e-3, 0, 9e-3))
        rf = saccade.simulate_ultrasound(acquisition, points, 300)
        try:
            saccade.write_recording(self.at("in.npy"), rf[None], acquisition)
        except saccade.UnsupportedError as error:
            left_out(error)
        else:
            run("beamform", self.at("in.npy"), self.at("out.pgm"))
            run_command("beamform", self.at("in.npy"), "--kind", "gray", "--dynamic-range", "60", "-o",
                        self.at("want.npy"))
            numpy.testing.assert_array_equal(read_pnm(self.at("out.pgm")), numpy.load(self.at("want.npy"))[0])
        self.assertIn("2 frames", run("beamform", self.at("simulated.pgm")))
        self.assertEqual(read_pnm(self.at("simulated.pgm")).max(), 255)

    def test_motion(self):
        clip(self.at("in.y4m"))
        self.assertEqual(run("motion", self.at("in.y4m"), self.at("out.y4m")), "5 pictures\n")
        run_command("heatmap", self.at("in.y4m"), "-o", self.at("want.y4m"))
        frames = []
        for name in ("out.y4m", "want.y4m"):
            with saccade.VideoReader(self.at(name)) as reader:
                frames.append(numpy.stack(list(reader)))
        # The command draws the first frame, too: blank.
        numpy.testing.assert_array_equal(frames[0], frames[1][1:])

    def test_meltpool(self):
        said = run("meltpool", 600, self.at("out.csv"))
        self.assertIn("600 frames", said)
        frames, signals, truth = saccade.simulate_meltpool(600)
        try:
            saccade.write_frames(self.at("b.h5"), frames, signals, truth, "simulated", 20000.0)
        except saccade.UnsupportedError as error:
            left_out(error)
            return
        run_command("meltpool", self.at("b.h5"), "-o", self.at("want.csv"))
        with open(self.at("out.csv"), "rb") as out, open(self.at("want.csv"), "rb") as want:
            self.assertEqual(out.read(), want.read())

    def test_delta(self):
        try:
            saccade.DeltaEncoder(shape=(8, 8))
        except saccade.UnsupportedError as error:
            left_out(error)
            return
        clip(self.at("in.y4m"))
        said = run("delta", self.at("in.y4m"), self.at("out.sdv"), 0)
        self.assertIn("6 frames, 1 of them keyframes", said)
        self.assertIn("largest error of a sample: 0\n", said)
        run("delta", self.at("in.y4m"), self.at("out.sdv"))
        run_command("delta", "decode", self.at("out.sdv"), "-o", self.at("back.y4m"))
        pairs = list(zip(saccade.VideoReader(self.at("back.y4m")), saccade.VideoReader(self.at("in.y4m"))))
        self.assertEqual(len(pairs), 6)
        for a, b in pairs:
            self.assertLessEqual(abs(a.astype(int) - b).max(), 20)

    def test_torch(self):
        if importlib.util.find_spec("torch") is None:
            left_out("the example with PyTorch: no module torch")
            return
        self.assertIn(" x ", run("beamform_torch", self.at("out.pgm")))
        self.assertEqual(read_pnm(self.at("out.pgm")).max(), 255)

    def test_errors_are_one_line(self):
        for path in EXAMPLES.glob("*.py"):
            lines = path.read_text().splitlines()
            self.assertLess(len(lines), 60, path.name)
            if path.stem in ("equalize", "beamform", "motion", "delta"):
                done = subprocess.run([sys.executable, path, self.at("none.y4m"), self.at("out.y4m")],
                                      capture_output=True, text=True)
                with self.subTest(example=path.name):
                    self.assertEqual(done.returncode, 1)
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                    self.assertIn("none.y4m", done.stderr)


if __name__ == "__main__":
    unittest.main()

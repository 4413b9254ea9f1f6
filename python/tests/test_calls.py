"""Calls: no copies, no growth of memory, and whatever is passed in is an exception or a result."""
import gc
import resource
import subprocess
import sys
import unittest

import numpy

import saccade
from saccade import _core
from support import Tensor, layouts, picture
from test_motion import clip


def resident_kib():
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))


class Copies(unittest.TestCase):
    def test_the_library_gets_the_callers_memory(self):
        for dtype in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"):
            array = numpy.zeros((6, 8, 3), dtype)
            for name, view in layouts(array):
                with self.subTest(dtype=dtype, layout=name):
                    expected = (view.__array_interface__["data"][0], numpy.dtype(dtype).name,
                                list(view.shape),
                                list(view.strides))
                    self.assertEqual(_core.view(view), expected)
                    if name != "read-only":  # NumPy exports none of those
                        self.assertEqual(_core.view(Tensor(view)), expected)

    def test_a_large_picture_is_not_copied(self):
        pixels = numpy.zeros((8192, 8192), "u1")
        pixels[::2] = 7
        out = numpy.ones_like(pixels)
        with saccade.Equalize(threads=1) as plan:
            plan(pixels[:64], out=out[:64])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with saccade.Equalize(threads=1) as plan:
            plan(pixels, out=out)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 32 * 1024)


class Growth(unittest.TestCase):
    """Resident memory stays flat over 10^5 calls."""

    def flat(self, call, n):
        for _ in range(n // 10):
            call()
        gc.collect()
        before = resident_kib()
        for _ in range(n):
            call()
        gc.collect()
        self.assertLess(resident_kib() - before, 2048, "KiB more after %d calls" % n)

    def test_runs_keep_nothing(self):
        pixels = picture((12, 16, 3))
        out = numpy.empty_like(pixels)
        plan, heatmap = saccade.Equalize(threads=1), saccade.Heatmap(threads=1)
        tensor = Tensor(pixels)
        self.flat(lambda: plan(pixels), 30000)
        self.flat(lambda: plan(pixels, out=out), 20000)
        self.flat(lambda: plan(tensor), 10000)
        self.flat(lambda: heatmap(pixels), 20000)

    def test_errors_keep_nothing(self):
        pixels = picture((12, 16, 3))
        plan = saccade.Equalize(threads=1)
        plan(pixels)
        wrong = pixels[:5]

        def fails():
            for args, kwargs in (((wrong,), {}), ((pixels, wrong), {}), ((None,), {}), ((pixels, 3), {})):
                try:
                    plan(*args, **kwargs)
                except (ValueError, TypeError):
                    pass

        self.flat(fails, 5000)

    def test_plans_and_streams_keep_nothing(self):
        pixels = picture((12, 16, 3))
        frames, signals, _ = saccade.simulate_meltpool(4)
        plan = saccade.Meltpool(threads=1)
        probe = saccade.Probe.linear(4, 3e-4)
        a = saccade.Acquisition(probe, "plane:2:5", 20e6, 5e6)
        grid = saccade.Grid(z=(1e-3, 5e-3, 8))
        rf = numpy.ones((2, 4, 64), "f4")
        self.flat(lambda: saccade.equalize(pixels, threads=1, clip=1.5), 3000)
        self.flat(lambda: plan(frames, signals), 3000)
        self.flat(lambda: saccade.beamform(rf, a, grid, threads=1), 1500)

    def test_packets_keep_nothing(self):
        frames = clip(2)
        try:
            encoder = saccade.DeltaEncoder(threads=1)
            encoder(frames[0], 0)
        except saccade.UnsupportedError as error:
            self.skipTest(str(error))
        decoder = saccade.DeltaDecoder(threads=1)
        self.flat(lambda: decoder(encoder(frames[1], 0)), 5000)


class Fuzz(unittest.TestCase):
    def test_random_calls_end_in_results_or_exceptions(self):
        script = __file__.replace("test_calls", "fuzz_calls")
        done = subprocess.run([sys.executable, script, "4000", "1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()

"""saccade.Beamform, recordings and the simulator: the bytes of the command and of files."""
import os
import signal
import threading
import time
import unittest

import numpy

import saccade
from support import Tensor, folder, run_command

PROBE = saccade.Probe.linear(32, 0.3e-3, 0.27e-3)


def acquisition(transmits="plane:3:8", **fields):
    return saccade.Acquisition(PROBE, transmits, **{"fs_hz": 20e6, "fc_hz": 5e6, "bandwidth": 0.33, **fields})


def channels(a, n_samples=600, frames=2):
    points = saccade.phantom("points", first_m=(-4e-3, 0, 8e-3), last_m=(4e-3, 0, 18e-3))
    rf = [saccade.simulate_ultrasound(a, points, n_samples, noise_db=40, seed=i) for i in range(frames)]
    return numpy.stack(rf)


GRID = saccade.Grid(x=(-4e-3, 4e-3, 40), z=(6e-3, 20e-3, 90))
WORDS = ["--grid", "-4:4:40,6:20:90"]


class Bytes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder()
        cls.a = acquisition()
        cls.rf = channels(cls.a)
        cls.path = cls.folder.name + "/in.npy"
        saccade.write_recording(cls.path, cls.rf, cls.a)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def by_command(self, path, *words):
        out = self.folder.name + "/out.npy"
        run_command("beamform", path, "-o", out, *words)
        return numpy.load(out)

    def test_every_option_is_the_command(self):
        iq = (self.rf[..., ::2] + 1j * self.rf[..., 1::2]).astype("c8")
        i16 = (self.rf / abs(self.rf).max() * 30000).astype("i2")
        data = {"f4": (self.rf, self.a), "i2": (i16, self.a),
                "c8": (iq, acquisition(fs_hz=10e6, fd_hz=5e6))}
        for name, (samples, a) in data.items():
            path = "%s/%s.npy" % (self.folder.name, name)
            saccade.write_recording(path, samples, a)
            for options in ({}, {"f_number": 1.0}, {"kind": "iq", "interp": "cubic"}, {"kind": "envelope"},
                            {"kind": "gray", "dynamic_range": 40}, {"apodization": "hann", "lri": True},
                            {"outside": "clamp", "threads": 2}, {"tier": "exact", "kind": "iq"}):
                words = list(WORDS)
                for key, value in options.items():
                    words += ["--" + key.replace("_", "-")] + ([] if value is True else [str(value)])
                with self.subTest(data=name, options=options):
                    expected = self.by_command(path, *words)
                    got = saccade.beamform(samples, a, GRID, **options)
                    self.assertEqual(got.dtype, expected.dtype)
                    numpy.testing.assert_array_equal(got, expected)

    def test_the_default_grid_is_the_command(self):
        recording = saccade.read_recording(self.path)
        numpy.testing.assert_array_equal(saccade.beamform(recording), self.by_command(self.path))
        plan = saccade.Beamform(self.a)
        self.assertIsNone(plan.grid)
        plan(self.rf)
        self.assertEqual(plan.grid, saccade.Grid.default(self.a, self.rf.shape[3]))
        everything, active = plan.points()
        self.assertGreater(everything, active)

    def test_sectors_are_the_command(self):
        path = self.folder.name + "/sector.npy"
        for probe in (saccade.Probe.curved(32, 30e-3, 0.5e-3), saccade.Probe.linear(32, 0.15e-3)):
            a = saccade.Acquisition(probe, "diverging:3:5", fs_hz=20e6, fc_hz=5e6, bandwidth=0.33)
            rf = channels(a, 700)
            saccade.write_recording(path, rf, a)
            sector = saccade.Grid.suit(a, 700)
            self.assertIsInstance(sector, saccade.Sector)
            polar = saccade.beamform(rf, a, sector)
            numpy.testing.assert_array_equal(polar, self.by_command(path))
            with saccade.Beamform(a, sector, picture="auto") as plan:
                shown = plan(rf)
                self.assertEqual((plan.grid, plan.picture), (sector, sector.picture()))
            numpy.testing.assert_array_equal(shown, self.by_command(path, "--picture", "auto"))
            of_part = saccade.Grid(x=(-5e-3, 5e-3, 30), z=(8e-3, 20e-3, 40))
            numpy.testing.assert_array_equal(saccade.beamform(rf, a, sector, picture=of_part),
                                             self.by_command(path, "--picture", "-5:5:30,8:20:40"))
        self.assertEqual(saccade.Grid.suit(self.a, 600), saccade.Grid.default(self.a, 600))
        with self.assertRaisesRegex(saccade.InvalidError, "picture: is for a saccade.Sector"):
            saccade.beamform(self.rf, self.a, GRID, picture="auto")

    def test_measures_of_a_sector_are_along_its_arcs(self):
        a = saccade.Acquisition(saccade.Probe.curved(64, 30e-3, 0.3e-3), "plane:1:0", fs_hz=20e6, fc_hz=5e6,
                                bandwidth=0.5)
        target = (0.0, 0.0, 15e-3)
        rf = saccade.simulate_ultrasound(a, [target + (1.0,)], 700)
        sector = saccade.Sector((-0.2, 0.2, 201), depth=(12e-3, 18e-3, 241), apex_m=(0, 0, -30e-3), radius_m=30e-3)
        image = saccade.beamform(rf, a, sector, kind="envelope")
        m = saccade.measure_point(image, sector, target, 2e-3, kind="envelope")
        self.assertLess(m["error_m"], 0.1e-3)
        self.assertGreater(m["width_m"][0], m["width_m"][2])
        path = self.folder.name + "/polar.h5"
        saccade.write_image(path, image[None], sector, "envelope")
        got = saccade.read_image(path)
        self.assertEqual(got.grid, sector)
        numpy.testing.assert_array_equal(got.samples[0], image)

    def test_transmits_are_the_command(self):
        for text in ("plane:1:0", "diverging:3:5", "focused:2:20", "sa"):
            a = acquisition(text)
            rf = channels(a, 500, 1)
            path = self.folder.name + "/t.npy"
            saccade.write_recording(path, rf, a)
            expected = self.by_command(path, *WORDS)
            with self.subTest(transmits=text):
                numpy.testing.assert_array_equal(saccade.beamform(rf, a, GRID), expected)
                numpy.testing.assert_array_equal(saccade.beamform(rf[0], a, GRID), expected[0])

    def test_layouts_are_the_same(self):
        expected = saccade.beamform(self.rf, self.a, GRID)
        inner = numpy.ascontiguousarray(numpy.moveaxis(self.rf, 0, 3))
        with saccade.Beamform(self.a, GRID, layout="frames_inner") as plan:
            numpy.testing.assert_allclose(plan(inner), expected, atol=1e-2)
        wide = numpy.empty((4, 6, 64, 600), "f4")
        strided = wide[::2, ::2, 1::2]
        strided[...] = self.rf
        flipped = numpy.ascontiguousarray(self.rf[:, :, ::-1])[:, :, ::-1]
        read_only = self.rf.copy()
        read_only.setflags(write=False)
        for view in (strided, flipped, read_only, numpy.asfortranarray(self.rf)):
            numpy.testing.assert_array_equal(saccade.beamform(view, self.a, GRID), expected)
        out = numpy.zeros_like(expected)[:, ::-1, ::-1]
        self.assertIs(saccade.beamform(self.rf, self.a, GRID, out=out), out)
        numpy.testing.assert_array_equal(out, expected)
        got = saccade.beamform(Tensor(self.rf), self.a, GRID)
        numpy.testing.assert_array_equal(got.array, expected)

    def test_points_are_the_grid(self):
        x, _, z = GRID.axes
        points = numpy.stack([(px, 0, pz) for pz in z for px in x])
        got = saccade.beamform(self.rf, self.a, points_m=points, kind="iq", tier="exact")
        expected = saccade.beamform(self.rf, self.a, GRID, kind="iq", tier="exact")
        numpy.testing.assert_allclose(got.reshape(expected.shape), expected, rtol=1e-3, atol=1e-3)

    def test_arrivals_are_the_plane_wave(self):
        x, _, z = GRID.axes
        arrivals = numpy.repeat(z / 1540, len(x))
        a = acquisition([saccade.Transmit("arrivals", arrivals_s=arrivals)])
        rf = channels(acquisition("plane:1:0"), 600, 1)
        expected = saccade.beamform(rf, acquisition("plane:1:0"), GRID, kind="envelope")
        got = saccade.beamform(rf, a, GRID, kind="envelope")
        numpy.testing.assert_allclose(got, expected, rtol=1e-2, atol=expected.max() * 1e-4)
        with self.assertRaisesRegex(saccade.InvalidError, "arrivals_s"):
            saccade.beamform(rf, a, saccade.Grid(x=(0, 1e-3, 100), z=(1e-3, 2e-2, 100)))

    def test_non_finite_samples_stay_where_they_are(self):
        rf = self.rf.copy()
        rf[0, 0, 3, 100:200] = numpy.nan
        rf[1, 1, 2, 100] = numpy.inf
        expected = saccade.beamform(self.rf, self.a, GRID, kind="iq")
        got = saccade.beamform(rf, self.a, GRID, kind="iq")
        self.assertTrue(numpy.isnan(got).any())
        whole = numpy.isfinite(got)
        self.assertTrue(whole.any())
        numpy.testing.assert_allclose(got[whole], expected[whole], rtol=1e-4, atol=abs(expected).max() * 1e-5)


class Files(unittest.TestCase):
    def test_a_recording_comes_back(self):
        a = acquisition([saccade.Transmit(azimuth_rad=0.1, t0_s=1e-6, weight=0.5),
                         saccade.Transmit("delays", delays_s=numpy.linspace(0, 1e-6, 32)),
                         saccade.Transmit("diverging", source_m=(0, 0, -5e-3)),
                         saccade.Transmit("element", element=3)], frame_rate_hz=100.0)
        a.transmits[2].apodization = numpy.arange(32) % 5 / 4
        truth = saccade.phantom("cyst", seed=2, n_scatterers=100)
        rf = channels(a, 200, 2)
        with folder() as path:
            try:
                saccade.write_recording(path + "/r.h5", rf, a, truth)
            except saccade.UnsupportedError as error:
                self.skipTest(str(error))
            r = saccade.read_recording(path + "/r.h5")
            one = saccade.read_recording(path + "/r.h5", first_frame=1, n_frames=1, c_m_s=1500.0)
            two = saccade.read_recording(path + "/r.h5", first_transmit=1, n_transmits=2)
            with self.assertRaisesRegex(saccade.InvalidError, "transmits: 3 from number 2 on"):
                saccade.read_recording(path + "/r.h5", first_transmit=2, n_transmits=3)
        numpy.testing.assert_array_equal(r.samples, rf)
        numpy.testing.assert_array_equal(r.truth, truth)
        numpy.testing.assert_array_equal(r.acquisition.probe.elements, PROBE.elements)
        for got, given in zip(r.acquisition.transmits, a.transmits):
            self.assertEqual((got.kind, got.t0_s, got.weight), (given.kind, given.t0_s, given.weight))
        self.assertEqual(r.acquisition.transmits[3].element, 3)
        numpy.testing.assert_array_equal(r.acquisition.transmits[2].apodization, a.transmits[2].apodization)
        numpy.testing.assert_array_equal(r.acquisition.transmits[1].apodization, numpy.ones(32))
        numpy.testing.assert_array_equal(r.acquisition.transmits[1].delays_s, a.transmits[1].delays_s)
        numpy.testing.assert_array_equal(one.samples, rf[1:])
        numpy.testing.assert_array_equal(two.samples, rf[:, 1:3])
        self.assertEqual([t.kind for t in two.acquisition.transmits], [t.kind for t in a.transmits[1:3]])
        numpy.testing.assert_array_equal(two.acquisition.transmits[1].apodization, a.transmits[2].apodization)
        self.assertEqual(one.acquisition.c_m_s, 1500)

    def test_samples_outlive_their_recording(self):
        a = acquisition()
        rf = channels(a, 200, 1)
        with folder() as path:
            saccade.write_recording(path + "/r.npy", rf, a)
            samples = saccade.read_recording(path + "/r.npy").samples
        self.assertFalse(samples.flags.owndata)
        junk = [numpy.ones(samples.size) for _ in range(4)]
        numpy.testing.assert_array_equal(samples, rf)
        del junk

    def test_an_image_comes_back(self):
        a = acquisition()
        image = saccade.beamform(channels(a), a, GRID)
        with folder() as path:
            try:
                saccade.write_image(path + "/i.h5", image, GRID, dynamic_range_db=50.0, fc_hz=5e6)
            except saccade.UnsupportedError as error:
                self.skipTest(str(error))
            got = saccade.read_image(path + "/i.h5")
        numpy.testing.assert_array_equal(got.samples, image)
        self.assertEqual(got.grid, GRID)
        self.assertEqual((got.kind, got.dynamic_range_db, got.fc_hz), ("bmode", 50, 5e6))

    def test_bad_files_are_exceptions(self):
        with self.assertRaises(OSError) as caught:
            saccade.read_recording("/nowhere/at/all.npy")
        self.assertIsInstance(caught.exception, saccade.FileError)
        with folder() as path:
            with open(path + "/x.npy", "wb") as f:
                f.write(b"not a recording" * 100)
            self.assertRaises(saccade.Error, saccade.read_recording, path + "/x.npy")
            self.assertRaises(saccade.Error, saccade.read_image, path + "/x.npy")
            self.assertRaises(saccade.InvalidError, saccade.write_recording, path + "/x.what",
                              numpy.zeros((1, 3, 32, 10), "f4"), acquisition())


class Simulation(unittest.TestCase):
    def test_a_point_is_found_where_it_is(self):
        a = acquisition("plane:5:8")
        target = (1e-3, 0.0, 12e-3)
        rf = saccade.simulate_ultrasound(a, [(*target, 1.0)], 600)
        grid = saccade.Grid(x=(-3e-3, 3e-3, 121), z=(10e-3, 14e-3, 161))
        image = saccade.beamform(rf, a, grid)
        m = saccade.measure_point(image, grid, target, 1e-3)
        self.assertLess(m["error_m"], 1e-4)
        with self.assertRaises(saccade.InvalidError):
            saccade.measure_point(image, grid, (1, 1, 1), 1e-3)
        envelope = saccade.beamform(rf, a, grid, kind="envelope")
        cyst = saccade.measure_cyst(envelope, grid, (0, 0, 12e-3), 1e-3, kind="envelope")
        self.assertGreater(cyst["n_inside"], 16)

    def test_probes(self):
        positions = saccade.Probe.matrix(4, 3, 1e-3, 2e-3).positions_m
        numpy.testing.assert_allclose(positions[1] - positions[0], (1e-3, 0, 0))
        numpy.testing.assert_allclose(positions.mean(axis=0), 0, atol=1e-12)
        elements = saccade.Probe.curved(5, 10e-3, 1e-3).elements
        numpy.testing.assert_allclose(elements[:, 0], 10e-3 * numpy.sin(numpy.arange(-2, 3) * 0.1), atol=1e-15)
        numpy.testing.assert_allclose(elements[:, 0] / 10e-3, elements[:, 3], atol=1e-12)
        probe = saccade.Probe([(0, 0, 0), (1e-3, 0, 0)], width_m=1e-4)
        self.assertEqual(probe.elements[1].tolist(), [1e-3, 0, 0, 0, 0, 1, 1e-4, 0])


class Refusals(unittest.TestCase):
    def test_bad_input_is_an_exception_that_names_it(self):
        a = acquisition()
        rf = numpy.zeros((1, 3, 32, 100), "f4")
        shape, invalid = saccade.ShapeError, saccade.InvalidError
        cases = [
            (shape, "dtype", (rf.astype("f8"), a, GRID), {}),
            (shape, "samples: expected .*axes", (rf[0, 0], a, GRID), {}),
            (shape, "samples|in", (rf[:, :2], a, GRID), {}),
            (shape, "out", (rf, a, GRID), {"out": numpy.zeros((1, 90, 41), "f4")}),
            (shape, "out", (rf, a, GRID), {"out": numpy.zeros((1, 90, 40), "f8")}),
            (invalid, "f-number: expected", (rf, a, GRID), {"f_number": -1}),
            (invalid, "apodization", (rf, a, GRID), {"apodization": "square"}),
            (invalid, "fs_hz|fs", (rf, acquisition(fs_hz=0.0), GRID), {}),
            (invalid, "phase_origin: expected", (rf, acquisition(phase_origin="x"), GRID), {}),
            (invalid, "kind: expected", (rf, acquisition([saccade.Transmit("square")]), GRID), {}),
            (shape, "delays_s: expected 32", (rf, acquisition([saccade.Transmit("delays", delays_s=[1])]),
                                              GRID),
             {}),
            (invalid, "", (rf, acquisition([saccade.Transmit("element", element=99)]), GRID), {}),
            (invalid, "acquisition: is missing", (rf,), {"acquisition": a}),
            (shape, "points_m: expected", (rf, a), {"points_m": numpy.zeros((4, 2))}),
            (invalid, "", (rf, a, saccade.Grid(x=(0, 1, 0))), {}),
            (invalid, "", (rf, a, saccade.Grid(x=(0, 1, 1 << 40), z=(0, 1, 1 << 40))), {}),
        ]
        for error, text, args, kwargs in cases:
            with self.subTest(text=text, kwargs=kwargs):
                with self.assertRaisesRegex(error, text):
                    if "acquisition" in kwargs:
                        saccade.Beamform()(*args)
                    else:
                        saccade.beamform(*args, **kwargs)
        for wrong in (3, "acquisition", rf):
            self.assertRaises((TypeError, AttributeError), saccade.Beamform, wrong)
            self.assertRaises((TypeError, AttributeError), saccade.Beamform, a, wrong)


class Cancelling(unittest.TestCase):
    def setUp(self):
        self.a = acquisition("plane:75:16")
        self.rf = numpy.random.default_rng(1).standard_normal((8, 75, 32, 600)).astype("f4")
        self.grid = saccade.Grid(x=(-5e-3, 5e-3, 700), z=(5e-3, 2e-2, 900))

    def test_progress_is_told_and_cancels(self):
        seen = []

        def progress(done, total):
            seen.append(done / total)
            return len(seen) < 3

        plan = saccade.Beamform(self.a, self.grid, progress=progress)
        self.assertRaises(KeyboardInterrupt, plan, self.rf)
        self.assertEqual(len(seen), 3)

        def fails(done, total):
            raise OverflowError("enough")

        with saccade.Beamform(self.a, self.grid, progress=fails) as plan:
            self.assertRaisesRegex(OverflowError, "enough", plan, self.rf)

    def test_control_c_cancels(self):
        plan = saccade.Beamform(self.a, self.grid, threads=1)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        start = time.monotonic()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(1000):
                plan(self.rf)
        self.assertLess(time.monotonic() - start, 60)


if __name__ == "__main__":
    unittest.main()

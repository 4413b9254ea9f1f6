"""saccade.Flow: the values of the command, and those of NumPy."""
import math
import unittest

import numpy

import saccade
from support import folder, run_command

GRID = saccade.Grid(x=(-3e-3, 3e-3, 31), z=(8e-3, 14e-3, 40))
WORDS = ["--grid", "-3:3:31,8:14:40"]
PRF = 4000.0


class Flow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder()
        cls.path = cls.folder.name + "/in.h5"
        run_command("simulate", "ultrasound", "--phantom", "vessel", "--transmits", "plane:1:0", "--frames", "24",
                    "--elements", "32", "--scatterers", "400", "--region", "-4:4,8:14", "--radius", "2", "--at",
                    "0,11", "--clutter", "20", "--prf", "4000", "-o", cls.path)
        cls.recording = saccade.read_recording(cls.path)
        cls.a = cls.recording.acquisition
        cls.iq = saccade.beamform(cls.recording, grid=GRID, kind="iq")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def by_command(self, *words):
        out = self.folder.name + "/out.npy"
        run_command("flow", self.path, "-o", out, *WORDS, *words)
        return numpy.load(out)

    def test_every_option_is_the_command(self):
        for options in ({}, {"kind": "power"}, {"kind": "power", "scale": "linear", "filter": "svd:2"},
                        {"kind": "directional", "filter": "polynomial:1"}, {"kind": "variance", "average": (3, 3)},
                        {"kind": "color-power", "filter": "svd:auto"}, {"ensemble": 8, "step": 4, "lag": 2},
                        {"filter": "svd:1:9", "threads": 2}):
            words = []
            for key, value in options.items():
                text = "%dx%d" % value if isinstance(value, tuple) else str(value)
                words += ["--" + key.replace("_", "-"), text]
            with self.subTest(options=options):
                expected = self.by_command(*words)
                got = saccade.flow(self.iq, self.a, **options)
                self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape))
                numpy.testing.assert_array_equal(got, expected)

    def test_velocity_and_power_are_those_of_numpy(self):
        wide = self.iq.astype("c16")
        product = (wide[1:] * wide[:-1].conj()).sum(axis=0)
        with saccade.Flow(self.a) as plan:
            self.assertEqual(plan.nyquist_m_s, 0)
            got = plan(self.iq)
            self.assertAlmostEqual(plan.nyquist_m_s, self.a.c_m_s * PRF / (4 * self.a.fc_hz))
            numpy.testing.assert_allclose(got[0], plan.nyquist_m_s * numpy.angle(product) / math.pi,
                                          atol=1e-5 * plan.nyquist_m_s)
            self.assertEqual(plan.singular_values()[0], None)
        with saccade.Flow(self.a, kind="power", scale="linear", filter="svd:3") as plan:
            got = plan(self.iq)
            flat = wide.reshape(len(wide), -1)
            u, s, v = numpy.linalg.svd(flat, full_matrices=False)
            left = (u[:, 3:] * s[3:]) @ v[3:]
            power = (abs(left) ** 2).mean(axis=0).reshape(got[0].shape)
            numpy.testing.assert_allclose(got[0], power, atol=1e-4 * power.max())
            values, low, high = plan.singular_values()
            self.assertEqual((low, high, len(values)), (3, len(wide), len(wide)))
            numpy.testing.assert_allclose(values[:6], s[:6], rtol=1e-4)

    def test_images_of_files_keep_what_velocities_need(self):
        path = self.folder.name + "/color.h5"
        run_command("flow", self.path, "-o", path, *WORDS)
        image = saccade.read_image(path)
        self.assertEqual((image.kind, image.prf_hz), ("velocity", PRF))
        self.assertAlmostEqual(image.nyquist_m_s, self.a.c_m_s * PRF / (4 * self.a.fc_hz))
        numpy.testing.assert_array_equal(image.samples, saccade.flow(self.iq, self.a))
        again = self.folder.name + "/again.h5"
        saccade.write_image(again, image.samples, image.grid, image.kind, nyquist_m_s=image.nyquist_m_s,
                            prf_hz=image.prf_hz)
        self.assertEqual(saccade.read_image(again).nyquist_m_s, image.nyquist_m_s)

    def test_vectors_are_the_command(self):
        path = self.folder.name + "/waves.h5"
        run_command("simulate", "ultrasound", "--phantom", "vessel", "--transmits", "plane:3:12", "--frames", "8",
                    "--elements", "32", "--scatterers", "400", "--region", "-4:4,8:14", "--radius", "2", "--at",
                    "0,11", "--prf", "4000", "-o", path)
        waves = saccade.read_recording(path)
        lris = saccade.beamform(waves, grid=GRID, kind="iq", lri=True)
        out = self.folder.name + "/vector.npy"
        run_command("flow", path, "-o", out, "--kind", "vector", "--average", "3x3", *WORDS)
        expected = numpy.load(out)
        with saccade.Flow(waves.acquisition, kind="vector", average=(3, 3)) as plan:
            self.assertEqual(plan.condition, 0)
            got = plan(lris)
            self.assertEqual(got.shape, (1, 2) + lris.shape[2:])
            self.assertGreater(plan.condition, 1)
        numpy.testing.assert_array_equal(got, expected)
        with self.assertRaisesRegex(saccade.ShapeError, "3 transmits"):
            saccade.flow(lris[:, :2].copy(), waves.acquisition, kind="vector")
        with self.assertRaisesRegex(saccade.InvalidError, "acquisition"):
            saccade.flow(lris, kind="vector", prf=PRF)
        with self.assertRaisesRegex(saccade.InvalidError, "2 to"):
            saccade.flow(lris[:, :1].copy(), self.a, kind="vector")

    def test_refusals_name_what_is_wrong(self):
        with self.assertRaisesRegex(saccade.InvalidError, "prf"):
            saccade.flow(self.iq)
        self.assertEqual(saccade.flow(self.iq, kind="power").shape, (1,) + self.iq.shape[1:])
        for images in (self.iq.real.copy(), self.iq[0, 0], self.iq[None, None]):
            with self.assertRaisesRegex(saccade.ShapeError, "images"):
                saccade.flow(images, self.a)
        with self.assertRaisesRegex(saccade.InvalidError, "filter"):
            saccade.flow(self.iq, self.a, filter="svd:x")
        with saccade.Flow(self.a) as plan:
            plan(self.iq)
            with self.assertRaises(saccade.ShapeError):
                plan(self.iq[:-1])


if __name__ == "__main__":
    unittest.main()

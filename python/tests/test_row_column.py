"""Row-column arrays, and elements that do not receive: the bytes of the command and of files."""
import functools
import unittest

import numpy

import saccade
from support import folder, run_command

WORDS = ["--array", "row-column", "--elements", "12x10", "--line-taper", "0.5", "--region", "-1:1,4:6"]
PITCH = 1e-3 * 0.25
GRID = saccade.Grid(x=(-1e-3, 1e-3, 7), y=(-1e-3, 1e-3, 5), z=(3e-3, 6e-3, 25))
GRID_WORDS = ["--grid3", "-1:1:7,-1:1:5,3:6:25"]


def acquisition(transmits="plane:3:8", probe=None, **fields):
    probe = probe or saccade.Probe.row_column(12, 10, PITCH, 0.9 * PITCH)
    fields = {"fs_hz": 12e6, "fc_hz": 3e6, "bandwidth": 0.33, "line_taper": 0.5, **fields}
    return saccade.Acquisition(probe, transmits, **fields)


def echoes(a, n_samples=140, frames=2):
    points = [(0.4e-3, -0.3e-3, 4.5e-3, 1.0), (-0.5e-3, 0.6e-3, 5e-3, 0.7)]
    rf = [saccade.simulate_ultrasound(a, points, n_samples, noise_db=40, seed=i) for i in range(frames)]
    return numpy.stack(rf)


class Bytes(unittest.TestCase):
    def by_command(self, path, *words):
        with folder() as out:
            run_command("beamform", path, "-o", out + "/out.npy", *words)
            return numpy.load(out + "/out.npy")

    def same_acquisition(self, got, given):
        """But for the last digit, which JSON rounds."""
        near = functools.partial(numpy.testing.assert_allclose, rtol=1e-14, atol=1e-17)
        near(got.probe.elements, given.probe.elements)
        numpy.testing.assert_array_equal(got.probe.shapes, given.probe.shapes)
        self.assertEqual((got.line_taper, len(got.transmits)), (given.line_taper, len(given.transmits)))
        for one, other in zip(got.transmits, given.transmits):
            self.assertEqual((one.kind, one.element), (other.kind, other.element))
            near((one.azimuth_rad, one.elevation_rad, *one.source_m),
                 (other.azimuth_rad, other.elevation_rad, *other.source_m))
            numpy.testing.assert_array_equal(one.apodization, other.apodization)
            numpy.testing.assert_array_equal(one.receives, other.receives)

    def test_the_simulation_is_the_command(self):
        for text in ("plane:3:8", "diverging:2:5", "focused:2:6", "sa"):
            with folder() as path, self.subTest(transmits=text):
                path += "/c.npy"
                run_command("simulate", "ultrasound", *WORDS, "--transmits", text, "--noise", "40", "-o", path)
                recording = saccade.read_recording(path)
                a = acquisition(text)
                self.same_acquisition(recording.acquisition, a)
                again = saccade.simulate_ultrasound(a, recording.truth, recording.samples.shape[3], noise_db=40,
                                                    seed=1)
                numpy.testing.assert_array_equal(again, recording.samples[0])
                whole = acquisition(text, line_taper=0.0)
                self.assertFalse(numpy.array_equal(again, saccade.simulate_ultrasound(
                    whole, recording.truth, recording.samples.shape[3], noise_db=40, seed=1)))

    def test_every_option_is_the_command(self):
        a = acquisition()
        rf = echoes(a)
        iq = (rf[..., ::2] + 1j * rf[..., 1::2]).astype("c8")
        i16 = (rf / abs(rf).max() * 30000).astype("i2")
        data = {"f4": (rf, a), "i2": (i16, a), "c8": (iq, acquisition(fs_hz=6e6, fd_hz=3e6))}
        for name, (samples, of) in data.items():
            with folder() as path:
                path += "/in.npy"
                saccade.write_recording(path, samples, of)
                of = saccade.read_recording(path).acquisition
                for options in ({}, {"kind": "iq", "f_number": 1.0}, {"lri": True}, {"tier": "exact", "kind": "iq"},
                                {"tier": "fast", "method": "dual-stage"}, {"tier": "fast", "method": "direct"}):
                    words = list(GRID_WORDS)
                    for key, value in options.items():
                        words += ["--" + key.replace("_", "-")] + ([] if value is True else [str(value)])
                    with self.subTest(data=name, options=options):
                        expected = self.by_command(path, *words)
                        got = saccade.beamform(samples, of, GRID, **options)
                        self.assertEqual(got.dtype, expected.dtype)
                        numpy.testing.assert_array_equal(got, expected)
                self.assertGreater(saccade.Grid.default(of, samples.shape[3]).y[2], 1)
                numpy.testing.assert_array_equal(saccade.beamform(samples, of), self.by_command(path))

    def test_a_recording_comes_back(self):
        a = acquisition()
        a.transmits[1].receives[15] = False
        few = acquisition(probe=saccade.Probe.linear(12, 0.4e-3), line_taper=0.0)
        few.transmits[1].receives = numpy.arange(12) % 3 > 0
        for given, form in ((a, "npy"), (a, "h5"), (few, "npy"), (few, "h5")):
            rf = echoes(given)
            with folder() as path, self.subTest(form=form, lines=given is a):
                path += "/r." + form
                try:
                    saccade.write_recording(path, rf, given)
                except saccade.UnsupportedError as error:
                    self.skipTest(str(error))
                got = saccade.read_recording(path)
                self.assertEqual(got.acquisition.transmits[1].receives.dtype, bool)
                if given is few:
                    self.assertIsNone(got.acquisition.probe.shapes)
                    self.assertTrue(got.acquisition.transmits[0].receives.all())
                    given.transmits[0].receives = given.transmits[2].receives = numpy.ones(12, bool)
                    for transmit in got.acquisition.transmits:
                        self.assertIsNone(transmit.apodization)
                self.same_acquisition(got.acquisition, given)
                numpy.testing.assert_array_equal(got.samples, rf)
                numpy.testing.assert_array_equal(saccade.beamform(got), self.by_command(path))

    def test_elements_that_do_not_receive_count_for_nothing(self):
        a = acquisition()
        rf = echoes(a)
        deaf = [[not heard for heard in t.receives] for t in a.transmits]
        rf2 = rf.copy()
        rf2[:, numpy.array(deaf)] = 1e9
        numpy.testing.assert_array_equal(saccade.beamform(rf2, a, GRID), saccade.beamform(rf, a, GRID))


class Probes(unittest.TestCase):
    def test_lines_cross(self):
        probe = saccade.Probe.row_column(3, 2, 1e-3, 0.8e-3)
        self.assertEqual((probe.shapes.dtype, probe.shapes.tolist()), (numpy.int32, [1, 1, 1, 2, 2]))
        numpy.testing.assert_allclose(probe.positions_m[:, 1], (-1e-3, 0, 1e-3, 0, 0))
        numpy.testing.assert_allclose(probe.positions_m[:, 0], (0, 0, 0, -0.5e-3, 0.5e-3))
        numpy.testing.assert_allclose(probe.elements[0, 6:], (2e-3, 0.8e-3))
        numpy.testing.assert_allclose(probe.elements[4, 6:], (0.8e-3, 3e-3))
        self.assertIsNone(saccade.Probe.linear(3, 1e-3).shapes)

    def test_the_sequence_goes_both_ways(self):
        transmits = saccade.Probe.row_column(3, 2, 1e-3).transmits("plane:1:0")
        self.assertEqual(len(transmits), 2)
        numpy.testing.assert_array_equal(transmits[0].apodization, (1, 1, 1, 0, 0))
        numpy.testing.assert_array_equal(transmits[0].receives, (False, False, False, True, True))
        numpy.testing.assert_array_equal(transmits[1].receives, (True, True, True, False, False))
        areas = saccade.Probe(saccade.Probe.linear(4, 1e-3).elements, shapes=[0] * 4)
        self.assertEqual([t.receives for t in areas.transmits("plane:2:5")], [None, None])

    def test_bad_lines_are_exceptions_that_name_them(self):
        rows = saccade.Probe.row_column(3, 2, 1e-3)
        shape, invalid = saccade.ShapeError, saccade.InvalidError
        for shapes in ([2, 2, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 0, 2, 2]):
            with self.assertRaisesRegex(invalid, "rows, then columns"):
                saccade.Probe(rows.elements, shapes=shapes).transmits("plane:1:0")
        with self.assertRaisesRegex(shape, "shapes: expected 5 numbers, got 2"):
            saccade.Probe(rows.elements, shapes=[1, 2]).transmits("plane:1:0")
        self.assertRaises(TypeError, saccade.Probe, rows.elements, shapes=[1.5] * 5)
        with self.assertRaisesRegex(invalid, "at most"):
            saccade.Probe.row_column(2, 2, 1e-3).transmits("plane:40000:8")
        wave = [saccade.Transmit()]

        def refused(error, text, probe=rows, **fields):
            with self.assertRaisesRegex(error, text):
                saccade.simulate_ultrasound(acquisition(probe=probe, **{"transmits": wave, **fields}),
                                            [(0, 0, 5e-3, 1)], 100)

        for bad in ([1, 1, 1, 2, 3], [1, 1, 1, 2, -1], [1, 1, 1, 2, numpy.nan], [1, 1, 1, 2, 0.5]):
            wrong = saccade.Probe(rows.elements)
            wrong.shapes = bad
            refused(invalid, "shapes: expected whole numbers from 0 to 2", wrong)
        refused(shape, "shapes: expected 5 numbers, got 4", saccade.Probe(rows.elements, shapes=[1, 1, 2, 2]))
        refused(shape, "receives: expected 5 numbers, got 3", transmits=[saccade.Transmit(receives=[True] * 3)])
        refused(invalid, "receives: expected whole numbers from 0 to 1, got 2",
                transmits=[saccade.Transmit(receives=[2] * 5)])
        refused(invalid, "receives: no element", transmits=[saccade.Transmit(receives=[False] * 5)])
        refused(invalid, "line_taper", line_taper=1.5)


if __name__ == "__main__":
    unittest.main()

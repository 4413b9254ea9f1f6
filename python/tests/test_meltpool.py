"""saccade.Meltpool: the records of the command, to the byte of its CSV."""
import unittest
import warnings

import numpy

import saccade
from saccade import _core
from support import Tensor, folder, run_command


def build(n=600, seed=3000):
    return saccade.simulate_meltpool(n, seed=seed)


class Bytes(unittest.TestCase):
    def test_records_are_the_commands(self):
        frames, signals, truth = build()
        with folder() as path:
            try:
                saccade.write_frames(path + "/b.h5", frames, signals, truth, "simulated", 20000.0)
            except saccade.UnsupportedError as error:
                self.skipTest(str(error))
            for options in ({"model": "shipped"}, {}, {"roi": 32, "threshold": 80, "window": 16},
                            {"locate": "brightest"}, {"locate": "previous", "scan_frame": True, "threads": 2},
                            {"locate": "fixed", "fixed_x": 50, "fixed_y": 40, "static_roi": True}):
                words = ["--model", "none"] if "model" not in options else []
                for key, value in options.items():
                    if key != "model":
                        words += ["--" + key.replace("_", "-")] + ([] if value is True else [str(value)])
                run_command("meltpool", path + "/b.h5", "-o", path + "/c.csv", *words)
                with saccade.Meltpool(calibration="simulated", **options) as plan:
                    records = plan(frames, signals)
                    one_by_one = saccade.Meltpool(calibration="simulated", **options)
                    for i in range(40):
                        one = one_by_one(frames[i], signals[i:i + 1])
                        numpy.testing.assert_array_equal(one["features"][0], records["features"][i])
                    self.assertEqual(plan.counts()["frames"], len(frames))
                saccade.write_records(path + "/p.csv", records, truth, has_prediction="model" in options)
                with self.subTest(options=options), open(path + "/c.csv", "rb") as c, open(path + "/p.csv",
                                                                                           "rb") as p:
                    self.assertEqual(p.read(), c.read())
                    if "model" in options:
                        self.assertGreater(records["prediction"].max(), 0)
            got = saccade.read_frames(path + "/b.h5", first=10, n=20)
        numpy.testing.assert_array_equal(got.frames, frames[10:30])
        numpy.testing.assert_array_equal(got.signals, signals[10:30])
        numpy.testing.assert_array_equal(got.truth, truth[10:30])
        self.assertEqual(got.rate_hz, 20000)

    def test_views_and_out_are_the_same(self):
        frames, signals, _ = build(200)
        expected = saccade.meltpool(frames, signals, calibration="simulated")
        wide = numpy.zeros((400, 200, 96), "u1")
        wide[::2, ::2][:, :96] = frames
        rows = numpy.ascontiguousarray(signals).view("i4").reshape(-1, 4)
        for view in (wide[::2, ::2][:, :96], frames[:, ::-1].copy()[:, ::-1], Tensor(frames)):
            out = numpy.zeros(200, saccade.RECORD)
            got = saccade.meltpool(view, rows, out=out, calibration="simulated")
            self.assertIs(got, out)
            numpy.testing.assert_array_equal(got["features"], expected["features"])
            numpy.testing.assert_array_equal(got["flags"], expected["flags"])

    def test_frames_without_a_laser_do_nothing(self):
        frames, signals, _ = build(100)
        signals["laser_on"] = 0
        plan = saccade.Meltpool()
        records = plan(frames, signals)
        self.assertTrue((records["flags"] == saccade.EMPTY).all())
        self.assertIn("laser", plan.doubt)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            saccade.meltpool(frames, signals)
        self.assertEqual(len(caught), 1)
        plan.reset()
        self.assertEqual(plan.counts()["frames"], 0)
        self.assertEqual(len(plan(frames[:0], signals[:0])), 0)


class Calibration(unittest.TestCase):
    def test_a_calibration_is_found(self):
        frames, signals, _ = build(4000, seed=7)
        fit = saccade.calibrate(frames, signals)
        self.assertGreater(fit["used"], 100)
        self.assertLess(fit["median"], 1)
        numpy.testing.assert_array_equal(
            saccade.Meltpool(calibration=fit["calibration"])(frames, signals)["counter"], signals["counter"])

    def test_simulations_come_in_batches(self):
        whole = build(250)[0]
        parts = list(saccade.MeltpoolSimulation(n_frames=250, seed=3000, batch=100))
        self.assertEqual([len(p[0]) for p in parts], [100, 100, 50])
        numpy.testing.assert_array_equal(numpy.concatenate([p[0] for p in parts]), whole)


class Refusals(unittest.TestCase):
    def test_structs_have_cs_sizes(self):
        self.assertEqual((saccade.RECORD.itemsize, saccade.SIGNALS.itemsize, saccade.TRUTH.itemsize),
                         _core.struct_sizes())

    def test_bad_input_is_an_exception_that_names_it(self):
        frames, signals, _ = build(10)
        shape, invalid = saccade.ShapeError, saccade.InvalidError
        cases = [
            (shape, "frames: expected .*axes", (frames[0, 0], signals), {}, {}),
            (shape, "frame", (frames.astype("u2"), signals), {}, {}),
            (shape, "frame", (frames[:, :, ::2], signals), {"roi": 32}, {}),
            (shape, "signals", (frames,), {}, {}),
            (shape, "signals: expected 10, got 9", (frames, signals[:9]), {}, {}),
            (shape, "signals", (frames, signals["x"]), {}, {}),
            (shape, "signals", (frames, numpy.zeros((10, 4))), {}, {}),
            (shape, "signals", (frames, signals[::-1]), {}, {}),
            (shape, "out: expected 10 records", (frames, signals), {}, {"out": numpy.zeros(9,
                                                                                           saccade.RECORD)}),
            (shape, "out", (frames, signals), {}, {"out": numpy.zeros(10)}),
            (invalid, "calibration", (frames, signals), {"calibration": numpy.zeros((2, 3))}, {}),
            (shape, "calibration: expected", (frames, signals), {"calibration": numpy.eye(3)}, {}),
            (invalid, "calibration: expected one of", (frames, signals), {"calibration": "inches"}, {}),
            (invalid, "roi: expected", (frames, signals), {"roi": 4}, {}),
            (OSError, "", (frames, signals), {"model": "/nowhere.safetensors"}, {}),
        ]
        for error, text, args, options, kwargs in cases:
            with self.subTest(text=text, options=options):
                with self.assertRaisesRegex(error, text):
                    saccade.Meltpool(**options)(*args, **kwargs)
        with self.assertRaises(saccade.InvalidError):
            saccade.calibrate(frames, signals)
        with self.assertRaises(saccade.InvalidError):
            saccade.MeltpoolSimulation(regime="cold")

    def test_a_model_tells_of_itself(self):
        model = saccade.Model()
        self.assertIn("roi=40", model.parameters)
        self.assertTrue(model.description)
        frames, signals, _ = build(100)
        a = saccade.meltpool(frames, signals, calibration="simulated", model=model)
        b = saccade.meltpool(frames, signals, calibration="simulated", model="shipped")
        numpy.testing.assert_array_equal(a["prediction"], b["prediction"])


if __name__ == "__main__":
    unittest.main()

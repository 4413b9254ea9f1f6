"""Pictures, video, measures, the ladder and info."""
import gc
import json
import unittest
import warnings

import numpy

import saccade
from support import folder, picture, run_command, write_pnm
from test_motion import clip


class Pictures(unittest.TestCase):
    def test_pictures_come_back(self):
        for dtype in ("uint8", "uint16"):
            for shape in ((13, 17), (13, 17, 3)):
                pixels = picture(shape, dtype)
                with folder() as path:
                    write_pnm(path + "/in.pnm", pixels)
                    got = saccade.read_picture(path + "/in.pnm")
                    self.assertFalse(got.flags.owndata)
                    numpy.testing.assert_array_equal(got, pixels)
                    saccade.write_picture(path + "/out.pnm", got[::-1])
                    numpy.testing.assert_array_equal(saccade.read_picture(path + "/out.pnm"), pixels[::-1])

    def test_pixels_outlive_their_picture(self):
        pixels = picture((200, 300, 3))
        with folder() as path:
            write_pnm(path + "/in.pnm", pixels)
            got = saccade.read_picture(path + "/in.pnm")
        part = got[50:60]
        del got
        gc.collect()
        junk = [picture((200, 300, 3), seed=i) for i in range(5)]
        numpy.testing.assert_array_equal(part, pixels[50:60])
        del junk

    def test_png_says_what_was_left_out(self):
        if "libvips" not in saccade.info()["io"]:
            self.skipTest("this build has no libvips")
        pixels = picture((9, 8, 4))
        with folder() as path:
            saccade.write_picture(path + "/a.png", pixels)
            numpy.testing.assert_array_equal(saccade.read_picture(path + "/a.png"), pixels)
            run_command("equalize", path + "/a.png", "-o", path + "/c.png")
            numpy.testing.assert_array_equal(saccade.read_picture(path + "/c.png"), saccade.equalize(pixels))
            saccade.write_picture(path + "/b.jpg", pixels[..., :3], quality=50)
            self.assertEqual(saccade.read_picture(path + "/b.jpg").shape, (9, 8, 3))

    def test_bad_pictures_are_exceptions(self):
        with folder() as path:
            with open(path + "/x.pnm", "wb") as f:
                f.write(b"P5\n10 10\n255\nshort")
            self.assertRaises(saccade.FormatError, saccade.read_picture, path + "/x.pnm")
            self.assertRaises(OSError, saccade.read_picture, path + "/no.pnm")
            good = picture((5, 5))
            self.assertRaises(saccade.Error, saccade.write_picture, path + "/x.what", good)
            self.assertRaises(saccade.ShapeError, saccade.write_picture, path + "/x.pnm", good[0])
            self.assertRaises(saccade.Error, saccade.write_picture, path + "/x.pnm", good.astype("f4"))
            self.assertRaises(saccade.Error, saccade.write_picture, path + "/x.pnm", numpy.zeros((4, 4, 0),
                                                                                                 "u1"))
            self.assertRaises(ValueError, saccade.read_picture, "a\0b.pnm")


class Video(unittest.TestCase):
    def test_videos_come_back(self):
        frames = clip(5, 32, 48)
        with folder() as path:
            for name, given in (("v.rgb", frames), ("v.gray", frames[..., 1]), ("%03d.ppm", frames),
                                ("v.y4m", frames[..., 1])):
                with saccade.VideoWriter(path + "/" + name, rate=30) as writer:
                    for frame in given:
                        writer.write(frame)
                raw = name in ("v.rgb", "v.gray")
                pixel = name[2:] if raw else None
                with saccade.VideoReader(path + "/" + name, pixel=pixel, w=48 * raw, h=32 * raw) as reader:
                    got = list(reader)
                numpy.testing.assert_array_equal(got, given)
                if name == "v.y4m":
                    self.assertEqual(reader.rate, 30)

    def test_a_reader_fills_the_callers_frame(self):
        frames = clip(3, 32, 48)
        with folder() as path:
            frames.tofile(path + "/v.rgb")
            with saccade.VideoReader(path + "/v.rgb", "rgb", 48, 32) as reader:
                out = numpy.zeros((32, 48, 3), "u1")
                for frame in frames:
                    self.assertIs(reader.read(out), out)
                    numpy.testing.assert_array_equal(out, frame)
                self.assertIsNone(reader.read(out))
                self.assertRaises(saccade.ShapeError, reader.read, out[:5])
            self.assertRaises(RuntimeError, reader.read)

    def test_bad_videos_are_exceptions(self):
        self.assertRaises(OSError, saccade.VideoReader, "/nowhere.y4m")
        self.assertRaises(saccade.InvalidError, saccade.VideoReader, "/nowhere.y4m", "cmyk")
        with folder() as path:
            writer = saccade.VideoWriter(path + "/v.rgb")
            writer.write(numpy.zeros((4, 5, 3), "u1"))
            self.assertRaises(saccade.ShapeError, writer.write, numpy.zeros((4, 6, 3), "u1"))
            self.assertRaises(saccade.Error, saccade.VideoWriter(path + "/v").write, numpy.zeros((4, 6, 3),
                                                                                                 "u1"))


class Measures(unittest.TestCase):
    def test_histograms_are_numpys(self):
        pixels = picture((40, 30, 3))
        numpy.testing.assert_array_equal(saccade.histogram(pixels),
                                         numpy.bincount(pixels.max(axis=2).ravel(), minlength=256))
        self.assertEqual(saccade.histogram(pixels, 16).sum(), 1200)
        for bins in (-1, 0, 1, 70000):
            self.assertRaises(saccade.InvalidError, saccade.histogram, pixels, bins)
        self.assertRaises(saccade.ShapeError, saccade.histogram, pixels.astype("f4"))

    def test_differences_are_numpys(self):
        a, b = clip(2)
        d = abs(a.astype(int) - b).sum(axis=2)
        self.assertEqual(saccade.measure_difference(a, b),
                         {"n_changed": (d > 0).sum(), "sum": d.sum(), "max": d.max()})
        self.assertRaises(saccade.ShapeError, saccade.measure_difference, a, b[:4])

    def test_camera_noise_is_found(self):
        rng = numpy.random.default_rng(5)
        still = rng.integers(50, 200, (100, 120))
        noise = saccade.CameraNoise()
        self.assertRaises(ValueError, noise.figures)
        for _ in range(20):
            noise.add((still + rng.normal(0, 3, still.shape)).round().clip(0, 255).astype("u1"))
        figures = noise.figures()
        self.assertAlmostEqual(figures["random"][-1], 3, delta=0.2)
        self.assertEqual(len(figures["brightness"]), 17)
        self.assertRaises(saccade.Error, noise.figures, 3)

    def test_info_is_the_commands(self):
        info = saccade.info()
        got = json.loads(run_command("info", "--json", "-"))
        self.assertEqual(got["saccade"], info["version"])
        self.assertEqual(saccade.__version__, info["version"])
        self.assertGreater(info["cores"], 0)
        names = [gpu["name"] for gpu in got["rows"][0]["gpus"]]
        self.assertEqual([gpu["name"] for gpu in info["gpus"]], names)


class Ladder(unittest.TestCase):
    def test_rows_are_checked(self):
        rows = saccade.ladder("equalize", w=64, h=48, seconds=1e-3, only="vhist_u8")
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(row["room"], "vhist_u8")
            self.assertTrue(row["ok"] or row["needs"], row)
        own = saccade.ladder("equalize", input=picture((20, 30, 3)), seconds=1e-3, only="vhist_u8:ref")
        self.assertEqual([r["shape"] for r in own], ["30x20x3 u8"])

    def test_bad_ladders_are_exceptions(self):
        self.assertRaises(saccade.InvalidError, saccade.ladder, "cook")
        self.assertRaises(saccade.InvalidError, saccade.ladder, "equalize", only="nothing")
        with self.assertRaises(KeyboardInterrupt):
            saccade.ladder("equalize", w=64, h=48, seconds=1e-3, progress=lambda done, total: False)


if __name__ == "__main__":
    with warnings.catch_warnings():
        unittest.main()

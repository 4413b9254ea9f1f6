"""saccade.Equalize and saccade.equalize: the bytes of the command, for every type and layout."""
import threading
import unittest

import numpy

import saccade
from support import Tensor, folder, layouts, picture, read_pnm, run_command, write_pnm


def by_command(pixels, *options):
    with folder() as path:
        write_pnm(path + "/in.pnm", pixels)
        run_command("equalize", path + "/in.pnm", "-o", path + "/out.pnm", *options)
        return read_pnm(path + "/out.pnm")


class Bytes(unittest.TestCase):
    def test_every_type_shape_and_option_is_the_command(self):
        for options in ({}, {"scale": "max"}, {"clahe": (4, 3), "clip": 3.5}, {"clahe": "5"},
                        {"bins": 64, "threads": 2}):
            words = []
            for name, value in options.items():
                text = "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
                words += ["--" + name, text]
            for shape in ((37, 61), (37, 61, 3)):
                for dtype in ("uint8", "uint16"):
                    pixels = picture(shape, dtype)
                    with self.subTest(options=options, shape=shape, dtype=dtype):
                        expected = by_command(pixels, *words)
                        got = saccade.equalize(pixels, **options)
                        self.assertEqual(got.dtype, pixels.dtype)
                        numpy.testing.assert_array_equal(got, expected)

    def test_every_layout_is_the_same(self):
        for shape in ((40, 24), (40, 24, 3), (40, 24, 4), (40, 24, 2)):
            pixels = picture(shape)
            expected = saccade.equalize(pixels)
            for name, view in layouts(pixels):
                with self.subTest(shape=shape, layout=name):
                    numpy.testing.assert_array_equal(saccade.equalize(view), expected)
                    if name == "read-only":
                        continue
                    out = numpy.zeros_like(view)
                    self.assertIs(saccade.equalize(pixels, out=out), out)
                    numpy.testing.assert_array_equal(out, expected)
            planar = numpy.moveaxis(pixels, 2, 0) if pixels.ndim == 3 else pixels
            got = saccade.equalize(planar, layout="planar")
            numpy.testing.assert_array_equal(numpy.moveaxis(got, 0, 2) if pixels.ndim == 3 else got, expected)

    def test_in_place_is_the_same(self):
        pixels = picture((33, 20, 3))
        expected = saccade.equalize(pixels)
        saccade.equalize(pixels, out=pixels)
        numpy.testing.assert_array_equal(pixels, expected)

    def test_counts_are_numpys(self):
        pixels = picture((33, 20, 3))
        with saccade.Equalize() as plan:
            plan(pixels)
            expected = numpy.bincount(pixels.max(axis=2).ravel(), minlength=256)
            numpy.testing.assert_array_equal(plan.counts(), expected)


class Arrays(unittest.TestCase):
    def test_dlpack_gives_its_own_kind(self):
        pixels = picture((30, 50, 3))
        expected = saccade.equalize(pixels)
        for versioned in (False, True):
            got = saccade.equalize(Tensor(pixels, versioned))
            self.assertIsInstance(got, Tensor)
            numpy.testing.assert_array_equal(got.array, expected)
            out = Tensor(numpy.zeros_like(pixels), versioned)
            self.assertIs(saccade.equalize(pixels, out=out), out)
            numpy.testing.assert_array_equal(out.array, expected)

    def test_buffers_become_numpy(self):
        pixels = picture((30, 50))
        got = saccade.equalize(memoryview(pixels))
        self.assertIsInstance(got, numpy.ndarray)
        numpy.testing.assert_array_equal(got, saccade.equalize(pixels))


class Refusals(unittest.TestCase):
    def refuses(self, error, text, *args, **kwargs):
        with self.assertRaisesRegex(error, text):
            saccade.equalize(*args, **kwargs)

    def test_bad_input_is_an_exception_that_names_it(self):
        good = picture((8, 9, 3))
        read_only = good.copy()
        read_only.setflags(write=False)
        shape, invalid = saccade.ShapeError, saccade.InvalidError
        self.refuses(shape, "picture: .*axes", good[0, 0])
        self.refuses(shape, "picture: .*axes", good[None])
        self.refuses(shape, "picture: .*channels", numpy.zeros((4, 4, 5), "u1"))
        self.refuses(shape, "dtype", good.astype("f4"))
        self.refuses(shape, "picture: .*format", good.astype(">u2"))
        self.refuses(shape, "picture: .*format", good.astype(bool))
        self.refuses(shape, "(w|h)", numpy.zeros((0, 5), "u1"))
        self.refuses(shape, "(w|h)", numpy.zeros((5, 0, 3), "u1"))
        self.refuses(shape, "picture: expected 1 to 6 axes", numpy.array(3, "u1"))
        self.refuses(shape, "out", good, out=good[:, :4].copy())
        self.refuses(shape, "out", good, out=good.astype("u2"))
        self.refuses(invalid, "out: is read-only", good, out=read_only)
        self.refuses(TypeError, "picture: .*array", "picture")
        self.refuses(TypeError, "picture: .*array", None)
        self.refuses(TypeError, "out: .*array", good, out=[1])
        self.refuses(TypeError, "did you mean `smooth`", good, smoth=0.5)
        self.refuses(invalid, "clip: expected 0 to 65536, got -1", good, clip=-1.0)
        self.refuses(invalid, "scale: expected one of first", good, scale="sideways")
        self.refuses(invalid, "clip: expected a number", good, clip=float("nan"))
        self.refuses(TypeError, "bins: expected a whole number", good, bins=2.5)
        self.refuses(invalid, "variant: expected", good, variant="nothing")
        for error in (invalid, shape):
            self.assertTrue(issubclass(error, ValueError))
        self.assertTrue(issubclass(saccade.UnsupportedError, NotImplementedError))

    def test_another_shape_is_refused(self):
        plan = saccade.Equalize()
        plan(picture((8, 9)))
        with self.assertRaisesRegex(saccade.ShapeError, "picture") as caught:
            plan(picture((9, 8)))
        self.assertEqual(caught.exception.status, "SAC_E_SHAPE")

    def test_a_given_shape_is_checked_at_once(self):
        with self.assertRaises(saccade.ShapeError):
            saccade.Equalize(shape=(0, 4))
        plan = saccade.Equalize(shape=(8, 9, 3), dtype="uint16")
        self.assertIn("u16", plan.variant)
        with self.assertRaises(saccade.ShapeError):
            plan(picture((8, 9, 3)))

    def test_a_closed_plan_raises(self):
        plan = saccade.Equalize()
        self.assertEqual(plan.variant, "")
        plan.close()
        plan.close()
        self.assertRaises(RuntimeError, plan, picture((8, 9)))
        self.assertRaises(RuntimeError, plan.counts)


    def test_an_option_cannot_run_the_plan(self):
        plan = saccade.Equalize.__new__(saccade.Equalize)

        class Clip:
            def __str__(self):
                plan(picture((8, 9)))
                return "2"

        self.assertRaises(RuntimeError, plan.__init__, clip=Clip())


class Threads(unittest.TestCase):
    def test_a_plan_in_two_threads_raises_and_stays_sound(self):
        pixels = picture((600, 800, 3))
        plan = saccade.Equalize(threads=1)
        expected = plan(pixels)
        raised, wrong = [], []

        def work():
            for _ in range(30):
                try:
                    if not (plan(pixels) == expected).all():
                        wrong.append(1)
                except RuntimeError as error:
                    raised.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertFalse(wrong)
        self.assertTrue(all("another thread" in text for text in raised))
        numpy.testing.assert_array_equal(plan(pixels), expected)

    def test_eight_plans_at_once_are_right(self):
        pictures = [picture((120, 160, 3), seed=i) for i in range(8)]
        expected = [saccade.equalize(p) for p in pictures]
        got = [None] * 8

        def work(i):
            with saccade.Equalize(threads=1) as plan:
                for _ in range(20):
                    got[i] = plan(pictures[i])

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for a, b in zip(got, expected):
            numpy.testing.assert_array_equal(a, b)


if __name__ == "__main__":
    unittest.main()

"""Misuse: what a user passes in by mistake is an exception that names it, never a crash or a wrong result."""
import ctypes
import gc
import os
import sys
import time
import unittest
import weakref

import numpy

import saccade
from saccade import _core
from support import folder, picture

ACQUISITION = saccade.Acquisition(saccade.Probe.linear(4, 3e-4), "plane:2:5", 20e6, 5e6)
GRID = saccade.Grid(x=(-1e-3, 1e-3, 8), z=(1e-3, 5e-3, 16))


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class OnGpu:
    """A tensor that says it is in a GPU's memory, at an address that nobody may read."""

    def __init__(self, shape, dtype="u1"):
        self.dtype, self.ndim = numpy.dtype(dtype), len(shape)
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.tensor = _Tensor(0x1000, (2, 0), len(shape), {"u": 1, "f": 2}[self.dtype.kind],
                              8 * self.dtype.itemsize, 1, ctypes.addressof(self.shape))

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


class Memory(unittest.TestCase):
    def test_a_gpus_memory_is_not_read_by_the_cpu(self):
        rf = numpy.zeros((2, 4, 64), "f4")
        with folder() as path:
            for call in (lambda: saccade.Beamform(ACQUISITION, points_m=OnGpu((9, 3), "f8")),
                         lambda: _core.write_image(path + "/i.npy", OnGpu((1, 16, 8), "f4"), GRID, "bmode",
                                                   60.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
                         lambda: _core.write_recording(path + "/r.npy", OnGpu((1, 2, 4, 64), "f4"),
                                                       ACQUISITION, None),
                         lambda: _core.write_frames(path + "/f.h5", OnGpu((8, 96, 96)), None, None, None,
                                                    0.0),
                         lambda: _core.simulate_ultrasound(rf, ACQUISITION, OnGpu((3, 4), "f8"), 0.0, 0.0, 0,
                                                           1, None, None, None, 0.0),
                         lambda: _core.ladder("equalize", 0, 0, OnGpu((8, 9, 3)), 1, 0.01, None, None, "cpu",
                                              None)):
                with self.assertRaisesRegex(saccade.ShapeError, "CPU"):
                    call()

    def test_out_that_overlaps_is_refused(self):
        memory = picture((17, 12, 3))
        first, second = memory[:16], memory[1:]
        other = picture((16, 12, 3), seed=2)
        for kind, args, out in ((saccade.Equalize, (first,), second), (saccade.Denoise, (first,), second),
                                (saccade.Heatmap, (first, other), second), (saccade.Noise, (other, first),
                                                                            second),
                                (saccade.Adjust, (first,), second),
                                (saccade.Equalize, (first,), first[::-1]),
                                (saccade.Equalize, (second,), memory[15::-1])):
            before = memory.copy()
            with self.assertRaisesRegex(saccade.InvalidError, "out: overlaps (picture|frame|previous)"):
                kind(threads=1)(*args, out=out)
            numpy.testing.assert_array_equal(memory, before)

    def test_out_between_the_pictures_rows_is_right(self):
        pixels = picture((16, 12, 3))
        memory = numpy.zeros((32, 12, 3), "u1")
        memory[::2] = pixels
        got = saccade.equalize(memory[::2], out=memory[1::2], threads=1)
        numpy.testing.assert_array_equal(got, saccade.equalize(pixels, threads=1))
        numpy.testing.assert_array_equal(memory[::2], pixels)

    def test_an_image_of_any_strides_is_written(self):
        image = numpy.asfortranarray(numpy.random.default_rng(1).random((1, 16, 8)).astype("f4"))
        with folder() as path:
            saccade.write_image(path + "/i.npy", image, GRID, "envelope")
            with self.assertRaisesRegex(saccade.InvalidError, "bmode is at most 0 dB"):
                saccade.write_image(path + "/b.npy", image, GRID)
            numpy.testing.assert_array_equal(numpy.load(path + "/i.npy"), image)


class Structs(unittest.TestCase):
    def test_structs_of_another_type_are_refused(self):
        frames = numpy.zeros((2, 96, 96), "u1")
        plan, rows = saccade.Meltpool(threads=1), numpy.ones((2, 4), "i4")
        plan(frames, rows)
        turned = numpy.zeros(2, [(name, "i4") for name in ("x", "y", "laser_on", "counter")])
        for wrong in (rows.astype("f4"), rows.astype(">i4"), rows.view("u4"), rows.view("c16").reshape(2),
                      rows.view("S16").reshape(2), turned):
            with self.subTest(dtype=wrong.dtype), self.assertRaisesRegex(saccade.ShapeError, "SIGNALS"):
                plan(frames, wrong)
        for wrong in (numpy.zeros(2, "V%d" % saccade.RECORD.itemsize), numpy.zeros((2, 52), "f4")):
            with self.assertRaisesRegex(saccade.ShapeError, "RECORD"):
                plan(frames, rows, wrong)
        plan(frames, numpy.zeros(2, saccade.SIGNALS).view(numpy.recarray))


class Options(unittest.TestCase):
    def test_types_of_numpy_have_many_names(self):
        for dtype in ("u2", numpy.uint16, numpy.dtype("uint16"), "uint16", "H"):
            self.assertIn("u16", saccade.Equalize((8, 9), dtype=dtype).variant)
        for dtype in ("wrong", ">u2", "f4", 3):
            with self.assertRaisesRegex((ValueError, TypeError), "dtype"):
                saccade.Equalize((8, 9), dtype=dtype)

    def test_numbers_of_numpy_are_numbers(self):
        class Odd(float):  # as NumPy 2 shows its float64
            def __repr__(self):
                return "np.float64(0.5)"

        frame = picture((8, 9, 3))
        saccade.Equalize((8, 9), smooth=Odd(0.5), threads=numpy.int64(1))
        saccade.DeltaDecoder(max_pixels=numpy.int64(100))
        saccade.DeltaDecoder(max_pixels=None)
        seeds = [saccade.simulate_meltpool(2, seed=seed)[0] for seed in (3, numpy.int64(3))]
        numpy.testing.assert_array_equal(*seeds)
        try:
            self.assertEqual(saccade.DeltaEncoder(scene_change=None)(frame, numpy.uint64(5)).time_ns, 5)
        except saccade.UnsupportedError:
            pass

    def test_numbers_out_of_range_are_refused(self):
        for call in (lambda: saccade.simulate_meltpool(2, seed=(1 << 64) + 1),
                     lambda: saccade.simulate_meltpool(2, seed=-1),
                     lambda: saccade.phantom("cyst", seed=1 << 64),
                     lambda: saccade.read_picture("x", max_pixels=-1),
                     lambda: saccade.read_recording("x", max_bytes=1 << 64),
                     lambda: saccade.Equalize(stream=-1)):
            self.assertRaises(OverflowError, call)

    def test_texts_end_where_they_end(self):
        for options in ({"threads": "1\0x"}, {"layout": "planar\0x"}, {"threads\0x": 1}):
            with self.assertRaisesRegex(saccade.InvalidError, "character 0"):
                saccade.Equalize(**options)

    def test_an_argument_is_given_once(self):
        for kind, args, kwargs in ((saccade.Equalize, ((8, 9),), {"shape": (4, 4)}),
                                   (saccade.Beamform, (ACQUISITION,), {"acquisition": ACQUISITION})):
            with self.assertRaisesRegex(TypeError, "(shape|acquisition): is given twice"):
                kind(*args, **kwargs)

    def test_a_stream_reaches_a_plan_whose_shape_is_given(self):
        with self.assertRaisesRegex(saccade.InvalidError, "stream"):
            saccade.Equalize((8, 9), stream=5)

    def test_what_is_no_acquisition_is_named(self):
        with self.assertRaisesRegex(TypeError, "acquisition: expected a saccade.Acquisition"):
            saccade.Beamform(3)
        with self.assertRaisesRegex(TypeError, "grid: expected a saccade.Grid or Sector"):
            saccade.Beamform(ACQUISITION, 3)
        class Odd:
            def _pack(self):
                return (numpy.zeros((4, 8)), None, [3], 20e6, 5e6, 0.0, 0.0, 1540.0, 0.0, "record", 1, 0.0)

        with self.assertRaisesRegex(TypeError, "transmits: expected"):
            saccade.Beamform(Odd())
        with self.assertRaisesRegex(TypeError, "acquisition: is missing"):
            saccade.beamform(numpy.zeros((1, 2, 4, 64), "f4"))


class Files(unittest.TestCase):
    def test_errors_show_paths_that_are_no_utf_8(self):
        for path in (b"/nowhere/\xff.pnm", "/nowhere/\udcff.pnm"):
            with self.assertRaisesRegex(saccade.FileError, r"nowhere/\\xff.pnm.*No such"):
                saccade.read_picture(path)

    def test_a_decoder_does_not_repeat_its_picture(self):
        frame = picture((8, 9, 3))
        try:
            packet = saccade.DeltaEncoder(threshold=0)(frame, 0)
        except saccade.UnsupportedError as error:
            self.skipTest(str(error))
        for wrong in (numpy.zeros((2, 8, 9, 3), "u1"), numpy.zeros((8, 9, 3), "u2")):
            with self.assertRaisesRegex(saccade.ShapeError, "out"):
                saccade.DeltaDecoder()(packet, wrong)


class Cycles(unittest.TestCase):
    def test_objects_that_know_each_other_are_freed(self):
        class Owner:
            def __init__(self, open_one):
                self.it = open_one(self.work)
                self.times = 0

            def work(self, *unused):
                self.times += 1

        for open_one in (lambda work: saccade.Beamform(ACQUISITION, progress=work),
                         lambda work: saccade.Stream(work, (4,))):
            for _ in range(20):
                owner = Owner(open_one)
                if isinstance(owner.it, saccade.Stream):
                    owner.it.put(1)
                seen = weakref.ref(owner)
                del owner
                for _ in range(100):  # the worker may be in the work
                    gc.collect()
                    if seen() is None:
                        break
                    time.sleep(0.01)
                self.assertIsNone(seen())


class Forks(unittest.TestCase):
    def in_child(self, call):
        """Runs a call in a fork of this process; False where it does not end."""
        pid = os.fork()
        if pid == 0:
            try:
                call()
            finally:
                os._exit(0)
        for _ in range(200):
            if os.waitpid(pid, os.WNOHANG)[0]:
                return True
            time.sleep(0.05)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        return False

    def test_a_fork_ends_while_plans_and_streams_are_open(self):
        pixels = picture((400, 500, 3))
        plan, stream = saccade.Equalize(threads=2), saccade.Stream(lambda f, n: time.sleep(0.3), (4,))
        expected = plan(pixels)
        stream.put(1)
        stream.put(1)
        self.assertTrue(self.in_child(plan.close))
        self.assertTrue(self.in_child(stream.close))
        self.assertTrue(self.in_child(sys.modules["saccade._stream"]._close_all))
        numpy.testing.assert_array_equal(plan(pixels), expected)
        stream.close()

    def test_a_fork_does_not_finish_a_file(self):
        frame = picture((8, 8, 3))
        try:
            encoder = saccade.DeltaEncoder(threshold=0)
            packets = [encoder(frame, i) for i in range(2)]
        except saccade.UnsupportedError as error:
            self.skipTest(str(error))
        with folder() as path:
            writer = saccade.SdvWriter(path + "/v.sdv")
            writer.write(packets[0])

            def forget():
                writer._handle = None

            self.in_child(forget)
            writer.write(packets[1])
            writer.close()
            self.assertEqual(list(saccade.SdvReader(path + "/v.sdv")), packets)


if __name__ == "__main__":
    unittest.main()

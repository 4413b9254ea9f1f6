"""saccade.Heatmap, Noise, Denoise and Adjust: the bytes of the command, frame after frame."""
import unittest

import numpy

import saccade
from support import Tensor, folder, layouts, picture, run_command


def clip(n=5, h=33, w=47, channels=3, seed=3):
    """A still scene with noise, and a square that moves."""
    rng = numpy.random.default_rng(seed)
    still = rng.integers(40, 200, (h, w, channels))
    frames = []
    for i in range(n):
        frame = still + rng.integers(-12, 13, still.shape)
        frame[5:12, 3 * i:3 * i + 7] = 250
        frames.append(frame.clip(0, 255).astype("u1"))
    return numpy.stack(frames)


def by_command(command, frames, *options, channels=3):
    """Raw frames through the command."""
    n, h, w = frames.shape[:3]
    with folder() as path:
        ending = {1: "gray", 3: "rgb"}
        frames.tofile("%s/in.%s" % (path, ending[frames.shape[3]]))
        run_command(command, "%s/in.%s" % (path, ending[frames.shape[3]]), "--size", "%dx%d" % (w, h), "-o",
                    "%s/out.%s" % (path, ending[channels]), *options)
        return numpy.fromfile("%s/out.%s" % (path, ending[channels]), "u1").reshape(n, h, w, channels)


class Bytes(unittest.TestCase):
    def same(self, command, plan, options, frames, channels):
        words = [w for k, v in options.items() for w in ("--" + k, str(v))]
        expected = by_command(command, frames, *words, channels=channels)
        shape = frames.shape[1:3] if frames.shape[3] == 1 else frames.shape[1:]
        for i, frame in enumerate(frames):
            frame = frame.reshape(shape)
            got = plan(frame)
            if command in ("denoise", "adjust") or i:
                with self.subTest(command=command, options=options, frame=i):
                    numpy.testing.assert_array_equal(got.reshape(expected[i].shape), expected[i])
            else:
                self.assertIsNone(got)

    def test_every_option_is_the_command(self):
        color, gray = clip(), clip(channels=1)
        for options in ({}, {"map": "turbo"}, {"map": "viridis", "scale": 300}, {"threads": 2}):
            self.same("heatmap", saccade.Heatmap(**options), options, color, 3)
            self.same("heatmap", saccade.Heatmap(**options), options, gray, 3)
        for options in ({}, {"view": "overlay"}, {"view": "pure", "threshold": 9}):
            self.same("noise", saccade.Noise(**options), options, color, 3)
            self.same("noise", saccade.Noise(**options), options, gray, 1)
        for options in ({}, {"method": "median"}, {"method": "median", "window": 5}, {"method": "mean"},
                        {"method": "gaussian", "sigma": 1.3}, {"strength": 0.5, "noise": 3.5}):
            self.same("denoise", saccade.Denoise(**options), options, color, 3)
            self.same("denoise", saccade.Denoise(**options), options, gray, 1)
        for options in ({}, {"gain": 1.7}, {"contrast": 1.4, "brightness": -7.5}, {"saturation": 2.2, "gain": 0.5}):
            self.same("adjust", saccade.Adjust(**options), options, color, 3)
        self.same("adjust", saccade.Adjust(gain=1.7), {"gain": 1.7}, gray, 1)

    def test_given_previous_frames_are_the_same_as_kept_ones(self):
        frames = clip()
        for kind in (saccade.Heatmap, saccade.Noise):
            kept, given = kind(), kind()
            kept(frames[0])
            for previous, frame in zip(frames, frames[1:]):
                numpy.testing.assert_array_equal(kept(frame), given(frame, previous))

    def test_every_layout_is_the_same(self):
        current, previous = clip(2)
        for once, args in ((saccade.heatmap, True), (saccade.noise, True), (saccade.denoise, False),
                           (saccade.adjust, False)):
            expected = once(current, previous) if args else once(current)
            for name, view in layouts(current):
                with self.subTest(once=once.__name__, layout=name):
                    got = once(view, previous) if args else once(view)
                    numpy.testing.assert_array_equal(got, expected)
                    if name == "read-only":
                        continue
                    out = numpy.zeros_like(view)
                    got = once(current, previous, out=out) if args else once(current, out=out)
                    self.assertIs(got, out)
                    numpy.testing.assert_array_equal(out, expected)

    def test_bits_are_the_mask(self):
        current, previous = clip(2, channels=1)[..., 0]
        plan = saccade.Noise(view="bits")
        bits = plan(current, previous)
        self.assertEqual(bits.shape, (33, 6))
        changed = abs(current.astype(int) - previous) > 20
        numpy.testing.assert_array_equal(numpy.unpackbits(bits, axis=1, bitorder="little")[:, :47], changed)
        self.assertEqual(plan.changed, changed.sum())

    def test_dlpack_gives_its_own_kind(self):
        current, previous = clip(2)
        got = saccade.heatmap(Tensor(current), Tensor(previous, True))
        self.assertIsInstance(got, Tensor)
        numpy.testing.assert_array_equal(got.array, saccade.heatmap(current, previous))

    def test_controls_move_between_frames(self):
        frames = clip()
        plan = saccade.Adjust(gain=1.5)
        numpy.testing.assert_array_equal(plan(frames[0]), saccade.adjust(frames[0], gain=1.5))
        plan.set(saturation=0.4, brightness=-8)
        expected = saccade.adjust(frames[1], gain=1.5, saturation=0.4, brightness=-8)
        numpy.testing.assert_array_equal(plan(frames[1]), expected)
        for error, options in ((saccade.InvalidError, {"gain": 17}), (saccade.InvalidError, {"contrast": "much"}),
                               (TypeError, {"threads": 2}), (TypeError, {"hue": 3})):
            with self.assertRaises(error):
                plan.set(brightness=50, **options)
        with self.assertRaises(TypeError):
            plan.set(3)
        numpy.testing.assert_array_equal(plan(frames[1]), expected)
        plan.set(gain=1, saturation=1, brightness=0)
        own = frames[2].copy()
        self.assertIs(plan(own, out=own), own)
        numpy.testing.assert_array_equal(own, frames[2])

    def test_adjust_knows_the_order_and_keeps_a_fourth_channel(self):
        frame = clip(1)[0]
        gray = saccade.adjust(frame, saturation=0)
        swapped = saccade.adjust(frame[..., ::-1].copy(), saturation=0, order="bgr")
        numpy.testing.assert_array_equal(swapped, gray)
        four = numpy.dstack((frame, frame[..., 0]))
        got = saccade.adjust(four, saturation=0)
        numpy.testing.assert_array_equal(got[..., :3], gray)
        numpy.testing.assert_array_equal(got[..., 3], frame[..., 0])

    def test_controls_that_are_set_before_the_first_frame_hold(self):
        frame = clip(1)[0]
        plan = saccade.Adjust()
        plan.set(gain=2)
        numpy.testing.assert_array_equal(plan(frame), saccade.adjust(frame, gain=2))

    def test_reset_begins_another_video(self):
        frames = clip()
        plan = saccade.Denoise()
        first = [plan(f) for f in frames]
        self.assertGreater(plan.noise, 0)
        plan.reset()
        for frame, expected in zip(frames, first):
            numpy.testing.assert_array_equal(plan(frame), expected)


class Refusals(unittest.TestCase):
    def test_bad_input_is_an_exception_that_names_it(self):
        frame = picture((8, 9, 3))
        cases = [
            ("frame: expected uint8", saccade.heatmap, (frame.astype("u2"), frame), {}),
            ("frame: .*channels", saccade.noise, (numpy.zeros((4, 4, 5), "u1"), frame), {}),
            ("n_channels", saccade.heatmap, (frame[..., :2], frame[..., :2]), {}),
            ("frame: .*axes", saccade.denoise, (frame[0, 0],), {}),
            ("previous", saccade.heatmap, (frame, frame[:4]), {}),
            ("previous", saccade.noise, (frame, frame.astype("i4")), {}),
            ("out", saccade.heatmap, (frame, frame), {"out": frame[..., 0].copy()}),
            ("out", saccade.denoise, (frame,), {"out": frame[:4].copy()}),
            ("w|h", saccade.denoise, (frame[:0],), {}),
            ("n_channels", saccade.adjust, (frame[..., :2],), {}),
            ("out", saccade.adjust, (frame,), {"out": frame[:4].copy()}),
        ]
        for text, function, args, kwargs in cases:
            with self.subTest(text=text, function=function.__name__):
                with self.assertRaisesRegex(saccade.ShapeError, text):
                    function(*args, **kwargs)
        for text, function, kwargs in (("threshold: expected 0 to 255", saccade.Noise, {"threshold": 256}),
                                       ("map: expected one of", saccade.Heatmap, {"map": "rainbow"}),
                                       ("order: expected one of", saccade.Heatmap, {"order": "gbr"}),
                                       ("device: ", saccade.Denoise, {"device": "tpu"})):
            with self.assertRaisesRegex(saccade.InvalidError, text):
                function(**kwargs)

    def test_previous_is_needed_by_a_plan_that_keeps_none(self):
        current, previous = clip(2)
        plan = saccade.Heatmap()
        plan(current, previous)
        with self.assertRaisesRegex(saccade.Error, "previous"):
            plan(current)


if __name__ == "__main__":
    unittest.main()

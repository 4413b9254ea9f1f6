"""saccade.DeltaEncoder and DeltaDecoder: the packets and pictures of the command."""
import unittest

import numpy

import saccade
from support import Tensor, folder, run_command
from test_motion import clip


class Bytes(unittest.TestCase):
    def setUp(self):
        try:
            saccade.DeltaEncoder(shape=(8, 8))
        except saccade.UnsupportedError as error:
            self.skipTest(str(error))

    def test_streams_are_the_commands(self):
        frames = clip(12, 48, 64)
        with folder() as path:
            frames.tofile(path + "/in.rgb")
            for options in ({}, {"threshold": 0}, {"threshold": 5, "level": 3, "key_interval": 0.2},
                            {"fast": True}):
                words = []
                for key, value in options.items():
                    words += ["--" + key.replace("_", "-")] + ([] if value is True else [str(value)])
                run_command("delta", "encode", path + "/in.rgb", "--size", "64x48", "-o", path + "/c.sdv",
                            *words)
                with saccade.SdvReader(path + "/c.sdv") as reader:
                    expected = list(reader)
                encoder, decoder = saccade.DeltaEncoder(order="rgb", **options), saccade.DeltaDecoder()
                with saccade.SdvWriter(path + "/p.sdv") as writer:
                    for frame, packet in zip(frames, expected):
                        got = encoder(frame, packet.time_ns)
                        with self.subTest(options=options, frame=packet.frame):
                            self.assertEqual(got, packet)
                        writer.write(got)
                        picture = decoder(got)
                        off = abs(picture.astype(int) - frame).max()
                        self.assertLessEqual(off, options.get("threshold", 20))
                        self.assertEqual((decoder.frame, decoder.time_ns), (got.frame, got.time_ns))
                with open(path + "/c.sdv", "rb") as a, open(path + "/p.sdv", "rb") as b:
                    self.assertEqual(a.read(), b.read())
                self.assertEqual(decoder.counts()["frames"], 12)

    def test_out_and_views_are_the_same(self):
        frames = clip(3, 48, 64)
        plain, other = saccade.DeltaEncoder(threshold=0), saccade.DeltaEncoder(threshold=0)
        decoder = saccade.DeltaDecoder()
        for i, frame in enumerate(frames):
            packet = plain(frame, i)
            self.assertEqual(packet, other(Tensor(numpy.asfortranarray(frame)), i))
            out = numpy.zeros((48, 128, 3), "u1")[:, ::-2]
            self.assertIs(decoder(packet.data, out=out), out)
            numpy.testing.assert_array_equal(out, frame)

    def test_damage_is_an_exception_and_a_keyframe_mends_it(self):
        frames = clip(4, 48, 64)
        encoder, decoder = saccade.DeltaEncoder(threshold=0), saccade.DeltaDecoder()
        numpy.testing.assert_array_equal(decoder(encoder(frames[0], 0)), frames[0])
        damaged = bytearray(encoder(frames[1], 1).data)
        damaged[-1] ^= 255
        for bytes_ in (damaged, b"", b"nothing", memoryview(b"x" * 1000)):
            self.assertRaises(saccade.FormatError, decoder, bytes_)
        self.assertTrue(decoder.wants_key)
        self.assertIsNone(decoder(encoder(frames[2], 2)))
        encoder.key()
        packet = encoder(frames[3], 3)
        self.assertTrue(packet.is_key)
        numpy.testing.assert_array_equal(decoder(packet), frames[3])
        self.assertGreater(decoder.counts()["damaged"] + decoder.counts()["foreign"], 0)

    def test_bad_input_is_an_exception(self):
        frame = clip(1)[0]
        encoder, decoder = saccade.DeltaEncoder(), saccade.DeltaDecoder()
        encoder(frame, 10)
        self.assertRaises(saccade.ShapeError, encoder, frame[:5], 11)
        self.assertRaises(saccade.ShapeError, encoder, frame.astype("u2"), 11)
        self.assertRaises(OverflowError, encoder, frame, -1)
        self.assertRaises(TypeError, decoder, 3)
        self.assertRaises(TypeError, decoder, "text")
        self.assertRaises(OSError, saccade.SdvReader, "/nowhere/x.sdv")
        packet = saccade.DeltaEncoder()(frame, 0)
        self.assertRaises(ValueError, decoder, packet, numpy.zeros((1, 2, 3), "u1"))


if __name__ == "__main__":
    unittest.main()

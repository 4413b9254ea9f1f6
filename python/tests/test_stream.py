"""saccade.Stream: every frame is counted, and nothing that the work does is a crash."""
import subprocess
import sys
import threading
import unittest

import numpy

import saccade


class Frames(unittest.TestCase):
    def test_every_frame_arrives_in_order(self):
        seen, numbers = [], []

        def work(frames, given):
            seen.extend(frames.copy())
            numbers.extend(given)

        with saccade.Stream(work, (4, 6), "uint16", capacity=8, batch_max=3) as stream:
            for i in range(200):
                stream.slot()[...] = i
                self.assertTrue(stream.send())
        self.assertFalse(stream.send())
        counts = stream.counts()
        self.assertEqual((counts["processed"], counts["refused"], counts["waiting"]), (200, 1, 0))
        self.assertEqual(numbers, list(range(200)))
        numpy.testing.assert_array_equal(seen, numpy.arange(200)[:, None, None] * numpy.ones((4, 6)))
        self.assertEqual(stream.latency()["count"], 200)

    def test_a_pipeline_runs_in_the_worker(self):
        frames, signals, _ = saccade.simulate_meltpool(300, seed=9)
        expected = saccade.Meltpool(locate="brightest")(frames)
        plan, records = saccade.Meltpool(locate="brightest"), []
        with saccade.Stream(lambda batch, numbers: records.append(plan(batch)), (96, 96)) as stream:
            for frame in frames:
                stream.put(frame)
        numpy.testing.assert_array_equal(numpy.concatenate(records)["features"], expected["features"])

    def test_frames_that_are_dropped_are_counted(self):
        go_on, began = threading.Event(), threading.Event()

        def work(frames, numbers):
            began.set()
            go_on.wait(60)

        stream = saccade.Stream(work, (4,), capacity=2, batch_max=1, policy="drop-newest")
        stream.send()
        self.assertTrue(began.wait(60))
        for _ in range(20):
            stream.send()
        go_on.set()
        stream.stop()
        counts = stream.counts()
        self.assertEqual(counts["received"], 21)
        self.assertEqual(counts["processed"] + counts["dropped"], 21)
        self.assertGreater(counts["dropped"], 0)


class Misuse(unittest.TestCase):
    def test_kept_frames_outlive_the_stream(self):
        kept = []
        stream = saccade.Stream(lambda frames, numbers: kept.append(frames), (1000,))
        for i in range(5):
            stream.put(i)
        slot = stream.slot()
        stream.close()
        del stream
        slot[...] = 1
        self.assertEqual(sum(len(k) for k in kept), 5)
        kept[0][...] = 3

    def test_an_exception_ends_the_stream(self):
        said = []
        hook, sys.unraisablehook = sys.unraisablehook, lambda what: said.append(what.exc_value)
        try:
            stream = saccade.Stream(lambda frames, numbers: 1 / 0, (4,))
            while stream.send():
                pass
            stream.stop()
        finally:
            sys.unraisablehook = hook
        self.assertTrue(stream.failed)
        self.assertIsInstance(said[0], ZeroDivisionError)
        self.assertEqual(len(said), 1)
        self.assertEqual(stream.counts()["processed"], 0)

    def test_the_work_cannot_wait_for_itself(self):
        errors = []

        def work(frames, numbers):
            for call in (stream.stop, stream.close, stream.send):
                try:
                    call()
                except RuntimeError as error:
                    errors.append(error)
            stream.request_stop()

        stream = saccade.Stream(work, (4,))
        stream.send()
        stream.stop()
        self.assertEqual(len(errors), 3)
        stream.close()
        stream.close()
        self.assertRaises(RuntimeError, stream.slot)
        self.assertRaises(RuntimeError, stream.counts)
        self.assertTrue(stream.is_stopping)

    def test_a_stream_that_only_its_work_knows_ends(self):
        done = threading.Event()
        box = []

        def work(frames, numbers):
            box.clear()
            done.set()

        box.append(saccade.Stream(work, (4,)))
        stream = box[0]
        stream.send()
        del stream
        self.assertTrue(done.wait(60))

    def test_bad_options_are_exceptions(self):
        def work(frames, numbers):
            pass

        for error, text, args, options in (
                (saccade.InvalidError, "capacity: expected", (work, (4,)), {"capacity": 0}),
                (TypeError, "did you mean `policy`", (work, (4,)), {"polic": "wait"}),
                (TypeError, "work: expected", (3, (4,)), {}),
                (saccade.InvalidError, "frame_bytes", (work, (0, 4)), {}),
                (saccade.ShapeError, "shape", (work, (1,) * 6), {}),
                (saccade.ShapeError, "shape", (work, ()), {})):
            with self.assertRaisesRegex(error, text):
                saccade.Stream(*args, **options)

    def test_a_stream_left_open_does_not_keep_the_interpreter(self):
        program = ("import saccade, time\n"
                   "s = saccade.Stream(lambda f, n: time.sleep(0.01), (4,))\n"
                   "[s.send() for _ in range(20)]\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()

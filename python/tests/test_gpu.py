"""On an NVIDIA GPU: NumPy gives the CPU's bytes; PyTorch and CuPy are used in place, on a given stream."""
import importlib
import sys
import unittest

import numpy

import saccade
from support import picture
from test_beamform import GRID, acquisition, channels
from test_motion import clip


def libraries():
    """PyTorch and CuPy, as far as they are here and see a GPU: name, module, array to the GPU, and back."""
    found = []
    for name in ("torch", "cupy"):
        try:
            module = importlib.import_module(name)
            if name == "torch" and module.cuda.is_available():
                found.append((name, module, lambda a, m=module: m.from_numpy(a).cuda(),
                              lambda t: t.cpu().numpy()))
            elif name == "cupy" and module.cuda.runtime.getDeviceCount():
                found.append((name, module, module.asarray, module.asnumpy))
        except Exception as error:  # a library without its driver fails in ways of its own
            print("%s: %s" % (name, error))
    return found


class Numpy(unittest.TestCase):
    def test_the_cpus_bytes(self):
        pixels, frames = picture((123, 77, 3)), clip()
        numpy.testing.assert_array_equal(saccade.equalize(pixels, device="cuda"), saccade.equalize(pixels))
        for kind, options in ((saccade.Heatmap, {}), (saccade.Noise, {"view": "overlay"}),
                              (saccade.Denoise, {"method": "median"}), (saccade.Denoise, {}),
                              (saccade.Adjust, {"saturation": 2, "gain": 1.2})):
            gpu, cpu = kind(device="cuda", **options), kind(**options)
            for frame in frames:
                a, b = gpu(frame), cpu(frame)
                if b is not None:
                    numpy.testing.assert_array_equal(a, b)
        build, signals, _ = saccade.simulate_meltpool(200)
        a = saccade.meltpool(build, signals, calibration="simulated", device="cuda")
        b = saccade.meltpool(build, signals, calibration="simulated")
        numpy.testing.assert_array_equal(a["features"][:, :20], b["features"][:, :20])

    def test_beamform_is_the_cpus_within_its_bound(self):
        a = acquisition()
        rf = channels(a)
        gpu = saccade.beamform(rf, a, GRID, kind="iq", device="cuda")
        cpu = saccade.beamform(rf, a, GRID, kind="iq")
        numpy.testing.assert_allclose(gpu, cpu, atol=abs(cpu).max() * 1e-4)


class InPlace(unittest.TestCase):
    def setUp(self):
        self.libraries = libraries()
        if not self.libraries:
            self.skipTest("neither PyTorch nor CuPy sees a GPU")

    def test_results_are_of_the_kind_and_memory_that_came(self):
        pixels = picture((123, 77, 3))
        current, previous = clip(2)
        a = acquisition()
        rf = channels(a)
        image = saccade.beamform(rf, a, GRID, kind="envelope", device="cuda")
        for name, module, up, down in self.libraries:
            with self.subTest(library=name):
                x = up(pixels)
                got = saccade.equalize(x)
                self.assertIs(type(got), type(x))
                self.assertEqual(str(got.device), str(x.device))
                numpy.testing.assert_array_equal(down(got), saccade.equalize(pixels))
                self.assertIs(saccade.equalize(x, out=x), x)
                numpy.testing.assert_array_equal(down(x), saccade.equalize(pixels))
                numpy.testing.assert_array_equal(down(saccade.heatmap(up(current), up(previous))),
                                                 saccade.heatmap(current, previous))
                got = saccade.beamform(up(rf), a, GRID, kind="envelope")
                numpy.testing.assert_allclose(down(got), image, atol=image.max() * 1e-5)

    def test_a_given_stream_is_worked_on(self):
        pixels = picture((1080, 1920, 3))
        for name, module, up, down in self.libraries:
            stream = module.cuda.Stream()
            inside = module.cuda.stream(stream) if name == "torch" else stream
            plan = saccade.Equalize(stream=stream)
            with self.subTest(library=name), inside:
                x = up(pixels)
                for _ in range(20):
                    got = plan(x)
                stream.synchronize()
                numpy.testing.assert_array_equal(down(got), saccade.equalize(pixels))

    def test_nothing_is_copied_to_the_host(self):
        module = next((m for name, m, _, _ in self.libraries if name == "torch"), None)
        if not module:
            self.skipTest("PyTorch's profiler is not here")
        from torch.profiler import ProfilerActivity, profile
        a = acquisition()
        rf = module.from_numpy(channels(a)).cuda()
        plan = saccade.Beamform(a, GRID, kind="envelope")
        out = plan(rf)
        module.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            for _ in range(5):
                plan(rf, out)
            module.cuda.synchronize()
        copies = [e.key for e in seen.key_averages() if "Memcpy" in e.key and "DtoD" not in e.key]
        self.assertFalse(copies)

    def test_memory_of_the_other_kind_is_refused(self):
        pixels = picture((12, 16, 3))
        for name, module, up, down in self.libraries:
            plan = saccade.Equalize()
            plan(up(pixels))
            with self.subTest(library=name), self.assertRaises(saccade.Error):
                plan(pixels)


if __name__ == "__main__":
    if not saccade.info()["gpus"]:
        print("SKIPPED: no NVIDIA GPU, or a build without CUDA")
        sys.exit(77)
    unittest.main()

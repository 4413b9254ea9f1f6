#!/usr/bin/env python3
"""Heat maps, noise views and filters on a GPU by CuPy and PyTorch, as bench_motion --device cuda shows them.

usage: motion_gpu_peers.py

Each works on 64 different frames in device memory, in turn, so that no input is in the L2 cache, timed by CUDA events
over all frames. Prints a line each: job, peer and nanoseconds of a frame, with tabs between them. A peer that is not
installed is left out.

SPDX-License-Identifier: Apache-2.0
"""
import functools
import statistics
import sys

N_FRAMES = 64
RUNS = 11
THRESHOLD = 20
SIZES = {"1920x1080": (1080, 1920), "3840x2160": (2160, 3840)}

HEAT = """
int d = 0;
for (int c = 0; c < 3; c++)
    d += abs((int)current[3 * i + c] - (int)previous[3 * i + c]);
for (int c = 0; c < 3; c++)
    out[3 * i + c] = table[3 * d + c];
"""
NOISE = """
int most = 0;
for (int c = 0; c < 3; c++)
    most = max(most, abs((int)current[3 * i + c] - (int)previous[3 * i + c]));
bool differs = most > 20;
out[3 * i] = differs ? 255 : %s;
out[3 * i + 1] = %s;
out[3 * i + 2] = %s;
"""


def frame_time(event, milliseconds, run, frames):
    """Nanoseconds of a frame in the median run; event() makes an event, milliseconds(start, end) are between two."""
    def all_frames():
        for i in range(N_FRAMES):
            run(frames[i + 1], frames[i])

    all_frames()
    ns = []
    for _ in range(RUNS):
        start, end = event(), event()
        start.record()
        all_frames()
        end.record()
        end.synchronize()
        ns.append(milliseconds(start, end) * 1e6 / N_FRAMES)
    return statistics.median(ns)


def cupy_peers():
    try:
        import cupy
        from cupyx.scipy import ndimage
    except ImportError:
        print("CuPy is not installed: left out", file=sys.stderr)
        return

    time = functools.partial(frame_time, cupy.cuda.Event, cupy.cuda.get_elapsed_time)

    def kernel(name, code):
        return cupy.ElementwiseKernel("raw uint8 current, raw uint8 previous, raw uint8 table", "raw uint8 out", code, name)

    table = cupy.random.randint(0, 256, 3 * 766).astype(cupy.uint8)
    mask = NOISE % ("0", "0", "0")
    overlay = NOISE % tuple(f"previous[3 * i + {c}]" for c in range(3))
    for size, (h, w) in SIZES.items():
        frames = [cupy.random.randint(0, 100 + i, (h, w, 3), dtype=cupy.uint8) for i in range(N_FRAMES + 1)]
        out = cupy.empty((h, w, 3), cupy.uint8)
        for name, code in (("heat map, sine", HEAT), ("noise mask", mask), ("noise overlay", overlay)):
            draw = kernel(name.replace(" ", "_").replace(",", ""), code)
            yield f"{name}, {size}", "CuPy, a kernel", time(lambda x, y: draw(x, y, table, out, size=h * w), frames)
        if size != "1920x1080":
            continue
        filters = {
            "mean 3x3": lambda x, _: ndimage.uniform_filter(x, (3, 3, 1), output=out, mode="mirror"),
            "Gaussian 3x3": lambda x, _: ndimage.gaussian_filter(x, (0.8, 0.8, 0), output=out, mode="mirror", radius=(1, 1, 0)),
            "median 3x3": lambda x, _: ndimage.median_filter(x, (3, 3, 1), output=out, mode="mirror"),
            "median 5x5": lambda x, _: ndimage.median_filter(x, (5, 5, 1), output=out, mode="mirror"),
        }
        for name, run in filters.items():
            try:
                yield f"{name}, {size}", "CuPy ndimage", time(run, frames)
            except TypeError as error: # an older CuPy has fewer parameters
                print(f"CuPy, {name}: {error}", file=sys.stderr)


def torch_peers():
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: left out", file=sys.stderr)
        return

    event = functools.partial(torch.cuda.Event, enable_timing=True)
    time = functools.partial(frame_time, event, torch.cuda.Event.elapsed_time)
    table = torch.randint(0, 256, (766, 3), dtype=torch.uint8, device="cuda")

    def heat(x, y):
        return table[(x.short() - y.short()).abs().sum(2)]

    def mask(x, y):
        differs = ((x.short() - y.short()).abs() > THRESHOLD).any(2)
        return torch.stack([differs * 255, differs * 0, differs * 0], 2).to(torch.uint8)

    for size, (h, w) in SIZES.items():
        frames = [torch.randint(0, 100 + i, (h, w, 3), dtype=torch.uint8, device="cuda") for i in range(N_FRAMES + 1)]
        yield f"heat map, sine, {size}", "torch.compile", time(torch.compile(heat), frames)
        yield f"noise mask, {size}", "torch.compile", time(torch.compile(mask), frames)
        if size != "1920x1080":
            continue
        planes = [x.permute(2, 0, 1)[:, None].half() for x in frames[:N_FRAMES + 1]]
        row = torch.tensor([0.239, 0.522, 0.239], dtype=torch.half, device="cuda")
        for name, weights in (("mean 3x3", torch.full((3, 3), 1 / 9, dtype=torch.half, device="cuda")),
                              ("Gaussian 3x3", row[:, None] * row)):
            yield (f"{name}, {size}", "PyTorch conv2d, half",
                   time(lambda x, _: torch.nn.functional.conv2d(x, weights[None, None], padding=1), planes))


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    for peers in (cupy_peers, torch_peers):
        for job, name, ns in peers():
            print(f"{job}\t{name}\t{ns:.1f}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Equalization on a GPU by PyTorch, torchvision and CuPy beside saccade's, in one run.

usage: equalize_gpu_peers.py BENCH_EQUALIZE_GPU [WxH] [OUT.json]

Each peer works on 64 different frames in device memory, rotated so that no input is in the L2 cache, timed by CUDA
events over all frames; then bench_equalize_gpu does the same with saccade. A peer that is not installed is left out.

SPDX-License-Identifier: Apache-2.0
"""
import json
import statistics
import subprocess
import sys
import tempfile

N_FRAMES = 64
RUNS = 11


def equalize(torch, rgb):
    """max(R, G, B) equalized by `first`, colors scaled with it, in single precision: (h, w, 3) u8."""
    v = rgb.amax(2)
    counts = torch.histc(v.float(), 256, 0, 256)
    c = counts.cumsum(0)
    first = counts[(counts > 0).to(torch.int8).argmax()]
    s = (c - first).clamp(min=0) / (c[255] - first)
    factor = 255 * s[v.long()] / v.clamp(min=1)
    return (rgb * factor[..., None] + 0.5).to(torch.uint8)


def torch_peers(w, h):
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: left out", file=sys.stderr)
        return
    frames = [torch.randint(0, 100 + i, (h, w, 3), dtype=torch.uint8, device="cuda") for i in range(N_FRAMES)]

    def time(run, inputs):
        for x in inputs[:3]:
            run(x)
        ns = []
        for _ in range(RUNS):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for x in inputs:
                run(x)
            end.record()
            end.synchronize()
            ns.append(start.elapsed_time(end) * 1e6 / N_FRAMES)
        return statistics.median(ns)

    yield "PyTorch, eager", time(lambda x: equalize(torch, x), frames)
    yield "PyTorch, torch.compile", time(torch.compile(lambda x: equalize(torch, x)), frames)
    try:
        from torchvision.transforms.functional import equalize as by_channel
        yield "torchvision equalize (each channel by itself)", time(by_channel, [x.permute(2, 0, 1) for x in frames])
    except ImportError:
        print("torchvision is not installed: left out", file=sys.stderr)
    out = torch.empty_like(frames[0])
    yield "device copy of the frame", time(out.copy_, frames)


def cupy_peer(w, h):
    try:
        import cupy
    except ImportError:
        print("CuPy is not installed: left out", file=sys.stderr)
        return
    frames = [cupy.random.randint(0, 100 + i, (h, w, 3)).astype(cupy.uint8) for i in range(N_FRAMES)]

    def run(rgb):
        v = rgb.max(2)
        counts = cupy.bincount(v.ravel(), minlength=256)
        c = cupy.cumsum(counts)
        first = counts[(counts > 0).argmax()]
        s = cupy.maximum(c - first, 0) / (c[255] - first)
        factor = (255 * s[v] / cupy.maximum(v, 1)).astype(cupy.float32)
        return (rgb * factor[..., None] + 0.5).astype(cupy.uint8)

    for x in frames[:3]:
        run(x)
    ns = []
    for _ in range(RUNS):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for x in frames:
            run(x)
        end.record()
        end.synchronize()
        ns.append(cupy.cuda.get_elapsed_time(start, end) * 1e6 / N_FRAMES)
    yield "CuPy", statistics.median(ns)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    size = sys.argv[2] if len(sys.argv) > 2 else "1920x1080"
    w, h = map(int, size.split("x"))
    rows = [{"pipeline": "equalize", "rung": name, "device": "cuda:0", "shape": f"{w}x{h}x3 u8", "median_ns": ns}
            for peer in (torch_peers, cupy_peer) for name, ns in peer(w, h)]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([sys.argv[1], "--size", size, "--json", file.name], check=True, stdout=subprocess.DEVNULL)
        result = json.load(open(file.name))
    result["rows"] += rows
    best = next(r["median_ns"] for r in result["rows"] if r["rung"] == "equalize, graph")
    for r in sorted(result["rows"], key=lambda r: r["median_ns"]):
        print(f"{r['rung']:<52} {r['median_ns'] / 1e3:10.1f} us {r['median_ns'] / best:8.2f}x")
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w") as file:
            json.dump(result, file, indent=2)


if __name__ == "__main__":
    main()

"""Small videos for tests of `saccade view`, and pictures that commands write.

SPDX-License-Identifier: Apache-2.0
"""

import random

from browser import saccade
from viewer import run_command

W, H = 48, 36


def frame_of(i, w=W, h=H, channels=3, noise=6):
    """A bright square that moves over a ramp, with noise; interleaved samples."""
    rng, side = random.Random(i), w // 4
    out = bytearray()
    for y in range(h):
        for x in range(w):
            inside = h // 9 <= y < h // 9 + side and side * i // 4 <= x < side * i // 4 + side
            for c in range(channels):
                level = 200 + 10 * c if inside else 40 + 84 * (x + y) // (w + h) + 5 * c
                out.append(level + rng.randrange(-noise, noise + 1))
    return bytes(out)


def raw_clip(path, n=6, **options):
    with open(path, "wb") as file:
        file.write(b"".join(frame_of(i, **options) for i in range(n)))
    return path


def header(w=W, h=H):
    return b"YUV4MPEG2 W%d H%d F25:1 C444\n" % (w, h)


def y4m_frame(i, w=W, h=H, noise=6):
    """Planes of 4:4:4: they need not be of natural colors."""
    samples = frame_of(i, w, h, noise=noise)
    return b"FRAME\n" + b"".join(samples[c::3] for c in range(3))


def clip(path="clip.y4m", n=6):
    with open(path, "wb") as file:
        file.write(header() + b"".join(y4m_frame(i) for i in range(n)))
    return path


def read_pnm(path):
    with open(path, "rb") as file:
        data = file.read()
    kind, size, most, rest = data.split(b"\n", 3)
    w, h = map(int, size.split())
    assert kind in (b"P5", b"P6") and most == b"255", path
    return w, h, rest


async def run_lines(text):
    """Runs each line; of those with a series its name without the number: {"heatmap": "out-heatmap-%04d.ppm", ...}."""
    out = {}
    for line in text.splitlines():
        name = line.split(" ")[-1]
        out[name.split("-")[0].split(".")[0]] = "out-" + name
        await run_command(line, "out-" + name)
    return out


async def delta_of(*arguments):
    """JSON of `saccade delta encode`."""
    return await saccade("delta", "encode", *arguments, "-o", "out.sdv", "--json", "-")

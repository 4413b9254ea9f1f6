"""saccade view of what GStreamer decodes: films, a test picture. decoded_test.py NAME runs one of the tests below, `--list`
names them.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import signal
import subprocess

from browser import SACCADE, Server, main, saccade, skip
from clips import clip, read_pnm
from viewer import Viewer, there


def film(path):
    """Motion JPEG in AVI or Matroska, which FFmpeg and GStreamer have both."""
    if not shutil.which("ffmpeg"):
        skip("no ffmpeg")
    clip("clip.y4m")
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", "clip.y4m", "-pix_fmt", "yuvj420p", "-c:v", "mjpeg", "-q:v", "2", path], check=True)
    return path


async def can_decode(path):
    status, _, err = await saccade("send", path, "--to", "-", stdout=os.open(os.devnull, os.O_WRONLY))
    if status:
        skip(err.strip())


def run_shell(line):
    """A line of the page, which has a pipe; the series' name of its output."""
    head, name = line.rsplit(" ", 1)
    line = f"{head} out-{name}".replace("saccade ", f"'{SACCADE}' ")
    subprocess.run(["bash", "-c", "set -o pipefail; " + line], check=True, stdout=subprocess.DEVNULL, timeout=100)
    return "out-" + name


async def view_film_is_decoded():
    await can_decode(film("film.mkv"))
    async with Server("film.mkv", "--denoise", "mean") as server, Viewer(server) as viewer:
        await viewer.say("frame 4")
        await viewer.until(lambda v: v.picture["frame"] == 4 and not v.state["is_live"] and v.state["n_frames"] == 6)
        state, picture = viewer.state, viewer.picture
    for line, panel in zip(state["command"].splitlines(), ("heat map", "noise")):
        _, _, samples = read_pnm(run_shell(line) % 4)
        assert samples == picture["bytes"][panel], line
    async with Server("film.mkv", "--as", "equalize", "--size", "24x18") as server, Viewer(server) as viewer:
        await viewer.until(there)
        _, _, samples = read_pnm(run_shell(viewer.state["command"]) % 0)
        assert samples == viewer.picture["bytes"]["after"], viewer.state["command"]


async def view_film_that_is_none_fails():
    await can_decode(film("film.mkv"))
    with open("bad.mp4", "wb") as file:
        file.write(b"nonsense" * 99)
    for name in ("bad.mp4", "none.mp4", "/dev/video77"):
        status, out, err = await saccade("view", name)
        assert status == 1 and name in err and err.count("\n") == 1 and not out, f"{status} {err}"


def child_of(process):
    """Its only one."""
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    if not os.path.exists(path):
        skip("this kernel lists no children of processes")
    with open(path) as file:
        child, = file.read().split()
    return int(child)


async def view_test_picture_is_followed():
    """The source is a process of its own, which goes when the server does."""
    await can_decode(film("film.mkv"))
    async with Server("test", "--size", "64x48") as server, Viewer(server) as viewer:
        await viewer.until(lambda v: v.state["is_live"] and v.picture["frame"] >= 3)
        assert "saccade send test --to - --size 64x48 | saccade heatmap -" in viewer.state["command"], viewer.state["command"]
        child = child_of(server.process)
    assert not os.path.exists(f"/proc/{child}")
    async with Server("test", "--size", "64x48", status=1) as server, Viewer(server) as viewer:
        os.kill(child_of(server.process), signal.SIGKILL)
        await viewer.until(lambda v: v.state["has_ended"] and "broke off" in (v.state["error"] or ""))


main(globals())

"""How many pictures a second `saccade view` shows of configuration A while the f-number moves, and
how soon after the command the first one is there. In headless Chromium, which draws by the CPU.

    python3 bench/view_frames.py build/release/cli/saccade --seconds 5 --cpus 0,1

Needs Python with websockets, and Chromium. SPDX-License-Identifier: Apache-2.0
"""

import argparse
import asyncio
import os
import pathlib
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("saccade", type=pathlib.Path)
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--motion", metavar="WxH", help="instead: a video of this size that plays, as motion")
parser.add_argument("--cpus", help="use these alone, such as 0,1, for server and browser")
arguments = parser.parse_args()
os.environ["SACCADE"] = str(arguments.saccade.resolve())
if arguments.cpus:
    os.sched_setaffinity(0, {int(cpu) for cpu in arguments.cpus.split(",")})
sys.path[:0] = [str(root / "tests" / "view"), str(root / "bench")]
from beamform_live import GRID, write_recording # pylint: disable=wrong-import-position
from browser import Browser, Server # pylint: disable=wrong-import-position

MOVE = """new Promise((done) => {
    const input = document.querySelector('#option-f-number'), begin = performance.now(), numbers = new Set();
    let n = 0, last = viewed.picture;
    const ms = [];
    const step = () => {
        if (viewed.picture !== last) { n++; last = viewed.picture; ms.push((last.open_ns + last.run_ns) / 1e6); }
        if (performance.now() - begin > SECONDS * 1000) {
            ms.sort((a, b) => a - b);
            done([n / (performance.now() - begin) * 1000, ms[ms.length >> 1]]);
            return;
        }
        input.value = 1 + 0.05 * (Math.round((performance.now() - begin) / 16) % 40);
        input.dispatchEvent(new Event('input'));
        requestAnimationFrame(step);
    };
    step();
})"""


def cpu_seconds(group):
    """What the processes of a group have used."""
    total = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError: # it has ended
            continue
        if int(fields[2]) == group:
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


async def measure(path):
    async with Browser() as browser:
        page = await browser.page("about:blank")
        start = time.monotonic()
        async with Server(path, *GRID) as server:
            await page.call("Page.navigate", url=server.address)
            await page.until("viewed.picture && viewed.panels.length")
            print(f"first picture {time.monotonic() - start:.2f} s after the command")
            groups = os.getpgid(server.process.pid), browser.process.pid
            before = [cpu_seconds(group) for group in groups]
            rate, ms = await page.run(MOVE.replace("SECONDS", str(arguments.seconds)))
            used = [1e3 * (cpu_seconds(group) - b) / (rate * arguments.seconds) for group, b in zip(groups, before)]
            print(f"{rate:.1f} pictures a second while the f-number moves; to open and beamform one: {ms:.2f} ms, median")
            print(f"time of a core for each: {used[0]:.1f} ms of the server (with this script), {used[1]:.1f} ms of the browser")


PLAY = """new Promise((done) => {
    const begin = performance.now(), ms = [];
    let n = 0, last = viewed.picture;
    const step = () => {
        if (viewed.picture !== last) { n++; last = viewed.picture; ms.push(last.run_ns / 1e6); }
        if (performance.now() - begin < SECONDS * 1000) requestAnimationFrame(step);
        else done([n / (performance.now() - begin) * 1000, ms.sort((a, b) => a - b)[ms.length >> 1]]);
    };
    step();
})"""


async def measure_motion(path):
    async with Browser() as browser:
        page = await browser.page("about:blank")
        async with Server(path) as server:
            await page.call("Page.navigate", url=server.address)
            await page.until("viewed.picture && viewed.panels.length")
            await page.set("#rate", 60) # what a screen shows
            await page.run("document.getElementById('play').click()")
            groups = os.getpgid(server.process.pid), browser.process.pid
            before = [cpu_seconds(group) for group in groups]
            rate, ms = await page.run(PLAY.replace("SECONDS", str(arguments.seconds)))
            used = [1e3 * (cpu_seconds(group) - b) / (rate * arguments.seconds) for group, b in zip(groups, before)]
            step = await page.run("viewed.picture.panels[0].step")
            print(f"{rate:.1f} pictures a second of {arguments.motion}, each pixel of {step} x {step}; heat map and noise view {ms:.2f} ms, median")
            print(f"time of a core for each: {used[0]:.1f} ms of the server (with this script), {used[1]:.1f} ms of the browser")


def write_video(path, size):
    """Noise that moves, in gray and two colors of 4:2:0."""
    w, h = map(int, size.split("x"))
    noise = os.urandom(2 * w * h)
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F25:1 C420mpeg2\n" % (w, h))
        for i in range(32):
            file.write(b"FRAME\n" + noise[997 * i:][:w * h] + bytes([128]) * (2 * ((w + 1) // 2) * ((h + 1) // 2)))


with tempfile.TemporaryDirectory() as folder:
    recording = pathlib.Path(folder) / "a.npy"
    video = pathlib.Path(folder) / "a.y4m"
    if arguments.motion:
        write_video(video, arguments.motion)
        asyncio.run(measure_motion(video))
    else:
        write_recording(recording, "c64")
        asyncio.run(measure(recording))

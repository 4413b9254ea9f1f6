"""Whether a viewer slows a real-time loop down: `saccade meltpool --listen` at a rate over the
loopback, in turn without --view, with --view and nobody there, and with a viewer that takes every
picture; the latencies of each run, and of each way the median run and the spread of its runs.

    python3 bench/meltpool_view.py build/release/cli/saccade --runs 5 --seconds 5
    python3 bench/meltpool_view.py build/release/cli/saccade --browser --receiver "--cpu 3 --spin -1"

Needs Python with websockets; with --browser the viewer is a headless Chromium, which draws by the
CPU. The load of the machine is printed: on a busy one compare runs in turn, and no numbers alone.
SPDX-License-Identifier: Apache-2.0
"""

import argparse
import asyncio
import contextlib
import os
import pathlib
import statistics
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("saccade", type=pathlib.Path)
parser.add_argument("--runs", type=int, default=5, help="of each way")
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--rate", type=int, default=20000)
parser.add_argument("--receiver", default="", help='more options of it: "--cpu 3"')
parser.add_argument("--browser", action="store_true", help="the viewer is Chromium, not a script")
parser.add_argument("--record", action="store_true", help="records and frames are written meanwhile")
arguments = parser.parse_args()
os.environ["SACCADE"] = str(arguments.saccade.resolve())
sys.path.insert(0, str(root / "tests" / "view"))
from browser import Browser # pylint: disable=wrong-import-position
from loop import Loop, send # pylint: disable=wrong-import-position

WAYS = ("no --view", "nobody looks", "a viewer")


async def take_pictures(loop):
    """Takes all that comes, as fast as it comes; returns how many pictures when it is cancelled."""
    n = 0
    with contextlib.suppress(asyncio.CancelledError):
        async with loop.socket() as socket:
            async for message in socket:
                if isinstance(message, bytes):
                    n += 1
                    await socket.send("drawn")
    return n


async def run(way):
    options = arguments.receiver.split() + (["-o", "out.h5", "--record", "frames.h5"] if arguments.record else [])
    frames = int(arguments.rate * arguments.seconds)
    async with Loop(*options, view=None if way == 0 else 0) as loop, contextlib.AsyncExitStack() as stack:
        viewer, page = None, None
        if way == 2 and arguments.browser:
            page = await (await stack.enter_async_context(Browser())).page(loop.address)
            await page.until("viewed.state")
        elif way == 2:
            viewer = asyncio.create_task(take_pictures(loop))
        await send(loop, frames, arguments.rate)
        if viewer:
            viewer.cancel()
        pictures = await viewer if viewer else 0
        report = await loop.stop()
    return [1e-3 * report[name] for name in ("p50_ns", "p99_ns", "p999_ns")] + [report["dropped"] + report["lost"], pictures]


def load():
    one = pathlib.Path("/proc/loadavg").read_text().split()[0]
    return f"load {one} on {os.cpu_count()} CPUs"


async def main():
    runs = [[] for _ in WAYS]
    print(f"{arguments.rate} frames/s for {arguments.seconds:g} s, {load()}")
    for k in range(arguments.runs):
        for way in [(k + i) % len(WAYS) for i in range(len(WAYS))]: # each way is first as often
            row = await run(way)
            runs[way].append(row)
            print(f"{WAYS[way]:>12}: p50 {row[0]:.2f} us, p99 {row[1]:.1f} us, p99.9 {row[2]:.1f} us; {row[3]} dropped or lost"
                  + (f"; {row[4] / arguments.seconds:.0f} pictures/s" if row[4] else ""), flush=True)
    base = [statistics.median(row[i] for row in runs[0]) for i in range(3)]
    print(f"median of {arguments.runs} runs (least to most; as a multiple of that without --view), {load()}")
    for way, name in enumerate(WAYS):
        of = [sorted(row[i] for row in runs[way]) for i in range(3)]
        print(f"{name:>12}: " + ", ".join(
            f"{what} {statistics.median(v):.2f} us ({v[0]:.2f} to {v[-1]:.2f}; {statistics.median(v) / b:.3f})"
            for what, v, b in zip(("p50", "p99", "p99.9"), of, base)))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    asyncio.run(main())
    os.chdir("/")

"""Whether a viewer slows a command that listens down: frames at a rate over the loopback to
`saccade meltpool --listen` or `saccade beamform --listen`, in turn without --view, with --view and
nobody there, and with a viewer that takes every picture; the latencies of each run, and of each way
the median run and the spread of its runs.

    python3 bench/view_latency.py build/release/cli/saccade meltpool --runs 5 --seconds 5
    python3 bench/view_latency.py build/release/cli/saccade meltpool --browser --receiver "--cpu 3 --spin -1"
    python3 bench/view_latency.py build/release/cli/saccade beamform --samples i16 --rate 100

Frames of a melt pool are simulated ones, at 20,000 a second; channel data is noise of configuration
A (beamform_live.py), at 20 a second. Needs Python with websockets; with --browser the viewer is a
headless Chromium, which draws by the CPU. The load of the machine is printed: on a busy one compare
runs in turn, and no numbers alone. SPDX-License-Identifier: Apache-2.0
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
parser.add_argument("pipeline", choices=("meltpool", "beamform"))
parser.add_argument("--runs", type=int, default=5, help="of each way")
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--rate", type=float, help="frames a second")
parser.add_argument("--samples", choices=("c64", "i16"), default="c64", help="of channel data: IQ or RF")
parser.add_argument("--receiver", default="", help='more options of it: "--cpu 3"')
parser.add_argument("--browser", action="store_true", help="the viewer is Chromium, not a script")
parser.add_argument("--record", action="store_true", help="a melt pool's records and frames are written meanwhile")
arguments = parser.parse_args()
os.environ["SACCADE"] = str(arguments.saccade.resolve())
sys.path[:0] = [str(root / "tests" / "view"), str(root / "bench")]
import listener # pylint: disable=wrong-import-position
import loop # pylint: disable=wrong-import-position
from beamform_live import GRID, SHAPE, write_recording # pylint: disable=wrong-import-position
from browser import Browser, websockets # pylint: disable=wrong-import-position

WAYS = ("no --view", "nobody looks", "a viewer")


class Meltpool:
    unit, per_ns = "us", 1e-3

    def __init__(self):
        self.rate = arguments.rate or 20000

    def open(self, view):
        options = ["-o", "out.h5", "--record", "frames.h5"] if arguments.record else []
        return loop.Loop(*options, *arguments.receiver.split(), view=view)

    async def send(self, receiver):
        await loop.send(receiver, int(self.rate * arguments.seconds), self.rate)
        return await receiver.stop()


class Beamform:
    unit, per_ns = "ms", 1e-6

    def __init__(self):
        self.rate = arguments.rate or 20
        self.repeat = max(1, round(self.rate * arguments.seconds / SHAPE[0]))
        write_recording(pathlib.Path("a.npy"), arguments.samples)

    def open(self, view):
        return listener.Listener("--like", "a.npy", *GRID, "--kind", "envelope", "--frames", self.repeat * SHAPE[0],
                                 "--silence-exit", 10, *arguments.receiver.split(), view=view)

    async def send(self, receiver):
        await listener.send(receiver, "a.npy", self.rate, self.repeat)
        return await receiver.report()


async def take_pictures(receiver):
    """Takes all that comes, as fast as it comes; returns how many pictures when it is cancelled."""
    n = 0
    with contextlib.suppress(asyncio.CancelledError, websockets.ConnectionClosed):
        async with receiver.socket() as socket:
            async for message in socket:
                if isinstance(message, bytes):
                    n += 1
                    await socket.send("drawn")
    return n


async def run(pipeline, way):
    async with pipeline.open(None if way == 0 else 0) as receiver, contextlib.AsyncExitStack() as stack:
        viewer = None
        if way == 2 and arguments.browser:
            page = await (await stack.enter_async_context(Browser())).page(receiver.address)
            await page.until("viewed.state")
        elif way == 2:
            viewer = asyncio.create_task(take_pictures(receiver))
        report = await pipeline.send(receiver)
        if viewer:
            viewer.cancel()
        pictures = await viewer if viewer else 0
    times = [pipeline.per_ns * report[name] for name in ("p50_ns", "p99_ns", "p999_ns")]
    return times + [report["processed"], report["dropped"] + report["lost"], pictures]


def load():
    one = pathlib.Path("/proc/loadavg").read_text().split()[0]
    return f"load {one} on {os.cpu_count()} CPUs"


async def main():
    pipeline = Meltpool() if arguments.pipeline == "meltpool" else Beamform()
    runs, unit = [[] for _ in WAYS], pipeline.unit
    print(f"{pipeline.rate:g} frames/s for {arguments.seconds:g} s, {load()}")
    for k in range(arguments.runs):
        for way in [(k + i) % len(WAYS) for i in range(len(WAYS))]: # each way is first as often
            row = await run(pipeline, way)
            runs[way].append(row)
            print(f"{WAYS[way]:>12}: p50 {row[0]:.2f} {unit}, p99 {row[1]:.2f} {unit}, p99.9 {row[2]:.2f} {unit}; "
                  f"{row[3]} frames, {row[4]} dropped or lost"
                  + (f"; {row[5] / arguments.seconds:.0f} pictures/s" if row[5] else ""), flush=True)
    base = [statistics.median(row[i] for row in runs[0]) for i in range(3)]
    print(f"median of {arguments.runs} runs (least to most; as a multiple of that without --view), {load()}")
    for way, name in enumerate(WAYS):
        of = [sorted(row[i] for row in runs[way]) for i in range(3)]
        print(f"{name:>12}: " + ", ".join(
            f"{what} {statistics.median(v):.2f} {unit} ({v[0]:.2f} to {v[-1]:.2f}; {statistics.median(v) / b:.3f})"
            for what, v, b in zip(("p50", "p99", "p99.9"), of, base)))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    asyncio.run(main())
    os.chdir("/")

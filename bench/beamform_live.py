"""Frames of configuration A over the loopback: `saccade simulate ultrasound --to` sends them at a
rate, `saccade beamform --listen` beamforms each, and what it counted is printed: lost and dropped
frames, and the latency from a frame's last datagram to its image. Needs Python alone.

    python3 bench/beamform_live.py build/release/cli/saccade --seconds 30
    python3 bench/beamform_live.py build/release/cli/saccade --seconds 5 --rate 100 --viewer 5

With --viewer N each is run N times without and N times with a viewer that takes every picture
(--view), in turn; that needs Python with websockets.

One line a type of samples: IQ (c64) and RF (int16). The samples are noise: time does not depend on
them. SPDX-License-Identifier: Apache-2.0
"""

import argparse
import array
import asyncio
import json
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import threading

SHAPE = (16, 1, 128, 334)  # frames that are sent over and over, transmits, elements, samples
META = {
    "fs_hz": 6.6667e6,
    "fc_hz": 5e6,
    "c_m_s": 1480,
    "pitch_m": 298e-6,
    "transmits": "plane:1:0",
    "t0_s": 9.95e-6,
}
GRID = ["--grid", "-12.5:12.5:251,10:35:251", "--f-number", "1"]
KINDS = {"c64": ("<c8", "f", 2, {"fd_hz": 5e6}), "i16": ("<i2", "h", 1, {})}


def write_recording(path, kind):
    """An NPY of noise, and its JSON."""
    descr, code, parts, more = KINDS[kind]
    count = parts
    for n in SHAPE:
        count *= n
    rng = random.Random(1)
    samples = array.array(code, (rng.randrange(-1000, 1000) for _ in range(count)))
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {SHAPE}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    start = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()
    path.write_bytes(start + samples.tobytes())
    path.with_suffix(".json").write_text(json.dumps(META | more))


def take_pictures(address, counts):
    """Until the receiver ends."""
    import websockets  # pylint: disable=import-outside-toplevel

    async def take():
        url = address.replace("http", "ws") + "socket"
        async with websockets.connect(url, max_size=None, ping_interval=None) as socket:
            async for message in socket:
                if isinstance(message, bytes):
                    counts.append(len(message))
                    await socket.send("drawn")

    try:
        asyncio.run(take())
    except websockets.exceptions.ConnectionClosed:
        pass


def measure(args, folder, kind, has_viewer=False):
    """Sends and receives; the receiver's report, and how many pictures a viewer got."""
    recording, report = folder / f"{kind}.npy", folder / f"{kind}-report.json"
    write_recording(recording, kind)
    repeat = max(1, round(args.seconds * args.rate / SHAPE[0]))
    listen = [args.saccade, "beamform", "--listen", "udp://127.0.0.1:0", "--like", recording]
    listen += [*GRID, "--kind", args.kind, "--frames", str(repeat * SHAPE[0])]
    listen += ["--silence-exit", "10", "--json", report, *args.receiver.split()]
    listen += ["--view", "0"] if has_viewer else []
    pictures, viewer = [], None
    with subprocess.Popen(
        [str(a) for a in listen], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as receiver:
        if has_viewer:
            address = re.search(r"http\S+", receiver.stderr.readline()).group(0)
            viewer = threading.Thread(target=take_pictures, args=(address, pictures))
            viewer.start()
        port = re.search(r"port (\d+)", receiver.stderr.readline()).group(1)
        send = [args.saccade, "simulate", "ultrasound", "--to", f"udp://127.0.0.1:{port}"]
        send += ["--input", recording, "--rate", args.rate, "--repeat", repeat]
        subprocess.run([str(a) for a in send], check=True, stdout=subprocess.DEVNULL)
        receiver.communicate()
    if viewer:
        viewer.join()
    return json.loads(report.read_text())["rows"][0] | {"pictures": len(pictures)}


def compare(args, folder, kind):
    """Without and with a viewer, in turn."""
    rows = [[], []]
    for run in range(2 * args.viewer):
        way = (run + run // 2) % 2  # each is first as often
        rows[way].append(measure(args, folder, kind, way == 1))
    for what in ("p50_ns", "p99_ns"):
        without, seen = ([1e-6 * r[what] for r in of] for of in rows)
        a, b = statistics.median(without), statistics.median(seen)
        print(
            f"{kind}: {what[:3]} without a viewer {a:.2f} ms ({min(without):.2f} to "
            f"{max(without):.2f}), with one {b:.2f} ms ({min(seen):.2f} to {max(seen):.2f}): "
            f"{b / a:.3f}"
        )
    gone = [sum(r["lost"] + r["dropped"] for r in of) for of in rows]
    n = sum(r["pictures"] for r in rows[1]) / args.viewer
    print(f"{kind}: lost or dropped {gone[0]}, {gone[1]}; {n:.0f} pictures a run")


def main():
    """Each kind of samples in turn."""
    parser = argparse.ArgumentParser()
    parser.add_argument("saccade")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rate", type=float, default=500)
    parser.add_argument("--kind", default="envelope", help="of the images")
    parser.add_argument("--receiver", default="", help='more options of it: "--threads 1"')
    parser.add_argument("--viewer", type=int, default=0, metavar="N", help="N runs with, N without")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            if args.viewer:
                compare(args, pathlib.Path(folder), kind)
                continue
            r = measure(args, pathlib.Path(folder), kind)
            print(
                f"{kind}: {r['processed']} of {r['expected']} frames of {r['shape']}, to "
                f"{r['image']}: {r['lost']} lost, {r['dropped']} dropped, latency p50 "
                f"{1e-6 * r['p50_ns']:.2f} ms, p99 {1e-6 * r['p99_ns']:.2f} ms, p99.9 "
                f"{1e-6 * r['p999_ns']:.2f} ms, max {1e-6 * r['max_ns']:.2f} ms; "
                f"{r['threads']} threads"
            )


if __name__ == "__main__":
    main()

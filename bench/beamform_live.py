"""Frames of configuration A over the loopback: `saccade simulate ultrasound --to` sends them at a
rate, `saccade beamform --listen` beamforms each, and what it counted is printed: lost and dropped
frames, and the latency from a frame's last datagram to its image. Needs Python alone.

    python3 bench/beamform_live.py build/release/cli/saccade --seconds 30

One line a type of samples: IQ (c64) and RF (int16). The samples are noise: time does not depend on
them. SPDX-License-Identifier: Apache-2.0
"""

import argparse
import array
import json
import pathlib
import random
import re
import subprocess
import tempfile

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


def measure(args, folder, kind):
    """Sends and receives; the receiver's report."""
    recording, report = folder / f"{kind}.npy", folder / f"{kind}-report.json"
    write_recording(recording, kind)
    repeat = max(1, round(args.seconds * args.rate / SHAPE[0]))
    listen = [args.saccade, "beamform", "--listen", "udp://127.0.0.1:0", "--like", recording]
    listen += [*GRID, "--kind", args.kind, "--frames", str(repeat * SHAPE[0])]
    listen += ["--silence-exit", "10", "--json", report, *args.receiver.split()]
    with subprocess.Popen(
        [str(a) for a in listen], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as receiver:
        port = re.search(r"port (\d+)", receiver.stderr.readline()).group(1)
        send = [args.saccade, "simulate", "ultrasound", "--to", f"udp://127.0.0.1:{port}"]
        send += ["--input", recording, "--rate", args.rate, "--repeat", repeat]
        subprocess.run([str(a) for a in send], check=True, stdout=subprocess.DEVNULL)
        receiver.communicate()
    return json.loads(report.read_text())["rows"][0]


def main():
    """Each kind of samples in turn."""
    parser = argparse.ArgumentParser()
    parser.add_argument("saccade")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rate", type=float, default=500)
    parser.add_argument("--kind", default="envelope", help="of the images")
    parser.add_argument("--receiver", default="", help='more options of it: "--threads 1"')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
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

#!/usr/bin/env python3
"""How soon `saccade meltpool --listen` has ended behind a signal, while frames come and before any.

usage: listen_stop.py SACCADE [--rounds N] [--rate HZ] [--json OUT.json] [OPTION ...]

One sender runs throughout, at 20,000 frames a second or --rate. Each round starts a listener, lets frames come for a second, sends it
SIGTERM or SIGINT in turns, and waits for it as its parent. The other rows are of a listener on another port, which no frame
reaches. Options that are not its own go to the listener, as --device cuda:0. Exit status: 0 done; 1 a listener failed, or did not
account for all frames.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import signal
import socket
import statistics
import subprocess
import sys
import time

FRAMES_S = 1.0  # how long frames come
PATIENCE_S = 60


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_frames(port):
    """The sender makes its frames before it sends."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", port))
        s.settimeout(PATIENCE_S)
        s.recv(1)


def stop(saccade, options, port, number):
    """Seconds from the signal to the end, and the listener's report."""
    command = [saccade, "meltpool", "--listen", f"udp://127.0.0.1:{port}", "--json", "-", *options]
    listener = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = listener.stderr.readline()  # that it listens, or why it does not
    time.sleep(FRAMES_S)
    began = time.monotonic()
    listener.send_signal(number)
    try:
        out, error = listener.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        listener.kill()
        sys.exit(f"the listener has not ended {PATIENCE_S} s behind {number.name}")
    took = time.monotonic() - began
    if listener.returncode != 0:
        sys.exit(f"the listener ended with {listener.returncode}: {(first + error).strip()}")
    return took, json.loads(out)["rows"][0]


def check(report, comes):
    whole = report["received"] == report["accepted"] + report["refused"]
    done = report["accepted"] == report["processed"] + report["empty"] + report["dropped"]
    if not whole or not done or (report["received"] > 0) != comes:
        sys.exit(f"frames are not accounted for: {report}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("saccade")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--rate", type=float, default=20000)
    parser.add_argument("--json")
    own, options = parser.parse_known_args()
    busy, quiet = free_port(), free_port()
    sender = subprocess.Popen(
        [own.saccade, "simulate", "meltpool", "--rate", str(own.rate), "--frames", "1000000000",
         "--to", f"udp://127.0.0.1:{busy}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_frames(busy)
        rows = []
        for name, port in (("while frames come", busy), ("before any frame", quiet)):
            for number in (signal.SIGTERM, signal.SIGINT):
                times, frames = [], 0
                for _ in range(own.rounds):
                    took, report = stop(own.saccade, options, port, number)
                    check(report, port == busy)
                    times.append(took)
                    frames += report["received"]
                rows.append({"when": name, "signal": number.name, "frames": frames, "seconds": times})
                print(f"{name:18} {number.name:8} median {statistics.median(times):.3f} s, "
                      f"at most {max(times):.3f} s; {frames} frames, all accounted for", flush=True)
    finally:
        sender.kill()
        sender.wait()
    if own.json:
        with open(own.json, "w", encoding="utf-8") as f:
            json.dump({"options": options, "rows": rows}, f, indent=2)


if __name__ == "__main__":
    main()

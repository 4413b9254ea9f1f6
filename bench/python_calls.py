#!/usr/bin/env python3
"""What a call of saccade from Python costs beyond the same run in C, and how threads scale, in one run.

usage: PYTHONPATH=build/release/python bench/python_calls.py [OUT.json]

A call of a plan beside the same run in C, of tiny pictures and of configuration A of docs/beamform.md (IQ
of one plane wave, 128 elements x 334 samples, 32 frames, 251 x 251 points), with one thread; then one to
eight Python threads with a plan each. Least times of several runs; of configuration A the median of what
Python adds to pairs of runs, with its interval at 95 %. Needs NumPy. How saccade compares with other
libraries: python_peers.py.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import statistics
import sys
import threading
import time

import numpy

import saccade
from saccade import _core


def once_ns(call):
    start = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - start


def many_ns(call, n=300):
    """The time of a call that is too short for a clock: the least mean of several loops."""
    best = float("inf")
    for _ in range(300):
        start = time.perf_counter_ns()
        for _ in range(n):
            call()
        best = min(best, (time.perf_counter_ns() - start) / n)
    return best


def overhead():
    picture = numpy.random.default_rng(1).integers(0, 256, (16, 16), dtype="u1")
    out, heat = numpy.empty_like(picture), numpy.empty((16, 16, 3), "u1")
    equalize, heatmap = saccade.Equalize(threads=1), saccade.Heatmap(threads=1)
    equalize(picture)
    heatmap(picture, picture)
    empty = many_ns(lambda: None)
    for name, plan, call, args in (
            ("Equalize 16 x 16, out=", equalize, lambda: equalize(picture, out), (picture, out)),
            ("Equalize 16 x 16", equalize, lambda: equalize(picture), (picture, out)),
            ("Heatmap 16 x 16, out=", heatmap, lambda: heatmap(picture, picture, heat),
             (picture, heat, picture))):
        c = _core.time_runs(plan, 20000, *args)
        yield {"what": name, "python_ns": many_ns(call) - empty, "c_ns": c}


def configuration_a():
    rng = numpy.random.default_rng(2)
    iq = (rng.standard_normal((32, 1, 128, 334)) + 1j * rng.standard_normal((32, 1, 128, 334))).astype("c8")
    probe = saccade.Probe.linear(128, 298e-6)
    acquisition = saccade.Acquisition(probe, [saccade.Transmit(t0_s=9.95e-6)], fs_hz=6.6667e6, fc_hz=5e6,
                                      fd_hz=5e6, c_m_s=1480.0)
    grid = saccade.Grid(x=(-12.5e-3, 12.5e-3, 251), z=(10e-3, 35e-3, 251))
    return iq, acquisition, grid, {"f_number": 1.0, "apodization": "rect", "kind": "iq", "threads": 1}


def beamform(n_pairs=200):
    iq, acquisition, grid, options = configuration_a()
    plan = saccade.Beamform(acquisition, grid, **options)
    out = plan(iq)
    runs = [lambda: once_ns(lambda: plan(iq, out)), lambda: _core.time_runs(plan, 1, iq, out)]
    both = []
    for i in range(n_pairs):  # who is first changes: a clock that falls or rises hurts both
        first = runs[i % 2]()
        second = runs[1 - i % 2]()
        both.append((second, first) if i % 2 else (first, second))
    added = sorted(p - c for p, c in both)
    reach = round(0.98 * n_pairs**0.5)  # of ranks about the median that hold the true one in 95 % of runs
    yield {"what": "Beamform, configuration A", "python_ns": statistics.median(p for p, _ in both),
           "c_ns": statistics.median(c for _, c in both), "added_ns": statistics.median(added),
           "added_95_ns": [added[max(0, n_pairs // 2 - reach)], added[min(n_pairs - 1, n_pairs // 2 + reach)]]}


def threads():
    """Pictures per second of n threads with a plan each, over those of one thread."""
    picture = numpy.random.default_rng(4).integers(0, 256, (1080, 1920, 3), dtype="u1")
    alone = None
    for n in sorted({1, 2, min(8, saccade.info()["cores"])}):
        plans = [saccade.Equalize(threads=1) for _ in range(n)]
        outs = [plan(picture) for plan in plans]

        def work(i):
            for _ in range(200):
                plans[i](picture, outs[i])

        workers = [threading.Thread(target=work, args=(i,)) for i in range(n)]
        start = time.perf_counter_ns()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        per_picture = (time.perf_counter_ns() - start) / 200 / n
        alone = alone or per_picture
        yield {"what": "Equalize, color, %d Python threads" % n, "python_ns": per_picture,
               "speed_up": alone / per_picture}


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    rows = []
    for part in (overhead, beamform, threads):
        for row in part():
            rows.append(row)
            more = ""
            if "c_ns" in row:
                added = row.get("added_ns", row["python_ns"] - row["c_ns"])
                more = "   C %.2f us, Python adds %.2f us, %.2f %%" % (
                    row["c_ns"] / 1e3, added / 1e3, 100 * added / row["c_ns"])
            if "added_95_ns" in row:
                more += " (%.2f to %.2f %%)" % tuple(100 * a / row["c_ns"] for a in row["added_95_ns"])
            if "speed_up" in row:
                more = "   %.2f times as fast" % row["speed_up"]
            print("%-45s %12.2f us%s" % (row["what"], row["python_ns"] / 1e3, more), flush=True)
    if len(sys.argv) > 1:
        info = saccade.info()
        head = {"saccade": info["version"], "commit": info["commit"], "command": sys.argv,
                "machine": {"cpu": info["cpu"], "cores": info["cores"]}}
        pathlib.Path(sys.argv[1]).write_text(json.dumps(head | {"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""bench/python_peers.py runs, with little data, and finds that results agree.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import subprocess
import sys
import unittest

from left_out import left_out
from support import folder

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "python_peers.py"


class Peers(unittest.TestCase):
    def test_a_small_run_agrees(self):
        with folder() as path:
            words = [sys.executable, BENCH, "--small", "--json", path + "/p.json"]
            done = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path + "/p.json", encoding="utf-8") as file:
                result = json.load(file)
        for why in sorted(set(result["left_out"])):
            left_out("bench/python_peers.py ran without a peer: %s" % why)
        parts = {row["part"] for row in result["rows"]}
        self.assertIn("equalize", parts)
        if "beamform" not in parts:
            self.assertIn("scipy", " ".join(result["left_out"]))
        for row in result["rows"]:
            self.assertGreater(row["run_ns"], 0, row)

    def test_wrong_parts_are_refused(self):
        done = subprocess.run([sys.executable, BENCH, "--only", "cook"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--only: expected", done.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""files_test.py SACCADE TEST READ_RANGES: files of ultrasound as other programs write them, read by the command.

Each file is written here by h5py, SciPy and NumPy from the format's public description, of a point's echoes that follow
the format's own conventions; the point must show at its place, all echoes in phase. Ends with status 77 without them.
SPDX-License-Identifier: Apache-2.0
"""
import importlib
import os
import sys
import tempfile


def main():
    name = sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        getattr(importlib.import_module(name.split("_")[0] + "_files"), name)()
        os.chdir("/")


main()

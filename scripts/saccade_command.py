"""The command saccade, run by the scripts of this folder: where it is, what it prints, how it fails.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import subprocess
import sys


def fail(text):
    print(f"saccade: {text}", file=sys.stderr)
    sys.exit(1)


class Parser(argparse.ArgumentParser):
    """Shows the docstring of a script as its help, and tells what is wrong in one line."""

    def __init__(self, doc):
        super().__init__(description=doc.partition("\n\nSPDX")[0],
                         formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        self.exit(2, f"saccade: {self.prog}: {message} (see {self.prog} --help)\n")


def find_saccade():
    """That of a build for GPUs first, then that of ./quickstart; else the one on the PATH."""
    root = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
    for build in ("build/gpu", "build/cuda", "build/release", "build"):
        path = os.path.normpath(os.path.join(root, build, "cli", "saccade"))
        if os.access(path, os.X_OK):
            return path
    return "saccade"


def writable(path):
    """Fails at once, not after the work, where a file cannot be written."""
    folder = os.path.dirname(path) or "."
    if path == "-":
        return
    if os.path.isdir(path):
        fail(f"{path}: Is a directory")
    if not os.path.isdir(folder):
        fail(f"{folder}: no such folder")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        fail(f"{path}: Permission denied")


def run(command):
    """Standard output of a command that must succeed."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as error:
        fail(f"{command[0]}: {error.strerror}")
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        fail(f"{' '.join(command)}: exit {done.returncode}: {said[-1] if said else 'no message'}")
    return done.stdout

"""The command saccade, run by the scripts of this folder: where it is, what it prints, how it fails.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys


def fail(text):
    print(f"saccade: {text}", file=sys.stderr)
    sys.exit(1)


def find_saccade():
    """That of a build for GPUs first; else the one on the PATH."""
    root = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
    for build in ("build/gpu", "build/cuda", "build"):
        path = os.path.normpath(os.path.join(root, build, "cli", "saccade"))
        if os.access(path, os.X_OK):
            return path
    return "saccade"


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

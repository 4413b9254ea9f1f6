#!/usr/bin/env python3
"""The sources of the libraries with what POSIX declares alone: nothing of Linux outside of src/base/system.h's forms.

    posix_test.py BUILD

Compiles each of BUILD's sources of src/, without making objects, as for another system than Linux: SAC_POSIX_ONLY and
_XOPEN_SOURCE, no _GNU_SOURCE. Left out: kernels, which call no system, and what only a build for Linux or CUDA has.
SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

SRC = pathlib.Path(__file__).resolve().parents[2] / "src"
# Shared memory that is sealed (share_none.c stands in for it), and the runtime of CUDA.
LINUX = ["stream/attach.c", "stream/share.c", "stream/share_ask.c", "stream/share_door.c", "stream/share_take.c"]
POSIX = ["-fsyntax-only", "-U_GNU_SOURCE", "-D_XOPEN_SOURCE=700", "-DSAC_POSIX_ONLY"]


def units(build):
    """{ source: (folder, words of its command) }, the first of each."""
    found = {}
    for unit in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(unit["directory"], unit["file"]).resolve()
        if SRC not in source.parents or source.suffix != ".c":
            continue
        name = str(source.relative_to(SRC))
        if "kernels" not in source.parts and not name.startswith("gpu/") and name not in LINUX:
            found.setdefault(name, (unit["directory"], shlex.split(unit["command"])))
    return found


def compile_alone(item):
    name, (folder, words) = item
    if "-o" in words:
        at = words.index("-o")
        words = words[:at] + words[at + 2:]
    result = subprocess.run(words + POSIX, cwd=folder, capture_output=True, text=True)
    return name, result.returncode, result.stderr


def main():
    found = units(pathlib.Path(sys.argv[1]))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, text in pool.map(compile_alone, sorted(found.items())):
            if status != 0:
                failed += 1
                print(f"{name} takes more than POSIX:\n{text}", file=sys.stderr)
    print(f"{len(found)} sources, {failed} that take more than POSIX")
    return 1 if failed or len(found) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())

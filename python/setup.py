"""Builds the extension by CMake, with the library in it: pip install --no-build-isolation ./python

SACCADE_PREFIX=DIR       links the saccade that is installed there, instead of building this tree
SACCADE_CMAKE_ARGS=...   further arguments for cmake, e.g. "-DSACCADE_CUDA=OFF -DSACCADE_VIPS=OFF"
SACCADE_JOBS=N           compiles N files at a time
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        prefix = os.environ.get("SACCADE_PREFIX")
        source = HERE if prefix else HERE.parent
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        build.mkdir(parents=True, exist_ok=True)
        args = ["-DCMAKE_BUILD_TYPE=Release", "-DSACCADE_PYTHON=ON",
                "-DSACCADE_PYTHON_EXECUTABLE=" + sys.executable,
                "-DSACCADE_TESTS=OFF", "-DSACCADE_BENCH=OFF"]
        if prefix:
            args.append("-DCMAKE_PREFIX_PATH=" + str(pathlib.Path(prefix).resolve()))
        if shutil.which("ninja"):
            args += ["-G", "Ninja"]
        args += shlex.split(os.environ.get("SACCADE_CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", str(source), "-B", str(build), *args], check=True)
        jobs = os.environ.get("SACCADE_JOBS", "")
        subprocess.run(["cmake", "--build", str(build), "--target", "saccade_python", "--parallel",
                        *jobs.split()],
                       check=True)
        made = next(build.glob("**/saccade/_core.abi3.so"))
        to = pathlib.Path(self.get_ext_fullpath(ext.name))
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(made, to)


version = re.search(r"project\(saccade VERSION ([0-9.]+)",
                    (HERE.parent / "CMakeLists.txt").read_text()).group(1)
setup(version=version, packages=["saccade"], package_data={"saccade": ["*.pyi", "py.typed"]},
      ext_modules=[Extension("saccade._core", [], py_limited_api=True)], cmdclass={"build_ext": CMakeBuild},
      options={"bdist_wheel": {"py_limited_api": "cp311"}})

"""What the tests share: the command beside the module, arrays in every layout, arrays by DLPack."""
import os
import subprocess
import tempfile

import numpy

COMMAND = os.environ.get("SACCADE", "saccade")


def run_command(*args):
    """Runs the command `saccade`; fails with what it said."""
    done = subprocess.run([COMMAND, *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError("saccade %s: %s" % (" ".join(map(str, args)), done.stderr))
    return done.stdout


def folder():
    return tempfile.TemporaryDirectory(prefix="saccade-python-")


def picture(shape, dtype="uint8", seed=1):
    """A picture with few bright pixels, so that an equalization changes it."""
    top = numpy.iinfo(dtype).max
    return (numpy.random.default_rng(seed).random(shape) ** 3 * top).astype(dtype)


def write_pnm(path, pixels):
    kind = {2: b"P5", 3: b"P6"}[pixels.ndim]
    top = numpy.iinfo(pixels.dtype).max
    with open(path, "wb") as f:
        f.write(b"%s\n%d %d\n%d\n" % (kind, pixels.shape[1], pixels.shape[0], top))
        f.write(pixels.astype(pixels.dtype.newbyteorder(">")).tobytes())


def read_pnm(path):
    with open(path, "rb") as f:
        kind, size, top = f.readline(), f.readline(), int(f.readline())
        w, h = map(int, size.split())
        pixels = numpy.frombuffer(f.read(), ">u2" if top > 255 else "u1")
    return pixels.reshape((h, w) if kind == b"P5\n" else (h, w, 3)).astype("u2" if top > 255 else "u1")


def layouts(array):
    """The same samples with other strides: name, view."""
    yield "C", numpy.ascontiguousarray(array)
    yield "Fortran", numpy.asfortranarray(array)
    wide = numpy.empty((array.shape[0] * 2, array.shape[1] * 3, *array.shape[2:]), array.dtype)
    strided = wide[::2, 1::3]
    strided[...] = array
    yield "strided", strided
    flipped = numpy.ascontiguousarray(array[::-1, ::-1])
    yield "negative", flipped[::-1, ::-1]
    read_only = array.copy()
    read_only.setflags(write=False)
    yield "read-only", read_only


class Tensor:
    """NumPy's memory, seen by DLPack alone; `versioned`: as since DLPack 1."""

    def __init__(self, array, versioned=False):
        self.array = array
        self.versioned = versioned

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None, **kwargs):
        if kwargs and not self.versioned:
            raise TypeError("an array of before DLPack 1 has no max_version")
        assert stream is None, "the CPU has no streams"
        return self.array.__dlpack__()

    def __array_namespace__(self):
        return Namespace


class Namespace:
    """The module of Tensor."""

    __name__ = "tensors"
    uint8, uint16, uint64, float32, complex64 = "uint8", "uint16", "uint64", "float32", "complex64"

    @staticmethod
    def empty(shape, dtype):
        return Tensor(numpy.empty(shape, dtype))

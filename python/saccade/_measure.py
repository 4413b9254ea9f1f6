"""Measures of pictures, video and machines; the ladder."""
import numpy

from . import _core


def info():
    """What this build and this machine have: a dict."""
    return _core.info()


def histogram(picture, bins=256, layout="interleaved"):
    """The histogram of V = max(R, G, B): (bins) of uint64."""
    return _core.histogram(picture, bins, layout)


def measure_difference(current, previous):
    """How much two frames of uint8 differ: a dict of n_changed, sum and max."""
    return _core.difference(current, previous)


def measure_bandwidth(threads=0):
    """Copy bandwidth of the CPU's memory in bytes/s: a dict of hot_b_s and dram_b_s."""
    return _core.bandwidth(threads)


class CameraNoise:
    """A camera's noise, from frames of a still scene: add each frame, then ask for figures()."""

    NAMES = ("brightness", "n_pixels", "random", "row", "column", "frame", "temporal", "fixed", "fixed_row",
             "fixed_column", "clipped", "restless")

    def __init__(self, white=0, bins=16):
        self._white, self._bins, self._handle = white, bins, None

    def add(self, frame):
        """Takes the next frame, (h, w) or (h, w, channels) of uint8 or uint16."""
        if self._handle is None:
            channels = frame.shape[2] if frame.ndim == 3 else 1
            self._handle = _core.noise_open(frame.shape[1], frame.shape[0], channels, frame.dtype,
                                            self._white,
                                            self._bins)
        _core.noise_add(self._handle, frame)

    def figures(self, channel=0):
        """Standard deviations in levels: a dict of arrays (bins + 1), the last for all brightnesses."""
        if self._handle is None:
            raise ValueError("figures: no frame was added")
        return dict(zip(self.NAMES, _core.noise_figures(self._handle, self._bins, channel).T))


def ladder(pipeline, input=None, w=0, h=0, threads=0, seconds=0.0, only=None, task=None, device="cpu",
           progress=None):
    """Checks and times every rung of equalize, beamform, motion or meltpool: a list of dicts.

    input is a picture to work on, otherwise a synthetic one of w x h. only is "ROOM" or "ROOM:RUNG".
    """
    if input is not None:
        input = numpy.asarray(input)
    return _core.ladder(pipeline, w, h, input, threads, seconds, only, task, device, progress)

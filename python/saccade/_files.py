"""Pictures, video and delta streams in files."""
import fractions
import warnings

import numpy

from . import _core


def read_picture(path, max_pixels=0, page=0):
    """Pixels of a file, (h, w) or (h, w, channels) of uint8 or uint16, color as RGB.

    They are a view of what was read. A warning says what reading changed or left out.
    """
    pixels, note, _ = _core.read_picture(path, max_pixels, page)
    if note:
        warnings.warn("%s: %s" % (path, note), stacklevel=2)
    return pixels


def write_picture(path, picture, format=None, quality=95):
    """Writes a picture in the format of the path's ending; quality is for JPEG, WebP, HEIC, AVIF, JPEG XL."""
    _core.write_picture(path, numpy.ascontiguousarray(picture), format, quality)


class _File:
    """An open file of the library, which `close` or the end of a `with` closes."""

    _handle = None

    def close(self):
        if self._handle is not None:
            self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


class _Reader(_File):
    """An iterator of what `_next` returns, until that is None."""

    def __iter__(self):
        return self

    def __next__(self):
        item = self._next()
        if item is None:
            raise StopIteration
        return item


class VideoReader(_Reader):
    """Frames of Y4M, raw frames, or a series of pictures: an iterator of (h, w) or (h, w, channels) of uint8.

    Raw frames need w and h; pixel is gray, rgb, bgr, rgba or bgrx. For MP4 and others let FFmpeg write Y4M.
    """

    def __init__(self, path, pixel=None, w=0, h=0):
        self._handle, self.w, self.h, self.pixel, *rate = _core.video_open(path, pixel, w, h)
        self.rate = fractions.Fraction(*rate) if rate[1] else None
        channels = {"gray": (), "rgb": (3,), "bgr": (3,)}.get(self.pixel, (4,))
        self.shape = (self.h, self.w, *channels)

    def read(self, out=None):
        """The next frame; None at the end."""
        frame = numpy.empty(self.shape, "u1") if out is None else out
        return frame if _core.video_read(self._handle, frame) else None

    def _next(self):
        return self.read()


class VideoWriter(_File):
    """Writes frames, (h, w) or (h, w, channels) of uint8, as the path's ending says: y4m, rgb, %04d.png."""

    def __init__(self, path, rate=25, pixel=None, quality=0):
        self._path, self._rate, self._pixel, self._quality = path, fractions.Fraction(rate), pixel, quality

    def write(self, frame):
        frame = numpy.ascontiguousarray(frame)
        if self._handle is None:
            channels = frame.shape[2] if frame.ndim == 3 else 1
            pixel = self._pixel or {1: "gray", 3: "rgb"}.get(channels, "rgba")
            rate = self._rate.limit_denominator(10**6)
            self._handle = _core.video_create(self._path, *frame.shape[1::-1], pixel, rate.numerator,
                                              rate.denominator, self._quality)
        _core.video_write(self._handle, frame)


class SdvReader(_Reader):
    """Packets of a delta stream in a file (.sdv): an iterator of Packet."""

    def __init__(self, path):
        self._handle = _core.sdv_open(path, False)

    def _next(self):
        return _core.sdv_read(self._handle)

    def seek(self, frame):
        """Continues at the last keyframe that is not after `frame`."""
        _core.sdv_seek(self._handle, frame)


class SdvWriter(_File):
    """Writes packets of DeltaEncoder as a delta stream (.sdv)."""

    def __init__(self, path):
        self._handle = _core.sdv_open(path, True)

    def write(self, packet):
        _core.sdv_write(self._handle, packet[0] if isinstance(packet, tuple) else packet)

"""saccade: sensor samples into pictures and decisions, in real time."""
from . import _core
from ._core import Denoise, Equalize, Heatmap, Noise, Plan
from ._errors import (DeviceError, Error, FileError, FormatError, InvalidError, MemoryError,  # noqa: A004
                      ShapeError, UnsupportedError)
from ._once import denoise, equalize, heatmap, noise

__version__ = version = _core.build()["version"]

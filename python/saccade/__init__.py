"""saccade: sensor samples into pictures and decisions, in real time."""
from . import _core
from ._core import Beamform, Denoise, Equalize, Heatmap, Noise, Plan
from ._errors import (DeviceError, Error, FileError, FormatError, InvalidError, MemoryError,  # noqa: A004
                      ShapeError, UnsupportedError)
from ._grid import Grid
from ._once import beamform, denoise, equalize, heatmap, noise
from ._ultrasound import (Acquisition, Image, Probe, Recording, Transmit, measure_cyst, measure_point, phantom,
                          read_image, read_recording, simulate_ultrasound, write_image, write_recording)

__version__ = version = _core.build()["version"]

"""saccade: sensor samples into pictures and decisions, in real time."""
from . import _core, _docs
from ._core import (Adjust, Beamform, DeltaDecoder, DeltaEncoder, Denoise, Equalize, Flow, Heatmap, Meltpool,
                    Noise, Plan)
from ._errors import (DeviceError, Error, FileError, FormatError, InvalidError, NoMemoryError,
                      ShapeError, UnsupportedError)
from ._files import SdvReader, SdvWriter, VideoReader, VideoWriter, read_picture, write_picture
from ._grid import Grid, Sector
from ._measure import CameraNoise, histogram, info, ladder, measure_bandwidth, measure_difference
from ._meltpool import (CLIPPED, EMPTY, FEATURES, GAP, LATE, NO_POOL, RECORD, REFUSED, SIGNALS, TRUTH, Frames,
                        MeltpoolSimulation, Model, calibrate, read_frames, simulate_meltpool, write_frames,
                        write_records)
from ._once import adjust, beamform, denoise, equalize, flow, heatmap, meltpool, noise
from ._stream import Stream
from ._structs import Packet
from ._ultrasound import (Acquisition, Image, Probe, Recording, Transmit, measure_cyst, measure_point,
                          phantom,
                          read_image, read_recording, simulate_ultrasound, write_image, write_recording)

__version__ = version = _core.info()["version"]
del _docs

"""Melt pools: models, simulated builds, files, calibrations."""
import dataclasses
import typing

import numpy

from . import _core
from ._structs import RECORD, SIGNALS, TRUTH

FEATURES = _core.feature_names()
EMPTY, NO_POOL, CLIPPED, LATE, GAP, REFUSED = 1, 2, 4, 8, 16, 32  # flags of a record


class Model:
    """A model that predicts pores: of a safetensors file, or, without a path, the one that ships."""

    def __init__(self, path=None):
        self._capsule, self.description, self.parameters = _core.read_model(path)


def model_capsule(model):
    if isinstance(model, Model):
        return model._capsule
    return Model(None if isinstance(model, str) and model == "shipped" else model)._capsule


class MeltpoolSimulation:
    """A simulated build: an iterator of batches (frames, signals, truth).

    frames are (n, 96, 96) of uint8, signals and truth (n) structs. regime is nominal, keyhole, lof or mixed;
    with n_frames there are exactly so many, otherwise n_layers of about 8,500.
    """

    def __init__(self, regime="mixed", n_layers=6, n_frames=0, seed=1, batch=1000):
        self._handle, self.n_frames = _core.open_simulation(regime, n_layers, n_frames, seed)
        self._batch = batch

    def read(self, n):
        """The next n frames, fewer at the end."""
        frames = numpy.empty((n, 96, 96), "u1")
        signals, truth = numpy.zeros(n, SIGNALS), numpy.zeros(n, TRUTH)
        made = _core.simulation_next(self._handle, frames, signals, truth)
        return frames[:made], signals[:made], truth[:made]

    def __iter__(self):
        return self

    def __next__(self):
        batch = self.read(self._batch)
        if len(batch[0]) == 0:
            raise StopIteration
        return batch


def simulate_meltpool(n_frames, regime="mixed", seed=1):
    """(frames, signals, truth) of a simulated build; its calibration is "simulated"."""
    return MeltpoolSimulation(regime, n_frames=n_frames, seed=seed).read(n_frames)


@dataclasses.dataclass
class Frames:
    """Frames of a file, with the machine's signals, and of a simulation the truth."""

    frames: typing.Any
    signals: typing.Any = None
    truth: typing.Any = None
    calibration: typing.Any = None
    rate_hz: float = 0.0
    seed: int = -1


def read_frames(path, first=0, n=-1):
    """Reads frames of an HDF5 file: n of them from `first` on, all by default."""
    return Frames(*_core.read_frames(path, first, n))


def write_frames(path, frames, signals=None, truth=None, calibration=None, rate_hz=0.0):
    """Writes frames, (n, h, w) of uint8, as HDF5 (.h5)."""
    _core.write_frames(path, numpy.ascontiguousarray(frames), signals, truth, calibration, rate_hz)


def write_records(path, records, truth=None, has_signals=True, has_prediction=True, has_times=False,
                  rate_hz=0.0):
    """Writes records of Meltpool, and of a simulation the truth, as HDF5 (.h5) or CSV (.csv)."""
    _core.write_records(path, numpy.ascontiguousarray(records), truth, has_signals, has_prediction, has_times,
                        rate_hz)


def calibrate(frames, signals, threshold=60):
    """Where the laser is in the picture: a dict with `calibration`, (2, 3), and how well it fits."""
    return _core.calibrate(frames, signals, threshold)

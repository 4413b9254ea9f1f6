"""How channel data was acquired; recordings and images in files; simulated data; measures."""
import dataclasses
import typing

import numpy

from . import _core
from ._errors import InvalidError


def _of_bytes(data, dtype):
    return None if data is None else numpy.frombuffer(data, dtype).copy()


class Probe:
    """The elements of a probe: `elements` is (n, 8) of float64, x, y, z, normal x, y, z, width, height.

    `shapes` is (n) of int32, 0 of small areas, 1 of rows (lines along x, width_m long) and 2 of columns
    (along y, height_m long); None: all are areas.
    """

    def __init__(self, positions_m, normals=(0.0, 0.0, 1.0), width_m=0.0, height_m=0.0, shapes=None):
        self.shapes = None if shapes is None else numpy.array(shapes).astype(numpy.int32, casting="same_kind")
        positions = numpy.asarray(positions_m, float)
        if positions.ndim != 2 or positions.shape[1] not in (3, 8):
            raise ValueError("positions_m: expected (n, 3), got %s" % (positions.shape,))
        if positions.shape[1] == 8:
            self.elements = numpy.ascontiguousarray(positions)
            return
        self.elements = numpy.empty((len(positions), 8))
        self.elements[:, :3] = positions
        self.elements[:, 3:6] = normals
        self.elements[:, 6] = width_m
        self.elements[:, 7] = height_m

    @classmethod
    def linear(cls, n, pitch_m, width_m=0.0, height_m=0.0):
        """n elements along x, centered on the origin, facing z; sizes of 0 are unknown."""
        elements = numpy.zeros((n, 8))
        _core.probe_linear(elements, pitch_m, width_m, height_m)
        return cls(elements)

    @classmethod
    def curved(cls, n, radius_m, pitch_m, width_m=0.0, height_m=0.0):
        """n elements on an arc around (0, 0, -radius_m), pitch_m apart along it, facing outwards."""
        elements = numpy.zeros((n, 8))
        _core.probe_curved(elements, radius_m, pitch_m, width_m, height_m)
        return cls(elements)

    @classmethod
    def matrix(cls, n_x, n_y, pitch_x_m, pitch_y_m):
        """n_x x n_y elements in the plane z = 0, x fastest; their sizes are the pitches."""
        elements = numpy.zeros((n_x * n_y, 8))
        _core.probe_matrix(elements, n_x, n_y, pitch_x_m, pitch_y_m)
        return cls(elements)

    @classmethod
    def row_column(cls, n_rows, n_columns, pitch_m, width_m=0.0):
        """n_rows lines along x, then n_columns along y, centered on the origin, each as long as the others lie apart."""
        elements = numpy.zeros((n_rows + n_columns, 8))
        shapes = _core.probe_row_column(elements, n_rows, n_columns, pitch_m, width_m)
        return cls(elements, shapes=_of_bytes(shapes, numpy.int32))

    def __len__(self):
        return len(self.elements)

    @property
    def positions_m(self):
        """(n, 3): a view of `elements`."""
        return self.elements[:, :3]

    def transmits(self, text):
        """Usual sequences: "plane:75:16", "diverging:16", "focused:64:40", "lines:64:40", "sa".

        Of a row-column probe both ways: first the rows send them and the columns receive, then the other way round.
        """
        lines = self.shapes is not None and numpy.any(self.shapes)
        shapes = numpy.asarray(self.shapes, numpy.int32).tobytes() if lines else None
        return [Transmit._unpack(fields) for fields in _core.transmits(text, self.elements, shapes)]


def _table(values):
    return None if values is None else numpy.ascontiguousarray(values, float)


@dataclasses.dataclass
class Transmit:
    """One transmit: kind is plane, diverging, focused, element, delays or arrivals.

    apodization: the amplitude with which each element fires; None: 1 for all.
    receives: whether each element records the echoes; None: all do.
    """

    kind: str = "plane"
    azimuth_rad: float = 0.0
    elevation_rad: float = 0.0
    source_m: tuple = (0.0, 0.0, 0.0)
    element: int = 0
    delays_s: typing.Any = None
    arrivals_s: typing.Any = None
    t0_s: float = 0.0
    weight: float = 1.0
    apodization: typing.Any = None
    receives: typing.Any = None

    def _pack(self):
        return (self.kind, self.azimuth_rad, self.elevation_rad, tuple(self.source_m), self.element,
                _table(self.delays_s), _table(self.arrivals_s), self.t0_s, self.weight,
                _table(self.apodization), _table(self.receives))

    @classmethod
    def _unpack(cls, fields):
        *rest, receives = fields
        return cls(*rest, _of_bytes(receives, bool))


@dataclasses.dataclass
class Acquisition:
    """How channel data was acquired.

    `transmits` is a list of Transmit, or a text such as "plane:75:16". fs_hz is the sampling rate, fc_hz
    the center frequency, fd_hz the demodulation frequency (0: fc_hz), bandwidth a fraction of fc. line_taper
    is the share of lines over which their ends fall off, 0 to 1, which the simulation takes into account.
    """

    probe: Probe
    transmits: typing.Any
    fs_hz: float
    fc_hz: float
    bandwidth: float = 0.0
    fd_hz: float = 0.0
    c_m_s: float = 1540.0
    frame_rate_hz: float = 0.0
    phase_origin: str = "record"
    phase_sign: int = 1
    line_taper: float = 0.0

    def __post_init__(self):
        if not isinstance(self.probe, Probe):
            self.probe = Probe(self.probe)
        if isinstance(self.transmits, str):
            self.transmits = self.probe.transmits(self.transmits)

    def _pack(self):
        transmits = [t._pack() for t in self.transmits]
        return (_table(self.probe.elements), _table(self.probe.shapes), transmits, self.fs_hz, self.fc_hz,
                self.bandwidth, self.fd_hz, self.c_m_s, self.frame_rate_hz, self.phase_origin,
                self.phase_sign, self.line_taper)

    @classmethod
    def _unpack(cls, fields):
        elements, shapes, transmits, *rest = fields
        probe = Probe(elements, shapes=_of_bytes(shapes, numpy.int32))
        return cls(probe, [Transmit._unpack(t) for t in transmits], *rest)


@dataclasses.dataclass
class Recording:
    """Channel data: samples (frames, transmits, elements, samples) of int16, float32 or complex64."""

    samples: typing.Any
    acquisition: Acquisition
    truth: typing.Any = None  # (n, 4) scatterers of a simulation: x, y, z, amplitude
    note: str = ""  # values that were assumed

    def write(self, path):
        """Writes HDF5 (.h5) or NPY and JSON (.npy)."""
        write_recording(path, self.samples, self.acquisition, self.truth)


def read_recording(path, **overrides):
    """Reads MAT v5 or v7.3, HDF5 or NPY; its samples are a view of what was read.

    fs_hz, fc_hz, fd_hz, c_m_s, t0_s, pitch_m, bandwidth and transmits ("plane:75:16") override the file;
    first_frame and n_frames choose frames, first_transmit and n_transmits transmits: the others are not read.
    """
    samples, acquisition, truth, note = _core.read_recording(path, **overrides)
    return Recording(samples, Acquisition._unpack(acquisition), truth, note)


def write_recording(path, samples, acquisition, truth=None):
    """Writes channel data, (frames, transmits, elements, samples), as HDF5 (.h5) or NPY and JSON (.npy)."""
    _core.write_recording(path, numpy.ascontiguousarray(samples), acquisition, _table(truth))


@dataclasses.dataclass
class Image:
    """A beamformed image of a file, with its grid."""

    samples: typing.Any
    grid: typing.Any  # a Grid or a Sector
    kind: str = "bmode"
    dynamic_range_db: float = 60.0
    c_m_s: float = 0.0
    fc_hz: float = 0.0
    f_number: float = 0.0
    aperture_m: float = 0.0
    frame_rate_hz: float = 0.0
    truth: typing.Any = None
    nyquist_m_s: float = 0.0  # of velocities
    prf_hz: float = 0.0


def read_image(path):
    """Reads a beamformed image of HDF5."""
    return Image(*_core.read_image(path))


def write_image(path, samples, grid, kind="bmode", dynamic_range_db=60.0, c_m_s=0.0, fc_hz=0.0,
                f_number=0.0, aperture_m=0.0, frame_rate_hz=0.0, nyquist_m_s=0.0, prf_hz=0.0):
    """Writes an image, (frames, z, x) or (frames, z, y, x), as HDF5, NPY or TIFF."""
    if kind == "bmode" and numpy.isrealobj(samples) and numpy.size(samples) and numpy.max(samples) > 0:
        raise InvalidError("kind: bmode is at most 0 dB, and these samples are above: is it envelope, or velocity?")
    _core.write_image(path, numpy.ascontiguousarray(samples), grid, kind, dynamic_range_db, c_m_s, fc_hz,
                      f_number, aperture_m, frame_rate_hz, nyquist_m_s, prf_hz)


def phantom(kind="points", **sizes):
    """Scatterers of a test picture, (n, 4) of x, y, z, amplitude: points, cyst or disk.

    first_m and last_m are the corners of the region, center_m and radius_m of cyst and disk; n_scatterers,
    lambda_m, angle_rad, seed.
    """
    return _core.phantom(kind, **sizes)


def simulate_ultrasound(acquisition, scatterers, n_samples, attenuation_db_cm_mhz=0.0, noise_db=0.0,
                        seed=0, threads=0, out=None, progress=None, layers=None, lens=None,
                        elevation_focus_m=0.0):
    """RF of scatterers (n, 4) as the probe would record it: float32 (transmits, elements, samples).

    layers ("5:1450,1540": mm and m/s) and lens ("1:1000") are speeds of sound by depth, as those of Beamform. Elements of a
    height focus across the array at elevation_focus_m; 0: they are flat.
    """
    if out is None:
        out = numpy.empty((len(acquisition.transmits), len(acquisition.probe), n_samples), "f4")
    return _core.simulate_ultrasound(out, acquisition, _table(scatterers), attenuation_db_cm_mhz, noise_db,
                                     seed, threads, progress, layers, lens, elevation_focus_m)


def _triple(place):
    return tuple(map(float, place))


def measure_point(image, grid, at_m, reach_m, kind="bmode"):
    """Resolution at a point target of one frame, (z, x) or (z, y, x): a dict."""
    return _core.measure_point(image, grid, kind, _triple(at_m), reach_m)


def measure_cyst(image, grid, center_m, radius_m, kind="bmode"):
    """Contrast of a cyst of one frame, (z, x) or (z, y, x): a dict."""
    return _core.measure_cyst(image, grid, kind, _triple(center_m), radius_m)

"""Grids of points."""
import dataclasses

import numpy


@dataclasses.dataclass(frozen=True)
class Grid:
    """Points at equal steps: each axis is (first, last, n), in metres, both ends included.

    >>> saccade.Grid(x=(-0.02, 0.02, 256), z=(5e-3, 45e-3, 512))
    """

    x: tuple = (0.0, 0.0, 1)
    y: tuple = (0.0, 0.0, 1)
    z: tuple = (0.0, 0.0, 1)

    def _pack(self):
        return _axes(self.x, self.y, self.z)

    @property
    def axes(self):
        """The places along x, y and z, in metres: three arrays."""
        return tuple(numpy.linspace(*axis) for axis in self._pack())

    @staticmethod
    def default(acquisition, n_samples):
        """Steps of a third of the wavelength over the field that the data covers."""
        from . import _core
        return _core.grid_default(acquisition, n_samples)

    @staticmethod
    def suit(acquisition, n_samples):
        """What suits the probe: a Sector of a curved array or a phased one, else Grid.default."""
        from . import _core
        return _core.grid_suit(acquisition, n_samples)


@dataclasses.dataclass(frozen=True)
class Sector:
    """A polar grid: azimuth and elevation are (first, last, n) in radians, depth in metres.

    Depths count from an arc of radius_m around apex_m. The points are
    apex + (radius + depth) (sin a cos e, sin e, cos a cos e).

    >>> saccade.Sector(azimuth=(-0.7, 0.7, 256), depth=(5e-3, 0.1, 512))
    """

    azimuth: tuple = (0.0, 0.0, 1)
    elevation: tuple = (0.0, 0.0, 1)
    depth: tuple = (0.0, 0.0, 1)
    apex_m: tuple = (0.0, 0.0, 0.0)
    radius_m: float = 0.0

    def _pack(self):
        return _axes(self.azimuth, self.elevation, self.depth) + (tuple(map(float, self.apex_m)),
                                                                  float(self.radius_m))

    @property
    def axes(self):
        """The azimuths and elevations in radians, and the depths in metres: three arrays."""
        return tuple(numpy.linspace(*axis) for axis in self._pack()[:3])

    def picture(self):
        """The cartesian Grid that shows all of it, in steps of its depths."""
        from . import _core
        return _core.sector_picture(self)


def _axes(*axes):
    return tuple((float(a), float(b), int(n)) for a, b, n in axes)

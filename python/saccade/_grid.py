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
        return tuple((float(a), float(b), int(n)) for a, b, n in (self.x, self.y, self.z))

    @property
    def axes(self):
        """The places along x, y and z, in metres: three arrays."""
        return tuple(numpy.linspace(*axis) for axis in self._pack())

    @staticmethod
    def default(acquisition, n_samples):
        """Steps of a third of the wavelength over the field that the data covers."""
        from . import _core
        return Grid(*_core.grid_default(acquisition, n_samples))

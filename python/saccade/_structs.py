"""The library's structs as types of NumPy."""
import collections

import numpy

SIGNALS = numpy.dtype([("laser_on", "i4"), ("counter", "i4"), ("x", "i4"), ("y", "i4")])
RECORD = numpy.dtype([("arrival_ns", "i8"), ("done_ns", "i8"), ("laser_on", "i4"), ("counter", "i4"), ("x",
                                                                                                       "i4"),
                      ("y", "i4"), ("flags", "u4"), ("features", "f4", 40), ("prediction", "f4", 2)],
                     align=True)
TRUTH = numpy.dtype([("regime", "i4"), ("layer", "i4"), ("n_spatters", "i4")] + [(name, "f4") for name in (
    "x", "y", "sigma_perp", "sigma_par", "tail", "angle_rad", "amplitude", "power_w", "width_m", "depth_m",
    "enthalpy", "lof_density", "keyhole_density")])

Packet = collections.namedtuple("Packet", "data frame time_ns is_key")
Packet.__doc__ = "A packet of a delta stream: its bytes, the frame's number and time, keyframe or not."

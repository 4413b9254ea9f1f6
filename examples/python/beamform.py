#!/usr/bin/env python3
"""Beamforms a recording into a picture of its first frame: beamform.py [IN] OUT.png

IN is HDF5, NPY or MAT (docs/formats.md). Without it the picture is of simulated points.
Shows: a recording, simulated channel data, the default grid, a plan that is run frame after frame.

SPDX-License-Identifier: Apache-2.0
"""
import sys

import numpy

import saccade


def simulate():
    """Two frames of 20 points, seen by five plane waves within +-10 degrees."""
    probe = saccade.Probe.linear(64, pitch_m=0.3e-3, width_m=0.27e-3)
    acquisition = saccade.Acquisition(probe, "plane:5:10", fs_hz=20e6, fc_hz=5e6, bandwidth=0.6)
    points = saccade.phantom("points", first_m=(-8e-3, 0, 8e-3), last_m=(8e-3, 0, 24e-3))
    frames = [saccade.simulate_ultrasound(acquisition, points, 750, noise_db=40, seed=i) for i in range(2)]
    return saccade.Recording(numpy.stack(frames), acquisition)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    recording = saccade.read_recording(sys.argv[1]) if len(sys.argv) == 3 else simulate()
    samples, acquisition = recording.samples, recording.acquisition  # (frames, transmits, elements, samples)
    grid = saccade.Grid.default(acquisition, samples.shape[3])
    with saccade.Beamform(acquisition, grid, kind="gray", dynamic_range=60) as plan:
        pictures = [plan(frame) for frame in samples]  # one at a time, as they come from a scanner
        print("%d frames of %d x %d points by %s" % (len(pictures), grid.x[2], grid.z[2], plan.variant))
    saccade.write_picture(sys.argv[-1], pictures[0])


if __name__ == "__main__":
    try:
        main()
    except saccade.Error as error:
        sys.exit("beamform.py: %s" % error)

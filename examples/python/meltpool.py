#!/usr/bin/env python3
"""Watches a simulated melt pool: meltpool.py [FRAMES [OUT.csv]]

Prints each frame in which more than 10 pores are predicted on a square millimetre, and writes all
features and predictions to OUT.csv.
Shows: a simulation in batches, the shipped model, structured arrays of records, the counts.

SPDX-License-Identifier: Apache-2.0
"""
import sys

import numpy

import saccade


def main():
    if len(sys.argv) > 3:
        sys.exit(__doc__)
    camera = saccade.MeltpoolSimulation(n_frames=int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
    parts = []
    with saccade.Meltpool(calibration="simulated", model="shipped") as plan:
        for frames, signals, truth in camera:  # (n, 96, 96) of uint8; structs of n
            records = plan(frames, signals)  # features and predictions of n frames
            pores = records["prediction"][:, :2].sum(axis=1)
            for i in numpy.flatnonzero((pores > 10) & ((records["flags"] & saccade.EMPTY) == 0)):
                print("frame %d: %.0f pores/mm^2" % (signals["counter"][i], pores[i]))
            parts.append((records, truth))
        counts = plan.counts()
        print("%(frames)d frames, %(processed)d processed, %(empty)d with the laser off." % counts,
              plan.doubt)
    if len(sys.argv) == 3:
        records, truth = (numpy.concatenate(column) for column in zip(*parts))
        saccade.write_records(sys.argv[2], records, truth, has_prediction=True)


if __name__ == "__main__":
    try:
        main()
    except saccade.Error as error:
        sys.exit("meltpool.py: %s" % error)

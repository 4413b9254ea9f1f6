#!/usr/bin/env python3
"""Draws how much each frame of a video differs from the one before: motion.py IN.y4m OUT.y4m

FFmpeg makes Y4M of other videos: ffmpeg -i clip.mp4 -f yuv4mpegpipe in.y4m
Shows: a reader, a writer, a plan that keeps the previous frame, arrays that are used again.

SPDX-License-Identifier: Apache-2.0
"""
import sys

import numpy

import saccade


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    n = 0
    with saccade.VideoReader(sys.argv[1], pixel="rgb") as reader, \
            saccade.VideoWriter(sys.argv[2], rate=reader.rate or 25) as writer, saccade.Heatmap() as plan:
        frame, picture = (numpy.empty(reader.shape, "u1") for _ in range(2))
        while reader.read(frame) is not None:
            if plan(frame, out=picture) is not None:  # None of the first frame: nothing came before it
                writer.write(picture)
                n += 1
    print("%d pictures" % n)


if __name__ == "__main__":
    try:
        main()
    except saccade.Error as error:
        sys.exit("motion.py: %s" % error)

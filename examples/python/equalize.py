#!/usr/bin/env python3
"""Equalizes a picture: equalize.py IN OUT (PNG, JPEG, PPM, ...)

Shows: a picture from a file, the one-call form, its local form, errors with their text.

SPDX-License-Identifier: Apache-2.0
"""
import sys

import saccade


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    picture = saccade.read_picture(sys.argv[1])  # (h, w) or (h, w, channels) of uint8 or uint16
    print("%s of %s, brightest value %d" % (picture.shape, picture.dtype, picture.max()))
    # clahe="8" would equalize locally, on a grid of 8 x 8 tiles.
    saccade.write_picture(sys.argv[2], saccade.equalize(picture))


if __name__ == "__main__":
    try:
        main()
    except saccade.Error as error:
        sys.exit("equalize.py: %s" % error)

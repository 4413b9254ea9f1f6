#!/usr/bin/env python3
"""Compresses a video to its changes and back: delta.py IN.y4m OUT.sdv [THRESHOLD]

A pixel is sent when it differs by more than THRESHOLD (default 20) from what the receiver has.
Shows: an encoder, packets, a file of packets, a decoder, how far its pictures are off.

SPDX-License-Identifier: Apache-2.0
"""
import sys

import saccade


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    threshold = int(sys.argv[3]) if len(sys.argv) == 4 else 20
    encoder = saccade.DeltaEncoder(order="rgb", threshold=threshold)
    decoder = saccade.DeltaDecoder()
    n = raw = sent = largest = 0
    with saccade.VideoReader(sys.argv[1], pixel="rgb") as reader, saccade.SdvWriter(sys.argv[2]) as writer:
        step_ns = int(10**9 / (reader.rate or 25))
        for frame in reader:
            packet = encoder(frame, time_ns=n * step_ns)
            writer.write(packet)
            picture = decoder(packet)  # what a receiver sees
            largest = max(largest, int(abs(picture.astype(int) - frame).max(initial=0)))
            raw += frame.nbytes
            sent += len(packet.data)
            n += 1
    with saccade.SdvReader(sys.argv[2]) as packets:
        n_keys = sum(packet.is_key for packet in packets)
    print("%d frames, %d of them keyframes: %d bytes instead of %d" % (n, n_keys, sent, raw))
    print("largest error of a sample: %d" % largest)


if __name__ == "__main__":
    try:
        main()
    except saccade.Error as error:
        sys.exit("delta.py: %s" % error)

#!/usr/bin/env python3
"""Beamforms and filters in PyTorch's memory, on a GPU where there is one: beamform_torch.py [OUT.png]

Shows: tensors in and out without a copy, a stream, further work on the result by PyTorch.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import sys

import torch

import saccade


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    on_gpu = torch.cuda.is_available() and bool(saccade.info()["gpus"])
    device = torch.device("cuda" if on_gpu else "cpu")
    stream = torch.cuda.Stream() if on_gpu else None

    probe = saccade.Probe.linear(64, pitch_m=0.3e-3, width_m=0.27e-3)
    acquisition = saccade.Acquisition(probe, "plane:5:10", fs_hz=20e6, fc_hz=5e6, bandwidth=0.6)
    points = saccade.phantom("points", first_m=(-8e-3, 0, 8e-3), last_m=(8e-3, 0, 24e-3))
    rf = torch.from_numpy(saccade.simulate_ultrasound(acquisition, points, 750, noise_db=20)).to(device)
    grid = saccade.Grid.default(acquisition, rf.shape[2])
    if on_gpu:
        stream.wait_stream(torch.cuda.current_stream())  # rf was copied on another stream

    with saccade.Beamform(acquisition, grid, kind="envelope", device=str(device), stream=stream) as plan, \
            (torch.cuda.stream(stream) if on_gpu else contextlib.nullcontext()):
        envelope = plan(rf)  # a tensor on the same device; on a GPU the work is only enqueued
        smooth = torch.nn.functional.avg_pool2d(envelope[None, None], 3, stride=1, padding=1)[0, 0]
        decibels = 20 * torch.log10((smooth / smooth.max()).clamp(min=1e-3))
        gray = (255 * (1 + decibels / 60)).clamp(0, 255).to(torch.uint8).cpu()
    print("%d x %d points on %s" % (gray.shape[1], gray.shape[0], device))
    if len(sys.argv) == 2:
        saccade.write_picture(sys.argv[1], gray.numpy())


if __name__ == "__main__":
    try:
        main()
    except saccade.Error as error:
        sys.exit("beamform_torch.py: %s" % error)

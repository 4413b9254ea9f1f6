"""`saccade beamform --listen --view` as a server of a page, and senders to it.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import contextlib

from browser import SACCADE, saccade, within
from loop import Loop
from viewer import simulate

ECHOES = "-3:3:61,5:12:71" # a grid, with a point at 1, 8.5


async def echoes(name="echoes.h5", frames=3):
    """Frames that are one datagram each, so that a small buffer loses none; noise tells them apart."""
    return await simulate(name, "--frames", frames, "--transmits", "plane:2:10", "--elements", 16, "--noise", 30,
                          "--region=-3:3,5:12")


async def volumes():
    """The same of a row-column array."""
    return await simulate("volume.h5", "--array", "row-column", "--elements", 8, "--transmits", "plane:2:10", "--frames", 2,
                          "--region=-1:1,8:12")


class Listener(Loop):
    """`saccade beamform --listen` with these options."""

    command = ("beamform",)

    async def report(self):
        """When it has seen all that it wanted."""
        await within("the listener's end", self.process.wait())
        return await self.stop()


async def send(listener, source, rate=50, repeat=1):
    """The frames of a file, over and over: once a listener, which takes one sender."""
    status, _, err = await saccade("simulate", "ultrasound", "--to", f"udp://127.0.0.1:{listener.port}", "--input", source,
                                   "--rate", rate, "--repeat", repeat)
    assert status == 0, err


@contextlib.asynccontextmanager
async def sending(listener, source, rate=25):
    """The same, until it is over."""
    process = await asyncio.create_subprocess_exec(
        SACCADE, "simulate", "ultrasound", "--to", f"udp://127.0.0.1:{listener.port}", "--input", source, "--rate", str(rate),
        "--repeat", "100000", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await within("the sender's end", process.wait())


def done(n):
    """So many frames have come and gone, and the newest is shown."""
    return lambda v: v.picture["live"]["processed"] == n and v.picture["frame"] == n - 1

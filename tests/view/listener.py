"""`saccade beamform --listen --view` as a server of a page, and senders to it.

SPDX-License-Identifier: Apache-2.0
"""

from browser import saccade, within
from loop import Loop, Sending


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


def sending(listener, source, rate=25):
    """The same, until it is over."""
    return Sending(listener, rate, "ultrasound", "--input", source, "--repeat", 100000)


def done(n):
    """So many frames have come and gone, and the newest is shown."""
    return lambda v: v.picture["live"]["processed"] == n and v.picture["frame"] == n - 1

"""Frames of a melt pool in a file; `saccade meltpool --listen --view` as a server of a page, and senders to it.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import json
import re
import signal

from browser import SACCADE, Server, saccade, skip, within


async def build(name="build.h5", frames=1500, *options):
    status, _, err = await saccade("simulate", "meltpool", "--seed", 3000, "--frames", frames, "-o", name, *options)
    if "HDF5" in err and status:
        skip("this build has no HDF5")
    assert status == 0, err
    return name


class Loop(Server):
    """A loop with these options, at free ports; `port` is where frames go. `view` None: nobody may look."""

    command = ("meltpool", "--calibration", "simulated")

    def __init__(self, *arguments, view=0):
        super().__init__(*arguments)
        self.view = [] if view is None else ["--view", str(view)]

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            SACCADE, *map(str, (self.command[0], "--listen", "udp://127.0.0.1:0", *self.command[1:], "--seconds", 600,
                                "--json", "report.json", *self.view, *self.arguments)),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        if self.view:
            self.address = (await self.find(r"http\S+"))[0]
            self.authority = self.address.split("/")[2]
        self.port = (await self.find(r" port (\d+)"))[1]
        return self

    async def find(self, pattern):
        while line := (await within("what the loop says", self.process.stderr.readline())).decode():
            if match := re.search(pattern, line):
                return match
            if "listen: " in line:
                skip(f"no socket here: {line}")
        raise AssertionError("the loop has ended")

    async def stop(self):
        """Its report."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
        await within("the loop's end", self.process.wait())
        with open("report.json") as file:
            return json.load(file)["rows"][0]


async def send(loop, frames, rate):
    status, _, err = await saccade("simulate", "meltpool", "--seed", 3000, "--frames", frames, "--rate", rate,
                                   "--to", f"udp://127.0.0.1:{loop.port}")
    assert status == 0, err


class Sending:
    """A camera of so many frames a second, until it is over: builds of 3,000 frames, which are soon made, in turn."""

    def __init__(self, loop, rate):
        self.loop, self.rate, self.process, self.is_over = loop, rate, None, False

    async def __aenter__(self):
        self.task = asyncio.create_task(self.repeat())

    async def repeat(self):
        while not self.is_over:
            self.process = await asyncio.create_subprocess_exec(
                SACCADE, "simulate", "meltpool", "--seed", "3000", "--frames", "3000", "--rate", str(self.rate), "--to",
                f"udp://127.0.0.1:{self.loop.port}", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
            await self.process.wait()

    async def __aexit__(self, *rest):
        self.is_over = True
        while not self.task.done():
            if self.process and self.process.returncode is None:
                self.process.terminate()
            await within("the sender's end", asyncio.wait([self.task], timeout=0.1))

"""Frames of a melt pool in a file; `saccade meltpool --listen --view` as a server of a page, and senders to it.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import contextlib
import json
import os
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


def urgencies_to_try():
    """Pairs of policy and nice; by real time where this user may."""
    own = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(5))
    except PermissionError:
        print("left out: this user has no real-time priorities", flush=True)
        return [(os.SCHED_OTHER, 12)]
    os.sched_setscheduler(0, *own)
    return [(os.SCHED_OTHER, 12), (os.SCHED_FIFO, 12)]


@contextlib.contextmanager
def urgency(policy, nice):
    """What is started within has this policy and nice; then this process has its own policy again."""
    own = os.sched_getscheduler(0), os.sched_getparam(0)
    os.setpriority(os.PRIO_PROCESS, 0, nice)
    os.sched_setscheduler(0, policy, os.sched_param(5 if policy == os.SCHED_FIFO else 0))
    try:
        yield
    finally:
        os.sched_setscheduler(0, *own)


def urgencies(loop):
    """Policy and nice of each of its threads, the main one's first."""
    found = []
    for task in sorted(map(int, os.listdir(f"/proc/{loop.process.pid}/task"))):
        with contextlib.suppress(ProcessLookupError): # of a plan that was tried
            found.append((os.sched_getscheduler(task), os.getpriority(os.PRIO_PROCESS, task)))
    return found


def check_urgencies(loop, policy, nice, n_behind):
    """The loop's threads have what it was given, and the view's, so many or more, go behind them."""
    got = urgencies(loop)
    behind = (os.SCHED_OTHER, min(nice + 10, 19))
    assert got[0] == (policy, nice) and set(got) == {got[0], behind} and got.count(behind) >= n_behind, got


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

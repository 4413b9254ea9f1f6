"""What tests of `saccade view` share: recordings, a client of its messages, and what its command lines write.

SPDX-License-Identifier: Apache-2.0
"""

import array
import json
import shlex
import struct

from browser import saccade, skip, within


SHOWN = "viewed.picture && viewed.state && viewed.panels.length" # on the page
GRID = "-18:18:121,5:45:161"


async def simulate(name, *arguments):
    status, _, err = await saccade("simulate", "ultrasound", "-o", name, *arguments)
    if "no libhdf5" in err or "HDF5" in err and status:
        skip("this build has no HDF5")
    assert status == 0, err
    return name


async def points():
    """Three frames of three plane waves, which noise tells apart."""
    return await simulate("points.h5", "--frames", 3, "--transmits", "plane:3:10", "--noise", 30)


def close(a, b, tolerance, what):
    assert abs(a - b) <= tolerance, f"{what}: wanted {b}, got {a}"


def add_samples(message, data):
    if message["panels"][0]["type"] == "level":
        message["levels"] = array.array("H", data)
        return
    at, message["bytes"] = 0, {}
    for panel in message["panels"]:
        size = panel["w"] * panel["h"] * {"level": 2, "gray": 1, "rgb": 3}[panel["type"]]
        message["bytes"][panel["name"]] = data[at:at + size]
        at += size + size % 2
    assert at == len(data), f"{at} bytes of panels, {len(data)} came"


class Viewer:
    """A WebSocket to a server; `state`, `picture` and `refusal` are the last that came. The samples of a picture's panels are
    in it: `levels`, of all panels, or `bytes` of each by its name."""

    def __init__(self, server, **options):
        self.server, self.options, self.state, self.picture, self.refusal = server, options, None, None, None

    async def __aenter__(self):
        self.socket = await within("a connection", self.server.socket(**self.options))
        return self

    async def __aexit__(self, *rest):
        await self.socket.close()

    async def read(self):
        data = await within("a message", self.socket.recv())
        if isinstance(data, str):
            message = json.loads(data)
        else:
            length = struct.unpack("<I", data[:4])[0]
            message = json.loads(data[4:4 + length])
            add_samples(message, data[4 + length:])
            await self.socket.send("drawn")
        setattr(self, message["kind"], message)
        return message

    async def until(self, condition):
        """Reads until state and picture are there, and fulfil it."""

        async def look():
            while not (self.state and self.picture and condition(self)):
                await self.read()

        await within("what was waited for", look())
        return self

    async def say(self, *messages):
        for message in messages:
            await self.socket.send(message)


def there(_):
    return True


def control(state, name):
    return next(c["value"] for c in state["controls"] if c["name"] == name)


async def run_command(command, output):
    """What the page's command line makes, into another file."""
    words = shlex.split(command)
    assert words[0] == "saccade" and words[-2] == "-o", command
    status, _, err = await saccade(*words[1:-1], output)
    assert status == 0, f"{command}: {err}"


def read_npy(path):
    """Shape and values of an NPY of float32."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length].decode()) # pylint: disable=eval-used # a dict that saccade wrote
    assert header["descr"] == "<f4" and not header["fortran_order"], header
    return header["shape"], array.array("f", data[10 + length:])

"""Messages to `saccade view` as they should not be.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import os
import random
import struct

from browser import within



def framed(rng, first, body):
    mask = rng.randbytes(4)
    size = bytes((0x80 | len(body),)) if len(body) < 126 else bytes((0x80 | 126,)) + struct.pack(">H", len(body))
    return bytes((first,)) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body))


def nonsense(rng, names):
    """A message that is taken as such, and says what makes no sense, mostly."""
    name = rng.choice(names)
    body = rng.choice((
        lambda: "".join(chr(rng.randrange(1, 0x250)) for _ in range(rng.randrange(60))),
        lambda: name + " " + "".join(chr(rng.randrange(32, 127)) for _ in range(rng.randrange(70))),
        lambda: name + " " + " ".join(str(rng.uniform(-1e6, 1e6)) for _ in range(rng.randrange(6))),
        lambda: name + "\0" * rng.randrange(5), lambda: ""))()
    return framed(rng, 0x81, body.encode()[:255].decode(errors="ignore").encode())


def malformed(rng):
    """A frame of the WebSocket protocol as it should not be."""
    body = rng.randbytes(rng.randrange(300))
    return rng.choice((
        lambda: framed(rng, 0x81, body), # no UTF-8
        lambda: framed(rng, rng.randrange(256), body),
        lambda: framed(rng, 0x01, body[:50]) + framed(rng, 0x80, body * 9), # too long in parts
        lambda: bytes((0x81, len(body) % 126)) + body, # without a mask
        lambda: bytes((rng.randrange(256), 0x80 | 127)) + struct.pack(">Q", rng.choice((1 << 62, 1 << 63, 1 << 31, 5000))) + body,
        lambda: rng.randbytes(rng.randrange(1, 40))))()


async def send_malformed(server, names):
    """Each connection says nonsense of these controls, then breaks the protocol, which ends it: so that all is read.
    Then it serves as before."""
    rng = random.Random(int(os.environ.get("VIEW_SEED", 1)))
    n, sent = int(os.environ.get("VIEW_MALFORMED", 2000)), 0
    name, port = server.authority.split(":")
    path = server.address.split("/", 3)[3]
    request = (f"GET /{path}socket HTTP/1.1\r\nHost: {server.authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode()
    while sent < n:
        reader, writer = await asyncio.open_connection(name, int(port))
        writer.write(request)
        head = await within("the upgrade", reader.readuntil(b"\r\n\r\n"))
        assert b" 101 " in head, head
        drain = asyncio.create_task(reader.read())
        count = rng.randrange(40)
        writer.write(b"".join(nonsense(rng, names) for _ in range(count)) + malformed(rng))
        sent += count + 1
        try:
            writer.write_eof()
        except OSError: # it has ended already
            pass
        await within("the end of a connection", asyncio.gather(drain, return_exceptions=True))
        writer.close()
        assert server.process.returncode is None, f"ended after {sent} messages"

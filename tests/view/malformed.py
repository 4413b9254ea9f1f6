"""Messages to `saccade view` as they should not be.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import os
import random
import struct

from browser import within

AT_ONCE = 4 # connections


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
        lambda: framed(rng, rng.choice((0x88, 0x89, 0x8a, 0x09, 0x80, 0xc1)), body), # control: too long, in parts; close for no reason
        lambda: framed(rng, 0x01, b"f-number ") + framed(rng, 0x89, b"") + framed(rng, 0x81, b"1"), # one begins within another
        lambda: b"\x81\xfe\x00\x05" + body[:9] + b"\x81\xff" + bytes(7) + body[:20], # lengths longer than they need be
        lambda: framed(rng, 0x81, body)[:rng.randrange(8)], # ends within its head
        lambda: rng.randbytes(rng.randrange(1, 40))))()


def upgrade(server):
    path = server.address.split("/", 3)[3]
    return (f"GET /{path}socket HTTP/1.1\r\nHost: {server.authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode()


def malformed_request(rng, server):
    """A request of HTTP as it should not be: one that could be, changed, or nothing of the kind."""
    page = "/" + server.address.split("/", 3)[3]
    good = rng.choice((upgrade(server), f"GET {page}main.js HTTP/1.1\r\nHost: {server.authority}\r\n\r\n".encode()))
    line, rest = good.split(b"\r\n", 1)
    junk = rng.randbytes(rng.choice((3, 30, 300, 5000)))

    def flipped():
        out = bytearray(good)
        for _ in range(rng.randrange(1, 6)):
            out[rng.randrange(len(out))] = rng.randrange(256)
        return bytes(out)

    def with_header(name, value):
        return line + b"\r\n" + name + b": " + value + b"\r\n" + rest

    def path(text):
        return good.replace(page.encode(), (page + text).encode(), 1)

    return rng.choice((
        flipped, flipped,
        lambda: good[:rng.randrange(len(good))],
        lambda: junk, lambda: junk + b"\r\n\r\n",
        lambda: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + junk, # TLS
        lambda: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + junk,
        lambda: good.replace(b"\r\n", b"\n"), lambda: good.replace(b"\r\n", b"\r"),
        lambda: good.replace(b"GET", rng.choice((b"POST", b"HEAD", b"OPTIONS", b"CONNECT", b"get", b"", b"G" * 3000)), 1),
        lambda: with_header(b"Content-Length", rng.choice((b"-1", b"99999999999999999999", b"10", b"x"))) + junk,
        lambda: with_header(b"Transfer-Encoding", b"chunked") + rng.choice((b"ffffffffffffffff\r\n", b"-1\r\n", b"5\r\n")) + junk,
        lambda: with_header(rng.choice((b"Host", b"Origin", b"Connection", b"Authorization", b"Cookie", b"")), junk),
        lambda: with_header(b"X-" + b"n" * rng.choice((10, 4000)), b"v" * rng.choice((0, 100, 70000))),
        lambda: line + b"\r\n" + b"A: b\r\n" * 2000 + rest,
        lambda: line + b"\r\nHost" + rest, lambda: line + b"\r\n folded\r\n" + rest,
        lambda: with_header(b"Sec-WebSocket-Version", rng.choice((b"0", b"99999", b"-13", junk))),
        lambda: with_header(b"Sec-WebSocket-Extensions", b"permessage-deflate; client_max_window_bits=" + rng.choice((b"0", b"99", b"x"))),
        lambda: with_header(b"Sec-WebSocket-Protocol", b"saccade-view," * rng.choice((1, 500))),
        lambda: path(rng.choice(("%00", "%2e%2e/%2e%2e/etc/passwd", "%", "%zz", "../" * 600, "?" + "a=b&" * 900, "//", "socket/socket"))),
        lambda: good * 3 + junk))()


async def open_connection(server):
    name, port = server.authority.split(":")
    return await asyncio.open_connection(name, int(port))


async def end(server, reader, writer, text):
    """Says the last on a connection, and reads until the server ends it."""
    drain = asyncio.create_task(reader.read())
    try:
        writer.write(text)
        writer.write_eof()
    except OSError: # it has ended already
        pass
    await within("the end of a connection", asyncio.gather(drain, return_exceptions=True))
    writer.close()
    assert server.process.returncode is None, "the server has ended"


async def converse(server, rng, names):
    """A connection that says nonsense, then breaks the protocol, which ends it: so that all is read. How much was said."""
    reader, writer = await open_connection(server)
    writer.write(upgrade(server))
    head = await within("the upgrade", reader.readuntil(b"\r\n\r\n"))
    assert b" 101 " in head, head
    count = rng.randrange(40)
    await end(server, reader, writer, b"".join(nonsense(rng, names) for _ in range(count)) + malformed(rng))
    return count + 1


async def request(server, rng):
    await end(server, *await open_connection(server), malformed_request(rng, server))
    return 1


async def send(one, server, *more):
    """By some connections at once, until VIEW_MALFORMED messages (2,000) are said; then the server serves as before."""
    n, seed = int(os.environ.get("VIEW_MALFORMED", 2000)), int(os.environ.get("VIEW_SEED", 1))

    async def share(k):
        rng, sent = random.Random(AT_ONCE * seed + k), 0
        while sent < n / AT_ONCE:
            sent += await one(server, rng, *more)

    await asyncio.gather(*(share(k) for k in range(AT_ONCE)))


async def send_malformed(server, names):
    """Messages to these controls."""
    await send(converse, server, names)


async def send_malformed_requests(server):
    await send(request, server)

"""saccade view as people meet it: view_test.py NAME runs one of the tests below, `--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import array
import asyncio
import base64
import json
import os
import random
import shlex
import struct
import sys

from browser import Browser, Server, main, saccade, skip, websockets, within

SHOWN = "viewed.picture && viewed.state && viewed.panels.length"
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


# Messages, without a browser.


class Viewer:
    """A WebSocket to a server; `state`, `picture` (its levels are in it) and `refusal` are the last that came."""

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
            message["levels"] = array.array("H", data[4 + length:])
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


async def view_wrong_use_fails():
    with open("clip.y4m", "w") as file:
        file.write("YUV4MPEG2 W2 H2 F25:1\n")
    with open("short.txt", "w") as file:
        file.write("secret\n")
    source = await points()
    for status, text, *arguments in (
            (2, "no input given"),
            (2, "takes one input, got also b.h5", "a.h5", "b.h5"),
            (2, "shows files of ultrasound channel data", "clip.y4m"),
            (2, "shows files of ultrasound channel data", "udp://127.0.0.1:5030"),
            (2, "shows files of ultrasound channel data", "-"),
            (2, "--kind", source, "--kind", "iq"),
            (2, "--host", source, "--host", "example.org"),
            (2, "needs --password-file", source, "--host", "0.0.0.0"),
            (1, "No such file", source, "--password-file", "none.txt"),
            (1, "12 to 254 characters", source, "--password-file", "short.txt"),
            (1, "no-such.h5", "no-such.h5"),
            (1, "no echo from the grid", source, "--grid", "0:1:3,900:950:3"),
            (2, "view: --grid", source, "--grid", "1:2"),
            (2, "view: --apex", source, "--apex", "1,2,3"),
            (2, "--f-number", source, "--f-number", "-1")):
        got, out, err = await saccade("view", *arguments)
        assert got == status and text in err and err.count("\n") == 1 and not out, f"{arguments}: {got} {err}"
    async with Server(source) as server:
        port = server.authority.split(":")[1]
        got, _, err = await saccade("view", source, "--port", port)
        assert got == 1 and "in use" in err, err


async def view_requests_of_others_are_refused():
    async with Server(await points()) as server:
        port = server.authority.split(":")[1]
        page = "/" + server.address.split("/", 3)[3]
        status, fields, body = await server.request(page)
        assert status == 200 and b"<title>saccade view</title>" in body
        assert fields["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert fields["referrer-policy"] == "no-referrer" and fields["x-content-type-options"] == "nosniff"
        for path, wanted in (("/", 403), ("/" + "0" * 32 + "/", 403), (page[:-2] + "/", 403), (page[:-1], 403), (page + "none.js", 404), (page + "main.js", 200)):
            status, _, _ = await server.request(path)
            assert status == wanted, f"{path}: {status}"
        for host, wanted in (("evil.example:" + port, 403), ("127.0.0.1:1", 403), ("127.0.0.1", 403),
                             (f"127.0.0.1:{port}x", 403), (f"127.0.0.1:0{port}", 403), ("[::1]:" + port, 403),
                             ("localhost:" + port, 200)):
            status, _, _ = await server.request(page, host=host)
            assert status == wanted, f"Host {host}: {status}"
        for origin, wanted in (("http://evil.example", 403), ("null", 403), ("https://" + server.authority, 403),
                               ("http://" + "e" * 1500, 403), (f"http://{server.authority}/" + "e" * 1500, 403),
                               ("http://" + server.authority, 200)):
            status, _, _ = await server.request(page, Origin=origin)
            assert status == wanted, f"Origin {origin}: {status}"
        for method in ("POST", "PUT", "DELETE"):
            status, _, _ = await server.request(page, method=method, Content_Length="0")
            assert status in (403, 404, 405), f"{method}: {status}"
        upgrade = {"Upgrade": "websocket", "Sec_WebSocket_Version": "13", "Sec_WebSocket_Key": "A" * 22 + "=="}
        for path, options in (("/" + "0" * 32 + "/socket", {}), (page + "main.js", {}), (page + "socket", {"host": "evil.example:" + port}),
                              (page + "socket", {"Origin": "http://evil.example"}), (page + "socket", {"Origin": "null"})):
            status, _, _ = await server.request(path, **upgrade, **options)
            assert status == 403, f"{path} {options}: {status}"
        async with Viewer(server, origin="http://" + server.authority) as viewer:
            await viewer.until(there)


async def view_port_80_may_be_left_out():
    """As browsers do, in Host and in Origin."""
    source = await points()
    try:
        async with Server(source, "--port", 80) as server:
            page = "/" + server.address.split("/", 3)[3]
            for host, origin, wanted in (("127.0.0.1", "http://127.0.0.1", 200), ("localhost", "http://localhost", 200),
                                         ("127.0.0.1:80", "http://127.0.0.1:80", 200), ("evil.example", "http://evil.example", 403),
                                         ("127.0.0.1", "http://127.0.0.1.evil.example", 403), ("127.0.0.1:8080", "http://127.0.0.1:8080", 403)):
                status, _, _ = await server.request(page, host=host, Origin=origin)
                assert status == wanted, f"Host {host}, Origin {origin}: {status}"
    except AssertionError as error:
        if "127.0.0.1:80: " in str(error): # a port of the system's, or another's
            skip(str(error))
        raise


async def view_password_leads_to_the_page():
    with open("password.txt", "w") as file:
        file.write("correct horse battery\nmore\n")

    def basic(password):
        return "Basic " + base64.b64encode(f"me:{password}".encode()).decode()

    async with Server(await points(), "--host", "0.0.0.0", "--password-file", "password.txt") as server:
        server.authority = server.authority.replace("0.0.0.0", "127.0.0.1")
        assert server.address.count("/") == 3, server.address # no token
        status, fields, _ = await server.request("/")
        assert status == 401 and fields["www-authenticate"].startswith("basic")
        for password in ("wrong", "", "correct horse batterx", "correct horse battery\nmore", "x" * 600):
            status, _, _ = await server.request("/", Authorization=basic(password))
            assert status == 401, password
        status, _, _ = await server.request("/", Authorization="Basic ####")
        assert status == 401
        status, fields, _ = await server.request("/", Authorization=basic("correct horse battery"))
        assert status == 302, status
        status, _, body = await server.request(fields["location"])
        assert status == 200 and b"<title>saccade view</title>" in body


async def view_messages_set_what_they_say():
    async with Server(await points(), "--grid", GRID) as server, Viewer(server) as viewer:
        for message, said in (("f-number 1", lambda s: control(s, "f-number") == "1"),
                              ("apodization hann", lambda s: control(s, "apodization") == "hann"),
                              ("c 1500", lambda s: s["c_m_s"] == 1500), ("c ", lambda s: s["c_m_s"] == 0),
                              ("frame 2", lambda s: s["frame"] == 2), ("transmit 2", lambda s: s["transmit"] == 2),
                              ("point 1 0 20", lambda s: s["point_mm"] == [1, 0, 20]),
                              ("cyst 1 0 20 3", lambda s: s["cyst_mm"] == [1, 0, 20, 3]),
                              ("point ", lambda s: s["point_mm"] == []),
                              ("rate 50", lambda s: s["rate_hz"] == 50), ("delays 1", lambda s: s["delays"])):
            await viewer.say(message)
            await viewer.until(lambda v: said(v.state)) # pylint: disable=cell-var-from-loop
        for message in ("f-number -1", "f-number", "frame 3", "frame -1", "frame 0.5", "frame x",
                        "transmit 3", "c 1", "c nan", "rate 0", "rate inf", "play 2", "point 1 2", "cyst 1 2 3",
                        "point 1e9 0 0", "kind iq", "none 1", "threads 1024", "", " ", "x" * 200, "f-number 1 2", "device gpu"):
            viewer.refusal = None
            await viewer.say(message)
            await viewer.until(lambda v: v.refusal)
        for text, is_on in (("true", "true"), ("0", "false"), ("1", "true")):
            await viewer.say("lri " + text)
            await viewer.until(lambda v: control(v.state, "lri") == is_on) # pylint: disable=cell-var-from-loop
        assert viewer.state["frame"] == 2 and control(viewer.state, "f-number") == "1"
        # An option that is right by itself, but opens no plan with the others: it is taken back, with the reason.
        await viewer.say("lri false", "reduction mv:0.25")
        await viewer.until(lambda v: control(v.state, "reduction") == "mv:0.25")
        await viewer.say("reduction-over all")
        await viewer.until(lambda v: v.state["error"] and control(v.state, "reduction-over") == "auto")
        assert "reduction-over" in viewer.state["error"], viewer.state["error"]
        # What came at the same time is shown all the same.
        for messages in (("reduction-over all", "frame 1"), ("frame 2", "reduction-over all"), ("reduction-over all", "point 1 0 25", "frame 0")):
            frame = int(next(m for m in messages if m.startswith("frame"))[6:])
            await viewer.say(*messages)
            await viewer.until(lambda v: v.state["frame"] == v.picture["frame"] == frame # pylint: disable=cell-var-from-loop
                               and control(v.state, "reduction-over") == "auto")
        await viewer.until(lambda v: v.picture.get("point"))
        await viewer.say("frame 2")
        await viewer.until(lambda v: v.state["frame"] == v.picture["frame"] == 2)
        await viewer.say("apodization gauss")
        await viewer.until(lambda v: "apodization" in (v.state["error"] or "") and control(v.state, "apodization") == "hann")


async def view_file_that_changes_is_refused():
    """Replaced by one of fewer transmits, while a later transmit is looked at; a file that is the same is read again."""
    source = await points()
    await simulate("one.h5", "--frames", 3, "--transmits", "plane:1:0")
    await simulate("same.h5", "--frames", 3, "--transmits", "plane:3:10")
    async with Server(source, "--grid", GRID) as server, Viewer(server) as viewer:
        await viewer.say("lri true", "transmit 2", "point 1 0 20", "delays 1")
        await viewer.until(lambda v: v.state["transmit"] == 2 and v.state["delays"] and v.state["point_mm"])
        os.replace("one.h5", source)
        await viewer.say("c 1500")
        await viewer.until(lambda v: v.state["error"])
        assert "has changed" in viewer.state["error"] and viewer.state["c_m_s"] == 0, viewer.state["error"]
        os.replace("same.h5", source)
        await viewer.say("c 1510")
        await viewer.until(lambda v: v.state["c_m_s"] == 1510 and not v.state["error"])


async def view_plays_frames_and_stops_behind_the_last():
    async with Server(await points(), "--grid", GRID) as server, Viewer(server) as viewer:
        await viewer.say("rate 1000", "play 1")
        for frame in (0, 1, 2, 0, 1, 2):
            await viewer.until(lambda v: v.picture["frame"] == frame) # pylint: disable=cell-var-from-loop
        await viewer.say("loop 0")
        await viewer.until(lambda v: not v.state["loops"] and not v.state["plays"])
        assert viewer.state["frame"] == 2, viewer.state["frame"]


async def run_command(command, output):
    """What the page's command line makes, into another file."""
    words = shlex.split(command)
    assert words[0] == "saccade" and words[-2:] == ["-o", "picture.png"], command
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


def compare(picture, path, range_db, what):
    """Levels of a picture with what the command made, down to its dynamic range."""
    _, values = read_npy(path)
    panel = picture["panels"][0]
    n, at = panel["w"] * panel["h"], picture.get("at", 0)
    assert len(values) >= n * (at + 1), what
    worst = max(abs(max((level / 65535 - 1) * 200, -range_db) - db)
                for level, db in zip(picture["levels"][:n], values[n * at:n * (at + 1)]))
    assert worst < 0.01, f"{what}: differs by {worst} dB"


async def view_command_writes_the_same_picture():
    source = await points()
    await simulate("curved.h5", "--array", "curved", "--elements", 32, "--transmits", "lines:16:60")
    os.rename(source, "with space's.h5")
    os.rename("curved.h5", "-curved.h5")
    for arguments, messages in (
            (["with space's.h5"], []),
            (["with space's.h5", "--grid", GRID, "--frames", "1:3"],
             ["f-number 1.2", "apodization rect", "dynamic-range 45", "interp cubic", "frame 1"]),
            (["with space's.h5", "--grid", GRID, "--fc", "5"], ["c 1480", "reduction cf", "variant ref", "threads 1"]),
            (["with space's.h5", "--grid", GRID], ["lri true", "transmit 2", "tier exact"]),
            (["--", "-curved.h5"], ["tx-f-number 2", "tx-apodization rect", "c 1500"])):
        async with Server(*arguments) as server, Viewer(server) as viewer:
            values = dict(message.split(" ") for message in messages)

            def is_set(v):
                assert not v.state["error"], v.state["error"]
                return (all(control(v.state, k) == x for k, x in values.items() if k not in ("c", "frame", "transmit"))
                        and v.state["frame"] == int(values.get("frame", 0)) # pylint: disable=cell-var-from-loop
                        and v.state["c_m_s"] == float(values.get("c", 0)) # pylint: disable=cell-var-from-loop
                        and v.state["transmit"] == int(values.get("transmit", 0))) # pylint: disable=cell-var-from-loop

            await viewer.say(*messages)
            await viewer.until(is_set)
            # The state follows its picture: who comes now gets that one.
            async with Viewer(server) as other:
                await other.until(is_set)
                state, picture = other.state, other.picture
            await run_command(state["command"], "out.npy")
            picture["at"] = state["transmit"] if control(state, "lri") == "true" else 0
            compare(picture, "out.npy", float(control(state, "dynamic-range")), state["command"])
            await run_command(state["command"], "picture.pgm")


async def view_measures_are_those_of_measure():
    await simulate("cyst.h5", "--phantom", "cyst", "--elements", 32, "--transmits", "plane:1:0", "--region=-5:5,20:30")
    async with Server("cyst.h5", "--dynamic-range", 200) as server, Viewer(server) as viewer:
        await viewer.say("cyst 0 0 25 3", "point 3 0 22")
        await viewer.until(lambda v: "cyst" in v.picture and "point" in v.picture)
        picture = viewer.picture
        await run_command(viewer.state["command"], "image.h5")
    status, out, err = await saccade("measure", "image.h5", "--cyst", "--at", "0,25,3", "--json", "-")
    assert status == 0, err
    row = json.loads(out)["rows"][0]
    for own, other in (("contrast_db", "contrast_db"), ("gcnr", "gcnr"), ("speckle_snr", "speckle_snr")):
        close(picture["cyst"][own], row[other], 1e-3, own)
    status, out, err = await saccade("measure", "image.h5", "--points", "--at", "3,22", "--json", "-")
    assert status == 0, err
    print(out)
    assert picture["point"]["width_mm"][0] is None or picture["point"]["width_mm"][0] > 0


async def view_delays_are_those_of_beamform():
    source = await points()
    async with Server(source, "--grid", GRID) as server, Viewer(server) as viewer:
        await viewer.say("transmit 1", "point 5 0 30", "delays 1")
        await viewer.until(lambda v: "delays_us" in v.picture)
        picture = viewer.picture
    status, out, err = await saccade("beamform", source, "--grid", GRID, "--delays", "5,30")
    assert status == 0, err
    rows = [line.split(",") for line in out.splitlines()[1:] if line.startswith("1,")]
    assert len(rows) == len(picture["delays_us"]) == 128
    for row, delay, weight in zip(rows, picture["delays_us"], picture["weights"]):
        close(delay, 1e6 * float(row[2]), 1e-5, f"delay of element {row[1]}")
        close(weight, float(row[4]), 1e-5, f"weight of element {row[1]}")


async def view_volume_has_planes_and_a_maximum():
    await simulate("volume.h5", "--array", "matrix", "--elements", "8x8", "--transmits", "plane:1:0")
    async with Server("volume.h5", "--grid3", "-3:3:13,-2:2:9,10:30:41") as server, Viewer(server) as viewer:
        await viewer.say("point 1 -1 20")
        await viewer.until(lambda v: "point" in v.picture and v.state["point_mm"])
        picture, state = viewer.picture, viewer.state
    sizes = [(p["w"], p["h"], p.get("at")) for p in picture["panels"]]
    assert [size[:2] for size in sizes] == [(13, 41), (9, 41), (13, 9), (13, 41)], sizes
    assert [round(size[2], 6) for size in sizes[:3]] == [-1, 1, 20] and sizes[3][2] is None, sizes
    await run_command(state["command"], "volume.npy")
    _, values = read_npy("volume.npy") # (1, 41, 9, 13)
    floor = float(control(state, "dynamic-range"))
    at = 0
    for name, w, h, db in (("xz", 13, 41, lambda i, j: values[(j * 9 + 2) * 13 + i]),
                           ("yz", 9, 41, lambda i, j: values[(j * 9 + i) * 13 + 8]),
                           ("xy", 13, 9, lambda i, j: values[(20 * 9 + j) * 13 + i]),
                           ("maximum", 13, 41, lambda i, j: max(values[(j * 9 + k) * 13 + i] for k in range(9)))):
        for j in range(h):
            for i in range(w):
                got = max((picture["levels"][at] / 65535 - 1) * 200, -floor)
                close(got, db(i, j), 0.01, f"{name} {i},{j}")
                at += 1


async def view_stalled_viewer_holds_up_nobody():
    """One viewer takes nothing off its line, another says not what it drew: a third gets all, and memory stays."""
    n = int(os.environ.get("VIEW_PICTURES_WHILE_STALLED", 100))
    source = await simulate("points.h5", "--frames", 3, "--transmits", "plane:1:0")
    async with Server(source, "--grid", "-18:18:301,5:45:401", "--f-number", 5) as server:
        async with server.socket() as silent, Viewer(server) as quick:
            await quick.until(there)
            name, port = server.authority.split(":")
            reader, writer = await asyncio.open_connection(name, int(port), limit=1 << 12)
            path = server.address.split("/", 3)[3]
            writer.write((f"GET /{path}socket HTTP/1.1\r\nHost: {server.authority}\r\nUpgrade: websocket\r\n"
                          "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode())
            await within("the upgrade", reader.readuntil(b"\r\n\r\n"))
            reader._transport.pause_reading() # pylint: disable=protected-access
            mask = b"\x81\x85\0\0\0\0drawn" # which it says for all that comes, so that more comes
            await quick.say("rate 1000", "play 1")
            for i in range(n):
                writer.write(mask)
                quick.picture = None
                await quick.until(there)
                if i == n // 10:
                    before = server.rss_bytes()
            grown = server.rss_bytes() - before
            assert grown < 32 << 20, f"grew by {grown} bytes"
            await within("what was sent before", silent.recv())
            writer.close()


async def view_too_many_viewers_are_refused():
    async with Server(await points(), "--grid", GRID) as server:
        viewers = [await within("a viewer", server.socket()) for _ in range(8)]
        status, _, _ = await server.request("/" + server.address.split("/", 3)[3] + "socket", Upgrade="websocket",
                                            Sec_WebSocket_Version="13", Sec_WebSocket_Key="A" * 22 + "==")
        assert status == 503, status
        for viewer in viewers:
            await viewer.close()
        async with Viewer(server) as viewer: # there is room again
            await viewer.until(there)


NONSENSE = ("f-number", "apodization", "frame", "point", "cyst", "drawn", "device", "variant", "rate", "play", "threads 1")


def framed(rng, first, body):
    mask = rng.randbytes(4)
    size = bytes((0x80 | len(body),)) if len(body) < 126 else bytes((0x80 | 126,)) + struct.pack(">H", len(body))
    return bytes((first,)) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body))


def nonsense(rng):
    """A message that is taken as such, and says what makes no sense, mostly."""
    name = rng.choice(NONSENSE)
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


async def view_malformed_messages_do_no_harm():
    """Each connection says nonsense, then breaks the protocol, which ends it: so that all is read."""
    rng = random.Random(int(os.environ.get("VIEW_SEED", 1)))
    n, sent = int(os.environ.get("VIEW_MALFORMED", 2000)), 0
    async with Server(await points(), "--grid", "-18:18:9,5:45:9", "--threads", 1) as server:
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
            writer.write(b"".join(nonsense(rng) for _ in range(count)) + malformed(rng))
            sent += count + 1
            try:
                writer.write_eof()
            except OSError: # it has ended already
                pass
            await within("the end of a connection", asyncio.gather(drain, return_exceptions=True))
            writer.close()
            assert server.process.returncode is None, f"ended after {sent} messages"
        async with Viewer(server) as viewer: # it serves as before
            await viewer.say("apodization hann", "variant ", "f-number 2") # which nonsense may have been
            await viewer.until(lambda v: control(v.state, "f-number") == "2" and not v.state["error"])


# With a browser.


async def view_page_shows_and_logs_no_error():
    async with Server(await points(), "--grid", GRID) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        assert await page.run("document.getElementById('source').textContent") == "points.h5"
        await page.until("/pictures?\\/s, .* to beamform.*cpu, .*das_iq_f32:/.test(document.getElementById('status').textContent)")
        total = await page.run("Promise.all(performance.getEntriesByType('resource').map((e) => fetch(e.name)"
                               ".then((r) => r.arrayBuffer()).then((b) => b.byteLength).catch(() => 0)))")
        assert sum(total) + 8192 <= 300000, total


async def view_controls_do_what_they_say():
    source = await points()
    async with Server(source, "--grid", GRID) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN + " && viewed.state.controls.find((c) => c.name === 'variant').choices.length > 1")

        async def sets(selector, value, condition, event="change", changes=True):
            levels = await page.run("viewed.last = viewed.picture.panels[0].levels.reduce((a, b, i) => (a * 31 + b) % 1000003, 7)")
            await page.set(selector, value, event)
            await page.until(condition, f"{selector} {value}")
            if changes:
                await page.until("viewed.picture.panels[0].levels.reduce((a, b, i) => (a * 31 + b) % 1000003, 7)"
                                 f" !== {levels}", f"another picture by {selector}")

        def is_set(name, value):
            return f"viewed.state.controls.find((c) => c.name === '{name}').value === '{value}'"

        for name, value, event in (("f-number", "1", "input"), ("apodization", "rect", "change"), ("interp", "cubic", "change"),
                                   ("reduction", "cf", "change"), ("reduction-over", "compound", "change"),
                                   ("reduction-over", "auto", "change"), ("reduction", "sum", "change")):
            await sets(f"#option-{name}", value, is_set(name, value), event)
        for name, value, event in (("dynamic-range", "30", "input"), ("tier", "exact", "change"), ("threads", "1", "input"),
                                   ("tx-f-number", "1", "input"), ("tx-apodization", "rect", "change"), ("device", "cpu", "change"),
                                   ):
            await sets(f"#option-{name}", value, is_set(name, value), event, changes=False)
        variant = await page.run("viewed.state.controls.find((c) => c.name === 'variant').choices[1]")
        await sets("#option-variant", variant, f"{is_set('variant', variant)} && viewed.picture.variant.includes(':{variant}')",
                   changes=False)
        await sets("#option-lri", True, is_set("lri", "true"))
        await sets("#transmit", 2, "viewed.state.transmit === 2 && viewed.picture.transmit === 2")
        await sets("#c", 1500, "viewed.state.c_m_s === 1500 && viewed.picture.c_m_s === 1500", "input")
        await sets("#c-number", 1470, "viewed.picture.c_m_s === 1470")
        await page.run("document.getElementById('c-reset').click()")
        await page.until("viewed.picture.c_m_s === 1540 && document.getElementById('c-number').value === '1540'")
        await sets("#frame", 2, "viewed.picture.frame === 2", "input")
        for button, frame in (("step", 0), ("back", 2)):
            await page.run(f"document.getElementById('{button}').click()")
            await page.until(f"viewed.picture.frame === {frame}", button)
        await sets("#rate", 200, "viewed.state.rate_hz === 200", changes=False)
        await page.run("document.getElementById('play').click()")
        await page.until("viewed.state.plays && document.getElementById('play').textContent === 'Pause'")
        for frame in (0, 1, 2):
            await page.until(f"viewed.picture.frame === {frame}")
        await sets("#loop", False, "!viewed.state.loops && !viewed.state.plays && viewed.picture.frame === 2", changes=False)
        await page.until("document.getElementById('play').textContent === 'Play'")
        # A number that the server refuses comes back, with the reason.
        await page.run("""(() => { const e = document.querySelectorAll('#options input[aria-label=\"f-number\"]')[0];
            e.value = '-5'; e.dispatchEvent(new Event('change')); })()""")
        await page.until("document.getElementById('trouble').textContent.includes('f-number')")
        await page.until("document.querySelector('#option-f-number').value === '1'")


async def view_display_is_as_the_command_draws():
    async with Server(await points(), "--grid", GRID) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        await page.set("#option-dynamic-range", "40", "input")
        await page.until("viewed.state.controls.find((c) => c.name === 'dynamic-range').value === '40'"
                         " && viewed.panels[0].look.range === 40")
        pixels = await page.run("Array.from(viewed.panels[0].words, (w) => w & 255)")
        command = await page.run("document.getElementById('command').textContent")
        await run_command(command, "out.npy")
        _, values = read_npy("out.npy")
        worst = max(abs(gray - 255 * (1 + db / 40)) for gray, db in zip(pixels, values))
        assert len(pixels) == len(values) and worst < 0.6, worst
        # Gain is added; each map is dark below and bright above.
        await page.set("#gain", 10, "input")
        await page.until("viewed.panels[0].look.gain === 10 && document.getElementById('gain-text').textContent === '10 dB'")
        brighter = await page.run("Array.from(viewed.panels[0].words, (w) => w & 255)")
        worst = max(abs(gray - min(max(255 * (1 + (db + 10) / 40), 0), 255)) for gray, db in zip(brighter, values) if db > -39.9)
        assert worst < 0.6, worst
        for name in ("viridis", "cividis"):
            await page.set("#colors", name)
            await page.until(f"viewed.panels[0].look.map === '{name}'")
            light = await page.run("""Array.from(viewed.panels[0].words, (w) => 0.2126 * (w & 255) + 0.7152 * (w >> 8 & 255)
                + 0.0722 * (w >> 16 & 255))""")
            order = sorted(range(len(values)), key=brighter.__getitem__)
            assert all(light[a] <= light[b] + 3 for a, b in zip(order[::97], order[97::97])), name


async def view_marks_measure():
    await simulate("point.h5", "--transmits", "plane:3:10")
    async with Server("point.h5", "--grid", GRID) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        await page.click_panel(-5, 25)
        await page.until("viewed.picture.point && document.getElementById('measures').textContent.includes('width at -6 dB')")
        point = await page.run("viewed.picture.point")
        close(point["peak_mm"][0], -5, 0.3, "the peak's x")
        close(point["peak_mm"][2], 25, 0.5, "the peak's z")
        has_charts = await page.run("typeof window.uPlot === 'function'")
        assert await page.run("document.getElementById('no-charts').hidden") == has_charts
        if has_charts:
            await page.until("document.querySelectorAll('#charts .uplot').length === 2")
        await page.set("#delays", True)
        await page.until("viewed.picture.delays_us.length === 128")
        if has_charts:
            await page.until("document.querySelectorAll('#charts .uplot').length === 3")
        await page.run("document.querySelector('input[value=distance]').click()")
        await page.click_panel(-5, 20)
        await page.click_panel(-5, 30)
        await page.until("/distance10\\.[01]\\d* mm|distance9\\.9\\d mm/.test(document.getElementById('measures').textContent)")
        await page.run("document.querySelector('input[value=cyst]').click()")
        await page.click_panel(0, 25)
        await page.click_panel(3, 25)
        await page.until("viewed.picture.cyst && /contrast .*gCNR/.test(document.getElementById('measures').textContent)")
        close((await page.run("viewed.state.cyst_mm"))[3], 3, 0.2, "the cyst's radius")
        await page.run("document.getElementById('clear').click()")
        await page.until("!viewed.picture.point && !viewed.picture.cyst && document.getElementById('measures').textContent === ''")
        if has_charts:
            await page.until("document.querySelectorAll('#charts .uplot').length === 0")


async def view_keys_reach_everything():
    async with Server(await points(), "--grid", GRID) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        await page.run("document.querySelector('#panels canvas').focus()")
        await page.press("ArrowRight")
        await page.press("ArrowDown", shift=True)
        await page.until("document.getElementById('cursor').textContent.startsWith('x 0.30 mm, z 27.50 mm: ')")
        await page.set("#frame", 2, "input") # the level is the new picture's
        await page.until("""viewed.picture.frame === 2 && viewed.panels[0].info.levels === viewed.picture.panels[0].levels
            && document.getElementById('cursor').textContent.endsWith(
            `: ${viewed.panels[0].db(...viewed.panels[0].nearest(...viewed.panels[0].cursor), viewed.picture.range_db).toFixed(1)} dB`)""")
        await page.press("Enter")
        await page.until("viewed.state.point_mm.length === 3 && Math.abs(viewed.state.point_mm[2] - 27.5) < 1e-3")
        await page.run("document.querySelector('#option-f-number').focus()")
        await page.press("ArrowRight")
        await page.until("viewed.state.controls.find((c) => c.name === 'f-number').value === '1.8'")
        # Every control has a name, and Tab goes through all of them.
        nameless = await page.run("""[...document.querySelectorAll('input, select, button, canvas[tabindex]')].filter((e) =>
            !(e.labels?.length || e.ariaLabel || e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML)""")
        assert not nameless, nameless
        await page.run("document.activeElement.blur(); window.reached = new Set();"
                       "addEventListener('focusin', (e) => window.reached.add(e.target))")
        total = await page.run("document.querySelectorAll('input:not([disabled]), select, button:not([disabled])').length")
        for _ in range(total + 5):
            await page.press("Tab")
        await page.until("['option-reduction', 'save-png', 'play', 'colors'].every((id) => window.reached.has(document.getElementById(id)))")


async def view_texts_of_panels_lie_apart():
    await simulate("volume.h5", "--array", "matrix", "--elements", "8x8", "--transmits", "plane:1:0")
    async with Server("volume.h5", "--grid3", "-3:3:25,-2:2:17,10:30:81") as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN + " && viewed.panels.length === 4 && viewed.panels[3].look")
        faults = await page.run("""viewed.panels.flatMap((p) => {
            const c = p.canvas.getContext('2d'), out = [];
            c.font = '12px system-ui, sans-serif';
            const boxes = p.items().filter((i) => i.kind === 'text').map((i) => { const w = c.measureText(i.s).width;
                const left = i.x - (i.align === 'center' ? w / 2 : i.align === 'right' ? w : 0);
                return { s: i.s, left, right: left + w, top: i.y - 9, bottom: i.y }; });
            boxes.forEach((a, k) => {
                if (a.left < 0 || a.right > p.canvas.width) out.push(`${a.s} sticks out`);
                for (const b of boxes.slice(k + 1))
                    if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) out.push(`${a.s} over ${b.s}`);
            });
            return out; })""")
        assert not faults, faults


async def view_colors_have_contrast():
    ratio = """(() => { const style = getComputedStyle(document.documentElement);
        const light = (name) => { let hex = style.getPropertyValue(name).trim().slice(1);
            if (hex.length === 3) hex = [...hex].map((c) => c + c).join('');
            return [0.2126, 0.7152, 0.0722].reduce((sum, k, i) => { const c = parseInt(hex.slice(2 * i, 2 * i + 2), 16) / 255;
                return sum + k * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); }, 0); };
        return ['--text', '--dim', '--bad', '--accent', '--line'].map((name) => { const [a, b] = [light(name), light('--back')];
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }); })()"""
    async with Server(await points(), "--grid", GRID) as server, Browser() as browser:
        for dark in (False, True):
            page = await browser.page(server.address, dark)
            await page.until(SHOWN)
            ratios = await page.run(ratio)
            assert all(r >= 4.5 for r in ratios[:4]) and ratios[4] >= 3, f"dark {dark}: {ratios}"
            back = await page.run("getComputedStyle(document.body).backgroundColor")
            assert (back == "rgb(18, 18, 18)") == dark, back


async def view_two_viewers_see_the_same():
    async with Server(await points(), "--grid", GRID) as server, Browser() as browser, Browser() as second:
        one, other = await browser.page(server.address), await second.page(server.address)
        await one.until(SHOWN)
        await other.until(SHOWN)
        await one.set("#option-f-number", "1", "input")
        await other.until("document.querySelector('#option-f-number').value === '1'")
        await other.set("#frame", 1, "input")
        await one.until("viewed.picture.frame === 1 && document.getElementById('frame-number').textContent === '1'")
        await one.call("Page.reload")
        await one.until(SHOWN)
        await one.until("document.querySelector('#option-f-number').value === '1' && viewed.picture.frame === 1")


async def view_without_charts_says_so():
    async with Server(await points(), "--grid", GRID) as server, Browser() as browser:
        page = await browser.page("about:blank")
        await page.call("Page.addScriptToEvaluateOnNewDocument",
                        source="Object.defineProperty(window, 'uPlot', { value: undefined })")
        await page.call("Page.navigate", url=server.address)
        await page.until(SHOWN)
        await page.until("!document.getElementById('no-charts').hidden")
        await page.click_panel(5, 25)
        await page.until("document.getElementById('measures').textContent.includes('width at -6 dB')")


async def view_saves_png_and_svg():
    async with Server(await points(), "--grid", GRID) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        # A page may not fetch its own blobs (connect-src): the test may.
        await page.call("Page.setBypassCSP", enabled=True)
        await page.call("Page.reload")
        await page.until(SHOWN)
        await page.run("""(() => { window.saved = {}; HTMLAnchorElement.prototype.click = function () {
            fetch(this.href).then((r) => r.blob()).then((b) => { const reader = new FileReader();
                reader.onload = () => { window.saved[this.download] = reader.result.split(',')[1]; };
                reader.readAsDataURL(b); }); }; })()""")
        await page.run("document.getElementById('save-png').click()")
        await page.run("document.getElementById('save-svg').click()")
        await page.until("window.saved['picture.png'] && window.saved['picture.svg']")
        png = base64.b64decode(await page.run("window.saved['picture.png']"))
        drawing = base64.b64decode(await page.run("window.saved['picture.svg']")).decode()
        size = await page.run("[viewed.panels[0].canvas.width, viewed.panels[0].canvas.height]")
        assert png[:8] == b"\x89PNG\r\n\x1a\n" and list(struct.unpack(">II", png[16:24])) == size
        from xml.dom import minidom
        svg = minidom.parseString(drawing).documentElement
        texts = [t.firstChild.data for t in svg.getElementsByTagName("text")]
        assert "x (mm), z down" in texts and "dB" in texts and svg.getElementsByTagName("image"), texts


async def view_page_is_as_it_was():
    """The picture on the screen against what the command makes, with a tolerance for scaling; and the page's picture for
    docs/, where VIEW_DOCS names a folder."""
    source = await simulate("points.h5", "--transmits", "plane:11:16")
    async with Server(source, "--f-number", 1) as server, Browser(1280, 800) as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        await page.click_panel(-5, 25)
        await page.set("#delays", True)
        await page.until("viewed.picture.delays_us && document.getElementById('measures').textContent")
        await page.run("scrollTo(0, 0)")
        await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if "VIEW_DOCS" in os.environ:
            await page.screenshot(os.path.join(os.environ["VIEW_DOCS"], "view.webp"))
        await page.run("document.getElementById('clear').click()")
        await page.until("!viewed.picture.point && !viewed.panels[0].look.marks.length")
        await run_command(await page.run("viewed.state.command"), "out.npy")
        shape, values = read_npy("out.npy")
        w, h = shape[2], shape[1]
        shown = await page.run("""(() => { const p = viewed.panels[0], [x, y] = p.toPixels(p.info.left, p.info.top);
            const data = p.canvas.getContext('2d').getImageData(x, y, p.w, p.h).data;
            return [p.w, p.h, Array.from({ length: p.w * p.h }, (_, i) => data[4 * i])]; })()""")
        off = 0
        for j in range(2, shown[1] - 2, 5):
            for i in range(2, shown[0] - 2, 5):
                x, y = (i + 0.5) / shown[0] * w - 0.5, (j + 0.5) / shown[1] * h - 0.5
                near = [255 * (1 + values[b * w + a] / 60) for a in range(max(int(x) - 1, 0), min(int(x) + 3, w))
                        for b in range(max(int(y) - 1, 0), min(int(y) + 3, h))]
                off += not min(near) - 3 <= shown[2][j * shown[0] + i] <= max(near) + 3
        total = len(range(2, shown[1] - 2, 5)) * len(range(2, shown[0] - 2, 5))
        assert off <= total // 200, f"{off} of {total} places are off"


main({name: test for name, test in list(globals().items()) if name.startswith("view_") and asyncio.iscoroutinefunction(test)})

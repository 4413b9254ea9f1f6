"""The server of `saccade view`: who gets in, and who holds up whom. server_test.py NAME runs one of the tests below,
`--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import base64
import os

from browser import Server, main, skip, within
from malformed import send_malformed_requests, upgrade
from viewer import GRID, Viewer, points, simulate, there


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


async def view_malformed_requests_do_no_harm():
    async with Server(await points(), "--grid", "-18:18:9,5:45:9", "--threads", 1) as server:
        await send_malformed_requests(server)
        async with Viewer(server) as viewer:
            await viewer.until(there)


async def view_stalled_viewer_holds_up_nobody():
    """One viewer takes nothing off its line, another says not what it drew: a third gets all, and memory stays."""
    n = int(os.environ.get("VIEW_PICTURES_WHILE_STALLED", 100))
    source = await simulate("points.h5", "--frames", 3, "--transmits", "plane:1:0")
    async with Server(source, "--grid", "-18:18:301,5:45:401", "--f-number", 5) as server:
        async with server.socket() as silent, Viewer(server) as quick:
            await quick.until(there)
            name, port = server.authority.split(":")
            reader, writer = await asyncio.open_connection(name, int(port), limit=1 << 12)
            writer.write(upgrade(server))
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


main(globals())

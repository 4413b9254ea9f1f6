"""saccade view of delta streams: from files, pipes and addresses, by its messages and in a browser. packets_test.py NAME runs
one of the tests below, `--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import contextlib
import os
import re
import signal
import struct

from browser import SACCADE, Browser, Server, main, saccade, skip, within
from clips import H, W, clip, frame_of, raw_clip, read_pnm, run_lines
from viewer import SHOWN, Viewer, there

N = 12
LOSSES = ("n_missing", "n_refused", "awaits_key")


async def encode(source, path, *options):
    status, _, err = await saccade("delta", "encode", source, "-o", path, *options)
    if "no zstd" in err:
        skip("this build has no zstd")
    assert status == 0, err
    return path


async def stream(path="stream.sdv", *options, channels=3):
    """N frames, exactly, with a keyframe every few of them; their pixels in clip.rgb or clip.gray."""
    source = raw_clip("clip.rgb" if channels == 3 else "clip.gray", N, channels=channels)
    return await encode(source, path, "--size", f"{W}x{H}", "--threshold", 0, "--key-interval", 0.15, *options)


def packets_of(path):
    """The bytes of each, whether it is a keyframe."""
    with open(path, "rb") as file:
        data = file.read()
    out = []
    while data[:4] == b"SACD":
        size, = struct.unpack_from("<I", data, 8)
        out.append((data[:size], data[5] & 1 == 1))
        data = data[size:]
    assert len(out) == N and data[:4] == b"SACX", len(out)
    return out


async def look_at(viewer, frame):
    await viewer.say(f"frame {frame}")
    await viewer.until(lambda v: v.state["frame"] == v.picture["frame"] == frame)
    return viewer.picture["bytes"]


async def view_packets_show_the_frames_of_their_video():
    """In any order, by a filter over time, too: all panels are those of the video that was encoded."""
    await stream()
    await encode(clip(n=N), "of_y4m.sdv", "--threshold", 0)
    for encoded, source, options in (("stream.sdv", "clip.rgb", ("--size", f"{W}x{H}")), ("of_y4m.sdv", "clip.y4m", ()),
                                     ("stream.sdv", "clip.rgb", ("--size", f"{W}x{H}", "--denoise", "temporal"))):
        async with Server(encoded, *options[2:]) as server, Viewer(server) as viewer:
            async with Server(source, *options) as other, Viewer(other) as wanted:
                await viewer.until(lambda v: v.state["n_frames"] == N and not v.state["is_live"])
                for frame in (0, 1, 2, 11, 5, 4, 0, 8):
                    assert await look_at(viewer, frame) == await look_at(wanted, frame), f"{encoded}: {frame}"
                assert not any(viewer.picture[name] for name in LOSSES), viewer.picture
                assert viewer.state["video_rate_hz"] == 25 and not any(name in wanted.picture for name in LOSSES)


async def view_packets_lose_no_more_than_their_threshold():
    await stream("lossy.sdv", "--threshold", 9)
    status, _, err = await saccade("delta", "decode", "lossy.sdv", "-o", "decoded.rgb")
    assert status == 0, err
    with open("decoded.rgb", "rb") as file:
        decoded = file.read()
    async with Server("lossy.sdv") as server, Viewer(server) as viewer:
        for frame in (7, 3, 11):
            shown = (await look_at(viewer, frame))["original"]
            assert shown == decoded[3 * W * H * frame:3 * W * H * (frame + 1)] != frame_of(frame), frame


async def view_packets_have_commands_that_write_the_same():
    await stream("gray.sdv", channels=1)
    await stream()
    for name, messages in (("stream.sdv", ("frame 7", "threshold 5", "denoise median")), ("gray.sdv", ("frame 7", "map jet"))):
        async with Server(name) as server, Viewer(server) as viewer:
            await viewer.say(*messages)
            await viewer.until(lambda v: v.picture["frame"] == 7)
            async with Viewer(server) as other:
                await other.until(there)
                names = await run_lines(other.state["command"])
                for panel, written in (("heat map", "heatmap"), ("noise", "noise")):
                    assert read_pnm(names[written] % 7)[2] == other.picture["bytes"][panel], f"{name}: {panel}"
    async with Server("stream.sdv", "--as", "equalize") as server, Viewer(server) as viewer:
        await look_at(viewer, 7)
        status, _, err = await saccade(*viewer.state["command"].split(" ")[1:-1], "equalized-%04d.ppm")
        assert status == 0 and read_pnm("equalized-0007.ppm")[2] == viewer.picture["bytes"]["after"], err


async def view_packets_wrong_use_fails():
    await stream()
    with open("foreign.sdv", "wb") as file:
        file.write(b"nothing of the kind" * 99)
    with open("empty.sdv", "wb"):
        pass
    late = next(i for i, (_, is_key) in enumerate(packets_of("stream.sdv")[1:], 1) if not is_key)
    with open("keyless.sdv", "wb") as file:
        file.write(packets_of("stream.sdv")[late][0])
    for status, text, *arguments in (
            (1, "foreign.sdv: no packet of a delta stream at byte 0", "foreign.sdv"),
            (1, "empty.sdv: has no packet", "empty.sdv"),
            (1, "keyless.sdv: no frame came of 1 packet", "keyless.sdv"),
            (1, "none.sdv", "none.sdv"),
            (1, "--format gray: the stream has 3 channels", "stream.sdv", "--format", "gray"),
            (1, "--format nv12", "stream.sdv", "--format", "nv12"),
            (2, "--passphrase-file", "stream.sdv", "--passphrase-file", "stream.sdv"),
            (1, "none.txt", "udp://:0", "--passphrase-file", "none.txt"),
            (2, "udp://HOST:PORT", "udp://127.0.0.1")):
        got, out, err = await saccade("view", *arguments)
        assert got == status and text in err and err.count("\n") == 1 and not out, f"{arguments}: {got} {err}"


async def view_packets_that_are_missing_are_counted():
    """What there is of a damaged file is shown, each frame as it was; commands that must have all of it refuse it."""
    packets = packets_of(await stream())
    keys = [i for i, (_, is_key) in enumerate(packets) if is_key]
    assert len(keys) > 2, keys
    gone = keys[1] - 2
    flipped = bytearray(packets[gone][0])
    flipped[60] ^= 1
    after = list(range(gone)) + list(range(keys[1], N))
    cases = { # the packets; the frames that come, how many are known to be missing, how many packets give none (None: some)
        "lost.sdv": (packets[:gone] + packets[gone + 1:], after, 1, keys[1] - gone - 1),
        "damaged.sdv": (packets[:gone] + [(bytes(flipped), False)] + packets[gone + 1:], after, None, None),
        "cut.sdv": (packets[:-1] + [(packets[-1][0][:-9], False)], list(range(N - 1)), 0, 1),
        "tail.sdv": (packets[:keys[1] + 1] + packets[keys[1] + 2:keys[2]], list(range(keys[1] + 1)), 0, keys[2] - keys[1] - 2),
    }
    for name, (parts, kept, n_missing, n_refused) in cases.items():
        with open(name, "wb") as file:
            file.write(b"".join(part for part, _ in parts))
        async with Server(name) as server, Viewer(server) as viewer:
            await viewer.until(lambda v: v.state["n_frames"] == len(kept)) # pylint: disable=cell-var-from-loop
            for k in (0, len(kept) - 1, gone, gone - 1):
                assert (await look_at(viewer, k))["original"] == frame_of(kept[k]), f"{name}: {k}"
            picture = viewer.picture
            for number, wanted in ((picture["n_missing"], n_missing), (picture["n_refused"], n_refused)):
                assert number == wanted if wanted is not None else number > 0, f"{name}: {picture}"
            assert not picture["awaits_key"], name
        status, _, err = await saccade("heatmap", name, "-o", "heat.y4m")
        assert status == 1 and name in err and err.count("\n") == 1, err


@contextlib.contextmanager
def pipe(path="pipe.sdv"):
    """A named pipe that has a writer from the beginning to its end, as a file."""
    os.mkfifo(path)
    with open(os.open(path, os.O_RDWR), "wb", buffering=0) as file:
        yield file


async def view_packets_of_a_pipe_are_followed():
    """A loss is said at once, and what was lost once a keyframe came."""
    packets = packets_of(await stream())
    key = next(i for i, (_, is_key) in enumerate(packets) if is_key and i > 2)
    with pipe() as file:
        file.write(packets[0][0] + packets[1][0])
        async with Server("pipe.sdv") as server, Viewer(server) as viewer:
            await viewer.until(lambda v: v.state["is_live"] and v.picture["n_came"] == 2 and v.picture["frame"] == 1)
            assert viewer.picture["bytes"]["original"] == frame_of(1)
            file.write(packets[3][0])
            await viewer.until(lambda v: v.picture["awaits_key"] and v.picture["n_refused"] == 1)
            assert viewer.picture["bytes"]["original"] == frame_of(1) and viewer.picture["n_came"] == 2
            file.write(packets[key][0] + packets[key + 1][0])
            await viewer.until(lambda v: v.picture["n_came"] == 4 and not v.picture["awaits_key"] and v.picture["n_missing"])
            await viewer.until(lambda v: v.picture["frame"] == 3)
            assert viewer.picture["bytes"]["original"] == frame_of(key + 1)
            assert viewer.picture["n_missing"] == key - 3, viewer.picture # a packet that came is not lost
            file.close()
            await viewer.until(lambda v: v.state["has_ended"])


async def view_packets_of_standard_input_are_followed():
    packets = packets_of(await stream())
    async with Server("-", stdin=packets[0][0]) as server, Viewer(server) as viewer:
        for i in range(1, N):
            server.process.stdin.write(packets[i][0])
            await viewer.until(lambda v: v.picture["frame"] == i) # pylint: disable=cell-var-from-loop
            assert viewer.picture["bytes"]["original"] == frame_of(i)
        server.process.stdin.close()
        await viewer.until(lambda v: v.state["has_ended"] and not v.picture["n_missing"])


async def view_packets_of_another_size_end_the_view():
    packets = packets_of(await stream())
    raw_clip("small.rgb", N, w=24, h=18)
    await encode("small.rgb", "small.sdv", "--size", "24x18", "--key-interval", 0.15)
    with pipe() as file:
        file.write(packets[0][0] + packets[1][0])
        async with Server("pipe.sdv", status=1) as server, Viewer(server) as viewer:
            await viewer.until(lambda v: v.picture["frame"] == 1)
            file.write(packets_of("small.sdv")[0][0])
            await viewer.until(lambda v: v.state["has_ended"] and "change in size" in (v.state["error"] or ""))
            assert viewer.picture["bytes"]["original"] == frame_of(1)
        assert server.err == "saccade: the stream's pictures change in size or channels\n", server.err


class Receiver(Server):
    """`saccade view` of an address where it waits; `port` is known before its first frame. Its notes go to `notes`."""

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            SACCADE, "view", *map(str, self.arguments), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            stdin=asyncio.subprocess.DEVNULL)
        self.notes = ""
        while not (match := re.search(r"waiting at port (\d+)", self.notes)):
            line = (await within("the port", self.process.stderr.readline())).decode()
            self.notes += line
            if "is not installed" in line or "this build has no" in line:
                skip(line)
            assert line, f"it has ended: {self.notes}"
        self.port = int(match[1])
        return self

    async def opened(self):
        line = (await within("the server's address", self.process.stdout.readline())).decode()
        assert line, (await self.process.stderr.read()).decode()
        self.address = line.split(" ")[0]
        self.authority = self.address.split("/")[2]

    async def __aexit__(self, kind, *rest):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        _, err = await within("the server's end", self.process.communicate())
        self.notes += err.decode()
        assert kind or self.process.returncode == self.status, f"{self.process.returncode}: {self.notes}"


@contextlib.asynccontextmanager
async def sending(source, uri, *options):
    """`saccade send` until it is over."""
    process = await asyncio.create_subprocess_exec(
        SACCADE, "send", source, "--to", uri, "--threshold", "0", *options, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await within("the sender's end", process.wait())


async def view_packets_of_an_address_are_followed():
    """What leaves a sender is seen, to the pixel, by UDP and TCP, with a passphrase, too; the next sender is taken as well."""
    await stream()
    other = [frame_of(i + 50) for i in range(N)]
    with open("other.rgb", "wb") as file:
        file.write(b"".join(other))
    await encode("other.rgb", "other.sdv", "--size", f"{W}x{H}", "--threshold", 0)
    with open("secret.txt", "w") as file:
        file.write("a long passphrase\n")
    has_sodium = re.search(r"^libsodium  *\d", (await saccade("info"))[1], re.M)
    for scheme, options in (("udp", []), ("tcp", ["--passphrase-file", "secret.txt"] if has_sodium else [])):
        async with Receiver(f"{scheme}://:0", *options) as server:
            uri = f"{scheme}://127.0.0.1:{server.port}"
            async with sending("stream.sdv", uri, *options) as sender:
                await server.opened()
                async with Viewer(server) as viewer:
                    await viewer.until(lambda v: v.state["is_live"] and v.picture["n_came"] == N and v.picture["frame"] == N - 1)
                    assert viewer.picture["bytes"]["original"] == frame_of(N - 1)
                    assert not any(viewer.picture[name] for name in LOSSES), viewer.picture
                    wanted = " ".join(["saccade receive", *options, f"{scheme}://:0 -o received.sdv && saccade heatmap received.sdv"])
                    assert wanted in viewer.state["command"], viewer.state["command"]
                    await within("the sender's end", sender.wait())
                    async with sending("other.sdv", uri, *options):
                        await viewer.until(lambda v: v.picture["n_came"] == 2 * N and v.picture["frame"] == 2 * N - 1)
                    assert viewer.picture["bytes"]["original"] == other[N - 1]


async def view_packets_that_do_not_come_yet_are_waited_for_in_words():
    """One line after a second, and then the first frame is shown."""
    await stream()
    async with Receiver("udp://:0") as server:
        while "no frame yet" not in server.notes:
            line = (await within("a word", server.process.stderr.readline())).decode()
            assert line, f"it has ended: {server.notes}"
            server.notes += line
        async with sending("stream.sdv", f"udp://127.0.0.1:{server.port}"):
            await server.opened()
            async with Viewer(server) as viewer:
                await viewer.until(lambda v: v.picture["n_came"] > 0)
    assert server.notes.count("saccade: warning: udp://:0: no frame yet\n") == 1, server.notes


async def view_packets_that_never_come_end_by_an_interrupt():
    """With one line, of whichever of the two processes."""
    async with Receiver("udp://:0", status=1) as server:
        server.process.send_signal(signal.SIGINT)
        await within("the end", server.process.wait())
    assert server.notes.count("saccade: udp://:0: no frame came\n") == 1, server.notes


ROW = "[...document.querySelectorAll('#measures dt')].find((e) => e.textContent === 'packets').nextElementSibling.textContent"
PIXELS = "Array.from(viewed.panels[0].pixels.data).filter((_, i) => i % 4 < 3)"


async def check_canvas(page, frame, number, what=""):
    """That frame of the page is drawn, with these of a clip's pixels."""
    await page.until(f"viewed.picture.frame === {frame} && viewed.panels[0].info.levels === viewed.picture.panels[0].levels", what)
    assert bytes(await page.run(PIXELS)) == frame_of(number), f"{frame} {what}"


async def view_packets_page_shows_them():
    """In the page's canvas: the frames of the video, by number and by steps; and what is missing."""
    packets = packets_of(await stream())
    gone = next(i for i, (_, is_key) in enumerate(packets) if is_key and i > 2) - 1
    with open("lost.sdv", "wb") as file:
        file.write(b"".join(part for i, (part, _) in enumerate(packets) if i != gone))
    async with Server("stream.sdv") as server, Browser() as browser: # a page whose server has gone would log that
        page = await browser.page(server.address)
        await page.until(SHOWN)
        for frame in (7, 2):
            await page.set("#frame", frame, "input")
            await check_canvas(page, frame, frame)
        for button, frame in (("step", 3), ("back", 2), ("back", 1)):
            await page.run(f"document.getElementById('{button}').click()")
            await check_canvas(page, frame, frame, button)
        await page.until(f"/0 frames missing, 0 packets without a frame$/.test({ROW})")
    async with Server("lost.sdv") as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN + f" && /1 frame missing, 0 packets without a frame$/.test({ROW})")
        await page.set("#frame", gone, "input")
        await check_canvas(page, gone, gone + 1)
    with pipe() as file:
        file.write(packets[0][0] + packets[1][0])
        async with Server("pipe.sdv") as server, Browser() as browser:
            page = await browser.page(server.address)
            await page.until(SHOWN + " && viewed.picture.frame === 1")
            file.write(packets[gone][0])
            await page.until(f"/1 packet without a frame; waiting for a keyframe$/.test({ROW})")
            await check_canvas(page, 1, 1)


main(globals())

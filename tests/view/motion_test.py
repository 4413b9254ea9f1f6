"""saccade view of videos as motion, by its messages, without a browser. motion_test.py NAME runs one of the tests below,
`--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os

from browser import Server, main, saccade, skip
from clips import H, W, clip, delta_of, frame_of, header, raw_clip, read_pnm, run_lines, y4m_frame
from malformed import send_malformed
from viewer import Viewer, control, there


async def view_motion_wrong_use_fails():
    clip()
    with open("short.y4m", "wb") as file:
        file.write(header() + y4m_frame(0) + y4m_frame(1)[:100])
    with open("empty.y4m", "wb") as file:
        file.write(header())
    with open("raw.bgr", "wb") as file:
        file.write(bytes(100))
    for status, text, *arguments in (
            (2, "no input given", "--as", "motion"),
            (2, "takes one input", "clip.y4m", "clip.y4m"),
            (2, "--as", "clip.y4m", "--as", "film"),
            (2, "--threshold", "clip.y4m", "--threshold", "256"),
            (2, "unknown option --f-number", "clip.y4m", "--f-number", "1"),
            (2, "unknown option --threshold", "points.h5", "--threshold", "1"),
            (2, "`clip.y4m` is not a file of ultrasound channel data", "clip.y4m", "--as", "beamform"),
            (2, "nosuch", "clip.y4m", "--variant", "nosuch"),
            (2, "--size", "raw.bgr"),
            (2, "--size", "clip.y4m", "--size", "x"),
            (1, "--size 4x4", "raw.bgr", "--size", "4x4"),
            (1, "short.y4m", "short.y4m"),
            (1, "no frame came", "empty.y4m"),
            (1, "none.y4m", "none.y4m"),
            (1, "none-%04d.png", "none-%04d.png")):
        got, out, err = await saccade("view", *arguments)
        assert got == status and text in err and err.count("\n") == 1 and not out, f"{arguments}: {got} {err}"


async def view_motion_messages_set_what_they_say():
    async with Server(clip()) as server, Viewer(server) as viewer:
        await viewer.until(lambda v: v.state["pipeline"] == "motion" and v.state["n_frames"] == 6)
        for message, said in (("threshold 3", lambda v: control(v.state, "threshold") == "3"),
                              ("denoise temporal", lambda v: "denoised" in v.picture["bytes"]),
                              ("map turbo", lambda v: control(v.state, "map") == "turbo"),
                              ("scale 100", lambda v: control(v.state, "scale") == "100"),
                              ("view overlay", lambda v: control(v.state, "view") == "overlay"),
                              ("threads 1", lambda v: control(v.state, "threads") == "1"),
                              ("variant ref", lambda v: "heat_u8:ref" in v.picture["variant"] and "noise_u8:ref" in v.picture["variant"]),
                              ("frame 5", lambda v: v.picture["frame"] == 5), ("rate 50", lambda v: v.state["rate_hz"] == 50),
                              ("step 2", lambda v: v.picture["panels"][0]["w"] == W // 2),
                              ("stream 1", lambda v: "delta" in v.picture)):
            await viewer.say(message)
            await viewer.until(said)
        for message in ("threshold 256", "threshold x", "denoise much", "map rainbow", "frame 6", "step 17", "step -1", "stream 2",
                        "point 1 2 3", "f-number 1", "scale 0", "device gpu"):
            viewer.refusal = None
            await viewer.say(message)
            await viewer.until(lambda v: v.refusal)
        await viewer.say("variant nosuch") # it is taken back, with the reason
        await viewer.until(lambda v: "nosuch" in (v.state["error"] or "") and control(v.state, "variant") == "ref")
        await viewer.say("frame 3")
        await viewer.until(lambda v: v.state["frame"] == v.picture["frame"] == 3 and not v.state["error"])


async def view_motion_commands_write_the_same_pictures():
    raw_clip("clip.bgrx", channels=4)
    raw_clip("-odd clip.gray", w=47, h=35, channels=1)
    for arguments, messages in (
            ([clip()], []),
            (["clip.y4m", "--threshold", 5, "--denoise", "median"], ["map viridis", "scale 255", "frame 4"]),
            (["clip.y4m"], ["denoise temporal", "frame 5", "view pure", "threshold 8", "variant ref"]),
            (["clip.y4m", "--format", "gray"], ["frame 1", "view bits", "threads 1"]),
            (["clip.bgrx", "--size", f"{W}x{H}", "--format", "bgrx"], ["frame 2", "view overlay", "denoise gaussian5"]),
            (["--size", "47x35", "--", "-odd clip.gray"], ["frame 3", "map jet"])):
        async with Server(*arguments) as server, Viewer(server) as viewer:
            values = dict(message.split(" ") for message in messages)
            await viewer.say(*messages)
            await viewer.until(lambda v: not v.state["error"] and v.picture["frame"] == int(values.get("frame", 0)) # pylint: disable=cell-var-from-loop
                               and all(control(v.state, k) == x for k, x in values.items() if k != "frame")) # pylint: disable=cell-var-from-loop
            async with Viewer(server) as other: # the state follows its picture: who comes now gets that one
                await other.until(there)
                state, picture = other.state, other.picture
        names = await run_lines(state["command"])
        for panel, name in (("heat map", "heatmap"), ("noise", "noise")):
            w, h, samples = read_pnm(names[name] % picture["frame"])
            shown = next(p for p in picture["panels"] if p["name"] == panel)
            assert (w, h) == (shown["w"], shown["h"]) and samples == picture["bytes"][panel], f"{arguments} {messages}: {panel}"


async def view_motion_shows_frames_in_any_order():
    """As they are in the file, and by a filter over time as if they had been played from the first one on."""
    raw_clip("clip.dat", 8) # a name that says nothing
    async with Server("clip.dat", "--size", f"{W}x{H}", "--denoise", "temporal") as server, Viewer(server) as viewer:
        seen = {}
        for frame in (0, 1, 2, 7, 3, 0, 6, 5, 7, 1):
            await viewer.say(f"frame {frame}")
            await viewer.until(lambda v: v.state["frame"] == v.picture["frame"] == frame) # pylint: disable=cell-var-from-loop
            assert viewer.picture["bytes"]["original"] == frame_of(frame), frame
            shown = {name: viewer.picture["bytes"][name] for name in ("denoised", "heat map", "noise")}
            assert seen.setdefault(frame, shown) == shown, frame
        await viewer.say("rate 1000", "loop 0", "play 1")
        await viewer.until(lambda v: v.picture["frame"] == 7 and not v.state["plays"])


async def view_motion_sends_every_nth_pixel():
    async with Server(clip()) as server, Viewer(server) as viewer:
        await viewer.say("frame 2", "step 1")
        await viewer.until(lambda v: v.picture["frame"] == 2 and v.state["step"] == 1)
        whole = viewer.picture["bytes"]
        await viewer.say("step 5")
        await viewer.until(lambda v: v.picture["panels"][0]["step"] == 5)
        for name in whole:
            rows = [whole[name][3 * W * y:3 * W * (y + 1)] for y in range(0, H, 5)]
            wanted = b"".join(row[3 * x:3 * x + 3] for row in rows for x in range(0, W, 5))
            assert viewer.picture["bytes"][name] == wanted, name
        panel = viewer.picture["panels"][0]
        assert (panel["w"], panel["h"], panel["right"], panel["bottom"]) == (10, 8, 45, 35), panel


async def view_motion_stream_is_that_of_delta():
    status, out, err = await delta_of(clip(), "--threshold", 6, "--denoise", "mean")
    if "zstd" in err:
        skip("this build has no zstd")
    assert status == 0, err
    wanted = json.loads(out)["rows"][0]
    async with Server("clip.y4m", "--threshold", 6, "--denoise", "mean") as server, Viewer(server) as viewer:
        await viewer.say("stream 1")
        await viewer.until(lambda v: "delta" in v.picture)
        await viewer.say("rate 1000", "loop 0", "play 1")
        await viewer.until(lambda v: v.picture["frame"] == 5 and "delta" in v.picture)
        delta = viewer.picture["delta"]
        assert delta["first"] == 0 and delta["last"] == 5, delta
        assert delta["bytes"] == sum(delta["sizes"]) == wanted["bytes"] and delta["keyframes"] == wanted["keyframes"], (delta, wanted)
        assert abs(6 * delta["raw_bytes"] / delta["bytes"] / wanted["ratio"] - 1) < 1e-6
        await viewer.say("threshold 7") # another stream
        await viewer.until(lambda v: v.picture["delta"]["first"] == 5)
        await viewer.say("threshold 255") # which none has
        await viewer.until(lambda v: "threshold" in v.picture["delta"].get("error", ""))
        await viewer.say("threshold 6", "frame 0")
        await viewer.until(lambda v: v.picture["delta"].get("last") == 0)


async def view_pipe_shows_the_newest_frame():
    """Frames that nobody saw are counted; filters see them all; it holds, goes on, and ends."""
    clip()
    async with Server("-", "--denoise", "temporal", stdin=header() + y4m_frame(0)) as server, Viewer(server) as viewer:
        await viewer.until(lambda v: v.state["is_live"] and v.picture["frame"] == 0)
        stdin = server.process.stdin
        for i in range(1, 5):
            stdin.write(y4m_frame(i))
            await viewer.until(lambda v: v.picture["frame"] == i) # pylint: disable=cell-var-from-loop
        await viewer.say("play 0")
        await viewer.until(lambda v: not v.state["plays"])
        stdin.write(y4m_frame(5))
        await viewer.say("threshold 9", "frame 1") # no frame by its number
        await viewer.until(lambda v: v.refusal and control(v.state, "threshold") == "9")
        assert viewer.picture["frame"] == 4, viewer.picture["frame"]
        await viewer.say("play 1")
        await viewer.until(lambda v: v.picture["frame"] == 5 and v.state["plays"])
        live = viewer.picture["bytes"]
        stdin.write(b"".join(y4m_frame(i % 6) for i in range(6, 200)))
        await viewer.until(lambda v: v.picture["frame"] == 199)
        assert viewer.picture["n_came"] == 200 and 0 <= viewer.picture["n_missed"] <= 194, viewer.picture
        stdin.close()
        await viewer.until(lambda v: v.state["has_ended"])
    async with Server("clip.y4m", "--denoise", "temporal", "--threshold", 9) as server, Viewer(server) as viewer:
        await viewer.say("frame 5")
        await viewer.until(lambda v: v.picture["frame"] == 5)
        assert live == viewer.picture["bytes"]


async def seen_now(server):
    """The state follows its picture: who comes now gets that one."""
    async with Viewer(server) as other:
        await other.until(there)
        return other.picture["bytes"]


async def view_held_frame_goes_through_another_filter():
    """A live one as the same frame of a file, while no further one comes."""
    clip()
    seen = {}
    async with Server("clip.y4m") as server, Viewer(server) as viewer:
        await viewer.say("frame 1")
        for name in ("median", "mean5", "none"):
            await viewer.say(f"denoise {name}")
            await viewer.until(lambda v: v.picture["frame"] == 1 and control(v.state, "denoise") == name) # pylint: disable=cell-var-from-loop
            seen[name] = await seen_now(server)
    async with Server("-", stdin=header() + y4m_frame(0)) as server, Viewer(server) as viewer:
        server.process.stdin.write(y4m_frame(1))
        await viewer.until(lambda v: v.picture["frame"] == 1)
        await viewer.say("play 0")
        for name in ("median", "mean5", "none", "median"):
            await viewer.say(f"denoise {name}")
            await viewer.until(lambda v: control(v.state, "denoise") == name) # pylint: disable=cell-var-from-loop
            assert await seen_now(server) == seen[name], name
        await viewer.say("play 1")
        for i in range(2, 5): # the reading thread follows
            server.process.stdin.write(y4m_frame(i))
            await viewer.until(lambda v: v.picture["frame"] == i) # pylint: disable=cell-var-from-loop
        last = viewer.picture["bytes"]
    async with Server("clip.y4m", "--denoise", "median") as server, Viewer(server) as viewer:
        await viewer.say("frame 4")
        await viewer.until(lambda v: v.picture["frame"] == 4)
        assert last == viewer.picture["bytes"]


async def view_named_pipe_is_followed():
    """By its kind: nothing is read of it before it is opened."""
    os.mkfifo("frames")
    writer = os.fork()
    if writer == 0:
        try:
            with open("frames", "wb") as file:
                file.write(header() + b"".join(y4m_frame(i) for i in range(4)))
        finally:
            os._exit(0)
    async with Server("frames") as server, Viewer(server) as viewer:
        await viewer.until(lambda v: v.state["has_ended"] and v.picture["frame"] == 3)
    os.waitpid(writer, 0)


async def view_pipe_that_breaks_off_says_so():
    for text, first in (("no frame came", header()), ("standard input", header() + y4m_frame(0)[:50]), ("--size", b"nonsense" * 9)):
        with open("short.y4m", "wb") as file:
            file.write(first)
        with open("short.y4m", "rb") as file:
            status, out, err = await saccade("view", "-", stdin=file)
        assert status in (1, 2) and text in err and err.count("\n") == 1 and not out, f"{status} {err}"
    async with Server("-", stdin=header() + y4m_frame(0) + y4m_frame(1)[:50], status=1) as server, Viewer(server) as viewer:
        await viewer.until(lambda v: v.picture["frame"] == 0)
        server.process.stdin.close()
        await viewer.until(lambda v: v.state["has_ended"] and v.state["error"])


async def view_motion_malformed_messages_do_no_harm():
    async with Server(clip(), "--threads", 1) as server:
        await send_malformed(server, ("threshold", "denoise", "map", "scale", "frame", "step", "stream 1", "drawn", "rate", "play", "view"))
        async with Viewer(server) as viewer:
            await viewer.say("denoise none", "view mask", "threshold 3")
            await viewer.until(lambda v: control(v.state, "threshold") == "3" and not v.state["error"])


main(globals())

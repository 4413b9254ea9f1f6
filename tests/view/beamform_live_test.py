"""The view of saccade beamform --listen, by its messages, without a browser. beamform_live_test.py NAME runs one of the
tests below, `--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import contextlib
import itertools
import json
import shlex

from browser import Server, main, saccade, websockets, within
from listener import ECHOES, Listener, done, echoes, send, sending, volumes
from loop import check_urgencies, urgencies_to_try, urgency
from malformed import send_malformed
from viewer import Viewer, close, control, read_npy, there


async def view_beamform_live_wrong_use_fails():
    source = await echoes()
    with open("short.txt", "w") as file:
        file.write("secret\n")
    for status, text, *arguments in (
            (2, "--view-host is for --view PORT", "--view-host", "0.0.0.0"),
            (2, "--view-password-file is for --view PORT", "--view-password-file", "short.txt"),
            (2, "needs --view-password-file", "--view", 0, "--view-host", "0.0.0.0"),
            (2, "--view-host", "--view", 0, "--view-host", "example.org"),
            (2, "--view", "--view", 70000),
            (1, "--view-password-file `short.txt`: its first line must have 12 to 254 characters", "--view", 0, "--view-password-file", "short.txt")):
        got, out, err = await saccade("beamform", "--listen", "udp://127.0.0.1:0", "--like", source, *arguments)
        assert got == status and text in err and err.count("\n") == 1 and not out, f"{arguments}: {got} {err}"
    async with Server(source) as server:
        port = server.authority.split(":")[1]
        got, _, err = await saccade("beamform", "--listen", "udp://127.0.0.1:0", "--like", source, "--view", port)
        assert got == 1 and "in use" in err, err


async def view_beamform_live_frames_are_seen():
    """The last frame is what stays, whatever was dropped on the way; counts are those of the report."""
    source = await echoes()
    async with Listener("--like", source, "--grid", ECHOES, "--policy", "wait", "--deadline", 0) as listener:
        async with Viewer(listener) as viewer:
            await viewer.read()
            assert viewer.state["is_live"] and viewer.state["plays"] and viewer.picture is None, viewer.state
            assert viewer.state["source"] == "udp://127.0.0.1:0" and viewer.state["pipeline"] == "beamform"
            sender = asyncio.create_task(send(listener, source, rate=100, repeat=10))
            await viewer.until(there)
            await sender
            await viewer.until(done(30))
            live = viewer.picture["live"]
            seen = viewer.picture["levels"]
        async with Viewer(listener) as late: # who comes now sees the newest, too
            await late.until(done(30))
        report = await listener.stop()
    for name in ("received", "processed", "refused", "dropped", "late", "lost"):
        assert live[name] == report[name], f"{name}: {live} {report}"
    for name in ("p50_ns", "p99_ns"):
        assert live[name] == report[name] > 0, f"{name}: {live} {report}"
    assert 0 <= live["not_shown"] < 30, live
    # The picture is that of the file's last frame.
    async with Server(source, "--grid", ECHOES) as server, Viewer(server) as viewer:
        await viewer.say("frame 2")
        await viewer.until(lambda v: v.picture["frame"] == 2)
        assert viewer.picture["levels"] == seen


async def view_beamform_live_pause_holds_the_frame():
    source = await echoes()
    async with Listener("--like", source, "--grid", ECHOES) as listener, Viewer(listener) as viewer, sending(listener, source):
        await viewer.until(there)
        await viewer.say("play 0")
        await viewer.until(lambda v: not v.state["plays"])
        for _ in range(2): # listening goes on; the first pictures may have been on their way
            frame, held, live = viewer.picture["frame"], viewer.picture["levels"], viewer.picture["live"]
            await viewer.until(lambda v: v.picture["live"]["processed"] > live["processed"] + 5) # pylint: disable=cell-var-from-loop
        assert viewer.picture["frame"] == frame and viewer.picture["levels"] == held
        await viewer.say("apodization rect") # of the frame that is held
        await viewer.until(lambda v: v.picture["levels"] != held)
        assert viewer.picture["frame"] == frame
        await viewer.say("apodization tukey:0.25")
        await viewer.until(lambda v: v.picture["levels"] == held and v.picture["frame"] == frame)
        await viewer.say("point 1 0 8.5", "delays 1", "cyst 0 0 8 1") # marks beamform nothing, and measure
        await viewer.until(lambda v: {"point", "cyst", "delays_us"} <= v.picture.keys())
        assert viewer.picture["frame"] == frame and viewer.picture["levels"] == held
        assert viewer.picture["live"]["not_shown"] > live["not_shown"], live
        await viewer.say("play 1")
        await viewer.until(lambda v: v.picture["frame"] > frame + 5 and v.state["plays"])


async def view_beamform_live_messages_set_what_they_say():
    source = await echoes()
    async with (Listener("--like", source, "--grid", ECHOES, "--f-number", 1) as listener, Viewer(listener) as viewer,
                sending(listener, source)):
        await viewer.until(there)
        assert control(viewer.state, "f-number") == "1" and not viewer.state["error"]
        for message, said in (("f-number 2", lambda v: control(v.state, "f-number") == "2"),
                              ("c 1500", lambda v: v.state["c_m_s"] == 1500 and v.picture["c_m_s"] == 1500),
                              ("lri 1", lambda v: control(v.state, "lri") == "true"),
                              ("transmit 1", lambda v: v.state["transmit"] == 1 and v.picture["transmit"] == 1),
                              ("c ", lambda v: v.state["c_m_s"] == 0 and v.picture["c_m_s"] == 1540)):
            await viewer.say(message)
            await viewer.until(said)
        for message in ("frame 0", "play 2", "f-number -1", "transmit 2", "kind iq", ""):
            viewer.refusal = None
            await viewer.say(message)
            await viewer.until(lambda v: v.refusal)
        # An option that opens no plan with the others: it is taken back, with the reason, and frames go on.
        await viewer.say("lri 0", "reduction mv:0.25")
        await viewer.until(lambda v: control(v.state, "reduction") == "mv:0.25")
        await viewer.say("lri 1")
        await viewer.until(lambda v: v.state["error"] and control(v.state, "lri") == "false")
        frame = viewer.picture["frame"]
        await viewer.until(lambda v: v.picture["frame"] > frame + 3)


async def view_beamform_live_command_writes_the_same_picture():
    """The line under Save, run beside it, beamforms what comes as the view does."""
    source = await echoes("a point's.h5", frames=1)
    async with Listener("--like", source, "--fc", 5.1, "--grid", ECHOES) as listener, Viewer(listener) as viewer:
        await send(listener, source)
        await viewer.until(done(1))
        await viewer.say("f-number 1.2", "apodization rect", "dynamic-range 45", "c 1480")
        await viewer.until(lambda v: v.state["c_m_s"] == 1480 and v.picture["c_m_s"] == 1480)
        command, levels = viewer.state["command"], viewer.picture["levels"]
        for message in ("c ", "c 1480"): # the state comes behind its picture
            await viewer.say(message)
            await viewer.until(lambda v: v.state["c_m_s"] == float(message[2:] or 0)) # pylint: disable=cell-var-from-loop
        assert viewer.state["command"] == command
    words = shlex.split(command)
    assert words[:4] == ["saccade", "beamform", "--listen", "udp://127.0.0.1:0"] and words[-2:] == ["-o", "live.png"], command
    async with Listener(*words[4:-1], "out.npy", "--frames", 1, view=None) as again:
        await send(again, source)
        await again.report()
    _, values = read_npy("out.npy")
    assert len(values) == len(levels)
    for level, db in zip(levels, values):
        close(max((level / 65535 - 1) * 200, -45), db, 0.01, command)


async def move_sliders(viewer):
    """Until the listener has ended."""
    n = 0
    try:
        for n in itertools.count():
            c = 1500 + n % 50
            await viewer.say(f"f-number {1 + n % 10 / 10}", f"play {n % 2}", f"c {c}")
            await viewer.until(lambda v: v.picture["c_m_s"] == c) # pylint: disable=cell-var-from-loop
    except websockets.exceptions.ConnectionClosed:
        assert n > 0


async def view_beamform_live_output_is_the_same_bytes():
    """With viewers that move sliders, and without --view at all."""
    source = await echoes()
    files = {}
    for view in (0, None):
        arguments = ("--like", source, "--grid", ECHOES, "--policy", "wait", "--deadline", 0, "--frames", 90, "-o", "out.npy",
                     "--record", "channels.npy", "--kind", "envelope")
        async with Listener(*arguments, view=view) as listener:
            sender = asyncio.create_task(send(listener, source, rate=30, repeat=30))
            if view is not None:
                async with Viewer(listener) as viewer:
                    await viewer.until(there)
                    await move_sliders(viewer)
            await sender
            report = await listener.report()
        assert report["processed"] == 90 and report["dropped"] == report["refused"] == 0, report
        assert report["written"] == report["recorded"] == 90, report
        files[view] = [open(name, "rb").read() for name in ("out.npy", "channels.npy")] # pylint: disable=consider-using-with
    assert files[0] == files[None]


async def view_beamform_live_does_not_wait_for_a_viewer_that_stalls():
    """One viewer takes nothing off its line, another says not what it drew: all frames are worked on, a third sees the last."""
    source = await echoes()
    async with Listener("--like", source, "--grid", "-3:3:301,5:12:401", "--policy", "wait") as listener:
        async with listener.socket() as silent, Viewer(listener) as quick:
            name, port = listener.authority.split(":")
            reader, writer = await asyncio.open_connection(name, int(port), limit=1 << 12)
            path = listener.address.split("/", 3)[3]
            writer.write((f"GET /{path}socket HTTP/1.1\r\nHost: {listener.authority}\r\nUpgrade: websocket\r\n"
                          "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode())
            await within("the upgrade", reader.readuntil(b"\r\n\r\n"))
            reader._transport.pause_reading() # pylint: disable=protected-access
            await send(listener, source, rate=100, repeat=50)
            await quick.until(done(150))
            await within("what was sent before", silent.recv())
            writer.close()
        report = await listener.stop()
    assert report["processed"] == 150 and report["dropped"] == 0, report


async def view_beamform_live_of_any_urgency_goes_before_its_view():
    """Server, session and the other threads of the view's plan stand behind it."""
    source = await echoes()
    for policy, nice in urgencies_to_try():
        with urgency(policy, nice):
            listener = await Listener("--like", source, "--grid", ECHOES, "--threads", 3).__aenter__()
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_exit(listener)
            viewer = await stack.enter_async_context(Viewer(listener))
            await send(listener, source)
            await viewer.until(there)
            check_urgencies(listener, policy, nice, 4)


async def view_beamform_live_takes_malformed_messages():
    source = await echoes()
    async with Listener("--like", source, "--grid", "-3:3:9,5:12:9", "--threads", 1, "--policy", "wait") as listener:
        sender = asyncio.create_task(send(listener, source, rate=100, repeat=20))
        await send_malformed(listener, ("f-number", "apodization", "frame", "point", "cyst", "drawn", "device", "play", "c", "lri"))
        await sender
        async with Viewer(listener) as viewer:
            await viewer.say("play 1", "device cpu")
            await viewer.until(done(60))
        report = await listener.stop()
    assert report["processed"] == 60, report


async def view_beamform_live_without_frames_ends():
    source = await echoes()
    async with Listener("--like", source) as listener, listener.socket() as socket:
        state = json.loads(await within("a state", socket.recv()))
        assert state["kind"] == "state" and state["is_live"], state
        report = await listener.stop()
    assert report["received"] == 0


async def view_beamform_live_volume_is_seen():
    """Of a row-column array, as the page of a file shows it."""
    source = await volumes()
    grid = ("--grid3", "-1:1:13,-1:1:9,8:12:41")
    async with Listener("--like", source, *grid, "--policy", "wait") as listener, Viewer(listener) as viewer:
        await send(listener, source)
        await viewer.until(done(2))
        await viewer.say("point 0.5 -0.5 10")
        await viewer.until(lambda v: "point" in v.picture)
        picture = viewer.picture
    sizes = [(p["w"], p["h"]) for p in picture["panels"]]
    assert sizes == [(13, 41), (9, 41), (13, 9), (13, 41)], sizes
    async with Server(source, *grid) as server, Viewer(server) as viewer:
        await viewer.say("frame 1", "point 0.5 -0.5 10")
        await viewer.until(lambda v: "point" in v.picture and v.picture["frame"] == 1)
        assert viewer.picture["levels"] == picture["levels"]


main(globals())

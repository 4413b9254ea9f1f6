"""saccade view of a melt pool's frames, by its messages, without a browser: of files, and of a loop that runs.
meltpool_test.py NAME runs one of the tests below, `--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import array
import asyncio
import contextlib
import csv
import json
import math

from browser import Server, main, saccade, within
from loop import Loop, Sending, build, check_urgencies, send, urgencies_to_try, urgency
from malformed import send_malformed
from viewer import Viewer, close, control, run_command, there

COLUMNS = 600


def is_done(viewer):
    return viewer.picture["n_done"] == viewer.state["n_frames"]


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def check_frame(picture, row, names, what):
    """One frame's numbers against the command's."""
    assert ("features" in picture) == (not int(row["flags"]) & 33), what
    if "features" not in picture:
        return
    for name, got in zip(names, picture["features"] + picture.get("prediction", [])):
        close(got, float(row[name]), 1e-6 * (1 + abs(got)), f"{what}: {name}")
    pool = picture["bytes"]["pool"]
    assert sum(pool) == picture["outline"]["area"] == float(row["area"]), what
    if sum(pool):
        a, b = picture["outline"]["semi_axes"]
        close(b / a, float(row["ratio"]), 1e-5, f"{what}: ratio")


def check_columns(picture, rows, value, what):
    """The chart of a value: least, mean and greatest of each column's frames."""
    floats = array.array("f", picture["bytes"]["columns"])
    width = -(-len(rows) // COLUMNS)
    for at in range(0, -(-len(rows) // width)):
        of = [float(r[value]) for r in rows[at * width:(at + 1) * width] if not int(r["flags"]) & 33]
        got = [floats[k * COLUMNS + at] for k in range(3)]
        if not of:
            assert all(math.isnan(x) for x in got), f"{what} {at}: {got}"
            continue
        for x, wanted in zip(got, (min(of), sum(of) / len(of), max(of))):
            close(x, wanted, 1e-5 * (1 + abs(wanted)), f"{what} {at}")


async def view_meltpool_wrong_use_fails():
    source = await build(frames=50)
    for status, text, *arguments in (
            (2, "no input given", "--as", "meltpool"),
            (2, "takes one input", source, source),
            (1, "no-such.h5", "no-such.h5", "--as", "meltpool"),
            (2, "--as", source, "--as", "film"),
            (2, "saccade beamform or meltpool --listen with --view", "udp://127.0.0.1:5030", "--as", "beamform"),
            (2, "--roi", source, "--roi", "3"),
            (1, "no-such.txt", source, "--calibration", "no-such.txt"),
            (1, "no-such.safetensors", source, "--model", "no-such.safetensors"),
            (2, "needs --password-file", source, "--host", "0.0.0.0"),
            (1, "smaller than the region of interest", source, "--roi", "128")):
        got, out, err = await saccade("view", *arguments)
        assert got == status and text in err and err.count("\n") == 1 and not out, f"{arguments}: {got} {err}"
    for status, text, *arguments in (
            (2, "--view-host is for --view", "--view-host", "127.0.0.1"),
            (2, "--view-password-file is for --view", "--view-password-file", source),
            (2, "needs --view-password-file", "--view", 0, "--view-host", "0.0.0.0"),
            (2, "--view-host: expected an IPv4", "--view", 0, "--view-host", "example.org"),
            (2, "--view", "--view", 65536),
            (1, "--view-password-file `none.txt`: No such file", "--view", 0, "--view-password-file", "none.txt")):
        got, out, err = await saccade("meltpool", "--listen", "udp://127.0.0.1:0", "--calibration", "simulated", *arguments)
        assert got == status and text in err and err.count("\n") == 1 and not out, f"{arguments}: {got} {err}"
    async with Server(source) as server:
        port = server.authority.split(":")[1]
        got, _, err = await saccade("meltpool", "--listen", "udp://127.0.0.1:0", "--calibration", "simulated", "--view", port)
        assert got == 1 and "in use" in err, err


async def view_meltpool_shows_what_the_command_writes():
    """Records, pools, columns and maps, by several options, against the CSV of the page's command line."""
    source = await build()
    for arguments, messages in (
            ([], []),
            (["--threshold", 40, "--model", "none"], ["roi 24", "window 16"]),
            (["--locate", "brightest", "--rate", 10000, "--model", "none"], ["spatter-min 3", "scan-frame true", "gap-reset 0.0005"]),
            ([], ["locate previous", "variant ref"])):
        async with Server(source, *arguments) as server, Viewer(server) as viewer:
            await viewer.say("value mean", *messages)
            wanted = dict(message.split(" ") for message in messages)
            await viewer.until(lambda v: is_done(v) and v.picture["value"] == "mean"
                               and all(control(v.state, k) == x for k, x in wanted.items()) # pylint: disable=cell-var-from-loop
                               and v.picture["begun"] == v.state["begun"])
            names = viewer.state["values"]
            names = names[:40] + ["lof_density", "keyhole_density"]
            await run_command(viewer.state["command"].replace(" --plot picture.png", ""), "out.csv")
            rows = read_csv("out.csv")
            check_columns(viewer.picture, rows, "mean", f"{arguments} {messages}")
            assert viewer.picture["counts"]["processed"] == sum(not int(r["flags"]) & 33 for r in rows)
            assert viewer.picture["map_frames"] == viewer.picture["counts"]["processed"]
            for frame in (0, 1, 77, 300, 701, 1499):
                await viewer.say(f"frame {frame}")
                await viewer.until(lambda v: v.picture["frame"] == frame) # pylint: disable=cell-var-from-loop
                check_frame(viewer.picture, rows[frame], names, f"{arguments} {messages} {frame}")


async def view_meltpool_messages_set_what_they_say():
    async with Server(await build()) as server, Viewer(server) as viewer:
        for message, said in (("threshold 80", lambda s: control(s, "threshold") == "80"),
                              ("locate fixed", lambda s: control(s, "locate") == "fixed"),
                              ("static-roi 1", lambda s: control(s, "static-roi") == "true"),
                              ("value hog_3", lambda s: s["value"] == "hog_3"), ("value keyhole", lambda s: s["value"] == "keyhole"),
                              ("density lof", lambda s: s["density"] == "lof"), ("density both", lambda s: s["density"] == "both"),
                              ("span 200", lambda s: s["span"] == 200), ("frame 1400", lambda s: s["frame"] == 1400),
                              ("rate 500", lambda s: s["rate_hz"] == 500), ("loop 0", lambda s: not s["loops"])):
            await viewer.say(message)
            await viewer.until(lambda v: said(v.state)) # pylint: disable=cell-var-from-loop
        for message in ("threshold 257", "threshold x", "roi 7", "value", "value none", "density all", "span 3", "span nan", "frame 1500",
                        "frame -1", "play 2", "resident 1", "calibration pixels", "", " ", "x" * 200, "value mean 1"):
            viewer.refusal = None
            await viewer.say(message)
            await viewer.until(lambda v: v.refusal)
        assert control(viewer.state, "threshold") == "80" and viewer.state["value"] == "keyhole"
        # Right by itself, but no plan opens with it: it is taken back, with the reason, and the analysis goes on.
        await viewer.say("roi 128")
        await viewer.until(lambda v: v.state["error"] and control(v.state, "roi") == "40")
        assert "128" in viewer.state["error"], viewer.state["error"]
        await viewer.say("roi-align 3")
        await viewer.until(lambda v: "roi-align" in (v.state["error"] or "") and control(v.state, "roi-align") == "8")
        await viewer.say("rate 1000", "frame 1490", "play 1")
        await viewer.until(lambda v: not v.state["plays"] and v.state["frame"] == 1499)
        await viewer.say("loop 1", "play 1")
        await viewer.until(lambda v: v.picture["frame"] == 3)


async def view_meltpool_malformed_messages_do_no_harm():
    names = ("threshold", "roi", "roi-align", "locate", "fixed-x", "value", "density", "span", "window 64", "frame", "variant", "play")
    async with Server(await build(frames=300)) as server:
        await send_malformed(server, names)
        async with Viewer(server) as viewer: # it serves as before
            await viewer.say("variant ", "roi 40", "roi-align 8", "locate laser", "fixed-x -1", "threshold 50", "window 64", "value ratio")
            await viewer.until(lambda v: control(v.state, "threshold") == "50" and v.state["value"] == "ratio" and not v.state["error"]
                               and v.picture["begun"] == v.state["begun"] and is_done(v))


async def view_meltpool_without_a_model_is_shown_around_a_fixed_place():
    """No predictions are shown, and the command line says both."""
    source = await build(frames=200)
    async with Server(source, "--locate", "fixed", "--model", "none") as server, Viewer(server) as viewer:
        await viewer.until(is_done)
        assert "prediction" not in viewer.picture and viewer.picture["outline"]["centre"] == [47.5, 47.5]
        assert "--locate fixed" in viewer.state["command"] and "--model none" in viewer.state["command"]


# A loop that runs.


async def view_live_loop_is_seen():
    async with Loop("--deadline", 1000000) as loop:
        async with Sending(loop, 2000), Viewer(loop) as viewer:
            await viewer.until(lambda v: v.picture.get("outline", {}).get("area", 0) > 0 and v.picture["counts"]["processed"] > 500)
            state, picture = viewer.state, viewer.picture
            assert state["is_live"] and state["plays"] and not state["controls"], state
            assert sum(picture["bytes"]["pool"]) == picture["outline"]["area"] == picture["features"][0]
            times, counts = picture["times"], picture["counts"]
            assert 0 < times["p50_ns"] <= times["p99_ns"] <= times["p999_ns"] and sum(times["bars"]) == times["n"] > 0
            assert counts["received"] >= counts["processed"] + counts["empty"] and picture["deadline_us"] == 1000000
            assert "frame_u8:" in picture["variant"] and picture["device"] == "cpu" and picture["map_frames"] > 0
            assert state["command"].startswith("saccade meltpool --listen udp://127.0.0.1:0"), state["command"]
            # Held still, it stays; then it follows again.
            await viewer.say("play 0")
            await viewer.until(lambda v: not v.state["plays"])
            viewer.picture = None
            await viewer.say("value mean")
            await viewer.until(lambda v: v.state["value"] == "mean")
            held = viewer.picture["frame"]
            await viewer.say("play 1", "span 20", "density lof")
            await viewer.until(lambda v: v.picture["frame"] > held and v.state["span"] == 20 and v.state["density"] == "lof")
            for message in ("threshold 50", "frame 3", "span 5", "value none"):
                viewer.refusal = None
                await viewer.say(message)
                await viewer.until(lambda v: v.refusal)


async def view_live_loop_writes_the_same_records():
    """What a loop records while it is looked at: its frames give the same records without anybody."""
    async with Loop("-o", "live.csv", "--record", "frames.h5", "--deadline", 0) as loop, Viewer(loop) as viewer:
        sender = asyncio.create_task(send(loop, 3000, 2000))
        for value in ("area", "hog_3", "keyhole", "var_mean") * 5:
            await viewer.say(f"value {value}", "play 0", "play 1", "density lof", "threshold 9")
            await viewer.until(lambda v: v.state["value"] == value) # pylint: disable=cell-var-from-loop
        await sender
        await loop.stop()
    status, _, err = await saccade("meltpool", "frames.h5", "--calibration", "simulated", "-o", "again.csv")
    assert status == 0, err
    seen, again = read_csv("live.csv"), read_csv("again.csv")
    assert len(seen) == len(again) > 0, f"{len(seen)} and {len(again)} records"
    for a, b in zip(seen, again):
        for name, value in b.items():
            assert a[name] == value, f"frame {a['frame']}: {name}: {a[name]} and {value}"


async def view_live_loop_does_not_wait_for_a_viewer_that_stalls():
    """One takes nothing off its line and one is never told what it drew: all frames are worked on, and who takes
    something again sees a new one."""
    async with Loop("--policy", "wait") as loop, Viewer(loop) as silent:
        name, port = loop.authority.split(":")
        reader, writer = await asyncio.open_connection(name, int(port), limit=1 << 12)
        path = loop.address.split("/", 3)[3]
        writer.write((f"GET /{path}socket HTTP/1.1\r\nHost: {loop.authority}\r\nUpgrade: websocket\r\n"
                      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode())
        await within("the upgrade", reader.readuntil(b"\r\n\r\n"))
        reader._transport.pause_reading() # pylint: disable=protected-access
        await send(loop, 20000, 10000)
        async with Viewer(loop) as late: # who comes now sees the newest
            await late.until(lambda v: v.picture["frame"] > 10000 and v.picture["counts"]["processed"] > 10000)
        await silent.until(lambda v: v.picture["frame"] > 10000)
        writer.close()
        report = await loop.stop()
    assert report["received"] == report["processed"] + report["empty"] and report["dropped"] == 0, report


def is_settled(n):
    """So many frames came, and all of them are shown. Few, which fit into a socket's buffer: none is lost."""
    def look(viewer):
        counts = viewer.picture["counts"]
        return counts["received"] == counts["processed"] + counts["empty"] == n and viewer.picture["frame"] == n - 1
    return look


async def view_live_loop_that_pauses_shows_all_that_came():
    """The last frame and the final counts, without any message of a viewer's; one who comes later sees the same."""
    async with Loop("--policy", "wait", "--deadline", 0) as loop, Viewer(loop) as viewer:
        await send(loop, 12, 1000)
        await viewer.until(is_settled(12))
        async with Viewer(loop) as late:
            await late.until(is_settled(12))
        report = await loop.stop()
    for name in ("received", "processed", "empty", "refused", "dropped", "late", "lost"):
        assert viewer.picture["counts"][name] == report[name], f"{name}: {viewer.picture['counts']} {report}"


async def view_live_loop_that_nobody_looked_at_shows_the_last_frame():
    async with Loop("--policy", "wait", "--deadline", 0) as loop:
        await send(loop, 12, 1000)
        async with Viewer(loop) as viewer:
            await viewer.until(is_settled(12))


async def view_live_loop_of_any_urgency_goes_before_its_view():
    """Server, session and who takes records stand behind it: a nice loop, and where it may be had one by real time."""
    for policy, nice in urgencies_to_try():
        with urgency(policy, nice):
            loop = await Loop("--spin", 0).__aenter__()
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_exit(loop)
            viewer = await stack.enter_async_context(Viewer(loop))
            await send(loop, 5, 100)
            await viewer.until(there)
            check_urgencies(loop, policy, nice, 3)


async def view_live_loop_takes_malformed_messages():
    async with Loop() as loop:
        async with Sending(loop, 2000):
            await send_malformed(loop, ("value", "density", "span", "play", "frame", "threshold", "drawn"))
        await send(loop, 100, 2000)
        async with Viewer(loop) as viewer:
            await viewer.say("play 1", "value ratio", "span 2")
            await viewer.until(lambda v: v.state["value"] == "ratio" and v.state["span"] == 2)


async def view_live_loop_without_frames_ends():
    """Nobody sends: the page has a state, and Ctrl-C ends the loop; so does its time."""
    async with Loop() as loop:
        async with loop.socket() as socket:
            state = json.loads(await within("a state", socket.recv()))
            assert state["kind"] == "state" and state["is_live"], state
        await loop.stop()
    async with Loop("--frames", 1) as loop, Viewer(loop):
        await send(loop, 5, 100)
        await within("the loop's end", loop.process.wait())


main(globals())

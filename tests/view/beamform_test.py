"""saccade view of recordings, by its messages, without a browser. beamform_test.py NAME runs one of the tests below,
`--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os

from browser import Server, main, saccade
from malformed import send_malformed
from viewer import GRID, Viewer, close, control, points, read_npy, run_command, simulate, there



async def view_wrong_use_fails():
    with open("clip.y4m", "w") as file:
        file.write("YUV4MPEG2 W2 H2 F25:1\n")
    with open("short.txt", "w") as file:
        file.write("secret\n")
    source = await points()
    for status, text, *arguments in (
            (2, "no input given"),
            (2, "takes one input, got also b.h5", "a.h5", "b.h5"),
            (2, "is not a file of ultrasound channel data", "clip.y4m", "--as", "beamform"),
            (2, "is not a file of ultrasound channel data", "udp://127.0.0.1:5030", "--as", "beamform"),
            (2, "is not a file of ultrasound channel data", "-", "--as", "beamform"),
            (2, "--kind", source, "--kind", "iq"),
            (2, "--host", source, "--host", "example.org"),
            (2, "needs --password-file", source, "--host", "0.0.0.0"),
            (1, " --password-file `none.txt`: No such file", source, "--password-file", "none.txt"),
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


async def view_malformed_messages_do_no_harm():
    async with Server(await points(), "--grid", "-18:18:9,5:45:9", "--threads", 1) as server:
        await send_malformed(server, ("f-number", "apodization", "frame", "point", "cyst", "drawn", "device", "variant", "rate", "play",
                                      "threads 1"))
        async with Viewer(server) as viewer: # it serves as before
            await viewer.say("apodization hann", "variant ", "f-number 2") # which nonsense may have been
            await viewer.until(lambda v: control(v.state, "f-number") == "2" and not v.state["error"])


main(globals())

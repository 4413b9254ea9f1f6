"""saccade view of pictures and videos as equalize, by its messages and in a browser. equalize_test.py NAME runs one of the
tests below, `--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os

from browser import Browser, Server, main, saccade
from clips import H, W, clip, frame_of, header, raw_clip, read_pnm, y4m_frame
from malformed import send_malformed
from viewer import SHOWN, Viewer, control, run_command, there


def picture(path="picture.ppm", i=0):
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (W, H) + frame_of(i))
    return path


async def view_equalize_wrong_use_fails():
    picture()
    with open("short.ppm", "wb") as file:
        file.write(b"P6\n4 4\n255\n1234")
    with open("deep.pgm", "wb") as file:
        file.write(b"P5\n2 2\n65535\n12345678")
    for status, text, *arguments in (
            (2, "no input given", "--as", "equalize"),
            (2, "--clip", "picture.ppm", "--clip", "-1"),
            (2, "unknown option --threshold", "picture.ppm", "--threshold", "1"),
            (2, "unknown option --clahe", "picture.ppm", "--as", "motion", "--clahe", "8"),
            (2, "bins", "picture.ppm", "--bins", "1"),
            (1, "short.ppm", "short.ppm"),
            (1, "deep.pgm", "deep.pgm"),
            (1, "none.png", "none.png")):
        got, out, err = await saccade("view", *arguments)
        assert got == status and text in err and err.count("\n") == 1 and not out, f"{arguments}: {got} {err}"


async def view_equalize_command_writes_the_same_picture():
    raw_clip("clip.gray", channels=1)
    for arguments, messages in (
            ([picture()], []),
            (["picture.ppm", "--scale", "minmax"], ["bins 64", "variant ref", "threads 1"]),
            (["picture.ppm", "--bins", 16], ["clahe 4", "clip 1.5"]),
            (["picture.ppm"], ["bins 3000"]),
            ([clip(), "--as", "equalize"], ["clahe 4", "clip 3.5", "frame 3"]),
            (["clip.y4m", "--as", "equalize", "--smooth", 0.75], ["frame 5", "scale max"]),
            (["clip.gray", "--as", "equalize", "--size", f"{W}x{H}"], ["frame 1"])):
        async with Server(*arguments) as server, Viewer(server) as viewer:
            values = dict(message.split(" ") for message in messages)
            frame = int(values.get("frame", 0))
            await viewer.say(*messages)
            await viewer.until(lambda v: not v.state["error"] and v.picture["frame"] == frame # pylint: disable=cell-var-from-loop
                               and all(control(v.state, k) == x for k, x in values.items() if k != "frame")) # pylint: disable=cell-var-from-loop
            async with Viewer(server) as other: # the state follows its picture: who comes now gets that one
                await other.until(there)
                state, shown = other.state, other.picture
        name = "out-" + state["command"].split(" ")[-1]
        await run_command(state["command"], name)
        w, h, samples = read_pnm(name % frame if "%" in name else name)
        assert (w, h) == (W, H) and samples == shown["bytes"]["after"], f"{arguments} {messages}"
        assert len(shown["before"]) <= 256 and sum(shown["before"]) == sum(shown["after"]) == W * H, shown


async def view_equalize_histograms_are_those_of_stats():
    async with Server(picture()) as server, Viewer(server) as viewer:
        await viewer.until(lambda v: v.state["pipeline"] == "equalize")
        shown, command = viewer.picture, viewer.state["command"]
    status, out, err = await saccade(*command.split(" ")[1:-2], "-o", "out.ppm", "--stats", "-")
    assert status == 0, err
    row = json.loads(out)["rows"][0]
    assert row["before"]["counts"] == shown["before"] and row["after"]["counts"] == shown["after"]


async def view_equalize_smooths_in_order():
    """Whatever was looked at before: as if it had been played from the first frame on."""
    async with Server(clip(), "--as", "equalize", "--smooth", 0.9) as server, Viewer(server) as viewer:
        seen = {}
        for frame in (0, 1, 4, 5, 2, 4, 0, 1, 5):
            await viewer.say(f"frame {frame}")
            await viewer.until(lambda v: v.state["frame"] == v.picture["frame"] == frame) # pylint: disable=cell-var-from-loop
            assert seen.setdefault(frame, viewer.picture["bytes"]) == viewer.picture["bytes"], frame


async def view_equalize_pipe_is_followed():
    async with Server("-", "--as", "equalize", stdin=header() + y4m_frame(0)) as server, Viewer(server) as viewer:
        for i in range(1, 4):
            server.process.stdin.write(y4m_frame(i))
            await viewer.until(lambda v: v.picture["frame"] == i) # pylint: disable=cell-var-from-loop
        server.process.stdin.close()
        await viewer.until(lambda v: v.state["has_ended"])


async def view_equalize_malformed_messages_do_no_harm():
    async with Server(clip(), "--as", "equalize", "--threads", 1) as server:
        await send_malformed(server, ("clahe", "clip", "bins", "smooth", "scale", "frame", "step", "drawn", "rate", "play"))
        async with Viewer(server) as viewer:
            await viewer.say("clahe 0", "bins 0", "clip 3")
            await viewer.until(lambda v: control(v.state, "clip") == "3" and not v.state["error"])


async def view_equalize_controls_do_what_they_say():
    async with Server(clip(), "--as", "equalize") as server, Browser(1500, 860) as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN + " && viewed.state.controls.find((c) => c.name === 'variant').choices.length > 1")
        assert await page.run("viewed.panels.map((p) => p.info.name).join()") == "before,after"

        async def sets(name, value, event="change", changes=True):
            pixels = "viewed.picture.panels.map((p) => p.levels.reduce((a, b) => (a * 31 + b) % 1000003, 7)).join()"
            before = await page.run(pixels)
            await page.set(f"#option-{name}", value, event)
            await page.until(f"viewed.state.controls.find((c) => c.name === '{name}').value === '{value}'"
                             + (f" && {pixels} !== '{before}'" if changes else ""), name)

        await sets("scale", "max")
        await sets("bins", 16, "input")
        await page.until("viewed.picture.before.length === 16 && /of 16 bins used/.test(document.getElementById('measures').textContent)")
        await sets("clahe", "4") # of tiles of 108 pixels, which a limit of 16 bins is for
        await sets("clip", 1, "input")
        await sets("smooth", 0.5, "input", changes=False)
        await sets("threads", 1, "input", changes=False)
        await sets("device", "cpu", changes=False)
        await sets("variant", "ref", changes=False)
        await page.set("#frame", 4, "input")
        await page.until("viewed.picture.frame === 4 && viewed.picture.variant.includes(':ref')")
        await run_command(await page.run("viewed.state.command"), "out-%04d.ppm")
        _, _, samples = read_pnm("out-0004.ppm")
        shown = await page.run("Array.from(viewed.panels[1].pixels.data).filter((_, i) => i % 4 < 3)")
        assert bytes(shown) == samples
        assert await page.run("document.querySelectorAll('#charts .uplot').length") == 2 * await page.run("+(typeof window.uPlot === 'function')")
        await page.run("document.querySelector('#panels canvas').focus()")
        await page.press("ArrowLeft")
        await page.until("/^x 23, y 18: before \\d+ \\d+ \\d+, after \\d+ /.test(document.getElementById('cursor').textContent)")
        if "VIEW_DOCS" in os.environ:
            await page.screenshot(os.path.join(os.environ["VIEW_DOCS"], "view-equalize.webp"))


main(globals())

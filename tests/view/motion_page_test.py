"""saccade view of videos as motion in a browser. motion_page_test.py NAME runs one of the tests below, `--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import os
import struct

from browser import Browser, Server, main, within
from clips import W, clip, header, read_pnm, run_lines, y4m_frame
from viewer import SHOWN

NAMES = "viewed.panels.map((p) => p.info.name).join()"


def text_of(name):
    return f"document.getElementById('{name}').textContent"


async def same_as_commands(page, what):
    """What the panels' canvases hold, against what the page's commands write."""
    frame = await page.run("viewed.picture.frame")
    names = await run_lines(await page.run(text_of("command")))
    for panel, name in (("heat map", "heatmap"), ("noise", "noise")):
        _, _, samples = read_pnm(names[name] % frame)
        shown = await page.run(f"""(() => {{ const p = viewed.panels.find((p) => p.info.name === '{panel}');
            return Array.from(p.pixels.data).filter((_, i) => i % 4 < 3); }})()""")
        assert bytes(shown) == samples, f"{what}: {panel}"


async def view_motion_controls_do_what_they_say():
    async with Server(clip()) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN + " && viewed.state.controls.find((c) => c.name === 'variant').choices.length > 1")
        assert await page.run(NAMES) == "original,heat map,noise"
        await page.set("#frame", 3, "input")
        await page.until("viewed.picture.frame === 3 && document.getElementById('frame-number').textContent === '3 of 5'")

        async def sets(name, value, event="change"):
            pixels = "viewed.picture.panels.map((p) => p.levels.reduce((a, b) => (a * 31 + b) % 1000003, 7)).join()"
            before = await page.run(pixels)
            await page.set(f"#option-{name}", value, event)
            await page.until(f"viewed.state.controls.find((c) => c.name === '{name}').value === '{value}' && {pixels} !== '{before}'", name)

        await sets("threshold", 2, "input")
        await page.until(f"/changed by more than 2\\d+ pixels/.test({text_of('measures')})")
        await sets("map", "turbo")
        await sets("scale", 90, "input")
        await sets("view", "overlay")
        await sets("denoise", "median")
        await page.until(f"{NAMES} === 'original,denoised,heat map,noise'")
        await page.set("#option-threads", 1, "input")
        await page.set("#option-device", "cpu")
        await page.set("#option-variant", "ref")
        await page.until(f"/for heat map and noise view.*, cpu, heat_u8:ref noise_u8:ref/.test({text_of('status')})")
        await page.until(f"{text_of('command')}.includes('--threads 1 --variant ref')")
        await same_as_commands(page, "all controls")
        for button, frame in (("step", 4), ("step", 5), ("step", 0), ("back", 5)):
            await page.run(f"document.getElementById('{button}').click()")
            await page.until(f"viewed.picture.frame === {frame}", button)
        await page.set("#rate", 200)
        await page.until("viewed.state.rate_hz === 200")
        await page.run("document.getElementById('play').click()")
        for frame in (0, 3, 5, 1):
            await page.until(f"viewed.picture.frame === {frame}")
        await page.set("#loop", False)
        await page.until("!viewed.state.loops && !viewed.state.plays && viewed.picture.frame === 5")
        await page.set("#step-of", "2")
        await page.until(f"viewed.picture.panels[0].w === {W // 2} && viewed.panels[0].info.title.includes('each 2nd pixel')")
        await page.set("#zoom", "1")
        await page.until("viewed.panels[0].w > 600")
        # A pixel under the cursor, with the keys and the same in each panel.
        await page.set("#step-of", "1")
        await page.until(f"viewed.picture.panels[0].w === {W}")
        await page.run("document.querySelector('#panels canvas').focus()")
        await page.press("ArrowRight")
        await page.until(f"/^x 25, y 18: original \\d+ \\d+ \\d+, denoised .*, heat map .*, noise \\d/.test({text_of('cursor')})")
        await page.until("viewed.panels[2].cursor[0] === 25")


async def across_reloads(page, condition):
    """Until the condition holds, of whichever page there is."""

    async def look():
        while True:
            try:
                if await page.run(f"Boolean({condition})"):
                    return
            except AssertionError: # that page is gone, or is not there yet
                pass

    await within(condition, look())


async def view_motion_page_is_loaded_again_where_it_must():
    """A part of it that did not come is said to lack; another kind of source at its address has another page."""
    async with Server(clip()) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        await page.call("Network.enable")
        await page.call("Network.setCacheDisabled", cacheDisabled=True)
        await page.call("Network.setBlockedURLs", urls=["*motion.js*"])
        await page.call("Page.reload")
        await across_reloads(page, f"/loaded again/.test({text_of('trouble')})")
        await page.call("Network.setBlockedURLs", urls=[])
        await across_reloads(page, SHOWN + " && document.getElementById('trouble').hidden")
        page.errors.clear()
        await page.run("""window.isOld = true; JSON.parse = ((parse) => (text) => {
            const message = parse(text); return message.kind === 'state' ? { ...message, pipeline: 'other' } : message; })(JSON.parse)""")
        await page.set("#frame", 3, "input")
        await across_reloads(page, SHOWN + " && !window.isOld && viewed.picture.frame === 3")


async def view_motion_page_shows_a_delta_stream():
    async with Server(clip()) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        await page.set("#stream", True)
        await page.until("viewed.picture.delta")
        if "no zstd" in str(await page.run("viewed.picture.delta.error")):
            return
        await page.set("#rate", 100)
        await page.run("document.getElementById('play').click()")
        await page.until("viewed.picture.delta.sizes.length === 6")
        await page.until(f"/bytes in 6 frames, .* Mbit.s, .* times smaller than raw, 1 keyframe,/.test({text_of('measures')})")
        assert await page.run("document.querySelectorAll('#charts .uplot').length") == await page.run("+(typeof window.uPlot === 'function')")
        assert "saccade delta encode clip.y4m -o stream.sdv" in await page.run(text_of("command"))
        await page.set("#stream", False)
        await page.until("!viewed.picture.delta && document.querySelectorAll('#charts .uplot').length === 0")


async def view_motion_page_saves_and_fits():
    """PNG and SVG of each panel; every control has a name; the page is small."""
    async with Server(clip()) as server, Browser() as browser:
        page = await browser.page(server.address, dark=True)
        await page.until(SHOWN)
        await page.call("Page.setBypassCSP", enabled=True) # for the test to fetch what is saved
        await page.call("Page.reload")
        await page.until(SHOWN)
        await page.run("""(() => { window.saved = {}; HTMLAnchorElement.prototype.click = function () {
            fetch(this.href).then((r) => r.blob()).then((b) => { const reader = new FileReader();
                reader.onload = () => { window.saved[this.download] = reader.result.split(',')[1]; };
                reader.readAsDataURL(b); }); }; })()""")
        for ending in ("png", "svg"):
            await page.run(f"document.getElementById('save-{ending}').click()")
        await page.until("Object.keys(window.saved).length === 6")
        png = base64.b64decode(await page.run("window.saved['picture-1.png']"))
        size = await page.run("[viewed.panels[1].canvas.width, viewed.panels[1].canvas.height]")
        assert png[:8] == b"\x89PNG\r\n\x1a\n" and list(struct.unpack(">II", png[16:24])) == size
        assert b"heat map" in base64.b64decode(await page.run("window.saved['picture-1.svg']"))
        nameless = await page.run("""[...document.querySelectorAll('input, select, button, canvas[tabindex]')].filter((e) =>
            !(e.labels?.length || e.ariaLabel || e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML)""")
        assert not nameless, nameless
        total = await page.run("Promise.all(performance.getEntriesByType('resource').map((e) => fetch(e.name)"
                               ".then((r) => r.arrayBuffer()).then((b) => b.byteLength).catch(() => 0)))")
        assert sum(total) + 8192 <= 300000, total


async def view_motion_page_follows_a_pipe():
    async with Server("-", stdin=header() + y4m_frame(0)) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        assert await page.run("['frame', 'step', 'back', 'rate', 'loop'].every((id) => document.getElementById(id).disabled)")
        for i in range(1, 4):
            server.process.stdin.write(y4m_frame(i))
            await page.until(f"viewed.picture.frame === {i} && {text_of('frame-number')} === '{i}'")
        await page.run("document.getElementById('play').click()")
        await page.until("!viewed.state.plays")
        server.process.stdin.write(y4m_frame(4))
        await page.run("document.getElementById('play').click()")
        await page.until(f"viewed.picture.frame === 4 && /5 frames came, \\d were not viewed/.test({text_of('measures')})")
        server.process.stdin.close()
        await page.until("viewed.state.has_ended")


async def view_motion_page_is_as_it_was():
    """A picture of the page for docs/, where VIEW_DOCS names a folder; panels beside each other, each in its place."""
    with open("clip.y4m", "wb") as file:
        file.write(header(192, 144) + b"".join(y4m_frame(i, 192, 144, 2) for i in range(8)))
    async with Server("clip.y4m", "--threshold", 7) as server, Browser(1500, 860) as browser:
        page = await browser.page(server.address)
        await page.until(SHOWN)
        await page.set("#stream", True)
        await page.set("#rate", 100)
        await page.set("#loop", False)
        await page.run("document.getElementById('play').click()")
        await page.until("viewed.picture.frame === 7 && !viewed.state.plays")
        await page.run("scrollTo(0, 0)")
        await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if "VIEW_DOCS" in os.environ:
            await page.screenshot(os.path.join(os.environ["VIEW_DOCS"], "view-motion.webp"))
        tops = await page.run("viewed.panels.map((p) => p.canvas.getBoundingClientRect().top)")
        assert tops[0] == tops[1], tops
        # A gray pixel of the screen is that of the video, scaled without mixing.
        shown = await page.run("""(() => { const p = viewed.panels[0], [x, y] = p.toPixels(96, 72);
            return [[...p.canvas.getContext('2d').getImageData(x + 1, y + 1, 1, 1).data].slice(0, 3),
                [...p.info.levels.subarray(3 * (72 * 192 + 96), 3 * (72 * 192 + 96) + 3)]]; })()""")
        assert max(abs(a - b) for a, b in zip(*shown)) <= 24, shown


main(globals())

"""saccade view of a melt pool's frames in a browser, of files and of a loop that runs. meltpool_page_test.py NAME runs
one of the tests below, `--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import os
import struct

from browser import Browser, Server, main
from loop import Loop, Sending, build
from viewer import SHOWN

DONE = SHOWN + " && viewed.picture.n_done === viewed.state.n_frames && viewed.picture.begun === viewed.state.begun"


async def view_meltpool_controls_do_what_they_say():
    async with Server(await build()) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(DONE + " && viewed.state.controls.find((c) => c.name === 'variant').choices.length > 1")

        async def sets(selector, value, condition, event="change"):
            await page.set(selector, value, event)
            await page.until(f"{condition} && {DONE}", f"{selector} {value}")

        async def option(name, value, event="change", also="true"):
            begun = await page.run("viewed.state.begun")
            await sets(f"#option-{name}", value, f"viewed.state.controls.find((c) => c.name === '{name}').value === '{str(value).lower()}'"
                       f" && viewed.state.begun > {begun} && ({also})", event)

        await sets("#frame", 77, "viewed.picture.frame === 77 && viewed.picture.outline.area > 0", "input")
        area = await page.run("viewed.picture.features[0]")
        await option("threshold", 90, "input", f"viewed.picture.features[0] < {area}")
        await option("roi", 24, "input", "viewed.picture.panels.find((p) => p.name === 'pool').w === 24")
        await option("roi-align", 1, "input")
        await option("window", 8, "input")
        await option("spatter-min", 4, "input")
        await option("gap-reset", 0.002, "input")
        await option("locate", "fixed", also="viewed.picture.outline.centre[0] === 47.5")
        await option("fixed-x", 60, "input", "viewed.picture.outline.centre[0] === 60")
        await option("fixed-y", 30, "input", "viewed.picture.outline.centre[1] === 30")
        await option("static-roi", True)
        await option("scan-frame", True)
        await option("locate", "brightest")
        variant = await page.run("viewed.state.controls.find((c) => c.name === 'variant').choices[1]")
        await option("variant", variant, also=f"viewed.picture.variant.includes(':{variant}')")
        await page.set("#option-device", "cpu")
        command = await page.run("document.getElementById('command').textContent")
        for part in ("--threshold 90", "--roi 24", "--locate brightest", "--static-roi", f"--variant {variant}"):
            assert part in command, command
        for value in ("hog_3", "keyhole", "area"):
            await sets("#value", value, f"viewed.state.value === '{value}'")
        for density in ("lof", "keyhole", "both"):
            await sets("#density", density, f"viewed.state.density === '{density}'")
        await sets("#colors", "gray", "viewed.panels[1].look.map === 'gray'")
        await sets("#drawn", False, "!viewed.panels[0].look.marks.length")
        await sets("#drawn", True, "viewed.panels[0].look.marks.length >= 2")
        assert await page.run("document.getElementById('made').textContent") == "1500 of 1500 frames"
        assert not await page.run("document.getElementById('span-row').offsetHeight")
        for button, frame in (("step", 78), ("back", 77)):
            await page.run(f"document.getElementById('{button}').click()")
            await page.until(f"viewed.picture.frame === {frame}", button)
        await sets("#rate", 1000, "viewed.state.rate_hz === 1000")
        await sets("#frame", 1480, "viewed.picture.frame === 1480", "input")
        await sets("#loop", False, "!viewed.state.loops")
        await page.run("document.getElementById('play').click()")
        await page.until("!viewed.state.plays && viewed.picture.frame === 1499")
        # What the server refuses comes back, with the reason.
        await page.set("#option-roi", 128, "input")
        await page.until("document.getElementById('trouble').textContent.includes('128')")
        await page.until("document.querySelector('#option-roi').value === '24'")


async def view_meltpool_page_saves_and_fits():
    """What the canvas shows, as PNG and SVG; and page and scripts together."""
    async with Server(await build(frames=600)) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.call("Page.setBypassCSP", enabled=True) # a page may not fetch its own blobs: the test may
        await page.call("Page.reload")
        await page.until(DONE)
        await page.run("""(() => { window.saved = {}; HTMLAnchorElement.prototype.click = function () {
            fetch(this.href).then((r) => r.blob()).then((b) => { const reader = new FileReader();
                reader.onload = () => { window.saved[this.download] = reader.result.split(',')[1]; };
                reader.readAsDataURL(b); }); }; })()""")
        for button in ("save-png", "save-svg"):
            await page.run(f"document.getElementById('{button}').click()")
        await page.until("Object.keys(window.saved).length === 6")
        png = base64.b64decode(await page.run("window.saved['picture-0.png']"))
        size = await page.run("[viewed.panels[0].canvas.width, viewed.panels[0].canvas.height]")
        assert png[:8] == b"\x89PNG\r\n\x1a\n" and list(struct.unpack(">II", png[16:24])) == size
        svg = base64.b64decode(await page.run("window.saved['picture-0.svg']")).decode()
        assert svg.count("<polyline") == 4 and "frame 0" in svg, svg[:500] # the ROI and the ellipse, each with its edge
        total = await page.run("Promise.all(performance.getEntriesByType('resource').map((e) => fetch(e.name)"
                               ".then((r) => r.arrayBuffer()).then((b) => b.byteLength).catch(() => 0)))")
        assert sum(total) + 8192 <= 300000, total


async def view_meltpool_cursor_reads_pixels_and_cells():
    async with Server(await build(frames=600)) as server, Browser() as browser:
        page = await browser.page(server.address)
        await page.until(DONE)
        await page.click_panel(20, 31)
        level = await page.run("viewed.picture.panels[0].levels[31 * 96 + 20]")
        await page.until(f"document.getElementById('cursor').textContent === 'column, row 20, 31: {level}'")
        await page.press("ArrowRight")
        await page.until("document.getElementById('cursor').textContent.startsWith('column, row 21, 31: ')")
        x, y = await page.run("[viewed.panels[1].info.left, viewed.panels[1].info.bottom]")
        await page.click_panel(x, y, 1)
        await page.until("/^x, y -?\\d.*: (no frame was there|[\\d.]+ .*mm²)$/.test(document.getElementById('cursor').textContent)")


async def view_live_page_follows_and_holds():
    async with Loop() as loop, Sending(loop, 2000), Browser() as browser:
        page = await browser.page(loop.address)
        await page.until(SHOWN + " && viewed.picture.counts.processed > 200")
        assert await page.run("document.getElementById('options').offsetHeight") == 0
        assert await page.run("document.getElementById('frame').disabled && !document.getElementById('play').disabled")
        await page.set("#span", 20)
        await page.until("viewed.state.span === 20 && viewed.picture.width_s > 0.03")
        await page.set("#value", "ratio")
        await page.until("viewed.state.value === 'ratio'")
        frame = await page.run("viewed.picture.frame")
        await page.until(f"viewed.picture.frame > {frame}")
        await page.run("document.getElementById('play').click()")
        await page.until("!viewed.state.plays && document.getElementById('play').textContent === 'Play'")
        await page.run("document.getElementById('play').click()")
        frame = await page.run("viewed.picture.frame")
        await page.until(f"viewed.state.plays && viewed.picture.frame > {frame}")
        text = "document.getElementById('measures').textContent"
        await page.until(f"/latencyp50 .*p99 .*p99.9 /.test({text}) && /deadline 10 ms/.test({text}) && /\\d+ received, \\d+ processed/.test({text})")


async def view_meltpool_page_is_as_it_was():
    """The frame on the screen is the file's, tinted where the pool is; and the page's picture for docs/, where VIEW_DOCS
    names a folder."""
    async with Server(await build("build.h5", 16796)) as server, Browser(1400, 980) as browser:
        page = await browser.page(server.address)
        await page.until(DONE)
        await page.set("#frame", 9000, "input")
        await page.until("viewed.picture.frame === 9000 && viewed.picture.outline && document.getElementById('measures').textContent")
        await page.run("scrollTo(0, 0)")
        await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if "VIEW_DOCS" in os.environ:
            await page.screenshot(os.path.join(os.environ["VIEW_DOCS"], "view-meltpool.webp"))
        wrong = await page.run("""(() => { const p = viewed.panels[0], pool = viewed.picture.panels.find((q) => q.name === 'pool');
            const [x0, y0] = viewed.picture.outline.roi, { levels, w } = p.info; let wrong = 0;
            for (let i = 0; i < levels.length; i++) {
                const x = i % w - x0, y = Math.floor(i / w) - y0, inside = x >= 0 && y >= 0 && x < pool.w && y < pool.h;
                const isPool = inside && pool.levels[y * pool.w + x], red = p.words[i] & 255, blue = p.words[i] >> 16 & 255;
                wrong += isPool ? red < 96 || blue !== levels[i] >> 1 : red !== levels[i] || blue !== levels[i];
            }
            return wrong; })()""")
        assert wrong == 0, f"{wrong} pixels are others"


main(globals())

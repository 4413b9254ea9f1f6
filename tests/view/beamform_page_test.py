"""saccade view of recordings in a browser. beamform_page_test.py NAME runs one of the tests below, `--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import os
import struct

from browser import Browser, Server, main
from viewer import GRID, SHOWN, close, points, read_npy, run_command, simulate



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
            `: ${((([x, y]) => (viewed.panels[0].info.levels[y * viewed.panels[0].info.w + x] / 65535 - 1) * viewed.picture.range_db)(viewed.panels[0].nearest(...viewed.panels[0].cursor))).toFixed(1)} dB`)""")
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


main(globals())

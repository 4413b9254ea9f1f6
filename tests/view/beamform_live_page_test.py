"""The view of saccade beamform --listen in a browser. beamform_live_page_test.py NAME runs one of the tests below,
`--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

from browser import Browser, main
from listener import Listener, sending
from viewer import GRID, SHOWN, points, simulate


def text_of(name):
    return f"document.getElementById('{name}').textContent"


async def click(page, name):
    await page.run(f"document.getElementById('{name}').click()")


async def goes_on(page):
    frame = await page.run("viewed.picture.frame")
    await page.until(f"viewed.picture.frame > {frame} + 3")


async def view_beamform_live_page_follows_and_holds():
    source = await points()
    async with Listener("--like", source, "--grid", GRID) as listener, Browser() as browser:
        page = await browser.page(listener.address)
        await page.until(f"{text_of('status')} === 'no frame came yet' && viewed.state.is_live")
        async with sending(listener, source):
            await page.until(SHOWN + " && viewed.picture.live.processed > 3")
            assert await page.run(f"{text_of('source')} === 'udp://127.0.0.1:0' && !document.getElementById('own').hidden")
            assert await page.run("document.getElementById('frame').disabled && !document.getElementById('play').disabled")
            assert await page.run(f"{text_of('command')}.startsWith('saccade beamform --listen udp://127.0.0.1:0 --like points.h5')")
            await page.until(f"/to beamform.*cpu, .*das_iq_f32:.* dropped. Frames: \\d+ received, \\d+ processed, 0 refused, \\d+ dropped, "
                             f"\\d+ late, 0 lost, \\d+ not shown; latency p50 [\\d.e+]+ ms, p99 [\\d.e+]+ ms/.test({text_of('status')})")
            await page.set("#option-f-number", "1.2", "input") # a slider, while frames come
            await page.until("viewed.state.controls.find((c) => c.name === 'f-number').value === '1.2'")
            await goes_on(page)
            await page.set("#option-lri", True)
            await page.set("#transmit", 2)
            await page.until("viewed.picture.transmit === 2")
            await page.set("#delays", True)
            await page.click_panel(-5, 25)
            await page.until(f"viewed.picture.delays_us && {text_of('measures')}.includes('width at -6 dB')")
            await goes_on(page)
            await click(page, "play")
            await page.until(f"!viewed.state.plays && {text_of('play')} === 'Play'")
            for _ in range(2): # the first pictures may have been on their way
                held, n = await page.run("[viewed.picture.frame, viewed.picture.live.processed]")
                await page.until(f"viewed.picture.live.processed > {n} + 5")
            assert await page.run("viewed.picture.frame") == held and await page.run(text_of("frame-number")) == str(held)
            await page.set("#option-f-number", "3", "input")
            await page.until("viewed.picture.open_ns > 0")
            assert await page.run("viewed.picture.frame") == held
            await page.run("viewed.panels[0].canvas.focus()")
            await page.press("ArrowRight")
            await page.until(f"/x .* mm, z .* mm: .* dB/.test({text_of('cursor')})")
            await click(page, "play")
            await page.until(f"viewed.state.plays && viewed.picture.frame > {held} && {text_of('play')} === 'Pause'")


async def view_beamform_live_page_shows_a_volume():
    """Three planes and the maximum of a row-column array's, which follow the point and the frames."""
    source = await simulate("volume.h5", "--array", "row-column", "--elements", "16", "--transmits", "plane:2:10", "--frames", 2)
    async with Listener("--like", source, "--grid3", "-3:3:31,-2:2:21,10:30:81") as listener, Browser() as browser:
        page = await browser.page(listener.address)
        async with sending(listener, source, rate=10):
            await page.until("viewed.picture && viewed.panels.length === 4")
            names = await page.run("viewed.picture.panels.map((p) => p.name).join()")
            assert names == "plane x z,plane y z,plane x y,maximum along y", names
            await goes_on(page)
            await page.click_panel(1, 20)
            await page.until("viewed.picture.panels[1].at === 1 && viewed.picture.panels[2].at === 20 && viewed.picture.point")
            await goes_on(page)


main(globals())

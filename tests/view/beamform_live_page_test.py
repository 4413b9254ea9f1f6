"""The view of saccade beamform --listen in a browser. beamform_live_page_test.py NAME runs one of the tests below,
`--list` names them.

SPDX-License-Identifier: Apache-2.0
"""

from browser import Browser, main
from listener import ECHOES, Listener, echoes, sending, volumes
from viewer import SHOWN


LEVELS = "viewed.picture.panels[0].levels.reduce((a, b) => (a * 31 + b) % 1000003, 7)"


def text_of(name):
    return f"document.getElementById('{name}').textContent"


async def click(page, name):
    await page.run(f"document.getElementById('{name}').click()")


async def goes_on(page):
    frame = await page.run("viewed.picture.frame")
    await page.until(f"viewed.picture.frame > {frame} + 3")


async def view_beamform_live_page_follows_and_holds():
    source = await echoes()
    async with Listener("--like", source, "--grid", ECHOES) as listener, Browser() as browser:
        page = await browser.page(listener.address)
        await page.until(f"{text_of('status')} === 'no frame came yet' && viewed.state.is_live")
        async with sending(listener, source):
            await page.until(SHOWN + " && viewed.picture.live.processed > 3")
            assert await page.run(f"{text_of('source')} === 'udp://127.0.0.1:0' && !document.getElementById('own').hidden")
            assert await page.run("document.getElementById('frame').disabled && !document.getElementById('play').disabled")
            assert await page.run(f"{text_of('command')}.startsWith('saccade beamform --listen udp://127.0.0.1:0 --like echoes.h5')")
            await page.until(f"/to beamform.*cpu, .*das_iq_f32:.* dropped. Frames: \\d+ received, \\d+ processed, \\d+ refused, \\d+ dropped, "
                             f"\\d+ late, \\d+ lost, \\d+ not shown; latency p50 [\\d.e+]+ ms, p99 [\\d.e+]+ ms/.test({text_of('status')})")
            await page.set("#option-f-number", "1.2", "input") # a slider, while frames come
            await page.until("viewed.state.controls.find((c) => c.name === 'f-number').value === '1.2'")
            await goes_on(page)
            await page.set("#option-lri", True)
            await page.set("#transmit", 1)
            await page.until("viewed.picture.transmit === 1")
            await page.set("#delays", True)
            await page.click_panel(1, 8.5)
            await page.until(f"viewed.picture.delays_us && {text_of('measures')}.includes('width at -6 dB')")
            await goes_on(page)
            await click(page, "play")
            await page.until(f"!viewed.state.plays && {text_of('play')} === 'Play'")
            for _ in range(2): # the first pictures may have been on their way
                held, n = await page.run("[viewed.picture.frame, viewed.picture.live.processed]")
                await page.until(f"viewed.picture.live.processed > {n} + 5")
            assert await page.run("viewed.picture.frame") == held and await page.run(text_of("frame-number")) == str(held)
            levels = await page.run(LEVELS)
            await page.set("#option-f-number", "3", "input")
            await page.until(f"{LEVELS} !== {levels}")
            assert await page.run("viewed.picture.frame") == held
            await page.run("viewed.panels[0].canvas.focus()")
            await page.press("ArrowRight")
            await page.until(f"/x .* mm, z .* mm: .* dB/.test({text_of('cursor')})")
            await click(page, "play")
            await page.until(f"viewed.state.plays && viewed.picture.frame > {held} && {text_of('play')} === 'Pause'")


async def view_beamform_live_page_shows_a_volume():
    """Three planes and the maximum of a row-column array's, which follow the point and the frames."""
    source = await volumes()
    async with Listener("--like", source, "--grid3", "-1:1:41,-1:1:21,8:12:81") as listener, Browser() as browser:
        page = await browser.page(listener.address)
        async with sending(listener, source, rate=10):
            await page.until("viewed.picture && viewed.panels.length === 4")
            names = await page.run("viewed.picture.panels.map((p) => p.name).join()")
            assert names == "plane x z,plane y z,plane x y,maximum along y", names
            await goes_on(page)
            await page.click_panel(0.5, 10)
            await page.until("viewed.picture.panels[1].at === 0.5 && viewed.picture.panels[2].at === 10 && viewed.picture.point")
            await goes_on(page)


main(globals())

"""A server of `saccade view`, a headless Chromium on its page, and the waits between them.

Every wait has a deadline and a condition; nothing sleeps for a time.
SPDX-License-Identifier: Apache-2.0
"""

import asyncio
import base64
import itertools
import json
import os
import shutil
import signal
import sys
import tempfile

DEADLINE_S = 120  # a machine under load, with sanitizers
SACCADE = os.environ["SACCADE"]


def skip(why):
    print(f"SKIPPED: {why}", flush=True)
    sys.exit(77)


try:
    import websockets
except ImportError:
    skip("no python3-websockets")


def find_chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


async def within(what, awaitable, seconds=DEADLINE_S):
    try:
        return await asyncio.wait_for(awaitable, seconds)
    except asyncio.TimeoutError:
        raise AssertionError(f"{what}: not within {seconds} s") from None


async def saccade(*arguments, stdin=None, stdout=asyncio.subprocess.PIPE):
    """Runs the command to its end: status, standard output, standard error."""
    process = await asyncio.create_subprocess_exec(SACCADE, *map(str, arguments), stdin=stdin, stdout=stdout,
                                                   stderr=asyncio.subprocess.PIPE)
    out, err = await within(f"saccade {arguments[0]}", process.communicate())
    return process.returncode, (out or b"").decode(), err.decode()


class Server:
    """`saccade view` with these arguments. `stdin` is written to by who asks for it; `status` is what it ends with."""

    def __init__(self, *arguments, stdin=False, status=0):
        self.arguments, self.stdin, self.status = arguments, stdin, status

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            SACCADE, "view", *map(str, self.arguments), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            stdin=asyncio.subprocess.PIPE if self.stdin else asyncio.subprocess.DEVNULL)
        if self.stdin: # so that it has a first frame
            self.process.stdin.write(self.stdin)
            await self.process.stdin.drain()
        line = (await within("the server's address", self.process.stdout.readline())).decode()
        if not line:
            raise AssertionError((await self.process.stderr.read()).decode())
        self.address = line.split(" ")[0]
        self.authority = self.address.split("/")[2]
        return self

    async def __aexit__(self, kind, *rest):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            out, err = await within("the server's end", self.process.communicate())
        except AssertionError:
            self.process.kill()
            raise
        self.out, self.err = out.decode(), err.decode()
        if kind is None and (self.process.returncode != self.status or bool(self.err) != bool(self.status)):
            raise AssertionError(f"saccade view: {self.process.returncode}: {self.err}")

    def rss_bytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))

    def socket(self, address=None, **options):
        url = (address or self.address).replace("http", "ws") + "socket"
        return websockets.connect(url, max_size=None, open_timeout=DEADLINE_S, ping_interval=None, **options)

    async def request(self, path, method="GET", host=None, **headers):
        """Status, headers and body of an answer, by HTTP as it stands."""
        name, port = self.authority.split(":")
        reader, writer = await asyncio.open_connection(name, int(port))
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or self.authority}",
                 f"Connection: {'Upgrade' if 'Upgrade' in headers else 'close'}"]
        lines += [f"{key.replace('_', '-')}: {value}" for key, value in headers.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = await within(f"{method} {path}", reader.read())
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in rest if ": " in line)
        return int(first.split(" ")[1]), fields, body


class Page:
    """A tab; what it logs as an error is in `errors`."""

    def __init__(self, socket):
        self.socket, self.errors, self.numbers, self.answers = socket, [], itertools.count(1), {}
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                self.answers.pop(message["id"]).set_result(message)
            elif message["method"] == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(message["params"]["exceptionDetails"]))
            elif message["method"] == "Runtime.consoleAPICalled" and message["params"]["type"] in ("error", "warning"):
                self.errors.append(json.dumps(message["params"]["args"]))
            elif message["method"] == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(json.dumps(message["params"]["entry"]))

    async def call(self, method, **params):
        number = next(self.numbers)
        answer = self.answers[number] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        message = await within(method, answer)
        if "error" in message:
            raise AssertionError(f"{method}: {message['error']}")
        return message["result"]

    async def open(self, address):
        for domain in ("Page", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        await self.call("Page.navigate", url=address)

    async def run(self, script):
        """The value of an expression, which may be awaited."""
        result = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    async def until(self, condition, what=None):
        """Waits, from one frame of the page to the next, until the expression is true."""
        script = f"""new Promise((resolve) => {{
            const end = performance.now() + {DEADLINE_S * 900};
            const look = () => {{
                let value; try {{ value = {condition}; }} catch {{ value = false; }}
                if (value || performance.now() > end) resolve(value); else requestAnimationFrame(look);
            }};
            look();
        }})"""
        value = await self.run(script)
        if not value:
            trouble = await self.run("document.getElementById('trouble').textContent")
            raise AssertionError(f"{what or condition}: never came; {trouble}; {self.errors}")
        return value

    async def set(self, selector, value, event="change"):
        """What a user's hand does to an input."""
        await self.run(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
            if (e.disabled) throw Error('disabled');
            if (e.type === 'checkbox') e.checked = {json.dumps(bool(value))}; else e.value = {json.dumps(str(value))};
            e.dispatchEvent(new Event('{event}', {{ bubbles: true }})); }})()""")

    async def press(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=8 if shift else 0,
                            windowsVirtualKeyCode={"Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                                                   "ArrowDown": 40, "Tab": 9}.get(key, 0))

    async def click(self, x, y):
        """At a place of the window, in pixels."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def click_panel(self, across_mm, down_mm, panel=0):
        place = await self.run(f"""(() => {{ const c = document.querySelectorAll('#panels canvas')[{panel}];
            c.scrollIntoView(); const b = c.getBoundingClientRect(), p = window.viewed.panels[{panel}];
            const [x, y] = p.toPixels({across_mm}, {down_mm}), s = b.width / c.width;
            return [b.left + x * s, b.top + y * s]; }})()""")
        await self.click(*place)

    async def screenshot(self, path):
        data = (await self.call("Page.captureScreenshot", format="webp", quality=80))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    async def close(self):
        self.reader.cancel()
        await self.socket.close()


class Browser:
    """Headless Chromium; skips the test where there is none."""

    def __init__(self, width=1280, height=900, dark=False):
        self.path = find_chromium() or skip("no chromium")
        self.size, self.dark = f"{width},{height}", dark

    async def __aenter__(self):
        self.folder = tempfile.mkdtemp(prefix="saccade-browser-")
        self.process = await asyncio.create_subprocess_exec(
            self.path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--force-device-scale-factor=1",
            "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
            f"--window-size={self.size}", f"--user-data-dir={self.folder}", "--remote-debugging-port=0", "about:blank",
            stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, start_new_session=True)
        self.pages = []
        self.authority = (await within("chromium's port", self.find_port())).split("/")[2]
        self.drain = asyncio.create_task(self.process.stderr.read())
        return self

    async def find_port(self):
        while line := (await self.process.stderr.readline()).decode():
            if "DevTools listening on " in line:
                return line.split(" on ")[1].strip()
        skip("chromium does not start here")

    async def page(self, address, dark=False):
        reader, writer = await asyncio.open_connection(*self.authority.split(":"))
        writer.write(f"PUT /json/new?about:blank HTTP/1.1\r\nHost: {self.authority}\r\nConnection: close\r\n\r\n".encode())
        answer = await within("a tab", reader.readuntil(b"\r\n\r\n"))
        length = next(int(line.split(b":")[1]) for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length"))
        target = json.loads(await within("a tab", reader.readexactly(length)))
        writer.close()
        socket = await within("a tab", websockets.connect(target["webSocketDebuggerUrl"], max_size=None, ping_interval=None))
        page = Page(socket)
        if dark:
            await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        await page.open(address)
        self.pages.append(page)
        return page

    async def __aexit__(self, kind, *rest):
        errors = [error for page in self.pages for error in page.errors]
        for page in self.pages:
            await page.close()
        try: # what it started goes with it: the process group is its own
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        await within("chromium's end", self.process.wait())
        await within("chromium's end", self.drain)
        shutil.rmtree(self.folder, ignore_errors=True)
        if kind is None and errors:
            raise AssertionError(f"the page logs errors: {errors}")


def main(names):
    """Runs the test of a file's names that the command line names, in a folder of its own."""
    tests = {name: test for name, test in names.items() if name.startswith("view_") and asyncio.iscoroutinefunction(test)}
    name = sys.argv[1]
    if name == "--list":
        print("\n".join(sorted(tests)))
        return
    folder = tempfile.mkdtemp(prefix="saccade-view-")
    os.chdir(folder)
    try:
        asyncio.run(tests[name]())
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print(f"{name} passes")

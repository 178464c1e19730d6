"""Drives a headless Chromium by the DevTools protocol over a pipe, with the standard library alone.

SwiftShader draws WebGL on the CPU, so no graphics card is needed. Mouse and keys are events of the browser, as those of a user.
"""

import base64
import json
import shutil
import subprocess
import tempfile
import time

# The browser reads commands from descriptor 3 and writes answers to 4; the shell connects them with the pipes.
SHELL = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1'
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--no-first-run",
]
KEYS = {" ": "Space", "+": "Equal", "-": "Minus"}


class Browser:
    def __init__(self):
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program is None:
            raise FileNotFoundError("no chromium on this machine: apt-get install chromium")
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        flags = [*FLAGS, f"--user-data-dir={self.folder.name}"]
        self.process = subprocess.Popen(
            ["sh", "-c", SHELL, program, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.last, self.session, self.errors = 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")

    def close(self):
        self.session = None
        self.call("Browser.close")
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            # A busy machine may take longer to write a profile that nobody needs.
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.folder.cleanup()

    def read(self):
        """The next message; texts of errors are kept."""
        message = bytearray()
        while (byte := self.process.stdout.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has ended")
            message += byte
        message = json.loads(message)
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(message["params"]["exceptionDetails"]["exception"]["description"])
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.errors.append(message["params"]["entry"]["text"])
        return message

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.process.stdin.write(json.dumps(message).encode() + b"\0")
        self.process.stdin.flush()
        while (answer := self.read()).get("id") != self.last:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def evaluate(self, script):
        """The value of an expression; waits for a promise."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def wait(self, script, seconds=30):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(script):
            if time.monotonic() > end:
                raise AssertionError(f"after {seconds} s not true: {script}; the page reports {self.errors}")
            time.sleep(0.02)

    def frames(self, count=2):
        """Waits until so many frames are drawn."""
        step = "new Promise((done) => requestAnimationFrame(done))"
        for _ in range(count):
            self.evaluate(f"{step}.then(() => 0)")

    def open(self, url, width=1280, height=800):
        mobile = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile
        )
        # A change of the part after # alone does not load a page.
        self.call("Page.navigate", url="about:blank")
        self.errors = []
        self.call("Page.navigate", url=url)
        self.wait("location.protocol !== 'about:' && document.readyState === 'complete' && document.body?.dataset.ready === 'true'")
        self.frames()

    def middle(self, selector):
        """The middle of an element, which must be visible, in pixels of the page."""
        at = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " if (!e) return null; e.scrollIntoView({block: 'nearest'});"
            " const r = e.getBoundingClientRect(); return r.width > 0 ? [r.x + r.width / 2, r.y + r.height / 2] : null; })()"
        )
        if at is None:
            raise AssertionError(f"not visible: {selector}")
        return at

    def mouse(self, kind, at, buttons=0, **more):
        button = "left" if buttons or kind == "mouseReleased" else "none"
        self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button=button, buttons=buttons, **more)

    def move(self, at):
        self.mouse("mouseMoved", at)
        self.frames()

    def click(self, where):
        """Clicks an element, or a point of the page."""
        at = self.middle(where) if isinstance(where, str) else where
        self.mouse("mouseMoved", at)
        self.mouse("mousePressed", at, 1, clickCount=1)
        self.mouse("mouseReleased", at, 0, clickCount=1)
        self.frames()

    def drag(self, start, end, steps=8):
        self.mouse("mouseMoved", start)
        self.mouse("mousePressed", start, 1, clickCount=1)
        for k in range(1, steps + 1):
            self.mouse("mouseMoved", [a + (b - a) * k / steps for a, b in zip(start, end)], 1)
        self.mouse("mouseReleased", end, 0, clickCount=1)
        self.frames()

    def press(self, key, shift=False):
        params = {"key": key, "code": KEYS.get(key, key), "modifiers": 8 if shift else 0}
        if len(key) == 1:
            params["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in params.items() if k != "text"})
        self.frames()

    def choose(self, selector, value):
        """Chooses an entry of a list, as its keyboard does: sets the value and sends the events."""
        self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
            " for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {bubbles: true})); })()"
        )
        self.frames()

    def image(self):
        """The page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

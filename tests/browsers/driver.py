"""Browsers besides Chromium, each behind the same few commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.command import Command
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

SECONDS = 30
"""How long a browser may take for one command."""
MISSING = "{} is missing: `make browsers`"


class Driver(Protocol):
    """A browser with one window. The page cannot tell its pointer and keys from those of a person."""

    def open(self, url: str) -> None:
        """Go to an address; back when it is loaded."""

    def evaluate(self, function: str) -> Any:
        """What a function of the page gives (or promises); it must be JSON."""

    def click(self, x: float, y: float) -> None:
        """At a place in the window."""

    def press(self, key: str) -> None:
        """A key, by its name in the browser ("Escape", "ArrowRight", "d")."""

    def resize(self, width: int, height: int) -> None:
        """What is inside the window gets this size."""

    def screenshot(self, path: Path) -> None: ...

    def troubles(self) -> list[str]:
        """Errors in the page since this was last asked."""

    def close(self) -> None: ...


def _answering(function: str) -> str:
    """A function's answer as text, because browsers differ in what else they hand over."""
    return f"(async () => JSON.stringify((await ({function})()) ?? null))()"


def _tool(path: str) -> str:
    found = shutil.which(path)
    assert found, MISSING.format(path)
    return found


# --- Firefox ------------------------------------------------------------------------------------------


class Firefox:
    """Debian's Firefox, driven by puppeteer-core in a process of its own."""

    def __init__(self) -> None:
        firefox = _tool("firefox-esr")
        # Set-up puts Node into the environment where the system's is too old.
        node = shutil.which("node", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        assert node, "Node is missing: `make web`"
        self.process = subprocess.Popen(
            [node, Path(__file__).with_name("firefox.mjs"), firefox],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()  # its version

    def _answer(self) -> Any:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "Firefox did not start, or has gone"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def _ask(self, command: str, **more: object) -> Any:
        assert self.process.stdin
        print(json.dumps({"command": command, **more}), file=self.process.stdin, flush=True)
        return self._answer()

    def open(self, url: str) -> None:
        self._ask("open", url=url)

    def evaluate(self, function: str) -> Any:
        return json.loads(self._ask("evaluate", script=_answering(function)))

    def click(self, x: float, y: float) -> None:
        self._ask("click", x=x, y=y)

    def press(self, key: str) -> None:
        self._ask("press", key=key)

    def resize(self, width: int, height: int) -> None:
        self._ask("resize", width=width, height=height)

    def screenshot(self, path: Path) -> None:
        self._ask("screenshot", path=str(path))

    def troubles(self) -> list[str]:
        return [str(trouble) for trouble in self._ask("troubles")]

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()  # then it ends by itself
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


# --- WebKit -------------------------------------------------------------------------------------------

EARS = """() => {
  if (window.troubles) return;
  window.troubles = [];
  const hear = (text) => window.troubles.push(String(text));
  addEventListener('error', (event) => hear(event.message));
  addEventListener('unhandledrejection', (event) => hear(event.reason));
  addEventListener('securitypolicyviolation', (event) => hear(`not allowed: ${event.blockedURI}`));
  const plain = console.error;
  console.error = (...words) => { hear(words.join(' ')); plain(...words); };
}"""
"""WebKit's driver tells of no errors, and runs nothing before the page. So these hear what comes after it is
loaded; an error before that is noticed by what is then missing."""

SMALL_BAR = "* { min-width: 0; min-height: 0; margin: 0; padding: 0; border-width: 0; font-size: 1px; }"
"""Otherwise the buttons above the page make the window wider than a phone."""

NAMED = {
    "Escape": Keys.ESCAPE,
    "Enter": Keys.ENTER,
    "ArrowRight": Keys.ARROW_RIGHT,
    "ArrowLeft": Keys.ARROW_LEFT,
}


class WebKit:
    """Debian's WebKitGTK, driven by Selenium, on a screen that nobody sees."""

    def __init__(self, folder: Path) -> None:
        driver, screen = _tool("WebKitWebDriver"), _tool("Xvfb")
        browsers = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
        assert browsers, MISSING.format("MiniBrowser")
        style = folder / "gtk-3.0" / "gtk.css"
        style.parent.mkdir(parents=True, exist_ok=True)
        style.write_text(SMALL_BAR, encoding="utf-8")
        with ExitStack() as stack:
            display = _start_screen(screen, stack)
            environment = {
                **os.environ,
                "DISPLAY": display,
                "GDK_BACKEND": "x11",
                "LANG": "en_GB.UTF-8",
                "NO_AT_BRIDGE": "1",  # nobody reads this screen aloud, and it would be waited for
                "XDG_CONFIG_HOME": str(folder),
            }
            options = Options()
            options.binary_location = str(browsers[-1])
            options.add_argument("--automation")
            service = Service(driver, log_output=subprocess.DEVNULL, env=environment)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # Selenium's, of Selenium
                self.driver = webdriver.WebKitGTK(options=options, service=service)
            stack.callback(self.driver.quit)
            self.driver.set_script_timeout(SECONDS)
            self.driver.set_page_load_timeout(SECONDS)
            self.heard: list[str] = []
            self.stack = stack.pop_all()

    def open(self, url: str) -> None:
        self.heard += self._hear()  # the next page knows nothing of this one
        self.driver.get(url)
        self.evaluate(EARS)

    def evaluate(self, function: str) -> Any:
        answer = self.driver.execute_async_script(
            f"const done = arguments[0]; {_answering(function)}"
            ".then((value) => done({ value }), (error) => done({ error: String(error) }));"
        )
        assert "error" not in answer, answer["error"]
        return json.loads(answer["value"])

    def click(self, x: float, y: float) -> None:
        move = {"type": "pointerMove", "origin": "viewport", "x": int(x), "y": int(y), "duration": 0}
        down, up = ({"type": f"pointer{way}", "button": 0} for way in ("Down", "Up"))
        self._input("pointer", [move, down, up], parameters={"pointerType": "mouse"})

    def press(self, key: str) -> None:
        code = NAMED.get(key, key)
        self._input("key", [{"type": f"key{way}", "value": code} for way in ("Down", "Up")])

    def _input(self, kind: str, actions: list[dict[str, Any]], **more: object) -> None:
        source = {"type": kind, "id": kind, "actions": actions, **more}
        self.driver.execute(Command.W3C_ACTIONS, {"actions": [source]})

    def resize(self, width: int, height: int) -> None:
        """The window has a bar above the page, so what it takes is added."""
        for _ in range(3):
            wide, high = self.evaluate("() => [outerWidth - innerWidth, outerHeight - innerHeight]")
            self.driver.set_window_rect(0, 0, width + wide, height + high)
            if self.evaluate("() => [innerWidth, innerHeight]") == [width, height]:
                return

    def screenshot(self, path: Path) -> None:
        self.driver.get_screenshot_as_file(str(path))

    def _hear(self) -> list[str]:
        return [str(trouble) for trouble in self.evaluate("() => window.troubles?.splice(0)") or ()]

    def troubles(self) -> list[str]:
        found, self.heard = self.heard + self._hear(), []
        return found

    def close(self) -> None:
        self.stack.close()


def _start_screen(command: str, stack: ExitStack) -> str:
    """A screen of one's own until the stack is closed; what X calls it."""
    read, write = os.pipe()
    with os.fdopen(read) as chosen:
        process = subprocess.Popen(
            [command, "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        number = chosen.readline().strip()
    assert number, "Xvfb did not start"
    return f":{number}"

# SPDX-License-Identifier: Apache-2.0
"""A real browser for tests, spoken to through its debugging pipe: no package is needed for that."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser() -> str | None:
    """The program, or None where there is none."""
    given = os.environ.get("NTTFORGE_CHROMIUM")
    return given or next((found for name in NAMES if (found := shutil.which(name))), None)


class Tab:
    """A page in a headless browser."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = os.fdopen(read, "rb", 0), os.fdopen(write, "wb", 0)
        self._buffer, self._count, self._session = b"", 0, ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]

    def close(self) -> None:
        """Ends the conversation."""
        self._read.close()
        self._write.close()

    def call(self, method: str, **parameters: Any) -> Any:
        """A command of the browser's protocol, and its result."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> Any:
        while b"\0" not in self._buffer:
            part = self._read.read(65536)
            assert part, "the browser ended"
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def open(self, path: Path, width: int, height: int = 1000) -> None:
        """Shows a file in a window of so many CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.evaluate("window.before = 1")
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait("window.before === undefined && document.readyState == 'complete'")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript; a promise's when it is kept."""
        said = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until a condition holds, half a minute at most."""
        for _ in range(600):
            with contextlib.suppress(AssertionError):  # between two pages there is none to ask
                if self.evaluate(condition):
                    return
            time.sleep(0.05)
        raise AssertionError(f"never became true: {condition}")

    def press(self, key: str) -> None:
        """A key, down and up."""
        codes = {"Tab": 9, "ArrowRight": 39, "Enter": 13}
        # A button is pressed by the character that Enter writes.
        text = {"text": "\r"} if key == "Enter" else {}
        for kind, more in (("keyDown" if text else "rawKeyDown", text), ("keyUp", {})):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key,
                windowsVirtualKeyCode=codes[key], **more,
            )  # fmt: skip


@contextlib.contextmanager
def started() -> Iterator[Tab]:
    """A browser with an empty page; it ends with the block."""
    program = browser()
    assert program is not None
    ours_in, theirs_out = os.pipe()
    theirs_in, ours_out = os.pipe()

    far = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]

    def place() -> None:  # where the browser expects its ends; they may have been taken
        os.dup2(far[0], 3)
        os.dup2(far[1], 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--remote-debugging-pipe", f"--user-data-dir={profile}",
        ]  # fmt: skip
        process = subprocess.Popen(
            command,
            preexec_fn=place,
            close_fds=False,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (theirs_in, theirs_out, *far):
            os.close(end)
        try:
            tab = Tab(ours_in, ours_out)
            try:
                yield tab
            finally:
                tab.close()
        finally:
            process.kill()
            process.wait()

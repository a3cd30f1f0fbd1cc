# SPDX-License-Identifier: Apache-2.0
"""The bench's end of the chips' control socket."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

from .errors import BenchError
from .rights import prefer


class Chips:
    """The process that plays the chips of one guest."""

    def __init__(self, directory: Path, is_first: bool) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self._log = open(directory / "chips.log", "wb")
        self._process = subprocess.Popen(
            [sys.executable, "-B", "-m", "kernelbench.chips.server", str(directory)],
            cwd=Path(__file__).parents[1], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        if is_first:
            prefer(self._process.pid)
        self._socket = self._connect()
        self._answers = self._socket.makefile("r")

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        for _ in range(100):
            try:
                connection.connect(str(self.directory / "control"))
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.05)
        raise BenchError(f"the chips' process did not start; see {self.directory / 'chips.log'}")

    def tell(self, *words: object) -> str:
        """Gives a command; see chips/server.py for what there is."""
        line = " ".join(map(str, words))
        self._socket.sendall(f"{line}\n".encode())
        answer = self._answers.readline().strip()
        if not answer.startswith("ok"):
            raise BenchError(f"the chips answered {answer!r} to {line!r}; see {self.directory / 'chips.log'}")
        return answer[3:]

    def stop(self) -> None:
        """Ends the process."""
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        self._log.close()

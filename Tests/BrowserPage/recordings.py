# SPDX-License-Identifier: Apache-2.0
"""Recordings to look at: one with a mark and gaps, made by a service that is held up, and a long one."""

import os
import signal
import subprocess
import time

WORDS = "kerb </script><script>document.title='broken'</script>"


class Recordings:
    def __init__(self, program, folder):
        self.program = os.path.abspath(program)
        self.store = os.path.join(folder, "store")
        self.folder = folder
        self.socket = os.path.join(folder, "socket")

    def run(self, *words):
        done = subprocess.run([self.program, *words], env={**os.environ, "IMULOG_STORE": self.store},
                              capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.returncode} {done.stderr}"
        return done.stdout.strip()

    def export(self, number, form, *options):
        path = os.path.join(self.folder, f"{number}.{form}")
        begin = time.monotonic()
        self.run("export", number, "--format", form, *options, "-o", path)
        return path, time.monotonic() - begin

    def rows(self, begin, end):
        """The latest recording's samples from one second to another, both included: g and °/s of the six axes."""
        lines = self.run("export", "latest", "--format", "csv", "--units", "g-dps").splitlines()
        rows = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
        return [row[1:7] for row in rows if begin - 1e-6 <= row[0] / 1e9 <= end + 1e-6]

    def with_mark_and_gaps(self):
        """Three seconds at 100 Hz; the program sleeps through two parts of them, as a computer that is held up."""
        configuration = os.path.join(self.folder, "imulog.conf")
        with open(configuration, "w") as file:
            file.write(f"board = simulator\nrate = 100\nlength = until-stopped\nnote = {WORDS}\nreserve = 0\n"
                       f"store = {self.store}\nbutton = none\nlight = none\n")
        service = subprocess.Popen(
            [self.program, "daemon", "--config", configuration, "--socket", self.socket],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            for _ in range(200):
                if os.path.exists(self.socket):
                    break
                time.sleep(0.05)
            self.run("start", "--socket", self.socket)
            for hold in (0.3, 0.1):
                time.sleep(0.8)
                service.send_signal(signal.SIGSTOP)
                time.sleep(hold)
                service.send_signal(signal.SIGCONT)
                time.sleep(0.3)
                self.run("mark", WORDS, "--socket", self.socket)
            time.sleep(0.5)
            self.run("stop", "--socket", self.socket)
            time.sleep(0.3)
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(timeout=10)
        self.run("label", "latest", "500ms..1.5s", WORDS)
        return "latest"

    def label(self, command):
        """Runs a command that a page shows in a shell, and returns the labels of the latest recording."""
        name, rest = command.split(" ", 1)
        assert name == "imulog", command
        subprocess.run(["sh", "-c", f"'{self.program}' {rest}"], env={**os.environ, "IMULOG_STORE": self.store},
                       capture_output=True, check=True)
        return self.run("label", "latest").splitlines()

    def table(self, text, *options, units="raw"):
        """Imports a table, of counts if nothing else is given, and returns its recording's number."""
        path = os.path.join(self.folder, "table.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self.run("import", path, "--units", units, "--anyway", *options).splitlines()[-1]

    def tumble(self, rate, length):
        return self.run("record", "--board", "simulator", "--virtual-time", "--motion", "tumble", "--rate", str(rate),
                        "--for", length, "--note", "bench").splitlines()[-1]

# SPDX-License-Identifier: Apache-2.0
"""What the checks of exports by other programs share: recordings, exports, packages from PyPI in a folder of their own."""

import glob
import importlib
import json
import os
import subprocess
import sys
import tempfile
import venv

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "BrowserPage"))

from recordings import Recordings  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CANNOT = 77


def cannot(why):
    """Ends the check where it cannot run, which is no failure."""
    print(why)
    sys.exit(CANNOT)


def _versions(folder):
    return sorted(glob.glob(os.path.join(glob.escape(folder), "lib", "python*", "site-packages", "*.dist-info")))


def _install(packages):
    """Makes packages importable; returns the environment's python, and why they cannot be had, or None.

    They live in the user's cache, in a folder for each version of Python.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(cache, "imulog-foreign-readers", "python%d.%d" % sys.version_info[:2])
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        venv.create(folder, with_pip=True, clear=True)
    # pip takes seconds to find that all is there. What it changes may be another check's.
    note = os.path.join(folder, "has " + " ".join(packages))
    if not os.path.exists(note):
        before = _versions(folder)
        made = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
                              capture_output=True, text=True)
        if made.returncode != 0:
            return python, made.stderr.strip()[-300:]
        if _versions(folder) != before:
            for other in glob.glob(os.path.join(glob.escape(folder), "has *")):
                os.remove(other)
        open(note, "w").close()
    site = os.path.join(folder, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
    if site not in sys.path:
        sys.path.insert(0, site)
    importlib.invalidate_caches()
    return python, None


def need(*packages):
    """Makes packages importable, such as `pandas` or `telemetry-parser==0.3.0`; ends with 77 where they cannot be had."""
    python, reason = _install(packages)
    if reason is not None:
        cannot("these packages cannot be installed: %s: %s" % (", ".join(packages), reason))
    return python


def has(*packages):
    """Makes packages importable where they can be had, such as those that are not for every processor."""
    return _install(packages)[1] is None


class Store:
    """Recordings in a temporary store."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.folder = tempfile.TemporaryDirectory()
        self.numbers = {}
        if not os.path.exists(self.program):
            sys.exit("there is no %s: build it, or name another one" % program)

    def run(self, *words, **options):
        """What the program prints; ends the check when it fails."""
        ran = subprocess.run([self.program, "--store", os.path.join(self.folder.name, "store"), *words],
                             capture_output=True, **options)
        if ran.returncode != 0:
            sys.exit("imulog %s: status %d: %s" % (" ".join(words), ran.returncode, ran.stderr.decode()))
        return ran.stdout

    def record(self, name, *options):
        """Records from the simulator in virtual time."""
        words = ["record", "--board", "simulator", "--motion", "tumble", "--virtual-time", *options]
        self.numbers[name] = self.run(*words).split()[-1].decode()

    def gaps(self):
        """Records while the program is held up, so that ticks are missed and a mark is set; several seconds."""
        recordings = Recordings(self.program, self.folder.name)
        recordings.store = os.path.join(self.folder.name, "store")
        recordings.with_mark_and_gaps()
        listing = json.loads(self.run("list", "--json"))
        self.numbers["gaps"] = str(listing["recordings"][0]["number"])

    def add(self, path):
        """Imports a table of counts; its recording has the file's name."""
        self.numbers[os.path.basename(path)] = self.run("import", path, "--units", "raw", "--anyway").split()[-1].decode()

    def export(self, name, file, *options):
        """Exports to a file of this name in the store's folder, and returns its path."""
        path = os.path.join(self.folder.name, file)
        if os.path.exists(path):
            os.remove(path)
        self.run("export", self.numbers[name], "-o", path, *options)
        return path

    def samples(self, name, *options):
        """The samples as NDJSON has them."""
        lines = self.run("export", self.numbers[name], "--format", "ndjson", *options).splitlines()
        return [json.loads(line) for line in lines]

    def facts(self, name):
        """The JSON document but its samples."""
        document = json.loads(self.run("export", self.numbers[name], "--units", "raw"))
        del document["samples"]
        return document


def usual_recordings(program, folder):
    """A store with recordings of several kinds, and the tables of a folder."""
    store = Store(program)
    store.record("both", "--rate", "100", "--for", "12s")
    store.record("fast", "--rate", "1000", "--for", "3s", "--accel-range", "16g", "--gyro-range", "2000dps")
    store.record("gyroscope", "--rate", "50", "--for", "5s", "--channels", "gyro")
    store.record("accelerometer", "--rate", "10", "--for", "60s", "--channels", "accel")
    for file in sorted(os.listdir(folder)) if folder else []:
        if file.endswith(".csv"):
            store.add(os.path.join(folder, file))
    return store

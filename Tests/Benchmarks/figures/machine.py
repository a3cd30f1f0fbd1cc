# SPDX-License-Identifier: Apache-2.0
"""The machine on which the figures were measured."""

import os
import platform
import shutil
import subprocess


def first_line(*command):
    if not shutil.which(command[0]):
        return None
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    return lines[0] if lines else None


def processor():
    for line in open("/proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model"):
            return value.strip()
    return platform.machine()


def system():
    for line in open("/etc/os-release"):
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip().strip('"')
    return platform.system()


def virtual():
    flags = open("/proc/cpuinfo").read()
    return ", virtual machine" if " hypervisor" in flags else ""


def describe():
    """Lines of name and value."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    lines = [
        ("processor", f"{processor()}, {os.cpu_count()} cores, {memory:.0f} GiB{virtual()}"),
        ("system", f"{system()}, Linux {platform.release()}"),
        ("Swift", first_line("swift", "--version")),
        ("load at the beginning", " ".join(f"{load:.2f}" for load in os.getloadavg())),
    ]
    return [(name, value) for name, value in lines if value]

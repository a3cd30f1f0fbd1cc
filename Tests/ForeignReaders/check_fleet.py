# SPDX-License-Identifier: Apache-2.0
"""Looks at what a hub hands on with the programs that take it: Fleet.md's script with rclone, for object storage (moto's
server stands for S3), promtool for the metrics, and mosquitto for the state at a broker, its retained messages and the
last will of a hub that is killed.

    Tests/ForeignReaders/check_fleet.py [PROGRAM]

PROGRAM is .build/release/imulog when not given. A part whose programs are missing is said and left out; status 77: all are.
"""

import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import check_hub  # noqa: E402
import foreign  # noqa: E402

os.environ["PATH"] += ":/usr/sbin"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(what, holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def answers(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def hub(folder, *options):
    return check_hub.run("hub", os.path.join(folder, "fleet"), "--hosts", os.path.join(folder, "hosts"), *options)


def object_storage(folder):
    """Each file is in the bucket, byte for byte; what is gone here is gone there."""
    python = foreign.need("moto[server]", "boto3")
    port = free_port()
    server = subprocess.Popen([python, "-m", "moto.server", "-p", str(port)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        wait_for("moto does not answer", lambda: answers(port))
        text = open(os.path.join(foreign.ROOT, "Sources/imulog/imulog.docc/Fleet.md")).read()
        copy = re.search(r"<!-- hub copy: rclone -->\n```sh\n(.*?)```", text, re.S).group(1)
        config = os.path.join(folder, "rclone.conf")
        with open(config, "w") as file:
            file.write("[bucket]\ntype = s3\nprovider = Other\naccess_key_id = a\nsecret_access_key = b\n"
                       "endpoint = http://127.0.0.1:%d\nregion = us-east-1\n" % port)
        os.environ.update(RCLONE_CONFIG=config, AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b")
        # Some versions of rclone refuse all connections when it is set.
        os.environ.pop("AWS_CA_BUNDLE", None)
        import boto3
        storage = boto3.client("s3", endpoint_url="http://127.0.0.1:%d" % port, region_name="us-east-1")
        storage.create_bucket(Bucket="fleet")

        def same():
            there = {one["Key"]: storage.get_object(Bucket="fleet", Key=one["Key"])["Body"].read()
                     for one in storage.list_objects_v2(Bucket="fleet").get("Contents", [])}
            here = {}
            for table in ["samples", "features", "recordings"]:
                for path in glob.glob(os.path.join(folder, "fleet", table, "**", "*.parquet"), recursive=True):
                    here[os.path.relpath(path, os.path.join(folder, "fleet"))] = open(path, "rb").read()
            assert there == here, (sorted(there), sorted(here))
            return len(here)

        def round_and_copy():
            hub(folder)
            subprocess.run(["sh", "-e", "-c", copy], cwd=folder, check=True)
            return same()

        count = round_and_copy()
        for store in [os.path.join(folder, "fleet/logs/pump-7"), os.path.join(folder, "pump-7")]:
            check_hub.run("--store", store, "rm", "1")
        check_hub.run("--store", os.path.join(folder, "pump-8"), "label", "1", "1s..2s", "spin")
        left = round_and_copy()
        assert left == count - 2, (count, left)
        print("object storage: %d files by rclone, byte for byte, and %d after a removal and a label" % (count, left))
    finally:
        server.terminate()
        server.wait()


def metrics(folder):
    path = os.path.join(folder, "imulog.prom")
    hub(folder, "--metrics", path)
    with open(path) as file:
        done = subprocess.run(["promtool", "check", "metrics"], stdin=file, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stdout and not done.stderr, done.stdout + done.stderr
    print("metrics: promtool finds nothing wrong in %d lines" % len(open(path).readlines()))


# What each entity is to show, where it is in a host's object.
SHOWN = {
    "seen": ["seen"], "last_recording": ["lastRecording"], "recordings": ["recordings"], "backlog": ["backlog"],
    "free": ["machine", "free_bytes"], "service": ["machine", "recorder"], "version": ["machine", "software"],
    "problem": ["problem"], "service_problem": ["machine", "problem"],
}

RENDER = """
import json, sys
import jinja2
for template, state in json.load(sys.stdin):
    print(json.dumps(jinja2.Environment().from_string(template).render(value_json=state)))
"""


def templates(entities, states):
    """Jinja renders each entity's template to what the object has there; a text that is not there is an empty one."""
    python = foreign.need("jinja2")
    bare = {"seen": None, "lastRecording": None, "recordings": 0, "backlog": None, "machine": None, "problem": None}
    full = {"seen": "2026-11-21T02:38:07Z", "lastRecording": "2026-11-20T02:38:07Z", "recordings": 12, "backlog": 0,
            "machine": {"free_bytes": 0, "recorder": None, "software": "0.1.0", "problem": "x" * 300}, "problem": "it's"}
    cases = []
    for state in [bare, full] + states:
        for name, one in entities["components"].items():
            value = state
            for part in SHOWN[name]:
                value = value.get(part) if value else None
            is_text = "device_class" not in one
            cases.append((one["value_template"], state, "" if value is None and is_text else str(value)[:255]))
        assert set(SHOWN) == set(entities["components"])
    done = subprocess.run([python, "-c", RENDER], input=json.dumps([case[:2] for case in cases]), capture_output=True,
                          text=True, check=True)
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(shown) == len(cases)
    for (template, state, value), text in zip(cases, shown):
        assert text == value, (template, state, value, text)
    return len(cases)


def broker(folder):
    port = free_port()
    config = os.path.join(folder, "mosquitto.conf")
    with open(config, "w") as file:
        file.write("listener %d 127.0.0.1\nallow_anonymous true\n" % port)
    server = subprocess.Popen(["mosquitto", "-c", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def retained(topic):
        done = subprocess.run(["mosquitto_sub", "-p", str(port), "-t", topic, "-F", "%t %p", "-W", "2"],
                              capture_output=True, text=True)
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())

    place = "imulog/hub/availability"
    try:
        wait_for("mosquitto does not answer", lambda: answers(port))
        hub(folder, "--mqtt", "127.0.0.1:%d" % port)
        found = retained("imulog/+/state")
        states = {topic: json.loads(text) for topic, text in found.items()}
        whole = json.loads(check_hub.run("hub", "status", os.path.join(folder, "fleet"), "--hosts",
                                         os.path.join(folder, "hosts"), "--json"))
        status = whole["hosts"]
        # Each message says what its times are, as the document of `hub status` does once.
        words = [state.pop("words") for state in states.values()]
        assert all(word.items() <= whole["words"].items() and word for word in words), (words, whole["words"])
        assert states == {"imulog/%s/state" % host["host"]: host for host in status}, states
        entities = {topic: json.loads(text) for topic, text in retained("homeassistant/device/+/config").items()}
        assert set(entities) == {"homeassistant/device/imulog_%s/config" % host["host"] for host in status}
        for host in status:
            one = entities["homeassistant/device/imulog_%s/config" % host["host"]]
            assert one["state_topic"] == "imulog/%s/state" % host["host"]
            assert one["components"]["seen"]["platform"] == "sensor"
        count = templates(one, list(states.values()))
        assert retained(place) == {}
        words = [check_hub.PROGRAM, "hub", os.path.join(folder, "fleet"), "--hosts", os.path.join(folder, "hosts"),
                 "--every", "1s", "--mqtt", "127.0.0.1:%d" % port]
        for end in [signal.SIGTERM, signal.SIGKILL]:
            staying = subprocess.Popen(words, stderr=subprocess.DEVNULL)
            wait_for("the hub is not there", lambda: retained(place).get(place) == "online")
            staying.send_signal(end)
            staying.wait()
            wait_for("the hub is still there", lambda: retained(place).get(place) == "offline")
        print("broker: %d states are those of hub status, %d devices, %d values are shown by jinja, and a killed hub is "
              "offline" % (len(states), len(entities), count))
    finally:
        server.terminate()
        server.wait()


def main():
    if len(sys.argv) > 1:
        check_hub.PROGRAM = os.path.abspath(sys.argv[1])
    parts = [(object_storage, ["rclone"]), (metrics, ["promtool"]),
             (broker, ["mosquitto", "mosquitto_pub", "mosquitto_sub"])]
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        check_hub.make(folder)
        for part, programs in parts:
            missing = [name for name in programs if shutil.which(name) is None]
            if missing:
                print("%s is left out: there is no %s" % (part.__name__, ", ".join(missing)))
                continue
            part(folder)
            done += 1
    if done == 0:
        foreign.cannot("no program that takes something from a hub is here")


if __name__ == "__main__":
    main()

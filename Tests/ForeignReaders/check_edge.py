#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Edge Impulse documents with the samples of NDJSON, by Edge Impulse's own converter and by its written rules.

    Tests/ForeignReaders/check_edge.py [PROGRAM [FOLDER]]

PROGRAM is .build/release/imulog when not given; each CSV of FOLDER is imported and judged too. Signatures are computed
again with Python's hmac, and labels tried by the rules of the uploader. Status 77: the converter cannot be installed.
"""

import hashlib
import hmac
import json
import math
import os
import shutil
import sys

sys.dont_write_bytecode = True

import foreign  # noqa: E402

program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(foreign.ROOT, ".build/release/imulog")
store = foreign.usual_recordings(program, sys.argv[2] if len(sys.argv) > 2 else None)
store.gaps()
foreign.need("edgeimpulse", "pandas")
from edgeimpulse.experimental.util import convert_json_cbor_to_dataframe  # noqa: E402

NAMES = {"ax": "accX", "ay": "accY", "az": "accZ", "gx": "gyrX", "gy": "gyrY", "gz": "gyrZ", "temp": "temperature"}
KEY = b"a key of %d bytes" % 80
key_file = os.path.join(store.folder.name, "key")
with open(key_file, "wb") as file:
    file.write(KEY + b"\n")


def is_signed(text):
    """Whether the signature is the code of the bytes with zeros in its place."""
    signature = json.loads(text)["signature"].encode()
    zeros = text.replace(b'"signature":"' + signature, b'"signature":"' + b"0" * 64, 1)
    return hmac.new(KEY, zeros, hashlib.sha256).hexdigest().encode() == signature


def judge(name, text, samples, rate):
    """The document's values are those of the samples, at an interval that is the recording's."""
    assert is_signed(text), name
    document = json.loads(text)
    assert document["protected"]["alg"] == "HS256" and document["protected"]["ver"] == "v1", name
    payload = document["payload"]
    # NDJSON's rate has 15 digits.
    assert math.isclose(payload["interval_ms"], 1000 / rate, rel_tol=1e-14), (name, payload["interval_ms"], rate)
    axes = [axis for axis in NAMES if axis in samples[0]]
    assert [sensor["name"] for sensor in payload["sensors"]] == [NAMES[axis] for axis in axes], name
    assert payload["values"] == [[sample[axis] for axis in axes] for sample in samples], name
    frame = convert_json_cbor_to_dataframe(document)
    for axis in axes:
        column = next(column for column in frame.columns if column.startswith(NAMES[axis]))
        assert list(frame[column]) == [sample[axis] for sample in samples], (name, axis)


def judge_labels(folder, lengths):
    """The uploader's rules: whole numbers, in order, every sample labelled, neighbours that differ."""
    with open(os.path.join(folder, "structured_labels.labels")) as file:
        labels = json.load(file)
    assert labels["version"] == 1 and labels["type"] == "structured-labels"
    assert set(labels["structuredLabels"]) == set(lengths)
    for file, parts in labels["structuredLabels"].items():
        next_index, last = 0, None
        for part in parts:
            assert part["startIndex"] == next_index <= part["endIndex"], (file, part)
            assert part["label"] and part["label"] != last, (file, part)
            next_index, last = part["endIndex"] + 1, part["label"]
        assert next_index == lengths[file], (file, parts)
    return labels["structuredLabels"]


def pieces(samples, ticks):
    """Samples without a missing tick between them, together."""
    parts, last = [], None
    for sample, tick in zip(samples, ticks):
        if last is None or tick != last + 1:
            parts.append([])
        parts[-1].append(sample)
        last = tick
    return parts


for name in store.numbers:
    facts = store.facts(name)
    # Of a chip that keeps the time, the instants of the grid: nothing is missing in these recordings.
    grid = ["--grid"] if facts["chipTimes"] else []
    samples = store.samples(name, *grid)
    times = [sample["t_grid_ns" if grid else "t_ns"] for sample in samples]
    # Which tick a sample has, by the list of gaps.
    missing = {} if grid else {tick for gap in facts["gaps"] for tick in range(gap["tick"], gap["tick"] + gap["count"])}
    ticks = [tick for tick in range(len(samples) + len(missing)) if tick not in missing]
    parts = pieces(samples, ticks)
    number = store.numbers[name]
    third = (times[-1] - times[0]) // 3
    store.run("label", "--", number, *("%.9fs..%.9fs walk" % (
        (times[0] + third) / 1e9, (times[0] + 2 * third) / 1e9)).split())
    folder = os.path.join(store.folder.name, "pieces")
    shutil.rmtree(folder, ignore_errors=True)
    store.run("export", number, "--format", "edge-impulse", "--hmac-key-file", key_file, *grid, "-o", folder + "/")
    files = ["pieces.%d.json" % (index + 1) for index in range(len(parts))]
    assert set(os.listdir(folder)) == set(files) | {"structured_labels.labels"}, name
    rate = facts["rate_hz"]
    for file, part in zip(files, parts):
        with open(os.path.join(folder, file), "rb") as text:
            judge(name, text.read(), part, rate)
    labels = judge_labels(folder, {file: len(part) for file, part in zip(files, parts)})
    named = [json.loads(line) for line in store.run(
        "export", number, "--format", "ndjson", "--labels", *grid).splitlines()]
    found = [part["label"] for file in files for part in labels[file]
             for _ in range(part["startIndex"], part["endIndex"] + 1)]
    assert found == [sample["label"] or "none" for sample in named], name
    if len(parts) == 1:
        text = store.run("export", number, "--format", "edge-impulse", "--hmac-key-file", key_file, *grid)
        judge(name, text, samples, rate)
    print("%s: %d samples in %d parts, signed, as NDJSON has them" % (name, len(samples), len(parts)))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Command streams of Adreno captures in words, against inflating the same file.

cff.py LULL TRACES [RESULTS.jsonl]: for each capture of the folder MB/s of text (whole) and of rd (summary), of cffdump and of
rd show, the best of three, and MB/s of zlib alone. A capture is repeated in one file until it has about 4 MB. Without the folder nothing is measured.

cff.py LULL TRACES --mesa FOLDER: the programs cffdump and crashdec of a build of Mesa in that folder (src/freedreno/decode) and lull's
in turn on each capture and each crash dump as it is, CPU time of the whole command, the least of five; both must print as many lines.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

lull, traces = sys.argv[1], pathlib.Path(sys.argv[2])
mesa = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 and sys.argv[3] == "--mesa" else None
out = open(sys.argv[3], "a", encoding="utf-8") if len(sys.argv) > 3 and mesa is None else None
SIZE = 4 << 20
ROUNDS = 5


def cpu(command):
    """Seconds of CPU time of a command, and the lines that it prints."""
    with tempfile.TemporaryFile() as text:
        p = subprocess.Popen(command, stdout=text, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        text.seek(0)
        return used.ru_utime + used.ru_stime, sum(1 for _ in text)


def beside(name, ours, theirs):
    """The two in turn, since the machine's speed drifts."""
    least, lines = [float("inf")] * 2, [0, 0]
    for _ in range(ROUNDS):
        for i, command in enumerate((ours, theirs)):
            took, lines[i] = cpu(command)
            least[i] = min(least[i], took)
    same = "" if lines[0] == lines[1] else f"; {lines[0]} lines, not {lines[1]}"
    print(f"{name:52} {least[0] * 1e3:8.1f} {least[1] * 1e3:9.1f} ms {least[1] / least[0]:6.1f} times{same}", flush=True)


if mesa is not None:
    print(f"{'':52} {'lull':>8} {'Mesa':>9}    Mesa / lull, CPU time, least of {ROUNDS}")
    for path in sorted(traces.glob("*.rd.gz")):
        beside("cffdump " + path.name[:44], [lull, "cffdump", path], [mesa / "cffdump", path])
    for path in sorted(traces.glob("*.devcore")):
        beside("crashdec " + path.name, [lull, "crashdec", path], [mesa / "crashdec", "-f", path])
    sys.exit(0)


def seconds(work):
    best = None
    for _ in range(3):
        start = time.perf_counter()
        work()
        took = time.perf_counter() - start
        best = took if best is None else min(best, took)
    return best


def text_size(command, args):
    size = 0
    with subprocess.Popen([lull, *command, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
        while block := p.stdout.read(1 << 20):
            size += len(block)
    return size


def silent(command, args):
    subprocess.run([lull, *command, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


captures = sorted(traces.glob("*.rd.gz"))
if not captures:
    print(f"cff: no captures in {traces}, nothing measured")
    sys.exit(0)
WAYS = [("cffdump", ["cffdump"], "-s"), ("rd show", ["rd", "show"], "--summary")]
print(f"{'capture':36} {'':8} {'text MB/s':>10} {'rd MB/s, summary':>17} {'inflate MB/s':>13}")
for path in captures:
    one = gzip.decompress(path.read_bytes())
    data = one * max(1, SIZE // len(one))
    name = path.name.removesuffix(".rd.gz")[:36]
    row = {"bench": "cff", "capture": name}
    with tempfile.NamedTemporaryFile(suffix=".rd.gz") as f:
        packed = gzip.compress(data, 1)
        f.write(packed)
        f.flush()
        row["inflate"] = len(data) / seconds(lambda: zlib.decompress(packed, 31)) / 1e6
        for way, command, short in WAYS:
            whole = text_size(command, [f.name]) / seconds(lambda: silent(command, [f.name])) / 1e6
            summary = len(data) / seconds(lambda: silent(command, [short, f.name])) / 1e6
            key = "" if way == "cffdump" else "_show"
            row |= {"text" + key: whole, "rd_summary" + key: summary}
            print(f"{name:36} {way:8} {whole:10.0f} {summary:17.0f} {row['inflate']:13.0f}", flush=True)
    if out:
        out.write(json.dumps(row) + "\n")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Registers at each draw, compared with what Mesa's cffdump printed for the same captures. rd_draws.py LULL TRACES.

cffdump decodes both sides of a condition: so does --both. Without it there are fewer draws, those of the GPU.
"""
import gzip
import json
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull, traces = sys.argv[1], pathlib.Path(sys.argv[2])
ROW = re.compile(r"^([! ])([+ ])\t([0-9a-f]{8,})\t*([^:\t]+): (.*)$")
HEAD = re.compile(r"^\t*draw\[(\d+)\] register values$")
MODE = re.compile(r"^\t*mode: (\w+)")
tmp = tempfile.TemporaryDirectory()


def read_log(text):
    """Draws of a log: a list of {name: (value, changed)} and the mode."""
    draws, rows, mode = [], None, None
    for line in text.split("\n"):
        if m := HEAD.match(line):
            rows = {}
            draws.append((rows, mode))
            mode = None
        elif m := MODE.match(line):
            mode = m[1]
        elif rows is not None and (m := ROW.match(line)):
            rows[re.sub(r"\]\+0$", "]", m[4])] = (int(m[3], 16), m[1] == "!")
    return draws


def shortened(path, folder):
    """The capture up to its eighth stream: more of the same takes long."""
    data, at, streams = gzip.decompress(path.read_bytes()), 0, 0
    while at < len(data) and streams < 8:
        kind, size = struct.unpack_from("<II", data, at)
        at += 8 + (size if (kind, size) != (0xffffffff, 0xffffffff) else 0)
        streams += kind == 6
    short = pathlib.Path(folder) / path.name.removesuffix(".gz")
    short.write_bytes(data[:at])
    return short


def read_lull(path):
    r = subprocess.run([lull, "rd", "show", "--json", "--both", path], capture_output=True, text=True)
    got = []
    for s in json.loads(r.stdout)["sections"]:
        for p in s.get("packets", []):
            if p["kind"] == "draw":
                got.append(({x["register"]: (int(x["value"], 16), x["changed"]) if "value" in x else None for x in p["registers"]},
                            p.get("mode")))
    return r.returncode, r.stderr, got


def read_sql(path):
    out = pathlib.Path(tmp.name) / "out.sqlite"
    subprocess.run([lull, "rd", "show", "--both", "--sql", out, path], check=True)
    with sqlite3.connect(out) as db:
        draws = [({}, mode) for (mode,) in db.execute("SELECT mode FROM draws ORDER BY draw")]
        for draw, name, value, changed in db.execute("SELECT draw, name, value, changed FROM registers"):
            # SQLite has signed numbers; NULL: the value is not known
            draws[draw][0][name] = (value & (1 << 64) - 1, bool(changed)) if value is not None else None
    return draws


# Logs that Mesa wrote with --once leave draws out: there lull cffdump stands in, whose text with --once is the log's (test cff).
for name, has_log in [("comp630_computerator_combined", True), ("tu740-bc", True), ("tu660-stomp", True), ("tu630-gmem", True),
                      ("fd-clouds", False), ("es2gears-a320", False),
                      ("dEQP-VK.draw.indirect_draw.indexed.indirect_draw_count.triangle_list", False)]:
    capture, log = traces / f"{name}.rd.gz", traces / f"{name}.cffdump.txt.gz"
    if not capture.exists() or (has_log and not log.exists()):
        skip(f"no capture {name} in ../shared/traces")
        continue
    if has_log:
        want = read_log(gzip.decompress(log.read_bytes()).decode(errors="replace"))
    else:
        capture = shortened(capture, tmp.name)
        want = read_log(subprocess.run([lull, "cffdump", "--not-once", capture], capture_output=True, text=True).stdout)
    status, err, got = read_lull(capture)
    wrong = []
    if len(want) != len(got):
        wrong.append(f"{len(got)} draws, cffdump has {len(want)}")
    for i, ((w, wm), (g, gm)) in enumerate(zip(want, got)):
        for reg in sorted(w.keys() | g.keys()):
            unknown = reg in g and g[reg] is None  # kept by CP_REG_RMW from before the capture: cffdump takes it as 0
            if not unknown and w.get(reg) != g.get(reg):
                wrong.append(f"draw {i}: {reg}: got {g.get(reg)}, want {w.get(reg)}")
        if wm not in (None, "null") and wm != gm:
            wrong.append(f"draw {i}: mode {gm}, want {wm}")
    tables = read_sql(capture)
    for i, (g, t) in enumerate(zip(got, tables)):
        if g != t:
            wrong.append(f"draw {i}: the tables have {t}")
    if len(tables) != len(got):
        wrong.append(f"{len(tables)} draws in the tables")
    case(f"{name}: {len(got)} draws", status == 0 and err == "" and not wrong and len(got) > 0, "\n".join([err[:500]] + wrong[:40]))
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record save and lull debug --replay: record.py LULL EXAMPLES. What a record shows is compared with the session that made it; kernel and data are gone by then."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, bugs = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve() / "bugs"
work, there = pathlib.Path(tempfile.mkdtemp()), pathlib.Path(tempfile.mkdtemp())
ENV = os.environ | {"HOME": str(work)}
LOOK = ("info when", "info registers", "info registers vector", "x/64dw out", "x/64dw in")
SOURCE = """\
kernel void add(global int *out, global const int *in, int n, local int *tile)
{
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[l ^ 1] + n;
}
"""
IN = [17 * i - 5 for i in range(64)]


def debug(where, *args):
    words = [lull, "debug", "--json", "-batch", *map(str, args)]
    return subprocess.run(words, capture_output=True, text=True, cwd=where, env=ENV, timeout=200)


def ex(*commands):
    return [w for c in commands for w in ("-ex", c)]


def answers(r):
    return [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]


def plain(a):
    return json.dumps({k: v for k, v in a.items() if k != "text"}, sort_keys=True)


def made():
    (work / "add.cl").write_text(SOURCE)
    (work / "in.bin").write_bytes(struct.pack("<64i", *IN))
    args = ["add.cl", "-O0", "--grid", 64, "--block", 32, "--seed", 3, "--arg", "zeros:256:name=out:out=out.bin", "--arg", "buffer:in.bin:name=in", "--arg", "i32:1000", "--arg", "local:128"]
    first = debug(work, *args, *ex("run", "goto 150", *LOOK, "record save add.rec"))
    case("a record is written", first.returncode == 0 and (work / "add.rec").exists(), first)
    rec = (work / "add.rec").read_bytes()
    (there / "add.rec").write_bytes(rec)
    for f in ("add.cl", "in.bin", "add.rec", "out.bin"):
        (work / f).unlink(missing_ok=True)
    again = debug(there, "--replay", "add.rec", *ex(*LOOK))
    want, got = [plain(a) for a in answers(first)[2:2 + len(LOOK)]], [plain(a) for a in answers(again)[2:2 + len(LOOK)]]
    case("elsewhere it stands at the same time, with the same registers and memory", again.returncode == 0 and len(want) == len(LOOK) and want == got, (first, again))
    case("... which is not the end", len(answers(again)) > 2 and answers(again)[2].get("time") == 150, again)
    r = debug(there, "--replay", "add.rec", *ex("goto end", "x/64dw out", "why -depth 20 out[6]"))
    said = answers(r)
    values = [v if isinstance(v, int) else int(v, 0) for v in said[3].get("values", [])] if len(said) > 3 else []
    case("it goes on to what the kernel computes", values == [3 * IN[i ^ 1] + 1000 for i in range(64)], r)
    case("why works in it", len(said) > 4 and any(n["place"] == f"in+{4 * 7:#x}" and int(n["value"], 0) == IN[7] for n in said[4]["nodes"]), r)
    case("nothing is written where it is replayed", sorted(p.name for p in there.iterdir()) == ["add.rec"], list(there.iterdir()))
    return rec


def faults():
    r = debug(work, bugs.parent / "oob_store.cl", "--grid", 128, "--block", 128, "--arg", "zeros:512:name=out", *ex("run", "record save oob.rec"))
    again = debug(work, "--replay", "oob.rec", *ex("info when"))
    stops = [a for a in answers(r) + answers(again) if "fault" in json.dumps(a) or "violation" in json.dumps(a)]
    case("a fault happens again", len(stops) >= 2 and "0x" in json.dumps(stops[0]), (r, again))


def bad(rec):
    for name, data in (("cut", rec[:200]), ("magic", b"nothing"), ("kind", rec[:8] + b"\x63" + rec[9:]), ("behind", rec + b"x"), ("empty", b"")):
        (work / "bad.rec").write_bytes(data)
        r = debug(work, "--replay", "bad.rec")
        case(f"a damaged record, {name}: refused with the file and the byte", r.returncode == 3 and "bad.rec" in r.stderr and "byte" in r.stderr, r)
    (work / "secret.bin").write_bytes(b"secret")
    for what in (b"buffer:secret.bin:name=out", b"zeros:256:name=ou:out=x.b"):
        at = rec.index(b"zeros:256:name=out")
        size = len(b"zeros:256:name=out")
        (work / "bad.rec").write_bytes(rec[:at - 4] + struct.pack("<I", len(what)) + what + rec[at + size:])
        r = debug(work, "--replay", "bad.rec")
        case(f"a record that names a file: {what.decode()}", r.returncode == 3 and "names a file of this machine" in r.stderr and not (work / "x.b").exists(), r)
    r = debug(work, "--replay", "none.rec")
    case("no such file", r.returncode == 3 and "none.rec" in r.stderr, r)
    (work / "good.rec").write_bytes(rec)
    for more in (["--grid", 64], ["--seed", 1], [bugs / "mean.cl"]):
        r = debug(work, "--replay", "good.rec", *more)
        case(f"--replay and {more[0]}", r.returncode == 2 and "--replay has a kernel of its own" in r.stderr, r)
    r = debug(work, bugs / "mean.cl", "--grid", 64, "--block", 64, "--arg", "zeros:256", "--arg", "zeros:256", "--arg", "zeros:256", *ex("record", "run"))
    case("record what?", "record save FILE" in r.stderr, r)


bad_of = made()
faults()
bad(bad_of)
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull rd show: packets, state and draws of captures that are put together here by hand. rd_show.py LULL."""
import gzip
import json
import os
import pathlib
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from rd_bytes import buffer, pkt4, pkt7, section, stream, words  # noqa: E402
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())


def chip(gpu):
    return section(13, struct.pack("<I", gpu))


# Numbers from Mesa's adreno_pm4.xml and a6xx.xml.
NOP, IB, WFI, EVENT, MARKER, DRAW_STATE, COND = 0x10, 0x3f, 0x26, 0x46, 0x65, 0x43, 0x47
DRAW, MULTI, EXEC_CS, LOAD_GEOM, BLIT, CHAIN, START_BIN, END_BIN = 0x38, 0x2a, 0x33, 0x32, 0x2c, 0x57, 0x50, 0x51
MAX_LAYER = 0x8004  # GRAS_MAX_LAYER_INDEX
BASE, SECOND, THIRD = 0x100001000, 0x100002000, 0x100003000
TRIANGLES = [4 | 2 << 6, 1, 3]  # DI_PT_TRILIST, auto index; instances, vertices

tmp = tempfile.TemporaryDirectory()
path = pathlib.Path(tmp.name) / "a.rd"


def run(data, *args):
    path.write_bytes(data)
    r = subprocess.run([lull, "rd", "show", *map(str, args), path], capture_output=True, text=True, timeout=60)
    return r.returncode, r.stdout, r.stderr


def one(*lists, gpu=630, more=b""):
    data = words(*lists)
    return chip(gpu) + section(2, b"test/1\0\0") + buffer(BASE, data) + more + stream(BASE, len(data) // 4)


def lo_hi(a):
    return [a & 0xffffffff, a >> 32]


def draws(data, *args):
    status, out, err = run(data, "--json", *args)
    try:
        got = json.loads(out)
    except ValueError as e:
        return status, err + str(e), []
    items = got.get("draws") or [p for s in got.get("sections", []) for p in s.get("packets", []) if p["kind"] == "draw"]
    return status, err, items


# Whole: a write, an indirect buffer, a draw.
inner = words(pkt4(MAX_LAYER, 7), pkt7(DRAW, *TRIANGLES))
good = one(pkt4(MAX_LAYER, 3), pkt7(IB, *lo_hi(SECOND), len(inner) // 4), more=buffer(SECOND, inner))
status, out, err = run(good)
case("whole", status == 0 and err == "" and "! GRAS_MAX_LAYER_INDEX = 3" in out and "IB2 0x100002000, 5 dwords {" not in out
     and "IB2 0x100002000, 6 dwords {" in out and "draw 0: CP_DRAW_INDX_OFFSET TRILIST, 3 vertices, 1 instance, at 0x100002008" in out
     and "GRAS_MAX_LAYER_INDEX = 7  (was never written)" in out and "(test/1), a630" in out, (status, out, err))
status, out, err = run(good, "--summary")
case("summary", status == 0 and "1 of 1 registers changed" in out and out.endswith("1 draw, 0 dispatches, 0 blits, 0 events that write pixels\n"),
     (status, out, err))
status, err, got = draws(good)
case("--json", status == 0 and len(got) == 1 and got[0]["vertices"] == 3 and got[0]["registers"] == [
    {"register": "GRAS_MAX_LAYER_INDEX", "offset": "0x8004", "value": "0x7", "text": "7", "changed": True}], got)

# Groups of draw state: by mode, kept over draws, run again in another mode.
group_gmem, group_all = words(pkt4(MAX_LAYER, 1)), words(pkt4(0x8005, 2))  # GRAS_CNTL
state = pkt7(DRAW_STATE, 2 | 1 << 16 | 2 << 20 | 3 << 24, *lo_hi(SECOND), 2 | 7 << 20 | 4 << 24, *lo_hi(THIRD))
data = one(pkt7(MARKER, 2), state, pkt7(DRAW, *TRIANGLES), pkt7(DRAW, *TRIANGLES), pkt7(MARKER, 4), pkt7(DRAW, *TRIANGLES),
           more=buffer(SECOND, group_gmem) + buffer(THIRD, group_all))
status, err, got = draws(data)
names = [[r["register"] for r in d["registers"]] for d in got]
case("groups: by mode, once, again in the next mode", status == 0 and
     names == [["GRAS_CNTL"], [], ["GRAS_MAX_LAYER_INDEX", "GRAS_CNTL"]], (names, err))
status, out, err = run(data)
case("groups in words", "group 3 set: 2 dwords at 0x100002000 for GMEM, dirty" in out and
     out.count("group 3 left out in this mode") == 2 and out.count("IB2 group 4 0x100003000, 2 dwords {") == 2, out)

# A condition on the mode: what is not executed is shown, and does nothing.
cond = pkt7(COND, 3 << 28 | 1 << 27, 5)  # RENDER_MODE, SYSMEM: the next 5 dwords
data = one(pkt7(MARKER, 4), cond, pkt4(MAX_LAYER, 9), pkt7(WFI), pkt4(0x8005, 1)[:2], pkt7(DRAW, *TRIANGLES))
status, err, got = draws(data)
case("a condition that does not hold", status == 0 and [r["register"] for r in got[0]["registers"]] == [], (err, got))
status, err, got = draws(data, "--both")
case("--both", status == 0 and len(got[0]["registers"]) == 2, (err, got))
status, out, err = run(data)
case("a condition in words", "the next 5 dwords are for SYSMEM: not executed" in out and "(not executed) CP_WAIT_FOR_IDLE" in out, out)

# Indirect draws: the values, and no more than the count.
params = words([3, 1, 0, 0, 0, 6, 2, 1, 0, 0, 9, 9, 9, 9, 9])
multi = pkt7(MULTI, TRIANGLES[0], 6, 5, *lo_hi(SECOND), *lo_hi(THIRD), 20)
status, err, got = draws(one(multi, more=buffer(SECOND, params) + buffer(THIRD, words([2]))))
case("indirect draws", status == 0 and got[0]["count"] == 2 and [(p["vertices"], p["instances"], p["first vertex"])
     for p in got[0]["parameters"]] == [(3, 1, 0), (6, 2, 1)], (err, got))

# Constants, as floats and words; a descriptor through a base.
load = pkt7(LOAD_GEOM, 2 | 1 << 14 | 8 << 18 | 1 << 22, 0, 0, 0x3f800000, 0x40490fdb, 64, 0xbf000000)
status, out, err = run(one(load))
case("constants", "c2.x  1 3.14159274 #64 -0.5  | 3f800000 40490fdb 00000040 bf000000" in out, out)
ubo = words([0] * 16, [0x1000, 1 | 16 << 17] + [0] * 14)
data = one(pkt4(0xbb20, *lo_hi(SECOND | 3)), pkt7(LOAD_GEOM, 2 << 14 | 1 << 16 | 8 << 18 | 1 << 22, 16, 0), pkt7(DRAW, *TRIANGLES),
           more=buffer(SECOND, ubo))
status, out, err = run(data)
case("a bindless UBO", status == 0 and "VS UBOs 0..0 at 0x100002040 (bindless set 0)" in out and
     "BASE = 0x100001000 [buffer 0x100001000+0x0]" in out, (out, err))
status, out, err = run(data, "--draw", 0)
case("--draw: bindless sets", status == 0 and "bindless set 0 at 0x100002000" in out and "[1] UBO" in out, (out, err))

status, err, got = draws(data, "--draw", 0)
case("--draw --json: bindless sets", status == 0 and [(b["set"], b["number"], b["kind"]) for b in got[0]["bindless"]] == [(0, 1, "UBO")]
     and "BASE = 0x100001000" in got[0]["bindless"][0]["fields"], (got, err))

# The base of a set says how far apart its descriptors are: 3 is 64 bytes, 1 is 16.
near = words([0] * 4, [0x1000, 1 | 16 << 17, 0, 0], [0] * 24)
for code, number, more in [(3, 1, ubo), (1, 1, near)]:
    status, err, got = draws(one(pkt4(0xbb20, *lo_hi(SECOND | code)), pkt7(DRAW, *TRIANGLES), more=buffer(SECOND, more)), "--draw", 0)
    case(f"descriptors of size code {code}", [(b["number"], b["kind"]) for b in got[0]["bindless"]] == [(number, "UBO")], (got, err))
status, out, err = run(one(pkt4(0xbb20, *lo_hi(SECOND | 1)), pkt7(LOAD_GEOM, 2 << 14 | 1 << 16 | 8 << 18 | 2 << 22, 0, 0), more=buffer(SECOND, near)))
case("a load of descriptors 16 bytes apart", "[1]\n                        { BASE = 0x100001000" in out.replace("BASE = 0x100001000 [buffer 0x100001000+0x0]", "{ BASE = 0x100001000"), out)

# What a descriptor of a set is, the instructions of the shader decide; what none reads is guessed, and said to be.
CODE, SET1, SET2 = 0x100010000, 0x100004000, 0x100005000


def assembled(gpu, text):
    r = subprocess.run([lull, "ir3", "asm", "--gpu", str(gpu), "-"], input=text, capture_output=True, text=True, timeout=60)
    return words([w for h in r.stdout.split() for w in (int(h, 16) & 0xffffffff, int(h, 16) >> 32)])


def cell(*first, each=16):
    return [*first, *[0] * (each - len(first))]


def dispatch(gpu, code, *sets):
    """One dispatch of @p code; of each set: address, size code, dwords."""
    bases = [w for address, size, _ in sets for w in lo_hi(address | size)]
    base = (pkt4(0xb9c0, *bases) if gpu < 700 else []) + pkt4(0xa9e8, *bases)  # HLSQ_, SP_CS_BINDLESS_BASE
    return one(base, pkt4(0xa9bb, 1 << 8), pkt4(0xa9b4, *lo_hi(CODE)), pkt7(EXEC_CS, 0, 1, 1, 1), gpu=gpu,
               more=buffer(CODE, assembled(gpu, code)) + b"".join(buffer(a, words(w)) for a, _, w in sets))


like_a_ubo, like_a_texture = [0x1000, 1 | 16 << 17], [0x30000000, 64, 0, 0, 0x2000, 1, 7, 9]
set0 = (cell(*like_a_ubo) + cell(*like_a_texture) + cell(*like_a_ubo) + cell(*like_a_ubo) + cell() + cell(*like_a_texture) + cell(*like_a_texture)
        + [0] * 16 * 13 + cell(*like_a_ubo))
set1 = [0] * 20 + cell(*like_a_ubo, each=4) + [0] * 4
CASES = [
    ("immediate numbers", 630, """
sam.base0 (f32)(xyzw)r0.x, r1.x, s#2, t#0
ldc.offset0.1.imm.base0 r0.x, 0, 1
stib.b.untyped.1d.u32.1.imm.base0 r0.x, r1.x, 4
isam.base0.1d (u32)(x)r2.x, r1.x, s#3, t#5
ldib.b.untyped.1d.u32.1.imm.base0 r2.x, r1.x, 5
end""", [(0, 0, "texture", "instruction"), (0, 1, "UBO", "instruction"), (0, 2, "sampler", "instruction"),
         (0, 3, "UBO", "guess"),  # isam takes no sampler
         (0, 4, "storage image or buffer", "instruction"), (0, 5, "texture, and storage image or buffer", "instruction"),
         (0, 6, "texture, image or buffer", "guess")]),
    ("a1.x has the texture's number until a6xx", 630, "mova1 a1.x, 161\nsam.base0 (f32)(x)r0.x, r1.x, s#5, a1.x\nend",
     [(0, 0, "UBO", "guess"), (0, 20, "texture", "instruction"), (1, 5, "sampler", "instruction")]),
    ("a1.x has the sampler's number since a7xx", 740, "mova1 a1.x, 41\nsam.base0 (f32)(x)r0.x, r1.x, t#0, a1.x\nend",
     [(0, 0, "texture", "instruction"), (1, 5, "sampler", "instruction")]),
    ("a jump may bring another a1.x", 630, "mova1 a1.x, 161\n(jp)sam.base0 (f32)(x)r0.x, r1.x, s#5, a1.x\nend",
     [(0, 0, "texture", "register"), (0, 1, "texture", "register")]),
    ("a number in a register decides for what no other reads", 630, """
ldc.offset0.1.uniform.base2 r0.x, 0, r1.x
sam.base2 (f32)(x)r0.x, r1.x, s#2, t#0
sam.base2 (f32)(x)r0.x, r1.x, s#6, t#6
end""", [(2, 6, "texture, image or buffer", "guess"),  # instructions do not agree
         (2, 0, "texture", "instruction"), (2, 1, "UBO", "register"), (2, 2, "sampler", "instruction"), (2, 3, "UBO", "register")]),
    ("what is not bindless decides nothing", 630, "sam (f32)(x)r0.x, r1.x, s#2, t#0\nldc.offset0.1.imm r0.x, 0, 1\nend",
     [(0, 0, "UBO", "guess"), (0, 1, "texture, image or buffer", "guess"), (0, 2, "UBO", "guess")]),
]
sets = (SECOND, 3, set0), (SET1, 1, set1), (SET2, 3, set0)
for name, gpu, code, want in CASES:
    data = dispatch(gpu, code, *sets)
    status, err, got = draws(data, "--draw", 0)
    got = [(b["set"], b["number"], b["kind"], b["kind_by"]) for b in got[0]["bindless"]]
    case(f"kinds of descriptors: {name}", status == 0 and [w for w in want if w not in got] == [] and
         [g for g in got if g[3] == "instruction" and g not in want] == [], (got, err))
    if name == "immediate numbers":
        status, out, err = run(data, "--draw", 0)
        case("kinds of descriptors in words", "    [0] texture\n" in out and "    [1] UBO\n" in out and "    [3] UBO (guessed)\n" in out and
             "    [4] storage image or buffer all zero\n" in out, out)
# A texture that the GPU samples before its fragment shader: SP_FS_CONFIG, _OBJ_START, _PREFETCH_CNTL, _PREFETCH, _BINDLESS_PREFETCH.
data = one(pkt4(0xbb20, *lo_hi(SECOND | 3), *lo_hi(SET1 | 1)), pkt4(0xab04, 1 << 8), pkt4(0xa983, *lo_hi(CODE)), pkt4(0xa99e, 1),
           pkt4(0xa99f, 1 << 7 | 0 << 11 | 1 << 28 | 1 << 29), pkt4(0xa9a3, 5 | 2 << 16), pkt7(DRAW, *TRIANGLES),
           more=buffer(CODE, assembled(630, "end")) + buffer(SECOND, words(set0)) + buffer(SET1, words(set1)))
status, err, got = draws(data, "--draw", 0)
got = [(b["set"], b["number"], b["kind"]) for b in got[0]["bindless"] if b["kind_by"] == "instruction"] if got else err
case("kinds of descriptors: a prefetch", got == [(0, 2, "texture"), (1, 5, "sampler")], got)

# What the CP writes to memory, and what it cannot know.
data = one(pkt7(0x3d, *lo_hi(SECOND), 7, 0x1234), pkt7(0x3e, MAX_LAYER, *lo_hi(SECOND + 16)), pkt7(0x42, 0x8005, *lo_hi(SECOND + 4)),
           pkt7(0x42, 0x8006, *lo_hi(0x700000)), more=buffer(SECOND, bytes(64)))
status, out, err = run(data)
case("memory that the CP writes", status == 0 and "memory at 0x100002000 [buffer 0x100002000+0x0] = 00000007 00001234\n" in out
     and "memory at 0x100002010 [buffer 0x100002000+0x10] = 1 unknown dword\n" in out, (out, err))
case("registers from memory", "! GRAS_CNTL = {" in out and " | 0x1000 }" in out and "GRAS_CL_GUARDBAND_CLIP_ADJ = unknown\n" in out, out)

# Indices of 16 bits from the first on.
data = one(pkt7(DRAW, 4 | 1 << 10, 1, 3, 1, *lo_hi(SECOND), 6), more=buffer(SECOND, struct.pack("<6H", 9, 5, 65535, 7, 1, 2)))
status, out, err = run(data, "--draw", 0)
case("--draw: indices", status == 0 and "16-bit indices at 0x100002000, first 1" in out and "indices from 0x100002002: 5 65535 7\n" in out, (out, err))

# Bins: the prefix, then the body, for each.
body = pkt4(MAX_LAYER, 5) + pkt7(BLIT, 3)
data = one(pkt7(START_BIN, 2, *lo_hi(SECOND), 2, len(body)), body, pkt7(END_BIN),
           more=buffer(SECOND, words(pkt4(0x8005, 1), pkt4(0x8005, 2))))
status, err, got = draws(data)
case("bins", status == 0 and [[(r["register"], r["value"]) for r in d["registers"]] for d in got] == [
    [("GRAS_MAX_LAYER_INDEX", "0x5"), ("GRAS_CNTL", "0x1")], [("GRAS_MAX_LAYER_INDEX", "0x5"), ("GRAS_CNTL", "0x2")]], (err, got))

# A chain: what follows does not run.
data = one(pkt7(CHAIN, *lo_hi(SECOND), 2), pkt4(MAX_LAYER, 1), more=buffer(SECOND, words(pkt7(WFI), pkt7(WFI))))
status, out, err = run(data)
case("a chain", status == 0 and out.count("CP_WAIT_FOR_IDLE") == 2 and "MAX_LAYER" not in out, (out, err))

# A query, with wildcards and fields.
data = one(pkt4(MAX_LAYER, 1), pkt4(0x8101, 0x21), pkt7(BLIT, 0), pkt4(MAX_LAYER, 1), pkt7(BLIT, 0), pkt4(MAX_LAYER, 2), pkt7(BLIT, 0))
status, out, err = run(data, "--query", "gras_max*")
rows = [line.split() for line in out.split("\n")[1:-1]]
case("--query", status == 0 and rows == [["0", "blit", "-", "!", "GRAS_MAX_LAYER_INDEX", "1"], ["1", "blit", "-", "GRAS_MAX_LAYER_INDEX", "1"],
     ["2", "blit", "-", "!", "GRAS_MAX_LAYER_INDEX", "2"]], (out, err))
status, out, err = run(data, "--query", "GRAS_MAX_LAYER_INDEX", "--changed", "--json")
got = json.loads(out)["draws"]
case("--query --changed --json", [len(d["registers"]) for d in got] == [1, 0, 1], out)
status, out, err = run(data, "--query", "NO_SUCH")
case("--query of nothing", status == 2 and "no register 'NO_SUCH' in a6xx" in err and out == "", (status, out, err))

# One stream, submit, draw.
two = good + good[12:].replace(b"test/1", b"test/2")
status, out, err = run(two, "--frame", 1)
case("--frame", status == 0 and "stream 1 of submit 1 (test/2)" in out and "stream 0" not in out and "draw 1:" in out, (out, err))
status, out, err = run(two, "--submit", 0)
case("--submit", status == 0 and "test/1" in out and "test/2" not in out, (out, err))
status, out, err = run(two, "--summary", "--process", "test/2")
case("--process", status == 0 and "draw 1" in out and "draw 0" not in out, (out, err))
status, out, err = run(two, "--draw", 1)
case("--draw", status == 0 and out.startswith("draw 1: CP_DRAW_INDX_OFFSET") and "GRAS_MAX_LAYER_INDEX = 7" in out, (out, err))
for option in ["--draw", "--frame", "--submit"]:
    status, out, err = run(two, option, 2)
    case(f"{option} that is not there", status == 2 and "there is no" in err, (status, out, err))

# Tables: written whole or not at all.
out_path = pathlib.Path(tmp.name) / "out.sqlite"
status, out, err = run(two, "--sql", out_path)
with sqlite3.connect(out_path) as db:
    rows = db.execute("SELECT draw, name, value, old, changed FROM registers ORDER BY draw").fetchall()
    state = db.execute("SELECT value FROM state WHERE draw = 1 AND name = 'GRAS_MAX_LAYER_INDEX'").fetchall()
    calls = db.execute("SELECT stream, kind, c.address, found FROM calls c JOIN packets p USING (packet)").fetchall()
    held = db.execute("SELECT submit, address, size, held FROM buffers").fetchall()
case("--sql", status == 0 and out == "" and rows == [(0, "GRAS_MAX_LAYER_INDEX", 7, None, 1), (1, "GRAS_MAX_LAYER_INDEX", 7, 7, 0)]
     and state == [(7,)] and calls == [(0, "ib", SECOND, 6), (1, "ib", SECOND, 6)] and held[0] == (0, BASE, 24, 24), (err, rows, state, calls, held))
status, out, err = run(good[:-6], "--sql", out_path)
with sqlite3.connect(out_path) as db:
    rows = db.execute("SELECT value FROM capture WHERE key = 'error'").fetchall()
case("--sql of a file that is cut", status == 1 and "6 left" in rows[0][0], (status, rows))
status, out, err = run(b"not a capture", "--sql", out_path.with_suffix(".none"))
case("--sql of no capture writes nothing", status == 3 and sorted(p.name for p in pathlib.Path(tmp.name).iterdir()) == ["a.rd", "out.sqlite"], err)
# Killed while it writes: the old file stays, and nothing is beside it. It reads from a pipe that does not end.
old = out_path.read_bytes()
for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL:
    # env: whoever runs the tests may ignore SIGHUP, as nohup does.
    p = subprocess.Popen(["env", "--default-signal", lull, "rd", "show", "--sql", out_path, "-"], stdin=subprocess.PIPE, start_new_session=True)
    p.stdin.write(chip(630) + section(2, b"test".ljust(1 << 16)))
    p.stdin.flush()
    beside = lambda: list(out_path.parent.glob(".lull-*"))  # noqa: E731
    for _ in range(6000):
        if beside() or p.poll() is not None:
            break
        time.sleep(0.01)
    there = len(beside())
    os.killpg(p.pid, sig)  # as a terminal does
    p.wait(60)
    for _ in range(6000):
        if not beside():
            break
        time.sleep(0.01)
    p.stdin.close()
    case(f"--sql: {sig.name}", there == 1 and p.returncode == -sig and beside() == [] and out_path.read_bytes() == old, (there, p.returncode, beside()))
pipe = pathlib.Path(tmp.name) / "pipe"
os.mkfifo(pipe)
for name, bad in [("in no folder", "/nonexistent/out.sqlite"), ("a pipe", pipe), ("a folder", tmp.name)]:
    status, out, err = run(good, "--sql", bad)
    case(f"--sql {name}", status == 3 and err.startswith("lull rd: ") and pipe.is_fifo(), (status, err))

for args in [["--json", "--draw", 9], ["--summary", "--frame", 9], ["--sql", out_path, "--draw", 0], ["--query", "GRAS_CNTL", "--draw", 9]]:
    status, out, err = run(two, *args)
    case(f"{' '.join(map(str, args[:1] + args[-2:]))}: nothing is printed", status == 2 and err != "" and (out == "" or "--query" in args), (status, out))
status, out, err = run(chip(630), "--query", "GRAS_CNTL", "--json")
case("a query without streams", status == 0 and json.loads(out)["draws"] == [], (status, out, err))

# Other generations: packets that only they have. pkt0, pkt3: headers of a2xx to a4xx.
def pkt0(reg, *values):
    return [len(values) - 1 << 16 | reg, *values]


def pkt3(op, *values):
    return [3 << 30 | len(values) - 1 << 16 | op << 8, *values]


for name, data, want in [
        ("a2xx: CP_SET_CONSTANT", one(pkt3(0x2d, 4 << 16 | 0x80, 1, 2), pkt3(0x22, 0, 4 | 2 << 6, 3), gpu=220),
         [("CP_DRAW_INDX", "TRILIST", 3, ["PA_SC_WINDOW_OFFSET", "PA_SC_WINDOW_SCISSOR_TL"])]),
        ("a3xx: type 0, a draw of nothing is none", one(pkt0(0x2040, 5), [0x80000000], pkt3(0x22, 0, 4 | 2 << 6, 0), pkt3(0x22, 0, 6 | 2 << 6, 4), gpu=320),
         [("CP_DRAW_INDX", "TRISTRIP", 4, ["GRAS_CL_CLIP_CNTL"])]),
        ("a5xx: CP_CONTEXT_REG_BUNCH", one(pkt7(0x5c, 0xe000, 1, 0xe001, 2), pkt7(DRAW, *TRIANGLES), gpu=540),
         [("CP_DRAW_INDX_OFFSET", "TRILIST", 3, ["GRAS_CL_CNTL", "GRAS_VS_CL_CNTL"])]),
        ("a7xx: CP_CONTEXT_REG_BUNCH2, a table of draws", one(pkt7(0x5d, 0, 0, 0x8000, 1), pkt7(0x7f, *lo_hi(SECOND), 4 << 20, 2), gpu=740,
         more=buffer(SECOND, words(pkt7(DRAW, *TRIANGLES), pkt7(DRAW, TRIANGLES[0], 1, 6)))),
         [("CP_DRAW_INDX_OFFSET", "TRILIST", 3, ["GRAS_CL_CNTL"]), ("CP_DRAW_INDX_OFFSET", "TRILIST", 6, [])])]:
    status, err, got = draws(data)
    got = [(d["packet"], d["what"], d["vertices"], [r["register"] for r in d["registers"]]) for d in got]
    case(name, status == 0 and got == want, (err, got))

# Two captures compared.
def compare(a, b, *args):
    for name, data in [("x.rd", a), ("y.rd", b)]:
        (pathlib.Path(tmp.name) / name).write_bytes(data)
    r = subprocess.run([lull, "rd", "diff", *args, "x.rd", "y.rd"], capture_output=True, text=True, timeout=60, cwd=tmp.name)
    return r.returncode, r.stdout, r.stderr


def frame(layer, vertices=3, extra=(), constant=0x3f800000, address=0x5000, end=3, stages=True):
    shader = struct.pack("<4Q", 0x4018000000040001, 0x4018000000040001 + end, 0x0300000000000000, 0)  # add.f, add.f, end
    return one(pkt4(0xa81c, *lo_hi(SECOND)), pkt4(0xa823, 0x100 if stages else 0), pkt4(MAX_LAYER, layer), pkt4(0x8c18, *lo_hi(address)),
               pkt7(LOAD_GEOM, 1 << 14 | 8 << 18 | 1 << 22, 0, 0, constant, 0, 0, 0), pkt7(DRAW, TRIANGLES[0], 1, vertices), *extra,
               pkt7(BLIT, 3), more=buffer(SECOND, shader))


status, out, err = compare(frame(1), frame(1))
case("diff of the same", status == 0 and out.endswith("2 draws are the same, 0 differ, 0 only in x.rd, 0 only in y.rd\n"), (out, err))
status, out, err = compare(frame(1), frame(2))
case("diff: a register", status == 1 and "draw 0: CP_DRAW_INDX_OFFSET TRILIST\n  - GRAS_MAX_LAYER_INDEX = 1\n  + GRAS_MAX_LAYER_INDEX = 2\n"
     "1 draws are the same, 1 differ" in out, (out, err))
status, out, err = compare(frame(1), frame(1, vertices=6))
case("diff: a size", status == 1 and "  - vertices = 3\n  + vertices = 6\n" in out, (out, err))
status, out, err = compare(frame(1), frame(1, constant=0x40000000))
case("diff: constants", status == 1 and "  - VS constants 0 = 1 0 0 0\n  + VS constants 0 = 2 0 0 0\n" in out, (out, err))
status, out, err = compare(frame(1), frame(1, end=4))
case("diff: a shader", status == 1 and "VS instruction 1 = " in out and "VS instruction 0" not in out, (out, err))
status, out, err = compare(frame(1), frame(1, stages=False))
case("diff: a stage that is off", status == 1 and "  + VS = none" in out, (out, err))
status, out, err = compare(frame(1), frame(1, extra=[pkt7(BLIT, 0)]))
case("diff: a draw more", status == 1 and "+ blit 1 only in y.rd: CP_BLIT BLIT_OP_FILL\n2 draws are the same, 0 differ, 0 only in x.rd, 1 only in y.rd" in out,
     (out, err))
status, out, err = compare(frame(1, extra=[pkt7(BLIT, 0)]), frame(1), "--json")
got = json.loads(out)
case("diff --json", status == 1 and got["differences"] == [{"kind": "only_a", "a": 1, "type": "blit", "what": "CP_BLIT BLIT_OP_FILL"}]
     and (got["same"], got["differ"], got["only_a"], got["only_b"]) == (2, 0, 1, 0), (out, err))
status, out, err = compare(frame(1), frame(2), "--json")
got = json.loads(out)
case("diff --json: a register", got["differences"][0]["registers"] == [{"name": "GRAS_MAX_LAYER_INDEX", "a": "1", "b": "2"}], (out, err))
status, out, err = compare(frame(1), frame(1, address=0x6000))
case("diff: an address", status == 1 and "RB_2D_DST = 0x5000" in out, (out, err))
status, out, err = compare(frame(1), frame(1, address=0x6000), "--ignore-addresses")
case("diff --ignore-addresses", status == 0, (out, err))
# Packets that change no register.
INVALIDATE, MEM_WRITE = pkt7(EVENT, 0x31), 0x3d
status, out, err = compare(frame(1, extra=[INVALIDATE, pkt7(WFI), pkt7(WFI)]), frame(1))
case("diff: waits and invalidations that are gone", status == 1 and "blit 1: CP_BLIT BLIT_OP_SCALE\n  - packet CP_EVENT_WRITE  EVENT = CACHE_INVALIDATE\n"
     "  - packet CP_WAIT_FOR_IDLE  (2 times)\n1 draws are the same, 1 differ" in out, (out, err))
status, out, err = compare(frame(1, extra=[pkt7(WFI), INVALIDATE]), frame(1, extra=[INVALIDATE, pkt7(WFI)]))
case("diff: another order", status == 1 and out.count("packet") == 2, (out, err))
status, out, err = compare(one(pkt7(BLIT, 3), pkt7(WFI)), one(pkt7(BLIT, 3)))
case("diff: after the last draw", status == 1 and "after the last draw\n  - packet CP_WAIT_FOR_IDLE\n1 draws are the same, 1 differ" in out, (out, err))
status, out, err = compare(one(pkt7(MEM_WRITE, *lo_hi(0x5000), 1)), one(pkt7(MEM_WRITE, *lo_hi(0x6000), 1)))
case("diff: the address of a write", status == 1 and "ADDR = 0x5000" in out, (out, err))
status, out, err = compare(one(pkt7(MEM_WRITE, *lo_hi(0x5000), 1)), one(pkt7(MEM_WRITE, *lo_hi(0x6000), 1)), "--ignore-addresses")
case("diff --ignore-addresses: the address of a write", status == 0, (out, err))
status, out, err = compare(one(pkt7(MEM_WRITE, *lo_hi(0x5000), 1)), one(pkt7(MEM_WRITE, *lo_hi(0x6000), 2)), "--ignore-addresses")
case("diff --ignore-addresses: what is written", status == 1, (out, err))
status, out, err = compare(one(pkt7(WFI), pkt7(BLIT, 3)), one(pkt7(BLIT, 3)), "--json")
case("diff --json: a packet", json.loads(out)["differences"][0]["packets"] == [{"a": "CP_WAIT_FOR_IDLE", "times": 1}], (out, err))
status, out, err = compare(one(pkt4(MAX_LAYER, 0), pkt7(BLIT, 3)), one(pkt7(BLIT, 3)))
case("diff: never written", status == 1 and "  - GRAS_MAX_LAYER_INDEX = 0\n  + GRAS_MAX_LAYER_INDEX = never written\n" in out, (out, err))

status, out, err = compare(frame(1), frame(1)[:-4])
case("diff of a damaged one", status == 1 and "y.rd: byte" in err and "only in x.rd" in out, (out, err))
status, out, err = compare(frame(1), b"no capture")
case("diff of no capture", status == 3 and "y.rd" in err, (out, err))

# What is wrong is told with its place, and the rest is decoded.
for name, data, want, has in [
        ("an indirect buffer that calls itself", one(pkt7(IB, *lo_hi(BASE), 5), pkt7(WFI)), "byte 56 (0x100001000): the buffer at 0x100001000 calls itself", "CP_WAIT"),
        ("a stream beyond its buffer", good[:-20] + stream(BASE, 1000), "stream 0 of 1000 dwords at 0x100001000: the capture has 6", "draw 0"),
        ("an indirect buffer to nowhere", one(pkt7(IB, *lo_hi(0x5000), 4), pkt7(WFI)), "(0x100001000): 4 dwords at 0x5000: the capture has 0", "CP_WAIT"),
        ("no packet", one([0x12345678], pkt7(WFI)), "0x12345678 is not a packet header: 1 dwords skipped", "CP_WAIT"),
        ("a packet beyond the end", one(pkt7(WFI), pkt4(MAX_LAYER, 1, 2)[:2]), "packet of 3 dwords, 2 are left", "MAX_LAYER"),
        ("an unknown chip", section(14, struct.pack("<Q", 0x99000000)) + good[12:], "no generation is known for chip id 0x99000000", "CMD"),
        ("no chip", good[12:], "the capture does not name its GPU", "CMD"),
        ("a file that is cut", good[:-6], "payload of 12 bytes, 6 left", "BUFFER_CONTENTS"),
        ("a section beyond the file", good + struct.pack("<II", 12, 1 << 29), "payload of 536870912 bytes, 0 left", "draw 0"),
        ("a bomb of zeros", gzip.compress(good + bytes(1 << 22)), "65536 empty sections in a row", "draw 0"),
        ("a bomb of ones", gzip.compress(good + b"\xff" * (1 << 22)), "65536 empty sections in a row", "draw 0"),
        ("contents larger than the buffer", chip(630) + section(3, struct.pack("<III", 0x1000, 4, 0)) + section(12, b"12345678"),
         "buffer of 4 bytes, the capture has 8 of it", "CONTENTS")]:
    status, out, err = run(data)
    case(name, status == 1 and want in err and has in out, (status, out, err))
    status, out, err = run(data, "--json")
    case(f"{name}, --json", status == 1 and len(json.loads(out)) > 0, (status, out, err))
status, out, err = run(b"not a capture")
case("no capture", status == 3 and f"{path}: byte 0:" in err and out == "", (status, out, err))
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull stomp CAPTURE.rd: captures put together here, of which the test knows what they count on. stomp_capture.py LULL TRACES.

What must be found follows from the packets: a register that is copied to memory without having been set, say."""
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from rd_bytes import pkt4, pkt7, place, section  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, traces = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
keep = tempfile.TemporaryDirectory()
tmp = pathlib.Path(keep.name)
CHIPS = {"a630": 0x06030001, "a740": 0x43050A01}
CMD, DATA, ZEROS, LOW = 0x100000000, 0x100020000, 0x100100000, 0x1020000
# Registers: data/adreno/a6xx.dom. Opcodes: Mesa 25.0.7 adreno_pm4.xml.
DITHER, ALPHA, ADD_OFFSET, DST_HI, COLOUR, ALWAYS_ON = 0x880E, 0x8864, 0xA009, 0x8C19, 0x8C2C, 0x0980
REG_TO_MEM, MEM_TO_MEM, MEM_WRITE, WAIT_REG_MEM, SET_MARKER, BLIT, NOP = 0x3E, 0x73, 0x3D, 0x3C, 0x65, 0x2C, 0x10
BOTH = ["--flags", "cmdbuf,renderpass"]


def lo_hi(address):
    return address & 0xFFFFFFFF, address >> 32


def copy(reg, to):
    return pkt7(REG_TO_MEM, reg, *lo_hi(to))


def buffer(address, data, size=None):
    """A range; without contents if @data is None."""
    return place(3, address, size or len(data)) + (section(12, data) if data is not None else b"")


def submit(packets, *more):
    data = struct.pack(f"<{len(packets)}I", *packets)
    return section(2, b"prog/1\0\0") + buffer(CMD, data) + b"".join(more) + place(6, CMD, len(packets))


def chip(name="a630"):
    return section(14, struct.pack("<Q", CHIPS[name]))


def run(data, *args, name="a.rd", command="stomp"):
    (tmp / name).write_bytes(data)
    r = subprocess.run([lull, command, *map(str, args), name], capture_output=True, text=True, timeout=120, cwd=tmp)
    return r.returncode, r.stdout, r.stderr


def found(data, *args):
    r = run(data, "--json", *args)
    try:
        got = json.loads(r[1])
    except ValueError:
        return r
    return r[0], [x["offset"] if isinstance(x, dict) else x for x in got.get("registers", got.get("pages"))]


def fill(address, *without):
    """A fill of 16 by 1 texels in a render pass. Source: tests/cli/adreno/stale.c; Mesa a6xx.xml."""
    control = 1 << 7 | 0x4B << 8 | 0xF << 20 | 6 << 24
    state = [(0x8400, control), (0x8C00, control), (0x8405, 0), (0x8406, 15), None, (0x8C01, 0), (0x8C17, 0x4B), (0x8C18, address & 0xFFFFFFFF),
             (DST_HI, address >> 32), (0x8C1A, 1), (0x8C2C, 7), (0x8C2D, 7), (0x8C2E, 7), (0x8C2F, 7)]
    return [w for s in state for w in (pkt7(SET_MARKER, 1) if s is None else [] if s[0] in without else pkt4(*s))] + pkt7(BLIT, 3)


data = buffer(DATA, bytes(64))
one = chip() + submit(copy(DITHER, DATA), data)
two = chip() + submit(copy(ALPHA, DATA) + copy(ADD_OFFSET, DATA + 4), data)
both = """lull() { "$LULL" "$@"; }; lull replay $LULL_STOMP --dump 0x100020000:8=both.bin "$1" && [ "$(od -An -tx1 both.bin | tr -d ' \\n')" = ffffffffffffffff ]"""
waits = chip() + submit(pkt7(WAIT_REG_MEM, 3, ADD_OFFSET, 0, 0, 0xFFFFFFFF, 16))
low = chip() + submit(fill(LOW, DST_HI), buffer(LOW, bytes(64)))
for what, capture, args, want in (
        ("a register", one, [], (1, ["0x880e"])),
        ("of a740", chip("a740") + submit(copy(ADD_OFFSET, DATA), data), [], (1, ["0xa009"])),
        ("the first of two", two, [], (1, ["0x8864"])),
        ("two together", two, ["--while", f"exit LULL={lull}; {both}"], (1, ["0x8864", "0xa009"])),
        ("one that packets set", chip() + submit(pkt4(DITHER, 0) + copy(DITHER, DATA), data), [], (0, [])),
        ("out of the range", one, ["--range", "0x9000,0xbe01"], (0, [])),
        ("in the range", one, ["--range", "0x880e,0x880e"], (1, ["0x880e"])),
        ("outside of a range", one, ["--range", "0x8000,0x8800", "--flags", "cmdbuf,inverse"], (1, ["0x880e"])),
        ("left out by a range", one, ["--range", "0x880e,0x8864", "--flags", "inverse"], (0, [])),
        ("bytes that differ", two, ["--while", f"differs {DATA + 4:#x}:4"], (1, ["0xa009"])),
        ("other bytes", two, ["--while", f"differs {DATA + 8:#x}:8"], (0, [])),
        ("while bytes are there", two, ["--while", f"bytes {DATA + 4:#x}:2=ffff"], (1, ["0xa009"])),
        ("while other bytes are there", two, ["--while", f"bytes {DATA + 4:#x}:2=fffe"], (0, [])),
        ("until bytes are there", two, ["--until", f"bytes {DATA + 4:#x}:4=00000000"], (1, ["0xa009"])),
        ("a fault", low, [*BOTH, "--while", "fault"], (1, ["0x8c19"])),
        ("no fault", one, ["--while", "fault"], (0, [])),
        ("a hang", waits, ["--while", "hang"], (1, ["0xa009"])),
        ("a hang is a difference", waits, [], (1, ["0xa009"])),
        ("at a render pass", chip() + submit(fill(DATA, COLOUR), data), BOTH, (1, ["0x8c2c"])),
        ("not at a render pass", chip() + submit(fill(DATA, COLOUR), data), [], (0, [])),
        ("in the second submit", chip() + submit(pkt7(NOP)) + submit(copy(DITHER, DATA), data), [], (1, ["0x880e"])),
        ("in the first of two submits", one + submit(pkt7(NOP)), [], (1, ["0x880e"])),
        # A counter of time moves with the packets in front; that is nobody's stale register.
        ("time", chip() + submit(copy(ALWAYS_ON, DATA), data), BOTH, (0, []))):
    got = found(capture, *args)
    case(what, got == want, (got, want))

# Memory: pages of zeros that a packet copies from. A page of anything else is the program's own.
ones = b"\1" * 4096
zeros = bytes(4096)


def reads(*addresses):
    return [w for i, a in enumerate(addresses) for w in pkt7(MEM_TO_MEM, 0, *lo_hi(DATA + 4 * i), *lo_hi(a))]


full = buffer(DATA, b"\2" * 64)
page = f"{ZEROS + 0x2000:#x}"
for what, capture, args, want in (
        ("a page", chip() + submit(reads(ZEROS + 0x2010), full, buffer(ZEROS, ones + zeros + zeros)), [], (1, [page])),
        ("a page that is not captured", chip() + submit(reads(ZEROS + 0x2010), full, buffer(ZEROS, None, 0x3000)), [], (1, [page])),
        ("a part of a page", chip() + submit(reads(ZEROS + 0x2010), full, buffer(ZEROS + 0x2000, bytes(64))), [], (1, [page])),
        ("the other page", chip() + submit(reads(ZEROS + 0x10), full, buffer(ZEROS, ones + zeros)), [], (0, [])),
        ("a page that is written first", chip() + submit(pkt7(MEM_WRITE, *lo_hi(ZEROS + 0x2010), 0) + reads(ZEROS + 0x2010), full,
                                                         buffer(ZEROS, ones + zeros + zeros)), [], (0, [])),
        ("read by the second submit", chip() + submit(pkt7(NOP), buffer(ZEROS, zeros)) + submit(reads(ZEROS + 16), full, buffer(ZEROS, zeros)), [],
         (1, [f"{ZEROS:#x}"])),
        ("written by then", chip() + submit(pkt7(NOP), buffer(ZEROS, zeros)) + submit(reads(ZEROS + 16), full, buffer(ZEROS, b"\5" * 4096)), [], (0, [])),
        ("left by the first submit", chip() + submit(pkt7(MEM_WRITE, *lo_hi(ZEROS + 16), 0), buffer(ZEROS, None, 4096))
         + submit(reads(ZEROS + 16), full, buffer(ZEROS, None, 4096)), [], (0, [])),
        ("two pages together", chip() + submit(reads(ZEROS, ZEROS + 0x2000), full, buffer(ZEROS, zeros * 3)), ["--while", f"exit LULL={lull}; {both}"],
         (1, [f"{ZEROS:#x}", page]))):
    got = found(capture, "--memory", *args)
    case(f"memory: {what}", got == want, (got, want))

# In words; what was found can be seen by lull replay.
r = run(two, "--while", f"differs {DATA + 4:#x}:4")
case("in words", r[0] == 1 and r[2] == "" and r[1].startswith("passes  with no garbage\nfails  ") and r[1].endswith(
    "\na.rd fails with garbage in this register:\n  0xa009 VFD_ADD_OFFSET, which drivers set in each command buffer\n    fields: VERTEX, INSTANCE\n"), r)
r = run(chip() + submit(reads(ZEROS + 0x10), full, buffer(ZEROS, zeros)), "--memory")
case("memory, in words", r[0] == 1 and r[1].endswith(f"\na.rd fails with garbage in this page:\n  4096 bytes at {ZEROS:#x}, zeros in the capture\n"), r)
r = run(chip() + submit(pkt7(NOP)))
case("nothing, in words", r[0] == 0 and r[1].endswith("\na.rd passes, whatever registers hold.\n"), r)
for args, want in ((["--stomp", "0x880e"], "ffffffff"), (["--stomp", "0x880f"], "00000000"), (["--stomp", "0x880e", "--stomp-at", "renderpass"], "00000000")):
    r = run(one, *args, "--dump", f"{DATA:#x}:4=d.bin", command="replay")
    case(f"replay {' '.join(args)}", r[0] == 0 and (tmp / "d.bin").read_bytes().hex() == want, r)

# What is wrong.
missing = chip() + submit(pkt7(0x3F, *lo_hi(DATA), 4), buffer(DATA, None, 64))
for what, capture, args, status, words in (
        ("no capture", b"#!/bin/sh\n", [], 3, "a.rd: "),
        ("fails anyway", chip() + submit(pkt7(WAIT_REG_MEM, 3, ADD_OFFSET, 0, 1, 0xFFFFFFFF, 16)), ["--while", "hang"], 3, "a.rd fails with no garbage, too"),
        ("contents that are missing", missing, [], 3, "taken without rd_full"),
        ("no page of zeros", chip() + submit(pkt7(NOP)), ["--memory"], 3, "no page of the capture is zeros"),
        ("a predicate", one, ["--while", "often"], 2, "is none of fault, hang, 'bytes ADDR:SIZE=HEX', 'exit CMD', differs"),
        ("bytes to compare", one, ["--while", "differs 5"], 2, "is not differs ADDR:SIZE"),
        ("two predicates", one, ["--while", "hang", "--until", "fault"], 2, "--while and --until do not go together"),
        ("a range of memory", one, ["--memory", "--range", "1,2"], 2, "--range and --flags are of registers"),
        ("a GPU", one, ["--gpu", "gfx1100"], 2, "there are a630, a660 and a740"),
        ("a GPU of another generation", one, ["--gpu", "a740"], 3, "the capture is of an a6xx"),
        ("no registers", one, ["--range", "0x1,0x2"], 2, "no register there")):
    r = run(capture, *args)
    case(f"wrong: {what}", r[0] == status and words in r[2] and "Sanitizer" not in r[2], r)
r = subprocess.run([lull, "stomp", tmp / "none.rd"], capture_output=True, text=True)
case("wrong: no file", r.returncode == 3 and "none.rd" in r.stderr and r.stdout == "", r)
r = run(one, "--minimise", "--while", "differs", "-o", "s.rd", command="replay")
case("wrong: --minimise --while differs", r[0] == 2 and "--while differs is of lull stomp" in r[2], r)

# Turnip's own: it sets what it reads; without GRAS_SU_CNTL, which culls, there is no triangle.
if traces.is_dir():
    path = traces / "adreno-draws/630_sysmem_tri.rd.gz"
    triangle = gzip.decompress(path.read_bytes())
    got = found(triangle, *BOTH)
    case("a triangle of Turnip's", got == (0, []), got)
    got = found(triangle.replace(struct.pack("<I", pkt4(0x8090, 0)[0]), struct.pack("<I", pkt7(NOP, 0)[0])), *BOTH)
    case("a triangle without GRAS_SU_CNTL", got == (1, ["0x8090"]), got)
    for name in ("630_sysmem_msaa", "630_sysmem_ts", "630_gmem_big"):
        r = subprocess.run([lull, "stomp", "--json", *BOTH, traces / f"adreno-draws/{name}.rd.gz"], capture_output=True, text=True)
        case(name, r.returncode == 0, r)
    # The register that lull rd check names in this old one (tests/cli/rd_check.py), found without knowing that anyone should set it.
    old = next(traces.glob("dEQP*.rd.gz"))
    r = subprocess.run([lull, "stomp", "--json", "--gpu", "a630", old], capture_output=True, text=True)
    got = [x["offset"] for x in json.loads(r.stdout)["registers"]]
    case("an old Turnip left RB_DITHER_CNTL to whoever was before", r.returncode == 1 and got == ["0x880e"], r)
else:
    skip(f"no captures in {traces}")
end()

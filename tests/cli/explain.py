#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull explain. explain.py LULL SOURCE. Numbers are those of Mesa's XML files and Linux's headers, written down by hand."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

lull, source = sys.argv[1], pathlib.Path(sys.argv[2])

# Arguments, and expressions that lines of the answer match (at their start), each in this order.
ROWS = [
    (["RB_BLEND_CNTL", "--gen", "6"], ["RB_BLEND_CNTL: register of A6XX, 0x8865", " *7:0 +ENABLE_BLEND", " *8 +INDEPENDENT_BLEND", " *31:16 +SAMPLE_MASK"]),
    (["rb_blend_cntl=0x101", "--gen", "6"], ["RB_BLEND_CNTL", r" *0x101 = .*ENABLE_BLEND = 0x1 .*INDEPENDENT_BLEND"]),
    (["0x8865", "--gen", "6"], ["RB_BLEND_CNTL: register of A6XX, 0x8865"]),
    (["RB_MRT[2].CONTROL", "--gen", "6"], [r"RB_MRT\[0x2\]\.CONTROL: register of A6XX, 0x8830", " *0 +BLEND"]),
    (["0x8830", "--gen", "6"], [r"RB_MRT\[0x2\]\.CONTROL"]),
    (["CP_WAIT_REG_MEM"], ["CP_WAIT_REG_MEM: packet 0x3c of Adreno", " *dword 0", " *2:0 +FUNCTION", " *3 = WRITE_EQ", " *dword 1"]),
    (["CP_SET_DRAW_STATE", "--adreno"], ["CP_SET_DRAW_STATE: packet 0x43 of Adreno"]),
    (["CACHE_FLUSH_TS", "--adreno"], ["CACHE_FLUSH_TS: 4 in vgt_event_type"]),
    (["a6xx_tile_mode"], ["a6xx_tile_mode: enum of Adreno", " *0 = TILE6_LINEAR", " *2 = TILE6_2", " *3 = TILE6_3"]),
    (["FMT6_8_8_8_8_UNORM"], ["FMT6_8_8_8_8_UNORM: 48 in a6xx_format"]),
    (["regSQ_CMD"], ["SQ_CMD: register of gfx11, byte 0x8dec", r" *\d+:\d+ +CMD", " *3 = KILL", " *5 = TRAP"]),
    (["mmSQ_CMD=3"], ["SQ_CMD", " *0x00000003 CMD=KILL"]),
    (["0x2a400", "--amd"], ["GRBM_GFX_CNTL: register of gfx11, byte 0x2a400", " *7:4 +VMID"]),
    (["WRITE_DATA", "--amd"], ["WRITE_DATA: PM4 packet 0x37 of gfx11"]),
    (["DISPATCH_DIRECT"], ["DISPATCH_DIRECT: PM4 packet 0x15 of gfx11"]),
    (["uche"], [r"UCHE \(Adreno\): .*cache"]),
    (["ME"], [r"ME \(Adreno\)", r"ME \(AMD\)"]),
    (["ME", "--amd"], [r"ME \(AMD\)"]),
    (["NUM_UNIT"], ["NUM_UNIT: bits 31:22 of dword 0 in CP_LOAD_STATE"]),
]
# Arguments, exit status, what standard error says.
REFUSED = [
    (["xyzzy"], 1, "xyzzy: lull does not know it\n"),
    (["blend_cnt"], 1, "names with it: .*RB_BLEND_CNTL"),
    (["RB_MRT[8].CONTROL", "--gen", "6"], 1, "does not know"),
    (["0xffff0000"], 1, "does not know"),
    (["RB_BLEND_CNTL=x"], 2, "RB_BLEND_CNTL: 'x' is not a number"),
    (["0x12zz"], 2, "is not a number"),
    (["=1"], 2, "WORD is empty"),
    ([], 2, "WORD"),
    (["--gen", "8", "CP"], 2, "2 to 7"),
]


def run(args):
    return subprocess.run([lull, "explain", *args], capture_output=True, text=True, check=False)


for args, wanted in ROWS:
    r = run(args)
    lines = iter(r.stdout.splitlines())
    missing = [w for w in wanted if not any(re.match(w, line) for line in lines)]
    case(" ".join(args), r.returncode == 0 and not missing, (missing, r))
for args, status, words in REFUSED:
    r = run(args)
    case(f"refused: {' '.join(args)}", r.returncode == status and re.search(words, r.stderr) is not None and r.stdout == "", r)
terms = [[p.strip() for p in line.split("|")] for line in (source / "data/terms/gpu.terms").read_text().splitlines() if line and line[0:2] not in ("# ", "#")]
r = run([t[0] for t in terms])
case("all terms", r.returncode == 0 and len(terms) > 100 and all(t[2] in r.stdout for t in terms), [t for t in terms if t[2] not in r.stdout])
r = run(["UCHE", "xyzzy", "CCU"])
case("one of three is not known", r.returncode == 1 and "UCHE" in r.stdout and "CCU" in r.stdout and "xyzzy" in r.stderr, r)
tap.end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Offsets that lull link makes immediates of loads: which, which not, and that the code computes the same. fold.py LULL.

Code runs on the model with s[0:1] = the address of a table of buffer addresses: descriptors of two dwords in a layout. Buffer 0
takes the results, buffer k holds 100 * k + i in dword i."""
import array
import json
import pathlib
import sys
import tempfile

from lib import Elf, assemble, case, layout, run, shader, tap

lull = sys.argv[1]
BUFFERS = 4
NODES = [{"type": "table", "set": 0, "nodes":
          [{"type": "buffer_compact", "binding": k} for k in range(BUFFERS)] +
          [{"type": "buffer", "binding": 7, "offset": 0xfffff // 4 - 3}, {"type": "buffer", "binding": 8, "offset": 0x100000 // 4}]}]
OFF = "s_mov_b32 {}, doff_0_{}_b@abs32@lo\n"
PUT = "s_waitcnt lgkmcnt(0)\nv_mov_b32 v1, s6\ns_load_b64 s[2:3], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" \
      "v_lshlrev_b32 v0, 2, v0\nglobal_store_b32 v0, v1, s[2:3]\ns_endpgm"


def off(reg, k):
    return OFF.format(reg, k)


# name, code, moves and loads that are folded, the result (None: not run)
CASES = [
    ("one load", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\ns_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], 0xc\n" + PUT, 1, 1, 103),
    ("two loads of one offset", off("s4", 2) + "s_load_b64 s[8:9], s[0:1], s4\ns_load_b32 s7, s[0:1], s4\ns_waitcnt lgkmcnt(0)\n"
     "s_load_b32 s6, s[8:9], 0x4\n" + PUT, 1, 2, 201),
    ("an immediate besides", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4 offset:0x8\ns_waitcnt lgkmcnt(0)\n"
     "s_load_b32 s6, s[8:9], 0x4\n" + PUT, 1, 1, 201),
    ("it overwrites its own offset", off("s6", 3) + "s_load_b64 s[6:7], s[0:1], s6\ns_waitcnt lgkmcnt(0)\n"
     "s_load_b32 s6, s[6:7], null\n" + PUT, 1, 1, 300),
    ("two offsets, one register", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\n" + off("s4", 2) +
     "s_load_b64 s[10:11], s[0:1], s4\ns_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], 0x4\ns_load_b32 s7, s[10:11], 0x4\n"
     "s_waitcnt lgkmcnt(0)\ns_add_i32 s6, s6, s7\n" + PUT, 2, 2, 302),
    ("a load in a loop", off("s4", 1) + "s_mov_b32 s5, 3\ns_mov_b32 s6, 0\nagain:\ns_load_b64 s[8:9], s[0:1], s4\ns_waitcnt lgkmcnt(0)\n"
     "s_load_b32 s7, s[8:9], 0x8\ns_waitcnt lgkmcnt(0)\ns_add_i32 s6, s6, s7\ns_add_i32 s5, s5, -1\ns_cmp_lg_u32 s5, 0\n"
     "s_cbranch_scc1 again\n" + PUT, 1, 1, 306),
    ("a branch over a load", off("s4", 1) + off("s5", 2) + "s_mov_b32 s6, 9\ns_cmp_eq_u32 s6, 8\ns_cbranch_scc1 over\n"
     "s_load_b64 s[8:9], s[0:1], s4\ns_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\nover:\ns_load_b64 s[10:11], s[0:1], s5\n"
     "s_waitcnt lgkmcnt(0)\ns_load_b32 s7, s[10:11], null\ns_waitcnt lgkmcnt(0)\ns_add_i32 s6, s6, s7\n" + PUT, 2, 2, 300),
    ("a buffer load", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], 0x18\ns_mov_b32 s10, 64\ns_mov_b32 s11, 0x31016fac\n"
     "s_waitcnt lgkmcnt(0)\ns_and_b32 s9, s9, 0xffff\ns_buffer_load_b32 s6, s[8:11], s4\n" + PUT, 1, 1, 302),
    ("another use", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\ns_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\n"
     "s_waitcnt lgkmcnt(0)\ns_add_i32 s6, s6, s4\n" + PUT, 0, 0, 108),
    ("a use by a lane", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\ns_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\n"
     "s_waitcnt lgkmcnt(0)\nv_mov_b32 v3, s4\nv_readfirstlane_b32 s7, v3\ns_add_i32 s6, s6, s7\n" + PUT, 0, 0, 108),
    ("two values meet", "s_mov_b32 s6, 1\n" + off("s4", 1) + "s_cmp_eq_u32 s6, 1\ns_cbranch_scc0 meet\n" + off("s4", 2) +
     "meet:\ns_load_b64 s[8:9], s[0:1], s4\ns_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\n" + PUT, 0, 0, 200),
    ("two values meet in a loop", "s_mov_b32 s5, 2\n" + off("s4", 1) + "s_mov_b32 s6, 0\nround:\ns_load_b64 s[8:9], s[0:1], s4\n"
     "s_waitcnt lgkmcnt(0)\ns_load_b32 s7, s[8:9], null\ns_waitcnt lgkmcnt(0)\ns_add_i32 s6, s6, s7\n" + off("s4", 2) +
     "s_add_i32 s5, s5, -1\ns_cmp_lg_u32 s5, 0\ns_cbranch_scc1 round\n" + PUT, 0, 0, 300),
    ("as the base, too", off("s4", 1) + "s_mov_b32 s5, 0\ns_load_b64 s[8:9], s[0:1], s4\ns_add_u32 s10, s0, 8\ns_mov_b32 s11, s1\n"
     "s_mov_b64 s[4:5], s[10:11]\ns_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\n" + PUT, 1, 1, 100),
    ("a pair that holds it is read", off("s4", 1) + "s_mov_b32 s5, 0\ns_load_b64 s[8:9], s[0:1], s4\ns_mov_b64 s[10:11], s[4:5]\n"
     "s_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\ns_waitcnt lgkmcnt(0)\ns_add_i32 s6, s6, s10\n" + PUT, 0, 0, 108),
    ("read by a relative move", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\ns_mov_b32 m0, 2\ns_movrels_b32 s7, s2\n"
     "s_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\ns_waitcnt lgkmcnt(0)\ns_add_i32 s6, s6, s7\n" + PUT, 0, 0, 108),
    ("in the base of the same load", off("s4", 1) + "s_mov_b32 s5, s1\ns_load_b64 s[8:9], s[4:5], s4\n" + PUT, 0, 0, None),
    ("in the descriptor of the same load", off("s4", 1) + "s_mov_b32 s5, s1\ns_mov_b32 s6, 64\ns_mov_b32 s7, 0x31016fac\n"
     "s_buffer_load_b32 s6, s[4:7], s4\n" + PUT, 0, 0, None),
    ("nothing uses it", off("s4", 1) + "s_mov_b32 s6, 5\n" + PUT, 0, 0, 5),
    ("a conditional move reads it", off("s4", 1) + "s_cmp_eq_u32 s0, s0\ns_cmov_b32 s4, 16\ns_load_b64 s[8:9], s[0:1], s4\n"
     "s_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\n" + PUT, 0, 0, 200),
    ("a jump through registers", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\ns_waitcnt lgkmcnt(0)\ns_load_b32 s6, s[8:9], null\n"
     "s_getpc_b64 s[10:11]\ns_add_u32 s10, s10, there-.\ns_nop 0\nthere:\ns_nop 0\n" + PUT.replace("s_endpgm", "s_setpc_b64 s[10:11]"),
     0, 0, None),
    ("the largest immediate", off("s4", 7) + "s_load_b64 s[8:9], s[0:1], s4\n" + PUT, 1, 1, None),
    ("too large", off("s4", 8) + "s_load_b64 s[8:9], s[0:1], s4\n" + PUT, 0, 0, None),
    ("too large with the immediate", off("s4", 7) + "s_load_b64 s[8:9], s[0:1], s4 offset:0x10\n" + PUT, 0, 0, None),
    ("not aligned", "s_mov_b32 s4, doff_0_1_b@abs32@lo+2\ns_load_b64 s[8:9], s[0:1], s4\n" + PUT, 0, 0, None),
    ("alive at the end of a part", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\ns_nop 0", 0, 0, None),
    ("a vector move", "v_mov_b32 v3, doff_0_1_b@abs32@lo\n" + PUT, 0, 0, None),
    ("in VCC", "s_mov_b32 vcc_lo, doff_0_1_b@abs32@lo\ns_load_b64 s[8:9], s[0:1], vcc_lo\n" + PUT, 0, 0, None),
    ("a negative immediate besides", off("s4", 2) + "s_load_b64 s[8:9], s[0:1], s4 offset:-0x8\n" + PUT, 0, 0, None),
    ("a branch out of the function", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\ns_cbranch_scc1 other\n" + PUT, 0, 0, None),
    ("unknown words", off("s4", 1) + "s_load_b64 s[8:9], s[0:1], s4\ns_branch end\n.long 0xffffffff\nend:\n" + PUT, 0, 0, None),
]


def execute(work, elf):
    """Buffer 0 after running the code of a linked shader."""
    code, out = work / "code.bin", work / "out.bin"
    code.write_bytes(Elf(elf).code())
    out.unlink(missing_ok=True)
    args = ["--raw", code, "--isa", "gfx1100", "--grid", "1", "--block", "32", "--buffer", f"128:out={out}"]
    for k in range(1, BUFFERS):
        (work / f"in{k}").write_bytes(array.array("I", (100 * k + i for i in range(32))).tobytes())
        args += ["--buffer", f"128@{work / f'in{k}'}"]
    r = run(lull, "run", *args)
    return list(array.array("I", out.read_bytes())) if out.exists() and r[0] == 0 else r


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    lay = layout(work, NODES)
    for name, code, moves, loads, want in CASES:
        tail = ".text\n.globl other\nother:\n s_endpgm\n" if "other" in code else ""
        text = shader("cs", code) + tail
        if name.endswith("a part"):  # an entry must end
            text = text.replace("_amdgpu_cs_main", "part")
        obj = assemble(work, "f.o", text)
        linked = {}
        for option in ("", "--no-fold"):
            r = run(lull, "link", obj, "--layout", lay, "-o", work / "f.elf", "--json", "--explain", *([option] if option else []))
            j = json.loads(r[1]) if r[0] == 0 else {}
            expect = (moves, loads) if not option else (0, 0)
            case(f"{name}{': ' + option if option else ''}", (j.get("folded_moves"), j.get("folded_loads")) == expect,
                 (r[2], [d for d in j.get("decisions", []) if d["kind"] == "fold"]))
            linked[option] = Elf(work / "f.elf").code()
            if want is not None:
                got = execute(work, work / "f.elf")
                case(f"{name}: runs{' with ' + option if option else ''}", got == [want] * 32, got)
        case(f"{name}: sizes", len(linked[""]) == len(linked["--no-fold"]) and (linked[""] != linked["--no-fold"]) == (moves > 0))
tap.end()

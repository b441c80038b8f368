#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull link on objects of LLVM's assembler and compiler. link.py LULL.

Values of relocations, user data and merged keys were worked out by hand from LLPC's rules (docs/formats/relocatable-elf.md);
files are read back by LLVM's tools and by lib.py, which share no code with lull."""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from lib import Elf, assemble, case, layout, run, shader, tap, tool

lull = sys.argv[1]
S, P = 1 << 31, (1 << 31) + 256

# Root table: 0 buffer (set 3), 4 table set 0, 8 push constants, 14 table set 0xfffffff0, 15 compact buffer (set 5), 47 table set 9.
NODES = [
    {"type": "buffer", "set": 3, "binding": 1},
    {"type": "table", "set": 0, "nodes": [
        {"type": "buffer", "binding": 0},                                # 0
        {"type": "combined_texture", "binding": 1, "count": 3},          # 4
        {"type": "resource", "binding": 2, "count": 2},                  # 40
        {"type": "sampler", "binding": 3, "count": 5},                   # 56
        {"type": "const_buffer_compact", "binding": 4},                  # 76
        {"type": "texel_buffer", "binding": 6, "offset": 80}]},
    {"type": "push_constants", "offset": 8, "size": 6},
    {"type": "table", "offset": 14, "nodes": [{"type": "buffer", "set": "0xfffffff0", "binding": 6}]},
    {"type": "buffer_compact", "offset": 15, "set": 5, "binding": 0},
    {"type": "table", "set": 0xffffffff, "offset": 46, "nodes": [
        {"type": "buffer", "binding": 0xffffffff, "count": 2}, {"type": "buffer", "binding": 5}]},
    {"type": "table", "offset": 47, "nodes": [{"type": "resource", "set": 9, "binding": 0}]},
    {"type": "indirect_user_data", "offset": 60, "indirect_size": 4}]
OPTIONS = {"device_index": 3, "num_samples": 8, "sample_pattern_index": 5, "shadow_table": "0x8000"}

VALUES = {  # name: value, and the spill threshold that it alone brings (None: none)
    "doff_0_0_b": (0, None), "doff_0_1_r": (16, None), "doff_0_1_s": (16 + 32, None), "doff_0_1_x": (16, None),
    "doff_0_1_t": (16, None), "doff_0_2_r": (160, None), "doff_0_3_s": (224, None), "doff_0_4_b": (304, None),
    "doff_0_6_t": (320, None), "doff_0_2_f": (160, None), "doff_0_2": (160, None), "doff_4294967280_6_b": (0, None),
    "doff_3_1_b": (0, 0), "doff_5_0_b": (60, 15), "dusespill_3_1": (1, 0), "dusespill_0_0": (0, None),
    "dusespill_0_4": (0, None), "descset_0": (16, 4), "descset_9": (188, 47), "descset_3": (0, None),
    "descset_4294967280": (56, 14), "dstride_0_1": (48, None), "dstride_0_2": (32, None), "dstride_0_3": (16, None),
    "descset_4294967295": (184, 46), "doff_4294967295_5_b": (32, None), "dstride_4294967295_4294967295": (16, None),
    "dstride_0_4": (8, None), "compactbuffer_0_0": (0, None), "compactbuffer_0_4": (1, None),
    "compactbuffer_5_0": (1, None), "pushconst": (32, 8), "$deviceIdx": (3, None), "$numsamples": (8, None),
    "$samplePatternIdx": (5, None), "$shadowenabled": (1, None), "$shadowdesctable": (0x8000, None)}

REFUSED = {  # name: words of the message
    "doff_0_9_b": "no buffer for set 0 binding 9", "doff_1_0_r": "no resource for set 1 binding 0",
    "doff_0_2_s": "no sampler for set 0 binding 2", "dusespill_0_2": "no buffer for set 0 binding 2",
    "dstride_0_7": "no descriptor for set 0 binding 7", "compactbuffer_8_8": "no buffer for set 8 binding 8",
    "doff_4294967296_0_b": "begins with 'doff_'", "doff_0_99999999999_b": "begins with 'doff_'",
    "doff_0_0_q": "begins with 'doff_'", "doff_0_0_": "begins with 'doff_'", "doff_x": "begins with 'doff_'",
    "descset_": "begins with 'descset_'", "descset_1_2": "begins with 'descset_'", "pushconstant": "not defined in any file",
    "elsewhere": "not defined in any file"}


def link(files, lay, out, *more):
    return run(lull, "link", *files, *(["--layout", lay] if lay else []), "-o", out, *more)


def values(work):
    lay = layout(work, NODES, **OPTIONS)
    names = list(VALUES)
    body = "".join(f" s_mov_b32 s{4 + i}, {n}@abs32@lo\n" for i, n in enumerate(names)) + " s_endpgm"
    for cpu in ("gfx1100", "gfx1030", "gfx900", "gfx1200"):
        obj = assemble(work, "all.o", shader("cs", body, cpu=cpu), cpu)
        r = link([obj], lay, work / "all.elf", "--no-fold")
        got = [Elf(work / "all.elf").word(8 * i + 4) for i in range(len(names))] if r[0] == 0 else r
        want = [VALUES[n][0] for n in names]
        case(f"value of every name, {cpu}", got == want, [x for x in zip(names, got, want) if x[1] != x[2]] or r)
    for old, new in ((1, 6), (1, 2)):  # ABS32, ABS32_HI
        b = bytearray(obj.read_bytes())
        e = Elf(obj)
        at = e.named(".rel.text")["offset"]
        for i in range(len(names)):
            struct.pack_into("<I", b, at + 16 * i + 8, new)
        (work / "typed.o").write_bytes(b)
        r = link([work / "typed.o"], lay, work / "typed.elf")
        got = [Elf(work / "typed.elf").word(8 * i + 4) for i in range(len(names))] if r[0] == 0 else r
        case(f"relocation type {new}", got == (want if new == 6 else [0] * len(names)), got)
    b = bytearray(obj.read_bytes())
    struct.pack_into("<i", b, e.named(".text")["offset"] + 8 * 1 + 4, 1000)
    (work / "addend.o").write_bytes(b)
    r = link([work / "addend.o"], lay, work / "addend.elf")
    case("the word that is there is added", r[0] == 0 and Elf(work / "addend.elf").word(12) == 1016, r)
    rela(work, lay, names, want, body)
    for n, (_, spill) in VALUES.items():
        obj = assemble(work, "one.o", shader("cs", f" s_mov_b32 s4, {n}@abs32@lo\n s_endpgm"))
        r = link([obj], lay, work / "one.elf")
        p = Elf(work / "one.elf").metadata()["amdpal.pipelines"][0] if r[0] == 0 else {}
        want_spill = 0xffff if spill is None else spill
        case(f"spill threshold of {n}", p.get(".spill_threshold") == want_spill and
             p.get(".user_data_limit") == (1 if spill is None else 48), (r, p))


def rela(work, lay, names, want, body):
    """The HSA ABI has RELA records."""
    text = f".text\n.p2align 8\n.globl k\n.type k,@function\nk:\n{body}\n.size k, .-k\n"
    obj = assemble(work, "rela.o", text, abi="amdhsa")
    r = link([obj], lay, work / "rela.elf")
    got = [Elf(work / "rela.elf").word(8 * i + 4) for i in range(len(names))] if r[0] == 0 else r
    case("RELA", got == want and ".rela.text" not in [s["name"] for s in Elf(work / "rela.elf").sections], got)


OLD = "of an earlier link"


def refusals(work):
    lay = layout(work, NODES, **OPTIONS)
    out = work / "no.elf"
    out.write_text(OLD)
    for n, words in REFUSED.items():
        obj = assemble(work, "no.o", shader("cs", f" s_mov_b32 s4, {n}@abs32@lo\n s_endpgm"))
        r = link([obj], lay, out)
        case(f"refused: {n}", r[0] == 3 and words in r[2] and n in r[2] and "no.o" in r[2] and out.read_text() == OLD, r)
    a = assemble(work, "a.o", shader("gs", " s_endpgm"))
    b = assemble(work, "b.o", shader("ps", " s_endpgm"))
    b30 = assemble(work, "b30.o", shader("ps", " s_endpgm", cpu="gfx1030"), "gfx1030")
    flags = bytearray(b.read_bytes())
    flags[48:52] = b30.read_bytes()[48:52]
    (work / "flags.o").write_bytes(flags)
    isa = bytearray(b.read_bytes().replace(b"--gfx1100", b"--gfx1101"))
    (work / "isa.o").write_bytes(isa)
    hsa = assemble(work, "hsa.o", ".text\n s_endpgm\n", abi="amdhsa")
    cs = assemble(work, "cs.o", shader("cs", " s_endpgm"))
    bad = work / "bad.o"
    bad.write_bytes(b"\x7fELF" + bytes(10))
    text = work / "text.o"
    text.write_text("not an ELF file")
    fetch = assemble(work, "fetch.o", shader("vs_main_fetchless", " s_endpgm").replace("_fetchless_main", "_fetchless"))
    legacy = assemble(work, "legacy.o", ".text\n s_endpgm\n.amd_amdgpu_pal_metadata 0x2c0a, 1\n")
    rows = [
        ("two GPUs", [a, b30], ("b30.o", "gfx1030", "gfx1100")),
        ("e_flags", [a, work / "flags.o"], ("flags.o", "e_flags")),
        ("names of targets", [a, work / "isa.o"], ("isa.o", "gfx1101")),
        ("duplicate symbol", [a, assemble(work, "a2.o", shader("gs", " s_nop 0\n s_endpgm"))],
         ("a2.o", "_amdgpu_gs_main", "defined twice", "a.o")),
        ("two ABIs", [a, hsa], ("hsa.o", "OS/ABI")), ("compute and graphics", [b, cs], ("compute shader and graphics",)),
        ("damaged", [a, bad], ("bad.o", "ELF")), ("no ELF", [text], ("text.o", "ELF")),
        ("no file", [work / "nothing.o"], ("nothing.o",)),
        ("fetch shader", [fetch], ("fetch.o", "fetchless", "fetch shader")),
        ("old metadata", [legacy], ("legacy.o", "old form")),
        ("two stages in one", [b, assemble(work, "b2.o", shader("ps", " s_endpgm").replace("_ps_main", "_ps_other"))],
         ("b2.o", ".ps/.entry_point", "_amdgpu_ps_other")),
        ("types of pipeline", [assemble(work, "w32.o", shader("gs", " s_endpgm", pipeline="    .type: Ngg")),
                        assemble(work, "w64.o", shader("ps", " s_endpgm", pipeline="    .type: Gs"))],
         ("w64.o", ".type", "'Gs'", "'Ngg'")),
        ("glue", [assemble(work, "glue.o", shader("ps", " s_endpgm", pipeline="    .colorExports: [[0, 0, 0, v9f32]]"))],
         ("glue.o", ".colorExports")),
        *((f"stage {stage} of {cpu}", [assemble(work, f"{stage}-{cpu}.o", shader(stage, " s_endpgm", cpu=cpu), cpu)],
           (f"{stage}-{cpu}.o", f"gfx{gfx} has no stage '.{stage}': write amdgpu_{instead},"))
          for stage, cpu, gfx, instead in (("vs", "gfx1100", 11, "gs"), ("vs", "gfx1200", 12, "gs"), ("es", "gfx1100", 11, "gs"),
                                           ("ls", "gfx1100", 11, "hs"), ("es", "gfx900", 9, "gs"), ("ls", "gfx1030", 10, "hs"))),
        *((f"code that does not end: {name}", [assemble(work, f"off{len(name)}.o", shader("ps", body))], (f"off{len(name)}.o", "_amdgpu_ps_main runs on"))
          for name, body in (("nothing", " v_mov_b32 v0, 0"), ("a loop's way out", "1:\n s_cbranch_scc1 1b"),
                             ("an end that is passed over", " s_cbranch_scc1 1f\n s_endpgm\n1:\n v_mov_b32 v0, 0"))),
        ("versions", [a, assemble(work, "old.o", shader("ps", " s_endpgm").replace("[3, 0]", "[2, 6]"))],
         ("old.o", "amdpal.version")),
    ]
    for name, files, words in rows:
        r = link(files, lay, out)
        case(f"refused: {name}", r[0] == 3 and all(w in r[2] for w in words) and out.read_text() == OLD, r)
    node = {"type": "table", "set": 1, "nodes": [{"type": "sampler", "binding": 0, "ycbcr": True}]}
    r = link([a], layout(work, [node], "y.json"), out)
    case("refused: YCbCr sampler", r[0] == 3 and "y.json" in r[2] and "nodes[0].nodes[0]" in r[2] and
         "ycbcr" in r[2] and out.read_text() == OLD, r)
    node["nodes"][0] = {"type": "sampler", "binding": 0, "immutable": [[1, 2, 3, 4]]}
    s = assemble(work, "imm.o", shader("ps", " s_mov_b32 s4, doff_1_0_s@abs32@lo\n s_endpgm"))
    case("immutable samplers are read as others", link([s], layout(work, [node], "i.json"), out)[0] == 0)
    for name, args in (("no -o", [a]), ("no file", ["-o", out]), ("bad option", [a, "-o", out, "--fold"]),
                       ("output is input", [a, "-o", a])):
        case(f"usage: {name}", run(lull, "link", *args)[0] == 2)


def user_data(work):
    regs = f"        .user_data_reg_map: [0x10000000, {S}, {P + 2}, {S + 9}, 5, 0xffffffff, 0x10000002]"
    obj = assemble(work, "ud.o", shader("cs", " s_endpgm", regs, pipeline="    .spill_threshold: 0xffffffff"))
    r = link([obj], layout(work, NODES), work / "ud.elf")
    p = Elf(work / "ud.elf").metadata()["amdpal.pipelines"][0]
    m = p[".hardware_stages"][".cs"][".user_data_reg_map"]
    case("user-data registers", m == [0x10000000, 4, 10, 47, 5, 0xffffffff, 0x10000002], (r, m))
    case("no spill table", p[".spill_threshold"] == 0xffff and p[".user_data_limit"] == 48, p)
    old = f"    .registers:\n      0x2c0c: 0x10000000\n      0x2c0d: {S + 9}\n      0x2c4c: {P + 5}\n      0x2c4d: {S + 3}\n"
    old += "      0x2e40: 77\n      0x2c0a: 0x2010043\n      0xa29b: 0"
    obj = assemble(work, "old.o", shader("ps", " s_endpgm", pipeline=old))
    link([obj], layout(work, NODES, topology="rectangles"), work / "old.elf")
    regs = Elf(work / "old.elf").metadata()["amdpal.pipelines"][0][".registers"]
    case("user-data registers by number", [regs[k] for k in (0x2c0c, 0x2c0d, 0x2c4c, 0x2c4d, 0x2e40)] ==
         [0x10000000, 47, 13, 0, 77] and regs[0xa29b] == 4, regs)
    fields = "    .graphics_registers:\n      .vgt_gs_out_prim_type: {.outprim_type: PointList}"
    obj = assemble(work, "fields.o", shader("gs", " s_endpgm", pipeline=fields))
    for topology, name in (("points", "PointList"), ("lines", "LineStrip"), ("triangles", "TriStrip"), ("rectangles", "RectList"), ("none", "PointList")):
        link([obj], layout(work, NODES, topology=topology), work / "fields.elf")
        p = Elf(work / "fields.elf").metadata()["amdpal.pipelines"][0]
        case(f"topology by name: {topology}", p[".graphics_registers"] == {".vgt_gs_out_prim_type": {".outprim_type": name}}, p)
    for name, value, words in (("set", S + 200, "descriptor set 200"), ("push", P + 6, "push constant dword 6")):
        obj = assemble(work, "bad.o", shader("cs", " s_endpgm", f"        .user_data_reg_map: [{value}]"))
        r = link([obj], layout(work, NODES), work / "bad.elf")
        case(f"refused: user data, {name}", r[0] == 3 and words in r[2] and "bad.o" in r[2] and
             ".cs/.user_data_reg_map[0]" in r[2], r)
    # LLPC's test CheckUserDataLimitWithSpill: 37; DescSetReloc: 0xbc, 0x2f.
    nodes = [{"type": "buffer", "set": 1, "binding": 0, "offset": 8},
             {"type": "table", "offset": 32, "set": 0, "nodes": [{"type": "buffer", "binding": 0}]},
             {"type": "buffer", "set": 1, "binding": 1, "offset": 33},
             {"type": "indirect_user_data", "offset": 50}]
    obj = assemble(work, "sp.o", shader("cs", " s_mov_b32 s4, dusespill_1_0@abs32@lo\n s_endpgm"))
    link([obj], layout(work, nodes), work / "sp.elf")
    p = Elf(work / "sp.elf").metadata()["amdpal.pipelines"][0]
    case("user data limit with a spill table", p[".user_data_limit"] == 37 and p[".spill_threshold"] == 0, p)


def merging(work):
    strings = lambda *rows: "amdpal.format_strings:\n  .version: 1\n  .strings:\n" + "\n".join(  # noqa: E731
        f"    - .index: {i}\n      .string: {s}\n      .argument_count: {n}\n      .64bit_arguments: [{m}]"
        for i, s, n, m in rows)
    gs = assemble(work, "gs.o", shader("gs", " s_endpgm", "        .sgpr_count: 7\n        .scratch_memory_size: 16",
                  pipeline="    .user_data_limit: 3\n    .spill_threshold: 9\n    .registers:\n      0xa2d5: 0x11\n"
                  "      0x2c4a: 0x02ac0083\n    .vertexInputs: []\n    .shaders:\n      .vertex:\n"
                  "        .api_shader_hash: [1, 2]", tail=strings((1, '"x %d"', 1, 0), (2, '"why"', 0, 0))))
    ps = assemble(work, "ps.o", shader("ps", " s_endpgm", "        .sgpr_count: 5",
                  pipeline="    .user_data_limit: 2\n    .spill_threshold: 4\n    .registers:\n      0xa2d5: 0x102\n"
                  "      0x2c4a: 0x00ac0142\n    .colorExports: []", tail=strings((6, '"z %d %lf"', 2, 2), (1, '"x %d"', 1, 0))))
    r = link([gs, ps], layout(work, [{"type": "push_constants", "size": 12}]), work / "m.elf")
    case("metadata of two files", r[0] == 0, r)
    m = Elf(work / "m.elf").metadata()
    p = m["amdpal.pipelines"][0]
    case("stages of both files", p[".hardware_stages"] == {
        ".gs": {".entry_point": "_amdgpu_gs_main", ".sgpr_count": 7, ".scratch_memory_size": 16},
        ".ps": {".entry_point": "_amdgpu_ps_main", ".sgpr_count": 5}}, p)
    case("limits: the larger, the smaller", p[".user_data_limit"] == 12 and p[".spill_threshold"] == 4, p)
    case("registers: bits, and the larger counts", p[".registers"] == {0xa2d5: 0x113, 0x2c4a: 0x02ac0143}, p[".registers"])
    case("keys of unlinked shaders are gone", not {".vertexInputs", ".colorExports"} & set(p), p)
    case("hashes", p[".shaders"] == {".vertex": {".api_shader_hash": [1, 2]}}, p)
    f = m["amdpal.format_strings"]
    case("format strings: a union by id", [(s[".index"], s[".string"], s[".argument_count"], [x for x in s[".64bit_arguments"]
         if x]) for s in f[".strings"]] == [(1, "x %d", 1, []), (2, "why", 0, []), (6, "z %d %lf", 2, [2])], f)
    case("no key that no file had", "lull.format_strings" not in m, m)
    case("one version", f[".version"] == 1 and m["amdpal.version"] == [3, 0], m)
    clash = assemble(work, "clash.o", shader("ps", " s_endpgm", tail=strings((1, '"other %d"', 1, 0))))
    r = link([gs, clash], None, work / "clash.elf")
    case("two strings with one id: a warning", r[0] == 0 and "warning" in r[2] and "other %d" in r[2], r)


RODATA = """target triple = "amdgcn-amd-amdpal"
declare i32 @llvm.amdgcn.reloc.constant(metadata)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)
@tbl = internal addrspace(4) constant [8 x float] [float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0]
define amdgpu_STAGE void @_amdgpu_STAGE_main(i32 inreg %tab, i32 inreg %i) {
  %o = call i32 @llvm.amdgcn.reloc.constant(metadata !0)
  %oz = zext i32 %o to i64
  %t = zext i32 %tab to i64
  %a = add i64 %t, %oz
  %p = inttoptr i64 %a to ptr addrspace(4)
  %v = load float, ptr addrspace(4) %p
  %g = getelementptr [8 x float], ptr addrspace(4) @tbl, i32 0, i32 %i
  %w = load float, ptr addrspace(4) %g
  %s = fadd float %v, %w
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %s, float 0.0, float 0.0, float 1.0, i1 true, i1 true)
  ret void
}
!0 = !{!"doff_0_0_b"}
"""


def compiled(work, cpu, line):
    """Two stages of llc with constants of their own."""
    objs, first = [], "vs" if cpu in ("gfx900", "gfx1030") else "gs"  # what the GPU has
    for stage in (first, "ps"):
        (work / f"{stage}.ll").write_text(RODATA.replace("STAGE", stage))
        objs.append(work / f"{stage}.elf")
        tool("llc-19", "-mtriple=amdgcn-amd-amdpal", f"-mcpu={cpu}", "-filetype=obj", work / f"{stage}.ll", "-o", objs[-1])
    out = work / "pipeline.elf"
    r = link(objs, layout(work, NODES), out)
    case(f"{cpu}: linked", r[0] == 0 and "4 kept" in r[1], r)
    e, ins = Elf(out), [Elf(o) for o in objs]
    names = [s["name"] for s in e.symbols]
    locals_ = [s["binding"] == 0 for s in e.symbols]
    case(f"{cpu}: symbols", names[0] == "" and e.symbols[0]["section"] == 0 and len(set(names)) == len(names) and
         locals_ == sorted(locals_, reverse=True) and e.named(".symtab")["info"] == sum(locals_) and
         e.sections[e.named(".symtab")["link"]]["name"] == ".strtab" and
         {f"_amdgpu_{first}_main", "_amdgpu_ps_main", f".rodata.{first}", ".rodata.ps"} <= set(names), e.symbols)
    by = {s["name"]: s for s in e.symbols}
    case(f"{cpu}: functions", by[f"_amdgpu_{first}_main"]["value"] == 0 and by["_amdgpu_ps_main"]["value"] == 256 and
         [by[f"_amdgpu_{s}_main"]["size"] for s in (first, "ps")] ==
         [next(x["size"] for x in i.symbols if x["type"] == 2) for i in ins], by)
    ps = by["_amdgpu_ps_main"]
    tail = e.code()[ps["value"] + ps["size"]:]
    want = -(ps["value"] + ps["size"]) % line + 3 * line if line else 0
    fill = {struct.unpack_from("<I", tail, i)[0] for i in range(0, len(tail), 4)}
    case(f"{cpu}: behind the code", len(tail) == want and fill <= {0xbf9f0000}, (len(tail), want, fill))
    vs = by[f"_amdgpu_{first}_main"]
    gap = e.code()[vs["size"]:256]
    case(f"{cpu}: between functions", set(gap[i:i + 4] for i in range(0, len(gap), 4)) == {b"\0\0\x80\xbf"}, gap)
    case(f"{cpu}: constants", by[f".rodata.{first}"]["value"] == 0 and by[".rodata.ps"]["value"] == 32 and
         e.data(e.named(".rodata")) == b"".join(i.data(i.named(".rodata")) for i in ins))
    want = [(off + base, kind, names.index(f".rodata.{stage}")) for i, base, stage in zip(ins, (0, 256), (first, "ps"))
            for off, kind, y in i.relocs(".rel.text") if i.symbols[y]["name"] != "doff_0_0_b"]
    case(f"{cpu}: relocations that stay", sorted(e.relocs(".rel.text")) == sorted(want), (e.relocs(".rel.text"), want))
    for args in (["llvm-readelf-19", "-a", "-n"], ["llvm-readobj-19", "--all"], ["llvm-objdump-19", "-dr"]):
        r = tool(*args, out)
        case(f"{cpu}: {args[0]} reads it", r[0] == 0 and r[2] == "" and "_amdgpu_ps_main" in r[1] and
             not re.search("warning|error|invalid|<unknown>", r[1], re.I), r[2] or r[1][-2000:])
    again = work / "again.elf"
    r = link([out], layout(work, NODES), again)
    case(f"{cpu}: linked again it is the same", r[0] == 0 and again.read_bytes() == out.read_bytes(), r)
    r = link(objs, layout(work, NODES), again)
    case(f"{cpu}: the same inputs, the same bytes", again.read_bytes() == out.read_bytes(), r)


def indirect(work):
    """LLPC's other scheme: number 0 is the table of push constants, N + 1 set N."""
    nodes = [{"type": "table", "offset": 2, "nodes": [{"type": "push_constants", "offset": 1, "size": 8}]},
             {"type": "table", "offset": 5, "set": 0, "nodes": [{"type": "buffer", "binding": 0}]}]
    lay = layout(work, nodes, "ind.json", scheme="indirect")
    body = " s_mov_b32 s4, descset_0@abs32@lo\n s_mov_b32 s5, descset_1@abs32@lo\n s_mov_b32 s6, pushconst@abs32@lo\n s_endpgm"
    obj = assemble(work, "ind.o", shader("cs", body, f"        .user_data_reg_map: [{S}, {S + 1}, 0x10000002]"))
    r = link([obj], lay, work / "ind.elf")
    e = Elf(work / "ind.elf")
    p = e.metadata()["amdpal.pipelines"][0]
    case("indirect scheme", [e.word(4), e.word(12), e.word(20)] == [8, 20, 4] and p[".spill_threshold"] == 2 and
         p[".hardware_stages"][".cs"][".user_data_reg_map"] == [2, 5, 0x10000002], (r, p))


def llpc_words(work):
    """A layout in LLPC's words, as its dumper writes the keys."""
    def node(kind, offset, size, binding, stride=0):
        return {"type": kind, "offsetInDwords": offset, "sizeInDwords": size, "set": "0x00000001", "binding": binding, "strideInDwords": stride}

    inner = [node("DescriptorImage", 0, 16, 0), node("DescriptorConstTexelBuffer", 4, 4, 1), node("DescriptorMutable", 16, 32, 2, 16)]
    lay = work / "llpc.json"
    lay.write_text(json.dumps({"userDataNode": [
        {"visibility": 128, "type": "DescriptorTableVaPtr", "offsetInDwords": 2, "sizeInDwords": 1, "next": inner},
        {"visibility": 128, **node("PushConst", 4, 6, 0)}]}))
    want = {"doff_1_0_r": 0, "dstride_1_0": 32, "doff_1_1_t": 16, "doff_1_2_b": 64, "doff_1_2_r": 64, "dstride_1_2": 64, "dusespill_1_2": 0,
            "compactbuffer_1_2": 0, "descset_1": 8, "pushconst": 16}
    body = "".join(f" s_mov_b32 s4, {n}@abs32@lo\n" for n in want) + " s_endpgm"
    r = link([assemble(work, "llpc.o", shader("cs", body))], lay, work / "llpc.elf", "--no-fold")
    got = {n: Elf(work / "llpc.elf").word(8 * i + 4) for i, n in enumerate(want)} if r[0] == 0 else r
    case("LLPC's words", got == want, got)


def symbol_kinds(work):
    f = ".text\n.p2align 8\n{0} {1}\n.type {1},@function\n{1}:\n s_nop {2}\n s_endpgm\n.size {1}, .-{1}\n"
    a = assemble(work, "k1.o", f.format(".globl", "main", 0) + f.format(".weak", "helper", 1) + f.format(".local", "own", 2))
    b = assemble(work, "k2.o", f.format(".globl", "other", 3) + f.format(".weak", "helper", 4) + f.format(".local", "own", 5))
    r = link([a, b], None, work / "k.elf")
    by = {s["name"]: s for s in Elf(work / "k.elf").symbols} if r[0] == 0 else {}
    case("weak and local functions", r[0] == 0 and sorted(by) == ["", "helper", "main", "other", "own.k1", "own.k2"] and
         by["helper"]["value"] == 256 and by["own.k2"]["value"] > by["other"]["value"], (r, by))
    c = assemble(work, "k3.o", ".comm shared,4,4\n" + f.format(".globl", "third", 0))
    r = link([c], None, work / "k.elf")
    case("refused: a common symbol", r[0] == 3 and "shared" in r[2] and "k3.o" in r[2], r)
    r = run(lull, "link", a, "-o", "/nowhere/x.elf")
    case("refused: no such folder", r[0] == 3 and "/nowhere/x.elf" in r[2], r)
    r = subprocess.run([lull, "link", a, "-o", "-"], capture_output=True)
    case("to stdout", r.returncode == 0 and r.stdout[:4] == b"\x7fELF" and b"resolved" in r.stderr, r.stderr)


def other_sections(work):
    """Sections by name, functions of the other file, distances, absolute symbols, debug information."""
    a = shader("gs", " s_getpc_b64 s[0:1]\n s_add_u32 s0, s0, other@rel32@lo+4\n s_addc_u32 s1, s1, other@rel32@hi+12\n"
               " s_mov_b32 s2, number@abs32@lo\n s_mov_b32 s3, big@abs32@lo\n s_endpgm")
    a += ".globl big\n.set big, 0x12345\n.section .mine,\"a\",@progbits\n.p2align 4\n.long 1\n.section .debug_x,\"\",@progbits\n.ascii \"abcd\"\n"
    b = shader("ps", " s_endpgm", extra=".globl number\n.set number, 77\n")
    b += (".text\n.p2align 8\n.globl other\n.type other,@function\nother:\n s_nop 3\n s_setpc_b64 s[30:31]\n.size other, .-other\n"
          ".section .mine,\"a\",@progbits\n.p2align 4\n.long 2\n.quad other\n.section .debug_x,\"\",@progbits\n.long .debug_x+8\n.quad 5\n")
    objs = [assemble(work, "x/a.o", a), assemble(work, "y/a.o", b)]
    out = work / "other.elf"
    r = link(objs, None, out)
    e = Elf(out) if r[0] == 0 else None
    case("two files of one name", r[0] == 0, r)
    if not e:
        return
    by = {s["name"]: s for s in e.symbols}
    other = by["other"]["value"]
    case("a function of the other file", e.word(8) == other - 4 and e.word(16) == 0 and other == 512, (hex(e.word(8)), other))
    case("absolute symbols", [e.word(0x18), e.word(0x20)] == [77, 0x12345], r)
    mine = e.data(e.named(".mine"))
    case("sections of one name are joined", mine[:4] == b"\1\0\0\0" and mine[16:20] == b"\2\0\0\0" and len(mine) == 28, mine)
    relocs = [(o, k, e.symbols[y]["name"]) for o, k, y in e.relocs(".rel.mine")]
    case("a pointer to code stays", relocs == [(20, 3, "other")], relocs)
    # A distance from the beginning of the section, with the 4 bytes of file a in front of it, and no record of it any more.
    debug = e.data(e.named(".debug_x"))
    case("debug sections are relocated", (debug[:4], debug[4:8], debug[8:]) == (b"abcd", (4 + 8).to_bytes(4, "little"), bytes([5] + 7 * [0])), debug)
    case("... and keep no records", not any(s["name"].startswith(".rel.debug") for s in e.sections))
    r = tool("llvm-readelf-19", "-a", out)
    case("llvm-readelf reads it", r[0] == 0 and r[2] == "" and "warning" not in r[1], r)


def reports(work):
    obj = assemble(work, "e.o", shader("cs", " s_mov_b32 s4, doff_0_2_r@abs32@lo\n s_load_b32 s0, s[0:1], s4\n s_endpgm"))
    r = link([obj], layout(work, NODES), work / "e.elf", "--explain", "--json")
    j = json.loads(r[1])
    case("--json", (j["resolved"], j["kept"], j["folded_moves"], j["folded_loads"], j["spill_threshold"]) ==
         (1, 0, 1, 1, 0xffff) and any(d["kind"] == "resolve" and d["value"] == 160 and d["subject"] == "doff_0_2_r"
                                      for d in j["decisions"]), j)
    r = link([obj], layout(work, NODES), work / "e.elf", "--explain")
    case("--explain", r[0] == 0 and "doff_0_2_r" in r[1] and "nodes[1].nodes[2]" in r[1], r[1])
    before = (work / "e.elf").read_bytes()
    r = link([obj], work / "nothing.json", work / "e.elf")
    case("no layout file", r[0] == 3 and "nothing.json" in r[2] and (work / "e.elf").read_bytes() == before, r)


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    values(work)
    refusals(work)
    user_data(work)
    merging(work)
    for cpu, line in (("gfx1100", 128), ("gfx1030", 64), ("gfx900", 0)):
        compiled(work, cpu, line)
    indirect(work)
    llpc_words(work)
    symbol_kinds(work)
    other_sections(work)
    reports(work)
tap.end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull elf show against llvm-readelf, llvm-objdump and the readers of lib.py, on whole and damaged files. elf_show.py LULL."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from lib import Elf, assemble, case, layout, run, shader, tap, tool

lull = sys.argv[1]
BODY = """ s_mov_b32 s4, doff_0_1_b@abs32@lo
 s_load_b32 s5, s[0:1], s4
 s_getpc_b64 s[2:3]
 s_add_u32 s2, s2, data@rel32@lo+4
 s_cbranch_scc1 label
 v_add_f32_e64 v1, s0, v2
label:
 s_endpgm"""
META = """        .user_data_reg_map: [0x10000000, 0x80000002, 0x80000103, 7, 0xffffffff]
        .name: "quote \\" back \\\\ tab \\t nul \\0 bell \\x07 end"
"""
CL = "__kernel void first(__global int *a, int n) { a[__builtin_amdgcn_workitem_id_x()] = n; }\n" \
     "__kernel void second(__global int *a) { for (int i = 0; i < a[0]; i++) a[i] = i; }\n"


def show(path, *more):
    return run(lull, "elf", "show", path, *more)


def both(name, path):
    """Text and JSON of a whole file, and what LLVM reads in it."""
    r, j = show(path), show(path, "--json")
    case(f"{name}: shown", r[0] == 0 and j[0] == 0 and r[2] == "", r[2] or r[1][-500:])
    j = json.loads(j[1])
    e = Elf(path)
    case(f"{name}: sections", [(s["name"], int(s["offset"], 16), s["size"], s["link"], s["info"], s["align"], s["entsize"])
         for s in j["sections"]] == [tuple(s[k] for k in "name offset size link info align entsize".split()) for s in e.sections])
    table = e.symbols if len(j["symbols"]) == len(e.symbols) else []
    case(f"{name}: symbols", [(s["name"], int(s["value"], 16), s["size"]) for s in j["symbols"]] ==
         [(s["name"], s["value"], s["size"]) for s in table], j["symbols"])
    listed = re.findall(r"^([0-9a-f]{16})  [0-9a-f]{16} (R_AMDGPU_\w+)", tool("llvm-readelf-19", "-r", "-W", path)[1], re.M)
    case(f"{name}: relocations", sorted((int(r["offset"], 16), r["type_name"]) for r in j["relocations"]) ==
         sorted((int(a, 16), t) for a, t in listed), (j["relocations"], listed))
    return r[1], j


def code(name, path, j):
    """The instructions are those of llvm-objdump."""
    text = tool("llvm-objdump-19", "-d", "--mcpu=gfx1100", "--no-show-raw-insn", path)[1]
    want = [re.sub(r"\s+", " ", m[1]).strip() for m in re.finditer(r"^\t(.*?)\s*// [0-9A-F]{12}:", text, re.M)]
    got = [i["text"] for f in j["functions"] for i in f["instructions"] for _ in range(i.get("times", 1))]
    branch = re.compile(r"^(s_c?branch\w*) .*")
    strip = lambda rows: [branch.sub(r"\1", x) for x in rows]  # noqa: E731
    case(f"{name}: instructions", strip(got) == strip(want), [x for x in zip(got, want) if x[0] != x[1]][:5] or (len(got), len(want)))
    names = re.findall(r"^[0-9a-f]{16} <(.*)>:", text, re.M)
    case(f"{name}: functions", [f["name"] for f in j["functions"]] == names, names)


def objects(work):
    obj = assemble(work, "a.o", shader("cs", BODY, META) + '.section .rodata,"a",@progbits\ndata:\n.long 7\n')
    text, j = both("object", obj)
    code("object", obj, j)
    case("relocation in words", "doff_0_1_b: byte offset of the descriptor in its table: set 0 binding 1, buffer" in text, text)
    case("relocation at its instruction", re.search(r"s_mov_b32 s4, 0\n\s+000004\s+R_AMDGPU_ABS32_LO doff_0_1_b", text) is not None, text)
    case("branch to a name", "s_cbranch_scc1 _amdgpu_cs_main+0x2c" in text or "s_cbranch_scc1 label" in text, text)
    for words in ("0x10000000  # GLOBAL_TABLE", "0x80000002  # descriptor set 2", "0x80000103  # push constant dword 3",
                  "0x7  # root table dword 7", "0xffffffff  # UNUSED", r"quote \" back \\ tab \t nul \0 bell \x07 end", "amdgcn-amd-amdpal--gfx1100"):
        case(f"metadata: {words}", words in text, text)
    meta = next(n["metadata"] for n in j["notes"] if n["type"] == 32)
    case("metadata as JSON", meta == Elf(obj).metadata(), meta)
    lay = layout(work, [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 1}]},
                        {"type": "table", "set": 2, "nodes": [{"type": "buffer", "binding": 0}]}, {"type": "push_constants", "size": 4}])
    r = run(lull, "link", obj, "--layout", lay, "-o", work / "linked.elf")
    case("linked", r[0] == 0, r)
    text, j = both("linked", work / "linked.elf")
    code("linked", work / "linked.elf", j)
    case("padding in one line", re.search(r"s_code_end  ; \d+ times", text) is not None, text)
    old = assemble(work, "old.o", shader("ps", " s_endpgm", pipeline="    .registers:\n      0x2c0a: 5\n      0x2c0c: 0x80000001"))
    text = show(old)[1]
    case("names of registers", "'0x2c0a (SPI_SHADER_PGM_RSRC1_PS)': 0x5" in text and
         "'0x2c0c (SPI_SHADER_USER_DATA_PS_0)': 0x80000001  # descriptor set 1" in text, text)
    for size, vcc in ((32, "vcc_lo"), (64, "vcc")):
        w = assemble(work, "w.o", shader("ps", " .long 0x7c080300\n s_endpgm", f"        .wavefront_size: {size}"))
        text = show(w)[1]
        case(f"wave{size}", f"v_cmp_eq_f32_e32 {vcc}," in text or f" {vcc}," in text, text[-300:])
    for cpu in ("gfx900", "gfx1030"):
        text = show(assemble(work, "x.o", shader("ps", " s_endpgm", cpu=cpu), cpu))
        case(f"{cpu}: words", text[0] == 0 and ".long 0xbf810000" in text[1] and cpu in text[1], text)
    (work / "k.cl").write_text(CL)
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-x", "cl", "-cl-std=CL2.0", "-O2",
                    work / "k.cl", "-o", work / "k.co"], check=True)
    text, j = both("code object", work / "k.co")
    code("code object", work / "k.co", j)
    case("kernels in the metadata", text.count(".kernarg_segment_size:") == 2 and len(j["segments"]) > 3, text)
    return obj


# Key, MessagePack, YAML: forms that LLVM's assembler does not write.
FORMS = [("a", b"\xa212", '"12"'), ("b", b"\xa0", '""'), ("c", b"\xa3yes", '"yes"'), ("d", b"\xfb", "-5"),
         ("e", b"\xcb\x3f\xf8" + bytes(6), "1.5"), ("f", b"\xc4\x04\0\1\2\xff", '!!binary "AAEC/w=="'), ("g", b"\xc0", "null"),
         ("h", b"\xc3", "true"), ("i", b"\xd4\x07\x41", '!ext7 "QQ=="'), ("j", b"\x90", "[]"), ("k", b"\x80", "{}"),
         ("l", b"\xca\x7f\x80\0\0", ".inf"), ("m", b"\xa2# ", '"# "'), ("r", b"\xa4\xc3\xa9: ", '"\\xC3\\xA9: "'),
         ("o", b"\xcf" + b"\xff" * 8, "18446744073709551615"), ("p", b"\xd3" + b"\xff" * 8, "-1"), ("q", b"\xa5~null", '"~null"')]


def forms(work):
    doc = bytes([0xde, 0, len(FORMS)]) + b"".join(b"\xa1" + k.encode() + m for k, m, _ in FORMS)
    rows = ", ".join(map(str, doc))
    obj = assemble(work, "forms.o", f'.section .note,"",@note\n.long 7, {len(doc)}, 32\n.asciz "AMDGPU"\n.byte 0\n.byte {rows}\n')
    r, j = show(obj), show(obj, "--json")
    lines = [x.strip() for x in r[1].splitlines()]
    for k, _, want in FORMS:
        case(f"YAML: {want}", f"{k}: {want}" in lines, [x for x in lines if x.startswith(k + ":")])
    case("MessagePack as JSON", json.loads(j[1])["notes"][0]["metadata"]["r"] == "\u00e9: ", j)


def damaged(work, obj):
    good = obj.read_bytes()
    e = Elf(obj)
    names = [s["name"] for s in e.sections]

    def patched(name, at, data):
        b = bytearray(good)
        b[at:at + len(data)] = data
        p = work / f"{name}.o"
        p.write_bytes(b)
        return p

    header = lambda n: e.shoff + 64 * names.index(n)  # noqa: E731
    note = e.named(".note")["offset"]
    rows = [
        ("contents outside", header(".symtab") + 24, b"\xff" * 6, ".symtab"), ("a name outside", header(".text"), b"\xff\xff\xff\0", "name"),
        ("symbols of no table", header(".symtab") + 40, b"\x63\0\0\0", ".symtab"), ("a note that is too long", note + 4, b"\xff\xff\xff\0", ".note"),
        ("metadata that is cut", note + 44 + 12 + 8, b"\xdf\xff\xff\xff\xff", "metadata"), ("no names", 62, b"\xff\0", "name"),
        ("entries of another size", 58, b"\x20\0", "section table"),
        ("records of another size", header(".rel.text") + 32, b"\x21\0", ".rel.text"),
        ("symbol numbers", e.named(".rel.text")["offset"] + 12, b"\xff\0\0\0", ".rel.text")]
    for name, at, data, words in rows:
        p = patched("damaged", at, data)
        r, j = show(p), show(p, "--json")
        case(f"damaged: {name}", r[0] == 1 and words in r[2] and "damaged.o" in r[2] and "ELF64 REL" in r[1], r)
        try:
            ok = json.loads(j[1])["type"] == "REL" and j[0] == 1
        except ValueError as x:
            ok = x
        case(f"damaged, JSON: {name}", ok is True, (ok, j[1][-200:]))
    strings = e.named(".strtab")
    p = patched("text", strings["offset"] + e.data(strings).index(b"_amdgpu"), b"\xff\xc3\x80")
    r, j = show(p), show(p, "--json")
    case("a name that is not UTF-8", r[0] == 0 and "\\xff\\xc3\\x80dgpu" in r[1] and
         json.loads(j[1])["functions"][0]["name"] == "\ufffd\u00c0dgpu_cs_main", (r, j))
    (work / "cut.o").write_bytes(good[:e.shoff + 200])
    r = show(work / "cut.o")
    case("cut in the section table", r[0] == 1 and "cut" in r[2] and ".strtab" not in r[2], r)
    for size in (0, 3, 40):
        (work / "short.o").write_bytes(good[:size])
        r = show(work / "short.o")
        case(f"{size} bytes", r[0] == 3 and "short.o" in r[2], r)
    for args in ([], ["show"], ["list", obj], ["show", "--what", obj], ["show", obj, obj]):
        case(f"usage: {[str(a)[-6:] for a in args]}", run(lull, "elf", *args)[0] == 2)
    case("no file", show(work / "none.o")[0] == 3)


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    forms(work)
    damaged(work, objects(work))
tap.end()

# SPDX-License-Identifier: MIT
"""lull link on objects of gfx9 to gfx12: the code is what LLVM's assembler makes with the numbers written as literals, the listing of an
object has its symbols and relocations, and what only code of gfx11 can have is left out or refused by name. chips.py LULL."""
import pathlib
import re
import sys
import tempfile

from lib import Elf, assemble, case, layout, run, shader, tap, tool

lull = sys.argv[1]
CHIPS = ("gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx1200", "gfx1201")
NODES = [{"type": "push_constants", "size": 4, "offset": 25}, {"type": "table", "set": 2, "offset": 30, "nodes": [
    {"type": "resource", "binding": 0, "stride": 20, "size": 60}, {"type": "buffer", "binding": 5}]}]
# Bytes: 60 dwords of resources are in front of the buffer; the table's pointer is dword 30, and push constants are dword 25. None of them
# is a number that instructions have without a literal.
NUMBERS = {"doff_2_5_b": 240, "dstride_2_0": 80, "descset_2": 120, "pushconst": 100}


def code(cpu):
    load = "s_load_b128" if cpu >= "gfx11" and len(cpu) == 7 else "s_load_dwordx4"
    body = " s_mov_b32 s4, doff_2_5_b@abs32@lo\n" + f" {load} s[8:11], s[0:1], s4\n"
    body += "".join(f" s_add_u32 s5, s5, {n}@abs32@lo\n" for n in NUMBERS)
    return body + " s_branch over\nover:\n s_endpgm\n"


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    lay = layout(work, NODES)
    for cpu in CHIPS:
        obj = assemble(work, f"{cpu}.o", shader("cs", code(cpu), "        .user_data_reg_map: [0x80000002, 0x10000002]", cpu=cpu), cpu=cpu)
        text, out = code(cpu), work / f"{cpu}.elf"
        for n, v in NUMBERS.items():
            text = text.replace(f"{n}@abs32@lo", str(v))
        other = assemble(work, f"{cpu}_lit.o", shader("cs", text, cpu=cpu), cpu=cpu)
        r = run(lull, "link", obj, "--layout", lay, "-o", out, "--no-fold")
        case(f"{cpu}: it links", r[0] == 0, r)
        if r[0] != 0:
            continue
        want, got = Elf(other).code(), Elf(out).code()
        case(f"{cpu}: the code is LLVM's", got[:len(want)] == want and Elf(out).flags == Elf(obj).flags, (got.hex(), want.hex()))
        stage = Elf(out).metadata()["amdpal.pipelines"][0][".hardware_stages"][".cs"]
        case(f"{cpu}: the register has the table's dword", stage[".user_data_reg_map"] == [30, 0x10000002], stage)
        listing = tool("llvm-objdump-19", "-d", f"--mcpu={cpu}", out)[1]
        case(f"{cpu}: LLVM reads the numbers", all(re.search(rf"s_(mov|add_\w+)\b.*, 0x{v:x}\b", listing) for v in NUMBERS.values()), listing)
        folded = run(lull, "link", obj, "--layout", lay, "-o", out, "--explain")
        is_11 = cpu.startswith("gfx11")
        same = Elf(out).code() == got
        case(f"{cpu}: folding", folded[0] == 0 and same != is_11 and ("only code for gfx11 is understood" in folded[1]) != is_11, folded)
        shown = run(lull, "elf", "show", obj)
        places = [int(x, 16) for x in re.findall(r"^  \.text\+0x(\w+) R_AMDGPU_ABS32_LO", shown[1], re.M)]
        case(f"{cpu}: the listing names GPU, symbols and relocations", cpu in shown[1] and "_amdgpu_cs_main" in shown[1] and
             all(n in shown[1] for n in NUMBERS) and places == [r[0] for r in Elf(obj).relocs(".rel.text")], shown)
        r = run(lull, "disasm", obj)
        case(f"{cpu}: a disassembly, or a refusal by name", r[0] == 3 and (cpu in r[2] or cpu == "gfx1100"), r)
tap.end()

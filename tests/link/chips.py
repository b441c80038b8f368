# SPDX-License-Identifier: MIT
"""lull link on objects of gfx9 to gfx12: the code is what LLVM's assembler makes with the numbers written as literals, or, folded, as
immediates of loads; what other instructions read is not folded; lull disasm lists what llvm-objdump lists; the listing of an object has its
symbols and relocations. chips.py LULL."""
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
    body = MOVE + f" {loads(cpu)} s[8:11], s[0:1], s4\n"
    body += "".join(f" s_add_u32 s5, s5, {n}@abs32@lo\n" for n in NUMBERS)
    return body + " s_branch over\nover:\n s_endpgm\n"


MOVE = " s_mov_b32 s4, doff_2_5_b@abs32@lo\n"
# Between or behind the move and the load: it is not folded. Of masks, LLVM's text of wave32 names the first of two SGPRs in code of wave64.
KEPT = {"another use": " s_add_u32 s12, s4, s12\n", "a pair": " s_mov_b64 s[12:13], s[4:5]\n", "a lane's": " v_mov_b32 v0, s4\n",
        "a compare": " s_cmp_eq_u32 s4, 0\n", "a conditional move": " s_cmov_b32 s4, 1\n", "added to": " s_addk_i32 s4, 0x10\n",
        "two values": " s_cbranch_scc1 near\n s_mov_b32 s4, 16\nnear:\n", "a jump": " s_setpc_b64 s[12:13]\n", "no instruction": " .long 0xffffffff\n"}


def loads(cpu):
    return "s_load_b128" if cpu >= "gfx11" and len(cpu) == 7 else "s_load_dwordx4"


def folding(work, cpu, lay):
    """What must stay, and what another instruction does not change."""
    for name, text in {**KEPT, "": " s_add_u32 s12, s5, s3\n s_mov_b32 s40, s44\n"}.items():
        body = MOVE + text + f" {loads(cpu)} s[8:11], s[0:1], s4\n s_mov_b32 s4, s5\n s_endpgm\n"
        obj = assemble(work, f"{cpu}_k.o", shader("cs", body, cpu=cpu), cpu=cpu)
        r = run(lull, "link", obj, "--layout", lay, "-o", work / "k.elf", "--explain")
        case(f"{cpu}: {name + ' stops folding' if name else 'other registers do not'}", r[0] == 0 and ("folded: 0 moves" in r[1]) == bool(name), r)


def listing(cpu, out):
    """lull disasm beside llvm-objdump: words and mnemonics."""
    r = run(lull, "disasm", out)
    text = tool("llvm-objdump-19", "-d", f"--mcpu={cpu}", out)[1]
    want = [(m.lower(), w.lower().split()) for m, w in re.findall(r"^\t(\w+).*// \w+: ([0-9A-F ]+)", text, re.M)]
    got = [(m, w.split()) for w, m in re.findall(r"^  \w{6}  ((?:[0-9a-f]{8} )+) *(\w+)", r[1], re.M)]
    case(f"{cpu}: a listing as llvm-objdump's", r[0] == 0 and len(want) > 8 and got[:len(want)] == want, (r, got[:4], want[:4]))
    case(f"{cpu}: with the function, and where branches go", "_amdgpu_cs_main:" in r[1] and
         re.search(r"s_branch .*_amdgpu_cs_main\+0x", r[1]) is not None, r[1])


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
        told = tool("llvm-objdump-19", "-d", f"--mcpu={cpu}", out)[1]
        case(f"{cpu}: LLVM reads the numbers", all(re.search(rf"s_(mov|add_\w+)\b.*, 0x{v:x}\b", told) for v in NUMBERS.values()), told)
        folded = run(lull, "link", obj, "--layout", lay, "-o", out, "--explain")
        body = text.replace(" s_mov_b32 s4, 240\n", " s_nop 0\n s_nop 0\n").replace("s[0:1], s4", "s[0:1], 240")
        want = Elf(assemble(work, f"{cpu}_imm.o", shader("cs", body, cpu=cpu), cpu=cpu)).code()
        case(f"{cpu}: folded", folded[0] == 0 and Elf(out).code()[:len(want)] == want and "0xf0 is an immediate of one load" in folded[1],
             (folded, Elf(out).code().hex(), want.hex()))
        listing(cpu, out)
        if cpu in ("gfx900", "gfx1030", "gfx1151", "gfx1200"):
            folding(work, cpu, lay)
        shown = run(lull, "elf", "show", obj)
        places = [int(x, 16) for x in re.findall(r"^  \.text\+0x(\w+) R_AMDGPU_ABS32_LO", shown[1], re.M)]
        case(f"{cpu}: the listing names GPU, symbols and relocations", cpu in shown[1] and "_amdgpu_cs_main" in shown[1] and
             all(n in shown[1] for n in NUMBERS) and places == [r[0] for r in Elf(obj).relocs(".rel.text")], shown)
        r = run(lull, "disasm", obj)
        case(f"{cpu}: an object is refused by name", r[0] == 3 and (cpu in r[2] or cpu == "gfx1100"), r)
tap.end()

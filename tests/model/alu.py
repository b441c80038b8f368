#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assemble the rows of alu.txt with LLVM: alu.py LLVM_MC ALU.txt ... OUT.h"""
import re
import subprocess
import sys

NAMES = {"vcc": ("s", 106), "vcc_hi": ("s", 107), "m0": ("s", 125), "exec": ("s", 126), "exec_hi": ("s", 127),
         "scc": ("c", 0), "mode": ("m", 0), "pc": ("p", 0), "status": ("t", 0), "w64": ("w", 0)}


def item(text):
    name, _, value = text.partition("=")
    m = re.fullmatch(r"([vs])(\d+)(?:\.(\d+))?", name)
    kind, reg = (m[1], int(m[2])) if m else NAMES[name]
    lane = int(m[3]) if m and m[3] else -1
    if value == "lane":
        return f"{{'l', {reg}, {lane}, 0}}"
    return f"{{'{kind}', {reg}, {lane}, 0x{int(value or '1', 0) & 0xffffffff:x}}}"


def assemble(llvm_mc, rows, wave):
    text = "".join(f"row{n}:\n{r[0].replace(';', chr(10))}\n" for n, r in enumerate(rows) if r[3] == wave)
    arch = ["-triple=amdgcn", "-mcpu=gfx1100"] + (["-mattr=-wavefrontsize32,+wavefrontsize64"] if wave == 64 else [])
    out = subprocess.run([llvm_mc, *arch, "-show-encoding"], input=text, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(out.stderr)
    code, row = {}, None
    for line in out.stdout.splitlines():
        label = re.match(r"row(\d+):", line)
        if label:
            row = int(label[1])
            code[row] = []
        enc = re.search(r"encoding: \[(.*)\]", line)
        if enc:
            code[row] += [int(b, 16) for b in enc[1].split(",")]
        word = re.match(r"\s*\.long\s+(\d+)", line)  # an instruction that LLVM does not know
        if word:
            code[row] += int(word[1]).to_bytes(4, "little")
    return code


def main():
    llvm_mc, *sources, target = sys.argv[1:]
    rows = []
    for line in (line for source in sources for line in open(source, encoding="utf-8")):
        line = line.split("#")[0].strip()
        if line:
            asm, given, want = (c.strip() for c in re.split(r"(?<=\s)\|(?=\s)", line))
            rows.append((asm, given.split(), want.split(), 64 if "w64" in given.split() else 32))
    code = {**assemble(llvm_mc, rows, 32), **assemble(llvm_mc, rows, 64)}
    with open(target, "w", encoding="utf-8") as f:
        f.write("// Made by tests/model/alu.py.\nstatic const struct row rows[] = {\n")
        for n, (asm, given, want, wave) in enumerate(rows):
            b = code[n]
            words = ", ".join(f"0x{int.from_bytes(bytes(b[i:i + 4]), 'little'):08x}" for i in range(0, len(b), 4))
            f.write(f'    {{"{asm}", {wave}, {len(b) // 4}, {{{words}}},\n'
                    f"     {{{', '.join(map(item, given)) or '{0}'}}},\n     {{{', '.join(map(item, want))}}}}},\n")
        f.write("};\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assemble every ASM("...") of a C test with llvm-mc.

asm.py LLVM_MC TEST.c OUT.h: OUT.h has one row {text, ndwords, {dwords}} for each text.
"""
import re
import subprocess
import sys

tool, source, out = sys.argv[1:]
with open(source, encoding="utf-8") as f:
    c = f.read()
found = re.findall(r'\bASM\("([^"]+)"\)', c)
if len(found) != len(re.findall(r'\bASM\("', c)):
    sys.exit(f"{source}: the text of an ASM() is one string on one line")
texts = sorted(set(found))
r = subprocess.run([tool, "-triple=amdgcn", "-mcpu=gfx1100", "-mattr=+wavefrontsize32", "-show-encoding"],
                   input="\n".join(texts) + "\n", capture_output=True, text=True)
codes = re.findall(r"encoding: \[([^]]+)\]", r.stdout)
if r.returncode or len(codes) != len(texts):
    sys.exit(f"{source}: {r.stderr or 'one text, one instruction'}")
with open(out, "w", encoding="utf-8") as f:
    f.write("// SPDX-License-Identifier: MIT\n// Made by tests/model/asm.py.\n")
    f.write("static const struct {\n    const char *text;\n    unsigned ndwords;\n    uint32_t dwords[5];\n} asm_rows[] = {\n")
    for text, code in zip(texts, codes):
        b = bytes(int(x, 16) for x in code.split(","))
        words = [f"0x{int.from_bytes(b[i:i + 4], 'little'):08x}" for i in range(0, len(b), 4)]
        f.write(f'    {{"{text}", {len(words)}, {{{", ".join(words)}}}}},\n')
    f.write("};\n")

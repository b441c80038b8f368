#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn data/spirv/alu.tsv into a C table: instructions of SPIR-V that are one of LLVM IR.

    spirv_alu.py spirv.core.grammar.json extinst.glsl.std.450.grammar.json alu.tsv OUT.h

Standard library only; the same input gives the same bytes.
"""
import json
import sys

HOW = {"bin": "BIN", "icmp": "ICMP", "fcmp": "FCMP", "call": "CALL", "each": "EACH"}


def numbers(path):
    with open(path, encoding="utf-8") as f:
        return {i["opname"]: i["opcode"] for i in json.load(f)["instructions"]}


def main():
    core, glsl = numbers(sys.argv[1]), numbers(sys.argv[2])
    rows = {}
    with open(sys.argv[3], encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if not line.strip() or line[0] == "#":
                continue
            where = f"{sys.argv[3]}:{number}"
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 4:
                sys.exit(f"{where}: {len(fields)} fields, 4 are needed")
            name, operands, how, what = fields
            key = (0, core[name]) if name in core else (1, glsl[name]) if name in glsl else sys.exit(f"{where}: no instruction '{name}'")
            if key in rows:
                sys.exit(f"{where}: {name} stands twice")
            if how not in HOW or not operands or len(operands) > 3 or set(operands) - set("ifb") or len(set(operands)) != 1:
                sys.exit(f"{where}: '{operands}' and '{how}' are not known")
            if (how in ("call", "each")) != what.startswith("llvm."):
                sys.exit(f"{where}: '{what}' is not for {how}")
            code = ("0", f'"{what}"') if what.startswith("llvm.") else (what, "NULL")
            rows[key] = f"    {{{key[0]}, {key[1]}, '{operands[0]}', {len(operands)}, {HOW[how]}, {code[0]}, {code[1]}}}, // {name}"
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/spirv_alu.py. Do not edit.", "static const struct row rows[] = {"]
    out += [rows[k] for k in sorted(rows)] + ["};", ""]
    with open(sys.argv[4], "w", encoding="utf-8") as f:
        f.write("\n".join(out))


main()

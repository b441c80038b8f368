#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the SPIR-V grammars of package spirv-headers into C tables: what operands each instruction has, and names of values.

    spirv_ops.py spirv.core.grammar.json extinst.glsl.std.450.grammar.json supplement.tsv extinst.nonsemantic.shader.debuginfo.100.grammar.json OUT.c

Operands become letters (src/spirv/grammar.h says which). Standard library only; the same input gives the same bytes.
"""
import json
import re
import sys

LETTERS = {"IdResultType": "T", "IdResult": "R", "IdRef": "I", "IdScope": "I", "IdMemorySemantics": "I", "LiteralInteger": "N",
           "LiteralString": "S", "LiteralContextDependentNumber": "C", "LiteralExtInstInteger": "N", "LiteralSpecConstantOpInteger": "O",
           "PairLiteralIntegerIdRef": "L", "PairIdRefLiteralInteger": "M", "PairIdRefIdRef": "P"}
NAMED = {"StorageClass": "storage", "BuiltIn": "builtin", "Dim": "dim"}


def letters(operands, own):
    """One letter for each operand, and a quantifier; own kinds, whose values have operands, are lower case letters."""
    return "".join((own.get(o["kind"]) or LETTERS.get(o["kind"], "N")) + o.get("quantifier", "") for o in operands)


def enumerant_names(core):
    """A function for each enumeration of NAMED."""
    out = []
    for kind, name in NAMED.items():
        out += ["", f"const char *lull_spv_{name}_name(uint32_t {name})", "{", f"    switch ({name}) {{"]
        named = {}
        for e in next(k["enumerants"] for k in core["operand_kinds"] if k["kind"] == kind):
            named.setdefault(e["value"], e["enumerant"])  # later rows of a value are other names
        out += [f'    case {value}:\n        return "{text}";' for value, text in named.items()]
        out += ["    default:", '        return "unknown";', "    }", "}"]
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        core = json.load(f)
    with open(sys.argv[2], encoding="utf-8") as f:
        glsl = json.load(f)["instructions"]
    with open(sys.argv[3], encoding="utf-8") as f:
        more = [line.split("\t") for line in f.read().splitlines() if line and line[0] != "#"]
    with open(sys.argv[4], encoding="utf-8") as f:
        debug = json.load(f)["instructions"]
    kinds = [k for k in core["operand_kinds"] if any("parameters" in e for e in k.get("enumerants", []))]
    own = {k["kind"]: chr(ord("a") + i) for i, k in enumerate(kinds)}
    rows = {}
    for i in core["instructions"]:
        rows.setdefault(i["opcode"], (i["opname"], '"' + letters(i.get("operands", []), own) + '"'))
    for number, name, *operands in more:
        operands = [re.sub(r"\{(\w+)\}", lambda m: own[m[1]], o) for o in operands]
        if int(number) in rows and (not operands or rows[int(number)][0] != name):
            sys.exit(f"{sys.argv[3]}: {name}: the grammar has it")
        rows[int(number)] = (name, f'"{operands[0]}"' if operands else "NULL")
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/spirv_ops.py. Do not edit.", '#include "spirv/grammar.h"', "",
           "const struct lull_spv_op lull_spv_ops[] = {"]
    out += [f'    {{{n}, "{rows[n][0]}", {rows[n][1]}}},' for n in sorted(rows)]
    out += ["};", f"const size_t lull_spv_nops = {len(rows)};", "", "const struct lull_spv_enumerant lull_spv_enumerants[] = {"]
    seen = set()
    for k in kinds:
        for e in k["enumerants"]:
            if "parameters" in e and (k["kind"], e["value"]) not in seen:  # later rows of a value are other names
                seen.add((k["kind"], e["value"]))
                bit = k["category"] == "BitEnum"
                out += [f"    {{'{own[k['kind']]}', {'true' if bit else 'false'}, {int(str(e['value']), 0)}, "
                        f'"{letters(e["parameters"], own)}"}},']
    out += ["};", f"const size_t lull_spv_nenumerants = {len(seen)};", "", "const struct lull_spv_op lull_spv_glsl_ops[] = {"]
    out += [f'    {{{i["opcode"]}, "{i["opname"]}", "{letters(i["operands"], own)}"}},' for i in sorted(glsl, key=lambda i: i["opcode"])]
    out += ["};", f"const size_t lull_spv_nglsl_ops = {len(glsl)};", "", "const struct lull_spv_debug_op lull_spv_debug_ops[] = {"]
    for i in sorted(debug, key=lambda i: i["opcode"]):
        names = [o["name"].strip("'") for o in i.get("operands", [])]
        out.append(f'    {{{i["opcode"]}, "{i["opname"]}", "{"|".join(names)}"}},')
    out += ["};", f"const size_t lull_spv_ndebug_ops = {len(debug)};", *enumerant_names(core), ""]
    with open(sys.argv[5], "w", encoding="utf-8") as f:
        f.write("\n".join(out))


main()

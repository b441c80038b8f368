#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the SPIR-V grammar of package spirv-headers into C functions that name enum values.

    spirv.py spirv.core.grammar.json OUT.c

Standard library only; the same input gives the same bytes.
"""
import json
import sys

KINDS = {"ImageFormat": "format", "Dim": "dim", "ExecutionModel": "model"}


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        kinds = {k["kind"]: k for k in json.load(f)["operand_kinds"]}
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/spirv.py. Do not edit.",
           '#include "file/spirv.h"', ""]
    for kind, name in KINDS.items():
        out += [f"const char *lull_spirv_{name}_name(uint32_t {name})", "{", f"    switch ({name}) {{"]
        seen = set()
        for e in kinds[kind]["enumerants"]:
            if e["value"] not in seen:  # later rows of a value are old names
                seen.add(e["value"])
                out += [f"    case {e['value']}:", f'        return "{e["enumerant"]}";']
        out += ["    default:", "        return NULL;", "    }", "}", ""]
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write("\n".join(out))


main()

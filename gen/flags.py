#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debug variables of drivers and their flags (data/env/*.flags) as a C table, struct lull_env_flag of src/hw/env.h.

A row is VARIABLE | FLAG | KIND | what it does | source; '#' begins a comment. A variable's own row (KIND var, FLAG -) comes before its flags.
"""
import argparse
import json
import pathlib
import sys

KINDS = {"var": "LULL_ENV_VAR", "try": "LULL_ENV_TRY", "print": "LULL_ENV_PRINT", "other": "LULL_ENV_OTHER"}


def rows(path):
    """Yield (variable, flag, kind, text) of a file; a wrong row ends the program, with its line."""
    seen, variables = set(), set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [p.strip() for p in line.split("|")]
        where = f"{path}:{number}"
        if len(parts) != 5 or not all(parts):
            sys.exit(f"{where}: a row is VARIABLE | FLAG | KIND | text | source")
        variable, flag, kind, text, _ = parts
        if kind not in KINDS:
            sys.exit(f"{where}: '{kind}' is not one of {', '.join(KINDS)}")
        if (kind == "var") != (flag == "-") or (kind != "var" and variable not in variables):
            sys.exit(f"{where}: the variable's own row comes first, with kind var and flag -")
        if (variable, flag) in seen:
            sys.exit(f"{where}: {variable} {flag} a second time")
        seen.add((variable, flag))
        variables.add(variable)
        yield variable, flag, kind, text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--table", required=True, type=pathlib.Path)
    args = parser.parse_args()
    out = ["// Made by gen/flags.py.", '#include "hw/env.h"', "", "const struct lull_env_flag lull_env_flags[] = {"]
    for path in args.files:
        for variable, flag, kind, text in rows(path):
            name = "NULL" if flag == "-" else json.dumps(flag)
            out.append(f"    {{{json.dumps(variable)}, {name}, {KINDS[kind]}, {json.dumps(text)}}},")
    out += ["    {0},", "};", ""]
    args.table.write_text("\n".join(out), encoding="utf-8")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modules with one instruction changed: mutate.py TOOL SHADERS. TAP.

Khronos' validator judges each, if it takes the module as it is. In spirv-dis' text of a module with OpLine are the lines that
instructions have.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

tool, shaders = sys.argv[1], pathlib.Path(sys.argv[2])


def lines_of(spv):
    """Lines that spirv-dis shows an instruction under, in functions."""
    dis = subprocess.run(["spirv-dis", "--no-header", "--no-indent", "--no-color", spv], capture_output=True, text=True, check=True).stdout
    lines, line = set(), 0
    for text in dis[dis.index("OpFunction "):].splitlines():
        at = re.match(r"OpLine %\S+ (\d+) ", text)
        line = int(at[1]) if at else 0 if re.search(r"OpNoLine|OpLabel|OpFunction\b", text) else line
        lines.add(line)
    return lines


def one(shader, d):
    """(changes of each kind, what was wrong), or None: not valid as it is."""
    spv = d / f"{shader.stem}.spv"
    made = subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3", shader, "-o", spv], capture_output=True)
    if made.returncode != 0 or subprocess.run(["spirv-val", "--target-env", "vulkan1.3", spv], capture_output=True).returncode != 0:
        return None
    r = subprocess.run([tool, spv], capture_output=True, text=True, timeout=120)
    rows = [row.split(" ", 4) for row in r.stdout.splitlines()]
    wrong = [row for row in rows if row[0] != "valid"]
    strange = {int(row[2]) for row in rows} - lines_of(spv)
    return collections.Counter(int(row[3]) for row in rows), wrong or r.returncode or strange


with tempfile.TemporaryDirectory() as d:
    total, modules = collections.Counter(), 0
    for shader in sorted(shaders.glob("*.comp")):
        got = one(shader, pathlib.Path(d))
        if got is None:
            continue
        modules += 1
        total += got[0]
        case(f"{shader.name}: {sum(got[0].values())} changes are valid", not got[1], got[1])
    case(f"{modules} modules, {sum(total.values())} changes", modules > 40 and sum(total.values()) > 2000, total)
    case("there are changes of each kind", sorted(total) == [1, 2, 3, 4, 5], total)
end()

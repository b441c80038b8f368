#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A module's text, and the same module with the lines of that text: text.py TOOL SHADERS. TAP.

spirv-dis says what stands in each line: its opcode, its result and all its ids. spirv-val says that the module with lines is valid;
each of its OpLines must lead to the line with the instruction behind it.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

tool, shaders = sys.argv[1], pathlib.Path(sys.argv[2])
NAMES = ["saxpy", "reduce", "sha256", "bitonic", "spec", "radix", "crc", "f64ops", "image2d", "scratch", "address", "pack"]


def dis(path):
    return subprocess.run(["spirv-dis", "--raw-id", "--no-header", "--no-indent", "--no-color", path], capture_output=True, text=True,
                          check=True).stdout.splitlines()


def parts(line, lull=False):
    """Opcode, result and operands that are ids; lull's have names in front of their numbers."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
    ids = re.findall(r"%(?:\S*_)?(\d+)(?=\s|$)" if lull else r"%(\d+)", line)
    op = re.search(r"\bOp\w+", line)
    return op and op[0], ids


def one(d, shader, flags):
    spv, out, text = d / "in.spv", d / "out.spv", d / "out.txt"
    subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", *flags, shader, "-o", spv], check=True)
    r = subprocess.run([tool, spv, out, text, "some/where.spvasm"], capture_output=True, text=True, timeout=60)
    name = f"{shader.name} {' '.join(flags)}"
    if r.returncode != 0:
        case(name, False, r)
        return
    lines, want = text.read_text().splitlines(), dis(spv)
    wrong = [(a, b) for a, b in zip(lines, want) if parts(a, True) != parts(b)]
    case(f"{name}: {len(want)} lines are spirv-dis'", len(lines) == len(want) and not wrong, wrong[:3])
    r = subprocess.run(["spirv-val", "--target-env", "vulkan1.3", out], capture_output=True, text=True)
    case(f"{name}: with lines it is valid", r.returncode == 0, r)
    lined, named = dis(out), not any("OpMemberName" in w for w in want)
    behind = [(int(a.split()[2]), b) for a, b in zip(lined, lined[1:]) if "OpLine" in a]
    wrong = [(n, b) for n, b in behind if parts(want[n - 1]) != parts(b)]
    case(f"{name}: {len(behind)} OpLines lead to their instructions", len(behind) > 10 and not wrong, wrong[:3])
    bare = [a for a in lined if not re.search(r"\bOpLine\b|some/where", a) and not (named and re.search(r'OpName %(\d+) "v\1"', a))]
    case(f"{name}: nothing else is changed", bare == want, [p for p in zip(bare, want) if p[0] != p[1]][:2])
    variables = {parts(w)[1][0] for w in want if " OpVariable " in w}
    case(f"{name}: variables have names", not named or variables == {m[1] for m in re.finditer(r'OpName %(\d+) "v\1"', "\n".join(lined))},
         variables)


with tempfile.TemporaryDirectory() as d:
    there = [shaders / f"{n}.comp" for n in NAMES]
    for s in there:
        for flags in ([], ["-g0"]):
            one(pathlib.Path(d), s, flags)
    lined = pathlib.Path(d) / "g.spv"
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", there[0], "-o", lined], check=True)
    r = subprocess.run([tool, lined, lined, lined, "x"], capture_output=True, text=True)
    case("a module that has lines is told from others", r.returncode == 1 and "it has lines" in r.stdout, r)
end()

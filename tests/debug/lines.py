#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines of the driver's own code: lull debug --lines. lines.py LULL VULKAN [--radv DIR]: TAP.

What must come out is read off the shaders' sources. In made ones each line has a constant of its own: an instruction of RADV's
code with that constant in it is of that line, whoever says so. Those of tests/vulkan must compute what they do without.
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

lull, vulkan, driver = sys.argv[1], pathlib.Path(sys.argv[2]), []
if sys.argv[3:4] == ["--radv"]:
    driver = [sys.executable, pathlib.Path(__file__).resolve().parents[2] / "tools/radv.py", "run", sys.argv[4]]
sys.path[:0] = [str(vulkan), str(pathlib.Path(__file__).resolve().parents[1])]
import cases  # noqa: E402
import words  # noqa: E402
from tap import case, end, share  # noqa: E402

environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
SAXPY = ["--groups", "2", "--bind", "0.0=iota:128:f32", "--bind", "0.1=iota:128:f32", "--push", "f32:2.5,u32:128"]
# Loops, barriers and LDS, subgroups, 64 bits, images, 16 bits.
RUN = ["mandelbrot", "reduce", "bitonic-sort", "prefix-sum-look-back", "game-of-life", "subgroup-ballot-wave32", "atomics", "image-rgba8",
       "float16", "nbody"]


def debug(commands, program, options=()):
    args = [*driver, lull, "debug", "--lines", *options, "-batch", "--echo"]
    for c in commands:
        args += ["-ex", c]
    r = subprocess.run([*map(str, args), "--", lull, "run", *map(str, program)], capture_output=True, text=True, timeout=300, env=environment)
    return r.returncode, r.stdout + r.stderr


def compiled(source, spv, *flags):
    subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", *flags, source, "-o", spv], check=True)
    return spv


def rows(text):
    """(line or None, instruction, how) of the first info lines."""
    text = text.partition(" lines with instructions")[0]
    found = re.findall(r"^ +(\d+|-)  \+0x[0-9a-f]+ +(.*?)(?: {2,}(\S.*))?$", text, re.M)
    return [(int(line) if line != "-" else None, code.strip(), how or "") for line, code, how in found]


def saxpy(root, flags, name):
    """The condition is line 10; line 11 loads twice, multiplies and adds, and stores."""
    spv = compiled(vulkan / "shaders/saxpy.comp", root / "saxpy.spv", *flags)
    status, text = debug(["catch dispatch", "run", "info lines", "break saxpy.comp:10", "delete 1", "continue", "backtrace", "list", "next",
                          "info line", "delete", "continue"], [spv, *SAXPY])
    found = rows(text)
    of = {what: [r for r in found if re.match(what, r[1])] for what in ("v_cmp", "buffer_load", "v_fma", "buffer_store", "s_endpgm")}
    for what, line, n in (("v_cmp", 10, 1), ("buffer_load", 11, 2), ("v_fma", 11, 1), ("buffer_store", 11, 1)):
        good = len(of[what]) == n and all(r[0] == line and r[2].startswith("exact, by ") for r in of[what])
        case(f"saxpy, {name}: {what} is line {line}, exact", good, text)
    case(f"saxpy, {name}: the end has no line", [r[0] for r in of["s_endpgm"]] == [None], text)
    case(f"saxpy, {name}: no instruction is of another line", {r[0] for r in found} == {None, 10, 11}, text)
    case(f"saxpy, {name}: break at line 10", re.search(r"Breakpoint 2 at .* at \S*saxpy.comp:10 \(exact, by 2 changes\)\n", text) is not None, text)
    case(f"saxpy, {name}: stops there", re.search(r"hit breakpoint 2.*\n\S*saxpy.comp:10 \(exact.*\n=> .*v_cmp", text) is not None, text)
    case(f"saxpy, {name}: backtrace", re.search(r"#0 .* at \S*saxpy.comp:10 \(exact", text) is not None, text)
    case(f"saxpy, {name}: list marks it", re.search(r"^=> +10 +if \(i < n\)", text, re.M) is not None, text)
    case(f"saxpy, {name}: next goes to line 11", re.search(r"stepped.*\n\S*saxpy.comp:11 \(exact.*\n=> .*buffer_load", text) is not None, text)
    case(f"saxpy, {name}: info line shows its instructions", re.search(r"saxpy.comp:11, in the driver's code .*\n( +11  .*\n)+", text) is not None, text)
    case(f"saxpy, {name}: and runs to its end", status == 0 and "exited with status 0" in text, text)


def waits(root):
    """A breakpoint that is set before there is any code: saxpy's i is the work-item, so 70 is lane 6 of the second wave64."""
    spv = compiled(vulkan / "shaders/saxpy.comp", root / "saxpy.spv", "-gVS")
    status, text = debug(["break nothing.comp:3", "break saxpy.comp:11 if i == 70", "info breakpoints", "run", "print i[6]", "info breakpoints", "delete 2",
                          "continue"], [spv, *SAXPY])
    case("a breakpoint waits for its code", re.search(r"^Breakpoint 2 \(saxpy.comp:11 if i == 70\) pending\.$", text, re.M) is not None and
         re.search(r"^2 +keep enabled +<PENDING> saxpy.comp:11 hit 0 times, if i == 70$", text, re.M) is not None, text)
    case("... and stops where its condition holds", re.search(r"hit breakpoint 2, lane 6\n\S*saxpy.comp:11 \(exact", text) is not None and re.search(r"^i\[6\] = 70\b", text, re.M) is not None, text)
    case("... another waits on", re.search(r"^1 +keep enabled +<PENDING> nothing.comp:3 hit 0", text, re.M) is not None and
         re.search(r"^2 +keep enabled +0x\S+ <.*> at \S*saxpy.comp:11 hit 1 time", text, re.M) is not None, text)
    case("... and the program ends", status == 0 and "exited with status 0" in text, text)
    status, text = debug(["set breakpoint pending off", "break saxpy.comp:11"], [spv, *SAXPY])
    case("pending off", status != 0 and "no code for line 'saxpy.comp:11'" in text, text)
    status, text = debug(["catch dispatch", "run", "break other.comp:3"], [spv, *SAXPY])
    case("with a dispatch in hand none waits", status != 0 and "is known to be of line other.comp:3" in text, text)
    status, text = debug(["catch dispatch", "run", "set breakpoint pending on", "break other.comp:3"], [spv, *SAXPY])
    case("... but for pending on", status == 0 and "Breakpoint 2 (other.comp:3) pending." in text, text)


def refused(root):
    spv = compiled(vulkan / "shaders/saxpy.comp", root / "saxpy.spv", "-g")
    status, text = debug(["catch dispatch", "run", "break saxpy.comp:8"], [spv, *SAXPY])
    case("a line without code is not claimed", status != 0 and "no instruction of the driver's code is known to be of line saxpy.comp:8" in text, text)
    for options in (["--lines", "x.cl"], ["--noopt", "--", "true"]):
        r = subprocess.run([lull, "debug", *options], capture_output=True, text=True, env=environment)
        case(f"{' '.join(options)} is refused", r.returncode == 2 and "--lines is for a program" in r.stderr, r)
    r = subprocess.run([*map(str, driver), lull, "debug", "-batch", "-ex", "catch dispatch", "-ex", "run", "-ex", "info lines", "--", lull, "run",
                        spv, *SAXPY], capture_output=True, text=True, env=environment)
    case("without --lines", r.returncode != 0 and "lull debug --lines" in r.stderr, r)


def text_lines(root):
    """A module without lines: those of its text, which says the same about each instruction."""
    spv = compiled(vulkan / "shaders/saxpy.comp", root / "bare.spv")
    status, text = debug(["catch dispatch", "run", "info lines", "break 10000", "continue"], [spv, *SAXPY])
    asm = subprocess.run(["spirv-dis", "--no-header", "--no-indent", spv], capture_output=True, text=True, check=True).stdout.splitlines()
    want = {"v_cmp": "OpULessThan", "v_fma": "Fma", "buffer_store": "OpStore", "buffer_load": "OpLoad"}
    for row in rows(text):
        for code, op in want.items():
            if row[1].startswith(code):
                also = re.search(r"and line (\d+)", row[2])
                said = [n for n in (row[0], also and int(also[1])) if n]
                case(f"text: {code} is of a line with {op}", any(op in asm[n - 1] for n in said), (row, text))
    case("text: there are such", len(rows(text)) > 10, text)


def made(root, seed, options=()):
    """Lines with a constant each, in a random order, on two variables."""
    r = random.Random(seed)
    lines = ["#version 460", "layout(local_size_x = 64) in;", "layout(set = 0, binding = 0) buffer B { uint b[]; };", "void main()", "{",
             "    uint i = gl_GlobalInvocationID.x;", "    uint x = b[i], y = b[i + 64u];"]
    owner = {}
    for _ in range(r.randrange(12, 30)):
        value = r.randrange(1 << 20, 1 << 32) | 0x10001
        a, b = r.choice(["xx", "yy", "xy", "yx"])
        form = r.choice(["{a} += {b} * {c}u;", "{a} += {b} ^ {c}u;", "{a} ^= ({b} >> 2) ^ {c}u;", "{a} = ({b} & {c}u) + {a};", "{a} ^= {b} & {c}u;",
                         "{a} ^= min({b}, {c}u);", "if ({b} > {c}u) {a} += y;", "{a} += max({b} >> 3, {c}u);"])
        lines.append("    " + form.format(a=a, b=b, c=hex(value)))
        owner[value] = owner[(1 << 32) - value] = len(lines)
    lines += ["    b[i] = x ^ (y << 1);", "}"]
    source = root / f"made{seed}.comp"
    source.write_text("\n".join(lines) + "\n")
    status, text = debug(["catch dispatch", "run", "info lines", "delete", "continue"],
                         [compiled(source, root / "made.spv", "-gVS"), "--groups", "1", "--bind", "0.0=rand:7:128:u32"], options)
    wrong, right, unknown = [], 0, 0
    for line, code, how in rows(text):
        of = {owner[int(v, 16)] for v in re.findall(r"0x[0-9a-f]{4,8}\b", code) if int(v, 16) in owner}
        also = re.search(r"and line (\d+)", how)
        said = {line, int(also[1])} if also else {line}
        if not of or line is None:
            unknown += bool(of)
        elif said & of:
            right += 1
        else:
            wrong.append((line, code, how, of))
    return status, text, wrong, right, unknown


def runs(root, name):
    """A shader of tests/vulkan computes what it does, every change compiles, and most of its lines are known."""
    c = next(c for c in cases.CASES if c.name == name)
    work = root / name
    work.mkdir()
    args, expect = words.words(vulkan / "shaders", work, c)
    spv = compiled(vulkan / "shaders" / c.shader, work / "g.spv", "-g", *(a for a in c.args if str(a)[:2] in ("-D", "-I")))
    status, text = debug([f"catch dispatch name {c.shader}", "run", "info lines", "delete", "continue"], [spv, *args[1:], *expect])
    lines = re.search(r"^(\d+) lines with instructions of SPIR-V: (\d+) exact, (\d+) more known\n(\d+) changes compiled, of which (\d+) failed", text, re.M)
    n = [int(v) for v in lines.groups()] if lines else [0] * 5
    case(f"{name}: right, {n[3]} changes compile, {n[1] + n[2]} of {n[0]} lines known",
         status == 0 and "exited with status 0" in text and n[0] > 0 and 5 * (n[1] + n[2]) >= 3 * n[0] and n[3] > 0 and n[4] == 0, text[-3000:])


with tempfile.TemporaryDirectory() as d:
    root = pathlib.Path(d)
    saxpy(root, ["-gVS"], "DebugLine")
    saxpy(root, ["-g"], "OpLine")
    waits(root)
    refused(root)
    text_lines(root)
    total = [0, 0]
    for seed in share(range(1, 9), 2):
        options = ["--noopt"] if seed % 4 == 0 else []
        status, text, wrong, right, unknown = made(root, seed, options)
        total = [total[0] + right, total[1] + unknown]
        case(f"made {seed} {' '.join(options)}: {right} constants lead to their lines, {unknown} are not known", not wrong and right >= 5 and status == 0,
             (wrong, text))
    case(f"made: {total[0]} of {sum(total)} instructions with a line's constant have that line", 4 * total[0] >= 3 * sum(total), total)
    for name in share(RUN, 2):
        runs(root, name)
end()

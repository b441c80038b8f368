#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""source on: dispatches of a Vulkan program run code that lull compiles of their SPIR-V. source_on.py LULL VULKAN BLOCKS [--radv DIR] [NAME...]: TAP.

The programs are lull run of the shaders of tests/vulkan, and BLOCKS (blocks.c), under RADV. What must come out is
what tests/vulkan/cases_*.py compute, or lavapipe.
"""
import concurrent.futures
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

lull, vulkan, blocks, only = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve(), sys.argv[4:]
driver = []  # words before a command: tools/radv.py, for another RADV than the system's
if only[:1] == ["--radv"]:
    driver, only = [sys.executable, pathlib.Path(__file__).resolve().parents[2] / "tools/radv.py", "run", only[1]], only[2:]
sys.path[:0] = [str(vulkan), str(pathlib.Path(__file__).resolve().parents[1])]
import cases  # noqa: E402
import words  # noqa: E402
import tap  # noqa: E402
from tap import case, end  # noqa: E402

here = pathlib.Path(__file__).resolve().parent
environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
# Every kind of binding that works, and of what code needs; waves of both sizes, an indirect dispatch, one that begins elsewhere.
RUN = ["saxpy", "reduce", "sha256", "bitonic-sort", "buffer-device-address", "descriptor-indexing", "buffer-arrays", "push-constants",
       "push-descriptors", "spec-constants", "dynamic-offsets", "private-arrays", "shared-memory-32k", "three-dimensions", "dispatch-indirect",
       "dispatch-base", "subgroup-arithmetic-int-wave32", "subgroup-arithmetic-int-wave64", "float64", "atomics",
       "texture-linear-repeat", "texture-cube-mips", "image-rgba8", "image-atomics", "texel-buffers", "sampled-images"]
# Of these what both compilers make is equal bit for bit.
COMPARED = ["saxpy", "reduce", "sha256", "bitonic-sort", "dynamic-offsets", "spec-constants", "shared-memory-32k", "private-arrays", "atomics",
            "subgroup-arithmetic-int-wave32", "dispatch-indirect", "image-rgba8", "texture-shadow"]

# Filters, wraps, borders, levels, comparison; separate samplers.
IMMUTABLE = ["texture-linear-repeat", "texture-cube-mips", "texture-shadow", "texture-lod-bias-and-clamps", "sampled-images"]


def debug(commands, program, **more):
    args = [*driver, lull, "debug", "--batch", "--echo"]
    for c in commands:
        args += ["-ex", c]
    words_of = program if program[0] == blocks else [lull, "run", *program]
    r = subprocess.run([*args, "--", *map(str, words_of)], capture_output=True, text=True, timeout=300,
                       env={**environment, **more})
    return r.returncode, r.stdout + r.stderr


def program_of(c, work):
    """Its words, with a module that has lines, and what it must give: what the case computes, else what lavapipe does."""
    args, expect = words.words(vulkan / "shaders", work, c)
    have = {e.partition("=")[0] for e in expect[1::2]}
    missing = [p for p in c.compare if p not in have] if c.lavapipe else []
    if missing:
        r = subprocess.run([lull, "run", *map(str, args), "--vulkan-device", "lavapipe", "--out-dir", work], capture_output=True, text=True,
                           env=environment)
        if r.returncode != 0:
            raise AssertionError(f"{c.name}, lavapipe: {r.stdout + r.stderr}")
        for p in missing:
            (work / f"{p}.lavapipe").write_bytes((work / f"{p}.bin").read_bytes())
            expect += ["--expect", f"{p}={work / (p + '.lavapipe')}"]
    if not expect:
        raise AssertionError(f"{c.name}: nothing to compare with")
    shader = vulkan / "shaders" / c.shader
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3",
                    *(a for a in c.args if str(a)[:2] in ("-D", "-I")), shader, "-o", work / "g.spv"], check=True)
    return [work / "g.spv", *args[1:]], expect


def one(c, root):
    """(worked, what was said)"""
    work = root / c.name
    work.mkdir()
    args, expect = program_of(c, work)
    status, text = debug([f"catch dispatch name {c.shader}", "run", "delete", "source on", f"break {c.shader}:1", "continue", "delete", "continue"], [*args, *expect])
    ran = "The dispatch will run lull's code, -O0" in text and re.search(rf"hit breakpoint 2.*\n\S*{c.shader}:\d+\t", text) is not None
    return status == 0 and ran and "exited with status 0" in text, text


def compared(c, root):
    """Both compilers' code on the same memory, which the program then has as its driver's code leaves it."""
    work = root / (c.name + "_compared")
    work.mkdir()
    args, expect = program_of(c, work)
    status, text = debug([f"catch dispatch name {c.shader}", "run", "delete", "source compare", "continue"], [*args, *expect])
    changed = re.search(r"^equal: ([1-9]\d*) bytes in [1-9]", text, re.M)
    return status == 0 and changed is not None and "exited with status 0" in text, text


def compiler_of(text, work):
    """A lull-cc that compiles the shader @text whatever it is given."""
    (work / "wrong.comp").write_text(text)
    subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", work / "wrong.comp", "-o", work / "wrong.spv"], check=True)
    fake = work / "lull-cc"
    fake.write_text(f"""#!/bin/sh
n=$#
while [ $n -gt 0 ]; do
    case $1 in *.spv) set -- "$@" {work / 'wrong.spv'};; *) set -- "$@" "$1";; esac
    shift
    n=$((n - 1))
done
exec {pathlib.Path(lull).resolve().parent / 'lull-cc'} "$@"
""")
    fake.chmod(0o755)
    return fake


def tolerance(root):
    """A compiler whose float is two units in the last place beside the driver's, and one whose integer is one more."""
    c = next(c for c in cases.CASES if c.name == "saxpy")
    work = root / "tolerance"
    work.mkdir()
    args, expect = program_of(c, work)
    source = (vulkan / "shaders" / c.shader).read_text()
    wrong = source.replace("y[i] = fma(a, x[i], y[i]);", "y[i] = uintBitsToFloat(floatBitsToUint(fma(a, x[i], y[i])) + (i == 37 ? 2 : 0));")
    assert wrong != source
    fake = str(compiler_of(wrong, work))
    near = r"^equal: \d+ bytes in 1 buffer, with 1 float within the tolerance$"
    apart = r"^Of 1 values that differ, 1 is a float, 2 units in the last place apart at most\.$"
    for how, want in (("", apart), ("--tolerance ulp:1", apart), ("--tolerance ulp:2", near), ("--tolerance rel:1e-6", near), ("--tolerance rel:1e-9", apart)):
        status, said = debug(["catch dispatch", "run", "delete", f"source compare {how}", "continue"], [*args, *expect], LULL_CC=fake)
        case(f"two units in the last place: source compare {how}", status == (want != near) and re.search(want, said, re.M) is not None, (status, said))
    for words_, good in ((["--compare-tolerance", "ulp:2"], True), (["--compare-tolerance", "ulp:1"], False)):
        r = subprocess.run([*driver, lull, "exec", "--compare", *words_, "--", lull, "run", *map(str, args)], capture_output=True, text=True,
                           timeout=300, env={**environment, "LULL_CC": fake})
        case(f"lull exec --compare {words_[1]}", r.returncode == (not good) and f"dispatch 0: {'equal' if good else 'different'}: " in r.stdout, r.stdout + r.stderr)
    for bad in ("3", "ulp:", "ulp:x", "rel:1", "rel:nan", "ulp:2x", "abs:1"):
        status, said = debug(["catch dispatch", "run", f"source compare --tolerance {bad}"], [*args, *expect])
        case(f"--tolerance {bad}", status != 0 and f"--tolerance '{bad}' is not ulp:N or rel:X" in said, said)
    text = (here / "blocks.comp").read_text()
    fake = str(compiler_of(text.replace("+ more;", "+ more + (i == 5 ? 1 : 0);"), work))
    status, said = debug(["catch dispatch", "run", "delete", "source compare --tolerance ulp:1000", "continue"], [blocks, block_module(work)], LULL_CC=fake)
    case("small integers have no tolerance", status == 1 and "\ndifferent: 1 of " in said and "a float" not in said, said)


def block_module(work):
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", here / "blocks.comp", "-o", work / "blocks.spv"], check=True)
    return work / "blocks.spv"


def in_one_submit(root):
    """Three dispatches of one submission, with an inline uniform block: the second is stepped, all are compared. blocks.c has the values."""
    work = root / "blocks"
    work.mkdir()
    module = block_module(work)
    text = (here / "blocks.comp").read_text().split("\n")
    at = next(i + 1 for i, line in enumerate(text) if "v[i] =" in line)
    status, said = debug(["catch dispatch", "run", "continue", "delete", "source on", f"break blocks.comp:{at} if i == 39", "continue",
                          "print round", "print a", "print more", "delete", "continue"], [blocks, module])
    more = 9000 + 2 * 100000  # of i 39, which is 3 modulo 4
    case("the second dispatch of a submission, by line", status == 0 and "Dispatch 1 is held" in said and "lane 7\n" in said and
         re.search(r"^round = 2\b", said, re.M) and re.search(r"^a = {3, 50, 700, 9000}( |$)", said, re.M) and re.search(rf"^more = .*\b{more}\b", said, re.M) is not None and
         "0 words are wrong" in said, said)
    status, said = debug(["source compare all"], [blocks, module])
    case("all dispatches of a submission are compared", status == 0 and re.findall(r"^dispatch (\d): equal: 19\d bytes", said, re.M) == ["0", "1", "2"] and
         "0 words are wrong" in said, said)


def immutable(root):
    """Samplers that the set's layout has, which RADV keeps in its code: lull's gives the same bytes, and what lavapipe gives."""
    for name in IMMUTABLE:
        c = next(c for c in cases.CASES if c.name == name)
        work = root / f"{name}_immutable"
        work.mkdir()
        args, expect = program_of(c, work)
        args = [f"{a}:immutable" if args[i - 1] == "--bind" and re.match(r"[^=]*=(image|sampler)\b", str(a)) else a for i, a in enumerate(args)]
        status, text = debug([f"catch dispatch name {c.shader}", "run", "delete", "source compare", "source on", "continue"], [*args, *expect])
        case(f"{name} with immutable samplers", status == 0 and any(":immutable" in str(a) for a in args) and "empty" not in text and
             re.search(r"^equal: ([1-9]\d*) bytes in [1-9]", text, re.M) is not None and "exited with status 0" in text, text)


def no_lines(root):
    """Modules without debug information have the lines of their text. What stands in it, tests/spirv/text.py compares with spirv-dis."""
    work = root / "no_lines"
    work.mkdir()
    for flags, block, i in (([], "a = {3, 50, 700, 9000}", "i"), (["-g0"], r"v\d+ = {_m0 = {3, 50, 700, 9000}, _m1 = 100000}", r"v\d+")):
        subprocess.run(["glslangValidator", "--quiet", "-V", *flags, here / "blocks.comp", "-o", work / "n.spv"], check=True)
        status, said = debug(["catch dispatch", "run", "delete", "source on", "stepi", "step 6", "list", "info locals", "delete", "continue"], [blocks, work / "n.spv"])
        case(f"without lines {' '.join(flags)}: it steps through the module's text", "The module has no lines" in said and
             re.search(r"^/\S+\.spvasm:(\d+)\t .*= Op\w+", said, re.M) is not None and
             re.search(r"^=> +\d+   %.*= Op\w+ ", said, re.M) is not None, said)
        case(f"without lines {' '.join(flags)}: variables", re.search(rf"^{block}( |$)", said, re.M) is not None and
             re.search(rf"^{i} = 0…31( |$)", said, re.M) is not None, said)
        status, said = debug(["catch dispatch", "run", "source on", "continue", "source on", "continue", "continue"], [blocks, work / "n.spv"])
        case(f"without lines {' '.join(flags)}: it computes the same", status == 0 and "0 words are wrong" in said, said)


def planted(root):
    """A compiler that is wrong for one work-item: the first difference is its element, and nothing but it differs."""
    c = next(c for c in cases.CASES if c.name == "saxpy")
    work = root / "planted"
    work.mkdir()
    args, expect = program_of(c, work)
    source = (vulkan / "shaders" / c.shader).read_text()
    wrong = source.replace("fma(a, x[i], y[i]);", "fma(a, x[i], y[i]) + (i == 37 ? 1.0 : 0.0);")
    assert wrong != source
    fake = compiler_of(wrong, work)
    r = subprocess.run([*driver, lull, "exec", "--compare", "--", lull, "run", *map(str, args)], capture_output=True, text=True, timeout=300,
                       env={**environment, "LULL_CC": str(fake)})
    case("planted: lull exec --compare has status 1", r.returncode == 1 and "dispatch 0: different: " in r.stdout, r.stdout + r.stderr)
    want = memoryview((work / "0.0.lavapipe").read_bytes()).cast("f")[37]
    commands = [f"catch dispatch name {c.shader}", "run", "delete", "info descriptors", "source compare", "x/1fw b0+148", "continue"]
    status, said = debug(commands, [*args, *expect], LULL_CC=str(fake))
    m = re.search(r"^different: (\d+) of \d+ bytes in 1 buffer, first 0x([0-9a-f]+) <(\S+)\+0x94>\n  before +0x\w+ +(\S+)\n"
                  r"  driver's code +0x\w+ +(\S+)\n  lull's code +0x\w+ +(\S+)$", said, re.M)
    case("planted: found and named", m is not None and 1 <= int(m[1]) <= 4, said)
    m = m or re.match(r"()()()()()()", "")
    got = [float(m[i] or "nan") for i in (5, 6)]
    case("planted: both values", abs(got[0] - want) <= 1e-6 * abs(want) and abs(got[1] - want - 1) <= 1e-6 * abs(want + 1), (got, want, said))
    case("planted: memory is as before, and the driver's code has the last word",
         status == 1 and re.search(rf"^0x\w+: {re.escape(m[4] or '?')}$", said, re.M) is not None and "exited with status 0" in said, (status, said))


def all_compared(root):
    """source compare all: without a stop."""
    c = next(c for c in cases.CASES if c.name == "radix-sort")
    work = root / "all"
    work.mkdir()
    args, expect = program_of(c, work)
    status, said = debug(["source compare all"], [*args, *expect])
    lines = re.findall(r"^dispatch (\d+): (equal|not compared|different)", said, re.M)
    r = subprocess.run([*driver, lull, "exec", "--compare", "--", lull, "run", *map(str, args + expect)], capture_output=True, text=True, timeout=300,
                       env=environment)
    case("lull exec --compare", r.returncode == 0 and re.search(r"^dispatch 0: equal: [1-9]", r.stdout, re.M) is not None, r.stdout + r.stderr)
    r = subprocess.run([lull, "exec", "--compare", "--seed", "3", "--", "true"], capture_output=True, text=True, env=environment)
    case("lull exec --compare with another option", r.returncode == 2 and "--compare and --seed do not go together" in r.stderr, r.stderr)
    case("all dispatches of a program", status == 0 and any(how == "equal" for _, how in lines) and "exited with status 0" in said, said)


def refused(root):
    """What lull's compiler refuses is named, and the dispatch is the program's own still."""
    c = next(c for c in cases.CASES if c.name == "saxpy")
    work = root / "refused"
    work.mkdir()
    args, expect = program_of(c, work)
    fake = work / "lull-cc"
    fake.write_text("#!/bin/sh\necho 'lull-cc: x.spv: word 5: OpNo %3: no' >&2\nexit 3\n")
    fake.chmod(0o755)
    status, said = debug(["catch dispatch", "run", "source on"], [*args, *expect], LULL_CC=str(fake))
    case("refused by name", status != 0 and "\nlull's compiler: word 5: OpNo %3: no\n" in said, said)
    status, said = debug(["source compare all"], [*args, *expect], LULL_CC=str(fake))
    case("not compared, and it goes on", status == 0 and "dispatch 0: not compared: lull's compiler: word 5" in said and
         "exited with status 0" in said, (status, said))


def steps(root):
    """saxpy line by line."""
    c = next(c for c in cases.CASES if c.name == "saxpy")
    work = root / "steps"
    work.mkdir()
    args, _ = program_of(c, work)
    text = (vulkan / "shaders" / c.shader).read_text().split("\n")
    at = {name: next(i + 1 for i, line in enumerate(text) if name in line) for name in ("uint i =", "i < n", "y[i] =")}
    status, said = debug(["catch dispatch", "run", "delete", "source on", f"break {c.shader}:{at['uint i =']}", "continue", "next", "next",
                          "source off", "delete", "continue"], args)
    seen = [int(n) for n in re.findall(rf"^\S*{c.shader}:(\d+)\t", said, re.M)]
    case("saxpy, line by line", seen == [at["uint i ="], at["i < n"], at["y[i] ="]], (seen, at, said))
    case("source off needs a held dispatch", status != 0 and "no dispatch is held" in said, said)
    status, said = debug(["catch dispatch", "run", "delete", "source on", "source off", f"break {c.shader}:1", "continue"], args)
    case("source off: the program's own code runs", status == 0 and "hit breakpoint" not in said and "exited with status 0" in said, said)
    status, said = debug(["catch dispatch", "run", "delete", "info line", "source on", "info line", "source off", "info line"], args)
    lines = [int(n) for n in re.findall(rf" is \S*{re.escape(c.shader)}:(\d+)", said)]
    case("info line at a held dispatch, with source on alone", len(lines) == 1 and at["uint i ="] - 2 <= lines[0] <= at["uint i ="] + 1 and said.count("No line: no lines of the held") == 2, said)
    status, said = debug(["catch dispatch", "source on"], args)
    case("source on without a dispatch", status != 0 and "no dispatch is held" in said, said)


# Variables of the module, in a function that main calls: a buffer, push constants or a constant buffer, shared and private memory.
FUNCTION = {"f.comp": """#version 450
layout(local_size_x = 64) in;
struct Item { vec3 pos; uint id; };
layout(set = 0, binding = 0, std430) buffer B { Item items[]; };
layout(push_constant) uniform P { float f; };
shared float tile[64];
float acc = 1.5;
float use(uint i)
{
    float x = items[i & 3u].pos.y * f + acc;
    return x + tile[i ^ 1u];
}
void main()
{
    tile[gl_LocalInvocationIndex] = gl_LocalInvocationIndex * 0.5;
    acc += 1.0;
    barrier();
    items[gl_LocalInvocationIndex & 3u].pos.z = use(gl_LocalInvocationIndex);
}
""", "f.hlsl": """struct Item { float3 pos; uint id; };
[[vk::binding(0, 0)]] RWStructuredBuffer<Item> items;
[[vk::binding(1, 0)]] cbuffer C { float f; };
groupshared float tile[64];
static float acc = 1.5;
float use(uint i)
{
    float x = items[i & 3u].pos.y * f + acc;
    return x + tile[i ^ 1u];
}
[numthreads(64, 1, 1)]
void main(uint l : SV_GroupIndex)
{
    tile[l] = l * 0.5;
    acc += 1.0;
    GroupMemoryBarrierWithGroupSync();
    items[l & 3u].pos.z = use(l);
}
"""}
SHOWN = [("items", r"\{\.\.\.\}"), ("items[2].pos", r"\{9, 10, 11\}"), ("items[i & 3].id", r"\[0\] 100 101 102 103 100 .*"), ("f", "2"), ("tile[5]", "2.5"), ("acc", "2.5"), ("i", "0…63"), ("x", r"\[0\] 6.5 12.5 22.5 .*")]


def in_functions(root):
    """What is of all functions can be read in each, inlined as it is."""
    work = root / "functions"
    work.mkdir()
    (work / "items").write_bytes(b"".join(struct.pack("<3fI", *(float(n) for n in (k, k + 1, k + 2)), 100 + i) for i, k in enumerate((1, 4, 9, 16))))
    for name, flags, more in (("f.comp", ["-g"], ["--push", "f32:2"]), ("f.comp", ["-gVS"], ["--push", "f32:2"]),
                              ("f.hlsl", ["-g", "-Od", "-D", "-S", "comp", "-e", "main"], ["--bind", "0.1=values:f32:2,0,0,0"])):
        (work / name).write_text(FUNCTION[name])
        subprocess.run(["glslangValidator", "--quiet", "-V", *flags, "--target-env", "vulkan1.3", name, "-o", "f.spv"], cwd=work, check=True)
        line = FUNCTION[name].split("\n").index("    return x + tile[i ^ 1u];") + 1
        status, said = debug(["catch dispatch", "run", "delete", "source on", f"break {name}:{line}", "continue", *(f"print {e}" for e, _ in SHOWN), "delete", "continue"],
                             [work / "f.spv", "--groups", "1", "--bind", f"0.0={work / 'items'}", *more])
        wrong = [e for e, want in SHOWN if re.search(rf"^{re.escape(e)} = {want}( |$)", said, re.M) is None]
        case(f"{name} {flags[0]}: variables of the module in a function", status == 0 and wrong == [], (wrong, said))


def first_lines(root):
    """Lines of OpLine alone: breakpoints are where they are asked for, though LLVM puts constants of later lines in front of all. Behind it the dispatch is done."""
    work = root / "first"
    work.mkdir()
    text = (vulkan / "shaders/reduce.comp").read_text()
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3", vulkan / "shaders/reduce.comp", "-o", work / "r.spv"], check=True)
    shown = subprocess.run(["spirv-dis", work / "r.spv"], capture_output=True, text=True, check=True).stdout.partition("OpFunction ")[2]
    lines = sorted({int(n) for n in re.findall(r"OpLine %\w+ (\d+)", shown)})
    first = text.split("\n").index("    uint l = gl_LocalInvocationID.x;") + 1
    status, said = debug(["catch dispatch", "run", "delete", "info dispatch", "source on", *(f"break reduce.comp:{n}" for n in lines), "break main", "continue", "delete", "continue", "info dispatch"],
                         [work / "r.spv", "--groups", "1", "--bind", "0.0=zeros:1028", "--bind", "0.1=iota:256:u32"])
    at = [int(n) for n in re.findall(r"^Breakpoint \d+ at .*reduce\.comp:(\d+)(?: \(.*\))?$", said, re.M)]
    case("breakpoints are at the lines of OpLine", status == 0 and lines[0] == first and at == [*lines, first], (lines, at, said))
    case("... and the first is hit first", re.search(rf"^\S*reduce\.comp:{first}\t", said, re.M) is not None, said)
    case("info dispatch: held, and done at the end", re.findall(r"^\* 0 +(\w+) ", said, re.M) == ["held", "done"], said)


def main():
    with tempfile.TemporaryDirectory() as d, concurrent.futures.ThreadPoolExecutor(2) as pool:
        root = pathlib.Path(d)
        todo = tap.share([c for c in cases.CASES if c.name in (only or RUN)])
        for c, (ok, why) in zip(todo, pool.map(lambda c: one(c, root), todo)):
            case(c.name, ok, why)
        todo = [c for c in todo if c.name in (only or COMPARED)]
        for c, (ok, why) in zip(todo, pool.map(lambda c: compared(c, root), todo)):
            case(f"{c.name}: compared", ok, why)
        if not only and tap.SHARE != "others":
            planted(root)
            tolerance(root)
            in_one_submit(root)
            no_lines(root)
            immutable(root)
            all_compared(root)
            refused(root)
            steps(root)
            in_functions(root)
            first_lines(root)
    end()


main()

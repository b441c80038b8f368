#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variables where waves stand in the driver's own code: print, info locals under lull debug --lines.

beside.py LULL VULKAN [--radv DIR]: TAP. What variables are is computed here; that a register holds one is read from that register.
"""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
lull, vulkan, driver = sys.argv[1], pathlib.Path(sys.argv[2]), []
if sys.argv[3:4] == ["--radv"]:
    driver = [sys.executable, here.parents[1] / "tools/radv.py", "run", sys.argv[4]]
sys.path[:0] = [str(here.parent)]
from tap import case, end  # noqa: E402

environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
MASK, ROUNDS = 0xffffffff, 5
DATA = [random.Random(11).randrange(1 << 32) for _ in range(128)]


def debug(commands, program, catch="catch dispatch"):
    """The answers, as JSON, by number of the command; standard error."""
    args = [*driver, lull, "debug", "--lines", "-batch", "--json"]
    for c in [catch, "run", "delete", *commands]:
        args += ["-ex", c]
    r = subprocess.run([*map(str, args), "--", lull, "run", *map(str, program)], capture_output=True, text=True, timeout=200, env=environment)
    answers = [json.loads(line) for line in r.stdout.splitlines() if line.startswith('{"command"')]
    return answers[3:], r.stdout + r.stderr


def compiled(source, spv, *flags):
    subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", *flags, source, "-o", spv], check=True)
    return spv


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def after(i, rounds):
    """Variables of invocation i of beside.comp after so many rounds."""
    n, total, x, high = DATA[i], 7, single(DATA[i]), -i
    for k in range(rounds):
        m = (total * 33 + (n ^ k)) & MASK
        total = m ^ m >> 5
        x = single(x + 0.25)
        high -= 3
        total = (total + (0x1234567 if n & 1 else 0)) & MASK
    return {"i": i, "n": n, "sum": total, "at.x": struct.unpack("<I", struct.pack("<f", x))[0], "at.y": 0x3e800000, "p.low": n & 255,
            "p.high": high & MASK, "k": rounds}


def lanes(answer):
    """{leaf: numbers of its lanes}"""
    return {v["name"]: [int(x, 16) if x is not None else None for x in v["lanes"]] for v in answer.get("variables", [])}


def registers(answer):
    return {v["name"]: v["registers"] for v in answer.get("variables", [])}


def wrong(got, wave, rounds, names):
    want = [after(64 * wave + lane, rounds) for lane in range(64)]
    return [name for name in names if got.get(name) != [w[name] for w in want]]


def at_the_end(program):
    a, text = debug(["break beside.comp:28", "continue", "info locals", "print p", "print at.y", "print $v0"], program)
    names = list(after(0, 0))
    got = lanes(a[2]) if len(a) > 2 else {}
    case("all variables, all lanes", set(got) == set(names) and not wrong(got, 0, ROUNDS, names), (wrong(got, 0, ROUNDS, names), text))
    found = registers(a[2]) if len(a) > 2 else {}
    case("some of them are in registers", all(found.get(name) for name in ("sum", "p.low", "p.high")), found)
    case("a part is shown alone", len(a) > 4 and set(lanes(a[3])) == {"p.low", "p.high"} and set(lanes(a[4])) == {"at.y"}, text)
    return {name: regs[0] for name, regs in found.items() if regs and regs[0][0] == "v"}


def in_registers(program, found):
    a, text = debug(["break beside.comp:28", "continue", *(f"print ${r}" for r in found.values())], program)
    for (name, register), answer in zip(found.items(), a[2:]):
        got = [int(x, 16) for x in answer.get("lanes", [])]
        case(f"{register} holds {name}", got == [after(lane, ROUNDS)[name] for lane in range(64)], answer)
    case("as many as were found", len(a) == 2 + len(found), text)


def rounds(program):
    commands = ["break beside.comp:23", "continue"]
    for _ in range(ROUNDS - 1):
        commands += ["info locals", "continue"]
    a, text = debug([*commands, "info locals"], program)
    for k, answer in enumerate(a[2::2]):
        bad = wrong(lanes(answer), 0, k, ["i", "n", "at.y", "p.high", "k"])
        case(f"round {k + 1} of the loop", answer.get("round") == k + 1 and answer.get("round_sure") is True and not bad, (bad, answer.get("text")))
    case("of five", len(a[2::2]) == ROUNDS and all(x.get("rounds") == ROUNDS for x in a[2::2]), text)


def other_wave(program):
    a, text = debug(["break beside.comp:28 if $wg == 1", "continue", "info locals", "stepi 2", "stepi", "info locals"], program)
    names = list(after(0, 0))
    case("another workgroup", len(a) > 2 and a[1].get("workgroup") == [1, 0, 0] and not wrong(lanes(a[2]), 1, ROUNDS, names), text)
    case("behind the store: memory as it was before", len(a) > 5 and not wrong(lanes(a[5]), 1, ROUNDS, names) and a[5].get("memory_before") is True, text)


def refused(root, program):
    a, text = debug(["break beside.comp:28", "continue", "print zz"], program)
    case("a name that there is not", "no symbol or buffer 'zz'" in text, text)
    source = root / "image.comp"
    source.write_text("#version 460\nlayout(local_size_x = 64) in;\nlayout(binding = 0, r32ui) uniform uimage2D m;\n"
                      "layout(binding = 1) buffer B { uint b[]; };\nvoid main()\n{\n    uint x = imageLoad(m, ivec2(gl_LocalInvocationID.xy)).x;\n"
                      "    b[gl_LocalInvocationIndex] = x * 3u + 1u;\n}\n")
    a, text = debug(["break image.comp:8", "continue", "info locals"],
                    [compiled(source, root / "image.spv", "-g"), "--groups", "1", "--bind", "0.0=image:64x1:r32ui:rand:1", "--bind", "0.1=zeros:256"], "catch dispatch name image.comp")
    case("images are refused by name", re.search(r"OpImageRead %\d+: lull does not interpret this instruction", text) is not None, text)


def saxpy(root):
    spv = compiled(vulkan / "shaders/saxpy.comp", root / "saxpy.spv", "-gVS")
    a, text = debug(["break saxpy.comp:10", "continue", "info locals", "print gl_GlobalInvocationID"],
                    [spv, "--groups", "2", "--bind", "0.0=iota:128:f32", "--bind", "0.1=iota:128:f32", "--push", "f32:2.5,u32:128"])
    case("saxpy: i, by value in v0", len(a) > 2 and lanes(a[2]) == {"i": list(range(64))} and registers(a[2]) == {"i": ["v0"]}, text)
    case("saxpy: a built-in", len(a) > 3 and lanes(a[3]).get("gl_GlobalInvocationID.x") == list(range(64)), text)


with tempfile.TemporaryDirectory() as d:
    root = pathlib.Path(d)
    (root / "data").write_bytes(struct.pack("<128I", *DATA))
    program = [compiled(here / "beside.comp", root / "beside.spv", "-g"), "--groups", "2", "--bind", f"0.0=file:{root / 'data'}", "--push", f"u32:{ROUNDS}"]
    in_registers(program, at_the_end(program))
    rounds(program)
    other_wave(program)
    refused(root, program)
    saxpy(root)
end()

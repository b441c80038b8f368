#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variables where waves stand in the driver's own code: print, info locals under lull debug --lines.

beside.py LULL VULKAN [--radv DIR]: TAP. What variables are is computed here; that a register holds one is read from that register.
"""
import json
import os
import pathlib
import random
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


def refused(program):
    a, text = debug(["break beside.comp:28", "continue", "print zz"], program)
    case("a name that there is not", "no symbol or buffer 'zz'" in text, text)
    a, text = debug(["break beside.comp:28", "continue", "set var n = 5"], program)
    case("n is in no register here, and cannot be set", "'n' cannot be set: " in text, text)
    a, text = debug(["break beside.comp:28", "continue", "print n + k + zz"], program)
    case("... nor in an expression", "no symbol or buffer 'zz'" in text, text)


def values(answer):
    return [int(x, 16) if x is not None else None for x in answer.get("lanes", [])]


def expressions(program):
    """What C computes of them, here and there."""
    want = [after(lane, ROUNDS) for lane in range(64)]
    rows = {"n * 3 + k": [(w["n"] * 3 + ROUNDS) & MASK for w in want], "p.low << 2": [w["p.low"] << 2 for w in want],
            "p.high < -20": [int(w["p.high"] - (w["p.high"] >> 31 << 32) < -20) for w in want], "(n & 1) ? sum : i": [w["sum"] if w["n"] & 1 else w["i"] for w in want],
            "at.y * 4 == 1": [1] * 64, "at.yx.x * 4 == 1": [1] * 64, "at.gr[0] == at.y": [1] * 64, "at.g * 8 == 2": [1] * 64, "sizeof(p)": None}
    a, text = debug(["break beside.comp:28", "continue", *(f"print {e}" for e in rows), "display i + 1", "stepi", "whatis p.high", "ptype p", "ptype at", "whatis at"], program)
    for (e, numbers), answer in zip(rows.items(), a[2:]):
        got = values(answer) or [int(answer.get("value", "0"), 16)]
        case(e, got == numbers if numbers else got == [8], (got, answer))
    case("each says how sure its variables are", len(a) > 2 and "n: by " in a[2].get("how", "") and "k: by " in a[2].get("how", ""), a[2:3])
    shown = [d for x in a for d in x.get("displays", [])]
    case("display at a step", bool(shown) and values(shown[-1]) == [w["i"] + 1 for w in want], text)
    case("types", len(a) > 9 and "int" in a[-4].get("text", "") and "uint low;" in a[-3].get("text", ""), text)
    case("types of vectors by GLSL's names", [x.get("text") for x in a[-2:]] == ["type = vec2\n"] * 2, text)


def conditions(program):
    """Conditions on what nobody knows but the interpreter: the wave and the lane that make them true."""
    a, text = debug(["break beside.comp:28 if i == 70", "continue", "print i"], program)
    case("a condition on a variable", len(a) > 1 and a[1].get("wave") == 1 and a[1].get("lane") == 6, text)
    odd = [i for i in range(128) if DATA[i] & 255 == DATA[97] & 255]
    a, text = debug([f"break beside.comp:28 if p.low == {DATA[97] & 255} && i >= 64", "continue"], program)
    first = next(i for i in odd if i >= 64)
    case("... on a member of a struct", len(a) > 1 and a[1].get("workgroup") == [1, 0, 0] and a[1].get("lane") == first - 64, (first, text))
    a, text = debug(["break beside.comp:28 if i == 1000", "continue"], program)
    case("... that never holds", "exited with status 0" in text and not any(x.get("stop") == "breakpoint" for x in a), text)


def stepping(program):
    """next steps over a function whose code is among its caller's, step goes into it; advance, until, finish."""
    lines = (here / "beside.comp").read_text().split("\n")
    inside = range(next(i for i, line in enumerate(lines) if "uint mixed" in line) + 1, next(i for i, line in enumerate(lines) if "void main" in line) + 1)
    begin = next(i for i, line in enumerate(lines) if "vec2 at" in line) + 1
    for how, into in (("next", False), ("step", True)):
        a, text = debug([f"break beside.comp:{begin}", "continue", *[how] * 12], program)
        seen = [x["line"] for x in a[1:] if "line" in x]
        case(f"{how} goes {'into' if into else 'over'} a function", len(seen) > 8 and any(n in inside for n in seen) == into, (seen, text))
    a, text = debug([f"break beside.comp:{begin}", "continue", "delete", "advance beside.comp:23", "until 28", "info line", "finish"], program)
    case("advance and until", [x.get("line") for x in a[3:5]] == [23, 28] and "28" in a[5].get("text", ""), text)
    case("finish", len(a) > 6 and any(w in a[6].get("text", "") for w in ("s_endpgm", "MSG_DEALLOC_VGPRS")), text)  # RADV 25 gives registers back first
    a, text = debug(["info line", "break beside.comp:28", "continue"], program)
    begin = (here / "beside.comp").read_text().split("\n").index("void main()") + 1
    case("info line at a held dispatch: where its code begins", len(a) == 3 and begin <= a[0].get("line", 0) <= 28 and a[0].get("instructions") and
         all(x.get("line") == a[0]["line"] or x.get("also") == a[0]["line"] for x in a[0]["instructions"]) and a[2].get("line") == 28, text)


def stored(root):
    """A variable in a register is set: what the shader stores then."""
    source = root / "set.comp"
    source.write_text("#version 460\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint b[]; };\nvoid main()\n{\n"
                      "    uint i = gl_LocalInvocationIndex;\n    uint x = b[i];\n    uint y = x * 77u + 5u;\n    b[i] = y;\n}\n")
    data = [7 * i + 1 for i in range(64)]
    (root / "set.data").write_bytes(struct.pack("<64I", *data))
    a, text = debug(["break set.comp:9", "continue", "print y", "lane 3", "set var y = 123456", "print y", "delete", "continue"],
                    [compiled(source, root / "set.spv", "-g"), "--groups", "1", "--bind", f"0.0=file:{root / 'set.data'}", "--out", f"0.0={root / 'set.out'}"])
    found = registers(a[2]).get("y", []) if len(a) > 2 else []
    out = struct.unpack("<64I", (root / "set.out").read_bytes()) if (root / "set.out").exists() else ()
    shown = a[5]["variables"][0] if len(a) > 5 and a[5].get("variables") else {}
    case("... and print shows what was set", lanes(a[5]).get("y") == [123456 if i == 3 else d * 77 + 5 for i, d in enumerate(data)] and
         shown.get("how", "").startswith("by value in 64 of 64 lanes"), (shown, text))
    b, text = debug(["break set.comp:8", "continue", "set var x[5] = 1000", "set var x[9] = 2000", "break set.comp:9", "continue", "print y", "print x + 1", "delete", "continue"],
                    [root / "set.spv", "--groups", "1", "--bind", f"0.0=file:{root / 'set.data'}", "--out", f"0.0={root / 'other.out'}"])
    want = [(1000 if i == 5 else 2000 if i == 9 else d) * 77 + 5 for i, d in enumerate(data)]
    after = struct.unpack("<64I", (root / "other.out").read_bytes()) if (root / "other.out").exists() else ()
    case("what was set goes on in the interpreter", len(b) > 7 and lanes(b[6]).get("y") == want == list(after) and bool(registers(b[6]).get("y")) and
         values(b[7])[5] == 1001 and values(b[7])[9] == 2001, (b[6:8], after, text))
    case("set var writes the register that holds it", len(found) == 1 and list(out) == [123456 if i == 3 else d * 77 + 5 for i, d in enumerate(data)], (found, out[:5], text))


def near(root):
    """The driver may fuse a product and a sum, which the interpreter rounds twice."""
    source = root / "near.comp"
    source.write_text("#version 460\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { float b[]; };\nvoid main()\n{\n"
                      "    uint i = gl_LocalInvocationIndex;\n    float x = b[i];\n    float y = x * 1.1 + 3.7;\n    b[i] = y;\n}\n")
    data = [single(0.37 * i + 0.11) for i in range(64)]
    (root / "near.data").write_bytes(struct.pack("<64f", *data))
    a, text = debug(["break near.comp:9", "continue", "print y", "print y * 1.0f", "continue"],
                    [compiled(source, root / "near.spv", "-g"), "--groups", "1", "--bind", f"0.0=file:{root / 'near.data'}", "--out", f"0.0={root / 'near.out'}"])
    said = a[2]["variables"][0] if len(a) > 2 and a[2].get("variables") else {}
    twice = [single(single(x * single(1.1)) + single(3.7)) for x in data]
    stored = [struct.unpack("<I", struct.pack("<f", x))[0] for x in struct.unpack("<64f", (root / "near.out").read_bytes())]
    apart = max(abs(struct.unpack("<I", struct.pack("<f", t))[0] - s) for t, s in zip(twice, stored))
    case("within units in the last place", apart == 0 or f"by value within {apart} ulp in 64 of 64 lanes: v" in said.get("how", ""), (apart, said))
    case("what is shown is what the register holds", lanes(a[2]).get("y") == stored and values(a[3]) == stored if len(a) > 3 else False, (said, stored, text))


def images(root):
    source = root / "image.comp"
    source.write_text("#version 460\nlayout(local_size_x = 64) in;\nlayout(binding = 0, r32ui) uniform uimage2D m;\nlayout(binding = 1) buffer B { uint b[]; };\n"
                      "layout(binding = 2) uniform sampler2D t;\nlayout(binding = 3, rgba8) uniform imageBuffer s;\nuint twice(uint q)\n{\n    uint r = q * 2u;\n"
                      "    b[gl_LocalInvocationIndex + 64u] = r;\n    return r;\n}\nvoid main()\n{\n"
                      "    uint x = imageLoad(m, ivec2(gl_LocalInvocationID.xy)).x;\n    vec4 c = textureLod(t, vec2((gl_LocalInvocationID.x + 0.5) / 64.0, 0.5), 0.0);\n"
                      "    uint w = uint(imageLoad(s, int(gl_LocalInvocationID.x)).y * 255.0 + 0.5);\n    ivec2 size = imageSize(m);\n"
                      "    b[gl_LocalInvocationIndex] = x * 3u + twice(uint(c.x * 255.0)) + w + uint(size.x);\n}\n")
    pixels = [random.Random(3000 + i).randrange(1 << 32) for i in range(64)]
    colors = [random.Random(4 + i).randrange(1 << 32) for i in range(64)]
    texels = [random.Random(99 + i).randrange(1 << 32) for i in range(64)]
    for name, data in (("m", pixels), ("t", colors), ("s", texels)):
        (root / name).write_bytes(struct.pack("<64I", *data))
    program = [compiled(source, root / "image.spv", "-g"), "--groups", "1", "--bind", f"0.0=image:64x1:r32ui:file:{root / 'm'}", "--bind", "0.1=zeros:512",
               "--bind", f"0.2=image:64x1:rgba8:file:{root / 't'}", "--bind", f"0.3=texels:rgba8:file:{root / 's'}"]
    a, text = debug(["break image.comp:19", "continue", "info locals"], program, "catch dispatch name image.comp")
    got = lanes(a[2]) if len(a) > 2 else {}
    red = [struct.unpack("<I", struct.pack("<f", (c & 255) / 255))[0] for c in colors]
    case("images, samplers and texel buffers are interpreted", got.get("x") == pixels and got.get("w") == [t >> 8 & 255 for t in texels] and got.get("size.x") == [64] * 64,
         (got, text))
    case("... and what a sampler gives", got.get("c.x") == red, (got.get("c.x"), red))
    a, text = debug(["break image.comp:10", "continue", "info args", "info locals", "print r / 2 - q"], program, "catch dispatch name image.comp")
    case("info args of a function", len(a) > 3 and lanes(a[2]) == {"q": [int(single(single(((c & 255) / 255)) * 255.0)) for c in colors]} and list(lanes(a[3])) == ["r"], text)
    case("... computed of what was sampled, in a register", len(a) > 3 and bool(registers(a[2]).get("q") or registers(a[3]).get("r")), text)
    case("... in an expression", len(a) > 4 and (values(a[4]) == [0] * 64 or a[4].get("value") == "0x0"), text)


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
    refused(program)
    expressions(program)
    conditions(program)
    stepping(program)
    stored(root)
    near(root)
    images(root)
    saxpy(root)
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--check nan, divzero and uninit of Turnip's code on a660 and a740: TAP. adreno_values.py LULL BUGS LULL-RUN-ARM64 ARM64

Each shader has one bug, in a lane that is known here, and a right twin: pieces of text that make it so. All shaders of a chip run in one program.
"""
import json
import os
import pathlib
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "shim")]
import arm64_cases  # noqa: E402
import arm64_tools  # noqa: E402
from tap import case, end  # noqa: E402

lull, bugs, host, root = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
HEAD = ("#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\nlayout(local_size_x = 128) in;\n"
        "layout(set = 0, binding = 0) buffer A { %s a[]; };\n%svoid main()\n{\n    uint i = gl_LocalInvocationIndex;\n    %s\n}\n")
SUM = "uint s = 0; for (uint k = 0; k < 399 + a[1]; k++) s += t[k]; a[i] = s;"  # a[1] is 1, which no compiler knows.
DIVIDED, NAN = "an integer is divided by 0, and the result is used", "a NaN comes of operands that are none, and is stored"
STORED, BRANCH, ADDRESS = "what nothing wrote is stored", "a branch depends on what nothing wrote", "an address depends on what nothing wrote"
# name: (kind, type of a, what is declared, body, lanes of both sites, words of both, what makes it right); a is 0, 1, 2 ...
SHADERS = {
    "div": (DIVIDED, "uint", "", "a[i] = 1000 / (a[i] - 101);", (101, 101), ("divides by 0", "stores what came out"), ("1000 / (a[i] - 101)", "a[i] == 101 ? 7 : 1000 / (a[i] - 101)")),
    "mod": (DIVIDED, "uint", "", "a[i] = 1000 % (a[i] - 37);", (37, 37), ("divides by 0", "stores what came out"), ("a[i] - 37", "a[i] + 37")),
    "idiv": (DIVIDED, "int", "", "a[i] = -77 / (a[i] - 64);", (64, 64), ("divides by 0", "stores what came out"), ("a[i] - 64", "a[i] - 200")),
    "div-16": (DIVIDED, "uint", "", "a[i] = uint(uint16_t(1000) / uint16_t(a[i] - 90));", (90, 90), ("divides by 0", "stores what came out"), ("a[i] - 90", "a[i] + 90")),
    "mod-16": (DIVIDED, "int", "", "a[i] = int(int16_t(-1000) % int16_t(a[i] - 5));", (5, 5), ("divides by 0", "stores what came out"), ("a[i] - 5", "a[i] + 5")),
    "div-8": (DIVIDED, "int", "", "a[i] = int(int8_t(100) / int8_t(a[i] - 5));", (5, 5), ("divides by 0", "stores what came out"), ("a[i] - 5", "(a[i] & 63) + 5")),
    "div-loop": (DIVIDED, "uint", "", "uint q = 1000 / (a[i] - 9); for (uint k = 0; k < q % 8; k++) a[i + 128] += k;", (9, 9), ("divides by 0", "branches on what came out"), ("a[i] - 9", "a[i] + 9")),
    "div-address": (DIVIDED, "uint", "", "a[128 + (1000 % (a[i] - 9) & 31)] = 1;", (9, 9), ("divides by 0", "takes what came out for an address"), ("a[i] - 9", "a[i] + 9")),
    "div-atomic": (DIVIDED, "uint", "", "atomicAdd(a[200 + i], 1000 / (a[i] - 9));", (9, 9), ("divides by 0", "gives what came out to an atomic operation"), ("a[i] - 9", "a[i] + 9")),
    "div-private": (DIVIDED, "uint", "", "uint t[400]; for (uint k = 0; k < 400; k++) t[k * 7 % 400] = k; t[i * 3] = 1000 / (a[i] - 70); " + SUM, (70, 70),
                    ("divides by 0", "stores what came out"), ("a[i] - 70", "a[i] + 70")),
    "nan": (NAN, "float", "", "float q = (a[i] - 100.0) / (a[i] - 100.0); a[i] = q * 2.0 + 1.0;", (100, 100), ("makes a NaN of 0, inf and 1", "stores it"), ("a[i] - 100.0", "a[i] + 100.0")),
    "nan-16": (NAN, "float", "", "float16_t d = float16_t(a[i] - 3.0); a[i] = float(d / d);", (3, 3), ("makes a NaN of 0 and inf", "stores it"), ("- 3.0", "+ 3.0")),
    "nan-log": (NAN, "float", "", "a[i] = log2(a[i] - 0.5);", (0, 0), ("makes a NaN of -0.5", "stores it"), ("- 0.5", "+ 0.5")),
    "nan-mad": (NAN, "float", "", "float v = a[i] == 66.0 ? uintBitsToFloat(0x7f800000) : a[i]; a[i] = v * 2.0 - v;", (66, 66), ("makes a NaN of 2, inf and -inf", "stores it"), ("a[i] == 66.0", "a[i] == -66.0")),
    "nan-goes-on": (NAN, "float", "", "float q = a[i] / a[i]; a[i] = sqrt(q) + sin(q) * 3.0;", (0, 0), ("makes a NaN of 0 and inf", "stores it"), ("a[i] / a[i]", "a[i] / (a[i] + 1.0)")),
    "nan-chosen": (NAN, "float", "", "float q = a[i] / a[i]; a[i] = a[i] < 1.0 ? q : 2.0;", (0, 0), ("makes a NaN of 0 and inf", "stores it"), ("a[i] < 1.0 ? q", "a[i] < 1.0 ? 1.0")),
    "nan-min": (NAN, "float", "", "a[i] = min(a[i] / a[i], 2.0);", None, None, None),  # A minimum takes it away.
    "local-branch": (BRANCH, "uint", "shared uint s[128], t[128];\n", "if (i != 77) s[i] = a[i]; barrier(); t[127 - i] = s[i] ^ 3; barrier(); if (t[i] > 1000) a[i] = 1; else a[i] = 2;",
                     (77, 50), ("loads LDS 0x134, which no work-item had written|loads LDS 0x334, which no work-item had written", "branches on it"), ("if (i != 77) ", "")),
    "local-address": (ADDRESS, "uint", "shared uint s[128];\n", "if (i != 64) s[i] = i; barrier(); a[s[i] & 127] = i;", (64, 64), ("loads LDS 0x100,", "takes it for an address"), ("if (i != 64) ", "")),
    "local-16": (STORED, "uint", "shared uint16_t s[128];\n", "if (i != 77) s[i] = uint16_t(a[i]); barrier(); a[i] = uint(s[127 - i]);", (50, 50), ("loads LDS 0x9a,", "stores it"), ("if (i != 77) ", "")),
    "local-atomic": (STORED, "uint", "shared uint s[4];\n", "atomicAdd(s[1], i); barrier(); a[i] = s[1];", (0, 0), ("loads LDS 0x4,", "stores it"), ("atomicAdd", "s[1] = 0; barrier(); atomicAdd")),
    "local-bits": (STORED, "uint", "shared uint s[128];\n", "a[i] = (s[i] >> 16 & 0xff00) | (a[i] & 0xff);", None, None, None),  # The lowest byte is there: padding, perhaps.
    "local-low": (STORED, "uint", "shared uint s[128];\n", "a[i] = (s[i] >> 16 & 0xff) | (a[i] & 0xff00);", (0, 0), ("loads LDS 0x0,", "stores it"), ("(s[i] >> 16 & 0xff) |", "(s[i] >> 16 & 0) |")),
    "registers": (STORED, "uint", "", "uint t[4]; t[a[0] & 3] = 5; t[a[1] & 3] = 6; a[i] = t[a[i] & 3];", (2, 2), ("which nothing wrote", "stores it"), ("uint t[4];", "uint t[4] = { 1, 2, 3, 4 };")),
    "private": (STORED, "uint", "", "uint t[400]; for (uint k = 0; k < 399; k++) t[k * 11 % 399] = k; " + SUM, (0, 0), ("loads byte 0x63c of its private memory, which it did not write", "stores it"), ("399; k++) t[k * 11 % 399]", "400; k++) t[k * 11 % 400]")),
}
FILES = {
    "divide.comp": ("divzero", DIVIDED, "0.0=iota:64:u32", [], (0, 0), ("divides by 0", "stores what came out"), ("1000 % values[i]", "values[i] != 0 ? 1000 % values[i] : 0")),
    "normalize.comp": ("nan", NAN, "0.0=zeros:1024", [], (0, 0), ("makes a NaN of 0 and inf", "stores it"), ("normalize(v[i].xyz)", "v[i].xyz == vec3(0) ? vec3(0) : normalize(v[i].xyz)")),
    "unset_slot.comp": ("uninit", STORED, "0.0=iota:128:u32", ["--push", "u32:120"], (0, 0), ("loads LDS 0x1fc, which no work-item had written", "stores it"), ("    if (l < count)", "    tile[l] = 0;\n    if (l < count)")),
}
A740 = ("div", "div-8", "div-private", "nan-mad", "local-branch", "registers", "private", "normalize")
CHECKS = {DIVIDED: "divzero", NAN: "nan", STORED: "uninit", BRANCH: "uninit", ADDRESS: "uninit"}


def texts():
    """By name: the shader, its twin or None, arguments, and what is to be found or None."""
    for name, (kind, of, declared, body, lanes, words, right) in SHADERS.items():
        text = HEAD % (of, declared, body)
        bind = "0.0=iota:400:" + {"uint": "u32", "int": "i32", "float": "f32"}[of]
        yield name, text, text.replace(*right) if right else None, ["--bind", bind], (CHECKS[kind], kind, lanes, words) if lanes else None
    for name, (check, kind, bind, more, lanes, words, right) in FILES.items():
        text = (bugs / name).read_text()
        assert right[0] in text, name
        yield name[:-5], text, text.replace(*right), ["--bind", bind, *more], (check, kind, lanes, words)


def run(gpu, shaders, tmp):
    """What the cases ended with, and findings by shader: (check, finding)."""
    lines = []
    for name, text, args in shaders:
        (tmp / f"{name}.comp").write_text(text)
        lines.append("\t".join([name, str(tmp / f"{name}.comp"), "--groups", "1", *args]))
    said, errors = arm64_cases.run([lull, "exec", "--gpu", gpu, "--check", "nan,divzero,uninit", "--json"], host, root, tmp, lines)
    found = {}
    reports = [json.loads(line) for line in errors.splitlines() if line.startswith("{")]
    for report in reports:
        for f in report["findings"]:
            found.setdefault(f["sites"][0].get("place", "").partition('"')[2].partition(".comp")[0], []).append((report["check"], f))
    return said, found, {r["check"] for r in reports} == {"nan", "divzero", "uninit"}, errors


def is_it(got, want):
    check, kind, lanes, words = want
    return len(got) == 1 and got[0][0] == check and got[0][1]["kind"] == kind and got[0][1]["warning"] == (check == "nan") and \
        [s.get("lane", lanes[1]) for s in got[0][1]["sites"]] == list(lanes) and \
        all(any(a in s["does"] for a in w.split("|")) for w, s in zip(words, got[0][1]["sites"]))


why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
case("arm64 programs are there", why is None, why)
with tempfile.TemporaryDirectory(prefix="lull-values-") as d:
    tmp = pathlib.Path(d)
    all_of = list(texts())
    for gpu in ("a660", "a740"):
        all_of = [of for of in all_of if gpu == "a660" or of[0] in A740]
        said, found, whole, errors = run(gpu, [(n, t, a) for n, t, _, a, _ in all_of], tmp)
        case(f"{gpu}: all ran", whole and set(said) == {n for n, *_ in all_of} and all(v.strip() == "0" for v in said.values()), (said, errors))
        for name, _, _, _, want in all_of:
            got = found.get(name, [])
            case(f"{name} on {gpu}", is_it(got, want) if want else got == [], (want, got))
        twins = [(n, t, a) for n, _, t, a, _ in all_of if t is not None]
        said, found, whole, errors = run(gpu, twins, tmp)
        for name, *_ in twins:
            case(f"{name} on {gpu}: the right twin", whole and said.get(name, "").strip() == "0" and name not in found, (said.get(name), found.get(name)))
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull diff-run: diff_run.py LULL BUGS kernels|shaders|adreno [DISPATCH SHADERS LULL_RUN_ARM64 ARM64]. Which place differs first, what both runs have there, and the line where they part follow from the
programs' text and input, and are computed here."""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "shim")]
import arm64_tools  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, bugs, part = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
work = pathlib.Path(tempfile.mkdtemp())
env = os.environ | {"HOME": str(work)}
if part != "kernels":  # A sanitized lull starts itself once more under the shim, with drivers that are not sanitized.
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
(work / "two.cl").write_text("""\
int scale(int v)
{
#ifdef __OPTIMIZE__
    return v * 3;
#else
    return v * 3 + (v == 5);
#endif
}
kernel void two(global int *out, global const int *in, int n)
{
    int i = get_global_id(0);
    int s = in[i] + 100;
    s = scale(s - 100) * 2;
    if (s > n)
        s -= 7;
    out[i] = s;
}
""")
(work / "few.cl").write_text("""\
kernel void few(global int *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = 3 * i;
}
""")
(work / "shift.comp").write_text("""\
#version 460
layout(local_size_x = 64) in;
layout(push_constant) uniform P { uint by; };
layout(binding = 0) buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    b[i] = (i + 3u) * by;
}
""")
TWO = ["--grid", "64", "--block", "64", "--arg", "zeros:256:name=out", "--arg", "iota:64:i32:name=in", "--arg"]


def diff(*words, json_=True):
    return subprocess.run([lull, "diff-run", *(["--json"] if json_ else []), *map(str, words)], capture_output=True, text=True, cwd=work, env=env, timeout=250)


def answer(r):
    return json.loads(r.stdout) if r.stdout.startswith("{") else {"runs": [{}, {}], "place": None}


def values(a):
    return [int(x["value"], 0) if "value" in x else None for x in a["runs"]]


def first_steps(a):
    return [x["steps"][0] if x.get("steps") else {} for x in a["runs"]]


def levels():
    r = diff("run", "two.cl", "-O0::-O2", *TWO, "i32:60")
    a = answer(r)
    case("two levels: the element, and what both runs have there", r.returncode == 1 and a["place"] == f"out+{4 * 5:#x}" and
         values(a) == [(5 * 3 + 1) * 2, 5 * 3 * 2] and a["differing"] == 1 and a["places"] == 64, r)
    case("... stored by work-item 5 at line 16", [(x["store"]["item"], x["store"]["line"]) for x in a["runs"]] == [(5, 16)] * 2, r)
    case("... they part where only one adds v == 5", first_steps(a)[0].get("line") == 6 and a["part"] == "value" and not a["same_code"], r)
    case("... which makes 16 on the way", any(int(v, 0) == 16 for s in a["runs"][0]["steps"] for v in s["writes"].values()), r)
    r = diff("run", "two.cl", "-O2::-O3", *TWO, "i32:60")
    case("levels that agree", r.returncode == 0 and answer(r) == {"equal": True, "places": 64}, r)


def inputs():
    for level in ("-O0", "-O2"):
        def out(i, n, extra=level == "-O0"):
            s = 6 * i + 2 * (extra and i == 5)
            return s - 7 * (s > n)
        r = diff("run", "two.cl", level, *TWO, "i32:60::i32:30")
        a = answer(r)
        other = [i for i in range(64) if out(i, 60) != out(i, 30)]
        want = [out(other[0], n) for n in (60, 30)]
        case(f"{level}, two inputs: the first element of those that differ", r.returncode == 1 and a["place"] == f"out+{4 * other[0]:#x}" and
             values(a) == want and a["differing"] == len(other), r)
        loads = first_steps(a)
        case(f"{level}: they part at the load of n", a["same_code"] and a["part"] == "input" and
             [[int(v, 0) for v in s.get("writes", {}).values()][:1] for s in loads] == [[60], [30]], r)
    r = diff("run", "few.cl", "-O2", "--grid", 64, "--block", 64, "--arg", "zeros:256:name=out", "--arg", "i32:50::i32:20")
    a = answer(r)
    case("what only one run stores", r.returncode == 1 and a["place"] == f"out+{4 * 20:#x}" and values(a) == [3 * 20, None] and a["differing"] == 30, r)
    case("... because of n", a["part"] == "input" and any(int(v, 0) == 50 for v in first_steps(a)[0]["writes"].values()), r)


def seeds():
    """Which of the two has the race lost is the model's matter; what follows of it is not."""
    group, found = 128, 0
    for seed in (1, 2, 3):
        r = diff("run", bugs / "missing_barrier.cl", "--seed", f"0::{seed}", "--grid", 256, "--block", group, "--arg", "zeros:1024", "--arg", "iota:256:i32", "--arg",
                 f"local:{4 * group}")
        a = answer(r)
        if r.returncode == 0:
            continue
        found += 1
        store = a["runs"][0]["store"]
        mirror = group - 1 - store["item"]
        good = a["part"] == "input" and a["same_code"]
        for x in a["runs"]:
            right = int(x["value"], 0) == group * store["workgroup"][0] + mirror
            good = good and right == ("writer" in x) and (not right or x["writer"]["item"] == mirror)
            good = good and x["steps"][0]["line"] == 7 and (not right or x["writer"]["line"] == 6)
        case(f"seed {seed}: the load of the tile, and who had written it before", good, r)
    case("some seed makes another order", found > 0, found)


def refused():
    for words, text, status in ((("run", "two.cl"), "no word says A::B", 2), (("debug", "a::b"), "COMMAND is run or exec", 2), ((), "COMMAND", 2),
                                (("run", "none.cl::other.cl", "--grid", 1, "--block", 1), "the first run left no trace", 3),
                                (("--trace-memory", "1", "run", "few.cl", "-O2", "--grid", 262144, "--block", 256, "--arg", "zeros:1048576", "--arg", "i32:300000::i32:200000"),
                                 "the first run left no trace", 3)):
        r = diff(*words)
        case(f"refused: {' '.join(map(str, words))}", r.returncode == status and text in r.stderr and r.stdout == "", r)
    r = diff("run", "few.cl", "-O2", "--grid", 64, "--block", 64, "--arg", "zeros:256:name=out", "--arg", "i32:50::i32:20", json_=False)
    case("as text", r.stdout.startswith("out+0x50: 60 in the first run, never written in the second run; 30 of 50 places differ\n"
                                        "first   workgroup 0,0,0 item 20  few.cl:5  <global_store_b32") and " = 50\nsecond" in r.stdout, r)


def shaders():
    words = ["shift.comp", "--groups", 2, "--bind", "0.0=zeros:512", "--push", "u32:7::u32:9"]
    subprocess.run(["glslangValidator", "--quiet", "-V", "shift.comp", "-o", "shift.spv"], check=True, cwd=work)
    for name, command in (("run", ["run", *words]), ("exec", ["exec", "--", lull, "run", "shift.spv", *words[1:]])):
        r = diff(*command)
        a = answer(r)
        case(f"{name}: a shader by push constants", r.returncode == 1 and a["place"] == "buffer 0+0x0" and values(a) == [3 * 7, 3 * 9] and a["differing"] == 128, r)
        case(f"{name}: they part where the push constant is", a["same_code"] and a["part"] in ("operands", "input") and
             any(7 in [int(v, 0) for k in ("reads", "writes") for v in s[k].values()] for s in a["runs"][0]["steps"][:1]), r)
    r = diff("LULL_NOBODY=a::b", "run", *words[:-1], "u32:7")
    case("a variable of the environment changes nothing here", r.returncode == 0 and answer(r).get("places") == 128, r)


(work / "phases.comp").write_text("""\
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };
layout(set = 0, binding = 1) buffer In { uint n; };
shared uint t[256];
void main()
{
    uint l = gl_LocalInvocationID.x;
    t[l] = l * 3 + 1;
    uint x = l;
    for (uint i = 0; i < n; i++)
        x = x * 1664525u + 1013904223u;
    o[l] = t[255 - l] + (x & 0u);
}
""")
(work / "sine.comp").write_text("""\
#version 460
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { float b[]; };
layout(binding = 1) buffer A { float a[]; };
void main()
{
    float x = a[gl_GlobalInvocationID.x];
    float y = sin(x) + x;
    b[gl_GlobalInvocationID.x] = y * 3.0;
}
""")


def adreno():
    """Runs on an Adreno: by msm's calls alone, where which wave comes to a counter when depends on the seed; under Turnip; and against gfx1100."""
    dispatch, sources, root = os.path.abspath(sys.argv[4]), pathlib.Path(sys.argv[5]).resolve(), pathlib.Path(sys.argv[7]).resolve()
    subprocess.run([lull, "ir3", "asm", "--gpu", "630", sources / "turns.asm", "-o", work / "turns"], check=True)
    exec_ = ["exec", "--gpu", "a660", "--seed"]
    r = diff(*exec_, "7::7", "--", dispatch, "turns", 256, 3)
    case("a660: the same seed twice: 3 times 256 results, as many numbers, and the counter", r.returncode == 0 and answer(r).get("places") == 2 * 768 + 1, r)
    r = diff(*exec_, "1::2", "--", dispatch, "turns", 256, 3)
    a = answer(r)
    case("a660: two seeds: an atomic operation gives a wave another number, the numbers of four waves of 64", r.returncode == 1 and a["part"] == "result" and
         all(v is not None and v % 64 == 0 and v < 256 for v in values(a)) and len(set(values(a))) == 2 and
         all(s.get("instruction", "").startswith("atomic.g.add") for s in first_steps(a)), r)
    r = diff(*exec_[:3], "--", dispatch, "turns", 256, "3::2")
    a = answer(r)
    case("a660: one workgroup less stores less", r.returncode == 1 and a["differing"] == 2 * 256 and values(a)[1] is None and
         a["runs"][0]["store"]["workgroup"] == [2, 0, 0], r)
    why = arm64_tools.absent(root)
    if why is not None:
        skip(why)
        return
    env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true")
    words = ["--groups", "1", "--bind", "0.0=zeros:512"]
    r = diff("run", "shift.comp", "--gpu", "a660", *words, "--push", "u32:2::u32:3")
    a = answer(r)
    steps = first_steps(a)
    case("Turnip: two push constants: a constant differs", r.returncode == 1 and values(a) == [6, 9] and a["part"] == "operands" and a["differing"] == 64 and
         [sorted(s.get("reads", {}).values()) for s in steps] == [["0x2"], ["0x3"]] and all(n[0] == "c" for s in steps for n in s["reads"]), r)
    race = ["run", "phases.comp", "--gpu", "a660", "--groups", "1", "--bind", "0.0=zeros:1024", "--bind", "0.1=values:u32:60"]
    for seed in range(1, 6):  # Some seeds have the waves in the order of 0.
        r = diff(*race, "--seed", f"0::{seed}")
        a = answer(r)
        if r.returncode != 0:
            break
    right = values(a).index(3 * 255 + 1) if 3 * 255 + 1 in values(a) else None
    writers = [x.get("writer") for x in a["runs"]]
    case("Turnip: a race between waves: where it is right another item had written what is loaded", a.get("part") == "input" and right is not None and
         writers[right] is not None and writers[right]["item"] == 255 and writers[1 - right] is None and all(s["instruction"].startswith("ldl") for s in first_steps(a)), r)
    r = diff(*race, "--seed", "0::1", "--timeout", "0")
    case("Turnip: a run that fails is none", r.returncode == 3 and r.stdout == "" and "the first run left no trace; its exit status is 2" in r.stderr, r)
    del env["VK_ICD_FILENAMES"]
    r = diff("VK_ICD_FILENAMES=/none::/none", "run", "shift.comp", "--groups", "1", "--bind", "0.0=zeros:256", "--push", "u32:2::u32:3")
    case("a run without a driver is none", r.returncode == 3 and r.stdout == "" and "the first run failed, with exit status 3" in r.stderr, r)
    inputs = [0.1 + 0.37 * i for i in range(64)]
    words = ["--groups", "1", "--bind", "0.0=zeros:256", "--bind", "0.1=values:f32:" + ",".join(map(str, inputs))]
    r = diff("run", "sine.comp", "--gpu", "gfx1100::a660", *words)
    a = answer(r)
    got = [struct.unpack("<f", struct.pack("<I", v or 0))[0] for v in values(a)]
    item = a["runs"][0].get("store", {}).get("item", 0)
    case("gfx1100 against a660: sines, which each rounds as it does", r.returncode == 1 and a["same_code"] is False and a["place"] == f"buffer 0+{4 * item:#x}" and
         got[0] != got[1] and all(abs(g - 3 * (math.sin(inputs[item]) + inputs[item])) < 1e-4 for g in got), r)
    case("... by the line of the sine", a.get("source", {}).get("line") == 8 and "v_sin" in str(a["runs"][0]["steps"]) and "sin r" in str(a["runs"][1]["steps"]), r)


if part == "adreno":
    adreno()
elif part == "kernels":
    levels()
    inputs()
    seeds()
    refused()
else:
    shaders()
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull exec --check names what the host of examples/bugs/passes.c does wrong, and says nothing where it does nothing wrong.

    hosts.py LULL PASSES SPIRV
    hosts.py LULL PASSES SPIRV a660 ARM64

What orders two dispatches: Vulkan specification, "Execution and Memory Dependencies". TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shim"))
import arm64_tools  # noqa: E402

lull, passes, spirv = sys.argv[1:4]
GPU = sys.argv[4:5]  # An Adreno, under Turnip; none: gfx1100.
N = 1024
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "examples/bugs/passes.comp"
LINE = next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if "to[i] +=" in line)
RIGHT = ["right", "chain", "submits-wait", "submits-end", "submits-barrier", "parts", "fill", "update", "copy", "bytes", "access", "event", "timeline", "indirect-update", "local-right", "local-fill", "local-copy"]
# How: (check, kind, sites, words of sites and text).
NO_BARRIER = ("race", "two dispatches, no barrier between them", 2, ["of dispatch 0 stores 4 bytes", "of dispatch 1 loads 4 bytes", "COMPUTE_SHADER, SHADER_WRITE"])
ELSEWHERE = ("race", "two dispatches, and the barrier between them is for other memory", 2)
ACCESSES = ("race", "two dispatches, and the barrier between them is for other accesses", 2)
MOVED = ("race", "a transfer and a dispatch, no barrier between them", 2)
BUGS = {
    "no-barrier": NO_BARRIER,
    "wrong-stage": NO_BARRIER,
    "submits": NO_BARRIER,
    "execution-only": ("race", "two dispatches, and the barrier between them is not for memory", 2, ["of dispatch 0 stores", "of dispatch 1 loads", "VkMemoryBarrier"]),
    "fill-no-barrier": (*MOVED, ["vkCmdFillBuffer", f"in front of dispatch 0, stores {4 * N} bytes", "of dispatch 0 loads 4 bytes", "from TRANSFER"]),
    "fill-wrong-stage": (*MOVED, ["vkCmdFillBuffer", f"in front of dispatch 0, stores {4 * N} bytes", "of dispatch 0 loads 4 bytes", "from TRANSFER"]),
    "update-no-barrier": (*MOVED, ["vkCmdUpdateBuffer", f"in front of dispatch 0, stores {4 * N} bytes", "of dispatch 0 loads 4 bytes", "from TRANSFER"]),
    "copy-no-barrier": (*MOVED, ["vkCmdCopyBuffer", f"behind dispatch 1, loads {4 * N} bytes", "of dispatch 1 stores 4 bytes", "to TRANSFER"]),
    # In the GPU's own memory RADV fills and copies by dispatches of its own, of 16 bytes a work-item.
    "local-fill-no-barrier": (*MOVED, ["vkCmdFillBuffer", f"in front of dispatch 1, of {4 * N} bytes: the driver's dispatch 0 stores 16 bytes", "of dispatch 1 loads 4 bytes", "from TRANSFER"]),
    "local-fill-wrong-stage": (*MOVED, ["vkCmdFillBuffer", f"in front of dispatch 1, of {4 * N} bytes: the driver's dispatch 0 stores 16 bytes", "of dispatch 1 loads 4 bytes", "from TRANSFER"]),
    "local-copy-no-barrier": (*MOVED, ["vkCmdCopyBuffer", f"behind dispatch 1, of {4 * N} bytes: the driver's dispatch 2 loads 16 bytes", "of dispatch 1 stores 4 bytes", "to TRANSFER"]),
    "event-early": ("race", "two dispatches, and the event between them is set in front of both", 2, ["of dispatch 0 stores", "of dispatch 1 loads", "vkCmdSetEvent"]),
    "event-wrong-stage": NO_BARRIER,
    "timeline-low": ("race", "two dispatches, and the semaphore between them is waited for with too low a value", 2, ["waits for value 1 of the timeline semaphore; 2 is signalled behind the first"]),
    "timeline-wrong-stage": NO_BARRIER,
    "bytes-half": (*ELSEWHERE, [f"byte 0 of a buffer, which has {4 * N}"]),
    "bytes-other-buffer": (*ELSEWHERE, [f"byte {4 * N - 4} of a buffer, which has {4 * N}"]),
    "access-of-transfers": (*ACCESSES, ["needs SHADER_WRITE before it, SHADER_READ behind it"]),
    "access-no-reads": (*ACCESSES, ["needs SHADER_WRITE before it, SHADER_READ behind it"]),
    "indirect-to-compute": ("race", "a transfer stores the workgroups of an indirect dispatch, no barrier between them", 2, ["vkCmdUpdateBuffer", "stores 12 bytes", "vkCmdDispatchIndirect", "to DRAW_INDIRECT"]),
    "short-range": ("bounds", "what was loaded outside of the range of a descriptor is used", 2, [f"which has {N // 2 * 4} (element ", "stores what it got", "robustBufferAccess"]),
    "no-descriptor": ("bounds", "nothing is bound: the descriptor is null", 1, ["stores 4 bytes", "vkUpdateDescriptorSets"]),
    "swapped": ("lint", "push constants look swapped", 1, ["float a (byte 0)", f"whose bits are {N};", f"integer n (byte 4) is {0x40000000}, whose bits are 2"]),
    "few-groups": ("lint", "too few workgroups: the end of a buffer is not written", 1, [f"element {N // 2 - 1} of {N}", f"all {N // 2} work-items", f"push constant n (byte 4) is {N}"]),
    "same-buffer": ("lint", "two bindings share memory that is written", 1, [f"and {4 * N} bytes; another is", "another buffer"]),
    "never-written": ("uninit", "what nothing wrote is stored", 2, ["in a page that neither the host nor the GPU ever wrote", "stores it", "vkAllocateMemory"]),
}
if GPU:  # Turnip fills and copies by the 2D engine; and what the two GPUs have in common is not asked again.
    SAME = {"access", "access-of-transfers", "access-no-reads", "bytes-other-buffer", "event-wrong-stage", "timeline-wrong-stage"}
    RIGHT = [how for how in RIGHT if not how.startswith("local-") and how not in SAME]
    BUGS = {how: of for how, of in BUGS.items() if not how.startswith("local-") and how not in SAME}
OVER = {"swapped": {"bounds"}, "same-buffer": {"race"}, "no-descriptor": {"lint"}}  # What else these are.


def run(how, checks, *more):
    gpu = [w for g in GPU for w in ("--gpu", g)]
    r = subprocess.run([lull, "exec", *gpu, "--json", "--check", checks, *map(str, more), "--", passes, spirv, how], capture_output=True, text=True, timeout=120)
    lines = [json.loads(line) for line in r.stderr.splitlines() if line.startswith("{")]
    return r, {line["check"]: line["findings"] for line in lines if "check" in line}


if GPU:
    why = arm64_tools.absent(pathlib.Path(sys.argv[5]))
    if why is not None and "LULL_NEED_ARM64" not in os.environ:
        print(f"1..0 # SKIP {why}")
        sys.exit(0)
for how in RIGHT:
    for checks in ("all",) if GPU else ("all", "race,bounds,lint"):
        r, found = run(how, checks)
        case(f"{how}, {checks}: nothing", r.returncode == 0 and r.stdout == f"sum {4 * N}, want {4 * N}\n" and not any(found.values()) and "race" in found, (r, found))
for how, (check, kind, sites, words) in BUGS.items():
    r, found = run(how, "race,bounds,lint,uninit")
    texts = [(f, " ".join([f["text"], *(s["instruction"] + " " + s["does"] for s in f["sites"])])) for f in found[check] if f["kind"] == kind]
    got = [f for f, text in texts if all(w in text for w in words)]
    others = {name for name in found if name != check and found[name]}
    case(f"{how}: {kind}", len(got) == 1 and len(got[0]["sites"]) == sites and others == OVER.get(how, set()), (r, found))
    case(f"{how}: the shader's name", bool(got) and all("passes.comp" in s["place"] or "workgroup" not in s for s in got[0]["sites"]), got)
    case(f"{how}: exit status", r.returncode == 1, r)
with tempfile.TemporaryDirectory() as folder:
    inner = pathlib.Path(folder) / "inner.comp"
    for length in (8, 9):
        inner.write_text(SOURCE.read_text().replace("        to[i] +=", f"    {{\n        float own[{length}];\n        own[i % 9] = a;\n        to[i] += own[i % 9] / a *") + "}\n")
        subprocess.run(["glslangValidator", "-V", "-g", "-o", inner.with_suffix(".spv"), inner], check=True, capture_output=True)
        gpu = [w for g in GPU for w in ("--gpu", g)]
        r = subprocess.run([lull, "exec", *gpu, "--json", "--check", "index", "--", passes, inner.with_suffix(".spv"), "right"], capture_output=True, text=True, timeout=120)
        found, = (json.loads(line)["findings"] for line in r.stderr.splitlines() if line.startswith('{"check"'))
        at = 1 + next(n for n, text in enumerate(inner.read_text().splitlines()) if "own[i % 9] = a" in text)
        does = [(s["line"], s["lane"], s["does"]) for f in found for s in f["sites"]]
        want = [(at + k, 8, "takes index 8 of own, which has 8 elements") for k in range(2)] if length == 8 else []
        case(f"an index, of {length}", does == want and r.returncode == bool(want) and (want != [] or r.stdout == f"sum {4 * N}, want {4 * N}\n"), (want, r))
        r = subprocess.run([lull, "debug", *gpu, "-nx", "--json", "-batch", "--check", "index", "-ex", "run", "--", passes, inner.with_suffix(".spv"), "right"], capture_output=True, text=True, timeout=120)
        stops = [o["finding"] for o in map(json.loads, (line for line in r.stdout.splitlines() if line.startswith("{"))) if "finding" in o]
        case(f"an index, of {length}: the debugger stops there", [("takes index 8 of own" in f["text"], f"inner.comp:{at}" in f["text"]) for f in stops] == ([(True, True)] if want else []), r)
if GPU:
    folder = tempfile.TemporaryDirectory()
    r, found = run("no-barrier", "race,hazards", "--names", folder.name)
    case("--names", r.returncode == 1 and len(found["race"]) == 1 and found["hazards"] == [], (r, found))
    for checks in ("all", "bounds"):
        r, found = run("robust-range", checks)
        case(f"robustBufferAccess defines it, --check {checks}: a warning", [f["warning"] for f in found["bounds"]] == [True], (r, found))
    r = subprocess.run([lull, "debug", "-nx", "--json", "-batch", "--gpu", *GPU, "--check", "bounds", "-ex", "run", "-ex", "continue", "--", passes, spirv, "no-descriptor"],
                       capture_output=True, text=True, timeout=120)
    stops = [o for o in map(json.loads, r.stdout.splitlines()) if "finding" in o]
    case("the debugger stops behind a load, then behind a store", [o["finding"]["check"] for o in stops] == ["bounds"] * 2 and
         "loads" in stops[0]["finding"]["text"] and "stores" in stops[1]["finding"]["text"], r)
    end()
r, found = run("short-range", "bounds")
case("both places by line of the source", [(pathlib.Path(s["file"]).name, s["line"]) for s in found["bounds"][0]["sites"]] == [("passes.comp", LINE)] * 2, found)
SHADERS = pathlib.Path(__file__).resolve().parents[1] / "vulkan/shaders"
env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
r = subprocess.run([lull, "run", SHADERS / "sha256.comp", "--groups", "1", "--bind", "0.0=zeros:64", "--bind", "0.1=zeros:8192", "--check", "bounds", "--json"], env=env, capture_output=True, text=True, timeout=120)
sites = [s for line in r.stdout.splitlines() if line.startswith('{"check"') for f in json.loads(line)["findings"] for s in f["sites"]]
case("a shader whose changes take seconds to compile has no lines", r.returncode == 1 and len(sites) > 0 and not any("line" in s for s in sites), r)
r = subprocess.run([lull, "exec", "--check-lines", "--", "true"], capture_output=True, text=True, timeout=60)
case("--check-lines without --check", r.returncode == 2 and "--check-lines is for" in r.stderr, r)
with tempfile.TemporaryDirectory() as folder:
    twice = pathlib.Path(folder) / "twice.comp"
    twice.write_text(SOURCE.read_text().replace("a * from[n - 1 - i]", "a * 0.5 * (from[n - 1 - i] + from[(i * 5 + 1) % n])"))
    subprocess.run(["glslangValidator", "-V", "-g", "-o", twice.with_suffix(".spv"), twice], check=True, capture_output=True)
    r = subprocess.run([lull, "exec", "--json", "--check", "race", "--", passes, twice.with_suffix(".spv"), "no-barrier"], capture_output=True, text=True, timeout=120)
    found = json.loads(r.stderr.splitlines()[-1])["findings"]
    case("two loads of what one dispatch stored: one barrier is missing", len(found) == 1 and "so for 1 more pair of their instructions" in found[0]["text"], r)
r, found = run("few-groups", "all")
case("it is a warning", [f["warning"] for f in found["lint"]] == [True], (r, found))
r, found = run("never-written", "all")
case("memory that reads as zero is a warning", r.returncode == 0 and [f["warning"] for f in found["uninit"]] == [True], (r, found))
for checks in ("all", "bounds"):
    r, found = run("robust-range", checks)
    case(f"robustBufferAccess defines it, --check {checks}: a warning", [f["warning"] for f in found["bounds"]] == [True] and
         "the program enabled robustBufferAccess" in found["bounds"][0]["text"], (r, found))
r, found = run("same-buffer", "lint,race")
case("a hint is told if its check is named", len(found["lint"]) == 1, found)
r, found = run("same-buffer", "all")
case("and else it is not", found["lint"] == [] and len(found["race"]) == 1, found)
with tempfile.TemporaryDirectory() as folder:
    names = pathlib.Path(folder)
    r, found = run("no-barrier", "race", "--names", names)
    lines = [json.loads(line) for file in names.glob("*.names") for line in file.read_text().splitlines()]
    submits = [line for line in lines if line["k"] == "submit"]
    case("--names and --check together", len(found["race"]) == 1 and len(submits) == 1 and submits[0]["waits"] is False and
         ["after" in d for d in submits[0]["dispatches"]] == [False, False], (found, submits))
    case("the host's wait is recorded once", [line["k"] for line in lines].count("wait") == 1, lines[-3:])
r = subprocess.run([lull, "run", pathlib.Path(__file__).resolve().parents[2] / "examples/bugs/stride.cl", "--grid", "64", "--block", "64", "--arg", "zeros:1024", "--arg", "i32:64", "--check", "lint"],
                   capture_output=True, text=True, timeout=60)
case("a kernel has no lint", r.returncode == 2 and "lint is for Vulkan" in r.stderr, r)
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`lull run SHADER --vulkan-device interpreter`: the compute shaders of tests/vulkan without a driver, with the results of
lavapipe, or those that the case computes itself.

interpret.py LULL VULKAN [NAME...]
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(root), sys.argv[2]]
import cases  # noqa: E402
import tap  # noqa: E402
import words  # noqa: E402

lull, shaders, only = sys.argv[1], pathlib.Path(sys.argv[2]) / "shaders", sys.argv[3:]
env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
HERE = ["--vulkan-device", "interpreter"]


def run(command, *args):
    r = subprocess.run([lull, command, *map(str, args)], capture_output=True, text=True, timeout=300, env=env, check=False)
    return r.returncode, (r.stdout + r.stderr).strip()


def one(case):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        args, expect = words.words(shaders, work, case)
        if case.lavapipe and case.compare:
            status, text = run("run", *args, "--vulkan-device", "lavapipe", "--out-dir", work)
            lacks = status == 3 and "the shader needs the capability Float16" in text
            if status != 0 and not lacks:
                return False, f"lavapipe: {status}: {text}"
            for place in [] if lacks else case.compare:
                expect += ["--expect", f"{place}={work / (place + '.bin')}"]
            if lacks and not expect:
                return None, "lavapipe lacks Float16 on this CPU"
        status, text = run("run", *args, *HERE, *expect)
        return status == 0 and bool(expect), f"status {status}, {len(expect) // 2} buffers: {text}"


SAXPY = [shaders / "saxpy.comp", "--groups", 1, "--bind", "0.0=iota:64:f32", "--bind", "0.1=iota:64:f32", "--push", "f32:2.5,u32:64"]


def rest():
    status, text = run("run", *SAXPY, *HERE, "--expect", "0.0=iota:64:f32")
    tap.case("what differs is found", status == 1 and "63 of 64 f32 differ" in text, f"{status}: {text}")
    status, text = run("run", *SAXPY[:5], "--push", "f32:2.5,u32:64", *HERE)
    tap.case("nothing is bound", status == 2 and "nothing is bound to 0.1[0]" in text, f"{status}: {text}")
    status, text = run("diff", *SAXPY, "--vulkan-device", "lavapipe", "--against", "interpreter:ulp:1")
    tap.case("lull diff --against interpreter", status == 0 and text == "", f"{status}: {text}")
    status, text = run("diff", *SAXPY, "--vulkan-device", "interpreter", "--against", "lavapipe:ulp:1")
    tap.case("lull diff --vulkan-device interpreter", status == 0 and text == "", f"{status}: {text}")
    with tempfile.TemporaryDirectory() as folder:
        endless = pathlib.Path(folder) / "endless.comp"
        endless.write_text("#version 460\nlayout(binding = 0) buffer B { uint b[]; };\nvoid main() { while (b[0] == 0u) { b[1]++; } }\n")
        status, text = run("run", endless, "--groups", 1, "--bind", "0.0=zeros:64", "--timeout", 200, *HERE)
        tap.case("a loop without an end", status == 124 and "hang: 'interpreter' did not end in 200 ms" in text, f"{status}: {text}")
        far = pathlib.Path(folder) / "far.comp"
        far.write_text("#version 460\n#extension GL_EXT_buffer_reference : require\nlayout(buffer_reference, std430) buffer R { uint x; };\n"
                       "layout(push_constant) uniform P { R r; };\nvoid main() { r.x = 1u; }\n")
        status, text = run("run", far, "--groups", 1, "--push", "u32:4096,0", *HERE)
        tap.case("an address where no buffer is", status == 3 and "0x1000, where no buffer is" in text, f"{status}: {text}")


def main():
    todo = tap.share([c for c in cases.CASES if not only or c.name in only])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, (ok, why) in zip(todo, pool.map(one, todo)):
            if ok is None:
                tap.skip(f"{case.name}: {why}")
            else:
                tap.case(case.name, ok, why)
    if not only and tap.SHARE != "others":
        rest()
    tap.end()


main()

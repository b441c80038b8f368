#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Vulkan compute shaders on lull's virtual GPU: results as on lavapipe, or as computed in cases.py.

run.py LULL SHADERS [--radv FOLDER] [NAME...]: TAP, one line for each case and driver. A case that runs on lavapipe
runs there first and its buffers are what `lull run --expect` wants on the virtual GPU; what the host computed
(`want`) is expected on both. A case that lavapipe cannot run on this CPU, and that has no `want`, is skipped.

The virtual GPU's driver is the system's RADV with ACO. With --radv all cases run thrice: also with RADV's other
compiler, LLVM, and with the RADV that tools/radv.py put into FOLDER.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "tools")]
import cases  # noqa: E402
import radv  # noqa: E402
import tap  # noqa: E402
import words  # noqa: E402

lull, shaders, only = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
folder = only[1] if only[:1] == ["--radv"] else None
only = only[2:] if folder else only
# The drivers leak at exit, the shim stands before the sanitizer's library: both are not ours to check.
# LLVM 15 gives lanes that are off what another register had: src/front/llvm/subgroup_lanes.c keeps LLVM 19 from it.
WRONG = {(f"subgroup-kept-{wave}", " (LLVM)"): "LLVM 15 takes a register that lanes need which are off" for wave in (32, 64)}
# 16-bit floats are what lavapipe has only where the CPU converts them (F16C).
LACKS = re.compile(r"the shader needs the capability (Float16), 'llvmpipe ")
env = dict(os.environ)
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
if subprocess.run(["sh", "-c", "test -e /usr/share/vulkan/icd.d/lvp_icd.x86_64.json"], check=False).returncode:
    print("Bail out! lavapipe is not installed (mesa-vulkan-drivers)")
    sys.exit(1)


def driver(label, more, needs=""):
    """(label, what the environment has more, why it cannot run or ""). Says which version it is."""
    r = subprocess.run([lull, "exec", "--", "vulkaninfo", "--summary"], capture_output=True, text=True, timeout=100,
                       env={**env, **more}, check=False)
    version = re.search(r"driverInfo\s*=\s*(.*)", r.stdout)
    if version and needs not in version[1]:
        return label, more, f"RADV, {version[1]}, has no {needs}"
    print(f"# ran on: RADV, {version[1] if version else 'of unknown version'}", flush=True)
    return label, more, ""


def drivers():
    if not folder:
        return [("", {}, "")]
    try:
        backports = driver(" (backports)", radv.environment(folder))
    except radv.Missing as e:
        backports = " (backports)", {}, str(e)
    return [driver("", {}), driver(" (LLVM)", {"RADV_DEBUG": "llvm"}, "LLVM"), backports]


def run(args, more):
    r = subprocess.run([lull, "run", *map(str, args)], capture_output=True, text=True, timeout=300, env={**env, **more},
                       check=False)
    return r.returncode, (r.stdout + r.stderr).strip()


def one(case, root, environments):
    """For each environment: whether it was skipped, and why it was or why it failed; "" if it is as expected."""
    work = root / case.name
    work.mkdir()
    args, expect = words.words(shaders, work, case)
    if case.lavapipe:
        status, text = run([*args, "--vulkan-device", "lavapipe", "--out-dir", work, *expect], {})
        lacks = LACKS.search(text) if status == 3 else None
        if lacks and not case.want:
            return [(True, f"lavapipe lacks {lacks[1]} on this CPU")] * len(environments)
        if status != 0 and not lacks:
            return [(False, f"lavapipe, status {status}: {text}")] * len(environments)
        for place in [] if lacks else case.compare:
            expect += ["--expect", f"{place}={work / (place + '.bin')}"]
    if not expect:
        return [(False, "nothing to compare with")] * len(environments)
    runs = [run([*args, *case.own, *expect], more) for more in environments]
    return [(False, "" if status == 0 else f"status {status}: {text}") for status, text in runs]


def main():
    todo = tap.share([c for c in cases.CASES if not only or c.name in only])
    found = drivers()
    able = [(label, more) for label, more, why in found if not why]
    failures = count = 0
    with tempfile.TemporaryDirectory() as root, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda c: one(c, pathlib.Path(root), [more for _, more in able]), todo)
        for case, of_case in zip(todo, results):
            for (label, _), (skipped, why) in zip(able, of_case):
                skipped, why = (True, WRONG[case.name, label]) if (case.name, label) in WRONG else (skipped, why)
                failed = why != "" and not skipped
                failures += failed
                count += 1
                print(f"{'not ok' if failed else 'ok'} {count} - {case.name}{label}{' # SKIP ' + why if skipped else ''}",
                      flush=True)
                if failed:
                    print("#", why.replace("\n", "\n# "), flush=True)
    for label, _, why in found:
        if why:
            count += 1
            print(f"ok {count} - all cases{label} # SKIP {why}")
    print(f"1..{count}")
    return failures != 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Vulkan compute shaders on lull's virtual GPU: results as on lavapipe, or as computed in cases.py.

run.py LULL SHADERS [NAME...]: TAP, one line for each case. A case that runs on lavapipe runs there first
and its buffers are what `lull run --expect` wants on the virtual GPU; what the host computed (`want`) is
expected on both. A case that lavapipe cannot run on this CPU, and that has no `want`, is skipped.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cases  # noqa: E402
import random_shader  # noqa: E402

lull, shaders, only = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
# The drivers leak at exit, the shim stands before the sanitizer's library: both are not ours to check.
# 16-bit floats are what lavapipe has only where the CPU converts them (F16C).
LACKS = re.compile(r"the shader needs the capability (Float16), 'llvmpipe ")
env = dict(os.environ)
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
if subprocess.run(["sh", "-c", "test -e /usr/share/vulkan/icd.d/lvp_icd.x86_64.json"], check=False).returncode:
    print("Bail out! lavapipe is not installed (mesa-vulkan-drivers)")
    sys.exit(1)


def spirv(work, case):
    """SPIR-V of the case's shader: of a file, or made by random_shader.py ("random:SEED"). Compiled once for all
    runs; tests/cli/vk_run.py sees lull compile."""
    source, out = shaders / case.shader, work / "shader.spv"
    if case.shader.startswith("random:"):
        source = work / "random.comp"
        source.write_text(random_shader.Shader(int(case.shader[7:])).text())
    tool = ["spirv-as", "--target-env", "spv1.5"] if source.suffix == ".spvasm" else \
        ["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", *(a for a in case.args if str(a)[:2] in ("-D", "-I"))]
    r = subprocess.run([*tool, source, "-o", out], capture_output=True, text=True, check=False)
    return out if r.returncode == 0 else source  # lull says what is wrong with it


def run(args):
    r = subprocess.run([lull, "run", *map(str, args)], capture_output=True, text=True, timeout=300, env=env)
    return r.returncode, (r.stdout + r.stderr).strip()


def one(case, root):
    """Whether it was skipped, and why it was or why it failed; "" if it is as expected."""
    work = root / case.name
    work.mkdir()
    args = [spirv(work, case), "--groups", case.groups, *(a for a in case.args if str(a)[:2] not in ("-D", "-I"))]
    for place, content in case.binds.items():
        if isinstance(content, bytes):
            (work / f"{place}.in").write_bytes(content)
            content = f"file:{work / (place + '.in')}"
        args += ["--buffer" if place[0].isalpha() else "--bind", f"{place}={content}"]
    for tolerance in case.tolerance:
        args += ["--tolerance", tolerance]
    expect = []
    for place, data in case.want.items():
        (work / f"{place}.want").write_bytes(data)
        expect += ["--expect", f"{place}={work / (place + '.want')}"]
    if case.lavapipe:
        status, text = run([*args, "--vulkan-device", "lavapipe", "--out-dir", work, *expect])
        lacks = LACKS.search(text) if status == 3 else None
        if lacks and not case.want:
            return True, f"lavapipe lacks {lacks[1]} on this CPU"
        if status != 0 and not lacks:
            return False, f"lavapipe, status {status}: {text}"
        for place in [] if lacks else case.compare:
            expect += ["--expect", f"{place}={work / (place + '.bin')}"]
    if not expect:
        return False, "nothing to compare with"
    status, text = run([*args, *case.own, *expect])
    return False, "" if status == 0 else f"status {status}: {text}"


def main():
    todo = [c for c in cases.CASES if not only or c.name in only]
    failures = 0
    with tempfile.TemporaryDirectory() as root, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda c: one(c, pathlib.Path(root)), todo)
        for n, (case, (skipped, why)) in enumerate(zip(todo, results), 1):
            failed = why != "" and not skipped
            failures += failed
            print(f"{'not ok' if failed else 'ok'} {n} - {case.name}{' # SKIP ' + why if skipped else ''}", flush=True)
            if failed:
                print("#", why.replace("\n", "\n# "), flush=True)
    print(f"1..{len(todo)}")
    return failures != 0


sys.exit(main())

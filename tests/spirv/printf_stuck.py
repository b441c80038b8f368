#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull printf run ends also on a driver that does not come back, or that ends its process. printf_stuck.py LULL LIBVULKAN. TAP.

LIBVULKAN (stuck.c) is lavapipe but for one function, which waits for ever. Entries on a terminal end their lines, too.
"""
import concurrent.futures
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, stuck = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
loader = re.search(r"libvulkan\.so\.1 \(libc6,x86-64\) => (\S+)", subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout)[1]
ICD = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
env = {k: v for k, v in os.environ.items() if not k.startswith("VK_")}
env |= {"VK_DRIVER_FILES": ICD, "VK_ICD_FILENAMES": ICD, "LULL_TEST_VULKAN": loader, "LD_LIBRARY_PATH": str(stuck.parent),
        "ASAN_OPTIONS": env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
SHADER = """#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 1) in;
void main() { debugPrintfEXT("one"); debugPrintfEXT("two\\n"); debugPrintfEXT("%u", gl_WorkGroupID.x); }
"""
LINES = "one\ntwo\n0\n"


def run(which, *options, **more):
    start = time.monotonic()
    r = subprocess.run([lull, "printf", "run", shader, "--groups", "1", "--timeout", "2000", *options], capture_output=True, text=True, timeout=60,
                       env=env | {"LULL_TEST_STUCK": which} | more)
    return r.returncode, r.stdout, r.stderr, time.monotonic() - start


def children(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def gone(pid):
    """The process has ended: nobody is left of it, or only its place in the table."""
    for _ in range(100):
        try:
            if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0] in "ZX":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def waits():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = [pool.submit(run, *a) for a in (("vkWaitForFences",), ("vkQueueWaitIdle",), ("vkWaitForFences", "--json"), ("vkDestroyDevice",))]
    for name, got in zip(("vkWaitForFences", "vkQueueWaitIdle"), runs):
        r = got.result()
        pid = re.search(r"its process, (\d+),", r[2])
        case(f"{name} that never returns", r[0] == 124 and r[1] == "" and pid is not None and gone(pid[1]) and 7 < r[3] < 30, r)
    r = runs[2].result()
    case("the same as JSON", r[0] == 124 and json.loads(r[1])["result"] == "stuck", r)
    r = runs[3].result()
    case("stuck behind the lines: they are printed, and the status is theirs", r[:3] == (0, LINES, "") and r[3] < 30, r)
    r = run("")
    case("not stuck", r[:3] == (0, LINES, "") and r[3] < 5, r)


def signals():
    command = [lull, "printf", "run", shader, "--groups", "1", "--timeout", "30000"]
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env | {"LULL_TEST_STUCK": "vkWaitForFences"})
    while not children(p.pid):
        time.sleep(0.02)
    child = children(p.pid)[0]
    time.sleep(0.5)
    os.kill(int(child), signal.SIGKILL)
    out, err = p.communicate(timeout=30)
    case("a driver that ends its process", p.returncode == 3 and out == "" and "signal 9" in err, (p.returncode, out, err))
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env | {"LULL_TEST_STUCK": "vkWaitForFences"})
    while not children(p.pid):
        time.sleep(0.02)
    child = children(p.pid)[0]
    p.kill()
    p.communicate(timeout=30)
    case("lull is killed: so is its child", gone(child), child)


def terminal(*device):
    """Standard output and error are one terminal: no line is glued to the next."""
    main, side = pty.openpty()
    p = subprocess.Popen([lull, "printf", "run", shader, "--groups", "2", "--buffer-size", "28", *device], stdout=side, stderr=side, stdin=side,
                         env={k: v for k, v in env.items() if k != "LD_LIBRARY_PATH" and (not device or not k.startswith("VK_"))})
    os.close(side)
    text = b""
    while True:
        try:
            got = os.read(main, 4096)
        except OSError:
            break
        if not got:
            break
        text += got
    p.wait()
    lines = text.decode().split("\r\n")
    case(f"entries on a terminal each end their line {' '.join(device)}", p.returncode == 1 and lines[-1] == "" and "one" in lines and
         all(re.fullmatch(r"one|two|[01]|lull printf: .*", t) for t in lines[:-1]), text)


with tempfile.TemporaryDirectory() as tmp:
    shader = pathlib.Path(tmp) / "a.spv"
    (shader.parent / "a.comp").write_text(SHADER)
    subprocess.run(["glslangValidator", "--quiet", "-V", shader.parent / "a.comp", "-o", shader], check=True)
    waits()
    signals()
    terminal()
    terminal("--device", "lull")
end()

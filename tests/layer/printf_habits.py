#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Habits of programs, under VK_LAYER_LULL_printf: printf_habits.py LULL PROGRAM DIRECTORY LAYERS [RADV]. TAP.

What is expected follows from what the program does (printf_habits.c): 40 pipelines are made twice, so the second ones have the numbers
41 to 80; their K is their index. Its layout takes every set and every byte of push constants that the device has. The Khronos
validation layer stands below lull's.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, program, here, layers = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
radv = "RADV" in sys.argv
work = pathlib.Path(tempfile.mkdtemp())
spv = work / "printf.spv"
subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "printf.comp", "-o", spv], cwd=here, check=True, stdout=subprocess.DEVNULL)
env = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_PRINTF", "VK_"))}
ICD = "/usr/share/vulkan/icd.d/" + ("radeon" if radv else "lvp") + "_icd.x86_64.json"
env |= {"VK_DRIVER_FILES": ICD, "VK_ICD_FILENAMES": ICD, "VK_ADD_LAYER_PATH": layers, "MESA_SHADER_CACHE_DISABLE": "true",
        "VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation" if radv else "VK_LAYER_LULL_printf:VK_LAYER_KHRONOS_validation"}
TURNS, OF_QUEUES = 10, 20


def run(way):
    command = [*([lull, "exec", "--printf", "--"] if radv else []), program, spv, way]
    r = subprocess.run(command, env=env, capture_output=True, text=True, timeout=240, cwd=work)
    return r, r.returncode == 0 and not r.stderr and "done" in r.stdout.splitlines()


def line(k, number, rnd):
    dispatch = "" if number is None else f" dispatch {number}"
    return f"[printf.comp:8 pipeline {41 + k}{dispatch} workgroup 0,0,0] k {k} round {rnd} group 0"


for way, what in (("unwaited", "a program that ends without a wait"), ("timeline", "one that polls a timeline semaphore"),
                  ("query", "one that reads a query"), ("forks", "a child that ends while lines are in the buffer prints none")):
    r, clean = run(way)
    case(what, clean and sorted(r.stdout.splitlines()) == sorted([line(3, 0, 5), "done"]), r)
r, clean = run("threads")
got = [re.sub(r" dispatch \d+", "", m) for m in r.stdout.splitlines() if m != "done"]
numbers = [int(n) for n in re.findall(r" dispatch (\d+)", r.stdout)]
case("four threads, a pool for each turn", clean and sorted(got) == sorted(line(k, None, i) for k in range(4) for i in range(TURNS)), r)
case("their dispatches: numbers of their own", len(set(numbers)) == len(numbers) and set(numbers) <= set(range(4 * TURNS)), r)
r, clean = run("devices")
case("two devices", clean and r.stdout.splitlines() == [line(0, 0, 5), line(1, 0, 5), "done"], r)
r, clean = run("queues")
both = [(q, i) for i in range(OF_QUEUES) for q in range(2)]
got = [m for m in r.stdout.splitlines() if m != "done"]
texts = [re.sub(r" dispatch \d+", "", m) for m in got]
case("two queues: every line", clean and sorted(texts) == sorted([line(q, None, i) for q, i in both] + [line(9, None, 0)]), r)
right = {line(q, 2 * i + q, i) for q, i in both} | {line(9, 2 * OF_QUEUES, 0)}
case("two queues: behind a wait the number of the dispatch is there", line(9, 2 * OF_QUEUES, 0) in got, r)
if radv:  # lavapipe has one queue
    case("two queues: dispatches that may run at once have no numbers", sum(" dispatch " in m for m in got) == 1, r)
else:
    case("one queue: all numbers are right", set(got) == right, r)
end()

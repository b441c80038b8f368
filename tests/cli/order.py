#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The debugger is the run: order.py LULL SOURCES BUILD. One TAP line a case.

Programs whose results depend on the order in which waves run give the same bytes with the same seed, under `lull run`
and `lull exec`, under the debugger, with breakpoints that are passed, and when they were stopped on the way.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

lull, sources, build = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
# As in program.py: the debugged program is not sanitized.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
ITEMS = 512
PROGRAM = [str(build / "order"), str(build / "order.spv")]
SEEDS = range(8)


def line(text):
    """Number of the line of order.cl with this text."""
    lines = (sources / "order.cl").read_text().splitlines()
    return next(i for i, l in enumerate(lines, 1) if text in l)


STORE = f"order.cl:{line('] = racy;')}"
KERNEL = {
    "run": ["run"],
    "a breakpoint that is passed": [f"break {STORE} if $exec == 0", "run", "info breakpoints"],
    "a breakpoint that is passed 100 times, and one stop": [f"break {STORE}", "ignore 1 100", "run", "delete", "continue"],
    "two stops with a look at all waves": [f"tbreak {STORE}", "run", "info waves", f"tbreak order.cl:{line('number = seen')}", "continue",
                                           "info waves", "print $v0", "x/4wx state", "continue"],
    "a stop in front of each wave": ["start", "continue"],
}


def run(command, **how):
    r = subprocess.run(command, capture_output=True, text=True, timeout=300, **how)
    if r.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: status {r.returncode}: {r.stdout[-300:]} {r.stderr[-300:]}")
    return r.stdout


def kernel(seed, commands):
    """The buffers that the kernel leaves."""
    with tempfile.TemporaryDirectory() as d:
        args = [str(sources / "order.cl"), "-O2", "--grid", str(ITEMS), "--block", "128", "--seed", str(seed),
                "--arg", f"zeros:64:name=state:out={d}/state", "--arg", f"zeros:{4 * ITEMS}:out={d}/out"]
        if commands is None:
            run([lull, "run", *args])
        else:
            out = run([lull, "debug", *args, "-batch", *[x for c in commands for x in ("-ex", c)]])
            if not out.rstrip().endswith("[The dispatch is complete]") and "info breakpoints" not in commands:
                raise AssertionError(f"it did not end: {out[-300:]}")
        return [pathlib.Path(d, f).read_bytes() for f in ("state", "out")]


def same_kernel(name):
    for seed in range(4):
        want = kernel(seed, None)
        tickets = int.from_bytes(want[0][:4], "little")
        if tickets != 16 * ITEMS:
            raise AssertionError(f"seed {seed}: {tickets} tickets")
        if kernel(seed, KERNEL[name]) != want:
            raise AssertionError(f"seed {seed}: other bytes than without the debugger")


def seeds_differ():
    results = {kernel(seed, None)[1] for seed in range(4)}
    if len(results) != 4:
        raise AssertionError(f"4 seeds, {len(results)} results: the kernel does not depend on the order")


def stages(text):
    found = re.findall(r"^(one queue|two queues) ([0-9a-f]{16})$", text, re.M)
    if [name for name, _ in found] != ["one queue", "two queues"]:
        raise AssertionError(text)
    return found


def execute(seed):
    return stages(run([lull, "exec", "--seed", str(seed), "--", *PROGRAM]))


def debug(seed, commands):
    return stages(run([lull, "debug", "--seed", str(seed), "-batch", *[x for c in commands for x in ("-ex", c)], "--", *PROGRAM]))


PASSED = ["catch dispatch 0", "run", "break *b0.use if $exec == 0", "continue"]
STOPPED = ["catch dispatch 1", "run", "info descriptors", "tbreak *b0.use", "continue", "info waves", "continue"]


def missing_barrier():
    """Two dispatches without a barrier between them, and two queues: the debugger does not put them in order."""
    results = set()
    for seed in SEEDS:
        want = execute(seed)
        got = debug(seed, ["run"])
        if got != want:
            raise AssertionError(f"seed {seed}: exec {want}, debug {got}")
        results.add(tuple(want))
    if len(results) != len(SEEDS):
        raise AssertionError(f"{len(SEEDS)} seeds, {len(results)} results: the program does not depend on the order")


def missing_barrier_stopped():
    for commands in (PASSED, STOPPED):
        want, got = execute(3), debug(3, commands)
        if got != want:
            raise AssertionError(f"{commands}: exec {want}, debug {got}")


cases = {**{f"kernel: {name}": (lambda n=name: same_kernel(n)) for name in KERNEL}, "kernel: seeds differ": seeds_differ,
         "a missing barrier, 8 seeds": missing_barrier, "a missing barrier, breakpoints and stops": missing_barrier_stopped}
print(f"1..{len(cases)}")
for n, (name, case) in enumerate(cases.items(), 1):
    try:
        case()
        print(f"ok {n} - {name}")
    except (AssertionError, subprocess.TimeoutExpired) as e:
        print(f"not ok {n} - {name}\n# {type(e).__name__}: {str(e)[:2000]}")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What remembering a dispatch costs: record.py LULL [RUNS]. The same kernel under lull debug without and with it, CPU time of the best of so many runs; and the
memory of its snapshots. Then the same as a program of its own, whose held dispatch is remembered from when it is let go, and with who wrote memory (set record-writers on)."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

lull, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
TURNS = 600000
KERNEL = """\
kernel void spin(global uint *out, int n)
{
    uint i = get_global_id(0), s = i;
    for (int j = 0; j < n; j++) {
        s = s * 1664525u + 1013904223u;
        out[(i * 8191 + j * 127) & 0xfffff] = s;
    }
}
"""


WORK = ["spin.cl", "-O2", "--grid", "256", "--block", "64", "--timeout", "600000", "--arg", "zeros:4194304:name=out", "--arg", f"i32:{TURNS}"]


def run(work, memory, program=False, writers=False):
    """CPU seconds, and what is said last."""
    what = ["-ex", "catch dispatch", "-ex", "run", "-ex", "continue", "--", lull, "run", "--device", "/dev/dri/renderD128", *WORK] if program else \
        [*WORK, "-ex", "run", *(["-ex", "info when"] if memory != "off" else [])]
    words = [lull, "debug", "-nx", "--json", "-batch", "-ex", f"set record-memory {memory}", "-ex", f"set record-writers {'on' if writers else 'off'}", *what]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(words, cwd=work, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(r.stdout.splitlines()[-1])


with tempfile.TemporaryDirectory() as work:
    (pathlib.Path(work) / "spin.cl").write_text(KERNEL)
    without = min(run(work, "off")[0] for _ in range(runs))
    times = [run(work, "1024") for _ in range(runs)]
    best, when = min(t for t, _ in times), times[0][1]
    print(f"recording: {when['last']} instructions, {best / without:.2f} times the time without it ({best:.2f} s by {without:.2f} s); "
          f"{when['snapshots']} snapshots, {when['bytes'] / (1 << 20):.1f} MiB")
    rounds = [(run(work, "off", True)[0], run(work, "1024", True)[0], run(work, "1024", True, True)[0]) for _ in range(runs)]
    without, best, noted = (min(r[k] for r in rounds) for k in range(3))
    print(f"recording in a program: {best / without:.2f} times the time without it ({best:.2f} s by {without:.2f} s)")
    print(f"who wrote memory, scattered stores: {noted / best:.2f} times the time of the record alone ({noted:.2f} s by {best:.2f} s)")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug --engine jit: stops in compiled loops, with what Python computes; the same session as with the interpreter, forwards and back; and less CPU time.
engine.py LULL EXAMPLES."""
import os
import pathlib
import resource
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end, skip  # noqa: E402

lull, examples = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
TURNS, LANES = 250, 32
OFF = "set record-memory 0"  # What is recorded is interpreted.


def debug(engine, *commands, groups=1, waves=1, more=(), env=None):
    block = LANES * waves
    args = [a for c in commands for a in ("-ex", c)]
    return subprocess.run([lull, "debug", "--engine", engine, "-batch", *args, *more, examples / "loop.s", "--grid", str(block * groups), "--block", str(block), "--arg",
                           f"zeros:{4 * block}:name=out"], capture_output=True, text=True, timeout=120, check=False, env=dict(os.environ, **(env or {})))


def words(text, lanes):
    """Of a register in all lanes, or of memory, as it is printed."""
    return [int(w, 16) for line in text.splitlines() if line.startswith("  lane") for w in line.replace("*", "").split(":")[1].split()][:lanes]


def stops():
    """In wave 3 of 4, with 7 turns left."""
    r = debug("jit", OFF, "break *loop+0x14 if $s2 == 7 && $v1 == 97", "run", "print $v2", "print $s2", "delete", "continue", "print out[0]", waves=4)
    want = [(TURNS - 7) * (3 * LANES + lane + 1) for lane in range(LANES)]
    case("a stop in a loop: registers of all lanes", words(r.stdout, LANES) == want and "$s2 = 0x00000007" in r.stdout and "complete" in r.stdout, r)


def same():
    commands = ("break *loop+0x14 if $s2 == 9", "run", "print $v2", "stepi", "print $v2", "reverse-stepi", "reverse-stepi", "print $s2", "delete", "break *loop+0x24", "continue",
                "print $v2", "delete", "watch {u32}(out + 4 * 5)", "continue", "continue", "reverse-continue", "print $pc")
    plain, compiled = debug("interp", *commands), debug("jit", *commands)
    case("forwards and back: as interpreted", plain.returncode == 0 and plain.stdout == compiled.stdout and plain.stdout.count("Wave 0") >= 6, (plain, compiled))


def seconds(engine):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = debug(engine, OFF, "run", groups=6144, waves=8)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime if r.returncode == 0 and "complete" in r.stdout else float("inf")


def takes():
    """User time of 61 million instructions."""
    plain, compiled = (min(seconds(e) for _ in range(3)) for e in ("interp", "jit"))
    case("less time", compiled < 0.8 * plain, (plain, compiled))


def refused():
    r = debug("jit", "run", env={"LULL_JIT": "no-such-host"})
    case("LULL_JIT counts", r.returncode == 2 and "'no-such-host' is not a target" in r.stderr, r)
    for name, args in (("a program on an Adreno", ["--gpu", "a660", "--", "true"]), ("a GPU of another process", ["--attach", "/nowhere"])):
        r = subprocess.run([lull, "debug", "--engine", "jit", *args], capture_output=True, text=True, timeout=60, check=False)
        case(name, r.returncode == 2 and "--engine is for gfx1100 in this process" in r.stderr, r)


there = debug("jit", "run")
if there.returncode != 0 and ("has not got AVX2" in there.stderr or "without the compiler of waves" in there.stderr):
    skip("a stop in a loop: no compiler of waves here")
else:
    stops()
    same()
    takes()
    refused()
end()

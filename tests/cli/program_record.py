#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record save in a held dispatch of a program, and what is done with the file: program_record.py LULL HISTOGRAM SPIRV. TAP.

The program counts 4096 pixels in bins by atomic additions; which pixels are in which bin is computed here, as in program_back.py. The record
is looked at in a folder without the program.
"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, program, spirv = map(os.path.abspath, sys.argv[1:4])
env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
f32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]
BINS = [int(f32(f32(i * 37 % 101 / 100) * 256)) for i in range(4096)]
GROUP, SIZE = 40, 64
BIN = BINS[GROUP * SIZE]
COUNTED = sum(BINS[i] == BIN for i in range(GROUP * SIZE))  # by the workgroups before
OUTSIDE = sum(b >= 256 for b in BINS)
here, there = pathlib.Path(tempfile.mkdtemp()), pathlib.Path(tempfile.mkdtemp())


def run(where, *words):
    return subprocess.run([lull, *map(str, words)], env=env, cwd=where, capture_output=True, text=True, timeout=120, check=False)


def debug(where, args, commands, behind=()):
    return run(where, "debug", "-batch", *args, *[w for c in commands for w in ("-ex", c)], *behind)


# Where the addition is, and the bins are.
r = debug(here, (), ("catch dispatch", "run", "record save held.rec", "stepi", "x/60i $pc", "info descriptors"), ("--", program, spirv))
at = re.search(r"(0x[0-9a-f]+) <[^>]*>: buffer_atomic_add", r.stdout)
bins = re.search(r"Bins .*? at (0x[0-9a-f]+)", r.stdout)
case("a held dispatch is recorded", at is not None and bins is not None and (here / "held.rec").exists(), r)
if not at or not bins:
    end()
stop, value = f"break *{at[1]} if $s5 == {GROUP}", f"print {{u32}}({bins[1]}+{4 * BIN})"
r = debug(here, (), ("catch dispatch", "run", stop, "continue", "print $v0", "record save inside.rec", "print $v0", "delete", "continue"), ("--", program, spirv))
v0 = re.findall(r"lane +0: \*(0x[0-9a-f]+)", r.stdout)
case("one that has begun, too; the session stays where it was", [int(v, 16) for v in v0] == [4 * BIN] * 2, r)
case("... and the program goes on and is right", f"4096 pixels, {len(BINS) - OUTSIDE} counted" in r.stdout, r)
for f in ("held.rec", "inside.rec"):
    (there / f).write_bytes((here / f).read_bytes())

r = debug(there, ("--replay", "held.rec"), ("info dispatches", "info descriptors", value, stop, "continue", value, "print $v0"))
case("elsewhere it is held, with the program's names", "held" in r.stdout and 'main of "histogram.comp", 64x1x1 workgroups of 64x1x1' in r.stdout and re.search(f"Bins .*? at {bins[1]}", r.stdout) is not None, r)
numbers = [int(n) for n in re.findall(r"\((\d+)\)$", r.stdout, re.M)]
case("nobody has counted; then those in front have", numbers[:1] == [0] and numbers[-1:] == [COUNTED], (numbers, COUNTED, r))
r = debug(there, ("--replay", "inside.rec"), ("print $v0", value, "why -depth 6 $v0", "reverse-stepi", "continue"))
numbers = [int(n) for n in re.findall(r"\((\d+)\)$", r.stdout, re.M)]
v0 = re.findall(r"lane +0: \*(0x[0-9a-f]+)", r.stdout)
case("the other stands where it stood: its wave, registers and memory", v0 == [f"0x{4 * BIN:08x}"] and numbers[-1:] == [COUNTED] and f"=> {at[1]}" not in r.stdout.split("stepped")[-1], (numbers, COUNTED, r))
case("why, down to a pixel by name", f"Pixels+{4 * GROUP * SIZE:#x} = {f32(GROUP * SIZE * 37 % 101 / 100):g}" in r.stdout, r)
case("it goes on to its end", "exited with status 0" in r.stdout, r)
case("nothing is written where it is replayed", sorted(p.name for p in there.iterdir()) == ["held.rec", "inside.rec"], list(there.iterdir()))

r = run(there, "run", "inside.rec")
case("lull run runs it", r.returncode == 0 and r.stdout == "done\n", r)
r = run(there, "run", "held.rec", "--check", "bounds")
case("... and checks it", r.returncode == 1 and f"  {OUTSIDE} times" in r.stdout and "bounds: 1 finding" in r.stdout, r)
r = run(there, "exec", "--check", "all", "--", lull, "run", "held.rec", "--device", "/dev/dri/renderD128")
case("lull exec of it knows the names", r.returncode == 1 and 'main of "histogram.comp"+' in r.stdout + r.stderr, r)

rec = (there / "held.rec").read_bytes()
name = rec.index(b"\x05\0\0\0names")  # a file of the names layer
pages = rec.index(b"\x03\0\0\0", 228)
bad = {"cut": rec[:-9], "empty": rec[:8], "behind": rec + b"x", "kind": rec[:8] + b"\x63" + rec[9:], "a file elsewhere": rec[:name] + b"\x05\0\0\0../xs" [:9] + rec[name + 9:],
       "twice a dispatch": rec[:8] + rec[8:228] + rec[8:], "pages outside of their mapping": rec[:pages + 4] + b"\0" * 8 + rec[pages + 12:]}
for what, data in bad.items():
    (here / "bad.rec").write_bytes(data)
    r, d = run(here, "run", "bad.rec"), debug(here, ("--replay", "bad.rec"), ())
    case(f"a damaged record, {what}: refused with the file and the byte", r.returncode == d.returncode == 3 and all("bad.rec" in x.stderr and "byte" in x.stderr for x in (r, d)), (r, d))
r = debug(here, (), ("catch dispatch", "record save no.rec"), ("--", program, spirv))
case("nothing is held yet", "record save" in r.stderr and not (here / "no.rec").exists(), r)
r = debug(here, (), ("set record-memory off", "catch dispatch", "run", "stepi", "record save no.rec"), ("--", program, spirv))
case("its beginning is not remembered: what to do instead", "catch dispatch" in r.stderr and not (here / "no.rec").exists(), r)
end()

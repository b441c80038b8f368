#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug -- PROGRAM goes back in time in a held dispatch: program_back.py LULL HISTOGRAM SPIRV PASSES PASSES_SPIRV DRAWING VERTEX FRAGMENT. TAP.

The program counts 4096 pixels in bins by atomic additions, a work-item each; which pixels are in which bin is computed here. The
first 40 workgroups have counted when the wave of the next stands in front of its addition.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, program, spirv = sys.argv[1:4]
passes, drawing = sys.argv[4:6], sys.argv[6:9]
env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
f32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]
BINS = [int(f32(f32(i * 37 % 101 / 100) * 256)) for i in range(4096)]
GROUP, SIZE = 40, 64
BIN = BINS[GROUP * SIZE]
FIRST = [i for i in range(GROUP * SIZE) if BINS[i] == BIN]  # who has counted there


def debug(*commands):
    """Objects, one for each command, and what the program says."""
    return of_program([program, spirv], "catch dispatch", "run", *commands)


def of_program(args, *commands, check=()):
    words = [w for c in commands for w in ("-ex", c)]
    r = subprocess.run([lull, "debug", "-batch", "--json", *check, *words, "--", *args], env=env, capture_output=True, text=True, timeout=120, check=False)
    return [json.loads(x) for x in r.stdout.splitlines() if x.startswith("{")][2:], r.stdout + r.stderr


def when(text):
    m = re.search(r"time (\d+) of (\d+); wave \d+ has executed (\d+)", text)
    return tuple(map(int, m.groups())) if m else None


# Where the addition is, and the bins are: the dispatch says so itself.
out, said = debug("stepi", "x/60i $pc", "info descriptors")
listing = next((re.findall(r"(0x[0-9a-f]+) [^\n]*buffer_atomic_add", o["text"]) for o in out if "buffer_atomic_add" in o.get("text", "")), [])
bins = re.search(r"Bins .*? at (0x[0-9a-f]+)", said)
case("the addition and the bins", len(listing) == 1 and bins is not None, said)
if not listing or not bins:
    end()
place, value = f"{{u32}}({bins[1]}+{4 * BIN})", f"print {{u32}}({bins[1]}+{4 * BIN})"

stop = [f"break *{listing[0]} if $s5 == {GROUP}", "continue"]
out, said = debug(*stop, "info when", "print $v0", "goto start", "info when", value, "goto end", "info when", "print $v0", value, "reverse-stepi 4", "info when",
                  "stepi 4", "info when", "print $v0", "delete", "continue")
at = [when(o.get("text", "")) for o in out]
times = [t for t in at if t]
v0 = [o["text"] for o in out if o.get("text", "").startswith("$v0")]
case("the beginning, the end, back and on", len(times) == 5 and times[0][0] == times[0][1] and times[1][0] == times[1][2] == 0 and times[2] == times[0] and
     times[3][2] == times[0][2] - 4 and times[4][2] == times[0][2], (times, said))
case("registers are those again", len(v0) == 3 and len(set(v0)) == 1 and f"*0x{4 * BIN:08x}" in v0[0], v0)
counts = [o.get("text", "") for o in out if o.get("text", "").startswith("{u32}") or re.match(r"\$?\d* ?=? ?0x", o.get("text", ""))]
numbers = [re.findall(r"\((\d+)\)", c) for c in counts]
case("memory, too: nobody has counted, then those in front", [n[-1:] for n in numbers] == [["0"], [str(len(FIRST))]], (counts, said))
case("the program goes on from there, and is right", f"4096 pixels, {sum(b < 256 for b in BINS)} counted" in said, said)

out, said = debug(*stop, f"watch {place}", "reverse-continue", "reverse-continue", f"why -depth 3 {place}", "delete", "continue")
who = [(int(m[1]), int(m[2])) for o in out for m in re.finditer(r"workgroup (\d+),0,0 wave 0\) hit watchpoint \d+, lane (\d+)", o.get("text", ""))]
case("who counted there last, and before", who == [divmod(i, SIZE) for i in (FIRST[-1], FIRST[-2])], (FIRST[-2:], who, said))
chain = [tuple(map(int, m)) for m in re.findall(r"workgroup (\d+),0,0\) lane (\d+)", "".join(o.get("text", "") for o in out if "{u32}" in o.get("text", "")[:6]))]
case("why", divmod(FIRST[-3], SIZE) in chain, (FIRST[-4:], chain, said))
case("and it is right again", f"4096 pixels, {sum(b < 256 for b in BINS)} counted" in said, said)

# Two dispatches of one job, y += 2 x and then z += 2 y; x is 1 in front, y and z are 0. While the second is held, the first can be gone back in.
out, said = of_program(passes, "catch dispatch", "run", "info descriptors", "continue", "info descriptors")
held = [re.findall(r"(?:From|To) .*? at (0x[0-9a-f]+)", o["text"]) for o in out if "From" in o.get("text", "")]
case("two dispatches, each with its buffers", len(held) == 2 and all(len(h) == 2 for h in held) and held[0][1] == held[1][0], said)
y, z = (f"{{f32}}({h[1]}+4*100)" for h in held)
out, said = of_program(passes, "catch dispatch", "run", "continue", f"watch {y}", "reverse-continue", "info when", "info descriptors", f"print {y}", "info dispatches", "goto end",
                       f"print {y}", "goto start", f"print {y}", "delete 2", "continue", f"why {y}", f"why {z}", "continue")
text = [o.get("text", "") for o in out]
case("held between dispatches: who wrote the first one's output last", any(re.search(r"workgroup 1,0,0 wave 0\) hit watchpoint 2, lane 36", t) for t in text), said)
case("... with the buffers of that dispatch", any(re.findall(r"(?:From|To) .*? at (0x[0-9a-f]+)", t) == held[0] for t in text), said)
values = [re.findall(r"= ([0-9.-]+)", t)[-1:] for t in text if t.startswith("{f32}") and "lane" not in t and "never" not in t]
case("... in front of it, behind it, at the start", values == [["0"], ["2"], ["0"]], (values, said))
case("... it runs, and the other is not there yet", [d["state"] for o in out if "dispatches" in o for d in o["dispatches"]] == ["running"], said)
case("... at the end, and going on, the next is held again", sum("Dispatch 1 is held" in t for t in text) == 3, said)
case("... and why", any(t.startswith(y) and "lane 36" in t for t in text) and any(t.startswith(z) and "never written" in t for t in text), said)
case("... the program is right", "sum 4096, want 4096" in said, said)

# Draws: vertex and fragment waves. The same instructions of all waves come again, and the picture is what it is without a debugger.
plain = [x for x in of_program(drawing, "run")[1].splitlines() if " at " in x]
out, said = of_program(drawing, "catch draw 3", "run", "stepi", "stepi 4", "info registers", "info when", "stepi 6", "reverse-stepi 6", "info registers", "info when",
                       "catch draw 4", "continue", "reverse-stepi", "info waves", "goto start", "info waves", "goto end", "info draws", "delete", "continue")
text = [o.get("text", "") for o in out]
registers = [o["registers"] for o in out if "registers" in o]
times = [when(t) for t in text if when(t)]
case("a vertex wave of a held draw goes back", len(registers) == 2 and registers[0] == registers[1] and len(times) == 2 and times[0][0] == times[1][0] and times[1][2] == 4, said)
waves = [o["text"] for o in out if "waves" in o]
case("held in front of the next draw: a fragment wave of the one before, then its vertex wave", len(waves) == 2 and "<ps_" in waves[0] and "<gs_" in waves[1], said)
case("... and at the end the next is held again", sum("Draw 4 is held" in t for t in text) == 2, said)
case("the picture is the same", len(plain) == 3 and [x for x in said.splitlines() if " at " in x and x.split()[0] in ("floor", "triangle", "pane")] == plain, (plain, said))

# What is checked goes back, too: to what a check had found, and why. What comes again is told as it was.
OUT = [i for i in range(4096) if BINS[i] >= 256]  # The first of them is found at its addition, the others are the same.
out, said = of_program([program, spirv], "run", "reverse-stepi 5", "info when", "why $v0", "reverse-continue", "goto end", "delete", "continue", "info findings", check=("--check", "bounds"))
text = [o.get("text", "") for o in out]
times = [when(t) for t in text if when(t)]
case("a finding in a program: back", f"lane {OUT[0]} (work-item {OUT[0]}) atomically changes" in said and len(times) == 1 and times[0][1] - times[0][0] == 5 and
     any(f"Pixels+{4 * OUT[0]:#x}" in t for t in text), said)
case("... it is told once, what comes behind counts, and the program is as without checks", said.count('"finding":') == 1 and f"  {len(OUT)} times" in text[-1] and f"{sum(b < 256 for b in BINS)} counted" in said, said)
out, said = of_program(passes, "catch dispatch", "run", "stepi", "stepi 12", "reverse-stepi 2", "delete", "continue", "info findings", check=("--check", "lint"))
case("of a dispatch that writes all nothing is said", "sum 4096, want 4096" in said and "writes nothing" not in said and "too few" not in said, said)
out, said = of_program([*passes, "no-descriptor"], "catch dispatch", "run", "stepi 3", "reverse-stepi 2", "delete", "continue", check=("--check", "bounds"))
case("the next dispatch is checked", "is held" in said and "the descriptor is null" in said, said)

# The GPU runs by itself, but not behind a stop: all waves stand where they are, however late the debugger looks. So two runs are the same, also back and on.
runs = []
for _ in range(2):
    out, said = of_program([program, pathlib.Path(spirv).parent / "spin.spv"], "catch dispatch", "run", "stepi", "x/30i $pc")
    store = [a for o in out for a in re.findall(r"(0x[0-9a-f]+) [^\n]*buffer_store_b32", o.get("text", ""))] or ["0"]
    out, said = of_program([program, pathlib.Path(spirv).parent / "spin.spv"], "catch dispatch", "run", f"tbreak *{store[0]} if $s3 == 5", "continue", "info when", "info waves",
                           "reverse-stepi 3", "stepi 3", "info when", "info waves", "kill")
    runs.append([when(o["text"]) for o in out if when(o.get("text", ""))] + [sorted((w["pc"], w["lanes"]) for w in o["waves"]) for o in out if "waves" in o])
case("64 waves in a loop: at a stop all stand", len(runs[0]) == 4 and runs[0] == runs[1] and runs[0][0] == runs[0][1] and runs[0][0][0] > 10000 and runs[0][2] == runs[0][3] and
     len(runs[0][2]) == 64, runs)

# The same without a record, and by a debugger that is another process, whose calls take longer. (A wave that is in the trap handler when all are stopped may be told one
# instruction sooner or later.)
STOPS = ["delete", *(c for k in range(5, 21) for c in (f"tbreak *{store[0]} if $s3 == {k}", "continue", "info waves")), "kill"]
spin = pathlib.Path(spirv).parent / "spin.spv"
runs = [of_program([program, spin], "set record-memory off", "catch dispatch", "run", *STOPS)[0]]
with tempfile.TemporaryDirectory() as folder:
    socket, gate = pathlib.Path(folder) / "socket", pathlib.Path(folder) / "gate"
    os.mkfifo(gate)
    with subprocess.Popen([lull, "exec", "--socket", socket, "--", "sh", "-c", f"read x < {gate}; exec {program} {spin}"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as host:
        while not socket.exists() and host.poll() is None:
            time.sleep(0.01)
        words = [w for c in ("set record-memory off", "catch dispatch", f"shell echo > {gate}", "continue", *STOPS) for w in ("-ex", c)]
        r = subprocess.run([lull, "debug", "-batch", "--json", *words, "--attach", socket], env=env, capture_output=True, text=True, timeout=120)
        runs.append([json.loads(x) for x in r.stdout.splitlines() if x.startswith("{")])
        host.kill()
runs = [[sorted((w["pc"], w["lanes"]) for w in o["waves"]) for o in out if "waves" in o] for out in runs]
case("the same without a record: where 64 waves stand at 16 stops", len(runs[0]) == len(runs[1]) == 16 and sum(a == b for a, b in zip(*runs)) >= 12, (runs, r))

out, said = debug("continue", "reverse-stepi")
case("behind its end nothing is remembered", "recorded" in said or "not started" in said, said)
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug CRASH.devcore: crash dumps that go on. debug_dump.py LULL DISPATCH SOURCES TRACES.

An endless loop, a wait and a bad packet are planted on the virtual GPU; the dump that it leaves must come to the same hang again, at the
packet and the instructions where these were planted. The dump of the corpus is the one that tests/adreno/test_resume.c writes.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

lull, dispatch, sources, traces = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
corpus = sources.parent / "fuzz/corpus"
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
keep = tempfile.TemporaryDirectory(prefix="lull-")
tmp = pathlib.Path(keep.name)
CMD, DATA, TEXTURE, IB3 = 0x100000000, 0x100010000, 0x100020000, 0x180 * 4


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=300, cwd=tmp)
    r.said = r.stdout + r.stderr
    return r


def debug(file, *commands, more=()):
    return run("debug", "-batch", *more, *[a for c in commands for a in ("-ex", c)], file)


def objects(file, *commands, more=()):
    r = debug(file, *commands, more=["--json", *more])
    return [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")], r


# A shader that never ends, on each model.
lines = [line for line in (sources / "adreno/endless.asm").read_text().splitlines() if not line.endswith(":")]
loop = {8 * i for i, line in enumerate(lines) if line.startswith(("(jp)add.u", "jump"))}
run("ir3", "asm", "--gpu", "630", sources / "adreno/endless.asm", "-o", "endless")
for gpu in ("a630", "a660", "a740"):
    p = run("exec", "--gpu", gpu, "--longest", 300, "--rd-full", "--crash-dir", tmp, "--", dispatch, "endless", 64, 2)
    dump = tmp / f"{gpu}.devcore"
    (tmp / "devcd1.devcore").rename(dump)
    page = json.loads(run("crash", "show", "--json", dump).stdout)
    code = int(page["shaders"]["CS"], 16)
    where = f"=> 0x{int(page['in']['address'], 16):012x}  CP_EXEC_CS"
    p = debug(dump, "stepp", "info waves", "kill", more=["--timeout", 2000])
    at = {int(a, 16) - code for a in re.findall(r"^\* 0 .* (0x[0-9a-f]{12}) ", p.stdout, re.M)}
    case(f"{gpu}, an endless loop: the same packet, the same instructions", where in p.stdout and at != set() and at <= loop and "it may hang" in p.stdout,
         (where, hex(code), at, loop, p.said))

# The dump of the corpus: what it waits for is there, so it goes on.
calls = corpus / "resume/calls"
got, p = objects(calls, "info packets 2", "stepp", "stepp", f"x/1wx {DATA + 17 * 4:#x}", "info missing", "info firmware", f"x/1wx {TEXTURE:#x}", "continue")
place, packets = CMD + IB3 + 8, got[0].get("packets", [])
case("the place: in a buffer in a buffer in a buffer", [q["address"] for q in packets if q["here"]] == [f"{place:#x}"]
     and [q["address"] for q in packets] == [f"{place + i:#x}" for i in (-8, 0, 28, 44)], p.said)
case("packets are stepped", got[1].get("address") == f"{place + 28:#x}" and got[2].get("address") == f"{place + 44:#x}", p.said)
case("memory behind them", got[3].get("values", [None])[-1] in (7, "0x7", "0x00000007"), got[3])
case("what the dump does not hold", "texture, 4096 bytes: not dumped, or nothing but zeros" in got[4].get("missing", "") and "GMEM" in got[4]["missing"], p.said)
case("the firmware's PC", "PC 0x0000, $01 0x70bc8006: CP_WAIT_REG_MEM" in got[5].get("firmware", ""), p.said)
case("memory that the dump does not hold", f"{TEXTURE:#x} is not mapped: the dump has no contents of the buffer {TEXTURE:#x} texture" in got[6].get("error", ""), p.said)
p = debug(calls, "continue")
case("to its end", p.returncode == 0 and "is over: 1 submit, 0 with faults, 0 hung" in p.stdout, p.said)

# Without its data.
text = calls.read_text().split("\n")
at = text.index("    name: data")
(tmp / "absent").write_text("\n".join(text[:at + 1] + text[at + 3:]))
p = debug("absent", "stepp")
case("a packet waits for what the dump does not hold", p.returncode == 1 and re.search(
    rf"hang: it waits for memory at {DATA:#x} .* that is not mapped: the dump has no contents of the buffer {DATA:#x} data, 4096 bytes", p.stdout) is not None, p.said)
p = debug("absent", "stepp", more=["--zeros"])
case("--zeros", p.returncode == 1 and "hang: it waits for memory at 0x100010000 & 0xffffffff to be == 0x7777; it is 0x0" in p.stdout, p.said)
p = debug("absent", "info missing", more=["--zeros"])
case("--zeros is said", "data, 4096 bytes: taken as zeros" in p.stdout, p.said)

# Refused
text = calls.read_text()
for name, changed, why in (("an a5xx", text.replace("630 (6.3.0.1)", "530 (5.3.0.1)"), "the dump is of an a5xx: only those of a6xx and a7xx can go on"),
                           ("no model", text.replace("630 (6.3.0.1)", "618 (6.1.8.1)"), "models of a630, a660 and a740"),
                           ("no place", re.sub(r"(offset: 0x0024(?:a0|a4|ac|b0), value:) 0x[0-9a-f]+", r"\1 0x0", text), "where the GPU was is unknown")):
    (tmp / "refused").write_text(changed)
    p = debug("refused", "info packets")
    case(f"refused: {name}", p.returncode == 3 and why in p.stderr and p.stderr.count("\n") == 1, (p.returncode, p.said))
(tmp / "other").write_text(text.replace("630 (6.3.0.1)", "618 (6.1.8.1)"))
p = debug("other", "continue", more=["--gpu", "a630"])
case("--gpu: on another of its generation", p.returncode == 0 and "0 hung" in p.stdout, p.said)
p = debug(calls, "stepp", more=["--firmware", "/nowhere/fw"])
case("no firmware", p.returncode == 3 and "/nowhere/fw" in p.stderr, p.said)
(tmp / "cut").write_text(text[:-30])
p = debug("cut", "continue")
case("a dump that ends too early", p.returncode == 0 and "cut: line" in p.stderr and "what could be read goes on" in p.stderr and "0 hung" in p.stdout, p.said)

# A real one: an a630 that got 0xdeadd00d.
if (traces / "crash.devcore").exists():
    p = debug(traces / "crash.devcore", "info packets 1", "info firmware", "continue")
    case("a real dump comes to the same hang", p.returncode == 1 and p.stdout.count("=> 0x000100000018  no packet: 0xdeadd00d") == 3
         and "cannot go on: no packet at 0x100000018" in p.stdout and "PC 0x00c5" in p.stdout, p.said)
else:
    tap.skip("a real dump: no ../shared/traces/crash.devcore")
tap.end()

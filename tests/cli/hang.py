#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull hang: an endless loop and a page fault on gfx1100 and on a660. hang.py LULL DISPATCH SOURCES BUILD.

Where the waves must be is what the assemblers say: of gfx1100 the addresses of symbols in clang's object, of a660 the number of the
instruction in the source. The addresses of faults are those that the shaders store to.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

lull, dispatch, sources = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
tmp = tempfile.TemporaryDirectory()
folder = pathlib.Path(tmp.name)


def hang(*args, **how):
    r = subprocess.run([lull, "hang", *map(str, args)], capture_output=True, text=True, timeout=200, **how)
    r.said = r.stdout + r.stderr
    r.page = next((json.loads(line) for line in [r.stdout[r.stdout.find("{"):]] if line.startswith("{")), {}) if "--json" in args else {}
    return r


def symbols(source):
    """{name: offset from the kernel}, by clang and readelf."""
    obj = folder / (source.stem + ".o")
    subprocess.run(["clang-19", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-c", source, "-o", obj], check=True)
    text = subprocess.run(["readelf", "-sW", obj], capture_output=True, text=True, check=True).stdout
    at = {m[1]: int(m[0], 16) for m in re.findall(r"^ *\d+: ([0-9a-f]+) .* (\w+)$", text, re.M)}
    return {name: a - at[source.stem] for name, a in at.items()}


def amd(name):
    return [lull, "run", sources / "hang" / f"{name}.s", "--grid", "64", "--block", "64", "--device", "/dev/dri/renderD128", "--timeout", "100000000"]


def code(shader):
    file = folder / shader
    subprocess.run([lull, "ir3", "asm", "--gpu", "630", sources / "adreno" / f"{shader}.asm", "-o", file], check=True)
    return file


def insn(shader, text):
    """Offset of the instruction that begins so; labels are not instructions, (rptN) is one."""
    lines = [line for line in (sources / "adreno" / f"{shader}.asm").read_text().splitlines() if not line.endswith(":")]
    return 8 * next(i for i, line in enumerate(lines) if line.startswith(text))


# gfx1100
at = symbols(sources / "hang/endless.s")["again"]
p = hang("--longest", 1500, "--json", "--", *amd("endless"))
waves = p.page.get("waves", [])
case("gfx1100, a loop: the waves are in it", p.returncode == 1 and sum(w["waves"] for w in waves) == 2
     and {int(str(w["offset"]), 0) for w in waves} <= {at, at + 4} and not any(w["exception"] for w in waves), p.said)
names = {at: "s_add_u32 s2, s2, 1", at + 4: "s_branch"}
case("gfx1100, a loop: the instructions", waves != [] and all(w["instruction"].startswith(names[int(str(w["offset"]), 0)]) for w in waves), p.said)
case("gfx1100, a loop: no fault; what next", "fault" not in p.page and "RADV_DEBUG=hang PROGRAM" in [n["command"] for n in p.page.get("next", [])]
     and not any("TU_DEBUG" in n["command"] for n in p.page["next"]), p.said)
rings = {r["name"]: r for r in p.page.get("rings", [])}
undone = [r for r in rings.values() if r["emitted"] != r["signaled"]]
case("gfx1100, a loop: its ring, by fences and pointers", len(rings) == 7 and len(undone) == 1 and undone[0]["emitted"] - undone[0]["signaled"] == 1
     and (undone[0]["wptr"] - undone[0]["rptr"]) % 2048 == 256 and all(r["rptr"] == r["wptr"] for r in rings.values() if r not in undone)
     and "crumbs" not in p.page, p.said)
p = hang("--longest", 1500, "--crumbs", "--json", "--", *amd("endless"))
case("gfx1100, a loop: the last crumb", [c.split(" at ")[0] for c in p.page.get("crumbs", [])] == ["1:0 before DISPATCH_DIRECT"], p.said)
p = hang("--longest", 1500, "--", *amd("endless"))
case("gfx1100, a loop: the ring in text", len(re.findall(r"^rings     \w+\.0\.0: fence 0 of 1 is done, rptr 0x0, wptr 0x100$", p.stdout, re.M)) == 1, p.said)
case("gfx1100, a loop: text", p.returncode == 1 and re.search(rf"^       => 0x[0-9a-f]+ code\+0x({at:x}|{at + 4:x})  s_", p.stdout, re.M)
     and p.stdout.startswith("busy      ") and "SPI" in p.stdout.splitlines()[0], p.said)
at = symbols(sources / "hang/stray.s")["store"]
p = hang("--longest", 60000, "--json", "--", *amd("stray"))
case("gfx1100, a fault: address, access", p.returncode == 1 and p.page.get("fault", {}).get("address") == hex(0x20 << 32 | 0x4000)
     and p.page["fault"]["write"] is True and p.page["fault"]["client"] == "TCP", p.said)
waves = p.page.get("waves", [])
case("gfx1100, a fault: the waves are at the store", sum(w["waves"] for w in waves) == 2 and all(w["exception"] for w in waves)
     and {int(str(w["offset"]), 0) for w in waves} == {at} and waves[0]["instruction"].startswith("global_store_b32"), (at, p.said))
p = hang("--longest", 60000, "--", *amd("stray"))
case("gfx1100, a fault: text", p.returncode == 1 and "fault     page 0x2000004000, write by TCP" in p.stdout and "nothing is mapped there" in p.stdout, p.said)

# What does not hang
p = hang("--longest", 60000, "--", lull, "run", sources / "../../examples/simple.s", "--grid", 64, "--block", 64, "--arg", "zeros:256", "--device", "/dev/dri/renderD128")
case("gfx1100: a program that ends", p.returncode == 0 and "nothing hangs: the program exited with status 0" in p.stderr and "waves " not in p.stdout, p.said)
p = hang("--gpu", "a660", "--longest", 60000, "--", dispatch, code("square"), 64, 1)
case("a660: a program that ends", p.returncode == 0 and "nothing hangs" in p.stderr and "out: 0 1 4 9 16" in p.stdout, p.said)

# a660
for shader, loop in (("endless", ("(jp)add.u", "jump")),):
    offsets = {insn(shader, text) for text in loop}
    p = hang("--gpu", "a660", "--longest", 1500, "--json", "--", dispatch, code(shader), 64, 2)
    waves = p.page.get("waves", [])
    case("a660, a loop: the wave is in it", p.returncode == 1 and waves != [] and {int(str(w["offset"]), 0) for w in waves} <= offsets, (offsets, p.said))
    case("a660, a loop: the dump that the kernel made", p.page.get("dump", {}).get("in", {}).get("packet") == "CP_EXEC_CS", p.said)
    case("a660, a loop: what next", "TU_DEBUG=flushall PROGRAM" in [n["command"] for n in p.page.get("next", [])]
         and not any("RADV" in n["command"] for n in p.page["next"]), p.said)
    rings = p.page.get("rings", [])
    case("a660, a loop: its ring", len(rings) == 1 and rings[0]["name"] == "0" and rings[0]["emitted"] - rings[0]["signaled"] == 1
         and {"rptr", "wptr"} <= rings[0].keys(), p.said)
p = hang("--gpu", "a660", "--longest", 1500, "--crumbs", "--", dispatch, code("endless"), 64, 2)
case("a660, a loop: the last crumb", len(re.findall(r"^crumbs    1:0 before CP_EXEC_CS at 0x", p.stdout, re.M)) == 1, p.said)
p = hang("--gpu", "a660", "--longest", 60000, "--", dispatch, code("stray"), 64, 1)
place = re.search(r"^fault     0x20(\w{8}): in no buffer", p.stdout, re.M)
case("a660, a fault: the page of the dump", p.returncode == 1 and place is not None and "TRANSLATION WRITE" in p.stdout and "next      $ " in p.stdout, p.said)

# A driver that runs
socket = folder / "socket"
p = subprocess.Popen([lull, "exec", "--socket", str(socket), "--", *map(str, amd("endless"))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for _ in range(600):
    time.sleep(0.1)
    r = hang("--json", "--attach", socket) if socket.exists() else None
    if r is not None and r.page.get("waves"):
        break
p.terminate()
p.wait(60)
offsets = {symbols(sources / "hang/endless.s")["again"] + i for i in (-8, -4, 0, 4)}
case("--attach", r is not None and r.returncode == 1 and {int(str(w["offset"]), 0) for w in r.page["waves"]} <= offsets, r and r.said)
# A driver of an Adreno that runs, and has made a dump
socket = folder / "adreno"
p = subprocess.Popen([lull, "exec", "--gpu", "a660", "--longest", "300", "--socket", str(socket), "--", "sh", "-c", f"{dispatch} {code('endless')} 64 2; sleep 300"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
line = p.stdout.readline()  # the dispatch is over: it was given up
r = hang("--json", "--attach", socket)
p.terminate()
p.wait(60)
case("--attach on Adreno: the dump", line.startswith("out: ") and r.returncode == 1 and r.page.get("dump", {}).get("in", {}).get("packet") == "CP_EXEC_CS"
     and [(q["name"], q["emitted"] == q["signaled"]) for q in r.page.get("rings", [])] == [("0", True)], (line, r.said))
for words, status, text in ((("--gpu", "a1", "--", "true"), 2, "--gpu a1"), (("--gpu", "a660"), 2, "behind --"),
                            (("--attach", "/nowhere"), 3, "/nowhere"), (("--attach", "x", "--", "true"), 2, "not both"), (("--crumbs",), 2, "behind --"),
                            (("--longest", "0", "--", "true"), 2, "--longest"), (("--", "/nowhere/program"), 3, "/nowhere/program")):
    p = hang(*words)
    case("refused: " + " ".join(words), p.returncode == status and text in p.stderr, p.said)
if not os.path.exists("/sys/module/amdgpu") and not os.path.exists("/sys/module/msm"):
    p = hang()
    case("no GPU here", p.returncode == 3 and "lull doctor" in p.stderr, p.said)
tap.end()

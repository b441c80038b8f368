#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs captured by lull exec and replayed by lull replay: memory after the replay is what the programs compute, as it is computed here.
replay_programs.py LULL DISPATCH SHADERS LULL_RUN_ARM64 ARM64. The dispatch is a program of msm's calls for this machine; the others are shaders of
tests/vulkan under an unmodified Turnip, and need arm64 programs (tools/arm64-root.sh)."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shim"))
import arm64_tools  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, dispatch, shaders, host, root = (pathlib.Path(a).resolve() for a in sys.argv[1:6])  # what runs here runs in another folder
keep = tempfile.TemporaryDirectory(prefix="lull-")
tmp = pathlib.Path(keep.name)


def run(*args, env=None):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=300, cwd=tmp, env=env)
    return r.returncode, r.stdout, r.stderr


def u32(*values):
    return struct.pack(f"<{len(values)}I", *values)


def f32(*values):
    return struct.pack(f"<{len(values)}f", *values)


def find(folder, data):
    """Buffers of a --dump-all that hold @data."""
    return [p.name for p in sorted(folder.iterdir()) if data in p.read_bytes()]


# A dispatch of squares; the capture's own memory has zeros there.
run("ir3", "asm", "--gpu", "630", pathlib.Path(__file__).parent / "adreno/square.asm", "-o", tmp / "square")
squares = u32(*(i * i for i in range(128)))
for gpu in "a630", "a660":  # a740 has another stg.a
    rd = tmp / f"{gpu}.rd"
    r = run("exec", "--gpu", gpu, "--rd", rd, "--rd-full", "--", dispatch, tmp / "square", 64, 2)
    captured = rd.read_bytes() if rd.exists() else squares
    got = run("replay", "--dump-all", tmp / gpu, rd)
    case(f"{gpu}: a dispatch", r[0] == 0 and squares not in captured and got[0] == 0 and len(find(tmp / gpu, squares)) == 1, (r, got))
# The same under the debugger: a breakpoint in the shader stops where lane and register are what the shader makes of them; at the end memory is the replay's.
rd = tmp / "a660.rd"
plain = {p.name: p.read_bytes() for p in (tmp / "a660").iterdir()} if (tmp / "a660").exists() else {}
out = next((n for n, data in plain.items() if squares in data), "0x0.bin")
text = (pathlib.Path(__file__).parent / "adreno/square.asm").read_text().splitlines()
store = next(i for i, line in enumerate(text) if line.startswith("stg"))
start, size = int(out[2:-4], 16), len(plain.get(out, b""))
got = run("debug", "-batch", "--json", "-ex", "catch dispatch", "-ex", "run", "-ex", "info regs SP_CS_OBJ_START", "-ex", "print/x $code", "-ex", "stepi",
          "-ex", "delete 1",
          "-ex", f"break *$code+{8 * store:#x}", "-ex", "continue", "-ex", "print $r1.x[5]", "-ex", "continue", "-ex", "print $r1.x[5]", "-ex", "delete",
          "-ex", "continue",
          "-ex", f"dump memory {tmp / 'debugged'} {start:#x} {size}", rd)
lines = [json.loads(line) for line in got[1].splitlines()]
case("a dispatch of a capture is caught", got[0] == 0 and lines[1]["outcome"] == "held" and lines[1]["dispatch"] == 0 and
     lines[2]["registers"][0]["state"] == "known" and int(lines[2]["registers"][0]["value"], 16) == int(lines[1]["code"], 16) and lines[4]["stop"] == "start" and
     int(lines[4]["pc"], 16) == int(lines[1]["code"], 16), got)
case("a breakpoint in its shader", [int(x["value"], 0) for x in lines if x["command"] == "print"][1:] == [5 * 5, 69 * 69] and
     [x["outcome"] for x in lines if x["command"] == "continue"] == ["stopped", "stopped", "done"], got)
case("memory behind it is the replay's", size != 0 and (tmp / "debugged").exists() and (tmp / "debugged").read_bytes() == plain[out], (got, out))
(tmp / "race.asm").write_text("mov.u32u32 r1.x, c0.x\nadd.u r1.y, r1.x, 1\nend\n")
run("ir3", "asm", "--gpu", "630", tmp / "race.asm", "-o", tmp / "race")
run("exec", "--gpu", "a660", "--rd", tmp / "race.rd", "--rd-full", "--", dispatch, tmp / "race", 64, 1)
got = run("replay", "--check", "hazards", tmp / "race.rd")
case("--check finds a nop that is missing", got[0] == 1 and "add.u r1.y, r1.x, 1" in got[1] and "hazards: 1 finding\n" in got[1], got)
# What stores can be left out but for one lane's value: the smallest capture still makes it.
name = find(tmp / "a660", squares)[0][2:-4] if (tmp / "a660").exists() and find(tmp / "a660", squares) else "0"
at = int(name, 16) + (tmp / "a660" / f"0x{name}.bin").read_bytes().index(squares) if name != "0" else 0
got = run("replay", "--minimise", "--while", f"bytes {at + 400:#x}:4={u32(100 * 100).hex()}", "-o", tmp / "small.rd", rd)
again = run("replay", "--dump", f"{at + 400:#x}:4={tmp / 'small.bin'}", tmp / "small.rd")
case("--minimise a dispatch", got[0] == 0 and again[0] == 0 and (tmp / "small.bin").read_bytes() == u32(100 * 100) and "CP_EXEC_CS" in got[1], (got, again))

# Shaders of tests/vulkan under Turnip; numbers that floats hold exactly.
ROWS = [
    ("saxpy", ["--groups", "16", "--bind", "0.0=iota:1024:f32", "--bind", "0.1=iota:1024:f32", "--push", "f32:2.5,u32:1000"],
     f32(*(i * 3.5 for i in range(1000)), *range(1000, 1024))),
]
why = arm64_tools.absent(root)
for shader, args, want in ROWS:
    if why is not None:
        skip(f"{shader}: {why}")
        continue
    subprocess.run(["glslangValidator", "-V", "--quiet", shaders / f"{shader}.comp", "-o", tmp / "s.spv"], check=True, capture_output=True)
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true", TMPDIR=str(tmp),
               XDG_RUNTIME_DIR=str(tmp))
    for gpu in "a630", "a660", "a740":
        rd = tmp / f"{shader}-{gpu}.rd"
        r = run("exec", "--gpu", gpu, "--rd", rd, "--rd-full", "--", host, "run", tmp / "s.spv", *args, "--out", f"0.0={tmp / 'own'}", "--vulkan-device",
                "Turnip", env=env)
        own = (tmp / "own").read_bytes() if (tmp / "own").exists() else b""
        got = run("replay", "--dump-all", tmp / f"{shader}-{gpu}", rd)
        case(f"{gpu}: {shader} under Turnip", r[0] == 0 and own == want and got[0] == 0 and len(find(tmp / f"{shader}-{gpu}", want)) >= 1, (r, got))
end()

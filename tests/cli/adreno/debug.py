#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug --gpu a660 -- PROGRAM: debug.py LULL DISPATCH SHADERS LULL_RUN_ARM64 ARM64. One TAP line a case.

The program (dispatch.c) makes one dispatch of a shader by msm's calls. What registers and memory must hold is
computed here from what the shader says. The last case is Turnip's, unmodified; it needs arm64 programs
(tools/arm64-root.sh).
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "shim"), str(pathlib.Path(__file__).resolve().parent)]
import arm64_tools  # noqa: E402
import session  # noqa: E402
from session import arguments, check, code, debug, insn, lanes, need, objects, value  # noqa: E402

lull, dispatch, shaders = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
host, root = sys.argv[4], pathlib.Path(sys.argv[5])
session.begin(lull, dispatch, shaders)
STORE = insn("square", "stg")


def path_is_said():
    """What kind of debugging it is stands first, and in 'show'."""
    out = debug("square", 64, 1, ["show", "run"])
    need(out.splitlines()[0], r"^observer path: real Adreno hardware cannot stop waves")
    need(out, r"^path +observer path: ", r"^out: 0 1 4 9 16 25 36 49$", r"^\[The program exited with status 0\]$")


def held():
    """A dispatch in front of its first wave: shape, code, memory."""
    r = objects("square", 64, 2, ["catch dispatch", "run", "info dispatches", "x/2i $code", "info waves", "continue"])
    check((r[1]["outcome"], r[1]["dispatch"]), ("held", 0), "run")
    d = r[2]["dispatches"]
    check([(x["state"], x["grid"], x["block"]) for x in d], [("held", [2, 1, 1], [64, 1, 1])], "dispatches")
    need(r[3]["text"], r"<cs_[0-9a-f]{8}\+0x0>: mov.u32u32 r41.x, c0.x$", r"\+0x8>: mov.u32u32 r41.y, c0.y$")
    check(r[4]["waves"], [], "waves")
    check(r[5]["outcome"], "done", "the end")


def registers():
    """At the store of group 1: full and half registers, which are the same bits, shared ones, constants, a0, p0."""
    r = objects("square", 64, 2, ["catch dispatch", "run", f"break *$code+{STORE:#x} if $r48.x == 1", "continue", "print $r1.x",
                                  "print $r2.x", "print $hr12.x", "print $hr12.y", "print $r6.x", "print $r48.x", "print $c0.x",
                                  "print $p0.x", "print $a0.x", "print $c0.z", "print $exec", "print $pc - $code", "continue"])
    n = [64 + i for i in range(64)]
    check((r[3]["stop"], r[3]["workgroup"]), ("breakpoint", [1, 0, 0]), "stop")
    check(lanes(r[4]), [i * i for i in n], "$r1.x")
    check(lanes(r[5]), n, "$r2.x")
    check((r[6]["bits"], lanes(r[6])), (16, list(range(64))), "$hr12.x")
    check(lanes(r[7]), n, "$hr12.y")
    check(lanes(r[8]), [(64 + i) << 16 | i for i in range(64)], "$r6.x is hr12.x and hr12.y")
    check(value(r[9]), 1, "$r48.x")
    check(value(r[10]) % 4096, 0, "$c0.x")
    check(lanes(r[11]), [int(i < 10) for i in range(64)], "$p0.x")
    check(lanes(r[12]), [64] * 64, "$a0.x")
    check(value(r[13]), 0x12345678, "$c0.z")
    check(value(r[14]), 2**64 - 1, "$exec")
    check(value(r[15]), STORE, "$pc")
    check(r[16]["outcome"], "done", "the end")


def writes():
    """What is set in a lane, by halves too (hr2.y is the upper half of r1.x), the shader goes on with."""
    out = debug("square", 64, 1, ["catch dispatch", "run", f"break *$code+{STORE:#x}", "continue", "set $r1.x[3] = 1000",
                                  "set $hr2.y[2] = 1", "print $r1.x[2]", "print $r1.x[3]", "continue"])
    need(out, r"^\$r1\.x\[2\] = 0x00010004 ", r"^\$r1\.x\[3\] = 0x000003e8 ", r"hit breakpoint 2")
    need(out, r"^out: 0 1 65540 1000 16 25 36 49$")


def assumed():
    """--assume reaches the GPU that the program sees: what a register holds that nobody wrote."""
    for more, want in ((["--json"], [0xdead8000 | 36 << 7 | n for n in range(64)]), (["--json", "--assume", "registers=zero"], [0] * 64)):
        out = debug("square", 64, 1, ["catch dispatch", "run", "stepi", "print $r9.x", "continue"], more=more)
        check(lanes(json.loads([line for line in out.splitlines() if line.startswith("{")][3])), want, f"$r9.x, {more}")
    for arguments in (["--gpu", "gfx1100"], []):
        r = subprocess.run([lull, "debug", *arguments, "--assume", "mad=fused", "--", "true"], capture_output=True, text=True, timeout=100)
        check((r.returncode, "--assume is of Adreno's shaders" in r.stderr), (2, True), f"refused: {r.stderr}")


def steps():
    """One instruction of one wave; the other stands."""
    r = objects("square", 100, 1, ["catch dispatch", "run", "stepi", "stepi 3", "info waves", "disassemble $code,2", "continue"])
    check(r[2]["stop"], "start", "the first stop")
    check((r[3]["stop"], int(r[3]["pc"], 16) % 4096), ("step", 3 * 8), "three steps")
    check([(w["wave_in_group"], int(w["pc"], 16) % 4096, w["stop"]) for w in r[4]["waves"]],
          [(0, 24, "step"), (1, 0, "start")], "waves")
    check([int(w["exec"], 16) for w in r[4]["waves"]], [2**64 - 1, 2**36 - 1], "the second has 36 fibers")


def moves():
    """To a place, over an instruction, to the end; a watchpoint in software sees who changes a dword, and from what to what."""
    r = objects("square", 64, 1, ["catch dispatch", "run", "stepi", "until *$code+0x20", "nexti", "backtrace", "finish", "continue"])
    at = [int(x["pc"], 16) % 4096 for x in (r[3], r[4], r[6])]
    check(at, [0x20, 0x28, insn("square", "end")], "until, nexti, finish")
    check([int(x["pc"], 16) % 4096 for x in r[5]["frames"]], [0x28], "backtrace")
    check(r[7]["outcome"], "done", "the end")
    out = debug("square", 64, 1, ["catch dispatch", "run", "stepi", "watch --software {u32}(($c0.x | 0x100000000)+12)", "continue"])
    need(out, r"^Old value = 0x0 ", rf"^New value = 0x9 .*\+{STORE:#x}>, lane 3$")


def alone():
    """With scheduler-locking a wave that comes to a barrier says at once that it waits for others; let go, they come, and all is computed."""
    began = time.monotonic()
    out = debug("turns", 256, 1, ["catch dispatch", "run", "stepi", "set scheduler-locking on", "stepi 40", "info waves", "continue", "set scheduler-locking off",
                                  "continue"], status=1)
    check((time.monotonic() - began < 30, out.count("The wave waits at a barrier for others, which stand")), (True, 2), "at once, twice")
    need(out, rf"^\* 0 +0,0,0/0 +interrupt .*\+{insn('turns', 'ldl'):#x}>", r"^  3 +0,0,0/3 +start ", "^out: 366080 370176 374272 ")


def wide():
    """A wave of 128 fibers is two of 64 lanes that move together."""
    r = objects("square", 128, 1, ["catch dispatch", "run", "stepi", "stepi 2", "info waves", f"break *$code+{STORE:#x}", "continue",
                                   "print $r0.x", "wg 0 thread 100", "print $r0.x", "print $_lane", "delete", "continue"], how="wide")
    check([(w["wave_in_group"], int(w["pc"], 16) % 4096) for w in r[4]["waves"]], [(0, 16), (1, 16)], "both moved")
    check(lanes(r[7]), list(range(64)), "fibers 0 to 63")
    check(lanes(r[9]), list(range(64, 128)), "fibers 64 to 127")
    check(value(r[10]), 100 - 64, "$_lane")
    check(r[12]["outcome"], "done", "the end")


def fault():
    """A store that memory refuses: which instruction, which fiber, where."""
    at = insn("stray", "stg")
    r = objects("stray", 128, 1, ["catch dispatch", "run", "continue", "print $_lane", "continue"], how="wide", status=1)
    check(r[2]["stop"], "memory violation", "stop")
    f = r[2]["fault"]
    check((int(f["pc"], 16) % 4096, f["text"], f["fiber"], f["write"], int(f["va"], 16) >> 32),
          (at, "stg.u32 g[r41.x], r1.x, 1", 5, True, 0x20), "the fault")
    check(value(r[3]), 5, "$_lane")
    check(r[4]["outcome"], "done", "hardware goes on, too")


def illegal():
    """What cannot be executed stands there; then the kernel ends the submit."""
    out = debug("lost", 64, 1, ["run", "continue"], status=1)
    need(out, r"illegal instruction: ret without a call, lane 0$", r"^=> 0x0001000\w+ .*: ret$", r"^\[The program exited")


def interrupted():
    """An endless loop is stopped by Ctrl-C, which shows where it is."""
    p = subprocess.Popen(arguments("endless", 64, 1, ["catch dispatch", "run", "continue"]), stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    while not p.stdout.readline().startswith("Dispatch 0 is held"):
        pass
    time.sleep(1)  # `continue` has begun
    while p.poll() is None:
        p.send_signal(signal.SIGINT)
        try:
            p.wait(1)
        except subprocess.TimeoutExpired:
            pass
    out = p.stdout.read()
    check(p.returncode, 130, "status")
    need(out, r"^Wave 0 \(workgroup 0,0,0 wave 0\) was interrupted", r"^=> 0x\w+ .*: (\(jp\)add.u r1.x, r1.x, 1|jump #cs_\w+)")


def descriptors():
    """Buffers that the shader names, in a bindless set and in the GPU, and what they hold; not when it is over."""
    r = objects("descriptors", 64, 1, ["catch dispatch", "run", "info descriptors", "info pipeline", "stepi", "print $c0.x",
                                       "info registers vector", "x/1wx $c0.x | 0x100000400", "delete", "continue"])
    d = r[2]["descriptors"]
    data = 2**32 + value(r[5])
    check([(x["kind"], x.get("set"), x["index"], x["reads"], x["writes"], int(x["va"], 16), x["elements"]) for x in d],
          [("uniform buffer", None, 0, True, False, data + 1024, 64), ("storage", 0, 1, True, True, data + 32768, 40),
           ("texture", 0, 1, True, False, data + 32768, 40)], "descriptors")
    check([(int(x["use"], 16) % 4096) for x in d],
          [insn("descriptors", i) for i in ("ldc", "ldib", "isam")], "who uses them first")
    need(d[1]["text"], "FMT = FMT6_32_UINT", "WIDTH = 40", "TYPE = A6XX_TEX_BUFFER")
    check((r[3]["fibers"], r[3]["full_registers"], r[3]["half_registers"]), (64, 4, 2), "pipeline")
    check([x["name"] for x in r[6]["registers"]], [f"r{i}.{k}" for i in range(4) for k in "xyzw"] + ["a0.x"] + [f"p0.{k}" for k in "xyzw"],
          "registers")
    check(int(r[7]["values"][0], 16), 0xD0000000, "what the uniform buffer has")
    check(r[9]["outcome"], "done", "the end")
    out = debug("descriptors", 64, 1, ["catch dispatch", "run", "delete", "continue", "info descriptors"], status=3)
    need(out, "^dispatch 0 is over, and its registers are others'")


def accesses():
    """`info access`: where each fiber goes, by address and through descriptors, what it stores there, and who is outside the buffer."""
    rows = [  # instruction, first dword of the buffer for fiber i, bytes, fibers, inside, data of fiber i
        ("ldg.u16", lambda i: 1.5, 4, range(64), range(64), None),
        ("atomic.g", lambda i: 0, 4, range(64), range(64), lambda i: 3),
        ("atomic.b", lambda i: 8192 + i, 4, range(64), range(40), lambda i: 9),
        ("ldc", lambda i: 256 + 2, 4, range(64), range(64), None),
        ("ldib", lambda i: 8192 + i, 8, range(64), range(40), None),
        ("stib", lambda i: 8192 + i, 8, range(64), range(40), lambda i: 9 if i < 40 else 0),
        ("stg.a", lambda i: i, 4, range(10), range(10), lambda i: i),
    ]
    for name, dword, size, fibers, inside, data in rows:
        at = insn("accesses", name)
        r = objects("accesses", 64, 1, ["catch dispatch", "run", f"break *$code+{at:#x}", "continue", "print $c0.x", "info access", "info access outside",
                                        "kill"])
        base = 2**32 + value(r[4])
        got = r[5]["access"]
        check([(x["lane"], int(x["va"], 16)) for x in got], [(i, base + int(4 * dword(i))) for i in fibers], name)
        check([x["lane"] for x in got if not x["outside"]], list(inside), f"{name}: inside")
        check([x["lane"] for x in r[6]["access"]], [i for i in fibers if i not in inside], f"{name}: outside")
        need(r[5]["text"], rf"^{name.split('.')[0]}\S*, (reads|writes|changes) {size} bytes a lane:$")
        if data is not None:
            check([int(x["data"].split()[0], 16) for x in got], [data(x["lane"]) for x in got], f"{name}: data")
    out = debug("accesses", 64, 1, ["catch dispatch", "run", f"break *$code+{insn('accesses', 'stl'):#x}", "continue", "info access"], status=3)
    need(out, "^the next instruction has no memory addresses that can be told")


def who_wrote():
    """A watchpoint in software names the fiber, in the second half of a wave of 128, too."""
    r = objects("square", 128, 1, ["catch dispatch", "run", "stepi", "watch --software {u32}(($c0.x | 0x100000000)+400)", "continue", "print $_lane",
                                   "print $r2.x[36]"], how="wide")
    check((r[4]["wave_in_group"], value(r[5]), lanes(r[6]) if "lanes" in r[6] else value(r[6])), (1, 36, 100), "the fiber that stores dword 100")
    need(r[4]["text"], rf"^New value = 0x2710 .*\+{STORE:#x}>, lane 36$")


def refusals():
    """What this GPU does not have is refused by a sentence."""
    rows = [
        ("print $v0", "no register '$v0'"),
        ("print $r1", "'$r1' has four components: $r1.x to $r1.w"),
        ("print $r70.x", "no register '$r70.x'"),
        ("x/4wx 0x1000", "0x1000 is not mapped"),
        ("pixel 1 1", "a virtual Adreno target keeps no history of pixels"),
        ("info draw", "no draw has come yet"),
        ("catch fp", "a virtual Adreno target raises no exceptions"),
        ("vm walk 0x1000", "a virtual Adreno target shows no page tables"),
        ("break *0x1004", "0x1004 is inside an instruction: code is 8-byte aligned"),
        ("set $exec = 1", "$exec cannot be set"),
        ("info registers hw", "an Adreno's waves have no hardware registers"),
        ("info push-constants", "push constants of an Adreno are among the constants"),
        ("goto 9", "time 9: what is remembered is 0 to 0"),
        ("debug pixel 1 1", "a virtual Adreno target does not say which wave has a pixel"),
    ]
    for command, message in rows:
        out = debug("square", 64, 1, ["catch dispatch", "run", "stepi", command], status=3)
        if message not in out:
            raise AssertionError(f"{command}: no '{message}' in {out[-400:]}")


def attached():
    """A dispatch that runs already is stopped by who attaches to `lull exec`, and goes on when he leaves."""
    with tempfile.TemporaryDirectory(prefix="lull-") as d:
        socket = pathlib.Path(d) / "socket"
        p = subprocess.Popen([lull, "exec", "--gpu", "a660", "--socket", socket, "--", dispatch, code("endless"), "64", "1"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            waves, r = [], []
            while not waves:
                check(p.poll(), None, "lull exec")
                time.sleep(0.1)  # until the socket is there, and the dispatch
                r = subprocess.run([lull, "debug", "--attach", socket, "-batch", "--json", "-ex", "interrupt", "-ex", "info waves", "-ex",
                                    "print $r0.x", "-ex", "info dispatches", "-ex", "x/1i $pc"], capture_output=True, text=True, timeout=100).stdout.splitlines()
                r = [json.loads(line) for line in r]
                waves = r[1]["waves"] if len(r) > 2 else []
            check([(w["stop"], w["lanes"]) for w in waves], [("interrupt", 64)], "waves")
            check(lanes(r[2]), list(range(64)), "$r0.x")
            check([x["state"] for x in r[3]["dispatches"]], ["running"], "dispatches")
            need(r[4]["text"], "add.u r1.x, r1.x, 1$|jump")
            check(p.poll(), None, "it goes on")
        finally:
            p.terminate()
            p.wait()


SQUARES = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint v[]; } o;
layout(set = 0, binding = 1) uniform In { uvec4 a; } u;
void main() { o.v[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * gl_GlobalInvocationID.x + u.a.y; }
"""


def turnip():
    """A Vulkan shader under Turnip: at its store, what goes where; a value that is set arrives in the buffer."""
    with tempfile.TemporaryDirectory(prefix="lull-") as d:
        d = pathlib.Path(d)
        (d / "s.comp").write_text(SQUARES)
        subprocess.run(["glslangValidator", "-V", "--quiet", d / "s.comp", "-o", d / "s.spv"], check=True, capture_output=True)
        env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
        env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true",
                   TMPDIR=str(d), XDG_RUNTIME_DIR=str(d))
        program = [host, "run", d / "s.spv", "--groups", "2", "--bind", "0.0=zeros:512", "--bind", "0.1=iota:4:u32", "--out",
                   f"0.0={d / 'out'}", "--vulkan-device", "Turnip"]

        def asked(commands):
            words = [w for c in ["catch dispatch", "run", *commands] for w in ("-ex", c)]
            r = subprocess.run([lull, "debug", "--gpu", "a660", "-batch", "--json", *words, "--", *map(str, program)], capture_output=True,
                               text=True, timeout=100, env=env)
            check(r.returncode, 0, f"status: {r.stderr}")
            return [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]

        r = asked(["print u.a.y", "print o.v[5]", "watch o.v[70]", "continue", "print o.v[70]", "print $_lane", "why o->v[70]", "kill"])
        check([value(r[i]) for i in (2, 3, 6, 7)], [1, 0, 4901, 6], "buffers by their members, and a watchpoint there")
        need(r[8]["text"], r"^o->v\[70\] = 4901 .* lane 6 ")
        need(r[4]["text"], "this GPU has none of its own: all waves are stepped")
        r = asked(["info pipeline code", "info descriptors", "info dispatches", "kill"])
        at = re.search(r"\+(0x\w+)>: .*stib\S* (r\d+\.\w), (r\d+\.\w), ", r[2]["text"])
        check(sorted((x["kind"], x["reads"], x["writes"]) for x in r[3]["descriptors"]),
              [("storage", False, True), ("uniform buffer", True, False)], "descriptors")
        check([(x["grid"], x["block"]) for x in r[4]["dispatches"]], [([2, 1, 1], [64, 1, 1])], "dispatches")
        # Behind the last store, who wrote invocation 7's number: its own.
        stop = [f"break *$code+{at[1]} if ${at[3]}[0] == 64", "continue", "info access"]
        va = int(asked([*stop, "kill"])[4]["access"][0]["va"], 16) - 4 * 64
        r = asked([*stop, "stepi", "delete 2", f"watch --software {{u32}}{va + 28:#x}", "reverse-continue", "print $_lane", f"print ${at[2]}[7]",
                     f"x/1wx {va + 28:#x}", "goto end", f"x/1wx {va + 28:#x}", "delete", "continue"])
        check((r[8]["workgroup"], value(r[9]), value(r[10])), ([0, 0, 0], 7, 50), "who wrote it")
        check([int(r[i]["values"][0], 16) for i in (11, 13)], [0, 50], "before and behind")
        r = asked([f"break *$code+{at[1]} if ${at[3]}[0] == 64", "continue", f"print ${at[3]}", f"print ${at[2]}",
                     f"set ${at[2]}[6] = 4321", "delete", "continue"])
        n = [64 + i for i in range(64)]
        check(lanes(r[4]), n, "where it stores")
        check(lanes(r[5]), [i * i + 1 for i in n], "what it stores")
        out = [int.from_bytes((d / "out").read_bytes()[4 * i:4 * i + 4], "little") for i in range(128)]
        check(out, [4321 if i == 70 else i * i + 1 for i in range(128)], "the buffer")


CASES = [path_is_said, held, registers, writes, assumed, steps, moves, alone, wide, fault, illegal, interrupted, descriptors, accesses, who_wrote, refusals, attached, turnip]
session.run(CASES, lambda case: arm64_tools.absent(root) if case is turnip else None)

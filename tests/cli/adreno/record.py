#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record save and --replay of a dispatch on an Adreno: record.py LULL DISPATCH SHADERS LULL_RUN_ARM64 ARM64. One TAP line a case.

What a replay shows is compared with the session that made the record, or computed here from what the shader says; program and shader are gone by then.
"""
import os
import pathlib
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "shim"), str(pathlib.Path(__file__).resolve().parent)]
import arm64_tools  # noqa: E402
import session  # noqa: E402
from session import check, insn, lanes, need  # noqa: E402

lull, host, root = sys.argv[1], sys.argv[4], pathlib.Path(sys.argv[5])
session.begin(*sys.argv[1:4])
BASE = "($c0.x | 0x100000000)"
FILE = session.here / "record.rd"
LOOK = ["info when", "info waves", "print $r0.z", "print $r1.x", f"x/64wx {BASE}", f"x/64wx {BASE} + 0x400", f"x/4wx {BASE} + 0x2000", "x/40i $code"]


def replay(commands, status=0, more=(), file=None):
    """Replies of a session of the record, behind those in which it comes to where it was."""
    words = [w for c in ("print 12345", *commands) for w in ("-ex", c)]
    r = subprocess.run([lull, "debug", "--json", "-batch", "--replay", str(file or FILE), *more, *words], capture_output=True, text=True, timeout=100)
    if r.returncode != status:
        raise AssertionError(f"status {r.returncode}, want {status}: {r.stdout[-800:]} {r.stderr}")
    all_of_it = session.replies(r.stdout)
    at = next((i for i, x in enumerate(all_of_it) if x.get("command", "").startswith("print") and x.get("value") == "0x3039"), -1)
    return all_of_it[at + 1:], r.stdout + r.stderr


def saved(shader, local, groups, *commands, how=None, more=()):
    """A record of what stands behind @commands; then what LOOK shows there."""
    FILE.unlink(missing_ok=True)
    r = session.objects(shader, local, groups, [*more, "catch dispatch", "run", *commands, f"record save {FILE}", *LOOK, "kill"], how=how)
    return r[-1 - len(LOOK):-1]


def plain(reply):
    shown = [i["text"] for i in reply.get("instructions", [])]
    return {k: v for k, v in reply.items() if k not in ("text", "snapshots", "bytes", "last", "instructions")} | {"shown": shown}


def turns(group):
    """What the 256 invocations of a group of turns.asm store."""
    v = [256 * group + i + 3 for i in range(256)]
    for _ in range(6):
        v = [(3 * v[i] + v[(i + 64) % 256]) % 2**32 for i in range(256)]
    return v


END = insn("turns", "end")
# The last wave of the last group is at its end when all of the output is there but for its own second store.
LAST = [f"break *$code+{END:#x} if $r48.x == 2", *["continue"] * 4]


def held():
    """In front of its first wave: it runs as it would have."""
    FILE.unlink(missing_ok=True)
    session.debug("turns", 256, 3, ["catch dispatch", "run", f"record save {FILE}", "kill"])
    r, _ = replay([*LAST, f"x/768wx {BASE}", f"x/1wx {BASE} + 0x2000", "info dispatches", "delete", "continue"])
    out = [int(v, 16) for v in r[5]["values"]]
    check(out, [v for g in range(3) for v in turns(g)], "what it stores")
    check((int(r[6]["values"][0], 16), [d["grid"] for d in r[7]["dispatches"]], r[-1]["outcome"]), (12 * 64, [[3, 1, 1]], "done"), "the counter, the grid, the end")
    p = subprocess.run([lull, "replay", FILE], capture_output=True, text=True, timeout=60)
    check((p.returncode, "1 done, 0 with faults, 0 hung" in p.stdout), (0, True), f"lull replay: {p}")


def stood():
    """Where a wave stood: there again, with the registers, the memory and the time; back from there; and on."""
    want = saved("turns", 256, 3, f"break *$code+{insn('turns', 'cmps'):#x} if $r48.x == 1 && $r1.x == 3", "continue", "continue")
    r, _ = replay([*LOOK, "reverse-stepi 5", "info when", "goto start", "info when", "goto end", f"wave {want[0]['wave']}", *LOOK[:4], "why -depth 1 $r0.z", *LAST, f"x/8wx {BASE} + {4 * 512:#x}",
                   f"x/8wx {BASE} + {4 * 256:#x}"])
    n = len(LOOK)
    for got, shown in zip(r, want):
        check(plain(got), plain(shown), "there")
    check((r[n + 1]["executed"], r[n + 3]["time"]), (want[0]["executed"] - 5, 0), "back")
    check([plain(x) for x in r[n + 6:n + 10]], [plain(x) for x in want[:4]], "there once more")
    check(r[n + 10]["nodes"][0]["how"], "made", "why")
    check([int(v, 16) for v in r[-2]["values"]], turns(2)[:8], "on from there")
    check([int(v, 16) for v in r[-1]["values"]], turns(1)[:8], "group 1")


def alone():
    """A wave that was stepped while others stood: it is there again, and its registers are the same, the others are elsewhere."""
    want = saved("turns", 256, 3, f"break *$code+{insn('turns', 'cmps'):#x} if $r48.x == 1 && $r1.x == 3", "continue", "delete 2", "stepi 5")
    r, _ = replay(LOOK)
    check((r[0]["executed"], r[0]["wave"]), (want[0]["executed"], want[0]["wave"]), "the wave")
    check([plain(x) for x in r[2:4]], [plain(x) for x in want[2:4]], "its registers")


def others():
    """Fibers 64 to 127 of a wave of 128; the second dispatch of a command buffer, with what the first did; another order of waves."""
    want = saved("turns", 256, 1, f"break *$code+{END:#x}", "continue", "wg 0 thread 100", how="wide")
    r, _ = replay(["print $r0.x[36]", *LOOK])
    check((int(r[0]["value"], 16), lanes(r[3])), (100, lanes(want[2])), "the second half")
    FILE.unlink()
    session.debug("turns", 256, 3, ["catch dispatch", "run", "continue", f"record save {FILE}", "kill"], how="twice")
    r, _ = replay([f"x/8wx {0x100002000 + 4 * 256:#x}", "x/1wx 0x100005800"])
    check([int(v, 16) for v in r[0]["values"]], turns(1)[:8], "what the first did")
    check([int(v, 16) for v in r[1]["values"]], [0x5EED], "what was written between them")


def order():
    """The order of waves is that of the seed."""
    for seed in (0, 11):
        FILE.unlink(missing_ok=True)
        words = session.arguments("turns", 256, 1, ["catch dispatch", "run", f"record save {FILE}", f"break *$code+{END:#x}", "continue", "info waves", f"x/1wx {BASE} + 0x2000", "info when"],
                                  more=["--json", "--seed", str(seed)])
        a = session.replies(subprocess.run(words, capture_output=True, text=True, timeout=100).stdout)[-4:]
        r, _ = replay([f"break *$code+{END:#x}", "continue", "info waves", f"x/1wx {BASE} + 0x2000", "info when"])
        check([plain(x) for x in r[1:]], [plain(x) for x in a], f"seed {seed}")
        check(b"seed %d\0" % seed in FILE.read_bytes(), True, "the seed is in the file")


def refusals():
    """What is no record, or not whole, is refused by a sentence, and so is what does not go with it."""
    saved("turns", 256, 1, f"break *$code+{END:#x}", "continue")
    whole = FILE.read_bytes()
    other = session.here / "other.rd"
    other.write_bytes(whole.replace(b"lull record: seed", b"some capture: it:"))
    _, out = replay([], 2, file=other)
    need(out, "a capture, but 'record save' has not written it")
    for n in (4, 100, len(whole) // 2, len(whole) - 1):
        other.write_bytes(whole[:n])
        _, out = replay([], 3 if n != 4 else out and 3, file=other)
        need(out, r"other\.rd")
    other.write_bytes(whole.replace(b" behind 10", b" behind 99"))
    _, out = replay(["info when"], file=other)
    need(out, "the wave did not come there again")
    _, out = replay([], 2, more=["--seed", "4"])
    need(out, "--replay has a kernel of its own: no --seed")
    out = session.debug("turns", 256, 1, ["catch dispatch", "run", "record save"], status=3)
    need(out, "^record save FILE$")
    out = session.debug("turns", 256, 1, ["set record-memory off", "catch dispatch", "run", "stepi", f"record save {session.here / 'no.rd'}"], status=3)
    need(out, "how memory was in the beginning is not remembered")
    out = session.debug("turns", 256, 1, ["catch dispatch", "run", "record save no/such/folder/x.rd"], status=3)
    need(out, "no/such/folder/x.rd")


SHADER = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint v[]; } o;
layout(set = 0, binding = 1) uniform In { uvec4 a; } u;
layout(push_constant) uniform P { uint n; };
void main() { uint t[200]; uint i = gl_GlobalInvocationID.x;
 for (uint k = 0; k < n; k++) t[(k * 7 + o.v[i]) % 200] = k * 3 + i;
 o.v[i] = i * i + u.a.y + t[(i * 7) % 200]; }
"""


def turnip():
    """A Vulkan shader under Turnip, with push constants, a uniform buffer, and memory of each fiber; the driver is not there when it runs again."""
    (session.here / "t.comp").write_text(SHADER)
    subprocess.run(["glslangValidator", "-V", "--quiet", session.here / "t.comp", "-o", session.here / "t.spv"], check=True, capture_output=True)
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true")
    for gpu in ("a660", "a740"):
        FILE.unlink(missing_ok=True)
        words = [w for c in ("catch dispatch", "run", f"record save {FILE}", "kill") for w in ("-ex", c)]
        p = subprocess.run([lull, "debug", "--gpu", gpu, "-batch", *words, "--", host, "run", session.here / "t.spv", "--groups", "2", "--bind", "0.0=zeros:512",
                            "--bind", "0.1=iota:4:u32", "--push", "u32:200"], capture_output=True, text=True, timeout=100, env=env)
        check(p.returncode, 0, f"{gpu}: {p.stdout} {p.stderr}")
        r, out = replay(["info pipeline code", "info descriptors"])
        end = [line for line in r[0]["text"].splitlines() if line.endswith("end")][-1].split("+")[1].split(">")[0]
        storage = next(i for i, d in enumerate(r[1]["descriptors"]) if d["kind"] == "storage")
        r, _ = replay([f"break *$code+{end}", "continue", "continue", f"x/128wx b{storage}"])
        k = {n * 7 % 200: n for n in range(200)}
        check([int(v, 16) for v in r[3]["values"]], [i * i + 1 + 3 * k[i * 7 % 200] + i for i in range(128)], f"{gpu}: what it stores")


session.run([held, stood, alone, others, order, refusals, turnip], lambda case: arm64_tools.absent(root) if case is turnip else None)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breakpoints in code, and on the list: in_code.py LULL SOURCES. One TAP line a case.

What a kernel leaves, how often waves come to an instruction and where they go next is computed here from what in_code.s says;
the words of its code are those of llvm-objdump.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

lull, sources = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
ITEMS = BLOCK = 256
WAVES = ITEMS // 32
WANT = [2 * i + 3 * 0x12345 + 2 * 0x64 + 10 for i in range(ITEMS)]


def listing():
    """[(offset, words, text, how often)] of the code, and offsets by label: places from LLVM, counts from the source's comments."""
    with tempfile.TemporaryDirectory() as d:
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-c", sources / "in_code.s", "-o", f"{d}/o"], check=True)
        text = subprocess.run(["llvm-objdump-19", "-d", f"{d}/o"], check=True, capture_output=True, text=True).stdout
    counts = [int(m[1]) for m in re.finditer(r"^    (?:[sv]_|global_).*// (\d+)$", (sources / "in_code.s").read_text(), re.M)]
    rows = re.findall(r"^\t(\S.*?) *// ([0-9A-F]+): ([0-9A-F ]+)$", text, re.M)
    if len(rows) != len(counts):
        sys.exit(f"Bail out! {len(rows)} instructions, {len(counts)} counts")
    labels = {m[2]: int(m[1], 16) for m in re.finditer(r"^([0-9a-f]+) <(\w+)>:$", text, re.M)}
    return [(int(at, 16), [int(w, 16) for w in words.split()], t, n) for (t, at, words), n in zip(rows, counts)], labels


CODE, LABELS = listing()


def path():
    """Offsets that a wave comes to, in order."""
    at = {o: (t, o + 4 * len(w)) for o, w, t, _ in CODE}
    pc, s2, scc, s30, s4 = 0, None, 0, None, None
    out = []
    while True:
        text, nxt = at[pc]
        out.append(pc)
        op, *args = re.split(r"[ ,]+", text)
        if op == "s_endpgm":
            return out
        if op == "s_movk_i32":
            s2 = int(args[1], 16)
        elif op == "s_bitcmp1_b32":
            scc = s2 & 1
        elif op == "s_sub_i32":
            s2 -= 1
        elif op in ("s_cmp_lg_u32", "s_cmp_eq_u32"):
            scc = (s2 != 0) == (op == "s_cmp_lg_u32")
        elif op == "s_getpc_b64":
            s4 = nxt
        elif op == "s_add_u32":
            s4, scc = s4 + int(args[2], 16), 0
        elif op == "s_addc_u32":
            scc = 0
        elif op == "s_branch" or (op == "s_cbranch_scc1" and scc):
            nxt = LABELS[args[-1]]
        elif op == "s_swappc_b64" and args[0] == "s[30:31]":
            s30, nxt = nxt, s4
        elif op == "s_swappc_b64":
            s4, nxt = nxt, s4
        elif op == "s_call_b64":
            s30, nxt = nxt, LABELS[args[-1]]
        elif op == "s_setpc_b64":
            nxt = s30 if args[0] == "s[30:31]" else s4
        pc = nxt


def debug(commands):
    """(text of all commands, the buffer)."""
    with tempfile.TemporaryDirectory() as d:
        pathlib.Path(d, "commands").write_text("\n".join(commands) + "\n")
        args = [lull, "debug", sources / "in_code.s", "--grid", str(ITEMS), "--block", str(BLOCK), "--arg", f"iota:{ITEMS}:u32:name=out:out={d}/out",
                "-batch", "-ex", f"source {d}/commands"]
        r = subprocess.run(args, capture_output=True, text=True, timeout=120, check=False)
        if r.returncode != 0:
            raise AssertionError(f"status {r.returncode}: {r.stdout[-500:]}{r.stderr}")
        return r.stdout, list(struct.unpack(f"{ITEMS}I", pathlib.Path(d, "out").read_bytes()))


def check(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {got}, want {want}")


def place(m):
    """Offset of "label+0x14" in the code."""
    return LABELS[m[1]] + int(m[2], 16)


def hits(text):
    return {place(m): int(m[3]) for m in re.finditer(r"<(\w+)\+0x([0-9a-f]+)>.* hit (\d+) time", text)}


BREAKS = [f"break *paths+{o}" for o, _, _, _ in CODE]
COMES = {o: (n * WAVES, t) for o, _, t, n in CODE}


def everywhere(mode):
    """On every instruction at once, all passed: nothing is changed, and each hit is counted."""
    ignore = [f"ignore {n} 1000000" for n in range(1, len(CODE) + 1)]
    text, out = debug([f"set breakpoint mode {mode}", *BREAKS, *ignore, "run", "info breakpoints"])
    check(out, WANT, "the buffer")
    got = hits(text)
    for o, (n, t) in COMES.items():
        check(got[o], n, f"hits of +0x{o:x} {t}")


def steps():
    """Step by step through breakpoints on every instruction, the way that the code says."""
    way = path()
    end = way.index(next(o for o, _, t, _ in CODE if t == "s_barrier")) # Behind it the others come along.
    text, out = debug([*BREAKS, "run", *["stepi"] * (end - 1), "delete", "continue"])
    got = [place(m) for m in re.finditer(r"^=> 0x[0-9a-f]+ <(\w+)\+0x([0-9a-f]+)>", text, re.M)]
    check(got[:end], way[:end], "places")
    check(out, WANT, "the buffer")


def stops():
    """Each wave stops at each of three breakpoints as often as it comes there, a call and a branch among them."""
    wanted = [next(o for o, _, t, _ in CODE if t.startswith(op)) for op in ("s_swappc_b64", "s_call_b64", "s_cbranch_scc1")]
    times = 5 * WAVES * len(wanted)
    text, out = debug([*[f"break *paths+{o}" for o in wanted], "run", *["continue"] * times])
    got = [place(m) for m in re.finditer(r"hit breakpoint.*\n.*\n=> 0x[0-9a-f]+ <(\w+)\+0x([0-9a-f]+)>", text)]
    check({o: got.count(o) for o in wanted}, {o: 5 * WAVES for o in wanted}, "stops")
    check(out, WANT, "the buffer")


def shown():
    """What is read is the program's code, not the breakpoints in it."""
    words = sum((w for _, w, _, _ in CODE), [])
    text, _ = debug([*BREAKS, "run", f"x/{len(words)}wx paths", f"x/{len(CODE)}i paths", "disassemble paths", "delete", "continue"])
    got = [int(w, 16) for w in re.findall(r"\b0x([0-9a-f]{8})\b", text)]
    if words not in [got[i:i + len(words)] for i in range(len(got))]:
        raise AssertionError(f"words {[hex(w) for w in got]}")
    if "s_trap" in text:
        raise AssertionError(text[-1000:])
    for _, _, t, _ in CODE:
        if t.split()[0] not in text:
            raise AssertionError(f"no {t}")


def written():
    """A breakpoint whose instruction the user writes: waves stop there and run what was written."""
    at, add = next((o, w) for o, w, t, _ in CODE if t.startswith("v_add_nc_u32_e32 v1, 0x64"))
    text, out = debug(["start", f"break *paths+{at}", f"set {{u32}}(paths+{at + 4}) = 0x1000", f"x/2wx paths+{at}", "ignore 1 1000000", "continue",
                       "info breakpoints"])
    check(out, [w + 2 * (0x1000 - 0x64) for w in WANT], "the buffer")
    check(hits(text)[at], 2 * WAVES, "hits")
    if f"0x{add[0]:08x}" not in text or "0x00001000" not in text:
        raise AssertionError(text)


# At examples/loop.s' loop+0x14 in turn t of a wave: s2 is 250 - t, v0 the number of the work-item in its group of 256, v1 one more, v2 t times v1.
CONDITIONS = {
    "$s2 == 17": lambda s2, v0, v2, wg: s2 == 17,
    "$s2 < 10 && $s2 > 5": lambda s2, v0, v2, wg: 5 < s2 < 10,
    "1000 <= $v2[5]": lambda s2, v0, v2, wg: (250 - s2) * (v0 // 32 * 32 + 6) >= 1000,
    "$v2 == 5000": lambda s2, v0, v2, wg: v2 == 5000,
    "-1 < $s2": lambda s2, v0, v2, wg: False,
    "$s2 > -1": lambda s2, v0, v2, wg: False,
    "$v2.i32 > -1 && $s2 == 3": lambda s2, v0, v2, wg: s2 == 3,
    "$v2.i32 < -1 || $s2 == 250": lambda s2, v0, v2, wg: s2 == 250,
    "$v2 == 500 && ($v1 & 1) == 1": lambda s2, v0, v2, wg: v2 == 500 and v0 % 2 == 0,
    "$v2 == 500 || ($v1 & 255) == 2 && $s2 == 9": lambda s2, v0, v2, wg: v2 == 500 or ((v0 + 1) & 255) == 2 and s2 == 9,
    "$s2 == 9 || ($v1 & 255) == 2": lambda s2, v0, v2, wg: ((v0 + 1) & 255) == 2 or s2 == 9,
    "($s2 == 1 || $s2 == 2) && ($v0 == 3 || $v0 == 40)": lambda s2, v0, v2, wg: s2 in (1, 2) and v0 in (3, 40),
    "$gid_x == 300 && $s2 == 5": lambda s2, v0, v2, wg: 256 * wg + v0 == 300 and s2 == 5,
    "$wg_x == 1 && $s2 <= 3": lambda s2, v0, v2, wg: wg == 1 and s2 <= 3,
    "$wg_x != 1 && $s2 == 7": lambda s2, v0, v2, wg: wg == 0 and s2 == 7,
    "!($s2 == 1) && $s2 < 3": lambda s2, v0, v2, wg: s2 == 2,
    "$lane == 7 && $v2 == 5000": lambda s2, v0, v2, wg: v0 % 32 == 7 and v2 == 5000,
    "$lane >= 30 && $v2 == 5000 || $lane < 0": lambda s2, v0, v2, wg: v0 % 32 >= 30 and v2 == 5000,
    "$s2 == 0x100000000": lambda s2, v0, v2, wg: False,
}
GROUPS = 2


def conditions():
    """How often each of many conditions at one place holds, waves' own part of it and the rest."""
    want = {c: sum(any(f(250 - t, v0, t * (v0 + 1), wg) for v0 in range(first, first + 32)) for wg in range(GROUPS) for first in range(0, 256, 32)
                   for t in range(250)) for c, f in CONDITIONS.items()}
    for some in ([c] for c in CONDITIONS), (list(CONDITIONS),):
        for these in some:
            commands = [*[f"break *loop+0x14 if {c}" for c in these], *[f"ignore {n} 1000000" for n in range(1, len(these) + 1)], "run", "info breakpoints"]
            with tempfile.TemporaryDirectory() as d:
                pathlib.Path(d, "commands").write_text("\n".join(commands) + "\n")
                r = subprocess.run([lull, "debug", sources.parent.parent / "examples/loop.s", "--grid", str(256 * GROUPS), "--block", "256", "--arg",
                                    "zeros:2048", "-batch", "-ex", f"source {d}/commands"], capture_output=True, text=True, timeout=120, check=False)
            got = {m[2]: int(m[1]) for m in re.finditer(r"hit (\d+) times?, if (.*)$", r.stdout, re.M)}
            check(got, {c: want[c] for c in these}, f"hits {r.stderr[:300]}")


MANY = 1000


def many():
    """A breakpoint on each of 1,000 lines, in code and by steps: each stops once, in order, also going back. The lines are known by s itself."""
    with tempfile.TemporaryDirectory() as d:
        lines = ["kernel void big(global uint *x)", "{", "    uint s = x[0];", *[f"    s = s * 3u + {i}u;" for i in range(MANY)], "    x[0] = s;", "}"]
        pathlib.Path(d, "big.cl").write_text("\n".join(lines) + "\n")
        s, want = 0, []
        for i in range(MANY):
            want.append(str(s))
            s = (s * 3 + i) & 0xffffffff
        for how, stops, last in ("trap", MANY, 40), ("step", 60, 0):
            commands = [f"set breakpoint mode {how}", *[f"break big.cl:{4 + i}" for i in range(MANY)], "run", 'printf "at %u\\n", s',
                        *["continue", 'printf "at %u\\n", s'] * (stops - 1), *["reverse-continue", 'printf "at %u\\n", s'] * last]
            pathlib.Path(d, "commands").write_text("\n".join(commands) + "\n")
            r = subprocess.run([lull, "debug", "-nx", "big.cl", "-O0", "--grid", "1", "--block", "1", "--arg", "zeros:4", "-batch", "-x", "commands"],
                               capture_output=True, text=True, timeout=120, check=False, cwd=d)
            got = re.findall(r"^at (.*)$", r.stdout, re.M)
            check(got, want[:stops] + want[stops - 1 - last:stops - 1][::-1], f"{how}: {r.stderr[:300]}")


def one_line_in_many_places():
    """A line of a loop that was unrolled 500 times: each copy stops, and each turn of the loop is met."""
    with tempfile.TemporaryDirectory() as d:
        pathlib.Path(d, "un.cl").write_text("""kernel void un(global uint *x)
{
    uint s = x[0];
#pragma unroll 500
    for (uint j = 0; j < 1000; j++) {
        s = (s ^ j) * 7u + x[j & 31];
    }
    x[0] = s;
}
""")
        pathlib.Path(d, "commands").write_text("break un.cl:6\nignore 1 1000000\nrun\ninfo breakpoints\n")
        r = subprocess.run([lull, "debug", "-nx", "un.cl", "-O2", "--grid", "1", "--block", "1", "--arg", "zeros:128", "-batch", "-x", "commands"],
                           capture_output=True, text=True, timeout=120, check=False, cwd=d)
        places = len(re.findall(r"^1\.\d+ ", r.stdout, re.M))
        hits = int(re.search(r"hit (\d+) times", r.stdout)[1])
        check((places > 400, places % 2, 2 * places <= hits <= 2 * places + 4), (True, places % 2, True), f"{places} places, {hits} hits")


def temporary_at_one_place():
    """Of 20 temporary breakpoints at one place none is left behind the first stop, and a lasting one among them is."""
    tb = [("break" if i == 13 else "tbreak") + f" *paths+{CODE[2][0]}" for i in range(20)]
    text, out = debug([*tb, "run", "info breakpoints", "delete", "continue"])
    check([int(n) for n in re.findall(r"^(\d+) +(?:keep|once)\b", text, re.M)], [14], text)
    check(out, WANT, "the buffer")


def without_vgprs():
    """A condition on a VGPR where waves have given theirs back: it is not looked at, and they end."""
    end = next(o for o, _, t, _ in CODE if t == "s_endpgm")
    text, out = debug([f"break *paths+{end} if $v1 == 12345", f"break *paths+{end} if $v5[3] == 12345", "run", "info breakpoints"])
    check((re.findall(r"dispatch is complete", text), re.findall(r"hit (\d+) time", text)), (["dispatch is complete"], ["0", "0"]), text)
    check(out, WANT, "the buffer")


def main():
    cases = {"without VGPRs": without_vgprs, "on every instruction, in code": lambda: everywhere("trap"), "on every instruction, by steps": lambda: everywhere("step"),
             "steps from one to the next": steps, "stops": stops, "x and disassemble": shown, "the instruction is written": written,
             "conditions": conditions, "1,000 breakpoints": many, "20 temporary ones at one place": temporary_at_one_place, "one line in hundreds of places": one_line_in_many_places}
    print(f"1..{len(cases)}")
    for n, (name, case) in enumerate(cases.items(), 1):
        try:
            case()
            print(f"ok {n} - {name}")
        except (AssertionError, KeyError, IndexError, ValueError, subprocess.TimeoutExpired) as e:
            print(f"not ok {n} - {name}\n# {type(e).__name__}: {str(e)[:800]}")


main()

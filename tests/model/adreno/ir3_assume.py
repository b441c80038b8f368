#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull ir3 run --assume: each switch of data/isa/ir3.assume changes what a kernel computes, as its row says. ir3_assume.py LULL TABLE
ir3_alu_tool. TAP."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import tap  # noqa: E402

lull, table, alu = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
tmp = pathlib.Path(tempfile.mkdtemp())
WAIT = "(sy)(ss)(rpt5)nop\n"
HEAD = "@localsize 64, 1, 1\n@invocationid(r0.x)\n@wgid(r48.x)\n@buf 64\n"
TAIL = WAIT + "stib.b.untyped.1d.u32.1.imm r4.x, r0.x, 0\nend\nnop\n"
QNAN = 0x7fc01234


def body(text):
    """Each instruction behind what it may depend on."""
    return "".join(line + "\n" + ("" if line.endswith(":") else WAIT) for line in text.split("\n"))


def moves(*values):
    return "\n".join(f"mov.u32u32 r{1 + i // 4}.{'xyzw'[i % 4]}, {v:#x}" for i, v in enumerate(values))


# switch, headers, body, what r4.x of fiber n is by each value, in the order of the row.
ROWS = {
    # (1 + 2^-23)^2 - 1 rounds to 2^-22 after the product; with one rounding 2^-46 stays.
    "mad": ("", moves(0x3f800001, 0x3f800001, 0xbf800002) + "\nmad.f32 r4.x, r1.x, r1.y, r1.z", [0, 0x28800000]),
    "nan": ("", moves(QNAN, 0x3f800000) + "\nadd.f r4.x, r1.x, r1.y", [QNAN, 0x7fc00000]),
    "sat-nan": ("", moves(QNAN, 0x3f800000) + "\n(sat)add.f r4.x, r1.x, r1.y", [0, QNAN]),
    "nan-to-int": ("", moves(QNAN) + "\ncov.f32s32 r4.x, r1.x", [0, 0x7fffffff]),
    "denormals-moved": ("", moves(0x80000001) + "\nmov.f32f32 r4.x, r1.x", [0x80000001, 0x80000000]),
    # 1 + 3 * 2^-11 lies in the middle of two halves.
    "round": ("", moves(0x3f803000) + "\nmov.u32u32 r4.x, 0\ncov.f32f16 hr8.x, r1.x", [0x3c01, 0x3c02]),
    "getone": ("", "mov.u32u32 r4.x, 0\ngetone #l1\nmov.u32u32 r4.x, 1\nl1:\n(jp)nop", [lambda n: n == 0, lambda n: n == 63]),
    # A limit of 2: one after the other 64 fibers count 0 1 2 0 1 2 ...
    "inc-dec": ("@localmem 64\n", "mov.u32u32 r1.x, 0\nmov.u32u32 r1.y, 0\nmov.u32u32 r1.z, 2\nstl.u32 l[r1.x], r1.y, 1\n"
                "atomic.inc.untyped.1d.u32.1.l r4.x, l[r1.x], r1.z", [lambda n: n, lambda n: n % 3]),
    # Shared memory has 7; data 5 and 7: the data goes in if 7 is what it is compared with.
    "cmpxchg": ("@localmem 64\n", "mov.u32u32 r1.x, 0\nmov.u32u32 r1.y, 7\nmov.u32u32 r2.x, 5\nmov.u32u32 r2.y, 7\nstl.u32 l[r1.x], r1.y, 1\n"
                "atomic.cmpxchg.untyped.1d.u32.1.l r3.x, l[r1.x], r2.x\nldl.u32 r4.x, l[r1.x], 1", [5, 7]),
    "local-beyond": ("@localmem 1024\n", "mov.u32u32 r1.x, 0\nmov.u32u32 r1.y, 77\nmov.u32u32 r1.z, 0x10000\nstl.u32 l[r1.x], r1.y, 1\n"
                     "ldl.u32 r4.x, l[r1.z], 1", [0, 77]),
    # Of n * n in quads of 4 fibers, 2 by 2, the difference across is 2 k + 1 at the left one, k: of the own row, or of the first.
    "derivatives": ("", "mul.u24 r1.x, r0.x, r0.x\ncov.u32f32 r1.x, r1.x\ndsx (f32)(x)r1.y, r1.x\ncov.f32u32 r4.x, r1.y",
                    [lambda n: 2 * (n & ~1) + 1, lambda n: 2 * (n & ~3) + 1]),
    "constants-beyond": (None, None, [0, 9]),
    "registers": ("", "add.u r4.x, r5.x, 0", [lambda n: 0xdead8000 | 20 << 7 | n, 0]),
    "local": ("@localmem 1024\n", "mov.u32u32 r1.x, 64\nldl.u32 r4.x, l[r1.x], 1", [0xa5a5a5a5, 0]),
}


def beyond(value):
    """c2.x of a shader without constants, where 9 was loaded."""
    r = subprocess.run([alu, f"constants-beyond={value}"], input="mov.u32u32 r4.x, c2.x\tF0\n", capture_output=True, text=True, timeout=60, check=False)
    return [int(v, 16) for v in r.stdout.split()]


def run(name, value):
    if name == "constants-beyond":
        return beyond(value)
    headers, text, _ = ROWS[name]
    kernel = tmp / "kernel.asm"
    kernel.write_text(HEAD + headers + body(text) + TAIL)
    r = subprocess.run([lull, "ir3", "run", kernel, "--gpu", "a660", "--json", "--assume", f"{name}={value}"], capture_output=True, text=True,
                       timeout=60, check=False)
    return json.loads(r.stdout)["buffers"][0]["dwords"] if r.returncode == 0 else r.stdout + r.stderr


# --check assumptions: what else a row's kernel rests on; and what of it does not rest on the row.
ALSO = {"derivatives": {"round"}}
# What an address chooses CONSTLEN does not reach; a constant that is named it does.
TEXTS = {name: row[1] for name, row in ROWS.items()} | {"constants-beyond": "mova a0.x, hr0.x\nmov.u32u32 r4.x, c<a0.x + 400>"}
TAME = {"nan": (f"{QNAN:#x}", "0x40000000"), "sat-nan": (f"{QNAN:#x}", "0x40000000"), "nan-to-int": (f"{QNAN:#x}", "0x40000000"), "mad": ("mad.f32", "mad.s24"),
        "denormals-moved": ("0x80000001", "0x80000000"), "round": ("cov.f32f16", "cov.u32u16"), "inc-dec": ("atomic.inc", "atomic.add"),
        "constants-beyond": ("c<a0.x + 400>", "c100.x"), "cmpxchg": ("atomic.cmpxchg", "atomic.max"), "local-beyond": ("0x10000", "0x10"), "derivatives": ("dsx (f32)(x)r1.y", "mov.f32f32 r1.y")}


def rests(name, text):
    kernel = tmp / "kernel.asm"
    kernel.write_text(HEAD + (ROWS[name][0] or "") + body(text) + TAIL)
    r = subprocess.run([lull, "ir3", "run", kernel, "--gpu", "a660", "--json", "--check", "assumptions"], capture_output=True, text=True, timeout=60, check=False)
    lines = [json.loads(line) for line in r.stdout.splitlines() if line.startswith('{"check"')]
    return r.returncode, lines[0] if lines else r.stdout + r.stderr


def assumptions(rows):
    """A kernel whose result a switch changes rests on it, where it is executed; one whose numbers leave no choice does not. What registers and shared memory
    hold at the start is not told."""
    for row in rows:
        name = row[0]
        if name in ("registers", "local"):
            continue
        status, got = rests(name, TEXTS[name])
        told = {f["kind"]: f for f in got["findings"]} if isinstance(got, dict) else {}
        tap.case(f"{name}: the run rests on it", status == 0 and set(told) == {name} | ALSO.get(name, set()) and row[4] in told[name]["text"] and row[2] in told[name]["sites"][0]["does"] and
                 0 < got["rest"] < got["executed"] and got["assumptions"] == len(told), (status, got))
        if name in TAME:
            assert TAME[name][0] in TEXTS[name], name
            status, got = rests(name, TEXTS[name].replace(*TAME[name]))
            tap.case(f"{name}: not with other numbers", status == 0 and isinstance(got, dict) and {f["kind"] for f in got["findings"]} == ALSO.get(name, set()), (status, got))


def refused(name, arguments, want):
    r = subprocess.run([lull, *arguments], capture_output=True, text=True, timeout=60, check=False)
    tap.case(name, r.returncode == 2 and want in r.stderr, (r.returncode, r.stderr))


rows = [[c.strip() for c in line.split("|")] for line in table.read_text().splitlines() if line.strip() and not line.startswith("#")]
for row in rows:
    values = row[1].split()
    for value, want in zip(values, ROWS[row[0]][2]):
        expect = [int(want(n)) if callable(want) else want for n in range(64)]
        got = run(row[0], value)
        tap.case(f"{row[0]}={value}", got == expect, f"got {got if isinstance(got, str) else [hex(x) for x in got[:4]]}, want {expect[:4]}")
assumptions(rows)
tap.case("every switch has a row", {r[0] for r in rows} == set(ROWS), rows)
said = subprocess.run([lull, "exec", "--assume", "list"], capture_output=True, text=True, timeout=60, check=False)
tap.case("the list has every switch, its values and its source", said.returncode == 0 and all(
    f"{r[0]}={r[1].split()[0]}  ({', '.join(r[1].split())})\n  {r[2]}\n  why: {r[3]}\n  source: {r[4]}\n" in said.stdout for r in rows), said.stdout)
refused("a name that is not there", ["ir3", "run", "--assume", "gravity=off", "x"], "gravity=off: what can be assumed is NAME=VALUE of mad,")
refused("a value that is not there", ["ir3", "run", "--assume", "mad=maybe", "x"], "mad=maybe: mad has the values unfused, fused")
refused("no value", ["exec", "--gpu", "a660", "--assume", "mad", "--", "true"], "mad: what can be assumed is")
refused("of a gfx1100", ["exec", "--assume", "mad=fused", "--", "true"], "--assume is of Adreno's shaders")
tap.end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull rd decompile: its C is compiled and run, and writes the capture again, byte for byte; edits of the C change what they say and nothing
else. rd_decompile.py LULL SOURCE BUILD DISPATCH TRACES CC..."""
import gzip
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from rd_bytes import pkt4, pkt7, section  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, source, build, dispatch, traces = [str(pathlib.Path(sys.argv[1]).resolve()), *map(pathlib.Path, sys.argv[2:6])]
compiler = sys.argv[6:]
tmp = pathlib.Path(tempfile.mkdtemp())
BASE = 0x100000000
# Headers of packets, from the sources of data/adreno: parity makes the number of set bits odd.
NOP, WFI, IB, STATE, EXEC, AMBLE, LOAD = 0x10, 0x26, 0x3F, 0x43, 0x33, 0x55, 0x34


def pkt0(reg, *words):
    return [len(words) - 1 << 16 | reg, *words]


def pkt3(op, *words):
    return [3 << 30 | len(words) - 1 << 16 | op << 8, *words]


def dwords(*words):
    return struct.pack(f"<{len(words)}I", *words)


def split(a):
    return [a & 0xFFFFFFFF, a >> 32]


def address(a, size, wide=True):
    return dwords(a & 0xFFFFFFFF, size, *([a >> 32] if wide else []))


def buffer(a, data, wide=True):
    return section(3, address(a, len(data), wide)) + section(12, data)


def stream(a, n, wide=True):
    return section(6, address(a, n, wide))


def chip(number):
    return section(14, struct.pack("<Q", number))


def put(image, at, words):
    image[at:at + 4 * len(words)] = dwords(*words)


def sh(*args, **more):
    return subprocess.run([*map(str, args)], capture_output=True, text=True, timeout=300, **more)


def decompile(data, name, *args):
    path = tmp / f"{name}.rd"
    path.write_bytes(data)
    return sh(lull, "rd", "decompile", *args, path)


def compiled(text, name):
    """The program of @text; None and why."""
    path = tmp / f"{name}.c"
    path.write_text(text)
    r = sh(*compiler, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Wno-overlength-strings", "-Werror", "-O0", "-I", source / "include", "-I", build / "include",
           path, "-o", tmp / name, "-L", build, "-llull", f"-Wl,-rpath,{build}")
    return (tmp / name, "") if r.returncode == 0 else (None, r.stderr)


def generated(text, name, *args):
    """What the program of @text writes; None and why."""
    program, why = compiled(text, name)
    if program is None:
        return None, why
    out = tmp / f"{name}.out"
    r = sh(program, *args, out)
    return (out.read_bytes(), "") if r.returncode == 0 else (None, r.stderr)


def different(a, b):
    """Where they differ, for people."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"{len(a)} and {len(b)} bytes, the first difference at {at}: {a[at:at + 16].hex()} {b[at:at + 16].hex()}"


def same(name, data, *args, want=None, has=()):
    """Decompiled, compiled and run it is @want, the capture itself."""
    r = decompile(data, re.sub(r"\W+", "_", name), *args)
    if r.returncode != 0:
        case(name, False, r)
        return ""
    got, why = generated(r.stdout, re.sub(r"\W+", "_", name))
    want = data if want is None else want
    missing = [t for t in has if t not in r.stdout]
    case(name, got == want and not missing, why or f"{missing} {different(got, want)}\n{r.stdout[:3000]}")
    return r.stdout


def modern(chip_id=0x06030001):
    """A capture with a bit of everything that a6xx and a7xx have."""
    image = bytearray(0x1000)
    ib, group, amble, code = BASE + 0x400, BASE + 0x500, BASE + 0x580, BASE + 0x600
    body = [*pkt4(0x8800, 7), *pkt7(WFI), *pkt7(NOP, 0x44434241, 0x48474645)]
    state = [*pkt4(0x8801, 1, 2)]
    before = [*pkt7(WFI), *pkt7(WFI)]
    main = [*pkt7(IB, *split(ib), len(body)), *pkt7(IB, *split(ib), len(body)),
            # A register that nobody knows, first in a run and in the middle of one.
            *pkt4(0x3FFF0, 1, 2, 3), *pkt4(0x0E10, *range(1, 20)),
            *pkt7(STATE, 0x03700000 | len(state), *split(group), 0x00040000, 0, 0),
            *pkt7(AMBLE, *split(amble), 0x00100000 | len(before)), *pkt4(0xA9B4, *split(code)), *pkt4(0xA9BB, 0x100),
            *pkt7(0x7F, 1, 2, 3), 0x12345678, 0x44444444, *[w for i in range(12) for w in pkt4(0x8C00 + i, 0xFFFFFFFF)],
            *[w for i in range(6) for w in [*pkt7(WFI), *pkt4(0xBB08, 3)]], *pkt7(EXEC, 0, 1, 1, 1), *pkt7(WFI), 0x70268003]
    put(image, 0, main)
    put(image, 0x400, body)
    put(image, 0x500, state)
    put(image, 0x580, before)
    put(image, 0x600, [3, 0x202CC001, 0, 0x03000000])  # mov.u32u32 r0.y, c0.w; end: words of Turnip's captures
    put(image, 0xF00, range(1, 40))
    return (chip(chip_id) + section(2, b"test\0\0\0\0") + buffer(BASE, bytes(image)) + section(3, address(BASE + 0x10000, 4096))
            + buffer(BASE + 0x8000, bytes(range(1, 251)) + b"xyz") + stream(BASE, len(main)))


def old():
    """a330: headers of types 0, 2 and 3, addresses of two dwords, two submits of which the second repeats the first."""
    out = section(13, dwords(330))
    for k in range(2):
        at, ib = 0x11842000 + 0x10000 * k, 0x11843000 + 0x10000 * k
        body = [*pkt0(0x2070, 5), 0x80000000]
        main = [*pkt3(IB, ib, len(body)), *pkt0(0x20C0, 1, 2, 3), *pkt3(NOP, 0), 0x80000000, *[0x80000000] * 5, *pkt3(0xFE, 1), 0x7FFFFFFF]
        out += (section(2, f"old/{k}".encode() + bytes(3)) + buffer(ib, dwords(*body), False) + buffer(at, dwords(*main), False)
                + stream(at, len(main), False))
    return out


def odd_ones():
    """What a capture may have and hardly any has."""
    loop = [*pkt7(IB, *split(BASE), 8), *pkt7(WFI), *pkt7(WFI), *pkt7(WFI), *pkt7(WFI)]
    return (b"\xff" * 8 + chip(0x06060001) + section(99, b"12345") + section(2, b"a\0b\0") + section(2, b'"\\??/\n\x01') + section(2) +
            buffer(BASE, dwords(*loop)) + buffer(BASE + 8, dwords(*loop)) + section(3, address(BASE, 32)) + section(12, b"short") +
            section(12, b"nobody's") + stream(BASE, 8) + section(3, b"1234") + stream(BASE + 0x100000, 5) + section(6, b"12345678abc") +
            section(15, address(BASE, 16)) + section(17, bytes(24) + b"name\0") + section(13, b"") + b"\xff" * 8)


a630 = modern()
text = same("everything of a6xx", a630, has=["#include <lull/a6xx.h>", "pkt4(g, 0x3fff0,", "ib_100000400", "group_100000500", "amble_100000580",
                                            "shader_100000600", "words(g,", "regs_", "for (unsigned i = 0; i < 6; i++)", "0x06030001"])
case("an IB that is called twice is one function", text.count("static void put_ib_100000400(") == 1 and text.count("AT(ib_100000400)") == 2, text)
case("the shader is text", '"mov.u32u32 r0.y, c0.w\\n"' in text and '"end\\n"' in text, text)
same("everything of a7xx, its chip id kept", modern(0x43050A01), has=["#include <lull/a7xx.h>", "0x43050a01"])
text = same("a330", old(), has=["pkt0(g, REG_", "pkt3(g, CP_INDIRECT_BUFFER", "pkt2(g)", "lull_rdgen_gpu_id(g, 330)", "LO(ib_11843000)"])
same("what hardly any capture has", odd_ones())
same("a GPU that nobody knows", section(13, dwords(990)) + buffer(BASE, dwords(*pkt7(WFI))) + stream(BASE, 1), has=["lull_rdgen_submit_at"])
two = old()
cut = two.index(section(2, b"old/1" + bytes(3)))
same("-s 1: the second submit alone", two, "-s", 1, want=two[:12] + two[cut:])

# Edits. Each says what it changes, and how the capture must look then.
r = decompile(a630, "edits")
word = dwords(*pkt4(0x8800, 7))
for name, old_text, new_text, old_bytes, new_bytes in [
        ("a register", "(g, REG_RB_BIN_CONTROL, 0x00000007)", "(g, REG_RB_BIN_CONTROL, 0x00000009)", word, dwords(*pkt4(0x8800, 9))),
        ("a word of an array", "7978faf9", "7978faf8", b"\xf9\xfa", b"\xf8\xfa"),
        ("an instruction", "mov.u32u32 r0.y, c0.w", "mov.u32u32 r0.y, c2.y", dwords(3, 0x202CC001), dwords(9, 0x202CC001)),
        ("the process", '"test", 8', '"edit", 8', b"test\0", b"edit\0")]:
    got, why = generated(r.stdout.replace(old_text, new_text, 1), "edit")
    want = a630.replace(old_bytes, new_bytes, 1)
    case(f"edited: {name}", r.stdout.count(old_text) == 1 and want != a630 and got == want, why or f"{different(got, want)} {r.stdout.count(old_text)}")


def sections(data):
    """(type, payload) of each section."""
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        size = 0 if size == 0xFFFFFFFF else size
        yield kind, data[at + 8:at + 8 + size]
        at += 8 + size


class Capture:
    """Memory and streams of a capture of one submit."""

    def __init__(self, data):
        self.ranges, self.streams = [], []
        for kind, p in sections(data or b""):
            if kind in (3, 6):
                lo, size, hi = struct.unpack("<III", p)
                (self.ranges if kind == 3 else self.streams).append([hi << 32 | lo, size, None])
            if kind == 12:
                self.ranges[-1][2] = p

    def words(self, at, n):
        data = next((d[at - a:at - a + 4 * n] for a, _, d in reversed(self.ranges) if d is not None and a <= at < a + len(d)), b"")
        return list(struct.unpack(f"<{len(data) // 4}I", data))


def packet(words, op):
    """Dwords of the first packet @op."""
    return words[words.index(pkt7(op, 0, 0, 0)[0]) + 1:][:3]


# An IB that grows does not fit where it was: it moves behind the other buffers, and who calls it knows.
more = r.stdout.replace("(g, REG_RB_BIN_CONTROL, 0x00000007)", "(g, REG_RB_BIN_CONTROL, 7, 8, 9)", 1)
got, why = generated(more.replace(" // { BINW", "; // { BINW").replace(");;", ");"), "grown")
c, before = Capture(got), Capture(a630)
at, hi, n = packet(c.words(BASE, 40), IB) if got else (0, 0, 0)
case("an IB that grew has a place of its own", got is not None and hi << 32 | at >= BASE + 0x10000 and n == 8
     and c.words(hi << 32 | at, n) == [*pkt4(0x8800, 7, 8, 9), *pkt7(WFI), *pkt7(NOP, 0x44434241, 0x48474645)]
     and c.streams == before.streams and [x[:2] for x in c.ranges[:-1]] == [x[:2] for x in before.ranges], why or (at, hi, n))
longer, why = generated(r.stdout.replace('"mov.u32u32 r0.y,', '"nop\\n"\n        "mov.u32u32 r0.y,', 1), "longer")
c = Capture(longer)
main = c.words(BASE, 200)
at = main[main.index(pkt4(0xA9B4, 0, 0)[0]) + 1:][:2] if longer else [0, 0]
case("a shader that grew has a place of its own", longer is not None and at[0] | at[1] << 32 >= BASE + 0x10000
     and c.words(at[0] | at[1] << 32, 6) == [0, 0, 3, 0x202CC001, 0, 0x03000000], why or at)

# --vastart: only what the program owns, in its range, all of it reachable by addresses in it.
VA, SIZE = 0x500000000, 0x10000
program, why = compiled(r.stdout, "moved")
out = tmp / "moved.rd"
ran = sh(program, f"--vastart={VA}", f"--vasize={SIZE}", out)
c = Capture(out.read_bytes() if ran.returncode == 0 else b"")
start, n = c.streams[0][:2] if c.streams else (0, 0)
main, was = c.words(start, n), before.words(BASE, n)
calls = [i for i, (x, y) in enumerate(zip(main, was)) if x != y]
ib = packet(main, IB) if main else [0, 0, 0]
case("--vastart: one buffer, in its range, and all sizes stay", ran.returncode == 0 and len(c.ranges) == 1 and c.ranges[0][0] == VA
     and c.ranges[0][1] <= SIZE and n == before.streams[0][1] and VA <= start < VA + SIZE, (ran, c.ranges, start, n))
case("--vastart: nothing but addresses is another one", 0 < len(calls) <= 12 and all(main[i] == 5 or main[i] < SIZE for i in calls), calls)
case("--vastart: what is called is there", ib[1] == 5 and c.words(ib[0] | ib[1] << 32, ib[2]) == before.words(BASE + 0x400, ib[2]), ib)
changed, why = compiled(r.stdout.replace("7978faf9", "7978faf8"), "changed")
ran = sh(changed, "--vastart", VA, "--vasize", SIZE, out)
c = Capture(out.read_bytes() if ran.returncode == 0 else b"")
case("--vastart: a buffer that was edited goes along", [x[0] for x in c.ranges] == [BASE + 0x8000, VA]
     and c.ranges[0][2] == bytes(range(1, 249)) + b"\xf8\xfaxyz", (ran, c.ranges))
for name, args, status, said in [
        ("no file", [], 2, "OUT.rd is missing"), ("half a range", ["--vastart=4096", "x"], 2, "go together"),
        ("not aligned", ["--vastart=5", "--vasize=4096", "x"], 2, "multiple of 256"), ("not a number", ["--vastart=x", "--vasize=1", "x"], 2, "--vastart=x"),
        ("too small", [f"--vastart={VA}", "--vasize=256", tmp / "none.rd"], 3, "does not fit into --vasize=256"),
        ("no folder", ["/nonexistent/x.rd"], 3, "/nonexistent/x.rd")]:
    ran = sh(program, *args)
    case(f"the program refuses: {name}", ran.returncode == status and said in ran.stderr and not (tmp / "none.rd").exists(), ran)
wrong, why = compiled(r.stdout.replace('"end\\n"', '"ende\\n"', 1), "wrong")
ran = sh(wrong, out)
case("a shader that is wrong: its name and line", ran.returncode == 3 and "shader_100000600: line 2" in ran.stderr, ran)

# What lull refuses.
for name, data, args, status, said in [
        ("no such stream", a630, ["-s", 1], 3, "has 1 command streams"), ("cut", a630[:-3], [], 3, "byte 4457: section 7"), ("empty", b"", [], 3, "")]:
    ran = decompile(data, "refused", *args)
    case(f"refuses: {name}", ran.returncode == status and said in ran.stderr and ran.stdout == "", ran)

# Captures with words that are damaged: whatever they are, the C compiles and writes them again.
SEED = int(os.environ.get("LULL_SEED", "14"))
rng = random.Random(SEED)
for k in range(4):
    parts = []
    for data in (modern(rng.choice([0x06030001, 0x43050A01])), old(), odd_ones()):
        for _ in range(2):
            bad = bytearray(data)
            spans, at = [], 0
            for kind, payload in sections(data):
                spans += [(at + 8, at + 8 + len(payload))] * (len(payload) if kind in (3, 6, 12) else 0)
                at += 8 + len(payload)
            for _ in range(rng.randrange(1, 30)):
                a, b = rng.choice(spans)
                bad[rng.randrange(a, b)] = rng.randrange(256)
            parts.append(bytes(bad))
    for n, data in enumerate(parts[k % 3::3]):
        same(f"damaged, seed {SEED}, {k}.{n}", data)


# A dispatch on the virtual Adreno that stores squares (tests/cli/adreno), captured, decompiled, edited, and replayed.
def ran_so(name, capture, *args, at, want):
    """The dwords at @at after a replay."""
    dump = tmp / "dump"
    dump.unlink(missing_ok=True)
    r = sh(lull, "replay", *args, "--dump", f"{at:#x}:{4 * len(want)}={dump}", capture)
    got = list(struct.unpack(f"<{len(want)}I", dump.read_bytes())) if dump.exists() else []
    case(name, r.returncode == 0 and got == want, (r, got))


OUT = 0x100002000
sh(lull, "ir3", "asm", "--gpu", "630", source / "tests/cli/adreno/square.asm", "-o", tmp / "square.words")
made = sh(lull, "exec", "--gpu", "a660", "--rd", tmp / "square.rd", "--rd-full", "--", dispatch, tmp / "square.words", 64, 2)
case("a dispatch is captured", made.returncode == 0 and made.stdout == "out: 0 1 4 9 16 25 36 49\n", made)
text = same("the capture of a dispatch", (tmp / "square.rd").read_bytes(), has=["LO(shader_", "HI(shader_", '"mul.u24 r1.x, r2.x, r2.x\\n"'])
for name, old_text, new_text, want in [
        ("an instruction", "mul.u24 r1.x, r2.x, r2.x", "add.u r1.x, r2.x, r2.x", [2 * i for i in range(128)]),
        ("two instructions more", '"mul.u24 r1.x, r2.x, r2.x\\n"', '"mul.u24 r1.x, r2.x, r2.x\\n" "(rpt5)nop\\n" "add.u r1.x, r1.x, 7\\n"',
         [i * i + 7 for i in range(128)]),
        ("a register", "0x00000002, // { NGROUPS_X = 2 }", "0x00000001,", [i * i * (i < 64) for i in range(128)])]:
    edited = text.replace(old_text, new_text, 1)
    program, why = compiled(edited, "squares")
    ran = sh(program, tmp / "squares.rd") if program else why
    case(f"{name}: it compiles and is another capture", program is not None and ran.returncode == 0
         and (tmp / "squares.rd").read_bytes() != (tmp / "square.rd").read_bytes(), ran)
    ran_so(f"{name}: the edited capture computes it", tmp / "squares.rd", at=OUT, want=want)
    ran_so(f"{name}: the same with --override", tmp / "square.rd", "--override", 0, "--generator", program, at=OUT, want=want)

# The example, built as its meson.build says, with a program that was made beside it.
example = tmp / "example"
shutil.copytree(source / "examples/rdgen", example)
(example / "gen.c").write_text(text)
env = {**os.environ, "C_INCLUDE_PATH": f"{source / 'include'}:{build / 'include'}", "LIBRARY_PATH": str(build), "LD_LIBRARY_PATH": str(build)}
sanitize = [f"-Db_sanitize={f.partition('=')[2]}" for f in compiler if f.startswith("-fsanitize=")]
r = sh("meson", "setup", "--werror", "-Db_lundef=false", *sanitize, example / "build", example, env=env)
r = sh("ninja", "-C", example / "build", env=env) if r.returncode == 0 else r
case("the example builds", r.returncode == 0, r.stdout + r.stderr)
for program in ("square", "gen"):
    r = sh(example / "build" / program, tmp / f"{program}.rd", env=env)
    case(f"the example's {program} writes a capture", r.returncode == 0 and (tmp / f"{program}.rd").stat().st_size > 4096, r)
ran_so("the example's squares", tmp / "square.rd", at=BASE, want=[i * i for i in range(128)])

# The captures that others made.
known = [*sorted(traces.glob("*.rd.gz")), *sorted((traces / "turnip").glob("*.rd.gz")), *sorted((traces / "adreno-draws").glob("*.rd.gz"))]
if not known:
    skip("captures of other programs: none in ../shared/traces")
for path in known:
    data = gzip.decompress(path.read_bytes())
    if path.name.startswith("es2gears"):  # 64 submits; some of them
        first, starts = data[:12], [m.start() for m in re.finditer(rb"\x02\0\0\0\x18\0\0\0es2gears", data)]
        for i in (0, 31):
            same(f"{path.name}, stream {i}", data, "-s", i, want=first + data[starts[i]:starts[i + 1]])
    else:
        same(path.name, data)
end()

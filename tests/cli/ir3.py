#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull ir3: files as people have them. ir3.py LULL FILES TRACES.

FILES: small ones of this repository; what each must read as is written beside it or here, by Mesa's grammar. TRACES: what Mesa
printed; its text must come back, and its words.
"""
import collections
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull, files, traces = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
tmp = pathlib.Path(tempfile.mkdtemp())


def ir3(*args, text=None):
    r = subprocess.run([lull, "ir3", *map(str, args)], capture_output=True, text=True, input=text)
    return r.returncode, r.stdout, r.stderr


def there_and_back(text, gpu=630):
    """Text of what @text assembles to; messages."""
    out = tmp / "out.bin"
    status, _, err = ir3("asm", "-", "--gpu", gpu, "-o", out, text=text)
    return (ir3("disasm", "--gpu", gpu, out)[1] if status == 0 else None), err


def same(name, text, want, gpu=630, said=""):
    got, err = there_and_back(text, gpu)
    case(name, got == want and said in err and (said != "" or err == ""), f"{err}\ngot:\n{got}\nwant:\n{want}")


def refused(name, text, *said):
    status, out, err = ir3("asm", "-", text=text)
    case(name, status == 3 and not out and all(s in err for s in said), f"{status} {err}")


# What the repository has.
same("headers of computerator are read", (files / "headers.asm").read_text(),
     "mov.u32u32 r0.y, r0.x\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm r0.x, r0.y+2, 0\nend\nnop\n")
same("newlines are blanks, flags have no order", (files / "free.asm").read_text(), (files / "free.want").read_text())
same("sections put nops before each instruction",
     "@fullnopstart\nend\n@fullnopend\n@fullsyncstart x: nop @fullsyncend jump #x",
     "(rpt5)nop\nend\nl2:\n(sy)(ss)nop\nnop\njump #l2\n")
same("stg of 2021 is stg.a", "stg.u32 g[r6.z+r7.y], r1.x, 1\n(sy)stg.u16 g[r6.z+r7.y], r2.w, 1",
     "stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1\n(sy)stg.a.u16 g[r6.z+(r7.y)<<2], hr2.w, 1\n",
     said="line 1: stg g[A+B], as in 2021, is taken as stg.a g[A+(B)<<2]\n")
same("and its halves", "nop\nstg.u16 g[r6.z+r7.y], r2.w, 1",
     "nop\nstg.a.u16 g[r6.z+(r7.y)<<2], hr2.w, 1\n", said="line 2: stg.u16, as in 2021, has halves without h")
case("notes once", there_and_back("stg.u16 g[r6.z+r7.y], r2.w, 1\n" * 3)[1].count("as in 2021") == 2)
case("no note for today's", there_and_back("stg.a.u32 g[r6.z+(r7.y)<<2], r1.x, 1\nstg.u32 g[r6.z+8], r1.x, 1\n")[1] == "")
same("lines as decoders print them", "\t:1:0000:0000[20444001x_00000000x] mov.u32u32 r0.y, r0.x\n\t:0:0001:0001[00000500x_00000000x] (rpt5)nop\n"
     "l2:\n:0:0002:0007[01000000x_00000000x] jump #l2\n", "mov.u32u32 r0.y, r0.x\n(rpt5)nop\nl2:\njump #l2\n")
same("a missing label that its number tells", "nop\nl1:\nnop\nbr p0.x, #l1\njump #l0\njump #l0\n",
     "l0:\nnop\nl1:\nnop\nbr p0.x, #l1\njump #l0\njump #l0\n", said="line 5: label l0 stands nowhere; taken as instruction 0")
case("it is told once", there_and_back("jump #l0 jump #l0")[1].count("l0 stands") == 1)
status, out, err = ir3("asm", "-", text="raw 0x123456789abcdef0")
case("a raw word", out == "123456789abcdef0\n", out + err)
refused("labels that stand nowhere are named once", "jump #out\njump #l0\njump #out\n  br p0.x, #x\nl5: nop",
        "-: labels stand nowhere: l0 (line 2), out (line 1), x (line 4)\n")
refused("a label twice", "a: nop\n\na: nop", "line 3: label a stands at line 1 already")
refused("no instruction", "nop\n  sin r0.x, r0\n", "line 2: column 14: no instruction reads so: '0'")
refused("flags alone", "nop\n(sy)(jp) \n", "line 2: column 1: no instruction reads so: '(sy)(jp)")
refused("no instruction, behind another", "nop foo", "line 1: column 5: ")
refused("no header", "\n@nosuch 4\nnop", "line 2: there is no header @nosuch")
refused("half a header", "@const(c0.x) 1, 2\nnop", "line 1: header @const does not go on so")
refused("a wrong register", "@localsize 1, 1, 1\n@wgid(p0.x)", "line 2: header @wgid")
refused("what would have a warning", "(rpt1)add.f a0.y, c0.x, r5.y\nisam.1d.3 r0.x", "line 2: column")
refused("print", "print r0.x, r1.x", "line 1: print needs")

listing = """Native code for unnamed CL shader (null) with sha1 {}:
; num_ubos: 0
@in(r48.x)	in0 (wrmask=0x7)
l0:
jump #l0
; CL: outputs:
shader: MESA_SHADER_COMPUTE
"""
two = "NIR of the first shader\nvec1 32 con = load_const\n" + listing.format("abc1") + listing.format("abd2")
status, out, err = ir3("asm", "-", text=two)
case("a log with two listings", out == "".join(f"; Native code for unnamed CL shader (null) with sha1 {s}\n0100000000000000\n"
                                               for s in ("abc1", "abd2")), out + err)
for shader, ok in (("1", True), ("abd", True), ("ab", False), ("2", False), ("", False)):
    status, out, err = ir3("asm", "-", "--shader", shader, text=two)
    case(f"--shader '{shader}'", (status, out) == ((0, "0100000000000000\n") if ok else (2, "")), out + err)
case("-o needs one", ir3("asm", "-", "-o", tmp / "x", text=two)[0] == 2 and not (tmp / "x").exists())


# What Mesa printed.
def listings(text):
    """Each listing with what stands behind it, and the lines of its code."""
    for part in re.split(r"^(?=Native code )", text, flags=re.M)[1:]:
        code = re.split(r"^; \w+: outputs:.*", part, maxsplit=1, flags=re.M)[0]
        lines = [x.strip() for x in code.splitlines()[1:]]
        yield part, [x for x in lines if x and x[0] not in ";@" and not x.startswith("SIMD")]


def old_stg(line):
    """Today's text of an stg of 2021."""
    m = re.fullmatch(r"(.*)stg\.(\w+) g\[(\S+)\+(\S+)\], (\S+), 1", line)
    return f"{m[1]}stg.a.{m[2]} g[{m[3]}+({m[4]})<<2], {'h' * (m[2] == 'u16')}{m[5]}, 1" if m else line


def round_trip(path):
    text = gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()
    wrong = []
    all_of_them = list(listings(text))
    for i, (part, want) in enumerate(all_of_them):
        got, err = there_and_back(part)
        want = [old_stg(x) for x in want]
        missing = re.findall(r"label (l\d+) stands nowhere", err)
        got = [x for x in got.splitlines() if x.rstrip(":") not in missing] if got is not None else err
        if got != want:
            wrong.append((i, [x for x in zip(got, want) if x[0] != x[1]][:3], err))
    case(f"{path.name}: {len(all_of_them)} listings come back", all_of_them != [] and not wrong, wrong[:3])
    case(f"{path.name}: and in one piece", ir3("asm", "-", text=text)[0] == 0)


WORD = re.compile(r"^\t+:\d:\d{4}:(\d{4})\[([0-9a-f]{8})x_([0-9a-f]{8})x\] (.*)$", re.M)


def words(path, gpu):
    """Words with their text in a log of Mesa's cffdump: the text must give the word."""
    text = gzip.open(path, "rt", errors="replace").read() if path.suffix == ".gz" else path.read_text(errors="replace")
    rows = collections.OrderedDict()
    for m in WORD.finditer(text):
        if "; " not in m[4] and "no match" not in m[4] and "#l" not in m[4] and not re.match(r"l\d+:", m[4]):
            rows[m[4]] = m[2] + m[3]
    if not rows:
        return skip(f"{path.name}: no words of ir3 in it")
    status, out, err = ir3("asm", "-", "--gpu", gpu, text="\n".join(rows))
    got = out.split()
    wrong = [(t, w, g) for (t, w), g in zip(rows.items(), got) if w != g]
    case(f"{path.name}: {len(rows)} words", status == 0 and len(got) == len(rows) and not wrong, (err, wrong[:5]))


for name in ("turnip/listings_a630.txt.gz", "ir3-instrument/loop.listing", "ir3-instrument/loop-instrumented.listing"):
    path = traces / name
    round_trip(path) if path.exists() else skip(f"{name} is not here")
for name, gpu in (("comp630_computerator_combined.cffdump.txt.gz", 630), ("tu630-gmem.cffdump.txt.gz", 630),
                  ("tu660-stomp.cffdump.txt.gz", 660), ("tu740-bc.cffdump.txt.gz", 740), ("fd-clouds.log", 630)):
    path = traces / name
    words(path, gpu) if path.exists() else skip(f"{name} is not here")
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The way back, and real code.

    back.py RDNA_TEXT HERE

Our text of every instruction in gfx1100.vec goes through llvm-mc-19: it must
assemble, and to the same bytes unless LLVM's own text does not either. Then
kernels.cl, compiled by clang-19, must list as llvm-objdump-19 lists it.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TRIPLE = ["-triple=amdgcn", "-mcpu=gfx1100"]
CLANG = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib",
         "-Xclang", "-finclude-default-header", "-c", "-o"]
RECORD = 20
# Share of gfx1100.vec whose text gives their own bytes; the rest hold bits that text does not show.
CANONICAL = 0.80


def lull(helper, codes, wave="32"):
    """(size, text) of each code."""
    records = b"".join(c.ljust(RECORD, b"\0")[:RECORD] for c in codes)
    run = subprocess.run([helper, wave], input=records, capture_output=True, check=True)
    lines = [line.partition("\t") for line in run.stdout.decode().split("\n")[:-1]]
    return [(int(size), text) for size, _, text in lines]


def assemble(texts):
    """Bytes of each text, None where llvm-mc refuses."""
    out = [None] * len(texts)
    source = "".join(f"{t}\n" for t in texts)
    run = subprocess.run(["llvm-mc-19", *TRIPLE, "--show-encoding"], input=source, capture_output=True, text=True)
    refused = {int(n) - 1 for n in re.findall(r"<stdin>:(\d+):\d+: error", run.stderr)}
    if refused:  # llvm-mc prints nothing after an error.
        kept = [i for i in range(len(texts)) if i not in refused]
        for i, code in zip(kept, assemble([texts[i] for i in kept])):
            out[i] = code
        return out
    codes = re.findall(r"encoding: \[(.*?)\]", run.stdout)
    return [bytes(int(b, 16) for b in c.split(",")) for c in codes]


def vectors(here):
    for line in (here / "gfx1100.vec").read_text().split("\n"):
        if line and line[0] != "#":
            words, _, text = line.partition("\t")
            yield struct.pack(f"<{len(words.split())}I", *(int(w, 16) for w in words.split())), text


def test_back(helper, here, report):
    codes = [code for code, _ in vectors(here)]
    texts = [text for _, text in lull(helper, codes)]
    made = assemble(texts)
    theirs = assemble([text for _, text in vectors(here)])
    same = sum(a == b for a, b in zip(made, codes))
    worse = [t for t, m, c, x in zip(texts, made, codes, theirs) if m != c and x == c]
    report(not worse, "text assembles to the bytes it came from wherever LLVM's does",
           f"{len(worse)} do not: {worse[:3]}")
    report(same >= CANONICAL * len(codes), f"{same} of {len(codes)} come back byte for byte", "too few")
    again = [m for m in made if m is not None]
    wrong = [t for t, (_, u) in zip([t for t, m in zip(texts, made) if m is not None], lull(helper, again)) if t != u]
    report(not wrong, f"{len(again)} assembled texts print as themselves", f"{len(wrong)} do not: {wrong[:3]}")


def objdump(path, wave):
    """(bytes, text) of every instruction."""
    run = subprocess.run(["llvm-objdump-19", "-d", f"--mattr=+wavefrontsize{wave}", path], capture_output=True, text=True, check=True)
    for m in re.finditer(r"^\t(.*?)\s*// [0-9A-F]+: ([0-9A-F ]+?)(?: <.*>)?$", run.stdout, re.M):
        words = [int(w, 16) for w in m[2].split()]
        yield struct.pack(f"<{len(words)}I", *words), re.sub(r"\s+", " ", m[1])


def test_compiled(helper, here, report):
    for wave in ("32", "64"):
        for level in ("-O0", "-O2"):
            with tempfile.TemporaryDirectory() as tmp:
                obj = f"{tmp}/k.o"
                extra = ["-mwavefrontsize64"] if wave == "64" else []
                subprocess.run([*CLANG, obj, level, *extra, here / "kernels.cl"], check=True)
                code = list(objdump(obj, wave))
            ours = lull(helper, [c for c, _ in code], wave)
            bad = [(c.hex(), o, t) for (c, t), o in zip(code, ours) if o != (len(c), t)]
            report(code and not bad, f"wave{wave} {level}: {len(code)} instructions list as llvm-objdump lists them",
                   f"{len(bad)} do not: {bad[:3]}")


def main():
    helper, here = sys.argv[1], pathlib.Path(sys.argv[2])
    if not all(shutil.which(tool) for tool in ("llvm-mc-19", "llvm-objdump-19", "clang-19")):
        print("1..0 # SKIP no LLVM 19")
        return
    count = 0

    def report(ok, name, fault):
        nonlocal count
        count += 1
        print(f"{'ok' if ok else 'not ok'} {count} - {name}")
        if not ok:
            print(f"# {fault}")

    test_back(helper, here, report)
    test_compiled(helper, here, report)
    print(f"1..{count}")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lull reads and prints as text, in CPU time of whole commands.

texts.py LULL TESTS TRACES [RESULTS.jsonl]: code of gfx1100 listed, beside llvm-objdump-19 on the same words; ir3 assembled and listed;
a printf buffer decoded; a dump of a hang in words (if TRACES has one). The best of five, commands in turn."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

lull, tests, traces = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
out = open(sys.argv[4], "a", encoding="utf-8") if len(sys.argv) > 4 else None
ROUNDS = 5


def cpu(command):
    """Seconds of user and system time of one run."""
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode not in (0, 1):
        sys.exit(f"texts: {' '.join(map(str, command))}: status {p.returncode}")
    return used.ru_utime + used.ru_stime


def best(*commands):
    times = [[cpu(c) for c in commands] for _ in range(ROUNDS)]
    return [min(t[i] for t in times) for i in range(len(commands))]


def tell(name, amount, unit, ours, peer=None, peer_name=""):
    scale, prefix = (1e6, "M") if amount >= 1e6 else (1e3, "k")
    rate = f"{amount / ours / scale:.2f} {prefix + unit}/s" if unit != "B" else f"{amount / ours / 1e6:.0f} MB/s"
    beside = f"; {peer_name} {peer:.2f} s: {peer / ours:.1f} times as fast" if peer is not None else ""
    print(f"{name}: {ours:.3f} s of CPU time, {rate}{beside}", flush=True)
    if out:
        out.write(json.dumps({"bench": "texts", "what": name, "amount": amount, "unit": unit, "seconds": ours, "peer": peer}) + "\n")


def words_of(vec):
    for line in vec.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def disasm(work, repeat):
    rows = [row[0].split() for row in words_of(tests / "isa/gfx1100.vec")]
    raw, source, obj = work / "code.bin", work / "code.s", work / "code.o"
    raw.write_bytes(b"".join(struct.pack("<I", int(w, 16)) for row in rows for w in row) * repeat)
    source.write_text("\n".join(f".long 0x{w}" for row in rows for w in row) + "\n")
    source.write_text(f".rept {repeat}\n{source.read_text()}.endr\n")
    subprocess.run(["llvm-mc-19", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-filetype=obj", source, "-o", obj], check=True)
    ours, theirs = best([lull, "disasm", "--raw", raw], ["llvm-objdump-19", "-d", "--mcpu=gfx1100", obj])
    tell("code of gfx1100 listed", len(rows) * repeat, "instructions", ours, theirs, "llvm-objdump-19 -d")


def ir3(work, n):
    """Different instructions: what stands twice is looked up."""
    lines = [f"add.f r{i % 48}.{'xyzw'[i // 48 % 4]}, r{i // 192 % 48}.y, c{i % 60}.z" if i % 2 == 0 else
             f"(rpt1)mad.f32 r{i % 46}.x, r{i // 46 % 48}.{'xyzw'[i // 2208 % 4]}, r2.y, r{i % 31}.w" for i in range(n)]
    text, raw = work / "shader.asm", work / "shader.bin"
    text.write_text("\n".join(lines) + "\nend\n")
    subprocess.run([lull, "ir3", "asm", text, "-o", raw], check=True, stdout=subprocess.DEVNULL)
    asm, = best([lull, "ir3", "asm", text, "-o", "/dev/null"])
    tell("ir3 assembled", n, "instructions", asm)
    show, = best([lull, "ir3", "disasm", raw])
    tell("ir3 listed", n, "instructions", show)


def pack(v):
    """MessagePack, what of it is needed."""
    if isinstance(v, int):
        return b"\xcf" + struct.pack(">Q", v)
    if isinstance(v, str):
        return b"\xdb" + struct.pack(">I", len(v)) + v.encode()
    if isinstance(v, list):
        return b"\xdd" + struct.pack(">I", len(v)) + b"".join(map(pack, v))
    return b"\xdf" + struct.pack(">I", len(v)) + b"".join(pack(k) + pack(x) for k, x in v.items())


def printf(work, n):
    texts = [(5, "item %u of %u", 2), (6, "x = %f, y = %f, z = %f", 3), (7, "%d", 1), (8, "address 0x%08x: %x", 2)]
    doc, buf = work / "strings", work / "buffer"
    doc.write_bytes(pack({"amdpal.version": [3, 0], "amdpal.format_strings": {".version": 1, ".strings": [
        {".index": i, ".string": t, ".argument_count": a, ".64bit_arguments": [0]} for i, t, a in texts]}}))
    body = bytearray()
    for i in range(n):
        index, _, args = texts[i % len(texts)]
        body += struct.pack("<Q", index << 16 | args + 2)
        body += struct.pack(f"<{args}f", *((i + 1) / (3 + k) for k in range(args))) if index == 6 else struct.pack(
            f"<{args}I", *((i * 2654435761 + k) & 0xffffffff for k in range(args)))
    buf.write_bytes(struct.pack("<QII", len(body) // 4, 0, 0) + body)
    ours, = best([lull, "printf", "decode", "--strings", doc, buf])
    tell("printf buffer decoded", len(body), "B", ours)


def crashdec(dump):
    if not dump.exists():
        print(f"no dump of a hang in {traces}: crashdec is not measured")
        return
    size = len(subprocess.run([lull, "crashdec", dump], check=True, capture_output=True).stdout)
    start, ours = best([lull, "--version"], [lull, "crashdec", dump])
    tell("dump of a hang in words, text", size, "B", ours)
    tell("the same without the start of the command", size, "B", max(ours - start, 1e-4))


with tempfile.TemporaryDirectory() as folder:
    disasm(pathlib.Path(folder), 200)
    ir3(pathlib.Path(folder), 20000)
    printf(pathlib.Path(folder), 1000000)
    crashdec(traces / "crash.devcore")

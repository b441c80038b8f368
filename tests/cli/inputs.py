#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that are not what they are said to be, that unpack to far more than they are, or that do not come. inputs.py LULL."""
import gzip
import os
import pathlib
import pty
import select
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
DUMP = b"---\nkernel: 6.12\nmodule: msm\nrevision: 630 (6.3.0.2)\nregisters:\n  - { offset: 0x000840, value: 0x00800005 }\n"
PASSWD = b"root:x:0:0:root:/root:/bin/bash\nsync:x:4:65534:sync:/bin:/bin/sync\n"
LONG = 60  # seconds, after which something hangs


def section(kind, payload):
    return struct.pack("<II", kind, len(payload)) + payload


GPU = section(13, struct.pack("<I", 630))


def stream(*words):
    data = struct.pack(f"<{len(words)}I", *words)
    return (section(3, struct.pack("<III", 0x1000, len(data), 0)) + section(12, data)
            + section(6, struct.pack("<III", 0x1000, len(words), 0)))


CAPTURE = GPU + stream(0x70388003, 4, 1, 3)


def zstd(*blocks):
    """A frame of blocks (bytes, how often); one byte with a count is stored as one. Source: RFC 8878, 3.1.1."""
    out = bytearray(struct.pack("<IBB", 0xFD2FB528, 0, 7 << 3))  # no size, no checksum; a window of 128 KiB
    for data, times in blocks:
        for _ in range(times >> 17 if len(data) == 1 else times):
            size = 1 << 17 if len(data) == 1 else len(data)
            out += struct.pack("<I", size << 3 | (2 if len(data) == 1 else 0))[:3] + data
    return bytes(out + struct.pack("<I", 1)[:3])  # the last block is empty


def run(args, **how):
    return subprocess.run([lull, *map(str, args)], capture_output=True, timeout=LONG * 4, **how)


RD = (["rd", "show"], ["rd", "show", "--json"], ["rd", "show", "--sections"], ["rd", "show", "--style=cffdump"], ["cffdump"])
CRASH = (["crash", "show"], ["crash", "show", "--json"], ["crash", "show", "--signature"])
LENIENT = (["crashdec", "-f"], ["crash", "show", "--style=crashdec"])


def kinds(d):
    files = {"empty": (b"", "empty"), "zeros": (bytes(5000), "nothing but zeros"), "zeros.gz": (gzip.compress(bytes(1 << 20)), "nothing but zeros"),
             "one-zero": (b"\0", "nothing but zeros"), "passwd": (PASSWD, "some other text"), "elf": (b"\x7fELF\2\1\1" + bytes(57), "an ELF file"),
             "dump": (DUMP, "a crash dump ('lull crash show' reads it)"), "dump.gz": (gzip.compress(DUMP), "a crash dump"),
             "rd": (CAPTURE, "an rd capture ('lull rd show' reads it)"), "rd.gz": (gzip.compress(CAPTURE), "an rd capture"),
             "random": (bytes(range(1, 256)), "nothing that lull knows")}
    for name, (data, words) in files.items():
        (d / name).write_bytes(data)
        for args in RD:
            r = run([*args, d / name])
            fits = name in ("rd", "rd.gz")
            if name == "random":  # perhaps a damaged capture: its reader says what is wrong
                good = r.returncode == 3 and b"byte 0: section 0" in r.stderr
            elif fits:
                good = r.returncode == 0 and r.stderr == b""
            else:
                good = r.returncode == 3 and r.stdout == b"" and f"{d / name}: byte 0: not an rd capture, but {words}" in r.stderr.decode()
            case(f"{' '.join(args)} {name}", good, r)
        for args in CRASH:
            r = run([*args, d / name])
            good = r.returncode == 0 and r.stderr == b"" if name in ("dump", "dump.gz") else (
                r.returncode == 3 and r.stdout == b"" and f"{d / name}: line 1: not a crash dump, but {words}" in r.stderr.decode())
            case(f"{' '.join(args)} {name}", good, r)
    for args in LENIENT:
        r = run([*args, d / "empty"])
        case(f"{' '.join(args)} empty, as Mesa's", r.returncode == 0 and r.stderr == b"", r)
    r = run(["rd", "diff", d / "rd", d / "dump"])
    case("rd diff rd dump", r.returncode == 3 and b"dump: byte 0: not an rd capture" in r.stderr, r)
    r = run(["crash", "triage", d / "dump", d / "passwd", d / "zeros.gz", d / "rd"])
    case("crash triage", r.returncode == 0 and b"1 dump in 1 group, 3 no crash dumps" in r.stdout, r)


def bombs(d):
    """Small files with much in them: each ends, says why, and shows no more than it may."""
    small = section(2, b"a\0\0\0")
    rows = [
        ("zeros behind a section", zstd((GPU, 1), (b"\0", 2 << 30)), RD[2], b"65536 empty sections in a row", 16 << 20),
        ("zeros, decoded", zstd((GPU, 1), (b"\0", 2 << 30)), RD[0], b"65536 empty sections in a row", 16 << 20),
        ("large sections", zstd((GPU, 1), (b"\1", 3 << 30)), RD[2], b"more than 1 GiB, and 1024 times", 1 << 20),
        ("many small sections", gzip.compress(GPU + small * 1500000), RD[2], b"too many for the", 100 << 20),
        ("CP_START_BIN", GPU + stream(0x70D08005, 0x7FFFFFFF, 0x2000, 0, 0, 0), RD[1], b"can need: cut short", 32 << 20),
        ("CP_START_BIN with a body", GPU + stream(0x70D08005, 0x7FFFFFFF, 0x2000, 0, 0, 1, 0x70108000), RD[1], b"can need: cut short", 64 << 20),
    ]
    for name, data, args, words, most in rows:
        (d / "bomb").write_bytes(data)
        r = run([*args, d / "bomb"])
        case(f"{' '.join(args)}: {name}, {len(data)} bytes", r.returncode == 1 and words in r.stderr and len(r.stdout) < most,
             (r.returncode, r.stdout[-100:], len(r.stdout), r.stderr[-500:]))


def until(f, words, most=LONG):
    """What comes from @f until @words, or nothing for long."""
    got = b""
    while words not in got and select.select([f], [], [], most)[0]:
        more = os.read(f, 4096)
        if not more:
            break
        got += more
    return got


def fifos(d):
    """A FIFO without a writer is waited for, as cat does, but not in silence."""
    (d / "whole").write_bytes(CAPTURE)
    (d / "fw").write_bytes(struct.pack("<6I", 0, 0x016EE001, 0, 0x01000000, 0x08210004, 0x01000000))
    os.mkfifo(d / "fifo")
    for args, data in ((["rd", "show"], CAPTURE), (["crash", "show"], DUMP), (["afuc", "disasm"], (d / "fw").read_bytes())):
        (d / "file").write_bytes(data)
        want = run([*args, d / "file"])
        p = subprocess.Popen([lull, *args, d / "fifo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = until(p.stderr.fileno(), b"\n")
        (d / "fifo").write_bytes(data)
        out, err = p.communicate(timeout=LONG)
        case(f"{' '.join(args)} of a FIFO", said == f"lull: {d}/fifo: waits until somebody writes to it\n".encode()
             and (p.returncode, out.replace(b"fifo", b"file"), err) == (want.returncode, want.stdout, want.stderr), (said, out, err, want))
    p = subprocess.Popen(f"cat {d / 'whole'} | {lull} rd show -", shell=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = p.communicate(timeout=LONG)
    case("a pipe with a writer needs no words", p.returncode == 0 and err == b"" and out == run(["rd", "show", d / "whole"]).stdout, (out, err))
    r = run(["rd", "show", d / "none"])
    case("no such file", r.returncode == 3 and b"No such file" in r.stderr, r)


def holds(pid, path):
    """Has the process this file open?"""
    try:
        return any(os.path.samefile(f"/proc/{pid}/fd/{f}", path) for f in os.listdir(f"/proc/{pid}/fd"))
    except OSError:  # one was closed meanwhile
        return False


def refused_fifos(d):
    """Commands that read a file as a whole, or let another program read it, do not wait for who may never come."""
    (d / "loop.s").write_text("s_endpgm\n")
    suffixes = "bin", "cl", "comp", "elf", "ll", "lua", "s", "spv", "txt"
    for suffix in suffixes:
        os.mkfifo(d / f"f.{suffix}")
    for args in (["disasm", "f.cl"], ["disasm", "--raw", "f.bin"], ["run", "f.ll", "--grid", 1], ["run", "f.comp", "--groups", 1],
                 ["run", "f.spv", "--groups", 1], ["run", "f.elf", "--layout", "none", "--groups", 1], ["debug", "f.s", "--grid", 1],
                 ["vm", "walk", 0, "f.s", "--grid", 1], ["cc", "f.ll", "-o", "out"], ["diff", "f.comp", "--against", "lavapipe", "--groups", 1],
                 ["cffdump", "-L", "f.lua", "none.rd"], ["printf", "run", "f.comp", "--groups", 1]):
        fifo = next(a for a in args if str(a).startswith("f."))
        r = subprocess.run([lull, *map(str, args)], cwd=d, capture_output=True, stdin=subprocess.DEVNULL, timeout=LONG)
        case(f"{' '.join(map(str, args))}: refused", r.returncode == 3 and f"{fifo}: a FIFO that nobody writes to\n" in r.stderr.decode(), r)
    # With a writer they are files like others: nothing is lost, wherever the writer is.
    for name, late in ("has written", False), ("has yet to write", True):
        fd = os.open(d / "f.bin", os.O_RDWR)
        writer = os.open(d / "f.bin", os.O_WRONLY)
        if not late:
            os.write(writer, b"bfb00000\n")
        p = subprocess.Popen([lull, "disasm", "--raw", "f.bin"], cwd=d, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while p.poll() is None and not holds(p.pid, d / "f.bin"):
            time.sleep(0.01)
        if late:
            os.write(writer, b"bfb00000\n")
        os.close(fd)
        os.close(writer)
        out, err = p.communicate(timeout=LONG)
        case(f"disasm --raw of a FIFO whose writer {name}", p.returncode == 0 and b"s_endpgm" in out, (out, err))


def progress(d):
    """Half of it comes, and no more for a while: a terminal is told, a file is not."""
    for terminal in True, False:
        p = subprocess.Popen([lull, "rd", "show", "--summary", d / "fifo"], stdout=subprocess.PIPE, stderr=(ends := pty.openpty() if terminal else os.pipe())[1])
        with open(d / "fifo", "wb", buffering=0) as f:
            f.write(CAPTURE[:10])
            said = until(ends[0], b"waits for more\r\n", LONG if terminal else 3.5)
            f.write(CAPTURE[10:])
        out, _ = p.communicate(timeout=LONG)
        for fd in ends:
            os.close(fd)
        good = said.startswith(f"lull: {d}/fifo: 0 MiB read in ".encode()) if terminal else said == b""
        case(f"progress, {'a terminal' if terminal else 'no terminal'}", good and p.returncode == 0 and b"1 draw" in out, (said, out))


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    kinds(work)
    bombs(work)
    fifos(work)
    refused_fifos(work)
    progress(work)
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of <lull/rdgen.h> that print: what lull replay shows of memory, registers and shaders, computed here. rdgen_print.py LULL SOURCE BUILD CC..."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from rd_bytes import pkt7, place, section  # noqa: E402
from tap import case, end  # noqa: E402

lull, source, build = [pathlib.Path(p).resolve() for p in sys.argv[1:4]]
compiler = sys.argv[4:]
keep = tempfile.TemporaryDirectory()
tmp = pathlib.Path(keep.name)
square = (source / "examples/rdgen/square.c").read_text()
LOG = 1 << 16  # bytes of a log


def sh(*args):
    return subprocess.run([*map(str, args)], capture_output=True, text=True, timeout=120, cwd=tmp)


def made(name, *edits):
    """The capture that square.c writes with these edits, and why not."""
    text = square
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (tmp / f"{name}.c").write_text(text)
    r = sh(*compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", f"-I{source / 'include'}", f"-I{build / 'include'}", "-o", tmp / name, f"{name}.c", f"-L{build}",
           "-llull", f"-Wl,-rpath,{build}")
    r = sh(tmp / name, tmp / f"{name}.rd") if r.returncode == 0 else r
    return r


def replayed(name, *args):
    r = sh(lull, "replay", "--json", *args, f"{name}.rd")
    try:
        return r, json.loads(r.stdout)["submits"][0]
    except (ValueError, KeyError):
        return r, {}


# The CP: memory before and after the dispatch, and registers.
before, after = "    pkt7(g, CP_EXEC_CS, 0, GROUPS, 1, 1);\n", "    pkt7(g, CP_WAIT_FOR_IDLE);\n"
SHOW = ("    lull_rdgen_print(g, out_address, 4);\n" + before + "    lull_rdgen_print(g, out_address + 40, 3);\n"
        "    lull_rdgen_print_registers(g, REG_SP_CS_CONFIG, 1);\n    lull_rdgen_print_registers(g, REG_HLSQ_CS_NDRANGE_0, 2);\n")
ndrange = 3 | 63 << 2  # KERNELDIM, LOCALSIZEX: data/adreno/a6xx.dom
for gpu, chip in (("a630", "0x06030001"), ("a660", "0x06060001")):
    r = made("cp", ("0x06030001", chip), (before, SHOW))
    ran, got = replayed("cp")
    case(f"{gpu}: memory and registers", ran.returncode == 0 and got.get("cp_log") == [[0, 0, 0, 0], [100, 121, 144], [1 << 8], [ndrange, 0]], (r, ran, got))
    ran = sh(lull, "replay", "cp.rd")
    case(f"{gpu}: in words", "\n  cp log [1] 0x00000064 1.4013e-43  0x00000079 1.69557e-43  0x00000090 2.01787e-43\n" in ran.stdout and
         ran.stdout.count("cp log") == 4, ran)

# The same by --override, in the hole between the buffers of the source.
sh(*compiler, "-std=c17", f"-I{source / 'include'}", f"-I{build / 'include'}", "-o", tmp / "plain", source / "examples/rdgen/square.c", f"-L{build}", "-llull",
   f"-Wl,-rpath,{build}")
sh(tmp / "plain", tmp / "plain.rd")
r = made("cp", (before, SHOW))
ran, got = replayed("plain", "--override", 0, "--generator", tmp / "cp")
case("--override", ran.returncode == 0 and got.get("cp_log", [0, 0])[1] == [100, 121, 144], (r, ran))

# Shaders: each invocation's number and its square, in any order; the squares still come out.
code = '           "end\\n",\n'
r = made("shader", (code, '           "print r4.x, r2.x, r3.x\\n"\n' + code), ("FULLREGFOOTPRINT(4)", "FULLREGFOOTPRINT(6)"))
ran, got = replayed("shader", "--dump", "0x100000000:512=squares")
log = got.get("shader_log", [])
pairs = sorted(zip(log[::2], log[1::2]))
case("shaders", ran.returncode == 0 and pairs == [(i, i * i) for i in range(128)], (r, ran.stderr, pairs))
case("shaders: what they compute stays", ran.returncode == 0 and (tmp / "squares").read_bytes() == struct.pack("<128I", *(i * i for i in range(128))), ran.stderr)
# More than the log has: what comes last is written over the last, and nothing behind it.
r = made("much", (code, '           "print r4.x, r2.x, r3.x\\n"\n' * 80 + code), ("FULLREGFOOTPRINT(4)", "FULLREGFOOTPRINT(6)"))
ran, got = replayed("much")
case("a log that is full", ran.returncode == 0 and len(got.get("shader_log", [])) == (LOG - 8) // 4, (r, ran.stderr, len(got.get("shader_log", []))))

# Memory for files.
read = ("    lull_rdgen_submit(g, &stream);\n", "    lull_rdgen_submit(g, &stream);\n    lull_rdgen_read_into_file(g, out_address, 1024, %s, \"%s\");\n")
for clear, rest in (("false", bytes(512)), ("true", struct.pack("<I", 0xDEADBEEF) * 128)):
    r = made("file", (read[0], read[1] % (clear, "squares.bin")))
    ran, _ = replayed("file", "--files", "out")
    got = (tmp / "out/squares.bin").read_bytes() if ran.returncode == 0 else b""
    case(f"a file, clear {clear}", got == struct.pack("<128I", *(i * i for i in range(128))) + rest, (r, ran.stderr, got[:600]))
for name in ("../outside", "/outside", ".hidden", ""):
    r = made("file", (read[0], read[1] % ("false", name)))
    ran, _ = replayed("file", "--files", "out")
    case(f"a file named '{name}'", ran.returncode == 3 and f"'{name}' is not the name of a file" in ran.stderr and not (tmp / "outside").exists(), (r, ran))

# What cannot be printed.
for what, edit, words in (("no dwords", (before, "    lull_rdgen_print(g, out_address, 0);\n" + before), "a print of no dwords"),
                          ("too much", (before, "    lull_rdgen_print(g, out_address, 16384);\n" + before), "prints of more than 65536 bytes in a submit"),
                          ("a line that is not a print", (code, '           "print r4.x, 5\\n"\n' + code), "print"),
                          ("no room for the print's own", (code, '           "print r4.y, r2.x\\n"\n' + code), "print")):
    r = made("wrong", edit)
    case(f"wrong: {what}", r.returncode == 3 and words in r.stderr, r)


# Logs of anybody, damaged: nothing is read outside of them.
def capture(log, size=64):
    packets = struct.pack("<1I", *pkt7(0x10))
    return (section(14, struct.pack("<Q", 0x06030001)) + section(2, b"x\0\0\0") + place(16, 0x100001000, size) + place(3, 0x100000000, 4) + section(12, packets) +
            place(3, 0x100001000, 64) + section(12, log.ljust(64, b"\0")) + place(6, 0x100000000, 1))


at = 0x100001000
for what, log, size, want in (("one entry", struct.pack("<4Q", at + 32, 8, 8, 7), 64, [[7, 0]]),
                              ("an end far away", struct.pack("<4Q", 1 << 60, 8, 40, 7), 64, [[7, *[0] * 9]]),
                              ("an end in front", struct.pack("<4Q", at, 8, 8, 7), 64, []),
                              ("an entry beyond the end", struct.pack("<4Q", at + 32, 8, 1 << 62, 7), 64, [[7, 0]]),
                              ("a size beyond the buffer", struct.pack("<4Q", at + 32, 8, 8, 7), 1 << 31, [[7, 0]])):
    (tmp / "log.rd").write_bytes(capture(log, size))
    ran, got = replayed("log")
    case(f"a log: {what}", ran.returncode == 0 and got.get("cp_log") == want, (ran, got))
end()

# SPDX-License-Identifier: MIT
"""dprintf of lull debug: TAP. Arguments: lull, tests/cli of the build folder.

The program is examples/bughunt, whose pixels and bins are computed here; both styles have to print the same.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

lull, build = sys.argv[1], pathlib.Path(sys.argv[2])
# Drivers leak at exit, the shim stands before the sanitizer's library: both are not ours to check.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
PROGRAM = [str(build / "histogram"), str(build / "histogram.spv")]
f32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]
BRIGHT = [f32(i * 37 % 101 / 100) for i in range(4096)]
BIN = [int(f32(b * 256)) for b in BRIGHT]


def debug(*commands, more=(), want=0):
    args = [x for c in commands for x in ("-ex", c)]
    r = subprocess.run([lull, "debug", "-batch", *more, *args, "--", *PROGRAM], capture_output=True, text=True, timeout=150, check=False)
    return r.returncode, r.stdout, r.stderr


def where():
    """Offset of the instruction that makes the bin's number an offset, and the symbol."""
    listed = lambda what: json.loads([x for x in debug("catch dispatch", "run", what, more=["--json"])[1].splitlines() if x.startswith("{")][-1])
    symbol = listed("info pipeline")["pipeline"]
    instructions = listed(f"disassemble {symbol}")["instructions"]
    for insn in instructions:
        if insn["text"].startswith("v_cvt_u32_f32"):
            return symbol, int(insn["address"], 16) + insn["size"] - int(instructions[0]["address"], 16)
    raise AssertionError(f"no v_cvt_u32_f32: {instructions}")


def lines(out):
    """{(workgroup, thread): text} of the lines of dprintf."""
    found = re.findall(r"^workgroup (\d+),0,0 thread (\d+): (.*)$", out, re.M)
    return len(found), {64 * int(g) + int(t): text for g, t, text in found}


def main():
    symbol, offset = where()
    start = ["catch dispatch", "run", "delete"]
    want = {i: f"bin {b}, {hex(b * 4) if b else 0} 100%" for i, b in enumerate(BIN)}
    place = f"{symbol}+{offset}"
    for style in ("gdb", "agent"):
        status, out, err = debug(*start, f"set dprintf-style {style}", f'dprintf {place},"bin %u, %#x 100%%\\n", $v0, $v0 * 4', "info breakpoints", "continue")
        n, got = lines(out)
        tap.case(f"{style}: a line for each lane, with its workgroup and thread", n == 4096 and got == want, (n, list(got.items())[:3], out[:600], err))
        tap.case(f"{style}: the program goes on to its end", "4096 pixels, 4055 counted" in out and "exited with status 1" in out, out[-300:])
        tap.case(f"{style}: it is listed", re.search(rf"^2 .*<{symbol}\+0x{offset:x}> dprintf", out, re.M) is not None, out[:600])
    for style in ("gdb", "agent"):
        _, out, err = debug(*start, f"set dprintf-style {style}", f'dprintf {place},"%.2f wave", $s4.f32', "continue")
        found = re.findall(r"^workgroup (\d+),0,0 wave 0: (256.00 wave)$", out, re.M)
        tap.case(f"{style}: values of the wave alone: a line for each wave", sorted(int(g) for g, _ in found) == list(range(64)), (found[:3], out[:300], err))
    for style in ("gdb", "agent"):
        _, out, err = debug(*start, f"set dprintf-style {style}", f'dprintf {place},"bin %u",$v0', "condition 2 $v0 >= 256", "continue")
        n, got = lines(out)
        tap.case(f"{style}: a condition chooses lanes", got == {i: f"bin {b}" for i, b in enumerate(BIN) if b >= 256}, (n, out[:400], err))
    _, out, err = debug(*start, "set dprintf-style agent", f'dprintf {place},"bin %u",$v0', f"break {place}", "continue", "delete", "continue")
    tap.case("with a breakpoint in the same shader it stops, and prints", "hit breakpoint 3" in out and lines(out)[1].get(0) == f"bin {BIN[0]}", (out[:500], err))
    _, out, _ = debug(*start, f'dprintf {place},"bin %u",$v0', "continue", more=["--json"])
    objects = [json.loads(line) for line in out.splitlines() if line.startswith("{") and "dprintf" in line and "where" in line]
    tap.case("as JSON", len(objects) == 4096 and objects[0]["dprintf"] == 2 and objects[0]["text"].startswith("bin "), out[:500])
    for what, message in (('"%u"', "takes 1 values, and there are 0"), ('"%s",$v0', "dprintf does not print strings"), ('bin', "a format in quotes"), ('"%u', "does not end"), ('"%u\\', "does not end"),
                          ('"%u",$v0 $v1', "stands where"), ('"\\q"', "the format has")):
        status, out, err = debug(*start, f"dprintf {place},{what}")
        tap.case(f"refused: {what}", status != 0 and message in err, (status, out[-200:], err))
    tap.end()


main()

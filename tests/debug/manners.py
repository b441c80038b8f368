#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gdb's manners in lull debug: list, x/s, casts that are refused. manners.py LULL SOURCE-ROOT."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
ENV = {k: v for k, v in os.environ.items() if k != "LULL_HISTORY"} | {"HOME": str(work)}
SOURCE = (root / "tests/debug/variables.cl").read_text().splitlines()
VARIABLES = [str(root / "tests/debug/variables.cl"), "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out", "--arg", "iota:64:i32:name=table", "--arg", "i32:77",
             "--arg", "hex:0000803f000000400000404000008040"]


def debug(*commands, kernel=VARIABLES):
    args = [a for c in commands for a in ("-ex", c)]
    return subprocess.run([lull, "debug", "-batch", *args, *kernel], capture_output=True, text=True, cwd=work, env=ENV, timeout=120)


def listed(line):
    first = max(line - 5, 1)
    return [f"{'=>' if n == line else '  '} {n:4}  {SOURCE[n - 1]}" for n in range(first, min(first + 9, len(SOURCE)) + 1)]


def lists():
    inner = next(i + 1 for i, t in enumerate(SOURCE) if "int t = a * 3" in t)
    outer = next(i + 1 for i, t in enumerate(SOURCE) if "int r = helper" in t)
    r = debug("break helper", "run", "echo [1]", "list", "echo [2]", "up", "list", "echo [3]", "down", "list")
    part = [p.splitlines() for p in r.stdout.replace("[2]", "[1]").replace("[3]", "[1]").split("[1]\n")]
    case("list: around the place", part[1] == listed(inner), r)
    case("... of the frame that is looked at", part[2][1:] == listed(outer), r)
    case("... and back", part[3][1:] == listed(inner), r)


def strings():
    text = b'ab"c\0' + bytes([1, 200]) + b"\\z\0" + b"x" * 300 + b"\0"
    (work / "text.bin").write_bytes(text + bytes(-len(text) % 4))
    kernel = [str(root / "examples/loop.s"), "--grid", "32", "--block", "32", "--arg", "buffer:text.bin:name=out"]
    r = debug("start", "x/2s out", "x/s", kernel=kernel)
    got = [t.split(": ", 1)[1] for t in r.stdout.splitlines()[-3:]]
    case("x/s: two, and on; what is not plain in octal; 200 bytes", got == [r'"ab\042c"', r'"\001\310\134z"', '"' + "x" * 200 + '"...'], (r, got))
    for c, want in (("x/s 5", "not mapped"), ("print/s 5", "format s is for 'x'"), ("x/q out", "no format 'q'")):
        r = debug("start", c, kernel=kernel)
        case(f"{c}: refused", r.returncode == 3 and want in r.stderr, r)


def casts():
    for c, want in (("print (node)c", "as large"), ("print (node)5", "as large"), ("print (color)5", "no symbol"), ("print (node *)1.5", "not a float"),
                    ("print (nodes *)np", "nodes"), ("print (node * np", "node")):
        r = debug("break variables.cl:40", "run", c)
        case(f"{c}: refused", r.returncode == 3 and want in r.stderr, r)


for test in (lists, strings, casts):
    test()
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gdb's manners in lull debug: list, x/s, casts that are refused. manners.py LULL SOURCE-ROOT."""
import fcntl
import os
import pathlib
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

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


def kept():
    kernel = [str(root / "examples/loop.s"), "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out"]
    r = debug("set $i = 5", "print $i * 2", "set $i = $i + 1", "print $i", "print $ + 100", "print $1", "print $$2", "print $$", "show values", "show convenience", kernel=kernel)
    number = [t.rsplit("(", 1)[1].rstrip(")") for t in r.stdout.splitlines()[:6]]
    case("set $i, $, $1, $$2, $$", number == ["10", "6", "106", "10", "6", "10"], r)
    case("show values, show convenience", r.stdout.splitlines()[6:] == [f"${n + 1} = {v}" for n, v in enumerate(("10", "6", "106", "10", "6", "10"))] + ["$i = 6"], r)
    r = debug("start", "set $twice = $v0 * 2", "stepi 3", "print $twice[31]", "print $twice + $v1", "set $s2 = 7", "print $s2", "show convenience", kernel=kernel)
    case("... of each lane; a register is no variable", "(62)" in r.stdout and "(7)" in r.stdout and r.stdout.splitlines()[-1].startswith("$twice = ") and
         "$s2 = " not in r.stdout.splitlines()[-1], r)
    script = "set $i = 0\nset $sum = 0\nwhile $i < 10\nset $i = $i + 1\nset $sum = $sum + $i\nend\nprint $sum\n"
    (work / "script").write_text(script)
    r = subprocess.run([lull, "debug", "-batch", "-x", "script", *kernel], capture_output=True, text=True, cwd=work, env=ENV, timeout=60)
    case("a loop counts with them", r.stdout.splitlines()[-1].endswith("(55)"), r)
    r = debug("set $n = 100", "break loop.s:16 if $s2 == $n", "run", "set $n = 50", "continue", "print $s2", kernel=kernel)
    case("a condition has the value of now", "(50)" in r.stdout and r.stdout.count("hit breakpoint 1") == 2, r)
    for c, want in (("print $nothing", "$nothing"), ("print $9", "0 values were printed"), ("print $", "0 values"), ("set $s999 = 1", "$s999"), ("set $a b = 1", "$a"),
                    ("set $9 = 1", "$9"), ("set $x = nothing", "nothing"), ("print $1x", "$1x")):
        r = debug(c, kernel=kernel)
        case(f"{c}: refused", r.returncode == 3 and want in r.stderr, r)
    (work / "script").write_text("print 7\n" + "print 8\n" * 1000 + "print $2\nprint $1\n")
    r = subprocess.run([lull, "debug", "-batch", "-x", "script", *kernel], capture_output=True, text=True, cwd=work, env=ENV, timeout=60)
    case("the last 1,000 are kept", r.returncode == 3 and "(8)" in r.stdout and "$1: 1002 values" in r.stderr, (r.returncode, r.stderr))


def terminal(lines, env, rows=10):
    """What lull writes on a terminal of 80 columns for these lines; each is typed when what stands in front of it was written."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.clear()
        os.environ.update(ENV | {"LULL_HISTORY": ""} | env)
        os.chdir(work)
        os.execv(lull, [lull, "debug", "-nx", str(root / "examples/loop.s"), "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out"])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    seen, part = b"", b""
    for want, text in lines:
        until = time.time() + 60
        while want not in part and time.time() < until:
            if select.select([fd], [], [], 1)[0]:
                try:
                    more = os.read(fd, 65536)
                except OSError:
                    break
                part += more
                seen += more
        if want not in part:
            break
        part = part.split(want, 1)[1]
        os.write(fd, text)
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        seen += more
    os.waitpid(pid, 0)
    return seen.decode(errors="replace").replace("\r", "")


def terminals():
    lull_ = b"(lull) "
    plain = [(lull_, b"start\n"), (lull_, b"quit\n")]
    text = terminal(plain, {"TERM": "xterm"})
    colours = ["\033[1mWave 0 (workgroup 0,0,0 wave 0) stands at its first instruction, lane 0\033[0m", "loop.s:10\033[0m\t", "\033[1m=>\033[0m \033[34m0x", "\033[33m<loop+0x0>\033[0m"]
    case("a terminal has colours", all(c in text for c in colours), text)
    for name, env in (("NO_COLOR", {"TERM": "xterm", "NO_COLOR": "1"}), ("a terminal without them", {"TERM": "dumb"})):
        text = terminal(plain, env)
        case(f"{name}: none", "=> 0x" in text and not any(c in text for c in ("\033[1m", "\033[34m", "\033[33m", "\033[32m")), text)
    case("a pipe has none", "\033" not in debug("start", kernel=VARIABLES).stdout)
    ask = b"--Type <RET> for more"
    head = [(lull_, b"start\n"), (lull_, b"info lanes\n")]
    whole = [f"lane {n:2}  thread" for n in range(32)]

    def rows(text):
        return [w for w in whole if w in text]

    text = terminal([*head, (ask, b"\n"), (ask, b"q\n"), (lull_, b"quit\n")], {"TERM": "dumb"})
    case("pages: two of nine lines, then no more", rows(text) == whole[:18], text)
    text = terminal([*head, (ask, b"c\n"), (lull_, b"quit\n")], {"TERM": "dumb"})
    case("... c: all that is left", rows(text) == whole and text.count("--Type") == 1, text)
    text = terminal([head[0], (lull_, b"set pagination off\n"), (lull_, b"info lanes\n"), (lull_, b"quit\n")], {"TERM": "dumb"})
    case("... set pagination off", rows(text) == whole and "--Type" not in text, text)
    text = terminal([*head, (lull_, b"quit\n")], {"TERM": "dumb"}, rows=60)
    case("... and none where there is room", rows(text) == whole and "--Type" not in text, text)
    r = debug("set pagination maybe")
    case("set pagination maybe: refused", r.returncode == 3 and "on or off" in r.stderr, r)


for test in (lists, strings, casts, kept, terminals):
    test()
end()

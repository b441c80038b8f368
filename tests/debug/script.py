#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scripts and habits of gdb in lull debug: script.py LULL SOURCE-ROOT. examples/loop.s adds v1 = i + 1 to v2 while s2 goes from 250 to 0: at line 16
for the n-th time s2 is 251 - n and v2 is n (i + 1)."""
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
loop = root / "examples/loop.s"
LINE = next(i + 1 for i, t in enumerate(loop.read_text().splitlines()) if "s_sub_i32" in t)
ENV = {k: v for k, v in os.environ.items() if k != "LULL_HISTORY"} | {"HOME": str(work)}
KERNEL = [str(loop), "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out"]


def run(script, *options, env=None):
    (work / "script").write_text(script)
    return subprocess.run([lull, "debug", *options, "-batch", "-x", str(work / "script"), *KERNEL], capture_output=True, text=True, cwd=work,
                          env=ENV | (env or {}), timeout=120)


def has(name, r, *texts, status=0):
    case(name, r.returncode == status and all(t in r.stdout + r.stderr for t in texts), r)


def commands():
    r = run(f"break loop.s:{LINE}\ncommands\nsilent\nprintf \"s2=%d v2=%u\\n\", $s2, $v2\ncontinue\nprint 12345\nend\nrun\n")
    want = [f"s2={251 - n} v2={n}" for n in range(1, 251)]
    case("commands at each of 250 hits, the stop is silent, what follows continue is not done",
         [t for t in r.stdout.splitlines() if t.startswith("s2=")] == want and "12345" not in r.stdout and "stopped" not in r.stdout and r.returncode == 0, r)
    r = run(f"break loop.s:{LINE}\nbreak loop\ncommands 1-2\nprint 7 * 6\nend\nrun\ninfo breakpoints\n")
    has("commands of two, shown by info breakpoints", r, "(42)", "        print 7 * 6")
    case("... of each", r.stdout.count("        print 7 * 6\n") == 2, r)
    has("commands of none", run("commands 9\nend\n"), "no breakpoint 9", status=3)
    has("an end without a beginning", run("print 1\nend\n"), "script:2", "an 'end' without a beginning", status=3)
    has("no end", run("break loop\ncommands\nprint 1\n"), "ends before an 'end'", status=3)


def flow():
    script = f"break loop.s:{LINE}\nrun\ndelete breakpoints\n"
    r = run(script + "while $s2 > 240\n  stepi 4\n  if $s2 == 242\n    loop_break\n  end\n  if $s2 > 244\n    loop_continue\n  end\n  output $s2\n  echo .\nend\np $s2\n")
    case("while, if, loop_break, loop_continue", "0x000000f4" in r.stdout and "0x000000f3" in r.stdout and "0x000000f5." not in r.stdout and
         "$s2 = 0x000000f2  (242)" in r.stdout, r)
    r = run(script + "if $v2 == 32\n  echo a lane has it\nelse\n  echo wrong\nend\nif $v2 == 33\n  echo wrong\nelse\n  echo no lane has it\nend\n")
    has("if: true in a lane; else", r, "a lane has it\n", "no lane has it\n")
    case("... and only one branch", "wrong" not in r.stdout, r)
    r = run(script + "define twice\nif $argc == 1\nprint $arg0 + $arg0\nend\nend\ndocument twice\nTwo times a value.\nend\ntwice 21\nhelp twice\n")
    has("define, $arg0, $argc, document", r, "(42)", "Two times a value.\n")
    has("a name that is lull's", run("define print\nend\n"), "is a command of lull", status=3)
    has("commands in each other for ever", run("define a\na\nend\na\n"), "more than 64", status=3)
    (work / "other").write_text("print 40 + 2\nnonsense\n")
    has("source: its error has file and line", run("source other\n"), "(42)", "other:2", "no command 'nonsense'", status=3)
    has("a command of a while fails", run(script + "while 1\nnonsense\nend\n"), "no command 'nonsense'", status=3)


def words():
    r = run("set confirm off\nset pagination off\nset height 0\nset width 0\nset print pretty on\nset verbose off\nset history save on\nset logging enabled off\n"
            "break loop\ni b\nhelp step\nwhere\n", "-ex", "start")
    has("first lines of gdb's scripts, i b, help of one command", run("set confirm off\nset height 0\nset print pretty on\nbreak loop\ni b\nhelp stepi\n"),
        "keep enabled", "stepi [N]\nstep N instructions\n")
    has("where", r, "#0  0x", "loop.s:")
    has("shell and !: a command of the host's, and its status", run("shell echo a | tr a b\n!echo c/x; exit 3\n"), "b\nc/x\n[status 3]\n")
    has("... which needs one", run("shell\n"), "a command is needed", status=3)
    r = run("start\nbreak loop\nwatch {u32}out\ncatch fp invalid\ninfo watchpoints\n")
    case("info watchpoints: they alone", re.findall(r"^(\d+) +keep", r.stdout, re.M) == ["2"], r)
    has("... none", run("break loop\ninfo watchpoints\n"), "No watchpoints.")
    text = b"50% of it"
    has("printf with %s: a string in memory", run("start\n" + "".join(f"set {{u8}}(out+{i}) = {c}\n" for i, c in enumerate(text + b"\0")) +
                                                  'printf "[%s|%11s|%-11s|%.3s] %d%%\\n", out, out, out, out, 7\n'),
        "[50% of it|  50% of it|50% of it  |50%] 7%\n")
    has("... where no memory is", run('start\nprintf "%s", 16\n'), "is not mapped", status=3)
    has("... which needs a wave", run("where\n"), "not started", status=3)
    r = run("start\nkill\nprint $v0\n")
    case("a value that is not there: no name of it either", "$v0 = " not in r.stdout and r.returncode == 3, r)
    has("apropos", run("apropos page table\n"), "vm -- walk the page tables")
    has("set var, call, advance, thread, info threads", run(f"start\nset var $s2 = 5\ncall $s2 * 2\nadvance loop.s:{LINE}\nthread 0\ninfo threads\ni r s2\nwhere\n"),
        "(10)", "s2 ", "#0  0x")
    r = run("complete info w\ncomplete tbr\ncomplete break lo\n")
    case("complete", sorted(r.stdout.splitlines()) == sorted(["info watchpoints", "info waves", "info when", "info writer", "tbreak", "break loop", "break loop.kd"]), r)
    r = run(f"break loop.s:{LINE} if $s2 < 10\ncommands\nprint 1\nend\ntbreak loop\ndisable 2\ndprintf loop.s:{LINE},\"a\\t%d\\n\",$s2\n"
            "watch {u32}out if 1\ncatch fp divzero\nsave breakpoints saved\n")
    first = subprocess.run([lull, "debug", "-batch", "-x", "saved", "-ex", "info breakpoints", "-ex", "save breakpoints again", *KERNEL], capture_output=True,
                           text=True, cwd=work, env=ENV)
    case("save breakpoints and source make the same again", r.returncode == 0 and (work / "saved").read_text() == (work / "again").read_text() and
         first.stdout.count("\n") >= 6 and "disabled" in first.stdout and "if $s2 < 10" in first.stdout, (r, first, (work / "saved").read_text()))
    has("save to a file that cannot be written", run("break loop\nsave breakpoints /nowhere/x\n"), "/nowhere/x", status=3)


def init():
    (work / ".lullinit").write_text("define answer\nprint 6 * 7\nend\n")
    has("~/.lullinit", run("answer\n"), "(42)")
    has("-nx: without it", run("answer\n", "-nx"), "no command 'answer'", status=3)
    (work / ".lullinit").unlink()


def terminal():
    """A terminal: completion by tab, history in a file."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(ENV, TERM="dumb")
        os.execv(lull, [lull, "debug", *KERNEL])
    seen = b""

    def wait(text):
        nonlocal seen
        until = time.time() + 60
        while text not in seen and time.time() < until:
            if select.select([fd], [], [], 1)[0]:
                try:
                    seen += os.read(fd, 65536)
                except OSError:
                    break
        ok = text in seen
        seen = seen.split(text, 1)[-1]
        return ok

    ok = wait(b"(lull) ")
    os.write(fd, b"info bre\t\n")
    ok = ok and wait(b"info breakpoints")
    os.write(fd, b"define four\n")
    ok = ok and wait(b">")
    os.write(fd, b"print 2 + 2\nend\nfour\n")
    case("a terminal: tab completes, '>' waits for the end", ok and wait(b"(4)"), seen)
    os.write(fd, b"quit\n")
    status = os.waitpid(pid, 0)[1]
    history = (work / ".lull_history").read_text() if (work / ".lull_history").exists() else ""
    case("... and the lines are kept", status == 0 and re.search(r"info\S*breakpoints", history) is not None and "four" in history, (status, history))


for test in (commands, flow, words, init, terminal):
    test()
end()

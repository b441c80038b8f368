#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stops that the user asks for while a Vulkan program runs: ask.py LULL PROGRAM [ARGUMENT...]. `catch dispatch ask` on a terminal, SIGUSR1 and Ctrl-\\.
The program has two dispatches at least, of which RADV may have put some there."""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
from tap import case, end  # noqa: E402

lull, program = os.path.abspath(sys.argv[1]), sys.argv[2:]
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
os.environ |= {"HOME": "/nonexistent", "LULL_HISTORY": "", "TERM": "dumb"}
QUESTION = b"Stop here? (y or n; q: do not ask again) "


def terminal(lines):
    """What lull writes on a terminal; each of the lines is typed, behind a signal if there is one, when what stands in front of it was written."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(lull, [lull, "debug", "-nx", "--", *program])
    seen, part = b"", b""
    for want, do in lines:
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
            os.kill(pid, signal.SIGKILL)
            break
        part = part.split(want, 1)[1]
        if isinstance(do, tuple):
            os.kill(pid, do[0])
            do = do[1]
        os.write(fd, do)
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


def asks():
    r = subprocess.run([lull, "debug", "-batch", "-nx", "-ex", "catch dispatch", "-ex", "run", *["-ex", "continue"] * 8, "--", *program], capture_output=True, text=True,
                       timeout=120, stdin=subprocess.DEVNULL)
    total = len(re.findall(r"^Dispatch \d+ is held", r.stdout, re.M))
    case("the program has dispatches", total >= 1, r)
    prompt = b"(lull) "
    text = terminal([(prompt, b"catch dispatch ask\n"), (prompt, b"run\n"), (QUESTION, b"y\n"), (prompt, b"info breakpoints\n"), (prompt, b"kill\n"), (prompt, b"quit\n")])
    case("y stops", text.count("Dispatch 0 is held") == 2 and "catch dispatch ask hit 1 time" in text, text)
    text = terminal([(prompt, b"catch dispatch ask\n"), (prompt, b"run\n"), *[(QUESTION, b"n\n")] * total, (prompt, b"quit\n")])
    case("n goes on, at each", text.count("Stop here?") == total and "[The program exited" in text, (total, text))
    text = terminal([(prompt, b"catch dispatch ask\n"), (prompt, b"run\n"), (QUESTION, b"q\n"), (prompt, b"info breakpoints\n"), (prompt, b"quit\n")])
    case("q asks no more", text.count("Stop here?") == 1 and "disabled catch dispatch ask" in text and "[The program exited" in text, text)
    r = subprocess.run([lull, "debug", "-batch", "-nx", "-ex", "catch dispatch ask", "-ex", "run", "--", *program], capture_output=True, text=True, timeout=120,
                       stdin=subprocess.DEVNULL)
    case("without a terminal it stops", "you are asked at each dispatch" in r.stdout and "Dispatch 0 is held" in r.stdout, r)
    text = terminal([(prompt, (signal.SIGUSR1, b"run\n")), (b"Dispatch 0 is held", b"info breakpoints\n"), (prompt, b"continue\n"), (b"[The program exited", b"quit\n")])
    case("SIGUSR1 stops the next, once", text.count("is held") == 1 and "No breakpoints." in text, text)
    text = terminal([(prompt, (signal.SIGQUIT, b"run\n")), (b"Dispatch 0 is held", b"kill\n"), (prompt, b"quit\n")])
    case("so does what Ctrl-\\ sends", text.count("is held") == 1, text)


# As in the background of a shell that has no job control: what is ignored is not even kept for who waits for it.
signal.signal(signal.SIGQUIT, signal.SIG_IGN)
asks()
end()

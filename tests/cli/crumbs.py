#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull crumbs: datagrams as Turnip sends them, and which packet a crumb stands at. crumbs.py LULL [TRACES].

What is printed for a datagram is what the receiver of freedreno's documentation prints: printf("%u:%u\\n", "0x" $0, a[$0]++) of each four
bytes. When it asks is what tu_cs_breadcrumbs.cc of Mesa 25.0.7 does: at a number from N on, once N itself came HITS times.
"""
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from rd_bytes import buffer, pkt7, section, stream, words  # noqa: E402
from tap import case  # noqa: E402

lull = os.path.abspath(sys.argv[1])


class Listener:
    def __init__(self, *args):
        self.p = subprocess.Popen([lull, "crumbs", "listen", "127.0.0.1:0", "--timeout", "60", *map(str, args)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        self.port = int(re.search(r"UDP port (\d+)", self.p.stderr.readline())[1])
        self.s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.s.connect(("127.0.0.1", self.port))
        self.s.settimeout(60)

    def send(self, *numbers):
        for n in numbers:
            self.s.send(n if isinstance(n, bytes) else struct.pack(">I", n))

    def end(self):
        out, err = self.p.communicate(timeout=60)
        self.s.close()
        return self.p.returncode, out, err


def awk(numbers):
    """What the documents' receiver prints."""
    seen, out = {}, []
    for n in numbers:
        out.append(f"{n}:{seen.get(n, 0)}")
        seen[n] = seen.get(n, 0) + 1
    return out


for name, numbers in (("one after the other", [1, 2, 3, 4]), ("bins", [1, 2, 3, 4, 3, 4, 3, 4, 5]), ("again and again", [7] * 20),
                      ("all of 32 bits", [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x01020304, 0xffffffff])):
    s = Listener("--count", len(numbers))
    s.send(*numbers)
    got = s.end()
    case(f"listen: {name}", got[0] == 0 and got[1].splitlines() == awk(numbers) and f"the last is crumb {numbers[-1]};" in got[2], got)
s = Listener("--count", 3, "--json")
s.send(5, 5, 6)
got = s.end()
case("listen: --json", [json.loads(line) for line in got[1].splitlines()] == [
    {"crumb": 5, "times": 0, "break": False}, {"crumb": 5, "times": 1, "break": False}, {"crumb": 6, "times": 0, "break": False}], got)
s = Listener("--count", 4)
s.send(struct.pack(">II", 1, 2), b"", b"abc", b"\0" * 5, struct.pack(">I", 9), struct.pack(">I", 1))
got = s.end()
case("listen: two in a datagram, and datagrams that are not crumbs", got[0] == 0 and got[1].splitlines() == ["1:0", "2:0", "9:0", "1:1"]
     and got[2].count("left out: ") == 3 and "3 bytes" in got[2], got)

# (--break, what is sent, which of them need an ack)
for stop, numbers, want in (("3:0", [1, 2, 3, 4], [3, 4]), ("3:1", [2, 3, 4, 3, 4], [4, 3, 4]), ("3:2", [3, 3, 4, 3], [4, 3]),
                            ("-1:0", [1, 0xfffffffe, 0xffffffff], []), ("4294967295:0", [0xffffffff], []), ("0:0", [0, 1], [0, 1])):
    s = Listener("--break", stop, "--json", "--count", len(numbers))
    s.send(*numbers)
    got = s.end()
    stops = [c["crumb"] for c in map(json.loads, got[1].splitlines()) if c["break"]]
    case(f"listen: --break {stop}", got[0] == 0 and stops == want and got[2].count("Enter lets it go on") == len(want), got)
s = Listener("--break", "5:0", "--count", 3)
acks = []
s.send(4)
for n in (5, 6):  # as a GPU that waits: the next comes after the ack
    s.send(n)
    line = ""
    while "Enter" not in line:
        line = s.p.stderr.readline()
    if n == 5:
        s.p.stdin.write("\n")
        s.p.stdin.flush()
        acks.append(s.s.recv(16))
got = s.end()
case("listen: Enter sends the ack to the sender", acks == [struct.pack(">I", 5)] and "4:0\n5:0\n6:0\n" == got[1], (acks, got))
s = Listener()
s.send(1)
s.p.stdout.readline()
s.p.send_signal(signal.SIGINT)
got = s.end()
case("listen: Ctrl-C after one", got[0] == 0 and "the last is crumb 1;" in got[2], got)
s = Listener()
s.p.send_signal(signal.SIGTERM)
got = s.end()
case("listen: SIGTERM before one", got[0] == 130 and got[1] == "", got)
r = subprocess.run([lull, "crumbs", "listen", "127.0.0.1:0", "--timeout", "1"], capture_output=True, text=True, timeout=60)
case("listen: nothing comes", r.returncode == 124 and r.stdout == "", r)
taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
taken.bind(("127.0.0.1", 0))
r = subprocess.run([lull, "crumbs", "listen", f"127.0.0.1:{taken.getsockname()[1]}"], capture_output=True, text=True, timeout=60)
case("listen: the port is taken", r.returncode == 3 and "Address already in use" in r.stderr, r)
for args in (("listen",), ("listen", "x"), ("listen", "70000"), ("listen", "1.2.3:5"), ("listen", "300.1.1.1:5"), ("listen", "9", "--break", "3"),
             ("listen", "9", "--break", "3:x"), ("listen", "9", "--break", "a:1"), ("listen", "9", "--break", "3:0,"), ("where", "a.rd"),
             ("where", "x", "a.rd"), ("list",), ("add",)):
    r = subprocess.run([lull, "crumbs", *args], capture_output=True, text=True, timeout=60)
    case("usage: " + " ".join(args), r.returncode == 2 and r.stdout == "", r)


# Captures by hand. Opcodes: Mesa's adreno_pm4.xml; a crumb of Turnip: freedreno's tu_cs_breadcrumbs.cc.
WAIT_WRITES, WFI, WAIT_ME, MEM_WRITE, WAIT_REG_MEM, NOP, DRAW, EXEC_CS, IB = 0x12, 0x26, 0x13, 0x3d, 0x3c, 0x10, 0x38, 0x33, 0x3f
BASE, CALLED, SYNC = 0x100001000, 0x100008000, 0x100004170
TRIANGLES, GROUPS = [4 | 2 << 6, 1, 3], [0, 1, 1, 1]


def turnip(n, back=None):
    return (pkt7(WAIT_WRITES) + pkt7(WFI) + pkt7(WAIT_ME) + pkt7(MEM_WRITE, SYNC & 0xffffffff, SYNC >> 32, n) +
            pkt7(WAIT_REG_MEM, 0x13, (SYNC + 8) & 0xffffffff, SYNC >> 32, n if back is None else back, 0xffffffff, 16))


def capture(packets, called=None):
    held = b"".join(buffer(at, words(w)) for at, w in ((BASE, packets), (CALLED, called)) if w is not None)
    return section(13, struct.pack("<I", 660)) + held + stream(BASE, len(packets))


def crumbs(data, *args):
    with tempfile.NamedTemporaryFile(suffix=".rd") as f:
        f.write(data)
        f.flush()
        r = subprocess.run([lull, "crumbs", *map(str, args), f.name, "--json"], capture_output=True, text=True, timeout=60)
    return r.returncode, [(c["number"], c.get("side"), c.get("packet"), int(c.get("address", "0"), 16), c["times"], c["by"]) for c in
                          json.loads(r.stdout or "[]")], r.stderr


draw, groups = pkt7(DRAW, *TRIANGLES), pkt7(EXEC_CS, *GROUPS)
plain = draw + pkt7(NOP, 1, 2) + groups + draw
at = [BASE, BASE + 4 * (len(draw) + 3), BASE + 4 * (len(draw) + 3 + len(groups))]
want = [(2 * i + 1 + after, ("before", "after")[after], ("CP_DRAW_INDX_OFFSET", "CP_EXEC_CS", "CP_DRAW_INDX_OFFSET")[i], at[i], 1, "position")
        for i in range(3) for after in (0, 1)]
got = crumbs(capture(plain), "list")
case("list: by position", got == (0, want, ""), got)
got = crumbs(capture(plain), "where", 4)
case("where: by position", got[:2] == (0, [want[3]]), got)
got = crumbs(capture(plain), "where", 9)
case("where: no such crumb", got[0] == 1 and got[1] == [], got)
call = pkt7(IB, CALLED & 0xffffffff, CALLED >> 32, len(plain))
got = crumbs(capture(call * 3 + draw, plain), "list")
want = [(n, s, p, a - BASE + CALLED, 3, b) for n, s, p, a, _, b in want]
want += [(7, "before", "CP_DRAW_INDX_OFFSET", BASE + 12 * len(call), 1, "position"), (8, "after", "CP_DRAW_INDX_OFFSET", BASE + 12 * len(call), 1, "position")]
got = crumbs(capture(call * 3 + draw, plain), "list")
case("list: a buffer that is called three times has one number a packet", got == (0, want, ""), got)
marked = turnip(11) + draw + turnip(12) + turnip(13) + groups + turnip(14) + turnip(15)
size = len(turnip(0)) * 4
d, g = BASE + size, BASE + 3 * size + 4 * len(draw)
got = crumbs(capture(marked), "list")
case("list: Turnip's own", got == (0, [(11, "before", "CP_DRAW_INDX_OFFSET", d, 1, "driver"), (12, "after", "CP_DRAW_INDX_OFFSET", d, 1, "driver"),
                                       (13, "before", "CP_EXEC_CS", g, 1, "driver"), (14, "after", "CP_EXEC_CS", g, 1, "driver"),
                                       (15, None, None, 0, 1, "driver")], ""), got)
got = crumbs(capture(turnip(1, back=2) + draw + turnip(5)), "list")
case("list: a write that is waited for with another number is not a crumb", [c[0] for c in got[1]] == [5], got)
got = crumbs(capture(pkt7(NOP)), "list")
case("list: nothing in it", got[0] == 1 and got[1] == [], got)
got = crumbs(capture(plain)[:-6], "list")
case("list: cut", got[0] in (1, 3) and ".rd" in got[2], got)
got = crumbs(b"\x7fELF" + bytes(100), "list")
case("list: another file", got[0] == 3 and got[1] == [], got)
trace = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "/nowhere") / "tu740-bc.rd.gz"
if trace.exists():  # made by Turnip with TU_BREADCRUMBS: eight crumbs about two blits and two draws
    r = subprocess.run([lull, "crumbs", "list", trace, "--json"], capture_output=True, text=True, timeout=60)
    said = [(c["number"], c["side"], c["packet"]) for c in json.loads(r.stdout)]
    names = ["CP_BLIT"] * 4 + ["CP_DRAW_INDX_OFFSET"] * 4
    case("a capture of Turnip's", said == [(i + 1, ("before", "after")[i % 2], names[i]) for i in range(8)], r)
else:
    tap.skip(f"no {trace}")
tap.end()

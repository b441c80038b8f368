#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull exec --crumbs, on both vendors: what comes by UDP is counted here against the packets that the program submitted, read here from a capture
(Adreno), or against its one dispatch (AMD). A break stands until its number comes back, or a line from the terminal.
exec_crumbs.py LULL DISPATCH TESTS_CLI BUILD DRAW_ARM64 ARM64.

Opcodes: Mesa 25.0.7 adreno_pm4.xml. A datagram: four bytes, the most significant first, tu_cs_breadcrumbs.cc.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile
import termios

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "shim")]
import arm64_tools  # noqa: E402
import tap  # noqa: E402
from tap import case  # noqa: E402

lull, dispatch, here, build, draws, root = (pathlib.Path(a).resolve() for a in sys.argv[1:7])
keep = tempfile.TemporaryDirectory()
tmp = pathlib.Path(keep.name)
GPUADDR, STREAM, CONTENTS = 3, 6, 12
NOP, EXEC_CS, IB = 0x10, 0x33, 0x3F


class Exec:
    """A program under lull exec, and who gets its crumbs. "@" in words is the address."""

    def __init__(self, *words, stop="", **how):
        self.s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.s.bind(("127.0.0.1", 0))
        self.s.settimeout(120)
        to = f"127.0.0.1:{self.s.getsockname()[1]}{stop}"
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp, **how}
        self.p = subprocess.Popen([lull, "exec", "--crumbs", to, *map(str, words)], **how)

    def take(self):
        data, self.peer = self.s.recvfrom(64)
        return struct.unpack(">I", data)[0]

    def ack(self, number):
        self.s.sendto(struct.pack(">I", number), self.peer)

    def end(self):
        """(status, output, errors, all crumbs)"""
        got = []
        ended = False
        while not ended:
            ended = self.p.poll() is not None  # all has been sent, then
            while select.select([self.s], [], [], 0 if ended else 0.05)[0]:
                got.append(self.take())
        out, err = self.p.communicate(timeout=60)
        self.s.close()
        return self.p.returncode, out, err, got


def packets(path):
    """(opcode, address) of type 7 and (None, address) of type 4 in the streams of a capture, in their order; calls are not followed."""
    data, at, last, parts, out = path.read_bytes(), 0, 0, {}, []
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        body, at = data[at + 8:at + 8 + size], at + 8 + size
        if kind in (GPUADDR, STREAM):
            low, n, high = struct.unpack_from("<III", body)
            last = low | high << 32
        if kind == CONTENTS:
            parts[last] = body
        if kind == STREAM:
            where, part = next((a, p) for a, p in parts.items() if a <= last < a + len(p))
            code, i = struct.unpack_from(f"<{n}I", part, last - where), 0
            while i < n:
                seven = code[i] >> 28 == 7
                out.append((code[i] >> 16 & 0x7F if seven else None, last + 4 * i))
                i += 1 + (code[i] & 0x3FFF if seven else code[i] & 0x7F)
    return out


def crumbs(n):
    return list(range(1, 2 * n + 1))


# One dispatch by msm's calls, on each chip; all its packets, in the order of its stream.
for name, text in (("square", (here / "adreno/square.asm").read_text()), ("spin", "l:\njump #l\nend\n")):
    (tmp / f"{name}.asm").write_text(text)
    subprocess.run([lull, "ir3", "asm", "--gpu", "630", tmp / f"{name}.asm", "-o", tmp / name], check=True)
program = ["--", dispatch, tmp / "square", 64, 2]
for gpu in ("a630", "a660"):
    rd = tmp / f"{gpu}.rd"
    got = Exec("--gpu", gpu, "--rd", rd, "--rd-full", *program).end()
    whole = packets(rd)
    at = [a for op, a in whole if op == EXEC_CS]
    case(f"{gpu}: a dispatch", got[0] == 0 and got[3] == crumbs(len(at)) == [1, 2] and got[1].startswith("out: 0 1 4 9 16")
         and f"lull exec: the last is crumb 2, after CP_EXEC_CS at {at[0]:#x}, dword " in got[2], got)
    got = Exec("--gpu", gpu, "--crumbs-at", "packets", *program).end()
    counted = [p for p in whole if p[0] != NOP]
    case(f"{gpu}: its packets", IB not in [p[0] for p in whole] and got[3] == crumbs(len(counted)) and f", after CP_" in got[2]
         and f" at {counted[-1][1]:#x}, " in got[2], (got, counted))
got = [Exec("--gpu", "a660", "--seed", seed, "--crumbs-at", "packets", *program).end() for seed in (1, 2)]
case("the same in each run, whatever the order of waves", got[0][3] == got[1][3] != [], got)

# A break stands until the right number comes back.
e = Exec("--gpu", "a660", *program, stop=",break=2:0")
first = [e.take(), e.take()]
e.ack(3)
stands = not select.select([e.p.stdout], [], [], 1)[0] and e.p.poll() is None
e.ack(2)
got = e.end()
case("a break, and its ack", first == [1, 2] and stands and got[0] == 0 and got[1].startswith("out: 0 1 4 9") and got[3] == []
     and got[2].count("the GPU is on crumb 2: ") == 1, (first, stands, got))
e = Exec("--gpu", "a660", *program, stop=",break=1:0")
first = [e.take()]
e.ack(1)
first.append(e.take())
e.ack(2)
got = e.end()
case("each from the break on", first == [1, 2] and got[0] == 0 and got[2].count("the GPU is on crumb") == 2, (first, got))
got = Exec("--gpu", "a660", *program, stop=",break=1:2").end()
case("hits that are not reached", got[0] == 0 and got[3] == [1, 2] and "the GPU is on" not in got[2], got)
e = Exec("--gpu", "a660", *program, stop=",break=-1:0")
got = e.end()
case("no break", got[3] == [1, 2] and got[0] == 0, got)
e = Exec("--gpu", "a660", *program, stop=",break=1:0")
first = e.take()
e.p.terminate()
got = e.end()
case("ended while it stands", first == 1 and got[0] != 0 and got[1] == "", got)


# From the terminal, and the program's standard input is its own.
def own_terminal(slave):
    def before():
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    return before


master, slave = pty.openpty()
e = Exec("--gpu", "a660", "--", "sh", "-c", f"{dispatch} {tmp / 'square'} 64 2; cat", stop=",break=1:0", stdin=subprocess.PIPE, preexec_fn=own_terminal(slave))
e.p.stdin.write("mine\n\n\n")
e.p.stdin.close()
e.p.stdin = None
first = [e.take()]
stands = not select.select([e.p.stdout], [], [], 1)[0]
os.write(master, b"\n")
first.append(e.take())
os.write(master, b"\n")
got = e.end()
case("Enter on the terminal", stands and first == [1, 2] and got[0] == 0 and got[1].startswith("out: 0 1 4 9") and got[1].endswith("mine\n\n\n")
     and "crumb 1: Enter lets it go on" in got[2], (first, got))

# A hang is at the crumb before it, on both vendors; work of others is not.
got = Exec("--gpu", "a660", "--longest", 200, "--", dispatch, tmp / "spin", 64, 2).end()
case("a hang, Adreno", got[3] == [1] and "lull exec: the GPU hung at crumb 1, before CP_EXEC_CS at 0x" in got[2], got)
cli = build
got = Exec(cli / "histogram", cli / "histogram.spv").end()
where = re.search(r"the last is crumb 2, after DISPATCH_DIRECT at (0x\w+), dword (\d+) of the buffer at (0x\w+), stream 1\n", got[2])
case("a dispatch, RADV", got[3] == [1, 2] and where is not None and int(where[1], 16) == int(where[3], 16) + 4 * int(where[2]), got)
ways = [Exec("--seed", seed, "--crumbs-at", "packets", cli / "histogram", cli / "histogram.spv").end()[3] for seed in (1, 2)]
case("its packets, in each run", ways[0] == ways[1] and ways[0] == crumbs(len(ways[0]) // 2) and len(ways[0]) > 20, ways)
e = Exec(cli / "histogram", cli / "histogram.spv", stop=",break=1:0")
first = [e.take()]
stands = not select.select([e.p.stdout], [], [], 1)[0]
e.ack(1)
first.append(e.take())
e.ack(2)
got = e.end()
case("a break, RADV", stands and first == [1, 2] and " counted" in got[1], (first, got))
got = Exec("--timeout", 1000, cli / "histogram", cli / "spin.spv").end()
case("a hang, RADV", got[3] == [1] and "the GPU hung at crumb 1, before DISPATCH_DIRECT at 0x" in got[2], got)
got = Exec(cli / "drawing", cli / "drawing.vert.spv", cli / "drawing.frag.spv").end()
case("draws, RADV", got[3] == crumbs(len(got[3]) // 2) and len(got[3]) >= 6, got)

# Draws under Turnip: the numbers are those of `lull crumbs list` of a capture of the same run, in rows and in tiles.
why = arm64_tools.absent(root)
for mode in ("sysmem", "gmem"):
    if why is not None:
        tap.skip(f"{mode}: {why}")
        continue
    (tmp / "pane.scene").write_bytes((here.parents[1] / "examples/pane.scene").read_bytes())
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(LULL_ARM64=str(root), MESA_SHADER_CACHE_DISABLE="true", VK_ICD_FILENAMES="/icd/backports/freedreno.json", XDG_RUNTIME_DIR=str(tmp), TU_DEBUG=mode)
    got = Exec("--gpu", "a660", "--rd", tmp / "t.rd", "--rd-full", "--", draws, "Turnip", tmp, tmp / "pane.scene", env=env).end()
    listed = subprocess.run([lull, "crumbs", "list", tmp / "t.rd"], capture_output=True, text=True, timeout=60).stdout
    numbers = [int(n) for n in re.findall(r"^position crumb (\d+): stream 0, (?:before|after) CP_", listed, re.M)]
    last = re.findall(r"after (\w+) at (0x\w+)", listed)[-1]
    case(f"Turnip, {mode}", got[0] == 0 and sorted(set(got[3])) == numbers and len(numbers) >= 6
         and f"crumb {numbers[-1]}, after {last[0]} at {last[1]}, " in got[2], (got, listed))

for words in (["--crumbs", "x"], ["--crumbs", "127.0.0.1"], ["--crumbs", "127.0.0.1:0"], ["--crumbs", "127.0.0.1:70000"], ["--crumbs", "1.2.3:5"],
              ["--crumbs", "127.0.0.1:9,break"], ["--crumbs", "127.0.0.1:9,break=1"], ["--crumbs", "127.0.0.1:9,break=a:1"], ["--crumbs", "127.0.0.1:9,stop=1:1"],
              ["--crumbs", "1" * 200], ["--crumbs-at", "packets"], ["--crumbs-at", "words", "--crumbs", "127.0.0.1:9"]):
    r = subprocess.run([lull, "exec", *words, "--", "true"], capture_output=True, text=True, timeout=60)
    case("usage: " + " ".join(words)[:60], r.returncode == 2 and "--crumbs" in r.stderr, r)
nobody = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
nobody.bind(("127.0.0.1", 0))
port = nobody.getsockname()[1]
nobody.close()
r = subprocess.run([lull, "exec", "--gpu", "a660", "--crumbs", f"127.0.0.1:{port}", *map(str, program)], capture_output=True, text=True, timeout=60)
case("nobody listens", r.returncode == 0 and r.stdout.startswith("out: 0 1 4 9") and "the last is crumb 2" in r.stderr, r)
tap.end()

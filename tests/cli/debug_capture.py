#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug CAPTURE: packets of captures put together here, one after the other, with registers and memory as they are computed here.
debug_capture.py LULL."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from rd_bytes import buffer, pkt4, pkt7, section, stream, words  # noqa: E402
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
keep = tempfile.TemporaryDirectory(prefix="lull-")
tmp = pathlib.Path(keep.name)
CHIPS = {"a630": 0x06030001, "a660": 0x06060001, "a740": 0x43050A01}
CMD, IB, IB2, DATA, NOWHERE = 0x100000000, 0x100010000, 0x100018000, 0x100020000, 0x180000000
# Opcodes, registers. Source: Mesa 25.0.7 adreno_pm4.xml, a6xx.xml.
CP_NOP, CP_REG_RMW, CP_WAIT_REG_MEM, CP_MEM_WRITE, CP_REG_TO_MEM, CP_INDIRECT_BUFFER, CP_COND_EXEC = 0x10, 0x21, 0x3C, 0x3D, 0x3E, 0x3F, 0x44
SCRATCH = 0x883  # CP_SCRATCH[0].REG; of the ring are [2] and [3].


def mem_write(address, value):
    return pkt7(CP_MEM_WRITE, address & 0xFFFFFFFF, address >> 32, value)


def call(address, dwords):
    return pkt7(CP_INDIRECT_BUFFER, address & 0xFFFFFFFF, address >> 32, dwords)


def wait(address, value):
    return pkt7(CP_WAIT_REG_MEM, 0x13, address & 0xFFFFFFFF, address >> 32, value, 0xFFFFFFFF, 16)


def chip(name):
    return section(14, struct.pack("<Q", CHIPS[name]))


def submit(packets, *more, process="prog/1: fence=1\0", streams=None):
    text = process.encode()
    return section(2, text + b"\0" * (-len(text) % 4)) + buffer(CMD, words(*packets)) + b"".join(more) + (
        streams or stream(CMD, sum(map(len, packets))))


def run(data, *commands, more=(), name="a.rd"):
    (tmp / name).write_bytes(data)
    args = [a for c in commands for a in ("-ex", c)]
    r = subprocess.run([lull, "debug", "-batch", *more, *args, name], capture_output=True, text=True, timeout=120, cwd=tmp)
    return r.returncode, r.stdout, r.stderr


def objects(data, *commands):
    """The status, and an object for each command."""
    r = run(data, *commands, more=["--json"])
    return r[0], [json.loads(line) for line in r[1].splitlines()], r


# What packets do, one after the other, computed here: where each is, and registers and memory in front of it.
def steps(packets, buffers, at=CMD):
    regs, memory, out = {}, {}, []

    def go(packets, at):
        for p in packets:
            out.append((at, dict(regs), dict(memory)))
            if p[0] >> 28 == 4:
                for i, v in enumerate(p[1:]):
                    regs[(p[0] >> 8 & 0x3FFFF) + i] = v
            elif p[0] >> 16 & 0x7F == CP_MEM_WRITE:
                memory[p[1] | p[2] << 32] = p[3]
            elif p[0] >> 16 & 0x7F == CP_REG_TO_MEM:
                memory[p[2] | p[3] << 32] = regs[p[1] & 0x3FFFF]
            elif p[0] >> 16 & 0x7F == CP_INDIRECT_BUFFER:
                go(buffers[p[1] | p[2] << 32], p[1] | p[2] << 32)
            at += 4 * len(p)

    go(packets, at)
    return out, regs, memory


inner = [pkt4(SCRATCH + 5, 0x55), mem_write(DATA + 8, 3), pkt4(SCRATCH + 5, 0x56)]
middle = [pkt4(SCRATCH + 4, 0x44, 0x45), call(IB2, sum(map(len, inner))), pkt7(CP_REG_TO_MEM, SCRATCH + 5, DATA & 0xFFFFFFFF, DATA >> 32)]
outer = [pkt7(CP_NOP), mem_write(DATA + 4, 1), call(IB, sum(map(len, middle))), pkt4(SCRATCH + 4, 0x99), call(IB2, sum(map(len, inner)))]
more = [buffer(IB, words(*middle)), buffer(IB2, words(*inner)), buffer(DATA, bytes(64))]
want, regs, memory = steps(outer, {IB: middle, IB2: inner})
for gpu in CHIPS:
    data = chip(gpu) + submit(outer, *more)
    status, got, r = objects(data, *(c for _ in want for c in ("stepp", "info regs CP_SCRATCH[[]0x[45]].REG", f"x/4wx {DATA:#x}")), "stepp")
    seen = [(int(s["address"], 16), s["packet"], s["stream"]) for s in got[0:-1:3] if "address" in s]
    case(f"{gpu}: stepp", status == 0 and seen == [(w[0], i, 0) for i, w in enumerate(want)], (seen, want, r))
    seen = [{int(x["register"], 16): int(x["value"], 16) if x["state"] == "known" else x["state"] for x in s["registers"]} for s in got[1:-1:3]]
    case(f"{gpu}: registers at each", seen == [{SCRATCH + i: w[1].get(SCRATCH + i, "never written") for i in (4, 5)} for w in want], seen)
    seen = [[int(v, 16) for v in s["values"]] for s in got[2:-1:3]]
    case(f"{gpu}: memory at each", seen == [[w[2].get(DATA + 4 * i, 0) for i in range(4)] for w in want], seen)
    case(f"{gpu}: the end", got[-1]["outcome"] == "done" and "1 submit, 0 with faults, 0 hung" in got[-1]["text"], got[-1])
data = chip("a660") + submit(outer, *more)

# Over calls: the packets of the stream itself.
top = [i for i, w in enumerate(want) if CMD <= w[0] < CMD + 0x1000]
status, got, r = objects(data, *["nextp"] * len(top))
case("nextp", [s["packet"] for s in got] == top, (got, r))
status, got, r = objects(data, "stepp 3", "stepp 1", "nextp 2")
case("nextp in what is called", [s["packet"] for s in got] == [2, 3, 8], (got, r))

# To places, by number and address, in this notation and that of lull rd show.
for what, number in [("until 0:6", 6), ("until packet 6", 6), (f"until packet {IB2 + 4 * len(inner[0]):#x}", 6), ("until packet CP_REG_TO_MEM", 8),
                     ("until packet 0:CP_INDIRECT_BUFFER", 2), ("until packet CP_SCRATCH[0x5].REG", 3)]:
    status, got, r = objects(data, what)
    case(what, status == 0 and got[0]["packet"] == number and int(got[0]["address"], 16) == want[number][0], (got, r))
status, got, r = objects(data, "break packet CP_SCRATCH[0x4].REG", "break packet 0:9", "tbreak packet CP_NOP", "run", "continue", "continue", "continue",
                         "info breakpoints")
case("breakpoints", [(s["packet"], s["breakpoint"]) for s in got[3:6]] == [(0, 3), (3, 1), (9, 1)] and got[6]["outcome"] == "done" and
     [(b["number"], b["kind"], b["hits"]) for b in got[7]["breakpoints"]] == [(1, "packet", 2), (2, "packet", 1)], (got, r))
status, got, r = objects(data, "break packet CP_MEM_WRITE", "ignore 1 2", "run", "delete 1", "continue")
case("ignore, delete", got[2]["packet"] == 12 and got[4]["outcome"] == "done", (got, r))
status, got, r = objects(data, "until 0:99")
case("a packet that never comes", status == 0 and got[0]["outcome"] == "done", (got, r))

# Back, with the state of that place.
status, got, r = objects(data, "until 0:9", "reverse-stepp", "reverse-stepp 5", "info regs CP_SCRATCH[[]0x5].REG", f"x/4wx {DATA:#x}", "stepp")
case("reverse-stepp", [s.get("packet") for s in got] == [9, 8, 3, None, None, 4] and got[3]["registers"][0]["state"] == "never written" and
     [int(v, 16) for v in got[4]["values"]] == [0, 1, 0, 0], (got, r))
r = run(data, "stepp", "reverse-stepp")
case("back from the first", r[0] == 3 and "packet 0 of stream 0 has 0 before it" in r[2], r)

# Around a packet, in the words of lull rd show.
shown = subprocess.run([lull, "rd", "show", "a.rd"], capture_output=True, text=True, cwd=tmp).stdout
status, got, r = objects(data, "until 0:8", "info packets 2")
listed = [(int(p["address"], 16), p["here"]) for p in got[1]["packets"]]
case("info packets", listed == [(IB, False), (IB + 12, False), (IB + 28, True)], (listed, r))
case("in the words of rd show", all(f"{p['text']}\n" in shown for p in got[1]["packets"] if p["text"].startswith("CP_")), (got[1], shown))

# Several streams and submits: streams by their number in the capture.
second = [mem_write(DATA + 12, 7), mem_write(DATA + 16, 8)]
two = chip("a630") + submit(outer, *more, buffer(IB + 0x40000, words(*second)), streams=stream(CMD, sum(map(len, outer))) + stream(IB + 0x40000, 8)) + submit(
    second, buffer(DATA, bytes(64)), process="other/2: fence=2\0")
status, got, r = objects(two, "info submits", "until 1:1", "until packet 2:CP_MEM_WRITE", "info submits", "info bos", "continue", "info submits")
case("streams", [(s["stream"], s["packet"], int(s["address"], 16)) for s in got[1:3]] == [(1, 1, IB + 0x40010), (2, 0, CMD)], (got[1:3], r))
case("info submits", [[(s["submit"], s["first_stream"], s["streams"], s["state"]) for s in got[i]["submits"]] for i in (0, 3, 6)] ==
     [[(0, 0, 2, a), (1, 2, 1, b)] for a, b in (("to come", "to come"), ("done", "runs"), ("done", "done"))], (got, r))
status, got, r = objects(two, "run", "stepp 2", "kill", "until 2:1", "continue")
case("run, kill and run again", got[0]["outcome"] == "done" and [(s["stream"], s["packet"]) for s in (got[1], got[3])] == [(0, 1), (2, 1)]
     and got[4]["outcome"] == "done", (got, r))

# What goes wrong stops at its packet, and says why.
hang = chip("a660") + submit([mem_write(DATA, 1), call(IB, 9)], buffer(IB, words(pkt7(CP_NOP, 0), wait(DATA + 4, 0xABCD))), buffer(DATA, bytes(64))) + submit(
    [mem_write(DATA + 8, 2)], buffer(DATA, bytes(64)))
status, got, r = objects(hang, "run", "continue", "info submits")
case("a hang", status == 1 and got[0]["stop"] == "waits" and int(got[0]["address"], 16) == IB + 8 and got[0]["packet"] == 3 and
     f"memory at {DATA + 4:#x} & 0xffffffff to be == 0xabcd; it is 0x0" in got[0]["reason"], (got, r))
case("behind it", got[1]["outcome"] == "done" and [s["state"] for s in got[2]["submits"]] == ["hung", "done"], (got, r))
status, got, r = objects(hang, "run", f"set {{u32}}{DATA + 4:#x} = 0xabcd", "continue", "info submits")
case("a hang that the user ends", got[2]["outcome"] == "done" and [s["state"] for s in got[3]["submits"]] == ["done", "done"], (got, r))
fault = chip("a660") + submit([mem_write(DATA, 1), mem_write(NOWHERE, 1), mem_write(DATA + 4, 1)], buffer(DATA, bytes(64)))
status, got, r = objects(fault, "run", "stepp", "continue")
case("a fault", status == 1 and got[0]["stop"] == "fault" and got[0]["packet"] == 1 and f"a write of {NOWHERE:#x}" in got[0]["reason"] and
     got[1]["packet"] == 2 and "1 with faults" in got[2]["text"], (got, r))
wrong = chip("a740") + submit([mem_write(DATA, 1), [0xDEADD00D], mem_write(DATA + 4, 1)], buffer(DATA, bytes(64)))
status, got, r = objects(wrong, "run", "continue")
case("no packet", status == 1 and got[0]["stop"] == "wrong" and int(got[0]["address"], 16) == CMD + 16 and "no packet" in got[0]["reason"] and
     "0 with faults, 1 hung" in got[1]["text"], (got, r))

# A condition that does not hold: its packets are met, and do nothing.
dead = chip("a660") + submit([pkt7(CP_COND_EXEC, DATA & 0xFFFFFFFF, DATA >> 32, DATA & 0xFFFFFFFF, DATA >> 32, 1, 8), mem_write(DATA + 4, 1),
                              mem_write(DATA + 8, 2), mem_write(DATA + 12, 3)], buffer(DATA, bytes(64)))
status, got, r = objects(dead, "stepp 2", "break packet CP_MEM_WRITE", "continue", f"x/4wx {DATA:#x}")
case("a condition that does not hold", not got[0]["executed"] and got[0]["packet"] == 1 and got[2]["packet"] == 3 and got[2]["executed"] and
     [int(v, 16) for v in got[3]["values"]] == [0, 0, 0, 0], (got, r))

# What is refused.
r = run(chip("a660") + submit([call(IB, 4)], section(3, struct.pack("<III", IB & 0xFFFFFFFF, 4096, IB >> 32))), "run")
case("contents that are missing", r[0] == 3 and r[1] == "" and "stream 0 runs what is at 0x100010000 in the buffer of 4096 bytes at 0x100010000, whose contents "
     "are not in the capture: it was taken without rd_full\n" in r[2], r)
# Registers in expressions: what was written, with both halves of a wide one.
BASE = 0x8875  # RB_DEPTH_BUFFER_BASE, of 64 bits. Source: Mesa's a6xx.xml.
named = [pkt4(SCRATCH + 4, 0x44, 0x45), pkt4(BASE, 0x89ABCDE0, 5), pkt4(0x8872, 2), pkt7(CP_NOP), pkt7(CP_REG_RMW, SCRATCH + 6, 0xFFFFFFFF, 1), pkt7(CP_NOP)]
for gpu in CHIPS:
    status, got, r = objects(chip(gpu) + submit(named), "until 0:3", *(f"print/x {e}" for e in ("$CP_SCRATCH[4].REG", "$CP_SCRATCH[0x5].REG + 1",
                             "$RB_DEPTH_BUFFER_BASE", "$RB_DEPTH_BUFFER_INFO == 2 && $RB_DEPTH_BUFFER_BASE > 0x500000000")))
    case(f"{gpu}: registers in expressions", status == 0 and [int(s["value"], 0) for s in got[1:]] == [0x44, 0x46, 0x589ABCDE0, 1], (got, r))
for command, text in [("print $CP_SCRATCH[4].REG", "$CP_SCRATCH[4].REG was never written"), ("print $RB_NO_SUCH", "no register '$RB_NO_SUCH'"),
                      ("print $CP_SCRATCH[4", "no register '$CP_SCRATCH'"), ("set $CP_SCRATCH[4].REG = 1", "$CP_SCRATCH[4].REG cannot be set")]:
    r = run(chip("a660") + submit(named), "until 0:0", command)
    case(command, r[0] == 3 and text in r[2], r)
r = run(chip("a660") + submit(named), "until 0:5", "print $CP_SCRATCH[6].REG")  # what was there before it was never written
case("a register that nobody knows", r[0] == 3 and "$CP_SCRATCH[6].REG is unknown: nobody can know its value here" in r[2], r)
for command, text in [("until packet CP_NOTHING", "'CP_NOTHING' is not a packet"), ("break packet 0:", "'0:' is not a packet"), ("stepp 0", "'0' is not a count"),
                      ("info packets", "not started: 'run', or 'stepp'"), ("info regs NO_SUCH", "no register of this GPU is called 'NO_SUCH'"),
                      ("reverse-stepp", "not started"), ("reverse-stepi", "not started: 'run'")]:
    r = run(data, command)
    case(command, r[0] == 3 and text in r[2], r)
end()

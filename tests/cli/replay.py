#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull replay: captures put together here, with what their packets must leave in memory as it is computed here.
replay.py LULL."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
keep = tempfile.TemporaryDirectory()
tmp = pathlib.Path(keep.name)
CHIPS = {"a630": 0x06030001, "a660": 0x06060001, "a740": 0x43050A01}
CMD, IB, DATA, NOWHERE = 0x100000000, 0x100010000, 0x100020000, 0x1800000000 >> 4
# Types of sections; opcodes. Source: Mesa 25.0.7 redump.h, adreno_pm4.xml.
CMD_TEXT, GPUADDR, STREAM, CONTENTS, GPU_ID, CHIP_ID = 2, 3, 6, 12, 13, 14
CP_NOP, CP_WAIT_REG_MEM, CP_MEM_WRITE, CP_INDIRECT_BUFFER = 0x10, 0x3C, 0x3D, 0x3F


def section(kind, payload):
    return struct.pack("<II", kind, len(payload)) + payload


def place(kind, address, size):
    return section(kind, struct.pack("<III", address & 0xFFFFFFFF, size, address >> 32))


def odd(v):
    return (bin(v).count("1") + 1) & 1


def pkt7(op, *values):
    return [7 << 28 | odd(op) << 23 | op << 16 | odd(len(values)) << 15 | len(values), *values]


def write(address, value):
    return pkt7(CP_MEM_WRITE, address & 0xFFFFFFFF, address >> 32, value)


def wait(address, value):
    """For memory to be equal to a value."""
    return pkt7(CP_WAIT_REG_MEM, 0x13, address & 0xFFFFFFFF, address >> 32, value, 0xFFFFFFFF, 16)


def call(address, dwords):
    return pkt7(CP_INDIRECT_BUFFER, address & 0xFFFFFFFF, address >> 32, dwords)


def dwords(values):
    return struct.pack(f"<{len(values)}I", *values)


def buffer(address, data, size=None):
    """A range, with its contents, or without if @data is None."""
    return place(GPUADDR, address, size or len(data)) + (section(CONTENTS, data) if data is not None else b"")


def submit(packets, *more, process="prog/1: fence=1", at=CMD, streams=None):
    data = dwords(packets)
    text = process.encode() + b"\0" * (4 - len(process) % 4)
    return section(CMD_TEXT, text) + buffer(at, data) + b"".join(more) + (streams or place(STREAM, at, len(packets)))


def chip(name):
    return section(CHIP_ID, struct.pack("<Q", CHIPS[name]))


def run(data, *args, name="a.rd"):
    (tmp / name).write_bytes(data)
    r = subprocess.run([lull, "replay", *map(str, args), name], capture_output=True, text=True, timeout=120, cwd=tmp)
    return r.returncode, r.stdout, r.stderr


def memory(data, address, size, *args):
    """The replay's status, and memory after it."""
    (tmp / "out").unlink(missing_ok=True)
    r = run(data, "--dump", f"{address:#x}:{size}=out", *args)
    return r, (tmp / "out").read_bytes() if (tmp / "out").exists() else None


# What packets leave in memory, on each chip, found by the chip's id; what was captured stays around it.
before = bytes(range(256))
for gpu in CHIPS:
    r, got = memory(chip(gpu) + submit(write(DATA + 8, 0x12345678) + call(IB, 4), buffer(IB, dwords(write(DATA + 16, 7))), buffer(DATA, before)),
                    DATA, 256)
    want = before[:8] + dwords([0x12345678]) + before[12:16] + dwords([7]) + before[20:]
    case(f"{gpu}: memory", r == (0, f"submit 0 (stream 0), 3 buffers: done\n{gpu}: 1 submit, 1 stream replayed: 1 done, 0 with faults, 0 hung\n", "")
         and got == want, (r, got))

# A capture names its chip by GPU_ID, too, and another patch level is the same chip.
for name, sections in {"GPU id": section(GPU_ID, struct.pack("<I", 630)), "patch level": section(CHIP_ID, struct.pack("<Q", 0x060300FF))}.items():
    r = run(sections + submit(pkt7(CP_NOP)))
    case(f"chip by {name}", r[0] == 0 and r[1].endswith("a630: 1 submit, 1 stream replayed: 1 done, 0 with faults, 0 hung\n"), r)
a640 = section(CHIP_ID, struct.pack("<Q", 0x06040001)) + submit(pkt7(CP_NOP))
r = run(a640)
case("a chip without a model", r[0] == 3 and r[1] == "" and r[2] == "lull replay: a.rd: lull has models of a630, a660 and a740, the capture is of chip id "
     "0x6040001: --gpu replays it on one of them all the same\n", r)
r = run(a640, "--gpu", "a660")
case("on another one", r[0] == 0 and "a660: 1 submit" in r[1], r)
r = run(section(GPU_ID, struct.pack("<I", 330)) + submit(pkt7(CP_NOP)), "--gpu", "a630")
case("another generation", r[0] == 3 and "the capture is of an a3xx: an a630 has other registers and packets" in r[2], r)
r = run(submit(pkt7(CP_NOP)))
case("no chip", r[0] == 3 and "the capture does not name its GPU" in r[2], r)

# Addresses below those that a kernel gives today.
r, got = memory(chip("a630") + submit(write(0x1020004, 5), buffer(0x1020000, bytes(16)), at=0x1010000), 0x1020000, 12)
case("low addresses", r[0] == 0 and got == dwords([0, 5, 0]), (r, got))

# Ranges within a page, within each other, and without contents.
r, got = memory(chip("a660") + submit(write(DATA + 0x40, 9), buffer(DATA, b"\1" * 32), buffer(DATA + 0x40, b"\2" * 32)), DATA, 0x60)
case("two ranges of a page", r[0] == 0 and got == b"\1" * 32 + bytes(32) + dwords([9]) + b"\2" * 28, (r, got))
packets = dwords(write(DATA, 3))
part = chip("a660") + section(CMD_TEXT, b"prog/1\0\0") + buffer(CMD, None, 4096) + buffer(CMD + 64, packets) + buffer(DATA, None, 64) + place(STREAM, CMD + 64, 4)
r, got = memory(part, DATA, 8)
case("commands alone are captured", r[0] == 0 and got == dwords([3, 0]), (r, got))
r = run(chip("a660") + submit(call(IB, 4), buffer(IB, None, 4096)))
case("contents that are missing", r[0] == 3 and r[1] == "" and r[2] == "lull replay: a.rd: stream 0 runs what is at 0x100010000 in the buffer of 4096 bytes "
     "at 0x100010000, whose contents are not in the capture: it was taken without rd_full\n", r)
r = run(chip("a660") + submit(pkt7(CP_NOP), streams=place(STREAM, CMD, 1) + place(STREAM, IB, 1)))
case("a stream that is missing", r[0] == 3 and "stream 1 of 1 dwords at 0x100010000 is in no buffer of the capture: it was taken without rd_full" in r[2], r)

# Memory goes from submit to submit where the capture has none.
two = (chip("a630") + submit(write(DATA, 1), buffer(DATA, None, 64)) + submit(write(DATA + 4, 2), buffer(DATA, None, 64), process="other/2: fence=2"))
r, got = memory(two, DATA, 12)
case("two submits", r[0] == 0 and got == dwords([1, 2, 0]) and "a630: 2 submits, 2 streams replayed: 2 done" in r[1], (r, got))
for args, want in [(["--first", 1], [0, 2]), (["--last", 0], [1, 0]), (["--exe", "other"], [0, 2]), (["--exe", "prog"], [1, 0])]:
    r, got = memory(two, DATA, 8, *args)
    case(f"{args}", r[0] == 0 and got == dwords(want) and "1 submit, 1 stream" in r[1], (r, got))
r = run(two, "--first", 2)
case("no such stream", r[0] == 3 and "the capture has no submit with such a stream" in r[2], r)

# Hangs and faults, with the packet that they are in.
hang = chip("a660") + submit(write(DATA, 1) + call(IB, 10), buffer(IB, dwords(pkt7(CP_NOP, 0, 0) + wait(DATA + 4, 0xABCD))), buffer(DATA, bytes(64)))
r = run(hang)
case("hang", r[0] == 1 and r[1].startswith(f"submit 0 (stream 0), 3 buffers: hang\n  in     IB2 {IB + 12:#x} CP_WAIT_REG_MEM\n  waits  for memory at "
     f"{DATA + 4:#x} & 0xffffffff to be WRITE_EQ 0xabcd") and r[1].endswith("0 done, 0 with faults, 1 hung\n"), r)
r = run(chip("a660") + submit(write(DATA, 1) + [0xDEADD00D], buffer(DATA, bytes(64))))
case("no packet", r[0] == 1 and f"  in     IB1 {CMD + 16:#x} no packet\n" in r[1], r)
fault = chip("a660") + submit(write(NOWHERE, 1) + write(DATA, 1), buffer(DATA, bytes(64)))
r, got = memory(fault, DATA, 4)
case("fault", r[0] == 1 and got == dwords([1]) and "3 buffers: fault" not in r[1] and f"{NOWHERE:x}" in r[1] and "0 done, 1 with faults, 0 hung" in r[1], r)
r = run(hang, "--json")
j = json.loads(r[1])
case("as JSON", r[0] == 1 and j["gpu"] == "a660" and [s["result"] for s in j["submits"]] == ["hang"]
     and j["submits"][0]["place"] == f"IB2 {IB + 12:#x} CP_WAIT_REG_MEM", r)

# What is refused.
r = run(two[:-3])
case("a capture that ends early", r[0] == 3 and "a.rd: byte 0x" in r[2].replace("byte ", "byte 0x") and "a.rd: byte" in r[2], r)
for args, text in [(["--dump", "5"], "--dump: '5' is not ADDR:SIZE=FILE"), (["--gpu", "a530"], "'a530' is not one of a630, a660 and a740"),
                   (["--device", "/dev/null", "--check", "hazards"], "--check")]:
    r = run(two, *args)
    case(f"{args}", r[0] == 2 and text in r[2], r)
r = run(two, "--dump", f"{NOWHERE:#x}:4=none")
case("a dump of nothing", r[0] == 3 and "nothing is at 0x180000000" in r[2] and not (tmp / "none").exists(), r)
r = run(b"no capture")
case("not a capture", r[0] == 3 and "a.rd" in r[2], r)
end()

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
from png_rows import grey16, read_png  # noqa: E402
from rd_bytes import pkt4, pkt7, place, section  # noqa: E402
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
keep = tempfile.TemporaryDirectory()
tmp = pathlib.Path(keep.name)
CHIPS = {"a630": 0x06030001, "a660": 0x06060001, "a740": 0x43050A01}
CMD, IB, DATA, NOWHERE = 0x100000000, 0x100010000, 0x100020000, 0x1800000000 >> 4
# Types of sections; opcodes. Source: Mesa 25.0.7 redump.h, adreno_pm4.xml.
CMD_TEXT, GPUADDR, STREAM, CONTENTS, GPU_ID, CHIP_ID = 2, 3, 6, 12, 13, 14
CP_NOP, CP_WAIT_REG_MEM, CP_MEM_WRITE, CP_INDIRECT_BUFFER = 0x10, 0x3C, 0x3D, 0x3F


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

# --image: texels in memory, linear and tiled. Source of the tiled places: Mesa's own code (fd6_tiled_memcpy.cc), run on these sizes.
def image(data, what, *args):
    (tmp / "i.png").unlink(missing_ok=True)
    r = run(data, "--image", what + "=i.png", *args)
    return r, read_png(tmp / "i.png") if (tmp / "i.png").exists() else None


texels = bytes((7 * i) % 251 for i in range(64 * 3))
r, got = image(chip("a660") + submit(write(DATA + 64 + 4, 0xDDCCBBAA), buffer(DATA, texels)), f"{DATA:#x},8_8_8_8_UNORM,5x3,64")
want = [list(texels[64 * y:64 * y + 20]) for y in range(3)]
want[1][4:8] = [0xAA, 0xBB, 0xCC, 0xDD]
case("a linear image", r[0] == 0 and got is not None and [list(row) for row in got] == want, (r, got))
r, got = image(chip("a660") + submit(pkt7(CP_NOP), buffer(DATA, bytes(range(200)) + bytes(56))), f"{DATA + 8:#x},FMT6_8_UNORM,3x2")
case("one component, pitch of 64 by itself", r[0] == 0 and got is not None and [list(row) for row in got] ==
     [[8, 0, 0, 255, 9, 0, 0, 255, 10, 0, 0, 255], [72, 0, 0, 255, 73, 0, 0, 255, 74, 0, 0, 255]], (r, got))
TILED = {(1, 0): 4, (0, 1): 8, (5, 3): 108, (16, 0): 1792, (0, 4): 1536}
PLACES = {"a630": {**TILED, (33, 17): 6668, (63, 63): 14588}, "a660": {**TILED, (33, 17): 7692, (63, 63): 15612}}
for gpu, places in PLACES.items():
    memory_of = bytearray(16384)
    for n, (xy, at) in enumerate(places.items()):
        memory_of[at:at + 4] = [n + 1, 0, 0, 255]
    r, got = image(chip(gpu) + submit(pkt7(CP_NOP), buffer(DATA, bytes(memory_of))), f"{DATA:#x},8_8_8_8_UNORM,64x64,256,tiled")
    found = {(x, y): got[y][4 * x] for y in range(64) for x in range(64) if got[y][4 * x]} if got else None
    case(f"{gpu}: a tiled image", found == {xy: n + 1 for n, xy in enumerate(places)}, (r, found))
some = chip("a660") + submit(pkt7(CP_NOP), buffer(DATA, bytes(4096)))
r, got = image(some, f"{DATA:#x},8_8_8_8_UNORM,64x17")
case("an image that ends behind its buffer", r[0] == 3 and got is None and "i.png: nothing is at 0x100021000 in the last submit" in r[2], (r, got))
r = run(some, "--targets", "t")
case("no target", r[0] == 3 and "no draw writes colours or tests depth or stencil" in r[2], r)

# --targets of depth and stencil, which a draw without a shader, at which the model hangs, leaves as the capture has them.
# Registers: Mesa's a6xx.xml; tiled places as above.
MSAA, SCISSOR, DEPTH_CNTL, DEPTH_INFO, STENCIL_CONTROL, STENCIL_INFO = 0x8802, 0x80F0, 0x8871, 0x8872, 0x8880, 0x8881
CP_DRAW_INDX_OFFSET = 0x38
TILE3 = {"a630": 0, "a660": 0, "a740": 3}  # The field of a7xx; a6xx has none, and is always tiled.
DEPTHS = {  # Format, bytes of depth and what is put there, by the grey that it is: D16, D24S8 under a stencil of 0xA5, D32.
    "d16": (1, {0x1234: struct.pack("<H", 0x1234), 65535: b"\xff\xff"}),
    "d24s8": (2, {16384: struct.pack("<I", 0xA5400000), 65535: struct.pack("<I", 0xA5FFFFFF), 1: struct.pack("<I", 0xA5000100)}),
    "d32": (4, {16384: struct.pack("<f", 0.25), 65535: struct.pack("<f", 7), 32768: struct.pack("<f", 0.5)}),
}


def planes(gpu, form, tile, *more):
    """Packets: a draw that tests depth at DATA, and stencil at IB if @more says that it is separate."""
    return (pkt4(SCISSOR, 0, 15 << 16 | 31) + pkt4(MSAA, 0) + pkt4(DEPTH_CNTL, 3, form | tile << 5, 256 >> 6, 0, DATA & 0xFFFFFFFF, DATA >> 32)
            + list(more) + pkt7(CP_DRAW_INDX_OFFSET, 4 | 2 << 6, 0, 3))


for gpu in CHIPS:
    for name, (form, values) in DEPTHS.items():
        for tile in {0, TILE3[gpu]}:
            tiled = gpu != "a740" or tile == 3
            size = 2 if form == 1 else 4
            if tiled and size == 2:
                continue  # Where tiled texels of 2 bytes are is not known here.
            spots = [(1, 0), (0, 1), (5, 3)][:len(values)]
            memory_of = bytearray(32768)
            for (x, y), word in zip(spots, values.values()):
                at = TILED[x, y] if tiled else 256 * y + size * x
                memory_of[at:at + size] = word
            separate = pkt4(STENCIL_CONTROL, 1, 1, 2, 0, IB & 0xFFFFFFFF, IB >> 32) if form == 4 else pkt4(STENCIL_CONTROL, int(form == 2), 0)
            stencils = buffer(IB, b"\3" * 8192)
            out = tmp / f"{gpu}-{name}-{tile}"
            r = run(chip(gpu) + submit(planes(gpu, form, tile, *separate), buffer(DATA, bytes(memory_of)), stencils), "--targets", out)
            want = [[0] * 32 for _ in range(16)]
            for (x, y), grey in zip(spots, values):
                want[y][x] = grey
            got = grey16(out / "target-depth.png") if (out / "target-depth.png").exists() else None
            case(f"{gpu}: {name}, {'tiled' if tiled else 'linear'}", r[0] == 1 and got == want, (r, got))
            got = [list(row) for row in read_png(out / "target-stencil.png")] if (out / "target-stencil.png").exists() else None
            want = {1: None, 2: [[0xA5 if (x, y) in spots else 0 for x in range(32)] for y in range(16)], 4: [[3] * 32 for _ in range(16)]}[form]
            case(f"{gpu}: stencil of {name}, {'tiled' if tiled else 'linear'}", got == want, got)
away = pkt4(DEPTH_CNTL + 4, NOWHERE & 0xFFFFFFFF, NOWHERE >> 32)  # Depth is in no buffer; colours are where they were.
r = run(chip("a660") + submit(planes("a660", 4, 0, *away), buffer(DATA, bytes(4096))), "--targets", tmp / "away")
case("depth alone, in no buffer", r[0] == 3 and f"target-depth.png: nothing is at {NOWHERE:#x}" in r[2] and "note: " not in r[2], r)
colours = pkt4(0x8820, 15 << 7, 0, 0x30, 2, 0, DATA & 0xFFFFFFFF, DATA >> 32) + pkt4(0x880D, 15)  # RB_MRT_CONTROL on, RB_RENDER_COMPONENTS
r = run(chip("a660") + submit(planes("a660", 4, 0, *away, *colours), buffer(DATA, b"\7" * 4096)), "--targets", tmp / "away")
case("depth in no buffer, and colours", r[0] == 1 and r[2] == f"note: {tmp}/away/target-depth.png: nothing is at {NOWHERE:#x} in the last submit\n" and
     [list(row) for row in read_png(tmp / "away/target0.png")] == [[7] * 128] * 16, r)
for what, text in [("5", "is not ADDR,FORMAT,WxH"), (f"{DATA},8_8_8_UNORMAL,4x4", "no format '8_8_8_UNORMAL'"), (f"{DATA},8_UNORM,0x4", "0x4 is not a size"),
                   (f"{DATA},8_UNORM,4x4,big", "'big'")]:
    r = image(some, what)[0]
    case(f"--image {what}", r[0] == 2 and text in r[2], r)

# --compare, with another capture and with a folder.
def pair(a, b):
    return [chip("a630") + submit(write(DATA + 0x104, v), buffer(IB, b"\5" * 64), buffer(DATA, bytes(4096))) for v in (a, b)]


one, other = pair(0x01020304, 0x01FF0304)
(tmp / "other.rd").write_bytes(other)
(tmp / "same.rd").write_bytes(one)
r = run(one, "--compare", "same.rd")
case("--compare: the same", r[0] == 0 and r[1].endswith("memory: 3 buffers are the same\n"), r)
r = run(one, "--compare", "other.rd")
# The command buffer has the value at its dword 3, so it differs, too.
case("--compare: another", r[0] == 1 and r[1].endswith(f"memory: 2 of 3 buffers differ, the first at {CMD:#x} in 1 bytes from {CMD + 14:#x} on: "
     "0x02 here, 0xff there\n"), r)
r = run(one, "--dump-all", "dumps")
files = sorted(p.name for p in (tmp / "dumps").iterdir())
case("--dump-all", files == [f"{CMD:#x}.bin", f"{IB:#x}.bin", f"{DATA:#x}.bin"] and
     (tmp / "dumps" / files[2]).read_bytes() == bytes(0x104) + dwords([0x01020304]) + bytes(4096 - 0x108), (r, files))
r = run(one, "--compare", "dumps")
case("--compare: a folder", r[0] == 0 and "3 buffers are the same" in r[1], r)
bad = bytearray((tmp / "dumps" / files[2]).read_bytes())
bad[0x104] = 9
(tmp / "dumps" / files[2]).write_bytes(bad)
(tmp / "dumps" / files[1]).unlink()
r = run(one, "--compare", "dumps", "--json")
j = json.loads(r[1]) if r[1] else {}
case("--compare: a folder that differs", r[0] == 1 and j["buffers_differ"] == 2 and j["first_buffer"] == f"{IB:#x}" and j["first_missing"], r)
(tmp / "dumps" / files[1]).write_bytes(b"\5" * 64 + bytes(4032))
r = run(one, "--compare", "dumps")
case("--compare: its byte", r[0] == 1 and f"at {DATA:#x} in 1 bytes from {DATA + 0x104:#x} on: 0x04 here, 0x09 there" in r[1], r)
r = run(one, "--compare", "nowhere.rd")
case("--compare: nothing there", r[0] == 3 and "nowhere.rd" in r[2], r)

# --until, --after, --regs: memory and registers in front of a packet, and behind a submit that is not the last.
SCRATCH4 = 0x887  # CP_SCRATCH[0x4].REG
part = write(DATA, 1) + pkt4(SCRATCH4, 5) + call(IB, 6) + write(DATA + 12, 4)  # packets 0, 1, 2; 3 and 4 are in IB; 5
inner = write(DATA + 4, 2) + pkt4(SCRATCH4, 6)
stops = chip("a660") + submit(part, buffer(IB, dwords(inner)), buffer(DATA, bytes(64)), process="prog/1: fence=1") + submit(
    write(DATA + 8, 9) + pkt4(SCRATCH4, 7), buffer(DATA, None, 64), process="prog/1: fence=2")
for which, number, address, want, reg in [
        ("0", 0, CMD, [0, 0, 0, 0], None), ("0:2", 2, CMD + 24, [1, 0, 0, 0], 5), (f"{IB:#x}", 3, IB, [1, 0, 0, 0], 5), ("4", 4, IB + 16, [1, 2, 0, 0], 5),
        ("0:5", 5, CMD + 40, [1, 2, 0, 0], 6), ("1:1", 1, CMD + 16, [1, 2, 9, 4], 6), ("CP_INDIRECT_BUFFER", 2, CMD + 24, [1, 0, 0, 0], 5),
        ("1:CP_MEM_WRITE", 0, CMD, [1, 2, 0, 4], 6), ("CP_SCRATCH[0x4].REG", 1, CMD + 16, [1, 0, 0, 0], None)]:
    r, got = memory(stops, DATA, 16, "--until", which, "--regs", "CP_SCRATCH[[]0x4].REG", "--json")
    j = json.loads(r[1]) if r[0] == 0 else {"submits": [{}], "registers": [{}]}
    at, seen = j["submits"][-1], j["registers"][0]
    case(f"--until {which}", got == dwords(want) and (at.get("result"), at.get("packet"), int(at.get("address", "0"), 16)) == ("stopped", number, address) and
         (int(seen.get("value", "-1"), 16), seen.get("state")) == ((reg, "known") if reg else (-1, "never written")), (r, got))
r = run(stops, "--until", "0:6")
case("--until a packet that never comes", r[0] == 3 and "--until 0:6: the stream has 6 packets, from 0" in r[2], r)
r = run(stops, "--until", "CP_BLIT")
case("--until a name that never comes", r[0] == 3 and "no stream that was replayed came to such a packet" in r[2], r)
for n, want, reg in [(0, [1, 2, 0, 4], 6), (1, [1, 2, 9, 4], 7)]:
    r, got = memory(stops, DATA, 16, "--after", n, "--regs", "cp_scratch[[]0x4]*")
    case(f"--after {n}", r[0] == 0 and got == dwords(want) and f"CP_SCRATCH[0x4].REG = {reg}\n" in r[1] and "2 submits, 2 streams replayed: 2 done" in r[1],
         (r, got))
r, got = memory(stops, DATA, 16, "--regs", "CP_SCRATCH[[]0x4].REG,CP_SCRATCH[[]0x5].REG")
case("--regs at the end", r[0] == 0 and r[1].endswith("CP_SCRATCH[0x4].REG = 7\nCP_SCRATCH[0x5].REG = never written\n"), r)
(tmp / "stops.rd").write_bytes(stops)
r = run(stops.replace(dwords(write(DATA + 12, 4)), dwords(write(DATA + 12, 8))), "--until", "0:5", "--compare", "stops.rd", name="b.rd")
case("--compare at a packet", r[0] == 1 and "memory: 1 of 3 buffers differ" in r[1] and f"at {CMD:#x}" in r[1], r)
for args, text in [(["--until", "nothing"], "'nothing' is not a packet"), (["--until", "1", "--after", "0"], "--until or --after"),
                   (["--regs", "NO_SUCH"], "no register of this GPU is called 'NO_SUCH'"), (["--after", "2"], "--after 2: no such submit was replayed"),
                   (["--until", "0", "--minimise", "--while", "hang", "-o", "x.rd"], "not with --minimise")]:
    r = run(stops, *args)
    case(f"{args}", r[0] in (2, 3) and text in r[2], r)

# --override: a generator's stream, which writes where it was told to.
generator = tmp / "generator.py"
generator.write_text(f"""#!/usr/bin/env python3
import sys
sys.path[:0] = [{str(pathlib.Path(__file__).resolve().parent)!r}]
start, size = (int(a.split("=")[1]) for a in sys.argv[1:3])
assert sys.argv[1].startswith("--vastart=") and sys.argv[2].startswith("--vasize=")
open({str(tmp / 'hole')!r}, "w").write(f"{{start}} {{size}}")
words = {write(DATA, 77)!r}
import struct
data = struct.pack("<4I", *words)
place = lambda kind, size: struct.pack("<5I", kind, 12, start & 0xffffffff, size, start >> 32)
open(sys.argv[3], "wb").write(place({GPUADDR}, 16) + struct.pack("<2I", {CONTENTS}, 16) + data + place({STREAM}, 4))
""")
generator.chmod(0o755)
r, got = memory(two, DATA, 8, "--override", 1, "--generator", generator)
hole = (tmp / "hole").read_text() if (tmp / "hole").exists() else ""
# Of a630's addresses 0x100000000 to 0x1ffffffff the last part is the largest hole behind the last buffer's page.
case("--override", r[0] == 0 and got == dwords([77, 0]) and hole == f"{DATA + 0x1000} {0x200000000 - DATA - 0x1000}", (r, got, hole))
r = run(two, "--override", 0, "--generator", "false")
case("a generator that fails", r[0] == 3 and "the generator false ended with status 1" in r[2], r)
short = tmp / "short.sh"
for what, line, want in [("no stream", f"printf '\\015\\0\\0\\0\\004\\0\\0\\0\\166\\002\\0\\0' > $3", f"what {short} wrote: a command stream is missing"),
                         ("no capture", "echo text, not sections, > $3", f"what {short} wrote: ")]:
    short.write_text(f"#!/bin/sh\n{line}\n")
    short.chmod(0o755)
    r = run(two, "--override", 0, "--generator", short)
    case(f"a generator that writes {what}", r[0] == 3 and want in r[2] and r[2].count("\n") == 1, r)

# --minimise: a planted hang, a planted fault, bytes that a register made, what a command says.
SCRATCH, CP_REG_TO_MEM = 0x883, 0x3E  # CP_SCRATCH_REG(0)


def padding(i):
    return pkt4(SCRATCH, i, i, i) + write(DATA + 64 + 4 * (i % 16), i) + pkt7(0x26)


def small(data, what, *args):
    (tmp / "small.rd").unlink(missing_ok=True)
    r = run(data, "--minimise", "--while", what, "-o", "small.rd", "--json", *args)
    j = json.loads(r[1]) if r[0] == 0 else {"left": []}
    again = run((tmp / "small.rd").read_bytes() if (tmp / "small.rd").exists() else b"", name="b.rd")
    shown = subprocess.run([lull, "rd", "show", "b.rd"], capture_output=True, text=True, cwd=tmp)
    return r, j, [(int(p["address"], 16), p["packet"]) for p in j["left"]], again, shown.returncode


many = [w for i in range(40) for w in padding(i)]
planted = write(DATA, 1) + many + wait(DATA + 4, 0xABCD)
data = (chip("a660") + submit(write(DATA, 9), buffer(DATA, bytes(256))) +
        submit(many + call(IB, len(planted)), buffer(IB, dwords(planted)), buffer(DATA, bytes(256)), buffer(DATA + 0x10000, bytes(4096))))
r, j, left, again, shown = small(data, "hang", "--jobs", 2)
case("a planted hang", left == [(CMD + 4 * len(many), "CP_INDIRECT_BUFFER"), (IB + 4 * (len(planted) - 7), "CP_WAIT_REG_MEM")] and j["streams"] == 1
     and j["buffers"] == 3 and again[0] == 1 and f"IB2 {IB + 4 * (len(planted) - 7):#x} CP_WAIT_REG_MEM" in again[1] and shown == 0, (r, again, shown))
alone = small(data, "hang", "--jobs", 1)
case("the same by one process", alone[1]["left"] == j["left"], alone)
planted = many + write(NOWHERE, 1) + write(NOWHERE + 0x10000, 1) + many
data = chip("a740") + submit(planted, buffer(DATA, bytes(256)))
r, j, left, again, shown = small(data, "fault")
case("a planted fault", left == [(CMD + 4 * len(many), "CP_MEM_WRITE")] and j["buffers"] == 1 and again[0] == 1 and shown == 0, (r, again))
planted = many + pkt4(SCRATCH, 1, 2, 0x11223344, 4) + many[:0] + pkt7(CP_REG_TO_MEM, SCRATCH + 2, DATA & 0xFFFFFFFF, DATA >> 32) + many
data = chip("a630") + submit(planted, buffer(DATA, bytes(256)))
r, j, left, again, shown = small(data, f"bytes {DATA:#x}:4=44332211")
at = CMD + 4 * len(many)
# Of four registers one is left; the header takes the place of the first one that is not.
case("bytes that one of four registers makes", [p for _, p in left] == ["register write", "CP_REG_TO_MEM"] and j["register writes"] == 0 and
     j["left"][0]["dwords"] == 2 and at <= left[0][0] < at + 20 and again[0] == 0 and shown == 0, (r, left))
(tmp / "seven.sh").write_text(f"seven=$(mktemp)\nrm $seven\n{lull} replay --dump {DATA:#x}:4=$seven $1 >/dev/null 2>&1; test \"$(od -An -tu4 $seven 2>/dev/null | tr -d ' ')\" = 7\nr=$?; rm -f $seven; exit $r\n")
data = chip("a630") + submit(write(DATA, 6) + write(DATA, 7) + write(DATA + 8, 3), buffer(DATA, bytes(256)))
r, j, left, again, shown = small(data, "exit sh seven.sh $1")
case("what a command says", left == [(CMD + 16, "CP_MEM_WRITE")], (r, left))
r = small(data, "hang")[0]
case("what does not hold", r[0] == 3 and "--while does not hold of the whole capture" in r[2] and not (tmp / "small.rd").exists(), r)
for what, text in [("hangs", "'hangs' is none of fault, hang"), ("bytes 5", "is not bytes ADDR:SIZE=HEX"), ("bytes 5:2=00", "is not 2 bytes in hexadecimal"),
                   ("bytes 5:1=0000", "has more than 1 bytes")]:
    r = small(data, what)[0]
    case(f"--while {what}", r[0] == 2 and text in r[2], r)

# What is refused.
r = run(two[:-3])
case("a capture that ends early", r[0] == 3 and "a.rd: byte 0x" in r[2].replace("byte ", "byte 0x") and "a.rd: byte" in r[2], r)
for args, text in [(["--dump", "5"], "--dump: '5' is not ADDR:SIZE=FILE"), (["--gpu", "a530"], "'a530' is not one of a630, a660 and a740"),
                   (["--device", "/dev/null", "--check", "hazards"], "--check"),
                   (["--minimise"], "--minimise needs --while and -o"), (["--override", "1"], "--override and --generator go together")]:
    r = run(two, *args)
    case(f"{args}", r[0] == 2 and text in r[2], r)
r = run(two, "--dump", f"{NOWHERE:#x}:4=none")
case("a dump of nothing", r[0] == 3 and "nothing is at 0x180000000" in r[2] and not (tmp / "none").exists(), r)
r = run(b"no capture")
case("not a capture", r[0] == 3 and "a.rd" in r[2], r)
end()

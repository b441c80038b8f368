#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull crash explain-fault: lines that kernels have printed, and which buffer the address is in. fault.py LULL.

The lines: freedreno's documentation (the first); Linux 6.12, adreno_fault_handler() (with and without info), a5xx (a number as
source), a6xx_fault_detect_irq(); logs of amdgpu in public reports (ROCm, Framework). The fields of GCVM_L2_PROTECTION_FAULT_STATUS are
in those logs in words beside the number, so that they check the register's row.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

lull = sys.argv[1]
DOC = "*** gpu fault: ttbr0=000000001c941000 iova=000000010066a000 dir=READ type=TRANSLATION source=TP|VFD (0,0,0,1)"
AMD = """[  499.707618] amdgpu 0000:74:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8 pasid:32771)
[  499.707632] amdgpu 0000:74:00.0: amdgpu:  in process python3 pid 3710 thread python3 pid 3710
[  499.707639] amdgpu 0000:74:00.0: amdgpu:   in page starting at address 0x00007a6e20839000 from client 0x1b (UTCL2)
[  499.707646] amdgpu 0000:74:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031
[  499.707651] amdgpu 0000:74:00.0: amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)
[  499.707656] amdgpu 0000:74:00.0: amdgpu: \t MORE_FAULTS: 0x1
[  499.707661] amdgpu 0000:74:00.0: amdgpu: \t WALKER_ERROR: 0x0
[  499.707665] amdgpu 0000:74:00.0: amdgpu: \t PERMISSION_FAULTS: 0x3
[  499.707669] amdgpu 0000:74:00.0: amdgpu: \t MAPPING_ERROR: 0x0
[  499.707673] amdgpu 0000:74:00.0: amdgpu: \t RW: 0x0
"""
AMD2 = """amdgpu 0000:c1:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:5 pasid:32772)
amdgpu 0000:c1:00.0: amdgpu:  Process chrome pid 5171 thread chrome:cs0 pid 5187
amdgpu 0000:c1:00.0: amdgpu:   in page starting at address 0x0000c3c03fc3c000 from client 10
amdgpu 0000:c1:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00501430
amdgpu 0000:c1:00.0: amdgpu:          Faulty UTCL2 client ID: SQC (data) (0xa)
amdgpu 0000:c1:00.0: amdgpu:          PERMISSION_FAULTS: 0x3
"""


def explain(*args, data=""):
    r = subprocess.run([lull, "crash", "explain-fault", *map(str, args)], input=data, capture_output=True, text=True, timeout=60)
    return r.returncode, r.stdout, r.stderr


# (name, the line, what the object must have)
ROWS = [
    ("the documents' line", DOC, {"kind": "msm", "address": "0x10066a000", "access": "read", "ttbr0": "0x1c941000", "type": "TRANSLATION",
                                  "source": "TP|VFD", "scratch": [0, 0, 0, 1], "words": ["TP", "VFD"]}),
    ("in a log, a write", "[  80.170692] " + DOC.replace("READ", "WRITE"), {"access": "write", "address": "0x10066a000"}),
    ("without info, a6xx", "*** gpu fault: iova=0000000001074000 flags=1 (3,2,1,4294967295)",
     {"address": "0x1074000", "access": "write", "scratch": [3, 2, 1, 4294967295], "type": "", "source": "", "ttbr0": None}),
    ("without info, a5xx and before", "*** gpu fault: iova=01074000, flags=0 (0,0,0,0)", {"address": "0x1074000", "access": "read"}),
    ("no handler of the GPU's", "*** fault: iova=        10074000, flags=0", {"kind": None}),
    ("no handler of the GPU's, all digits", "*** fault: iova=0000000010074000, flags=1", {"address": "0x10074000", "access": "write"}),
    ("a5xx: FSYNR1", "*** gpu fault: ttbr0=000000011007b000 iova=00000000126bd040 dir=WRITE type=TRANSLATION source=1030001 (0,0,0,0)",
     {"source": "1030001", "address": "0x126bd040", "words": []}),
    ("a7xx: which pipe", DOC.replace("TP|VFD", "BV_VFD"), {"source": "BV_VFD", "words": ["BV", "VFD"]}),
    ("blanks in the source", DOC.replace("TP|VFD", "CDP Prefetch"), {"source": "CDP Prefetch"}),
    ("a660: not", DOC.replace("TP|VFD", "not HLSQ"), {"source": "not HLSQ", "words": ["HLSQ"]}),
    ("all of 64 bits", DOC.replace("000000010066a000", "ffffffffffffffff"), {"address": "0xffffffffffffffff"}),
    ("the hang detection", "adreno 5000000.gpu: [drm:a6xx_irq [msm]] *ERROR* gpu fault ring 0 fence 1c9 status 00E51005 rb 02d3/02d6 ib1 "
     "0000000001D0C000/01a4 ib2 0000000001D0A000/0000", {"kind": "msm-hang", "status": "0xe51005", "ib1": "0x1d0c000", "ib2": "0x1d0a000"}),
    ("amdgpu", AMD, {"kind": "amdgpu", "address": "0x7a6e20839000", "access": "read", "status": "0x801031", "vmid": 8, "pasid": 32771,
                     "process": "python3 pid 3710", "source": "TCP"}),
    ("amdgpu, no RW, another form of the process", AMD2, {"address": "0xc3c03fc3c000", "access": "access", "process": "chrome pid 5171",
                                                           "source": "SQC (data)", "vmid": 5}),
    ("amdgpu, the status alone", "GCVM_L2_PROTECTION_FAULT_STATUS:0x00800932", {"kind": "amdgpu", "status": "0x800932"}),
    ("amdgpu, an old kernel", "amdgpu 0000:0b:00.0: amdgpu: [mmhub0] no-retry page fault (src_id:0 ring:0 vmid:1 pasid:32769, for process Xorg "
     "pid 900 thread Xorg:cs0 pid 901)", {"kind": "amdgpu", "vmid": 1, "pasid": 32769, "process": "Xorg pid 900"}),
]
for name, line, want in ROWS:
    got = explain(line, "--json")
    text = explain(line)
    if want.get("kind", "") is None:
        case(name, got[0] == 3 and "not a line about a GPU's fault" in got[2] and text[0] == 3, got)
        continue
    (said,) = json.loads(got[1]) if got[0] == 0 else ({},)
    said["words"] = [u["word"] for u in said.get("units", [])]
    case(name, got[0] == 0 and all(said.get(k) == v for k, v in want.items()) and text[0] == 0 and text[1] != "", (got, text))
got = explain(AMD)
case("amdgpu: the status in words, as the log has them", "status    0x00801031 MORE_FAULTS PERMISSION_FAULTS=3 CID=TCP RW=READ VMID=8\n" in got[1], got)
got = explain("-", data=f"usb 1-1: new device\n{DOC}\n{AMD}{AMD2}{DOC.replace('TP|VFD', 'CP')}\n")
case("a whole log", got[0] == 0 and got[1].count("fault     ") == 4 and got[1].index("0x7a6e20839000") < got[1].index("0xc3c03fc3c000")
     and "source    CP\n" in got[1], got)
for name, args, data in (("nothing", [""], ""), ("another log", ["-"], "usb 1-1: new device\n"), ("binary", ["-"], "\x01\x02gpu fault\x00"),
                         ("cut", ["*** gpu fault: iova="], ""), ("a hang without its ring", ["gpu fault ring "], "")):
    got = explain(*args, data=data)
    case(f"not a fault: {name}", got[0] == 3 and got[1] == "" and "not a line about a GPU's fault" in got[2], got)


def section(kind, *words):
    return struct.pack(f"<II{len(words)}I", kind, 4 * len(words), *words)


def submit(*ranges):
    """GPUADDR of each, and a stream: docs/formats/rd.md."""
    return b"".join(section(3, a & 0xffffffff, size, a >> 32) for a, size in ranges) + section(6, 0x1000, 4, 0)


DEVCORE = """---
kernel: 6.12
module: msm
revision: 660 (6.6.0.1)
ringbuffer:
  - id: 0
    iova: 0x0001000001000000
    size: 32768
bos:
  - iova: 0x0000000100660000
    size: 40960
    name: vertices
  - iova: 0x0000000100700000
    size: 4096
    name: pixels
"""
# (name, address, words that the text must have, words that it must not)
PLACES = [
    ("just past a buffer", 0x10066a000, ["0x0 bytes past the end of 0x100660000, 40960 bytes", "0x96000 bytes before 0x100700000", "overrun"], []),
    ("far past it", 0x1006f0000, ["0x86000 bytes past the end of 0x100660000", "far from all buffers"], ["overrun"]),
    ("inside", 0x100660010, ["byte 0x10 of 0x100660000, 40960 bytes", "freed before"], ["past the end"]),
    ("the last byte", 0x100669fff, ["byte 0x9fff of 0x100660000"], ["past the end"]),
    ("null", 0x20, ["near 0"], ["overrun"]),
    ("above all", 0xffffffffffffffff, ["past the end of", "far from all"], ["before 0x"]),
]
with tempfile.TemporaryDirectory() as folder:
    dump, rd, bad = (pathlib.Path(folder, n) for n in ("crash.devcore", "all.rd", "bad"))
    dump.write_text(DEVCORE)
    rd.write_bytes(submit((0x100660000, 40960), (0x100700000, 4096)) + submit((0x100700000, 4096), (0x100660000, 40960)))
    for name, at, has, lacks in PLACES:
        line = DOC.replace("000000010066a000", f"{at:016x}")
        for kind, file in (("--devcore", dump), ("--rd", rd)):
            got = explain(line, kind, file)
            case(f"{kind}: {name}", got[0] == 0 and all(w in got[1] for w in has) and not any(w in got[1] for w in lacks), got)
    got = explain(DOC.replace("10066a000", "100660010"), "--devcore", dump)
    case("the name of a buffer", ', "vertices"' in got[1], got)
    rd.write_bytes(submit((0x2000, 64)) + submit((0x100660000, 0x10000), (0x2000, 64)) * 3 + submit((0x2000, 64)) * 2)
    got = explain(DOC, "--rd", rd)
    case("--rd: freed since", "in submits 1 to 3 of 0 to 5" in got[1] and "not in the last one: freed since" in got[1], got)
    got = explain(DOC.replace("TRANSLATION", "PERMISSION").replace("READ", "WRITE"), "--devcore", dump)
    case("PERMISSION", "not for this" in got[1], got)
    bad.write_bytes(b"\x7fELF" + bytes(200))
    for kind in ("--rd", "--devcore"):
        got = explain(DOC, kind, bad)
        case(f"{kind}: another file", got[0] == 3 and str(bad) in got[2] and got[1] == "", got)
    rd.write_bytes(submit((0x2000, 64))[:-3])
    got = explain(DOC, "--rd", rd)
    case("--rd: cut", got[0] == 3 and "all.rd" in got[2], got)
tap.end()

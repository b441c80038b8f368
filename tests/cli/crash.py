#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull crashdec and lull crash show: options, exit statuses. crash.py LULL."""
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from tap import case  # noqa: E402

DUMP = b"""---
kernel: 6.12
comm: tri\x1bangle
revision: 630 (6.3.0.2)
bos:
  - iova: 0x1000
    size: 16
registers:
  - { offset: 0x000840, value: 0x00800005 }
debugbus:
"""
lull = sys.argv[1]


def run(*args, data=b""):
    r = subprocess.run([lull, *map(str, args)], input=data, capture_output=True)
    return r.returncode, r.stdout.decode(), r.stderr.decode()


with tempfile.TemporaryDirectory() as folder:
    dump, packed, cut = (pathlib.Path(folder) / name for name in ("dump", "dump.gz", "cut"))
    dump.write_bytes(DUMP)
    packed.write_bytes(gzip.compress(DUMP))
    cut.write_bytes(DUMP[:-60])
    status = "\t00800005\tRBBM_STATUS: { GPU_BUSY_IGN_AHB | CP_BUSY | CP_AHB_BUSY_CX_MASTER }\n"
    want = run("crashdec", "-sf", dump)
    case("crashdec -sf", want[0] == 0 and status in want[1], want)
    for name, got in (("-s -f", run("crashdec", "-s", "-f", dump)), ("-fFILE", run("crashdec", f"-sf{dump}")),
                      ("--file=", run("crashdec", "--summary", f"--file={dump}")), ("gzip", run("crashdec", "-sf", packed)),
                      ("standard input", run("crashdec", "-s", data=DUMP)),
                      ("crash show --style=crashdec", run("crash", "show", "--style=crashdec", dump))):
        case(name, got == want, got)
    got = run("crash", "show", dump)
    case("the page", got[0] == 0 and "process   tri?angle\n" in got[1] and "busy      CP\n" in got[1], got)
    got = run("crash", "show", "--json", dump)
    case("--json", got[0] == 0 and json.loads(got[1])["busy"] == ["CP"], got)
    got = run("crash", "show", "--signature", packed)
    case("--signature", got[:2] == (0, "adreno 630; hang; busy CP; at ?\n"), got)
    # The version of a630's firmware, no table of handlers, nop, add $01, $01, 0x4.
    firmware = pathlib.Path(folder) / "fw"
    firmware.write_bytes(struct.pack("<6I", 0, 0x016EE001, 0, 0x01000000, 0x08210004, 0x01000000))
    dump.write_bytes(DUMP + b"indexed-registers:\n  - regs-name: CP_SQE_STAT\n    dwords: 51\n    data: !!ascii85 |\n     !!!!$\n")
    got = run("crash", "show", "--firmware", firmware, dump)
    case("--firmware", got[0] == 0 and "       -> 0003: 08210004  add $01, $01, 0x4\n          0004: 01000000  nop\n" in got[1], got)
    # a7xx: BV and LPAC come behind, each with its version and table; the state of each processor has a PC.
    table = [4] * 128
    words = [[version, 0x01000005, 0x01000000, 0x01000000, 0x70000000 | reg << 16 | reg] + table
             for version, reg in ((0x01730001, 2), (0x01000001, 3), (0x01000001, 4))]
    firmware.write_bytes(struct.pack(f"<I{3 * 133}I", 0, *sum(words, [])))
    processors = pathlib.Path(folder) / "processors"
    processors.write_bytes(b"revision: 740 (67.5.10.1)\nindexed-registers:\n" + b"".join(
        b"  - regs-name: " + name + b"\n    dwords: 51\n    data: !!ascii85 |\n     !!!!%\n"
        for name in (b"CP_SQE_STAT", b"CP_BV_SQE_STAT_ADDR", b"CP_SQE_AC_STAT")))
    got = run("crash", "show", "--firmware", firmware, processors)
    for title, reg in (("SQE   ", 2), ("SQE BV", 3), ("SQE LPAC", 4)):
        case("--firmware: " + title.strip(), got[0] == 0 and f"-> 0004: 700{reg}000{reg}  mov $0{reg}, 0x{reg}" in
             got[1][got[1].index("\n" + title):].split("\nSQE", 2)[1], got)
    dump.write_bytes(DUMP)
    got = run("crash", "show", "--all", dump)
    case("--all", got[0] == 0 and "busy      CP\n" in got[1] and "\n== buffers\n  0x0000000000001000 to 0x0000000000001010" in
         got[1] and "  00210 00800005  RBBM_STATUS: { GPU_BUSY_IGN_AHB | CP_BUSY | CP_AHB_BUSY_CX_MASTER }\n" in got[1], got)
    got = run("crash", "show", "--section", "registers,rings", dump)
    case("--section", got[0] == 0 and got[1].startswith("\n== ring buffers\n") and "busy   " not in got[1], got)
    got = run("crash", "show", "--section=nothing", dump)
    case("--section: there is none", got[0] == 2, got)
    got = run("crash", "show", "--json", dump)
    said = json.loads(got[1])
    case("--json: sections", said["buffers"] == [{"iova": "0x1000", "size": 16, "data": False}] and
         said["registers"][0]["name"] == "RBBM_STATUS" and said["registers"][0]["value"] == "0x800005", got)
    got = run("crash", "show", "--firmware", dump, dump)
    case("--firmware: none", got[0] == 3 and "not firmware" in got[2], got)
    for command in (("crashdec", "-sf"), ("crash", "show")):
        got = run(*command, cut)
        case(f"{command[0]}: cut", got[0] == 1 and "630" in got[1] and f"{cut}: line 8: the dump ends within" in got[2], got)
        got = run(*command, folder + "/none")
        case(f"{command[0]}: no file", got[0] == 3 and "none" in got[2], got)
    for args in (("crashdec", "-x"), ("crashdec", "-f"), ("crash",), ("crash", "show"), ("crash", "show", "--no", dump),
                 ("crash", "show", dump, dump)):
        got = run(*args)
        case("usage: " + " ".join(map(str, args[:3])).replace(folder, ""), got[0] == 2, got)
tap.end()

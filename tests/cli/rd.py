#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull rd show --sections: listing, JSON, refusals. rd.py LULL."""
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]


def run(*args):
    r = subprocess.run([lull, "rd", *map(str, args)], capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def section(kind, payload=b""):
    return struct.pack("<II", kind, len(payload)) + payload


good = (section(14, struct.pack("<Q", 0x43050A01)) + section(2, b"a\x1b\"\\\0\0\0\0")
        + section(3, struct.pack("<III", 0x2000, 4, 1)) + section(12, b"abcd")
        + section(6, struct.pack("<III", 0x2000, 1, 1)) + section(99, b"x") + b"\xff" * 8)
with tempfile.TemporaryDirectory() as d:
    path = pathlib.Path(d) / "a.rd.gz"
    path.write_bytes(gzip.compress(good))
    status, out, err = run("show", "--sections", path)
    lines = [line.split(None, 4) for line in out.split("\n")[1:-1]]
    case("listing", status == 0 and err == "" and [x[2] for x in lines] == [
        "CHIP_ID", "CMD", "GPUADDR", "BUFFER_CONTENTS", "CMDSTREAM_ADDR", "type", "FILLER"]
        and lines[0][4] == "0x43050a01" and lines[1][4] == '"a\\x1b"\\\\"'
        and lines[2][4] == "0x100002000, 4 bytes" and lines[3][4] == "at 0x100002000"
        and lines[4][4] == "0x100002000, 1 dwords, stream 0", (status, out, err))
    status, out, err = run("show", "--sections", "--json", path)
    got = json.loads(out)["sections"]
    case("--json", status == 0 and len(got) == 7 and got[1]["text"] == 'a\\x1b"\\\\'
         and got[3]["address"] == "0x100002000" and got[4]["dwords"] == 1, out)
    path.write_bytes(good[:20])
    status, out, err = run("show", "--sections", path)
    case("cut", status == 1 and "CHIP_ID" in out and f"{path}: byte 16: section 1: header" in err, (status, out, err))
    status, out, err = run("show", "--sections", "--json", path)
    case("cut, --json", status == 1 and "byte 16" in json.loads(out)["error"], (status, out, err))
    path.write_bytes(section(3, b"1234"))
    status, out, err = run("show", "--sections", path)
    case("payload too short", status == 1 and "too short" in out and "1 sections" in err, (status, out, err))
    path.write_bytes(b"not a capture")
    for name, args, want, text in [
            ("no action", [], 2, "no action given"), ("no file", ["show"], 2, "no FILE given"),
            ("unknown option", ["show", "--what"], 2, "no option '--what'"),
            ("missing file", ["show", "none.rd"], 3, "none.rd: No such file"),
            ("directory", ["show", d], 3, "Is a directory"), ("no capture", ["show", path], 3, f"{path}: byte 0:")]:
        status, out, err = run(*args)
        case(f"refuses: {name}", status == want and text in err and out == "", (status, out, err))
end()

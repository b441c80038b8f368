#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""info access of buffer instructions: access.py LULL. Addresses and bounds are computed here by the RDNA3 ISA guide
(9.4, "Buffer Addressing", 9.4.1, "Range Checking"), from descriptors that a kernel in assembly makes."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
LANES = 32
STRUCTURED_WITH_OFFSET, STRUCTURED, UNCHECKED, RAW = range(4)
UINT8X4, UINT32 = 46, 20  # formats 8_8_8_8_UINT and 32_UINT
SWIZZLED = 3 << 30


def row(name, text, data, stride=0, records=40, oob=RAW, form=UINT32, word1=0, word3=0, soffset=0):
    return name, text, data, stride, records, oob, form, word1, word3, soffset


# v2 is the lane's number, v3 four times that. data: bytes that a lane moves, and dwords of its registers that are stored.
ROWS = (
    row("raw", "buffer_load_b32 v4, v3, s[8:11], s12 offen offset:4", (4, 0)),
    row("raw, scalar offset", "buffer_load_b32 v4, v3, s[8:11], s12 offen offset:4", (4, 0), soffset=16),
    row("raw, no index to swizzle by", "buffer_load_b64 v[4:5], v3, s[8:11], s12 offen", (8, 0), word1=SWIZZLED, stride=0x3fff),
    row("raw, with an index", "buffer_load_b32 v4, v2, s[8:11], s12 idxen offset:4", (4, 0), stride=8),
    row("raw, lane numbers", "buffer_load_b32 v4, off, s[8:11], s12", (4, 0), stride=8, word3=1 << 23),
    row("structured", "buffer_load_b32 v4, v2, s[8:11], s12 idxen", (4, 0), stride=8, records=5, oob=STRUCTURED),
    row("structured, scalar offset", "buffer_load_b32 v4, v2, s[8:11], s12 idxen", (4, 0), stride=8, records=5, oob=STRUCTURED,
        soffset=64),
    row("structured with offset", "buffer_load_b64 v[4:5], v[2:3], s[8:11], s12 idxen offen", (8, 0), stride=16, records=20,
        oob=STRUCTURED_WITH_OFFSET),
    row("structured with offset, no stride", "buffer_store_b32 v2, v2, s[8:11], s12 idxen", (4, 1), records=20,
        oob=STRUCTURED_WITH_OFFSET),
    row("unchecked", "buffer_store_b64 v[2:3], v3, s[8:11], s12 offen", (8, 2), oob=UNCHECKED),
    row("no format: no buffer", "buffer_load_b32 v4, v3, s[8:11], s12 offen", (4, 0), form=0),
    row("texels", "buffer_load_format_xyzw v[4:7], v2, s[8:11], s12 idxen", (4, 0), stride=4, records=6, oob=STRUCTURED,
        form=UINT8X4),
    row("texels stored", "buffer_store_format_xyzw v[2:5], v3, s[8:11], s12 offen", (4, 4), form=UINT8X4),
    row("typed", "tbuffer_load_d16_format_xy v4, v3, s[8:11], s12 format:[BUF_FMT_16_16_UINT] offen", (4, 0), form=0),
)


def source():
    body = ["s_load_b64 s[4:5], s[0:1], 0x0", "v_mov_b32 v2, v0", "v_lshlrev_b32 v3, 2, v0", "s_waitcnt lgkmcnt(0)"]
    for n, (_, text, _, stride, records, oob, form, word1, word3, soffset) in enumerate(ROWS):
        body += ["s_mov_b32 s8, s4", "s_and_b32 s9, s5, 0xffff", f"s_or_b32 s9, s9, {word1 | stride << 16}",
                 f"s_mov_b32 s10, {records}", f"s_mov_b32 s11, {0xfac | form << 12 | oob << 28 | word3}",
                 f"s_mov_b32 s12, {soffset}", f"row{n}:", text]
    return """.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
.text
.globl k
.p2align 8
.type k,@function
k:
%s
s_endpgm
.Lend: .size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_kernarg_size 8
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 16
.amdhsa_wavefront_size32 1
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - {.name: k, .symbol: k.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
     .private_segment_fixed_size: 0, .wavefront_size: 32, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 1024,
     .args: [{.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}]}
.end_amdgpu_metadata
""" % "\n".join(body)


def expected(r, lane):
    """(offset from the buffer's base, whether it is outside) of a lane."""
    _, text, (size, _), stride, records, oob, form, _, word3, soffset = r
    index = (lane if "idxen" in text else 0) + (lane if word3 else 0)
    offset = (4 * lane if "offen" in text else 0) + (4 if "offset:4" in text else 0)
    place = index * stride + offset
    outside = {STRUCTURED_WITH_OFFSET: index >= records or offset + size > stride, STRUCTURED: index >= records,
               UNCHECKED: records == 0, RAW: place + soffset + size > records}[oob]
    return place + soffset, outside or (form == 0 and not text.startswith("tbuffer"))


def debug(work):
    """Replies of lull debug to "info access" at each row, and the buffer's address."""
    path = work / "k.s"
    path.write_text(source(), encoding="utf-8")
    args = [lull, "debug", path, "--grid", str(LANES), "--block", str(LANES), "--arg", "zeros:4096", "-batch", "--json"]
    for n in range(len(ROWS)):
        args += ["-ex", f"break *row{n}"]
    args += ["-ex", "run", "-ex", "print $s4", "-ex", "print $s5"]
    for _ in ROWS:
        args += ["-ex", "info access", "-ex", "continue"]
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=100, check=False)
    replies = [json.loads(line) for line in r.stdout.splitlines()]
    values = [int(x["value"], 16) for x in replies if "value" in x]
    found = [x["access"] for x in replies if "access" in x]
    if r.returncode != 0 or len(values) != 2 or len(found) != len(ROWS):
        sys.exit(f"Bail out! status {r.returncode}: {r.stdout[-1000:]} {r.stderr}")
    return values[0] | values[1] << 32, found


def main():
    with tempfile.TemporaryDirectory() as work:
        base, found = debug(pathlib.Path(work))
    for r, lanes in zip(ROWS, found):
        wrong = []
        for lane, got in enumerate(lanes):
            place, outside = expected(r, lane)
            dwords = got["data"].count("0x")
            stored = dwords == r[2][1] if r[2][1] else True
            if int(got["va"], 16) != base + place or got["outside"] != outside or not stored:
                wrong.append((lane, got, hex(base + place), outside))
        case(r[0], not wrong and len(lanes) == LANES, wrong[:3])


main()
end()

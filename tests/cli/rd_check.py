#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull rd check: streams put together here by hand, and the same with one packet left out. rd_check.py LULL TRACES.

What a draw reads stands here as numbers of Mesa's a6xx.xml. The streams of Turnip in TRACES must be clean.
"""
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from rd_bytes import buffer, pkt4, pkt7, section, stream, words  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, traces = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])


def lo_hi(a):
    return [a & 0xffffffff, a >> 32]


def capture(*packets, gpu=660, more=b""):
    data = words(*packets)
    return (section(13, struct.pack("<I", gpu)) + section(2, b"test/1\0\0") + buffer(BASE, data) + more +
            stream(BASE, len(data) // 4))


BASE, GROUP = 0x100001000, 0x100010000
WFI, EVENT, MARKER, DRAW_STATE, DRAW, EXEC_CS, BLIT = 0x26, 0x46, 0x65, 0x43, 0x38, 0x33, 0x2c
TRIANGLES = pkt7(DRAW, 4 | 2 << 6, 1, 3)
SYSMEM, COMPUTE = pkt7(MARKER, 1), pkt7(MARKER, 8)

# One triangle with one target, one attribute of one buffer and one varying: name, register, value.
STATE = [(n, int(r, 16), v) for n, r, v in [
    ("PC_PRIMITIVE_CNTL_0", "9b00", 0), ("PC_RASTER_CNTL", "9980", 0), ("PC_POLYGON_MODE", "9981", 3), ("VPC_POLYGON_MODE", "9108", 3),
    ("PC_MULTIVIEW_CNTL", "9b07", 0), ("VFD_MULTIVIEW_CNTL", "a008", 0), ("VFD_CONTROL_0", "a000", 1 << 8 | 1), ("VFD_CONTROL_1", "a001", 0xfcfcfc00),
    ("VFD_ADD_OFFSET", "a009", 1), ("VFD_INDEX_OFFSET", "a00e", 0), ("VFD_INSTANCE_START_OFFSET", "a00f", 0),
    ("VFD_FETCH[0].BASE", "a010", 0x1000), ("VFD_FETCH[0].BASE_HI", "a011", 1), ("VFD_FETCH[0].SIZE", "a012", 64), ("VFD_FETCH[0].STRIDE", "a013", 16),
    ("VFD_DECODE[0].INSTR", "a090", 0), ("VFD_DECODE[0].STEP_RATE", "a091", 1), ("VFD_DEST_CNTL[0].INSTR", "a0d0", 0xf),
    ("SP_VS_CONFIG", "a823", 1 << 8), ("SP_HS_CONFIG", "a83b", 0), ("SP_DS_CONFIG", "a863", 0), ("SP_GS_CONFIG", "a894", 0),
    ("SP_VS_CTRL_REG0", "a800", 1 << 7), ("SP_VS_OBJ_START", "a81c", 0), ("SP_VS_OBJ_START_HI", "a81d", 1), ("SP_VS_INSTRLEN", "a824", 1),
    ("HLSQ_VS_CNTL", "b800", 0x101), ("VPC_VS_PACK", "9301", 0xff0408), ("VPC_VS_CLIP_CNTL", "9101", 0xffff00), ("VPC_VS_LAYER_CNTL", "9104", 0xffff),
    ("PC_VS_OUT_CNTL", "9b01", 8), ("GRAS_VS_CL_CNTL", "8001", 0), ("GRAS_VS_LAYER_CNTL", "809b", 0), ("SP_VS_PRIMITIVE_CNTL", "a802", 2),
    ("SP_VS_OUT[0].REG", "a803", 0xf000f04), ("SP_VS_VPC_DST[0].REG", "a813", 0x400), ("VPC_SO_DISABLE", "9306", 1), ("GRAS_CL_CNTL", "8000", 0xc0),
    ("GRAS_SU_CNTL", "8090", 0x14), ("GRAS_SC_CNTL", "80a0", 2), ("GRAS_BIN_CONTROL", "80a1", 0xc00000), ("GRAS_RAS_MSAA_CNTL", "80a2", 0),
    ("GRAS_DEST_MSAA_CNTL", "80a3", 4), ("GRAS_SC_WINDOW_SCISSOR_TL", "80f0", 0), ("GRAS_SC_WINDOW_SCISSOR_BR", "80f1", 0x3f003f),
    ("GRAS_SC_SCREEN_SCISSOR[0].TL", "80b0", 0), ("GRAS_SC_SCREEN_SCISSOR[0].BR", "80b1", 0x3f003f), ("GRAS_SC_VIEWPORT_SCISSOR[0].TL", "80d0", 0),
    ("GRAS_SC_VIEWPORT_SCISSOR[0].BR", "80d1", 0x3f003f), ("GRAS_CL_VPORT[0].XOFFSET", "8010", 0x42000000), ("GRAS_CL_VPORT[0].XSCALE", "8011", 0x42000000),
    ("GRAS_CL_VPORT[0].YOFFSET", "8012", 0x42000000), ("GRAS_CL_VPORT[0].YSCALE", "8013", 0x42000000), ("GRAS_CL_VPORT[0].ZOFFSET", "8014", 0),
    ("GRAS_CL_VPORT[0].ZSCALE", "8015", 0x3f800000), ("GRAS_CL_GUARDBAND_CLIP_ADJ", "8006", 0x7fdff),
    ("RB_BIN_CONTROL", "8800", 0xc00000), ("RB_RENDER_CNTL", "8801", 0x10), ("RB_RAS_MSAA_CNTL", "8802", 0), ("RB_DEST_MSAA_CNTL", "8803", 4),
    ("RB_WINDOW_OFFSET", "8890", 0), ("RB_SAMPLE_CONFIG", "8804", 0), ("GRAS_SAMPLE_CONFIG", "80a4", 0), ("SP_TP_SAMPLE_CONFIG", "b304", 0),
    ("GRAS_CNTL", "8005", 1), ("GRAS_SAMPLE_CNTL", "8109", 0), ("RB_RENDER_CONTROL0", "8809", 1), ("RB_RENDER_CONTROL1", "880a", 0),
    ("RB_SAMPLE_CNTL", "8810", 0), ("RB_FS_OUTPUT_CNTL0", "880b", 0), ("RB_FS_OUTPUT_CNTL1", "880c", 1), ("RB_RENDER_COMPONENTS", "880d", 0xf),
    ("RB_SRGB_CNTL", "880f", 0), ("RB_BLEND_CNTL", "8865", 0xffff0000), ("SP_BLEND_CNTL", "a989", 0), ("SP_SRGB_CNTL", "a98a", 0),
    ("SP_FS_RENDER_COMPONENTS", "a98b", 0xf), ("SP_FS_CONFIG", "ab04", 1 << 8), ("SP_FS_OUTPUT_CNTL0", "a98c", 0xfcfcfc00), ("SP_FS_OUTPUT_CNTL1", "a98d", 1),
    ("VPC_CNTL_0", "9304", 0xff01ff04), ("RB_DEPTH_CNTL", "8871", 0), ("RB_STENCIL_CONTROL", "8880", 0), ("RB_DEPTH_PLANE_CNTL", "8870", 0),
    ("GRAS_SU_DEPTH_PLANE_CNTL", "8094", 0), ("RB_DITHER_CNTL", "880e", 0), ("RB_ALPHA_CONTROL", "8864", 0), ("SP_FS_CTRL_REG0", "a980", 0x81500100),
    ("SP_FS_OBJ_START", "a983", 0x800), ("SP_FS_OBJ_START_HI", "a984", 1), ("SP_FS_INSTRLEN", "ab05", 1), ("HLSQ_FS_CNTL", "bb10", 0x101),
    ("HLSQ_FS_CNTL_0", "b980", 3), ("SP_FS_PREFETCH_CNTL", "a99e", 0), ("HLSQ_CONTROL_1_REG", "b982", 7), ("HLSQ_CONTROL_2_REG", "b983", 0xfcfcfcfc),
    ("HLSQ_CONTROL_3_REG", "b984", 0xfcfcfc00), ("HLSQ_CONTROL_4_REG", "b985", 0xfcfcfcfc), ("SP_FS_OUTPUT[0].REG", "a98e", 4), ("SP_FS_MRT[0].REG", "a996", 0x30),
    ("VPC_VARYING_INTERP[0].MODE", "9200", 0), ("VPC_VARYING_PS_REPL[0].MODE", "9208", 0), ("VPC_VAR[0].DISABLE", "9212", 0xfffffff0),
    ("RB_MRT[0].CONTROL", "8820", 0x780), ("RB_MRT[0].BUF_INFO", "8822", 0x30), ("RB_MRT[0].BASE", "8825", 0x200000), ("RB_MRT[0].BASE_HI", "8826", 1),
    ("RB_MRT[0].PITCH", "8823", 4), ("RB_MRT[0].ARRAY_PITCH", "8824", 0x100)]]
COMPUTE_STATE = [(n, int(r, 16), v) for n, r, v in [
    ("SP_CS_CONFIG", "a9bb", 1 << 8), ("SP_CS_CTRL_REG0", "a9b0", 1 << 31 | 1 << 7), ("SP_CS_CTRL_REG1", "a9b1", 3), ("SP_CS_OBJ_START", "a9b4", 0),
    ("SP_CS_OBJ_START_HI", "a9b5", 1), ("SP_CS_INSTRLEN", "a9bc", 1), ("HLSQ_CS_CNTL", "b987", 0x101), ("HLSQ_CS_NDRANGE_0", "b990", 0x3f << 2 | 3),
    ("HLSQ_CS_CNTL_0", "b997", 0xfcfcfcc0), ("HLSQ_CS_CNTL_1", "b998", 0xfc)]]
BLIT_STATE = [(n, int(r, 16), v) for n, r, v in [
    ("GRAS_2D_BLIT_CNTL", "8400", 0xf0000080), ("RB_2D_BLIT_CNTL", "8c00", 0xf0000080), ("GRAS_2D_DST_TL", "8405", 0), ("GRAS_2D_DST_BR", "8406", 0x3f003f),
    ("RB_2D_DST_INFO", "8c17", 0x30), ("RB_2D_DST", "8c18", 0x300000), ("RB_2D_DST_HI", "8c19", 1), ("RB_2D_DST_PITCH", "8c1a", 4),
    ("SP_2D_DST_FORMAT", "acc0", 0xf180), ("RB_2D_SRC_SOLID_C0", "8c2c", 0), ("RB_2D_SRC_SOLID_C1", "8c2d", 0), ("RB_2D_SRC_SOLID_C2", "8c2e", 0),
    ("RB_2D_SRC_SOLID_C3", "8c2f", 0)]]


def writes(state, *without):
    return [pkt4(r, v) for n, r, v in state if n not in without]


tmp = tempfile.TemporaryDirectory()
path = pathlib.Path(tmp.name) / "a.rd"


def check(data, *args):
    path.write_bytes(data)
    r = subprocess.run([lull, "rd", "check", *args, path], capture_output=True, text=True, timeout=60)
    return r.returncode, r.stdout, r.stderr


def findings(data):
    status, out, err = check(data, "--json")
    try:
        found = json.loads(out)["findings"]
    except ValueError as e:
        return status, [str(e), err]
    return status, [(f["rule"], int(f["offset"], 0)) for f in found]


# Work whose submit wrote all that it reads is clean; each register that is left out is found, and nothing else.
KINDS = [("draw", STATE, [SYSMEM], TRIANGLES), ("dispatch", COMPUTE_STATE, [COMPUTE], pkt7(EXEC_CS, 0, 1, 1, 1)),
         ("blit", BLIT_STATE, [], pkt7(BLIT, 3))]
for kind, state, first, work in KINDS:
    status, got = findings(capture(*first, *writes(state), work))
    case(f"a {kind} that is complete", status == 0 and got == [], (status, got))
    wrong = []
    # What depends on a register is not read if that one is unknown: then it stands alone, too.
    for name, reg, _ in state:
        status, got = findings(capture(*first, *writes(state, name), work))
        if status != 1 or got != [("never written", reg)]:
            wrong.append((name, got))
    case(f"a {kind}: each of {len(state)} registers left out is found, alone", wrong == [], wrong)

# Words: where, what, and how to mend it.
at = BASE + len(words(SYSMEM, *writes(STATE, "RB_DEPTH_CNTL")))
status, out, err = check(capture(SYSMEM, *writes(STATE, "RB_DEPTH_CNTL"), TRIANGLES))
case("in words", status == 1 and err == "" and out.startswith(
    f"submit 0, stream 0, {at:#x} CP_DRAW_INDX_OFFSET (draw 0): reads RB_DEPTH_CNTL (0x8871), which no packet of this submit wrote\n    mend: "), (out, err))
status, out, err = check(capture(SYSMEM, *writes(STATE), TRIANGLES))
case("nothing found", status == 0 and out == "nothing found\n", (out, err))

# What the submit before has written does not count; a register is told once in a submit.
one = capture(SYSMEM, *writes(STATE), TRIANGLES)
two = words(SYSMEM, *writes(STATE, "GRAS_SU_CNTL"), TRIANGLES, TRIANGLES)
second = buffer(BASE + 0x8000, two) + stream(BASE + 0x8000, len(two) // 4)
status, got = findings(one + second)
case("written by the submit before, read by two draws", status == 1 and got == [("never written", 0x8090)], got)

# Of the binning pass, a draw makes no pixels; indirect draws bring their offsets.
no_pixels = ["RB_MRT[0].CONTROL", "SP_FS_CTRL_REG0", "RB_DEPTH_CNTL"]
status, got = findings(capture(pkt7(MARKER, 2), *writes(STATE, *no_pixels), TRIANGLES))
case("a draw of the binning pass", status == 0 and got == [], got)
multi = pkt7(0x2a, 4 | 2 << 6, 2, 1, *lo_hi(GROUP), 16)
status, got = findings(capture(SYSMEM, *writes(STATE, "VFD_INDEX_OFFSET", "VFD_INSTANCE_START_OFFSET"), multi, more=buffer(GROUP, bytes(64))))
case("an indirect draw", status == 0 and got == [], got)
# The registers of an attribute's buffer: 5, not 0.
via = [(n, r, 5 if n == "VFD_DECODE[0].INSTR" else v) for n, r, v in STATE]
status, got = findings(capture(SYSMEM, *writes(via), TRIANGLES))
case("an attribute of buffer 5", status == 1 and got == [("never written", 0xa010 + 5 * 4 + i) for i in range(4)], got)

# One copy: a wait between the work and the write.
CCU = pkt4(0x8e07, 0x10000000)
status, got = findings(capture(SYSMEM, *writes(STATE), TRIANGLES, CCU))
case("RB_CCU_CNTL without a wait", status == 1 and got == [("no wait", 0x8e07)], got)
at = BASE + len(words(SYSMEM, *writes(STATE)))
status, out, _ = check(capture(SYSMEM, *writes(STATE), TRIANGLES, CCU))
case("without a wait, in words", f"{at + 16:#x} write: sets RB_CCU_CNTL (0x8e07), of which there is one copy, while the CP_DRAW_INDX_OFFSET at {at:#x}" in out
     and "mend: CP_WAIT_FOR_IDLE before the write" in out, out)
status, got = findings(capture(SYSMEM, *writes(STATE), CCU, TRIANGLES, pkt4(0x8e07, 0)))
case("RB_CCU_CNTL, another value", status == 1 and got == [("no wait", 0x8e07)], got)
for what, packets in (("with a wait", [TRIANGLES, pkt7(WFI), CCU]), ("before the work", [CCU, TRIANGLES]), ("the value that it has", [CCU, TRIANGLES, CCU]),
                      ("a register of which there are two", [TRIANGLES, pkt4(0x8090, 0x14)])):
    status, got = findings(capture(SYSMEM, *writes(STATE), *packets))
    case(f"one copy: {what}", status == 0 and got == [], got)


# Groups: what a group wrote is gone with it.
def group(at, number, dwords):
    return pkt7(DRAW_STATE, dwords | 7 << 20 | number << 24, *lo_hi(at))


off, all_off = pkt7(DRAW_STATE, 1 << 17 | 5 << 24, 0, 0), pkt7(DRAW_STATE, 1 << 18, 0, 0)
full = words(pkt4(0x8090, 0x14), pkt4(0x8094, 0))  # GRAS_SU_CNTL, GRAS_SU_DEPTH_PLANE_CNTL
less = words(pkt4(0x8090, 0x15))
buffers = buffer(GROUP, full) + buffer(GROUP + 0x1000, less)
rest = writes(STATE, "GRAS_SU_CNTL", "GRAS_SU_DEPTH_PLANE_CNTL")
G5, LESS5, OTHER = group(GROUP, 5, 4), group(GROUP + 0x1000, 5, 2), group(GROUP, 6, 4)
for what, packets, want in (
        ("two draws of one group", [G5, TRIANGLES, TRIANGLES], []),
        ("the same group again", [G5, TRIANGLES, G5, TRIANGLES], []),
        ("a group taken away", [G5, TRIANGLES, off, TRIANGLES], [("stale group", 0x8090), ("stale group", 0x8094)]),
        ("all groups taken away", [G5, TRIANGLES, all_off, TRIANGLES], [("stale group", 0x8090), ("stale group", 0x8094)]),
        ("in its place one that writes less", [G5, TRIANGLES, LESS5, TRIANGLES], [("stale group", 0x8094)]),
        ("another group writes it", [G5, TRIANGLES, off, OTHER, TRIANGLES], []),
        ("a packet writes it", [G5, TRIANGLES, off, pkt4(0x8090, 0x14), pkt4(0x8094, 0), TRIANGLES], [])):
    status, got = findings(capture(SYSMEM, *rest, *packets, more=buffers))
    case(f"groups: {what}", status == (want != []) and sorted(got) == want, got)
status, out, _ = check(capture(SYSMEM, *rest, G5, TRIANGLES, LESS5, TRIANGLES, more=buffers))
case("groups, in words", f"reads GRAS_SU_DEPTH_PLANE_CNTL (0x8094) as the packet at {GROUP + 8:#x} left it, of group 5" in out, out)

# Caches: CCU to UCHE. What writes 0x100200000, of 16 KiB, and who reads it.
FLUSH_COLOR, FLUSH_DEPTH, INVALIDATE = pkt7(EVENT, 29), pkt7(EVENT, 28), pkt7(EVENT, 49)
TARGET = 0x100200000
COPY_STATE = [s for s in BLIT_STATE if "SOLID" not in s[0] and "BLIT_CNTL" not in s[0]] + [
    ("GRAS_2D_BLIT_CNTL", 0x8400, 0xf0000000), ("RB_2D_BLIT_CNTL", 0x8c00, 0xf0000000), ("GRAS_2D_SRC_TL_X", 0x8401, 0), ("GRAS_2D_SRC_BR_X", 0x8402, 63 << 8),
    ("GRAS_2D_SRC_TL_Y", 0x8403, 0), ("GRAS_2D_SRC_BR_Y", 0x8404, 63 << 8), ("SP_PS_2D_SRC_INFO", 0xb4c0, 0x30), ("SP_PS_2D_SRC_SIZE", 0xb4c1, 64 | 64 << 15),
    ("SP_PS_2D_SRC", 0xb4c2, TARGET & 0xffffffff), ("SP_PS_2D_SRC_HI", 0xb4c3, TARGET >> 32), ("SP_PS_2D_SRC_PITCH", 0xb4c4, 4 << 9)]
DEPTH_STATE = [(n, r, {"RB_DEPTH_CNTL": 3, "RB_MRT[0].BASE": 0x280000}.get(n, v)) for n, r, v in STATE] + [
    ("RB_DEPTH_BUFFER_INFO", 0x8872, 1), ("RB_DEPTH_BUFFER_PITCH", 0x8873, 4), ("RB_DEPTH_BUFFER_ARRAY_PITCH", 0x8874, 0x100),
    ("RB_DEPTH_BUFFER_BASE", 0x8875, TARGET & 0xffffffff), ("RB_DEPTH_BUFFER_BASE_HI", 0x8876, TARGET >> 32), ("GRAS_SU_DEPTH_BUFFER_INFO", 0x8098, 1)]
DRAWN = [SYSMEM, *writes(STATE), TRIANGLES]
DEEP = [SYSMEM, *writes(DEPTH_STATE), TRIANGLES]
FILLED = [*writes(BLIT_STATE, "RB_2D_DST"), pkt4(0x8c18, TARGET & 0xffffffff), pkt7(BLIT, 3)]
COPY = [*writes(COPY_STATE), pkt7(BLIT, 3)]


def memory(*packets, more=b""):
    """(rule, address, bytes, what would mend it) of the findings about memory."""
    status, out, err = check(capture(*packets, more=more), "--json")
    found = json.loads(out)["findings"]
    other = [f for f in found if "memory" not in f]
    return other or [(f["rule"], int(f["memory"], 0), f["bytes"], f["mend"]) for f in found]


def late(*missing):
    return [("not flushed", TARGET, 64 * 64 * 4, ", then ".join(missing) + " between the two")]


COLOR, DEPTH, CACHE, IDLE = "PC_CCU_FLUSH_COLOR_TS", "PC_CCU_FLUSH_DEPTH_TS", "CACHE_INVALIDATE", "CP_WAIT_FOR_IDLE"
for what, first, flush, name in (("a draw's colour", DRAWN, FLUSH_COLOR, COLOR), ("a draw's depth", DEEP, FLUSH_DEPTH, DEPTH),
                                 ("a fill", FILLED, FLUSH_COLOR, COLOR)):
    for how, between, want in (
            ("all three", [flush, INVALIDATE, pkt7(WFI)], []),
            ("nothing", [], late(name, CACHE, IDLE)),
            ("no flush", [INVALIDATE, pkt7(WFI)], late(name, CACHE, IDLE)),
            ("no invalidate", [flush, pkt7(WFI)], late(CACHE)),
            ("no wait", [flush, INVALIDATE], late(IDLE)),
            ("the invalidate first", [INVALIDATE, flush, pkt7(WFI)], late(CACHE)),
            ("the wait first", [pkt7(WFI), flush, INVALIDATE], late(IDLE))):
        got = memory(*first, *between, *COPY)
        case(f"{what}, then CP_BLIT: {how}", got == want, got)
got = memory(*DRAWN, FLUSH_DEPTH, INVALIDATE, pkt7(WFI), *COPY)
case("colour, flushed as depth", got == late(COLOR, CACHE, IDLE), got)
got = memory(*DRAWN, *COPY, *COPY)
case("told once", got == late(COLOR, CACHE, IDLE), got)
got = memory(*DRAWN, *writes([s for s in COPY_STATE if s[0] != "SP_PS_2D_SRC"]), pkt4(0xb4c2, 0x204000), pkt7(BLIT, 3))
case("another place", got == [], got)
status, out, _ = check(capture(*DRAWN, FLUSH_COLOR, INVALIDATE, *COPY))
at = BASE + len(words(*DRAWN)) - 16
case("caches, in words", f"(blit 1): reads 16384 bytes at {TARGET:#x} as the source of a blit, which the CP_DRAW_INDX_OFFSET at {at:#x} wrote" in out and
     "mend: CP_WAIT_FOR_IDLE between the two" in out, out)

# Shaders: dispatches of code that samples or stores descriptor 0 of set 0, an image at TARGET.
CODE, SET = 0x100020000, 0x100030000
SAMPLE, STORE = "isam.base0.1d (u32)(x)r1.x, r0.x, s#0, t#0", "stib.b.untyped.1d.u32.1.imm.base0 r0.x, r0.x, 0"
image = struct.pack("<16I", 0x30 << 22, 64 | 64 << 15, 256 << 7 | 1 << 29, 4, TARGET & 0xffffffff, TARGET >> 32, *[0] * 10)


def code(*lines):
    text = pathlib.Path(tmp.name) / "s.asm"
    text.write_text("\n".join([*lines, "end"]) + "\n")
    subprocess.run([lull, "ir3", "asm", "--gpu", "630", text, "-o", text.with_suffix(".bin")], check=True)
    return text.with_suffix(".bin").read_bytes()


def dispatch(number):
    base = CODE + number * 0x1000
    return [*writes([s for s in COMPUTE_STATE if "OBJ_START" not in s[0]]), pkt4(0xa9b4, *lo_hi(base)), pkt4(0xa9bc, 1), pkt4(0xa9e8, *lo_hi(SET | 3)),
            pkt4(0xb9c0, *lo_hi(SET | 3)), pkt7(EXEC_CS, 0, 1, 1, 1)]


def shaders(*codes):
    return b"".join(buffer(CODE + i * 0x1000, code(*c).ljust(256, b"\0")) for i, c in enumerate(codes)) + buffer(SET, image)


two = shaders([STORE], [SAMPLE])
for what, between, want in (("with a wait", [pkt7(WFI)], []), ("without", [], late(IDLE)), ("with an invalidate alone", [INVALIDATE], late(IDLE))):
    got = memory(COMPUTE, *dispatch(0), *between, *dispatch(1), more=two)
    case(f"stored, then sampled by another dispatch: {what}", got == want, got)
got = memory(COMPUTE, *dispatch(1), *dispatch(0), more=two)
case("sampled, then stored", got == [], got)
mend = "sample it in a draw or dispatch of its own, or read it as a storage image"
for what, lines, want in (("stored, then sampled", [STORE, SAMPLE], [("same draw", TARGET, 16384, mend)]), ("sampled, then stored", [SAMPLE, STORE], []),
                          ("another descriptor", [STORE, SAMPLE.replace("t#0", "t#1")], [])):
    got = memory(COMPUTE, *dispatch(0), more=shaders(lines))
    case(f"one dispatch: {what}", got == want, got)
got = memory(*DRAWN, COMPUTE, *dispatch(1), more=two)
case("drawn, then sampled", got == late(COLOR, CACHE, IDLE), got)
got = memory(*DRAWN, FLUSH_COLOR, INVALIDATE, pkt7(WFI), COMPUTE, *dispatch(1), more=two)
case("drawn, flushed, then sampled", got == [], got)

# Descriptors that state loads bring: the same two dispatches without sets. Source of blocks and types: Mesa a6xx.xml, adreno_pm4.xml.
LOAD, LOAD_FRAG, TEXTURES, IMAGES = 0x36, 0x34, 1 << 14 | 5 << 18, 0xf << 18
BOUND_SAMPLE, BOUND_STORE = "isam.1d (u32)(x)r1.x, r0.x, s#1, t#1", "stib.b.untyped.1d.u32.1.imm r0.x, r0.x, 1"
texels = struct.unpack("<16I", image)
bind_image, bind_texture = pkt7(LOAD, IMAGES | 1 | 1 << 22, 0, 0, *texels), pkt7(LOAD_FRAG, TEXTURES | 1 | 1 << 22, 0, 0, *texels)
other = pkt7(LOAD_FRAG, TEXTURES | 1 | 1 << 22, 0, 0, *texels[:4], TARGET + 0x10000 & 0xffffffff, *texels[5:])
two = shaders([BOUND_STORE], [BOUND_SAMPLE])
for what, packets, want in (
        ("stored, then sampled", [bind_image, *dispatch(0), bind_texture, *dispatch(1)], late(IDLE)),
        ("with a wait", [bind_image, *dispatch(0), pkt7(WFI), bind_texture, *dispatch(1)], []),
        ("another texture in its place", [bind_texture, bind_image, *dispatch(0), other, *dispatch(1)], []),
        ("another number", [bind_image, *dispatch(0), pkt7(LOAD_FRAG, TEXTURES | 2 | 1 << 22, 0, 0, *texels), *dispatch(1)], []),
        ("an image that is not bound", [*dispatch(0), bind_texture, *dispatch(1)], [])):
    got = memory(COMPUTE, *packets, more=two)
    case(f"bound, {what}", got == want, got)
got = memory(*DRAWN, COMPUTE, bind_texture, *dispatch(1), more=two)
case("drawn, then sampled as bound", got == late(COLOR, CACHE, IDLE), got)
got = memory(COMPUTE, bind_image, bind_texture, *dispatch(0), more=shaders([BOUND_STORE, BOUND_SAMPLE]))
case("bound, one dispatch: stored, then sampled", got == [("same draw", TARGET, 16384, mend)], got)

# Who fetches through UCHE (vertices, indices) and who reads past it (the CP).
STORED = [COMPUTE, *dispatch(0)]
CLEAN, FLUSH7 = pkt7(EVENT, 4, *lo_hi(BASE + 0x40000), 0), "CACHE_FLUSH_TS"
two = shaders([STORE], [SAMPLE])
VERTICES = [SYSMEM, *writes([(n, r, {"VFD_FETCH[0].BASE": TARGET & 0xffffffff, "VFD_FETCH[0].BASE_HI": TARGET >> 32, "RB_MRT[0].BASE": 0x280000}.get(n, v))
                             for n, r, v in STATE]), TRIANGLES]
PLAIN = [SYSMEM, *writes([(n, r, 0x280000 if n == "RB_MRT[0].BASE" else v) for n, r, v in STATE])]
INDICES = [*PLAIN, pkt7(DRAW, 4 | 1 << 10, 1, 3, 0, *lo_hi(TARGET + 64), 3)]
INDIRECT = [*PLAIN, pkt7(0x2a, 4 | 2 << 6, 2, 1, *lo_hi(TARGET), 16)]
EXEC = [COMPUTE, *dispatch(1)[:-1], pkt7(0x41, 0, *lo_hi(TARGET), 0)]
TO_REG = [pkt7(0x42, 0x8860, *lo_hi(TARGET + 32))]
for what, first, reader, between, want in (
        ("stored, vertices", STORED, VERTICES, [], late(IDLE)), ("stored, vertices, a wait", STORED, VERTICES, [pkt7(WFI)], []),
        ("drawn, vertices", DRAWN, VERTICES, [], late(COLOR, CACHE, IDLE)),
        ("drawn, vertices, all three", DRAWN, VERTICES, [FLUSH_COLOR, INVALIDATE, pkt7(WFI)], []),
        ("stored, indices", STORED, INDICES, [], late(IDLE)), ("stored, indices, a wait", STORED, INDICES, [pkt7(WFI)], []),
        ("drawn, indices, no invalidate", DRAWN, INDICES, [FLUSH_COLOR, pkt7(WFI)], late(CACHE)),
        ("stored, an indirect draw", STORED, INDIRECT, [], late(FLUSH7, IDLE)),
        ("stored, an indirect draw, a wait", STORED, INDIRECT, [pkt7(WFI)], late(FLUSH7, IDLE)),
        ("stored, an indirect draw, a clean", STORED, INDIRECT, [CLEAN], late(IDLE)),
        ("stored, an indirect draw, a wait too early", STORED, INDIRECT, [pkt7(WFI), CLEAN], late(IDLE)),
        ("stored, an indirect draw, both", STORED, INDIRECT, [CLEAN, pkt7(WFI)], []),
        ("filled, an indirect draw", FILLED, INDIRECT, [], late(COLOR, IDLE)),
        ("filled, an indirect draw, both", FILLED, INDIRECT, [FLUSH_COLOR, pkt7(WFI)], []),
        ("stored, an indirect dispatch", STORED, EXEC, [pkt7(WFI)], late(FLUSH7, IDLE)),
        ("stored, an indirect dispatch, both", STORED, EXEC, [CLEAN, pkt7(WFI)], []),
        ("stored, CP_MEM_TO_REG", STORED, TO_REG, [pkt7(WFI)], late(FLUSH7, IDLE)),
        ("stored, CP_MEM_TO_REG, both", STORED, TO_REG, [CLEAN, pkt7(WFI)], []),
        ("stored, CP_MEM_TO_REG elsewhere", STORED, [pkt7(0x42, 0x8860, *lo_hi(TARGET + 0x10000))], [], [])):
    got = memory(*first, *between, *reader, more=two)
    case(what, got == want, got)
status, out, _ = check(capture(*STORED, *INDIRECT, more=two))
case("indirect, in words", f"(draw 1): reads 16384 bytes at {TARGET:#x} as parameters of indirect work, which the CP_EXEC_CS at " in out, out)
status, out, _ = check(capture(*STORED, *TO_REG, more=two), "--json")
case("CP_MEM_TO_REG, as JSON", json.loads(out)["findings"][0]["as"] == "what the CP needs itself" and "draw" not in json.loads(out)["findings"][0], out)

# What cannot be checked.
status, out, err = check(capture(pkt4(0x2000, 1), gpu=530))
case("an a5xx", status == 3 and "a5xx" in err and out == "", (status, out, err))
status, out, err = check(b"no capture at all, but text")
case("no capture", status == 3 and err.count("\n") == 1, (status, err))

# Turnip's own streams, which mean no stale state: a640's, of an old Turnip, left dithering to whoever was before.
turnip = [*sorted(traces.glob("adreno-draws/*.rd.gz")), *sorted(traces.glob("tu*.rd.gz")), *sorted(traces.glob("turnip/*.rd.gz")),
          *sorted(traces.glob("comp*.rd.gz"))]
if turnip:
    wrong = {}
    for p in turnip:
        r = subprocess.run([lull, "rd", "check", p], capture_output=True, text=True, timeout=120)
        if (r.returncode, r.stdout) != (0, "nothing found\n"):
            wrong[p.name] = r.stdout[:300] + r.stderr
    case(f"{len(turnip)} captures of Turnip are clean", wrong == {}, wrong)
    # The same with packets turned into CP_NOP.
    triangle = gzip.decompress((traces / "adreno-draws/630_sysmem_tri.rd.gz").read_bytes())

    status, got = findings(triangle.replace(words(pkt4(0x8090, 0)[:1]), words(pkt7(0x10, 0)[:1])))
    case("a triangle of Turnip without GRAS_SU_CNTL", got == [("never written", 0x8090)], got)
    path.write_bytes(triangle.replace(words(pkt7(EVENT, 49)), words(pkt7(0x10, 49))))
    r = subprocess.run([lull, "rd", "check", "--json", path], capture_output=True, text=True)
    got = [(f["rule"], f["bytes"], f["mend"]) for f in json.loads(r.stdout)["findings"]]
    case("a triangle of Turnip without CACHE_INVALIDATE", got == [("not flushed", 16384, "CACHE_INVALIDATE between the two")], got)
    old = next(traces.glob("dEQP*.rd.gz"))
    status, got = findings(gzip.decompress(old.read_bytes()))
    case("an old Turnip left RB_DITHER_CNTL to whoever was before", got == [("never written", 0x880e)], got)
else:
    skip(f"no captures in {traces}")
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull replay of captures that others made: each ends, or stops at a packet that the table names; pictures are those of lavapipe within what the
table of the sources says. replay_traces.py LULL TRACES; without TRACES nothing runs."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from png_rows import grey16, read_png  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, traces = sys.argv[1], pathlib.Path(sys.argv[2])
if not traces.is_dir():
    skip("the captures are not here")
    end()
keep = tempfile.TemporaryDirectory()
tmp = pathlib.Path(keep.name)
# How a capture ends that does not run to its end, and why; options that it needs.
STOPS = {
    "fd-clouds.rd.gz": (3, "stream 1 of 979 dwords at 0x1d92000 is in no buffer of the capture"),  # taken without rd_full
    "es2gears-a320.rd.gz": (3, "the capture is of GPU id 330"),
    "tu740-bc.rd.gz": (1, "IB2 0x1000c41a0 CP_WAIT_REG_MEM"),  # a breadcrumb that the program's host would have answered
    "630_sysmem_gs.rd.gz": (1, "CP_DRAW_INDX_OFFSET"), "630_sysmem_mv.rd.gz": (1, "CP_DRAW_INDX_OFFSET"),
    "630_sysmem_tess.rd.gz": (1, "CP_DRAW_INDX_OFFSET"), "630_sysmem_xfb.rd.gz": (1, "CP_DRAW_INDX_OFFSET"),
}
OTHER_CHIP = {"dEQP-VK.draw.indirect_draw.indexed.indirect_draw_count.triangle_list.rd.gz": ["--gpu", "a630"]}
# Pixels of 64 by 64 that may differ from lavapipe's, and by more than 1/255. Source: notes on Adreno's draws, 6.3.
PICTURES = {"tri": (0, 0), "cull": (0, 0), "mask": (0, 0), "kill": (0, 0), "interp1": (0, 0), "full": (63, 0), "pv": (15, 0), "fcz": (7, 0),
            "md": (8, 0), "early2": (646, 22)}


def run(*args):
    r = subprocess.run([lull, "replay", *map(str, args)], capture_output=True, text=True, timeout=300)
    return r.returncode, r.stdout, r.stderr


for path in sorted(traces.glob("*.rd.gz")) + sorted(traces.glob("turnip/*.rd.gz")) + sorted(traces.glob("adreno-draws/*.rd.gz")):
    status, text = STOPS.get(path.name, (0, ""))
    r = run(*OTHER_CHIP.get(path.name, []), path)
    case(path.name, r[0] == status and text in r[1] + r[2], r)
for name, (most, more) in PICTURES.items():
    capture = traces / "adreno-draws" / f"630_sysmem_{'mediump' if name == 'md' else name}.rd.gz"
    right = traces / "adreno-draws" / f"lavapipe_{name}.ppm"
    if not capture.exists() or not right.exists():
        skip(f"picture {name}: it is not here")
        continue
    r = run("--targets", tmp, capture)
    _, width, height, _, pixels = right.read_bytes().split(None, 4)
    size, rows = (int(width), int(height)), read_png(tmp / "target0.png") if r[0] == 0 else None
    off = [max(abs(rows[y][4 * x + c] - pixels[3 * (y * size[0] + x) + c]) for c in range(3)) for y in range(size[1]) for x in range(size[0])] if rows else [255]
    case(f"picture {name}", sum(d > 0 for d in off) <= most and sum(d > 1 for d in off) <= more, (r, sum(d > 0 for d in off), sum(d > 1 for d in off)))
# Depth and stencil, cleared to 1 and 7: the triangle is at 0.25, its stencil replaced by 5. Where the colour is not the clear's, it was drawn.
for name in "d16", "d24s8", "d32s8":
    capture = traces / "adreno-draws" / f"630_sysmem_{name}.rd.gz"
    if not capture.exists():
        skip(f"depth {name}: it is not here")
        continue
    out = tmp / name
    r = run("--targets", out, capture)
    colour, depth = read_png(out / "target0.png"), grey16(out / "target-depth.png")
    drawn = [[row[4 * x:4 * x + 3] != b"\0\0\xff" for x in range(64)] for row in colour]
    case(f"depth {name}", r[0] == 0 and depth == [[round(0.25 * 65535) if d else 65535 for d in row] for row in drawn] and any(map(any, drawn)), (r, depth))
    stencil = [list(row) for row in read_png(out / "target-stencil.png")] if (out / "target-stencil.png").exists() else None
    case(f"stencil {name}", stencil == ([[5 if d else 7 for d in row] for row in drawn] if "s8" in name else None), stencil)
end()

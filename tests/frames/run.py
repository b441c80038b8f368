#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull exec --frames: what programs present, as PNG. run.py LULL PRESENT [--radv FOLDER].

PRESENT clears its images to colours that are computed here. vkcube's frame is compared with lavapipe's, gears are looked for by their colours.
What needs a window needs Xvfb; OpenGL needs Mesa's zink."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "tools")]
import radv  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, present = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
BARE = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
BARE["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
UNORM, SRGB, NO_EXTENSION = 44, 50, 77


def png(path):
    """(width, height, rows of RGBA) of a PNG that libpng wrote: 8 bits, no interlacing. Source: RFC 2083."""
    data, at, packed, head = path.read_bytes(), 8, b"", None
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    width, height, raw = head[0], head[1], zlib.decompress(packed)
    channels = {2: 3, 6: 4}[head[3]]
    rows, above = [], bytes(width * channels)
    for y in range(height):
        line = bytearray(raw[y * (width * channels + 1):(y + 1) * (width * channels + 1)])
        how, row = line[0], line[1:]
        for i, v in enumerate(row):
            a, b = row[i - channels] if i >= channels else 0, above[i]
            c = above[i - channels] if i >= channels else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[i] = (v + (0, a, b, (a + b) // 2, nearest)[how]) & 255
        rows.append([tuple(row[i:i + channels])[:3] for i in range(0, len(row), channels)])
        above = bytes(row)
    return width, height, rows


def run(folder, program, options=(), more=None):
    return subprocess.run([lull, "exec", "--frames", folder, *options, "--", *program], capture_output=True, text=True, timeout=100,
                          env={**BARE, **(more or {})}, stdin=subprocess.DEVNULL)


def until(folder, program, frame, more):
    """For programs that do not end: until that frame is there."""
    p = subprocess.Popen([lull, "exec", "--frames", folder, "--frames-only", str(frame), "--", *program], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, env={**BARE, **more}, stdin=subprocess.DEVNULL)
    file = folder / f"frame-{frame:05}.png"
    try:
        while not file.exists():
            p.wait(0.05)
            break
    except subprocess.TimeoutExpired:
        pass
    for _ in range(1000):
        if file.exists() or p.poll() is not None:
            break
        try:
            p.wait(0.05)
        except subprocess.TimeoutExpired:
            pass
    p.terminate()
    return file, p.communicate(timeout=60)[1].decode()


def color(frame, other, srgb):
    """What PRESENT clears its frame to, in 255ths; the other window has the rest to 1."""
    out = []
    for i in range(3):
        c = frame * (i + 1) % 64 / 64
        c = 1 - c if other else c
        out.append((1.055 * c ** (1 / 2.4) - 0.055 if c > 0.0031308 else 12.92 * c) * 255 if srgb else c * 255)
    return out


def is_filled(path, size, frame, other=False, srgb=False):
    """One colour all over; "" or what is wrong."""
    if not path.exists():
        return f"no {path.name}"
    width, height, rows = png(path)
    colors = {p for row in rows for p in row}
    want = color(frame, other, srgb)
    right = (width, height) == size and len(colors) == 1 and all(abs(a - b) <= 1 for a, b in zip(*colors, want))
    return "" if right else f"{path.name}: {width} x {height}, {list(colors)[:4]}, expected {size}, {want}"


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def cleared(root, label, surface, more):
    """PRESENT's frames: sizes, formats, two windows, only one of them."""
    rows = (("frames", (str(UNORM), "40x30", "3"), (), [((40, 30), 1, False), ((40, 30), 2, False), ((40, 30), 3, False)]),
            ("sRGB", (str(SRGB), "16x16", "2"), (), [((16, 16), 1, False), ((16, 16), 2, False)]),
            ("another size", (str(UNORM), "33x17", "1", "64x48", "1"), (), [((33, 17), 1, False), ((64, 48), 2, False)]),
            ("two windows", (str(UNORM), "24x20", "2", "also"), (), [((24, 20), 1, False), ((24, 20), 1, True), ((24, 20), 2, False), ((24, 20), 2, True)]),
            ("only one", (str(UNORM), "20x20", "5"), ("--frames-only", "4"), [None, None, None, ((20, 20), 4, False)]),
            ("none of so many", (str(UNORM), "20x20", "2"), ("--frames-only", "7"), []))
    for name, args, options, frames in rows:
        folder = root / f"{surface}{label}{name}".replace(" ", "_")
        folder.mkdir()
        r = run(folder, [present, surface, *args], options, more)
        if r.returncode == NO_EXTENSION:
            skip(f"{name}, {surface} ({label}): {r.stderr.strip()}")
            continue
        why = [is_filled(folder / f"frame-{i + 1:05}.png", *f, srgb=name == "sRGB") for i, f in enumerate(frames) if f]
        want = [f"frame-{i + 1:05}.png" for i, f in enumerate(frames) if f]
        case(f"{name}, {surface} ({label})", r.returncode == 0 and not any(why) and names(folder) == want, (why, names(folder), r))


def cube(root, label, more):
    """vkcube's frame is lavapipe's but for few pixels: texture filters differ in the last bits."""
    pictures = []
    for device, env in (("model", more), ("lavapipe", {"VK_DRIVER_FILES": LAVAPIPE, "VK_ICD_FILENAMES": LAVAPIPE})):
        folder = root / f"cube-{label}-{device}"
        folder.mkdir()
        r = run(folder, ["vkcube", "--c", "2"], ("--frames-only", "2"), env)
        if names(folder) != ["frame-00002.png"] or r.returncode != 0:
            return case(f"vkcube ({label})", False, (device, names(folder), r))
        pictures.append(png(folder / "frame-00002.png"))
    (width, height, a), (_, _, b) = pictures
    off = sum(max(abs(u - v) for u, v in zip(p, q)) > 4 for x, y in zip(a, b) for p, q in zip(x, y))
    colors = len({p for row in b for p in row})
    return case(f"vkcube ({label})", pictures[0][:2] == pictures[1][:2] and colors > 100 and off * 500 <= width * height,
                f"{off} of {width * height} pixels are off; {colors} colours")


def gears(root, label, program, more):
    """Three gears: red, green and blue parts in front of black."""
    folder = root / f"{program}-{label}"
    folder.mkdir()
    file, log = until(folder, [program], 2, more)
    if not file.exists():
        return case(f"{program} ({label})", False, log)
    _, _, rows = png(file)
    found = [sum(p[c] > 100 and p[c] > 2 * max(p[(c + 1) % 3], p[(c + 2) % 3]) for row in rows for p in row) for c in range(3)]
    black = sum(p == (0, 0, 0) for row in rows for p in row)
    return case(f"{program} ({label})", all(n > 1000 for n in found) and black > 20000 and names(folder) == [file.name], (found, black, names(folder)))


def refusals(root):
    (root / "file").write_text("")
    rows = (("no such directory", ("--frames", root / "none"), 3, "--frames"), ("a file", ("--frames", root / "file"), 3, "--frames"),
            ("--frames-only alone", ("--frames-only", "1"), 2, "--frames-only needs --frames"),
            ("a frame 0", ("--frames", root, "--frames-only", "0"), 2, "--frames-only"))
    for name, options, status, text in rows:
        r = subprocess.run([lull, "exec", *map(str, options), "--", "echo", "ran"], capture_output=True, text=True, env=BARE, timeout=60)
        case(f"refused: {name}", r.returncode == status and r.stdout == "" and text in r.stderr.split("\n")[0], r)
    r = run(root, ["/bin/sh", "-c", "echo frame 3: why > $LULL_FRAMES/.lull-frames; exit 0"])
    case("what the layer could not do is told", r.returncode == 3 and "frame 3: why" in r.stderr and not (root / ".lull-frames").exists(), r)


def drivers():
    found = [("22", {})]
    if sys.argv[3:4] == ["--radv"]:
        try:
            found.append(("25", radv.environment(sys.argv[4])))
        except radv.Missing as e:
            skip(f"no RADV of backports: {e}")
    return found


with tempfile.TemporaryDirectory() as place:
    here = pathlib.Path(place)
    refusals(here)
    for which, environment in drivers():
        cleared(here, which, "headless", environment)
        if shutil.which("Xvfb") is None:
            skip(f"({which}) Xvfb is not installed: no windows")
            continue
        cleared(here, which, "xcb", environment)
        cube(here, which, environment)
        for tool in ("glxgears", "es2gears_x11"):
            if shutil.which(tool):
                gears(here, which, tool, environment)
            else:
                skip(f"({which}) {tool} (mesa-utils) is not installed")
end()

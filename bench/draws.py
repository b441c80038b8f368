#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws on lull's virtual GPU and on lavapipe, in CPU time of one thread of each; OpenGL (zink there) beside llvmpipe.

draws.py LULL DRAW_SCENES [RESULTS.jsonl]: CPU time of more frames or draws less that of few, which starts programs and compiles; the
better of two, both devices in turn. vkcube runs on an X server without a screen (Xvfb) at its own 500 x 500, glxgears at its 300 x 300:
it counts its frames itself, every 5 s, and the first 5 s are its start.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "draw"))
import shaders  # noqa: E402, of the tests

lull, scenes = sys.argv[1:3]
out = open(sys.argv[3], "a", encoding="utf-8") if len(sys.argv) > 3 else None
ICD = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
SIZE, DRAWS, TRIANGLES = 500, 40, 20000
FRAMES = 20


def cpu(args, **env):
    """Seconds of CPU of a program and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(args, capture_output=True, text=True, env={**os.environ, "LP_NUM_THREADS": "1", **env}, check=False)
    if r.returncode != 0:
        sys.exit(f"{' '.join(map(str, args))}: status {r.returncode}: {r.stdout}{r.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cube(device, frames):
    if device == "lull":
        return cpu([lull, "exec", "--", "vkcube", "--c", str(frames)])
    return cpu(["vkcube", "--c", str(frames)], VK_ICD_FILENAMES=ICD)


def cpu_so_far(pid):
    """Seconds of CPU of a running process and those that it started."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    started = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(cpu_so_far, started))


def gears(device):
    """Frames in a second of CPU time, the better of two spans of 5 s."""
    args = ["stdbuf", "-oL", "glxgears"]
    env = {"LP_NUM_THREADS": "1"} if device == "lull" else {"LP_NUM_THREADS": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"}
    with subprocess.Popen([lull, "exec", "--", *args] if device == "lull" else args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, env={**os.environ, **env}) as p:
        spans = []
        for line in p.stdout:
            frames = re.match(r"(\d+) frames in", line)
            if frames:
                spans.append((int(frames[1]), cpu_so_far(p.pid)))
            if len(spans) == 3:
                break
        p.terminate()
    if len(spans) < 3:
        sys.exit(f"glxgears ({device}): status {p.returncode} after {len(spans)} spans of 5 s")
    return max(now[0] / (now[1] - before[1]) for before, now in zip(spans, spans[1:]))


def scene(folder, name, text):
    path = pathlib.Path(folder) / f"{name}.scene"
    path.write_text(text)
    return path


def draw(device, folder, path):
    args = [scenes, "RADV" if device == "lull" else "llvmpipe", folder, path]
    return cpu([lull, "exec", "--", *args]) if device == "lull" else cpu(args, VK_ICD_FILENAMES=ICD)


def floats(values):
    return " ".join(f"{v:.9g}" for v in values)


def fill(n):
    """One triangle over the whole picture, n times."""
    corners = [(-1, -1), (3, -1), (-1, 3)]
    vertices = floats(v for x, y in corners for v in (x, y, 0.5, 1, 0.2, 0.4, 0.6, 1))
    return head(vertices) + "draw 3\n" * n


def small(n):
    """Triangles of about half a pixel in rows, n times one draw of a thousandth of them."""
    vertices = []
    for i in range(TRIANGLES // 10):
        x, y = i % 50 / 25 - 1, i // 50 / 25 - 1
        for dx, dy in ((0, 0), (0.004, 0), (0, 0.004)):
            vertices += (x + dx, y + dy, 0.5, 1, 1, 1, 1, 1)
    return head(floats(vertices)) + f"draw {TRIANGLES // 10 * 3}\n" * n


def head(vertices):
    return (f"size {SIZE} {SIZE}\ntarget R8G8B8A8_UNORM clear 0 0 0 1\nbuffer v f32 {vertices}\nvertices v 32\n"
            "attribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 0 R32G32B32A32_SFLOAT 16\n"
            "vert color.vert.spv\nfrag color.frag.spv\n")


def rate(few, many, less, more, what):
    """Units in a second of CPU time."""
    seconds = min(many() for _ in range(2)) - min(few() for _ in range(2))
    return (more - less) * what / max(seconds, 1e-3)


def show(name, unit, rates):
    print(f"{name:34} {rates['lull']:12.1f} {rates['lavapipe']:12.1f} {unit:14} {rates['lull'] / rates['lavapipe']:8.3f}", flush=True)
    if out:
        out.write(json.dumps({"bench": "draws", "what": name, "unit": unit, "rate": rates}) + "\n")


def main():
    print(f"{'':34} {'lull':>12} {'lavapipe':>12} {'':14} {'lull/lavapipe':>8}")
    with tempfile.TemporaryDirectory() as folder:
        wrong = shaders.make(pathlib.Path(folder), ["color.vert", "color.frag"])
        if wrong:
            sys.exit(wrong)
        server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "640x640x24"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        os.environ["DISPLAY"] = ":" + server.stdout.readline().strip()
        try:
            show("vkcube, 500 x 500", "frames/s", {d: rate(lambda d=d: cube(d, 5), lambda d=d: cube(d, 5 + FRAMES), 0, FRAMES, 1)
                                                   for d in ("lull", "lavapipe")})
            if shutil.which("glxgears"):
                show("glxgears, 300 x 300", "frames/s", {d: gears(d) for d in ("lull", "lavapipe")})
            else:
                print("glxgears (mesa-utils) is not installed")
        finally:
            server.kill()
        for name, unit, text, what in (("full-screen triangles, 500 x 500", "Mpixels/s", fill, SIZE * SIZE / 1e6),
                                       ("small triangles", "ktriangles/s", small, TRIANGLES / 10 / 1e3)):
            few, many = scene(folder, "few", text(1)), scene(folder, "many", text(1 + DRAWS))
            show(name, unit, {d: rate(lambda d=d: draw(d, folder, few), lambda d=d: draw(d, folder, many), 0, DRAWS, what)
                              for d in ("lull", "lavapipe")})


main()

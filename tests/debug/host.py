#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where a program recorded and submitted what is held: lull debug -- PROGRAM. host.py LULL SOURCES EXAMPLES: TAP.

Programs are compiled here, with and without debug information. Lines are those on which the calls stand in the source;
each frame is compared with what binutils' addr2line says of its module and address.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, here, examples = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
BLOCKS = here / "blocks.c"
WRAPPER = """#include <vulkan/vulkan.h>
#undef vkCmdDispatch
void vkCmdDispatch(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z);
__attribute__((noinline)) void through(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z);
void through(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z)
{
    vkCmdDispatch(c, x, y, z);
    __asm__ volatile("");
}
"""


def run(*args):
    return subprocess.run([str(a) for a in args], check=True, capture_output=True, text=True).stdout


def debug(program, *commands, more=()):
    line = [lull, "debug", "-batch", *more]
    for c in commands:
        line += ["-ex", c]
    r = subprocess.run([*map(str, line), "--", *map(str, program)], capture_output=True, text=True, timeout=120, env=environment)
    return r.returncode, r.stdout + r.stderr


def line_of(source, text):
    """The one line of a source with this text."""
    found = [n for n, line in enumerate(source.read_text().splitlines(), 1) if text in line]
    assert len(found) == 1, (source, text, found)
    return found[0]


def addr2line(frame):
    """[(function, file name, line)] of a frame, inlined ones first."""
    words = run("addr2line", "-i", "-f", "-e", frame["module"], hex(int(frame["offset"], 16) - 1)).splitlines()
    places = []
    for function, place in zip(words[::2], words[1::2]):
        file, _, line = place.split(" ")[0].rpartition(":")
        places.append((function, pathlib.PurePath(file).name, int(line) if line.isdigit() else 0))
    return places


def as_addr2line(frames):
    """Are all frames that have lines what addr2line says? How many were compared."""
    compared, i = 0, 0
    while i < len(frames):
        same = [f for f in frames[i:] if (f["module"], f["offset"]) == (frames[i]["module"], frames[i]["offset"])]
        if same[0]["line"] != 0:
            got = [(f["function"], pathlib.PurePath(f["file"]).name, f["line"]) for f in same]
            if got != addr2line(same[0]):
                return f"{got} and not {addr2line(same[0])}"
            compared += len(same)
        i += len(same)
    return compared


def objects(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def blocks(root, name, flags):
    """The program's two calls, at levels of optimisation."""
    program, spv = root / f"blocks{name}", root / "blocks.spv"
    run("cc", "-std=c17", "-g", *flags, BLOCKS, "-o", program, "-lvulkan")
    record, submit = line_of(BLOCKS, "vkCmdDispatch("), line_of(BLOCKS, "vkQueueSubmit(")
    status, text = debug([program, spv], "catch dispatch", "run", "info dispatch", "delete", "continue")
    want = f"recorded by run() at blocks.c:{record}; submitted by run() at blocks.c:{submit}\n"
    case(f"{name}: the held dispatch says its lines", status == 0 and want in text, text)
    case(f"{name}: info dispatch goes to main, and no further", text.count(f" at {BLOCKS}:{record}") == 1 and " main() at " in text and
         "libc" not in text, text)
    status, text = debug([program, spv], "catch dispatch", "run", "info dispatch 0", "kill", more=["--json"])
    for said in [o for o in objects(text) if "recorded" in o]:
        for key, line in (("recorded", record), ("submitted", submit)):
            frames = said[key]
            case(f"{name}: --json, {key} at line {line}", frames[0]["function"] == "run" and frames[0]["line"] == line and
                 frames[-1]["function"] == "main", frames)
            compared = as_addr2line(frames)
            case(f"{name}: --json, {key}: frames as of addr2line", isinstance(compared, int) and compared >= 2, compared)
    case(f"{name}: --json: at the stop and of info dispatch", sum("recorded" in o for o in objects(text)) == 2, text)


def stripped(root):
    """Modules and addresses remain, and the lines of who called."""
    (root / "wrapper.c").write_text(WRAPPER)
    run("cc", "-O1", "-fPIC", "-shared", "-s", root / "wrapper.c", "-o", root / "libthrough.so", "-lvulkan")
    program = root / "wrapped"
    run("cc", "-std=c17", "-g", "-DvkCmdDispatch=through", BLOCKS, "-o", program, f"-L{root}", f"-Wl,-rpath,{root}", "-lthrough", "-lvulkan")
    status, text = debug([program, root / "blocks.spv"], "catch dispatch", "run", "info dispatch", "kill")
    record = line_of(BLOCKS, "vkCmdDispatch(")
    case("a library without debug information is in the backtrace", "  #0  through() in libthrough.so\n" in text, text)
    case("the caller with lines is what the stop says", f"recorded by run() at blocks.c:{record};" in text, text)
    run("strip", "-o", root / "bare", root / "blocks-O0")
    status, text = debug([root / "bare", root / "blocks.spv"], "catch dispatch", "run", "kill")
    case("a stripped program: module and address", "recorded by bare+0x" in text and "submitted by bare+0x" in text, text)


def draws(root):
    source = examples / "bughunt/drawing.c"
    run("cc", "-std=c17", "-g", source, "-o", root / "drawing", "-lvulkan", "-lm")
    for stage in ("vert", "frag"):
        run("glslangValidator", "--quiet", "-V", examples / f"bughunt/drawing.{stage}", "-o", root / f"drawing.{stage}.spv")
    status, text = debug([root / "drawing", root / "drawing.vert.spv", root / "drawing.frag.spv"], "catch draw name solid", "run", "info draw", "kill")
    record, submit = line_of(source, "vkCmdDraw"), line_of(source, "vkQueueSubmit(")
    case("a held draw says its lines", f" at drawing.c:{record}; submitted by" in text and f" at drawing.c:{submit}\n" in text, text)
    case("info draw: backtraces", "Recorded by\n" in text and "Submitted by\n" in text, text)


with tempfile.TemporaryDirectory() as name:
    root = pathlib.Path(name)
    run("glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", here / "blocks.comp", "-o", root / "blocks.spv")
    blocks(root, "-O0", ["-O0"])
    blocks(root, "-O2", ["-O2"])
    blocks(root, "-no-pie", ["-O1", "-no-pie"])
    stripped(root)
    draws(root)
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who wrote memory last, across submissions of a program: program_writer.py LULL PASSES PASSES_SPIRV DRAWING VERTEX FRAGMENT. TAP.

PASSES adds 2 x to y and then 2 y to z, 1024 work-items in groups of 64, in two submissions or one; x is written by the host alone. So element 100 of y is
written by the first dispatch, workgroup 1, lane 36.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
passes, drawing = sys.argv[2:4], sys.argv[4:7]
env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
ELEMENT = 100
GROUP, LANE = divmod(ELEMENT, 64)


def debug(args, *commands):
    """What the commands say, with their objects, and all of it."""
    words = [w for c in ("set record-writers on", *commands) for w in ("-ex", c)]
    r = subprocess.run([lull, "debug", "-batch", "--json", *words, "--", *args], env=env, capture_output=True, text=True, timeout=120, check=False)
    return [json.loads(x) for x in r.stdout.splitlines() if x.startswith("{")], r.stdout + r.stderr


def writers(out):
    return [o["writers"] for o in out if "writers" in o]


HELD = ("catch dispatch", "run", "continue")  # In front of the second dispatch.
out, said = debug([*passes, "submits-wait"], *HELD, "info descriptors")
at = dict(re.findall(r"(From|To) .*? at (0x[0-9a-f]+)", said))
case("where y and z are", len(at) == 2, said)
y, z = (f"{{f32}}({at.get(k, 0)}+{4 * ELEMENT})" for k in ("From", "To"))
out, said = debug([*passes, "submits-wait"], "catch dispatch", "run", f"info writer {y}", "continue", f"info writer {y}", f"info writer {z}", f"why {y}", f"watch {y}", "reverse-continue", "stepi",
                  f"info writer {y}", "reverse-continue", f"why {y}", f"set var {y} = 7", f"info writer {y}", "delete", "continue")
found = writers(out)
want = {"how": "dispatch", "dispatch": 0, "workgroup": [GROUP, 0, 0], "lane": LANE, "changed": False}
fits = lambda w, **more: {k: w[0].get(k) for k in {**want, **more}} == {**want, **more}
case("before its dispatch nobody has written it, nor the output of the next", len(found) == 8 and [found[i][0]["how"] for i in (0, 2)] == ["nobody"] * 2, said)
case("held in the next submission: who wrote it in the one before", len(found) == 8 and fits(found[1]) and found[1][0]["submission"] == 1, found)
case("... by why, and by reverse-continue, where nothing can be gone back to", len(found) == 8 and fits(found[3]) and fits(found[4]), found)
case("... and where it can, at its beginning", len(found) == 8 and fits(found[5]) and fits(found[6]) and "No more reverse-execution history" in said, said)
befores = [n["before"] for o in out for n in o.get("nodes", ()) if "before" in n]
case("... why says it of what the dispatch reads", len(befores) == 1 and befores[0]["dispatch"] == 0 and befores[0]["lane"] == LANE, said)
case("... with the instruction", "buffer_store_b32" in said, said)
case("what somebody else changed since", len(found) == 8 and found[7][0]["changed"] and "has something else" in said, found)

# In the middle of a dispatch, and back: what it has written meanwhile counts, and no more behind.
out, said = debug([*passes, "submits-wait"], *HELD, "stepi", "x/40i $pc")
store = [a for o in out for a in re.findall(r"(0x[0-9a-f]+) [^\n]*buffer_store_b32", o.get("text", ""))]
first = f"{{f32}}({at.get('To', 0)}+0)"
out, said = debug([*passes, "submits-wait"], *HELD, f"tbreak *{store[0] if store else 0}", "continue", f"info writer {first}", "stepi", f"info writer {first}", "reverse-stepi",
                  f"info writer {first}", "goto end", f"info writer {first}", "delete", "continue")
found = [w[0] for w in writers(out)]
case("a store, in front of it, behind it, back, and at the end", [w["how"] for w in found] == ["nobody", "dispatch", "nobody", "dispatch"] and
     [w.get("dispatch") for w in found[1::2]] == [1, 1] and all(w["lane"] == 0 and w["workgroup"] == [0, 0, 0] for w in found[1::2]), said)
case("the program is right", "sum 4096, want 4096" in said, said)
out, said = debug([*passes, "submits-wait"], "set record-memory off", *HELD, f"info writer {y}")
case("without memory for it nothing is noted", "not noted" in said and not writers(out), said)
out, said = debug([*passes, "submits-wait"], "set record-writers off", "show record-writers", *HELD, f"info writer {y}")
case("nor where it is off", "'set record-writers on', then 'run'" in said and not writers(out) and re.search(r"record-writers +off", said) is not None, said)
out, said = debug([*passes, "submits-wait"], "set record-writers perhaps")
case("it is on or off", "'perhaps': record-writers is on or off" in said, said)

# Transfers: what the driver does by packets.
for how, kind in (("fill", "fill"), ("update", "copy")):
    out, said = debug([*passes, how], "catch dispatch", "run", "info descriptors")
    to = dict(re.findall(r"(From|To) .*? at (0x[0-9a-f]+)", said)).get("To", "0")
    out, said = debug([*passes, how], "catch dispatch", "run", f"info writer {{f32}}({to}+{4 * ELEMENT})")
    case(f"vkCmd{how.capitalize()}Buffer", [(w[0]["how"], w[0]["submission"]) for w in writers(out)] == [(kind, 1)], said)  # An update is copied from memory that the driver has put it in.

# Draws: colour and depth are written by the back end, of what a fragment wave exported. The picture: a floor (draw 2), on it a triangle (3).
out, said = debug(drawing, "catch draw 4", "run", "info draw")
place = re.search(r"target 0 .*? 64x64 at (0x[0-9a-f]+).*?depth .*? at (0x[0-9a-f]+)", said, re.S)
base, depth = (int(x, 16) for x in place.groups()) if place else (0, 0)
ALL = range(0, 64 * 64 * 4, 4 * 103)
out, said = debug(drawing, "catch draw 3", "run", "catch draw 4", "continue", *(f"info writer {{u32}}{base + i:#x}" for i in ALL), f"info writer {{f32}}{depth:#x}", "dump target 0 /dev/null")
pixels = [w[0] for w in writers(out)]
case("each texel has a draw and a pixel, each another", len(pixels) == len(ALL) + 1 and {w["how"] for w in pixels[:-1]} == {"color"} and {w["draw"] for w in pixels[:-1]} == {2, 3} and
     len({(w["x"], w["y"]) for w in pixels[:-1]}) == len(ALL) and all(w["x"] < 64 and w["y"] < 64 and w["lane"] % 4 == w["x"] % 2 + 2 * (w["y"] % 2) for w in pixels[:-1]), said)
case("depth, too, of the same pixel at the corner", bool(pixels) and pixels[-1]["how"] == "depth" and (pixels[-1]["x"], pixels[-1]["y"]) == (0, 0), pixels[-1:])
last = [w for w in pixels[:-1] if w["draw"] == 3][:1]
if last:
    texel, lane = f"{{u32}}{last[0]['address']}", last[0]["lane"]
    out, said = debug(drawing, "catch draw 3", "run", "catch draw 4", "continue", f"watch {texel}", "reverse-continue", "x/i $pc", "print $v0", "info when", "goto end", f"why -depth 2 {texel}", "delete", "continue")
    whole = "".join(o.get("text", "") for o in out)
    case("reverse-continue goes to the export of that pixel", f"the back end wrote pixel {last[0]['x']},{last[0]['y']} of colour target 0" in whole and
         re.search(rf"hit watchpoint \d+, lane {lane}\b", whole) is not None and "exp mrt0" in whole, said)
    nodes = next((o["nodes"] for o in out if "nodes" in o), [])
    case("why goes on to what the shader exported", len(nodes) > 2 and nodes[0]["how"] == "made" and nodes[0]["instruction"].startswith("exp mrt0") and nodes[0]["lane"] == lane and
         nodes[1].get("how") == "made", said)
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull ir3 instrument CAPTURE: shaders in captures, instrumented there, replayed. What the programs leave in memory and the pictures are as without,
the records are what is computed here. ir3_capture.py LULL DISPATCH SHADERS LULL_RUN_ARM64 ARM64 TRACES. The dispatch is a program of msm's calls for
this machine; the shaders are of tests/vulkan, under an unmodified Turnip (tools/arm64-root.sh), also live: lull ir3 instrument -- PROGRAM; TRACES are captures that others made."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shim"))
import arm64_tools  # noqa: E402
from png_rows import read_png  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, dispatch, shaders, host, root, traces = (pathlib.Path(a).resolve() for a in sys.argv[1:7])
keep = tempfile.TemporaryDirectory(prefix="lull-")
tmp = pathlib.Path(keep.name)
SQUARE = (pathlib.Path(__file__).parent / "adreno/square.asm").read_text()
WAIT = "(sy)(ss)(rpt5)nop\n"


def run(*args, env=None):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=300, cwd=tmp, env=env)
    return r.returncode, r.stdout, r.stderr


def u32(*values):
    return struct.pack(f"<{len(values)}I", *values)


def capture(name, gpu, text, *args):
    """A capture of a dispatch of @text."""
    (tmp / "k.asm").write_text(text)
    made = run("ir3", "asm", "--gpu", "630", "k.asm", "-o", "k.bin")
    r = run("exec", "--gpu", gpu, "--rd", name, "--rd-full", "--", dispatch, "k.bin", *args)
    return made[0] == 0 and r[0] == 0, (made, r)


def instrument(name, *args, room="400000"):
    """The command's answer, and the folder of the new capture and its manifest."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=tmp))
    return run("ir3", "instrument", name, "-o", folder / "new.rd", "--room", room, *args), folder


def replay(folder, *args):
    return run("replay", folder / "new.rd", "--records", folder, "--dump-all", folder / "all", *args)


def records(folder, text=""):
    r = run("ir3", "records", folder / "new.rd.records", "--json")
    said = json.loads(r[1]) if r[1] else {"records": [], "invocations": None}
    return [x for x in said["records"] if text in x["text"]], said["invocations"]


def holds(folder, data):
    return any(data in p.read_bytes() for p in (folder / "all").iterdir()) if (folder / "all").exists() else False


def footprint(folder):
    """FULLREGFOOTPRINT and THREADSIZE where the dispatch is."""
    r = run("rd", "show", folder / "new.rd", "--query", "SP_CS_CTRL_REG0.FULLREGFOOTPRINT,SP_CS_CTRL_REG0.THREADSIZE,SP_CS_INSTRLEN")
    return r[1]


squares = u32(*(i * i for i in range(128)))


def dispatches():
    for gpu in "a630", "a660":  # a740 has another stg.a
        ok, why = capture(f"{gpu}.rd", gpu, SQUARE, 64, 2)
        made, folder = instrument(f"{gpu}.rd")
        r = replay(folder, "--check", "hazards")
        got, n = records(folder, "mul.u24")
        pairs = sorted((x["src"][0]["bits"], x["dst"][0]["bits"]) for x in got)
        case(f"{gpu}: squares are as without, and no wait is missing", ok and made[0] == 0 and r[0] == 0 and holds(folder, squares), (why, made, r))
        case(f"{gpu}: what was multiplied", n == 128 and pairs == [(i, i * i) for i in range(128)], (n, pairs[:4]))
        stored = [x["src"] for x in records(folder, "stg.a")[0]]
        case(f"{gpu}: each instruction of each invocation", len(records(folder)[0]) == 128 * 12 and
             sorted(s[-1]["bits"] for s in stored) == [i * i for i in range(128)], stored[:2])
    by_hash = re.search(r": CS ([0-9a-f]{16}), 1 dispatch:", made[1])
    shown = run("rd", "show", "--summary", "a660.rd")
    case("the hash is that of lull rd show", by_hash is not None and by_hash[1] in shown[1], (made, shown[1][-300:]))
    for name, args, want in [("its hash", ["--shader", by_hash[1][:6], "--stage", "cs", "--invocations", "5-6", "--regex", "^mul.u24"], 2),
                             ("every 4th", ["--every", "4", "--regex", "^mul.u24"], 32),
                             ("a slice each", ["--slice", "64", "--regex", "^mul.u24"], 128),
                             ("a workgroup", ["--group", "1,0,0", "--regex", "^mul.u24"], 64),
                             ("a register", ["--where", "r0.x=7", "--regex", "^mul.u24"], 2)]:
        made, folder = instrument("a660.rd", *args)
        r = replay(folder, "--check", "hazards")
        case(f"by {name}", made[0] == 0 and r[0] == 0 and holds(folder, squares) and len(records(folder)[0]) == want, (made, r, records(folder)))
    made, folder = instrument("a660.rd", "--group", "1,0,0", "--regex", "^mul.u24")
    replay(folder)
    case("a workgroup's values", sorted(x["dst"][0]["bits"] for x in records(folder)[0]) == [i * i for i in range(64, 128)], made)
    made, folder = instrument("a660.rd", "--where", "r0.x=7", "--regex", "^mul.u24")
    replay(folder)
    # Once more, in what was made: both write.
    again = run("ir3", "instrument", folder / "new.rd", "-o", folder / "twice.rd", "--room", "400000", "--regex", "^mul.u24 r1.x")
    r = run("replay", folder / "twice.rd", "--records", folder)
    got = json.loads(run("ir3", "records", folder / "twice.rd.records", "--json")[1])["records"]
    case("a shader that was instrumented before", again[0] == 0 and r[0] == 0 and len(got) == 128 and len(records(folder)[0]) == 2, (again, r, len(got)))


def crowded(live):
    """Stores the sum of @live registers that are all live at once: local id plus 0, 1, 2 ..., in r1.x of each."""
    names = [f"r{(4 + i) // 4}.{'xyzw'[i % 4]}" for i in range(live)]
    first = "".join(f"add.u {r}, r0.x, {i}\n" for i, r in enumerate(names))
    adds = "".join(f"add.u {names[0]}, {names[0]}, {r}\n(rpt5)nop\n" for r in names[1:])
    at = "mov.u32u32 r1.y, r0.x\nmov.u32u32 r41.x, c0.x\nmov.u32u32 r41.y, c0.y\n"
    return first + WAIT + adds + at + WAIT + "stg.a.u32 g[r41.x+(r1.y)<<2], r1.x, 1\nend\n"


def registers():
    # name, registers that are live, waves of 128, the most registers of four components that the code may have, private memory.
    for name, live, wide, most, spilt in [("few", 8, [], 48, False), ("many", 150, [], 48, False), ("a wide wave, half of the file", 126, ["wide"], 32, True)]:
        ok, why = capture("crowded.rd", "a630", crowded(live), 64, 1, *wide)
        made, folder = instrument("crowded.rd", "--regex", "^add.u")
        r = replay(folder, "--check", "hazards")
        sums = [sum(n + i for i in range(live)) for n in range(64)]
        got, _ = records(folder, "add.u r1.x, r1.x")
        last = {x["invocation"]: x["dst"][0]["bits"] for x in got}
        said = re.search(r"^registers (\d+) instead of (\d+), code at 0x[0-9a-f]+(, private)?", made[1], re.M)
        case(f"registers: {name}: results and records", ok and made[0] == 0 and r[0] == 0 and holds(folder, u32(*sums)) and
             sorted(last.values()) == sums and len(got) == 64 * (live - 1), (why, made, r, len(got)))
        case(f"registers: {name}: footprint, private memory", said is not None and int(said[1]) <= most and (said[3] is not None) == spilt and
             f"{said[1]}" in footprint(folder).split(), (made, footprint(folder)))


def refused():
    capture("one.rd", "a660", SQUARE, 64, 1)
    rows = [("no such hash", ["--shader", "zzz"], "0 of the 1 shaders that run are meant: choose one with --shader\n  0  CS "),
            ("no such stage", ["--stage", "fs"], "0 of the 1 shaders that run are meant"),
            ("a buffer where there is one", ["--buffer", "0x100000000"], "--buffer: 0x100000000 with "),
            ("a buffer that is not of pages", ["--buffer", "0x100000008"], "it must be a multiple of 4096")]
    for name, args, said in rows:
        r, folder = instrument("one.rd", *args)
        case(f"refused: {name}", r[0] == 2 and r[1] == "" and said in r[2] and not list(folder.iterdir()), r)
    r = run("ir3", "instrument", "one.rd", "--into", "x")
    case("refused: --into", r[0] == 2 and "--into is for listings, and one.rd is a capture" in r[2], r)
    (tmp / "cut.rd").write_bytes((tmp / "one.rd").read_bytes()[:-100])
    r, folder = instrument("cut.rd")
    case("refused: a capture that ends early", r[0] == 3 and r[2].startswith("lull ir3: cut.rd: ") and "byte " in r[2] and not list(folder.iterdir()), r)
    made, folder = instrument("one.rd")
    r = run("replay", "one.rd", "--records", folder)
    case("refused: records of another capture", r[0] == 3 and "is of another capture: nothing is at 0x" in r[2], r)
    r = run("ir3", "records", "one.rd")
    case("refused: a manifest with another name, and no buffer", r[0] == 2 and "BUFFER is needed" in r[2], r)


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def turnip():
    """saxpy, with numbers that floats hold exactly: y = 2.5 x + y."""
    why = arm64_tools.absent(root)
    if why is not None:
        return skip(f"Turnip: {why}")
    subprocess.run(["glslangValidator", "-V", "--quiet", shaders / "saxpy.comp", "-o", tmp / "s.spv"], check=True, capture_output=True)
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true", TMPDIR=str(tmp),
               XDG_RUNTIME_DIR=str(tmp))
    want = struct.pack("<1024f", *(i * 3.5 for i in range(1000)), *range(1000, 1024))
    for gpu in "a630", "a660", "a740":
        r = run("exec", "--gpu", gpu, "--rd", f"{gpu}-tu.rd", "--rd-full", "--", host, "run", tmp / "s.spv", "--groups", "16", "--bind", "0.0=iota:1024:f32",
                "--bind", "0.1=iota:1024:f32", "--push", "f32:2.5,u32:1000", "--vulkan-device", "Turnip", env=env)
        made, folder = instrument(f"{gpu}-tu.rd")
        got = replay(folder, "--check", "hazards")
        mad = [x for x in records(folder)[0] if x["text"].split(") ")[-1].startswith("mad.f32")]
        dst = sorted(struct.unpack("<f", struct.pack("<I", x["dst"][0]["bits"]))[0] for x in mad)
        case(f"{gpu}: saxpy of Turnip", r[0] == 0 and made[0] == 0 and got[0] == 0 and holds(folder, want) and dst == [i * 3.5 for i in range(1000)],
             (r, made, got, len(mad), dst[:3]))
        start = re.search(r"SP_CS_OBJ_START = (0x[0-9a-f]+)", run("rd", "show", f"{gpu}-tu.rd")[1])
        case(f"{gpu}: no packet names the old code, not even to load it ahead", start is not None and
             run("rd", "show", f"{gpu}-tu.rd")[1].count(start[1]) >= 2 and start[1] not in run("rd", "show", folder / "new.rd")[1], start)
        if gpu == "a660":
            only, folder = instrument("a660-tu.rd", "--regex", "mad.f32", room="16777216")
            replay(folder)
            text = run("ir3", "records", folder / "new.rd.records")[1]
            tour = (pathlib.Path(__file__).resolve().parents[2] / "docs/tour.md").read_text()
            shown = re.search(r"\nmade/saxpy.rd: (.*)\nregisters (.*), code at 0x\w+\nbuffer at 0x\w+, (\d+ bytes of zeros)\n", tour)
            wrote = re.search(r"\nData written \d+\nInvocations 1024\n(?:.+\n)+", tour[shown.end():] if shown else "")
            case("what the tour shows", shown is not None and wrote is not None and all(x in only[1] for x in shown.groups()) and
                 text.startswith(wrote[0][1:].replace("```\n", "")), (only, text[:300], shown, wrote))


# Captures of draws, and how many shaders of each stage they have that draw.
DRAWS = ["630_sysmem_tri", "630_sysmem_interp1", "630_sysmem_kill", "630_sysmem_early2", "630_gmem_tri", "630_sysmem_mrt"]


def live():
    """A program's shaders by one command: saxpy again, by Mesa's sha1 and by the hash that the capture has."""
    why = arm64_tools.absent(root)
    if why is not None:
        return skip(f"a program: {why}")
    (tmp / "want").write_bytes(struct.pack("<1024f", *(i * 3.5 for i in range(1000)), *range(1000, 1024)))
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", TMPDIR=str(tmp), XDG_RUNTIME_DIR=str(tmp))
    program = ["--", host, "run", tmp / "s.spv", "--groups", "16", "--bind", "0.0=iota:1024:f32", "--bind", "0.1=iota:1024:f32", "--push",
               "f32:2.5,u32:1000", "--vulkan-device", "Turnip"]
    hashed = re.search(r"CS ([0-9a-f]{16})", run("rd", "show", "--summary", "a660-tu.rd")[1])
    r = run("ir3", "instrument", "--regex", "mad.f32", "--every", "100", "--into", "live", *program, "--expect", f"0.0={tmp / 'want'}", env=env)
    title = re.search(r"^Native code for .* with sha1 ([0-9a-f]{40}), code ([0-9a-f]{16})$", r[1], re.M)
    dst = re.findall(r"^\[\d+/0\]: .*mad.f32.*\ndst\(\S+\)=\w+ /\* (\S+) \*/", r[1], re.M)
    case("a program: its records", r[0] == 0 and title is not None and sorted(map(float, dst)) == [350.0 * i for i in range(10)], r)
    case("a program: the hash of its code is that of the capture", title is not None and hashed is not None and title[2] == hashed[1], (title, hashed))
    case("a program: --into keeps all of it", title is not None and {p.name for p in (tmp / "live").iterdir()} >=
         {"log", f"{title[1]}.asm", f"{title[1]}.records", f"{title[1]}.bin"}, r)
    for name, which in [("sha1", title[1] if title else "none"), ("hash", title[2] if title else "none")]:
        r = run("ir3", "instrument", "--regex", "mad.f32", "--invocations", "7", "--shader", which[:12], "--gpu", "660", *program, env=env)
        case(f"a program: by {name}", r[0] == 0 and "\nInvocations 1024\n[7/0]: " in r[1] and r[1].count("mad.f32") == 1 and r[2] == "", r)
    r = run("ir3", "instrument", "--regex", "mad.f32", *program, "--expect", "0.0=iota:1024:f32", env=env)
    case("a program: its exit status", r[0] == 1 and "mad.f32" in r[1], r)
    r = run("ir3", "instrument", "--stage", "fs", *program, env=env)
    case("a program: no such shader", r[0] == 2 and "has no shader that is meant and can be instrumented" in r[2] and r[1] == "", r)
    tour = (pathlib.Path(__file__).resolve().parents[2] / "docs/tour.md").read_text()
    shown = re.search(r"\n\$ lull ir3 instrument --regex mad.f32 --invocations 1-2 -- ./program\n(.*?)```", tour, re.S)
    r = run("ir3", "instrument", "--regex", "mad.f32", "--invocations", "1-2", *program, env=env)
    case("a program: what the tour shows", shown is not None and r[1] == shown[1], (r, shown))
    case("a program: nothing else stays", not list(tmp.glob("lull-live-*")), list(tmp.iterdir()))
    for name, args, said in [("nothing", [], "no FILE given, and no PROGRAM behind --"), ("two things", ["one.rd", "--", "true"], "FILE or PROGRAM, not both"),
                             ("-o", ["-o", "x", "--", "true"], "-o is for a FILE"), ("a chip", ["--gpu", "650", "--", "true"], "a PROGRAM sees 630, 660 or 740"),
                             ("no such program", ["--", "./nowhere"], "./nowhere did not start")]:
        r = run("ir3", "instrument", *args, env=env)
        case(f"a program: refused: {name}", r[0] in (2, 3) and said in r[2] and r[1] == "", r)


def hazards(r):
    found = re.search(r"^hazards: (\d+) finding", r[1], re.M)
    return int(found[1]) if found else 1000


def pictures():
    for name in DRAWS:
        path = traces / "adreno-draws" / f"{name}.rd.gz"
        if not path.exists():
            skip(f"{name}: the capture is not here")
            continue
        asked = run("ir3", "instrument", path, "-o", "none.rd", "--shader", "zzz")
        hashes = re.findall(r"^  \d+  (\S+) ([0-9a-f]{16}), (\d+) instructions", asked[2], re.M)
        alone = run("replay", path, "--targets", "plain", "--check", "hazards")
        want = [bytes(row) for row in read_png(tmp / "plain/target0.png")]
        case(f"{name}: shaders", len(hashes) >= 2 and {"VS", "FS"} <= {h[0] for h in hashes}, asked)
        if name == "630_sysmem_kill":  # Its position is in r0.z, in sixteenths, at the middle.
            made, folder = instrument(path, "--stage", "fs", "--pixel", "20,21", "--regex", "cov.u32f32 r0.z")
            r = replay(folder, "--targets", folder / "new")
            got = [x["src"][0]["bits"] for x in records(folder)[0]]
            case("a pixel", made[0] == 0 and r[0] == 0 and got == [16 * 20 + 8] and [bytes(row) for row in read_png(folder / "new/target0.png")] == want,
                 (made, r, got))
        for stage, sha, _ in hashes:
            made, folder = instrument(path, "--shader", sha, "--stage", stage.lower())
            r = replay(folder, "--targets", folder / "new", "--check", "hazards")
            got = [bytes(row) for row in read_png(folder / "new/target0.png")] if (folder / "new/target0.png").exists() else []
            wrote, n = records(folder)
            case(f"{name}: {stage} {sha}: the picture is as without", made[0] == 0 and "1 done, 0 with faults, 0 hung" in r[1] and got == want and n > 0 and len(wrote) > 0 and hazards(r) <= hazards(alone), (made, r, n, len(wrote)))


dispatches()
registers()
refused()
turnip()
live()
pictures()
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compute shaders of tests/vulkan, compiled by lull cc from SPIR-V and run on the model as pipelines.

run.py LULL VULKAN [-O LEVEL | --chips] [NAME...]: TAP. A case has the inputs of tests/vulkan/cases_*.py, and must give what that computes; what it
does not compute, lavapipe does. With --chips: they are compiled for other processors, and LLVM's disassembler must know each instruction. Cases that need what lull cc refuses must be refused by name: the list is exact both ways.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

lull, vulkan, only = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
levels = ["-O2", "-O0"]
chips = ("gfx900", "gfx1030", "gfx1200")
other_chips = only[:1] == ["--chips"]
only = only[other_chips:]
if only[:1] == ["-O"]:
    levels, only = ["-O" + only[1]], only[2:]
sys.path[:0] = [str(vulkan), str(pathlib.Path(__file__).resolve().parents[1])]
import cases  # noqa: E402
import tap  # noqa: E402
import words  # noqa: E402

# Shaders that are refused, and the instruction that it is for.
REFUSED = {}
# What one level cannot tell: LLVM folds the 100 rounds between two clocks into 4, less than a tick of the model's clock of 100 MHz.
UNTOLD = {("shader-clock", "-O2"): "too little is left between the two clocks"}
# Shaders that other processors do not get in waves of 64 lanes.
CHIP_REFUSED = {"gfx1030": {"sg_arith.comp": "OpGroupNonUniformFAdd", "sg_shuffle.comp": "OpGroupNonUniformShuffle", "sg_kept.comp": "OpGroupNonUniformUMin"}}
# What lull run PIPELINE.elf has no option for.
LACKS = {"--repeat": "it repeats dispatches", "--async": "there is no second queue", "--indirect": "it dispatches indirectly", "--base": "its workgroups do not begin at 0"}
OF_CC = ("--spec", "--entry")
# What a layout calls what is bound. An image also has the place of a sampler, which shaders may leave alone.
NODES = {"texels": "texel_buffer", "image": "combined_texture", "sampler": "sampler"}


# lavapipe leaks at exit, which is not ours to check.
driver = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def run(*args, env=None):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=300, check=False, env=env)
    return r.returncode, (r.stdout + r.stderr).strip()


def layout(case):
    """A pipeline layout with what the case binds: a table for each set, dynamic buffers and push constants in the root."""
    tables, root = {}, [{"type": "push_constants", "size": 64}]
    counts = {}
    for place, content in case.binds.items():
        m = re.fullmatch(r"(\d+)\.(\d+)(?:\[(\d+)\])?", place)
        if not m:
            continue
        s, b, i = int(m[1]), int(m[2]), int(m[3] or 0)
        counts[s, b] = max(counts.get((s, b), 0), i + 1)
        dynamic = isinstance(content, str) and ":dynamic=" in content
        if i == 0:
            kind = str(content).partition(":")[0]
            node = {"type": NODES.get(kind, "buffer"), "set": s, "binding": b}
            (root if dynamic else tables.setdefault(s, [])).append(node)
    for nodes in [root, *tables.values()]:
        for n in nodes:
            if "binding" in n:
                n["count"] = counts[n["set"], n["binding"]]
    return {"nodes": root + [{"type": "table", "set": s, "nodes": n} for s, n in tables.items()]}


def split(args):
    """(words for lull cc, words for lull run)"""
    cc, rest, at = [], [], 0
    while at < len(args):
        pair = args[at:at + 2]
        if args[at] in OF_CC:
            cc += pair
        elif args[at] == "--full-subgroups":  # waves are as full as workgroups make them
            pair = pair[:1]
        elif args[at] == "--subgroup-size":
            cc += [f"-mattr=+wavefrontsize{pair[1]}"]
        else:
            rest += pair
        at += len(pair)
    return cc, rest


def tolerance(case, args):
    """Pipelines do not know of which type their buffers are: it stands before what is tolerated."""
    out = list(args)
    for i, word in enumerate(args):
        if i and args[i - 1] == "--tolerance" and not re.search(r"(^|=)[fiu]\d+:", word):
            place, equals, how = word.rpartition("=")
            out[i] = f"{place}{equals}{'f64' if 'f64' in case.name or 'float64' in case.name else 'f32'}:{how}"
    return out


def cubes(case, args):
    """A pipeline does not say that an image is a cube."""
    cube = any("=samplerCube" in str(a) for a in case.args)
    return [w + ":cube" if cube and args[i - 1] == "--bind" and "=image:" in w else w for i, w in enumerate(args)]


def expected(case, args, expect, work):
    """Words of what must come out; what the case does not compute is lavapipe's. (words, why it cannot be told)"""
    if not case.lavapipe:
        return expect, "" if expect else "nothing to compare with"
    status, text = run("run", *args, "--vulkan-device", "lavapipe", "--out-dir", work, *expect, env=driver)
    if status == 3 and "the shader needs the capability" in text:
        return expect, "" if expect else "lavapipe lacks what it needs on this CPU"
    if status != 0:
        return expect, f"lavapipe, status {status}: {text}"
    have = {e.partition("=")[0] for e in expect[1::2]}
    return expect + [w for p in case.compare if p not in have for w in ("--expect", f"{p}={work / (p + '.bin')}")], ""


def one(case, root):
    """[(label, skipped, why)]: why it failed, or is skipped; \"\" if it is as expected."""
    work = root / case.name
    work.mkdir()
    for word, why in LACKS.items():
        if word in case.args:
            return [("", True, why)]
    args, expect = words.words(vulkan / "shaders", work, case)
    cc, rest = split([str(a) for a in args[1:]])
    cc += split([str(a) for a in case.own])[0]
    (work / "layout.json").write_text(json.dumps(layout(case)))
    out = []
    told = None
    for level in levels:
        elf = work / "p.elf"
        status, text = run("cc", level, "--layout", work / "layout.json", args[0], "-o", elf, *cc)
        if case.shader in REFUSED:
            good = status == 3 and REFUSED[case.shader] in text and re.search(r"word \d+: Op\w+ %\d+: ", text) and not elf.exists()
            return [("refused", False, "" if good else f"not refused as told: {status}: {text}")]
        if status != 0:
            out.append((level, False, f"lull cc, status {status}: {text}"))
            continue
        told = told or expected(case, args, expect, work)
        words_, why = told
        why = why or UNTOLD.get((case.name, level), "")
        if why:
            out.append((level, True, why))
            continue
        rest_ = [w for i, w in enumerate(rest) if w != "--push-set" and (i == 0 or rest[i - 1] != "--push-set")]
        rest_ = cubes(case, tolerance(case, rest_))
        status, text = run("run", elf, "--layout", work / "layout.json", *rest_, *words_, "--timeout", "20000")
        out.append((level, False, "" if status == 0 else f"status {status}: {text}"))
    return out


def for_chip(case, chip, root):
    """[(label, skipped, why)] of a case for another processor."""
    work = root / f"{case.name}-{chip}"
    work.mkdir()
    args, _ = words.words(vulkan / "shaders", work, case)
    cc = split([str(a) for a in args[1:]])[0] + split([str(a) for a in case.own])[0]
    wave64 = chip == "gfx900" or "-mattr=+wavefrontsize64" in cc
    if chip == "gfx900":  # all its waves have 64 lanes
        cc = [w for w in cc if not w.startswith("-mattr=")]
    (work / "layout.json").write_text(json.dumps(layout(case)))
    elf = work / "p.elf"
    status, text = run("cc", f"-mcpu={chip}", "--layout", work / "layout.json", args[0], "-o", elf, *cc)
    refused = REFUSED.get(case.shader) or (wave64 and CHIP_REFUSED.get(chip, {}).get(case.shader))
    if refused:
        good = status == 3 and refused in text and not elf.exists()
        return [(chip, False, "" if good else f"not refused as told: {status}: {text}")]
    if status != 0:
        return [(chip, False, f"status {status}: {text}")]
    r = subprocess.run(["llvm-objdump-19", "-d", f"--mcpu={chip}", f"--mattr={'+' if wave64 else '-'}wavefrontsize64", elf], capture_output=True, text=True, check=False)
    code = [x for x in r.stdout.splitlines() if "// " in x]
    bad = [x for x in code if re.match(r"\s*(\.long|<unknown>)", x) or "Invalid" in x or "invalid" in x]
    ends = any("s_endpgm" in x for x in code)
    return [(chip, False, "" if ends and not bad and r.returncode == 0 else f"{r.stderr}{bad[:3]} of {len(code)}")]


def main():
    todo = tap.share([c for c in cases.CASES if not only or c.name in only])
    if other_chips:  # one case of each shader and wave size
        todo = list({(c.shader, str(c.own), "--subgroup-size" in c.args): c for c in todo}.values())
    count = failures = ran = refused = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        root = pathlib.Path(folder)

        def each(case):
            return [r for chip in chips for r in for_chip(case, chip, root)] if other_chips else one(case, root)

        for case, results in zip(todo, pool.map(each, todo)):
            for label, skipped, why in results:
                failed = why != "" and not skipped
                failures += failed
                count += 1
                ran += not skipped and not failed and case.shader not in REFUSED
                refused += case.shader in REFUSED and not failed
                print(f"{'not ok' if failed else 'ok'} {count} - {case.name} {label}{' # SKIP ' + why if skipped else ''}", flush=True)
                if failed:
                    print("#", why.replace("\n", "\n# "), flush=True)
    print(f"# {ran} ran as expected, {refused} were refused by name")
    print(f"1..{count}")
    return failures != 0


sys.exit(main())

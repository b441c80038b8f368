#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random compute shaders by lull cc, run on the model, compared bit by bit: TAP, a line for each seed.

random_front.py LULL CASES [--seeds N] [--first SEED] [--kind plain|wide|subgroups]... [--keep FOLDER]

plain: tests/vulkan/random_shader.py; wide: random_wide.py. Both are compared with lavapipe. subgroups: random_wide.py with operations over the lanes
of a wave, compared with RADV (ACO) on the model, in waves of the same size: the RADV that VK_DRIVER_FILES names, or the system's.
CASES: the program of src/cli/vulkan/alone.c. Seeds take turns with levels (-O0, -O2) and wave sizes. Where a seed differs, its shader stays in FOLDER.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "vulkan")]
import random_shader  # noqa: E402
import random_wide  # noqa: E402
import tap  # noqa: E402

GROUPS, BYTES, WORDS = 3, 3 * 64 * 9 * 4, 3 * 64 * 8
LAYOUT_WORDS = 128  # of the buffers with layouts: floats that are whole numbers
KINDS = {"plain": random_shader.Shader, "wide": random_wide.Wide, "subgroups": lambda seed: random_wide.Wide(seed, True)}
LAYOUT = {"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 0}, {"type": "buffer", "binding": 1},
                                                          {"type": "buffer", "binding": 2, "count": 2}]}]}


def options():
    p = argparse.ArgumentParser()
    p.add_argument("lull")
    p.add_argument("cases")
    p.add_argument("--seeds", type=int, default=4)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--kind", action="append", choices=KINDS)
    p.add_argument("--radv", action="store_true", help="compare with RADV, whatever the kind")
    p.add_argument("--keep", type=pathlib.Path)
    return p.parse_args()


def compile_seed(work, kind, seed):
    source, out = work / f"{seed}.comp", work / f"{seed}.spv"
    source.write_text(KINDS[kind](seed).text())
    r = subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", source, "-o", out], capture_output=True, text=True,
                       check=False)
    if r.returncode != 0:
        tap.case(f"{kind} {seed}: the generator writes GLSL", False, r.stdout)
    return out if r.returncode == 0 else None


def binds(work, kind, seed):
    out = ["--groups", GROUPS, "--bind", f"0.0=zeros:{BYTES}", "--bind", f"0.1=rand:{seed}:{WORDS}:u32"]
    if kind != "plain":
        out += ["--bind", f"0.2[0]={work / 'layouts'}", "--bind", f"0.2[1]=zeros:{LAYOUT_WORDS * 4}"]
    return [str(w) for w in out]


def wave(seed):
    return 64 if seed % 2 else 32


def want(o, kind, work, spirv):
    """Seeds whose buffers another device has written into SEED.want."""
    lines = []
    for seed, spv in spirv.items():
        (work / f"{seed}.want").mkdir()
        more = ["--subgroup-size", wave(seed)] if kind == "subgroups" else []
        lines.append("\t".join(map(str, [seed, spv, *binds(work, kind, seed), "--out-dir", work / f"{seed}.want", *more])))
    radv = o.radv or kind == "subgroups"
    words = [o.lull, "exec", "--gpu", "gfx1100", "--", o.cases, "cases", "lull"] if radv else [o.cases, "cases", "lavapipe"]
    env = {k: v for k, v in os.environ.items() if radv or k not in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
    env |= {"ASAN_OPTIONS": env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0", "MESA_SHADER_CACHE_DISABLE": "true"}
    r = subprocess.run(words, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=3600, env=env, check=False)
    said = {int(seed): text.strip() for seed, text in (line.split(" ", 1) for line in r.stdout.splitlines() if " " in line)}
    for seed in spirv:
        if said.get(seed) != "0":
            tap.case(f"{kind} {seed}: another driver runs it", False, said.get(seed, r.stderr))
    return [seed for seed in spirv if said.get(seed) == "0"]


def ours(o, kind, work, seed):
    """(level, why it failed)"""
    level = "-O0" if seed % 4 > 1 else "-O2"
    elf = work / f"{seed}.elf"
    words = [o.lull, "cc", level, "--layout", work / "layout.json", work / f"{seed}.spv", "-o", elf]
    r = subprocess.run([*words, *(["-mattr=+wavefrontsize64"] if wave(seed) == 64 else [])], capture_output=True, text=True, timeout=600, check=False)
    if r.returncode == 0:
        expect = [w for f in sorted((work / f"{seed}.want").iterdir()) if f.name != "0.1.bin" for w in ("--expect", f"{f.stem}={f}")]
        r = subprocess.run([o.lull, "run", elf, "--layout", work / "layout.json", *binds(work, kind, seed), *expect, "--timeout", "60000"],
                           capture_output=True, text=True, timeout=600, check=False)
    return level, "" if r.returncode == 0 else f"status {r.returncode}: {(r.stdout + r.stderr)}"


def main():
    o = options()
    for kind in o.kind or list(KINDS):
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            work = pathlib.Path(folder)
            (work / "layouts").write_bytes(struct.pack(f"<{LAYOUT_WORDS}f", *(float(i % 5) for i in range(LAYOUT_WORDS))))
            (work / "layout.json").write_text(json.dumps(LAYOUT))
            seeds = list(range(o.first, o.first + o.seeds))
            spirv = dict(zip(seeds, pool.map(lambda seed: compile_seed(work, kind, seed), seeds)))
            seeds = want(o, kind, work, {seed: s for seed, s in spirv.items() if s is not None})
            bad = 0
            for seed, (level, why) in zip(seeds, pool.map(lambda seed: ours(o, kind, work, seed), seeds)):
                tap.case(f"{kind} {seed}, {level}, wave{wave(seed)}", why == "", why)
                bad += why != ""
                if why and o.keep:
                    o.keep.mkdir(parents=True, exist_ok=True)
                    (o.keep / f"{kind}-{seed}.comp").write_text((work / f"{seed}.comp").read_text())
            print(f"# {kind}: {len(seeds) - bad} of {len(spirv)} seeds as expected", flush=True)
    tap.end()


if __name__ == "__main__":
    main()

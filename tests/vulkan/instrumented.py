# SPDX-License-Identifier: MIT
"""Shaders of tests/vulkan whose code lull instrument has rewritten compute what they compute without: TAP.

instrumented.py LULL VK_CASES [--names NAME,...|all] [--seed N]

One process of VK_CASES (src/cli/vulkan/alone.c) runs all cases under `lull exec`, then under `lull instrument` with all
instructions, and with chosen ones: what it leaves in its buffers must be the same, byte for byte. Without --names: those of SOME.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import cases  # noqa: E402
import tap  # noqa: E402
import words  # noqa: E402

# Arithmetic, control flow, LDS, scratch, atomics, images, waves of 32 and of 64.
SOME = ("saxpy", "matmul-f64", "reduce", "prefix-sum-look-back", "bitonic-sort", "sha256", "long-loops", "control-flow", "private-arrays", "atomics-64",
        "subgroup-arithmetic-int-wave32", "subgroup-arithmetic-int-wave64", "subgroup-ballot-wave32", "float16", "image-rgba8", "random-1", "random-2")


def options():
    p = argparse.ArgumentParser()
    p.add_argument("lull")
    p.add_argument("cases")
    p.add_argument("--names")
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def run(command, program, lines):
    """Its standard error."""
    env = {**os.environ, "MESA_SHADER_CACHE_DISABLE": "true",
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
    r = subprocess.run([*command, "--", program, "cases", "lull"], input="\n".join(lines) + "\n", capture_output=True, text=True,
                       timeout=500, env=env, check=False)
    return r.stderr


def outputs(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def line(work, c, to):
    args, expect = words.words(HERE / "shaders", work / c.name, c)
    out = work / to / c.name
    out.mkdir(parents=True)
    return "\t".join(map(str, [c.name, *args, *c.own, "--out-dir", out, *expect]))


def main():
    o = options()
    names = o.names.split(",") if o.names else SOME
    todo = [c for c in cases.CASES if names == ["all"] or c.name in names]
    rng = random.Random(o.seed)
    selections = {"all": [], "chosen": ["--regex", rng.choice(["^v_", "^s_", "cmp|cnd", "_b32", "[02468],"])],
                  "memory": ["--kind", "smem,vmem,lds"]}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for c in todo:
            (work / c.name).mkdir()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            plain = list(pool.map(lambda c: line(work, c, "plain"), todo))
        errors = run([o.lull, "exec"], o.cases, plain)
        tap.case("all ran as they are", all(any((work / "plain" / c.name).iterdir()) for c in todo), errors)
        for name, selection in selections.items():
            lines = [text.replace(f"{work}/plain/", f"{work}/{name}/") for text in plain]
            for c in todo:
                (work / name / c.name).mkdir(parents=True)
            errors = run([o.lull, "instrument", *selection, "-o", work / f"{name}.rec"], o.cases, lines)
            for c in todo:
                want, got = outputs(work / "plain" / c.name), outputs(work / name / c.name)
                bad = [k for k in want if want[k] != got.get(k)]
                tap.case(f"{c.name}, {name}", not bad and list(want) == list(got), f"{bad}: {errors}")
            shaders = len(list((work / f"{name}.rec").glob("*.bin")))
            tap.case(f"{shaders} shaders were recorded, {name}", shaders >= len(todo) // 2, errors)
    tap.end()


main()

# SPDX-License-Identifier: MIT
"""Random shaders (random_shader.py) on lull's GPUs, compared with lavapipe bit by bit: TAP, a line for each seed and GPU.

random_run.py LULL CASES LULL_RUN_ARM64 ARM64 [--seeds N] [--first SEED] [--gpu NAME]... [--keep FOLDER]

CASES: the program of src/cli/vulkan/alone.c for this machine. Each GPU has one process for all seeds: drivers take long to start, above all those
that an emulator runs. GPUs: a660 if not given. 1,000 seeds make a long run; where a seed differs, its shader stays in FOLDER.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "shim")]
import arm64_tools  # noqa: E402
import random_shader  # noqa: E402
import tap  # noqa: E402

GROUPS, BYTES, WORDS = 3, 3 * 64 * 9 * 4, 3 * 64 * 8
SECONDS = 3600  # for one process


def options():
    p = argparse.ArgumentParser()
    p.add_argument("lull")
    p.add_argument("cases")
    p.add_argument("run_arm64")
    p.add_argument("arm64", type=pathlib.Path)
    p.add_argument("--seeds", type=int, default=24)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--gpu", action="append")
    p.add_argument("--keep", type=pathlib.Path)
    return p.parse_args()


def compile_seed(work, seed):
    """SPIR-V of a seed's shader; None: the compiler refuses it."""
    source, out = work / f"{seed}.comp", work / f"{seed}.spv"
    source.write_text(random_shader.Shader(seed).text())
    r = subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", source, "-o", out], capture_output=True, text=True,
                       check=False)
    return out if r.returncode == 0 else None


def line(seed, spirv, more):
    return "\t".join(map(str, [seed, spirv, "--groups", GROUPS, "--bind", f"0.0=zeros:{BYTES}", "--bind", f"0.1=rand:{seed}:{WORDS}:u32", *more]))


def run(words, lines, more):
    """What one process said of each seed."""
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
    r = subprocess.run([str(w) for w in words], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=SECONDS, env={**env, **more},
                       check=False)
    said = dict(text.split(" ", 1) for text in r.stdout.splitlines() if " " in text)
    return {int(seed): text.strip() for seed, text in said.items()}, r.stderr


def on_lavapipe(o, work, spirv):
    for seed in spirv:
        (work / f"{seed}.want").mkdir()
    said, errors = run([o.cases, "cases", "lavapipe"], [line(seed, s, ["--out-dir", work / f"{seed}.want"]) for seed, s in spirv.items()], {})
    for seed in spirv:
        if said.get(seed) != "0":
            tap.case(f"seed {seed}, lavapipe", False, said.get(seed, errors))
    return {seed: s for seed, s in spirv.items() if said.get(seed) == "0"}


def on_gpu(o, gpu, work, spirv):
    more = {"LULL_ARM64": str(o.arm64), "MESA_SHADER_CACHE_DISABLE": "true", "XDG_RUNTIME_DIR": str(work)}
    program = o.cases if gpu == "gfx1100" else o.run_arm64
    # gfx1100 has two sizes of subgroups.
    lines = [line(seed, s, ["--expect", f"0.0={work / f'{seed}.want' / '0.0.bin'}",
                            *(["--subgroup-size", 64 if seed % 2 else 32] if gpu == "gfx1100" else [])]) for seed, s in spirv.items()]
    said, errors = run([o.lull, "exec", "--gpu", gpu, "--", program, "cases", "lull"], lines, more)
    bad = [seed for seed in spirv if said.get(seed) != "0"]
    for seed in spirv:
        tap.case(f"seed {seed}, {gpu}", seed not in bad, said.get(seed, f"nothing; {errors}"))
    return bad


def main():
    o = options()
    gpus = o.gpu or ["a660"]
    why = arm64_tools.absent(o.arm64)
    if gpus != ["gfx1100"] and why is not None and "LULL_NEED_ARM64" not in os.environ:
        print(f"1..0 # SKIP {why}")
        sys.exit(0)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        work = pathlib.Path(folder)
        seeds = list(range(o.first, o.first + o.seeds))
        spirv = dict(zip(seeds, pool.map(lambda seed: compile_seed(work, seed), seeds)))
        for seed in [s for s in seeds if spirv[s] is None]:
            tap.case(f"seed {seed} compiles", False)
        spirv = on_lavapipe(o, work, {seed: s for seed, s in spirv.items() if s is not None})
        for gpu in gpus:
            bad = on_gpu(o, gpu, work, spirv)
            print(f"# {gpu}: {len(spirv) - len(bad)} of {len(seeds)} seeds as on lavapipe", flush=True)
            for seed in bad if o.keep else []:
                o.keep.mkdir(parents=True, exist_ok=True)
                (o.keep / f"{seed}.comp").write_text((work / f"{seed}.comp").read_text())
    tap.end()


main()

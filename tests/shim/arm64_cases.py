# SPDX-License-Identifier: MIT
"""The shaders of tests/vulkan as lines for lull-run-arm64, and its runs under Turnip on the Adreno of `lull exec`."""
import os
import pathlib
import re
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "vulkan")]
import cases  # noqa: E402
import words  # noqa: E402

# Not here, and why.
NOT = {
    "fma": "whether mad.f32 rounds once is not known of Adreno; lull's rounds twice",
    "float16": "its inputs have denormals, which Turnip says are flushed",
    "struct-copies": "of two structs that change places, the code of Turnip 25.0.7 does not load the array of one at all",
    "shared-memory-64k": "more than Turnip offers: it ends the process",
}
# Results that Turnip cannot have: 64-bit atomics of shared memory, for which it emits those of 32 bits.
LEFT_OUT = {"atomics-64": "0.3="}


def works_on(c):
    return "images" if any(str(b).startswith(("image", "sampler")) for b in c.binds.values()) else "buffers"


def todo(on):
    return [c for c in cases.CASES if works_on(c) == on and c.name not in NOT]


def line(lull, source, tmp, c):
    """The line of a case; None: nothing to compare with."""
    work = tmp / c.name
    work.mkdir(exist_ok=True)
    args, expect = words.words(source / "tests/vulkan/shaders", work, c)
    if c.lavapipe:
        env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")  # lavapipe leaks.
        r = subprocess.run([lull, "run", *map(str, args), "--vulkan-device", "lavapipe", "--out-dir", work], env=env, capture_output=True,
                           text=True, timeout=100, check=False)
        if r.returncode == 0:
            expect += [w for place in c.compare for w in ("--expect", f"{place}={work / (place + '.bin')}")]
    left = LEFT_OUT.get(c.name, "=")
    pairs = [w for option, pair in zip(expect[::2], expect[1::2]) if not str(pair).startswith(left) for w in (option, pair)]
    return "\t".join([c.name, *map(str, args), *map(str, pairs)]) if pairs else None


def both(source, tmp, c):
    """Lines of a case: it writes what it gives into files, and it expects that of those."""
    work = tmp / c.name
    work.mkdir(exist_ok=True)
    args, _ = words.words(source / "tests/vulkan/shaders", work, c)
    while "--tolerance" in args:
        del args[args.index("--tolerance"):args.index("--tolerance") + 2]
    places = [p for p in dict.fromkeys([*c.compare, *c.want]) if not f"{p}=".startswith(LEFT_OUT.get(c.name, "="))]
    begin = [c.name, *map(str, args), "--timeout", "600000"]
    return ("\t".join([*begin, "--out-dir", str(work)]), "\t".join([*begin, *(w for p in places for w in ("--expect", f"{p}={work / (p + '.bin')}"))]))


def environment(root, tmp, suite="backports"):
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(TMPDIR=str(tmp), XDG_RUNTIME_DIR=str(tmp), LULL_ARM64=str(root), MESA_SHADER_CACHE_DISABLE="true",
               VK_ICD_FILENAMES=f"/icd/{suite}/freedreno.json")
    return env


def run(words_of_lull, host, root, tmp, lines, suite="backports", **more):
    """(What each case's line ended with, standard error)."""
    env = {**environment(root, tmp, suite), **more}
    r = subprocess.run([*map(str, words_of_lull), "--", host, "cases", "Turnip"], input="\n".join(lines) + "\n", capture_output=True, text=True,
                       timeout=600, env=env, check=False)
    return dict(x.strip().split(" ", 1) for x in r.stdout.splitlines() if re.match(r"[A-Za-z0-9_-]+ \d", x)), r.stderr


HEADING = r"Native code for .* with sha1 "


def sha1s(log):
    return re.findall(rf"{HEADING}(\w+):", log)


def instrument(lull, gpu, log, folder, *more):
    """All listings of a log of Turnip's into a folder. (Result, is each there or left out with its reason? what is left out by the log)"""
    (folder.parent / f"{folder.name}.log").write_text(log)
    r = subprocess.run([lull, "ir3", "instrument", folder.parent / f"{folder.name}.log", "--gpu", gpu[1:], "--into", folder, *more], capture_output=True,
                       text=True, check=False)
    pieces = re.split(HEADING, log)
    listings = {p.split(":")[0]: (before.split("CL prog")[-1], p.split("outputs:")[0]) for before, p in zip(pieces, pieces[1:])}
    want = {"it has tables of constants": {n for n, (nir, _) in listings.items() if re.search(r"^MESA: info: constants: \d", nir, re.M)},
            "of a size that is not known": {n for n, (_, p) in listings.items() if re.search(r"\bstp\.", p)}}
    got = {why: set(re.findall(rf"^lull ir3: (\w+): .*{why}", r.stderr, re.M)) for why in want}
    missing = set().union(*want.values())
    there = {p.stem for p in folder.glob("*.asm")}
    return r, r.returncode == 0 and there == set(listings) - missing and got == want, missing

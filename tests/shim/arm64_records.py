# SPDX-License-Identifier: MIT
"""Shaders of tests/vulkan, instrumented under unmodified Turnip: its log, lull ir3 instrument --into, IR3_SHADER_OVERRIDE_PATH and lull exec
--records. Results are as without, no waits are missing, and the records are those of the shader: TAP. Arguments: lull, source folder,
lull-run-arm64, folder of arm64 programs (tools/arm64-root.sh).

What is expected of the results: as in arm64_shaders.py. Of records: saxpy's, computed here.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(source / "tests"), str(source / "tests/vulkan")]
import arm64_tools  # noqa: E402
import cases  # noqa: E402
import tap  # noqa: E402
import words  # noqa: E402

lull, host, root = sys.argv[1], sys.argv[3], pathlib.Path(sys.argv[4])
tmp = pathlib.Path(tempfile.mkdtemp(prefix="lull-records-"))
# Constants of its own, shared memory and barriers, loops, predicates, subgroups; random-1 has registers by a0.x. Turnip cannot read back sha256,
# which has a table of constants, and private-arrays has no register free and private memory already.
HEADING = r"Native code for .* with sha1 "
RUNS = {"a660": ("saxpy", "radix-sort", "sha256", "control-flow", "bitonic-sort", "private-arrays", "subgroup-ballot-wave64",
                  "random-1"),
        "a630": ("saxpy", "reduce"), "a740": ("saxpy", "reduce")}


def line(c):
    work = tmp / c.name
    if not work.exists():
        work.mkdir()
    args, expect = words.words(source / "tests/vulkan/shaders", work, c)
    if c.lavapipe:
        r = subprocess.run([lull, "run", *map(str, args), "--vulkan-device", "lavapipe", "--out-dir", work], capture_output=True, text=True,
                           timeout=100, check=False)
        if r.returncode == 0:
            expect += [w for place in c.compare for w in ("--expect", f"{place}={work / (place + '.bin')}")]
    return "\t".join([c.name, *map(str, args), *map(str, expect)])


def run(gpu, text, *args, **more):
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(TMPDIR=str(tmp), XDG_RUNTIME_DIR=str(tmp), LULL_ARM64=str(root), MESA_SHADER_CACHE_DISABLE="true",
               VK_ICD_FILENAMES="/icd/backports/freedreno.json", **more)
    r = subprocess.run([lull, "exec", "--gpu", gpu, *map(str, args), "--", host, "cases", "Turnip"], input=text, capture_output=True, text=True,
                       timeout=600, env=env, check=False)
    return dict(x.strip().split(" ", 1) for x in r.stdout.splitlines() if re.match(r"[a-z0-9-]+ \d", x)), r.stderr


def saxpy(gpu, folder, sha1):
    """y = a * x + y: the destination of its mad.f32, for each invocation that the shader lets through."""
    r = subprocess.run([lull, "ir3", "records", folder / f"{sha1}.records", folder / f"{sha1}.bin", "--json"], capture_output=True, text=True,
                       check=False)
    said = json.loads(r.stdout) if r.returncode == 0 else {"records": []}
    mad = [x for x in said["records"] if x["text"].split(") ")[-1].startswith("mad.f32")]

    def value(v):
        return struct.unpack("<f", struct.pack("<I", v["bits"]))[0]

    def f32(x):
        return struct.unpack("<f", struct.pack("<f", x))[0]
    right = [abs(value(x["dst"][0]) - f32(f32(value(x["src"][0]) * value(x["src"][1])) + value(x["src"][2]))) <= 1e-4 for x in mad]
    factors = {value(x["src"][0]) for x in mad}
    tap.case(f"saxpy on {gpu}: a * x + y of {said.get('invocations')} invocations", len(mad) > 500 and all(right) and len(factors) == 1 and
             len({x["invocation"] for x in mad}) == len(mad) <= said["invocations"], (r.stderr, len(mad), factors, mad[:2]))


def all_of(gpu, names):
    lines = {c.name: line(c) for c in cases.CASES if c.name in names}
    text, folder, log = "\n".join(lines.values()) + "\n", tmp / f"into-{gpu}", tmp / f"log-{gpu}"
    plain, said = run(gpu, text, IR3_SHADER_DEBUG="cs")
    log.write_text(said)
    sha1s = re.findall(r"Native code for .* with sha1 (\w+):", said)
    made = subprocess.run([lull, "ir3", "instrument", log, "--gpu", gpu[1:], "--into", folder, "--room", "2000000"], capture_output=True, text=True,
                          check=False)
    parts = {p.split(":")[0]: (before, p) for before, p in zip(re.split(HEADING, said), re.split(HEADING, said)[1:])}
    left_out = {why: set(re.findall(rf"^lull ir3: (\w+): .*{why}", made.stderr, re.M)) for why in ("it has tables of constants", "of a size that is not known")}
    tables = {sha1 for sha1, (before, _) in parts.items() if re.search(r"^MESA: info: constants: \d", before.split("CL prog")[-1], re.M)}
    spills = {sha1 for sha1, (_, p) in parts.items() if re.search(r"\bstp\.", p.split("outputs:")[0])}
    tap.case(f"all listings of {gpu}'s log are instrumented, or left out with a reason", made.returncode == 0 and len(sha1s) >= len(names) and
             {p.stem for p in folder.glob("*.asm")} == set(sha1s) - set().union(*left_out.values()) and
             left_out == {"it has tables of constants": tables, "of a size that is not known": spills}, (made, sha1s, tables, spills))
    got, said = run(gpu, text, "--records", folder, "--check", "hazards", IR3_SHADER_OVERRIDE_PATH=str(folder))
    for name in names:
        tap.case(f"{name} on {gpu}: results as without", plain.get(name) == got.get(name) == "0", (plain.get(name), got.get(name), said[-500:]))
    tap.case(f"no waits are missing on {gpu}", said[said.find("hazards: "):] == "hazards: 0 findings\n", said[-500:])
    tap.case(f"Turnip took them on {gpu}: each has records", {p.stem for p in folder.glob("*.bin")} == {p.stem for p in folder.glob("*.asm")},
             sorted(p.name for p in folder.iterdir()))
    saxpy(gpu, folder, sha1s[list(lines).index("saxpy")])


why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
tap.case("arm64 programs are there", why is None, why)
if why is not None:
    tap.end()
for chip, shaders in RUNS.items():
    all_of(chip, shaders)
none = subprocess.run([lull, "exec", "--gpu", "a660", "--records", tmp, "--", "true"], capture_output=True, text=True, check=False)
tap.case("a folder without manifests is refused", none.returncode == 2 and "no manifest there" in none.stderr, none)
(tmp / "x.records").write_text("lull-ir3-records 1\nbuffer 0x100000000 1000 2000\n")
none = subprocess.run([lull, "exec", "--gpu", "a660", "--records", tmp, "--", "true"], capture_output=True, text=True, check=False)
tap.case("a buffer where programs have theirs is refused", none.returncode == 2 and "programs have buffers there" in none.stderr, none)
shutil.rmtree(tmp)
tap.end()

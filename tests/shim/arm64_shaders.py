# SPDX-License-Identifier: MIT
"""The shaders of tests/vulkan, by lull-run-arm64 under Turnip on the Adreno of `lull exec`: TAP. Arguments: lull, source folder,
lull-run-arm64, folder of arm64 programs (tools/arm64-root.sh), "buffers" or "images": what the shaders work on.

What is expected is what lavapipe computes, or what the host does (tests/vulkan/table.py). All of them run on one chip, some on the others.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile

source = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(source / "tests")]
import arm64_cases  # noqa: E402
import arm64_tools  # noqa: E402
import tap  # noqa: E402

lull, host, root, on = sys.argv[1], sys.argv[3], pathlib.Path(sys.argv[4]), sys.argv[5]
tmp = pathlib.Path(tempfile.mkdtemp(prefix="lull-arm64-"))
# What a release of Turnip does not offer, as lull says it. What else is refused is a failure.
LACKS = {
    "backports": r"Float64|StorageBuffer8BitAccess|StoragePushConstant16|AtomicFloat32(Add|MinMax)EXT|ShaderClockKHR",
    "bookworm": r"Float64|Int64|Int8|StoragePushConstant16|GroupNonUniformClustered|AtomicFloat32(Add|MinMax)EXT|WorkgroupMemoryExplicitLayoutKHR",
}
CHECKS = "hazards,barrier,bounds,lint,race"  # Of right shaders they say nothing.
REFUSED = re.compile(r"3 (the shader needs the capability (?P<capability>\w+),|'Turnip [^']*' has subgroups of 64 to 128, not 32)")
SOME = ("saxpy", "matmul-u32", "reduce", "bitonic-sort", "sha256", "buffer-arrays", "push-descriptors", "dynamic-offsets", "private-arrays",
        "control-flow", "subgroup-arithmetic-int-wave64", "subgroup-ballot-wave64", "subgroup-basic-wave64")
NEW = ("atomics-64",)  # a660 has no such.
TEXTURES = tuple(c.name for c in arm64_cases.todo("images") if c.name.startswith("texture-"))
RUNS = {
    "buffers": (("a660", "backports", None), ("a630", "backports", SOME), ("a740", "backports", (*SOME, *NEW)), ("a660", "bookworm", None)),
    "images": (("a660", "backports", None), ("a630", "backports", TEXTURES), ("a740", "backports", TEXTURES)),
}


def run(gpu, suite, lines):
    said, errors = arm64_cases.run([lull, "exec", "--gpu", gpu, "--check", CHECKS], host, root, tmp, lines.values(), suite)
    lacks = 0
    for name in lines:
        got = said.get(name, f"nothing; {errors}")
        refused = REFUSED.match(got)
        if refused and (refused["capability"] is None or re.fullmatch(LACKS[suite], refused["capability"])):
            lacks += 1
        else:
            tap.case(f"{name}, {suite} on {gpu}", got.strip() == "0", got)
    report = errors[errors.find("hazards: "):] if "hazards: " in errors else ""
    right = {name: [f"{name}: 0 findings", f"{name}: 0 findings; draws are not looked at"] for name in CHECKS.split(",")}
    told = {line.split(":")[0]: line for line in report.splitlines()}
    tap.case(f"nothing is found, {suite} on {gpu}", told.keys() == right.keys() and all(told[name] in said_ for name, said_ in right.items()), errors)
    print(f"# {suite} on {gpu}: {lacks} shaders need what Turnip does not offer", flush=True)


why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
tap.case("arm64 programs are there", why is None, why)
if why is not None:
    tap.end()
todo = arm64_cases.todo(on)
with concurrent.futures.ThreadPoolExecutor(2) as threads:
    texts = dict(zip((c.name for c in todo), threads.map(lambda c: arm64_cases.line(lull, source, tmp, c), todo)))
for missing in [n for n, t in texts.items() if t is None]:
    tap.skip(f"{missing}: lavapipe does not run it on this CPU")
texts = {n: t for n, t in texts.items() if t is not None}
for chip, release, names in RUNS[on]:
    run(chip, release, {n: t for n, t in texts.items() if (n in names if names is not None else n not in NEW)})
shutil.rmtree(tmp)
tap.end()

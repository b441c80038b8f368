# SPDX-License-Identifier: MIT
"""The shaders of tests/vulkan on buffers give the same results when they are instrumented, under unmodified Turnip on each Adreno of `lull exec`:
TAP. Arguments: lull, source folder, lull-run-arm64, folder of arm64 programs (tools/arm64-root.sh) [SEED | all].

Each shader runs on one of the chips, in turn, as it is, and then with the instructions recorded whose first register is an x, y, z or w: which,
the seed says. With all: on each of the chips, with all instructions, and the longest, too: some minutes of CPU time for each chip.
"""
import os
import pathlib
import shutil
import sys
import tempfile

source = pathlib.Path(sys.argv[2])
sys.path[:0] = [str(source / "tests")]
import arm64_cases  # noqa: E402
import arm64_tools  # noqa: E402
import tap  # noqa: E402

lull, host, root, seed = sys.argv[1], sys.argv[3], pathlib.Path(sys.argv[4]), sys.argv[5] if len(sys.argv) > 5 else "1"
tmp = pathlib.Path(tempfile.mkdtemp(prefix="lull-instrumented-"))
GPUS = ("a630", "a660", "a740")
# 13,000 instructions each; 20,000 groups.
LONG = ("subgroup-arithmetic-int64_t-wave64", "subgroup-arithmetic-uint64_t-wave64", "many-workgroups")
ONLY = {"atomics-64": "a740",  # Others have no such.
        "push-descriptors": "a740"}  # There descriptors are loaded ahead behind the preamble, by the fiber that ran it.
# They run as they are, and why.
AS_THEY_ARE = {
    "sha256": "Turnip 25.0.7 crashes when it reads back its own listing: it has freed the table of constants, and copies it again",
    "constant-table": "the same",
    "private-arrays": "no register is free, and it has private memory of a size that no listing says",
}


def first_register(gpu):
    """A regular expression for the instructions that are recorded."""
    component = "xyzw"[(int(seed) + GPUS.index(gpu)) % 4]
    return ("--regex", rf"^(\([^)]*\))*\s*\S+ (\([^)]*\))*h?r\d+\.{component}")


def on(gpu, lines):
    """The lines of shaders, as they are and instrumented. How many shaders ran."""
    words, folder = [lull, "exec", "--gpu", gpu], tmp / gpu
    plain, log = arm64_cases.run(words, host, root, tmp, [plain for plain, _ in lines.values()], IR3_SHADER_DEBUG="cs")
    names = [n for n in lines if not plain.get(n, "").startswith("3 ")]  # Turnip does not offer what the others need.
    made, ok, missing = arm64_cases.instrument(lull, gpu, log, folder, "--room", "2000000", *(() if seed == "all" else first_register(gpu)))
    tap.case(f"{gpu}: all listings are instrumented, or left out with a reason", ok and len(missing) == len(set(names) & set(AS_THEY_ARE)), (made, missing))
    got, said = arm64_cases.run([*words, "--check", "hazards", "--records", folder], host, root, tmp, [lines[n][1] for n in names],
                                IR3_SHADER_OVERRIDE_PATH=str(folder))
    for n in names:
        tap.case(f"{gpu}: {n}: results as without" + (f"; not recorded: {AS_THEY_ARE[n]}" if n in AS_THEY_ARE else ""), (plain.get(n), got.get(n)) == ("0", "0"),
                 (plain.get(n), got.get(n), said[-500:]))
    tap.case(f"{gpu}: no waits are missing", said[said.find("hazards: "):] == "hazards: 0 findings\n", said[-500:])
    taken = {p.stem for p in folder.glob("*.bin")}
    tap.case(f"{gpu}: Turnip took them", taken == {p.stem for p in folder.glob("*.asm")} and
             sum((folder / f"{t}.bin").stat().st_size > 8 for t in taken) == len(taken), (taken, said[-500:]))
    return len(names)


why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
tap.case("arm64 programs are there", why is None, why)
if why is not None:
    tap.end()
todo = [c for c in arm64_cases.todo("buffers") if seed == "all" or c.name not in LONG]
todo = [(c.name, ONLY.get(c.name, GPUS[i % len(GPUS)]), arm64_cases.both(source, tmp, c)) for i, c in enumerate(todo)]
ran = sum(on(gpu, {n: text for n, chip, text in todo if chip == gpu or (seed == "all" and n not in ONLY)}) for gpu in GPUS)
tap.case("most of them ran", ran > 60, ran)
shutil.rmtree(tmp)
tap.end()

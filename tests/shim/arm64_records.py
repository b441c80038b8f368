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
sys.path[:0] = [str(source / "tests")]
import arm64_cases  # noqa: E402
import arm64_tools  # noqa: E402
import tap  # noqa: E402

lull, host, root = sys.argv[1], sys.argv[3], pathlib.Path(sys.argv[4])
tmp = pathlib.Path(tempfile.mkdtemp(prefix="lull-records-"))
# Constants of its own, shared memory and barriers, loops, predicates, subgroups; random-1 has registers by a0.x. Turnip cannot read back sha256,
# which has a table of constants, and private-arrays has no register free and private memory already.
STEPS = 400  # The debugger's, at most.
RUNS = {"a660": ("saxpy", "radix-sort", "sha256", "control-flow", "bitonic-sort", "private-arrays", "subgroup-ballot-wave64",
                  "random-1"),
        "a630": ("saxpy", "reduce"), "a740": ("saxpy", "reduce")}


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
    lines = {c.name: arm64_cases.line(lull, source, tmp, c) for c in arm64_cases.todo("buffers") if c.name in names}
    folder, gpu_words = tmp / f"into-{gpu}", [lull, "exec", "--gpu", gpu]
    plain, said = arm64_cases.run(gpu_words, host, root, tmp, lines.values(), IR3_SHADER_DEBUG="cs")
    sha1s = arm64_cases.sha1s(said)
    made, ok, missing = arm64_cases.instrument(lull, gpu, said, folder, "--room", "2000000")
    tap.case(f"all listings of {gpu}'s log are instrumented, or left out with a reason", ok and len(sha1s) >= len(names), (made, sha1s, missing))
    got, said = arm64_cases.run([*gpu_words, "--records", folder, "--check", "hazards"], host, root, tmp, lines.values(),
                                IR3_SHADER_OVERRIDE_PATH=str(folder))
    for name in names:
        tap.case(f"{name} on {gpu}: results as without", plain.get(name) == got.get(name) == "0", (plain.get(name), got.get(name), said[-500:]))
    tap.case(f"no waits are missing on {gpu}", said[said.find("hazards: "):] == "hazards: 0 findings\n", said[-500:])
    tap.case(f"Turnip took them on {gpu}: each has records", {p.stem for p in folder.glob("*.bin")} == {p.stem for p in folder.glob("*.asm")},
             sorted(p.name for p in folder.iterdir()))
    saxpy(gpu, folder, sha1s[list(lines).index("saxpy")])


def program(c):
    """Words of one workgroup of a case, alone."""
    work = tmp / c.name
    words = arm64_cases.both(source, tmp, c)[0].split("\t")
    words[words.index("--groups") + 1] = "1"
    return [host, "run", *words[1:words.index("--timeout")], "--out-dir", work]


def shown(text):
    """What `print $REG` has shown: a value for each lane."""
    lanes = [int(v, 16) for v in re.findall(r"0x([0-9a-f]+)", " ".join(re.findall(r"^  lane .*", text, re.M)))]
    one = re.match(r"0x([0-9a-f]+)", text)
    return lanes if lanes else [int(one[1], 16)] * 64 if one else [None] * 64


def stepped(gpu, c, manifest, env):
    """What the debugger shows of wave 0 of the shader as it is: (instruction, names, destinations, sources) of each lane, in their order."""
    insns = {int(at): (re.findall(r"^dst (.*)", rest, re.M), re.findall(r"^src (.*)", rest, re.M))
             for at, rest in re.findall(r"^instruction \d+ (\d+) .*\n((?:(?:dst|src) .*\n)*)", manifest, re.M)}
    names = sorted({n for dst, src in insns.values() for n in dst + src})
    look = ["print $pc", "info lanes", *(f"print ${n}" for n in names), "stepi"]
    (tmp / "commands").write_text("\n".join(["catch dispatch", "run", "break *$code", "continue", *(look * STEPS)]) + "\n")
    r = subprocess.run([lull, "debug", "-batch", "--gpu", gpu, "-x", tmp / "commands", "--", *map(str, program(c))], capture_output=True, text=True,
                       timeout=600, env=env, check=False)
    blocks, last = [], None
    for text in r.stdout.split("$pc = ")[1:]:
        pc = int(text.split()[0], 16)
        values = {n: shown(v) for n, v in re.findall(r"^\$([a-z0-9.]+) = (.*(?:\n  lane .*)*)", text, re.M) if n in names}
        active = {int(n) for n in re.findall(r"^[ *] lane +(\d+) .* active$", text, re.M)}
        blocks.append((pc, active, values))
    got = {lane: [] for lane in range(64)}
    for (pc, active, before), (_, _, after) in zip(blocks, blocks[1:]):
        last = (pc - blocks[0][0]) // 8
        for lane in active if last in insns else []:
            dst, src = insns[last]
            got[lane].append((last, [after[n][lane] for n in dst], [before[n][lane] for n in src]))
    return got, last, r


def as_stepped(gpu, name):
    """Records of registers are what stepping shows, lane by lane; the wave's last instructions have no registers."""
    c = next(c for c in arm64_cases.todo("buffers") if c.name == name)
    env = arm64_cases.environment(root, tmp)
    folder, words = tmp / f"step-{gpu}-{name}", [lull, "exec", "--gpu", gpu]
    run = program(c)
    log = subprocess.run([*words, "--", *map(str, run)], capture_output=True, text=True, env={**env, "IR3_SHADER_DEBUG": "cs"}, timeout=600, check=False).stderr
    arm64_cases.instrument(lull, gpu, log, folder, "--room", "2000000", "--values", "gpr,shared")
    subprocess.run([*words, "--records", folder, "--", *map(str, run)], capture_output=True, env={**env, "IR3_SHADER_OVERRIDE_PATH": str(folder)}, timeout=600,
                   check=False)
    sha1 = arm64_cases.sha1s(log)[0]
    r = subprocess.run([lull, "ir3", "records", folder / f"{sha1}.records", folder / f"{sha1}.bin", "--json"], capture_output=True, text=True, check=False)
    recorded = {lane: [] for lane in range(64)}
    for x in json.loads(r.stdout)["records"] if r.returncode == 0 else []:
        recorded[x["invocation"]].append((x["at"], [v["bits"] for v in x["dst"]], [v["bits"] for v in x["src"]]))
    seen, last, said = stepped(gpu, c, (folder / f"{sha1}.records").read_text(), env)
    n = sum(map(len, seen.values()))
    wrong = [(lane, a, b) for lane in range(64) for a, b in zip(recorded[lane], seen[lane]) if a != b]
    tap.case(f"{name} on {gpu}: {n} records are what stepping shows", n > 500 and not wrong and n == sum(map(len, recorded.values())),
             (n, sum(map(len, recorded.values())), last, wrong[:2], said.stdout[-300:], said.stderr[-300:]))


why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
tap.case("arm64 programs are there", why is None, why)
if why is not None:
    tap.end()
for chip, shaders in RUNS.items():
    all_of(chip, shaders)
for chip, shader in (("a660", "saxpy"), ("a740", "float32-exact")):
    as_stepped(chip, shader)
none = subprocess.run([lull, "exec", "--gpu", "a660", "--records", tmp, "--", "true"], capture_output=True, text=True, check=False)
tap.case("a folder without manifests is refused", none.returncode == 2 and "no manifest there" in none.stderr, none)
(tmp / "x.records").write_text("lull-ir3-records 1\nbuffer 0x100000000 1000 2000\n")
none = subprocess.run([lull, "exec", "--gpu", "a660", "--records", tmp, "--", "true"], capture_output=True, text=True, check=False)
tap.case("a buffer where programs have theirs is refused", none.returncode == 2 and "programs have buffers there" in none.stderr, none)
shutil.rmtree(tmp)
tap.end()

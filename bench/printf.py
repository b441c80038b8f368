#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of a printf call in a kernel, by instructions of the model: printf.py LULL PRINTF_COUNT [RESULTS.jsonl]

The same loop without printf, with one atomic for a wave and with one for each lane; all lanes active, then
every second one; then with a buffer that is full. 64 waves.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

GRID, BLOCK, ROUNDS = 2048, 128, 100
KERNEL = """
kernel void k(global uint *out, uint rounds)
{
    uint g = __builtin_amdgcn_workgroup_id_x() * 128 + __builtin_amdgcn_workitem_id_x();
    uint x = g;
    for (uint r = 0; r < rounds; r++) {
        x = x * 1664525u + 1013904223u;
        if ((g & %d) == 0) {
            out[g] = x;
            %s
        }
    }
    out[g] = x;
}
"""


def build(lull, work, mask, call, mode):
    source, ir, obj, code = (work / name for name in ("k.cl", "k.bc", "k.o", "k.co"))
    source.write_text(KERNEL % (mask, call))
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib",
                    "-O2", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", source, "-o", ir], check=True)
    subprocess.run([lull, "cc", "--printf", f"--printf-atomic={mode}", ir, "-o", obj], check=True)
    subprocess.run(["ld.lld-19", "-shared", obj, "-o", code], check=True)
    return code


def measure(lull, counter, work, mask, call, mode, size):
    code = build(lull, work, mask, call, mode)
    best = None
    for _ in range(3):
        r = json.loads(subprocess.run([counter, code, *map(str, (GRID, BLOCK, ROUNDS, size))], check=True,
                                      capture_output=True, text=True).stdout)
        best = r if best is None or r["seconds"] < best["seconds"] else best
    return best


def main():
    lull, counter = sys.argv[1], sys.argv[2]
    calls = GRID // 32 * ROUNDS
    lines = []
    with tempfile.TemporaryDirectory() as d:
        work = pathlib.Path(d)
        for lanes, mask in ((32, 0), (16, 1), (1, 31)):
            none = measure(lull, counter, work, mask, "", "wave", 16)
            for name, size in (("room", 64 << 20), ("full", 16)):
                for mode in ("wave", "lane"):
                    got = measure(lull, counter, work, mask, 'printf("%u %u\\n", g, r);', mode, size)
                    lines.append({
                        "bench": "printf", "lanes": lanes, "buffer": name, "atomic": mode,
                        "instructions_per_call": (got["instructions"] - none["instructions"]) / calls,
                        "atomics_per_call": got["atomics"] / calls,
                        "atomic_lanes_per_call": got["atomic_lanes"] / calls,
                        "ns_per_call": (got["seconds"] - none["seconds"]) / calls * 1e9,
                        "ns_per_round_without": none["seconds"] / calls * 1e9,
                        "instructions_per_round_without": none["instructions"] / calls,
                        "lost": got["lost"]})
                    print(json.dumps(lines[-1]), flush=True)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "a", encoding="utf-8") as out:
            out.writelines(json.dumps(line) + "\n" for line in lines)
    print("\nprintf(\"%u %u\\n\") for each wave; a round of the loop without it: "
          f"{lines[0]['instructions_per_round_without']:.1f} instructions\n")
    print(f"{'lanes':>6}{'buffer':>8}{'atomic for':>12}{'instructions':>14}{'lanes in atomics':>18}{'ns on the model':>17}")
    for x in lines:
        print(f"{x['lanes']:>6}{x['buffer']:>8}{x['atomic']:>12}{x['instructions_per_call']:>14.1f}"
              f"{x['atomic_lanes_per_call']:>18.1f}{x['ns_per_call']:>17.0f}")


if __name__ == "__main__":
    main()

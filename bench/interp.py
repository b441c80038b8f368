#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of the interpreter, one instruction at a time: interp.py BENCH_CODE [RESULTS.jsonl]

A loop of 32 copies of an instruction, assembled by llvm-mc-19, on one wave and one host thread.
One JSON line for each, and a table of lane-instructions a second.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

COPIES, ROUNDS = 32, 20000
INSTRUCTIONS = {
    "v_add_f32": "v_add_f32_e32 v4, v5, v4",
    "v_fma_f32": "v_fma_f32 v4, v5, v6, v4",
    "v_add_nc_u32": "v_add_nc_u32_e32 v4, v5, v4",
    "v_mul_lo_u32": "v_mul_lo_u32 v4, v5, v6",
    "v_fma_f64": "v_fma_f64 v[4:5], v[6:7], v[8:9], v[4:5]",
    "v_exp_f32": "v_exp_f32_e32 v4, v5",
    "v_cmp + v_cndmask": "v_cmp_lt_f32_e32 vcc_lo, v4, v5\nv_cndmask_b32_e32 v6, v7, v8, vcc_lo",
    "s_add_i32": "s_add_i32 s4, s4, s5",
    "global_load consecutive": "global_load_b32 v4, v0, s[2:3]",
    "global_load gathered": "global_load_b32 v4, v1, s[2:3]",
    "global_store consecutive": "global_store_b32 v0, v4, s[2:3]",
    "buffer_load consecutive": "buffer_load_b32 v4, v0, s[4:7], 0 offen",
    "buffer_load gathered": "buffer_load_b32 v4, v1, s[4:7], 0 offen",
    "buffer_load by index": "buffer_load_b32 v4, v2, s[8:11], 0 idxen",
    "buffer_store consecutive": "buffer_store_b32 v4, v0, s[4:7], 0 offen",
    "ds_load": "ds_load_b32 v4, v0",
}


def assemble(body, work):
    text = "again:\n" + (body + "\n") * COPIES
    text += "s_sub_i32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again\ns_endpgm\n"
    obj, raw = work / "a.o", work / "a.bin"
    subprocess.run(["llvm-mc-19", "-triple=amdgcn", "-mcpu=gfx1100", "-filetype=obj", "-o", obj], input=text, text=True,
                   check=True)
    subprocess.run(["llvm-objcopy-19", "-O", "binary", "-j", ".text", obj, raw], check=True)
    return raw


def measure(interp, name, body, work):
    best = None
    for _ in range(3):
        r = subprocess.run([interp, assemble(body, work), "32", str(ROUNDS)], capture_output=True, text=True)
        if r.returncode != 0:
            return {"bench": name, "error": r.stderr.strip()}
        instructions, seconds = r.stdout.split()
        rate = int(instructions) / float(seconds)
        best = max(best or 0, rate)
    return {"bench": name, "lanes": 32, "instructions_per_second": best, "lane_instructions_per_second": best * 32}


def main():
    lines = []
    with tempfile.TemporaryDirectory() as d:
        for name, body in INSTRUCTIONS.items():
            lines.append(measure(sys.argv[1], name, body, pathlib.Path(d)))
            print(json.dumps(lines[-1]), flush=True)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a", encoding="utf-8") as out:
            out.writelines(json.dumps(line) + "\n" for line in lines)
    print(f"\n{'instruction':26}{'M instructions/s':>18}{'G lane-instr./s':>18}")
    for line in lines:
        if "error" in line:
            print(f"{line['bench']:26}{line['error']:>36}")
        else:
            print(f"{line['bench']:26}{line['instructions_per_second'] / 1e6:>18.1f}"
                  f"{line['lane_instructions_per_second'] / 1e9:>18.2f}")
    sys.exit(any("error" in line for line in lines))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of the interpreter and of compiled waves, one instruction at a time: interp.py BENCH_CODE [RESULTS.jsonl]

A loop of 32 copies of an instruction, assembled by llvm-mc-19, on one wave and one host thread.
One JSON line for each, and a table of lane-instructions a second; then one kernel, a sum of products of what is loaded,
in f32, f16 and packed f16: nanoseconds for 32 elements.
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
    "v_fma_f16": "v_fma_f16 v4, v16, v17, v18",
    "v_pk_fma_f16": "v_pk_fma_f16 v4, v16, v17, v18",
    "v_pk_mul_f16 of halves": "v_pk_mul_f16 v4, v16, v17 op_sel:[1,0] op_sel_hi:[1,0]",
    "v_fma_mix_f32 of f16": "v_fma_mix_f32 v4, v16, v17, v5 op_sel_hi:[1,1,0]",
    "v_fma_mixlo_f16": "v_fma_mixlo_f16 v4, v5, v6, v7",
    "v_cvt_f32_f16": "v_cvt_f32_f16_e32 v4, v16",
    "v_dot2_f32_f16": "v_dot2_f32_f16 v4, v16, v17, v5",
    "v_dot4_i32_iu8": "v_dot4_i32_iu8 v4, v5, v6, v4 neg_lo:[1,1,0]",
    "v_perm_b32": "v_perm_b32 v4, v5, v6, s1",
    "v_lshrrev_b64": "v_lshrrev_b64 v[4:5], 3, v[6:7]",
    "v_mad_u64_u32": "v_mad_u64_u32 v[4:5], null, v6, v7, v[4:5]",
    "v_add_f32 row_shr": "v_add_f32_dpp v4, v5, v6 row_shr:1 row_mask:0xf bank_mask:0xf",
    "v_add_f32 quad_perm": "v_add_f32_dpp v4, v5, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
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


def assemble(body, work, first=""):
    text = first + "\nagain:\n" + (body + "\n") * COPIES
    text += "s_sub_i32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again\ns_endpgm\n"
    obj, raw = work / "a.o", work / "a.bin"
    subprocess.run(["llvm-mc-19", "-triple=amdgcn", "-mcpu=gfx1100", "-filetype=obj", "-o", obj], input=text, text=True,
                   check=True)
    subprocess.run(["llvm-objcopy-19", "-O", "binary", "-j", ".text", obj, raw], check=True)
    return raw


ENGINES = ("interp", "jit")
# One step of the sum, and elements that it adds.
KERNELS = {
    "f32": ("global_load_b32 v4, v0, s[2:3]\nglobal_load_b32 v5, v0, s[2:3] offset:128\ns_waitcnt vmcnt(0)\nv_fmac_f32 v6, v4, v5", 1),
    "f16": ("global_load_u16 v4, v3, s[2:3]\nglobal_load_u16 v5, v3, s[2:3] offset:128\ns_waitcnt vmcnt(0)\nv_fmac_f16 v6, v4, v5", 1),
    "packed f16": ("global_load_b32 v4, v0, s[2:3]\nglobal_load_b32 v5, v0, s[2:3] offset:128\ns_waitcnt vmcnt(0)\nv_pk_fma_f16 v6, v4, v5, v6", 2),
    "f16 in f32": ("global_load_b32 v4, v0, s[2:3]\nglobal_load_b32 v5, v0, s[2:3] offset:128\ns_waitcnt vmcnt(0)\n"
                   "v_fma_mix_f32 v6, v4, v5, v6 op_sel_hi:[1,1,0]\nv_fma_mix_f32 v6, v4, v5, v6 op_sel:[1,1,0] op_sel_hi:[1,1,0]", 2),
}
HALVES = "v_lshrrev_b32 v3, 1, v0"  # Addresses of f16, one behind the other.


def run(bench, raw, engine):
    """Instructions and seconds, the fastest of three."""
    best = None
    for _ in range(3):
        r = subprocess.run([bench, raw, "32", str(ROUNDS), engine], capture_output=True, text=True)
        if r.returncode != 0:
            raise RuntimeError(r.stderr.strip())
        instructions, seconds = r.stdout.split()
        best = min(best or (int(instructions), float(seconds)), (int(instructions), float(seconds)), key=lambda b: b[1] / b[0])
    return best


def measure(bench, name, body, engine, work):
    try:
        instructions, seconds = run(bench, assemble(body, work), engine)
    except RuntimeError as e:
        return {"bench": name, "engine": engine, "error": str(e)}
    rate = instructions / seconds
    return {"bench": name, "engine": engine, "lanes": 32, "instructions_per_second": rate, "lane_instructions_per_second": rate * 32}


def kernels(bench, work):
    """Nanoseconds for 32 elements, by kernel and engine."""
    print(f"\n{'sum of products':26}" + "".join(f"{e:>14}" for e in ENGINES) + "   ns for 32 elements")
    for name, (body, elements) in KERNELS.items():
        times = []
        for engine in ENGINES:
            _, seconds = run(bench, assemble(body, work, HALVES), engine)
            times.append(seconds * 1e9 / (COPIES * ROUNDS * elements))
        print(f"{name:26}" + "".join(f"{t:>14.1f}" for t in times))


def main():
    lines = []
    with tempfile.TemporaryDirectory() as d:
        for name, body in INSTRUCTIONS.items():
            for engine in ENGINES:
                lines.append(measure(sys.argv[1], name, body, engine, pathlib.Path(d)))
                print(json.dumps(lines[-1]), flush=True)
        if len(sys.argv) > 2:
            with open(sys.argv[2], "a", encoding="utf-8") as out:
                out.writelines(json.dumps(line) + "\n" for line in lines)
        print(f"\n{'instruction':26}{'engine':>8}{'ns each':>10}{'G lane-instr./s':>18}")
        for line in lines:
            if "error" in line:
                print(f"{line['bench']:26}{line['engine']:>8}{line['error']:>28}")
            else:
                print(f"{line['bench']:26}{line['engine']:>8}{1e9 / line['instructions_per_second']:>10.2f}"
                      f"{line['lane_instructions_per_second'] / 1e9:>18.2f}")
        kernels(sys.argv[1], pathlib.Path(d))
    sys.exit(any("error" in line for line in lines))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull run --check hazards: what hazards.txt marks is told, its twin is not, nor is any of a compiler's code.

    hazards.py cases LULL hazards.txt
    hazards.py examples LULL EXPECT EXAMPLES run.py    (the cases of tests/examples, by clang at -O0, -O2, both wave sizes)

TAP. Standard library only.
"""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

HEAD = """    .amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
    .text
    .globl code
    .p2align 8
    .type code,@function
code:
    s_load_b64 s[0:1], s[0:1], null
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
"""
TAIL = """    s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
    s_endpgm
    .size code, .-code
    .rodata
    .p2align 6
    .amdhsa_kernel code
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_kernarg_size 8
        .amdhsa_group_segment_fixed_size 1024
        .amdhsa_next_free_vgpr 48
        .amdhsa_next_free_sgpr 16
        .amdhsa_wavefront_size32 {wave32}
    .end_amdhsa_kernel
    .amdgpu_metadata
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: code
    .symbol: code.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: {wave}
    .sgpr_count: 16
    .vgpr_count: 48
    .max_flat_workgroup_size: 1024
    .args:
      - {{ .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global, .name: out }}
    .end_amdgpu_metadata
"""


def parse(path):
    """[(name, kind, waves, bad lines, good lines)]"""
    cases = []
    for line in path.read_text().splitlines():
        if line.startswith("case "):
            name, kind, waves = (p.strip() for p in line[5:].split("|"))
            cases.append((name, kind, (32, 64) if waves == "both" else (int(waves),), [], []))
            part = cases[-1][3]
        elif line == "fixed":
            part = cases[-1][4]
        elif line.strip() and not line.startswith("#"):
            part.append(line)
    return cases


def check(lull, lines, wave, work, checks="hazards", grid=64):
    """Exit status and findings of the code."""
    source = work / "case.s"
    source.write_text(HEAD + "\n".join(l.split(";")[0] for l in lines) + "\n" + TAIL.format(wave=wave, wave32=int(wave == 32)))
    r = subprocess.run([lull, "run", source, "--grid", str(grid), "--block", "64", "--arg", "zeros:4096", "--wave", str(wave),
                        "--check", checks, "--json"], capture_output=True, text=True, timeout=60)
    out = [json.loads(l) for l in r.stdout.splitlines()]
    findings = [f for o in out for f in o.get("findings", [])]
    return r.returncode, findings, r.stderr


def words(text):
    return text.split(";")[0].replace("_e32", "").replace("_e64", "").split()


def judge(lull, case, wave, work, checks="hazards"):
    name, kind, _, bad, good = case
    status, findings, err = check(lull, bad, wave, work, checks)
    marked = next(l for l in bad if l.endswith("; <--"))
    got = [(f["kind"], f["instruction"]) for f in findings]
    if [k for k, _ in got] != [kind] or words(got[0][1])[0] != words(marked)[0]:
        return f"want {kind} at '{marked.strip()}', got {got} {err}"
    if status != 1:
        return f"exit status {status} with findings, want 1"
    status, findings, err = check(lull, good, wave, work, checks)
    if status != 0 or findings:
        return f"the right twin: status {status}, {[(f['kind'], f['instruction']) for f in findings]} {err}"
    return ""


# Alone, and as one of the checks: what is told is the same.
WAYS = ("hazards", "hazards,barrier")
# A load that no wave waits for at its end: the next wave in its place has nothing to wait for.
LEFT = ["    v_mov_b32_e32 v3, v2", "    global_load_b32 v2, v1, s[0:1]", "    s_endpgm"]


def cases(lull, path):
    todo = [(c, w) for c in parse(path) for w in c[2]]
    todo = [(c, w, WAYS[n % 2]) for n, (c, w) in enumerate(todo)] + [(c, w, WAYS[1 - n % 2]) for n, (c, w) in enumerate(todo) if c[1] in ("lds-range", "exec-0")]
    print(f"1..{len(todo) + len(WAYS)}")
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        for n, (case, wave, checks) in enumerate(todo, 1):
            why = judge(lull, case, wave, pathlib.Path(work), checks)
            bad += bool(why)
            print(f"{'not ok' if why else 'ok'} {n} - {case[0]}, wave {wave}, {checks}" + (f"\n# {why}" if why else ""))
        for n, checks in enumerate(WAYS, len(todo) + 1):
            status, findings, err = check(lull, LEFT, 32, pathlib.Path(work), checks, grid=16384)
            wrong = status != 0 or findings
            bad += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {n} - a new wave has nothing under way, {checks}" + (f"\n# {status} {findings} {err}" if wrong else ""))
    return bad


def examples(lull, expect, folder, run_py):
    spec = importlib.util.spec_from_file_location("run", run_py)
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    names = [n for n in run.CASES if n not in ("oob_store", "hang")]
    todo = [(n, level, wave) for n in names for level in (0, 2) for wave in (32, 64)]
    todo = [t for t in todo if (folder / f"{t[0]}.cl").exists() or t[1:] == (2, 32)]
    todo = [t for t in todo if t[::2] != ("scan", 64)]  # its source wants waves of 32
    print(f"1..{len(todo)}")
    bad = 0
    for n, (name, level, wave) in enumerate(todo, 1):
        why = ""
        with tempfile.TemporaryDirectory() as work:
            case = run.Case(folder, lull, expect, pathlib.Path(work), level)
            plain = run.command

            def command(*args, **more):
                extra = ["--check", "all", "--wave", wave] if len(args) > 1 and args[1] == "run" else []
                out = plain(*args, *extra, **more)
                if extra and any(f"{c}: 0 findings" not in out for c in ("hazards", "barrier", "bounds", "divzero", "nan", "race", "uninit")):
                    raise run.Failed(f"no report: {out}")
                return out
            run.command = command
            try:
                run.CASES[name](case)
            except run.Failed as e:
                why = str(e)
            run.command = plain
        bad += bool(why)
        print(f"{'not ok' if why else 'ok'} {n} - {name} -O{level} wave {wave}")
        if why:
            print("\n".join("# " + l for l in why.splitlines()), flush=True)
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "cases":
        sys.exit(cases(sys.argv[2], pathlib.Path(sys.argv[3])) != 0)
    sys.exit(examples(sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]), sys.argv[5]) != 0)

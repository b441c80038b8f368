#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull run --check assumptions names what of a run rests on data/isa/rdna3.granted, and counts it.

    assumptions.py LULL EXAMPLES

The kernel is assembly without branches, so each wave executes each of its lines once: what is to be named, and how often, can be
read off it. TAP.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, examples = sys.argv[1], pathlib.Path(sys.argv[2])
# Instruction, and the row that it rests on in a wave of 32 lanes; v0 is the lane, v1 and v2 are what the input has, s[0:1] out.
LINES = [
    ("v_rcp_f32 v3, v1", "trans-last-bit"),
    ("v_add_f32 v4, v1, v2", "nan-choice"),
    ("v_add_f32 v4, v1, v1", None),         # one NaN, twice
    ("v_add_u32 v4, v1, v2", None),         # no floats
    ("v_cmp_lt_f32 vcc_lo, v1, v2", None),  # no NaN comes out
    ("v_and_b32 v5, 4, v0", None),          # two addresses
    ("global_store_b32 v5, v0, s[0:1]", "store-order"),
    ("v_mov_b32 v6, 7", None),
    ("global_store_b32 v5, v6, s[0:1]", None),  # all store the same
    ("v_lshlrev_b32 v7, 2, v0", None),
    ("global_store_b32 v7, v0, s[0:1]", None),  # an address each
    ("global_atomic_add_u32 v5, v6, s[0:1]", None),          # who comes first does not matter
    ("global_atomic_add_u32 v8, v5, v6, s[0:1] glc", "atomic-order"),
    ("global_atomic_add_u32 v8, v7, v6, s[0:1] glc", None),  # an address each
    ("global_atomic_add_f32 v5, v3, s[0:1]", "atomic-sum"),
    ("v_dot2_f32_f16 v9, v0, v0, v0", "dot-steps"),
    ("s_getreg_b32 s4, hwreg(HW_REG_SHADER_CYCLES)", "time"),
    ("s_getreg_b32 s4, hwreg(HW_REG_MODE)", None),
    ("s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)", "time"),
    ("s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_TBA)", None),
]
BEGIN = ["s_load_b128 s[0:3], s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "v_lshlrev_b32 v7, 2, v0", "global_load_b32 v1, v7, s[2:3]",
         "global_load_b32 v2, v7, s[2:3] offset:128", "s_waitcnt vmcnt(0)"]
WAIT = "s_waitcnt vmcnt(0) lgkmcnt(0)"


def kernel(path):
    """The numbers of the lines in it that have a row."""
    text = (examples / "loop.s").read_text().replace("loop", "k")
    head, rest = text.split("k:\n", 1)
    tail = rest[rest.index(".Lk_end:"):].replace("kernarg_size 8", "kernarg_size 16").replace("kernarg_segment_size: 8", "kernarg_segment_size: 16")
    tail = tail.replace("vgpr 3", "vgpr 10").replace("vgpr_count: 3", "vgpr_count: 10").replace("sgpr 3", "sgpr 8")
    one = tail[tail.index("      - .name: out"):tail.index("    .end_amdgpu_metadata")]
    tail = tail.replace(one, one + one.replace("out", "in").replace("offset: 0", "offset: 8"))
    body = BEGIN + [i for line, _ in LINES for i in (line, WAIT)] + ["s_endpgm"]
    path.write_text(head + "k:\n" + "".join(f"    {i}\n" for i in body) + tail)
    return len(body)


def check(*args):
    r = subprocess.run([lull, "run", *map(str, args)], capture_output=True, text=True, timeout=120, check=False)
    found = {o["check"]: o for o in map(json.loads, (x for x in r.stdout.splitlines() if x.startswith("{"))) if "check" in o}
    return r.returncode, found, r.stdout, r.stderr


with tempfile.TemporaryDirectory() as work:
    folder = pathlib.Path(work)
    path, nans = folder / "k.s", folder / "nans"
    n = kernel(path)
    nans.write_bytes(struct.pack("<64I", *[0x7fc00001 + i for i in range(32)], *[0x7fe00001] * 32))
    args = [path, "--grid", 64, "--block", 32, "--arg", "zeros:256", "--arg", f"buffer:{nans}"]
    got = check(*args, "--check", "assumptions", "--json")
    sum_ = got[1].get("assumptions", {})
    told = sorted((f["kind"], f["count"], re.sub("_e(32|64)", "", f["sites"][0]["instruction"]).split()[0]) for f in sum_.get("findings", []))
    want = sorted((row, 2, line.split()[0]) for line, row in LINES if row)
    case("each, and no other", told == want and got[0] == 0, (want, told, got))
    rows = {row for _, row in LINES if row}
    case("sums: two waves", [sum_.get(k) for k in ("executed", "rest", "assumptions")] == [2 * n, 2 * len(want), len(rows)], (n, sum_))
    nans.write_bytes(bytes(256))
    got = check(*args, "--check", "assumptions", "--json")
    case("without NaNs", {f["kind"] for f in got[1]["assumptions"]["findings"]} == rows - {"nan-choice"}, got)
    got = check(*args, "--check", "assumptions")
    case("text", re.search(r"assumptions: trans-last-bit\n.*v_rcp_f32_e32 v3, v1\n.*takes for granted: the result is the exact one", got[2]) and
         got[2].endswith(f"assumptions: {len(want) - 1} places; {2 * len(want) - 2} of {2 * n} executed instructions rest on {len(rows) - 1} of the model's 11 assumptions\n")
         and "warning" not in got[2], got)
    got = check(*args, "--check", "all", "--json")
    case("not of all", "assumptions" not in got[1] and "barrier" in got[1], got)
    got = check(*args, "--check", "hazards,assumptions", "--check-report", folder / "r.sarif")
    results = json.loads((folder / "r.sarif").read_text())["runs"][0]["results"]
    case("SARIF: notes", {r["level"] for r in results if r["ruleId"] == "assumptions"} == {"note"}, results)
    r = subprocess.run([lull, "exec", "--gpu", "a660", "--check", "overflow", "--", "true"], env=os.environ, capture_output=True, text=True, timeout=120, check=False)
    case("an Adreno", r.returncode == 2 and "an Adreno does not have overflow" in r.stderr, r)
end()

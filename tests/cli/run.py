#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull run: raw code, patterns, local memory, reports, and what it refuses. run.py LULL EXAMPLES."""
import array
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, examples = sys.argv[1], pathlib.Path(sys.argv[2])
LOCAL_CL = """kernel void k(global unsigned *out, local unsigned *a, local unsigned *b, unsigned char v) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    a[i] = i; b[i] = 100 * i;
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); __builtin_amdgcn_s_barrier();
    out[i] = a[31 - i] + b[31 - i] + v;
}"""
STRUCT_CL = """struct s { int a; float b; long c; };
kernel void k(global long *out, struct s v) { out[0] = v.a; out[1] = (long)v.b; out[2] = v.c; }"""
# Which 32 work-items it is among: all bits of the work-item's number matter.
ROWS_CL = """kernel void k(global unsigned *out, local unsigned *row) {
    unsigned i = get_local_id(0);
    local unsigned *mine = row + i / 32 * 32;
    row[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = mine[(i + 1) % 32] << 16 | i / 32;
}
__kernel void other(__global unsigned *out) { out[get_global_id(0)] = 7; }"""
ROWS_LL = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k() #0 { ret void }
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
"""
RAW = """s_load_b128 s[4:7], s[0:1], 0x0
v_and_b32_e32 v1, 0x3ff, v0
s_waitcnt lgkmcnt(0)
v_lshl_add_u32 v1, s2, 5, v1
v_lshlrev_b32_e32 v2, 2, v1
global_load_b32 v3, v2, s[6:7]
s_waitcnt vmcnt(0)
v_mul_u32_u24_e32 v3, 3, v3
v_add_nc_u32_e32 v3, s2, v3
global_store_b32 v2, v3, s[4:5]
s_endpgm
"""


def run(*args):
    r = subprocess.run([lull, "run", *map(str, args)], capture_output=True, text=True, timeout=150)
    return r.returncode, r.stdout, r.stderr


def words(path, kind="I"):
    return list(array.array(kind, path.read_bytes())) if path.exists() else []


def assemble(text, work):
    subprocess.run(["llvm-mc-19", "-triple=amdgcn", "-mcpu=gfx1100", "-filetype=obj", "-o", work / "r.o"],
                   input=text, text=True, check=True)
    subprocess.run(["llvm-objcopy-19", "-O", "binary", "-j", ".text", work / "r.o", work / "r.bin"], check=True)
    return work / "r.bin"


def works(work):
    out, data = work / "out", work / "in"
    data.write_bytes(array.array("I", (i + 7 for i in range(64))).tobytes())
    code = assemble(RAW, work)
    want = [(i + 7) * 3 + i // 32 for i in range(64)]
    for wave in (32, 64):
        r = run("--raw", code, "--isa", "gfx1100", "--grid", "2,1,1", "--block", "32,1,1", "--wave", wave,
                "--buffer", f"256:out={out}", "--buffer", f"256@{data}")
        case(f"raw, wave{wave}", r[0] == 0 and words(out) == want, r)
        out.unlink(missing_ok=True)
    (work / "k.cl").write_text(LOCAL_CL)
    r = run(work / "k.cl", "--grid", 32, "--block", 32, "--arg", f"zeros:128:out={out}:name=result", "--arg",
            "local:128", "--arg", "local:128", "--arg", "u8:9")
    case("two local arguments and a byte", r[0] == 0 and words(out) == [101 * (31 - i) + 9 for i in range(32)], r)
    (work / "rows.cl").write_text(ROWS_CL)
    for level, block in (("-O2", 1024), ("-O0", 1024), ("-O2", 512), ("-O2", 256)):
        r = run(work / "rows.cl", "--kernel", "k", level, "--grid", 2048, "--block", block, "--arg", f"zeros:8192:out={out}", "--arg",
                "local:4096", "--check", "race,index,uninit")
        want = [((i % block & ~31) + (i + 1) % 32) << 16 | i % block // 32 for i in range(2048)]
        case(f"workgroups of {block}, {level}", r[0] == 0 and words(out) == want, r)
    r = run(work / "rows.cl", "--kernel", "other", "--grid", "32,32", "--block", "32,32", "--arg", f"zeros:4096:out={out}")
    case("a workgroup of 32 x 32", r[0] == 0 and words(out) == [7] * 32 + [0] * 992, r)
    (work / "s.cl").write_text(STRUCT_CL)
    r = run(work / "s.cl", "--grid", 1, "--block", 1, "--arg", f"zeros:24:out={out}", "--arg",
            "hex:" + struct.pack("<ifq", -7, 3.0, 1 << 40).hex())
    case("a struct by its bytes", r[0] == 0 and words(out, "q") == [-7, 3, 1 << 40], r)
    r = run(examples / "saxpy.cl", "--grid", 100, "--block", 64, "--arg", f"iota:100:f32:out={out}", "--arg",
            "iota:100:f32", "--arg", "f32:0.5", "--arg", "i32:100", "--json")
    case("iota, a last group that is not full", r[0] == 0 and json.loads(r[1]) == {"result": "done"} and
         words(out, "f") == [1.5 * i for i in range(100)], r)
    r = run(examples / "oob_store.cl", "--grid", 128, "--block", 128, "--arg", "zeros:512", "--json")
    said = json.loads(r[1]) if r[0] == 1 else {}
    case("fault as JSON", said.get("result") == "page fault" and
         any(w["exception"] and "oob_store" in w["place"] for w in said["waves"]), r)
    r = run(examples / "hang.cl", "--grid", 32, "--block", 32, "--arg", "zeros:128", "--timeout", 5)
    case("hang names the place", r[0] == 124 and "no progress in 5 ms" in r[1] and "hang+0x" in r[1], r)
    said = re.search(r"^If not given: -O(\d), --timeout (\d+)\.$", run("--help")[1], re.M)
    hang = (examples / "hang.cl", "--grid", 32, "--block", 32, "--arg", "zeros:128")
    r = run(*hang)
    case("--help says which time-out it takes", r[0] == 124 and f"no progress in {said[2]} ms" in r[1], r)
    fault = (examples / "oob_store.cl", "--grid", 128, "--block", 128, "--arg", "zeros:512")
    places = {level: re.search(r"oob_store\+0x\w+", run(*fault, *level)[1])[0] for level in ((), ("-O0",), ("-O2",))}
    case("--help says which level it takes", places[()] == places[f"-O{said[1]}",] and places["-O0",] != places["-O2",], places)


def refuses(work):
    saxpy, grid = examples / "saxpy.cl", ("--grid", "64")
    (work / "rows.ll").write_text(ROWS_LL)
    r = run(work / "rows.ll", "--grid", "512", "--block", "256")
    case("block of 256, compiled for 256", r[0] == 0, r)
    args = ("--arg", "zeros:256", "--arg", "zeros:256", "--arg", "f32:1", "--arg", "i32:64")
    rows = [
        ("no program", 2, grid), ("no grid", 2, (saxpy, *args)), ("missing program", 3, ("/nowhere.cl", *grid)),
        ("grid of 0", 2, (saxpy, "--grid", "0", *args)), ("grid of words", 2, (saxpy, "--grid", "many", *args)),
        ("four dimensions", 2, (saxpy, "--grid", "1,1,1,1", *args)),
        ("block of 512, compiled for 256", 2, (work / "rows.ll", "--grid", "512", "--block", "512")),
        ("block of 2048", 2, (saxpy, *grid, "--block", "2048", *args)),
        ("too few arguments", 2, (saxpy, *grid, *args[:4])), ("too many", 2, (saxpy, *grid, *args, *args[:2])),
        ("value for a buffer", 2, (saxpy, *grid, "--arg", "i32:1", *args[2:])),
        ("wrong size", 2, (saxpy, *grid, *args[:6], "--arg", "i64:64")),
        ("missing input", 3, (saxpy, *grid, "--arg", "buffer:/nowhere", *args[2:])),
        ("no such kind", 2, (saxpy, *grid, "--arg", "heap:4")), ("no such type", 2, (saxpy, *grid, "--arg", "iota:4:i7")),
        ("value too large", 2, (saxpy, *grid, "--arg", "u8:256")), ("no such kernel", 3, (saxpy, *grid, "--kernel", "x")),
        ("wave of 48", 2, (saxpy, *grid, "--wave", "48")), ("no such option", 2, (saxpy, "--gird", "1")),
        ("no such device", 2, (saxpy, *grid, *args, "--device", "cuda")), ("raw with --arg", 2, ("--raw", saxpy, *args)),
        ("out in no directory", 3, (saxpy, *grid, "--arg", "zeros:256:out=/nowhere/x", *args[2:])),
    ]
    for name, status, words_ in rows:
        r = run(*words_)
        lines = r[2].strip().splitlines()
        case(name, r[0] == status and r[1] == "" and len(lines) == (2 if status == 2 else 1) and
             lines[0].startswith("lull run: "), r)


with tempfile.TemporaryDirectory() as directory:
    works(pathlib.Path(directory))
    refuses(pathlib.Path(directory))
end()

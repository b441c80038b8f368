#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels and shaders with both engines, compiled for each kind of host that this machine is: workloads.py LULL SOURCE ARM64. Shaders also on a660, under Turnip in folder ARM64. What they write and what is printed is the same, byte for byte."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

# A sanitized lull starts itself once more under the shim, with drivers that are not sanitized.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
lull, source, arm64 = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
KERNELS = {
    "saxpy.cl": ["--grid", "4096", "--block", "256", "--arg", "iota:4096:f32:out=OUT", "--arg", "rand:1:4096:f32", "--arg", "f32:2.5",
                 "--arg", "i32:4000"],
    "sgemm_tiled.cl": ["--grid", "64,64", "--block", "16,16", "--arg", "rand:1:4096:f32", "--arg", "rand:2:4096:f32",
                       "--arg", "zeros:16384:out=OUT", "--arg", "i32:64"],
    "mandelbrot.cl": ["--grid", "128,64", "--block", "32,2", "--arg", "zeros:32768:out=OUT", "--arg", "i32:128", "--arg", "i32:64",
                      "--arg", "i32:200"],
}
SHADERS = {
    "mandelbrot.comp": ["--groups", "16,8", "--bind", "0.0=zeros:32768", "--push", "u32:128,64,100", "-DW=128.0", "-DH=64.0"],
    "sha256.comp": ["--groups", "16", "--bind", "0.0=zeros:32768", "--bind", "0.1=rand:3:8192:u32"],
    "nbody.comp": ["--groups", "4", "--bind", "0.0=zeros:4096", "--bind", "0.1=rand:4:1024:f32"],
    "matmul.comp": ["--groups", "4,4", "--bind", "0.0=zeros:16384", "--bind", "0.1=rand:1:4096:f32", "--bind", "0.2=rand:2:4096:f32",
                    "--push", "u32:64"],
    "matmul.comp in f16": ["--groups", "4,4", "--bind", "0.0=zeros:8192", "--bind", "0.1=rand:1:4096:f16", "--bind", "0.2=rand:2:4096:f16",
                           "--push", "u32:64", "-DHALVES"],
}


TARGETS = ("x86-64-v3", "x86-64-v4")


def results(engine, words, out, target=""):
    """What is written to files and printed."""
    r = subprocess.run([lull, "run", *words, "--engine", engine], capture_output=True, text=True, check=False, env=os.environ | {"LULL_JIT": target})
    files = {p.name: p.read_bytes() for p in sorted(out.iterdir())}
    for p in out.iterdir():
        p.unlink()
    return r.returncode, files, r.stdout, r.stderr


def compare(name, words, out):
    interpreter = results("interp", words, out)
    for target in TARGETS:
        compiled = results("jit", words, out, target)
        if "without the compiler of waves" in compiled[3] or "has not got AVX" in compiled[3]:
            skip(f"{name}, {target}: {compiled[3].splitlines()[0]}")
            continue
        ok = interpreter == compiled and interpreter[0] == 0 and interpreter[1] != {}
        case(f"{name}, {target}", ok, (interpreter[0], compiled[0], interpreter[2:], compiled[2:], interpreter[1].keys()))


with tempfile.TemporaryDirectory() as d:
    place = pathlib.Path(d)
    for kernel, args in KERNELS.items():
        for wave in ("32", "64"):
            compare(f"{kernel} wave{wave}", [source / "examples" / kernel, "--wave", wave, *(a.replace("OUT", str(place / "out.bin")) for a in args)], place)
    for shader, args in SHADERS.items():
        words = [source / "tests/vulkan/shaders" / shader.split()[0], *args, "--out-dir", place]
        compare(shader, words, place)
        if (arm64 / "complete").exists():
            compare(f"{shader} on a660", [*words, "--gpu", "a660"], place)
        else:
            skip(f"{shader} on a660: no arm64 programs (tools/arm64-root.sh)")
end()

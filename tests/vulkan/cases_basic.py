# SPDX-License-Identifier: MIT
"""Algorithms, arithmetic, memory."""
import hashlib

from table import *  # noqa: F401,F403

FILL = "fill:0xdeadbeef:{}:u32"

case("saxpy", "saxpy.comp", 16, {"0.0": "iota:1000:f32", "0.1": "rand:1:1000:f32"}, ["--push", "f32:2.5,u32:1000"],
     ["ulp:1"])  # lavapipe multiplies and adds, in two roundings
X = f32(floats(1, 1000))
case("fma", "saxpy.comp", 16, {"0.0": "iota:1000:f32", "0.1": X}, ["--push", "f32:2.5,u32:1000"], lavapipe=False,
     want={"0.0": f32(2.5 * x + i for i, x in enumerate(array.array("f", X)))})  # exact in doubles
case("mandelbrot", "mandelbrot.comp", "16,8", {"0.0": "zeros:32768"}, ["--push", "u32:128,64,200"])
case("matmul-f32", "matmul.comp", "4,4", {"0.0": "zeros:16384", "0.1": "rand:1:4096:f32", "0.2": "rand:2:4096:f32"},
     ["--push", "u32:64"], ["rel:1e-5"])
case("matmul-u32", "matmul.comp", "4,4", {"0.0": "zeros:16384", "0.1": "rand:1:4096:u32", "0.2": "rand:2:4096:u32"},
     ["--push", "u32:64", "-DT=uint"])
case("matmul-f64", "matmul.comp", "2,2", {"0.0": "zeros:8192", "0.1": "rand:1:1024:f64", "0.2": "rand:2:1024:f64"},
     ["--push", "u32:32", "-DT=double"], ["rel:1e-14"])
V = rand_u32(3, 8192)
case("reduce", "reduce.comp", 32, {"0.0": "zeros:132", "0.1": u32(V)},
     want={"0.0": u32([sum(V)] + [sum(V[i:i + 256]) for i in range(0, 8192, 256)])})
case("reduce-async", "reduce.comp", 32, {"0.0": "zeros:132", "0.1": u32(V)}, ["--async"])
case("scan", "scan.comp", 8, {"0.0": "rand:4:4096:u32"})


def running(values):
    total, out = 0, []
    for v in values:
        total += v
        out.append(total)
    return out


case("prefix-sum-look-back", "lookback.comp", 64, {"0.0": "zeros:1040", "0.1": u32(V)}, lavapipe=False,
     want={"0.1": u32(running(V))})
case("bitonic-sort", "bitonic.comp", 4, {"0.0": "rand:5:2048:i32"})
case("transpose", "transpose.comp", "4,2", {"0.0": "zeros:65536", "0.1": "rand:6:16384:f32"}, ["--push", "u32:128,64"])
case("histogram", "histogram.comp", 16, {"0.0": "zeros:1024", "0.1": "rand:7:4096:u32"})
case("game-of-life", "life.comp", "4,8", {"0.0": u32(v >> 31 for v in V[:2048]), "0.1": "zeros:8192", "0.2": "zeros:8"},
     ["--repeat", "9"])
M = bytes(rng(8).getrandbits(8) for _ in range(32 * 128))
case("sha256", "sha256.comp", 2, {"0.0": "zeros:4096", "0.1": M},
     want={"0.0": b"".join(hashlib.sha256(M[i:i + 32]).digest() for i in range(0, len(M), 32))})
case("nbody", "nbody.comp", 4, {"0.0": "zeros:4096", "0.1": "rand:9:1024:f32"}, tolerance=["abs:1e-5"])
case("fft", "fft.comp", 4, {"0.0": "rand:10:2048:f32"}, tolerance=["abs:1e-3"])
K = rand_u32(11, 4096)
case("radix-sort", "radix.comp", 4, {"0.0": u32(K)},
     want={"0.0": u32(v for i in range(0, 4096, 1024) for v in sorted(K[i:i + 1024]))})
case("blur", "blur.comp", "5,4", {"0.0": "zeros:4800", "0.1": "rand:12:1200:u32"}, ["--push", "i32:40,30"])

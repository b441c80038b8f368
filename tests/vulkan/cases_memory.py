# SPDX-License-Identifier: MIT
"""Descriptors, addresses, layouts, images, control flow, private and shared memory, dispatches."""
import zlib

from table import *  # noqa: F401,F403

case("scalar-layout", "scalar.comp", 2, {"0.0": "zeros:1536", "0.1": "rand:50:768:f32", "0.2": "rand:51:10:f32"},
     tolerance=["f32:abs:1e-6"])
r = rng(52)
NODES = [(r.getrandbits(32), r.randrange(128)) for _ in range(128)]
TABLE = [rand_u32(53 + k, 16) for k in range(3)]


def walk(i):
    total, at = 0, i
    for _ in range(8):
        total = (total * 31 + NODES[at][0]) & 0xffffffff
        at = NODES[at][1]
    return total + TABLE[i % 3][i % 16]


case("buffer-device-address", "address.comp", 2, {
    "nodes": u32(x for v, n in NODES for x in (v, n, 0, 0)), "result": "zeros:524",
    **{f"t{k}": u32(TABLE[k]) for k in range(3)}, "0.0": "addr:t0,t1,t2"}, ["--push", "addr:nodes,addr:result"],
    compare=[], want={"result": u32([walk(i) for i in range(128)] +
                                    [sum(TABLE[k][i % 16] for i in range(128) if i % 3 == k) for k in range(3)])})
BUFFERS = [rand_u32(60 + k, 32) for k in range(6)]
K = [rand_u32(70 + k, 4) for k in range(4)]
WHICH = [(i * 7 + i // 11) % 6 for i in range(256)]
case("descriptor-indexing", "indexing.comp", 4, {
    "0.0": "zeros:1024", **{f"1.0[{k}]": u32(BUFFERS[k] + [0] * (13 + k)) for k in range(6)},
    **{f"1.1[{k}]": u32(K[k]) for k in range(4)}}, lavapipe=False, want={
        "0.0": u32(BUFFERS[w][w] + K[i % 4][i // 4 % 4] + 50 for i, w in enumerate(WHICH)),
        **{f"1.0[{k}]": u32(BUFFERS[k] + [BUFFERS[5 - k][5 - k] if n == 5 - k and n in WHICH else 0 for n in range(12)] +
                            [0 if k else sum(BUFFERS[w][w] for w in WHICH)] + [0] * k) for k in range(6)}})
ARRAYS = [rand_u32(80 + k, 192) for k in range(3)]


def arrays(first):
    return u32((ARRAYS[first % 3][i] * 9 + ARRAYS[(first + 1) % 3][i] * 3 + ARRAYS[(first + 2) % 3][i] +
                ARRAYS[i // 64][0]) for i in range(192))


case("buffer-arrays", "arrays.comp", 3, {"0.0": "zeros:768", **{f"2.3[{k}]": u32(ARRAYS[k]) for k in range(3)}},
     ["--push", "u32:2"], want={"0.0": arrays(2)})
# One buffer at three places: the second element begins 64 words in it, and the result is its second half.
ONE = rand_u32(82, 256)
case("buffer-at-three-places", "arrays.comp", 3, {
    "0.0": "same:2.3[0]:offset=1024:range=768", "2.3[0]": u32(ONE + [0] * 192), "2.3[1]": "same:2.3[0]:offset=256:range=768",
    "2.3[2]": "iota:192:u32"}, ["--push", "u32:0"],
    want={"2.3[0]": u32(ONE + [ONE[i] * 9 + ONE[i + 64] * 3 + i + (ONE[0], ONE[64], 0)[i // 64] for i in range(192)])})
case("push-constants", "push.comp", 2, {"0.0": "zeros:256"},
     ["--push", "u32:17,f32:2.5,u32:7,8,f32:1,2,3,4,u32:" + ",".join(str(v) for v in rand_u32(83, 16))])
# lavapipe of Mesa 22.3 keeps only the last push.
case("push-descriptors", "arrays.comp", 3, {"0.0": "zeros:768", **{f"2.3[{k}]": u32(ARRAYS[k]) for k in range(3)}},
     ["--push", "u32:1", "--push-set", "2"], lavapipe=False, want={"0.0": arrays(1)})
case("spec-constants-default", "spec.comp", "2,2", {"0.0": "zeros:4096"}, ["--spec", "0=64", "--spec", "1=1"])
case("spec-constants", "spec.comp", "2,2", {"0.0": "zeros:4096"},
     ["--spec", "0=8", "--spec", "1=4", "--spec", "2=5", "--spec", "3=6.25", "--spec", "4=true", "--spec", "5=100",
      "--spec", "6=3.75"])
case("dynamic-offsets", "dynamic.comp", 1, {
    "0.0": "zeros:256", "0.2": "rand:84:256:u32:dynamic=512:range=256", "1.0": "rand:85:144:u32:dynamic=256:range=64",
    "1.1": "rand:86:128:u32:offset=128:range=256"})
# An offset of the descriptor, and a dynamic one behind it: words 64 + 128, and 64 + 64.
case("dynamic-offsets-both", "dynamic.comp", 1, {
    "0.0": "zeros:256", "0.2": "iota:320:u32:offset=256:dynamic=512:range=256", "1.0": "iota:144:u32:dynamic=256:offset=256:range=64",
    "1.1": "iota:128:u32:offset=128:range=256"},
     want={"0.0": u32((192 + i) * 3 + 128 + (i & 3) * 4 + (i >> 2 & 3) + 32 + i + (64 << 16) for i in range(64))})
case("texel-buffers", "texels.comp", 2, {
    "0.0": "texels:rgba8:rand:87:512:u8", "0.1": "texels:r32ui:rand:88:128:u8", "0.2": "texels:rg16i:rand:89:256:i16",
    "0.3": "texels:rgba8:zeros:512", "0.4": "texels:r32ui:zeros:80", "0.5": "texels:rgba32f:rand:90:512:f32",
    "0.6": "zeros:2048"}, tolerance=["0.5=ulp:1", "0.6=ulp:1"])
case("storage-images", "image2d.comp", "3,3", {
    "0.0": "image:24x24:rgba8:rand:91", "0.1": "image:24x24:r32ui", "0.2": "image:24x24x5:rgba16f",
    "0.3": "image:24x24:rg32f:rand:92:layers=3", "0.4": "zeros:48"})
case("sampled-images", "sampled.comp", "2,2", {
    "0.0": "image:16x16:rgba8:rand:93", "0.1": "image:16x16:rgba32f:rand:94:mips=3",
    "0.2": "sampler:filter=linear:mip=linear:wrap=clamp", "0.3": "image:9x7:r8ui:rand:95:wrap=mirror",
    "0.4": "zeros:24576"}, tolerance=["0.4=abs:4e-3"])
case("control-flow", "collatz.comp", 8, {"0.0": "zeros:2048"})
case("long-loops", "loops.comp", 2, {"0.0": "rand:96:128:u32"}, ["--push", "u32:5000"])
case("private-arrays", "scratch.comp", 2, {"0.0": "rand:97:6144:i32"})
case("shared-memory-32k", "lds.comp", 3, {"0.0": "zeros:12288"}, ["-DSIZE=32768"])


def shared(size, groups):
    n, out = size // 16 - 64, []
    for g in range(groups):
        s = [(k, k * 3 & 0xffffffff, ~k & 0xffffffff, k ^ g) for k in range(n)]
        for lane in range(1024):
            total = ((lane * 13) & 255) ** 2
            for k in range(lane, n, 1024):
                at = (k * 1021 + 7) % n
                x = s[at]
                total += x[0] + x[1] * 5 + (x[2] ^ x[3]) + s[(at + k) % n][k & 3]
            out.append(total)
    return u32(out)


case("shared-memory-64k", "lds.comp", 2, {"0.0": "zeros:8192"}, ["-DSIZE=65536"], lavapipe=False,
     want={"0.0": shared(65536, 2)})
case("three-dimensions", "groups.comp", "4,3,2", {"0.0": "zeros:2880", "0.1": "zeros:4"})
case("many-workgroups", "many.comp", "20000", {"0.0": "zeros:256"})
MESSAGE = rand_u32(98, 2048)
case("crc32", "crc.comp", 2, {"0.0": "zeros:512", "0.1": u32(MESSAGE)},
     want={"0.0": u32(zlib.crc32(u32(MESSAGE[i:i + 16])) for i in range(0, 2048, 16))})
case("memory-model-messages", "message.comp", 64, {
    "0.0": "zeros:8192", "0.1": "zeros:128", "0.2": "zeros:4", "0.3": "zeros:8192"}, lavapipe=False,
    want={"0.3": u32(p * 1000 + ((i + 17) % 64) ** 2 for p in range(32) for i in range(64))})
case("variable-pointers", "variable_pointers.spvasm", 2, {
    "0.0": "zeros:512", "0.1": "rand:99:132:u32", "0.2": "rand:100:132:u32"})
case("shader-clock", "clock.comp", 1, {"0.0": "zeros:512"})
case("workgroup-memory-layout", "explicit_layout.comp", 1, {"0.0": "zeros:256"}, lavapipe=False,
     want={"0.0": u32((63 - i) // 2 * 6 + 1 + (i & 1) * 3 for i in range(64))})
case("dispatch-indirect", "indirect_args.comp", "3,5,2", {"0.0": "zeros:16"}, ["--indirect"])
case("dispatch-indirect-async", "indirect_args.comp", "3,5,2", {"0.0": "zeros:16"}, ["--indirect", "--async"])
case("dispatch-base", "indirect_args.comp", "3,2,2", {"0.0": "zeros:16"}, ["--base", "5,1,2"])
case("constant-table", "table.comp", 2, {"0.0": "zeros:2048"})
# Shared memory with an initializer: 0 at first, in each workgroup; then what shared_zero.comp writes.
SHARED = 15 + sum((k ^ 0x5a5a) * (k + 1) for k in range(500)) + 21 + 18 + 48 + 28 + 4
# A seed: LDS begins with garbage.
case("shared-zero", "shared_zero.comp", 3, {"0.0": "zeros:1152"}, ["--seed", "7"], want={"0.0": u32([SHARED + 95 - i for i in range(96)] * 3)})

# SPDX-License-Identifier: MIT
"""Arithmetic of every type."""
from table import *  # noqa: F401,F403

A, B = edges(20, 128), edges(21, 128)
case("integer-arithmetic", "intops.comp", 2, {"0.0": "zeros:16384", "0.1": u32(A), "0.2": u32(B)})


def quotient(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def wide(x, y):
    """Row of int64ops.comp."""
    y = y or 1
    sx, sy = signed(x), signed(y)
    sy = 5 if sy == -1 else sy
    s = y & 63
    lx, ly = signed(x, 32), signed(y, 32)
    return [x + y, x - y, x * y, x // y, x % y, quotient(sx, sy), sx - quotient(sx, sy) * sy, x << s, x >> s, sx >> s,
            x & y, x | y, x ^ ~y, min(x, y), max(x, y), min(sx, sy), max(sx, sy), abs(sx),
            (sx < sy) | (x < y) << 1 | (sx <= sy) << 2 | (x == y) << 3, x // 10, lx,
            (x & 0xffffffff) * (y & 0xffffffff), lx * ly, x + (y << 3) - 1]


r = rng(22)
A64 = [r.choice(EDGES) << r.choice([0, 0, 16, 32, 33]) & (1 << 64) - 1 if r.random() < 0.5 else r.getrandbits(64)
       for _ in range(128)]
B64 = [r.choice(EDGES) if r.random() < 0.5 else r.getrandbits(r.choice([5, 31, 33, 64])) for _ in range(128)]
case("int64-arithmetic", "int64ops.comp", 2, {"0.0": "zeros:24576", "0.1": u64(A64), "0.2": u64(B64)},
     want={"0.0": u64(v for a, b in zip(A64, B64) for v in wide(a, b))})
case("int8-int16", "small_ints.comp", 2, {
    "0.0": "zeros:1536", "0.1": "zeros:3072", "0.2": "rand:23:256:i8", "0.3": "rand:24:256:i16", "0.4": "zeros:512",
    "0.5": "zeros:2048"})


HA = [r.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2048.0, 65504.0, 6e-5, 6e-8]) if r.random() < 0.3 else r.uniform(-40, 40)
      for _ in range(128)]
HB = [r.choice([0.25, -3.0, 1e-3, 100.0, 2.0]) if r.random() < 0.3 else r.uniform(-40, 40) for _ in range(128)]
HA, HB = list(map(half, HA)), list(map(half, HB))


def integral(f, x):
    """f(x), a whole number, with the sign of x: that of -0.0, too."""
    return math.copysign(float(f(x)), x)


def columns(row, first, second):
    """As the shaders store them: the first value of each row, the second of each ..."""
    return [v for column in zip(*map(row, first, second)) for v in column]


def f16_row(x, y):
    """What half.comp stores of x and y: sums and products of two are exact in a double."""
    return [x + y, x - y, x * y, min(x, y), max(x, y), abs(x), integral(math.floor, x), integral(math.ceil, x),
            single(x * 0.5 + y), float(int(x) + 1), x if x < y else -y, integral(math.trunc, y)]


def f16_pairs(x, y):
    return [x + y, y - x, x * y, -y * x, max(x, y), max(y, -x), -y, -x]


# Not against lavapipe here and below: without F16C in the CPU it has no 16-bit floats.
case("float16", "half.comp", 2, {"0.0": "zeros:3072", "0.1": f16(HA), "0.2": f16(HB), "0.3": "zeros:2048"}, lavapipe=False,
     want={"0.0": f16(columns(f16_row, HA, HB)), "0.3": f16(v for x, y in zip(HA, HB) for v in f16_pairs(x, y))})


def doubles(values):
    return struct.pack(f"<{len(values)}d", *values)


DA = [r.choice([0.0, -0.0, 1.0, 1e300, 1e-300, 3.5, -2.5, 0.1]) if r.random() < 0.3 else r.uniform(-1e6, 1e6)
      for _ in range(128)]
DB = [r.choice([1.0, -3.0, 1e-3, 100.0, 7.0]) if r.random() < 0.3 else r.uniform(-100, 100) for _ in range(128)]


def sign(x):
    return float((x > 0) - (x < 0))


def f64_row(x, y):
    """What f64ops.comp stores of x and y, in its order."""
    return [x + y, x - y, x * y, x / y, math.sqrt(abs(x)), min(x, y), max(x, y), integral(math.floor, x),
            integral(math.ceil, y), integral(math.trunc, x), single(x), float(int(max(-2e9, min(x, 2e9))) + int(abs(y))),
            integral(round, x), x if x < y else -y, x - math.floor(x), abs(x) + sign(y)]


# Not against lavapipe: the roundEven() of doubles that Mesa 22.3 has for CPUs without AVX-512 takes 3.5 to 3.
case("float64", "f64ops.comp", 2, {"0.0": "zeros:16384", "0.1": doubles(DA), "0.2": doubles(DB)}, tolerance=["ulp:1"],
     lavapipe=False, want={"0.0": doubles(columns(f64_row, DA, DB))})
FA = [r.choice([0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3e38, 1e-30, 16777216.0, 8388607.5, 0.1])
      if r.random() < 0.4 else r.uniform(-1000, 1000) for _ in range(128)]
FB = [r.choice([1.0, -3.0, 1e-3, 100.0, 7.0]) if r.random() < 0.3 else r.uniform(-100, 100) for _ in range(128)]
FA, FB = list(map(single, FA)), list(map(single, FB))


def f32_row(x, y):
    """What floatops.comp stores of x and y, in its order: sums and products of two floats are exact enough in a double."""
    mantissa, exponent = math.frexp(x)
    part, whole = math.modf(x)
    return [x + y, x - y, x * y, integral(math.floor, x), integral(math.ceil, x), integral(math.trunc, x),
            integral(round, x), abs(x), -y, min(x, y), max(x, y), max(-1.5, min(x, 2.5)), sign(x), float(y >= x),
            float(int(max(-1e9, min(x, 1e9))) + 1), float(int(min(abs(x), 3e9))), 1.0 if x < y else 2.0 if x > y else 3.0, 3.0,
            mantissa, float(exponent), y * 8, part, whole, -x]


case("float32-exact", "floatops.comp", 2, {"0.0": "zeros:12288", "0.1": f32(FA), "0.2": f32(FB)},
     want={"0.0": f32(columns(f32_row, FA, FB))})
case("transcendental", "transcendental.comp", 2, {"0.0": "zeros:12288", "0.1": f32(floats(25, 128, -4, 4)),
                                                   "0.2": f32(floats(26, 128, 0.01, 30))}, tolerance=["abs:5e-4"])
case("matrices", "matrices.comp", 1, {"0.0": "zeros:8192", "0.1": "rand:27:1024:f32", "0.2": "rand:28:44:f32"},
     tolerance=["rel:1e-3"])
# Numbers that f16 holds, and none that a norm has a half of: GLSL leaves open how these are rounded.
PACKED = [(v if abs(v) != 128 else 1) / 256 for v in map(int, floats(29, 512, -512, 512))]
PACKED = [PACKED[i:i + 4] for i in range(0, 512, 4)]


def norm(bits, low, values):
    """packUnorm (low 0) and packSnorm (low -1) of values, the first in the lowest bits."""
    whole = (1 << bits + low) - 1
    return sum((round(max(low, min(v, 1)) * whole) & (1 << bits) - 1) << bits * i for i, v in enumerate(values))


def unnorm(bits, low, word):
    fields = [word >> at & (1 << bits) - 1 for at in range(0, 32, bits)]
    return [max(-1.0, signed(v, bits) / ((1 << bits - 1) - 1)) if low else v / ((1 << bits) - 1) for v in fields]


def bits(size, values):
    return int.from_bytes({2: f16, 4: f32, 8: doubles}[size](values), "little")


def pack_row(v):
    """The integers that pack.comp stores of four floats, in its order."""
    wide_x = bits(8, v[:1])
    return [bits(2, v[:2]), bits(2, v[2:]), norm(8, 0, v), norm(8, -1, v), norm(16, 0, v[:2]), norm(16, -1, v[2:]),
            wide_x & 0xffffffff, wide_x >> 32]


def unpack_row(v):
    word = bits(4, v[:1])
    return [*v, *unnorm(8, 0, word), *unnorm(8, -1, word), *unnorm(16, 0, word), *unnorm(16, -1, word)]


case("pack-unpack", "pack.comp", 2, {"0.0": "zeros:4096", "0.1": f32(sum(PACKED, [])), "0.2": "zeros:8192"},
     tolerance=["0.0=u32:exact", "0.2=ulp:1"], lavapipe=False, want={
         "0.0": u32(v for column in zip(*map(pack_row, PACKED)) for v in column),
         "0.2": f32(v for row in map(unpack_row, PACKED) for v in row)})
for wide_ in (False, True):
    size, name, limit = (8, "-64", 1 << 64) if wide_ else (4, "", 1 << 32)
    top = limit - 1
    start = struct.pack(f"<16{'Q' if wide_ else 'I'}", 5, top, 0, top, 0, 0, 0, 0, 3, 9, 0, 0, 0, 0, 0, 0)
    # 9 keeps the last value exchanged: which, depends on the order; 9 and 10 together do not.
    case(f"atomics{name}", "atomics.comp", 4, {
        "0.0": start, "0.1": f"zeros:{4 * size}", "0.2": f"rand:30:256:{'u64' if wide_ else 'u32'}",
        "0.3": f"zeros:{40 * size}"}, ["-DWIDE"] if wide_ else [], compare=["0.1", "0.3"])
WHOLE = [float(r.randrange(-50, 50)) for _ in range(256)]
SUMS = f32(v for i in range(0, 256, 64) for v in [sum(WHOLE[i:i + 64])] * 2)
# RADV of Mesa 22.3 has atomicAdd of floats in shared memory only; one invocation after the other
# gives the last one's value to the next.
case("float-atomics", "float_atomics.comp", 4, {
    "0.0": "zeros:8", "0.1": f32(WHOLE), "0.2": "zeros:32", "0.3": "zeros:1024"}, lavapipe=False, want={"0.2": SUMS})
case("float-atomic-exchange-one", "float_atomics.comp", 1, {
    "0.0": "zeros:8", "0.1": f32([3.0] * 64), "0.2": "zeros:8", "0.3": "zeros:256"}, compare=["0.2"],
    want={"0.0": f32([0, 3.0])})
case("float-atomic-min-max", "float_minmax.comp", 4, {"0.0": "zeros:8", "0.1": f32(WHOLE), "0.2": "zeros:32"},
     lavapipe=False, want={
         "0.0": f32([min(WHOLE), max(WHOLE)]),
         "0.2": f32(v for i in range(0, 256, 64) for v in (min(WHOLE[i:i + 64]), max(WHOLE[i:i + 64])))})
for seed in range(1, 9):
    case(f"random-{seed}", f"random:{seed}", 3, {"0.0": "zeros:6912", "0.1": f"rand:{seed}:1536:u32"},
         own=["--subgroup-size", 32 if seed % 2 else 64])

# SPDX-License-Identifier: MIT
"""How data come to shaders: matrices of all shapes and orders, small push constants, sets with gaps, arrays of texel buffers, whole structs,
entry points, HLSL. What must come out is computed here."""
from table import *  # noqa: F401,F403


def vector_bytes(n, std140):
    return 16 if std140 or n > 2 else 8


def matrix(columns, by_rows, std140):
    """A matrix, as a list of its columns, in memory."""
    lines = [list(row) for row in zip(*columns)] if by_rows else columns
    stride = vector_bytes(len(lines[0]), std140)
    return b"".join(f32(line).ljust(stride, b"\0") for line in lines)


def times(columns, vector):
    return [sum(col[r] * x for col, x in zip(columns, vector)) for r in range(len(columns[0]))]


def by(vector, columns):
    return [sum(x * y for x, y in zip(vector, col)) for col in columns]


def shape(ncolumns, nrows):
    """mat_shapes.comp: (push constants, uniform block, buffer; what it writes, the buffer afterwards)"""
    r = rng(ncolumns * 10 + nrows)
    push, ur0, ur1, uc, bc, br = ([[float(r.randrange(-9, 10)) for _ in range(nrows)] for _ in range(ncolumns)] for _ in range(6))
    c, column = [i + 1.0 for i in range(ncolumns)], [3.0 - i for i in range(nrows)]
    out = [x for m in (push, ur1, uc, bc, br) for x in times(m, c)] + [x for m in (push, ur0, bc) for x in by(column, m)]
    out += by(times(br, c), bc) + [5.0 + 7.0 + ur0[1][1]]
    uniform = matrix(ur0, True, True) + matrix(ur1, True, True) + matrix(uc, False, True) + f32([5.0])
    after_br, after_bc = [list(col) for col in bc], [list(col) for col in bc]
    after_bc[1] = ur0[1]
    after_br[1][1] = 99.0
    b = after_bc[0][0] * after_bc[1][1] - after_bc[1][0] * after_bc[0][1] + uc[0][1]

    def buffer(first, second, last):
        data = matrix(first, False, False)
        align = vector_bytes(ncolumns, False)
        data = data.ljust(-(-len(data) // align) * align, b"\0") + matrix(second, True, False) + f32([last])
        return data.ljust(-(-len(data) // 16) * 16, b"\0")
    return matrix(push, True, False), uniform.ljust(-(-len(uniform) // 16) * 16, b"\0"), buffer(bc, br, 7.0), f32(out), buffer(after_bc, after_br, b)


for ncolumns in (2, 3, 4):
    for nrows in (2, 3, 4):
        push_, uniform_, before, out, after = shape(ncolumns, nrows)
        case(f"matrix-{ncolumns}x{nrows}", "mat_shapes.comp", 1, {"0.0": bytes(len(out)), "0.1": uniform_, "0.2": before},
             [f"-DM=mat{ncolumns}x{nrows}", f"-DC=vec{ncolumns}", f"-DR=vec{nrows}", "--push", "hex:" + push_.hex()], want={"0.0": out, "0.2": after})

# int8 -3; uint16 60000; int8 -1, 2, -128; float16 -2.5; int64; uint8 200, 100, 50, at their offsets.
TINY = struct.pack("<bxH3bxe6xq3Bx", -3, 60000, -1, 2, -128, -2.5, -5 << 32 | 7, 200, 100, 50)
case("push-constants-small", "tiny_push.comp", 1, {"0.0": "zeros:32"}, ["--push", "hex:" + TINY.hex()], lavapipe=False,
     want={"0.0": u32([-3, 60000, -2, 7, -5, -1 + 200, 2 + 100, -128 + 50])})
OLD = rand_u32(401, 96)
case("old-blocks", "old_blocks.spvasm", "2,4", {"0.0": "zeros:384", "0.1": u32(OLD)}, ["--entry", "second", "--spec", "0=6", "--spec", "1=3"],
     want={"0.0": u32(OLD[i] * 18 + 6 if i < 78 else 0 for i in range(96))})
SETS = [rand_u32(410 + k, 11) for k in range(4)]
case("sets-with-gaps", "sets.comp", 1, {
    **{place: u32(SETS[k] + [0] * 11) for k, place in enumerate(["1.6", "1.2", "3.1", "3.30"])}, "3.3": struct.pack("<I12xI12xI12x", 9, 7, 0x55aa)},
     want={"1.6": u32(SETS[0] + [x + 9 for x in SETS[1]]), "1.2": u32(SETS[1] + [x * 7 for x in SETS[2]]),
           "3.1": u32(SETS[2] + [x ^ 0x55aa for x in SETS[3]]), "3.30": u32(SETS[3] + SETS[0])})

FROM = [[v & 255 for v in rand_u32(420 + k, 64)] for k in range(3)]


def texels(first):
    """texel_arrays.comp: to[0], to[1], counts[0], counts[1]"""
    to, counts = [[0.0] * 192, [0.0] * 192], [[0] * 8, [0] * 8]
    for i in range(16):
        for k in range(3):
            v = FROM[(first + k) % 3][4 * i:4 * i + 4]
            at = 4 * (i if k < 2 else i + 16)
            to[k & 1][at:at + 4] = [single(single(x / 255) * (k + 1)) for x in v]
            counts[k & 1][i & 3] += v[0] + k
    to[first][188:] = [16.0, 48.0, 8.0, 1.0]
    return [f32(x) for x in to] + [u32(x) for x in counts]


TEXELS = dict(zip(("0.1[0]", "0.1[1]", "0.2[0]", "0.2[1]"), texels(1)))
case("texel-buffer-arrays", "texel_arrays.comp", 1, {
    **{f"0.0[{k}]": "texels:rgba8:values:u8:" + ",".join(map(str, FROM[k])) for k in range(3)},
    "0.1[0]": "texels:rgba32f:zeros:768", "0.1[1]": "texels:rgba32f:zeros:768", "0.2[0]": "texels:r32ui:zeros:32", "0.2[1]": "texels:r32ui:zeros:32"},
     ["--push", "i32:1"], tolerance=["0.1[0]=f32:ulp:1", "0.1[1]=f32:ulp:1"], want=TEXELS)

VOLUME = [[signed(v, 32) for v in rand_u32(430 + k, 4)] for k in range(24)]


def volume():
    """image3d.comp: the mirrored volume, the sums"""
    out, sums = [], [0] * 8
    for i in range(24):
        x, y, z = i % 4, i // 4 % 2, i // 8
        near, whole = VOLUME[i], VOLUME[23 - i]
        out += [near[0] + whole[2], near[1] + whole[3], near[2] ^ whole[0], 2]
        sums[z % 2 + y % 2 * 2 + x % 2 * 4] ^= near[3]
    return u32(out), u32(sums)


case("image-volume", "image3d.comp", 1, {
    "0.0": "image:4x2x3:rgba32i:values:i32:" + ",".join(str(v) for texel in VOLUME for v in texel), "0.1": "sampler:filter=nearest:wrap=clamp",
    "0.2": "image:4x2x3:rgba32i", "0.3": "image:2x2x2:r32ui"}, want=dict(zip(("0.2", "0.3"), volume())))


def packed_t(t, std140):
    """Struct T of copies.comp in memory."""
    f, parts, columns = t
    ins = b"".join(f32(v) + (bytes(4) + b"".join(u32([k]) + bytes(12) for k in ks) if std140 else u32(ks) + bytes(12)) for v, ks in parts)
    return f32([f]) + bytes(12) + ins + b"".join(f32(c) + bytes(4) for c in columns)


r = rng(440)
STRUCTS = [(float(k), [([float(r.randrange(99)) for _ in range(3)], [r.getrandbits(32), r.getrandbits(31)]) for _ in range(2)],
            [[float(r.randrange(99)) for _ in range(3)] for _ in range(2)]) for k in range(3)]


def copied(i):
    f, parts, columns = STRUCTS[2 - i if i < 3 else i - 3]
    if i < 3:
        parts, columns = parts[::-1], [[columns[1][2], columns[1][0], columns[1][1]], columns[1]]
    v, k = parts[i & 1]
    changed = [(v, [k[0], k[1] + i]) if n == (i & 1) else part for n, part in enumerate(parts)]
    return packed_t((f, changed, columns), False)


case("struct-copies", "copies.comp", 1, {"0.0": b"".join(packed_t(t, True) for t in STRUCTS), "0.1": "zeros:672"}, want={"0.1": b"".join(map(copied, range(6)))})


def structured():
    """structured.hlsl: (items that are read, raw buffer, constants; items, raw buffer afterwards)"""
    matrix_ = [[float(q.randrange(-5, 6)) for _ in range(4)] for _ in range(3)]
    s, n = [2.0, 3.0], [1000, 0x40000000]
    from_ = [([float(q.randrange(-9, 10)) for _ in range(3)], q.getrandbits(31)) for _ in range(16)]
    raw = [q.getrandbits(16) << 16 if k == 64 else q.getrandbits(32) for k in range(80)]
    constants = b"".join(f32([row[k] for row in matrix_]) + bytes(4) for k in range(4)) + struct.pack("<f12xf12x2I8x", *s, *n)
    out, items = list(raw), []
    for at in range(16):
        group = at // 8
        p, k = from_[group * 8 + 7 - at % 8]
        items.append((*(sum(m * x for m, x in zip(row, [*p, 1.0])) * s[group] for row in matrix_), max(k, n[1])))
        out[2 * at:2 * at + 2] = [n[0] + sum(k for _, k in from_[group * 8:group * 8 + 8]) & 0xffffffff, k]
        out[64] |= 1 << at
    for group in range(2):
        out[65 + group] = raw[68 + group] + 5
    pack = b"".join(struct.pack("<3fI", *p, k) for p, k in from_)
    return pack, u32(raw), constants, b"".join(struct.pack("<3fI", *i) for i in items), u32(out)


q = rng(450)
ITEMS, RAW, CONSTANTS, ITEMS_AFTER, RAW_AFTER = structured()
case("hlsl", "structured.hlsl", 2, {"0.0": "zeros:256", "0.1": ITEMS, "0.2": RAW, "0.3": CONSTANTS}, want={"0.0": ITEMS_AFTER, "0.2": RAW_AFTER})

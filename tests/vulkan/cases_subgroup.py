# SPDX-License-Identifier: MIT
"""Subgroup operations of every kind, in both wave sizes. lavapipe's subgroups have 8 lanes, so all
expected values are computed here."""
import functools
import operator

from table import *  # noqa: F401,F403

N = 256  # invocations
LIMITS = {"b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "q": 64, "Q": 64}
GLSL = {"b": "int8_t", "B": "uint8_t", "h": "int16_t", "H": "uint16_t", "i": "int", "I": "uint", "q": "int64_t",
        "Q": "uint64_t", "e": "float16_t", "f": "float", "d": "double"}


def wrap(kind, v):
    if kind not in LIMITS:
        return v
    bits = LIMITS[kind]
    v &= (1 << bits) - 1
    return v - (1 << bits) if kind.islower() and v >> (bits - 1) else v


def least(kind):
    return -math.inf if kind not in LIMITS else -(1 << (LIMITS[kind] - 1)) if kind.islower() else 0


def greatest(kind):
    return math.inf if kind not in LIMITS else (1 << (LIMITS[kind] - kind.islower())) - 1


def arith(kind, values, wave, active):
    """Output of sg_arith.comp, packed."""
    ops = [(operator.add, 0), (operator.mul, 1), (min, greatest(kind)), (max, least(kind))]
    if kind in LIMITS:
        ops += [(operator.and_, -1), (operator.or_, 0), (operator.xor, 0)]
    out = []
    for op, identity in ops:
        identity = wrap(kind, identity)
        rows = [[0] * N, [0] * N, [0] * N]
        for base in range(0, N, wave):
            lanes = [i for i in range(base, base + wave) if active(i)]
            total = identity
            for i in lanes:
                rows[2][i] = total
                total = wrap(kind, op(total, values[i]))
                rows[1][i] = total
            for i in lanes:
                rows[0][i] = total
        for row in rows:
            out += row
    return struct.pack(f"<{len(out)}{kind}", *out)


for wave in (32, 64):
    size = ["--subgroup-size", wave, "--full-subgroups"]
    for kind, glsl in GLSL.items():
        r = rng(ord(kind))
        if kind in LIMITS:
            values = [wrap(kind, r.getrandbits(64)) for _ in range(N)]
        else:  # sums and products that are exact in any order
            values = [r.choice([1.0, 2.0, -1.0, 0.5, 1.0, -2.0, 1.0]) for _ in range(N)]
            if kind == "e":
                values = [r.choice([1.0, -1.0, 1.0]) if i % 8 else 0.5 if i % 16 else 2.0 for i in range(N)]
        want = arith(kind, values, wave, lambda i: True) + arith(kind, values, wave, lambda i: i % 3 != 0)
        case(f"subgroup-arithmetic-{glsl}-wave{wave}", "sg_arith.comp", 2,
             {"0.0": f"zeros:{len(want)}", "0.1": struct.pack(f"<{N}{kind}", *values)},
             [*size, f"-DT={glsl}", *(["-DINTEGER"] if kind in LIMITS else [])], lavapipe=False, want={"0.0": want})

    v = rand_u32(40, N)
    out = []
    for cluster in (1, 2, 4, 8, 16, 32):
        for op in (operator.add, operator.mul, min, max, operator.and_, operator.or_, operator.xor):
            out += [functools.reduce(op, v[i - i % cluster:i - i % cluster + cluster]) for i in range(N)]
    case(f"subgroup-clustered-wave{wave}", "sg_clustered.comp", 2, {"0.0": f"zeros:{4 * len(out)}", "0.1": u32(v)},
         size, lavapipe=False, want={"0.0": u32(out)})

    out = []
    rows = [[] for _ in range(7)]
    for i in range(N):
        base, lane = i - i % wave, i % wave
        group = v[base:base + wave]
        ballot = sum((x & 1) << k for k, x in enumerate(group))
        below = (1 << lane) - 1
        ones = (1 << wave) - 1

        def split(mask):
            return [mask & 0xffffffff, mask >> 32]

        rows[0] += [*split(ballot), 0, 0]
        rows[1] += [ballot >> lane & 1, ballot >> v[i] % wave & 1, bin(ballot).count("1"),
                    bin(ballot & (below << 1 | 1)).count("1")]
        lsb = ballot | 1 << 31
        rows[2] += [bin(ballot & below).count("1"), (lsb & -lsb).bit_length() - 1, (ballot | 1).bit_length() - 1, group[5]]
        rows[3] += [*split(1 << lane), *split(ones & ~below)]
        rows[4] += [*split(ones & ~(below << 1 | 1)), *split(below << 1 | 1)]
        rows[5] += [*split(below), wave, lane]
        act = [k for k, x in enumerate(group) if x % 5 > 1]
        rows[6] += [*split(sum(1 << k for k in act)), group[act[0]], sum(group[k] > 9 for k in act)] \
            if v[i] % 5 > 1 else [0, 0, 0, 0]
    out = [x for row in rows for x in row]
    case(f"subgroup-ballot-wave{wave}", "sg_ballot.comp", 2, {"0.0": f"zeros:{4 * len(out)}", "0.1": u32(v)}, size,
         lavapipe=False, want={"0.0": u32(out)})

    r = rng(41)
    votes = [r.choice([7, 8, 250]) if i // 32 in (1, 6) else r.choice([9, 12]) if i // 32 == 2 else 20 for i in range(N)]
    out = []
    for i in range(N):
        group = votes[i - i % wave:i - i % wave + wave]
        even = [x for x in group if x % 2 == 0]
        bits = all(x < 200 for x in group) | any(x >= 200 for x in group) << 1 | (len(set(group)) == 1) * 12
        if votes[i] % 2 == 0:
            bits |= all(x < 200 for x in even) << 4 | any(x >= 200 for x in even) << 5 | (len(set(even)) == 1) << 6
        out.append(bits)
    case(f"subgroup-vote-wave{wave}", "sg_vote.comp", 2, {"0.0": f"zeros:{4 * N}", "0.1": u32(votes)}, size,
         lavapipe=False, want={"0.0": u32(out)})

    rows = [[] for _ in range(15)]
    for i in range(N):
        b, lane = i - i % wave, i % wave
        for row, at in zip(rows, [(v[i] >> 8) % wave, wave - 1 - lane, lane ^ 1, lane ^ 7, lane ^ wave // 2, lane - 3,
                                  lane + 5, lane & ~3 | 2, lane ^ 1, lane ^ 2, lane ^ 3, lane ^ 2, (lane * 7 + 3) % wave,
                                  (lane * 7 + 3) % wave, v[i] % wave // 2 * 2]):
            row.append(v[b + at] if 0 <= at < wave else 0)
    rows[11] = [x & 0xffff for x in rows[11]]
    rows[13] = [~x for x in rows[13]]
    out = [x for row in rows for x in row]
    case(f"subgroup-shuffle-quad-wave{wave}", "sg_shuffle.comp", 2, {"0.0": f"zeros:{4 * len(out)}", "0.1": u32(v)}, size,
         lavapipe=False, want={"0.0": u32(out)})

    n = 3 * 192
    out = [i % 192 ^ 1 for i in range(n)] + [i % 192 for i in range(n)] + [192 // wave] * n + [wave] * n
    out += [int(i % 192 % wave == 0) for i in range(n)]
    case(f"subgroup-basic-wave{wave}", "sg_basic.comp", 3, {"0.0": f"zeros:{4 * len(out)}", "0.1": "zeros:4"},
         ["--subgroup-size", wave], lavapipe=False, want={"0.0": u32(out), "0.1": u32([n // wave])})


def kept(wave, v):
    """What sg_kept.comp stores: operations over the lanes that are on, variables of the others as before."""
    out = []
    for base in range(0, 64, wave):
        lanes = range(wave)
        a, b, e = ([v[base + i + at] for i in lanes] for at in (0, 64, 32))
        c, d, f, g = [0] * wave, [4 * i for i in lanes], [0] * wave, list(lanes)
        for i in lanes:
            b[i] ^= i % 6 != 1
        greater = [i for i in lanes if b[i] > e[i]]
        for i in lanes:
            if i in greater:
                f[i] = sum(a[k] for k in greater if k < i) & 0xffffffff
            else:
                d[i] ^= a[i] * 5 & 0xffffffff
        for i in lanes:
            if i % 4 != 1:
                d[i] ^= min(e[k] for k in lanes if k // 4 == i // 4 and k % 4 != 1)
        for i in lanes:
            if i % 3 != 1:
                c[i] = min(d[k] & 255 for k in lanes if k <= i and k % 3 != 1)
            if i % 5 != 1:
                g[i] += functools.reduce(operator.or_, (f[k] for k in lanes if k < i and k % 5 != 1), 0)
                g[i] &= 0xffffffff
        for i in lanes:
            out += [a[i], b[i], c[i], d[i], e[i], f[i], g[i], 1]
    return u32(out)


KEPT = rand_u32(303, 128)
for wave in (32, 64):
    case(f"subgroup-kept-{wave}", "sg_kept.comp", 1, {"0.0": "zeros:2048", "0.1": u32(KEPT)}, ["--subgroup-size", wave],
         lavapipe=False, want={"0.0": kept(wave, KEPT)})

# SPDX-License-Identifier: MIT
"""What ALU instructions of ir3 compute, against Python: python3 ir3_alu.py TOOL [SEED].

Expected values are computed here, from what NIR says of the operation that each instruction is the lowering of (Mesa
src/compiler/nir/nir_opcodes.py): integers exactly, floats in double precision and then rounded, with denormals flushed.
Of category 4 hardware's accuracy is not published: 1 unit in the last place is let pass."""
import math
import random
import struct
import subprocess
import sys

sys.path.insert(0, __file__.rsplit("/", 3)[0])
import tap  # noqa: E402

FIBERS = 64
EDGES = [0, 1, 2, 31, 32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff0000,
         0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x4b000001, 0x3effffff,
         0x477fe000, 0x47800000, 0x33800000, 0x3c00bc00, 0x7c00, 0xfc00, 0x7e00, 0x03ff, 0x0400, 0x3c00, 0xbc00]


def f(bits, half):
    v = struct.unpack("<e" if half else "<f", struct.pack("<H" if half else "<I", bits))[0]
    return math.copysign(0.0, v) if abs(v) < (2 ** -14 if half else 2 ** -126) else v


def bits_of(v, half):
    """Nearest even; a denormal result is a zero of its sign."""
    if v != v:
        return None
    try:
        b = struct.unpack("<H" if half else "<I", struct.pack("<e" if half else "<f", v))[0]
    except OverflowError:
        b = (0x7c00 if half else 0x7f800000) | (0x8000 if half else 0x80000000) * (math.copysign(1, v) < 0)
    top = 0x8000 if half else 0x80000000
    return b & top if b & ~top < (0x400 if half else 0x800000) else b


def is_nan(b, half):
    return (b & 0x7fff) > 0x7c00 if half else (b & 0x7fffffff) > 0x7f800000


def s(v, n):
    v &= (1 << n) - 1
    return v - (1 << n) if v >> n - 1 else v


def lz(v, n):
    return n - v.bit_length() if v else (1 << n) - 1


def rev(v, n):
    return int(format(v, f"0{n}b")[::-1], 2)


def order(a, b):
    return {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b, "eq": a == b, "ne": a != b}


def least(a, b, half, biggest):
    x, y = f(a, half), f(b, half)
    if x != x or y != y:
        return y if x != x else x
    if x == y:  # -0 is below +0.
        neg = math.copysign(1, x) < 0 if not biggest else math.copysign(1, x) > 0
        return x if neg else y
    return max(x, y) if biggest else min(x, y)


def even(v):
    return v if v in (math.inf, -math.inf) or v != v else math.copysign(float(round(v)), v)


def whole(op):
    def fn(v):
        return v if v in (math.inf, -math.inf) or v != v else math.copysign(float(op(v)), v) if op(v) == 0 else float(op(v))
    return fn


def times(x, y):
    return x * y


def floats(half):
    """name -> function of (a, b, c) in bits, giving bits; None: a NaN."""
    def F(op, n=2):
        return lambda *v: bits_of(op(*(f(x, half) for x in v[:n])), half)

    def mad(a, b, c):
        p = bits_of(f(a, half) * f(b, half), half)
        return None if p is None else bits_of(f(p, half) + f(c, half), half)
    one = 0x3c00 if half else 0x3f800000
    top = 0x8000 if half else 0x80000000
    out = {"add.f D, A, B": F(lambda x, y: x + y), "mul.f D, A, B": F(times), "add.f D, A, (neg)B": F(lambda x, y: x - y),
           "mul.f D, (abs)A, B": F(lambda x, y: abs(x) * y), "add.f D, A, (absneg)B": F(lambda x, y: x - abs(y)),
           "min.f D, A, B": lambda a, b, c: bits_of(least(a, b, half, False), half),
           "max.f D, A, B": lambda a, b, c: bits_of(least(a, b, half, True), half),
           "floor.f D, A": F(whole(math.floor), 1), "ceil.f D, A": F(whole(math.ceil), 1),
           "trunc.f D, A": F(whole(math.trunc), 1), "rndne.f D, A": F(even, 1),
           "absneg.f D, (neg)A": lambda a, b, c: a ^ top, "absneg.f D, (abs)A": lambda a, b, c: a & ~top,
           "sign.f D, A": lambda a, b, c: 0 if is_nan(a, half) else a & top if f(a, half) == 0 else a & top | one,
           ("mad.f16" if half else "mad.f32") + " D, A, B, C": mad,
           "(sat)add.f D, A, B": lambda a, b, c: bits_of(
               (lambda v: 0.0 if v != v or v <= 0 else min(v, 1.0))(f(a, half) + f(b, half)), half)}
    for cond in order(0, 0):
        out[f"cmps.f.{cond} D, A, B"] = lambda a, b, c, cond=cond: int(order(f(a, half), f(b, half))[cond])
    return out


def integers(n):
    m, top = (1 << n) - 1, 1 << n - 1
    out = {"add.u D, A, B": lambda a, b, c: a + b, "sub.u D, A, B": lambda a, b, c: a - b,
           "(sat)add.u D, A, B": lambda a, b, c: min(a + b, m), "(sat)sub.u D, A, B": lambda a, b, c: max(a - b, 0),
           "(sat)add.s D, A, B": lambda a, b, c: max(-top, min(s(a, n) + s(b, n), top - 1)),
           "(sat)sub.s D, A, B": lambda a, b, c: max(-top, min(s(a, n) - s(b, n), top - 1)),
           "add.u (ei)D, A, B": lambda a, b, c: a + b >> 1, "add.s (ei)D, A, B": lambda a, b, c: s(a, n) + s(b, n) >> 1,
           "min.u D, A, B": lambda a, b, c: min(a, b), "max.u D, A, B": lambda a, b, c: max(a, b),
           "min.s D, A, B": lambda a, b, c: min(s(a, n), s(b, n)), "max.s D, A, B": lambda a, b, c: max(s(a, n), s(b, n)),
           "absneg.s D, (neg)A": lambda a, b, c: -s(a, n), "absneg.s D, (abs)A": lambda a, b, c: abs(s(a, n)),
           "and.b D, A, B": lambda a, b, c: a & b, "or.b D, A, B": lambda a, b, c: a | b,
           "xor.b D, A, B": lambda a, b, c: a ^ b, "not.b D, A": lambda a, b, c: ~a,
           "and.b D, A, (neg)B": lambda a, b, c: a & ~b,
           "shl.b D, A, B": lambda a, b, c: a << b % n, "shr.b D, A, B": lambda a, b, c: a >> b % n,
           "ashr.b D, A, B": lambda a, b, c: s(a, n) >> b % n, "bfrev.b D, A": lambda a, b, c: rev(a, n),
           "clz.b D, A": lambda a, b, c: lz(a, n), "cbits.b D, A": lambda a, b, c: a.bit_count(),
           "getbit.b D, A, B": lambda a, b, c: a >> b % n & 1,
           "shrm D, A, B, C": lambda a, b, c: b >> a % n & c, "shlm D, A, B, C": lambda a, b, c: b << a % n & c,
           "shrg D, A, B, C": lambda a, b, c: b >> a % n | c, "shlg D, A, B, C": lambda a, b, c: b << a % n | c,
           "andg D, A, B, C": lambda a, b, c: a & b | c,
           f"sel.b{n} D, A, B, C": lambda a, b, c: a if b else c, f"sad.s{n} D, A, B, C": lambda a, b, c: a + b + c}
    for cond in order(0, 0):
        out[f"cmps.u.{cond} D, A, B"] = lambda a, b, c, cond=cond: int(order(a, b)[cond])
        out[f"cmps.s.{cond} D, A, B"] = lambda a, b, c, cond=cond: int(order(s(a, n), s(b, n))[cond])
    return out


def only_full():
    def b4(v):
        return [v >> 8 * i & 255 for i in range(4)]
    return {"mull.u D, A, B": lambda a, b, c: (a & 0xffff) * (b & 0xffff),
            "madsh.m16 D, A, B, C": lambda a, b, c: ((a & 0xffff) * (b >> 16) << 16) + c,
            "mul.u24 D, A, B": lambda a, b, c: (a & 0xffffff) * (b & 0xffffff),
            "mul.s24 D, A, B": lambda a, b, c: s(a, 24) * s(b, 24),
            "mad.u24 D, A, B, C": lambda a, b, c: (a & 0xffffff) * (b & 0xffffff) + c,
            "mad.s24 D, A, B, C": lambda a, b, c: s(a, 24) * s(b, 24) + c,
            "clz.s D, A": lambda a, b, c: lz(a ^ (0xffffffff if a >> 31 else 0), 32),
            "(nop1) dp4acc.unsigned.low D, A, B, C": lambda a, b, c: sum(x * y for x, y in zip(b4(a), b4(b))) + c,
            "(nop1) dp4acc.mixed.low D, A, B, C": lambda a, b, c: sum(s(x, 8) * y for x, y in zip(b4(a), b4(b))) + c,
            "(nop1) dp4acc.mixed.high D, A, B, C": lambda a, b, c: sum(s(x, 8) * s(y, 8) for x, y in zip(b4(a), b4(b))) + c}


def near():
    """Category 4 of singles: functions of a number."""
    def guarded(op):
        def fn(x):
            try:
                return op(x)
            except (ValueError, ZeroDivisionError, OverflowError):
                return None
        return fn
    return {"rcp": guarded(lambda x: 1 / x), "rsq": guarded(lambda x: 1 / math.sqrt(x)), "sqrt": guarded(math.sqrt),
            "log2": guarded(math.log2), "exp2": guarded(lambda x: 2.0 ** x), "sin": guarded(math.sin), "cos": guarded(math.cos)}


SIZE = {"f32": 32, "f16": 16, "u32": 32, "u16": 16, "s32": 32, "s16": 16, "u8": 16}


def conversion(src, dst):
    """Bits to bits."""
    def fn(a, *_):
        if src[0] == "f":
            v = f(a, src == "f16")
            if dst[0] == "f":
                return bits_of(v, dst == "f16")
            n = SIZE[dst]
            low, high = (0, (1 << n) - 1) if dst[0] == "u" else (-(1 << n - 1), (1 << n - 1) - 1)
            return 0 if v != v else high if v >= high else low if v <= low else int(v)
        v = s(a, SIZE[src]) if src[0] == "s" else s(a, 8) if src == "u8" else a
        if dst[0] == "f":
            wide = bits_of(float(v), False) if dst == "f16" and SIZE[src] == 32 else None
            return bits_of(f(wide, False) if wide is not None else float(v), dst == "f16")
        return v & 0xff if dst == "u8" else v
    return fn


def conversions():
    ints = ("u32", "u16", "s32", "s16")
    pairs = [(a, b) for a in ("f32", "f16", *ints) for b in ("f32", "f16", *ints) if a != b]
    pairs += [("u8", "s16"), ("u8", "s32"), ("u16", "u8"), ("u32", "u8")]
    for src, dst in pairs:
        # To nearest even, as (even) says; without it floats become integers toward zero.
        mode = "(even)" if dst[0] == "f" else ""
        yield src, dst, f"cov.{src}{dst} {mode}D, A", conversion(src, dst)


class Tool:
    def __init__(self, path):
        self.p = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, text, half, values):
        flat = " ".join(f"{v:x}" for row in values for v in row)
        self.p.stdin.write(f"{text}\t{'H' if half else 'F'}{flat}\n")
        self.p.stdin.flush()
        answer = self.p.stdout.readline().strip()
        return answer if answer.startswith("!") else [int(v, 16) for v in answer.split()]


def spelled(text, half, dst_half):
    h = "h" if half else ""
    return text.replace("D", f"{'h' if dst_half else ''}{'r8.x' if dst_half else 'r4.x'}").replace(
        "A", f"{h}r0.x").replace("B", f"{h}r0.y").replace("C", f"{h}r0.z")


def inputs(rng, half):
    """Edges with each other, and random numbers."""
    m = 0xffff if half else 0xffffffff
    return [[(rng.choice(EDGES) if rng.random() < 0.5 else rng.getrandbits(32)) & m for _ in range(3)] for _ in range(FIBERS)]


def compare(tool, rng, name, text, half, dst_half, want, float_result, rounds=8):
    why = ""
    for _ in range(rounds):
        values = inputs(rng, half)
        got = tool.run(spelled(text, half, dst_half), half, values)
        if isinstance(got, str):
            return tap.case(name, False, got)
        for v, g in zip(values, got):
            w = want(*v)
            ok = is_nan(g, dst_half) if w is None else g == w & (0xffff if dst_half else 0xffffffff)
            if not ok and not why:
                why = f"{name} of {[hex(x) for x in v]}: got {g:#x}, want {'a NaN' if w is None else hex(w & 0xffffffff)}"
    tap.case(name, why == "", why)


def category4(tool, rng):
    for name, op in near().items():
        values = [[struct.unpack("<I", struct.pack("<f", rng.uniform(0.01, 60.0)))[0], 0, 0] for _ in range(FIBERS)]
        got = tool.run(f"{name} r4.x, r0.x", False, values)
        bad = [(f(v[0], False), f(g, False), op(f(v[0], False))) for v, g in zip(values, got)
               if abs(f(g, False) - op(f(v[0], False))) > abs(op(f(v[0], False))) * 2 ** -23 + 2 ** -149]
        tap.case(name, not bad, bad)
    for name, a, w in (("rcp", 0, 0x7f800000), ("rcp", 0x80000000, 0xff800000), ("rsq", 0, 0x7f800000),
                       ("sqrt", 0x80000000, 0x80000000), ("log2", 0, 0xff800000), ("exp2", 0xff800000, 0),
                       ("rcp", 0x7f800000, 0), ("sin", 0, 0), ("cos", 0, 0x3f800000)):
        got = tool.run(f"{name} r4.x, r0.x", False, [[a, 0, 0]] * FIBERS)
        tap.case(f"{name} of {a:#x}", got[0] == w, f"got {got[0]:#x}, want {w:#x}")


def main():
    tool, rng = Tool(sys.argv[1]), random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 13)
    for half in (False, True):
        bits = 16 if half else 32
        for text, want in floats(half).items():
            compare(tool, rng, f"{text} of {bits}", text, half, half, want, True)
        for text, want in integers(bits).items():
            compare(tool, rng, f"{text} of {bits} ", text, half, half, want, False)
    for text, want in only_full().items():
        compare(tool, rng, text, text, False, False, want, False)
    for src, dst, text, want in conversions():
        compare(tool, rng, text, text, SIZE[src] == 16, SIZE[dst] == 16, want, dst[0] == "f")
    # The conversion that is folded into category 2: the result of the other size.
    compare(tool, rng, "add.u, half of full", "add.u D, A, B", False, True, lambda a, b, c: a + b, False)
    compare(tool, rng, "add.f, half of full", "add.f D, A, B", False, True,
            lambda a, b, c: (lambda w: None if w is None else bits_of(f(w, False), True))(
                bits_of(f(a, False) + f(b, False), False)), True)
    compare(tool, rng, "mul.f, full of half", "mul.f D, A, B", True, False,
            lambda a, b, c: (lambda w: None if w is None else bits_of(f(w, True), False))(
                bits_of(f(a, True) * f(b, True), True)), True)
    category4(tool, rng)
    tap.end()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random expressions, computed by lull and by C: random_c.py TEST_EXPR CC [SEED [COUNT]].

The C compiler gets all of them in one program, with wrapping integers; what C leaves undefined (shifts by too much, a
float that does not fit an integer, division by zero) is not asked. Half-precision floats are computed here.
"""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

exe, cc = sys.argv[1], sys.argv[2].split(";")
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20240611
count = int(sys.argv[4]) if len(sys.argv) > 4 else 1500
rnd = random.Random(seed)

# As tests/expr/stub.h has them.
VARIABLES = """static int8_t c = -100; static uint8_t uc = 200; static int16_t s = -30000; static uint16_t us = 60000;
static int32_t i = -7, zero = 0; static uint32_t u = 4000000000u; static int64_t l = -5000000000;
static uint64_t ul = 18000000000000000000u; static float f = 2.25f, tiny = 1e-40f; static double d = -1e100;"""
WHOLE, REAL = ["c", "uc", "s", "us", "i", "zero", "u", "l", "ul"], ["f", "tiny", "d"]
INT_TYPES = ["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long long", "int8_t", "uint16_t",
             "int32_t", "uint64_t"]


def literal():
    n = rnd.choice([rnd.randrange(4), rnd.randrange(1 << 8), rnd.randrange(1 << 32), rnd.randrange(1 << 63), (1 << 31) - 1, 1 << 31,
                    (1 << 32) - 1, 1 << 32])
    suffix = rnd.choice(["", "", "", "u", "L", "UL", "ll"])
    return f"{hex(n) if rnd.random() < 0.4 else n}{suffix}"


def real_literal():
    return rnd.choice(["0.0", "1.5", "1e3", "0.1f", "3.25f", "1e-3", ".5", "2.f", "0x1.8p3", "123456789.0f", "1e300", "16777217.0f"])


def whole(depth):
    """An expression of integer type."""
    if depth == 0:
        return rnd.choice([rnd.choice(WHOLE), literal(), "'A'"])
    a = whole(depth - 1)
    kind = rnd.randrange(12)
    if kind < 4:
        return f"({a} {rnd.choice(['+', '-', '*', '&', '|', '^'])} {whole(depth - 1)})"
    if kind == 4:
        return f"({a} {rnd.choice('/%')} (({whole(depth - 1)} & 31) + 3))"
    if kind == 5:
        return f"({a} {rnd.choice(['<<', '>>'])} {rnd.choice([str(rnd.randrange(32)), f'({whole(depth - 1)} & 31)'])})"
    if kind == 6:
        operand = rnd.choice([whole, real])(depth - 1)
        return f"({operand} {rnd.choice(['<', '<=', '>', '>=', '==', '!='])} {rnd.choice([whole, real])(depth - 1)})"
    if kind == 7:
        return f"({rnd.choice([a, real(depth - 1)])} {rnd.choice(['&&', '||'])} {rnd.choice([whole, real])(depth - 1)})"
    if kind == 8:
        return f"{rnd.choice(['-', '~', '!', '+'])}({a})"
    if kind == 9:
        return f"({rnd.choice(INT_TYPES)}){a}" if rnd.random() < 0.7 else f"(int)({rnd.choice(['2.9', '-7.5f', '1e3', 'f'])})"
    if kind == 10:
        return f"({rnd.choice([whole, real])(depth - 1)} ? {a} : {whole(depth - 1)})"
    return rnd.choice([f"!{real(depth - 1)}", f"sizeof({a})", f"(zero && 1 / zero) + {a}"])


def real(depth):
    """An expression of floating type, in brackets if it needs them."""
    if depth == 0:
        return rnd.choice([rnd.choice(REAL), real_literal()])
    a = real(depth - 1)
    kind = rnd.randrange(6)
    if kind < 3:
        b = rnd.choice([whole, real])(depth - 1)
        return f"({a} {rnd.choice('+-*/')} {b})" if rnd.random() < 0.5 else f"({b} {rnd.choice('+-*/')} {a})"
    if kind == 3:
        return f"({rnd.choice(['float', 'double'])}){rnd.choice([whole, real])(depth - 1)}"
    if kind == 4:
        return f"(-{a})"
    return f"({rnd.choice([whole, real])(depth - 1)} ? {rnd.choice([whole, real])(depth - 1)} : {a})"


def chain():
    """Integers and operators without brackets: C's grammar says what belongs together."""
    out = []
    for _ in range(rnd.randrange(3, 9)):
        out += [rnd.choice(["", "", "", "-", "~", "!"]) + rnd.choice([rnd.choice(WHOLE), str(rnd.randrange(9))]),
                rnd.choice(["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"])]
    text = " ".join(out[:-1])
    if rnd.random() < 0.3:
        text += f" ? {rnd.choice(WHOLE)} - 1 : {rnd.choice(WHOLE)} ? 2 : {rnd.choice(WHOLE)} | 1"
    return text.replace("+ +", "+").replace("- -", "- 0 -")


def by_c(expressions):
    """'TYPE BITS' of each. Without -frounding-math gcc 12 takes -(double)zero + 0 for -0.0."""
    lines = [f"#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n{VARIABLES}\n"
             "#define T(e) _Generic((e), int: \"i32\", unsigned: \"u32\", long: \"i64\", unsigned long: \"u64\", long long: \"i64\", \\\n"
             "    unsigned long long: \"u64\", float: \"f32\", double: \"f64\", int8_t: \"i8\", uint8_t: \"u8\", int16_t: \"i16\", \\\n"
             "    uint16_t: \"u16\", char: \"i8\")\n"
             "static void show(const char *t, const void *at, size_t n)\n"
             "{ uint64_t v = 0; memcpy(&v, at, n); printf(\"%s %llx\\n\", t, (unsigned long long)v); }\n"]
    for k, e in enumerate(expressions):
        lines.append(f"static void e{k}(void) {{ __typeof__({e}) v = {e}; show(T({e}), &v, sizeof v); }}\n")
    lines.append("int main(void)\n{\n" + "".join(f"e{k}();\n" for k in range(len(expressions))) + "return 0;\n}\n")
    with tempfile.TemporaryDirectory() as work:
        source, program = pathlib.Path(work) / "e.c", pathlib.Path(work) / "e"
        source.write_text("".join(lines))
        subprocess.run([*cc, "-std=gnu17", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-frounding-math", str(source), "-o", str(program)], check=True)
        return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()


def by_lull(expressions):
    return subprocess.run([exe, "-"], input="\n".join(expressions) + "\n", check=True, capture_output=True, text=True).stdout.splitlines()


def is_nan(answer):
    kind, bits = answer.split(" ", 1)
    return kind in ("f32", "f64") and int(bits, 16) << 1 > {"f32": 0xff000000, "f64": 0xffe << 52}[kind]


def compare(name, expressions, want):
    got = by_lull(expressions)
    wrong = [f"{e}: got {g}, want {w}" for e, g, w in zip(expressions, got, want)
             if g != w and not (is_nan(w) and g.split()[0] == w.split()[0] and is_nan(g))]
    case(f"{name}: {len(expressions)} of seed {seed}", len(got) == len(want) == len(expressions) and not wrong,
         f"{len(wrong)} wrong, {len(got)} answers\n" + "\n".join(wrong[:8]))


def half(x):
    """Bits of the nearest half."""
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return 0x7c00 | (0x8000 if x < 0 else 0)


def halves():
    """Conversions to half, and its arithmetic: a double is wide enough for one rounding to be the right one."""
    expressions, want = [], []
    value = lambda bits: struct.unpack("<e", struct.pack("<H", bits))[0]
    for _ in range(count):
        x = rnd.choice([rnd.uniform(-10, 10), rnd.uniform(-70000, 70000), rnd.uniform(-1e-4, 1e-4), rnd.uniform(-1e-7, 1e-7), 65519.9, 65520.0])
        y = rnd.uniform(-300, 300)
        hx, hy = value(half(x)), value(half(y))
        op = rnd.choice("+-*")
        expressions += [f"(f16){x!r}", f"(half){x!r} {op} (f16){y!r}", f"(f64)(f16){x!r}", f"(f16){x!r} < (half){y!r}",
                        f"(f16){int(y)} * 2"]
        want += [f"f16 {half(x):x}", f"f16 {half(eval(f'hx {op} hy')):x}",
                 f"f64 {struct.unpack('<Q', struct.pack('<d', hx))[0]:x}", f"i32 {int(hx < hy)}", f"f16 {half(value(half(int(y))) * 2):x}"]
    keep = [k for k in range(len(want)) if "inf" not in expressions[k] and "nan" not in want[k]]
    compare("halves", [expressions[k] for k in keep], [want[k] for k in keep])


typed = [rnd.choice([whole, real])(rnd.randrange(1, 5)) for _ in range(count)]
compare("typed expressions", typed, by_c(typed))
chains = [chain() for _ in range(count)]
compare("precedence", chains, by_c(chains))
halves()
end()

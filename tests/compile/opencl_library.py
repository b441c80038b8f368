#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of lull's OpenCL C library: doubles against decimal numbers of many digits, vectors, shuffles and
functions of workgroups against Python's.

    opencl_library.py LULL

Limits: OpenCL C 3.0, "Relative Error as ULPs" (full profile, double). Series: Abramowitz and Stegun, 6.1.41, 7.1.5. TAP.
"""
import array
import decimal
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
D = decimal.Decimal
decimal.getcontext().prec = 660  # terms of erf(26) go up to 1e302, and erfc(26) is 1e-304
LEVELS = ("0", "2")


def series(first, next_term):
    """The sum of terms until they no longer count."""
    total, term, k = D(0), first, 0
    while abs(term) > D("1e-640"):
        total, k = total + term, k + 1
        term = next_term(term, k)
    return total


def arctan_of(n):
    return sum(D((-1) ** k) / ((2 * k + 1) * D(n) ** (2 * k + 1)) for k in range(480))


PI = 4 * (4 * arctan_of(5) - arctan_of(239))  # Machin


def erf(x):
    power = [x]

    def term(_, k):
        power[0] *= -x * x / k
        return power[0] / (2 * k + 1)
    return 2 / PI.sqrt() * series(x, term)


def bernoulli(count):
    """B2, B4 ..., by the recurrence over all of them."""
    b = []
    for m in range(2 * count + 1):
        b.append(D(1) if m == 0 else -sum(math.comb(m + 1, k) * b[k] for k in range(m)) / (m + 1))
    return b[2::2]


BERNOULLI = bernoulli(20)


def log_gamma(x):
    """For x > 0: moved to 60 and more, where 20 terms of Stirling's series leave 1e-40."""
    product = D(1)
    while x < 60:
        product, x = product * x, x + 1
    rest = sum(b / (2 * n * (2 * n - 1) * x ** (2 * n - 1)) for n, b in enumerate(BERNOULLI, 1))
    return (x - D("0.5")) * x.ln() - x + (2 * PI).ln() / 2 + rest - product.ln()


def sin_pi(x):
    y = (x - 2 * (x / 2).to_integral_value()) * PI
    return series(y, lambda t, k: -t * y * y / (2 * k * (2 * k + 1)))


def gamma(x):
    return log_gamma(x).exp() if x > 0 else -PI / (x * sin_pi(x)) / log_gamma(-x).exp()


def any_log_gamma(x):
    return log_gamma(x) if x > 0 else (PI / abs(x * sin_pi(x))).ln() - log_gamma(-x)


# function, what it is, units in the last place, arguments. lgamma has no limit in the standard, and near its zeros below 0 ours has none.
DOUBLES = [
    ("erf", erf, 16, [1e-300, 1e-10, -0.25, 0.5, 0.99, 1.01, -2.75, 5.5, 7.0]),
    ("erfc", lambda x: 1 - erf(x), 16, [1e-10, 0.25, 0.49, 0.51, 0.99, 1.5, -0.75, 3.0, 7.3, 13.7, 21.9, 26.4]),
    ("tgamma", gamma, 16, [1e-300, 1e-5, 0.1, 0.4999, 0.5001, 1.4999, 1.5001, 2.5, 3.3, 7.77, 9.999, 10.001, 33.3, 120.7, 171.5, -1e-5, -0.3, -3.0000000001,
                           -10.7, -127.7, -169.9, -170.3, -176.5]),
    ("lgamma", any_log_gamma, 8, [1e-300, 0.2, 0.7, 1 + 1e-9, 1.25, 1.75, 2 + 1e-9, 2.6, 9.9, 10.1, 1234.5, 1e300, -0.5, -3.7, -170.3]),
    ("sinpi", sin_pi, 4, [1e-20, 0.3, 0.5, 0.999999, 1 + 1e-10, -1 - 1e-10, 1e10 + 0.75, 2.0000001]),
    ("cospi", lambda x: sin_pi(x + D("0.5")), 4, [1e-20, 0.3, 0.5 + 1e-10, 0.999999, 1e10 + 0.75, -1.4999999]),
]


def distance(got, want):
    """Units of the last place of a double of the size of want."""
    if not math.isfinite(got):
        return math.inf
    unit = D(2) ** (max(math.frexp(float(want))[1], -1021) - 53)
    return float(abs(D(got) - want) / unit)


def run(folder, source, sizes, *more):
    """What the kernel m of source leaves in its first argument, or None."""
    (folder / "m.cl").write_text(source)
    out = folder / "out"
    out.unlink(missing_ok=True)
    r = subprocess.run([lull, "run", folder / "m.cl", "--arg", f"zeros:{sizes}:out={out}", *more], capture_output=True, text=True, timeout=200)
    case(f"it runs: {' '.join(more)}", r.returncode == 0 and out.exists(), r)
    return out.read_bytes() if r.returncode == 0 and out.exists() else b""


def doubles(folder):
    body, expected = "", []
    for name, reference, limit, arguments in DOUBLES:
        for x in arguments:
            body += f"    o[{len(expected)}] = {name}({x.hex()} * one);\n"
            expected.append((f"{name}({x!r})", reference(D(x)), limit))
    for level in LEVELS:
        data = run(folder, f"kernel void m(global double *o) {{ double one = get_global_size(0);\n{body}}}\n", 8 * len(expected), "-O", level, "--grid", "1")
        for got, (name, want, limit) in zip(array.array("d", data), expected):
            case(f"{name}, -O{level}", distance(got, want) <= limit, (got, float(want), distance(got, want)))


# What is at the ends of the functions: the expression, and the float that it is.
SPECIAL = [("erf(INFINITY)", 1), ("erf(-INFINITY)", -1), ("erfc(INFINITY)", 0), ("erfc(-INFINITY)", 2), ("erf(NAN)", math.nan), ("tgamma(0.0f)", math.inf),
           ("tgamma(-0.0f)", -math.inf), ("tgamma(-3.0f)", math.nan), ("tgamma(INFINITY)", math.inf), ("tgamma(-INFINITY)", math.nan), ("tgamma(36.0f)", math.inf),
           ("lgamma(-2.0f)", math.inf), ("lgamma(-INFINITY)", math.inf), ("lgamma(1.0f)", 0), ("lgamma(2.0f)", 0), ("remquo(1.0f, 0.0f, &e)", math.nan),
           ("remquo(INFINITY, 1.0f, &e)", math.nan), ("remquo(3.0f, INFINITY, &e)", 3), ("(float)nan(5u)", math.nan), ("(float)nan((ushort)5)", math.nan),
           ("remquo(2.5f, 1.0f, &e)", 0.5), ("(remquo(2.5f, 1.0f, &e), (float)e)", 2), ("(remquo(3.5f, 1.0f, &e), (float)e)", 4), ("(remquo(-3.5f, 1.0f, &e), (float)e)", -4),
           ("(remquo(1e30f, 3.0f, &e), (float)e)", math.fmod((int(struct.unpack("f", struct.pack("f", 1e30))[0]) + 1) // 3, 128))]


def special(folder):
    body = "".join(f"    o[{k}] = {text};\n" for k, (text, _) in enumerate(SPECIAL))
    data = run(folder, f"kernel void m(global float *o) {{ int e = 7;\n{body}}}\n", 4 * len(SPECIAL), "--grid", "1")
    for got, (text, want) in zip(array.array("f", data), SPECIAL):
        case(text, math.isnan(got) if math.isnan(want) else got == want, (got, want))


# Functions with a second result: in Python both, and the second one's type (T: as the first).
SECONDS = [("frexp(x, &s)", math.frexp, "int"), ("modf(x, &s)", math.modf, "T"), ("fract(x, &s)", lambda x: (x - math.floor(x), math.floor(x)), "T"),
           ("sincos(x, &s)", lambda x: (math.sin(x), math.cos(x)), "T"), ("remquo(x, (T)1.5f, &s)", lambda x: (math.remainder(x, 1.5), round(x / 1.5)), "int"),
           ("lgamma_r(x, &s)", lambda x: (math.lgamma(x), math.copysign(1, math.gamma(x))), "int")]
ONES = [("acospi(x / 4)", lambda x: math.acos(x / 4) / math.pi), ("asinpi(x / 4)", lambda x: math.asin(x / 4) / math.pi), ("atanpi(x)", lambda x: math.atan(x) / math.pi),
        ("atan2pi(x, (T)2)", lambda x: math.atan2(x, 2) / math.pi), ("erf(x)", math.erf), ("erfc(x)", math.erfc), ("tgamma(x)", math.gamma), ("lgamma(x)", math.lgamma)]
KINDS = [("half", "e", 2 ** -9), ("float", "f", 2 ** -21), ("double", "d", 2 ** -48)]


def vectors(folder):
    """Each function for each type and width, all in floats: at -O0, where nothing is folded."""
    body, expected = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void m(global float *o)\n{\n    float one = get_global_size(0);\n", []
    for kind, _, error in KINDS:
        for n in (2, 3, 4, 8, 16) if kind == "float" else (3, 8):
            xs = [(i - n // 2) * 0.375 + 0.3125 for i in range(n)]
            body += f"    {{\n        {kind}{n} x = ({kind}{n})({', '.join(map(str, xs))}) * ({kind})one, r;\n"
            for text, python, second in SECONDS:
                kind2 = kind if second == "T" else second
                body += f"        {{ {kind2}{n} s; r = {text.replace('(T)', f'({kind}{n})')};\n"
                for i, x in enumerate(xs):
                    body += f"          o[{len(expected)}] = r[{i}]; o[{len(expected) + 1}] = s[{i}];\n"
                    expected += [(f"{kind}{n} {text} of {x}", v, error) for v in python(x)]
                body += "        }\n"
            for text, python in ONES:
                body += f"        r = {text.replace('(T)', f'({kind}{n})')};\n" + "".join(f"        o[{len(expected) + i}] = r[{i}];\n" for i in range(n))
                expected += [(f"{kind}{n} {text} of {x}", python(x), error) for x in xs]
            body += "    }\n"
    data = run(folder, body + "}\n", 4 * len(expected), "-O", "0", "--grid", "1")
    wrong = [(name, got, want) for got, (name, want, error) in zip(array.array("f", data), expected) if not abs(got - want) <= max(abs(want), 2 ** -3) * max(error, 2 ** -22)]
    case(f"{len(expected)} elements of vectors", bool(data) and not wrong, wrong[:8])


SHUFFLED = [("char", "uchar"), ("uchar", "uchar"), ("short", "ushort"), ("ushort", "ushort"), ("int", "uint"), ("uint", "uint"), ("long", "ulong"), ("ulong", "ulong"),
            ("half", "ushort"), ("float", "uint"), ("double", "ulong")]


def shuffles(folder):
    """Masks have bits that do not count. Every type, width in and width out by masks that the compiler knows; some by others."""
    for level, at, widths in (("2", "0", (2, 4, 8, 16)), ("0", "at", (2, 16))):
        body, expected = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void m(global int *o, int at)\n{\n", []
        for kind, mask in SHUFFLED if at == "0" else SHUFFLED[::3]:
            for m in widths:
                first, other = [3 + k for k in range(m)], [40 + k for k in range(m)]
                body += f"    {{\n        {kind}{m} x = ({kind}{m})({', '.join(map(str, first))}), y = ({kind}{m})({', '.join(map(str, other))});\n"
                for n in widths if at == "0" else (4,):
                    picks = [(7 * k + 5 + m) % 61 for k in range(n)]
                    body += f"        {{ {mask}{n} k = ({mask}{n})({', '.join(map(str, picks))}) + ({mask}){at}; {kind}{n} a = shuffle(x, k), b = shuffle2(x, y, k);\n"
                    for i, k in enumerate(picks):
                        body += f"          o[{len(expected)}] = a[{i}]; o[{len(expected) + 1}] = b[{i}];\n"
                        expected += [(f"{kind}{n} shuffle of {kind}{m} {k}", first[k % m]), (f"{kind}{n} shuffle2 of {kind}{m} {k}", (first + other)[k % (2 * m)])]
                    body += "        }\n"
                body += "    }\n"
        data = run(folder, body + "}\n", 4 * len(expected), "-O", level, "--grid", "1", "--arg", "i32:0")
        wrong = [(name, got, want) for got, (name, want) in zip(array.array("i", data), expected) if got != want]
        case(f"{len(expected)} elements of shuffles, -O{level}", bool(data) and not wrong, wrong[:8])


WORK = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define ONE(T, k, v) { T x = v; at[k] = (long)work_group_reduce_add(x); at[k + 1] = (long)work_group_reduce_min(x); at[k + 2] = (long)work_group_reduce_max(x); \\
    at[k + 3] = (long)work_group_scan_exclusive_add(x); at[k + 4] = (long)work_group_scan_inclusive_add(x); \\
    at[k + 5] = (long)work_group_scan_inclusive_min(x); at[k + 6] = (long)work_group_scan_inclusive_max(x); \\
    at[k + 7] = (long)work_group_broadcast(x, 5, 1); \\
    T low = work_group_scan_exclusive_min(x), high = work_group_scan_exclusive_max(x); at[k + 8] = i == 0 ? 0 : (long)low; at[k + 9] = i == 0 ? 0 : (long)high; }
kernel void m(global long *o)
{
    long i = get_local_linear_id(), v = (i * 37 + get_group_id(0) * 11) % 101;
    global long *at = o + 73 * (get_group_id(0) * get_local_size(0) * get_local_size(1) + i);
    ONE(int, 0, v - 50) ONE(uint, 10, v) ONE(long, 20, (v - 50) << 40) ONE(ulong, 30, v << 40) ONE(float, 40, v - 50) ONE(double, 50, v - 50) ONE(half, 60, v % 7)
    at[70] = work_group_any(v == 7) * 4 + work_group_any(v == 200) * 2 + work_group_all(v < 101);
    at[71] = work_group_all(i != 77);
    at[72] = work_group_broadcast(v, 3) + 1000 * work_group_broadcast(v, 2, 2, 0);
}
"""


def workgroups(folder):
    """Two workgroups of 24 x 5 work-items: the last wave is not full, in waves of 32 and of 64."""
    items = 120
    for wave, level in (("32", "0"), ("64", "2")):
        data = run(folder, WORK, 8 * 73 * 2 * items, "-O", level, "--wave", wave, "--grid", "48,5", "--block", "24,5")
        got = array.array("q", data)
        wrong = []
        for g in range(2 if data else 0):
            base = [(i * 37 + g * 11) % 101 for i in range(items)]
            kinds = [[v - 50 for v in base], base, [(v - 50) << 40 for v in base], [v << 40 for v in base], [v - 50 for v in base], [v - 50 for v in base], [v % 7 for v in base]]
            for i in range(items):
                want = []
                for v in kinds:
                    want += [sum(v), min(v), max(v), sum(v[:i]), sum(v[:i + 1]), min(v[:i + 1]), max(v[:i + 1]), v[24 + 5], min(v[:i]) if i else 0, max(v[:i]) if i else 0]
                want += [4 * (7 in base) + 1, 0, base[3] + 1000 * base[48 + 2]]
                at = 73 * (g * items + i)
                wrong += [(g, i, k, a, b) for k, (a, b) in enumerate(zip(got[at:at + 73], want)) if a != b]
        case(f"workgroups, waves of {wave}, -O{level}", bool(data) and not wrong, wrong[:8])
    (folder / "c.cl").write_text(WORK)
    r = subprocess.run([lull, "run", folder / "c.cl", "--check", "all", "--grid", "48,5", "--block", "24,5", "--arg", f"zeros:{8 * 73 * 2 * items}"], capture_output=True, text=True, timeout=200)
    case("checks find nothing in functions of workgroups", r.returncode == 0, r)


with tempfile.TemporaryDirectory() as name:
    for part in (doubles, special, vectors, shuffles, workgroups):
        part(pathlib.Path(name))
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of lull's OpenCL C library against Python's, which computes in doubles, in units in the last place.

    opencl_math.py LULL

Limits: OpenCL C 3.0, "Relative Error as ULPs" (full profile, float). TAP.
"""
import array
import fractions
import math
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
N = 512


def fract(x):
    return min(x - math.floor(x), float.fromhex("0x1.fffffep-1"))


def quotient(x, y):
    """The lowest 7 bits of the nearest integer to x / y, of two as near the even one, with its sign."""
    n = round(fractions.Fraction(x) / fractions.Fraction(y))
    return math.copysign(abs(n) & 127, n)


# expression of x and y, with r and e for second results; what it is; units in the last place.
ROWS = [
    ("sin(x)", lambda x, y: math.sin(x), 4),
    ("cos(x)", lambda x, y: math.cos(x), 4),
    ("sincos(x, &r)", lambda x, y: math.sin(x), 4),
    ("(sincos(x, &r), r)", lambda x, y: math.cos(x), 4),
    ("(o[0] = sincos(x, &t[get_local_id(0)]), t[get_local_id(0)])", lambda x, y: math.cos(x), 4),
    ("sin(x) + 2 * cos(x)", lambda x, y: math.sin(x) + 2 * math.cos(x), None),
    ("tan(x)", lambda x, y: math.tan(x), 5),
    ("exp(x)", lambda x, y: math.exp(x), 3),
    ("log(y)", lambda x, y: math.log(y), 3),
    ("pow(y, x)", lambda x, y: math.pow(y, x), 16),
    ("powr(y, x)", lambda x, y: math.pow(y, x), 16),
    ("atan2(x, y)", lambda x, y: math.atan2(x, y), 6),
    ("hypot(x, y)", lambda x, y: math.hypot(x, y), 4),
    ("frexp(x, &e)", lambda x, y: math.frexp(x)[0], 0),
    ("(frexp(x, &e), (float)e)", lambda x, y: math.frexp(x)[1], 0),
    ("modf(x, &r)", lambda x, y: math.modf(x)[0], 0),
    ("(modf(x, &r), r)", lambda x, y: math.modf(x)[1], 0),
    ("fract(x, &r)", lambda x, y: fract(x), 0),
    ("tanh(x)", lambda x, y: math.tanh(x), 5),
    ("erf(x / 8)", lambda x, y: math.erf(x / 8), 16),
    ("erfc(x / 8)", lambda x, y: math.erfc(x / 8), 16),
    ("erfc(y)", lambda x, y: math.erfc(y), 16),
    ("tgamma(x)", lambda x, y: math.gamma(x), 16),
    ("tgamma(y)", lambda x, y: math.gamma(y), 16),
    ("lgamma(x)", lambda x, y: math.lgamma(x), 4),
    ("lgamma(y * 64)", lambda x, y: math.lgamma(y * 64), 4),
    ("(lgamma_r(x, &e), (float)e)", lambda x, y: math.copysign(1, math.gamma(x)), 0),
    ("remquo(x, y, &e)", math.remainder, 0),
    ("(remquo(x, y, &e), (float)e)", quotient, 0),
    ("asinpi(x / 64)", lambda x, y: math.asin(x / 64) / math.pi, 5),
    ("acospi(x / 64)", lambda x, y: math.acos(x / 64) / math.pi, 5),
    ("atanpi(x)", lambda x, y: math.atan(x) / math.pi, 5),
    ("atan2pi(x, y)", lambda x, y: math.atan2(x, y) / math.pi, 6),
    ("cbrt(x)", lambda x, y: math.copysign(abs(x) ** (1 / 3), x), 2),
]


def single(x):
    return array.array("f", [x])[0]


def ulps(got, want):
    """How many floats of want's size @got is from it."""
    return abs(got - want) / 2.0 ** (max(math.frexp(want)[1], -125) - 24) if want != 0 else 0 if got == 0 else math.inf


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    xs = array.array("f", [single((i - N / 2 + 0.375) * 0.0625 * (1 + i % 3)) for i in range(N)])
    ys = array.array("f", [single(0.01 + (i * 37 % N) * 0.0371) for i in range(N)])
    (folder / "x").write_bytes(xs.tobytes())
    (folder / "y").write_bytes(ys.tobytes())
    body = "".join(f"    o[{1 + k} * {N} + i] = {row[0]};\n" for k, row in enumerate(ROWS))
    (folder / "m.cl").write_text(f"kernel void m(global float *o, global const float *xs, global const float *ys, local float *t)\n{{\n"
                                 f"    int i = get_global_id(0), e = 0;\n    float x = xs[i], y = ys[i], r = 0;\n{body}}}\n")
    for level in ("0", "2"):
        out = folder / "out"
        out.unlink(missing_ok=True)
        r = subprocess.run([lull, "run", folder / "m.cl", "-O", level, "--grid", str(N), "--arg", f"zeros:{4 * N * (1 + len(ROWS))}:out={out}", "--arg", f"buffer:{folder / 'x'}",
                            "--arg", f"buffer:{folder / 'y'}", "--arg", "local:256"], capture_output=True, text=True, timeout=200)
        got = array.array("f", out.read_bytes()) if out.exists() else []
        case(f"it runs, -O{level}", r.returncode == 0 and len(got) == N * (1 + len(ROWS)), (r, len(got)))
        for k, (text, want, limit) in enumerate(ROWS if got else ()):
            values = got[(1 + k) * N:(2 + k) * N]
            if limit is None:  # A sum that may come near 0.
                worst = max((abs(v - want(x, y)) * 2 ** 20, x, y, v) for v, x, y in zip(values, xs, ys))
                case(f"{text}, -O{level}", worst[0] <= 1, worst)
                continue
            worst = max((ulps(v, want(x, y)), x, y, v) for v, x, y in zip(values, xs, ys) if abs(want(x, y)) < 3e38)
            case(f"{text}, -O{level}", worst[0] <= limit + 0.5, worst)
end()

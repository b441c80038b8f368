# SPDX-License-Identifier: MIT
"""Of bugs.py: divisions by 0, of each width, in OpenCL C and in shaders, and overflows. check(PATH, ARGUMENTS, ...) is its own."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case  # noqa: E402


def divisions(check, folder):
    """Each width of division, uniform and not, in values, branches and addresses; and what is guarded."""
    head = "kernel void k(global T *out, global const T *x, T n) { int i = get_global_id(0); "
    told = {"x[i] / n": "stores", "n % x[i]": "stores", "n / x[i] + 1 > 3 ? 5 : 6": "stores"}
    silent = ["x[i] != 0 ? n / x[i] : 1", "x[i] != 0 && n % x[i] > 3 ? 1 : 2", "x[i] / (n | 1)", "(x[i] == 0) | (n / (x[i] + (x[i] == 0)) > 2)"]
    for kind, bits, given in (("char", 8, "i8"), ("short", 16, "i16"), ("uint", 32, "u32"), ("int", 32, "i32"), ("ulong", 64, "u64"), ("long", 64, "i64")):
        args = f"--grid 64 --block 64 --arg zeros:512 --arg zeros:{8 * bits} --arg {given}:0"
        for expression in [*told, *silent]:
            path = folder / "division.cl"
            path.write_text((head + f"out[i] = {expression}; }}\n").replace("T ", kind + " "))
            status, found, err = check(path, args, "--check", "divzero")
            does = [f["sites"][1]["does"].split()[0] for f in found["divzero"]]
            want = [told[expression]] if expression in told else []
            case(f"{kind}: {expression}", does == want and status == bool(want), (status, found, err))
    # At -O0, where the compiler marks divisions: one that is not used is silent, and so is what looks as one.
    told |= {"n / x[i]; out[(uint)out[i] & 63] = n": "stores", "(T)((int4)(7) / (int4)(x[i], 1, 2, 3)).x": "stores"}
    silent += ["1; T q = n / x[i]; out[i] = x[i] != 0 ? q : 1", "1; T q = 5 / (x[i] | 1); out[i] = native_recip((float)x[i]) > 2 ? q : 2"]
    for kind, bits, given in (("char", 8, "i8"), ("uchar", 8, "u8"), ("short", 16, "i16"), ("uint", 32, "u32"), ("int", 32, "i32"), ("ulong", 64, "u64"), ("long", 64, "i64")):
        args = f"--grid 64 --block 64 --arg zeros:512 --arg zeros:{8 * bits} --arg {given}:0"
        for expression in [*told, *silent]:
            path.write_text((head + f"out[i] = {expression}; }}\n").replace("T ", kind + " ").replace("(T)", f"({kind})"))
            status, found, err = check(path, args, "-O0", "--check", "divzero")
            does = [[s["does"].split()[0] for s in f["sites"]] for f in found["divzero"]]
            want = [["divides", told[expression]]] if expression in told else []
            case(f"-O0, {kind}: {expression}", does == want and status == bool(want), (status, found, err))
    path.write_text("kernel void k(global int *out, global const int *x, int low) { int i = get_global_id(0); out[i] = low / (x[i] - 1); }\n")
    got = check(path, f"--grid 64 --block 64 --arg zeros:256 --arg iota:64:i32 --arg i32:{-1 << 31}", "-O0", "--check", "divzero,overflow")
    case("by 0 in one lane, and too large in another", [f["sites"][0]["does"] for c in ("divzero", "overflow") for f in got[1][c]] ==
         ["divides by 0", f"computes {-1 << 31} / -1, which an int cannot hold"] and got[1]["divzero"][0]["sites"][0]["lane"] == 1, got)
    path.write_text(path.read_text().replace("x[i] - 1", "x[i]"))
    got = check(path, f"--grid 64 --block 64 --arg zeros:256 --arg iota:64:i32 --arg i32:{-1 << 31}", "-O0", "--check", "all")
    case("by 0 is no overflow", [len(got[1][c]) for c in ("divzero", "overflow")] == [1, 0], got)
    for body, does in (("out[(uint)n / (uint)x[i] & 63] = i;", "takes"), ("if (n % x[i] > 3) out[i] = 1;", "branches")):
        path.write_text((head + body + " }\n").replace("T ", "int "))
        got = check(path, "--grid 64 --block 64 --arg zeros:256 --arg iota:64:i32 --arg i32:5", "--check", "divzero")
        case(body, [f["sites"][1]["does"].split()[0] for f in got[1]["divzero"]] == [does], got)

    wide_divisions(check, folder, WIDE, {kind: ("--subgroup-size", size) for kind, size in (("uint64_t", 32), ("int64_t", 64), ("u64vec2", 64), ("i64vec3", 32))})


WIDE_HEAD = ("#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer A { T o[]; };\n"
             "layout(set = 0, binding = 1) buffer B { T x[]; };\nlayout(push_constant) uniform P { int64_t p; };\nvoid main()\n{\n    uint i = gl_LocalInvocationIndex;\n    T n = T(p);\n")
# Of 64 bits in shaders, where n and each x is 0: what is told of it. Drivers make some hundred instructions of each.
WIDE = {
    "o[i] = x[i] / n;": "stores", "o[i] = n % x[i];": "stores", "o[i] = n / x[i] == T(3) ? T(5) : T(6);": "stores", "o[uint((n / x[i]).x) & 63] = n;": "takes",
    "if (n % x[i] == T(3)) o[i] = n;": "branches",
    "o[i] = x[i] == T(0) ? T(1) : n / x[i];": None, "T q = n / x[i];\n    o[i] = mix(T(1), q, notEqual(x[i], T(0)));": None, "o[i] = x[i] / (n | T(1));": None,
    "o[i] = (T(7) - x[i]) / (x[i] + T(1 << 20) * T(1 << 20));": None,  # All of the divisor is in its upper half.
}


def wide_divisions(check, folder, bodies, ways):
    path, line = folder / "wide.comp", WIDE_HEAD.count("\n") + 1
    for kind, way in ways.items():
        for body, does in list(bodies.items())[1 if "vec" in kind else 0:: 2 if "vec" in kind else 1]:
            body = body if "vec" in kind else body.replace("(n / x[i]).x", "n / x[i]").replace("notEqual(x[i], T(0))", "x[i] != T(0)")
            path.write_text((WIDE_HEAD + f"    {body}\n}}\n").replace("T ", kind + " ").replace("T(", kind + "("))
            status, found, err = check(path, "--groups 1 --bind 0.0=zeros:2048 --bind 0.1=zeros:2048 --push i64:0", *way, "--check", "divzero" if does else "all")
            sites = [[(s["does"].split()[0], s.get("line")) for s in f["sites"]] for f in found["divzero"]]
            lines = (line,) if "--gpu" not in way and "vec" not in kind else (line, None)  # Their code may be too long to be compiled once for each change.
            right = not sites if does is None else len(sites) == 1 and [d for d, _ in sites[0]] == ["divides", does] and sites[0][0][1] in lines
            case(f"{kind} {' '.join(map(str, way))}: {' '.join(body.split())}", right and status == bool(does) and not any(f for c, f in found.items() if c != "divzero"), (status, found, err))


def overflows(check, folder, bugs):
    """Each operation on int and long, at its limits; what is unsigned, or narrower than int, wraps around silently."""
    path = folder / "operations.cl"
    for kind, bits in (("int", 32), ("long", 64)):
        low, high, name = -(1 << bits - 1), (1 << bits - 1) - 1, ("an int" if bits == 32 else "a long")
        lines = {"high + one": f"{high} + 1", "low - one": f"{low} - 1", "high * -two": f"{high} * -2", "low / -one": f"{low} / -1", "-low": f"-({low})"}
        quiet = ["high - one", "low + one", "low / one", "-high", f"(u{kind})high + one", f"(u{kind})high * 3", "(short)((short)high + (short)high)", "high >> 1"]
        path.write_text(f"kernel void k(global {kind} *out, {kind} low, {kind} high, {kind} one, {kind} two) {{\n" +
                        "".join(f"out[{n}] = {e};\n" for n, e in enumerate([*lines, *quiet])) + "}\n")
        args = "--grid 1 --block 1 --arg zeros:512 " + " ".join(f"--arg i{bits}:{v}" for v in (low, high, 1, 2))
        for more in (("-O0",), ("-O2", "--wave", 64)):
            got = check(path, args, *more, "--check", "overflow")
            told = {f["sites"][0]["line"] - 2: f["sites"][0]["does"] for f in got[1].get("overflow", [])}
            want = {n: f"computes {text}, which {name} cannot hold" for n, text in enumerate(lines.values())}
            case(f"{kind} {' '.join(map(str, more))}: what overflows", got[0] == 1 and told == want, (want, told, got))
        got = check(path, args.replace(f"i{bits}:{high}", f"i{bits}:5").replace(f"i{bits}:{low}", f"i{bits}:-5"), "--check", "overflow")
        case(f"{kind}: small numbers", got[:2] == (0, {"overflow": []}), got)
    got = check(bugs.parent / "simple.s", "--grid 32", "--check", "overflow")
    case("assembly cannot say it", got[0] != 0 and "overflow is for OpenCL C" in got[2], got)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variables of a program in lull debug: variables.py LULL DIRECTORY-OF-THIS. One TAP line a case.

What each variable holds is computed here from the source, with C's types.
"""
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

lull, here = sys.argv[1], pathlib.Path(sys.argv[2])
LANES = range(32)
ARGS = ["--grid", "64", "--block", "32", "--arg", "zeros:256:name=buffer", "--arg", "iota:8:i32:name=table", "--arg", "i32:77",
        "--arg", "hex:0000803f000000400000404000008040"]


def debug(commands, program="variables.cl", args=ARGS, more=(), status=0):
    """What each command says, as JSON; of one that fails its message."""
    line = [lull, "debug", str(here / program), *args, *more, "-batch", "--json"]
    with tempfile.NamedTemporaryFile("w", suffix=".lull") as script:
        script.write("\n".join(commands) + "\n")
        script.flush()
        r = subprocess.run([*line, "-x", script.name], capture_output=True, text=True, timeout=200)
    if r.returncode != status:
        raise AssertionError(f"status {r.returncode}, want {status}: {r.stdout[-300:]} {r.stderr}")
    return [json.loads(l) for l in r.stdout.splitlines()]


def bits_of(v, code):
    if code in ("f", "d", "e"):
        return struct.unpack({"f": "<I", "d": "<Q", "e": "<H"}[code], struct.pack("<" + code, v))[0]
    return v & (1 << 8 * struct.calcsize("<" + code)) - 1


def numbers(reply):
    """What a reply says of each lane, as bits; one number goes with all."""
    if "value" in reply:
        return [int(reply["value"], 16)] * len(LANES)
    return [None if v is None else int(v, 16) for v in reply["lanes"]]


f32 = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]

# Behind line 37, in the first workgroup: the type, its code in Python's struct, what lane i has.
BEFORE_LOOP = [
    ("i", "int", "i", lambda i: i), ("s", "short", "h", lambda i: -i), ("big", "ulong", "Q", lambda i: i << 33),
    ("acc", "float", "f", lambda i: 0.5 * i), ("d", "double", "d", lambda i: 2.5 * i), ("h", "half", "e", lambda i: float(i)),
    ("odd", "bool", "B", lambda i: i & 1), ("c", "char", "b", lambda i: ord("a") + i % 26),
    ("col", "enum color", "I", lambda i: 6 if i else 0), ("n", "int", "i", lambda i: 77),
    ("b.f", "float", "f", lambda i: 0.5 * i), ("b.u", "uint", "I", lambda i: bits_of(0.5 * i, "f")),
    ("arr[0]", "int", "i", lambda i: i), ("arr[3]", "int", "i", lambda i: 4 * i), ("arr[i & 3]", "int", "i", lambda i: i * ((i & 3) + 1)),
    ("nd.id", "int", "i", lambda i: i), ("nd.pts[0].x", "float", "f", lambda i: i), ("nd.pts[0].y", "float", "f", lambda i: 1),
    ("nd.pts[1].y", "float", "f", lambda i: i), ("nd.tag", "uchar", "B", lambda i: 7),
    ("np->pts[1].y", "float", "f", lambda i: i), ("np->next->next->id", "int", "i", lambda i: i), ("(*np).id", "int", "i", lambda i: i),
    ("m[0][2]", "int", "i", lambda i: 3), ("m[1][0]", "int", "i", lambda i: i), ("*(m[1] + 2)", "int", "i", lambda i: 6),
    ("vec.x", "float", "f", lambda i: 1), ("vec.w", "float", "f", lambda i: 4), ("vec.s2", "float", "f", lambda i: 3), ("vec[1]", "float", "f", lambda i: 2),
    ("vec.zw.y", "float", "f", lambda i: 4), ("vec.wzyx[i & 3]", "float", "f", lambda i: 4 - (i & 3)), ("sizeof vec.s031", None, "Q", lambda i: 12),
    ("*lp", "int", "i", lambda i: 100 + i), ("lp[1] * (i < 31)", None, "i", lambda i: (101 + i) * (i < 31)),
    ("*table", "int", "i", lambda i: 0), ("table[i & 7]", "int", "i", lambda i: i & 7), ("*&i", "int", "i", lambda i: i),
    ("i * 2 + n", None, "i", lambda i: 2 * i + 77), ("acc * 2", None, "f", lambda i: i), ("i == 7 ? acc : -1", None, "f", lambda i: 3.5 if i == 7 else -1),
    ("sum", "float", "f", lambda i: 4.5), ("tile[5]", "int", "i", lambda i: 105), ("tile[i]", "int", "i", lambda i: 100 + i),
    ("sizeof nd", None, "Q", lambda i: 48), ("sizeof nd.pts", None, "Q", lambda i: 24), ("sizeof *np", None, "Q", lambda i: 48),
    ("((node *)np)->id", "int", "i", lambda i: i), ("((struct node *)np)->next->tag", "uchar", "B", lambda i: 7), ("(enum color)6", "enum color", "I", lambda i: 6),
    ("((point *)nd.pts)[1].y", "float", "f", lambda i: i), ("((point)nd.pts[1]).x", "float", "f", lambda i: 2), ("((float4)arr).y", "float", "i", lambda i: 2 * i),
    ("({point}&nd.pts[2]).y", "float", "f", lambda i: 3), ("sizeof(node)", None, "Q", lambda i: 48), ("sizeof(bits)", None, "Q", lambda i: 4),
    ("((local bits *)lp)->u", "uint", "I", lambda i: 100 + i), ("$lane * 2 + n", None, "i", lambda i: 2 * i + 77),
    ("&arr[2] - arr", None, "q", lambda i: 2), ("*(arr + 2)", "int", "i", lambda i: 3 * i),
]


# What LLVM 19 still loses at -Og, or moves behind the line.
LOST = ("b.f", "b.u", "sum", "arr[i & 3]")
NO_ADDRESS = ("&arr[2] - arr", "*(arr + 2)", "*(m[1] + 2)", "*&i")  # what is in registers has none
KEPT = [e for e in BEFORE_LOOP if e[0] not in LOST + NO_ADDRESS and not e[0].startswith(("((float4)", "((point)", "({point}", "((point *)"))]


def before_loop():
    r = debug(["break variables.cl:40", "run", *[f"print {e[0]}" for e in BEFORE_LOOP]])[2:]
    for (expr, name, code, of), reply in zip(BEFORE_LOOP, r):
        want = [bits_of(of(i), code) for i in LANES]
        got = numbers(reply)
        tap.case(f"print {expr}", got == want and name in (None, reply["type"]),
                 f"got {got} of type {reply['type']}, want {want} of type {name}")


def locals_and_args():
    r = debug(["break variables.cl:40", "run", "info locals", "info args", "print nd", "print m"])
    names = [v["name"] for v in r[2]["variables"]]
    want = ["k", "tile", "sum", "i", "s", "big", "acc", "d", "h", "odd", "c", "col", "b", "arr", "nd", "np", "m", "lp", "r"]
    tap.case("info locals: every name once, inner ones first", names == want, names)
    by_name = {v["name"]: v for v in r[2]["variables"]}
    tap.case("info locals: values", numbers(by_name["i"]) == list(LANES) and by_name["r"]["set_at_line"] == 44, by_name["i"])
    tap.case("info args", [v["name"] for v in r[3]["variables"]] == ["out", "table", "n", "vec"], r[3])
    tap.case("info args: n", numbers(r[3]["variables"][2]) == [77] * 32, r[3]["variables"][2])
    pts = r[4]["members"][1]["elements"]
    got = [numbers(p["members"][1]) for p in pts]
    tap.case("print of a struct with an array of structs", got == [[bits_of(1, "f")] * 32, [bits_of(i, "f") for i in LANES], [bits_of(3, "f")] * 32]
             and [m["name"] for m in r[4]["members"]] == ["id", "pts", "next", "tag"], r[4])
    rows = [[numbers(e) for e in row["elements"]] for row in r[5]["elements"]]
    tap.case("print of an array of arrays", rows == [[[1] * 32, [2] * 32, [3] * 32], [list(LANES), [5] * 32, [6] * 32]], r[5])


def texts():
    r = debug(["break variables.cl:40", "run", "print i", "print n", "print s", "print col", "print/x n", "print b", "print odd[3]"])[2:]
    want = ["i = 0…31\n", "n = 77\n", "s = 0, -1…-31\n", "col = [0] RED [1-31] BLUE\n", None, None, "odd[3] = true\n"]
    for w, reply in zip(want, r):
        tap.case(f"text of print {reply['expression']}", w is None or reply["text"] == w, reply["text"])


def in_loop():
    """acc and scaled at each turn, with a condition that one lane makes true."""
    r = debug(["break variables.cl:42 if i == 7", "run", "print acc", "print scaled", "print k", "info waves", "continue", "print acc", "print scaled",
               "continue", "print acc", "print scaled", "focus"])
    acc = [f32(0.5 * i) for i in LANES]
    for k, at in enumerate((2, 7, 10)):
        scaled = [f32(a * k) for a in acc]
        tap.case(f"acc and scaled in turn {k}", numbers(r[at]) == [bits_of(a, "f") for a in acc] and
                 numbers(r[at + 1]) == [bits_of(x, "f") for x in scaled], (r[at], r[at + 1]))
        acc = [f32(a + x) for a, x in zip(acc, scaled)]
    tap.case("the focus goes to lane 7", r[1]["lane"] == 7 and r[1]["wave"] == 0, r[1])
    r = debug(["break variables.cl:42 if i == 39 && k == 1", "run", "print i[7]", "print k[7]"])
    tap.case("a condition that the second wave makes true", r[1]["wave"] == 1 and r[1]["lane"] == 7 and numbers(r[2])[0] == 39 and
             numbers(r[3])[0] == 1, r[1:])


def set_variables():
    r = debug(["break variables.cl:40", "run", "lane 5", "set var i = 1000", "print i", "set var arr[1][*] = 9", "print arr[1]",
               "set var acc = acc + 1", "print acc", "set var nd.pts[2].x[3] = 2.5", "print nd.pts[2].x", "set var d = -1", "print d", "set var np->tag[6] = 3",
               "print nd.tag", "set s = -2", "print s[5]"])
    got = [numbers(r[i]) for i in (4, 6, 8, 10, 12, 14)]
    tap.case("set var: the focused lane", got[0] == [1000 if i == 5 else i for i in LANES], got[0])
    tap.case("set var: all active lanes", got[1] == [9] * 32, got[1])
    tap.case("set var: a value for each lane", got[2] == [bits_of(0.5 * i + 1, "f") for i in LANES], got[2])
    tap.case("set var: a lane of a member", got[3] == [bits_of(2.5 if i == 3 else 3, "f") for i in LANES], got[3])
    tap.case("set var: a double", got[4] == [bits_of(-1.0 if i == 5 else 2.5 * i, "d") for i in LANES], got[4])
    tap.case("set var through a pointer", got[5] == [3 if i == 6 else 7 for i in LANES], got[5])
    tap.case("set of a variable without var", numbers(r[16])[0] == bits_of(-2, "h"), r[16])


TYPES = [("i", "int", "int"), ("big", "ulong", "unsigned long"), ("nd", "node", "struct node {\n    int id;\n    point pts[3];\n    struct node *next;\n    uchar tag;\n}"),
         ("np", "node *", "struct node {\n    int id;\n    point pts[3];\n    struct node *next;\n    uchar tag;\n} *"),
         ("m", "int[2][3]", "int[2][3]"), ("m[1]", "int[3]", "int[3]"), ("lp", "local int *", "local int *"), ("vec", "float4", "float4"),
         ("col", "enum color", "enum color {\n    RED = 0,\n    GREEN = 5,\n    BLUE = 6,\n}"), ("acc * 2", "f32", "f32"), ("&i", "int *", "int *"),
         ("b", "bits", "union {\n    uint u;\n    float f;\n}"), ("point", "struct {...}", "struct {\n    float x;\n    float y;\n}"), ("uint", "unsigned int", "unsigned int"),
         ("struct node", "struct node", "struct node {\n    int id;\n    point pts[3];\n    struct node *next;\n    uchar tag;\n}")]


def types():
    r = debug(["break variables.cl:40", "run", *[f"{c} {e}" for e, _, _ in TYPES for c in ("whatis", "ptype")]])[2:]
    for k, (e, name, whole) in enumerate(TYPES):
        tap.case(f"whatis {e}", r[2 * k]["type"] == name, r[2 * k])
        tap.case(f"ptype {e}", r[2 * k + 1]["type"] == whole, r[2 * k + 1])


def scope():
    r = debug(["info scope variables.cl:41", "info scope helper"])
    got = [(v["name"], v["type"], v["argument"], v["line"]) for v in r[0]["variables"]]
    tap.case("info scope: names, types, lines, before it runs", got[:3] == [("scaled", "float", False, 41), ("k", "int", False, 40), ("tile", "int[64]", False, 18)] and
             ("vec", "float4", True, 16) in got and ("nd", "node", False, 32) in got, got)
    tap.case("info scope of a function", [(v["name"], v["type"]) for v in r[1]["variables"]] ==
             [("a", "int"), ("q", "private int *"), ("t", "int")], r[1])


def in_function():
    r = debug(["break variables.cl:12", "run", "print a", "print t", "print *q", "info locals", "info args"])
    tap.case("arguments and locals of a function that is called", numbers(r[2]) == list(LANES) and numbers(r[3]) == [3 * i for i in LANES] and
             numbers(r[4]) == [5 * i for i in LANES], r[2:5])
    tap.case("info locals in a function", [v["name"] for v in r[5]["variables"]] == ["t"] and
             [v["name"] for v in r[6]["variables"]] == ["a", "q"], r[5:])


CLANG = "clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -g".split()


def entry(program, function, level):
    """Image offsets: where a function begins (llvm-nm), and its first row with prologue_end (llvm-dwarfdump)."""
    with tempfile.TemporaryDirectory() as t:
        file = pathlib.Path(t) / "a.elf"
        subprocess.run([*CLANG, f"-O{level}", str(here / program), "-o", str(file)], check=True, capture_output=True)
        names = subprocess.run(["llvm-nm-19", "-S", str(file)], check=True, capture_output=True, text=True).stdout.split("\n")
        start, size = next((int(w[0], 16), int(w[1], 16)) for w in map(str.split, names) if len(w) == 4 and w[3] == function)
        rows = subprocess.run(["llvm-dwarfdump-19", "--debug-line", str(file)], check=True, capture_output=True, text=True).stdout.split("\n")
        ends = [int(r.split()[0], 16) for r in rows if r.startswith("0x") and "prologue_end" in r]
    return start, min(e for e in ends if start <= e < start + size)


def prologue():
    for program, function, args, level in (("optimised.cl", "twice", OPTIMISED, 0), ("optimised.cl", "optimised", OPTIMISED, 0)):
        start, end = entry(program, function, level)
        r = debug([f"break {function}", f"break *{function}", "run", "continue"], program, args, ["-O", str(level)])
        at = [int(r[i]["address"], 16) for i in (0, 1)]
        tap.case(f"break {function} at -O{level} stops behind the prologue, break *{function} at the entry",
                 at[0] - at[1] == end - start > 0 and [int(r[i]["pc"], 16) for i in (2, 3)] == [at[1], at[0]], (r, start, end))
    r = debug(["break helper", "run", "print a", "print *q"])
    tap.case("arguments have their values there", numbers(r[2]) == list(LANES) and numbers(r[3]) == [2 * i for i in LANES], r[2:])


def wave64():
    r = debug(["break variables.cl:40", "run", "print i", "print nd.pts[1].y"],
              args=[*ARGS[:2], "--block", "64", *ARGS[4:]], more=["--wave", "64"])
    tap.case("wave64", [int(v, 16) for v in r[2]["lanes"]] == list(range(64)) and
             [int(v, 16) for v in r[3]["lanes"]] == [bits_of(float(i), "f") for i in range(64)], r[2:])


LDS = ["--grid", "32", "--block", "32", "--arg", "zeros:128:name=buffer"]


def work_items():
    args = ["--grid", "16,8,2", "--block", "8,4,2", *ARGS[4:]]
    r = debug(["break variables.cl:40 at gid 9,5,1 if i > 3", "run", *[f"print ${a}_{b}" for b in "xyz" for a in ("gid", "lid", "wg")], "print $gid", "print i"],
              args=args)[1:]
    group, wave = r[0]["workgroup"], r[0]["wave_in_group"]
    thread = [32 * wave + i for i in LANES]
    local = [[t % 8 for t in thread], [t // 8 % 4 for t in thread], [t // 32 for t in thread]]
    want = []
    for axis, size in enumerate((8, 4, 2)):
        want += [[group[axis] * size + x for x in local[axis]], local[axis], [group[axis]] * 32]
    tap.case("$gid $lid $wg of each lane", [numbers(x) for x in r[1:10]] == want and numbers(r[10]) == want[0] == numbers(r[11]), r)
    lane = r[0]["lane"]
    tap.case("break at gid: the focus goes to that work-item", [want[3 * a][lane] for a in range(3)] == [9, 5, 1] and group == [1, 1, 0], r[0])
    r = debug(["break variables.cl:40 at gid 45", "run", "print i[13]", "break variables.cl:20"])
    tap.case("break at gid in the second workgroup", (r[1]["workgroup"], r[1]["lane"], numbers(r[2])[0]) == ([1, 0, 0], 13, 45), r[1:3])
    tap.case("a breakpoint says its line", r[0]["text"].endswith("variables.cl:40\n") and r[3]["text"].endswith("variables.cl:20\n"), (r[0], r[3]))
    r = debug(["break variables.cl:29"])
    tap.case("and that it has moved", r[0]["text"].endswith("variables.cl:30; line 29 has no code\n"), r[0])


def lds():
    args = ["break lds.cl:18", "run", *[f"print {e}" for e in ("a", "b", "s", "d", "c", "z", "a[3]", "b[i & 15]")], "set var a[2] = 77", "print a[2]",
            "set var *(&b[4]) = 5", "print b[4]"]
    r = debug(args, "lds.cl", [*LDS, "--kernel", "many"])[2:]
    flat = lambda reply: [numbers(e)[0] for e in reply["elements"]]
    tap.case("LDS: two arrays of one type", flat(r[0]) == list(range(16)) and flat(r[1]) == [2 * i + 1000 for i in range(16)], r[:2])
    tap.case("LDS: float, double", (numbers(r[2])[0], numbers(r[3])[0]) == (bits_of(4.5, "f"), bits_of(2.5, "d")), r[2:4])
    tap.case("LDS: char, short", flat(r[4]) == [60, 61, 62] and numbers(r[5])[0] == bits_of(-7, "h"), r[4:6])
    tap.case("LDS: elements", numbers(r[6])[0] == 3 and numbers(r[7]) == [2 * (i & 15) + 1000 for i in LANES], r[6:8])
    tap.case("LDS: set var", numbers(r[9])[0] == 77 and numbers(r[11])[0] == 5, r[8:])
    for kernel, line, name in (("one", 27, "pair"), ("gap", 39, "x")):
        command = [lull, "debug", str(here / "lds.cl"), *LDS, "--kernel", kernel, "-batch", "-ex", f"break lds.cl:{line}", "-ex", "run", "-ex", f"print {name}"]
        p = subprocess.run(command, capture_output=True, text=True, timeout=100)
        tap.case(f"LDS whose layout is not sure: {kernel}", p.returncode not in (0, -11, -6) and f"where '{name}' is in LDS is not known" in p.stderr, p.stderr)


OPTIMISED = ["--grid", "32", "--block", "32", "--arg", "zeros:256:name=buffer", "--arg", "iota:8:i32:name=numbers", "--arg", "i32:2"]


def turns():
    """acc in front of each turn of optimised.cl, and behind the last; scaled in each."""
    acc, scaled = [[f32(0.5 * i) for i in LANES]], []
    for k in range(5):
        scaled.append([f32(a * k) for a in acc[-1]])
        acc.append([f32(a + f32(s + k)) for a, s in zip(acc[-1], scaled[-1])])
    return acc, scaled


def optimised(level, steps):
    """At every instruction: what a variable is said to be, it is; and the others are said to be optimised out."""
    acc, scaled = turns()
    r = debug(["break optimised", "run", *["stepi", "info locals", "info args", "backtrace"] * steps], "optimised.cl", OPTIMISED,
              ["-O", level])[2:]
    seen, places, wrong, inlined, last, gone = {}, {}, [], 0, 0, 0
    for k in range(steps):
        frames = r[4 * k + 3]["frames"]
        inlined += len(frames) == 2 and frames[0].get("inlined") == "twice" and frames[1]["line"] == 18
        for v in r[4 * k + 1]["variables"] + r[4 * k + 2]["variables"]:
            gone += "optimised out" in v.get("error", "")
            if "type" not in v:
                continue
            got, name = numbers(v), v["name"]
            seen[name] = seen.get(name, 0) + 1
            if name == "acc":
                at = [n for n in range(last, 6) if got == [bits_of(a, "f") for a in acc[n]]]
                wrong += [] if at else [(k, v)]
                last = at[0] if at else last
            elif name == "scaled":
                same = [n for n in range(5) if acc[n] == acc[last]]  # the first turn adds nothing
                wrong += [] if any(got == [bits_of(s, "f") for s in scaled[n]] for n in same) else [(k, v)]
            elif name == "k":
                wrong += [] if got[0] in (last, last + 1, last + 2 * (last == 0), last - (level == "g")) else [(k, v)]
            elif name in ("i", "limit", "n"):
                wrong += [] if got == [{"i": i, "limit": 5, "n": 2}[name] for i in LANES] else [(k, v)]
            elif name in ("out", "table"):
                places.setdefault(name, got)
                wrong += [] if got == places[name] and got[0] == got[31] and got[0] % 4096 == 0 else [(k, v)]
            elif name in ("a", "r"):
                want = [i + 2 if name == "a" else 2 * (i + 2) + 1 for i in LANES]
                wrong += [] if got == want else [(k, v)]
            else:
                wrong.append((k, v))
    return not wrong and last >= 3, seen, gone, inlined, (wrong[:3], seen, last)


def object_of(work):
    """The code object that lull has clang make: a wrapper in front of clang-19 keeps it."""
    kept, wrapper = work / "kept.co", work / "clang-19"
    wrapper.write_text(f'#!/bin/sh\n{shutil.which("clang-19")} "$@" || exit $?\nfor last; do :; done\ncase "$last" in *.co) cp "$last" {kept};; esac\n')
    wrapper.chmod(0o755)
    subprocess.run([lull, "debug", here / "optimised.cl", *OPTIMISED, "-O", "2", "-batch", "-ex", "info line 1"], capture_output=True, timeout=100,
                   env={**os.environ, "PATH": f"{work}:{os.environ['PATH']}"})
    return kept


def last_places():
    """Where a variable last was: LLVM's list of its places says, in front of where the wave stands."""
    with tempfile.TemporaryDirectory() as d:
        kept = object_of(pathlib.Path(d))
        symbols = subprocess.run(["llvm-nm-19", kept], capture_output=True, text=True, check=True).stdout
        start = next(int(s.split()[0], 16) for s in symbols.splitlines() if s.endswith(" T optimised"))
        dies = subprocess.run(["llvm-dwarfdump-19", "--debug-info", kept], capture_output=True, text=True, check=True).stdout
        table = subprocess.run(["llvm-symbolizer-19", "--obj", kept, "--output-style=JSON", *[hex(start + i) for i in range(0, 0x400, 4)]],
                               capture_output=True, text=True, check=True).stdout
    lines = [row["Symbol"][0]["Line"] if row.get("Symbol") else 0 for row in json.loads(table)]
    ends = {}  # name: ends of its places, in bytes from the kernel's start
    for die in dies.split("\n\n"):
        name = re.search(r'DW_AT_name\s+\("(\w+)"\)', die)
        if name and "DW_TAG_variable" in die:
            ends.setdefault(name[1], []).extend(int(e, 16) - start for e in re.findall(r"\[0x[0-9a-f]+, 0x([0-9a-f]+)\):", die))
    r = debug(["break optimised", "run", *["stepi", "info locals"] * 60], "optimised.cl", OPTIMISED, ["-O", "2"])[2:]
    kernel = next(int(m[1], 16) - int(m[2], 16) for m in [re.search(r"(0x[0-9a-f]+) <optimised\+(0x[0-9a-f]+)>", r[0]["text"])])
    wrong, count = [], 0
    for step, said in zip(r[::2], r[1::2]):
        at = int(step["pc"], 16) - kernel
        for v in said["variables"]:
            m = re.search(r"'(\w+)' is optimised out here; it was last at \S+:(\d+), (0x[0-9a-f]+)", v.get("error", ""))
            if m:
                end = max((e for e in ends.get(m[1], []) if e <= at), default=None)
                count += 1
                if end is None or int(m[3], 16) - kernel != end - 4 or int(m[2]) != lines[(end - 4) // 4]:
                    wrong.append((hex(at), v["error"], ends.get(m[1])))
    tap.case(f"-O2: the last place of what is optimised out, {count} times as LLVM's tools say", not wrong and count > 10, wrong[:3])


def at_o2():
    good, seen, gone, inlined, what = optimised("2", 90)
    tap.case(f"-O2: variables in registers: {sorted(seen.items())}", good and seen.get("acc", 0) > 40 and seen.get("scaled", 0) >= 4, what)
    tap.case("-O2: optimised out is said", gone > 100, gone)
    tap.case("-O2: the inlined function is a frame", inlined > 0, inlined)


def at_og():
    """-Og is code in registers all the same, and knows its variables: here one union and one variable of LDS are lost."""
    good, seen, gone, _, what = optimised("g", 90)
    tap.case(f"-Og: variables in registers: {sorted(seen.items())}", good and seen.get("acc", 0) > 40 and min(seen.get(n, 0) for n in ("i", "limit", "n", "out", "table")) > 60, what)
    r = debug(["break variables.cl:40", "run", *[f"print {e[0]}" for e in KEPT]], more=["-O", "g"])[2:]
    for (expr, name, code, of), reply in zip(KEPT, r):
        want = [bits_of(of(i), code) for i in LANES]
        tap.case(f"-Og: print {expr}", numbers(reply) == want and name in (None, reply["type"]), f"got {reply}, want {want} of type {name}")
    r = debug(["break variables.cl:40", "run", "set var arr[2] = i + 1000", "print arr[2]", "set var vec.y = 9.5", "print vec.y"], more=["-O", "g"])
    tap.case("-Og: set var of parts in registers", numbers(r[3])[0] == 1000 and numbers(r[5])[0] == bits_of(9.5, "f"), r[2:])


def parts(reply, code="f"):
    """Of a vector: for each lane its elements as numbers."""
    rows = [numbers(e) for e in reply.get("elements", [])]
    rows = [r if len(r) == 32 else r * 32 for r in rows]
    return [tuple(struct.unpack(code, struct.pack("<I", x))[0] for x in lane) for lane in zip(*rows)]


def swizzles():
    """What OpenCL C and GLSL say of them (OpenCL C 3.0, 6.3.7): places, and more than one number set at once."""
    for level in ("0", "g"):
        r = debug(["break variables.cl:40", "run", *[f"print vec.{n}" for n in ("xy", "wz", "s13", "hi", "odd", "bgr", "xxw")], "whatis vec.bgr", "ptype vec.xy",
                   "lane 3", "set var vec.wx = {7, 8.5}", "print vec", "set var vec.xy = vec.zw", "print vec", "set var vec.zw = i", "print vec", "set var vec = {i, 1, 2, 3}", "print vec"],
                  more=["-O", level])
        want = [(1, 2), (4, 3), (2, 4), (3, 4), (2, 4), (3, 2, 1), (1, 1, 4)]
        tap.case(f"-O{level}: swizzles", [parts(x) for x in r[2:9]] == [[w] * 32 for w in want], r[2:9])
        tap.case(f"-O{level}: their types", [x["type"] for x in r[9:11]] == ["float3", "float2"], r[9:11])
        first = [(8.5, 2, 3, 7) if i == 3 else (1, 2, 3, 4) for i in LANES]
        tap.case(f"-O{level}: set var of a swizzle in the focused lane", parts(r[13]) == first, r[13])
        second = [v[2:] * 2 for v in first]
        tap.case(f"-O{level}: set var of one by another, lane by lane", parts(r[15]) == second, r[15])
        third = [v[:2] + (i, i) for i, v in enumerate(second)]
        tap.case(f"-O{level}: set var of one by a number", parts(r[17]) == third, r[17])
        tap.case(f"-O{level}: set var of a whole vector: each lane its own, else the focused", parts(r[19]) == [(i, *((1, 2, 3) if i == 3 else third[i][1:])) for i in LANES], r[19])


def lists():
    r = debug(["break variables.cl:40", "run", "set var nd.pts[0] = nd.pts[2]", "print nd.pts[0].x", "print nd.pts[0].y", "lane 5", "set var m = {{7, 8, 9}, {-1, i, 2}}",
               "print m[0][1]", "print m[1][0]", "print m[1][1]", "print nd.pts[1].y"])
    tap.case("set var of a struct", [numbers(x) for x in (r[3], r[4])] == [[bits_of(3, "f")] * 32] * 2, r[3:5])
    want = [[8 if i == 5 else 2 for i in LANES], [0xffffffff if i == 5 else i for i in LANES], [i if i == 5 else 5 for i in LANES]]
    want[2] = list(LANES)
    tap.case("set var of an array by a list of lists", [numbers(x) for x in r[7:10]] == want, (r[7:10], want))
    tap.case("... and nothing else", numbers(r[10]) == [bits_of(i, "f") for i in LANES], r[10])


def at_og_bodies():
    """-Og: every variable of a loop over doubles, at the first line that changes one, in three turns; all of it is IEEE's arithmetic."""
    examples = here.resolve().parent.parent / "examples"
    rng = random.Random(7)
    body = [[rng.random() for _ in range(4)] for _ in range(32)]
    with tempfile.NamedTemporaryFile("wb", suffix=".bin") as f:
        f.write(b"".join(struct.pack("<4d", *b) for b in body))
        f.flush()
        args = ["--grid", "32", "--block", "32", "--arg", "zeros:768:name=acceleration", "--arg", f"buffer:{f.name}:name=bodies", "--arg", "u32:32"]
        r = debug(["break nbody64.cl:20", "run", "info locals", "continue", "info locals", "continue", "info locals"], examples / "nbody64.cl", args, ["-O", "g"])
    total = [[0.0] * 3 for _ in body]
    for j, said in enumerate(r[2::2]):
        want = {n: [] for n in ("i", "j", "dx", "dy", "dz", "r2", "f", "sum")}
        for i in range(32):
            d = [body[j][k] - body[i][k] for k in range(3)]
            r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.0625
            f = body[j][3] / (r2 * math.sqrt(r2))
            for n, v in (("i", i), ("j", j), ("dx", d[0]), ("dy", d[1]), ("dz", d[2]), ("r2", r2), ("f", f), ("sum", list(total[i]))):
                want[n].append(v)
            total[i] = [t + f * x for t, x in zip(total[i], d)]
        got = {v["name"]: v for v in said["variables"]}
        for name, code in (("i", "I"), ("j", "I"), ("dx", "d"), ("dy", "d"), ("dz", "d"), ("r2", "d"), ("f", "d")):
            w = [bits_of(v, code) for v in want[name]]
            tap.case(f"-Og: {name} in turn {j}", "type" in got[name] and numbers(got[name]) == w, (got[name], want[name]))
        parts = [numbers(e) for e in got["sum"].get("elements", [])]
        tap.case(f"-Og: sum in turn {j}", parts == [[bits_of(s[k], "d") for s in want["sum"]] for k in range(3)], (got["sum"], want["sum"]))


def over_inlined():
    """llvm-dwarfdump: behind line 19 comes line 6, which is the inlined function's, then 19 again, and 20, the end."""
    for commands, lines in ((["step", "next"], [6, 19]), (["next"], [20])):
        r = debug(["break optimised.cl:19", "run", *commands], "optimised.cl", OPTIMISED, ["-O", "2"])[1:]
        tap.case(f"-O2: {', '.join(commands)} at an inlined call", [x["line"] for x in r] == [19, *lines], r)


def frames():
    r = debug(["break optimised.cl:5", "run", "up", "print i", "print acc", "info locals", "down", "print a", "print i[0] + 1"][:8],
              "optimised.cl", OPTIMISED)
    want = turns()[0][5]
    tap.case("up: the caller's variables", numbers(r[3]) == list(LANES) and numbers(r[4]) == [bits_of(a, "f") for a in want], r[2:5])
    tap.case("up: info locals", [v["name"] for v in r[5]["variables"]] == ["i", "acc", "limit", "r"], r[5])
    tap.case("down", numbers(r[7]) == [i + 2 for i in LANES], r[7])


def wrong():
    for command, want in [("print nosuch", "no symbol or buffer 'nosuch', and no variable here"), ("print nd.nosuch", "has no member 'nosuch'"),
                          ("print nd + 1", "is not a number"), ("print i->x", "'->' is of a pointer"), ("print scaled", "and no variable here"),
                          ("print arr[1.5]", "integers"), ("set var nd = 1", "is not a number"), ("print vec.xs", "has no member 'xs'"), ("print vec.xyzwx[5]", "element 5: there are 0 to 4"),
                          ("set var vec.xy = {1}", "there are 2 parts"), ("set var vec.xy = {1, 2, 3}", "there are 2 parts"), ("set var vec.xy = {1, 2} 3", "'3' is left over"),
                          ("set var vec.xy = vec.xyz", "the parts of the two sides differ"), ("watch vec.zx", "has parts"), ("info locals x", "no argument"),
                          ("break 40 at gid x", "a work-item is X"), ("up", "frame 0 is the outermost"), ("down", "frame 0 is the innermost")]:
        line = [lull, "debug", str(here / "variables.cl"), *ARGS, "-batch", "-ex", "break variables.cl:40", "-ex", "run", "-ex", command]
        p = subprocess.run(line, capture_output=True, text=True, timeout=100)
        tap.case(command, p.returncode not in (0, -11, -6) and want in p.stderr, p.stderr)


for case in (before_loop, locals_and_args, texts, in_loop, set_variables, types, scope, in_function, prologue, wave64, work_items, lds, at_o2, last_places, at_og, swizzles, lists, at_og_bodies, over_inlined, frames, wrong):
    try:
        case()
    except (AssertionError, KeyError, IndexError) as e:
        tap.case(case.__name__, False, repr(e))
tap.end()

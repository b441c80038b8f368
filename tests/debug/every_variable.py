#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each variable in scope at each statement, as lull debug shows it and as the program prints it in the same run.

every_variable.py LULL ROOT [--level 0,g,1,2] [--stops N] [--figures] [NAME...]: TAP. Without names the short ones; "all": all.

Which variables are in scope where is what clang's syntax tree says, not lull. In front of each statement, on its line, the program
gets a printf for each; lull stops there and shows all its variables. At -O0 all must be there and equal, for each work-item and
each time it comes there. At other levels code moves, so what is shown must be something that the variable is at some statement. --figures: how many are shown, and what LLVM's own
statistics of the object say (llvm-dwarfdump --statistics).
"""
import array
import collections
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

CLANG = ["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-x", "cl", "-cl-std=CL2.0"]
WIDTHS = {"bool": 8, "char": 8, "uchar": 8, "unsigned char": 8, "short": 16, "ushort": 16, "unsigned short": 16, "int": 32, "uint": 32,
          "unsigned int": 32, "float": 32, "half": 16, "long": 64, "ulong": 64, "unsigned long": 64, "size_t": 64, "double": 64}
BITS = {"float": "as_uint", "double": "as_ulong", "half": "as_ushort"}
MOST_ELEMENTS = 3
ENTRY = struct.Struct("<QIIIIQ")


def tree(source):
    r = subprocess.run([*CLANG, f"-I{source.parent}", "-fsyntax-only", "-Xclang", "-ast-dump=json", source], capture_output=True, text=True)
    if not r.stdout:
        raise AssertionError(r.stderr)
    return json.loads(r.stdout)


def offset(place):
    place = place.get("expansionLoc", place)
    return place.get("offset")


class Source:
    """Statements of a file with the variables in scope at each: clang's syntax tree."""

    def __init__(self, path):
        self.text = path.read_text()
        self.records, self.typedefs = {}, {}
        self.statements = []  # (offset, [(name, type)])
        for node in tree(path).get("inner", []):
            self.remember(node)
            if node["kind"] == "FunctionDecl" and self.is_here(node):
                self.function(node)

    def is_here(self, node):
        at = offset(node.get("loc", {}))
        return at is not None and self.text[at:at + len(node["name"])] == node["name"] and "includedFrom" not in node["loc"]

    def remember(self, node):
        if node["kind"] == "RecordDecl":
            fields = [(f["name"], self.type_of(f)) for f in node.get("inner", []) if f["kind"] == "FieldDecl" and not f.get("isBitfield")]
            self.records[node.get("name", node["id"])] = fields
        elif node["kind"] == "TypedefDecl":
            self.typedefs[node["name"]] = node["type"].get("desugaredQualType", node["type"]["qualType"])

    @staticmethod
    def type_of(node):
        return node["type"]["qualType"]

    def function(self, node):
        inner = node.get("inner", [])
        scope = [(p["name"], self.type_of(p)) for p in inner if p["kind"] == "ParmVarDecl" and "name" in p]
        for s in inner:
            if s["kind"] == "CompoundStmt":
                self.block(s, scope)

    def declared(self, node):
        return [(v["name"], self.type_of(v)) for v in node.get("inner", []) if v["kind"] == "VarDecl"]

    def block(self, node, scope):
        scope = list(scope)
        for s in node.get("inner", []):
            at = offset(s["range"]["begin"])
            if at is not None and s["kind"] not in ("CompoundStmt", "CaseStmt", "DefaultStmt", "NullStmt"):
                self.statements.append((at, list(scope)))
            self.inside(s, scope)
            if s["kind"] == "DeclStmt":
                scope += self.declared(s)

    def inside(self, node, scope):
        """Blocks within a statement; what the head of a for declares is known in them."""
        scope = list(scope)
        for s in node.get("inner", []):
            if s.get("kind") == "CompoundStmt":
                self.block(s, scope)
            elif s.get("kind") == "DeclStmt":
                scope += self.declared(s)
            elif "inner" in s:
                self.inside(s, scope)

    def leaves(self, name, of, expr=None, depth=0):
        """(path, C expression, bits, function to bits) of the numbers that a variable is made of."""
        expr = expr or name
        of = re.sub(r"\b(const|volatile|__private|__global|__local|__constant|private|global|local|constant|restrict|struct)\b", "", of)
        of = " ".join(of.split())
        array_of = re.match(r"^(.*?)\s*\[(\d+)\](.*)$", of)
        vector = re.match(r"^([a-z]+)([234]|8|16)$", of)
        if array_of and "(" not in of:
            for i in range(min(int(array_of[2]), MOST_ELEMENTS)):
                yield from self.leaves(f"{name}[{i}]", array_of[1] + array_of[3], f"{expr}[{i}]", depth + 1)
        elif of.endswith("*"):
            yield name, f"(ulong)({expr})", 64
        elif of in WIDTHS:
            yield name, f"(ulong){BITS[of]}({expr})" if of in BITS else f"(ulong)({expr})", WIDTHS[of]
        elif vector and vector[1] in WIDTHS:
            for i in range(min(int(vector[2]), MOST_ELEMENTS)):
                yield from self.leaves(f"{name}[{i}]", vector[1], f"{expr}.s{i:x}", depth + 1)
        elif of in self.records and depth < 4:
            for field, kind in self.records[of]:
                yield from self.leaves(f"{name}.{field}", kind, f"{expr}.{field}", depth + 1)
        elif of in self.typedefs and self.typedefs[of] != of:
            yield from self.leaves(name, self.typedefs[of], expr, depth)
        elif of.startswith("enum"):
            yield name, f"(ulong)(uint)({expr})", 32

    def printing(self, shared):
        """The file with a printf of each variable in front of each statement; {line: {number: (name, bits)}}."""
        text, lines = self.text, {}
        first = {}
        for at, scope in self.statements:
            line = self.text.count("\n", 0, at) + 1
            if line not in first or at < first[line][0]:
                first[line] = (at, scope)
        for line, (at, scope) in sorted(first.items(), reverse=True):
            lines[line], said = {}, ""
            for name, of in dict(scope).items():
                if not shared and re.search(r"\b(__)?local\b", of) and not of.endswith("*"):
                    continue  # other waves may write it between the stop and the printf
                for path, expr, bits in self.leaves(name, of):
                    number = len(lines[line])
                    lines[line][number] = (path, bits)
                    said += (f'printf("@%u,%u,%u,%u=%lx\\n", {line}, {number}, (uint)get_global_id(0), (uint)get_global_id(1), {expr}); ')
            text = text[:at] + said + text[at:]
            if not lines[line]:
                del lines[line]
        return text, lines


def leaves_of(reply, name=None):
    """Path and lanes of the numbers in a reply of info locals."""
    name = name or reply["name"]
    for i, e in enumerate(reply.get("elements", [])):
        yield from leaves_of(e, f"{name}[{i}]")
    for m in reply.get("members", []):
        yield from leaves_of(m, f"{name}.{m['name']}")
    if "value" in reply:
        yield name, lambda lane: int(reply["value"], 16)
    elif "lanes" in reply:
        yield name, lambda lane: int(reply["lanes"][lane], 16) if reply["lanes"][lane] is not None else None


class Program:
    def __init__(self, file, args, grid, block, stops=60):
        self.file, self.args, self.grid, self.block, self.stops = file, args, grid, block, stops

    @property
    def shared(self):
        """One wave alone: nobody else writes its local memory."""
        n = 1
        for b in str(self.block).split(","):
            n *= int(b)
        return n <= 32


def words(program, path, level):
    return [str(path), "--grid", str(program.grid), "--block", str(program.block), *sum((["--arg", a] for a in program.args), []), f"-O{level}"]


def session(lull, program, path, level, lines, stops):
    """What is said at each stop; the printf buffer at the end."""
    script = [f"break {path.name}:{n}" for n in sorted(lines)]
    script += ["run"] + ["info locals", "info args", "print $gid", "print $gid_y", "continue"] * stops + ["delete", "continue"]
    with tempfile.TemporaryDirectory() as d:
        file, saved = pathlib.Path(d) / "script", pathlib.Path(d) / "buffer"
        file.write_text("\n".join(script) + "\n")
        r = subprocess.run([lull, "debug", *words(program, path, level), "--printf", "--printf-size", str(1 << 26), "--printf-save", saved, "--json",
                            "-x", file, "-batch"], capture_output=True, text=True, timeout=500)
        buffer = saved.read_bytes() if saved.exists() else b""
    said = [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{") and not line.startswith('{"printf"')]
    return said, buffer, r.stderr


def entries(buffer):
    """{(line, number, x, y): values} of a printf buffer: docs/formats/printf-buffer.md. What ends too early was lost."""
    printed = collections.defaultdict(list)
    size = struct.unpack_from("<Q", buffer)[0] * 4 if len(buffer) >= 16 else 0
    at, end = 16, min(len(buffer), 16 + size)
    while at + ENTRY.size <= end:
        head, line, number, x, y, value = ENTRY.unpack_from(buffer, at)
        if head & 0xffff != ENTRY.size // 4:
            break
        printed[line, number, x, y].append(value)
        at += ENTRY.size
    return printed


Seen = collections.namedtuple("Seen", "shown missing wrong lines compared")


def compare(lull, program, path, level, stops):
    source = Source(path)
    text, lines = source.printing(program.shared)
    with tempfile.TemporaryDirectory() as d:
        copy = pathlib.Path(d) / path.name
        copy.write_text(text)
        for header in path.parent.glob("*.h"):
            shutil.copy(header, d)
        said, buffer, errors = session(lull, program, copy, level, lines, stops)
    printed = entries(buffer)
    at, places, order = None, {}, []
    for o in said:
        if o.get("command") == "break" and "places" in o:
            places[sorted(lines)[len(places)]] = [p["address"] for p in o["places"]]
        elif o.get("stop") == "breakpoint" and "line" not in o:
            at = None  # code of no line
        elif o.get("stop") == "breakpoint":
            at = {"line": o["line"], "exec": int(o["exec"], 16), "said": []}
            if level != "0" or o["pc"] == places.get(o["line"], [None])[0]:  # at -O0 not a later place of the same line
                order.append(at)
        elif at is not None and o.get("command") in ("info", "print"):
            at["said"].append(o)
    return check(order, lines, printed, errors, level)


def check(order, lines, printed, errors, level):
    if not order:
        raise AssertionError("no stop: " + errors[-500:])
    times = collections.Counter()
    ever = collections.defaultdict(set)  # what a variable ever was in a work-item
    for (line, number, x, y), values in printed.items():
        if number in lines.get(line, {}):
            name = lines[line][number][0]
            ever[name, x, y].update(values, [0] if "[" in name or "." in name else [])  # of arrays and structs in memory 0 stands before the first store
    shown, missing, wrong, compared = 0, [], [], 0
    for stop in order:
        if len(stop["said"]) < 4 or stop["line"] not in lines:
            continue
        values = {}
        for reply in stop["said"][:2]:
            for v in reply["variables"]:
                for path, of_lane in leaves_of(v):
                    values.setdefault(path, of_lane)
        ids = [dict(leaves_of({**g, "name": "g"})).get("g") for g in stop["said"][2:4]]
        lanes = [n for n in range(64) if stop["exec"] >> n & 1]
        who = {n: (ids[0](n), ids[1](n)) for n in lanes}
        for number, (name, bits) in lines[stop["line"]].items():
            if name not in values:
                missing.append((stop["line"], name))
                continue
            shown += 1
            for n in lanes:
                key = (stop["line"], number, *who[n])
                row = printed.get(key, [])
                k = times[stop["line"], *who[n]]
                got = values[name](n)
                row = row[k:k + 1] if level == "0" else ever[(name, *who[n])]
                if row and got is not None:
                    compared += 1
                    if all((got ^ v) & ((1 << bits) - 1) for v in row):
                        wrong.append(f"line {stop['line']} {name} of {who[n]}, time {k}: lull says {got:#x}, the program printed {[hex(v) for v in row][:9]}")
        for n in lanes:
            times[stop["line"], *who[n]] += 1
    return Seen(shown, missing, wrong, len({stop["line"] for stop in order}), compared)


def statistics(lull, program, path, level, work):
    """LLVM's own figures of the object that lull makes: (variables, located, bytes of scope, bytes located)."""
    work.mkdir(exist_ok=True)
    kept = work / "kept.co"
    wrapper = work / "clang-19"
    wrapper.write_text("#!/bin/sh\n" + f'{shutil.which("clang-19")} "$@" || exit $?\nfor last; do :; done\ncase "$last" in *.co) cp "$last" {kept};; esac\n')
    wrapper.chmod(0o755)
    subprocess.run([lull, "debug", *words(program, path, level), "-batch", "-ex", "info line 1"], capture_output=True, timeout=100,
                   env={**os.environ, "PATH": f"{work}:{os.environ['PATH']}"})
    r = json.loads(subprocess.run(["llvm-dwarfdump-19", "--statistics", kept], capture_output=True, text=True, check=True).stdout)
    return (r["#source variables"], r["#source variables with location"],
            r["sum_all_variables(#bytes in parent scope)"], r["sum_all_variables(#bytes in parent scope covered by DW_AT_location)"])


def programs(root, work):
    rnd = random.Random(11)

    def file(name, kind, values):
        path = work / name
        path.write_bytes(array.array(kind, values).tobytes())
        return path

    def u32(name, n):
        return file(name, "I", (rnd.getrandbits(32) for _ in range(n)))

    def f32(name, n):
        return file(name, "f", (rnd.uniform(-8, 8) for _ in range(n)))

    e = root / "examples"
    return {
        "saxpy": Program(e / "saxpy.cl", [f"buffer:{f32('y', 64)}", f"buffer:{f32('x', 64)}", "f32:2.5", "i32:50"], 64, 32),
        "reduce": Program(e / "reduce.cl", ["zeros:32:name=got", f"buffer:{u32('in', 100)}", "i32:100"], 256, 256),
        "sgemm_tiled": Program(e / "sgemm_tiled.cl", [f"zeros:{32 * 32 * 4}", f"buffer:{f32('a', 1024)}", f"buffer:{f32('b', 1024)}", "i32:32"], "32,32", "16,16"),
        "sha256": Program(e / "sha256.cl", [f"zeros:{32 * 32}", f"buffer:{e / 'saxpy.cl'}", "i32:200"], 32, 32),
        "mandelbrot": Program(e / "mandelbrot.cl", [f"zeros:{32 * 4 * 4}", "i32:32", "i32:4", "i32:20"], "32,4", "32,1"),
        "scan": Program(e / "scan.cl", ["zeros:4096", "zeros:4096", f"buffer:{u32('scanned', 1024)}"], 1024, 1024),
        "bitonic": Program(e / "bitonic.cl", [f"buffer:{u32('sorted', 1024)}"], 512, 512),
        "nbody64": Program(e / "nbody64.cl", [f"zeros:{32 * 24}", f"buffer:{file('bodies', 'd', (rnd.uniform(-100, 100) for _ in range(32 * 4)))}", "i32:32"], 32, 32),
        "scratch": Program(e / "scratch.cl", [f"zeros:{32 * 4}", f"buffer:{u32('words', 32 * 32)}"], 32, 32),
        "oob_store": Program(e / "oob_store.cl", ["zeros:512"], 64, 32),
        "variables": Program(root / "tests/debug/variables.cl", ["zeros:256:name=buffer", "iota:8:i32:name=table", "i32:77",
                             "hex:0000803f000000400000404000008040"], 64, 32),
            }


SHORT = ["saxpy", "reduce", "mandelbrot", "nbody64", "scratch", "variables"]


def options(argv):
    levels, stops, figures, names = ["0"], None, False, []
    while argv:
        word = argv.pop(0)
        if word == "--level":
            levels = argv.pop(0).split(",")
        elif word == "--stops":
            stops = int(argv.pop(0))
        elif word == "--figures":
            figures = True
        else:
            names.append(word)
    return levels, stops, figures, names or SHORT


def main():
    lull, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    levels, stops, figures, names = options(sys.argv[3:])
    with tempfile.TemporaryDirectory() as d:
        all_of = {k: v for k, v in programs(root, pathlib.Path(d)).items()}
        names = list(all_of) if names == ["all"] else names
        for name in names:
            for level in levels:
                program = all_of[name]
                seen = compare(lull, program, program.file, level, stops or program.stops)
                total = seen.shown + len(seen.missing)
                if level == "0":
                    tap.case(f"{name} -O0: what is shown was printed ({seen.compared} values of {total} variables on {seen.lines} lines)",
                             not seen.wrong and seen.compared > 0, "\n".join(seen.wrong[:20]))
                else:
                    tap.case(f"{name} -O{level}: what is shown was printed somewhere ({seen.compared} values, {len(seen.wrong)} not; {seen.shown} of {total} "
                             f"variables shown)", not seen.wrong, "\n".join(seen.wrong[:20]))
                if level == "0":
                    tap.case(f"{name} -O0: each variable is shown", not seen.missing, sorted(set(seen.missing)))
                if figures:
                    n, located, size, covered = statistics(lull, program, program.file, level, pathlib.Path(d) / "kept")
                    print(f"# {name} -O{level}: {located} of {n} variables located, {100 * covered / max(size, 1):.0f} % of their scope's bytes; "
                          f"{seen.shown} of {total} shown at stops")
    tap.end()


main()

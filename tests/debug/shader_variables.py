#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each named variable of Vulkan shaders at each line, as lull debug shows it in the code of `source on` and as the shader itself stores it in the same run.

shader_variables.py LULL VULKAN [--radv DIR] [--level 0|g|1|2|3] [--stops N] [--figures] [NAME...]: TAP. Names are of tests/vulkan/cases_*.py; none: a few; "all": all.

The shader's text (spirv-dis of what glslangValidator makes with -g) gets, where each line of a block begins, stores of all numbers of all variables with a name:
those of the function, what it was called with, and the module's own. A record says which line it is of. lull stops at lines and shows its variables; dbg_n, which
is one of them, says which record comes next. Both must be the same numbers, in each lane. At other levels than -O0 code moves, so there a number that is shown must be one that the variable has in some record of the
same invocation, or, where lull does not know dbg_id, of any. --figures: also what LLVM's own statistics say of the shader as it is, without records.
"""
import collections
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
lull, vulkan, rest, driver = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]), sys.argv[3:], []
stops, figures, level = 12, False, "0"
if rest[:1] == ["--radv"]:
    driver, rest = [sys.executable, here.parents[1] / "tools/radv.py", "run", rest[1]], rest[2:]
if rest[:1] == ["--level"]:
    level, rest = rest[1], rest[2:]
if rest[:1] == ["--stops"]:
    stops, rest = int(rest[1]), rest[2:]
if rest[:1] == ["--figures"]:
    figures, rest = True, rest[1:]
sys.path[:0] = [str(vulkan), str(here.parent)]
import cases  # noqa: E402
import tap  # noqa: E402
import words  # noqa: E402

environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
SHORT = ["saxpy", "reduce", "private-arrays", "float64", "texture-linear-repeat", "matrices"]
MOST, LINES = 8, 12
WORDS = 1 << 22  # of all records
BINDING = 77
PLAIN = ("OpTypeInt", "OpTypeFloat", "OpTypeBool")


class Module:
    """spirv-dis's text with records of its variables."""

    def __init__(self, text):
        text = re.sub(r'(OpSource \w+ \d+ %\d+) "(?:[^"\\]|\\.)*"', r"\1", text)  # the source itself
        self.text = [line for line in text.split("\n") if line and not line.lstrip().startswith(";")]
        self.of, self.names, self.members, self.type_of = {}, {}, {}, {}
        for line in self.text:
            m = re.match(r"\s*(?:(%\d+) = )?(\w+)\s*(.*)$", line)
            result, op, args = m.groups()
            args = args.split()
            if op == "OpName":
                self.names[args[0]] = args[1].strip('"')
            elif op == "OpMemberName":
                self.members[args[0], int(args[1])] = args[2].strip('"')
            elif result:
                self.of[result] = (op, args)
                if op in ("OpVariable", "OpFunctionParameter"):
                    self.type_of[result] = args[0]
        self.next = max([int(n[1:]) for n in self.of] + [1]) + 10
        self.types, self.types_of_text = [], {}
        for n, (op, args) in self.of.items():
            if op in ("OpTypeInt", "OpTypeFloat", "OpTypeBool", "OpTypeVector", "OpTypePointer"):
                self.types_of_text[f"{op} {' '.join(args)}".strip()] = n

    def new(self):
        self.next += 1
        return f"%{self.next}"

    def declare(self, text):
        """The id of a type or constant; declared if it is not there."""
        if text not in self.types_of_text:
            self.types_of_text[text] = self.new()
            self.types.append(f"{self.types_of_text[text]} = {text}")
        return self.types_of_text[text]

    def constant(self, n):
        return self.declare(f"OpConstant {self.uint} {n}")

    def leaves(self, name, kind, path=()):
        """(path as lull shows it, indices, type) of numbers."""
        op, args = self.of.get(kind, ("", []))
        if op in PLAIN:
            yield name, path, kind
        elif op == "OpTypeVector":
            for i in range(int(args[1])):
                yield from self.leaves(f"{name}[{i}]", args[0], (*path, i))
        elif op == "OpTypeMatrix":
            for i in range(int(args[1])):
                yield from self.leaves(f"{name}[{i}]", args[0], (*path, i))
        elif op == "OpTypeArray":
            n = self.of.get(args[1], ("", ["", "0"]))
            for i in range(min(int(n[1][1]), 3) if n[0] == "OpConstant" else 0):
                yield from self.leaves(f"{name}[{i}]", args[0], (*path, i))
        elif op == "OpTypeStruct":
            for i, part in enumerate(args):
                yield from self.leaves(f"{name}.{self.members.get((kind, i), '?')}", part, (*path, i))

    def variables(self, ids):
        """{id: (leaves, type)} of those with names that can be stored."""
        found = {}
        for n in ids:
            pointer = self.of.get(self.type_of[n], ("", []))
            name = self.names.get(n, "")
            if pointer[0] != "OpTypePointer" or not name or name == "param" or pointer[1][0] not in ("Function", "Private", "Input"):
                continue
            some = list(self.leaves(name, pointer[1][1]))[:MOST]
            wide = [self.of[k] for _, _, k in some]
            if some and all(op == "OpTypeBool" or args[0] in ("32", "64") for op, args in wide):
                found[n] = (some, pointer[1][1])
        return found

    def words_of(self, value, kind, out):
        """Text that makes words of a number; their ids."""
        op, args = self.of[kind]
        if op == "OpTypeBool":
            n = self.new()
            out.append(f"{n} = OpSelect {self.uint} {value} {self.constant(1)} {self.constant(0)}")
            return [n]
        if args[0] == "32":
            n = self.new()
            if kind == self.uint:
                return [value]
            out.append(f"{n} = OpBitcast {self.uint} {value}")
            return [n]
        both, low, high = self.new(), self.new(), self.new()
        out += [f"{both} = OpBitcast {self.declare(f'OpTypeVector {self.uint} 2')} {value}", f"{low} = OpCompositeExtract {self.uint} {both} 0",
                f"{high} = OpCompositeExtract {self.uint} {both} 1"]
        return [low, high]

    def record(self, line, found):
        """Text that stores one; where each leaf is."""
        out, at, places = [], 1, []
        n, ring, own, base = self.new(), self.new(), self.new(), self.new()
        u, c = self.uint, self.constant
        rows, first, few = self.new(), self.new(), self.new()
        out += [f"{n} = OpLoad {u} {self.count}", f"{few} = OpULessThan {self.declare('OpTypeBool')} {n} {c(self.records - 1)}",
                f"{ring} = OpSelect {u} {few} {n} {c(self.records - 1)}",
                f"{own} = OpLoad {u} {self.ident}", f"{rows} = OpIMul {u} {own} {c(self.records)}", f"{first} = OpIAdd {u} {rows} {ring}",
                f"{base} = OpIMul {u} {first} {c(self.width)}"]

        def put(word, k):
            index, pointer = self.new(), self.new()
            out.append(f"{index} = OpIAdd {u} {base} {c(k)}")
            out.append(f"{pointer} = OpAccessChain {self.pointer} {self.buffer} {c(1)} {index}")
            out.append(f"OpStore {pointer} {word}")
        put(c(line), 0)
        for variable, (leaves, kind) in found.items():
            whole = self.new()
            out.append(f"{whole} = OpLoad {kind} {variable}")
            for path, indices, of in leaves:
                value = whole
                if indices:
                    value = self.new()
                    out.append(f"{value} = OpCompositeExtract {of} {whole} {' '.join(map(str, indices))}")
                parts = self.words_of(value, of, out)
                places.append((path, at, len(parts)))
                for word in parts:
                    put(word, at)
                    at += 1
        more = self.new()
        out += [f"{more} = OpIAdd {u} {n} {c(1)}", f"OpStore {self.count} {more}"]
        return out, places

    def functions(self):
        """(first line, end) of each function's text."""
        start = None
        for i, line in enumerate(self.text):
            if re.search(r"= OpFunction ", line):
                start = i
            elif "OpFunctionEnd" in line:
                yield start, i + 1

    def rewritten(self, entry, invocations):
        """The new text; {(line, name of function): [(path, word, words)]}."""
        self.uint = self.declare("OpTypeInt 32 0")
        array = self.declare(f"OpTypeRuntimeArray {self.uint}")
        block = self.new()
        self.types.append(f"{block} = OpTypeStruct {self.uint} {array}")
        to = self.declare(f"OpTypePointer StorageBuffer {block}")
        self.pointer = self.declare(f"OpTypePointer StorageBuffer {self.uint}")
        own = self.declare(f"OpTypePointer Private {self.uint}")
        self.buffer, self.count, self.ident = self.new(), self.new(), self.new()
        self.types += [f"{self.buffer} = OpVariable {to} StorageBuffer", f"{self.count} = OpVariable {own} Private", f"{self.ident} = OpVariable {own} Private"]
        heads = next(i for i, line in enumerate(self.text) if "= OpFunction " in line)
        outside = [m[1] for line in self.text[:heads] if (m := re.match(r"\s*(%\d+) = OpVariable ", line))]
        shared = self.variables(outside)
        body, lines, plans = [], {}, []
        for start, end in self.functions():
            inside = [m[1] for line in self.text[start:end] if (m := re.match(r"\s*(%\d+) = Op(?:Variable|FunctionParameter) ", line))]
            plans.append((start, end, {**shared, **self.variables(inside)}))
        self.width = 1 + max(sum(2 if self.of[k][1][:1] == ["64"] else 1 for leaves, _ in found.values() for _, _, k in leaves) for _, _, found in plans)
        self.records = min(512, max(8, WORDS // (invocations * self.width)))
        self.shared = sorted({self.names[n] for n in shared})
        for start, end, found in plans:
            body += self.function(self.text[start:end], found, entry, lines)
        decorated = [f"OpDecorate {block} Block", f"OpMemberDecorate {block} 0 Offset 0", f"OpMemberDecorate {block} 1 Offset 4", f"OpDecorate {array} ArrayStride 4",
                     f"OpDecorate {self.buffer} DescriptorSet 0", f"OpDecorate {self.buffer} Binding {BINDING}"]
        names = [f'OpName {self.count} "dbg_n"', f'OpName {self.ident} "dbg_id"', f'OpName {self.buffer} "dbg_records"']
        head = self.text[:heads]
        head = [line + f" {self.buffer} {self.count} {self.ident}" if "OpEntryPoint" in line else line for line in head]
        first_name = next(i for i, line in enumerate(head) if re.match(r"\s*Op(Name|MemberName)\b", line))
        first_type = next(i for i, line in enumerate(head) if re.search(r"= OpType|OpLine", line))
        first_decoration = next((i for i, line in enumerate(head) if re.match(r"\s*Op(Member)?Decorate", line)), first_type)
        head = head[:first_name] + names + head[first_name:first_decoration] + decorated + head[first_decoration:] + self.types
        return "\n".join(head + body) + "\n", lines

    def begin(self):
        """Text that gives each invocation a number."""
        at, got = self.new(), self.new()
        return [f"{at} = OpAccessChain {self.pointer} {self.buffer} {self.constant(0)}",
                f"{got} = OpAtomicIAdd {self.uint} {at} {self.constant(1)} {self.constant(0)} {self.constant(1)}",
                f"OpStore {self.ident} {got}", f"OpStore {self.count} {self.constant(0)}"]

    def function(self, text, found, entry, lines):
        """Text of a function with records where lines begin."""
        out, last, in_main = [], None, re.search(rf"{entry}\b", text[0]) is not None
        skipped = ("OpVariable", "OpPhi", "OpLabel", "OpFunctionParameter", "OpFunction ", "OpLine", "OpNoLine")
        pending = None
        for i, line in enumerate(text):
            word = line.split("=")[-1].strip()
            if "OpLabel" in line:
                last, pending = None, None
            if in_main and "OpLine" in line and not re.search(r"= Op(Variable|Label|FunctionParameter)\b", text[i + 1]):
                out += self.begin()  # in front of the first line
                in_main = False
            m = re.match(r"\s*OpLine %\d+ (\d+) ", line)
            if m and int(m[1]) != last:
                pending = int(m[1])
            if not word.startswith(skipped):
                if pending is not None:
                    record, places = self.record(pending, found)
                    lines.setdefault(pending, places)
                    if lines[pending] == places:
                        out += record
                    last, pending = pending, None
            out.append(line)
        return out


def leaves_of(reply, name=None):
    """Path and numbers by lane."""
    name = name or reply["name"]
    for i, e in enumerate(reply.get("elements", [])):
        yield from leaves_of(e, f"{name}[{i}]")
    for m in reply.get("members", []):
        yield from leaves_of(m, f"{name}.{m['name']}")
    if "value" in reply:
        yield name, lambda lane: int(reply["value"], 16)
    elif "lanes" in reply:
        yield name, lambda lane: int(reply["lanes"][lane], 16) if reply["lanes"][lane] is not None else None


Seen = collections.namedtuple("Seen", "stops compared wrong missing paths shown bytes bytes_shown early")


def session(module, args, lines, case, work, shared):
    program = [module, *args[1:], "--bind", f"0.{BINDING}=zeros:{4 * WORDS + (1 << 20)}", "--out", f"0.{BINDING}={work / 'records'}"]
    script = [f"catch dispatch name {case.shader}", "run", "delete", f"source on -O{level}", *(f"break {case.shader}:{n}" for n in lines)]
    script += ["continue", "info locals", "info args", "print dbg_n", "print dbg_id", *(f"print {name}" for name in shared)] * stops + ["delete", "continue"]
    (work / "script").write_text("\n".join(script) + "\n")
    how = ["-x", str(work / "script"), "-batch"] if level == "0" else []  # else what is optimised out must not end it
    r = subprocess.run([*map(str, driver), lull, "debug", "--json", *how, "--", lull, "run", *map(str, program)], capture_output=True, text=True,
                       timeout=500, env=environment, stdin=None if how else (work / "script").open())
    records = (work / "records").read_bytes() if (work / "records").exists() else b""
    return [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")], records, r.stdout[-1500:] + r.stderr[-1500:]


class Ever:
    """What each number of each variable ever was, in an invocation's records."""

    def __init__(self, records, lines, width, most):
        self.records, self.lines, self.width, self.most, self.known = records, lines, width, most, {}
        self.invocations = min(struct.unpack_from("<I", records)[0], (len(records) - 4) // (4 * width * most))

    def of(self, ident):
        """{path: numbers}; None: of all invocations."""
        if ident not in self.known:
            values = self.known[ident] = collections.defaultdict(set)
            if ident is None:
                for i in range(self.invocations):
                    for path, numbers in self.of(i).items():
                        values[path] |= numbers
            for n in range(self.most if ident is not None and ident < self.invocations else 0):
                record = struct.unpack_from(f"<{self.width}I", self.records, 4 + 4 * (ident * self.most + n) * self.width)
                if record[0] == 0:
                    break
                for path, first, count in self.lines.get(record[0], ()):
                    values[path].add(record[first] | (record[first + 1] << 32 if count == 2 else 0))
        return self.known[ident]


def check(said, records, lines, width, most, shared):
    ever = Ever(records, lines, width, most)
    at, order = None, []
    for o in said:
        if o.get("stop") == "breakpoint" and "line" in o:
            at = {"line": o["line"], "exec": int(o["exec"], 16), "said": []}
            order.append(at)
        elif at is not None and (o.get("command") in ("info", "print") or "error" in o):
            at["said"].append(o)
    wrong, missing, compared, early, paths, shown, counts = [], set(), 0, 0, {}, set(), collections.Counter()
    for stop in order:
        if len(stop["said"]) < 4 + len(shared) or stop["line"] not in lines:
            continue
        values = collections.defaultdict(list)
        for reply in stop["said"][:2]:
            for v in reply.get("variables", []):
                for path, of_lane in leaves_of(v):
                    values[path].append(of_lane)
        for name, reply in zip(shared, stop["said"][4:]):
            for path, of_lane in leaves_of({**reply, "name": name}):
                values[path].append(of_lane)
        n, ident = (dict(leaves_of({**reply, "name": "g"})).get("g", lambda lane: None) for reply in stop["said"][2:4])
        if level != "0":
            moved(stop, ident, values, ever, wrong, counts)
            continue
        for lane in (k for k in range(64) if stop["exec"] >> k & 1):
            at = (ident(lane) * most + n(lane)) * width
            record = struct.unpack_from(f"<{width}I", records, 4 + 4 * at) if 4 + 4 * (at + width) <= len(records) else [0]
            if record[0] != stop["line"] or n(lane) >= most - 1:
                early += 1
                continue
            want = collections.defaultdict(set)  # two variables of a function may have one name
            for path, first, count in lines[stop["line"]]:
                paths[path] = 4 * count
                want[path].add(record[first] | (record[first + 1] << 32 if count == 2 else 0))
            for path, numbers in want.items():
                if path not in values:
                    missing.add(path)
                    continue
                shown.add(path)
                got = [f(lane) for f in values[path]]
                compared += 1
                if not numbers & {g & (1 << 8 * paths[path]) - 1 for g in got if g is not None}:
                    wrong.append(f"line {stop['line']} {path}, lane {lane}: lull says {got}, the shader {numbers}")
    if level != "0":
        return Seen(len(order), counts["compared"], wrong, set(), counts["paths"], counts["shown"], counts["bytes"], counts["bytes_shown"], counts["any"])
    return Seen(len(order), compared, wrong, missing, len(paths), len(shown), sum(paths.values()), sum(paths[p] for p in shown), early)


def moved(stop, ident, values, ever, wrong, counts):
    """A stop in code that was moved: each number that is shown is one that the variable has in a record."""
    for path, _, count in lines_of(stop, ever):
        counts.update(paths=1, bytes=4 * count)
        known = [f for f in values.get(path, []) if any(stop["exec"] >> k & 1 and f(k) is not None for k in range(64))]
        if known:
            counts.update(shown=1, bytes_shown=4 * count)
        for lane in (k for k in range(64) if known and stop["exec"] >> k & 1):
            got = {f(lane) & (1 << 32 * count) - 1 for f in known if f(lane) is not None}
            who = ident(lane)
            counts.update(compared=bool(got), any=bool(got) and who is None)
            if got and not got & ever.of(who)[path]:
                wrong.append(f"line {stop['line']} {path}, lane {lane}: lull says {got}, invocation {who} has {sorted(ever.of(who)[path])[:9]}")


def lines_of(stop, ever):
    """Each path of the line once."""
    return {path: (path, first, count) for path, first, count in ever.lines[stop["line"]]}.values()


def statistics(module, work):
    """LLVM's own figures of the shader as it is: variables, of these located; bytes of scope, of these covered."""
    subprocess.run([lull, "cc", "-g", f"-O{level}", "--relocatable", module, "-o", work / "plain.elf"], check=True, capture_output=True)
    r = json.loads(subprocess.run(["llvm-dwarfdump-19", "--statistics", work / "plain.elf"], capture_output=True, text=True, check=True).stdout)
    return {"variables": r["#source variables"], "located": r["#source variables with location"], "scope": r["sum_all_variables(#bytes in parent scope)"],
            "covered": r["sum_all_variables(#bytes in parent scope covered by DW_AT_location)"]}


def one(case, work):
    args, _ = words.words(vulkan / "shaders", work, case)
    flags = [a for a in case.args if str(a)[:2] in ("-D", "-I")]
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3", *flags, vulkan / "shaders" / case.shader, "-o", work / "g.spv"], check=True)
    text = subprocess.run(["spirv-dis", "--raw-id", "--no-header", work / "g.spv"], capture_output=True, text=True, check=True).stdout
    module = Module(text)
    entry = re.search(r"OpEntryPoint GLCompute (%\d+) ", text)[1]
    local = re.search(r"OpExecutionMode %\d+ LocalSize (\d+) (\d+) (\d+)", text)
    invocations = 1
    for k in [*(local.groups() if local else ["64"]), *str(case.groups).split(",")]:
        invocations *= int(k)
    new, lines = module.rewritten(entry, invocations)
    (work / "new.spvasm").write_text(new)
    version = subprocess.run(["spirv-dis", work / "g.spv"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Version: (\d\.\d)", version)[1]
    r = subprocess.run(["spirv-as", "--preserve-numeric-ids", "--target-env", f"spv{version}", work / "new.spvasm", "-o", work / "new.spv"], capture_output=True, text=True)
    valid = ["spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout"]
    if r.returncode == 0 and subprocess.run([*valid, work / "g.spv"], capture_output=True).returncode == 0:
        r = subprocess.run([*valid, work / "new.spv"], capture_output=True, text=True)
    if r.returncode != 0:
        raise AssertionError(f"{case.name}: {r.stderr}")
    some = sorted(lines)
    some = some[::max(1, len(some) // LINES)]
    said, records, errors = session(work / "new.spv", args, some, case, work, module.shared)
    return check(said, records, lines, module.width, module.records, module.shared) if records else None, errors


def main():
    names = rest or SHORT
    total, of_llvm = collections.Counter(), collections.Counter()
    todo = [c for c in cases.CASES if c.shader.endswith(".comp") and (c.name in names or names == ["all"])]
    if names == ["all"]:
        todo = [c for i, c in enumerate(todo) if c.shader not in [d.shader for d in todo[:i]]]
    for case in todo:
        with tempfile.TemporaryDirectory() as d:
            try:
                seen, errors = one(case, pathlib.Path(d))
                of_llvm.update(statistics(pathlib.Path(d) / "g.spv", pathlib.Path(d)) if figures else {})
            except (AssertionError, subprocess.SubprocessError, StopIteration) as e:
                seen, errors = None, str(e)
        if seen is None:
            tap.case(f"{case.name}: it ran", False, errors)
            continue
        if names == ["all"] and seen.stops and not seen.compared:
            tap.skip(f"{case.name}: {seen.stops} stops behind the records that there is room for")
            continue
        tap.case(f"{case.name}: {seen.compared} numbers at {seen.stops} stops are what the shader stored", (seen.compared > 0 or level not in "0g") and not seen.wrong,
                 "\n".join(seen.wrong[:10]) + errors * (not seen.compared))
        enough = 2 * seen.shown > seen.paths if level == "g" else not seen.missing
        tap.case(f"{case.name}: {seen.shown} of {seen.paths} numbers of variables are shown", enough, sorted(seen.missing))
        total.update(numbers=seen.paths, shown=seen.shown, bytes=seen.bytes, bytes_shown=seen.bytes_shown, compared=seen.compared, stops=seen.stops, early=seen.early,
                     wrong=len(seen.wrong), shaders=1)
    if figures:
        print("#", dict(total), "llvm-dwarfdump --statistics:", dict(of_llvm))
    tap.end()


main()

# SPDX-License-Identifier: MIT
"""What instructions of ir3 compute: data/isa/ir3.sem to functions over fibers. docs/formats/ir3-sem.md has the format."""
import re
from dataclasses import dataclass, field

from lang import uses
from lang.c import Writer, ctype
from lang.parse import parse
from lang.tree import SemError, Set, walk
from lang.types import BOOL, TYPES, Checker
from sem.rows import Sem, add_fn, columns, expand, fill
from table import TableError

OPERANDS = TYPES.keys() & {"f32", "f16", "u32", "u16", "i32", "i16", "u8"}
MODIFIERS = {"COND": TYPES["u32"], "ROUND": TYPES["u32"], "SAT": BOOL, "EI": BOOL, "MIXED": BOOL, "HIGH": BOOL,
             "FUSED": BOOL}
NUMBERS = {"f32": 1, "f16": 0, "u32": 3, "u16": 2, "i32": 5, "i16": 4, "u8": 6}  # enum lull_ir3_type.


@dataclass
class Row:
    name: str
    source: object  # Type of what it reads.
    result: object
    text: str
    line: int
    why: str
    body: list = field(default_factory=list)

    @property
    def symbol(self):
        return re.sub(r"\W", "_", f"{self.name}_{self.source.name}_{self.result.name}")


def limits(t):
    if t.kind == "f":
        return {}
    top = (1 << t.bits - (t.kind == "i")) - 1
    return {"$X": f"{top:#x}", "$L": f"-{top + 1:#x}" if t.kind == "i" else "0"}


def variant(name, types, text, line, why):
    """The row for TYPES, "T" or "T>R"."""
    parts = types.split(">")
    if len(parts) > 2 or any(p not in OPERANDS for p in parts):
        raise SemError(f"'{types}' is not a type, or TYPE>TYPE")
    row = Row(name, TYPES[parts[0]], TYPES[parts[-1]], "", line, why)
    words = {"$T": parts[0], "$R": parts[-1], "$M": str(row.source.bits - 1), **limits(row.result)}
    row.text = re.sub(r"\$[A-Z]", lambda m: words[m[0]] if m[0] in words else m[0], text)
    return row


def add_rows(rows, text, line):
    names, types, body, why = columns(text)
    for full, values in expand(f"{names} | {' '.join(types)}"):
        name, _, kinds = full.partition(" | ")
        if not re.fullmatch(r"[a-z][\w.]*", name):
            raise SemError(f"'{name}' is not a mnemonic")
        for kind in fill(kinds, values).split():
            row = variant(name, kind, fill(body, values), line, why)
            if row.symbol in rows:
                raise SemError(f"{name} of {kind} is there already, line {rows[row.symbol].line}")
            rows[row.symbol] = row


def check(row, fns):
    row.body = parse(row.text)
    names = dict(MODIFIERS, D=row.result, **{s: row.source for s in "ABC"})
    Checker(names, fns).body(row.body)
    if uses.writes(row.body) != ["D"] or "D" in uses.reads(row.body):
        raise SemError(f"{row.name} sets something else than D, or not D")
    if any(not isinstance(s, Set) or len(s.targets) != 1 for s in row.body):
        raise SemError(f"{row.name}: only NAME = value")


def read(path):
    """Rows by symbol, and functions."""
    sem, rows = Sem(), {}
    with open(path, encoding="utf-8") as f:
        for number, raw in enumerate(f, 1):
            text = raw.strip()
            if not text or text.startswith("#"):
                continue
            try:
                add_fn(sem, text, number) if text.startswith("fn ") else add_rows(rows, text, number)
            except SemError as e:
                raise TableError(f"{path}:{number}: {e}") from None
    for row in rows.values():
        try:
            check(row, sem.fns)
        except SemError as e:
            raise TableError(f"{path}:{row.line}: {row.name} of {row.source.name}: {e}") from None
    return sem, rows


def moded(sem, body):
    """Whether BODY calls a function that looks at the mode, itself or through another."""
    return any("mode" in f.options if f.body is None else moded(sem, f.body) for f in sem.calls(body))


class Text:
    def __init__(self, sem):
        self.sem, self.writer = sem, Writer(self.call)

    def call(self, name, args, _):
        fn = self.sem.fns[name]
        mode = "mode" in fn.options if fn.body is None else moded(self.sem, fn.body)
        return f"{'lull_' if fn.body is None else ''}{name}({', '.join(args + ['M'] * mode)})"

    def statements(self, body, pad, target, kind):
        types = {s.targets[0].name: TYPES[s.type] for s in body if s.type is not None} | {target: kind}
        return [f"{pad}{self.writer.statement(s, types)};" for s in body]

    def function(self, fn):
        params = [f"{ctype(t)} {n}" for t, n in fn.params] + ["uint32_t M"] * moded(self.sem, fn.body)
        out = [f"static inline {ctype(fn.results[0])} {fn.name}({', '.join(params)})", "{",
               f"    {ctype(fn.results[0])} R;"]
        return out + self.statements(fn.body, "    ", "R", fn.results[0]) + ["    return R;", "}", ""]

    def row(self, row):
        named = {e.name for e in walk(row.body) if hasattr(e, "name")}
        out = [f"static void {row.symbol}(const struct lull_ir3_alu_in *x, uint32_t *d)", "{"]
        out += ["    const uint32_t M = x->mode;"] if moded(self.sem, row.body) else []
        out += [f"    const uint32_t {m} = x->{m.lower()};" for m in MODIFIERS if m in named]
        out += ["    for (unsigned i = 0; i < x->n; i++) {"]
        out += [f"        const {ctype(row.source)} {s} = ({ctype(row.source)})x->{s.lower()}[i];" for s in "ABC" if s in named]
        out += [f"        {ctype(row.result)} D;"] + self.statements(row.body, "        ", "D", row.result)
        wide = f"(uint{row.result.bits}_t)" if row.result.bits < 32 else ""
        return out + [f"        d[i] = (uint32_t){wide}D;", "    }", "}", ""]


def c_functions(sem, body):
    """The functions in C that BODY calls, itself or through others."""
    return [c for f in sem.calls(body) for c in ([f] if f.body is None else c_functions(sem, f.body))]


def host_of(fn):
    return {o for o in fn.options if o.startswith("host:")}


class HostText(Text):
    """Rows by the host's floating-point unit, all fibers at once. Each says whether it could not: then nothing is written."""

    def able(self, row):
        return all(host_of(f) or "mode" not in f.options for f in c_functions(self.sem, row.body))

    def call(self, name, args, _):
        fn = self.sem.fns[name]
        if fn.body is not None:
            return f"host_{name}({', '.join(args + ['M', 'bad'] * moded(self.sem, fn.body))})"
        host = host_of(fn)
        kind = "" if not host else "ir3_host_" if "f16" in name else "host_"
        return f"lull_{kind}{name}({', '.join(args + ['M'] * ('mode' in fn.options) + ['bad'] * ('host:tells' in host))})"

    def function(self, fn):
        params = [f"{ctype(t)} {n}" for t, n in fn.params] + ["uint32_t M", "int32_t *bad"] * moded(self.sem, fn.body)
        out = [f"static inline {ctype(fn.results[0])} host_{fn.name}({', '.join(params)})", "{",
               f"    {ctype(fn.results[0])} R;"]
        return out + self.statements(fn.body, "    ", "R", fn.results[0]) + ["    return R;", "}", ""]

    def row(self, row):
        named = {e.name for e in walk(row.body) if hasattr(e, "name")}
        sources = [s for s in "ABC" if s in named]
        hosts = {o for f in c_functions(self.sem, row.body) for o in host_of(f)}
        doubtful = ["D"] * ("host:nan_out" in hosts) + sources * ("host:nan_in" in hosts)
        out = [f"static int32_t {row.symbol}(const struct lull_ir3_alu_in *x, uint32_t *d)", "{", "    uint32_t r[LULL_IR3_ALU_MOST];"]
        out += ["    int32_t doubt = 0, *const bad = &doubt;", "    (void)bad;"]
        out += ["    const uint32_t M = x->mode;"] if moded(self.sem, row.body) else []
        out += [f"    const uint32_t {m} = x->{m.lower()};" for m in MODIFIERS if m in named]
        out += ["    for (unsigned at = 0; at < x->n; at += LULL_IR3_ALU_PART) {"]
        out += [f"        const uint32_t *const {s.lower()} = x->{s.lower()} + at;" for s in sources]
        out += ["        uint32_t *const to = r + at;"]
        out += ["        for (unsigned i = 0; i < LULL_IR3_ALU_PART; i++) {"]
        out += [f"            const {ctype(row.source)} {s} = ({ctype(row.source)}){s.lower()}[i];" for s in sources]
        out += [f"            {ctype(row.result)} D;"] + self.statements(row.body, " " * 12, "D", row.result)
        out += [f"            *bad |= lull_host_nan({v});" for v in doubtful]
        wide = f"(uint{row.result.bits}_t)" if row.result.bits < 32 else ""
        out += [f"            to[i] = (uint32_t){wide}D;", "        }", "    }"]
        return out + ["    return lull_ir3_alu_done(doubt, x->n, r, d);", "}", ""]


def used(sem, rows):
    """The functions of the table that rows call, themselves or through others, in the order of the table."""
    names, todo = set(), [r.body for r in rows.values()]
    while todo:
        new = [f for f in sem.calls(todo.pop()) if f.body is not None and f.name not in names]
        names |= {f.name for f in new}
        todo += [f.body for f in new]
    return [f for f in sem.fns.values() if f.name in names]


def write_host(path, name):
    sem, rows = read(path)
    text = HostText(sem)
    able = {s: r for s, r in rows.items() if text.able(r)}
    out = [f"// Made by gen/isa from {name}. Compiled once per kind of host.", '#include "model/adreno/exec/half.h"',
           '#include "model/adreno/exec/num.h"', '#include "model/adreno/exec/rows.h"', ""]
    for fn in used(sem, able):
        out += text.function(fn)
    for row in able.values():
        out += text.row(row)
    out.append("lull_ir3_host_fn *const LULL_IR3_HOST(rows)[] = {")
    out += [f"    {s if s in able else 'NULL'}," for s in rows]
    return out + ["};"]


def write(path, name):
    sem, rows = read(path)
    text = Text(sem)
    out = [f"// Made by gen/isa from {name}.", '#include "model/adreno/exec/alu.h"', '#include "model/adreno/exec/num.h"',
           '#include "model/fp/fp.h"', ""]
    for fn in used(sem, rows):
        out += text.function(fn)
    for row in rows.values():
        out += text.row(row)
    out.append("const struct lull_ir3_alu_row lull_ir3_alu_rows[] = {")
    for row in rows.values():
        op = re.sub(r"\W", "_", row.name).upper()
        kind = "LULL_IR3_MOD_F" if row.source.kind == "f" else "LULL_IR3_MOD_B" if row.name.endswith(".b") else "LULL_IR3_MOD_S"
        out.append(f"    {{LULL_IR3_OP_{op}, {NUMBERS[row.source.name]}, {NUMBERS[row.result.name]}, {kind}, {'true' if moded(sem, row.body) else 'false'}, {row.symbol}}},")
    return out + ["};", "const unsigned lull_ir3_nalu_rows = sizeof lull_ir3_alu_rows / sizeof lull_ir3_alu_rows[0];"]

# SPDX-License-Identifier: MIT
"""The reader of semantics tables: rows and functions, parsed and typed. docs/formats/sem-table.md has the format."""
import itertools
import re
from dataclasses import dataclass, field

from lang import uses
from lang.parse import parse
from lang.tree import Call, SemError, walk
from lang.types import BOOL, TYPES, Checker, Fn
from sem.operands import operand_type, variables
from table import TableError

KINDS = ("lane", "scalar", "wave")
WORDS = ("nop", "hand", "system")
STATE = ("SCC", "EXEC", "VCC", "M0", "MODE", "STATUS", "PC")
OPERANDS = "DEABCLK"
FN_OPTIONS = {"exact", "near", "mode", "host:always", "host:nan_out", "host:nan_in", "host:tells", "host:f64", "excp:none",
              "excp:own"}


@dataclass
class Row:
    name: str
    kind: str  # One of KINDS.
    options: set
    word: str  # One of WORDS, or None: it has a body.
    text: str
    line: int
    source: str
    body: list = field(default_factory=list)
    reads: list = field(default_factory=list)  # Names that are read before the row writes them.
    writes: list = field(default_factory=list)
    slots: dict = field(default_factory=dict)  # Letters of the operands -> their types in the table of instructions.
    vars: dict = field(default_factory=dict)  # Names of the body -> Type, without those that it declares.


@dataclass
class Sem:
    rows: dict = field(default_factory=dict)
    fns: dict = field(default_factory=dict)

    def calls(self, body):
        """Functions that BODY calls itself."""
        return [self.fns[e.name] for e in walk(body) if isinstance(e, Call) and e.name in self.fns]


def expand(text):
    """Each alternative of the groups {a,b:c} of TEXT, with the values of $1 ..."""
    parts = re.split(r"\{([^{}]*)\}", text)
    if any("{" in p or "}" in p for p in parts):
        raise SemError(f"braces of '{text}' do not match")
    groups = [[tuple((a.split(":", 1) * 2)[:2]) for a in g.split(",")] for g in parts[1::2]]
    for choice in itertools.product(*groups):
        name = parts[0] + "".join(c[0] + p for c, p in zip(choice, parts[2::2]))
        values = [c[1] for c in choice]
        yield fill(name, values), values


def fill(text, values):
    def value(m):
        n = int(m[1])
        if not 0 < n <= len(values):
            raise SemError(f"${n}, but the first column has {len(values)} groups")
        return values[n - 1]
    return re.sub(r"\$(\d)", value, text)


def columns(text):
    cols = text.split("|")
    if len(cols) < 4:
        raise SemError(f"{len(cols)} columns, not 4: mnemonic | kind | semantics | source")
    name, kind, body, source = cols[0].strip(), cols[1].split(), "|".join(cols[2:-1]).strip(), cols[-1].strip()
    if not body:
        raise SemError("no semantics")
    if not source:
        raise SemError("no source")
    return name, kind, body, source


def add_fn(sem, text, line):
    head, options, body, _ = columns(text[3:])
    for option in options:
        if option not in FN_OPTIONS:
            raise SemError(f"unknown option '{option}' of a function")
    for signature, values in expand(head):
        m = re.fullmatch(r"([a-z]\w*)\(([^()]*)\)\s*->\s*([\w, ]+)", signature)
        if m is None:
            raise SemError(f"'{signature}' is not NAME(TYPE, ...) -> TYPE")
        if m[1] in sem.fns:
            raise SemError(f"'{m[1]}' is there already, line {sem.fns[m[1]].line}")
        params = [p.split() for p in m[2].split(",")]
        results = [r.strip() for r in m[3].split(",")]
        for t in [p[0] if p else "" for p in params] + results:
            if t not in TYPES:
                raise SemError(f"no type '{t}'")
        fn = Fn(m[1], [(TYPES[p[0]], p[1] if len(p) > 1 else None) for p in params], [TYPES[r] for r in results],
                set(options), None, line)
        if body != "C":
            define(sem, fn, fill(body, values))
        sem.fns[fn.name] = fn


def define(sem, fn, text):
    """The body of FN: statements that set R."""
    if len(fn.results) != 1 or any(name is None for _, name in fn.params):
        raise SemError(f"{fn.name}() is defined here: it needs names of its values and one result")
    fn.body = parse(text)
    Checker({"R": fn.results[0]} | {name: t for t, name in fn.params}, sem.fns).body(fn.body)
    if uses.writes(fn.body) != ["R"] or "R" in uses.reads(fn.body):
        raise SemError(f"{fn.name}() sets something else than R, or not R")


def stated(row, text):
    """'hand: reads A EXEC; writes D': what a row reads and writes that has no body here."""
    row.word, _, rest = text.partition(":")
    if row.word not in WORDS or row.word == "nop" and rest:
        raise SemError(f"'{text}' is not 'nop', 'hand: ...' or 'system: ...'")
    for part in filter(None, (p.split() for p in rest.split(";"))):
        if part[0] not in ("reads", "writes"):
            raise SemError(f"'{part[0]}' is neither 'reads' nor 'writes'")
        for name in part[1:]:
            if name not in STATE and name not in OPERANDS and name != "CLAMP":
                raise SemError(f"no operand or state '{name}'")
        (row.reads if part[0] == "reads" else row.writes).extend(part[1:])


def add_rows(sem, text, line):
    family, kind, body, source = columns(text)
    if not kind or kind[0] not in KINDS or any(o != "clamp:none" for o in kind[1:]):
        raise SemError(f"'{' '.join(kind)}' is not lane, scalar or wave, and perhaps clamp:none")
    for name, values in expand(family):
        if not re.fullmatch(r"[a-z]\w*", name):
            raise SemError(f"'{name}' is not a mnemonic")
        if name in sem.rows:
            raise SemError(f"'{name}' is there already, line {sem.rows[name].line}")
        row = Row(name, kind[0], set(kind[1:]), None, fill(body, values), line, source)
        if re.match(r"(nop|hand|system)\b", row.text):
            stated(row, row.text)
        else:
            if row.kind == "wave":
                raise SemError("a row of kind wave is 'hand' or 'system'")
            row.body = parse(row.text)
            row.writes = uses.writes(row.body)
            if not set(row.writes) & {"D", "DHI", "DLO", "E", "SCC", "EXEC", "PC", "MODE"}:
                raise SemError("assigns to no destination")
        sem.rows[name] = row


def read(path):
    """Rows and functions of PATH; rows are not typed yet: see check()."""
    sem = Sem()
    with open(path, encoding="utf-8") as f:
        for number, raw in enumerate(f, 1):
            text = raw.strip()
            if not text or text.startswith("#"):
                continue
            try:
                (add_fn if text.startswith("fn ") else add_rows)(sem, text, number)
            except SemError as e:
                raise TableError(f"{path}:{number}: {e}") from None
    return sem


def check_row(sem, row, op):
    slots = row.slots = {letter: kind for letter, kind, _ in op.operands}
    for name in row.reads + row.writes:
        if row.word and name in OPERANDS and name not in slots:
            raise SemError(f"'{row.name}' has no operand {name}")
    if row.kind == "lane" and row.body and operand_type(slots.get("D", "")) is None:
        raise SemError(f"D of '{row.name}' is too wide for lanes: 'hand'")
    if row.body:
        row.vars = variables(row.kind, slots)
        Checker(row.vars, sem.fns).body(row.body)
        row.reads = [n for n in uses.reads(row.body) if n in row.vars]
    clamps = "CLAMP" in uses.names(row.body) or "CLAMP" in row.reads
    if "clamp:none" in row.options and (clamps or "clamp" not in op.flags):
        raise SemError(f"'{row.name}' is said to ignore clamp, but {'uses CLAMP' if clamps else 'has not got it'}")
    t = operand_type(slots.get("D", ""))
    if "clamp" in op.flags and not clamps and "clamp:none" not in row.options and row.word != "nop" and \
            (t is None or t.integer or t is BOOL or t.name in ("v2i16", "v2u16")):
        raise SemError(f"'{row.name}' can be clamped: say what CLAMP does, or clamp:none")


def check(path, sem, isa):
    """Types of all rows by the operands of ISA."""
    ops = {}
    for op in isa.ops:
        ops.setdefault(op.name, op)
    for row in sem.rows.values():
        try:
            if row.name not in ops:
                raise SemError(f"no instruction '{row.name}'")
            check_row(sem, row, ops[row.name])
        except SemError as e:
            raise TableError(f"{path}:{row.line}: {row.name}: {e}") from None

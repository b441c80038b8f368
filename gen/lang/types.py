# SPDX-License-Identifier: MIT
"""Types. Nothing is converted silently: both sides of an operator have one type, a cast changes integers only, and
what a float is made of is asked for by bits(). Arithmetic of N bits gives N bits, signed or not: it wraps."""
from dataclasses import dataclass

from lang.tree import Binary, Call, Cast, Choice, Name, Num, SemError, Unary


@dataclass(frozen=True)
class Type:
    name: str
    kind: str  # "u", "i", "f", "bool", or "v": several values, which only functions and bits() take apart.
    bits: int

    @property
    def integer(self):
        return self.kind in "ui"


TYPES = {t.name: t for t in [Type(f"{k}{n}", k, n) for k in "ui" for n in (8, 16, 32, 64)] + [
    Type("f16", "f", 16), Type("bf16", "f", 16), Type("f32", "f", 32), Type("f64", "f", 64), Type("bool", "bool", 1),
    Type("v2i16", "v", 32), Type("v2u16", "v", 32), Type("v2f16", "v", 32), Type("v2bf16", "v", 32)]}
BOOL = TYPES["bool"]
BITS = {n: TYPES[f"u{n}"] for n in (8, 16, 32, 64)}


@dataclass
class Fn:
    """A function that rows call. RESULTS has one type or two; PARAMS are pairs (type, name)."""
    name: str
    params: list
    results: list
    options: set
    body: list  # Statements that set R, or None: it is written in C.
    line: int = 0


def most(e):
    """The largest value that E can have, or None: not known."""
    if isinstance(e, Num):
        return e.value
    if isinstance(e, Cast):
        return most(e.x) if e.x.type is None or e.x.type.kind != "i" or isinstance(e.x, Num) else None
    if isinstance(e, Binary) and e.op == "&":
        limits = [m for m in (most(e.a), most(e.b)) if m is not None]
        return min(limits) if limits else None
    if isinstance(e, Binary) and e.op in "+*":
        a, b = most(e.a), most(e.b)
        return None if a is None or b is None else a + b if e.op == "+" else a * b
    if isinstance(e, Choice):
        a, b = most(e.a), most(e.b)
        return None if a is None or b is None else max(a, b)
    return 1 if e.type is BOOL else None


def fold(op, a, b):
    return {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}.get(op) if op not in ("<<", ">>") \
        else a << b if op == "<<" else a >> b


class Checker:
    """Fills in the types of the expressions of one body. VARS: name -> Type; FNS: name -> Fn."""

    def __init__(self, variables, fns):
        self.vars, self.fns = dict(variables), fns

    def body(self, statements):
        for s in statements:
            self.statement(s)

    def statement(self, s):
        if s.type is not None:
            if s.targets[0] in self.vars or len(s.targets) != 1:
                raise SemError(f"'{s.targets[0]}' is declared, but is there already")
            want = [TYPES[s.type]]
        else:
            missing = [t for t in s.targets if t not in self.vars]
            if missing:
                raise SemError(f"'{missing[0]}' cannot be written here")
            want = [self.vars[t] for t in s.targets]
        if len(want) == 1:
            s.value = self.convert(s.value, want[0], f"'{s.targets[0]}'")
        else:
            self.results(s.value, want)
        if s.type is not None:
            self.vars[s.targets[0]] = want[0]

    def results(self, e, want):
        if not isinstance(e, Call) or e.name not in self.fns:
            raise SemError("several names take the results of one function")
        fn = self.fns[e.name]
        if fn.results != want:
            raise SemError(f"{e.name}() gives {', '.join(t.name for t in fn.results)}, "
                           f"not {', '.join(t.name for t in want)}")
        self.arguments(e, fn)
        e.type = want[0]

    def convert(self, e, want, what):
        """E as WANT: only a number without a type becomes one."""
        e = self.expr(e, want)
        if e.type is None:
            e = self.number(e, want)
        if e.type != want:
            raise SemError(f"{what} has type {want.name}, the value {e.type.name}")
        return e

    def number(self, e, want):
        if isinstance(e, Choice):
            e.a, e.b, e.type = self.number(e.a, want), self.number(e.b, want), want
            return e
        if want is BOOL and e.value in (0, 1):
            e.type = want
            return e
        if not want.integer:
            raise SemError(f"{e.value} is a number, not a {want.name}")
        low, high = (-(1 << want.bits - 1), (1 << want.bits - 1) - 1) if want.kind == "i" else (0, (1 << want.bits) - 1)
        if not low <= e.value <= high:
            raise SemError(f"{e.value} does not fit {want.name}")
        e.type = want
        return e

    def expr(self, e, hint=None):
        """E with its type; a number keeps none. HINT is the type that is expected, for numbers in a choice."""
        if isinstance(e, Num):
            return e
        if isinstance(e, Name):
            if e.name not in self.vars:
                raise SemError(f"'{e.name}' is not there")
            e.type = self.vars[e.name]
            return e
        return {Unary: self.unary, Binary: self.binary, Choice: self.choice, Cast: self.cast,
                Call: self.call}[type(e)](e, hint)

    def unary(self, e, hint):
        e.x = self.expr(e.x, hint)
        if isinstance(e.x, Num) and e.x.type is None:
            return Num(-e.x.value) if e.op == "-" else self.refuse(e.op, None)
        ok = e.x.type is BOOL if e.op == "!" else e.x.type.integer
        if not ok:
            self.refuse(e.op, e.x.type)
        e.type = e.x.type
        return e

    def refuse(self, op, t):
        raise SemError(f"{op} does not take {'a number without a type' if t is None else t.name}")

    def binary(self, e, hint):
        inner = None if e.op in ("==", "!=", "<", "<=", ">", ">=") else hint
        e.a, e.b = self.expr(e.a, inner), self.expr(e.b, inner)
        if e.a.type is None and e.b.type is None:
            value = fold(e.op, e.a.value, e.b.value) if isinstance(e.a, Num) and isinstance(e.b, Num) else None
            if value is None:
                raise SemError(f"no operand of {e.op} has a type")
            return Num(value)
        if e.op in ("<<", ">>"):
            return self.shift(e)
        t = self.same(e, lambda a, b: f"{a} {e.op} {b}: a cast is missing")
        ok = {"&&": t is BOOL, "||": t is BOOL}.get(e.op)
        if ok is None:
            ok = t.integer or t is BOOL if e.op in ("&", "|", "^", "==", "!=") else t.integer
        if not ok:
            self.refuse(e.op, t)
        e.type = BOOL if e.op in ("==", "!=", "<", "<=", ">", ">=") else t
        return e

    def same(self, e, message):
        """The type that both sides have; a number without one takes that of the other side."""
        if e.a.type is None:
            e.a = self.number(e.a, e.b.type)
        if e.b.type is None:
            e.b = self.number(e.b, e.a.type)
        if e.a.type != e.b.type:
            raise SemError(message(e.a.type.name, e.b.type.name))
        return e.a.type

    def shift(self, e):
        if e.a.type is None or not e.a.type.integer:
            self.refuse(e.op, e.a.type)
        if e.b.type is None:
            e.b = self.number(e.b, TYPES["u32"])
        if e.b.type.kind != "u":
            raise SemError(f"{e.op} by {e.b.type.name}: a count is unsigned")
        limit = most(e.b)
        if limit is None or limit >= e.a.type.bits:
            raise SemError(f"{e.op} of {e.a.type.name} by {'any count' if limit is None else f'up to {limit}'}")
        e.type = e.a.type
        return e

    def choice(self, e, hint):
        e.cond = self.convert(e.cond, BOOL, "a condition")
        e.a, e.b = self.expr(e.a, hint), self.expr(e.b, hint)
        if e.a.type is None and e.b.type is None:
            if hint is None:
                raise SemError("no side of the choice has a type")
            e.a, e.b = self.number(e.a, hint), self.number(e.b, hint)
        e.type = self.same(e, lambda a, b: f"a choice of {a} and {b}")
        return e

    def cast(self, e, _):
        to = TYPES[e.to]
        e.x = self.expr(e.x, to)
        if e.x.type is None:
            return self.number(e.x, to)
        if not to.integer or not (e.x.type.integer or e.x.type is BOOL):
            raise SemError(f"no cast from {e.x.type.name} to {to.name}")
        e.type = to
        return e

    def call(self, e, _):
        if e.name in PRIMITIVES:
            return self.primitive(e)
        fn = self.fns.get(e.name)
        if fn is None:
            raise SemError(f"no function '{e.name}'")
        if len(fn.results) != 1:
            raise SemError(f"{e.name}() gives {len(fn.results)} results")
        self.arguments(e, fn)
        e.type = fn.results[0]
        return e

    def arguments(self, e, fn):
        if len(e.args) != len(fn.params):
            raise SemError(f"{e.name}() takes {len(fn.params)} values, not {len(e.args)}")
        e.args = [self.convert(a, t, f"argument {n} of {e.name}()")
                  for n, (a, (t, _)) in enumerate(zip(e.args, fn.params), 1)]

    def primitive(self, e):
        if len(e.args) != 1:
            raise SemError(f"{e.name}() takes one value")
        x = e.args[0] = self.expr(e.args[0])
        ok, result = (False, None) if x.type is None else PRIMITIVES[e.name](x.type)
        if not ok:
            self.refuse(f"{e.name}()", x.type)
        e.type = result
        return e


def _count(t):
    return t.kind == "u" and t.bits >= 32, TYPES["u32"]


# What the language itself knows: name -> (type of the argument -> (allowed, type of the result)).
PRIMITIVES = {
    "popcount": _count,
    "ctz": _count,  # Not of 0.
    "clz": _count,  # Not of 0.
    "bswap": lambda t: (t.name == "u32", TYPES["u32"]),
    "bits": lambda t: (t.kind in "fv", BITS.get(t.bits)),  # The pattern of a float, or of two values.
}

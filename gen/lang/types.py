# SPDX-License-Identifier: MIT
"""Types. Nothing is converted silently: both sides of an operator have one type, a cast changes integers only, and
what a float is made of is asked for by bits(). Arithmetic of N bits gives N bits, signed or not: it wraps. What is
computed from a value that may be unknown may be unknown."""
from dataclasses import dataclass

from lang.tree import Binary, Call, Cast, Choice, Do, For, If, Name, Num, SemError, Set, Slice, Unary, children


@dataclass(frozen=True)
class Type:
    name: str
    kind: str  # "u", "i", "f", "bool", or "v": several values, which only functions and bits() take apart.
    bits: int

    @property
    def integer(self):
        return self.kind in "ui"


BOOL = Type("bool", "bool", 1)
TYPES = {"bool": BOOL, "u1": BOOL} | {t.name: t for t in [Type(f"u{n}", "u", n) for n in range(2, 65)] + [
    Type(f"i{n}", "i", n) for n in (8, 16, 32, 64)] + [
    Type("f16", "f", 16), Type("bf16", "f", 16), Type("f32", "f", 32), Type("f64", "f", 64),
    Type("v2i16", "v", 32), Type("v2u16", "v", 32), Type("v2f16", "v", 32), Type("v2bf16", "v", 32)]}
U32 = TYPES["u32"]
COMPARE = ("==", "!=", "<", "<=", ">", ">=")


def unsigned(bits):
    return TYPES[f"u{bits}"]


@dataclass(frozen=True)
class Var:
    """What a name is."""
    type: Type
    at: Type = None  # Of an array: the type that says which, None: any unsigned one.
    maybe: bool = False  # May be unknown, and what says which of an array, too.
    use: str = "rw"
    most: int = None  # The largest value, where the text says it.
    tag: object = None  # What the reader of the table keeps with it.


@dataclass
class Fn:
    """A function that rows call. RESULTS has one type or two, none if it is called for its effect; PARAMS are pairs
    (type, name). With the option 'named' arguments have names and may be left out; those in UNSURE may be unknown,
    and with the option 'unsure' the result."""
    name: str
    params: list
    results: list
    options: set
    body: list  # Statements that set R, or None: it is written in C.
    line: int = 0
    unsure: frozenset = frozenset()


def most(e):
    """The largest value that E can have, or None: not known."""
    if isinstance(e, Num):
        return e.value
    if isinstance(e, Name) and e.var.most is not None:
        return e.var.most
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
    return (1 << e.type.bits) - 1 if e.type is BOOL or e.type.kind == "u" and e.type.bits < 8 else None


def fold(op, a, b):
    return {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}.get(op) if op not in ("<<", ">>") \
        else a << b if op == "<<" else a >> b


def called(t):
    return "a number without a type" if t is None else t.name


class Checker:
    """Fills in the types of one body. VARIABLES: name -> Var or Type; of an array the name ends in []. FNS: name -> Fn."""

    def __init__(self, variables, fns):
        self.vars, self.fns = {n: v if isinstance(v, Var) else Var(v) for n, v in variables.items()}, fns

    def body(self, statements):
        """A block: what it declares is gone at its end."""
        outer, self.vars = self.vars, dict(self.vars)
        for s in statements:
            self.at(s, {Set: self.set, Do: self.do, If: self.condition, For: self.loop}[type(s)], s)
        self.vars = outer

    def at(self, node, function, *args):
        """What FUNCTION gives; a fault in it is at the line of NODE, if not of something inside."""
        try:
            return function(*args)
        except SemError as e:
            e.line = e.line or node.line
            raise

    def declare(self, name, var):
        if name in self.vars or name + "[]" in self.vars:
            raise SemError(f"'{name}' is declared, but is there already")
        self.vars[name] = var

    def set(self, s):
        if s.type is not None:
            name, t = s.targets[0].name, TYPES[s.type]
            s.value = self.convert(s.value, t, f"'{name}'", True)
            if len(s.targets) != 1 or s.targets[0].at is not None:
                raise SemError("one name is declared at a time")
            return self.declare(name, Var(t, None, s.value.maybe, "r"))
        for t in s.targets:
            t.var = self.vars.get(t.name)
            if t.var is None or "w" not in t.var.use:
                raise SemError(f"'{t.text}' cannot be written here")
            self.index(t)
        if len(s.targets) > 1:
            return self.results(s.value, [t.var.type for t in s.targets])
        s.value = self.convert(s.value, s.targets[0].var.type, f"'{s.targets[0].text}'", s.targets[0].var.maybe)

    def do(self, s):
        if not isinstance(s.call, Call) or s.call.name not in self.fns:
            raise SemError(f"no function '{s.call.to if isinstance(s.call, Cast) else s.call.name}' that does something")
        if self.fns[s.call.name].results:
            raise SemError(f"what {s.call.name}() gives is not used")
        self.arguments(s.call, self.fns[s.call.name])

    def condition(self, s):
        s.cond = self.convert(s.cond, BOOL, "a condition", True)
        self.body(s.then)
        self.body(s.other)

    def loop(self, s):
        s.first, s.end = (self.convert(e, U32, "a bound of a loop") for e in (s.first, s.end))
        outer, self.vars = self.vars, dict(self.vars)
        self.declare(s.name, Var(U32, use="r", most=s.end.value - 1 if isinstance(s.end, Num) else None))
        self.body(s.body)
        self.vars = outer

    def results(self, e, want):
        if not isinstance(e, Call) or e.name not in self.fns:
            raise SemError("several names take the results of one function")
        fn = self.fns[e.name]
        if fn.results != want:
            raise SemError(f"{e.name}() gives {', '.join(t.name for t in fn.results)}, "
                           f"not {', '.join(t.name for t in want)}")
        self.arguments(e, fn)
        e.type = want[0]

    def convert(self, e, want, what, maybe=False):
        """E as WANT, or as any unsigned type: only a number without a type becomes one. MAYBE: it may be unknown."""
        e = self.expr(e, want or U32)
        if e.type is None:
            e = self.number(e, want or U32)
        if not (e.type == want if want else e.type is BOOL or e.type.kind == "u"):
            raise SemError(f"{what} has type {want.name if want else 'u32, say'}, the value {e.type.name}")
        if e.maybe and not maybe:
            raise SemError(f"{what} may be unknown")
        return e

    def number(self, e, want):
        if want is not BOOL and not want.integer:
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
        new = self.at(e, {Name: self.name, Unary: self.unary, Binary: self.binary, Choice: self.choice, Cast: self.cast,
                          Slice: self.slice, Call: self.call}[type(e)], e, hint)
        new.line, new.maybe = e.line, new.maybe or any(c.maybe for c in children(new))
        return new

    def name(self, e, _):
        e.var = self.vars.get(e.name)
        if e.var is None:
            other = e.name[:-2] if e.at else e.name + "[]"
            raise SemError(f"'{e.name.removesuffix('[]')}' is {'not ' if e.at else ''}an array" if other in self.vars else
                           f"'{e.name}' is not there")
        if "r" not in e.var.use:
            raise SemError(f"{e.name} is only written")
        self.index(e)
        e.type, e.maybe = e.var.type, e.var.maybe
        return e

    def index(self, e):
        """Which element of the array E."""
        if e.at is not None:
            e.at = self.convert(e.at, e.var.at, f"the index of {e.name}", e.var.maybe)

    def unary(self, e, _):
        e.x = self.expr(e.x)
        if isinstance(e.x, Num) and e.x.type is None:
            return Num(-e.x.value) if e.op == "-" else self.refuse(e.op, None)
        if not (e.x.type is BOOL and e.op in "!~" or e.x.type.integer and e.op != "!"):
            self.refuse(e.op, e.x.type)
        e.type = e.x.type
        return e

    def refuse(self, op, t):
        raise SemError(f"{op} does not take {called(t)}")

    def binary(self, e, hint):
        inner = None if e.op in COMPARE else hint
        e.a, e.b = self.expr(e.a, inner), self.expr(e.b, inner)
        if e.a.type is None and e.b.type is None:
            value = fold(e.op, e.a.value, e.b.value) if isinstance(e.a, Num) and isinstance(e.b, Num) else None
            if value is None:
                raise SemError(f"no operand of {e.op} has a type")
            return Num(value)
        if e.op in ("<<", ">>"):
            return self.shift(e)
        t = self.same(e, lambda a, b: f"{a} {e.op} {b}: a cast is missing")
        both = e.op in ("&", "|", "^", "==", "!=")
        if not (t is BOOL if e.op in ("&&", "||") else t.integer or both and t is BOOL):
            self.refuse(e.op, t)
        if e.op in ("&&", "||") and (e.a.maybe or e.b.maybe):
            raise SemError(f"{e.op} of what may be unknown: {e.op[0]} says what is meant")
        if e.op == "/" and not (isinstance(e.b, Num) and e.b.value and t.kind == "u"):
            raise SemError("/ divides an unsigned value by a number that is not 0")
        e.type = BOOL if e.op in COMPARE else t
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
            e.b = self.number(e.b, U32)
        if e.b.type.kind != "u" and e.b.type is not BOOL:
            raise SemError(f"{e.op} by {e.b.type.name}: a count is unsigned")
        limit = most(e.b)
        if e.b.maybe or limit is None or limit >= e.a.type.bits:
            by = "what may be unknown" if e.b.maybe else "any count" if limit is None else f"up to {limit}"
            raise SemError(f"{e.op} of {e.a.type.name} by {by}")
        e.type = e.a.type
        return e

    def choice(self, e, hint):
        e.cond = self.convert(e.cond, BOOL, "a condition", True)
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
        t = e.x.type
        if t is None:
            return self.number(e.x, to)
        if not to.integer or not (t.integer or t is BOOL):
            raise SemError(f"no cast from {t.name} to {to.name}")
        signs = (to.kind == "i") - (t.kind == "i")  # From unsigned to signed one bit more is needed.
        if e.widen and (signs < 0 or t.bits + signs > to.bits):
            raise SemError(f"{e.to}() of {t.name} loses bits: a slice says which are meant")
        e.type = to
        return e

    def slice(self, e, _):
        e.x = self.expr(e.x)
        t = e.x.type
        if t is None or not t.integer or not e.low <= e.high < t.bits:
            raise SemError(f"bits {e.high}:{e.low} of {called(t)}")
        e.type = unsigned(e.high - e.low + 1)
        return e

    def call(self, e, _):
        if e.name in TAKES:
            return self.primitive(e)
        if e.name == "bit" and len(e.args) == 2 and not any(e.keys):
            return self.expr(Slice(Binary(">>", *e.args), 0, 0))
        fn = self.fns.get(e.name)
        if fn is None:
            raise SemError(f"no function '{e.name}'")
        if len(fn.results) != 1:
            raise SemError(f"{e.name}() gives {len(fn.results)} results")
        self.arguments(e, fn)
        e.type, e.maybe = fn.results[0], "unsure" in fn.options
        return e

    def arguments(self, e, fn):
        params = [(t, n, f"argument {k} of {e.name}()") for k, (t, n) in enumerate(fn.params, 1)]
        if "named" in fn.options:
            known = {n: (t, n, f"'{n}' of {e.name}()") for t, n in fn.params}
            wrong = [k for k in e.keys if k not in known or e.keys.count(k) > 1]
            if wrong:
                raise SemError(f"{e.name}() has no '{wrong[0]}'" if wrong[0] not in ("", *known) else
                               f"each value of {e.name}() has a name of its own")
            params = [known[k] for k in e.keys]
        elif any(e.keys):
            raise SemError(f"the values of {e.name}() have no names")
        if len(e.args) != len(params):
            raise SemError(f"{e.name}() takes {len(params)} values, not {len(e.args)}")
        e.args = [self.convert(a, t, what, n in fn.unsure) for a, (t, n, what) in zip(e.args, params)]

    def primitive(self, e):
        if any(e.keys) or e.name != "cat" and len(e.args) != 1:
            raise SemError(f"{e.name}() takes one value")
        e.args = [self.expr(a) for a in e.args]
        for t in (a.type for a in e.args):
            if t is None or not TAKES[e.name](t):
                self.refuse(f"{e.name}()", t)
        total = sum(a.type.bits for a in e.args)
        if not 1 <= total <= 64:
            raise SemError(f"cat() of {total} bits")
        e.type = unsigned(total) if e.name in ("cat", "bits") else U32
        return e


def _count(t):
    return t.kind == "u" and t.bits in (32, 64)


# What the language itself knows: the types that it takes. ctz and clz: not of 0. bits() gives the pattern.
TAKES = {"popcount": _count, "ctz": _count, "clz": _count, "bswap": lambda t: t is U32, "bits": lambda t: t.kind in "fv",
         "cat": lambda t: t.kind == "u" or t is BOOL}

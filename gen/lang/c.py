# SPDX-License-Identifier: MIT
"""Typed trees to C. A bool is a uint32_t of 0 or 1, a float its pattern, another width the next type of C with zeros
above; arithmetic wraps as the language says."""
from lang.tree import Binary, Call, Cast, Choice, Name, Num, Slice, Unary
from lang.types import BOOL, COMPARE, TAKES

BUILTIN = {"popcount": "__builtin_popcount", "ctz": "__builtin_ctz", "clz": "__builtin_clz"}


def odd(t):
    """Whether T has no type of its own in C."""
    return t.bits not in (8, 16, 32, 64) and t is not BOOL


def ctype(t):
    if t is BOOL or odd(t):
        return "uint32_t" if t.bits <= 32 else "uint64_t"
    return f"{'' if t.kind == 'i' else 'u'}int{t.bits}_t"


def constant(bits, v):
    return f"UINT64_C({v:#x})" if bits > 32 else f"{v}u" if v < 10 else f"{v:#x}u"


def mask(t):
    return constant(t.bits, (1 << t.bits) - 1)


def number(e):
    t, v = e.type, e.value
    if t is BOOL or t.bits < 32:
        return str(v)
    if t.kind == "u":
        return constant(t.bits, v)
    text = f"({v + 1} - 1)" if v == -(1 << t.bits - 1) else f"({v})" if v < 0 else str(v)
    return f"(int64_t){text}" if t.bits == 64 else text


def wraps(t, text):
    """TEXT computes in unsigned numbers; the result as T."""
    if odd(t):
        return f"(({text}) & {mask(t)})"
    return f"({text})" if t.kind == "u" and t.bits >= 32 else f"({ctype(t)})({text})"


def wide(t):
    return f"uint{64 if t.bits > 32 else 32}_t"


class Writer:
    """CALL(name, args, result type) gives the C of a call; VALUE(name) that of a name."""

    def __init__(self, call, value=lambda name: name):
        self.call_text, self.value = call, value

    def expr(self, e):
        return {Num: number, Name: self.name, Unary: self.unary, Binary: self.binary,
                Choice: self.choice, Cast: self.cast, Slice: self.slice, Call: self.call}[type(e)](e)

    def name(self, e):
        return self.value(e.name)

    def unary(self, e):
        x = self.expr(e.x)
        if e.type is BOOL:
            return f"({x} ^ 1u)"
        if e.op == "~":
            return wraps(e.type, f"~{x}") if odd(e.type) else f"(~{x})" if e.type.bits >= 32 else f"({ctype(e.type)})~{x}"
        return wraps(e.type, f"0u - ({wide(e.type)}){x}")

    def binary(self, e):
        a, b, t = self.expr(e.a), self.expr(e.b), e.a.type
        if e.op in ("&&", "||"):
            return f"({a} {e.op[0]} {b})"
        if e.op in (*COMPARE, "&", "|", "^", ">>", "/"):
            return f"({a} {e.op} {b})"
        if e.op == "<<":
            return wraps(t, f"({wide(t)}){a} << {b}")
        plain = t.kind == "u" and t.bits in (32, 64)
        return f"({a} {e.op} {b})" if plain else wraps(t, f"({wide(t)}){a} {e.op} ({wide(t)}){b}")

    def choice(self, e):
        return f"({self.expr(e.cond)} ? {self.expr(e.a)} : {self.expr(e.b)})"

    def cast(self, e):
        x = self.expr(e.x)
        if odd(e.type) and (e.type.bits < e.x.type.bits or e.x.type.kind == "i"):
            return wraps(e.type, f"({ctype(e.type)}){x}")
        return x if e.x.type == e.type else f"({ctype(e.type)}){x}"

    def slice(self, e):
        bits = f"(uint{e.x.type.bits}_t)" if e.x.type.kind == "i" else ""
        return f"({ctype(e.type)})({bits}{self.expr(e.x)} >> {e.low} & {constant(e.x.type.bits, (1 << e.high - e.low + 1) - 1)})"

    def cat(self, e):
        below = [sum(a.type.bits for a in e.args[n:]) for n in range(1, len(e.args) + 1)]
        parts = [f"({wide(e.type)}){self.expr(a)} << {n}" for a, n in zip(e.args, below)]
        return f"({ctype(e.type)})({' | '.join(parts)})"

    def call(self, e):
        if e.name == "cat":
            return self.cat(e)
        args = [self.expr(a) for a in e.args]
        if e.name not in TAKES:
            return self.call_text(e.name, args, e.type)
        if e.name == "bits":
            return args[0]
        if e.name == "bswap":
            return f"__builtin_bswap32({args[0]})"
        suffix = "ll" if e.args[0].type.bits == 64 else ""
        return f"(uint32_t){BUILTIN[e.name]}{suffix}({args[0]})"

    def statement(self, s, types):
        """C of S without the semicolon; TYPES: name -> Type of what it sets. One target only."""
        name = s.targets[0].name
        declare = f"const {ctype(types[name])} " if s.type is not None else ""
        return f"{declare}{self.value(name)} = {self.expr(s.value)}"

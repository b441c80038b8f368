# SPDX-License-Identifier: MIT
"""Typed trees to C. A bool is a uint32_t of 0 or 1, a float its pattern; arithmetic wraps as the language says."""
from lang.tree import Binary, Call, Cast, Choice, Name, Num, Unary
from lang.types import BOOL, PRIMITIVES

COMPARE = ("==", "!=", "<", "<=", ">", ">=")
BUILTIN = {"popcount": "__builtin_popcount", "ctz": "__builtin_ctz", "clz": "__builtin_clz"}


def ctype(t):
    if t is BOOL or t.kind in "fv":
        return f"uint{max(t.bits, 32) if t is BOOL else t.bits}_t"
    return f"{'u' if t.kind == 'u' else ''}int{t.bits}_t"


def number(e):
    t, v = e.type, e.value
    if t is BOOL or t.bits < 32:
        return str(v)
    if t.kind == "u":
        return f"UINT64_C({v:#x})" if t.bits == 64 else f"{v}u" if v < 10 else f"{v:#x}u"
    text = f"({v + 1} - 1)" if v == -(1 << t.bits - 1) else f"({v})" if v < 0 else str(v)
    return f"(int64_t){text}" if t.bits == 64 else text


def wraps(t, text):
    """TEXT computes in unsigned numbers; the result as T."""
    return f"({text})" if t.kind == "u" and t.bits >= 32 else f"({ctype(t)})({text})"


def wide(t):
    return f"uint{max(t.bits, 32)}_t"


class Writer:
    """CALL(name, args, result type) gives the C of a call; VALUE(name) that of a name."""

    def __init__(self, call, value=lambda name: name):
        self.call_text, self.value = call, value

    def expr(self, e):
        return {Num: number, Name: lambda x: self.value(x.name), Unary: self.unary, Binary: self.binary,
                Choice: self.choice, Cast: self.cast, Call: self.call}[type(e)](e)

    def unary(self, e):
        x = self.expr(e.x)
        if e.op == "!":
            return f"({x} ^ 1u)"
        if e.op == "~":
            return f"(~{x})" if e.type.bits >= 32 else f"({ctype(e.type)})~{x}" if e.type is not BOOL else f"({x} ^ 1u)"
        return wraps(e.type, f"0u - ({wide(e.type)}){x}")

    def binary(self, e):
        a, b, t = self.expr(e.a), self.expr(e.b), e.a.type
        if e.op in COMPARE:
            return f"({a} {e.op} {b})"
        if e.op in ("&&", "||"):
            return f"({a} {e.op[0]} {b})"
        if e.op in ("&", "|", "^", ">>"):
            return f"({a} {e.op} {b})"
        if e.op == "<<":
            return wraps(t, f"({wide(t)}){a} << {b}")
        plain = t.kind == "u" and t.bits >= 32
        return f"({a} {e.op} {b})" if plain else wraps(t, f"({wide(t)}){a} {e.op} ({wide(t)}){b}")

    def choice(self, e):
        return f"({self.expr(e.cond)} ? {self.expr(e.a)} : {self.expr(e.b)})"

    def cast(self, e):
        x = self.expr(e.x)
        return x if e.x.type == e.type else f"({ctype(e.type)}){x}"

    def call(self, e):
        args = [self.expr(a) for a in e.args]
        if e.name not in PRIMITIVES:
            return self.call_text(e.name, args, e.type)
        if e.name == "bits":
            return args[0]
        if e.name == "bswap":
            return f"__builtin_bswap32({args[0]})"
        suffix = "ll" if e.args[0].type.bits == 64 else ""
        return f"(uint32_t){BUILTIN[e.name]}{suffix}({args[0]})"

    def statement(self, s, types):
        """C of S without the semicolon; TYPES: name -> Type of what it sets. One target only."""
        declare = f"const {ctype(types[s.targets[0]])} " if s.type is not None else ""
        return f"{declare}{self.value(s.targets[0])} = {self.expr(s.value)}"

# SPDX-License-Identifier: MIT
"""What rows of packets can name: fields, spaces of state, what is known of the walk, functions and verbs."""
from dataclasses import dataclass

import dom
from lang import types
from lang.tree import Call, Name, Num, SemError
from lang.types import BOOL, TYPES, U32, Fn, Var, unsigned


@dataclass(frozen=True)
class Tag:
    """C of a name ({}: which of an array), what it is, and the enum of its values."""
    c: str
    kind: str  # field, space or walk.
    enum: str = ""


def known(c, t, at=None):
    return Var(t, at, use="r", tag=Tag(c, "walk"))


def space(name, t, at=None, use="rw"):
    return {f"{name}[]": Var(t, at, True, use, tag=Tag(f"lull_as_get_{name.lower()}(s{{}})", "space"))}


STATE = space("REG", U32) | space("MEM", U32, TYPES["u64"]) | space("SCRATCH", U32) | space("CHIP", U32) | \
    space("PRED", BOOL) | space("DRAWPRED", BOOL, use="w") | {
        "ARG[]": known("lull_apkt_dword(p{})", U32, U32), "GEN": known("p->gen", U32), "N": known("p->n", U32),
        "AT": known("lull_as_address(s)", TYPES["u64"]),
        "MODES": Var(unsigned(3), None, True, "r", tag=Tag("lull_as_modes(s)", "walk")),
        "THREADS": Var(unsigned(2), None, True, "r", tag=Tag("lull_as_threads(s)", "walk"))}

# Functions and verbs: types of their values; ?: may be unknown; NAME:TYPE may be left out.
DRAW = ("prim:u32 vertices:u32 instances:u32 first:u32 draws:u32 stride:u32 index:u64 index_bytes:u32 indirect:u64 count:u64"
        " counted:u1 x:u32 y:u32 z:u32 local_x:u32 local_y:u32 local_z:u32 op:u32")
VERBS = {
    "need": "u32", "text": "", "call": "u64 u32", "call_if": "?u1 u64 u32", "chain": "u64 u32", "bins": "u32 u64 u32 u32",
    "table": "u64 u32 u32 u32", "commands": "u32", "exec": "?u1 u32", "mode": "u32 u1", "marker": "u32",
    "render_mode": "u32", "thread": "u32", "event": "u32", "pixels": "u32", "wait_idle": "", "wait_me": "",
    "wait_writes": "", "wait_other": "", "poll": "u32 u64 u32 u32 u32", "draw": DRAW, "dispatch": DRAW, "blit": DRAW,
    "group": "id:u32 address:u64 count:u32 modes:u32 dirty:u1 off:u1 all_off:u1 at_once:u1",
    "load": "block:u32 type:u32 source:u32 first:u32 units:u32 address:u64 set:u32 offset:u32"}


def fn(name, text, *results):
    words = [w.partition(":") if ":" in w else (str(n), ":", w) for n, w in enumerate(text.split())]
    return Fn(name, [(TYPES[t.strip("?")], key) for key, _, t in words], list(results),
              {"named"} if ":" in text else {"unsure"}, None, unsure={key for key, _, t in words if t[0] == "?"})


FNS = {name: fn(name, text) for name, text in VERBS.items()} | {
    "rotl": fn("rotl", "?u32 u5", U32), "test": fn("test", "u3 u1 ?u32 ?u32", BOOL)}


def variables(packets, domain=None):
    """Names of the fields of DOMAIN; without it DOMAIN.NAME of all, and what is not a field."""
    out = {}
    for d in packets.domains if domain is None else [domain]:
        for f in packets.domains.get(d, {}).values():
            c = f"{dom.accessor(d, f.name)}(p{{}})"
            out[(f"{d}." if domain is None else "") + f.name + ("[]" if f.stride else "")] = \
                Var(unsigned(f.bits()), U32 if f.stride else None, use="r", tag=Tag(c, "field", f.type))
    return out | STATE if domain is None else out


class Checker(types.Checker):
    """Adds unknown(TYPE), and names of values beside a field of their enum."""

    def __init__(self, names, base):
        super().__init__(names, FNS)
        self.enums = base.enums

    def binary(self, e, hint):
        var = self.vars.get(e.a.name) if isinstance(e.a, Name) else None
        enum = self.enums.get(var.tag.enum) if var and var.tag else None
        if e.op in ("==", "!=") and enum and isinstance(e.b, Name) and e.b.at is None and e.b.name not in self.vars:
            values = {value for value, name, _ in enum if name == e.b.name}
            if len(values) != 1:
                raise SemError(f"'{e.b.name}' is {len(values)} values of {var.tag.enum}")
            e.b = Num(values.pop())
        return super().binary(e, hint)

    def call(self, e, hint):
        if e.name != "unknown":
            return super().call(e, hint)
        if len(e.args) != 1 or not isinstance(e.args[0], Name) or e.args[0].name not in TYPES:
            raise SemError("unknown() has a type")
        made = Call(e.name, [])
        made.type, made.maybe = TYPES[e.args[0].name], True
        return made

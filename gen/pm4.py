#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the table of what Adreno's packets do (data/adreno/pm4.sem) into C functions.

    pm4.py TABLE.sem [--dom TABLE.dom ...] [--table OUT.c]

Without --dom the tables beside this program's folder are taken. Standard library only; the same input gives the same
bytes. Faults are FILE:LINE: MESSAGE and exit status 1. docs/formats/pm4-sem.md describes the format.
"""
import argparse
import pathlib
import re
import sys
from dataclasses import dataclass, field

import dom

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "adreno"
TOKEN = re.compile(r"\s+|(?P<number>0x[0-9a-fA-F]+|\d+(?![A-Za-z_]))|(?P<name>\d*[A-Za-z_]\w*)|"
                   r"(?P<sign>\.\.|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/&|^~!?:;,.<>=(){}\[\]@])")
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/"]]
# Spaces of state: width of an element, width of an address (0: any).
SPACES = {"REG": (32, 0), "MEM": (32, 64), "SCRATCH": (32, 0), "CHIP": (32, 0), "PRED": (1, 0), "DRAWPRED": (1, 0)}
WRITE_ONLY = {"DRAWPRED"}
# What is known of the walk: width, C, whether it may be unknown.
STATE = {"GEN": (32, "p->gen", False), "N": (32, "p->n", False), "AT": (64, "lull_as_address(s)", False),
         "MODES": (3, "lull_as_modes(s)", True), "THREADS": (2, "lull_as_threads(s)", True)}
# Verbs with a parameter after the other: name and width; "?1": may be unknown.
VERBS = {"need": ["32"], "text": [], "call": ["64", "32"], "call_if": ["?1", "64", "32"], "chain": ["64", "32"],
         "bins": ["32", "64", "32", "32"], "table": ["64", "32", "32", "32"], "commands": ["32"], "exec": ["?1", "32"],
         "mode": ["32", "1"], "marker": ["32"], "render_mode": ["32"], "thread": ["32"], "event": ["32"], "wait_idle": [],
         "wait_me": [], "wait_writes": [], "wait_other": [], "poll": ["32", "64", "32", "32", "32"]}
# Verbs with named parameters, which may be left out: the members of a struct.
DRAW = {"prim": 32, "vertices": 32, "instances": 32, "first": 32, "draws": 32, "stride": 32, "index": 64, "index_bytes": 32,
        "indirect": 64, "count": 64, "counted": 1, "x": 32, "y": 32, "z": 32, "local_x": 32, "local_y": 32, "local_z": 32,
        "op": 32}
STRUCTS = {"draw": ("lull_as_draw", DRAW), "dispatch": ("lull_as_draw", DRAW), "blit": ("lull_as_draw", DRAW),
           "group": ("lull_as_group_of", {"id": 32, "address": 64, "count": 32, "modes": 32, "dirty": 1, "off": 1, "all_off": 1,
                                          "at_once": 1}),
           "load": ("lull_as_load", {"block": 32, "type": 32, "source": 32, "first": 32, "units": 32, "address": 64,
                                      "set": 32, "offset": 32})}
VERBS["pixels"] = ["32"]


class Fault(Exception):
    def __init__(self, line, text):
        super().__init__(text)
        self.line = line


@dataclass
class Token:
    kind: str
    text: str
    line: int


@dataclass
class Value:
    """C of an expression. width None: a literal, of the width that is needed."""
    code: str
    width: object
    maybe: bool = False
    enum: str = ""


@dataclass
class Row:
    names: list
    line: int
    chips: int
    domain: str
    flags: set
    sources: list
    body: list = field(default_factory=list)


def mask(width):
    return f"UINT64_C({(1 << width) - 1:#x})"


def tokens_of(text):
    found, at, line = [], 0, 1
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise Fault(line, f"'{text[at]}' means nothing here")
        if m.lastgroup:
            found.append(Token(m.lastgroup, m[0], line))
        line += m[0].count("\n")
        at = m.end()
    return found


class Parser:
    """Rows as lists of statements: tuples of tokens' texts and lines."""

    def __init__(self, tokens, sources):
        self.t, self.at, self.sources = tokens, 0, sources

    def peek(self, ahead=0):
        i = self.at + ahead
        return self.t[i] if i < len(self.t) else Token("end", "the end", self.t[-1].line if self.t else 1)

    def take(self, text=None):
        tok = self.peek()
        if tok.kind == "end" or (text is not None and tok.text != text):
            raise Fault(tok.line, f"'{text or 'more'}' is missing before '{tok.text}'")
        self.at += 1
        return tok

    def has(self, text):
        if self.peek().text == text:
            self.at += 1
            return True
        return False

    def name(self):
        tok = self.take()
        if tok.kind != "name":
            raise Fault(tok.line, f"'{tok.text}' is not a name")
        return tok

    def rows(self):
        rows = []
        while self.peek().kind != "end":
            rows.append(self.row())
        return rows

    def row(self):
        line = self.take("packet").line
        names = [self.name().text]
        while self.has(","):
            names.append(self.name().text)
        row = Row(names, line, 0, "", set(), [])
        while not self.has(":"):
            word = self.take()
            if word.text == "fields":
                row.domain = self.name().text
            elif word.text in ("mesa", "groups"):
                row.flags.add(word.text)
            else:
                raise Fault(word.line, f"'{word.text}' is neither fields, groups nor mesa")
        while self.peek().text != "{":
            key = self.name()
            if key.text not in self.sources:
                raise Fault(key.line, f"unknown source '{key.text}'")
            row.sources.append(key.text)
        if not row.sources:
            raise Fault(line, f"{names[0]}: every row names its source")
        row.body = self.block()
        return row

    def block(self):
        self.take("{")
        body = []
        while not self.has("}"):
            body.append(self.statement())
        return body

    def statement(self):
        tok = self.name()
        if tok.text == "if":
            return self.condition(tok)
        if tok.text == "for":
            var = self.name().text
            self.take("in")
            first = self.expression()
            self.take("..")
            return ("for", tok.line, var, first, self.expression(), self.block())
        if re.fullmatch(r"u\d+", tok.text) and self.peek().kind == "name":
            name = self.name().text
            self.take("=")
            value = self.expression()
            self.take(";")
            return ("let", tok.line, int(tok.text[1:]), name, value)
        if tok.text in SPACES and self.peek().text == "[":
            self.take("[")
            index = self.expression()
            self.take("]")
            self.take("=")
            value = self.expression()
            self.take(";")
            return ("set", tok.line, tok.text, index, value)
        return self.verb(tok)

    def condition(self, tok):
        self.take("(")
        cond = self.expression()
        self.take(")")
        then = self.block()
        other = []
        if self.has("else"):
            other = [self.condition(self.take())] if self.peek().text == "if" else self.block()
        return ("if", tok.line, cond, then, other)

    def verb(self, tok):
        self.take("(")
        args = []
        while not self.has(")"):
            key = ""
            if self.peek().kind == "name" and self.peek(1).text == ":" and tok.text in STRUCTS:
                key = self.name().text
                self.take(":")
            args.append((key, self.expression()))
            if self.peek().text != ")":
                self.take(",")
        self.take(";")
        return ("verb", tok.line, tok.text, args)

    def expression(self):
        cond = self.binary(0)
        if not self.has("?"):
            return cond
        line = self.peek().line
        a = self.expression()
        self.take(":")
        return ("choose", line, cond, a, self.expression())

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek().text in LEVELS[level]:
            tok = self.take()
            left = ("op", tok.line, tok.text, left, self.binary(level + 1))
        return left

    def unary(self):
        if self.peek().text in ("!", "~"):
            tok = self.take()
            return ("not", tok.line, tok.text, self.unary())
        e = self.primary()
        while self.peek().text == "[":
            line = self.take("[").line
            hi = self.take()
            self.take(":")
            lo = self.take()
            self.take("]")
            if hi.kind != "number" or lo.kind != "number":
                raise Fault(line, "a slice has two numbers, [HI:LO]")
            e = ("slice", line, e, int(hi.text, 0), int(lo.text, 0))
        return e

    def primary(self):
        tok = self.take()
        if tok.text == "(":
            e = self.expression()
            self.take(")")
            return e
        if tok.kind == "number":
            return ("number", tok.line, int(tok.text, 0))
        if tok.kind != "name":
            raise Fault(tok.line, f"'{tok.text}' begins no expression")
        if tok.text in WRITE_ONLY and self.peek().text == "[":
            raise Fault(tok.line, f"{tok.text}[] is only written")
        if tok.text in SPACES and self.peek().text == "[":
            return ("get", tok.line, tok.text, self.index())
        if self.has("("):
            args = []
            while not self.has(")"):
                args.append(self.expression())
                if self.peek().text != ")":
                    self.take(",")
            return ("function", tok.line, tok.text, args)
        domain = ""
        if self.peek().text == "." and self.peek(1).kind == "name":
            self.take(".")
            domain, tok = tok.text, self.name()
        index = None
        if self.peek().text == "[" and not (self.peek(1).kind == "number" and self.peek(2).text == ":"):
            index = self.index()
        return ("name", tok.line, domain, tok.text, index)

    def index(self):
        self.take("[")
        e = self.expression()
        self.take("]")
        return e


class Writer:
    """C of one row. Names are looked up where they are used, so types are checked while C is written."""

    def __init__(self, packets, base, row, domain):
        self.packets, self.b, self.row, self.domain = packets, base, row, domain
        self.out, self.depth, self.temps, self.scopes = [], 1, 0, [{}]

    def line(self, text):
        self.out.append("    " * self.depth + text)

    def temp(self, code):
        self.temps += 1
        self.line(f"const struct lull_av t{self.temps} = {code};")
        return f"t{self.temps}"

    def av(self, v):
        """As a value that may be unknown."""
        return v.code if v.maybe else f"lull_av_of({v.code})"

    def fit(self, v, width, line, what):
        if v.width is None:
            if int(v.code, 0) >> width:
                raise Fault(line, f"{what}: {v.code} does not fit {width} bits")
            return Value(v.code if width <= 32 else f"UINT64_C({v.code})", width, v.maybe)
        if v.width != width:
            raise Fault(line, f"{what}: u{v.width} where u{width} is needed")
        return v

    def pair(self, a, b, line, op):
        if a.width is None and b.width is None:
            a = Value(a.code, 32)
        width = a.width if a.width is not None else b.width
        return self.fit(a, width, line, op), self.fit(b, width, line, op)

    def constant(self, line, name, enum):
        values = {v for v, n, _ in self.b.enums.get(enum, []) if n == name}
        if len(values) != 1:
            raise Fault(line, f"'{name}' is {len(values)} values of {enum or 'no enum'}")
        return Value(str(values.pop()), None)

    def expr(self, e, enum=""):
        return getattr(self, "e_" + e[0])(e, enum)

    def e_number(self, e, enum):
        return Value(f"{e[2]:#x}" if e[2] > 9 else str(e[2]), None)

    def e_name(self, e, enum):
        _, line, domain, name, index = e
        for scope in reversed(self.scopes):
            if not domain and name in scope:
                return scope[name]
        if not domain and name == "ARG" and index is not None:
            return Value(f"(uint64_t)lull_apkt_dword(p, (uint32_t)({self.plain(index, 32, line)}))", 32)
        if not domain and name in STATE:
            width, code, maybe = STATE[name]
            return Value(self.temp(code) if maybe else f"(uint64_t){code}", width, maybe)
        fields = self.packets.domains.get(domain or self.domain, {})
        f = fields.get(name)
        if f is None and enum and index is None:
            return self.constant(line, name, enum)
        if f is None:
            raise Fault(line, f"{domain or self.domain or self.row.names[0]} has no field '{name}'")
        if (index is not None) != (f.stride != 0):
            raise Fault(line, f"'{name}' is {'an array' if f.stride else 'not an array'}")
        at = f", (uint32_t)({self.plain(index, 32, line)})" if f.stride else ""
        code = f"(uint64_t){dom.accessor(domain or self.domain, name)}(p{at})"
        return Value(code, f.bits(), False, f.type if f.type in self.b.enums else "")

    def plain(self, e, width, line):
        v = self.fit(self.expr(e), width, line, "index")
        if v.maybe:
            raise Fault(line, "what may be unknown cannot say which")
        return v.code

    def e_get(self, e, enum):
        _, line, space, index = e
        width, address = SPACES[space]
        at = self.expr(index)
        at = self.fit(at, address or at.width or 32, line, space)
        return Value(self.temp(f"lull_as_get_{space.lower()}(s, {self.av(at)})"), width, True)

    def e_function(self, e, enum):
        _, line, name, args = e
        if re.fullmatch(r"u\d+", name):
            width = int(name[1:])
            v = self.expr(args[0]) if len(args) == 1 else None
            if v is None or not 1 <= width <= 64:
                raise Fault(line, f"{name}() has one value, of up to 64 bits")
            if v.width is not None and v.width > width:
                raise Fault(line, f"{name}() of u{v.width}: cut it with [{width - 1}:0]")
            return self.fit(v, width, line, name) if v.width is None else Value(v.code, width, v.maybe)
        if name == "unknown":
            if len(args) != 1 or args[0][0] != "name" or not re.fullmatch(r"u\d+", args[0][3]):
                raise Fault(line, "unknown() has a type")
            return Value("lull_av_unknown()", int(args[0][3][1:]), True)
        if name == "cat":
            return self.cat(line, [self.expr(a) for a in args])
        if name == "bit" and len(args) == 2:
            v, n = self.expr(args[0]), self.expr(args[1])
            if n.maybe:
                raise Fault(line, "what may be unknown cannot say which")
            return self.shifted(v, f" >> {self.par(n)}", 1)
        if name == "rotl" and len(args) == 2:
            v, n = self.fit(self.expr(args[0]), 32, line, name), self.expr(args[1])
            return Value(self.temp(f"lull_av_rotl({self.av(v)}, (unsigned)({n.code}))"), 32, True)
        if name == "test" and len(args) == 4:
            f, g = self.expr(args[0]), self.fit(self.expr(args[1]), 1, line, name)
            a, b = (self.fit(self.expr(x), 32, line, name) for x in args[2:])
            return Value(self.temp(f"lull_av_test((unsigned)({f.code}), {g.code} != 0, {self.av(a)}, {self.av(b)})"), 1, True)
        raise Fault(line, f"unknown function '{name}' of {len(args)} values")

    def par(self, v):
        return f"({v.code})"

    def shifted(self, v, shift, width):
        if v.maybe:
            t = self.temp(v.code)
            return Value(f"((struct lull_av){{({t}.v{shift}) & {mask(width)}, {t}.known}})", width, True)
        return Value(f"(((uint64_t)({v.code}){shift}) & {mask(width)})", width)

    def cat(self, line, parts):
        total, codes, known = 0, [], []
        for v in reversed(parts):
            if v.width is None:
                raise Fault(line, "cat() of a number without a width")
            code = v.code
            if v.maybe:
                t = self.temp(v.code)
                code = f"{t}.v"
                known.append(f"{t}.known")
            codes.append(f"((uint64_t)({code}) << {total})" if total else f"({code})")
            total += v.width
        if not 1 <= total <= 64:
            raise Fault(line, f"cat() of {total} bits")
        text = " | ".join(codes)
        if known:
            return Value(f"((struct lull_av){{{text}, {' && '.join(known)}}})", total, True)
        return Value(f"({text})", total)

    def e_slice(self, e, enum):
        _, line, of, hi, lo = e
        v = self.expr(of)
        if v.width is None or hi < lo or hi >= v.width:
            raise Fault(line, f"bits {hi}:{lo} of u{v.width}")
        return self.shifted(v, f" >> {lo}" if lo else "", hi - lo + 1)

    def e_not(self, e, enum):
        _, line, op, of = e
        v = self.expr(of)
        if op == "!":
            v = self.fit(v, 1, line, op)
            if not v.maybe:
                return Value(f"(uint64_t)({v.code} == 0)", 1)
            t = self.temp(v.code)
            return Value(f"((struct lull_av){{{t}.v == 0, {t}.known}})", 1, True)
        if v.width is None:
            raise Fault(line, "~ of a number without a width")
        if not v.maybe:
            return Value(f"(~({v.code}) & {mask(v.width)})", v.width)
        t = self.temp(v.code)
        return Value(f"((struct lull_av){{~{t}.v & {mask(v.width)}, {t}.known}})", v.width, True)

    def e_op(self, e, enum):
        _, line, op, x, y = e
        a = self.expr(x)
        b = self.expr(y, a.enum) if op in ("==", "!=") else self.expr(y)
        if op in ("&&", "||"):
            a, b = self.fit(a, 1, line, op), self.fit(b, 1, line, op)
            if a.maybe or b.maybe:
                raise Fault(line, f"{op} of what may be unknown: {op[0]} says what is meant")
            return Value(f"(uint64_t)(({a.code}) != 0 {op} ({b.code}) != 0)", 1)
        if op in ("<<", ">>"):
            if a.width is None or a.maybe and b.maybe:
                raise Fault(line, f"{op} of a number without a width, or by what may be unknown")
            return self.shifted(a, f" {op} {self.par(b)}", a.width)
        a, b = self.pair(a, b, line, op)
        width = 1 if op in ("==", "!=", "<", "<=", ">", ">=") else a.width
        if op == "/" and y[0] != "number":
            raise Fault(line, "/ divides by a number only")
        if not a.maybe and not b.maybe:
            text = f"({a.code}) {op} ({b.code})"
            return Value(f"(uint64_t)({text})" if width == 1 and a.width != 1 else f"(({text}) & {mask(width)})", width)
        if op in ("&", "|") :
            return Value(self.temp(f"lull_av_{'and' if op == '&' else 'or'}({self.av(a)}, {self.av(b)}, {mask(a.width)})"), width, True)
        s, t = self.temp(self.av(a)), self.temp(self.av(b))
        return Value(f"((struct lull_av){{({s}.v {op} {t}.v) & {mask(width)}, {s}.known && {t}.known}})", width, True)

    def e_choose(self, e, enum):
        _, line, c, x, y = e
        cond = self.fit(self.expr(c), 1, line, "?")
        a, b, reads = self.quiet(x), self.quiet(y), False
        reads = len(a[1]) + len(b[1]) != 0
        va, vb = self.pair(a[0], b[0], line, "?") if (a[0].width, b[0].width) != (None, None) else (a[0], b[0])
        if va.width is None:
            va, vb = Value(va.code, 32), Value(vb.code, 32)
        if not (cond.maybe or va.maybe or vb.maybe or reads):
            return Value(f"(({cond.code}) != 0 ? {va.code} : {vb.code})", va.width)
        if cond.maybe:
            self.out += a[1] + b[1]
            return Value(self.temp(f"lull_av_choose({cond.code}, {self.av(va)}, {self.av(vb)})"), va.width, True)
        self.temps += 1
        t = f"t{self.temps}"
        self.line(f"struct lull_av {t};")
        for head, lines, v in ((f"if (({cond.code}) != 0) {{", a[1], va), ("} else {", b[1], vb)):
            self.line(head)
            self.out += ["    " + text for text in lines]
            self.line(f"    {t} = {self.av(v)};")
        self.line("}")
        return Value(t, va.width, True)

    def quiet(self, e):
        """The expression, and the lines that it needs, which are not written yet."""
        held, self.out = self.out, []
        v = self.expr(e)
        lines, self.out = self.out, held
        return v, lines

    def block(self, body):
        self.depth += 1
        self.scopes.append({})
        for st in body:
            getattr(self, "s_" + st[0])(*st[1:])
        self.scopes.pop()
        self.depth -= 1

    def s_let(self, line, width, name, e):
        v = self.fit(self.expr(e), width, line, name)
        if any(name in s for s in self.scopes) or name in STATE or name in self.packets.domains.get(self.domain, {}):
            raise Fault(line, f"'{name}' is the name of something else")
        c = f"v_{name}"
        self.line(f"const {'struct lull_av' if v.maybe else 'uint64_t'} {c} = {v.code};")
        self.scopes[-1][name] = Value(c, width, v.maybe)

    def s_set(self, line, space, index, e):
        width, address = SPACES[space]
        at = self.expr(index)
        at = self.fit(at, address or at.width or 32, line, space)
        v = self.fit(self.expr(e), width, line, space)
        self.line(f"lull_as_set_{space.lower()}(s, {self.av(at)}, {self.av(v)});")

    def s_for(self, line, var, first, end, body):
        a, b = (self.fit(self.expr(e), 32, line, "for") for e in (first, end))
        if a.maybe or b.maybe:
            raise Fault(line, "a loop that may be unknown")
        if var in SPACES or var in STATE or any(var in s for s in self.scopes):
            raise Fault(line, f"'{var}' is the name of something else")
        c = f"v_{var}"
        self.line(f"const uint64_t {c}_end = {b.code};")
        self.line(f"for (uint64_t {c} = {a.code}; {c} < {c}_end && lull_as_busy(s); {c}++) {{")
        self.scopes.append({var: Value(c, 32)})
        self.block(body)
        self.scopes.pop()
        self.line("}")

    def s_if(self, line, cond, then, other):
        v = self.fit(self.expr(cond), 1, line, "if")
        if v.maybe:
            self.temps += 1
            t = f"t{self.temps}"
            self.line(f"const enum lull_as_outcome {t} = lull_as_branch(s, {v.code});")
            for body, no, which in ((then, "LULL_AS_NOT_TAKEN", t), (other, "LULL_AS_TAKEN", t)):
                if body:
                    self.line(f"if ({t} != {no}) {{")
                    self.line(f"    lull_as_begin(s, {which});")
                    self.block(body)
                    self.line(f"    lull_as_end(s, {which});")
                    self.line("}")
            return
        self.line(f"if (({v.code}) != 0) {{")
        self.block(then)
        if other:
            self.line("} else {")
            self.block(other)
        self.line("}")

    def s_verb(self, line, name, args):
        if name in STRUCTS:
            struct, members = STRUCTS[name]
            cells = []
            for key, e in args:
                if key not in members:
                    raise Fault(line, f"{name}() has no '{key}'")
                v = self.fit(self.expr(e), members[key], line, key)
                if v.maybe:
                    raise Fault(line, f"{name}(): '{key}' may be unknown")
                kind = {1: "", 32: "(uint32_t)", 64: ""}[members[key]]
                cells.append(f".{key} = {kind}({v.code})" + (" != 0" if members[key] == 1 else ""))
            self.line(f"lull_as_do_{name}(s, &(struct {struct}){{{', '.join(cells) or '0'}}});")
            return
        if name not in VERBS or len(args) != len(VERBS[name]):
            raise Fault(line, f"unknown verb '{name}' of {len(args)} values")
        cells = []
        for (_, e), want in zip(args, VERBS[name]):
            v = self.fit(self.expr(e), int(want.strip("?")), line, name)
            if v.maybe and want[0] != "?":
                raise Fault(line, f"{name}() of what may be unknown")
            cells.append(self.av(v) if want[0] == "?" else
                         {"1": f"({v.code}) != 0", "32": f"(uint32_t)({v.code})", "64": v.code}[want])
        call = f"lull_as_do_{name}({', '.join(['s', *cells])})"
        self.line(f"if (!{call}) {{" if name == "need" else f"{call};")
        if name == "need":
            self.line("    return;")
            self.line("}")


def opcodes(base):
    names = {}
    for value, name, _ in base.enums.get("adreno_pm4_type3_packets", []):
        names.setdefault(name, set()).add(value)
    return names


def check(rows, base):
    known, seen = opcodes(base), set()
    for row in rows:
        for name in row.names:
            if name not in known:
                raise Fault(row.line, f"no packet is called '{name}'")
            key = (name, "mesa" in row.flags)
            if key in seen:
                raise Fault(row.line, f"{name} stands there already")
            seen.add(key)


def table(rows, packets, base):
    out = ["// Made by gen/pm4.py.", '#include "adreno/stream/effects.h"', '#include "hw/adreno_pkts.h"', ""]
    cells = []
    for k, row in enumerate(rows):
        domain = row.domain or dom_of(row.names[0], packets)
        if row.domain and row.domain not in packets.domains:
            raise Fault(row.line, f"no domain is called '{row.domain}'")
        w = Writer(packets, base, row, domain)
        w.depth = 0
        w.block(row.body)
        out += [f"// {', '.join(row.names)}" + (" as cffdump" if "mesa" in row.flags else ""),
                f"static void do_{k}(struct lull_astream *s, const struct lull_apkt_args *p)", "{", "    (void)s;",
                "    (void)p;", *w.out, "}", ""]
        flags = " | ".join(f"LULL_AS_ROW_{f.upper()}" for f in sorted(row.flags)) or "0"
        cells += [f'    {{"{n}", {flags}, do_{k}}},' for n in row.names]
    return "\n".join([*out, "const struct lull_as_row lull_as_rows[] = {", *cells, "};",
                      f"const unsigned lull_as_nrows = {len(cells)};", ""])


def dom_of(name, packets):
    if name not in packets.domains and name.startswith("CP_LOAD_STATE6_"):
        return "CP_LOAD_STATE6"
    return name


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("table_file")
    ap.add_argument("--dom", nargs="*")
    ap.add_argument("--table")
    args = ap.parse_args()
    path = args.table_file
    try:
        base = dom.Base()
        for p in args.dom or sorted(str(q) for q in DATA.glob("*.dom")):
            dom.parse(base, p)
        packets = dom.Packets(base, dom.Writer(base))
        raw = open(path, encoding="utf-8").read()
        lines = [line.split("#")[0] for line in raw.split("\n")]
        sources = {line.split()[1] for line in lines if line.startswith("source ") and len(line.split()) > 2}
        text = "\n".join("" if line.startswith("source ") else line for line in lines)
        rows = Parser(tokens_of(text), sources).rows()
        check(rows, base)
        c = table(rows, packets, base)
    except Fault as e:
        sys.exit(f"{path}:{e.line}: {e}")
    except (dom.TableError, OSError, UnicodeDecodeError) as e:
        sys.exit(str(e))
    if args.table:
        with open(args.table, "w", encoding="utf-8") as f:
            f.write(c)


if __name__ == "__main__":
    main()

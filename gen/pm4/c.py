# SPDX-License-Identifier: MIT
"""Typed rows to C. A value is a uint64_t; one that may be unknown is a struct lull_av."""
from lang.tree import Binary, Call, Cast, Choice, Do, For, If, Name, Num, Set, Slice, Unary
from lang.types import COMPARE
from pm4.names import FNS

STRUCTS = {"draw": "draw", "dispatch": "draw", "blit": "draw", "group": "group_of", "load": "load"}
HEAD = ["// Made by gen/pm4.", '#include "adreno/stream/effects.h"', '#include "hw/adreno_pkts.h"', ""]


def mask(t):
    return f"UINT64_C({(1 << t.bits) - 1:#x})"


def av(e, code):
    """CODE of E as a value that may be unknown."""
    return code if e.maybe else f"lull_av_of({code})"


class Writer:
    """The C of one row, line by line."""

    def __init__(self):
        self.out, self.depth, self.temps = [], 0, 0

    def line(self, text):
        self.out.append("    " * self.depth + text)

    def temp(self, code):
        self.temps += 1
        self.line(f"const struct lull_av t{self.temps} = {code};")
        return f"t{self.temps}"

    def expr(self, e):
        return {Num: self.num, Name: self.name, Unary: self.unary, Binary: self.binary, Choice: self.choice,
                Cast: self.cast, Slice: self.slice, Call: self.call}[type(e)](e)

    def unsure(self, e):
        return av(e, self.expr(e))

    def num(self, e):
        text = f"{e.value:#x}" if e.value > 9 else str(e.value)
        return text if e.type.bits <= 32 else f"UINT64_C({text})"

    def name(self, e):
        tag = e.var.tag
        if tag is None:
            return f"v_{e.name}"
        at = "" if e.at is None else f", {self.unsure(e.at)}" if e.maybe else f", (uint32_t)({self.expr(e.at)})"
        code = tag.c.format(at)
        return self.temp(code) if e.maybe else code

    def made(self, e, x, text):
        """E, of which TEXT is made of the value X ({}), which may be unknown."""
        code = self.expr(x)
        if not e.maybe:
            return text.format(code)
        t = self.temp(code)
        return f"((struct lull_av){{{text.format(f'{t}.v')}, {t}.known}})"

    def unary(self, e):
        if e.op == "-":
            zero = Num(0)
            zero.type = e.type
            return self.operator(e, "-", zero, e.x)
        if e.op == "~":
            return self.made(e, e.x, f"~({{}}) & {mask(e.type)}")
        return self.made(e, e.x, "{} == 0" if e.maybe else "(uint64_t)({} == 0)")

    def shifted(self, e, x, shift):
        return self.made(e, x, f"({{}}{shift}) & {mask(e.type)}" if e.maybe else f"(((uint64_t)({{}}){shift}) & {mask(e.type)})")

    def slice(self, e):
        return self.shifted(e, e.x, f" >> {e.low}" if e.low else "")

    def cast(self, e):
        return self.expr(e.x) if e.type.bits >= e.x.type.bits else self.shifted(e, e.x, "")

    def binary(self, e):
        if e.op in ("&&", "||"):
            return f"(uint64_t)(({self.expr(e.a)}) != 0 {e.op} ({self.expr(e.b)}) != 0)"
        if e.op in ("<<", ">>"):
            return self.shifted(e, e.a, f" {e.op} ({self.expr(e.b)})")
        return self.operator(e, e.op, e.a, e.b)

    def operator(self, e, op, x, y):
        a, b = self.expr(x), self.expr(y)
        if not e.maybe:
            text = f"({a}) {op} ({b})"
            return f"(uint64_t)({text})" if op in COMPARE and x.type.bits != 1 else f"(({text}) & {mask(e.type)})"
        a, b = av(x, a), av(y, b)
        if op in ("&", "|"):
            return self.temp(f"lull_av_{'and' if op == '&' else 'or'}({a}, {b}, {mask(e.type)})")
        s, t = self.temp(a), self.temp(b)
        return f"((struct lull_av){{({s}.v {op} {t}.v) & {mask(e.type)}, {s}.known && {t}.known}})"

    def quiet(self, e):
        """The expression, and the lines that it needs, which are not written yet."""
        held, self.out = self.out, []
        code = self.expr(e)
        lines, self.out = self.out, held
        return code, lines

    def choice(self, e):
        cond = self.expr(e.cond)
        (a, before_a), (b, before_b) = self.quiet(e.a), self.quiet(e.b)
        if not e.maybe:
            return f"(({cond}) != 0 ? {a} : {b})"
        if e.cond.maybe:
            self.out += before_a + before_b
            return self.temp(f"lull_av_choose({cond}, {av(e.a, a)}, {av(e.b, b)})")
        self.temps += 1
        t = f"t{self.temps}"
        self.line(f"struct lull_av {t};")
        for head, lines, code in ((f"if (({cond}) != 0) {{", before_a, av(e.a, a)), ("} else {", before_b, av(e.b, b))):
            self.line(head)
            self.out += ["    " + text for text in lines]
            self.line(f"    {t} = {code};")
        self.line("}")
        return t

    def cat(self, e):
        codes, below, values, known = [self.expr(a) for a in e.args], 0, [], []
        for a, code in zip(reversed(e.args), reversed(codes)):
            if a.maybe:
                t = self.temp(code)
                code = f"{t}.v"
                known.append(f"{t}.known")
            values.append(f"((uint64_t)({code}) << {below})" if below else f"({code})")
            below += a.type.bits
        text = " | ".join(values)
        return f"((struct lull_av){{{text}, {' && '.join(known)}}})" if e.maybe else f"({text})"

    def call(self, e):
        if e.name == "cat":
            return self.cat(e)
        if e.name == "unknown":
            return "lull_av_unknown()"
        if e.name == "rotl":
            return self.temp(f"lull_av_rotl({self.unsure(e.args[0])}, (unsigned)({self.expr(e.args[1])}))")
        f, g, a, b = (self.expr(x) for x in e.args)
        return self.temp(f"lull_av_test((unsigned)({f}), {g} != 0, {av(e.args[2], a)}, {av(e.args[3], b)})")

    def body(self, body):
        self.depth += 1
        for s in body:
            {Set: self.set, Do: self.do, If: self.condition, For: self.loop}[type(s)](s)
        self.depth -= 1

    def set(self, s):
        target = s.targets[0]
        if s.type is not None:
            code = self.expr(s.value)
            self.line(f"const {'struct lull_av' if s.value.maybe else 'uint64_t'} v_{target.name} = {code};")
            return
        at, value = self.unsure(target.at), self.unsure(s.value)
        self.line(f"lull_as_set_{target.name[:-2].lower()}(s, {at}, {value});")

    def loop(self, s):
        first, end, c = self.expr(s.first), self.expr(s.end), f"v_{s.name}"
        self.line(f"const uint64_t {c}_end = {end};")
        self.line(f"for (uint64_t {c} = {first}; {c} < {c}_end && lull_as_busy(s); {c}++) {{")
        self.body(s.body)
        self.line("}")

    def condition(self, s):
        cond = self.expr(s.cond)
        if s.cond.maybe:
            self.temps += 1
            t = f"t{self.temps}"
            self.line(f"const enum lull_as_outcome {t} = lull_as_branch(s, {cond});")
            for body, no in ((s.then, "LULL_AS_NOT_TAKEN"), (s.other, "LULL_AS_TAKEN")):
                if body:
                    self.line(f"if ({t} != {no}) {{")
                    self.line(f"    lull_as_begin(s, {t});")
                    self.body(body)
                    self.line(f"    lull_as_end(s, {t});")
                    self.line("}")
            return
        self.line(f"if (({cond}) != 0) {{")
        self.body(s.then)
        if s.other:
            self.line("} else {")
            self.body(s.other)
        self.line("}")

    def argument(self, e, unsure):
        code = self.expr(e)
        return av(e, code) if unsure else {1: f"({code}) != 0", 32: f"(uint32_t)({code})", 64: code}[e.type.bits]

    def do(self, s):
        name, unsure = s.call.name, FNS[s.call.name].unsure
        cells = [self.argument(a, str(n) in unsure) for n, a in enumerate(s.call.args)]
        if name in STRUCTS:
            cells = ", ".join(f".{key} = {c}" for key, c in zip(s.call.keys, cells)) or "0"
            cells = [f"&(struct lull_as_{STRUCTS[name]}){{{cells}}}"]
        call = f"lull_as_do_{name}({', '.join(['s', *cells])})"
        self.line(f"if (!{call}) {{" if name == "need" else f"{call};")
        if name == "need":
            self.line("    return;")
            self.line("}")


def table(rows):
    out, cells = list(HEAD), []
    for k, row in enumerate(rows):
        w = Writer()
        w.body(row.body)
        out += [f"// {', '.join(row.names)}" + (" as cffdump" if "mesa" in row.flags else ""),
                f"static void do_{k}(struct lull_astream *s, const struct lull_apkt_args *p)", "{", "    (void)s;",
                "    (void)p;", *w.out, "}", ""]
        flags = " | ".join(f"LULL_AS_ROW_{f.upper()}" for f in sorted(row.flags)) or "0"
        cells += [f'    {{"{n}", {flags}, do_{k}}},' for n in row.names]
    return "\n".join([*out, "const struct lull_as_row lull_as_rows[] = {", *cells, "};",
                      f"const unsigned lull_as_nrows = {len(cells)};", ""])

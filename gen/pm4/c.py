# SPDX-License-Identifier: MIT
"""Typed rows to C. A value that may be unknown is a struct lull_av; what is known is as lang.c writes it."""
from lang import c
from lang.tree import Binary, Call, Choice, Do, For, If, Name, Set, children
from lang.types import TAKES
from pm4.names import FNS

STRUCTS = {"draw": "draw", "dispatch": "draw", "blit": "draw", "group": "group_of", "load": "load"}
HEAD = ["// Made by gen/pm4.", '#include "adreno/stream/effects.h"', '#include "hw/adreno_pkts.h"', ""]


def av(e, code):
    """CODE of E as a value that may be unknown."""
    return code if e.maybe else f"lull_av_of({code})"


class Writer(c.Writer):
    """The C of one row, line by line."""

    def __init__(self):
        super().__init__(None)
        self.out, self.depth, self.temps, self.done = [], 0, 0, {}

    def line(self, text):
        self.out.append("    " * self.depth + text)

    def temp(self, code):
        if code.isidentifier():
            return code
        self.temps += 1
        self.line(f"const struct lull_av t{self.temps} = {code};")
        return f"t{self.temps}"

    def expr(self, e):
        if id(e) in self.done:
            return self.done[id(e)]
        if not e.maybe or isinstance(e, Name):
            return super().expr(e)
        if isinstance(e, Choice):
            return self.unsure_choice(e)
        if isinstance(e, Call) and e.name not in TAKES:
            return self.function(e)
        if isinstance(e, Binary) and e.op in ("&", "|"):
            a, b = self.expr(e.a), self.expr(e.b)
            return self.temp(f"lull_av_{'and' if e.op == '&' else 'or'}({av(e.a, a)}, {av(e.b, b)}, {c.mask(e.type)})")
        return self.lifted(e)

    def lifted(self, e):
        """What is computed of known values, and is known if they are."""
        known = []
        for x, code in [(x, self.expr(x)) for x in children(e)]:
            if x.maybe:
                code = self.temp(code)
                known.append(f"{code}.known")
                code = f"({c.ctype(x.type)}){code}.v"
            self.done[id(x)] = code
        return f"((struct lull_av){{{super().expr(e)}, {' && '.join(known)}}})"

    def unsure(self, e):
        return av(e, self.expr(e))

    def name(self, e):
        if e.var.tag is None:
            return f"v_{e.name}"
        at = "" if e.at is None else f", {self.unsure(e.at) if e.maybe else self.expr(e.at)}"
        code = e.var.tag.c.format(at)
        return self.temp(code) if e.maybe else code

    def quiet(self, e):
        """The expression, and the lines that it needs, which are not written yet."""
        held, self.out = self.out, []
        code = self.expr(e)
        lines, self.out = self.out, held
        return code, lines

    def unsure_choice(self, e):
        cond = self.expr(e.cond)
        (a, before_a), (b, before_b) = self.quiet(e.a), self.quiet(e.b)
        if e.cond.maybe:
            self.out += before_a + before_b
            return self.temp(f"lull_av_choose({cond}, {av(e.a, a)}, {av(e.b, b)})")
        self.temps += 1
        t = f"t{self.temps}"
        self.line(f"struct lull_av {t};")
        for head, lines, code in ((f"if ({cond} != 0) {{", before_a, av(e.a, a)), ("} else {", before_b, av(e.b, b))):
            self.line(head)
            self.out += ["    " + text for text in lines]
            self.line(f"    {t} = {code};")
        self.line("}")
        return t

    def function(self, e):
        if e.name == "unknown":
            return "lull_av_unknown()"
        if e.name == "rotl":
            return self.temp(f"lull_av_rotl({self.unsure(e.args[0])}, {self.expr(e.args[1])})")
        f, g, a, b = (self.expr(x) for x in e.args)
        return self.temp(f"lull_av_test({f}, {g} != 0, {av(e.args[2], a)}, {av(e.args[3], b)})")

    def body(self, body):
        self.depth += 1
        for s in body:
            {Set: self.set, Do: self.do, If: self.condition, For: self.loop}[type(s)](s)
        self.depth -= 1

    def set(self, s):
        target = s.targets[0]
        if s.type is not None:
            code = self.expr(s.value)
            self.line(f"const {'struct lull_av' if s.value.maybe else c.ctype(s.value.type)} v_{target.name} = {code};")
            return
        at, value = self.unsure(target.at), self.unsure(s.value)
        self.line(f"lull_as_set_{target.name[:-2].lower()}(s, {at}, {value});")

    def loop(self, s):
        first, end, i = self.expr(s.first), self.expr(s.end), f"v_{s.name}"
        self.line(f"const uint32_t {i}_end = {end};")
        self.line(f"for (uint32_t {i} = {first}; {i} < {i}_end && lull_as_busy(s); {i}++) {{")
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
        self.line(f"if ({cond} != 0) {{")
        self.body(s.then)
        if s.other:
            self.line("} else {")
            self.body(s.other)
        self.line("}")

    def argument(self, e, unsure):
        code = self.expr(e)
        return av(e, code) if unsure else f"{code} != 0" if e.type.bits == 1 else code

    def do(self, s):
        name, unsure = s.call.name, FNS[s.call.name].unsure
        cells = [self.argument(a, str(n) in unsure) for n, a in enumerate(s.call.args)]
        if name in STRUCTS:
            cells = ", ".join(f".{key} = {cell}" for key, cell in zip(s.call.keys, cells)) or "0"
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

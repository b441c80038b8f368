# SPDX-License-Identifier: MIT
"""Text to trees: expressions with C's operators and precedence, and statements. docs/formats/sem-language.md."""
import re
from collections import namedtuple

from lang.tree import Binary, Call, Cast, Choice, Do, For, If, Name, Num, SemError, Set, Slice, Unary
from lang.types import TYPES

TOKEN = re.compile(r"\s+|(?P<number>0x[0-9a-fA-F]+|\d+(?![A-Za-z_]))|(?P<name>\d*[A-Za-z_]\w*)|"
                   r"(?P<sign>\.\.|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/&|^~!?:;,.<>=(){}\[\]])")
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/"]]
Token = namedtuple("Token", "kind text line start")  # KIND: number, name, sign, or end: of the text.


def tokens(text, line):
    out, at = [], 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if m is None:
            raise SemError(f"'{text[at]}' does not belong here", line)
        if m.lastgroup:
            out.append(Token(m.lastgroup, m[0], line, at))
        line += m[0].count("\n")
        at = m.end()
    return out + [Token("end", "", line, at)]


class Parser:
    def __init__(self, text, line=0):
        self.text, self.tokens, self.at = text, tokens(text, line), 0

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self, kind="", what=""):
        t = self.peek()
        if t.kind == "end":
            raise SemError("ends in the middle", t.line)
        if kind and t.kind != kind:
            raise SemError(f"'{t.text}' is not {what}", t.line)
        self.at += 1
        return t

    def accept(self, text):
        if self.peek().text == text:
            self.at += 1
            return True
        return False

    def want(self, text):
        t = self.take()
        if t.text != text:
            raise SemError(f"'{t.text}' where '{text}' belongs", t.line)

    def name(self):
        return self.take("name", "a name").text

    def number(self):
        return int(self.take("number", "a number").text, 0)

    def made(self, line, node):
        node.line = line
        return node

    def body(self, end=""):
        """Statements up to END, the end of the text if there is none."""
        out = []
        while self.peek().text != end:
            out.append(self.statement())
        return out

    def block(self):
        self.want("{")
        body = self.body("}")
        self.want("}")
        return body

    def statement(self):
        t = self.peek()
        return self.made(t.line, {"if": self.condition, "for": self.loop}.get(t.text, self.simple)())

    def condition(self):
        self.want("if")
        self.want("(")
        cond = self.choice()
        self.want(")")
        then, other = self.block(), []
        if self.accept("else"):
            other = [self.statement()] if self.peek().text == "if" else self.block()
        return If(cond, then, other)

    def loop(self):
        self.want("for")
        name = self.name()
        self.want("in")
        first = self.choice()
        self.want("..")
        return For(name, first, self.choice(), self.block())

    def simple(self):
        if self.peek(1).text == "(":
            s = Do(self.primary())
        else:
            declared = self.take().text if self.peek().text in TYPES and self.peek(1).kind == "name" else None
            targets = [self.place()]
            while self.accept(","):
                targets.append(self.place())
            self.want("=")
            s = Set(targets, self.choice(), declared)
        if self.peek().kind != "end":
            self.want(";")
        return s

    def choice(self):
        cond = self.binary(0)
        line = self.peek().line
        if not self.accept("?"):
            return cond
        a = self.choice()
        self.want(":")
        return self.made(line, Choice(cond, a, self.choice()))

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek().text in LEVELS[level]:
            t = self.take()
            left = self.made(t.line, Binary(t.text, left, self.binary(level + 1)))
        return left

    def unary(self):
        t = self.peek()
        if t.text in ("-", "~", "!"):
            self.at += 1
            return self.made(t.line, Unary(t.text, self.unary()))
        if t.text == "(" and self.peek(1).text in TYPES and self.peek(2).text == ")":
            self.at += 3
            return self.made(t.line, Cast(self.peek(-2).text, self.unary()))
        e = self.primary()
        while self.accept("["):
            high = self.number()
            self.want(":")
            e = self.made(t.line, Slice(e, high, self.number()))
            self.want("]")
        return e

    def primary(self):
        t = self.peek()
        if self.accept("("):
            e = self.choice()
            self.want(")")
            return e
        if t.kind == "name" and self.peek(1).text == "(":
            return self.made(t.line, self.call())
        if t.kind == "number":
            return self.made(t.line, Num(self.number()))
        if t.kind == "sign":
            raise SemError(f"'{t.text}' where a value belongs", t.line)
        return self.place()

    def call(self):
        name, args, keys = self.name(), [], []
        self.want("(")
        while not self.accept(")"):
            if args:
                self.want(",")
            named = self.peek().kind == "name" and self.peek(1).text == ":"
            keys.append(self.name() if named else "")
            self.at += named
            args.append(self.choice())
        if name in TYPES and len(args) == 1:
            return Cast(name, args[0], True)
        return Call(name, args, keys)

    def place(self):
        """A name, also A.B, and what stands in brackets behind it."""
        start, at = self.peek(), None
        name = self.name()
        if self.accept("."):
            name += "." + self.name()
        if self.peek().text == "[" and (self.peek(1).kind != "number" or self.peek(2).text != ":"):
            self.want("[")
            at = self.choice()
            self.want("]")
            name += "[]"
        last = self.tokens[self.at - 1]
        text = re.sub(r"\s+", " ", self.text[start.start:last.start + len(last.text)])
        return self.made(start.line, Name(name, at, text))


def parse(text):
    """Statements of TEXT that set names: there is nothing else in rows of instructions."""
    body = Parser(text).body()
    if not all(isinstance(s, Set) for s in body):
        raise SemError("a row only sets names")
    return body

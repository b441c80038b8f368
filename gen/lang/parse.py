# SPDX-License-Identifier: MIT
"""Text of a row to a list of Set. The operators are C's, with C's precedence; there are no loops and no effects."""
import re

from lang.tree import Binary, Call, Cast, Choice, Name, Num, SemError, Set, Unary

TOKEN = re.compile(r"\s*(0x[0-9a-fA-F]+|\d+|[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*&|^~!<>?:=(),;])")
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*"]]


def tokens(text):
    out, at = [], 0
    while text[at:].strip():
        m = TOKEN.match(text, at)
        if m is None:
            raise SemError(f"'{text[at:].strip()[0]}' does not belong here")
        out.append(m[1])
        at = m.end()
    return out


class Parser:
    def __init__(self, text, types):
        self.tokens, self.at, self.types = tokens(text), 0, types

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else None

    def take(self):
        t = self.peek()
        if t is None:
            raise SemError("ends in the middle")
        self.at += 1
        return t

    def accept(self, text):
        if self.peek() == text:
            self.at += 1
            return True
        return False

    def want(self, text):
        t = self.take()
        if t != text:
            raise SemError(f"'{t}' where '{text}' belongs")

    def name(self):
        t = self.take()
        if not re.fullmatch(r"[A-Za-z_]\w*", t):
            raise SemError(f"'{t}' is not a name")
        return t

    def statements(self):
        out = []
        while self.peek() is not None:
            out.append(self.statement())
            if self.peek() is not None:
                self.want(";")
        return out

    def statement(self):
        declared = self.take() if self.peek() in self.types else None
        targets = [self.name()]
        while self.accept(","):
            targets.append(self.name())
        self.want("=")
        return Set(targets, self.choice(), declared)

    def choice(self):
        cond = self.binary(0)
        if not self.accept("?"):
            return cond
        a = self.choice()
        self.want(":")
        return Choice(cond, a, self.choice())

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in LEVELS[level]:
            left = Binary(self.take(), left, self.binary(level + 1))
        return left

    def unary(self):
        if self.peek() in ("-", "~", "!"):
            return Unary(self.take(), self.unary())
        if self.peek() == "(" and self.peek(1) in self.types and self.peek(2) == ")":
            self.at += 3
            return Cast(self.tokens[self.at - 2], self.unary())
        return self.primary()

    def primary(self):
        t = self.take()
        if t == "(":
            e = self.choice()
            self.want(")")
            return e
        if t[0].isdigit():
            return Num(int(t, 0))
        if not re.fullmatch(r"[A-Za-z_]\w*", t):
            raise SemError(f"'{t}' where a value belongs")
        if not self.accept("("):
            return Name(t)
        args = []
        while not self.accept(")"):
            if args:
                self.want(",")
            args.append(self.choice())
        return Call(t, args)


def parse(text, types):
    """Statements of TEXT; TYPES are the names that begin a declaration or a cast."""
    return Parser(text, types).statements()

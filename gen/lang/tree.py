# SPDX-License-Identifier: MIT
"""Nodes of the tree, and walks over it."""
from dataclasses import dataclass, field


class SemError(Exception):
    """A fault in a table. LINE is 0 where only the reader of the table knows it; the reader adds the file."""

    def __init__(self, text, line=0):
        super().__init__(text)
        self.line = line


@dataclass
class Node:
    line: int = field(default=0, init=False, compare=False)


@dataclass
class Expr(Node):
    """TYPE and MAYBE (the value may be unknown) are filled in by types.py."""
    type: object = field(default=None, init=False, compare=False)
    maybe: bool = field(default=False, init=False, compare=False)


@dataclass
class Num(Expr):
    value: int


@dataclass
class Name(Expr):
    """A name, also A.B; of an element of an array NAME ends in [] and AT says which. TEXT is how the table says it."""
    name: str
    at: Expr = None
    text: str = ""
    var: object = field(default=None, init=False, compare=False)  # What types.py found.


@dataclass
class Unary(Expr):
    op: str
    x: Expr


@dataclass
class Binary(Expr):
    op: str
    a: Expr
    b: Expr


@dataclass
class Choice(Expr):
    """cond ? a : b. Both may be computed: no expression has an effect."""
    cond: Expr
    a: Expr
    b: Expr


@dataclass
class Cast(Expr):
    """(to)x, or to(x) if WIDEN: then nothing is lost."""
    to: str
    x: Expr
    widen: bool = False


@dataclass
class Slice(Expr):
    """x[high:low]"""
    x: Expr
    high: int
    low: int


@dataclass
class Call(Expr):
    """KEYS has the name of each argument, or ""."""
    name: str
    args: list
    keys: list = field(default_factory=list)


@dataclass
class Set(Node):
    """targets = value; a declaration if TYPE is set. Two targets take the two results of one call."""
    targets: list  # Of Name.
    value: Expr
    type: str = None


@dataclass
class Do(Node):
    """A call for its effect."""
    call: Call


@dataclass
class If(Node):
    cond: Expr
    then: list
    other: list


@dataclass
class For(Node):
    """NAME goes from FIRST up to END, which it does not reach."""
    name: str
    first: Expr
    end: Expr
    body: list


def children(n):
    return [c for v in vars(n).values() for c in (v if isinstance(v, list) else [v]) if isinstance(c, Node)]


def walk(n):
    """N, a node or a list of them, and everything below it, in the order of the text."""
    for c in n if isinstance(n, list) else [n]:
        yield c
        yield from walk(children(c))

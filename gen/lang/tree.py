# SPDX-License-Identifier: MIT
"""Nodes of the tree, and walks over it. TYPE is filled in by types.py."""
from dataclasses import dataclass, field


class SemError(Exception):
    """A fault in a row. The message names neither file nor line: the reader of the table adds them."""


@dataclass
class Expr:
    type: object = field(default=None, init=False, compare=False)


@dataclass
class Num(Expr):
    value: int


@dataclass
class Name(Expr):
    name: str


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
    """cond ? a : b. Both are computed: nothing in the language has an effect."""
    cond: Expr
    a: Expr
    b: Expr


@dataclass
class Cast(Expr):
    to: str
    x: Expr


@dataclass
class Call(Expr):
    name: str
    args: list


@dataclass
class Set:
    """targets = value; a declaration if TYPE is set. Two targets take the two results of one call."""
    targets: list
    value: Expr
    type: str = None


def children(e):
    if isinstance(e, Unary):
        return [e.x]
    if isinstance(e, Binary):
        return [e.a, e.b]
    if isinstance(e, Choice):
        return [e.cond, e.a, e.b]
    if isinstance(e, Cast):
        return [e.x]
    if isinstance(e, Call):
        return e.args
    return []


def walk(e):
    """E and everything below it, in the order of the text."""
    yield e
    for c in children(e):
        yield from walk(c)


def walk_all(body):
    for s in body:
        yield from walk(s.value)

# SPDX-License-Identifier: MIT
"""The reader of the table: rows, parsed and typed."""
from dataclasses import dataclass, field

from lang.parse import Parser
from lang.tree import SemError
from pm4.names import Checker, variables


@dataclass
class Row:
    names: list
    line: int
    domain: str = ""  # Whose fields the packet has.
    flags: set = field(default_factory=set)
    sources: list = field(default_factory=list)
    body: list = field(default_factory=list)
    text: str = ""  # Of the body.


def row(p, sources):
    out = Row([], p.peek().line)
    p.want("packet")
    out.names = [p.name()]
    while p.accept(","):
        out.names.append(p.name())
    while not p.accept(":"):
        t = p.take()
        if t.text == "fields":
            out.domain = p.name()
        elif t.text in ("mesa", "groups"):
            out.flags.add(t.text)
        else:
            raise SemError(f"'{t.text}' is neither fields, groups nor mesa", t.line)
    while p.peek().text != "{":
        t = p.peek()
        out.sources.append(p.name())
        if t.text not in sources:
            raise SemError(f"unknown source '{t.text}'", t.line)
    if not out.sources:
        raise SemError(f"{out.names[0]}: every row names its source", out.line)
    start = p.peek().start + 1
    out.body = p.block()
    out.text = p.text[start:p.peek(-1).start].strip("\n")
    return out


def read(path):
    """Rows of PATH, not typed yet, and its sources: key -> what it is."""
    with open(path, encoding="utf-8") as f:
        lines = [line.split("#")[0].rstrip() for line in f]
    words = [line.split(maxsplit=2) for line in lines if line.startswith("source ")]
    sources = {w[1]: w[2] for w in words if len(w) == 3}
    p = Parser("\n".join("" if line.startswith("source ") else line for line in lines), 1)
    rows = []
    while p.peek().kind != "end":
        rows.append(row(p, sources))
    return rows, sources


def domain_of(name, packets):
    if name not in packets.domains and name.startswith("CP_LOAD_STATE6_"):
        return "CP_LOAD_STATE6"
    return name


def check(rows, packets, base):
    opcodes, seen = {name for _, name, _ in base.enums.get("adreno_pm4_type3_packets", [])}, set()
    everything = variables(packets)
    for r in rows:
        for name in r.names:
            key = (name, "mesa" in r.flags)
            if name not in opcodes or key in seen:
                raise SemError(f"{name} stands there already" if key in seen else f"no packet is called '{name}'", r.line)
            seen.add(key)
        if r.domain and r.domain not in packets.domains:
            raise SemError(f"no domain is called '{r.domain}'", r.line)
        r.domain = r.domain or domain_of(r.names[0], packets)
        Checker(variables(packets, r.domain) | everything, base).body(r.body)

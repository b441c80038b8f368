# SPDX-License-Identifier: MIT
"""A page of Markdown for each packet: its fields, what it does, what it reads and writes."""
import textwrap

from lang import uses
from lang.tree import Do, walk


def place(p):
    parts = [p] + ([p.high] if p.high else [])
    text = ", ".join(f"dword {q.dword + 1}" + ("" if (q.lo, q.hi) == (0, 31) else f" [{q.hi}:{q.lo}]") for q in parts)
    return text + (f" << {p.shr}" if p.shr else "") + (f" ({', '.join(p.conds)})" if p.conds else "")


def used(row):
    """What a row reads of each kind (fields, spaces of state), and what it writes and does, as the table says it."""
    names = [e for e in uses.read_nodes(row.body) if e.var.tag]
    out = {"Fields": [e.text for e in names if e.var.tag.kind == "field"],
           "Reads": [e.text for e in names if e.var.tag.kind == "space" or e.name in ("MODES", "THREADS")],
           "Writes": [t.text for t in uses.write_nodes(row.body)],
           "Does": [s.call.name for s in walk(row.body) if isinstance(s, Do)]}
    return {what: list(dict.fromkeys(texts)) for what, texts in out.items() if texts}


def section(row, sources):
    out = ["## As cffdump takes it" if "mesa" in row.flags else "## What it does", ""]
    if row.body:
        out += ["```", textwrap.dedent(row.text), "```", ""]
    else:
        out += ["Nothing that the engine keeps.", ""]
    out += ["Groups of draw state run before.", ""] if "groups" in row.flags else []
    for what, texts in used(row).items():
        out += [f"{what}: {', '.join(f'`{t}`' for t in texts)}.", ""]
    return out + [f"Source: {s}: {sources[s]}." for s in row.sources] + [""]


def page(name, rows, sources, packets, base):
    opcodes = [f"{value:#x}" + (f" ({cond})" if cond else "") for value, n, cond in base.enums["adreno_pm4_type3_packets"]
               if n == name]
    fields = packets.domains.get(rows[0].domain, {}).values()
    out = [f"# {name}", "", f"Opcode {', '.join(opcodes)}.", ""]
    out += ["| field | bits | where |", "|---|---|---|"] if fields else []
    out += [f"| {f.name}{'[]' if f.stride else ''} | {f.bits()} | {'; '.join(map(place, f.places))} |" for f in fields]
    return "\n".join(out + ([""] if fields else []) + [line for row in rows for line in section(row, sources)])


def write(rows, sources, packets, base, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted({n for row in rows for n in row.names}):
        mine = sorted((row for row in rows if name in row.names), key=lambda row: "mesa" in row.flags)
        (folder / f"{name}.md").write_text(page(name, mine, sources, packets, base), encoding="utf-8")

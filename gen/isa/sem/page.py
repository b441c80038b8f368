# SPDX-License-Identifier: MIT
"""A page of Markdown for each instruction: operands, encodings, what it computes, what it reads and writes."""
from sem import used


def page(op, row, isa):
    operands = [f"| {letter} | {isa.slots[letter]} | {kind}, {isa.types[kind][1]} |" for letter, kind, _ in op.operands]
    codes = ", ".join(f"{enc} {code:#x}" for enc, code in op.codes)
    reads, writes = used.of_row(row)
    out = [f"# {op.name}", "", f"Encodings: {codes}. Source: {row.source}.", ""]
    out += ["| operand | field | type |", "|---|---|---|", *operands, ""] if operands else []
    if row.body:
        out += [f"For each {'lane' if row.kind == 'lane' else 'wave'}:", "", "```", *row.text.split("; "), "```", ""]
    for word, names in (("Reads", reads), ("Writes", writes)):
        if names:
            out += [f"{word} {', '.join(s for s in used.STATES if s in names)}.", ""]
    return "\n".join(out)


def write(sem, isa, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for op in isa.ops:
        if op.name in sem.rows:
            (folder / f"{op.name}.md").write_text(page(op, sem.rows[op.name], isa), encoding="utf-8")

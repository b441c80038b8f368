# SPDX-License-Identifier: MIT
"""What each instruction reads and writes besides its sources: for slicing, liveness and hazards. From the rows of
semantics, and for memory instructions from the table of what they move."""
from sem.rows import STATE

STATES = ("DST", "SDST", "SRC0", *STATE)  # SRC0: only as written, by an instruction that swaps.
SCALAR_ENCODINGS = {"SMEM"}
DEST = {"D": "DST", "DHI": "DST", "DLO": "DST", "E": "SDST"}


def of_row(row):
    """(reads, writes) as names of STATES."""
    reads = {DEST.get(n, n) for n in row.reads}
    writes = {DEST.get(n, n) for n in row.writes} | ({"SRC0"} if "A" in row.writes else set())
    if {"DHI", "DLO"} & set(row.writes):
        reads.add("DST")  # The other half stays.
    if row.kind == "lane" and row.word != "nop":
        reads.add("EXEC")
        writes |= {"DST"} if "EXEC" in row.writes else set()
    return reads & set(STATES), writes & set(STATES)


def of_memory(op, flags):
    reads = set() if {e for e, _ in op.codes} & SCALAR_ENCODINGS else {"EXEC"}
    return reads | ({"M0"} if {"m0", "lds"} & set(flags) else set()), {"DST"} & {DEST.get(s, s) for s, _, _ in op.operands}


def mode_reads(sem, row, op):
    """MODE, if a function of the row looks at it, or clamp or omod of a float do."""
    float_out = any(s == "D" and t.lstrip("v2b") in ("f16", "f32", "f64") for s, t, _ in op.operands)
    modified = row.kind == "lane" and float_out and {"clamp", "omod"} & set(op.flags)
    return {"MODE"} if modified or any("mode" in fn.options for fn in sem.calls(row.body)) else set()


def table(isa, sem, memory):
    """Mnemonic -> (reads, writes), sorted as STATES."""
    out = {}
    for op in isa.ops:
        row = sem.rows.get(op.name)
        if row is not None:
            reads, writes = of_row(row)
            reads = reads | mode_reads(sem, row, op)
        elif op.name in memory:
            reads, writes = of_memory(op, memory[op.name])
        else:
            reads, writes = set(), set()
        out[op.name] = tuple([s for s in STATES if s in names] for names in (reads, writes))
    return out

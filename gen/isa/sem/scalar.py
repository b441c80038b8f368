# SPDX-License-Identifier: MIT
"""Rows to C: scalar functions, the functions that the language defines, and the table of rows."""
from lang import uses
from lang.c import Writer, ctype
from lang.types import TYPES
from sem import operands

HEAD = ["// SPDX-License-Identifier: MIT", "// Made by gen/isa from data/isa/rdna3.sem. Do not edit."]


def call(sem):
    """Writer of calls without host forms."""
    def text(name, args, result):
        args = args + (["M"] if "mode" in sem.fns[name].options else [])
        return f"({ctype(result)})lull_{name}({', '.join(args)})"
    return text


def needs_mode(sem, body):
    return any("mode" in fn.options for fn in sem.calls(body))


def typed(row, body):
    """Types of all names of BODY, its own among them."""
    return row.vars | {s.targets[0].name: TYPES[s.type] for s in body if s.type is not None}


def write_functions(sem):
    """Header of the functions that the table defines."""
    guard = "LULL_MODEL_RDNA_SEM_FNS_H"
    out = HEAD + [f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", ""]
    writer = Writer(call(sem))
    for fn in sem.fns.values():
        if fn.body is None:
            continue
        types = {"R": fn.results[0]} | {n: t for t, n in fn.params}
        params = ", ".join(f"{ctype(t)} {n}" for t, n in fn.params)
        out += [f"static inline {ctype(fn.results[0])} lull_{fn.name}({params})", "{",
                f"    {ctype(fn.results[0])} R = 0;"]
        for s in fn.body:
            types |= {s.targets[0].name: TYPES[s.type]} if s.type else {}
            out.append(f"    {writer.statement(s, types)};")
        out += ["    return R;", "}", ""]
    return out + ["#endif"]


def operand_reads(row):
    out, used, slots = [], uses.names(row.body), row.slots
    for n, slot in enumerate("AB"):
        if slot in slots and slot in used:
            t = row.vars[slot]
            fn = "lull_s64" if operands.bits(slots[slot]) == 64 else "lull_s32"
            out.append(f"    const {ctype(t)} {slot} = ({ctype(t)}){fn}(w, u, {n}, LULL_T_{operands.tag(slots[slot])});")
    return out


def state_reads(row, wide):
    used = uses.names(row.body) | set(row.writes)
    out = ["    const int32_t K = u->in->imm;"] if "K" in used else []
    state = {"SCC": "w->scc", "MODE": "w->mode", "STATUS": "w->status", "VCC": "lull_wave_vcc(w)"}
    out += [f"    {ctype(row.vars[n])} {n} = {read};" for n, read in state.items() if n in used]
    if used & {"NEXT", "PC"}:
        out.append("    const uint64_t NEXT = w->pc + u->in->size;")
    if "EXEC" in used:
        read = "lull_wave_exec(w)" if "D" not in row.slots else \
            "lull_sgpr64(w, LULL_RDNA_EXEC)" if wide else "w->sgpr[LULL_RDNA_EXEC]"
        out.append(f"    {ctype(row.vars['EXEC'])} EXEC = {read};")
    return out + (["    uint64_t PC = NEXT;"] if "PC" in used else [])


def result_writes(row, wide):
    width, cast = ("64", "uint64_t") if wide else ("", "uint32_t")
    out = []
    for name in row.writes:
        if name in ("SCC", "MODE"):
            out.append(f"    w->{name.lower()} = {name};")
    if "EXEC" in row.writes:
        out.append(f"    lull_sgpr_write{width}(w, LULL_RDNA_EXEC, EXEC);")
    if "D" in row.writes:
        out.append(f"    lull_sgpr_write{width}(w, u->in->dst, ({cast})D);")
    if "PC" in row.writes:
        return out + ["    w->pc = PC;", "    return LULL_EXEC_JUMP;"]
    return out + ["    return LULL_EXEC_NEXT;"]


def function(sem, row):
    wide = "D" in row.slots and operands.bits(row.slots["D"]) == 64
    out = [f"static enum lull_exec_result sem_{row.name}(struct lull_wave *w, const struct lull_uop *u)", "{",
           "    (void)w, (void)u;"] + operand_reads(row)
    if "D" in uses.names(row.body) or "D" in row.writes:
        read = "lull_sgpr64(w, u->in->dst)" if wide else "w->sgpr[u->in->dst & 127]"
        t = ctype(row.vars["D"])
        out.append(f"    {t} D = {f'({t}){read}' if 'D' in row.reads else 0};")
    out += state_reads(row, wide)
    writer, types = Writer(call(sem)), typed(row, row.body)
    out += [f"    {writer.statement(s, types)};" for s in row.body]
    return out + result_writes(row, wide) + ["}", ""]


def write_scalar(sem):
    out = HEAD + ['#include "model/amd/exec/uop.h"', "", '#include "model/rdna_sem_fns.h"', ""]
    table = []
    for name in sorted(sem.rows):
        row = sem.rows[name]
        if row.kind == "scalar" and row.body:
            out += function(sem, row)
            table.append(f"    [LULL_RDNA_OP_{name.upper()}] = sem_{name},")
    return out + ["lull_uop_fn *const lull_sem_scalar[LULL_RDNA_NOPS] = {"] + table + ["};"]


def info(row):
    """Kind, flags and operand types of a row, as enum lull_sem_* calls them."""
    kind = row.word.upper() if row.word else "LANES" if row.kind == "lane" else "SCALAR"
    known = uses.names(row.body) | set(row.writes)
    flags = []
    if kind == "LANES":
        flags += [f for f, on in (("DREAD", "D" in row.reads), ("DHI", "DHI" in row.writes), ("VCC", "VCC" in known),
                                  ("CLAMP", "CLAMP" in known), ("EXEC", "EXEC" in row.writes)) if on]
    flags += ["MODE"] if row.body and "MODE" in row.writes else []
    return kind, flags, [operands.tag(row.slots.get(s, "")) for s in "DABC"]


def write_info(sem):
    out = HEAD + ['#include "model/amd/exec/uop.h"', "", "const struct lull_sem lull_sem[LULL_RDNA_NOPS] = {"]
    for name in sorted(sem.rows):
        kind, flags, t = info(sem.rows[name])
        bits = " | ".join(f"LULL_SEM_{f}" for f in flags) or "0"
        t = [f"LULL_T_{x}" for x in t]
        out.append(f"    [LULL_RDNA_OP_{name.upper()}] = {{LULL_SEM_{kind}, {bits}, {t[0]}, {{{', '.join(t[1:])}}}}},")
    return out + ["};"]

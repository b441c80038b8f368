# SPDX-License-Identifier: MIT
"""Rows of kind scalar to C once more, for the compiler of waves: functions whose machine code is copied, with the places of
registers and constants put in. Such a place is the address of a symbol that nothing defines; gen/lift reads where it stands."""
from lang import uses
from lang.c import Writer, ctype
from sem import operands
from sem.scalar import HEAD, call, typed

ELSEWHERE = {"PC", "NEXT", "MODE", "STATUS", "VCC"}  # Rows that use these are left to the interpreter's functions.

PROLOGUE = """#include "model/amd/exec/uop.h"
#include "model/rdna_sem_fns.h"

// Offsets of registers in the wave, or constants.
extern char hole_a[], hole_b[], hole_d[], hole_k[];
typedef uint32_t __attribute__((may_alias)) dword;
typedef uint64_t __attribute__((may_alias, aligned(4))) pair;
#define DWORD(hole) (*(dword *)((char *)w + (uintptr_t)hole))
#define PAIR(hole) (*(pair *)((char *)w + (uintptr_t)hole))
#define CONST32(hole) ((uint32_t)(uintptr_t)hole)
#define CONST64(hole) ((uint64_t)(int64_t)(int32_t)(uintptr_t)hole)
"""


class Stencil:
    """VARIANT: for each source "s", a register, or "k", a constant."""

    def __init__(self, sem, row, variant):
        self.sem, self.row, self.variant = sem, row, variant
        self.function = f"stencil_{row.name}__{variant or 'n'}"
        self.used = uses.names(row.body) | set(row.writes)
        self.wide = "D" in row.slots and operands.bits(row.slots["D"]) == 64

    def source(self, slot, kind):
        hole, wide = f"hole_{slot.lower()}", operands.bits(self.row.slots[slot]) == 64
        if kind == "k":
            return f"CONST{64 if wide else 32}({hole})"
        return f"{'PAIR' if wide else 'DWORD'}({hole})"

    def reads(self):
        row = self.row
        out = []
        for slot, kind in zip((s for s in "AB" if s in row.slots and s in self.used), self.variant):
            t = ctype(row.vars[slot])
            out.append(f"const {t} {slot} = ({t}){self.source(slot, kind)};")
        if "D" in self.used:
            t = ctype(row.vars["D"])
            out.append(f"{t} D = {f'({t})' + self.place('hole_d') if 'D' in row.reads else 0};")
        out += ["const int32_t K = (int32_t)CONST32(hole_k);"] if "K" in self.used else []
        out += [f"{ctype(row.vars['SCC'])} SCC = w->scc;"] if "SCC" in self.used else []
        return out + ([f"{ctype(row.vars['EXEC'])} EXEC = {self.exec()};"] if "EXEC" in self.used else [])

    def place(self, hole):
        return f"{'PAIR' if self.wide else 'DWORD'}({hole})"

    def exec(self):
        return f"*({'pair' if self.wide else 'dword'} *)&w->sgpr[LULL_RDNA_EXEC]"

    def writes(self):
        return (["w->scc = SCC;"] if "SCC" in self.row.writes else []) + \
            ([f"{self.exec()} = EXEC;"] if "EXEC" in self.row.writes else []) + \
            ([f"{self.place('hole_d')} = ({'uint64_t' if self.wide else 'uint32_t'})D;"] if "D" in self.row.writes else [])

    def text(self):
        writer, types = Writer(call(self.sem)), typed(self.row, self.row.body)
        body = self.reads() + [f"{writer.statement(s, types)};" for s in self.row.body] + self.writes()
        return [f"void {self.function}(struct lull_wave *w);", f"void {self.function}(struct lull_wave *w)", "{",
                *("    " + line for line in body), "}", ""]


def variants(row):
    """Each source may be a register or a constant."""
    used = uses.names(row.body)
    out = [""]
    for _ in [s for s in "AB" if s in row.slots and s in used]:
        out = [v + kind for v in out for kind in "sk"]
    return out


def stencils(sem):
    for name in sorted(sem.rows):
        row = sem.rows[name]
        if row.kind == "scalar" and row.body and not ELSEWHERE & (uses.names(row.body) | set(row.writes)):
            for variant in variants(row):
                yield Stencil(sem, row, variant)


def write(sem):
    out = HEAD + PROLOGUE.splitlines() + [""]
    for stencil in stencils(sem):
        out += stencil.text()
    return out

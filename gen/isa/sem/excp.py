# SPDX-License-Identifier: MIT
"""Rows of kind lane to C once more: which exceptions each of 32 lanes raises. src/model/fp/fp_excp.h has the rules."""
from lang.c import ctype
from lang.types import BOOL
from sem.lanes import Lane, lane_rows
from sem.scalar import HEAD

FORMATS = {"f16": "lull_fp16", "f32": "lull_fp32", "f64": "lull_fp64"}


def raises(fn):
    """Functions that look at MODE compute with floats; those of one bit or of nothing but integers have no flags."""
    return fn.body is None and "mode" in fn.options and "excp:none" not in fn.options


class Excp(Lane):
    """As the soft variant, with the exceptions of lane i in excp[i]."""

    def __init__(self, sem, row):
        super().__init__(sem, row, "excp")
        self.name = f"excp_{row.name}"

    def call(self, name, args, result):
        if not raises(self.sem.fns[name]):
            return super().call(name, args, result)
        return f"({ctype(result)})fn_{name}({', '.join(args)}, M, &flags)"

    def head(self):
        out = super().head()
        out[0] = f"static void {self.name}(uint32_t *d, uint32_t *excp, const uint32_t *a, const uint32_t *b,"
        out[1] = "    const uint32_t *c, struct lull_lane_ctx *x)"
        return out

    def locals(self, pad):
        return [f"{pad}uint32_t flags = 0;"] + super().locals(pad)

    def result(self, pad):
        return super().result(pad) + [f"{pad}excp[i] |= flags;"]


def function(fn):
    """A function that rows call, with one more argument: what it raises is added there."""
    result = fn.results[0]
    names = [f"v{n}" for n in range(len(fn.params))]
    params = ", ".join(f"{ctype(t)} {n}" for (t, _), n in zip(fn.params, names))
    args = ", ".join(names)
    out = [f"static {ctype(result)} fn_{fn.name}({params}, uint32_t m, uint32_t *x)", "{",
           f"    const {ctype(result)} r = lull_{fn.name}({args}, m);"]
    if "excp:own" in fn.options:
        return out + [f"    *x |= lull_excp_{fn.name}({args}, m);", "    return r;", "}", ""]
    out.append("    struct lull_excp e = {0};")
    for (t, _), n in zip(fn.params, names):
        out += [f"    lull_excp_operand(&e, {FORMATS[t.name]}, {n});"] if t.name in FORMATS else []
    if result is not BOOL:
        out.append(f"    lull_excp_probed(&e, (uint64_t)r ^ lull_{fn.name}({args}, m | LULL_FP_PROBE));")
    if result.name in FORMATS:
        out.append(f"    lull_excp_result(&e, {FORMATS[result.name]}, r);")
    return out + ["    *x |= e.bits;", "    return r;", "}", ""]


def write(sem):
    out = HEAD + ['#include "model/amd/exec/uop.h"', '#include "model/fp/fp_excp.h"', "", '#include "model/rdna_sem_fns.h"', ""]
    found = [r for r in lane_rows(sem) if any(raises(fn) for fn in sem.calls(r.body))]
    used = {fn.name: fn for r in found for fn in sem.calls(r.body) if raises(fn)}
    for name in sorted(used):
        out += function(used[name])
    for row in found:
        out += Excp(sem, row).text()
    out.append("lull_excp_fn *const lull_sem_excp[LULL_RDNA_NOPS] = {")
    return out + [f"    [LULL_RDNA_OP_{r.name.upper()}] = excp_{r.name}," for r in found] + ["};"]

// SPDX-License-Identifier: MIT
#include "debug/session/frame.h"

#include "base/error.h"
#include "base/path.h"
#include "debug/code/code.h"
#include "debug/session/engine.h"
#include "debug/session/pipeline.h"
#include "debug/session/symbols.h"
#include "expr/value.h"

bool lull_debug_in_kernel(const struct lull_debug *d, uint64_t va)
{
    const struct lull_symbol *symbol = NULL;
    if (lull_pipeline_of(d, va) == NULL && d->image != NULL && va >= d->image_va &&
        va - d->image_va < lull_image_size(d->image)) {
        symbol = lull_image_symbol_at(d->image, va - d->image_va);
    }
    for (size_t i = 0; symbol != NULL && i < lull_image_nkernels(d->image); i++) {
        if (lull_image_kernel(d->image, i)->entry == symbol->offset) {
            return true;
        }
    }
    return symbol == NULL; // code without symbols has no functions
}

/* Instruction lengths differ: the one in front of @p va is a call if some length says so. */
static bool behind_call(struct lull_debug *d, uint64_t va)
{
    uint64_t at = 0;
    struct lull_code_insn in = {0};
    return lull_debug_insns_before(d, va, &at, 1) == 1 && lull_code_at(d->target, at, &in) &&
           in.kind == LULL_CODE_CALL && at + in.size == va;
}

struct lull_error *lull_debug_return_address(struct lull_debug *d, const struct lull_debug_wave *w,
                                             uint64_t *ret_va, bool *ret_good)
{
    struct lull_error *err = lull_code_return(d->target, w->info.key, ret_va);
    *ret_good = err == NULL && behind_call(d, *ret_va);
    return err;
}

/* The frames of one piece of code: inlined functions, then what they are part of. */
static void frames_at(struct lull_debug *d, uint64_t va, bool caller, struct lull_frame *ret,
                      unsigned *n)
{
    const struct lull_symbols *symbols = lull_debug_symbols(d);
    uint64_t offset = 0;
    struct lull_frame f = {.va = va, .caller = caller};
    // A call may be the last of its line or its block.
    const bool in = symbols != NULL && lull_debug_image_offset(d, caller ? va - 1 : va, &offset);
    const struct lull_symscope *scope = in ? lull_symbols_scope_at(symbols, offset) : NULL;
    if (!lull_debug_line_at(d, caller ? va - 1 : va, &f.line)) {
        f.line.line = 0;
    }
    f.scope = scope;
    for (; scope != NULL && *n + 1 < LULL_MAX_FRAMES; scope = scope->parent) {
        if (scope->kind == LULL_SYMSCOPE_INLINED) {
            f.inlined = scope->name;
            ret[(*n)++] = f;
            f = (struct lull_frame){.va = va, .caller = caller, .scope = scope->parent};
            f.line.line = scope->call_line;
            f.line.file = lull_path_from_here(scope->call_file);
        }
    }
    ret[(*n)++] = f;
}

struct lull_error *lull_debug_frames(struct lull_debug *d, const struct lull_debug_wave *w,
                                     struct lull_frame *ret, unsigned *ret_n, bool *ret_more)
{
    const bool kernel = lull_debug_in_kernel(d, w->info.pc);
    uint64_t va = 0;
    bool good = false;
    *ret_n = 0;
    frames_at(d, w->info.pc, false, ret, ret_n);
    struct lull_error *err = kernel ? NULL : lull_debug_return_address(d, w, &va, &good);
    if (good && *ret_n < LULL_MAX_FRAMES) {
        frames_at(d, va, true, ret, ret_n);
    }
    *ret_more = !kernel && (!good || !lull_debug_in_kernel(d, va));
    return err;
}

struct lull_error *lull_debug_frame(struct lull_debug *d, const struct lull_debug_wave *w,
                                    struct lull_frame *ret)
{
    struct lull_frame frames[LULL_MAX_FRAMES];
    unsigned n = 0;
    bool more = false;
    if (d->frame == 0) { // the callers need not be looked for
        frames_at(d, w->info.pc, false, frames, &n);
        *ret = frames[0];
        return NULL;
    }
    struct lull_error *err = lull_debug_frames(d, w, frames, &n, &more);
    if (err == NULL) {
        *ret = frames[d->frame < n ? d->frame : n - 1];
    }
    return err;
}

/* In v0, or v0 and v1. Source: LLVM 19 AMDGPUCallingConv.td, RetCC_AMDGPU_Func;
 * SITargetLowering makes two registers of 64 bits. */
struct lull_error *lull_debug_returned(struct lull_debug *d, const struct lull_debug_wave *w,
                                       struct lull_value *ret)
{
    const unsigned bits = lull_ctype_bits(ret->type);
    struct lull_error *err = NULL;
    ret->lanes = w->info.lanes;
    ret->active = ret->valid = w->info.exec;
    for (unsigned lane = 0; err == NULL && lane < ret->lanes; lane++) {
        for (unsigned i = 0; err == NULL && i < (bits + 31) / 32; i++) {
            const struct lull_wave_reg v = {
                .cls = LULL_REG_VGPR, .index = (uint16_t)i, .lane = (uint8_t)lane};
            uint64_t part = 0;
            err = d->target->ops->read_reg(d->target, w->info.key, v, &part);
            ret->v[lane] |= (part & UINT32_MAX) << 32 * i;
        }
        ret->v[lane] &= bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    }
    return err;
}

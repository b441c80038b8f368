// SPDX-License-Identifier: MIT
/* Variables of the program, for the focused wave. */
#include "debug/session/variables.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "debug/code/code.h"
#include "debug/rdna/regs.h"
#include "debug/session/block.h"
#include "debug/session/engine.h"
#include "debug/session/frame.h"
#include "isa/rdna/rdna.h"

/* Upper halves of the apertures that amdgpu gives every VMID of a program. Source: Linux,
 * gmc_v11_0.c (shared_aperture_start, private_aperture_start), gfx_v11_0.c (SH_MEM_BASES). */
enum {
    DWORD = 4,
    MOST_SCANNED = 4096,
    FRAME_SGPR = 33,
    EXEC_LO = 126,
    PRIVATE_APERTURE = 0x10000000,
    SHARED_APERTURE = 0x20000000
};

/* The frame whose variables are meant; false: no wave stands. */
static bool chosen_frame(struct lull_debug *d, struct lull_frame *ret)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    struct lull_error *err = w != NULL && w->stopped ? lull_debug_frame(d, w, ret) : NULL;
    const bool good = w != NULL && w->stopped && err == NULL;
    lull_error_free(err);
    return good;
}

const struct lull_symscope *lull_debug_scope(struct lull_debug *d, uint64_t *ret_offset)
{
    const struct lull_symbols *s = lull_debug_symbols(d);
    struct lull_frame f = {.va = 0};
    if (s == NULL) {
        return NULL;
    }
    if (d->place != NULL) {
        return lull_debug_image_offset(d, *d->place, ret_offset)
                   ? lull_symbols_scope_at(s, *ret_offset)
                   : NULL;
    }
    if (!chosen_frame(d, &f) ||
        !lull_debug_image_offset(d, f.caller ? f.va - 1 : f.va, ret_offset)) {
        return NULL;
    }
    return f.scope;
}

/* Does @p offset lie where the function has no frame yet? */
static bool in_prologue(const struct lull_debug *d, const struct lull_symscope *scope,
                        uint64_t offset)
{
    const struct lull_symscope *f = lull_symscope_function(scope);
    uint64_t end = 0;
    return f != NULL && f->nranges != 0 &&
           lull_image_prologue_end(d->image, f->ranges[0].low, f->ranges[0].high, &end) &&
           offset >= f->ranges[0].low && offset < end;
}

/* Is its place part of the frame, wherever the wave is? */
static bool is_framed(const struct lull_symvar *v)
{
    return v->nplaces == 1 && v->places[0].range.high == UINT64_MAX &&
           v->scope->kind != LULL_SYMSCOPE_UNIT;
}

/* The constant of an enumeration, unless something else has that name. */
static const struct lull_symvar *constant(struct lull_debug *d, const char *name)
{
    uint64_t va = 0;
    const struct lull_symbols *s = lull_debug_symbols(d);
    return s != NULL && !lull_debug_find_symbol(d, name, &va) ? lull_symbols_constant(s, name)
                                                              : NULL;
}

const struct lull_symvar *lull_debug_find_variable(struct lull_debug *d, const char *name)
{
    uint64_t offset = 0;
    uint64_t va = 0;
    if (strstr(name, "::") != NULL) {
        const struct lull_symbols *s = lull_debug_symbols(d);
        return s != NULL ? lull_symbols_qualified(s, name) : NULL;
    }
    const struct lull_symscope *scope = lull_debug_scope(d, &offset);
    const struct lull_symvar *v = scope != NULL ? lull_symscope_find(scope, name) : NULL;
    const bool early = v != NULL && is_framed(v) && in_prologue(d, scope, offset);
    const bool gone = v != NULL && !v->constant && lull_symvar_place(v, offset) == NULL;
    if (v == NULL && d->beside_ops != NULL) {
        v = d->beside_ops->find(d, name);
        return v != NULL ? v : constant(d, name);
    }
    if (v == NULL) {
        return constant(d, name);
    }
    return (early || gone) && lull_debug_find_symbol(d, name, &va) ? NULL : v;
}

const struct lull_symtype *lull_debug_find_type(struct lull_debug *d, const char *name)
{
    const struct lull_symbols *s = lull_debug_symbols(d);
    return s != NULL && lull_debug_find_variable(d, name) == NULL ? lull_symbols_type(s, name)
                                                                  : NULL;
}

/* The focused wave and what an expression of DWARF asks of it. */
struct asker {
    struct lull_debug *d;
    struct lull_debug_wave *w;
    bool by_lane;                        ///< It asked for what lanes have of their own.
    bool caller;                         ///< Of a frame that has called another.
    const struct lull_symplace *trusted; ///< Nothing has written its registers.
};

LULL_MUST_USE static struct lull_error *read_register(void *ctx, unsigned number, unsigned lane,
                                                      uint64_t *ret)
{
    struct asker *a = ctx;
    enum lull_locreg kind = LULL_LOCREG_PC;
    unsigned index = 0;
    if (!lull_locreg_of(number, &kind, &index)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "register %u of DWARF is not known", number);
    }
    if (a->caller && kind == LULL_LOCREG_SGPR && index == FRAME_SGPR) {
        *ret = 0; // of a kernel, which is the only caller that is known
        return NULL;
    }
    if (a->caller) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "registers of a function that has called another are not known");
    }
    a->by_lane = a->by_lane || kind == LULL_LOCREG_VGPR;
    const struct lull_wave_reg reg = {.cls = kind == LULL_LOCREG_VGPR ? LULL_REG_VGPR
                                             : kind == LULL_LOCREG_PC ? LULL_REG_PC
                                                                      : LULL_REG_SGPR,
                                      .index =
                                          (uint16_t)(kind == LULL_LOCREG_EXEC ? EXEC_LO : index),
                                      .lane = (uint8_t)(kind == LULL_LOCREG_VGPR ? lane : 0)};
    return a->d->target->ops->read_reg(a->d->target, a->w->info.key, reg, ret);
}

LULL_MUST_USE static struct lull_error *read_memory(void *ctx, enum lull_locspace space,
                                                    unsigned lane, uint64_t address, void *buf,
                                                    size_t size)
{
    struct asker *a = ctx;
    a->by_lane = a->by_lane || space == LULL_LOCSPACE_SCRATCH;
    return space == LULL_LOCSPACE_SCRATCH
               ? lull_debug_read_scratch(a->d, lane, address, buf, size)
               : lull_debug_read_memory(a->d, space == LULL_LOCSPACE_LOCAL, address, buf, size);
}

/* A dword of a lane's scratch memory: those of the lanes lie side by side. */
LULL_MUST_USE static struct lull_error *scratch_va(struct lull_debug *d, unsigned lane,
                                                   uint64_t address, uint64_t *ret)
{
    struct lull_debug_wave *w = NULL;
    uint64_t base = 0;
    struct lull_error *err = lull_debug_focused(d, &w);
    err = err != NULL ? err : lull_debug_read_reg(d, w, LULL_REG_FLAT_SCRATCH, 0, 0, &base);
    if (err == NULL && address > UINT32_MAX) {
        err = lull_error_new(LULL_ERR_FAULT, "0x%" PRIx64 " is not in the lane's scratch memory",
                             address);
    }
    if (err == NULL) {
        *ret = base + address / DWORD * w->info.lanes * DWORD + (uint64_t)lane * DWORD +
               address % DWORD;
    }
    return err;
}

struct lull_error *lull_debug_read_scratch(void *ctx, unsigned lane, uint64_t address, void *buf,
                                           size_t size)
{
    struct lull_debug *d = ctx;
    uint8_t *to = buf;
    struct lull_error *err = NULL;
    for (size_t done = 0; err == NULL && done < size;) {
        uint64_t va = 0;
        const size_t left = DWORD - (address + done) % DWORD;
        const size_t n = size - done < left ? size - done : left;
        err = scratch_va(d, lane, address + done, &va);
        err = err != NULL ? err : lull_debug_read_memory(d, false, va, to + done, n);
        done += n;
    }
    return err;
}

struct lull_error *lull_debug_write_scratch(void *ctx, unsigned lane, uint64_t address,
                                            const void *buf, size_t size)
{
    struct lull_debug *d = ctx;
    const uint8_t *from = buf;
    struct lull_error *err = NULL;
    for (size_t done = 0; err == NULL && done < size;) {
        uint64_t va = 0;
        const size_t left = DWORD - (address + done) % DWORD;
        const size_t n = size - done < left ? size - done : left;
        err = scratch_va(d, lane, address + done, &va);
        err = err != NULL ? err : lull_debug_write_memory(d, false, va, from + done, n);
        done += n;
    }
    return err;
}

void lull_debug_resolve(void *ctx, uint64_t *address, bool *ret_lds, bool *ret_scratch)
{
    const struct lull_debug *d = ctx;
    if (!lull_debug_is_ir3(d)) {
        *ret_lds = *address >> 32 == SHARED_APERTURE;
        *ret_scratch = *address >> 32 == PRIVATE_APERTURE;
        *address = *ret_lds || *ret_scratch ? *address & UINT32_MAX : *address;
    }
}

/* Where the wave stands in the variable's scope. */
LULL_MUST_USE static struct lull_error *in_scope(struct asker *a, const struct lull_symvar *v,
                                                 uint64_t *ret_offset)
{
    struct lull_debug *d = a->d;
    struct lull_frame f = {.va = 0};
    struct lull_error *err = lull_debug_focused(d, &a->w);
    err = err != NULL ? err : lull_debug_frame(d, a->w, &f);
    if (err != NULL) {
        return err;
    }
    a->caller = f.caller;
    if (!lull_debug_image_offset(d, f.caller ? f.va - 1 : f.va, ret_offset) ||
        (v->scope->kind != LULL_SYMSCOPE_UNIT && !lull_symscope_covers(v->scope, *ret_offset))) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "'%s' is not in scope here", v->name);
    }
    if (is_framed(v) && in_prologue(d, v->scope, *ret_offset)) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "'%s' has no place yet: the wave is in front of the end of the "
                              "function's prologue; 'next' goes there",
                              v->name);
    }
    return NULL;
}

/* The last place in front of @p offset where it lived, as "file:line". */
LULL_NEW_ERROR static struct lull_error *optimised_out(struct lull_debug *d,
                                                       const struct lull_symvar *v, uint64_t offset)
{
    uint64_t last = 0;
    struct lull_line line = {0};
    for (size_t i = 0; i < v->nplaces; i++) {
        const uint64_t high = v->places[i].range.high;
        last = high <= offset && high > last ? high : last;
    }
    if (last == 0 || !lull_debug_line_at(d, d->image_va + last - 1, &line)) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "'%s' is optimised out%s", v->name,
                              v->nplaces == 0 ? "" : " here");
    }
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          "'%s' is optimised out here; it was last at %s:%" PRIu32 ", 0x%" PRIx64,
                          v->name, line.file, line.line, d->image_va + last - DWORD);
}

/* A kernel that has no frame register keeps its variables from the start of its scratch on. */
static const struct lull_locexpr *frame_base(const struct lull_debug *d,
                                             const struct lull_symscope *f)
{
    static const struct lull_locop zero = {.op = DW_OP_lit0};
    static const struct lull_locexpr start = {.n = 1, .ops = &zero};
    if (f == NULL) {
        return NULL;
    }
    return f->frame_base.n == 0 && lull_image_find_kernel(d->image, f->name) != NULL
               ? &start
               : &f->frame_base;
}

/* Does the instruction write a register of the place? */
static bool writes(const struct lull_insn *in, unsigned lanes, const struct lull_locplace *place,
                   uint64_t bytes)
{
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    const unsigned n = lull_arch_rdna3.uses(in, lanes, uses);
    bool found = false;
    for (unsigned i = 0; i < place->n; i++) {
        const struct lull_locpiece *p = &place->pieces[i];
        enum lull_locreg kind = LULL_LOCREG_PC;
        unsigned index = 0;
        const bool is = p->kind == LULL_LOCPLACE_REGISTER &&
                        lull_locreg_of(p->value, &kind, &index) &&
                        (kind == LULL_LOCREG_VGPR || kind == LULL_LOCREG_SGPR);
        const unsigned first = kind == LULL_LOCREG_VGPR ? LULL_RDNA_VGPR0 + index : index;
        const uint64_t size = p->bytes != 0 ? p->bytes : bytes;
        const unsigned last = first + (unsigned)(size > DWORD ? (size - 1) / DWORD : 0);
        for (unsigned k = 0; is && k < n; k++) {
            found = found ||
                    (uses[k].write && uses[k].reg <= last && uses[k].reg + uses[k].count > first);
        }
    }
    return found;
}

/* LLVM 19 leaves some places in front of the instruction that makes them true, when that is moved
 * down: a register that is written between the start of a place and @p offset has ended it, or has
 * not begun it. In right debug information there is no such write. */
static bool is_stale(struct asker *a, const struct lull_symvar *v, const struct lull_symplace *at,
                     uint64_t offset, const struct lull_locplace *place)
{
    const bool held = place->n != 0 && place->pieces[0].kind == LULL_LOCPLACE_REGISTER;
    if (at == a->trusted || !held || lull_debug_is_ir3(a->d) || at->range.high == UINT64_MAX ||
        offset - at->range.low > MOST_SCANNED) {
        return false;
    }
    for (uint64_t pc = at->range.low; pc < offset;) {
        struct lull_insn_room room;
        if (!lull_code_decode(a->d->target, a->d->image_va + pc, &room)) {
            return false;
        }
        const struct lull_insn *in = lull_insn_in(&room);
        if (writes(in, a->w->info.lanes, place, v->type->size)) {
            return true;
        }
        pc += lull_arch_rdna3.size(in);
    }
    a->trusted = at;
    return false;
}

/* Its place for one lane. */
LULL_MUST_USE static struct lull_error *find_place(struct asker *a, const struct lull_symvar *v,
                                                   uint64_t offset, unsigned lane,
                                                   struct lull_locplace *ret)
{
    const struct lull_symplace *place = lull_symvar_place(v, offset);
    const struct lull_symscope *f = lull_symscope_function(v->scope);
    if (place == NULL) {
        return optimised_out(a->d, v, offset);
    }
    const struct lull_locenv env = {.ctx = a,
                                    .lane = lane,
                                    .read_register = read_register,
                                    .read_memory = read_memory,
                                    .frame_base = frame_base(a->d, f)};
    struct lull_error *err =
        lull_error_in(lull_location_find(&place->expr, &env, ret), "where '%s' is", v->name);
    if (err == NULL && ((ret->n == 1 && ret->pieces[0].kind == LULL_LOCPLACE_NOWHERE) ||
                        is_stale(a, v, place, offset, ret))) {
        err = optimised_out(a->d, v, offset);
    }
    return err;
}

/* Where a variable of LDS is that LLVM puts into the struct of its kernel. */
LULL_MUST_USE static struct lull_error *local_offset(const struct lull_debug *d,
                                                     const struct lull_symvar *v, uint64_t *address)
{
    const struct lull_symscope *f = lull_symscope_function(v->scope);
    const struct lull_kernel_info *kernel =
        f != NULL ? lull_image_find_kernel(d->image, f->name) : NULL;
    bool known = false;
    if (!lull_symvar_local(v, kernel != NULL ? kernel->lds_bytes : 0, &known, address) || known) {
        return NULL;
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED,
                          "where '%s' is in LDS is not known: LLVM puts the variables of LDS that "
                          "are used into one struct, which has %" PRIu32 " bytes here",
                          v->name, kernel != NULL ? kernel->lds_bytes : 0);
}

/* What is said of the program's own memory counts from where it begins. */
static uint64_t loaded_at(const struct asker *a, const struct lull_symvar *v)
{
    const struct lull_locexpr *e = v->nplaces != 0 ? &v->places[0].expr : NULL;
    const bool fixed =
        e != NULL && e->n != 0 && (e->ops[0].op == DW_OP_addr || e->ops[0].op == DW_OP_addrx);
    return fixed ? a->d->image_va : 0;
}

/* In memory: an address, or one for each lane. */
LULL_MUST_USE static struct lull_error *addresses(struct asker *a, const struct lull_symvar *v,
                                                  uint64_t offset,
                                                  const struct lull_locplace *first,
                                                  struct lull_location *ret)
{
    const enum lull_locspace space = first->pieces[0].space;
    struct lull_error *err = NULL;
    ret->scratch = space == LULL_LOCSPACE_SCRATCH;
    ret->lds = space == LULL_LOCSPACE_LOCAL;
    ret->each = ret->scratch;
    ret->lane = a->d->lane;
    ret->lanes = ret->scratch || a->by_lane ? a->w->info.lanes : 1;
    ret->active = ret->lanes == 1 ? 1 : a->w->info.exec;
    for (unsigned i = 0; err == NULL && i < ret->lanes; i++) {
        struct lull_locplace at = *first;
        if (a->by_lane) {
            err = find_place(a, v, offset, i, &at);
        }
        if (err != NULL && (ret->active >> i & 1) == 0) { // an inactive lane's may be anything
            lull_error_free(err);
            err = NULL;
        }
        ret->address[i] = at.pieces[0].value + (ret->scratch || ret->lds ? 0 : loaded_at(a, v));
    }
    return err == NULL && ret->lds ? local_offset(a->d, v, &ret->address[0]) : err;
}

/* Of a variable without debug information: bytes that are asked for by its handle. */
LULL_MUST_USE static struct lull_error *locate_beside(struct lull_debug *d,
                                                      const struct lull_symvar *v,
                                                      struct lull_location *ret)
{
    struct lull_debug_wave *w = NULL;
    struct lull_location at = {.type = lull_ctype_of(v->type), .held = v, .each = true};
    struct lull_error *err = lull_debug_focused(d, &w);
    err = err != NULL ? err : d->beside_ops->enter(d, v, &at.active);
    if (err == NULL) {
        at.lane = d->lane;
        at.lanes = w->info.lanes;
        *ret = at;
    }
    return err;
}

struct lull_error *lull_debug_locate_variable(struct lull_debug *d, const struct lull_symvar *v,
                                              bool only_type, bool *ret_is,
                                              struct lull_location *ret)
{
    struct asker a = {.d = d};
    struct lull_locplace place = {0};
    uint64_t offset = 0;
    struct lull_location at = {.type = lull_ctype_of(v->type), .lanes = 1, .active = 1};
    if (v->block) {
        *ret_is = true;
        return lull_debug_block_place(d, v, only_type, ret);
    }
    if (only_type) {
        const struct lull_debug_wave *w =
            d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
        at.lanes = v->constant ? 1 : w != NULL ? w->info.lanes : LULL_MAX_LANES;
        at.active = UINT64_MAX;
        at.each = true;
        *ret_is = !v->constant;
        *ret = at;
        return NULL;
    }
    *ret_is = false;
    if (v->constant) {
        return NULL;
    }
    if (v->beside) {
        *ret_is = true;
        return locate_beside(d, v, ret);
    }
    struct lull_error *err = in_scope(&a, v, &offset);
    err = err != NULL ? err : find_place(&a, v, offset, d->lane, &place);
    const bool memory = err == NULL && place.n == 1 && place.pieces[0].kind == LULL_LOCPLACE_MEMORY;
    if (err == NULL && !memory && at.type.kind == LULL_CTYPE_PARTS && at.type.stars == 0) {
        at.held = v;
        at.each = true;
        at.lane = d->lane;
        at.lanes = a.w->info.lanes;
        at.active = a.w->info.exec;
        *ret_is = true;
        *ret = at;
    }
    if (!memory) {
        return err;
    }
    err = addresses(&a, v, offset, &place, &at);
    if (err == NULL) {
        *ret_is = true;
        *ret = at;
    }
    return err;
}

/* What a piece holds for one lane. */
LULL_MUST_USE static struct lull_error *piece_value(struct asker *a,
                                                    const struct lull_locpiece *piece,
                                                    uint64_t bytes, unsigned lane, uint64_t *ret)
{
    uint64_t high = 0;
    struct lull_error *err = NULL;
    *ret = piece->value;
    if (piece->kind == LULL_LOCPLACE_NOWHERE) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "a part of it is optimised out");
    }
    if (piece->kind == LULL_LOCPLACE_MEMORY) {
        *ret = 0;
        return read_memory(a, piece->space, lane, piece->value, ret, bytes);
    }
    if (piece->kind == LULL_LOCPLACE_REGISTER) {
        err = read_register(a, (unsigned)piece->value, lane, ret);
        if (err == NULL && bytes > DWORD) {
            err = read_register(a, (unsigned)piece->value + 1, lane, &high);
        }
        *ret = (*ret & UINT32_MAX) | high << 32;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *lane_value(struct asker *a, const struct lull_symvar *v,
                                                   uint64_t offset, unsigned lane, uint64_t *ret)
{
    struct lull_locplace place = {0};
    const unsigned bits = lull_ctype_bits(lull_ctype_of(v->type));
    struct lull_error *err = find_place(a, v, offset, lane, &place);
    uint64_t value = 0;
    uint64_t at = 0;
    for (unsigned i = 0; err == NULL && i < place.n && at < bits / 8; i++) {
        const struct lull_locpiece *p = &place.pieces[i];
        const uint64_t left = bits / 8 - at;
        const uint64_t bytes = p->bytes == 0 || p->bytes > left ? left : p->bytes;
        uint64_t part = 0;
        err = piece_value(a, p, bytes, lane, &part);
        part = bytes < 8 ? part & ((UINT64_C(1) << 8 * bytes) - 1) : part;
        value |= part << 8 * at;
        at += bytes;
    }
    *ret = value;
    return err;
}

struct lull_error *lull_debug_variable_value(struct lull_debug *d, const struct lull_symvar *v,
                                             bool only_type, struct lull_value *ret)
{
    struct asker a = {.d = d};
    uint64_t offset = 0;
    struct lull_value value = {.type = lull_ctype_of(v->type), .lanes = 1, .active = 1};
    const unsigned bits = lull_ctype_bits(value.type);
    if (v->constant) {
        value.valid = !only_type;
        value.v[0] = bits < 64 && bits != 0 ? v->value & ((UINT64_C(1) << bits) - 1) : v->value;
    }
    if (only_type && !v->constant) {
        const struct lull_debug_wave *w =
            d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
        value.lanes = w != NULL ? w->info.lanes : LULL_MAX_LANES;
        value.active = w != NULL ? w->info.exec : UINT64_MAX;
    }
    if (v->constant || only_type) {
        *ret = value;
        return NULL;
    }
    if (bits == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' is in registers, and has parts", v->name);
    }
    struct lull_error *err = in_scope(&a, v, &offset);
    for (unsigned i = 0; err == NULL && i < a.w->info.lanes; i++) {
        err = lane_value(&a, v, offset, i, &value.v[i]);
        value.valid |= (uint64_t)(err == NULL) << i;
        if (err != NULL && (a.w->info.exec >> i & 1) == 0) {
            lull_error_free(err);
            err = NULL;
        }
    }
    if (err == NULL) {
        value.lanes = a.w->info.lanes;
        value.active = a.w->info.exec;
        *ret = value;
    }
    return err;
}

/* Write a register of one lane. */
LULL_MUST_USE static struct lull_error *write_register(struct asker *a, uint64_t number,
                                                       unsigned count, unsigned lane,
                                                       uint64_t value)
{
    enum lull_locreg kind = LULL_LOCREG_PC;
    unsigned index = 0;
    if (!lull_locreg_of(number, &kind, &index) ||
        (kind != LULL_LOCREG_VGPR && kind != LULL_LOCREG_SGPR)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "register %" PRIu64 " of DWARF cannot be set",
                              number);
    }
    const bool vector = kind == LULL_LOCREG_VGPR;
    const struct lull_wave_reg reg = {.cls = vector ? LULL_REG_VGPR : LULL_REG_SGPR,
                                      .index = (uint16_t)index,
                                      .lane = (uint8_t)(vector ? lane : 0)};
    return lull_reg_write(a->d->target, a->w->info.key, reg, count, value);
}

LULL_MUST_USE static struct lull_error *can_be_set(const struct lull_symvar *v,
                                                   const struct lull_locplace *place)
{
    bool good = place->n != 0;
    for (unsigned i = 0; i < place->n; i++) {
        good = good && place->pieces[i].kind == LULL_LOCPLACE_REGISTER;
    }
    return good ? NULL
                : lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' is not in a place that can be set",
                                 v->name);
}

/* The bytes of a number of @p size bytes to the registers that hold them. */
LULL_MUST_USE static struct lull_error *write_pieces(struct asker *a,
                                                     const struct lull_locplace *place,
                                                     uint64_t size, unsigned lane, uint64_t value)
{
    struct lull_error *err = NULL;
    uint64_t at = 0;
    for (unsigned i = 0; err == NULL && i < place->n && at < size; i++) {
        const struct lull_locpiece *p = &place->pieces[i];
        const uint64_t bytes = p->bytes == 0 || p->bytes > size - at ? size - at : p->bytes;
        const uint64_t part = value >> 8 * at;
        err = write_register(a, p->value, bytes > DWORD ? 2 : 1, lane,
                             bytes < 8 ? part & ((UINT64_C(1) << 8 * bytes) - 1) : part);
        at += bytes;
    }
    return err;
}

struct lull_error *lull_debug_set_variable(struct lull_debug *d, const struct lull_symvar *v,
                                           enum lull_lanes which, unsigned lane,
                                           const struct lull_value *value)
{
    struct asker a = {.d = d};
    uint64_t offset = 0;
    if (v->constant) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is a constant here and cannot be set",
                              v->name);
    }
    struct lull_error *err = in_scope(&a, v, &offset);
    if (err != NULL) {
        return err;
    }
    const uint64_t lanes = which == LULL_LANES_ALL      ? UINT64_MAX
                           : which == LULL_LANES_ACTIVE ? a.w->info.exec
                           : which == LULL_LANES_ONE    ? UINT64_C(1) << lane
                                                        : UINT64_C(1) << d->lane;
    for (unsigned i = 0; err == NULL && i < a.w->info.lanes; i++) {
        struct lull_locplace place = {0};
        if ((lanes >> i & 1) == 0) {
            continue;
        }
        err = find_place(&a, v, offset, i, &place);
        err = err != NULL ? err : can_be_set(v, &place);
        err = err != NULL ? err
                          : write_pieces(&a, &place, lull_ctype_bits(value->type) / 8, i,
                                         value->v[value->lanes == 1 ? 0 : i]);
    }
    return err;
}

/* The piece of a variable that byte @p offset is in, and which byte of the piece that is. */
LULL_MUST_USE static struct lull_error *find_piece(struct asker *a, const struct lull_symvar *v,
                                                   unsigned lane, uint64_t offset,
                                                   struct lull_locpiece *ret, uint64_t *ret_in)
{
    struct lull_locplace place = {0};
    uint64_t at = 0;
    struct lull_error *err = in_scope(a, v, &at);
    err = err != NULL ? err : find_place(a, v, at, lane, &place);
    uint64_t first = 0;
    for (unsigned i = 0; err == NULL && i < place.n; i++) {
        const struct lull_locpiece *p = &place.pieces[i];
        if (p->bytes == 0 || offset - first < p->bytes) {
            *ret = *p;
            *ret_in = offset - first;
            return NULL;
        }
        first += p->bytes;
    }
    return err != NULL
               ? err
               : lull_error_new(LULL_ERR_NOT_FOUND, "byte %" PRIu64 " of '%s' is optimised out",
                                offset, v->name);
}

/* The dword that byte @p offset of a variable is in; @p ret_piece has its register. */
LULL_MUST_USE static struct lull_error *held_dword(struct asker *a, const struct lull_symvar *v,
                                                   unsigned lane, uint64_t offset,
                                                   struct lull_locpiece *ret_piece, uint64_t *ret,
                                                   unsigned *ret_byte)
{
    uint64_t in = 0;
    struct lull_error *err = find_piece(a, v, lane, offset, ret_piece, &in);
    if (err != NULL) {
        return err;
    }
    *ret_byte = (unsigned)(in % DWORD);
    if (ret_piece->kind == LULL_LOCPLACE_VALUE) {
        *ret = in < 8 ? ret_piece->value >> 8 * (in - *ret_byte) : 0;
        return NULL;
    }
    // In memory an address, in registers a number: where the dword is.
    ret_piece->value += ret_piece->kind == LULL_LOCPLACE_MEMORY ? in - *ret_byte : in / DWORD;
    return piece_value(a, ret_piece, DWORD, lane, ret);
}

struct lull_error *lull_debug_read_held(void *ctx, const void *held, unsigned lane, uint64_t offset,
                                        void *buf, size_t size)
{
    struct asker a = {.d = ctx};
    struct lull_error *err = NULL;
    const struct lull_symvar *variable = held;
    if (variable->block) {
        return lull_debug_block_pushed(ctx, variable, offset, buf, size);
    }
    if (variable->beside) {
        return a.d->beside_ops->read(ctx, variable, lane, offset, buf, size);
    }
    for (size_t i = 0; err == NULL && i < size; i++) {
        struct lull_locpiece piece = {0};
        uint64_t dword = 0;
        unsigned byte = 0;
        err = held_dword(&a, held, lane, offset + i, &piece, &dword, &byte);
        ((uint8_t *)buf)[i] = (uint8_t)(dword >> 8 * byte);
    }
    return err;
}

struct lull_error *lull_debug_write_held(void *ctx, const void *held, unsigned lane,
                                         uint64_t offset, const void *buf, size_t size)
{
    struct asker a = {.d = ctx};
    struct lull_error *err = NULL;
    const struct lull_symvar *v = held;
    if (v->block) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "'%s': push constants cannot be set: waves have them already",
                              v->name);
    }
    if (v->beside) {
        return a.d->beside_ops->write(ctx, v, lane, offset, buf, size);
    }
    for (size_t i = 0; err == NULL && i < size; i++) {
        struct lull_locpiece piece = {0};
        uint64_t dword = 0;
        unsigned byte = 0;
        err = held_dword(&a, v, lane, offset + i, &piece, &dword, &byte);
        if (err == NULL && piece.kind != LULL_LOCPLACE_REGISTER) {
            err = lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' is not in a place that can be set",
                                 v->name);
        }
        dword &= ~(UINT64_C(255) << 8 * byte);
        dword |= (uint64_t)((const uint8_t *)buf)[i] << 8 * byte;
        err = err != NULL ? err : write_register(&a, piece.value, 1, lane, dword);
    }
    return err;
}

struct lull_error *lull_debug_set_image(struct lull_debug *d, const struct lull_image *image,
                                        uint64_t va)
{
    if (d->image != image) {
        struct lull_symbols **older = reallocarray(d->older, d->nolder + 1, sizeof(void *));
        if (older == NULL) {
            return &lull_enomem;
        }
        d->older = older;
        d->older[d->nolder] = d->symbols;
        d->nolder += d->symbols != NULL;
        free(d->symbols_wrong);
        d->symbols = NULL;
        d->symbols_wrong = NULL;
        d->symbols_read = false;
    }
    d->image = image;
    d->image_va = va;
    return NULL;
}

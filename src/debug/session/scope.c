// SPDX-License-Identifier: MIT
/* What registers, names and memory in expressions are: those of the focused wave. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "debug/ir3/regs.h"
#include "debug/rdna/regs.h"
#include "debug/session/block.h"
#include "debug/session/engine.h"
#include "debug/session/kept.h"
#include "debug/session/packets.h"
#include "debug/session/variables.h"
#include "isa/rdna/rdna.h"

enum ref_kind {
    REF_REGISTER,
    REF_LANE, ///< From here on: what the debugger knows. These cannot be written.
    REF_WAVE,
    REF_LANES,
    REF_FOCUS_LANE,
    REF_EXEC, ///< Of an Adreno, where it is not a register.
    REF_CODE,
    REF_VS, ///< Of an Adreno: the shaders of the draw that came last.
    REF_FS,
    REF_GPU,  ///< A register of the GPU.
    REF_ITEM, ///< Which work-item a lane is: gpu says which number (items).
    REF_SYMBOL,
    REF_HISTORY, ///< What was printed,
    REF_KEPT,    ///< or a variable of the user's own.
    REF_VARIABLE,
};

/** What a name in an expression stands for. */
struct ref {
    enum ref_kind kind;
    struct lull_reg_name r;
    uint32_t gpu; ///< Its number,
    bool wide;    ///< and the next is its upper half.
    const struct lull_symvar *variable;
    char name[]; ///< As it was written.
};

static const struct {
    const char *name;
    enum ref_kind kind;
} known[] = {{"_thread", REF_WAVE}, {"_gthread", REF_WAVE}, {"lane", REF_LANE},
             {"wave", REF_WAVE},    {"lanes", REF_LANES},   {"_lane", REF_FOCUS_LANE},
             {"code", REF_CODE},    {"vs", REF_VS},         {"fs", REF_FS}};

/* Numbers of a work-item, by axis. */
static const char *const items[] = {"gid",   "lid",   "wg",   "gid_x", "lid_x", "wg_x",
                                    "gid_y", "lid_y", "wg_y", "gid_z", "lid_z", "wg_z"};

enum { NITEMS = sizeof items / sizeof items[0], ITEM_KINDS = 3 };

/* Work-items of a workgroup: those of the kernel, or of the program's dispatch. */
static const uint32_t *block_of(const struct lull_debug *d)
{
    return d->has_dispatch ? d->dispatch.block : d->block;
}

/* Is there something that the name of this kind stands for? */
static bool is_there(const struct lull_debug *d, enum ref_kind kind)
{
    const bool draws = d->has_draw && lull_debug_is_ir3(d);
    return kind == REF_VS || kind == REF_FS ? draws
           : kind == REF_CODE               ? d->has_dispatch || draws
                                            : true;
}

/* Where code begins: that of the wave, or of what came last. */
static uint64_t code_of(const struct lull_debug *d, const struct lull_debug_wave *w,
                        enum ref_kind kind)
{
    const bool wave = w != NULL && w->stopped && d->has_focus;
    const bool drawn = wave ? w->info.of_draw : d->at_draw && lull_debug_is_ir3(d);
    return kind == REF_FS              ? d->draw.code_va[LULL_STAGE_FRAGMENT]
           : kind == REF_VS            ? d->draw.code_va[LULL_STAGE_VERTEX]
           : drawn && wave             ? d->draw.code_va[w->info.stage]
           : drawn || !d->has_dispatch ? d->draw.code_va[LULL_STAGE_VERTEX]
                                       : d->dispatch.code_va;
}

LULL_MUST_USE static struct lull_error *new_ref(struct lull_arena *arena, const struct ref *what,
                                                const char *name, size_t length, const void **ret)
{
    struct ref *r = lull_arena_calloc(arena, 1, sizeof *r + length + 1);
    if (r == NULL) {
        return &lull_enomem;
    }
    r->kind = what->kind;
    r->r = what->r;
    r->gpu = what->gpu;
    r->wide = what->wide;
    r->variable = what->variable;
    memcpy(r->name, name, length);
    *ret = r;
    return NULL;
}

LULL_MUST_USE static struct lull_error *find_register(void *ctx, struct lull_arena *arena,
                                                      const char **at, const void **ret)
{
    const struct lull_debug *d = ctx;
    const char *name = *at;
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_') {
        n++;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bool there = is_there(d, known[i].kind);
        if (there && strlen(known[i].name) == n && strncmp(known[i].name, name, n) == 0) {
            const struct ref what = {.kind = known[i].kind};
            *at += n;
            return new_ref(arena, &what, name, n, ret);
        }
    }
    const bool ir3 = lull_debug_is_ir3(d);
    for (uint32_t i = 0; !ir3 && i < NITEMS; i++) {
        if (strlen(items[i]) == n && strncmp(items[i], name, n) == 0) {
            const struct ref what = {.kind = REF_ITEM, .gpu = i < ITEM_KINDS ? i : i - ITEM_KINDS};
            *at += n;
            return new_ref(arena, &what, name, n, ret);
        }
    }
    size_t length = 0;
    if (lull_kept_is_history(name, &length)) {
        const struct ref what = {.kind = REF_HISTORY};
        *at += length;
        return new_ref(arena, &what, name, length, ret);
    }
    struct ref what = {.kind = ir3 && n == 4 && strncmp(name, "exec", n) == 0 ? REF_EXEC
                                                                              : REF_REGISTER};
    if (what.kind == REF_EXEC) {
        *at += n;
        return new_ref(arena, &what, name, n, ret);
    }
    struct lull_error *err = ir3 ? lull_ir3_reg_find(at, &what.r) : lull_reg_find(at, &what.r);
    if (err != NULL && ir3 && lull_debug_find_gpu_register(ctx, at, &what.gpu, &what.wide)) {
        lull_error_free(err);
        err = NULL;
        what.kind = REF_GPU;
    }
    if (err != NULL && d->kept != NULL && lull_kept_find(d->kept, name, n) != NULL) {
        lull_error_free(err);
        err = NULL;
        what.kind = REF_KEPT;
        *at = name + n;
    }
    return err != NULL ? err : new_ref(arena, &what, name, (size_t)(*at - name), ret);
}

LULL_MUST_USE static struct lull_error *find_name(void *ctx, struct lull_arena *arena,
                                                  const char *name, const void **ret)
{
    uint64_t va = 0;
    struct ref what = {.kind = REF_VARIABLE};
    what.variable = lull_debug_find_variable(ctx, name);
    const bool symbol = what.variable == NULL && lull_debug_find_symbol(ctx, name, &va);
    if (what.variable == NULL && !symbol) {
        what.variable = lull_debug_block_named(ctx, name);
    }
    if (what.variable == NULL && !symbol) {
        return lull_error_new(LULL_ERR_INVALID, "no symbol or buffer '%s'%s", name,
                              lull_debug_symbols(ctx) != NULL ? ", and no variable here" : "");
    }
    what.kind = what.variable != NULL ? REF_VARIABLE : REF_SYMBOL;
    return new_ref(arena, &what, name, strlen(name), ret);
}

LULL_MUST_USE static struct lull_error *read_lanes(struct lull_debug *d,
                                                   const struct lull_debug_wave *wave,
                                                   const struct ref *r, struct lull_value *v)
{
    for (unsigned i = 0; i < v->lanes; i++) {
        struct lull_wave_reg reg = r->r.reg;
        reg.lane = (uint8_t)i;
        struct lull_error *err = lull_reg_read(d->target, wave->info.key, reg,
                                               lull_reg_count(&r->r, wave->info.lanes), &v->v[i]);
        if (err != NULL) {
            return err;
        }
        v->valid |= UINT64_C(1) << i;
    }
    if (r->r.nbits != 0) {
        v->v[0] = v->v[0] >> r->r.bit & ((1u << r->r.nbits) - 1);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_gpu(struct lull_debug *d, const struct ref *r,
                                                 bool only_type, struct lull_value *v)
{
    struct lull_error *err = NULL;
    v->type.bits = r->wide ? 64 : 32;
    v->valid = 1;
    for (uint32_t i = 0; err == NULL && !only_type && i <= r->wide; i++) {
        enum lull_gpu_reg_state state = LULL_GPU_REG_NEVER;
        uint32_t half = 0;
        err = lull_debug_gpu_register(d, r->gpu + i, &state, &half);
        if (err == NULL && state != LULL_GPU_REG_KNOWN) {
            err = lull_error_new(LULL_ERR_NOT_FOUND,
                                 state == LULL_GPU_REG_NEVER
                                     ? "$%s was never written"
                                     : "$%s is unknown: nobody can know its value here",
                                 r->name);
        }
        v->v[0] |= (uint64_t)half << 32 * i;
    }
    return err;
}

/* What the debugger itself knows. */
LULL_MUST_USE static struct lull_error *read_known(struct lull_debug *d, const struct ref *r,
                                                   struct lull_value *v)
{
    const struct lull_debug_wave *wave = lull_debug_wave_by_number(d, d->focus);
    const bool code = r->kind == REF_CODE || r->kind == REF_VS || r->kind == REF_FS;
    bool wide = code || r->kind == REF_SYMBOL || r->kind == REF_EXEC;
    v->type = (struct lull_ctype){.kind = wide ? LULL_CTYPE_UNSIGNED : LULL_CTYPE_SIGNED,
                                  .bits = wide ? 64 : 32};
    v->valid = 1;
    v->v[0] = code                                  ? code_of(d, wave, r->kind)
              : r->kind == REF_FOCUS_LANE           ? d->lane
              : r->kind == REF_WAVE                 ? d->focus
              : wave != NULL && r->kind == REF_EXEC ? wave->info.exec
              : wave != NULL                        ? wave->info.lanes
                                                    : 0;
    if (r->kind == REF_SYMBOL && !lull_debug_find_symbol(d, r->name, &v->v[0])) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no symbol or buffer '%s' now", r->name);
    }
    return NULL;
}

/* The number of each lane; where none stands, that of the focus. */
LULL_MUST_USE static struct lull_error *read_lane(struct lull_debug *d, struct lull_value *v)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    v->type = (struct lull_ctype){.kind = LULL_CTYPE_SIGNED, .bits = 32};
    v->valid = 1;
    v->v[0] = d->lane;
    if (w != NULL && w->stopped) {
        v->lanes = w->info.lanes;
        v->active = w->info.exec;
        v->valid = w->info.lanes == 64 ? UINT64_MAX : (UINT64_C(1) << w->info.lanes) - 1;
        for (unsigned i = 0; i < v->lanes; i++) {
            v->v[i] = i;
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_kept(const struct lull_debug *d, const struct ref *r,
                                                  struct lull_value *ret)
{
    static const struct lull_kept none = {0};
    const struct lull_kept *k = d->kept != NULL ? d->kept : &none;
    if (r->kind == REF_HISTORY) {
        return lull_kept_history(k, r->name, ret);
    }
    const struct lull_value *v = lull_kept_find(k, r->name, strlen(r->name));
    if (v == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "$%s was never set", r->name);
    }
    *ret = *v;
    return NULL;
}

/* Which work-item each lane is. */
LULL_MUST_USE static struct lull_error *read_item(struct lull_debug *d, const struct ref *r,
                                                  bool only_type, struct lull_value *ret)
{
    const uint32_t *block = block_of(d);
    const unsigned axis = r->gpu / ITEM_KINDS;
    struct lull_debug_wave *w = NULL;
    struct lull_value v = {.type = {.kind = LULL_CTYPE_SIGNED, .bits = 32}};
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err != NULL && only_type) {
        lull_error_free(err);
        err = NULL;
    }
    if (err == NULL && w != NULL && (w->info.of_draw || block[0] == 0)) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "$%s: the size of a workgroup is not known here",
                             r->name);
    }
    v.lanes = w != NULL ? w->info.lanes : LULL_MAX_LANES;
    v.active = w != NULL ? w->info.exec : UINT64_MAX;
    for (unsigned i = 0; err == NULL && !only_type && i < v.lanes; i++) {
        const uint32_t y = block[1] != 0 ? block[1] : 1;
        const uint32_t thread = w->info.wave_in_group * v.lanes + i;
        const uint32_t local = axis == 0   ? thread % block[0]
                               : axis == 1 ? thread / block[0] % y
                                           : thread / block[0] / y;
        const uint32_t group = w->info.workgroup[axis];
        const uint32_t size = block[axis] != 0 ? block[axis] : 1;
        v.v[i] = r->gpu % ITEM_KINDS == 0   ? group * size + local
                 : r->gpu % ITEM_KINDS == 1 ? local
                                            : group;
        v.valid |= UINT64_C(1) << i;
    }
    *ret = err == NULL ? v : *ret;
    return err;
}

LULL_MUST_USE static struct lull_error *read_ref(void *ctx, const void *ref, bool only_type,
                                                 struct lull_value *ret)
{
    struct lull_debug *d = ctx;
    const struct ref *r = ref;
    struct lull_debug_wave *wave = NULL;
    struct lull_value v = {.type = {.kind = LULL_CTYPE_UNSIGNED}, .lanes = 1, .active = 1};
    struct lull_error *err = NULL;
    if (r->kind == REF_VARIABLE) {
        return lull_debug_variable_value(d, r->variable, only_type, ret);
    }
    if (r->kind == REF_ITEM) {
        return read_item(d, r, only_type, ret);
    }
    if (r->kind == REF_HISTORY || r->kind == REF_KEPT) {
        return read_kept(d, r, ret);
    }
    if (r->kind == REF_GPU) {
        err = read_gpu(d, r, only_type, &v);
    } else if (r->kind == REF_LANE) {
        err = read_lane(d, &v);
    } else if (r->kind >= REF_LANE) {
        err = read_known(d, r, &v);
    } else {
        err = lull_debug_focused(d, &wave);
        if (err != NULL && only_type) { // it may be any
            lull_error_free(err);
            err = NULL;
        }
        unsigned lanes = wave != NULL ? wave->info.lanes : LULL_MAX_LANES;
        v.type.bits = lull_reg_is_wide(r->r.reg) || lull_reg_count(&r->r, lanes) == 2 ? 64
                      : r->r.bits != 0                                                ? r->r.bits
                                                                                      : 32;
        if (r->r.vector) {
            v.lanes = lanes;
            v.active = wave != NULL ? wave->info.exec : UINT64_MAX;
        }
        err = err != NULL || only_type || wave == NULL ? err : read_lanes(d, wave, r, &v);
    }
    if (err == NULL) {
        *ret = v;
    }
    return err;
}

/* The number of a workgroup, for what can be told by it: of work-items of a kernel, the group that
 * they are in. What the block of a program's dispatch is, is not known before it comes. */
static bool test_item(const struct lull_debug *d, const struct ref *r, struct lull_test_step *s)
{
    const unsigned axis = r->gpu / ITEM_KINDS, kind = r->gpu % ITEM_KINDS;
    const uint32_t size = d->block[axis] != 0 ? d->block[axis] : 1;
    if (s->one_lane || s->kind != LULL_TEST_EQUAL || kind == 1 ||
        (kind == 0 && (lull_debug_is_program(d) || d->block[0] == 0))) {
        return false;
    }
    s->is_workgroup = true;
    s->reg.index = (uint16_t)axis;
    s->number = kind == 0 ? s->number / size : s->number;
    return true;
}

bool lull_debug_test_place(const struct lull_debug *d, const void *ref, struct lull_test_step *s)
{
    const struct ref *r = ref;
    if (lull_debug_is_ir3(d) || r->kind == REF_ITEM) {
        return r->kind == REF_ITEM && test_item(d, r, s);
    }
    if (r->kind == REF_LANE) {
        s->is_lane = !s->one_lane;
        return s->is_lane;
    }
    const unsigned i = r->r.reg.index;
    const bool vector = r->r.reg.cls == LULL_REG_VGPR;
    const bool scalar = r->r.reg.cls == LULL_REG_SGPR && (i < LULL_RDNA_TTMP0 || i == LULL_RDNA_M0);
    const bool good = r->kind == REF_REGISTER && r->r.count == 1 && r->r.nbits == 0 &&
                      (r->r.bits == 0 || r->r.bits == 32) && (vector || (scalar && !s->one_lane));
    s->reg.cls = r->r.reg.cls;
    s->reg.index = r->r.reg.index;
    return good;
}

bool lull_debug_arch_reg(const void *ref, unsigned *ret)
{
    const struct ref *r = ref;
    *ret = r->r.reg.index;
    return r->kind == REF_REGISTER && r->r.reg.cls == LULL_REG_ARCH && r->r.count <= 1 &&
           r->r.nbits == 0;
}

LULL_MUST_USE static struct lull_error *write_scalar(struct lull_debug *d,
                                                     struct lull_debug_wave *wave,
                                                     const struct lull_reg_name *r, uint64_t value)
{
    lull_wave_key key = wave->info.key;
    if (r->nbits != 0) {
        uint64_t old = 0;
        struct lull_error *err = d->target->ops->read_reg(d->target, key, r->reg, &old);
        if (err != NULL) {
            return err;
        }
        uint64_t mask = ((UINT64_C(1) << r->nbits) - 1) << r->bit;
        value = (old & ~mask) | (value << r->bit & mask);
    }
    struct lull_error *err = lull_reg_write(d->target, key, r->reg, r->count, value);
    if (err == NULL && lull_reg_is_exec(r->reg)) {
        err = lull_reg_read_exec(d->target, &wave->info, &wave->info.exec);
    }
    if (err == NULL && r->reg.cls == LULL_REG_PC) {
        wave->info.pc = value;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *write_ref(void *ctx, const void *ref, enum lull_lanes which,
                                                  unsigned lane, const struct lull_value *value)
{
    struct lull_debug *d = ctx;
    const struct ref *r = ref;
    struct lull_debug_wave *wave = NULL;
    if (r->kind == REF_VARIABLE) {
        return lull_debug_set_variable(d, r->variable, which, lane, value);
    }
    if (r->kind >= REF_LANE) {
        return r->kind == REF_SYMBOL
                   ? lull_error_new(LULL_ERR_INVALID,
                                    "'%s' is an address and cannot be set; {u32}%s can", r->name,
                                    r->name)
                   : lull_error_new(LULL_ERR_INVALID, "$%s cannot be set", r->name);
    }
    struct lull_error *err = lull_debug_focused(d, &wave);
    if (err != NULL || !r->r.vector) {
        return err != NULL ? err : write_scalar(d, wave, &r->r, value->v[0]);
    }
    uint64_t lanes = which == LULL_LANES_ALL      ? UINT64_MAX
                     : which == LULL_LANES_ACTIVE ? wave->info.exec
                     : which == LULL_LANES_ONE    ? UINT64_C(1) << lane
                                                  : UINT64_C(1) << d->lane;
    for (unsigned i = 0; err == NULL && i < wave->info.lanes; i++) {
        struct lull_wave_reg reg = r->r.reg;
        reg.lane = (uint8_t)i;
        if ((lanes >> i & 1) != 0) {
            err = lull_reg_write(d->target, wave->info.key, reg, r->r.count,
                                 value->v[value->lanes == 1 ? 0 : i]);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *locate(void *ctx, const void *ref, bool only_type,
                                               bool *ret_is, struct lull_location *ret)
{
    const struct ref *r = ref;
    *ret_is = false;
    return r->kind != REF_VARIABLE
               ? NULL
               : lull_debug_locate_variable(ctx, r->variable, only_type, ret_is, ret);
}

/* A buffer's name is its address, and with members, the block that lies there. */
LULL_MUST_USE static struct lull_error *object(void *ctx, struct lull_arena *arena, const void *ref,
                                               const void **ret)
{
    const struct ref *r = ref;
    struct ref what = {.kind = REF_VARIABLE};
    what.variable = r->kind == REF_SYMBOL ? lull_debug_block(ctx, r->name) : NULL;
    return what.variable != NULL ? new_ref(arena, &what, r->name, strlen(r->name), ret) : NULL;
}

static const struct lull_symtype *find_type(void *ctx, const char *name)
{
    return lull_debug_find_type(ctx, name);
}

struct lull_expr_scope lull_debug_expr_scope(struct lull_debug *d)
{
    return (struct lull_expr_scope){.ctx = d,
                                    .find_register = find_register,
                                    .find_name = find_name,
                                    .read = read_ref,
                                    .write = write_ref,
                                    .read_memory = lull_debug_read_memory,
                                    .write_memory = lull_debug_write_memory,
                                    .find_type = find_type,
                                    .locate = locate,
                                    .object = object,
                                    .read_scratch = lull_debug_read_scratch,
                                    .read_held = lull_debug_read_held,
                                    .write_held = lull_debug_write_held,
                                    .write_scratch = lull_debug_write_scratch,
                                    .resolve = lull_debug_resolve};
}

/* The scope in which "it" is one variable, and nothing else has a name. */
LULL_MUST_USE static struct lull_error *find_it(void *ctx, struct lull_arena *arena,
                                                const char *name, const void **ret)
{
    struct lull_debug *d = ctx;
    const struct ref what = {.kind = REF_VARIABLE, .variable = d->it};
    return new_ref(arena, &what, name, strlen(name), ret);
}

struct lull_error *lull_debug_parse_variable(struct lull_debug *d, const struct lull_symvar *v,
                                             struct lull_expr **ret)
{
    struct lull_expr_scope scope = lull_debug_expr_scope(d);
    scope.find_name = find_it;
    d->it = v;
    struct lull_error *err = lull_expr_parse(&scope, "it", NULL, ret);
    d->it = NULL;
    return err;
}

bool lull_debug_has_parts(struct lull_debug *d, const struct lull_expr *e)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    struct lull_ctype type = {0};
    struct lull_error *err = lull_expr_type(&scope, e, &type);
    const bool parts = err == NULL && type.kind == LULL_CTYPE_PARTS && type.stars == 0;
    lull_error_free(err);
    return parts;
}

struct lull_error *lull_debug_parse_part(struct lull_debug *d, const char *text,
                                         const char **ret_end, struct lull_expr **ret)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    struct lull_expr *e = NULL;
    struct lull_error *err = lull_expr_parse(&scope, text, ret_end, &e);
    err = err != NULL ? err : lull_expr_check(&scope, e);
    if (err != NULL) {
        lull_expr_free(e);
        return err;
    }
    *ret = e;
    return NULL;
}

struct lull_error *lull_debug_parse(struct lull_debug *d, const char *text, struct lull_expr **ret)
{
    return lull_debug_parse_part(d, text, NULL, ret);
}

struct lull_error *lull_debug_value(struct lull_debug *d, const struct lull_expr *e,
                                    struct lull_value *ret)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    return lull_expr_eval(&scope, e, ret);
}

struct lull_error *lull_debug_eval(struct lull_debug *d, const char *text, struct lull_value *ret)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    struct lull_expr *e = NULL;
    struct lull_error *err = lull_expr_parse(&scope, text, NULL, &e);
    err = err != NULL ? err : lull_expr_eval(&scope, e, ret);
    lull_expr_free(e);
    return err;
}

LULL_MUST_USE static struct lull_error *need_kept(struct lull_debug *d)
{
    if (d->kept == NULL) {
        d->kept = calloc(1, sizeof *d->kept);
    }
    return d->kept != NULL ? NULL : &lull_enomem;
}

struct lull_error *lull_debug_set_convenience(struct lull_debug *d, const char *name, uint64_t v)
{
    const struct lull_value value = {.type = {.kind = LULL_CTYPE_SIGNED, .bits = 64},
                                     .lanes = 1,
                                     .active = 1,
                                     .valid = 1,
                                     .v = {v}};
    struct lull_error *err = need_kept(d);
    return err != NULL ? err : lull_kept_set(d->kept, name, strlen(name), &value);
}

struct lull_error *lull_debug_printed(struct lull_debug *d, const struct lull_value *value)
{
    struct lull_error *err = need_kept(d);
    return err != NULL ? err : lull_kept_print(d->kept, value);
}

/* "s999": a register that is not there rather than a variable. */
static bool like_register(const char *name, size_t length)
{
    static const char *const classes[] = {"s", "v", "ttmp", "r", "hr", "c", "hc", "a", "p"};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const size_t n = strlen(classes[i]);
        if (n < length && strncmp(name, classes[i], n) == 0 &&
            strspn(name + n, "0123456789") >= length - n) {
            return true;
        }
    }
    return false;
}

/* "$NAME = ..." of a name that nothing else has: what stands behind the '='; else NULL. */
static const char *own_variable(struct lull_debug *d, const char *text, size_t *ret_length)
{
    struct lull_arena arena = {0};
    const void *ref = NULL;
    size_t n = 1;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') {
        n++;
    }
    const char *from = text + n + strspn(text + n, " \t");
    const char *at = text + 1;
    if (text[0] != '$' || !(isalpha((unsigned char)text[1]) || text[1] == '_') || from[0] != '=' ||
        from[1] == '=') {
        return NULL;
    }
    struct lull_error *err = find_register(d, &arena, &at, &ref);
    const struct ref *r = ref;
    const bool own = err != NULL ? !like_register(text + 1, n - 1) : r->kind == REF_KEPT;
    lull_error_free(err);
    lull_arena_done(&arena);
    *ret_length = n - 1;
    return own ? from + 1 : NULL;
}

struct lull_error *lull_debug_assign(struct lull_debug *d, const char *text)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    size_t length = 0;
    const char *from = own_variable(d, text, &length);
    struct lull_value v = {0};
    if (from == NULL) {
        return lull_expr_assign(&scope, text);
    }
    struct lull_error *err = need_kept(d);
    err = err != NULL ? err : lull_debug_eval(d, from, &v);
    return err != NULL ? err : lull_kept_set(d->kept, text + 1, length, &v);
}

static void place_of(const struct lull_location *at, struct lull_place *ret)
{
    const struct ref *r = at->ref;
    if (r != NULL && r->kind == REF_REGISTER) {
        ret->kind = LULL_PLACE_REGISTER;
        snprintf(ret->name, sizeof ret->name, "%s", r->name);
    } else if (r == NULL && !at->scratch && at->held == NULL) { // Lanes' own has no address.
        ret->kind = at->lds ? LULL_PLACE_LDS : LULL_PLACE_MEMORY;
        ret->lanes = at->lanes;
        memcpy(ret->address, at->address, sizeof ret->address);
    }
}

struct lull_error *lull_debug_evaluate(struct lull_debug *d, const char *expression,
                                       struct lull_typed_value *ret)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    struct lull_typed_value v = {0};
    struct lull_location at = {0};
    struct lull_expr *e = NULL;
    struct lull_error *err = lull_debug_parse(d, expression, &e);
    err = err != NULL ? err : lull_expr_eval(&scope, e, &v.value);
    if (err == NULL) {
        struct lull_error *nowhere = lull_expr_locate(&scope, e, &at);
        if (nowhere == NULL) {
            place_of(&at, &v.place);
        }
        lull_error_free(nowhere);
        *ret = v;
    }
    lull_expr_free(e);
    return err;
}

/* One number for the register, or for the lanes that are valid. */
LULL_MUST_USE static struct lull_error *write_lanes(struct lull_debug *d, const struct ref *r,
                                                    const struct lull_value *value)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    const unsigned lanes = err == NULL && r->r.vector ? w->info.lanes : 1;
    if (err == NULL && value->lanes != 1 && value->lanes != lanes) {
        err = lull_error_new(LULL_ERR_INVALID, "%u numbers for $%s, which has %u", value->lanes,
                             r->name, lanes);
    }
    if (err != NULL || !r->r.vector) {
        return err != NULL ? err : write_scalar(d, w, &r->r, value->v[0]);
    }
    for (unsigned i = 0; err == NULL && i < lanes; i++) {
        if ((value->valid >> i & 1) != 0) {
            err = write_ref(d, r, LULL_LANES_ONE, i, value);
        }
    }
    return err;
}

struct lull_error *lull_debug_write_register(struct lull_debug *d, const char *name,
                                             const struct lull_value *value)
{
    struct lull_arena arena = {0};
    const void *ref = NULL;
    const char *at = name;
    struct lull_error *err = find_register(d, &arena, &at, &ref);
    const struct ref *r = ref;
    if (err == NULL && (*at != '\0' || r->kind != REF_REGISTER)) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is not a register", name);
    }
    err = err != NULL ? err : write_lanes(d, r, value);
    lull_arena_done(&arena);
    return err;
}

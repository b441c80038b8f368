// SPDX-License-Identifier: MIT
/* Memory violations: which lanes the page tables refused, and by which entry. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/engine.h"
#include "hw/desc11_regs.h"
#include "hw/hwreg_regs.h"
#include "hw/pte11_regs.h"
#include "isa/rdna/ops.h"

enum { LOOK_BACK = 8, VA_BITS = 48 };

/** Where the lanes of one memory instruction go. */
struct access {
    struct lull_debug *d;
    const struct lull_debug_wave *wave;
    struct lull_rdna_insn in;
    unsigned lanes; ///< 1 for scalar loads.
    uint64_t mask;  ///< Lanes that have an address in memory.
    unsigned bytes; ///< Of one lane.
    bool reads, writes;
    uint64_t va[LULL_MAX_LANES];
};

/** Why one lane's address was refused. */
struct refusal {
    bool refused;
    const char *missing; ///< Name of the bit.
    struct lull_walk_step step;
};

LULL_MUST_USE static struct lull_error *scalar(const struct access *a, unsigned index,
                                               unsigned count, uint64_t *ret)
{
    *ret = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t v = 0;
        unsigned r = index + i;
        struct lull_error *err = NULL;
        if (r >= LULL_RDNA_INT0 && r <= LULL_RDNA_INT64) {
            v = r - LULL_RDNA_INT0;
        } else if (r != LULL_RDNA_NULL && r < LULL_RDNA_INT0) {
            err = lull_debug_read_reg(a->d, a->wave, LULL_REG_SGPR, r, 0, &v);
        }
        if (err != NULL) {
            return err;
        }
        *ret |= (uint64_t)(uint32_t)v << (32 * i);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *vector(const struct access *a, unsigned operand,
                                               unsigned count, unsigned lane, uint64_t *ret)
{
    *ret = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t v = 0;
        struct lull_error *err = lull_debug_read_reg(a->d, a->wave, LULL_REG_VGPR,
                                                     operand - LULL_RDNA_VGPR0 + i, lane, &v);
        if (err != NULL) {
            return err;
        }
        *ret |= (uint64_t)(uint32_t)v << (32 * i);
    }
    return NULL;
}

static bool has_sgpr(unsigned operand)
{
    return operand != LULL_RDNA_NONE && operand != LULL_RDNA_NULL;
}

LULL_MUST_USE static struct lull_error *global_lanes(struct access *a)
{
    const struct lull_rdna_insn *in = &a->in;
    bool saddr = has_sgpr(in->saddr);
    uint64_t base = 0;
    struct lull_error *err = saddr ? scalar(a, in->saddr, 2, &base) : NULL;
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        uint64_t v = 0;
        if (in->vaddr != LULL_RDNA_NONE) {
            err = vector(a, in->vaddr, saddr ? 1 : 2, i, &v);
        }
        a->va[i] = base + v + (uint64_t)(int64_t)in->imm;
    }
    return err;
}

/* Scratch is interleaved by dwords over the lanes of the wave. */
static uint64_t scratch_va(const struct access *a, uint64_t flat_scratch, unsigned lane,
                           uint32_t offset)
{
    return flat_scratch + 4 * ((uint64_t)(offset / 4) * a->lanes + lane) + offset % 4;
}

LULL_MUST_USE static struct lull_error *scratch_lanes(struct access *a)
{
    const struct lull_rdna_insn *in = &a->in;
    uint64_t base = 0;
    uint64_t saddr = 0;
    struct lull_error *err = lull_debug_read_reg(a->d, a->wave, LULL_REG_FLAT_SCRATCH, 0, 0, &base);
    if (err == NULL && has_sgpr(in->saddr)) {
        err = scalar(a, in->saddr, 1, &saddr);
    }
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        uint64_t v = 0;
        if (in->vaddr != LULL_RDNA_NONE && in->svs) {
            err = vector(a, in->vaddr, 1, i, &v);
        }
        a->va[i] = scratch_va(a, base, i, (uint32_t)(saddr + v + (uint64_t)(int64_t)in->imm));
    }
    return err;
}

/* Flat addresses may be LDS or scratch: the apertures of SH_MEM_BASES. */
LULL_MUST_USE static struct lull_error *flat_lanes(struct access *a)
{
    uint64_t bases = 0;
    uint64_t flat_scratch = 0;
    struct lull_error *err = global_lanes(a);
    if (err == NULL) {
        err = lull_debug_read_reg(a->d, a->wave, LULL_REG_HW, LULL_HWREG_SH_MEM_BASES, 0, &bases);
    }
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) { // then all are taken as global
        lull_error_free(err);
        return NULL;
    }
    if (err == NULL) {
        err = lull_debug_read_reg(a->d, a->wave, LULL_REG_FLAT_SCRATCH, 0, 0, &flat_scratch);
    }
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        uint64_t top = a->va[i] >> VA_BITS;
        if (top != 0 && top == lull_get64(bases, LULL_HWREG_SH_MEM_BASES__SHARED_BASE_MASK)) {
            a->mask &= ~(UINT64_C(1) << i);
        } else if (top != 0 &&
                   top == lull_get64(bases, LULL_HWREG_SH_MEM_BASES__PRIVATE_BASE_MASK)) {
            a->va[i] = scratch_va(a, flat_scratch, i, (uint32_t)a->va[i]);
        }
    }
    return err;
}

/* Linear buffers; swizzled ones and bounds are left out. */
LULL_MUST_USE static struct lull_error *buffer_lanes(struct access *a, bool *ret_known)
{
    const struct lull_rdna_insn *in = &a->in;
    uint64_t desc = 0;
    uint64_t soffset = 0;
    struct lull_error *err = scalar(a, in->sbase, 2, &desc);
    if (err == NULL && in->soffset != LULL_RDNA_NONE) {
        err = scalar(a, in->soffset, 1, &soffset);
    }
    uint32_t word1 = (uint32_t)(desc >> 32);
    uint64_t stride = lull_get(word1, LULL_DESC11_BUF_WORD1__STRIDE_MASK);
    uint64_t base = (uint64_t)lull_get(word1, LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK) << 32 |
                    (uint32_t)desc;
    *ret_known = lull_get(word1, LULL_DESC11_BUF_WORD1__SWIZZLE_ENABLE_MASK) == 0;
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        uint64_t index = 0;
        uint64_t offset = 0;
        err = in->idxen ? vector(a, in->vaddr, 1, i, &index) : NULL;
        if (err == NULL && in->offen) {
            err = vector(a, in->vaddr + (in->idxen ? 1u : 0u), 1, i, &offset);
        }
        a->va[i] = base + soffset + index * stride + offset + (uint32_t)in->imm;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *scalar_load(struct access *a)
{
    uint64_t base = 0;
    uint64_t soffset = 0;
    struct lull_error *err = scalar(a, a->in.sbase, 2, &base);
    if (err == NULL && a->in.soffset != LULL_RDNA_NONE) {
        err = scalar(a, a->in.soffset, 1, &soffset);
    }
    a->lanes = 1;
    a->mask = 1;
    a->va[0] = (base & ~UINT64_C(3)) + ((uint64_t)(int64_t)a->in.imm & ~UINT64_C(3)) +
               (soffset & ~UINT64_C(3));
    return err;
}

static unsigned access_bytes(const struct lull_rdna_op_info *info)
{
    unsigned type = info->type[LULL_RDNA_SLOT_VDATA];
    type = type != LULL_RDNA_T_NONE ? type : info->type[LULL_RDNA_SLOT_DST];
    bool byte = type == LULL_RDNA_T_B8 || type == LULL_RDNA_T_U8 || type == LULL_RDNA_T_I8;
    unsigned dwords = lull_rdna_type_dwords[type];
    return byte ? 1 : lull_rdna_type_is_16(type) ? 2 : dwords != 0 ? 4 * dwords : 4;
}

/* Addresses of all lanes; @p ret_known is false if the instruction has none that can be told. */
LULL_MUST_USE static struct lull_error *find_lanes(struct access *a, bool *ret_known)
{
    const struct lull_rdna_op_info *info = lull_rdna_info(&a->in);
    a->lanes = a->wave->info.lanes;
    a->mask = a->wave->info.exec;
    a->writes = (info->flags & (LULL_RDNA_F_STORE | LULL_RDNA_F_ATOMIC)) != 0;
    a->reads = (info->flags & (LULL_RDNA_F_LOAD | LULL_RDNA_F_ATOMIC)) != 0;
    a->bytes = access_bytes(info);
    *ret_known = a->reads || a->writes;
    if (!*ret_known) {
        return NULL;
    }
    if (a->in.enc == LULL_RDNA_GLOBAL) {
        return global_lanes(a);
    }
    if (a->in.enc == LULL_RDNA_FLAT) {
        return flat_lanes(a);
    }
    if (a->in.enc == LULL_RDNA_SCRATCH) {
        return scratch_lanes(a);
    }
    if (a->in.enc == LULL_RDNA_SMEM && info->type[LULL_RDNA_SLOT_SBASE] == LULL_RDNA_T_B64) {
        return scalar_load(a);
    }
    if (a->in.enc == LULL_RDNA_MUBUF) {
        return buffer_lanes(a, ret_known);
    }
    *ret_known = false;
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_address(const struct access *a, uint64_t va,
                                                      struct refusal *ret)
{
    struct lull_walk walk = {0};
    struct lull_error *err = lull_debug_walk(a->d, va, &walk);
    if (err != NULL) {
        return err;
    }
    *ret = (struct refusal){0};
    if (walk.nsteps > 0) {
        ret->step = walk.steps[walk.nsteps - 1];
    }
    if (!walk.mapped) {
        *ret = (struct refusal){.refused = true, .missing = "VALID", .step = ret->step};
    } else if (a->reads && (ret->step.entry & LULL_PTE11_PTE__READABLE_MASK) == 0) {
        *ret = (struct refusal){.refused = true, .missing = "READABLE", .step = ret->step};
    } else if (a->writes && (ret->step.entry & LULL_PTE11_PTE__WRITEABLE_MASK) == 0) {
        *ret = (struct refusal){.refused = true, .missing = "WRITEABLE", .step = ret->step};
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_lane(const struct access *a, unsigned lane,
                                                   struct refusal *ret)
{
    uint64_t last = a->va[lane] + a->bytes - 1;
    struct lull_error *err = check_address(a, a->va[lane], ret);
    if (err == NULL && !ret->refused && (last ^ a->va[lane]) > LULL_PTE11_VA__OFFSET_MASK) {
        err = check_address(a, last, ret); // it goes on in another page
    }
    return err;
}

static bool same_refusal(const struct refusal *a, const struct refusal *b)
{
    return a->refused && b->refused && a->missing == b->missing && a->step.level == b->step.level &&
           a->step.entry_address == b->step.entry_address;
}

/* Lanes @p first to @p last share one refusal. */
static void show_range(struct lull_cmd *c, const struct access *a, const struct refusal *r,
                       unsigned first, unsigned last)
{
    if (a->in.enc == LULL_RDNA_SMEM) {
        lull_str_addf(c->out, "  scalar: VA 0x%012" PRIx64, a->va[first]);
    } else if (first == last) {
        lull_str_addf(c->out, "  lane %u: VA 0x%012" PRIx64, first, a->va[first]);
    } else {
        lull_str_addf(c->out, "  lanes %u-%u: VA 0x%012" PRIx64 " to 0x%012" PRIx64, first, last,
                      a->va[first], a->va[last]);
    }
    lull_str_addf(c->out, ", %s: %s entry at 0x%012" PRIx64 " = 0x%016" PRIx64 " has %s clear\n",
                  strcmp(r->missing, "VALID") == 0      ? "not mapped"
                  : strcmp(r->missing, "READABLE") == 0 ? "not readable"
                                                        : "not writable",
                  lull_walk_level_name(r->step.level), r->step.entry_address, r->step.entry,
                  r->missing);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "first_lane", first);
        lull_json_put_u64(c->json, "last_lane", last);
        lull_json_put_hex(c->json, "first_va", a->va[first]);
        lull_json_put_hex(c->json, "last_va", a->va[last]);
        lull_json_put_str(c->json, "level", lull_walk_level_name(r->step.level));
        lull_json_put_hex(c->json, "entry_address", r->step.entry_address);
        lull_json_put_hex(c->json, "entry", r->step.entry);
        lull_json_put_str(c->json, "missing", r->missing);
        lull_json_close(c->json, '}');
    }
}

static void show_refusals(struct lull_cmd *c, const struct access *a, const struct refusal *r)
{
    for (unsigned i = 0; i < a->lanes; i++) {
        if (!r[i].refused) {
            continue;
        }
        unsigned last = i;
        while (last + 1 < a->lanes && same_refusal(&r[i], &r[last + 1])) {
            last++;
        }
        show_range(c, a, &r[i], i, last);
        i = last;
    }
}

/* Refused lanes of the instruction at @p va. @p ret: how many. */
LULL_MUST_USE static struct lull_error *show_at(struct lull_cmd *c,
                                                const struct lull_debug_wave *wave, uint64_t va,
                                                unsigned *ret)
{
    struct access a = {.d = c->d, .wave = wave};
    bool known = false;
    *ret = 0;
    if (!lull_debug_decode(c->d, va, &a.in)) {
        return NULL;
    }
    struct lull_error *err = find_lanes(&a, &known);
    if (err != NULL || !known) {
        return err;
    }
    lull_cleanup(lull_freep) struct refusal *r = calloc(LULL_MAX_LANES, sizeof *r);
    if (r == NULL) {
        return &lull_enomem;
    }
    for (unsigned i = 0; err == NULL && i < a.lanes; i++) {
        if ((a.mask >> i & 1) != 0) {
            err = check_lane(&a, i, &r[i]);
            *ret += err == NULL && r[i].refused;
        }
    }
    if (err != NULL || *ret == 0) {
        return err;
    }
    lull_str_addf(c->out, "Memory violation by %s at 0x%012" PRIx64 "%s, %s:\n",
                  lull_rdna_info(&a.in)->name, va,
                  va == wave->info.pc ? "" : " (the wave ran on since)",
                  a.writes && a.reads ? "atomic"
                  : a.writes          ? "write"
                                      : "read");
    show_refusals(c, &a, r);
    return NULL;
}

struct lull_error *lull_debug_show_fault(struct lull_cmd *c, const struct lull_debug_wave *wave)
{
    uint64_t at[LOOK_BACK + 1] = {0};
    size_t n = lull_debug_insns_before(c->d, wave->info.pc, at, LOOK_BACK);
    at[n++] = wave->info.pc;
    unsigned refused = 0;
    struct lull_error *err = NULL;
    if (c->json != NULL) {
        lull_json_key(c->json, "refused");
        lull_json_open(c->json, '[');
    }
    // Hardware may report it some instructions late: the newest that has a refused lane did it.
    while (err == NULL && refused == 0 && n > 0) {
        err = show_at(c, wave, at[--n], &refused);
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (err != NULL) {
        lull_str_addf(c->out, "The addresses cannot be checked: %s\n", lull_error_message(err));
        lull_error_free(err);
        return NULL;
    }
    if (refused == 0) {
        lull_str_addf(
            c->out,
            "No lane of the last instructions has an address that the page tables refuse now: "
            "the registers may have changed since.\n");
    }
    return NULL;
}

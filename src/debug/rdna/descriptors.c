// SPDX-License-Identifier: MIT
#include "debug/rdna/descriptors.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/access.h"
#include "hw/desc11_regs.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "isa/rdna/ops.h"

enum {
    NREGS = 108,
    VGPR0 = 256,
    NVGPRS = 256,
    BUFFER_DWORDS = 4,
    IMAGE_DWORDS = 8,
    SAMPLER_DWORDS = 4,
    MAX_LOAD = 16
};

/** What is known of an SGPR at some place in the code. */
struct reg {
    bool known;   ///< v is its value.
    bool indexed; ///< It was loaded from somewhere behind `from` that is known at run time only.
    bool used;    ///< As a descriptor or an address.
    uint32_t v;
    int8_t user;   ///< It is user SGPR n, or that and a constant; -1: not.
    uint64_t from; ///< Address that it was loaded from; 0: not loaded.
    uint64_t set;  ///< What that load's pointer pointed to.
    int8_t set_user;
    int16_t through;
};

/** What is known of a VGPR. */
struct vreg {
    int input; ///< It has what this VGPR had at the start; -1: not known.
    uint32_t add;
};

/** A walk over the code, in the order of addresses. */
struct walk {
    struct lull_target *t;
    const struct lull_dispatch_info *dispatch;
    struct lull_bindings *b;
    struct reg r[NREGS];
    struct vreg v[NVGPRS];
    uint64_t pc;
    struct lull_rdna_insn in;
};

static const struct reg unknown = {.user = -1, .set_user = -1, .through = -1};

static bool constant(const struct lull_rdna_insn *in, unsigned operand, uint32_t *ret)
{
    if (operand >= LULL_RDNA_INT0 && operand <= LULL_RDNA_INT64) {
        *ret = operand - LULL_RDNA_INT0;
    } else if (operand > LULL_RDNA_INT64 && operand <= LULL_RDNA_INT_LAST) {
        *ret = (uint32_t) - (int32_t)(operand - LULL_RDNA_INT64);
    } else if (operand == LULL_RDNA_LITERAL) {
        *ret = in->literal;
    } else {
        return false;
    }
    return true;
}

static struct reg source(const struct walk *w, unsigned operand)
{
    struct reg r = unknown;
    if (operand < NREGS) {
        return w->r[operand];
    }
    r.known = constant(&w->in, operand, &r.v);
    return r;
}

/* Scalar operations that addresses are made with; others give what is not known. */
static struct reg compute(const struct walk *w)
{
    struct reg a = source(w, w->in.src[0]);
    struct reg b = source(w, w->in.src[1]);
    struct reg r = unknown;
    r.known = a.known && b.known;
    switch (w->in.op) {
    case LULL_RDNA_OP_S_MOV_B32:
        return a;
    case LULL_RDNA_OP_S_MOVK_I32:
        r.known = true;
        r.v = (uint32_t)w->in.imm;
        return r;
    case LULL_RDNA_OP_S_ADD_U32:
    case LULL_RDNA_OP_S_ADD_I32:
        r.v = a.v + b.v;
        r.user = (int8_t)(a.user >= 0 ? a.user : b.user);
        return r;
    case LULL_RDNA_OP_S_LSHL_B32:
        r.v = a.v << (b.v & 31);
        return r;
    case LULL_RDNA_OP_S_AND_B32:
        r.v = a.v & b.v;
        return r;
    case LULL_RDNA_OP_S_OR_B32:
        r.v = a.v | b.v;
        return r;
    case LULL_RDNA_OP_S_MUL_I32:
        r.v = a.v * b.v;
        return r;
    default:
        return unknown;
    }
}

static void load(struct walk *w, unsigned dwords)
{
    struct reg low = source(w, w->in.sbase);
    struct reg high = source(w, w->in.sbase + 1u);
    struct reg offset = unknown;
    offset.known = true;
    if (w->in.soffset != LULL_RDNA_NONE && w->in.soffset != LULL_RDNA_NULL) {
        offset = source(w, w->in.soffset);
    }
    uint64_t base = (uint64_t)high.v << 32 | low.v;
    uint64_t at = base + (uint64_t)(int64_t)w->in.imm + (offset.known ? offset.v : 0);
    struct reg r = unknown;
    // The set is what the user SGPR points to, or what a pointer loaded through it points to.
    r.set = base;
    if (low.user >= 0 && low.user < LULL_USER_SGPRS) {
        r.set = (uint64_t)high.v << 32 | w->dispatch->user_data[low.user];
        r.set_user = low.user;
        w->b->pointers |= 1u << low.user;
    } else if (low.from != 0) {
        r.set_user = low.set_user;
        r.through = (int16_t)((low.from - low.set) / 4);
    }
    if (w->in.sbase + 1u < NREGS) {
        w->r[w->in.sbase].used = true;
        w->r[w->in.sbase + 1].used = true;
    }
    uint32_t data[MAX_LOAD] = {0};
    bool good = low.known && high.known && offset.known && dwords <= MAX_LOAD;
    if (good) {
        struct lull_error *err = w->t->ops->read(w->t, at & ~UINT64_C(3), data, 4ull * dwords);
        good = err == NULL;
        lull_error_free(err);
    }
    for (unsigned i = 0; i < dwords && w->in.dst + i < NREGS; i++) {
        r.known = good;
        r.indexed = !good && low.known && high.known;
        r.v = i < MAX_LOAD ? data[i] : 0;
        r.from = low.known && high.known ? at + 4ull * i : 0;
        w->r[w->in.dst + i] = r;
    }
}

static struct lull_desc *same(struct lull_bindings *b, const struct lull_desc *desc)
{
    for (unsigned i = 0; i < b->ndescs; i++) {
        struct lull_desc *have = &b->desc[i];
        bool made = desc->va == 0 && memcmp(have->dword, desc->dword, sizeof have->dword) == 0;
        if (have->kind == desc->kind && have->va == desc->va && (desc->va != 0 || made)) {
            return have;
        }
    }
    return NULL;
}

/* A descriptor is used that stands in @p dwords SGPRs from @p first. */
static void use(struct walk *w, enum lull_desc_kind kind, unsigned first, unsigned dwords)
{
    if (first + dwords > NREGS) {
        return;
    }
    const struct reg *r = &w->r[first];
    bool whole = true;
    bool known = true;
    for (unsigned i = 0; i < dwords; i++) {
        whole = whole && r[i].from != 0 && r[i].from == r[0].from + 4ull * i;
        known = known && r[i].known;
        w->r[first + i].used = true;
    }
    if (!whole && !known) {
        return; // from somewhere this walk cannot follow
    }
    uint64_t flags = lull_rdna_info(&w->in)->flags;
    struct lull_desc desc = {
        .kind = kind,
        .va = whole ? r[0].from : 0,
        .set_va = whole ? r[0].set : 0,
        .offset = whole ? (uint32_t)(r[0].from - r[0].set) : 0,
        .user = (int8_t)(whole ? r[0].set_user : -1),
        .through = (int16_t)(whole ? r[0].through : -1),
        .indexed = !known,
        .pc = w->pc,
    };
    for (unsigned i = 0; i < dwords; i++) {
        desc.dword[i] = r[i].v;
    }
    struct lull_desc *at = same(w->b, &desc);
    if (at == NULL && w->b->ndescs < LULL_MAX_DESCRIPTORS) {
        at = &w->b->desc[w->b->ndescs++];
        *at = desc;
    }
    if (at != NULL && kind != LULL_DESC_SAMPLER) {
        at->reads = at->reads || (flags & (LULL_RDNA_F_LOAD | LULL_RDNA_F_ATOMIC)) != 0;
        at->writes = at->writes || (flags & (LULL_RDNA_F_STORE | LULL_RDNA_F_ATOMIC)) != 0;
    }
}

/* Loaded dwords that were used neither as a descriptor nor as an address when they go. */
static void retire(struct walk *w, unsigned index)
{
    const struct reg *r = &w->r[index];
    struct lull_bindings *b = w->b;
    if (r->from == 0 || r->used || !r->known || r->set_user < 0 || r->through >= 0) {
        return;
    }
    uint32_t offset = (uint32_t)(r->from - r->set);
    for (unsigned i = 0; i < b->nconstants; i++) {
        if (b->constant[i].user == r->set_user && b->constant[i].offset == offset) {
            return;
        }
    }
    if (b->nconstants < LULL_MAX_CONSTANTS) {
        b->constant[b->nconstants++] =
            (struct lull_constant){.user = r->set_user, .offset = offset, .value = r->v};
    }
}

static void set(struct walk *w, unsigned dst, unsigned dwords, struct reg r)
{
    for (unsigned i = 0; i < dwords && dst + i < NREGS; i++) {
        retire(w, dst + i);
        w->r[dst + i] = i == 0 ? r : unknown;
    }
}

static unsigned width(unsigned type)
{
    // A mask of lanes takes two in wave64; a width that is not known: as wide as may be.
    return type == LULL_RDNA_T_NONE   ? 0
           : type == LULL_RDNA_T_MASK ? 2
                                      : lull_rdna_type_dwords[type];
}

/* Components that a load with conversion gives; 0: it is not one. */
static unsigned format_loads(unsigned op)
{
    static const unsigned first[] = {
        LULL_RDNA_OP_BUFFER_LOAD_FORMAT_X, LULL_RDNA_OP_BUFFER_LOAD_D16_FORMAT_X,
        LULL_RDNA_OP_TBUFFER_LOAD_FORMAT_X, LULL_RDNA_OP_TBUFFER_LOAD_D16_FORMAT_X};
    for (unsigned i = 0; i < sizeof first / sizeof first[0]; i++) {
        if (op >= first[i] && op < first[i] + 4) { // X, XY, XYZ, XYZW
            return op - first[i] + 1;
        }
    }
    return 0;
}

/* A load of the buffer whose descriptor stands from SGPR sbase on. */
static void fetch(struct walk *w)
{
    const struct lull_rdna_insn *in = &w->in;
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    const struct reg offset =
        in->soffset == LULL_RDNA_NULL ? source(w, LULL_RDNA_INT0) : source(w, in->soffset);
    const bool load = (info->flags & LULL_RDNA_F_LOAD) != 0;
    if (!load || !in->idxen || in->offen || in->sbase + BUFFER_DWORDS > NREGS || !offset.known ||
        in->vaddr < VGPR0 || in->vaddr >= VGPR0 + NVGPRS || in->lds ||
        w->b->nfetches == LULL_MAX_FETCHES) {
        return;
    }
    const struct reg *r = &w->r[in->sbase];
    const struct vreg *v = &w->v[in->vaddr - VGPR0];
    struct lull_fetch f = {.table = (uint32_t)(r->from - r->set),
                           .input = v->input,
                           .add = v->add,
                           .offset = (uint32_t)in->imm + offset.v,
                           .loads = (uint8_t)format_loads(in->op),
                           .pc = w->pc};
    for (unsigned i = 0; i < BUFFER_DWORDS; i++) {
        if (!r[i].known || r[i].from == 0) {
            return;
        }
        f.dword[i] = r[i].v;
    }
    if (f.loads != 0) {
        f.format = in->enc == LULL_RDNA_MTBUF
                       ? in->format
                       : (uint8_t)lull_get(f.dword[3], LULL_DESC11_BUF_WORD3__FORMAT_MASK);
    } else if (in->op >= LULL_RDNA_OP_BUFFER_LOAD_B32 && in->op <= LULL_RDNA_OP_BUFFER_LOAD_B128) {
        f.loads = (uint8_t)(in->op - LULL_RDNA_OP_BUFFER_LOAD_B32 + 1);
    } else {
        return;
    }
    w->b->fetch[w->b->nfetches++] = f;
}

/* What is known of VGPRs behind the instruction. */
static void vector(struct walk *w)
{
    const struct lull_rdna_insn *in = &w->in;
    struct vreg r = {.input = -1};
    if (in->dst < VGPR0 || in->dst >= VGPR0 + NVGPRS) {
        return;
    }
    if (in->op == LULL_RDNA_OP_V_ADD_NC_U32 || in->op == LULL_RDNA_OP_V_MOV_B32) {
        const bool mov = in->op == LULL_RDNA_OP_V_MOV_B32;
        const bool first = in->src[0] >= VGPR0 && in->src[0] < VGPR0 + NVGPRS;
        const unsigned from = mov || first ? in->src[0] : in->src[1];
        const struct reg add = mov ? source(w, LULL_RDNA_INT0) : source(w, in->src[first ? 1 : 0]);
        if (from >= VGPR0 && from < VGPR0 + NVGPRS && add.known && in->dpp == 0) {
            r = w->v[from - VGPR0];
            r.add += add.v;
        }
    }
    const unsigned n = width(lull_rdna_info(in)->type[LULL_RDNA_SLOT_DST]);
    for (unsigned i = 0; i < (n == 0 ? 1 : n) && in->dst - VGPR0 + i < NVGPRS; i++) {
        w->v[in->dst - VGPR0 + i] = r;
    }
}

static void step(struct walk *w)
{
    const struct lull_rdna_insn *in = &w->in;
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    unsigned base = info->type[LULL_RDNA_SLOT_SBASE];
    if (in->enc == LULL_RDNA_SMEM && base == LULL_RDNA_T_B64) {
        unsigned n = width(info->type[LULL_RDNA_SLOT_DST]);
        for (unsigned i = 0; i < n && in->dst + i < NREGS; i++) {
            retire(w, in->dst + i);
        }
        load(w, n);
        return;
    }
    if (base != LULL_RDNA_T_NONE && in->enc != LULL_RDNA_MIMG) {
        use(w, LULL_DESC_BUFFER, in->sbase, BUFFER_DWORDS);
        fetch(w);
    } else if (base != LULL_RDNA_T_NONE) {
        use(w, LULL_DESC_IMAGE, in->sbase, in->r128 ? BUFFER_DWORDS : IMAGE_DWORDS);
    }
    vector(w);
    if (info->type[LULL_RDNA_SLOT_SSAMP] != LULL_RDNA_T_NONE) {
        use(w, LULL_DESC_SAMPLER, in->ssamp, SAMPLER_DWORDS);
    }
    if (in->op == LULL_RDNA_OP_S_MOV_B64 && in->dst + 1u < NREGS) {
        struct reg low = source(w, in->src[0]);
        struct reg high = in->src[0] < NREGS - 1 ? w->r[in->src[0] + 1] : unknown;
        if (in->src[0] >= NREGS && low.known) {
            high.known = true;
            high.v = (int32_t)low.v < 0 ? UINT32_MAX : 0;
        }
        set(w, in->dst, 1, low);
        set(w, in->dst + 1u, 1, high);
        return;
    }
    if (in->dst < NREGS) {
        unsigned n = width(info->type[LULL_RDNA_SLOT_DST]);
        set(w, in->dst, n, n == 1 ? compute(w) : unknown);
    }
    if (in->sdst < NREGS) {
        set(w, in->sdst, width(info->type[LULL_RDNA_SLOT_SDST]), unknown);
    }
}

/* The number of workgroups stands last among the user SGPRs, if the shader asks for it. */
static void find_grid(struct walk *w)
{
    struct lull_bindings *b = w->b;
    b->grid = -1;
    unsigned n = b->nuser;
    if (n >= 3 && w->dispatch->grid[0] != 0 &&
        memcmp(&w->dispatch->user_data[n - 3], w->dispatch->grid, 12) == 0 &&
        (b->pointers >> (n - 3)) == 0) {
        b->grid = (int)n - 3;
    }
}

static int by_place(const void *pa, const void *pb)
{
    const struct lull_desc *a = pa;
    const struct lull_desc *b = pb;
    if (a->user != b->user || a->through != b->through) {
        return a->user != b->user ? a->user - b->user : a->through - b->through;
    }
    return a->va != b->va ? (a->va < b->va ? -1 : 1) : (int)a->kind - (int)b->kind;
}

struct lull_error *lull_bindings_find(struct lull_target *t,
                                      const struct lull_dispatch_info *dispatch,
                                      uint32_t code_bytes, struct lull_bindings *ret)
{
    if (t->ops->arch != &lull_arch_rdna3) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "descriptors of %s have no numbers",
                              t->ops->arch->name);
    }
    lull_cleanup(lull_freep) struct walk *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return &lull_enomem;
    }
    *ret = (struct lull_bindings){.grid = -1};
    *w = (struct walk){.t = t, .dispatch = dispatch, .b = ret, .pc = dispatch->code_va};
    ret->nuser = lull_get(dispatch->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK);
    ret->nuser = ret->nuser < LULL_USER_SGPRS ? ret->nuser : LULL_USER_SGPRS;
    for (unsigned i = 0; i < NREGS; i++) {
        const unsigned n = i - dispatch->first_user; // of the user data; in front of them: huge
        w->r[i] = unknown;
        if (n < ret->nuser) {
            w->r[i].known = true;
            w->r[i].user = (int8_t)n;
            w->r[i].v = dispatch->user_data[n];
        }
    }
    for (int i = 0; i < NVGPRS; i++) {
        w->v[i] = (struct vreg){.input = i};
    }
    for (uint64_t end = dispatch->code_va + code_bytes; w->pc < end; w->pc += w->in.size) {
        if (!lull_access_insn(t, w->pc, &w->in)) {
            break;
        }
        step(w);
    }
    for (unsigned i = 0; i < NREGS; i++) {
        retire(w, i);
    }
    find_grid(w);
    for (unsigned i = 0; i < ret->ndescs; i++) { // as SGPRs
        struct lull_desc *d = &ret->desc[i];
        d->user = (int8_t)(d->user >= 0 ? d->user + (int)dispatch->first_user : d->user);
    }
    qsort(ret->desc, ret->ndescs, sizeof ret->desc[0], by_place);
    return NULL;
}

uint64_t lull_desc_buffer(const struct lull_desc *desc, uint64_t *ret_size)
{
    uint64_t base = (uint64_t)lull_get(desc->dword[1], LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK)
                        << 32 |
                    desc->dword[0];
    uint32_t stride = lull_get(desc->dword[1], LULL_DESC11_BUF_WORD1__STRIDE_MASK);
    unsigned oob = lull_get(desc->dword[3], LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK);
    bool raw = oob == LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW || stride == 0;
    *ret_size = raw ? desc->dword[2] : (uint64_t)stride * desc->dword[2];
    return (uint64_t)((int64_t)(base << 16) >> 16);
}

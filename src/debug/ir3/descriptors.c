// SPDX-License-Identifier: MIT
#include "debug/ir3/descriptors.h"

#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "isa/ir3/decode.h"
#include "tex/a6xx_format.h"

enum { WORD = 8, UBO_DWORDS = 2, SAMPLER_DWORDS = 4, HEIGHT_AT = 15, VEC4 = 16 };

/** The list under way. */
struct walk {
    struct lull_target *t;
    const struct lull_adreno_dispatch *of;
    struct lull_ir3_desc *all;
    unsigned n;
    uint64_t pc;
    const struct lull_ir3_insn *in;
};

/* The instruction names a descriptor by @p o, or by a register or a1.x if there is none. */
static void use(struct walk *w, enum lull_ir3_desc_kind kind, const struct lull_ir3_operand *o,
                bool reads, bool writes)
{
    const struct lull_ir3_insn *in = w->in;
    const bool named = o != NULL && (o->kind == LULL_IR3_K_IMM || o->kind == LULL_IR3_K_TEX ||
                                     o->kind == LULL_IR3_K_SAMP);
    const struct lull_ir3_desc d = {
        .kind = kind,
        .bindless = in->m.bindless,
        .set = in->m.base,
        .known = named && !in->m.a1,
        .index = named ? (uint32_t)o->value : 0,
        .reads = reads,
        .writes = writes,
        .pc = w->pc,
    };
    for (unsigned i = 0; i < w->n; i++) {
        struct lull_ir3_desc *old = &w->all[i];
        if (old->kind == kind && old->bindless == d.bindless && old->set == d.set &&
            old->known == d.known && old->index == d.index) {
            old->reads = old->reads || reads;
            old->writes = old->writes || writes;
            return;
        }
    }
    if (w->n < LULL_IR3_MAX_DESCS) {
        w->all[w->n++] = d;
    }
}

static const struct lull_ir3_operand *of_kind(const struct lull_ir3_insn *in, unsigned kind)
{
    for (unsigned i = 0; i < in->nsrc; i++) {
        if (in->src[i].kind == kind) {
            return &in->src[i];
        }
    }
    return NULL;
}

static void texture_uses(struct walk *w)
{
    const struct lull_ir3_insn *in = w->in;
    const struct lull_ir3_operand *tex = of_kind(in, LULL_IR3_K_TEX);
    const struct lull_ir3_operand *samp = of_kind(in, LULL_IR3_K_SAMP);
    if (tex != NULL || in->m.s2en) {
        use(w, LULL_IR3_DESC_TEXTURE, tex, true, false);
    }
    // isam takes texels as they are: its sampler has no effect.
    const char *name = lull_ir3_op_names[in->op];
    const bool samples = strncmp(name, "sam", 3) == 0 || strncmp(name, "gather", 6) == 0;
    if (samples && (samp != NULL || in->m.s2en)) {
        use(w, LULL_IR3_DESC_SAMPLER, samp, true, false);
    }
}

static void uses_of(struct walk *w)
{
    const struct lull_ir3_insn *in = w->in;
    const bool atomic = in->op >= LULL_IR3_OP_ATOMIC_B_ADD && in->op <= LULL_IR3_OP_ATOMIC_B_XOR;
    if (in->category == 5) {
        texture_uses(w);
    } else if (in->op == LULL_IR3_OP_LDC || in->op == LULL_IR3_OP_LDC_K) {
        use(w, LULL_IR3_DESC_UBO, &in->src[1], true, false);
    } else if (in->op == LULL_IR3_OP_LDIB_B) {
        use(w, LULL_IR3_DESC_STORAGE, &in->src[1], true, false);
    } else if (in->op == LULL_IR3_OP_RESINFO_B) {
        use(w, LULL_IR3_DESC_STORAGE, &in->src[0], false, false);
    } else if (in->op == LULL_IR3_OP_STIB_B || atomic) {
        use(w, LULL_IR3_DESC_STORAGE, &in->src[2], atomic, true);
    }
}

LULL_MUST_USE static struct lull_error *register64(struct lull_target *t, uint32_t number,
                                                   uint64_t *ret)
{
    uint32_t lo = 0, hi = 0;
    struct lull_error *err = t->ops->gpu_register(t, number, &lo);
    err = err != NULL ? err : t->ops->gpu_register(t, number + 1, &hi);
    *ret = (uint64_t)hi << 32 | lo;
    return err;
}

/* Where the descriptor lies. */
LULL_MUST_USE static struct lull_error *locate(const struct walk *w, struct lull_ir3_desc *d)
{
    enum { CS, VS, FS };
    static const uint32_t tables[][3] = {
        [LULL_IR3_DESC_STORAGE] = {LULL_A6XX_SP_CS_IBO, LULL_A6XX_SP_IBO, LULL_A6XX_SP_IBO},
        [LULL_IR3_DESC_TEXTURE] = {LULL_A6XX_SP_CS_TEX_CONST, LULL_A6XX_SP_VS_TEX_CONST,
                                   LULL_A6XX_SP_FS_TEX_CONST},
        [LULL_IR3_DESC_SAMPLER] = {LULL_A6XX_SP_CS_TEX_SAMP, LULL_A6XX_SP_VS_TEX_SAMP,
                                   LULL_A6XX_SP_FS_TEX_SAMP}};
    const unsigned stage = !w->of->of_draw ? CS : w->of->stage == LULL_STAGE_VERTEX ? VS : FS;
    const uint32_t sets = stage == CS             ? LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR
                          : w->t->ops->gen >= 700 ? LULL_A6XX_SP_BINDLESS_BASE_DESCRIPTOR__A7XX
                                                  : LULL_A6XX_SP_BINDLESS_BASE_DESCRIPTOR;
    uint64_t base = 0;
    if (!d->known || (!d->bindless && d->kind == LULL_IR3_DESC_UBO)) {
        return NULL;
    }
    struct lull_error *err =
        register64(w->t, d->bindless ? sets + 2u * d->set : tables[d->kind][stage], &base);
    // The base of a set says in its low bits how large a descriptor is: 2 << n dwords.
    const uint64_t each = d->bindless ? UINT64_C(8) << (base & 3) : 4ull * d->ndwords;
    d->va = base != 0 ? (d->bindless ? base & ~UINT64_C(3) : base) + d->index * each : 0;
    return err;
}

static void buffer_of(struct lull_target *t, struct lull_ir3_desc *d)
{
    const struct lull_apkt_args p = {d->word, d->ndwords, d->ndwords, t->ops->gen / 100};
    if (d->kind == LULL_IR3_DESC_UBO) {
        d->is_buffer = true;
        d->buffer = lull_a6xx_ubo__base(&p);
        d->elements = lull_a6xx_ubo__size(&p);
        d->bytes = VEC4 * d->elements;
    } else if (d->kind != LULL_IR3_DESC_SAMPLER &&
               lull_a6xx_tex_const__type(&p) == LULL_A6XX_TEX_BUFFER) {
        d->is_buffer = true;
        const struct lull_format_info *f = lull_afmt(lull_a6xx_tex_const__fmt(&p));
        const uint64_t each = f != NULL ? f->bytes : 0;
        d->buffer =
            lull_a6xx_tex_const__base(&p) + each * lull_a6xx_tex_const__startoffsettexels(&p);
        d->elements = lull_a6xx_tex_const__width(&p) | (uint64_t)lull_a6xx_tex_const__height(&p)
                                                           << HEIGHT_AT;
        d->bytes = each * d->elements;
    }
}

/* What it holds; memory that is not there is no error. */
LULL_MUST_USE static struct lull_error *load(const struct walk *w, struct lull_ir3_desc *d)
{
    struct lull_target *t = w->t;
    d->ndwords = d->kind == LULL_IR3_DESC_UBO       ? UBO_DWORDS
                 : d->kind == LULL_IR3_DESC_SAMPLER ? SAMPLER_DWORDS
                                                    : LULL_IR3_DESC_DWORDS;
    struct lull_error *err = locate(w, d);
    if (err != NULL || !d->known) {
        return err;
    }
    for (unsigned i = 0; err == NULL && d->va == 0 && i < d->ndwords; i++) {
        err = d->kind == LULL_IR3_DESC_UBO && !d->bindless
                  ? t->ops->loaded_descriptor(t, w->of, d->index * UBO_DWORDS + i, &d->word[i])
                  : lull_error_new(LULL_ERR_NOT_FOUND, "no such table");
    }
    err = err == NULL && d->va != 0 ? t->ops->read(t, d->va, d->word, 4ull * d->ndwords) : err;
    d->there = err == NULL;
    if (d->there) {
        buffer_of(t, d);
    }
    const bool absent = err != NULL && (lull_error_code(err) == LULL_ERR_FAULT ||
                                        lull_error_code(err) == LULL_ERR_NOT_FOUND);
    if (absent) {
        lull_error_free(err);
        err = NULL;
    }
    return err;
}

struct lull_error *lull_ir3_desc_load(struct lull_target *t, const struct lull_adreno_dispatch *of,
                                      struct lull_ir3_desc *d)
{
    const struct walk w = {.t = t, .of = of};
    return load(&w, d);
}

struct lull_error *lull_ir3_descs(struct lull_target *t, uint64_t code,
                                  const struct lull_adreno_dispatch *of, struct lull_ir3_desc *ret,
                                  unsigned *ret_n)
{
    struct walk w = {.t = t, .of = of, .all = ret};
    struct lull_error *err = NULL;
    for (uint32_t i = 0; err == NULL && i < of->ninsns; i++) {
        struct lull_ir3_insn in;
        uint8_t bytes[WORD];
        uint64_t word = 0;
        w.pc = code + (uint64_t)WORD * i;
        w.in = &in;
        err = t->ops->read(t, w.pc, bytes, sizeof bytes);
        for (unsigned k = 0; k < WORD; k++) {
            word |= (uint64_t)bytes[k] << 8 * k;
        }
        if (err == NULL && lull_ir3_decode(word, t->ops->gen, &in)) {
            uses_of(&w);
        }
    }
    for (unsigned i = 0; err == NULL && i < w.n; i++) {
        err = load(&w, &ret[i]);
    }
    *ret_n = w.n;
    return err;
}

void lull_ir3_desc_show(const struct lull_target *t, const struct lull_ir3_desc *d,
                        struct lull_str *out)
{
    static const uint16_t domains[] = {[LULL_IR3_DESC_UBO] = LULL_ADRENO_DOM_A6XX_UBO,
                                       [LULL_IR3_DESC_STORAGE] = LULL_ADRENO_DOM_A6XX_TEX_CONST,
                                       [LULL_IR3_DESC_TEXTURE] = LULL_ADRENO_DOM_A6XX_TEX_CONST,
                                       [LULL_IR3_DESC_SAMPLER] = LULL_ADRENO_DOM_A6XX_TEX_SAMP};
    struct lull_dom_state s = {.chip = t->ops->gen / 100};
    const struct lull_dom *dom = &lull_dom_adreno.domains[domains[d->kind]];
    for (unsigned i = 0; i < d->ndwords; i++) {
        const struct lull_dom_hit hit = lull_dom_at(&lull_dom_adreno, &s, dom, i);
        uint64_t v = d->word[i];
        if (hit.reg != NULL && hit.reg->width == 64 && hit.dword == 0 && i + 1 < d->ndwords) {
            v |= (uint64_t)d->word[++i] << 32;
        }
        if (hit.reg == NULL || v == 0) {
            continue;
        }
        lull_str_addf(out, "%s", out->size != 0 ? " " : "");
        if (hit.reg->kind != LULL_DOM_FIELDS && hit.reg->kind != LULL_DOM_BITSET &&
            hit.reg->name[0] > '9') { // A number is not a name.
            lull_str_addf(out, "%s = ", hit.reg->name);
        }
        lull_dom_show(&lull_dom_adreno, &s, hit.reg, v, out);
    }
}

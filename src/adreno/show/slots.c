// SPDX-License-Identifier: MIT
#include "adreno/show/slots.h"

#include "adreno/show/walk.h"
#include "adreno/show/words.h"
#include "isa/ir3/decode.h"

enum { GUESSED = 64, EMPTY_IN_A_ROW = 4, PREFETCHES = 4, A7XX = 7 };

enum {
    TEXTURE = LULL_CAP_USE_TEXTURE,
    SAMPLER = LULL_CAP_USE_SAMPLER,
    STORAGE = LULL_CAP_USE_STORAGE,
    UBO = LULL_CAP_USE_UBO
};

/** A shader, while its instructions are looked at. */
struct reader {
    struct lull_cap_uses *u;
    unsigned gen;
    enum lull_cap_stage stage;
    bool stored; ///< Something, before this instruction.
    bool has_a1; ///< Its value is known:
    uint32_t a1;
};

static void read_at(struct lull_cap_uses *u, uint32_t set, uint32_t number, unsigned use)
{
    if (set < LULL_CAP_SETS && number < LULL_CAP_SET_SLOTS) {
        u->at[set][number] |= (uint8_t)use;
    }
}

static void read_any(struct lull_cap_uses *u, uint32_t set, unsigned use)
{
    u->any[set % LULL_CAP_SETS] |= (uint8_t)use;
}

/** What an instruction of category 5 reads. Mesa gives those that fetch without filtering sampler 0
 * (ir3_compiler_nir.c, get_image_ssbo_samp_tex_src()): it is not read. */
static unsigned samples(enum lull_ir3_op op)
{
    switch ((unsigned)op) {
    case LULL_IR3_OP_SAM:
    case LULL_IR3_OP_SAMB:
    case LULL_IR3_OP_SAML:
    case LULL_IR3_OP_SAMGQ:
    case LULL_IR3_OP_GETLOD:
    case LULL_IR3_OP_CONV:
    case LULL_IR3_OP_CONVM:
    case LULL_IR3_OP_GATHER4R:
    case LULL_IR3_OP_GATHER4G:
    case LULL_IR3_OP_GATHER4B:
    case LULL_IR3_OP_GATHER4A:
    case LULL_IR3_OP_SAMGP0:
    case LULL_IR3_OP_SAMGP1:
    case LULL_IR3_OP_SAMGP2:
    case LULL_IR3_OP_SAMGP3:
        return TEXTURE | SAMPLER;
    case LULL_IR3_OP_ISAM:
    case LULL_IR3_OP_ISAML:
    case LULL_IR3_OP_ISAMM:
    case LULL_IR3_OP_GETSIZE:
    case LULL_IR3_OP_GETBUF:
    case LULL_IR3_OP_GETPOS:
    case LULL_IR3_OP_GETINFO:
        return TEXTURE;
    default:
        return 0;
    }
}

static const struct lull_ir3_operand *source(const struct lull_ir3_insn *in,
                                             enum lull_ir3_kind kind)
{
    for (unsigned i = 0; i < in->nsrc; i++) {
        if (in->src[i].kind == kind) {
            return &in->src[i];
        }
    }
    return NULL;
}

/**
 * The set of the texture is in the instruction, and that of the sampler, unless a1.x is used: then
 * it is in bits 2:0 of that, and bits 10:3 are a number: of the texture until a6xx, of the sampler
 * since a7xx; the other one is in the instruction. With .s2en both numbers are in registers.
 * Source: Mesa, ir3/instr-a3xx.h (cat5_desc_mode_t), ir3_compiler_nir.c (a1_val).
 */
static void sample(struct reader *r, const struct lull_ir3_insn *in)
{
    const unsigned reads = samples(in->op);
    const unsigned texture = TEXTURE | (r->stored ? LULL_CAP_USE_AFTER_STORE : 0);
    const bool a1_texture = in->m.a1 && r->gen < A7XX, a1_sampler = in->m.a1 && r->gen >= A7XX;
    const uint32_t number = r->a1 >> 3 & 0xff;
    const struct lull_ir3_operand *t = source(in, LULL_IR3_K_TEX);
    const struct lull_ir3_operand *s = source(in, LULL_IR3_K_SAMP);
    if ((reads & TEXTURE) != 0) {
        if (!in->m.s2en && a1_texture && r->has_a1) {
            read_at(r->u, in->m.base, number, texture);
        } else if (!in->m.s2en && !a1_texture && t != NULL) {
            read_at(r->u, in->m.base, (uint32_t)t->value, texture);
        } else {
            read_any(r->u, in->m.base, TEXTURE);
        }
    }
    if ((reads & SAMPLER) == 0 || (in->m.a1 && !r->has_a1)) {
        return;
    }
    const uint32_t set = in->m.a1 ? r->a1 & 7 : in->m.base;
    if (!in->m.s2en && a1_sampler) {
        read_at(r->u, set, number, SAMPLER);
    } else if (!in->m.s2en && s != NULL) {
        read_at(r->u, set, (uint32_t)s->value, SAMPLER);
    } else {
        read_any(r->u, set, SAMPLER);
    }
}

/** A texture or image that state loads brought. */
static void bound(struct reader *r, const struct lull_ir3_insn *in, unsigned use)
{
    const bool texture = (use & TEXTURE) != 0;
    const struct lull_ir3_operand *o = texture         ? source(in, LULL_IR3_K_TEX)
                                       : in->nsrc != 0 ? &in->src[in->nsrc - 1]
                                                       : NULL;
    if (o == NULL || in->m.s2en || (!texture && o->kind != LULL_IR3_K_IMM) ||
        (uint32_t)o->value >= LULL_CAP_BOUND) {
        return;
    }
    uint8_t *to = texture ? r->u->bound[r->stage] : r->u->images;
    to[o->value] |= (uint8_t)use;
}

/** Buffers and storage images: the number is the last source. */
static void access(struct reader *r, const struct lull_ir3_insn *in, unsigned use)
{
    const struct lull_ir3_operand *o = in->nsrc != 0 ? &in->src[in->nsrc - 1] : NULL;
    if (o != NULL && o->kind == LULL_IR3_K_IMM) {
        read_at(r->u, in->m.base, (uint32_t)o->value, use);
    } else {
        read_any(r->u, in->m.base, use);
    }
}

static void instruction(struct reader *r, const struct lull_ir3_insn *in)
{
    r->has_a1 = r->has_a1 && !in->m.jp; // what jumps here may bring another one
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_MOV:
        if (in->ndst == 1 && in->dst[0].kind == LULL_IR3_K_ADDR && in->dst[0].value == 1) {
            r->has_a1 = in->nsrc == 1 && in->src[0].kind == LULL_IR3_K_IMM;
            r->a1 = (uint32_t)in->src[0].value;
        }
        break;
    case LULL_IR3_OP_LDC:
    case LULL_IR3_OP_LDC_K:
        if (in->m.bindless) {
            access(r, in, UBO);
        }
        break;
    case LULL_IR3_OP_RESINFO_B:
    case LULL_IR3_OP_RESBASE:
    case LULL_IR3_OP_LDIB_B:
        (in->m.bindless ? access : bound)(r, in, STORAGE);
        break;
    case LULL_IR3_OP_STIB_B:
    case LULL_IR3_OP_ATOMIC_B_ADD:
    case LULL_IR3_OP_ATOMIC_B_SUB:
    case LULL_IR3_OP_ATOMIC_B_XCHG:
    case LULL_IR3_OP_ATOMIC_B_CMPXCHG:
    case LULL_IR3_OP_ATOMIC_B_MIN:
    case LULL_IR3_OP_ATOMIC_B_MAX:
    case LULL_IR3_OP_ATOMIC_B_AND:
    case LULL_IR3_OP_ATOMIC_B_OR:
    case LULL_IR3_OP_ATOMIC_B_XOR:
        r->stored = true;
        (in->m.bindless ? access : bound)(r, in, STORAGE | LULL_CAP_USE_STORES);
        break;
    default:
        if (in->category == 5 && in->m.bindless) {
            sample(r, in);
        } else if (in->category == 5 && (samples(in->op) & TEXTURE) != 0) {
            bound(r, in, TEXTURE | (r->stored ? LULL_CAP_USE_AFTER_STORE : 0));
        }
        break;
    }
}

static uint32_t field(const struct lull_cap *c, uint32_t reg, const char *name)
{
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
    uint64_t v = 0;
    if (hit.reg != NULL) {
        (void)lull_dom_field(&lull_dom_adreno, &c->dom, hit.reg, name, lull_cap_reg(c, reg, false),
                             &v);
    }
    return (uint32_t)v;
}

/** What is sampled before the fragment shader begins. Where it is bindless, the ids of the command
 * are sets. Source: Mesa, ir3/ir3_compiler_nir.c (collect_tex_prefetches()). */
static void prefetches(const struct lull_cap *c, struct lull_cap_uses *u)
{
    const uint32_t n = field(c, LULL_A6XX_SP_FS_PREFETCH_CNTL, "COUNT");
    for (uint32_t i = 0; i < n && i < PREFETCHES; i++) {
        const uint32_t command = LULL_A6XX_SP_FS_PREFETCH_CMD + i;
        const uint32_t numbers = LULL_A6XX_SP_FS_BINDLESS_PREFETCH_CMD + i;
        if (field(c, command, "BINDLESS") != 0) {
            read_at(u, field(c, command, "TEX_ID"), field(c, numbers, "TEX_ID"), TEXTURE);
            read_at(u, field(c, command, "SAMP_ID"), field(c, numbers, "SAMP_ID"), SAMPLER);
        } else {
            u->bound[LULL_CAP_FS][field(c, command, "TEX_ID") % LULL_CAP_BOUND] |= TEXTURE;
        }
    }
}

void lull_cap_uses(struct lull_cap *c, const struct lull_cap_draw *d, struct lull_cap_uses *ret)
{
    *ret = (struct lull_cap_uses){0};
    if (c->gen < 6) {
        return;
    }
    for (unsigned i = 0; i < d->nshaders; i++) {
        const struct lull_cap_shader *s = &d->shaders[i];
        struct reader r = {.u = ret, .gen = c->gen, .stage = s->stage};
        for (uint32_t k = 0; k < s->n && lull_cap_work(c, 1); k++) {
            const uint64_t word = s->words[k * 2] | (uint64_t)s->words[k * 2 + 1] << 32;
            struct lull_ir3_insn in = {0};
            if (lull_ir3_decode(word, c->gen * 100 + 30, &in)) {
                instruction(&r, &in);
            }
        }
        if (s->stage == LULL_CAP_FS) {
            prefetches(c, ret);
        }
    }
}

const char *lull_cap_slot_by_name(enum lull_cap_slot_by by)
{
    static const char *const names[] = {"guess", "register", "instruction"};
    return names[by];
}

static enum lull_load_what guess(struct lull_cap_words w)
{
    uint32_t low = 0, high = 0;
    for (uint32_t i = 2; i < w.n; i++) {
        *(i < 4 ? &low : &high) |= w.words[i];
    }
    const bool any = w.n >= 2 && (w.words[0] | w.words[1] | low | high) != 0;
    return !any                    ? LULL_LOAD_NOTHING
           : high != 0             ? LULL_LOAD_TEXTURES
           : low != 0              ? LULL_LOAD_SAMPLERS
           : w.words[1] >> 17 == 0 ? LULL_LOAD_SAMPLERS // a UBO has a size
                                   : LULL_LOAD_UBOS;
}

/** The kind that @p uses agree on; false: they do not, or there are none. */
static bool decided(unsigned uses, struct lull_cap_slot *ret)
{
    static const struct {
        unsigned uses;
        enum lull_load_what what;
        const char *name;
    } kinds[] = {{TEXTURE, LULL_LOAD_TEXTURES, "texture"},
                 {SAMPLER, LULL_LOAD_SAMPLERS, "sampler"},
                 {STORAGE, LULL_LOAD_IBOS, "storage image or buffer"},
                 {TEXTURE | STORAGE, LULL_LOAD_IBOS, "texture, and storage image or buffer"},
                 {UBO, LULL_LOAD_UBOS, "UBO"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].uses == uses) {
            ret->what = kinds[i].what;
            ret->name = kinds[i].name;
            return true;
        }
    }
    return false;
}

static const char *guessed_name(enum lull_load_what what)
{
    return what == LULL_LOAD_TEXTURES   ? "texture, image or buffer"
           : what == LULL_LOAD_SAMPLERS ? "sampler"
                                        : "UBO";
}

/** Up to where it is worth looking. */
static uint32_t end_of(const struct lull_cap_uses *u, unsigned set)
{
    uint32_t n = LULL_CAP_SET_SLOTS;
    while (n > 0 && u->at[set][n - 1] == 0) {
        n--;
    }
    return n;
}

bool lull_cap_next_slot(struct lull_cap *c, const struct lull_cap_uses *u, unsigned set,
                        uint64_t base, uint32_t apart, struct lull_cap_slot *ret)
{
    const uint32_t end = end_of(u, set);
    for (unsigned empty = 0; ret->number < end || (empty < EMPTY_IN_A_ROW && ret->number < GUESSED);
         empty++) {
        const uint64_t at = base + (uint64_t)ret->number * apart * 4;
        const struct lull_cap_words w = lull_cap_memory(c, at, apart);
        const unsigned uses = ret->number < end ? u->at[set][ret->number] & LULL_CAP_USE_KINDS : 0;
        const enum lull_load_what what = guess(w);
        if (w.n == 0) {
            return false;
        }
        if (decided(uses, ret)) {
            ret->by = LULL_CAP_BY_INSTRUCTION;
        } else if (what != LULL_LOAD_NOTHING && uses == 0 &&
                   decided(u->any[set] & LULL_CAP_USE_KINDS, ret)) {
            ret->by = LULL_CAP_BY_REGISTER;
        } else if (what != LULL_LOAD_NOTHING) {
            ret->by = LULL_CAP_BY_GUESS;
            ret->what = what;
            ret->name = guessed_name(what);
        } else {
            ret->number++;
            continue;
        }
        ret->w = lull_cap_part(w, 0, lull_load_unit(c->gen, ret->what));
        return true;
    }
    return false;
}

// SPDX-License-Identifier: MIT
// What descriptors lead to: uniform and storage buffers. Texels: image.c.
//
// Source: Mesa vulkan/tu_descriptor_set.cc (the buffers), ir3/ir3_a6xx.c (operands),
// isa/ir3-cat6.xml.
#include "model/adreno/exec/resource.h"

#include "hw/adreno_pkts.h"
#include "model/adreno/exec/words.h"

enum { DWORD = 4, VEC4 = 16, DESCRIPTOR_BYTES = 4 * LULL_IR3_DESCRIPTOR, UBO_SLOTS = 32 };

static struct lull_apkt_args args_of(const struct lull_ir3_env *env, const uint32_t *words)
{
    return (struct lull_apkt_args){words, LULL_IR3_DESCRIPTOR, LULL_IR3_DESCRIPTOR,
                                   env->program->gen / 100};
}

/** Address of descriptor @p index of heap @p base. */
static uint64_t bindless(const struct lull_ir3_env *env, unsigned base, uint32_t index)
{
    const uint64_t heap = env->bindless[base % LULL_IR3_BASES];
    return (heap & ~UINT64_C(3)) + (uint64_t)index * 4 * (2u << (heap & 3));
}

static void load_words(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                       uint64_t address, uint32_t *ret, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ret[i] = lull_ir3_load(w, env, fiber, address + 4 * (uint64_t)i, 4);
    }
}

void lull_ir3_descriptor(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                         const struct lull_ir3_insn *in, unsigned fiber, uint32_t index,
                         uint32_t *ret)
{
    const uint64_t at = in->m.bindless ? bindless(env, in->m.base, index)
                                       : env->ibo + (uint64_t)index * DESCRIPTOR_BYTES;
    load_words(w, env, fiber, at, ret, LULL_IR3_DESCRIPTOR);
}

struct lull_ir3_buffer lull_ir3_buffer_of(const struct lull_ir3_env *env, const uint32_t *words)
{
    const struct lull_apkt_args p = args_of(env, words);
    const struct lull_format_info *f = lull_afmt(lull_a6xx_tex_const__fmt(&p));
    const unsigned bytes = f != NULL ? f->bytes : 0;
    uint32_t any = 0;
    for (unsigned i = 0; i < LULL_IR3_DESCRIPTOR; i++) {
        any |= words[i];
    }
    return (struct lull_ir3_buffer){
        .is_buffer = lull_a6xx_tex_const__type(&p) == LULL_A6XX_TEX_BUFFER || any == 0,
        .null = any == 0,
        .address = lull_a6xx_tex_const__base(&p) +
                   (uint64_t)lull_a6xx_tex_const__startoffsettexels(&p) * bytes,
        .elements = lull_a6xx_tex_const__width(&p) | (uint32_t)lull_a6xx_tex_const__height(&p)
                                                         << 15,
        .element_bytes = bytes,
        .format = f,
    };
}

struct lull_touch lull_ir3_described(const struct lull_ir3_insn *in, unsigned table, uint32_t index,
                                     uint64_t base, uint64_t size)
{
    return (struct lull_touch){
        .described = true,
        .descriptor = (in->m.bindless ? in->m.base % LULL_IR3_BASES : table)
                          << LULL_ARCH_IR3_BASE_SHIFT |
                      index,
        .base = base,
        .available = size,
    };
}

void lull_ir3_indices(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in, const struct lull_ir3_operand *o,
                      uint32_t *ret)
{
    (void)lull_ir3_fetch(w, env, o, 0, ret);
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const unsigned first = lull_ir3_first(&on);
    for (unsigned i = 0; in->m.mode == LULL_IR3_MODE_UNIFORM && i < w->fibers; i++) {
        ret[i] = first < LULL_IR3_FIBERS ? ret[first] : 0;
    }
    for (unsigned i = 0; in->m.a1 && i < w->fibers; i++) {
        ret[i] += w->a1;
    }
}

/** A uniform buffer: its address and size in vec4. */
static uint64_t ubo(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                    const struct lull_ir3_insn *in, unsigned fiber, uint32_t index, uint32_t *size)
{
    uint32_t words[LULL_IR3_DESCRIPTOR] = {0};
    if (in->m.bindless) {
        load_words(w, env, fiber, bindless(env, in->m.base, index), words, 2);
    } else if (index < UBO_SLOTS) {
        words[0] = (uint32_t)env->ubo[index];
        words[1] = (uint32_t)(env->ubo[index] >> 32);
    }
    const struct lull_apkt_args p = args_of(env, words);
    *size = (uint32_t)lull_a6xx_ubo__size(&p);
    return lull_a6xx_ubo__base(&p);
}

/** Component @p k of vec4 @p at of a uniform buffer; 0 behind its end. */
static uint32_t uniform(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                        uint64_t base, uint32_t size, uint64_t dword)
{
    return dword / 4 < size ? lull_ir3_load(w, env, fiber, base + dword * 4, 4) : 0;
}

/** Bits of struct lull_touch.valid: the first @p inside of @p n elements of @p bytes are. */
static uint8_t valid_of(unsigned n, unsigned bytes, uint64_t inside)
{
    const uint64_t dwords = inside < n ? inside * bytes / DWORD : UINT8_WIDTH;
    return (uint8_t)(dwords >= UINT8_WIDTH ? UINT8_MAX : (1u << dwords) - 1);
}

/** How many from @p first on are below @p all. */
static uint64_t below(uint64_t first, uint64_t all)
{
    return first < all ? all - first : 0;
}

/** Put down that @p n dwords of a uniform buffer are loaded to register @p data, from @p dword on.
 */
static void put_down_uniform(const struct lull_ir3_env *env, const struct lull_touch *buffer,
                             unsigned fiber, uint64_t dword, unsigned n, unsigned data)
{
    struct lull_touch like = *buffer;
    const uint64_t inside = below(dword, like.available / DWORD);
    like.bytes = DWORD * n;
    like.data = data;
    if (!like.scalar) {
        const uint8_t valid = valid_of(n, DWORD, inside);
        (void)lull_ir3_put_down(env, &like, fiber, like.base + dword * DWORD, valid);
        return;
    }
    // Once for all fibers compilers load more than is used: what is outside is told apart.
    like.dropped = (unsigned)(inside < n ? n - inside : 0);
    like.bytes = DWORD * (n - like.dropped);
    if (like.bytes != 0) {
        (void)lull_ir3_put_down(env, &like, 0, like.base + dword * DWORD, UINT8_MAX);
    } else {
        lull_ir3_tell_dropped(env, &like, like.base + dword * DWORD);
    }
}

static void ldc(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in)
{
    uint32_t at[LULL_IR3_FIBERS], which[LULL_IR3_FIBERS], size = 0;
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const unsigned data = lull_ir3_number((unsigned)in->dst[0].value, in->dst[0].half);
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, at);
    lull_ir3_indices(w, env, in, &in->src[1], which);
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        const uint64_t base = ubo(w, env, in, i, which[i], &size);
        if (lull_ir3_touches_wanted(env)) {
            struct lull_touch t = lull_ir3_described(in, LULL_ARCH_IR3_BASE_UBO, which[i], base,
                                                     VEC4 * (uint64_t)size);
            t.scalar = in->dst[0].value >= LULL_IR3_GPRS;
            put_down_uniform(env, &t, i, (uint64_t)at[i] * 4 + (uint64_t)in->m.offset,
                             (unsigned)in->m.size, data);
        }
        for (unsigned k = 0; k < (unsigned)in->m.size; k++) {
            const uint64_t dword = (uint64_t)at[i] * 4 + (uint64_t)in->m.offset + k;
            lull_ir3_set(w, (unsigned)in->dst[0].value + k, in->dst[0].half, i,
                         uniform(w, env, i, base, size, dword));
        }
        if (in->dst[0].value >= LULL_IR3_GPRS) {
            return; // To shared registers, once.
        }
    }
}

/** vec4s of a uniform buffer into constants from a1.x on. */
static void ldc_k(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in)
{
    uint32_t at[LULL_IR3_FIBERS], which[LULL_IR3_FIBERS], size = 0;
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const unsigned first = lull_ir3_first(&on);
    if (first == LULL_IR3_FIBERS) {
        return;
    }
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, at);
    lull_ir3_indices(w, env, in, &in->src[1], which);
    const uint64_t base = ubo(w, env, in, first, which[first], &size);
    if (lull_ir3_touches_wanted(env)) {
        struct lull_touch t = lull_ir3_described(in, LULL_ARCH_IR3_BASE_UBO, which[first], base,
                                                 VEC4 * (uint64_t)size);
        t.scalar = true;
        put_down_uniform(env, &t, first, (uint64_t)at[first] * 4, (unsigned)in->m.size * 4,
                         LULL_ARCH_IR3_CONSTANTS + w->a1);
    }
    for (uint32_t k = 0; k < (uint32_t)in->m.size * 4; k++) {
        lull_ir3_set_constant(env, w->a1 + k,
                              uniform(w, env, first, base, size, (uint64_t)at[first] * 4 + k));
    }
}

/** The element of @p bytes that fiber @p i names; 0: it is behind the end. */
static uint64_t element(const struct lull_ir3_buffer *b, uint64_t index, unsigned bytes)
{
    const uint64_t size = (uint64_t)b->elements * b->element_bytes;
    return (index + 1) * bytes <= size ? b->address + index * bytes : 0;
}

static unsigned type_bytes(unsigned type)
{
    return type == LULL_IR3_TYPE_U8 ? 1 : lull_ir3_type_bits(type) / 8;
}

/** Is it that of descriptor @p index? Not where it could not be read, or somebody watches reads. */
static bool again(const struct lull_ir3_last *l, const struct lull_ir3_env *env, uint32_t index)
{
    return l->valid && l->index == index && !lull_ir3_accesses_wanted(env);
}

/** @p words is descriptor @p index, which was read when there were @p nfaults faults. */
static void keep(struct lull_ir3_last *l, const struct lull_ir3_env *env, uint32_t index,
                 uint64_t nfaults, const uint32_t *words)
{
    *l = (struct lull_ir3_last){
        .valid = env->nfaults == nfaults, .index = index, .b = lull_ir3_buffer_of(env, words)};
}

/** Words of buffer @p b that all fibers load or store at once. False: somebody's are of another
 * buffer, or behind its end, or they are not such. */
static bool all_words(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                      const struct lull_ir3_buffer *b, struct lull_ir3_words words,
                      const uint32_t *which, const uint32_t *at, uint32_t offset)
{
    uint32_t from[LULL_IR3_FIBERS], span[2] = {0};
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const uint64_t size = (uint64_t)b->elements * b->element_bytes / DWORD;
    lull_ir3_span(w, &on, which, span);
    if (!b->is_buffer || span[0] != span[1]) {
        return false;
    }
    lull_ir3_span(w, &on, at, span);
    if (span[1] + (uint64_t)offset + words.n > size || size * DWORD > UINT32_MAX) {
        return false;
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        from[i] = (at[i] + offset) * DWORD;
    }
    words.at = from;
    return lull_ir3_words_global(w, env, &on, b->address, &words);
}

/** Put down that @p fiber does @p like with @p n elements of @p bytes, from @p index on. */
static uint8_t *put_down(const struct lull_ir3_env *env, struct lull_touch *like, unsigned fiber,
                         uint64_t index, unsigned n, unsigned bytes)
{
    like->bytes = n * bytes;
    return lull_ir3_put_down(env, like, fiber, like->base + index * bytes,
                             valid_of(n, bytes, below(index, like->available / bytes)));
}

/** Like what an instruction does through descriptor @p index, which is that of @p b. */
static struct lull_touch like_of(const struct lull_ir3_insn *in, unsigned table, uint32_t index,
                                 const struct lull_ir3_buffer *b)
{
    struct lull_touch t =
        lull_ir3_described(in, table, index, b->address, (uint64_t)b->elements * b->element_bytes);
    t.null = b->null;
    return t;
}

/** What like_of() has said last: most fibers take one descriptor. */
struct like {
    bool there;
    uint32_t index;
    struct lull_touch t;
};

static struct lull_touch *like_last(struct like *l, const struct lull_ir3_insn *in, unsigned table,
                                    uint32_t index, const struct lull_ir3_buffer *b)
{
    if (!l->there || l->index != index) {
        l->t = like_of(in, table, index, b);
        l->index = index;
        l->there = true;
    }
    return &l->t;
}

/** Put down what words_of() is about to do. */
static void put_down_words(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                           const struct lull_ir3_insn *in, unsigned fiber, uint64_t index,
                           struct lull_touch *t)
{
    const bool store = in->op == LULL_IR3_OP_STIB_B;
    const struct lull_ir3_operand *v = store ? &in->src[0] : &in->dst[0];
    const unsigned bytes = type_bytes(in->m.type), n = (unsigned)in->m.size;
    const unsigned reg = (unsigned)v->value;
    const bool packs = store && bytes < DWORD, gpr = reg < LULL_IR3_GPRS && !v->half;
    if (store && lull_ir3_on(&w->helpers, fiber)) {
        return;
    }
    t->kind = store ? LULL_TOUCH_STORE : LULL_TOUCH_LOAD;
    t->unsure = !store;
    t->data = lull_ir3_number(reg, v->half);
    t->row = store && gpr && !packs ? w->r[reg] : NULL;
    t->texels = packs ? env->seen->touching.texels[0] : NULL;
    uint8_t *to = put_down(env, t, fiber, index, n, bytes);
    for (unsigned k = 0; packs && k < n * bytes && k < LULL_TOUCH_TEXEL; k++) {
        to[k] = (uint8_t)(lull_ir3_get(w, reg + k / bytes, v->half, fiber) >> 8 * (k % bytes));
    }
}

/** ldib, stib of words, of one fiber. */
static void words_of(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                     const struct lull_ir3_insn *in, unsigned fiber,
                     const struct lull_ir3_buffer *b, uint64_t index)
{
    const bool store = in->op == LULL_IR3_OP_STIB_B;
    const struct lull_ir3_operand *v = store ? &in->src[0] : &in->dst[0];
    const unsigned bytes = type_bytes(in->m.type);
    for (unsigned k = 0; k < (unsigned)in->m.size; k++) {
        const uint64_t at = element(b, index + k, bytes);
        const unsigned reg = (unsigned)v->value + k;
        if (store && at != 0) {
            lull_ir3_put(w, env, fiber, at, bytes, lull_ir3_get(w, reg, v->half, fiber));
        } else if (!store) {
            lull_ir3_set(w, reg, v->half, fiber,
                         at != 0 ? lull_ir3_load(w, env, fiber, at, bytes) : 0);
        }
    }
}

static void buffer_io(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in)
{
    const bool store = in->op == LULL_IR3_OP_STIB_B;
    uint32_t at[LULL_IR3_FIBERS], which[LULL_IR3_FIBERS], words[LULL_IR3_DESCRIPTOR];
    const struct lull_ir3_mask on = lull_ir3_active(w);
    (void)lull_ir3_fetch(w, env, &in->src[store ? 1 : 0], 0, at);
    lull_ir3_indices(w, env, in, &in->src[store ? 2 : 1], which);
    struct lull_ir3_last l = {.valid = false};
    const struct lull_ir3_operand *v = store ? &in->src[0] : &in->dst[0];
    const struct lull_ir3_words all = {
        .store = store, .reg = (unsigned)v->value, .n = (unsigned)in->m.size};
    bool whole = type_bytes(in->m.type) == DWORD && !v->half;
    struct like like;
    like.there = false;
    const bool wanted = lull_ir3_touches_wanted(env);
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        if (!again(&l, env, which[i])) {
            const uint64_t nfaults = env->nfaults;
            lull_ir3_descriptor(w, env, in, i, which[i], words);
            keep(&l, env, which[i], nfaults, words);
            if (again(&l, env, which[i]) && whole &&
                all_words(w, env, &l.b, all, which, at, (uint32_t)in->m.offset)) {
                return;
            }
            whole = false;
        }
        if (!l.b.is_buffer) {
            lull_ir3_wrong(w, "%s of an image without its format", lull_ir3_op_names[in->op]);
            return;
        }
        const uint64_t index = (uint64_t)at[i] + (uint64_t)(uint32_t)in->m.offset;
        if (wanted) {
            put_down_words(w, env, in, i, index,
                           like_last(&like, in, LULL_ARCH_IR3_BASE_IBO, which[i], &l.b));
        }
        words_of(w, env, in, i, &l.b, index);
    }
}

void lull_ir3_texture(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_tables *t, unsigned fiber, uint32_t index,
                      uint32_t *ret)
{
    const uint64_t at = t->bindless ? bindless(env, t->tex_base, index)
                                    : env->tex + (uint64_t)index * DESCRIPTOR_BYTES;
    load_words(w, env, fiber, at, ret, LULL_IR3_DESCRIPTOR);
}

void lull_ir3_sampler(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_tables *t, unsigned fiber, uint32_t index,
                      uint32_t *ret)
{
    const uint64_t at = t->bindless ? bindless(env, t->samp_base, index)
                                    : env->samp + (uint64_t)index * 4 * LULL_IR3_SAMPLER;
    load_words(w, env, fiber, at, ret, LULL_IR3_SAMPLER);
}

struct lull_ir3_tables lull_ir3_tables_of(const struct lull_ir3_wave *w,
                                          const struct lull_ir3_insn *in)
{
    return (struct lull_ir3_tables){
        .bindless = in->m.bindless,
        .tex_base = in->m.base,
        // With a1.x the sampler has a heap of its own, behind which a number may stand.
        .samp_base = in->m.a1 ? w->a1 & (LULL_IR3_BASES - 1) : in->m.base,
    };
}

/** The operand that names a texture or a sampler: an immediate, or with (s2en) a register. */
static const struct lull_ir3_operand *name_operand(const struct lull_ir3_insn *in, unsigned kind)
{
    for (unsigned k = 0; k < in->nsrc; k++) {
        if (in->src[k].kind == kind) {
            return &in->src[k];
        }
    }
    return in->m.s2en && in->nsrc > 0 ? &in->src[in->nsrc - 1] : NULL;
}

/** Numbers of textures or samplers. Of the two the immediate form with a1.x has one in the
 * instruction and one in a1.x, above the heap: Mesa ir3_compiler_nir.c, get_bindless_samp_src(). */
static bool names(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in,
                  unsigned kind, uint32_t *ret)
{
    enum { HEAP_BITS = 3 };
    const struct lull_ir3_operand *o = name_operand(in, kind);
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const unsigned first = lull_ir3_first(&on);
    if (o == NULL && !in->m.a1) {
        lull_ir3_wrong(w, "%s does not name a %s", lull_ir3_op_names[in->op],
                       kind == LULL_IR3_K_TEX ? "texture" : "sampler");
        return false;
    }
    if (o != NULL) {
        (void)lull_ir3_fetch(w, env, o, o->kind != kind && kind == LULL_IR3_K_SAMP ? 1 : 0, ret);
    }
    const uint32_t same = o == NULL                 ? (uint32_t)(w->a1 >> HEAP_BITS)
                          : first < LULL_IR3_FIBERS ? ret[first]
                                                    : 0;
    for (unsigned i = 0; (o == NULL || !in->m.nonuniform) && i < w->fibers; i++) {
        ret[i] = same;
    }
    return true;
}

bool lull_ir3_textures(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_insn *in, uint32_t *ret)
{
    return names(w, env, in, LULL_IR3_K_TEX, ret);
}

bool lull_ir3_samplers(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_insn *in, uint32_t *ret)
{
    return names(w, env, in, LULL_IR3_K_SAMP, ret);
}

uint32_t lull_ir3_texel_offset(const struct lull_ir3_insn *in)
{
    for (unsigned k = 0; k < in->nsrc; k++) {
        if (in->src[k].kind == LULL_IR3_K_OFF) {
            return (uint32_t)in->src[k].value;
        }
    }
    return 0;
}

/** isam.v of a buffer: words of the instruction's type, as many as wrmask has. */
static void isam_v(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                   const struct lull_ir3_insn *in)
{
    uint32_t at[LULL_IR3_FIBERS], which[LULL_IR3_FIBERS], words[LULL_IR3_DESCRIPTOR];
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const struct lull_ir3_tables tables = lull_ir3_tables_of(w, in);
    const unsigned size = type_bytes(in->m.type);
    const unsigned data =
        lull_ir3_number((unsigned)in->dst[0].value, lull_ir3_type_bits(in->m.type) == 16);
    unsigned last = 4; // Components up to the last that is wanted.
    while (last > 1 && (in->m.wrmask >> (last - 1) & 1) == 0) {
        last--;
    }
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, at);
    if (!lull_ir3_textures(w, env, in, which)) {
        return;
    }
    struct lull_ir3_last l = {.valid = false};
    const struct lull_ir3_words all = {.reg = (unsigned)in->dst[0].value, .n = last};
    bool whole = size == DWORD && in->m.wrmask == (1u << last) - 1;
    struct like like;
    like.there = false;
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        if (!again(&l, env, which[i])) {
            const uint64_t nfaults = env->nfaults;
            lull_ir3_texture(w, env, &tables, i, which[i], words);
            keep(&l, env, which[i], nfaults, words);
            if (again(&l, env, which[i]) && whole &&
                all_words(w, env, &l.b, all, which, at, lull_ir3_texel_offset(in))) {
                return;
            }
            whole = false;
        }
        if (!l.b.is_buffer) {
            lull_ir3_wrong(w, "isam.v of an image");
            return;
        }
        const uint64_t index = (uint64_t)at[i] + lull_ir3_texel_offset(in);
        if (lull_ir3_touches_wanted(env)) {
            struct lull_touch *t = like_last(&like, in, LULL_ARCH_IR3_BASE_TEXTURE, which[i], &l.b);
            t->data = data;
            (void)put_down(env, t, i, index, last, size);
        }
        for (unsigned k = 0; k < 4; k++) {
            const uint64_t from = element(&l.b, index + k, size);
            if ((in->m.wrmask >> k & 1) != 0) {
                lull_ir3_set(w, (unsigned)in->dst[0].value + k,
                             lull_ir3_type_bits(in->m.type) == 16, i,
                             from != 0 ? lull_ir3_load(w, env, i, from, size) : 0);
            }
        }
    }
}

uint8_t *lull_ir3_atomic_place(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                               const struct lull_ir3_insn *in, unsigned fiber, uint32_t index,
                               uint32_t at, struct lull_ir3_last *l)
{
    uint32_t words[LULL_IR3_DESCRIPTOR];
    if (!again(l, env, index)) {
        const uint64_t nfaults = env->nfaults;
        lull_ir3_descriptor(w, env, in, fiber, index, words);
        keep(l, env, index, nfaults, words);
    }
    const struct lull_ir3_buffer b = l->b;
    if (!b.is_buffer) {
        lull_ir3_wrong(w, "%s of an image without its format", lull_ir3_op_names[in->op]);
        return NULL;
    }
    // Offsets of 64-bit ones count 2 bytes: Mesa ir3_nir_lower_io_offsets.c.
    const unsigned bytes = lull_ir3_atomic_bytes(in);
    const uint64_t place = element(&b, bytes == 8 ? at / 4 : at, bytes);
    if (lull_ir3_touches_wanted(env) && !lull_ir3_on(&w->helpers, fiber)) {
        struct lull_touch t = like_of(in, LULL_ARCH_IR3_BASE_IBO, index, &b);
        lull_ir3_atomically(in, (unsigned)in->src[0].value + bytes / DWORD, &t);
        (void)put_down(env, &t, fiber, bytes == 8 ? at / 4 : at, 1, bytes);
    }
    return place != 0 ? lull_ir3_place(w, env, fiber, place, bytes, true) : NULL;
}

bool lull_ir3_do_resource(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                          const struct lull_ir3_insn *in)
{
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_LDC:
        ldc(w, env, in);
        return true;
    case LULL_IR3_OP_ISAM:
        isam_v(w, env, in);
        return true;
    case LULL_IR3_OP_LDC_K:
        ldc_k(w, env, in);
        return true;
    case LULL_IR3_OP_LDIB_B:
    case LULL_IR3_OP_STIB_B:
        buffer_io(w, env, in);
        return true;
    default:
        return false;
    }
}

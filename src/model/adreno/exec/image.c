// SPDX-License-Identifier: MIT
// Source: Mesa ir3/ir3_a6xx.c (ldib, stib, resinfo, atomics), ir3/ir3_compiler_nir.c emit_tex(),
// emit_tex_txs(), emit_tex_info() (coordinates and results of texture instructions).
#include "model/adreno/exec/image.h"

#include <string.h>

#include "hw/adreno_pkts.h"

/** Images that fibers mean: read again only where the number changes. */
struct bound {
    bool valid;
    uint32_t index;
    struct lull_ir3_image image;
};

static void take(const struct lull_ir3_wave *w, const struct lull_ir3_operand *o, unsigned step,
                 unsigned fiber, uint32_t *ret)
{
    *ret = lull_ir3_get(w, (unsigned)o->value + step, o->half, fiber);
}

/** What @p rgba is in a register of 16 bits. */
static void narrowed(const struct lull_format_info *f, uint32_t rgba[4])
{
    for (unsigned k = 0; k < 4; k++) {
        rgba[k] = lull_format_to_d16(f, rgba[k]);
    }
}

/** @p n bytes at @p address, in pieces that are surely on one page. */
static void load_bytes(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                       uint64_t address, uint8_t *ret, unsigned n)
{
    const unsigned step = address % 4 == 0 && n % 4 == 0 ? 4 : 1;
    for (unsigned i = 0; i < n; i += step) {
        const uint8_t *at = lull_ir3_place(w, env, fiber, address + i, step, false);
        if (at != NULL) {
            memcpy(ret + i, at, step);
        }
    }
}

/** Put down that @p fiber does @p t with the texel at @p s. */
static uint8_t *put_down(const struct lull_ir3_env *env, const struct lull_ir3_image *m,
                         const struct lull_ir3_spot *s, struct lull_touch *t, unsigned fiber)
{
    const int32_t at[4] = {(int32_t)s->x, (int32_t)s->y, (int32_t)s->z, (int32_t)s->level};
    const bool row = m->type == LULL_A6XX_TEX_1D || m->type == LULL_A6XX_TEX_BUFFER;
    t->image = true;
    t->bytes = m->format->bytes;
    t->dims = m->depth > 1 || m->type == LULL_A6XX_TEX_3D ? 3 : row ? 1 : 2;
    uint8_t *const to = lull_ir3_put_down(env, t, fiber, lull_ir3_texel_at(m, s), UINT8_MAX);
    lull_ir3_put_texel(env, fiber, at);
    return to;
}

void lull_ir3_texel_plain(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                          const struct lull_ir3_image *m, const struct lull_ir3_spot *s,
                          uint32_t rgba[4])
{
    uint8_t bytes[16] = {0};
    const uint64_t at = lull_ir3_texel_at(m, s);
    const uint8_t *drawn = m->in_tile ? lull_ir3_texel_in_tile(m, &env->tile, s) : NULL;
    if (drawn != NULL) {
        memcpy(bytes, drawn, m->format->bytes);
    }
    if (at != 0 && lull_ir3_touches_wanted(env)) {
        struct lull_touch t = {.data = LULL_ARCH_NO_REG};
        (void)put_down(env, m, s, &t, fiber);
    }
    if (at != 0) {
        load_bytes(w, env, fiber, at, bytes, m->format->bytes);
    }
    if (m->format->block_width == 1) {
        lull_format_unpack(m->format, bytes, rgba);
    } else if (at != 0) {
        lull_format_unpack_block(m->format, bytes, s->x, s->y, rgba);
    } else {
        memset(rgba, 0, 4 * sizeof rgba[0]);
    }
    if (m->w_first) {
        const uint32_t w_of = rgba[0];
        memmove(rgba, rgba + 1, 3 * sizeof rgba[0]);
        rgba[2] = m->format->components == 4 ? rgba[2] : 0;
        rgba[3] = w_of;
    }
    lull_ir3_swapped(m->swap, false, rgba);
}

void lull_ir3_swizzled(const struct lull_ir3_image *m, const uint32_t plain[4], uint32_t rgba[4])
{
    uint32_t v[6];
    memcpy(v, plain, 4 * sizeof v[0]);
    v[LULL_A6XX_TEX_ZERO] = 0;
    v[LULL_A6XX_TEX_ONE] = lull_format_one(m->format);
    for (unsigned k = 0; k < 4; k++) {
        rgba[k] = m->swizzle[k] <= LULL_A6XX_TEX_ONE ? v[m->swizzle[k]] : 0;
    }
}

/** The texel at @p s as a shader sees it. */
static void texel_load(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                       const struct lull_ir3_image *m, const struct lull_ir3_spot *s,
                       uint32_t rgba[4])
{
    uint32_t plain[4];
    lull_ir3_texel_plain(w, env, fiber, m, s, plain);
    lull_ir3_swizzled(m, plain, rgba);
}

static void texel_store(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                        const struct lull_ir3_image *m, const struct lull_ir3_spot *s,
                        uint32_t rgba[4])
{
    uint8_t bytes[16] = {0};
    const uint64_t at = lull_ir3_texel_at(m, s);
    lull_ir3_swapped(m->swap, true, rgba);
    if (m->w_first) {
        const uint32_t w_of = rgba[3];
        memmove(rgba + 1, rgba, 3 * sizeof rgba[0]);
        rgba[0] = w_of;
    }
    lull_format_pack(m->format, rgba, bytes);
    const bool stores = (at != 0 || m->null) && !lull_ir3_on(&w->helpers, fiber);
    if (stores && lull_ir3_touches_wanted(env)) {
        struct lull_touch t = {.kind = LULL_TOUCH_STORE,
                               .data = LULL_ARCH_NO_REG,
                               .described = m->null,
                               .null = m->null,
                               .texels = env->seen->touching.texels[0]};
        memcpy(put_down(env, m, s, &t, fiber), bytes, LULL_TOUCH_TEXEL);
    }
    for (unsigned i = 0; at != 0 && i < m->format->bytes; i++) {
        lull_ir3_put(w, env, fiber, at + i, 1, bytes[i]);
    }
}

/** Coordinates of ldib, stib and atomics: of arrays the layer comes last. */
static struct lull_ir3_spot spot_of(const struct lull_ir3_image *m, unsigned dims,
                                    const uint32_t coord[3])
{
    struct lull_ir3_spot s = {.x = coord[0]};
    if (dims == 2 && m->type == LULL_A6XX_TEX_1D) {
        s.z = coord[1];
    } else {
        s.y = dims > 1 ? coord[1] : 0;
        s.z = dims > 2 ? coord[2] : 0;
    }
    return s;
}

/** One fiber's texel. */
static void io(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in,
               unsigned fiber, const struct lull_ir3_image *m)
{
    const bool store = in->op == LULL_IR3_OP_STIB_B;
    const struct lull_ir3_operand *v = store ? &in->src[0] : &in->dst[0];
    const struct lull_ir3_operand *c = &in->src[store ? 1 : 0];
    uint32_t coord[3] = {0}, rgba[4] = {0};
    for (unsigned k = 0; k < 3 && k < in->m.dims; k++) {
        take(w, c, k, fiber, &coord[k]);
    }
    coord[0] += (uint32_t)in->m.offset;
    const struct lull_ir3_spot s = spot_of(m, in->m.dims, coord);
    const unsigned n = in->m.size < 4 ? (unsigned)in->m.size : 4;
    if (store) {
        for (unsigned k = 0; k < n; k++) {
            take(w, v, k, fiber, &rgba[k]);
            rgba[k] = v->half ? lull_format_from_d16(m->format, (uint16_t)rgba[k]) : rgba[k];
        }
        texel_store(w, env, fiber, m, &s, rgba);
        return;
    }
    texel_load(w, env, fiber, m, &s, rgba);
    if (v->half) {
        narrowed(m->format, rgba);
    }
    for (unsigned k = 0; k < n; k++) {
        lull_ir3_set(w, (unsigned)v->value + k, v->half, fiber, rgba[k]);
    }
}

/** The image with number @p index of what ldib and its like read; NULL: lull does not do it. */
static const struct lull_ir3_image *named(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                                          const struct lull_ir3_insn *in, unsigned fiber,
                                          uint32_t index, struct bound *b)
{
    uint32_t words[LULL_IR3_DESCRIPTOR];
    if (!b->valid || b->index != index) {
        lull_ir3_descriptor(w, env, in, fiber, index, words);
        b->index = index;
        b->valid = lull_ir3_image_of(w, env, words, &b->image);
    }
    return b->valid ? &b->image : NULL;
}

static void image_io(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                     const struct lull_ir3_insn *in)
{
    uint32_t which[LULL_IR3_FIBERS];
    struct bound b = {.valid = false};
    const struct lull_ir3_mask on = lull_ir3_active(w);
    lull_ir3_indices(w, env, in, &in->src[in->op == LULL_IR3_OP_STIB_B ? 2 : 1], which);
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        const struct lull_ir3_image *m = named(w, env, in, i, which[i], &b);
        if (m == NULL) {
            return;
        }
        io(w, env, in, i, m);
    }
}

static void image_resinfo(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                          const struct lull_ir3_insn *in)
{
    uint32_t which[LULL_IR3_FIBERS];
    struct bound b = {.valid = false};
    const struct lull_ir3_mask on = lull_ir3_active(w);
    lull_ir3_indices(w, env, in, &in->src[0], which);
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        const struct lull_ir3_image *m = named(w, env, in, i, which[i], &b);
        if (m == NULL) {
            return;
        }
        uint32_t size[3];
        lull_ir3_image_size(m, 0, size);
        if (m->type == LULL_A6XX_TEX_BUFFER) {
            size[1] = size[2] = 0;
        } else if (m->type == LULL_A6XX_TEX_1D) {
            size[1] = size[2];
        }
        for (unsigned k = 0; k < 3; k++) {
            lull_ir3_set(w, (unsigned)in->dst[0].value + k, in->dst[0].half, i, size[k]);
        }
    }
}

uint8_t *lull_ir3_image_place(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                              const struct lull_ir3_insn *in, unsigned fiber, uint32_t index,
                              const uint32_t coord[3])
{
    uint32_t words[LULL_IR3_DESCRIPTOR];
    struct lull_ir3_image m;
    lull_ir3_descriptor(w, env, in, fiber, index, words);
    if (!lull_ir3_image_of(w, env, words, &m)) {
        return NULL;
    }
    if (m.format->bytes != 4) {
        lull_ir3_wrong(w, "an atomic operation on an image of %s", m.format->name);
        return NULL;
    }
    const struct lull_ir3_spot s = spot_of(&m, in->m.dims, coord);
    const uint64_t at = lull_ir3_texel_at(&m, &s);
    if (at != 0 && lull_ir3_touches_wanted(env) && !lull_ir3_on(&w->helpers, fiber)) {
        struct lull_touch t = {0};
        lull_ir3_atomically(in, (unsigned)in->src[0].value + 1, &t);
        (void)put_down(env, &m, &s, &t, fiber);
    }
    return at != 0 ? lull_ir3_place(w, env, fiber, at, 4, true) : NULL;
}

/** What a texture instruction reads, of all fibers: x, y, z, level, sample; offsets are added. */
struct coords {
    uint32_t at[5][LULL_IR3_FIBERS];
};

static bool fetches(enum lull_ir3_op op)
{
    return op == LULL_IR3_OP_ISAM || op == LULL_IR3_OP_ISAML || op == LULL_IR3_OP_ISAMM;
}

/** Adds component @p step of @p o. */
static void add(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_operand *o,
                unsigned step, uint32_t *to)
{
    uint32_t v[LULL_IR3_FIBERS];
    (void)lull_ir3_fetch(w, env, o, step, v);
    for (unsigned i = 0; i < w->fibers; i++) {
        to[i] += v[i];
    }
}

static void coordinates(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                        const struct lull_ir3_insn *in, struct coords *ret)
{
    const unsigned n = in->m.dim3 ? 3 : 2; // With and without ".1d"; of a row y is 0.
    const unsigned offsets = in->m.offsets ? n : 0;
    const struct lull_ir3_operand *c = &in->src[0], *more = &in->src[1];
    memset(ret, 0, sizeof *ret);
    if (in->op == LULL_IR3_OP_GETSIZE) {
        add(w, env, c, 0, ret->at[3]);
    }
    if (!fetches(in->op)) {
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        add(w, env, c, k, ret->at[k]);
    }
    if (in->m.array) {
        add(w, env, c, n, ret->at[2]);
    }
    if (in->op == LULL_IR3_OP_ISAMM) {
        add(w, env, c, in->m.array ? n + 1 : n, ret->at[4]);
    }
    for (unsigned k = 0; k < offsets; k++) {
        add(w, env, more, k, ret->at[k]);
    }
    if (in->op == LULL_IR3_OP_ISAML) {
        add(w, env, more, offsets, ret->at[3]);
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        ret->at[0][i] += lull_ir3_texel_offset(in);
    }
}

/** getinfo, getsize, getbuf. */
static void described(const struct lull_ir3_insn *in, const struct lull_ir3_image *m,
                      uint32_t level, uint32_t rgba[4])
{
    if (in->op == LULL_IR3_OP_GETINFO) {
        rgba[2] = m->levels;
        rgba[3] = m->samples;
        return;
    }
    lull_ir3_image_size(m, level, rgba);
    rgba[3] = m->depth;
}

static void image_fetch(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                        const struct lull_ir3_insn *in)
{
    uint32_t which[LULL_IR3_FIBERS];
    uint32_t words[LULL_IR3_DESCRIPTOR];
    struct bound b = {.valid = false};
    struct coords c;
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const struct lull_ir3_tables tables = lull_ir3_tables_of(w, in);
    const bool half = lull_ir3_type_bits(in->m.type) == 16;
    if (!lull_ir3_textures(w, env, in, which)) {
        return;
    }
    coordinates(w, env, in, &c);
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        if (!b.valid || b.index != which[i]) {
            lull_ir3_texture(w, env, &tables, i, which[i], words);
            b.index = which[i];
            b.valid = lull_ir3_image_of(w, env, words, &b.image);
        }
        if (!b.valid) {
            return;
        }
        uint32_t rgba[4] = {0};
        if (fetches(in->op)) {
            const bool row = b.image.type == LULL_A6XX_TEX_BUFFER;
            const struct lull_ir3_spot s = {c.at[0][i], row ? 0 : c.at[1][i], c.at[2][i],
                                            c.at[3][i], c.at[4][i]};
            texel_load(w, env, i, &b.image, &s, rgba);
            if (half) {
                narrowed(b.image.format, rgba);
            }
        } else {
            described(in, &b.image, c.at[3][i], rgba);
        }
        for (unsigned k = 0; k < 4; k++) {
            if ((in->m.wrmask >> k & 1) != 0) {
                lull_ir3_set(w, (unsigned)in->dst[0].value + k, half, i, rgba[k]);
            }
        }
    }
}

bool lull_ir3_do_image(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_insn *in)
{
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_LDIB_B:
    case LULL_IR3_OP_STIB_B:
        if (!in->m.typed) {
            return false;
        }
        image_io(w, env, in);
        return true;
    case LULL_IR3_OP_RESINFO_B:
        image_resinfo(w, env, in);
        return true;
    case LULL_IR3_OP_ISAM:
        if (in->m.variant) {
            return false;
        }
        image_fetch(w, env, in);
        return true;
    case LULL_IR3_OP_ISAML:
    case LULL_IR3_OP_ISAMM:
    case LULL_IR3_OP_GETSIZE:
    case LULL_IR3_OP_GETINFO:
    case LULL_IR3_OP_GETBUF:
        image_fetch(w, env, in);
        return true;
    default:
        return false;
    }
}

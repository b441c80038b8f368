// SPDX-License-Identifier: MIT
// One texel: where it is, and what is there.
#include <string.h>

#include "front/texel/priv.h"
#include "tex/meta.h"

const struct lull_tiling *lull_texel_level(struct lull_texel_work *w, int32_t level,
                                           struct lull_extent *ret)
{
    const struct lull_image_desc *d = &w->t->image;
    if (level < 0 || level >= w->levels || level >= LULL_TEXEL_LEVELS || w->err != NULL) {
        return NULL;
    }
    const unsigned absolute = (unsigned)level + d->base_level;
    struct lull_tiling *t = &w->level[level];
    if (!w->known[level]) {
        const enum lull_tex_status status = lull_tiling_prepare(d, absolute, t);
        if (status == LULL_TEX_LEVEL) {
            return NULL;
        }
        if (status != LULL_TEX_OK) {
            w->err = lull_error_new(LULL_ERR_UNSUPPORTED, "%s", lull_tex_status_text(status));
            return NULL;
        }
        w->known[level] = true;
    }
    *ret = lull_image_extent(d, absolute);
    return t;
}

void lull_texel_note(struct lull_texel_work *w, struct lull_error *err)
{
    if (w->err == NULL) {
        w->err = err;
    } else {
        lull_error_free(err);
    }
}

/** Slice or depth of a texel in the image; false: outside of the view. */
static bool slice_of(const struct lull_texel_work *w, const struct lull_extent *e, int32_t z,
                     uint32_t *ret)
{
    const struct lull_image_desc *d = &w->t->image;
    if (w->dims == 3) {
        const uint32_t last = d->uav3d ? d->last_slice : e->depth - 1;
        *ret = (uint32_t)z + (d->uav3d ? d->first_slice : 0);
        return (uint32_t)z <= last && *ret <= last && *ret < e->depth;
    }
    *ret = (uint32_t)z + d->first_slice;
    return (uint32_t)z < w->slices;
}

bool lull_texel_va(struct lull_texel_work *w, const struct lull_texel_at *at, uint64_t *ret)
{
    struct lull_extent e = {0};
    const struct lull_tiling *t = lull_texel_level(w, at->level, &e);
    uint32_t z = 0;
    if (t == NULL || (uint32_t)at->x >= e.width || (uint32_t)at->y >= e.height ||
        at->sample >= w->t->image.samples || !slice_of(w, &e, at->z, &z)) {
        return false;
    }
    *ret = lull_tiling_texel_va(t, (uint32_t)at->x, (uint32_t)at->y, z, at->sample);
    return true;
}

bool lull_texel_is_open(struct lull_texel_work *w, const struct lull_texel_at *at,
                        uint8_t texel[16])
{
    const struct lull_image_desc *d = &w->t->image;
    const struct lull_tiling *t = &w->level[at->level];
    struct lull_meta m = {0};
    uint32_t word = 0;
    uint8_t key = 0;
    if (!d->compressed) {
        return true;
    }
    lull_meta_prepare(d, (unsigned)at->level + d->base_level, t, &m);
    if (m.kind == LULL_META_NONE) {
        return true;
    }
    const bool dcc = m.kind == LULL_META_DCC;
    const uint64_t va =
        lull_meta_va(&m, t, (uint32_t)at->x / t->texels_x, (uint32_t)at->y / t->texels_y,
                     (uint32_t)at->z + d->first_slice, at->sample);
    struct lull_error *err = w->memory->read(w->memory->arg, va, dcc ? (void *)&key : &word,
                                             dcc ? sizeof key : sizeof word);
    if (err != NULL) {
        lull_texel_note(w, err);
        return false;
    }
    if (dcc ? key == LULL_META_DCC_PLAIN : !lull_meta_htile_clear(m.kind, word)) {
        return true;
    }
    const bool cleared = dcc ? lull_meta_dcc_texel(key, t->bytes, texel)
                             : lull_meta_htile_texel(m.kind, &d->clear, word, t->bytes, texel);
    if (!cleared) {
        lull_texel_note(
            w, lull_error_new(LULL_ERR_UNSUPPORTED, "%s", lull_tex_status_text(LULL_TEX_DCC)));
    }
    return false;
}

void lull_texel_fetch(struct lull_texel_work *w, const struct lull_texel_at *at, uint32_t rgba[4])
{
    uint8_t texel[16] = {0};
    uint64_t va = 0;
    memset(rgba, 0, 4 * sizeof rgba[0]);
    if (!lull_texel_va(w, at, &va)) {
        return;
    }
    if (lull_texel_is_open(w, at, texel)) {
        lull_texel_note(w, w->memory->read(w->memory->arg, va, texel, w->format.bytes));
    }
    if (w->err != NULL) {
        return;
    }
    if (w->format.block_width > 1) {
        lull_format_unpack_block(&w->format, texel, (unsigned)at->x, (unsigned)at->y, rgba);
    } else {
        lull_format_unpack(&w->format, texel, rgba);
    }
}

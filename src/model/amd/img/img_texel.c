// SPDX-License-Identifier: MIT
// Texels: where they are, what they are, and the border around them.
#include "model/amd/img/img.h"

#include "model/fp/fp_host.h"

const struct lull_tiling *lull_img_level(struct lull_img *g, int32_t level)
{
    if (level < 0 || level >= g->levels) {
        return NULL;
    }
    const unsigned absolute = (unsigned)level + g->desc.base_level;
    if ((g->level_known >> level & 1) == 0) {
        g->level_known |= 1u << level;
        g->level_status[level] = (int8_t)lull_tiling_prepare(&g->desc, absolute, &g->level[level]);
        g->extent[level] = lull_image_extent(&g->desc, absolute);
    }
    return g->level_status[level] == LULL_TEX_OK ? &g->level[level] : NULL;
}

const struct lull_extent *lull_img_extent(struct lull_img *g, int32_t level)
{
    return lull_img_level(g, level) != NULL ? &g->extent[level] : NULL;
}

/** Have what all texels of a level share: steps, and metadata. */
static void enter_level(struct lull_img *g, int32_t level)
{
    g->stepped = level;
    lull_tiling_steps_make(&g->level[level], &g->steps);
    if (g->desc.compressed) {
        g->meta = (struct lull_meta_image){.tiling = g->level[level]};
        lull_meta_prepare(&g->desc, (unsigned)level + g->desc.base_level, &g->meta.tiling,
                          &g->meta.meta);
    }
}

/** Open the tile of a texel of a compressed image. False: refused, and noted. */
static bool open_tile(struct lull_img *g, const uint32_t xyz[3], uint32_t sample)
{
    const enum lull_meta_result r = g->meta.meta.kind == LULL_META_NONE
                                        ? LULL_META_OPEN
                                        : lull_meta_open(g->w->vm, &g->meta, xyz, sample);
    if (r == LULL_META_REFUSED) {
        lull_refused_note(&g->refused, g->w);
    }
    g->unknown = g->unknown || r == LULL_META_UNKNOWN;
    return r == LULL_META_OPEN;
}

bool lull_img_va(struct lull_img *g, const struct lull_img_texel *t, uint64_t *va)
{
    const struct lull_tiling *l = lull_img_level(g, t->level);
    if (l == NULL) {
        return false;
    }
    const struct lull_extent *e = &g->extent[t->level];
    if ((uint32_t)t->x >= e->width || (uint32_t)t->y >= e->height || t->sample >= g->desc.samples) {
        return false;
    }
    uint32_t z = (uint32_t)t->z;
    if (g->dims == 3) {
        const uint32_t first = g->desc.uav3d ? g->desc.first_slice : 0;
        const uint32_t last = g->desc.uav3d ? g->desc.last_slice : e->depth - 1;
        z += first;
        if ((uint32_t)t->z > last || z > last || z >= e->depth) {
            return false;
        }
    } else if (z >= g->slices) {
        return false;
    } else {
        z += g->desc.first_slice;
    }
    const uint32_t xyz[3] = {(uint32_t)t->x, (uint32_t)t->y, z};
    const bool plain = l->texels_x == 1 && l->texels_y == 1;
    if (g->stepped != t->level) {
        enter_level(g, t->level);
    }
    *va = l->base + lull_tiling_step(l, &g->steps, lull_tiling_offset(l, 0, 0, z, t->sample),
                                     plain ? xyz[0] : xyz[0] / l->texels_x,
                                     plain ? xyz[1] : xyz[1] / l->texels_y);
    return !g->desc.compressed || open_tile(g, xyz, t->sample);
}

bool lull_img_move(struct lull_img *g, unsigned lane, uint64_t va, uint8_t *buf, bool store)
{
    (void)lane;
    const unsigned bytes = g->format.bytes;
    const bool inside = va % LULL_PAGE_SIZE + bytes <= LULL_PAGE_SIZE;
    bool ok = false;
    if (inside) {
        uint8_t *host = lull_vm_host(g->w->vm, va, store ? LULL_ACCESS_WRITE : LULL_ACCESS_READ);
        ok = host != NULL;
        if (ok && store) {
            memcpy(host, buf, bytes);
        } else if (ok) {
            memcpy(buf, host, bytes);
        }
    } else {
        ok = store ? lull_vm_write(g->w->vm, va, buf, bytes)
                   : lull_vm_read(g->w->vm, va, buf, bytes);
    }
    if (!ok) {
        lull_refused_note(&g->refused, g->w);
    }
    return ok;
}

void lull_img_fetch(struct lull_img *g, unsigned lane, const struct lull_img_texel *t,
                    uint32_t rgba[4])
{
    uint64_t va = 0;
    uint8_t buf[16] = {0};
    if (!lull_img_va(g, t, &va)) {
        memset(rgba, 0, 4 * sizeof(rgba[0]));
        return;
    }
    g->ways->move(g, lane, va, buf, false);
    if (g->bytes) {
        for (unsigned c = 0; c < 4; c++) {
            rgba[c] = lull_f32_bits((float)buf[c] / UINT8_MAX);
        }
    } else if (g->format.block_width > 1) {
        lull_format_unpack_block(&g->format, buf, (unsigned)t->x, (unsigned)t->y, rgba);
    } else {
        lull_format_unpack(&g->format, buf, rgba);
    }
}

/**
 * Border colours that the table in memory has: 16 bytes each, as they are.
 * The table's address is in a register of the GPU, TA_CS_BC_BASE_ADDR.
 */
static void border_from_table(struct lull_img *g, uint32_t color[4])
{
    const struct lull_wave_host *host = g->w->host;
    if (host == NULL || host->border_colors == NULL) {
        return;
    }
    const uint64_t va = host->border_colors(g->w) + 16ull * g->sampler.border_index;
    if (!lull_vm_read(g->w->vm, va, color, 16)) {
        lull_refused_note(&g->refused, g->w);
    }
}

void lull_img_border(struct lull_img *g)
{
    // By BC_SWIZZLE: the colour's component for each of the texel's. Source: RDNA3 ISA guide 10.5.
    static const uint8_t order[8][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2},
                                        {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    enum { TRANSPARENT, BLACK, WHITE, TABLE };
    const uint32_t one = lull_format_one(&g->format);
    uint32_t color[4] = {0, 0, 0, 0};
    if (g->sampler.border_type == BLACK) {
        color[3] = one;
    } else if (g->sampler.border_type == WHITE) {
        color[0] = color[1] = color[2] = color[3] = one;
    } else if (g->sampler.border_type == TABLE) {
        border_from_table(g, color);
    }
    for (unsigned c = 0; c < 4; c++) {
        g->border[c] = color[order[g->desc.bc_swizzle & 7][c]];
    }
}

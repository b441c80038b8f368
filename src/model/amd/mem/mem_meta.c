// SPDX-License-Identifier: MIT
#include "model/amd/mem/meta.h"

#include <string.h>

enum { MAX_TEXEL = 16 };

/** A tile of an image: its first pixel. */
struct tile {
    uint32_t x, y, z;
};

/** Fill the block of a key with @p texel and mark it. */
static bool fill_block(struct lull_vm *vm, const struct lull_tiling *t, uint64_t offset,
                       uint64_t key_va, const uint8_t *texel)
{
    const uint8_t plain = LULL_META_DCC_PLAIN;
    uint8_t block[LULL_META_BLOCK] = {0};
    for (unsigned i = 0; i < sizeof block; i += t->bytes) {
        memcpy(block + i, texel, t->bytes);
    }
    return lull_vm_write(vm, t->base + (offset & ~(uint64_t)(LULL_META_BLOCK - 1)), block,
                         sizeof block) &&
           lull_vm_write(vm, key_va, &plain, sizeof plain);
}

/**
 * All blocks of a tile: with more than one sample a tile has several, and a single colour stands in
 * the first texel of the tile's first alone. Source: Mesa radv_meta_clear.c, which stores it there.
 */
static enum lull_meta_result open_dcc(struct lull_vm *vm, const struct lull_meta_image *i,
                                      const struct tile *at)
{
    const struct lull_tiling *t = &i->tiling;
    const struct lull_meta *m = &i->meta;
    const uint32_t w = 1u << m->tile_log2[0], h = 1u << m->tile_log2[1];
    uint8_t single[MAX_TEXEL] = {0}, texel[MAX_TEXEL] = {0};
    const uint64_t first = lull_tiling_offset(t, at->x, at->y, at->z, 0);
    if (!lull_vm_read(vm, t->base + first, single, t->bytes)) {
        return LULL_META_REFUSED;
    }
    for (uint32_t y = 0; y < h; y += 1u << m->block_log2[1]) {
        for (uint32_t x = 0; x < w; x += 1u << m->block_log2[0]) {
            const uint64_t va = lull_meta_va(m, t, at->x + x, at->y + y, at->z, 0);
            const uint64_t offset = lull_tiling_offset(t, at->x + x, at->y + y, at->z, 0);
            uint8_t key = 0;
            if (!lull_vm_read(vm, va, &key, sizeof key)) {
                return LULL_META_REFUSED;
            }
            if (key == LULL_META_DCC_PLAIN) {
                continue;
            }
            if (key != LULL_META_DCC_SINGLE && !lull_meta_dcc_texel(key, t->bytes, texel)) {
                return LULL_META_UNKNOWN;
            }
            if (!fill_block(vm, t, offset, va, key == LULL_META_DCC_SINGLE ? single : texel)) {
                return LULL_META_REFUSED;
            }
        }
    }
    return LULL_META_OPEN;
}

/** The pixels of a tile of 8 x 8 that the level has. False: memory is refused. */
static bool fill_tile(struct lull_vm *vm, const struct lull_tiling *t,
                      const struct lull_tiling_steps *steps, const struct tile *at, uint32_t sample,
                      const uint8_t texel[MAX_TEXEL])
{
    const uint64_t corner = lull_tiling_offset(t, 0, 0, at->z, sample);
    uint8_t *page = NULL;
    uint64_t number = 0;
    for (uint32_t n = 0; n < LULL_META_TILE * LULL_META_TILE; n++) {
        const uint32_t x = at->x + n % LULL_META_TILE, y = at->y + n / LULL_META_TILE;
        const uint64_t va = t->base + lull_tiling_step(t, steps, corner, x, y);
        if (x >= t->width || y >= t->height) {
            continue;
        }
        if (va % LULL_PAGE_SIZE + t->bytes > LULL_PAGE_SIZE) { // an image that is not aligned
            if (!lull_vm_write(vm, va, texel, t->bytes)) {
                return false;
            }
            continue;
        }
        if (page == NULL || va >> LULL_PAGE_SHIFT != number) {
            uint8_t *host = lull_vm_host(vm, va, LULL_ACCESS_WRITE);
            if (host == NULL) {
                return false;
            }
            page = host - va % LULL_PAGE_SIZE;
            number = va >> LULL_PAGE_SHIFT;
        }
        memcpy(page + va % LULL_PAGE_SIZE, texel, t->bytes);
    }
    return true;
}

static enum lull_meta_result open_htile(struct lull_vm *vm, const struct lull_meta_image *i,
                                        const struct lull_tiling_steps *steps,
                                        const struct tile *at)
{
    const struct lull_tiling *t = &i->tiling;
    const enum lull_meta_kind kind = (enum lull_meta_kind)i->meta.kind;
    const uint64_t va = lull_meta_va(&i->meta, t, at->x, at->y, at->z, 0);
    uint8_t texel[MAX_TEXEL] = {0};
    uint32_t word = 0;
    if (!lull_vm_read(vm, va, &word, sizeof word)) {
        return LULL_META_REFUSED;
    }
    if (!lull_meta_htile_clear(kind, word)) {
        return LULL_META_OPEN;
    }
    if (!lull_meta_htile_texel(kind, &i->clear, word, t->bytes, texel)) {
        return LULL_META_UNKNOWN;
    }
    bool ok = true;
    for (uint32_t sample = 0; ok && sample < t->samples; sample++) {
        ok = fill_tile(vm, t, steps, at, sample, texel);
    }
    word = lull_meta_htile_plain(kind, word);
    return ok && lull_vm_write(vm, va, &word, sizeof word) ? LULL_META_OPEN : LULL_META_REFUSED;
}

enum lull_meta_result lull_meta_open(struct lull_vm *vm, const struct lull_meta_image *i,
                                     const uint32_t xyz[3], uint32_t sample)
{
    const struct lull_meta *m = &i->meta;
    const struct tile at = {xyz[0] >> m->tile_log2[0] << m->tile_log2[0],
                            xyz[1] >> m->tile_log2[1] << m->tile_log2[1], xyz[2]};
    uint8_t key = 0;
    if (m->kind != LULL_META_DCC) {
        struct lull_tiling_steps steps;
        lull_tiling_steps_make(&i->tiling, &steps);
        return open_htile(vm, i, &steps, &at);
    }
    if (!lull_vm_read(vm, lull_meta_va(m, &i->tiling, xyz[0], xyz[1], xyz[2], sample), &key,
                      sizeof key)) {
        return LULL_META_REFUSED;
    }
    return key == LULL_META_DCC_PLAIN ? LULL_META_OPEN : open_dcc(vm, i, &at);
}

/** A slice of a level with keys, whose tiles are looked at one after the other. */
struct keys {
    const struct lull_meta_image *i;
    struct lull_tiling_steps steps;
    uint64_t corner; ///< Offset of the slice's first texel.
    uint64_t first;  ///< VA of the slice's first key.
    uint64_t start;  ///< Offset that it stands for.
};

/** All keys of a tile say that it is as its memory is. *refused: memory is. */
static bool is_plain(struct lull_vm *vm, const struct keys *k, const struct tile *at, bool *refused)
{
    const struct lull_tiling *t = &k->i->tiling;
    const struct lull_meta *m = &k->i->meta;
    const uint32_t w = 1u << m->tile_log2[0], h = 1u << m->tile_log2[1];
    const uint64_t first = lull_tiling_step(t, &k->steps, k->corner, at->x, at->y);
    *refused = lull_vm_host(vm, t->base + first, LULL_ACCESS_READ) == NULL;
    for (uint32_t y = 0; !*refused && y < h; y += 1u << m->block_log2[1]) {
        for (uint32_t x = 0; x < w; x += 1u << m->block_log2[0]) {
            const uint64_t offset = lull_tiling_step(t, &k->steps, k->corner, at->x + x, at->y + y);
            const uint8_t *key = lull_vm_host(vm, k->first + (offset - k->start) / LULL_META_BLOCK,
                                              LULL_ACCESS_READ);
            if (key == NULL || *key != LULL_META_DCC_PLAIN) {
                *refused = key == NULL;
                return false;
            }
        }
    }
    return !*refused;
}

/** Open the tiles of a slice with keys. */
static enum lull_meta_result open_keys(struct lull_vm *vm, struct keys *k, uint32_t z)
{
    const struct lull_tiling *t = &k->i->tiling;
    const struct lull_meta *m = &k->i->meta;
    enum lull_meta_result r = LULL_META_OPEN;
    struct tile at = {.z = z};
    k->corner = lull_tiling_offset(t, 0, 0, z, 0);
    k->start = t->level + z * t->slice;
    k->first = m->base + z * m->slice + m->level;
    for (at.y = 0; r == LULL_META_OPEN && at.y < t->height; at.y += 1u << m->tile_log2[1]) {
        for (at.x = 0; r == LULL_META_OPEN && at.x < t->width; at.x += 1u << m->tile_log2[0]) {
            bool refused = false;
            if (!is_plain(vm, k, &at, &refused)) {
                r = refused ? LULL_META_REFUSED : open_dcc(vm, k->i, &at);
            }
        }
    }
    return r;
}

enum lull_meta_result lull_meta_open_level(struct lull_vm *vm, const struct lull_meta_image *i,
                                           uint32_t first, uint32_t last)
{
    enum lull_meta_result r = LULL_META_OPEN;
    struct keys k = {.i = i};
    struct tile at = {.z = first};
    if (i->meta.kind == LULL_META_NONE) {
        return LULL_META_OPEN;
    }
    lull_tiling_steps_make(&i->tiling, &k.steps);
    for (; r == LULL_META_OPEN && at.z <= last && at.z < i->tiling.depth; at.z++) {
        if (i->meta.kind == LULL_META_DCC) {
            r = open_keys(vm, &k, at.z);
            continue;
        }
        for (at.y = 0; r == LULL_META_OPEN && at.y < i->tiling.height; at.y += LULL_META_TILE) {
            for (at.x = 0; r == LULL_META_OPEN && at.x < i->tiling.width; at.x += LULL_META_TILE) {
                r = open_htile(vm, i, &k.steps, &at);
            }
        }
    }
    return r;
}

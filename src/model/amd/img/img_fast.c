// SPDX-License-Identifier: MIT
// Loads and stores of whole texels made of 32-bit components or of 8-bit UNORM, one level, one
// sample, without conversions of addresses: what most shaders do, with everything that is the same
// for all lanes taken out of the loop.
#include "model/amd/img/img.h"
#include "model/fp/fp_host.h"
#include "tex/tile.h"

enum { WORDS = 4 };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/** Where a component of the result comes from. */
struct source {
    uint8_t word;     ///< Dword of the texel, or byte.
    bool there;       ///< Else it is constant.
    uint32_t value;   ///< The constant.
    uint32_t outside; ///< Value outside the image.
};

/** A level in linear or tiled memory, and what the last lane's y and z were. */
struct walk {
    const struct lull_tiling *t;
    const uint32_t *row[3]; ///< Address registers; NULL: 0.
    uint32_t limit[3], first_z;
    uint32_t y, z, yz;
    uint64_t base;
    bool known;
};

static uint32_t mix(const uint32_t *pattern, unsigned n, uint32_t v)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < n; i++) {
        r ^= pattern[i] & (0u - (v >> i & 1));
    }
    return r;
}

/** What y and z contribute. */
static void new_row(struct walk *k, uint32_t y, uint32_t z)
{
    const struct lull_tiling *t = k->t;
    k->y = y;
    k->z = z;
    k->known = true;
    k->base = t->base + t->level + (z >> t->block_log2[2]) * t->slice;
    if (t->pattern == NULL) {
        k->base += y * t->row;
        return;
    }
    k->base += (y >> t->block_log2[1]) * t->row;
    k->yz = mix(t->pattern->y, COUNT(t->pattern->y), y + t->tail_y) ^
            mix(t->pattern->z, COUNT(t->pattern->z), z) ^ t->xor_bits;
}

/** Host address of a lane's texel. False: outside, or refused. */
static bool find(struct lull_img *g, struct walk *k, unsigned lane, uint32_t access, uint8_t **ret)
{
    const struct lull_tiling *t = k->t;
    const uint32_t x = k->row[0][lane];
    const uint32_t y = k->row[1] == NULL ? 0 : k->row[1][lane];
    const uint32_t z = k->row[2] == NULL ? 0 : k->row[2][lane];
    if (x >= k->limit[0] || y >= k->limit[1] || z >= k->limit[2]) {
        return false;
    }
    if (!k->known || y != k->y || z + k->first_z != k->z) {
        new_row(k, y, z + k->first_z);
    }
    uint64_t va = k->base;
    if (t->pattern == NULL) {
        va += (uint64_t)x * t->bytes;
    } else {
        va += ((uint64_t)(x >> t->block_log2[0]) << t->block_bits) +
              (k->yz ^ mix(t->pattern->x, COUNT(t->pattern->x), x + t->tail_x));
    }
    *ret = lull_vm_host(g->w->vm, va, access);
    if (*ret == NULL) {
        lull_refused_note(&g->refused, g->w);
    }
    return *ret != NULL;
}

/** False: not one of the simple cases. */
static bool start(struct lull_img *g, struct walk *k)
{
    const struct lull_rdna_insn *in = g->in;
    const unsigned bytes = g->format.bytes;
    const unsigned own = g->at.ngrads;
    if (g->null || g->desc.compressed || g->op->flags != 0 || in->a16 || in->d16 ||
        g->desc.samples != 1 || lull_image_is_msaa(&g->desc) || g->desc.uav3d ||
        g->format.block_width != 1 || (bytes != 4 && bytes != 8 && bytes != 16)) {
        return false;
    }
    *k = (struct walk){.t = lull_img_level(g, 0)};
    if (k->t == NULL) {
        return false;
    }
    const struct lull_extent *e = lull_img_extent(g, 0);
    const bool sliced = g->dims == 3 || g->cube || lull_image_is_array(&g->desc);
    const unsigned third = own > 2 ? 2 : own;
    k->row[0] = lull_vgpr(g->w, g->addr[g->at.body]);
    k->row[1] = g->dims > 1 && own > 1 ? lull_vgpr(g->w, g->addr[g->at.body + 1u]) : NULL;
    k->row[2] =
        sliced && g->at.ncoords > third ? lull_vgpr(g->w, g->addr[g->at.body + third]) : NULL;
    k->limit[0] = e->width;
    k->limit[1] = e->height;
    k->limit[2] = g->dims == 3 ? e->depth : g->slices;
    k->first_z = g->dims == 3 ? 0 : g->desc.first_slice;
    return true;
}

unsigned lull_img_component_bytes(const struct lull_format_info *f)
{
    const unsigned bits = f->component[0].bits;
    if (f->codec != LULL_FORMAT_PLAIN || (bits != 32 && (bits != 8 || f->components != 4))) {
        return 0;
    }
    for (unsigned i = 0; i < f->components; i++) {
        const struct lull_format_component *c = &f->component[i];
        if (c->bits != bits || c->lo != i * bits || (bits == 8 && c->kind != LULL_FORMAT_UNORM)) {
            return 0;
        }
    }
    return bits == 8 ? 1 : f->component[0].kind == LULL_FORMAT_UNORM ? 0 : 4;
}

/** Sources of the components that dmask names. @return how many. */
static unsigned find_sources(const struct lull_img *g, struct source source[WORDS])
{
    const uint32_t none[WORDS] = {0};
    const uint32_t missing[WORDS] = {0, 0, 0, lull_format_one(&g->format)};
    uint32_t inside[WORDS] = {0}, outside[WORDS] = {0};
    unsigned n = 0;
    lull_dst_select(&g->format, g->desc.dst_sel, missing, inside);
    lull_dst_select(&g->format, g->desc.dst_sel, none, outside);
    for (unsigned c = 0; c < WORDS; c++) {
        if ((g->in->dmask >> c & 1) != 0) {
            const unsigned sel = g->desc.dst_sel[c];
            source[n++] = (struct source){
                .word = (uint8_t)(sel & 3),
                .there = sel >= LULL_DST_SEL_X && (sel & 3) < g->format.components,
                .value = inside[c],
                .outside = outside[c],
            };
        }
    }
    return n;
}

static uint32_t take(const struct source *s, const uint32_t texel[WORDS], unsigned size)
{
    if (!s->there) {
        return s->value;
    }
    if (size == 4) {
        return texel[s->word];
    }
    return lull_f32_bits((float)(texel[0] >> 8 * s->word & UINT8_MAX) / (float)UINT8_MAX);
}

bool lull_img_fast_load(struct lull_img *g, uint64_t mask, struct lull_img_rows *rows)
{
    struct walk k;
    struct source source[WORDS];
    const unsigned size = lull_img_component_bytes(&g->format);
    if (size == 0 || !start(g, &k)) {
        return false;
    }
    const unsigned n = find_sources(g, source), bytes = g->format.bytes;
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint8_t *host = NULL;
        uint32_t texel[WORDS] = {0};
        if (!find(g, &k, l, LULL_ACCESS_READ, &host)) {
            for (unsigned i = 0; i < n; i++) {
                rows->v[i][l] = source[i].outside;
            }
            continue;
        }
        memcpy(texel, host, 4);
        if (bytes > 4) {
            memcpy(texel, host, bytes == 8 ? 8 : 16);
        }
        for (unsigned i = 0; i < n; i++) {
            rows->v[i][l] = take(&source[i], texel, size);
        }
    }
    return true;
}

bool lull_img_fast_store(struct lull_img *g, uint64_t mask)
{
    struct walk k;
    if (lull_img_component_bytes(&g->format) != 4 || !start(g, &k)) {
        return false;
    }
    const unsigned bytes = g->format.bytes;
    const uint32_t *data[WORDS] = {NULL}, *row[WORDS] = {NULL}; // Of the value, of the texel.
    unsigned next = g->in->vdata - LULL_RDNA_VGPR0;
    for (unsigned c = 0; c < WORDS; c++) {
        data[c] = (g->in->dmask >> c & 1) != 0 ? lull_vgpr(g->w, next++) : NULL;
    }
    for (unsigned c = WORDS; c-- > 0;) {
        if (g->desc.dst_sel[c] >= LULL_DST_SEL_X) { // The first that names it wins.
            row[g->desc.dst_sel[c] & 3] = data[c];
        }
    }
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint8_t *host = NULL;
        uint32_t texel[WORDS] = {0};
        if (!find(g, &k, l, LULL_ACCESS_WRITE, &host)) {
            continue;
        }
        for (unsigned c = 0; 4 * c < bytes; c++) {
            texel[c] = row[c] == NULL ? 0 : row[c][l];
        }
        if (bytes == 4) {
            memcpy(host, texel, 4);
        } else {
            memcpy(host, texel, bytes == 8 ? 8 : 16);
        }
    }
    return true;
}

// SPDX-License-Identifier: MIT
// image_bvh_intersect_ray: one ray and one node of a bounding volume hierarchy.
//
// Where the guide (10.9) says nothing, this is as Mesa's emulation in shaders has it
// (radv_rt_common.c), and its layout of nodes (bvh.h):
// - Arithmetic is in single precision, to nearest even, whatever MODE says; edges of triangles that
//   come out as 0 are tried again in double.
// - A triangle that is missed gives infinity / 1. The extent does not limit triangles.
// - Nodes that are neither boxes nor triangles (instances, procedural ones), and nodes beyond SIZE,
//   give four times 0xffffffff and are not read. POINTER_FLAGS is not looked at.
#include <float.h>
#include <math.h>

#include "hw/bvh11_regs.h"
#include "isa/rdna/ops.h"
#include "model/amd/mem/mem.h"
#include "model/fp/fp_host.h"
#include "model/observer.h"
#include "tex/format.h"

enum {
    NODE_BYTES = 64,
    NODE_DWORDS = 32, // Of the biggest: boxes in singles.
    CHILDREN = 4,
    VERTICES = 5, // Of a triangle node, which holds up to four triangles.
    VA_BITS = 48,
};

/** Low three bits of a node pointer. */
enum node_type { TRIANGLE_0, TRIANGLE_1, TRIANGLE_2, TRIANGLE_3, BOX_HALF, BOX_SINGLE };

static const uint32_t nothing = UINT32_MAX;

struct bvh;

/** Read a node. False: memory refused. */
typedef bool read_fn(struct lull_wave *w, const struct bvh *b, unsigned lane, uint64_t va,
                     uint32_t *data, unsigned bytes);

struct bvh {
    const struct lull_rdna_insn *in;
    read_fn *read;
    uint64_t base, last; // Bytes; last node.
    uint32_t grow;
    bool sort, barycentrics;
};

struct ray {
    float extent, origin[3], dir[3], inverse[3];
};

/** First VGPR of each group of address registers. */
struct groups {
    unsigned node, extent, origin, dir, inverse;
    bool wide; // The node pointer has 64 bits.
};

#define FIELD(word, NAME) (((word)&LULL_BVH11_##NAME##_MASK) >> LULL_BVH11_##NAME##_SHIFT)

static struct bvh read_bvh(const struct lull_wave *w, const struct lull_rdna_insn *in,
                           read_fn *read)
{
    uint32_t d[4] = {0};
    for (unsigned i = 0; i < 4; i++) {
        d[i] = lull_mem_scalar(w, (in->sbase + i) & 127);
    }
    return (struct bvh){
        .in = in,
        .read = read,
        .base = ((uint64_t)FIELD(d[1], WORD1__BASE_ADDRESS_HI) << 32 | d[0]) << 8,
        .last = (uint64_t)FIELD(d[3], WORD3__SIZE_HI) << 32 | d[2],
        .grow = FIELD(d[1], WORD1__BOX_GROW),
        .sort = FIELD(d[1], WORD1__BOX_SORT_EN) != 0,
        .barycentrics = FIELD(d[3], WORD3__TRIANGLE_RETURN_MODE) ==
                        LULL_BVH11_WORD3__TRIANGLE_RETURN_MODE__BARYCENTRICS,
    };
}

static bool find_groups(const struct lull_wave *w, const struct lull_rdna_insn *in,
                        struct groups *ret)
{
    const unsigned node = lull_rdna_type_dwords[lull_rdna_info(in)->type[LULL_RDNA_SLOT_VADDR]];
    const unsigned sizes[] = {node, 1, 3, 3, in->a16 ? 0 : 3};
    unsigned first[5] = {0}, next = in->vaddr;
    for (unsigned i = 0; i < 5; i++) {
        first[i] = in->naddr != 0 && i < in->naddr ? in->nsa[i] : next;
        next = first[i] + sizes[i];
        if (sizes[i] != 0 && !lull_vgprs_exist(w, first[i], sizes[i])) {
            return false;
        }
    }
    const unsigned v = LULL_RDNA_VGPR0;
    *ret = (struct groups){first[0] - v, first[1] - v, first[2] - v,
                           first[3] - v, first[4] - v, node == 2};
    return lull_vgprs_exist(w, in->vdata, 4);
}

static struct ray read_ray(const struct lull_wave *w, const struct groups *g, bool a16,
                           unsigned lane)
{
    struct ray r = {.extent = lull_f32_value(lull_vgpr(w, g->extent)[lane])};
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t dir = lull_vgpr(w, g->dir + i)[lane];
        r.origin[i] = lull_f32_value(lull_vgpr(w, g->origin + i)[lane]);
        r.dir[i] = a16 ? lull_format_from_half((uint16_t)dir) : lull_f32_value(dir);
        r.inverse[i] = a16 ? lull_format_from_half((uint16_t)(dir >> 16))
                           : lull_f32_value(lull_vgpr(w, g->inverse + i)[lane]);
        // Infinity would become NaN where an edge is at the origin.
        r.inverse[i] = r.inverse[i] > FLT_MAX    ? FLT_MAX
                       : r.inverse[i] < -FLT_MAX ? -FLT_MAX
                                                 : r.inverse[i];
    }
    return r;
}

/** Corners of a child's box. */
static void read_box(const uint32_t node[NODE_DWORDS], bool half, unsigned child, float box[2][3])
{
    for (unsigned i = 0; i < 6; i++) {
        const unsigned at = 6 * child + i;
        const uint32_t pair = node[CHILDREN + at / 2];
        box[i / 3][i % 3] = half ? lull_format_from_half((uint16_t)(pair >> (at % 2 * 16)))
                                 : lull_f32_value(node[CHILDREN + at]);
    }
}

static float grown(float v, uint32_t ulps)
{
    return v > 0 && isfinite(v) ? lull_f32_value(lull_f32_bits(v) + ulps) : v;
}

/** Whether the ray meets the box before its extent. @param[out] t Where it enters. */
static bool hits_box(const struct bvh *b, const struct ray *r, float box[2][3], float *t)
{
    float enter = -INFINITY, leave = INFINITY;
    if (isnan(box[0][0])) {
        return false; // An inactive child.
    }
    for (unsigned i = 0; i < 3; i++) {
        const float p = (box[0][i] - r->origin[i]) * r->inverse[i];
        const float q = (box[1][i] - r->origin[i]) * r->inverse[i];
        enter = fmaxf(enter, fminf(p, q));
        leave = fminf(leave, fmaxf(p, q));
    }
    *t = enter;
    return grown(leave, b->grow) >= fmaxf(0, enter) && enter < r->extent;
}

static void intersect_boxes(const struct bvh *b, const struct ray *r,
                            const uint32_t node[NODE_DWORDS], bool half, uint32_t ret[4])
{
    float at[CHILDREN] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (unsigned i = 0; i < CHILDREN; i++) {
        float box[2][3] = {{0}}, t = 0;
        read_box(node, half, i, box);
        const bool hit = hits_box(b, r, box, &t);
        ret[i] = hit ? node[i] : nothing;
        at[i] = hit ? t : INFINITY;
    }
    for (unsigned i = 1; b->sort && i < CHILDREN; i++) { // Nearest first.
        for (unsigned k = i; k > 0 && at[k] < at[k - 1]; k--) {
            const float t = at[k];
            const uint32_t child = ret[k];
            at[k] = at[k - 1];
            ret[k] = ret[k - 1];
            at[k - 1] = t;
            ret[k - 1] = child;
        }
    }
}

/** Signed areas that the ray's line makes with the edges: all of one sign, or 0, if it hits. */
struct areas {
    float u, v, w;
};

static struct areas areas_of(float p[3][2])
{
    struct areas a = {.u = p[2][0] * p[1][1] - p[2][1] * p[1][0],
                      .v = p[0][0] * p[2][1] - p[0][1] * p[2][0],
                      .w = p[1][0] * p[0][1] - p[1][1] * p[0][0]};
    const bool edge = !(a.u < 0 || a.u > 0) || !(a.v < 0 || a.v > 0) || !(a.w < 0 || a.w > 0);
    if (edge) {
        const double d[3][2] = {{(double)p[0][0], (double)p[0][1]},
                                {(double)p[1][0], (double)p[1][1]},
                                {(double)p[2][0], (double)p[2][1]}};
        a.u = (float)(d[2][0] * d[1][1] - d[2][1] * d[1][0]);
        a.v = (float)(d[0][0] * d[2][1] - d[0][1] * d[2][0]);
        a.w = (float)(d[1][0] * d[0][1] - d[1][1] * d[0][0]);
    }
    return a;
}

/**
 * Watertight intersection. False: missed.
 * Source: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013.
 * @param[out] t Numerator of the distance. @param[out] part Weights of the vertices, not divided.
 */
static bool hits_triangle(const struct ray *r, float vertex[3][3], float *t, float part[3])
{
    const float x = fabsf(r->dir[0]), y = fabsf(r->dir[1]), z = fabsf(r->dir[2]);
    const unsigned kz = x >= y ? (x >= z ? 0 : 2) : y >= z ? 1 : 2;
    unsigned kx = (kz + 1) % 3, ky = (kz + 2) % 3;
    if (r->dir[kz] < 0) {
        const unsigned k = kx;
        kx = ky;
        ky = k;
    }
    const float sz = 1 / r->dir[kz], sx = r->dir[kx] * sz, sy = r->dir[ky] * sz;
    float p[3][2] = {{0}}, depth[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        const float along = vertex[i][kz] - r->origin[kz];
        p[i][0] = (vertex[i][kx] - r->origin[kx]) - sx * along;
        p[i][1] = (vertex[i][ky] - r->origin[ky]) - sy * along;
        depth[i] = sz * along;
    }
    const struct areas a = areas_of(p);
    const bool below = a.u < 0 || a.v < 0 || a.w<0, above = a.u> 0 || a.v > 0 || a.w > 0;
    const float det = a.u + (a.v + a.w);
    *t = a.u * depth[0] + a.v * depth[1] + a.w * depth[2];
    part[0] = a.u;
    part[1] = a.v;
    part[2] = a.w;
    return !(below && above) && !((det < 0 ? -*t : det > 0 ? *t : 0) < 0);
}

/** Which vertices a triangle has: the node is a fan. Source: Mesa and GPURT, layout of nodes. */
static const uint8_t corners[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};

static void intersect_triangle(const struct bvh *b, const struct ray *r,
                               const uint32_t node[NODE_DWORDS], unsigned type, uint32_t ret[4])
{
    enum { ID = 3 * VERTICES }; // Bytes for the triangles: sources of I and J, 2 bits each, flags.
    const uint32_t id = node[ID] >> 8 * type & UINT8_MAX;
    float vertex[3][3] = {{0}}, t = 0, part[4] = {0};
    for (unsigned i = 0; i < 9; i++) {
        vertex[i / 3][i % 3] = lull_f32_value(node[3u * corners[type][i / 3] + i % 3]);
    }
    const bool hit = hits_triangle(r, vertex, &t, part);
    ret[0] = lull_f32_bits(hit ? t : INFINITY);
    ret[1] = lull_f32_bits(hit ? part[0] + (part[1] + part[2]) : 1);
    if (b->barycentrics) {
        ret[2] = lull_f32_bits(hit ? part[id & 3] : 0);
        ret[3] = lull_f32_bits(hit ? part[id >> 2 & 3] : 0);
    } else {
        ret[2] = id;
        ret[3] = hit;
    }
}

static uint64_t extend_va(uint64_t va)
{
    const uint64_t sign = UINT64_C(1) << (VA_BITS - 1);
    va &= (sign << 1) - 1;
    return (va ^ sign) - sign;
}

/** read_fn for everyone. */
static bool read_plain(struct lull_wave *w, const struct bvh *b, unsigned lane, uint64_t va,
                       uint32_t *data, unsigned bytes)
{
    (void)b, (void)lane;
    return lull_vm_read(w->vm, va, data, bytes);
}

/** read_fn that tells the observers. */
static bool read_observed(struct lull_wave *w, const struct bvh *b, unsigned lane, uint64_t va,
                          uint32_t *data, unsigned bytes)
{
    const bool ok = lull_vm_read(w->vm, va, data, bytes);
    struct lull_observed at;
    lull_wave_seen(w, b->in, &at);
    for (unsigned i = 0; i < bytes; i += 16) {
        lull_wave_touch(w, &at, lane, va + i, 16, false);
    }
    return ok;
}

/** Result of one lane. False: memory refused the node. */
static bool intersect(struct lull_wave *w, const struct bvh *b, const struct ray *r, uint64_t node,
                      unsigned lane, uint32_t ret[4])
{
    const unsigned type = node & 7;
    const unsigned bytes = type == BOX_SINGLE ? 2 * NODE_BYTES : NODE_BYTES;
    const uint64_t va = extend_va(b->base + ((node & ~UINT64_C(7)) << 3));
    uint32_t data[NODE_DWORDS] = {0};
    ret[0] = ret[1] = ret[2] = ret[3] = nothing;
    if (type > BOX_SINGLE || (node >> 3 & ((UINT64_C(1) << 42) - 1)) > b->last) {
        return true;
    }
    const bool ok = b->read(w, b, lane, va, data, bytes);
    if (ok && type < BOX_HALF) {
        intersect_triangle(b, r, data, type, ret);
    } else if (ok) {
        intersect_boxes(b, r, data, type == BOX_HALF, ret);
    }
    return ok;
}

static enum lull_exec_result bvh(struct lull_wave *w, const struct lull_rdna_insn *in,
                                 read_fn *read)
{
    struct groups g = {0};
    struct lull_rows rows;
    struct lull_refused refused = {0};
    const uint64_t mask = lull_exec_mask(w);
    if (!find_groups(w, in, &g)) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint32_t saved = lull_fp_host_begin(LULL_MEM_FLOAT_MODE);
    const struct bvh b = read_bvh(w, in, read);
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const struct ray r = read_ray(w, &g, in->a16, l);
        const uint64_t hi = g.wide ? lull_vgpr(w, g.node + 1)[l] : 0;
        uint32_t ret[4] = {0};
        if (!intersect(w, &b, &r, hi << 32 | lull_vgpr(w, g.node)[l], l, ret)) {
            lull_refused_note(&refused, w);
        }
        for (unsigned i = 0; i < 4; i++) {
            rows.v[i][l] = ret[i];
        }
    }
    lull_fp_host_end(saved);
    if (!refused.any) {
        lull_rows_put(w, &lull_mem_ops[in->op], in->vdata - LULL_RDNA_VGPR0, 4, mask, &rows);
    }
    return lull_refused_end(&refused, w);
}

enum lull_exec_result lull_mem_bvh(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return bvh(w, in, read_plain);
}

enum lull_exec_result lull_mem_bvh_observed(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return bvh(w, in, read_observed);
}

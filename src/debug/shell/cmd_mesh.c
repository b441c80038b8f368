// SPDX-License-Identifier: MIT
/* dump mesh: what goes into a draw, as Wavefront OBJ. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/output.h"
#include "debug/shell/vertices.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"

enum { MOST_INDICES = 1 << 24 };

/** A file under way: positions by number, primitives that name them. */
struct lull_mesh {
    struct lull_str head, vertices, prims;
    uint32_t *sorted; ///< Indices that are used, each once, in order: positions 1, 2, 3 ...
    size_t nsorted;
    size_t nown;            ///< Positions of lull_mesh_own().
    size_t nprims, strange; ///< strange: positions that are not finite.
};

static void mesh_done(struct lull_mesh *m)
{
    lull_str_free(&m->head);
    lull_str_free(&m->vertices);
    lull_str_free(&m->prims);
    free(m->sorted);
}

static int by_value(const void *pa, const void *pb)
{
    const uint32_t a = *(const uint32_t *)pa;
    const uint32_t b = *(const uint32_t *)pb;
    return (a > b) - (a < b);
}

/* The number of the position of index @p v, from 1. */
static size_t place_of(const struct lull_mesh *m, uint32_t v)
{
    const uint32_t *at = bsearch(&v, m->sorted, m->nsorted, sizeof v, by_value);
    return at != NULL ? (size_t)(at - m->sorted) + 1 : 1;
}

static void put_prim(struct lull_mesh *m, unsigned n, const uint32_t v[3])
{
    lull_str_addf(&m->prims, "%c", "plf"[n - 1]);
    for (unsigned i = 0; i < n; i++) {
        lull_str_addf(&m->prims, " %zu", place_of(m, v[i]));
    }
    lull_str_addf(&m->prims, "\n");
    m->nprims++;
}

/** How primitives follow each other: so many vertices, the first `step` behind that of the one
 * before, and which of them are its corners. */
struct topology {
    uint8_t vertices, step, corners, corner[3];
    bool flips; ///< Every other one has its last two corners the other way round.
};

/* Source: Vulkan 1.3, 21.1 "Primitive Topologies". */
static const struct topology topologies[] = {
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__POINTLIST] = {1, 1, 1, {0}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINELIST] = {2, 2, 2, {0, 1}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINESTRIP] = {2, 1, 2, {0, 1}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRILIST] = {3, 3, 3, {0, 1, 2}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRIFAN] = {3, 1, 3, {0, 1, 2}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRISTRIP] = {3, 1, 3, {0, 1, 2}, true},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__PATCH] = {1, 1, 1, {0}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINELIST_ADJ] = {4, 4, 2, {1, 2}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINESTRIP_ADJ] = {4, 1, 2, {1, 2}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRILIST_ADJ] = {6, 6, 3, {0, 2, 4}, false},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRISTRIP_ADJ] = {6, 2, 3, {0, 2, 4}, true},
    [LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__RECTLIST] = {3, 3, 3, {0, 1, 2}, false},
};

/* Primitives of @p n indices between two restarts. */
static void put_run(struct lull_mesh *m, uint32_t type, const uint32_t *index, size_t n)
{
    static const struct topology none = {1, 1, 1, {0}, false};
    const bool fan = type == LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRIFAN;
    const struct topology *t =
        type < sizeof topologies / sizeof topologies[0] && topologies[type].vertices != 0
            ? &topologies[type]
            : &none;
    for (size_t i = 0; i + t->vertices <= n; i += t->step) {
        uint32_t v[3] = {0};
        for (unsigned k = 0; k < t->corners; k++) {
            v[k] = index[fan && k == 0 ? 0 : i + t->corner[k]];
        }
        if (t->flips && i / t->step % 2 == 1) {
            const uint32_t swap = v[1];
            v[1] = v[2];
            v[2] = swap;
        }
        put_prim(m, t->corners, v);
    }
}

static void put_position(struct lull_mesh *m, const float p[3])
{
    const bool finite = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
    m->strange += !finite;
    lull_str_addf(&m->vertices, "v %.9g %.9g %.9g\n", finite ? (double)p[0] : 0,
                  finite ? (double)p[1] : 0, finite ? (double)p[2] : 0);
}

struct lull_mesh *lull_mesh_new(void)
{
    return calloc(1, sizeof(struct lull_mesh));
}

void lull_mesh_free(struct lull_mesh **m)
{
    if (*m != NULL) {
        mesh_done(*m);
    }
    free(*m);
}

void lull_mesh_own(struct lull_mesh *m, unsigned corners, float p[][3])
{
    lull_str_addf(&m->prims, "%c", "plf"[corners - 1]);
    for (unsigned i = 0; i < corners; i++) {
        put_position(m, p[i]);
        lull_str_addf(&m->prims, " %zu", ++m->nown);
    }
    lull_str_addf(&m->prims, "\n");
    m->nprims++;
}

LULL_MUST_USE static struct lull_error *write_mesh(struct lull_cmd *c, const char *file,
                                                   struct lull_mesh *m, size_t nvertices)
{
    struct lull_output o = {0};
    if (m->head.err != NULL || m->vertices.err != NULL || m->prims.err != NULL) {
        return &lull_enomem;
    }
    if (m->strange != 0) {
        lull_str_addf(&m->head, "# %zu positions are not finite, and written as 0 0 0\n",
                      m->strange);
    }
    struct lull_error *err = lull_output_open(&o, file);
    err = err != NULL ? err : lull_output_put(&o, lull_str_text(&m->head), m->head.size);
    err = err != NULL ? err : lull_output_put(&o, lull_str_text(&m->vertices), m->vertices.size);
    err = err != NULL ? err : lull_output_put(&o, lull_str_text(&m->prims), m->prims.size);
    err = err != NULL ? err : lull_output_keep(&o);
    lull_output_done(&o);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%zu vertices, %zu primitive%s to %s\n", nvertices, m->nprims,
                  m->nprims == 1 ? "" : "s", file);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", file);
        lull_json_put_u64(c->json, "vertices", nvertices);
        lull_json_put_u64(c->json, "primitives", m->nprims);
    }
    return NULL;
}

struct lull_error *lull_mesh_write(struct lull_cmd *c, const char *file, const char *head,
                                   struct lull_mesh *m)
{
    lull_str_addf(&m->head, "%s", head);
    return write_mesh(c, file, m, m->nown);
}

/* All indices of the draw, for free(). */
LULL_MUST_USE static struct lull_error *read_indices(struct lull_debug *d,
                                                     const struct lull_draw_info *i, uint32_t **ret)
{
    if (i->count > MOST_INDICES) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%" PRIu32 " vertices are too many (%u)",
                              i->count, MOST_INDICES);
    }
    uint32_t *all = calloc((size_t)i->count + 1, sizeof *all);
    struct lull_error *err = all == NULL ? &lull_enomem : NULL;
    for (uint32_t n = 0; err == NULL && n < i->count; n++) {
        err = lull_draw_index(d->target, i, n, &all[n]);
    }
    if (err != NULL) {
        free(all);
        return lull_error_in(err, "indices");
    }
    *ret = all;
    return NULL;
}

/* The index that begins a new strip; UINT64_MAX: none does. */
static uint64_t restart_of(const struct lull_draw_info *i, const struct lull_draw_regs *r)
{
    const uint32_t on = lull_get(lull_draw_reg(r, LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN),
                                 LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN__RESET_EN_MASK);
    const uint32_t index = lull_draw_reg(r, LULL_DRAW11_VGT_MULTI_PRIM_IB_RESET_INDX);
    return on == 0 || i->index_bytes == 0 ? UINT64_MAX
           : i->index_bytes < 4           ? index & ((1u << 8 * i->index_bytes) - 1)
                                          : index;
}

/* Indices that are used, each once, and their positions. */
LULL_MUST_USE static struct lull_error *put_positions(struct lull_debug *d, struct lull_mesh *m,
                                                      const struct lull_vertex_element *e,
                                                      bool integer)
{
    for (size_t i = 0; i < m->nsorted; i++) {
        uint32_t value[4] = {0};
        float p[3] = {0};
        struct lull_error *err = lull_vertex_read(d->target, e, m->sorted[i], value);
        if (err != NULL && lull_error_code(err) != LULL_ERR_NOT_FOUND) {
            return err;
        }
        lull_error_free(err); // behind the end: the shader reads 0, too
        for (unsigned k = 0; k < 3; k++) {
            memcpy(&p[k], &value[k], sizeof p[k]);
            p[k] = integer ? (float)(int32_t)value[k] : p[k];
        }
        put_position(m, p);
    }
    return NULL;
}

/* Which element has the positions: location 0, else the first of each vertex. */
static unsigned position_element(const struct lull_vertices *v)
{
    for (unsigned k = 0; k < v->n; k++) {
        if (v->location[k] == 0 && v->element[k].rate == LULL_RATE_VERTEX) {
            return k;
        }
    }
    unsigned k = 0;
    while (k < v->n && v->element[k].rate != LULL_RATE_VERTEX) {
        k++;
    }
    return k;
}

LULL_MUST_USE static struct lull_error *fill(struct lull_debug *d, const struct lull_draw_info *i,
                                             const struct lull_draw_regs *r,
                                             const struct lull_vertices *v, struct lull_mesh *m)
{
    lull_cleanup(lull_freep) uint32_t *index = NULL;
    const unsigned k = position_element(v);
    const uint64_t restart = restart_of(i, r);
    const uint32_t type = lull_get(lull_draw_reg(r, LULL_DRAW11_VGT_PRIMITIVE_TYPE),
                                   LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE_MASK);
    struct lull_error *err = read_indices(d, i, &index);
    m->sorted = err == NULL ? calloc((size_t)i->count + 1, sizeof *m->sorted) : NULL;
    if (err != NULL || m->sorted == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    size_t n = 0;
    for (uint32_t at = 0; at < i->count; at++) {
        m->sorted[n] = index[at];
        n += index[at] != restart;
    }
    qsort(m->sorted, n, sizeof *m->sorted, by_value);
    for (size_t at = 0; at < n; at++) {
        if (at == 0 || m->sorted[at] != m->sorted[at - 1]) {
            m->sorted[m->nsorted++] = m->sorted[at];
        }
    }
    err = put_positions(d, m, &v->element[k], v->integer[k]);
    for (uint32_t at = 0, start = 0; err == NULL && at <= i->count; at++) {
        if (at == i->count || index[at] == restart) {
            put_run(m, type, &index[start], at - start);
            start = at + 1;
        }
    }
    return err;
}

struct lull_error *lull_debug_dump_mesh(struct lull_cmd *c, const char *file)
{
    lull_cleanup(lull_freep) struct lull_draw_regs *r = calloc(1, sizeof *r);
    lull_cleanup(lull_freep) struct lull_vertices *v = calloc(1, sizeof *v);
    lull_cleanup(mesh_done) struct lull_mesh m = {0};
    struct lull_draw_info i = {0};
    if (r == NULL || v == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debug_the_draw(c->d, &i, r);
    err = err != NULL ? err : lull_debug_vertices(c->d, &i, r, v);
    if (err != NULL) {
        return err;
    }
    const unsigned k = position_element(v);
    if (k == v->n) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "draw %" PRIu64 " reads no vertex buffer: what its shaders make of "
                              "it is in 'dump mesh after'",
                              i.number);
    }
    lull_cleanup(lull_str_free) struct lull_str format = {0};
    lull_vertex_format(&v->element[k], v->integer[k], &format);
    lull_str_addf(&m.head,
                  "# draw %" PRIu64 ", %s: positions as they go in, element %u, %s\no draw%" PRIu64
                  "\n",
                  i.number, lull_draw_topology(r), k, lull_str_text(&format), i.number);
    err = fill(c->d, &i, r, v, &m);
    return err != NULL ? err : write_mesh(c, file, &m, m.nsorted);
}

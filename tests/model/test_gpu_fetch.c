// SPDX-License-Identifier: MIT
// Indices to primitives: every topology, which vertex provokes, restart, what is beyond the buffer,
// where subgroups end. The primitives that rows want are those of the tables of Vulkan 1.3,
// "Primitive Topologies" and "Provoking vertex"; of GL 4.6 table 10.1 where the last one provokes.
#include <inttypes.h>
#include <stdio.h>

#include "gpu_fixture.h"
#include "model/amd/gfx/gfx.h"
#include "test.h"

enum {
    INDICES = 0x1000, // in the mapping
    GS = 1 << 5,      // VGT_SHADER_STAGES_EN
    LAST = 1 << 19,   // PA_SU_SC_MODE_CNTL
    RESTART = 1,
    NO_REUSE = 1 << 2,
    ALL = 0xff << 9 | 0xff, // GE_CNTL
};

#define PRIM(name) LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__##name

/** "a b c, d e f | g": primitives by the indices of their vertices, subgroups apart by bars. */
struct row {
    const char *name;
    uint32_t type, stages, mode, restart, limits;
    uint32_t bytes, count, max;
    const char *indices;
    const char *want;
};

static const struct row rows[] = {
    {"points", PRIM(POINTLIST), 0, 0, 0, ALL, 0, 3, 0, "", "0, 1, 2"},
    {"lines, one over", PRIM(LINELIST), 0, 0, 0, ALL, 0, 5, 0, "", "0 1, 2 3"},
    {"line strip", PRIM(LINESTRIP), 0, 0, 0, ALL, 0, 4, 0, "", "0 1, 1 2, 2 3"},
    {"triangles, two over", PRIM(TRILIST), 0, 0, 0, ALL, 0, 8, 0, "", "0 1 2, 3 4 5"},
    {"strip", PRIM(TRISTRIP), 0, 0, 0, ALL, 0, 6, 0, "", "0 1 2, 1 3 2, 2 3 4, 3 5 4"},
    {"strip, last", PRIM(TRISTRIP), 0, LAST, 0, ALL, 0, 6, 0, "", "0 1 2, 2 1 3, 2 3 4, 4 3 5"},
    {"fan", PRIM(TRIFAN), 0, 0, 0, ALL, 0, 5, 0, "", "1 2 0, 2 3 0, 3 4 0"},
    {"fan, last", PRIM(TRIFAN), 0, LAST, 0, ALL, 0, 5, 0, "", "0 1 2, 0 2 3, 0 3 4"},
    {"rectangles", PRIM(RECTLIST), 0, 0, 0, ALL, 0, 6, 0, "", "0 1 2, 3 4 5"},
    {"too few", PRIM(TRISTRIP), 0, 0, 0, ALL, 0, 2, 0, "", ""},
    // with a geometry shader all vertices, without it those that are not adjacent
    {"lines, adjacency", PRIM(LINELIST_ADJ), GS, 0, 0, ALL, 0, 8, 0, "", "0 1 2 3, 4 5 6 7"},
    {"lines without", PRIM(LINELIST_ADJ), 0, 0, 0, ALL, 0, 8, 0, "", "1 2, 5 6"},
    {"line strip, adjacency", PRIM(LINESTRIP_ADJ), GS, 0, 0, ALL, 0, 6, 0, "",
     "0 1 2 3, 1 2 3 4, 2 3 4 5"},
    {"line strip without", PRIM(LINESTRIP_ADJ), 0, 0, 0, ALL, 0, 6, 0, "", "1 2, 2 3, 3 4"},
    {"triangles, adjacency", PRIM(TRILIST_ADJ), GS, 0, 0, ALL, 0, 12, 0, "",
     "0 1 2 3 4 5, 6 7 8 9 10 11"},
    {"triangles without", PRIM(TRILIST_ADJ), 0, 0, 0, ALL, 0, 12, 0, "", "0 2 4, 6 8 10"},
    {"strip, adjacency, one", PRIM(TRISTRIP_ADJ), GS, 0, 0, ALL, 0, 7, 0, "", "0 1 2 5 4 3"},
    {"strip, adjacency, two", PRIM(TRISTRIP_ADJ), GS, 0, 0, ALL, 0, 8, 0, "",
     "0 1 2 6 4 3, 4 0 2 5 6 7"},
    {"strip, adjacency, four", PRIM(TRISTRIP_ADJ), GS, 0, 0, ALL, 0, 12, 0, "",
     "0 1 2 6 4 3, 4 0 2 5 6 8, 4 2 6 10 8 7, 8 4 6 9 10 11"},
    {"strip without", PRIM(TRISTRIP_ADJ), 0, 0, 0, ALL, 0, 10, 0, "", "0 2 4, 2 6 4, 4 6 8"},
    {"strip without, last", PRIM(TRISTRIP_ADJ), 0, LAST, 0, ALL, 0, 10, 0, "",
     "0 2 4, 4 2 6, 4 6 8"},
    // indices of each size, beyond the buffer 0
    {"bytes", PRIM(TRILIST), 0, 0, 0, ALL, 1, 3, 3, "200 7 255", "200 7 255"},
    {"two bytes", PRIM(TRILIST), 0, 0, 0, ALL, 2, 3, 3, "200 700 65535", "200 700 65535"},
    {"four bytes", PRIM(TRILIST), 0, 0, 0, ALL, 4, 3, 3, "4294967295 700 65536",
     "4294967295 700 65536"},
    {"beyond the buffer", PRIM(TRILIST), 0, 0, 0, ALL, 2, 6, 4, "1 2 3 4 5 6", "1 2 3, 4 0 0"},
    // restart: of the index's bits, and of all if asked for
    {"restart", PRIM(TRISTRIP), 0, 0, RESTART, ALL, 2, 9, 9, "1 2 3 4 65535 5 6 7 8",
     "1 2 3, 2 4 3, 5 6 7, 6 8 7"},
    {"restart in a list", PRIM(TRILIST), 0, 0, RESTART, ALL, 2, 8, 8, "1 2 65535 3 4 5 6 7",
     "3 4 5"},
    {"restart of fans", PRIM(TRIFAN), 0, 0, RESTART, ALL, 1, 8, 8, "1 2 3 255 4 5 6 7",
     "2 3 1, 5 6 4, 6 7 4"},
    {"restart again and again", PRIM(LINESTRIP), 0, 0, RESTART, ALL, 1, 6, 6, "255 255 1 2 255 3",
     "1 2"},
    {"restart not asked for", PRIM(TRILIST), 0, 0, 0, ALL, 1, 3, 3, "1 255 2", "1 255 2"},
    {"restart of all bits", PRIM(TRILIST), 0, 0, RESTART | 2, ALL, 1, 3, 3, "1 255 2", "1 255 2"},
    {"restart, adjacency", PRIM(TRISTRIP_ADJ), GS, 0, RESTART, ALL, 1, 15, 15,
     "1 2 3 4 5 6 255 11 12 13 14 15 16 17 18",
     "1 2 3 6 5 4, 11 12 13 17 15 14, 15 11 13 16 17 18"},
    // subgroups: so many primitives, so many vertices, at least one primitive
    {"two primitives", PRIM(TRISTRIP), 0, 0, 0, 0xff << 9 | 2, 0, 7, 0, "",
     "0 1 2, 1 3 2 | 2 3 4, 3 5 4 | 4 5 6"},
    {"seven vertices", PRIM(TRILIST), 0, 0, 0, 7 << 9 | 0xff, 0, 9, 0, "", "0 1 2, 3 4 5 | 6 7 8"},
    {"one vertex", PRIM(TRILIST), 0, 0, 0, 1 << 9 | 1, 0, 6, 0, "", "0 1 2 | 3 4 5"},
};

/** Numbers of @p text, in elements of @p bytes. */
static void put_indices(const struct fixture *f, const char *text, uint32_t bytes)
{
    uint8_t *to = fixture_mem(f, INDICES);
    char *end = NULL;
    for (uint32_t v = (uint32_t)strtoul(text, &end, 10); end != text;
         v = (uint32_t)strtoul(text, &end, 10)) {
        memcpy(to, &v, bytes);
        to += bytes;
        text = end;
    }
}

static void set(const struct fixture *f, uint32_t reg, uint32_t value)
{
    f->g->mmio[reg / 4] = value;
}

/** Registers of @p r, and the draw. */
static void begin(struct fixture *f, struct lull_gfx *x, const struct row *r)
{
    f->g->gfx = x;
    set(f, LULL_DRAW11_VGT_PRIMITIVE_TYPE, r->type);
    set(f, LULL_DRAW11_VGT_SHADER_STAGES_EN, r->stages);
    set(f, LULL_DRAW11_PA_SU_SC_MODE_CNTL, r->mode);
    set(f, LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN, r->restart);
    set(f, LULL_DRAW11_VGT_MULTI_PRIM_IB_RESET_INDX, UINT32_MAX);
    set(f, LULL_DRAW11_GE_CNTL, r->limits);
    x->call = (struct lull_gfx_call){.index_va = FIXTURE_VA + INDICES,
                                     .index_bytes = r->bytes,
                                     .max_indices = r->max,
                                     .count = r->count,
                                     .instances = 1};
    put_indices(f, r->indices, r->bytes);
}

static void add_text(char *to, size_t size, const char *text)
{
    snprintf(to + strlen(to), size - strlen(to), "%s", text);
}

/** The subgroup, each primitive's first @p n vertices. */
static void show(const struct lull_gfx_subgroup *s, unsigned n, char *to, size_t size)
{
    for (uint32_t i = 0; i < s->nprims; i++) {
        add_text(to, size, i == 0 ? "" : ", ");
        for (unsigned k = 0; k < n; k++) {
            char one[16] = {0};
            snprintf(one, sizeof one, "%s%" PRIu32, k == 0 ? "" : " ", s->vertex[s->prim[i][k]]);
            add_text(to, size, one);
        }
    }
}

/** Vertices of a primitive in @p text. */
static unsigned corners(const char *text)
{
    unsigned n = 1;
    for (; *text != 0 && *text != ',' && *text != '|'; text++) {
        n += *text == ' ' && text[1] != '|';
    }
    return n;
}

static void test_row(const struct row *r)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gfx *x = calloc(1, sizeof *x);
    struct lull_cp cp = {.g = f.g, .vm = &f.g->vm[FIXTURE_VMID]};
    char got[512] = {0};
    unsigned n = 0, ids = 0;
    if (x == NULL) {
        abort();
    }
    begin(&f, x, r);
    while (lull_gfx_fetch(&cp) == LULL_GFX_LAUNCHED && n++ < 9) {
        add_text(got, sizeof got, n == 1 ? "" : " | ");
        show(&x->sub, corners(r->want), got, sizeof got);
        for (uint32_t i = 0; i < x->sub.nprims; i++) {
            ids += x->sub.prim_id[i] != f.g->counters.ia_primitives - x->sub.nprims + i;
        }
    }
    test_case(strcmp(got, r->want) == 0, r->name, "\"%s\", want \"%s\"", got, r->want);
    test_case(ids == 0, r->name, "%u primitive ids wrong", ids);
    f.g->gfx = NULL;
    free(x);
    fixture_free(&f);
}

/** A strip shares vertices, unless told not to; instances and invocations. */
static void test_threads(void)
{
    static const struct {
        const char *name;
        uint32_t ids, stages, gs_instances, instances;
        uint32_t vertices, prims, subgroups; // of the first subgroup; in all
        uint32_t invocation;                 // of the first subgroup's last thread
    } t[] = {
        {"shared", 0, 0, 0, 1, 8, 6, 1, 0},
        {"not shared", NO_REUSE, 0, 0, 1, 18, 6, 1, 0},
        {"three instances", 0, 0, 0, 3, 8, 6, 3, 0},
        {"four invocations", 0, GS, 1 | 4 << 2, 1, 8, 24, 1, 3},
        {"not of a geometry shader", 0, 0, 1 | 4 << 2, 1, 8, 6, 1, 0},
        {"invocations on their own", 0, GS, 1 | 4 << 2 | 1u << 31, 1, 3, 1, 24, 0},
    };
    for (size_t i = 0; i < TEST_ROWS(t); i++) {
        const struct row r = {"", PRIM(TRISTRIP), t[i].stages, 0, 0, ALL, 0, 8, 0, "", ""};
        struct fixture f = fixture_new(0, 1, 1, 1);
        struct lull_gfx *x = calloc(1, sizeof *x);
        struct lull_cp cp = {.g = f.g, .vm = &f.g->vm[FIXTURE_VMID]};
        uint32_t n = 0, nv = 0, np = 0, invocation = 0, wrong = 0;
        if (x == NULL) {
            abort();
        }
        begin(&f, x, &r);
        set(&f, LULL_DRAW11_VGT_PRIMITIVEID_EN, t[i].ids);
        set(&f, LULL_DRAW11_VGT_GS_INSTANCE_CNT, t[i].gs_instances);
        x->call.instances = t[i].instances;
        for (; n < 99 && lull_gfx_fetch(&cp) == LULL_GFX_LAUNCHED; n++) {
            nv = n == 0 ? x->sub.nvertices : nv;
            np = n == 0 ? x->sub.nprims : np;
            invocation = n == 0 ? x->sub.invocation[np - 1] : invocation;
            wrong += t[i].instances > 1 && (x->sub.instance != n || x->sub.prim_id[0] != 0);
        }
        test_case(nv == t[i].vertices && np == t[i].prims && n == t[i].subgroups && wrong == 0 &&
                      invocation == t[i].invocation,
                  t[i].name, "%u vertices, %u primitives, %u subgroups, invocation %u, %u wrong",
                  nv, np, n, invocation, wrong);
        f.g->gfx = NULL;
        free(x);
        fixture_free(&f);
    }
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    test_threads();
    return test_end();
}

// SPDX-License-Identifier: MIT
// image_bvh_intersect_ray. Expected values: rays against boxes and triangles by the usual formulas
// in double; layout of nodes as Mesa's bvh.h has it.
#include <math.h>
#include <stdint.h>

#include "img_bvh_rows.h"
#include "wave_fixture.h"

enum { NODES = 0x1000, DATA = 20 };
#define MISS UINT32_MAX
enum { TRIANGLE = 0, BOX_HALF = 4, BOX = 5, INSTANCE = 6 };

static const char *const narrow = ASM("image_bvh_intersect_ray v[20:23], v[0:10], s[0:3]");
static const char *const wide = ASM("image_bvh64_intersect_ray v[20:23], v[0:11], s[0:3]");
static const char *const nsa =
    ASM("image_bvh64_intersect_ray v[20:23], [v[0:1], v2, v[3:5], v[6:8], v[9:11]], s[0:3]");
static const char *const halves = ASM("image_bvh_intersect_ray v[20:23], v[0:7], s[0:3] a16");

/** Box sorting on, barycentrics, as RADV has it, but for the base. */
static void bind(struct fixture *f, bool sort, bool barycentrics)
{
    const uint64_t va = FIX_VA + NODES;
    f->w.sgpr[0] = (uint32_t)(va >> 8);
    f->w.sgpr[1] = (uint32_t)(va >> 40 & 0xff) | (uint32_t)sort << 31;
    f->w.sgpr[2] = 63;
    f->w.sgpr[3] = 8u << 28 | (uint32_t)barycentrics << 24;
}

static void put_f(struct fixture *f, unsigned reg, unsigned lane, double v)
{
    const float single = (float)v;
    memcpy(&fix_v(f, reg)[lane], &single, 4);
}

static double get_f(struct fixture *f, unsigned reg, unsigned lane)
{
    float v = 0;
    memcpy(&v, &fix_v(f, reg)[lane], 4);
    return (double)v;
}

/** Node, extent, origin, direction, inverse direction; @p first VGPR after the node. */
static void ray(struct fixture *f, unsigned lane, unsigned first, const double v[7])
{
    for (unsigned i = 0; i < 7; i++) {
        put_f(f, first + i, lane, v[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        put_f(f, first + 7 + i, lane, 1 / v[4 + i]);
    }
}

static void put_node(struct fixture *f, unsigned node, unsigned dword, const float *v, unsigned n)
{
    memcpy(fix_at(f, NODES + 64 * node + 4 * dword), v, 4ull * n);
}

static void put_id(struct fixture *f, unsigned node, unsigned dword, uint32_t v)
{
    memcpy(fix_at(f, NODES + 64 * node + 4 * dword), &v, 4);
}

static void test_boxes(struct fixture *f)
{
    static const float boxes[4][6] = {
        {4, -1, -1, 5, 1, 1}, {2, -1, -1, 3, 1, 1}, {NAN, 0, 0, 0, 0, 0}, {6, 5, 5, 7, 6, 6}};
    for (unsigned i = 0; i < 4; i++) {
        put_id(f, 2, i, 0x100 + i);
        put_node(f, 2, 4 + 6 * i, boxes[i], 6);
    }
    static const struct {
        const char *name;
        double ray[7];
        bool sort;
        uint32_t want[4];
    } rows[] = {
        {"boxes, the nearer one first", {100, 0, 0, 0, 1, 0, 0}, true, {0x101, 0x100, MISS, MISS}},
        {"boxes, not sorted", {100, 0, 0, 0, 1, 0, 0}, false, {0x100, 0x101, MISS, MISS}},
        {"boxes from the other side", {100, 10, 0, 0, -1, 0, 0}, true, {0x100, 0x101, MISS, MISS}},
        {"boxes behind the extent", {3, 0, 0, 0, 1, 0, 0}, true, {0x101, MISS, MISS, MISS}},
        {"boxes behind the origin", {100, 5.5, 0, 0, 1, 0, 0}, true, {MISS, MISS, MISS, MISS}},
        {"from inside a box", {100, 4.5, 0, 0, 0, 1, 0}, true, {0x100, MISS, MISS, MISS}},
        {"a slanting ray", {100, 0, 0, 0, 6.5, 5.5, 5.5}, true, {0x103, MISS, MISS, MISS}},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        bind(f, rows[i].sort, true);
        fix_v(f, 0)[5] = 2 << 3 | BOX;
        ray(f, 5, 1, rows[i].ray);
        const enum lull_exec_result r = fix_run(f, narrow);
        unsigned k = 0;
        while (k < 4 && fix_v(f, DATA + k)[5] == rows[i].want[k]) {
            k++;
        }
        test_case(r == LULL_EXEC_NEXT && k == 4, rows[i].name, "result %d, v%u is %x", (int)r,
                  DATA + k, fix_v(f, DATA + k % 4)[5]);
    }
}

static void test_half_boxes(struct fixture *f)
{
    static const uint16_t box[6] = {0x4000, 0xbc00, 0xbc00,
                                    0x4200, 0x3c00, 0x3c00}; // 2 -1 -1 3 1 1
    static const uint16_t off[18] = {0x7e00, 0, 0, 0, 0, 0, 0x7e00, 0, 0, 0, 0, 0, 0x7e00};
    put_id(f, 4, 0, 0x200);
    memcpy(fix_at(f, NODES + 64 * 4 + 16), box, 12);
    memcpy(fix_at(f, NODES + 64 * 4 + 28), off, 36);
    bind(f, true, true);
    fix_v(f, 0)[5] = 4 << 3 | BOX_HALF;
    ray(f, 5, 1, (double[]){100, 0, 0, 0, 1, 0, 0});
    fix_run(f, narrow);
    test_case(fix_v(f, DATA)[5] == 0x200 && fix_v(f, DATA + 1)[5] == MISS, "boxes of halves",
              "%x %x", fix_v(f, DATA)[5], fix_v(f, DATA + 1)[5]);
    fix_v(f, 5)[5] = 0x3c00 | 0x3c00 << 16; // Direction and inverse as halves: 1 0 0.
    fix_v(f, 6)[5] = fix_v(f, 7)[5] = 0x7c00 << 16;
    fix_run(f, halves);
    test_case(fix_v(f, DATA)[5] == 0x200, "A16", "%x", fix_v(f, DATA)[5]);
}

/** Distance and weights of the second and third vertex, as Cramer's rule gives them. */
static bool reference(float p[3][3], const double r[7], double out[3])
{
    double e1[3] = {0}, e2[3] = {0}, s[3] = {0}, h[3] = {0}, q[3] = {0};
    const double *d = r + 4;
    for (unsigned i = 0; i < 3; i++) {
        e1[i] = (double)p[1][i] - (double)p[0][i];
        e2[i] = (double)p[2][i] - (double)p[0][i];
        s[i] = r[1 + i] - (double)p[0][i];
    }
    for (unsigned i = 0; i < 3; i++) {
        const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        h[i] = d[j] * e2[k] - d[k] * e2[j];
        q[i] = s[j] * e1[k] - s[k] * e1[j];
    }
    const double det = e1[0] * h[0] + e1[1] * h[1] + e1[2] * h[2];
    out[1] = (s[0] * h[0] + s[1] * h[1] + s[2] * h[2]) / det;
    out[2] = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    out[0] = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / det;
    return out[1] >= 0 && out[2] >= 0 && out[1] + out[2] <= 1 && out[0] >= 0;
}

static double random_unit(struct fixture *f)
{
    return (double)(fix_random(f) & 0xffff) / 32768 - 1;
}

static void test_triangles(struct fixture *f)
{
    unsigned hits = 0, bad = 0;
    bind(f, true, true);
    for (unsigned n = 0; n < 2000; n++) {
        float p[3][3] = {{0}};
        double r[7] = {100}, want[3] = {0};
        for (unsigned i = 0; i < 9; i++) {
            p[i / 3][i % 3] = (float)random_unit(f);
        }
        for (unsigned i = 1; i < 7; i++) {
            r[i] = (double)(float)random_unit(f);
        }
        put_node(f, 6, 0, p[0], 9);
        put_id(f, 6, 15, 9); // I of vertex 1, J of vertex 2.
        fix_v(f, 0)[9] = 6 << 3 | TRIANGLE;
        fix_v(f, 1)[9] = 0;
        ray(f, 9, 2, r);
        fix_run(f, n % 2 == 0 ? wide : nsa);
        const bool hit = reference(p, r, want);
        const double det = get_f(f, DATA + 1, 9), t = get_f(f, DATA, 9) / det;
        const bool edge = fabs(want[1]) < 1e-5 || fabs(want[2]) < 1e-5 ||
                          fabs(want[1] + want[2] - 1) < 1e-5 || fabs(want[0]) < 1e-5;
        hits += hit;
        if (edge) {
            continue;
        }
        bad += hit ? fabs(t - want[0]) > 1e-3 * (1 + fabs(want[0])) ||
                         fabs(get_f(f, DATA + 2, 9) / det - want[1]) > 1e-3 ||
                         fabs(get_f(f, DATA + 3, 9) / det - want[2]) > 1e-3
                   : isfinite(t);
    }
    test_case(bad == 0 && hits > 50, "random rays and triangles", "%u of %u hits wrong", bad, hits);
}

static void test_fan(struct fixture *f)
{
    // Five vertices around: the four triangles of a node.
    static const float fan[5][3] = {{-1, 0, 5}, {0, 2, 5}, {0, 0, 5}, {2, 1, 5}, {0, -3, 5}};
    static const double at[4][2] = {{-0.2, 0.5}, {0.5, 0.9}, {0.5, -0.5}, {-0.2, -0.5}};
    put_node(f, 8, 0, fan[0], 15);
    put_id(f, 8, 15, 0x44332211);
    bind(f, true, false);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < 4; k++) {
            fix_v(f, 0)[k] = 8 << 3 | k;
            ray(f, k, 1, (double[]){100, at[i][0], at[i][1], 0, 0, 0, 1});
        }
        fix_run(f, narrow);
        unsigned k = 0;
        while (k < 4 && (fix_v(f, DATA + 3)[k] == 1) == (k == i) &&
               fix_v(f, DATA + 2)[k] == 0x11 * (k + 1)) {
            k++;
        }
        test_case(k == 4, "the four triangles of a node, id and status", "ray %u, triangle %u: %x",
                  i, k, fix_v(f, DATA + 3)[k % 4]);
    }
}

static void test_others(struct fixture *f)
{
    bind(f, true, true);
    fix_v(f, 0)[0] = 2 << 3 | INSTANCE;
    fix_v(f, 0)[1] = 64 << 3 | BOX;
    fix_v(f, 0)[2] = MISS;
    f->w.sgpr[LULL_RDNA_EXEC] = 7;
    fix_v(f, DATA)[3] = 77;
    fix_run(f, narrow);
    test_case(fix_v(f, DATA)[0] == MISS, "an instance", "%x", fix_v(f, DATA)[0]);
    test_case(fix_v(f, DATA + 3)[1] == MISS, "a node beyond SIZE", "%x", fix_v(f, DATA + 3)[1]);
    test_case(fix_v(f, DATA + 1)[2] == MISS && fix_v(f, DATA)[3] == 77, "no node; EXEC", "%x",
              fix_v(f, DATA + 1)[2]);
    f->w.sgpr[2] = MISS;
    fix_v(f, 0)[2] = 0x10000 << 3 | BOX;
    test_case(fix_run(f, narrow) == LULL_EXEC_MEMORY && f->nfaults == 1, "memory refuses a node",
              "%u", f->nfaults);
}

struct seen {
    struct lull_observer o;
    unsigned n, lane5, wrong;
    uint64_t first, last;
};

static void see(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                uint64_t address, size_t size, int store)
{
    struct seen *s = (struct seen *)o;
    s->first = s->n == 0 ? address : s->first;
    s->last = address;
    s->n++;
    s->lane5 += lane == 5;
    s->wrong += size != 16 || store != 0 || at->active != (1 << 1 | 1 << 5);
}

/** Nodes are told in pieces of 16 bytes: triangles have 64, boxes of singles 128 (rdna3 10.9). */
static void test_watched(struct fixture *f)
{
    struct seen s = {.o = {.access = see}};
    uint32_t before[4][32];
    bind(f, true, true);
    f->w.sgpr[LULL_RDNA_EXEC] = 1 << 1 | 1 << 5;
    fix_v(f, 0)[1] = 3 << 3;
    fix_v(f, 0)[5] = 6 << 3 | BOX;
    ray(f, 1, 1, (double[]){100, 0, 0, 0, 1, 2, 3});
    ray(f, 5, 1, (double[]){100, 0, 0, 0, 1, 2, 3});
    fix_run(f, narrow);
    memcpy(before, fix_v(f, DATA), sizeof before);
    lull_wave_observe(&f->w, &s.o);
    fix_run(f, narrow);
    lull_wave_observe(&f->w, NULL);
    test_case(memcmp(before, fix_v(f, DATA), sizeof before) == 0, "watched", "it differs");
    test_case(s.n == 12 && s.lane5 == 8 && s.wrong == 0 && s.first == FIX_VA + NODES + 3 * 64 &&
                  s.last == FIX_VA + NODES + 6 * 64 + 112,
              "nodes told", "%u, of lane 5 %u, wrong %u, 0x%llx to 0x%llx", s.n, s.lane5, s.wrong,
              (unsigned long long)s.first, (unsigned long long)s.last);
}

int main(void)
{
    struct fixture *f = fix_new(32, 5);
    test_boxes(f);
    test_half_boxes(f);
    test_triangles(f);
    test_fan(f);
    test_watched(f);
    test_others(f);
    fix_free(f);
    return test_end();
}

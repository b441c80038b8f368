// SPDX-License-Identifier: MIT
// Textures through samplers on Adreno: single instructions on a wave, against what Vulkan 1.3,
// chapter "Image operations", makes of the same texels. Descriptors: Mesa a6xx.xml, A6XX_TEX_CONST
// and A6XX_TEX_SAMP; order of operands: Mesa ir3_compiler_nir.c, emit_tex().
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ir3/ir3.h"
#include "model/adreno/exec/texture.h"
#include "test.h"

#define BASE 0x100000000ull
/** Texel x, y of a layer of a level of the images of R32_FLOAT. */
#define V(level, x, y, z) (1.0 + (x) * (x) + 7 * (y) + 31 * (z) + 100 * (level))

enum {
    SIZE = 1 << 16,
    GEN = 660,
    LANES = 64,
    TEXTURES = 0x100, ///< In memory.
    SAMPLERS = 0x800,
    HEAP = 0x1000,
    BORDERS = 0x2000,
    IMAGE = 0x4000,
    SMALL = 0xf000, ///< Images of a few bytes.
    NSAMPLERS = 4,
};

/* Fields of samplers. */
enum {
    MIP_LINEAR = 1,
    MAG = 1 << 1,
    MIN = 1 << 3,
    BOTH = MAG | MIN,
    ANISO4 = 2 << 1 | 2 << 3 | 2 << 14,
    REPEAT = 0,
    EDGE = 1 << 5 | 1 << 8 | 1 << 11,
    MIRROR = 2 << 5 | 2 << 8 | 2 << 11,
    BORDER = 3 << 5 | 3 << 8 | 3 << 11,
    MIRROR_EDGE = 4 << 5 | 4 << 8 | 4 << 11,
    LESS = 1 << 1,
    GREATER_EQUAL = 6 << 1,
    NOT_SEAMLESS = 1 << 4,
    UNNORMALIZED = 1 << 5,
    ONE_LEVEL = 1 << 6,
    MAX_LOD = 0xfff << 8,
    MINIMUM = 1,
    MAXIMUM = 2,
};

/* Fields of textures. */
enum { D1, D2, CUBE, D3 };
enum { XYZW = 0 | 1 << 7 | 2 << 10 | 3 << 13, ZXXW = 2 << 4 | 0 << 7 | 0 << 10 | 3 << 13 };
enum { X01Y = 0 | 4 << 7 | 5 << 10 | 1 << 13, SRGB = 4 };

struct texture {
    uint32_t format, word0, type, width, height, depth, levels, pitch, at, min_lod;
};

enum {
    R32,
    CUBE_R32,
    DEEP_R32,
    SWIZZLED,
    BGRA8,
    SRGB8,
    U16,
    BC1,
    A8,
    W1555,
    NOTHING,
    LEAST,
    FOUR_SAMPLES
};
static const struct texture textures[] = {
    [R32] = {74, XYZW, D2, 8, 4, 3, 3, 64, IMAGE, 0},
    [CUBE_R32] = {74, XYZW, CUBE, 4, 4, 1, 1, 64, 0x8000, 0},
    [DEEP_R32] = {74, XYZW, D3, 4, 4, 4, 1, 64, IMAGE, 0},
    [SWIZZLED] = {74, X01Y, D2, 8, 4, 1, 1, 64, IMAGE, 0},
    [BGRA8] = {48, XYZW | 1u << 30, D2, 2, 1, 1, 1, 64, SMALL, 0},
    [SRGB8] = {48, XYZW | SRGB, D2, 2, 1, 1, 1, 64, SMALL, 0},
    [U16] = {24, XYZW, D2, 2, 1, 1, 1, 64, SMALL, 0},
    [BC1] = {179, XYZW, D2, 8, 4, 1, 1, 64, SMALL + 0x40, 0},
    [A8] = {2, XYZW, D2, 4, 1, 1, 1, 64, SMALL, 0},
    [W1555] = {12, XYZW, D2, 2, 1, 1, 1, 64, SMALL + 0x80, 0},
    [NOTHING] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0},
    [FOUR_SAMPLES] = {74, XYZW | 2 << 20, D2, 2, 4, 1, 1, 64, IMAGE, 0},
    [LEAST] = {74, XYZW, D2, 8, 4, 1, 3, 64, IMAGE, 256},
};

struct bench {
    uint8_t mem[SIZE];
    struct lull_ir3_wave w;
    struct lull_ir3_env env;
    bool preamble;
};

static uint8_t *at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct bench *b = ctx;
    (void)write;
    return address >= BASE && address - BASE + bytes <= SIZE ? b->mem + (address - BASE) : NULL;
}

static void put(struct bench *b, uint32_t where, const void *bytes, size_t n)
{
    memcpy(b->mem + where, bytes, n);
}

static void describe(struct bench *b, unsigned i, const struct texture *t)
{
    uint32_t d[16] = {0};
    if (t->pitch != 0) {
        d[0] = t->format << 22 | t->word0 | (t->levels - 1) << 16;
        d[1] = t->width | t->height << 15;
        d[2] = t->pitch << 7 | t->type << 29;
        d[3] = 1; // 4096 bytes for a layer.
        d[4] = t->at;
        d[5] = (uint32_t)(BASE >> 32) | t->depth << 17;
        d[6] = t->min_lod;
    }
    put(b, TEXTURES + 64 * i, d, sizeof d);
    put(b, HEAP + 64 * i, d, sizeof d);
}

/** Levels of 8x4, 4x2 and 2x1, rows 64 bytes apart; six layers, 4096 bytes apart. */
static void fill(struct bench *b)
{
    static const uint32_t starts[] = {0, 256, 384};
    for (int z = 0; z < 4; z++) {
        for (int level = 0; level < 3; level++) {
            for (int y = 0; y < 4 >> level; y++) {
                for (int x = 0; x < 8 >> level; x++) {
                    const float v = (float)V(level, x, y, z);
                    put(b, (uint32_t)(IMAGE + z * 4096 + (int)starts[level] + y * 64 + x * 4), &v,
                        4);
                }
            }
        }
    }
    for (int face = 0; face < 6; face++) {
        for (int i = 0; i < 16; i++) {
            const float v = (float)(100 * face + i); // i: 4 * y + x.
            put(b, (uint32_t)(0x8000 + face * 4096 + i / 4 * 64 + i % 4 * 4), &v, 4);
        }
    }
    static const uint8_t bytes[] = {10, 20, 200, 255, 50, 60, 70, 80};
    // Colours 0xf800 (red) and 0x001f (blue); texel n of a row of the first block is colour n,
    // all of the second are the first.
    static const uint8_t blocks[] = {0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4,
                                     0x00, 0xf8, 0x1f, 0x00, 0,    0,    0,    0};
    static const uint16_t w1555[] = {1 | 31 << 1, 31 << 11};
    static const float border[] = {7, 2, 0.25f, 0.5f};
    put(b, SMALL, bytes, sizeof bytes);
    put(b, SMALL + 0x40, blocks, sizeof blocks);
    put(b, SMALL + 0x80, w1555, sizeof w1555);
    put(b, BORDERS + 3 * 128, border, sizeof border);
}

static void reset(struct bench *b, const uint32_t sampler[3])
{
    static const struct lull_ir3_mask all = {{UINT64_MAX, 0}};
    memset(b, 0, sizeof *b);
    fill(b);
    for (unsigned i = 0; i < TEST_ROWS(textures); i++) {
        describe(b, i, &textures[i]);
    }
    for (unsigned i = 0; i < NSAMPLERS; i++) {
        put(b, SAMPLERS + 16 * i, sampler, 12);
        put(b, HEAP + 64 * (32 + i), sampler, 12);
    }
    lull_ir3_wave_start(&b->w, LANES, &all);
    b->env = (struct lull_ir3_env){.memory = {.ctx = b, .at = at},
                                   .tex = BASE + TEXTURES,
                                   .samp = BASE + SAMPLERS,
                                   .border = BASE + BORDERS,
                                   .preamble_done = &b->preamble};
    b->env.bindless[1] = (BASE + HEAP) | 3;
    b->env.bindless[2] = (BASE + HEAP + 64 * 32) | 3;
}

static uint32_t bits(double v)
{
    const float f = (float)v;
    uint32_t r;
    memcpy(&r, &f, sizeof r);
    return r;
}

static double value(uint32_t v)
{
    float f;
    memcpy(&f, &v, sizeof f);
    return (double)f;
}

/** Runs one instruction and (sy). @return What went wrong; NULL: nothing. */
static const char *execute(struct bench *b, const char *text, unsigned gen)
{
    static char said[256];
    char whole[256];
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_ir3_program p = {.n = 0};
    snprintf(whole, sizeof whole, "%s\n(sy)nop\nend\n", text);
    struct lull_error *err = lull_ir3_assemble(whole, gen, &s);
    if (err == NULL) {
        err = lull_ir3_program_new(s.all[0].words, (uint32_t)s.all[0].n, gen, &p);
    }
    b->env.program = &p;
    for (unsigned i = 0; err == NULL && i < 10 && b->w.status == LULL_IR3_RUNS; i++) {
        lull_ir3_wave_step(&b->w, &b->env);
    }
    const char *wrong = err != NULL                     ? lull_error_message(err)
                        : b->w.status != LULL_IR3_ENDED ? b->w.wrong
                        : b->env.nfaults != 0           ? "it faulted"
                                                        : NULL;
    snprintf(said, sizeof said, "%s", wrong != NULL ? wrong : "");
    lull_error_free(err);
    lull_ir3_program_done(&p);
    lull_ir3_shaders_done(&s);
    return wrong != NULL ? said : NULL;
}

/** What the first fiber gets; neighbours have coordinates that are off by `across` and `down`. */
struct row {
    const char *name, *text;
    uint32_t sampler[3];
    double first[10]; ///< r0.x and on.
    double across[3], down[3];
    double second[4]; ///< r3.x and on; the first `integers` of them are such.
    unsigned integers;
    double want[4]; ///< r8.x and on.
    enum { FLOATS, INTEGERS, HALVES } results;
};

#include "ir3_texture_rows.h"

static void operands(struct bench *b, const struct row *r)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned k = 0; k < 10; k++) {
            const double d =
                k > 2 ? 0
                      : ((lane & 1) != 0 ? r->across[k] : 0) + ((lane & 2) != 0 ? r->down[k] : 0);
            lull_ir3_set(&b->w, k, false, lane, bits(r->first[k] + d));
        }
        for (unsigned k = 0; k < 4; k++) {
            lull_ir3_set(&b->w, 12 + k, false, lane,
                         k < r->integers ? (uint32_t)(int32_t)r->second[k] : bits(r->second[k]));
        }
        // Of (s2en): texture and sampler, other ones in odd fibers; of tables in halves.
        lull_ir3_set(&b->w, 24, false, lane, (lane & 1) != 0 ? BGRA8 : R32);
        lull_ir3_set(&b->w, 25, false, lane, 1);
        lull_ir3_set(&b->w, 2 * 26, true, lane, R32);
        lull_ir3_set(&b->w, 2 * 26 + 1, true, lane, 2);
    }
}

static double result(const struct bench *b, const struct row *r, unsigned k)
{
    if (r->results == HALVES) {
        return (double)lull_format_from_half((uint16_t)lull_ir3_get(&b->w, 32 + k, true, 0));
    }
    const uint32_t v = lull_ir3_get(&b->w, 32 + k, false, 0);
    return r->results == FLOATS ? value(v) : (double)(int32_t)v;
}

static void check(struct bench *b, const struct row *r, const char *wrong)
{
    char got[160] = "";
    bool good = wrong == NULL;
    for (unsigned k = 0; k < 4; k++) {
        const double v = result(b, r, k), limit = 1e-6 * (1 + fabs(r->want[k]));
        const size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, " %g (%g)", v, r->want[k]);
        good &= r->want[k] == SAME || fabs(v - r->want[k]) <= limit;
    }
    test_case(good, r->name, "%s: got (want)%s; %s", r->text, got, wrong != NULL ? wrong : "");
}

static void run(struct bench *b, const struct row *r)
{
    reset(b, r->sampler);
    operands(b, r);
    b->w.a1 = 1 << 3 | 2; // Of the immediate form: number 1 of heap 2.
    check(b, r, execute(b, r->text, strstr(r->text, "t#0, a1.x") != NULL ? 740 : GEN));
}

/* Wrapping of all kinds, by Vulkan's table; -1: border. */

static int mirror(int a)
{
    return a >= 0 ? a : -(1 + a);
}

static int mod(int a, int n)
{
    return (a % n + n) % n;
}

static int wrapped(unsigned mode, int i, int size)
{
    switch (mode) {
    case 0:
        return mod(i, size);
    case 1:
        return i < 0 ? 0 : i < size ? i : size - 1;
    case 2:
        return size - 1 - mirror(mod(i, 2 * size) - size);
    case 3:
        return i < 0 || i >= size ? -1 : i;
    default:
        return mirror(i) < size ? mirror(i) : size - 1;
    }
}

static double texel(unsigned mode, int x, int y)
{
    const int i = wrapped(mode, x, 8), j = wrapped(mode, y, 4);
    return i < 0 || j < 0 ? 7 : V(0, i, j, 0);
}

/** u and v in sixteenths of a texel. */
static double sampled(unsigned mode, bool linear, int u, int v)
{
    if (!linear) {
        return texel(mode, (int)floor(u / 16.0), (int)floor(v / 16.0));
    }
    const int x = (int)floor((u - 8) / 16.0), y = (int)floor((v - 8) / 16.0);
    const double a = (u - 8) / 16.0 - x, b = (v - 8) / 16.0 - y;
    return (1 - a) * (1 - b) * texel(mode, x, y) + a * (1 - b) * texel(mode, x + 1, y) +
           (1 - a) * b * texel(mode, x, y + 1) + a * b * texel(mode, x + 1, y + 1);
}

static void wraps(struct bench *b, unsigned mode, bool linear)
{
    const uint32_t sampler[3] = {mode << 5 | mode << 8 | mode << 11 | (linear ? BOTH : 0), MAX_LOD,
                                 3 << 7};
    unsigned bad = 0;
    char first[128] = "";
    for (int turn = 0; turn < 8; turn++) {
        reset(b, sampler);
        for (int lane = 0; lane < LANES; lane++) {
            const int u = (turn * LANES + lane) * 3 / 2 - 320, v = u / 3 + 5;
            lull_ir3_set(&b->w, 0, false, (unsigned)lane, bits(u / 128.0));
            lull_ir3_set(&b->w, 1, false, (unsigned)lane, bits(v / 64.0));
            lull_ir3_set(&b->w, 12, false, (unsigned)lane, 0);
        }
        const char *wrong = execute(b, "saml (f32)(x)r8.x, r0.x, r3.x, s#0, t#0", GEN);
        bad += wrong != NULL;
        for (int lane = 0; lane < LANES; lane++) {
            const int u = (turn * LANES + lane) * 3 / 2 - 320, v = u / 3 + 5;
            const double got = value(lull_ir3_get(&b->w, 32, false, (unsigned)lane)),
                         want = sampled(mode, linear, u, v);
            if (fabs(got - want) > 1e-5 && bad++ == 0) {
                snprintf(first, sizeof first, "%d/16, %d/16: got %g, want %g", u, v, got, want);
            }
        }
    }
    char name[64];
    snprintf(name, sizeof name, "wrapping %u, %s", mode, linear ? "linear" : "nearest");
    test_case(bad == 0, name, "%u wrong; %s", bad, first);
}

/** A prefetch: at level 1 by the quads, to halves. */
static void prefetch(struct bench *b)
{
    const uint32_t sampler[3] = {EDGE, MAX_LOD, 0};
    uint32_t coord[2][LULL_IR3_FIBERS] = {{0}};
    reset(b, sampler);
    b->w.exec.w[0] = UINT64_MAX - 2; // The second fiber is off, its coordinate counts.
    for (unsigned i = 0; i < LANES; i++) {
        coord[0][i] = bits(0.4 + (i & 1) * 2 / 8.0);
        coord[1][i] = bits(0.6);
    }
    const struct lull_ir3_prefetch p = {.tables = {.bindless = true, .tex_base = 1, .samp_base = 2},
                                        .texture = R32,
                                        .sampler = 1,
                                        .op = LULL_IR3_OP_SAM,
                                        .wrmask = 1,
                                        .half = true,
                                        .dst = 17};
    struct lull_ir3_program program = {.gen = GEN};
    b->env.program = &program;
    lull_ir3_set(&b->w, 17, true, 1, 0);
    const bool done = lull_ir3_prefetch(&b->w, &b->env, &p, coord);
    const double got = (double)lull_format_from_half((uint16_t)lull_ir3_get(&b->w, 17, true, 4));
    test_case(done && got == V(1, 1, 1, 0) && lull_ir3_get(&b->w, 17, true, 1) == 0,
              "a prefetch of all fibers", "got %g, want %g; %s", got, V(1, 1, 1, 0), b->w.wrong);
}

int main(void)
{
    struct bench *b = malloc(sizeof *b);
    if (b == NULL) {
        return 1;
    }
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        run(b, &rows[i]);
    }
    for (unsigned mode = 0; mode < 5; mode++) {
        wraps(b, mode, false);
        wraps(b, mode, true);
    }
    prefetch(b);
    free(b);
    return test_end();
}

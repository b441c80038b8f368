// SPDX-License-Identifier: MIT
/** @file
 * DMASK of image instructions: every mask, with and without D16 and TFE. Expected registers and
 * bytes are put together here by the rules of the RDNA3 ISA guide (10.1, "DMASK", "D16"; 10.4,
 * "Atomics"): the n-th component that the mask names is VGPR n, with D16 half n % 2 of VGPR n / 2;
 * loads return the components named, stores write them and 0 to the others. DMASK, D16 and TFE are
 * put into the encoding by their bit numbers (15.8).
 */
#include <stdint.h>

#include "img_dmask_rows.h"
#include "wave_fixture.h"

#include "img_fixture.h"

enum { OUT = 8, NREGS = 6, LANE = 5, MASKS = 16, FILL = 0x5a5a5a5a };

struct how {
    unsigned dmask;
    bool d16, tfe;
};

/** The instruction with other bits. False: there is no such instruction. */
static bool decode(const char *text, const struct how *how, struct lull_rdna_insn *in)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            uint32_t d[5] = {0};
            memcpy(d, asm_rows[i].dwords, sizeof d);
            bits(d, 11, 8, how->dmask);
            bits(d, 17, 17, how->d16);
            bits(d, 53, 53, how->tfe);
            return lull_rdna_decode(d, asm_rows[i].ndwords * 4, in) > 0;
        }
    }
    abort();
}

static enum lull_exec_result run(struct fixture *f, const char *text, const struct how *how)
{
    struct lull_rdna_insn in = {0};
    return decode(text, how, &in) ? lull_mem_handler(&in)(&f->w, &in) : LULL_EXEC_ILLEGAL;
}

/** A texel: the same in memory, in VGPRs, and in halves of VGPRs. */
struct texel {
    const char *name;
    unsigned format, size, n; // Bytes of a component; how many the format has.
    uint32_t memory[4], full[4];
    uint16_t half[4];
};

static const struct texel texels[] = {
    {"8_8_8_8_UINT", F_8888_UINT, 1, 4, {1, 2, 3, 0x84}, {1, 2, 3, 0x84}, {1, 2, 3, 0x84}},
    {"8_8_8_8_SINT",
     F_8888_SINT,
     1,
     4,
     {0x7f, 0x80, 0xff, 1},
     {0x7f, 0xffffff80, 0xffffffff, 1},
     {0x7f, 0xff80, 0xffff, 1}},
    {"8_8_8_8_UNORM",
     F_8888_UNORM,
     1,
     4,
     {0xff, 0, 0xff, 0xff},
     {0x3f800000, 0, 0x3f800000, 0x3f800000},
     {0x3c00, 0, 0x3c00, 0x3c00}},
    {"16_16_16_16_FLOAT",
     F_16161616_FLOAT,
     2,
     4,
     {0x3c00, 0xc000, 0x3800, 0x4200},
     {0x3f800000, 0xc0000000, 0x3f000000, 0x40400000},
     {0x3c00, 0xc000, 0x3800, 0x4200}},
    {"32_32_32_32_UINT",
     F_32323232_UINT,
     4,
     4,
     {1, 2, 3, 0x8004},
     {1, 2, 3, 0x8004},
     {1, 2, 3, 0x8004}},
    {"32_32_32_32_FLOAT",
     F_32323232_FLOAT,
     4,
     4,
     {0x3f800000, 0xc0000000, 0x3f000000, 0x40400000},
     {0x3f800000, 0xc0000000, 0x3f000000, 0x40400000},
     {0x3c00, 0xc000, 0x3800, 0x4200}},
    {"32_32_UINT, Z is 0 and W 1", F_32_32_UINT, 4, 2, {8, 9}, {8, 9, 0, 1}, {8, 9, 0, 1}},
    {"16_FLOAT, W is 1.0",
     F_16_FLOAT,
     2,
     1,
     {0xc000},
     {0xc0000000, 0, 0, 0x3f800000},
     {0xc000, 0, 0, 0x3c00}},
};

/** VGPRs that hold the components of a mask; what no component has keeps its value. */
static unsigned pack(const struct texel *t, const struct how *how, uint32_t reg[NREGS])
{
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        if ((how->dmask >> c & 1) == 0) {
            continue;
        }
        if (!how->d16) {
            reg[n] = t->full[c];
        } else if (n % 2 == 0) {
            reg[n / 2] = (reg[n / 2] & 0xffff0000) | t->half[c];
        } else {
            reg[n / 2] = (reg[n / 2] & 0xffff) | (uint32_t)t->half[c] << 16;
        }
        n++;
    }
    return how->d16 ? (n + 1) / 2 : n;
}

/** VGPRs after a load. @return bits of the first one that count. */
static uint32_t loaded(const struct texel *t, const struct how *how, uint32_t reg[NREGS])
{
    const unsigned n = pack(t, how, reg);
    if (how->dmask == 0) { // "Puts zeros in VGPR"; the guide does not say what D16 does to half.
        reg[0] = 0;
        return how->d16 ? 0xffff : UINT32_MAX;
    }
    if (how->tfe) {
        reg[n] = 0;
    }
    return UINT32_MAX;
}

static const char *const load_texts[] = {
    ASM("image_load v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"),
    ASM("image_load_mip v[8:11], v[0:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"),
    ASM("image_sample_lz v[8:11], v[0:1], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
    ASM("image_sample_l v[8:11], v[0:2], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D"),
};

static const char *const store_texts[] = {
    ASM("image_store v[8:11], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"),
    ASM("image_store_mip v[8:11], v[0:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"),
};

// An observer has the instruction take the plain way.
static struct lull_observer nobody;

/** The texel at 0, 0, where the addresses of all lanes are. */
static struct fixture *fixture(const struct texel *t, struct img *img, unsigned way)
{
    struct fixture *f = fix_new(32, 1);
    *img = (struct img){.format = t->format, .type = T_2D, .width = 64, .height = 4};
    img_bind(f, img);
    smp_bind(f, &(struct smp){.trunc = 1});
    f->w.observer = way == 0 ? NULL : &nobody;
    for (unsigned r = 0; r < NREGS; r++) {
        fill_reg(f, OUT + r, FILL);
    }
    f->w.sgpr[LULL_RDNA_EXEC] = 1u << LANE;
    return f;
}

static bool load_is_right(const char *text, const struct texel *t, const struct how *how,
                          unsigned way)
{
    struct img img;
    struct fixture *f = fixture(t, &img, way);
    uint32_t want[NREGS] = {FILL, FILL, FILL, FILL, FILL, FILL};
    for (unsigned c = 0; c < t->n; c++) {
        memcpy(img_texel(f, &img, 0, 0, 0, 0) + (size_t)c * t->size, &t->memory[c], t->size);
    }
    bool ok = run(f, text, how) == LULL_EXEC_NEXT;
    const uint32_t first = loaded(t, how, want);
    for (unsigned r = 0; r < NREGS; r++) {
        const uint32_t mask = r == 0 ? first : UINT32_MAX;
        ok = ok && ((fix_v(f, OUT + r)[LANE] ^ want[r]) & mask) == 0;
        ok = ok && fix_v(f, OUT + r)[LANE + 1] == FILL;
    }
    fix_free(f);
    return ok;
}

static bool store_is_right(const char *text, const struct texel *t, const struct how *how,
                           unsigned way)
{
    struct img img;
    struct fixture *f = fixture(t, &img, way);
    uint32_t reg[NREGS] = {FILL, FILL, FILL, FILL, FILL, FILL};
    uint8_t want[20], *at = img_texel(f, &img, 0, 0, 0, 0);
    memset(want, 0xcc, sizeof want);
    memset(at, 0xcc, sizeof want);
    pack(t, how, reg);
    for (unsigned r = 0; r < NREGS; r++) {
        fix_v(f, OUT + r)[LANE] = reg[r];
    }
    for (unsigned c = 0; c < t->n; c++) {
        const uint32_t v = (how->dmask >> c & 1) != 0 ? t->memory[c] : 0;
        memcpy(want + (size_t)c * t->size, &v, t->size);
    }
    const bool ok = run(f, text, how) == LULL_EXEC_NEXT && memcmp(at, want, sizeof want) == 0;
    fix_free(f);
    return ok;
}

typedef bool check_fn(const char *text, const struct texel *t, const struct how *how, unsigned way);

/** One case for all masks of an instruction, a format, and whether D16. */
static void test_masks(const char *text, const struct texel *t, bool d16, check_fn *check)
{
    unsigned bad = 0;
    for (unsigned way = 0; way < 2; way++) {
        for (unsigned m = 0; m < MASKS; m++) {
            const struct how how = {.dmask = m, .d16 = d16}, tfe = {m, d16, true};
            bad |= check(text, t, &how, way) && check(text, t, &tfe, way) ? 0 : 1u << m;
        }
    }
    char name[160];
    snprintf(name, sizeof name, "%.*s%s, %s", (int)strcspn(text, " "), text, d16 ? " d16" : "",
             t->name);
    test_case(bad == 0, name, "wrong: masks of the set 0x%x", bad);
}

// Four texels in the order of the gather; component c of texel (x, y) is 16 (2 y + x) + c + 1.
static void test_gather(bool d16)
{
    static const uint32_t order[4] = {2, 3, 1, 0}; // (0, 1) (1, 1) (1, 0) (0, 0)
    const struct texel t = {.format = F_8888_UINT};
    for (unsigned c = 0; c < 4; c++) {
        struct img img;
        struct fixture *f = fixture(&t, &img, 0);
        uint32_t want[NREGS] = {FILL, FILL, FILL, FILL, FILL, FILL};
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t v = 0x04030201 + i * 0x10101010;
            memcpy(img_texel(f, &img, 0, i % 2, i / 2, 0), &v, sizeof v);
        }
        put_f(f, 0, LANE, 1 / 64.0f);
        put_f(f, 1, LANE, 1 / 4.0f);
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t v = 16 * order[i] + c + 1;
            want[d16 ? i / 2 : i] = d16 && i % 2 != 0 ? want[i / 2] | v << 16 : v;
        }
        want[d16 ? 2 : 4] = 0; // TFE
        const char *text =
            ASM("image_gather4_lz v[8:11], v[0:1], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D");
        const struct how how = {.dmask = 1u << c, .d16 = d16, .tfe = true};
        const enum lull_exec_result r = run(f, text, &how);
        unsigned k = 0;
        while (k < NREGS && fix_v(f, OUT + k)[LANE] == want[k]) {
            k++;
        }
        test_case(r == LULL_EXEC_NEXT && k == NREGS, d16 ? "image_gather4 d16" : "image_gather4",
                  "component %u, result %d, v%u is %08x", c, (int)r, OUT + k,
                  fix_v(f, OUT + k % NREGS)[LANE]);
        fix_free(f);
    }
}

static const struct {
    const char *text;
    unsigned format, legal; // The one mask that goes with a texel of the format.
} atomics[] = {
    {ASM("image_atomic_add v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc"), F_32_UINT, 0x1},
    {"image_atomic_add v8, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D glc", F_32_32_UINT, 0x3},
    {ASM("image_atomic_cmpswap v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D glc"), F_32_UINT,
     0x3},
    {"image_atomic_cmpswap v[8:9], v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D glc", F_32_32_UINT,
     0xf},
};

// Memory holds what cmpswap compares with; both operations put another value there.
static void test_atomics(void)
{
    for (unsigned i = 0; i < 2 * TEST_ROWS(atomics); i++) {
        const bool d16 = i % 2 != 0;
        unsigned done = 0;
        for (unsigned m = 0; m < MASKS; m++) {
            const struct texel t = {.format = atomics[i / 2].format};
            const struct how how = {.dmask = m, .d16 = d16};
            struct img img;
            struct fixture *f = fixture(&t, &img, 0);
            uint32_t *at = (uint32_t *)img_texel(f, &img, 0, 0, 0, 0);
            at[0] = at[1] = FILL;
            fix_v(f, OUT)[LANE] = 1;
            const bool ran = run(f, atomics[i / 2].text, &how) == LULL_EXEC_NEXT;
            done |= ran || at[0] != FILL || at[1] != FILL ? 1u << m : 0;
            fix_free(f);
        }
        const unsigned want = d16 ? 0 : 1u << atomics[i / 2].legal; // LLVM knows none with D16.
        test_case(done == want, atomics[i / 2].text, "d16 %d: done for masks of the set 0x%x", d16,
                  done);
    }
}

static void test_sizes(void)
{
    const struct texel t = {.format = F_8_UNORM, .full = {64, 4, 1, 1}};
    unsigned bad = 0;
    for (unsigned m = 0; m < MASKS; m++) {
        const struct how how = {.dmask = m};
        struct img img;
        struct fixture *f = fixture(&t, &img, 0);
        uint32_t want[NREGS] = {FILL, FILL, FILL, FILL, FILL, FILL};
        loaded(&t, &how, want);
        run(f, ASM("image_get_resinfo v[8:11], v0, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"), &how);
        for (unsigned r = 0; r < NREGS; r++) {
            bad |= fix_v(f, OUT + r)[LANE] == want[r] ? 0 : 1u << m;
        }
        fix_free(f);
    }
    test_case(bad == 0, "image_get_resinfo", "wrong: masks of the set 0x%x", bad);
}

int main(void)
{
    for (unsigned i = 0; i < 2 * TEST_ROWS(texels); i++) {
        for (unsigned k = 0; k < TEST_ROWS(load_texts); k++) {
            test_masks(load_texts[k], &texels[i / 2], i % 2 != 0, load_is_right);
        }
        for (unsigned k = 0; k < TEST_ROWS(store_texts); k++) {
            test_masks(store_texts[k], &texels[i / 2], i % 2 != 0, store_is_right);
        }
    }
    test_gather(false);
    test_gather(true);
    test_atomics();
    test_sizes();
    return test_end();
}

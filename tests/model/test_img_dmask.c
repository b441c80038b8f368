// SPDX-License-Identifier: MIT
/** @file
 * DMASK of image instructions: every mask, with and without D16 and TFE. Expected registers and
 * bytes are put together here by the rules of the RDNA3 ISA guide (10.1, "DMASK", "D16"; 10.4,
 * "Atomics"): the n-th component that the mask names is VGPR n, with D16 half n % 2 of VGPR n / 2;
 * loads return the components named, stores write them and 0 to the others. DMASK, D16, TFE and
 * LWE are put into the encoding by their bit numbers (15.8).
 */
#include <stdint.h>

#include "img_dmask_rows.h"
#include "wave_fixture.h"

#include "img_fixture.h"
#include "texels.h"

enum { OUT = 8, NREGS = TEXEL_REGS, LANE = 5, MASKS = 16 };

struct how {
    unsigned dmask;
    bool d16, tfe, lwe;
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
            bits(d, 54, 54, how->lwe);
            return lull_rdna_decode(d, asm_rows[i].ndwords * 4, in) > 0;
        }
    }
    abort();
}

static enum lull_exec_result run(struct fixture *f, const char *text, const struct how *how)
{
    struct lull_rdna_insn in = {0};
    return decode(text, how, &in) ? lull_mem_handler(&in, f->w.table)(&f->w, &in)
                                  : LULL_EXEC_ILLEGAL;
}

/** VGPRs after a load. @return bits of the first one that count. */
static uint32_t loaded(const struct texel *t, const struct how *how, uint32_t reg[NREGS])
{
    const unsigned n = texel_pack(t->full, t->half, how->dmask, how->d16, reg);
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

/** The texel at 0, 0, where the addresses of all lanes are. @return where its bytes are. */
static uint8_t *bind(struct fixture *f, const struct texel *t)
{
    const struct img img = {.format = t->format, .type = T_2D, .width = 64, .height = 4};
    img_bind(f, &img);
    smp_bind(f, &(struct smp){.trunc = 1});
    for (unsigned r = 0; r < NREGS; r++) {
        fill_reg(f, OUT + r, TEXEL_FILL);
    }
    f->w.sgpr[LULL_RDNA_EXEC] = 1u << LANE;
    return img_texel(f, &img, 0, 0, 0, 0);
}

static bool load_is_right(struct fixture *f, const char *text, const struct texel *t,
                          const struct how *how)
{
    uint8_t *at = bind(f, t);
    uint32_t want[NREGS] = {TEXEL_FILL, TEXEL_FILL, TEXEL_FILL, TEXEL_FILL, TEXEL_FILL, TEXEL_FILL};
    for (unsigned c = 0; c < t->n; c++) {
        memcpy(at + (size_t)c * t->size, &t->memory[c], t->size);
    }
    bool ok = run(f, text, how) == LULL_EXEC_NEXT;
    const uint32_t first = loaded(t, how, want);
    for (unsigned r = 0; r < NREGS; r++) {
        const uint32_t mask = r == 0 ? first : UINT32_MAX;
        ok = ok && ((fix_v(f, OUT + r)[LANE] ^ want[r]) & mask) == 0;
        ok = ok && fix_v(f, OUT + r)[LANE + 1] == TEXEL_FILL;
    }
    return ok;
}

static bool store_is_right(struct fixture *f, const char *text, const struct texel *t,
                           const struct how *how)
{
    uint32_t reg[NREGS] = {TEXEL_FILL, TEXEL_FILL, TEXEL_FILL, TEXEL_FILL, TEXEL_FILL, TEXEL_FILL};
    uint8_t want[20], *at = bind(f, t);
    memset(want, 0xcc, sizeof want);
    memset(at, 0xcc, sizeof want);
    texel_pack(t->full, t->half, how->dmask, how->d16, reg);
    for (unsigned r = 0; r < NREGS; r++) {
        fix_v(f, OUT + r)[LANE] = reg[r];
    }
    for (unsigned c = 0; c < t->n; c++) {
        const uint32_t v = (how->dmask >> c & 1) != 0 ? t->memory[c] : 0;
        memcpy(want + (size_t)c * t->size, &v, t->size);
    }
    return run(f, text, how) == LULL_EXEC_NEXT && memcmp(at, want, sizeof want) == 0;
}

typedef bool check_fn(struct fixture *f, const char *text, const struct texel *t,
                      const struct how *how);

/** One case for all masks of an instruction, a format, and whether D16. */
static void test_masks(const char *text, const struct texel *t, bool d16, check_fn *check)
{
    struct fixture *f = fix_new(32, 1);
    unsigned bad = 0;
    for (unsigned way = 0; way < 2; way++) {
        lull_wave_observe(&f->w, way == 0 ? NULL : &nobody);
        for (unsigned m = 0; m < MASKS; m++) {
            for (unsigned fail = 0; fail < 4; fail++) { // No level is clamped, so LWE says nothing.
                const struct how how = {m, d16, (fail & 1) != 0, (fail & 2) != 0};
                bad |= check(f, text, t, &how) ? 0 : 1u << m;
            }
        }
    }
    fix_free(f);
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
    const struct img img = {.format = t.format, .type = T_2D, .width = 64, .height = 4};
    for (unsigned c = 0; c < 4; c++) {
        struct fixture *f = fix_new(32, 1);
        bind(f, &t);
        uint32_t want[NREGS] = {TEXEL_FILL, TEXEL_FILL, TEXEL_FILL,
                                TEXEL_FILL, TEXEL_FILL, TEXEL_FILL};
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
        struct fixture *f = fix_new(32, 1);
        const bool d16 = i % 2 != 0;
        unsigned done = 0;
        for (unsigned m = 0; m < MASKS; m++) {
            const struct texel t = {.format = atomics[i / 2].format};
            const struct how how = {.dmask = m, .d16 = d16};
            uint32_t *at = (uint32_t *)bind(f, &t);
            at[0] = at[1] = TEXEL_FILL;
            fix_v(f, OUT)[LANE] = 1;
            const bool ran = run(f, atomics[i / 2].text, &how) == LULL_EXEC_NEXT;
            done |= ran || at[0] != TEXEL_FILL || at[1] != TEXEL_FILL ? 1u << m : 0;
        }
        fix_free(f);
        const unsigned want = d16 ? 0 : 1u << atomics[i / 2].legal; // LLVM knows none with D16.
        test_case(done == want, atomics[i / 2].text, "d16 %d: done for masks of the set 0x%x", d16,
                  done);
    }
}

static void test_sizes(void)
{
    const struct texel t = {.format = F_8_UNORM, .full = {64, 4, 1, 1}};
    struct fixture *f = fix_new(32, 1);
    unsigned bad = 0;
    for (unsigned m = 0; m < MASKS; m++) {
        const struct how how = {.dmask = m};
        bind(f, &t);
        uint32_t want[NREGS] = {TEXEL_FILL, TEXEL_FILL, TEXEL_FILL,
                                TEXEL_FILL, TEXEL_FILL, TEXEL_FILL};
        loaded(&t, &how, want);
        run(f, ASM("image_get_resinfo v[8:11], v0, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D"), &how);
        for (unsigned r = 0; r < NREGS; r++) {
            bad |= fix_v(f, OUT + r)[LANE] == want[r] ? 0 : 1u << m;
        }
    }
    fix_free(f);
    test_case(bad == 0, "image_get_resinfo", "wrong: masks of the set 0x%x", bad);
}

int main(void)
{
    for (unsigned i = 0; i < 2 * TEST_ROWS(texels); i++) {
        for (unsigned k = 0; k < TEST_ROWS(load_texts); k++) {
            test_masks(load_texts[k], &texels[i / 2], i % 2 != 0, load_is_right);
        }
        for (unsigned k = 0; k < TEST_ROWS(store_texts) && !texels[i / 2].rounded; k++) {
            test_masks(store_texts[k], &texels[i / 2], i % 2 != 0, store_is_right);
        }
    }
    test_gather(false);
    test_gather(true);
    test_atomics();
    test_sizes();
    return test_end();
}

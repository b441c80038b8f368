// SPDX-License-Identifier: MIT
/** @file
 * Buffers with formats: every count of components, with and without D16, of MUBUF and MTBUF, for
 * lanes inside and outside, with TFE. Expected registers and bytes are put together here by the
 * RDNA3 ISA guide (9.2, "VGPR and Memory Data Format"; 9.3, DST_SEL; 9.4.1, range checking).
 */
#include <stdint.h>

#include "mem_texels_rows.h"
#include "wave_fixture.h"

#include "img_fixture.h"
#include "texels.h"

enum { OUT = 8, STRIDE = 24, INSIDE = 3, OUTSIDE = 9, RECORDS = 8, SEL_XYZ1 = 0x3ac };

static const struct row {
    const char *text;
    unsigned n; // Components.
    bool store, typed, d16, hi;
} rows[] = {
    // clang-format off
    {ASM("buffer_load_format_x v8, v2, s[8:11], 0 idxen"), 1, false, false, false, false},
    {ASM("buffer_load_format_xy v[8:9], v2, s[8:11], 0 idxen"), 2, false, false, false, false},
    {ASM("buffer_load_format_xyz v[8:10], v2, s[8:11], 0 idxen"), 3, false, false, false, false},
    {ASM("buffer_load_format_xyzw v[8:11], v2, s[8:11], 0 idxen"), 4, false, false, false, false},
    {ASM("buffer_load_d16_format_x v8, v2, s[8:11], 0 idxen"), 1, false, false, true, false},
    {ASM("buffer_load_d16_format_xy v8, v2, s[8:11], 0 idxen"), 2, false, false, true, false},
    {ASM("buffer_load_d16_format_xyz v[8:9], v2, s[8:11], 0 idxen"), 3, false, false, true, false},
    {ASM("buffer_load_d16_format_xyzw v[8:9], v2, s[8:11], 0 idxen"), 4, false, false, true, false},
    {ASM("tbuffer_load_format_x v8, v2, s[8:11], 0 format:63 idxen"), 1, false, true, false, false},
    {ASM("tbuffer_load_format_xy v[8:9], v2, s[8:11], 0 format:63 idxen"), 2, false, true, false, false},
    {ASM("tbuffer_load_format_xyz v[8:10], v2, s[8:11], 0 format:63 idxen"), 3, false, true, false, false},
    {ASM("tbuffer_load_format_xyzw v[8:11], v2, s[8:11], 0 format:63 idxen"), 4, false, true, false, false},
    {ASM("tbuffer_load_d16_format_x v8, v2, s[8:11], 0 format:63 idxen"), 1, false, true, true, false},
    {ASM("tbuffer_load_d16_format_xy v8, v2, s[8:11], 0 format:63 idxen"), 2, false, true, true, false},
    {ASM("tbuffer_load_d16_format_xyz v[8:9], v2, s[8:11], 0 format:63 idxen"), 3, false, true, true, false},
    {ASM("tbuffer_load_d16_format_xyzw v[8:9], v2, s[8:11], 0 format:63 idxen"), 4, false, true, true, false},
    {ASM("buffer_store_format_x v8, v2, s[8:11], 0 idxen"), 1, true, false, false, false},
    {ASM("buffer_store_format_xy v[8:9], v2, s[8:11], 0 idxen"), 2, true, false, false, false},
    {ASM("buffer_store_format_xyz v[8:10], v2, s[8:11], 0 idxen"), 3, true, false, false, false},
    {ASM("buffer_store_format_xyzw v[8:11], v2, s[8:11], 0 idxen"), 4, true, false, false, false},
    {ASM("buffer_store_d16_format_x v8, v2, s[8:11], 0 idxen"), 1, true, false, true, false},
    {ASM("buffer_store_d16_format_xy v8, v2, s[8:11], 0 idxen"), 2, true, false, true, false},
    {ASM("buffer_store_d16_format_xyz v[8:9], v2, s[8:11], 0 idxen"), 3, true, false, true, false},
    {ASM("buffer_store_d16_format_xyzw v[8:9], v2, s[8:11], 0 idxen"), 4, true, false, true, false},
    {ASM("tbuffer_store_format_x v8, v2, s[8:11], 0 format:63 idxen"), 1, true, true, false, false},
    {ASM("tbuffer_store_format_xy v[8:9], v2, s[8:11], 0 format:63 idxen"), 2, true, true, false, false},
    {ASM("tbuffer_store_format_xyz v[8:10], v2, s[8:11], 0 format:63 idxen"), 3, true, true, false, false},
    {ASM("tbuffer_store_format_xyzw v[8:11], v2, s[8:11], 0 format:63 idxen"), 4, true, true, false, false},
    {ASM("tbuffer_store_d16_format_x v8, v2, s[8:11], 0 format:63 idxen"), 1, true, true, true, false},
    {ASM("tbuffer_store_d16_format_xy v8, v2, s[8:11], 0 format:63 idxen"), 2, true, true, true, false},
    {ASM("tbuffer_store_d16_format_xyz v[8:9], v2, s[8:11], 0 format:63 idxen"), 3, true, true, true, false},
    {ASM("tbuffer_store_d16_format_xyzw v[8:9], v2, s[8:11], 0 format:63 idxen"), 4, true, true, true, false},
    {ASM("buffer_load_d16_hi_format_x v8, v2, s[8:11], 0 idxen"), 1, false, false, true, true},
    {ASM("buffer_store_d16_hi_format_x v8, v2, s[8:11], 0 idxen"), 1, true, false, true, true},
    // clang-format on
};

/** The instruction with the texel's format, and with TFE. */
static enum lull_exec_result run(struct fixture *f, const struct row *r, const struct texel *t,
                                 bool tfe)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, r->text) == 0) {
            struct lull_rdna_insn in = {0};
            uint32_t d[5] = {0};
            memcpy(d, asm_rows[i].dwords, sizeof d);
            bits(d, 53, 53, tfe);
            if (r->typed) {
                bits(d, 25, 19, t->format);
            }
            const int size = lull_rdna_decode(d, asm_rows[i].ndwords * 4, &in);
            return size > 0 ? lull_mem_handler(&in, f->w.table)(&f->w, &in) : LULL_EXEC_ILLEGAL;
        }
    }
    abort();
}

static struct fixture *fixture(const struct row *r, const struct texel *t, unsigned dst_sel)
{
    struct fixture *f = fix_new(32, 1);
    f->w.sgpr[8] = (uint32_t)FIX_VA;
    f->w.sgpr[9] = (uint32_t)(FIX_VA >> 32 & 0xffff) | STRIDE << 16;
    f->w.sgpr[10] = RECORDS;
    f->w.sgpr[11] = dst_sel | (r->typed ? F_8_UINT : t->format) << 12 | 1u << 28;
    f->w.sgpr[LULL_RDNA_EXEC] = 1u << INSIDE | 1u << OUTSIDE;
    for (unsigned l = 0; l < 32; l++) {
        fix_v(f, 2)[l] = l;
        for (unsigned i = 0; i < TEXEL_REGS; i++) {
            fix_v(f, OUT + i)[l] = TEXEL_FILL;
        }
    }
    return f;
}

/** What the instruction returns for a texel, or 0 and DST_SEL's ones if @p t is NULL. */
static void returned(const struct row *r, const struct texel *t, const struct texel *format,
                     unsigned dst_sel, uint32_t reg[TEXEL_REGS])
{
    uint32_t full[4] = {0};
    uint16_t half[4] = {0};
    for (unsigned c = 0; c < 4; c++) {
        const bool there = t != NULL && (c < t->n || !r->typed);
        full[c] = there ? t->full[c] : 0;
        half[c] = there ? t->half[c] : 0;
        if (c == 3 && dst_sel == SEL_XYZ1 && !r->typed) {
            full[c] = format->one;
            half[c] = format->one == 1 ? 1 : 0x3c00;
        }
    }
    if (r->hi) {
        reg[0] = (reg[0] & 0xffff) | (uint32_t)half[0] << 16;
    } else {
        texel_pack(full, half, (1u << r->n) - 1, r->d16, reg);
    }
}

static void test_load(const struct row *r, const struct texel *t, unsigned dst_sel, bool tfe)
{
    struct fixture *f = fixture(r, t, dst_sel);
    const unsigned data = r->d16 ? (r->n + 1) / 2 : r->n;
    for (unsigned c = 0; c < t->n; c++) {
        memcpy(fix_at(f, INSIDE * STRIDE + c * t->size), &t->memory[c], t->size);
        memset(fix_at(f, OUTSIDE * STRIDE + c * t->size), 0xff, t->size);
    }
    const enum lull_exec_result result = run(f, r, t, tfe);
    unsigned bad = 0;
    for (unsigned l = 0; l < 32; l++) {
        uint32_t want[TEXEL_REGS] = {TEXEL_FILL, TEXEL_FILL, TEXEL_FILL,
                                     TEXEL_FILL, TEXEL_FILL, TEXEL_FILL};
        if (l == INSIDE || l == OUTSIDE) {
            returned(r, l == INSIDE ? t : NULL, t, dst_sel, want);
            want[data] = tfe ? 0 : want[data];
        }
        for (unsigned i = 0; i < TEXEL_REGS; i++) {
            bad |= fix_v(f, OUT + i)[l] != want[i] ? 1u << l : 0;
        }
    }
    char name[200];
    snprintf(name, sizeof name, "%s, %s%s%s", r->text, t->name, tfe ? ", tfe" : "",
             dst_sel == SEL_XYZ1 ? ", W is 1 by DST_SEL" : "");
    test_case(result == LULL_EXEC_NEXT && bad == 0, name, "result %d, lanes 0x%x: %08x %08x",
              (int)result, bad, fix_v(f, OUT)[INSIDE], fix_v(f, OUT + 1)[INSIDE]);
    fix_free(f);
}

static void test_store(const struct row *r, const struct texel *t)
{
    struct fixture *f = fixture(r, t, XYZW);
    uint8_t want[STRIDE], outside[STRIDE];
    uint32_t reg[TEXEL_REGS] = {TEXEL_FILL, TEXEL_FILL, TEXEL_FILL,
                                TEXEL_FILL, TEXEL_FILL, TEXEL_FILL};
    memset(want, 0xcc, sizeof want);
    memset(outside, 0xcc, sizeof outside);
    memset(fix_at(f, INSIDE * STRIDE), 0xcc, STRIDE);
    memset(fix_at(f, OUTSIDE * STRIDE), 0xcc, STRIDE);
    if (r->hi) {
        reg[0] = (uint32_t)t->half[0] << 16 | 0x1234;
    } else {
        texel_pack(t->full, t->half, (1u << r->n) - 1, r->d16, reg);
    }
    for (unsigned i = 0; i < TEXEL_REGS; i++) {
        fix_v(f, OUT + i)[INSIDE] = fix_v(f, OUT + i)[OUTSIDE] = reg[i];
    }
    for (unsigned c = 0; c < t->n; c++) {
        const uint32_t v = c < r->n ? t->memory[c] : 0;
        memcpy(want + (size_t)c * t->size, &v, t->size);
    }
    const enum lull_exec_result result = run(f, r, t, false);
    char name[200];
    snprintf(name, sizeof name, "%s, %s", r->text, t->name);
    test_case(result == LULL_EXEC_NEXT && memcmp(fix_at(f, INSIDE * STRIDE), want, STRIDE) == 0 &&
                  memcmp(fix_at(f, OUTSIDE * STRIDE), outside, STRIDE) == 0,
              name, "result %d", (int)result);
    fix_free(f);
}

int main(void)
{
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        for (unsigned k = 0; k < TEST_ROWS(texels); k++) {
            if (!rows[i].store) {
                test_load(&rows[i], &texels[k], XYZW, false);
                test_load(&rows[i], &texels[k], SEL_XYZ1, !rows[i].typed);
            } else if (!texels[k].rounded) {
                test_store(&rows[i], &texels[k]);
            }
        }
    }
    return test_end();
}

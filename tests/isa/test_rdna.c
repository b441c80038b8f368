// SPDX-License-Identifier: MIT
/** @file
 * RDNA3 decoder and printer against what LLVM printed (gfx1100.vec), and the
 * fields of the struct against the RDNA3 guide.
 */
#include <stdlib.h>
#include <string.h>

#include "isa/rdna/ops.h"
#include "test.h"

enum { MAX_DWORDS = 5 };

static const char *text_of(const struct lull_rdna_insn *in, const struct lull_rdna_print *how,
                           struct lull_str *s)
{
    lull_str_free(s);
    lull_rdna_show(in, how, s);
    return lull_str_text(s);
}

/** What lull_rdna_encode() makes: the instructions of these encodings, without DPP and halves. */
static bool is_made(const struct lull_rdna_insn *in)
{
    static const uint32_t encs =
        1u << LULL_RDNA_SOP1 | 1u << LULL_RDNA_SOP2 | 1u << LULL_RDNA_SOPC | 1u << LULL_RDNA_SOPK |
        1u << LULL_RDNA_SOPP | 1u << LULL_RDNA_VOP1 | 1u << LULL_RDNA_VOP3 |
        1u << LULL_RDNA_VOP3SD | 1u << LULL_RDNA_VOP3P | 1u << LULL_RDNA_MUBUF;
    return (encs >> in->enc & 1) != 0 && in->dpp == LULL_RDNA_NO_DPP &&
           (in->enc != LULL_RDNA_VOP1 || in->op_sel == 0);
}

/** Made again: as many dwords, of which LLVM's text is the same. Bits that no instruction uses are
 * random in the file, so the dwords may differ there. */
static void test_encode(const struct lull_rdna_insn *in, unsigned n, const char *want,
                        const char *name)
{
    uint32_t made[LULL_RDNA_MAX_MADE] = {0};
    struct lull_rdna_insn again = {0};
    struct lull_str s = {0};
    const unsigned got = lull_rdna_encode(in, made);
    const bool decodes = got != 0 && lull_rdna_decode(made, 4 * (size_t)got, &again) > 0;
    const char *text = decodes ? text_of(&again, NULL, &s) : "";
    test_case(got == (is_made(in) ? n : 0) && (got == 0 || strcmp(text, want) == 0), name,
              "%s: made %u dwords %08x %08x '%s', want '%s'", name, got, made[0], made[1], text,
              want);
    lull_str_free(&s);
}

/** One line of gfx1100.vec: dwords in hex, a tab, the text. */
static void test_vector(char *line, const char *name)
{
    uint32_t dwords[MAX_DWORDS] = {0};
    unsigned n = 0;
    char *p = line, *end = line;
    while (n < MAX_DWORDS && *p != '\t') {
        dwords[n++] = (uint32_t)strtoul(p, &end, 16);
        p = end;
    }
    const char *want = *p == '\t' ? p + 1 : p;
    struct lull_rdna_insn in = {0};
    struct lull_str s = {0};
    const int size = lull_rdna_decode(dwords, n * 4, &in);
    const char *got = size > 0 ? text_of(&in, NULL, &s) : "";
    test_case(size == (int)n * 4 && strcmp(got, want) == 0, name,
              "%s: %d bytes '%s', want %u bytes '%s'", name, size, got, n * 4, want);
    if (size > 0) {
        test_encode(&in, n, want, name);
    }
    struct lull_rdna_insn lax = {0};
    struct lull_str t = {0};
    const int lax_size = lull_rdna_decode_lax(dwords, n * 4, &lax);
    if (lax_size != size || strcmp(text_of(&lax, NULL, &t), got) != 0) {
        test_case(false, name, "%s: lax: %d bytes '%s'", name, lax_size, lull_str_text(&t));
    }
    lull_str_free(&t);
    for (unsigned i = 0; i < n * 4; i++) {
        if (lull_rdna_decode(dwords, i, &in) != LULL_RDNA_TRUNCATED) {
            test_case(false, name, "%s cut to %u bytes is not truncated", name, i);
        }
    }
    lull_str_free(&s);
}

static void test_vectors(void)
{
    char path[4096], line[512], name[64];
    const char *source = getenv("LULL_SOURCE");
    snprintf(path, sizeof(path), "%s/tests/isa/gfx1100.vec", source != NULL ? source : ".");
    FILE *f = fopen(path, "r");
    if (!test_case(f != NULL, "gfx1100.vec opens", "%s", path)) {
        return;
    }
    for (unsigned n = 1; fgets(line, sizeof(line), f) != NULL; n++) {
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, sizeof(name), "gfx1100.vec:%u", n);
        if (line[0] != '#') {
            test_vector(line, name);
        }
    }
    fclose(f);
}

/** Field of the struct that a row of fields[] looks at. */
struct field_row {
    const char *name;
    uint32_t dwords[3];
    size_t offset;
    size_t size;
    uint32_t want;
};

#define FIELD(member)                                                                              \
    offsetof(struct lull_rdna_insn, member), sizeof(((struct lull_rdna_insn *)0)->member)

static const struct field_row fields[] = {
    // v_add_f16_e32 v1.h, v2.h, v3.l: bit 7 of a register number is the half (rdna3 7.7).
    {"true16 destination", {0x65020782 | 0x100, 0, 0}, FIELD(dst), LULL_RDNA_VGPR0 + 1},
    {"true16 source", {0x65020782 | 0x100, 0, 0}, FIELD(src[0]), LULL_RDNA_VGPR0 + 2},
    {"true16 halves", {0x65020782 | 0x100, 0, 0}, FIELD(op_sel), 9},
    {"VOPC writes VCC", {0x7c220300, 0, 0}, FIELD(dst), LULL_RDNA_VCC},
    {"v_cmpx writes EXEC", {0x7d220300, 0, 0}, FIELD(dst), LULL_RDNA_EXEC},
    {"carry in is VCC", {0x40000501, 0, 0}, FIELD(src[2]), LULL_RDNA_VCC},
    {"carry out is VCC", {0x40000501, 0, 0}, FIELD(sdst), LULL_RDNA_VCC},
    {"s_movk_i32 sign", {0xb000ffff, 0, 0}, FIELD(imm), 0xffffffff},
    {"literal", {0xbe8000ff, 0x12345678, 0}, FIELD(literal), 0x12345678},
    {"v_fmaak_f32 K", {0x5a000501, 0x42280000, 0}, FIELD(literal), 0x42280000},
    {"odd SGPR pair starts at the even one", {0xbe840105, 0, 0}, FIELD(src[0]), 4},
    {"global offset sign", {0xdc521fff, 0x007c0002, 0}, FIELD(imm), 0xffffffff},
    {"global saddr off", {0xdc520000, 0x007c0002, 0}, FIELD(saddr), LULL_RDNA_NULL},
    {"atomic without glc returns nothing", {0xdcd60000, 0x007c0402, 0}, FIELD(dst), LULL_RDNA_NONE},
    {"atomic with glc returns", {0xdcd64000, 0x057c0402, 0}, FIELD(dst), LULL_RDNA_VGPR0 + 5},
    {"scratch without vaddr", {0xdc510010, 0x007c0000, 0}, FIELD(vaddr), LULL_RDNA_NONE},
    {"ds offset", {0xd8d81234, 0x00000001, 0}, FIELD(imm), 0x1234},
    {"VOPD Y destination has the other parity",
     {0xc8c80501, 0x02000504, 0},
     FIELD(y.dst),
     LULL_RDNA_VGPR0 + 1},
    {"DPP8 source", {0x7e0002e9, 0x77053901, 0}, FIELD(src[0]), LULL_RDNA_VGPR0 + 1},
    {"DPP8 selectors", {0x7e0002e9, 0x77053901, 0}, FIELD(dpp_ctrl), 0x770539},
    {"smem offset sign", {0xf4000000, 0xf81fffff, 0}, FIELD(imm), 0xffffffff},
};

static void test_fields(void)
{
    for (size_t i = 0; i < TEST_ROWS(fields); i++) {
        const struct field_row *row = &fields[i];
        struct lull_rdna_insn in = {0};
        uint32_t got = 0;
        const int size = lull_rdna_decode(row->dwords, sizeof(row->dwords), &in);
        memcpy(&got, (const char *)&in + row->offset, row->size);
        const uint32_t want = row->size == 2 ? (uint16_t)row->want : row->want;
        test_case(size > 0 && got == want, row->name, "%s: size %d, got %#x, want %#x", row->name,
                  size, got, want);
    }
}

static const char *symbol(void *ctx, uint64_t address)
{
    return address == *(const uint64_t *)ctx ? "loop" : NULL;
}

/** Text that depends on more than the words. */
static void test_print(void)
{
    static const uint32_t branch[] = {0xbfa0fffe}, carry[] = {0x40000501},
                          select[] = {0xd5010000, 0x00120501};
    static const uint32_t half[] = {0x65020782 | 0x100};
    uint64_t target = 0x1000;
    const struct lull_rdna_print named = {.pc = 0x1004, .symbol = symbol, .ctx = &target};
    const struct lull_rdna_print other = {.pc = 0x1008, .symbol = symbol, .ctx = &target};
    const struct lull_rdna_print wave64 = {.wave_size = 64};
    const struct {
        const char *name;
        const uint32_t *dwords;
        size_t size;
        const struct lull_rdna_print *how;
        const char *want;
    } rows[] = {
        {"branch to a symbol", branch, sizeof(branch), &named, "s_branch loop"},
        {"branch to no symbol", branch, sizeof(branch), &other, "s_branch 65534"},
        {"carry in wave64", carry, sizeof(carry), &wave64,
         "v_add_co_ci_u32_e32 v0, vcc, v1, v2, vcc"},
        {"mask in wave64", select, sizeof(select), &wave64, "v_cndmask_b32_e64 v0, v1, v2, s[4:5]"},
        {"mask in wave32", select, sizeof(select), NULL, "v_cndmask_b32_e64 v0, v1, v2, s4"},
        {"high halves", half, sizeof(half), NULL, "v_add_f16_e32 v1.h, v2.h, v3.l"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_rdna_insn in = {0};
        struct lull_str s = {0};
        const int size = lull_rdna_decode(rows[i].dwords, rows[i].size, &in);
        const char *got = size > 0 ? text_of(&in, rows[i].how, &s) : "";
        test_case(strcmp(got, rows[i].want) == 0, rows[i].name, "got '%s', want '%s'", got,
                  rows[i].want);
        lull_str_free(&s);
    }
}

/** Words that assemblers do not make: bits of fields that the instruction does not use. */
static void test_lax(void)
{
    // clang-format off
    static const struct {
        uint32_t dwords[3];
        unsigned size;
        const char *want;
    } rows[] = {
        {{0xd8000000, 0x0200010a}, 8, "ds_add_u32 v10, v1"},
        {{0xd8000000, 0x0203010a}, 8, "ds_add_u32 v10, v1"},
        {{0xca2004ff, 0x02000300, 100}, 12, "v_dual_mov_b32 v2, 0x64 :: v_dual_add_nc_u32 v1, v0, v1"},
        {{0xd51b8000, 0x3a0a0501}, 8, "v_and_b32_e64 v0, v1, v2"},
        {{0xbf8a0007}, 4, "s_wait_idle"},
        {{0xdc500000, 0x01fc0002}, 8, "flat_load_b32 v1, v[2:3]"},
        {{0xd5810005, 0x04020106}, 8, "v_mov_b32_e64 v5, v6"},
        {{0xf4844000, 0}, 8, "s_dcache_inv"},
    };
    // clang-format on
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_rdna_insn in = {0};
        struct lull_str s = {0};
        const int strict = lull_rdna_decode(rows[i].dwords, rows[i].size, &in);
        const int size = lull_rdna_decode_lax(rows[i].dwords, rows[i].size, &in);
        const char *got = size > 0 ? text_of(&in, NULL, &s) : "";
        test_case(strict == LULL_RDNA_UNKNOWN && size == (int)rows[i].size &&
                      strcmp(got, rows[i].want) == 0,
                  rows[i].want, "row %zu: strict %d, %d bytes '%s'", i, strict, size, got);
        lull_str_free(&s);
    }
}

static void test_table(void)
{
    unsigned bad = 0;
    for (unsigned op = 0; op < LULL_RDNA_NOPS; op++) {
        bad += lull_rdna_ops[op].name == NULL || lull_rdna_ops[op].encs == 0;
    }
    test_case(bad == 0, "every enumerator has a row", "%u have none", bad);
    test_case(strcmp(lull_rdna_ops[LULL_RDNA_OP_V_ADD_F32].name, "v_add_f32") == 0,
              "rows stand at their enumerator", "%s", lull_rdna_ops[LULL_RDNA_OP_V_ADD_F32].name);
}

int main(void)
{
    test_table();
    test_fields();
    test_print();
    test_lax();
    test_vectors();
    return test_end();
}

// SPDX-License-Identifier: MIT
// Where regions end: of loads from LDS that wait for each other two are in one and the next is in
// another, so that the host does several strips at once; others are in one. And which instructions
// in them are left: two shifts are one rotation. Expected numbers: counted by hand.
#include "jit/region.h"
#include "model/bare.h"
#include "test.h"

#include "region_rows.h"

#define ASM(text) text

enum { MOST = 8 };

static const struct {
    const char *name;
    unsigned ninsns; // Of the region that begins with the first,
    unsigned nleft;  // and how many of them are emitted.
    const char *insns[MOST];
} cases[] = {
    {"a load that waits for another",
     4,
     4,
     {ASM("ds_load_b32 v1, v5"), ASM("v_xor_b32 v1, v1, v2"), ASM("ds_load_b32 v1, v1"),
      ASM("v_xor_b32 v1, v1, v2"), ASM("ds_load_b32 v1, v1"), ASM("v_xor_b32 v1, v1, v2")}},
    {"loads that wait for none",
     4,
     4,
     {ASM("ds_load_b32 v1, v5"), ASM("ds_load_b32 v2, v6"), ASM("ds_load_b32 v3, v7"),
      ASM("v_xor_b32 v1, v1, v2")}},
    {"a register that is another value now",
     4,
     4,
     {ASM("ds_load_b32 v1, v5"), ASM("v_mov_b32 v1, v6"), ASM("ds_load_b32 v2, v1"),
      ASM("ds_load_b32 v3, v2")}},
    {"the second result of a load",
     2,
     2,
     {ASM("ds_load_2addr_b32 v[1:2], v5 offset0:3 offset1:1"), ASM("ds_load_b32 v3, v2"),
      ASM("ds_load_b32 v4, v3")}},
    {"a register that took another's value",
     3,
     3,
     {ASM("ds_load_b32 v1, v5"), ASM("v_swap_b32 v1, v2"), ASM("ds_load_b32 v3, v2"),
      ASM("ds_load_b32 v4, v3")}},
    {"a register that gave its value away",
     4,
     4,
     {ASM("ds_load_b32 v1, v5"), ASM("v_swap_b32 v1, v2"), ASM("ds_load_b32 v3, v1"),
      ASM("ds_load_b32 v4, v3")}},
    {"a rotation of two",
     3,
     2,
     {ASM("v_lshrrev_b32 v1, 6, v0"), ASM("v_add_f32 v4, v2, v3"),
      ASM("v_lshl_or_b32 v1, v0, 26, v1")}},
    {"a rotation whose first shift stays",
     2,
     2,
     {ASM("v_lshrrev_b32 v1, 6, v0"), ASM("v_lshl_or_b32 v2, v0, 26, v1")}},
    {"a first shift that is read before the rotation",
     3,
     3,
     {ASM("v_lshrrev_b32 v1, 6, v0"), ASM("v_add_f32 v4, v1, v3"),
      ASM("v_lshl_or_b32 v1, v0, 26, v1")}},
    {"two shifts of other numbers",
     3,
     3,
     {ASM("v_lshrrev_b32 v1, 6, v0"), ASM("v_add_f32 v0, v2, v3"),
      ASM("v_lshl_or_b32 v1, v0, 26, v1")}},
    {"two shifts that are not a rotation",
     2,
     2,
     {ASM("v_lshrrev_b32 v1, 6, v0"), ASM("v_lshl_or_b32 v1, v0, 25, v1")}},
    {"a sum that goes on",
     3,
     3,
     {ASM("ds_load_b32 v1, v5"), ASM("v_fmac_f32 v1, v6, v7"), ASM("ds_load_b32 v3, v1"),
      ASM("ds_load_b32 v4, v3")}},
};

/** @return dwords of @p text. */
static size_t assemble(uint8_t *to, const char *text)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            memcpy(to, asm_rows[i].dwords, 4ul * asm_rows[i].ndwords);
            return asm_rows[i].ndwords;
        }
    }
    test_case(false, text, "it has no row");
    return 0;
}

int main(void)
{
    struct lull_jit_item items[MOST];
    struct bare *b = bare_new(32);
    for (size_t i = 0; i < TEST_ROWS(cases); i++) {
        struct lull_jit_region r = {.target = &lull_jit_v3};
        size_t at = 0, n = 0;
        memset(b->code, 0, sizeof b->code);
        while (n < MOST && cases[i].insns[n] != NULL) {
            at += assemble(b->code + 4 * at, cases[i].insns[n++]);
        }
        lull_code_cache_epoch(b->w.code);
        struct lull_code_page *p = lull_code_page(&b->w, BARE_CODE);
        const unsigned found =
            p != NULL ? lull_jit_find_region(&b->w, p, 0, 0, (unsigned)n, items, &r) : 0;
        unsigned left = 0;
        for (unsigned k = 0; k < r.ninsns; k++) {
            left += items[k].kind != LULL_JIT_ITEM_NOTHING;
        }
        test_case(found != 0 && r.ninsns == cases[i].ninsns && left == cases[i].nleft,
                  cases[i].name, "%u instructions in place of %u, %u emitted in place of %u",
                  r.ninsns, cases[i].ninsns, left, cases[i].nleft);
    }
    bare_free(b);
    return test_end();
}

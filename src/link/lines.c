// SPDX-License-Identifier: MIT
// Code of GPUs whose instructions lull has no table of, as the text that LLVM makes of it: what
// branches, and what reads or writes an SGPR. Where the text leaves a doubt, an instruction reads.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hw/shcode_regs.h"
#include "isa/rdna/ops.h"
#include "isa/rdna/regs.h"
#include "link/code.h"

enum { GFX9 = 9, GFX10 = 10, GFX12 = 12, SOPP_OFFSET_BITS = 16 };

static bool starts(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strncmp(text, words[i], strlen(words[i])) == 0) {
            return true;
        }
    }
    return false;
}

#define STARTS(text, words) starts(text, words, sizeof(words) / sizeof(words)[0])

const char *lull_link_line_flow(const char *text, bool *branches, bool *falls)
{
    static const char *const through[] = {"s_setpc",     "s_swappc",    "s_call",
                                          "s_rfe",       "s_cbranch_g", "s_cbranch_i",
                                          "s_cbranch_j", "s_subvector"};
    static const char *const ends[] = {"s_endpgm", "s_branch"};
    static const char *const jumps[] = {"s_branch", "s_cbranch"};
    *branches = STARTS(text, jumps);
    *falls = !STARTS(text, ends);
    return STARTS(text, through) ? "a jump or call through registers" : NULL;
}

/** Does the text from @p at to @p end name SGPR @p reg? Masks of lanes may be pairs: @p vector. */
static bool names(const char *at, const char *end, uint16_t reg, bool vector)
{
    for (const char *p = at; p < end; p++) {
        const bool begins =
            *p == 's' && (p == at || !(isalnum((unsigned char)p[-1]) || p[-1] == '_'));
        if (!begins || p + 1 == end || !(isdigit((unsigned char)p[1]) || p[1] == '[')) {
            continue;
        }
        char *rest = NULL;
        const bool range = p[1] == '[';
        const unsigned long first = strtoul(p + 1 + range, &rest, 10);
        unsigned long last = first;
        if (range && *rest == ':') {
            last = strtoul(rest + 1, &rest, 10);
        } else if (vector) {
            last = first + 1;
        }
        if (reg >= first && reg <= last) {
            return true;
        }
    }
    return false;
}

/** The instruction's first operand is all of what it writes, and not read. */
static bool only_writes(const char *text)
{
    static const char *const words[] = {
        "s_mov_b",       "s_movk_i",   "s_load_",     "s_buffer_load_",
        "s_and_b",       "s_or_b",     "s_xor_b",     "s_add_",
        "s_sub_",        "s_addc_",    "s_subb_",     "s_mul_",
        "s_lshl",        "s_lshr_",    "s_ashr_",     "s_bfe_",
        "s_bfm_",        "s_cselect_", "s_getpc_",    "s_not_",
        "s_min_",        "s_max_",     "s_andn2_b",   "s_and_not1_b",
        "s_orn2_b",      "s_sext_",    "s_or_not1_b", "v_readfirstlane_b32",
        "v_readlane_b32"};
    return STARTS(text, words);
}

enum lull_link_use lull_link_line_use(const struct lull_link_insn *x, uint16_t reg)
{
    const char *const text = x->text, *end = text + strcspn(text, "\n");
    const char *at = text + strcspn(text, " \n");
    const bool load = x->in.soffset == reg, vector = text[0] == 'v';
    const char *const by_index[] = {"s_movrel", "v_movrel", "s_set_gpr_idx", "v_swaprel"};
    bool written = false, read = STARTS(text, by_index);
    for (unsigned i = 0; at < end; i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *const stop = comma != NULL ? comma : end;
        const bool here = names(at, stop, reg, vector);
        written = written || (here && i == 0);
        read = read || (here && i != 0 && !(load && stop == end));
        at = stop + 1;
    }
    read = read || (written && !only_writes(text));
    return read      ? LULL_LINK_READ
           : load    ? (written ? LULL_LINK_OFFSET_AND_WRITTEN : LULL_LINK_OFFSET_OF_LOAD)
           : written ? LULL_LINK_WRITTEN
                     : LULL_LINK_UNTOUCHED;
}

bool lull_link_smem(unsigned gfx, struct lull_link_smem *ret)
{
    static const struct lull_link_smem forms[] = {
        {9, LULL_SHCODE_SMEM9_WORD0__SOFFSET_EN_MASK, LULL_SHCODE_SMEM9_WORD0__IMM_MASK,
         LULL_SHCODE_SMEM9_WORD1__OFFSET_MASK, LULL_SHCODE_SMEM9_WORD1__SOFFSET_MASK, 0},
        {10, 0, 0, LULL_SHCODE_SMEM10_WORD1__OFFSET_MASK, LULL_SHCODE_SMEM10_WORD1__SOFFSET_MASK,
         LULL_SHCODE_SMEM10_NULL},
        {11, 0, 0, LULL_SHCODE_SMEM11_WORD1__OFFSET_MASK, LULL_SHCODE_SMEM11_WORD1__SOFFSET_MASK,
         LULL_RDNA_NULL},
        {12, 0, 0, LULL_SHCODE_SMEM12_WORD1__OFFSET_MASK, LULL_SHCODE_SMEM12_WORD1__SOFFSET_MASK,
         LULL_RDNA_NULL},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (forms[i].gfx == gfx) {
            *ret = forms[i];
            return true;
        }
    }
    return false;
}

/** The field of a scalar load that is signed. */
static int32_t signed_field(uint32_t word, uint32_t mask)
{
    const uint32_t v = word & mask, top = (mask >> 1) + 1; // the field is the lowest bits
    return (int32_t)((v ^ top) - top);
}

/** A load whose offset is an SGPR and a number. */
static void take_load(unsigned gfx, const uint32_t words[2], struct lull_link_insn *x)
{
    static const char *const loads[] = {"s_load_", "s_buffer_load_"};
    struct lull_link_smem form = {0};
    x->in.soffset = UINT16_MAX;
    if (!STARTS(x->text, loads) || x->in.size != 8 || !lull_link_smem(gfx, &form)) {
        return;
    }
    const bool both = form.enable == 0 || (words[0] & form.enable) != 0;
    if (form.number != 0 && !both && (words[0] & form.number) == 0) { // a register alone
        x->in.soffset = (uint16_t)lull_get(words[1], form.offset);
        x->in.imm = 0;
        return;
    }
    const uint32_t offset = lull_get(words[1], form.soffset);
    if (both && (form.enable != 0 || offset != form.none) &&
        (words[0] & form.number) == form.number) {
        x->in.soffset = (uint16_t)offset;
    }
    x->in.imm = signed_field(words[1], form.offset);
}

bool lull_link_decode_line(const struct lull_linker *l, uint64_t at, struct lull_link_insn *x)
{
    const struct lull_link_line *line = &l->lines[at / 4];
    const uint8_t *p = (const uint8_t *)l->outs[0].data.text + at;
    uint32_t words[2] = {0};
    if (line->text == NULL) {
        return false;
    }
    for (unsigned i = 0; i < 8 && i < line->size; i++) {
        words[i / 4] |= (uint32_t)p[i] << i % 4 * 8;
    }
    bool branches = false, falls = false;
    x->text = line->text;
    x->in = (struct lull_rdna_insn){.size = (uint8_t)line->size};
    (void)lull_link_line_flow(x->text, &branches, &falls);
    if (branches) {
        x->in.imm = (int16_t)words[0];
    }
    x->in.op = LULL_RDNA_OP_S_NOP; // any but the one that is looked for
    if (strncmp(x->text, "s_mov_b32 s", 11) == 0 && isdigit((unsigned char)x->text[11])) {
        x->in.op = LULL_RDNA_OP_S_MOV_B32;
        x->in.dst = (uint16_t)strtoul(x->text + 11, NULL, 10);
    }
    if (!branches) {
        take_load(l->gfx, words, x);
    }
    return true;
}

/** The lines by the places in .text that they are of. */
LULL_MUST_USE static struct lull_error *place_lines(struct lull_linker *l)
{
    const uint64_t size = l->outs[0].data.size;
    char *at = l->listing.text;
    l->lines = calloc(size / 4 + 1, sizeof *l->lines);
    if (l->lines == NULL) {
        return &lull_enomem;
    }
    while (at != NULL && *at != '\0') {
        char *end = NULL, *rest = NULL;
        const unsigned long long offset = strtoull(at, &end, 16);
        const unsigned long long bytes = strtoull(end, &rest, 16);
        if (offset % 4 != 0 || bytes % 4 != 0 || bytes == 0 || offset >= size ||
            bytes > size - offset || bytes > UINT8_MAX) {
            return lull_error_new(LULL_ERR_BAD_DATA, "a listing of code that is not the code's");
        }
        if (*rest == ' ') {
            l->lines[offset / 4] = (struct lull_link_line){rest + 1, (uint32_t)bytes};
        }
        at = strchr(rest, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return NULL;
}

struct lull_error *lull_link_list_code(struct lull_linker *l)
{
    char gpu[16] = "";
    const struct lull_str *text = &l->outs[0].data;
    const char *cpu = lull_link_gpu(l->files[0].elf.flags, gpu);
    const bool own = l->gfx == LULL_LINK_GFX_OF_DECODER && strncmp(cpu, "gfx110", 6) == 0;
    if (own || l->gfx < GFX9 || l->gfx > GFX12 || l->options.list == NULL || text->size == 0 ||
        text->size % 4 != 0) {
        return NULL;
    }
    struct lull_error *err = l->options.list(cpu, "", lull_str_text(text), text->size, &l->listing);
    return err != NULL ? err : place_lines(l);
}

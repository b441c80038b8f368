// SPDX-License-Identifier: MIT
#include <string.h>

#include "adreno/crash/crash_walk.h"
#include "cmd/adreno_pm4.h"

enum {
    SECTION = 0x1000, ///< Dwords of a part of CP_UCODE_DBG_DATA; what is too much are mirrors.
    SCRATCH_FIRST = 0x100,
    SCRATCH_REGS = 0x80,
    SQE_REGS = 16, ///< Per column.
    SQE_WORDS = 1 + 2 * SQE_REGS,
};

static void sqe(struct lull_crash *k, const uint32_t *words)
{
    struct lull_cff *c = k->cff;
    lull_cff_say(c, 1, "\t PC: %04x\n", words[0]);
    if (strcmp(k->name, "CP_SQE_STAT") == 0) {
        k->seen.has_sqe = true;
        k->seen.pc = words[0];
        k->seen.word = words[1];
    }
    const struct lull_apkt p = lull_apkt_header(c->gen, words[1]);
    const char *name = c->gen > 5 && p.type == LULL_APKT_OP
                           ? lull_cff_enum(c, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, p.what)
                           : NULL;
    if (name != NULL) {
        lull_cff_say(c, 1, "\tPKT: %s\n", name);
    }
    for (unsigned i = 1; i <= SQE_REGS; i++) {
        lull_cff_say(c, 1, "\t$%02x: %08x\t\t$%02x: %08x\n", i, words[i], i + SQE_REGS,
                     words[i + SQE_REGS]);
    }
}

static void microcode(struct lull_crash *k, const uint32_t *words, uint64_t n)
{
    static const struct {
        const char *title;
        uint32_t dwords;
        bool verbose;
    } parts[] = {
        {"SQE instruction cache", 0x400, false},
        {"Unknown 1", 0x80, false},
        {"Unknown 2", 0x200, false},
        {"Unknown 3", 0x80, false},
        {"SQE packet jumptable contents", 0x80, true},
        {"SQE scratch control regs", 0, false},
    };
    for (uint64_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const uint64_t at = i * SECTION, left = at < n ? n - at : 0;
        if (left == 0 || (parts[i].verbose && !k->o.verbose)) {
            continue;
        }
        lull_cff_say(k->cff, 1, "\t%s:\n", parts[i].title);
        if (parts[i].dwords != 0) {
            lull_crash_hex(k, words + at, left < parts[i].dwords ? left : parts[i].dwords, 1);
            continue;
        }
        k->half = (struct lull_crash_half){0};
        for (uint32_t r = 0; k->control != NULL && r < SCRATCH_REGS && r < left; r++) {
            lull_crash_register(k, k->control, SCRATCH_FIRST + r, words[at + r]);
        }
    }
}

void lull_crash_indexed(struct lull_crash *k, const uint32_t *words, uint64_t n)
{
    static const char *const shown[] = {"CP_SQE_STAT", "CP_BV_SQE_STAT", "CP_DRAW_STATE", "CP_ROQ"};
    bool show = k->o.verbose;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        show |= strcmp(k->name, shown[i]) == 0;
    }
    if (strcmp(k->name, "CP_SQE_STAT") == 0 || strcmp(k->name, "CP_BV_SQE_STAT") == 0) {
        if (n >= SQE_WORDS) {
            sqe(k, words);
        } else {
            lull_crash_damage(k, "%s has %d dwords at least", k->name, SQE_WORDS);
        }
    } else if (strcmp(k->name, "CP_UCODE_DBG_DATA") == 0) {
        microcode(k, words, n);
    } else if (strcmp(k->name, "CP_MEMPOOL") == 0) {
        lull_crash_pool(k, words, n);
    }
    if (show) {
        lull_crash_hex(k, words, n, 1);
    }
}

void lull_crash_shader_block(struct lull_crash *k, const uint32_t *words, uint64_t n)
{
    static const char *const code[] = {"A6XX_SP_INST_DATA", "A6XX_HLSQ_INST_RAM",
                                       "A7XX_SP_INST_DATA", "A7XX_HLSQ_INST_RAM"};
    bool is_code = false;
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++) {
        is_code |= strcmp(k->name, code[i]) == 0;
    }
    if (is_code && k->cff->gen != 0) {
        const struct lull_cff_words w = {
            .words = words, .n = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX, .nowhere = true};
        lull_cff_shader(k->cff, w, 0, false);
    }
    if (is_code || k->o.verbose) {
        lull_crash_hex(k, words, n, 1);
    }
}

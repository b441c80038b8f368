// SPDX-License-Identifier: MIT
// Packets that run a buffer of packets for each bin or draw, or for a mode of rendering; bins.
// Source: shared facts on freedreno, section 4.
#include <inttypes.h>

#include "forensics/walk.h"

enum { MODE_DUMP = 64 };

static uint32_t word(struct lull_cff_words body, uint32_t at)
{
    return at < body.n ? body.words[at] : 0;
}

static uint64_t address(struct lull_cff_words body, uint32_t at)
{
    return word(body, at) | (uint64_t)word(body, at + 1) << 32;
}

/** Run @p times buffers of @p n dwords, one after the other from @p at on. */
static void repeat(struct lull_cff *c, const char *what, uint64_t at, uint32_t n, uint32_t times,
                   unsigned level)
{
    if (lull_cff_memory(c, at, 1).n == 0) {
        fprintf(c->log, "could not find: %016" PRIx64 " (%u)\n", at, n);
        return;
    }
    for (uint32_t i = 0; i < times && lull_cff_work(c, 1); i++) {
        const struct lull_cff_words w = lull_cff_memory(c, at + (uint64_t)i * n * 4, n);
        if (w.n < n) {
            fprintf(c->log, "%s %u of %u is beyond its buffer\n", what, i, times);
            break;
        }
        lull_cff_say(c, 3, "%s%s %u\n", lull_cff_tabs(level), what, i);
        lull_cff_commands(c, w, level);
    }
}

/** A buffer with a mode: its packets, and their dump. */
static void run(struct lull_cff *c, uint64_t at, uint32_t n, unsigned level)
{
    lull_cff_say(c, 3, "%saddr: 0x%016" PRIx64 "\n", lull_cff_tabs(level), at);
    lull_cff_say(c, 3, "%slen:  0x%x\n", lull_cff_tabs(level), n);
    const struct lull_cff_words w = lull_cff_memory(c, at, n);
    if (w.n > 0 && !lull_cff_quiet(c, 2)) {
        lull_cff_commands(c, w, level + 1);
        lull_cff_hex(c, w, level + 1);
    }
}

static void render_mode(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    c->render_mode = lull_cff_enum(c, LULL_ADRENO_ENUM_render_mode_cmd, word(body, 0));
    if (body.n < 4) {
        return;
    }
    if (!lull_cff_quiet(c, 3)) {
        lull_cff_hex(c, lull_cff_memory(c, address(body, 1), MODE_DUMP), level + 2);
    }
    if (body.n >= 8) {
        run(c, address(body, 6), word(body, 5), level);
    }
}

bool lull_cff_bins(struct lull_cff *c, uint32_t opcode, struct lull_cff_words body, unsigned level)
{
    if (opcode == LULL_PKT_CP_SET_BIN && c->gen < 5) {
        if (body.n >= 3) {
            lull_cff_set_bin(c, body.words + 1);
        }
    } else if (opcode == LULL_PKT_CP_SET_RENDER_MODE && c->gen == 5) {
        render_mode(c, body, level);
    } else if (opcode == LULL_PKT_CP_COMPUTE_CHECKPOINT && c->gen >= 5) {
        run(c, address(body, 5), word(body, body.n == 8 ? 7 : 4), level);
    } else if (opcode == LULL_PKT_CP_START_BIN && c->gen >= 6) {
        repeat(c, "bin", address(body, 1), word(body, 3), word(body, 0), level);
    } else if (opcode == LULL_PKT_CP_FIXED_STRIDE_DRAW_TABLE && c->gen >= 6) {
        repeat(c, "draw", address(body, 0), word(body, 2) >> 20, word(body, 3), level);
    } else {
        return false;
    }
    return true;
}

// SPDX-License-Identifier: MIT
// Packets that run a buffer of packets for each bin or draw, or for a mode of rendering; bins.
// Source: shared facts on freedreno, section 4.
#include <inttypes.h>

#include "forensics/walk.h"

enum { MODE_DUMP = 64, CTXSWITCH_DWORDS = 0xffff };

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

void lull_cff_bin(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    (void)level;
    lull_cff_set_bin(c, (const uint32_t[]){lull_cff_word(c, body, 1), lull_cff_word(c, body, 2)});
}

void lull_cff_render_mode(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    c->render_mode = lull_cff_enum(c, LULL_ADRENO_ENUM_render_mode_cmd, lull_cff_word(c, body, 0));
    if (body.n == 1) {
        return;
    }
    if (!lull_cff_quiet(c, 3)) {
        lull_cff_hex(c, lull_cff_memory(c, lull_cff_pair(c, body, 1), MODE_DUMP), level + 2);
    }
    if (body.n != 5) {
        run(c, lull_cff_pair(c, body, 6), lull_cff_word(c, body, 5), level);
    }
}

void lull_cff_checkpoint(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    run(c, lull_cff_pair(c, body, 5), lull_cff_word(c, body, body.n == 8 ? 7 : 4), level);
}

void lull_cff_ctxswitch(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint64_t at = lull_cff_pair(c, body, 0);
    lull_cff_say(c, 3, "%saddr=%" PRIx64 "\n", lull_cff_tabs(level), at);
    const struct lull_cff_words w =
        lull_cff_memory(c, at, lull_cff_word(c, body, 2) & CTXSWITCH_DWORDS);
    if (w.n > 0) {
        lull_cff_commands(c, w, level + 1);
    }
}

void lull_cff_start_bin(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    repeat(c, "bin", lull_cff_pair(c, body, 1), lull_cff_word(c, body, 3),
           lull_cff_word(c, body, 0), level);
}

void lull_cff_draw_table(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    repeat(c, "draw", lull_cff_pair(c, body, 0), lull_cff_word(c, body, 2) >> 20,
           lull_cff_word(c, body, 3), level);
}

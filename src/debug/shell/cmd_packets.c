// SPDX-License-Identifier: MIT
/* Commands on packets of an Adreno's command processor, and on registers of the GPU. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/packet.h"

enum { DWORD = 4, AROUND = 8, MOST_AROUND = 4096 };

LULL_MUST_USE static struct lull_error *step_packets(struct lull_cmd *c, bool over)
{
    uint64_t n = 1;
    struct lull_error *err = *c->args != '\0' ? lull_cmd_count(c->args, 1, UINT32_MAX, &n) : NULL;
    err = err != NULL ? err : lull_debug_step_packets(c->d, over, n);
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_stepp(struct lull_cmd *c)
{
    return step_packets(c, false);
}

struct lull_error *lull_cmd_nextp(struct lull_cmd *c)
{
    return step_packets(c, true);
}

struct lull_error *lull_cmd_break_packet(struct lull_cmd *c, const char *what, bool temporary)
{
    struct lull_packet_where where = {.by = LULL_PACKET_AT};
    unsigned number = 0;
    struct lull_error *err = lull_cmd_packet(c->d, what, &where);
    err = err != NULL ? err : lull_debug_break_packet(c->d, &where, what, temporary, &number);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%s %u: packet %s\n", temporary ? "Temporary breakpoint" : "Breakpoint",
                  number, what);
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
    }
    return NULL;
}

/* Where packets of the buffer begin, up to @p n of those before dword @p next; @return how many. */
static unsigned before(struct lull_debug *d, const struct lull_packet_words *w, uint64_t address,
                       uint32_t next, uint32_t *ret, unsigned n)
{
    unsigned found = 0;
    for (uint32_t at = 0; at < next;) {
        uint32_t header = 0;
        const uint32_t size =
            lull_debug_packet_dwords(d, address + at * (uint64_t)DWORD, &header, 1) != 0
                ? lull_packet_words_size(w, header)
                : 0;
        if (found == n) {
            memmove(ret, ret + 1, (n - 1) * sizeof *ret);
            found--;
        }
        ret[found++] = at;
        at += size != 0 ? size : 1;
    }
    return found;
}

static uint32_t line(struct lull_cmd *c, struct lull_packet_words *w, uint64_t address, bool here)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    uint32_t header = 0;
    const bool there = lull_debug_packet_dwords(c->d, address, &header, 1) == 1;
    lull_debug_packet_text(c->d, w, address, &text);
    lull_str_addf(c->out, "%s 0x%012" PRIx64 "  %s\n", here ? "=>" : "  ", address,
                  lull_str_text(&text));
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_hex(c->json, "address", address);
        lull_json_put_str(c->json, "text", lull_str_text(&text));
        lull_json_put_bool(c->json, "here", here);
        lull_json_close(c->json, '}');
    }
    const uint32_t size = there ? lull_packet_words_size(w, header) : 0;
    return size != 0 ? size : 1;
}

struct lull_error *lull_cmd_info_packets(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    const struct lull_packet_info *p = NULL;
    struct lull_packet_words *w = NULL;
    uint64_t n = AROUND;
    struct lull_error *err = *c->args != '\0' ? lull_cmd_count(c->args, 1, MOST_AROUND, &n) : NULL;
    err = err != NULL ? err : lull_debug_at_packet(d, &p);
    err = err != NULL ? err : lull_debug_packet_words(d, &w);
    lull_cleanup(lull_freep) uint32_t *starts = calloc(n, sizeof *starts);
    if (err != NULL || starts == NULL || p->nbuffers == 0) {
        return err != NULL ? err : starts == NULL ? &lull_enomem : lull_debug_show_packet(c);
    }
    const unsigned top = p->nbuffers - 1;
    const uint64_t base = p->buffers[top].address;
    const uint32_t here = p->buffers[top].next, end = p->buffers[top].dwords;
    lull_debug_packet_place(d, c->out);
    lull_str_addf(c->out, " of %" PRIu32 " dwords\n", end);
    for (unsigned i = 0; i < top; i++) {
        lull_str_addf(c->out, "%s IB%u 0x%" PRIx64 "+0x%" PRIx32, i == 0 ? "  called from" : ",",
                      i + 1, p->buffers[i].address, p->buffers[i].next * DWORD);
    }
    lull_str_addf(c->out, top != 0 ? "\n" : "");
    if (c->json != NULL) {
        lull_json_key(c->json, "packets");
        lull_json_open(c->json, '[');
    }
    const unsigned found = before(d, w, base, here, starts, (unsigned)n);
    for (unsigned i = 0; i < found; i++) {
        (void)line(c, w, base + starts[i] * (uint64_t)DWORD, false);
    }
    uint32_t at = here;
    for (uint64_t i = 0; i <= n && at < end; i++) {
        at += line(c, w, base + at * (uint64_t)DWORD, at == here);
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return NULL;
}

/* A register, with the second half of a wide one. */
LULL_MUST_USE static struct lull_error *show_register(struct lull_cmd *c,
                                                      struct lull_packet_words *w, uint32_t reg,
                                                      bool wide)
{
    struct lull_packet_reg r = {.number = reg, .wide = wide};
    struct lull_error *err = NULL;
    for (uint32_t i = 0; err == NULL && i <= wide; i++) {
        enum lull_gpu_reg_state state = LULL_GPU_REG_NEVER;
        err = lull_debug_gpu_register(c->d, reg + i, &state, &r.value[i]);
        r.state[i] = (enum lull_packet_reg_state)state;
    }
    if (err == NULL) {
        lull_packet_words_register(w, &r, c->out, c->json);
    }
    return err;
}

/* Registers whose names match; all that were written, if @p pattern is NULL. */
LULL_MUST_USE static struct lull_error *show_registers(struct lull_cmd *c, const char *pattern,
                                                       unsigned *ret_n)
{
    struct lull_packet_words *w = NULL;
    lull_cleanup(lull_freep) uint8_t *states = calloc(LULL_PACKET_WORDS_REGS, 1);
    struct lull_error *err = states == NULL ? &lull_enomem : lull_debug_packet_words(c->d, &w);
    err =
        err != NULL ? err : lull_debug_gpu_register_states(c->d, 0, states, LULL_PACKET_WORDS_REGS);
    for (uint32_t r = 0; err == NULL && r < LULL_PACKET_WORDS_REGS; r++) {
        lull_cleanup(lull_str_free) struct lull_str name = {0};
        bool wide = false;
        const bool known = lull_packet_words_reg(w, r, &wide, &name);
        const bool written = states[r] != LULL_GPU_REG_NEVER;
        if (pattern == NULL
                ? written
                : (known || written) && fnmatch(pattern, lull_str_text(&name), FNM_CASEFOLD) == 0) {
            err = show_register(c, w, r, wide);
            ++*ret_n;
        }
        r += wide;
    }
    return err;
}

struct lull_error *lull_cmd_info_regs(struct lull_cmd *c)
{
    unsigned n = 0;
    if (c->json != NULL) {
        lull_json_key(c->json, "registers");
        lull_json_open(c->json, '[');
    }
    struct lull_error *err = show_registers(c, *c->args != '\0' ? c->args : NULL, &n);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (err == NULL && n == 0) {
        err = *c->args != '\0'
                  ? lull_error_new(LULL_ERR_NOT_FOUND,
                                   "no register of this GPU is called '%s' (* and ? match any)",
                                   c->args)
                  : NULL;
        lull_str_addf(c->out, "No register was written yet.\n");
    }
    return err;
}

struct lull_error *lull_cmd_info_submits(struct lull_cmd *c)
{
    if (c->d->packets.submits == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "only a capture knows its submits");
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "submits");
    }
    c->d->packets.submits(c->d->run_ctx, c->out, c->json);
    return NULL;
}

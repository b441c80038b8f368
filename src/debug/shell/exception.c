// SPDX-License-Identifier: MIT
/* Exceptions of the ALU: catch fp, and what is said when a wave raised one. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/shell.h"

// Bit n of enum lull_exception: what is said of it.
static const char *const texts[] = {
    "invalid operation", "denormal operand", "division by zero",         "overflow",
    "underflow",         "inexact result",   "integer division by zero",
};

enum {
    NKINDS = sizeof texts / sizeof texts[0],
    /** What hardly a program raises that works as it should. */
    USUAL = LULL_EXCEPTION_INVALID | LULL_EXCEPTION_DIVZERO | LULL_EXCEPTION_OVERFLOW |
            LULL_EXCEPTION_INT_DIVZERO,
};

void lull_debug_show_exceptions(uint32_t excp, struct lull_str *out)
{
    const char *before = excp == LULL_EXCEPTION_INT_DIVZERO ? "exception: " : "float exception: ";
    for (unsigned i = 0; i < NKINDS; i++) {
        if ((excp >> i & 1) != 0) {
            lull_str_addf(out, "%s%s", before, texts[i]);
            before = ", ";
        }
    }
}

struct lull_error *lull_debug_show_raised(struct lull_cmd *c, const struct lull_debug_wave *wave)
{
    struct lull_debug *d = c->d;
    const struct lull_breakpoint *b = lull_debug_catchpoint_of(d, wave);
    uint64_t va = 0;
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "exceptions", wave->info.excp);
        lull_json_put_u64(c->json, "catchpoint", b != NULL ? b->number : 0);
    }
    if (b != NULL) {
        lull_str_addf(c->out, "Catchpoint %u: ", b->number);
    }
    if (!lull_debug_raised_at(d, wave, &va)) {
        lull_str_addf(c->out, "raised in front of where the wave stands\n");
        return NULL;
    }
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    unsigned size = 0;
    struct lull_error *err = lull_debug_insn_text(d, va, wave->info.lanes, &text, &size);
    if (err != NULL) {
        return err;
    }
    const uint64_t lanes = lull_debug_raised_lanes(d, wave);
    lull_str_addf(c->out, "raised by 0x%012" PRIx64 " ", va);
    lull_debug_show_symbol(d, va, c->out);
    lull_str_addf(c->out, ": %s", lull_str_text(&text));
    lull_debug_show_lanes(lanes, c->out);
    lull_str_addf(c->out, "%s\n", lanes != 0 ? "" : ", in a lane that its result does not show");
    if (c->json != NULL) {
        lull_json_put_hex(c->json, "raised_by", va);
        lull_json_put_str(c->json, "raised_text", lull_str_text(&text));
        lull_json_put_hex(c->json, "raised_lanes", lanes);
    }
    return NULL;
}

/* The kind that stands at @p at, which moves behind it; 0: none. */
static uint32_t kind_at(const char **at)
{
    for (unsigned i = 0; i < NKINDS; i++) {
        if (lull_cmd_word(at, lull_debug_exception_word(1u << i))) {
            return 1u << i;
        }
    }
    return lull_cmd_word(at, "all") ? LULL_EXCEPTION_ANY : 0;
}

struct lull_error *lull_cmd_catch_fp(struct lull_cmd *c, const char *what)
{
    uint32_t excp = *what == '\0' ? (uint32_t)USUAL : 0;
    for (const char *at = what; *at != '\0';) {
        const uint32_t kind = kind_at(&at);
        if (kind == 0) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "'%s': expected invalid, denormal, divzero, overflow, underflow, "
                                  "inexact, intdiv or all",
                                  at);
        }
        excp |= kind;
    }
    unsigned number = 0;
    struct lull_error *err = lull_debug_catch_exceptions(c->d, excp, &number);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "Catchpoint %u: exceptions %s\n", number,
                  lull_debug_breakpoint(c->d, number)->what);
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
    }
    return NULL;
}

// SPDX-License-Identifier: MIT
/* Exceptions of the ALU: catch fp, and what is said when a wave raised one. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/shell.h"

static const struct {
    const char *word, *text;
    uint32_t bits; ///< enum lull_exception.
} kinds[] = {
    {"invalid", "invalid operation", LULL_EXCEPTION_INVALID},
    {"denormal", "denormal operand", LULL_EXCEPTION_DENORMAL},
    {"divzero", "division by zero", LULL_EXCEPTION_DIVZERO},
    {"overflow", "overflow", LULL_EXCEPTION_OVERFLOW},
    {"underflow", "underflow", LULL_EXCEPTION_UNDERFLOW},
    {"inexact", "inexact result", LULL_EXCEPTION_INEXACT},
    {"intdiv", "integer division by zero", LULL_EXCEPTION_INT_DIVZERO},
    {"all", NULL, LULL_EXCEPTION_ANY},
};

enum {
    NKINDS = sizeof kinds / sizeof kinds[0],
    /** What hardly a program raises that works as it should. */
    USUAL = LULL_EXCEPTION_INVALID | LULL_EXCEPTION_DIVZERO | LULL_EXCEPTION_OVERFLOW |
            LULL_EXCEPTION_INT_DIVZERO,
};

void lull_debug_show_exceptions(uint32_t excp, struct lull_str *out)
{
    const char *before = excp == LULL_EXCEPTION_INT_DIVZERO ? "exception: " : "float exception: ";
    for (unsigned i = 0; i < NKINDS; i++) {
        if (kinds[i].text != NULL && (excp & kinds[i].bits) != 0) {
            lull_str_addf(out, "%s%s", before, kinds[i].text);
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

struct lull_error *lull_cmd_catch_fp(struct lull_cmd *c, const char *what)
{
    lull_cleanup(lull_str_free) struct lull_str said = {0};
    uint32_t excp = *what == '\0' ? (uint32_t)USUAL : 0;
    for (const char *at = what; *at != '\0';) {
        unsigned i = 0;
        while (i < NKINDS && !lull_cmd_word(&at, kinds[i].word)) {
            i++;
        }
        if (i == NKINDS) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "'%s': expected invalid, denormal, divzero, overflow, underflow, "
                                  "inexact, intdiv or all",
                                  at);
        }
        excp |= kinds[i].bits;
    }
    for (unsigned i = 0; i < NKINDS; i++) {
        if (kinds[i].text != NULL && (excp & kinds[i].bits) != 0) {
            lull_str_addf(&said, "%s%s", said.size != 0 ? " " : "", kinds[i].word);
        }
    }
    unsigned number = 0;
    struct lull_error *err = lull_debug_catch_exceptions(c->d, excp, lull_str_text(&said), &number);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "Catchpoint %u: exceptions %s\n", number, lull_str_text(&said));
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
    }
    return NULL;
}

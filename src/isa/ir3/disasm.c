// SPDX-License-Identifier: MIT
#include "isa/ir3/ir3.h"

#include <inttypes.h>
#include <stdlib.h>

#include "isa/ir3_spec.h"

struct shader {
    size_t n, at;
    uint8_t *targets;
};

static bool branch(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    struct shader *s = ctx;
    const int64_t target = absolute ? value : (int64_t)s->at + value;
    if (target < 0 || target >= (int64_t)s->n) {
        return false;
    }
    s->targets[target] = 1;
    lull_str_addf(out, "l%" PRId64, target);
    return true;
}

void lull_ir3_disasm(const uint64_t *words, size_t n, const struct lull_ir3_options *o,
                     struct lull_str *out)
{
    struct shader s = {.n = n, .targets = calloc(n + 1, 1)};
    const struct lull_spec_hooks hooks = {.branch = branch, .ctx = &s};
    const struct lull_spec_options print = {.gen = o->gen, .errors = o->errors, .hooks = &hooks};
    struct lull_str nothing = {0};
    if (s.targets == NULL) {
        out->err = out->err != NULL ? out->err : &lull_enomem;
        return;
    }
    for (s.at = 0; s.at < n; s.at++) { // once to see what is a target
        nothing.size = 0;
        (void)lull_spec_print(&lull_spec_ir3, &print, words[s.at], &nothing);
    }
    lull_str_free(&nothing);
    for (s.at = 0; s.at < n; s.at++) {
        if (s.targets[s.at] != 0) {
            lull_str_addf(out, "l%zu:\n", s.at);
        }
        if (o->words) {
            lull_str_addf(out, "%4zu: %016" PRIx64 "  ", s.at, words[s.at]);
        }
        (void)lull_spec_print(&lull_spec_ir3, &print, words[s.at], out);
        lull_str_add(out, "\n", 1);
    }
    free(s.targets);
}

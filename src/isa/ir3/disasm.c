// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "isa/ir3/decode.h"
#include "isa/ir3/ir3.h"
#include "isa/ir3_spec.h"

struct shader {
    size_t n, at;
    uint8_t *targets;
};

static bool branch(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    const struct shader *s = ctx;
    const int64_t target = absolute ? value : (int64_t)s->at + value;
    if (target < 0 || target >= (int64_t)s->n) {
        return false;
    }
    lull_str_addf(out, "l%" PRId64, target);
    return true;
}

static void find_targets(struct shader *s, const uint64_t *words, unsigned gen)
{
    struct lull_ir3_insn in = {0};
    for (size_t i = 0; i < s->n; i++) {
        const int64_t target =
            lull_ir3_decode(words[i], gen, &in) && in.branches ? (int64_t)i + in.target : -1;
        if (target >= 0 && target < (int64_t)s->n) {
            s->targets[target] = 1;
        }
    }
}

static void as_json(const struct shader *s, uint64_t word, const struct lull_spec_options *print,
                    struct lull_str *out)
{
    struct lull_json j = {.out = out};
    struct lull_str text = {0};
    struct lull_ir3_insn in = {0};
    char hex[20] = "";
    (void)lull_spec_print(&lull_spec_ir3, print, word, &text);
    (void)snprintf(hex, sizeof hex, "%016" PRIx64, word);
    lull_json_open(&j, '{');
    lull_json_put_u64(&j, "at", s->at);
    lull_json_put_bool(&j, "label", s->targets[s->at] != 0);
    lull_json_put_str(&j, "word", hex);
    lull_json_put_str(&j, "text", lull_str_text(&text));
    if (lull_ir3_decode(word, print->gen, &in)) {
        lull_json_key(&j, "instruction");
        lull_ir3_insn_json(&in, &j);
    }
    lull_json_close(&j, '}');
    lull_str_add(out, "\n", 1);
    out->err = out->err != NULL ? out->err : text.err;
    lull_str_free(&text);
}

static void as_text(const struct shader *s, uint64_t word, const struct lull_spec_options *print,
                    bool words, struct lull_str *out)
{
    if (s->targets[s->at] != 0) {
        lull_str_addf(out, "l%zu:\n", s->at);
    }
    if (words) {
        lull_str_addf(out, "%4zu: %016" PRIx64 "  ", s->at, word);
    }
    (void)lull_spec_print(&lull_spec_ir3, print, word, out);
    lull_str_add(out, "\n", 1);
}

void lull_ir3_disasm(const uint64_t *words, size_t n, const struct lull_ir3_options *o,
                     struct lull_str *out)
{
    struct shader s = {.n = n, .targets = calloc(n + 1, 1)};
    const struct lull_spec_hooks hooks = {.branch = branch, .ctx = &s};
    const struct lull_spec_options print = {.gen = o->gen, .errors = o->errors, .hooks = &hooks};
    if (s.targets == NULL) {
        out->err = out->err != NULL ? out->err : &lull_enomem;
        return;
    }
    find_targets(&s, words, o->gen);
    for (s.at = 0; s.at < n; s.at++) {
        if (o->json) {
            as_json(&s, words[s.at], &print, out);
        } else {
            as_text(&s, words[s.at], &print, o->words, out);
        }
    }
    free(s.targets);
}

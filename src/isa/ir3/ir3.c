// SPDX-License-Identifier: MIT
#include "isa/ir3/ir3.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ir3_spec.h"

enum { MAX_LINE = 512 };

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

struct label {
    const char *name; ///< In the text.
    size_t size, at;
};

struct assembly {
    struct label *labels;
    size_t nlabels, room;
    uint64_t *words;
    size_t n, words_room;
    bool second;
    unsigned gen;
};

static size_t name_size(const char *at)
{
    size_t size = 0;
    while (isalnum((unsigned char)at[size]) || at[size] == '_') {
        size++;
    }
    return size;
}

static const struct label *find(const struct assembly *a, const char *name, size_t size)
{
    for (size_t i = 0; i < a->nlabels; i++) {
        if (a->labels[i].size == size && strncmp(a->labels[i].name, name, size) == 0) {
            return &a->labels[i];
        }
    }
    return NULL;
}

static size_t parse_label(void *ctx, bool absolute, const char *text, int64_t *ret)
{
    const struct assembly *a = ctx;
    const size_t size = name_size(text);
    const struct label *l = find(a, text, size);
    *ret = l == NULL ? 0 : (int64_t)l->at - (absolute ? 0 : (int64_t)a->n);
    return l != NULL ? size : 0;
}

LULL_MUST_USE static struct lull_error *define(struct assembly *a, const char *name, size_t size)
{
    if (a->second) {
        return NULL;
    }
    if (find(a, name, size) != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "label %.*s stands twice", (int)size, name);
    }
    if (a->nlabels == a->room) {
        const size_t room = a->room * 2 + 16;
        struct label *labels = realloc(a->labels, room * sizeof *labels);
        if (labels == NULL) {
            return &lull_enomem;
        }
        a->labels = labels;
        a->room = room;
    }
    a->labels[a->nlabels++] = (struct label){.name = name, .size = size, .at = a->n};
    return NULL;
}

LULL_MUST_USE static struct lull_error *emit(struct assembly *a, uint64_t word)
{
    if (a->n == a->words_room) {
        const size_t room = a->words_room * 2 + 64;
        uint64_t *words = realloc(a->words, room * sizeof *words);
        if (words == NULL) {
            return &lull_enomem;
        }
        a->words = words;
        a->words_room = room;
    }
    a->words[a->n++] = word;
    return NULL;
}

/** Length of a line without its comment and blanks at its end. */
static size_t trimmed(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (line[i] == ';' || (line[i] == '/' && i + 1 < size && line[i + 1] == '/')) {
            size = i;
        }
    }
    while (size > 0 && isspace((unsigned char)line[size - 1])) {
        size--;
    }
    return size;
}

LULL_MUST_USE static struct lull_error *one_line(struct assembly *a, const char *line, size_t size)
{
    size = trimmed(line, size);
    while (size > 0 && isspace((unsigned char)*line)) {
        line++;
        size--;
    }
    const size_t name = name_size(line);
    if (name > 0 && name < size && line[name] == ':') {
        struct lull_error *err = define(a, line, name);
        return err != NULL ? err : one_line(a, line + name + 1, size - name - 1);
    }
    char text[MAX_LINE];
    if (size == 0) {
        return NULL;
    }
    if (size >= sizeof text) {
        return lull_error_new(LULL_ERR_INVALID, "longer than %d characters", MAX_LINE - 1);
    }
    memcpy(text, line, size);
    text[size] = '\0';
    const struct lull_spec_hooks hooks = {.label = parse_label, .ctx = a};
    const struct lull_spec_options o = {.gen = a->gen, .hooks = &hooks};
    uint64_t word = 0;
    struct lull_error *err = a->second ? lull_spec_assemble(&lull_spec_ir3, &o, text, &word) : NULL;
    return err != NULL ? err : emit(a, word);
}

LULL_MUST_USE static struct lull_error *pass(struct assembly *a, const char *text)
{
    a->n = 0;
    for (unsigned line = 1; *text != '\0'; line++) {
        const size_t size = strcspn(text, "\n");
        struct lull_error *err = one_line(a, text, size);
        if (err != NULL) {
            return lull_error_in(err, "line %u", line);
        }
        text += size + (text[size] == '\n');
    }
    return NULL;
}

struct lull_error *lull_ir3_assemble(const char *text, unsigned gen, uint64_t **ret, size_t *ret_n)
{
    struct assembly a = {.gen = gen};
    struct lull_error *err = pass(&a, text);
    a.second = true;
    err = err != NULL ? err : pass(&a, text);
    free(a.labels);
    if (err != NULL) {
        free(a.words);
        return err;
    }
    *ret = a.words;
    *ret_n = a.n;
    return NULL;
}

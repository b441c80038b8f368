// SPDX-License-Identifier: MIT
// Text to firmware, in two passes: where labels are, then the words.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/afuc/names.h"
#include "isa/afuc_spec.h"
#include "isa/spec/spec.h"

enum {
    MAX_LINE = 256,
    ALIGN_DWORDS = 4, // bytes of one
    ID_SHIFT = 12,
    ID_MASK = 0xfff,
    LITERAL_MASK = 0xffffff,
    LITERAL_OP_A6XX = 0x01000000,
};

struct label {
    char *name;
    unsigned section;
    uint32_t at;
};

struct asm_state {
    uint32_t *words; ///< Instructions of all sections.
    uint32_t n, room;
    struct label *labels;
    uint32_t nlabels, labels_room;
    unsigned section;
    uint32_t start; ///< Of the section.
    unsigned line;
    bool second; ///< Pass.
    uint32_t id;
    unsigned gen;
};

LULL_MUST_USE static struct lull_error *emit(struct asm_state *a, uint32_t word)
{
    if (a->n == a->room) {
        const uint32_t room = a->room * 2 + 1024;
        uint32_t *words = realloc(a->words, room * sizeof *words);
        if (words == NULL) {
            return &lull_enomem;
        }
        a->words = words;
        a->room = room;
    }
    a->words[a->n++] = word;
    return NULL;
}

static const struct label *find(const struct asm_state *a, const char *name, size_t size)
{
    for (uint32_t i = 0; i < a->nlabels; i++) {
        const struct label *l = &a->labels[i];
        if (l->section == a->section && strlen(l->name) == size &&
            strncmp(l->name, name, size) == 0) {
            return l;
        }
    }
    return NULL;
}

static size_t name_size(const char *at)
{
    size_t size = 0;
    while (isalnum((unsigned char)at[size]) || at[size] == '_' || at[size] == '.') {
        size++;
    }
    return size;
}

LULL_MUST_USE static struct lull_error *define(struct asm_state *a, const char *name, size_t size)
{
    if (a->second) {
        return NULL;
    }
    if (find(a, name, size) != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "label %.*s stands twice", (int)size, name);
    }
    if (a->nlabels == a->labels_room) {
        const uint32_t room = a->labels_room * 2 + 64;
        struct label *labels = realloc(a->labels, room * sizeof *labels);
        if (labels == NULL) {
            return &lull_enomem;
        }
        a->labels = labels;
        a->labels_room = room;
    }
    char *copy = strndup(name, size);
    if (copy == NULL) {
        return &lull_enomem;
    }
    a->labels[a->nlabels++] =
        (struct label){.name = copy, .section = a->section, .at = a->n - a->start};
    return NULL;
}

/** The firmware's first word says for which processor it is. */
LULL_MUST_USE static struct lull_error *begin(struct asm_state *a, uint32_t version)
{
    a->id = version >> ID_SHIFT & ID_MASK;
    const struct lull_dom *control = lull_afuc_control(a->id);
    if (control == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "firmware id %03" PRIx32 " is not known", a->id);
    }
    a->gen = (unsigned)(control->name[1] - '0');
    return NULL;
}

/** "[01234567]" or "[#label]". */
LULL_MUST_USE static struct lull_error *literal(struct asm_state *a, const char *at)
{
    char *end = NULL;
    uint32_t word = 0;
    if (at[1] == '#') {
        const size_t size = name_size(at + 2);
        const struct label *l = find(a, at + 2, size);
        if (l == NULL && a->second) {
            return lull_error_new(LULL_ERR_INVALID, "no label '%.*s'", (int)size, at + 2);
        }
        word = (a->gen >= 6 ? LITERAL_OP_A6XX : 0) | (l != NULL ? l->at & LITERAL_MASK : 0);
        end = (char *)(at + 2 + size);
    } else {
        word = (uint32_t)strtoul(at + 1, &end, 16);
    }
    if (*end != ']') {
        return lull_error_new(LULL_ERR_INVALID, "']' is missing in '%s'", at);
    }
    struct lull_error *err = a->n == 0 ? begin(a, word) : NULL;
    return err != NULL ? err : emit(a, word);
}

/** Handlers are found by the name of the packet, or UNKN and its number. */
LULL_MUST_USE static struct lull_error *table(struct asm_state *a)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < LULL_AFUC_TABLE; i++) {
        struct lull_str name = {0};
        char number[16];
        lull_afuc_packet_name(a->gen, i, &name);
        const int size = snprintf(number, sizeof number, "UNKN%u", i);
        const struct label *l = find(a, lull_str_text(&name), name.size);
        l = l != NULL ? l : find(a, number, (size_t)size);
        for (unsigned gen = 2; l == NULL && gen <= 7; gen++) { // or as another generation calls it
            name.size = 0;
            lull_afuc_packet_name(gen, i, &name);
            l = find(a, lull_str_text(&name), name.size);
        }
        err = l == NULL && a->second
                  ? lull_error_new(LULL_ERR_INVALID, "no handler %s of packet 0x%02x",
                                   lull_str_text(&name), i)
                  : emit(a, l != NULL ? l->at : 0);
        lull_str_free(&name);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *directive(struct asm_state *a, const char *at)
{
    struct lull_error *err = NULL;
    if (strcmp(at, ".jumptbl") == 0) {
        return table(a);
    }
    if (strncmp(at, ".section ", 9) == 0) {
        a->section++;
        a->start = a->n;
        return NULL;
    }
    if (strncmp(at, ".align ", 7) == 0) {
        const uint32_t dwords = (uint32_t)strtoul(at + 7, NULL, 10) / ALIGN_DWORDS;
        while (err == NULL && dwords > 0 && a->n % dwords != 0) {
            err = emit(a, a->gen >= 6 ? LITERAL_OP_A6XX : 0);
        }
        return err;
    }
    return lull_error_new(LULL_ERR_INVALID, "no directive '%s'", at);
}

static size_t parse_custom(void *ctx, const char *field, const char *text, uint64_t *ret)
{
    const struct asm_state *a = ctx;
    const bool sqe = strcmp(field, "SQEREG") == 0;
    if (*text != (sqe ? '%' : '@')) {
        return 0;
    }
    size_t size = 1;
    while (text[size] != '\0' && strchr(" \t]!", text[size]) == NULL) {
        if (text[size] == '[') {
            size += strcspn(text + size, "]");
        }
        size += text[size] != '\0';
    }
    uint32_t offset = 0;
    const bool found = lull_afuc_reg_find(a->id, a->gen, sqe ? LULL_AFUC_SQE : LULL_AFUC_CONTROL,
                                          text + 1, size - 1, &offset);
    *ret = offset;
    return found ? size : 0;
}

static size_t parse_label(void *ctx, bool absolute, const char *text, int64_t *ret)
{
    const struct asm_state *a = ctx;
    const size_t size = name_size(text);
    const struct label *l = find(a, text, size);
    const int64_t here = (int64_t)a->n - a->start;
    *ret = l == NULL ? 0 : absolute ? (int64_t)l->at : (int64_t)l->at - here;
    return l != NULL ? size : 0;
}

/** Decimal numbers as the hexadecimal ones that the displays have, and labels as their address. */
LULL_MUST_USE static struct lull_error *rewrite(const struct asm_state *a, const char *at,
                                                struct lull_str *out)
{
    const bool is_move = strstr(at, "mov ") != NULL;
    while (*at != '\0') {
        const bool begins = out->size > 0 && strchr(" ,+", out->text[out->size - 1]) != NULL;
        if (begins && isdigit((unsigned char)*at) && !(at[0] == '0' && at[1] == 'x')) {
            char *end = NULL;
            lull_str_addf(out, "0x%lx", strtoul(at, &end, 10));
            at = end;
        } else if (begins && is_move && *at == '#') {
            const size_t size = name_size(at + 1);
            const struct label *l = find(a, at + 1, size);
            if (l == NULL) {
                return lull_error_new(LULL_ERR_INVALID, "no label '%.*s'", (int)size, at + 1);
            }
            lull_str_addf(out, "0x%" PRIx32, l->at);
            at += size + 1;
        } else {
            lull_str_add(out, at++, 1);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *instruction(struct asm_state *a, const char *at)
{
    if (a->gen == 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "the firmware's version, as [hex], must come first");
    }
    if (!a->second) {
        return emit(a, 0);
    }
    const struct lull_spec_hooks hooks = {.parse = parse_custom, .label = parse_label, .ctx = a};
    const struct lull_spec_options o = {.gen = a->gen, .hooks = &hooks};
    struct lull_str text = {0};
    uint64_t word = 0;
    struct lull_error *err = rewrite(a, at, &text);
    err = err != NULL ? err : lull_spec_assemble(&lull_spec_afuc, &o, lull_str_text(&text), &word);
    lull_str_free(&text);
    return err != NULL ? err : emit(a, (uint32_t)word);
}

LULL_MUST_USE static struct lull_error *one_line(struct asm_state *a, char *line)
{
    line[strcspn(line, ";")] = '\0';
    char *at = line + strspn(line, " \t\r");
    for (size_t size = strlen(at); size > 0 && isspace((unsigned char)at[size - 1]);) {
        at[--size] = '\0';
    }
    const size_t size = name_size(at);
    if (size > 0 && at[size] == ':' && at[0] != '.') {
        struct lull_error *err = define(a, at, size);
        return err != NULL || at[size + 1] == '\0' ? err : one_line(a, at + size + 1);
    }
    if (*at == '\0') {
        return NULL;
    }
    return *at == '[' ? literal(a, at) : *at == '.' ? directive(a, at) : instruction(a, at);
}

LULL_MUST_USE static struct lull_error *pass(struct asm_state *a, const char *text)
{
    a->n = a->start = a->section = a->line = 0;
    while (*text != '\0') {
        char line[MAX_LINE];
        const size_t size = strcspn(text, "\n");
        a->line++;
        if (size >= sizeof line) {
            return lull_error_new(LULL_ERR_INVALID, "line %u is longer than %d characters", a->line,
                                  MAX_LINE - 1);
        }
        memcpy(line, text, size);
        line[size] = '\0';
        struct lull_error *err = one_line(a, line);
        if (err != NULL) {
            return lull_error_in(err, "line %u", a->line);
        }
        text += size + (text[size] == '\n');
    }
    return NULL;
}

struct lull_error *lull_afuc_assemble(const char *text, uint32_t **ret, uint32_t *ret_n)
{
    struct asm_state a = {0};
    struct lull_error *err = pass(&a, text);
    a.second = true;
    err = err != NULL ? err : pass(&a, text);
    if (err == NULL && a.n == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "there is no instruction");
    }
    err = err != NULL ? err : emit(&a, 0);
    if (err == NULL) {
        memmove(a.words + 1, a.words, (a.n - 1) * sizeof *a.words);
        a.words[0] = 0;
        *ret = a.words;
        *ret_n = a.n;
    } else {
        free(a.words);
    }
    for (uint32_t i = 0; i < a.nlabels; i++) {
        free(a.labels[i].name);
    }
    free(a.labels);
    return err;
}

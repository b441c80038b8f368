// SPDX-License-Identifier: MIT
#include "cli/run/listing_llvm.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "compile/llvm.h"
#include "file/elf.h"
#include "image/image.h"

enum { WAVE64 = 64, WORD = 4, WORDS_SHOWN = 5, NAME = 256 };

/** Code of one section. */
struct code {
    struct lull_listing_llvm *l;
    const struct lull_elf_section *section;
    size_t index; ///< Of it.
    const struct lull_elf_symbol *symbols;
    size_t nsymbols;
    const uint8_t *bytes;
    uint64_t size;
    uint64_t first; ///< Address of bytes[0], or 0.
    bool *targets;  ///< By dword: branches go there.
    struct lull_json *json;
};

/** One line of LLVM's. */
struct line {
    uint64_t at;
    unsigned size;
    const char *text; ///< NULL: not an instruction.
    int length;
};

bool lull_listing_is_llvm(const void *image, size_t size)
{
    struct lull_elf elf = {0};
    struct lull_error *err = lull_elf_parse(image, size, &elf);
    const bool is = err == NULL && elf.machine == LULL_ELF_AMDGPU &&
                    !lull_image_machine_ok(elf.flags) && lull_image_machine(elf.flags) != NULL;
    lull_error_free(err);
    lull_elf_done(&elf);
    return is;
}

/** The next line; false: no more. */
static bool next_line(const char **text, struct line *ret)
{
    char *end = NULL, *rest = NULL;
    if (**text == '\0') {
        return false;
    }
    ret->at = strtoull(*text, &end, 16);
    ret->size = (unsigned)strtoul(end, &rest, 16);
    ret->text = *rest == ' ' ? rest + 1 : NULL;
    const size_t n = strcspn(rest, "\n");
    ret->length = ret->text != NULL ? (int)n - 1 : 0;
    *text = rest[n] == '\n' ? rest + n + 1 : rest + n;
    return ret->size != 0;
}

static uint32_t word_at(const struct code *c, uint64_t at)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < WORD && at + i < c->size; i++) {
        v |= (uint32_t)c->bytes[at + i] << 8 * i;
    }
    return v;
}

/** Where a branch goes; false: it is none, or goes out of the code. */
static bool target_of(const struct code *c, const struct line *line, uint64_t *ret)
{
    const bool branch = line->text != NULL && (strncmp(line->text, "s_branch ", 9) == 0 ||
                                               strncmp(line->text, "s_cbranch_", 10) == 0);
    const int16_t by = (int16_t)word_at(c, line->at);
    *ret = line->at + WORD + (uint64_t)((int64_t)by * WORD);
    return branch && *ret < c->size;
}

/** The function or label that @p at is in, or at; NULL. */
static const struct lull_elf_symbol *symbol_at(const struct code *c, uint64_t at)
{
    const struct lull_elf_symbol *best = NULL;
    for (size_t i = 0; i < c->nsymbols; i++) {
        const struct lull_elf_symbol *s = &c->symbols[i];
        const bool code = s->type == LULL_ELF_FUNC || s->type == LULL_ELF_NOTYPE;
        if (code && s->section == c->index && s->name[0] != '\0' && s->value - c->first <= at &&
            (best == NULL || s->value > best->value)) {
            best = s;
        }
    }
    return best;
}

static const char *name_of(const struct code *c, uint64_t at, char name[NAME])
{
    const struct lull_elf_symbol *s = symbol_at(c, at);
    const unsigned long long by = at - (s != NULL ? s->value - c->first : 0);
    if (s == NULL || by != 0) {
        snprintf(name, NAME, "%s%s0x%llx", s != NULL ? s->name : "", s != NULL ? "+" : "", by);
    } else {
        snprintf(name, NAME, "%s", s->name);
    }
    return name;
}

static void put_text(const struct code *c, const struct line *line)
{
    struct lull_str *out = c->l->out;
    char name[NAME] = "";
    uint64_t to = 0;
    const struct lull_elf_symbol *s = symbol_at(c, line->at);
    const bool begins = s != NULL && s->value - c->first == line->at;
    if (begins || c->targets[line->at / WORD]) {
        lull_str_addf(out, "%s%s:\n", begins && out->size != 0 ? "\n" : "",
                      name_of(c, line->at, name));
    }
    lull_str_addf(out, "  %06llx ", (unsigned long long)(c->first + line->at));
    for (unsigned i = 0; i < WORDS_SHOWN && i * WORD < line->size; i++) {
        lull_str_addf(out, " %08x", word_at(c, line->at + i * WORD));
    }
    lull_str_addf(out, "%*s  ", line->size == WORD ? 9 : 0, "");
    if (line->text == NULL) {
        lull_str_addf(out, ".long 0x%08x  ; not an instruction\n", word_at(c, line->at));
        return;
    }
    const bool branches = target_of(c, line, &to);
    lull_str_addf(out, "%.*s%s%s\n", line->length, line->text, branches ? "  ; " : "",
                  branches ? name_of(c, to, name) : "");
}

static void put_json(const struct code *c, const struct line *line)
{
    struct lull_json *j = c->json;
    char text[NAME] = "";
    const struct lull_elf_symbol *s = symbol_at(c, line->at);
    lull_json_open(j, '{');
    lull_json_put_hex(j, "offset", c->first + line->at);
    lull_json_key(j, "words");
    lull_json_open(j, '[');
    for (unsigned i = 0; i * WORD < line->size; i++) {
        lull_json_hex(j, word_at(c, line->at + i * WORD));
    }
    lull_json_close(j, ']');
    if (line->text != NULL) {
        snprintf(text, sizeof text, "%.*s", line->length, line->text);
    } else {
        snprintf(text, sizeof text, ".long 0x%08x", word_at(c, line->at));
    }
    lull_json_put_str(j, "text", text);
    if (line->text == NULL) {
        lull_json_put_bool(j, "unknown", true);
    }
    if (s != NULL && s->value - c->first == line->at) {
        lull_json_put_str(j, "symbol", s->name);
    }
    lull_json_close(j, '}');
}

/** What is listed: all of it, or the function that was asked for. */
LULL_MUST_USE static struct lull_error *print(struct code *c, const char *lines, uint64_t from,
                                              uint64_t to)
{
    struct line line = {0};
    uint64_t target = 0;
    c->targets = calloc(c->size / WORD + 1, sizeof *c->targets);
    if (c->targets == NULL) {
        return &lull_enomem;
    }
    for (const char *at = lines; next_line(&at, &line);) {
        if (target_of(c, &line, &target)) {
            c->targets[target / WORD] = true;
        }
    }
    for (const char *at = lines; next_line(&at, &line);) {
        if (line.at < from || line.at >= to || line.at >= c->size) {
            continue;
        }
        c->l->unknown += line.text == NULL;
        if (c->json != NULL) {
            put_json(c, &line);
        } else {
            put_text(c, &line);
        }
    }
    free(c->targets);
    return c->l->out->err;
}

/** Code of a section. @p found: set if the symbol that was asked for is there. */
LULL_MUST_USE static struct lull_error *list(struct code *c, const char *cpu, bool *found)
{
    struct lull_str lines = {0};
    uint64_t from = 0, to = UINT64_MAX;
    struct lull_cur cur = c->section->data;
    c->size = lull_cur_left(&cur);
    c->bytes = lull_cur_take(&cur, c->size);
    c->first = c->section->address;
    const struct lull_elf_symbol *s = NULL;
    for (size_t i = 0; c->l->symbol != NULL && i < c->nsymbols; i++) {
        const bool is =
            c->symbols[i].section == c->index && strcmp(c->symbols[i].name, c->l->symbol) == 0;
        s = is ? &c->symbols[i] : s;
    }
    if (c->bytes == NULL || (c->l->symbol != NULL && s == NULL)) {
        return NULL;
    }
    *found = true;
    if (s != NULL) {
        from = s->value - c->first;
        to = s->size != 0 ? from + s->size : to;
    }
    struct lull_error *err = lull_llvm_list(
        cpu, c->l->wave_size == WAVE64 ? "+wavefrontsize64" : "", c->bytes, c->size, &lines);
    err = err != NULL ? err : print(c, lull_str_text(&lines), from, to);
    lines.err = NULL;
    lull_str_free(&lines);
    return err;
}

LULL_MUST_USE static struct lull_error *sections(const struct lull_elf *elf,
                                                 struct lull_listing_llvm *l, struct lull_json *j)
{
    const char *cpu = lull_image_machine(elf->flags);
    const struct lull_elf_section *table = lull_elf_find(elf, ".symtab");
    lull_cleanup(lull_freep) struct lull_elf_symbol *symbols = NULL;
    size_t n = 0;
    bool found = false;
    table = table != NULL ? table : lull_elf_find(elf, ".dynsym");
    struct lull_error *err = table != NULL ? lull_elf_symbols(elf, table, &symbols, &n) : NULL;
    for (size_t i = 0; err == NULL && i < elf->nsections; i++) {
        const struct lull_elf_section *s = &elf->sections[i];
        if ((s->flags & LULL_ELF_EXEC) != 0 && s->type == LULL_ELF_PROGBITS) {
            struct code c = {
                .l = l, .section = s, .index = i, .symbols = symbols, .nsymbols = n, .json = j};
            err = list(&c, cpu, &found);
        }
    }
    if (err == NULL && !found) {
        err = l->symbol != NULL
                  ? lull_error_new(LULL_ERR_NOT_FOUND, "no code called '%s'", l->symbol)
                  : lull_error_new(LULL_ERR_BAD_DATA, "no code");
    }
    return err;
}

struct lull_error *lull_listing_llvm(const void *image, size_t size, struct lull_listing_llvm *l)
{
    struct lull_elf elf = {0};
    struct lull_json j = {.out = l->out};
    struct lull_error *err = lull_elf_parse(image, size, &elf);
    if (err == NULL && l->json) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "isa", lull_image_machine(elf.flags));
        lull_json_key(&j, "code");
        lull_json_open(&j, '[');
    }
    err = err != NULL ? err : sections(&elf, l, l->json ? &j : NULL);
    if (err == NULL && l->json) {
        lull_json_close(&j, ']');
        lull_json_put_u64(&j, "unknown", l->unknown);
        lull_json_close(&j, '}');
        lull_str_addf(l->out, "\n");
    }
    lull_elf_done(&elf);
    return err;
}

// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/link_priv.h"

static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u; // FNV-1a
    for (; *name != '\0'; name++) {
        h = (h ^ (uint8_t)*name) * 16777619u;
    }
    return h;
}

static struct lull_link_symbol *look(const struct lull_linker *l, const char *name)
{
    for (uint32_t at = hash(name); l->name_room != 0; at++) {
        const uint32_t i = l->by_name[at & (l->name_room - 1)];
        if (i == 0) {
            break;
        }
        if (strcmp(l->symbols[i - 1].name, name) == 0) {
            return &l->symbols[i - 1];
        }
    }
    return NULL;
}

struct lull_link_symbol *lull_link_global(const struct lull_linker *l, const char *name)
{
    struct lull_link_symbol *s = look(l, name);
    return s != NULL && s->s.binding != LULL_ELF_LOCAL ? s : NULL;
}

// At most half of the table is used.
static bool make_room(struct lull_linker *l)
{
    if (2 * (l->nsymbols + 1) <= l->name_room) {
        return true;
    }
    const uint32_t room = l->name_room != 0 ? 2 * l->name_room : 64;
    uint32_t *table = calloc(room, sizeof *table);
    if (table == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < l->nsymbols; i++) {
        uint32_t at = hash(l->symbols[i].name);
        while (table[at & (room - 1)] != 0) {
            at++;
        }
        table[at & (room - 1)] = i + 1;
    }
    free(l->by_name);
    l->by_name = table;
    l->name_room = room;
    return true;
}

LULL_MUST_USE static struct lull_error *add(struct lull_linker *l,
                                            const struct lull_link_symbol *symbol, uint32_t *ret)
{
    size_t room = l->symbol_room;
    struct lull_link_symbol *grown = lull_link_grow(l->symbols, l->nsymbols, sizeof *grown, &room);
    if (grown == NULL) {
        return &lull_enomem;
    }
    l->symbols = grown;
    l->symbol_room = (uint32_t)room;
    if (!make_room(l)) {
        return &lull_enomem;
    }
    uint32_t at = hash(symbol->name);
    while (l->by_name[at & (l->name_room - 1)] != 0) {
        at++;
    }
    l->symbols[l->nsymbols] = *symbol;
    *ret = l->nsymbols++;
    l->by_name[at & (l->name_room - 1)] = *ret + 1;
    return NULL;
}

// A name that no symbol has: NAME, NAME.FILE if there are several files, NAME.FILE.1 ...
static const char *free_name(struct lull_linker *l, const struct lull_link_file *f,
                             const char *name)
{
    const size_t size = strlen(name) + strlen(f->stem) + 24;
    char *text = lull_arena_calloc(l->arena, size, 1);
    if (text == NULL) {
        return NULL;
    }
    const int n = l->nfiles > 1 ? snprintf(text, size, "%s.%s", name, f->stem)
                                : snprintf(text, size, "%s", name);
    for (unsigned k = 1; look(l, text) != NULL; k++) {
        (void)snprintf(text + n, size - (size_t)n, ".%u", k);
    }
    return text;
}

// Where a symbol of an input lies in the result. Its section was taken.
LULL_MUST_USE static struct lull_error *locate(const struct lull_link_file *f,
                                               const struct lull_elf_symbol *s,
                                               struct lull_elf_symbol *ret)
{
    if (s->section >= LULL_ELF_RESERVED || s->section >= f->elf.nsections) {
        return lull_error_new(LULL_ERR_BAD_DATA, "in section %u of %zu", s->section,
                              f->elf.nsections);
    }
    const struct lull_link_piece *p = &f->pieces[s->section];
    if (p->out == LULL_LINK_DROPPED) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "in section '%s', which is not linked",
                              f->elf.sections[s->section].name);
    }
    if (s->value > p->size) {
        return lull_error_new(LULL_ERR_BAD_DATA, "at 0x%" PRIx64 " of section '%s', behind its end",
                              s->value, f->elf.sections[s->section].name);
    }
    *ret = *s;
    ret->value += p->offset;
    ret->section = (uint16_t)p->out;
    return NULL;
}

LULL_MUST_USE static struct lull_error *take_global(struct lull_linker *l, struct lull_link_file *f,
                                                    uint32_t i)
{
    const struct lull_elf_symbol *s = &f->symbols[i];
    const struct lull_link_symbol *other = look(l, s->name);
    if (other != NULL && strcmp(s->name, "llvmir") == 0) {
        return NULL; // one copy of the IR is enough
    }
    if (other != NULL && s->binding == LULL_ELF_WEAK) {
        f->out_symbols[i] = (uint32_t)(other - l->symbols) + 1;
        lull_link_note(l, "symbol", f->name, s->name, other->s.value, "weak, that of %s is taken",
                       other->file);
        return NULL;
    }
    if (other != NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "defined twice: also in %s", other->file);
    }
    const char *unlinked = strstr(s->name, "_fetchless");
    if (!lull_link_is_fetched(l, f) && s->type == LULL_ELF_FUNC && unlinked != NULL &&
        strcmp(unlinked, "_fetchless") == 0) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED,
            "takes vertex attributes as arguments: it needs a fetch shader, which "
            "is not made here");
    }
    struct lull_link_symbol out = {.name = s->name, .file = f->name};
    if (s->section == LULL_ELF_ABS) {
        out.s = *s;
    } else {
        struct lull_error *err = locate(f, s, &out.s);
        if (err != NULL) {
            return err;
        }
    }
    uint32_t index = 0;
    struct lull_error *err = add(l, &out, &index);
    f->out_symbols[i] = index + 1;
    lull_link_note(l, "symbol", f->name, s->name, out.s.value, "global, 0x%" PRIx64 " of %s",
                   out.s.value,
                   s->section == LULL_ELF_ABS ? "no section" : l->outs[out.s.section].name);
    return err;
}

LULL_MUST_USE static struct lull_error *take_local(struct lull_linker *l, struct lull_link_file *f,
                                                   uint32_t i)
{
    const struct lull_elf_symbol *s = &f->symbols[i];
    struct lull_link_symbol out = {.file = f->name};
    struct lull_error *err = locate(f, s, &out.s);
    if (err != NULL) {
        return err;
    }
    const bool section = s->type == LULL_ELF_SECTION;
    out.name =
        free_name(l, f, section || s->name[0] == '\0' ? f->elf.sections[s->section].name : s->name);
    if (out.name == NULL) {
        return &lull_enomem;
    }
    out.s.type = section ? LULL_ELF_OBJECT : s->type;
    out.s.size = section ? f->pieces[s->section].size : s->size;
    uint32_t index = 0;
    err = add(l, &out, &index);
    f->out_symbols[i] = index + 1;
    lull_link_note(l, "symbol", f->name, out.name, out.s.value, "local, 0x%" PRIx64 " of %s%s%s",
                   out.s.value, l->outs[out.s.section].name,
                   strcmp(out.name, s->name) != 0 ? ", was " : "",
                   strcmp(out.name, s->name) == 0 ? ""
                   : section                      ? "the section"
                                                  : s->name);
    return err;
}

struct lull_error *lull_link_symbol_for(struct lull_linker *l, struct lull_link_file *f, uint32_t i,
                                        uint32_t *ret)
{
    const struct lull_elf_symbol *s = &f->symbols[i];
    if (f->out_symbols[i] == 0 && s->section != LULL_ELF_UNDEF) {
        struct lull_error *err = take_local(l, f, i);
        if (err != NULL) {
            return err;
        }
    }
    const struct lull_link_symbol *global =
        s->section == LULL_ELF_UNDEF ? lull_link_global(l, s->name) : NULL;
    if (global == NULL && f->out_symbols[i] == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "not defined in any file");
    }
    *ret = global != NULL ? (uint32_t)(global - l->symbols) : f->out_symbols[i] - 1;
    return NULL;
}

static bool defined(const struct lull_elf_symbol *s)
{
    return s->section != LULL_ELF_UNDEF && s->type != LULL_ELF_FILE;
}

// Globals of a file, or its functions that are local.
LULL_MUST_USE static struct lull_error *take_file(struct lull_linker *l, struct lull_link_file *f,
                                                  bool globals)
{
    for (uint32_t i = 1; i < f->nsymbols; i++) {
        const struct lull_elf_symbol *s = &f->symbols[i];
        const bool global = s->binding != LULL_ELF_LOCAL;
        struct lull_error *err = NULL;
        if (defined(s) && global && globals) {
            err = take_global(l, f, i);
        } else if (defined(s) && !global && !globals && s->type == LULL_ELF_FUNC) {
            err = take_local(l, f, i);
        }
        if (err != NULL) {
            return lull_error_in(err, "%s: symbol '%s'", f->name, s->name);
        }
    }
    return NULL;
}

struct lull_error *lull_link_take_symbols(struct lull_linker *l)
{
    struct lull_error *err = NULL;
    for (size_t k = 0; err == NULL && k < l->nfiles; k++) {
        err = take_file(l, &l->files[k], true);
    }
    // After all globals: their names are taken. Functions are kept for disassemblers.
    for (size_t k = 0; err == NULL && k < l->nfiles; k++) {
        err = take_file(l, &l->files[k], false);
    }
    return err;
}

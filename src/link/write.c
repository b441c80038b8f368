// SPDX-License-Identifier: MIT
// The file: strings, symbols, code, notes, the rest, relocations.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/link_priv.h"

// Sections before those of the inputs.
enum { STRTAB = 1, SYMTAB, TEXT, NOTE, FIXED };

enum { MAX_SYMBOLS = 1 << 24 };

struct writer {
    struct lull_linker *l;
    struct lull_str strings, symtab, notes;
    struct lull_str *relocs; // two for each section of linker.outs
    struct lull_elf_section *sections;
    uint32_t *names; // offset in strings of each section's name
    size_t nsections;
    uint32_t first_global;
};

static uint32_t add_name(struct writer *w, const char *name)
{
    const size_t at = w->strings.size;
    if (name[0] == '\0') {
        return 0;
    }
    lull_str_add(&w->strings, name, strlen(name) + 1);
    return (uint32_t)at;
}

// Index of a section of linker.outs in the file.
static uint16_t final_section(uint32_t out)
{
    return (uint16_t)(out == 0 ? TEXT : FIXED - 1 + out);
}

// Locals, then globals: the order that ELF asks for.
static void put_symbols(struct writer *w)
{
    struct lull_linker *l = w->l;
    uint32_t n = 1;
    lull_elf_put_symbol(&w->symtab, &(struct lull_elf_symbol){.name = ""}, 0);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < l->nsymbols; i++) {
            struct lull_link_symbol *s = &l->symbols[i];
            if ((s->s.binding != LULL_ELF_LOCAL) != (pass == 1)) {
                continue;
            }
            struct lull_elf_symbol out = s->s;
            out.section = s->s.section == LULL_ELF_ABS ? LULL_ELF_ABS : final_section(s->s.section);
            lull_elf_put_symbol(&w->symtab, &out, add_name(w, s->name));
            s->final = n++;
        }
        w->first_global = pass == 0 ? n : w->first_global;
    }
}

static void put_notes(struct writer *w)
{
    const struct lull_linker *l = w->l;
    if (l->target_file != NULL) {
        lull_elf_put_note(&w->notes, "AMD", LULL_LINK_NOTE_ISA, l->target.start,
                          lull_cur_left(&l->target));
    }
    lull_str_add(&w->notes, lull_str_text(&l->other_notes), l->other_notes.size);
    if (l->metadata != NULL) {
        struct lull_str doc = {0};
        lull_msgtree_write(l->metadata, &doc);
        lull_elf_put_note(&w->notes, "AMDGPU", LULL_LINK_NOTE_METADATA, lull_str_text(&doc),
                          doc.size);
        w->notes.err = w->notes.err != NULL ? w->notes.err : doc.err;
        lull_str_free(&doc);
    }
}

static void add_section(struct writer *w, const struct lull_elf_section *s, const char *name)
{
    w->names[w->nsections] = add_name(w, name);
    w->sections[w->nsections++] = *s;
}

static struct lull_cur contents(const struct lull_str *s)
{
    return lull_cur_of(s->text, s->size);
}

static void add_out(struct writer *w, const struct lull_link_out *o)
{
    const struct lull_elf_section s = {.type = o->type,
                                       .flags = o->flags,
                                       .align = o->align,
                                       .entsize = o->entsize,
                                       .size = o->size,
                                       .data = contents(&o->data)};
    add_section(w, &s, o->name);
}

// Symbols of kept relocations are numbers in linker.symbols; here they get those of the table.
static void add_relocs(struct writer *w, uint32_t out, bool with_addend)
{
    const struct lull_link_out *o = &w->l->outs[out];
    struct lull_cur c = contents(&o->relocs[with_addend]);
    struct lull_str *to = &w->relocs[2 * (size_t)out + with_addend];
    struct lull_elf_reloc r = {0};
    while (with_addend ? lull_elf_next_reloc(&c, &r) : lull_elf_next_rel(&c, &r)) {
        r.symbol = r.symbol == UINT32_MAX ? 0 : w->l->symbols[r.symbol].final;
        lull_elf_put_reloc(to, &r, with_addend);
    }
    if (to->size == 0) {
        return;
    }
    char name[256];
    (void)snprintf(name, sizeof name, "%s%.240s", with_addend ? ".rela" : ".rel", o->name);
    const struct lull_elf_section s = {
        .type = with_addend ? LULL_ELF_RELA : LULL_ELF_REL,
        .flags = LULL_ELF_INFO_LINK,
        .link = SYMTAB,
        .info = final_section(out),
        .align = 8,
        .entsize = with_addend ? LULL_ELF_RELA_SIZE : LULL_ELF_REL_SIZE,
        .data = contents(to),
    };
    add_section(w, &s, name);
}

// Contents of .strtab are complete only after all names.
static void add_sections(struct writer *w)
{
    struct lull_linker *l = w->l;
    const struct lull_elf_section symtab = {.type = LULL_ELF_SYMTAB,
                                            .link = STRTAB,
                                            .info = w->first_global,
                                            .align = 8,
                                            .entsize = LULL_ELF_SYM_SIZE,
                                            .data = contents(&w->symtab)};
    add_section(w, &(struct lull_elf_section){0}, "");
    add_section(w, &(struct lull_elf_section){.type = LULL_ELF_STRTAB, .align = 1}, ".strtab");
    add_section(w, &symtab, ".symtab");
    add_out(w, &l->outs[0]);
    add_section(
        w,
        &(struct lull_elf_section){.type = LULL_ELF_NOTE, .align = 4, .data = contents(&w->notes)},
        ".note");
    for (uint32_t i = 1; i < l->nouts; i++) {
        add_out(w, &l->outs[i]);
    }
    for (uint32_t i = 0; i < l->nouts; i++) {
        add_relocs(w, i, false);
        add_relocs(w, i, true);
    }
    w->sections[STRTAB].data = contents(&w->strings);
    for (size_t i = 0; w->strings.err == NULL && i < w->nsections; i++) {
        w->sections[i].name = w->strings.text + w->names[i];
    }
}

LULL_MUST_USE static struct lull_error *write_file(struct writer *w)
{
    struct lull_linker *l = w->l;
    if (l->nsymbols > MAX_SYMBOLS || FIXED + 3 * (size_t)l->nouts >= LULL_ELF_RESERVED) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%u symbols, %u sections", l->nsymbols,
                              l->nouts);
    }
    lull_str_add(&w->strings, "", 1);
    put_symbols(w);
    put_notes(w);
    add_sections(w);
    bool short_of_memory = w->strings.err != NULL || w->symtab.err != NULL || w->notes.err != NULL;
    for (uint32_t i = 0; i < l->nouts; i++) {
        short_of_memory = short_of_memory || l->outs[i].data.err != NULL ||
                          w->relocs[2 * (size_t)i].err != NULL ||
                          w->relocs[2 * (size_t)i + 1].err != NULL;
    }
    if (short_of_memory) {
        return &lull_enomem;
    }
    const struct lull_elf *first = &l->files[0].elf;
    const struct lull_elf elf = {.type = first->type,
                                 .os_abi = first->os_abi,
                                 .abi_version = first->abi_version,
                                 .machine = first->machine,
                                 .version = first->version,
                                 .entry = first->entry,
                                 .flags = first->flags,
                                 .names = STRTAB,
                                 .nsections = w->nsections,
                                 .sections = w->sections};
    return lull_elf_write(&elf, &l->result->image);
}

struct lull_error *lull_link_write(struct lull_linker *l)
{
    struct writer w = {.l = l};
    const size_t most = FIXED + 3 * (size_t)l->nouts;
    w.sections = calloc(most, sizeof *w.sections);
    w.names = calloc(most, sizeof *w.names);
    w.relocs = calloc(2 * (size_t)l->nouts, sizeof *w.relocs);
    struct lull_error *err =
        w.sections == NULL || w.names == NULL || w.relocs == NULL ? &lull_enomem : write_file(&w);
    for (uint32_t i = 0; w.relocs != NULL && i < 2 * l->nouts; i++) {
        lull_str_free(&w.relocs[i]);
    }
    free(w.sections);
    free(w.names);
    free(w.relocs);
    lull_str_free(&w.strings);
    lull_str_free(&w.symtab);
    lull_str_free(&w.notes);
    return err;
}

// SPDX-License-Identifier: MIT
// Which sections are taken, and where they go. Source: LLPC, lgc/elfLinker/ElfLinker.cpp.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/shcode_regs.h"
#include "link/link_priv.h"

enum {
    MAX_ALIGN = 1 << 16,
    CACHE_LINE = 64,        // bytes of the instruction cache
    CACHE_LINE_GFX11 = 128, // from gfx11 on
    PREFETCH_LINES = 3,     // that may be read ahead
    MAX_PIPELINE = 1 << 30, // bytes of a section
};

static uint32_t word_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_word(struct lull_str *to, uint32_t word)
{
    const char bytes[4] = {(char)word, (char)(word >> 8), (char)(word >> 16), (char)(word >> 24)};
    lull_str_add(to, bytes, sizeof bytes);
}

// Fill up to a multiple of align: instructions in code, zeros elsewhere.
static void fill(struct lull_str *to, uint64_t align, bool code, uint32_t word)
{
    while (to->err == NULL && align > 1 && (to->size & (align - 1)) != 0) {
        if (code && to->size % 4 == 0) {
            put_word(to, word);
        } else {
            lull_str_add(to, "", 1);
        }
    }
}

// Last byte that a function or label of this section has; 0 if there is no function. *open: one has
// no size.
static uint64_t functions_end(const struct lull_link_file *f, size_t section, bool *open)
{
    uint64_t end = 0, labels = 0;
    *open = false;
    for (size_t i = 0; i < f->nsymbols; i++) {
        const struct lull_elf_symbol *s = &f->symbols[i];
        if (s->section != section || s->type == LULL_ELF_SECTION) {
            continue;
        }
        if (s->type != LULL_ELF_FUNC) {
            labels = s->value > labels ? s->value : labels;
            continue;
        }
        *open = *open || s->size == 0;
        const uint64_t e = s->size <= UINT64_MAX - s->value ? s->value + s->size : UINT64_MAX;
        end = e > end ? e : end;
    }
    return end != 0 && labels > end ? labels : end;
}

// Bytes of a code section without the padding behind its last function.
static uint64_t code_size(struct lull_linker *l, const struct lull_link_file *f, size_t section)
{
    const struct lull_elf_section *s = &f->elf.sections[section];
    const uint64_t size = lull_cur_left(&s->data);
    bool open = false;
    const uint64_t end = functions_end(f, section, &open);
    if (end == 0 || open || end >= size || end % 4 != 0) {
        return size;
    }
    for (uint64_t i = end; i + 4 <= size; i += 4) {
        const uint32_t word = word_at(s->data.start + i);
        if (word != LULL_SHCODE_S_CODE_END && word != LULL_SHCODE_S_NOP && word != 0) {
            lull_link_note(l, "section", f->name, s->name, size,
                           "kept whole: at 0x%" PRIx64 ", behind the last function, is more than "
                           "padding",
                           i);
            return size;
        }
    }
    return end;
}

static bool taken(const struct lull_elf_section *s)
{
    return s->type == LULL_ELF_PROGBITS || (s->type == LULL_ELF_NOBITS && s->size > 0);
}

// Code goes to .text whatever it is called; the rest by name.
LULL_MUST_USE static struct lull_error *out_for(struct lull_linker *l,
                                                const struct lull_elf_section *s, uint32_t *ret)
{
    const bool code = (s->flags & LULL_ELF_EXEC) != 0;
    for (uint32_t i = 0; i < l->nouts; i++) {
        struct lull_link_out *o = &l->outs[i];
        if (code ? i != 0 : (i == 0 || strcmp(o->name, s->name) != 0)) {
            continue;
        }
        if (o->type != s->type) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "type %u here, %u in another file", s->type,
                                  o->type);
        }
        const bool merge = (o->flags & LULL_ELF_MERGE) != 0;
        if (merge && (o->entsize != s->entsize || (s->flags & LULL_ELF_MERGE) == 0)) {
            o->flags &= ~(uint64_t)(LULL_ELF_MERGE | LULL_ELF_STRINGS);
            o->entsize = 0;
        }
        *ret = i;
        return NULL;
    }
    l->outs[l->nouts] = (struct lull_link_out){.name = s->name,
                                               .type = s->type,
                                               .flags = s->flags & ~(uint64_t)LULL_ELF_GROUP,
                                               .align = 1,
                                               .entsize = s->entsize};
    *ret = l->nouts++;
    return NULL;
}

LULL_MUST_USE static struct lull_error *place(struct lull_linker *l, struct lull_link_file *f,
                                              size_t section)
{
    const struct lull_elf_section *s = &f->elf.sections[section];
    struct lull_link_piece *p = &f->pieces[section];
    const uint64_t align = s->align != 0 ? s->align : 1;
    if ((align & (align - 1)) != 0 || align > MAX_ALIGN) {
        return lull_error_new(LULL_ERR_BAD_DATA, "alignment %" PRIu64, s->align);
    }
    struct lull_error *err = out_for(l, s, &p->out);
    if (err != NULL) {
        return err;
    }
    struct lull_link_out *o = &l->outs[p->out];
    const bool code = p->out == 0, bits = s->type != LULL_ELF_NOBITS;
    o->align = align > o->align ? align : o->align;
    p->size = code ? code_size(l, f, section) : bits ? lull_cur_left(&s->data) : s->size;
    if (p->size > MAX_PIPELINE || o->data.size > MAX_PIPELINE || o->size > MAX_PIPELINE) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "too large");
    }
    if (bits) {
        fill(&o->data, align, code, LULL_SHCODE_S_NOP);
        p->offset = o->data.size;
        lull_str_add(&o->data, (const char *)s->data.start, (size_t)p->size);
    } else {
        p->offset = (o->size + align - 1) & ~(align - 1);
        o->size = p->offset + p->size;
    }
    lull_link_note(l, "section", f->name, s->name, p->offset,
                   "%" PRIu64 " bytes at 0x%" PRIx64 " of %s%s", p->size, p->offset, o->name,
                   code && p->size < lull_cur_left(&s->data) ? ", without the padding at its end"
                                                             : "");
    return o->data.err != NULL ? &lull_enomem : NULL;
}

static bool of_link(uint32_t type)
{
    return type == LULL_ELF_NULL || type == LULL_ELF_SYMTAB || type == LULL_ELF_STRTAB ||
           type == LULL_ELF_REL || type == LULL_ELF_RELA || type == LULL_ELF_NOTE;
}

LULL_MUST_USE static struct lull_error *place_file(struct lull_linker *l, struct lull_link_file *f)
{
    for (size_t k = 0; k < f->elf.nsections; k++) {
        const struct lull_elf_section *s = &f->elf.sections[k];
        struct lull_error *err = NULL;
        if (taken(s)) {
            err = place(l, f, k);
        } else if (!of_link(s->type)) {
            lull_link_note(l, "section", f->name, s->name, 0, "left out: type 0x%x", s->type);
        }
        if (err != NULL) {
            return lull_error_in(err, "%s: section '%s'", f->name, s->name);
        }
    }
    return NULL;
}

struct lull_error *lull_link_place(struct lull_linker *l)
{
    size_t most = 1;
    for (size_t i = 0; i < l->nfiles; i++) {
        most += l->files[i].elf.nsections;
    }
    l->outs = calloc(most, sizeof *l->outs);
    if (l->outs == NULL) {
        return &lull_enomem;
    }
    l->outs[l->nouts++] = (struct lull_link_out){.name = ".text",
                                                 .type = LULL_ELF_PROGBITS,
                                                 .flags = LULL_ELF_ALLOC | LULL_ELF_EXEC,
                                                 .align = 4};
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < l->nfiles; i++) {
        err = place_file(l, &l->files[i]);
    }
    if (err == NULL && l->outs[0].data.size == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: no code", l->files[0].name);
    }
    return err;
}

void lull_link_pad_code(struct lull_linker *l)
{
    enum { FIRST_WITH_PREFETCH = 10, FIRST_WITH_LONG_LINES = 11 };
    struct lull_str *text = &l->outs[0].data;
    if (l->gfx < FIRST_WITH_PREFETCH) {
        return;
    }
    const uint64_t line = l->gfx >= FIRST_WITH_LONG_LINES ? CACHE_LINE_GFX11 : CACHE_LINE;
    fill(text, line, true, LULL_SHCODE_S_CODE_END);
    for (uint64_t i = 0; i < PREFETCH_LINES * line / 4; i++) {
        put_word(text, LULL_SHCODE_S_CODE_END);
    }
}

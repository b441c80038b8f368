// SPDX-License-Identifier: MIT
#include <string.h>

#include "file/elf.h"

enum {
    EHDR_SIZE = 64,
    SHDR_SIZE = 64,
    MAX_ALIGN = 1 << 20,
};

static void put_le(struct lull_str *to, uint64_t value, size_t size)
{
    char bytes[8] = {0};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(value >> 8 * i);
    }
    lull_str_add(to, bytes, size);
}

static void put_zeros(struct lull_str *to, size_t size)
{
    static const char zeros[64] = {0};
    for (; size > sizeof zeros; size -= sizeof zeros) {
        lull_str_add(to, zeros, sizeof zeros);
    }
    lull_str_add(to, zeros, size);
}

void lull_elf_put_symbol(struct lull_str *to, const struct lull_elf_symbol *symbol, uint32_t name)
{
    put_le(to, name, 4);
    put_le(to, (uint64_t)(symbol->binding << 4 | (symbol->type & 15)), 1);
    put_le(to, symbol->other, 1);
    put_le(to, symbol->section, 2);
    put_le(to, symbol->value, 8);
    put_le(to, symbol->size, 8);
}

void lull_elf_put_reloc(struct lull_str *to, const struct lull_elf_reloc *reloc, bool with_addend)
{
    put_le(to, reloc->offset, 8);
    put_le(to, reloc->type, 4);
    put_le(to, reloc->symbol, 4);
    if (with_addend) {
        put_le(to, (uint64_t)reloc->addend, 8);
    }
}

void lull_elf_put_note(struct lull_str *to, const char *name, uint32_t type, const void *data,
                       size_t size)
{
    const size_t name_size = strlen(name) + 1;
    put_le(to, name_size, 4);
    put_le(to, size, 4);
    put_le(to, type, 4);
    lull_str_add(to, name, name_size);
    put_zeros(to, -name_size & 3);
    lull_str_add(to, data, size);
    put_zeros(to, -size & 3);
}

static void put_header(struct lull_str *to, const struct lull_elf *elf)
{
    static const char ident[7] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    lull_str_add(to, ident, sizeof ident);
    put_le(to, elf->os_abi, 1);
    put_le(to, elf->abi_version, 1);
    put_zeros(to, 7);
    put_le(to, elf->type, 2);
    put_le(to, elf->machine, 2);
    put_le(to, elf->version, 4);
    put_le(to, elf->entry, 8);
    put_le(to, 0, 8);         // e_phoff
    put_le(to, EHDR_SIZE, 8); // e_shoff
    put_le(to, elf->flags, 4);
    put_le(to, EHDR_SIZE, 2);
    put_le(to, 0, 2); // e_phentsize
    put_le(to, 0, 2); // e_phnum
    put_le(to, SHDR_SIZE, 2);
    put_le(to, elf->nsections, 2);
    put_le(to, elf->names, 2);
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return align > 1 ? (value + align - 1) & ~(align - 1) : value;
}

static void put_section(struct lull_str *to, const struct lull_elf_section *s, const char *names,
                        uint64_t offset)
{
    put_le(to, (uint64_t)(s->name - names), 4);
    put_le(to, s->type, 4);
    put_le(to, s->flags, 8);
    put_le(to, s->address, 8);
    put_le(to, offset, 8);
    put_le(to, s->type == LULL_ELF_NOBITS ? s->size : lull_cur_left(&s->data), 8);
    put_le(to, s->link, 4);
    put_le(to, s->info, 4);
    put_le(to, s->align, 8);
    put_le(to, s->entsize, 8);
}

LULL_MUST_USE static struct lull_error *check(const struct lull_elf *elf)
{
    if (elf->nsegments != 0 || elf->nsections >= LULL_ELF_RESERVED) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "ELF with %zu segments and %zu sections",
                              elf->nsegments, elf->nsections);
    }
    if (elf->nsections == 0 || elf->names >= elf->nsections) {
        return lull_error_new(LULL_ERR_INVALID, "names in section %u of %zu", elf->names,
                              elf->nsections);
    }
    const struct lull_cur *names = &elf->sections[elf->names].data;
    for (size_t i = 0; i < elf->nsections; i++) {
        const struct lull_elf_section *s = &elf->sections[i];
        const uintptr_t at = (uintptr_t)s->name;
        if (at < (uintptr_t)names->start || at >= (uintptr_t)names->end) {
            return lull_error_new(LULL_ERR_INVALID, "section %zu: name outside the names", i);
        }
        if ((s->align & (s->align - 1)) != 0 || s->align > MAX_ALIGN) {
            return lull_error_new(LULL_ERR_INVALID, "section '%s': alignment %llu", s->name,
                                  (unsigned long long)s->align);
        }
    }
    return NULL;
}

struct lull_error *lull_elf_write(const struct lull_elf *elf, struct lull_str *to)
{
    struct lull_error *err = check(elf);
    if (err != NULL) {
        return err;
    }
    const size_t base = to->size;
    const char *names = (const char *)elf->sections[elf->names].data.start;
    put_header(to, elf);
    uint64_t at = EHDR_SIZE + elf->nsections * SHDR_SIZE;
    for (size_t i = 0; i < elf->nsections; i++) {
        const struct lull_elf_section *s = &elf->sections[i];
        const bool none = s->type == LULL_ELF_NULL;
        at = none ? at : align_up(at, s->align);
        put_section(to, s, names, none ? 0 : at);
        at += lull_cur_left(&s->data);
    }
    for (size_t i = 0; i < elf->nsections && to->err == NULL; i++) {
        const struct lull_elf_section *s = &elf->sections[i];
        const uint64_t here = to->size - base;
        if (s->type != LULL_ELF_NULL) {
            put_zeros(to, align_up(here, s->align) - here);
        }
        lull_str_add(to, (const char *)s->data.start, lull_cur_left(&s->data));
    }
    err = to->err;
    to->err = NULL;
    return err;
}

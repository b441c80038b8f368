// SPDX-License-Identifier: MIT
#include "image/pal.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "file/elf.h"
#include "hw/amdreloc_regs.h"
#include "image/pal_priv.h"
#include "image/parts.h"

enum {
    OS_AT = 7,          // its place in the file
    NOTE_METADATA = 32, // NT_AMDGPU_METADATA
    MAX_IMAGE_BYTES = 1 << 30,
    MIN_ALIGN = 256,
};

/** A section that is loaded. */
struct part {
    bool loaded;
    uint64_t offset, size;
};

struct lull_pal {
    struct lull_pal_compute compute;
    struct lull_pal_graphics graphics;
    bool draws;     ///< graphics counts, not compute.
    uint8_t *bytes; ///< The file,
    size_t bytes_size;
    struct lull_elf elf;
    struct part *parts; ///< One for each section.
    struct lull_elf_symbol *symbols;
    size_t nsymbols;
    size_t symtab; ///< Section of the symbols.
    uint64_t size;
};

bool lull_pal_is(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    return size > OS_AT &&
           memcmp(b,
                  "\x7f"
                  "ELF",
                  4) == 0 &&
           b[OS_AT] == LULL_ELF_AMDPAL;
}

/** Places of the sections: in their order, aligned. */
LULL_MUST_USE static struct lull_error *place(struct lull_pal *p)
{
    p->parts = calloc(p->elf.nsections + 1, sizeof *p->parts);
    if (p->parts == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < p->elf.nsections; i++) {
        const struct lull_elf_section *s = &p->elf.sections[i];
        if ((s->flags & LULL_ELF_ALLOC) == 0 ||
            (s->type != LULL_ELF_PROGBITS && s->type != LULL_ELF_NOBITS)) {
            continue;
        }
        const uint64_t align = s->align > MIN_ALIGN ? s->align : MIN_ALIGN;
        if ((align & (align - 1)) != 0 || align > MAX_IMAGE_BYTES || s->size > MAX_IMAGE_BYTES ||
            p->size > MAX_IMAGE_BYTES) {
            return lull_error_new(LULL_ERR_BAD_DATA, "section '%s': %llu bytes, aligned to %llu",
                                  s->name, (unsigned long long)s->size,
                                  (unsigned long long)s->align);
        }
        const uint64_t at = (p->size + align - 1) & ~(align - 1);
        p->parts[i] = (struct part){.loaded = true, .offset = at, .size = s->size};
        p->size = at + s->size;
    }
    if (p->size > MAX_IMAGE_BYTES) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%llu bytes to load, more than 1 GiB",
                              (unsigned long long)p->size);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_symbols(struct lull_pal *p)
{
    for (size_t i = 0; i < p->elf.nsections; i++) {
        if (p->elf.sections[i].type == LULL_ELF_SYMTAB) {
            p->symtab = i;
            return lull_elf_symbols(&p->elf, &p->elf.sections[i], &p->symbols, &p->nsymbols);
        }
    }
    return lull_error_new(LULL_ERR_BAD_DATA, "no symbol table");
}

/** The metadata note, in whatever section. */
LULL_MUST_USE static struct lull_error *find_metadata(const struct lull_pal *p,
                                                      struct lull_cur *ret)
{
    for (size_t i = 0; i < p->elf.nsections; i++) {
        struct lull_cur c = p->elf.sections[i].data;
        struct lull_elf_note note = {0};
        while (p->elf.sections[i].type == LULL_ELF_NOTE && lull_elf_next_note(&c, &note) > 0) {
            if (note.type == NOTE_METADATA && strcmp(note.name, "AMDGPU") == 0) {
                *ret = note.data;
                return NULL;
            }
        }
    }
    return lull_error_new(LULL_ERR_BAD_DATA, "no note with PAL metadata");
}

/** Image offset of a symbol; false if it lies in no loaded section. */
static bool symbol_offset(const struct lull_pal *p, const struct lull_elf_symbol *s, uint64_t *ret)
{
    if (s->section >= p->elf.nsections || !p->parts[s->section].loaded ||
        s->value > p->parts[s->section].size) {
        return false;
    }
    *ret = p->parts[s->section].offset + s->value;
    return true;
}

LULL_MUST_USE static struct lull_error *find_entry(const struct lull_pal *p, const char *name,
                                                   uint64_t *ret)
{
    for (size_t i = 1; i < p->nsymbols; i++) {
        if (strcmp(p->symbols[i].name, name) == 0 && symbol_offset(p, &p->symbols[i], ret)) {
            return *ret % MIN_ALIGN == 0
                       ? NULL
                       : lull_error_new(LULL_ERR_BAD_DATA,
                                        "entry point '%s' at 0x%llx is not aligned to 256", name,
                                        (unsigned long long)*ret);
        }
    }
    return lull_error_new(LULL_ERR_BAD_DATA, "no symbol for the entry point '%s'", name);
}

/** What the metadata say, and where the code is. */
LULL_MUST_USE static struct lull_error *read_metadata(struct lull_pal *p)
{
    struct lull_cur c = {0};
    struct lull_pal_entries entries = {0};
    char name[LULL_PAL_NAME_MAX + 1] = "";
    struct lull_error *err = find_metadata(p, &c);
    if (err != NULL) {
        return err;
    }
    p->draws = lull_pal_draws(c);
    if (!p->draws) {
        err = lull_pal_metadata(c, &p->compute, name);
        return err != NULL ? err : find_entry(p, name, &p->compute.entry);
    }
    err = lull_pal_graphics_metadata(c, &p->graphics, &entries);
    err = err != NULL ? err : find_entry(p, entries.gs, &p->graphics.gs.entry);
    if (err == NULL && p->graphics.has_hs) {
        err = find_entry(p, entries.hs, &p->graphics.hs.entry);
    }
    return err != NULL ? err : find_entry(p, entries.ps, &p->graphics.ps.entry);
}

LULL_MUST_USE static struct lull_error *read_all(struct lull_pal *p, size_t size)
{
    struct lull_error *err = lull_elf_parse(p->bytes, size, &p->elf);
    if (err != NULL) {
        return err;
    }
    if (p->elf.machine != LULL_ELF_AMDGPU || p->elf.os_abi != LULL_ELF_AMDPAL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "no ELF file for amdpal");
    }
    if (!lull_image_machine_ok(p->elf.flags)) {
        const char *name = lull_image_machine(p->elf.flags);
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "code for %s (e_flags 0x%x), only gfx1100 is supported",
                              name != NULL ? name : "an unknown GPU", p->elf.flags);
    }
    err = place(p);
    err = err != NULL ? err : read_symbols(p);
    return err != NULL ? err : read_metadata(p);
}

struct lull_error *lull_pal_parse(const void *bytes, size_t size, struct lull_pal **ret)
{
    struct lull_pal *p = calloc(1, sizeof *p);
    uint8_t *copy = malloc(size != 0 ? size : 1);
    if (p == NULL || copy == NULL) {
        free(p);
        free(copy);
        return &lull_enomem;
    }
    if (size != 0) {
        memcpy(copy, bytes, size);
    }
    p->bytes = copy;
    p->bytes_size = size;
    struct lull_error *err = read_all(p, size);
    if (err != NULL) {
        lull_pal_free(p);
        return err;
    }
    *ret = p;
    return NULL;
}

void lull_pal_free(struct lull_pal *p)
{
    if (p != NULL) {
        free(p->symbols);
        free(p->parts);
        lull_elf_done(&p->elf);
        free(p->bytes);
        free(p);
    }
}

const struct lull_pal_compute *lull_pal_compute(const struct lull_pal *p)
{
    return p->draws ? NULL : &p->compute;
}

const struct lull_pal_graphics *lull_pal_graphics(const struct lull_pal *p)
{
    return p->draws ? &p->graphics : NULL;
}

uint64_t lull_pal_size(const struct lull_pal *p)
{
    return p->size;
}

/** Value of a relocation's symbol once the image lies at @p va. */
LULL_MUST_USE static struct lull_error *resolve(const struct lull_pal *p, uint32_t symbol,
                                                uint64_t va, uint64_t *ret)
{
    if (symbol >= p->nsymbols) {
        return lull_error_new(LULL_ERR_BAD_DATA, "symbol %u of %zu", symbol, p->nsymbols);
    }
    const struct lull_elf_symbol *s = &p->symbols[symbol];
    uint64_t offset = 0;
    if (symbol != 0 && s->section == LULL_ELF_ABS) {
        *ret = s->value;
        return NULL;
    }
    if (symbol == 0 || !symbol_offset(p, s, &offset)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "symbol '%s' is not defined%s", s->name,
                              s->section == LULL_ELF_UNDEF ? "; lull link resolves it" : "");
    }
    *ret = va + offset;
    return NULL;
}

/** Bits of a relocation's value: width in bytes, 0 if loaders do not know the type. */
static unsigned evaluate(uint32_t type, uint64_t absolute, uint64_t relative, uint64_t *ret)
{
    switch (type) {
    case LULL_R_AMDGPU_ABS32:
    case LULL_R_AMDGPU_ABS32_LO:
        *ret = absolute;
        return 4;
    case LULL_R_AMDGPU_ABS32_HI:
        *ret = absolute >> 32;
        return 4;
    case LULL_R_AMDGPU_ABS64:
        *ret = absolute;
        return 8;
    case LULL_R_AMDGPU_REL32:
    case LULL_R_AMDGPU_REL32_LO:
        *ret = relative;
        return 4;
    case LULL_R_AMDGPU_REL32_HI:
        *ret = relative >> 32;
        return 4;
    case LULL_R_AMDGPU_REL64:
        *ret = relative;
        return 8;
    default:
        return 0;
    }
}

/** The addend that stands where a REL relocation is. */
static int64_t addend_in_place(const uint8_t *at, uint64_t room, uint32_t type)
{
    uint32_t low = 0;
    int64_t all = 0;
    if ((type == LULL_R_AMDGPU_ABS64 || type == LULL_R_AMDGPU_REL64) && room >= sizeof all) {
        memcpy(&all, at, sizeof all);
        return all;
    }
    if (room >= sizeof low) {
        memcpy(&low, at, sizeof low);
    }
    return (int32_t)low;
}

LULL_MUST_USE static struct lull_error *apply(const struct lull_pal *p, const struct part *part,
                                              const struct lull_elf_reloc *r, bool in_place,
                                              uint64_t va, uint8_t *dst)
{
    uint64_t symbol = 0, value = 0;
    if (r->type == LULL_R_AMDGPU_NONE) {
        return NULL;
    }
    struct lull_error *err = resolve(p, r->symbol, va, &symbol);
    if (err != NULL) {
        return err;
    }
    if (r->offset > part->size) {
        return lull_error_new(LULL_ERR_BAD_DATA, "offset 0x%llx of 0x%llx",
                              (unsigned long long)r->offset, (unsigned long long)part->size);
    }
    uint8_t *const at = dst + part->offset + r->offset;
    const uint64_t room = part->size - r->offset;
    const int64_t addend = in_place ? addend_in_place(at, room, r->type) : r->addend;
    const uint64_t absolute = symbol + (uint64_t)addend;
    const unsigned width =
        evaluate(r->type, absolute, absolute - (va + part->offset + r->offset), &value);
    if (width == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "type %u", r->type);
    }
    if (room < width) {
        return lull_error_new(LULL_ERR_BAD_DATA, "offset 0x%llx of 0x%llx",
                              (unsigned long long)r->offset, (unsigned long long)part->size);
    }
    for (unsigned i = 0; i < width; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *apply_section(const struct lull_pal *p,
                                                      const struct lull_elf_section *s, uint64_t va,
                                                      uint8_t *dst)
{
    const bool rel = s->type == LULL_ELF_REL;
    if (s->info >= p->elf.nsections || !p->parts[s->info].loaded) {
        return NULL; // of debug information
    }
    if (s->link != p->symtab) {
        return lull_error_new(LULL_ERR_BAD_DATA, "section '%s': section %u is not the symbol table",
                              s->name, s->link);
    }
    struct lull_cur c = s->data;
    struct lull_elf_reloc r = {0};
    for (size_t n = 0; rel ? lull_elf_next_rel(&c, &r) : lull_elf_next_reloc(&c, &r); n++) {
        struct lull_error *err = apply(p, &p->parts[s->info], &r, rel, va, dst);
        if (err != NULL) {
            return lull_error_in(err, "section '%s': relocation %zu", s->name, n);
        }
    }
    return lull_cur_left(&c) == 0
               ? NULL
               : lull_error_new(LULL_ERR_BAD_DATA, "section '%s': the last relocation is cut",
                                s->name);
}

struct lull_error *lull_pal_load(const struct lull_pal *p, uint64_t va, uint8_t *dst)
{
    memset(dst, 0, p->size);
    for (size_t i = 0; i < p->elf.nsections; i++) {
        const struct lull_elf_section *s = &p->elf.sections[i];
        if (p->parts[i].loaded && lull_cur_left(&s->data) != 0) {
            memcpy(dst + p->parts[i].offset, s->data.pos, lull_cur_left(&s->data));
        }
    }
    for (size_t i = 0; i < p->elf.nsections; i++) {
        const struct lull_elf_section *s = &p->elf.sections[i];
        struct lull_error *err = NULL;
        if (s->type == LULL_ELF_REL || s->type == LULL_ELF_RELA) {
            err = apply_section(p, s, va, dst);
        }
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

/** A copy that lives as long as the image; NULL: no memory. */
static const char *keep_name(struct lull_image *im, const char *name)
{
    const size_t size = strlen(name) + 1;
    char *kept = lull_image_alloc(im, size, 1);
    return kept != NULL ? memcpy(kept, name, size) : NULL;
}

/** What a symbol names, where it lies when it is loaded. */
static bool image_symbol(const struct lull_pal *p, const struct lull_elf_symbol *s,
                         struct lull_symbol *ret)
{
    enum { FUNCTION = 2 };
    uint64_t at = 0;
    if (s->name[0] == '\0' || s->type > FUNCTION || !symbol_offset(p, s, &at)) {
        return false;
    }
    const struct lull_elf_section *section = &p->elf.sections[s->section];
    *ret = (struct lull_symbol){.name = s->name,
                                .offset = at,
                                .size = s->size,
                                .is_code = (section->flags & LULL_ELF_EXEC) != 0};
    return true;
}

/** Code, symbols, the kernel and lines of @p im, whose file is read. */
LULL_MUST_USE static struct lull_error *fill_image(const struct lull_pal *p, const char *name,
                                                   struct lull_image *im)
{
    im->symbols = lull_image_alloc(im, p->nsymbols, sizeof *im->symbols);
    im->kernels = lull_image_alloc(im, 1, sizeof *im->kernels);
    const char *kept = keep_name(im, name);
    if (im->symbols == NULL || im->kernels == NULL || kept == NULL) {
        return &lull_enomem;
    }
    im->size = p->size;
    im->nkernels = 1;
    im->kernels[0] = (struct lull_kernel_info){.name = kept, .entry = p->compute.entry};
    im->code_start = im->code_end = p->compute.entry;
    for (size_t i = 0; i < p->elf.nsections; i++) {
        const struct part *part = &p->parts[i];
        if (part->loaded && p->compute.entry >= part->offset &&
            p->compute.entry - part->offset < part->size) {
            im->code_start = part->offset;
            im->code_end = part->offset + part->size;
        }
    }
    im->symbols[0] = (struct lull_symbol){.name = kept,
                                          .offset = p->compute.entry,
                                          .size = im->code_end - p->compute.entry,
                                          .is_code = true};
    im->nsymbols = 1;
    for (size_t i = 1; i < p->nsymbols; i++) {
        struct lull_symbol s = {0};
        if (!image_symbol(p, &p->symbols[i], &s) || s.offset == p->compute.entry) {
            continue;
        }
        s.name = keep_name(im, s.name);
        if (s.name == NULL) {
            return &lull_enomem;
        }
        im->symbols[im->nsymbols++] = s;
    }
    lull_image_sort_symbols(im);
    // Addresses in the tables are offsets in the code's section, which REL relocations leave there.
    lull_error_free(lull_dwarf_read_lines(im->bytes, im->bytes_size, &im->lines));
    for (size_t i = 0; i < im->lines.count; i++) {
        im->lines.lines[i].address += im->code_start;
    }
    return NULL;
}

struct lull_error *lull_pal_image(const struct lull_pal *p, const char *name,
                                  struct lull_image **ret)
{
    struct lull_image *im = calloc(1, sizeof *im);
    if (im == NULL) {
        return &lull_enomem;
    }
    im->bytes_size = p->bytes_size;
    im->bytes = malloc(p->bytes_size + 1);
    struct lull_error *err = p->draws
                                 ? lull_error_new(LULL_ERR_UNSUPPORTED, "a pipeline that draws")
                             : im->bytes == NULL ? &lull_enomem
                                                 : NULL;
    if (err == NULL) {
        memcpy(im->bytes, p->bytes, p->bytes_size);
        err = lull_elf_parse(im->bytes, im->bytes_size, &im->elf);
    }
    err = err != NULL ? err : fill_image(p, name, im);
    if (err != NULL) {
        lull_image_free(im);
        return err;
    }
    *ret = im;
    return NULL;
}

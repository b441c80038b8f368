// SPDX-License-Identifier: MIT
// Relocations: a number at once, or left to the loader. Types: AMDGPUUsage, "Relocation Records".
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/amdreloc_regs.h"
#include "link/link_priv.h"

struct type {
    uint8_t type, bytes;
    bool relative; // to the place that is changed
    uint8_t shift; // down
};

static const struct type types[] = {
    {LULL_R_AMDGPU_ABS32_LO, 4, false, 0}, {LULL_R_AMDGPU_ABS32_HI, 4, false, 32},
    {LULL_R_AMDGPU_ABS64, 8, false, 0},    {LULL_R_AMDGPU_ABS32, 4, false, 0},
    {LULL_R_AMDGPU_REL32, 4, true, 0},     {LULL_R_AMDGPU_REL64, 8, true, 0},
    {LULL_R_AMDGPU_REL32_LO, 4, true, 0},  {LULL_R_AMDGPU_REL32_HI, 4, true, 32},
    {LULL_R_AMDGPU_REL16, 2, true, 2},
};

// One relocation, with all that is known about it.
struct site {
    struct lull_link_file *file;
    const struct lull_link_piece *piece;
    struct lull_link_out *out;
    struct lull_elf_reloc r;
    const struct type *type;
    const struct lull_elf_symbol *symbol; // NULL: number 0
    bool with_addend;
    uint64_t at; // offset in out
};

static const char *name_of(const struct site *s)
{
    if (s->symbol == NULL) {
        return "";
    }
    const bool section = s->symbol->type == LULL_ELF_SECTION && s->symbol->name[0] == '\0' &&
                         s->symbol->section < s->file->elf.nsections;
    return section ? s->file->elf.sections[s->symbol->section].name : s->symbol->name;
}

static uint64_t read_le(const struct site *s)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < s->type->bytes; i++) {
        v |= (uint64_t)(uint8_t)s->out->data.text[s->at + i] << 8 * i;
    }
    return v;
}

static void write_le(const struct site *s, uint64_t v)
{
    for (unsigned i = 0; i < s->type->bytes; i++) {
        s->out->data.text[s->at + i] = (char)(v >> 8 * i);
    }
}

static int64_t addend(const struct site *s)
{
    if (s->with_addend) {
        return s->r.addend;
    }
    const unsigned up = 64 - 8 * s->type->bytes;
    const uint64_t v = read_le(s);
    if (s->r.type == LULL_R_AMDGPU_REL16) {
        return 4 * (int64_t)(int16_t)v + 4; // the field counts dwords from the next instruction
    }
    // As in a REL record of 32 bits: the word is a signed number, unless it takes the low half
    // only.
    return s->type->relative || s->type->bytes == 8 ? (int64_t)(v << up) >> up : (int64_t)v;
}

LULL_MUST_USE static struct lull_error *remember_site(struct lull_linker *l, const struct site *s,
                                                      uint32_t value)
{
    if (s->out != &l->outs[0] || l->options.no_fold) {
        return NULL;
    }
    struct lull_link_site *grown =
        lull_link_grow(l->sites, l->nsites, sizeof *grown, &l->site_room);
    if (grown == NULL) {
        return &lull_enomem;
    }
    l->sites = grown;
    l->sites[l->nsites++] = (struct lull_link_site){
        .offset = s->at, .value = value, .symbol = name_of(s), .file = s->file->name};
    return NULL;
}

// The symbol is a number.
LULL_MUST_USE static struct lull_error *put_number(struct lull_linker *l, const struct site *s,
                                                   uint64_t number)
{
    if (s->type->relative) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s against a number, which has no address",
                              lull_link_reloc_name(s->r.type));
    }
    const uint64_t sum = number + (uint64_t)addend(s);
    const uint64_t value = sum >> s->type->shift;
    write_le(s, value);
    l->result->resolved++;
    return s->r.type == LULL_R_AMDGPU_ABS32 || s->r.type == LULL_R_AMDGPU_ABS32_LO
               ? remember_site(l, s, (uint32_t)value)
               : NULL;
}

// The distance to something in the same section never changes.
LULL_MUST_USE static struct lull_error *put_distance(struct lull_linker *l, const struct site *s,
                                                     uint64_t target)
{
    int64_t v = (int64_t)(target + (uint64_t)addend(s) - s->at);
    if (s->r.type == LULL_R_AMDGPU_REL16) {
        v -= 4; // from the next instruction, in dwords
        if (v % 4 != 0 || v / 4 < INT16_MIN || v / 4 > INT16_MAX) {
            return lull_error_new(LULL_ERR_BAD_DATA, "branch of %" PRId64 " bytes", v);
        }
    }
    write_le(s, (uint64_t)(v >> s->type->shift));
    l->result->resolved++;
    lull_link_note(l, "resolve", s->file->name, name_of(s), (uint64_t)v,
                   "%s at %s+0x%" PRIx64 ": %" PRId64 " bytes away, in the same section",
                   lull_link_reloc_name(s->r.type), s->out->name, s->at, v);
    return NULL;
}

// Debug information is not loaded: readers take addresses from the beginning of sections.
static bool is_debug(const struct lull_link_out *out)
{
    return strncmp(out->name, ".debug_", strlen(".debug_")) == 0;
}

LULL_MUST_USE static struct lull_error *keep(struct lull_linker *l, const struct site *s)
{
    uint32_t index = UINT32_MAX; // the null symbol
    if (s->symbol != NULL) {
        struct lull_error *err = lull_link_symbol_for(l, s->file, s->r.symbol, &index);
        if (err != NULL) {
            return err;
        }
        const struct lull_link_symbol *target = &l->symbols[index];
        if (s->type->relative && target->s.section == s->out - l->outs &&
            target->s.section != LULL_ELF_ABS) {
            return put_distance(l, s, target->s.value);
        }
        if (is_debug(s->out) && !s->type->relative) {
            write_le(s, (target->s.value + (uint64_t)addend(s)) >> s->type->shift);
            l->result->resolved++;
            return NULL;
        }
    }
    const struct lull_elf_reloc r = {
        .offset = s->at, .symbol = index, .type = s->r.type, .addend = s->r.addend};
    lull_elf_put_reloc(&s->out->relocs[s->with_addend], &r, s->with_addend);
    l->result->kept++;
    lull_link_note(l, "keep", s->file->name, name_of(s), s->at,
                   "%s at %s+0x%" PRIx64 ": the loader knows the address of '%s'",
                   lull_link_reloc_name(s->r.type), s->out->name, s->at,
                   s->symbol != NULL ? l->symbols[index].name : "");
    return s->out->relocs[s->with_addend].err;
}

LULL_MUST_USE static struct lull_error *resolve(struct lull_linker *l, const struct site *s)
{
    struct lull_link_value v = {0};
    struct lull_error *err = lull_link_resolve(l->layout, s->file->stages, s->symbol->name, &v);
    if (err != NULL) {
        return err;
    }
    if (!v.known) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "not defined in any file, and no name that a layout resolves");
    }
    if (v.warning != NULL) {
        lull_link_warn(l, "%s: '%s': %s", s->file->name, s->symbol->name, v.warning);
    }
    lull_link_note(l, "resolve", s->file->name, s->symbol->name, v.value,
                   "%s at %s+0x%" PRIx64 " = 0x%" PRIx32 ": %s", lull_link_reloc_name(s->r.type),
                   s->out->name, s->at, v.value, v.why);
    if (v.spill < l->spill_threshold) {
        lull_link_note(l, "user-data", s->file->name, s->symbol->name, v.spill,
                       "dword %" PRIu32 " of the root table is read from the spill table", v.spill);
        l->spill_threshold = v.spill;
    }
    return put_number(l, s, v.value);
}

static bool elsewhere(const struct lull_linker *l, const struct lull_elf_symbol *s)
{
    return lull_link_global(l, s->name) != NULL;
}

LULL_MUST_USE static struct lull_error *apply(struct lull_linker *l, struct site *s)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        s->type = types[i].type == s->r.type ? &types[i] : s->type;
    }
    if (s->type == NULL) {
        const char *name = lull_link_reloc_name(s->r.type);
        return lull_error_new(LULL_ERR_UNSUPPORTED, "relocation type %u%s%s", s->r.type,
                              name != NULL ? ", " : "", name != NULL ? name : "");
    }
    if (s->r.offset > s->piece->size || s->type->bytes > s->piece->size - s->r.offset) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "behind the end of the section, which has 0x%" PRIx64 " bytes",
                              s->piece->size);
    }
    s->at = s->piece->offset + s->r.offset;
    if (s->symbol == NULL) {
        return s->type->relative ? keep(l, s) : put_number(l, s, 0);
    }
    const struct lull_elf_symbol *symbol = s->symbol;
    const struct lull_link_symbol *global =
        symbol->section == LULL_ELF_UNDEF ? lull_link_global(l, symbol->name) : NULL;
    if (symbol->section == LULL_ELF_ABS) {
        return put_number(l, s, symbol->value);
    }
    if (global != NULL && global->s.section == LULL_ELF_ABS) {
        return put_number(l, s, global->s.value);
    }
    if (symbol->section != LULL_ELF_UNDEF || elsewhere(l, symbol)) {
        return keep(l, s);
    }
    return resolve(l, s);
}

LULL_MUST_USE static struct lull_error *apply_section(struct lull_linker *l,
                                                      struct lull_link_file *f,
                                                      const struct lull_elf_section *rel)
{
    const bool with_addend = rel->type == LULL_ELF_RELA;
    const size_t record = with_addend ? LULL_ELF_RELA_SIZE : LULL_ELF_REL_SIZE;
    struct lull_cur c = rel->data;
    if (lull_cur_left(&c) == 0) {
        return NULL;
    }
    if (rel->info >= f->elf.nsections || lull_cur_left(&c) % record != 0 || f->symtab == NULL ||
        rel->link != (size_t)(f->symtab - f->elf.sections)) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "%zu bytes of records for section %u, symbols in section %u",
                              lull_cur_left(&c), rel->info, rel->link);
    }
    struct site s = {.file = f, .piece = &f->pieces[rel->info], .with_addend = with_addend};
    if (s.piece->out == LULL_LINK_DROPPED) {
        return NULL;
    }
    s.out = &l->outs[s.piece->out];
    if (s.out->type == LULL_ELF_NOBITS) {
        return lull_error_new(LULL_ERR_BAD_DATA, "changes section '%s', which has no contents",
                              f->elf.sections[rel->info].name);
    }
    for (size_t i = 0; with_addend ? lull_elf_next_reloc(&c, &s.r) : lull_elf_next_rel(&c, &s.r);
         i++) {
        s.type = NULL;
        s.symbol = s.r.symbol > 0 && s.r.symbol < f->nsymbols ? &f->symbols[s.r.symbol] : NULL;
        struct lull_error *err = NULL;
        if (s.r.type == LULL_R_AMDGPU_NONE) {
            continue;
        }
        if (s.r.symbol >= f->nsymbols) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "symbol %u of %zu", s.r.symbol, f->nsymbols);
        }
        err = err != NULL ? err : apply(l, &s);
        if (err != NULL) {
            return lull_error_in(err, "relocation %zu at 0x%" PRIx64 ", symbol '%s'", i, s.r.offset,
                                 name_of(&s));
        }
    }
    return NULL;
}

struct lull_error *lull_link_relocate(struct lull_linker *l)
{
    for (size_t k = 0; k < l->nfiles; k++) {
        struct lull_link_file *f = &l->files[k];
        for (size_t i = 0; i < f->elf.nsections; i++) {
            const struct lull_elf_section *s = &f->elf.sections[i];
            if (s->type != LULL_ELF_REL && s->type != LULL_ELF_RELA) {
                continue;
            }
            struct lull_error *err = apply_section(l, f, s);
            if (err != NULL) {
                return lull_error_in(err, "%s: section '%s'", f->name, s->name);
            }
        }
    }
    return NULL;
}

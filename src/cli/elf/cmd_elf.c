// SPDX-License-Identifier: MIT
// lull elf: what is in an ELF file of AMD GPUs.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/elf/elf_show.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "hw/amdreloc_regs.h"
#include "link/link.h"

struct number_name {
    uint32_t number;
    const char *name;
};

static const char *name_of(const struct number_name *names, size_t n, uint32_t number)
{
    for (size_t i = 0; i < n; i++) {
        if (names[i].number == number) {
            return names[i].name;
        }
    }
    return NULL;
}

static const struct number_name file_types[] = {
    {0, "NONE"}, {1, "REL"}, {2, "EXEC"}, {3, "DYN"}, {4, "CORE"},
};
static const struct number_name abis[] = {
    {0, "SYSV"},
    {64, "AMDGPU_HSA"},
    {65, "AMDGPU_PAL"},
    {66, "AMDGPU_MESA3D"},
};
static const struct number_name section_types[] = {
    {0, "NULL"},
    {1, "PROGBITS"},
    {2, "SYMTAB"},
    {3, "STRTAB"},
    {4, "RELA"},
    {5, "HASH"},
    {6, "DYNAMIC"},
    {7, "NOTE"},
    {8, "NOBITS"},
    {9, "REL"},
    {11, "DYNSYM"},
    {14, "INIT_ARRAY"},
    {15, "FINI_ARRAY"},
    {16, "PREINIT_ARRAY"},
    {17, "GROUP"},
    {18, "SYMTAB_SHNDX"},
    {0x6ffffff6, "GNU_HASH"},
    {0x6fff4c03, "LLVM_ADDRSIG"},
};
static const struct number_name symbol_types[] = {
    {0, "NOTYPE"}, {1, "OBJECT"}, {2, "FUNC"},           {3, "SECTION"},
    {4, "FILE"},   {5, "COMMON"}, {10, "AMDGPU_KERNEL"},
};
static const struct number_name bindings[] = {{0, "LOCAL"}, {1, "GLOBAL"}, {2, "WEAK"}};
static const struct number_name visibilities[] = {
    {0, "DEFAULT"}, {1, "INTERNAL"}, {2, "HIDDEN"}, {3, "PROTECTED"}};
static const struct number_name segment_types[] = {
    {0, "NULL"},
    {1, "LOAD"},
    {2, "DYNAMIC"},
    {3, "INTERP"},
    {4, "NOTE"},
    {6, "PHDR"},
    {7, "TLS"},
    {0x6474e551, "GNU_STACK"},
    {0x6474e552, "GNU_RELRO"},
};

#define NAME(list, number) name_of(list, sizeof(list) / sizeof((list)[0]), number)

// The name, or the number.
static const char *word(const char *name, uint32_t number, char buffer[16])
{
    if (name == NULL) {
        (void)snprintf(buffer, 16, "0x%" PRIx32, number);
        return buffer;
    }
    return name;
}

void lull_elf_show_fault(struct lull_elf_show *s, struct lull_error *err)
{
    if (err != NULL) {
        fprintf(stderr, "lull elf: %s: %s\n", s->path, lull_error_message(err));
        lull_error_free(err);
        s->faults++;
    }
}

void lull_elf_show_text(struct lull_str *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ' || c >= 0x7f) {
            lull_str_addf(out, "\\x%02x", c);
        } else {
            lull_str_add(out, text, 1);
        }
    }
}

const char *lull_elf_show_type(uint32_t type, char buffer[16])
{
    const char *name = lull_link_reloc_name(type);
    if (name == NULL) {
        (void)snprintf(buffer, 16, "type %" PRIu32, type);
    }
    return name != NULL ? name : buffer;
}

static void show_header(struct lull_elf_show *s)
{
    const struct lull_elf *e = &s->elf;
    char a[16], b[16], gpu[16];
    const char *type = word(NAME(file_types, e->type), e->type, a);
    const char *abi = word(NAME(abis, e->os_abi), e->os_abi, b);
    const char *processor = e->machine == LULL_ELF_AMDGPU ? lull_link_gpu(e->flags, gpu) : "";
    if (s->json) {
        lull_json_put_str(&s->j, "file", s->path);
        lull_json_put_str(&s->j, "type", type);
        lull_json_put_u64(&s->j, "machine", e->machine);
        lull_json_put_str(&s->j, "abi", abi);
        lull_json_put_u64(&s->j, "abi_version", e->abi_version);
        lull_json_put_hex(&s->j, "flags", e->flags);
        lull_json_put_str(&s->j, "gpu", processor);
        lull_json_put_hex(&s->j, "entry", e->entry);
        return;
    }
    lull_str_addf(&s->out, "file: ");
    lull_elf_show_text(&s->out, s->path);
    lull_str_addf(&s->out, "\nELF64 %s, machine %u%s, ABI %s version %u, flags 0x%" PRIx32 "%s%s\n",
                  type, e->machine, e->machine == LULL_ELF_AMDGPU ? " AMDGPU" : "", abi,
                  e->abi_version, e->flags, processor[0] != '\0' ? " " : "", processor);
}

// "AX": letters as readelf has them.
static const char *flag_letters(uint64_t flags, char buffer[16])
{
    static const char letters[] = "WAX?MSILOGT";
    size_t n = 0;
    for (unsigned i = 0; i < sizeof letters - 1; i++) {
        if ((flags >> i & 1) != 0) {
            buffer[n++] = letters[i];
        }
    }
    buffer[n] = '\0';
    return buffer;
}

static void show_section(struct lull_elf_show *s, size_t i)
{
    const struct lull_elf_section *sec = &s->elf.sections[i];
    char a[16], b[16];
    const char *type = word(NAME(section_types, sec->type), sec->type, a);
    const char *flags = flag_letters(sec->flags, b);
    if (s->json) {
        lull_json_open(&s->j, '{');
        lull_json_put_u64(&s->j, "index", i);
        lull_json_put_str(&s->j, "name", sec->name);
        lull_json_put_str(&s->j, "type", type);
        lull_json_put_str(&s->j, "flags", flags);
        lull_json_put_hex(&s->j, "address", sec->address);
        lull_json_put_hex(&s->j, "offset", sec->offset);
        lull_json_put_u64(&s->j, "size", sec->size);
        lull_json_put_u64(&s->j, "entsize", sec->entsize);
        lull_json_put_u64(&s->j, "link", sec->link);
        lull_json_put_u64(&s->j, "info", sec->info);
        lull_json_put_u64(&s->j, "align", sec->align);
        if (sec->damage != NULL) {
            lull_json_put_str(&s->j, "damage", sec->damage);
        }
        lull_json_close(&s->j, '}');
    } else {
        lull_str_addf(&s->out,
                      "  %3zu %-10s %-4s %08" PRIx64 " %06" PRIx64 " %6" PRIx64 " %2" PRIx64
                      " %4u %4u %5" PRIu64 " ",
                      i, type, flags, sec->address, sec->offset, sec->size, sec->entsize, sec->link,
                      sec->info, sec->align);
        lull_elf_show_text(&s->out, sec->name);
        lull_str_addf(&s->out, "%s%s\n", sec->damage != NULL ? "  ! " : "",
                      sec->damage != NULL ? sec->damage : "");
    }
    if (sec->damage != NULL) {
        lull_elf_show_fault(s, lull_error_new(LULL_ERR_BAD_DATA, "section %zu '%s': %s", i,
                                              sec->name, sec->damage));
    }
}

static void show_segments(struct lull_elf_show *s)
{
    char a[16];
    if (s->json) {
        lull_json_key(&s->j, "segments");
        lull_json_open(&s->j, '[');
    } else if (s->elf.nsegments > 0) {
        lull_str_addf(&s->out, "\nsegments: type, flags, address, bytes in file, in memory\n");
    }
    for (size_t i = 0; i < s->elf.nsegments; i++) {
        const struct lull_elf_segment *g = &s->elf.segments[i];
        const char *type = word(NAME(segment_types, g->type), g->type, a);
        char flags[4] = {(g->flags & 4) != 0 ? 'R' : '-', (g->flags & 2) != 0 ? 'W' : '-',
                         (g->flags & 1) != 0 ? 'X' : '-', '\0'};
        if (s->json) {
            lull_json_open(&s->j, '{');
            lull_json_put_str(&s->j, "type", type);
            lull_json_put_str(&s->j, "flags", flags);
            lull_json_put_hex(&s->j, "address", g->address);
            lull_json_put_u64(&s->j, "file_size", lull_cur_left(&g->data));
            lull_json_put_u64(&s->j, "memory_size", g->memory_size);
            lull_json_close(&s->j, '}');
        } else {
            lull_str_addf(&s->out, "  %-10s %s %08" PRIx64 " %6zx %6" PRIx64 "\n", type, flags,
                          g->address, lull_cur_left(&g->data), g->memory_size);
        }
    }
    if (s->json) {
        lull_json_close(&s->j, ']');
    }
}

static void show_sections(struct lull_elf_show *s)
{
    if (s->json) {
        lull_json_key(&s->j, "sections");
        lull_json_open(&s->j, '[');
    } else {
        lull_str_addf(&s->out,
                      "\nsections:\n"
                      "   nr type       flag address  offset   size es link info align name\n");
    }
    for (size_t i = 0; i < s->elf.nsections; i++) {
        show_section(s, i);
    }
    if (s->json) {
        lull_json_close(&s->j, ']');
    }
    show_segments(s);
}

static const char *place_name(const struct lull_elf_show *s, uint16_t section, char buffer[16])
{
    return section == LULL_ELF_UNDEF    ? "undefined"
           : section == LULL_ELF_ABS    ? "absolute"
           : section == LULL_ELF_COMMON ? "common"
           : section < s->elf.nsections ? s->elf.sections[section].name
                                        : word(NULL, section, buffer);
}

static void show_symbols(struct lull_elf_show *s)
{
    char a[16], b[16], c[16], d[16];
    if (s->json) {
        lull_json_key(&s->j, "symbols");
        lull_json_open(&s->j, '[');
    } else {
        lull_str_addf(&s->out, "\nsymbols:\n   nr value    size   type    binding section, name\n");
    }
    for (size_t i = 0; i < s->nsymbols; i++) {
        const struct lull_elf_symbol *y = &s->symbols[i];
        const char *type = word(NAME(symbol_types, y->type), y->type, a);
        const char *binding = word(NAME(bindings, y->binding), y->binding, b);
        const char *place = place_name(s, y->section, c);
        if (s->json) {
            lull_json_open(&s->j, '{');
            lull_json_put_u64(&s->j, "index", i);
            lull_json_put_str(&s->j, "name", y->name);
            lull_json_put_hex(&s->j, "value", y->value);
            lull_json_put_u64(&s->j, "size", y->size);
            lull_json_put_str(&s->j, "type", type);
            lull_json_put_str(&s->j, "binding", binding);
            lull_json_put_str(&s->j, "visibility",
                              word(NAME(visibilities, y->other & 3u), y->other, d));
            lull_json_put_str(&s->j, "section", place);
            lull_json_close(&s->j, '}');
            continue;
        }
        lull_str_addf(&s->out, "  %3zu %08" PRIx64 " %6" PRIx64 " %-7s %-7s ", i, y->value, y->size,
                      type, binding);
        lull_elf_show_text(&s->out, place);
        lull_str_addf(&s->out, " ");
        lull_elf_show_text(&s->out, y->name);
        lull_str_addf(&s->out, "\n");
    }
    if (s->json) {
        lull_json_close(&s->j, ']');
    }
}

// What a type writes, of S (address of the symbol), A (addend), P (place), B (base of the image).
static const char *formula(uint32_t type)
{
    static const struct number_name formulas[] = {
        {LULL_R_AMDGPU_NONE, "nothing"},
        {LULL_R_AMDGPU_ABS32_LO, "low 32 bits of S + A"},
        {LULL_R_AMDGPU_ABS32_HI, "high 32 bits of S + A"},
        {LULL_R_AMDGPU_ABS64, "S + A, 64 bits"},
        {LULL_R_AMDGPU_REL32, "S + A - P"},
        {LULL_R_AMDGPU_REL64, "S + A - P, 64 bits"},
        {LULL_R_AMDGPU_ABS32, "S + A, 32 bits"},
        {LULL_R_AMDGPU_GOTPCREL, "G + GOT + A - P"},
        {LULL_R_AMDGPU_GOTPCREL32_LO, "low 32 bits of G + GOT + A - P"},
        {LULL_R_AMDGPU_GOTPCREL32_HI, "high 32 bits of G + GOT + A - P"},
        {LULL_R_AMDGPU_REL32_LO, "low 32 bits of S + A - P"},
        {LULL_R_AMDGPU_REL32_HI, "high 32 bits of S + A - P"},
        {LULL_R_AMDGPU_RELATIVE64, "B + A, 64 bits"},
        {LULL_R_AMDGPU_REL16, "branch distance: (S + A - P - 4) / 4, 16 bits"},
    };
    const char *text = NAME(formulas, type);
    return text != NULL ? text : "unknown";
}

void lull_elf_show_meaning(const struct lull_elf_show *s, const struct lull_elf_show_reloc *r,
                           struct lull_str *out)
{
    char buffer[16];
    const bool absolute = r->r.type == LULL_R_AMDGPU_ABS32 || r->r.type == LULL_R_AMDGPU_ABS32_LO;
    const bool undefined = r->symbol != NULL && r->symbol->section == LULL_ELF_UNDEF;
    if (undefined && absolute && lull_link_describe(r->name, out)) {
        lull_str_addf(out, "; the linker knows it from the layout");
        return;
    }
    lull_str_addf(out, "%s", formula(r->r.type));
    if (r->symbol != NULL) {
        lull_str_addf(out, "; S: ");
        if (undefined) {
            lull_str_addf(out, "defined in no file yet");
        } else {
            lull_elf_show_text(out, place_name(s, r->symbol->section, buffer));
            lull_str_addf(out, "+0x%" PRIx64, r->symbol->value);
        }
    }
    if (!r->with_addend) {
        lull_str_addf(out, "; A: the word there");
    } else if (r->r.addend != 0) {
        lull_str_addf(out, "; A: %" PRId64, r->r.addend);
    }
}

static void show_reloc(struct lull_elf_show *s, const struct lull_elf_show_reloc *r)
{
    char buffer[16];
    struct lull_str words = {0};
    const char *target = r->target < s->elf.nsections ? s->elf.sections[r->target].name : "";
    lull_elf_show_meaning(s, r, &words);
    if (s->json) {
        lull_json_open(&s->j, '{');
        lull_json_put_str(&s->j, "section", s->elf.sections[r->from].name);
        lull_json_put_str(&s->j, "target", target);
        lull_json_put_hex(&s->j, "offset", r->r.offset);
        lull_json_put_u64(&s->j, "type", r->r.type);
        lull_json_put_str(&s->j, "type_name", lull_elf_show_type(r->r.type, buffer));
        lull_json_put_str(&s->j, "symbol", r->name);
        if (r->with_addend) {
            lull_json_put_hex(&s->j, "addend", (uint64_t)r->r.addend);
        }
        lull_json_put_str(&s->j, "meaning", lull_str_text(&words));
        lull_json_close(&s->j, '}');
    } else {
        lull_str_addf(&s->out, "  ");
        lull_elf_show_text(&s->out, target);
        lull_str_addf(&s->out, "%s%06" PRIx64 " %-18s ", target[0] != '\0' ? "+0x" : "0x",
                      r->r.offset, lull_elf_show_type(r->r.type, buffer));
        lull_elf_show_text(&s->out, r->name);
        lull_str_addf(&s->out, ": %s\n", lull_str_text(&words));
    }
    lull_str_free(&words);
}

static int by_place(const void *a, const void *b)
{
    const struct lull_elf_show_reloc *x = a, *y = b;
    if (x->target != y->target) {
        return x->target < y->target ? -1 : 1;
    }
    if (x->r.offset != y->r.offset) {
        return x->r.offset < y->r.offset ? -1 : 1;
    }
    return x->r.type < y->r.type ? -1 : x->r.type > y->r.type;
}

LULL_MUST_USE static struct lull_error *read_records(struct lull_elf_show *s, uint32_t index)
{
    const struct lull_elf_section *sec = &s->elf.sections[index];
    const bool with_addend = sec->type == LULL_ELF_RELA;
    struct lull_cur c = sec->data;
    struct lull_elf_show_reloc r = {.target = sec->info, .from = index, .with_addend = with_addend};
    const size_t most = lull_cur_left(&c) / (with_addend ? LULL_ELF_RELA_SIZE : LULL_ELF_REL_SIZE);
    struct lull_elf_show_reloc *grown = realloc(s->relocs, (s->nrelocs + most + 1) * sizeof *grown);
    if (grown == NULL) {
        return &lull_enomem;
    }
    s->relocs = grown;
    unsigned bad = 0;
    while (with_addend ? lull_elf_next_reloc(&c, &r.r) : lull_elf_next_rel(&c, &r.r)) {
        const bool known = r.r.symbol < s->nsymbols;
        r.symbol = r.r.symbol > 0 && known ? &s->symbols[r.r.symbol] : NULL;
        r.name = r.symbol != NULL ? r.symbol->name : "";
        if (r.symbol != NULL && r.name[0] == '\0' && r.symbol->section < s->elf.nsections) {
            r.name = s->elf.sections[r.symbol->section].name;
        }
        bad += !known && r.r.symbol > 0;
        s->relocs[s->nrelocs++] = r;
    }
    if (bad > 0 || lull_cur_left(&c) > 0) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "%u symbols of %zu that do not exist, %zu bytes over", bad,
                              s->nsymbols, lull_cur_left(&c));
    }
    return NULL;
}

static void show_relocs(struct lull_elf_show *s)
{
    for (uint32_t i = 0; i < s->elf.nsections; i++) {
        const struct lull_elf_section *sec = &s->elf.sections[i];
        if (sec->type == LULL_ELF_REL || sec->type == LULL_ELF_RELA) {
            lull_elf_show_fault(s,
                                lull_error_in(read_records(s, i), "section %u '%s'", i, sec->name));
        }
    }
    if (s->nrelocs > 0) {
        qsort(s->relocs, s->nrelocs, sizeof *s->relocs, by_place);
    }
    if (s->json) {
        lull_json_key(&s->j, "relocations");
        lull_json_open(&s->j, '[');
    } else if (s->nrelocs > 0) {
        lull_str_addf(&s->out, "\nrelocations:\n");
    }
    for (size_t i = 0; i < s->nrelocs; i++) {
        show_reloc(s, &s->relocs[i]);
    }
    if (s->json) {
        lull_json_close(&s->j, ']');
    }
}

// .symtab if there is one: shared objects have a smaller .dynsym, too.
static void read_symbols(struct lull_elf_show *s)
{
    const struct lull_elf_section *table = NULL;
    for (size_t i = 0; i < s->elf.nsections; i++) {
        const struct lull_elf_section *sec = &s->elf.sections[i];
        if (sec->type == LULL_ELF_SYMTAB || (sec->type == LULL_ELF_DYNSYM && table == NULL)) {
            table = sec;
        }
    }
    if (table != NULL) {
        lull_elf_show_fault(s, lull_elf_symbols(&s->elf, table, &s->symbols, &s->nsymbols));
    }
}

static void show(struct lull_elf_show *s)
{
    s->j.out = &s->out;
    if (s->json) {
        lull_json_open(&s->j, '{');
    }
    show_header(s);
    if (s->elf.damage != NULL) {
        lull_elf_show_fault(s, lull_error_new(LULL_ERR_BAD_DATA, "%s", s->elf.damage));
    }
    show_sections(s);
    read_symbols(s);
    show_symbols(s);
    show_relocs(s);
    lull_elf_show_notes(s);
    if (!s->no_code) {
        lull_elf_show_code(s);
    }
    if (s->json) {
        lull_json_close(&s->j, '}');
        lull_str_addf(&s->out, "\n");
    }
}

static const struct lull_opt opts[] = {
    {"--json", NULL, NULL, "as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct lull_elf_show, json)},
    {"--no-code", NULL, NULL, "without the code", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_elf_show, no_code)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct lull_elf_show, path),
     .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct lull_elf_show s = {0};
    char *image = NULL;
    size_t size = 0;
    struct lull_error *err = lull_opt_parse(form, &s, argc, argv);
    err = err != NULL ? err : lull_input_read(s.path, &image, &size);
    if (err == NULL) {
        err = lull_error_in(lull_elf_parse_lax(image, size, &s.elf), "%s", s.path);
    }
    if (err == NULL) {
        show(&s);
        err = s.out.err;
        s.out.err = NULL;
        fwrite(lull_str_text(&s.out), 1, s.out.size, stdout);
        *status = s.faults > 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    }
    lull_str_free(&s.out);
    free(s.symbols);
    free(s.relocs);
    lull_arena_done(&s.arena);
    lull_elf_done(&s.elf);
    free(image);
    return err;
}

static const struct lull_form form = {
    .word = "show",
    .about = "Sections, symbols, relocations and what they mean, notes (metadata as YAML), and "
             "code function by function, of relocatable shaders, linked pipelines and code "
             "objects. Instructions are shown for gfx11, words for other GPUs.",
    .groups = groups,
    .run = run,
};

const struct lull_command lull_cli_elf = {
    .name = "elf",
    .help = "show an ELF file of AMD GPUs: sections, symbols, relocations, notes, code",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status 1: the file is damaged; stderr says where, and the rest was shown.\n\n"
             "  lull elf show pipeline.elf",
};

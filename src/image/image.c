// SPDX-License-Identifier: MIT
#include "image/image.h"

#include <stdlib.h>
#include <string.h>

#include "image/parts.h"

enum {
    STT_OBJECT_MAX = 2, // none, object, function: what names bytes
    MAX_IMAGE_BYTES = 1 << 30,
};

/** Relocations of EM_AMDGPU. Source: LLVM AMDGPUUsage, "Relocation Records". */
enum reloc {
    R_NONE = 0,
    R_ABS32_LO = 1,
    R_ABS32_HI = 2,
    R_ABS64 = 3,
    R_REL32 = 4,
    R_REL64 = 5,
    R_ABS32 = 6,
    R_REL32_LO = 10,
    R_REL32_HI = 11,
    R_RELATIVE64 = 13,
};

void *lull_image_alloc(struct lull_image *im, size_t count, size_t size)
{
    return lull_arena_calloc(&im->arena, count != 0 ? count : 1, size);
}

struct lull_cur lull_image_contents(const struct lull_image *im, uint64_t offset, uint64_t size)
{
    for (size_t i = 0; i < im->elf.nsegments; i++) {
        const struct lull_elf_segment *seg = &im->elf.segments[i];
        uint64_t have = lull_cur_left(&seg->data);
        if (seg->type == LULL_ELF_LOAD && offset >= seg->address && offset - seg->address < have) {
            return lull_cur_slice(&seg->data, offset - seg->address, size);
        }
    }
    struct lull_cur none = lull_cur_of(im->bytes, 0);
    none.bad = true;
    return none;
}

LULL_MUST_USE static struct lull_error *check_machine(const struct lull_elf *elf)
{
    if (elf->machine != LULL_ELF_AMDGPU) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "ELF machine %u is not AMDGPU (%d)",
                              elf->machine, LULL_ELF_AMDGPU);
    }
    if (!lull_image_machine_ok(elf->flags)) {
        const char *name = lull_image_machine(elf->flags);
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "code for %s (e_flags 0x%x), only gfx1100 is supported",
                              name != NULL ? name : "an unknown GPU", elf->flags);
    }
    if (elf->type != LULL_ELF_DYN_FILE) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED, "ELF type %u: not a linked code object%s", elf->type,
            elf->type == LULL_ELF_REL_FILE ? "; link it with ld.lld -shared" : "");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *measure(struct lull_image *im)
{
    im->code_start = UINT64_MAX;
    for (size_t i = 0; i < im->elf.nsegments; i++) {
        const struct lull_elf_segment *seg = &im->elf.segments[i];
        if (seg->type != LULL_ELF_LOAD) {
            continue;
        }
        if (seg->address > MAX_IMAGE_BYTES || seg->memory_size > MAX_IMAGE_BYTES - seg->address) {
            return lull_error_new(
                LULL_ERR_BAD_DATA,
                "segment %zu: 0x%llx bytes at 0x%llx, more than an image of 1 GiB", i,
                (unsigned long long)seg->memory_size, (unsigned long long)seg->address);
        }
        uint64_t end = seg->address + seg->memory_size;
        im->size = end > im->size ? end : im->size;
        if ((seg->flags & LULL_ELF_EXEC_SEGMENT) != 0) {
            im->code_start = seg->address < im->code_start ? seg->address : im->code_start;
            im->code_end = end > im->code_end ? end : im->code_end;
        }
    }
    if (im->code_end == 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "no executable segment");
    }
    return NULL;
}

static int by_offset(const void *a, const void *b)
{
    const struct lull_symbol *x = a;
    const struct lull_symbol *y = b;
    if (x->offset != y->offset) {
        return x->offset < y->offset ? -1 : 1;
    }
    if (x->is_code != y->is_code) {
        return x->is_code ? -1 : 1;
    }
    // Of two names for a place the one that spans it comes first.
    if (x->size != y->size) {
        return x->size > y->size ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

void lull_image_sort_symbols(struct lull_image *im)
{
    qsort(im->symbols, im->nsymbols, sizeof *im->symbols, by_offset);
}

static const struct lull_elf_section *find_type(const struct lull_elf *elf, uint32_t type)
{
    for (size_t i = 0; i < elf->nsections; i++) {
        if (elf->sections[i].type == type) {
            return &elf->sections[i];
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *keep_symbols(struct lull_image *im,
                                                     const struct lull_elf_symbol *from,
                                                     size_t count)
{
    im->symbols = lull_image_alloc(im, count, sizeof *im->symbols);
    if (im->symbols == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < count; i++) {
        const struct lull_elf_symbol *s = &from[i];
        if (s->section == LULL_ELF_UNDEF || s->section >= im->elf.nsections || s->name[0] == '\0' ||
            s->type > STT_OBJECT_MAX || s->value >= im->size) {
            continue;
        }
        uint64_t flags = im->elf.sections[s->section].flags;
        if ((flags & LULL_ELF_ALLOC) == 0) {
            continue;
        }
        im->symbols[im->nsymbols++] = (struct lull_symbol){
            .name = s->name,
            .offset = s->value,
            .size = s->size <= im->size - s->value ? s->size : im->size - s->value,
            .is_code = (flags & LULL_ELF_EXEC) != 0,
        };
    }
    lull_image_sort_symbols(im);
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_symbols(struct lull_image *im)
{
    const struct lull_elf_section *dynamic = find_type(&im->elf, LULL_ELF_DYNSYM);
    const struct lull_elf_section *full = find_type(&im->elf, LULL_ELF_SYMTAB);
    struct lull_error *err = NULL;
    if (dynamic != NULL) {
        err = lull_elf_symbols(&im->elf, dynamic, &im->dynamic_symbols, &im->ndynamic);
    }
    if (err != NULL || full == NULL) {
        return err != NULL ? err : keep_symbols(im, im->dynamic_symbols, im->ndynamic);
    }
    struct lull_elf_symbol *all = NULL;
    size_t count = 0;
    err = lull_elf_symbols(&im->elf, full, &all, &count);
    if (err == NULL) {
        err = keep_symbols(im, all, count);
    }
    free(all);
    return err;
}

LULL_MUST_USE static struct lull_error *read_all(struct lull_image *im)
{
    struct lull_error *err = lull_elf_parse(im->bytes, im->bytes_size, &im->elf);
    if (err == NULL) {
        err = check_machine(&im->elf);
    }
    if (err == NULL) {
        err = measure(im);
    }
    if (err == NULL) {
        err = read_symbols(im);
    }
    if (err == NULL) {
        err = lull_image_read_metadata(im);
    }
    if (err == NULL) {
        err = lull_image_read_descriptors(im);
    }
    // Lines are a help, not a need: a program with broken ones still runs.
    if (err == NULL && lull_elf_find(&im->elf, ".debug_line") != NULL) {
        lull_error_free(lull_dwarf_read_lines(im->bytes, im->bytes_size, &im->lines));
    }
    return err;
}

/** Code and symbols of a pipeline: its first section that is loaded is the code. */
LULL_MUST_USE static struct lull_error *read_pal(struct lull_image *im)
{
    struct lull_error *err = lull_elf_parse(im->bytes, im->bytes_size, &im->elf);
    const struct lull_elf_section *text = NULL;
    for (size_t i = 0; err == NULL && text == NULL && i < im->elf.nsections; i++) {
        const struct lull_elf_section *s = &im->elf.sections[i];
        text = (s->flags & LULL_ELF_ALLOC) != 0 && s->type == LULL_ELF_PROGBITS ? s : NULL;
    }
    if (err != NULL) {
        return err;
    }
    if (text == NULL || (text->flags & LULL_ELF_EXEC) == 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "its first section that is loaded is not code");
    }
    im->size = text->size;
    im->code_end = text->size;
    err = read_symbols(im);
    for (size_t i = 0; err == NULL && i < im->nsymbols;) {
        // Offsets of symbols in other sections are not offsets in the code.
        if (im->symbols[i].is_code) {
            i++;
        } else {
            im->symbols[i] = im->symbols[--im->nsymbols];
        }
    }
    if (err == NULL) {
        lull_image_sort_symbols(im);
    }
    if (err == NULL && lull_elf_find(&im->elf, ".debug_line") != NULL) {
        lull_error_free(lull_dwarf_read_lines(im->bytes, im->bytes_size, &im->lines));
    }
    return err;
}

LULL_MUST_USE static struct lull_error *make(const void *bytes, size_t size,
                                             struct lull_error *(*read)(struct lull_image *im),
                                             struct lull_image **ret)
{
    struct lull_image *im = calloc(1, sizeof *im);
    if (im == NULL) {
        return &lull_enomem;
    }
    im->bytes = calloc(size != 0 ? size : 1, 1);
    im->bytes_size = size;
    struct lull_error *err = NULL;
    if (im->bytes == NULL) {
        err = &lull_enomem;
    } else {
        memcpy(im->bytes, bytes, size);
        err = read(im);
    }
    if (err != NULL) {
        lull_image_free(im);
        return err;
    }
    *ret = im;
    return NULL;
}

struct lull_error *lull_image_parse(const void *bytes, size_t size, struct lull_image **ret)
{
    return make(bytes, size, read_all, ret);
}

struct lull_error *lull_image_of_pal(const void *bytes, size_t size, struct lull_image **ret)
{
    return make(bytes, size, read_pal, ret);
}

void lull_image_free(struct lull_image *im)
{
    if (im == NULL) {
        return;
    }
    lull_dwarf_lines_done(&im->lines);
    lull_elf_done(&im->elf);
    lull_arena_done(&im->arena);
    free(im->dynamic_symbols);
    free(im->bytes);
    free(im);
}

size_t lull_image_nkernels(const struct lull_image *im)
{
    return im->nkernels;
}

const struct lull_kernel_info *lull_image_kernel(const struct lull_image *im, size_t i)
{
    return i < im->nkernels ? &im->kernels[i] : NULL;
}

const struct lull_kernel_info *lull_image_find_kernel(const struct lull_image *im, const char *name)
{
    for (size_t i = 0; i < im->nkernels; i++) {
        if (strcmp(im->kernels[i].name, name) == 0) {
            return &im->kernels[i];
        }
    }
    return NULL;
}

size_t lull_image_nsymbols(const struct lull_image *im)
{
    return im->nsymbols;
}

const struct lull_symbol *lull_image_symbol(const struct lull_image *im, size_t i)
{
    return i < im->nsymbols ? &im->symbols[i] : NULL;
}

const struct lull_symbol *lull_image_symbol_at(const struct lull_image *im, uint64_t offset)
{
    if (offset < im->code_start || offset >= im->code_end) {
        return NULL;
    }
    const struct lull_symbol *best = NULL;
    for (size_t i = 0; i < im->nsymbols && im->symbols[i].offset <= offset; i++) {
        const struct lull_symbol *s = &im->symbols[i];
        if (s->is_code && (best == NULL || s->offset > best->offset)) {
            best = s;
        }
    }
    return best;
}

uint64_t lull_image_size(const struct lull_image *im)
{
    return im->size;
}

LULL_MUST_USE static struct lull_error *resolve(const struct lull_image *im,
                                                const struct lull_elf_reloc *reloc, uint64_t va,
                                                uint64_t *ret)
{
    enum { WEAK = 2 };
    *ret = 0;
    if (reloc->symbol == 0) {
        return NULL;
    }
    if (reloc->symbol >= im->ndynamic) {
        return lull_error_new(LULL_ERR_BAD_DATA, "symbol %u of %zu", reloc->symbol, im->ndynamic);
    }
    const struct lull_elf_symbol *s = &im->dynamic_symbols[reloc->symbol];
    if (s->section == LULL_ELF_UNDEF && s->binding != WEAK) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "'%s' is not defined", s->name);
    }
    *ret = s->section == LULL_ELF_UNDEF      ? 0
           : s->section >= LULL_ELF_RESERVED ? s->value
                                             : va + s->value;
    return NULL;
}

static void put_le(uint8_t *dst, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        dst[i] = (uint8_t)(value >> (8 * i));
    }
}

// Value and width in bytes of a relocation; width 0 if its type is not known.
static size_t evaluate(const struct lull_elf_reloc *reloc, uint64_t symbol, uint64_t va,
                       uint64_t *ret)
{
    uint64_t absolute = symbol + (uint64_t)reloc->addend;
    uint64_t relative = absolute - (va + reloc->offset);
    switch (reloc->type) {
    case R_ABS32_LO:
    case R_ABS32:
        *ret = absolute;
        return 4;
    case R_ABS32_HI:
        *ret = absolute >> 32;
        return 4;
    case R_ABS64:
        *ret = absolute;
        return 8;
    case R_REL32:
    case R_REL32_LO:
        *ret = relative;
        return 4;
    case R_REL32_HI:
        *ret = relative >> 32;
        return 4;
    case R_REL64:
        *ret = relative;
        return 8;
    case R_RELATIVE64:
        *ret = va + (uint64_t)reloc->addend;
        return 8;
    default:
        return 0;
    }
}

LULL_MUST_USE static struct lull_error *apply(const struct lull_image *im,
                                              const struct lull_elf_reloc *reloc, uint64_t va,
                                              uint8_t *dst)
{
    if (reloc->type == R_NONE) {
        return NULL;
    }
    uint64_t symbol = 0;
    uint64_t value = 0;
    struct lull_error *err = resolve(im, reloc, va, &symbol);
    if (err != NULL) {
        return err;
    }
    size_t size = evaluate(reloc, symbol, va, &value);
    if (size == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "type %u", reloc->type);
    }
    if (reloc->offset > im->size || size > im->size - reloc->offset) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "offset 0x%llx is outside the image of 0x%llx bytes",
                              (unsigned long long)reloc->offset, (unsigned long long)im->size);
    }
    put_le(dst + reloc->offset, value, size);
    return NULL;
}

struct lull_error *lull_image_load(const struct lull_image *im, uint64_t va, void *dst)
{
    uint8_t *to = dst;
    memset(to, 0, im->size);
    for (size_t i = 0; i < im->elf.nsegments; i++) {
        const struct lull_elf_segment *seg = &im->elf.segments[i];
        if (seg->type == LULL_ELF_LOAD && lull_cur_left(&seg->data) != 0) {
            memcpy(to + seg->address, seg->data.pos, lull_cur_left(&seg->data));
        }
    }
    for (size_t i = 0; i < im->elf.nsections; i++) {
        const struct lull_elf_section *section = &im->elf.sections[i];
        if (section->type != LULL_ELF_RELA || (section->flags & LULL_ELF_ALLOC) == 0) {
            continue;
        }
        struct lull_cur c = section->data;
        struct lull_elf_reloc reloc = {0};
        for (size_t n = 0; lull_elf_next_reloc(&c, &reloc); n++) {
            struct lull_error *err = apply(im, &reloc, va, to);
            if (err != NULL) {
                return lull_error_in(err, "section '%s': relocation %zu", section->name, n);
            }
        }
    }
    return NULL;
}

void lull_image_code_range(const struct lull_image *im, uint64_t *ret_start, uint64_t *ret_end)
{
    *ret_start = im->code_start;
    *ret_end = im->code_end;
}

static void copy_line(const struct lull_dwarf_line *from, struct lull_line *to)
{
    *to = (struct lull_line){
        .offset = from->address,
        .file = from->file,
        .line = from->line,
        .column = from->column,
        .is_stmt = from->is_stmt,
    };
}

bool lull_image_line_at(const struct lull_image *im, uint64_t offset, struct lull_line *ret)
{
    const struct lull_dwarf_line *line = lull_dwarf_line_at(&im->lines, offset);
    if (line == NULL || line->line == 0) {
        return false;
    }
    copy_line(line, ret);
    return true;
}

// Is file the end of path, whole components only?
static bool names_file(const char *path, const char *file)
{
    if (file == NULL) {
        return true;
    }
    size_t have = strlen(path);
    size_t want = strlen(file);
    return want <= have && strcmp(path + have - want, file) == 0 &&
           (want == have || want == 0 || file[0] == '/' || path[have - want - 1] == '/');
}

bool lull_image_prologue_end(const struct lull_image *im, uint64_t low, uint64_t high,
                             uint64_t *ret_offset)
{
    for (size_t i = 0; i < im->lines.count; i++) {
        const struct lull_dwarf_line *l = &im->lines.lines[i];
        if (l->address >= low && l->address < high && l->prologue_end && !l->end) {
            *ret_offset = l->address;
            return true;
        }
    }
    return false;
}

const void *lull_image_bytes(const struct lull_image *im, size_t *ret_size)
{
    *ret_size = im->bytes_size;
    return im->bytes;
}

static const struct lull_dwarf_line *find_line(const struct lull_image *im, const char *file,
                                               uint32_t line)
{
    const struct lull_dwarf_line *best = NULL;
    for (size_t i = 0; i < im->lines.count; i++) {
        const struct lull_dwarf_line *l = &im->lines.lines[i];
        if (l->is_stmt && !l->end && l->line != 0 && l->line >= line && names_file(l->file, file) &&
            (best == NULL || l->line < best->line)) {
            best = l;
        }
    }
    return best;
}

bool lull_image_line_find(const struct lull_image *im, const char *file, uint32_t line,
                          uint64_t *ret_offset)
{
    const struct lull_dwarf_line *best = find_line(im, file, line);
    if (best != NULL) {
        *ret_offset = best->address;
    }
    return best != NULL;
}

size_t lull_image_line_runs(const struct lull_image *im, const char *file, uint32_t line,
                            struct lull_line_run *ret, size_t room)
{
    enum { LAST_COLUMN = 63 };
    const struct lull_dwarf_line *best = find_line(im, file, line);
    struct lull_line_run run = {0};
    bool in = false;    // a run goes on
    bool found = false; // it has its offset
    size_t n = 0;
    for (size_t i = 0; best != NULL && i < im->lines.count; i++) {
        const struct lull_dwarf_line *l = &im->lines.lines[i];
        const bool empty = i + 1 < im->lines.count && l[1].address == l->address && !l->end;
        const bool ours = !l->end && l->line == best->line && names_file(l->file, file);
        if ((empty && !ours) || (l->line == 0 && !l->end)) {
            continue; // code of no line belongs to what is around it
        }
        run = ours && in ? run : (struct lull_line_run){0};
        found = found && ours && in;
        in = ours;
        if (!ours) {
            continue;
        }
        run.columns |= UINT64_C(1) << (l->column < LAST_COLUMN ? l->column : LAST_COLUMN);
        if (!found && l->is_stmt) {
            run.offset = l->address;
            found = true;
            n++;
        }
        if (found && n <= room) {
            ret[n - 1] = run;
        }
    }
    return n;
}

// SPDX-License-Identifier: MIT
// From libdw's entries to scopes and variables.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/reader.h"

enum { MAX_DEPTH = 64, MAX_SCOPES = 200000, MAX_RANGES = 10000 };

/* One operation; of those with an address table the address. */
LULL_MUST_USE static struct lull_error *copy_op(Dwarf_Attribute *attr, const Dwarf_Op *from,
                                                struct lull_locop *to)
{
    *to = (struct lull_locop){
        .op = from->atom, .a = from->number, .b = from->number2, .at = (uint32_t)from->offset};
    if (from->atom == DW_OP_addrx || from->atom == DW_OP_constx) {
        Dwarf_Attribute there;
        Dwarf_Addr address = 0;
        if (dwarf_getlocation_attr(attr, from, &there) != 0 ||
            dwarf_formaddr(&there, &address) != 0) {
            return lull_error_new(LULL_ERR_BAD_DATA, "operation at byte %u: %s",
                                  (unsigned)from->offset, dwarf_errmsg(-1));
        }
        to->a = address;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *copy_expr(struct lull_symread *r, Dwarf_Attribute *attr,
                                                  const Dwarf_Op *ops, size_t n,
                                                  struct lull_locexpr *ret)
{
    struct lull_locop *copy = lull_arena_calloc(&r->symbols->arena, n + 1, sizeof *copy);
    struct lull_error *err = copy == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; err == NULL && i < n; i++) {
        err = copy_op(attr, &ops[i], &copy[i]);
    }
    *ret = (struct lull_locexpr){.n = n, .ops = copy};
    return err;
}

/* A place for each entry of a location list, or one. */
LULL_MUST_USE static struct lull_error *read_places(struct lull_symread *r, Dwarf_Attribute *attr,
                                                    struct lull_symvar *v)
{
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    Dwarf_Op *ops = NULL;
    size_t n = 0;
    size_t count = 0;
    ptrdiff_t at = 0;
    while (count < MAX_RANGES &&
           (at = dwarf_getlocations(attr, at, &base, &low, &high, &ops, &n)) > 0) {
        count++;
    }
    v->places = lull_arena_calloc(&r->symbols->arena, count + 1, sizeof *v->places);
    struct lull_error *err = v->places == NULL ? &lull_enomem : NULL;
    at = 0;
    while (err == NULL && v->nplaces < count &&
           (at = dwarf_getlocations(attr, at, &base, &low, &high, &ops, &n)) > 0) {
        struct lull_symplace *place = &v->places[v->nplaces];
        place->range = (struct lull_symrange){low, high};
        err = copy_expr(r, attr, ops, n, &place->expr);
        v->nplaces += n != 0; // An empty one says that it is nowhere.
    }
    return err;
}

/* DW_AT_const_value: a number, or the bytes of one. */
static void read_constant(Dwarf_Attribute *attr, struct lull_symvar *v)
{
    Dwarf_Sword number = 0;
    Dwarf_Block block = {0};
    if (dwarf_formsdata(attr, &number) == 0) {
        v->constant = true;
        v->value = (uint64_t)number;
    } else if (dwarf_formblock(attr, &block) == 0 && block.length <= sizeof v->value) {
        v->constant = true;
        memcpy(&v->value, block.data, block.length);
    }
}

/* File @p number of the unit of @p die. */
static const char *file_of(Dwarf_Die *die, uint64_t number)
{
    Dwarf_Die unit;
    Dwarf_Files *files = NULL;
    size_t n = 0;
    const bool has = dwarf_diecu(die, &unit, NULL, NULL) != NULL &&
                     dwarf_getsrcfiles(&unit, &files, &n) == 0 && number < n;
    return has ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
}

/* Where it is written. dwarf_decl_file() of libdw 0.188 takes file 0 for none, which it is no
 * longer in DWARF 5. */
static const char *decl_file(Dwarf_Die *die)
{
    uint64_t number = 0;
    return lull_symread_number(die, DW_AT_decl_file, &number) ? file_of(die, number) : NULL;
}

LULL_MUST_USE static struct lull_error *read_variable(struct lull_symread *r, Dwarf_Die *die,
                                                      struct lull_symscope *scope)
{
    Dwarf_Attribute attr;
    uint64_t line = 0;
    const char *name = dwarf_diename(die);
    if (name == NULL || name[0] == '\0') {
        return NULL;
    }
    struct lull_symvar *v = lull_arena_calloc(&r->symbols->arena, 1, sizeof *v);
    struct lull_error *err = v == NULL ? &lull_enomem : lull_symread_text(r, name, &v->name);
    err = err != NULL ? err : lull_symread_text(r, decl_file(die), &v->file);
    err = err != NULL ? err : lull_symread_type_of(r, die, &v->type);
    if (err != NULL) {
        return err;
    }
    v->scope = scope;
    v->parameter = dwarf_tag(die) == DW_TAG_formal_parameter;
    v->global = dwarf_hasattr(die, DW_AT_artificial) != 0 && !v->parameter;
    v->line = lull_symread_number(die, DW_AT_decl_line, &line) ? (uint32_t)line : 0;
    if (dwarf_attr_integrate(die, DW_AT_const_value, &attr) != NULL) {
        read_constant(&attr, v);
    } else if (dwarf_attr_integrate(die, DW_AT_location, &attr) != NULL) {
        err = read_places(r, &attr, v);
    }
    *(scope->last != NULL ? &scope->last->next : &scope->first) = v;
    scope->last = v;
    return lull_error_in(err, "variable '%s'", name);
}

LULL_MUST_USE static struct lull_error *read_ranges(struct lull_symread *r, Dwarf_Die *die,
                                                    struct lull_symscope *scope)
{
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    size_t count = 0;
    ptrdiff_t at = 0;
    while (count < MAX_RANGES && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        count++;
    }
    scope->ranges = lull_arena_calloc(&r->symbols->arena, count + 1, sizeof *scope->ranges);
    if (scope->ranges == NULL) {
        return &lull_enomem;
    }
    at = 0;
    while (scope->nranges < count && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        scope->ranges[scope->nranges++] = (struct lull_symrange){low, high};
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_inlined(struct lull_symread *r, Dwarf_Die *die,
                                                     struct lull_symscope *scope)
{
    uint64_t file = 0;
    uint64_t line = 0;
    scope->call_line = lull_symread_number(die, DW_AT_call_line, &line) ? (uint32_t)line : 0;
    const bool has = lull_symread_number(die, DW_AT_call_file, &file);
    return lull_symread_text(r, has ? file_of(die, file) : NULL, &scope->call_file);
}

LULL_MUST_USE static struct lull_error *read_frame_base(struct lull_symread *r, Dwarf_Die *die,
                                                        struct lull_symscope *scope)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops = NULL;
    size_t n = 0;
    return dwarf_attr_integrate(die, DW_AT_frame_base, &attr) != NULL &&
                   dwarf_getlocation(&attr, &ops, &n) == 0
               ? copy_expr(r, &attr, ops, n, &scope->frame_base)
               : NULL;
}

LULL_MUST_USE static struct lull_error *new_scope(struct lull_symread *r, Dwarf_Die *die,
                                                  enum lull_symscope_kind kind,
                                                  struct lull_symscope *parent,
                                                  struct lull_symscope **ret)
{
    uint64_t line = 0;
    struct lull_symscope *scope = lull_arena_calloc(&r->symbols->arena, 1, sizeof *scope);
    if (scope == NULL || ++r->nscopes > MAX_SCOPES) {
        return scope == NULL ? &lull_enomem
                             : lull_error_new(LULL_ERR_BAD_DATA, "more than %d scopes", MAX_SCOPES);
    }
    scope->kind = kind;
    scope->parent = parent;
    scope->call_file = "";
    struct lull_error *err = lull_symread_text(r, dwarf_diename(die), &scope->name);
    err = err != NULL ? err : lull_symread_text(r, decl_file(die), &scope->file);
    scope->line = lull_symread_number(die, DW_AT_decl_line, &line) ? (uint32_t)line : 0;
    if (err == NULL && kind != LULL_SYMSCOPE_UNIT) {
        err = read_ranges(r, die, scope);
    }
    if (err == NULL && kind == LULL_SYMSCOPE_FUNCTION) {
        err = read_frame_base(r, die, scope);
        err = err != NULL ? err : lull_symread_type_of(r, die, &scope->gives);
    }
    if (err == NULL && kind == LULL_SYMSCOPE_INLINED) {
        err = read_inlined(r, die, scope);
    }
    struct lull_symscope **first = parent != NULL ? &parent->children : &r->symbols->units;
    struct lull_symscope **last = parent != NULL ? &parent->last_child : &r->last_unit;
    *(*last != NULL ? &(*last)->next : first) = scope;
    *last = scope;
    *ret = scope;
    return err;
}

LULL_MUST_USE static struct lull_error *read_children(struct lull_symread *r, Dwarf_Die *die,
                                                      struct lull_symscope *scope, unsigned depth);

LULL_MUST_USE static struct lull_error *read_entry(struct lull_symread *r, Dwarf_Die *die,
                                                   struct lull_symscope *scope, unsigned depth)
{
    struct lull_symscope *inner = NULL;
    enum lull_symscope_kind kind = LULL_SYMSCOPE_BLOCK;
    switch (dwarf_tag(die)) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
        return read_variable(r, die, scope);
    case DW_TAG_subprogram:
        kind = LULL_SYMSCOPE_FUNCTION;
        break;
    case DW_TAG_inlined_subroutine:
        kind = LULL_SYMSCOPE_INLINED;
        break;
    case DW_TAG_lexical_block:
        break;
    default:
        return NULL;
    }
    struct lull_error *err = new_scope(r, die, kind, scope, &inner);
    return err != NULL ? err : read_children(r, die, inner, depth + 1);
}

LULL_MUST_USE static struct lull_error *read_children(struct lull_symread *r, Dwarf_Die *die,
                                                      struct lull_symscope *scope, unsigned depth)
{
    Dwarf_Die child;
    int more = depth > MAX_DEPTH ? -1 : dwarf_child(die, &child);
    struct lull_error *err = NULL;
    if (depth > MAX_DEPTH) {
        return lull_error_new(LULL_ERR_BAD_DATA, "scopes more than %d deep", MAX_DEPTH);
    }
    while (err == NULL && more == 0) {
        err = lull_error_in(read_entry(r, &child, scope, depth), "entry 0x%llx",
                            (unsigned long long)dwarf_dieoffset(&child));
        Dwarf_Die next;
        more = err == NULL ? dwarf_siblingof(&child, &next) : 1;
        child = more == 0 ? next : child;
    }
    return err == NULL && more < 0
               ? lull_error_new(LULL_ERR_BAD_DATA, "entry 0x%llx: %s",
                                (unsigned long long)dwarf_dieoffset(die), dwarf_errmsg(-1))
               : err;
}

LULL_MUST_USE static struct lull_error *read_units(struct lull_symread *r, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type = 0;
    Dwarf_Half version = 0;
    struct lull_error *err = NULL;
    int more = 0;
    while (err == NULL &&
           (more = dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, NULL)) == 0) {
        struct lull_symscope *scope = NULL;
        if (dwarf_tag(&die) != DW_TAG_compile_unit) {
            continue;
        }
        err = new_scope(r, &die, LULL_SYMSCOPE_UNIT, NULL, &scope);
        err = err != NULL ? err : read_children(r, &die, scope, 0);
    }
    return err == NULL && more < 0
               ? lull_error_new(LULL_ERR_BAD_DATA, "units: %s", dwarf_errmsg(-1))
               : err;
}

struct lull_error *lull_symbols_read(const void *image, size_t size, struct lull_symbols **ret)
{
    struct lull_symread r = {.symbols = calloc(1, sizeof *r.symbols)};
    char *copy = calloc(size + 1, 1); // libelf needs aligned, writable memory.
    struct lull_error *err = r.symbols == NULL || copy == NULL ? &lull_enomem : NULL;
    if (err == NULL) {
        memcpy(copy, image, size);
        elf_version(EV_CURRENT);
    }
    Elf *elf = err == NULL ? elf_memory(copy, size) : NULL;
    if (err == NULL && elf == NULL) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "libelf: %s", elf_errmsg(-1));
    }
    // Without debug sections libdw makes no Dwarf: that is not an error here.
    Dwarf *dwarf = elf != NULL ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (dwarf != NULL) {
        err = lull_error_in(read_units(&r, dwarf), "debug information");
        dwarf_end(dwarf);
    }
    elf_end(elf);
    free(copy);
    free(r.types);
    err = err != NULL ? err : lull_symread_check_types(r.symbols, r.all);
    if (err != NULL) {
        lull_symbols_free(r.symbols);
        return err;
    }
    *ret = r.symbols;
    return NULL;
}

void lull_symbols_free(struct lull_symbols *s)
{
    if (s != NULL) {
        lull_arena_done(&s->arena);
        free(s);
    }
}

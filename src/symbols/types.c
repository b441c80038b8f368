// SPDX-License-Identifier: MIT
// From libdw's entries to types.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/reader.h"

enum { MAX_DEPTH = 200, MAX_TYPES = 100000, MAX_MEMBERS = 100000, POINTER_BYTES = 8 };

static const struct lull_symtype type_void = {.kind = LULL_SYMTYPE_VOID, .name = "void"};

struct lull_error *lull_symread_text(struct lull_symread *r, const char *text, const char **ret)
{
    const size_t size = text != NULL ? strlen(text) + 1 : 0;
    char *copy = size > 1 ? lull_arena_calloc(&r->symbols->arena, size, 1) : NULL;
    if (size > 1 && copy == NULL) {
        return &lull_enomem;
    }
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    *ret = copy != NULL ? copy : "";
    return NULL;
}

bool lull_symread_number(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
    Dwarf_Attribute attr;
    Dwarf_Word value = 0;
    const bool has =
        dwarf_attr_integrate(die, name, &attr) != NULL && dwarf_formudata(&attr, &value) == 0;
    *ret = has ? value : *ret;
    return has;
}

/* Where @p offset is, or would be, in the table. */
static size_t slot_of(const struct lull_symread_known *table, size_t room, uint64_t offset)
{
    size_t i = (size_t)(offset * UINT64_C(0x9e3779b97f4a7c15) >> 20) % room;
    while (table[i].offset != 0 && table[i].offset != offset) {
        i = (i + 1) % room;
    }
    return i;
}

LULL_MUST_USE static struct lull_error *grow(struct lull_symread *r)
{
    const size_t room = r->room != 0 ? 2 * r->room : 256;
    struct lull_symread_known *table = calloc(room, sizeof *table);
    if (table == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < r->room; i++) {
        if (r->types[i].offset != 0) {
            table[slot_of(table, room, r->types[i].offset)] = r->types[i];
        }
    }
    free(r->types);
    r->types = table;
    r->room = room;
    return NULL;
}

/* The type whose entry is at @p offset; *ret_new: nobody has met it. */
LULL_MUST_USE static struct lull_error *meet(struct lull_symread *r, uint64_t offset,
                                             struct lull_symtype **ret, bool *ret_new)
{
    struct lull_error *err = 2 * r->ntypes >= r->room ? grow(r) : NULL;
    if (err != NULL) {
        return err;
    }
    struct lull_symread_known *k = &r->types[slot_of(r->types, r->room, offset)];
    *ret_new = k->offset == 0;
    if (*ret_new) {
        struct lull_symread_type *t = lull_arena_calloc(&r->symbols->arena, 1, sizeof *t);
        if (t == NULL || r->ntypes == MAX_TYPES) {
            return t == NULL ? &lull_enomem
                             : lull_error_new(LULL_ERR_BAD_DATA, "more than %d types", MAX_TYPES);
        }
        t->next = r->all;
        t->type.name = "";
        t->type.of = &type_void;
        r->all = t;
        *k = (struct lull_symread_known){offset, &t->type};
        r->ntypes++;
    }
    *ret = k->type;
    return NULL;
}

static enum lull_symtype_kind base_kind(uint64_t encoding)
{
    switch (encoding) {
    case DW_ATE_float:
        return LULL_SYMTYPE_FLOAT;
    case DW_ATE_boolean:
        return LULL_SYMTYPE_BOOL;
    case DW_ATE_signed:
        return LULL_SYMTYPE_SIGNED;
    case DW_ATE_signed_char:
        return LULL_SYMTYPE_CHAR;
    case DW_ATE_unsigned_char:
        return LULL_SYMTYPE_UCHAR;
    default:
        return LULL_SYMTYPE_UNSIGNED;
    }
}

static size_t count_children(Dwarf_Die *die, unsigned tag)
{
    Dwarf_Die child;
    size_t n = 0;
    for (int more = dwarf_child(die, &child); more == 0 && n < MAX_MEMBERS;
         more = dwarf_siblingof(&child, &child)) {
        n += (unsigned)dwarf_tag(&child) == tag;
    }
    return n;
}

/* Where a bit field lies; those of DWARF 5 alone. */
static void read_bits(Dwarf_Die *die, struct lull_symmember *m)
{
    uint64_t size = 0;
    uint64_t at = 0;
    if (lull_symread_number(die, DW_AT_bit_size, &size) && size > 0 && size <= 64) {
        lull_symread_number(die, DW_AT_data_bit_offset, &at);
        m->offset = at / 8;
        m->bit = (uint8_t)(at % 8);
        m->nbits = (uint8_t)size;
    }
}

LULL_MUST_USE static struct lull_error *read_members(struct lull_symread *r, Dwarf_Die *die,
                                                     struct lull_symtype *t)
{
    Dwarf_Die child;
    const size_t n = count_children(die, DW_TAG_member);
    t->members = lull_arena_calloc(&r->symbols->arena, n + 1, sizeof *t->members);
    struct lull_error *err = t->members == NULL ? &lull_enomem : NULL;
    int more = err == NULL ? dwarf_child(die, &child) : 1;
    while (err == NULL && more == 0 && t->nmembers < n) {
        if (dwarf_tag(&child) == DW_TAG_member) {
            struct lull_symmember *m = &t->members[t->nmembers];
            m->type = &type_void;
            err = lull_symread_text(r, dwarf_diename(&child), &m->name);
            err = err != NULL ? err : lull_symread_type_of(r, &child, &m->type);
            lull_symread_number(&child, DW_AT_data_member_location, &m->offset);
            read_bits(&child, m);
            t->nmembers += err == NULL;
        }
        more = dwarf_siblingof(&child, &child);
    }
    return err;
}

/* Their names are found as if they were variables. */
LULL_MUST_USE static struct lull_error *keep_constants(struct lull_symread *r,
                                                       const struct lull_symtype *t)
{
    struct lull_symvar *all = lull_arena_calloc(&r->symbols->arena, t->nconstants + 1, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < t->nconstants; i++) {
        all[i] = (struct lull_symvar){.name = t->constants[i].name,
                                      .type = t,
                                      .file = "",
                                      .constant = true,
                                      .value = (uint64_t)t->constants[i].value,
                                      .next = r->symbols->constants};
        r->symbols->constants = &all[i];
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_constants(struct lull_symread *r, Dwarf_Die *die,
                                                       struct lull_symtype *t)
{
    Dwarf_Die child;
    const size_t n = count_children(die, DW_TAG_enumerator);
    t->constants = lull_arena_calloc(&r->symbols->arena, n + 1, sizeof *t->constants);
    struct lull_error *err = t->constants == NULL ? &lull_enomem : NULL;
    int more = err == NULL ? dwarf_child(die, &child) : 1;
    while (err == NULL && more == 0 && t->nconstants < n) {
        Dwarf_Attribute attr;
        Dwarf_Sword value = 0;
        if (dwarf_tag(&child) == DW_TAG_enumerator &&
            dwarf_attr(&child, DW_AT_const_value, &attr) != NULL &&
            dwarf_formsdata(&attr, &value) == 0) {
            t->constants[t->nconstants].value = value;
            err = lull_symread_text(r, dwarf_diename(&child), &t->constants[t->nconstants].name);
            t->nconstants += err == NULL;
        }
        more = dwarf_siblingof(&child, &child);
    }
    return err != NULL ? err : keep_constants(r, t);
}

/* An array of several dimensions is an array of arrays. */
LULL_MUST_USE static struct lull_error *read_dimensions(struct lull_symread *r, Dwarf_Die *die,
                                                        struct lull_symtype *t)
{
    Dwarf_Die child;
    const struct lull_symtype *element = t->of;
    struct lull_symtype *at = t;
    unsigned n = 0;
    for (int more = dwarf_child(die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
        uint64_t count = 0;
        if (dwarf_tag(&child) != DW_TAG_subrange_type || ++n > 8) {
            continue;
        }
        if (n > 1) {
            struct lull_symread_type *inner =
                lull_arena_calloc(&r->symbols->arena, 1, sizeof *inner);
            if (inner == NULL) {
                return &lull_enomem;
            }
            *inner = (struct lull_symread_type){
                .type = {.kind = LULL_SYMTYPE_ARRAY, .name = "", .of = element}, .next = r->all};
            r->all = inner;
            at->of = &inner->type;
            at = &inner->type;
        }
        if (!lull_symread_number(&child, DW_AT_count, &count) &&
            lull_symread_number(&child, DW_AT_upper_bound, &count)) {
            count++;
        }
        at->count = count;
        lull_symread_number(&child, DW_AT_byte_stride, &at->stride);
    }
    return NULL;
}

static enum lull_locspace space_of(uint64_t number)
{
    return number == LULL_LOCSPACE_SCRATCH                ? LULL_LOCSPACE_SCRATCH
           : number == LULL_LOCSPACE_LOCAL || number == 3 ? LULL_LOCSPACE_LOCAL
                                                          : LULL_LOCSPACE_FLAT;
}

static enum lull_symtype_kind kind_of(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    uint64_t encoding = 0;
    switch (dwarf_tag(die)) {
    case DW_TAG_base_type:
        lull_symread_number(die, DW_AT_encoding, &encoding);
        return base_kind(encoding);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
        return LULL_SYMTYPE_POINTER;
    case DW_TAG_array_type:
        return dwarf_attr(die, DW_AT_GNU_vector, &attr) != NULL ? LULL_SYMTYPE_VECTOR
                                                                : LULL_SYMTYPE_ARRAY;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        return LULL_SYMTYPE_STRUCT;
    case DW_TAG_union_type:
        return LULL_SYMTYPE_UNION;
    case DW_TAG_enumeration_type:
        return LULL_SYMTYPE_ENUM;
    case DW_TAG_typedef:
        return LULL_SYMTYPE_TYPEDEF;
    case DW_TAG_const_type:
        return LULL_SYMTYPE_CONST;
    case DW_TAG_subroutine_type:
        return LULL_SYMTYPE_FUNCTION;
    default: // volatile, restrict, atomic and what else stands before a type
        return LULL_SYMTYPE_VOLATILE;
    }
}

LULL_MUST_USE static struct lull_error *fill(struct lull_symread *r, Dwarf_Die *die,
                                             struct lull_symtype *t)
{
    uint64_t class = 0;
    t->kind = kind_of(die);
    lull_symread_number(die, DW_AT_byte_size, &t->size);
    struct lull_error *err = lull_symread_text(r, dwarf_diename(die), &t->name);
    err = err != NULL || t->kind == LULL_SYMTYPE_STRUCT || t->kind == LULL_SYMTYPE_UNION
              ? err
              : lull_symread_type_of(r, die, &t->of);
    if (err != NULL) {
        return err;
    }
    switch ((unsigned)t->kind) {
    case LULL_SYMTYPE_POINTER:
        lull_symread_number(die, DW_AT_address_class, &class);
        t->space = space_of(class);
        t->size = t->size != 0 ? t->size : t->space != LULL_LOCSPACE_FLAT ? 4 : POINTER_BYTES;
        return NULL;
    case LULL_SYMTYPE_ARRAY:
    case LULL_SYMTYPE_VECTOR:
        return read_dimensions(r, die, t);
    case LULL_SYMTYPE_STRUCT:
    case LULL_SYMTYPE_UNION:
        return read_members(r, die, t);
    case LULL_SYMTYPE_ENUM:
        return read_constants(r, die, t);
    default:
        return NULL;
    }
}

struct lull_error *lull_symread_type_of(struct lull_symread *r, Dwarf_Die *die,
                                        const struct lull_symtype **ret)
{
    Dwarf_Attribute attr;
    Dwarf_Die at;
    struct lull_symtype *t = NULL;
    bool is_new = false;
    *ret = &type_void;
    if (dwarf_attr_integrate(die, DW_AT_type, &attr) == NULL) {
        return NULL;
    }
    if (dwarf_formref_die(&attr, &at) == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "type of entry 0x%llx: %s",
                              (unsigned long long)dwarf_dieoffset(die), dwarf_errmsg(-1));
    }
    struct lull_error *err = meet(r, dwarf_dieoffset(&at), &t, &is_new);
    if (err == NULL && is_new) {
        err = ++r->depth > MAX_DEPTH
                  ? lull_error_new(LULL_ERR_BAD_DATA, "types more than %d deep", MAX_DEPTH)
                  : fill(r, &at, t);
        r->depth--;
    }
    *ret = err == NULL ? t : *ret;
    return err;
}

/* Does its size, or what it is another name of, depend on another type? */
static bool stands_on(const struct lull_symtype *t)
{
    return t->kind == LULL_SYMTYPE_TYPEDEF || t->kind == LULL_SYMTYPE_CONST ||
           t->kind == LULL_SYMTYPE_VOLATILE || t->kind == LULL_SYMTYPE_ARRAY ||
           t->kind == LULL_SYMTYPE_VECTOR;
}

static uint64_t size_of(const struct lull_symtype *t)
{
    if (!stands_on(t) || t->size != 0) {
        return t->size;
    }
    const bool array = t->kind == LULL_SYMTYPE_ARRAY || t->kind == LULL_SYMTYPE_VECTOR;
    const uint64_t of = array && t->stride != 0 ? t->stride : size_of(t->of);
    // A vector of three has the size of one of four.
    const uint64_t count = !array                                            ? 1
                           : t->kind == LULL_SYMTYPE_VECTOR && t->count == 3 ? 4
                                                                             : t->count;
    return of == 0 || count <= UINT32_MAX / of ? of * count : 0;
}

struct lull_error *lull_symread_check_types(struct lull_symbols *s, struct lull_symread_type *all)
{
    size_t named = 0;
    for (struct lull_symread_type *t = all; t != NULL; t = t->next) {
        const struct lull_symtype *at = &t->type;
        unsigned n = 0;
        while (stands_on(at) && n++ < MAX_DEPTH) {
            at = at->of;
        }
        if (stands_on(at)) { // it leads to itself
            t->type.of = &type_void;
        }
    }
    for (struct lull_symread_type *t = all; t != NULL; t = t->next) {
        t->type.size = size_of(&t->type);
        named += t->type.name[0] != '\0';
    }
    s->types = lull_arena_calloc(&s->arena, named + 1, sizeof *s->types);
    for (struct lull_symread_type *t = all; s->types != NULL && t != NULL; t = t->next) {
        if (t->type.name[0] != '\0') {
            s->types[s->ntypes++] = &t->type;
        }
    }
    return s->types == NULL ? &lull_enomem : NULL;
}

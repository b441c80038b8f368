// SPDX-License-Identifier: MIT
#include "symbols/show.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 16 };

const struct lull_symtype *lull_symtype_plain(const struct lull_symtype *t)
{
    while (t->kind == LULL_SYMTYPE_TYPEDEF || t->kind == LULL_SYMTYPE_CONST ||
           t->kind == LULL_SYMTYPE_VOLATILE) {
        t = t->of;
    }
    return t;
}

const struct lull_symtype *lull_symtype_under(const struct lull_symtype *t)
{
    return t->kind == LULL_SYMTYPE_TYPEDEF ? t->of : t;
}

static const char *keyword(const struct lull_symtype *t)
{
    return t->kind == LULL_SYMTYPE_STRUCT  ? "struct "
           : t->kind == LULL_SYMTYPE_UNION ? "union "
           : t->kind == LULL_SYMTYPE_ENUM  ? "enum "
                                           : "";
}

static const char *space_word(enum lull_locspace space)
{
    return space == LULL_LOCSPACE_SCRATCH ? "private "
           : space == LULL_LOCSPACE_LOCAL ? "local "
                                          : "";
}

/* What stands behind the name: dimensions. */
static void suffix(const struct lull_symtype *t, struct lull_str *out)
{
    for (; t->kind == LULL_SYMTYPE_ARRAY; t = t->of) {
        if (t->count != 0) {
            lull_str_addf(out, "[%" PRIu64 "]", t->count);
        } else {
            lull_str_addf(out, "[]");
        }
    }
}

static void name_at(const struct lull_symtype *t, unsigned depth, struct lull_str *out)
{
    while (t->kind == LULL_SYMTYPE_ARRAY) {
        t = t->of;
    }
    if (depth > MAX_NESTING) {
        lull_str_addf(out, "...");
    } else if (t->kind == LULL_SYMTYPE_POINTER) {
        lull_str_addf(out, "%s", space_word(t->space));
        name_at(t->of, depth + 1, out);
        lull_str_addf(out, "%s*", t->of->kind == LULL_SYMTYPE_POINTER ? "" : " ");
    } else if (t->kind == LULL_SYMTYPE_CONST || t->kind == LULL_SYMTYPE_VOLATILE) {
        lull_str_addf(out, "%s", t->kind == LULL_SYMTYPE_CONST ? "const " : "");
        name_at(t->of, depth + 1, out);
    } else if (t->kind == LULL_SYMTYPE_VECTOR && t->name[0] == '\0') {
        name_at(t->of, depth + 1, out);
        lull_str_addf(out, "%" PRIu64, t->count);
    } else if (t->name[0] != '\0') {
        lull_str_addf(out, "%s%s", keyword(t), t->name);
    } else if (t->kind == LULL_SYMTYPE_FUNCTION) {
        lull_str_addf(out, "function");
    } else {
        lull_str_addf(out, "%s{...}", keyword(t));
    }
}

void lull_symtype_name(const struct lull_symtype *t, struct lull_str *out)
{
    name_at(t, 0, out);
    suffix(t, out);
}

static void body(const struct lull_symtype *t, unsigned indent, struct lull_str *out);

static void member(const struct lull_symmember *m, unsigned indent, struct lull_str *out)
{
    const struct lull_symtype *t = m->type;
    while (t->kind == LULL_SYMTYPE_ARRAY) {
        t = t->of;
    }
    const bool unnamed = (t->kind == LULL_SYMTYPE_STRUCT || t->kind == LULL_SYMTYPE_UNION) &&
                         t->name[0] == '\0' && indent < MAX_NESTING;
    lull_str_addf(out, "%*s", (int)(4 * indent), "");
    if (unnamed) {
        body(t, indent, out);
    } else {
        name_at(m->type, 0, out);
    }
    const size_t size = out->size;
    const bool star = size != 0 && lull_str_text(out)[size - 1] == '*';
    lull_str_addf(out, "%s%s", m->name[0] != '\0' && !star ? " " : "", m->name);
    suffix(m->type, out);
    if (m->nbits != 0) {
        lull_str_addf(out, " : %u", m->nbits);
    }
    lull_str_addf(out, ";\n");
}

static void body(const struct lull_symtype *t, unsigned indent, struct lull_str *out)
{
    lull_str_addf(out, "%s%s%s{\n", keyword(t), t->name, t->name[0] != '\0' ? " " : "");
    for (size_t i = 0; i < t->nmembers; i++) {
        member(&t->members[i], indent + 1, out);
    }
    for (size_t i = 0; i < t->nconstants; i++) {
        lull_str_addf(out, "%*s%s = %" PRId64 ",\n", (int)(4 * (indent + 1)), "",
                      t->constants[i].name, t->constants[i].value);
    }
    lull_str_addf(out, "%*s}", (int)(4 * indent), "");
}

/* A vector is called as the language calls it: GLSL's "uvec2", OpenCL's "uint2". */
static const struct lull_symtype *as_called(const struct lull_symtype *t)
{
    while (t->of != NULL && t->kind != LULL_SYMTYPE_VECTOR &&
           !(t->kind == LULL_SYMTYPE_TYPEDEF && t->of->kind == LULL_SYMTYPE_VECTOR)) {
        t = t->of;
    }
    return t;
}

void lull_symtype_show(const struct lull_symtype *t, struct lull_str *out)
{
    const struct lull_symtype *last = lull_symtype_plain(t);
    unsigned stars = 0;
    const struct lull_symtype *outer = last;
    while (last->kind == LULL_SYMTYPE_POINTER && stars < MAX_NESTING) {
        last = lull_symtype_plain(last->of);
        stars++;
    }
    while (last->kind == LULL_SYMTYPE_ARRAY) {
        last = lull_symtype_plain(last->of);
    }
    if (last->kind == LULL_SYMTYPE_STRUCT || last->kind == LULL_SYMTYPE_UNION ||
        last->kind == LULL_SYMTYPE_ENUM) {
        lull_str_addf(out, "%s", stars != 0 ? space_word(outer->space) : "");
        body(last, 0, out);
        lull_str_addf(out, "%s%.*s", stars != 0 ? " " : "", (int)stars, "****************");
    } else {
        name_at(outer->kind == LULL_SYMTYPE_VECTOR ? as_called(t) : outer, 0, out);
    }
    suffix(outer, out);
}

const struct lull_symmember *lull_symtype_member(const struct lull_symtype *t, const char *name,
                                                 size_t length, uint64_t *ret_offset)
{
    t = lull_symtype_plain(t);
    for (size_t i = 0; i < t->nmembers; i++) {
        const struct lull_symmember *m = &t->members[i];
        if (strlen(m->name) == length && strncmp(m->name, name, length) == 0 && length != 0) {
            *ret_offset = m->offset;
            return m;
        }
    }
    for (size_t i = 0; i < t->nmembers; i++) {
        const struct lull_symmember *m = &t->members[i];
        const bool deeper = m->name[0] == '\0' && m->type != t && m->type->size <= t->size;
        const struct lull_symmember *found =
            deeper && m->type->size < t->size
                ? lull_symtype_member(m->type, name, length, ret_offset)
                : NULL;
        if (found != NULL) {
            *ret_offset += m->offset;
            return found;
        }
    }
    return NULL;
}

static int index_of(const char *letters, int c)
{
    const char *at = c != '\0' ? strchr(letters, c) : NULL;
    return at != NULL ? (int)(at - letters) : -1;
}

enum { MAX_COMPONENTS = 16 };

/* The elements that "xyzw", "rgb", "s03f" say, all of one alphabet; 0: none of these. */
static size_t components(const struct lull_symtype *t, const char *name, size_t length,
                         uint8_t ret[MAX_COMPONENTS])
{
    static const char *const letters[] = {"xyzw", "rgba", "stpq", "0123456789abcdef"};
    const bool by_number = length > 1 && (name[0] | 32) == 's' && isxdigit((unsigned char)name[1]);
    const size_t from = by_number ? 1 : 0;
    for (unsigned k = by_number ? 3 : 0; k < (by_number ? 4u : 3u); k++) {
        size_t n = 0;
        for (int i = 0; from + n < length && n < MAX_COMPONENTS; n++) {
            const int c = (unsigned char)name[from + n];
            i = index_of(letters[k], by_number ? tolower(c) : c);
            if (i < 0 || (uint64_t)i >= t->count) {
                break;
            }
            ret[n] = (uint8_t)i;
        }
        if (from + n == length) {
            return n;
        }
    }
    return 0;
}

/* OpenCL's halves of a vector; 0: not one of them. */
static size_t halves(const struct lull_symtype *t, const char *name, size_t length,
                     uint8_t ret[MAX_COMPONENTS])
{
    static const struct {
        const char *name;
        uint8_t half, step;
    } rows[] = {{"lo", 0, 1}, {"hi", 1, 1}, {"even", 0, 2}, {"odd", 1, 2}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && t->count <= MAX_COMPONENTS; k++) {
        if (strlen(rows[k].name) == length && strncmp(rows[k].name, name, length) == 0) {
            const size_t n = (t->count + 1) / 2; // of three elements as if there were four
            const size_t first = rows[k].step == 2 ? rows[k].half : rows[k].half * n;
            size_t used = 0;
            for (size_t i = 0; i < n && first + i * rows[k].step < t->count; i++) {
                ret[used++] = (uint8_t)(first + i * rows[k].step);
            }
            return used;
        }
    }
    return 0;
}

int lull_symtype_component(const struct lull_symtype *t, const char *name, size_t length)
{
    uint8_t at[MAX_COMPONENTS] = {0};
    t = lull_symtype_plain(t);
    return t->kind == LULL_SYMTYPE_VECTOR && components(t, name, length, at) == 1 ? at[0] : -1;
}

/* "uvec2" of "uvec4"; "" of what has no such name. */
static const char *vector_name(struct lull_arena *arena, const char *of, size_t n)
{
    enum { ROOM = 24 };
    const size_t length = strlen(of);
    char *name = NULL;
    if (length > 1 && length < ROOM - 4 && isdigit((unsigned char)of[length - 1]) &&
        isalpha((unsigned char)of[length - 2])) {
        name = lull_arena_calloc(arena, 1, ROOM);
    }
    if (name != NULL) {
        snprintf(name, ROOM, "%.*s%zu", (int)(length - 1), of, n);
    }
    return name != NULL ? name : "";
}

const struct lull_symtype *lull_symtype_swizzle(struct lull_arena *arena,
                                                const struct lull_symtype *t, const char *name,
                                                size_t length)
{
    uint8_t at[MAX_COMPONENTS] = {0};
    t = lull_symtype_plain(t);
    size_t n = t->kind == LULL_SYMTYPE_VECTOR ? components(t, name, length, at) : 0;
    n = n == 0 && t->kind == LULL_SYMTYPE_VECTOR ? halves(t, name, length, at) : n;
    struct lull_symtype *v = n != 0 ? lull_arena_calloc(arena, 1, sizeof *v) : NULL;
    struct lull_symmember *m = v != NULL ? lull_arena_calloc(arena, n, sizeof *m) : NULL;
    if (m == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        m[i] = (struct lull_symmember){
            .name = "", .type = t->of, .offset = lull_symtype_element(t, at[i])};
    }
    *v = (struct lull_symtype){.kind = LULL_SYMTYPE_VECTOR,
                               .name = vector_name(arena, t->name, n),
                               .size = n * t->of->size,
                               .of = t->of,
                               .count = n,
                               .nmembers = n,
                               .members = m};
    return v;
}

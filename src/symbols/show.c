// SPDX-License-Identifier: MIT
#include "symbols/show.h"

#include <ctype.h>
#include <inttypes.h>
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

int lull_symtype_component(const struct lull_symtype *t, const char *name, size_t length)
{
    static const char *const letters[] = {"xyzw", "rgba", "stpq"};
    static const char digits[] = "0123456789abcdef";
    const char *at = NULL;
    int i = -1;
    t = lull_symtype_plain(t);
    for (unsigned k = 0; t->kind == LULL_SYMTYPE_VECTOR && length == 1 && i < 0 && k < 3; k++) {
        at = strchr(letters[k], name[0]);
        i = at != NULL && *at != '\0' ? (int)(at - letters[k]) : -1;
    }
    if (t->kind == LULL_SYMTYPE_VECTOR && length == 2 && (name[0] | 32) == 's') {
        at = strchr(digits, tolower((unsigned char)name[1]));
        i = at != NULL && *at != '\0' ? (int)(at - digits) : -1;
    }
    return i >= 0 && (uint64_t)i < t->count ? i : -1;
}

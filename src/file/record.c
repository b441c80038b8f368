// SPDX-License-Identifier: MIT
#include "file/record.h"

#include <string.h>

#include "base/cur.h"

static const char magic[] = "lullrec1";

enum kind { KERNEL = 1, DISPATCH, ARGUMENT, BYTES, END };

void lull_record_write(const struct lull_record *r, struct lull_str *out)
{
    lull_str_add(out, magic, strlen(magic));
    lull_str_le32(out, KERNEL);
    lull_str_le32(out, r->kernel_size);
    lull_str_add(out, r->kernel, r->kernel_size);
    lull_str_le32(out, DISPATCH);
    for (unsigned i = 0; i < 3; i++) {
        lull_str_le32(out, r->grid[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        lull_str_le32(out, r->block[i]);
    }
    lull_str_le64(out, r->seed);
    lull_str_le64(out, r->timeout_ms);
    lull_str_le32(out, r->has_time);
    lull_str_le64(out, r->time);
    for (size_t i = 0; i < r->nargs; i++) {
        const struct lull_record_arg *a = &r->args[i];
        lull_str_le32(out, ARGUMENT);
        lull_str_le32(out, a->is_data ? a->data : UINT32_MAX);
        lull_str_le32(out, a->size);
        lull_str_add(out, a->text, a->size);
    }
    for (size_t i = 0; i < r->nfiles; i++) {
        lull_str_le32(out, BYTES);
        lull_str_le32(out, r->files[i].role);
        lull_str_le64(out, r->files[i].size);
        lull_str_add(out, (const char *)r->files[i].bytes, r->files[i].size);
    }
    lull_str_le32(out, END);
}

static const char *text(struct lull_cur *c, uint32_t *ret_size)
{
    const uint32_t n = lull_cur_u32(c);
    const uint8_t *at = n <= LULL_RECORD_TEXT ? lull_cur_take(c, n) : NULL;
    c->bad = c->bad || n > LULL_RECORD_TEXT || (at != NULL && memchr(at, '\0', n) != NULL);
    *ret_size = c->bad ? 0 : n;
    return (const char *)at;
}

static void dispatch(struct lull_record *r, struct lull_cur *c)
{
    for (unsigned i = 0; i < 3; i++) {
        r->grid[i] = lull_cur_u32(c);
        c->bad = c->bad || r->grid[i] == 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        r->block[i] = lull_cur_u32(c);
        c->bad = c->bad || r->block[i] == 0;
    }
    r->seed = lull_cur_u64(c);
    r->timeout_ms = lull_cur_u64(c);
    r->has_time = lull_cur_u32(c) != 0;
    r->time = lull_cur_u64(c);
}

static void argument(struct lull_record *r, struct lull_cur *c)
{
    struct lull_record_arg a = {.data = lull_cur_u32(c)};
    a.is_data = a.data != UINT32_MAX;
    a.text = text(c, &a.size);
    c->bad = c->bad || r->nargs == LULL_RECORD_ITEMS;
    if (!c->bad) {
        r->args[r->nargs++] = a;
    }
}

static void file(struct lull_record *r, struct lull_cur *c)
{
    struct lull_record_file f = {.role = lull_cur_u32(c)};
    f.size = lull_cur_u64(c);
    f.bytes = f.size <= lull_cur_left(c) ? lull_cur_take(c, (size_t)f.size) : NULL;
    c->bad = c->bad || f.bytes == NULL || f.role < LULL_RECORD_CODE || f.role > LULL_RECORD_DATA ||
             r->nfiles == LULL_RECORD_ITEMS;
    if (!c->bad) {
        r->files[r->nfiles++] = f;
    }
}

const struct lull_record_file *lull_record_file(const struct lull_record *r,
                                                enum lull_record_role role, size_t n)
{
    for (size_t i = 0; i < r->nfiles; i++) {
        if (r->files[i].role == role && n-- == 0) {
            return &r->files[i];
        }
    }
    return NULL;
}

static bool begins(const struct lull_record_arg *a, const char *with)
{
    return a->size >= strlen(with) && memcmp(a->text, with, strlen(with)) == 0;
}

/** Files of this machine, read or written, are no record's matter. */
static bool names_files(const struct lull_record_arg *a)
{
    static const char out[] = ":out=";
    bool found = !a->is_data && begins(a, "buffer:");
    for (uint32_t i = 0; i + strlen(out) <= a->size; i++) {
        found = found || memcmp(a->text + i, out, strlen(out)) == 0;
    }
    return found || (a->is_data && a->size != 0 && !begins(a, ":name="));
}

/** All parts are there, and what arguments name. */
LULL_MUST_USE static struct lull_error *complete(const struct lull_record *r)
{
    if (r->kernel_size == 0 || r->grid[0] == 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "record: byte 8: no kernel, or no dispatch");
    }
    if (lull_record_file(r, LULL_RECORD_CODE, 0) == NULL ||
        lull_record_file(r, LULL_RECORD_CODE, 1) != NULL ||
        lull_record_file(r, LULL_RECORD_SCHEDULE, 1) != NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "record: byte 8: not one code object, or two schedules");
    }
    for (size_t i = 0; i < r->nargs; i++) {
        if (names_files(&r->args[i])) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "record: byte 8: argument %zu names a file of this machine", i);
        }
        if (r->args[i].is_data && lull_record_file(r, LULL_RECORD_DATA, r->args[i].data) == NULL) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "record: byte 8: argument %zu has data %u, which is not there", i,
                                  r->args[i].data);
        }
    }
    return NULL;
}

struct lull_error *lull_record_parse(const void *data, size_t size, struct lull_record *ret)
{
    struct lull_cur c = lull_cur_of(data, size);
    const uint8_t *head = lull_cur_take(&c, strlen(magic));
    bool end = false;
    *ret = (struct lull_record){0};
    if (head == NULL || memcmp(head, magic, strlen(magic)) != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "byte 0: not a record of lull's");
    }
    while (!end) {
        const size_t at = (size_t)(c.pos - c.start);
        const uint32_t kind = lull_cur_u32(&c);
        switch (kind) {
        case KERNEL:
            ret->kernel = text(&c, &ret->kernel_size);
            break;
        case DISPATCH:
            dispatch(ret, &c);
            break;
        case ARGUMENT:
            argument(ret, &c);
            break;
        case BYTES:
            file(ret, &c);
            break;
        case END:
            end = true;
            break;
        default:
            c.bad = true;
            break;
        }
        if (c.bad) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "record: what begins at byte %zu is damaged or cut off", at);
        }
    }
    if (lull_cur_left(&c) != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "record: byte %zu: something is behind its end",
                              (size_t)(c.pos - c.start));
    }
    return complete(ret);
}

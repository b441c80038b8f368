// SPDX-License-Identifier: MIT
// Tables as MessagePack. Keys are in the order that LLVM's writer gives them: sorted.
#include <stdlib.h>

#include "file/msgpack_write.h"
#include "printf/table_priv.h"

struct row {
    const struct lull_printf_string *s;
    size_t number;
};

// By id; of those with one id first the own ones, to which the extra list refers.
static int by_id(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->s->id != y->s->id) {
        return x->s->id < y->s->id ? -1 : 1;
    }
    if (x->s->own != y->s->own) {
        return x->s->own ? -1 : 1;
    }
    return x->number < y->number ? -1 : 1;
}

static struct row *sorted(const struct lull_printf_table *t, struct lull_str *to)
{
    const size_t n = t->strings.count;
    struct row *list = calloc(n + 1, sizeof *list);
    if (list == NULL) {
        to->err = to->err != NULL ? to->err : &lull_enomem;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        list[i] = (struct row){.s = t->strings.items[i], .number = i};
    }
    qsort(list, n, sizeof *list, by_id);
    return list;
}

static void put_plain(struct lull_str *to, const struct lull_printf_string *s)
{
    const size_t words = (s->nscalars + 63) / 64;
    lull_msgpack_put_map(to, 4);
    lull_msgpack_put_text(to, ".64bit_arguments");
    lull_msgpack_put_array(to, words);
    for (size_t i = 0; i < words; i++) {
        lull_msgpack_put_uint(to, i < s->nmask ? s->mask64[i] : 0);
    }
    lull_msgpack_put_text(to, ".argument_count");
    lull_msgpack_put_uint(to, s->nscalars);
    lull_msgpack_put_text(to, ".index");
    lull_msgpack_put_uint(to, s->id);
    lull_msgpack_put_text(to, ".string");
    // Readers take off one NUL at the end, which LLPC's strings may have.
    const bool nul = s->size > 0 && s->text[s->size - 1] == '\0';
    lull_msgpack_put_str(to, s->text, s->size + nul);
}

void lull_printf_table_put_plain(const struct lull_printf_table *t, struct lull_str *to)
{
    struct row *list = sorted(t, to);
    lull_msgpack_put_map(to, t->user_data_offset >= 0 ? 3 : 2);
    lull_msgpack_put_text(to, ".strings");
    lull_msgpack_put_array(to, t->strings.count);
    for (size_t i = 0; list != NULL && i < t->strings.count; i++) {
        put_plain(to, list[i].s);
    }
    if (t->user_data_offset >= 0) {
        lull_msgpack_put_text(to, ".user_data_offset");
        lull_msgpack_put_int(to, t->user_data_offset);
    }
    lull_msgpack_put_text(to, ".version");
    lull_msgpack_put_uint(to, 1);
    free(list);
}

static void put_extra(struct lull_str *to, const struct lull_printf_string *s)
{
    struct lull_str types = {0};
    for (size_t i = 0; i < s->ntypes; i++) {
        lull_str_addf(&types, "%s", i > 0 ? "," : "");
        lull_printf_type_name(&types, &s->types[i]);
    }
    lull_msgpack_put_map(to, 2 + s->literal + (s->records != 0) + s->stream);
    lull_msgpack_put_text(to, ".index");
    lull_msgpack_put_uint(to, s->id);
    if (s->literal) {
        lull_msgpack_put_text(to, ".literal");
        lull_msgpack_put_bool(to, true);
    }
    if (s->records != 0) {
        lull_msgpack_put_text(to, ".records");
        lull_msgpack_put_uint(to, s->records);
    }
    if (s->stream) {
        lull_msgpack_put_text(to, ".stream");
        lull_msgpack_put_bool(to, true);
    }
    lull_msgpack_put_text(to, ".types");
    lull_msgpack_put_str(to, lull_str_text(&types), types.size);
    to->err = to->err != NULL ? to->err : types.err;
    lull_str_free(&types);
}

void lull_printf_table_put_extra(const struct lull_printf_table *t, struct lull_str *to)
{
    struct row *list = sorted(t, to);
    size_t n = 0;
    for (size_t i = 0; list != NULL && i < t->strings.count; i++) {
        n += list[i].s->own;
    }
    lull_msgpack_put_map(to, 2);
    lull_msgpack_put_text(to, ".strings");
    lull_msgpack_put_array(to, n);
    for (size_t i = 0; list != NULL && i < t->strings.count; i++) {
        if (list[i].s->own) {
            put_extra(to, list[i].s);
        }
    }
    lull_msgpack_put_text(to, ".version");
    lull_msgpack_put_uint(to, 1);
    free(list);
}

void lull_printf_table_document(const struct lull_printf_table *t, struct lull_str *to)
{
    lull_msgpack_put_map(to, 2);
    lull_msgpack_put_text(to, LULL_PRINTF_KEY_PLAIN);
    lull_printf_table_put_plain(t, to);
    lull_msgpack_put_text(to, LULL_PRINTF_KEY_EXTRA);
    lull_printf_table_put_extra(t, to);
}

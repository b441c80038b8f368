// SPDX-License-Identifier: MIT
// Format strings of printf: a union by id, whatever their order in the files.
#include <inttypes.h>

#include "link/link_priv.h"
#include "printf/table.h"

// Where LLPC's drivers put the buffer of printf; older ones use set -1.
enum { BUFFER_BINDING = 6 };
static const uint32_t buffer_sets[] = {0xfffffff0, 0xffffffff};

struct lull_error *lull_link_read_strings(struct lull_linker *l, const char *file,
                                          const struct lull_elf_note *note,
                                          struct lull_msgtree *doc)
{
    if (lull_msgtree_get(doc, LULL_PRINTF_KEY_PLAIN) == NULL &&
        lull_msgtree_get(doc, LULL_PRINTF_KEY_EXTRA) == NULL) {
        return NULL;
    }
    struct lull_error *err = l->strings == NULL ? lull_printf_table_new(&l->strings) : NULL;
    size_t count = 0;
    if (err == NULL) {
        err = lull_error_in(lull_printf_table_read(l->strings, note->data.start,
                                                   lull_cur_left(&note->data), file, &count),
                            "metadata");
    }
    l->extra_strings = l->extra_strings || lull_msgtree_get(doc, LULL_PRINTF_KEY_EXTRA) != NULL;
    lull_msgtree_remove(doc, LULL_PRINTF_KEY_PLAIN);
    lull_msgtree_remove(doc, LULL_PRINTF_KEY_EXTRA);
    lull_link_note(l, "metadata", file, LULL_PRINTF_KEY_PLAIN, count,
                   "%zu format strings, joined with the others by id", count);
    return err;
}

static void place_buffer(struct lull_linker *l)
{
    for (unsigned i = 0; i < sizeof buffer_sets / sizeof buffer_sets[0]; i++) {
        struct lull_layout_place at = {0};
        if (lull_layout_find(l->layout, 0, LULL_LAYOUT_ANY, buffer_sets[i], BUFFER_BINDING, &at)) {
            lull_printf_table_set_user_data_offset(l->strings, at.root->offset);
            lull_link_note(l, "metadata", "", ".user_data_offset", at.root->offset,
                           "dword %" PRIu32 " of the root table leads to the buffer, %s",
                           at.root->offset, at.node->path);
            return;
        }
    }
}

LULL_MUST_USE static struct lull_error *put(struct lull_linker *l, const char *key,
                                            struct lull_str *encoded)
{
    struct lull_msgtree *value = lull_msgtree_number(l->arena, l->metadata, key);
    if (value == NULL || encoded->err != NULL) {
        return &lull_enomem;
    }
    value->raw = encoded;
    return NULL;
}

struct lull_error *lull_link_put_strings(struct lull_linker *l)
{
    if (l->strings == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < lull_printf_table_warnings(l->strings); i++) {
        lull_link_warn(l, "%s", lull_printf_table_warning(l->strings, i));
    }
    place_buffer(l);
    lull_printf_table_put_plain(l->strings, &l->encoded[0]);
    lull_printf_table_put_extra(l->strings, &l->encoded[1]);
    struct lull_error *err = put(l, LULL_PRINTF_KEY_PLAIN, &l->encoded[0]);
    // Two strings with one id can be told apart by the extra key only.
    const bool extra = l->extra_strings || lull_printf_table_warnings(l->strings) > 0;
    return err != NULL || !extra ? err : put(l, LULL_PRINTF_KEY_EXTRA, &l->encoded[1]);
}

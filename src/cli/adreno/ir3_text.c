// SPDX-License-Identifier: MIT
#include "cli/adreno/ir3_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/input.h"

/** The shader that --shader names, by its place or the start of its sha1; NULL: none, or several.
 */
static const struct lull_ir3_shader *named(const struct lull_ir3_shaders *all, const char *name)
{
    char *end = NULL;
    const unsigned long number = strtoul(name, &end, 10);
    const struct lull_ir3_shader *found = NULL;
    if (*name != '\0' && *end == '\0' && number < all->n) {
        return &all->all[number];
    }
    for (size_t i = 0; i < all->n; i++) {
        const char *title = all->all[i].title;
        const char *sha1 = title != NULL ? strstr(title, "sha1 ") : NULL;
        if (sha1 != NULL && *name != '\0' && strncmp(sha1 + 5, name, strlen(name)) == 0) {
            if (found != NULL) {
                return NULL;
            }
            found = &all->all[i];
        }
    }
    return found;
}

/** Which shaders are meant. */
LULL_MUST_USE static struct lull_error *choose(const char *file, const char *shader,
                                               const struct lull_ir3_shaders *all,
                                               struct lull_ir3_shaders *ret)
{
    *ret = *all;
    if (shader == NULL) {
        return NULL;
    }
    const struct lull_ir3_shader *one = named(all, shader);
    if (one == NULL) {
        return lull_error_new(LULL_ERR_INVALID,
                              "%s: --shader: '%s' is neither a number below %zu nor the start of "
                              "one sha1",
                              file, shader, all->n);
    }
    *ret = (struct lull_ir3_shaders){all->all + (one - all->all), 1};
    return NULL;
}

struct lull_error *lull_ir3_text_read(const char *file, unsigned gen, const char *shader,
                                      struct lull_ir3_shaders *ret_all,
                                      struct lull_ir3_shaders *ret_chosen)
{
    char *text = NULL;
    size_t size = 0;
    struct lull_error *err = lull_input_read(file, &text, &size);
    if (err != NULL) {
        return err;
    }
    err = lull_ir3_assemble(text, gen, ret_all);
    free(text);
    if (err != NULL) {
        struct lull_error *bad =
            lull_error_new(LULL_ERR_BAD_DATA, "%s: %s", file, lull_error_message(err));
        lull_error_free(err);
        return bad;
    }
    return choose(file, shader, ret_all, ret_chosen);
}

void lull_ir3_text_notes(const char *file, const struct lull_ir3_shader *s)
{
    const char *notes = lull_str_text(&s->notes);
    while (*notes != '\0') {
        const int size = (int)strcspn(notes, "\n");
        fprintf(stderr, "lull ir3: %s: %.*s\n", file, size, notes);
        notes += size + 1;
    }
}

// SPDX-License-Identifier: MIT
#include "cli/adreno/ir3_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/input.h"
#include "isa/ir3/extent.h"

uint64_t lull_ir3_text_hash(const struct lull_ir3_shader *s, unsigned gen)
{
    uint32_t *words = calloc(s->n + 1, 2 * sizeof *words);
    for (size_t i = 0; words != NULL && i < s->n; i++) {
        words[2 * i] = (uint32_t)s->words[i];
        words[2 * i + 1] = (uint32_t)(s->words[i] >> 32);
    }
    const uint64_t ret =
        words != NULL ? lull_ir3_hash(words, 2 * lull_ir3_extent(gen, words, 2 * (uint32_t)s->n))
                      : 0;
    free(words);
    return ret;
}

/** Does its sha1, or the hash of its code, begin with @p name? */
static bool is_named(const struct lull_ir3_shader *s, unsigned gen, const char *name)
{
    const char *sha1 = s->title != NULL ? strstr(s->title, "sha1 ") : NULL;
    char hash[20] = "";
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, lull_ir3_text_hash(s, gen));
    return (sha1 != NULL && strncmp(sha1 + 5, name, strlen(name)) == 0) ||
           (s->n != 0 && strncmp(hash, name, strlen(name)) == 0);
}

/** A log may have a shader twice. */
static bool is_same(const struct lull_ir3_shader *a, const struct lull_ir3_shader *b)
{
    return a->n == b->n && memcmp(a->words, b->words, a->n * sizeof *a->words) == 0 &&
           (a->title == NULL) == (b->title == NULL) &&
           (a->title == NULL || strcmp(a->title, b->title) == 0);
}

/** The shader that --shader names, by its place or the start of its sha1 or hash; NULL: none, or
 * several. */
static const struct lull_ir3_shader *named(const struct lull_ir3_shaders *all, unsigned gen,
                                           const char *name)
{
    char *end = NULL;
    const unsigned long number = strtoul(name, &end, 10);
    const struct lull_ir3_shader *found = NULL;
    if (*name != '\0' && *end == '\0' && number < all->n) {
        return &all->all[number];
    }
    for (size_t i = 0; i < all->n; i++) {
        if (*name != '\0' && is_named(&all->all[i], gen, name)) {
            if (found != NULL && !is_same(found, &all->all[i])) {
                return NULL;
            }
            found = found != NULL ? found : &all->all[i];
        }
    }
    return found;
}

/** Which shaders are meant. */
LULL_MUST_USE static struct lull_error *choose(const char *file, unsigned gen, const char *shader,
                                               const struct lull_ir3_shaders *all,
                                               struct lull_ir3_shaders *ret)
{
    *ret = *all;
    if (shader == NULL) {
        return NULL;
    }
    const struct lull_ir3_shader *one = named(all, gen, shader);
    if (one == NULL) {
        return lull_error_new(LULL_ERR_INVALID,
                              "%s: --shader: '%s' is neither a number below %zu nor the start of "
                              "one sha1 or hash of code",
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
    return choose(file, gen, shader, ret_all, ret_chosen);
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

void lull_ir3_text_slices(const struct lull_manifest *m, FILE *to)
{
    if (m->slice != 0) {
        fprintf(to, "slices of %u bytes for %u invocations\n", m->slice, lull_manifest_slices(m));
    }
}

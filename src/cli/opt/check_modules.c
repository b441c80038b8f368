// SPDX-License-Identifier: MIT
#include "cli/opt/check_modules.h"

#include <dirent.h>
#include <spirv/unified1/spirv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/check_priv.h"
#include "cli/opt/input.h"
#include "image/names.h"

enum { HEADER = 5 }; // Words.

/** Word @p n of an instruction; 0: it is shorter. */
static uint32_t word(const uint32_t *in, uint32_t n)
{
    return in[0] >> SpvWordCountShift > n ? in[n] : 0;
}

/** Does @p in call a load atomic, or ask for what others have stored? */
static bool asks(const uint32_t *in)
{
    const uint32_t memory = SpvMemoryAccessVolatileMask | SpvMemoryAccessMakePointerVisibleMask |
                            SpvMemoryAccessNonPrivatePointerMask;
    const uint32_t texel = SpvImageOperandsVolatileTexelMask |
                           SpvImageOperandsMakeTexelVisibleMask |
                           SpvImageOperandsNonPrivateTexelMask;
    switch (in[0] & SpvOpCodeMask) {
    case SpvOpAtomicLoad:
        return true;
    case SpvOpDecorate:
        return word(in, 2) == SpvDecorationCoherent || word(in, 2) == SpvDecorationVolatile;
    case SpvOpMemberDecorate:
        return word(in, 3) == SpvDecorationCoherent || word(in, 3) == SpvDecorationVolatile;
    case SpvOpLoad:
        return (word(in, 4) & memory) != 0;
    case SpvOpImageRead:
        return (word(in, 5) & texel) != 0;
    default:
        return false;
    }
}

/** Does the module, or can it not be read? */
static bool is_atomic(const uint32_t *words, size_t n)
{
    for (size_t i = HEADER; i < n;) {
        const uint32_t size = words[i] >> SpvWordCountShift;
        if (size == 0 || size > n - i || asks(words + i)) {
            return true;
        }
        i += size;
    }
    return n <= HEADER || words[0] != SpvMagicNumber;
}

/** Is the module at @p path, or can it not be read? */
static bool is_atomic_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    struct lull_error *err = lull_input_read(path, &text, &size);
    uint32_t *words = err == NULL ? malloc(size + 1) : NULL;
    bool some = true;
    if (words != NULL) {
        memcpy(words, text, size);
        some = is_atomic(words, size / sizeof *words);
    }
    lull_error_free(err);
    free(words);
    free(text);
    return some;
}

/** A process, and its dispatches that were looked at. */
struct lull_check_program {
    uint32_t pid;
    struct lull_names *names;
    size_t ndispatches;
    const struct lull_names_shader *last; // Of them.
};

/** The one with that pid; NULL: it cannot be read. */
static struct lull_check_program *program_of(struct lull_check_modules *m, uint32_t pid)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->programs[i].pid == pid) {
            return &m->programs[i];
        }
    }
    struct lull_check_program *more = reallocarray(m->programs, m->n + 1, sizeof *more);
    if (more == NULL) {
        return NULL;
    }
    m->programs = more;
    struct lull_check_program *p = &more[m->n];
    *p = (struct lull_check_program){.pid = pid};
    struct lull_error *err = lull_names_open(m->dir, pid, &p->names);
    m->n += err == NULL;
    const bool good = err == NULL;
    lull_error_free(err);
    return good ? p : NULL;
}

/** Shaders of its new dispatches. */
static void look(struct lull_check_modules *m, struct lull_check_program *p)
{
    struct lull_error *err = lull_names_update(p->names);
    for (; err == NULL && p->ndispatches < lull_names_ndispatches(p->names); p->ndispatches++) {
        const struct lull_names_dispatch *d = lull_names_dispatch_at(p->names, p->ndispatches);
        const struct lull_names_shader *s = d->pipeline != NULL ? d->pipeline->shader : NULL;
        m->known = true;
        if (s == NULL || s->file[0] == '\0' || (s != p->last && is_atomic_file(s->file))) {
            m->some = true;
        }
        p->last = s;
    }
    m->some = m->some || err != NULL;
    lull_error_free(err);
}

bool lull_check_modules_atomic(void *modules)
{
    struct lull_check_modules *m = modules;
    DIR *all = m->dir != NULL && !m->some ? opendir(m->dir) : NULL;
    for (const struct dirent *f = NULL; all != NULL && (f = readdir(all)) != NULL;) {
        struct lull_check_program *p = lull_check_ends(f->d_name, ".names")
                                           ? program_of(m, (uint32_t)strtoul(f->d_name, NULL, 10))
                                           : NULL;
        if (p != NULL) {
            look(m, p);
        }
    }
    if (all != NULL) {
        closedir(all);
    }
    return m->some || !m->known;
}

void lull_check_modules_done(struct lull_check_modules *m)
{
    for (size_t i = 0; i < m->n; i++) {
        lull_names_free(m->programs[i].names);
    }
    free(m->programs);
    *m = (struct lull_check_modules){.dir = NULL};
}

// SPDX-License-Identifier: MIT
#include "cli/opt/check_modules.h"

#include <dirent.h>
#include <spirv/unified1/spirv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/objects.h"
#include "cli/opt/check_priv.h"
#include "cli/opt/input.h"
#include "image/names.h"

enum { HEADER = 5 }; // Words.
enum { ALL = LULL_CHECK_ATOMIC_LOADS | LULL_CHECK_ATOMIC_STORES };

/** Word @p n of an instruction; 0: it is shorter. */
static uint32_t word(const uint32_t *in, uint32_t n)
{
    return in[0] >> SpvWordCountShift > n ? in[n] : 0;
}

static unsigned if_shared(uint32_t decoration)
{
    return decoration == SpvDecorationCoherent || decoration == SpvDecorationVolatile ? ALL : 0;
}

/** Does @p in call loads or stores atomic, ask for what others have stored, or give it to them? */
static unsigned asks(const uint32_t *in)
{
    const uint32_t shared = SpvMemoryAccessVolatileMask | SpvMemoryAccessNonPrivatePointerMask;
    const uint32_t loads = shared | SpvMemoryAccessMakePointerVisibleMask;
    const uint32_t stores = shared | SpvMemoryAccessMakePointerAvailableMask;
    const uint32_t texel = SpvImageOperandsVolatileTexelMask | SpvImageOperandsNonPrivateTexelMask;
    const uint32_t reads = texel | SpvImageOperandsMakeTexelVisibleMask;
    const uint32_t writes = texel | SpvImageOperandsMakeTexelAvailableMask;
    switch (in[0] & SpvOpCodeMask) {
    case SpvOpAtomicLoad:
        return LULL_CHECK_ATOMIC_LOADS;
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear:
        return LULL_CHECK_ATOMIC_STORES;
    case SpvOpDecorate:
        return if_shared(word(in, 2));
    case SpvOpMemberDecorate:
        return if_shared(word(in, 3));
    case SpvOpLoad:
        return (word(in, 4) & loads) != 0 ? LULL_CHECK_ATOMIC_LOADS : 0;
    case SpvOpStore:
        return (word(in, 3) & stores) != 0 ? LULL_CHECK_ATOMIC_STORES : 0;
    case SpvOpImageRead:
        return (word(in, 5) & reads) != 0 ? LULL_CHECK_ATOMIC_LOADS : 0;
    case SpvOpImageWrite:
        return (word(in, 4) & writes) != 0 ? LULL_CHECK_ATOMIC_STORES : 0;
    default:
        return 0;
    }
}

/** Does the module? All, if it cannot be read. */
static unsigned atomics_of(const uint32_t *words, size_t n)
{
    unsigned some = n <= HEADER || words[0] != SpvMagicNumber ? ALL : 0;
    for (size_t i = HEADER; i < n && some != ALL;) {
        const uint32_t size = words[i] >> SpvWordCountShift;
        if (size == 0 || size > n - i) {
            return ALL;
        }
        some |= asks(words + i);
        i += size;
    }
    return some;
}

/** Does the module at @p path? */
static unsigned atomics_of_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    struct lull_error *err = lull_input_read(path, &text, &size);
    uint32_t *words = err == NULL ? malloc(size + 1) : NULL;
    unsigned some = ALL;
    if (words != NULL) {
        memcpy(words, text, size);
        some = atomics_of(words, size / sizeof *words);
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
        if (s == NULL || s->file[0] == '\0') {
            m->some = ALL;
        } else if (s != p->last) {
            m->some |= atomics_of_file(s->file);
        }
        p->last = s;
    }
    m->some = err != NULL ? ALL : m->some;
    lull_error_free(err);
}

unsigned lull_check_modules_atomic(void *modules)
{
    struct lull_check_modules *m = modules;
    DIR *all = m->dir != NULL && m->some != ALL ? opendir(m->dir) : NULL;
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
    return m->known ? m->some : ALL;
}

void lull_check_modules_done(struct lull_check_modules *m)
{
    for (size_t i = 0; i < m->n; i++) {
        lull_names_free(m->programs[i].names);
    }
    free(m->programs);
    *m = (struct lull_check_modules){.dir = NULL};
}

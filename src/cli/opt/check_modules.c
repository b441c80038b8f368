// SPDX-License-Identifier: MIT
#include "cli/opt/check_modules.h"

#include <dirent.h>
#include <limits.h>
#include <spirv/unified1/spirv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/check_priv.h"
#include "cli/opt/input.h"

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

static bool file_is_atomic(const char *path)
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

bool lull_check_modules_atomic(void *modules)
{
    struct lull_check_modules *m = modules;
    DIR *all = m->dir != NULL && !m->some ? opendir(m->dir) : NULL;
    size_t n = 0;
    for (const struct dirent *f = NULL; all != NULL && (f = readdir(all)) != NULL;) {
        n += lull_check_ends(f->d_name, ".spv");
    }
    if (all != NULL && n != m->n) { // New ones: all are looked at again, as there are few.
        rewinddir(all);
        for (const struct dirent *f = NULL; !m->some && (f = readdir(all)) != NULL;) {
            char path[PATH_MAX] = "";
            const int size = snprintf(path, sizeof path, "%s/%s", m->dir, f->d_name);
            m->some = lull_check_ends(f->d_name, ".spv") &&
                      ((size_t)size >= sizeof path || file_is_atomic(path));
        }
        m->n = n;
    }
    if (all != NULL) {
        closedir(all);
    }
    return m->some || n == 0;
}

// SPDX-License-Identifier: MIT
// lull_spirv_read() on any bytes: no crash, no leak, and all that it gives can be walked.
// Seeds: tests/fuzz/corpus/spirv/, modules by glslang.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "file/spirv.h"

static size_t walk(const struct lull_spirv_type *t, unsigned depth)
{
    if (depth > 300 || t->name == NULL) {
        abort(); // Nesting is promised to end.
    }
    size_t sum = strlen(t->name);
    for (size_t i = 0; i < t->nmembers; i++) {
        sum += strlen(t->members[i].name) + t->members[i].type->count;
    }
    // Only one way down: a struct of two structs of two structs ... would take for ever.
    const struct lull_spirv_type *next = t->kind == LULL_SPIRV_POINTER ? NULL
                                         : t->nmembers > 0             ? t->members[0].type
                                                                       : t->element;
    return next != NULL ? sum + walk(next, depth + 1) : sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_spirv m = {0};
    struct lull_error *err = lull_spirv_read(data, size, &m);
    size_t sum = m.push != NULL ? walk(m.push, 0) : 0;
    for (size_t i = 0; i < m.nbindings; i++) {
        const struct lull_spirv_binding *b = &m.bindings[i];
        sum += walk(b->type, 0) + strlen(b->name) + strlen(b->block);
        if (lull_spirv_find_binding(&m, b->set, b->binding) == NULL) {
            abort();
        }
    }
    for (size_t i = 0; i < m.nconstants; i++) {
        sum += walk(m.constants[i].type, 0) + strlen(m.constants[i].name);
    }
    for (size_t i = 0; i < m.nentries; i++) {
        sum += lull_spirv_find_entry(&m, m.entries[i].name)->ninterface;
    }
    for (size_t i = 0; i < m.nsources; i++) {
        sum += m.sources[i].text != NULL ? strlen(m.sources[i].text) : 0;
    }
    for (size_t i = 0; i < m.nlines; i++) {
        sum += strlen(m.lines[i].file);
    }
    volatile size_t keep = sum;
    (void)keep;
    if (err != NULL && lull_error_message(err)[0] == '\0') {
        abort();
    }
    lull_error_free(err);
    lull_spirv_done(&m);
    return 0;
}

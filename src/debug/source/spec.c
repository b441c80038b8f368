// SPDX-License-Identifier: MIT
/* Specialization constants as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug/source/priv.h"

bool lull_source_spec(const struct lull_spirv *m, const struct lull_names_spec *s,
                      char text[LULL_SOURCE_SPEC_ROOM])
{
    const struct lull_spirv_constant *c = NULL;
    for (size_t i = 0; c == NULL && i < m->nconstants; i++) {
        c = m->constants[i].spec_id == s->id ? &m->constants[i] : NULL;
    }
    if (c == NULL) {
        return false;
    }
    const bool real = c->type->kind == LULL_SPIRV_FLOAT;
    if (c->type->kind == LULL_SPIRV_BOOL) {
        snprintf(text, LULL_SOURCE_SPEC_ROOM, "%" PRIu32 "=%s", s->id,
                 s->value != 0 ? "true" : "false");
    } else if (real && c->type->bits == 32) {
        float f = 0;
        const uint32_t bits = (uint32_t)s->value;
        memcpy(&f, &bits, sizeof f);
        snprintf(text, LULL_SOURCE_SPEC_ROOM, "%" PRIu32 "=%.9g", s->id, (double)f);
    } else if (real && c->type->bits == 64) {
        double f = 0;
        memcpy(&f, &s->value, sizeof f);
        snprintf(text, LULL_SOURCE_SPEC_ROOM, "%" PRIu32 "=%.17g", s->id, f);
    } else if (c->type->is_signed && c->type->bits == 32) {
        snprintf(text, LULL_SOURCE_SPEC_ROOM, "%" PRIu32 "=%" PRId32, s->id, (int32_t)s->value);
    } else {
        snprintf(text, LULL_SOURCE_SPEC_ROOM, "%" PRIu32 "=%" PRIu64, s->id, s->value);
    }
    return true;
}

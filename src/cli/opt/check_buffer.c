// SPDX-License-Identifier: MIT
#include "cli/opt/check_buffer.h"

#include <inttypes.h>

const struct lull_names_object *lull_check_object_at(const struct lull_names *names,
                                                     uint64_t address, bool image)
{
    const enum lull_names_kind kind = image ? LULL_NAMES_IMAGE : LULL_NAMES_BUFFER;
    const struct lull_names_object *best = NULL;
    for (size_t i = 0; names != NULL && i < lull_names_nobjects(names); i++) {
        const struct lull_names_object *o = lull_names_object_at(names, i);
        if (o->kind == kind && o->place != 0 && address >= o->place &&
            address - o->place < o->place_bytes && (best == NULL || best->freed || !o->freed)) {
            best = o;
        }
    }
    return best;
}

void lull_check_buffer_add(const struct lull_names_object *o, int64_t byte, struct lull_str *to)
{
    const char *quote = o->name[0] != '\0' ? "\"" : "";
    if (byte >= 0) {
        lull_str_addf(to, "byte %" PRId64, byte);
    } else {
        lull_str_addf(to, "%" PRId64 " bytes in front", -byte);
    }
    lull_str_addf(to, " of %s%s%s%s, which has %" PRIu64,
                  o->name[0] != '\0' ? "buffer " : "a buffer", quote, o->name, quote, o->size);
}

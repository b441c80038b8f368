// SPDX-License-Identifier: MIT
/* Debug information of the image. */
#include "debug/session/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const struct lull_symbols *lull_debug_symbols(struct lull_debug *d)
{
    if (!d->symbols_read && d->image != NULL) {
        size_t size = 0;
        const void *bytes = lull_image_bytes(d->image, &size);
        struct lull_error *err = lull_symbols_read(bytes, size, &d->symbols);
        // Symbols are a help, not a need; who asks for a variable is told.
        d->symbols_wrong = err != NULL ? strdup(lull_error_message(err)) : NULL;
        lull_error_free(err);
    }
    d->symbols_read = true;
    return d->symbols;
}

bool lull_debug_image_offset(const struct lull_debug *d, uint64_t va, uint64_t *ret)
{
    const bool in =
        d->image != NULL && va >= d->image_va && va - d->image_va < lull_image_size(d->image);
    *ret = in ? va - d->image_va : 0;
    return in;
}

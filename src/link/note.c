// SPDX-License-Identifier: MIT
// Decisions and warnings that the linker keeps.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/link_priv.h"

void *lull_link_grow(void *array, size_t count, size_t size, size_t *room)
{
    if (count < *room) {
        return array;
    }
    const size_t more = *room != 0 ? 2 * *room : 16;
    void *grown = realloc(array, more * size);
    if (grown != NULL) {
        *room = more;
    }
    return grown;
}

static const char *keep(struct lull_linker *l, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = lull_arena_calloc(l->arena, size, 1);
    return copy != NULL ? memcpy(copy, text, size) : "";
}

LULL_PRINTF(2, 0) static const char *text_of(struct lull_linker *l, const char *fmt, va_list args)
{
    char text[512];
    (void)vsnprintf(text, sizeof text, fmt, args);
    return keep(l, text);
}

void lull_link_note(struct lull_linker *l, const char *kind, const char *file, const char *subject,
                    uint64_t value, const char *fmt, ...)
{
    if (!l->options.explain) {
        return;
    }
    struct lull_link_decision *grown =
        lull_link_grow(l->decisions, l->result->ndecisions, sizeof *grown, &l->decision_room);
    if (grown == NULL) {
        return; // one line less of an explanation
    }
    va_list args;
    va_start(args, fmt);
    l->decisions = grown;
    l->decisions[l->result->ndecisions++] =
        (struct lull_link_decision){.kind = kind,
                                    .file = keep(l, file),
                                    .subject = keep(l, subject),
                                    .text = text_of(l, fmt, args),
                                    .value = value};
    va_end(args);
}

void lull_link_warn(struct lull_linker *l, const char *fmt, ...)
{
    const char **grown =
        lull_link_grow(l->warnings, l->result->nwarnings, sizeof *grown, &l->warning_room);
    if (grown == NULL) {
        return;
    }
    va_list args;
    va_start(args, fmt);
    l->warnings = grown;
    l->warnings[l->result->nwarnings++] = text_of(l, fmt, args);
    va_end(args);
}

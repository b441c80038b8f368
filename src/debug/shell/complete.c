// SPDX-License-Identifier: MIT
/* How a command line could go on. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "debug/session/variables.h"
#include "debug/shell/debugger.h"
#include "debug/shell/shell.h"

struct want {
    const char *prefix;
    size_t n;
    void (*found)(void *ctx, const char *word);
    void *ctx;
};

static void offer(const struct want *w, const char *word)
{
    if (strncmp(word, w->prefix, w->n) == 0) {
        w->found(w->ctx, word);
    }
}

/** Names of code, and of the kernels' buffers, and of variables that are in scope. */
static void symbols(struct lull_debug *d, const struct want *w)
{
    uint64_t offset = 0;
    for (const struct lull_symscope *s = lull_debug_scope(d, &offset); s != NULL; s = s->parent) {
        for (const struct lull_symvar *v = s->first; v != NULL; v = v->next) {
            offer(w, v->name);
        }
    }
    for (size_t i = 0; d->image != NULL && i < lull_image_nsymbols(d->image); i++) {
        offer(w, lull_image_symbol(d->image, i)->name);
    }
}

/** "$v3": registers of the focused wave. */
static void registers(struct lull_debug *d, const struct want *w)
{
    static const char *const names[] = {"$exec", "$vcc",          "$pc",   "$scc",
                                        "$m0",   "$flat_scratch", "$bpnum"};
    const struct lull_debug_wave *wave =
        d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    char name[32];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        offer(w, names[i]);
    }
    for (unsigned i = 0; wave != NULL && i < wave->info.nsgprs; i++) {
        (void)snprintf(name, sizeof name, "$s%u", i);
        offer(w, name);
    }
    for (unsigned i = 0; wave != NULL && i < wave->info.nvgprs; i++) {
        (void)snprintf(name, sizeof name, "$v%u", i);
        offer(w, name);
    }
}

static void commands(const struct want *w)
{
    const char *name = NULL;
    for (size_t i = 0; (name = lull_cmd_name(i)) != NULL; i++) {
        offer(w, name);
    }
}

void lull_debug_complete(struct lull_debug *d, const char *line,
                         void (*found)(void *ctx, const char *word), void *ctx)
{
    while (isspace((unsigned char)*line)) {
        line++;
    }
    const size_t n = strlen(line), first = strcspn(line, " \t");
    size_t at = n;
    while (at > 0 && strchr(" \t,(+-*=[", line[at - 1]) == NULL) {
        at--;
    }
    const struct want w = {line + at, n - at, found, ctx};
    const char *word = NULL;
    if (first == n) {
        commands(&w);
    } else if (strncmp(line, "info", first) == 0) {
        for (size_t i = 0; (word = lull_cmd_info_word(i)) != NULL; i++) {
            offer(&w, word);
        }
    } else if (strncmp(line, "help", first) == 0) {
        commands(&w);
    } else if (line[at] == '$') {
        registers(d, &w);
    } else {
        symbols(d, &w);
    }
}

// SPDX-License-Identifier: MIT
/* Where the program recorded and submitted a dispatch or draw. */
#include <inttypes.h>
#include <string.h>

#include "debug/session/names.h"
#include "debug/shell/shell.h"

enum { MAX_INLINED = 16 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The instruction in front of where the call returns to: its line is the call's. */
static size_t look(const struct lull_dispatch_names *n, const struct lull_names_frame *f,
                   struct lull_hostcode_place places[MAX_INLINED])
{
    return n->host == NULL || f->offset == 0
               ? 0
               : lull_hostcode_find(n->host, f->module, f->offset - 1, places, MAX_INLINED);
}

/* Who calls main() is libc, which nobody asks for: gdb ends there, too. */
static bool is_main(const struct lull_hostcode_place *places, size_t count)
{
    return count != 0 && strcmp(places[count - 1].function, "main") == 0;
}

static void show_place(const struct lull_names_frame *f, const struct lull_hostcode_place *p,
                       bool path, struct lull_str *out)
{
    if (p != NULL && p->function[0] != '\0') {
        lull_str_addf(out, "%s()", p->function);
    } else {
        lull_str_addf(out, "%s+0x%" PRIx64, base_name(f->module), f->offset);
    }
    if (p != NULL && p->line != 0) {
        lull_str_addf(out, " at %s:%" PRIu32, path ? p->file : base_name(p->file), p->line);
    } else if (p != NULL && p->function[0] != '\0') {
        lull_str_addf(out, " in %s", base_name(f->module));
    }
}

/* libc calls main() and threads; nobody looks for a dispatch there. */
static bool is_libc(const struct lull_names_frame *f)
{
    return strncmp(base_name(f->module), "libc.so.", 8) == 0;
}

/* The innermost frame that has a line: wrappers without debug information are not where somebody
 * looks. */
static void show_innermost(const struct lull_dispatch_names *n, const struct lull_names_stack *s,
                           struct lull_str *out)
{
    struct lull_hostcode_place places[MAX_INLINED] = {0};
    for (size_t i = 0; i < s->nframes; i++) {
        if (!is_libc(&s->frames[i]) && look(n, &s->frames[i], places) != 0 && places[0].line != 0) {
            show_place(&s->frames[i], &places[0], false, out);
            return;
        }
    }
    if (s->nframes != 0) {
        const bool known = look(n, &s->frames[0], places) != 0;
        show_place(&s->frames[0], known ? &places[0] : NULL, false, out);
    }
}

static void json_place(const struct lull_names_frame *f, const struct lull_hostcode_place *p,
                       struct lull_json *json)
{
    lull_json_open(json, '{');
    lull_json_put_str(json, "module", f->module);
    lull_json_put_hex(json, "offset", f->offset);
    lull_json_put_str(json, "function", p != NULL ? p->function : "");
    lull_json_put_str(json, "file", p != NULL ? p->file : "");
    lull_json_put_u64(json, "line", p != NULL ? p->line : 0);
    lull_json_close(json, '}');
}

static void json_stack(const struct lull_dispatch_names *n, const char *key,
                       const struct lull_names_stack *s, struct lull_json *json)
{
    lull_json_key(json, key);
    lull_json_open(json, '[');
    bool end = false;
    for (size_t i = 0; s != NULL && i < s->nframes && !end; i++) {
        struct lull_hostcode_place places[MAX_INLINED] = {0};
        const size_t count = look(n, &s->frames[i], places);
        for (size_t k = 0; k < count || k == 0; k++) {
            json_place(&s->frames[i], count != 0 ? &places[k] : NULL, json);
        }
        end = is_main(places, count);
    }
    lull_json_close(json, ']');
}

static void json_stacks(struct lull_cmd *c, const struct lull_dispatch_names *n)
{
    if (c->json != NULL && n->record != NULL) {
        json_stack(n, "recorded", n->record->recorded, c->json);
        json_stack(n, "submitted", n->record->submitted, c->json);
    }
}

void lull_debug_show_calls(struct lull_cmd *c, const struct lull_dispatch_names *n)
{
    const struct lull_names_dispatch *r = n->record;
    if (r != NULL && r->recorded != NULL) {
        lull_str_addf(c->out, "recorded by ");
        show_innermost(n, r->recorded, c->out);
        lull_str_addf(c->out, "%s", r->submitted != NULL ? "; submitted by " : "");
        if (r->submitted != NULL) {
            show_innermost(n, r->submitted, c->out);
        }
        lull_str_addf(c->out, "\n");
    }
    json_stacks(c, n);
}

static void show_stack(const struct lull_dispatch_names *n, const struct lull_names_stack *s,
                       struct lull_str *out)
{
    unsigned number = 0;
    bool end = false;
    for (size_t i = 0; i < s->nframes && !end; i++) {
        struct lull_hostcode_place places[MAX_INLINED] = {0};
        const size_t count = look(n, &s->frames[i], places);
        for (size_t k = 0; k < count || k == 0; k++) {
            lull_str_addf(out, "  #%-3u", number++);
            show_place(&s->frames[i], count != 0 ? &places[k] : NULL, true, out);
            lull_str_addf(out, "%s\n", k + 1 < count ? " (inlined)" : "");
        }
        end = is_main(places, count);
    }
}

void lull_debug_show_stacks(struct lull_cmd *c, const struct lull_dispatch_names *n)
{
    const struct lull_names_dispatch *r = n->record;
    if (r != NULL && r->recorded != NULL) {
        lull_str_addf(c->out, "Recorded by\n");
        show_stack(n, r->recorded, c->out);
    }
    if (r != NULL && r->submitted != NULL) {
        lull_str_addf(c->out, "Submitted by\n");
        show_stack(n, r->submitted, c->out);
    }
    if (r == NULL || r->recorded == NULL) {
        lull_str_addf(c->out, "Who recorded it is not known.\n");
    }
    json_stacks(c, n);
}

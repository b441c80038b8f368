// SPDX-License-Identifier: MIT
// Rings and crumbs, as files of debugfs show them. What is not there is left out.
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/hang/hang.h"
#include "drm/core/ringlog.h"

enum { PART = 4096, MOST = 1 << 20, SHOWN = 4 };

/** Text of file @p name of the card; "": it is not there. */
static void read_file(const struct lull_hang_page *p, const char *name, struct lull_str *ret)
{
    char path[128] = "", part[PART];
    (void)snprintf(path, sizeof path, "/sys/kernel/debug/dri/%u/%s", p->dri, name);
    const int fd = p->k->open(p->k, path, O_RDONLY);
    for (ssize_t n = 1; fd >= 0 && n > 0 && ret->size < MOST;) {
        n = p->k->pread(p->k, fd, part, sizeof part, ret->size);
        lull_str_add(ret, part, n > 0 ? (size_t)n : 0);
    }
    if (fd >= 0) {
        p->k->close(p->k, fd);
    }
}

/** Of amdgpu, whose fences have no pointers: from the ring's own file. */
static void pointers(const struct lull_hang_page *p, struct lull_ringlog *r)
{
    char path[128] = "";
    uint32_t words[2] = {0};
    (void)snprintf(path, sizeof path, "/sys/kernel/debug/dri/%u/amdgpu_ring_%s", p->dri, r->name);
    const int fd = p->k->open(p->k, path, O_RDONLY);
    if (fd >= 0) {
        r->has_pointers = p->k->pread(p->k, fd, words, sizeof words, 0) == sizeof words;
        r->rptr = words[0];
        r->wptr = words[1];
        p->k->close(p->k, fd);
    }
}

static void ring_json(struct lull_hang_page *p, const struct lull_ringlog *r)
{
    lull_json_open(p->j, '{');
    lull_json_put_str(p->j, "name", r->name);
    lull_json_put_u64(p->j, "emitted", r->emitted);
    lull_json_put_u64(p->j, "signaled", r->signaled);
    if (r->has_pointers) {
        lull_json_put_u64(p->j, "rptr", r->rptr);
        lull_json_put_u64(p->j, "wptr", r->wptr);
    }
    lull_json_close(p->j, '}');
}

/** @p head: in front of the first. */
static void ring_text(struct lull_hang_page *p, const struct lull_ringlog *r, const char *head)
{
    lull_str_addf(p->out, "%s %s: fence %" PRIu32 " of %" PRIu32 " is done", head, r->name,
                  r->signaled, r->emitted);
    if (r->has_pointers) {
        lull_str_addf(p->out, ", rptr 0x%" PRIx32 ", wptr 0x%" PRIx32, r->rptr, r->wptr);
    }
    lull_str_addf(p->out, "\n");
}

/** In text, those that have something to do; if none has, that. */
static void rings(struct lull_hang_page *p)
{
    struct lull_str text = {0};
    struct lull_ringlog r = {0};
    unsigned all = 0, busy = 0;
    read_file(p, p->adreno ? "gpu" : "amdgpu_fence_info", &text);
    struct lull_cur cur = lull_cur_of(lull_str_text(&text), text.size);
    if (p->j != NULL && text.size != 0) {
        lull_json_key(p->j, "rings");
        lull_json_open(p->j, '[');
    }
    for (; lull_ringlog_next(&cur, &r); all++) {
        if (!p->adreno) {
            pointers(p, &r);
        }
        if (p->j != NULL) {
            ring_json(p, &r);
        } else if (r.emitted != r.signaled || (r.has_pointers && r.rptr != r.wptr)) {
            ring_text(p, &r, busy++ == 0 ? "rings    " : "         ");
        }
    }
    if (p->j != NULL && text.size != 0) {
        lull_json_close(p->j, ']');
    } else if (all != 0 && busy == 0 && p->j == NULL) {
        lull_str_addf(p->out, "rings     %u, none has anything to do\n", all);
    }
    lull_str_free(&text);
}

/** The last lines of lull_crumbs. */
static void crumbs(struct lull_hang_page *p)
{
    struct lull_str text = {0};
    const char *head = "crumbs   ";
    unsigned n = 0;
    read_file(p, "lull_crumbs", &text);
    const char *all = lull_str_text(&text), *at = all + text.size;
    while (at > all && n < SHOWN) {
        at--; // over its newline
        while (at > all && at[-1] != '\n') {
            at--;
        }
        n++;
    }
    if (n != 0 && p->j != NULL) {
        lull_json_key(p->j, "crumbs");
        lull_json_open(p->j, '[');
    }
    while (*at != '\0') {
        char line[256] = "";
        const size_t size = strcspn(at, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)size, at);
        at += size + (at[size] == '\n');
        if (p->j != NULL) {
            lull_json_str(p->j, line);
        } else {
            lull_str_addf(p->out, "%s %s\n", head, line);
            head = "         ";
        }
    }
    if (n != 0 && p->j != NULL) {
        lull_json_close(p->j, ']');
    }
    lull_str_free(&text);
}

void lull_hang_rings(struct lull_hang_page *p)
{
    rings(p);
    crumbs(p);
}

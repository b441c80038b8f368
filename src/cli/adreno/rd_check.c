// SPDX-License-Identifier: MIT
// lull rd check: stale state and missing waits in the command streams of a capture.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "adreno/file/kind.h"
#include "adreno/lint/lint.h"
#include "adreno/show/words.h"
#include "base/json.h"
#include "cli/adreno/rd.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"

struct report {
    const char *file;
    bool json;
    struct lull_str out;
    struct lull_json j;
    uint64_t n;
};

static void print(struct report *r)
{
    fputs(lull_str_text(&r->out), stdout);
    r->out.size = 0;
}

// "CP_BLIT (blit 2)"; of a write, what it writes.
static void what(struct lull_str *out, const struct lull_lint_finding *f)
{
    if (f->draw != NULL) {
        lull_str_addf(out, "%s (%s %" PRIu32 ")", f->packet->name,
                      lull_cap_draw_kind(f->draw->kind), f->draw->number);
    } else {
        lull_str_addf(out, "%s", f->packet->name != NULL ? f->packet->name : "write");
    }
}

static void text(struct report *r, const struct lull_lint_finding *f, const char *name)
{
    struct lull_str *out = &r->out;
    lull_str_addf(out, "submit %" PRIu64 ", stream %" PRIu64 ", 0x%" PRIx64 " ", f->submit,
                  f->stream, f->packet->address);
    what(out, f);
    switch ((unsigned)f->rule) {
    case LULL_LINT_NEVER_WRITTEN:
        lull_str_addf(out, ": reads %s (0x%04" PRIx32 "), which no packet of this submit wrote",
                      name, f->reg);
        break;
    case LULL_LINT_NO_WAIT:
        lull_str_addf(out,
                      ": sets %s (0x%04" PRIx32 "), of which there is one copy, while the %s at "
                      "0x%" PRIx64 " may be under way",
                      name, f->reg, f->before, f->earlier);
        break;
    case LULL_LINT_NOT_FLUSHED:
        lull_str_addf(out,
                      ": reads %" PRIu64 " bytes at 0x%" PRIx64 " as %s, which the %s at 0x%" PRIx64
                      " wrote, and may see what was there before",
                      f->size, f->address, f->as, f->before, f->earlier);
        break;
    case LULL_LINT_SAME_DRAW:
        lull_str_addf(out,
                      ": a shader samples 0x%" PRIx64 " (%" PRIu64 " bytes) after it has stored "
                      "there, and may see what was there before",
                      f->address, f->size);
        break;
    default:
        lull_str_addf(out,
                      ": reads %s (0x%04" PRIx32 ") as the packet at 0x%" PRIx64
                      " left it, of group %u, which was taken away or set anew since",
                      name, f->reg, f->earlier, f->group);
        break;
    }
    lull_str_addf(out, "\n    mend: %s\n", f->mend);
    print(r);
}

static void object(struct report *r, const struct lull_lint_finding *f, const char *name)
{
    struct lull_json *j = &r->j;
    lull_json_open(j, '{');
    lull_json_put_str(j, "rule", lull_lint_rule_name(f->rule));
    lull_json_put_u64(j, "submit", f->submit);
    lull_json_put_u64(j, "stream", f->stream);
    lull_json_put_hex(j, "address", f->packet->address);
    lull_json_put_str(j, "packet", f->packet->name != NULL ? f->packet->name : "write");
    if (f->draw != NULL) {
        lull_json_put_str(j, "kind", lull_cap_draw_kind(f->draw->kind));
        lull_json_put_u64(j, "draw", f->draw->number);
    }
    if (f->size != 0) {
        lull_json_put_hex(j, "memory", f->address);
        lull_json_put_u64(j, "bytes", f->size);
        if (f->as != NULL) {
            lull_json_put_str(j, "as", f->as);
        }
    } else {
        lull_json_put_str(j, "register", name);
        lull_json_put_hex(j, "offset", f->reg);
    }
    if (f->rule == LULL_LINT_STALE_GROUP) {
        lull_json_put_u64(j, "group", f->group);
    }
    if (f->earlier != 0) {
        lull_json_put_hex(j, "earlier", f->earlier);
        lull_json_put_str(j, "earlier_is", f->before);
    }
    lull_json_put_str(j, "mend", f->mend);
    lull_json_close(j, '}');
}

static void found(void *ctx, struct lull_cap *c, const struct lull_lint_finding *f)
{
    struct report *r = ctx;
    struct lull_str name = {0};
    (void)c;
    lull_cap_name(&f->hit, f->reg, &name);
    r->n++;
    if (r->json) {
        object(r, f, lull_str_text(&name));
    } else {
        text(r, f, lull_str_text(&name));
    }
    lull_str_free(&name);
}

static void problem(void *ctx, struct lull_cap *c, uint64_t offset, uint64_t address,
                    const char *words)
{
    struct report *r = ctx;
    (void)c;
    fprintf(stderr, "%s: byte %" PRIu64 "", r->file, offset);
    if (address != 0) {
        fprintf(stderr, " (0x%" PRIx64 ")", address);
    }
    fprintf(stderr, ": %s\n", words);
}

struct lull_error *lull_rd_check(const char *path, bool json, int *status)
{
    struct report r = {.file = path, .json = json, .j = {.out = NULL}};
    const struct lull_lint_sink sink = {.ctx = &r, .found = found, .problem = problem};
    struct lull_progress progress = {0};
    struct lull_stream *s = NULL;
    uint64_t findings = 0;
    struct lull_error *err = lull_progress_open(&progress, path, &s);
    err = err != NULL ? err : lull_kind_want_rd(s);
    r.j.out = &r.out;
    if (json) {
        lull_json_open(&r.j, '{');
        lull_json_key(&r.j, "findings");
        lull_json_open(&r.j, '[');
    }
    err = err != NULL ? err : lull_lint_capture(s, NULL, &sink, &findings);
    lull_stream_free(s);
    if (err == NULL && json) {
        lull_json_close(&r.j, ']');
        lull_json_close(&r.j, '}');
        lull_str_add(&r.out, "\n", 1);
        print(&r);
    } else if (err == NULL && findings == 0) {
        printf("nothing found\n");
    }
    lull_str_free(&r.out);
    *status = findings != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    return err == NULL ? NULL : lull_error_in(err, "%s", path);
}

// SPDX-License-Identifier: MIT
#include "cli/run/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "compile/run.h"
#include "file/record.h"

/** What the record's files are made of, until it is written. */
struct held {
    uint8_t *bytes[LULL_RECORD_ITEMS];
    size_t n;
};

LULL_MUST_USE static struct lull_error *hold_file(struct held *h, const char *path,
                                                  enum lull_record_role role, struct lull_record *r)
{
    size_t size = 0;
    if (h->n == LULL_RECORD_ITEMS || r->nfiles == LULL_RECORD_ITEMS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "record: more than %d files",
                              LULL_RECORD_ITEMS);
    }
    struct lull_error *err = lull_run_read(path, &h->bytes[h->n], &size);
    if (err == NULL) {
        r->files[r->nfiles++] =
            (struct lull_record_file){.role = role, .bytes = h->bytes[h->n++], .size = size};
    }
    return err;
}

LULL_MUST_USE static struct lull_error *hold_args(struct held *h, const struct lull_options *o,
                                                  struct lull_record *r)
{
    struct lull_error *err = NULL;
    uint32_t ndata = 0;
    for (size_t i = 0; err == NULL && i < o->args.n; i++) {
        struct lull_record_arg *a = &r->args[i];
        const char *file = lull_args_file(&o->args, i);
        a->text = lull_args_text(&o->args, i);
        if (file != NULL) {
            a->is_data = true;
            a->data = ndata++;
            a->text += strlen("buffer:") + strlen(file); // What is behind it.
            err = hold_file(h, file, LULL_RECORD_DATA, r);
        }
        a->size = (uint32_t)strlen(a->text);
        err = err != NULL || a->size <= LULL_RECORD_TEXT
                  ? err
                  : lull_error_new(LULL_ERR_UNSUPPORTED, "record: argument %zu is too long", i);
    }
    r->nargs = o->args.n;
    return err;
}

struct lull_error *lull_record_save(const struct lull_options *o, const struct lull_program *p,
                                    const uint64_t *time, const char *path)
{
    lull_cleanup(lull_freep) struct lull_record *r = calloc(1, sizeof *r);
    lull_cleanup(lull_freep) struct held *h = calloc(1, sizeof *h);
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    if (r == NULL || h == NULL) {
        return &lull_enomem;
    }
    if (o->args.n > LULL_RECORD_ITEMS || o->printf.wanted) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, o->printf.wanted
                                                        ? "record: not with --printf"
                                                        : "record: too many arguments");
    }
    r->kernel = p->kernel->name;
    r->kernel_size = (uint32_t)strlen(r->kernel);
    memcpy(r->grid, o->grid, sizeof r->grid);
    memcpy(r->block, o->block, sizeof r->block);
    r->seed = o->seed;
    r->timeout_ms = o->timeout_ms;
    r->has_time = time != NULL;
    r->time = time != NULL ? *time : 0;
    r->files[r->nfiles++] = (struct lull_record_file){
        .role = LULL_RECORD_CODE, .bytes = p->compiled.bytes, .size = p->compiled.size};
    struct lull_error *err = hold_args(h, o, r);
    if (err == NULL && o->schedule != NULL) {
        err = hold_file(h, o->schedule, LULL_RECORD_SCHEDULE, r);
    }
    if (err == NULL) {
        lull_record_write(r, &out);
        err = out.err;
        out.err = NULL;
    }
    err = err != NULL ? err : lull_output_write(path, lull_str_text(&out), out.size);
    for (size_t i = 0; i < h->n; i++) {
        free(h->bytes[i]);
    }
    return err;
}

/** Write @p f as @p name in the folder. */
LULL_MUST_USE static struct lull_error *unpack(const struct lull_replayed *p,
                                               const struct lull_record_file *f, const char *name,
                                               char **ret)
{
    lull_cleanup(lull_str_free) struct lull_str path = {0};
    lull_str_addf(&path, "%s/%s", p->dir, name);
    struct lull_error *err = path.err;
    path.err = NULL;
    err = err != NULL ? err : lull_run_write(path.text, f->bytes, (size_t)f->size);
    *ret = err == NULL ? strdup(path.text) : NULL;
    return err != NULL || *ret != NULL ? err : &lull_enomem;
}

LULL_MUST_USE static struct lull_error *add_argument(const struct lull_record *r, size_t i,
                                                     const struct lull_replayed *p,
                                                     struct lull_options *o)
{
    const struct lull_record_arg *a = &r->args[i];
    lull_cleanup(lull_freep) char *file = NULL;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_error *err = NULL;
    if (a->is_data) {
        char name[32] = "";
        snprintf(name, sizeof name, "data%u", a->data);
        err = unpack(p, lull_record_file(r, LULL_RECORD_DATA, a->data), name, &file);
        lull_str_addf(&text, "buffer:%s", file != NULL ? file : "");
    }
    lull_str_add(&text, a->text, a->size);
    err = err != NULL ? err : text.err;
    text.err = NULL;
    return err != NULL ? err : lull_args_add(&o->args, lull_str_text(&text));
}

LULL_MUST_USE static struct lull_error *take(const struct lull_record *r, struct lull_options *o,
                                             struct lull_replayed *ret)
{
    const struct lull_record_file *schedule = lull_record_file(r, LULL_RECORD_SCHEDULE, 0);
    struct lull_error *err = lull_run_make_dir(&ret->dir);
    err = err != NULL
              ? err
              : unpack(ret, lull_record_file(r, LULL_RECORD_CODE, 0), "kernel.o", &ret->path);
    if (err == NULL && schedule != NULL) {
        err = unpack(ret, schedule, "schedule", &ret->schedule);
    }
    if (err == NULL) {
        ret->kernel = strndup(r->kernel, r->kernel_size);
        err = ret->kernel != NULL ? NULL : &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < r->nargs; i++) {
        err = add_argument(r, i, ret, o);
    }
    o->path = ret->path;
    o->kernel = ret->kernel;
    o->schedule = ret->schedule;
    memcpy(o->grid, r->grid, sizeof o->grid);
    memcpy(o->block, r->block, sizeof o->block);
    o->seed = r->seed;
    o->timeout_ms = r->timeout_ms;
    ret->has_time = r->has_time;
    ret->time = r->time;
    return err;
}

struct lull_error *lull_replayed_open(const char *path, struct lull_options *o,
                                      struct lull_replayed *ret)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    lull_cleanup(lull_freep) struct lull_record *r = calloc(1, sizeof *r);
    size_t size = 0;
    struct lull_error *err = r == NULL ? &lull_enomem : lull_run_read(path, &bytes, &size);
    if (err != NULL) {
        return err;
    }
    err = lull_error_in(lull_record_parse(bytes, size, r), "%s", path);
    return err != NULL ? err : take(r, o, ret);
}

void lull_replayed_done(struct lull_replayed *r)
{
    if (r->dir != NULL) {
        lull_run_remove_dir(r->dir);
    }
    free(r->dir);
    free(r->path);
    free(r->kernel);
    free(r->schedule);
    *r = (struct lull_replayed){0};
}

// SPDX-License-Identifier: MIT
// lull run RECORD: the dispatch of a program again, from its record.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/opt/check.h"
#include "cli/opt/command.h"
#include "cli/opt/options.h"
#include "cli/run/record_program.h"
#include "cli/run/report.h"
#include "compile/run.h"
#include "file/record_program.h"
#include "target/amd/again.h"
#include "target/target.h"

enum { NS_PER_MS = 1000000 };

/** What the command line says, and what is open. */
struct again {
    struct lull_options o;
    struct lull_check check;
    uint8_t *bytes;
    struct lull_record_program r;
    struct lull_kernel *kernel;
    struct lull_amd_device *device;
    unsigned dri;
    struct lull_amd_bo *code;
    bool is_device, timed; ///< --device is not the model; --timeout is given.
};

LULL_MUST_USE static struct lull_error *read_record(const char *path, uint8_t **ret_bytes,
                                                    struct lull_record_program *ret)
{
    size_t size = 0;
    struct lull_error *err = lull_run_read(path, ret_bytes, &size);
    return err != NULL
               ? err
               : lull_error_in(lull_record_program_parse(*ret_bytes, size, ret), "%s", path);
}

/** A pipe is none: what is read of it is gone. */
static bool begins_so(const char *path)
{
    struct stat st = {0};
    uint8_t head[16] = {0};
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
        return false;
    }
    lull_cleanup(lull_fclosep) FILE *f = fopen(path, "rb");
    return f != NULL && lull_record_is_program(head, fread(head, 1, sizeof head, f));
}

struct lull_error *lull_record_program_look(const char *path, bool *ret_is, uint64_t *ret_seed,
                                            bool *ret_stood, struct lull_debug_place *ret_place)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    struct lull_record_program r = {0};
    *ret_is = begins_so(path);
    struct lull_error *err = *ret_is ? read_record(path, &bytes, &r) : NULL;
    *ret_seed = r.d.seed;
    *ret_stood = r.d.has_wave;
    *ret_place = (struct lull_debug_place){.hw_id1 = r.d.hw_id1, .executed = r.d.executed};
    memcpy(ret_place->workgroup, r.d.workgroup, sizeof ret_place->workgroup);
    lull_record_program_done(&r);
    return err;
}

bool lull_record_program_is(const struct lull_form *form, int argc, char **argv)
{
    struct lull_opt_scan scan = {.form = form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        if (item.operand && begins_so(item.word)) {
            return true;
        }
    }
    return false;
}

/** Files of the names layer, for who looks at this process ($LULL_NAMES). */
LULL_MUST_USE static struct lull_error *write_names(const struct lull_record_program *r)
{
    const char *dir = getenv("LULL_NAMES");
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && dir != NULL && *dir != '\0' && i < r->nnames; i++) {
        const struct lull_record_name *n = &r->names[i];
        lull_cleanup(lull_str_free) struct lull_str path = {0};
        const bool lines = n->name_size == strlen("names") && memcmp(n->name, "names", 5) == 0;
        if (lines) {
            lull_str_addf(&path, "%s/%ld.names", dir, (long)getpid());
        } else {
            lull_str_addf(&path, "%s/%.*s", dir, (int)n->name_size, n->name);
        }
        err = lull_run_write(lull_str_text(&path), n->bytes, (size_t)n->size);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *place_memory(struct again *a)
{
    struct lull_error *err = NULL;
    size_t page = 0;
    for (size_t i = 0; err == NULL && i < a->r.nranges; i++) {
        const struct lull_record_range *m = &a->r.ranges[i];
        struct lull_amd_bo *bo = NULL;
        err = lull_amd_bo_new_at(a->device, m->va, m->size,
                                 (m->writable ? 0u : LULL_AMD_BO_READONLY) |
                                     (m->executable ? LULL_AMD_BO_EXEC : 0u) |
                                     (m->vram ? 0u : LULL_AMD_BO_GTT),
                                 &bo);
        for (; err == NULL && page < a->r.npages && a->r.pages[page].va - m->va < m->size; page++) {
            const struct lull_record_pages *p = &a->r.pages[page];
            memcpy((uint8_t *)bo->map + (p->va - m->va), p->bytes, (size_t)p->size);
        }
        a->code = err == NULL && a->r.d.code_va - m->va < m->size ? bo : a->code;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *prepare(struct again *a)
{
    const char *path = NULL;
    struct lull_error *err = read_record(a->o.path, &a->bytes, &a->r);
    a->o.seed = a->o.seed != 0 ? a->o.seed : a->r.d.seed;
    err = err != NULL ? err : lull_options_connect(&a->o, &a->kernel, &path, &a->dri);
    a->is_device = path != NULL;
    if (err == NULL && a->check.wanted != 0 && path != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "--check works on the model only");
    }
    err = err != NULL ? err : lull_check_start(&a->check, a->kernel);
    err = err != NULL ? err : lull_amd_device_open_beside(a->kernel, path, &a->device);
    err = err != NULL ? err : place_memory(a);
    return err != NULL ? err : write_names(&a->r);
}

LULL_MUST_USE static struct lull_error *submit(struct again *a)
{
    const struct lull_record_dispatch *d = &a->r.d;
    struct lull_amd_again g = {
        .gfx = d->ring == 0,
        .job = d->job,
        .code_va = d->code_va,
        .scratch_va = d->scratch_va,
        .initiator = d->initiator,
        .tmpring = d->tmpring,
    };
    memcpy(g.rsrc, d->rsrc, sizeof g.rsrc);
    memcpy(g.grid, d->grid, sizeof g.grid);
    memcpy(g.block, d->block, sizeof g.block);
    memcpy(g.start, d->start, sizeof g.start);
    memcpy(g.cus, d->cus, sizeof g.cus);
    memcpy(g.user_data, d->user_data, sizeof g.user_data);
    return lull_amd_submit_again(a->device, &g);
}

LULL_MUST_USE static struct lull_error *go(struct again *a, struct lull_str *out, int *status)
{
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    struct lull_error *err = submit(a);
    // Behind a device somebody may debug it: that takes as long as it takes.
    const uint64_t timeout = a->is_device && !a->timed ? UINT64_MAX : a->o.timeout_ms * NS_PER_MS;
    err = err != NULL ? err : lull_amd_wait(a->device, timeout, &how);
    if (err == NULL && how == LULL_AMD_WAIT_DONE) {
        lull_str_addf(out, a->o.json ? "{\"result\":\"done\"}\n" : "done\n");
        return NULL;
    }
    const struct lull_report report = {
        .device = a->device,
        .dri = a->dri,
        .code = a->code,
        .lost = how == LULL_AMD_WAIT_LOST,
        .json = a->o.json,
        .timeout_ms = a->o.timeout_ms,
        .out = out,
    };
    return err != NULL ? err : lull_report_failure(&report, status);
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct again a = {.o = {.timeout_ms = LULL_TARGET_HANG_MS}};
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    struct lull_opts o = {.form = form, .base = &a};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    a.timed = lull_opts_given(&o, "--timeout");
    lull_files_in(&a.o.files, a.check.known_path);
    lull_files_out(&a.o.files, a.check.report_path);
    err = err != NULL ? err : lull_options_files(&a.o);
    err = err != NULL ? err : prepare(&a);
    err = err != NULL ? err : go(&a, &out, status);
    err = err != NULL ? err : out.err;
    out.err = NULL;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
        const struct lull_check_code code = {.va = a.r.d.code_va,
                                             .size = a.code != NULL ? a.code->size : 0};
        if (lull_check_report(&a.check, &code, a.o.json, stdout) && *status == LULL_EXIT_CLEAN) {
            *status = LULL_EXIT_FINDINGS;
        }
        err = lull_check_write(&a.check, &code, a.o.path);
    }
    lull_amd_device_close(a.device);
    if (a.kernel != NULL) {
        a.kernel->destroy(a.kernel);
    }
    lull_check_done(&a.check);
    lull_record_program_done(&a.r);
    free(a.bytes);
    lull_options_done(&a.o);
    return err;
}

static const struct lull_opt opts[] = {
    {"RECORD", .kind = LULL_OPT_IN, LULL_OPT_AT(struct again, o.path), .flags = LULL_OPT_NEEDED},
    {"--device", NULL, "DEVICE", "model (if not given), or /dev/dri/renderD128", LULL_OPT_TEXT,
     LULL_OPT_AT(struct again, o.device)},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0},
    {NULL, lull_options_opts, offsetof(struct again, o)},
    {NULL, lull_check_opts, offsetof(struct again, check)},
    {0},
};

const struct lull_form lull_record_program_form = {
    .about = "A program's dispatch, which record save of lull debug has written, runs again: the "
             "same memory, registers and order of waves.",
    .groups = groups,
    .after = "  lull run dispatch.rec --check all",
    .run = run,
};

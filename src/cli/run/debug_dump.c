// SPDX-License-Identifier: MIT
#include "cli/run/debug_dump.h"

#include <inttypes.h>
#include <stdlib.h>

#include "adreno/file/kind.h"
#include "base/cleanup.h"
#include "cli/opt/firmware.h"
#include "cli/opt/progress.h"

struct lull_error *lull_debug_dump_open(const char *file, const struct lull_debug_dump_how *how,
                                        struct lull_debug_dump *ret)
{
    const struct lull_resume_options o = {.zeros = how->zeros};
    lull_cleanup(lull_freep) uint32_t *words = NULL;
    struct lull_afuc fw = {0};
    struct lull_stream *s = NULL;
    struct lull_progress progress = {.quiet = true};
    struct lull_debug_dump dump = {.damage = NULL};
    struct lull_error *err =
        how->firmware != NULL ? lull_firmware_read(how->firmware, &words, &fw) : NULL;
    err = err != NULL ? err : lull_progress_open(&progress, file, &s);
    if (err == NULL) {
        err = lull_error_in(lull_kind_want_devcore(s), "%s", file);
    }
    if (err == NULL) {
        err = lull_resume_read(s, &o, how->firmware != NULL ? &fw : NULL, &dump.r);
        err = lull_error_in(err, "%s", file);
    }
    lull_stream_free(s);
    if (err != NULL && lull_error_code(err) == LULL_ERR_DAMAGED) {
        dump.damage = err;
        err = NULL;
    }
    if (err == NULL) {
        lull_rp_submit_put_gpu(&dump.r.submit, &dump.capture);
        lull_rp_submit_put(&dump.r.submit, &dump.capture);
        err = dump.capture.err;
        dump.capture.err = NULL;
    }
    if (err != NULL) {
        lull_debug_dump_done(&dump);
        return err;
    }
    *ret = dump;
    return NULL;
}

void lull_debug_dump_done(struct lull_debug_dump *dump)
{
    lull_resume_done(&dump->r);
    lull_str_free(&dump->capture);
    lull_error_free(dump->damage);
    *dump = (struct lull_debug_dump){.damage = NULL};
}

static void absent(void *ctx, uint64_t va, struct lull_str *out)
{
    const struct lull_debug_dump *dump = ctx;
    const struct lull_resume_absent *in = lull_resume_absent_at(&dump->r, va);
    if (in != NULL) {
        lull_str_addf(out,
                      "the dump has no contents of the buffer 0x%" PRIx64 "%s%s, %" PRIu64
                      " bytes: not dumped, or nothing but zeros",
                      in->address, in->name[0] != '\0' ? " " : "", in->name, in->size);
    }
}

static uint64_t whole(void *ctx, uint64_t address)
{
    const struct lull_debug_dump *dump = ctx;
    for (unsigned i = 0; i < dump->r.nlevels; i++) {
        const struct lull_resume_level *l = &dump->r.levels[i];
        if (address == l->base + l->next * 4ull) {
            return l->base;
        }
    }
    return address;
}

void lull_debug_dump_attach(struct lull_debug_dump *dump, struct lull_debug *d)
{
    d->dumped = (struct lull_debug_dumped){.page = lull_str_text(&dump->r.page),
                                           .firmware = lull_str_text(&dump->r.firmware),
                                           .missing = lull_str_text(&dump->r.missing),
                                           .absent = absent,
                                           .whole = whole,
                                           .ctx = dump};
}

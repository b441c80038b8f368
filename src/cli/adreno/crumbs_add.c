// SPDX-License-Identifier: MIT
// lull crumbs add: a capture with breadcrumbs in its streams.
#include <inttypes.h>
#include <stdio.h>

#include "adreno/crumbs/add.h"
#include "adreno/file/kind.h"
#include "base/json.h"
#include "base/output.h"
#include "cli/adreno/crumbs.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"
#include "hw/adreno_chip.h"

enum { NO_SCRATCH = -1, SCRATCH_REGS = 8 };

struct args {
    const char *file, *out;
    unsigned at;
    int64_t scratch;
    bool json;
};

/** The generation of the GPU that captured @p c. */
LULL_MUST_USE static struct lull_error *gen_of(const struct lull_rp_capture *c, unsigned *ret)
{
    const struct lull_rp_submit *s = c->nsubmits != 0 ? &c->submits[0] : NULL;
    if (s == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "the capture has no submit");
    }
    *ret = s->chip_id != 0 ? lull_adreno_gen(s->chip_id) : (unsigned)(s->gpu_id / 100);
    return *ret == 6 || *ret == 7 ? NULL
                                  : lull_error_new(LULL_ERR_UNSUPPORTED,
                                                   "the capture is of an a%uxx: crumbs are added "
                                                   "to those of an a6xx or a7xx",
                                                   *ret);
}

LULL_MUST_USE static struct lull_error *read(const struct args *a, struct lull_rp_capture *c)
{
    struct lull_stream *s = NULL;
    struct lull_rp_reader *reader = NULL;
    struct lull_progress progress = {0};
    struct lull_error *err = lull_progress_open(&progress, a->file, &s);
    err = err != NULL ? err : lull_kind_want_rd(s);
    err = err != NULL ? err : lull_rp_reader_new(s, 0, &reader);
    err = err != NULL ? err : lull_rp_capture_read(c, reader, NULL, NULL);
    lull_rp_reader_free(reader);
    lull_stream_free(s);
    return err;
}

/** @p c has no stream that the capture holds: nothing was put in. */
static void tell(const struct args *a, const struct lull_crumbs_added *added)
{
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    if (!a->json) {
        printf("%s: %" PRIu32 " packet%s with crumbs, %" PRIu32
               " without; the last number is at 0x%" PRIx64 "\n",
               a->out, added->packets, added->packets == 1 ? "" : "s", added->without,
               added->memory);
        return;
    }
    lull_json_open(&j, '{');
    lull_json_put_u64(&j, "packets", added->packets);
    lull_json_put_u64(&j, "without", added->without);
    lull_json_put_hex(&j, "memory", added->memory);
    lull_json_close(&j, '}');
    puts(lull_str_text(&out));
    lull_str_free(&out);
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.scratch = NO_SCRATCH};
    struct lull_rp_capture c = {0};
    struct lull_crumbs_added added = {0};
    struct lull_str out = {0};
    unsigned gen = 0;
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    if (err != NULL) {
        return err;
    }
    err = read(&a, &c);
    err = err != NULL ? err : gen_of(&c, &gen);
    if (err == NULL) {
        const struct lull_crumbs_how how = {
            .gen = gen, .at = (enum lull_crumbs_at)a.at, .scratch = (int)a.scratch};
        err = lull_crumbs_add(&c, &how, &added);
    }
    err = lull_error_in(err, "%s", a.file);
    if (err == NULL) {
        lull_rp_capture_put(&c, &out);
        err = out.err != NULL ? out.err : lull_output_write(a.out, out.text, out.size);
        out.err = NULL;
    }
    if (err == NULL) {
        tell(&a, &added);
        *status = added.packets != 0 ? LULL_EXIT_CLEAN : LULL_EXIT_FINDINGS;
    }
    lull_rp_capture_done(&c);
    lull_str_free(&out);
    return err;
}

static const struct lull_opt opts[] = {
    {"-o", "--output", "FILE", "the capture that is written", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, out), .flags = LULL_OPT_NEEDED},
    {"--at", NULL, "draws|events|packets",
     "which packets: draws, dispatches and blits, if not given; those and events; or all\n"
     "but CP_NOP",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct args, at)},
    {"--scratch", NULL, "N",
     "write the numbers into CP_SCRATCH register N, too, which devcoredumps have;\n"
     "freedreno's own are in 6 and 7",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, scratch), .max = SCRATCH_REGS - 1},
    {"--json", NULL, NULL, "an object", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};
static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

const struct lull_form lull_cli_crumbs_add = {
    .word = "add",
    .about = "add puts crumbs into the streams of the capture FILE, by position: packet i, in the "
             "order in which the GPU first comes to each, has crumb 2i+1 before it and 2i+2 after "
             "it. lull replay of the new capture says which was written last.",
    .groups = groups,
    .run = run,
};

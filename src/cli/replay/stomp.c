// SPDX-License-Identifier: MIT
#include "cli/replay/stomp.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/file/kind.h"
#include "adreno/replay/edit.h"
#include "adreno/replay/garbage.h"
#include "cli/opt/command.h"
#include "cli/opt/gpu.h"
#include "cli/opt/progress.h"
#include "cli/opt/stomp_find.h"
#include "cli/replay/predicate.h"

enum { TIMEOUT_MS = 10000, PASSES = 0, FAILS = 1, UNTOLD = 125 };

struct args {
    struct lull_stomp_find f;
    struct lull_replay_how how;
    struct lull_replay_predicate holds;
    bool until; ///< It fails while the predicate does not hold.
    const char *file;
    // What follows from them.
    struct lull_rp_capture c;
    struct lull_rp_zero_pages pages;
    struct lull_replay_after after;
    struct lull_stomp stomp;
};

LULL_MUST_USE static struct lull_error *predicate(void *base, const struct lull_opt *o,
                                                  const char *value)
{
    struct args *a = base;
    if (a->holds.kind != LULL_REPLAY_NOTHING) {
        return lull_error_new(LULL_ERR_INVALID, "--while and --until do not go together");
    }
    a->until = strcmp(o->name, "--until") == 0;
    return lull_replay_predicate_parse(&a->holds, o->name, value);
}

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME",
     "a630, a660 or a740: replay on this model; if not given, on that of the capture's chip",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, how.gpu)},
    {"--memory", NULL, NULL,
     "fill pages that are zeros, or not captured, in the first submit that names them, instead of "
     "registers",
     LULL_OPT_FLAG, LULL_OPT_AT(struct args, f.memory)},
    {"--while", NULL, "WHAT",
     "a replay fails if this holds:\n"
     "  differs  'differs ADDR:SIZE'  memory after any submit, or how it\n"
     "    ends, is not as without garbage; if not given\n"
     "  fault  hang  'bytes ADDR:SIZE=HEX' after the last submit\n"
     "  'exit CMD': the shell command ends with 0; $1 is the capture,\n"
     "    $LULL_STOMP options for lull replay",
     LULL_OPT_CALL, .call = predicate},
    {"--until", NULL, "WHAT", "a replay fails if this does not hold", LULL_OPT_CALL,
     .call = predicate},
    {"CAPTURE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_stomp_find_opts, offsetof(struct args, f)}, {NULL, opts, 0}, {0}};

/** Pages of a list, which is in the order of a->pages: these remain there. */
LULL_MUST_USE static struct lull_error *fill(struct args *a, const char *list)
{
    struct lull_rp_zero_pages *z = &a->pages;
    struct lull_error *err = NULL;
    size_t which = 0, n = 0;
    for (char *end = NULL; err == NULL && *list == '0'; list = end + (*end == ',')) {
        const uint64_t page = strtoull(list, &end, 0);
        while (which < z->n && z->all[which].address < page) {
            which++;
        }
        if (which < z->n) {
            err = lull_rp_zero_pages_fill(z, which, &a->c);
            z->all[n++] = z->all[which++];
        }
    }
    z->n = n;
    return err;
}

/** For --while 'exit CMD'. */
LULL_MUST_USE static struct lull_error *tell(const struct args *a)
{
    static const char *const at[] = {"cmdbuf", "renderpass", "both"};
    struct lull_str text = {0};
    if (a->stomp.registers != NULL) {
        lull_str_addf(&text, "--stomp %s --stomp-at %s", a->stomp.registers, at[a->stomp.at]);
    }
    const bool done = text.err == NULL && setenv("LULL_STOMP", lull_str_text(&text), 1) == 0;
    lull_str_free(&text);
    return done ? NULL : &lull_enomem;
}

/** A replay with garbage, in a process of its own. */
static int child(void *ctx, const char *list)
{
    struct args *a = ctx;
    bool holds = false;
    struct lull_error *err = NULL;
    if (a->f.memory) {
        err = fill(a, list);
    } else {
        a->stomp.registers = list;
    }
    err = err != NULL ? err : tell(a);
    err = err != NULL ? err : lull_replay_predicate_test(&a->holds, &a->how, &a->c, &holds);
    return err != NULL ? UNTOLD : holds != a->until ? FAILS : PASSES;
}

LULL_MUST_USE static struct lull_error *read_capture(struct args *a)
{
    struct lull_stream *s = NULL;
    struct lull_rp_reader *reader = NULL;
    struct lull_progress progress = {.quiet = true};
    struct lull_error *err = lull_progress_open(&progress, a->file, &s);
    err = err != NULL ? err : lull_kind_want_rd(s);
    err = err != NULL ? err : lull_rp_reader_new(s, 0, &reader);
    err = err != NULL ? err : lull_rp_capture_read(&a->c, reader, NULL, NULL);
    if (err == NULL && a->c.nsubmits == 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "the capture has no submit");
    }
    lull_rp_reader_free(reader);
    lull_stream_free(s);
    return err;
}

/** The things that may hold garbage. */
LULL_MUST_USE static struct lull_error *things(struct args *a)
{
    if (!a->f.memory) {
        return lull_stomp_find_registers(&a->f);
    }
    a->f.kind = LULL_STOMP_PAGES;
    struct lull_error *err = lull_rp_zero_pages_find(&a->pages, &a->c);
    err = err != NULL ? err : lull_stomp_find_room(&a->f, a->pages.n);
    for (size_t i = 0; err == NULL && i < a->pages.n; i++) {
        lull_stomp_find_add(&a->f, a->pages.all[i].address);
    }
    return err != NULL || a->pages.n != 0
               ? err
               : lull_error_new(LULL_ERR_UNSUPPORTED, "no page of the capture is zeros");
}

LULL_MUST_USE static struct lull_error *search(struct args *a, int *status)
{
    struct lull_error *err = read_capture(a);
    err = err != NULL ? err : lull_replay_gen(&a->how, &a->c.submits[0], &a->f.gen);
    err = err != NULL ? err : things(a);
    a->how.stomp = &a->stomp;
    a->stomp.at = a->f.at;
    a->stomp.registers = a->f.memory ? NULL : "none";
    a->stomp.packets = a->f.memory ? 0 : (unsigned)a->f.b.nflags; // timestamps are the same then
    // Without garbage, here, where an error can be told.
    err = err != NULL ? err : lull_replay_after_read(&a->after, &a->holds, &a->how, &a->c);
    a->f.subject = a->f.b.subject = a->file;
    a->f.b.child = child;
    a->f.b.ctx = a;
    return err != NULL ? err : lull_stomp_find(&a->f, status);
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args *a = calloc(1, sizeof *a);
    if (a == NULL) {
        return &lull_enomem;
    }
    a->how.timeout_ms = TIMEOUT_MS;
    struct lull_error *err = lull_opt_parse(form, a, argc, argv);
    err = err != NULL ? err : lull_stomp_find_when(&a->f);
    if (err == NULL && a->how.gpu != NULL && !lull_gpu_is_adreno(a->how.gpu)) {
        err =
            lull_error_new(LULL_ERR_INVALID, "--gpu %s: there are a630, a660 and a740", a->how.gpu);
    }
    if (err == NULL && a->f.memory && (a->f.range != NULL || a->f.flags != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID, "--memory: --range and --flags are of registers");
    }
    if (a->holds.kind == LULL_REPLAY_NOTHING) {
        a->holds.kind = LULL_REPLAY_DIFFERS;
    }
    a->holds.after = &a->after;
    a->holds.garbage = a->f.memory ? &a->pages : NULL;
    err = err != NULL ? err : lull_error_in(search(a, status), "%s", a->file);
    lull_stomp_find_done(&a->f);
    lull_replay_after_done(&a->after);
    lull_rp_zero_pages_done(&a->pages);
    lull_rp_capture_done(&a->c);
    free(a);
    return err;
}

const struct lull_form lull_replay_stomp_form = {.groups = groups, .run = run};

bool lull_replay_stomp_is(int argc, char **argv)
{
    static const char *const endings[] = {".rd", ".rd.gz", ".rd.zst"};
    struct lull_opt_scan scan = {.form = &lull_replay_stomp_form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        for (size_t i = 0; item.operand && i < sizeof endings / sizeof endings[0]; i++) {
            const size_t n = strlen(item.word), size = strlen(endings[i]);
            if (n > size && strcmp(item.word + n - size, endings[i]) == 0) {
                return true;
            }
        }
        if (item.operand) {
            return false;
        }
    }
    return false;
}

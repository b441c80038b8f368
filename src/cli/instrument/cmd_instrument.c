// SPDX-License-Identifier: MIT
// lull instrument: a program whose shaders write down what their instructions read and write.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "cli/adreno/ir3_records.h"
#include "cli/instrument/choose.h"
#include "cli/opt/command.h"
#include "cli/opt/host.h"
#include "cli/run/display.h"
#include "instrument/rdna/unroll.h"
#include "target/amd/program.h"

enum { DEFAULT_ROOM = 16 << 20, LOOK_MS = 200, CHUNK = 1 << 16 };

struct session {
    struct lull_choose choose;
    uint64_t seed, room;
    const char *into; // Directory; NULL: text or JSON on standard output.
    bool json;
    struct lull_host host;
    struct lull_xserver display;
    struct lull_target *target;
    struct lull_patcher patcher;
    uint64_t next;           // The first dispatch that has not been seen.
    struct lull_error *late; // Of leaves(). Owned.
    bool stopped;            // A wave stands: it faulted.
};

static const struct lull_opt opts[] = {
    {"--room", NULL, "BYTES", "for the records of each shader; 16777216 if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct session, room), .min = 1024, .max = 1 << 30},
    {"--seed", NULL, "N", "order of waves on the model; 0: round robin", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct session, seed)},
    {"-o", NULL, "DIR",
     "records as DIR/SYMBOL.records and DIR/SYMBOL.bin, for `lull ir3 records`, instead of text",
     LULL_OPT_TEXT, LULL_OPT_AT(struct session, into)},
    {"--json", NULL, NULL, "records as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct session, json)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct session, host.argv),
     .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_choose_opts, offsetof(struct session, choose)}, {NULL, opts, 0}, {0}};

static bool alive(void *ctx)
{
    struct session *s = ctx;
    lull_xserver_serve(&s->display);
    return lull_host_alive(&s->host);
}

static void leaves(void *ctx, uint32_t pid, uint32_t client)
{
    struct session *s = ctx;
    struct lull_error *err = lull_patcher_leaves(&s->patcher, pid, client);
    lull_error_free(s->late == NULL ? NULL : err);
    s->late = s->late == NULL ? err : s->late;
}

/** Patch what is held, and let it go. */
LULL_MUST_USE static struct lull_error *held(struct session *s)
{
    enum { ROOM = 64 };
    const struct lull_target_ops *ops = s->target->ops;
    struct lull_draw_info draw = {0};
    uint64_t number = 0;
    size_t n = ROOM;
    if (ops->held_draw(s->target, &number)) {
        struct lull_error *err = ops->draws(s->target, number, &draw, 1, &n);
        err = err != NULL || n == 0 ? err : lull_patcher_draw(&s->patcher, &draw);
        return err != NULL ? err : ops->release(s->target);
    }
    lull_cleanup(lull_freep) struct lull_dispatch_info *all = calloc(ROOM, sizeof *all);
    struct lull_error *err = all == NULL ? &lull_enomem : NULL;
    for (bool found = false; err == NULL && !found && n >= ROOM;) {
        err = ops->dispatches(s->target, s->next, all, ROOM, &n);
        for (size_t i = 0; err == NULL && !found && i < n && i < ROOM; i++) {
            found = all[i].phase == LULL_PHASE_HELD;
            s->next = all[i].number;
            err = found ? lull_patcher_dispatch(&s->patcher, &all[i]) : NULL;
        }
    }
    return err != NULL ? err : ops->release(s->target);
}

LULL_MUST_USE static struct lull_error *watch(struct session *s)
{
    enum lull_event event = LULL_EVENT_TIMEOUT;
    struct lull_error *err = NULL;
    while (err == NULL && event != LULL_EVENT_DONE && !s->stopped) {
        err = s->target->ops->wait(s->target, LOOK_MS, &event);
        if (err == NULL && event == LULL_EVENT_HELD) {
            err = held(s);
        }
        s->stopped = event == LULL_EVENT_STOPPED;
        if (lull_host_interrupted()) {
            lull_host_kill(&s->host);
        }
    }
    return err;
}

/** What a shader has written, as records of invocations. */
struct dump {
    struct lull_rdna_unrolled unrolled;
    struct lull_dump dump;
};

LULL_MUST_USE static struct lull_error *open_dump(struct lull_patch *p, struct dump *ret)
{
    struct lull_error *err = lull_rdna_unroll(&p->made, p->data, p->size, &ret->unrolled);
    err = err != NULL ? err
                      : lull_dump_of(&p->made.manifest, ret->unrolled.bytes.text,
                                     ret->unrolled.bytes.size, &ret->dump);
    if (err == NULL && ret->dump.missing != 0) {
        fprintf(stderr, "lull instrument: %s: %" PRIu64 " bytes of records are missing: --room\n",
                p->symbol, ret->dump.missing);
    }
    return lull_error_in(err, "%s", p->symbol);
}

static void close_dump(struct dump *d)
{
    lull_dump_done(&d->dump);
    lull_rdna_unrolled_done(&d->unrolled);
}

LULL_MUST_USE static struct lull_error *flush(struct lull_str *out, bool all)
{
    if (out->err == NULL && (all || out->size > CHUNK)) {
        fwrite(lull_str_text(out), 1, out->size, stdout);
        out->size = 0;
    }
    return out->err;
}

static void put_head(const struct lull_patch *p, const struct lull_dump *d, struct lull_json *j)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, p->hash);
    lull_json_put_str(j, "symbol", p->symbol);
    lull_json_put_str(j, "hash", hash);
    lull_json_put_u64(j, "lanes", p->code.lanes);
    lull_json_put_u64(j, "instructions", p->ninsns);
    if (d != NULL) {
        lull_json_put_u64(j, "recorded", p->made.manifest.n - 1);
        lull_json_put_u64(j, "written", d->written);
        lull_json_put_u64(j, "invocations", d->invocations);
        lull_json_put_u64(j, "missing", d->missing);
    } else {
        lull_json_put_str(j, "refused", p->why);
    }
}

LULL_MUST_USE static struct lull_error *show(const struct session *s, struct lull_patch *p,
                                             struct lull_str *out, struct lull_json *j)
{
    struct dump d = {0};
    struct lull_error *err = open_dump(p, &d);
    lull_dump_sort(&d.dump);
    if (s->json) {
        lull_json_open(j, '{');
        put_head(p, &d.dump, j);
        lull_json_key(j, "records");
        lull_json_open(j, '[');
    } else {
        lull_str_addf(out,
                      "%s: %zu of %" PRIu32 " instructions, waves of %u\nData written %" PRIu64
                      "\nInvocations %" PRIu32 "\n",
                      p->symbol, p->made.manifest.n - 1, p->ninsns, p->code.lanes, d.dump.written,
                      d.dump.invocations);
    }
    for (size_t i = 0; err == NULL && i < d.dump.n; i++) {
        if (s->json) {
            lull_records_put(&d.dump, &d.dump.all[i], j);
        } else {
            lull_dump_print(&d.dump, &d.dump.all[i], out);
        }
        err = flush(out, false);
    }
    if (s->json) {
        lull_json_close(j, ']');
        lull_json_close(j, '}');
    }
    close_dump(&d);
    return err;
}

/** The files of -o for @p p; @p number: how many before it have the same symbol. */
LULL_MUST_USE static struct lull_error *save(const struct session *s, struct lull_patch *p,
                                             unsigned number)
{
    struct dump d = {0};
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_cleanup(lull_str_free) struct lull_str path = {0};
    struct lull_error *err = open_dump(p, &d);
    if (err == NULL) {
        lull_manifest_print(&p->made.manifest, &text);
        lull_str_addf(&path, "%s/%s", s->into, p->symbol);
        if (number != 0) {
            lull_str_addf(&path, ".%u", number);
        }
        const size_t stem = path.size;
        lull_str_addf(&path, ".bin");
        err = text.err != NULL ? text.err : path.err;
        err = err != NULL ? err
                          : lull_output_write(lull_str_text(&path), d.unrolled.bytes.text,
                                              d.unrolled.bytes.size);
        path.size = stem;
        lull_str_addf(&path, ".records");
        err = err != NULL ? err : path.err;
        err = err != NULL ? err : lull_output_write(lull_str_text(&path), text.text, text.size);
    }
    if (err == NULL) {
        printf("%.*s: %zu of %" PRIu32 " instructions, waves of %u, %" PRIu32 " invocations\n",
               (int)(path.size - strlen(".records")), lull_str_text(&path), p->made.manifest.n - 1,
               p->ninsns, p->code.lanes, d.dump.invocations);
    }
    close_dump(&d);
    return err;
}

static unsigned same_before(const struct lull_patcher *p, size_t at)
{
    unsigned n = 0;
    for (size_t i = 0; i < at; i++) {
        n += p->all[i].data != NULL && strcmp(p->all[i].symbol, p->all[at].symbol) == 0;
    }
    return n;
}

LULL_MUST_USE static struct lull_error *report(struct session *s)
{
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    struct lull_error *err = NULL;
    if (s->json) {
        lull_json_open(&j, '{');
        lull_json_key(&j, "shaders");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; err == NULL && i < s->patcher.n; i++) {
        struct lull_patch *p = &s->patcher.all[i];
        if (p->why != NULL) {
            fprintf(stderr, "lull instrument: %s is left as it is: %s\n", p->symbol, p->why);
        }
        if (p->why != NULL && s->json) {
            lull_json_open(&j, '{');
            put_head(p, NULL, &j);
            lull_json_close(&j, '}');
        } else if (p->data != NULL) {
            err = s->into != NULL ? save(s, p, same_before(&s->patcher, i)) : show(s, p, &out, &j);
        }
    }
    if (s->json) {
        lull_json_close(&j, ']');
        lull_json_close(&j, '}');
        lull_str_addf(&out, "\n");
    }
    err = err != NULL ? err : flush(&out, true);
    lull_str_free(&out);
    return err;
}

LULL_MUST_USE static struct lull_error *run_program(struct session *s)
{
    const struct lull_program_watch w = {.alive = alive, .leaves = leaves, .ctx = s};
    s->display = lull_xserver_open();
    struct lull_error *err = lull_host_open(&s->host);
    err = err != NULL ? err : lull_amd_program_new(s->host.kernel, 0, &w, &s->target);
    if (err == NULL) {
        s->patcher = (struct lull_patcher){.target = s->target,
                                           .room = (uint32_t)s->room / 16 * 16,
                                           .choose = lull_choose_insns,
                                           .ctx = &s->choose};
        err = lull_host_start(&s->host);
    }
    err = err != NULL ? err : watch(s);
    if (s->stopped) {
        fprintf(stderr, "lull instrument: a wave faulted: `lull debug` shows where\n");
        lull_host_kill(&s->host);
    }
    if (s->target != NULL) {
        s->target->ops->destroy(s->target); // What was written is taken now, at the latest.
    }
    s->patcher.target = NULL;
    lull_host_close(&s->host);
    lull_xserver_close(&s->display);
    lull_error_free(err != NULL ? s->late : NULL);
    return err != NULL ? err : s->late;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct session s = {.room = DEFAULT_ROOM, .display = {.listener = -1}};
    struct lull_error *err = lull_opt_parse(form, &s, argc, argv);
    if (err == NULL && s.into != NULL && s.json) {
        err = lull_error_new(LULL_ERR_INVALID, "one of -o and --json");
    }
    err = err != NULL ? err : lull_choose_start(&s.choose);
    if (err == NULL && s.into != NULL && mkdir(s.into, 0777) != 0 && errno != EEXIST) {
        err = lull_error_os(errno, "%s", s.into);
    }
    err = err != NULL ? err : run_program(&s);
    err = err != NULL ? err : report(&s);
    *status = s.stopped ? LULL_EXIT_FINDINGS : s.host.status;
    lull_patcher_done(&s.patcher);
    lull_choose_done(&s.choose);
    return err;
}

static const struct lull_form form = {
    .usage = "[OPTIONS] [--] PROGRAM [ARGUMENTS]",
    .groups = groups,
    .flags = LULL_FORM_PROGRAM,
    .run = run,
};

const struct lull_command lull_cli_instrument = {
    .name = "instrument",
    .help = "run a program whose shaders write down what their instructions read and write",
    .about =
        "The program runs as under lull exec. The machine code of its shaders, those of the driver "
        "itself among them, is rewritten before it runs; what chosen instructions have read and "
        "written is shown when the program has ended: for each record invocation, instruction, "
        "destinations and sources.",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status: the program's; 1: one of its waves faulted.\n\n"
             "  lull instrument --regex v_fma ./program",
};

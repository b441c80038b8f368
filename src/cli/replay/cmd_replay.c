// SPDX-License-Identifier: MIT
// lull replay: submit again what an rd capture holds.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "adreno/file/kind.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/output.h"
#include "cli/opt/args.h"
#include "cli/opt/command.h"
#include "cli/opt/gpu.h"
#include "cli/opt/progress.h"
#include "cli/replay/compare.h"
#include "cli/replay/logs.h"
#include "cli/replay/look.h"
#include "cli/replay/minimise.h"
#include "cli/replay/override.h"
#include "cli/replay/session.h"

enum { TIMEOUT_MS = 10000 };

struct sum;

struct args {
    struct lull_replay_how how;
    const char *file, *exe, *generator;
    int64_t override;
    uint64_t first, last;
    bool check, json, minimise;
    struct lull_replay_looks looks;
    struct lull_replay_predicate holds;
    const char *out;
    uint64_t jobs;
    const char *compare;
    struct lull_stomp stomp;
    const char *files_dir;
    struct lull_replay_until until;
    int64_t after; ///< --after; -1: not given.
    bool looked;   ///< What is looked at was, behind that submit.
    struct lull_error *(*look)(struct args *a, struct lull_replay *r, struct sum *sum);
    bool quiet, stop_there; ///< The other side of --compare; it ends with submit `after`.
};

/** What all of it came to. */
struct sum {
    uint64_t submits, streams, counts[LULL_REPLAY_RESULTS];
    bool over, compared;
    struct lull_replay_difference difference;
};

LULL_MUST_USE static struct lull_error *gpu(void *base, const struct lull_opt *o, const char *value)
{
    struct args *a = base;
    a->how.gpu = value;
    return lull_gpu_is_adreno(value)
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not one of a630, a660 and a740",
                                o->name, value);
}

LULL_MUST_USE static struct lull_error *dump(void *base, const struct lull_opt *o,
                                             const char *value)
{
    struct args *a = base;
    return lull_replay_looks_dump(&a->looks, o->name, value);
}

LULL_MUST_USE static struct lull_error *image(void *base, const struct lull_opt *o,
                                              const char *value)
{
    struct args *a = base;
    return lull_replay_looks_image(&a->looks, o->name, value);
}

LULL_MUST_USE static struct lull_error *holds(void *base, const struct lull_opt *o,
                                              const char *value)
{
    struct args *a = base;
    return lull_replay_predicate_parse(&a->holds, o->name, value);
}

static const struct lull_opt small_opts[] = {
    {"--minimise", NULL, NULL,
     "leave out streams, packets, register writes and buffers as long as --while holds, and\n"
     "write what is left as a capture",
     LULL_OPT_FLAG, LULL_OPT_AT(struct args, minimise)},
    {"--while", NULL, "WHAT",
     "what must hold:\n"
     "  fault  hang  'bytes ADDR:SIZE=HEX' after the last submit\n"
     "  'exit CMD': the shell command, which gets the capture as $1, ends with 0",
     LULL_OPT_CALL, .call = holds},
    {"-o", "--output", "FILE", "the capture that is written", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, out)},
    {"--jobs", NULL, "N", "processes that test at a time; one for each processor if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, jobs), .min = 1, .max = 64},
    {0},
};

static const struct lull_opt opts[] = {
    {"--first", NULL, "N", "begin with this command stream; by number from 0, as of rd show",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, first), .max = INT64_MAX},
    {"--last", NULL, "N", "end with this command stream", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, last), .max = INT64_MAX},
    {"--override", NULL, "N", "this command stream is replaced by what --generator makes",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, override), .max = INT64_MAX},
    {"--generator", NULL, "PROG",
     "run as PROG --vastart=N --vasize=N FILE, PROG writes a capture with one stream, which may\n"
     "have buffers of its own among those addresses",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, generator)},
    {"--exe", NULL, "TEXT", "only submits of processes whose text in the capture begins so",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, exe)},
    {"--gpu", NULL, "NAME",
     "a630, a660 or a740: replay on this model; if not given, on that of the capture's chip",
     LULL_OPT_CALL, .call = gpu},
    {"--device", NULL, "PATH", "a real msm device, /dev/dri/renderD128, in place of the model",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, how.device)},
    {"--seed", NULL, "N", "order of waves; 0: round robin", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, how.seed)},
    {"--timeout", NULL, "MS", "GPU time of a submit after which it is a hang; 10000 if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, how.timeout_ms), .min = 1, .max = 1000000000},
    {"--until", NULL, "WHICH",
     "stop in front of a packet and look there: [STREAM:] and its number in the order of\n"
     "execution, its 0xADDRESS, its name as CP_BLIT, or a register that it writes",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, until.text)},
    {"--after", NULL, "N",
     "look behind submit N, from 0, not behind the last; the replay goes on to its end",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, after), .max = INT64_MAX},
    {"--regs", NULL, "NAME,...", "registers of the GPU there; * and ? match any", LULL_OPT_TEXT,
     LULL_OPT_AT(struct args, until.regs)},
    {"--dump", NULL, "ADDR:SIZE=FILE",
     "memory as it is after the last submit that is replayed, into FILE", LULL_OPT_CALL,
     .call = dump, .flags = LULL_OPT_MANY},
    {"--dump-all", NULL, "DIR", "all buffers then, into DIR, each as its address and .bin",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, looks.all_dir)},
    {"--image", NULL, "ADDR,FORMAT,WxH[,PITCH][,tiled]=FILE",
     "an image in memory then, as PNG; FORMAT as 8_8_8_8_UNORM, PITCH in bytes", LULL_OPT_CALL,
     .call = image, .flags = LULL_OPT_MANY},
    {"--targets", NULL, "DIR",
     "the colour targets, depth and stencil of the last draw that has them, as PNG into DIR",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, looks.targets_dir)},
    {"--records", NULL, "DIR",
     "what shaders of `lull ir3 instrument` have written then: into DIR, as NAME.bin for each\n"
     "manifest NAME.records there",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, looks.records_dir)},
    {"--files", NULL, "DIR",
     "memory that the capture names for files (lull_rdgen_read_into_file()), into DIR, after each "
     "submit",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, files_dir)},
    {"--compare", NULL, "OTHER",
     "compare memory then with that after a replay of capture OTHER, or with a folder of "
     "--dump-all",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, compare)},
    {"--check", NULL, "hazards",
     "say where shaders do not wait as hardware needs it: missing nops, (ss), (sy) and (jp)",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct args, check), .min = 1},
    {"--stomp", NULL, "REGISTERS",
     "0xffffffff is written into these registers (0xFIRST-0xLAST,..., or all) of those that a "
     "driver sets anew, where --stomp-at says; as lull stomp has found them",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, stomp.registers)},
    {"--stomp-at", NULL, "cmdbuf|renderpass|both",
     "in front of each submit, as if not given; at the start of each render pass; or both",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct args, stomp.at)},
    {"--json", NULL, NULL, "results as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {"CAPTURE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0}, {"Smaller captures", small_opts, 0}, {0}};

static void crumb_text(const struct lull_crumb_left *c)
{
    if (c->number == 0) {
        printf("  crumb  none was written\n");
        return;
    }
    printf("  crumb  %" PRIu32 ", %s the packet", c->number,
           c->number % 2 == 0 ? "after" : "before");
    if (c->was != 0) {
        printf(" that was at 0x%" PRIx64, c->was);
    }
    printf("\n");
}

LULL_MUST_USE static struct lull_error *tell_text(struct args *a, const struct lull_replay *r,
                                                  const struct lull_rp_submit *s,
                                                  const struct lull_replay_outcome *o)
{
    lull_cleanup(lull_str_free) struct lull_str logs = {0};
    lull_cleanup(lull_str_free) struct lull_str place = {0};
    printf("submit %" PRIu64 " (stream%s %" PRIu64, s->number, s->nstreams == 1 ? "" : "s",
           s->streams[0].number);
    if (s->nstreams > 1) {
        printf(" to %" PRIu64, s->streams[s->nstreams - 1].number);
    }
    printf("), %zu buffers: %s%s\n", s->nbuffers, lull_replay_results[o->result],
           o->over ? ", the time is over" : "");
    const struct {
        const char *name, *text;
    } facts[] = {{"in", o->place}, {"waits", o->waits}, {"fault", o->faulted}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (facts[i].text != NULL) {
            printf("  %-6s %s\n", facts[i].name, facts[i].text);
        }
    }
    if (o->has_crumbs) {
        crumb_text(&o->crumb);
    }
    for (const char *at = lull_str_text(&o->log); *at != '\0';) {
        const size_t n = strcspn(at, "\n"), step = n + (at[n] == '\n');
        unsigned times = 1;
        const char *next = at + step;
        for (; strncmp(next, at, step) == 0; next += step) {
            times++;
        }
        printf("  kernel %.*s", (int)n, at);
        printf(times > 1 ? " (%u times)\n" : "\n", times);
        at = next;
    }
    struct lull_error *err = o->result == LULL_REPLAY_STOPPED
                                 ? lull_replay_until_text(&a->until, r->device, &place)
                                 : NULL;
    fputs(lull_str_text(&place), stdout);
    lull_replay_logs_text(r->device, s, &logs);
    fputs(lull_str_text(&logs), stdout);
    return err;
}

LULL_MUST_USE static struct lull_error *tell_json(struct args *a, const struct lull_replay *r,
                                                  const struct lull_rp_submit *s,
                                                  const struct lull_replay_outcome *o,
                                                  struct lull_json *j)
{
    struct lull_error *err = NULL;
    lull_json_open(j, '{');
    lull_json_put_u64(j, "submit", s->number);
    lull_json_put_u64(j, "first_stream", s->streams[0].number);
    lull_json_put_u64(j, "streams", s->nstreams);
    lull_json_put_u64(j, "buffers", s->nbuffers);
    lull_json_put_str(j, "result", lull_replay_results[o->result]);
    lull_json_put_u64(j, "faults", o->faults);
    if (o->place != NULL) {
        lull_json_put_str(j, "place", o->place);
    }
    if (o->waits != NULL) {
        lull_json_put_str(j, "waits", o->waits);
    }
    if (o->faulted != NULL) {
        lull_json_put_str(j, "fault", o->faulted);
    }
    if (o->has_crumbs) {
        lull_json_put_u64(j, "crumb", o->crumb.number);
    }
    lull_json_put_str(j, "log", lull_str_text(&o->log));
    lull_replay_logs_json(r->device, s, j);
    if (o->result == LULL_REPLAY_STOPPED) {
        err = lull_replay_until_json(&a->until, r->device, j);
    }
    lull_json_close(j, '}');
    return err;
}

/** Leave only the streams that are wanted. @return Any are. */
static bool wanted(const struct args *a, struct lull_rp_submit *s)
{
    size_t n = 0;
    if (a->exe != NULL && strncmp(s->process, a->exe, strlen(a->exe)) != 0) {
        return false;
    }
    for (size_t i = 0; i < s->nstreams; i++) {
        if (s->streams[i].number >= a->first && s->streams[i].number <= a->last) {
            s->streams[n++] = s->streams[i];
        }
    }
    s->nstreams = n;
    return n != 0;
}

LULL_MUST_USE static struct lull_error *one(struct args *a, struct lull_replay *r,
                                            struct lull_rp_submit *s, struct sum *sum,
                                            struct lull_json *j)
{
    struct lull_replay_outcome o = {0};
    struct lull_error *err = NULL;
    if (!wanted(a, s)) {
        return NULL;
    }
    if (r->k == NULL) {
        err = lull_replay_open(r, s);
    }
    if (err == NULL && a->override >= 0) {
        err = lull_replay_override(r, s, (uint64_t)a->override, a->generator);
    }
    err = err != NULL ? err : lull_replay_logs_clear(s);
    err = err != NULL ? err : lull_replay_submit(r, s, &o);
    if (err == NULL && a->files_dir != NULL) {
        err = lull_replay_logs_files(r->device, s, a->files_dir);
    }
    if (err == NULL && a->looks.targets_dir != NULL && !a->looked) {
        const struct lull_rp_visitor v = {&a->looks.targets, lull_replay_targets_see};
        lull_replay_until_walk(&a->until, r->walk, s, &v);
    }
    if (err == NULL && a->look != NULL && a->after >= 0 && s->number == (uint64_t)a->after) {
        err = a->look(a, r, sum);
        a->looked = true;
    }
    if (err == NULL) {
        sum->submits++;
        sum->streams += s->nstreams;
        sum->counts[o.result]++;
        sum->over |= o.over;
        if (a->json) {
            err = tell_json(a, r, s, &o, j);
        } else if (!a->quiet) {
            err = tell_text(a, r, s, &o);
            (void)fflush(stdout);
        }
    }
    lull_replay_outcome_done(&o);
    return err;
}

LULL_MUST_USE static struct lull_error *all(struct args *a, struct lull_replay *r,
                                            struct lull_rp_reader *reader, struct sum *sum,
                                            struct lull_json *j)
{
    struct lull_error *err = NULL;
    bool more = true, beyond = false;
    while (err == NULL && more && !beyond) {
        struct lull_rp_submit s = {0};
        err = lull_rp_reader_next(reader, &s, &more);
        beyond = more && s.streams[0].number > a->last;
        if (err == NULL && more && !beyond) {
            err = one(a, r, &s, sum, j);
            beyond = a->until.came || (a->stop_there && s.number == (uint64_t)a->after);
        }
        lull_rp_submit_done(&s);
    }
    if (err == NULL && sum->submits == 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "the capture has no submit with such a stream");
    }
    return err;
}

/** The end of the report. @return A finding. */
static bool tell_sum(struct args *a, struct lull_replay *r, const struct sum *sum,
                     struct lull_json *j, struct lull_error **err)
{
    lull_cleanup(lull_str_free) struct lull_str regs = {0};
    const struct lull_check_code code = {0};
    if (!a->json) {
        printf("%s: %" PRIu64 " submit%s, %" PRIu64 " stream%s replayed: %" PRIu64 " done, %" PRIu64
               " with faults, %" PRIu64 " hung%s\n",
               r->chip != NULL ? r->chip->name : r->how.device, sum->submits,
               sum->submits == 1 ? "" : "s", sum->streams, sum->streams == 1 ? "" : "s",
               sum->counts[0], sum->counts[1], sum->counts[2],
               sum->counts[LULL_REPLAY_STOPPED] != 0 ? ", 1 stopped" : "");
    } else {
        lull_json_close(j, ']');
        lull_json_put_str(j, "gpu", r->chip != NULL ? r->chip->name : r->how.device);
        if (sum->compared) {
            lull_replay_difference_json(&sum->difference, j);
        }
        if (a->until.states != NULL) {
            lull_json_key(j, "registers");
            lull_json_open(j, '[');
            *err = lull_replay_until_regs(&a->until, r->device, &regs, j);
            lull_json_close(j, ']');
        }
        lull_json_close(j, '}');
        printf("%s\n", lull_str_text(j->out));
    }
    if (sum->compared && !a->json) {
        struct lull_str text = {0};
        lull_replay_difference_text(&sum->difference, &text);
        fputs(lull_str_text(&text), stdout);
        lull_str_free(&text);
    }
    if (a->until.states != NULL && !a->json) {
        *err = lull_replay_until_regs(&a->until, r->device, &regs, NULL);
        fputs(lull_str_text(&regs), stdout);
    }
    return lull_check_report(&r->check, &code, a->json, stdout) || sum->counts[1] != 0 ||
           sum->counts[2] != 0 || sum->difference.differ != 0;
}

/** All of the capture @p file; @p r is where it ends. */
LULL_MUST_USE static struct lull_error *whole(struct args *a, const char *file,
                                              struct lull_replay *r, struct sum *sum,
                                              struct lull_json *j)
{
    struct lull_stream *s = NULL;
    struct lull_rp_reader *reader = NULL;
    struct lull_progress progress = {.quiet = true};
    struct lull_error *err = lull_progress_open(&progress, file, &s);
    err = err != NULL ? err : lull_error_in(lull_kind_want_rd(s), "%s", file);
    err = err != NULL ? err : lull_rp_reader_new(s, 0, &reader);
    err = err != NULL ? err : lull_error_in(all(a, r, reader, sum, j), "%s", file);
    lull_rp_reader_free(reader);
    lull_stream_free(s);
    return err;
}

LULL_MUST_USE static struct lull_error *compare(const struct args *a, const struct lull_replay *r,
                                                struct sum *sum)
{
    struct stat st = {0};
    sum->compared = true;
    if (stat(a->compare, &st) == 0 && S_ISDIR(st.st_mode)) {
        return lull_replay_compare_dir(r, a->compare, &sum->difference);
    }
    struct args other = {.how = a->how,
                         .exe = a->exe,
                         .first = a->first,
                         .last = a->last,
                         .override = -1,
                         .after = a->after,
                         .until.text = a->until.text,
                         .quiet = true,
                         .stop_there = a->after >= 0};
    struct lull_replay b = {.how = a->how, .until = a->until.text != NULL ? &other.until : NULL};
    struct sum its = {0};
    struct lull_error *err = whole(&other, a->compare, &b, &its, NULL);
    if (err == NULL) {
        lull_replay_compare(r, &b, &sum->difference);
    }
    lull_replay_close(&b);
    return err;
}

/** Memory, images, registers, as they are now. */
LULL_MUST_USE static struct lull_error *look(struct args *a, struct lull_replay *r, struct sum *sum)
{
    struct lull_error *err = a->compare != NULL ? compare(a, r, sum) : NULL;
    err = err != NULL ? err : lull_replay_until_take(&a->until);
    return err != NULL ? err : lull_replay_looks_write(&a->looks, r);
}

/** Where it was to stop, or to be looked at: did it come there? */
LULL_MUST_USE static struct lull_error *missed(const struct args *a)
{
    return a->until.text != NULL && !a->until.came ? lull_replay_until_never(&a->until)
           : a->after >= 0 && !a->looked
               ? lull_error_new(LULL_ERR_NOT_FOUND,
                                "--after %" PRId64 ": no such submit was replayed", a->after)
               : NULL;
}

LULL_MUST_USE static struct lull_error *replay(struct args *a, int *status)
{
    const bool stops = a->until.text != NULL || a->until.regs != NULL;
    struct lull_replay r = {
        .how = a->how, .check.wanted = a->check, .until = stops ? &a->until : NULL};
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    struct sum sum = {0};
    lull_json_open(&j, '{');
    lull_json_key(&j, "submits");
    lull_json_open(&j, '[');
    a->look = look;
    struct lull_error *err = whole(a, a->file, &r, &sum, &j);
    err = err != NULL ? err : missed(a);
    err = err != NULL || a->after >= 0 ? err : look(a, &r, &sum);
    if (err == NULL && tell_sum(a, &r, &sum, &j, &err)) {
        *status = sum.over ? LULL_EXIT_TIMEOUT : LULL_EXIT_FINDINGS;
    }
    err = err != NULL ? err : out.err;
    lull_str_free(&out);
    lull_replay_close(&r);
    return err;
}

static bool wanted_of(void *ctx, struct lull_rp_submit *s)
{
    return wanted(ctx, s);
}

LULL_MUST_USE static struct lull_error *minimise(struct args *a)
{
    struct lull_replay_minimise m = {
        .holds = a->holds, .how = a->how, .out = a->out, .jobs = a->jobs, .json = a->json};
    struct lull_stream *s = NULL;
    struct lull_rp_reader *reader = NULL;
    struct lull_rp_capture c = {0};
    struct lull_progress progress = {.quiet = true};
    struct lull_error *err = lull_progress_open(&progress, a->file, &s);
    err = err != NULL ? err : lull_error_in(lull_kind_want_rd(s), "%s", a->file);
    err = err != NULL ? err : lull_rp_reader_new(s, 0, &reader);
    err = err != NULL
              ? err
              : lull_error_in(lull_rp_capture_read(&c, reader, wanted_of, a), "%s", a->file);
    if (err == NULL && c.nsubmits == 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s: the capture has no submit with such a stream",
                             a->file);
    }
    err = err != NULL ? err : lull_error_in(lull_replay_minimise(&m, &c), "%s", a->file);
    lull_rp_capture_done(&c);
    lull_rp_reader_free(reader);
    lull_stream_free(s);
    return err;
}

/** Options that go together. */
LULL_MUST_USE static struct lull_error *together(const struct args *a)
{
    if (a->how.device != NULL &&
        (a->check || a->how.gpu != NULL || a->minimise || a->stomp.registers != NULL)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--device: --gpu, --check, --stomp and --minimise are of the model");
    }
    if (a->holds.kind == LULL_REPLAY_DIFFERS) {
        return lull_error_new(LULL_ERR_INVALID, "--while differs is of lull stomp");
    }
    if (a->minimise != (a->holds.kind != LULL_REPLAY_NOTHING) || a->minimise != (a->out != NULL)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--minimise needs --while and -o, and they need it");
    }
    if ((a->override >= 0) != (a->generator != NULL) || (a->override >= 0 && a->minimise)) {
        return lull_error_new(LULL_ERR_INVALID, "--override and --generator go together, and not "
                                                "with --minimise");
    }
    const bool stops = a->until.text != NULL || a->until.regs != NULL || a->after >= 0;
    if (stops && (a->how.device != NULL || a->minimise || a->stomp.registers != NULL)) {
        return lull_error_new(LULL_ERR_INVALID, "--until, --after and --regs are of the model, and "
                                                "not with --minimise or --stomp");
    }
    if (a->until.text != NULL && a->after >= 0) {
        return lull_error_new(LULL_ERR_INVALID, "--until or --after, not both");
    }
    if (a->minimise && (a->check || a->looks.ndumps != 0)) {
        return lull_error_new(LULL_ERR_INVALID, "--minimise takes no --check and no --dump");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args *a = calloc(1, sizeof *a);
    if (a == NULL) {
        return &lull_enomem;
    }
    a->last = INT64_MAX;
    a->override = a->after = -1;
    a->how.timeout_ms = TIMEOUT_MS;
    a->how.stomp = &a->stomp;
    struct lull_error *err = lull_opt_parse(form, a, argc, argv);
    err = err != NULL ? err : together(a);
    if (err == NULL) {
        err = a->minimise ? minimise(a) : replay(a, status);
    }
    free(a);
    return err;
}

static const struct lull_form form = {
    .about = "replay puts the buffers of a capture where they were, with what was in them, submits "
             "its command streams again, and says how each submit ended. CAPTURE is of debugfs "
             "(rd, hangrd) with rd_full, or of Turnip (FD_RD_DUMP=full); plain, gzip or zstd.",
    .groups = groups,
    .run = run,
};

const struct lull_command lull_cli_replay = {
    .name = "replay",
    .help = "submit an rd capture again, on a model of its GPU or a real one",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status 1: a submit hung or a page was not there, or --check found something; "
             "124: the time was over.\n"
             "\n"
             "  lull replay capture.rd.gz",
};

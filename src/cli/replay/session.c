// SPDX-License-Identifier: MIT
#include "cli/replay/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adreno/crash/crash.h"
#include "file/stream.h"
#include "hw/adreno_chip.h"
#include "vdrm/msm/vdrm.h"

enum { NS_PER_MS = 1000000, PART = 1 << 16, DUMPS = 256, MOST_LOG = 1 << 16 };

static const char render_node[] = "/dev/dri/renderD128";
const char *const lull_replay_results[] = {"done", "fault", "hang", "stopped"};

void lull_replay_outcome_done(struct lull_replay_outcome *o)
{
    lull_str_free(&o->log);
    free(o->place);
    free(o->waits);
    free(o->faulted);
    *o = (struct lull_replay_outcome){0};
}

/** Generation of the GPU that captured @p s; 0: it does not say. */
static unsigned gen_of(const struct lull_rp_submit *s)
{
    return s->chip_id != 0 ? lull_adreno_gen(s->chip_id) : (unsigned)(s->gpu_id / 100);
}

LULL_MUST_USE static struct lull_error *no_model(const struct lull_rp_submit *s)
{
    struct lull_str of = {0};
    if (s->chip_id != 0) {
        lull_str_addf(&of, "chip id 0x%" PRIx64, s->chip_id);
    } else {
        lull_str_addf(&of, "GPU id %" PRIu64, s->gpu_id);
    }
    struct lull_error *err =
        s->chip_id == 0 && s->gpu_id == 0
            ? lull_error_new(LULL_ERR_UNSUPPORTED,
                             "the capture does not name its GPU: name a model with --gpu, a630, "
                             "a660 or a740")
            : lull_error_new(LULL_ERR_UNSUPPORTED,
                             "lull has models of a630, a660 and a740, the capture is of %s%s",
                             lull_str_text(&of),
                             gen_of(s) == 6 || gen_of(s) == 7
                                 ? ": --gpu replays it on one of them all the same"
                                 : "");
    lull_str_free(&of);
    return err;
}

LULL_MUST_USE static struct lull_error *choose(struct lull_replay *r,
                                               const struct lull_rp_submit *s)
{
    r->chip =
        r->how.gpu != NULL ? lull_vdm_chip(r->how.gpu) : lull_vdm_chip_of(s->chip_id, s->gpu_id);
    if (r->chip == NULL) {
        return no_model(s);
    }
    if (gen_of(s) != 0 && gen_of(s) != r->chip->gen) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the capture is of an a%uxx: an %s has other registers and packets",
                              gen_of(s), r->chip->name);
    }
    return NULL;
}

struct lull_error *lull_replay_gen(const struct lull_replay_how *how,
                                   const struct lull_rp_submit *first, unsigned *ret)
{
    struct lull_replay r = {.how = *how};
    struct lull_error *err = how->device == NULL ? choose(&r, first) : NULL;
    if (err == NULL) {
        *ret = r.chip != NULL ? r.chip->gen : gen_of(first);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *virtual(struct lull_replay *r,
                                                const struct lull_rp_submit *s)
{
    uint64_t lowest = UINT64_MAX;
    struct lull_error *err = choose(r, s);
    for (size_t i = 0; i < s->nbuffers; i++) {
        lowest = s->buffers[i].address < lowest ? s->buffers[i].address : lowest;
    }
    if (err != NULL) {
        return err;
    }
    const struct lull_vdm_options o = {.chip = r->chip,
                                       .seed = r->how.seed,
                                       .poll_cycles = r->how.poll_cycles,
                                       .low_addresses = lowest < r->chip->va_start};
    r->check.adreno = true;
    err = lull_vdm_new(&o, &r->k);
    if (err == NULL && r->how.stomp != NULL) {
        err = lull_stomp_apply(r->how.stomp, r->chip->name, r->k);
    }
    return err != NULL ? err : lull_check_start(&r->check, r->k);
}

struct lull_error *lull_replay_open(struct lull_replay *r, const struct lull_rp_submit *first)
{
    struct lull_error *err = r->how.device != NULL ? lull_kernel_real(&r->k) : virtual(r, first);
    if (err != NULL) {
        return err;
    }
    r->log = lull_driver_log_open(r->k);
    r->log_open = true;
    if (r->how.device != NULL) { // what was there before is nobody's
        while (lull_driver_log_next(&r->log) != NULL) {
        }
    }
    err =
        lull_rp_device_open(r->k, r->how.device != NULL ? r->how.device : render_node, &r->device);
    const unsigned gen = r->chip != NULL ? r->chip->gen : gen_of(first);
    err = err != NULL || r->until == NULL ? err : lull_replay_until_open(r->until, r->k, gen);
    return err != NULL ? err : lull_rp_walk_new(gen, &r->walk);
}

void lull_replay_close(struct lull_replay *r)
{
    lull_rp_walk_free(r->walk);
    lull_rp_device_close(r->device);
    if (r->until != NULL) { // behind the device: what stands is killed, not run
        lull_replay_until_done(r->until);
    }
    if (r->log_open) {
        lull_driver_log_close(&r->log);
    }
    if (r->k != NULL) {
        r->k->destroy(r->k);
    }
    lull_check_done(&r->check);
    *r = (struct lull_replay){0};
}

static void read_log(struct lull_replay *r, struct lull_replay_outcome *o)
{
    const char *line = NULL;
    while ((line = lull_driver_log_next(&r->log)) != NULL) {
        o->faults += strstr(line, "*** gpu fault") != NULL;
        if (o->log.size < MOST_LOG) {
            lull_str_addf(&o->log, "%s", line);
        }
    }
}

static char *taken(char **fact)
{
    char *text = *fact;
    *fact = NULL;
    if (text != NULL && text[0] == '\0') {
        free(text);
        return NULL;
    }
    return text;
}

/** What a crash dump says. Damaged or none: nothing. */
static void read_facts(const struct lull_str *dump, struct lull_replay_outcome *o)
{
    char *facts[LULL_CRASH_NFACTS] = {NULL};
    struct lull_stream *s = NULL;
    struct lull_error *err = lull_stream_of(dump->text, dump->size, &s);
    err = err != NULL ? err : lull_crash_facts(s, 0, 0, facts);
    lull_error_free(err);
    o->place = taken(&facts[LULL_CRASH_LOCATION]);
    o->waits = taken(&facts[LULL_CRASH_WAITS]);
    o->faulted = taken(&facts[LULL_CRASH_FAULTED]);
    lull_crash_facts_free(facts);
    lull_stream_free(s);
}

/** The kernel keeps the first dump until somebody writes to it. */
static void read_dump(struct lull_replay *r, struct lull_replay_outcome *o)
{
    char path[64] = "", part[PART];
    struct lull_str dump = {0};
    int fd = -1;
    for (unsigned i = r->dumps + 1; fd < 0 && i < r->dumps + DUMPS; i++) {
        (void)snprintf(path, sizeof path, "/sys/class/devcoredump/devcd%u/data", i);
        fd = r->k->open(r->k, path, O_RDWR);
        r->dumps = fd >= 0 ? i : r->dumps;
    }
    if (fd < 0) {
        return;
    }
    ssize_t n = 0;
    while ((n = r->k->pread(r->k, fd, part, sizeof part, dump.size)) > 0) {
        lull_str_add(&dump, part, (size_t)n);
    }
    (void)r->k->pwrite(r->k, fd, "1", 1, 0);
    r->k->close(r->k, fd);
    if (dump.err == NULL && dump.size != 0) {
        read_facts(&dump, o);
    }
    lull_str_free(&dump);
}

/** Crumbs that `lull crumbs add` has put into @p s. */
static void read_crumbs(const struct lull_replay *r, const struct lull_rp_submit *s,
                        struct lull_replay_outcome *o)
{
    for (size_t i = 0; i < s->nbuffers && !o->has_crumbs; i++) {
        uint64_t size = 0;
        const struct lull_rp_buffer *b = &s->buffers[i];
        const uint8_t *now =
            b->held != 0 ? lull_rp_device_memory(r->device, b->address, &size) : NULL;
        o->has_crumbs =
            now != NULL && lull_crumbs_left(now, size < b->held ? size : b->held, &o->crumb);
    }
}

struct lull_error *lull_replay_submit(struct lull_replay *r, const struct lull_rp_submit *s,
                                      struct lull_replay_outcome *ret)
{
    struct lull_replay_outcome o = {0};
    bool done = false, hang = false;
    struct lull_error *err = lull_rp_missing(r->walk, s);
    err = err != NULL ? err : lull_rp_device_place(r->device, s);
    err = err != NULL || r->until == NULL ? err : lull_replay_until_begin(r->until, s);
    err = err != NULL
              ? err
              : lull_rp_device_run(r->device, s, r->how.timeout_ms * NS_PER_MS, &done, &hang);
    err = err != NULL || r->until == NULL ? err : lull_replay_until_look(r->until, s);
    if (err != NULL) {
        return err;
    }
    const bool came = r->until != NULL && r->until->came;
    read_log(r, &o);
    o.over = !done && !hang && !came;
    o.result = came            ? LULL_REPLAY_STOPPED
               : hang || !done ? LULL_REPLAY_HANG
               : o.faults != 0 ? LULL_REPLAY_FAULT
                               : LULL_REPLAY_DONE;
    if (o.result != LULL_REPLAY_DONE && !came) {
        read_dump(r, &o);
    }
    read_crumbs(r, s, &o);
    *ret = o;
    return NULL;
}

struct lull_error *lull_replay_temp_new(struct lull_replay_temp *t)
{
    const char *dir = getenv("TMPDIR");
    (void)snprintf(t->dir, sizeof t->dir, "%s/lull-replay-XXXXXX", dir != NULL ? dir : "/tmp");
    if (mkdtemp(t->dir) == NULL) {
        return lull_error_os(errno, "%s", t->dir);
    }
    (void)snprintf(t->file, sizeof t->file, "%s/capture.rd", t->dir);
    return NULL;
}

void lull_replay_temp_done(struct lull_replay_temp *t)
{
    (void)unlink(t->file);
    (void)rmdir(t->dir);
}

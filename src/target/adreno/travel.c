// SPDX-License-Identifier: MIT
// Time travel in a dispatch or draw of a program on the virtual Adreno: its model remembers, and
// executes again (lull_time, drm/msm/debug_abi.h).
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "target/adreno/program_priv.h"
#include "target/found.h"

enum { WAVE = 0xff, HALF_SHIFT = 8 }; // lull_msm_place()

LULL_MUST_USE static struct lull_error *operate(struct program *p, uint32_t op, uint64_t value)
{
    const struct lull_msm_time_op o = {.op = op, .value = value};
    size_t n = 0;
    return lull_msm_debugfs_write(&p->files, LULL_MSM_FILE_TIME, 0, &o, sizeof o, &n);
}

LULL_MUST_USE static struct lull_error *state(struct program *p, struct lull_msm_time_state *ret)
{
    size_t n = 0;
    return lull_msm_debugfs_read(&p->files, LULL_MSM_FILE_TIME, 0, ret, sizeof *ret, &n);
}

/* What was to go does not, and it is known that waves stand, or that a dispatch is held. */
static void stands(struct program *p)
{
    struct lull_msm_time_state s = {0};
    struct lull_error *err = state(p, &s);
    p->go = p->step = p->upper = 0;
    p->held_told = err == NULL && s.held != 0;
    p->told = !p->held_told;
    lull_error_free(err);
}

struct lull_error *lull_adreno_remember(struct lull_target *t, uint64_t bytes, bool writers)
{
    struct program *p = lull_adreno_program(t);
    (void)writers; // Never asked for: there is no wrote().
    p->record_bytes = bytes;
    return operate(p, LULL_MSM_REMEMBER, bytes);
}

struct lull_error *lull_adreno_travelled(struct lull_target *t, struct lull_travel *ret)
{
    struct lull_msm_time_state s = {0};
    struct lull_error *err = state(lull_adreno_program(t), &s);
    *ret = (struct lull_travel){.on = err == NULL && s.on != 0,
                                .ended = s.ended != 0,
                                .held = s.held != 0,
                                .first = s.first,
                                .now = s.now,
                                .last = s.last,
                                .marks = s.marks,
                                .bytes = s.bytes};
    return err;
}

LULL_MUST_USE static struct lull_error *travel(struct lull_target *t, enum lull_msm_time how,
                                               uint64_t time)
{
    struct program *p = lull_adreno_program(t);
    struct lull_error *err = operate(p, how, time);
    stands(p);
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) {
        lull_error_free(err);
        return lull_error_new(LULL_ERR_NOT_FOUND, "nothing is remembered of that time");
    }
    return err;
}

struct lull_error *lull_adreno_travel(struct lull_target *t, uint64_t time)
{
    return travel(t, LULL_MSM_TRAVEL, time);
}

struct lull_error *lull_adreno_travel_again(struct lull_target *t, uint64_t time)
{
    return travel(t, LULL_MSM_TRAVEL_AGAIN, time);
}

LULL_MUST_USE static struct lull_error *search_of(const struct lull_search *what, uint64_t until,
                                                  struct lull_msm_search *ret)
{
    const bool any = what->hw_id1 == UINT32_MAX || (!what->wave && !what->has_wave);
    ret->until = until;
    ret->all = what->wave;
    ret->wave = any ? UINT32_MAX : what->hw_id1 & WAVE;
    ret->half = any ? 0 : what->hw_id1 >> HALF_SHIFT;
    ret->ncodes = what->ncodes;
    ret->nranges = what->nranges;
    memcpy(ret->workgroup, what->workgroup, sizeof ret->workgroup);
    memcpy(ret->codes, what->codes, what->ncodes * sizeof what->codes[0]);
    for (unsigned i = 0; i < what->nranges; i++) {
        const struct lull_search_range *r = &what->ranges[i];
        enum lull_msm_bank bank = LULL_MSM_FULL;
        unsigned number = 0;
        if (r->registers && !lull_adreno_bank((unsigned)r->va, &bank, &number)) {
            return lull_error_new(LULL_ERR_NOT_FOUND, "an Adreno's wave has no such register");
        }
        ret->ranges[i].address = r->registers ? number : r->va;
        ret->ranges[i].size = r->size;
        ret->ranges[i].memory = r->registers ? LULL_MSM_IN_REGISTERS
                                : r->lds     ? LULL_MSM_IN_LOCAL
                                : r->scratch ? LULL_MSM_IN_PRIVATE
                                             : LULL_MSM_IN_GLOBAL;
        ret->ranges[i].loads = r->loads;
        ret->ranges[i].bank = bank;
        memcpy(ret->ranges[i].workgroup, r->workgroup, sizeof r->workgroup);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_records(void *ctx, uint64_t first,
                                                     struct lull_time_record *ret, size_t n,
                                                     size_t *ret_n)
{
    struct program *p = ctx;
    size_t bytes = 0;
    struct lull_error *err = lull_msm_debugfs_read(&p->files, LULL_MSM_FILE_TIME,
                                                   LULL_TIME_TRACE_AT + first * sizeof *ret, ret,
                                                   n * sizeof *ret, &bytes);
    *ret_n = bytes / sizeof *ret;
    return err;
}

struct lull_error *lull_adreno_search(struct lull_target *t, const struct lull_search *what,
                                      uint64_t until, struct lull_found_list *ret)
{
    struct program *p = lull_adreno_program(t);
    struct lull_msm_search *s = calloc(1, sizeof *s);
    struct lull_msm_time_state now = {0};
    size_t n = 0;
    ret->n = 0;
    ret->from = until;
    struct lull_error *err = s != NULL ? search_of(what, until, s) : &lull_enomem;
    err = err != NULL ? err
                      : lull_msm_debugfs_write(&p->files, LULL_MSM_FILE_TIME, 0, s, sizeof *s, &n);
    free(s);
    stands(p);
    err = err != NULL ? err : state(p, &now);
    err = err != NULL ? err : lull_found_last(read_records, p, now.found, UINT64_MAX, ret);
    if (err == NULL) {
        ret->from = now.found > ret->n && ret->n != 0 ? ret->all[0].time : now.from;
    }
    return err;
}

struct lull_error *lull_adreno_executed(struct lull_target *t, lull_wave_key wave, uint64_t *ret)
{
    struct lull_msm_wave all[LULL_MSM_MAX_WAVES];
    size_t bytes = 0;
    struct lull_error *err = lull_msm_debugfs_read(&lull_adreno_program(t)->files,
                                                   LULL_MSM_FILE_WAVES, 0, all, sizeof all, &bytes);
    *ret = 0;
    for (size_t i = 0; err == NULL && i < bytes / sizeof all[0]; i++) {
        *ret = all[i].number == lull_adreno_number(wave) ? all[i].ninsns : *ret;
    }
    return err;
}

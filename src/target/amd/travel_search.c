// SPDX-License-Identifier: MIT
// Looking back: from the mark before on all is executed again, and what is looked for is kept.
#include <string.h>

#include "base/error.h"
#include "target/amd/debug_priv.h"
#include "target/found.h"

/** As the GPU has it: bits 63:48 are like bit 47. */
static uint64_t canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

static struct lull_time_trace trace_of(const struct lull_amd_target *t,
                                       const struct lull_search *what)
{
    struct lull_time_trace r = {
        .vmid = t->vmid,
        .wave = what->wave       ? 1
                : what->has_wave ? 2
                                 : 0,
        .place = what->hw_id1,
        .ncodes = what->ncodes < LULL_TRACE_NCODES ? what->ncodes : LULL_TRACE_NCODES,
        .nranges = what->nranges < LULL_TRACE_NRANGES ? what->nranges : LULL_TRACE_NRANGES,
    };
    memcpy(r.workgroup, what->workgroup, sizeof r.workgroup);
    memcpy(r.codes, what->codes, sizeof r.codes);
    for (unsigned i = 0; i < r.nranges; i++) {
        const bool memory =
            !what->ranges[i].lds && !what->ranges[i].registers && !what->ranges[i].scratch;
        r.ranges[i].address = memory ? canonical(what->ranges[i].va) : what->ranges[i].va;
        r.ranges[i].bytes = what->ranges[i].size;
        r.ranges[i].scratch = what->ranges[i].scratch;
        r.ranges[i].registers = what->ranges[i].registers;
        r.ranges[i].local = what->ranges[i].lds;
        r.ranges[i].loads = what->ranges[i].loads;
        memcpy(r.ranges[i].workgroup, what->ranges[i].workgroup, sizeof r.ranges[i].workgroup);
    }
    return r;
}

LULL_MUST_USE static struct lull_error *read_records(void *ctx, uint64_t first,
                                                     struct lull_time_record *ret, size_t n,
                                                     size_t *ret_n)
{
    struct lull_amd_target *t = ctx;
    return lull_debugfs_time_records(&t->debugfs, first, ret, n, ret_n);
}

struct lull_error *lull_amd_search(struct lull_target *base, const struct lull_search *what,
                                   uint64_t until, struct lull_found_list *ret)
{
    struct lull_amd_target *t = (struct lull_amd_target *)base;
    const struct lull_time_trace trace = trace_of(t, what);
    const struct lull_amd_mark *m = until != 0 ? lull_amd_mark_before(t, until - 1) : NULL;
    struct lull_time_state s = {0};
    ret->n = 0;
    ret->from = until;
    if (!t->travel.on || m == NULL) {
        return NULL;
    }
    const uint64_t from = m->time;
    struct lull_error *err = lull_amd_travel_from(t, m, until, &trace);
    err = err != NULL ? err : lull_debugfs_time_state(&t->debugfs, &s);
    err = err != NULL ? err : lull_found_last(read_records, t, s.traced, LULL_TRACE_RECORDS, ret);
    struct lull_error *off = lull_debugfs_time(&t->debugfs, LULL_TIME_NO_TRACE, t->vmid, 0);
    if (err != NULL) {
        lull_error_free(off);
        return err;
    }
    ret->from = ret->n != 0 && s.traced > ret->n ? ret->all[0].time : from;
    return off;
}

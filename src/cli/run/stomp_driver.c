// SPDX-License-Identifier: MIT
// Source of the variables: Mesa 25.0.7, vulkan/tu_device.cc and docs/drivers/freedreno.rst.
//
// Ranges of which nothing but one range or its outside can be asked for: first the range that fails
// is made smaller from its end, then from its beginning. What is left begins and ends with a
// register that is needed. Those between are told by garbage everywhere but in a part of them.
#include "cli/run/stomp_driver.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/opt/command.h"

enum { TEXT = 128, MOST = 64 };

struct span {
    uint32_t first, last;
};

LULL_MUST_USE static struct lull_error *test(struct lull_stomp_find *f, struct span s, bool inverse,
                                             bool *ret_fails)
{
    static const char *const at[] = {"cmdbuf", "renderpass", "cmdbuf,renderpass"};
    char range[TEXT] = "", flags[TEXT] = "", text[2 * TEXT] = "";
    enum lull_bisect_end how = LULL_BISECT_SKIPS;
    (void)snprintf(range, sizeof range, "0x%08x,0x%08x", s.first, s.last);
    (void)snprintf(flags, sizeof flags, "%s%s", at[f->at], inverse ? ",inverse" : "");
    (void)snprintf(text, sizeof text, "%s0x%04x to 0x%04x", inverse ? "all but " : "", s.first,
                   s.last);
    if (setenv("TU_DEBUG_STALE_REGS_RANGE", range, 1) != 0 ||
        setenv("TU_DEBUG_STALE_REGS_FLAGS", flags, 1) != 0) {
        return &lull_enomem;
    }
    struct lull_error *err = f->b.interrupted ? NULL : lull_bisect_try(&f->b, text, &how);
    *ret_fails = how == LULL_BISECT_FAILS;
    return err;
}

/** The smallest part of @p s that fails, from either side. */
LULL_MUST_USE static struct lull_error *shrink(struct lull_stomp_find *f, struct span *s)
{
    struct lull_error *err = NULL;
    bool fails = false;
    for (uint32_t low = s->first; err == NULL && !f->b.interrupted && low < s->last;) {
        const uint32_t mid = low + (s->last - low) / 2;
        err = test(f, (struct span){s->first, mid}, false, &fails);
        *(fails ? &s->last : &low) = fails ? mid : mid + 1;
    }
    for (uint32_t high = s->last; err == NULL && !f->b.interrupted && s->first < high;) {
        const uint32_t mid = s->first + (high - s->first + 1) / 2;
        err = test(f, (struct span){mid, s->last}, false, &fails);
        *(fails ? &s->first : &high) = fails ? mid : mid - 1;
    }
    return err;
}

static void found(struct lull_stomp_find *f, uint32_t reg)
{
    if (f->b.nset < MOST) {
        f->b.set[f->b.nset++] = f->b.nflags;
        lull_stomp_find_add(f, reg);
    }
}

/** Registers in @p s without which nothing fails. */
LULL_MUST_USE static struct lull_error *between(struct lull_stomp_find *f, struct span s)
{
    struct span todo[MOST] = {s};
    struct lull_error *err = NULL;
    for (unsigned n = s.first <= s.last; err == NULL && n != 0 && !f->b.interrupted;) {
        const struct span one = todo[--n];
        bool fails = false;
        err = test(f, one, true, &fails);
        if (err != NULL || fails || f->b.interrupted) {
            continue;
        }
        const uint32_t mid = one.first + (one.last - one.first) / 2;
        if (one.first == one.last) {
            found(f, one.first);
        } else { // the lower half is next
            todo[n++] = (struct span){mid + 1, one.last};
            todo[n++] = (struct span){one.first, mid};
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *search(struct lull_stomp_find *f, struct span s)
{
    bool fails = false;
    struct lull_error *err = test(f, s, false, &fails);
    if (err != NULL || !fails) {
        return err;
    }
    err = shrink(f, &s);
    if (err == NULL && !f->b.interrupted) {
        found(f, s.first);
    }
    // What fails without this range says nothing of what is needed in it.
    bool others = s.last - s.first < 2;
    if (err == NULL && !others) {
        err = test(f, s, true, &others);
    }
    if (err == NULL && !others) {
        err = between(f, (struct span){s.first + 1, s.last - 1});
    }
    if (err == NULL && s.first != s.last && !f->b.interrupted) {
        found(f, s.last);
    }
    return err;
}

struct lull_error *lull_stomp_driver(struct lull_stomp_find *f, int *status)
{
    struct span s = {0};
    enum lull_bisect_end how = LULL_BISECT_SKIPS;
    struct lull_error *err = lull_stomp_find_range(f, &s.first, &s.last);
    err = err != NULL ? err : lull_stomp_find_room(f, MOST);
    f->b.set = calloc(MOST, sizeof *f->b.set);
    if (err != NULL || f->b.set == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    f->b.runs = f->b.runs == 0 ? 1 : f->b.runs;
    (void)unsetenv("TU_DEBUG_STALE_REGS_RANGE");
    err = lull_bisect_try(&f->b, "with no garbage", &how);
    if (err == NULL && !f->b.interrupted && how != LULL_BISECT_PASSES) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             how == LULL_BISECT_FAILS
                                 ? "the program fails with no garbage, too"
                                 : "the program ends with status 125 (cannot be told)");
    }
    err = err != NULL || f->b.interrupted ? err : search(f, s);
    if (err != NULL || f->b.interrupted) {
        *status = f->b.interrupted ? LULL_EXIT_INTERRUPTED : *status;
        return err;
    }
    *status = f->b.nset != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    return lull_stomp_find_say(f);
}

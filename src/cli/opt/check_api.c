// SPDX-License-Identifier: MIT
#include "cli/opt/check_api.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "check/bounds/reach.h"
#include "check/lint/lint.h"
#include "check/race/across.h"
#include "check/uninit/never.h"
#include "cli/opt/check_drawn.h"
#include "cli/opt/check_lint.h"
#include "cli/opt/check_modules.h"
#include "cli/opt/check_moved.h"
#include "cli/opt/check_order.h"
#include "cli/opt/check_shared.h"
#include "drm/amdgpu/debugfs.h"
#include "drm/msm/debugfs.h"
#include "image/names.h"

enum { PAGE = 256, PARTIAL_SHIFT = 16, MAX_CODE_BYTES = 1 << 20, GPU_PAGE = 4096 };

/** A dispatch of the GPU, and what the program knows of it. */
struct known {
    uint64_t launch, code;
    uint32_t pid;
    struct lull_names_hw hw;
    struct lull_names *names;                 // NULL: its process has none.
    const struct lull_names_dispatch *record; // NULL: the driver's own, or not known;
    bool own;                                 // it is the driver's own.
};

struct process {
    uint32_t pid;
    struct lull_names *names;
};

struct lull_check_api {
    struct known *all;
    size_t n, room;
    struct process *processes;
    size_t nprocesses;
    struct lull_check_drawn_list drawn;
};

/** The next one, which is zero; NULL: no memory. */
static struct known *add(struct lull_check_api *a)
{
    if (a->n == a->room) {
        const size_t room = 2 * a->room + PAGE;
        struct known *more = realloc(a->all, room * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        a->all = more;
        a->room = room;
    }
    struct known *k = &a->all[a->n++];
    *k = (struct known){0};
    return k;
}

static bool add_amd(struct lull_check_api *a, const struct lull_dispatch_record *r)
{
    struct known *k = r->state != LULL_DISPATCH_LOST ? add(a) : NULL;
    if (k != NULL) {
        *k = (struct known){.launch = r->number, .code = r->code, .pid = r->pid};
        k->hw.ring = r->ring;
        k->hw.code = r->code;
    }
    for (unsigned i = 0; k != NULL && i < 3; i++) {
        k->hw.grid[i] = r->grid[i] + r->start[i];
        k->hw.block[i] = r->block[i] & ((1u << PARTIAL_SHIFT) - 1);
    }
    return k != NULL || r->state == LULL_DISPATCH_LOST;
}

static bool add_adreno(struct lull_check_api *a, const struct lull_msm_dispatch *r)
{
    struct known *k = r->phase != LULL_MSM_LOST ? add(a) : NULL;
    if (k != NULL) {
        *k = (struct known){.launch = r->number, .code = r->code, .pid = r->pid};
        k->hw.code = r->code;
        memcpy(k->hw.grid, r->groups, sizeof k->hw.grid);
        memcpy(k->hw.block, r->local, sizeof k->hw.block);
    }
    return k != NULL || r->phase == LULL_MSM_LOST;
}

/** Dispatches that the driver remembers. */
LULL_MUST_USE static struct lull_error *read_amd(struct lull_check_api *a, struct lull_kernel *k)
{
    struct lull_debugfs d = {0};
    struct lull_dispatch_record *records = calloc(PAGE, sizeof *records);
    struct lull_error *err = records == NULL ? &lull_enomem : NULL;
    lull_debugfs_init(&d, k, 0);
    uint64_t next = 0;
    for (size_t n = PAGE; err == NULL && n == PAGE; next += n) {
        err = lull_debugfs_dispatches(&d, next, records, PAGE, &n);
        for (size_t i = 0; err == NULL && i < n; i++) {
            err = add_amd(a, &records[i]) ? NULL : &lull_enomem;
        }
    }
    lull_debugfs_done(&d);
    free(records);
    return err;
}

LULL_MUST_USE static struct lull_error *read_adreno(struct lull_check_api *a, struct lull_kernel *k)
{
    struct lull_msm_debugfs d = {0};
    struct lull_msm_dispatch *records = calloc(PAGE, sizeof *records);
    struct lull_error *err = records == NULL ? &lull_enomem : NULL;
    lull_msm_debugfs_init(&d, k, 0);
    size_t got = PAGE * sizeof *records;
    for (uint64_t at = 0; err == NULL && got == PAGE * sizeof *records; at += got) {
        err = lull_msm_debugfs_read(&d, LULL_MSM_FILE_DISPATCHES, at, records,
                                    PAGE * sizeof *records, &got);
        for (size_t i = 0; err == NULL && i < got / sizeof *records; i++) {
            err = add_adreno(a, &records[i]) ? NULL : &lull_enomem;
        }
    }
    lull_msm_debugfs_done(&d);
    free(records);
    return err;
}

/** The dispatches of process @p pid, in their order, against what the layer wrote of it. */
LULL_MUST_USE static struct lull_error *match(struct lull_check_api *a, const char *dir,
                                              uint32_t pid)
{
    struct process *more = realloc(a->processes, (a->nprocesses + 1) * sizeof *more);
    struct lull_names_hw *hw = calloc(a->n + 1, sizeof *hw);
    struct lull_names_matched *matched = calloc(a->n + 1, sizeof *matched);
    struct lull_names *names = NULL;
    size_t n = 0;
    a->processes = more != NULL ? more : a->processes;
    struct lull_error *err = more == NULL || hw == NULL || matched == NULL
                                 ? &lull_enomem
                                 : lull_names_open(dir, pid, &names);
    if (err == NULL) {
        a->processes[a->nprocesses++] = (struct process){.pid = pid, .names = names};
        err = lull_names_update(names);
    }
    for (size_t i = 0; err == NULL && i < a->n; i++) {
        if (a->all[i].pid == pid) {
            hw[n++] = a->all[i].hw;
        }
    }
    err = err != NULL ? err : lull_names_match(names, hw, n, matched);
    bool sure = true;
    for (size_t i = 0; i < n; i++) {
        sure = sure && (matched[i].record == NULL || matched[i].sure);
    }
    n = 0;
    for (size_t i = 0; err == NULL && i < a->n; i++) {
        if (a->all[i].pid == pid) {
            a->all[i].names = names;
            a->all[i].record = matched[n].sure ? matched[n].record : NULL;
            a->all[i].own = sure && matched[n].record == NULL;
            n++;
        }
    }
    free(hw);
    free(matched);
    return err;
}

/** The process is known already. */
static bool is_process(const struct lull_check_api *a, uint32_t pid)
{
    bool there = false;
    for (size_t k = 0; k < a->nprocesses; k++) {
        there = there || a->processes[k].pid == pid;
    }
    return there;
}

LULL_MUST_USE static struct lull_error *match_all(struct lull_check_api *a, const char *dir)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < a->n; i++) {
        err = is_process(a, a->all[i].pid) ? NULL : match(a, dir, a->all[i].pid);
    }
    for (size_t i = 0; err == NULL && i < a->drawn.n; i++) {
        const uint32_t pid = a->drawn.at[i].pid;
        err = is_process(a, pid) ? NULL : match(a, dir, pid);
    }
    for (size_t i = 0; err == NULL && i < a->nprocesses; i++) {
        err = lull_check_drawn_match(&a->drawn, a->processes[i].pid, a->processes[i].names);
    }
    return err;
}

/** NULL: not known. Numbers of dispatches are in order. */
static const struct known *known_of(const struct lull_check_api *a, uint64_t launch)
{
    size_t low = 0, high = a->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (a->all[mid].launch < launch) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < a->n && a->all[low].launch == launch ? &a->all[low] : NULL;
}

/** Where a transfer is that comes behind launches below @p launches of process @p pid: number of
 * the dispatch behind it. False: it is not known. */
static bool gap_of(const struct lull_check_api *a, uint32_t pid, uint64_t launches, uint64_t *ret)
{
    const struct lull_names_dispatch *before = NULL, *behind = NULL;
    for (size_t i = 0; i < a->n; i++) {
        if (a->all[i].pid == pid && a->all[i].record != NULL) {
            before = a->all[i].launch < launches ? a->all[i].record : before;
            behind = behind == NULL && a->all[i].launch >= launches ? a->all[i].record : behind;
        }
    }
    *ret = before != NULL ? before->number + 1 : 0;
    return behind == NULL || behind->number == *ret;
}

/** A dispatch and a transfer. */
static void judge_moved(struct lull_checks *c, const struct lull_check_api *a,
                        const struct lull_across *across, const struct lull_across_pair *p)
{
    const unsigned side = (p->launches[0] & LULL_ACROSS_TRANSFER) != 0 ? 0 : 1;
    const struct known *k = known_of(a, p->launches[1 - side]);
    struct lull_check_moved m = {.pair = p,
                                 .side = side,
                                 .t = &across->moved[p->launches[side] & ~LULL_ACROSS_TRANSFER].t,
                                 .names = k != NULL ? k->names : NULL,
                                 .d = k != NULL ? k->record : NULL};
    if (m.d != NULL && gap_of(a, k->pid, m.t->launches, &m.number)) {
        lull_check_moved_judge(c, &m);
    }
}

/** A dispatch, and one of the driver's own, by which it may fill or copy a buffer. */
static void judge_own(struct lull_checks *c, const struct lull_check_api *a,
                      const struct lull_across_pair *p, const struct known *first,
                      const struct known *then)
{
    static const uint32_t block[] = {64, 1, 1};
    const unsigned side = first->own ? 0 : 1;
    const struct known *own = side == 0 ? first : then, *k = side == 0 ? then : first;
    struct lull_check_moved m = {
        .pair = p, .groups = own->hw.grid[0], .side = side, .names = k->names, .d = k->record};
    if (own->own && k->record != NULL && own->pid == k->pid && own->hw.grid[1] == 1 &&
        own->hw.grid[2] == 1 && memcmp(own->hw.block, block, sizeof block) == 0 &&
        gap_of(a, own->pid, own->launch, &m.number)) {
        lull_check_moved_judge(c, &m);
    }
}

/** Where the workgroups of @p d are; 0: not known. */
static uint64_t grid_of(const struct lull_names *n, const struct lull_names_dispatch *d)
{
    uint64_t place = 0;
    for (size_t i = 0; i < lull_names_nobjects(n); i++) {
        const struct lull_names_object *o = lull_names_object_at(n, i);
        if (o->kind == LULL_NAMES_BUFFER && o->handle == d->buffer && o->place != 0) {
            place = o->place + d->offset; // The last of that handle.
        }
    }
    return place;
}

/** The workgroups of @p k, whose grid is at @p grid, were stored by a transfer, or by a dispatch of
 * the driver's: @p by, or NULL. @return whether that is told. */
static bool judge_grid_moved(struct lull_checks *c, const struct lull_check_api *a,
                             const struct lull_across *across, const struct known *k,
                             const struct known *by, uint64_t grid)
{
    const struct lull_across_moved *moved = lull_across_moved_to(across, grid, k->launch);
    struct lull_check_moved m = {.t = by == NULL && moved != NULL ? &moved->t : NULL,
                                 .groups = by != NULL ? by->hw.grid[0] : 0,
                                 .names = k->names,
                                 .d = k->record};
    return (by != NULL ? by->launch < k->launch : moved != NULL) &&
           gap_of(a, k->pid, by != NULL ? by->launch : moved->t.launches, &m.number) &&
           lull_check_moved_grid(c, &m, k->launch, grid);
}

/** The workgroups of @p k, which is indirect: was any stored that nothing is between? */
static void judge_grid(struct lull_checks *c, const struct lull_check_api *a,
                       const struct lull_across *across, const struct known *k)
{
    enum { AXES = 3, DWORD = 4 };
    const uint64_t grid = grid_of(k->names, k->record);
    for (unsigned i = 0; grid != 0 && i < AXES; i++) {
        const uint64_t address = grid + DWORD * (uint64_t)i;
        struct lull_check_site site = {.there = false};
        uint32_t space = 0;
        const bool stored = lull_across_stored(across, address, &space, &site);
        const struct known *by = stored ? known_of(a, site.launch) : NULL;
        if ((!stored || (by != NULL && by->own)) &&
            judge_grid_moved(c, a, across, k, by, address)) {
            free(site.does);
            return;
        }
        const bool before = by != NULL && by->record != NULL && by->names == k->names &&
                            by->record->number < k->record->number;
        const enum lull_names_order order =
            before ? lull_names_order_grid(k->names, by->record, k->record, address)
                   : LULL_NAMES_ORDERED;
        if (order != LULL_NAMES_ORDERED) {
            lull_check_order_grid(c, k->names, order, space, &site, k->launch, address);
            return;
        }
        free(site.does);
    }
}

/** The buffer that has all of @p size bytes at @p address; @p near: whose end or beginning is
 * nearest to it. NULL: none. Freed ones count: they may have been there. */
static const struct lull_names_object *buffer_of(const struct lull_names *n, uint64_t address,
                                                 uint64_t size,
                                                 const struct lull_names_object **near)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < lull_names_nobjects(n); i++) {
        const struct lull_names_object *o = lull_names_object_at(n, i);
        if (o->kind != LULL_NAMES_BUFFER || o->address == 0) {
            continue;
        }
        const uint64_t end = o->address + o->size;
        if (address >= o->address && address + size <= end) {
            return o;
        }
        const uint64_t far = address < o->address ? o->address - address
                             : address >= end     ? address - end
                                                  : 0;
        if (far < least) {
            least = far;
            *near = o;
        }
    }
    return NULL;
}

/** Two dispatches that nothing orders, and what of: each pair of their instructions is one of it.
 */
struct unordered {
    const struct known *first, *then;
    enum lull_names_order order;
    enum lull_across_kind kind;
    uint64_t memory; // Where the buffer begins; 0: not known, as of images.
    const struct lull_across_pair *pair;
    const struct lull_across_end *end; // Of the pair's: this byte.
    uint64_t count, more;              // Times; further pairs.
};

struct unordered_list {
    struct unordered *at;
    size_t n, room;
};

static bool is_same(const struct unordered *a, const struct unordered *b)
{
    return a->first->code == b->first->code && a->then->code == b->then->code &&
           a->pair->space == b->pair->space && a->order == b->order && a->kind == b->kind &&
           a->memory == b->memory;
}

static void add_unordered(struct lull_checks *c, struct unordered_list *l,
                          const struct unordered *u)
{
    for (size_t i = 0; i < l->n; i++) {
        if (is_same(&l->at[i], u)) {
            l->at[i].count += u->count;
            l->at[i].more += l->at[i].pair->sites[0].pc != u->pair->sites[0].pc ||
                             l->at[i].pair->sites[1].pc != u->pair->sites[1].pc;
            return;
        }
    }
    if (l->n == l->room) {
        const size_t room = 2 * l->room + PAGE;
        struct unordered *more = reallocarray(l->at, room, sizeof *more);
        if (more == NULL) {
            lull_checks_lose(c);
            return;
        }
        l->at = more;
        l->room = room;
    }
    l->at[l->n++] = *u;
}

/** Records of two, the first in front of the other. */
struct two {
    const struct lull_names *names;
    const struct lull_names_dispatch *a, *b;
};

static enum lull_names_order order_of_two(const void *of, const struct lull_names_access *what)
{
    const struct two *t = of;
    return lull_names_order(t->names, t->a, t->b, what);
}

static void judge_pair(struct lull_checks *c, const struct lull_check_api *a,
                       const struct lull_across_pair *p, struct unordered_list *l)
{
    const struct known *first = known_of(a, p->launches[0]), *then = known_of(a, p->launches[1]);
    if (first != NULL && then != NULL && first->own != then->own) {
        judge_own(c, a, p, first, then);
        return;
    }
    if (first == NULL || then == NULL || first->record == NULL || then->record == NULL ||
        first->names != then->names || first->record == then->record) {
        return;
    }
    const bool turned = first->record->number > then->record->number;
    const struct two two = {first->names, turned ? then->record : first->record,
                            turned ? first->record : then->record};
    struct unordered u = {
        .first = first, .then = then, .kind = p->kind, .pair = p, .count = p->count};
    u.order = lull_check_order_of(p, order_of_two, &two, &u.end);
    if (u.order == LULL_NAMES_ORDERED) {
        return;
    }
    const struct lull_check_touched *t = &p->sites[1].touched;
    const struct lull_names_object *near = NULL,
                                   *o = buffer_of(first->names, u.end->address, 1, &near);
    u.memory = o != NULL ? o->address : t->first ? t->base : 0;
    add_unordered(c, l, &u);
}

static void tell_unordered(struct lull_checks *c, const struct unordered *u)
{
    const struct lull_across_pair *p = u->pair;
    struct lull_check_site sites[2] = {lull_check_moved_copy(&p->sites[0]),
                                       lull_check_moved_copy(&p->sites[1])};
    lull_check_order_move(sites, p, u->end);
    struct lull_finding *f =
        lull_checks_late(c, "race", lull_check_order_kind(u->order), p->space, sites, u->count);
    if (f != NULL && f->note == NULL) {
        char *what =
            u->order == LULL_NAMES_LOW
                ? lull_check_order_low(u->first->names, u->first->record, u->then->record)
                : lull_check_order_expected(u->first->names, u->order, p->kind, u->end->address);
        f->note = u->more == 0 || what == NULL
                      ? what
                      : lull_check_text("%s; so for %" PRIu64 " more pair%s of their instructions",
                                        what, u->more, u->more == 1 ? "" : "s");
        if (f->note != what) {
            free(what);
        }
    }
}

/** Is there anything else at byte @p offset of @p memory: a buffer whose address nobody asked for,
 * an image? */
static bool others_in(const struct lull_names *n, uint64_t memory, uint64_t offset)
{
    for (size_t i = 0; i < lull_names_nobjects(n); i++) {
        const struct lull_names_object *o = lull_names_object_at(n, i);
        const bool here = o->memory == memory && o->kind != LULL_NAMES_MEMORY;
        if (here && (o->kind == LULL_NAMES_IMAGE ||
                     (o->address == 0 && offset >= o->offset && offset - o->offset < o->size))) {
            return true;
        }
    }
    return false;
}

/** Is @p address in memory that the program allocated, as far as its buffers' addresses tell? Its
 * last page is all its own. What the driver loads for itself is elsewhere. */
static bool in_memory(const struct lull_names *n, uint64_t address)
{
    for (size_t i = 0; i < lull_names_nobjects(n); i++) {
        const struct lull_names_object *o = lull_names_object_at(n, i);
        if (o->kind != LULL_NAMES_BUFFER || o->address == 0 || o->memory == 0 ||
            o->address - o->offset > address) {
            continue;
        }
        const uint64_t offset = address - (o->address - o->offset);
        for (size_t k = 0; k < lull_names_nobjects(n); k++) {
            const struct lull_names_object *m = lull_names_object_at(n, k);
            if (m->kind == LULL_NAMES_MEMORY && m->handle == o->memory &&
                offset < (m->size + GPU_PAGE - 1) / GPU_PAGE * GPU_PAGE) {
                return !others_in(n, o->memory, offset);
            }
        }
    }
    return false;
}

/** May the program have addresses that its calls do not tell: of acceleration structures? */
static bool has_others(const struct lull_names *n)
{
    for (size_t i = 0; i < lull_names_nobjects(n); i++) {
        const struct lull_names_object *o = lull_names_object_at(n, i);
        if (o->kind == LULL_NAMES_BUFFER &&
            (o->usage & VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR) != 0) {
            return true;
        }
    }
    return false;
}

static char *reach_text(const struct lull_reach_end *e, const struct lull_names_object *near)
{
    static const char *const does[] = {[LULL_TOUCH_LOAD] = "loads",
                                       [LULL_TOUCH_STORE] = "stores",
                                       [LULL_TOUCH_ATOMIC] = "atomically changes"};
    struct lull_str s = {0};
    lull_str_addf(&s, "%s %u byte%s ", does[e->kind], e->bytes, e->bytes == 1 ? "" : "s");
    if (e->address >= near->address) {
        lull_str_addf(&s, "at byte %" PRIu64 " of", e->address - near->address);
    } else {
        lull_str_addf(&s, "%" PRIu64 " bytes in front of", near->address - e->address);
    }
    lull_str_addf(&s, " %s%s%sat 0x%" PRIx64 ", which has %" PRIu64 " bytes",
                  near->name[0] != '\0' ? "\"" : "the buffer ", near->name,
                  near->name[0] != '\0' ? "\" " : "", near->address, near->size);
    char *text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

/** An end of what was accessed in a page: is it in a buffer whose address the program knows? */
static void judge_end(struct lull_checks *c, const struct lull_check_api *a, uint32_t space,
                      const struct lull_reach_end *e, uint64_t byte)
{
    const struct known *of = known_of(a, e->launch);
    const struct lull_names_object *near = NULL;
    if (of == NULL || of->record == NULL || buffer_of(of->names, byte, 1, &near) != NULL ||
        near == NULL || has_others(of->names) || (e->site.whole && !in_memory(of->names, byte))) {
        return;
    }
    struct lull_check_site sites[2] = {e->site, {0}};
    const char *insn = lull_check_insn(c, space, e->site.pc);
    sites[0].insn = insn != NULL ? strdup(insn) : NULL;
    sites[0].does = reach_text(e, near);
    struct lull_finding *f =
        lull_checks_late(c, "bounds", "an address is outside of all buffers", space, sites, 1);
    if (f != NULL && f->count == 1) {
        f->note = lull_check_text("no buffer whose address the program has asked for "
                                  "(vkGetBufferDeviceAddress) is there");
    }
}

static void judge_side(struct lull_checks *c, const struct lull_check_api *a, uint32_t space,
                       const struct lull_reach_side *s)
{
    if (s->high != 0) {
        judge_end(c, a, space, &s->first, s->low);
    }
    if (s->high > s->low + 1) {
        judge_end(c, a, space, &s->last, s->high - 1);
    }
}

/** Memory that nothing wrote, if the program reads it: drivers copy it. */
static void judge_never(struct lull_checks *c, const struct lull_check_api *a,
                        const struct lull_never_found *v)
{
    const struct known *of = known_of(a, v->launch);
    if (of == NULL || of->record == NULL) {
        return;
    }
    struct lull_check_site sites[2] = {lull_check_moved_copy(&v->sites[0]),
                                       lull_check_moved_copy(&v->sites[1])};
    struct lull_finding *f = lull_checks_late(c, "uninit", v->what, v->space, sites, v->count);
    if (f != NULL) {
        f->warning = true;
        f->note = f->note != NULL
                      ? f->note
                      : lull_check_text("vkAllocateMemory does not clear memory, though "
                                        "most drivers give zeros");
    }
}

/** Accesses that hardware defines are no mistakes where the program asked for that. */
static void judge_robust(struct lull_checks *c, const struct lull_check_api *a)
{
    bool robust = a->nprocesses != 0;
    for (size_t i = 0; i < a->nprocesses; i++) {
        robust = robust && lull_names_robust(a->processes[i].names);
    }
    if (robust) {
        lull_checks_warn(c, "bounds", "range of a descriptor",
                         "the program enabled robustBufferAccess, which defines it: here stores "
                         "are dropped, loads give 0");
        lull_checks_warn(c, "index", "in a buffer",
                         "the program enabled robustBufferAccess, by which an access of a buffer "
                         "stays in it");
    }
}

struct lull_error *lull_check_api_read(struct lull_kernel *k, const char *dir, bool adreno,
                                       struct lull_check_api **ret)
{
    struct lull_check_api *a = calloc(1, sizeof *a);
    struct lull_error *err = a == NULL ? &lull_enomem : adreno ? read_adreno(a, k) : read_amd(a, k);
    *ret = a;
    err = err != NULL ? err : lull_check_drawn_read(k, adreno, &a->drawn);
    return err != NULL ? err : match_all(a, dir);
}

void lull_check_api_dispatch(const struct lull_check_api *a, uint64_t launch,
                             struct lull_names **ret_names, const struct lull_names_dispatch **ret)
{
    const struct known *k = known_of(a, launch);
    *ret_names = k != NULL ? k->names : NULL;
    *ret = k != NULL ? k->record : NULL;
}

void lull_check_api_draw(const struct lull_check_api *a, uint64_t draw,
                         struct lull_names **ret_names, const struct lull_names_dispatch **ret)
{
    const struct lull_check_drawn *d = lull_check_drawn_at(&a->drawn, draw);
    *ret_names = d != NULL ? d->names : NULL;
    *ret = d != NULL ? d->record : NULL;
}

void lull_check_api_judge(struct lull_checks *c, const struct lull_check_api *a,
                          const struct lull_check_objects *what)
{
    const struct lull_across *across = what->across;
    const struct lull_lint *lint = what->lint;
    const struct lull_reach *reach = what->reach;
    struct unordered_list unordered = {0};
    for (size_t i = 0; across != NULL && i < across->npairs; i++) {
        const struct lull_across_pair *p = &across->pairs[i];
        if (((p->launches[0] | p->launches[1]) & LULL_ACROSS_TRANSFER) != 0) {
            judge_moved(c, a, across, p);
        } else {
            judge_pair(c, a, p, &unordered);
        }
    }
    for (size_t i = 0; i < unordered.n; i++) {
        tell_unordered(c, &unordered.at[i]);
    }
    free(unordered.at);
    for (size_t i = 0; across != NULL && i < a->n; i++) {
        if (a->all[i].record != NULL && a->all[i].record->indirect) {
            judge_grid(c, a, across, &a->all[i]);
        }
    }
    for (size_t i = 0; lint != NULL && i < lint->n; i++) {
        const struct known *of = known_of(a, lint->at[i]->launch);
        if (of != NULL && of->record != NULL) {
            lull_check_lint_judge(c, of->names, of->record, lint, i);
        }
    }
    for (size_t i = 0; reach != NULL && i < reach->room; i++) {
        const struct lull_reach_page *p = reach->pages[i];
        if (p != NULL) {
            judge_side(c, a, p->space, &p->lanes);
            judge_side(c, a, p->space, &p->scalar);
        }
    }
    for (size_t i = 0; reach != NULL && i < reach->nlocals; i++) {
        const struct lull_reach_local *l = &reach->locals[i];
        const struct known *of = known_of(a, l->last.launch);
        if (of != NULL && of->record != NULL && l->last.bytes != 0) {
            lull_check_shared_judge(c, of->names, of->record, l);
        }
    }
    for (size_t i = 0; what->never != NULL && i < what->never->n; i++) {
        judge_never(c, a, &what->never->found[i]);
    }
    judge_robust(c, a);
    if (reach != NULL && reach->lost) {
        lull_checks_lose(c);
    }
}

/** What the program calls it, or the file that its source came from; "" if there is none. */
static const char *name_of(const struct known *k, const struct lull_names_pipeline *p)
{
    if (p->name[0] != '\0' || p->shader == NULL) {
        return p->name;
    }
    if (p->shader->name[0] != '\0') {
        return p->shader->name;
    }
    const struct lull_spirv *spirv = lull_names_spirv(k->names, p->shader);
    for (size_t i = 0; spirv != NULL && i < spirv->nsources; i++) {
        const char *file = spirv->sources[i].file, *slash = strrchr(file, '/');
        if (file[0] != '\0') {
            return slash != NULL ? slash + 1 : file;
        }
    }
    return "";
}

void lull_check_api_place(const struct lull_check_api *a, uint64_t pc, struct lull_str *to)
{
    const struct known *best = NULL;
    for (size_t i = 0; a != NULL && i < a->n; i++) {
        const struct known *k = &a->all[i];
        if (k->code <= pc && pc - k->code < MAX_CODE_BYTES &&
            (best == NULL || k->code > best->code ||
             (k->code == best->code && best->record == NULL))) {
            best = k;
        }
    }
    const struct lull_names_pipeline *p =
        best != NULL && best->record != NULL ? best->record->pipeline : NULL;
    if (p == NULL) {
        return;
    }
    const char *name = name_of(best, p);
    const char *quote = name[0] != '\0' ? "\"" : "";
    lull_str_addf(to, "%s%s%s%s%s+0x%" PRIx64, p->entry, name[0] != '\0' ? " of " : "", quote, name,
                  quote, pc - best->code);
}

void lull_check_api_free(struct lull_check_api *a)
{
    for (size_t i = 0; a != NULL && i < a->nprocesses; i++) {
        lull_names_free(a->processes[i].names);
    }
    if (a != NULL) {
        lull_check_drawn_done(&a->drawn);
        free(a->processes);
        free(a->all);
    }
    free(a);
}

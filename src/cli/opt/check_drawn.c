// SPDX-License-Identifier: MIT
#include "cli/opt/check_drawn.h"

#include <stdlib.h>
#include <string.h>

#include "drm/amdgpu/debugfs.h"
#include "drm/msm/debugfs.h"
#include "hw/adreno_pkts.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"

enum { PAGE = 64 };

/** Which came before, of which @p d is a part; itself: none. */
static size_t whole_of(const struct lull_check_drawn_list *l, const struct lull_check_drawn *d)
{
    for (size_t i = l->n; i-- > 0;) {
        const struct lull_check_drawn *e = &l->at[i];
        if (e->pid != d->pid || e->packet != d->packet) {
            continue;
        }
        if (d->part != 0 && e->part + 1 == d->part) {
            return e->of; // The next draw of its packet.
        }
        if (e->part == d->part && d->tiled && e->tiled) { // Back in the first tile: anew.
            return memcmp(l->at[e->of].window, d->window, sizeof d->window) == 0 ? l->n : e->of;
        }
        if (e->part == d->part) {
            return l->n;
        }
    }
    return l->n;
}

static bool add(struct lull_check_drawn_list *l, const struct lull_check_drawn *d)
{
    if (l->n == l->room) {
        const size_t room = 2 * l->room + PAGE;
        struct lull_check_drawn *more = realloc(l->at, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        l->at = more;
        l->room = room;
    }
    const size_t of = whole_of(l, d);
    l->at[l->n] = *d;
    l->at[l->n++].of = of;
    return true;
}

/** Rectangles are the driver's own: no record fits them. */
static void never_fits(struct lull_names_hw *hw)
{
    for (unsigned i = 0; i < 3; i++) {
        hw->grid[i] = UINT32_MAX;
    }
}

/** A number that is the same for the same code. */
static uint64_t with_code(uint64_t code, uint64_t address)
{
    return (code << 21 | code >> 43) ^ address;
}

static bool add_amd(struct lull_check_drawn_list *l, const struct lull_draw_record *r)
{
    const uint32_t type = r->uconfig[(LULL_DRAW11_VGT_PRIMITIVE_TYPE - LULL_DRAW_UCONFIG_AT) / 4];
    struct lull_check_drawn d = {
        .number = r->number, .packet = r->packet, .pid = r->pid, .part = r->part};
    for (unsigned i = 0; i < LULL_DRAW_STAGES; i++) {
        d.hw.code = with_code(d.hw.code, r->code[i]);
    }
    d.hw.grid[0] = r->count;
    d.hw.grid[1] = r->instances;
    d.hw.grid[2] = r->index_bytes != 0 ? 2 : 1;
    if ((r->grid[0] | r->grid[1] | r->grid[2]) != 0) {
        memcpy(d.hw.grid, r->grid, sizeof d.hw.grid);
    }
    if (lull_get(type, LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE_MASK) ==
        LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__RECTLIST) {
        never_fits(&d.hw);
    }
    return add(l, &d);
}

static bool add_adreno(struct lull_check_drawn_list *l, const struct lull_msm_draw *r)
{
    struct lull_check_drawn d = {.number = r->number,
                                 .packet = r->packet,
                                 .pid = r->pid,
                                 .part = r->part,
                                 .tiled = r->tiled != 0};
    memcpy(d.window, r->window, sizeof d.window);
    d.hw.code = with_code(r->stage[LULL_MSM_VS].code, r->stage[LULL_MSM_FS].code);
    d.hw.grid[0] = r->vertices;
    d.hw.grid[1] = r->instances;
    d.hw.grid[2] = r->index_bytes != 0 ? 2 : 1;
    if (r->prim == LULL_DI_PT_RECTLIST) {
        never_fits(&d.hw);
    }
    return add(l, &d);
}

LULL_MUST_USE static struct lull_error *read_amd(struct lull_kernel *k,
                                                 struct lull_check_drawn_list *l)
{
    struct lull_debugfs files = {0};
    struct lull_draw_record *records = calloc(PAGE, sizeof *records);
    struct lull_error *err = records == NULL ? &lull_enomem : NULL;
    bool lost = false;
    lull_debugfs_init(&files, k, 0);
    uint64_t next = 0;
    for (size_t n = PAGE; err == NULL && n == PAGE && !lost; next += n) {
        err = lull_debugfs_draws(&files, next, records, PAGE, &n);
        for (size_t i = 0; err == NULL && i < n && !lost; i++) {
            lost = records[i].state == LULL_DISPATCH_LOST;
            err = lost || add_amd(l, &records[i]) ? NULL : &lull_enomem;
        }
    }
    l->n = lost ? 0 : l->n;
    lull_debugfs_done(&files);
    free(records);
    return err;
}

LULL_MUST_USE static struct lull_error *read_adreno(struct lull_kernel *k,
                                                    struct lull_check_drawn_list *l)
{
    struct lull_msm_debugfs files = {0};
    struct lull_msm_draw *records = calloc(PAGE, sizeof *records);
    struct lull_error *err = records == NULL ? &lull_enomem : NULL;
    bool lost = false;
    lull_msm_debugfs_init(&files, k, 0);
    size_t got = PAGE * sizeof *records;
    for (uint64_t at = 0; err == NULL && got == PAGE * sizeof *records && !lost; at += got) {
        err = lull_msm_debugfs_read(&files, LULL_MSM_FILE_DRAWS, at, records,
                                    PAGE * sizeof *records, &got);
        for (size_t i = 0; err == NULL && i < got / sizeof *records && !lost; i++) {
            lost = records[i].phase == LULL_MSM_LOST;
            err = lost || add_adreno(l, &records[i]) ? NULL : &lull_enomem;
        }
    }
    l->n = lost ? 0 : l->n;
    lull_msm_debugfs_done(&files);
    free(records);
    return err;
}

struct lull_error *lull_check_drawn_read(struct lull_kernel *k, bool adreno,
                                         struct lull_check_drawn_list *ret)
{
    return adreno ? read_adreno(k, ret) : read_amd(k, ret);
}

/** Its shaders are read now: their files go with the run. */
static void read_shaders(struct lull_names *names, const struct lull_names_dispatch *d)
{
    const struct lull_names_pipeline *p = d != NULL ? d->pipeline : NULL;
    for (size_t i = 0; p != NULL && i < p->nstages; i++) {
        if (p->stages[i].shader != NULL) {
            (void)lull_names_spirv(names, p->stages[i].shader);
        }
    }
}

struct lull_error *lull_check_drawn_match(struct lull_check_drawn_list *l, uint32_t pid,
                                          struct lull_names *names)
{
    struct lull_names_hw *hw = calloc(l->n + 1, sizeof *hw);
    struct lull_names_matched *matched = calloc(l->n + 1, sizeof *matched);
    size_t n = 0;
    for (size_t i = 0; hw != NULL && i < l->n; i++) {
        if (l->at[i].pid == pid && l->at[i].of == i) {
            hw[n++] = l->at[i].hw;
        }
    }
    struct lull_error *err = hw == NULL || matched == NULL
                                 ? &lull_enomem
                                 : lull_names_match_draws(names, hw, n, matched);
    n = 0;
    for (size_t i = 0; err == NULL && i < l->n; i++) {
        struct lull_check_drawn *d = &l->at[i];
        if (d->pid == pid) {
            d->names = names;
            d->record = d->of != i        ? l->at[d->of].record
                        : matched[n].sure ? matched[n].record
                                          : NULL;
            n += d->of == i;
            read_shaders(names, d->record);
        }
    }
    free(hw);
    free(matched);
    return err;
}

const struct lull_check_drawn *lull_check_drawn_at(const struct lull_check_drawn_list *l,
                                                   uint64_t number)
{
    const bool there = l->n != 0 && number >= l->at[0].number && number - l->at[0].number < l->n;
    return there ? &l->at[number - l->at[0].number] : NULL;
}

void lull_check_drawn_done(struct lull_check_drawn_list *l)
{
    free(l->at);
    *l = (struct lull_check_drawn_list){0};
}

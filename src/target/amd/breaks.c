// SPDX-License-Identifier: MIT
#include "target/amd/breaks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "hw/pte11_regs.h"
#include "isa/rdna/rdna.h"
#include "target/amd/debug_priv.h"
#include "target/amd/trap_layout.h"

enum {
    PAGE = 4096,
};

static const uint64_t VA_MASK = UINT64_C(0xffffffffffff);

static uint64_t canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

static void put32(uint8_t *at, unsigned offset, uint32_t v)
{
    *(volatile uint32_t *)(void *)(at + offset) = v;
}

/** The bytes at @p va as the program has them; as many as can be read into @p ret_size. */
static void look(struct lull_amd_target *t, uint64_t va, uint32_t code[LULL_AMD_BREAK_DWORDS],
                 size_t *ret_size)
{
    const size_t size = LULL_AMD_BREAK_DWORDS * sizeof *code;
    const size_t in_page = PAGE - va % PAGE;
    memset(code, 0, size);
    *ret_size = size;
    struct lull_error *err = lull_amd_read(&t->base, va, code, size);
    if (err != NULL && in_page < size) {
        lull_error_free(err);
        *ret_size = in_page;
        err = lull_amd_read(&t->base, va, code, in_page);
    }
    *ret_size = err != NULL ? 0 : *ret_size;
    lull_error_free(err);
}

static bool is_executable(struct lull_amd_target *t, uint64_t va)
{
    struct lull_walk walk = {0};
    struct lull_error *err = lull_amd_walk(&t->base, va, &walk);
    const bool good = err == NULL && walk.mapped && walk.nsteps != 0 &&
                      (walk.steps[walk.nsteps - 1].entry & LULL_PTE11_PTE__EXECUTABLE_MASK) != 0;
    lull_error_free(err);
    return good;
}

/** Put @p p into code if that can be; it is on the list. */
LULL_MUST_USE static struct lull_error *put(struct lull_amd_target *t,
                                            struct lull_amd_break_place *p)
{
    struct lull_amd_breaks *b = &t->breaks;
    struct lull_amd_break now = {.va = p->is.va};
    struct lull_rdna_insn in = {0};
    size_t readable = 0;
    if (b->by_step || p->is.va % 4 != 0 || !is_executable(t, p->is.va)) {
        return NULL;
    }
    look(t, p->is.va, now.code, &readable);
    const int size = lull_rdna_decode_lax(now.code, readable, &in);
    if (size <= 0 || (p->is.size != 0 && memcmp(now.code, p->is.code, p->is.size) != 0)) {
        return NULL;
    }
    now.size = (uint8_t)size;
    p->is = now;
    const uint32_t trap = lull_amd_trap_word(LULL_TRAP_ID_BREAK);
    if (!lull_amd_block_fill(b, &now)) {
        return NULL;
    }
    struct lull_error *err = lull_amd_write_as_is(t, p->is.va, &trap, sizeof trap);
    p->in_code = err == NULL;
    b->new_code = true;
    return err;
}

/** Take @p p out of code. Waves that come to it by an old copy of the code do not stop. */
LULL_MUST_USE static struct lull_error *take(struct lull_amd_target *t,
                                             struct lull_amd_break_place *p)
{
    uint32_t now = 0;
    if (!p->in_code) {
        return NULL;
    }
    p->in_code = false;
    lull_amd_block_rest(&t->breaks, p->is.va);
    struct lull_error *err = lull_amd_read_as_is(t, p->is.va, &now, sizeof now);
    if (err != NULL) { // Memory that is gone holds no breakpoint.
        lull_error_free(err);
        return NULL;
    }
    t->breaks.new_code = true;
    return now == lull_amd_trap_word(LULL_TRAP_ID_BREAK)
               ? lull_amd_write_as_is(t, p->is.va, p->is.code, sizeof now)
               : NULL;
}

/** Is it still where it was put? Programs write code anew. */
LULL_MUST_USE static struct lull_error *refresh(struct lull_amd_target *t,
                                                struct lull_amd_break_place *p)
{
    uint32_t now = 0;
    struct lull_error *err = NULL;
    if (p->in_code) {
        err = lull_amd_read_as_is(t, p->is.va, &now, sizeof now);
        if (err == NULL && now == lull_amd_trap_word(LULL_TRAP_ID_BREAK) && !t->breaks.by_step) {
            return NULL;
        }
        lull_error_free(err);
        err = take(t, p);
    }
    return err != NULL ? err : put(t, p);
}

LULL_MUST_USE static struct lull_error *new_place(struct lull_amd_breaks *b,
                                                  const struct lull_amd_break *is,
                                                  struct lull_amd_break_place **ret)
{
    if (b->n == b->room) {
        const size_t room = b->room == 0 ? 16 : 2 * b->room;
        struct lull_amd_break_place *all = reallocarray(b->all, room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        b->all = all;
        b->room = room;
    }
    b->all[b->n] = (struct lull_amd_break_place){.is = *is};
    b->all[b->n].is.va = canonical(is->va);
    *ret = &b->all[b->n++];
    return NULL;
}

static struct lull_amd_break_place *place_at(const struct lull_amd_breaks *b, uint64_t va)
{
    for (size_t i = 0; i < b->n; i++) {
        if (((b->all[i].is.va ^ va) & VA_MASK) == 0) {
            return &b->all[i];
        }
    }
    return NULL;
}

/** Those that @p wanted does not have. */
LULL_MUST_USE static struct lull_error *remove_others(struct lull_amd_target *t,
                                                      const struct lull_amd_break *wanted, size_t n)
{
    struct lull_amd_breaks *b = &t->breaks;
    struct lull_error *err = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < b->n; i++) {
        bool stays = false;
        for (size_t k = 0; k < n && !stays; k++) {
            stays = ((wanted[k].va ^ b->all[i].is.va) & VA_MASK) == 0;
        }
        if (!stays) {
            struct lull_error *one = take(t, &b->all[i]);
            lull_error_free(err == NULL ? NULL : one);
            err = err == NULL ? one : err;
        } else {
            b->all[kept++] = b->all[i];
        }
    }
    b->n = kept;
    return err;
}

/** What the kernel is to put back if this process dies. */
static void write_changed(const struct lull_amd_breaks *b)
{
    struct lull_guard_words *w = b->changed->map;
    uint32_t n = 0;
    w->n = 0;
    for (size_t i = 0; i < b->n && n < LULL_GUARD_WORDS; i++) {
        if (b->all[i].in_code) {
            w->all[n].address = b->all[i].is.va;
            w->all[n].is = lull_amd_trap_word(LULL_TRAP_ID_BREAK);
            w->all[n++].was = b->all[i].is.code[0];
        }
    }
    w->n = n;
}

/** New waves pass the handler first if a flag is for them. */
LULL_MUST_USE static struct lull_error *trap_on_start(struct lull_amd_target *t)
{
    const uint32_t of_start = 1u << LULL_TRAP_FLAG_STEP_BIT | 1u << LULL_TRAP_FLAG_START_BIT |
                              1u << LULL_TRAP_FLAG_EXCP_BIT;
    const struct lull_reg_bank bank = {.srbm = true, .vmid = t->vmid};
    uint32_t cntl = 0;
    struct lull_error *err =
        lull_debugfs_read_regs(&t->debugfs, &bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL, &cntl, 1);
    cntl = lull_set(cntl, LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_ON_START_MASK,
                    (t->flags & of_start) != 0);
    return err != NULL ? err
                       : lull_debugfs_write_regs(&t->debugfs, &bank,
                                                 LULL_GC11_SPI_GDBG_PER_VMID_CNTL, &cntl, 1);
}

struct lull_error *lull_amd_set_flag(struct lull_amd_target *t, unsigned bit, bool on)
{
    const uint32_t flags = (t->flags & ~(1u << bit)) | (uint32_t)on << bit;
    const bool other = flags != t->flags;
    t->flags = flags;
    put32(t->control->map, LULL_TRAP_CTL_FLAGS, flags);
    return other && t->installed && t->arms ? trap_on_start(t) : NULL;
}

/** The list for the handler, and whether it looks through it. */
LULL_MUST_USE static struct lull_error *write_list(struct lull_amd_target *t)
{
    struct lull_amd_breaks *b = &t->breaks;
    uint8_t *c = t->control->map;
    uint32_t n = 0;
    b->nlist = 0;
    for (size_t i = 0; i < b->n; i++) {
        b->nlist += !b->all[i].in_code;
    }
    if (b->nlist > LULL_TRAP_MAX_BREAK) {
        return lull_error_new(LULL_ERR_INVALID,
                              "%zu breakpoints that cannot stand in code; the trap handler looks "
                              "at %d",
                              b->nlist, LULL_TRAP_MAX_BREAK);
    }
    for (size_t i = 0; i < b->n; i++) {
        if (!b->all[i].in_code) {
            put32(c, LULL_TRAP_CTL_BREAK + 8 * n, (uint32_t)b->all[i].is.va);
            put32(c, LULL_TRAP_CTL_BREAK + 8 * n + 4, (uint32_t)(b->all[i].is.va >> 32) & 0xffff);
            n++;
        }
    }
    put32(c, LULL_TRAP_CTL_NBREAK, n);
    write_changed(b);
    return lull_amd_set_flag(t, LULL_TRAP_FLAG_STEP_BIT, n != 0);
}

struct lull_error *lull_amd_breaks_set(struct lull_amd_target *t, struct lull_amd_break *wanted,
                                       size_t n)
{
    struct lull_error *err = remove_others(t, wanted, n);
    for (size_t i = 0; err == NULL && i < n; i++) {
        struct lull_amd_break_place *p = place_at(&t->breaks, wanted[i].va);
        err = p == NULL ? new_place(&t->breaks, &wanted[i], &p) : NULL;
        if (err == NULL && p != NULL) {
            err = refresh(t, p);
            wanted[i] = wanted[i].size == 0 ? p->is : wanted[i];
        }
    }
    return err != NULL ? err : write_list(t);
}

struct lull_error *lull_amd_set_breakpoints(struct lull_target *base, const uint64_t *vas, size_t n)
{
    struct lull_amd_break *wanted = calloc(n + 1, sizeof *wanted);
    if (wanted == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        wanted[i].va = vas[i];
    }
    struct lull_error *err = lull_amd_breaks_set((struct lull_amd_target *)base, wanted, n);
    lull_amd_breaks_test((struct lull_amd_target *)base, NULL, 0);
    free(wanted);
    return err;
}

struct lull_error *lull_amd_breaks_again(struct lull_amd_target *t)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < t->breaks.n; i++) {
        err = refresh(t, &t->breaks.all[i]);
    }
    return err != NULL ? err : write_list(t);
}

struct lull_error *lull_amd_break_in_code(struct lull_target *base, bool on)
{
    struct lull_amd_target *t = (struct lull_amd_target *)base;
    t->breaks.by_step = !on;
    return lull_amd_breaks_again(t);
}

/** Bytes of @p p's s_trap within @p size bytes at @p va; 0: none. */
static size_t overlap(const struct lull_amd_break_place *p, unsigned bytes, uint64_t va,
                      size_t size, uint64_t *ret_first)
{
    const uint64_t first = p->is.va > va ? p->is.va : va;
    const uint64_t end = p->is.va + bytes < va + size ? p->is.va + bytes : va + size;
    *ret_first = first;
    return p->in_code && first < end ? (size_t)(end - first) : 0;
}

struct lull_error *lull_amd_read(struct lull_target *base, uint64_t va, void *buf, size_t size)
{
    const struct lull_amd_breaks *b = &((struct lull_amd_target *)base)->breaks;
    struct lull_error *err = lull_amd_read_as_is((struct lull_amd_target *)base, va, buf, size);
    const uint32_t trap = lull_amd_trap_word(LULL_TRAP_ID_BREAK);
    for (size_t i = 0; err == NULL && i < b->n; i++) {
        uint64_t first = 0;
        const size_t n = overlap(&b->all[i], sizeof trap, va, size, &first);
        const size_t skip = n != 0 ? (size_t)(first - b->all[i].is.va) : 0;
        uint8_t *at = (uint8_t *)buf + (n != 0 ? first - va : 0);
        if (n != 0 && memcmp(at, (const uint8_t *)&trap + skip, n) == 0) {
            memcpy(at, (const uint8_t *)b->all[i].is.code + skip, n);
        }
    }
    return err;
}

struct lull_error *lull_amd_write(struct lull_target *base, uint64_t va, const void *buf,
                                  size_t size)
{
    struct lull_amd_target *t = (struct lull_amd_target *)base;
    struct lull_error *err = NULL;
    bool any = false;
    t->travel.touched = true;
    for (size_t i = 0; err == NULL && i < t->breaks.n; i++) {
        struct lull_amd_break_place *p = &t->breaks.all[i];
        uint64_t first = 0;
        if (overlap(p, p->is.size, va, size, &first) != 0) {
            err = take(t, p);
            p->is.size = 0; // What is written now is what is meant.
            any = true;
        }
    }
    err = err != NULL ? err : lull_amd_write_as_is(t, va, buf, size);
    return err == NULL && any ? lull_amd_breaks_again(t) : err;
}

struct lull_error *lull_amd_breaks_make(struct lull_amd_target *t)
{
    struct lull_amd_breaks *b = &t->breaks;
    const uint64_t size = (uint64_t)LULL_TRAP_BLOCKS * LULL_TRAP_BLOCK_SIZE;
    struct lull_error *err =
        lull_amd_bo_new(t->d, "breakpoints", size, LULL_AMD_BO_EXEC, &b->blocks);
    err = err != NULL ? err
                      : lull_amd_bo_new(t->d, "changed code", sizeof(struct lull_guard_words),
                                        LULL_AMD_BO_GTT, &b->changed);
    if (err == NULL) {
        uint8_t *c = t->control->map;
        put32(c, LULL_TRAP_CTL_BLOCKS, (uint32_t)b->blocks->va);
        put32(c, LULL_TRAP_CTL_BLOCKS + 4, (uint32_t)(b->blocks->va >> 32));
        put32(c, LULL_TRAP_CTL_MASK, (uint32_t)size - LULL_TRAP_BLOCK_SIZE);
        err = lull_amd_tests_make(t);
    }
    return err;
}

void lull_amd_breaks_done(struct lull_amd_breaks *b)
{
    free(b->all);
    *b = (struct lull_amd_breaks){0};
}

// SPDX-License-Identifier: MIT
// Kernarg segment, user SGPRs and dispatch of an amdhsa kernel.
//
// Sources: LLVM AMDGPUUsage "Kernarg Segment", "Initial Kernel Execution State", "Code Object V5
// Metadata" (hidden arguments); HSA Platform System Architecture 1.2, 2.9.6 (dispatch packet).
#include "target/amd/launch.h"

#include <stdio.h>
#include <string.h>

#include "hw/field.h"
#include "hw/kd11_regs.h"

enum {
    MAX_USER_SGPRS = 16,
    MAX_GROUP_ITEMS = 1024,
    MAX_LDS_BYTES = 65536,
    LOCAL_ALIGN = 16, // of dynamic LDS blocks; the largest alignment of an OpenCL type is 128
    PACKET_ALIGN = 64,
    QUEUE_BYTES = 256, // an amd_queue_t of zeros
    NO_PRINTF_BYTES = 16,
    CODE_TAIL = 256, // the instruction prefetch may read past the last instruction
    AQL_KERNEL_DISPATCH = 2,
};

/** hsa_kernel_dispatch_packet_t. */
struct aql_dispatch {
    uint16_t header, setup;
    uint16_t block[3], reserved0;
    uint32_t grid[3];
    uint32_t private_bytes, group_bytes;
    uint64_t kernel_object, kernarg, reserved1, completion_signal;
};
_Static_assert(sizeof(struct aql_dispatch) == 64, "layout of an AQL packet");

static bool is_explicit(const struct lull_arg *a)
{
    return a->kind == LULL_ARG_VALUE || a->kind == LULL_ARG_GLOBAL_BUFFER ||
           a->kind == LULL_ARG_LOCAL;
}

static size_t count_explicit(const struct lull_kernel_info *k)
{
    size_t n = 0;
    for (size_t i = 0; i < k->nargs; i++) {
        n += is_explicit(&k->args[i]);
    }
    return n;
}

LULL_NEW_ERROR static struct lull_error *misfit(const struct lull_launch *l, size_t i,
                                                const struct lull_arg *a, const char *want)
{
    const struct lull_launch_arg *given = &l->args[i];
    const char *name = a->name[0] != '\0' ? a->name : a->type_name;
    if (given->bo != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "argument %zu '%s' of %s: %s, a buffer given",
                              i + 1, name, l->kernel->name, want);
    }
    return lull_error_new(LULL_ERR_INVALID, "argument %zu '%s' of %s: %s, %u bytes given", i + 1,
                          name, l->kernel->name, want, given->size);
}

static void put(uint8_t *kernarg, const struct lull_arg *a, uint64_t value)
{
    const uint32_t n = a->size < sizeof value ? a->size : (uint32_t)sizeof value;
    memcpy(kernarg + a->offset, &value, n); // little endian, as the GPU
}

/** Argument @p i for parameter @p a. @p lds: LDS bytes handed out so far. */
LULL_MUST_USE static struct lull_error *put_explicit(const struct lull_launch *l, size_t i,
                                                     const struct lull_arg *a, uint8_t *kernarg,
                                                     uint32_t *lds)
{
    const struct lull_launch_arg *given = &l->args[i];
    if (a->kind == LULL_ARG_GLOBAL_BUFFER) {
        uint64_t va = 0;
        if (given->bo != NULL) {
            va = given->bo->va;
        } else if (given->size == sizeof va && !given->local) {
            memcpy(&va, given->bytes, sizeof va); // an address as a number
        } else {
            return misfit(l, i, a, "needs a buffer");
        }
        put(kernarg, a, va);
    } else if (a->kind == LULL_ARG_LOCAL) {
        if (given->bo != NULL || !given->local) {
            return misfit(l, i, a, "needs local memory (local:BYTES)");
        }
        uint32_t want = 0;
        memcpy(&want, given->bytes, sizeof want);
        const uint32_t gap =
            want <= MAX_LDS_BYTES && *lds + l->local_gap + LOCAL_ALIGN + want <= MAX_LDS_BYTES
                ? l->local_gap
                : 0;
        const uint32_t at = (*lds + gap + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
        if (want > MAX_LDS_BYTES || at + want > MAX_LDS_BYTES) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "argument %zu '%s' of %s: %u bytes after %u of local memory, "
                                  "there are %d",
                                  i + 1, a->name, l->kernel->name, want, at, MAX_LDS_BYTES);
        }
        put(kernarg, a, at);
        if (l->local_at != NULL) {
            l->local_at[i] = at;
        }
        *lds = at + want;
    } else {
        if (given->bo != NULL || given->local || given->size != a->size) {
            char want[48] = "";
            snprintf(want, sizeof want, "needs a value of %u bytes", a->size);
            return misfit(l, i, a, want);
        }
        memcpy(kernarg + a->offset, given->bytes, a->size);
    }
    return NULL;
}

/** Hidden argument @p a; those not known are 0. */
static void put_hidden(const struct lull_launch *l, const struct lull_arg *a, uint8_t *kernarg)
{
    const unsigned axis = a->axis < 3 ? a->axis : 2;
    switch (a->kind) {
    case LULL_ARG_HIDDEN_BLOCK_COUNT:
        put(kernarg, a, l->grid[axis] / l->block[axis]); // full groups only
        break;
    case LULL_ARG_HIDDEN_GROUP_SIZE:
        put(kernarg, a, l->block[axis]);
        break;
    case LULL_ARG_HIDDEN_REMAINDER:
        put(kernarg, a, l->grid[axis] % l->block[axis]);
        break;
    case LULL_ARG_HIDDEN_GRID_DIMS:
        put(kernarg, a, l->grid[2] > 1 ? 3 : l->grid[1] > 1 ? 2 : 1);
        break;
    case LULL_ARG_HIDDEN_PRINTF:
        put(kernarg, a, l->printf_va);
        break;
    case LULL_ARG_VALUE:
    case LULL_ARG_GLOBAL_BUFFER:
    case LULL_ARG_LOCAL:
    case LULL_ARG_HIDDEN_GLOBAL_OFFSET:
    case LULL_ARG_HIDDEN_OTHER:
        break;
    }
}

LULL_MUST_USE static struct lull_error *fill_kernarg(const struct lull_launch *l, uint8_t *kernarg,
                                                     uint32_t *lds)
{
    const struct lull_kernel_info *k = l->kernel;
    struct lull_error *err = NULL;
    size_t given = 0;
    for (size_t i = 0; err == NULL && i < k->nargs; i++) {
        const struct lull_arg *a = &k->args[i];
        if (a->offset > k->kernarg_bytes || a->size > k->kernarg_bytes - a->offset) {
            err = lull_error_new(LULL_ERR_BAD_DATA,
                                 "argument '%s' of %s: %u bytes at %u, the segment has %u", a->name,
                                 k->name, a->size, a->offset, k->kernarg_bytes);
        } else if (is_explicit(a)) {
            err = put_explicit(l, given++, a, kernarg, lds);
        } else {
            put_hidden(l, a, kernarg);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *check(const struct lull_launch *l)
{
    const struct lull_kernel_info *k = l->kernel;
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (l->grid[i] == 0 || l->block[i] == 0 || l->block[i] > MAX_GROUP_ITEMS) {
            return lull_error_new(LULL_ERR_INVALID, "grid %u,%u,%u in blocks of %u,%u,%u",
                                  l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                                  l->block[2]);
        }
        items *= l->block[i];
        if (k->reqd_block[i] != 0 && k->reqd_block[i] != l->block[i]) {
            return lull_error_new(LULL_ERR_INVALID, "%s needs blocks of %u,%u,%u", k->name,
                                  k->reqd_block[0], k->reqd_block[1], k->reqd_block[2]);
        }
    }
    if (items > MAX_GROUP_ITEMS) {
        return lull_error_new(LULL_ERR_INVALID, "block of %llu work-items: at most %d",
                              (unsigned long long)items, MAX_GROUP_ITEMS);
    }
    if (k->max_items != 0 && items > k->max_items) {
        return lull_error_new(LULL_ERR_INVALID,
                              "block of %llu work-items: %s was compiled for at most %u",
                              (unsigned long long)items, k->name, k->max_items);
    }
    const size_t want = count_explicit(k);
    if (l->nargs != want) {
        return lull_error_new(LULL_ERR_INVALID, "%s takes %zu argument%s, %zu given", k->name, want,
                              want == 1 ? "" : "s", l->nargs);
    }
    return k->kernarg_preload == 0
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "%s preloads kernel arguments: not on gfx11",
                                k->name);
}

static void push(struct lull_amd_dispatch *dis, uint64_t value, unsigned n)
{
    for (unsigned i = 0; i < n && dis->nuser_data < MAX_USER_SGPRS; i++) {
        dis->user_data[dis->nuser_data++] = i < 2 ? (uint32_t)(value >> 32 * i) : 0;
    }
}

/** User SGPRs by kernel_code_properties, in the ABI's order. @p args: kernarg, packet, queue. */
static void fill_user_sgprs(const struct lull_kernel_info *k, const uint64_t args[3],
                            struct lull_amd_dispatch *dis)
{
    const struct {
        uint32_t bit;
        unsigned n;
        uint64_t value;
    } order[] = {
        // gfx11 has architected flat scratch: no program reads these descriptors of scratch
        {LULL_KD11_KERNEL_CODE_PROPERTIES__ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER_MASK, 4, 0},
        {LULL_KD11_KERNEL_CODE_PROPERTIES__ENABLE_SGPR_DISPATCH_PTR_MASK, 2, args[1]},
        {LULL_KD11_KERNEL_CODE_PROPERTIES__ENABLE_SGPR_QUEUE_PTR_MASK, 2, args[2]},
        {LULL_KD11_KERNEL_CODE_PROPERTIES__ENABLE_SGPR_KERNARG_SEGMENT_PTR_MASK, 2, args[0]},
        {LULL_KD11_KERNEL_CODE_PROPERTIES__ENABLE_SGPR_DISPATCH_ID_MASK, 2, 0},
        {LULL_KD11_KERNEL_CODE_PROPERTIES__ENABLE_SGPR_FLAT_SCRATCH_INIT_MASK, 2, 0},
        {LULL_KD11_KERNEL_CODE_PROPERTIES__ENABLE_SGPR_PRIVATE_SEGMENT_SIZE_MASK, 1,
         k->scratch_bytes},
    };
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if ((k->properties & order[i].bit) != 0) {
            push(dis, order[i].value, order[i].n);
        }
    }
    const uint32_t count = lull_get(k->rsrc2, LULL_KD11_COMPUTE_PGM_RSRC2__USER_SGPR_COUNT_MASK);
    while (dis->nuser_data < count && dis->nuser_data < MAX_USER_SGPRS) {
        push(dis, 0, 1);
    }
}

static void fill_packet(const struct lull_launch *l, const struct lull_launched *at,
                        struct aql_dispatch *p)
{
    *p = (struct aql_dispatch){.header = AQL_KERNEL_DISPATCH, .setup = 3};
    for (unsigned i = 0; i < 3; i++) {
        p->block[i] = (uint16_t)l->block[i]; // check(): at most 1024
        p->grid[i] = l->grid[i];
    }
    p->private_bytes = l->kernel->scratch_bytes;
    p->group_bytes = at->dispatch.lds_bytes;
    p->kernel_object = at->code->va + l->kernel->descriptor;
    p->kernarg = at->kernarg->va;
}

/* Offset of the dispatch packet in the kernarg buffer; a queue of zeros follows it. */
static uint64_t packet_at(const struct lull_kernel_info *k)
{
    return ((uint64_t)k->kernarg_bytes + PACKET_ALIGN - 1) / PACKET_ALIGN * PACKET_ALIGN;
}

/* Code and kernarg segment; @p lds: LDS bytes that the kernel and its arguments need. */
LULL_MUST_USE static struct lull_error *fill(const struct lull_launch *l,
                                             const struct lull_launched *at, uint32_t *lds)
{
    const struct lull_kernel_info *k = l->kernel;
    struct lull_launch with = *l;
    uint8_t *kernarg = at->kernarg->map;
    // Without a printf buffer: a descriptor of zeros, through which nothing is written.
    with.printf_va = l->printf_va != 0 ? l->printf_va
                                       : at->kernarg->va + packet_at(k) +
                                             sizeof(struct aql_dispatch) + QUEUE_BYTES;
    lull_amd_bo_clear(at->kernarg);
    *lds = k->lds_bytes;
    struct lull_error *err = lull_image_load(l->image, at->code->va, at->code->map);
    return err != NULL ? err : fill_kernarg(&with, kernarg, lds);
}

struct lull_error *lull_launch_again(const struct lull_launch *launch,
                                     const struct lull_launched *at)
{
    uint32_t lds = 0;
    struct lull_error *err = fill(launch, at, &lds);
    if (err == NULL) {
        fill_packet(launch, at, (void *)((uint8_t *)at->kernarg->map + packet_at(launch->kernel)));
    }
    return err;
}

struct lull_error *lull_launch_prepare(struct lull_amd_device *d, const struct lull_launch *launch,
                                       struct lull_launched *ret)
{
    const struct lull_kernel_info *k = launch->kernel;
    *ret = (struct lull_launched){0};
    if (launch->image == NULL || k == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "launch without a kernel");
    }
    const uint64_t queue_at = packet_at(k) + sizeof(struct aql_dispatch);
    struct lull_error *err = check(launch);
    if (err == NULL) {
        err = lull_amd_bo_new(d, "code", lull_image_size(launch->image) + CODE_TAIL,
                              LULL_AMD_BO_EXEC, &ret->code);
    }
    if (err == NULL) {
        err = lull_amd_bo_new(d, "kernarg", queue_at + QUEUE_BYTES + NO_PRINTF_BYTES,
                              LULL_AMD_BO_GTT | LULL_AMD_BO_READONLY, &ret->kernarg);
    }
    uint32_t lds = 0;
    if (err == NULL) {
        err = fill(launch, ret, &lds);
    }
    if (err != NULL) {
        return err;
    }
    ret->dispatch = (struct lull_amd_dispatch){
        .code_va = ret->code->va + k->entry,
        .rsrc1 = k->rsrc1,
        .rsrc2 = k->rsrc2,
        .rsrc3 = k->rsrc3,
        .wave32 = k->wave32,
        .scratch_bytes = k->scratch_bytes,
        .lds_bytes = lds,
    };
    memcpy(ret->dispatch.grid, launch->grid, sizeof launch->grid);
    memcpy(ret->dispatch.block, launch->block, sizeof launch->block);
    const uint64_t kernarg = ret->kernarg->va;
    const uint64_t args[3] = {kernarg, kernarg + packet_at(k), kernarg + queue_at};
    fill_user_sgprs(k, args, &ret->dispatch);
    fill_packet(launch, ret, (void *)((uint8_t *)ret->kernarg->map + packet_at(k)));
    return NULL;
}

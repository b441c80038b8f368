// SPDX-License-Identifier: MIT
// <lull/exec.h>: a device that is kept, and buffers of it that are used again.
#include <lull/exec.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/str.h"
#include "hw/hwreg_regs.h"
#include "target/amd/device.h"
#include "target/amd/inspect.h"
#include "target/amd/raw.h"
#include "target/target.h"
#include "vdrm/amdgpu/vdrm.h"

enum {
    PAGE = 4096,
    CODE_TAIL = 256,
    SLACK = 4,      // a buffer of up to so many times the pages wanted is used again
    MAX_IDLE = 256, // buffers; when there are more and none fits, all are given back
    NS_PER_MS = 1000000,
    SEEN_WAVES = 64,
};

/** A buffer and whether this call has it. */
struct slot {
    struct lull_amd_bo *bo; ///< Of whole pages: whatever fits into them may be in it.
    uint64_t pages;
    bool executable, taken;
};

struct lull_exec {
    uint64_t seed;
    struct lull_kernel *kernel; ///< NULL: to be made by the next call.
    struct lull_amd_device *device;
    struct slot *slots;
    size_t n, room;
};

static void disconnect(struct lull_exec *x)
{
    lull_amd_device_close(x->device);
    if (x->kernel != NULL) {
        x->kernel->destroy(x->kernel);
    }
    x->device = NULL;
    x->kernel = NULL;
    x->n = 0;
}

LULL_MUST_USE static struct lull_error *connect(struct lull_exec *x)
{
    if (x->device != NULL) {
        return NULL;
    }
    const struct lull_vdrm_options how = {
        .seed = x->seed, .lockup_cycles = UINT64_MAX, .own_calls = true, .threads = 1};
    struct lull_error *err = lull_vdrm_new(&how, &x->kernel);
    if (err == NULL) {
        err = lull_amd_device_open(x->kernel, NULL, &x->device);
    }
    if (err != NULL) {
        disconnect(x);
    }
    return err;
}

struct lull_error *lull_exec_new(uint64_t seed, struct lull_exec **ret)
{
    struct lull_exec *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return &lull_enomem;
    }
    x->seed = seed;
    struct lull_error *err = connect(x);
    if (err != NULL) {
        lull_exec_free(x);
        return err;
    }
    *ret = x;
    return NULL;
}

void lull_exec_free(struct lull_exec *x)
{
    if (x != NULL) {
        disconnect(x);
        free(x->slots);
        free(x);
    }
}

/** A buffer of @p size bytes: one from an earlier call, or a new one. */
LULL_MUST_USE static struct lull_error *take(struct lull_exec *x, uint64_t size, bool executable,
                                             struct lull_amd_bo **ret)
{
    const uint64_t pages = (size + PAGE - 1) / PAGE;
    struct slot *best = NULL;
    for (size_t i = 0; i < x->n; i++) {
        struct slot *s = &x->slots[i];
        // code may sit in more than it needs; data ends where its pages end, so that overruns fault
        const bool fits =
            executable ? s->pages >= pages && s->pages <= SLACK * pages : s->pages == pages;
        if (!s->taken && s->executable == executable && fits) {
            best = s;
            break;
        }
    }
    if (best == NULL) {
        if (x->n == x->room) {
            const size_t room = x->room != 0 ? 2 * x->room : 16;
            struct slot *slots = realloc(x->slots, room * sizeof *slots);
            if (slots == NULL) {
                return &lull_enomem;
            }
            x->slots = slots;
            x->room = room;
        }
        best = &x->slots[x->n];
        *best = (struct slot){.pages = pages, .executable = executable};
        struct lull_error *err =
            lull_amd_bo_new(x->device, executable ? "code" : "data", pages * PAGE,
                            executable ? LULL_AMD_BO_EXEC : 0, &best->bo);
        if (err != NULL) {
            return err;
        }
        x->n++;
    }
    best->taken = true;
    *ret = best->bo;
    return NULL;
}

/** What cannot be executed at @p offset of the code: its text, or its first bytes. */
LULL_NEW_ERROR static struct lull_error *illegal(const struct lull_amd_bo *code, uint64_t size,
                                                 uint64_t offset)
{
    struct lull_str text = {0};
    const struct lull_arch_mode lax = {.lax = true};
    const struct lull_insn_print how = {.pc = code->va + offset};
    if (offset >= size) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "the code ends at 0x%llx without s_endpgm, and ran on to 0x%llx",
                              (unsigned long long)size, (unsigned long long)offset);
    }
    const uint8_t *at = (const uint8_t *)code->map + offset;
    if (lull_arch_show(&lull_arch_rdna3, &lax, &how, at, size - offset, &text) == 0) {
        lull_str_addf(&text, "no gfx1100 instruction,");
        for (uint64_t i = 0; i < 8 && offset + i < size; i += 4) {
            uint32_t dword = 0;
            memcpy(&dword, at + i, sizeof dword);
            lull_str_addf(&text, " 0x%08x", dword);
        }
    }
    struct lull_error *err =
        lull_error_new(LULL_ERR_BAD_DATA, "illegal instruction at code offset 0x%llx: %s",
                       (unsigned long long)offset, lull_str_text(&text));
    lull_str_free(&text);
    return err;
}

/** Why the job did not end; the GPU is of no use afterwards. */
LULL_NEW_ERROR static struct lull_error *explain(struct lull_exec *x,
                                                 const struct lull_amd_bo *code, uint64_t size,
                                                 uint32_t ms)
{
    struct lull_amdgpu_vm_fault fault = {0};
    struct lull_amd_wave waves[SEEN_WAVES] = {0};
    size_t n = 0;
    struct lull_error *err = lull_amd_last_fault(x->device, &fault);
    if (err == NULL) {
        err = lull_amd_scan(x->device, 0, code->va, code->va + code->size, waves, SEEN_WAVES, &n);
    }
    if (err != NULL) {
        return err;
    }
    size_t at = 0; // the first wave with an exception, else the first
    for (size_t i = n; i-- > 0;) {
        const uint32_t bad = LULL_HWREG_TRAPSTS__EXCP_MASK | LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK;
        at = (waves[i].status.trapsts & bad) != 0 ? i : at;
    }
    const unsigned long long pc = n != 0 ? waves[at].status.pc - code->va : 0;
    const uint32_t trapsts = waves[at].status.trapsts;
    if (fault.status != 0) {
        return lull_error_fault(fault.va, "page fault at 0x%llx, code offset 0x%llx",
                                (unsigned long long)fault.va, pc);
    }
    if ((trapsts & LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK) != 0) {
        return illegal(code, size, pc);
    }
    if ((trapsts & LULL_HWREG_TRAPSTS__EXCP_MASK) != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "exception at code offset 0x%llx, TRAPSTS 0x%08x",
                              pc, trapsts);
    }
    return lull_error_os(ETIME, "hang: no progress in %u ms of GPU time, code offset 0x%llx", ms,
                         pc);
}

LULL_MUST_USE static struct lull_error *submit(struct lull_exec *x,
                                               const struct lull_exec_params *p,
                                               const struct lull_raw *raw,
                                               const struct lull_amd_bo *code)
{
    const uint32_t ms = p->timeout_ms != 0 ? p->timeout_ms : LULL_TARGET_HANG_MS;
    struct lull_amd_dispatch dispatch = {0};
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    struct lull_error *err = lull_raw_dispatch(raw, &dispatch);
    if (err == NULL) {
        err = lull_amd_submit(x->device, &dispatch);
    }
    if (err == NULL) {
        err = lull_amd_wait(x->device, (uint64_t)ms * NS_PER_MS, &how);
    }
    return err != NULL || how == LULL_AMD_WAIT_DONE ? err : explain(x, code, p->code_size, ms);
}

/** Buffers of this call, in @p bos: code, table, then the caller's. */
LULL_MUST_USE static struct lull_error *copy_in(struct lull_exec *x,
                                                const struct lull_exec_params *p,
                                                struct lull_amd_bo **bos)
{
    struct lull_error *err = take(x, p->code_size + CODE_TAIL, true, &bos[0]);
    if (err == NULL) {
        err = take(x, (p->nbuffers + 1) * sizeof(uint64_t), false, &bos[1]);
    }
    for (size_t i = 0; err == NULL && i < p->nbuffers; i++) {
        const struct lull_exec_buffer *b = &p->buffers[i];
        if (b->data == NULL || b->size == 0) {
            return lull_error_new(LULL_ERR_INVALID, "buffer %zu is empty", i);
        }
        err = take(x, b->size, false, &bos[2 + i]);
        if (err == NULL && (b->flags & LULL_EXEC_NO_COPY_IN) == 0) {
            memcpy(bos[2 + i]->map, b->data, b->size);
        }
        if (err == NULL) {
            memcpy((uint8_t *)bos[1]->map + i * sizeof(uint64_t), &bos[2 + i]->va,
                   sizeof(uint64_t));
        }
    }
    if (err == NULL) {
        memcpy(bos[0]->map, p->code, p->code_size);
        // No instruction begins with these bytes.
        memset((uint8_t *)bos[0]->map + p->code_size, 0xff, bos[0]->size - p->code_size);
    }
    return err;
}

struct lull_error *lull_exec_raw(struct lull_exec *x, const struct lull_exec_params *p)
{
    if (p->code == NULL || p->code_size == 0 || p->code_size % 4 != 0) {
        return lull_error_new(LULL_ERR_INVALID, "%zu bytes are not machine code", p->code_size);
    }
    if (x->n > MAX_IDLE) {
        disconnect(x);
    }
    struct lull_amd_bo **bos = calloc(p->nbuffers + 2, sizeof(struct lull_amd_bo *));
    struct lull_error *err = bos != NULL ? connect(x) : &lull_enomem;
    if (err == NULL) {
        err = copy_in(x, p, bos);
    }
    if (err == NULL) {
        struct lull_raw raw = {
            .code_va = bos[0]->va,
            .table_va = bos[1]->va,
            .wave_size = p->wave_size != 0 ? p->wave_size : 32,
            .rsrc1 = p->rsrc1,
            .rsrc2 = p->rsrc2,
            .lds_bytes = p->lds_bytes,
            .scratch_bytes = p->scratch_bytes,
        };
        memcpy(raw.groups, p->groups, sizeof raw.groups);
        memcpy(raw.block, p->block, sizeof raw.block);
        err = submit(x, p, &raw, bos[0]);
    }
    for (size_t i = 0; err == NULL && i < p->nbuffers; i++) {
        if ((p->buffers[i].flags & LULL_EXEC_NO_COPY_OUT) == 0) {
            memcpy(p->buffers[i].data, bos[2 + i]->map, p->buffers[i].size);
        }
    }
    for (size_t i = 0; i < x->n; i++) {
        x->slots[i].taken = false;
    }
    if (err != NULL && lull_error_code(err) != LULL_ERR_INVALID) {
        disconnect(x); // waves may still stand there: the next call gets a new GPU
    }
    free(bos);
    return err;
}

// SPDX-License-Identifier: MIT
// The driver on the model GPU, through the client's calls only: command buffers in memory the GPU
// finds by page tables, waves that end, fault, loop and halt.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pm4.h"
#include "drm/amdgpu/amdgpu.h"
#include "drm/amdgpu/debugfs.h"
#include "hw/gc11_regs.h"
#include "test.h"
#include "uapi/amdgpu.h"
#include "vdrm/amdgpu/vdrm.h"

enum {
    IB_BYTES = 4096,
    CODE = 0x1000, ///< Offsets in the buffer.
    DATA = 0x2000,
    SIZE = 0x3000,
};

#define VA 0xffff800000400000ull
#define ENDPGM 0xbfb00000u      // s_endpgm (llvm-mc-19 -mcpu=gfx1100)
#define BRANCH_SELF 0xbfa0ffffu // s_branch to itself

struct client {
    struct lull_kernel *k;
    int fd;
    uint32_t ctx, bo;
    uint8_t *map;
    struct lull_pm4_builder b;
};

static void must(struct lull_error *err)
{
    if (err != NULL) {
        printf("# %s\n", lull_error_message(err));
        abort();
    }
}

static void check(bool ok, const char *name, struct lull_error *err)
{
    test_case(ok, name, "error: %s", err != NULL ? lull_error_message(err) : "none");
    lull_error_free(err);
}

static struct client start(uint64_t lockup)
{
    struct client c = {0};
    void *map = NULL;
    must(lull_vdrm_new(&(const struct lull_vdrm_options){.vram_size = 1 << 28,
                                                         .gtt_size = 1 << 26,
                                                         .lockup_cycles = lockup},
                       &c.k));
    must(lull_amdgpu_open(c.k, "/dev/dri/renderD128", &c.fd));
    must(lull_amdgpu_ctx_create(c.k, c.fd, &c.ctx));
    must(lull_amdgpu_gem_create(c.k, c.fd, SIZE, LULL_AMDGPU_VRAM, 0, &c.bo));
    must(lull_amdgpu_gem_mmap(c.k, c.fd, c.bo, SIZE, &map));
    must(lull_amdgpu_va_map(c.k, c.fd,
                            &(const struct lull_amdgpu_va){.va = VA,
                                                           .size = SIZE,
                                                           .handle = c.bo,
                                                           .flags = LULL_AMDGPU_PAGE_READ |
                                                                    LULL_AMDGPU_PAGE_WRITE |
                                                                    LULL_AMDGPU_PAGE_EXEC}));
    c.map = map;
    c.b = lull_pm4_builder_of(map, IB_BYTES / 4);
    return c;
}

static void done(struct client c)
{
    c.k->munmap(c.k, c.map, SIZE);
    c.k->close(c.k, c.fd);
    c.k->destroy(c.k);
}

static struct lull_error *run_on(struct client *c, enum lull_amdgpu_ip ip, uint64_t timeout,
                                 bool *ret_done)
{
    const struct lull_amdgpu_submit s = {
        .ctx = c->ctx,
        .ip = ip,
        .ibs = &(const struct lull_amdgpu_ib){.va = VA, .bytes = (uint32_t)c->b.ndwords * 4},
        .nibs = 1,
        .bos = &c->bo,
        .nbos = 1,
    };
    struct lull_amdgpu_fence f = {.ctx = c->ctx, .ip = ip};
    struct lull_error *err = lull_amdgpu_submit(c->k, c->fd, &s, &f.seq);
    return err != NULL ? err : lull_amdgpu_wait(c->k, c->fd, &f, timeout, ret_done);
}

static struct lull_error *run(struct client *c, uint64_t timeout, bool *ret_done)
{
    lull_pm4_pad(&c->b, 8);
    return run_on(c, LULL_AMDGPU_COMPUTE, timeout, ret_done);
}

static void dispatch(struct client *c, const uint32_t *code, size_t n)
{
    memcpy(c->map + CODE, code, n * 4);
    const uint64_t pgm = (VA + CODE) >> 8;
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_RSRC1, 0);
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_RSRC2, 0);
    lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_PGM_RSRC3, 0);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_START_X + 4 * i, 0);
        lull_pm4_set_sh1(&c->b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, i == 0 ? 32 : 1);
    }
    lull_pm4_dispatch(&c->b, 2, 1, 1,
                      LULL_GC11_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN_MASK |
                          LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK);
    lull_pm4_wait_waves(&c->b);
}

static void test_write(void)
{
    struct client c = start(0);
    const uint32_t words[2] = {0x12345678, 0x9abcdef0};
    lull_pm4_write_data(&c.b, VA + DATA, words, 2);
    bool ok = false;
    struct lull_error *err = run(&c, LULL_AMDGPU_FOREVER, &ok);
    check(err == NULL && ok && memcmp(c.map + DATA, words, 8) == 0,
          "a packet writes through page tables", err);
    done(c);
}

static void test_waves(void)
{
    struct client c = start(0);
    const uint32_t end = ENDPGM;
    uint64_t value = 0;
    dispatch(&c, &end, 1);
    lull_pm4_release(&c.b, VA + DATA, 0x1122334455667788);
    bool ok = false;
    struct lull_error *err = run(&c, LULL_AMDGPU_FOREVER, &ok);
    memcpy(&value, c.map + DATA, 8);
    check(err == NULL && ok && value == 0x1122334455667788, "waves run and end", err);
    done(c);
}

static void test_loop(void)
{
    struct client c = start(1000000);
    const uint32_t loop = BRANCH_SELF;
    dispatch(&c, &loop, 1);
    bool ok = true;
    struct lull_error *err = run(&c, 1000000, &ok);
    check(err == NULL && !ok, "an endless loop runs", err);
    // The debugger's view of it: a wave of this client with its PC in the code.
    struct lull_debugfs d;
    lull_debugfs_init(&d, c.k, 0);
    unsigned found = 0;
    for (unsigned i = 0; i < 6 * 2 * 4 * 4; i++) {
        const struct lull_wave_slot slot = {
            .se = (uint8_t)(i / 32), .sa = i / 16 % 2, .wgp = i / 4 % 4, .simd = i % 4};
        struct lull_wave_status w = {0};
        must(lull_debugfs_read_wave(&d, slot, &w));
        const bool valid = (w.status >> 16 & 1) == 1; // fact sheet 4.5
        // PC is 48 bits.
        found += valid && w.pc == ((VA + CODE) & 0xffffffffffff) && (w.hw_id2 >> 24 & 15) == 1;
    }
    test_case(found == 2, "amdgpu_wave shows its two waves", "%u", found);
    lull_debugfs_done(&d);
    const struct lull_amdgpu_fence f = {.ctx = c.ctx, .ip = LULL_AMDGPU_COMPUTE, .seq = 1};
    err = lull_amdgpu_wait(c.k, c.fd, &f, LULL_AMDGPU_FOREVER, &ok);
    check(err != NULL && lull_error_errno(err) == ENODATA, "then it is killed: soft recovery", err);
    done(c);
}

static void test_fault(void)
{
    struct client c = start(0);
    const uint32_t word = 1;
    lull_pm4_write_data(&c.b, VA + 0x100000, &word, 1);
    bool ok = false;
    struct lull_error *err = run(&c, LULL_AMDGPU_FOREVER, &ok);
    check(err != NULL && lull_amdgpu_is_lost(err), "a packet writes where nothing is", err);
    struct lull_amdgpu_vm_fault fault = {0};
    must(lull_amdgpu_vm_fault(c.k, c.fd, &fault));
    test_case(fault.va == VA + 0x100000 && (fault.status >> 20 & 15) == 1 &&
                  (fault.status >> 18 & 1) == 1,
              "page fault: address, VMID 1, write", "0x%llx status 0x%x",
              (unsigned long long)fault.va, fault.status);
    done(c);
}

static void put_dwords(struct client *c, const uint32_t *dwords, size_t n)
{
    c->b.ndwords = 0;
    for (size_t i = 0; i < n; i++) {
        lull_pm4_emit(&c->b, dwords[i]);
    }
}

/** SDMA's packets as in Linux sdma_v6_0_0_pkt_open.h: copies, a fence, waits that hang, and what no
 * engine knows. */
static void test_sdma(void)
{
    const uint32_t lo = (uint32_t)(VA + DATA), hi = (uint32_t)(VA >> 32);
    const uint32_t copy[] = {1, 7, 0, lo, hi, lo + 64, hi, 5 | 3 << 16, lo + 128, hi, 0x77};
    const uint32_t wait[] = {8 | 3u << 28 | 1u << 31, lo, hi, 0, UINT32_MAX, 0xfff << 16};
    const uint32_t unknown[] = {0x1234};
    const uint32_t words[2] = {0x12345678, 0x9abcdef0};
    uint32_t fence = 0;
    struct client c = start(1000000);
    bool ok = false;
    memcpy(c.map + DATA, words, sizeof words);
    put_dwords(&c, copy, sizeof copy / 4);
    struct lull_error *err = run_on(&c, LULL_AMDGPU_SDMA, LULL_AMDGPU_FOREVER, &ok);
    memcpy(&fence, c.map + DATA + 128, sizeof fence);
    check(err == NULL && ok && memcmp(c.map + DATA + 64, words, 8) == 0 && fence == 0x77,
          "SDMA copies", err);
    put_dwords(&c, wait, sizeof wait / 4);
    err = run_on(&c, LULL_AMDGPU_SDMA, LULL_AMDGPU_FOREVER, &ok);
    check(err != NULL && lull_amdgpu_is_lost(err), "a poll without end hangs the ring of SDMA",
          err);
    done(c);
    c = start(0);
    put_dwords(&c, unknown, 1);
    err = run_on(&c, LULL_AMDGPU_SDMA, LULL_AMDGPU_FOREVER, &ok);
    check(err != NULL && lull_amdgpu_is_lost(err), "a packet that SDMA does not know", err);
    done(c);
}

/** A client of the same machine. */
static struct client beside(const struct client *first)
{
    struct client c = {.k = first->k};
    void *map = NULL;
    must(lull_amdgpu_open(c.k, "/dev/dri/renderD128", &c.fd));
    must(lull_amdgpu_ctx_create(c.k, c.fd, &c.ctx));
    must(lull_amdgpu_gem_create(c.k, c.fd, SIZE, LULL_AMDGPU_VRAM, 0, &c.bo));
    must(lull_amdgpu_gem_mmap(c.k, c.fd, c.bo, SIZE, &map));
    must(lull_amdgpu_va_map(
        c.k, c.fd,
        &(const struct lull_amdgpu_va){.va = VA,
                                       .size = SIZE,
                                       .handle = c.bo,
                                       .flags = LULL_AMDGPU_PAGE_READ | LULL_AMDGPU_PAGE_WRITE}));
    c.map = map;
    c.b = lull_pm4_builder_of(map, IB_BYTES / 4);
    return c;
}

/** COPY_DATA: DATA of memory becomes what is at GDS 4, then GDS 4 is @p value. */
static struct lull_error *swap_gds(struct client *c, uint32_t gds, uint32_t value, uint32_t *ret)
{
    const uint32_t lo = (uint32_t)(VA + DATA), hi = (uint32_t)(VA >> 32);
    const uint32_t packets[] = {0xc0044000, 3 | 5 << 8, 4,     0, lo, hi,
                                0xc0044000, 5 | 3 << 8, value, 0, 4,  0};
    const uint32_t bos[] = {c->bo, gds};
    for (size_t i = 0; i < sizeof packets / 4; i++) {
        lull_pm4_emit(&c->b, packets[i]);
    }
    const struct lull_amdgpu_submit s = {
        .ctx = c->ctx,
        .ip = LULL_AMDGPU_COMPUTE,
        .ibs = &(const struct lull_amdgpu_ib){.va = VA, .bytes = (uint32_t)c->b.ndwords * 4},
        .nibs = 1,
        .bos = bos,
        .nbos = gds != 0 ? 2 : 1,
    };
    struct lull_amdgpu_fence f = {.ctx = c->ctx, .ip = LULL_AMDGPU_COMPUTE};
    bool ok = false;
    struct lull_error *err = lull_amdgpu_submit(c->k, c->fd, &s, &f.seq);
    err = err != NULL ? err : lull_amdgpu_wait(c->k, c->fd, &f, LULL_AMDGPU_FOREVER, &ok);
    memcpy(ret, c->map + DATA, sizeof *ret);
    c->b.ndwords = 0;
    return err;
}

/** 256 bytes of GDS. @return Handle. */
static uint32_t new_gds(const struct client *c)
{
    union drm_amdgpu_gem_create arg = {
        .in = {.bo_size = 256, .alignment = 4, .domains = AMDGPU_GEM_DOMAIN_GDS}};
    return c->k->ioctl(c->k, c->fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &arg) == 0 ? arg.out.handle : 0;
}

/** Two clients have parts of GDS of their own, and keep what is in them. */
static void test_gds(void)
{
    struct client a = start(0);
    struct client b = beside(&a);
    const uint32_t gds[2] = {new_gds(&a), new_gds(&b)};
    uint32_t got[4] = {0};
    must(swap_gds(&a, gds[0], 0x1111, &got[0]));
    must(swap_gds(&b, gds[1], 0x2222, &got[1]));
    must(swap_gds(&a, gds[0], 0x3333, &got[2]));
    must(swap_gds(&b, gds[1], 0x4444, &got[3]));
    test_case(got[2] == 0x1111 && got[3] == 0x2222, "GDS of two clients", "0x%x 0x%x", got[2],
              got[3]);
    b.k->munmap(b.k, b.map, SIZE);
    b.k->close(b.k, b.fd);
    struct client c = beside(&a); // who has not asked for GDS has none, whatever VMID it gets
    struct lull_error *err = swap_gds(&c, 0, 0x5555, &got[0]);
    check(err != NULL && lull_amdgpu_is_lost(err), "GDS that was not asked for", err);
    c.k->munmap(c.k, c.map, SIZE);
    c.k->close(c.k, c.fd);
    done(a);
}

int main(void)
{
    test_gds();
    test_sdma();
    test_write();
    test_waves();
    test_loop();
    test_fault();
    return test_end();
}

// SPDX-License-Identifier: MIT
// Records of dispatches, and catches: through the driver's files, on the model GPU. Expected values
// are what the test put into registers and packets.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/pm4.h"
#include "drm/amdgpu/amdgpu.h"
#include "drm/amdgpu/debugfs.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "test.h"
#include "vdrm/amdgpu/vdrm.h"

enum {
    RING_BYTES = 0x1000, ///< Command buffers of one ring.
    CODE = 0x4000,
    DATA = 0x5000,
    SIZE = 0x6000,
};

#define VA 0xffff800000400000ull
#define ENDPGM 0xbfb00000u      // s_endpgm (llvm-mc-19 -mcpu=gfx1100)
#define BRANCH_SELF 0xbfa0ffffu // s_branch to itself

struct client {
    struct lull_kernel *k;
    struct lull_debugfs d;
    int fd;
    uint32_t ctx, bo;
    uint8_t *map;
};

static void must(struct lull_error *err)
{
    if (err != NULL) {
        printf("# %s\n", lull_error_message(err));
        abort();
    }
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
    lull_debugfs_init(&c.d, c.k, 0);
    return c;
}

static void done(struct client *c)
{
    lull_debugfs_done(&c->d);
    c->k->munmap(c->k, c->map, SIZE);
    c->k->close(c->k, c->fd);
    c->k->destroy(c->k);
}

/** Dispatch @p groups groups of @p code on compute ring @p ring, then write 1 to DATA + 4 * ring.
 */
static struct lull_amdgpu_fence dispatch(struct client *c, uint32_t ring, uint32_t code,
                                         uint32_t groups)
{
    struct lull_pm4_builder b =
        lull_pm4_builder_of((uint32_t *)(c->map + ring * RING_BYTES), RING_BYTES / 4);
    const uint64_t pgm = (VA + CODE + 256 * ring) >> 8;
    const uint32_t one = 1;
    memcpy(c->map + CODE + 256 * ring, &code, sizeof code);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC1, 0x40 + ring);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC2, 2 << 1);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC3, 0x30);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_TMPRING_SIZE, 0x1234);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_LO, 0x5678);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_START_X + 4 * i, 0);
        lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, i == 0 ? 32 : 1);
    }
    for (unsigned i = 0; i < 16; i++) {
        lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_USER_DATA_0 + 4 * i, 100 + i);
    }
    lull_pm4_dispatch(&b, groups, 2, 1,
                      LULL_GC11_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN_MASK |
                          LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK);
    lull_pm4_wait_waves(&b);
    lull_pm4_write_data(&b, VA + DATA + 4 * ring, &one, 1);
    lull_pm4_pad(&b, 8);
    const struct lull_amdgpu_submit s = {
        .ctx = c->ctx,
        .ip = LULL_AMDGPU_COMPUTE,
        .ring = ring,
        .ibs = &(const struct lull_amdgpu_ib){.va = VA + ring * RING_BYTES,
                                              .bytes = (uint32_t)b.ndwords * 4},
        .nibs = 1,
        .bos = &c->bo,
        .nbos = 1,
    };
    struct lull_amdgpu_fence f = {.ctx = c->ctx, .ip = LULL_AMDGPU_COMPUTE, .ring = ring};
    must(lull_amdgpu_submit(c->k, c->fd, &s, &f.seq));
    return f;
}

static bool wait_for(struct client *c, struct lull_amdgpu_fence f, uint64_t timeout)
{
    bool ok = false;
    struct lull_error *err = lull_amdgpu_wait(c->k, c->fd, &f, timeout, &ok);
    const bool lost = err != NULL;
    lull_error_free(err);
    return ok && !lost;
}

static struct lull_dispatch_record record(struct client *c, uint64_t n)
{
    struct lull_dispatch_record r = {.number = UINT64_MAX};
    size_t got = 0;
    must(lull_debugfs_dispatches(&c->d, n, &r, 1, &got));
    return r;
}

static struct lull_control_state state(struct client *c)
{
    struct lull_control_state s = {0};
    must(lull_debugfs_control_state(&c->d, &s));
    return s;
}

static uint32_t word(const struct client *c, uint32_t ring)
{
    uint32_t v = 0;
    memcpy(&v, c->map + DATA + 4 * ring, sizeof v);
    return v;
}

static void test_record(void)
{
    struct client c = start(0);
    struct lull_dispatch_record r = {0};
    size_t got = 9;
    must(lull_debugfs_dispatches(&c.d, 0, &r, 1, &got));
    test_case(got == 0 && state(&c).count == 0, "no dispatch yet", "%zu records", got);
    wait_for(&c, dispatch(&c, 1, ENDPGM, 3), LULL_AMDGPU_FOREVER);
    r = record(&c, 0);
    test_case(r.number == 0 && r.state == LULL_DISPATCH_DONE && r.groups == 6,
              "it is done, with all groups", "state %u, %llu groups", r.state,
              (unsigned long long)r.groups);
    test_case(r.pid == (uint32_t)getpid() && r.ctx == c.ctx && r.file == 1 && r.ring == 2 &&
                  r.vmid == 1 && r.job == 1,
              "whose it was", "pid %u, context %u, file %u, ring %u, VMID %u, job %llu", r.pid,
              r.ctx, r.file, r.ring, r.vmid, (unsigned long long)r.job);
    test_case(r.code == VA + CODE + 256 && r.scratch == 0x567800 && r.rsrc[0] == 0x41 &&
                  r.rsrc[1] == 4 && r.rsrc[2] == 0x30 && r.tmpring == 0x1234 &&
                  r.initiator == 0x8001,
              "its registers", "code 0x%llx, scratch 0x%llx, rsrc %x %x %x, initiator 0x%x",
              (unsigned long long)r.code, (unsigned long long)r.scratch, r.rsrc[0], r.rsrc[1],
              r.rsrc[2], r.initiator);
    test_case(r.grid[0] == 3 && r.grid[1] == 2 && r.grid[2] == 1 && r.block[0] == 32 &&
                  r.block[2] == 1 && r.start[0] == 0 && r.user_data[0] == 100 &&
                  r.user_data[15] == 115,
              "its grid and user data", "%u x %u x %u", r.grid[0], r.grid[1], r.grid[2]);
    test_case(r.began != 0 && r.ended > r.began, "when it ran", "%llu to %llu",
              (unsigned long long)r.began, (unsigned long long)r.ended);
    test_case(r.packet > VA + RING_BYTES && r.packet < VA + 2 * RING_BYTES, "where the packet is",
              "0x%llx", (unsigned long long)r.packet);
    wait_for(&c, dispatch(&c, 0, ENDPGM, 0), LULL_AMDGPU_FOREVER);
    r = record(&c, 1);
    test_case(r.number == 1 && r.state == LULL_DISPATCH_DONE && r.groups == 0, "an empty grid",
              "state %u, %llu groups", r.state, (unsigned long long)r.groups);
    done(&c);
}

static void test_hold(void)
{
    struct client c = start(1000000);
    struct lull_control catch = {
        .op = LULL_CONTROL_CATCH, .slot = 5, .match = LULL_CATCH_NUMBER, .number = 1};
    must(lull_debugfs_control(&c.d, &catch));
    bool ok = wait_for(&c, dispatch(&c, 0, ENDPGM, 1), LULL_AMDGPU_FOREVER);
    test_case(ok && state(&c).nheld == 0, "number 0 goes on", "held %u", state(&c).nheld);
    memset(c.map + DATA, 0, 64);
    const struct lull_amdgpu_fence f = dispatch(&c, 0, ENDPGM, 1);
    // Much longer than the lockup timeout: what is held is no hang.
    ok = wait_for(&c, f, 100000000) || wait_for(&c, f, LULL_AMDGPU_FOREVER);
    struct lull_control_state s = state(&c);
    test_case(!ok && s.count == 2 && s.nheld == 1 && s.held[0].number == 1 && s.held[0].ring == 1 &&
                  s.held[0].catches == 1 << 5,
              "number 1 is held", "done %d, held %u: %llu on ring %u, catches 0x%x", ok, s.nheld,
              (unsigned long long)s.held[0].number, s.held[0].ring, s.held[0].catches);
    test_case(record(&c, 1).state == LULL_DISPATCH_HELD && record(&c, 1).began == 0 &&
                  word(&c, 0) == 0,
              "its record says so", "state %u", record(&c, 1).state);
    const struct lull_amdgpu_fence other = dispatch(&c, 3, ENDPGM, 1);
    ok = wait_for(&c, other, LULL_AMDGPU_FOREVER);
    test_case(!ok && word(&c, 3) == 0 && state(&c).count == 2, "so is all else", "done %d", ok);
    must(lull_debugfs_control(
        &c.d, &(const struct lull_control){.op = LULL_CONTROL_RELEASE, .number = 1}));
    ok = wait_for(&c, f, LULL_AMDGPU_FOREVER);
    test_case(ok && word(&c, 0) == 1 && record(&c, 1).state == LULL_DISPATCH_DONE,
              "released, it runs to its end", "done %d, state %u", ok, record(&c, 1).state);
    ok = wait_for(&c, other, LULL_AMDGPU_FOREVER);
    test_case(ok && word(&c, 3) == 1, "and the other ring", "done %d", ok);
    struct lull_error *err = lull_debugfs_control(
        &c.d, &(const struct lull_control){.op = LULL_CONTROL_RELEASE, .number = 1});
    test_case(lull_error_errno(err) == ENOENT, "it cannot be released twice", "errno %d",
              err != NULL ? lull_error_errno(err) : 0);
    lull_error_free(err);
    catch.slot = LULL_NCATCHES;
    err = lull_debugfs_control(&c.d, &catch);
    test_case(lull_error_errno(err) == EINVAL, "there are 32 slots", "errno %d",
              err != NULL ? lull_error_errno(err) : 0);
    lull_error_free(err);
    done(&c);
}

static int launched(struct client *c, uint64_t number, uint32_t how)
{
    const struct lull_control_launch l = {
        .control = {.op = LULL_CONTROL_LAUNCH, .match = how, .number = number},
        .code = VA + CODE + 3 * 256,
        .rsrc = {0x40, 2 << 1, 0x30},
        .user_data = {1, 2, 3},
    };
    struct lull_error *err = lull_debugfs_launch(&c->d, &l);
    const int r = err != NULL ? lull_error_errno(err) : 0;
    lull_error_free(err);
    return r;
}

/** A held dispatch that starts other code, and one that is held again when it has ended. */
static void test_launch(void)
{
    const uint32_t end = ENDPGM;
    struct client c = start(0);
    must(lull_debugfs_control(&c.d, &(const struct lull_control){.op = LULL_CONTROL_CATCH}));
    const struct lull_amdgpu_fence f = dispatch(&c, 0, BRANCH_SELF, 1);
    memcpy(c.map + CODE + 3 * 256, &end, sizeof end);
    bool ok = wait_for(&c, f, LULL_AMDGPU_FOREVER);
    test_case(!ok && launched(&c, 1, 0) == ENOENT, "only what is held is launched", "done %d", ok);
    test_case(launched(&c, 0, 4) == EINVAL, "no more than two ways to launch", "it was taken");
    const int other = launched(&c, 0, LULL_LAUNCH_OTHER | LULL_LAUNCH_STAY);
    ok = wait_for(&c, f, LULL_AMDGPU_FOREVER);
    struct lull_control_state s = state(&c);
    test_case(other == 0 && !ok && s.nheld == 1 && s.held[0].number == 0 && s.count == 1 &&
                  record(&c, 0).state == LULL_DISPATCH_HELD && word(&c, 0) == 0,
              "other code has come to its end; it is held again", "errno %d, held %u, state %u",
              other, s.nheld, record(&c, 0).state);
    must(lull_debugfs_control(
        &c.d, &(const struct lull_control){.op = LULL_CONTROL_RELEASE, .number = 0}));
    ok = wait_for(&c, f, 1000000);
    test_case(!ok && record(&c, 0).state == LULL_DISPATCH_RUNNING && word(&c, 0) == 0,
              "released, its own code runs", "done %d, state %u", ok, record(&c, 0).state);
    done(&c);
    c = start(0);
    must(lull_debugfs_control(&c.d, &(const struct lull_control){.op = LULL_CONTROL_CATCH}));
    const struct lull_amdgpu_fence g = dispatch(&c, 0, BRANCH_SELF, 1);
    memcpy(c.map + CODE + 3 * 256, &end, sizeof end);
    wait_for(&c, g, LULL_AMDGPU_FOREVER);
    const int once = launched(&c, 0, LULL_LAUNCH_OTHER);
    ok = wait_for(&c, g, LULL_AMDGPU_FOREVER);
    const struct lull_dispatch_record r = record(&c, 0);
    test_case(once == 0 && ok && r.state == LULL_DISPATCH_DONE && r.groups == 2 &&
                  word(&c, 0) == 1 && r.code == VA + CODE,
              "other code alone", "errno %d, done %d, state %u, %llu groups", once, ok, r.state,
              (unsigned long long)r.groups);
    const struct lull_amdgpu_fence h = dispatch(&c, 1, ENDPGM, 1);
    wait_for(&c, h, LULL_AMDGPU_FOREVER);
    launched(&c, 1, LULL_LAUNCH_STAY);
    lull_debugfs_done(&c.d);
    lull_debugfs_init(&c.d, c.k, 0);
    ok = wait_for(&c, h, LULL_AMDGPU_FOREVER);
    test_case(ok && record(&c, 1).state == LULL_DISPATCH_DONE,
              "who would let it go is gone: it runs to its end", "done %d, state %u", ok,
              record(&c, 1).state);
    done(&c);
}

static void test_match(void)
{
    static const struct {
        const char *name;
        struct lull_control c;
        bool held;
    } rows[] = {
        {"every dispatch", {.match = 0}, true},
        {"code at its address", {.match = LULL_CATCH_ADDRESS, .address = VA + CODE}, true},
        {"code at another", {.match = LULL_CATCH_ADDRESS, .address = VA + CODE + 256}, false},
        {"another process", {.match = LULL_CATCH_PID, .pid = 1}, false},
        {"both must hold",
         {.match = LULL_CATCH_ADDRESS | LULL_CATCH_NUMBER, .address = VA + CODE, .number = 9},
         false},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct client c = start(0);
        struct lull_control control = rows[i].c;
        control.op = LULL_CONTROL_CATCH;
        must(lull_debugfs_control(&c.d, &control));
        const bool ok = wait_for(&c, dispatch(&c, 0, ENDPGM, 1), LULL_AMDGPU_FOREVER);
        test_case(ok != rows[i].held && state(&c).nheld == rows[i].held, rows[i].name,
                  "done %d, held %u", ok, state(&c).nheld);
        done(&c);
    }
}

/** What LULL_CONTROL_AIM takes, and that nothing is found where nothing draws. */
static void test_aim(void)
{
    static const struct {
        const char *name;
        struct lull_control c;
        bool good;
    } rows[] = {
        {"aim at a pixel", {.slot = LULL_AIM_PIXEL, .pid = 7}, true},
        {"of any sample", {.slot = LULL_AIM_PIXEL, .pid = UINT32_MAX}, true},
        {"of a ninth sample", {.slot = LULL_AIM_PIXEL, .pid = 8}, false},
        {"aim at a vertex", {.slot = LULL_AIM_VERTEX, .value = UINT32_MAX}, true},
        {"aim at something else", {.slot = LULL_AIM_PRIMITIVE + 1}, false},
        {"no more", {.slot = LULL_AIM_OFF}, true},
    };
    struct client c = start(0);
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_control control = rows[i].c;
        control.op = LULL_CONTROL_AIM;
        struct lull_error *err = lull_debugfs_control(&c.d, &control);
        test_case((err == NULL) == rows[i].good, rows[i].name, "%s",
                  err != NULL ? lull_error_message(err) : "no error");
        lull_error_free(err);
    }
    struct lull_aim_record r = {.found = 1};
    must(lull_debugfs_aim(&c.d, &r));
    test_case(r.found == 0, "a compute wave is not a vertex", "%u", r.found);
    done(&c);
}

static void test_end_of_debugger(void)
{
    struct client c = start(0);
    struct lull_debugfs other;
    lull_debugfs_init(&other, c.k, 0);
    must(lull_debugfs_control(&other, &(const struct lull_control){.op = LULL_CONTROL_CATCH}));
    const struct lull_amdgpu_fence f = dispatch(&c, 0, ENDPGM, 1);
    bool ok = wait_for(&c, f, LULL_AMDGPU_FOREVER);
    struct lull_control_state s = state(&c);
    test_case(!ok && s.nheld == 1 && s.held[0].catches == 0, "held by another file's catch",
              "held %u, catches 0x%x", s.nheld, s.held[0].catches);
    lull_debugfs_done(&other);
    ok = wait_for(&c, f, LULL_AMDGPU_FOREVER);
    test_case(ok, "closing that file lets it go", "not done");
    done(&c);
}

static void test_killed(void)
{
    struct client c = start(1000000);
    const struct lull_amdgpu_fence f = dispatch(&c, 0, BRANCH_SELF, 1);
    bool ok = wait_for(&c, f, 1000000);
    test_case(!ok && record(&c, 0).state == LULL_DISPATCH_RUNNING, "an endless loop runs",
              "state %u", record(&c, 0).state);
    wait_for(&c, f, LULL_AMDGPU_FOREVER);
    test_case(record(&c, 0).state == LULL_DISPATCH_KILLED, "then it is killed", "state %u",
              record(&c, 0).state);
    // A held one, whose client goes away.
    must(lull_debugfs_control(&c.d, &(const struct lull_control){.op = LULL_CONTROL_CATCH}));
    must(lull_amdgpu_ctx_create(c.k, c.fd, &c.ctx));
    wait_for(&c, dispatch(&c, 1, ENDPGM, 1), LULL_AMDGPU_FOREVER);
    const unsigned held = state(&c).nheld;
    c.k->close(c.k, c.fd);
    test_case(held == 1 && state(&c).nheld == 0 && record(&c, 1).state == LULL_DISPATCH_KILLED,
              "a held one goes with its client", "%u held, then %u; state %u", held,
              state(&c).nheld, record(&c, 1).state);
    done(&c);
}

static uint32_t reg(struct client *c, uint32_t vmid, uint32_t offset)
{
    const struct lull_reg_bank bank = {.srbm = true, .vmid = vmid};
    uint32_t v = 0;
    must(lull_debugfs_read_regs(&c->d, &bank, offset, &v, 1));
    return v;
}

/** What a debugger leaves behind that is closed without a word. */
static void test_guard(void)
{
    static const uint32_t regs[] = {LULL_GC11_SPI_GDBG_PER_VMID_CNTL, LULL_GC11_SQ_SHADER_TBA_LO,
                                    LULL_GC11_SQ_SHADER_TMA_LO, LULL_GC11_TCP_WATCH0_CNTL};
    enum { AT = DATA + 32, FORGOTTEN = DATA + 36, VALUE = 0x12345678 };
    enum { CHANGED = DATA + 40, OTHER = DATA + 44, WORDS = DATA + 64, IS = 0x3f900007, WAS = 77 };
    struct client c = start(0);
    struct lull_debugfs other;
    bool ok = wait_for(&c, dispatch(&c, 0, ENDPGM, 1), LULL_AMDGPU_FOREVER);
    const struct lull_dispatch_record r = record(&c, 0);
    const uint32_t watch = lull_set(LULL_GC11_TCP_WATCH0_CNTL__VALID_MASK,
                                    LULL_GC11_TCP_WATCH0_CNTL__VMID_MASK, r.vmid);
    const uint32_t values[] = {LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_EN_MASK, 0x1234, 0x5678,
                               watch};
    lull_debugfs_init(&other, c.k, 0);
    struct lull_control g = {
        .op = LULL_CONTROL_GUARD, .file = r.file, .address = VA + AT, .value = VALUE};
    const uint32_t rows[] = {
        3,  0,   (uint32_t)(VA + CHANGED), (uint32_t)((uint64_t)(VA + CHANGED) >> 32),
        IS, WAS, (uint32_t)(VA + OTHER),   (uint32_t)((uint64_t)(VA + OTHER) >> 32),
        IS, WAS, (uint32_t)(VA + SIZE),    (uint32_t)((uint64_t)(VA + SIZE) >> 32),
        IS, WAS};
    const uint32_t changed[] = {IS, IS + 1};
    memcpy(c.map + WORDS, rows, sizeof rows);
    memcpy(c.map + CHANGED, changed, sizeof changed);
    g.number = VA + WORDS;
    must(lull_debugfs_control(&other, &g));
    g.slot = 1; // forgotten
    g.address = VA + FORGOTTEN;
    must(lull_debugfs_control(&other, &g));
    g.address = 0;
    must(lull_debugfs_control(&other, &g));
    g.slot = 2; // nothing is mapped there
    g.address = VA + SIZE + 4096;
    must(lull_debugfs_control(&other, &g));
    unsigned set = 0, left = 0;
    for (size_t i = 0; i < TEST_ROWS(regs); i++) {
        const struct lull_reg_bank bank = {.srbm = true, .vmid = r.vmid};
        must(lull_debugfs_write_regs(&other, &bank, regs[i], &values[i], 1));
        set += reg(&c, r.vmid, regs[i]) == values[i];
    }
    lull_debugfs_done(&other);
    for (size_t i = 0; i < TEST_ROWS(regs); i++) {
        left += reg(&c, r.vmid, regs[i]) != 0;
    }
    uint32_t words[2] = {0};
    memcpy(words, c.map + AT, sizeof words);
    test_case(ok && set == 4 && left == 0, "a guard: no traps, no watchpoints", "%u set, %u left",
              set, left);
    test_case(words[0] == VALUE && words[1] == 0, "a guard: the word is stored, others are not",
              "0x%x 0x%x", words[0], words[1]);
    memcpy(words, c.map + CHANGED, sizeof words);
    test_case(words[0] == WAS && words[1] == IS + 1,
              "a guard: words that the debugger changed are as before, others are not touched",
              "0x%x 0x%x", words[0], words[1]);
    done(&c);
}

int main(void)
{
    test_guard();
    test_record();
    test_hold();
    test_launch();
    test_match();
    test_aim();
    test_end_of_debugger();
    test_killed();
    return test_end();
}

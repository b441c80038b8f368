// SPDX-License-Identifier: MIT
// Planted crashes on the virtual msm: a list of what is planted times a list of where. The dump
// that the driver leaves must name the place: what `lull crash show` says is compared with where
// this program put the thing. Expected places are known to the planter alone, never taken from a
// dump.
//
// Then the dump goes on: src/adreno/resume makes a submit of it, a GPU that has seen nothing of all
// this runs that, and must crash in the same way at the same place.
//
// The last line says how many were found, by what was planted.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash.h"
#include "adreno/file/ascii85.h"
#include "adreno/file/devcore.h"
#include "adreno/replay/device.h"
#include "adreno/resume/resume.h"
#include "cmd/adreno_pm4.h"
#include "drm/msm/msm.h"
#include "hw/adreno_doms.h"
#include "isa/ir3/ir3.h"
#include "test.h"
#include "vdrm/msm/vdrm.h"

#define SECOND 1000000000ull
#define NOWHERE 0x1f0000000ull // no buffer is there

enum {
    BYTES = 0x10000,
    DWORDS = BYTES / 4,
    FIRST = 0x40, // dword of the first command buffer
    STEP = 0x100, // dwords between command buffers
    BUFFERS = 8,
    CODE = 0x1000, // byte of the shader in its buffer
    NEVER = 0x7777,
    REGISTERS = 1188,
    ONE_DWORD = 1 << 19, // CNT of CP_MEM_TO_REG
};

/* What is planted. */

enum kind {
    NO_PACKET,
    BAD_OPCODE,
    WAIT_MEMORY,
    WAIT_REGISTER,
    CP_STORE,
    CP_LOAD,
    CALL_NOWHERE,
    ENDLESS,
    SHADER_LOAD,
    SHADER_STORE,
    KINDS,
};

static const struct {
    const char *name, *shader;
    bool fault;
} kinds[KINDS] = {
    [NO_PACKET] = {"no packet", NULL, false},
    [BAD_OPCODE] = {"an opcode that nobody knows", NULL, false},
    [WAIT_MEMORY] = {"a wait for memory", NULL, false},
    [WAIT_REGISTER] = {"a wait for a register", NULL, false},
    [CP_STORE] = {"a store by the CP", NULL, true},
    [CP_LOAD] = {"a load by the CP", NULL, true},
    [CALL_NOWHERE] = {"a call of what is not mapped", NULL, true},
    [ENDLESS] = {"an endless loop in a shader",
                 "mov.u32u32 r1.x, 0\nl1:\n(rpt5)nop\nadd.u r1.x, r1.x, 1\njump #l1\nend\n", false},
    [SHADER_LOAD] = {"a load by a shader",
                     "mov.u32u32 r2.x, 0xf0000000\nmov.u32u32 r2.y, 1\n(rpt5)nop\n"
                     "ldg.u32 r1.x, g[r2.x], 1\n(sy)nop\nend\n",
                     true},
    [SHADER_STORE] = {"a store by a shader",
                      "mov.u32u32 r2.x, 0xf0000000\nmov.u32u32 r2.y, 1\nmov.u32u32 r1.x, 7\n"
                      "(rpt5)nop\nstg.u32 g[r2.x], r1.x, 1\nend\n",
                      true},
};

/* Where. A path of calls: each buffer is filler, what is planted or called, filler. */

struct position {
    const char *name;
    unsigned ib1, of_ib1; ///< Which of so many that the submit has.
    unsigned ib2, of_ib2; ///< Which of so many that this one calls, back to back; of_ib2 0: none.
    unsigned before, after;
    unsigned after_call; ///< IB1's filler behind its calls.
    bool stale;          ///< IB1 has called another IB2 before, which has returned.
};

static const struct position positions[] = {
    {"the first packet of the only IB1", .of_ib1 = 1, .before = 0, .after = 5},
    {"in the middle of the only IB1", .of_ib1 = 1, .before = 6, .after = 6},
    {"the last packet of the only IB1", .of_ib1 = 1, .before = 6, .after = 0},
    {"in the second of three IB1", .ib1 = 1, .of_ib1 = 3, .before = 3, .after = 4},
    {"the last packet of the second of three IB1", .ib1 = 1, .of_ib1 = 3, .before = 3, .after = 0},
    {"the last packet of the third of three IB1", .ib1 = 2, .of_ib1 = 3, .before = 7, .after = 0},
    {"in IB1, after an IB2", .of_ib1 = 2, .before = 2, .after = 3, .stale = true},
    {"the last packet of IB1, after an IB2", .of_ib1 = 1, .before = 2, .after = 0, .stale = true},
    {"the first packet of IB2", .of_ib1 = 1, .of_ib2 = 1, .before = 0, .after = 4, .after_call = 3},
    {"in the middle of IB2", .of_ib1 = 2, .of_ib2 = 1, .before = 5, .after = 3, .after_call = 2},
    {"the last packet of IB2", .of_ib1 = 1, .of_ib2 = 1, .before = 4, .after = 0, .after_call = 4},
    {"the last packet of IB2, IB1's last call", .of_ib1 = 1, .of_ib2 = 1, .before = 4},
    {"in the second of three IB2", .of_ib1 = 1, .ib2 = 1, .of_ib2 = 3, .before = 4, .after = 4},
    {"in the third of three IB2, of the second IB1", .ib1 = 1, .of_ib1 = 3, .ib2 = 2, .of_ib2 = 3,
     .before = 4, .after = 1, .after_call = 2},
};

struct place {
    uint64_t address;
    unsigned level;
};

struct planter {
    struct lull_kernel *k;
    int fd;
    const struct lull_achip *chip;
    unsigned gen, a660; ///< a660: 1 if it is one.
    struct lull_msm_bo cmd, code, data;
    uint32_t *words; ///< Where the next dword goes, in cmd.
    uint32_t opcode; ///< One that nobody knows.
    enum kind kind;
    struct place want;
};

static uint32_t *buffer(const struct planter *p, unsigned i)
{
    return (uint32_t *)p->cmd.map + FIRST + (size_t)i * STEP;
}

static uint64_t address(const struct planter *p, const uint32_t *at)
{
    return p->cmd.iova + (uint64_t)(at - (const uint32_t *)p->cmd.map) * 4;
}

static uint32_t odd(uint32_t v)
{
    return (uint32_t)__builtin_popcount(v) % 2 == 0;
}

static void op(struct planter *p, uint32_t what, const uint32_t *payload, uint32_t n)
{
    *p->words++ = 7u << 28 | odd(what) << 23 | what << 16 | odd(n) << 15 | n;
    memcpy(p->words, payload, n * sizeof *payload);
    p->words += n;
}

#define OP(p, what, ...)                                                                           \
    op(p, what, (const uint32_t[]){__VA_ARGS__},                                                   \
       sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define ADDRESS(a) (uint32_t)(a), (uint32_t)((uint64_t)(a) >> 32)

static void reg(struct planter *p, uint32_t at, uint32_t value)
{
    *p->words++ = 4u << 28 | odd(at) << 27 | at << 8 | 1;
    *p->words++ = value;
}

// Packets that do no harm; among them are those that are planted elsewhere.
static void fill(struct planter *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        switch (i % 5) {
        case 0:
            OP(p, LULL_PKT_CP_NOP, 1, 2);
            break;
        case 1:
            OP(p, LULL_PKT_CP_MEM_WRITE, ADDRESS(p->data.iova + 64), i);
            break;
        case 2:
            OP(p, LULL_PKT_CP_WAIT_REG_MEM, 0x13, ADDRESS(p->data.iova), 0, UINT32_MAX, 16);
            break;
        case 3:
            reg(p, LULL_A6XX_CP_SCRATCH_REG + 3, i);
            break;
        default:
            OP(p, LULL_PKT_CP_MEM_TO_REG, LULL_A6XX_CP_SCRATCH_REG + 4 + ONE_DWORD,
               ADDRESS(p->data.iova + 128));
            break;
        }
    }
}

// What a dispatch of one group of 64 needs.
static void dispatch_state(struct planter *p)
{
    const uint64_t code = p->code.iova + CODE;
    reg(p, LULL_A6XX_SP_CS_OBJ_START, (uint32_t)code);
    reg(p, LULL_A6XX_SP_CS_OBJ_START + 1, (uint32_t)(code >> 32));
    reg(p, LULL_A6XX_SP_CS_INSTRLEN, 1);
    reg(p, LULL_A6XX_SP_CS_CTRL_REG0, 1u << 31);
    reg(p, LULL_A6XX_SP_CS_CTRL_REG1, 3);
}

static void dispatch_shape(struct planter *p)
{
    const bool seven = p->gen >= 7;
    reg(p, seven ? LULL_A6XX_HLSQ_CS_CNTL__A7XX : LULL_A6XX_HLSQ_CS_CNTL, 1);
    reg(p, seven ? LULL_A6XX_HLSQ_CS_NDRANGE_0__A7XX : LULL_A6XX_HLSQ_CS_NDRANGE_0, 3 | 63 << 2);
    reg(p, seven ? LULL_A6XX_SP_CS_CNTL_0 : LULL_A6XX_HLSQ_CS_CNTL_0, 0xfcfcfcfc);
    reg(p, seven ? LULL_A6XX_SP_CS_CNTL_1 : LULL_A6XX_HLSQ_CS_CNTL_1, 0xfc);
}

static void plant(struct planter *p, unsigned level)
{
    const bool shader = kinds[p->kind].shader != NULL;
    if (shader) {
        dispatch_state(p);
        dispatch_shape(p);
    }
    p->want = (struct place){address(p, p->words), level};
    switch (p->kind) {
    case NO_PACKET:
        *p->words++ = 0xdeadd00d;
        break;
    case BAD_OPCODE:
        OP(p, p->opcode, 1, 2, 3);
        break;
    case WAIT_MEMORY:
        OP(p, LULL_PKT_CP_WAIT_REG_MEM, 0x13, ADDRESS(p->data.iova), NEVER, UINT32_MAX, 16);
        break;
    case WAIT_REGISTER:
        OP(p, LULL_PKT_CP_WAIT_REG_MEM, 3, LULL_A6XX_CP_SCRATCH_REG + 3, 0, NEVER, UINT32_MAX, 16);
        break;
    case CP_STORE:
        OP(p, LULL_PKT_CP_MEM_WRITE, ADDRESS(NOWHERE), 1);
        break;
    case CP_LOAD:
        OP(p, LULL_PKT_CP_MEM_TO_REG, LULL_A6XX_CP_SCRATCH_REG + 4 + ONE_DWORD, ADDRESS(NOWHERE));
        break;
    case CALL_NOWHERE:
        OP(p, LULL_PKT_CP_INDIRECT_BUFFER, ADDRESS(NOWHERE), 9);
        break;
    case ENDLESS:
    case SHADER_LOAD:
    case SHADER_STORE:
    case KINDS:
        OP(p, LULL_PKT_CP_EXEC_CS, 0, 1, 1, 1);
        break;
    }
}

// @return Its dwords.
static uint32_t end_of(const struct planter *p, unsigned i)
{
    return (uint32_t)(p->words - buffer(p, i));
}

static uint32_t innermost(struct planter *p, const struct position *at, unsigned i, bool guilty,
                          unsigned level)
{
    p->words = buffer(p, i);
    fill(p, guilty ? at->before : 3);
    if (guilty) {
        plant(p, level);
        fill(p, at->after);
    }
    return end_of(p, i);
}

// IB1 number @p i, its IB2s behind all IB1s.
static uint32_t outer(struct planter *p, const struct position *at, unsigned i)
{
    uint32_t sizes[BUFFERS] = {0};
    const bool guilty = i == at->ib1;
    const unsigned ncalls = guilty ? at->of_ib2 : 0;
    for (unsigned n = 0; n < ncalls; n++) {
        sizes[n] = innermost(p, at, at->of_ib1 + n, n == at->ib2, 2);
    }
    if (ncalls == 0 && !(guilty && at->stale)) {
        return innermost(p, at, i, guilty, 1);
    }
    if (ncalls == 0) {
        sizes[0] = innermost(p, at, at->of_ib1, false, 2);
    }
    p->words = buffer(p, i);
    fill(p, 2);
    for (unsigned n = 0; n < (ncalls != 0 ? ncalls : 1); n++) {
        OP(p, LULL_PKT_CP_INDIRECT_BUFFER, ADDRESS(address(p, buffer(p, at->of_ib1 + n))),
           sizes[n]);
    }
    if (ncalls == 0) {
        fill(p, at->before);
        plant(p, 1);
        fill(p, at->after);
    } else {
        fill(p, at->after_call);
    }
    return end_of(p, i);
}

static struct lull_error *submit(struct planter *p, const struct position *at)
{
    const struct lull_msm_bo *const bos[] = {&p->cmd, &p->code, &p->data};
    struct lull_msm_cmd cmds[BUFFERS];
    uint32_t fence = 0;
    bool done = false;
    memset(p->data.map, 0, BYTES);
    for (unsigned i = 0; i < at->of_ib1; i++) {
        cmds[i] =
            (struct lull_msm_cmd){.offset = (FIRST + i * STEP) * 4, .size = outer(p, at, i) * 4};
    }
    const struct lull_msm_submit s = {.bos = bos, .nbos = 3, .cmds = cmds, .ncmds = at->of_ib1};
    struct lull_error *err = lull_msm_submit(p->k, p->fd, &s, &fence);
    err = err == NULL ? lull_msm_wait(p->k, p->fd, 0, fence, 100 * SECOND, &done) : err;
    return err != NULL || done ? err : lull_error_new(LULL_ERR_INVALID, "it does not end");
}

// The dump, which is freed. NULL: there is none.
static char *take_dump(struct lull_kernel *k, unsigned number, size_t *size)
{
    char path[64] = "", *text = NULL;
    (void)snprintf(path, sizeof path, "/sys/class/devcoredump/devcd%u/data", number);
    const int fd = k->open(k, path, 2);
    *size = 0;
    for (ssize_t n = 1; fd >= 0 && n > 0; *size += (size_t)n) {
        text = realloc(text, *size + BYTES);
        n = k->pread(k, fd, text + *size, BYTES, *size);
    }
    if (fd >= 0) {
        k->pwrite(k, fd, "1", 1, 0);
        k->close(k, fd);
    }
    return text;
}

// What the page says: the packet that the GPU was in, or that it was at.
static struct place said(const char *page)
{
    static const char *const words[] = {"\nin        IB", "\nat        IB"};
    struct place r = {0};
    for (unsigned i = 0; i < 2; i++) {
        const char *line = strstr(page, words[i]);
        if (line != NULL && r.level == 0) {
            (void)sscanf(line + strlen(words[i]), "%u %" SCNx64, &r.level, &r.address);
        }
    }
    return r;
}

static bool right(const struct planter *p, const char *page)
{
    const struct place got = said(page);
    char shader[64] = "", fault[64] = "";
    (void)snprintf(shader, sizeof shader, "shader    CS at 0x%" PRIx64, p->code.iova + CODE);
    (void)snprintf(fault, sizeof fault, "fault     0x%llx:", NOWHERE);
    return got.address == p->want.address && got.level == p->want.level &&
           (kinds[p->kind].shader == NULL || strstr(page, shader) != NULL) &&
           (strstr(page, fault) != NULL) == kinds[p->kind].fault;
}

// What stands in clusters and blocks: registers of the shader, and its code.
struct kept {
    unsigned starts, registers, banks; ///< SP_CS_OBJ_START right; all; of SP_INST_DATA.
    uint32_t words[DWORDS];
    size_t nwords;
};

static struct kept kept_of(const struct planter *p, const char *dump, size_t size)
{
    struct kept r = {0};
    struct lull_stream *s = NULL;
    struct lull_devcore *d = NULL;
    struct lull_devcore_line line = {0};
    bool more = lull_stream_of(dump, size, &s) == NULL && lull_devcore_new(s, 0, &d) == NULL;
    unsigned context = 0;
    while (more && lull_devcore_next(d, &line, &more) == NULL && more) {
        const bool clusters = strcmp(line.section, "clusters") == 0;
        const bool blocks = strcmp(line.section, "shader-blocks") == 0;
        if (clusters && line.kind == LULL_DEVCORE_REGISTER) {
            r.registers += context == 0 ? 1 : 1000000; // nobody knows of another one
            r.starts += line.offset == LULL_A6XX_SP_CS_OBJ_START * 4 &&
                        line.content == (uint32_t)(p->code.iova + CODE);
        } else if (clusters && strcmp(line.key, "context") == 0) {
            context = (unsigned)strtoul(line.value, NULL, 10);
        } else if (blocks && line.kind == LULL_DEVCORE_DATA) {
            lull_ascii85_decode(line.data, line.data_size, r.words, DWORDS, &r.nwords);
        }
        r.banks += blocks && strcmp(line.key, "bank") == 0;
    }
    lull_devcore_free(d);
    lull_stream_free(s);
    return r;
}

// Of an a6xx that hangs. REGISTERS: the ranges of the kernel's lists added up; an a660 has one
// more.
static void check_kept(const struct planter *p, const char *dump, size_t size)
{
    const bool there = p->gen == 6 && !kinds[p->kind].fault;
    const bool code = there && p->kind == ENDLESS;
    const struct kept k = kept_of(p, dump, size);
    const uint32_t *words = (const uint32_t *)((const char *)p->code.map + CODE);
    const unsigned registers = there ? REGISTERS + p->a660 : 0;
    test_case(k.registers == registers && k.banks == (there ? 3 : 0) && (!code || k.starts == 1) &&
                  (k.nwords != 0) == code && memcmp(k.words, words, k.nwords * 4) == 0,
              kinds[p->kind].name, "clusters: %u registers, not %u; %u banks, %zu dwords of code",
              k.registers, registers, k.banks, k.nwords);
}

/* The dump goes on. */

// Run @p r on a new GPU. @return Its dump, which is freed; NULL: it has crashed in no way.
LULL_MUST_USE static struct lull_error *run_on(const struct planter *p,
                                               const struct lull_resumed *r, char **ret,
                                               size_t *ret_size)
{
    const struct lull_vdm_options o = {.chip = p->chip, .memory = 16 << 20, .longest_ms = 20};
    struct lull_kernel *k = NULL;
    struct lull_rp_device *d = NULL;
    bool done = false, hang = false;
    struct lull_error *err = lull_vdm_new(&o, &k);
    err = err != NULL ? err : lull_rp_device_open(k, "/dev/dri/renderD128", &d);
    err = err != NULL ? err : lull_rp_device_place(d, &r->submit);
    err = err != NULL ? err : lull_rp_device_run(d, &r->submit, 100 * SECOND, &done, &hang);
    *ret = err == NULL ? take_dump(k, 1, ret_size) : NULL;
    lull_rp_device_close(d);
    if (k != NULL) {
        k->destroy(k);
    }
    return err;
}

static void goes_on(const struct planter *p, const char *name, const char *dump, size_t size)
{
    static const struct lull_crash_look look = {.style = LULL_CRASH_PAGE};
    static const struct lull_resume_options o = {.zeros = true};
    struct lull_stream *s = NULL, *again = NULL;
    struct lull_resumed r = {0};
    struct lull_str page = {0};
    char *second = NULL;
    size_t second_size = 0;
    struct lull_error *err = lull_stream_of(dump, size, &s);
    err = err != NULL ? err : lull_resume_read(s, &o, NULL, &r);
    err = err != NULL ? err : run_on(p, &r, &second, &second_size);
    if (err == NULL && second != NULL) {
        err = lull_stream_of(second, second_size, &again);
        err = err != NULL ? err : lull_crash_page(again, &look, &page);
    }
    test_case(err == NULL && r.at == p->want.address && r.nlevels == p->want.level &&
                  right(p, lull_str_text(&page)),
              name, "goes on: %s at 0x%" PRIx64 " in level %u, not 0x%" PRIx64 " in %u\n%s",
              err != NULL      ? lull_error_message(err)
              : second == NULL ? "no crash"
                               : "another crash",
              r.at, r.nlevels, p->want.address, p->want.level, lull_str_text(&page));
    lull_error_free(err);
    lull_resume_done(&r);
    lull_stream_free(s);
    lull_stream_free(again);
    lull_str_free(&page);
    free(second);
}

static bool one(struct planter *p, const struct position *at, unsigned *dumps)
{
    static const struct lull_crash_look look = {.style = LULL_CRASH_PAGE};
    struct lull_stream *s = NULL;
    struct lull_str page = {0};
    size_t size = 0;
    char name[160] = "";
    struct lull_error *err = submit(p, at);
    char *dump = err == NULL ? take_dump(p->k, *dumps + 1, &size) : NULL;
    *dumps += dump != NULL;
    err = err == NULL && dump != NULL ? lull_stream_of(dump, size, &s) : err;
    err = err == NULL && dump != NULL ? lull_crash_page(s, &look, &page) : err;
    if (dump != NULL) {
        check_kept(p, dump, size);
    }
    const bool ok = err == NULL && dump != NULL && right(p, lull_str_text(&page));
    const struct place got = said(lull_str_text(&page));
    (void)snprintf(name, sizeof name, "a%uxx: %s, %s", p->gen, kinds[p->kind].name, at->name);
    test_case(ok, name, "%s: IB%u 0x%" PRIx64 ", not IB%u 0x%" PRIx64 "\n%s",
              err != NULL    ? lull_error_message(err)
              : dump == NULL ? "no dump"
                             : "elsewhere",
              got.level, got.address, p->want.level, p->want.address, lull_str_text(&page));
    if (dump != NULL) {
        goes_on(p, name, dump, size);
    }
    lull_error_free(err);
    lull_stream_free(s);
    lull_str_free(&page);
    free(dump);
    return ok;
}

static void assemble(struct planter *p)
{
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_error *err = lull_ir3_assemble(kinds[p->kind].shader, p->gen * 100 + 60, &s);
    if (err == NULL) {
        memset(p->code.map, 0, BYTES);
        memcpy((char *)p->code.map + CODE, s.all[0].words, s.all[0].n * sizeof *s.all[0].words);
    } else {
        test_case(false, kinds[p->kind].name, "%s", lull_error_message(err));
    }
    lull_error_free(err);
    lull_ir3_shaders_done(&s);
}

static void open_planter(struct planter *p, const struct lull_achip *chip)
{
    const struct lull_vdm_options o = {.chip = chip, .memory = 16 << 20, .longest_ms = 20};
    const struct lull_dom_state dom = {.chip = chip->gen};
    *p = (struct planter){
        .chip = chip, .gen = chip->gen, .a660 = chip == &lull_achip_a660, .opcode = 1};
    while (lull_dom_enum_name(&lull_dom_adreno, &dom, LULL_ADRENO_ENUM_adreno_pm4_type3_packets,
                              p->opcode) != NULL) {
        p->opcode++;
    }
    if (lull_vdm_new(&o, &p->k) != NULL || lull_msm_open(p->k, "/dev/dri/renderD128", &p->fd) ||
        lull_msm_bo_new(p->k, p->fd, BYTES, 0, 0, &p->cmd) != NULL ||
        lull_msm_bo_new(p->k, p->fd, BYTES, 0, 0, &p->code) != NULL ||
        lull_msm_bo_new(p->k, p->fd, BYTES, 0, 0, &p->data) != NULL) {
        abort();
    }
}

int main(void)
{
    static const struct lull_achip *const chips[] = {&lull_achip_a630, &lull_achip_a660,
                                                     &lull_achip_a740};
    unsigned found[KINDS] = {0}, planted[KINDS] = {0};
    for (unsigned c = 0; c < 3; c++) {
        struct planter p = {0};
        unsigned dumps = 0;
        open_planter(&p, chips[c]);
        for (unsigned kind = 0; kind < KINDS; kind++) {
            p.kind = (enum kind)kind;
            if (kinds[kind].shader != NULL) {
                assemble(&p);
            }
            for (unsigned i = 0; i < TEST_ROWS(positions); i++) {
                if ((i + kind) % 3 == c && (kind != CALL_NOWHERE || positions[i].of_ib2 == 0)) {
                    planted[kind]++;
                    found[kind] += one(&p, &positions[i], &dumps);
                }
            }
        }
        p.k->destroy(p.k);
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        printf("# %s: %u of %u\n", kinds[kind].name, found[kind], planted[kind]);
    }
    return test_end();
}

// SPDX-License-Identifier: MIT
// --check and its options: which checks are wanted, and attaching them to the model.
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "check/assume/assume.h"
#include "check/barrier/barrier.h"
#include "check/bounds/bounds.h"
#include "check/divzero/divzero.h"
#include "check/ir3/ir3.h"
#include "check/lint/lint.h"
#include "check/nan/nan.h"
#include "check/race/race.h"
#include "check/rdna/rdna.h"
#include "check/undefined/marked.h"
#include "check/undefined/undefined.h"
#include "check/uninit/uninit.h"
#include "cli/opt/check_priv.h"
#include "cli/opt/input.h"
#include "compile/compile.h"
#include "model/adreno/gpu.h"
#include "model/amd/gpu/gpu.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/msm/vdrm.h"

/** Checks that know of an Adreno. */
enum {
    ADRENO = LULL_CHECK_HAZARDS | LULL_CHECK_ASSUME | LULL_CHECK_BARRIER | LULL_CHECK_BOUNDS |
             LULL_CHECK_LINT | LULL_CHECK_RACE | LULL_CHECK_DIVZERO | LULL_CHECK_NAN |
             LULL_CHECK_UNINIT | LULL_CHECK_INDEX
};

const struct lull_check_row lull_check_rows[LULL_CHECK_NROWS] = {
    {"all", LULL_CHECK_ALL, NULL, NULL},
    {"hazards", LULL_CHECK_HAZARDS, NULL, NULL},
    {"barrier", LULL_CHECK_BARRIER, &lull_check_barrier, NULL},
    {"bounds", LULL_CHECK_BOUNDS, &lull_check_bounds, &lull_check_bounds_ir3},
    {"divzero", LULL_CHECK_DIVZERO, &lull_check_divzero, &lull_check_divzero_ir3},
    {"index", LULL_CHECK_INDEX, &lull_check_index, &lull_check_index_marked_ir3},
    {"lint", LULL_CHECK_LINT, &lull_check_lint, NULL},
    {"nan", LULL_CHECK_NAN, &lull_check_nan, &lull_check_nan_ir3},
    {"overflow", LULL_CHECK_OVERFLOW, &lull_check_overflow, NULL},
    {"race", LULL_CHECK_RACE, &lull_check_race, NULL},
    {"uninit", LULL_CHECK_UNINIT, &lull_check_uninit, &lull_check_uninit_ir3},
    {"assumptions", LULL_CHECK_ASSUME, &lull_check_assume, NULL},
};

struct lull_error *lull_check_want(struct lull_check *c, const char *names)
{
    for (const char *at = names;; at++) {
        const size_t n = strcspn(at, ",");
        const struct lull_check_row *found = NULL;
        for (size_t i = 0; i < LULL_CHECK_NROWS; i++) {
            if (strlen(lull_check_rows[i].name) == n &&
                strncmp(lull_check_rows[i].name, at, n) == 0) {
                found = &lull_check_rows[i];
            }
        }
        if (found == NULL) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "--check: unknown check '%.*s': all, hazards, barrier, bounds, "
                                  "divzero, index, lint, nan, overflow, race, uninit, assumptions",
                                  (int)n, at);
        }
        c->wanted |= found->bits;
        c->named |= found->bits == LULL_CHECK_ALL ? 0 : found->bits;
        at += n;
        if (*at == '\0') {
            return NULL;
        }
    }
}

/** A list of names with commas. */
LULL_MUST_USE static struct lull_error *take(void *base, const struct lull_opt *o,
                                             const char *value)
{
    (void)o;
    return lull_check_want(base, value);
}

const struct lull_opt lull_check_opts[] = {
    {"--check", NULL, "CHECKS",
     "say where the program breaks rules: all, or with commas hazards (missing waits and other "
     "rules that hardware leaves to code; of an Adreno slots, (ss), (sy) and (jp); LDS out of "
     "range), barrier (not all work-items come to one), bounds (accesses outside of buffers, "
     "descriptors and local memory), divzero (integer division by 0 whose result is used), "
     "index (outside of an array, a vector or a matrix, in OpenCL C and Vulkan compute shaders), "
     "lint (of Vulkan: push constants that look swapped, "
     "too few workgroups, and hints if it is named), nan "
     "(a NaN that the program makes and stores), overflow (signed integers of OpenCL C), race "
     "(accesses that nothing orders, in a dispatch "
     "or between two of a Vulkan program), uninit "
     "(registers, local and scratch memory that nothing wrote decide a branch, an address or what "
     "is stored); not of all, assumptions: instructions that rest on what the model takes for "
     "granted of gfx1100, or of an Adreno (ir3)",
     LULL_OPT_CALL, .call = take},
    {"--check-known", NULL, "FILE",
     "do not tell what is known: in FILE a line for each, KEY as --json has it; * is any text",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_check, known_path)},
    {"--check-report", NULL, "FILE",
     "what was found, for other tools: SARIF 2.1.0 in NAME.sarif, JUnit in NAME.xml", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_check, report_path)},
    {"--check-lines", NULL, NULL,
     "of a Vulkan program: find lines of the source in all shaders, however long that takes; "
     "without it in those where it takes about a second in all",
     LULL_OPT_FLAG, LULL_OPT_AT(struct lull_check, all_lines)},
    {0},
};

const struct lull_opt lull_check_debug_opts[] = {
    {"--check", NULL, "CHECKS",
     "of a kernel or a program: a wave that does what a check finds wrong stops behind it; CHECKS "
     "as of lull run",
     LULL_OPT_CALL, .call = take},
    {"--check-known", NULL, "FILE", "do not show what is known, as of lull run", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_check, known_path)},
    {0},
};

const struct lull_opt lull_check_same_opts[] = {
    {"--check", NULL, "CHECKS", "as for a kernel", LULL_OPT_CALL, .call = take},
    {"--check-known", NULL, "FILE", "the same", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_check, known_path)},
    {"--check-report", NULL, "FILE", "the same", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_check, report_path)},
    {"--check-lines", NULL, NULL, "lines of the source in all shaders, however long that takes",
     LULL_OPT_FLAG, LULL_OPT_AT(struct lull_check, all_lines)},
    {0},
};

static const struct lull_check_module *module_of(const struct lull_check *c,
                                                 const struct lull_check_row *r)
{
    const bool marked = c->vulkan && r->module == &lull_check_index;
    return c->adreno && r->ir3 != NULL ? r->ir3 : marked ? &lull_check_index_marked : r->module;
}

LULL_MUST_USE static struct lull_error *start_checks(struct lull_check *c)
{
    struct lull_error *err = lull_checks_new(&c->checks);
    c->objects.exec_late = c->vulkan;
    c->objects.divisions = c->divisions;
    c->objects.atomics = lull_check_modules_atomic;
    c->objects.atomic_ctx = &c->modules;
    if (c->vulkan) {
        c->objects.across = (c->wanted & LULL_CHECK_RACE) != 0 ? &c->across : NULL;
        c->objects.lint = (c->wanted & LULL_CHECK_LINT) != 0 ? &c->lint : NULL;
        c->objects.never = (c->wanted & LULL_CHECK_UNINIT) != 0 ? &c->never : NULL;
        c->objects.reach = (c->wanted & LULL_CHECK_BOUNDS) != 0 ? &c->reach : NULL;
    }
    c->marks.dir = &c->modules.dir;
    c->objects.mark = lull_check_marks_at;
    c->objects.mark_ctx = &c->marks;
    c->objects.assumed = (c->wanted & LULL_CHECK_ASSUME) != 0 ? &c->assumed : NULL;
    if (err == NULL && c->trace.path != NULL) {
        err = lull_checks_add(c->checks, &lull_check_trace, &c->trace.config);
    }
    if (err == NULL && c->hazards != NULL) {
        err = lull_hazards_join(c->hazards, c->checks);
    }
    const unsigned wanted = c->wanted & (c->adreno ? ~(unsigned)LULL_CHECK_ASSUME : UINT_MAX);
    for (size_t i = 0; err == NULL && i < LULL_CHECK_NROWS; i++) {
        const struct lull_check_row *r = &lull_check_rows[i];
        if (r->module != NULL && (wanted & r->bits) != 0) {
            err = lull_checks_add(c->checks, module_of(c, r), &c->objects);
        }
    }
    return err;
}

/** What is known, and what will be written. */
LULL_MUST_USE static struct lull_error *prepare_files(struct lull_check *c)
{
    char *text = NULL;
    size_t size = 0;
    if (c->wanted == 0 && (c->known_path != NULL || c->report_path != NULL)) {
        return lull_error_new(LULL_ERR_INVALID, "%s is for --check",
                              c->known_path != NULL ? "--check-known" : "--check-report");
    }
    if (c->report_path != NULL && !lull_check_ends(c->report_path, ".sarif") &&
        !lull_check_ends(c->report_path, ".xml")) {
        return lull_error_new(LULL_ERR_INVALID, "--check-report: '%s' is neither .sarif nor .xml",
                              c->report_path);
    }
    if (c->known_path == NULL) {
        return NULL;
    }
    struct lull_error *err = lull_input_read(c->known_path, &text, &size);
    err = err != NULL ? err : lull_known_parse(c->known_path, text, size, &c->known);
    free(text);
    return err;
}

unsigned lull_check_source(struct lull_check *c, const char *path, unsigned level)
{
    const unsigned costly = level == 0 ? LULL_CHECK_INDEX : 0; // It takes as long again.
    c->wanted &= ~(costly & ~c->named);
    c->opencl = path != NULL && lull_check_ends(path, ".cl");
    const unsigned wanted = c->opencl ? c->wanted : 0;
    c->divisions = level == 0 && (wanted & LULL_CHECK_DIVZERO) != 0;
    return (c->divisions ? LULL_COMPILE_DIVIDE : 0u) |
           ((wanted & LULL_CHECK_OVERFLOW) != 0 ? LULL_COMPILE_OVERFLOW : 0u) |
           ((wanted & LULL_CHECK_INDEX) != 0 ? LULL_COMPILE_INDEX : 0u);
}

/** What an Adreno does not have. */
LULL_MUST_USE static struct lull_error *without_others(struct lull_check *c)
{
    for (size_t i = 0; i < LULL_CHECK_NROWS; i++) {
        const unsigned bits = lull_check_rows[i].bits;
        if (bits != LULL_CHECK_ALL && (bits & ADRENO) == 0 && (c->named & bits) != 0) {
            return lull_error_new(LULL_ERR_INVALID, "--check: an Adreno does not have %s yet",
                                  lull_check_rows[i].name);
        }
    }
    c->wanted &= ADRENO;
    return NULL;
}

/** Of those that are wanted, what this run has. */
LULL_MUST_USE static struct lull_error *choose(struct lull_check *c)
{
    struct lull_error *err = c->adreno ? without_others(c) : NULL;
    if (err != NULL) {
        return err;
    }
    if (!c->vulkan && (c->named & LULL_CHECK_LINT) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--check: lint is for Vulkan");
    }
    if (!c->opencl && (c->named & LULL_CHECK_OVERFLOW) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--check: overflow is for OpenCL C");
    }
    if (!c->opencl && !c->vulkan && (c->named & LULL_CHECK_INDEX) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--check: index is for OpenCL C and Vulkan");
    }
    c->wanted &= c->vulkan ? UINT_MAX : ~(unsigned)LULL_CHECK_LINT;
    c->wanted &= c->opencl ? UINT_MAX : ~(unsigned)LULL_CHECK_OVERFLOW;
    c->wanted &= c->opencl || c->vulkan ? UINT_MAX : ~(unsigned)LULL_CHECK_INDEX;
    return NULL;
}

/** @p o watches the model behind @p k; NULL: nobody does. */
static void observe(struct lull_check *c, struct lull_kernel *k, struct lull_observer *o)
{
    if (o != NULL && c->adreno) {
        o->fresh = c->objects.never != NULL ? &c->never.fresh : NULL;
        lull_agpu_observe(lull_vdm_gpu(k), o);
    } else if (o != NULL) {
        lull_gpu_observe(lull_vdrm_gpu(k), o);
        lull_gpu_note_fresh(lull_vdrm_gpu(k), c->objects.never != NULL ? &c->never.fresh : NULL);
    }
}

/** What is kept of a workgroup goes when it ends, and the next one takes as much: in between it
 * does not go back to the system. */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
    enum { TRIM = 256 << 20, MAP = 16 << 20 };
    mallopt(M_TRIM_THRESHOLD, TRIM);
    mallopt(M_MMAP_THRESHOLD, MAP);
#endif
}

struct lull_error *lull_check_start(struct lull_check *c, struct lull_kernel *k)
{
    struct lull_error *err = prepare_files(c);
    err = err != NULL ? err : lull_trace_wanted(&c->trace);
    err = err != NULL ? err : choose(c);
    if (err == NULL && (c->wanted & LULL_CHECK_HAZARDS) != 0) {
        err = lull_hazards_new(c->adreno ? &lull_hazard_rules_ir3 : &lull_hazard_rules_rdna3,
                               &c->hazards);
    }
    const bool modules = (c->wanted & ~(unsigned)LULL_CHECK_HAZARDS) != 0 ||
                         c->trace.path != NULL || (c->hazards != NULL && (c->vulkan || !c->adreno));
    if (err == NULL && modules) {
        keep_memory();
        err = start_checks(c);
    }
    if (err == NULL) {
        observe(c, k,
                modules              ? lull_checks_observer(c->checks)
                : c->hazards != NULL ? lull_hazards_observer(c->hazards)
                                     : NULL);
    }
    if (err == NULL && c->adreno && (c->wanted & LULL_CHECK_ASSUME) != 0) {
        lull_assume_ir3_init(&c->assume_ir3, c->checks, &c->assumed);
        observe(c, k, &c->assume_ir3.o);
    }
    return err;
}

bool lull_check_wants_names(const struct lull_check *c)
{
    return c->vulkan && (c->wanted & ~(unsigned)LULL_CHECK_HAZARDS) != 0;
}

void lull_check_judge(struct lull_check *c, struct lull_kernel *k, const char *dir)
{
    if (lull_check_wants_names(c)) {
        lull_check_api_free(c->api);
        c->api = NULL;
        struct lull_error *err = lull_check_api_read(k, dir, c->adreno, &c->api);
        if (err == NULL) {
            lull_check_api_judge(c->checks, c->api, &c->objects);
        } else {
            lull_checks_lose(c->checks);
            lull_error_free(err);
        }
        lull_check_lines_free(c->lines);
        c->lines = lull_check_lines_read(c->checks, dir);
    }
}

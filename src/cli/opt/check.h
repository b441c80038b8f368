// SPDX-License-Identifier: MIT
/** @file
 * --check: attaches the checks to the model, and tells what they found.
 */
#ifndef LULL_CLI_CHECK_H
#define LULL_CLI_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "check/assume/assume.h"
#include "check/assume/assume_ir3.h"
#include "check/bounds/reach.h"
#include "check/checks.h"
#include "check/hazards.h"
#include "check/known.h"
#include "check/lint/lint.h"
#include "check/objects.h"
#include "check/race/across.h"
#include "check/uninit/never.h"
#include "cli/opt/check_api.h"
#include "cli/opt/check_lines.h"
#include "cli/opt/check_marks.h"
#include "cli/opt/check_modules.h"
#include "cli/opt/opt.h"
#include "cli/opt/trace.h"
#include "drm/core/kernel.h"
#include "image/image.h"

enum {
    LULL_CHECK_HAZARDS = 1,
    LULL_CHECK_BARRIER = 2,
    LULL_CHECK_BOUNDS = 4,
    LULL_CHECK_RACE = 8,
    LULL_CHECK_DIVZERO = 16,
    LULL_CHECK_UNINIT = 32,
    LULL_CHECK_NAN = 64,
    LULL_CHECK_LINT = 128,
    LULL_CHECK_OVERFLOW = 256,
    LULL_CHECK_INDEX = 512,
    LULL_CHECK_ALL = 1023,
    LULL_CHECK_ASSUME = 1024, ///< Not of all: it finds nothing wrong.
};

/** Zero-initialise. */
struct lull_check {
    unsigned wanted, named;            ///< LULL_CHECK_*; named: by their own names, not by "all".
    bool adreno;                       ///< The model is an Adreno.
    struct lull_hazards *hazards;      ///< NULL: not started.
    struct lull_checks *checks;        ///< The same.
    struct lull_check_objects objects; ///< What is known of memory, before there is work.
    const char *known_path, *report_path; ///< NULL: not given.
    struct lull_known known;
    struct lull_trace_wanted trace; ///< For `lull diff-run`.
    bool opencl;                    ///< OpenCL C that says what it does: set before the start.
    bool divisions;                 ///< It says so of divisions by 0, too: the same.
    bool vulkan; ///< A program, whose calls VK_LAYER_LULL_names may tell: set before the start.
    struct lull_across across;
    struct lull_lint lint;
    struct lull_reach reach;
    struct lull_assumed assumed;
    struct lull_assume_ir3 assume_ir3;
    struct lull_never never;
    struct lull_check_modules modules; ///< Its dir: set in front of the run, if there is a layer.
    struct lull_check_marks marks;
    struct lull_check_api *api;     ///< NULL: not known.
    bool all_lines;                 ///< Of all shaders, however long that takes.
    struct lull_check_lines *lines; ///< Of a program's shaders; NULL: not known.
};

/** The row of --check, for a group of struct lull_check. */
extern const struct lull_opt lull_check_opts[];

/** Those that the debugger has: --check, --check-known. */
extern const struct lull_opt lull_check_debug_opts[];

/** The same, in the help of other forms. */
extern const struct lull_opt lull_check_same_opts[];

/** The checks of @p names, a list with commas, too. */
struct lull_error *lull_check_want(struct lull_check *c, const char *names) LULL_MUST_USE;

/** In front of lull_check_start(): what runs is @p path, or NULL, compiled at -O @p level. @return
 * What OpenCL C is to say of itself when it is compiled: LULL_COMPILE_*. */
unsigned lull_check_source(struct lull_check *c, const char *path, unsigned level);

/** Attach to the model behind @p k, a virtual kernel, before it has work. Nothing if not wanted. */
struct lull_error *lull_check_start(struct lull_check *c, struct lull_kernel *k) LULL_MUST_USE;

/** Is there something to know of the program by VK_LAYER_LULL_names? */
bool lull_check_wants_names(const struct lull_check *c);

/** Of a program, behind the run and while @p k is there: what the layer wrote to @p dir. */
void lull_check_judge(struct lull_check *c, struct lull_kernel *k, const char *dir);

/** Where code lies, for names of places; zero: only addresses are shown. */
struct lull_check_code {
    const struct lull_image *image;
    uint64_t va, size;
    /** Without image, if instructions are numbered: bytes of one, 0: they are not. */
    unsigned insn_bytes;
    const struct lull_check_api *api;     ///< What a program calls its code; NULL: not known.
    const struct lull_check_lines *lines; ///< Of a program's code; NULL: not known.
};

/** Write what was found to @p to: a line for each place and kind, then a sum. True: something was.
 */
bool lull_check_report(const struct lull_check *c, const struct lull_check_code *code, bool json,
                       FILE *to);

/** What was found as number @p i of lull_checks_at(), as it is reported; nothing if it is known, or
 * dropped. */
void lull_check_show(const struct lull_check *c, const struct lull_check_code *code, size_t i,
                     struct lull_str *out);

/** The same of a hazard. */
void lull_check_show_hazard(const struct lull_check *c, const struct lull_check_code *code,
                            size_t i, struct lull_str *out);

struct lull_finding;
struct lull_json;
/** Member "sites" of a finding: docs/formats/findings.md. */
void lull_check_sites(const struct lull_finding *f, const struct lull_check_code *code,
                      struct lull_json *j);

/** Write the file of --check-report, if it was given; @p program: what ran. */
struct lull_error *lull_check_write(const struct lull_check *c, const struct lull_check_code *code,
                                    const char *program) LULL_MUST_USE;

/** Write the trace, if one was asked for. */
struct lull_error *lull_check_traced(struct lull_check *c,
                                     const struct lull_check_code *code) LULL_MUST_USE;

/** After the kernel is destroyed. */
void lull_check_done(struct lull_check *c);

#endif

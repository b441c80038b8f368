// SPDX-License-Identifier: MIT
// lull run: run a kernel, or bare machine code, and write its buffers out.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/check.h"
#include "cli/opt/command.h"
#include "cli/opt/options.h"
#include "cli/run/check_kernel.h"
#include "cli/run/kernel.h"
#include "cli/run/pal_draw.h"
#include "cli/run/pal_run.h"
#include "cli/run/record_program.h"
#include "cli/run/report.h"
#include "cli/vulkan/scene.h"
#include "cli/vulkan/vk_options.h"
#include "compile/run.h"
#include "target/amd/raw.h"
#include "target/target.h"

enum { CODE_TAIL = 256, NS_PER_MS = 1000000 };

LULL_MUST_USE static struct lull_error *buffer(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct lull_kernel_run *r = base;
    (void)o;
    return lull_args_add_buffer(&r->o.args, value);
}

static const struct lull_opt opts[] = {
    {"PROGRAM", .kind = LULL_OPT_IN, LULL_OPT_AT(struct lull_kernel_run, o.path)},
    {0},
};

static const struct lull_opt code_opts[] = {
    {"--raw", NULL, NULL,
     "PROGRAM is bare machine code. Then --grid counts WORKGROUPS, s[0:1] is the address of a "
     "table of the buffers' 64-bit addresses, workgroup ids follow in the next SGPRs as RSRC2 "
     "enables them, and v0 holds the work-item's ids: x 9:0, y 19:10, z 29:20",
     LULL_OPT_FLAG, LULL_OPT_AT(struct lull_kernel_run, raw)},
    {"--isa", NULL, "gfx1100", "whose code it is", .kind = LULL_OPT_CHOICE},
    {0},
};

static const struct lull_opt raw_opts[] = {
    {"--buffer", NULL, "SIZE[@FILE]",
     "next buffer, with a file in it or zeros; at its end :out=FILE and :name=NAME as of --arg",
     LULL_OPT_CALL, .call = buffer, .flags = LULL_OPT_MANY},
    {"--rsrc1", NULL, "N", "COMPUTE_PGM_RSRC1; if not given: all VGPRs, IEEE", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_kernel_run, rsrc1), .max = UINT32_MAX},
    {"--rsrc2", NULL, "N",
     "COMPUTE_PGM_RSRC2; if not given: 2 user SGPRs, workgroup and work-item ids x, y, z",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_kernel_run, rsrc2), .max = UINT32_MAX},
    {"--lds", NULL, "BYTES", "local memory of a workgroup", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_kernel_run, lds), .max = 65536},
    {"--scratch", NULL, "BYTES", "scratch memory of a lane", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_kernel_run, scratch), .max = 1 << 18},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_options_kernel_opts, offsetof(struct lull_kernel_run, o)},
    {NULL, lull_options_opts, offsetof(struct lull_kernel_run, o)},
    {NULL, lull_schedule_opts, offsetof(struct lull_kernel_run, o)},
    {NULL, lull_printf_host_opts, offsetof(struct lull_kernel_run, o.printf)},
    {NULL, lull_check_opts, offsetof(struct lull_kernel_run, check)},
    {NULL, lull_engine_opts, offsetof(struct lull_kernel_run, o.engine)},
    {NULL, opts, 0},
    {"Bare code:", code_opts, 0},
    {NULL, raw_opts, 0},
    {0},
};

/** An optimising compiler takes for what has no value whatever suits it: then little is found. */
static void unoptimised(const struct lull_opts *o, struct lull_kernel_run *r)
{
    const char *ending = r->o.path != NULL ? strrchr(r->o.path, '.') : NULL;
    if ((r->check.named & LULL_CHECK_UNINIT) != 0 && !lull_opts_given(o, "-O") && ending != NULL &&
        strcmp(ending, ".cl") == 0) {
        r->o.opt_level = 0;
        fprintf(stderr, "lull run: --check uninit: compiled at -O0; -O says otherwise\n");
    }
}

LULL_MUST_USE static struct lull_error *parse(const struct lull_form *form,
                                              struct lull_kernel_run *r, int argc, char **argv)
{
    struct lull_opts o = {.form = form, .base = r};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    const char *raw = lull_opts_given_of(&o, raw_opts);
    if (err == NULL && r->raw &&
        (lull_opts_given(&o, "--arg") || lull_opts_given(&o, "--kernel"))) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "--raw takes --buffer, and neither --arg nor --kernel");
    }
    if (err == NULL && r->raw && r->o.printf.wanted) {
        err = lull_error_new(LULL_ERR_INVALID, "--printf is not for --raw");
    }
    if (err == NULL && !r->raw && raw != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "%s is for --raw", raw);
    }
    unoptimised(&o, r);
    r->o.engine.seeded = lull_opts_given(&o, "--seed");
    const char *order = r->o.engine.seeded      ? "--seed"
                        : r->o.schedule != NULL ? "--schedule"
                        : r->o.printf.wanted    ? "--printf"
                        : r->check.wanted != 0  ? "--check"
                                                : NULL;
    err = err != NULL ? err : lull_engine_threads(&r->o.engine, "run", order);
    lull_files_in(&r->o.files, r->check.known_path);
    lull_files_out(&r->o.files, r->check.report_path);
    return err != NULL ? err : lull_options_files(&r->o);
}

LULL_MUST_USE static struct lull_error *connect(struct lull_kernel_run *r)
{
    const char *path = NULL;
    struct lull_error *err = lull_options_connect(&r->o, &r->kernel, &path, &r->dri);
    if (err == NULL && r->check.wanted != 0 && path != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "--check works on the model only");
    }
    if (err == NULL) {
        err = lull_check_start(&r->check, r->kernel);
    }
    if (err == NULL) {
        err = lull_amd_device_open(r->kernel, path, &r->device);
    }
    if (err == NULL) {
        lull_amd_device_apart(r->device, (r->check.wanted & LULL_CHECK_BOUNDS) != 0);
        err = lull_args_make(&r->o.args, r->device);
        lull_amd_device_apart(r->device, false);
    }
    return err;
}

/** Table of addresses, and the dispatch of bare code. */
LULL_MUST_USE static struct lull_error *fill_raw(struct lull_kernel_run *r)
{
    struct lull_amd_bo *table = NULL;
    const size_t n = r->o.args.n;
    struct lull_error *err = lull_amd_bo_new(r->device, "table", (n + 1) * sizeof(uint64_t),
                                             LULL_AMD_BO_GTT | LULL_AMD_BO_READONLY, &table);
    if (err != NULL) {
        return err;
    }
    for (size_t i = 0; i < n; i++) {
        memcpy((uint8_t *)table->map + i * sizeof(uint64_t), &r->o.args.launch[i].bo->va,
               sizeof(uint64_t));
    }
    struct lull_raw raw = {
        .code_va = r->launched.code->va,
        .table_va = table->va,
        .wave_size = r->o.wave_size != 0 ? r->o.wave_size : 32,
        .rsrc1 = (uint32_t)r->rsrc1, // parse(): fit
        .rsrc2 = (uint32_t)r->rsrc2,
        .lds_bytes = (uint32_t)r->lds,
        .scratch_bytes = (uint32_t)r->scratch,
    };
    memcpy(raw.groups, r->o.grid, sizeof raw.groups);
    memcpy(raw.block, r->o.block, sizeof raw.block);
    return lull_raw_dispatch(&raw, &r->launched.dispatch);
}

LULL_MUST_USE static struct lull_error *prepare_raw(struct lull_kernel_run *r)
{
    lull_cleanup(lull_freep) uint8_t *code = NULL;
    size_t size = 0;
    if (r->o.path == NULL || r->o.grid[0] == 0 || r->o.block[0] == 0) {
        return lull_error_new(LULL_ERR_INVALID, "--raw needs a file, --grid and --block");
    }
    struct lull_error *err = lull_run_read(r->o.path, &code, &size);
    if (err == NULL && (size == 0 || size % 4 != 0)) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s: %zu bytes are not machine code", r->o.path,
                             size);
    }
    if (err == NULL) {
        err = connect(r);
    }
    if (err == NULL) {
        err = lull_amd_bo_new(r->device, "code", size + CODE_TAIL, LULL_AMD_BO_EXEC,
                              &r->launched.code);
    }
    if (err != NULL) {
        return err;
    }
    memcpy(r->launched.code->map, code, size);
    return fill_raw(r);
}

struct lull_error *lull_kernel_run_prepare(struct lull_kernel_run *r)
{
    r->o.marks = lull_check_source(&r->check, r->o.path, r->o.opt_level);
    struct lull_error *err =
        r->program.image == NULL ? lull_program_load(&r->o, &r->program) : NULL;
    r->check.objects = (struct lull_check_objects){0};
    if (err == NULL) {
        err = connect(r);
    }
    if (err == NULL) {
        err = lull_printf_host_make(&r->o.printf, r->program.compiled.bytes,
                                    r->program.compiled.size, r->o.path, r->device);
    }
    if (err != NULL) {
        return err;
    }
    const struct lull_amd_bo *descriptor = r->o.printf.at.descriptor;
    struct lull_launch launch = {.image = r->program.image,
                                 .kernel = r->program.kernel,
                                 .args = r->o.args.launch,
                                 .nargs = r->o.args.n,
                                 .printf_va = descriptor != NULL ? descriptor->va : 0};
    memcpy(launch.grid, r->o.grid, sizeof launch.grid);
    memcpy(launch.block, r->o.block, sizeof launch.block);
    uint32_t local_at[LULL_CHECK_OBJECTS] = {0};
    const bool traced = r->check.trace.path != NULL;
    if ((r->check.wanted != 0 || traced) && launch.nargs <= LULL_CHECK_OBJECTS) {
        launch.local_gap = r->check.wanted != 0 ? LULL_CHECK_LOCAL_GAP : 0;
        launch.local_at = local_at;
    }
    err = lull_launch_prepare(r->device, &launch, &r->launched);
    if (err == NULL && launch.local_at != NULL) {
        lull_check_kernel(&r->check.objects, r->device, r->program.image, r->program.kernel,
                          &r->o.args, local_at);
    }
    return err;
}

/** Submit, wait, and say how it ended. */
LULL_MUST_USE static struct lull_error *go(struct lull_kernel_run *r, int *status)
{
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    struct lull_error *err = lull_amd_submit(r->device, &r->launched.dispatch);
    if (err == NULL) {
        err = lull_amd_wait(r->device, r->o.timeout_ms * NS_PER_MS, &how);
    }
    if (err != NULL) {
        return err;
    }
    bool bad = false;
    err = lull_printf_host_show(&r->o.printf, r->o.json, &bad);
    if (err != NULL) {
        return err;
    }
    *status = bad ? LULL_EXIT_FINDINGS : *status;
    if (how == LULL_AMD_WAIT_DONE) {
        if (r->o.json && r->o.printf.wanted) {
            printf("{\"result\":\"done\",\"printf_lost\":%" PRIu64 "}\n", r->o.printf.lost);
        } else if (r->o.json) {
            puts("{\"result\":\"done\"}");
        }
        return lull_args_write(&r->o.args);
    }
    struct lull_str out = {0};
    const struct lull_report report = {
        .device = r->device,
        .dri = r->dri,
        .image = r->program.image,
        .code = r->launched.code,
        .lost = how == LULL_AMD_WAIT_LOST,
        .json = r->o.json,
        .timeout_ms = r->o.timeout_ms,
        .out = &out,
    };
    err = lull_report_failure(&report, status);
    err = err != NULL ? err : out.err;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    return err;
}

void lull_kernel_run_close(struct lull_kernel_run *r)
{
    lull_amd_device_close(r->device);
    if (r->kernel != NULL) {
        r->kernel->destroy(r->kernel);
    }
    r->device = NULL;
    r->kernel = NULL;
    r->launched = (struct lull_launched){0};
}

void lull_kernel_run_done(struct lull_kernel_run *r)
{
    lull_kernel_run_close(r);
    lull_check_done(&r->check);
    lull_program_done(&r->program);
    lull_options_done(&r->o);
}

LULL_MUST_USE static struct lull_error *run_kernel(const struct lull_form *form, int argc,
                                                   char **argv, int *status)
{
    struct lull_kernel_run r = {.o = {.opt_level = 2, .timeout_ms = LULL_TARGET_HANG_MS}};
    struct lull_error *err = parse(form, &r, argc, argv);
    if (err == NULL) {
        err = r.raw ? prepare_raw(&r) : lull_kernel_run_prepare(&r);
    }
    if (err == NULL) {
        err = go(&r, status);
    }
    if (err == NULL) {
        const struct lull_check_code code = {
            .image = r.program.image, .va = r.launched.code->va, .size = r.launched.code->size};
        if (lull_check_report(&r.check, &code, r.o.json, stdout) && *status == LULL_EXIT_CLEAN) {
            *status = LULL_EXIT_FINDINGS;
        }
        err = lull_check_write(&r.check, &code, r.o.path);
        err = err != NULL ? err : lull_check_traced(&r.check, &code);
    }
    lull_kernel_run_done(&r);
    return err;
}

static const struct lull_form form_kernel = {
    .about = "PROGRAM is a gfx1100 code object, or a .cl, .s or .ll file that is compiled first; "
             "or a Vulkan compute shader, .comp, .glsl or .spv, a scene, .scene, or a PAL "
             "pipeline, which have options of their own, below.",
    .groups = groups,
    .after = "If not given: -O2, --timeout 1000.\n"
             "\n"
             "  lull run saxpy.cl --grid 1024 --block 256 --arg iota:1024:f32:out=y.bin \\\n"
             "      --arg rand:1:1024:f32 --arg f32:2.5 --arg i32:1000\n"
             "  lull run --raw code.bin --isa gfx1100 --grid 1 --block 32 --buffer 128:out=out.bin",
    .run = run_kernel,
};

/** All of them: to find the operand, which says what it is. */
static const struct lull_opt_group any_groups[] = {
    {NULL, lull_options_kernel_opts, 0},
    {NULL, lull_options_opts, 0},
    {NULL, lull_schedule_opts, 0},
    {NULL, lull_printf_host_opts, 0},
    {NULL, lull_check_opts, 0},
    {NULL, opts, 0},
    {NULL, code_opts, 0},
    {NULL, raw_opts, 0},
    {NULL, lull_vk_shader_opts, 0},
    {NULL, lull_vk_work_opts, 0},
    {NULL, lull_vk_any_opts, 0},
    {NULL, lull_vk_result_opts, 0},
    {NULL, lull_vk_expect_opts, 0},
    {NULL, lull_vk_tolerance_opts, 0},
    {NULL, lull_vk_cli_opts, 0},
    {NULL, lull_assume_opts, 0},
    {NULL, lull_engine_opts, 0},
    {NULL, lull_scene_opts, 0},
    {NULL, lull_pal_file_opts, 0},
    {NULL, lull_pal_cli_opts, 0},
    {NULL, lull_pal_draw_opts, 0},
    {NULL, lull_pal_target_opts, 0},
    {0},
};

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    static const struct lull_form any = {.groups = any_groups};
    if (lull_assume_list(argc, argv)) {
        return NULL;
    }
    const struct lull_form *form = lull_record_program_is(&any, argc, argv)
                                       ? &lull_record_program_form
                                   : lull_scene_is(&any, argc, argv)     ? &lull_scene_form
                                   : lull_vk_is_shader(&any, argc, argv) ? &lull_vk_form
                                   : lull_pal_cli_is(&any, argc, argv)   ? &lull_pal_form
                                                                         : &form_kernel;
    return form->run(form, argc, argv, status);
}

const struct lull_command lull_cli_run = {
    .name = "run",
    .help = "run a kernel on the model GPU or hardware, and write its buffers out",
    .forms = (const struct lull_form *const[]){&form_kernel, &lull_vk_form, &lull_scene_form,
                                               &lull_pal_form, &lull_record_program_form, NULL},
    .after = "Exit status 1: page fault, bad instruction, lost device, a difference, or --check's "
             "findings; 124: hang. The report goes to stdout.\n"
             "\n"
             "  lull run saxpy.comp --groups 16 --bind 0.0=iota:1024:f32 --bind "
             "0.1=rand:1:1024:f32 \\\n"
             "      --push f32:2.5 --out 0.0=y.bin",
    .run = run,
};

// SPDX-License-Identifier: MIT
// lull run: run a kernel, or bare machine code, and write its buffers out.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/check.h"
#include "cli/opt/command.h"
#include "cli/opt/options.h"
#include "cli/run/pal_run.h"
#include "cli/run/report.h"
#include "cli/vulkan/vk_options.h"
#include "compile/run.h"
#include "target/amd/raw.h"

enum { CODE_TAIL = 256, DEFAULT_TIMEOUT_MS = 1000, NS_PER_MS = 1000000 };

struct run {
    struct lull_options o;
    bool raw, is_buffer; ///< is_buffer: --buffer was used.
    uint64_t rsrc1, rsrc2, lds, scratch;
    bool raw_numbers; ///< One of them was given.
    struct lull_program program;
    struct lull_kernel *kernel;
    struct lull_amd_device *device;
    unsigned dri;
    struct lull_launched launched;
    struct lull_check check;
};

/** Options of `lull run` alone. */
LULL_MUST_USE static struct lull_error *own_option(struct run *r, const char *name,
                                                   const char *value, bool *used)
{
    const struct {
        const char *name;
        uint64_t max;
        uint64_t *where;
    } numbers[] = {
        {"--rsrc1", UINT32_MAX, &r->rsrc1},
        {"--rsrc2", UINT32_MAX, &r->rsrc2},
        {"--lds", 65536, &r->lds},
        {"--scratch", 1 << 18, &r->scratch},
    };
    *used = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            r->raw_numbers = true;
            return lull_args_number(name, value, numbers[i].max, numbers[i].where);
        }
    }
    if (strcmp(name, "--buffer") == 0 && value != NULL) {
        r->is_buffer = true;
        return lull_args_add_buffer(&r->o.args, value);
    }
    if (strcmp(name, "--check") == 0) {
        return lull_check_option(&r->check, value);
    }
    if (strcmp(name, "--isa") == 0) {
        return value != NULL && strcmp(value, "gfx1100") == 0
                   ? NULL
                   : lull_error_new(LULL_ERR_INVALID, "--isa: '%s' is not known, gfx1100 is",
                                    value != NULL ? value : "");
    }
    *used = false;
    return NULL;
}

LULL_MUST_USE static struct lull_error *parse(struct run *r, int argc, char **argv)
{
    struct lull_error *err = NULL;
    bool args_given = false;
    for (int i = 0; err == NULL && i < argc; i++) {
        bool used = false;
        args_given |= strcmp(argv[i], "--arg") == 0;
        if (strcmp(argv[i], "--raw") == 0) {
            r->raw = true;
            continue;
        }
        err = own_option(r, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used);
        if (used) {
            i++;
            continue;
        }
        err = err != NULL ? err : lull_options_parse(&r->o, argc, argv, &i, &used);
        if (err == NULL && !used) {
            err = lull_error_new(LULL_ERR_INVALID, "no option '%s'", argv[i]);
        }
    }
    if (err == NULL && r->raw && (args_given || r->o.kernel != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "--raw takes --buffer, and neither --arg nor --kernel");
    }
    if (err == NULL && r->raw && r->o.printf.wanted) {
        err = lull_error_new(LULL_ERR_INVALID, "--printf is not for --raw");
    }
    if (err == NULL && !r->raw && (r->is_buffer || r->raw_numbers)) {
        err =
            lull_error_new(LULL_ERR_INVALID, "--buffer, --rsrc1, --rsrc2, --lds and --scratch are "
                                             "for --raw");
    }
    return err != NULL ? err : lull_options_files(&r->o);
}

LULL_MUST_USE static struct lull_error *connect(struct run *r)
{
    const char *path = NULL;
    struct lull_error *err = lull_options_connect(&r->o, &r->kernel, &path, &r->dri);
    if (err == NULL && r->check.wanted && path != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "--check works on the model only");
    }
    if (err == NULL) {
        err = lull_check_start(&r->check, r->kernel);
    }
    if (err == NULL) {
        err = lull_amd_device_open(r->kernel, path, &r->device);
    }
    return err != NULL ? err : lull_args_make(&r->o.args, r->device);
}

/** Table of addresses, and the dispatch of bare code. */
LULL_MUST_USE static struct lull_error *fill_raw(struct run *r)
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

LULL_MUST_USE static struct lull_error *prepare_raw(struct run *r)
{
    lull_cleanup(lull_freep) uint8_t *code = NULL;
    size_t size = 0;
    if (r->o.path == NULL || r->o.grid[0] == 0 || r->o.block[0] == 0) {
        return lull_error_new(LULL_ERR_INVALID, "--raw needs a file, --grid and --block");
    }
    struct lull_error *err = lull_run_read(r->o.path, &code, &size);
    if (err == NULL && (size == 0 || size % 4 != 0)) {
        err =
            lull_error_new(LULL_ERR_BAD_DATA, "%s: %zu bytes are no machine code", r->o.path, size);
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

LULL_MUST_USE static struct lull_error *prepare(struct run *r)
{
    struct lull_error *err = lull_program_load(&r->o, &r->program);
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
    return lull_launch_prepare(r->device, &launch, &r->launched);
}

/** Submit, wait, and say how it ended. */
LULL_MUST_USE static struct lull_error *go(struct run *r, int *status)
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

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    if (lull_vk_is_shader(argc, argv)) {
        return lull_vk_cli_run(argc, argv, status);
    }
    if (lull_pal_cli_is(argc, argv)) {
        return lull_pal_cli_run(argc, argv, status);
    }
    struct run r = {.o = {.opt_level = 2, .timeout_ms = DEFAULT_TIMEOUT_MS}};
    struct lull_error *err = parse(&r, argc, argv);
    if (err == NULL) {
        err = r.raw ? prepare_raw(&r) : prepare(&r);
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
    }
    lull_amd_device_close(r.device);
    if (r.kernel != NULL) {
        r.kernel->destroy(r.kernel);
    }
    lull_check_done(&r.check);
    lull_program_done(&r.program);
    lull_options_done(&r.o);
    return err;
}

static const char more[] =
    "\n"
    "PROGRAM is a gfx1100 code object, or a .cl, .s or .ll file that is compiled first;\n"
    "or a Vulkan compute shader, .comp, .glsl or .spv: see the options at the end;\n"
    "or a PAL compute pipeline, of lull link or lull cc --layout: likewise.\n"
    "\n" LULL_OPTIONS_HELP "\n"
    "  --raw               PROGRAM is bare machine code. Then --grid counts WORKGROUPS,\n"
    "                      s[0:1] is the address of a table of the buffers' 64-bit addresses,\n"
    "                      workgroup ids follow in the next SGPRs as RSRC2 enables them, and\n"
    "                      v0 holds the work-item's ids: x 9:0, y 19:10, z 29:20\n"
    "  --buffer SIZE[@FILE][:out=FILE][:name=NAME]   next buffer, with a file in it or zeros\n"
    "  --isa gfx1100       whose code it is\n"
    "  --wave 32|64        32 if not given\n"
    "  --rsrc1 N --rsrc2 N COMPUTE_PGM_RSRC1 and 2; if not given: all VGPRs, IEEE,\n"
    "                      2 user SGPRs, workgroup and work-item ids x, y, z\n"
    "  --lds BYTES         local memory of a workgroup\n"
    "  --scratch BYTES     scratch memory of a lane\n"
    "\n"
    "  --check hazards     tell where the code breaks rules that hardware leaves to it: waits\n"
    "                      that are missing, gfx11's hazards, LDS out of range\n"
    "\n"
    "If not given: -O2, --timeout 1000.\n"
    "Exit status 1: page fault, bad instruction or --check's findings; 124: hang. The report goes "
    "to stdout.\n"
    "\n"
    "  lull run saxpy.cl --grid 1024 --block 256 --arg iota:1024:f32:out=y.bin \\\n"
    "      --arg rand:1:1024:f32 --arg f32:2.5 --arg i32:1000\n"
    "  lull run --raw code.bin --isa gfx1100 --grid 1 --block 32 --buffer 128:out=out.bin\n";

static const char vulkan[] =
    "\n"
    "A Vulkan compute shader runs under Debian's RADV on lull's virtual GPU. "
    "Options:\n\n" LULL_VK_OPTIONS_HELP
    "  --vulkan-device NAME|list   another device, by a part of its name (lavapipe), or which\n"
    "                      there are\n"
    "\n"
    "Exit status 1: a difference or a lost device; 124: a hang.\n"
    "\n"
    "A PAL compute pipeline (ELF for amdpal) takes of these --groups, --bind, --buffer, --push, "
    "--out,\n"
    "--out-dir, --expect, --tolerance, --seed, --timeout (1000) and --json, and:\n"
    "  --layout LAYOUT     its pipeline layout (JSON)\n"
    "  --block X[,Y[,Z]]   work-items in a workgroup, if its metadata do not say\n"
    "  --printf [--printf-bind S.B] [--printf-size BYTES] [--printf-save FILE]   give it a printf\n"
    "                      buffer at set S, binding B (4294967280.6), and print its lines\n"
    "  --device DEVICE, --check hazards   as above\n"
    "\n"
    "  lull run saxpy.comp --groups 16 --bind 0.0=iota:1024:f32 --bind 0.1=rand:1:1024:f32 \\\n"
    "      --push f32:2.5 --out 0.0=y.bin\n"
    "  lull run pipeline.elf --layout layout.json --groups 16 --bind 0.0=iota:1024:u32 --out "
    "0.0=y.bin\n";

const struct lull_command lull_cli_run = {
    .name = "run",
    .args = "[OPTIONS] PROGRAM",
    .help = "run a kernel on the model GPU or hardware, and write its buffers out",
    .more = more,
    .more2 = vulkan,
    .run = run,
};

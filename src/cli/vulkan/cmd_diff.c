// SPDX-License-Identifier: MIT
// lull diff: the same Vulkan shader on two devices, and where their results part.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/command.h"
#include "cli/vulkan/diff.h"
#include "cli/vulkan/scene.h"
#include "compile/run.h"

LULL_MUST_USE static struct lull_error *read_result(const struct lull_diff *d, int which,
                                                    const struct lull_vk_resource *r, uint8_t **ret)
{
    struct lull_str path = {0};
    size_t size = 0;
    lull_str_addf(&path, "%s/%s.bin", d->dir[which], r->name);
    struct lull_error *err = path.err != NULL ? path.err : lull_run_read(path.text, ret, &size);
    lull_str_free(&path);
    return err != NULL || size == r->size
               ? err
               : lull_error_new(LULL_ERR_BAD_DATA, "%s: %zu bytes", r->name, size);
}

LULL_MUST_USE static struct lull_error *compare(const struct lull_diff *d, struct lull_str *out,
                                                bool *found)
{
    struct lull_json j = {.out = out};
    struct lull_error *err = NULL;
    if (d->o.json) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "against", d->device[1][0] != '\0' ? d->device[1] : "lull");
        lull_json_key(&j, "bindings");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; err == NULL && i < d->o.args.n; i++) {
        const struct lull_vk_resource *r = &d->o.args.resources[i];
        lull_cleanup(lull_freep) uint8_t *a = NULL;
        lull_cleanup(lull_freep) uint8_t *b = NULL;
        if (r->kind == LULL_VK_SAMPLER) {
            continue;
        }
        err = read_result(d, 0, r, &a);
        if (err == NULL) {
            err = read_result(d, 1, r, &b);
        }
        if (err != NULL) {
            break;
        }
        const struct lull_tolerance t = lull_vk_options_tolerance(&d->o, r);
        struct lull_difference difference = {0};
        lull_compare(t.type, &t, a, b, r->size, &difference);
        *found |= difference.count != 0;
        if (d->o.json) {
            lull_json_open(&j, '{');
            lull_difference_json(&j, r->name, &difference);
            lull_json_close(&j, '}');
        } else if (difference.count != 0) {
            lull_difference_text(out, r->name, &difference);
        }
    }
    if (d->o.json) {
        lull_json_close(&j, ']');
        lull_json_close(&j, '}');
        lull_str_addf(out, "\n");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *both(struct lull_diff *d, int *status)
{
    struct lull_error *err = NULL;
    for (int which = 1; err == NULL && *status == LULL_EXIT_CLEAN && which >= 0; which--) {
        err = lull_run_make_dir(&d->dir[which]);
        if (err == NULL) {
            err = lull_diff_run(d, which, NULL, status);
        }
    }
    if (err != NULL || *status != LULL_EXIT_CLEAN) {
        return err;
    }
    struct lull_str out = {0};
    bool found = false;
    err = compare(d, &out, &found);
    for (int which = 0; err == NULL && found && d->listing && which < 2; which++) {
        err = lull_diff_listing(d, which, &out);
    }
    err = err != NULL ? err : out.err;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    *status = found ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    return err;
}

LULL_MUST_USE static struct lull_error *run_shader(const struct lull_form *form, int argc,
                                                   char **argv, int *status)
{
    struct lull_diff d = {.form = form, .argc = argc, .argv = argv};
    struct lull_error *err = lull_opt_parse(form, &d, argc, argv);
    err = err != NULL ? err : lull_diff_devices(&d);
    if (err == NULL && d.listing && d.o.json) {
        err = lull_error_new(LULL_ERR_INVALID, "--listing is text, not for --json");
    }
    if (err == NULL) {
        err = lull_vk_options_load(&d.o);
    }
    if (err == NULL) {
        err = both(&d, status);
    }
    lull_diff_done(&d);
    return err;
}

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME",
     "the GPU of lull's: gfx1100, as if not given, or an Adreno, a630, a660 or a740, under Turnip",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_diff, o.gpu)},
    {"--listing", NULL, NULL,
     "where they differ, also the code that the driver of each GPU of lull's made of the shader",
     LULL_OPT_FLAG, LULL_OPT_AT(struct lull_diff, listing)},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_diff_opts, 0},
    {NULL, opts, 0},
    {NULL, lull_assume_opts, offsetof(struct lull_diff, o.assume)},
    {NULL, lull_vk_work_opts, offsetof(struct lull_diff, o)},
    {NULL, lull_vk_any_opts, offsetof(struct lull_diff, o)},
    {NULL, lull_vk_shader_opts, offsetof(struct lull_diff, o)},
    {NULL, lull_vk_tolerance_opts, offsetof(struct lull_diff, o)},
    {0},
};

static const struct lull_form form = {
    .about = "SHADER: .comp or .glsl (GLSL, compiled by glslangValidator), or .spv. It runs on the "
             "DEVICE of --against, and on lull's virtual GPU or --vulkan-device NAME. TOLERANCE: "
             "ulp:N, abs:X, rel:X; exact if not given. --timeout is 60000 if not given, of host "
             "time.",
    .groups = groups,
    .run = run_shader,
};

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    if (lull_assume_list(argc, argv)) {
        return NULL;
    }
    const struct lull_form *f = lull_scene_is(&form, argc, argv) ? &lull_scene_diff_form : &form;
    return f->run(f, argc, argv, status);
}

const struct lull_command lull_cli_diff = {
    .name = "diff",
    .help = "run a Vulkan compute shader, or draw a scene, on two devices and compare the results",
    .forms = (const struct lull_form *const[]){&form, &lull_scene_diff_form, NULL},
    .after = "Exit status 1: they differ. Also what lull run says of either device.\n\n"
             "  lull diff saxpy.comp --against lavapipe:ulp:1 --groups 16 --bind "
             "0.0=iota:1024:f32 \\\n"
             "      --bind 0.1=rand:1:1024:f32 --push f32:2.5\n"
             "  lull diff pane.scene --against lavapipe:abs:1 --out pictures",
    .run = run,
};

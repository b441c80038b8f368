// SPDX-License-Identifier: MIT
// lull run SHADER: a Vulkan compute shader on lull's virtual GPU or any other device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "cli/opt/command.h"
#include "cli/opt/order.h"
#include "cli/vulkan/vk_options.h"
#include "file/png.h"

static const uint64_t OWN_GRACE_NS = 10000000000u;

LULL_MUST_USE static struct lull_error *list(void)
{
    struct lull_str out = {0};
    struct lull_error *err = lull_vk_list(&out);
    err = err != NULL ? err : out.err;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    return err;
}

/** One --out: FILE.png of an image of rgba8 without levels and layers is a picture. */
LULL_MUST_USE static struct lull_error *write_out(const struct lull_vk_resource *r,
                                                  const char *path)
{
    const size_t n = strlen(path);
    const bool flat = r->kind == LULL_VK_IMAGE && strcmp(r->format->name, "rgba8") == 0 &&
                      r->size == (size_t)r->image.width * r->image.height * r->format->bytes;
    return flat && n > 4 && strcmp(path + n - 4, ".png") == 0
               ? lull_png_write(path, r->image.width, r->image.height, r->bytes)
               : lull_output_write(path, r->bytes, r->size);
}

struct lull_error *lull_vk_cli_outs(const struct lull_vk_options *o)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < o->nouts; i++) {
        const struct lull_vk_resource *r = lull_vk_args_find(&o->args, o->outs[i].place);
        err = write_out(r, o->outs[i].text);
    }
    for (size_t i = 0; o->out_dir != NULL && err == NULL && i < o->args.n; i++) {
        const struct lull_vk_resource *r = &o->args.resources[i];
        if (r->kind == LULL_VK_SAMPLER) {
            continue;
        }
        struct lull_str path = {0};
        lull_str_addf(&path, "%s/%s.bin", o->out_dir, r->name);
        err = path.err != NULL ? path.err : lull_output_write(path.text, r->bytes, r->size);
        lull_str_free(&path);
    }
    return err;
}

/** One --expect; text or JSON goes to @p out. */
LULL_MUST_USE static struct lull_error *check_one(const struct lull_vk_options *o,
                                                  const struct lull_vk_pair *e,
                                                  struct lull_str *out, struct lull_json *j,
                                                  bool *found)
{
    static const char sha[] = "sha256:";
    const struct lull_vk_resource *r = lull_vk_args_find(&o->args, e->place);
    const struct lull_tolerance t = lull_vk_options_tolerance(o, r);
    struct lull_difference d = {.type = t.type};
    if (strncmp(e->text, sha, sizeof sha - 1) == 0) {
        char text[65] = "";
        lull_sha256_text(r->bytes, r->size, text);
        d.elements = r->size / t.type->size;
        d.count = strcmp(text, e->text + sizeof sha - 1) != 0;
        snprintf(d.got, sizeof d.got, "%.20s...", text);
        snprintf(d.want, sizeof d.want, "%.20s...", e->text + sizeof sha - 1);
        if (d.count != 0 && !o->json) {
            lull_str_addf(out, "%s: sha256 is %s\n", e->place, text);
        }
    } else {
        lull_cleanup(lull_freep) uint8_t *want = NULL;
        size_t size = 0;
        struct lull_error *err = lull_vk_content(e->text, t.type->name, 0, &want, &size);
        if (err == NULL && size != r->size) {
            err = lull_error_new(LULL_ERR_INVALID, "%zu bytes, the buffer has %zu", size, r->size);
        }
        if (err != NULL) {
            return lull_error_in(err, "--expect %s", e->place);
        }
        lull_compare(t.type, &t, r->bytes, want, size, &d);
        if (d.count != 0 && !o->json) {
            lull_difference_text(out, e->place, &d);
        }
    }
    *found |= d.count != 0;
    if (o->json) {
        lull_json_open(j, '{');
        lull_difference_json(j, e->place, &d);
        lull_json_close(j, '}');
    }
    return NULL;
}

struct lull_error *lull_vk_cli_tell(const struct lull_vk_options *o, const char *device,
                                    const struct lull_vk_result *result, struct lull_str *out,
                                    int *status)
{
    static const char *const ends[] = {
        [LULL_VK_DONE] = "done", [LULL_VK_LOST] = "device-lost", [LULL_VK_HANG] = "hang"};
    struct lull_json j = {.out = out};
    struct lull_error *err = NULL;
    bool found = false;
    if (o->json) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "result", ends[result->end]);
        lull_json_put_str(&j, "device", device);
        lull_json_put_u64(&j, "ns", result->ns);
        lull_json_key(&j, "expect");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; err == NULL && result->end == LULL_VK_DONE && i < o->nexpects; i++) {
        err = check_one(o, &o->expects[i], out, &j, &found);
    }
    if (o->json) {
        lull_json_close(&j, ']');
        lull_json_close(&j, '}');
        lull_str_addf(out, "\n");
    } else if (result->end == LULL_VK_LOST) {
        lull_str_addf(out, "device lost: '%s'\n", device);
    } else if (result->end == LULL_VK_HANG) {
        lull_str_addf(out, "hang: '%s' did not end in %llu ms\n", device,
                      (unsigned long long)(o->c.timeout_ns / 1000000));
    }
    *status = result->end == LULL_VK_HANG            ? LULL_EXIT_TIMEOUT
              : result->end == LULL_VK_LOST || found ? LULL_EXIT_FINDINGS
                                                     : LULL_EXIT_CLEAN;
    return err;
}

LULL_MUST_USE static struct lull_error *run_on(struct lull_vk_options *o, int *status)
{
    struct lull_vk *vk = NULL;
    struct lull_vk_result result = {0};
    if (strcmp(o->device, LULL_VK_OWN) == 0) {
        o->c.timeout_ns +=
            OWN_GRACE_NS; // the driver's own time-out comes first, and its log says so
    }
    const bool interpreted = strcmp(o->device, LULL_VK_INTERPRETER) == 0;
    struct lull_error *err = interpreted ? lull_vk_eval(o, &result) : lull_vk_open(o->device, &vk);
    if (err == NULL && !interpreted) {
        err = lull_vk_run(vk, &o->c, &result);
    }
    if (err == NULL && result.end == LULL_VK_DONE) {
        err = lull_vk_cli_outs(o);
    }
    struct lull_str out = {0};
    if (err == NULL) {
        err = lull_vk_cli_tell(o, interpreted ? LULL_VK_INTERPRETER : lull_vk_name(vk), &result,
                               &out, status);
    }
    err = err != NULL ? err : out.err;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    lull_vk_close(vk);
    return err;
}

/** debugPrintfEXT says nothing without somebody who prints: a line about it. */
static void silent_printf(const struct lull_vk_options *o)
{
    static const char import[] = "NonSemantic.DebugPrintf";
    const char *layers = getenv("VK_INSTANCE_LAYERS");
    const bool printed = getenv("LULL_SOCKET") != NULL || // lull exec says itself what it prints
                         (layers != NULL && strstr(layers, "VK_LAYER_") != NULL);
    if (!printed && memmem(o->spirv, o->spirv_bytes, import, sizeof import) != NULL) {
        fprintf(stderr,
                "lull run: %s: its debugPrintfEXT prints nothing here: lull printf run does, or "
                "lull exec --printf\n",
                o->name);
    }
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct lull_vk_options o = {0};
    struct lull_opts given = {.form = form, .base = &o};
    struct lull_error *err = lull_opts_parse(&given, argc, argv);
    o.engine.seeded = lull_opts_given(&given, "--seed");
    if (err == NULL && o.check.wanted != 0 && (o.device != NULL || getenv("LULL_SOCKET") != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID, "--check is for lull's own GPU, or for lull exec");
    }
    if (err == NULL && o.gpu != NULL && (o.device != NULL || getenv("LULL_SOCKET") != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "--gpu is for lull's own GPU, neither with --vulkan-device nor under "
                             "lull exec");
    }
    if (err == NULL && o.schedule != NULL && (o.device != NULL || getenv("LULL_SOCKET") != NULL)) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "--schedule is for lull's own GPU, or for lull exec and lull debug");
    }
    err = err != NULL ? err : lull_assume_check(&o.assume, o.gpu);
    if (err == NULL && o.device != NULL && strcmp(o.device, "list") == 0) {
        err = list();
    } else if (err == NULL) {
        // Under lull exec or lull debug the virtual GPU is there already.
        if (o.device == NULL && getenv("LULL_SOCKET") != NULL) {
            o.device = LULL_VK_OWN;
        }
        err = lull_vk_options_load(&o);
        if (err == NULL) {
            silent_printf(&o);
            lull_files_in(&o.args.files, o.schedule);
            err = o.schedule != NULL ? lull_schedule_read(o.schedule, &o.seed, &o.order) : NULL;
        }
        if (err == NULL) {
            err = o.device != NULL ? run_on(&o, status)
                                   : lull_vk_cli_self(form, argc, argv, &o, status);
        }
    }
    lull_schedule_free(o.order);
    lull_vk_options_done(&o);
    return err;
}

const struct lull_opt lull_vk_cli_opts[] = {
    {"--vulkan-device", NULL, "NAME|list",
     "another device, by a part of its name (lavapipe), or which there are; interpreter: none, "
     "lull "
     "interprets the SPIR-V",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_vk_options, device)},
    {"--gpu", NULL, "NAME",
     "which GPU of lull's own: gfx1100, as if not given, or an Adreno, a630, a660 or a740, under "
     "Turnip",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_vk_options, gpu)},
    {"--schedule", NULL, "FILE",
     "on lull's GPU: waves wait for each other as FILE says, which lull explore made",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_vk_options, schedule)},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_vk_work_opts, 0},
    {NULL, lull_vk_any_opts, 0},
    {NULL, lull_vk_shader_opts, 0},
    {NULL, lull_vk_result_opts, 0},
    {NULL, lull_vk_expect_opts, 0},
    {NULL, lull_vk_tolerance_opts, 0},
    {NULL, lull_vk_cli_opts, 0},
    {NULL, lull_check_same_opts, offsetof(struct lull_vk_options, check)},
    {NULL, lull_assume_opts, offsetof(struct lull_vk_options, assume)},
    {NULL, lull_engine_opts, offsetof(struct lull_vk_options, engine)},
    {0},
};

const struct lull_form lull_vk_form = {
    .about = "A Vulkan compute shader (.comp, .glsl or .spv) runs under Debian's RADV on lull's "
             "virtual GPU. --timeout is 60000 if not given, of host time: drivers compile, and a "
             "host may be slow.",
    .groups = groups,
    .run = run,
};

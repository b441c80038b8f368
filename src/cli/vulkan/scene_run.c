// SPDX-License-Identifier: MIT
// lull run SCENE: a scene drawn on lull's virtual GPU or any other device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/opt/command.h"
#include "cli/vulkan/scene.h"
#include "vk/draw/draw.h"

static const uint64_t OWN_GRACE_NS = 10000000000u, DEFAULT_TIMEOUT_NS = 60000000000u;

/** What the rows fill. */
struct scene_run {
    struct lull_vk_options o;
    bool png, some; ///< some: only the first draws.
    uint64_t draws;
};

LULL_MUST_USE static struct lull_error *draws(void *base, const struct lull_opt *o,
                                              const char *value)
{
    struct scene_run *r = base;
    r->some = true;
    return lull_opt_number(o->name, value, 0, UINT32_MAX, &r->draws);
}

bool lull_scene_is(const struct lull_form *form, int argc, char **argv)
{
    static const char ending[] = ".scene";
    struct lull_opt_scan scan = {.form = form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        const size_t n = item.operand ? strlen(item.word) : 0;
        if (n >= sizeof ending && strcmp(item.word + n - (sizeof ending - 1), ending) == 0) {
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *write_one(const struct scene_run *r,
                                                  const struct lull_scene *s,
                                                  const struct lull_drawn_item *item)
{
    struct lull_picture p = {0};
    struct lull_str path = {0}, png = {0};
    lull_str_addf(&path, "%s/%s.bin", r->o.out_dir, item->name);
    lull_str_addf(&png, "%s/%s.png", r->o.out_dir, item->name);
    struct lull_error *err = path.err != NULL ? path.err : png.err;
    if (err == NULL) {
        err = lull_output_write(path.text, item->bytes, item->size);
    }
    if (err == NULL && r->png && lull_picture_of(s, item->name, &p)) {
        err = lull_picture_png(&p, item->bytes, png.text);
    }
    lull_str_free(&path);
    lull_str_free(&png);
    return err;
}

LULL_MUST_USE static struct lull_error *draw(struct scene_run *r, struct lull_scene *s,
                                             struct lull_vk *vk, int *status)
{
    struct lull_drawn drawn = {0};
    struct lull_str out = {0};
    struct lull_error *err = lull_error_in(lull_vk_draw(vk, s, r->o.c.timeout_ns, &drawn),
                                           "%s: '%s'", r->o.path, lull_vk_name(vk));
    for (size_t i = 0; err == NULL && r->o.out_dir != NULL && i < drawn.n; i++) {
        err = write_one(r, s, &drawn.items[i]);
    }
    if (err == NULL) {
        const struct lull_vk_result result = {.end = drawn.end};
        err = lull_vk_cli_tell(&r->o, lull_vk_name(vk), &result, &out, status);
    }
    err = err != NULL ? err : out.err;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    lull_drawn_done(&drawn);
    return err;
}

LULL_MUST_USE static struct lull_error *run_on(struct scene_run *r, struct lull_scene *s,
                                               int *status)
{
    struct lull_vk *vk = NULL;
    if (strcmp(r->o.device, LULL_VK_OWN) == 0) {
        r->o.c.timeout_ns += OWN_GRACE_NS; // the driver's own time-out comes first
    }
    if (r->some) {
        lull_scene_cut(s, r->draws);
    }
    struct lull_error *err = lull_scene_shaders(s, r->o.path);
    if (err == NULL) {
        err = lull_vk_open_draws(r->o.device, &vk);
    }
    if (err == NULL) {
        err = draw(r, s, vk, status);
    }
    lull_vk_close(vk);
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct scene_run r = {0};
    struct lull_scene s = {0};
    struct lull_opts given = {.form = form, .base = &r};
    struct lull_error *err = lull_opts_parse(&given, argc, argv);
    r.o.engine.seeded = lull_opts_given(&given, "--seed");
    if (err == NULL) {
        err = lull_scene_read(&s, r.o.path);
    }
    if (err == NULL) {
        r.o.c.timeout_ns = r.o.c.timeout_ns != 0 ? r.o.c.timeout_ns : DEFAULT_TIMEOUT_NS;
        r.o.name = r.o.path;
        // Under lull exec or lull debug the virtual GPU is there already.
        if (r.o.device == NULL && getenv("LULL_SOCKET") != NULL) {
            r.o.device = LULL_VK_OWN;
        }
        err = r.o.device != NULL ? run_on(&r, &s, status)
                                 : lull_vk_cli_self(form, argc, argv, &r.o, status);
    }
    lull_scene_done(&s);
    lull_vk_options_done(&r.o);
    return err;
}

const struct lull_opt lull_scene_opts[] = {
    {"--draws", NULL, "N", "only the first N draws and clears", LULL_OPT_CALL, .call = draws},
    {"--png", NULL, NULL, "with --out-dir: targets, depth and stencil as NAME.png, too",
     LULL_OPT_FLAG, LULL_OPT_AT(struct scene_run, png)},
    {0},
};

static const struct lull_opt opts[] = {
    {"--out-dir", NULL, "DIR", "write all results, each into NAME.bin", LULL_OPT_TEXT,
     LULL_OPT_AT(struct scene_run, o.out_dir)},
    {"--vulkan-device", NULL, "NAME", "another device, by a part of its name (lavapipe)",
     LULL_OPT_TEXT, LULL_OPT_AT(struct scene_run, o.device)},
    {"SCENE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct scene_run, o.path), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_vk_any_opts, 0},
    {NULL, lull_engine_opts, offsetof(struct lull_vk_options, engine)},
    {NULL, lull_scene_opts, 0},
    {NULL, opts, 0},
    {0},
};

const struct lull_form lull_scene_form = {
    .about = "SCENE, a file NAME.scene of shaders, vertices, state, targets and draws "
             "(docs/formats/scene.md), is drawn under Debian's RADV on lull's virtual GPU. "
             "--timeout is 60000 if not given, of host time.",
    .groups = groups,
    .run = run,
};

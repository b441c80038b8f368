// SPDX-License-Identifier: MIT
// lull diff SCENE: the same scene on two devices, the first difference, and the draw that made it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/command.h"
#include "cli/vulkan/diff.h"
#include "cli/vulkan/scene.h"
#include "compile/run.h"

enum { MOST = LULL_SCENE_TARGETS + 3 + LULL_SCENE_BUFFERS };

/** One result of a scene. */
struct result {
    const char *name;
    char room[16];
    bool is_picture;
    struct lull_picture picture;
};

/** A pixel where pictures part. */
struct place {
    bool found;
    const char *result;
    uint32_t x, y;
};

struct scene_diff {
    struct lull_diff d;
    struct lull_scene scene;
    struct result results[MOST];
    size_t n;
    size_t ndraws;      ///< Draws and clears.
    size_t made;        ///< The one that made the first difference; 0: the clears of the targets.
    bool known;         ///< made is.
    struct place place; ///< Behind it.
};

static void add(struct scene_diff *s, const char *name)
{
    struct result *r = &s->results[s->n++];
    snprintf(r->room, sizeof r->room, "%s", name);
    r->name = strlen(name) < sizeof r->room ? r->room : name;
    r->is_picture = lull_picture_of(&s->scene, name, &r->picture);
}

/** All results that the scene gives; queries last. */
static void name_results(struct scene_diff *s)
{
    const struct lull_scene *scene = &s->scene;
    bool queries = false;
    for (uint32_t i = 0; i < scene->ntargets; i++) {
        char name[16] = "";
        snprintf(name, sizeof name, "target%u", (unsigned)(i % 10));
        add(s, name);
    }
    const VkFormat depth = scene->depth.format != NULL ? scene->depth.format->format : 0;
    if (depth != 0 && depth != VK_FORMAT_S8_UINT) {
        add(s, "depth");
    }
    if (depth == VK_FORMAT_S8_UINT || depth == VK_FORMAT_D32_SFLOAT_S8_UINT) {
        add(s, "stencil");
    }
    for (uint32_t i = 0; i < scene->nbuffers; i++) {
        if (scene->buffers[i].out) {
            add(s, scene->buffers[i].name);
        }
    }
    for (size_t i = 0; i < scene->nsteps; i++) {
        s->ndraws += lull_scene_draws(&scene->steps[i]);
        queries |= scene->steps[i].kind == LULL_SCENE_QUERY_BEGIN;
    }
    if (queries) {
        add(s, "queries");
    }
}

/** Tolerances are of results that there are. */
LULL_MUST_USE static struct lull_error *check(struct scene_diff *s)
{
    const struct lull_vk_options *o = &s->d.o;
    for (size_t i = 0; i < o->ntolerances; i++) {
        bool there = o->tolerances[i].place[0] == '\0';
        for (size_t k = 0; k < s->n; k++) {
            there |= strcmp(s->results[k].name, o->tolerances[i].place) == 0;
        }
        if (!there) {
            return lull_error_new(LULL_ERR_INVALID, "--tolerance %s: the scene has no such result",
                                  o->tolerances[i].place);
        }
    }
    return NULL;
}

static struct lull_tolerance tolerance_of(const struct scene_diff *s, const char *name)
{
    const struct lull_vk_options *o = &s->d.o;
    struct lull_tolerance t = {0};
    for (size_t i = 0; i < o->ntolerances; i++) { // the last that fits
        if (o->tolerances[i].place[0] == '\0' || strcmp(o->tolerances[i].place, name) == 0) {
            t = o->tolerances[i];
        }
    }
    return t;
}

LULL_MUST_USE static struct lull_error *load(const struct scene_diff *s, int which,
                                             const char *name, uint8_t **ret, size_t *ret_size)
{
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/%s.bin", s->d.dir[which], name);
    struct lull_error *err = path.err != NULL ? path.err : lull_run_read(path.text, ret, ret_size);
    lull_str_free(&path);
    return err;
}

/** Both bytes of a result. */
struct pair {
    uint8_t *bytes[2];
    size_t size[2];
};

static void pair_done(struct pair *p)
{
    free(p->bytes[0]);
    free(p->bytes[1]);
}

LULL_MUST_USE static struct lull_error *load_pair(const struct scene_diff *s,
                                                  const struct result *r, struct pair *ret)
{
    const struct lull_picture *p = &r->picture;
    const size_t least = r->is_picture ? (size_t)p->width * p->height * p->layers * p->bytes : 0;
    for (int which = 0; which < 2; which++) {
        struct lull_error *err = load(s, which, r->name, &ret->bytes[which], &ret->size[which]);
        if (err == NULL && ret->size[which] < least) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "%s: %zu bytes", r->name, ret->size[which]);
        }
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

static void picture_text(struct lull_str *out, const struct result *r,
                         const struct lull_picture_difference *f)
{
    lull_str_addf(out, "%s: %zu of %zu pixels differ, first %u,%u", r->name, f->count, f->pixels,
                  f->x, f->y);
    if (r->picture.layers > 1) {
        lull_str_addf(out, " layer %u", f->layer);
    }
    lull_str_addf(out, " %c: got %s, want %s", f->channel, f->got, f->want);
    if (f->max_error > 0) {
        lull_str_addf(out, ", greatest distance %g", f->max_error);
    }
    lull_str_addf(out, "\n");
}

static void picture_json(struct lull_json *j, const struct result *r,
                         const struct lull_picture_difference *f)
{
    lull_json_put_str(j, "place", r->name);
    lull_json_put_str(j, "format", r->picture.format);
    lull_json_put_u64(j, "pixels", f->pixels);
    lull_json_put_u64(j, "different", f->count);
    if (f->count != 0) {
        const char channel[2] = {f->channel, '\0'};
        char error[32] = "";
        snprintf(error, sizeof error, "%.9g", f->max_error);
        lull_json_put_u64(j, "x", f->x);
        lull_json_put_u64(j, "y", f->y);
        lull_json_put_u64(j, "layer", f->layer);
        lull_json_put_str(j, "channel", channel);
        lull_json_put_str(j, "got", f->got);
        lull_json_put_str(j, "want", f->want);
        lull_json_put_str(j, "max_error", error);
    }
}

/** Lines of queries; clocks are not compared. */
static void compare_queries(const struct pair *p, struct lull_difference *ret)
{
    static const char clock[] = "timestamp";
    const char *a = (const char *)p->bytes[0], *b = (const char *)p->bytes[1];
    static const struct lull_type line = {.name = "lines", .size = 1, .kind = 'u'};
    *ret = (struct lull_difference){.type = &line};
    for (; *a != '\0' && *b != '\0'; ret->elements++) {
        const size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        const bool same =
            strncmp(a, clock, sizeof clock - 1) == 0 || (n == m && memcmp(a, b, n) == 0);
        if (!same && ret->count++ == 0) {
            ret->first = ret->elements;
            snprintf(ret->got, sizeof ret->got, "%.*s", (int)n, a);
            snprintf(ret->want, sizeof ret->want, "%.*s", (int)m, b);
        }
        a += n + (a[n] != '\0');
        b += m + (b[m] != '\0');
    }
}

/** One result; text or JSON goes to @p out, if that is not NULL. */
LULL_MUST_USE static struct lull_error *compare_one(const struct scene_diff *s,
                                                    const struct result *r, struct lull_str *out,
                                                    struct lull_json *j, struct place *ret)
{
    const struct lull_tolerance t = tolerance_of(s, r->name);
    struct lull_picture_difference f = {0};
    struct lull_difference d = {0};
    struct pair p = {0};
    struct lull_error *err = load_pair(s, r, &p);
    if (err != NULL) {
        pair_done(&p);
        return err;
    }
    if (r->is_picture) {
        lull_picture_compare(&r->picture, &t, p.bytes[0], p.bytes[1], &f);
    } else if (strcmp(r->name, "queries") == 0) {
        compare_queries(&p, &d);
    } else {
        const struct lull_type *type = t.type != NULL ? t.type : lull_type_find("u32");
        lull_compare(type, &t, p.bytes[0], p.bytes[1],
                     p.size[0] < p.size[1] ? p.size[0] : p.size[1], &d);
    }
    pair_done(&p);
    if (f.count + d.count != 0 && !ret->found) {
        *ret = (struct place){true, r->is_picture ? r->name : NULL, f.x, f.y};
    }
    if (out != NULL && s->d.o.json) {
        lull_json_open(j, '{');
        if (r->is_picture) {
            picture_json(j, r, &f);
        } else {
            lull_difference_json(j, r->name, &d);
        }
        lull_json_close(j, '}');
    } else if (out != NULL && f.count != 0) {
        picture_text(out, r, &f);
    } else if (out != NULL && d.count != 0) {
        lull_difference_text(out, r->name, &d);
    }
    return NULL;
}

/** Draw the first @p n draws on both; all, if it is SIZE_MAX. */
LULL_MUST_USE static struct lull_error *both(struct scene_diff *s, size_t n, int *status)
{
    char text[24] = "";
    snprintf(text, sizeof text, "%zu", n);
    const char *const more[] = {"--draws", text, NULL};
    struct lull_error *err = NULL;
    for (int which = 1; err == NULL && *status == LULL_EXIT_CLEAN && which >= 0; which--) {
        err = lull_diff_run(&s->d, which, n != SIZE_MAX ? more : NULL, status);
    }
    return err;
}

/** Do targets, depth, stencil or buffers differ behind the first @p n draws? */
LULL_MUST_USE static struct lull_error *differs(struct scene_diff *s, size_t n, int *status,
                                                struct place *ret)
{
    *ret = (struct place){0};
    struct lull_error *err = both(s, n, status);
    for (size_t i = 0; err == NULL && *status == LULL_EXIT_CLEAN && i < s->n; i++) {
        if (strcmp(s->results[i].name, "queries") != 0) {
            err = compare_one(s, &s->results[i], NULL, NULL, ret);
        }
    }
    return err;
}

/** Find a draw before which there is no difference, and behind which there is one. */
LULL_MUST_USE static struct lull_error *bisect(struct scene_diff *s, int *status)
{
    size_t same = 0, different = s->ndraws;
    struct lull_error *err = NULL;
    while (err == NULL && *status == LULL_EXIT_CLEAN && different > same) {
        const size_t middle = same + (different - same) / 2; // 0 comes last, if at all
        struct place p = {0};
        err = differs(s, middle, status, &p);
        if (err == NULL && p.found) {
            different = middle;
            s->place = p;
        } else {
            same = middle + 1;
        }
    }
    s->made = different;
    s->known = err == NULL && *status == LULL_EXIT_CLEAN;
    return err;
}

LULL_MUST_USE static struct lull_error *write_pictures(const struct scene_diff *s)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && s->d.out != NULL && i < s->n; i++) {
        const struct result *r = &s->results[i];
        struct lull_str path[3] = {{0}};
        struct pair p = {0};
        if (!r->is_picture) {
            continue;
        }
        static const char *const names[] = {"got", "want", "difference"};
        for (unsigned k = 0; k < 3; k++) {
            lull_str_addf(&path[k], "%s/%s.%s.png", s->d.out, r->name, names[k]);
            err = err != NULL ? err : path[k].err;
        }
        err = err != NULL ? err : load_pair(s, r, &p);
        for (int k = 0; err == NULL && k < 2; k++) {
            err = lull_picture_png(&r->picture, p.bytes[k], path[k].text);
        }
        if (err == NULL) {
            err = lull_picture_difference_png(&r->picture, p.bytes[0], p.bytes[1], path[2].text);
        }
        for (unsigned k = 0; k < 3; k++) {
            lull_str_free(&path[k]);
        }
        pair_done(&p);
    }
    return err;
}

/** The step of draw or clear @p n, from 1 on. */
static const struct lull_scene_step *step_of(const struct lull_scene *s, size_t n)
{
    size_t i = 0;
    for (; n > 0; i++) {
        n -= lull_scene_draws(&s->steps[i]);
    }
    return &s->steps[i - 1];
}

/** What a person would run next, if lull's GPU is one of the two; "": nothing. */
static void next_command(const struct scene_diff *s, struct lull_str *out)
{
    if (s->place.result != NULL && (s->d.device[0][0] == '\0' || s->d.device[1][0] == '\0')) {
        lull_str_addf(out, "lull debug -ex 'pixel %u %u' -ex run -ex pixel -- lull run %s",
                      s->place.x, s->place.y, s->d.o.path);
    }
}

static void tell_draw(const struct scene_diff *s, struct lull_str *out, struct lull_json *j)
{
    const struct lull_scene_step *t = s->made != 0 ? step_of(&s->scene, s->made) : NULL;
    struct lull_str next = {0};
    next_command(s, &next);
    if (s->d.o.json) {
        lull_json_key(j, "first");
        lull_json_open(j, '{');
        lull_json_put_u64(j, "draw", s->made);
        lull_json_put_u64(j, "of", s->ndraws);
        if (t != NULL) {
            lull_json_put_u64(j, "line", t->line);
            lull_json_put_str(j, "text", t->text);
        }
        if (next.size != 0) {
            lull_json_put_str(j, "next", lull_str_text(&next));
        }
        lull_json_close(j, '}');
    } else if (t != NULL) {
        lull_str_addf(out, "first made by draw %zu of %zu, %s:%u: %s\n", s->made, s->ndraws,
                      s->d.o.path, t->line, t->text);
    } else {
        lull_str_addf(out, "first made by the clears of the targets, before draw 1\n");
    }
    if (!s->d.o.json && next.size != 0) {
        lull_str_addf(out, "next: %s\n", lull_str_text(&next));
    }
    lull_error_free(next.err);
    next.err = NULL;
    lull_str_free(&next);
}

/** Compare all, find the draw, tell. */
LULL_MUST_USE static struct lull_error *compare(struct scene_diff *s, struct lull_str *out,
                                                int *status)
{
    struct lull_json j = {.out = out};
    struct place any = {0};
    struct lull_error *err = NULL;
    if (s->d.o.json) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "against", s->d.device[1][0] != '\0' ? s->d.device[1] : "lull");
        lull_json_key(&j, "results");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; err == NULL && i < s->n; i++) {
        struct place p = {0};
        err = compare_one(s, &s->results[i], out, &j, &p);
        any.found |= p.found;
        if (p.found && !s->place.found && strcmp(s->results[i].name, "queries") != 0) {
            s->place = p;
        }
    }
    if (s->d.o.json) {
        lull_json_close(&j, ']');
    }
    if (err == NULL) {
        err = write_pictures(s);
    }
    if (err == NULL && s->place.found) {
        err = bisect(s, status);
    }
    if (err == NULL && s->known) {
        tell_draw(s, out, &j);
    }
    if (s->d.o.json) {
        lull_json_close(&j, '}');
        lull_str_addf(out, "\n");
    }
    if (any.found && *status == LULL_EXIT_CLEAN) {
        *status = LULL_EXIT_FINDINGS;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    lull_cleanup(lull_freep) struct scene_diff *s = calloc(1, sizeof *s);
    struct lull_str out = {0};
    if (s == NULL) {
        return &lull_enomem;
    }
    s->d = (struct lull_diff){.form = form, .argc = argc, .argv = argv, .draws = true};
    struct lull_error *err = lull_opt_parse(form, &s->d, argc, argv);
    err = err != NULL ? err : lull_diff_devices(&s->d);
    err = err != NULL ? err : lull_scene_read(&s->scene, s->d.o.path);
    if (err == NULL) {
        name_results(s);
        err = check(s);
    }
    for (int i = 0; err == NULL && i < 2; i++) {
        err = lull_run_make_dir(&s->d.dir[i]);
    }
    if (err == NULL) {
        err = both(s, SIZE_MAX, status);
    }
    if (err == NULL && *status == LULL_EXIT_CLEAN) {
        err = compare(s, &out, status);
        err = err != NULL ? err : out.err;
    }
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    lull_scene_done(&s->scene);
    lull_diff_done(&s->d);
    return err;
}

static const struct lull_opt opts[] = {
    {"--out", NULL, "DIR",
     "write targets, depth and stencil as NAME.got.png, NAME.want.png and NAME.difference.png",
     LULL_OPT_TEXT, LULL_OPT_AT(struct scene_diff, d.out)},
    {"SCENE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct scene_diff, d.o.path),
     .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_diff_opts, offsetof(struct scene_diff, d)},
    {NULL, lull_vk_any_opts, offsetof(struct scene_diff, d.o)},
    {NULL, lull_vk_tolerance_opts, offsetof(struct scene_diff, d.o)},
    {NULL, opts, 0},
    {0},
};

const struct lull_form lull_scene_diff_form = {
    .about = "SCENE: a file NAME.scene (docs/formats/scene.md). Its targets, depth, stencil, "
             "buffers and queries are compared; where they differ, the scene is drawn again and "
             "again to find the draw that first makes a difference. TOLERANCE counts in the "
             "numbers of the format: abs:1 of UNORM is its smallest step.",
    .groups = groups,
    .run = run,
};

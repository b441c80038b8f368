// SPDX-License-Identifier: MIT
/* dump overdraw, dump primitives, dump mesh after: what a draw draws, counted while it runs. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "debug/session/drawn.h"
#include "debug/shell/vertices.h"
#include "file/png.h"

enum { MOST_PRIMITIVES = 1 << 18, CORNERS = 3 };

/* Times shaded: black 0, then blue to red, white from 8 on. */
static const uint8_t scale[9][3] = {{0, 0, 0},     {0, 0, 160},  {0, 96, 224},
                                    {0, 176, 176}, {0, 176, 0},  {200, 200, 0},
                                    {240, 140, 0}, {240, 40, 0}, {255, 255, 255}};

/* A bright colour for each primitive, neighbours in number far apart: hues in golden steps. */
static void color_of(const struct lull_shaded_pixel *p, uint8_t ret[3])
{
    const double n = p->prim + 7919.0 * p->instance + 104729.0 * p->draw;
    const double hue = fmod(n * 0.61803398875, 1) * 6;
    for (unsigned c = 0; c < 3; c++) {
        const double far = fabs(fmod(hue - 2 * c + 9, 6) - 3); // 3: this component's own hue
        const double v = far > 2 ? 1 : far > 1 ? far - 1 : 0;
        ret[c] = (uint8_t)(63 + 192 * v);
    }
}

/** What is to be made. */
struct want {
    bool primitives; ///< The picture of ids; else of overdraw.
    bool frame;
};

LULL_MUST_USE static struct lull_error *paint(struct lull_cmd *c, const struct want *w,
                                              const struct lull_shaded_pixel *all,
                                              struct lull_pixels *to, bool png)
{
    uint32_t most = 0;
    uint64_t covered = 0;
    const size_t n = (size_t)to->width * to->height;
    to->data = calloc(n + 1, sizeof *all);
    if (to->data == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        most = all[i].shaded > most ? all[i].shaded : most;
        covered += all[i].shaded != 0;
        uint8_t *at = to->data + 4 * i;
        if (!png) {
            memcpy(to->data + sizeof all[i] * i, &all[i], sizeof all[i]);
            continue;
        }
        memcpy(at, scale[w->primitives ? 0 : all[i].shaded < 8 ? all[i].shaded : 8], 3);
        at[3] = UINT8_MAX;
        if (w->primitives && all[i].draw != UINT32_MAX) {
            color_of(&all[i], at);
        }
    }
    lull_str_addf(c->out, "%" PRIu64 " pixels shaded, at most %" PRIu32 " time%s\n", covered, most,
                  most == 1 ? "" : "s");
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "covered", covered);
        lull_json_put_u64(c->json, "most", most);
    }
    return NULL;
}

/* The size of what the last draw draws to. */
LULL_MUST_USE static struct lull_error *size_of(struct lull_debug *d, struct lull_pixels *ret)
{
    struct lull_draw_view view = {0};
    struct lull_error *err = lull_debug_draw_image(d, "target", 0, &view);
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) {
        lull_error_free(err);
        err = lull_debug_draw_image(d, "depth", 0, &view);
    }
    if (err == NULL) {
        const struct lull_extent e = lull_image_extent(&view.image, view.level);
        ret->width = e.width;
        ret->height = e.height;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *picture(struct lull_cmd *c, const struct want *w,
                                                const char *file)
{
    struct lull_pixels p = {0};
    size_t n = 0;
    struct lull_debug *d = c->d;
    const size_t length = strlen(file);
    const bool png = length >= 4 && strcmp(file + length - 4, ".png") == 0;
    struct lull_error *err = size_of(d, &p);
    err = err != NULL ? err : lull_debug_count_drawn(d, w->frame, p.width, p.height);
    if (err != NULL) {
        return err;
    }
    const size_t room = (size_t)p.width * p.height;
    lull_cleanup(lull_freep) struct lull_shaded_pixel *all = calloc(room + 1, sizeof *all);
    err = all == NULL ? &lull_enomem : lull_debug_drawn_pixels(d, all, room, &n);
    err = err != NULL ? err : paint(c, w, all, &p, png);
    err = err != NULL ? err : lull_debug_write_pixels(c, file, &p);
    free(p.data);
    return err;
}

/* Positions divided by w; a primitive with a corner at or behind the eye has none. */
static bool project(const struct lull_exported_primitive *p, float ret[CORNERS][3])
{
    for (unsigned k = 0; k < p->corners; k++) {
        if (!(p->pos[k][3] > 0)) {
            return false;
        }
        for (unsigned i = 0; i < 3; i++) {
            ret[k][i] = p->pos[k][i] / p->pos[k][3];
        }
    }
    return true;
}

LULL_MUST_USE static struct lull_error *mesh_after(struct lull_cmd *c, const char *file)
{
    struct lull_debug *d = c->d;
    const uint64_t number = d->draw.number;
    size_t n = 0;
    size_t behind = 0;
    struct lull_error *err = lull_debug_count_drawn(d, false, 1, 1);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_freep) struct lull_exported_primitive *all =
        calloc(MOST_PRIMITIVES, sizeof *all);
    lull_cleanup(lull_mesh_free) struct lull_mesh *m = lull_mesh_new();
    err = all == NULL || m == NULL ? &lull_enomem
                                   : lull_debug_drawn_primitives(d, all, MOST_PRIMITIVES, &n);
    if (err != NULL) {
        return err;
    }
    for (size_t i = 0; i < n; i++) {
        float p[CORNERS][3] = {{0}};
        if (project(&all[i], p)) {
            lull_mesh_own(m, all[i].corners, p);
        } else {
            behind++;
        }
    }
    lull_cleanup(lull_str_free) struct lull_str head = {0};
    lull_str_addf(
        &head, "# draw %" PRIu64 ", as its last geometry stage exports it: x/w y/w z/w, y down\n",
        number);
    if (behind != 0) {
        lull_str_addf(&head, "# %zu primitives have a corner at w <= 0 and are left out\n", behind);
        lull_str_addf(c->out, "%zu primitives have a corner at w <= 0 and are left out\n", behind);
    }
    if (n == MOST_PRIMITIVES) {
        lull_str_addf(&head, "# only the first %d primitives\n", MOST_PRIMITIVES);
        lull_str_addf(c->out, "Only the first %d primitives.\n", MOST_PRIMITIVES);
    }
    lull_str_addf(&head, "o draw%" PRIu64 "\n", number);
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "behind", behind);
    }
    return lull_mesh_write(c, file, lull_str_text(&head), m);
}

struct lull_error *lull_debug_dump_drawn(struct lull_cmd *c, const char *what, const char *file)
{
    const char *at = what;
    const bool mesh = lull_cmd_word(&at, "mesh") && lull_cmd_word(&at, "after");
    struct want w = {.primitives = !mesh && lull_cmd_word(&at, "primitives")};
    const bool overdraw = !mesh && !w.primitives && lull_cmd_word(&at, "overdraw");
    w.frame = !mesh && lull_cmd_word(&at, "frame");
    if (*at != '\0' || !(mesh || w.primitives || overdraw)) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is left over", at);
    }
    struct lull_error *err = mesh ? mesh_after(c, file) : picture(c, &w, file);
    lull_debug_counted(c->d);
    return err != NULL ? err : lull_debug_report(c);
}

bool lull_debug_is_png(const char *file)
{
    const size_t n = strlen(file);
    return n >= 4 && strcmp(file + n - 4, ".png") == 0;
}

struct lull_error *lull_debug_write_pixels(struct lull_cmd *c, const char *file,
                                           const struct lull_pixels *p)
{
    const bool png = lull_debug_is_png(file);
    struct lull_error *err =
        png ? lull_png_write(file, p->width, p->height, p->data)
            : lull_output_write(file, p->data, (size_t)p->width * p->height * sizeof(uint32_t[4]));
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%" PRIu32 "x%" PRIu32 " texels to %s%s\n", p->width, p->height, file,
                  png ? "" : ", four dwords each");
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", file);
        lull_json_put_u64(c->json, "width", p->width);
        lull_json_put_u64(c->json, "height", p->height);
    }
    return NULL;
}

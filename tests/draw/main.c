// SPDX-License-Identifier: MIT
// draw DEVICE FOLDER SCENE...: each scene drawn on the device whose name contains DEVICE. What it
// gives stands in FOLDER: NAME.targetN, NAME.depth and NAME.stencil (texels, layer after layer,
// as the format has them), NAME.BUFFER for each "out", NAME.queries. A line for each scene:
// "NAME ok", "NAME lacks: WHY", "NAME failed: WHY". Ends with 0 if it came to the last one.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "vk/draw/draw.h"

enum { NAME = 128, PATH = 1024 };

static const uint64_t timeout_ns = 300000000000u;

static struct lull_error *save(const char *folder, const char *name,
                               const struct lull_drawn_item *item)
{
    char path[PATH] = "";
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, item->name);
    lull_cleanup(lull_fclosep) FILE *f = fopen(path, "wb");
    return f != NULL && fwrite(item->bytes, 1, item->size, f) == item->size && fflush(f) == 0
               ? NULL
               : lull_error_os(errno, "%s", path);
}

static struct lull_error *draw(struct lull_vk *vk, const struct lull_scene *s, const char *folder,
                               const char *name)
{
    struct lull_drawn d = {0};
    struct lull_error *err = lull_vk_draw(vk, s, timeout_ns, &d);
    if (err == NULL && d.end != LULL_VK_DONE) {
        err = lull_error_new(LULL_ERR_OS, d.end == LULL_VK_LOST ? "device lost" : "hang");
    }
    for (size_t i = 0; err == NULL && i < d.n; i++) {
        err = save(folder, name, &d.items[i]);
    }
    lull_drawn_done(&d);
    return err;
}

/** The file's name without folder and ending. */
static void name_of(const char *path, char *name)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, NAME, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot != NULL) {
        *dot = '\0';
    }
}

static void one(struct lull_vk **vk, const char *device, const char *folder, const char *path)
{
    struct lull_scene s = {0};
    char name[NAME] = "";
    const char *verdict = "failed";
    name_of(path, name);
    struct lull_error *err = lull_scene_read(&s, path);
    if (err == NULL) {
        err = lull_scene_shaders(&s, path);
    }
    if (err == NULL && *vk == NULL) {
        err = lull_vk_open_draws(device, vk);
    }
    if (err == NULL) {
        err = lull_vk_lacks(*vk, &s);
        verdict = err != NULL ? "lacks" : "failed";
    }
    if (err == NULL) {
        err = draw(*vk, &s, folder, name);
        if (err != NULL) {
            lull_vk_close(*vk); // it may be lost
            *vk = NULL;
        }
    }
    printf("%s %s%s%s\n", name, err == NULL ? "ok" : verdict, err != NULL ? ": " : "",
           err != NULL ? lull_error_message(err) : "");
    fflush(stdout);
    lull_error_free(err);
    lull_scene_done(&s);
}

int main(int argc, char **argv)
{
    struct lull_vk *vk = NULL;
    if (argc < 4) {
        fprintf(stderr, "usage: draw DEVICE FOLDER SCENE...\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        one(&vk, argv[1], argv[2], argv[i]);
    }
    lull_vk_close(vk);
    return 0;
}

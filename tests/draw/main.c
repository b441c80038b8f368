// SPDX-License-Identifier: MIT
// draw DEVICE FOLDER SCENE...: each scene drawn on the device whose name contains DEVICE. What it
// gives stands in FOLDER: NAME.targetN, NAME.depth and NAME.stencil (texels, layer after layer,
// as the format has them), NAME.BUFFER for each "out", NAME.queries. A line for each scene:
// "NAME ok", "NAME lacks: WHY", "NAME failed: WHY". Ends with 0 if it came to the last one.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "draw.h"

enum { NAME = 128, PATH = 1024 };

static struct lull_error *save(const char *folder, const char *name, const char *what,
                               const void *data, size_t size)
{
    char path[PATH] = "";
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, what);
    lull_cleanup(lull_fclosep) FILE *f = fopen(path, "wb");
    return f != NULL && fwrite(data, 1, size, f) == size && fflush(f) == 0
               ? NULL
               : lull_error_os(errno, "%s", path);
}

/** "occlusion N", or a word and the numbers of the statistics, a line for each query. */
static struct lull_error *save_queries(const struct work *w, const char *folder, const char *name)
{
    char text[DRAW_QUERIES * (DRAW_STATISTICS + 1) * 24] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < w->nqueries; i++) {
        uint64_t values[DRAW_STATISTICS] = {0};
        const VkQueryType type = w->query_types[i];
        const bool statistics = type == VK_QUERY_TYPE_PIPELINE_STATISTICS;
        const bool feedback = type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT;
        const unsigned count = statistics ? DRAW_STATISTICS : feedback ? 2 : 1;
        struct lull_error *err =
            gpu_check(vkGetQueryPoolResults(w->g->device, w->queries[i], 0, 1, sizeof values,
                                            values, sizeof values, VK_QUERY_RESULT_64_BIT),
                      "vkGetQueryPoolResults");
        if (err == NULL &&
            memcmp(values, w->copied.map + (size_t)i * DRAW_QUERY_BYTES, count * 8) != 0) {
            err = lull_error_new(LULL_ERR_INVALID, "query %u: its copied results are others", i);
        }
        if (err != NULL) {
            return err;
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "%s",
                              statistics                                       ? "statistics"
                              : feedback                                       ? "feedback"
                              : type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT ? "generated"
                              : type == VK_QUERY_TYPE_TIMESTAMP                ? "timestamp"
                                                                               : "occlusion");
        for (unsigned k = 0; k < count; k++) {
            n += (size_t)snprintf(text + n, sizeof text - n, " %" PRIu64, values[k]);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    return n != 0 ? save(folder, name, "queries", text, n) : NULL;
}

static struct lull_error *save_all(const struct work *w, const char *folder, const char *name)
{
    struct lull_error *err = save_queries(w, folder, name);
    for (uint32_t i = 0; err == NULL && i < SCENE_TARGETS + 2; i++) {
        char what[SCENE_NAME] = "";
        snprintf(what, sizeof what, "target%u", i);
        const char *as = i == SCENE_TARGETS + 1 ? "stencil" : i == SCENE_TARGETS ? "depth" : what;
        if (w->results[i].map != NULL) {
            err = save(folder, name, as, w->results[i].map, w->results[i].size);
        }
    }
    for (uint32_t i = 0; err == NULL && i < w->s->nbuffers; i++) {
        const struct scene_buffer *b = &w->s->buffers[i];
        if (b->out) {
            err = save(folder, name, b->name, w->buffers[i].map, b->size);
        }
    }
    return err;
}

static struct lull_error *draw(struct gpu *g, const struct scene *s, const char *folder,
                               const char *name)
{
    struct work w = {.g = g, .s = s};
    struct lull_error *err = work_make(&w);
    if (err == NULL) {
        err = work_pipelines(&w);
    }
    if (err == NULL) {
        err = work_run(&w);
    }
    if (err == NULL) {
        err = save_all(&w, folder, name);
    }
    work_done(&w);
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

static void one(struct gpu *g, const char *device, const char *folder, const char *path)
{
    struct scene s = {0};
    char name[NAME] = "";
    const char *verdict = "failed";
    name_of(path, name);
    struct lull_error *err = scene_read(&s, path);
    if (err == NULL && g->device == VK_NULL_HANDLE) {
        err = gpu_open(g, device);
    }
    if (err == NULL) {
        err = work_lacks(g, &s);
        verdict = err != NULL ? "lacks" : "failed";
    }
    if (err == NULL) {
        err = draw(g, &s, folder, name);
        if (err != NULL) {
            gpu_close(g); // it may be lost
        }
    }
    printf("%s %s%s%s\n", name, err == NULL ? "ok" : verdict, err != NULL ? ": " : "",
           err != NULL ? lull_error_message(err) : "");
    fflush(stdout);
    lull_error_free(err);
    scene_done(&s);
}

int main(int argc, char **argv)
{
    struct gpu g = {0};
    if (argc < 4) {
        fprintf(stderr, "usage: draw DEVICE FOLDER SCENE...\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        one(&g, argv[1], argv[2], argv[i]);
    }
    gpu_close(&g);
    if (g.instance != VK_NULL_HANDLE) {
        vkDestroyInstance(g.instance, NULL);
    }
    return 0;
}

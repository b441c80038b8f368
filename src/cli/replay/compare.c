// SPDX-License-Identifier: MIT
#include "cli/replay/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "file/stream.h"

/** @p size bytes of both sides; @p there NULL: there are none. */
static void one(struct lull_replay_difference *d, uint64_t start, const uint8_t *here,
                const uint8_t *there, uint64_t size)
{
    uint64_t first = 0, n = 0;
    for (uint64_t i = 0; there != NULL && i < size; i++) {
        if (here[i] != there[i]) {
            first = n == 0 ? i : first;
            n++;
        }
    }
    d->buffers++;
    if (there != NULL && n == 0) {
        return;
    }
    if (d->differ++ == 0) {
        d->buffer = start;
        d->address = start + first;
        d->bytes = n;
        d->missing = there == NULL;
        d->here = here[first];
        d->there = there != NULL ? there[first] : 0;
    }
}

static void path_of(struct lull_str *path, const char *dir, uint64_t start)
{
    lull_str_addf(path, "%s/0x%" PRIx64 ".bin", dir, start);
}

struct lull_error *lull_replay_dump_all(const struct lull_replay *r, const char *dir)
{
    struct lull_error *err = NULL;
    uint64_t start = 0, size = 0;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return lull_error_os(errno, "%s", dir);
    }
    for (size_t i = 0; err == NULL && lull_rp_device_buffer(r->device, i, &start, &size); i++) {
        struct lull_str path = {0};
        uint64_t left = 0;
        const uint8_t *at = lull_rp_device_memory(r->device, start, &left);
        path_of(&path, dir, start);
        err = path.err != NULL ? &lull_enomem : lull_output_write(path.text, at, size);
        lull_str_free(&path);
    }
    return err;
}

void lull_replay_compare(const struct lull_replay *a, const struct lull_replay *b,
                         struct lull_replay_difference *ret)
{
    uint64_t start = 0, size = 0;
    *ret = (struct lull_replay_difference){0};
    for (size_t i = 0; lull_rp_device_buffer(a->device, i, &start, &size); i++) {
        uint64_t left = 0, other = 0;
        const uint8_t *here = lull_rp_device_memory(a->device, start, &left);
        const uint8_t *there = lull_rp_device_memory(b->device, start, &other);
        one(ret, start, here, other >= size ? there : NULL, size);
    }
}

/** Up to @p size bytes of a file. @p ret: how many there are. */
LULL_MUST_USE static struct lull_error *load(const char *path, uint8_t *to, uint64_t size,
                                             uint64_t *ret)
{
    struct stat st = {0};
    *ret = 0;
    if (stat(path, &st) != 0 && errno == ENOENT) {
        return NULL;
    }
    lull_cleanup(lull_fclosep) FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return lull_error_os(errno, "%s", path);
    }
    *ret = fread(to, 1, size, f);
    return NULL;
}

struct lull_error *lull_replay_compare_dir(const struct lull_replay *r, const char *dir,
                                           struct lull_replay_difference *ret)
{
    struct lull_error *err = NULL;
    uint64_t start = 0, size = 0;
    *ret = (struct lull_replay_difference){0};
    for (size_t i = 0; err == NULL && lull_rp_device_buffer(r->device, i, &start, &size); i++) {
        struct lull_str path = {0};
        uint64_t left = 0, n = 0;
        const uint8_t *here = lull_rp_device_memory(r->device, start, &left);
        uint8_t *there = malloc(size);
        path_of(&path, dir, start);
        err = path.err != NULL || there == NULL ? &lull_enomem : load(path.text, there, size, &n);
        if (err == NULL) {
            one(ret, start, here, n == size ? there : NULL, size);
        }
        free(there);
        lull_str_free(&path);
    }
    return err;
}

void lull_replay_difference_text(const struct lull_replay_difference *d, struct lull_str *out)
{
    if (d->differ == 0) {
        lull_str_addf(out, "memory: %" PRIu64 " buffers are the same\n", d->buffers);
        return;
    }
    lull_str_addf(out, "memory: %" PRIu64 " of %" PRIu64 " buffers differ, the first ", d->differ,
                  d->buffers);
    if (d->missing) {
        lull_str_addf(out, "at 0x%" PRIx64 " is not on the other side\n", d->buffer);
    } else {
        lull_str_addf(out,
                      "at 0x%" PRIx64 " in %" PRIu64 " bytes from 0x%" PRIx64
                      " on: 0x%02x here, 0x%02x there\n",
                      d->buffer, d->bytes, d->address, d->here, d->there);
    }
}

void lull_replay_difference_json(const struct lull_replay_difference *d, struct lull_json *j)
{
    lull_json_put_u64(j, "buffers_compared", d->buffers);
    lull_json_put_u64(j, "buffers_differ", d->differ);
    if (d->differ != 0) {
        lull_json_put_hex(j, "first_buffer", d->buffer);
        lull_json_put_hex(j, "first_address", d->address);
        lull_json_put_bool(j, "first_missing", d->missing);
    }
}

// SPDX-License-Identifier: MIT
/* GPU memory to files. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/engine.h"

enum { CHUNK = 65536, MAX_BOS = 256 };

LULL_MUST_USE static struct lull_error *copy_out(struct lull_debug *d, uint64_t va, uint64_t size,
                                                 FILE *f, const char *name)
{
    lull_cleanup(lull_freep) uint8_t *chunk = malloc(CHUNK);
    if (chunk == NULL) {
        return &lull_enomem;
    }
    for (uint64_t done = 0; done < size;) {
        size_t n = size - done < CHUNK ? (size_t)(size - done) : CHUNK;
        struct lull_error *err = d->target->ops->read(d->target, va + done, chunk, n);
        if (err != NULL) {
            return err;
        }
        if (fwrite(chunk, 1, n, f) != n) {
            return lull_error_os(errno, "'%s'", name);
        }
        done += n;
    }
    return NULL;
}

/* A file of the whole range, or none: written under another name first. */
LULL_MUST_USE static struct lull_error *write_file(struct lull_debug *d, const char *name,
                                                   uint64_t va, uint64_t size)
{
    lull_cleanup(lull_str_free) struct lull_str temp = {0};
    lull_str_addf(&temp, "%s.XXXXXX", name);
    if (temp.text == NULL) {
        return &lull_enomem;
    }
    int fd = mkstemp(temp.text);
    if (fd < 0) {
        return lull_error_os(errno, "'%s'", name);
    }
    FILE *f = fdopen(fd, "wb");
    struct lull_error *err = NULL;
    if (f == NULL) {
        err = lull_error_os(errno, "'%s'", name);
        close(fd);
    } else {
        err = copy_out(d, va, size, f, name);
        int failed = fclose(f);
        if (err == NULL && (failed != 0 || rename(temp.text, name) != 0)) {
            err = lull_error_os(errno, "'%s'", name);
        }
    }
    if (err != NULL) {
        unlink(temp.text);
    }
    return err;
}

/* Cut the next word off @p at. */
static char *next_word(char **at)
{
    char *word = *at;
    while (**at != '\0' && !isspace((unsigned char)**at)) {
        ++*at;
    }
    while (isspace((unsigned char)**at)) {
        *(*at)++ = '\0';
    }
    return word;
}

LULL_MUST_USE static struct lull_error *find_buffer(struct lull_debug *d, const char *name,
                                                    uint64_t *va, uint64_t *size)
{
    if (d->target->ops->bos == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target knows no buffers",
                              d->target->ops->kind);
    }
    struct lull_bo_info infos[MAX_BOS];
    size_t n = 0;
    struct lull_error *err = d->target->ops->bos(d->target, infos, MAX_BOS, &n);
    if (err != NULL) {
        return err;
    }
    for (size_t i = 0; i < n && i < MAX_BOS; i++) {
        if (strcmp(infos[i].name, name) == 0) {
            *va = infos[i].va;
            *size = infos[i].size;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND, "no buffer '%s': 'info bos' lists them", name);
}

LULL_MUST_USE static struct lull_error *one_number(struct lull_debug *d, const char *text,
                                                   const char *what, uint64_t *ret)
{
    struct lull_value v = {0};
    struct lull_error *err = lull_debug_eval(d, text, &v);
    if (err == NULL && v.lanes != 1) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is not one number", text);
    }
    *ret = v.v[0];
    return lull_error_in(err, "%s", what);
}

struct lull_error *lull_cmd_dump(struct lull_cmd *c)
{
    const char *args = c->args;
    bool buffer = lull_cmd_word(&args, "buffer");
    bool memory = !buffer && lull_cmd_word(&args, "memory");
    lull_cleanup(lull_freep) char *copy = strdup(args);
    if (copy == NULL) {
        return &lull_enomem;
    }
    char *at = copy;
    const char *first = next_word(&at);
    const char *second = next_word(&at);
    const char *third = memory ? next_word(&at) : "";
    if ((!buffer && !memory) || *first == '\0' || *second == '\0' || (memory && *third == '\0') ||
        *at != '\0') {
        return lull_error_new(LULL_ERR_INVALID,
                              "expected 'dump buffer NAME FILE' or 'dump memory FILE START SIZE'");
    }
    const char *file = buffer ? second : first;
    uint64_t va = 0;
    uint64_t size = 0;
    struct lull_error *err = NULL;
    if (buffer) {
        err = find_buffer(c->d, first, &va, &size);
    } else {
        err = one_number(c->d, second, "start", &va);
        err = err != NULL ? err : one_number(c->d, third, "size", &size);
    }
    if (err == NULL) {
        err = write_file(c->d, file, va, size);
    }
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%" PRIu64 " bytes from 0x%012" PRIx64 " to %s\n", size, va, file);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", file);
        lull_json_put_hex(c->json, "address", va);
        lull_json_put_u64(c->json, "size", size);
    }
    return NULL;
}

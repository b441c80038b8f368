// SPDX-License-Identifier: MIT
#include "image/names_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vulkan/vulkan_core.h>

#include "base/cleanup.h"
#include "base/str.h"

enum {
    CHUNK_BYTES = 65536,
    MAX_LINE_BYTES = 256 << 20, // A submission of a million dispatches is not a line of ours.
    MAX_SPIRV_BYTES = 256 << 20,
};

struct lull_error *lull_names_open(const char *dir, uint32_t pid, struct lull_names **ret)
{
    struct lull_names *n = calloc(1, sizeof *n);
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/%u.names", dir, pid);
    if (n == NULL || path.err != NULL || (n->dir = strdup(dir)) == NULL) {
        lull_str_free(&path);
        free(n);
        return &lull_enomem;
    }
    n->path = path.text;
    n->pid = pid;
    n->program = "";
    *ret = n;
    return NULL;
}

void lull_names_free(struct lull_names *n)
{
    if (n == NULL) {
        return;
    }
    for (size_t i = 0; i < n->modules.count; i++) {
        struct lull_names_module *m = n->modules.items[i];
        if (m->spirv != NULL) {
            lull_spirv_done(m->spirv);
        }
    }
    lull_arena_done(&n->arena);
    free(n->pipelines.items);
    free(n->objects.items);
    free(n->dispatches.items);
    free(n->draws.items);
    free(n->modules.items);
    free(n->complaints.items);
    free(n->syncs.items);
    free(n->handles.keys);
    free(n->names.keys);
    free(n->dir);
    free(n->path);
    free(n);
}

// All lines that are complete in the size bytes at text; *ret_used: their bytes.
LULL_MUST_USE static struct lull_error *read_lines(struct lull_names *n, const char *text,
                                                   size_t size, size_t *ret_used)
{
    size_t used = 0;
    for (const char *end = NULL; (end = memchr(text + used, '\n', size - used)) != NULL;) {
        size_t length = (size_t)(end - (text + used));
        n->line++;
        struct lull_error *err = length > 0 ? lull_names_line(n, text + used, length) : NULL;
        if (err != NULL && lull_error_code(err) == LULL_ERR_BAD_DATA) {
            err = lull_names_complain(n, n->line, err);
        }
        if (err != NULL) {
            return err;
        }
        used += length + 1;
    }
    *ret_used = used;
    return NULL;
}

// Reads on from n->offset until the file ends; a line without its end stays for the next time.
LULL_MUST_USE static struct lull_error *read_on(struct lull_names *n, int fd)
{
    size_t room = CHUNK_BYTES, have = 0;
    lull_cleanup(lull_freep) char *buffer = malloc(room);
    while (buffer != NULL) {
        ssize_t got = pread(fd, buffer + have, room - have, (off_t)(n->offset + have));
        if (got < 0) {
            return lull_error_os(errno, "%s", n->path);
        }
        if (got == 0) {
            return NULL;
        }
        have += (size_t)got;
        size_t used = 0;
        struct lull_error *err = read_lines(n, buffer, have, &used);
        if (err != NULL) {
            return err;
        }
        n->offset += used;
        have -= used;
        memmove(buffer, buffer + used, have);
        if (have == room) {
            if (room >= MAX_LINE_BYTES) {
                return lull_error_new(LULL_ERR_BAD_DATA, "%s: line %zu is longer than %d bytes",
                                      n->path, n->line + 1, MAX_LINE_BYTES);
            }
            char *more = realloc(buffer, 2 * room);
            if (more == NULL) {
                return &lull_enomem;
            }
            buffer = more;
            room *= 2;
        }
    }
    return &lull_enomem;
}

struct lull_error *lull_names_update(struct lull_names *n)
{
    lull_cleanup(lull_closep) int fd = open(n->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno == ENOENT ? NULL : lull_error_os(errno, "%s", n->path);
    }
    struct stat st = {0};
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: not a regular file", n->path);
    }
    return read_on(n, fd);
}

const char *lull_names_program(const struct lull_names *n)
{
    return n->program;
}

size_t lull_names_npipelines(const struct lull_names *n)
{
    return n->pipelines.count;
}

const struct lull_names_pipeline *lull_names_pipeline_at(const struct lull_names *n, size_t i)
{
    return n->pipelines.items[i];
}

size_t lull_names_nobjects(const struct lull_names *n)
{
    return n->objects.count;
}

const struct lull_names_object *lull_names_object_at(const struct lull_names *n, size_t i)
{
    return n->objects.items[i];
}

size_t lull_names_ndispatches(const struct lull_names *n)
{
    return n->dispatches.count;
}

const struct lull_names_dispatch *lull_names_dispatch_at(const struct lull_names *n, size_t i)
{
    return n->dispatches.items[i];
}

size_t lull_names_ndraws(const struct lull_names *n)
{
    return n->draws.count;
}

size_t lull_names_ncomplaints(const struct lull_names *n)
{
    return n->ncomplaints;
}

const struct lull_names_complaint *lull_names_complaint_at(const struct lull_names *n, size_t i)
{
    static const struct lull_names_complaint more = {.text = "and more"};
    return i < n->complaints.count ? n->complaints.items[i] : &more;
}

const struct lull_names_object *lull_names_at_address(const struct lull_names *n, uint64_t address)
{
    for (size_t i = n->objects.count; i-- > 0;) {
        const struct lull_names_object *o = n->objects.items[i];
        if (!o->freed && o->address != 0 && address >= o->address &&
            address - o->address < o->size) {
            return o;
        }
    }
    return NULL;
}

struct lull_error *lull_names_read_device(struct lull_names *n, const json_t *o)
{
    n->devices++;
    n->robust += json_is_true(json_object_get(o, "robust"));
    return NULL;
}

bool lull_names_robust(const struct lull_names *n)
{
    return n->devices != 0 && n->robust == n->devices;
}

// The bytes of a regular file, for free().
LULL_MUST_USE static struct lull_error *read_file(const char *path, void **ret, size_t *ret_size)
{
    lull_cleanup(lull_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st = {0};
    if (fd < 0 || fstat(fd, &st) != 0) {
        return lull_error_os(errno, "%s", path);
    }
    if (!S_ISREG(st.st_mode) || st.st_size > MAX_SPIRV_BYTES) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: not a regular file of at most %d bytes",
                              path, MAX_SPIRV_BYTES);
    }
    size_t size = (size_t)st.st_size;
    char *data = malloc(size + 1);
    if (data == NULL) {
        return &lull_enomem;
    }
    ssize_t got = pread(fd, data, size, 0);
    if (got < 0) {
        free(data);
        return lull_error_os(errno, "%s", path);
    }
    *ret = data;
    *ret_size = (size_t)got;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_module(struct lull_names *n,
                                                    struct lull_names_module *m)
{
    lull_cleanup(lull_freep) void *data = NULL;
    size_t size = 0;
    struct lull_error *err = read_file(m->shader.file, &data, &size);
    struct lull_spirv *spirv = NULL;
    if (err == NULL) {
        spirv = lull_arena_calloc(&n->arena, 1, sizeof *spirv);
        err = spirv == NULL
                  ? &lull_enomem
                  : lull_error_in(lull_spirv_read(data, size, spirv), "%s", m->shader.file);
    }
    m->spirv = err == NULL ? spirv : NULL;
    static const char prints[] = "NonSemantic.DebugPrintf";
    m->shader.prints = data != NULL && memmem(data, size, prints, sizeof prints) != NULL;
    return err;
}

const struct lull_spirv *lull_names_spirv(struct lull_names *n, const struct lull_names_shader *s)
{
    struct lull_names_module *m = (struct lull_names_module *)s;
    if (m == NULL || m->tried || m->shader.file[0] == '\0') {
        return m != NULL ? m->spirv : NULL;
    }
    m->tried = true;
    struct lull_error *err = read_module(n, m);
    if (err != NULL) {
        lull_error_free(lull_names_complain(n, 0, err)); // Not even that: nothing is lost.
    }
    return m->spirv;
}

bool lull_names_printf(const struct lull_names *n, uint64_t address)
{
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/%" PRIu32 "-%" PRIx64 ".printf", n->dir, n->pid, address);
    const bool there = path.err == NULL && access(path.text, F_OK) == 0;
    lull_str_free(&path);
    return there;
}

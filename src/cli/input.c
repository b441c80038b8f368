// SPDX-License-Identifier: MIT
#include "cli/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/stream.h"

enum { MAX_FILE = 64 << 20, CHUNK = 1 << 16 };

struct lull_error *lull_input_read(const char *path, char **ret, size_t *ret_size)
{
    struct lull_stream *s = NULL;
    struct lull_error *err = lull_stream_open(path, &s);
    if (err != NULL) {
        return err;
    }
    char *data = NULL;
    size_t size = 0, got = CHUNK;
    while (err == NULL && got == CHUNK) {
        char *more = realloc(data, size + CHUNK + 1);
        if (more == NULL) {
            err = &lull_enomem;
            break;
        }
        data = more;
        got = lull_stream_read(s, data + size, CHUNK);
        size += got;
        if (size > MAX_FILE) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "more than 64 MiB");
        }
    }
    err = err != NULL ? err : lull_stream_error(s);
    lull_stream_free(s);
    if (err != NULL) {
        free(data);
        return lull_error_in(err, "%s", path);
    }
    data[size] = '\0';
    *ret = data;
    *ret_size = size;
    return NULL;
}

struct lull_error *lull_output_write(const char *path, const void *data, size_t size)
{
    const bool to_stdout = strcmp(path, "-") == 0;
    FILE *f = to_stdout ? stdout : fopen(path, "wb");
    if (f == NULL) {
        return lull_error_os(errno, "%s", path);
    }
    const bool wrote = fwrite(data, 1, size, f) == size;
    const int wrong = wrote ? 0 : errno;
    const bool closed = (to_stdout ? fflush(f) : fclose(f)) == 0;
    if (wrote && closed) {
        return NULL;
    }
    struct lull_error *err =
        lull_error_os(wrote ? errno : wrong, "%s", to_stdout ? "standard output" : path);
    if (!to_stdout) {
        (void)unlink(path);
    }
    return err;
}

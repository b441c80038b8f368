// SPDX-License-Identifier: MIT
#include "cli/opt/input.h"

#include <stdlib.h>

#include "cli/opt/progress.h"

enum { MAX_FILE = 64 << 20, FIRST = 1 << 12, MOST = 1 << 20 };

struct lull_error *lull_input_read(const char *path, char **ret, size_t *ret_size)
{
    struct lull_stream *s = NULL;
    struct lull_progress progress = {0};
    struct lull_error *err = lull_progress_open(&progress, path, &s);
    if (err != NULL) {
        return err;
    }
    char *data = NULL;
    size_t size = 0, got = 0, chunk = 0; // As much as there is already: most files are small.
    while (err == NULL && got == chunk) {
        chunk = size < FIRST ? FIRST : size < MOST ? size : MOST;
        char *more = realloc(data, size + chunk + 1);
        if (more == NULL) {
            err = &lull_enomem;
            break;
        }
        data = more;
        got = lull_stream_read(s, data + size, chunk);
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

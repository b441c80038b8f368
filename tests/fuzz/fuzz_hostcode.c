// SPDX-License-Identifier: MIT
// lull_hostcode_find() on a file of any bytes: no crash, no leak. Seeds: objects and a program of
// gcc and clang, with DWARF 4 and 5.
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/hostcode.h"

// libdwfl 0.188 itself loses what it has read of some broken files: 32 bytes each.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libdw.so\n";
}

enum { ROOM = 4, STEP = 61, MOST = 16384 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/lull-fuzz-hostcode-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    close(fd);
    struct lull_hostcode *h = NULL;
    struct lull_error *err = lull_hostcode_new(&h);
    size_t length = 0;
    for (uint64_t at = 0; err == NULL && at < MOST; at += STEP) {
        struct lull_hostcode_place places[ROOM] = {0};
        const size_t n = lull_hostcode_find(h, path, at, places, ROOM);
        for (size_t i = 0; i < n; i++) {
            length += strlen(places[i].function) + strlen(places[i].file);
        }
    }
    lull_error_free(err);
    lull_hostcode_free(h);
    unlink(path);
    return length == SIZE_MAX;
}

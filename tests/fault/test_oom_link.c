// SPDX-License-Identifier: MIT
// Linking with every allocation failing once: the result is the same as without, or
// LULL_ERR_NO_MEMORY, and nothing leaks (AddressSanitizer watches). Argument: a seed of fuzz_link.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "link/link.h"
#include "test.h"

static long allocations_left = -1; // -1: never fail

void *__real_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool fail(void)
{
    const bool now = allocations_left == 0;
    allocations_left -= allocations_left >= 0;
    return now;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fail() ? NULL : __real_calloc(n, size);
}

void *__wrap_malloc(size_t size)
{
    return fail() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fail() ? NULL : __real_realloc(p, size);
}

struct seed {
    const uint8_t *object;
    size_t size;
    const char *layout;
    size_t layout_size;
};

// One link with allocation n failing.
static struct lull_error *link_once(const struct seed *s, long n, struct lull_link_result *ret)
{
    const struct lull_link_input input = {.name = "cs.elf", .data = s->object, .size = s->size};
    const struct lull_link_options options = {.explain = true};
    struct lull_layout layout = {0};
    allocations_left = n;
    struct lull_error *err = lull_layout_read(s->layout, s->layout_size, &layout);
    if (err == NULL) {
        err = lull_link(&input, 1, &layout, &options, ret);
    }
    lull_layout_done(&layout);
    return err;
}

int main(int argc, char **argv)
{
    enum { MOST = 2000 };
    static uint8_t bytes[1 << 16];
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    const size_t size = f != NULL ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    const size_t text = (size_t)bytes[0] | (size_t)bytes[1] << 8;
    const struct seed seed = {bytes + 4 + text, size - 4 - text, (const char *)bytes + 4, text};
    struct lull_link_result whole = {0};
    struct lull_error *err = size > 4 + text ? link_once(&seed, -1, &whole) : NULL;
    if (!test_case(err == NULL && whole.image.size > 0, "links", "%s",
                   err != NULL ? lull_error_message(err) : "no seed")) {
        lull_error_free(err);
        return test_end();
    }
    long n = 0;
    bool survived = true; // the allocation that failed was not reached, or not needed
    for (bool reached = true; reached && n < MOST; n++) {
        struct lull_link_result r = {0};
        err = link_once(&seed, n, &r);
        reached = allocations_left < 0;
        const bool same = err == NULL && r.image.size == whole.image.size &&
                          memcmp(r.image.text, whole.image.text, r.image.size) == 0;
        survived = survived &&
                   test_case(same || (err != NULL && lull_error_code(err) == LULL_ERR_NO_MEMORY),
                             "link", "allocation %ld: %s", n,
                             err != NULL ? lull_error_message(err) : "another result");
        allocations_left = -1;
        lull_error_free(err);
        lull_link_done(&r);
    }
    test_case(survived && n > 20 && n < MOST, "ends", "after %ld allocations", n);
    lull_link_done(&whole);
    return test_end();
}

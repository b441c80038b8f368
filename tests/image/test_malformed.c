// SPDX-License-Identifier: MIT
// Damaged code objects: cut at every offset, and bytes replaced. None may crash, and every refusal
// has a message. Arguments: a code object, a number to start the random sequence with.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "test.h"

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// Parse, and if that works use all of it. True if it was refused, and properly.
static bool try_bytes(const uint8_t *bytes, size_t size)
{
    // Exactly as big as the input, so that AddressSanitizer sees overreads.
    uint8_t *copy = malloc(size != 0 ? size : 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, size);
    struct lull_image *im = NULL;
    struct lull_error *err = lull_image_parse(copy, size, &im);
    free(copy);
    bool refused = err != NULL && lull_error_message(err)[0] != '\0';
    if (err == NULL && lull_image_size(im) < 1 << 20) {
        uint8_t *memory = malloc(lull_image_size(im) + 1);
        err = lull_image_load(im, 0x100000, memory);
        free(memory);
        struct lull_line line = {0};
        uint64_t at = 0;
        lull_image_line_at(im, lull_image_size(im) / 2, &line);
        lull_image_line_find(im, NULL, 1, &at);
        lull_image_symbol_at(im, at);
    }
    lull_error_free(err);
    lull_image_free(im);
    return refused;
}

int main(int argc, char **argv)
{
    static uint8_t bytes[1 << 16], damaged[1 << 16];
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t size = f != NULL ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    test_case(size != 0 && !try_bytes(bytes, size), "whole", "%zu bytes are refused", size);
    size_t taken = 0, last = 0;
    for (size_t cut = 0; cut < size; cut += cut < 1024 ? 1 : 13) {
        if (!try_bytes(bytes, cut)) {
            taken++;
            last = cut;
        }
    }
    // The section header table is the last thing in the file: no cut can be right.
    test_case(taken == 0, "cut", "%zu cuts are taken, the last at %zu of %zu", taken, last, size);
    printf("# seed %llu\n", (unsigned long long)seed);
    size_t refused = 0;
    for (size_t round = 0; round < 4000; round++) {
        memcpy(damaged, bytes, size);
        for (uint32_t n = 1 + next_random(&seed) % 4; n > 0; n--) {
            static const uint8_t nasty[] = {0x00, 0xff, 0x7f, 0x80, 0x01};
            uint32_t r = next_random(&seed);
            damaged[next_random(&seed) % size] =
                r % 2 != 0 ? (uint8_t)(r >> 8) : nasty[r % sizeof nasty];
        }
        refused += try_bytes(damaged, size);
    }
    test_case(refused > 0, "replaced bytes", "nothing was refused");
    return test_end();
}
